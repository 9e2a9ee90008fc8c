"""Noise blocks: their laws, and what every one of them must keep (streams, batches, devices, gradients)."""

from __future__ import annotations

import copy
import io
import math
import pickle
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from pdedsl.runtime.convection import Residual
from pdedsl.runtime.noise import (
    CorrelatedNoise,
    GaussianNoise,
    LaplaceNoise,
    RelativeNoise,
    ScaledNoise,
    cholesky,
)
from pdedsl.runtime.random_maps import Dropout, ShakeShake
from pdedsl.runtime.streams import Stream, drawing, frozen, mix, one_call, seed_noise, streams

FACTOR = torch.tensor([[1.0, 0.0, 0.0], [0.5, 2.0, 0.0], [-1.0, 0.3, 0.7]])


def norm_of(x: Tensor) -> Tensor:
    return x.norm(dim=1)


def diagonal_of(x: Tensor) -> Tensor:
    return torch.diag_embed(x)


class Twice(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return 2.0 * x


KINDS: dict[str, Callable[[int], nn.Module]] = {
    "gaussian": lambda seed: GaussianNoise(0.5, seed=seed),
    "learned": lambda seed: GaussianNoise(nn.Parameter(torch.tensor(0.5)), seed=seed),
    "laplace": lambda seed: LaplaceNoise(0.5, seed=seed),
    "relative": lambda seed: RelativeNoise(0.5, seed=seed),
    "scaled": lambda seed: ScaledNoise(norm_of, seed=seed),
    "correlated": lambda seed: CorrelatedNoise(FACTOR, seed=seed),
    "state-dependent": lambda seed: CorrelatedNoise(diagonal_of, seed=seed),
    "dropout": lambda seed: Residual(nn.Sequential(Twice(), Dropout(0.6, seed=seed)), 0.5),
    "stochastic depth": lambda seed: Residual(nn.Sequential(Twice(), Dropout(0.6, seed=seed, of="layer")), 0.5),
    "shake-shake": lambda seed: Residual(ShakeShake(Twice(), nn.Tanh(), seed=seed), 0.5),
}
every_kind = pytest.mark.parametrize("kind", list(KINDS))


def points(n: int = 6, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(n, 3, generator=torch.Generator().manual_seed(1), dtype=dtype) + 2.0


def test_mix_separates_words_and_their_order() -> None:
    keys = [mix(*words) for words in [(0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1), (2**40, 0)]]
    assert len({key & 0xFFFFFFFF for key in keys}) == len(keys)
    assert all(0 <= key < 2**63 for key in keys)


@every_kind
def test_the_users_generator_is_neither_read_nor_advanced(kind: str) -> None:
    block, x = KINDS[kind](0), points()
    outputs = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        before = torch.get_rng_state()
        seed_noise(block, 7)
        outputs.append((block.train()(x), block.eval()(x)))
        assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(outputs[0][0], outputs[1][0])
    assert torch.equal(outputs[0][1], outputs[1][1])


@every_kind
def test_evaluation_draws_anew_for_each_row_and_call(kind: str) -> None:
    """64 copies of one sample: rows and calls differ, and a second block with the seed repeats the calls."""
    block, twin, x = KINDS[kind](3).eval(), KINDS[kind](3).eval(), points(1).repeat(64, 1)
    calls = [block(x) for _ in range(3)]
    assert all(len(call.unique(dim=0)) > 1 for call in calls)
    assert not torch.equal(calls[0], calls[1])
    assert all(torch.equal(twin(x), call) for call in calls)
    seed_noise(block, 8)
    again = block(x)
    seed_noise(block, 8)
    assert torch.equal(block(x), again)


def test_noise_of_rows_and_calls_is_independent() -> None:
    """10³ numbers a row: |correlation| < 4.9/√1000 fails once in 10⁶, three times compared."""
    block = GaussianNoise(1.0, seed=0).eval()
    first, second = block(torch.zeros(2, 1000)), block(torch.zeros(2, 1000))
    for a, b in ((first[0], first[1]), (first[0], second[0]), (first[1], second[1])):
        assert abs(float((a * b).mean())) < 4.9 / math.sqrt(1000)


def test_many_evaluations_as_one_call() -> None:
    """The noise of a row does not depend on the size of the batches; the next call has another."""
    x, found = points(70), []
    for size in (70, 33, 8):
        block = GaussianNoise(1.0, seed=0).eval()
        with one_call(block) as begin:
            rows = []
            for start in range(0, 70, size):
                begin(start)
                rows.append(block(x[start : start + size]))
        found.append(torch.cat(rows))
        assert not torch.equal(block(x), found[-1])
        assert block.stream.row == 0
        assert block.stream.state.tolist()[1:] == [0, 2]
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])


@every_kind
def test_a_frozen_evaluation_repeats_itself_and_knows_no_batch(kind: str) -> None:
    block, x = KINDS[kind](3).eval(), points(9)
    with frozen(block):
        together = block(x)
        assert torch.equal(block(x), together)
        assert torch.equal(torch.cat([block(row) for row in x.split(1)]), together)
        order = torch.tensor([4, 0, 8, 2, 1])
        assert torch.equal(block(x[order]), together[order])
    assert not streams(block)[0].frozen
    assert streams(block)[0].state[1:].tolist() == [0, 0]


