"""Terms in words: what their coefficients look like and depend on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from sympy import Expr

from pdedsl.config.methods import Direction
from pdedsl.ir.analysis import EquationFacts
from pdedsl.ir.spec import Spec
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
from pdedsl.symbolic.symbols import Field, atoms


def detail_of(term: Term, spec: Spec) -> str:
    """What is known about a term besides its name."""
    match term:
        case TimeDerivative(order=order):
            return f"order {order}"
        case Convection(drift=drift):
            return _nature(drift, spec)
        case Diffusion(matrix=matrix):
            return f"{matrix_structure(matrix)}, {_nature(matrix, spec)}"
        case Coupling(of=of, order=order):
            return f"with {of}" + (f", order {order}" if order else "")
        case Nonlinear(order=order) | HigherOrder(order=order):
            return f"order {order}" if order else ""
        case Nonlocal(in_time=in_time):
            return "at another time" if in_time else "at other points"
        case Reaction() | SourceTerm() | SymmetricLayer() | LearnedField():
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


def _nature(coefficient: Coefficient, spec: Spec) -> str:
    """What a coefficient depends on."""
    entries = _entries(coefficient)
    heads = {w.head for w in spec.learned}
    matrices = isinstance(coefficient, Indexed) and coefficient.learned
    if matrices or any(f.head in heads for e in entries for f in atoms(e, Field)):
        return "learned"
    varying = {*spec.space.coordinates, *((spec.time.symbol,) if spec.time else ())}
    return "known" if any(e.free_symbols & varying for e in entries) else "constant"


def indexed_text(matrix: Indexed) -> str:
    """diag(aᵢ) + Σ c w wᵀ in a line."""
    parts = [f"diag({notation(matrix.diagonal)})"] if matrix.diagonal != 0 else []
    parts += [f"{notation(c)} w wᵀ, w = ({notation(w)})ᵢ" for c, w in matrix.outer]
    parts += [f"{notation(c)} {head}" for c, head in matrix.learned]
    return " + ".join([*parts, "…"] if matrix.rest else parts)


# ---- coefficients in numbers


def coefficient_of(term: Term, facts: EquationFacts, spec: Spec) -> str:
    """`ν = 0.02`, `b = v`, `A = [0.1, 0; 0, 0.2]`, in the direction of the data and with constants as numbers; empty
    if a term has no coefficient, or if the equation has no time derivative, and so no direction that fixes its sign."""
    if facts.equation.order == 0:
        return ""
    backwards = facts.process is not None and facts.process.direction is Direction.TERMINAL

    def text(expr: Expr) -> str:
        return valued(-expr if backwards else expr, spec)

    match term:
        case Diffusion(matrix=matrix):
            return _matrix(matrix, text)
        case Convection(drift=drift):
            return f"b = {_vector(drift, text)}"
        case Reaction(rate=rate):
            return f"c = {text(rate)}"
        case SourceTerm(values=values):
            return f"f = {_listed(values, text)}"
        case SymmetricLayer(factor=factor, operator=head) | LearnedField(factor=factor, field=head):
            return f"{text(factor)} times a layer of {head}"
        case TimeDerivative() | Coupling() | Nonlinear() | Nonlocal() | HigherOrder():
            return ""
        case _:
            assert_never(term)


def _matrix(matrix: Coefficient, text: Callable[[Expr], str]) -> str:
    match matrix_structure(matrix), matrix:
        case MatrixStructure.ISOTROPIC, (Components(rows=((nu, *_), *_)) | Indexed(diagonal=nu)):
            return f"ν = {text(nu)}"
        case _, Components(rows=rows):
            return f"A = [{'; '.join(', '.join(map(text, row)) for row in rows)}]"
        case _, Indexed():
            return f"A = {indexed_text(matrix)}"
        case _:
            raise AssertionError(matrix)


def _vector(drift: Coefficient, text: Callable[[Expr], str]) -> str:
    match drift:
        case Components(rows=(entries,)):
            return _listed(entries, text)
        case Indexed(diagonal=entry):
            return (
                text(entry).removesuffix("ᵢ") if isinstance(-entry, Field) or isinstance(entry, Field) else text(entry)
            )
        case _:
            raise AssertionError(drift)


def _listed(entries: Sequence[Expr], text: Callable[[Expr], str]) -> str:
    """`v` for [v₁, v₂], or the entries one by one."""
    shown = list(map(text, entries))
    whole = {e.rstrip("₀₁₂₃₄₅₆₇₈₉") for e in shown}
    if len(shown) == 1:
        return shown[0]
    return whole.pop() if len(whole) == 1 and not set(shown) & whole else f"[{', '.join(shown)}]"


def valued(expr: Expr, spec: Spec) -> str:
    """An expression with constants as numbers; a number is written as a decimal if it terminates early enough."""
    value = expr.xreplace(spec.values)
    if value.is_Rational and 10**6 % value.q == 0:
        return f"{float(value):.12g}"
    return notation(value)
