"""F as a function of t: coefficients that are bounded, or integrable, at the ends of their time interval."""

from __future__ import annotations

from enum import Enum
from math import isfinite

from sympy import Expr, Mul, Pow, S, Symbol, exp, log, tan

from pdedsl.analyse.intervals import Box
from pdedsl.analyse.ranges import range_of
from pdedsl.symbolic.atoms import atoms, free_symbols
from pdedsl.symbolic.symbols import Field


class InTime(Enum):
    """How an expression behaves at the ends of its time interval."""

    BOUNDED = "bounded"
    INTEGRABLE = "integrable"
    UNKNOWN = "unknown"


def in_time(e: Expr, time: Symbol | None, box: Box) -> InTime:
    if time is None or time not in free_symbols(e):
        return InTime.BOUNDED
    e = e.xreplace(dict.fromkeys((f for f in atoms(e, Field) if all(a.is_Symbol for a in f.arguments)), S.One))
    others = dict.fromkeys(free_symbols(e) - {time}, S.One)
    singular = [a for a in atoms(e, Pow, log, tan) if time in free_symbols(a) and not isinstance(a, exp)]
    rough = [a for a in singular if not _is_finite(a.xreplace(others), box)]
    if not rough:
        return InTime.BOUNDED
    rest = Mul(*(f for f in Mul.make_args(e) if f not in rough))  # exp(1/√t) is not integrable, though 1/√t is
    alone = not any(rest.has(a) for a in rough)
    return InTime.INTEGRABLE if alone and all(_is_integrable(a, time, box) for a in rough) else InTime.UNKNOWN


def _is_finite(a: Expr, box: Box) -> bool:
    found = range_of(a, box)
    return found is not None and isfinite(found.low) and isfinite(found.high)


def _is_integrable(a: Expr, time: Symbol, box: Box) -> bool:
    ends = box.get(time)
    if ends is None or ends.low != 0:
        return False
    match a:
        case log(args=(inner,)):
            return bool(inner == time)
        case Pow(base=base, exp=power):
            return bool(base == time and power.is_number and power > -1)
    return False
