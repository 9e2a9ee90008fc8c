"""Tests of the generated residuals by manufactured solutions and by the exact solution.

Each residual at a manufactured solution (sines of the coordinates) is computed with sympy, and compared with the
generated function, which differentiates a module. All residuals must vanish at the exact solution of the spec.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import pi
from typing import cast

import torch
from sympy import DiracDelta, Dummy, Expr, Float, Integer, Symbol, cos, lambdify, sin
from torch import Tensor, nn

from pdedsl.codegen.names import python_name
from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.codegen.strong_form import CONDITION, EQUATION, PythonNames, eigenvalue_parts
from pdedsl.ir.boundary import ConditionResidual
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Residual
from pdedsl.solvers.collocation_points import PointSampler
from pdedsl.symbolic.symbols import Field, Partial, atoms
from pdedsl.testing.model import ModelUnderTest
from pdedsl.testing.moment_tests import CheckOutcome, Finding

RESIDUALS, EXACT = "residuals", "exact solution"
POINTS = 16  # per residual: wrong formulas differ at almost every point
LEARNED_FIELD_VALUE = 1.5  # value of a learned coefficient
EIGENVALUE = 1.25  # value of real and imaginary part of an eigenvalue
RESIDUAL_RTOL = 1e-10  # rounding, with derivatives up to the fourth order
EXACT_RTOL = 1e-8  # relative to the size of the terms


class FormulaModule(nn.Module):
    """A function given by formulas, as a module."""

    def __init__(self, exprs: tuple[Expr, ...], coordinates: tuple[Symbol, ...]) -> None:
        super().__init__()
        self.at = compile_pointwise(exprs, coordinates)

    def forward(self, points: Tensor) -> Tensor:
        return torch.stack(self.at(*points.unbind(-1)), -1)


@dataclass(frozen=True)
class NamedResidual:
    """A residual of the problem with the name of its generated function."""

    name: str
    residual: Residual
    condition: ConditionResidual | None


def named_residuals(problem: StrongForm) -> Iterator[NamedResidual]:
    for k, residual in enumerate(problem.equations, 1):
        yield NamedResidual(f"{EQUATION}{k}", residual, None)
    imposed = [(c, r) for c in problem.conditions for r in c.residuals]
    for k, (condition, residual) in enumerate(imposed, 1):
        yield NamedResidual(f"{CONDITION}{k}", residual, condition)


def residual_findings(tested: ModelUnderTest, plan: SolvePlan, seed: int) -> Iterator[Finding]:
    problem = plan.problem
    waves = tuple(_manufactured_solution(k, problem) for k in range(len(problem.components)))
    worst, where = 0.0, ""
    for one in named_residuals(problem):
        points = _points(one, problem, seed)
        residual = _residual_function(tested, one, FormulaModule(waves, problem.domain.coordinates), problem)(points)
        off = float(
            (residual - _reference_residual(one.residual, waves, problem, points)).abs().max()
            / (1.0 + residual.abs().max())
        )
        worst, where = max((worst, where), (off, one.name))
    outcome = CheckOutcome.PASSED if worst <= RESIDUAL_RTOL else CheckOutcome.VIOLATED
    yield Finding(
        RESIDUALS,
        outcome,
        f"relative error at most {worst:.1e} at a manufactured solution, in {where}; tolerance {RESIDUAL_RTOL:g}",
    )


def exact_findings(tested: ModelUnderTest, plan: SolvePlan, seed: int) -> Iterator[Finding]:
    problem = plan.problem
    known = tuple(e for e in problem.exact if e is not None)
    if len(known) < len(problem.components):
        yield Finding(EXACT, CheckOutcome.UNTESTED, "the spec has no exact solution")
        return
    if problem.parameters:
        yield Finding(EXACT, CheckOutcome.UNTESTED, "a coefficient is learned")
        return
    module = FormulaModule(known, problem.domain.coordinates)
    worst, where = 0.0, ""
    for one in named_residuals(problem):
        points = _points(one, problem, seed)
        off = float(_residual_function(tested, one, module, problem)(points).abs().max()) / _size(
            one, known, problem, points
        )
        worst, where = max((worst, where), (off, one.name))
    outcome = CheckOutcome.PASSED if worst <= EXACT_RTOL else CheckOutcome.VIOLATED
    yield Finding(EXACT, outcome, f"relative residual at most {worst:.1e}, in {where}; tolerance {EXACT_RTOL:g}")


def _points(one: NamedResidual, problem: StrongForm, seed: int) -> Tensor:
    points = PointSampler(problem.domain)
    if one.condition is None:
        return points.inside(POINTS, seed, during=one.residual.interval)
    return points.on(one.condition, POINTS, seed)


def _residual_function(
    tested: ModelUnderTest, one: NamedResidual, module: nn.Module, problem: StrongForm
) -> Callable[[Tensor], Tensor]:
    function = tested.functions.get(one.name)
    if function is None:
        raise ValueError(f"this model has no function '{one.name}'")
    needed = set(tested.functions.required_arguments(one.name))
    fields = {python_name(w): _constant for w in problem.parameters if python_name(w) in needed}
    names = PythonNames(problem, one.residual).of
    numbers = {names[s]: EIGENVALUE for s in eigenvalue_parts(problem) if names[s] in needed}
    return lambda points: cast(Tensor, function(model=module, points=points, **fields, **numbers)).detach()


def _constant(points: Tensor) -> Tensor:
    return torch.full_like(points[..., :1], LEARNED_FIELD_VALUE)


def _manufactured_solution(component: int, problem: StrongForm) -> Expr:
    """A function without symmetries, on the scale of the domain; above 1, so that roots and logarithms exist."""
    domain, phase = problem.domain, Integer(0)
    for k, (x, interval) in enumerate(zip(domain.coordinates, domain.intervals, strict=True)):
        phase += Float(pi * (1 + (k + 2 * component) % 3) / 3) * (x - interval.start) / (interval.end - interval.start)
    return Float(2.5) + component + sin(phase + Float(0.3)) + cos(2 * phase) / 4


def _jet_values(residual: Residual, values: tuple[Expr, ...], problem: StrongForm) -> dict[Symbol, Expr]:
    def of(component: int, orders: tuple[int, ...]) -> Expr:
        derivative = values[component]
        for x, n in zip(problem.domain.coordinates, orders, strict=True):
            if n:  # in 100 dimensions simplifying takes a minute
                derivative = derivative.diff(x, n, simplify=False)
        return derivative

    return {s: of(d.component, d.orders) for s, d in residual.jet_variables}


def _numbers(expr: Expr, problem: StrongForm, points: Tensor) -> Tensor:
    fields = {p: Integer(0) for p in atoms(expr, Partial)} | {f: Float(LEARNED_FIELD_VALUE) for f in atoms(expr, Field)}
    dummies = {x: Dummy() for x in problem.domain.coordinates}  # no text of a spec is in the generated source
    function = lambdify(list(dummies.values()), expr.xreplace(fields | dummies), "mpmath")
    return torch.tensor([float(function(*row)) for row in points.tolist()], dtype=torch.float64)


def _reference_residual(residual: Residual, values: tuple[Expr, ...], problem: StrongForm, points: Tensor) -> Tensor:
    whole = residual.expr.replace(DiracDelta, lambda *_: Integer(0))
    whole = whole.xreplace(dict.fromkeys(eigenvalue_parts(problem), Float(EIGENVALUE)))
    return _numbers(whole.xreplace(_jet_values(residual, values, problem)), problem, points)


def _size(one: NamedResidual, values: tuple[Expr, ...], problem: StrongForm, points: Tensor) -> float:
    """The scale of the terms: the largest absolute value of a derivative, at least 1."""
    jet = _jet_values(one.residual, values, problem).values()
    return max([1.0, *(float(_numbers(e, problem, points).abs().max()) for e in jet)])
