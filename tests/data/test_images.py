"""The public sets: small files in each set's own format, files that are missing or damaged, and the real ones."""

from __future__ import annotations

import gzip
import hashlib
import os
import pickle
import socket
import struct
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from typing import Any

import numpy as np
import pytest
import torch

from pdedsl.data import download as downloading
from pdedsl.data.images import SETS as BY_WORD
from pdedsl.data.load import load
from pdedsl.data.sets import Data
from pdedsl.diagnostics import PdeError, Span
from pdedsl.words.data import DATA, Cifar10
from pdedsl.words.word import Chosen

Array = Any
SPAN = Span(2, 7)
SETS = {word.spelling: chosen for word, chosen in BY_WORD.items()}
EVERY = sorted(SETS)


def pictures(n: int, shape: tuple[int, ...], seed: int) -> Array:
    return np.random.default_rng(seed).integers(0, 256, (n, *shape), dtype=np.uint8)


def read(name: str, root: Path) -> Data:
    return load(Chosen(DATA[name].made({}), span=SPAN), root, 0)


def refused(code: str, name: str, root: Path) -> str:
    with pytest.raises(PdeError) as caught:
        read(name, root)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span) == (code, SPAN)
    return f"{found.message} | {found.hint}"


# ---- writers of each format


def idx(array: Array) -> bytes:
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + bytes(array.astype(np.uint8))


def write_mnist(root: Path, parts: dict[str, tuple[Array, Array]], kind: str = "MNIST", packed: bool = False) -> None:
    folder = root / kind / "raw"
    folder.mkdir(parents=True)
    for stem, (images, labels) in zip(("train", "t10k"), parts.values(), strict=True):
        for name, array in ((f"{stem}-images-idx3-ubyte", images[:, 0]), (f"{stem}-labels-idx1-ubyte", labels)):
            content = idx(array)
            path = folder / (f"{name}.gz" if packed else name)
            path.write_bytes(gzip.compress(content) if packed else content)


def write_svhn(root: Path, parts: dict[str, tuple[Array, Array]]) -> None:
    from scipy.io import savemat

    for part, (images, labels) in parts.items():
        ten = np.where(labels == 0, 10, labels).astype(np.uint8)[:, None]
        savemat(root / f"{part}_32x32.mat", {"X": images.transpose(2, 3, 1, 0), "y": ten}, do_compression=True)


def write_stl10(root: Path, parts: dict[str, tuple[Array, Array]]) -> None:
    folder = root / "stl10_binary"
    folder.mkdir()
    for part, (images, labels) in parts.items():
        images.transpose(0, 1, 3, 2).tofile(folder / f"{part}_X.bin")
        (labels + 1).astype(np.uint8).tofile(folder / f"{part}_y.bin")


def write_pickle(path: Path, content: object) -> list[str]:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(pickle.dumps(content, protocol=2))
    return [path.name, hashlib.md5(path.read_bytes()).hexdigest()]


def write_cifar10(root: Path, parts: dict[str, tuple[Array, Array]], patch: pytest.MonkeyPatch) -> None:
    """Batches of the published form; the sums that torchvision checks are made to be theirs."""
    from torchvision.datasets import CIFAR10

    def batch(name: str, images: Array, labels: Array) -> list[str]:
        return write_pickle(
            root / "cifar-10-batches-py" / name, {"data": images.reshape(-1, 3072), "labels": labels.tolist()}
        )

    images, labels = (np.array_split(a, 5) for a in parts["train"])
    train = [batch(f"data_batch_{k + 1}", images[k], labels[k]) for k in range(5)]
    names, md5 = write_pickle(root / "cifar-10-batches-py" / "batches.meta", {"label_names": list("abcdefghij")})
    patch.setattr(CIFAR10, "train_list", train)
    patch.setattr(CIFAR10, "test_list", [batch("test_batch", *parts["test"])])
    patch.setattr(CIFAR10, "meta", {"filename": names, "key": "label_names", "md5": md5})


def write_cifar100(root: Path, parts: dict[str, tuple[Array, Array]], patch: pytest.MonkeyPatch) -> None:
    from torchvision.datasets import CIFAR100

    folder = root / "cifar-100-python"
    for part, (images, labels) in parts.items():
        content = {"data": images.reshape(-1, 3072), "fine_labels": labels.tolist(), "coarse_labels": [0] * len(labels)}
        patch.setattr(CIFAR100, f"{part}_list", [write_pickle(folder / part, content)])
    name, md5 = write_pickle(folder / "meta", {"fine_label_names": [f"kind {k}" for k in range(100)]})
    patch.setattr(CIFAR100, "meta", {"filename": name, "key": "fine_label_names", "md5": md5})


