"""Checks arguments against parameters: their number, their ranks, and their components."""

from __future__ import annotations

from sympy import Expr, Integer

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.frontend.elaborate.algebra import components
from pdedsl.frontend.elaborate.values import Tensor, Value, shown
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Space


def require_distinct(params: tuple[t.Name, ...]) -> None:
    for i, param in enumerate(params):
        if param in params[:i]:
            raise mistakes.names.parameter_twice(param.text, param.span)


def require_arity(name: t.Name, params: tuple[t.Name, ...], args: tuple[Value, ...], span: Span) -> None:
    if len(params) != len(args):
        timed = len(params) > 1 and params[-1].id == "t"
        raise mistakes.shapes.wrong_arguments(name.text, [p.text for p in params], len(args), timed, span)


def flat(param: t.Name, own: Value, value: Value, span: Span, space: Space | None) -> list[Expr]:
    """The components of an argument: a position has several."""
    if not isinstance(value, Tensor) or not isinstance(own, Tensor):
        raise mistakes.shapes.argument_not_a_value(param.text, shown(value), span)
    if own.rank == 1 and own.size is None:
        assert space
        same = value.rank == 1 and value.at(Integer(1)) == own.at(Integer(1))
        return [space.coordinates[0] if same else components(value)]
    wrong_rank = value.rank != own.rank and not (own.size == 1 and value.rank == 0)
    if wrong_rank or (own.rank == value.rank == 1 and value.size != own.size):
        raise mistakes.shapes.argument_shape(param.text, own.shown(), value.shown(), span)
    if own.rank == 1 and value.rank == 1:
        return [value.at(Integer(i)) for i in range(1, (own.size or 0) + 1)]
    return [value.expr]


def are_alike(own: list[Value], args: tuple[Value, ...]) -> bool:
    """Whether all arguments are numeric and have the ranks of the parameters."""
    return all(
        isinstance(a, Tensor) and isinstance(b, Tensor) and a.kind == b.kind == "number" and a.rank == b.rank
        for a, b in zip(own, args, strict=True)
    )
