"""The value of a declared field, by its type: components, class probabilities, a feature map or an operator."""

from __future__ import annotations

from sympy import Expr, Symbol, default_sort_key

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.frontend.elaborate.algebra import components
from pdedsl.frontend.elaborate.scope import Scope
from pdedsl.frontend.elaborate.values import LinearMap, Tensor, Value, scalar, shown
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Space
from pdedsl.ir.types import Channels, Matrix, Operator, Scalar, Simplex, Type, Vector
from pdedsl.symbolic.calculus import apply_linear
from pdedsl.symbolic.symbols import Applied, Field, Transposed


def field_of(head: Symbol, type_: Type, arguments: tuple[Expr, ...], scope: Scope) -> Value:
    """A field at its arguments."""
    dimension = scope.dimension
    match type_:
        case Scalar():
            return scalar(Field(head, (), arguments))
        case Simplex(classes=classes):
            return Tensor(0, lambda: Field(head, (), arguments), classes, "simplex")
        case Channels():
            return scalar(Field(head, (), arguments), "channels")
        case Vector(size=size):
            return Tensor(1, lambda i: Field(head, (i,), arguments), size or dimension)
        case Matrix(psd=psd, symmetric=symmetric):
            both = psd or symmetric
            return Tensor(2, lambda i, j: Field(head, _ordered(i, j) if both else (i, j), arguments), dimension)
        case Operator():
            return _linear(Field(head, (), arguments), scope.space)


def _ordered(i: Expr, j: Expr) -> tuple[Expr, Expr]:
    a, b = sorted((i, j), key=default_sort_key)
    return a, b


def _linear(operator: Expr, space: Space) -> LinearMap:
    spatial = set(space.coordinates)

    def apply(x: Tensor, at: Span) -> Tensor:
        if x.kind == "simplex" or x.kind == "features":
            raise mistakes.shapes.operator_acts_on(x.shown(), at)
        if x.rank == 0 and x.kind == "number":
            return scalar(apply_linear(operator, x.expr, lambda e: not (e.free_symbols & spatial)), "features")
        if x.rank == 0:
            return scalar(apply_linear(operator, x.expr, lambda e: not (e.free_symbols & spatial)), x.kind)
        return scalar(Applied(operator, components(x)), "features")

    return LinearMap(apply, lambda: _linear(Transposed(operator), space))


def applied(value: Value, args: tuple[Value, ...], span: Span, name: t.Name) -> Value:
    """`K(Y)`: an operator applied to its one argument."""
    if isinstance(value, LinearMap) and len(args) == 1 and isinstance(args[0], Tensor):
        return value.apply(args[0], span)
    raise mistakes.shapes.wrong_call(name.text, shown(value), span)
