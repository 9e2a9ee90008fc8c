"""Arguments against parameters: how many there are, of which rank, and their components."""

from __future__ import annotations

from sympy import Expr, Integer

from pdedsl.diagnostics import Span, fail
from pdedsl.frontend.elaborate.algebra import components
from pdedsl.frontend.elaborate.values import Tensor, Value, an, shown
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Space


def require_distinct(params: tuple[t.Name, ...]) -> None:
    for i, param in enumerate(params):
        if param in params[:i]:
            raise fail("E202", f"parameter '{param.text}' stands twice", param.span)


def require_arity(name: t.Name, params: tuple[t.Name, ...], args: tuple[Value, ...], span: Span) -> None:
    if len(params) != len(args):
        shown_params = ", ".join(p.text for p in params)
        raise fail(
            "E307",
            f"'{name.text}' takes {len(params)} argument{'s' * (len(params) != 1)}, found {len(args)}",
            span,
            f"declared as {name.text}({shown_params})"
            + (f"; write {name.text}*(…) for a product" if len(args) == 1 else ""),
        )


def flat(param: t.Name, own: Value, value: Value, span: Span, space: Space | None) -> list[Expr]:
    """An argument as components: a position has several."""
    if not isinstance(value, Tensor) or not isinstance(own, Tensor):
        raise fail("E304", f"'{param.text}' cannot be {an(shown(value))}", span)
    if own.rank == 1 and own.size is None:
        assert space
        same = value.rank == 1 and value.at(Integer(1)) == own.at(Integer(1))
        return [space.coordinates[0] if same else components(value)]
    if value.rank != own.rank and not (own.size == 1 and value.rank == 0):
        raise fail("E302", f"'{param.text}' is {an(own.shown())}, found {an(value.shown())}", span)
    if own.rank == 1 and value.rank == 1:
        if value.size != own.size:
            raise fail("E302", f"'{param.text}' is {an(own.shown())}, found {an(value.shown())}", span)
        return [value.at(Integer(i)) for i in range(1, (own.size or 0) + 1)]
    return [value.expr]


def are_alike(own: list[Value], args: tuple[Value, ...]) -> bool:
    """Whether arguments are numbers of the ranks of the parameters."""
    return all(
        isinstance(a, Tensor) and isinstance(b, Tensor) and a.kind == b.kind == "number" and a.rank == b.rank
        for a, b in zip(own, args, strict=True)
    )
