"""Where sympy gives up on an expression: it raises, in many ways, what is no fault of ours or of the user's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pdedsl.symbolic.symbols import TooLarge

T = TypeVar("T")

GIVEN_UP = (
    TypeError,  # a number or an order of what has none: float(x), I < 1
    ValueError,  # a number that is none: int(nan); a derivative by what is no letter
    NotImplementedError,  # no algorithm: zeros of a transcendental equation
    ArithmeticError,  # 1/0, or a number beyond those of floating point
    RecursionError,  # an expression nested more deeply than its rules go
    NameError,  # in a function that lambdify wrote: a function that numbers do not have
    AttributeError,  # the same, of a part of it
    TooLarge,  # our own bound of what is multiplied out
)


def worked_out(work: Callable[[], T]) -> T | None:
    """What the work gives, or None where sympy gives up."""
    try:
        return work()
    except GIVEN_UP:
        return None
