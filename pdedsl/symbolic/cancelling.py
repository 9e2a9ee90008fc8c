"""Sums of numbers that cancel, within each other.

Where a sum loses its digits, sympy works out its terms again with more of them: sums within sums take a multiple of the
time with every level, and eight levels never end. Within a stage of ours so much work ends the stage; sympy is left as
it is for everybody else.
"""

from __future__ import annotations

import threading
from typing import Any

from sympy import Add, pi
from sympy.core import evalf

from pdedsl.deep import is_deep

MOST = 4_000  # sums that are worked out in one thread


class Endless(BaseException):
    """A spec whose numbers take too much work. Nothing tries another way on hearing of it, but the end of a stage."""


class _Count(threading.local):
    sums = 0


_count = _Count()


def bound_cancelling() -> None:
    """Count the sums behind every number that sympy works out."""
    pi.evalf()  # makes the table
    plain = evalf.evalf_table[Add]

    def counted(expr: Add, prec: int, options: dict[str, Any]) -> Any:
        _count.sums += 1
        if _count.sums > MOST and is_deep():
            raise Endless
        return plain(expr, prec, options)

    evalf.evalf_table[Add] = counted