def write(name: str, root: Path, patch: pytest.MonkeyPatch) -> dict[str, tuple[Array, Array]]:
    """A small set: 20 images for training and 10 for test."""
    shape, classes = SETS[name].shape, len(SETS[name].names)
    parts = {
        part: (pictures(n, shape, n), np.arange(n) * (classes // 10) % classes)
        for part, n in (("train", 20), ("test", 10))
    }
    match name:
        case "mnist" | "fashion_mnist":
            write_mnist(root, parts, SETS[name].kind)
        case "svhn":
            write_svhn(root, parts)
        case "stl10":
            write_stl10(root, parts)
        case "cifar10":
            write_cifar10(root, parts, patch)
        case "cifar100":
            write_cifar100(root, parts, patch)
    return parts


# ---- reading


@pytest.mark.parametrize("name", EVERY)
def test_files_in_the_format_of_the_set(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = write(name, tmp_path, monkeypatch)
    data = read(name, tmp_path)
    for split, (images, labels) in ((data.train, parts["train"]), (data.test, parts["test"])):
        assert split.inputs.dtype == torch.uint8
        assert split.inputs.is_contiguous()
        assert (split.inputs.numpy() == images).all()
        assert split.labels.tolist() == labels.tolist()
    assert (data.shape, data.classes, data.bounds) == (SETS[name].shape, len(SETS[name].names), (0, 1))
    assert len(data.class_names) == data.classes
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []


def test_the_names_of_cifar100_are_those_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("cifar100", tmp_path, monkeypatch)
    assert read("cifar100", tmp_path).class_names[7] == "kind 7"


def test_compressed_idx_files(tmp_path: Path) -> None:
    parts = {part: (pictures(4, (1, 28, 28), 0), np.arange(4)) for part in ("train", "test")}
    write_mnist(tmp_path, parts, packed=True)
    assert (read("mnist", tmp_path).train.inputs.numpy() == parts["train"][0]).all()


@pytest.mark.parametrize("last", [True, False])
def test_an_npz_file_stands_for_a_set(last: bool, tmp_path: Path) -> None:
    x, y = pictures(20, (3, 32, 32), 0), np.arange(20) % 7
    stored = x.transpose(0, 2, 3, 1) if last else x
    np.savez(tmp_path / "cifar10.npz", x_train=stored, y_train=y, x_test=stored[:3], y_test=y[:3])
    data = load(Chosen(Cifar10()), tmp_path, 0, (3, 32, 32), 10)
    assert (data.train.inputs.numpy() == x).all()
    assert (data.classes, data.class_names[2]) == (10, "bird")


def test_an_npz_file_of_something_else(tmp_path: Path) -> None:
    x = pictures(20, (1, 28, 28), 0)
    np.savez(tmp_path / "cifar10.npz", x=x, y=np.arange(20))
    told = refused("E723", "cifar10", tmp_path)
    assert "cifar10.npz holds 20 classes of samples (1, 28, 28) | expected: 10 classes of (3, 32, 32)" in told


# ---- files that are missing


@pytest.fixture
def no_internet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are not resolved, as on a machine without a network."""

    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_internet")
@pytest.mark.parametrize("name", EVERY)
def test_missing_files_are_named(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "data"
    told = refused("E722", name, root)
    assert f"the files of {name} are not in {root}, and they cannot be downloaded (" in told
    assert "Name or service not known" in told
    assert all(file in told for file in SETS[name].files)
    assert f"get them from {SETS[name].site}" in told
    assert f"{name}.npz with x_train, y_train, x_test, y_test" in told
    assert capsys.readouterr().out == ""
    assert [p.name for p in root.iterdir()] == [".lock"]


@pytest.mark.usefixtures("no_internet")
def test_one_missing_file_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("mnist", tmp_path, monkeypatch)
    (tmp_path / "MNIST/raw/t10k-labels-idx1-ubyte").unlink()
    refused("E722", "mnist", tmp_path)
    assert len(list((tmp_path / "MNIST/raw").iterdir())) == 3


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "they cannot be downloaded (" in refused("E722", "mnist", tmp_path / "file" / "data")


# ---- downloads


def test_a_download_is_in_its_place_when_it_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that arrive, from a folder in place of the internet."""
    chosen, calls = SETS["mnist"], []

    def arrive(kind: str, folder: Path) -> None:
        calls.append(kind)
        print("progress")  # noqa: T201
        write("mnist", folder, monkeypatch)
        (folder / "archive.tar").touch()

    monkeypatch.setattr(downloading, "_torchvision_download", arrive)
    root = tmp_path / "data"
    assert len(read("mnist", root).train) == 20
    assert len(read("mnist", root).train) == 20
    assert calls == ["MNIST"]
    assert sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()) == sorted([".lock", *chosen.files])


@pytest.mark.parametrize(
    "error", [RuntimeError("File not found or corrupted."), OSError(28, "No space left"), EOFError()]
)
def test_a_download_that_breaks_off_leaves_nothing(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks_off(kind: str, folder: Path) -> None:
        print("progress")  # noqa: T201
        write("mnist", folder, monkeypatch)
        raise error

    monkeypatch.setattr(downloading, "_torchvision_download", breaks_off)
    assert (str(error) or "EOFError") in refused("E722", "mnist", tmp_path)
    assert capsys.readouterr().out == ""
    assert [p.name for p in tmp_path.iterdir()] == [".lock"]


ONE_OF_MANY = """
import sys, time
from pathlib import Path
from pdedsl.data import download as d

def arrive(kind, folder):
    with open(sys.argv[2], "a") as log:
        log.write("downloading\\n")
    time.sleep(0.5)
    folder.mkdir(parents=True)
    (folder / "file").touch()

d._torchvision_download = arrive
print("ready", flush=True)
sys.stdin.readline()
sys.exit(d.download("Any", ("file",), Path(sys.argv[1]), lambda root: (root / "file").is_file()) or 0)
"""


def test_one_process_downloads(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ONE_OF_MANY, str(tmp_path / "data"), str(tmp_path / "log")]
    workers = [subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True) for _ in range(3)]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    for worker in workers:
        worker.communicate()
    assert [worker.returncode for worker in workers] == [0, 0, 0]
    assert (tmp_path / "log").read_text().splitlines() == ["downloading"]


# ---- files that are damaged


def damage(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("which", [0, 1])
def test_truncated_files(name: str, which: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(name, tmp_path, monkeypatch)
    damage(tmp_path / SETS[name].files[which])
    told = refused("E723", name, tmp_path)
    assert f"the files of {name} in {tmp_path} are damaged: " in told
    assert told.endswith("| delete them and get them again")


def test_a_pickle_with_another_sum_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("cifar10", tmp_path, monkeypatch)

    def opened(*_: object, **__: object) -> None:
        raise AssertionError("a pickle was opened")

    write_pickle(tmp_path / "cifar-10-batches-py" / "data_batch_1", {"data": 1})
    monkeypatch.setattr(pickle, "load", opened)
    assert "their MD5 sums are not those of the published ones" in refused("E723", "cifar10", tmp_path)


def test_a_compressed_file_that_is_cut_off(tmp_path: Path) -> None:
    parts = {part: (pictures(4, (1, 28, 28), 0), np.arange(4)) for part in ("train", "test")}
    write_mnist(tmp_path, parts, packed=True)
    damage(tmp_path / "MNIST/raw/train-images-idx3-ubyte.gz")
    assert "train-images-idx3-ubyte.gz cannot be decompressed" in refused("E723", "mnist", tmp_path)


@pytest.mark.parametrize(
    ("images", "labels", "told"),
    [
        (pictures(4, (1, 27, 28), 0), np.arange(4), "images of shape (1, 27, 28) instead of (1, 28, 28)"),
        (pictures(4, (1, 28, 28), 0), np.arange(3), "4 images and 3 labels for train"),
        (pictures(4, (1, 28, 28), 0), np.arange(4) + 8, "labels from 8 to 11"),
    ],
)
def test_files_of_something_else(images: Array, labels: Array, told: str, tmp_path: Path) -> None:
    write_mnist(tmp_path, {"train": (images, labels), "test": (images, labels)})
    assert told in refused("E723", "mnist", tmp_path)


# ---- the real ones, where PDEDSL_DATA names a folder that holds them

REAL = Path(os.environ.get("PDEDSL_DATA", ""))
PUBLISHED: dict[str, tuple[int, int, tuple[float, ...], tuple[float, ...]]] = {  # sizes, mean and std to four digits
    "mnist": (60000, 10000, (0.1307,), (0.3081,)),
    "fashion_mnist": (60000, 10000, (0.2860,), (0.3530,)),
    "cifar10": (50000, 10000, (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)),
    "cifar100": (50000, 10000, (0.5071, 0.4865, 0.4409), (0.2673, 0.2564, 0.2762)),
    "svhn": (73257, 26032, (0.4377, 0.4438, 0.4728), (0.1980, 0.2010, 0.1970)),
    "stl10": (5000, 8000, (0.4467, 0.4398, 0.4066), (0.2603, 0.2566, 0.2713)),
}


def at_hand(name: str) -> bool:
    return bool(os.environ.get("PDEDSL_DATA")) and (SETS[name].present(REAL) or (REAL / f"{name}.npz").is_file())


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.skipif(not at_hand(n), reason="no files")) for n in EVERY]
)
def test_the_real_set(name: str) -> None:
    data = read(name, REAL)
    train, test, mean, std = PUBLISHED[name]
    assert (len(data.train), len(data.test)) == (train, test)
    assert data.mean == pytest.approx(mean, abs=1e-4)
    assert data.std == pytest.approx(std, abs=1e-4)
    assert data.train.labels.bincount().min() > 0
    assert len(data.train.labels.bincount()) == len(data.test.labels.bincount()) == data.classes
    half = load(Chosen(DATA[name].made({"train": 1000, "test": 500, "validation": 0.5})), REAL, 0)
    assert half.validation is not None
    assert (len(half.train), len(half.validation), len(half.test)) == (500, 500, 500)
    assert not {x.numpy().tobytes() for x in half.train.inputs} & {x.numpy().tobytes() for x in half.validation.inputs}
