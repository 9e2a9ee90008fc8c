"""Terms of an equation on feature maps: symmetric layers Kᵀ σ(N(K Y)), learned fields and multiples of the state."""

from __future__ import annotations

from fractions import Fraction

from sympy import Add, Expr, Symbol, default_sort_key

from pdedsl.config.networks import NORMALIZATIONS, Normalization
from pdedsl.ir.spec import Equation, Learned, Spec
from pdedsl.ir.terms import LearnedField, MapTerm, Nonlinear, Origin, Reaction, SymmetricLayer
from pdedsl.ir.types import Operator
from pdedsl.numerics.activations import ACTIVATIONS, Activation
from pdedsl.symbolic.symbols import Applied, Field, Layer, Transposed, with_number


def map_terms(equation: Equation, spec: Spec) -> tuple[MapTerm, ...]:
    """The terms of the right-hand side, in canonical order."""
    right = [e.xreplace(spec.values) for e in equation.rhs]
    if len(right) != 1:
        return (Nonlinear(order=0, exprs=tuple(right), origin=_equation_origin(equation, spec)),)
    terms = sorted(Add.make_args(right[0]), key=default_sort_key)
    return tuple(_term(term, equation, spec) for term in terms if term != 0)


def _term(term: Expr, equation: Equation, spec: Spec) -> MapTerm:
    factor, rest = with_number(term)
    origin = _origin(rest, equation, spec)
    state = state_of(rest, spec)
    if state is not None:
        return Reaction(factor, state, origin)
    if isinstance(rest, Field):
        learned, read = declared(rest, spec), [s for a in rest.arguments if (s := state_of(a, spec))]
        if learned is not None and len(read) == 1:
            return LearnedField(factor, rest.head, read[0], origin)
    layer = _symmetric(factor, rest, origin, spec) if isinstance(rest, Applied) else None
    return layer or Nonlinear(order=0, exprs=(term,), origin=origin)


def state_of(expr: Expr, spec: Spec) -> Symbol | None:
    """The unknown that an expression is, at the same point and time; None if it is none."""
    return next((u.head for u in spec.unknowns if expr == Field(u.head, (), u.arguments)), None)


def declared(field: Field, spec: Spec) -> Learned | None:
    """The learned field, if it is evaluated at the arguments of its declaration."""
    declarations = (w for w in spec.learned if (field.head, tuple(field.arguments)) == (w.head, tuple(w.arguments)))
    return next(declarations, None)


# ---- Symmetric layers, factor · Kᵀ σ(N(K Y))


def _symmetric(factor: Expr, expr: Applied, origin: Origin, spec: Spec) -> SymmetricLayer | None:
    """A symmetric layer: between the operators are at most one activation and, inside it, at most one normalization."""
    activation, inner = _activation(expr.body)
    norm, inner = (normalization_of(inner), inner.body) if isinstance(inner, Layer) else (None, inner)
    if activation is None or not isinstance(inner, Applied) or expr.operator != Transposed(inner.operator):
        return None
    adjoint = isinstance(inner.operator, Transposed)
    operator, state = inner.operator.args[0] if adjoint else inner.operator, state_of(inner.body, spec)
    learned = declared(operator, spec) if isinstance(operator, Field) else None
    if state is None or learned is None or not isinstance(learned.type, Operator):
        return None
    return SymmetricLayer(factor, operator.head, activation, norm, state, origin, adjoint)


def _activation(expr: Expr) -> tuple[Activation | None, Expr]:
    """σ (the identity if none is written) and its argument."""
    if isinstance(expr, Applied | Layer):
        return ACTIVATIONS["identity"], expr
    if len(expr.args) != 1:
        return None, expr
    return ACTIVATIONS.get(type(expr).__name__), expr.args[0]


def normalization_of(layer: Layer) -> Normalization:
    settings = {key.name: Fraction(int(value.p), int(value.q)) for key, value in layer.settings}
    return NORMALIZATIONS[layer.name].create(settings)


# ---- Source locations


def _origin(rest: Expr, equation: Equation, spec: Spec) -> Origin:
    """The summand in which a term occurs, or the equation if there is no such summand."""
    summands = [s for s in equation.summands if len(s.exprs) == 1 and rest in _terms_without_factors(s.exprs[0], spec)]
    if len(summands) != 1:
        return _equation_origin(equation, spec)
    return Origin("-" * summands[0].negated + spec.source.quote(summands[0].span), summands[0].span)


def _terms_without_factors(expr: Expr, spec: Spec) -> list[Expr]:
    return [with_number(term)[1] for term in Add.make_args(expr.xreplace(spec.values))]


def _equation_origin(equation: Equation, spec: Spec) -> Origin:
    return Origin(spec.source.quote(equation.span), equation.span)


# ---- Structure


def is_gradient_descent(terms: tuple[MapTerm, ...]) -> bool:
    """Whether they are -Σ c Kᵀ σ(N(K Y)) - λY with c > 0: without N, minus the gradient of Σ c ΣΦ(K Y) + ½λ‖Y‖², Φ' = σ
    (Ruthotto and Haber, eq. 7)."""
    layers = [term for term in terms if isinstance(term, SymmetricLayer)]
    rest = [term for term in terms if not isinstance(term, SymmetricLayer)]
    descends = all(layer.factor < 0 for layer in layers) and all(isinstance(term, Reaction) for term in rest)
    return bool(layers) and descends


def is_linear(term: MapTerm, spec: Spec) -> bool:
    """Whether a term is linear in the feature maps."""
    match term:
        case Reaction():
            return True
        case SymmetricLayer(activation=activation, norm=norm):
            return norm is None and activation == ACTIVATIONS["identity"]
        case LearnedField():
            return False
        case Nonlinear(exprs=exprs):
            return all(_is_linear_map(e, spec) for e in exprs)


def _is_linear_map(expr: Expr, spec: Spec) -> bool:
    """Whether it is built from feature maps by operators, sums and multiples."""
    if isinstance(expr, Applied):
        return _is_linear_map(expr.body, spec)
    if expr.is_Add:
        return all(_is_linear_map(a, spec) for a in expr.args)
    coefficient, rest = with_number(expr)
    if coefficient != 1:
        return _is_linear_map(rest, spec)
    return isinstance(expr, Field) and expr.head in {u.head for u in spec.unknowns}
