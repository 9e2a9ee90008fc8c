"""The fused layer noise equals the plain formula, in value and in every derivative."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdedsl.config.methods import NormReduction
from pdedsl.runtime.sde.noise import RelativeNoise, RelativeNoiseFunction, add_relative_noise, std

both = pytest.mark.parametrize("across", list(NormReduction))


def state(seed: int) -> Tensor:
    return torch.randn(3, 2, 2, 2, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def fused(x: Tensor, noise: Tensor, across: NormReduction) -> Tensor:
    value: Tensor = RelativeNoiseFunction.apply(x, noise, 0.7, across)[0]
    return value


@both
def test_value_and_std(across: NormReduction) -> None:
    x, noise = state(0), state(1)
    torch.testing.assert_close(fused(x, noise, across), add_relative_noise(x, noise, 0.7, across))
    expected = x.std((1, 2, 3)) if across is NormReduction.SAMPLE else x.std()
    torch.testing.assert_close(std(x, across).squeeze(), expected)


@both
def test_derivatives(across: NormReduction) -> None:
    x, noise = state(0).requires_grad_(), state(1)
    assert torch.autograd.gradcheck(lambda x: fused(x, noise, across), x, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(lambda x: fused(x, noise, across), x)


@both
def test_zero_derivative_at_a_constant_state(across: NormReduction) -> None:
    x = torch.full((2, 4), 3.0, requires_grad=True)
    fused(x, torch.ones(2, 4), across).sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad, torch.ones(2, 4))


def test_per_sample_gradients_by_vmap() -> None:
    x, noise = state(0), state(1)
    slope = torch.func.vmap(torch.func.grad(lambda x, n: fused(x[None], n[None], NormReduction.SAMPLE).square().sum()))(
        x, noise
    )
    whole = torch.func.grad(lambda x: add_relative_noise(x, noise, 0.7, NormReduction.SAMPLE).square().sum())(x)
    torch.testing.assert_close(slope, whole)


def test_training_follows_the_formula() -> None:
    x = state(0)
    block, twin = RelativeNoise(0.7, seed=0), RelativeNoise(0.7, seed=0)
    torch.testing.assert_close(block(x), add_relative_noise(x, twin.stream(x), 0.7, NormReduction.SAMPLE))
