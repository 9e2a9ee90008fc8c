"""One fold over symbolic trees with a table of operations per algebra, and its algebra of floating-point numbers.

The table of torch operations is in `codegen.expressions`, that of intervals in `analysis.bounds.interval`, that of
feature maps in `analysis.feature_maps.simulate`; `unsupported` names what generated code cannot compute.

A point lists the coordinates of space, then time. Where an expression is not defined, the result is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import pairwise
from math import isclose, isfinite, isnan, nan
from operator import itemgetter, mul
from random import Random
from typing import TypeVar

from sympy import DiracDelta, Expr, Symbol, sympify

from pdedsl.numerics.activations import Activation
from pdedsl.numerics.functions import TORCH_OPERATIONS
from pdedsl.record import Record
from pdedsl.symbolic.data_functions import DataFunction, DataSource, load_interpolant
from pdedsl.symbolic.functions import ARGUMENT, ActivationDerivative, ActivationFunction, derivative_of
from pdedsl.symbolic.integrals import kinks
from pdedsl.symbolic.mesh_domain import MeshBoundary, MeshNormal
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.symbols import Applied, Component, Contraction, Integral, Softmax
from pdedsl.symbolic.sympy_errors import try_sympy

# ---- Fold


V = TypeVar("V")
Operations = Mapping[str, Callable[..., V]]
"""The operations of an algebra, by the names of sympy's classes: "Add", "Pow", "sin"; applied to all arguments."""


def fold(
    expr: Expr,
    leaf: Callable[[Expr], V | None],
    operation: Callable[[Expr, list[V]], V],
    known: dict[Expr, V] | None = None,
) -> V:
    """The value of an expression in an algebra.

    `leaf` gives the values of atoms, such as numbers and coordinates, and of expressions whose value does not follow
    from those of their arguments; for others it is None. `operation` gives the value of an expression from those of its
    arguments. `known` are values of parts, to which new ones are added.
    """

    def of(e: Expr) -> V:
        if known is not None and e in known:
            return known[e]
        value = leaf(e)
        if value is None:
            value = operation(e, [of(a) for a in e.args])
        if known is not None:
            known[e] = value
        return value

    return of(expr)


MAX_PRINTED_LENGTH = 40  # characters of a number in a message


def unsupported(expr: Expr, leaf: Callable[[Expr], str | None]) -> str | None:
    """The part of an expression that generated code cannot compute, in words; None if there is none.

    `leaf` is the same for atoms, "" if they can be computed, and None for other expressions.
    """
    if expr.is_number:
        if expr.is_extended_real and isfinite(float(expr)):
            return None
        return f"the value {notation(expr if len(str(expr)) < MAX_PRINTED_LENGTH else expr.evalf(3))}"
    reason = leaf(expr)
    if reason is not None:
        return reason or None
    match expr:
        case Softmax() | Applied():
            return "an operator in a coefficient"
        case DiracDelta():
            return "a Dirac delta (the derivative of a discontinuous function)"
        case _ if type(expr).__name__ in TORCH_OPERATIONS or isinstance(expr, DataFunction):
            return next((text for a in expr.args if (text := unsupported(a, leaf))), None)
        case _:
            return "this expression"


# ---- Floating-point numbers


Point = Sequence[float]
PointFunction = Callable[[Point], float]
Column = list[float]  # values at many points
EVALUATION_ERRORS = (ValueError, ZeroDivisionError, OverflowError, TypeError)


def _number(e: Expr) -> float:
    if e.is_Rational:
        with suppress(OverflowError):
            return float(e.p / e.q)  # quicker than sympy's conversion
    value = try_sympy(lambda: float(e))
    return nan if value is None else value


def _power(base: float, power: float) -> float:
    if power == 2:
        return base * base
    value = base**power
    return nan if isinstance(value, complex) else value


FLOATS: Operations[float] = {
    "Add": lambda *terms: math.fsum(terms),
    "Mul": lambda *factors: math.prod(factors),
    "Pow": _power,
    "Max": max,
    "Min": min,
    "Abs": abs,
    "sign": lambda v: float(v > 0) - float(v < 0),
    "Heaviside": lambda v, *_: 0.5 if v == 0 else float(v > 0),
    "DiracDelta": lambda v, *_: nan,
    "KroneckerDelta": lambda i, j: float(i == j),
    **{name: getattr(math, name) for name in "acos asin atan cos cosh erf exp log sin sinh tan tanh".split()},
}


@cache
def _activation(record: Activation, order: int) -> Callable[[float], float]:
    """An activation or its derivative, by its formula."""
    formula = _compile(derivative_of(record, order), Layout({ARGUMENT: 0}, 0), {})
    return lambda v: formula((v,))


def _float_operation(e: Expr) -> Callable[..., float]:
    name, kind = type(e).__name__, type(e)
    if name == "Mul" and len(e.args) == 2:
        return mul  # the most frequent operation, in half the time
    if name in FLOATS:
        return FLOATS[name]
    if isinstance(e, ActivationFunction | ActivationDerivative):
        return _activation(kind.record, int(isinstance(e, ActivationDerivative)))
    if isinstance(e, DataFunction):
        return _interpolant(e.source, e.orders)
    return lambda *values: float(kind(*map(sympify, values)))  # a TypeError if it has no value


def _interpolant(source: DataSource, orders: tuple[int, ...]) -> Callable[..., float]:
    interpolant = load_interpolant(source)
    return lambda *point: interpolant(point, orders)


class Layout(Record):
    """The position of each coordinate in a point; components of a symbolic position start at index zero."""

    places: dict[Symbol, int]
    dimension: int  # of space

    def __hash__(self) -> int:
        return hash((tuple(self.places), self.dimension))


