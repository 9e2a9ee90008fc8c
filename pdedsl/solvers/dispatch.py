"""Dispatch to the solvers: one size, or levels of refinement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from torch import Tensor, nn

from pdedsl.io import RunError
from pdedsl.ir.plan import Candidate
from pdedsl.ir.solver_plans import GridPlan, RandomFeaturesPlan, SolverPlan
from pdedsl.solvers.ansatz import AnsatzModule, add_lifts
from pdedsl.solvers.method_result import EstimateKind, Levels, SolverResult
from pdedsl.solvers.solver_method import Form, SolveOptions, SolverMethod, StoredModule


def method_of(plan: SolverPlan) -> SolverMethod[Any]:
    """The solver that executes a plan."""
    method: SolverMethod[Any] = import_module(f"pdedsl.solvers.{plan.implementation}").METHOD
    return method


def levels_of(candidate: Candidate, options: SolveOptions) -> Levels:
    """Results on successively finer levels; a single one if the spec states the size."""
    plan = candidate.solver
    if candidate.refinable:
        with _enough_memory(plan):
            yield from method_of(plan).levels(plan, options)
    else:
        yield _with_self_convergence(solve_with(plan, options))


def _with_self_convergence(result: SolverResult) -> SolverResult:
    """With the estimate of a grid of stated size from the N/2 grid."""
    error = result.metrics.get("error")
    if error is None:
        return result
    return replace(result, error_estimates={**result.error_estimates, EstimateKind.REFINEMENT: error})


def solve_with(plan: SolverPlan, options: SolveOptions) -> SolverResult:
    """Runs a solver; raises RunError if it runs out of memory."""
    with _enough_memory(plan):
        return method_of(plan).solve(plan, options)


@contextmanager
def _enough_memory(plan: SolverPlan) -> Iterator[None]:
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, MemoryError) or "allocate" in str(error):
            raise RunError(f"not enough memory for {plan.method}: reduce its size") from None
        raise


# ---- Stored modules


LIFTED = "lifted"  # plus the lifts of periodic conditions with jumps


def describe_module(module: nn.Module, plan: SolverPlan) -> Form:
    for stored in method_of(plan).formats:
        if isinstance(module, stored.module):
            return {"kind": stored.kind, **stored.describe(module)}
    if isinstance(module, AnsatzModule):
        return {"kind": LIFTED, "inner": describe_module(module.network, plan)}
    raise TypeError(f"{type(module).__name__} cannot be serialized")


def is_module_of(form: Form, plan: SolverPlan) -> bool:
    """Whether solutions of a plan have this kind of module."""
    kind = form["inner"].get("kind") if form.get("kind") == LIFTED else form.get("kind")
    return any(stored.kind == kind for stored in method_of(plan).formats)


def rebuild_module(form: Form, tensors: Mapping[str, Tensor], plan: SolverPlan, options: SolveOptions) -> nn.Module:
    kind = form.get("kind")
    if kind == LIFTED and isinstance(plan, GridPlan | RandomFeaturesPlan):
        inner = {name.removeprefix("network."): value for name, value in tensors.items()}
        module = rebuild_module(form["inner"], inner, plan, options)
        return add_lifts(module, plan.lifts, plan.problem.domain.coordinates)
    for stored in method_of(plan).formats:
        if stored.kind == kind:
            return stored.rebuild(StoredModule(form, tensors, plan, options))
    raise RunError(f"the weights are of kind {kind!r}, which does not match the method of the spec")


# ---- Properties of solutions


def has_derivatives(result: SolverResult) -> bool:
    """Whether residuals can be evaluated: modules for which they cannot state it, such as piecewise polynomials."""
    return bool(getattr(result.module, "has_derivatives", True))


def has_expensive_values(module: nn.Module) -> bool:
    """Whether a value costs thousands of operations, by modules that state it: plots then have fewer points."""
    return bool(getattr(module, "has_expensive_values", False))


def confidence_half_width(result: SolverResult, points: Tensor) -> Tensor:
    """Half-width of the 95 % confidence intervals of a Monte Carlo solution at points."""
    assert isinstance(result.module, HasIntervals)
    return result.module.interval(points)[1]


@runtime_checkable
class HasIntervals(Protocol):
    """A solution with confidence intervals."""

    def interval(self, points: Tensor) -> tuple[Tensor, Tensor]:
        """Values (n, c), and half-widths of their 95 % confidence intervals."""
