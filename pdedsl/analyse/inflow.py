"""Where characteristics enter a domain and where they leave it, for equations of first order.

∂u/∂t = b·∇u carries values along X' = -b: on a side with outer normal n they enter where b·n > 0 and leave where
b·n < 0. A problem needs values where they enter, and none where they leave (Evans, section 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Symbol

from pdedsl.analyse.intervals import Box
from pdedsl.analyse.problem import Problem
from pdedsl.analyse.samples import ranges_of
from pdedsl.analyse.sides import Placed, Value, sides_of
from pdedsl.analyse.signs import box_of, nonnegative
from pdedsl.ir.spec import Condition, side_names
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.symbols import Field


@dataclass(frozen=True)
class Inflow:
    """Whether values are given exactly where characteristics enter, and the conditions imposed where they leave."""

    is_given: bool
    at_outflow: tuple[Placed, ...]


def inflow_of(problem: Problem) -> Inflow:
    jet, space = problem.jet, problem.spec.space
    if not space.boundary:
        return Inflow(True, ())
    if not jet.is_affine or jet.order != 1:
        return Inflow(False, ())
    box, placed = box_of(ranges_of(problem.spec, problem.equation)), sides_of(problem)
    fits, wrong = True, []
    for k, x in enumerate(space.coordinates):
        if space.sides[k].periodic:
            continue
        for name, end, normal in zip(side_names(k), ranges_of(problem.spec)[x], (-1, 1), strict=True):
            there = [p for p in placed if p.coordinate == x and p.normal == normal and name in p.condition.sides]
            inward = enters(jet.drift[k], x, end, normal, box)
            fits = fits and _fits(inward, there)
            wrong += [p for p in there if inward is False and not _ties_ends(p.condition, problem)]
    return Inflow(fits, tuple(wrong))


def _ties_ends(condition: Condition, problem: Problem) -> bool:
    """Whether a condition compares values at several points: u(0, t) = u(1, t) takes what arrives at an outflow."""
    fields = {f for v in condition.value for f in atoms(v, Field) if f.head == problem.unknown.head}
    return len(fields) > 1


def enters(b: Expr, x: Symbol, end: Expr, normal: int, box: Box) -> bool | None:
    """True if b·n ≥ 0 on the whole side (not identically zero), False if b·n ≤ 0; None if neither is shown."""
    flow = normal * b.xreplace({x: end})
    if nonnegative(-flow, box):
        return False
    return True if nonnegative(flow, box) else None


def _fits(enters: bool | None, there: list[Placed]) -> bool:
    if enters is None:
        return False
    return (len(there) == 1 and isinstance(there[0].side, Value)) if enters else not there
