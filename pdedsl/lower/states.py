"""Equations on feature maps → states that are pushed.

Symmetric layers (Ruthotto and Haber, eq. 7 and 8): -Kᵀσ(KY) is minus the gradient of ΣΦ(KY), Φ' = σ. Second order in
time (eq. 11) and separable pairs (eq. 10) conserve an energy and run backwards.
"""

from __future__ import annotations

from sympy import Expr

from pdedsl.diagnostics import fail
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.representation import Learned, Push, States, Symmetric, Theorem
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.symbols import Applied, Field, Layer, Transposed

VARIATIONAL = Theorem("variational: minus the gradient of an energy", "Ruthotto, Haber, eq. 7 and 8")
HAMILTONIAN = Theorem("Hamiltonian splitting: each half is pushed by the other", "Ruthotto, Haber, eq. 10")
CENTRAL = Theorem("central differences in time", "Ruthotto, Haber, eq. 11")
ONE_STEP = Theorem("one-step methods", "Hairer, Nørsett, Wanner, chapter II")


def to_states(analysis: Analysis) -> States:
    spec = analysis.spec
    kinds = {facts.kind for facts in analysis.equations}
    pushes = tuple(_push(facts.equation, spec) for facts in analysis.equations)
    method = next((r.method for r in spec.realizations if r.part == "time"), None)
    if kinds == {"hamiltonian"}:
        return States(HAMILTONIAN, "pair", pushes, method)
    if len(pushes) > 1:
        raise fail(
            "E602",
            "these equations are no separable pair",
            analysis.equations[1].equation.span,
            "write Y' = f(Z, t) and Z' = g(Y, t)",
        )
    if kinds == {"wave"}:
        return States(CENTRAL, "second", pushes, method)
    return States(VARIATIONAL if kinds == {"gradient-flow"} else ONE_STEP, "first", pushes, method)


def _push(equation: Equation, spec: Spec) -> Push:
    """The right-hand side as one layer."""
    factor, rest = equation.right[0].as_coeff_Mul()
    if isinstance(rest, Field) and any(w.head == rest.head for w in spec.learned):
        return Learned(rest.head, factor, equation.span)
    found = _symmetric(rest) if isinstance(rest, Applied) else None
    if found is None:
        raise fail(
            "E602", "this right-hand side has no layer yet", equation.span, "known: -Kᵀ σ(N(K Y)) and a learned f(Y, t)"
        )
    operator, activation, layer, eps = found
    return Symmetric(operator.head, activation, layer, eps, factor, equation.span)


def _symmetric(expr: Applied) -> tuple[Field, str, str, Expr | None] | None:
    """Kᵀ σ(N(K Y)): its operator, activation, normalisation and ε."""
    activation, layer, eps = "identity", "", None
    inner = expr.body
    while not isinstance(inner, Applied):
        if isinstance(inner, Layer):
            layer, eps, inner = inner.name, {k.name: v for k, v in inner.settings}.get("eps"), inner.body
        elif len(inner.args) == 1:
            activation, inner = type(inner).__name__, inner.args[0]
        else:
            return None
    if expr.operator != Transposed(inner.operator) or not isinstance(inner.body, Field):
        return None
    return inner.operator, activation, layer, eps
