"""Errors for `realize` lines, their arguments and entries of `train` that have no effect."""

from __future__ import annotations

from itertools import pairwise
from typing import assert_never

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.blocks import TrainBlock
from pdedsl.config.methods import (
    Diffusion,
    Dropout,
    HeatSmoothing,
    Noise,
    RandomizedSmoothing,
    ResidualPenalty,
    ShakeShake,
    StochasticDepth,
)
from pdedsl.config.training import GaussianAugmentation, Sgd, SmoothInTime
from pdedsl.ir.plan import DataPlan, ImagePlan, Model, NoiseStep, ResidualBlocks, SdeSteps, SolvePlan
from pdedsl.ir.representation import PathExpectation
from pdedsl.ir.spec import Spec
from pdedsl.planning.noise import is_exact_in_one_step


def require_used(plan: DataPlan, paths: PathExpectation, spec: Spec) -> None:
    chosen = spec.realize
    for unknown in spec.unknowns:
        if unknown.net is not None:
            raise errors.methods.unused_network_of_unknown(unknown.name, unknown.net.span)
    if chosen.equation is not None:
        hint = "on a data space use: realize time by …, realize diffusion by …"
        raise errors.methods.unused_method("equation", hint, chosen.equation.line)
    if chosen.reaction is not None:
        raise errors.methods.unused_method(
            "reaction", "the reaction is the Feynman-Kac weight along the path", chosen.reaction.line
        )
    if chosen.time is not None and chosen.convection is not None:
        hint = "`time` and `convection` name the same integrator: keep one of them"
        raise errors.methods.unused_method("convection", hint, chosen.convection.line)
    stepping = chosen.time or chosen.convection
    if stepping is not None and not _takes_steps(plan, paths, spec):
        part = "time" if chosen.time else "convection"
        raise errors.methods.unused_method(part, "one step is exact here: remove it", stepping.line)
    if chosen.convection is not None and not any(s.has_drift for s in paths.segments):
        raise errors.methods.unused_method("convection", "the equation has none: remove it", chosen.convection.line)
    if chosen.diffusion is not None:
        if not any(s.has_diffusion for s in paths.segments):
            raise errors.methods.unused_method("diffusion", "the equation has none: remove it", chosen.diffusion.line)
        _require_used_arguments(chosen.diffusion, plan)


def require_single_input_noise(train: TrainBlock, model: Model) -> None:
    """Data augmentation by noise, before a network that adds the noise of the equation to its input, would train for
    the sum of both variances."""
    if isinstance(model, DataPlan) and any(isinstance(own.parts[0], NoiseStep) for own in model.architectures):
        for augmentation in train.augment:
            if isinstance(augmentation.config, GaussianAugmentation):
                raise errors.methods.input_noise_twice(augmentation.config.name, augmentation.span)


def require_used_in_training(train: TrainBlock, model: Model) -> None:
    for optimizer in train.optimizer:
        match optimizer.config:
            case Sgd(nesterov=True, momentum=0):
                raise errors.methods.unused_argument("nesterov", "there is no momentum", optimizer.span)
    for regularizer in train.regularize:
        if isinstance(regularizer.config, SmoothInTime) and not _has_weights_per_step(model):
            raise errors.methods.unused_regularizer(regularizer.config.name, regularizer.span)


def _has_weights_per_step(model: Model) -> bool:
    """Whether the weights may differ from step to step."""
    match model:
        case ImagePlan(system=motion, steps=steps):
            return steps > 1 and any(
                layer.weights_per_step for right in motion.right_hand_sides for layer in right.layers
            )
        case DataPlan() | SolvePlan():
            return False
        case _:
            assert_never(model)


def require_used_on_domain(spec: Spec) -> None:
    """On a physical domain only `realize equation` and the optimization entries of `train` apply."""
    for part, method in spec.realize.in_source_order():
        if method is not spec.realize.equation:
            hint = "on a physical domain use: realize equation by …"
            raise errors.methods.unused_method(part, hint, method.line)
    for key, hint in DATA_ENTRY_HINTS.items():
        if spec.train is not None and spec.train.sets(key):
            raise errors.methods.unused_entry(key, hint, spec.train.place(key))
    for first, other in pairwise(u.net for u in spec.unknowns if u.net is not None):
        if first.config != other.config:
            raise errors.methods.unused_second_network(str(first.config), other.span)


REMOVE_HINT, OBSERVE_HINT = "remove it", "remove it: measurements are given by `observe`"
DATA_ENTRY_HINTS = {
    "data": OBSERVE_HINT,
    "epochs": "write steps",
    "batch": "remove it: the collocation points are set by realize equation by pinn(points=…)",
    **dict.fromkeys(
        ("schedule", "augment", "adversary", "loss", "regularize", "constrain", "precision", "clip"), REMOVE_HINT
    ),
    **dict.fromkeys(("accumulate", "perturb", "average", "select"), REMOVE_HINT),
}
"""Entries of `train` that apply only to networks on data, with hints for physical domains."""


def _takes_steps(plan: DataPlan, paths: PathExpectation, spec: Spec) -> bool:
    """Whether the operator, if that is the model, or the network takes time steps."""
    if plan.classes is None:
        method = spec.realize.diffusion.config if spec.realize.diffusion else None
        return not all(is_exact_in_one_step(s, method) for s in paths.segments)
    return any(isinstance(part, SdeSteps | ResidualBlocks) for part in plan.parts)


def _require_used_arguments(chosen: Located[Diffusion], plan: DataPlan) -> None:
    """Arguments that differ from their defaults but have no effect are errors."""
    params = chosen.config.signature()
    idle = _unused_arguments(chosen.config, plan)
    for key in sorted(chosen.given):
        if key in idle and getattr(chosen.config, key) != params[key].default:
            raise errors.methods.unused_argument(key, idle[key], chosen.span)


def _unused_arguments(config: Diffusion, plan: DataPlan) -> dict[str, str]:
    """The arguments without effect, each with its reason."""
    match config:
        case Noise():
            return _unused_noise_arguments(config, plan)
        case HeatSmoothing(is_variational=False):
            return dict.fromkeys(config.idle, "it belongs to form=variational")
        case ResidualPenalty() | HeatSmoothing():
            return {key: REASONS.get(key, "derivatives are exact") for key in config.idle - {"form"}}
        case Dropout() | StochasticDepth() | ShakeShake():
            return {} if plan.classes else {"members": NO_MEMBERS}
        case RandomizedSmoothing():
            return {}
        case _:
            assert_never(config)


NO_MEMBERS = "the model is the evolution operator, not an ensemble"
SINGLE_MEMBER = "the ensemble has one member"
SINGLE_SAMPLE = "one member with one noise sample needs no average"
REASONS = {"instants": "there is a single time"}
EXACT_SCALE = "the noise scale is that of the equation"


def _unused_noise_arguments(config: Noise, plan: DataPlan) -> dict[str, str]:
    if plan.classes is None:
        return dict.fromkeys(("members", "scale", "across", "average", "weights", "training"), NO_MEMBERS)
    idle = dict.fromkeys(config.idle, EXACT_SCALE)
    if plan.members == 1:
        idle |= {"weights": SINGLE_MEMBER, "training": SINGLE_MEMBER}
        if plan.samples == 1:
            idle["average"] = SINGLE_SAMPLE
    return idle
