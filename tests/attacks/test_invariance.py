"""A constant added to all scores, or log-probabilities in the place of logits, change no result."""

from __future__ import annotations

import copy

import pytest
import torch
from attacks.every import CASES, attack
from attacks.models import digits, trained
from torch import Tensor

from pdedsl.attacks import fgsm, pgd


@pytest.mark.parametrize(("name", "norm"), CASES)
def test_shifts_and_log_probabilities(name: str, norm: str) -> None:
    """In double precision, so that rounding decides nothing."""
    model = copy.deepcopy(trained(0.1)).double()
    x, y = digits().test_x[:30].double(), digits().test_y[:30]
    run = attack(name, norm)
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
    from pdedsl.attacks.first_order import Climb, ascend
    from pdedsl.attacks.goal import Goal, log_odds
    from pdedsl.attacks.norms import Linf
    from pdedsl.attacks.region import region
    from pdedsl.attacks.task import Box

    model, x, y = trained(0.1), digits().test_x[:20], digits().test_y[:20]
    space = region(Linf(), x, 0.2, Box(0.0, 1.0))
    climb = Climb(Linf(), 0.05, 10, log_odds, stop=False)
    predictor, goal = Predictor_(model), Goal(y)
    z = ascend(predictor, x, goal, space, climb)
    stopped = pgd(model, x, y, eps=0.2, bounds=(0.0, 1.0)).x
    assert log_odds(model(z), goal).sum() > log_odds(model(stopped), goal).sum()


def Predictor_(model: torch.nn.Module) -> object:  # noqa: N802
    from pdedsl.attacks import Predictor

    return Predictor(model, draws=1)
