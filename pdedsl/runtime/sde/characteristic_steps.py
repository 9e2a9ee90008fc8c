"""Steps along the characteristics X' = v(X, t) in R^d: any integrator; with noise, the Euler-Maruyama scheme or the
stochastic Heun method of `euler_maruyama.py`. One field serves all steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, cast

from torch import Tensor, nn

from pdedsl.numerics.butcher import EXPLICIT, HEUN
from pdedsl.runtime.image_fields import Time
from pdedsl.runtime.ode.adaptive import AdaptiveSolver
from pdedsl.runtime.ode.explicit import Integrator, TimeGrid, VelocityField, characteristic_step
from pdedsl.runtime.sde.euler_maruyama import noisy_residual_step, stochastic_heun_step


def uniform_times(start: float, step: float, count: int) -> tuple[float, ...]:
    """start + k·step for k < count."""
    return tuple(start + k * step for k in range(count))


class AdditiveNoise(Protocol):
    """Noise that is added to the state: x + increment(x)."""

    def increment(self, x: Tensor) -> Tensor: ...


class CharacteristicSteps(nn.Module):
    """x ← x + Δt·v(x, t_k) + noise, for each t_k; points keep their shape.

    `direction` is the sign of the time increments: -1 for initial data, since the first layer is at the final time.
    `noise(t)` creates the noise of a step. Its size is evaluated at x before the step (Euler-Maruyama) and, in the Heun
    scheme, at the midpoint of the step in time: weak order 2 if the noise does not depend on x, otherwise 1.
    `velocity_noise(t)` creates a module that acts on the velocity of a step, such as dropout. A scheme may be an
    integrator of feature maps, for which each point is a sample: if it is adaptive, every point has its own time and
    step size, and `evaluations` counts the calls of the field.

    Args:
        field: velocity v(x, t), from points (…, d) and a time to (…, d).
        times: times t_k at which the steps start.
        dt: step size Δt.
        scheme: name of an explicit Runge-Kutta method, or an integrator.
        direction: sign of the time increments, 1 or -1.
        noise: makes the noise of a step from its time; None for none.
        velocity_noise: makes the module that acts on the velocity of a step; None for none.

    Shape:
        points (…, d) to the same shape.

    Raises:
        ValueError: if an integrator that is not an explicit Runge-Kutta method by name is combined with noise.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import CharacteristicSteps
        >>> steps = CharacteristicSteps(lambda x, t: -x, (0.0, 0.5), 0.5)
        >>> steps(torch.ones(1, 2)).tolist()  # (1 − ½)²
        [[0.25, 0.25]]
    """

    def __init__(
        self,
        field: VelocityField,
        times: Sequence[float],
        dt: float,
        scheme: str | Integrator = "euler",
        direction: float = 1.0,
        noise: Callable[[float], nn.Module] | None = None,
        velocity_noise: Callable[[float], nn.Module] | None = None,
    ) -> None:
        super().__init__()
        self.field, self.times, self.dt, self.scheme, self.direction = field, tuple(times), dt, scheme, direction
        self.integrator = scheme if isinstance(scheme, Integrator) else None
        self.evaluations: int | None = None
        self.evaluations_per_sample: tuple[int, ...] | None = None
        midpoint = 0.5 * direction * dt if scheme == HEUN.name else 0.0
        self.noise = nn.ModuleList(noise(t + midpoint) for t in self.times) if noise else None
        self.inside = nn.ModuleList(velocity_noise(t) for t in self.times) if velocity_noise else None
        if self.integrator and (noise or velocity_noise):
            raise ValueError(f"{scheme} cannot be combined with noise: use the scheme euler or heun")

    def forward(self, x: Tensor) -> Tensor:
        if self.integrator is not None:
            return self._integrate(self.integrator, x.reshape(-1, x.shape[-1])).reshape(x.shape)
        method = EXPLICIT[cast(str, self.scheme)]
        for k, t in enumerate(self.times):
            velocity = self._velocity(k)
            if self.noise is None:
                x = characteristic_step(method, velocity, x, self.dt, t, self.direction)
            elif method is HEUN:
                increment = cast(AdditiveNoise, self.noise[k]).increment(x)
                x = stochastic_heun_step(self.field, increment, x, self.dt, t, t + self.direction * self.dt)
            else:
                x = noisy_residual_step(method, velocity, self.noise[k], x, self.dt, t, self.direction)
        return x

    def _integrate(self, method: Integrator, x: Tensor) -> Tensor:
        """X(Δt·n) of X'(s) = v(X, t₀ ± s), X(0) = x."""
        steps = TimeGrid(0.0, len(self.times) * self.dt, len(self.times))
        right_hand_side = _VelocityInStepTime(self.field, self.times[0], self.direction)
        if not isinstance(method, AdaptiveSolver):
            return method.integrate(right_hand_side, x, steps)
        solution = method.solve(right_hand_side, x, steps)
        self.evaluations, self.evaluations_per_sample = solution.evaluations, solution.per_sample
        return solution.state

    def _velocity(self, k: int) -> VelocityField:
        if self.inside is None:
            return self.field
        randomize = self.inside[k]
        return lambda x, t: cast(Tensor, randomize(self.field(x, t)))

    def extra_repr(self) -> str:
        return f"steps={len(self.times)}, dt={self.dt:g}, scheme={self.integrator or self.scheme!r}"


class _VelocityInStepTime(nn.Module):
    """v(x, t₀ ± s) as the field(step, s, x) of an integrator; a module, so that an adjoint finds the parameters."""

    def __init__(self, field: VelocityField, start: float, direction: float) -> None:
        super().__init__()
        self.field, self.start, self.direction = field, start, direction

    def forward(self, step: int, s: Time, x: Tensor) -> Tensor:
        t = self.start + self.direction * s
        return self.field(x, t.expand(x.shape[0]) if isinstance(t, Tensor) else t)
