"""What has to have a value for an expression to have one, though sympy drops it: √u √u becomes u, and ∂ log u/∂x 1/u.

Roots, poles and functions that are not defined everywhere are noted when they are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sympy import Expr, Pow, S, acos, asin, log, sqrt, tan

_DOMAIN: ContextVar[list[Expr] | None] = ContextVar("domain", default=None)


@contextmanager
def watched() -> Iterator[list[Expr]]:
    """Collects what is noted."""
    found: list[Expr] = []
    token = _DOMAIN.set(found)
    try:
        yield found
    finally:
        _DOMAIN.reset(token)


def note(exprs: Iterable[Expr]) -> None:
    found = _DOMAIN.get()
    if found is not None:
        found += exprs


def remembered(compute: Callable[..., Expr]) -> Callable[..., Expr]:
    """The same function; each value is computed once, and what it needs is noted every time."""
    kept: dict[tuple[Expr, ...], tuple[Expr, list[Expr]]] = {}

    def at(*index: Expr) -> Expr:
        if index not in kept:
            with watched() as found:
                kept[index] = compute(*index), found
        note(kept[index][1])
        return kept[index][0]

    return at


def noted(made: Expr) -> Expr:
    """The expression; a power, root or function that may have no value is noted."""
    if _DOMAIN.get() is not None and not made.is_number:
        note(part for a in made.atoms(Pow, log, tan, asin, acos) if not a.is_number for part in _parts(a))
    return made


def _parts(a: Expr) -> Iterator[Expr]:
    """√b for roots of b, 1/b for its negative powers, and functions as they are."""
    if isinstance(a, log):  # log(1/b) has a value where log b has one
        inner = a.args[0]
        yield log(1 / inner) if isinstance(inner, Pow) and inner.exp.is_negative else a
    elif not isinstance(a, Pow):
        yield a
    elif a.base == S.Exp1:
        return
    elif not a.exp.is_Rational:
        yield a
    else:
        if not a.exp.is_Integer:
            yield sqrt(a.base)
        if a.exp.is_negative:
            yield 1 / a.base
