"""Simulation of equations on feature maps, for K = k times the identity on the first channels and zero on the others.

A state has one number for each of these channels, the same at all pixels; the other channels are zero and stay zero, as
K is zero there. Learned fields f(Y, t) are zero, as for networks whose last weights are zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import assert_never

from sympy import Expr, Pow, Symbol

from pdedsl.analysis.feature_maps.system import FeatureMapSystem
from pdedsl.analysis.feature_maps.terms import declared, normalization_of, state_of
from pdedsl.config.networks import BatchNorm, Normalization, TvNorm
from pdedsl.ir.semidiscrete_systems import FirstOrderOde, SecondOrderOde, SeparableOde
from pdedsl.ir.spec import Spec
from pdedsl.ir.types import Operator
from pdedsl.numerics.activations import ACTIVATIONS
from pdedsl.numerics.butcher import (
    EmbeddedRungeKutta,
    ImexRungeKutta,
    ImplicitRungeKutta,
    LeapfrogMethod,
    RungeKutta,
    TruncatedBackwardEuler,
    VerletMethod,
)
from pdedsl.record import Record
from pdedsl.symbolic.evaluate import FLOATS, fold
from pdedsl.symbolic.symbols import Applied, Field, Layer, Transposed

# ---- Right-hand sides


Vector = tuple[float, ...]
ENTIRE = ("Add", "Mul", "Pow", "Abs", "cos", "exp", "sinh")  # operations with a value everywhere


class OperatorWeights(Record):
    """The k of each operator, and the scale and bias of all normalizations, equal in all channels."""

    operators: tuple[tuple[Symbol, float], ...] = ()
    scale: float = 1.0
    bias: float = 0.0

    def of(self, operator: Symbol) -> float:
        sizes: dict[Symbol, float] = dict(self.operators)
        return sizes[operator]


class NotEvaluable(Exception):
    """An expression that cannot be evaluated here: a derivative, another time, or an unknown function."""


RightHandSide = Callable[[Mapping[Symbol, Vector]], Vector]


def compile_right_hand_side(expr: Expr, weights: OperatorWeights, channels: int, spec: Spec) -> RightHandSide:
    """The expression as a function of the states. Raises NotEvaluable."""

    def number(e: Expr) -> RightHandSide:
        constant = (float(e),) * channels
        return lambda _: constant

    def leaf(e: Expr) -> RightHandSide | None:
        match e:
            case _ if e.is_number:
                return number(e)
            case Field():
                return _field(e, channels, spec)
            case Applied(operator=operator, body=body):
                return _scale(_multiple_of(operator, weights, spec), value(body))
            case Layer(body=body):
                return _normalization(normalization_of(e), value(body), weights)
        return None

    def value(e: Expr) -> RightHandSide:
        return fold(e, leaf, _compose)

    return value(expr)


def _field(field: Field, channels: int, spec: Spec) -> RightHandSide:
    state = state_of(field, spec)
    if state is not None:
        return lambda states: states[state]
    if declared(field, spec) is None:
        raise NotEvaluable
    return lambda _: (0.0,) * channels


def _multiple_of(operator: Expr, weights: OperatorWeights, spec: Spec) -> float:
    """k; a multiple of the identity is its own transpose."""
    inner = operator.args[0] if isinstance(operator, Transposed) else operator
    learned = declared(inner, spec) if isinstance(inner, Field) else None
    if learned is None or not isinstance(learned.type, Operator):
        raise NotEvaluable
    return weights.of(inner.head)


def _scale(k: float, inner: RightHandSide) -> RightHandSide:
    return lambda states: tuple([k * a for a in inner(states)])


def _normalization(norm: Normalization, inner: RightHandSide, weights: OperatorWeights) -> RightHandSide:
    """A normalization; batch norm has the statistics of a new network: mean 0, variance 1."""
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


def _compose(expr: Expr, inner: list[RightHandSide]) -> RightHandSide:
    """An operation of the algebra of floats, channel by channel."""
    name = type(expr).__name__
    operation = FLOATS.get(name) if name in ENTIRE else ACTIVATIONS.get(name)
    if operation is None or (isinstance(expr, Pow) and not (expr.exp.is_Integer and expr.exp > 0)):
        raise NotEvaluable
    return lambda states: tuple(map(operation, *(f(states) for f in inner)))


# ---- Runs


VectorField = Callable[[Vector], Vector]
Run = Callable[[Vector], Vector | None]
"""Maps the initial state, the components of a pair one after the other, to the final state; None if it overflows."""


def build_run(system: FeatureMapSystem, weights: OperatorWeights, channels: int) -> Run:
    """The discretised equation with these weights. Raises NotEvaluable for other terms or methods."""
    rights = [equation.rhs[0].xreplace(system.spec.values) for equation in system.equations]
    rhs_functions = [compile_right_hand_side(right, weights, channels, system.spec) for right in rights]
    steps = _steps(system, rhs_functions, channels)

    def run(initial: Vector) -> Vector | None:
        try:
            end = steps(initial)
        except OverflowError:
            return None
        return end if all(map(math.isfinite, end)) else None

    return run


def _steps(system: FeatureMapSystem, rhs_functions: Sequence[RightHandSide], channels: int) -> VectorField:
    """All steps of the block. For second order in time, the initial velocity is zero, and the final one is dropped."""
    stepping, heads = system.stepping, system.state_symbols
    if stepping.step is None or stepping.steps is None:
        raise NotEvaluable
    h, count = float(stepping.step), stepping.steps
    match system.ode:
        case FirstOrderOde():
            (rhs,), (head,) = rhs_functions, heads
            return _repeat(_one_step(system, lambda y: rhs({head: y}), h), count)
        case SeparableOde():
            if isinstance(stepping.method, VerletMethod):
                return _repeat(_verlet(rhs_functions, heads, h, channels), count)
            return _repeat(_one_step(system, _pair_field(rhs_functions, heads, channels), h), count)
        case SecondOrderOde():
            (rhs,), (head,) = rhs_functions, heads
            if isinstance(stepping.method, LeapfrogMethod):
                return _leapfrog(lambda y: rhs({head: y}), h, count, float(stepping.first))
            whole = _repeat(_one_step(system, lambda s: (*s[channels:], *rhs({head: s[:channels]})), h), count)
            return lambda y: whole((*y, *(0.0 for _ in y)))[:channels]
        case _:
            assert_never(system.ode)


def _repeat(step: VectorField, count: int) -> VectorField:
    def run(y: Vector) -> Vector:
        for _ in range(count):
            y = step(y)
        return y

    return run


def _pair_field(rhs_functions: Sequence[RightHandSide], heads: Sequence[Symbol], n: int) -> VectorField:
    (f, g), (one, other) = rhs_functions, heads
    return lambda s: (*f({other: s[n:]}), *g({one: s[:n]}))


# ---- Integrators


def _one_step(system: FeatureMapSystem, field: VectorField, h: float) -> VectorField:
    match system.stepping.method:
        case RungeKutta() as method:
            return lambda y: _runge_kutta(method, field, h, y)
        case TruncatedBackwardEuler():
            return lambda y: _series(system.stepping.terms, field, h, y)
        case ImplicitRungeKutta() | ImexRungeKutta() | EmbeddedRungeKutta() | VerletMethod() | LeapfrogMethod():
            raise NotEvaluable
        case _:
            assert_never(system.stepping.method)


def _runge_kutta(method: RungeKutta, field: VectorField, h: float, y: Vector) -> Vector:
    stages: list[Vector] = []
    for row in ((), *method.rows):
        stages.append(field(_add_stages(y, h, row, stages)))
    return _add_stages(y, h, method.weights, stages)


def _add_stages(y: Vector, h: float, row: Sequence[float], stages: Sequence[Vector]) -> Vector:
    for a, k in zip(row, stages, strict=True):
        if a:
            y = tuple([b + h * a * c for b, c in zip(y, k, strict=True)])
    return y


def _series(terms: int, field: VectorField, h: float, y: Vector) -> Vector:
    """y + F(y) + F(F(y)) + …, F = h times the right-hand side: backward Euler."""
    total = power = y
    for _ in range(terms):
        power = tuple([h * a for a in field(power)])
        total = tuple([a + b for a, b in zip(total, power, strict=True)])
    return total


def _verlet(rhs_functions: Sequence[RightHandSide], heads: Sequence[Symbol], h: float, n: int) -> VectorField:
    """Y += h f(Z), Z += h g(Y)."""
    (f, g), (one, other) = rhs_functions, heads

    def step(s: Vector) -> Vector:
        z = s[n:]
        y = tuple([a + h * b for a, b in zip(s[:n], f({other: z}), strict=True)])
        return (*y, *[a + h * b for a, b in zip(z, g({one: y}), strict=True)])

    return step


def _leapfrog(rhs: VectorField, h: float, count: int, first: float) -> VectorField:
    """D += h² F(Y), Y += D, with the first step scaled by `first`."""

    def run(y: Vector) -> Vector:
        difference = (0.0,) * len(y)
        for j in range(count):
            scale_factor = (first if j == 0 else 1.0) * h * h
            difference = tuple([d + scale_factor * p for d, p in zip(difference, rhs(y), strict=True)])
            y = tuple([a + d for a, d in zip(y, difference, strict=True)])
        return y

    return run
