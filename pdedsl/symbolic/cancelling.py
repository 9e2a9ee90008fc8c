"""A bound on the work for nested sums of numbers that cancel.

If a sum loses digits by cancellation, sympy evaluates its terms again with more precision: nested sums multiply the
time with every level, and eight levels practically never end. Within one of our stages, so much work ends the stage;
other users of sympy are not affected.
"""

from __future__ import annotations

import threading
from typing import Any

from sympy import Add, pi
from sympy.core import evalf

from pdedsl.deep import is_deep

MOST = 4_000  # sums evaluated in one stage


class Endless(BaseException):
    """A spec whose numbers take too much work. A BaseException, so that only the end of a stage handles it."""


class _Count(threading.local):
    sums = 0


_count = _Count()


def begin_counting() -> None:
    """What is evaluated from here on belongs to another stage."""
    _count.sums = 0


def bound_cancelling() -> None:
    """Make sympy count the sums that it evaluates."""
    pi.evalf()  # creates the table
    plain = evalf.evalf_table[Add]

    def counted(expr: Add, prec: int, options: dict[str, Any]) -> Any:
        _count.sums += 1
        if _count.sums > MOST and is_deep():
            raise Endless
        return plain(expr, prec, options)

    evalf.evalf_table[Add] = counted
