"""Evaluation of expressions at points in double precision, without generating code.

A point lists the coordinates of space, then time. Where an expression is not defined, the result is NaN.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose, isnan, nan
from random import Random

from sympy import (
    Abs,
    Add,
    DiracDelta,
    Expr,
    Heaviside,
    KroneckerDelta,
    Max,
    Min,
    Mul,
    Pow,
    Symbol,
    acos,
    asin,
    atan,
    cos,
    cosh,
    erf,
    exp,
    log,
    sign,
    sin,
    sinh,
    tan,
    tanh,
)

from pdedsl.symbolic.functions import ARGUMENT, Activation, ActivationDerivative, derivative_of
from pdedsl.symbolic.symbols import Component, Contraction
from pdedsl.symbolic.sympy_errors import try_sympy

# ---- Evaluation


Point = Sequence[float]
PointFunction = Callable[[Point], float]
Column = list[float]  # values at many points
EVALUATION_ERRORS = (ValueError, ZeroDivisionError, OverflowError, TypeError)
FUNCTIONS: dict[type, Callable[[float], float]] = {
    Abs: abs,
    acos: math.acos,
    asin: math.asin,
    atan: math.atan,
    cos: math.cos,
    cosh: math.cosh,
    erf: math.erf,
    exp: math.exp,
    log: math.log,
    sin: math.sin,
    sinh: math.sinh,
    tan: math.tan,
    tanh: math.tanh,
    sign: lambda v: float(v > 0) - float(v < 0),
    Heaviside: lambda v: 0.5 if v == 0 else float(v > 0),
    DiracDelta: lambda v: nan,
}


@dataclass(frozen=True)
class Layout:
    """The position of each coordinate in a point; components of a symbolic position start at index zero."""

    places: dict[Symbol, int]
    dimension: int  # of space

    def __hash__(self) -> int:
        return hash((tuple(self.places), self.dimension))


def compile_function(expr: Expr, layout: Layout) -> PointFunction:
    """The expression as a function of a point."""
    inner = _of(expr, layout, {})

    def at(point: Point) -> float:
        try:
            return inner(point)
        except EVALUATION_ERRORS:
            return nan

    return at


def evaluate_at_points(exprs: Sequence[Expr], layout: Layout, points: Sequence[Point]) -> list[Column]:
    """Each expression at every point; common subexpressions are computed once."""
    table = _Table(layout, points)
    return [table.values(e) for e in exprs]


@dataclass(frozen=True)
class _Table:
    """The values of expressions and their subexpressions at the same points."""

    layout: Layout
    points: Sequence[Point]
    cache: dict[Expr, Column] = field(default_factory=dict)

    def values(self, e: Expr) -> Column:
        try:
            return self.of(e)
        except EVALUATION_ERRORS:  # at some point
            return list(map(compile_function(e, self.layout), self.points))

    def of(self, e: Expr) -> Column:
        if e not in self.cache:
            self.cache[e] = self._computed(e)
        return self.cache[e]

    def _computed(self, e: Expr) -> Column:
        match e:
            case Symbol() if e in self.layout.places:
                return list(map(operator.itemgetter(self.layout.places[e]), self.points))
            case _ if e.is_number:
                return [_number(e)] * len(self.points)
            case Add():
                return list(map(math.fsum, zip(*map(self.of, e.args), strict=True)))
            case Mul(args=(first, second)):
                return list(map(operator.mul, self.of(first), self.of(second)))
            case Mul():
                return list(map(math.prod, zip(*map(self.of, e.args), strict=True)))
            case Pow(base=base, exp=exponent) if exponent.is_Rational:
                power = _number(exponent)
                return [_power(v, power) for v in self.of(base)]
            case _ if type(e) in FUNCTIONS:
                return list(map(FUNCTIONS[type(e)], self.of(e.args[0])))
            case _:
                return list(map(_of(e, self.layout, {}), self.points))


def _of(e: Expr, layout: Layout, indices: dict[Expr, list[int]]) -> PointFunction:
    def of(inner: Expr) -> PointFunction:
        return _of(inner, layout, indices)

    match e:
        case _ if e.is_number:
            value = _number(e)
            return lambda p: value
        case Symbol() if e in indices:
            cell = indices[e]
            return lambda p: cell[0]
        case Symbol():
            k = layout.places[e]
            return lambda p: p[k]
        case Component(args=(_, index)):
            at = of(index)
            return lambda p: p[int(at(p)) - 1]
        case Contraction(index=index, body=body):
            return _sum(body, index, layout, indices)
        case Add():
            terms = [of(a) for a in e.args]
            return lambda p: math.fsum([t(p) for t in terms])
        case Mul():
            factors = [of(a) for a in e.args]
            return _product(factors)
        case Pow(base=base, exp=exponent) if exponent.is_Rational:
            return _constant_power(of(base), _number(exponent))
        case _:
            return _function(e, [of(a) for a in e.args])


def _number(e: Expr) -> float:
    quick = try_sympy(lambda: e.p / e.q) if e.is_Rational else None  # the same, except where it overflows
    value = try_sympy(lambda: float(e)) if quick is None else quick
    return nan if value is None else value


def _sum(body: Expr, index: Symbol, layout: Layout, indices: dict[Expr, list[int]]) -> PointFunction:
    cell = [0]
    inner = _of(body, layout, {**indices, index: cell})

    def total(p: Point) -> float:
        terms = []
        for k in range(1, layout.dimension + 1):
            cell[0] = k
            terms.append(inner(p))
        return math.fsum(terms)

    return total


def _function(e: Expr, args: list[PointFunction]) -> PointFunction:
    match e:
        case Pow():
            base, power = args
            return lambda p: _power(base(p), power(p))
        case Max():
            return lambda p: max(a(p) for a in args)
        case Min():
            return lambda p: min(a(p) for a in args)
        case KroneckerDelta():
            return lambda p: float(args[0](p) == args[1](p))
        case Activation():
            return _apply_formula(derivative_of(type(e).record, 0), args[0])
        case ActivationDerivative():
            return _apply_formula(derivative_of(type(e).record, 1), args[0])
        case _ if type(e) in FUNCTIONS:
            known = FUNCTIONS[type(e)]
            return lambda p: known(args[0](p))
        case _:
            return lambda p: float(e.func(*(a(p) for a in args)))


def _apply_formula(formula: Expr, argument: PointFunction) -> PointFunction:
    """A formula in ARGUMENT, composed with its argument."""
    outer = _of(formula, Layout({ARGUMENT: 0}, 0), {})
    return lambda p: outer((argument(p),))


def _product(factors: list[PointFunction]) -> PointFunction:
    """A product; most have two factors."""
    if len(factors) == 2:
        first, second = factors
        return lambda p: first(p) * second(p)
    return lambda p: math.prod([f(p) for f in factors])


def _constant_power(base: PointFunction, power: float) -> PointFunction:
    return lambda p: _power(base(p), power)


def _power(base: float, power: float) -> float:
    if power == 2:
        return base * base
    value = base**power
    return nan if isinstance(value, complex) else value


# ---- Numerical equality


Substitution = Mapping[Expr, Expr]
"""Symbols and their replacements."""


def is_numerically_equal(
    one: Expr, other: Expr, there: Substitution | None = None, at: Substitution | None = None, sign: int = 1
) -> bool:
    """Whether `one` with the substitution `at` equals ±`other` with the substitution `there`, to ten digits at four
    random points. Where one of them is not defined, they are compared structurally."""
    at, there = _restrict_substitution(one, at), _restrict_substitution(other, there)
    if sign == 1 and at == there and one == other:
        return True
    if one.has(Contraction) or other.has(Contraction):
        return _is_structurally_equal(one, other, there, at, sign)
    inside = (e.free_symbols for e in (one, other, *at.values(), *there.values()))
    symbols = sorted(set[Symbol]().union(*inside), key=str)
    layout = Layout({s: k for k, s in enumerate(symbols)}, len(symbols))
    left, right = _compose(one, at, layout), _compose(other, there, layout)
    random = Random(0)
    for point in [[random.random() for _ in symbols] for _ in range(4)]:
        a, b = left(point), sign * right(point)
        if isnan(a) or isnan(b):
            return _is_structurally_equal(one, other, there, at, sign)
        if not isclose(a, b, rel_tol=1e-10):
            return False
    return True


def _restrict_substitution(expr: Expr, put: Substitution | None) -> dict[Expr, Expr]:
    return {symbol: value for symbol, value in (put or {}).items() if symbol in expr.free_symbols}


def _is_structurally_equal(one: Expr, other: Expr, there: Substitution, at: Substitution, sign: int) -> bool:
    return bool(one.xreplace(at) == sign * other.xreplace(there))


def _compose(expr: Expr, put: Substitution, layout: Layout) -> PointFunction:
    """The expression composed with a substitution, as a function of a point."""
    value, replaced = (
        compile_function(expr, layout),
        [(layout.places[s], compile_function(put[s], layout)) for s in put],
    )

    def at(point: Point) -> float:
        image = list(point)
        for k, replacement in replaced:
            image[k] = replacement(point)
        return value(image)

    return at if replaced else value
