"""Replacing parts of expressions, without asking sympy again and again what an exponential may be simplified to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sympy import Add, Basic, Expr, I, Mul, exp, log, nan, oo, zoo


def exponential(argument: Expr) -> Expr:
    """exp(argument). A product is simplified only for a multiple of iπ or of a logarithm, and a sum only for such a
    term, so that where there is neither, sympy's long search for them is left out."""
    plain = isinstance(argument, (Add, Mul)) and argument.free_symbols and not argument.has(I, log, oo, zoo, nan)
    return exp(argument, evaluate=not plain)


def rebuilt(expr: Basic, parts: Sequence[Basic]) -> Basic:
    """The expression with other parts."""
    if all(new is old for new, old in zip(parts, expr.args, strict=True)):
        return expr
    return exponential(parts[0]) if isinstance(expr, exp) else expr.func(*parts)


def replaced(expr: Expr, rule: Mapping[Expr, Expr]) -> Expr:
    """`expr.xreplace(rule)`; a part that occurs several times is replaced once."""
    found: dict[Basic, Basic] = dict(rule)

    def of(part: Basic) -> Basic:
        if part not in found:
            found[part] = rebuilt(part, [of(a) for a in part.args]) if part.args else part
        return found[part]

    return of(expr) if rule else expr
