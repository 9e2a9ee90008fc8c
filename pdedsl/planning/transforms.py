"""Candidates that solve a transformed problem, and problems on R^d, which have no others.

A transform is applied where the method for the transformed problem is cheaper or more accurate: convolution with the
heat kernel, which is exact up to quadrature, or a method whose predicted CPU time is smaller.
"""

from __future__ import annotations

from collections.abc import Iterator

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.blocks import SolveBlock
from pdedsl.config.methods import Elements, Grid, HeatKernelQuadrature, MonteCarlo, RandomFeatures, Solver
from pdedsl.diagnostics import PdeError
from pdedsl.ir.diffusion_process import DiffusionProcess
from pdedsl.ir.plan import Candidate, SolvePlan
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.solver_plans import HeatKernelPlan, MonteCarloPlan, SolverPlan, TransformedPlan
from pdedsl.ir.spec import Spec
from pdedsl.ir.transforms import Transform
from pdedsl.lowering.transforms import transforms_of
from pdedsl.planning.method_planners import PLANNERS, MonteCarloPlanner, SolverPlanner
from pdedsl.planning.unused_options import require_used_on_domain
from pdedsl.problem.heat_kernel import NoHeatKernel, heat_kernel_of

GIVEN = "specified by `realize equation`"  # the reason for a method
DIRECT_METHODS = (Grid, Elements, RandomFeatures)  # for transformed problems on bounded domains
MAX_TRANSFORMS = 2  # one after the other
FIRST_NODES = {1: 128, 2: 32}  # per variable: for five digits of a layer with ν = 0.003
QUADRATURE_SECONDS = {1: 0.2, 2: 1.0}  # by the number of variables of the quadrature, with its error estimate


def transformed_candidates(problem: StrongForm) -> Iterator[Candidate]:
    """Candidates by all transforms that apply."""
    for plan in _transformed_plans(problem, MAX_TRANSFORMS):
        yield Candidate(plan, _reason(plan), _predict_seconds(plan))


def _transformed_plans(problem: StrongForm, depth: int) -> Iterator[TransformedPlan]:
    if not depth:
        return
    for transform in transforms_of(problem):
        for inner in _inner_plans(transform, depth):
            yield TransformedPlan(problem, inner.method, transform, inner)


def _inner_plans(transform: Transform, depth: int) -> Iterator[SolverPlan]:
    """The methods for the transformed problem."""
    problem = transform.problem
    kernel = plan_heat_kernel(problem)
    if kernel is not None and (kernel.kernel.has_logarithm or not transform.is_logarithmic):
        yield kernel
        return
    if not is_on_space(problem):
        if not transform.order and (cheapest := _cheapest_plan(problem)) is not None:
            yield cheapest
        return
    if not transform.order and (paths := plan_monte_carlo(problem)) is not None:
        yield paths


def _cheapest_plan(problem: StrongForm) -> SolverPlan | None:
    """The method with the smallest predicted CPU time on a bounded domain."""
    planner, span = SolverPlanner(problem), problem.equations[0].span
    plans = [planner.plan(PLANNERS[m].default_method(planner), span) for m in DIRECT_METHODS]
    applicable = [p for p in plans if not isinstance(p, PdeError)]
    return min(applicable, key=planner.predict_seconds, default=None)


def has_fundamental_solution(candidate: Candidate) -> bool:
    """Whether the method is convolution with the heat kernel: its error does not accumulate in time, and layers need
    no grid, so that it comes before methods with smaller predicted times."""
    plan = candidate.solver
    while isinstance(plan, TransformedPlan):
        plan = plan.inner
    return isinstance(plan, HeatKernelPlan)


def plan_heat_kernel(problem: StrongForm) -> HeatKernelPlan | None:
    try:
        kernel = heat_kernel_of(problem)
    except NoHeatKernel:
        return None
    return HeatKernelPlan(problem, HeatKernelQuadrature(n=FIRST_NODES[kernel.variables]), kernel)


