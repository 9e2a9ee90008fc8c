"""Constraints on a linear operator's weight: free, ‖K‖ ≤ c by parametrisation, or a box enforced by projection."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import torch
from torch import Tensor, nn

# ---- Constraints and norm bounds


FREQUENCIES_PER_DEGREE = 8  # the factor 1/cos²(π/8) below is 1.17; 12 would make it 1.07 at twice the cost
MIN_GRAM_ASPECT_RATIO = 2  # ratio of the dimensions from which the Gram matrix is used
EXPORT_SQUARINGS = 20  # at most c^(1/2²¹) times the spectral norm: 1.000004 for c = 4096
SQUARINGS = 5  # the Schatten norm of order 2⁶ = 64 is at most c^(1/64) times the spectral norm: 1.08 for c = 128


@final
@dataclass(frozen=True)
class Unconstrained:
    """No constraint."""


@final
@dataclass(frozen=True)
class SpectralNormBound:
    """‖K‖ ≤ bound for all weights: the operator uses W · min(1, bound / β(W)). For a matrix β is the norm itself; for a
    convolution β(W) ≥ ‖K(W)‖ is proved below.

    Args:
        bound: c of ‖K‖ ≤ c.

    Raises:
        ValueError: if the bound is not positive.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import DenseOperator, SpectralNormBound
        >>> operator = DenseOperator(8, constraint=SpectralNormBound(0.5))
        >>> bool(torch.linalg.matrix_norm(operator.constrained_weight(), 2) <= 0.5)
        True
    """

    bound: float

    def __post_init__(self) -> None:
        if not self.bound > 0:
            raise ValueError(f"a bound of an operator norm is positive, not {self.bound}")


@final
@dataclass(frozen=True)
class BoxConstraint:
    """low ≤ θ ≤ high for every entry of the weight, by projection after each step (Ruthotto, Haber, section 4).

    Args:
        low: lower bound.
        high: upper bound.

    Raises:
        ValueError: if the lower bound exceeds the upper one.

    Example:
        >>> from pdedsl.runtime import BoxConstraint, DenseOperator
        >>> weight = DenseOperator(8, constraint=BoxConstraint(-0.1, 0.1)).weight
        >>> bool((weight.abs() <= 0.1).all())
        True
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"the box [{self.low}, {self.high}] is empty")


Constraint = Unconstrained | SpectralNormBound | BoxConstraint


def project(weight: Tensor, constraint: Constraint) -> None:
    """Replace the weight by the nearest one in the box, in place."""
    if isinstance(constraint, BoxConstraint):
        with torch.no_grad():
            weight.clamp_(constraint.low, constraint.high)


def spectral_norm(weight: Tensor) -> Tensor:
    """‖W‖₂, the largest singular value of a matrix, plus an allowance for round-off.

    For a long matrix it is √λ with the largest eigenvalue λ of WWᵀ or WᵀW, whichever is smaller, at a fraction of the
    cost. A weight that is not finite has no singular values, and its norm is NaN: it is up to training to notice that
    the loss is NaN.
    """
    finite = weight.isfinite().all()
    norm = _largest_singular_value(torch.where(finite, weight, 0.0))
    return torch.where(finite, norm, torch.nan) * (1 + _rounding_allowance(weight))


def _largest_singular_value(a: Tensor) -> Tensor:
    rows, columns = a.shape
    if max(rows, columns) < MIN_GRAM_ASPECT_RATIO * min(rows, columns):
        norm: Tensor = torch.linalg.matrix_norm(a, ord=2)
        return norm
    size = a.detach().abs().amax().clamp_min(torch.finfo(a.dtype).tiny)
    a = a / size  # so that squares do not overflow
    gram = a @ a.mH if rows < columns else a.mH @ a
    # Above zero, where the root is not differentiable.
    largest: Tensor = torch.linalg.eigvalsh(gram)[-1].clamp_min(torch.finfo(a.dtype).tiny)
    return largest.sqrt() * size


