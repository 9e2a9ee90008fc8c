"""What noise is: moments, covariance, laws, keep-probabilities."""

from __future__ import annotations

import io
import math
from collections.abc import Callable

import pytest
import torch
from torch import nn

from pdedsl.runtime.rng import RandomStream, frozen_noise
from pdedsl.runtime.sde.noise import CorrelatedNoise, GaussianNoise, LaplaceNoise, RelativeNoise, ScaledNoise, cholesky
from pdedsl.runtime.sde.random_residual import Dropout, ShakeShake
from runtime.noises import FACTOR, KINDS, Twice, points


def test_state_is_loadable_as_weights_only() -> None:
    block, file = GaussianNoise(1.0, seed=0), io.BytesIO()
    torch.save(block.state_dict(), file)
    file.seek(0)
    assert set(torch.load(file, weights_only=True)) == {"stream.state"}


@pytest.mark.parametrize("kind", ["gaussian", "laplace"])
def test_moments(kind: str) -> None:
    """4·10⁵ draws: mean and variance within 4.9 standard errors (one false alarm in 10⁶); the fourth tells the law."""
    noise = KINDS[kind](0)(torch.zeros(400, 1000)).double() / 0.5
    fourth = 3.0 if kind == "gaussian" else 6.0
    assert abs(noise.mean()) < 4.9 / math.sqrt(4e5)
    assert abs(noise.var() - 1.0) < 4.9 * math.sqrt((fourth - 1.0) / 4e5)
    assert abs((noise**4).mean() - fourth) < 0.3


def test_laplace_is_finite() -> None:
    assert LaplaceNoise(1.0, seed=0)(torch.zeros(4096, 4096)).isfinite().all()


def test_relative_noise_is_relative() -> None:
    x = torch.cat([points(1), 10.0 * points(1)]).repeat(1, 50)
    block = RelativeNoise(0.1, seed=0).eval()
    block.stream.frozen = True
    noise = block(x) - x
    torch.testing.assert_close(noise[1], 10.0 * noise[0], rtol=1e-3, atol=1e-5)
    torch.testing.assert_close(noise[0], 0.1 * x[0].std() * block.stream(x)[0], rtol=1e-3, atol=1e-5)
    batch = RelativeNoise(0.1, seed=0, across="batch").eval()
    batch.stream.frozen = True
    torch.testing.assert_close(batch(x), x + 0.1 * x.std() * batch.stream(x))


def test_relative_noise_has_a_gradient_at_a_constant_sample() -> None:
    x = torch.ones(2, 4, requires_grad=True)
    RelativeNoise(0.1, seed=0)(x).sum().backward()
    assert x.grad is not None
    assert x.grad.isfinite().all()


def test_relative_noise_of_one_number_is_rejected() -> None:
    with pytest.raises(ValueError, match="at least two numbers"):
        RelativeNoise(0.1, seed=0)(torch.ones(3, 1))


def test_covariance_of_correlated_noise() -> None:
    noise = CorrelatedNoise(FACTOR.double(), seed=0)(torch.zeros(200_000, 3, dtype=torch.float64))
    target = FACTOR.double() @ FACTOR.double().T
    error = (2.0 * target.diagonal().outer(target.diagonal()) / 200_000).sqrt()  # an upper bound of the standard error
    assert ((noise.T @ noise / 200_000 - target).abs() < 5.3 * error).all()  # 9 entries: one false alarm in 10⁶


def test_cholesky_of_definite_and_degenerate_matrices() -> None:
    a = (FACTOR @ FACTOR.T).double()
    torch.testing.assert_close(cholesky(a), torch.linalg.cholesky(a))
    v = torch.tensor([[1.0, 2.0, -1.0], [0.0, 3.0, 0.0]], dtype=torch.float64)
    rank_one = v.unsqueeze(-1) * v.unsqueeze(-2)
    factor = cholesky(rank_one)
    torch.testing.assert_close(factor @ factor.mT, rank_one)
    assert torch.autograd.gradcheck(lambda m: cholesky(m @ m.T), FACTOR.double().requires_grad_())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_small_directions_keep_their_noise(dtype: torch.dtype) -> None:
    """LLᵀ = A entry by entry, relative to √(aᵢᵢ aⱼⱼ), however different the sizes of the coordinates are."""
    scale = torch.tensor([1.0, 7e-4, 1e-9], dtype=dtype)
    a = (FACTOR @ FACTOR.T).to(dtype) * scale.outer(scale)
    for matrix in (a, a.flip(0, 1), torch.diag(torch.tensor([1.0, 5e-7, 0.0], dtype=dtype)), scale.outer(scale)):
        root = matrix.diagonal().sqrt()
        error = (cholesky(matrix) @ cholesky(matrix).mT - matrix).abs()
        assert (error <= 20 * torch.finfo(dtype).eps * root.outer(root)).all()
        assert torch.equal(cholesky(matrix).norm(dim=1) > 0, root > 0)


