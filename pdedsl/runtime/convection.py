"""Transport as residual maps: steps of the characteristics X' = v(X, t) (Wang, Tao, Bao, Shi, section 2).

In both forms of the equation the state moves along +v. Only the clock differs: it runs forwards for terminal data,
u_t + v·∇u = 0, and backwards for initial data, u_t = v·∇u, where the first layer sees v at the final time.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn

Field = Callable[..., Tensor]
"""v(x) or, where a time is given, v(x, t) with t a float."""


def euler(field: Field, x: Tensor, dt: float, t: float | None = None, clock: float = 1.0) -> Tensor:
    """x + Δt·v(x, t)."""
    return x + dt * _at(field, x, t)


def heun(field: Field, x: Tensor, dt: float, t: float | None = None, clock: float = 1.0) -> Tensor:
    """x + Δt/2·(k₁ + k₂), k₁ = v(x, t), k₂ = v(x + Δt·k₁, t ± Δt). Order 2 (Hairer, Nørsett & Wanner II.1)."""
    k1 = _at(field, x, t)
    k2 = _at(field, x + dt * k1, _later(t, clock * dt))
    return x + (0.5 * dt) * (k1 + k2)


def rk4(field: Field, x: Tensor, dt: float, t: float | None = None, clock: float = 1.0) -> Tensor:
    """x + Δt/6·(k₁ + 2k₂ + 2k₃ + k₄), the classical Runge-Kutta method of order 4."""
    half, full = _later(t, 0.5 * clock * dt), _later(t, clock * dt)
    k1 = _at(field, x, t)
    k2 = _at(field, x + 0.5 * dt * k1, half)
    k3 = _at(field, x + 0.5 * dt * k2, half)
    k4 = _at(field, x + dt * k3, full)
    return x + (dt / 6.0) * (k1 + 2.0 * (k2 + k3) + k4)


def _at(field: Field, x: Tensor, t: float | None) -> Tensor:
    return field(x) if t is None else field(x, t)


def _later(t: float | None, dt: float) -> float | None:
    return None if t is None else t + dt


class Residual(nn.Module):
    """x + Δt·f(x), or x + Δt·f(x, t) with the time of this layer: forward Euler, the residual map of ResNet."""

    def __init__(self, field: Field, dt: float = 1.0, t: float | None = None) -> None:
        super().__init__()
        self.field, self.dt, self.t = field, dt, t

    def forward(self, x: Tensor) -> Tensor:
        velocity = _at(self.field, x, self.t)
        # ResNet's own Δt = 1 costs no multiplication.
        return x + velocity if self.dt == 1.0 else x + self.dt * velocity

    def extra_repr(self) -> str:
        return _step(self.dt, self.t)


class Heun(nn.Module):
    """A step of order 2 along the characteristics; clock = -1 for initial data, +1 for terminal data."""

    def __init__(self, field: Field, dt: float = 1.0, t: float | None = None, clock: float = 1.0) -> None:
        super().__init__()
        self.field, self.dt, self.t, self.clock = field, dt, t, clock

    def forward(self, x: Tensor) -> Tensor:
        return heun(self.field, x, self.dt, self.t, self.clock)

    def extra_repr(self) -> str:
        return _step(self.dt, self.t)


class RK4(nn.Module):
    """A step of order 4 along the characteristics; clock = -1 for initial data, +1 for terminal data."""

    def __init__(self, field: Field, dt: float = 1.0, t: float | None = None, clock: float = 1.0) -> None:
        super().__init__()
        self.field, self.dt, self.t, self.clock = field, dt, t, clock

    def forward(self, x: Tensor) -> Tensor:
        return rk4(self.field, x, self.dt, self.t, self.clock)

    def extra_repr(self) -> str:
        return _step(self.dt, self.t)


def _step(dt: float, t: float | None) -> str:
    return f"dt={dt:g}" if t is None else f"dt={dt:g}, t={t:g}"
