"""Transport as residual maps: steps of the characteristics X' = v(X, t) (Wang, Tao, Bao, Shi, section 2).

In both forms of the equation the state moves along +v. Only the clock differs: it runs forwards for terminal data,
u_t + v·∇u = 0, and backwards for initial data, u_t = v·∇u, where the first layer sees v at the final time.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn

from pdedsl.numerics.integrators import RungeKutta
from pdedsl.runtime.explicit import runge_kutta

Field = Callable[..., Tensor]
"""v(x) or, where a time is given, v(x, t) with t a float."""


def step(method: RungeKutta, field: Field, x: Tensor, dt: float, t: float | None = None, clock: float = 1.0) -> Tensor:
    """A step of length Δt along X' = v(X, t); the times of its stages are t ± c Δt."""
    return runge_kutta(method, lambda c, y: _at(field, y, None if t is None else t + clock * c * dt), dt, x)


def _at(field: Field, x: Tensor, t: float | None) -> Tensor:
    return field(x) if t is None else field(x, t)


class Residual(nn.Module):
    """x + Δt·f(x), or x + Δt·f(x, t) with the time of this layer: forward Euler, the residual map of ResNet."""

    def __init__(self, field: Field, dt: float = 1.0, t: float | None = None) -> None:
        super().__init__()
        self.field, self.dt, self.t = field, dt, t

    def forward(self, x: Tensor) -> Tensor:
        velocity = _at(self.field, x, self.t)
        # ResNet's own Δt = 1 needs no multiplication.
        return x + velocity if self.dt == 1.0 else x + self.dt * velocity

    def extra_repr(self) -> str:
        return f"dt={self.dt:g}" if self.t is None else f"dt={self.dt:g}, t={self.t:g}"
