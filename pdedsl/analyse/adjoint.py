"""d/dt ∫u of a linear equation, by index: ∫ Lu = ∫ u L*1, where L*1 = c - Σᵢ ∂bᵢ/∂xᵢ + Σᵢⱼ ∂²Aᵢⱼ/∂xᵢ∂xⱼ.

Index notation is kept where a space is not written out in components: an integral over the few coordinates that are
shown is not one over all of them. ∇·(x u) is x·∇u + n u, where n is the dimension of the whole space.
"""

from __future__ import annotations

from functools import partial, reduce

from sympy import Add, Dummy, Expr, S, Symbol

from pdedsl.analyse.coefficients import parts_of
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.calculus import contract, differentiate
from pdedsl.symbolic.expansion import expand
from pdedsl.symbolic.symbols import Partial


def adjoint_of_one(right: Expr, heads: frozenset[Symbol]) -> Expr:
    """L*1 for an affine right-hand side, ignoring its source. Raises NotLinear."""
    parts = [(c, letter) for c, letter in parts_of(right, heads) if letter is not S.One]
    return expand(Add(*(_moved(c, letter) for c, letter in parts)))


def _moved(coefficient: Expr, letter: Expr) -> Expr:
    """(-1)ᵏ ∂ᵏc/∂xᵢ…∂xⱼ, summed over the indices of the derivative."""
    slots = letter.slots if isinstance(letter, Partial) else ()
    term = reduce(lambda e, slot: -differentiate(e, slot, chain=True), slots, coefficient)
    indices = sorted({s for slot in slots for s in atoms(slot, Dummy)}, key=lambda s: s.dummy_index)
    return reduce(lambda e, index: contract(partial(_at, e, index), None), indices, term)


def _at(expr: Expr, index: Symbol, place: Expr) -> Expr:
    return expr.xreplace({index: place})
