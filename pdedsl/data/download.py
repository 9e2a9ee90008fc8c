"""Downloads the files of a public data set: one process at a time; files are put in place only when complete."""

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
PATIENCE = 20.0  # seconds to wait for an answer


def download(kind: str, files: tuple[str, ...], root: Path, present: Callable[[Path], bool]) -> str:
    """Download the files of torchvision's data set `kind` to `root`; returns what prevented it, or an empty string.

    torchvision checks the MD5 sum of what it downloads. It works in a separate folder, from which the files are moved
    one by one when all are there: the remains of an interrupted download are never taken for data.
    """
    try:
        with _locked(root):
            if not present(root):
                _fetch(kind, files, root)
    except (OSError, RuntimeError, HTTPException, EOFError, tarfile.TarError) as error:
        return f"they cannot be downloaded ({_reason(error)})"
    return ""


def _fetch(kind: str, files: tuple[str, ...], root: Path) -> None:
    partial = root / f".partial-{kind}"
    shutil.rmtree(partial, ignore_errors=True)
    try:
        with redirect_stdout(sys.stderr), _patience(PATIENCE):
            _torchvision_download(kind, partial)
        for file in files:
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            os.replace(partial / file, root / file)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _torchvision_download(kind: str, folder: Path) -> None:
    from torchvision import datasets

    made = getattr(datasets, kind)
    for options in OPTIONS.get(kind, ({},)):
        made(folder, download=True, **options)


def _reason(error: BaseException) -> str:
    """The first line of what went wrong, without the addresses that torchvision tried."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = next((line for line in lines if line.startswith("<urlopen error")), lines[0] if lines else "")
    return told.removeprefix("<urlopen error ").removesuffix(">") or type(error).__name__


@contextmanager
def _patience(seconds: float) -> Iterator[None]:
    """A timeout for connections, which torchvision does not set."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    """One process at a time; on systems without POSIX locks there is no lock."""
    root.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with open(root / ".lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield  # closing the file releases the lock
