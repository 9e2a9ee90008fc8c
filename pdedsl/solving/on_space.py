"""The evolution operator of an equation on R^d without learned parts, compared with a grid, for `crosscheck`.

They are compared where the truncation to a box does not matter: in the middle half of the box, at the end of time
farthest from the data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from pdedsl import mistakes
from pdedsl.compilation import Compilation
from pdedsl.diagnostics import PdeError
from pdedsl.emit.pointwise import pointwise
from pdedsl.ir.plan import DataPlan, OperatorPlan, SolvePlan
from pdedsl.ir.statement import Face, Statement
from pdedsl.lower.truncated import EXTENT, truncated
from pdedsl.plan.solving import obstacle
from pdedsl.solving.assess import CHEAP, WITH_PATHS
from pdedsl.solving.crosscheck import Crosscheck, Member, crosscheck, pair
from pdedsl.solving.fresh import SEED
from pdedsl.solving.run import how_of, seed_of
from pdedsl.solving.truncated import solve_truncated
from pdedsl.words.solvers import Grid

Tell = Callable[[str], None]
INTERVAL = 1.96  # standard errors, for 95 %


def crosschecked(compilation: Compilation, device: str | None, tell: Tell) -> Crosscheck:
    """Every method that applies: to the problem on a physical domain; on R^d, the operator and a grid."""
    if isinstance(compilation.plan, SolvePlan):
        return crosscheck(compilation.plan, compilation.spec.source, how_of(compilation, device), tell)
    grid = _grid(compilation)
    if grid is None:
        raise mistakes.runs.trained_not_solved(compilation.spec.space.span).within(compilation.spec.source)
    return _operator_and_grid(compilation, grid, tell)


def _grid(compilation: Compilation) -> Grid | None:
    """The reference that the spec asks for, or a cheap one; None if the equation has no operator of its own."""
    spec, plan = compilation.spec, compilation.plan
    known = isinstance(plan, DataPlan) and plan.classes is None and not spec.learned
    if not known or isinstance(compilation.operator_plan, PdeError):
        return None
    if spec.evaluate is not None and spec.evaluate.reference is not None:
        return spec.evaluate.reference.word
    assert isinstance(plan, DataPlan)
    return Grid(n=CHEAP[plan.dimension], extent=EXTENT) if plan.dimension in CHEAP else None


def _operator_and_grid(compilation: Compilation, grid: Grid, tell: Tell) -> Crosscheck:
    grid = replace(grid, extent=grid.extent or EXTENT)
    statement = truncated(compilation.analysis, float(grid.extent or EXTENT))
    refusal = obstacle(replace(grid, extent=None), statement, compilation.spec.space.span)
    source, seed = torch.Generator().manual_seed(seed_of(compilation.spec) + SEED), seed_of(compilation.spec)
    shares = torch.rand(WITH_PATHS, len(statement.domain.space), generator=source, dtype=torch.float64)
    points = float(grid.extent or EXTENT) * (shares - 0.5)
    makers = [("the operator", _by_operator), *([] if refusal else [(str(grid), _by_grid)])]
    members = []
    for name, make in makers:
        tell(name)
        members.append(make(compilation, statement, grid, points, seed))
    without = ((grid.name, refusal.diagnostics[0].message),) if refusal else ()
    return Crosscheck(tuple(members), () if refusal else (pair(*members),), without)


def _by_operator(compilation: Compilation, statement: Statement, grid: Grid, points: Tensor, seed: int) -> Member:
    plan = compilation.operator_plan
    assert isinstance(plan, OperatorPlan)
    data, _, end = _data(statement)
    with torch.no_grad():
        found = compilation.operator(seed=seed).double().estimate(data, points, end)  # type: ignore[operator]
    half = INTERVAL * found.standard_error
    name = f"the operator, {plan.samples:,} draws"
    error = float(half.norm() / found.mean.norm())
    return Member(name, found.mean[:, None], error, "half-width of its 95 % interval", drawn=True)


def _by_grid(compilation: Compilation, statement: Statement, grid: Grid, points: Tensor, seed: int) -> Member:
    solved = solve_truncated(compilation.analysis, grid, seed=seed)
    *_, end = _data(statement)
    with torch.no_grad():
        values = solved(torch.cat([points, torch.full_like(points[:, :1], end)], 1))
    own = max(solved.figures["error"], solved.figures["rim"] / float(values.abs().max()))
    return Member(str(grid), values, own, "distance to half as many points a side, or what is cut off at the rim")


def _data(statement: Statement) -> tuple[Callable[[Tensor], Tensor], float, float]:
    """The data given at one end of time, the time of that end, and the other end."""
    (condition,) = (c for c in statement.conditions if isinstance(c.place, Face))
    affine = condition.residuals[0].affine
    assert affine is not None
    ((_, coefficient),) = affine.parts
    time = statement.domain.intervals[-1]
    ends = (float(time.end), float(time.start)) if condition.place.upper else (float(time.start), float(time.end))  # type: ignore[union-attr]
    value = pointwise((-affine.rest / coefficient,), statement.domain.coordinates)

    def at(x: Tensor) -> Tensor:
        (found,) = value(*x.unbind(-1), torch.full_like(x[..., 0], ends[0]))
        return found.expand(x.shape[:-1])

    return at, *ends
