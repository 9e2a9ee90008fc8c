"""One-step time integrators with fixed steps: explicit Runge-Kutta methods from their Butcher tableau, truncated
backward Euler; steps along characteristics and the residual block.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import final

import torch
from torch import Tensor, nn

from pdedsl.numerics.butcher import EXPLICIT, RungeKutta
from pdedsl.runtime.image_fields import VectorField

# ---- Runge-Kutta step


StageFunction = Callable[[float, Tensor], Tensor]
"""f(c, y): the right-hand side at the state y and the node c of the step, 0 at its start and 1 at its end."""


def runge_kutta_step(method: RungeKutta, right_hand_side: StageFunction, h: float, y: Tensor) -> Tensor:
    """y + h Σ bᵢ kᵢ with kᵢ = f(cᵢ, y + h Σ aᵢⱼ kⱼ) (Hairer, Nørsett, Wanner II.1)."""
    stages: list[Tensor] = []
    for node, row in zip(method.nodes, ((), *method.rows), strict=True):
        stages.append(right_hand_side(node, _add_increments(y, h, row, stages)))
    return _add_increments(y, h, method.weights, stages)


def _add_increments(y: Tensor, h: float, row: Sequence[float], stages: Sequence[Tensor]) -> Tensor:
    for a, k in zip(row, stages, strict=True):
        if a:
            y = torch.add(y, k, alpha=h * a)
    return y


# ---- Integrators of y′ = field(step, t, y) on [t₀, t₁] with equal steps


@final
@dataclass(frozen=True)
class TimeGrid:
    """`count` equal steps from t₀ to t₁; t₁ < t₀ runs backwards in time.

    Args:
        start: initial time t₀.
        stop: final time t₁.
        count: number of steps.

    Raises:
        ValueError: if there are no steps.

    Example:
        >>> from pdedsl.runtime import TimeGrid
        >>> grid = TimeGrid(0.0, 1.0, 4)
        >>> grid.h, grid.time(1)
        (0.25, 0.25)
    """

    start: float
    stop: float
    count: int

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError(f"a time grid needs at least one step, got {self.count}")

    @property
    def h(self) -> float:
        return (self.stop - self.start) / self.count

    def time(self, step: int) -> float:
        """t_j = t₀ + j h; the last one is exactly t₁."""
        return self.stop if step == self.count else self.start + step * self.h


class Integrator(ABC):
    """Integrates a vector field from t₀ to t₁."""

    @abstractmethod
    def integrate(self, field: VectorField, y: Tensor, steps: TimeGrid) -> Tensor:
        """y(t₁) for y(t₀) = y."""


class OneStepMethod(Integrator):
    """y_{j+1} from y_j, with the weights of step j in all stages."""

    @abstractmethod
    def step(self, field: VectorField, j: int, t: float, h: float, y: Tensor) -> Tensor:
        """One step of length h from (t, y)."""

    def integrate(self, field: VectorField, y: Tensor, steps: TimeGrid) -> Tensor:
        for j in range(steps.count):
            y = self.step(field, j, steps.time(j), steps.h, y)
        return y


@final
@dataclass(frozen=True)
class ExplicitRungeKutta(OneStepMethod):
    """An explicit Runge-Kutta method. Euler is a residual block, y + h f(t, y) (Ruthotto, Haber 2018, eq. 3).

    `Euler()`, `Heun()`, `RK4()`, … of this module are the methods of `pdedsl.numerics.butcher`.

    Args:
        method: the Butcher tableau.

    Example:
        >>> import torch
        >>> from pdedsl.numerics.butcher import RK4
        >>> from pdedsl.runtime import ExplicitRungeKutta, TimeGrid
        >>> y = ExplicitRungeKutta(RK4).integrate(lambda step, t, y: -y, torch.ones(1), TimeGrid(0.0, 1.0, 10))
        >>> round(y.item(), 5)  # exp(-1)
        0.36788
    """

    method: RungeKutta

    def step(self, field: VectorField, j: int, t: float, h: float, y: Tensor) -> Tensor:
        return runge_kutta_step(self.method, lambda c, z: field(j, t + c * h, z), h, y)


def __getattr__(label: str) -> Callable[[], ExplicitRungeKutta]:
    """`Euler()`, `Heun()`, `RK4()`, …: every explicit method by its label."""
    for method in EXPLICIT.values():
        if method.label == label:
            return partial(ExplicitRungeKutta, method)
    raise AttributeError(f"no integrator {label!r}")


@final
@dataclass(frozen=True)
class BackwardEuler(OneStepMethod):
    """y_{n+1} = (I − hf)⁻¹ y ≈ (I + hf + (hf)² + … + (hf)ⁿ) y, f at t_{n+1}, n = terms.

    Powers are compositions, as in PolyNet: y + F(y) + F(F(y)) for two terms and h = 1 ("Towards natural robustness
    against adversarial examples", eq. 15 to 18).

    Args:
        terms: number n of terms after the identity.

    Raises:
        ValueError: if `terms` is less than 1.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import BackwardEuler, TimeGrid
        >>> BackwardEuler(2).integrate(lambda step, t, y: -0.5 * y, torch.ones(1), TimeGrid(0.0, 1.0, 1)).item()
        0.75
    """

    terms: int = 2

    def __post_init__(self) -> None:
        if self.terms < 1:
            raise ValueError(f"the series needs at least one term after the identity, got {self.terms}")

    def step(self, field: VectorField, j: int, t: float, h: float, y: Tensor) -> Tensor:
        total, power = y, y
        for _ in range(self.terms):
            power = h * field(j, t + h, power)
            total = total + power
        return total


# ---- Steps along the characteristics X' = v(X, t): residual blocks (Wang, Tao, Bao, Shi, section 2)
#
# The state moves along +v. Time runs forwards for terminal data, u_t + v·∇u = 0, and backwards for initial data,
# u_t = v·∇u, where the first layer uses v at the final time.


VelocityField = Callable[..., Tensor]
"""v(x) or, where a time is given, v(x, t) with t a float."""


def characteristic_step(
    method: RungeKutta, field: VelocityField, x: Tensor, dt: float, t: float | None = None, direction: float = 1.0
) -> Tensor:
    """A step of length Δt along X' = v(X, t); the times of its stages are t ± c Δt."""
    return runge_kutta_step(method, lambda c, y: _at(field, y, None if t is None else t + direction * c * dt), dt, x)


def _at(field: VelocityField, x: Tensor, t: float | None) -> Tensor:
    return field(x) if t is None else field(x, t)


class ResidualBlock(nn.Module):
    """x + Δt·f(x), or x + Δt·f(x, t) with the time of this layer: forward Euler, the residual block of ResNet."""

    def __init__(self, field: VelocityField, dt: float = 1.0, t: float | None = None) -> None:
        super().__init__()
        self.field, self.dt, self.t = field, dt, t

    def forward(self, x: Tensor) -> Tensor:
        velocity = _at(self.field, x, self.t)
        # ResNet's own Δt = 1 needs no multiplication.
        return x + velocity if self.dt == 1.0 else x + self.dt * velocity

    def extra_repr(self) -> str:
        return f"dt={self.dt:g}" if self.t is None else f"dt={self.dt:g}, t={self.t:g}"
