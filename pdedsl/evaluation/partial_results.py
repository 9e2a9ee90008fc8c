"""Partial results of an evaluation, one JSON line per batch, from which an interrupted evaluation is resumed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from pdedsl.evaluation.measure import Columns
from pdedsl.io import RunError, path_in_errors

BatchKey = tuple[str, int]
"""The key of a measurement and the index of a batch."""


@dataclass
class PartialResults:
    """Columns by measurement and batch; if there is a file, each batch is written and synced to it at once."""

    columns: dict[BatchKey, Columns] = field(default_factory=dict)
    file: IO[str] | None = None

    def __contains__(self, key: BatchKey) -> bool:
        return key in self.columns

    def add(self, key: BatchKey, columns: Columns) -> None:
        self.columns[key] = columns
        if self.file is not None:
            with path_in_errors(Path(self.file.name)):
                self.file.write(json.dumps({"key": key[0], "batch": key[1], "columns": columns}) + "\n")
                self.file.flush()
                os.fsync(self.file.fileno())


@contextmanager
def open_partial_results(
    folder: Path, identity: str, resume: bool, rank: int = 0, processes: int = 1
) -> Iterator[PartialResults]:
    """The partial results in a folder, one file per process. `identity` is a hash of the evaluation: with `resume`,
    results of another evaluation are an error; without it, earlier results are discarded."""
    columns: dict[BatchKey, Columns] = {}
    files = {path.name: path for path in sorted(folder.glob("parts-*.jsonl"))}
    if resume:
        for file_path in files.values():
            columns.update(_read(file_path, identity))
    elif rank == 0:  # the other processes overwrite their own files
        running = {f"parts-{number}.jsonl" for number in range(processes)}
        for name in files.keys() - running:
            files[name].unlink()
    path = folder / f"parts-{rank}.jsonl"
    append = resume and path.exists() and _truncate(path, identity)
    file = path.open("a" if append else "w", encoding="utf-8", newline="\n")
    try:
        if not append:
            with path_in_errors(path):
                file.write(json.dumps({"identity": identity}) + "\n")
                file.flush()
        yield PartialResults(columns, file)
    finally:
        with suppress(OSError):  # the disk is full, as already reported
            file.close()


def _truncate(path: Path, identity: str) -> bool:
    """Remove an incomplete last line, left by a killed process; returns whether the first line names `identity`."""
    data = path.read_bytes()
    with path.open("r+b") as file:
        file.truncate(data.rfind(b"\n") + 1)
    return _identity(path.read_text("utf-8", "replace").splitlines(keepends=True)) == identity


def _identity(lines: list[str]) -> object:
    head = _parse(lines[0]) if lines else None
    return None if head is None else head.get("identity")


def _read(path: Path, identity: str) -> Iterator[tuple[BatchKey, Columns]]:
    lines = path.read_text("utf-8", "replace").splitlines(keepends=True)
    if not lines or not lines[0].endswith("\n"):
        return  # killed before the first line was written
    if _identity(lines) != identity:
        raise RunError(
            f"{path.parent} contains another evaluation (different weights, samples, seeds or version); "
            "evaluate without --resume to replace it"
        )
    for line in lines[1:]:
        match _parse(line):
            case {"key": str(key), "batch": int(batch), "columns": dict(columns)} if _is_table(columns):
                yield (key, batch), columns


def _is_table(columns: dict[str, Any]) -> bool:
    """Whether all columns are lists; otherwise the batch is measured again."""
    return bool(columns) and all(isinstance(column, list) for column in columns.values())


def _parse(line: str) -> dict[str, Any] | None:
    """None if the line is incomplete or invalid."""
    if not line.endswith("\n"):
        return None
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
