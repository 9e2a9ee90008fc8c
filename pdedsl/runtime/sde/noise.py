"""Noise blocks: by the Feynman-Kac formula, A:∇∇u over a step Δt is additive noise of covariance 2AΔt.

Every block adds a variable of mean zero, in training and in evaluation, from its own random stream. Axis 0 is the
batch. The factor of the noise is computed before the sum, so that a sample does not depend on the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, assert_never, cast

import torch
from torch import Tensor, nn

from pdedsl.config.methods import NormReduction
from pdedsl.runtime.rng import NoiseLaw, RandomStream

# ---- Relative noise x + a·std(x)·ξ (Wang, Yuan, Shi, Osher 2020, section 3.1), with few passes over memory


def add_relative_noise(x: Tensor, noise: Tensor, scale: float, across: NormReduction) -> Tensor:
    """x + a·std(x)·ξ by plain operations: differentiable to any order; `RelativeNoiseFunction` must agree with it."""
    return x + (scale * std(x, across)) * noise


def std(x: Tensor, across: NormReduction) -> Tensor:
    """Unbiased, in a shape that broadcasts. In two passes: `torch.std` over three axes is ten times slower."""
    return _std_of_centred(x - x.mean(_axes(x, across), keepdim=True), across)


def _axes(x: Tensor, across: NormReduction) -> tuple[int, ...]:
    return tuple(range(_first_axis(across), x.dim()))


def _first_axis(across: NormReduction) -> int:
    """The first of the axes over which the standard deviation is taken."""
    match across:
        case NormReduction.SAMPLE:
            return 1
        case NormReduction.BATCH:
            return 0
        case _:
            assert_never(across)


def _degrees_of_freedom(x: Tensor, across: NormReduction) -> int:
    freedom = x.shape[_first_axis(across) :].numel() - 1
    if freedom < 1:
        raise ValueError("relative noise needs at least two numbers for a standard deviation")
    return freedom


def _std_of_centred(centred: Tensor, across: NormReduction) -> Tensor:
    norm: Tensor = torch.linalg.vector_norm(centred, dim=_axes(centred, across), keepdim=True)
    return norm / math.sqrt(_degrees_of_freedom(centred, across))


class RelativeNoiseFunction(torch.autograd.Function):
    """y = x + a·s·ξ, s = std(x); ∂s/∂x = (x − mean)/((n − 1)·s), so x̄ = ȳ + a·(ȳ·ξ)/((n − 1)·s)·(x − mean).

    Ten passes over the state fewer than autograd of `add_relative_noise`, which is used for a second derivative.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor, noise: Tensor, scale: float, across: NormReduction) -> tuple[Tensor, Tensor, Tensor]:
        mean = x.mean(_axes(x, across), keepdim=True)
        deviation = _std_of_centred(x - mean, across)
        return torch.addcmul(x, noise, scale * deviation), mean, deviation

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor]) -> None:
        x, noise, ctx.scale, ctx.across = inputs
        ctx.save_for_backward(x, noise, *output[1:])
        ctx.save_for_forward(x, noise, *output[1:])
        ctx.mark_non_differentiable(*output[1:])

    @staticmethod
    def backward(ctx: Any, grad: Tensor, *_: Tensor) -> tuple[Tensor, None, None, None]:
        x, noise, mean, deviation = ctx.saved_tensors
        if torch.is_grad_enabled():  # a second derivative is wanted: mean and deviation must not be constants
            mean, deviation = x.mean(_axes(x, ctx.across), keepdim=True), std(x, ctx.across)
        factor = _ratio(ctx.scale * _dot(grad, noise, ctx.across), _degrees_of_freedom(x, ctx.across) * deviation)
        return torch.addcmul(grad, x, factor).sub_(factor * mean), None, None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor, *_: None) -> tuple[Tensor, None, None]:
        x, noise, mean, deviation = ctx.saved_tensors
        factor = _ratio(ctx.scale * _dot(tangent, x - mean, ctx.across), _degrees_of_freedom(x, ctx.across) * deviation)
        return tangent + factor * noise, None, None


def _dot(a: Tensor, b: Tensor, across: NormReduction) -> Tensor:
    return (a * b).sum(_axes(a, across), keepdim=True)


def _ratio(numerator: Tensor, denominator: Tensor) -> Tensor:
    """0 for a constant sample, as the subgradient of a norm at 0."""
    return torch.where(denominator > 0, numerator / denominator, 0.0)


# ---- Blocks