def convolution_norm_bound(weight: Tensor) -> Tensor:
    """β(W) ≥ ‖K‖₂ for the zero-padded convolution K with taps W[:, :, τ], on images of every size.

    Proof, for an odd k = 2r + 1.
    1. K = P T E, where E extends an image by zeros to ℤ² (an isometry), T is the convolution on ℓ²(ℤ²) and P
       restricts to the image (norm at most 1). So ‖K‖ ≤ ‖T‖ = sup_ω ‖Ŵ(ω)‖₂ with the symbol Ŵ(ω) = Σ_τ W_τ e^{iω·τ},
       τ ∈ {−r…r}².
    2. Let M = ‖Ŵ(ω*)‖₂ = |p(ω*)| be the supremum, with p(ω) = uᴴŴ(ω)v for unit u and v. Along each axis
       q = Re(p·conj p(ω*))/M is a real trigonometric polynomial of degree r with |q| ≤ M = q(ω*); by M. Riesz (1914)
       q ≥ M cos(rδ) at the distance δ ≤ π/r of ω*. The nearest of N points has δ ≤ π/N. One axis after the other:
       max over the N × N grid of ‖Ŵ‖₂ ≥ M cos²(rπ/N).
    3. ‖A‖₂ ≤ ‖A‖_{S_p}, the Schatten norm, at every grid point. Hence β = max_grid ‖Ŵ‖_{S_64} / cos²(rπ/N).
    The grid contains one of each pair of conjugate frequencies, whose norms are equal because W is real. The gradient
    of a maximum is that at its argument, so that only one symbol is differentiated.
    """
    degree = (max(weight.shape[-2:]) - 1) // 2
    n = max(1, FREQUENCIES_PER_DEGREE * degree)
    symbols = torch.fft.rfft2(weight, s=(n, n)).flatten(2).permute(2, 0, 1)
    with torch.no_grad():
        largest = _schatten_norm(symbols).argmax().reshape(1)
    slack = (1 + _rounding_allowance(weight)) / math.cos(degree * math.pi / n) ** 2
    return _schatten_norm(symbols.index_select(0, largest)).squeeze(0) * slack


