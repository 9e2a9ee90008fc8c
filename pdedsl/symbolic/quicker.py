"""Functions inside sympy that take most of the time of an analysis, in place of which quicker ones of the same results
are put when our vocabulary is imported."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any

from sympy import Add, Basic, Expr, exp, log

KEPT = 20_000  # signs, of which an edit in an editor changes few
_assumptions: Any = import_module("sympy.core.assumptions")  # sympy.core has a function of this name
_exprtools: Any = import_module("sympy.core.exprtools")
_simplify: Any = import_module("sympy.simplify.simplify")


def atoms(self: Basic, *types: Any) -> set[Basic]:
    """The parts of an expression of these types; without types, those that have no parts. Sympy's generators are
    nested as deep as the expression."""
    wanted = tuple(t if isinstance(t, type) else type(t) for t in types)
    found, waiting = set(), [self]
    while waiting:
        part = waiting.pop()
        parts = part.args if isinstance(part, Basic) else ()
        if isinstance(part, wanted) if wanted else not parts:
            found.add(part)
        waiting.extend(parts)
    return found


def is_comparable(self: Basic) -> bool:
    """Whether an expression is a real number; whether it is a number is asked first, as its sign takes long."""
    return bool(self.is_number and _is_comparable(self))


def logcombine(expr: Any, force: bool = False) -> Any:
    """Sums of logarithms as one; `exp` calls it for every factor of its argument."""
    return _logcombine(expr, force) if not isinstance(expr, Expr) or expr.has(log) else expr


def exponential(cls: type[exp], arg: Any) -> Any:
    """What exp(arg) is simplified to, if anything: the terms of a sum of functions are looked at one by one, and it is
    not asked whether the sum is zero, which takes long and is found only where every term is."""
    if isinstance(arg, Add) and arg.free_symbols and all(a == 1 or cls(a).args == (a,) for a in arg.args):
        return None
    return _exponential(cls, arg)


_is_comparable, _logcombine = Basic.is_comparable.fget, _simplify.logcombine
Basic.atoms = atoms
Basic.is_comparable = property(is_comparable)
_simplify.logcombine = logcombine
_exponential, exp.eval = exp.eval.__func__, classmethod(exponential)
_exprtools._monotonic_sign = lru_cache(KEPT)(_exprtools._monotonic_sign)
_assumptions.shuffle = list.sort  # facts are looked at in one order in every run, as any order gives the same result
