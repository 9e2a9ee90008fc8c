"""Which grid scheme fits a statement, or why none does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import isfinite
from typing import assert_never

from sympy import Add, DiracDelta, Expr, Mul, Pow, Symbol

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.blocks import TrainBlock
from pdedsl.config.methods import Grid, MonteCarlo, Pinn, RandomFeatures, Solver
from pdedsl.config.networks import Mlp
from pdedsl.config.training import Lbfgs, Optimizer
from pdedsl.diagnostics import PdeError, Span
from pdedsl.ir.plan import Alternative, HardConstraints, SolvePlan
from pdedsl.ir.problem import Residual, StrongForm
from pdedsl.ir.spec import Spec
from pdedsl.numerics.functions import NARY_FUNCTIONS, UNARY_FUNCTIONS
from pdedsl.planning.unused_options import require_used_on_domain
from pdedsl.problem import diffusion_process
from pdedsl.problem.ansatz import ansatz_of, has_incompatible_data
from pdedsl.problem.conservation_form import conservation_form, dirichlet_value, is_hyperbolic
from pdedsl.problem.first_order_system import FirstOrderSystem, GridNotApplicable, first_order_system
from pdedsl.problem.interface_problem import has_discontinuous_diffusion, interface_problem
from pdedsl.problem.irregular_domain import irregular_dirichlet_problem
from pdedsl.problem.parameters import is_of_coordinates, learned_functions, with_parameter_symbols
from pdedsl.problem.periodicity import periodic_axes, split_linear
from pdedsl.problem.symmetry import reflection_symmetry
from pdedsl.symbolic.symbols import Field, Partial

# ---- grids


MAX_GRID_DIMENSIONS = 3


class Scheme(StrEnum):
    """A grid scheme, with the reason for it."""

    FOURIER = "a Fourier series: no axis has sides of its own, and the highest derivatives have constant coefficients"
    VOLUMES = "finite volumes with a limiter: a conservation law, whose solutions may jump"
    LAYERS = "finite volumes: conductivities that jump, and one flux from cell to cell"
    SHAPE = "differences that end on the boundary of the shape (Shortley and Weller)"
    COLLOCATION = "collocation at Chebyshev points: a box whose sides have conditions"


@lru_cache(maxsize=4)  # asked several times for each plan
def grid_scheme(statement: StrongForm) -> Scheme | str:
    """A scheme, or a phrase that says why no grid solves the statement."""
    try:
        return select_grid_scheme(statement)
    except GridNotApplicable as reason:
        return str(reason)


def select_grid_scheme(statement: StrongForm) -> Scheme:
    """A scheme; raises NoGrid with the reason if there is none."""
    domain = statement.domain
    if len(domain.space) > MAX_GRID_DIMENSIONS:
        raise GridNotApplicable(f"a grid has at most {MAX_GRID_DIMENSIONS} dimensions of space")
    if domain.inequalities:
        irregular_dirichlet_problem(statement)
        return Scheme.SHAPE
    system = first_order_system(statement)
    if has_discontinuous_diffusion(system):
        interface_problem(system)
        return Scheme.LAYERS
    if is_hyperbolic(system):
        return _require_finite_volumes(system)
    if periodic_axes(system) is not None and _has_dominant_linear_part(system):
        return Scheme.FOURIER
    if len(system.constraints) != len(system.algebraic):
        raise GridNotApplicable("there are not as many equations as unknowns")
    return Scheme.COLLOCATION


def _require_finite_volumes(system: FirstOrderSystem) -> Scheme:
    if system.backward:
        raise GridNotApplicable("a conservation law with shocks does not run backward")
    conservation_form(system)
    for side in system.face_conditions:
        dirichlet_value(system, side)
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


# ---- solving
# Statement → the method that solves it: the one in the spec, or the recommended one, with its reason.
#
# All refusals are made here: a method named in a plan can solve its statement.


GIVEN = "as the spec says"
DEFAULT = Mlp(width=20, depth=3)
MAX_GRID_POINTS = 1 << 21  # of a grid: 128 per side in three dimensions


def plan_solve(statement: StrongForm, spec: Spec) -> SolvePlan:
    require_used_on_domain(spec)
    _require_learnable(statement)
    require_computable(statement)
    asked = spec.realize.equation
    choice = SolverChoice(asked.word, GIVEN) if asked is not None else recommend_solver(statement, spec)
    refusal = find_obstacle(choice.method, statement, asked.span if asked is not None else spec.space.span)
    if refusal is not None:
        raise refusal if asked is not None else refusal.without_fixes()  # which stand for the method that is asked for
    others = tuple(_alternative(m, statement) for m in METHODS if type(m) is not type(choice.method))
    reference = spec.evaluate.reference if spec.evaluate else None
    if reference is not None:
        require_reference(reference, statement)
    train = spec.train
    optimizers = tuple(o.word for o in train.optimizer) if train and train.says("optimizer") else ()
    if asked is not None and asked.says("steps") and isinstance(choice.method, Pinn):
        _require_steps(asked, train, optimizers)
    probed = isinstance(choice.method, Pinn) and choice.method.probes is not None
    if probed and asked is not None and (not optimizers or any(isinstance(o, Lbfgs) for o in optimizers)):
        raise errors.methods.probes_with_deterministic_optimizer(asked.span)
    return SolvePlan(
        statement,
        choice.method,
        choice.reason,
        others,
        network_of(spec) or DEFAULT,
        _hard_constraints(statement),
        reference.word if reference else None,
        optimizers,
        train.steps if train else None,
        _ansatz_text(statement) if isinstance(choice.method, Pinn) else (),
    )


def _require_steps(asked: Located[Solver], train: TrainBlock | None, optimizers: tuple[Optimizer, ...]) -> None:
    """Refuses `steps` of the method if the `train` block, or L-BFGS alone, already says how many."""
    if train is not None and train.steps is not None:
        raise errors.methods.unused_argument("steps", "train { steps } says how many", asked.span)
    if optimizers and all(isinstance(o, Lbfgs) for o in optimizers):
        raise errors.methods.unused_argument("steps", "lbfgs(steps) says how many", asked.span)


def network_of(spec: Spec) -> Mlp | None:
    """The network for all unknowns: the first that is named, if any."""
    for unknown in spec.unknowns:
        if unknown.net is not None:
            if not isinstance(unknown.net.word, Mlp):
                raise errors.networks.needs_images(unknown.net.word.name, unknown.net.span, unknown.net.span)
            return unknown.net.word
    return None


def _require_learnable(statement: StrongForm) -> None:
    """Requires learned functions to be scalar functions of coordinates, given by networks on points."""
    for p in statement.parameters:
        if p.params and not is_of_coordinates(p, statement):
            raise errors.methods.invalid_learned_function(p.name, p.span)
        if p.params and p.net is not None and not isinstance(p.net.word, Mlp):
            raise errors.networks.needs_images(p.net.word.name, p.net.span, p.net.span)


def _hard_constraints(statement: StrongForm) -> HardConstraints:
    symmetry = reflection_symmetry(statement)
    parts = tuple((a.base, a.factor) for a in ansatz_of(with_parameter_symbols(statement)))
    return HardConstraints(parts, None if symmetry is None else (symmetry.axis, symmetry.signs))


def _ansatz_text(statement: StrongForm) -> tuple[str, ...]:
    built, symmetry = ansatz_of(with_parameter_symbols(statement)), reflection_symmetry(statement)
    texts = (a.text(c.name) for a, c in zip(built, statement.components, strict=True))
    return (*texts, *(() if symmetry is None else (symmetry.text(statement),)))


# ---- which method


METHODS: tuple[Solver, ...] = (RandomFeatures(), Pinn(), Grid(), MonteCarlo())


@dataclass(frozen=True)
class SolverChoice:
    """A method, and why it was chosen."""

    method: Solver
    reason: str


MAX_FEATURE_COORDINATES = 8  # coordinates up to which random features can cover a domain
DEFAULT_GRID_POINTS = {1: 256, 2: 96, 3: 32}  # points per side of a grid that is recommended, by the dimension of space
FLOW_GRID_POINTS = 24  # the same, for a flow between sides: its unknowns are solved for together
MIN_MONTE_CARLO_COORDINATES = 20  # coordinates above which only means over paths are cheap


def recommend_solver(statement: StrongForm, spec: Spec) -> SolverChoice:
    """The method recommended where the spec leaves it open."""
    size, span = len(statement.domain.coordinates), spec.space.span
    grid = Grid(n=DEFAULT_GRID_POINTS.get(len(statement.domain.space), Grid.n))
    if is_inverse_problem(statement):
        return SolverChoice(Pinn(), "something is learned beside the unknowns: a network is trained with it")
    if any(r.has_dirac for r in statement.equations):
        return SolverChoice(grid, "a coefficient jumps: what leaves a cell of the grid enters the next")
    if has_incompatible_data(with_parameter_symbols(statement)) and find_obstacle(grid, statement, span) is None:
        return SolverChoice(grid, "the data in time jump, or do not meet the sides: no smooth function satisfies them")
    if network_of(spec) is not None or (spec.train is not None and spec.train.says("optimizer")):
        return SolverChoice(Pinn(), "the spec says what is trained, or how")
    if not statement.is_affine and statement.defined_up_to_constant and grid_scheme(statement) is Scheme.COLLOCATION:
        return SolverChoice(
            Grid(n=FLOW_GRID_POINTS), "a flow that is not linear, with its pressure: one system of equations on a grid"
        )
    reason = _reason_for_grid(grid_scheme(statement), statement.is_affine)
    if reason is not None:
        return SolverChoice(grid, reason)
    if size > MIN_MONTE_CARLO_COORDINATES and find_obstacle(MonteCarlo(), statement, span) is None:
        reason = f"in {size} coordinates a mean over random paths costs no more than in one"
        return SolverChoice(MonteCarlo(), reason)
    if statement.is_affine and size <= MAX_FEATURE_COORDINATES:
        reason = "equations and conditions are linear in the unknowns: one least-squares problem"
        return SolverChoice(RandomFeatures(), reason)
    why = f"{size} coordinates are too many for features" if statement.is_affine else "it is not linear in the unknowns"
    return SolverChoice(Pinn(), f"{why}: a network is trained on the residual")


def _reason_for_grid(scheme: Scheme | str, linear: bool) -> str | None:
    """Why the grid is better than a network, where it is: in accuracy, and in time."""
    if scheme is Scheme.VOLUMES:
        return "a conservation law, whose solutions may jump: what leaves a cell of the grid enters the next"
    if scheme is Scheme.FOURIER and not linear:
        return "it is not linear in the unknowns, and no axis has sides of its own: a Fourier series"
    return None


def is_inverse_problem(statement: StrongForm) -> bool:
    return bool(statement.parameters or statement.measurements)


def find_obstacle(method: Solver, statement: StrongForm, span: Span) -> PdeError | None:
    """Why a method does not solve a statement; None if it does."""
    if not isinstance(method, Grid) and any(r.has_dirac for r in statement.equations):
        return errors.methods.discontinuous_coefficient(span)
    match method:
        case RandomFeatures():
            return errors.methods.function_by_random_features(span) if learned_functions(statement) else None
        case Pinn(probes=probes):
            apart = probes is not None and not all(map(_allows_hutchinson_estimate, statement.equations))
            return errors.methods.probes_not_applicable(span) if apart else None
        case Grid():
            return _grid_obstacle(method, statement, span)
        case MonteCarlo():
            if is_inverse_problem(statement):
                return errors.methods.learned_by_monte_carlo(span)
            refusal = diffusion_process.obstacle(statement)
            return refusal and errors.methods.with_other_solver(refusal, span)
        case _:
            assert_never(method)


def _allows_hutchinson_estimate(residual: Residual) -> bool:
    """Whether all derivatives are of one component, pure, of order at most two, and have known coefficients."""
    letters = {s for s, _ in residual.jet_variables}
    derived = [(s, d) for s, d in residual.jet_variables if d.order]
    known = all(not residual.expr.diff(s).free_symbols & letters for s, _ in derived)
    return (
        known and len({d.component for _, d in derived}) == 1 and all(max(d.orders) == d.order <= 2 for _, d in derived)
    )


def require_reference(reference: Located[Grid], statement: StrongForm) -> None:
    """Requires that the grid named in an `evaluate` block solves the statement."""
    refusal = find_obstacle(reference.word, statement, reference.span)
    if refusal is not None:
        raise errors.methods.reference_not_applicable(refusal.diagnostics[0].message, reference.span)


def _grid_obstacle(method: Grid, statement: StrongForm, span: Span) -> PdeError | None:
    if is_inverse_problem(statement):
        return errors.methods.grid_not_applicable("something is learned beside the unknowns", span)
    if method.extent is not None:
        return errors.methods.grid_not_applicable("its domain has an extent of its own", span)
    found = grid_scheme(statement)
    if not isinstance(found, Scheme):
        return errors.methods.grid_not_applicable(found, span)
    if method.n ** len(statement.domain.space) > MAX_GRID_POINTS:
        return errors.methods.grid_not_applicable(f"it would have more than {MAX_GRID_POINTS:,} points", span)
    return None


def _alternative(method: Solver, statement: StrongForm) -> Alternative:
    refusal = find_obstacle(method, statement, statement.equations[0].span)
    return Alternative(method, refusal.diagnostics[0].message if refusal else "")


# ---- what can be computed


def require_computable(statement: StrongForm) -> None:
    """Requires torch functions and finite numbers in all residuals; only finite volumes take derivatives of jumps."""
    imposed = (r for c in statement.conditions for r in c.residuals)
    interface = grid_scheme(statement) in (Scheme.LAYERS, Scheme.VOLUMES)
    for residual in (*statement.equations, *imposed):
        problem = None if interface and residual.has_dirac else _find_uncomputable(residual)
        if problem is not None:
            raise errors.networks.not_computable(problem, residual.span)


def _find_uncomputable(residual: Residual) -> str | None:
    def of(e: Expr) -> str | None:
        match e:
            case _ if e.is_number:
                real = e.is_extended_real and isfinite(float(e))
                return None if real else "a number that is not real and finite"
            case Symbol() | Field() | Partial(body=Field()):
                return None
            case DiracDelta():
                return "the derivative of a jump"
            case Add() | Mul() | Pow():
                return _first(map(of, e.args))
            case _ if type(e).__name__ in (*UNARY_FUNCTIONS, *NARY_FUNCTIONS):
                return _first(map(of, e.args))
            case _:
                return "this expression"

    return of(residual.expr)


def _first(found: Iterable[str | None]) -> str | None:
    return next((text for text in found if text), None)
