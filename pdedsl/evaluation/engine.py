"""Measurements on all samples, batch by batch: distributed over the processes, reported to listeners, saved."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from zlib import crc32

from torch import Tensor

from pdedsl.evaluation.measure import Columns, EvaluatedModel, measure_batch
from pdedsl.evaluation.partial_results import PartialResults
from pdedsl.evaluation.protocol import AuditMeasurement, Measurement, StochasticMeasurement, measurement_label
from pdedsl.io import RunInterrupted
from pdedsl.runs.distributed import World
from pdedsl.runs.events import Listener, MeasurementProgress
from pdedsl.runtime.rng import hash_words

BATCH_SIZE = 200
"""Part of the result: the random numbers are derived from the index of the batch."""


@dataclass(frozen=True)
class EvaluationEngine:
    """Runs measurements of one model on the samples x with labels y."""

    subject: EvaluatedModel
    x: Tensor
    y: Tensor
    seed: int
    parts: PartialResults
    world: World
    listeners: Sequence[Listener] = ()
    interrupted: Callable[[], bool] = lambda: False

    @property
    def batches(self) -> int:
        return -(-len(self.y) // BATCH_SIZE)

    def _batches_of(self, measurement: Measurement) -> range:
        subset = isinstance(measurement, AuditMeasurement | StochasticMeasurement)
        return range(1) if subset else range(self.batches)

    def run(self, measurements: Sequence[Measurement]) -> dict[str, Columns]:
        """The columns of each measurement over all samples, in order."""
        tasks = [(m, batch) for m in measurements for batch in self._batches_of(m)]
        for index, (measurement, batch) in enumerate(tasks):
            if index % self.world.size != self.world.rank:
                continue
            if (measurement.key, batch) not in self.parts:
                if self.interrupted():
                    raise RunInterrupted
                self.parts.add((measurement.key, batch), self._measure(measurement, batch))
            self._notify(measurement, batch, index + 1, len(tasks))
        gathered = self.world.all_gather(self.parts.columns)
        columns = dict(chain.from_iterable(part.items() for part in gathered))
        return {m.key: _concatenate([columns[m.key, batch] for batch in self._batches_of(m)]) for m in measurements}

    def _measure(self, measurement: Measurement, batch: int) -> Columns:
        rows: slice = slice(batch * BATCH_SIZE, (batch + 1) * BATCH_SIZE)
        if isinstance(measurement, AuditMeasurement | StochasticMeasurement):
            rows = measurement.rows(len(self.y))
        seed = hash_words(self.seed, crc32(measurement.key.encode()), batch) % 2**62
        x, y = self.x[rows].to(self.world.device), self.y[rows].to(self.world.device)
        start = time.perf_counter()
        columns = measure_batch(measurement, self.subject, x, y, seed)
        return {**columns, "seconds": [(time.perf_counter() - start) / len(y)] * len(y)}

    def _notify(self, measurement: Measurement, batch: int, done: int, of: int) -> None:
        batches = self._batches_of(measurement)
        columns = [self.parts.columns[measurement.key, b] for b in batches if (measurement.key, b) in self.parts]
        progress = MeasurementProgress(
            measurement_label(measurement), done, of, batch + 1, len(batches), _accuracy(columns)
        )
        for listener in self.listeners:
            listener(progress)


def _concatenate(batches: Sequence[Columns]) -> Columns:
    return {name: list(chain.from_iterable(columns[name] for columns in batches)) for name in batches[0]}


def _accuracy(columns: Sequence[Columns]) -> float | None:
    """Clean or robust accuracy of the batches so far; None for certificates and audits."""
    fooled = list(chain.from_iterable(c.get("fooled", ()) for c in columns))
    clean = [(c["predicted"], labels) for c in columns if (labels := c.get("label")) is not None]
    correct = [p == y for predicted, labels in clean for p, y in zip(predicted, labels, strict=True)]
    correct = correct or [not f for f in fooled]
    return sum(correct) / len(correct) if correct else None
