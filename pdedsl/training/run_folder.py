"""The folder of a run: used by one process at a time, and only by the run that it belongs to."""

from __future__ import annotations

import difflib
import signal
import threading
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType

from pdedsl.api import format, parse
from pdedsl.config.blocks import TrainBlock
from pdedsl.config.methods import HeatSmoothing
from pdedsl.config.training import Cosine
from pdedsl.diagnostics import PdeError
from pdedsl.io import RunError, is_half_written, refuse_links, sweep
from pdedsl.ir.spec import Spec

# ---- folder


BEGUN = {".lock", "spec.pde", "metrics.jsonl", "tensorboard", "checkpoints"}  # what a run has before it first saves


@contextmanager
def claimed(folder: Path, resume: bool, begun: Container[str] = frozenset(BEGUN)) -> Iterator[None]:
    """Reserve the folder for this process alone. A folder that is not empty is refused, unless `resume`: then it must
    hold checkpoints, or nothing but the files in `begun`, which are written before the first checkpoint."""
    if folder.is_file():
        raise RunError(f"{folder} is a file; a run needs a folder")
    there = {path.name for path in folder.iterdir() if not is_half_written(path)} if folder.exists() else set()
    if there and not resume:
        raise RunError(f"{folder} is not empty: --resume goes on with the run in it; or choose another folder")
    if any(name not in begun for name in there) and not any(folder.glob("checkpoints/step-*")):
        raise RunError(f"{folder} is not empty, and holds no run to go on with; choose another folder")
    checkpoints = folder / "checkpoints"
    refuse_links(folder, checkpoints, folder / "tensorboard")
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with locked(folder / ".lock", f"another process is at work in {folder}"):
            sweep(folder, checkpoints)
            yield
    finally:
        if made and not any(folder.iterdir()):
            with suppress(OSError):
                folder.rmdir()  # nothing was written


@contextmanager
def locked(path: Path, otherwise: str) -> Iterator[None]:
    """Hold a file that only one process can have at a time; any other process gets an error."""
    with path.open("w") as lock:
        if not _locked(lock.fileno()):
            raise RunError(otherwise)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


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


def refuse_other(text: str, spec: Spec, folder: Path) -> None:
    """Refuse to resume with a spec other than `text`, which the run began with. The evaluation may differ, and so may
    the length of training where nothing done so far depends on it."""
    if text == spec.source.text:
        return
    try:
        saved = parse(text)
    except PdeError:
        raise RunError(f"the spec saved in {folder} cannot be read by this version; choose another folder") from None
    if _essence(saved) == _essence(spec):
        return
    lines = difflib.unified_diff(
        format(text).splitlines(), format(spec.source.text).splitlines(), "the run", "the spec", lineterm="", n=0
    )
    changes = "\n".join(f"  {line}" for line in lines if not line.startswith("@@"))
    raise RunError(
        f"the run in {folder} is of another spec:\n{changes}\nChoose another folder, or the spec of the run."
    )


def _essence(spec: Spec) -> str:
    train = _endless(spec.train) if spec.train and _can_grow(spec.train, spec) else spec.train
    return replace(spec, evaluate=None, train=train).canonical


def _can_grow(train: TrainBlock, spec: Spec) -> bool:
    """Whether a longer run begins exactly like this one: one phase, and a schedule that does not depend on the end."""
    cosine = isinstance(train.schedule.word, Cosine)
    retrained = spec.realize.diffusion is not None and isinstance(spec.realize.diffusion.word, HeatSmoothing)
    return len(train.optimizer) == 1 and not cosine and not retrained


def _endless(train: TrainBlock) -> TrainBlock:
    """Training for one epoch or one step, whichever the block counts in: the times of a schedule have that unit."""
    return replace(train, epochs=train.epochs and 1, steps=train.steps and 1)


# ---- interruption
# Ctrl-C and SIGTERM, for code that has something to finish first.


Interrupted = Callable[[], bool]


@contextmanager
def interruption() -> Iterator[Interrupted]:
    """Whether Ctrl-C or SIGTERM arrived: the first is noted, so that a step can finish; a second interrupts at once."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    noted: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def note(number: int, frame: FrameType | None) -> None:
        if noted:
            raise KeyboardInterrupt
        noted.append(number)

    for number in before:
        signal.signal(number, note)
    try:
        yield lambda: bool(noted)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
