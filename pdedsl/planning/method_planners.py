"""Planning of each solver of boundary value problems: conditions, complete plan, predicted CPU time and reason.

A solver is a `MethodPlanner` in `PLANNERS`. The predicted CPU time is that of one level with enough unknowns for a few
correct digits: dense systems cost m³, least squares r n², sparse direct solvers m^1.5. A method that converges slowly
for the problem, as random features do for solutions that are not smooth, has a larger predicted time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from math import inf, prod
from typing import Any, ClassVar, Generic, TypeVar, assert_never

from sympy import S

from pdedsl import errors
from pdedsl.config.methods import Elements, Grid, MonteCarlo, Pinn, PlannedSolver, RandomFeatures, Solver
from pdedsl.config.networks import Mlp
from pdedsl.config.training import Optimizer
from pdedsl.diagnostics import PdeError, Span
from pdedsl.ir.ansatz import HardConstraints
from pdedsl.ir.diffusion_process import DiffusionProcess
from pdedsl.ir.eigenproblem import Eigenproblem
from pdedsl.ir.parameters import at_eigenvalue, learned_functions, with_parameter_symbols
from pdedsl.ir.plan import Alternative
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Residual
from pdedsl.ir.solver_plans import (
    MAX_LOW_DIMENSION,
    ChebyshevScheme,
    DelayScheme,
    EigenCollocationPlan,
    EigenElementsPlan,
    ElementsPlan,
    FiniteVolumeScheme,
    FourierScheme,
    GridPlan,
    GridScheme,
    InterfaceFVScheme,
    MonteCarloPlan,
    ObstacleScheme,
    OdeScheme,
    PathMethod,
    PinnPlan,
    RandomFeaturesPlan,
    SeparableOperator,
    ShortleyWellerScheme,
    SolverPlan,
)
from pdedsl.ir.weak_form import WeakForm
from pdedsl.planning.grid_schemes import plan_grid, with_integrator
from pdedsl.planning.problem_features import BASE_POINTS, ProblemFeatures
from pdedsl.problem.ansatz import ansatz_of, has_incompatible_data
from pdedsl.problem.diffusion_process import process_of
from pdedsl.problem.eigenproblem import collocation_obstacle, eigenproblem_of
from pdedsl.problem.first_order_system import GridNotApplicable
from pdedsl.problem.periodicity import subtract_lifts
from pdedsl.problem.point_sources import has_point_sources
from pdedsl.problem.supported_conditions import SEVERAL_ANTIPERIODIC_AXES
from pdedsl.problem.symmetry import is_exchangeable, parities_of, reflection_symmetry
from pdedsl.problem.weak_form import NoWeakForm, weak_form
from pdedsl.record import Record

NO_EIGENPAIRS = "it solves boundary value problems, not eigenproblems"
DEFAULT_NETWORK = Mlp(width=20, depth=3)
FLOPS = 3e10  # per second, of dense factorizations on one core
SPARSE_SECONDS = 2e-7  # per unknown^1.5, of a sparse direct solver
NEWTON_ITERATIONS = 10  # typical, with damping
IMPLICIT_STEPS = 60  # time steps of Radau IIA, with a new factorization in a third of them
SLOW_CONVERGENCE = 50.0  # factor on the predicted time of a method that is unlikely to reach the tolerance


class SolverPlanner(Record):
    """Plans the solvers of a problem; what several of them need is planned once."""

    problem: StrongForm
    network: Mlp = DEFAULT_NETWORK
    optimizers: tuple[Optimizer, ...] = ()
    steps: int | None = None
    modes: int | None = None  # of an eigenproblem

    @property
    def planners(self) -> Mapping[type[PlannedSolver], MethodPlanner[Any, Any]]:
        """The planners of the methods for this kind of problem."""
        return PLANNERS if self.problem.eigenvalue is None else EIGEN_PLANNERS

    @cached_property
    def eigenproblem(self) -> Eigenproblem:
        return eigenproblem_of(self.problem)

    @cached_property
    def parametrized(self) -> StrongForm:
        return with_parameter_symbols(at_eigenvalue(self.problem.local_part, S.One))

    @cached_property
    def hard_constraints(self) -> HardConstraints:
        ansatz = ansatz_of(self.parametrized)
        return HardConstraints(ansatz, reflection_symmetry(at_eigenvalue(self.problem.local_part, S.One), ansatz))

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
        return ProblemFeatures(self.problem.local_part, has_incompatible_data(self.parametrized))

    @cached_property
    def weak_form(self) -> WeakForm | str:
        """The weak form, or the reason why elements do not apply."""
        try:
            return weak_form(self.problem)
        except NoWeakForm as reason:
            return str(reason)

    @property
    def is_inverse(self) -> bool:
        return bool(self.problem.parameters or self.problem.measurements)

    def plan(self, method: PlannedSolver, span: Span) -> SolverPlan | PdeError:
        """The plan of a method, or the error that explains why it does not apply."""
        return self.obstacle(method, span) or self.planners[type(method)].plan(self, method)

    def plan_grid(self, method: Grid, span: Span) -> GridPlan | PdeError:
        """The plan of a grid as a reference, or the error that explains why no scheme applies."""
        planner = GridPlanner()
        return planner.find_obstacle(self, method, span) or planner.plan(self, method)

    def alternative(self, method: PlannedSolver) -> Alternative:
        error = self.obstacle(method, self.problem.equations[0].span)
        return Alternative(method, error.diagnostics[0].message if error else "")

    def obstacle(self, method: PlannedSolver, span: Span) -> PdeError | None:
        """Why a method does not apply; None if it does."""
        planner = self.planners.get(type(method))
        if planner is None:
            return errors.methods.solver_not_applicable(method.name, NO_EIGENPAIRS, span, ["grid", "elements"])
        if not planner.allows_dirac and any(r.has_dirac for r in self.problem.equations):
            return errors.methods.discontinuous_coefficient(span)
        if not planner.allows_point_sources and has_point_sources(self.problem):
            return errors.methods.no_point_sources(method.name, self._refusal_of_point_sources, span)
        if not planner.allows_nonlocal and self.problem.is_nonlocal:
            return errors.methods.nonlocal_not_applicable(
                method.name, self.grid if isinstance(self.grid, str) else "", span
            )
        if not planner.allows_natural_outflow and (places := self.problem.natural_outflow):
            return errors.methods.natural_outflow(self.problem.domain.text_of(places[0]), span)
        if not planner.allows_mesh and self.problem.domain.mesh_boundary is not None:
            return errors.methods.mesh_without_elements(method.name, span)
        return planner.find_obstacle(self, method, span)

    @property
    def _refusal_of_point_sources(self) -> str:
        """Why no method applies to a problem with point sources; empty if one does."""
        if not isinstance(self.grid, str) or not isinstance(self.weak_form, str):
            return ""
        return f"{self.grid} (grid), {self.weak_form} (elements)"

    def predict_seconds(self, plan: SolverPlan) -> float:
        return self.planners[type(plan.method)].predict_seconds(plan, self.features)

    def reason_for(self, plan: SolverPlan) -> str:
        return self.planners[type(plan.method)].reason_for(plan, self.features)


# ---- A method


M = TypeVar("M", bound=Solver)
P = TypeVar("P", bound=SolverPlan)


class MethodPlanner(ABC, Generic[M, P]):
    """The planning of one method."""

    allows_dirac: ClassVar[bool] = False  # in coefficients: derivatives of discontinuous ones
    allows_point_sources: ClassVar[bool] = False
    allows_natural_outflow: ClassVar[bool] = False
    allows_mesh: ClassVar[bool] = False
    allows_nonlocal: ClassVar[bool] = False  # integrals, and values at other points

    @abstractmethod
    def default_method(self, planner: SolverPlanner) -> M:
        """The method with the arguments that suit the problem, if the spec states none."""

    @abstractmethod
    def find_obstacle(self, planner: SolverPlanner, method: M, span: Span) -> PdeError | None:
        """Why the method does not apply; None if it does."""

    @abstractmethod
    def plan(self, planner: SolverPlanner, method: M) -> P:
        """The complete plan; the method has no obstacle."""

    @abstractmethod
    def predict_seconds(self, plan: P, features: ProblemFeatures) -> float:
        """Predicted CPU time of a level with a few correct digits; infinite if the method cannot converge."""

    @abstractmethod
    def reason_for(self, plan: P, features: ProblemFeatures) -> str:
        """The reason for the method in words."""


def _newton_iterations(problem: StrongForm) -> int:
    return 1 if problem.is_affine else NEWTON_ITERATIONS


def _linearity(problem: StrongForm) -> str:
    return "linear" if problem.is_affine else "nonlinear"


# ---- Random features


MAX_FEATURE_COORDINATES = 8  # random features cannot cover more dimensions
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


class RandomFeaturesPlanner(MethodPlanner[RandomFeatures, RandomFeaturesPlan]):
    def default_method(self, planner: SolverPlanner) -> RandomFeatures:
        return RandomFeatures()

    def find_obstacle(self, planner: SolverPlanner, method: RandomFeatures, span: Span) -> PdeError | None:
        return errors.methods.function_by_random_features(span) if learned_functions(planner.problem) else None

    def plan(self, planner: SolverPlanner, method: RandomFeatures) -> RandomFeaturesPlan:
        return plan_random_features(planner.problem, method)

    def predict_seconds(self, plan: RandomFeaturesPlan, features: ProblemFeatures) -> float:
        problem = plan.problem
        columns = len(problem.components) * max(plan.max_features, plan.n_features)
        fits = (6 if plan.is_low_dimensional else 3) * _newton_iterations(problem)
        seconds = fits * 3 * columns**3 / FLOPS
        suited = (
            features.is_smooth
            and not problem.domain.inequalities
            and features.points < 2 * BASE_POINTS.get(features.dimension, inf)
        )
        many = len(problem.domain.coordinates) > MAX_FEATURE_COORDINATES
        return seconds * (1 if suited else SLOW_CONVERGENCE) * (SLOW_CONVERGENCE if many else 1)

    def reason_for(self, plan: RandomFeaturesPlan, features: ProblemFeatures) -> str:
        affine = plan.problem.is_affine
        systems = "a single linear least-squares problem" if affine else "Gauss-Newton least squares"
        return f"{_linearity(plan.problem)} problem, {systems} without a grid"


# ---- PINN


PINN_SECONDS = 3000.0  # for four correct digits


class PinnPlanner(MethodPlanner[Pinn, PinnPlan]):
    def default_method(self, planner: SolverPlanner) -> Pinn:
        return Pinn()

    def find_obstacle(self, planner: SolverPlanner, method: Pinn, span: Span) -> PdeError | None:
        problem = planner.problem
        if len(problem.antiperiodic_axes) > 1:
            return errors.methods.solver_not_applicable(
                method.name, SEVERAL_ANTIPERIODIC_AXES, span, ["random_features"]
            )
        unsuited = method.probes is not None and not all(map(_allows_hutchinson_estimate, problem.equations))
        return errors.methods.probes_not_applicable(span) if unsuited else None

    def plan(self, planner: SolverPlanner, method: Pinn) -> PinnPlan:
        constraints, network = planner.hard_constraints, planner.network
        return PinnPlan(
            planner.problem, method, planner.parametrized, network, constraints, planner.optimizers, planner.steps
        )

    def predict_seconds(self, plan: PinnPlan, features: ProblemFeatures) -> float:
        return PINN_SECONDS

    def reason_for(self, plan: PinnPlan, features: ProblemFeatures) -> str:
        return "a physics-informed neural network applies to any equation, but converges slowly"


def _allows_hutchinson_estimate(residual: Residual) -> bool:
    """Whether all derivatives are pure, of order at most two, of one component, with coefficients independent of it."""
    jet = {s for s, _ in residual.jet_variables}
    derived = [(s, d) for s, d in residual.jet_variables if d.order]
    known = all(not residual.expr.diff(s).free_symbols & jet for s, _ in derived)
    return (
        known and len({d.component for _, d in derived}) == 1 and all(max(d.orders) == d.order <= 2 for _, d in derived)
    )


# ---- Grids


MAX_GRID_POINTS = 1 << 21  # 128 per dimension in three dimensions
EIGENSYSTEM_OPERATIONS = 25.0  # times n³, of a matrix that is not symmetric (Golub, Van Loan 2013, 7.5.6)
SECOND_ORDER_POINTS = 16.0  # points per axis of a method of second order, relative to a spectral method
POLICIES = 4  # systems in an iteration that starts close to the solution
ODE_SECONDS = 0.1  # of an adaptive integrator


class GridPlanner(MethodPlanner[Grid, GridPlan]):
    allows_dirac = True
    allows_point_sources = True
    allows_nonlocal = True

    def default_method(self, planner: SolverPlanner) -> Grid:
        return Grid()

    def find_obstacle(self, planner: SolverPlanner, method: Grid, span: Span) -> PdeError | None:
        reason = ""
        if planner.is_inverse:
            reason = "grids solve forward problems only"
        elif method.extent is not None:
            reason = "`extent` is for problems on R^d"
        elif isinstance(planner.grid, str):
            reason = planner.grid
        elif method.n ** len(planner.problem.domain.space) > MAX_GRID_POINTS:
            reason = f"more than {MAX_GRID_POINTS:,} grid points"
        else:
            try:
                with_integrator(planner.grid.scheme, method.integrator)
            except GridNotApplicable as refusal:
                reason = f"its option `integrator`: {refusal}"
        others = ("elements",) if has_point_sources(planner.problem) else ("random_features", "pinn")
        return errors.methods.solver_not_applicable(method.name, reason, span, others) if reason else None

    def plan(self, planner: SolverPlanner, method: Grid) -> GridPlan:
        assert not isinstance(planner.grid, str)
        return replace(planner.grid, method=method, scheme=with_integrator(planner.grid.scheme, method.integrator))

    def predict_seconds(self, plan: GridPlan, features: ProblemFeatures) -> float:
        factor = 1 if _scheme_suits(plan.scheme, features) else 10
        return _predict_grid_seconds(plan.scheme, plan.problem, features) * factor

    def reason_for(self, plan: GridPlan, features: ProblemFeatures) -> str:
        return _scheme_reason(plan.scheme, features, _linearity(plan.problem))


def _scheme_suits(scheme: GridScheme, features: ProblemFeatures) -> bool:
    """Whether a scheme has its full order: spectral methods need smooth solutions."""
    if isinstance(scheme, FourierScheme | ChebyshevScheme | DelayScheme):
        return features.is_smooth
    return True


def _predict_grid_seconds(scheme: GridScheme, problem: StrongForm, features: ProblemFeatures) -> float:
    nonlinear, points, dimension = 1 if problem.is_affine else NEWTON_ITERATIONS, features.points, features.dimension
    unknowns = len(problem.components) * points**dimension
    match scheme:
        case DelayScheme(scheme=inner, breaks=times):
            return (len(times) + 1) * _predict_grid_seconds(inner, problem, features)
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
        case ObstacleScheme():
            solves = POLICIES * (SECOND_ORDER_POINTS * points if problem.domain.has_time else 1)
            unknowns = (SECOND_ORDER_POINTS / 2 * points) ** dimension
            return SPARSE_SECONDS * solves * float(unknowns**1.5)
        case ShortleyWellerScheme():
            seconds: float = SPARSE_SECONDS * (SECOND_ORDER_POINTS * points) ** (1.5 * dimension)
            return seconds
        case _:
            assert_never(scheme)


def _scheme_reason(scheme: GridScheme, features: ProblemFeatures, linear: str) -> str:
    smooth = "smooth data" if features.is_smooth else "the solution is not smooth, so that convergence is algebraic"
    match scheme:
        case DelayScheme(scheme=inner, breaks=times):
            pieces = f"{len(times) + 1} piece{'s' * bool(times)} of time"
            return f"{_scheme_reason(inner, features, linear)}, by the method of steps on {pieces}"
        case FourierScheme():
            reflected = any(axis.reflected for axis in scheme.axes)
            axes = "periodic extension across the boundary" if reflected else "periodic axes"
            return f"{linear} problem with {axes}, {smooth}: a Fourier spectral method"
        case OdeScheme():
            return "ordinary differential equations: an adaptive integrator"
        case ChebyshevScheme():
            time = ", Radau IIA in time" if features.problem.domain.has_time else ""
            pieces = " on pieces next to layers" * any(scheme.breaks)
            if scheme.system.derivative_jumps:
                pieces = " on the pieces between point sources"
            return f"{linear} problem on a box, {smooth}: Chebyshev collocation{pieces}{time}"
        case InterfaceFVScheme():
            return "discontinuous coefficients: a conservative finite-volume scheme"
        case FiniteVolumeScheme():
            return "conservation law, whose solutions may have shocks: a finite-volume scheme"
        case ObstacleScheme():
            return "inequality on a box: monotone finite differences and policy iteration"
        case ShortleyWellerScheme():
            return "curved boundary: finite differences of second order"
        case _:
            assert_never(scheme)


# ---- Finite elements


ELEMENTS_SECONDS = 0.3  # of the first meshes
ESTIMATE_COST = 4.0  # of a solution with its residual error estimate, relative to the solution in second degree


class ElementsPlanner(MethodPlanner[Elements, ElementsPlan]):
    allows_dirac = True
    allows_point_sources = True
    allows_natural_outflow = True
    allows_mesh = True

    def default_method(self, planner: SolverPlanner) -> Elements:
        """Third degree for velocities with a pressure, which is cheaper for flows; first degree for inequalities;
        otherwise second degree."""
        form = planner.weak_form
        if isinstance(form, WeakForm) and form.constraint is not None:
            return Elements(order=1)
        is_flow = isinstance(form, WeakForm) and any(t.is_multiplier for t in form.trials)
        return Elements(order=3) if is_flow else Elements()

    def find_obstacle(self, planner: SolverPlanner, method: Elements, span: Span) -> PdeError | None:
        form = planner.weak_form
        return errors.methods.solver_not_applicable(method.name, form, span) if isinstance(form, str) else None

    def plan(self, planner: SolverPlanner, method: Elements) -> ElementsPlan:
        assert isinstance(planner.weak_form, WeakForm)
        return ElementsPlan(planner.problem, method, planner.weak_form)

    def predict_seconds(self, plan: ElementsPlan, features: ProblemFeatures) -> float:
        problem = plan.problem
        unknowns = len(problem.components) * (4 * features.points) ** features.dimension
        solves = IMPLICIT_STEPS if problem.domain.has_time else _newton_iterations(problem)
        return ELEMENTS_SECONDS + ESTIMATE_COST * solves * SPARSE_SECONDS * float(unknowns**1.5)

    def reason_for(self, plan: ElementsPlan, features: ProblemFeatures) -> str:
        if plan.weak_form.constraint is not None:
            return "inequality in weak form: finite elements of first degree and policy iteration"
        linear = _linearity(plan.problem)
        return f"{linear} problem in weak form: finite elements, refined where the residual is large"


# ---- Monte Carlo


MONTE_CARLO_SECONDS = 10000.0  # for four correct digits at a few points
HIGH_DIMENSION_SECONDS = 30.0  # the convergence does not depend on the dimension


class MonteCarloPlanner(MethodPlanner[MonteCarlo, MonteCarloPlan]):
    def default_method(self, planner: SolverPlanner) -> MonteCarlo:
        return MonteCarlo()

    def find_obstacle(self, planner: SolverPlanner, method: MonteCarlo, span: Span) -> PdeError | None:
        if planner.is_inverse:
            return errors.methods.learned_by_monte_carlo(span)
        if planner.problem.domain.metric is not None:
            reason = "paths are simulated in Cartesian coordinates"
            return errors.methods.solver_not_applicable(method.name, reason, span)
        process = planner.process
        return errors.methods.with_other_solver(process, span) if isinstance(process, PdeError) else None

    def plan(self, planner: SolverPlanner, method: MonteCarlo) -> MonteCarloPlan:
        assert isinstance(planner.process, DiffusionProcess)
        return MonteCarloPlan(planner.problem, method, planner.process, _path_method(planner.process))

    def predict_seconds(self, plan: MonteCarloPlan, features: ProblemFeatures) -> float:
        high = len(plan.problem.domain.coordinates) > MAX_FEATURE_COORDINATES
        return HIGH_DIMENSION_SECONDS if high else MONTE_CARLO_SECONDS

    def reason_for(self, plan: MonteCarloPlan, features: ProblemFeatures) -> str:
        if plan.paths is PathMethod.MULTILEVEL_PICARD:
            return "semilinear equation: multilevel Picard iteration, whose cost is polynomial in the dimension"
        return "the convergence rate of Monte Carlo, ½, does not depend on the dimension"


def _path_method(process: DiffusionProcess) -> PathMethod:
    if process.nonlinearity != 0:
        return PathMethod.MULTILEVEL_PICARD
    if process.is_brownian:
        return PathMethod.WALK_ON_SPHERES
    if process.data is None:
        return PathMethod.EXIT_TIME
    return PathMethod.EXACT_STEP if process.has_exact_step else PathMethod.EVOLUTION


# ---- Eigenproblems


DEFAULT_MODES = 6  # eigenpairs
EIGEN_POINTS = {1: 64, 2: 24, 3: 12}  # per axis, for four digits of the first modes, by the dimension of space
MAX_COLLOCATION_DIMENSION = 3  # the pencil is dense, with the square of the number of tensor-product points as entries


class EigenCollocationPlanner(MethodPlanner[Grid, EigenCollocationPlan]):
    def default_method(self, planner: SolverPlanner) -> Grid:
        return Grid()

    def find_obstacle(self, planner: SolverPlanner, method: Grid, span: Span) -> PdeError | None:
        reason = collocation_obstacle(planner.problem, planner.eigenproblem)
        if method.extent is not None:
            reason = "`extent` is for problems on R^d"
        return errors.methods.solver_not_applicable(method.name, reason, span) if reason else None

    def plan(self, planner: SolverPlanner, method: Grid) -> EigenCollocationPlan:
        return EigenCollocationPlan(planner.problem, method, planner.eigenproblem, planner.modes or DEFAULT_MODES)

    def predict_seconds(self, plan: EigenCollocationPlan, features: ProblemFeatures) -> float:
        unknowns = len(plan.eigenproblem.rows) * EIGEN_POINTS[features.dimension] ** features.dimension
        seconds: float = EIGENSYSTEM_OPERATIONS * unknowns**3 / FLOPS
        return seconds

    def reason_for(self, plan: EigenCollocationPlan, features: ProblemFeatures) -> str:
        return "eigenproblem on a box: spectral collocation, which converges exponentially for smooth coefficients"


class EigenElementsPlanner(MethodPlanner[Elements, EigenElementsPlan]):
    allows_natural_outflow = True

    def default_method(self, planner: SolverPlanner) -> Elements:
        """Third degree: eigenvalues of self-adjoint problems converge with twice the order."""
        return Elements(order=3)

    def find_obstacle(self, planner: SolverPlanner, method: Elements, span: Span) -> PdeError | None:
        form = planner.weak_form
        return errors.methods.solver_not_applicable(method.name, form, span) if isinstance(form, str) else None

    def plan(self, planner: SolverPlanner, method: Elements) -> EigenElementsPlan:
        assert isinstance(planner.weak_form, WeakForm)
        modes = planner.modes or DEFAULT_MODES
        return EigenElementsPlan(planner.problem, method, planner.weak_form, planner.eigenproblem, modes)

    def predict_seconds(self, plan: EigenElementsPlan, features: ProblemFeatures) -> float:
        unknowns = len(plan.problem.components) * (4 * features.points) ** features.dimension
        return ELEMENTS_SECONDS + ESTIMATE_COST * plan.modes * SPARSE_SECONDS * float(unknowns**1.5)

    def reason_for(self, plan: EigenElementsPlan, features: ProblemFeatures) -> str:
        return "eigenproblem in weak form: finite elements, refined where the residuals of the modes are large"


EIGEN_PLANNERS: Mapping[type[PlannedSolver], MethodPlanner[Any, Any]] = {
    Grid: EigenCollocationPlanner(),
    Elements: EigenElementsPlanner(),
}
PLANNERS: Mapping[type[PlannedSolver], MethodPlanner[Any, Any]] = {
    RandomFeatures: RandomFeaturesPlanner(),
    Pinn: PinnPlanner(),
    Grid: GridPlanner(),
    Elements: ElementsPlanner(),
    MonteCarlo: MonteCarloPlanner(),
}
"""The solvers of boundary value problems."""
