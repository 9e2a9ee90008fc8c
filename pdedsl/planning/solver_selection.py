"""Choice of the solvers for a boundary value problem, and their complete plans.

The spec names a solver, or all that apply are candidates, in the order of their predicted cost. A method in a plan can
solve its problem: all obstacles are errors here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import assert_never

from sympy import Expr, Symbol

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.blocks import SolveBlock, TrainBlock
from pdedsl.config.methods import Elements, Grid, MonteCarlo, Pinn, RandomFeatures, Solver
from pdedsl.config.networks import Mlp
from pdedsl.config.training import Lbfgs, Optimizer
from pdedsl.diagnostics import PdeError, Span
from pdedsl.ir.ansatz import HardConstraints
from pdedsl.ir.diffusion_process import DiffusionProcess
from pdedsl.ir.parameters import is_of_coordinates, learned_functions, with_parameter_symbols
from pdedsl.ir.plan import Alternative, Candidate, SolvePlan
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Residual
from pdedsl.ir.solver_plans import (
    MAX_LOW_DIMENSION,
    ElementsPlan,
    FiniteVolumeScheme,
    GridPlan,
    GridScheme,
    InterfaceFVScheme,
    MonteCarloPlan,
    PathMethod,
    PinnPlan,
    RandomFeaturesPlan,
    SolverPlan,
)
from pdedsl.ir.spec import Spec
from pdedsl.ir.weak_form import WeakForm
from pdedsl.planning.candidates import MAX_FEATURE_COORDINATES, ProblemFeatures, order_candidates, predict_seconds
from pdedsl.planning.grid_schemes import plan_grid
from pdedsl.planning.unused_options import require_used_on_domain
from pdedsl.problem.ansatz import ansatz_of, has_incompatible_data
from pdedsl.problem.capabilities import SEVERAL_ANTIPERIODIC_AXES
from pdedsl.problem.diffusion_process import process_of
from pdedsl.problem.first_order_system import GridNotApplicable
from pdedsl.problem.periodicity import subtract_lifts
from pdedsl.problem.symmetry import is_exchangeable, parities_of, reflection_symmetry
from pdedsl.problem.weak_form import NoWeakForm, weak_form
from pdedsl.symbolic.evaluate import unsupported
from pdedsl.symbolic.symbols import Field, Partial

# ---- Plan


GIVEN = "specified by `realize equation`"
DEFAULT_NETWORK = Mlp(width=20, depth=3)
MAX_GRID_POINTS = 1 << 21  # 128 per dimension in three dimensions


def plan_solve(problem: StrongForm, spec: Spec) -> SolvePlan:
    require_used_on_domain(spec)
    _require_learnable(problem)
    planner = planner_of(problem, spec)
    require_computable(problem, planner.scheme)
    chosen = spec.realize.equation
    candidates = chosen_candidate(planner, chosen) if chosen is not None else recommend_solvers(planner, spec)
    first = candidates[0].solver
    others = tuple(planner.alternative(m) for m in METHODS if type(m) is not type(first.method))
    reference = spec.evaluate.reference if spec.evaluate else None
    if reference is not None:
        plan_reference(reference, planner)
    if chosen is not None and isinstance(first, PinnPlan):
        _require_optimizers(chosen, first, spec.train)
    limits = spec.solve or SolveBlock()
    return SolvePlan(
        problem,
        candidates,
        float(limits.tolerance or default_tolerance(candidates)),
        float(limits.budget),
        others,
        planner.network,
        planner.hard_constraints,
        None if isinstance(planner.grid, str) else planner.grid,
        reference.config if reference else None,
    )


def planner_of(problem: StrongForm, spec: Spec) -> SolverPlanner:
    train = spec.train
    optimizers = tuple(o.config for o in train.optimizer) if train and train.says("optimizer") else ()
    return SolverPlanner(problem, network_of(spec) or DEFAULT_NETWORK, optimizers, train.steps if train else None)


@dataclass(frozen=True)
class SolverPlanner:
    """Plans the solvers of a problem; what several of them need is planned once."""

    problem: StrongForm
    network: Mlp = DEFAULT_NETWORK
    optimizers: tuple[Optimizer, ...] = ()
    steps: int | None = None

    @cached_property
    def parametrized(self) -> StrongForm:
        return with_parameter_symbols(self.problem)

    @cached_property
    def hard_constraints(self) -> HardConstraints:
        ansatz = ansatz_of(self.parametrized)
        return HardConstraints(ansatz, reflection_symmetry(self.problem, ansatz))

    @cached_property
    def grid(self) -> GridPlan | str:
        """The plan of a grid, or the reason why no scheme applies."""
        try:
            return plan_grid(self.problem, Grid())
        except GridNotApplicable as reason:
            return str(reason)

    @property
    def scheme(self) -> GridScheme | None:
        return None if isinstance(self.grid, str) else self.grid.scheme

    @cached_property
    def process(self) -> DiffusionProcess | PdeError:
        try:
            return process_of(self.problem)
        except PdeError as error:
            return error

    @cached_property
    def features(self) -> ProblemFeatures:
        return ProblemFeatures(self.problem, has_incompatible_data(self.parametrized))

    @cached_property
    def weak_form(self) -> WeakForm | str:
        """The weak form, or the reason why elements do not apply."""
        try:
            return weak_form(self.problem)
        except NoWeakForm as reason:
            return str(reason)

    @property
    def default_elements(self) -> Elements:
        """Third degree for velocities with a pressure, which is cheaper for flows; otherwise second degree."""
        form = self.weak_form
        is_flow = isinstance(form, WeakForm) and any(t.is_multiplier for t in form.trials)
        return Elements(order=3) if is_flow else Elements()

    @property
    def is_inverse(self) -> bool:
        return bool(self.problem.parameters or self.problem.measurements)

    def plan(self, method: Solver, span: Span) -> SolverPlan | PdeError:
        """The plan of a method, or the error that explains why it does not apply."""
        error = self.obstacle(method, span)
        if error is not None:
            return error
        problem = self.problem
        match method:
            case RandomFeatures():
                return plan_random_features(problem, method)
            case Pinn():
                constraints = self.hard_constraints
                return PinnPlan(
                    problem, method, self.parametrized, self.network, constraints, self.optimizers, self.steps
                )
            case Grid():
                return self.plan_grid(method, span)
            case Elements():
                assert isinstance(self.weak_form, WeakForm)
                return ElementsPlan(problem, method, self.weak_form)
            case MonteCarlo():
                assert isinstance(self.process, DiffusionProcess)
                return MonteCarloPlan(problem, method, self.process, _path_method(self.process))
            case _:
                assert_never(method)

    def plan_grid(self, method: Grid, span: Span) -> GridPlan | PdeError:
        error = self._grid_obstacle(method, span)
        if error is not None:
            return error
        assert not isinstance(self.grid, str)
        return replace(self.grid, method=method)

    def alternative(self, method: Solver) -> Alternative:
        error = self.obstacle(method, self.problem.equations[0].span)
        return Alternative(method, error.diagnostics[0].message if error else "")

    def obstacle(self, method: Solver, span: Span) -> PdeError | None:
        """Why a method does not apply; None if it does."""
        if not isinstance(method, Grid | Elements) and any(r.has_dirac for r in self.problem.equations):
            return errors.methods.discontinuous_coefficient(span)
        if not isinstance(method, Elements) and (places := self.problem.natural_outflow):
            return errors.methods.natural_outflow(self.problem.domain.text_of(places[0]), span)
        match method:
            case RandomFeatures():
                return errors.methods.function_by_random_features(span) if learned_functions(self.problem) else None
            case Pinn() if len(self.problem.antiperiodic_axes) > 1:
                return errors.methods.pinn_not_applicable(SEVERAL_ANTIPERIODIC_AXES, span)
            case Pinn(probes=probes):
                unsuited = probes is not None and not all(map(_allows_hutchinson_estimate, self.problem.equations))
                return errors.methods.probes_not_applicable(span) if unsuited else None
            case Grid():
                return self._grid_obstacle(method, span)
            case Elements():
                form = self.weak_form
                return errors.methods.elements_not_applicable(form, span) if isinstance(form, str) else None
            case MonteCarlo():
                if self.is_inverse:
                    return errors.methods.learned_by_monte_carlo(span)
                found = self.process
                return errors.methods.with_other_solver(found, span) if isinstance(found, PdeError) else None
            case _:
                assert_never(method)

    def _grid_obstacle(self, method: Grid, span: Span) -> PdeError | None:
        if self.is_inverse:
            return errors.methods.grid_not_applicable("grids solve forward problems only", span)
        if method.extent is not None:
            return errors.methods.grid_not_applicable("`extent` is for problems on R^d", span)
        if isinstance(self.grid, str):
            return errors.methods.grid_not_applicable(self.grid, span)
        if method.n ** len(self.problem.domain.space) > MAX_GRID_POINTS:
            return errors.methods.grid_not_applicable(f"more than {MAX_GRID_POINTS:,} grid points", span)
        return None


def plan_reference(reference: Located[Grid], planner: SolverPlanner) -> GridPlan:
    """The plan of the reference grid in an `evaluate` block, which must apply to the problem."""
    plan = planner.plan_grid(reference.config, reference.span)
    if isinstance(plan, PdeError):
        raise errors.methods.reference_not_applicable(plan.diagnostics[0].message, reference.span)
    return plan


def _path_method(process: DiffusionProcess) -> PathMethod:
    if process.is_brownian:
        return PathMethod.WALK_ON_SPHERES
    if process.data is None:
        return PathMethod.EXIT_TIME
    return PathMethod.EXACT_STEP if process.has_exact_step else PathMethod.EVOLUTION


# ---- Random features


FIRST_FEATURES, SECOND_FEATURES = {1: 200, 2: 700}, {1: 400, 2: 1400}  # of the two fits, by the number of coordinates
MAX_PERMUTED_COORDINATES = 5  # 5! = 120 permutations
SYMMETRIC_FEATURES = 200  # as many as there are symmetric polynomials in five coordinates up to degree 12
MAX_FEATURE_WEIGHTS = 4000  # of the second fit in high dimensions


def plan_random_features(problem: StrongForm, method: RandomFeatures) -> RandomFeaturesPlan:
    """Symmetries are used in four or more dimensions, where features are scarce, and up to the dimension that features
    can cover."""
    lifts = problem.lifts if any(problem.lifts) else ()
    problem = subtract_lifts(problem) if lifts else problem
    size = len(problem.domain.coordinates)
    low = size <= MAX_LOW_DIMENSION
    parities = parities_of(problem) if MAX_LOW_DIMENSION < size <= MAX_FEATURE_COORDINATES else (0,) * size
    invariant = not low and size <= MAX_PERMUTED_COORDINATES and not any(parities) and is_exchangeable(problem)
    second = 2000 if low else max(2000, MAX_FEATURE_WEIGHTS // len(problem.components))
    first, second = (SYMMETRIC_FEATURES, SYMMETRIC_FEATURES) if invariant else (1200, second)
    return RandomFeaturesPlan(
        problem,
        method,
        with_parameter_symbols(problem),
        method.n or FIRST_FEATURES.get(size, first),
        method.n or SECOND_FEATURES.get(size, second),
        parities,
        invariant,
        lifts,
    )


# ---- Requirements


def _require_optimizers(chosen: Located[Solver], solver: PinnPlan, train: TrainBlock | None) -> None:
    if chosen.says("steps"):
        _require_steps(chosen, train, solver.optimizers)
    deterministic = not solver.optimizers or any(isinstance(o, Lbfgs) for o in solver.optimizers)
    if solver.method.probes is not None and deterministic:
        raise errors.methods.probes_with_deterministic_optimizer(chosen.span)


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


# ---- Candidates


METHODS: tuple[Solver, ...] = (RandomFeatures(), Pinn(), Grid(), Elements(), MonteCarlo())


STATED_SIZES = {"n", "samples", "steps", "points", "h"}  # arguments that fix the size of a discretization
DEFAULT_TOLERANCE = 1e-4  # relative L2 error
VISIBLE_ERROR = 1e-2  # visible in a plot: for stated sizes, shocks (in L1), networks and Monte Carlo
ONE_DIGIT = 0.1  # relative error with one correct digit


def chosen_candidate(planner: SolverPlanner, chosen: Located[Solver]) -> tuple[Candidate, ...]:
    """The method of `realize equation`, without others; it is refined unless its size is stated."""
    plan = planner.plan(chosen.config, chosen.span)
    if isinstance(plan, PdeError):
        raise plan
    trained = isinstance(plan, PinnPlan) and (plan.steps is not None or bool(plan.optimizers))
    refinable = not trained and not any(map(chosen.says, STATED_SIZES))
    return (Candidate(plan, GIVEN, predict_seconds(plan, planner.features), refinable),)


def recommend_solvers(planner: SolverPlanner, spec: Spec) -> tuple[Candidate, ...]:
    """All methods that apply, the least expensive first; networks alone for inverse problems."""
    span = spec.space.span
    if planner.is_inverse:
        return _only_pinn(planner, span, "inverse problem: parameters are trained together with the network")
    if network_of(spec) is not None or (spec.train is not None and spec.train.says("optimizer")):
        return _only_pinn(planner, span, "the spec names a network or an optimizer")
    plans = [planner.plan(planner.default_elements if method == Elements() else method, span) for method in METHODS]
    applicable = [p for p in plans if not isinstance(p, PdeError)]
    if not applicable:
        raise next(p for p in plans if isinstance(p, PdeError)).without_fixes()  # the fixes replace a method
    return order_candidates(applicable, planner.features)


def _only_pinn(planner: SolverPlanner, span: Span, reason: str) -> tuple[Candidate, ...]:
    plan = planner.plan(Pinn(), span)
    if isinstance(plan, PdeError):
        raise plan.without_fixes()  # the fixes replace a method in the spec
    return (Candidate(plan, reason, predict_seconds(plan, planner.features), refinable=False),)


def default_tolerance(candidates: tuple[Candidate, ...]) -> float:
    """1e-4 if a method that converges quickly can be refined; otherwise an error that is not visible in a plot, and one
    digit for Monte Carlo with a stated number of samples."""
    if any(map(_has_shocks, candidates)):
        return VISIBLE_ERROR
    if any(isinstance(c.solver, MonteCarloPlan) and not c.refinable for c in candidates):
        return ONE_DIGIT
    return DEFAULT_TOLERANCE if any(map(_converges_quickly, candidates)) else VISIBLE_ERROR


def _has_shocks(candidate: Candidate) -> bool:
    return isinstance(candidate.solver, GridPlan) and isinstance(candidate.solver.scheme, FiniteVolumeScheme)


def _converges_quickly(candidate: Candidate) -> bool:
    match candidate.solver:
        case GridPlan() | ElementsPlan():
            return candidate.refinable
        case PinnPlan() | MonteCarloPlan():
            return False
        case RandomFeaturesPlan(problem=problem):
            return candidate.refinable and problem.is_affine
        case _:
            assert_never(candidate.solver)


def _allows_hutchinson_estimate(residual: Residual) -> bool:
    """Whether all derivatives are pure, of order at most two, of one component, with coefficients independent of it."""
    jet = {s for s, _ in residual.jet_variables}
    derived = [(s, d) for s, d in residual.jet_variables if d.order]
    known = all(not residual.expr.diff(s).free_symbols & jet for s, _ in derived)
    return (
        known and len({d.component for _, d in derived}) == 1 and all(max(d.orders) == d.order <= 2 for _, d in derived)
    )


# ---- Computable residuals


def require_computable(problem: StrongForm, scheme: GridScheme | None) -> None:
    """Requires torch functions and finite numbers in all residuals; only finite volumes accept Dirac deltas."""
    conditions = (r for c in problem.conditions for r in c.residuals)
    interface = isinstance(scheme, InterfaceFVScheme | FiniteVolumeScheme)
    for residual in (*problem.equations, *conditions):
        reason = None if interface and residual.has_dirac else unsupported(residual.expr, _residual_leaf)
        if reason is not None:
            raise errors.networks.not_computable(reason, residual.span)


def _residual_leaf(e: Expr) -> str | None:
    return "" if isinstance(e, Symbol | Field) or (isinstance(e, Partial) and isinstance(e.body, Field)) else None
