"""Exceptions raised by sympy on valid expressions, and a limit on its numerical evaluation."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from sympy import Add, pi
from sympy.core import evalf
from sympy.polys.polyerrors import BasePolynomialError

from pdedsl.deep_recursion import has_big_stack
from pdedsl.symbolic.symbols import TooLarge

# ---- Exceptions


T = TypeVar("T")

SYMPY_ERRORS = (
    TypeError,  # conversion or comparison of a non-real expression: float(x), I < 1
    ValueError,  # int(nan); an argument outside the domain of an algorithm
    BasePolynomialError,  # no polynomial, or a domain without the operation
    NotImplementedError,  # no algorithm, as for zeros of a transcendental equation
    ArithmeticError,  # 1/0, or a number beyond the floating-point range
)
RESOURCE_ERRORS = (
    RecursionError,  # an expression nested too deeply, in sympy's rules or in ours
    TooLarge,  # the limit on expanded expressions
)


def try_sympy(work: Callable[[], T]) -> T | None:
    """The result of `work`, or None if sympy refuses. Exceptions raised elsewhere propagate: they are bugs."""
    try:
        return work()
    except RESOURCE_ERRORS:
        return None
    except SYMPY_ERRORS as error:
        if not _is_raised_by_sympy(error):
            raise
        return None


def _is_raised_by_sympy(error: Exception) -> bool:
    """Whether the innermost frame of the traceback belongs to sympy, or to mpmath, which it calls."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return frames[-1].f_globals.get("__name__", "").split(".")[0] in ("sympy", "mpmath")


# ---- Evaluation limit
#
# If a sum loses digits by cancellation, sympy evaluates its terms again with more precision, so that the time grows
# exponentially with the nesting depth. A stage that evaluates more than MAX_EVALUATED_SUMS sums is aborted; other users
# of sympy are not affected.


MAX_EVALUATED_SUMS = 4_000  # sums evaluated in one stage


class EvaluationLimitExceeded(BaseException):
    """Numerical evaluation exceeds the limit. A BaseException, so that only the compiler stage handles it."""


class _Count(threading.local):
    sums = 0


_count = _Count()


def reset_evaluation_count() -> None:
    """Resets the counter at the beginning of a stage."""
    _count.sums = 0


def limit_evaluation() -> None:
    """Makes sympy count the sums that it evaluates."""
    pi.evalf()  # creates the table
    plain = evalf.evalf_table[Add]

    def evaluate_and_count(expr: Add, prec: int, options: dict[str, Any]) -> Any:
        _count.sums += 1
        if _count.sums > MAX_EVALUATED_SUMS and has_big_stack():
            raise EvaluationLimitExceeded
        return plain(expr, prec, options)

    evalf.evalf_table[Add] = evaluate_and_count
