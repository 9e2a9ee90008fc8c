"""Known functions at their arguments: of numbers, or pointwise of a feature map."""

from __future__ import annotations

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.frontend.elaborate.algebra import components, norm
from pdedsl.frontend.elaborate.definedness import noted
from pdedsl.frontend.elaborate.functions import FUNCTIONS, pointwise
from pdedsl.frontend.elaborate.numbers import defined
from pdedsl.frontend.elaborate.values import Tensor, Value, scalar, shown
from pdedsl.symbolic.symbols import Softmax

EVERYWHERE = {"exp", "sin", "cos", "atan", "sinh", "cosh", "tanh", "erf"}  # real for every real number
MAX_CHOICES = 8  # arguments of min and max


def function_at(name: str, args: tuple[Value, ...], span: Span) -> Value:
    """A known function of numbers, or pointwise of a feature map."""
    if name == "softmax":
        return _softmax(args, span)
    arity, function = FUNCTIONS[name]
    if len(args) != arity and not (arity < 0 and 2 <= len(args) <= MAX_CHOICES):
        wanted = {1: "one argument", -1: f"2 to {MAX_CHOICES} arguments"}[arity]
        raise mistakes.shapes.wrong_number(name, wanted, len(args), span)
    values = []
    for arg in args:
        if not isinstance(arg, Tensor):
            raise mistakes.shapes.function_of(name, shown(arg), span)
        if name == "abs" and arg.rank:
            arg = norm(arg)
        if arg.rank or arg.kind not in ("number", "channels"):
            raise mistakes.shapes.takes_numbers(name, arg.shown(), span)
        values.append(arg)
    kind = "channels" if any(v.kind == "channels" for v in values) else "number"
    function = pointwise(name) if kind == "channels" else function
    result = function(*(v.expr for v in values))
    return scalar(noted(result if name in EVERYWHERE else defined(result, span)), kind)


def _softmax(args: tuple[Value, ...], span: Span) -> Tensor:
    if len(args) != 1 or not isinstance(args[0], Tensor):
        raise mistakes.shapes.softmax_of_scores(None, span)
    scores = args[0]
    if scores.kind not in ("features", "number") or (scores.rank == 0 and scores.kind == "number"):
        raise mistakes.shapes.softmax_of_scores(scores.shown(), span)
    return scalar(Softmax(components(scores)), "simplex")
