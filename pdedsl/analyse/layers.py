"""The terms of an equation on feature maps: symmetric layers, learned fields, multiples of the state."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Add, Expr, S, default_sort_key

from pdedsl.analyse.terms import Frame, goal_of, shares
from pdedsl.ir.spec import Spec, Summand
from pdedsl.ir.terms import (
    LearnedField,
    Nonlinear,
    Normalisation,
    Origin,
    Reaction,
    SymmetricLayer,
    Term,
    TimeDerivative,
)
from pdedsl.numerics.activations import ACTIVATIONS
from pdedsl.symbolic.symbols import Applied, Field, Layer, Transposed, with_number


def feature_terms(frame: Frame) -> tuple[Term, ...]:
    """All terms, in the order of their summands."""
    return tuple(term for summand, share in shares(frame) for term in _terms(summand, share[0], frame))


def _terms(summand: Summand, share: Expr, frame: Frame) -> Iterator[Term]:
    origin = Origin("-" * summand.minus + frame.spec.source.at(summand.span), summand.span)
    goal = goal_of(frame, 0)
    if goal is not None and summand.exprs[0].has(goal):
        yield TimeDerivative(frame.equation.order, origin)
    for product in sorted(Add.make_args(share), key=default_sort_key):
        if product != 0:
            yield feature_term(product, origin, frame.spec)


def feature_term(product: Expr, origin: Origin, spec: Spec) -> Term:
    """c Y, c f(Y, t) or c Kᵀσ(N(K Y)) with a number c; anything else is a nonlinear term."""
    factor, rest = with_number(product)
    match rest:
        case Field() if _is_unknown(rest, spec):
            return Reaction(factor, rest.head, origin)
        case Field() if (state := _state_read(rest, spec)) is not None:
            return LearnedField(factor, rest.head, state.head, origin)
        case Applied():
            return _symmetric(factor, rest, origin, spec) or Nonlinear(0, (product,), origin)
        case _:
            return Nonlinear(0, (product,), origin)


def _is_unknown(expr: Expr, spec: Spec) -> bool:
    return any(expr == Field(u.head, (), u.arguments) for u in spec.unknowns)


def _as_declared(field: Field, spec: Spec) -> bool:
    """Whether it is a learned field, read at the arguments of its declaration."""
    return any((field.head, tuple(field.arguments)) == (w.head, tuple(w.arguments)) for w in spec.learned)


def _state_read(field: Field, spec: Spec) -> Field | None:
    """The one state that a learned field reads, at the arguments of its declaration."""
    states = [a for a in field.arguments if _is_unknown(a, spec)]
    return states[0] if len(states) == 1 and _as_declared(field, spec) else None


def _symmetric(factor: Expr, layer: Applied, origin: Origin, spec: Spec) -> SymmetricLayer | None:
    """Kᵀ σ(N(K Y)): nothing else stands between the operators."""
    activation, norm, inner = "identity", None, layer.body
    if not isinstance(inner, Applied | Layer) and len(inner.args) == 1:
        activation, inner = type(inner).__name__, inner.args[0]
    if isinstance(inner, Layer):
        eps = next((value for key, value in inner.settings if key.name == "eps"), S.Zero)
        norm, inner = Normalisation(inner.name, eps), inner.body
    if not isinstance(inner, Applied) or not isinstance(inner.operator, Field) or activation not in ACTIVATIONS:
        return None
    fits = layer.operator == Transposed(inner.operator) and _is_unknown(inner.body, spec)
    if not fits or not _as_declared(inner.operator, spec):
        return None
    return SymmetricLayer(factor, inner.operator.head, ACTIVATIONS[activation], norm, inner.body.head, origin)
