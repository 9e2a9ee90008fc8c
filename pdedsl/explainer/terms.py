"""Terms of an equation in words: their names, and the structure and values of their coefficients.

The name of a term depends on the equation: A:∇∇u is diffusion in ∂u/∂t = A:∇∇u, the elastic term of the wave equation
∂²u/∂t² = A:∇∇u, and a second-order term, the principal part, of a stationary equation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from sympy import Add, Dummy, Expr

from pdedsl.analysis.problem import time_direction
from pdedsl.config.methods import Direction
from pdedsl.diagnostics import Span
from pdedsl.ir.analysis import EquationClass, EquationFacts
from pdedsl.ir.spec import SpaceKind, Spec
from pdedsl.ir.terms import (
    Coefficient,
    Components,
    Convection,
    Coupling,
    Diffusion,
    HigherOrder,
    Indexed,
    LearnedField,
    MatrixStructure,
    Nonlinear,
    Nonlocal,
    Reaction,
    SourceTerm,
    SymmetricLayer,
    Term,
    TimeDerivative,
    matrix_structure,
)
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.symbols import Field, Partial, atoms

ORDINALS = {0: "zeroth", 1: "first", 2: "second", 3: "third", 4: "fourth"}


def ordinal(n: int) -> str:
    return ORDINALS.get(n, f"{n}th")


def term_name(term: Term, facts: EquationFacts, spec: Spec) -> str:
    """The name of a term in its equation."""
    order = facts.equation.order
    match term:
        case TimeDerivative(mixed=mixed):
            return "mixed space-time derivative" if mixed else "time derivative"
        case Convection():
            return "first-order term" if order == 2 else "convection"
        case Diffusion():
            return _second_order_name(term, facts, spec)
        case Reaction():
            return "reaction" if order == 1 else "zeroth-order term"
        case SourceTerm():
            return "source"
        case Coupling():
            return "coupling"
        case SymmetricLayer():
            return "symmetric layer"
        case LearnedField():
            return "learned field"
        case Nonlocal(in_time=in_time):
            return "delay term" if in_time else "nonlocal term"
        case Nonlinear():
            return _nonlinear_name(term, facts, spec)
        case HigherOrder(order=in_space):
            return "dispersion" if order == 1 and in_space % 2 else f"{ordinal(in_space)}-order term"
        case _:
            assert_never(term)


def _second_order_name(term: Diffusion, facts: EquationFacts, spec: Spec) -> str:
    isotropic = matrix_structure(term.matrix) is MatrixStructure.ISOTROPIC
    match facts.equation.order:
        case 1:
            return "antidiffusion" if isotropic and _is_negative(term.matrix, facts, spec) else "diffusion"
        case 2 if facts.kind is EquationClass.WAVE:
            return "elastic term"
        case 0 if isotropic and spec.space.dimension != 1 and _dependence(term.matrix, spec) == "constant":
            return "Laplacian"
        case _:
            return "second-order term"


def _is_negative(matrix: Coefficient, facts: EquationFacts, spec: Spec) -> bool:
    """Whether a coefficient is a negative number in the direction of time from the data."""
    sign = -1 if is_backward(facts, spec) else 1
    return bool((sign * _entries(matrix)[0]).xreplace(spec.values).is_negative)


def _nonlinear_name(term: Nonlinear, facts: EquationFacts, spec: Spec) -> str:
    if spec.space.kind is SpaceKind.PIXELS:
        return "nonlinear term"
    if term.order == 0 and facts.equation.order == 1:
        return "nonlinear reaction"
    if term.order == 1 and facts.equation.order < 2 and _is_quasilinear(term, facts):
        return "nonlinear convection"
    return f"nonlinear {ordinal(term.order)}-order term"


def _is_quasilinear(term: Nonlinear, facts: EquationFacts) -> bool:
    """Whether a term is linear in the first derivatives of the unknown, as in u ∂u/∂x, and contains no others."""
    for expr in term.exprs:
        names = {p: Dummy() for p in atoms(expr, Partial)}
        if any(not isinstance(p.body, Field) or p.body.head != facts.equation.unknown for p in names):
            return False
        linear = expr.xreplace(names)
        if any(linear.diff(d).free_symbols & set(names.values()) for d in names.values()):
            return False
    return True


def is_backward(facts: EquationFacts, spec: Spec) -> bool:
    """Whether the equation is solved backward in time, from terminal data."""
    return facts.equation.order == 1 and time_direction(spec, facts.equation.unknown) is Direction.TERMINAL


def term_rows(facts: EquationFacts, spec: Spec) -> list[tuple[str, str, Term]]:
    """Name, detail and one of the terms for each summand: ∇·(x u) is convection and reaction."""
    by_span: dict[Span, list[Term]] = {}
    for term in facts.terms:
        by_span.setdefault(term.origin.span, []).append(term)
    rows = []
    for terms in by_span.values():
        names = dict.fromkeys(term_name(term, facts, spec) for term in terms)
        details = dict.fromkeys(filter(None, (term_detail(term, spec) for term in terms)))
        rows.append((" and ".join(names), "; ".join(details), terms[0]))
    return rows


def term_detail(term: Term, spec: Spec) -> str:
    """The structure of a term's coefficients, or its order."""
    match term:
        case TimeDerivative(order=order):
            return f"order {order}"
        case Convection(drift=drift):
            return f"{_dependence(drift, spec)} coefficients"
        case Diffusion(matrix=matrix):
            shape = f"{matrix_structure(matrix)}, " if spec.space.dimension != 1 else ""
            return f"{shape}{_dependence(matrix, spec)} coefficients"
        case Coupling(of=of, order=order):
            subject = f"of Re({of}) and Im({of})" if of.is_real is None else f"with {of}"
            return subject + (f", order {order}" if order else "")
        case HigherOrder() | Nonlinear() | Nonlocal() | Reaction() | SourceTerm() | SymmetricLayer() | LearnedField():
            return ""
        case _:
            assert_never(term)