def exportable_norm_bound(weight: Tensor) -> Tensor:
    """β(W) by operators of every export format, including ONNX: no singular values, no complex numbers.

    For a matrix it is the Schatten norm of order 2²¹, which is not less than ‖W‖₂. For a convolution it is the bound
    above: the symbol A + iB acts as the real matrix [[A, -B], [B, A]], which has each of its singular values twice.
    """
    slack = 1 + _rounding_allowance(weight)
    if weight.dim() == 2:
        return _schatten_norm(weight[None], EXPORT_SQUARINGS).amax(0) * slack
    height, width = weight.shape[-2:]
    degree = (max(height, width) - 1) // 2
    n = max(1, FREQUENCIES_PER_DEGREE * degree)
    count = torch.arange(n, dtype=weight.dtype, device=weight.device) * (2 * math.pi / n)
    rows = count[:, None, None, None] * torch.arange(height, device=weight.device)[:, None]
    columns = count[None, : n // 2 + 1, None, None] * torch.arange(width, device=weight.device)
    angle = (rows + columns).flatten(2).flatten(0, 1)
    a, b = (torch.einsum("oit,ft->foi", weight.flatten(2), wave) for wave in (angle.cos(), angle.sin()))
    symbols = torch.cat([torch.cat([a, -b], 2), torch.cat([b, a], 2)], 1)
    once = 0.5 ** (0.5 ** (SQUARINGS + 1))
    norm: Tensor = _schatten_norm(symbols).amax(0) * (once * slack / math.cos(degree * math.pi / n) ** 2)
    return norm


def _schatten_norm(a: Tensor, squarings: int = SQUARINGS) -> Tensor:
    """‖A‖_{S_p} = (tr (AᴴA)^{p/2})^{1/p}, p = 2^{squarings+1}, by squaring the Gram matrix (Delattre et al. 2023).

    Each square is divided by its Frobenius norm, whose logarithm is added, so that nothing overflows.
    """
    if a.shape[-2] < a.shape[-1]:
        a = a.mH
    size = _frobenius(a)
    a = a / size
    gram, logarithm, power = a.mH @ a, size.log(), 0.5
    for _ in range(squarings - 1):
        size = _frobenius(gram)
        logarithm, power = logarithm + power * size.log(), power / 2
        gram = gram / size
        gram = gram @ gram
    return (logarithm + power * _frobenius(gram).log()).exp().flatten()


def _frobenius(a: Tensor) -> Tensor:
    # Not zero, so that the norm of a zero weight is a harmless tiny number.
    norm: Tensor = torch.linalg.matrix_norm(a, keepdim=True)
    return norm.clamp_min(torch.finfo(norm.dtype).tiny)


def _rounding_allowance(weight: Tensor) -> float:
    """An allowance for round-off in the sums of the Gram matrices and in the singular values."""
    return 4 * max(weight.shape[:2]) * torch.finfo(weight.dtype).eps


# ---- W · s(W), s = min(1, c / β(W)): a weight under a norm bound, with the costly β(W) computed once per weight
#
# A network uses a weight many times before it changes: in K and in Kᵀ, in the stages of a Runge-Kutta step, in a second
# evaluation that runs backwards, in every batch of an evaluation and in every step of an attack. So s and its gradient
# G = ∂s/∂W are stored with a copy of W, and are reused as long as the weight equals the copy. No graph is stored: the
# product rule
#
# W̄ = s V + ⟨V, W⟩ G     for the cotangent V of W s(W)
#
# is applied by hand.


class _CachedScale(NamedTuple):
    """A weight with its s and G; G is None if s is 1 in a neighbourhood."""

    weight: Tensor
    bound: float
    scale: Tensor
    gradient_of_scale: Tensor | None


@final
class BoundedWeight:
    """The weight as a bounded operator uses it. A copy of the operator starts with an empty cache."""

    def __init__(self) -> None:
        self._known: _CachedScale | None = None

    def __call__(self, weight: Tensor, bound: float) -> Tensor:
        if torch.compiler.is_exporting():
            return weight * (bound / exportable_norm_bound(weight).clamp_min(bound))
        # Compilers, torch.func and meta tensors get the plain formula.
        plain = weight.is_meta or torch.compiler.is_compiling() or torch._C._are_functorch_transforms_active()
        if type(weight) is not nn.Parameter or plain:
            return weight * norm_scale(weight, bound)
        if self._known is None or not _is_current(self._known, weight, bound):
            self._known = _compute_scale(weight, bound)
        product: Tensor = _ScaledWeight.apply(weight, self._known.scale, self._known.gradient_of_scale, bound)
        return product

    def __deepcopy__(self, memo: object) -> BoundedWeight:
        return BoundedWeight()

    def __reduce__(self) -> tuple[type[BoundedWeight], tuple[()]]:
        return BoundedWeight, ()


def norm_scale(weight: Tensor, bound: float) -> Tensor:
    """s(W), for a matrix or for the taps of a convolution."""
    norm = spectral_norm(weight) if weight.dim() == 2 else convolution_norm_bound(weight)
    return bound / norm.clamp_min(bound)


def _is_current(known: _CachedScale, weight: Tensor, bound: float) -> bool:
    """Compared by value: a version counter does not notice writes to `weight.data`."""
    old = known.weight
    alike = (old.dtype, old.device, old.shape, known.bound) == (weight.dtype, weight.device, weight.shape, bound)
    return alike and torch.equal(old, weight)


def _compute_scale(weight: Tensor, bound: float) -> _CachedScale:
    with torch.inference_mode(False), torch.enable_grad():
        copy = weight.detach().clone().requires_grad_()
        scale = norm_scale(copy, bound)
        (gradient_of_scale,) = torch.autograd.grad(scale, copy)
    return _CachedScale(copy.detach(), bound, scale.detach(), gradient_of_scale if gradient_of_scale.any() else None)


class _ScaledWeight(torch.autograd.Function):
    """W s, with s and G given. If the backward pass is itself differentiated, it uses the formula of s again."""

    generate_vmap_rule = True

    @staticmethod
    def forward(weight: Tensor, scale: Tensor, gradient_of_scale: Tensor | None, bound: float) -> Tensor:
        return weight * scale

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, Tensor | None, float], output: Tensor) -> None:
        weight, scale, gradient_of_scale, ctx.bound = inputs
        ctx.save_for_backward(weight, scale, gradient_of_scale)

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> tuple[Tensor | None, ...]:
        weight, scale, gradient_of_scale = ctx.saved_tensors
        if torch.is_grad_enabled():
            product = weight * norm_scale(weight, ctx.bound)
            return *torch.autograd.grad(product, weight, cotangent, create_graph=True), None, None, None
        gradient = cotangent * scale
        if gradient_of_scale is not None:
            gradient = gradient.add_(gradient_of_scale * (cotangent * weight).sum())
        return gradient, None, None, None
