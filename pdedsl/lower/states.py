"""Equations on feature maps → states that are pushed.

Symmetric layers (Ruthotto and Haber, eq. 7 and 8): -Kᵀσ(KY) is minus the gradient of ΣΦ(KY), Φ' = σ. Second order in
time (eq. 11) and separable pairs (eq. 10) conserve an energy and run backwards.
"""

from __future__ import annotations

from collections import Counter

from sympy import Add, Expr

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.ir.analysis import Analysis, EquationClass
from pdedsl.ir.orders import half_key, term_key
from pdedsl.ir.representation import Learned, Push, Reaction, Single, States, Sum, Symmetric, Theorem
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.systems import integrator_of
from pdedsl.lower.pixels import require_expressible
from pdedsl.numerics.activations import ACTIVATIONS
from pdedsl.symbolic.symbols import Applied, Field, Layer, Transposed, with_number

VARIATIONAL = Theorem(
    "variational: -Kᵀσ(KY) is minus the gradient of ΣΦ(KY), Φ' = σ",
    "Ruthotto, Haber, eq. 7 and 8",
    "a step of Euler is a symmetric layer",
)
HAMILTONIAN = Theorem(
    "Hamiltonian splitting",
    "Ruthotto, Haber, eq. 10",
    "a half-step of Verlet moves one half by a function of the other, and can be undone",
)
CENTRAL = Theorem(
    "central differences in time",
    "Ruthotto, Haber, eq. 11",
    "leapfrog Y₊ = 2Y - Y₋ + δt² F(Y), which runs backwards as well",
)
ONE_STEP = Theorem(
    "one-step methods",
    "Hairer, Nørsett, Wanner, chapter II",
    "a step of Euler is a residual map; an adaptive solver is a neural ODE",
)


def to_states(analysis: Analysis) -> States:
    """The states of a pair are in an order of their equations, since names and places do not matter."""
    spec = analysis.spec
    require_expressible(spec)
    kinds = {facts.kind for facts in analysis.equations}
    equations = sorted((facts.equation for facts in analysis.equations), key=lambda e: half_key(e, spec))
    pushes = tuple(_push(equation, spec) for equation in equations)
    method = integrator_of(spec)
    _check_once(pushes, spec)
    if kinds == {EquationClass.HAMILTONIAN}:
        return States(HAMILTONIAN, "pair", pushes, method)
    if len(pushes) > 1:
        raise mistakes.pixels.no_separable_pair(analysis.equations[1].equation.span)
    if equations[0].order == 2:
        return States(CENTRAL, "second", pushes, method)
    return States(VARIATIONAL if kinds == {EquationClass.GRADIENT_FLOW} else ONE_STEP, "first", pushes, method)


def _check_once(pushes: tuple[Push, ...], spec: Spec) -> None:
    """Every learned field stands in one layer: each layer has weights of its own."""
    found: Counter[object] = Counter()
    for push in (part for p in pushes for part in (p.parts if isinstance(p, Sum) else (p,))):
        head = None if isinstance(push, Reaction) else push.field if isinstance(push, Learned) else push.operator
        found[head] += head is not None
        if found[head] > 1:
            raise mistakes.pixels.two_layers(str(head), push.span)


def _push(equation: Equation, spec: Spec) -> Push:
    """The right-hand side as layers, one for each term."""
    terms = sorted(Add.make_args(equation.right[0]), key=term_key(equation, spec))
    parts = tuple(_single(term, equation, spec) for term in terms)
    return parts[0] if len(parts) == 1 else Sum(parts, equation.span)


def _single(term: Expr, equation: Equation, spec: Spec) -> Single:
    factor, rest = with_number(term)
    if _is_unknown(rest, spec):
        return Reaction(factor, equation.span)
    if isinstance(rest, Field) and _as_declared(rest, spec):
        return Learned(rest.head, factor, equation.span)
    found = _symmetric(rest, spec) if isinstance(rest, Applied) else None
    if found is None:
        raise mistakes.pixels.no_layer(_place(term, equation))
    operator, activation, layer, eps = found
    return Symmetric(operator.head, activation, layer, eps, factor, equation.span)


def _is_unknown(expr: Expr, spec: Spec) -> bool:
    return any(expr == Field(u.head, (), u.arguments) for u in spec.unknowns)


def _as_declared(field: Field, spec: Spec) -> bool:
    """Whether it is a learned field, read at the arguments of its declaration."""
    return any((field.head, tuple(field.arguments)) == (w.head, tuple(w.arguments)) for w in spec.learned)


def _place(term: Expr, equation: Equation) -> Span:
    """The summand in which a term stands, or the equation if it is the only one."""
    found = [s.span for s in equation.summands if {term, -term} & set(s.exprs)]
    return found[0] if len(found) == 1 and len(equation.summands) > 2 else equation.span


def _symmetric(expr: Applied, spec: Spec) -> tuple[Field, str, str, Expr | None] | None:
    """Kᵀ σ(N(K Y)): its operator, activation, normalisation and ε; nothing else stands between the operators."""
    activation, layer, eps = "identity", "", None
    inner = expr.body
    if not isinstance(inner, Applied | Layer) and len(inner.args) == 1:
        activation, inner = type(inner).__name__, inner.args[0]
    if isinstance(inner, Layer):
        layer, eps, inner = inner.name, {k.name: v for k, v in inner.settings}.get("eps"), inner.body
    if not isinstance(inner, Applied) or activation not in ACTIVATIONS or not isinstance(inner.operator, Field):
        return None
    fits = expr.operator == Transposed(inner.operator) and _is_unknown(inner.body, spec)
    return (inner.operator, activation, layer, eps) if fits and _as_declared(inner.operator, spec) else None
