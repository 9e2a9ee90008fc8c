"""sympy → functions of tensors, with common subexpressions evaluated once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import torch
from sympy import Expr, Symbol, cse, numbered_symbols
from torch import Tensor

from pdedsl.codegen.expressions import expression_node
from pdedsl.codegen.program import (
    Evaluator,
    Node,
    Program,
    Ref,
    compile_node,
)
from pdedsl.record import Record

EMPTY_PROGRAM = Program("", ())


class PointwiseFunction(Record):
    """The values of expressions at tensors that stand for the symbols, all of one shape after broadcasting."""

    symbols: tuple[Symbol, ...]
    shared: tuple[tuple[str, Evaluator], ...]
    results: tuple[Evaluator, ...]

    def __call__(self, *values: Tensor) -> tuple[Tensor, ...]:
        scope = dict(zip(self._names, values, strict=True))
        scope["x"] = like = values[0]
        for name, value in self.shared:
            scope[name] = value(scope)
        shape = like.shape
        if len(values) > 1 and any(v.shape != shape for v in values):
            shape = torch.broadcast_tensors(*values)[0].shape  # type: ignore[no-untyped-call]
        return tuple([_broadcast(r(scope), like, shape) for r in self.results])

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(s.name for s in self.symbols)


def _broadcast(value: Tensor | float, like: Tensor, shape: torch.Size) -> Tensor:
    if not isinstance(value, Tensor):
        return torch.tensor(value, dtype=like.dtype, device=like.device).expand(shape)
    converted = value if value.dtype == like.dtype and value.device == like.device else value.to(like)
    return converted if converted.shape == shape else converted.expand(shape)


def compile_pointwise(exprs: Sequence[Expr], symbols: Sequence[Symbol]) -> PointwiseFunction:
    """Needs at least one symbol; planning has made sure that torch has every function in the expressions."""
    inputs = [Symbol(f"a{k}", real=True) for k in range(len(symbols))]
    renamed = [e.xreplace(dict(zip(symbols, inputs, strict=True))) for e in exprs]
    shared, results = cse(renamed, symbols=numbered_symbols("s", real=True), order="none")

    def of(expr: Expr) -> Evaluator:
        return compile_node(expression_node(expr, _leaf), EMPTY_PROGRAM)

    return PointwiseFunction(tuple(inputs), tuple((s.name, of(e)) for s, e in shared), tuple(map(of, results)))


def _leaf(expr: Expr) -> Node | None:
    return Ref(expr.name) if isinstance(expr, Symbol) else None
