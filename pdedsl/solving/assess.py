"""Solved → Trust: fresh residuals, and a reference: the exact solution if there is one, else a grid where it is cheap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from pdedsl.diagnostics import Source
from pdedsl.emit.pointwise import pointwise
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.statement import Statement
from pdedsl.solving.fresh import SEED, Audit
from pdedsl.solving.methods import How, has_derivatives, interval_of, solved_by
from pdedsl.solving.points import Points
from pdedsl.solving.solved import Solved
from pdedsl.solving.trust import Comparison, Trust, compared, relative
from pdedsl.words.solvers import Grid, Paths

COMPARED = 2048  # points at which two solutions are compared
WITH_PATHS = 64  # and where each costs thousands of paths
CHEAP = {1: 256, 2: 48}  # points a side of a grid that costs little, by the dimension of space
SIGMAS = 3.0  # half-widths of an interval of 95 %, which is 5.9 standard deviations: 4e-9 for one point

Function = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Reference:
    """What a solution is compared with; `error` is what it says of its own."""

    text: str
    values: Function
    error: float


def trust_of(solved: Solved, plan: SolvePlan, source: Source, how: How) -> Trust:
    statement = plan.statement
    gaps = audit_of(solved, statement, how).gaps(source) if has_derivatives(solved.method) else ()
    notes: list[str] = []
    comparisons = []
    for reference in references_of(solved, plan, how, notes):
        comparisons.append(comparison(solved, reference, statement, how))
    return Trust(gaps, tuple(comparisons), tuple(notes))


def audit_of(solved: Solved, statement: Statement, how: How) -> Audit:
    values = {name: found.value for name, found in solved.parameters.items()}
    return Audit(statement, solved.module, Points(statement.domain, how.device), how.seed, values)


def comparison(solved: Solved, reference: Reference, statement: Statement, how: How) -> Comparison:
    points = fresh_points(statement, solved, how)
    names = tuple(c.name for c in statement.components)
    with torch.no_grad():
        found, expected = solved(points), reference.values(points)
    made = compared(found, expected, names, reference.text, reference.error)
    if isinstance(solved.method, Paths):
        half = interval_of(solved, points)
        return replace(made, error=float(half.norm() / expected.norm()), margin=SIGMAS)
    return made


def fresh_points(statement: Statement, solved: Solved, how: How) -> Tensor:
    count = WITH_PATHS if isinstance(solved.method, Paths) else COMPARED
    return Points(statement.domain, how.device).inside(count, how.seed + SEED + 1)


def references_of(solved: Solved, plan: SolvePlan, how: How, notes: list[str]) -> Iterator[Reference]:
    """The exact solution; the grid that the spec asks for; else one that is cheap, if nothing else is known."""
    statement = plan.statement
    exact = exact_of(statement)
    if exact is not None:
        yield exact
    grid = plan.reference
    if grid is None and exact is None:
        grid = cheap_grid(plan)
        if grid is None:
            notes.append("no exact solution is stated, and no grid is cheap here: only the residuals speak")
    if grid is not None:
        yield grid_of(grid, plan, how)


def exact_of(statement: Statement) -> Reference | None:
    known = [e for e in statement.exact if e is not None]
    if len(known) < len(statement.components):
        return None
    at = pointwise(known, statement.domain.coordinates)
    return Reference("the exact solution", lambda x: torch.stack(at(*x.unbind(-1)), -1), 0.0)


def cheap_grid(plan: SolvePlan) -> Grid | None:
    """One that costs little: of one or two dimensions, if a grid applies at all."""
    applies = isinstance(plan.method, Grid) or any(
        isinstance(a.method, Grid) and not a.obstacle for a in plan.alternatives
    )
    n = CHEAP.get(len(plan.statement.domain.space))
    return Grid(n=n) if applies and n is not None else None


def grid_of(grid: Grid, plan: SolvePlan, how: How) -> Reference:
    """A grid, and its distance to one of half as many points a side, which is larger than its error where it
    converges."""
    fine, coarse = (solved_by(g, plan, how) for g in (grid, replace(grid, n=max(4, grid.n // 2))))
    points = Points(plan.statement.domain, how.device).inside(COMPARED, how.seed + SEED + 1)
    with torch.no_grad():
        error = relative(coarse(points), fine(points))
    return Reference(str(grid), fine, max(error, 1e-16))
