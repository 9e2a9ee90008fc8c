"""The blocks of Ruthotto and Haber by hand, as the runtime builds them from its parts."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from pdedsl.runtime.image_fields import PerStep
from pdedsl.runtime.linear_operators import Conv
from pdedsl.runtime.ode.explicit import Integrator, Leapfrog, Steps
from pdedsl.runtime.pde_blocks import Block, Halves, Propagation, SecondOrder
from pdedsl.runtime.symmetric_layer import SymmetricLayer, TotalVariationNorm


def symmetric_layer(channels: int, sign: float = -1.0, eps: float = 1e-3) -> SymmetricLayer:
    """The layer of all experiments of Ruthotto, Haber: conv(3), total-variation norm, relu; 9f² + 2f parameters."""
    return SymmetricLayer(Conv(channels), "relu", TotalVariationNorm(channels, eps), sign)


def parabolic_block(width: int, integrator: Integrator, steps: Steps) -> Block:
    """Y′ = F_sym(θ(t), Y) (Ruthotto, Haber, eq. 8)."""
    return Propagation(own_weights(lambda: symmetric_layer(width), steps), integrator, steps)


def hamiltonian_block(width: int, steps: Steps) -> Block:
    """Y′ = F_sym(θ₁, Z), Z′ = −F_sym(θ₂, Y): the signs of Ruthotto, Haber, eq. 10, and of Meganet, on halves of the
    channels."""
    f = own_weights(lambda: symmetric_layer(width // 2), steps)
    g = own_weights(lambda: symmetric_layer(width // 2, sign=1.0), steps)
    return Halves(f, g, steps)


def second_order_block(width: int, steps: Steps, method: Leapfrog | None = None) -> Block:
    """Y″ = F_sym(θ(t), Y) (Ruthotto, Haber, eq. 11)."""
    return SecondOrder(own_weights(lambda: symmetric_layer(width), steps), steps, method)


def own_weights(make: Callable[[], nn.Module], steps: Steps) -> PerStep:
    return PerStep.of(make, steps.count)
