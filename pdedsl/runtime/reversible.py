"""Reversible execution of Verlet and leapfrog chains: memory constant in depth (Ruthotto, Haber 2018, section 3.2).

The whole chain is one autograd.Function that keeps only its last state. Backward undoes one coupling after another: the
field is evaluated once more, and this single evaluation gives both the increment to subtract and the graph of the
vector-Jacobian product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, final

import torch
from torch import Tensor, nn

from pdedsl.runtime import pullback_convnet, pullback_symmetric
from pdedsl.runtime.fields import Field, terms_of
from pdedsl.runtime.integrators import Coupling, Pair, Splitting, Steps
from pdedsl.runtime.linearised import Linearised
from pdedsl.runtime.repeatable import require_repeatable


@final
class Reversible(nn.Module):
    """(Y₀, Z₀) ↦ (Y_N, Z_N) by a splitting, without stored activations; `inverse` runs the chain backwards.

    Gradients are those of plain autograd up to round-off, and can be taken once: second derivatives raise an error. If
    they are needed, store=True uses plain autograd, with its memory cost. Fields with noise or batch statistics are
    refused, because a second evaluation would not repeat the first. Within torch.func it is plain autograd.
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
        plain = torch.compiler.is_exporting() or torch._C._are_functorch_transforms_active()
        if self.store or plain or not torch.is_grad_enabled():
            return self.method.integrate(self.fields, (y, z), self.steps)
        if not self._repeats:
            self._repeats = require_same_twice(self, y, z)
        return self._chain(y, z)

    def inverse(self, y: Tensor, z: Tensor) -> Pair:
        return self.method.inverse(self.fields, (y, z), self.steps)

    def _chain(self, y: Tensor, z: Tensor) -> Pair:
        if not y.is_meta and torch.is_autocast_enabled(y.device.type):  # half precision cannot be retraced
            exact = self._precision(y)
            with torch.autocast(y.device.type, enabled=False):
                return self._chain(y.to(exact), z.to(exact))
        parameters = [p for p in self.fields.parameters() if p.requires_grad]  # type: ignore[attr-defined]
        pair: Pair = _Chain.apply(self.method.couplings(self.steps), self.fields, y, z, *parameters)
        return pair

    def _precision(self, y: Tensor) -> torch.dtype:
        """That of the weights; if nothing is learned, that of the state, but at least float32."""
        ours = y.dtype if y.dtype.itemsize > 2 else torch.float32
        return next((p.dtype for p in self.fields.parameters()), ours)  # type: ignore[attr-defined]


def require_same_twice(chain: Reversible, y: Tensor, z: Tensor) -> bool:
    """Before the first run two evaluations are compared: this reveals unknown noise, whatever its generator."""
    if y.is_meta or not y.numel() or torch._C._functorch.is_batchedtensor(y):
        return False
    with torch.no_grad():
        runs = [torch.cat(chain.method.integrate(chain.fields, (y, z), chain.steps)) for _ in range(2)]
        tolerance = math.sqrt(torch.finfo(y.dtype).eps) * runs[0].abs().max()
        if (runs[0] - runs[1]).abs().max() > tolerance:
            raise ValueError("reversible execution composes with noise-free blocks only: a field is not repeatable")
    return True


class _Chain(torch.autograd.Function):
    """The couplings in order; see the module's docstring. States are updated in place once they are copies."""

    @staticmethod
    def forward(
        ctx: Any, couplings: tuple[Coupling, ...], fields: Sequence[Field], y: Tensor, z: Tensor, *p: Tensor
    ) -> Pair:
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
        cotangent = _State(*(_laid_out_like(half, g) for half, g in zip((y, z), gradients, strict=True)))
        for coupling in reversed(ctx.couplings):
            _undo(coupling, ctx.fields, state, cotangent, total)
        return None, None, cotangent[0], cotangent[1], *total.values


def _laid_out_like(state: Tensor, gradient: Tensor | None) -> Tensor:
    """The gradient in the layout of the state: convolutions of mixed layouts would copy one of them at every step."""
    if gradient is None:
        return torch.zeros_like(state)
    return gradient if gradient.stride() == state.stride() else torch.empty_like(state).copy_(gradient)


def _undo(coupling: Coupling, fields: Sequence[Field], state: _State, cotangent: _State, total: _Gradients) -> None:
    """a += c f(b) undone: a −= c f(b), b̄ += c f′(b)ᵀ ā, θ̄ += c (∂f/∂θ)ᵀ ā, term by term: b and ā stay as they are."""
    target, source = coupling.target, 1 - coupling.target
    layer = None if coupling.field is None else fields[coupling.field].layer(coupling.step)
    for factor, term in terms_of(layer):
        scale = factor * coupling.scale
        weights = [p for p in term.parameters() if p.requires_grad] if term else []
        value, pullback = _linearise(term, coupling.time, state[source], weights)
        state.add(target, value, -scale)
        del value
        back, *gradients = pullback(cotangent[target])
        cotangent.add(source, back, scale)
        total.add(weights, gradients, scale)


def _linearise(term: nn.Module | None, time: float, source: Tensor, weights: Sequence[Tensor]) -> Linearised:
    if term is None:
        return Linearised(source, lambda cotangent: (cotangent,))
    if pullback_symmetric.has_pullback(term):
        return pullback_symmetric.linearised(term, time, source)
    if pullback_convnet.has_pullback(term):
        return pullback_convnet.linearised(term, time, source)
    with torch.enable_grad():
        point = source.detach().requires_grad_()
        value = term(time, point)
    return Linearised(
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
        found = {
            id(weight): gradient for weight, gradient in zip(weights, gradients, strict=True) if gradient is not None
        }
        if found:
            torch._foreach_add_([self.sums[place] for place in found], list(found.values()), alpha=scale)
            self.reached.update(found)
