"""`const`: exact numbers, vectors and matrices; `const σ² = 0.2` gives σ as the real root."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from sympy import Expr, Integer, Symbol

from pdedsl import mistakes
from pdedsl.frontend.elaborate.algebra import components
from pdedsl.frontend.elaborate.numbers import constant
from pdedsl.frontend.elaborate.values import Tensor, scalar
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Constant


def number_constant(declaration: t.ConstDecl, value: Expr) -> tuple[Constant, Tensor]:
    """A numeric constant; its symbol carries its sign as an assumption."""
    name, n = declaration.name.text, declaration.power
    if n == 0 or (n % 2 == 0 and value.is_negative):
        raise mistakes.shapes.no_real_root(name, declaration.value.span)
    root = value ** (Integer(1) / n) if not value.is_negative else -((-value) ** (Integer(1) / n))
    sign = {"positive": True} if root.is_positive else {"negative": True} if root.is_negative else {"zero": True}
    symbol = Symbol(name, **sign)
    return Constant(name, symbol, root, declaration.span), scalar(symbol if root != 0 else Integer(0))


def list_constant(declaration: t.ConstDecl, value: Tensor, numbers: Mapping[Symbol, Expr]) -> tuple[Constant, Tensor]:
    """A constant vector or matrix, by its entries."""
    if declaration.power != 1:
        raise mistakes.shapes.power_of_tensor_constant(declaration.span)
    if value.size is None:
        raise mistakes.shapes.not_constant(declaration.value.span)
    name, entries = declaration.name.text, components(value).xreplace(numbers)
    for entry in entries if value.rank == 1 else chain.from_iterable(entries):
        constant(entry, declaration.value.span)
    made = Constant(name, Symbol(name, real=True), entries, declaration.span)
    return made, Tensor(value.rank, lambda *i: _entry(entries, i), value.size)


def _entry(entries: Expr, index: tuple[Expr, ...]) -> Expr:
    for i in index:
        entries = entries[int(i) - 1]
    return entries
