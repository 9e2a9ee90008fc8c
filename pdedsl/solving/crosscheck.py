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

from pdedsl.diagnostics import Source
from pdedsl.ir.plan import SolvePlan
from pdedsl.solving.anchored import anchored
from pdedsl.solving.assess import CHEAP, WITH_PATHS, audit_of, exact_of
from pdedsl.solving.fresh import SEED
from pdedsl.solving.methods import How, has_derivatives, interval_of, solved_by
from pdedsl.solving.points import Points
from pdedsl.solving.solved import Solved
from pdedsl.solving.trust import MARGIN, NO_DIGIT, SIGMAS, VISIBLE, Trust, relative
from pdedsl.words.solvers import Collocation, Features, Grid, Paths, Solver

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


def crosscheck(plan: SolvePlan, source: Source, how: How, tell: Callable[[str], None] = lambda _: None) -> Crosscheck:
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
        case Collocation():
            return replace(method, points=POINTS, steps=STEPS)
        case Features() | Paths():
            return method
        case _:
            assert_never(method)


def _member(method: Solver, plan: SolvePlan, source: Source, how: How, points: Tensor) -> Member:
    solved = solved_by(method, plan, how)
    if isinstance(method, Paths):
        few = points[:WITH_PATHS]
        values, half = solved(few).detach(), interval_of(solved, few)
        error = float(half.norm() / values.norm())
        return Member(str(method), values, error, "half-width of its 95 % interval", drawn=True)
    with torch.no_grad():
        values = anchored(solved, plan.statement, points)
    if isinstance(method, Grid):
        own = solved.figures["error"]
        residual = _residual(solved, plan, source, how)
        return Member(str(method), values, own, "distance to half as many points a side", residual=residual)
    return Member(str(method), values, 0.0, "not known by itself", residual=_residual(solved, plan, source, how))


def _residual(solved: Solved, plan: SolvePlan, source: Source, how: How) -> float | None:
    if not has_derivatives(solved):
        return None
    found = Trust(audit_of(solved, plan.statement, how).gaps(source))
    return max(gap.relative for gap in found.gaps) * found.amplified


def pair(a: Member, b: Member) -> Pair:
    n = min(len(a.values), len(b.values))
    own = hypot(a.error, b.error)
    allowed = SIGMAS * own if a.drawn or b.drawn else min(MARGIN * own, NO_DIGIT)
    return Pair(a.name, b.name, relative(a.values[:n], b.values[:n]), max(VISIBLE, allowed))
