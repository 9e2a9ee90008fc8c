"""sympy → a function of tensors: expressions in named symbols, evaluated together with common subexpressions shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from sympy import Expr, Symbol, cse, numbered_symbols
from torch import Tensor

from pdedsl.emit.expressions import node_of
from pdedsl.emit.program import Node, Program, Ref, Staged, staged

NOTHING = Program("", ())


@dataclass(frozen=True)
class Pointwise:
    """The values of expressions at tensors that stand for the symbols, all of one shape after broadcasting."""

    symbols: tuple[Symbol, ...]
    shared: tuple[tuple[str, Staged], ...]
    results: tuple[Staged, ...]

    def __call__(self, *values: Tensor) -> tuple[Tensor, ...]:
        scope = dict(zip(self._names, values, strict=True))
        scope["x"] = like = values[0]
        for name, value in self.shared:
            scope[name] = value(scope)
        shape = like.shape
        if len(values) > 1 and any(v.shape != shape for v in values):
            shape = torch.broadcast_tensors(*values)[0].shape  # type: ignore[no-untyped-call]
        return tuple([_full(r(scope), like, shape) for r in self.results])

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(s.name for s in self.symbols)


def _full(value: Tensor | float, like: Tensor, shape: torch.Size) -> Tensor:
    if not isinstance(value, Tensor):
        return torch.tensor(value, dtype=like.dtype, device=like.device).expand(shape)
    found = value if value.dtype == like.dtype and value.device == like.device else value.to(like)
    return found if found.shape == shape else found.expand(shape)


def pointwise(exprs: Sequence[Expr], symbols: Sequence[Symbol]) -> Pointwise:
    """Needs at least one symbol; planning has made sure that torch has every function in the expressions."""
    letters = [Symbol(f"a{k}", real=True) for k in range(len(symbols))]
    renamed = [e.xreplace(dict(zip(symbols, letters, strict=True))) for e in exprs]
    shared, results = cse(renamed, symbols=numbered_symbols("s", real=True), order="none")

    def of(expr: Expr) -> Staged:
        return staged(node_of(expr, _leaf), NOTHING)

    return Pointwise(tuple(letters), tuple((s.name, of(e)) for s, e in shared), tuple(map(of, results)))


def _leaf(expr: Expr) -> Node | None:
    return Ref(expr.name) if isinstance(expr, Symbol) else None
