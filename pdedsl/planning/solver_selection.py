"""Choice of the solver for a boundary value problem, and of the discretization on a grid.

The spec names a solver or the recommended one is taken. A method in a plan can solve its problem: all obstacles are
errors here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import assert_never

from sympy import Expr, Symbol

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.blocks import TrainBlock
from pdedsl.config.methods import Grid, MonteCarlo, Pinn, RandomFeatures, Solver
from pdedsl.config.networks import Mlp
from pdedsl.config.training import Lbfgs, Optimizer
from pdedsl.diagnostics import PdeError, Span
from pdedsl.ir.ansatz import HardConstraints
from pdedsl.ir.first_order_system import FirstOrderSystem
from pdedsl.ir.parameters import is_of_coordinates, learned_functions, with_parameter_symbols
from pdedsl.ir.plan import Alternative, SolvePlan
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Residual
from pdedsl.ir.spec import Spec
from pdedsl.planning.unused_options import require_used_on_domain
from pdedsl.problem import diffusion_process
from pdedsl.problem.ansatz import ansatz_of, has_incompatible_data
from pdedsl.problem.capabilities import ANTIPERIODIC_GRID, JUMP_GRID, SEVERAL_ANTIPERIODIC_AXES
from pdedsl.problem.conservation_form import conservation_form, dirichlet_value, is_hyperbolic
from pdedsl.problem.first_order_system import GridNotApplicable, first_order_system
from pdedsl.problem.interface_problem import has_discontinuous_diffusion, interface_problem
from pdedsl.problem.irregular_domain import irregular_dirichlet_problem
from pdedsl.problem.periodicity import has_periodic_residuals, periodic_axes, split_linear, subtract_lifts
from pdedsl.problem.symmetry import reflection_symmetry
from pdedsl.symbolic.evaluate import unsupported
from pdedsl.symbolic.symbols import Field, Partial

# ---- Grid schemes


MAX_GRID_DIMENSIONS = 3


class Scheme(StrEnum):
    """A discretization on a grid, with the reason for it."""

    FOURIER = "Fourier spectral method: periodic (or periodically extended) axes, constant leading coefficients"
    VOLUMES = "finite volumes with a slope limiter: a conservation law, whose solutions may have shocks"
    LAYERS = "finite volumes: discontinuous diffusivity with continuous flux"
    SHAPE = "Shortley-Weller finite differences on an irregular domain"
    COLLOCATION = "Chebyshev collocation: a box with boundary conditions"


@lru_cache(maxsize=4)  # called several times per plan
def grid_scheme(problem: StrongForm) -> Scheme | str:
    """A scheme, or the reason why no grid scheme applies."""
    try:
        return select_grid_scheme(problem)
    except GridNotApplicable as reason:
        return str(reason)


def select_grid_scheme(problem: StrongForm) -> Scheme:
    """A scheme; raises GridNotApplicable with the reason if there is none."""
    domain = problem.domain
    if len(domain.space) > MAX_GRID_DIMENSIONS:
        raise GridNotApplicable(f"grids are limited to {MAX_GRID_DIMENSIONS} space dimensions")
    if any(problem.lifts):
        return _scheme_without_lifts(problem)
    if domain.inequalities:
        irregular_dirichlet_problem(problem)
        return Scheme.SHAPE
    system = first_order_system(problem)
    if problem.antiperiodic_axes and (has_discontinuous_diffusion(system) or is_hyperbolic(system)):
        raise GridNotApplicable(ANTIPERIODIC_GRID)
    if has_discontinuous_diffusion(system):
        interface_problem(system)
        return Scheme.LAYERS
    if is_hyperbolic(system):
        return _require_finite_volumes(system)
    if periodic_axes(system) is not None and _has_dominant_linear_part(system):
        return Scheme.FOURIER
    if problem.antiperiodic_axes:
        raise GridNotApplicable(ANTIPERIODIC_GRID)
    if len(system.constraints) != len(system.algebraic):
        raise GridNotApplicable("the numbers of equations and unknowns differ")
    return Scheme.COLLOCATION


def _scheme_without_lifts(problem: StrongForm) -> Scheme:
    periodic = subtract_lifts(problem)
    if not has_periodic_residuals(periodic):
        raise GridNotApplicable("with a jump c between periodic faces, equation and data must be invariant under u + c")
    scheme = select_grid_scheme(periodic)
    if scheme not in (Scheme.FOURIER, Scheme.COLLOCATION):
        raise GridNotApplicable(JUMP_GRID)
    return scheme


def _require_finite_volumes(system: FirstOrderSystem) -> Scheme:
    if system.backward:
        raise GridNotApplicable("a conservation law with shocks cannot be solved backward in time")
    conservation_form(system)
    for condition in system.face_conditions:
        dirichlet_value(condition)
    return Scheme.VOLUMES


def _has_dominant_linear_part(system: FirstOrderSystem) -> bool:
    """Whether all but the linear terms with constant coefficients are of lower order than these, or of first order."""
    exprs = (*system.rhs, *system.constraints)
    linear = split_linear(system, exprs)
    if not system.differential:
        return not system.jets_in(*linear.remainders)
    if any(r != 0 for r in linear.remainders[len(system.rhs) :]):
        return False
    if system.algebraic and not _determines_algebraic_variables(system, linear.remainders):
        return False
    most = max((system.jet_derivatives[s].order for _, s, _ in linear.parts), default=0)
    return all(_order(system, r) <= max(1, most - 1) for r in linear.remainders)


def _determines_algebraic_variables(system: FirstOrderSystem, remainders: tuple[Expr, ...]) -> bool:
    """Whether the constraints contain still variables, or only the linear part does."""
    algebraic = set(system.algebraic)
    spoken = any(d.component in algebraic for _, d in system.jets_in(*system.constraints))
    return spoken or not any(d.component in algebraic for _, d in system.jets_in(*remainders))


def _order(system: FirstOrderSystem, expr: Expr) -> int:
    return max((d.order for _, d in system.jets_in(expr)), default=0)


# ---- Plan


GIVEN = "specified by `realize equation`"
DEFAULT_NETWORK = Mlp(width=20, depth=3)
MAX_GRID_POINTS = 1 << 21  # 128 per dimension in three dimensions


def plan_solve(problem: StrongForm, spec: Spec) -> SolvePlan:
    require_used_on_domain(spec)
    _require_learnable(problem)
    require_computable(problem)
    chosen = spec.realize.equation
    choice = SolverChoice(chosen.config, GIVEN) if chosen is not None else recommend_solver(problem, spec)
    error = find_obstacle(choice.method, problem, chosen.span if chosen is not None else spec.space.span)
    if error is not None:
        raise error if chosen is not None else error.without_fixes()  # the fixes replace a method in the spec
    others = tuple(_alternative(m, problem) for m in METHODS if type(m) is not type(choice.method))
    reference = spec.evaluate.reference if spec.evaluate else None
    if reference is not None:
        require_reference(reference, problem)
    train = spec.train
    optimizers = tuple(o.config for o in train.optimizer) if train and train.says("optimizer") else ()
    if chosen is not None and chosen.says("steps") and isinstance(choice.method, Pinn):
        _require_steps(chosen, train, optimizers)
    probed = isinstance(choice.method, Pinn) and choice.method.probes is not None
    if probed and chosen is not None and (not optimizers or any(isinstance(o, Lbfgs) for o in optimizers)):
        raise errors.methods.probes_with_deterministic_optimizer(chosen.span)
    return SolvePlan(
        problem,
        choice.method,
        choice.reason,
        others,
        network_of(spec) or DEFAULT_NETWORK,
        _hard_constraints(problem),
        reference.config if reference else None,
        optimizers,
        train.steps if train else None,
        _ansatz_text(problem) if isinstance(choice.method, Pinn) else (),
    )


def _require_steps(chosen: Located[Solver], train: TrainBlock | None, optimizers: tuple[Optimizer, ...]) -> None:
    """Refuses `steps` of the method if the `train` block, or L-BFGS alone, already says how many."""
    if train is not None and train.steps is not None:
        raise errors.methods.unused_argument("steps", "train { steps } says how many", chosen.span)
    if optimizers and all(isinstance(o, Lbfgs) for o in optimizers):
        raise errors.methods.unused_argument("steps", "lbfgs(steps) says how many", chosen.span)


def network_of(spec: Spec) -> Mlp | None:
    """The network for all unknowns: the first that is named, if any."""
    for unknown in spec.unknowns:
        if unknown.net is not None:
            if not isinstance(unknown.net.config, Mlp):
                raise errors.networks.needs_images(unknown.net.config.name, unknown.net.span, unknown.net.span)
            return unknown.net.config
    return None


def _require_learnable(problem: StrongForm) -> None:
    """Requires learned functions to be scalar functions of coordinates, given by networks on points."""
    for p in problem.parameters:
        if p.params and not is_of_coordinates(p, problem):
            raise errors.methods.invalid_learned_function(p.name, p.span)
        if p.params and p.net is not None and not isinstance(p.net.config, Mlp):
            raise errors.networks.needs_images(p.net.config.name, p.net.span, p.net.span)


def _hard_constraints(problem: StrongForm) -> HardConstraints:
    symmetry = reflection_symmetry(problem)
    parts = tuple((a.base, a.factor) for a in ansatz_of(with_parameter_symbols(problem)))
    return HardConstraints(parts, None if symmetry is None else symmetry.arguments)


def _ansatz_text(problem: StrongForm) -> tuple[str, ...]:
    built, symmetry = ansatz_of(with_parameter_symbols(problem)), reflection_symmetry(problem)
    texts = (a.text(c.name) for a, c in zip(built, problem.components, strict=True))
    return (*texts, *(() if symmetry is None else (symmetry.text(problem),)))


# ---- Recommended solver


METHODS: tuple[Solver, ...] = (RandomFeatures(), Pinn(), Grid(), MonteCarlo())


@dataclass(frozen=True)
class SolverChoice:
    """A solver and the reason for the choice."""

    method: Solver
    reason: str


MAX_FEATURE_COORDINATES = 8  # random features cannot cover more dimensions
DEFAULT_GRID_POINTS = {1: 256, 2: 96, 3: 32}  # points per dimension, by the dimension of space
FLOW_GRID_POINTS = 24  # points per dimension for a stationary flow: velocity and pressure are solved for together
MIN_MONTE_CARLO_COORDINATES = 20  # above this number of coordinates only Monte Carlo is cheap


def recommend_solver(problem: StrongForm, spec: Spec) -> SolverChoice:
    """The default solver for a problem."""
    size, span = len(problem.domain.coordinates), spec.space.span
    grid = Grid(n=DEFAULT_GRID_POINTS.get(len(problem.domain.space), Grid.n))
    if is_inverse_problem(problem):
        return SolverChoice(Pinn(), "inverse problem: parameters are trained together with the network")
    if any(r.has_dirac for r in problem.equations):
        return SolverChoice(grid, "discontinuous coefficients: a conservative finite-volume scheme")
    if has_incompatible_data(with_parameter_symbols(problem)) and find_obstacle(grid, problem, span) is None:
        return SolverChoice(
            grid, "initial data are discontinuous or incompatible with the boundary data: the solution is not smooth"
        )
    if network_of(spec) is not None or (spec.train is not None and spec.train.says("optimizer")):
        return SolverChoice(Pinn(), "the spec names a network or an optimizer")
    if not problem.is_affine and problem.defined_up_to_constant and grid_scheme(problem) is Scheme.COLLOCATION:
        return SolverChoice(
            Grid(n=FLOW_GRID_POINTS), "nonlinear flow with pressure: one collocation system for all unknowns"
        )
    reason = _reason_for_grid(grid_scheme(problem), problem.is_affine)
    if reason is not None:
        return SolverChoice(grid, reason)
    if size > MIN_MONTE_CARLO_COORDINATES and find_obstacle(MonteCarlo(), problem, span) is None:
        reason = f"{size} coordinates: the convergence rate of Monte Carlo does not depend on the dimension"
        return SolverChoice(MonteCarlo(), reason)
    if problem.is_affine and size <= MAX_FEATURE_COORDINATES:
        reason = "linear problem: a single linear least-squares problem"
        return SolverChoice(RandomFeatures(), reason)
    why = f"{size} coordinates are too many for random features" if problem.is_affine else "nonlinear problem"
    return SolverChoice(Pinn(), f"{why}: a physics-informed neural network")


def _reason_for_grid(scheme: Scheme | str, linear: bool) -> str | None:
    """Why a grid is more accurate and faster than a network; None if it is not."""
    if scheme is Scheme.VOLUMES:
        return "conservation law, whose solutions may have shocks: a finite-volume scheme"
    if scheme is Scheme.FOURIER and not linear:
        return "nonlinear problem with periodic axes: a Fourier spectral method"
    return None


def is_inverse_problem(problem: StrongForm) -> bool:
    return bool(problem.parameters or problem.measurements)


def find_obstacle(method: Solver, problem: StrongForm, span: Span) -> PdeError | None:
    """Why a method does not apply to a problem; None if it does."""
    if not isinstance(method, Grid) and any(r.has_dirac for r in problem.equations):
        return errors.methods.discontinuous_coefficient(span)
    match method:
        case RandomFeatures():
            return errors.methods.function_by_random_features(span) if learned_functions(problem) else None
        case Pinn() if len(problem.antiperiodic_axes) > 1:
            return errors.methods.pinn_not_applicable(SEVERAL_ANTIPERIODIC_AXES, span)
        case Pinn(probes=probes):
            unsuited = probes is not None and not all(map(_allows_hutchinson_estimate, problem.equations))
            return errors.methods.probes_not_applicable(span) if unsuited else None
        case Grid():
            return _grid_obstacle(method, problem, span)
        case MonteCarlo():
            if is_inverse_problem(problem):
                return errors.methods.learned_by_monte_carlo(span)
            error = diffusion_process.obstacle(problem)
            return error and errors.methods.with_other_solver(error, span)
        case _:
            assert_never(method)


def _allows_hutchinson_estimate(residual: Residual) -> bool:
    """Whether all derivatives are pure, of order at most two, of one component, with coefficients independent of it."""
    jet = {s for s, _ in residual.jet_variables}
    derived = [(s, d) for s, d in residual.jet_variables if d.order]
    known = all(not residual.expr.diff(s).free_symbols & jet for s, _ in derived)
    return (
        known and len({d.component for _, d in derived}) == 1 and all(max(d.orders) == d.order <= 2 for _, d in derived)
    )


def require_reference(reference: Located[Grid], problem: StrongForm) -> None:
    """Requires that the reference grid of an `evaluate` block applies to the problem."""
    error = find_obstacle(reference.config, problem, reference.span)
    if error is not None:
        raise errors.methods.reference_not_applicable(error.diagnostics[0].message, reference.span)


def _grid_obstacle(method: Grid, problem: StrongForm, span: Span) -> PdeError | None:
    if is_inverse_problem(problem):
        return errors.methods.grid_not_applicable("grids solve forward problems only", span)
    if method.extent is not None:
        return errors.methods.grid_not_applicable("`extent` is for problems on R^d", span)
    scheme = grid_scheme(problem)
    if not isinstance(scheme, Scheme):
        return errors.methods.grid_not_applicable(scheme, span)
    if method.n ** len(problem.domain.space) > MAX_GRID_POINTS:
        return errors.methods.grid_not_applicable(f"more than {MAX_GRID_POINTS:,} grid points", span)
    return None


def _alternative(method: Solver, problem: StrongForm) -> Alternative:
    error = find_obstacle(method, problem, problem.equations[0].span)
    return Alternative(method, error.diagnostics[0].message if error else "")


# ---- Computable residuals


def require_computable(problem: StrongForm) -> None:
    """Requires torch functions and finite numbers in all residuals; only finite volumes accept Dirac deltas."""
    conditions = (r for c in problem.conditions for r in c.residuals)
    interface = grid_scheme(problem) in (Scheme.LAYERS, Scheme.VOLUMES)
    for residual in (*problem.equations, *conditions):
        reason = None if interface and residual.has_dirac else unsupported(residual.expr, _residual_leaf)
        if reason is not None:
            raise errors.networks.not_computable(reason, residual.span)


def _residual_leaf(e: Expr) -> str | None:
    return "" if isinstance(e, Symbol | Field) or (isinstance(e, Partial) and isinstance(e.body, Field)) else None
