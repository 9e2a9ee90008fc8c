"""PDE blocks of an image network: an equation, an integrator and its steps, from feature map to feature map."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import final

import torch
from torch import Tensor, nn

from pdedsl.runtime.image_fields import CoupledField, LearnedField
from pdedsl.runtime.ode.adaptive import AdaptiveSolver
from pdedsl.runtime.ode.explicit import Integrator, TimeGrid
from pdedsl.runtime.ode.reversible import Reversible
from pdedsl.runtime.ode.symplectic import Leapfrog, StatePair, Verlet

BlockStates = tuple[Tensor, ...]


class PdeBlock(nn.Module, ABC):
    """Feature map in, feature map of the same shape out."""

    steps: TimeGrid

    @abstractmethod
    def last_states(self, y: Tensor) -> BlockStates:
        """The final states of the block: its output, then the others that the inverse needs."""

    @abstractmethod
    def inverse(self, *states: Tensor) -> Tensor:
        """The input that leads to these final states; an error if the block is not invertible."""

    @abstractmethod
    def right_hand_sides(self) -> Sequence[LearnedField]:
        """The learned fields, for the regularisation of their weights in time."""


class IntegratedBlock(PdeBlock):
    """A block by a method without an inverse; if it is adaptive, `evaluations` counts the calls of the field."""

    def __init__(self, field: LearnedField, integrator: Integrator, steps: TimeGrid):
        super().__init__()
        self.field = field
        self.integrator = integrator
        self.steps = steps
        self.evaluations: int | None = None
        self.evaluations_per_sample: tuple[int, ...] | None = None

    def forward(self, y: Tensor) -> Tensor:
        return self.last_states(y)[0]

    def inverse(self, *states: Tensor) -> Tensor:
        """Raises an error: y + h f(y) = z has no explicit inverse, and need not have a unique solution."""
        name = type(self.integrator).__name__
        raise ValueError(
            f"steps of {name} cannot be undone exactly; use a pair by verlet or second order in time by leapfrog"
        )

    def right_hand_sides(self) -> Sequence[LearnedField]:
        return self.field.parts()

    def integrate(self, y: Tensor) -> Tensor:
        """The state at the end of time."""
        if not isinstance(self.integrator, AdaptiveSolver):
            return self.integrator.integrate(self.field, y, self.steps)
        solution = self.integrator.solve(self.field, y, self.steps)
        self.evaluations, self.evaluations_per_sample = solution.evaluations, solution.per_sample
        return solution.state


@final
class FirstOrderBlock(IntegratedBlock):
    """Y(t₀) ↦ Y(t₁) for Y′ = field (Ruthotto, Haber, eq. 5).

    Args:
        field: right-hand side, such as `SharedLayer` or `LayerPerStep`.
        integrator: time integrator.
        steps: time steps.

    Shape:
        y (n, channels, h, w) to the same shape.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import BackwardEuler, ConvNet, FirstOrderBlock, LayerPerStep, TimeGrid
        >>> field = LayerPerStep.create(lambda: ConvNet(4, 1), 3)
        >>> FirstOrderBlock(field, BackwardEuler(), TimeGrid(0.0, 1.0, 3))(torch.zeros(2, 4, 8, 8)).shape
        torch.Size([2, 4, 8, 8])
    """

    def last_states(self, y: Tensor) -> BlockStates:
        return (self.integrate(y),)


@final
class SecondOrderBlock(IntegratedBlock):
    """Y″ = g, Y′(0) = 0, as the system [Y, V]′ = [V, g(Y)], whose states are (Y, V).

    Args:
        g: right-hand side of Y″ = g(Y), such as `SharedLayer` or `LayerPerStep`.
        integrator: time integrator of the first-order system.
        steps: time steps.

    Shape:
        y (n, channels, h, w) to the same shape.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import AdaptiveRungeKutta, ConvNet, SecondOrderBlock, SharedLayer, TimeGrid
        >>> block = SecondOrderBlock(SharedLayer(ConvNet(4, 1)), AdaptiveRungeKutta(), TimeGrid(0.0, 1.0, 1))
        >>> block(torch.zeros(2, 4, 8, 8)).shape
        torch.Size([2, 4, 8, 8])
    """

    def __init__(self, g: LearnedField, integrator: Integrator, steps: TimeGrid):
        super().__init__(CoupledField(None, g), integrator, steps)

    def last_states(self, y: Tensor) -> BlockStates:
        return _split_channels(self.integrate(torch.cat([y, torch.zeros_like(y)], dim=1)))


@final
class VerletBlock(PdeBlock):
    """The channels in two halves (Y, Z), coupled by Verlet: Y′ = f(Z), Z′ = g(Y) (Ruthotto, Haber, eq. 10; RevNet).

    Args:
        f: field of the first half, applied to the second.
        g: field of the second half, applied to the first.
        steps: time steps.
        method: None for `Verlet()`.
        store: keep the intermediate states for the backward pass instead of recomputing them.

    Shape:
        y (n, channels, h, w), an even number of channels, to the same shape.

    Raises:
        ValueError: by a call, if the number of channels is odd.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import ConvNet, SharedLayer, TimeGrid, VerletBlock
        >>> block = VerletBlock(SharedLayer(ConvNet(2, 1)), SharedLayer(ConvNet(2, 1)), TimeGrid(0.0, 1.0, 2))
        >>> y = torch.randn(1, 4, 8, 8)
        >>> bool(torch.allclose(block.inverse(block(y)), y, atol=1e-4))
        True
    """

    def __init__(
        self, f: LearnedField, g: LearnedField, steps: TimeGrid, method: Verlet | None = None, store: bool = False
    ):
        super().__init__()
        self.steps = steps
        self.chain = Reversible((f, g), method or Verlet(), steps, store)

    def forward(self, y: Tensor) -> Tensor:
        return torch.cat(self.chain(*_split_channels(y)), dim=1)

    def last_states(self, y: Tensor) -> BlockStates:
        return (self(y),)

    def inverse(self, *states: Tensor) -> Tensor:
        """The input that leads to the output y; y alone is enough."""
        (y,) = states
        return torch.cat(self.chain.inverse(*_split_channels(y)), dim=1)

    def right_hand_sides(self) -> Sequence[LearnedField]:
        return tuple(part for field in self.chain.fields for part in field.parts())


@final
class LeapfrogBlock(PdeBlock):
    """Y″ = field, Y′(0) = 0, by leapfrog (Ruthotto, Haber, eq. 11). Running backwards needs two states, which
    `last_states` gives.

    Args:
        field: right-hand side of Y″ = field(Y).
        steps: time steps.
        method: None for `Leapfrog()`.
        store: keep the intermediate states for the backward pass instead of recomputing them.

    Shape:
        y (n, channels, h, w) to the same shape.

    Raises:
        ValueError: by `inverse`, unless it is given both final states.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import ConvNet, LeapfrogBlock, SharedLayer, TimeGrid
        >>> block = LeapfrogBlock(SharedLayer(ConvNet(4, 1)), TimeGrid(0.0, 1.0, 2))
        >>> y = torch.randn(1, 4, 8, 8)
        >>> bool(torch.allclose(block.inverse(*block.last_states(y)), y, atol=1e-4))
        True
    """

    def __init__(self, field: LearnedField, steps: TimeGrid, method: Leapfrog | None = None, store: bool = False):
        super().__init__()
        self.steps = steps
        self.chain = Reversible((field,), method or Leapfrog(), steps, store)

    def forward(self, y: Tensor) -> Tensor:
        return self.last_states(y)[0]

    def last_states(self, y: Tensor) -> BlockStates:
        """(Y_N, Y_N − Y_{N−1}): the difference, because it keeps more digits than Y_{N−1} would."""
        pair: StatePair = self.chain(*Leapfrog.zero_velocity(y))
        return pair

    def inverse(self, *states: Tensor) -> Tensor:
        """Y₀ from both final states: Y_N alone does not determine where it came from."""
        if len(states) != 2:
            raise ValueError("the inverse of a second-order block needs two states: those of last_states")
        return self.chain.inverse(*states)[0]

    def right_hand_sides(self) -> Sequence[LearnedField]:
        return tuple(part for field in self.chain.fields for part in field.parts())


def _split_channels(y: Tensor) -> StatePair:
    if y.shape[1] % 2:
        raise ValueError(f"{y.shape[1]} channels cannot be split into two halves")
    first, second = y.chunk(2, dim=1)
    return first, second
