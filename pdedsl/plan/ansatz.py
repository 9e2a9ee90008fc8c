"""u = base + factor · N: functions that satisfy conditions on the faces of a box for every network N.

The base interpolates the values between the faces, one coordinate after another, and then in time (Gordon 1971); the
factor vanishes on the faces. A condition that contradicts one before it where they meet is not built in, and neither is
one that is no value: those are asked for in the loss.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb, prod

from sympy import Abs, Expr, Heaviside, Max, Min, Piecewise, S, Symbol, sign

from pdedsl.ir.statement import Derivative, Domain, Face, Imposed, Residual, Statement
from pdedsl.symbolic.notation import notation
from pdedsl.symbolic.symbols import Field

KINKS = (Abs, Heaviside, Max, Min, Piecewise, sign, Field)
MOST = 3  # dimensions of space in which conditions on sides are built in: the factor is a product over all sides
SAMPLES = (0.137, 0.418, 0.291, 0.733, 0.862)  # where functions are compared, as shares of the intervals


@dataclass(frozen=True)
class Ansatz:
    """base + factor · N for one component, and the conditions that it satisfies, as (condition, residual)."""

    base: Expr = S.Zero
    factor: Expr = S.One
    satisfied: frozenset[tuple[int, int]] = frozenset()

    def text(self, name: str) -> str:
        factor = notation(self.factor)
        network = "N" if self.factor == 1 else f"({factor}) N" if " " in factor else f"{factor} N"
        return f"{name} = {network}" if self.base == 0 else f"{name} = {notation(self.base)} + {network}"


@dataclass(frozen=True)
class Given:
    """∂ⁿu/∂tⁿ = value on a face."""

    face: Face
    order: int
    value: Expr
    place: tuple[int, int]


def ansatz_of(statement: Statement) -> tuple[Ansatz, ...]:
    return tuple(_of(statement, k) for k in range(len(statement.components)))


def _of(statement: Statement, component: int) -> Ansatz:
    domain = statement.domain
    given = [g for k, c in enumerate(statement.conditions) for g in _given(domain, c, k, component)]
    if domain.inside:
        return Ansatz()
    last = len(domain.coordinates) - 1
    in_time = [g for g in given if domain.timed and g.face.coordinate == last]
    on_sides = [g for g in given if g not in in_time and g.order == 0]
    built = _on_sides(domain, on_sides) if len(domain.space) <= MOST else Ansatz()
    found = _in_time(domain, in_time, built)
    return found if found is not None else _in_time(domain, in_time, Ansatz()) or Ansatz()


def _given(domain: Domain, condition: Imposed, number: int, component: int) -> Iterator[Given]:
    if not isinstance(condition.place, Face) or condition.part:
        return
    for k, residual in enumerate(condition.residuals):
        affine = residual.affine
        if affine is None or len(affine.parts) != 1 or affine.rest.has(*KINKS):
            continue
        ((derivative, coefficient),) = affine.parts
        pure = not any(derivative.orders[:-1]) if domain.timed else derivative.order == 0
        if derivative.component == component and coefficient.is_number and pure:
            value = -affine.rest / coefficient
            yield Given(condition.place, derivative.order, _on(domain, condition.place, value), (number, k))


def _on(domain: Domain, face: Face, value: Expr) -> Expr:
    side = domain.intervals[face.coordinate]
    return value.xreplace({domain.coordinates[face.coordinate]: side.end if face.upper else side.start})


def _on_sides(domain: Domain, given: Sequence[Given]) -> Ansatz:
    found = Ansatz()
    for k, x in enumerate(domain.coordinates):
        own = {g.face.upper: g for g in given if g.face.coordinate == k}
        if own:
            found = _with_pair(domain, found, k, x, own)
    return found


def _with_pair(domain: Domain, found: Ansatz, k: int, x: Symbol, own: dict[bool, Given]) -> Ansatz:
    low, high = domain.intervals[k].start, domain.intervals[k].end
    share = (x - low) / (high - low)
    gaps = {up: g.value - found.base.xreplace({x: high if up else low}) for up, g in own.items()}
    rise = {False: 1 - share, True: share} if len(own) == 2 else dict.fromkeys(own, S.One)
    added = sum((rise[up] * gap for up, gap in gaps.items()), S.Zero)
    factor = prod((4 * share * (1 - share),) if len(own) == 2 else (share if False in own else 1 - share,))
    if not _vanishes_where(domain, added, found.factor):
        return found
    return Ansatz(found.base + added, found.factor * factor, found.satisfied | {g.place for g in own.values()})


def _in_time(domain: Domain, given: Sequence[Given], built: Ansatz) -> Ansatz | None:
    """With the values at one end of time, too; None where these contradict what is built."""
    ends = {g.face.upper for g in given}
    if len(ends) != 1 or sorted(g.order for g in given) != list(range(len(given))):
        return built if not given else None
    t, side = domain.coordinates[-1], domain.intervals[-1]
    start = side.end if ends == {True} else side.start
    added = S.Zero
    for g in sorted(given, key=lambda g: g.order):
        missing = g.value - (built.base + added).diff(t, g.order).xreplace({t: start})
        added += missing * (t - start) ** g.order / prod(range(1, g.order + 1))
    if not _vanishes_where(domain, added, built.factor):
        return None
    share = (t - start) / (side.end - side.start)
    factor = built.factor * share ** len(given)
    return Ansatz(built.base + added, factor, built.satisfied | {g.place for g in given})


def _vanishes_where(domain: Domain, expr: Expr, factor: Expr) -> bool:
    """Whether expr = 0 on all faces where factor = 0, at samples."""
    for k, (x, side) in enumerate(zip(domain.coordinates, domain.intervals, strict=True)):
        for end in (side.start, side.end):
            if factor.xreplace({x: end}) == 0 and any(abs(v) > 1e-9 for v in _samples(domain, expr, k, end)):
                return False
    return True


def _samples(domain: Domain, expr: Expr, fixed: int, end: Expr) -> Iterator[float]:
    for shift in range(len(SAMPLES)):
        at = {}
        for k, (x, side) in enumerate(zip(domain.coordinates, domain.intervals, strict=True)):
            share = SAMPLES[(shift + 2 * k) % len(SAMPLES)]
            at[x] = end if k == fixed else side.start + share * (side.end - side.start)
        yield float(expr.evalf(15, subs=at))


def in_network(residual: Residual, ansatz: Sequence[Ansatz], coordinates: tuple[Symbol, ...]) -> Residual:
    """The residual of base + factor · N in the derivatives of N: by Leibniz, ∂^α(f N) = Σ C(α, β) ∂^(α-β)f ∂^β N."""
    letters: dict[Derivative, Symbol] = {}
    values: dict[Symbol, Expr] = {}
    for symbol, derivative in residual.letters:
        if derivative.component >= len(ansatz):  # of what is learned beside the unknowns
            letters[derivative] = values[symbol] = symbol
            continue
        own = ansatz[derivative.component]
        value = _derived(own.base, derivative.orders, coordinates)
        for beta in product(*(range(n + 1) for n in derivative.orders)):
            rest = tuple(a - b for a, b in zip(derivative.orders, beta, strict=True))
            factor = _derived(own.factor, rest, coordinates)
            if factor != 0:
                part = Derivative(derivative.component, beta)
                letters.setdefault(part, Symbol(f"N{len(letters)}", real=True))
                value += prod(map(comb, derivative.orders, beta)) * factor * letters[part]
        values[symbol] = value
    return Residual(
        residual.expr.xreplace(values), tuple((s, d) for d, s in letters.items()), residual.span, residual.interval
    )


def _derived(expr: Expr, orders: Sequence[int], coordinates: Sequence[Symbol]) -> Expr:
    for x, order in zip(coordinates, orders, strict=True):
        if order:
            expr = expr.diff(x, order)
    return expr
