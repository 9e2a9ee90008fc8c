"""Run folders: lock, compatibility with the spec on resumption, and handling of interrupts."""

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
from pdedsl.io import RunError, is_temporary, remove_temporary_files, require_no_links
from pdedsl.ir.spec import Spec
from pdedsl.runs.checkpoint import Checkpoint, load_newest

# ---- Lock


SPEC, WEIGHTS, METRICS, CHECKPOINTS = "spec.pde", "weights.safetensors", "metrics.jsonl", "checkpoints"
BASE_WEIGHTS = "base.safetensors"  # of the network before heat smoothing
CODE = "code"  # modules of the user's networks, see `user_code`
INITIAL_FILES = {".lock", SPEC, METRICS, CODE, "tensorboard", CHECKPOINTS}  # before the first checkpoint
SAVE_SECONDS = 30.0  # between two checkpoints


class FolderLocked(RunError):
    """Another process is using the folder."""


@contextmanager
def lock_run_folder(folder: Path, resume: bool, initial: Container[str] = frozenset(INITIAL_FILES)) -> Iterator[None]:
    """Lock the folder for this process. A folder that is not empty is rejected, unless `resume`: then it must contain
    checkpoints, or only the files in `initial`, which are written before the first checkpoint."""
    if folder.is_file():
        raise RunError(f"{folder} is a file; the run needs a folder")
    names = {path.name for path in folder.iterdir() if not is_temporary(path)} if folder.exists() else set()
    if names and not resume:
        raise RunError(f"{folder} is not empty: use --resume to continue the run in it, or choose another folder")
    if any(name not in initial for name in names) and not any(folder.glob(f"{CHECKPOINTS}/step-*")):
        raise RunError(f"{folder} is not empty and contains no run to resume; choose another folder")
    checkpoints = folder / CHECKPOINTS
    require_no_links(folder, checkpoints, folder / "tensorboard")
    created = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with lock_file(folder / ".lock", f"another process is using {folder}"):
            remove_temporary_files(folder, checkpoints)
            yield
    finally:
        if created and not any(folder.iterdir()):
            with suppress(OSError):
                folder.rmdir()  # nothing was written


@contextmanager
def lock_file(path: Path, otherwise: str) -> Iterator[None]:
    """Exclusive lock on a file; FolderLocked with the text `otherwise` if another process holds it."""
    with path.open("w") as lock:
        if not _try_lock(lock.fileno()):
            raise FolderLocked(otherwise)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _try_lock(handle: int) -> bool:
    try:
        import fcntl
    except ImportError:  # not available on this system
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def find_checkpoint(folder: Path, spec: Spec) -> tuple[Checkpoint | None, tuple[str, ...]]:
    """The newest valid checkpoint of a run, and the errors of newer ones; RunError if it belongs to another spec."""
    newest, errors = load_newest(folder / CHECKPOINTS)
    if newest is None and errors:
        raise RunError(f"no valid checkpoint in {folder}: {errors[0]}; choose another folder")
    if newest is not None:
        require_same_spec(newest.spec, spec, folder)
    elif (folder / SPEC).exists():
        require_same_spec((folder / SPEC).read_text("utf-8"), spec, folder)
    return newest, errors


def require_same_spec(text: str, spec: Spec, folder: Path) -> None:
    """RunError if `spec` is not the spec `text` of the run. The blocks `evaluate` and `solve` may
    differ, and so may the length of training if the steps so far do not depend on it."""
    if text == spec.source.text:
        return
    try:
        saved = parse(text)
    except PdeError:
        raise RunError(f"this version cannot parse the spec saved in {folder}; choose another folder") from None
    if _resumable_part(saved) == _resumable_part(spec):
        return
    lines = difflib.unified_diff(
        format(text).splitlines(), format(spec.source.text).splitlines(), "the run", "the spec", lineterm="", n=0
    )
    changes = "\n".join(f"  {line}" for line in lines if not line.startswith("@@"))
    raise RunError(
        f"the run in {folder} was started with another spec:\n{changes}\nChoose another folder, or the spec of the run."
    )


def _resumable_part(spec: Spec) -> str:
    train = _without_length(spec.train) if spec.train and _can_be_extended(spec.train, spec) else spec.train
    return replace(spec, evaluate=None, solve=None, train=train).canonical


def _can_be_extended(train: TrainBlock, spec: Spec) -> bool:
    """Whether a longer run has the same first steps: one phase, and a schedule that does not depend on the length."""
    cosine = isinstance(train.schedule.config, Cosine)
    retrained = spec.realize.diffusion is not None and isinstance(spec.realize.diffusion.config, HeatSmoothing)
    return len(train.optimizer) == 1 and not cosine and not retrained


def _without_length(train: TrainBlock) -> TrainBlock:
    """The block with a length of one epoch or step, in the unit of the block."""
    return replace(train, epochs=train.epochs and 1, steps=train.steps and 1)


# ---- Interrupts


Interrupted = Callable[[], bool]


@contextmanager
def catch_interrupts() -> Iterator[Interrupted]:
    """Yields a predicate: whether SIGINT (Ctrl-C) or SIGTERM was received, so that a step can finish; a
    second signal interrupts at once."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    received: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def handle(number: int, frame: FrameType | None) -> None:
        if received:
            raise KeyboardInterrupt
        received.append(number)

    for number in before:
        signal.signal(number, handle)
    try:
        yield lambda: bool(received)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
