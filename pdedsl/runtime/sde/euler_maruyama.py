"""Steps of dX = v(X, t) dt + Σ dB: the Euler-Maruyama scheme and the stochastic Heun method.

Euler-Maruyama  X + Δt·v(X, t) + Σ(X, t)·ΔB, of weak order 1 (Kloeden, Platen 1992, section 14.1)
Heun            X + ½Δt·(v(X, t) + v(X*, t′)) + Σ·ΔB, with X* the Euler-Maruyama step for the same ΔB and t′ the end of
                the step: of weak order 2 if Σ does not depend on X (section 15.1 there), otherwise of order 1
"""

from __future__ import annotations

from typing import cast

from torch import Tensor, nn

from pdedsl.numerics.butcher import RungeKutta
from pdedsl.runtime.ode.explicit import VelocityField, characteristic_step
from pdedsl.runtime.sde.noise import CorrelatedNoise, ScaledNoise


def euler_maruyama_step(velocity: VelocityField, increment: Tensor, x: Tensor, dt: float, t: float) -> Tensor:
    """x + Δt·v(x, t) + increment."""
    return x + dt * velocity(x, t) + increment


def stochastic_heun_step(
    velocity: VelocityField, increment: Tensor, x: Tensor, dt: float, t: float, end: float
) -> Tensor:
    """x + ½Δt·(v(x, t) + v(x*, end)) + increment, with x* the Euler-Maruyama step for the same increment."""
    drift = velocity(x, t)
    end_drift = velocity(x + dt * drift + increment, end)
    return x + 0.5 * dt * (drift + end_drift) + increment


def noisy_residual_step(
    method: RungeKutta, velocity: VelocityField, noise: nn.Module, x: Tensor, dt: float, t: float, direction: float
) -> Tensor:
    """The Euler-Maruyama step of a network: a residual block by `method`, here Euler, followed by a noise module.

    Noise whose size depends on the state is evaluated at x before the step.
    """
    drifted = characteristic_step(method, velocity, x, dt, t, direction)
    depends_on_state = isinstance(noise, ScaledNoise | CorrelatedNoise)
    return cast(Tensor, noise(drifted, x) if depends_on_state else noise(drifted))
