"""Time integrators with fixed steps: explicit Runge-Kutta methods from their Butcher tableau, truncated backward Euler,
and the reversible splittings Verlet and leapfrog; steps along characteristics and the residual block.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, final

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
#
# One-step methods map y to y. Splittings map a pair to a pair by additive couplings, each of which is exactly
# invertible; the same list of couplings is run forward, backward, and by the reversible execution of reversible.py.


StatePair = tuple[Tensor, Tensor]


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


@final
@dataclass(frozen=True, slots=True)
class AdditiveCoupling:
    """state[target] += scale · fields[field](step, time, state[1 − target]); field None stands for the identity."""

    target: int
    field: int | None
    scale: float
    step: int
    time: float

    def increment(self, fields: Sequence[VectorField], source: Tensor) -> Tensor:
        return source if self.field is None else fields[self.field](self.step, self.time, source)


class SplittingMethod(ABC):
    """A method made of couplings; each adds a function of one half of the state to the other: invertible."""

    @abstractmethod
    def couplings(self, steps: TimeGrid) -> tuple[AdditiveCoupling, ...]:
        """The additive couplings, in order."""

    def integrate(self, fields: Sequence[VectorField], state: StatePair, steps: TimeGrid) -> StatePair:
        for coupling in self.couplings(steps):
            state = _couple(coupling, fields, state, coupling.scale)
        return state

    def inverse(self, fields: Sequence[VectorField], state: StatePair, steps: TimeGrid) -> StatePair:
        """The state that `integrate` maps to this one: the same couplings, subtracted in reverse order."""
        for coupling in reversed(self.couplings(steps)):
            state = _couple(coupling, fields, state, -coupling.scale)
        return state


@final
@dataclass(frozen=True)
class Verlet(SplittingMethod):
    """Y_{j+1} = Y_j + h f(t_j, Z_j); Z_{j+1} = Z_j + h g(t_j, Y_{j+1}), fields (f, g) (Ruthotto, Haber, eq. 10).

    The equation decides the signs. It is symplectic Euler: order 1, with bounded energy error for a Hamiltonian system.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import TimeGrid, Verlet
        >>> f, g = lambda step, t, z: z, lambda step, t, y: -y  # a harmonic oscillator
        >>> start, grid = (torch.ones(1), torch.zeros(1)), TimeGrid(0.0, 1.0, 10)
        >>> end = Verlet().integrate((f, g), start, grid)
        >>> [round(half.item(), 6) + 0.0 for half in Verlet().inverse((f, g), end, grid)]
        [1.0, 0.0]
    """

    def couplings(self, steps: TimeGrid) -> tuple[AdditiveCoupling, ...]:
        pairs = (
            (AdditiveCoupling(0, 0, steps.h, j, steps.time(j)), AdditiveCoupling(1, 1, steps.h, j, steps.time(j)))
            for j in range(steps.count)
        )
        return tuple(coupling for pair in pairs for coupling in pair)


FIRST_STEP_COEFFICIENT = {"consistent": 0.5, "paper": 1.0}  # coefficient of h²F in the first step of leapfrog


@final
@dataclass(frozen=True)
class Leapfrog(SplittingMethod):
    """Y_{j+1} = 2Y_j − Y_{j−1} + h² F(t_j, Y_j) for Y″ = F, Y′(0) = 0 (Ruthotto, Haber, after eq. 11).

    The state is (Y_j, D_j) with D_j = Y_j − Y_{j−1}: D += h²F(Y), then Y += D, which is the same recursion with less
    round-off (Hairer, Lubich, Wanner 2006, I.1.4). The consistent start Y₁ = Y₀ + ½h²F(Y₀) has order 2; their
    Y₋₁ = Y₀, that is Y₁ = Y₀ + h²F(Y₀), has order 1.

    Args:
        start: first step, "consistent" (order 2) or "paper" (order 1).

    Example:
        >>> import math
        >>> import torch
        >>> from pdedsl.runtime import Leapfrog, TimeGrid
        >>> state = Leapfrog.zero_velocity(torch.ones(1))  # Y″ = −Y with Y = cos t
        >>> y, _ = Leapfrog().integrate((lambda step, t, y: -y,), state, TimeGrid(0.0, 1.0, 100))
        >>> abs(y.item() - math.cos(1.0)) < 1e-4
        True
    """

    start: Literal["consistent", "paper"] = "consistent"

    def couplings(self, steps: TimeGrid) -> tuple[AdditiveCoupling, ...]:
        pairs = (
            (
                AdditiveCoupling(1, 0, self._weight(j) * steps.h**2, j, steps.time(j)),
                AdditiveCoupling(0, None, 1.0, j, steps.time(j)),
            )
            for j in range(steps.count)
        )
        return tuple(coupling for pair in pairs for coupling in pair)

    def _weight(self, step: int) -> float:
        return FIRST_STEP_COEFFICIENT[self.start] if step == 0 else 1.0

    @staticmethod
    def zero_velocity(y: Tensor) -> StatePair:
        """(Y₀, 0): the state for Y′(0) = 0."""
        return y, torch.zeros_like(y)


def _couple(coupling: AdditiveCoupling, fields: Sequence[VectorField], state: StatePair, scale: float) -> StatePair:
    y, z = state
    if coupling.target == 0:
        return torch.add(y, coupling.increment(fields, z), alpha=scale), z
    return y, torch.add(z, coupling.increment(fields, y), alpha=scale)


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
