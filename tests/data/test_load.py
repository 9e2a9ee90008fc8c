"""Loading of data: bundled sets, subsets, and the check against the model."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from pdedsl.config.base import Located
from pdedsl.config.data import Data as DataConfig
from pdedsl.config.data import Digits, Moons
from pdedsl.data.load import data_root, load
from pdedsl.data.splits import Data, Split
from pdedsl.diagnostics import PdeError, Span
from pdedsl.runs.experiment import compile_with_settings, config_of, data_of

DIGITS = Located(Digits(), span=Span(3, 9))
MOONS = Located(Moons(train=51, test=80, noise=0.1))


def but(wanted: Located[DataConfig], **changes: object) -> Located[DataConfig]:
    return replace(wanted, config=replace(wanted.config, **changes))  # type: ignore[arg-type]


def rows(split: Split | None) -> set[tuple[float, ...]]:
    assert split is not None
    return {tuple(row) for row in split.inputs.flatten(1).tolist()}


def refused(
    code: str, wanted: Located[DataConfig], shape: tuple[int, ...] | None = None, classes: int | None = None
) -> str:
    with pytest.raises(PdeError) as caught:
        load(wanted, None, shape, classes)
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert found.span == wanted.span
    return f"{found.message} | {found.hint}"


# ---- moons


def test_moons_are_the_half_circles() -> None:
    data = load(but(MOONS, noise=0.0), None)
    x, y = data.train.batch(slice(None), dtype=torch.float64)
    centre = torch.stack((y.double(), 0.5 * y), 1)
    assert torch.allclose((x - centre).norm(dim=1), torch.ones(51, dtype=torch.float64))
    assert bool(((x - centre)[:, 1] >= -1e-12)[y == 0].all())
    assert bool(((x - centre)[:, 1] <= 1e-12)[y == 1].all())
    assert (len(data.train), len(data.test), data.classes, data.shape, data.bounds) == (51, 80, 2, (2,), None)
    assert data.validation is None


def test_moons_depend_on_the_seed_and_train_is_not_test() -> None:
    first, again, other = (load(but(MOONS, test=51, seed=seed), None) for seed in (0, 0, 1))
    assert torch.equal(first.train.inputs, again.train.inputs)
    assert torch.equal(first.test.inputs, again.test.inputs)
    parts = [rows(first.train), rows(first.test), rows(other.train), rows(other.test)]
    assert all(not a & b for k, a in enumerate(parts) for b in parts[:k])


# ---- digits


def test_digits_are_sixteenths_and_their_test_part_is_fixed() -> None:
    data, other = load(DIGITS, None), load(but(DIGITS, seed=1), None)
    assert (len(data.train), len(data.test), data.classes, data.shape, data.bounds) == (
        1437,
        360,
        10,
        (1, 8, 8),
        (0, 1),
    )
    assert torch.equal(data.test.inputs, other.test.inputs)
    sixteenths = data.train.inputs * 16
    assert torch.equal(sixteenths, sixteenths.round())
    assert (sixteenths.min().item(), sixteenths.max().item()) == (0, 16)
    assert not rows(data.train) & rows(data.test)
    assert data.test.labels.bincount().tolist() == pytest.approx([36] * 10, abs=2)


def test_digits_can_be_points() -> None:
    images, points = load(DIGITS, None), load(DIGITS, None, (64,), 10)
    assert points.shape == (64,)
    assert torch.equal(points.train.inputs, images.train.inputs.flatten(1))
    assert torch.equal(points.test.inputs, images.test.inputs.flatten(1))
    assert (points.mean, points.std) == (images.mean * 64, images.std * 64)
    assert points.bounds == (0, 1)


# ---- the fit to a model


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        (
            (1, 28, 28),
            "digits are images 1x8x8; the model takes images 1x28x28 | use space x in image(1, 8, 8) or x in R^64",
        ),
        ((3, 8, 8), "the model takes images 3x8x8"),
        ((2,), "the model takes points of R^2"),
    ],
)
def test_a_shape_that_does_not_fit_is_named_with_the_one_that_does(shape: tuple[int, ...], told: str) -> None:
    assert told in refused("E724", DIGITS, shape)


def test_points_are_not_made_images() -> None:
    assert "points of R^2; the model takes images 1x1x2 | use space x in R^2" in refused("E724", MOONS, (1, 1, 2))


@pytest.mark.parametrize("classes", [2, 11])
def test_classes_that_do_not_fit(classes: int) -> None:
    assert f"digits has 10 classes; the model has {classes}" in refused("E725", DIGITS, (1, 8, 8), classes)


# ---- parts


def test_parts_are_stratified_and_decided_by_the_seed() -> None:
    wanted = but(DIGITS, train=200, test=50)
    data, again, other = (load(but(wanted, seed=seed), None) for seed in (0, 0, 1))
    assert (len(data.train), len(data.test)) == (200, 50)
    assert data.train.labels.bincount().tolist() == pytest.approx([20] * 10, abs=1)
    assert data.test.labels.bincount().tolist() == pytest.approx([5] * 10, abs=1)
    assert torch.equal(data.train.inputs, again.train.inputs)
    assert rows(data.train) != rows(other.train)
    whole = load(DIGITS, None)
    assert rows(data.train) < rows(whole.train)
    assert rows(data.test) < rows(whole.test)


def test_a_smaller_subset_is_contained_in_a_larger_one() -> None:
    small, large = (load(but(DIGITS, train=n, seed=4), None) for n in (100, 700))
    assert rows(small.train) < rows(large.train)


@pytest.mark.parametrize(("key", "n", "there"), [("train", 1438, 1437), ("test", 1000, 360)])
def test_more_than_there_is(key: str, n: int, there: int) -> None:
    wanted = but(DIGITS, train=n) if key == "train" else but(DIGITS, test=n)
    told = refused("E726", wanted)
    assert told == f"digits has only {there} samples for {key}, requested {n} | {key} must be at most {there}"


def test_all_that_there_is_keeps_its_order() -> None:
    assert torch.equal(load(but(DIGITS, train=1437, seed=7), None).train.inputs, load(DIGITS, None).train.inputs)


def with_validation(wanted: Located[DataConfig], seed: int = 0) -> tuple[Data, Split]:
    data = load(but(wanted, seed=seed), None)
    assert data.validation is not None
    return data, data.validation


def test_validation_is_taken_from_the_training_part() -> None:
    wanted = but(DIGITS, train=500)
    plain, (data, validation) = load(wanted, None), with_validation(but(wanted, validation=0.2))
    assert (len(data.train), len(validation)) == (400, 100)
    assert not rows(data.train) & rows(validation)
    assert rows(data.train) | rows(validation) == rows(plain.train)
    assert validation.labels.bincount().tolist() == pytest.approx([10] * 10, abs=1)
    assert torch.equal(data.test.inputs, plain.test.inputs)
    assert rows(with_validation(but(DIGITS, validation=0.2), 1)[1]) != rows(
        with_validation(but(DIGITS, validation=0.2), 2)[1]
    )


@pytest.mark.parametrize(("share", "told"), [(1.0, "no training samples"), (1e-5, "no validation samples")])
def test_validation_that_leaves_nothing(share: float, told: str) -> None:
    assert told in refused("E727", but(DIGITS, validation=share))


def test_moons_have_validation_too() -> None:
    data, validation = with_validation(but(MOONS, train=100, validation=0.25))
    assert (len(data.train), len(validation)) == (75, 25)


# ---- numbers


def moments_of(x: Tensor) -> tuple[list[float], list[float]]:
    axes = [0, *range(2, x.dim())]
    return x.double().mean(axes).tolist(), x.double().std(axes, correction=0).tolist()


@pytest.mark.parametrize("wanted", [but(MOONS, validation=0.2), but(DIGITS, train=100)], ids=str)
def test_mean_and_std_are_of_the_training_part(wanted: Located[DataConfig]) -> None:
    data = load(wanted, None)
    mean, std = moments_of(data.train.inputs)
    assert data.mean == pytest.approx(mean, rel=1e-12)
    assert data.std == pytest.approx(std, rel=1e-12)


def test_loading_does_not_change_the_global_generators() -> None:
    state, legacy = torch.get_rng_state(), pickle.dumps(np.random.get_state())
    load(but(MOONS, validation=0.2), None)
    load(but(DIGITS, train=100), None)
    assert torch.equal(torch.get_rng_state(), state)
    assert pickle.dumps(np.random.get_state()) == legacy


def test_the_folder_of_the_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PDEDSL_DATA", str(tmp_path))
    assert data_root(None) == tmp_path
    assert data_root(Path("here")) == Path("here")
    monkeypatch.setenv("PDEDSL_DATA", "")
    assert data_root(None) == Path.home() / ".cache" / "pdedsl" / "data"


def test_runs_with_several_training_seeds_use_the_same_data() -> None:
    data = [
        data_of(compilation, config_of(compilation.spec), None)
        for settings in (["train.seed=1"], ["train.seed=2"], ["train.data.seed=1"])
        for compilation in [compile_with_settings("convection_diffusion", settings)]
    ]
    first, second, other = (d.test.inputs for d in data)
    assert torch.equal(first, second)
    assert not torch.equal(first, other)
