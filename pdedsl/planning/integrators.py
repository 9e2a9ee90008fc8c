"""Integrators and ensemble sizes of a spec, with defaults."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.methods import (
    ONE_STEP,
    Adaptive,
    Diffusion,
    Dropout,
    Fixed,
    HeatSmoothing,
    Imex,
    Integrator,
    Noise,
    RandomizedSmoothing,
    ResidualPenalty,
    Reversible,
    ShakeShake,
    StochasticDepth,
)
from pdedsl.config.networks import Network, Resnet
from pdedsl.ir.default_methods import integrator_of
from pdedsl.ir.representation import PathExpectation
from pdedsl.ir.spec import Spec
from pdedsl.numerics.butcher import EULER, HEUN
from pdedsl.planning.step_selection import chosen_integrator


def scheme_of(spec: Spec, paths: PathExpectation) -> Located[Integrator]:
    """The integrator for characteristics: of the spec, or chosen if all coefficients are known."""
    method = chosen_integrator(paths, spec) or integrator_of(spec)
    if isinstance(method.config, Reversible | Imex):
        raise errors.methods.cannot_integrate_characteristics(method.config.name, ONE_STEP, method.span)
    return method


def steps_of(method: Integrator) -> int:
    """The number of steps on R^d; 1 for adaptive methods."""
    if isinstance(method, Adaptive):
        return 1
    assert method.steps is not None
    return method.steps


def has_stochastic_version(method: Integrator) -> bool:
    """Whether there is a version with noise: Euler-Maruyama, or the stochastic Heun method."""
    return isinstance(method, Fixed) and method.method in (EULER, HEUN)


def ensemble_size(method: Diffusion | None) -> tuple[int, int, int]:
    """The number of ensemble members, and of noise samples of each in evaluation and in training."""
    match method:
        case Noise() | Dropout() | StochasticDepth() | ShakeShake():
            return method.members, method.samples, method.samples
        case RandomizedSmoothing():
            return 1, method.samples, method.training_samples
        case ResidualPenalty() | HeatSmoothing() | None:
            return 1, 1, 1
        case _:
            assert_never(method)


def networks_by_depth(net: Network) -> tuple[Network, ...]:
    """One network for each depth in the list: an ensemble of different depths."""
    return tuple(replace(net, depth=(d,)) for d in net.depth) if isinstance(net, Resnet) else (net,)
