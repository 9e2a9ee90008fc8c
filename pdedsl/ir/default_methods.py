"""Default integrators and diffusion methods, by the structure of the system."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from sympy import Add, Expr, S

from pdedsl.config.base import Located
from pdedsl.config.methods import (
    Diffusion,
    Dropout,
    Fixed,
    HeatSmoothing,
    Integrator,
    Leapfrog,
    Noise,
    RandomizedSmoothing,
    ResidualPenalty,
    SampledDiffusion,
    ShakeShake,
    StochasticDepth,
    Verlet,
    in_steps,
)
from pdedsl.config.networks import Mlp, Torch, count_residual_blocks
from pdedsl.ir.spec import Equation, SpaceKind, Spec
from pdedsl.ir.types import Simplex, Vector
from pdedsl.numerics.butcher import EULER
from pdedsl.symbolic.symbols import Contraction, Field, Partial, atoms

DEFAULT_STEPS_PIXELS = 3  # default number of time steps on feature maps
DEFAULT_STEPS_DATA_SPACE = 10  # default number of time steps on R^d
OPERATOR_SAMPLES = 1024  # default number of Monte Carlo paths of an evolution operator


def is_separable_pair(spec: Spec) -> bool:
    """Whether the equations form a separable system Y' = f(Z, t), Z' = g(Y, t)."""
    equations = [e for e in spec.equations if e.interval is None]
    if len(spec.unknowns) != 2 or len(equations) != 2 or any(e.order != 1 or len(e.rhs) != 1 for e in equations):
        return False
    for e in equations:
        heads = {u.head for u in spec.unknowns}
        states = {f.head for f in atoms(e.rhs[0], Field)} & heads
        if e.unknown is None or states != heads - {e.unknown}:
            return False
    return len({e.unknown for e in equations}) == 2


def integrator_of(spec: Spec) -> Located[Integrator]:
    """The time integrator, with defaults where the spec names none."""
    method = spec.realize.time or spec.realize.convection or Located(_default_integrator(spec))
    steps = DEFAULT_STEPS_PIXELS if spec.space.kind is SpaceKind.PIXELS else DEFAULT_STEPS_DATA_SPACE
    return replace(method, config=in_steps(method.config, steps))


def _default_integrator(spec: Spec) -> Integrator:
    if spec.space.kind is SpaceKind.PIXELS and is_separable_pair(spec):
        return Verlet()
    if spec.space.kind is SpaceKind.PIXELS and any(e.order == 2 for e in spec.equations):
        return Leapfrog()
    return Fixed(method=EULER)


def effective_integrator(spec: Spec) -> Integrator:
    """A normal form of the integrator: as many steps as the network has residual blocks is the default."""
    method = integrator_of(spec).config
    nets = [w.net.config for w in spec.learned if w.net and isinstance(w.type, Vector)]
    counted = any(
        method == Fixed(method=EULER, steps=count_residual_blocks(net))
        for net in nets
        if not isinstance(net, Mlp | Torch)
    )
    return Fixed(method=EULER, steps=DEFAULT_STEPS_DATA_SPACE) if counted else method


def operator_samples(spec: Spec) -> int:
    """The number of Monte Carlo paths of an evolution operator: `samples` if the spec sets it. For class probabilities
    `samples` is the number of noise samples of the network, and is used here only if it differs from its default."""
    method = spec.realize.diffusion
    if method is None or not isinstance(method.config, SampledDiffusion):
        return OPERATOR_SAMPLES
    default = method.config.signature()["samples"].default
    is_set = method.config.samples != default if _has_classes(spec) else method.sets("samples")
    return method.config.samples if is_set else OPERATOR_SAMPLES


def _has_classes(spec: Spec) -> bool:
    return any(isinstance(u.type, Simplex) for u in spec.unknowns)


def effective_diffusion(spec: Spec) -> Located[Diffusion] | None:
    """A normal form of the diffusion method: None if it is the same as the default."""
    method = spec.realize.diffusion
    if method is None:
        return None
    config = method.config
    if isinstance(config, SampledDiffusion) and not _has_classes(spec):
        config = replace(config, samples=operator_samples(spec))
    default = _default_diffusion(config, spec)
    return None if default is not None and config.effective == default.effective else replace(method, config=config)


def _default_diffusion(config: Diffusion, spec: Spec) -> Diffusion | None:
    """The default diffusion method: noise, if the diffusion is isotropic, or the same random residual."""
    samples = 1 if _has_classes(spec) else OPERATOR_SAMPLES
    match config:
        case Noise():
            return Noise(samples=samples) if all(_is_isotropic(e, spec) for e in spec.equations) else None
        case Dropout() | StochasticDepth() | ShakeShake():
            return type(config)(samples=samples)
        case ResidualPenalty() | HeatSmoothing() | RandomizedSmoothing():
            return None
        case _:
            assert_never(config)


def _is_isotropic(equation: Equation, spec: Spec) -> bool:
    """Whether the second derivatives of the unknown form a multiple of its Laplacian, or there are none."""
    right, coordinates = Add(*equation.rhs), spec.space.coordinates
    if not spec.space.explicit:
        laplacians = [
            c
            for c in atoms(right, Contraction)
            if _is_second_derivative(c.body, equation) and len(set(c.body.slots)) == 1
        ]
        return not any(
            _is_second_derivative(p, equation)
            for p in atoms(right.xreplace(dict.fromkeys(laplacians, S.Zero)), Partial)
        )
    second = {p.slots: right.coeff(p) for p in atoms(right, Partial) if _is_second_derivative(p, equation)}
    return not second or (set(second) == {(x, x) for x in coordinates} and len(set(second.values())) == 1)


def _is_second_derivative(expr: Expr, equation: Equation) -> bool:
    own = isinstance(expr, Partial) and isinstance(expr.body, Field) and expr.body.head == equation.unknown
    return own and len(expr.slots) == 2
