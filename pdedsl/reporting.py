"""Runs a stage of the compiler on a deep stack, and attaches the source to every error."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pdedsl import mistakes
from pdedsl.deep import deeply
from pdedsl.diagnostics import PdeError, Reporter, Source, in_order
from pdedsl.ir.spec import Spec
from pdedsl.symbolic.cancelling import Endless, begin_counting, bound_cancelling

T = TypeVar("T")
bound_cancelling()


def reported(source: Source, work: Callable[[Reporter], T]) -> tuple[T, Reporter]:
    """The result of a stage; an error carries the source, and the mistakes found before it."""
    reporter = Reporter()
    try:
        result = deeply(lambda: work(reporter))
    except PdeError as error:
        if error.source is not None:
            raise
        raise PdeError(in_order((*reporter.errors, *error.diagnostics)), source) from None
    if reporter.errors:
        raise PdeError(in_order(reporter.errors), source)
    return result, reporter


def bounded(spec: Spec, work: Callable[[], T]) -> T:
    """The same for a stage after reading; a coefficient that overflows, such as exp(exp(exp(9))), or whose computation
    does not end, is a mistake in the spec."""

    def stage(_: Reporter) -> T:
        begin_counting()
        try:
            return work()
        except (OverflowError, Endless):
            raise mistakes.syntax.too_large(spec.equations[0].span) from None

    return reported(spec.source, stage)[0]
