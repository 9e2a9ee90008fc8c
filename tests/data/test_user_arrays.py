"""npz files: all valid layouts, and error messages for invalid ones."""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pdedsl.config.base import Located
from pdedsl.config.data import Npz
from pdedsl.data.load import load
from pdedsl.data.splits import Data
from pdedsl.diagnostics import PdeError, Span

WANTED = Located(Npz(file="own.npz"), span=Span(1, 5))
RANDOM = np.random.default_rng(0)
BYTES = RANDOM.integers(0, 256, (20, 3, 4, 5), dtype=np.uint8)
POINTS = RANDOM.normal(size=(20, 2)).astype(np.float32)
LABELS = np.arange(20) % 4


def saved(folder: Path, **arrays: Any) -> Path:
    np.savez(folder / "own.npz", **arrays)
    return folder


def four(folder: Path, x: Any, y: Any = LABELS) -> Path:
    return saved(folder, x_train=x, y_train=y, x_test=x[:5], y_test=y[:5])


def read(folder: Path, shape: tuple[int, ...] | None = None, classes: int | None = None) -> Data:
    return load(WANTED, folder, shape, classes)


def refused(folder: Path, code: str = "E721") -> str:
    with pytest.raises(PdeError) as caught:
        read(folder)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span) == (code, WANTED.span)
    return f"{found.message} | {found.hint}"


# ---- right files


def test_bytes(tmp_path: Path) -> None:
    data = read(four(tmp_path, BYTES))
    assert data.train.inputs.dtype == torch.uint8
    assert (data.train.inputs.numpy() == BYTES).all()
    assert data.train.labels.tolist() == LABELS.tolist()
    assert (len(data.test), data.classes, data.shape, data.bounds) == (5, 4, (3, 4, 5), (0, 1))
    assert data.class_names == ("0", "1", "2", "3")


@pytest.mark.parametrize("shape", [None, (3, 4, 5)])
def test_channels_last_is_accepted(tmp_path: Path, shape: tuple[int, ...] | None) -> None:
    data = read(four(tmp_path, BYTES.transpose(0, 2, 3, 1)), shape)
    assert (data.train.inputs.numpy() == BYTES).all()
    assert data.train.inputs.is_contiguous()


def test_the_model_decides_which_axis_is_the_channels(tmp_path: Path) -> None:
    five = BYTES.transpose(0, 2, 3, 1)[:, :, :, [0, 1, 2, 0, 1]]  # (4, 5, 5): channels first, unless it is said
    assert read(four(tmp_path, five)).shape == (4, 5, 5)
    assert read(tmp_path, (5, 4, 5)).shape == (5, 4, 5)
    assert (read(tmp_path, (5, 4, 5)).train.inputs.numpy() == five.transpose(0, 3, 1, 2)).all()


def test_grey_images_need_no_channel(tmp_path: Path) -> None:
    assert read(four(tmp_path, BYTES[:, 0])).shape == (1, 4, 5)


def test_images_for_a_model_on_points(tmp_path: Path) -> None:
    data = read(four(tmp_path, BYTES), (60,))
    assert (data.train.inputs.numpy() == BYTES.reshape(20, 60)).all()
    assert data.mean[0] == data.mean[19] != data.mean[20]


@pytest.mark.parametrize(
    ("array", "bounds"),
    [
        (POINTS, None),
        (BYTES / 255, (0.0, 1.0)),
        ((BYTES / 255).astype(np.float16), (0.0, 1.0)),
        (BYTES / 100, None),
        (BYTES / 255 - 0.1, None),
        (BYTES.reshape(20, -1), (0.0, 1.0)),
    ],
)
def test_bounds(tmp_path: Path, array: Any, bounds: tuple[float, float] | None) -> None:
    assert read(four(tmp_path, array)).bounds == bounds


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_real_numbers_keep_their_values(tmp_path: Path, kind: type[np.floating[Any]]) -> None:
    x, _ = read(four(tmp_path, POINTS.astype(kind))).train.batch(slice(None), dtype=torch.float64)
    assert (x.numpy() == POINTS.astype(kind).astype(np.float64)).all()


