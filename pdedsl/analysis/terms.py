"""Terms of an equation ∂ⁿu/∂tⁿ = F: transport, diffusion, reaction, source, coupling, nonlocal and nonlinear terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import assert_never

from sympy import Add, Expr, S, Symbol, Tuple

from pdedsl.analysis.drift_diffusion import LinearTerm, NotLinear, linear_terms, sum_of_terms
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
from pdedsl.record import Record
from pdedsl.symbolic.rewrite import expand_products
from pdedsl.symbolic.symbols import Applied, Field, FractionalLaplacian, Integral, Partial, atoms

# ---- Terms of each summand


def terms_of(form: NormalForm) -> tuple[Term, ...]:
    """All terms, in the order of their summands."""
    return tuple(term for summand, fraction in contributions(form) for term in _terms(summand, fraction, form))


def _terms(summand: Summand, fraction: tuple[Expr, ...], form: NormalForm) -> Iterator[Term]:
    spec = form.spec
    origin = Origin("-" * summand.negated + spec.source.quote(summand.span), summand.span)
    leading = [leading_time_derivative(form, k) for k in range(len(fraction))]
    if any(g is not None and e.has(g) for g, e in zip(leading, summand.exprs, strict=True)):
        yield TimeDerivative(form.equation.order, origin)
    try:
        columns = [list(linear_terms(e, form.heads)) for e in fraction]
    except NotLinear:
        yield from _nonlinear(fraction, origin, form)
        return
    yield from _linear(columns, origin, form)


def _nonlinear(fraction: tuple[Expr, ...], origin: Origin, form: NormalForm) -> Iterator[Term]:
    """The terms of a summand with nonlinear products: one for these, and those of the linear rest."""
    bent, rest = [], []
    for e in fraction:
        products = Add.make_args(e)
        keep = [a for a in products if _is_affine(a, form)]
        rest.append(Add(*keep))
        bent.append(Add(*(a for a in products if a not in keep)))
    if any(_is_nonlocal(e, form) for e in bent):
        yield Nonlocal(False, any(_has_delay(e, form) for e in bent), tuple(bent), origin)
    else:
        yield Nonlinear(max(spatial_order(e, form) for e in bent), tuple(bent), origin)
    yield from _linear([list(linear_terms(e, form.heads)) for e in rest], origin, form)


def _is_affine(product: Expr, form: NormalForm) -> bool:
    try:
        return len(list(linear_terms(product, form.heads))) >= 0
    except NotLinear:
        return False


def _linear(columns: list[list[LinearTerm]], origin: Origin, form: NormalForm) -> Iterator[Term]:
    """The terms of affine expressions, grouped by the factor of their coefficients."""
    grouped = [_group_by_factor(column, form, k) for k, column in enumerate(columns)]
    kinds = {kind for groups in grouped for kind in groups}
    for kind in sorted(kinds, key=lambda kind: (kind.kind, kind.order, str(kind.of), kind.mixed_or_delayed)):
        listed = [groups.get(kind, []) for groups in grouped]
        if any(c != 0 for parts in listed for c, _ in parts):
            yield from _term(kind, listed, origin, form)


class FactorKind(IntEnum):
    """The kind of factor that a coefficient multiplies, in the order in which terms are listed."""

    TIME_DERIVATIVE = 0
    FIRST_DERIVATIVE = 1
    SECOND_DERIVATIVE = 2
    VALUE = 3
    ONE = 4
    OTHER_UNKNOWN = 5
    NONLOCAL = 6
    HIGHER_DERIVATIVE = 7


class Factor(Record):
    """The factor that a coefficient multiplies: its order in time or space, and the other unknown, if any."""

    kind: FactorKind
    order: int = 0
    of: Symbol | None = None
    mixed_or_delayed: bool = False  # a mixed space-time derivative, or a value at another time


def _group_by_factor(parts: list[LinearTerm], form: NormalForm, k: int) -> dict[Factor, list[LinearTerm]]:
    groups: dict[Factor, list[LinearTerm]] = {}
    for part in parts:
        groups.setdefault(_factor_of(part[1], form, form.component(k)), []).append(part)
    return groups


def _factor_of(variable: Expr, form: NormalForm, own: Field) -> Factor:
    if variable is S.One:
        return Factor(FactorKind.ONE)
    if isinstance(variable, FractionalLaplacian):
        return Factor(FactorKind.NONLOCAL)
    if isinstance(variable, Integral):
        return Factor(FactorKind.NONLOCAL, mixed_or_delayed=_has_delay(variable, form))
    field, slots = (variable.body, variable.slots) if isinstance(variable, Partial) else (variable, ())
    if _is_at_another_point(field, form):
        return Factor(FactorKind.NONLOCAL, mixed_or_delayed=_is_at_another_time(field, form))
    if field != own:
        return Factor(FactorKind.OTHER_UNKNOWN, of=field.head)
    in_time = sum(s == form.time for s in slots)
    if in_time:
        return Factor(FactorKind.TIME_DERIVATIVE, in_time, mixed_or_delayed=len(slots) > in_time)
    kind = {0: FactorKind.VALUE, 1: FactorKind.FIRST_DERIVATIVE, 2: FactorKind.SECOND_DERIVATIVE}.get(
        len(slots), FactorKind.HIGHER_DERIVATIVE
    )
    return Factor(kind, len(slots))


def _term(kind: Factor, columns: list[list[LinearTerm]], origin: Origin, form: NormalForm) -> Iterator[Term]:
    exprs = tuple(sum_of_terms(parts) for parts in columns)
    match kind.kind:
        case FactorKind.TIME_DERIVATIVE:
            yield TimeDerivative(kind.order, origin, exprs, kind.mixed_or_delayed)
        case FactorKind.FIRST_DERIVATIVE:
            yield from _with_common_coefficient(
                [form.drift(parts) for parts in columns], Convection, 1, exprs, origin, form
            )
        case FactorKind.SECOND_DERIVATIVE:
            yield from _with_common_coefficient(
                [form.diffusivity(parts) for parts in columns], Diffusion, 2, exprs, origin, form
            )
        case FactorKind.VALUE:
            yield _reaction(columns, exprs, origin, form)
        case FactorKind.ONE:
            yield SourceTerm(exprs, origin)
        case FactorKind.OTHER_UNKNOWN:
            assert kind.of is not None
            yield Coupling(kind.of, max(spatial_order(e, form) for e in exprs), exprs, origin)
        case FactorKind.NONLOCAL:
            yield Nonlocal(True, kind.mixed_or_delayed, exprs, origin)
        case FactorKind.HIGHER_DERIVATIVE:
            yield HigherOrder(kind.order, exprs, origin)
        case _:
            assert_never(kind.kind)


def _reaction(columns: list[list[LinearTerm]], exprs: tuple[Expr, ...], origin: Origin, form: NormalForm) -> Term:
    rates = {Add(*(c for c, _ in parts)) for parts in columns}
    if len(rates) > 1:
        return Coupling(form.unknown.head, 0, exprs, origin)
    return Reaction(rates.pop(), form.unknown.head, origin)


def _with_common_coefficient(
    entries: list[Coefficient],
    make: Callable[[Coefficient, Origin], Term],
    order: int,
    exprs: tuple[Expr, ...],
    origin: Origin,
    form: NormalForm,
) -> Iterator[Term]:
    """One term if all components share the coefficient; otherwise a coupling of the components of a vector."""
    if all(e == entries[0] for e in entries):
        yield make(entries[0], origin)
    else:
        yield Coupling(form.unknown.head, order, exprs, origin)


# ---- Arguments and orders


def _is_at_another_point(field: Field, form: NormalForm) -> bool:
    unknown = next(u for u in form.spec.unknowns if u.head == field.head)
    return bool(field.arguments != Tuple(*unknown.arguments))


def _is_at_another_time(field: Field, form: NormalForm) -> bool:
    unknown = next(u for u in form.spec.unknowns if u.head == field.head)
    pairs = zip(field.arguments, unknown.arguments, strict=True)
    return any(own == form.time and argument != own for argument, own in pairs)


def _unknowns_in(expr: Expr, form: NormalForm) -> list[Field]:
    return [f for f in atoms(expr, Field) if f.head in form.heads]


def _is_nonlocal(expr: Expr, form: NormalForm) -> bool:
    return any(_is_at_another_point(f, form) for f in _unknowns_in(expr, form))


def _has_delay(expr: Expr, form: NormalForm) -> bool:
    return any(_is_at_another_time(f, form) for f in _unknowns_in(expr, form))


def spatial_order(expr: Expr, form: NormalForm) -> int:
    """The order of the highest derivative of an unknown in space: ∂/∂x σ(∂u/∂x) is of second order."""
    if isinstance(expr, Integral):
        return 0
    if not isinstance(expr, Partial):
        return max((spatial_order(a, form) for a in expr.args), default=0) if expr.args else 0
    if not _unknowns_in(expr.body, form):
        return 0
    return len([s for s in expr.slots if s != form.time]) + spatial_order(expr.body, form)


# ---- Generator

GENERATOR_FACTORS = (
    Factor(FactorKind.FIRST_DERIVATIVE, 1),
    Factor(FactorKind.SECOND_DERIVATIVE, 2),
    Factor(FactorKind.VALUE),
    Factor(FactorKind.ONE),
)


def generator_of(right: Expr, direction: Direction, form: NormalForm) -> Generator | None:
    """b, A, c and f of a linear equation of first order in time for one scalar; None for other equations."""
    if form.equation.order != 1 or len(form.equation.rhs) != 1 or isinstance(form.unknown.type, Vector):
        return None
    if right.has(Applied):
        return None
    sign = -1 if direction is Direction.TERMINAL else 1
    try:
        groups = _group_by_factor(
            list(linear_terms(expand_products(sign * form.with_dimension(right)), form.heads)), form, 0
        )
    except NotLinear:
        return None
    drift, second, value, known = (groups.pop(kind, []) for kind in GENERATOR_FACTORS)
    if any(c != 0 for parts in groups.values() for c, _ in parts):
        return None
    rate, source = (Add(*(c for c, _ in parts)) for parts in (value, known))
    return Generator(form.drift(drift), form.diffusivity(second), rate, source, direction)
