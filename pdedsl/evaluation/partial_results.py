"""Partial results of an evaluation, one JSON line per batch, from which an interrupted evaluation is resumed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pdedsl.evaluation.measure import Columns
from pdedsl.io import RunError
from pdedsl.runs.metrics import JsonLines, read_json_lines

BatchKey = tuple[str, int]
"""The key of a measurement and the index of a batch."""


@dataclass
class PartialResults:
    """Columns by measurement and batch; if there is a log, each batch is written to it at once."""

    columns: dict[BatchKey, Columns] = field(default_factory=dict)
    log: JsonLines | None = None

    def __contains__(self, key: BatchKey) -> bool:
        return key in self.columns

    def add(self, key: BatchKey, columns: Columns) -> None:
        self.columns[key] = columns
        if self.log is not None:
            self.log.write({"key": key[0], "batch": key[1], "columns": columns})


@contextmanager
def open_partial_results(
    folder: Path, identity: str, resume: bool, rank: int = 0, processes: int = 1
) -> Iterator[PartialResults]:
    """The partial results in a folder, one file per process. `identity` is a hash of the evaluation: with `resume`,
    results of another evaluation are an error; without it, earlier results are discarded."""
    own, files = folder / f"parts-{rank}.jsonl", sorted(folder.glob("parts-*.jsonl"))
    rows = {path: _read(path, identity) if resume else [] for path in files}
    if not resume and rank == 0:  # the other processes overwrite their own files
        for path in {*files} - {folder / f"parts-{number}.jsonl" for number in range(processes)}:
            path.unlink()
    columns: dict[BatchKey, Columns] = {
        (row["key"], row["batch"]): row["columns"] for part in rows.values() for row in part
    }
    log = JsonLines(own, [{"identity": identity}, *rows.get(own, [])])
    try:
        yield PartialResults(columns, log)
    finally:
        with suppress(OSError):  # the disk is full, as already reported
            log.close()


def _read(path: Path, identity: str) -> list[dict[str, Any]]:
    """The batches in a file; a batch without columns is measured again."""
    head, *rows = read_json_lines(path) or [{"identity": identity}]
    if head.get("identity") != identity:
        raise RunError(
            f"{path.parent} contains another evaluation (different weights, samples, seeds or version); "
            "evaluate without --resume to replace it"
        )
    return [row for row in rows if row.get("columns")]
