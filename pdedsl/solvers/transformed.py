"""Solution of a transformed problem, mapped back: u(x) = output(x, v(y), ∂v(y), …) at y = y(x)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor, nn

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.codegen.strong_form import derivative_path
from pdedsl.ir.solver_plans import TransformedPlan
from pdedsl.ir.transforms import Transform
from pdedsl.runtime.diff.autodiff import partial_derivatives
from pdedsl.solvers.dispatch import HasIntervals, describe_module, has_expensive_values, method_of, rebuild_module
from pdedsl.solvers.method_result import Levels, SolverResult
from pdedsl.solvers.solver_method import Form, ModuleFormat, SolveOptions, SolverMethod, StoredModule


class TransformedSolution(nn.Module):
    """Points (n, k) to the components of u, from a module of v."""

    def __init__(self, transform: Transform, inner: nn.Module, plan: TransformedPlan) -> None:
        super().__init__()
        self.inner, self.transform, self.plan = inner, transform, plan
        coordinates = plan.problem.domain.coordinates
        self._coordinates = compile_pointwise(transform.coordinates, coordinates)
        self._output = compile_pointwise(transform.output, (*coordinates, *(s for s, _ in transform.jets)))
        self._paths = [derivative_path(d) for _, d in transform.jets]

    @property
    def has_derivatives(self) -> bool:
        return bool(getattr(self.inner, "has_derivatives", True))

    @property
    def has_expensive_values(self) -> bool:
        return has_expensive_values(self.inner)

    def forward(self, points: Tensor) -> Tensor:
        moved = self._moved(points)
        if not self.transform.order:
            return self._mapped(points, self._function(moved))
        jets = partial_derivatives(self._function, moved, *self._paths)
        return self._mapped(points, jets if torch.is_grad_enabled() and points.requires_grad else jets.detach())

    @torch.no_grad()
    def interval(self, points: Tensor) -> tuple[Tensor, Tensor]:
        """u, and the half-width of its 95 % confidence intervals: the largest change of the output within those of
        v."""
        assert isinstance(self.inner, HasIntervals)
        value, half = self.inner.interval(self._moved(points))
        log: Callable[[Tensor], Tensor] = torch.log if self.transform.is_logarithmic else torch.clone
        center, *ends = (self._mapped(points, log(v)) for v in (value, value - half, value + half))
        return center, torch.stack([(e - center).abs() for e in ends]).nan_to_num(torch.inf).amax(0)

    @property
    def _function(self) -> Callable[[Tensor], Tensor]:
        if not self.transform.is_logarithmic:
            return self.inner
        own: Callable[[Tensor], Tensor] | None = getattr(self.inner, "logarithm", None)
        return own or (lambda y: torch.log(self.inner(y)))

    def _moved(self, points: Tensor) -> Tensor:
        return torch.stack(self._coordinates(*points.unbind(-1)), -1)

    def _mapped(self, points: Tensor, jets: Tensor) -> Tensor:
        return torch.stack(self._output(*points.unbind(-1), *jets.unbind(-1)), -1)


def _map_back(result: SolverResult, plan: TransformedPlan) -> SolverResult:
    """The solution of the problem; error estimates of v do not hold for u."""
    module = TransformedSolution(plan.transform, result.module, plan)
    return replace(result, module=module, notes=(plan.transform.text, *result.notes), error_estimates={})


def _solve(plan: TransformedPlan, options: SolveOptions) -> SolverResult:
    return _map_back(method_of(plan.inner).solve(plan.inner, options), plan)


def _levels(plan: TransformedPlan, options: SolveOptions) -> Levels:
    for result in method_of(plan.inner).levels(plan.inner, options):
        yield _map_back(result, plan)


def _describe(module: TransformedSolution) -> Form:
    return {"theorem": module.transform.theorem.name, "inner": describe_module(module.inner, module.plan.inner)}


def _rebuild(stored: StoredModule[TransformedPlan]) -> nn.Module:
    plan = stored.plan
    tensors = {name.removeprefix("inner."): value for name, value in stored.tensors.items()}
    inner = rebuild_module(stored.form["inner"], tensors, plan.inner, stored.options)
    return TransformedSolution(plan.transform, inner, plan)


METHOD = SolverMethod[TransformedPlan](
    _solve,
    _levels,
    (ModuleFormat("transformed", TransformedSolution, _rebuild, _describe),),
)
