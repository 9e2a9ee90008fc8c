"""Choice of the solvers for a boundary value problem, and their complete plans.

The spec names a solver, or all that apply are candidates, in the order of their predicted cost. A method in a plan can
solve its problem: all obstacles are errors here.
"""

from __future__ import annotations

from sympy import Expr, Symbol

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.blocks import SolveBlock, TrainBlock
from pdedsl.config.methods import Grid, Pinn, Solver
from pdedsl.config.networks import Mlp
from pdedsl.config.training import Lbfgs, Optimizer
from pdedsl.diagnostics import PdeError, Span
from pdedsl.ir.parameters import is_of_coordinates
from pdedsl.ir.plan import Candidate, SolvePlan
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.solver_plans import (
    MAX_LOW_DIMENSION,
    FiniteVolumeScheme,
    GridPlan,
    GridScheme,
    InterfaceFVScheme,
    MonteCarloPlan,
    PinnPlan,
)
from pdedsl.ir.spec import Spec
from pdedsl.planning.method_planners import DEFAULT_NETWORK, PLANNERS, SolverPlanner
from pdedsl.planning.transforms import (
    GIVEN,
    has_fundamental_solution,
    heat_kernel_candidates,
    is_on_space,
    plan_on_space,
    transformed_candidates,
)
from pdedsl.planning.unused_options import require_used_on_domain
from pdedsl.problem.complementarity import require_proper
from pdedsl.symbolic.evaluate import unsupported
from pdedsl.symbolic.mesh_domain import MeshNormal
from pdedsl.symbolic.symbols import Field, Partial

# ---- Plan


def plan_solve(problem: StrongForm, spec: Spec) -> SolvePlan:
    if is_on_space(problem):
        return plan_on_space(problem, spec)
    require_used_on_domain(spec)
    _require_learnable(problem)
    require_proper(problem)
    planner = planner_of(problem, spec)
    require_computable(problem, None if problem.eigenvalue else planner.scheme)
    chosen = spec.realize.equation
    candidates = chosen_candidate(planner, chosen) if chosen is not None else recommend_solvers(planner, spec)
    first = candidates[0].solver
    others = tuple(planner.alternative(m()) for m in PLANNERS if m is not type(first.method))
    reference = spec.evaluate.reference if spec.evaluate else None
    if reference is not None:
        plan_reference(reference, planner)
    if chosen is not None and isinstance(first, PinnPlan):
        _require_optimizers(chosen, first, spec.train)
    limits = spec.solve or SolveBlock()
    return SolvePlan(
        problem,
        candidates,
        float(limits.tolerance or default_tolerance(candidates, chosen is not None or _names_network(spec))),
        float(limits.budget),
        others,
        planner.network,
        planner.hard_constraints,
        None if problem.eigenvalue or isinstance(planner.grid, str) else planner.grid,
        reference.config if reference else None,
    )


def planner_of(problem: StrongForm, spec: Spec) -> SolverPlanner:
    train = spec.train
    optimizers = tuple(o.config for o in train.optimizer) if train and train.sets("optimizer") else ()
    return SolverPlanner(
        problem,
        network_of(spec) or DEFAULT_NETWORK,
        optimizers,
        train.steps if train else None,
        spec.solve.modes if spec.solve else None,
    )


def plan_reference(reference: Located[Grid], planner: SolverPlanner) -> GridPlan:
    """The plan of the reference grid in an `evaluate` block, which must apply to the problem."""
    plan = planner.plan_grid(reference.config, reference.span)
    if isinstance(plan, PdeError):
        raise errors.methods.reference_not_applicable(plan.diagnostics[0].message, reference.span)
    return plan


# ---- Requirements


def _require_optimizers(chosen: Located[Solver], solver: PinnPlan, train: TrainBlock | None) -> None:
    if chosen.sets("steps"):
        _require_steps(chosen, train, solver.optimizers)
    deterministic = not solver.optimizers or any(isinstance(o, Lbfgs) for o in solver.optimizers)
    if solver.method.probes is not None and deterministic:
        raise errors.methods.probes_with_deterministic_optimizer(chosen.span)


def _require_steps(chosen: Located[Solver], train: TrainBlock | None, optimizers: tuple[Optimizer, ...]) -> None:
    """Refuses `steps` of the method if the `train` block, or L-BFGS alone, already determines their number."""
    if train is not None and train.steps is not None:
        raise errors.methods.unused_argument("steps", "train { steps } is the number of steps", chosen.span)
    if optimizers and all(isinstance(o, Lbfgs) for o in optimizers):
        raise errors.methods.unused_argument("steps", "lbfgs(steps) is the number of steps", chosen.span)


def network_of(spec: Spec) -> Mlp | None:
    """The network for all unknowns: the first that is named, if any."""
    for unknown in spec.unknowns:
        if unknown.net is not None:
            if not isinstance(unknown.net.config, Mlp):
                raise errors.networks.needs_images(unknown.net.config.name, unknown.net.span, unknown.net.span)
            return unknown.net.config
    return None


