"""Invariance of the attacks under a shift of the logits, and for log-probabilities instead of logits."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor

from attacks.all_attacks import CASES, ONCE, attack, short
from attacks.models import digits, trained
from pdedsl.attacks import Box, Linf, Predictor, fgsm
from pdedsl.attacks.constraints import feasible_set
from pdedsl.attacks.criterion import Criterion, log_odds
from pdedsl.attacks.pgd import AscentConfig, ascend


@pytest.mark.parametrize(("name", "norm"), ONCE)
def test_shifts_and_log_probabilities(name: str, norm: str) -> None:
    """In double precision, so that rounding decides nothing."""
    model = copy.deepcopy(trained(0.1)).double()
    x, y = digits().test_x[:30].double(), digits().test_y[:30]
    run = short(name, norm)
    eps = 0.1 if norm == "inf" else 0.6
    variants = [model, lambda x: model(x) + 1000.0, lambda x: model(x).log_softmax(1)]
    results = [run(variant, x, y, eps=eps, bounds=(0.0, 1.0)) for variant in variants]
    for other in results[1:]:
        assert torch.equal(other.fooled, results[0].fooled)
    assert 0 < results[0].fooled.sum() < len(x)


def test_scores_of_any_size() -> None:
    """Cross-entropy would have no gradient here: p_y rounds to 1."""
    x = torch.rand(30, 4) + 0.1
    w = torch.tensor([1.0, 2.0, -1.0, 0.5])

    def model(x: Tensor) -> Tensor:
        s = 1e6 * (x @ w)
        return torch.stack([s, -s], 1)

    y = model(x).argmax(1)
    assert fgsm(model, x, y, eps=2.0).fooled.all()


def test_images_vectors_and_points() -> None:
    for shape in [(2,), (7,), (1, 5), (3, 6, 6), (1, 1, 1), (2, 3, 2, 2)]:
        x = torch.rand(6, *shape)
        w = torch.randn(2, x[0].numel(), generator=torch.Generator().manual_seed(0))

        def model(x: Tensor, w: Tensor = w) -> Tensor:
            return x.flatten(1) @ w.T

        y = model(x).argmax(1)
        for name, norm in CASES:
            result = attack(name, norm)(model, x, y, eps=100.0)
            assert result.x.shape == x.shape
            assert result.fooled.all(), (name, norm, shape)


def test_adversarial_training_can_go_on_after_success() -> None:
    """Without `stop` all rows make all steps, as training wants them."""
    model, x, goal = trained(0.1), digits().test_x[:20], Criterion(digits().test_y[:20])
    space = feasible_set(Linf(), x, 0.2, Box(0.0, 1.0))
    points = [
        ascend(Predictor(model, draws=1), x, goal, space, AscentConfig(Linf(), 0.05, 10, log_odds, stop=stop)).x
        for stop in (True, False)
    ]
    losses = [log_odds(model(z), goal).sum() for z in points]
    assert losses[1] > losses[0]


@pytest.mark.parametrize(("name", "norm"), CASES)
@pytest.mark.parametrize("kind", ["flat", "broken"])
def test_gradients_that_say_nothing(name: str, norm: str, kind: str) -> None:
    """Zero or not a number: the points stay finite and in place, and nobody is fooled but by chance."""

    def model(x: Tensor) -> Tensor:
        s = 1.0 + 0.0 * x.sum(1) if kind == "flat" else 1.0 + 0.0 * (x - x.detach()).norm(dim=1)
        return torch.stack([s, -s], 1)

    x, y = torch.rand(5, 3), torch.zeros(5, dtype=torch.long)
    result = attack(name, norm)(model, x, y, eps=0.1)
    assert result.x.isfinite().all()
    assert not result.fooled.any()
    assert (result.x - x).abs().max() <= 0.1
