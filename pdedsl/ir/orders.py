"""Orders of what has no order: of the halves of a pair and of the terms of a sum, whatever their names are.

Equal keys are twins: exchanging them changes nothing but names.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Add, Expr, Symbol

from pdedsl.ir.boxes import boxes_of
from pdedsl.ir.canonical import printer
from pdedsl.ir.spec import Equation, Learned, Spec


def term_key(equation: Equation, spec: Spec) -> Callable[[Expr], str]:
    """A key of the terms of an equation, by their form."""
    colours: dict[Symbol, str] = {u.head: "self" if u.head == equation.unknown else "other" for u in spec.unknowns}
    return printer(spec, colours | {w.head: _form(w, spec) for w in spec.learned})


def half_key(equation: Equation, spec: Spec) -> tuple[int, str]:
    """A key of the halves of a pair: first the one that is pushed with fewer minus signs, then by the form."""
    terms = Add.make_args(equation.right[0])
    return sum(bool(term.as_coeff_Mul()[0] < 0) for term in terms), term_key(equation, spec)(equation.right[0])


def _form(learned: Learned, spec: Spec) -> str:
    """What a learned field is, but for its name: its type, its network, its variables and its box."""
    boxes = [f"[{box.low}, {box.high}]" for box, _ in boxes_of(spec) if box.operator == learned.name]
    return f"<{learned.type} = {learned.net} of {len(learned.arguments)} {' '.join(sorted(boxes))}>"
