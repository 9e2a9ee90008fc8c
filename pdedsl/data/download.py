"""Download of public data sets: locked against other processes, files are moved into place when complete."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from http.client import HTTPException
from pathlib import Path

OPTIONS = {"SVHN": ({"split": "train"}, {"split": "test"}), "STL10": ({"split": "test"},)}  # arguments of a download
TIMEOUT_SECONDS = 20.0  # of one network operation, not of the whole download


def download(kind: str, files: tuple[str, ...], root: Path, present: Callable[[Path], bool]) -> str:
    """Download the files of the torchvision data set `kind` to `root`; returns the error, or an empty string.

    torchvision verifies the MD5 sums. It downloads to a separate folder, from which the files are moved when all are
    complete, so that an interrupted download is never read as data.
    """
    try:
        with _lock_folder(root):
            if not present(root):
                _fetch(kind, files, root)
    except (OSError, RuntimeError, HTTPException, EOFError, tarfile.TarError) as error:
        return f"download failed ({_reason(error)})"
    return ""


def _fetch(kind: str, files: tuple[str, ...], root: Path) -> None:
    partial = root / f".partial-{kind}"
    shutil.rmtree(partial, ignore_errors=True)
    try:
        with redirect_stdout(sys.stderr), _timeout(TIMEOUT_SECONDS):
            _torchvision_download(kind, partial)
        for file in files:
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            os.replace(partial / file, root / file)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _torchvision_download(kind: str, folder: Path) -> None:
    from torchvision import datasets

    dataset = getattr(datasets, kind)
    for options in OPTIONS.get(kind, ({},)):
        dataset(folder, download=True, **options)


def _reason(error: BaseException) -> str:
    """The first line of the error, without the addresses that torchvision tried."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    message = next((line for line in lines if line.startswith("<urlopen error")), lines[0] if lines else "")
    return message.removeprefix("<urlopen error ").removesuffix(">") or type(error).__name__


@contextmanager
def _timeout(seconds: float) -> Iterator[None]:
    """Timeout for connections, which torchvision does not set."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


@contextmanager
def _lock_folder(root: Path) -> Iterator[None]:
    """Exclusive lock of the folder; no lock on systems without POSIX locks."""
    root.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with open(root / ".lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield  # closing the file releases the lock