def test_one_array_is_parted_once_for_all(tmp_path: Path) -> None:
    saved(tmp_path, x=np.arange(40.0)[:, None], y=np.arange(40) % 2)
    data, other = read(tmp_path), load(Located(Npz(file="own.npz", seed=1), span=WANTED.span), tmp_path)
    assert (len(data.train), len(data.test)) == (32, 8)
    assert data.test.labels.bincount().tolist() == [4, 4]
    values = torch.cat((data.train.inputs, data.test.inputs)).flatten()
    assert sorted(values.tolist()) == list(range(40))
    assert torch.equal(data.test.inputs, other.test.inputs)


def test_labels_may_be_a_column_of_any_whole_numbers(tmp_path: Path) -> None:
    data = read(four(tmp_path, POINTS, LABELS.astype(np.uint8)[:, None]))
    assert data.train.labels.dtype == torch.int64
    assert data.train.labels.tolist() == LABELS.tolist()


def test_a_model_may_have_classes_that_no_sample_has(tmp_path: Path) -> None:
    assert read(four(tmp_path, POINTS), (2,), 10).classes == 10
    with pytest.raises(PdeError, match=r"E725: own\.npz has 4 classes; the model has 3"):
        read(tmp_path, (2,), 3)


def test_the_file_is_found_in_the_folder_or_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    four(tmp_path, POINTS)
    monkeypatch.chdir(tmp_path)
    assert len(load(WANTED, tmp_path / "elsewhere").train) == 20


# ---- wrong files


def test_no_file(tmp_path: Path) -> None:
    told = refused(tmp_path, "E720")
    assert told.startswith("data file own.npz not found | searched: ")
    assert str(tmp_path / "own.npz") in told
    assert str(Path.cwd() / "own.npz") in told


@pytest.mark.parametrize("content", [b"", b"x_train,y_train\n", b"PK\x03\x04 cut off", pickle.dumps({"x": 1})])
def test_not_such_a_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "own.npz").write_bytes(content)
    assert refused(tmp_path) == "own.npz is not an npz file (numpy.savez) | "


def test_a_single_array(tmp_path: Path) -> None:
    with open(tmp_path / "own.npz", "wb") as file:
        np.save(file, POINTS)
    assert "is not an npz file" in refused(tmp_path)


def test_a_truncated_file(tmp_path: Path) -> None:
    path = four(tmp_path, POINTS) / "own.npz"
    path.write_bytes(path.read_bytes()[:-30])
    assert "own.npz" in refused(tmp_path)


def test_a_damaged_array(tmp_path: Path) -> None:
    path = four(tmp_path, POINTS) / "own.npz"
    content = bytearray(path.read_bytes())
    at = content.index(POINTS.tobytes()[:16])
    content[at] ^= 255
    path.write_bytes(content)
    assert refused(tmp_path).startswith("cannot read x_train in own.npz: it is corrupt")


class Trap:
    """Unpickling this makes a folder."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.path,)


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    trap = np.array([Trap(str(tmp_path / "trapped"))] * 20, dtype=object)
    told = refused(four(tmp_path, trap))
    assert "cannot read x_train in own.npz: it is corrupt, or has object dtype" in told
    assert not (tmp_path / "trapped").exists()


def test_a_pickle_inside_the_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "own.npz", "w") as archive:
        buffer = io.BytesIO()
        np.save(buffer, LABELS)
        archive.writestr("y.npy", buffer.getvalue())
        archive.writestr("x.npy", pickle.dumps(Trap(str(tmp_path / "trapped"))))
    assert "cannot read" in refused(tmp_path)
    assert not (tmp_path / "trapped").exists()


def test_an_array_that_promises_more_than_there_is(tmp_path: Path) -> None:
    """A header of two lines may ask for any amount of memory."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6)})
    with zipfile.ZipFile(tmp_path / "own.npz", "w") as archive:
        archive.writestr("x.npy", head.getvalue() + bytes(800))
        archive.writestr("y.npy", head.getvalue() + bytes(800))
    assert "cannot read x in own.npz" in refused(tmp_path)


def test_a_small_file_that_fills_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez_compressed(tmp_path / "own.npz", x=np.zeros((1000, 1000)), y=np.zeros(1000, int))
    assert read(tmp_path).shape == (1000,)
    monkeypatch.setattr("pdedsl.data.user_arrays.MAX_UNPACKED", 1 << 20)
    assert refused(tmp_path).startswith("x in own.npz would decompress to 0 GB | save it without compression")


