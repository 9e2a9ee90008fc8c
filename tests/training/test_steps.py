"""Warm-up, gradients in parts of a batch, and the moving average of the weights."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import pdedsl
from pdedsl.config.training import ConstantRate, Cosine, Step
from pdedsl.runs.optimizers import learning_rate_factor
from training import specs
from training.runs import weights

DECAY = 0.9


@pytest.mark.parametrize("schedule", [ConstantRate(warmup=3), Step(every=100, warmup=3), Cosine(warmup=3)])
def test_warm_up(schedule: ConstantRate | Step | Cosine) -> None:
    factors = [learning_rate_factor(schedule, t, 1e9) for t in range(4)]
    assert factors == pytest.approx([0.25, 0.5, 0.75, 1.0], abs=1e-12)  # cosine: 1 - O((t/length)²)


def test_without_warm_up_the_hash_is_that_of_older_specs() -> None:
    text = specs.MOONS.replace("  optimizer", "  schedule step(every=3)\n  optimizer")
    hashes = {pdedsl.parse(text.replace("every=3", f"every=3{more}")).hash for more in ("", ", warmup=0")}
    assert len(hashes) == 1
    assert pdedsl.parse(text.replace("every=3", "every=3, warmup=1")).hash not in hashes


def trained(folder: Path, *settings: str, text: str = specs.MOONS) -> dict[str, torch.Tensor]:
    always = ("train.precision=float64", "train.epochs=2")
    return dict(weights(pdedsl.train(text, folder, set=(*always, *settings), listeners=())))


@pytest.mark.parametrize("text", [specs.MOONS, specs.NOISY], ids=["moons", "noise"])
def test_parts_of_a_batch_have_the_same_steps(text: str, tmp_path: Path) -> None:
    """Also with weight decay in the loss, adversarial examples and noise: 50 samples in parts of 13, 13, 13 and 11."""
    settings = ("train.adversary=pgd(eps=0.1, steps=2)", "train.regularize=weights(0.01)")
    whole = trained(tmp_path / "whole", *settings, text=text)
    parts = trained(tmp_path / "parts", *settings, "train.accumulate=4", text=text)
    assert all(torch.allclose(whole[name], parts[name], rtol=1e-9, atol=1e-9) for name in whole)  # rounding


def test_the_average_is_that_of_all_steps(tmp_path: Path) -> None:
    """Against the weights of shorter runs, which have the same steps: 8 steps of 50 samples."""
    steps = [trained(tmp_path / str(k), f"train.steps={k}") for k in range(1, 9)]
    found = trained(tmp_path / "mean", "train.steps=8", f"train.average=ema({DECAY})")
    for name, expected in steps[0].items():
        if expected.is_floating_point():
            average = expected.clone()
            for k in range(1, 8):
                decay = min(DECAY, (1 + k) / (10 + k))
                average = decay * average + (1 - decay) * steps[k][name]
            torch.testing.assert_close(found[name], average, rtol=1e-9, atol=1e-9)  # rounding


def test_a_resumed_run_has_the_same_average(tmp_path: Path) -> None:
    average = f"train.average=ema({DECAY})"
    whole = trained(tmp_path / "whole", "train.steps=8", average)
    trained(tmp_path / "short", "train.steps=5", average)
    settings = ("train.precision=float64", "train.steps=8", average)
    resumed = pdedsl.train(specs.MOONS, tmp_path / "short", set=settings, resume=True, listeners=())
    assert all(torch.equal(whole[name], tensor) for name, tensor in weights(resumed).items())
