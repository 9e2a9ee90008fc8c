"""Operators under test: the evolution operator f ↦ T f, and networks as operators on functions of their features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, cast

import torch
from torch import Tensor, nn

from pdedsl.compiler import Compilation
from pdedsl.config.methods import Direction
from pdedsl.runtime.rng import frozen_noise
from pdedsl.runtime.sde.feynman_kac import Estimate, EvolutionOperator, Expectation
from pdedsl.testing.model import ModelUnderTest, seeded, under_test

__all__ = [
    "Data",
    "EvolutionUnderTest",
    "NetworkAsOperator",
    "SolutionOperator",
    "block_of",
    "evolution_of",
    "operator_of",
    "seeded",
]

Data = Callable[[Tensor], Tensor]
NETWORK_SAMPLES = 2  # of a network under test
DATA_BOUND = 64.0  # on |f| for a network as operator
OPERATOR_SAMPLES = 64  # Monte Carlo paths of an operator under test
DEFAULT_DIMENSION = 5  # for a symbolic dimension


class SolutionOperator(Protocol):
    """T maps data f to the solution at points x and time t; `between` starts at a later time."""

    @property
    def dimension(self) -> int: ...

    @property
    def start(self) -> float: ...

    @property
    def end(self) -> float: ...

    def __call__(self, f: Data, x: Tensor, t: float) -> Tensor: ...

    def between(self, f: Data, x: Tensor, a: float, b: float) -> Tensor: ...

    def estimate(self, f: Data, x: Tensor, a: float, b: float) -> Estimate: ...


@dataclass(frozen=True)
class EvolutionUnderTest:
    """The evolution operator on R^d."""

    evolution: EvolutionOperator
    dimension: int
    start: float
    end: float

    def __call__(self, f: Data, x: Tensor, t: float) -> Tensor:
        """The solution after evolving for the time t - start, in the direction of its data."""
        return self.between(f, x, self.start, t)

    def between(self, f: Data, x: Tensor, a: float, b: float) -> Tensor:
        if b <= a:
            return f(x)
        part, at = self._part(a, b)
        return cast(Tensor, part(f, x, at))

    def estimate(self, f: Data, x: Tensor, a: float, b: float) -> Estimate:
        part, at = self._part(a, b)
        return part.estimate(f, x, at)

    def _part(self, a: float, b: float) -> tuple[EvolutionOperator, float]:
        """The operator from time a to time b; with terminal data, times are counted from the end."""
        whole = self.evolution
        initial = whole.form is Direction.INITIAL
        low, high = (a, b) if initial else (self.start + self.end - b, self.start + self.end - a)
        return whole.between(low, high), high if initial else low


@dataclass(frozen=True)
class NetworkAsOperator:
    """A network as an operator on functions of its features.

    The last linear map of each member is its readout W. It is replaced by logits of two classes with probabilities
    ½ ± f/2s, so that T f is the network's average over members and noise samples. |f| must be below s = BOUND.
    """

    model: nn.Module
    shape: tuple[int, ...]
    dimension: int
    start: float = 0.0
    end: float = 1.0

    def __call__(self, f: Data, x: Tensor, t: float) -> Tensor:
        def scores(_: nn.Module, args: tuple[Tensor, ...], __: Tensor) -> Tensor:
            ratio = f(args[0]) / DATA_BOUND
            return torch.stack([torch.log((1 + ratio) / 2), torch.log((1 - ratio) / 2)], -1)

        hooks = [readout.register_forward_hook(scores) for readout in self._readouts()]
        try:
            with frozen_noise(self.model):
                first, second = self.model(x).softmax(-1).unbind(-1)
        finally:
            for hook in hooks:
                hook.remove()
        return cast(Tensor, DATA_BOUND * (first - second))

    def _readouts(self) -> list[nn.Linear]:
        ensemble = getattr(self.model, "members", None)
        members = list(ensemble) if isinstance(ensemble, nn.ModuleList) else [self.model]
        return [[m for m in member.modules() if isinstance(m, nn.Linear)][-1] for member in members]


def operator_of(model: Compilation | ModelUnderTest, weights: int) -> EvolutionUnderTest | NetworkAsOperator:
    """The operator under test, with learned fields from a seed."""
    tested = under_test(model)
    spec = tested.expected.spec
    assert spec.time is not None
    start, end = float(spec.time.start), float(spec.time.end)
    if tested.operator_plan is not None:
        return evolution_of(tested, tested.operator(weights, samples=OPERATOR_SAMPLES))
    made = tested.model(weights)
    if isinstance(made, Expectation):
        made.samples = min(made.samples, NETWORK_SAMPLES)
    readout = [m for m in made.modules() if isinstance(m, nn.Linear)][-1]
    shape = spec.space.image or (int(str(spec.space.dimension)),)
    return NetworkAsOperator(made, shape, readout.in_features, start, end)


def evolution_of(model: ModelUnderTest, operator: nn.Module) -> EvolutionUnderTest:
    spec = model.expected.spec
    assert isinstance(operator, EvolutionOperator)
    assert spec.time is not None
    dimension = spec.space.dimension if isinstance(spec.space.dimension, int) else DEFAULT_DIMENSION
    return EvolutionUnderTest(operator, dimension, float(spec.time.start), float(spec.time.end))


def block_of(model: Compilation | ModelUnderTest, weights: int, width: int = 4) -> nn.Module:
    """The block of an equation on feature maps at a small width, in float64."""
    return under_test(model).block(weights, width)
