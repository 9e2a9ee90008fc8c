"""A stage of the compiler at work: on a deep stack, and so that every error leaves it with its source."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pdedsl import mistakes
from pdedsl.deep import deeply
from pdedsl.diagnostics import PdeError, Reporter, Source, in_order
from pdedsl.ir.spec import Spec
from pdedsl.symbolic.cancelling import Endless, bound_cancelling

T = TypeVar("T")
bound_cancelling()


def reported(source: Source, work: Callable[[Reporter], T]) -> tuple[T, Reporter]:
    """The result of a stage; an error carries its source, and the mistakes that were found before it."""
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
    """The same, of what was read; a coefficient beyond all numbers, such as exp(exp(exp(9))), or
    one that is never worked out, is a mistake in it."""

    def stage(_: Reporter) -> T:
        try:
            return work()
        except (OverflowError, Endless):
            raise mistakes.syntax.too_large(spec.equations[0].span) from None

    return reported(spec.source, stage)[0]
