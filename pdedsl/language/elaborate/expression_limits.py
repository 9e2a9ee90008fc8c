"""Limits on the size of expressions, so that a spec that is too expensive to analyse is reported quickly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sympy import Max, Min
from sympy.core.basic import Basic

from pdedsl import errors
from pdedsl.diagnostics import Span
from pdedsl.symbolic.rewrite import expression_size
from pdedsl.symbolic.symbols import TooLarge, atoms
from pdedsl.symbolic.sympy_errors import EvaluationLimitExceeded

MAX_EXPRESSION_SIZE = 20_000  # nodes of the expanded expression tree
MAX_EXPRESSION_DEPTH = 60  # nested functions, powers and sums
MAX_MIN_MAX = 16  # min and max in an expression: each doubles the number of cases
MAX_BITS = 4096  # of an integer


def check_limits(expr: Basic, span: Span) -> None:
    if expr.is_Rational and max(expr.p.bit_length(), expr.q.bit_length()) > MAX_BITS:
        raise errors.syntax.too_many_digits(span)
    size, depth = expression_size(expr)
    if size > MAX_EXPRESSION_SIZE:
        raise errors.syntax.too_many_nodes(size, MAX_EXPRESSION_SIZE, span)
    if depth > MAX_EXPRESSION_DEPTH:
        raise errors.syntax.expression_too_deep(depth, MAX_EXPRESSION_DEPTH, span)
    if expr.has(Min, Max) and len(atoms(expr, Min, Max)) > MAX_MIN_MAX:
        raise errors.syntax.too_many_extrema(MAX_MIN_MAX, span)


@contextmanager
def report_exceeded_limits(span: Span) -> Iterator[None]:
    """Reports a computation that exceeds the limits as an error at `span`."""
    try:
        yield
    except (TooLarge, OverflowError, RecursionError, EvaluationLimitExceeded):
        raise errors.syntax.expression_too_large(span) from None
