"""Bounds on what a spec may make us work out: an error within a moment, never a hang."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sympy.core.basic import Basic

from pdedsl.diagnostics import Span, fail
from pdedsl.symbolic.measure import measure
from pdedsl.symbolic.symbols import TooLarge

MAX_SIZE = 20_000  # nodes of an expression, written out
MAX_DEPTH = 60  # functions, powers and sums within each other
MAX_BITS = 4096  # of a whole number
SMALLER = "write it in fewer or smaller steps"


def within_limits(expr: Basic, span: Span) -> None:
    if expr.is_Rational and max(expr.p.bit_length(), expr.q.bit_length()) > MAX_BITS:
        raise fail("E113", "this number is too large to be written out", span, SMALLER)
    size, depth = measure(expr)
    if size > MAX_SIZE:
        raise fail("E113", f"an expression of {size:,} parts; the most is {MAX_SIZE:,}", span, SMALLER)
    if depth > MAX_DEPTH:
        raise fail("E113", f"an expression of {depth} levels; the most is {MAX_DEPTH}", span, SMALLER)


@contextmanager
def limited(span: Span) -> Iterator[None]:
    """What grows beyond our means is a mistake at its place."""
    try:
        yield
    except (TooLarge, OverflowError, RecursionError):
        raise fail("E113", "this is too large to be worked out", span, SMALLER) from None
