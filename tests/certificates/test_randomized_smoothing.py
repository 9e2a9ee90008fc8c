"""Randomized smoothing: exact on half-spaces, coverage as stated, early stopping."""

from __future__ import annotations

import math

import pytest
import torch
from attacks.models import digits, trained
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import binom, binomtest
from torch import Tensor, nn

from pdedsl.attacks import ddn
from pdedsl.certificates import gaussian, gaussian_at, lipschitz
from pdedsl.certificates.binomial import clopper_pearson_lower, log_mixture_martingale, min_count_above
from pdedsl.certificates.radius import cohen_radius, lipschitz_radius, required_probability, wang_radius

W = torch.tensor([3.0, 4.0])


def half_space(x: Tensor) -> Tensor:
    s = x @ W - 1.0
    return torch.stack([s, -s], 1)


def points(n: int) -> tuple[Tensor, Tensor]:
    x = 2.0 * torch.rand(n, 2, generator=torch.Generator().manual_seed(0)) - 1.0
    return x, (x @ W - 1.0).abs().double() / 5.0


def test_the_radius_of_a_half_space() -> None:
    """p = Φ(m/s), so that s Φ⁻¹(p) = m, the distance: no certificate is above it, and all come near.

    α = 1e-3 and 40 points: one is above with probability at most 0.04, for this seed none.
    """
    x, distance = points(40)
    result = gaussian(half_space, x, sigma=0.5, n=40_000)
    told = result.classes >= 0
    assert torch.equal(result.classes[told], half_space(x).argmax(1)[told])
    assert bool((result.radii <= distance)[told].all())
    easy = told & (distance < 1.0)
    assert (distance - result.radii)[easy].max() < 0.05
    assert bool((distance[~told] < 0.06).all())


def test_abstention() -> None:
    x = torch.zeros(3, 2) + W / 25.0  # on the boundary
    result = gaussian(half_space, x, sigma=0.5, n=2000)
    assert result.classes.tolist() == [-1, -1, -1]
    assert result.radii.tolist() == [0.0, 0.0, 0.0]
    assert result.lower.tolist() == [0.0, 0.0, 0.0]


def test_a_certificate_that_cannot_succeed_stops_early() -> None:
    """Three classes of equal probability: half of the hits are out of reach after three quarters of the draws."""

    def model(x: Tensor) -> Tensor:
        return torch.nn.functional.one_hot((x[:, 0] * 1e4).long().abs() % 3, 3).float()

    result = gaussian(model, torch.zeros(5, 1), sigma=1.0, n=4000)
    assert result.classes.tolist() == [-1] * 5
    assert bool((result.draws < 0.9 * 4000).all())


@settings(max_examples=100, deadline=None, derandomize=True)
@given(p=st.floats(0.501, 1.0 - 1e-9), sigma=st.floats(0.01, 10.0), d=st.integers(1, 5000))
def test_the_order_of_the_radii(p: float, sigma: float, d: int) -> None:
    """R_a ≤ R_L ≤ R_C, and R_L/R_a = √(2πd)."""
    at = torch.tensor([p], dtype=torch.float64)
    paper, lipschitz, exact = wang_radius(at, sigma, d), lipschitz_radius(at, sigma), cohen_radius(at, sigma)
    assert paper <= lipschitz <= exact + 1e-12
    assert (lipschitz / paper).item() == pytest.approx(math.sqrt(2.0 * math.pi * d))


def test_known_radii() -> None:
    """p = 0.9 and s = 0.25·√2, d = 3072."""
    p, s = torch.tensor([0.9], dtype=torch.float64), 0.25 * math.sqrt(2.0)
    assert cohen_radius(p, s).item() == pytest.approx(s * 1.2815515655446004)
    assert lipschitz_radius(p, s).item() == pytest.approx(0.25 * math.sqrt(math.pi) * 0.8)
    assert wang_radius(p, s, 3072).item() == pytest.approx(0.25 / math.sqrt(2 * 3072) * 0.8)