@every_kind
def test_draws_are_folded_without_changing_them(kind: str) -> None:
    block, x = KINDS[kind](3).eval(), points(4)
    with frozen(block):
        alone = []
        for k in range(16):
            with drawing(streams(block), k, 1):
                alone.append(block(x))
        with drawing(streams(block), 0, 16):
            folded = block(x.repeat(16, 1))
        torch.testing.assert_close(folded, torch.cat(alone))
        assert not all(torch.equal(alone[0], other) for other in alone)
        assert torch.equal(block(x), alone[0])  # the context leaves nothing behind


@every_kind
def test_training_is_independent_over_rows_and_steps_and_resumes(kind: str) -> None:
    block, x = KINDS[kind](3), points(1).repeat(64, 1)
    first = block(x)
    assert len(first.unique(dim=0)) > 1
    saved, second = copy.deepcopy(block.state_dict()), block(x)
    assert not torch.equal(first, second)
    resumed = KINDS[kind](99)
    resumed.load_state_dict(saved)
    assert torch.equal(resumed(x), second)


def test_an_evaluation_between_steps_changes_no_training_noise() -> None:
    x, block, other = points(), GaussianNoise(1.0, seed=0), GaussianNoise(1.0, seed=0)
    block.eval()(x)
    assert torch.equal(block.train()(x), other(x))


@pytest.mark.parametrize("cut", [1, 32, 50])
@pytest.mark.parametrize("samples", [1, 3])
def test_processes_that_share_a_batch_draw_what_one_would(cut: int, samples: int) -> None:
    x, halves, model = points(100), [], GaussianNoise(1.0, seed=0)
    for part, row in ((x[:cut], 0), (x[cut:], cut)):
        seed_noise(model, 5, row=row)
        with drawing(streams(model), 0, samples):
            halves.append(model(part.repeat(samples, 1)).reshape(samples, len(part), -1))
    seed_noise(model, 5)
    with drawing(streams(model), 0, samples):
        whole = model(x.repeat(samples, 1)).reshape(samples, len(x), -1)
    assert torch.equal(torch.cat(halves, 1), whole)
    assert len((whole - x).flatten(0, 1).unique(dim=0)) == samples * len(x)


def test_chunks_of_draws_belong_to_one_step() -> None:
    x, model = points(5), GaussianNoise(1.0, seed=0)
    with drawing(streams(model), 0, 4):
        whole = model(x.repeat(4, 1)).reshape(4, 5, -1)
    twin = GaussianNoise(1.0, seed=0)
    parts = []
    for first, count in ((0, 1), (1, 3)):
        with drawing(streams(twin), first, count):
            parts.append(twin(x.repeat(count, 1)).reshape(count, 5, -1))
    assert torch.equal(torch.cat(parts), whole)


def test_layers_have_different_streams() -> None:
    model = nn.Sequential(GaussianNoise(1.0, seed=0), nn.Identity(), GaussianNoise(1.0, seed=0)).eval()
    seed_noise(model, 4)
    a, b = (stream(torch.zeros(1, 1000)) for stream in streams(model))
    # Two independent streams of 1000: |correlation| < 4.9/√1000 fails once in 10⁶.
    assert abs(float((a * b).mean())) < 4.9 / math.sqrt(1000)


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["deepcopy", "pickle"])
@every_kind
def test_copies_are_independent_and_equal(kind: str, copier: Callable[[nn.Module], nn.Module]) -> None:
    block, x = KINDS[kind](3), points()
    block(x)
    twin = copier(block)
    assert torch.equal(twin(x), block(x))
    twin(x)
    assert torch.equal(twin.eval()(x), block.eval()(x))
    assert streams(twin)[0].state[1] == 3
    assert streams(block)[0].state[1] == 2


@every_kind
@pytest.mark.parametrize("training", [True, False])
def test_meta_device(kind: str, training: bool) -> None:
    block = KINDS[kind](0).to("meta").train(training)
    x = torch.empty(5, 3, device="meta", requires_grad=True)
    y = block(x)
    y.sum().backward()
    assert y.shape == (5, 3)
    assert y.is_meta
    assert x.grad is not None


@every_kind
def test_gradcheck(kind: str) -> None:
    block = KINDS[kind](0).eval().double()
    x = points(3, torch.float64).requires_grad_()
    with frozen(block):
        assert torch.autograd.gradcheck(block, x)
    assert block(x).dtype == torch.float64


@every_kind
def test_half_precision(kind: str) -> None:
    block = KINDS[kind](0).to(torch.bfloat16)
    assert block(points(3, torch.bfloat16)).dtype == torch.bfloat16
    assert block.eval()(points(3, torch.bfloat16)).dtype == torch.bfloat16


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


def test_relative_noise_of_one_number_is_refused() -> None:
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


def test_stochastic_depth_drops_whole_maps() -> None:
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
    with frozen(block):
        torch.testing.assert_close(block.eval()(y), block(x))


def test_reseeding_starts_again() -> None:
    stream, x = Stream(5), points()
    first = stream(x)
    stream(x)
    stream.reseed(5)
    assert torch.equal(stream(x), first)