class _ConstantNoise(nn.Module):
    """x + s·ξ, independent ξ of variance 1. A Parameter as `std` is learned; a tensor broadcasts against one sample."""

    law: NoiseLaw

    def __init__(self, std: float | Tensor, *, seed: int) -> None:
        super().__init__()
        self.std = std if isinstance(std, float | int | nn.Parameter) else nn.Buffer(std)
        self.stream = RandomStream(seed)

    def forward(self, x: Tensor) -> Tensor:
        if self.stream.frozen or isinstance(self.std, Tensor):
            return x + self.increment(x)
        return torch.add(x, self.stream(x, self.law), alpha=self.std)  # in one pass

    def increment(self, x: Tensor) -> Tensor:
        """s·ξ, which broadcasts to x: multiplied before broadcasting, so that every row is rounded in the same way."""
        return self.stream.spread(self.stream(x, self.law) * self.std, x)

    def extra_repr(self) -> str:
        return "" if isinstance(self.std, Tensor) else f"std={self.std:g}"


class GaussianNoise(_ConstantNoise):
    """x + s·ξ, ξ ~ N(0, I). A Parameter as `std` is learned; a tensor broadcasts against one sample.

    Args:
        std: standard deviation s: a number, or a tensor that broadcasts against one sample.
        seed: seed of the random stream.

    Shape:
        x (n, …) to the same shape.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import GaussianNoise
        >>> x = GaussianNoise(0.5, seed=0)(torch.zeros(10_000, 1))
        >>> abs(x.std().item() - 0.5) < 0.02
        True
    """

    law = "normal"


class LaplaceNoise(_ConstantNoise):
    """x + s·ξ, independent Laplace ξ of variance 1, density exp(−√2|ξ|)/√2: the diffusivity of the Gaussian.

    Args:
        std: standard deviation s.
        seed: seed of the random stream.

    Shape:
        x (n, …) to the same shape.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import LaplaceNoise
        >>> x = LaplaceNoise(0.5, seed=0)(torch.zeros(10_000, 1))
        >>> abs(x.std().item() - 0.5) < 0.03
        True
    """

    law = "laplace"


class RelativeNoise(nn.Module):
    """x + a·std(x)·ξ, ξ ~ N(0, I), the layer noise of Wang, Yuan, Shi, Osher 2020, section 3.1; the std is unbiased and
    differentiated.

    across = "sample": std over the features of each sample. across = "batch": one std over the whole batch tensor, as
    in the published code, where the noise of a sample depends on the others.

    Args:
        scale: factor a of the standard deviation.
        seed: seed of the random stream.
        across: "sample" or "batch".
        law: distribution of ξ, "normal" or "laplace".

    Shape:
        x (n, …) to the same shape.

    Raises:
        ValueError: by a call, if there is only one number to take the standard deviation of.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import RelativeNoise
        >>> RelativeNoise(0.1, seed=0)(torch.ones(1, 3)).tolist()  # a constant sample has no deviation
        [[1.0, 1.0, 1.0]]
    """

    def __init__(self, scale: float, *, seed: int, across: str = "sample", law: NoiseLaw = "normal") -> None:
        super().__init__()
        self.scale, self.across, self.law = scale, NormReduction(across), law
        self.stream = RandomStream(seed)

    def forward(self, x: Tensor) -> Tensor:
        noise = self.stream.spread(self.stream(x, self.law), x)
        if self.training and not torch.compiler.is_compiling():
            return cast(Tensor, RelativeNoiseFunction.apply(x, noise, self.scale, self.across)[0])
        return add_relative_noise(x, noise, self.scale, self.across)

    def extra_repr(self) -> str:
        return f"scale={self.scale:g}, across={self.across.value!r}"


class ScaledNoise(nn.Module):
    """x + s(x)·ξ, independent ξ of variance 1, for a diffusivity ν(x) = s(x)²/(2Δt) that depends on the state.

    `scale` returns one number per sample, of shape (n,), or anything that broadcasts to x. It is evaluated at `at`, the
    state before the drift of an Euler-Maruyama step; if that is not given, at x itself, whose features are in one row.

    Args:
        scale: s, from states (n, d) to (n,), or to a shape that broadcasts to the state.
        seed: seed of the random stream.
        law: distribution of ξ, "normal" or "laplace".

    Shape:
        x (n, …), and optionally `at` of the same shape, to the same shape.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import ScaledNoise
        >>> noise = ScaledNoise(lambda x: x.norm(dim=1), seed=0)  # vanishes at the origin
        >>> noise(torch.zeros(1, 2)).tolist()
        [[0.0, 0.0]]
    """

    def __init__(self, scale: Callable[[Tensor], Tensor], *, seed: int, law: NoiseLaw = "normal") -> None:
        super().__init__()
        self.scale, self.law = scale, law
        self.stream = RandomStream(seed)

    def forward(self, x: Tensor, at: Tensor | None = None) -> Tensor:
        return x + self.increment(x if at is None else at)

    def increment(self, x: Tensor) -> Tensor:
        scale = self.scale(x.flatten(1) if x.dim() > 2 else x)
        if scale.dim() == 1:
            scale = scale.reshape(-1, *[1] * (x.dim() - 1))
        return scale * self.stream.spread(self.stream(x, self.law), x)


