"""Image set files that are missing, downloaded or corrupt."""

from __future__ import annotations

import pickle
import socket
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import numpy as np
import pytest

from data.image_files import EVERY, SETS, Array, pictures, read, refused, write, write_mnist, write_pickle
from pdedsl.data import download as downloading

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
    assert f"the files of {name} are not in {root}: download failed (" in told
    assert "Name or service not known" in told
    assert all(file in told for file in SETS[name].files)
    assert f"download from {SETS[name].site}" in told
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
    assert "download failed (" in refused("E722", "mnist", tmp_path / "file" / "data")


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
    assert f"the files of {name} in {tmp_path} are corrupt: " in told
    assert told.endswith("| delete them and download them again")


def test_a_pickle_with_another_sum_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("cifar10", tmp_path, monkeypatch)

    def opened(*_: object, **__: object) -> None:
        raise AssertionError("a pickle was opened")

    write_pickle(tmp_path / "cifar-10-batches-py" / "data_batch_1", {"data": 1})
    monkeypatch.setattr(pickle, "load", opened)
    assert "MD5 checksum mismatch" in refused("E723", "cifar10", tmp_path)


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
