"""Textbook one-step methods for y' = f(t, y); no code is shared with the runtime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_never

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import newton_krylov

from pdedsl.config.methods import BackwardEuler, Fixed, Imex, Implicit
from pdedsl.numerics.butcher import ImexRungeKutta, ImplicitRungeKutta, RungeKutta

STAGE_RTOL = 1e-12  # of the equations for the stages: below the tolerance of all comparisons
State = Any  # a tensor, an array, or anything else that can be added and multiplied by numbers
RightHandSide = Callable[[float, State], State]
Step = Callable[[RightHandSide, float, float, State], State]


def euler(f: RightHandSide, t: float, h: float, y: State) -> State:
    return y + h * f(t, y)


def heun(f: RightHandSide, t: float, h: float, y: State) -> State:
    """The trapezoidal rule with an Euler predictor."""
    guess = y + h * f(t, y)
    return y + h * (f(t, y) + f(t + h, guess)) / 2


def midpoint(f: RightHandSide, t: float, h: float, y: State) -> State:
    return y + h * f(t + h / 2, y + h * f(t, y) / 2)


def ssprk3(f: RightHandSide, t: float, h: float, y: State) -> State:
    """Three steps of Euler and their convex combinations (Shu, Osher 1988, eq. 2.18)."""
    first = y + h * f(t, y)
    second = 3 / 4 * y + 1 / 4 * (first + h * f(t + h, first))
    return 1 / 3 * y + 2 / 3 * (second + h * f(t + h / 2, second))


def rk4(f: RightHandSide, t: float, h: float, y: State) -> State:
    """Simpson's rule (Kutta 1901)."""
    a = f(t, y)
    b = f(t + h / 2, y + h * a / 2)
    c = f(t + h / 2, y + h * b / 2)
    d = f(t + h, y + h * c)
    return y + h * (a + 2 * b + 2 * c + d) / 6


def backward_euler(terms: int) -> Step:
    """(I - hf)⁻¹ as the series I + hf + (hf)² + …, f at the end of the step."""

    def step(f: RightHandSide, t: float, h: float, y: State) -> State:
        powers = [y]
        for _ in range(terms):
            powers.append(h * f(t + h, powers[-1]))
        return sum(powers[1:], powers[0])

    return step


REFERENCE_METHODS: dict[str, Step] = {s.__name__: s for s in (euler, heun, midpoint, ssprk3, rk4)}


def step_of(method: Fixed | Implicit | Imex | BackwardEuler, linear: float = 0.0) -> Step:
    """The reference step of a method; from its Butcher tableau if there is no formula here. `linear` is the c of the
    implicit part cy of an implicit-explicit method."""
    match method:
        case BackwardEuler(terms=terms):
            return backward_euler(terms)
        case Implicit(method=record):
            return _implicit(record)
        case Imex(method=record):
            return _imex(record, linear)
        case Fixed(method=record):
            return REFERENCE_METHODS.get(record.name) or _from_tableau(record)
        case _:
            assert_never(method)


def _from_tableau(method: RungeKutta) -> Step:
    def step(f: RightHandSide, t: float, h: float, y: State) -> State:
        stages = [f(t, y)]
        for row in method.rows:
            inner = sum((a * k for a, k in zip(row, stages, strict=True)), 0 * y)
            stages.append(f(t + h * sum(row), y + h * inner))
        return y + h * sum((b * k for b, k in zip(method.weights, stages, strict=True)), 0 * y)

    return step


def _implicit(method: ImplicitRungeKutta) -> Step:
    """The stages by Newton's method with Krylov iterations."""

    def step(f: RightHandSide, t: float, h: float, y: State) -> State:
        def stage_derivatives(stages: NDArray[np.float64]) -> list[State]:
            states = (torch.from_numpy(z) if isinstance(y, torch.Tensor) else z for z in stages)
            return [f(t + c * h, z) for c, z in zip(method.nodes, states, strict=True)]

        def residual(stages: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.asarray(stages - start - h * np.tensordot(matrix, np.stack(stage_derivatives(stages)), 1))

        start = np.broadcast_to(np.asarray(y), (method.stages, *y.shape)).copy()
        matrix, size = np.array(method.matrix), 1 + float(abs(start).max())
        stages = newton_krylov(residual, start, f_tol=STAGE_RTOL * size)
        return y + h * sum((b * k for b, k in zip(method.weights, stage_derivatives(stages), strict=True)), 0 * y)

    return step


def _imex(method: ImexRungeKutta, c: float) -> Step:
    """The stage derivatives k solve k = c (y + h Σ (aᵢⱼ kⱼ + ãᵢⱼ nⱼ)), a triangular linear system."""

    def step(f: RightHandSide, t: float, h: float, y: State) -> State:
        implicit: list[State] = []
        explicit: list[State] = []
        for i, node in enumerate(method.nodes):
            known = y + h * sum((a * k for a, k in zip(method.matrix[i][:i], implicit, strict=True)), 0 * y)
            row = method.rows[i - 1] if i else ()
            known = known + h * sum((a * n for a, n in zip(row, explicit, strict=True)), 0 * y)
            implicit.append(c * known / (1 - h * c * method.matrix[i][i]))
            stage = known + h * method.matrix[i][i] * implicit[-1]
            explicit.append(f(t + node * h, stage) - c * stage)
        parts = [*zip(method.weights, implicit, strict=True), *zip(method.explicit_weights, explicit, strict=True)]
        return y + h * sum((b * k for b, k in parts), 0 * y)

    return step


def integrate_rk4(f: RightHandSide, t: float, length: float, y: State, steps: int) -> State:
    """The solution after the time `length`, by many steps of RK4."""
    h = length / steps
    for k in range(steps):
        y = rk4(f, t + k * h, h, y)
    return y
