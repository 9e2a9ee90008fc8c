"""Training runs: accuracy, reproducibility, entries of `train`, error messages."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

import pdedsl
from pdedsl.io import RunError
from pdedsl.runs.events import Started, Stepped
from pdedsl.runtime.rng import streams
from pdedsl.runtime.standardization import Standardize
from training import specs
from training.runs import IMAGES, heard, weights
from training.test_resume import Heard


def equal(one: pdedsl.Run, other: pdedsl.Run) -> bool:
    first, second = weights(one), weights(other)
    return all(torch.equal(first[name], second[name]) for name in first)


# ---- accuracy


def test_moons_are_classified(tmp_path: Path) -> None:
    settings = ("train.epochs=40", "train.data.test=1000", "train.data.noise=0.1")
    run = pdedsl.train(specs.MOONS, tmp_path / "run", set=settings)
    assert run.metrics["test_accuracy"] >= 0.97  # 0.99 and more with other seeds


def test_digits_are_read(tmp_path: Path) -> None:
    settings = ("train.epochs=12", "train.data=digits", "train.schedule=cosine(warmup=1)")
    run = pdedsl.train(specs.DIGITS, tmp_path / "run", set=settings)
    assert run.metrics["test_accuracy"] >= 0.95


def test_diffusion_by_residual_still_classifies(tmp_path: Path) -> None:
    run = pdedsl.train(specs.RESIDUAL, tmp_path / "run", set=("train.epochs=150", "train.data.test=1000"))
    assert run.metrics["test_accuracy"] >= 0.9


# ---- the same again


@pytest.mark.parametrize("text", [specs.MOONS, specs.NOISY, specs.DIGITS], ids=["moons", "noise", "digits"])
def test_the_same_seed_gives_the_same_bits(text: str, tmp_path: Path) -> None:
    torch.manual_seed(1)
    one = pdedsl.train(text, tmp_path / "a")
    torch.manual_seed(2)
    assert equal(one, pdedsl.train(text, tmp_path / "b"))
    assert not equal(one, pdedsl.train(text, tmp_path / "c", set=("train.seed=7",)))


def test_the_global_generator_is_unchanged(tmp_path: Path) -> None:
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    pdedsl.train(specs.NOISY, tmp_path / "a", set=("train.epochs=1",))
    assert torch.equal(torch.rand(4), expected)


def test_a_run_is_opened_as_it_was_left(tmp_path: Path) -> None:
    run = pdedsl.train(specs.NOISY, tmp_path / "a")
    opened = pdedsl.Run.open(tmp_path / "a")
    x = torch.randn(5, 2)
    assert torch.equal(opened.module(x), run.module(x))
    assert opened.figures == run.figures
    assert repr(opened).startswith(f"Run({tmp_path / 'a'}, finished: test_accuracy 0.")  # in a terminal
    (tmp_path / "a" / "curves.png").write_bytes(b"")
    shown = opened._repr_html_()  # in a notebook
    assert f"{run.metrics['test_accuracy']:.6g}" in shown
    assert "data:image/png" in shown


def test_a_folder_without_a_run_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is not a run folder"):
        pdedsl.Run.open(tmp_path)


def test_steps_instead_of_epochs(tmp_path: Path) -> None:
    assert heard(specs.MOONS, tmp_path / "a", "train.epochs=", "train.steps=7")[-1].step == 7


def test_an_epoch_contains_every_sample_once(tmp_path: Path) -> None:
    last = heard(specs.MOONS, tmp_path / "a", "train.batch=60", "train.epochs=3")[-1]
    assert last.step == 10  # ceil(3 · 200 / 60)


def test_schedule_in_epochs(tmp_path: Path) -> None:
    rows = heard(specs.MOONS, tmp_path / "a", "train.schedule=step(at=[2, 4], factor=0.1)", "train.epochs=5")
    rates = [row.lr for row in rows]
    assert rates == pytest.approx([1e-2] * 8 + [1e-3] * 8 + [1e-4] * 4)


def test_schedule_in_steps(tmp_path: Path) -> None:
    rows = heard(
        specs.MOONS, tmp_path / "a", "train.epochs=", "train.steps=6", "train.schedule=step(every=2, factor=0.5)"
    )
    assert [row.lr for row in rows] == pytest.approx([1e-2, 1e-2, 5e-3, 5e-3, 2.5e-3, 2.5e-3])


@pytest.mark.parametrize("optimizer", ["sgd(lr=0.1, momentum=0.9, nesterov=true)", "adamw(lr=1e-2)", "lbfgs(steps=5)"])
def test_every_optimizer_learns(optimizer: str, tmp_path: Path) -> None:
    rows = heard(specs.MOONS, tmp_path / "a", f"train.optimizer={optimizer}")
    assert rows[-1].loss < 0.9 * rows[0].loss


def test_optimizers_one_after_the_other(tmp_path: Path) -> None:
    rows = heard(specs.MOONS, tmp_path / "a", "train.optimizer=adam(lr=1e-2), lbfgs(steps=3)")
    assert [row.phase for row in rows[-4:]] == ["train, adam"] + ["train, lbfgs"] * 3
    assert rows[-1].loss < rows[-3].loss


def test_entries_unused_by_lbfgs_are_named_and_have_no_effect(tmp_path: Path) -> None:
    listener, alone = Heard(), ("train.optimizer=lbfgs(steps=3)", "train.data.train=150")
    one = pdedsl.train(specs.MOONS, tmp_path / "a", set=alone, listeners=(listener,))
    unused = ("train.epochs=9", "train.batch=7", "train.schedule=step(every=1, factor=0.1)")
    other = pdedsl.train(specs.MOONS, tmp_path / "b", set=(*alone, *unused))
    (started,) = listener.of(Started)
    assert started.batch == started.train == 150
    assert "epochs, batch and schedule of the spec do not apply" in started.notes[-1]
    assert equal(one, other)


def test_precision(tmp_path: Path) -> None:
    run = pdedsl.train(specs.MOONS, tmp_path / "a", set=("train.precision=float64", "train.epochs=1"))
    assert next(run.module.parameters()).dtype == torch.float64
    assert next(pdedsl.Run.open(tmp_path / "a").module.parameters()).dtype == torch.float64
    half = pdedsl.train(specs.DIGITS, tmp_path / "b", set=("train.precision=bfloat16", "train.epochs=4"))
    assert next(half.module.parameters()).dtype == torch.float32
    assert half.metrics["test_accuracy"] > 0.6


def test_validation_is_set_aside(tmp_path: Path) -> None:
    run = pdedsl.train(specs.MOONS, tmp_path / "a", set=("train.data.validation=0.2", "train.epochs=2"))
    assert {"validation_accuracy", "test_accuracy", "train_accuracy"} <= set(run.figures)


def test_regularizers_are_terms_and_boxes_hold(tmp_path: Path) -> None:
    listener = Heard()
    run = pdedsl.train(IMAGES, tmp_path / "a", listeners=(listener,))
    [first, *_] = listener.of(Stepped)
    assert set(first.terms) == {"cross_entropy", "smooth_in_time", "weights"}
    assert first.loss == pytest.approx(sum(first.terms.values()))
    kernels = [p.detach() for name, p in run.module.named_parameters() if "operator" in name]
    assert kernels
    assert max(k.abs().max() for k in kernels) == torch.tensor(0.05)


def test_normalisation_is_in_the_model(tmp_path: Path) -> None:
    run = pdedsl.train(specs.DIGITS, tmp_path / "a", set=("train.epochs=1",))
    [standardize] = [part for part in run.module.modules() if isinstance(part, Standardize)]
    mean = standardize.mean
    assert 0.2 < float(mean) < 0.4  # the mean of the pixels, in [0, 1]


def test_members_trained_apart(tmp_path: Path) -> None:
    """Each member has the gradient of its loss: the run of two equals two runs of one, member by member."""
    apart = specs.NOISY.replace("samples=2", "samples=1, training=apart")
    run = pdedsl.train(apart, tmp_path / "a", set=("train.optimizer=sgd(lr=0.1)",))
    assert isinstance(run.module, nn.Module)
    assert run.metrics["test_accuracy"] > 0.7
    assert len(streams(run.module)) == 8