@pytest.mark.parametrize(
    "block",
    [
        lambda law: CorrelatedNoise(FACTOR.double(), seed=0, law=law),
        lambda law: CorrelatedNoise(lambda x: FACTOR.double().expand(len(x), 3, 3), seed=0, law=law),
        lambda law: ScaledNoise(lambda x: x.new_full((len(x),), 2.0), seed=0, law=law),
    ],
)
def test_laplace_in_every_shape(block: Callable[[str], nn.Module]) -> None:
    """E (w·ξ)⁴ of w·ξ = Σ wₖξₖ is 3|w|⁴ for Gaussian ξ, and 3Σₖ wₖ⁴ more for Laplace ξ, of kurtosis 6; the covariance
    is the same. 4·10⁵ rows, within 5.3 standard errors that are taken from the sample: one false alarm in 10⁶."""
    n = 400_000
    for law, excess in (("normal", 0.0), ("laplace", 3.0)):
        noise = block(law)(torch.zeros(n, 3, dtype=torch.float64))
        weights = (
            FACTOR.double() if isinstance(block(law), CorrelatedNoise) else 2.0 * torch.eye(3, dtype=torch.float64)
        )
        for power, exact in (
            (2, weights.square().sum(1)),
            (4, 3 * weights.square().sum(1) ** 2 + excess * weights.pow(4).sum(1)),
        ):
            found = noise.pow(power)
            assert ((found.mean(0) - exact).abs() < 5.3 * found.std(0) / math.sqrt(n)).all()


@pytest.mark.parametrize("dt", [0.1, 0.5, 1.0])
def test_dropout_in_a_step_has_the_papers_diffusivity(dt: float) -> None:
    """Var(Δt·v·z/p)/(2Δt) = (1−p₀)/(2p₀)·v² with p = p₀Δt/(p₀Δt + 1 − p₀) (Wang, Tao, Bao, Shi, table 1).

    10⁶ draws, within 4.9 standard errors: one false alarm in 10⁶.
    """
    p0, v, n = 0.8, 1.7, 10**6
    p = p0 * dt / (p0 * dt + 1 - p0)
    steps = dt * Dropout(p, seed=0)(torch.full((1000, n // 1000), v, dtype=torch.float64))
    assert abs(steps.mean() - dt * v) < 4.9 * float(steps.std()) / math.sqrt(n)
    squares = (steps - dt * v).square() / (2 * dt)
    assert abs(squares.mean() - (1 - p0) / (2 * p0) * v**2) < 4.9 * float(squares.std()) / math.sqrt(n)


def test_stochastic_depth_drops_residual_branches() -> None:
    z = Dropout(0.5, seed=0, of="layer")(torch.ones(100, 4, 5, 5))
    assert set(z.flatten(1).std(1).tolist()) == {0.0}
    assert set(z.unique().tolist()) == {0.0, 2.0}


def test_shake_shake_has_the_stated_mean_and_variance() -> None:
    """Mean (f+g)/2, variance (f−g)²/12; 10⁵ draws, within 4.9 standard errors."""
    y = ShakeShake(Twice(), nn.Identity(), seed=0)(torch.ones(10**5, 1, dtype=torch.float64))
    assert abs(y.mean() - 1.5) < 4.9 * math.sqrt(1 / 12 / 1e5)
    assert abs(y.var() - 1 / 12) < 4.9 * math.sqrt((1 / 80 - 1 / 144) / 1e5)


@pytest.mark.parametrize("keep", [0.0, 1.5])
def test_keep_probability_is_checked(keep: float) -> None:
    with pytest.raises(ValueError, match="keep-probability"):
        Dropout(keep, seed=0)


def test_channels_last_keeps_its_layout_and_the_values_of_frozen_noise() -> None:
    x = torch.randn(4, 3, 5, 6, generator=torch.Generator().manual_seed(0))
    y = x.contiguous(memory_format=torch.channels_last)
    block = RelativeNoise(0.3, seed=0)
    assert block(y).is_contiguous(memory_format=torch.channels_last)
    with frozen_noise(block):
        torch.testing.assert_close(block.eval()(y), block(x))


def test_reseeding_starts_again() -> None:
    stream, x = RandomStream(5), points()
    first = stream(x)
    stream(x)
    stream.reseed(5)
    assert torch.equal(stream(x), first)
