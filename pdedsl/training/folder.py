"""The folder of a run: one run at a time, and only the run that it belongs to."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pdedsl.compiler import format, parse
from pdedsl.diagnostics import PdeError
from pdedsl.ir.spec import Block, Setting, Spec
from pdedsl.training.checkpoint import Checkpoint


class RunError(Exception):
    """A run cannot be made or read as asked; the message says why, and what to do."""


@contextmanager
def claimed(folder: Path, resume: bool) -> Iterator[None]:
    """The folder for this process alone. What is in it stays, unless the run in it is to go on."""
    if folder.is_file():
        raise RunError(f"{folder} is a file; a run needs a folder")
    if not resume and folder.exists() and any(folder.iterdir()):
        raise RunError(f"{folder} is not empty: --resume goes on with the run in it; or choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ".lock"
    with path.open("w") as lock:
        if not _locked(lock.fileno()):
            raise RunError(f"another process is training in {folder}")
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
            if not any(folder.iterdir()):
                folder.rmdir()  # nothing came of it


def _locked(handle: int) -> bool:
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def refuse_other(found: Checkpoint, spec: Spec, folder: Path) -> None:
    """A checkpoint goes on with the problem it was made for. How it is evaluated, and for how long it trains if the
    schedule does not depend on that, may differ."""
    try:
        saved = parse(found.spec)
    except PdeError:
        raise RunError(f"the spec saved in {folder} cannot be read by this version; choose another folder") from None
    if _essence(saved) == _essence(spec):
        return
    lines = difflib.unified_diff(
        format(found.spec).splitlines(), format(spec.source.text).splitlines(), "the run", "the spec", lineterm="", n=0
    )
    changes = "\n".join(f"  {line}" for line in lines if not line.startswith("@@"))
    raise RunError(
        f"the run in {folder} is of another spec:\n{changes}\nChoose another folder, or the spec of the run."
    )


def _essence(spec: Spec) -> str:
    kept = tuple(_lasting(block) for block in spec.blocks if block.kind != "evaluate")
    return replace(spec, blocks=kept).canonical


def _lasting(block: Block) -> Block:
    schedule = block.get("schedule")
    if block.kind != "train" or (isinstance(schedule, Setting) and schedule.name == "cosine"):
        return block
    return replace(block, lines=tuple(line for line in block.lines if line.key not in ("epochs", "steps")))