def heat_kernel_candidates(problem: StrongForm) -> Iterator[Candidate]:
    """Convolution with the heat kernel, if it solves the problem itself."""
    plan = plan_heat_kernel(problem)
    if plan is not None:
        yield Candidate(plan, _reason(plan), _predict_seconds(plan))


def plan_monte_carlo(problem: StrongForm) -> MonteCarloPlan | None:
    planner = SolverPlanner(problem)
    if not isinstance(planner.process, DiffusionProcess):
        return None
    return MonteCarloPlanner().plan(planner, MonteCarlo())


def _predict_seconds(plan: SolverPlan) -> float:
    match plan:
        case TransformedPlan(inner=inner):
            return _predict_seconds(inner)
        case HeatKernelPlan(kernel=kernel):
            return QUADRATURE_SECONDS[kernel.variables]
        case _:
            planner = SolverPlanner(plan.problem)
            return planner.predict_seconds(plan)


def _reason(plan: SolverPlan) -> str:
    match plan:
        case TransformedPlan(inner=inner):
            return f"transformed: {_reason(inner)}"
        case HeatKernelPlan():
            return "heat equation with constant coefficients: an integral of the data, by quadrature"
        case _:
            return SolverPlanner(plan.problem).reason_for(plan)


# ---- Problems on R^d


PATHS_TOLERANCE = 1e-2  # of Monte Carlo means
QUADRATURE_TOLERANCE = 1e-4


def is_on_space(problem: StrongForm) -> bool:
    dimension = len(problem.domain.space)
    return dimension > 0 and not any(i.start.is_finite for i in problem.domain.intervals[:dimension])


def candidates_on_space(problem: StrongForm) -> tuple[Candidate, ...]:
    """The methods for a problem on R^d, the least expensive first."""
    plans: list[SolverPlan] = [*_transformed_plans(problem, MAX_TRANSFORMS)]
    plans += [p for p in (plan_heat_kernel(problem), plan_monte_carlo(problem)) if p is not None]
    candidates = (Candidate(p, _reason(p), _predict_seconds(p)) for p in plans)
    return tuple(sorted(candidates, key=lambda c: c.seconds))


def _chosen_on_space(planner: SolverPlanner, chosen: Located[Solver]) -> Candidate:
    """Monte Carlo without a transform: the only method of a spec on R^d."""
    if not isinstance(chosen.config, MonteCarlo):
        reason = "a problem on R^d has no grid, mesh or collocation points"
        raise errors.methods.solver_not_applicable(chosen.config.name, reason, chosen.span, ["monte_carlo"])
    plan = planner.plan(chosen.config, chosen.span)
    if isinstance(plan, PdeError):
        raise plan
    return Candidate(plan, GIVEN, planner.predict_seconds(plan), refinable=not chosen.sets("samples"))


def plan_on_space(problem: StrongForm, spec: Spec) -> SolvePlan:
    """The plan of a problem on R^d; raises PdeError with the reason if no method applies."""
    require_used_on_domain(spec)
    if spec.evaluate is not None and spec.evaluate.reference is not None:
        reason = "there is no grid for a nonlinear equation on R^d"
        raise errors.methods.reference_not_applicable(reason, spec.evaluate.reference.span)
    planner = SolverPlanner(problem)
    chosen = spec.realize.equation
    candidates = candidates_on_space(problem) if chosen is None else (_chosen_on_space(planner, chosen),)
    if not candidates:
        assert isinstance(planner.process, PdeError)
        raise planner.process
    limits = spec.solve or SolveBlock()
    quick = any(c.solver.converges_quickly for c in candidates)
    tolerance = limits.tolerance or (QUADRATURE_TOLERANCE if quick else PATHS_TOLERANCE)
    return SolvePlan(
        problem,
        candidates,
        float(tolerance),
        float(limits.budget),
        (),
        planner.network,
        planner.hard_constraints,
        None,
    )