def _names_network(spec: Spec) -> bool:
    return network_of(spec) is not None or (spec.train is not None and spec.train.sets("optimizer"))


def _require_learnable(problem: StrongForm) -> None:
    """Requires learned functions to be scalar functions of coordinates, given by networks on points."""
    for p in problem.parameters:
        if p.params and not is_of_coordinates(p, problem):
            raise errors.methods.invalid_learned_function(p.name, p.span)
        if p.params and p.net is not None and not isinstance(p.net.config, Mlp):
            raise errors.networks.needs_images(p.net.config.name, p.net.span, p.net.span)


def fastest_alternative(plan: SolvePlan, spec: Spec) -> tuple[str, float] | None:
    """The name and the predicted CPU time of the fastest method that applies and is not tried, if it is faster than the
    first candidate."""
    planner = planner_of(plan.problem, spec)
    methods = [a.method for a in plan.alternatives if not a.obstacle]
    plans = [(m.name, solver) for m in methods if not isinstance(solver := planner.plan(m, spec.space.span), PdeError)]
    costs = [(planner.predict_seconds(solver), name) for name, solver in plans]
    seconds, name = min(costs, default=(plan.candidates[0].seconds, ""))
    return (name, seconds) if seconds < plan.candidates[0].seconds else None


# ---- Candidates


STATED_SIZES = {"n", "samples", "steps", "points", "h"}  # arguments that fix a discretization besides its size argument
DEFAULT_TOLERANCE = 1e-4  # relative L2 error
VISIBLE_ERROR = 1e-2  # visible in a plot: for stated sizes, shocks (in L1), networks and Monte Carlo
ONE_DIGIT = 0.1  # relative error with one correct digit


def chosen_candidate(planner: SolverPlanner, chosen: Located[Solver]) -> tuple[Candidate, ...]:
    """The method of `realize equation`, without others; it is refined unless its size is stated."""
    plan = planner.plan(chosen.config, chosen.span)
    if isinstance(plan, PdeError):
        raise plan
    trained = isinstance(plan, PinnPlan) and (plan.steps is not None or bool(plan.optimizers))
    refinable = not trained and not any(map(chosen.sets, STATED_SIZES | {plan.size_argument}))
    return (Candidate(plan, GIVEN, planner.predict_seconds(plan), refinable),)


def recommend_solvers(planner: SolverPlanner, spec: Spec) -> tuple[Candidate, ...]:
    """All methods that apply, the least expensive first; networks alone for inverse problems. Products of integrals in
    dimensions that have no grid."""
    span = spec.space.span
    if planner.is_inverse:
        return _only_pinn(planner, span, "inverse problem: parameters are trained together with the network")
    if _names_network(spec):
        return _only_pinn(planner, span, "the spec names a network or an optimizer")
    plans = [planner.plan(method.default_method(planner), span) for method in planner.planners.values()]
    applicable = [p for p in plans if not isinstance(p, PdeError)]
    if not applicable:
        raise next(p for p in plans if isinstance(p, PdeError)).without_fixes()  # the fixes replace a method
    candidates = [Candidate(p, planner.reason_for(p), planner.predict_seconds(p)) for p in applicable]
    least = min(c.seconds for c in candidates)
    transformed = [
        c for c in transformed_candidates(planner.problem) if has_fundamental_solution(c) or c.seconds < least
    ]
    kernels = list(heat_kernel_candidates(planner.problem)) if planner.features.dimension > MAX_LOW_DIMENSION else []
    every = [*kernels, *transformed, *candidates]
    return tuple(sorted(every, key=lambda c: (not has_fundamental_solution(c), c.seconds)))


def _only_pinn(planner: SolverPlanner, span: Span, reason: str) -> tuple[Candidate, ...]:
    plan = planner.plan(Pinn(), span)
    if isinstance(plan, PdeError):
        raise plan.without_fixes()  # the fixes replace a method in the spec
    return (Candidate(plan, reason, planner.predict_seconds(plan), refinable=False),)


def default_tolerance(candidates: tuple[Candidate, ...], is_stated: bool) -> float:
    """1e-4; an error that is not visible in a plot for shocks, and for a stated method that converges slowly or has a
    stated size; one digit for Monte Carlo with a stated number of samples."""
    if any(map(_has_shocks, candidates)):
        return VISIBLE_ERROR
    if any(isinstance(c.solver, MonteCarloPlan) and not c.refinable for c in candidates):
        return ONE_DIGIT
    converges = any(c.refinable and c.solver.converges_quickly for c in candidates)
    return DEFAULT_TOLERANCE if converges or not is_stated else VISIBLE_ERROR


def _has_shocks(candidate: Candidate) -> bool:
    return isinstance(candidate.solver, GridPlan) and isinstance(candidate.solver.scheme, FiniteVolumeScheme)


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
    is_jet = isinstance(e, Field) or (isinstance(e, Partial) and isinstance(e.body, Field))
    return "" if is_jet or isinstance(e, Symbol | MeshNormal) else None
