"""Candidates for the solution of a boundary value problem, ordered by a cost model.

The predicted CPU time of a method is that of one level with enough unknowns for a few correct digits: dense systems
cost m³, least squares r n², sparse direct solvers m^1.5. The number of points per axis follows from the smallest length
scale of the operator: the width ε/|b| or √(ε/|c|) of layers, and the wavelength 2π √(ε/|c|). A method that converges
slowly for the problem, as random features do for solutions that are not smooth, has a larger predicted time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, prod, sqrt
from typing import assert_never

from sympy import Abs, DiracDelta, Expr, Heaviside, Max, Min, Piecewise, sign

from pdedsl.ir.boundary import Face
from pdedsl.ir.plan import Candidate
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative, Residual
from pdedsl.ir.solver_plans import (
    MAX_LOW_DIMENSION,
    ChebyshevScheme,
    ElementsPlan,
    FiniteVolumeScheme,
    FourierScheme,
    GridPlan,
    GridScheme,
    InterfaceFVScheme,
    MonteCarloPlan,
    OdeScheme,
    PinnPlan,
    RandomFeaturesPlan,
    SeparableOperator,
    ShortleyWellerScheme,
    SolverPlan,
)

NONSMOOTH = (Abs, DiracDelta, Heaviside, Max, Min, Piecewise, sign)
MAX_FEATURE_COORDINATES = 8  # random features cannot cover more dimensions
FLOPS = 3e10  # per second, of dense factorizations on one core
EIGENSYSTEM_OPERATIONS = 25.0  # times n³, of a matrix that is not symmetric (Golub, Van Loan 2013, 7.5.6)
SPARSE_SECONDS = 2e-7  # per unknown^1.5, of a sparse direct solver
POINTS_PER_RADIAN = 1.0  # of a wave, for a few correct digits: π points per wavelength, and some more for the ends
LAYER_POINTS = 8.0  # points within a boundary layer, of which Chebyshev points have √(L/δ) per √(points)
BASE_POINTS = {1: 32, 2: 24, 3: 14}  # points per axis for a smooth solution, by the dimension of space
SECOND_ORDER_POINTS = 16.0  # points per axis of a method of second order, relative to a spectral method
NEWTON_ITERATIONS = 10  # typical, with damping
ELEMENTS_SECONDS = 0.3  # of the first meshes
ESTIMATE_COST = 4.0  # of a solution with its residual error estimate, relative to the solution in second degree
ODE_SECONDS = 0.1  # of an adaptive integrator
IMPLICIT_STEPS = 60  # time steps of Radau IIA, with a new factorization in a third of them
SLOW_CONVERGENCE = 50.0  # factor on the predicted time of a method that is unlikely to reach the tolerance
PINN_SECONDS, MONTE_CARLO_SECONDS = 3000.0, 10000.0  # for four correct digits; Monte Carlo: at a few points
HIGH_DIMENSION_SECONDS = 30.0  # of Monte Carlo, whose convergence does not depend on the dimension


@dataclass(frozen=True)
class ProblemFeatures:
    """Properties of a problem on which the cost of methods depends."""

    problem: StrongForm
    has_incompatible_data: bool

    @cached_property
    def dimension(self) -> int:
        return len(self.problem.domain.space)

    @cached_property
    def is_smooth(self) -> bool:
        """Whether the data have no discontinuities or kinks, and the domain no reentrant corners."""
        problem = self.problem
        residuals = (*problem.equations, *(r for c in problem.conditions for r in c.residuals))
        kinks = any(r.expr.has(*NONSMOOTH) for r in residuals)
        parts = any(c.part for c in problem.scalar_conditions if isinstance(c.place, Face))
        return not (self.has_incompatible_data or kinks or parts)

    @cached_property
    def smallest_scale(self) -> float:
        """The smallest length scale of the operator relative to the domain, from coefficients at its center."""
        scales = (
            s
            for r in self.problem.equations
            for component in range(len(self.problem.components))
            for s in self._scales({d: a for d, a in _coefficients(r, self.problem).items() if d.component == component})
        )
        return min(scales, default=1.0)

    def _scales(self, coefficients: dict[Derivative, float]) -> Iterator[float]:
        """From the coefficients of the derivatives of one component."""
        lengths = [float(i.end - i.start) for i in self.problem.domain.intervals][: self.dimension]
        for axis, length in enumerate(lengths):
            orders = {
                d.orders[axis]: abs(a)
                for d, a in coefficients.items()
                if d.order == d.orders[axis] and a != 0 and isfinite(a)
            }
            highest = max(orders, default=0)
            for order, a in orders.items():
                if 0 <= order < highest:
                    scale: float = (orders[highest] / a) ** (1 / (highest - order))
                    yield scale / length

    @property
    def points(self) -> float:
        """Points per axis of a spectral method: Chebyshev points resolve layers of width δ with √(L/δ) of them."""
        base, scale = BASE_POINTS.get(self.dimension, inf), self.smallest_scale
        if self.is_wave:
            return base + POINTS_PER_RADIAN / scale
        return max(base, LAYER_POINTS / sqrt(scale))

    @property
    def is_wave(self) -> bool:
        """Whether solutions oscillate at the smallest scale: the coefficients of ∂²u and u have the same sign."""
        for r in self.problem.equations:
            coefficients = _coefficients(r, self.problem)
            values = [a for d, a in coefficients.items() if d.order == 0]
            second = [a for d, a in coefficients.items() if d.order == max(d.orders) == 2]
            if any(a * b > 0 for a in values for b in second):
                return True
        return False


def _coefficients(residual: Residual, problem: StrongForm) -> dict[Derivative, float]:
    """The coefficients of the derivatives that are numbers at the center of the domain, up to three dimensions."""
    domain = problem.domain
    if len(domain.space) > MAX_LOW_DIMENSION:
        return {}
    center = {x: (i.start + i.end) / 2 for x, i in zip(domain.coordinates, domain.intervals, strict=True)}
    values = {}
    for symbol, derivative in residual.jet_variables:
        value = residual.expr.diff(symbol).xreplace(center)
        if not value.free_symbols and value.is_number:
            values[derivative] = _as_float(value)
    return values


def _as_float(value: Expr) -> float:
    try:
        return float(value)
    except TypeError:  # complex or undefined at the center
        return 0.0


# ---- Cost model


def order_candidates(plans: Sequence[SolverPlan], features: ProblemFeatures) -> tuple[Candidate, ...]:
    """The plans by predicted CPU time, each with the reason for its place."""
    candidates = [Candidate(p, reason_for(p, features), predict_seconds(p, features)) for p in plans]
    return tuple(sorted(candidates, key=lambda c: c.seconds))


def predict_seconds(plan: SolverPlan, features: ProblemFeatures) -> float:
    """Predicted CPU time of a level with a few correct digits; infinite for a method that cannot converge."""
    problem = plan.problem
    nonlinear = 1 if problem.is_affine else NEWTON_ITERATIONS
    match plan:
        case GridPlan(scheme=scheme):
            return _predict_grid_seconds(scheme, problem, features) * (1 if scheme_suits(scheme, features) else 10)
        case RandomFeaturesPlan(max_features=n, n_features=first):
            columns = len(problem.components) * max(n, first)
            fits = (6 if plan.is_low_dimensional else 3) * nonlinear
            seconds = fits * 3 * columns**3 / FLOPS
            suited = (
                features.is_smooth
                and not problem.domain.inequalities
                and features.points < 2 * BASE_POINTS.get(features.dimension, inf)
            )
            many = len(problem.domain.coordinates) > MAX_FEATURE_COORDINATES
            return seconds * (1 if suited else SLOW_CONVERGENCE) * (SLOW_CONVERGENCE if many else 1)
        case ElementsPlan():
            unknowns = len(problem.components) * (4 * features.points) ** features.dimension
            solves = IMPLICIT_STEPS if problem.domain.has_time else nonlinear
            return ELEMENTS_SECONDS + ESTIMATE_COST * solves * SPARSE_SECONDS * float(unknowns**1.5)
        case PinnPlan():
            return PINN_SECONDS
        case MonteCarloPlan():
            high = len(problem.domain.coordinates) > MAX_FEATURE_COORDINATES
            return HIGH_DIMENSION_SECONDS if high else MONTE_CARLO_SECONDS
        case _:
            assert_never(plan)


def scheme_suits(scheme: GridScheme, features: ProblemFeatures) -> bool:
    """Whether a scheme has its full order: spectral methods need smooth solutions."""
    if isinstance(scheme, FourierScheme | ChebyshevScheme):
        return features.is_smooth
    return True


def _predict_grid_seconds(scheme: GridScheme, problem: StrongForm, features: ProblemFeatures) -> float:
    nonlinear, points, dimension = 1 if problem.is_affine else NEWTON_ITERATIONS, features.points, features.dimension
    unknowns = len(problem.components) * points**dimension
    match scheme:
        case FourierScheme():
            return 1e-6 * unknowns * (IMPLICIT_STEPS * points if problem.domain.has_time else 1)
        case ChebyshevScheme(separable=SeparableOperator()):
            return dimension * EIGENSYSTEM_OPERATIONS * points**3 / FLOPS
        case ChebyshevScheme(breaks=breaks) if any(breaks):
            pieces = prod((len(b) + 1) * BASE_POINTS[dimension] for b in breaks)
            solve = (len(problem.components) * pieces) ** 3 / FLOPS
            return solve * (IMPLICIT_STEPS * 3 if problem.domain.has_time else nonlinear)
        case ChebyshevScheme() | InterfaceFVScheme():
            solve = unknowns**3 / FLOPS
            return solve * (IMPLICIT_STEPS * 3 if problem.domain.has_time else nonlinear)
        case FiniteVolumeScheme():
            return 0.3 * 10.0 ** (dimension - 1)
        case OdeScheme():
            return ODE_SECONDS
        case ShortleyWellerScheme():
            seconds: float = SPARSE_SECONDS * (SECOND_ORDER_POINTS * points) ** (1.5 * dimension)
            return seconds
        case _:
            assert_never(scheme)


def reason_for(plan: SolverPlan, features: ProblemFeatures) -> str:
    problem = plan.problem
    linear = "linear" if problem.is_affine else "nonlinear"
    match plan:
        case GridPlan(scheme=scheme):
            return _scheme_reason(scheme, features, linear)
        case RandomFeaturesPlan():
            systems = "a single linear least-squares problem" if problem.is_affine else "Gauss-Newton least squares"
            return f"{linear} problem, {systems} without a grid"
        case ElementsPlan():
            return f"{linear} problem in weak form: finite elements, refined where the residual is large"
        case PinnPlan():
            return "a physics-informed neural network applies to any equation, but converges slowly"
        case MonteCarloPlan():
            return "the convergence rate of Monte Carlo, ½, does not depend on the dimension"
        case _:
            assert_never(plan)


def _scheme_reason(scheme: GridScheme, features: ProblemFeatures, linear: str) -> str:
    smooth = "smooth data" if features.is_smooth else "the solution is not smooth, so that convergence is algebraic"
    match scheme:
        case FourierScheme():
            reflected = any(axis.reflected for axis in scheme.axes)
            axes = "periodic extension across the boundary" if reflected else "periodic axes"
            return f"{linear} problem with {axes}, {smooth}: a Fourier spectral method"
        case OdeScheme():
            return "ordinary differential equations: an adaptive integrator"
        case ChebyshevScheme():
            time = ", Radau IIA in time" if features.problem.domain.has_time else ""
            pieces = " on pieces next to layers" * any(scheme.breaks)
            return f"{linear} problem on a box, {smooth}: Chebyshev collocation{pieces}{time}"
        case InterfaceFVScheme():
            return "discontinuous coefficients: a conservative finite-volume scheme"
        case FiniteVolumeScheme():
            return "conservation law, whose solutions may have shocks: a finite-volume scheme"
        case ShortleyWellerScheme():
            return "curved boundary: finite differences of second order"
        case _:
            assert_never(scheme)
