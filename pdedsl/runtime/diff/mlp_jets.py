"""An MLP with its derivatives in one forward pass: jets of u, ∂^α u and second-order operators.

An operator L = Σ aᵢⱼ ∂ᵢ∂ⱼ + Σ bᵢ ∂ᵢ has one stream for all its second derivatives (the forward Laplacian, Li et al.
2024): L σ(z) = σ′ Lz + σ″ Σ aᵢⱼ zᵢ zⱼ. Higher derivatives follow the multivariate formula of Faà di Bruno (Constantine,
Savits 1996). All graphs are of first order: one backward pass gives the gradient by the weights, or that of every row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise, product
from math import pi
from typing import Any, cast, final

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional

from pdedsl.runtime.activations import activation
from pdedsl.runtime.basis.random_features import CoordinateBox
from pdedsl.runtime.rng import hash_words

# ---- ∂^α σ(z(x)) by the multivariate formula of Faà di Bruno


MultiIndex = tuple[int, ...]
FaaDiBrunoTerm = tuple[int, int, tuple[MultiIndex, ...]]
"""c σ⁽ᵏ⁾ Π ∂^β z, as (c, k, all β)."""


@cache
def faa_di_bruno_terms(orders: MultiIndex) -> tuple[FaaDiBrunoTerm, ...]:
    """∂^α σ(z) as a sum of terms, by differentiating σ(z) repeatedly."""
    terms: Counter[tuple[int, tuple[MultiIndex, ...]]] = Counter({(0, ()): 1})
    for axis, order in enumerate(orders):
        for _ in range(order):
            terms = _differentiate(terms, axis, len(orders))
    return tuple((count, k, factors) for (k, factors), count in sorted(terms.items()))


def _differentiate(
    terms: Counter[tuple[int, tuple[MultiIndex, ...]]], axis: int, dimension: int
) -> Counter[tuple[int, tuple[MultiIndex, ...]]]:
    unit = tuple(int(k == axis) for k in range(dimension))
    derivative: Counter[tuple[int, tuple[MultiIndex, ...]]] = Counter()
    for (k, factors), count in terms.items():
        derivative[k + 1, tuple(sorted((*factors, unit)))] += count
        for i, beta in enumerate(factors):
            raised = tuple(a + b for a, b in zip(beta, unit, strict=True))
            derivative[k, tuple(sorted((*factors[:i], raised, *factors[i + 1 :])))] += count
    return derivative


def lower_multi_indices(orders: MultiIndex) -> Iterator[MultiIndex]:
    """All β with 0 < β ≤ α."""
    return (b for b in product(*(range(n + 1) for n in orders)) if any(b))


ActivationDerivatives = Callable[[Tensor, int], list[Tensor]]
"""σ, σ′, …, σ⁽ᵐ⁾ at z."""


def tanh_derivatives(z: Tensor, order: int) -> list[Tensor]:
    """Polynomials in t = tanh z, since t′ = 1 - t²."""
    t = z.tanh()
    if order > 3:
        return [t, *_polynomials(t, order, (1, 0, -1))]
    first_derivative = torch.addcmul(t.new_ones(()), t, t, value=-1)
    derivatives = [t, first_derivative]
    if order > 1:
        derivatives.append(torch.addcmul(t.new_zeros(()), t, first_derivative, value=-2))
    if order > 2:
        derivatives.append(torch.addcmul(4 * first_derivative, first_derivative, first_derivative, value=-6))
    return derivatives[: order + 1]


def sigmoid_derivatives(z: Tensor, order: int) -> list[Tensor]:
    """Polynomials in s, since s′ = s - s²."""
    s = z.sigmoid()
    return [s, *_polynomials(s, order, (0, 1, -1))]


def _polynomials(value: Tensor, order: int, first_derivative: tuple[int, ...]) -> Iterator[Tensor]:
    coefficients: tuple[int, ...] = (0, 1)
    for _ in range(order):
        derived = tuple(k * c for k, c in enumerate(coefficients))[1:]
        coefficients = _multiply_polynomials(derived, first_derivative)
        result = torch.full_like(value, coefficients[-1])
        for c in reversed(coefficients[:-1]):
            result = result * value + c if c else result * value
        yield result


def _multiply_polynomials(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    product_coefficients = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            product_coefficients[i + j] += x * y
    return tuple(product_coefficients)


def sine_derivatives(z: Tensor, order: int) -> list[Tensor]:
    sine, cosine = z.sin(), z.cos()
    return [(sine, cosine, -sine, -cosine)[k % 4] for k in range(order + 1)]


def autodiff_derivatives(function: Callable[[Tensor], Tensor]) -> ActivationDerivatives:
    """By repeated reverse differentiation, point by point."""

    def derivatives(z: Tensor, order: int) -> list[Tensor]:
        at = z if z.requires_grad else z.detach().requires_grad_()
        with torch.enable_grad():
            derivatives = [function(at)]
            for _ in range(order):
                derivatives.append(_derivative(derivatives[-1], at))
        return derivatives

    return derivatives


def _derivative(value: Tensor, at: Tensor) -> Tensor:
    if not value.requires_grad:
        return torch.zeros_like(at)
    (gradient,) = torch.autograd.grad(value.sum(), at, create_graph=True, allow_unused=True)
    return torch.zeros_like(at) if gradient is None else gradient


# ---- A layer of streams, an affine map and an activation, each with its derivative written out
#
# left  = entered Wᵀ, plus b on the stream of values
# value = σ(z),   first = σ′(z) zᵢ,   operator = σ′(z) Lz + σ″(z) q,   q = Σ aₚ zᵢ zⱼ
#
# They are memory-bound: automatic differentiation would save and read several times as many intermediate results. They
# are differentiable once, which suffices for training on residuals; a second derivative raises an error.


SecondOrderTerms = Sequence[tuple[Tensor, list[int], list[int]]]
"""Of each operator: the coefficients (n, parts) of its second derivatives, and the streams of their two directions."""


def affine_jets(entered: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """(s, n, inputs) → (s, n, outputs); the bias belongs to the stream of values alone."""
    return cast(Tensor, _AffineJets.apply(entered, weight, bias))


def activation_jets(z: Tensor, derivatives: ActivationDerivatives, operators: SecondOrderTerms) -> Tensor:
    """Streams of the value, of first derivatives and, last, of operators, after an activation."""
    return cast(Tensor, _ActivationJets.apply(z, derivatives, operators))


class _AffineJets(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, entered: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(entered, weight)
        left = entered @ weight.T
        left[0] += bias
        return left

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        entered, weight = ctx.saved_tensors
        by_input, by_weight, by_bias = ctx.needs_input_grad
        return (
            grad @ weight if by_input else None,
            grad.flatten(0, 1).T @ entered.flatten(0, 1) if by_weight else None,
            grad[0].sum(0) if by_bias else None,
        )


class _ActivationJets(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor, derivatives: ActivationDerivatives, operators: SecondOrderTerms) -> Tensor:
        needed = 2 if operators else 1
        value, *derived = (s.detach() for s in derivatives(z[0].detach(), needed + ctx.needs_input_grad[0]))
        out = torch.empty_like(z)
        out[0] = value
        torch.mul(z[1:], derived[0], out=out[1:])
        ctx.operators, quadratic = _number_streams(z, operators), []
        for stream, pair in ctx.operators:
            quadratic.append(_quadratic_form(z, pair))
            out[stream].addcmul_(derived[1], quadratic[-1])
        ctx.save_for_backward(z, *quadratic, *derived)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        z, *saved = ctx.saved_tensors
        quadratic, derived = saved[: len(ctx.operators)], saved[len(ctx.operators) :]
        gradient = grad * derived[0]
        if len(z) > 1:
            along = grad[1] * z[1]
            for g, y in zip(grad[2:], z[2:], strict=True):
                along.addcmul_(g, y)
            gradient[0].addcmul_(derived[1], along)
        for (stream, pair), square in zip(ctx.operators, quadratic, strict=True):
            gradient[0].addcmul_(grad[stream] * derived[2], square)
            second_derivative = grad[stream] * derived[1]
            for factor, one, other in zip(pair[0].unbind(-1), pair[1], pair[2], strict=True):
                weighed = second_derivative * factor.unsqueeze(-1)
                gradient[one].addcmul_(weighed, z[other])
                gradient[other].addcmul_(weighed, z[one])
        return gradient, None, None


def _number_streams(z: Tensor, operators: SecondOrderTerms) -> list[tuple[int, tuple[Tensor, list[int], list[int]]]]:
    """The operators with second derivatives, with the numbers of their streams."""
    return [(len(z) - len(operators) + k, pair) for k, pair in enumerate(operators) if pair[1]]


def _quadratic_form(z: Tensor, pair: tuple[Tensor, list[int], list[int]]) -> Tensor:
    """Σ aₚ zᵢ zⱼ."""
    factors, ones, others = pair
    total = torch.zeros_like(z[0])
    for a, i, j in zip(factors.unbind(-1), ones, others, strict=True):
        total.addcmul_(a.unsqueeze(-1) * z[i], z[j])
    return total


# ---- Network
#
# The first layer is affine in the coordinates, or periodic, and its derivatives are known in closed form.


FIRST_LAYER_SCALE = 2.0  # scale of the weights of the first layer, relative to the others
ACTIVATION_DERIVATIVES: dict[str, ActivationDerivatives] = {
    "tanh": tanh_derivatives,
    "sin": sine_derivatives,
    "sigmoid": sigmoid_derivatives,
}


@dataclass(frozen=True)
class DerivativeRequest:
    """The requested derivatives: ∂^α for each of `orders`, and operators, given by the orders of their terms."""

    orders: tuple[MultiIndex, ...]
    operators: tuple[tuple[MultiIndex, ...], ...] = ()

    @cached_property
    def first(self) -> tuple[int, ...]:
        """The coordinates along which there is a stream of first derivatives."""
        second = (o for parts in self.operators for o in parts if sum(o) == 2)
        return tuple(sorted({k for o in (*self.orders, *second) for k, n in enumerate(o) if n}))

    @cached_property
    def higher(self) -> tuple[MultiIndex, ...]:
        return tuple(
            sorted({b for o in self.orders for b in lower_multi_indices(o) if sum(b) > 1}, key=lambda b: (sum(b), b))
        )

    @cached_property
    def max_order(self) -> int:
        return max([*map(sum, self.orders), *(2 for _ in self.operators), 0])

    @cached_property
    def place(self) -> dict[MultiIndex, int]:
        """The position of the stream of each α."""
        dimension = len((*self.orders, *(o for parts in self.operators for o in parts))[0])
        units = [tuple(int(i == k) for i in range(dimension)) for k in self.first]
        return {o: k for k, o in enumerate(((0,) * dimension, *units, *self.higher))}

    @cached_property
    def pairs(self) -> tuple[tuple[tuple[int, ...], list[int], list[int]], ...]:
        """For each operator: which of its parts are of second order, and the streams of their two directions."""
        return tuple(self._pairs(parts) for parts in self.operators)

    def _pairs(self, parts: tuple[MultiIndex, ...]) -> tuple[tuple[int, ...], list[int], list[int]]:
        own = tuple(k for k, o in enumerate(parts) if sum(o) == 2)
        axes = [[axis for axis, n in enumerate(parts[k]) for _ in range(n)] for k in own]
        stream = {axis: 1 + k for k, axis in enumerate(self.first)}
        return own, [stream[a] for a, _ in axes], [stream[b] for _, b in axes]


@dataclass(frozen=True)
class LayerJets:
    """The input and output of a layer, streams first: (s, n, width)."""

    entered: Tensor
    left: Tensor


@dataclass(frozen=True)
class ReflectionSymmetry:
    """u(Rx) = ±u(x), with a sign for each output, where R reflects one axis about its middle, or shifts it by its
    length. Shifted axes are periodic, with twice their length."""

    axis: int
    signs: tuple[int, ...]
    is_shift: bool = False


@final
class JetNetwork(nn.Module):
    """x ↦ u(x) ∈ Rᶜ: coordinates scaled to [-1, 1], or as cosine and sine of their period, then layers of equal width.

    With a reflection symmetry, u(x) = N(x) ± N(Rx): the layers receive the points followed by their images.

    Args:
        box: centre, half widths and periodicity of the coordinates.
        width: number of units of each hidden layer.
        depth: number of hidden layers.
        outputs: number of components c.
        name: name of the activation.
        seed: seed of the initial weights.
        symmetry: reflection symmetry imposed on u; None for none.

    Shape:
        points (n, k) to values (n, c).

    Example:
        >>> import torch
        >>> from pdedsl.runtime import JetNetwork
        >>> network = JetNetwork.on_box([(0.0, 1.0, True)], width=8, depth=2, outputs=1, activation="tanh")
        >>> ends = network(torch.tensor([[0.0], [1.0]], dtype=torch.float64))
        >>> bool(torch.allclose(ends[0], ends[1]))  # periodic
        True
    """

    middle: Tensor
    lengths: Tensor

    def __init__(
        self,
        box: CoordinateBox,
        width: int,
        depth: int,
        outputs: int,
        name: str,
        seed: int,
        symmetry: ReflectionSymmetry | None = None,
    ) -> None:
        super().__init__()
        self.name, self.symmetry = name, symmetry
        self.register_buffer("middle", box.center.clone())
        self.register_buffer("lengths", box.half_widths.clone())
        self.periodic = tuple(map(bool, box.periodic.tolist()))
        inputs = sum(2 if p else 1 for p in self.periodic)
        sizes = [inputs, *[width] * depth, outputs]
        generator = torch.Generator().manual_seed(seed)
        pairs = list(pairwise(sizes))
        self.weights = nn.ParameterList([_glorot(a, b, generator) for a, b in pairs])
        self.biases = nn.ParameterList([torch.zeros(b, dtype=torch.float64) for _, b in pairs])
        with torch.no_grad():  # larger than in later layers, so that its units differ within the box
            self.weights[0].mul_(FIRST_LAYER_SCALE)
            self.biases[0].uniform_(-FIRST_LAYER_SCALE, FIRST_LAYER_SCALE, generator=generator)

    @classmethod
    def on_box(
        cls,
        intervals: Sequence[tuple[float, float, bool]],
        *,
        width: int,
        depth: int,
        outputs: int,
        activation: str,
        seed: int = 0,
        symmetry: tuple[int, tuple[int, ...]] | tuple[int, tuple[int, ...], bool] | None = None,
    ) -> JetNetwork:
        """The untrained network, on a box of intervals (start, end, periodic)."""
        ends = torch.tensor([interval[:2] for interval in intervals], dtype=torch.float64)
        periodic = torch.tensor([interval[2] for interval in intervals])
        box = CoordinateBox(ends.mean(1), (ends[:, 1] - ends[:, 0]) / 2, periodic)
        reflection = None if symmetry is None else ReflectionSymmetry(*symmetry)
        return cls(box, width, depth, outputs, activation, hash_words(seed, 9), reflection)

    def forward(self, points: Tensor) -> Tensor:
        value = self.inputs(self.with_images(points), 0)
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            value = functional.linear(value, weight, bias)
            if k + 1 < len(self.weights):
                value = activation(self.name)(value)
        return self.without_images(value)

    @property
    def activation_derivatives(self) -> ActivationDerivatives:
        return ACTIVATION_DERIVATIVES.get(self.name, autodiff_derivatives(activation(self.name)))

    def with_images(self, points: Tensor) -> Tensor:
        """(n, k), or (2n, k) with a reflection symmetry: the points, then their images."""
        if self.symmetry is None:
            return points
        if self.symmetry.is_shift:
            shift = torch.zeros_like(self.lengths)
            shift[self.symmetry.axis] = 2 * self.lengths[self.symmetry.axis]
            return torch.cat([points, points + shift.to(points)])
        turned = points.new_ones(points.shape[1])
        turned[self.symmetry.axis] = -1
        middle = self.middle.to(points)
        return torch.cat([points, middle + turned * (points - middle)])

    def without_images(self, values: Tensor) -> Tensor:
        """N(x) ± N(Rx) of values (..., 2n, c)."""
        if self.symmetry is None:
            return values
        own, images = values.chunk(2, -2)
        return own + images * values.new_tensor(self.symmetry.signs)

    def jets(
        self, points: Tensor, request: DerivativeRequest, coefficients: tuple[Tensor, ...] = ()
    ) -> tuple[Tensor, list[LayerJets]]:
        """Streams (s, n, c): u, ∂^α u in the order of `request.place`, then the operators, with coefficients (n, parts)
        each; and the inputs and outputs of every layer."""
        points = self.with_images(points)
        if self.symmetry is not None:
            coefficients = tuple(torch.cat([c, c]) for c in coefficients)
        entered, layers = self._first(points, request, coefficients), list[LayerJets]()
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            left = affine_jets(entered, weight, bias)
            layers.append(LayerJets(entered, left))
            if k + 1 < len(self.weights):
                entered = self._activate(left, request, coefficients)
        return self.without_images(left), layers

    def _first(self, points: Tensor, request: DerivativeRequest, coefficients: tuple[Tensor, ...]) -> Tensor:
        streams = [self.inputs(points, 0), *(self._input_derivatives(points, o) for o in list(request.place)[1:])]
        for parts, factors in zip(request.operators, coefficients, strict=True):
            streams.append(sum(factors[:, k, None] * self._input_derivatives(points, o) for k, o in enumerate(parts)))  # type: ignore[arg-type]
        return torch.stack(streams)

    def _input_derivatives(self, points: Tensor, orders: MultiIndex) -> Tensor:
        """∂^α of the inputs by x: for an image, the sign changes with every derivative along the reflected axis."""
        features = self._unreflected_input_derivatives(points, orders)
        if self.symmetry is None or self.symmetry.is_shift or orders[self.symmetry.axis] % 2 == 0:
            return features
        own, images = features.chunk(2)
        return torch.cat([own, -images])

    @property
    def owners(self) -> Tensor:
        """The coordinate of each input."""
        owners = [k for k, periodic in enumerate(self.periodic) for _ in range(2 if periodic else 1)]
        return torch.tensor(owners, device=self.middle.device)

    def inputs(self, points: Tensor, order: int) -> Tensor:
        """The inputs of the first layer, at points with their images: each is a function of one coordinate of the
        point, or the derivative of that function."""
        scaled = (points - self.middle) / self.lengths
        features = torch.cat([self._input(scaled, k, order) for k in range(len(self.periodic))], -1)
        if self.symmetry is None or self.symmetry.is_shift or order % 2 == 0:
            return features
        own, images = features.chunk(2)
        return torch.cat([own, torch.where(self.owners == self.symmetry.axis, -images, images)])

    def _input(self, scaled: Tensor, k: int, order: int) -> Tensor:
        """∂ⁿ of the inputs of one coordinate."""
        shifted = self.symmetry is not None and self.symmetry.is_shift and self.symmetry.axis == k
        periods = 2 if shifted else 1
        return _input(scaled[:, k] / periods, order, self.lengths[k] * periods, self.periodic[k])

    def _unreflected_input_derivatives(self, points: Tensor, orders: MultiIndex) -> Tensor:
        """∂^α of the inputs."""
        scaled = (points - self.middle) / self.lengths
        axes = [k for k, order in enumerate(orders) if order]
        out = scaled.new_zeros(len(points), self.weights[0].shape[1])
        if len(axes) == 1:
            (k,) = axes
            start = sum(2 if p else 1 for p in self.periodic[:k])
            column = self._input(scaled, k, orders[k])
            out[:, start : start + column.shape[1]] = column
        return out

    def _activate(self, z: Tensor, request: DerivativeRequest, coefficients: tuple[Tensor, ...]) -> Tensor:
        derivatives_of = self.activation_derivatives
        if not request.higher and not any(c.requires_grad for c in coefficients):
            pairs = [(c[:, list(own)], a, b) for c, (own, a, b) in zip(coefficients, request.pairs, strict=True)]
            return activation_jets(z, derivatives_of, pairs)
        derivatives, first = derivatives_of(z[0], request.max_order), 1 + len(request.first)
        out = [derivatives[0][None]]
        if first > 1:
            out.append(derivatives[1] * z[1:first])
        out += [_compose(o, z, derivatives, request)[None] for o in request.higher]
        for k, (own, a, b) in enumerate(request.pairs):
            stream = derivatives[1] * z[len(request.place) + k]
            if own:
                quadratic = torch.einsum("np,pnw->nw", coefficients[k][:, list(own)], z[a] * z[b])
                stream = stream + derivatives[2] * quadratic
            out.append(stream[None])
        return torch.cat(out)


def _glorot(inputs: int, outputs: int, generator: torch.Generator) -> Tensor:
    size: float = (2 / (inputs + outputs)) ** 0.5
    drawn: Tensor = torch.randn(outputs, inputs, dtype=torch.float64, generator=generator)
    return drawn * size


def _input(scaled: Tensor, order: int, length: Tensor, periodic: bool) -> Tensor:
    """∂ⁿ of the scaled coordinate, (n, 1), or of the cosine and sine of its period, (n, 2)."""
    if periodic:
        angle = pi * scaled + order * pi / 2
        return (pi / length) ** order * torch.stack([angle.cos(), angle.sin()], -1)
    if order == 0:
        return scaled[:, None]
    return (1 / length).expand(len(scaled), 1) if order == 1 else torch.zeros_like(scaled)[:, None]


def _compose(orders: MultiIndex, z: Tensor, derivatives: list[Tensor], request: DerivativeRequest) -> Tensor:
    total = torch.zeros_like(z[0])
    for count, k, factors in faa_di_bruno_terms(orders):
        product = derivatives[k] * count if count > 1 else derivatives[k]
        for beta in factors:
            product = product * z[request.place[beta]]
        total = total + product
    return total


def per_sample_gradients(values: Tensor, layers: list[LayerJets]) -> Tensor:
    """∂valueₙ/∂weights for each row n of `values` (n,), which depends only on row n of the layers and on that of its
    image: (n, weights), for each layer its matrix and then its bias."""
    grads = torch.autograd.grad(values.sum(), [layer.left for layer in layers], retain_graph=True, allow_unused=True)
    blocks = []
    for layer, grad in zip(layers, grads, strict=True):
        first_derivative = torch.zeros_like(layer.left) if grad is None else grad
        first_derivative, entered = (
            t.reshape(len(t), -1, len(values), t.shape[-1]) for t in (first_derivative, layer.entered)
        )
        blocks += [torch.einsum("shno,shni->noi", first_derivative, entered).flatten(1), first_derivative[0].sum(0)]
    return torch.cat(blocks, 1)


# ---- Forward Laplacian: u and L u, L = Σ aᵢ ∂ᵢ² + Σ bᵢ ∂ᵢ, with one stream for u, one for L u, and directions
#
# The directions of the first layer are the columns of its matrix, the same at every point. If all aᵢ are the same
# function, only Σᵢ zᵢ zᵢᵀ matters, and at most as many directions as units are needed: V Vᵀ = Rᵀ R for Vᵀ = Q R.


def supports_forward_laplacian(network: JetNetwork, request: DerivativeRequest) -> bool:
    """Whether only u and one operator without mixed derivatives are requested, in coordinates that are not periodic."""
    return network.symmetry is None and not any(network.periodic) and supports_hutchinson(request)


def forward_laplacian(network: JetNetwork, points: Tensor, request: DerivativeRequest, coefficients: Tensor) -> Tensor:
    """Streams (2, n, c): u and L u, for coefficients (n, parts)."""
    (parts,) = request.operators
    axes = [next(k for k, n in enumerate(o) if n) for o in parts]
    second = [k for k, o in enumerate(parts) if sum(o) == 2]
    first = [k for k in range(len(parts)) if k not in second]
    columns = (network.weights[0] / network.lengths).T
    value = functional.linear((points - network.middle) / network.lengths, network.weights[0], network.biases[0])
    operator = coefficients[:, first] @ columns[[axes[k] for k in first]]
    factors, directions = _directions(coefficients[:, second], columns[[axes[k] for k in second]])
    value, operator = _propagate(network, value, operator, directions, lambda z: _diagonal_quadratic_form(factors, z))
    return torch.stack([value, operator])


def _propagate(
    network: JetNetwork, value: Tensor, operator: Tensor, directions: Tensor, quadratic_form: Callable[[Tensor], Tensor]
) -> tuple[Tensor, Tensor]:
    """u and L u, from the streams of the first layer: L σ(z) = σ′ Lz + σ″ q, where q is the quadratic form of the
    directions."""
    for k, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        if k:
            sigma, first_derivative, second_derivative = network.activation_derivatives(value, 2)
            operator = functional.linear(
                first_derivative * operator + second_derivative * quadratic_form(directions), weight
            )
            value = functional.linear(sigma, weight, bias)
            if k + 1 < len(network.weights):
                directions = functional.linear(first_derivative * directions, weight)
    return value, operator


def _directions(factors: Tensor, columns: Tensor) -> tuple[Tensor, Tensor]:
    """aᵢ, a single one if they are equal, and zᵢ: (directions, 1, width)."""
    if not torch.equal(factors, factors[:, :1].expand_as(factors)):
        return factors, columns[:, None]
    if len(columns) > columns.shape[1]:
        columns = torch.linalg.qr(columns, mode="reduced").R
    return factors[:, :1], columns[:, None]


def _diagonal_quadratic_form(factors: Tensor, directions: Tensor) -> Tensor:
    """Σ aᵢ zᵢ², (n, width)."""
    if factors.shape[1] == 1:
        return factors * directions.square().sum(0)
    return torch.einsum("np,pnw->nw", factors, directions.square().expand(-1, len(factors), -1))


# ---- Hutchinson estimator: u and independent estimates of L u by few random directions
#
# With random signs v, Σ aᵢ ∂ᵢ²u is the mean of D²u[z, z], z = Σ vᵢ √aᵢ eᵢ (Hutchinson 1990); aᵢ < 0 separately.


def supports_hutchinson(request: DerivativeRequest) -> bool:
    """Whether only u and one operator without mixed derivatives are requested."""
    return (
        len(request.operators) == 1
        and not any(map(sum, request.orders))
        and all(max(parts) == sum(parts) for parts in request.operators[0])
    )


def rademacher_signs(request: DerivativeRequest, points: int, probes: int, source: torch.Generator) -> Tensor:
    """For two estimates, (2, probes, points, parts)."""
    shape = (2, probes, points, len(request.operators[0]))
    return 2.0 * torch.randint(2, shape, generator=source, device=source.device) - 1


def hutchinson_estimates(
    network: JetNetwork, points: Tensor, request: DerivativeRequest, coefficients: Tensor, signs: Tensor
) -> Tensor:
    """Streams (1 + e, n, c): u, and e estimates of L u, one for each of the e sets of signs (e, probes, n, parts)."""
    (parts,) = request.operators
    axes = torch.tensor([next(k for k, n in enumerate(o) if n) for o in parts], device=points.device)
    order = torch.tensor([sum(o) for o in parts], device=points.device)
    points, signs = network.with_images(points), signs.to(points)
    if network.symmetry is not None:
        coefficients, signs = torch.cat([coefficients, coefficients]), torch.cat([signs, signs], 2)

    def spread(values: Tensor) -> Tensor:
        """(…, parts) → (…, inputs): the coefficient of a derivative, at the inputs that depend on its coordinate."""
        whole = values.new_zeros(*values.shape[:-1], points.shape[1]).index_add(-1, axes, values)
        return whole[..., network.owners]

    derivatives, second_derivatives = network.inputs(points, 1), network.inputs(points, 2)
    second = coefficients * (order == 2)
    entering = spread(coefficients * (order == 1)) * derivatives + spread(second) * second_derivatives
    roots = [second.clamp_min(0).sqrt(), (-second).clamp_min(0).sqrt()]
    nonzero = [(sign, r) for sign, r in zip((1.0, -1.0), roots, strict=True) if bool(r.any())]
    factors = points.new_tensor([sign / signs.shape[1] for sign, _ in nonzero for _ in range(signs.shape[1])])
    directions = torch.cat([spread(signs * r) * derivatives for _, r in nonzero], 1)
    value = functional.linear(network.inputs(points, 0), network.weights[0], network.biases[0])
    operator = functional.linear(entering.expand(len(signs), -1, -1), network.weights[0])
    directions = functional.linear(directions, network.weights[0])
    value, operator = _propagate(
        network, value, operator, directions, lambda z: torch.einsum("p,epnw->enw", factors, z.square())
    )
    return network.without_images(torch.cat([value[None], operator]))
