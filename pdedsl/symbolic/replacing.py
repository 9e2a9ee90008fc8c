"""Replacing parts of expressions, without asking sympy again and again what an exponential may be simplified to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cmp_to_key

from sympy import AccumBounds, Add, Basic, Expr, I, Mul, S, exp, log, nan, oo, sift, zoo

INFINITE = (oo, -oo, zoo, nan, AccumBounds)


def exponential(argument: Expr) -> Expr:
    """exp(argument). A product is simplified only for a multiple of iπ or of a logarithm, and a sum only for such a
    term, so that where there is neither, sympy's long search for them is left out."""
    plain = isinstance(argument, (Add, Mul)) and not argument.has(I, log, *INFINITE)
    return exp(argument, evaluate=not plain)


def product(*factors: Expr) -> Expr:
    """Π factors. Beside factors that are no exponentials, one exponential stays as it is: it is only put in its place,
    and sympy does not search for a sign of its argument to know that it is not zero."""
    every = [f for factor in factors for f in Mul.make_args(factor)]
    grown, others = sift(every, lambda f: isinstance(f, exp), binary=True)
    rest = Mul(*others)
    inner = Mul.make_args(rest)
    joins = any(f.as_base_exp()[0] is S.Exp1 for f in inner) or (isinstance(rest, Add) and len(others) > 1)
    if len(grown) != 1 or joins or rest.has(*INFINITE) or not isinstance(grown[0].args[0], (Add, Mul)):
        return Mul(*factors)
    if rest.is_Rational:
        return Mul(rest, *grown)
    numbers, letters = sift(inner, lambda f: f.is_Number, binary=True)
    return Mul(*numbers, *sorted((*letters, *grown), key=cmp_to_key(Basic.compare)), evaluate=False)


def rebuilt(expr: Basic, parts: Sequence[Basic]) -> Basic:
    """The expression with other parts."""
    if all(new is old for new, old in zip(parts, expr.args, strict=True)):
        return expr
    if isinstance(expr, exp):
        return exponential(parts[0])
    return product(*parts) if isinstance(expr, Mul) else expr.func(*parts)


def replaced(expr: Expr, rule: Mapping[Expr, Expr]) -> Expr:
    """`expr.xreplace(rule)`; a part that occurs several times is replaced once."""
    found: dict[Basic, Basic] = dict(rule)

    def of(part: Basic) -> Basic:
        if part not in found:
            found[part] = rebuilt(part, [of(a) for a in part.args]) if part.args else part
        return found[part]

    return of(expr) if rule else expr
