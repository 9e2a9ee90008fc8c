"""Stochastic models: EOT gradients, and success by the mean over new noise samples."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from attacks.all_attacks import ONCE, attack, short
from pdedsl.attacks import Predictor, boundary, ifgsm, pgd, square
from pdedsl.attacks.criterion import Criterion
from pdedsl.attacks.pgd import MIN_CHECKED_ROWS
from pdedsl.attacks.predictor import mean_logits


def lucky(x: Tensor) -> Tensor:
    """Class 0 with probability 0.98 or, one time in four, class 1 with probability 0.9: the mean is class 0."""
    slip = torch.rand(len(x), 1) < 0.25
    good, bad = torch.tensor([[0.98, 0.02]]), torch.tensor([[0.1, 0.9]])
    return torch.where(slip, bad, good).log() + 0.0 * x.sum(1, keepdim=True)


@pytest.mark.parametrize("eot", [1, 3])
@pytest.mark.parametrize(("name", "norm"), ONCE)
def test_one_noise_sample_does_not_decide_success(name: str, norm: str, eot: int) -> None:
    """Of 32 draws at least 18 must slip: a chance of 1.6e-4 for a sample, 1.7 % for all 104 here; seeds are fixed."""
    x, y = torch.rand(4, 5), torch.zeros(4, dtype=torch.long)
    result = attack(name, norm)(lucky, x, y, eps=0.2, eot=eot)
    assert result.draws == 32
    assert not result.fooled.any()


def noisy(x: Tensor) -> Tensor:
    """A linear model under noise as large as its margins."""
    w = torch.tensor([1.0, -2.0, 0.5, 1.0])
    s = (x + 0.3 * torch.randn_like(x)) @ w
    return torch.stack([s, -s], 1)


@pytest.mark.parametrize(("name", "norm"), [case for case in ONCE if case[0] != "fgsm"])
def test_the_mean_is_attacked(name: str, norm: str) -> None:
    """By symmetry the mean prediction is that of the noiseless model, so that the distances are known."""
    w = torch.tensor([1.0, -2.0, 0.5, 1.0])
    x = torch.rand(40, 4, generator=torch.Generator().manual_seed(0)) - 0.4
    y = (x @ w < 0).long()
    distance = (x @ w).abs() / (w.norm() if norm == "2" else w.abs().sum())
    eps = distance.median().item()
    result = short(name, norm)(Predictor(noisy, eot=8, draws=200), x, y, eps=eps)
    near, far = distance < 0.5 * eps, distance > 1.8 * eps
    assert result.fooled[near].double().mean() > 0.85
    assert not result.fooled[far].any()


def test_noise_is_noticed_and_its_absence_too() -> None:
    x, y = torch.rand(6, 4), torch.zeros(6, dtype=torch.long)
    assert pgd(noisy, x, y, eps=0.1).draws == 32
    assert pgd(lambda x: x[:, :2], x, y, eps=0.1).draws == 1
    assert pgd(Predictor(noisy, draws=7), x, y, eps=0.1).draws == 7


def test_rare_noise_is_noticed() -> None:
    """A model that slips once in a thousand calls draws random numbers in all of them."""

    def seldom(x: Tensor) -> Tensor:
        return x[:, :2] if torch.rand(()) > 1e-3 else -x[:, :2]

    assert pgd(seldom, torch.rand(6, 4), torch.zeros(6, dtype=torch.long), eps=0.1).draws == 32


def test_queries_of_the_black_box_are_averages() -> None:
    calls = []

    def counted(x: Tensor) -> Tensor:
        calls.append(len(x))
        return noisy(x)

    x, y = torch.zeros(1, 4) + 5.0, torch.zeros(1, dtype=torch.long)
    for run in (square, boundary):
        counts = []
        for eot in (1, 5):
            calls.clear()
            run(Predictor(counted, eot=eot, draws=2), x, (noisy(x).argmax(1) + 0 * y), eps=0.01, queries=50)
            counts.append(len(calls))
        assert counts[1] > 3 * counts[0]


def test_probabilities_are_averaged_not_scores() -> None:
    scores = torch.tensor([[[10.0, 0.0]], [[-1.0, 0.0]], [[-1.0, 0.0]]])
    assert scores.mean(0).argmax(1) == 0
    p = scores.softmax(-1).mean(0)
    torch.testing.assert_close(mean_logits(scores).exp(), p)
    assert Criterion(torch.tensor([0])).is_satisfied(mean_logits(scores)).item() == (p[0, 0].item() < 0.5)


def test_no_queries_after_success() -> None:
    sizes = []

    def model(x: Tensor) -> Tensor:
        sizes.append(len(x))
        s = x.sum(1)
        return torch.stack([s, -s], 1)

    x = torch.tensor([[0.01, 0.0], [0.1, 0.1], [5.0, 5.0], [-1.0, 0.0]])
    y = torch.zeros(4, dtype=torch.long)
    result = pgd(Predictor(model, draws=1), x, y, eps=0.5, step=0.05, steps=30)
    assert result.fooled.tolist() == [True, True, False, True]
    assert sizes[0] == 4
    assert sizes[1] <= 3  # the last is wrong from the start
    assert sizes[-2] == 1
    assert result.rows == sum(sizes) + sum(sizes[1:-1])
    assert sizes[-1] == 4  # only one draw was asked for, and the result is to hold for another
    again = pgd(model, x, y, eps=0.5, step=0.05, steps=30)
    assert torch.equal(again.fooled, result.fooled)
    assert sizes[-1] == 1  # the model was seen to repeat its answers


def test_no_gradient_after_the_last_success() -> None:
    """The loss of a linear model with two classes is linear: it is known which step leads across."""
    sizes: list[tuple[int, bool]] = []

    def model(x: Tensor) -> Tensor:
        sizes.append((len(x), x.requires_grad))
        s = x.sum(1)
        return torch.stack([s, -s], 1)

    depth = torch.tensor([0.12, 0.32, 0.52, 0.72], dtype=torch.float64)
    x = depth.repeat_interleave(MIN_CHECKED_ROWS)[:, None].expand(-1, 2)
    result = ifgsm(model, x, torch.zeros(len(x), dtype=torch.long), eps=1.0, step=0.05, steps=20)
    assert result.fooled.all()
    assert sum(n for n, gradient in sizes if gradient) == MIN_CHECKED_ROWS * (3 + 7 + 11 + 15)
