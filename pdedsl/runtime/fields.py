"""Right-hand sides of evolution equations on the image plane.

A layer is a module `layer(t, y)`, as in torchdiffeq. A field is `field(step, t, y)`: on step j the weights are
θ(t_j), held constant over the step, while t runs through it. `t` is a number, or one number per sample where each
has its own clock.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import final

from torch import Tensor, nn

Time = float | Tensor
VectorField = Callable[[int, Time, Tensor], Tensor]


class Field(nn.Module, ABC):
    """A learned vector field, made of layers."""

    @abstractmethod
    def layer(self, step: int) -> nn.Module:
        """The layer whose weights hold on that step."""

    def forward(self, step: int, t: Time, y: Tensor) -> Tensor:
        value: Tensor = self.layer(step)(t, y)
        return value


@final
class Stationary(Field):
    """θ(t) = θ: one layer for all steps, which may still read t."""

    def __init__(self, layer: nn.Module):
        super().__init__()
        self.only = layer

    def layer(self, step: int) -> nn.Module:
        return self.only


@final
class PerStep(Field):
    """θ(t) piecewise constant: a layer of its own for every step (Ruthotto, Haber 2018, eq. 3)."""

    def __init__(self, layers: Sequence[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def layer(self, step: int) -> nn.Module:
        return self.layers[step]

    @classmethod
    def of(cls, make: Callable[[], nn.Module], steps: int, same_start: bool = False) -> PerStep:
        """`steps` layers, drawn independently; with same_start all begin as copies of one, as in Meganet."""
        if not same_start:
            return cls([make() for _ in range(steps)])
        first = make()
        return cls([first, *(copy.deepcopy(first) for _ in range(steps - 1))])
