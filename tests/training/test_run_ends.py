"""Divergence, invalid settings, and initial weights from a run of another resolution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import pdedsl
from pdedsl.io import RunError
from pdedsl.runs.checkpoint import load_newest, load_tensors
from pdedsl.runs.events import Started
from pdedsl.runtime.standardization import Standardize
from pdedsl.runtime.stencils import transfer_weights
from training import specs
from training.runs import IMAGES, SPECS, heard, weights
from training.test_resume import Heard

# ---- when it cannot go on


def test_divergence_keeps_the_last_good_state(tmp_path: Path) -> None:
    run = pdedsl.train(
        specs.DIGITS, tmp_path / "a", set=("train.optimizer=sgd(lr=1e30)", "train.epochs=3"), save_seconds=0
    )
    assert run.outcome == "diverged"
    assert "NaN or infinite" in run.message
    assert "smaller learning rate" in run.message
    assert not (tmp_path / "a" / "weights.safetensors").exists()
    found, errors = load_newest(tmp_path / "a" / "checkpoints")
    assert found is not None
    assert not errors
    assert all(t.isfinite().all() for t in found.tensors.values() if t.is_floating_point())
    saved = f"the state after step {found.step} was saved" if found.step else "the initial weights were saved"
    assert saved in run.message


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
def test_missing_entries_are_named(text: str, code: str, tmp_path: Path) -> None:
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


def test_a_diverged_run_can_be_a_start(tmp_path: Path) -> None:
    pdedsl.train(specs.DIGITS, tmp_path / "a", set=("train.optimizer=sgd(lr=1e30)",))
    assert pdedsl.train(specs.DIGITS, tmp_path / "b", start=tmp_path / "a").outcome == "finished"


@pytest.mark.parametrize("device", ["potato", "cuda:99", "meta"])
def test_a_device_that_is_not_there(device: str, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="unavailable device"):
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
    wanted = transfer_weights(weights(coarse), coarse.module, 2.0)
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
    wanted = transfer_weights(weights(square), square.module, (height / 8, width / 8))
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