def _entries(coefficient: Coefficient) -> tuple[Expr, ...]:
    match coefficient:
        case Components(rows=rows):
            return tuple(e for row in rows for e in row)
        case Indexed(diagonal=a, outer=outer, learned=learned):
            return (a, *(e for pair in outer for e in pair), *(c for c, _ in learned))
        case _:
            assert_never(coefficient)


def _dependence(coefficient: Coefficient, spec: Spec) -> str:
    """Whether a coefficient is learned, variable (a function of x or t), or constant, also for each member of a
    family."""
    entries = _entries(coefficient)
    heads = {w.head for w in spec.learned} - {p.head for p in spec.family}
    matrices = isinstance(coefficient, Indexed) and coefficient.learned
    if matrices or any(f.head in heads for e in entries for f in atoms(e, Field)):
        return "learned"
    varying = {*spec.space.coordinates, *((spec.time.symbol,) if spec.time else ())}
    return "variable" if any(e.free_symbols & varying for e in entries) else "constant"


def _factor(expr: Expr) -> str:
    return f"({notation(expr)})" if isinstance(expr, Add) else notation(expr)


def indexed_text(matrix: Indexed) -> str:
    """diag(aᵢ) + Σ c w wᵀ on one line."""
    parts = [f"diag({notation(matrix.diagonal)})"] if matrix.diagonal != 0 else []
    parts += [f"{_factor(c)} w wᵀ, w = ({notation(w)})ᵢ" for c, w in matrix.outer]
    parts += [f"{_factor(c)} {head}" for c, head in matrix.learned]
    return " + ".join([*parts, "…"] if matrix.has_other_entries else parts)


# ---- Values of the coefficients


def coefficient_of(term: Term, facts: EquationFacts, spec: Spec) -> str:
    """`ν = 0.02`, `b = v`, `A = [0.1, 0; 0, 0.2]`, in the direction of time from the data and with constants as
    numbers; empty if a term has no coefficient, or if the equation is stationary, so that its sign is arbitrary."""
    if facts.equation.order == 0:
        return ""
    backward = is_backward(facts, spec)

    def text(expr: Expr) -> str:
        return substitute_constants(-expr if backward else expr, spec)

    match term:
        case Diffusion(matrix=matrix):
            return _matrix(matrix, text, "ν" if facts.equation.order == 1 else "c²")
        case Convection(drift=drift):
            return f"b = {_vector(drift, text)}"
        case Reaction(rate=rate):
            return f"c = {text(rate)}"
        case SourceTerm(values=values):
            return f"f = {_tuple(values, text)}"
        case SymmetricLayer(factor=factor, operator=head) | LearnedField(factor=factor, field=head):
            return f"{text(factor)} times a layer of {head}"
        case TimeDerivative() | Coupling() | Nonlinear() | Nonlocal() | HigherOrder():
            return ""
        case _:
            assert_never(term)


def _matrix(matrix: Coefficient, text: Callable[[Expr], str], scalar: str) -> str:
    match matrix_structure(matrix), matrix:
        case MatrixStructure.ISOTROPIC, (Components(rows=((nu, *_), *_)) | Indexed(diagonal=nu)):
            return f"{scalar} = {text(nu)}"
        case _, Components(rows=rows):
            return f"A = [{'; '.join(', '.join(map(text, row)) for row in rows)}]"
        case _, Indexed():
            return f"A = {indexed_text(matrix)}"
        case _:
            raise AssertionError(matrix)


def _vector(drift: Coefficient, text: Callable[[Expr], str]) -> str:
    match drift:
        case Components(rows=(entries,)):
            return _tuple(entries, text)
        case Indexed(diagonal=entry):
            return (
                text(entry).removesuffix("ᵢ") if isinstance(-entry, Field) or isinstance(entry, Field) else text(entry)
            )
        case _:
            raise AssertionError(drift)


def _tuple(entries: Sequence[Expr], text: Callable[[Expr], str]) -> str:
    """`v` for [v₁, v₂], or the entries one by one."""
    texts = list(map(text, entries))
    heads = {e.rstrip("₀₁₂₃₄₅₆₇₈₉") for e in texts}
    if len(texts) == 1:
        return texts[0]
    return heads.pop() if len(heads) == 1 and not set(texts) & heads else f"[{', '.join(texts)}]"


def substitute_constants(expr: Expr, spec: Spec) -> str:
    """An expression with constants as numbers; a number is written as a decimal if it terminates early enough."""
    value = expr.xreplace(spec.values)
    if value.is_Rational and 10**6 % value.q == 0:
        return f"{float(value):.12g}"
    return notation(value)
