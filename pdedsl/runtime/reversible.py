"""Reversible execution of Verlet and leapfrog chains: memory constant in depth (Ruthotto, Haber 2018, section 3.2).

The whole chain is one autograd.Function that keeps its last state only. Backward undoes coupling after coupling: the
field is evaluated once more, and this one evaluation gives both the increment to subtract and the graph of the
vector-Jacobian product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, final

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.dropout import _DropoutNd
from torch.nn.modules.instancenorm import _InstanceNorm

from pdedsl.runtime.fields import Field, terms_of
from pdedsl.runtime.integrators import Coupling, Pair, Splitting, Steps
from pdedsl.runtime.pullback import has_pullback, pullback
from pdedsl.runtime.pullback_convnet import convnet_pullback, is_written_out


@final
class Reversible(nn.Module):
    """(Y₀, Z₀) ↦ (Y_N, Z_N) by a splitting, without stored activations; `inverse` runs the chain backwards.

    Gradients are those of plain autograd up to round-off, once differentiable: whoever needs second derivatives sets
    store=True, which is plain autograd with its memory. Fields with noise or batch statistics are refused, because a
    second evaluation would not repeat the first.
    """

    def __init__(self, fields: Sequence[Field], method: Splitting, steps: Steps, store: bool = False):
        super().__init__()
        for field in fields:
            require_repeatable(field)
        self.fields: Sequence[Field] = nn.ModuleList(fields)  # type: ignore[assignment]
        self.method = method
        self.steps = steps
        self.store = store
        self._repeats = False

    def forward(self, y: Tensor, z: Tensor) -> Pair:
        if self.store or not torch.is_grad_enabled() or torch.compiler.is_exporting():
            return self.method.integrate(self.fields, (y, z), self.steps)
        if not self._repeats:
            self._repeats = require_same_twice(self, y, z)
        return self._chain(y, z)

    def inverse(self, y: Tensor, z: Tensor) -> Pair:
        return self.method.inverse(self.fields, (y, z), self.steps)

    def _chain(self, y: Tensor, z: Tensor) -> Pair:
        if not y.is_meta and torch.is_autocast_enabled(y.device.type):  # half the digits do not lead back
            exact = next(self.fields.parameters()).dtype  # type: ignore[attr-defined]
            with torch.autocast(y.device.type, enabled=False):
                return self._chain(y.to(exact), z.to(exact))
        parameters = [p for p in self.fields.parameters() if p.requires_grad]  # type: ignore[attr-defined]
        pair: Pair = _Chain.apply(self.method.couplings(self.steps), self.fields, y, z, *parameters)
        return pair


def require_repeatable(field: nn.Module) -> None:
    """Refuse modules whose second evaluation differs from the first: randomness, or statistics of the batch.

    A module of another kind may say so by an attribute `stochastic = True`; `require_same_twice` finds out.
    """
    for name, module in field.named_modules():
        reason = _unrepeatable(module)
        if reason:
            where = f" at {name!r}" if name else ""
            raise ValueError(
                f"reversible execution composes with noise-free blocks only: {type(module).__name__}{where} {reason}"
            )


def require_same_twice(chain: Reversible, y: Tensor, z: Tensor) -> bool:
    """Before the first run two evaluations are compared: noise of an unknown kind shows, whatever its generator."""
    if y.is_meta:
        return False
    with torch.no_grad():
        runs = [torch.cat(chain.method.integrate(chain.fields, (y, z), chain.steps)) for _ in range(2)]
        tolerance = math.sqrt(torch.finfo(y.dtype).eps) * runs[0].abs().max()
        if (runs[0] - runs[1]).abs().max() > tolerance:
            raise ValueError("reversible execution composes with noise-free blocks only: a field is not repeatable")
    return True


def _unrepeatable(module: nn.Module) -> str | None:
    if isinstance(module, _BatchNorm):
        return "uses batch statistics"
    if isinstance(module, _InstanceNorm) and module.track_running_stats:
        return "updates running statistics"
    if isinstance(module, (_DropoutNd, nn.RReLU, nn.FractionalMaxPool2d)) or getattr(module, "stochastic", False):
        return "draws random numbers"
    return None


class _Chain(torch.autograd.Function):
    """The couplings in order; see the module's docstring. States are updated in place once they are our own."""

    @staticmethod
    def forward(
        ctx: Any, couplings: tuple[Coupling, ...], fields: Sequence[Field], y: Tensor, z: Tensor, *p: Tensor
    ) -> Pair:
        ctx.couplings, ctx.fields = couplings, fields
        state = _State(y, z)
        for coupling in couplings:
            increment = coupling.increment(fields, state[1 - coupling.target])
            state.add(coupling.target, increment, coupling.scale)
        # An untouched half must not be returned as the input itself.
        pair = state[0] if state.owned[0] else y.clone(), state[1] if state.owned[1] else z.clone()
        # The parameters are saved for torch to notice one that has changed before backward.
        ctx.save_for_backward(*pair, *p)
        return pair

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        y, z, *parameters = ctx.saved_tensors
        state, cotangent, total = _State(y, z), _State(*gradients), _Gradients(parameters)
        for coupling in reversed(ctx.couplings):
            _undo(coupling, ctx.fields, state, cotangent, total)
        return None, None, cotangent[0], cotangent[1], *total.values


