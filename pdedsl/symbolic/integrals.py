"""Integrals of sums of powers, and of sin, cos and exp of a multiple of the variable; None for all else."""

from __future__ import annotations

from sympy import Add, Expr, Pow, S, Symbol, cos, exp, expand, sin


def integral(expr: Expr, x: Symbol, low: Expr, high: Expr) -> Expr | None:
    """∫ expr dx between two numbers."""
    parts = []
    for term in Add.make_args(expand(expr)):
        outside, inside = term.as_independent(x, as_Add=False)
        whole = _antiderivative(inside, x)
        if whole is None:
            return None
        parts.append(outside * (whole.xreplace({x: high}) - whole.xreplace({x: low})))
    return expand(Add(*parts))


def _antiderivative(expr: Expr, x: Symbol) -> Expr | None:
    match expr:
        case S.One:
            return x
        case Symbol():
            return x**2 / 2
        case Pow(base=base, exp=n) if base == x and n.is_Integer and n.is_nonnegative:
            return x ** (n + 1) / (n + 1)
        case sin() | cos() | exp():
            slope = expr.args[0].diff(x)
            if slope.has(x):
                return None
            primitive = {sin: lambda a: -cos(a), cos: sin, exp: exp}[type(expr)]
            return primitive(expr.args[0]) / slope
    return None
