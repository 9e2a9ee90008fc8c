"""Right-hand sides as functions of numbers, for K = k times the identity on the first channels and zero on the others.

A state has one number for each of these channels, the same at all pixels; the other channels are zero and stay so, as K
is zero there. Learned fields f(Y, t) are zero, as for networks whose last weights are zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import assert_never

from sympy import Add, Expr, Function, Mul, Pow, Symbol

from pdedsl.analyse.maps.terms import declared, normalisation_of, state_of
from pdedsl.ir.spec import Spec
from pdedsl.ir.types import Operator
from pdedsl.numerics.activations import ACTIVATIONS
from pdedsl.symbolic.symbols import Applied, Field, Layer, Transposed, with_number
from pdedsl.words.normalisations import BatchNorm, Normalisation, TvNorm

Vector = tuple[float, ...]
FUNCTIONS: Mapping[str, Callable[[float], float]] = {"Abs": abs, "cos": math.cos, "exp": math.exp, "sinh": math.sinh}


@dataclass(frozen=True)
class Weights:
    """The k of each operator, and the scale and bias of all normalisations, equal in all channels."""

    operators: tuple[tuple[Symbol, float], ...] = ()
    scale: float = 1.0
    bias: float = 0.0

    def of(self, operator: Symbol) -> float:
        sizes: dict[Symbol, float] = dict(self.operators)
        return sizes[operator]


class NoValue(Exception):
    """An expression that cannot be evaluated here: a derivative, another time, or an unknown function."""


Reading = Callable[[Mapping[Symbol, Vector]], Vector]


def reading(expr: Expr, weights: Weights, channels: int, spec: Spec) -> Reading:
    """The expression as a function of the states. Raises NoValue."""
    if expr.is_number:
        constant = (float(expr),) * channels
        return lambda _: constant
    if isinstance(expr, Field):
        return _field(expr, channels, spec)
    if isinstance(expr, Applied):
        return _times(_size(expr.operator, weights, spec), reading(expr.body, weights, channels, spec))
    if isinstance(expr, Layer):
        return _normalised(normalisation_of(expr), reading(expr.body, weights, channels, spec), weights)
    factor, rest = with_number(expr)
    if factor != 1:
        return _times(float(factor), reading(rest, weights, channels, spec))
    return _composed(expr, [reading(a, weights, channels, spec) for a in expr.args])


def _field(field: Field, channels: int, spec: Spec) -> Reading:
    state = state_of(field, spec)
    if state is not None:
        return lambda states: states[state]
    if declared(field, spec) is None:
        raise NoValue
    return lambda _: (0.0,) * channels


def _size(operator: Expr, weights: Weights, spec: Spec) -> float:
    """k; a multiple of the identity is its own transpose."""
    inner = operator.args[0] if isinstance(operator, Transposed) else operator
    learned = declared(inner, spec) if isinstance(inner, Field) else None
    if learned is None or not isinstance(learned.type, Operator):
        raise NoValue
    return weights.of(inner.head)


def _times(k: float, inner: Reading) -> Reading:
    return lambda states: tuple([k * a for a in inner(states)])


def _normalised(norm: Normalisation, inner: Reading, weights: Weights) -> Reading:
    """A normalisation; batch norm has the statistics of a new network: mean 0, variance 1."""
    eps, scale, bias = float(norm.eps), weights.scale, weights.bias

    def size(z: Vector) -> float:
        match norm:
            case TvNorm():
                return math.sqrt(sum(a * a for a in z) + eps)
            case BatchNorm():
                return math.sqrt(1 + eps)
            case _:
                assert_never(norm)

    def value(states: Mapping[Symbol, Vector]) -> Vector:
        z = inner(states)
        by = scale / size(z)
        return tuple([by * a + bias for a in z])

    return value


def _composed(expr: Expr, inner: list[Reading]) -> Reading:
    if isinstance(expr, Add):
        return lambda states: tuple(map(sum, zip(*[f(states) for f in inner], strict=True)))
    if isinstance(expr, Mul):
        return lambda states: tuple(map(math.prod, zip(*[f(states) for f in inner], strict=True)))
    if isinstance(expr, Pow) and expr.exp.is_Integer and expr.exp > 0:
        power, base = int(expr.exp), inner[0]
        return lambda states: tuple(a**power for a in base(states))
    name = type(expr).__name__
    known = ACTIVATIONS.get(name) or FUNCTIONS.get(name)
    if not isinstance(expr, Function) or known is None or len(inner) != 1:
        raise NoValue
    sigma, body = known, inner[0]
    return lambda states: tuple([sigma(a) for a in body(states)])
