"""Atomic and durable file writes, and errors of runs."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


class RunError(Exception):
    """A run cannot be created or read; the message gives the reason and the remedy.

    Example:
        >>> import pdedsl
        >>> try:
        ...     pdedsl.Run.open("no_such_folder")
        ... except pdedsl.RunError as error:
        ...     print(error)
        no_such_folder is not a run folder: spec.pde is missing
    """


class RunInterrupted(Exception):
    """Interrupted by Ctrl-C or SIGTERM; the state is saved."""


MALFORMED = (OSError, KeyError, IndexError, TypeError, ValueError, AttributeError, RuntimeError)
"""Exceptions raised while reading malformed data; torch raises RuntimeError."""


@contextmanager
def malformed_as_run_error(message: str) -> Iterator[None]:
    """Turns exceptions caused by a malformed file into a `RunError` with this message."""
    try:
        yield
    except MALFORMED as error:
        raise RunError(f"{message} ({type(error).__name__}: {str(error)[:200]})") from None


@contextmanager
def path_in_errors(path: Path) -> Iterator[None]:
    """Adds the path to an OSError; a full disk, for example, is reported without it."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Atomic replacement: `write` creates a temporary file, which then replaces the old one.

    Only regular files are replaced; a device, a pipe or a folder raises OSError.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    path = path.resolve()  # a symbolic link remains: its target is replaced
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with path_in_errors(path):
            write(part)
            if path.exists():
                os.chmod(part, path.stat().st_mode)
            _sync(part)
            os.replace(part, path)
            _sync(path.parent)
    finally:
        part.unlink(missing_ok=True)


def is_temporary(path: Path) -> bool:
    """Whether this is a temporary file of a killed process: `.name.123.part`."""
    return re.fullmatch(r"\..+\.\d+\.part", path.name) is not None and path.is_file()


def remove_temporary_files(*folders: Path) -> None:
    """Removes temporary files of killed processes; only safe if no other process uses the folders."""
    for path in _inside(folders):
        if is_temporary(path):
            path.unlink(missing_ok=True)


def require_no_links(*folders: Path) -> None:
    """Raises RunError if a folder contains symbolic links, so that nothing is written outside it."""
    for path in _inside(folders):
        if path.is_symlink():
            raise RunError(f"{path} is a symbolic link and would be written through; replace it by the file itself")


def _inside(folders: Iterable[Path]) -> list[Path]:
    return [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())]


def write_text_atomically(path: Path, text: str) -> None:
    write_atomically(path, lambda part: _write(part, text))


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8", newline="\n")


def _sync(path: Path) -> None:
    """fsync of a file or folder."""
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


def shipped_folder() -> Path:
    """The folder of shipped specs: inside the installed package, or beside it in a checkout."""
    inside = Path(__file__).parent / "specs"
    return inside if inside.is_dir() else Path(__file__).parents[1] / "specs"