def compile_partial_function(expr: Expr, layout: Layout) -> PointFunction:
    """The expression as a function of a point that raises one of EVALUATION_ERRORS where it is not defined."""
    return _compile(expr, layout, {})


def compile_function(expr: Expr, layout: Layout) -> PointFunction:
    """The expression as a function of a point."""
    inner = _compile(expr, layout, {})

    def at(point: Point) -> float:
        try:
            return inner(point)
        except EVALUATION_ERRORS:
            return nan

    return at


def evaluate_at_points(exprs: Sequence[Expr], layout: Layout, points: Sequence[Point]) -> list[Column]:
    """Each expression at every point; common subexpressions are computed once."""
    known: dict[Expr, Column] = {}

    def leaf(e: Expr) -> Column | None:
        match e:
            case _ if e.is_number:
                return [_number(e)] * len(points)
            case Symbol():
                return list(map(itemgetter(layout.places[e]), points))
            case Component() | Contraction() | Integral() | MeshBoundary() | MeshNormal():
                return list(map(_compile(e, layout, {}), points))
        return None

    def values(e: Expr) -> Column:
        try:
            return fold(e, leaf, lambda part, args: list(map(_float_operation(part), *args)), known)
        except EVALUATION_ERRORS:  # at some point
            return list(map(compile_function(e, layout), points))

    return [values(e) for e in exprs]


def _compile(expr: Expr, layout: Layout, indices: Mapping[Expr, list[float]]) -> PointFunction:
    """The expression as a function of a point; `indices` are the current values of indices of sums and of bound
    variables of integrals."""

    def constant(e: Expr) -> PointFunction:
        value = _number(e)
        return lambda p: value

    def leaf(e: Expr) -> PointFunction | None:
        match e:
            case _ if e.is_number:
                return constant(e)
            case Symbol() if e in indices:
                cell = indices[e]
                return lambda p: cell[0]
            case Symbol():
                return itemgetter(layout.places[e])
            case Component(args=(_, index)):
                at = _compile(index, layout, indices)
                return lambda p: p[int(at(p)) - 1]
            case Contraction(index=index, body=body):
                return _sum(body, index)
            case MeshBoundary(mesh=mesh, coordinates=coordinates):
                places = [layout.places[x] for x in coordinates]
                return lambda p: float(mesh.side([p[k] for k in places]))
            case MeshNormal(mesh=mesh, coordinates=coordinates, axis=axis):
                places = [layout.places[x] for x in coordinates]
                return lambda p: mesh.normal([p[k] for k in places])[axis]
            case Integral():
                return _quadrature(e, layout, indices)
        return None

    def _sum(body: Expr, index: Symbol) -> PointFunction:
        cell: list[float] = [0]
        inner = _compile(body, layout, {**indices, index: cell})

        def terms(p: Point) -> Iterator[float]:
            for k in range(1, layout.dimension + 1):
                cell[0] = k
                yield inner(p)

        return lambda p: math.fsum(terms(p))

    return fold(expr, leaf, _pointwise)


PANELS = 4  # of the composite Gauss rule between kinks
GAUSS_RULE = (  # Gauss-Legendre on [-1, 1], (node, weight): eight nodes, of order 16
    (-0.9602898564975362, 0.10122853629037626),
    (-0.7966664774136267, 0.22238103445337448),
    (-0.525532409916329, 0.31370664587788727),
    (-0.18343464249564984, 0.3626837833783620),
    (0.18343464249564984, 0.3626837833783620),
    (0.525532409916329, 0.31370664587788727),
    (0.7966664774136267, 0.22238103445337448),
    (0.9602898564975362, 0.10122853629037626),
)


def _quadrature(e: Integral, layout: Layout, indices: Mapping[Expr, list[float]]) -> PointFunction:
    """A definite integral by the composite Gauss rule of order 16 on pieces between the kinks."""
    cell = [0.0]
    inner = _compile(e.body, layout, {**indices, e.variable: cell})
    ends = [_compile(end, layout, indices) for end in (e.lower, e.upper, *kinks(e.body, e.variable))]

    def at(p: Point) -> float:
        lower, upper, *inside = (end(p) for end in ends)
        low, high = min(lower, upper), max(lower, upper)
        breaks = [low, *sorted(x for x in inside if low < x < high), high]
        total = []
        for a, b in pairwise(breaks):
            half = (b - a) / PANELS / 2
            for k in range(PANELS):
                for node, weight in GAUSS_RULE:
                    cell[0] = a + half * (2 * k + 1 + node)
                    total.append(half * weight * inner(p))
        return math.copysign(1.0, upper - lower) * math.fsum(total)

    return at


def _pointwise(e: Expr, args: list[PointFunction]) -> PointFunction:
    operation = _float_operation(e)
    match args:
        case [only]:
            return lambda p: operation(only(p))
        case [first, second]:
            return lambda p: operation(first(p), second(p))
        case _:
            return lambda p: operation(*[a(p) for a in args])


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
    symbols = expr.free_symbols
    return {symbol: value for symbol, value in (put or {}).items() if symbol in symbols}


def _is_structurally_equal(one: Expr, other: Expr, there: Substitution, at: Substitution, sign: int) -> bool:
    return bool(one.xreplace(at) == sign * other.xreplace(there))


def _compose(expr: Expr, put: Substitution, layout: Layout) -> PointFunction:
    """The expression composed with a substitution, as a function of a point."""
    value = compile_function(expr, layout)
    replaced = [(layout.places[s], compile_function(put[s], layout)) for s in put]

    def at(point: Point) -> float:
        image = list(point)
        for k, replacement in replaced:
            image[k] = replacement(point)
        return value(image)

    return at if replaced else value
