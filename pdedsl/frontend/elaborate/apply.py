"""Known functions at their arguments: of numbers, or pointwise of a feature map."""

from __future__ import annotations

from pdedsl.diagnostics import Span, fail
from pdedsl.frontend.elaborate.algebra import components, norm
from pdedsl.frontend.elaborate.functions import FUNCTIONS, pointwise
from pdedsl.frontend.elaborate.numbers import defined
from pdedsl.frontend.elaborate.values import Tensor, Value, an, scalar, shown
from pdedsl.symbolic.symbols import Softmax

MAX_CHOICES = 8  # arguments of min and max


def function_at(name: str, args: tuple[Value, ...], span: Span) -> Value:
    """A known function of numbers, or pointwise of a feature map."""
    if name == "softmax":
        return _softmax(args, span)
    arity, function = FUNCTIONS[name]
    if len(args) != arity and not (arity < 0 and 2 <= len(args) <= MAX_CHOICES):
        wanted = {1: "one argument", -1: f"two to {MAX_CHOICES} arguments"}[arity]
        raise fail("E307", f"'{name}' takes {wanted}, found {len(args)}", span)
    values = []
    for arg in args:
        if not isinstance(arg, Tensor):
            raise fail("E304", f"'{name}' of {an(shown(arg))} is not defined", span)
        if name == "abs" and arg.rank:
            arg = norm(arg)
        if arg.rank or arg.kind not in ("number", "channels"):
            raise fail("E302", f"'{name}' takes numbers, found {an(arg.shown())}", span)
        values.append(arg)
    kind = "channels" if any(v.kind == "channels" for v in values) else "number"
    function = pointwise(name) if kind == "channels" else function
    return scalar(defined(function(*(v.expr for v in values)), span), kind)


def _softmax(args: tuple[Value, ...], span: Span) -> Tensor:
    if len(args) != 1 or not isinstance(args[0], Tensor):
        raise fail("E307", "'softmax' takes one vector of scores", span, "as in softmax(W x)")
    scores = args[0]
    if scores.kind not in ("features", "number") or (scores.rank == 0 and scores.kind == "number"):
        raise fail(
            "E302", f"'softmax' takes a vector of scores, found {an(scores.shown())}", span, "as in softmax(W x)"
        )
    return scalar(Softmax(components(scores)), "simplex")
