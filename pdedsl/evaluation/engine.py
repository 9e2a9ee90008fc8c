"""Measurements on all samples, batch by batch: shared among processes, reported to listeners, saved as they come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from zlib import crc32

from torch import Tensor

from pdedsl.distributed import World
from pdedsl.evaluation.measure import Columns, measured
from pdedsl.evaluation.model_under_test import Subject
from pdedsl.evaluation.partial_results import Parts
from pdedsl.evaluation.protocol import Audited, Measurement
from pdedsl.runtime.rng import hash_words

BATCH = 200
"""Samples at once. It is part of the result: the random numbers of a batch belong to it."""

AUDITED = 100
"""Samples of an audit, at most, spread evenly over all."""


@dataclass(frozen=True)
class EvaluationProgress:
    """Sent after `done` of `of` batches; `share` is the share of correct answers in the measurement so far."""

    measurement: str
    done: int
    of: int
    batch: int
    batches: int
    share: float | None


Listener = Callable[[EvaluationProgress], None]


class Stopped(Exception):
    """A stop was requested. What was measured so far is kept."""


@dataclass(frozen=True)
class Engine:
    subject: Subject
    x: Tensor
    y: Tensor
    seed: int
    parts: Parts
    world: World
    listeners: Sequence[Listener] = ()
    interrupted: Callable[[], bool] = lambda: False

    @property
    def batches(self) -> int:
        return -(-len(self.y) // BATCH)

    def _batches_of(self, what: Measurement) -> range:
        return range(1) if isinstance(what, Audited) else range(self.batches)

    def run(self, measurements: Sequence[Measurement]) -> dict[str, Columns]:
        """The columns of each measurement, over all samples in order."""
        places = [(what, batch) for what in measurements for batch in self._batches_of(what)]
        for index, (what, batch) in enumerate(places):
            if index % self.world.size != self.world.rank:
                continue
            if (what.key, batch) not in self.parts:
                self._stop_if_asked()
                self.parts.add((what.key, batch), self._measured(what, batch))
            self._tell(what, batch, index + 1, len(places))
        gathered = self.world.gathered(self.parts.known)
        known = dict(chain.from_iterable(part.items() for part in gathered))
        return {
            what.key: _joined([known[what.key, batch] for batch in self._batches_of(what)]) for what in measurements
        }

    def _measured(self, what: Measurement, batch: int) -> Columns:
        rows: slice = slice(batch * BATCH, (batch + 1) * BATCH)
        if isinstance(what, Audited):
            rows = slice(0, None, -(-len(self.y) // AUDITED))
        seed = hash_words(self.seed, crc32(what.key.encode()), batch) % 2**62
        return measured(
            what, self.subject, self.x[rows].to(self.world.device), self.y[rows].to(self.world.device), seed
        )

    def _stop_if_asked(self) -> None:
        if self.interrupted():
            raise Stopped

    def _tell(self, what: Measurement, batch: int, done: int, of: int) -> None:
        batches = self._batches_of(what)
        columns = [self.parts.known[what.key, b] for b in batches if (what.key, b) in self.parts]
        told = EvaluationProgress(what.key, done, of, batch + 1, len(batches), _right(columns))
        for listener in self.listeners:
            listener(told)


def _joined(batches: Sequence[Columns]) -> Columns:
    return {name: list(chain.from_iterable(columns[name] for columns in batches)) for name in batches[0]}


def _right(columns: Sequence[Columns]) -> float | None:
    """The share of samples that are correct so far; None where a radius says more."""
    fooled = list(chain.from_iterable(c.get("fooled", ()) for c in columns))
    labelled = [(c["predicted"], labels) for c in columns if (labels := c.get("label")) is not None]
    right = [p == y for found, labels in labelled for p, y in zip(found, labels, strict=True)]
    wins = right or [not f for f in fooled]
    return sum(wins) / len(wins) if wins else None