def test_arrays_that_are_not_there(tmp_path: Path) -> None:
    told = refused(saved(tmp_path, x_train=POINTS, y_train=LABELS, other=POINTS))
    assert told == "own.npz contains other, x_train, y_train | expected: x_train, y_train, x_test, y_test, or x, y"


def with_nan(at: int) -> Any:
    array = POINTS.copy()
    array[at, 1] = np.nan if at % 2 else np.inf
    return array


@pytest.mark.parametrize(
    ("x", "y", "told"),
    [
        (with_nan(7), LABELS, "x_train has a NaN or infinite value in sample 7"),
        (with_nan(8), LABELS, "x_train has a NaN or infinite value in sample 8"),
        (POINTS[:, 0], LABELS, "x_train has shape (20,) | expected: points (n, d)"),
        (BYTES[:, :, :, :, None], LABELS, "x_train has shape (20, 3, 4, 5, 1)"),
        (POINTS[:, :0], LABELS, "x_train has shape (20, 0)"),
        (BYTES.astype(np.int32), LABELS, "x_train has dtype int32 | expected: uint8 or float32"),
        (POINTS.astype(complex), LABELS, "x_train has dtype complex128"),
        (POINTS, LABELS[:19], "x_train has 20 samples and y_train has 19 labels"),
        (POINTS, LABELS / 2, "y_train has shape (20,) and dtype float64"),
        (POINTS, np.eye(20, dtype=int), "y_train has shape (20, 20) and dtype int64"),
        (POINTS, LABELS - 1, "label -1 in y_train is out of range | labels must be from 0"),
        (POINTS, LABELS + 10**9, "label 1000000003 in y_train is out of range"),
    ],
)
def test_wrong_arrays(tmp_path: Path, x: Any, y: Any, told: str) -> None:
    assert told in refused(four(tmp_path, x, y))


def test_parts_that_differ(tmp_path: Path) -> None:
    saved(tmp_path, x_train=BYTES, y_train=LABELS, x_test=BYTES / 255, y_test=LABELS)
    assert "different sample shapes: bytes (3, 4, 5) and real numbers (3, 4, 5)" in refused(tmp_path)
    saved(tmp_path, x_train=POINTS, y_train=LABELS, x_test=BYTES[:, 0, 0] / 1.0, y_test=LABELS)
    assert "different sample shapes: real numbers (2,) and real numbers (5,)" in refused(tmp_path)


def test_a_single_sample_cannot_be_parted(tmp_path: Path) -> None:
    assert "a single sample" in refused(saved(tmp_path, x=POINTS[:1], y=LABELS[:1]))


# ---- formats that are recognised, and their errors


@pytest.mark.parametrize(
    ("held", "again"),
    [
        (("data", "labels"), "x=data, y=labels"),
        (("images", "target"), "x=images, y=target"),
        (("points", "label"), "x=points, y=label"),
        (("X", "Y"), "x=X, y=Y"),
        (("X_train", "Y_train", "X_test", "Y_test"), "x_train=X_train, y_train=Y_train, x_test=X_test, y_test=Y_test"),
        (
            ("train_images", "train_labels", "test_images", "test_labels"),
            "x_train=train_images, y_train=train_labels, x_test=test_images, y_test=test_labels",
        ),
    ],
)
def test_arrays_with_other_names_are_recognised(tmp_path: Path, held: tuple[str, ...], again: str) -> None:
    arrays = [POINTS, LABELS, POINTS[:5], LABELS[:5]]
    told = refused(saved(tmp_path, **dict(zip(held, arrays, strict=False))))
    assert told.startswith(f"own.npz contains {', '.join(sorted(held))} | ")
    assert told.endswith(f'save as: np.savez("own.npz", {again})')


def test_arrays_that_mean_nothing_to_us(tmp_path: Path) -> None:
    told = refused(saved(tmp_path, a=POINTS, b=LABELS))
    assert told == "own.npz contains a, b | expected: x_train, y_train, x_test, y_test, or x, y"


def test_labels_that_start_at_one(tmp_path: Path) -> None:
    told = refused(four(tmp_path, POINTS, LABELS + 1))
    assert told == "the labels in own.npz run from 1 to 4 | labels must start at 0: save y - 1"
