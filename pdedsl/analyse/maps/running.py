"""A network on pixels run in floating-point numbers, step by step, with the method of the spec."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import assert_never

from sympy import Symbol

from pdedsl.analyse.maps.adapting import Adapting, Tolerances
from pdedsl.analyse.maps.reading import NoValue, Reading, Vector, Weights, reading
from pdedsl.analyse.maps.system import System
from pdedsl.ir.motions import First, Pair, Second
from pdedsl.numerics.integrators import Embedded, Leapfrog, RungeKutta, Series, Verlet

Field = Callable[[Vector], Vector]
Run = Callable[[Vector], Vector | None]
"""From the state at the start, the halves of a pair one after the other, to the state at the end, if it has one."""


def run_of(system: System, weights: Weights, channels: int) -> Run:
    """The network with these weights. Raises NoValue if a term cannot be evaluated, or the method does not apply."""
    rights = [equation.right[0].xreplace(system.spec.values) for equation in system.equations]
    readings = [reading(right, weights, channels, system.spec) for right in rights]
    steps = _steps(system, readings, channels)

    def run(start: Vector) -> Vector | None:
        try:
            end = steps(start)
        except OverflowError:
            return None
        return end if all(map(math.isfinite, end)) else None

    return run


def _steps(system: System, readings: Sequence[Reading], channels: int) -> Field:
    """All steps of the block. For second order in time, the state starts at rest, and its final speed is dropped."""
    stepping, heads = system.stepping, system.halves
    if stepping.tolerances is not None:
        return _adapting(system, readings, channels, stepping.tolerances)
    if stepping.step is None or stepping.steps is None:
        raise NoValue
    h, count = float(stepping.step), stepping.steps
    match system.motion:
        case First():
            (push,), (head,) = readings, heads
            return _repeated(_one_step(system, lambda y: push({head: y}), h), count)
        case Pair():
            if isinstance(stepping.method, Verlet):
                return _repeated(_verlet(readings, heads, h, channels), count)
            return _repeated(_one_step(system, _pair(readings, heads, channels), h), count)
        case Second():
            (push,), (head,) = readings, heads
            if isinstance(stepping.method, Leapfrog):
                return _leapfrog(lambda y: push({head: y}), h, count, float(stepping.first))
            whole = _repeated(_one_step(system, lambda s: (*s[channels:], *push({head: s[:channels]})), h), count)
            return lambda y: whole((*y, *(0.0 for _ in y)))[:channels]
        case _:
            assert_never(system.motion)


def _adapting(system: System, readings: Sequence[Reading], channels: int, tolerances: Tolerances) -> Field:
    """One adaptive run from start to end. Second order in time is excluded: the network has another state there."""
    method, time, frame = system.stepping.method, system.spec.time, system.spec.network
    if not isinstance(method, Embedded) or time is None or isinstance(system.motion, Second):
        raise NoValue
    width = max(frame.stages) if frame else channels * len(readings)
    adapting = Adapting(method, tolerances, float(time.end - time.start), width)
    field = _pair(readings, system.halves, channels) if len(readings) > 1 else _alone(readings[0], system.halves[0])
    return lambda y: adapting.run(field, y)


def _alone(push: Reading, head: Symbol) -> Field:
    return lambda y: push({head: y})


def _repeated(step: Field, count: int) -> Field:
    def run(y: Vector) -> Vector:
        for _ in range(count):
            y = step(y)
        return y

    return run


def _pair(readings: Sequence[Reading], heads: Sequence[Symbol], n: int) -> Field:
    (f, g), (one, other) = readings, heads
    return lambda s: (*f({other: s[n:]}), *g({one: s[:n]}))


# ---- methods


def _one_step(system: System, field: Field, h: float) -> Field:
    match system.stepping.method:
        case RungeKutta() as method:
            return lambda y: _runge_kutta(method, field, h, y)
        case Series():
            return lambda y: _series(system.stepping.terms, field, h, y)
        case Embedded() | Verlet() | Leapfrog():
            raise NoValue
        case _:
            assert_never(system.stepping.method)


def _runge_kutta(method: RungeKutta, field: Field, h: float, y: Vector) -> Vector:
    slopes: list[Vector] = []
    for row in ((), *method.rows):
        slopes.append(field(_moved(y, h, row, slopes)))
    return _moved(y, h, method.weights, slopes)


def _moved(y: Vector, h: float, row: Sequence[float], slopes: Sequence[Vector]) -> Vector:
    for a, k in zip(row, slopes, strict=True):
        if a:
            y = tuple([b + h * a * c for b, c in zip(y, k, strict=True)])
    return y


def _series(terms: int, field: Field, h: float, y: Vector) -> Vector:
    """y + F(y) + F(F(y)) + …, F = h times the right-hand side: backward Euler."""
    total = power = y
    for _ in range(terms):
        power = tuple([h * a for a in field(power)])
        total = tuple([a + b for a, b in zip(total, power, strict=True)])
    return total


def _verlet(readings: Sequence[Reading], heads: Sequence[Symbol], h: float, n: int) -> Field:
    """Y += h f(Z), Z += h g(Y)."""
    (f, g), (one, other) = readings, heads

    def step(s: Vector) -> Vector:
        z = s[n:]
        y = tuple([a + h * b for a, b in zip(s[:n], f({other: z}), strict=True)])
        return (*y, *[a + h * b for a, b in zip(z, g({one: y}), strict=True)])

    return step


def _leapfrog(push: Field, h: float, count: int, first: float) -> Field:
    """D += h² F(Y), Y += D, with the first push scaled by `first`."""

    def run(y: Vector) -> Vector:
        difference = (0.0,) * len(y)
        for j in range(count):
            share = (first if j == 0 else 1.0) * h * h
            difference = tuple([d + share * p for d, p in zip(difference, push(y), strict=True)])
            y = tuple([a + d for a, d in zip(y, difference, strict=True)])
        return y

    return run
