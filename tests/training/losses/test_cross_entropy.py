"""Cross-entropy of the mean and of each member, and the terms that see the weights alone."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from pdedsl.config.training import SmoothInTime, Weights
from pdedsl.data.sampling import KeyedRng
from pdedsl.runtime.sde.feynman_kac import Expectation
from pdedsl.training.losses import CrossEntropyLoss, Regularization
from pdedsl.training.losses.weight_penalty import smooth_in_time, weight_decay
from training.losses.exact import points, seeded

DRAWS = KeyedRng(0, 0)


def three() -> Expectation:
    model = seeded(lambda: Expectation([nn.Linear(4, 2) for _ in range(3)], seed=0))
    assert isinstance(model, Expectation)
    return model


def value(model: nn.Module, x: Tensor, y: Tensor, apart: bool = False) -> Tensor:
    return CrossEntropyLoss(apart)(model, x, y, DRAWS)["cross_entropy"]


def test_of_the_mean() -> None:
    model, (x, y) = three(), points(10, 4)
    mean = torch.stack([member(x).softmax(-1) for member in model.members]).mean(0)
    torch.testing.assert_close(value(model, x, y), functional.nll_loss(mean.log(), y), rtol=1e-13, atol=0)


def test_independent_training_has_the_gradients_of_single_members() -> None:
    model, (x, y) = three(), points(10, 4)
    found = value(nn.Sequential(model), x, y, apart=True)
    alone = [functional.cross_entropy(member(x), y) for member in model.members]
    torch.testing.assert_close(found, torch.stack(alone).sum(), rtol=1e-13, atol=0)
    for member, loss in zip(model.members, alone, strict=True):
        weights = list(member.parameters())
        together = torch.autograd.grad(found, weights, retain_graph=True)
        torch.testing.assert_close(together, torch.autograd.grad(loss, weights), rtol=1e-12, atol=1e-15)


def test_apart_without_an_ensemble_is_the_same() -> None:
    model, (x, y) = seeded(lambda: nn.Linear(4, 2)), points(10, 4)
    assert torch.equal(value(model, x, y, apart=True), value(model, x, y))


@pytest.mark.parametrize("apart", [False, True])
def test_loss_of_a_batch_is_the_mean_over_its_halves(apart: bool) -> None:
    model, (x, y) = three(), points(40, 4)
    mean = 0.25 * value(model, x[:10], y[:10], apart) + 0.75 * value(model, x[10:], y[10:], apart)
    torch.testing.assert_close(mean, value(model, x, y, apart), rtol=1e-13, atol=0)


@pytest.mark.parametrize("apart", [False, True])
def test_mixed_precision_on_meta_tensors(apart: bool) -> None:
    model, (x, y) = three().float(), points(40, 4)
    plain = value(model, x.float(), y, apart)
    with torch.autocast("cpu", torch.bfloat16):
        rounded = value(model, x.float(), y, apart)
    assert rounded.dtype == torch.float32
    assert 0 < abs(rounded - plain) < 2.0**-7 * plain
    assert value(model.to("meta"), x.float().to("meta"), y.to("meta"), apart).shape == ()


def test_regularizers_by_name() -> None:
    model = three()
    terms = Regularization((Weights(weight=0.5), SmoothInTime(weight=2.0)))(model)
    assert list(terms) == ["weights", "smooth_in_time"]
    assert torch.equal(terms["weights"], 0.5 * weight_decay(model))
    assert torch.equal(terms["smooth_in_time"], 2.0 * smooth_in_time(model))
