"""Every method that applies to a statement, and how far apart their solutions are.

For each pair: the distance, relative in L2 at the same fresh points, and what both estimate as their own errors: a grid
by comparison with half as many points per side, a mean over paths by its interval, a network by its largest residual
relative to the terms. Two solutions agree if their distance is invisible, or within what their errors allow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from math import hypot, isfinite
from typing import assert_never

import torch
from torch import Tensor

from pdedsl import errors
from pdedsl.codegen.expressions import compile_pointwise
from pdedsl.compiler import Compilation
from pdedsl.config.methods import Grid, MonteCarlo, Pinn, RandomFeatures, Solver
from pdedsl.diagnostics import PdeError, Source
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.plan import DataPlan, OperatorPlan, SolvePlan
from pdedsl.ir.problem import Face, StrongForm
from pdedsl.lowering.truncated_domain import EXTENT, truncated
from pdedsl.planning.solver_selection import obstacle
from pdedsl.solvers.collocation_points import Points
from pdedsl.solvers.error_estimate import (
    CHEAP,
    MARGIN,
    NO_DIGIT,
    SEED,
    SIGMAS,
    VISIBLE,
    WITH_PATHS,
    ErrorEstimate,
    audit_of,
    exact_of,
    relative,
)
from pdedsl.solvers.gauge import anchored
from pdedsl.solvers.grid.driver import solve_by_grid
from pdedsl.solvers.method_result import Solved
from pdedsl.solvers.methods import SolveOptions, has_derivatives, interval_of, solved_by
from pdedsl.solvers.run import how_of, seed_of

# ---- crosscheck


COMPARED = 1024
POINTS, STEPS = 500, 30  # of a network that was not asked for


@dataclass(frozen=True)
class Member:
    """A solution in the comparison: its values at the points, and its own error estimate."""

    name: str
    values: Tensor
    error: float
    kind: str  # what the error was estimated by
    drawn: bool = False  # whether the error is a 95 % interval
    residual: float | None = None  # the largest, relative to its terms, or to the data if these are much smaller

    def fails(self, limit: float = NO_DIGIT) -> bool:
        """Whether not even one digit is correct, or its residuals are above a limit."""
        known = self.error <= NO_DIGIT and (self.residual or 0.0) <= limit
        return not (known and bool(self.values.isfinite().all()))


@dataclass(frozen=True)
class Pair:
    first: str
    second: str
    distance: float
    allowed: float

    @property
    def agrees(self) -> bool:
        return isfinite(self.distance) and self.distance <= self.allowed


@dataclass(frozen=True)
class Crosscheck:
    """All members and pairs, and the methods that do not apply, with the reasons."""

    members: tuple[Member, ...]
    pairs: tuple[Pair, ...]
    without: tuple[tuple[str, str], ...]

    @property
    def agrees(self) -> bool:
        """Whether all pairs agree and no member fails; residuals that alone have to convince must be small."""
        return all(p.agrees for p in self.pairs) and not any(m.fails(self.limit) for m in self.members)

    @property
    def limit(self) -> float:
        return NO_DIGIT if self.pairs else VISIBLE


def crosscheck(
    plan: SolvePlan, source: Source, how: SolveOptions, tell: Callable[[str], None] = lambda _: None
) -> Crosscheck:
    statement = plan.statement
    points = Points(statement.domain, how.device).inside(COMPARED, how.seed + SEED + 2)
    members = []
    exact = exact_of(statement)
    if exact is not None:
        members.append(Member(exact.text, anchored(exact.values, statement, points).detach(), 0.0, "none"))
    for method in (plan.method, *(_fitting(a.method, plan) for a in plan.alternatives if not a.obstacle)):
        tell(str(method))
        members.append(_member(method, plan, source, how, points))
    pairs = tuple(pair(a, b) for a, b in combinations(members, 2))
    return Crosscheck(
        tuple(members), pairs, tuple((a.method.name, a.obstacle) for a in plan.alternatives if a.obstacle)
    )


def _fitting(method: Solver, plan: SolvePlan) -> Solver:
    """A method that was not asked for is made cheap: a coarse grid, a short training."""
    match method:
        case Grid():
            return plan.reference or replace(method, n=CHEAP[len(plan.statement.domain.space)])
        case Pinn():
            return replace(method, points=POINTS, steps=STEPS)
        case RandomFeatures() | MonteCarlo():
            return method
        case _:
            assert_never(method)


def _member(method: Solver, plan: SolvePlan, source: Source, how: SolveOptions, points: Tensor) -> Member:
    solved = solved_by(method, plan, how)
    if isinstance(method, MonteCarlo):
        few = points[:WITH_PATHS]
        values, half = solved(few).detach(), interval_of(solved, few)
        error = float(half.norm() / values.norm())
        return Member(str(method), values, error, "half-width of the 95 % confidence interval", drawn=True)
    with torch.no_grad():
        values = anchored(solved, plan.statement, points)
    if isinstance(method, Grid):
        own = solved.figures["error"]
        residual = _residual(solved, plan, source, how)
        return Member(str(method), values, own, "self-convergence to the N/2 grid", residual=residual)
    return Member(
        str(method), values, 0.0, "no a-posteriori error estimate", residual=_residual(solved, plan, source, how)
    )


def _residual(solved: Solved, plan: SolvePlan, source: Source, how: SolveOptions) -> float | None:
    if not has_derivatives(solved):
        return None
    found = ErrorEstimate(audit_of(solved, plan.statement, how).gaps(source))
    return max(gap.relative for gap in found.gaps) * found.amplified


def pair(a: Member, b: Member) -> Pair:
    n = min(len(a.values), len(b.values))
    own = hypot(a.error, b.error)
    allowed = SIGMAS * own if a.drawn or b.drawn else min(MARGIN * own, NO_DIGIT)
    return Pair(a.name, b.name, relative(a.values[:n], b.values[:n]), max(VISIBLE, allowed))


# ---- truncated
# The reference for an evolution on R^d: on a box, for localised solutions; their size at the rim is reported.


RIM = 200  # points


def solve_truncated(analysis: Analysis, method: Grid, *, seed: int = 0, device: torch.device | str = "cpu") -> Solved:
    """`reference grid(n, extent)` of an equation on R^d; the size of the solution at the rim is among the notes."""
    size = float(method.extent or EXTENT)
    statement = truncated(analysis, size)
    found = solve_by_grid(statement, method, seed=seed, device=device)
    rim = _rim(found, statement, size, seed)
    note = f"domain truncated to [-{size:g}, {size:g}] per dimension; max |u| on the artificial boundary: {rim:.1g}"
    return replace(found, figures={**found.figures, "rim": rim}, notes=(*found.notes, note))


def _rim(found: Solved, statement: StrongForm, extent: float, seed: int) -> float:
    generator = torch.Generator().manual_seed(seed)
    dimension, time = len(statement.domain.space), statement.domain.intervals[-1]
    start, end = float(time.start), float(time.end)
    points = torch.rand(RIM, dimension + 1, generator=generator, dtype=torch.float64)
    points[:, :-1] = extent * (2 * points[:, :-1] - 1)
    points[:, -1] = start + (end - start) * points[:, -1]
    axis = torch.randint(dimension, (RIM, 1), generator=generator)
    points.scatter_(1, axis, extent)
    with torch.no_grad():
        return float(found(points).abs().max())


# ---- on_space
# The evolution operator of an equation on R^d without learned parts, compared with a grid, for `crosscheck`.
#
# They are compared where the truncation to a box does not matter: in the middle half of the box, at the end of time
# farthest from the data.


Tell = Callable[[str], None]
INTERVAL = 1.96  # standard errors, for 95 %


def crosschecked(compilation: Compilation, device: str | None, tell: Tell) -> Crosscheck:
    """Every method that applies: to the problem on a physical domain; on R^d, the operator and a grid."""
    if isinstance(compilation.plan, SolvePlan):
        return crosscheck(compilation.plan, compilation.spec.source, how_of(compilation, device), tell)
    grid = _grid(compilation)
    if grid is None:
        raise errors.runs.trained_not_solved(compilation.spec.space.span).within(compilation.spec.source)
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
    makers = [("evolution operator", _by_operator), *([] if refusal else [(str(grid), _by_grid)])]
    members = []
    for name, make in makers:
        tell(name)
        members.append(make(compilation, statement, grid, points, seed))
    without = ((grid.name, refusal.diagnostics[0].message),) if refusal else ()
    return Crosscheck(tuple(members), () if refusal else (pair(*members),), without)


def _by_operator(compilation: Compilation, statement: StrongForm, grid: Grid, points: Tensor, seed: int) -> Member:
    plan = compilation.operator_plan
    assert isinstance(plan, OperatorPlan)
    data, _, end = _data(statement)
    with torch.no_grad():
        found = compilation.operator(seed=seed).double().estimate(data, points, end)  # type: ignore[operator]
    half = INTERVAL * found.standard_error
    name = f"evolution operator, {plan.samples:,} samples"
    error = float(half.norm() / found.mean.norm())
    return Member(name, found.mean[:, None], error, "half-width of the 95 % confidence interval", drawn=True)


def _by_grid(compilation: Compilation, statement: StrongForm, grid: Grid, points: Tensor, seed: int) -> Member:
    solved = solve_truncated(compilation.analysis, grid, seed=seed)
    *_, end = _data(statement)
    with torch.no_grad():
        values = solved(torch.cat([points, torch.full_like(points[:, :1], end)], 1))
    own = max(solved.figures["error"], solved.figures["rim"] / float(values.abs().max()))
    return Member(str(grid), values, own, "self-convergence to the N/2 grid, or truncation of the domain")


def _data(statement: StrongForm) -> tuple[Callable[[Tensor], Tensor], float, float]:
    """The data given at one end of time, the time of that end, and the other end."""
    (condition,) = (c for c in statement.conditions if isinstance(c.place, Face))
    affine = condition.residuals[0].affine
    assert affine is not None
    ((_, coefficient),) = affine.parts
    time = statement.domain.intervals[-1]
    ends = (float(time.end), float(time.start)) if condition.place.upper else (float(time.start), float(time.end))  # type: ignore[union-attr]
    value = compile_pointwise((-affine.rest / coefficient,), statement.domain.coordinates)

    def at(x: Tensor) -> Tensor:
        (found,) = value(*x.unbind(-1), torch.full_like(x[..., 0], ends[0]))
        return found.expand(x.shape[:-1])

    return at, *ends
