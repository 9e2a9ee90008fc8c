"""A network with its derivatives, in one forward pass: streams for u, for ∂^α u, and for second-order operators.

An operator L = Σ aᵢⱼ ∂ᵢ∂ⱼ + Σ bᵢ ∂ᵢ has one stream for all its second derivatives (the forward Laplacian, Li et al.
2024): L σ(z) = σ′ Lz + σ″ Σ aᵢⱼ zᵢ zⱼ. The first layer is affine in the coordinates, or periodic, and its streams are
known. All graphs are of first order: one backward pass gives the gradient by the weights, or that of every row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import pi
from typing import final

import torch
from torch import Tensor, nn
from torch.nn import functional

from pdedsl.runtime.activations import activation
from pdedsl.runtime.fused import affine, bent
from pdedsl.runtime.jet_terms import Orders, Slopes, below, of_any, of_sigmoid, of_sine, of_tanh, terms_of
from pdedsl.runtime.sines import Sides
from pdedsl.runtime.streams import mix

STEEP = 2.0  # scale of the weights of the first layer, relative to the others
SLOPES: dict[str, Slopes] = {"tanh": of_tanh, "sin": of_sine, "sigmoid": of_sigmoid}


@dataclass(frozen=True)
class Wanted:
    """Which derivatives: ∂^α for each of `orders`, and operators, each given by the orders of its parts, one or two."""

    orders: tuple[Orders, ...]
    operators: tuple[tuple[Orders, ...], ...] = ()

    @cached_property
    def first(self) -> tuple[int, ...]:
        """The coordinates along which there is a stream of first derivatives."""
        second = (o for parts in self.operators for o in parts if sum(o) == 2)
        return tuple(sorted({k for o in (*self.orders, *second) for k, n in enumerate(o) if n}))

    @cached_property
    def higher(self) -> tuple[Orders, ...]:
        return tuple(sorted({b for o in self.orders for b in below(o) if sum(b) > 1}, key=lambda b: (sum(b), b)))

    @cached_property
    def most(self) -> int:
        return max([*map(sum, self.orders), *(2 for _ in self.operators), 0])

    @cached_property
    def place(self) -> dict[Orders, int]:
        """The position of the stream of each α."""
        dimension = len((*self.orders, *(o for parts in self.operators for o in parts))[0])
        units = [tuple(int(i == k) for i in range(dimension)) for k in self.first]
        return {o: k for k, o in enumerate(((0,) * dimension, *units, *self.higher))}

    @cached_property
    def pairs(self) -> tuple[tuple[tuple[int, ...], list[int], list[int]], ...]:
        """For each operator: which of its parts are of second order, and the streams of their two directions."""
        return tuple(self._pairs(parts) for parts in self.operators)

    def _pairs(self, parts: tuple[Orders, ...]) -> tuple[tuple[int, ...], list[int], list[int]]:
        own = tuple(k for k, o in enumerate(parts) if sum(o) == 2)
        axes = [[axis for axis, n in enumerate(parts[k]) for _ in range(n)] for k in own]
        stream = {axis: 1 + k for k, axis in enumerate(self.first)}
        return own, [stream[a] for a, _ in axes], [stream[b] for _, b in axes]


@dataclass(frozen=True)
class Layer:
    """The input and output of a layer, streams first: (s, n, width)."""

    entered: Tensor
    left: Tensor


@dataclass(frozen=True)
class Mirror:
    """u(Rx) = ±u(x), with a sign for each output, where R reflects one axis about its middle."""

    axis: int
    signs: tuple[int, ...]


@final
class JetNetwork(nn.Module):
    """x ↦ u(x) ∈ Rᶜ: coordinates scaled to [-1, 1], or as cosine and sine of their period, then layers of equal width.

    With a mirror, u(x) = N(x) ± N(Rx): the layers receive the points followed by their images.
    """

    middle: Tensor
    lengths: Tensor

    def __init__(
        self, sides: Sides, width: int, depth: int, outputs: int, name: str, seed: int, mirror: Mirror | None = None
    ) -> None:
        super().__init__()
        self.name, self.mirror = name, mirror
        self.register_buffer("middle", sides.middle.clone())
        self.register_buffer("lengths", sides.half.clone())
        self.joined = tuple(map(bool, sides.joined.tolist()))
        inputs = sum(2 if j else 1 for j in self.joined)
        sizes = [inputs, *[width] * depth, outputs]
        generator = torch.Generator().manual_seed(seed)
        pairs = list(pairwise(sizes))
        self.weights = nn.ParameterList([_glorot(a, b, generator) for a, b in pairs])
        self.biases = nn.ParameterList([torch.zeros(b, dtype=torch.float64) for _, b in pairs])
        with torch.no_grad():  # steeper than the layers after it, so that its units differ within the box
            self.weights[0].mul_(STEEP)
            self.biases[0].uniform_(-STEEP, STEEP, generator=generator)

    @classmethod
    def on_box(
        cls,
        sides: Sequence[tuple[float, float, bool]],
        *,
        width: int,
        depth: int,
        outputs: int,
        activation: str,
        seed: int = 0,
        mirror: tuple[int, tuple[int, ...]] | None = None,
    ) -> JetNetwork:
        """The untrained network, for coordinates given by start, end, and whether the two ends are joined."""
        ends = torch.tensor([side[:2] for side in sides], dtype=torch.float64)
        joined = torch.tensor([side[2] for side in sides])
        box = Sides(ends.mean(1), (ends[:, 1] - ends[:, 0]) / 2, joined)
        own = None if mirror is None else Mirror(*mirror)
        return cls(box, width, depth, outputs, activation, mix(seed, 9), own)

    def forward(self, points: Tensor) -> Tensor:
        value = self.inputs(self.with_images(points), 0)
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            value = functional.linear(value, weight, bias)
            if k + 1 < len(self.weights):
                value = activation(self.name)(value)
        return self.without_images(value)

    def with_images(self, points: Tensor) -> Tensor:
        """(n, k), or (2n, k) with a mirror: the points, then their images."""
        if self.mirror is None:
            return points
        turned = points.new_ones(points.shape[1])
        turned[self.mirror.axis] = -1
        middle = self.middle.to(points)
        return torch.cat([points, middle + turned * (points - middle)])

    def without_images(self, values: Tensor) -> Tensor:
        """N(x) ± N(Rx) of values (..., 2n, c)."""
        if self.mirror is None:
            return values
        own, images = values.chunk(2, -2)
        return own + images * values.new_tensor(self.mirror.signs)

    def jets(self, points: Tensor, wanted: Wanted, coefficients: tuple[Tensor, ...] = ()) -> tuple[Tensor, list[Layer]]:
        """Streams (s, n, c): u, ∂^α u in the order of `wanted.place`, then the operators, with coefficients (n, parts)
        each; and the inputs and outputs of every layer."""
        points = self.with_images(points)
        if self.mirror is not None:
            coefficients = tuple(torch.cat([c, c]) for c in coefficients)
        entered, layers = self._first(points, wanted, coefficients), list[Layer]()
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            left = affine(entered, weight, bias)
            layers.append(Layer(entered, left))
            if k + 1 < len(self.weights):
                entered = self._bent(left, wanted, coefficients)
        return self.without_images(left), layers

    def _first(self, points: Tensor, wanted: Wanted, coefficients: tuple[Tensor, ...]) -> Tensor:
        streams = [self.inputs(points, 0), *(self._derived(points, o) for o in list(wanted.place)[1:])]
        for parts, factors in zip(wanted.operators, coefficients, strict=True):
            streams.append(sum(factors[:, k, None] * self._derived(points, o) for k, o in enumerate(parts)))  # type: ignore[arg-type]
        return torch.stack(streams)

    def _derived(self, points: Tensor, orders: Orders) -> Tensor:
        """∂^α of the inputs by x: for an image, the sign changes with every derivative along the mirrored axis."""
        found = self._embedded(points, orders)
        if self.mirror is None or orders[self.mirror.axis] % 2 == 0:
            return found
        own, images = found.chunk(2)
        return torch.cat([own, -images])

    @property
    def owners(self) -> Tensor:
        """The coordinate of each input."""
        found = [k for k, joined in enumerate(self.joined) for _ in range(2 if joined else 1)]
        return torch.tensor(found, device=self.middle.device)

    def inputs(self, points: Tensor, order: int) -> Tensor:
        """The inputs of the first layer, at points with their images: each is a function of one coordinate of the
        point, or the derivative of that function."""
        scaled = (points - self.middle) / self.lengths
        columns = [_input(scaled[:, k], order, self.lengths[k], joined) for k, joined in enumerate(self.joined)]
        found = torch.cat(columns, -1)
        if self.mirror is None or order % 2 == 0:
            return found
        own, images = found.chunk(2)
        return torch.cat([own, torch.where(self.owners == self.mirror.axis, -images, images)])

    def _embedded(self, points: Tensor, orders: Orders) -> Tensor:
        """∂^α of the inputs."""
        scaled = (points - self.middle) / self.lengths
        axes = [k for k, order in enumerate(orders) if order]
        out = scaled.new_zeros(len(points), self.weights[0].shape[1])
        if len(axes) == 1:
            (k,) = axes
            start = sum(2 if j else 1 for j in self.joined[:k])
            found = _input(scaled[:, k], orders[k], self.lengths[k], self.joined[k])
            out[:, start : start + found.shape[1]] = found
        return out

    def _bent(self, z: Tensor, wanted: Wanted, coefficients: tuple[Tensor, ...]) -> Tensor:
        slopes_of = SLOPES.get(self.name, of_any(activation(self.name)))
        if not wanted.higher and not any(c.requires_grad for c in coefficients):
            pairs = [(c[:, list(own)], a, b) for c, (own, a, b) in zip(coefficients, wanted.pairs, strict=True)]
            return bent(z, slopes_of, pairs)
        slopes, first = slopes_of(z[0], wanted.most), 1 + len(wanted.first)
        out = [slopes[0][None]]
        if first > 1:
            out.append(slopes[1] * z[1:first])
        out += [_composed(o, z, slopes, wanted)[None] for o in wanted.higher]
        for k, (own, a, b) in enumerate(wanted.pairs):
            stream = slopes[1] * z[len(wanted.place) + k]
            if own:
                squares = torch.einsum("np,pnw->nw", coefficients[k][:, list(own)], z[a] * z[b])
                stream = stream + slopes[2] * squares
            out.append(stream[None])
        return torch.cat(out)


def _glorot(inputs: int, outputs: int, generator: torch.Generator) -> Tensor:
    size: float = (2 / (inputs + outputs)) ** 0.5
    drawn: Tensor = torch.randn(outputs, inputs, dtype=torch.float64, generator=generator)
    return drawn * size


def _input(scaled: Tensor, order: int, length: Tensor, joined: bool) -> Tensor:
    """∂ⁿ of the scaled coordinate, (n, 1), or of the cosine and sine of its period, (n, 2)."""
    if joined:
        angle = pi * scaled + order * pi / 2
        return (pi / length) ** order * torch.stack([angle.cos(), angle.sin()], -1)
    if order == 0:
        return scaled[:, None]
    return (1 / length).expand(len(scaled), 1) if order == 1 else torch.zeros_like(scaled)[:, None]


def _composed(orders: Orders, z: Tensor, slopes: list[Tensor], wanted: Wanted) -> Tensor:
    total = torch.zeros_like(z[0])
    for count, k, factors in terms_of(orders):
        product = slopes[k] * count if count > 1 else slopes[k]
        for beta in factors:
            product = product * z[wanted.place[beta]]
        total = total + product
    return total


def row_slopes(values: Tensor, layers: list[Layer]) -> Tensor:
    """∂valueₙ/∂weights for each row n of `values` (n,), which depends only on row n of the layers and on that of its
    image: (n, weights), for each layer its matrix and then its bias."""
    grads = torch.autograd.grad(values.sum(), [layer.left for layer in layers], retain_graph=True, allow_unused=True)
    blocks = []
    for layer, grad in zip(layers, grads, strict=True):
        slope = torch.zeros_like(layer.left) if grad is None else grad
        slope, entered = (t.reshape(len(t), -1, len(values), t.shape[-1]) for t in (slope, layer.entered))
        blocks += [torch.einsum("shno,shni->noi", slope, entered).flatten(1), slope[0].sum(0)]
    return torch.cat(blocks, 1)
