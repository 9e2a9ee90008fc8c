"""Reversible execution of Verlet and leapfrog chains: memory constant in depth (Ruthotto, Haber 2018, section 3.2).

The whole chain is one autograd.Function that saves only its last state. Backward undoes one coupling after another: the
field is evaluated once more, and this evaluation gives both the increment to subtract and the vector-Jacobian product,
which is written out for the usual layers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeGuard, final

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.dropout import _DropoutNd
from torch.nn.modules.instancenorm import _InstanceNorm

from pdedsl.numerics.activations import RELU
from pdedsl.runtime.convnet import ConvNet, TimeConv
from pdedsl.runtime.image_fields import LearnedField, terms_of
from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.runtime.ode.explicit import TimeGrid
from pdedsl.runtime.ode.symplectic import AdditiveCoupling, SplittingMethod, StatePair
from pdedsl.runtime.symmetric_layer import SymmetricLayer, TotalVariationNorm
from pdedsl.runtime.weight_constraints import SpectralNormBound

# ---- Deterministic fields


def require_deterministic(field: nn.Module) -> None:
    """Reject modules whose second evaluation differs from the first: random numbers, or batch statistics.

    Other modules can declare it by an attribute `stochastic = True`; in addition, reversible.py compares two runs.
    """
    for name, module in field.named_modules():
        reason = _nondeterminism(module)
        if reason:
            where = f" at {name!r}" if name else ""
            raise ValueError(
                f"reversible execution composes with noise-free blocks only: {type(module).__name__}{where} {reason}"
            )


def _nondeterminism(module: nn.Module) -> str | None:
    if isinstance(module, _BatchNorm):
        return "uses batch statistics"
    if isinstance(module, _InstanceNorm) and module.track_running_stats:
        return "updates running statistics"
    if isinstance(module, (_DropoutNd, nn.RReLU, nn.FractionalMaxPool2d)) or getattr(module, "stochastic", False):
        return "draws random numbers"
    return None


# ---- Linearisation of a layer: its value and its vector-Jacobian product


class LinearizedLayer(NamedTuple):
    """f(y), and the map of a cotangent g to f′(y)ᵀg and (∂f/∂θ)ᵀg in the order of the layer's parameters, for one use.

    The value is available first, so that it can be used and freed before the backward pass needs memory.
    """

    value: Tensor
    pullback: Callable[[Tensor], tuple[Tensor | None, ...]]


def convolution_backward(
    g: Tensor, x: Tensor, kernel: Tensor, source: bool = True, bias: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of the input (if `source`), the kernel and the bias (if `bias`) of a convolution of stride one."""
    ones, padding, channels = [1, 1], [kernel.shape[-1] // 2] * 2, [kernel.shape[0]]
    out: tuple[Tensor, Tensor, Tensor] = torch.ops.aten.convolution_backward(
        g, x, kernel, channels, ones, padding, ones, False, [0, 0], 1, [source, True, bias]
    )
    return out


# ---- Vector-Jacobian product of the convnet field
#
# With a₀ = y, each layer is x_i = relu(N_i a_i), a_{i+1} = W_i x_i + s_i with s_i = t·V_i 1 + b_i, and the value is
# N_n a_n. Going back, ā_n = N_n′ᵀ g,   x̄_i = W_iᵀ ā_{i+1},   ā_i = N_i′ᵀ (x̄_i·[x_i > 0]), and the kernel of W_i
# gets the correlation of x_i with ā_{i+1}. The shifts s_i are the same for all samples, whatever y is, so those of
# all layers are one convolution of one sample, and their gradients another.
#
# Group norms are computed on contiguous feature maps: channels-last ones take up to ten times as long on a CPU, and a
# copy is cheap.


def has_convnet_vjp(layer: nn.Module) -> TypeGuard[ConvNet]:
    """Whether it has the form written out below: a convnet with time, group norms and relu, all weights trainable."""
    return (
        isinstance(layer, ConvNet)
        and all(isinstance(convolution, TimeConv) for convolution in layer.convolutions)
        and all(isinstance(norm, nn.GroupNorm) for norm in layer.norms)
        and layer.activation.record is RELU
        and all(p.requires_grad for p in layer.parameters())
    )


def linearize_convnet(layer: ConvNet, t: float, y: Tensor) -> LinearizedLayer:
    """f(y) and its pullback, which pops saved tensors: freed memory is reused while it is still in the cache."""
    norms, shifts = [_GroupNorm(norm) for norm in layer.norms], _TimeShifts(layer, t, y)
    kernels = [weight[:, 1:].contiguous(memory_format=_layout(weight)) for weight in shifts.weights]
    value, inner = _evaluate(norms, kernels, shifts.values(), y)

    def pullback(g: Tensor) -> tuple[Tensor, ...]:
        g, *scales = norms.pop().pullback(g)
        weights: list[Tensor] = []
        sums: list[Tensor] = []
        for kernel in reversed(kernels):
            sums.insert(0, g.sum(0, keepdim=True))
            g, weight, _ = convolution_backward(g, inner[-1], kernel)
            g = torch.ops.aten.threshold_backward.grad_input(g, inner.pop(), 0, grad_input=g)
            g, *scale = norms.pop().pullback(g)
            weights.insert(0, weight)
            scales = scale + scales
        return g, *shifts.pullback(sums, weights), *scales

    return LinearizedLayer(value, pullback)


def _evaluate(
    norms: list[_GroupNorm], kernels: list[Tensor], shifts: tuple[Tensor, ...], y: Tensor
) -> tuple[Tensor, list[Tensor]]:
    """The value, and x_0 … x_{n−1}."""
    inner = []
    for norm, kernel, shift in zip(norms, kernels, shifts, strict=False):
        inner.append(norm.value(y).relu_())
        y = torch.conv2d(inner[-1], kernel, padding=kernel.shape[-1] // 2).add_(shift)
    return norms[-1].value(y), inner


class _TimeShifts:
    """t·V_i 1 + b_i of all layers, (1, channels, height, width) each."""

    def __init__(self, layer: ConvNet, t: float, y: Tensor):
        convolutions = [convolution for convolution in layer.convolutions if isinstance(convolution, TimeConv)]
        self.weights = [convolution.weight for convolution in convolutions]
        self.time_kernels = t * torch.cat([weight[:, :1] for weight in self.weights])
        self.biases = torch.cat([convolution.bias for convolution in convolutions])
        self.t, self.ones = t, y.new_ones((1, 1, *y.shape[2:]))

    def values(self) -> tuple[Tensor, ...]:
        maps = torch.conv2d(self.ones, self.time_kernels, self.biases, padding=self.time_kernels.shape[-1] // 2)
        return maps.chunk(len(self.weights), 1)

    def pullback(self, sums: list[Tensor], kernels: list[Tensor]) -> list[Tensor]:
        """The gradients of weights and biases, from those of the kernels and the sums of ā_{i+1} over the samples."""
        _, time_kernels, biases = convolution_backward(
            torch.cat(sums, 1), self.ones, self.time_kernels, source=False, bias=True
        )
        n, time_kernels = len(sums), time_kernels.mul_(self.t)
        weights = (torch.cat(pair, 1) for pair in zip(time_kernels.chunk(n), kernels, strict=True))
        return [gradient for pair in zip(weights, biases.chunk(n), strict=True) for gradient in pair]


class _GroupNorm:
    """N y, with the tensors for its vector-Jacobian product."""

    def __init__(self, norm: nn.Module):
        assert isinstance(norm, nn.GroupNorm)
        self.norm = norm

    def value(self, y: Tensor) -> Tensor:
        self.input, self.layout = y.contiguous(), _layout(y)
        self.sizes = (y.shape[0], y.shape[1], y.shape[2] * y.shape[3], self.norm.num_groups)
        weight, bias = self.norm.weight, self.norm.bias
        value, *self.moments = torch.native_group_norm(self.input, weight, bias, *self.sizes, self.norm.eps)
        return value.contiguous(memory_format=self.layout)

    def pullback(self, g: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        source, weight, bias = torch.ops.aten.native_group_norm_backward(
            g.contiguous(), self.input, *self.moments, self.norm.weight, *self.sizes, [True, True, True]
        )
        return source.contiguous(memory_format=self.layout), weight, bias


def _layout(y: Tensor) -> torch.memory_format:
    last = not y.is_contiguous() and y.is_contiguous(memory_format=torch.channels_last)
    return torch.channels_last if last else torch.contiguous_format


# ---- Vector-Jacobian product of the symmetric layer
#
# Plain autograd would be correct too; written out, K Y and the normalized activation serve both the value and the
# product, elementwise operations are in place, and no graph is built.


def has_symmetric_vjp(layer: nn.Module) -> TypeGuard[SymmetricLayer]:
    """Whether it has the form written out below: convolution, total-variation norm and relu, all weights trainable."""
    return (
        isinstance(layer, SymmetricLayer)
        and isinstance(layer.operator, ConvOperator)
        and not isinstance(layer.operator.constraint, SpectralNormBound)
        and isinstance(layer.norm, TotalVariationNorm)
        and layer.activation.record is RELU
        and all(p.requires_grad for p in layer.parameters())
    )


def linearize_symmetric(layer: SymmetricLayer, t: float, y: Tensor) -> LinearizedLayer:
    """F = ±Kᵀ a, a = relu(s n + b), n = z r, r = (Σ_c z_c² + ε)^(−1/2), z = K y, and for the cotangent g of F

    ā = ±K g,  p̄ = ā·[a > 0],  b̄ = Σ p̄,  s̄ = Σ n p̄,  z̄ = r (s p̄ − n Σ_c n_c s_c p̄_c),  ȳ = Kᵀ z̄,
    W̄ = ±(correlation of a with g) + (correlation of z̄ with y).
    """
    norm, weight, sign = layer.norm, layer.operator.weight, layer.sign
    assert isinstance(norm, TotalVariationNorm)
    signed, padding = sign * weight, weight.shape[-1] // 2
    scale = norm.scale[:, None, None]
    n = torch.conv2d(y, weight, padding=padding)
    r = n.square().sum(1, keepdim=True).add_(norm.eps).rsqrt_()
    a = torch.addcmul(norm.bias[:, None, None], n.mul_(r), scale).relu_()

    def pullback(g: Tensor) -> tuple[Tensor, ...]:
        p = torch.ops.aten.threshold_backward(torch.conv2d(g, signed, padding=padding), a, 0)
        bias, product = p.sum((0, 2, 3)), n * p
        scale_gradient = product.sum((0, 2, 3))
        z = p.mul_(scale).addcmul_(n, product.mul_(scale).sum(1, keepdim=True), value=-1).mul_(r)
        source, inner, _ = convolution_backward(z, y, weight)
        outer = convolution_backward(a, g, weight, source=False)[1]
        return source, inner.add_(outer, alpha=sign), scale_gradient, bias

    return LinearizedLayer(torch.conv_transpose2d(a, signed, padding=padding), pullback)


# ---- Reversible chain


@final
class Reversible(nn.Module):
    """(Y₀, Z₀) ↦ (Y_N, Z_N) by a splitting, without stored activations; `inverse` runs the chain backwards.

    Gradients are those of plain autograd up to round-off, and can be taken once: second derivatives raise an error. If
    they are needed, store=True uses plain autograd, with its memory cost. Fields with noise or batch statistics are
    rejected, because a second evaluation would not repeat the first. Within torch.func it is plain autograd.
    """

    def __init__(self, fields: Sequence[LearnedField], method: SplittingMethod, steps: TimeGrid, store: bool = False):
        super().__init__()
        for field in fields:
            require_deterministic(field)
        self.fields: Sequence[LearnedField] = nn.ModuleList(fields)  # type: ignore[assignment]
        self.method = method
        self.steps = steps
        self.store = store
        self._repeats = False

    def forward(self, y: Tensor, z: Tensor) -> StatePair:
        plain = torch.compiler.is_exporting() or torch._C._are_functorch_transforms_active()
        if self.store or plain or not torch.is_grad_enabled():
            return self.method.integrate(self.fields, (y, z), self.steps)
        if not self._repeats:
            self._repeats = require_repeatable_run(self, y, z)
        return self._chain(y, z)

    def inverse(self, y: Tensor, z: Tensor) -> StatePair:
        return self.method.inverse(self.fields, (y, z), self.steps)

    def _chain(self, y: Tensor, z: Tensor) -> StatePair:
        if not y.is_meta and torch.is_autocast_enabled(y.device.type):  # half precision cannot be retraced
            exact = self._precision(y)
            with torch.autocast(y.device.type, enabled=False):
                return self._chain(y.to(exact), z.to(exact))
        parameters = [p for p in self.fields.parameters() if p.requires_grad]  # type: ignore[attr-defined]
        pair: StatePair = _ReversibleChain.apply(self.method.couplings(self.steps), self.fields, y, z, *parameters)
        return pair

    def _precision(self, y: Tensor) -> torch.dtype:
        """That of the weights; if nothing is learned, that of the state, but at least float32."""
        ours = y.dtype if y.dtype.itemsize > 2 else torch.float32
        return next((p.dtype for p in self.fields.parameters()), ours)  # type: ignore[attr-defined]


def require_repeatable_run(chain: Reversible, y: Tensor, z: Tensor) -> bool:
    """Before the first run two evaluations are compared: this reveals unknown noise, whatever its generator."""
    if y.is_meta or not y.numel() or torch._C._functorch.is_batchedtensor(y):
        return False
    with torch.no_grad():
        runs = [torch.cat(chain.method.integrate(chain.fields, (y, z), chain.steps)) for _ in range(2)]
        tolerance = math.sqrt(torch.finfo(y.dtype).eps) * runs[0].abs().max()
        if (runs[0] - runs[1]).abs().max() > tolerance:
            raise ValueError("reversible execution composes with noise-free blocks only: a field is not repeatable")
    return True


class _ReversibleChain(torch.autograd.Function):
    """The couplings in order; see the module's docstring. States are updated in place once they are copies."""

    @staticmethod
    def forward(
        ctx: Any,
        couplings: tuple[AdditiveCoupling, ...],
        fields: Sequence[LearnedField],
        y: Tensor,
        z: Tensor,
        *p: Tensor,
    ) -> StatePair:
        ctx.couplings, ctx.fields = couplings, fields
        state = _State(y, z)
        for coupling in couplings:
            increment = coupling.increment(fields, state[1 - coupling.target])
            state.add(coupling.target, increment, coupling.scale)
        # A half that was not changed must not be returned as the input itself.
        pair = state[0] if state.owned[0] else y.clone(), state[1] if state.owned[1] else z.clone()
        # The parameters are saved so that torch notices if one has changed before backward.
        ctx.save_for_backward(*pair, *p)
        ctx.set_materialize_grads(False)
        return pair

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():  # by create_graph: the gradients below have no graph, and would count as constants
            raise RuntimeError(
                "reversible execution is differentiable once: it keeps no states for second derivatives; Reversible(…, "
                "store=True) does, and so does a block of a network after block.chain.store = True"
            )
        y, z, *parameters = ctx.saved_tensors
        state, total = _State(y, z), _Gradients(parameters)
        cotangent = _State(*(_match_layout(half, g) for half, g in zip((y, z), gradients, strict=True)))
        for coupling in reversed(ctx.couplings):
            _undo_coupling(coupling, ctx.fields, state, cotangent, total)
        return None, None, cotangent[0], cotangent[1], *total.values


def _match_layout(state: Tensor, gradient: Tensor | None) -> Tensor:
    """The gradient in the layout of the state: convolutions of mixed layouts would copy one of them at every step."""
    if gradient is None:
        return torch.zeros_like(state)
    return gradient if gradient.stride() == state.stride() else torch.empty_like(state).copy_(gradient)


def _undo_coupling(
    coupling: AdditiveCoupling, fields: Sequence[LearnedField], state: _State, cotangent: _State, total: _Gradients
) -> None:
    """a += c f(b) undone: a −= c f(b), b̄ += c f′(b)ᵀ ā, θ̄ += c (∂f/∂θ)ᵀ ā, term by term: b and ā stay as they are."""
    target, source = coupling.target, 1 - coupling.target
    layer = None if coupling.field is None else fields[coupling.field].layer(coupling.step)
    for factor, term in terms_of(layer):
        scale = factor * coupling.scale
        weights = [p for p in term.parameters() if p.requires_grad] if term else []
        value, pullback = _linearize(term, coupling.time, state[source], weights)
        state.add(target, value, -scale)
        del value
        back, *gradients = pullback(cotangent[target])
        cotangent.add(source, back, scale)
        total.add(weights, gradients, scale)


def _linearize(term: nn.Module | None, time: float, source: Tensor, weights: Sequence[Tensor]) -> LinearizedLayer:
    if term is None:
        return LinearizedLayer(source, lambda cotangent: (cotangent,))
    if has_symmetric_vjp(term):
        return linearize_symmetric(term, time, source)
    if has_convnet_vjp(term):
        return linearize_convnet(term, time, source)
    with torch.enable_grad():
        point = source.detach().requires_grad_()
        value = term(time, point)
    return LinearizedLayer(
        value.detach(), lambda cotangent: torch.autograd.grad(value, (point, *weights), cotangent, allow_unused=True)
    )


@final
class _State:
    """Two tensors that are copied when first changed, and changed in place from then on."""

    def __init__(self, y: Tensor, z: Tensor):
        self.halves = [y, z]
        self.owned = [False, False]

    def __getitem__(self, half: int) -> Tensor:
        return self.halves[half]

    def add(self, half: int, increment: Tensor | None, scale: float) -> None:
        if increment is None:
            return
        if self.owned[half]:
            self.halves[half].add_(increment, alpha=scale)
        else:
            self.halves[half] = torch.add(self.halves[half], increment, alpha=scale)
            self.owned[half] = True


@final
class _Gradients:
    """Sums of weight gradients, in the order of the parameters; a stationary weight gets one from every step.

    Their memory is allocated before the chain is undone: small gradients scattered among the freed states would keep
    the heap from shrinking, and memory would grow with depth after all.
    """

    def __init__(self, parameters: Sequence[Tensor]):
        self.sums = {id(p): torch.zeros_like(p) for p in parameters}
        self.reached: set[int] = set()

    @property
    def values(self) -> list[Tensor | None]:
        return [total if place in self.reached else None for place, total in self.sums.items()]

    def add(self, weights: Sequence[Tensor], gradients: Sequence[Tensor | None], scale: float) -> None:
        defined = {
            id(weight): gradient for weight, gradient in zip(weights, gradients, strict=True) if gradient is not None
        }
        if defined:
            torch._foreach_add_([self.sums[place] for place in defined], list(defined.values()), alpha=scale)
            self.reached.update(defined)
