"""Terms in words: what their coefficients look like and depend on."""

from __future__ import annotations

from typing import assert_never

from sympy import Expr

from pdedsl.ir.spec import Spec
from pdedsl.ir.terms import (
    Coefficient,
    Components,
    Coupling,
    Diffusion,
    HigherOrder,
    Indexed,
    LearnedField,
    Nonlinear,
    Nonlocal,
    Reaction,
    Source,
    SymmetricLayer,
    Term,
    TimeDerivative,
    Transport,
    shape_of,
)
from pdedsl.symbolic.notation import notation
from pdedsl.symbolic.symbols import Field


def detail_of(term: Term, spec: Spec) -> str:
    """What is to be said of a term besides its name."""
    match term:
        case TimeDerivative(order=order):
            return f"order {order}"
        case Transport(drift=drift):
            return _nature(drift, spec)
        case Diffusion(matrix=matrix):
            return f"{shape_of(matrix)}, {_nature(matrix, spec)}"
        case Coupling(of=of, order=order):
            return f"with {of}" + (f", order {order}" if order else "")
        case Nonlinear(order=order) | HigherOrder(order=order):
            return f"order {order}" if order else ""
        case Nonlocal(in_time=in_time):
            return "at another time" if in_time else "at other points"
        case Reaction() | Source() | SymmetricLayer() | LearnedField():
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
    """What coefficients depend on."""
    entries = _entries(coefficient)
    heads = {w.head for w in spec.learned}
    matrices = isinstance(coefficient, Indexed) and coefficient.learned
    if matrices or any(f.head in heads for e in entries for f in e.atoms(Field)):
        return "learned"
    varying = {*spec.space.coordinates, *((spec.time.symbol,) if spec.time else ())}
    return "known" if any(e.free_symbols & varying for e in entries) else "constant"


def indexed_text(matrix: Indexed) -> str:
    """diag(aᵢ) + Σ c w wᵀ in a line."""
    parts = [f"diag({notation(matrix.diagonal)})"] if matrix.diagonal != 0 else []
    parts += [f"{notation(c)} w wᵀ, w = ({notation(w)})ᵢ" for c, w in matrix.outer]
    parts += [f"{notation(c)} {head}" for c, head in matrix.learned]
    return " + ".join([*parts, "…"] if matrix.rest else parts)