def _undo(coupling: Coupling, fields: Sequence[Field], state: _State, cotangent: _State, total: _Gradients) -> None:
    """a += c f(b) undone: a −= c f(b), b̄ += c f′(b)ᵀ ā, θ̄ += c (∂f/∂θ)ᵀ ā, term by term: b and ā stay as they are."""
    target, source = coupling.target, 1 - coupling.target
    layer = None if coupling.field is None else fields[coupling.field].layer(coupling.step)
    for factor, term in terms_of(layer):
        scale = factor * coupling.scale
        weights = [p for p in term.parameters() if p.requires_grad] if term else []
        value, gradients = _value_and_gradients(term, coupling.time, state[source], cotangent[target], weights)
        state.add(target, value, -scale)
        cotangent.add(source, gradients[0], scale)
        total.add(weights, gradients[1:], scale)


def _value_and_gradients(
    term: nn.Module | None, time: float, source: Tensor, cotangent: Tensor, weights: Sequence[Tensor]
) -> tuple[Tensor, tuple[Tensor | None, ...]]:
    if term is None:
        return source, (cotangent,)
    if has_pullback(term):
        return pullback(term, source, cotangent)
    if is_written_out(term):
        return convnet_pullback(term, time, source, cotangent)
    with torch.enable_grad():
        point = source.detach().requires_grad_()
        value = term(time, point)
    gradients = torch.autograd.grad(value, (point, *weights), cotangent, allow_unused=True)
    return value.detach(), gradients


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

    Their memory is taken before the chain is undone: small gradients strewn among the freed states would keep the heap
    from shrinking, and the memory would grow with depth after all.
    """

    def __init__(self, parameters: Sequence[Tensor]):
        self.places = {id(p): place for place, p in enumerate(parameters)}
        self.sums = [torch.empty_like(p) for p in parameters]
        self.used = [False] * len(parameters)

    @property
    def values(self) -> list[Tensor | None]:
        return [total if used else None for total, used in zip(self.sums, self.used, strict=True)]

    def add(self, weights: Sequence[Tensor], gradients: Sequence[Tensor | None], scale: float) -> None:
        for weight, gradient in zip(weights, gradients, strict=True):
            if gradient is not None:
                self._add(self.places[id(weight)], gradient, scale)

    def _add(self, place: int, gradient: Tensor, scale: float) -> None:
        if self.used[place]:
            self.sums[place].add_(gradient, alpha=scale)
        else:
            torch.mul(gradient, scale, out=self.sums[place])
            self.used[place] = True
