"""Warm-up, gradients in parts of a batch, averages, perturbations and selection of the weights."""

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


def test_stochastic_weight_averaging(tmp_path: Path) -> None:
    """The mean of the weights after the steps 6, 7 and 8 of 8: ⌈0.6·8⌉ = 5 steps are before."""
    steps = [trained(tmp_path / str(k), f"train.steps={k}") for k in (6, 7, 8)]
    found = trained(tmp_path / "mean", "train.steps=8", "train.average=swa(start=0.6)")
    for name, tensor in found.items():
        if tensor.is_floating_point():
            mean = torch.stack([step[name] for step in steps]).mean(0)
            torch.testing.assert_close(tensor, mean, rtol=1e-9, atol=1e-9)  # rounding


def test_perturbed_weights_are_those_of_the_formula(tmp_path: Path) -> None:
    """One step of gradient descent: w - η g(w + γ ‖w‖ g/‖g‖), against gradients of torch at these weights."""
    from pdedsl.data.batches import BatchOrder
    from pdedsl.runs.experiment import config_of, data_of
    from pdedsl.runtime.rng import hash_words

    gamma, rate = 0.1, 0.5
    settings = ("train.steps=1", f"train.optimizer=sgd(lr={rate})", f"train.perturb=awp(gamma={gamma})")
    found = trained(tmp_path / "run", *settings)
    compilation = pdedsl.compile(specs.MOONS)
    data = data_of(compilation, config_of(compilation.spec), None)
    rows = BatchOrder(hash_words(0, 0), 200, 50).at(0)
    x, y = data.train.batch(rows, torch.device("cpu"), torch.float64)
    start = pdedsl.train(specs.MOONS, tmp_path / "start", set=("train.steps=1", "train.optimizer=sgd(lr=1e-30)"))
    model = start.module.double().train()

    def gradients() -> list[torch.Tensor]:
        model.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        return [w.grad.clone() for w in model.parameters() if w.grad is not None]

    before, first = [w.detach().clone() for w in model.parameters()], gradients()
    with torch.no_grad():
        for w, g in zip(model.parameters(), first, strict=True):
            if w.dim() > 1:
                w += gamma * w.norm() * g / g.norm()
    second = gradients()
    for name, w, g in zip(dict(model.named_parameters()), before, second, strict=True):
        torch.testing.assert_close(found[name], w - rate * g, rtol=1e-6, atol=1e-6)  # the start is in single precision


def accuracies(text: str, folder: Path, *settings: str) -> tuple[list[float], pdedsl.Run]:
    from pdedsl.runs.events import Assessed
    from training.test_resume import Heard

    listener = Heard()
    run = pdedsl.train(text, folder, set=settings, listeners=(listener,))
    return [event.accuracy or 0.0 for event in listener.of(Assessed)], run


VALIDATED = ("train.data.validation=0.3", "train.optimizer=adam(lr=0.3)", "train.epochs=12")


def test_the_best_weights_are_selected(tmp_path: Path) -> None:
    found, run = accuracies(specs.MOONS, tmp_path / "run", *VALIDATED, "train.select=validation")
    assert max(found) > found[-1]  # else nothing is selected
    assert run.metrics["validation_accuracy"] == pytest.approx(max(found))


def test_early_stopping_and_resumption(tmp_path: Path) -> None:
    """Training ends `patience` validations after the highest accuracy, also if it was interrupted before. There is a
    validation every second epoch."""
    whole, _ = accuracies(specs.MOONS, tmp_path / "whole", *VALIDATED)
    last = next(k for k in range(2, 6) if max(whole[: k - 1]) >= max(whole[k - 1 : k + 1]))
    stopped, run = accuracies(specs.MOONS, tmp_path / "run", *VALIDATED, "train.select=validation(patience=2)")
    assert stopped == whole[: last + 1]
    settings = (*VALIDATED, "train.select=validation(patience=2)")
    pdedsl.train(specs.MOONS, tmp_path / "short", set=(*settings, "train.epochs=4"), listeners=())
    again = pdedsl.train(specs.MOONS, tmp_path / "short", set=settings, resume=True, listeners=())
    assert all(torch.equal(weights(run)[name], tensor) for name, tensor in weights(again).items())


def test_robust_selection(tmp_path: Path) -> None:
    """The selected weights have the highest accuracy on the adversarial examples of the validation samples."""
    settings = (*VALIDATED, "train.adversary=pgd(eps=0.2, steps=2)", "train.epochs=3", "train.average=ema(decay=0.5)")
    _, run = accuracies(specs.MOONS, tmp_path / "run", *settings, "train.select=robust")
    _, plain = accuracies(specs.MOONS, tmp_path / "plain", *settings)
    from pdedsl.config.training import PgdAdversary
    from pdedsl.runs.distributed import World
    from pdedsl.runs.experiment import config_of, data_of
    from pdedsl.training.losses import Adversary
    from pdedsl.training.losses.adversarial import robust_accuracy

    compilation = pdedsl.compile(specs.MOONS.replace("noise=0.2)", "noise=0.2, validation=0.3)"))
    data, attack = data_of(compilation, config_of(compilation.spec), None), Adversary(PgdAdversary(eps=0.2, steps=2))
    assert data.validation is not None
    world = World(torch.device("cpu"))
    selected, final = (
        robust_accuracy(each.module, attack, data.validation, world, torch.float32) for each in (run, plain)
    )
    assert selected >= final
