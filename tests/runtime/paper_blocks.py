"""The blocks of Ruthotto and Haber by hand, as the runtime builds them from its parts."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from pdedsl.runtime.image_fields import LayerPerStep
from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.runtime.ode.explicit import Integrator, TimeGrid
from pdedsl.runtime.ode.symplectic import Leapfrog
from pdedsl.runtime.pde_blocks import FirstOrderBlock, LeapfrogBlock, PdeBlock, VerletBlock
from pdedsl.runtime.symmetric_layer import SymmetricLayer, TotalVariationNorm


def symmetric_layer(channels: int, sign: float = -1.0, eps: float = 1e-3) -> SymmetricLayer:
    """The layer of all experiments of Ruthotto, Haber: conv(3), total-variation norm, relu; 9f² + 2f parameters."""
    return SymmetricLayer(ConvOperator(channels), "relu", TotalVariationNorm(channels, eps), sign)


def parabolic_block(width: int, integrator: Integrator, steps: TimeGrid) -> PdeBlock:
    """Y′ = F_sym(θ(t), Y) (Ruthotto, Haber, eq. 8)."""
    return FirstOrderBlock(own_weights(lambda: symmetric_layer(width), steps), integrator, steps)


def hamiltonian_block(width: int, steps: TimeGrid) -> PdeBlock:
    """Y′ = F_sym(θ₁, Z), Z′ = −F_sym(θ₂, Y): the signs of Ruthotto, Haber, eq. 10, and of Meganet, on halves of the
    channels."""
    f = own_weights(lambda: symmetric_layer(width // 2), steps)
    g = own_weights(lambda: symmetric_layer(width // 2, sign=1.0), steps)
    return VerletBlock(f, g, steps)


def second_order_block(width: int, steps: TimeGrid, method: Leapfrog | None = None) -> PdeBlock:
    """Y″ = F_sym(θ(t), Y) (Ruthotto, Haber, eq. 11)."""
    return LeapfrogBlock(own_weights(lambda: symmetric_layer(width), steps), steps, method)


def own_weights(make: Callable[[], nn.Module], steps: TimeGrid) -> LayerPerStep:
    return LayerPerStep.create(make, steps.count)
