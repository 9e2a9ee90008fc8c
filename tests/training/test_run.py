"""What a run does and leaves: accuracy, bits, entries of `train`, and what is said when it cannot go on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import pdedsl
from pdedsl.files import RunError
from pdedsl.runtime.standardize import Standardize
from pdedsl.runtime.stencils import carried
from pdedsl.runtime.streams import streams
from pdedsl.training.checkpoint import load_tensors, newest
from pdedsl.training.events import Started, Stepped
from training import specs
from training.test_resume import Heard

SPECS = Path(__file__).parents[2] / "specs"


def weights(run: pdedsl.Run) -> dict[str, torch.Tensor]:
    return run.module.state_dict()


def equal(one: pdedsl.Run, other: pdedsl.Run) -> bool:
    first, second = weights(one), weights(other)
    return all(torch.equal(first[name], second[name]) for name in first)


# ---- accuracy


def test_moons_are_told_apart(tmp_path: Path) -> None:
    settings = ("train.epochs=40", "train.data.test=1000", "train.data.noise=0.1")
    run = pdedsl.train(specs.MOONS, tmp_path / "run", set=settings)
    assert run.figures["test_accuracy"] >= 0.97  # 0.99 and more with other seeds


def test_digits_are_read(tmp_path: Path) -> None:
    settings = ("train.epochs=12", "train.data=digits", "train.schedule=cosine(warmup=1)")
    run = pdedsl.train(specs.DIGITS, tmp_path / "run", set=settings)
    assert run.figures["test_accuracy"] >= 0.95


def test_diffusion_by_residual_still_classifies(tmp_path: Path) -> None:
    run = pdedsl.train(specs.RESIDUAL, tmp_path / "run", set=("train.epochs=150", "train.data.test=1000"))
    assert run.figures["test_accuracy"] >= 0.9


# ---- the same again


@pytest.mark.parametrize("text", [specs.MOONS, specs.NOISY, specs.DIGITS], ids=["moons", "noise", "digits"])
def test_the_same_seed_gives_the_same_bits(text: str, tmp_path: Path) -> None:
    torch.manual_seed(1)
    one = pdedsl.train(text, tmp_path / "a")
    torch.manual_seed(2)
    assert equal(one, pdedsl.train(text, tmp_path / "b"))
    assert not equal(one, pdedsl.train(text, tmp_path / "c", set=("train.seed=7",)))


def test_the_generator_of_the_caller_goes_on_as_it_was(tmp_path: Path) -> None:
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


def test_what_is_no_run_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="holds no run"):
        pdedsl.Run.open(tmp_path)


# ---- every entry of `train`


def heard(text: str, out: Path, *settings: str) -> list[Stepped]:
    listener = Heard()
    pdedsl.train(text, out, set=settings, listeners=(listener,))
    return listener.of(Stepped)


def test_steps_instead_of_epochs(tmp_path: Path) -> None:
    assert heard(specs.MOONS, tmp_path / "a", "train.epochs=", "train.steps=7")[-1].step == 7


def test_an_epoch_sees_every_sample_once(tmp_path: Path) -> None:
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


def test_precision(tmp_path: Path) -> None:
    run = pdedsl.train(specs.MOONS, tmp_path / "a", set=("train.precision=float64", "train.epochs=1"))
    assert next(run.module.parameters()).dtype == torch.float64
    assert next(pdedsl.Run.open(tmp_path / "a").module.parameters()).dtype == torch.float64
    half = pdedsl.train(specs.DIGITS, tmp_path / "b", set=("train.precision=bfloat16", "train.epochs=4"))
    assert next(half.module.parameters()).dtype == torch.float32
    assert half.figures["test_accuracy"] > 0.6


def test_validation_is_set_aside(tmp_path: Path) -> None:
    run = pdedsl.train(specs.MOONS, tmp_path / "a", set=("train.data.validation=0.2", "train.epochs=2"))
    assert {"validation_accuracy", "test_accuracy", "train_accuracy"} <= set(run.figures)


IMAGES = """
pde Small "Symmetric layers on digits"
space   x in pixels
time    t in [0, 3]
unknown Y(x, t) : channels
learn   K(t)    : operator = conv(3)
∂Y/∂t = -Kᵀ relu(K Y)
realize time by euler(steps=3)
network {
  input   image(1, 8, 8)
  open    8
  stages  [8]
  classes 10
}
train {
  data       digits(train=200, test=100)
  epochs     1
  batch      50
  optimizer  sgd(lr=0.1)
  regularize smooth_in_time(1e-2), weights(1e-3)
  constrain  K in [-0.05, 0.05]
}
"""


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
    """Each member gets the gradient of its own loss: the run of two equals two runs of one, member by member."""
    apart = specs.NOISY.replace("samples=2", "samples=1, training=apart")
    run = pdedsl.train(apart, tmp_path / "a", set=("train.optimizer=sgd(lr=0.1)",))
    assert isinstance(run.module, nn.Module)
    assert run.figures["test_accuracy"] > 0.7
    assert len(streams(run.module)) == 8


# ---- when it cannot go on


def test_divergence_keeps_the_last_good_state(tmp_path: Path) -> None:
    run = pdedsl.train(
        specs.DIGITS, tmp_path / "a", set=("train.optimizer=sgd(lr=1e30)", "train.epochs=3"), save_seconds=0
    )
    assert run.outcome == "diverged"
    assert "not finite" in run.message
    assert "smaller learning rate" in run.message
    assert not (tmp_path / "a" / "weights.safetensors").exists()
    found, complaints = newest(tmp_path / "a" / "checkpoints")
    assert found is not None
    assert not complaints
    assert all(t.isfinite().all() for t in found.tensors.values() if t.is_floating_point())
    kept = f"the state after step {found.step} is kept" if found.step else "the initial weights are kept"
    assert kept in run.message


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        (("train.augment=flip",), "E703"),
        (("train.adversary=cw",), "E502"),
        (("train.data=digits",), None),
        (("train.batch=0",), "E507"),
        (("train.schedule=step",), "E705"),
        (("train.optimizer=sgd(lr=1e39)",), "E507"),
    ],
)
def test_wrong_entries_are_diagnostics(settings: tuple[str, ...], code: str | None, tmp_path: Path) -> None:
    with pytest.raises(pdedsl.PdeError) as error:
        pdedsl.train(specs.MOONS, tmp_path / "a", set=settings)
    assert error.value.source is not None
    assert code is None or error.value.diagnostics[0].code == code
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (specs.MOONS.partition("train {")[0], "E701"),
        (specs.MOONS.replace("  data      moons(train=200, test=200, noise=0.2)\n", ""), "E702"),
    ],
)
def test_what_is_missing_is_named(text: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(pdedsl.PdeError) as error:
        pdedsl.train(text, tmp_path / "a")
    assert error.value.diagnostics[0].code == code


def test_nothing_to_train(tmp_path: Path) -> None:
    with pytest.raises(pdedsl.PdeError) as error:
        pdedsl.train("rotation", tmp_path / "a", set=("train.data=moons",))
    assert error.value.diagnostics[0].code == "E704"


def test_checkpoints_hold_no_pickles(tmp_path: Path) -> None:
    pdedsl.train(specs.MOONS, tmp_path / "a", set=("train.epochs=1",))
    for path in (tmp_path / "a").rglob("*.safetensors"):
        tensors, plain = load_tensors(path)
        assert tensors
        assert isinstance(plain, dict)


def test_divergence_in_the_last_step_is_no_success(tmp_path: Path) -> None:
    settings = ("train.epochs=", "train.steps=1", "train.optimizer=sgd(lr=1e30)")
    run = pdedsl.train(specs.MOONS, tmp_path / "a", set=settings)
    assert run.outcome == "diverged"
    assert not (tmp_path / "a" / "weights.safetensors").exists()


def test_what_a_diverged_run_kept_is_a_start(tmp_path: Path) -> None:
    pdedsl.train(specs.DIGITS, tmp_path / "a", set=("train.optimizer=sgd(lr=1e30)",))
    assert pdedsl.train(specs.DIGITS, tmp_path / "b", start=tmp_path / "a").outcome == "finished"


@pytest.mark.parametrize("device", ["potato", "cuda:99", "meta"])
def test_a_device_that_is_not_there(device: str, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no device"):
        pdedsl.train(specs.MOONS, tmp_path / "a", device=device)
    assert not (tmp_path / "a").exists()


def test_a_batch_is_at_most_all_samples(tmp_path: Path) -> None:
    assert heard(specs.MOONS, tmp_path / "a", "train.batch=5000", "train.epochs=3")[-1].step == 3


@pytest.mark.parametrize("kind", ["hamiltonian", "second_order", "revnet"])
def test_reversible_networks_in_half_precision(kind: str, tmp_path: Path) -> None:
    settings = (
        "network.input=image(1, 8, 8)",
        "network.open=8",
        "network.stages=[8]",
        "train.data=digits(train=80, test=40)",
        "train.batch=40",
        "train.epochs=2",
    )
    losses = []
    for precision in ("float32", "bfloat16"):
        rows = heard(
            pdedsl.load(SPECS / f"{kind}.pde").source.text,
            tmp_path / precision,
            *settings,
            f"train.precision={precision}",
        )
        losses.append([row.loss for row in rows])
    assert losses[1] == pytest.approx(losses[0], rel=0.02)


# ---- from one resolution to another


def test_weights_are_carried_to_a_finer_image(tmp_path: Path) -> None:
    """A network of 8 × 8 digits is a start for images of 16 × 16: its kernels are the same differential operators."""
    x, y = np.zeros((50, 1, 16, 16), np.float32), np.arange(50) % 10
    np.savez(tmp_path / "fine.npz", x_train=x, y_train=y, x_test=x, y_test=y)
    coarse = pdedsl.train(IMAGES, tmp_path / "coarse")
    still = ("train.optimizer=sgd(lr=1e-30)", "train.constrain=", "train.regularize=")
    settings = ("network.input=image(1, 16, 16)", 'train.data=npz("fine.npz")', *still)
    fine = pdedsl.train(IMAGES, tmp_path / "fine", set=settings, data=tmp_path, start=tmp_path / "coarse")
    wanted = carried(weights(coarse), coarse.module, 2.0)
    kernels = [name for name, p in fine.module.named_parameters() if p.shape[-2:] == (3, 3)]
    assert len(kernels) == 4
    for name in kernels:
        torch.testing.assert_close(weights(fine)[name], wanted[name])
        assert not torch.allclose(wanted[name], weights(coarse)[name])


@pytest.mark.parametrize(("height", "width"), [(8, 16), (16, 8), (16, 32)])
def test_each_axis_is_carried_by_its_own_factor(height: int, width: int, tmp_path: Path) -> None:
    x, y = np.zeros((50, 1, height, width), np.float32), np.arange(50) % 10
    np.savez(tmp_path / "other.npz", x_train=x, y_train=y, x_test=x, y_test=y)
    square = pdedsl.train(IMAGES, tmp_path / "square")
    still = ("train.optimizer=sgd(lr=1e-30)", "train.constrain=", "train.regularize=")
    settings = (f"network.input=image(1, {height}, {width})", 'train.data=npz("other.npz")', *still)
    other = pdedsl.train(IMAGES, tmp_path / "other", set=settings, data=tmp_path, start=tmp_path / "square")
    wanted = carried(weights(square), square.module, (height / 8, width / 8))
    for name, p in other.module.named_parameters():
        if p.shape[-2:] == (3, 3):
            torch.testing.assert_close(weights(other)[name], wanted[name])
            sums = weights(square)[name].sum((-2, -1)), p.sum((-2, -1))  # the factor of the identity has no mesh
            torch.testing.assert_close(*sums, rtol=1e-3, atol=1e-5)


def test_a_start_on_other_data_keeps_the_scale_of_the_data(tmp_path: Path) -> None:
    x, y = torch.randn(50, 1, 8, 8).mul(3).add(5).numpy(), np.arange(50) % 10
    np.savez(tmp_path / "other.npz", x_train=x, y_train=y, x_test=x, y_test=y)
    pdedsl.train(IMAGES, tmp_path / "digits")
    heard = Heard()
    settings, start = ('train.data=npz("other.npz")',), tmp_path / "digits"
    other = pdedsl.train(IMAGES, tmp_path / "a", set=settings, data=tmp_path, start=start, listeners=(heard,))
    (scale,) = [m for m in other.module.modules() if isinstance(m, Standardize)]
    torch.testing.assert_close(scale.mean, torch.tensor([float(x.mean())]), rtol=1e-5, atol=1e-5)
    assert any(str(start) in note for note in heard.of(Started)[0].notes)


def test_progress_is_shown_by_default_and_silence_is_an_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pdedsl.train("convection_diffusion", tmp_path / "a", set={"train.epochs": 1})
    assert "epoch" in capsys.readouterr().err
    pdedsl.train("convection_diffusion", tmp_path / "b", set={"train.epochs": 1}, listeners=())
    told = capsys.readouterr()
    assert told.err == told.out == ""