@pytest.mark.parametrize(("n", "alpha"), [(100, 1e-3), (10_000, 1e-3), (50, 0.05)])
def test_clopper_pearson_is_exact(n: int, alpha: float) -> None:
    hits = torch.arange(n + 1)[:: max(1, n // 50)]
    for k, bound in zip(hits.tolist(), clopper_pearson_lower(hits, n, alpha).tolist(), strict=True):
        assert bound == pytest.approx(binomtest(k, n, alternative="greater").proportion_ci(1 - alpha).low, abs=1e-9)
    enough = min_count_above(n, alpha)
    assert (
        clopper_pearson_lower(torch.tensor([enough]), n, alpha)
        > 0.5
        >= clopper_pearson_lower(torch.tensor([enough - 1]), n, alpha)
    )


def test_coverage_for_a_fixed_number_of_noise_samples() -> None:
    """P(p̲ > p) ≤ α, summed exactly over the binomial distribution: no simulation, no false alarm."""
    n, alpha = 200, 0.01
    bounds = clopper_pearson_lower(torch.arange(n + 1), n, alpha).numpy()
    for p in (0.3, 0.5, 0.77, 0.9, 0.99, 0.999):
        wrong = binom.pmf(range(n + 1), n, p)[bounds > p].sum()
        assert wrong <= alpha * (1 + 1e-9)


@pytest.mark.parametrize("p", [0.55, 0.8, 0.95])
def test_coverage_at_all_times(p: float) -> None:
    """M_n(p) ever reaches 1/α in at most α of all sequences. α = 0.05, 2000 sequences of 2000 draws.

    At a true rate of 0.05 more than 130 happen with probability 1.5e-3; rates below make it rarer still.
    """
    source = torch.Generator().manual_seed(int(1000 * p))
    hits = (torch.rand(2000, 2000, generator=source) < p).cumsum(1)
    draws = torch.arange(1, 2001).expand_as(hits)
    ever = (log_mixture_martingale(hits, draws, p) >= math.log(20.0)).any(1)
    assert ever.sum() <= 130
    assert ever.sum() >= 10  # not merely by being loose


def test_wealth_is_a_martingale() -> None:
    """E M_n = 1 under p, summed exactly."""
    for n, p in ((1, 0.3), (7, 0.6), (40, 0.9)):
        k = torch.arange(n + 1)
        wealth = log_mixture_martingale(k, torch.full_like(k, n), p).exp().numpy()
        assert (binom.pmf(range(n + 1), n, p) * wealth).sum() == pytest.approx(1.0)


def test_sequential_statements_are_true() -> None:
    x, distance = points(60)
    at = [0.1, 0.3, 0.6]
    result = gaussian_at(half_space, x, sigma=0.5, radii=at, max_samples=20_000, alpha=1e-3)
    right = half_space(x).argmax(1)
    truth = distance[:, None] > torch.tensor(at, dtype=torch.float64)
    assert not bool((result.certified & ~truth).any())
    chosen = (result.classes == right)[:, None] | (result.classes == -1)[:, None]
    assert bool(chosen.all())
    clear = ((distance[:, None] - torch.tensor(at)).abs() > 0.05).all(1)
    assert torch.equal(result.certified[clear], truth[clear])
    assert torch.equal(result.radii, (result.certified * torch.tensor(at, dtype=torch.float64)).amax(1))


@pytest.mark.parametrize(("p", "draws"), [(0.99, 30), (0.9, 86), (0.8, 346)])
def test_how_soon_it_stops(p: float, draws: float) -> None:
    """Mean draws at r/s = ½ and α = 1e-3 over 1000 sequences; a threshold of 2/α needs the numbers given here."""
    hits = (torch.rand(1000, 4000, generator=torch.Generator().manual_seed(1)) < p).cumsum(1)
    n = torch.arange(1, 4001).expand_as(hits)
    level = required_probability(0.5, 1.0)
    assert level == pytest.approx(float(ndtr(0.5)))
    told = (log_mixture_martingale(hits, n, level) >= math.log(1e3)) & (hits > level * n)
    assert told.any(1).all()
    assert (told.int().argmax(1) + 1).double().mean() < 1.05 * draws


def test_a_trained_model_needs_ten_times_fewer_noise_samples() -> None:
    """Than n = 100,000, at equal α, over a set of test samples; the selection counts, the undecided count in full."""
    data = digits()
    model = trained(0.1)
    result = gaussian_at(model, data.test_x[:40], sigma=0.25, radii=0.25, max_samples=20_000, n0=100, alpha=1e-3)
    open_ = ~(result.certified | result.refuted)[:, 0]
    assert result.draws.where(~open_, 100_000).double().mean() < 10_000
    assert result.certified.double().mean() > 0.3


def test_no_attack_on_the_average_succeeds_within_its_radius() -> None:
    """The average itself is attacked, through 50 fixed draws of the noise."""
    data, n = digits(), 12
    x, y = data.test_x[:n], data.test_y[:n]
    certificate = gaussian(trained(0.1), x, sigma=0.25, n=500, alpha=1e-3)
    noise = 0.25 * torch.randn(50, *x.shape[1:], generator=torch.Generator().manual_seed(9))

    def average(x: Tensor) -> Tensor:
        scores = trained(0.1)((x[:, None] + noise).flatten(0, 1))
        return scores.softmax(1).reshape(len(x), 50, -1).mean(1).log()

    told = certificate.classes >= 0
    attacked = ddn(average, x[told], certificate.classes[told], steps=10)
    assert bool((attacked.distances[attacked.fooled] > 0.9 * certificate.radii[told][attacked.fooled]).all())
    assert y is not None


def test_the_model_and_the_global_state_are_unchanged() -> None:
    model = nn.Sequential(nn.BatchNorm1d(2), nn.Dropout(0.5), nn.Linear(2, 3)).train()
    before, numbers = [value.clone() for value in model.state_dict().values()], torch.get_rng_state()
    x = torch.zeros(3, 2)
    first = gaussian(model, x, sigma=0.5, n=200, seed=1)
    assert all(torch.equal(a, b) for a, b in zip(before, model.state_dict().values(), strict=True))
    assert torch.equal(numbers, torch.get_rng_state())
    assert all(part.training for part in model.modules())
    assert all(parameter.requires_grad for parameter in model.parameters())
    torch.rand(3)
    assert torch.equal(first.lower, gaussian(model, x, sigma=0.5, n=200, seed=1).lower)


def test_batches_are_full() -> None:
    sizes: list[int] = []

    def model(x: Tensor) -> Tensor:
        sizes.append(len(x))
        return half_space(x)

    x, _ = points(7)
    gaussian(model, x, sigma=0.1, n0=64, n=1000, batch=64)
    assert sum(sizes) / (64 * len(sizes)) > 0.9
    assert max(sizes) == 64


def test_noise_of_no_size_is_refused() -> None:
    with pytest.raises(ValueError, match="must be positive"):
        gaussian(half_space, torch.zeros(1, 2), sigma=0.0)


def test_an_empty_batch() -> None:
    model, x = nn.Linear(3, 2), torch.rand(0, 3)
    drawn = gaussian(model, x, sigma=0.5), gaussian_at(model, x, sigma=0.5, radii=0.1)
    for found in (*drawn, lipschitz(model, x, constant=1.0)):
        assert (found.classes.shape, found.radii.shape) == ((0,), (0,))
