"""What has been measured so far, one line of JSON per batch, so that a killed evaluation can be resumed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from pdedsl.evaluation.measure import Columns
from pdedsl.io import RunError, writing

Place = tuple[str, int]
"""A measurement by its key, and the number of a batch."""


@dataclass
class Parts:
    """Columns by measurement and batch. With a file, each addition is on disk before the next batch begins."""

    known: dict[Place, Columns] = field(default_factory=dict)
    file: IO[str] | None = None

    def __contains__(self, place: Place) -> bool:
        return place in self.known

    def add(self, place: Place, columns: Columns) -> None:
        self.known[place] = columns
        if self.file is not None:
            with writing(Path(self.file.name)):
                self.file.write(json.dumps({"key": place[0], "batch": place[1], "columns": columns}) + "\n")
                self.file.flush()
                os.fsync(self.file.fileno())


@contextmanager
def kept(folder: Path, identity: str, resume: bool, rank: int = 0, processes: int = 1) -> Iterator[Parts]:
    """The parts in a folder, where each process has its own file. `identity` names what is measured, and on which
    samples: with `resume`, parts of anything else are an error; without it, all earlier parts are discarded."""
    known: dict[Place, Columns] = {}
    files = {path.name: path for path in sorted(folder.glob("parts-*.jsonl"))}
    if resume:
        for path in files.values():
            known.update(_read(path, identity))
    elif rank == 0:  # each of the other processes overwrites its own
        running = {f"parts-{number}.jsonl" for number in range(processes)}
        for name in files.keys() - running:
            files[name].unlink()
    own = folder / f"parts-{rank}.jsonl"
    begun = resume and own.exists() and _begun(own, identity)
    file = own.open("a" if begun else "w", encoding="utf-8", newline="\n")
    try:
        if not begun:
            with writing(own):
                file.write(json.dumps({"identity": identity}) + "\n")
                file.flush()
        yield Parts(known, file)
    finally:
        with suppress(OSError):  # the disk is full, which has been reported
            file.close()


def _begun(path: Path, identity: str) -> bool:
    """Whether its first line is intact and names `identity`; an incomplete last line of a killed process is removed."""
    data = path.read_bytes()
    with path.open("r+b") as file:
        file.truncate(data.rfind(b"\n") + 1)
    return _identity(path.read_text("utf-8", "replace").splitlines(keepends=True)) == identity


def _identity(lines: list[str]) -> object:
    head = _parsed(lines[0]) if lines else None
    return None if head is None else head.get("identity")


def _read(path: Path, identity: str) -> Iterator[tuple[Place, Columns]]:
    lines = path.read_text("utf-8", "replace").splitlines(keepends=True)
    if not lines or not lines[0].endswith("\n"):
        return  # left by a process that was killed at the start
    if _identity(lines) != identity:
        raise RunError(
            f"{path.parent} holds another evaluation: other weights, samples, seeds or version. "
            "Evaluate without --resume to replace it"
        )
    for line in lines[1:]:
        match _parsed(line):
            case {"key": str(key), "batch": int(batch), "columns": dict(columns)} if _is_table(columns):
                yield (key, batch), columns


def _is_table(columns: dict[str, Any]) -> bool:
    """Whether there are columns and all of them are lists; anything else is measured again."""
    return bool(columns) and all(isinstance(column, list) for column in columns.values())


def _parsed(line: str) -> dict[str, Any] | None:
    """A line that was completely written, or None."""
    if not line.endswith("\n"):
        return None
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
