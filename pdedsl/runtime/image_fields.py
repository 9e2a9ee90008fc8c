"""Right-hand sides of evolution equations on the image plane.

A layer is a module `layer(t, y)`, as in torchdiffeq. A field is `field(step, t, y)`: on step j the weights are θ(t_j),
constant over the step, while t varies. `t` is a number, or one number per sample.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import cast, final

import torch
from torch import Tensor, nn

Time = float | Tensor
VectorField = Callable[[int, Time, Tensor], Tensor]


class LearnedField(nn.Module, ABC):
    """A learned vector field, made of layers."""

    @abstractmethod
    def layer(self, step: int) -> nn.Module:
        """The layer whose weights hold on this step."""

    def parts(self) -> Sequence[LearnedField]:
        """The fields that this one is made of: by default itself."""
        return (self,)

    def forward(self, step: int, t: Time, y: Tensor) -> Tensor:
        value: Tensor = self.layer(step)(t, y)
        return value


@final
class SharedLayer(LearnedField):
    """θ(t) = θ: one layer for all steps, which may still read t.

    Args:
        layer: module from (t, y) to the shape of y.

    Shape:
        (step, t, y) with a time t, a number or (n,), and y (n, channels, h, w), to the shape of y.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import ConvNet, SharedLayer
        >>> field = SharedLayer(ConvNet(4, 1))
        >>> field.layer(0) is field.layer(1)
        True
    """

    def __init__(self, layer: nn.Module):
        super().__init__()
        self.only = layer

    def layer(self, step: int) -> nn.Module:
        return self.only


@final
class LayerPerStep(LearnedField):
    """θ(t) piecewise constant: a separate layer for every step (Ruthotto, Haber 2018, eq. 3).

    Args:
        layers: one module from (t, y) to the shape of y for each time step.

    Shape:
        (step, t, y) with a time t, a number or (n,), and y (n, channels, h, w), to the shape of y.

    Example:
        >>> from pdedsl.runtime import ConvNet, LayerPerStep
        >>> field = LayerPerStep.create(lambda: ConvNet(4, 1), steps=3)
        >>> field.layer(0) is field.layer(1)
        False
    """

    def __init__(self, layers: Sequence[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def layer(self, step: int) -> nn.Module:
        return self.layers[step]

    @classmethod
    def create(cls, make: Callable[[], nn.Module], steps: int, identical_initialization: bool = False) -> LayerPerStep:
        """`steps` layers, drawn independently; with identical_initialization all are copies of one, as in Meganet."""
        if not identical_initialization:
            return cls([make() for _ in range(steps)])
        first = make()
        return cls([first, *(copy.deepcopy(first) for _ in range(steps - 1))])


@final
class ScaledLayer(nn.Module):
    """c f(t, y)."""

    def __init__(self, layer: nn.Module, factor: float):
        super().__init__()
        self.of = layer
        self.factor = factor

    def forward(self, t: Time, y: Tensor) -> Tensor:
        value: Tensor = self.factor * self.of(t, y)
        return value


@final
class SumLayer(nn.Module):
    """Σ f(t, y) + c y, the layers of a sum on one step."""

    def __init__(self, layers: Sequence[nn.Module], reaction: float):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.reaction = reaction

    def forward(self, t: Time, y: Tensor) -> Tensor:
        total = self.reaction * y
        for layer in self.layers:
            total = total + layer(t, y)
        return total


@final
class SumField(LearnedField):
    """Σ f(step, t, y) + c y: fields, each with its own weights in time, and a linear reaction."""

    def __init__(self, *fields: LearnedField, reaction: float = 0.0):
        super().__init__()
        self.fields = nn.ModuleList(fields)
        self.reaction = reaction

    def parts(self) -> Sequence[LearnedField]:
        return tuple(cast(LearnedField, field) for field in self.fields)

    def layer(self, step: int) -> SumLayer:
        return SumLayer([field.layer(step) for field in self.parts()], self.reaction)


@final
class CoupledLayer(nn.Module):
    """[Y, Z] ↦ [f(t, Z), g(t, Y)] on halves of the channels; without f, [Z, g(t, Y)]."""

    def __init__(self, f: nn.Module | None, g: nn.Module):
        super().__init__()
        self.f, self.g = f, g

    def forward(self, t: Time, state: Tensor) -> Tensor:
        y, z = state.chunk(2, dim=1)
        return torch.cat([z if self.f is None else self.f(t, z), self.g(t, y)], dim=1)


@final
class CoupledField(LearnedField):
    """A separable pair Y′ = f(Z), Z′ = g(Y) as one equation for [Y, Z]; without f, Y″ = g(Y) as Y′ = Z, Z′ = g(Y)."""

    def __init__(self, f: LearnedField | None, g: LearnedField):
        super().__init__()
        self.f, self.g = f, g

    def parts(self) -> Sequence[LearnedField]:
        return (*(self.f.parts() if self.f else ()), *self.g.parts())

    def layer(self, step: int) -> CoupledLayer:
        return CoupledLayer(self.f.layer(step) if self.f else None, self.g.layer(step))


def terms_of(layer: nn.Module | None) -> tuple[tuple[float, nn.Module | None], ...]:
    """A layer as a sum of multiples of layers; None stands for the identity."""
    match layer:
        case SumLayer(layers=layers, reaction=reaction):
            return (reaction, None), *(term for inner in layers for term in terms_of(inner))
        case ScaledLayer(of=of, factor=factor):
            return tuple((factor * c, term) for c, term in terms_of(of))
        case _:
            return ((1.0, layer),)
