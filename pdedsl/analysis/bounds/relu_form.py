"""Piecewise linear functions in terms of relu alone, so that terms that cancel are recognised.

|z| = 2relu(z) - z, max(a, b) = b + relu(a - b), min(a, b) = a - relu(a - b), relu(-z) = relu(z) - z, and
relu(cz) = c relu(z) for c > 0. Activations composed of these functions are replaced by their formulas.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, reduce

from sympy import (
    Abs,
    Add,
    Expr,
    Heaviside,
    Max,
    Min,
    Mul,
    Rational,
    S,
    Symbol,
    atan,
    erf,
    preorder_traversal,
    sign,
    tanh,
)

from pdedsl.numerics.activations import RELU as RECORD
from pdedsl.numerics.activations import Activation
from pdedsl.symbolic.functions import ACTIVATIONS, SYMPY_ALGEBRA, ActivationFunction
from pdedsl.symbolic.rewrite import expand
from pdedsl.symbolic.symbols import atoms

RELU = ACTIVATIONS[RECORD.name]


@cache
def _is_piecewise_linear(record: Activation) -> bool:
    """Whether the formula consists of sums, products, maxima, minima and absolute values only."""
    kinds = (Add, Mul, Max, Min, Abs, Symbol, Rational)
    formula = record.formula(SYMPY_ALGEBRA, Symbol("z", real=True))
    return all(isinstance(e, kinds) for e in preorder_traversal(formula))


def to_relu_form(expr: Expr) -> Expr:
    """The same function, with every kink expressed by relu."""
    if not expr.args or not expr.has(ActivationFunction, Abs, Max, Min):
        return expr
    args = [to_relu_form(a) for a in expr.args]
    match expr:
        case Abs():
            return 2 * _relu(args[0]) - args[0]
        case Max():
            return reduce(lambda a, b: b + _relu(a - b), args)
        case Min():
            return reduce(lambda a, b: a - _relu(a - b), args)
        case ActivationFunction() if _is_piecewise_linear(expr.record):
            return to_relu_form(expr.record.formula(SYMPY_ALGEBRA, args[0]))
        case _:
            return expr.func(*args)


def _relu(z: Expr) -> Expr:
    """relu(z), with sign and positive factors of z normalized."""
    z = expand(z)
    if z.is_number:
        return z if z.is_nonnegative else S.Zero
    factor, rest = z.as_content_primitive()
    if rest.could_extract_minus_sign():
        return factor * (RELU(-rest) + rest)
    return factor * RELU(rest)


def kinks(expr: Expr, free: set[Symbol]) -> Iterator[tuple[Symbol, Rational]]:
    """The kinks of an expression in one symbol: zeros of the affine arguments of nonsmooth functions and
    activations."""
    for atom in sorted(atoms(expr, ActivationFunction, Abs, Max, Min, sign, Heaviside, tanh, atan, erf), key=str):
        pairs = [(a, b) for a in atom.args for b in atom.args if a is not b] if isinstance(atom, Max | Min) else []
        for z in {a - b for a, b in pairs} or {atom.args[0]}:
            yield from _zeros(z, free)


def _zeros(z: Expr, free: set[Symbol]) -> Iterator[tuple[Symbol, Rational]]:
    for s in sorted(z.free_symbols & free, key=str):
        derivative = z.diff(s)
        if derivative.is_number and derivative.is_nonzero and len(z.free_symbols) == 1:
            yield s, Rational(str(float(-z.xreplace({s: S.Zero}) / derivative)))
