"""Files that are written completely or not at all, and survive a crash once written."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


class RunError(Exception):
    """A run cannot be made or read as requested; the message says why, and what to do."""


MALFORMED = (OSError, KeyError, IndexError, TypeError, ValueError, AttributeError, RuntimeError)
"""What reading plain data raises whose form somebody else has chosen; torch says RuntimeError."""


@contextmanager
def well_formed(otherwise: str) -> Iterator[None]:
    """For reading a file from elsewhere without checking it first: errors due to its form become a `RunError`."""
    try:
        yield
    except MALFORMED as error:
        raise RunError(f"{otherwise} ({type(error).__name__}: {str(error)[:200]})") from None


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Adds the path to an OSError: the error of a full disk does not name the file."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


def replace_with(path: Path, write: Callable[[Path], None]) -> None:
    """`write` creates the file under a temporary name; it then replaces the old file atomically.

    A device, a pipe or a folder is never replaced: nobody who names one wants a file in its place.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is not a regular file, and stays as it is", str(path))
    path = path.resolve()  # a link stays a link: its target is replaced
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with writing(path):
            write(part)
            if path.exists():
                os.chmod(part, path.stat().st_mode)
            _sync(part)
            os.replace(part, path)
            _sync(path.parent)
    finally:
        part.unlink(missing_ok=True)


def is_half_written(path: Path) -> bool:
    """Whether this is a file that `replace_with` leaves when its process is killed: `.name.123.part`."""
    return re.fullmatch(r"\..+\.\d+\.part", path.name) is not None and path.is_file()


def sweep(*folders: Path) -> None:
    """Remove what killed processes left behind; only safe if no other process uses the folders."""
    for path in _inside(folders):
        if is_half_written(path):
            path.unlink(missing_ok=True)


def refuse_links(*folders: Path) -> None:
    """Refuses folders that contain links, so that nothing written into them lands elsewhere."""
    for path in _inside(folders):
        if path.is_symlink():
            raise RunError(f"{path} is a link, and would be written through; put what it points to in its place")


def _inside(folders: Iterable[Path]) -> list[Path]:
    return [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())]


def replace_text(path: Path, text: str) -> None:
    replace_with(path, lambda part: _write(part, text))


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8", newline="\n")


def _sync(path: Path) -> None:
    """Flush a file or folder to disk."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:  # not every system can open folders
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
