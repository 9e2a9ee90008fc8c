"""Hard constraints: the ansatz u = base + factor · N satisfies Dirichlet and initial conditions on a box for every N.

The base is the transfinite interpolation of the boundary values, one coordinate after another, and then in time
(Gordon 1971); the factor vanishes on the faces (Lagaris, Likas, Fotiadis 1998). Conditions that are incompatible with
an earlier one at a corner, or of another type, become soft constraints in the loss.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import comb, prod

from sympy import Abs, Expr, Heaviside, Max, Min, Piecewise, S, Symbol, sign

from pdedsl.ir.problem import ConditionResidual, Derivative, Domain, Face, Residual, StrongForm
from pdedsl.problem.scaling import solution_scales
from pdedsl.symbolic.evaluate import Layout, evaluate_at_points
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.rewrite import substitute
from pdedsl.symbolic.symbols import Field

NONSMOOTH = (Abs, Heaviside, Max, Min, Piecewise, sign, Field)
MAX_DIMENSIONS = (
    3  # space dimensions up to which boundary conditions are built in: the factor is a product over all faces
)
SAMPLES = (0.137, 0.418, 0.291, 0.733, 0.862)  # points at which functions are compared, as fractions of the intervals
COMPARISON_RTOL = 1e-9


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
class PrescribedValue:
    """∂ⁿu/∂tⁿ = value on a face."""

    face: Face
    order: int
    value: Expr
    place: tuple[int, int]


@lru_cache(maxsize=4)  # asked several times for each plan
def ansatz_of(statement: StrongForm) -> tuple[Ansatz, ...]:
    plain = [_component_ansatz(statement, k) for k in range(len(statement.components))]
    return tuple(replace(a, factor=u * a.factor) for a, u in zip(plain, solution_scales(statement), strict=True))


def has_incompatible_data(statement: StrongForm) -> bool:
    """Whether initial (or terminal) data are discontinuous, or incompatible with Dirichlet data at a corner."""
    domain = statement.domain
    data = (
        r.expr
        for c in statement.conditions
        if domain.has_time and _is_initial_condition(domain, c)
        for r in c.residuals
    )
    if any(e.has(Heaviside, sign) for e in data):
        return True
    for component in range(len(statement.components)):
        in_time, on_sides = _prescribed_values(statement, component)
        for start, side in product((g for g in in_time if g.order == 0), on_sides):
            early, late = _restrict(domain, side.face, start.value), _restrict(domain, start.face, side.value)
            end = domain.intervals[side.face.coordinate]
            at = float(end.end if side.face.upper else end.start)
            points = list(_samples(domain, side.face.coordinate, at))
            one, other = evaluate_at_points((early, late), _layout(domain), points)
            if any(abs(a - b) > COMPARISON_RTOL * (1 + abs(b)) for a, b in zip(one, other, strict=True)):
                return True
    return False


def _is_initial_condition(domain: Domain, condition: ConditionResidual) -> bool:
    return isinstance(condition.place, Face) and condition.place.coordinate == len(domain.coordinates) - 1


def _prescribed_values(statement: StrongForm, component: int) -> tuple[list[PrescribedValue], list[PrescribedValue]]:
    """Prescribed values at the initial (or terminal) time, and on the boundary."""
    domain = statement.domain
    given = [g for k, c in enumerate(statement.conditions) for g in _values_of_condition(domain, c, k, component)]
    last = len(domain.coordinates) - 1
    in_time = [g for g in given if domain.has_time and g.face.coordinate == last]
    return in_time, [g for g in given if g not in in_time and g.order == 0]


def _component_ansatz(statement: StrongForm, component: int) -> Ansatz:
    domain = statement.domain
    in_time, on_sides = _prescribed_values(statement, component)
    if domain.inequalities:
        return Ansatz()
    built = _interpolate_faces(domain, on_sides) if len(domain.space) <= MAX_DIMENSIONS else Ansatz()
    found = _extend_in_time(domain, in_time, built)
    return found if found is not None else _extend_in_time(domain, in_time, Ansatz()) or Ansatz()


def _values_of_condition(
    domain: Domain, condition: ConditionResidual, number: int, component: int
) -> Iterator[PrescribedValue]:
    if not isinstance(condition.place, Face) or condition.part:
        return
    for k, residual in enumerate(condition.residuals):
        affine = residual.affine
        if affine is None or len(affine.terms) != 1 or affine.inhomogeneity.has(*NONSMOOTH):
            continue
        ((derivative, coefficient),) = affine.terms
        pure = not any(derivative.orders[:-1]) if domain.has_time else derivative.order == 0
        if derivative.component == component and coefficient.is_number and pure:
            value = -affine.inhomogeneity / coefficient
            yield PrescribedValue(
                condition.place, derivative.order, _restrict(domain, condition.place, value), (number, k)
            )


def _restrict(domain: Domain, face: Face, value: Expr) -> Expr:
    side = domain.intervals[face.coordinate]
    return substitute(value, {domain.coordinates[face.coordinate]: side.end if face.upper else side.start})


def _interpolate_faces(domain: Domain, given: Sequence[PrescribedValue]) -> Ansatz:
    found = Ansatz()
    for k, x in enumerate(domain.coordinates):
        own = {g.face.upper: g for g in given if g.face.coordinate == k}
        if own:
            found = _interpolate_axis(domain, found, k, x, own)
    return found


def _interpolate_axis(domain: Domain, found: Ansatz, k: int, x: Symbol, own: dict[bool, PrescribedValue]) -> Ansatz:
    low, high = domain.intervals[k].start, domain.intervals[k].end
    share = (x - low) / (high - low)
    gaps = {up: g.value - substitute(found.base, {x: high if up else low}) for up, g in own.items()}
    rise = {False: 1 - share, True: share} if len(own) == 2 else dict.fromkeys(own, S.One)
    added = sum((rise[up] * gap for up, gap in gaps.items()), S.Zero)
    factor = prod((4 * share * (1 - share),) if len(own) == 2 else (share if False in own else 1 - share,))
    if not _vanishes_where(domain, added, found):
        return found
    return Ansatz(found.base + added, found.factor * factor, found.satisfied | {g.place for g in own.values()})


def _extend_in_time(domain: Domain, given: Sequence[PrescribedValue], built: Ansatz) -> Ansatz | None:
    """The ansatz extended by the values at one end of time; None if these contradict it."""
    ends = {g.face.upper for g in given}
    if len(ends) != 1 or sorted(g.order for g in given) != list(range(len(given))):
        return built if not given else None
    t, side = domain.coordinates[-1], domain.intervals[-1]
    start = side.end if ends == {True} else side.start
    added = S.Zero
    for g in sorted(given, key=lambda g: g.order):
        missing = g.value - substitute((built.base + added).diff(t, g.order), {t: start})
        added += missing * (t - start) ** g.order / prod(range(1, g.order + 1))
    if not _vanishes_where(domain, added, built):
        return None
    share = (t - start) / (side.end - side.start)
    factor = built.factor * share ** len(given)
    return Ansatz(built.base + added, factor, built.satisfied | {g.place for g in given})


def _vanishes_where(domain: Domain, expr: Expr, built: Ansatz) -> bool:
    """Whether expr = 0 on all faces where the factor is zero, at sample points, up to rounding relative to the base."""
    faces = [
        _samples(domain, k, float(end))
        for k, (x, side) in enumerate(zip(domain.coordinates, domain.intervals, strict=True))
        for end in (side.start, side.end)
        if built.factor.xreplace({x: end}) == 0
    ]
    found, base = evaluate_at_points((expr, built.base), _layout(domain), [p for face in faces for p in face])
    return all(abs(v) <= COMPARISON_RTOL * (1 + abs(b)) for v, b in zip(found, base, strict=True))


def _layout(domain: Domain) -> Layout:
    return Layout({x: k for k, x in enumerate(domain.coordinates)}, len(domain.space))


def _samples(domain: Domain, fixed: int, end: float) -> Iterator[list[float]]:
    """Sample points on a face."""
    for shift in range(len(SAMPLES)):
        shares = (SAMPLES[(shift + 2 * k) % len(SAMPLES)] for k in range(len(domain.intervals)))
        point = [
            float(side.start) + share * float(side.end - side.start)
            for side, share in zip(domain.intervals, shares, strict=True)
        ]
        yield [*point[:fixed], end, *point[fixed + 1 :]]


def substitute_ansatz(residual: Residual, ansatz: Sequence[Ansatz], coordinates: tuple[Symbol, ...]) -> Residual:
    """The residual of base + factor · N in the derivatives of N: by Leibniz, ∂^α(f N) = Σ C(α, β) ∂^(α-β)f ∂^β N."""
    letters: dict[Derivative, Symbol] = {}
    values: dict[Symbol, Expr] = {}
    for symbol, derivative in residual.jet_variables:
        if derivative.component >= len(ansatz):  # something learned besides the unknowns
            letters[derivative] = values[symbol] = symbol
            continue
        own = ansatz[derivative.component]
        value = _differentiate(own.base, derivative.orders, coordinates)
        for beta in product(*(range(n + 1) for n in derivative.orders)):
            rest = tuple(a - b for a, b in zip(derivative.orders, beta, strict=True))
            factor = _differentiate(own.factor, rest, coordinates)
            if factor != 0:
                part = Derivative(derivative.component, beta)
                letters.setdefault(part, Symbol(f"N{len(letters)}", real=True))
                value += prod(map(comb, derivative.orders, beta)) * factor * letters[part]
        values[symbol] = value
    return Residual(
        residual.expr.xreplace(values), tuple((s, d) for d, s in letters.items()), residual.span, residual.interval
    )


def _differentiate(expr: Expr, orders: Sequence[int], coordinates: Sequence[Symbol]) -> Expr:
    for x, order in zip(coordinates, orders, strict=True):
        if order:
            expr = expr.diff(x, order)
    return expr
