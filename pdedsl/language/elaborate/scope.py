"""Scope of an expression: space, time, declared names, parameters and summation indices."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Protocol

from sympy import Expr, Integer, Symbol

from pdedsl import errors
from pdedsl.diagnostics import Span
from pdedsl.ir.spec import EigenvalueUnknown, Interval, Space
from pdedsl.language import ast as t
from pdedsl.language.elaborate.values import Function, LinearMap, Tensor, Value, describe, scalar
from pdedsl.record import Record
from pdedsl.symbolic.symbols import Component


class NameLookup(Protocol):
    """Lookup of declared names."""

    @property
    def numbers(self) -> dict[Symbol, Expr]: ...

    @property
    def folder(self) -> Path: ...

    def unknown_names(self) -> tuple[str, ...]: ...

    def time_interval(self) -> Interval | None: ...

    @property
    def eigenvalue(self) -> EigenvalueUnknown | None: ...

    def value(self, name: t.Name) -> Value: ...

    def is_undeclared(self, name: str) -> bool: ...

    def has_complex_unknown(self) -> bool: ...

    def variable(self, name: t.Name) -> Value: ...

    def callable(self, name: t.Name) -> bool: ...

    def call(self, name: t.Name, args: tuple[Value, ...], span: Span) -> Value: ...

    def layer(self, call: t.Call) -> Function | None: ...


class Scope(Record):
    """The scope of an expression: the space, the time, the declared names, parameters and summation indices."""

    space: Space
    time: Symbol | None
    names: NameLookup
    local: dict[str, Value] = field(default_factory=dict)
    indices: dict[str, Expr] = field(default_factory=dict)
    sums: int = 0  # number of enclosing Σ
    integrals: int = 0  # number of enclosing ∫
    normal: bool = False  # `n` is the outer normal
    constant: bool = False  # a constant expression, without a space

    @property
    def dimension(self) -> int | None:
        """The number of explicit components; None if sums over components stay symbolic."""
        return len(self.space.coordinates) if self.space.explicit else None

    def slot(self, index: Expr) -> Expr:
        """The coordinate of an index."""
        if self.space.explicit:
            return self.space.coordinates[int(index) - 1]
        return Component(self.space.coordinates[0], index)

    def position(self) -> Tensor:
        return Tensor(1, self.slot, self.dimension)

    def outer_normal(self) -> Tensor:
        n = Symbol("n", real=True)
        return Tensor(1, lambda i: Component(n, i), self.dimension)


def select_component(body: Value, expr: t.Index, scope: Scope) -> Tensor:
    """`A[i, j]`: one component of a vector or a matrix."""
    if isinstance(body, LinearMap):
        raise errors.types.component_of_operator(expr.span, expr.body.span.end)
    if not isinstance(body, Tensor) or body.rank < len(expr.indices):
        raise errors.types.no_component(describe(body), expr.span)
    if body.rank > len(expr.indices):
        raise errors.types.too_few_indices(body.describe(), body.rank, expr.span)
    indices = [elaborate_index(i, body.size, scope) for i in expr.indices]
    return scalar(body.at(*indices), body.kind)


def elaborate_index(expr: t.Expr, size: int | None, scope: Scope) -> Expr:
    match expr:
        case t.Number(text=text) if text.isdigit() and len(text) < 10:
            if not 1 <= int(text) <= (size or int(text)) or int(text) == 0:
                raise errors.types.index_out_of_range(text, size, expr.span)
            return Integer(int(text))
        case t.Name(id=name) if name in scope.indices:
            return scope.indices[name]
        case t.Name(text=name):
            raise errors.names.unknown_index(name, expr.span)
        case _:
            raise errors.types.invalid_index(expr.span)


def derivative_slot(wrt: t.DerivativeVariable, scope: Scope) -> Expr:
    """The variable of a derivative."""
    value = scope.names.variable(wrt.name)
    if isinstance(value, Tensor) and value.rank == 0 and value.expr == scope.time and not wrt.indices:
        return scope.time
    if isinstance(value, Tensor) and wrt.indices and value.rank == 1 and _is_position(value, scope):
        return value.at(elaborate_index(wrt.indices[0], value.size, scope))
    if isinstance(value, Tensor) and value.rank == 1 and value.size == 1:
        return value.at(Integer(1))
    if isinstance(value, Tensor) and value.rank == 0 and value.expr in scope.space.coordinates and not wrt.indices:
        return value.expr
    if isinstance(value, Tensor) and _is_position(value, scope):
        raise errors.types.vector_variable(wrt.name.text, wrt.span)
    raise errors.types.not_a_variable(wrt.name.text, wrt.span)


def _is_position(value: Tensor, scope: Scope) -> bool:
    return value.rank == 1 and value.at(Integer(1)) == scope.slot(Integer(1))
