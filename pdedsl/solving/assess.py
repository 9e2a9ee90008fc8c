"""Solved → Trust: fresh residuals, and a reference: the exact solution if stated, else a grid if cheap."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf, isfinite, nan

import torch
from torch import Tensor

from pdedsl.diagnostics import Source
from pdedsl.emit.pointwise import pointwise
from pdedsl.explanation.solving import floating_lines
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.statement import Statement
from pdedsl.plan.grids import Scheme, grid_scheme
from pdedsl.plan.numbers import functions_of, with_functions
from pdedsl.runtime.time_steps import Exhausted, Unstable
from pdedsl.solving.anchored import anchored
from pdedsl.solving.ansatz_module import AnsatzModule, WithFunctions
from pdedsl.solving.fresh import SEED, Audit
from pdedsl.solving.grid import IN_MEAN, solve_by_grid
from pdedsl.solving.gridded import Failed
from pdedsl.solving.methods import How, has_derivatives, interval_of, solved_by
from pdedsl.solving.points import Points
from pdedsl.solving.solved import Solved
from pdedsl.solving.trust import NO_DIGIT, Comparison, ErrorBar, Trust, compared
from pdedsl.words.solvers import Grid, Paths

COMPARED = 2048  # points at which two solutions are compared
WITH_PATHS = 64  # the same, if each costs thousands of paths
CHEAP = {1: 256, 2: 48, 3: 12}  # points per side of a grid that costs little, by the dimension of space
MANY_STEPS = 1500  # in time, of a grid that nobody asked for: a solution that needs more of them is not cheap
ALONE = "no exact solution is stated, and no cheap grid solves this: only {} speak"
BY_ITSELF = "nothing but half the grid was compared with this solution: `pdedsl crosscheck` tries the other methods"
ROUNDING = 1e-16

Function = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Reference:
    """What a solution is compared with; `error` is its own estimate of its error."""

    text: str
    values: Function
    error: float


@dataclass(frozen=True)
class Assessment:
    """How far the solution can be trusted, and what it was compared with."""

    trust: Trust
    references: tuple[Reference, ...]


def assessed(solved: Solved, plan: SolvePlan, source: Source, how: How) -> Assessment:
    gaps = audit_of(solved, plan.statement, how).gaps(source) if has_derivatives(solved) else ()
    found = {name: e.value for name, e in solved.parameters.items()}
    references = tuple(references_of(plan, how, found))
    comparisons = tuple(comparison(solved, r, plan.statement, how) for r in references)
    evidence = "its own intervals" if isinstance(solved.method, Paths) else "the residuals"
    alone = BY_ITSELF if isinstance(solved.method, Grid) else ALONE.format(evidence)
    if isinstance(solved.method, Grid):
        comparisons = (*comparisons, _halved(solved))
    notes = (*floating_lines(plan.statement), *(() if references else (alone,)))
    own = _interval(solved, plan.statement, how) if isinstance(solved.method, Paths) else None
    return Assessment(Trust(gaps, comparisons, notes, own), tuple(r for r in references if isfinite(r.error)))


def _interval(solved: Solved, statement: Statement, how: How) -> ErrorBar:
    points = fresh_points(statement, solved, how)
    size = float(solved(points).norm())
    half = float(interval_of(solved, points).norm())
    return ErrorBar(half / size if size > 0 else half, "the solution's own intervals of 95 %")


def _halved(solved: Solved) -> Comparison:
    error, mean = solved.figures["error"], solved.figures.get(IN_MEAN, nan)
    return Comparison("itself on half as many points a side", error, nan, ROUNDING, exact=False, mean=mean)


def audit_of(solved: Solved, statement: Statement, how: How) -> Audit:
    values = {name: found.value for name, found in solved.parameters.items()}
    module, functions = solved.module, functions_of(statement)
    if functions and isinstance(module, AnsatzModule):
        module = WithFunctions(module, [f.axes for f in functions])
    return Audit(with_functions(statement), module, Points(statement.domain, how.device), how.seed, values)


def comparison(solved: Solved, reference: Reference, statement: Statement, how: How) -> Comparison:
    if not isfinite(reference.error):
        return Comparison(reference.text, nan, nan, inf, exact=False)
    points = fresh_points(statement, solved, how)
    names = tuple(c.name for c in statement.components)
    with torch.no_grad():
        found, expected = (anchored(f, statement, points) for f in (solved, reference.values))
    jumps = grid_scheme(statement) is Scheme.VOLUMES
    made = compared(found, expected, names, reference.text, reference.error, jumps)
    if isinstance(solved.method, Paths):
        half = interval_of(solved, points)
        return replace(made, interval=float(half.norm() / expected.norm()))
    return made


def fresh_points(statement: Statement, solved: Solved, how: How) -> Tensor:
    count = WITH_PATHS if isinstance(solved.method, Paths) else COMPARED
    return Points(statement.domain, how.device).inside(count, how.seed + SEED + 1)


def references_of(plan: SolvePlan, how: How, numbers: Mapping[str, float] | None = None) -> Iterator[Reference]:
    """The exact solution, if stated; and the grid that the spec asks for, or, if nothing else is known, a cheap one.

    `numbers` were found along with the solution: the grid takes them as they are.
    """
    exact = exact_of(plan.statement)
    if exact is not None:
        yield exact
    grid = plan.reference or (cheap_grid(plan, numbers or {}) if exact is None else None)
    if grid is not None:
        try:
            found = grid_of(grid, plan, how, numbers or {})
        except Failed as failure:  # one that nobody asked for may fail silently, unless the solution itself breaks down
            if plan.reference:
                raise
            cause = failure.__cause__
            if isinstance(cause, Unstable) and not isinstance(cause, Exhausted):
                yield Reference(f"{grid} breaks down: {failure}", lambda x: x.new_full((len(x), 1), nan), inf)
            return
        if plan.reference or found.error <= NO_DIGIT:  # or be ignored, if not one digit is correct
            yield found


def exact_of(statement: Statement) -> Reference | None:
    known = [e for e in statement.exact if e is not None]
    if len(known) < len(statement.components):
        return None
    at = pointwise(known, statement.domain.coordinates)
    return Reference("the exact solution", lambda x: torch.stack(at(*x.unbind(-1)), -1), 0.0)


def cheap_grid(plan: SolvePlan, numbers: Mapping[str, float]) -> Grid | None:
    """A grid that costs little, if one applies at all, or would apply if what is learned were known."""
    statement = plan.statement
    known = bool(statement.parameters) and all(p.name in numbers for p in statement.parameters)
    applies = any(isinstance(a.method, Grid) and not a.obstacle for a in plan.alternatives)
    applies = applies or (known and isinstance(grid_scheme(statement), Scheme))
    n = CHEAP.get(len(statement.domain.space))
    return Grid(n=n) if applies and n is not None else None


def grid_of(grid: Grid, plan: SolvePlan, how: How, numbers: Mapping[str, float]) -> Reference:
    """A grid, and its distance to a grid with half as many points per side, which exceeds its error where it
    converges."""
    if plan.reference:
        solved = solved_by(grid, plan, how)
    else:
        given = {name: torch.tensor(value, dtype=torch.float64, device=how.device) for name, value in numbers.items()}
        solved = solve_by_grid(plan.statement, grid, seed=how.seed, device=how.device, given=given, most=MANY_STEPS)
    with_numbers = f" with {', '.join(f'{name} = {value:.4g}' for name, value in numbers.items())}" if numbers else ""
    return Reference(f"{grid}{with_numbers}", solved, max(solved.figures["error"], ROUNDING))