class CorrelatedNoise(nn.Module):
    """x + Lξ, independent ξ of variance 1: covariance LLᵀ = 2AΔt for the term A:∇∇u, over the features of a sample.

    `factor` is a (d, d) matrix, learned if it is a Parameter (LLᵀ is positive semidefinite for every L), or a callable
    from x to (n, d, d) for coefficients that depend on the state: on `at`, the state before the drift of an
    Euler-Maruyama step, or if that is not given, on x itself.

    Args:
        factor: L, (d, d), or a function from states (n, d) to (n, d, d).
        seed: seed of the random stream.
        law: distribution of ξ, "normal" or "laplace".

    Shape:
        x (n, …) with d entries per sample, and optionally `at` of the same shape, to the same shape.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import CorrelatedNoise
        >>> noise = CorrelatedNoise(torch.tensor([[1.0, 0.0], [1.0, 0.0]]), seed=0)  # equal in both components
        >>> x = noise(torch.zeros(5, 2))
        >>> bool((x[:, 0] == x[:, 1]).all())
        True
    """

    def __init__(self, factor: Tensor | Callable[[Tensor], Tensor], *, seed: int, law: NoiseLaw = "normal") -> None:
        super().__init__()
        if isinstance(factor, Tensor) and not isinstance(factor, nn.Parameter):
            factor = nn.Buffer(factor)
        self.factor, self.law = factor, law
        self.stream = RandomStream(seed)

    def forward(self, x: Tensor, at: Tensor | None = None) -> Tensor:
        return x + self.increment(x if at is None else at)

    def increment(self, x: Tensor) -> Tensor:
        noise = self.stream(x, self.law).flatten(1)
        if isinstance(self.factor, Tensor):
            return self.stream.spread(noise @ self.factor.mT, x).view(-1, *x.shape[1:])
        return matvec(self.factor(x), self.stream.spread(noise, x)).view_as(x)


def matvec(matrix: Tensor, vector: Tensor) -> Tensor:
    """A·v in every row. By a sum of products: a matrix product may round a row differently in another batch."""
    return (matrix * vector.unsqueeze(-2)).sum(-1)


def cholesky(matrix: Tensor) -> Tensor:
    """Lower triangular L with LLᵀ = A for symmetric positive semidefinite A of shape (..., d, d).

    Unlike torch.linalg.cholesky it accepts directions without diffusion: a vanishing pivot makes its whole column zero,
    as it must be in a semidefinite matrix. The pivot aⱼⱼ - Σₖ lⱼₖ² carries the rounding error of aⱼⱼ, so it counts as
    zero relative to that entry: scaling a coordinate scales its row (Higham 2002, section 10.1.1).

    Args:
        matrix: A, shape (…, d, d).

    Returns:
        L, shape (…, d, d).

    Example:
        >>> import torch
        >>> from pdedsl.runtime import cholesky
        >>> cholesky(torch.tensor([[4.0, 0.0], [0.0, 0.0]])).tolist()
        [[2.0, 0.0], [0.0, 0.0]]
    """
    size = matrix.shape[-1]
    floor = 4.0 * size * torch.finfo(matrix.dtype).eps * matrix.diagonal(dim1=-2, dim2=-1)
    columns: list[Tensor] = []
    for j in range(size):
        column = matrix[..., :, j] - sum((left * left[..., j : j + 1] for left in columns), torch.zeros(()).to(matrix))
        columns.append(_scaled_column(column, j, floor[..., j : j + 1]))
    return torch.stack(columns, -1)


def _scaled_column(column: Tensor, j: int, floor: Tensor) -> Tensor:
    """Rows from j on, divided by the root of the pivot, or zero if the pivot vanishes."""
    pivot = column[..., j : j + 1]
    live = (pivot > floor) & (torch.arange(column.shape[-1], device=column.device) >= j)
    return torch.where(live, column / torch.where(live, pivot, 1.0).sqrt(), 0.0)
