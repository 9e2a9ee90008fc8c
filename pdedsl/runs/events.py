"""Events of runs (training, solving, evaluation) and their listeners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import nan
from pathlib import Path
from typing import Protocol


class RunOutcome(StrEnum):
    """How a run ended; a run on disk may be unfinished."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    DIVERGED = "diverged"
    UNFINISHED = "unfinished"


@dataclass(frozen=True)
class Started:
    """A run starts, or resumes after step `resumed`; `phases` are names with numbers of steps.

    `adaptive`: there are adaptive solvers, whose function evaluations are reported.
    """

    name: str
    title: str
    hash: str
    folder: Path
    phases: tuple[tuple[str, int], ...]
    steps: int
    parameters: int
    train: int
    validation: int
    test: int
    batch: int
    device: str
    processes: int = 1
    resumed: int = 0
    notes: tuple[str, ...] = ()
    adaptive: bool = False
    attacked: bool = False  # adversarial training: the training metrics are those of adversarial examples


@dataclass(frozen=True)
class Stepped:
    """Step `step` of `of` is done; terms, loss and accuracy are means over the steps since the previous such event.

    `seconds` is the time spent on training so far. Solvers report the loss only.
    """

    step: int
    of: int
    phase: str = ""
    epoch: float = 0.0
    epochs: float = 0.0
    terms: Mapping[str, float] = field(default_factory=dict)
    loss: float = nan
    accuracy: float | None = None
    lr: float | None = None
    seconds: float = 0.0


class HeldOutSplit(StrEnum):
    """Held-out split: validation or test."""

    VALIDATION = "validation"
    TEST = "test"


@dataclass(frozen=True)
class Assessed:
    """Metrics on a held-out split after step `step`."""

    step: int
    epoch: float
    phase: str
    split: HeldOutSplit
    loss: float
    accuracy: float | None
    evaluations: float | None = None


@dataclass(frozen=True)
class Saved:
    """A checkpoint of step `step` was written to `path`."""

    step: int
    path: Path


@dataclass(frozen=True)
class Ended:
    """Training stopped after step `step`."""

    step: int
    seconds: float
    outcome: RunOutcome
    message: str = ""


@dataclass(frozen=True)
class Finishing:
    """A task after the last step, as computing the final metrics; sent before it begins."""

    what: str


@dataclass(frozen=True)
class MeasurementProgress:
    """`done` of `of` batches of an evaluation are done, the last one being `batch` of `batches` of `measurement`.

    `accuracy` is that of the measurement so far, None for certificates."""

    measurement: str
    done: int
    of: int
    batch: int
    batches: int
    accuracy: float | None


Event = Started | Stepped | Assessed | Saved | Ended | Finishing | MeasurementProgress


class Listener(Protocol):
    """Receives every event, in order. Listeners with a file or a terminal are also context managers."""

    def __call__(self, event: Event) -> None: ...
