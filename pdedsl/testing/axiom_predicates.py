"""Predicates for the axioms: whether a case violates an axiom for an operator.

Axioms that hold exactly under common random numbers are tested up to rounding, the others up to `SIGMAS` standard
errors.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, pairwise
from math import pi

import torch
from torch import Tensor

from pdedsl.ir.verdicts import Axiom
from pdedsl.testing.operators import Data, NetworkAsOperator, SolutionOperator, seeded
from pdedsl.testing.strategies import AxiomCase, Bump, FlatFunction

ROUNDING = 1e-9  # relative; rounding errors of a deep network in double precision
SIGMAS = 6.0  # one false positive in 5e8 comparisons of a normal variable
INTEGRATION_RADIUS = 6.0  # half the edge of the box of integrals
MESH_WIDTH = 0.5  # error of the trapezoidal rule for exp(-x²): 2 exp(-(π/0.5)²) = 1e-17 of the integral
MASS_RTOL = 0.05  # Euler steps change volumes by O(h²)
MAX_INTEGRATION_DIMENSION = 2  # of integrals on a tensor grid


def points_of(case: AxiomCase, operator: SolutionOperator | NetworkAsOperator) -> Tensor:
    """The point of a case; for networks on images, a random input from its seed."""
    if isinstance(operator, NetworkAsOperator):
        with seeded(case.weights + 1000):
            return torch.rand(1, *operator.shape, dtype=torch.float64)
    return case.position(operator.dimension)


def _time(case: AxiomCase, operator: SolutionOperator | NetworkAsOperator) -> float:
    return operator.start + case.time_fraction * (operator.end - operator.start)


def _differ(a: Tensor, b: Tensor, scale: float = 1.0) -> bool:
    """Whether two tensors differ by more than rounding; NaN differs from every value."""
    return not bool(((a - b).abs() <= ROUNDING * (scale + a.abs() + b.abs())).all())


def _evaluate_along_same_paths(
    operator: SolutionOperator | NetworkAsOperator, t: float, *pairs: tuple[Data, Tensor]
) -> list[Tensor]:
    """T f at x for several pairs (f, x) along the same paths: an operator uses the same noise at all points. The values
    to compare come from two calls, so that a non-deterministic operator is detected."""
    if isinstance(operator, NetworkAsOperator):
        return [operator(f, x, t) for f, x in pairs]
    ends = [0, *accumulate(len(x) for _, x in pairs)]
    parts = [slice(*bounds) for bounds in pairwise(ends)]

    def data(y: Tensor) -> Tensor:
        return torch.cat([f(y[..., part, :]) for (f, _), part in zip(pairs, parts, strict=True)], -1)

    values = operator(data, torch.cat([x for _, x in pairs]), t)
    return [values[part] for part in parts]


# ---- Exact under common random numbers


def violates_linearity(operator: SolutionOperator | NetworkAsOperator, case: AxiomCase) -> bool:
    x, t = points_of(case, operator), _time(case, operator)
    both = operator(lambda y: case.alpha * case.f(y) + case.beta * case.g(y), x, t)
    first, second = _evaluate_along_same_paths(operator, t, (case.f, x), (case.g, x))
    return _differ(both, case.alpha * first + case.beta * second, 10.0)


def violates_constants(operator: SolutionOperator | NetworkAsOperator, case: AxiomCase) -> bool:
    x, t = points_of(case, operator), _time(case, operator)
    constant = case.f.base
    return _differ(operator(lambda y: torch.full_like(y[..., 0], constant), x, t), torch.tensor(constant).double())


def violates_comparison(operator: SolutionOperator | NetworkAsOperator, case: AxiomCase) -> bool:
    """f ≤ f + bump."""
    x, t = points_of(case, operator), _time(case, operator)
    lower, upper = operator(case.f, x, t), operator(lambda y: case.f(y) + case.bump(y), x, t)
    return not bool((lower <= upper + ROUNDING * (1.0 + lower.abs())).all())


def violates_maximum_principle(operator: SolutionOperator | NetworkAsOperator, case: AxiomCase) -> bool:
    """min f ≤ T f ≤ max f, with the bounds base ± Σ|a| of a sum of cosines."""
    x, t = points_of(case, operator), _time(case, operator)
    height, value = sum(abs(a) for a, _, _ in case.f.terms), operator(case.f, x, t)
    return not bool(((value - case.f.base).abs() <= height + ROUNDING * (1.0 + abs(case.f.base) + height)).all())


# ---- Statistical


def violates_markov(operator: SolutionOperator, case: AxiomCase) -> bool:
    """T over the time interval, compared with the composition of T over its two halves."""
    x, end = points_of(case, operator), _time(case, operator)
    middle = 0.5 * (operator.start + end)
    whole, error = operator.estimate(case.f, x, operator.start, end)

    def inner(y: Tensor) -> Tensor:
        flat = y.reshape(-1, y.shape[-1])
        return operator(case.f, flat, middle).reshape(y.shape[:-1])

    parts = operator.between(inner, x, middle, end)
    waves = torch.tensor(sum(abs(a) for a, _, _ in case.f.terms))
    scale = torch.maximum(waves, (whole - case.f.base).abs())  # with a source, u can exceed its data
    noise = torch.hypot(error, operator.estimate(case.f, x, operator.start, middle).standard_error)
    steps = 0.02 * scale * (end - operator.start)  # the steps of the two may differ
    return not bool(((whole - parts).abs() <= SIGMAS * noise + steps + ROUNDING).all())


def violates_locality(operator: SolutionOperator, case: AxiomCase) -> bool:
    """f and f + flat agree to all orders at x, so T f - T(f + flat) must be o(h)."""
    x = points_of(case, operator)
    flat = FlatFunction(case.bump.height, tuple(x[0].tolist()))
    length = operator.end - operator.start
    ratios = []
    for h in (1e-2 * length, 1e-3 * length):
        a, b = _evaluate_along_same_paths(
            operator, operator.start + h, (case.f, x), ((lambda y: case.f(y) + flat(y)), x)
        )
        ratios.append(float((a - b).abs().max()) / h)
    return not (ratios[1] <= 1e-3 * case.bump.height or ratios[1] <= 0.5 * ratios[0])


def violates_spatial_regularity(operator: SolutionOperator, case: AxiomCase) -> bool:
    """‖T(f(· + h)) - T f(· + h)‖ / h must stay bounded as h → 0."""
    x, t = points_of(case, operator), _time(case, operator)
    steps = (1e-1, 1e-3)
    moved = _evaluate_along_same_paths(operator, t, *((lambda y, h=h: case.f(y + h), x) for h in steps))
    shifted = _evaluate_along_same_paths(operator, t, *((case.f, x + h) for h in steps))
    ratios = [float((a - b).abs().max()) / h for a, b, h in zip(moved, shifted, steps, strict=True)]
    return not ratios[1] <= 20.0 * (ratios[0] + 1.0)


def violates_temporal_regularity(operator: SolutionOperator, case: AxiomCase) -> bool:
    """‖T f - f‖ / s must stay bounded as s → 0, up to the error of sampling."""
    x = points_of(case, operator)
    length = operator.end - operator.start
    ratios = []
    for s in (1e-1 * length, 1e-3 * length):
        observed, error = operator.estimate(case.f, x, operator.start, operator.start + s)
        free = ((observed - case.f(x)).abs() - SIGMAS * error).clamp_min(0)
        ratios.append(float(free.max()) / s)
    return not ratios[1] <= 20.0 * (ratios[0] + 1.0)


def violates_conservation(operator: SolutionOperator, case: AxiomCase) -> bool:
    """∫ T f dx = ∫ f dx for a bump f, by the trapezoidal rule, which converges to all orders for decaying functions.

    An Euler step along a divergence-free field changes volumes by O(h²), hence the tolerance.
    """
    d, t = operator.dimension, _time(case, operator)
    bump = Bump(case.bump.height, (*case.bump.centre, *[0.0] * d)[:d], 1.0)
    axis = torch.arange(-INTEGRATION_RADIUS, INTEGRATION_RADIUS + MESH_WIDTH / 2, MESH_WIDTH, dtype=torch.float64)
    grid = torch.cartesian_prod(*[axis] * d).reshape(-1, d)
    observed, mass = float(operator(bump, grid, t).sum()) * MESH_WIDTH**d, bump.height * pi ** (d / 2)
    return not abs(observed - mass) <= MASS_RTOL * mass


EXACT_CHECKS: dict[Axiom, Callable[[SolutionOperator | NetworkAsOperator, AxiomCase], bool]] = {
    Axiom.LINEARITY: violates_linearity,
    Axiom.CONSTANTS: violates_constants,
    Axiom.COMPARISON: violates_comparison,
    Axiom.MAXIMUM_PRINCIPLE: violates_maximum_principle,
}
STATISTICAL_CHECKS: dict[Axiom, Callable[[SolutionOperator, AxiomCase], bool]] = {
    Axiom.MARKOV: violates_markov,
    Axiom.LOCALITY: violates_locality,
    Axiom.SPATIAL_REGULARITY: violates_spatial_regularity,
    Axiom.TEMPORAL_REGULARITY: violates_temporal_regularity,
    Axiom.CONSERVATION: violates_conservation,
}
