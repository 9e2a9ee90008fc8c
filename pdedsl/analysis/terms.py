"""The terms of an equation on functions, from what each summand contributes to F in ∂ⁿu/∂tⁿ = F."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import assert_never

from sympy import Add, Expr, S, Symbol, Tuple

from pdedsl.analysis.components import LinearTerm, NotLinear, linear_terms, sum_of_terms
from pdedsl.analysis.normal_form import NormalForm, contributions, leading_time_derivative
from pdedsl.config.methods import Direction
from pdedsl.ir.spec import Summand
from pdedsl.ir.terms import (
    Coefficient,
    Convection,
    Coupling,
    Diffusion,
    Generator,
    HigherOrder,
    Nonlinear,
    Nonlocal,
    Origin,
    Reaction,
    SourceTerm,
    Term,
    TimeDerivative,
)
from pdedsl.ir.types import Vector
from pdedsl.symbolic.rewrite import multiply_out
from pdedsl.symbolic.symbols import Applied, Field, Partial, atoms

# ---- terms


def terms_of(frame: NormalForm) -> tuple[Term, ...]:
    """All terms, in the order of their summands."""
    return tuple(term for summand, share in contributions(frame) for term in _terms(summand, share, frame))


def _terms(summand: Summand, share: tuple[Expr, ...], frame: NormalForm) -> Iterator[Term]:
    spec = frame.spec
    origin = Origin("-" * summand.negated + spec.source.quote(summand.span), summand.span)
    goals = [leading_time_derivative(frame, k) for k in range(len(share))]
    if any(g is not None and e.has(g) for g, e in zip(goals, summand.exprs, strict=True)):
        yield TimeDerivative(frame.equation.order, origin)
    try:
        columns = [list(linear_terms(e, frame.heads)) for e in share]
    except NotLinear:
        yield from _nonlinear(share, origin, frame)
        return
    yield from _linear(columns, origin, frame)


def _nonlinear(share: tuple[Expr, ...], origin: Origin, frame: NormalForm) -> Iterator[Term]:
    """The terms of a summand with nonlinear products: one for these, and those of the linear rest."""
    bent, rest = [], []
    for e in share:
        products = Add.make_args(e)
        keep = [a for a in products if _is_affine(a, frame)]
        rest.append(Add(*keep))
        bent.append(Add(*(a for a in products if a not in keep)))
    if any(_is_nonlocal(e, frame) for e in bent):
        yield Nonlocal(False, any(_has_delay(e, frame) for e in bent), tuple(bent), origin)
    else:
        yield Nonlinear(max(spatial_order(e, frame) for e in bent), tuple(bent), origin)
    yield from _linear([list(linear_terms(e, frame.heads)) for e in rest], origin, frame)


def _is_affine(product: Expr, frame: NormalForm) -> bool:
    try:
        return len(list(linear_terms(product, frame.heads))) >= 0
    except NotLinear:
        return False


def _linear(columns: list[list[LinearTerm]], origin: Origin, frame: NormalForm) -> Iterator[Term]:
    """The terms of affine parts, grouped by what their coefficients multiply."""
    sorted_ = [_group_by_factor(column, frame, k) for k, column in enumerate(columns)]
    kinds = {kind for found in sorted_ for kind in found}
    for kind in sorted(kinds, key=lambda kind: (kind.kind, kind.order, str(kind.of), kind.mixed_or_delayed)):
        listed = [found.get(kind, []) for found in sorted_]
        if any(c != 0 for parts in listed for c, _ in parts):
            yield from _term(kind, listed, origin, frame)


class FactorKind(IntEnum):
    """What a coefficient multiplies, in the order in which terms are listed."""

    TIME = 0
    FIRST = 1
    SECOND = 2
    VALUE = 3
    KNOWN = 4
    OTHER = 5
    AWAY = 6
    HIGHER = 7


@dataclass(frozen=True)
class Factor:
    """What a coefficient multiplies: its order in time or space, and the other unknown it belongs to, if any."""

    kind: FactorKind
    order: int = 0
    of: Symbol | None = None
    mixed_or_delayed: bool = False  # a time derivative that is also one in space, or a value at another time


def _group_by_factor(parts: list[LinearTerm], frame: NormalForm, k: int) -> dict[Factor, list[LinearTerm]]:
    found: dict[Factor, list[LinearTerm]] = {}
    for part in parts:
        found.setdefault(_factor_of(part[1], frame, frame.component(k)), []).append(part)
    return found


def _factor_of(letter: Expr, frame: NormalForm, own: Field) -> Factor:
    if letter is S.One:
        return Factor(FactorKind.KNOWN)
    field, slots = (letter.body, letter.slots) if isinstance(letter, Partial) else (letter, ())
    if _is_at_another_point(field, frame):
        return Factor(FactorKind.AWAY, mixed_or_delayed=_is_at_another_time(field, frame))
    if field != own:
        return Factor(FactorKind.OTHER, of=field.head)
    in_time = sum(s == frame.time for s in slots)
    if in_time:
        return Factor(FactorKind.TIME, in_time, mixed_or_delayed=len(slots) > in_time)
    beside = {0: FactorKind.VALUE, 1: FactorKind.FIRST, 2: FactorKind.SECOND}.get(len(slots), FactorKind.HIGHER)
    return Factor(beside, len(slots))


def _term(kind: Factor, columns: list[list[LinearTerm]], origin: Origin, frame: NormalForm) -> Iterator[Term]:
    exprs = tuple(sum_of_terms(parts) for parts in columns)
    match kind.kind:
        case FactorKind.TIME:
            yield TimeDerivative(kind.order, origin, exprs, kind.mixed_or_delayed)
        case FactorKind.FIRST:
            yield from _with_common_coefficient(
                [frame.drift(parts) for parts in columns], Convection, 1, exprs, origin, frame
            )
        case FactorKind.SECOND:
            yield from _with_common_coefficient(
                [frame.diffusivity(parts) for parts in columns], Diffusion, 2, exprs, origin, frame
            )
        case FactorKind.VALUE:
            yield _reaction(columns, exprs, origin, frame)
        case FactorKind.KNOWN:
            yield SourceTerm(exprs, origin)
        case FactorKind.OTHER:
            assert kind.of is not None
            yield Coupling(kind.of, max(spatial_order(e, frame) for e in exprs), exprs, origin)
        case FactorKind.AWAY:
            yield Nonlocal(True, kind.mixed_or_delayed, exprs, origin)
        case FactorKind.HIGHER:
            yield HigherOrder(kind.order, exprs, origin)
        case _:
            assert_never(kind.kind)


def _reaction(columns: list[list[LinearTerm]], exprs: tuple[Expr, ...], origin: Origin, frame: NormalForm) -> Term:
    rates = {Add(*(c for c, _ in parts)) for parts in columns}
    if len(rates) > 1:
        return Coupling(frame.unknown.head, 0, exprs, origin)
    return Reaction(rates.pop(), frame.unknown.head, origin)


def _with_common_coefficient(
    entries: list[Coefficient],
    make: Callable[[Coefficient, Origin], Term],
    order: int,
    exprs: tuple[Expr, ...],
    origin: Origin,
    frame: NormalForm,
) -> Iterator[Term]:
    """One term if all components share the coefficient; otherwise a coupling of the components of a vector."""
    if all(e == entries[0] for e in entries):
        yield make(entries[0], origin)
    else:
        yield Coupling(frame.unknown.head, order, exprs, origin)


# ---- places and orders


def _is_at_another_point(field: Field, frame: NormalForm) -> bool:
    unknown = next(u for u in frame.spec.unknowns if u.head == field.head)
    return bool(field.arguments != Tuple(*unknown.arguments))


def _is_at_another_time(field: Field, frame: NormalForm) -> bool:
    unknown = next(u for u in frame.spec.unknowns if u.head == field.head)
    pairs = zip(field.arguments, unknown.arguments, strict=True)
    return any(own == frame.time and given != own for given, own in pairs)


def _unknowns_in(expr: Expr, frame: NormalForm) -> list[Field]:
    return [f for f in atoms(expr, Field) if f.head in frame.heads]


def _is_nonlocal(expr: Expr, frame: NormalForm) -> bool:
    return any(_is_at_another_point(f, frame) for f in _unknowns_in(expr, frame))


def _has_delay(expr: Expr, frame: NormalForm) -> bool:
    return any(_is_at_another_time(f, frame) for f in _unknowns_in(expr, frame))


def spatial_order(expr: Expr, frame: NormalForm) -> int:
    """The order of the highest derivative of an unknown in space: ∂/∂x σ(∂u/∂x) is of second order."""
    if not isinstance(expr, Partial):
        return max((spatial_order(a, frame) for a in expr.args), default=0) if expr.args else 0
    if not _unknowns_in(expr.body, frame):
        return 0
    return len([s for s in expr.slots if s != frame.time]) + spatial_order(expr.body, frame)


# ---- the generator

GENERATOR_FACTORS = (
    Factor(FactorKind.FIRST, 1),
    Factor(FactorKind.SECOND, 2),
    Factor(FactorKind.VALUE),
    Factor(FactorKind.KNOWN),
)


def generator_of(right: Expr, direction: Direction, frame: NormalForm) -> Generator | None:
    """b, A, c and f of a linear equation of first order in time for one scalar; None for other equations."""
    if frame.equation.order != 1 or len(frame.equation.rhs) != 1 or isinstance(frame.unknown.type, Vector):
        return None
    if right.has(Applied):
        return None
    sign = -1 if direction is Direction.TERMINAL else 1
    try:
        found = _group_by_factor(
            list(linear_terms(multiply_out(sign * frame.with_dimension(right)), frame.heads)), frame, 0
        )
    except NotLinear:
        return None
    drift, second, value, known = (found.pop(kind, []) for kind in GENERATOR_FACTORS)
    if any(c != 0 for parts in found.values() for c, _ in parts):
        return None
    rate, source = (Add(*(c for c, _ in parts)) for parts in (value, known))
    return Generator(frame.drift(drift), frame.diffusivity(second), rate, source, direction)
