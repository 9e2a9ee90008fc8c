"""Metrics of a run: loss and accuracy on a data split, and their logs, metrics.jsonl and TensorBoard."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from pdedsl.data.splits import Split
from pdedsl.frozen_model import module_modes
from pdedsl.io import path_in_errors, write_text_atomically
from pdedsl.runs.distributed import World
from pdedsl.runs.events import Assessed, Event, Stepped
from pdedsl.runtime.ode.solver_control import adaptive_blocks, count_evaluations
from pdedsl.runtime.rng import single_call

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

# ---- Loss and accuracy


BATCH_SIZE = 256  # samples per forward pass


class ClassificationMetrics(NamedTuple):
    """Mean cross-entropy, accuracy and, with adaptive solvers, the mean number of function evaluations per sample."""

    loss: float
    accuracy: float
    evaluations: float | None


def compute_metrics(model: nn.Module, split: Split, world: World, dtype: torch.dtype) -> ClassificationMetrics:
    """Metrics of a network on a split; each process evaluates a part of the samples."""
    local, blocks = world.local_slice(len(split)), adaptive_blocks(model)
    sums = torch.zeros(3, dtype=torch.float64, device=world.device)
    with module_modes(model.modules(), training=False), torch.no_grad(), single_call(model) as begin:
        for start in range(local.start, local.stop, BATCH_SIZE):
            begin(start)
            rows = torch.arange(start, min(start + BATCH_SIZE, local.stop))
            x, y = split.batch(rows, world.device, dtype)
            logits = model(x)
            sums[0] += cross_entropy(logits, y, reduction="sum")
            sums[1] += (logits.argmax(-1) == y).sum()
            sums[2] += count_evaluations(blocks)
    loss, accuracy, costs = (world.all_reduce(sums) / len(split)).tolist()
    return ClassificationMetrics(loss, accuracy, costs if blocks else None)


# ---- Logs


NOT_INSTALLED = "TensorBoard is not installed, no TensorBoard logs are written (pip install tensorboard)"


class MetricKind(Enum):
    """The kind of event that a row of the metrics records."""

    STEP = "step"
    ASSESSED = "assessed"


class JsonLines:
    """A file of JSON objects, one per line. It is replaced by `rows`; then each row is written and flushed at once."""

    def __init__(self, path: Path, rows: Iterable[dict[str, Any]] = ()) -> None:
        write_text_atomically(path, "".join(map(_line, rows)))
        self._path, self._file = path, path.open("a", encoding="utf-8", newline="\n")

    def write(self, row: dict[str, Any]) -> None:
        with path_in_errors(self._path):
            self._file.write(_line(row))
            self._file.flush()

    def close(self) -> None:
        with path_in_errors(self._path):
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file in order; invalid lines, as one that a killed process left incomplete, are skipped."""
    rows = map(_parse, path.read_bytes().decode("utf-8", "replace").split("\n"))
    return [row for row in rows if isinstance(row, dict)]


def _parse(line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


class MetricsLog(JsonLines):
    """metrics.jsonl: a line for every Stepped and Assessed.

    `resume=s` keeps the lines up to step s and removes later and incomplete ones, so that the log of a resumed run is
    that of an uninterrupted one; without it the log starts empty.
    """

    def __init__(self, path: Path, resume: int = 0) -> None:
        rows = read_metrics(path) if resume and path.exists() else []
        super().__init__(path, (row for row in rows if row["step"] <= resume))

    def __call__(self, event: Event) -> None:
        row = _row(event)
        if row is not None:
            self.write(row)


class TensorBoardLog:
    """The same metrics as TensorBoard scalars; if TensorBoard is not installed, `note` says so.

    The folder is rewritten, beginning with `rows`, the metrics of the steps before a resumption.
    """

    def __init__(self, folder: Path, rows: Iterable[dict[str, Any]] = ()) -> None:
        self.note = ""
        self._writer: SummaryWriter | None = None
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            self.note = NOT_INSTALLED
            return
        shutil.rmtree(folder, ignore_errors=True)
        self._writer = SummaryWriter(str(folder))
        for row in rows:
            self._write(row)

    def __call__(self, event: Event) -> None:
        row = _row(event)
        if row is not None:
            self._write(row)

    def _write(self, row: dict[str, Any]) -> None:
        if self._writer is None:
            return
        for tag, value in _scalars(row).items():
            self._writer.add_scalar(tag, value, row["step"])
        if MetricKind(row["kind"]) is MetricKind.ASSESSED:
            self._writer.flush()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The rows of a metrics.jsonl in order; incomplete lines are skipped."""
    return [row for row in read_json_lines(path) if isinstance(row.get("step"), int)]


def _row(event: Event) -> dict[str, Any] | None:
    """An event as plain values; null for values that are unknown or not finite (JSON has no NaN)."""
    match event:
        case Stepped():
            return {
                "kind": MetricKind.STEP.value,
                "step": event.step,
                "epoch": event.epoch,
                "phase": event.phase,
                "split": "train",
                "loss": _finite(event.loss),
                "accuracy": _finite(event.accuracy),
                "terms": {name: _finite(value) for name, value in event.terms.items()},
                "lr": _finite(event.lr),
                "seconds": round(event.seconds, 3),
            }
        case Assessed():
            return {
                "kind": MetricKind.ASSESSED.value,
                "step": event.step,
                "epoch": event.epoch,
                "phase": event.phase,
                "split": event.split,
                "loss": _finite(event.loss),
                "accuracy": _finite(event.accuracy),
                **({} if event.evaluations is None else {"evaluations": event.evaluations}),
            }
        case _:
            return None


def scalars_of(event: Stepped | Assessed) -> dict[str, float]:
    """Finite metrics of an event by name, as loss/train."""
    row = _row(event)
    assert row is not None
    return _scalars(row)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _scalars(row: dict[str, Any]) -> dict[str, float]:
    scalars = {f"{name}/{row['split']}": row[name] for name in ("loss", "accuracy", "evaluations") if name in row}
    scalars |= {f"term/{name}": value for name, value in row.get("terms", {}).items()}
    scalars["learning rate"] = row.get("lr")
    return {name: value for name, value in scalars.items() if value is not None}
