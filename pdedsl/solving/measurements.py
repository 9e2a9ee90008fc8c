"""`observe u from npz("points.npz")`: measurements of the unknowns, from a file beside the spec.

The file holds an array of n numbers for each coordinate and each observed component, by name, or `points` (n, k) and
`values` (n, c). Nothing in it is unpickled.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import torch

from pdedsl import mistakes, sources
from pdedsl.data.npz import Array, arrays, find
from pdedsl.diagnostics import PdeError, Source, Span
from pdedsl.files import RunError, replace_with
from pdedsl.ir.statement import Observed, Statement
from pdedsl.solving.measured import Measured

ROUNDING = 1e-6  # of a side, by which measured coordinates may be off: single precision


def measured(statement: Statement, source: Source) -> tuple[Measured, ...]:
    """The measurements of every `observe` in a spec, on the CPU and in float64."""
    try:
        return tuple(m for observed in statement.observed for m in _read(observed, statement, source))
    except PdeError as error:
        raise PdeError(error.diagnostics, source) from None


def keep_files(statement: Statement, source: Source, folder: Path) -> None:
    """Copy the measurements to the folder of a run, so that it needs no other file; files named by a path stay."""
    for observed in statement.observed:
        found, kept = _path(observed.file, source, observed.span), folder / observed.file
        if observed.file != kept.name or (kept.exists() and found.samefile(kept)):
            continue
        data = found.read_bytes()
        if kept.exists() and kept.read_bytes() != data:
            raise RunError(f"{found} is not what the run in {folder} began with: {kept}")
        replace_with(kept, partial(_write, data))


def _write(data: bytes, path: Path) -> None:
    path.write_bytes(data)


def _read(observed: Observed, statement: Statement, source: Source) -> list[Measured]:
    span = observed.span
    coordinates = [x.name for x in statement.domain.coordinates]
    components = [statement.components[k].name for k in observed.components]
    path = _path(observed.file, source, span)
    held = arrays(path, span, (*coordinates, *components, "points", "values"))
    if {"points", "values"} <= held.keys():
        points, values = _table(held, "points", len(coordinates), span), _table(held, "values", len(components), span)
    elif {*coordinates, *components} <= held.keys():
        points, values = (np.stack([_column(held, n, span) for n in names], -1) for names in (coordinates, components))
    else:
        raise mistakes.data.other_arrays(
            path.name, sorted(held), f"{', '.join((*coordinates, *components))}, or points, values", span
        )
    if len(points) != len(values):
        raise mistakes.data.counts_differ("points", len(points), "values", len(values), span)
    _require_inside(points, statement, span)
    at = torch.from_numpy(points)
    return [Measured(k, at, torch.from_numpy(values[:, i].copy())) for i, k in enumerate(observed.components)]


def _require_inside(points: Array, statement: Statement, span: Span) -> None:
    """Requires every coordinate to be between its ends, but for rounding, unless these are joined."""
    for k, (x, side) in enumerate(zip(statement.domain.coordinates, statement.domain.intervals, strict=True)):
        low, high = float(side.start), float(side.end)
        room = ROUNDING * (high - low)
        wrong = np.flatnonzero((points[:, k] < low - room) | (points[:, k] > high + room))
        if len(wrong) and not side.periodic:
            raise mistakes.data.measured_outside(int(wrong[0]), x.name, float(points[wrong[0], k]), span)


def _path(file: str, source: Source, span: Span) -> Path:
    """Beside the spec, then beside the shipped specs, then from the working directory."""
    beside = Path(source.name).parent
    return find(file, beside if (beside / file).is_file() else sources.folder(), span)


def _column(held: dict[str, Array], name: str, span: Span) -> Array:
    return _table({name: held[name].reshape(-1, 1) if held[name].ndim == 1 else held[name]}, name, 1, span)[:, 0]


def _table(held: dict[str, Array], name: str, columns: int, span: Span) -> Array:
    found = held[name]
    if not any(np.issubdtype(found.dtype, kind) for kind in (np.integer, np.floating)):
        raise mistakes.data.not_numbers(name, found.dtype, span)
    if found.ndim != 2 or found.shape[1] != columns or not len(found):
        raise mistakes.data.not_measurements(name, found.shape, columns, span)
    table = found.astype(np.float64)
    wrong = np.flatnonzero(~np.isfinite(table).all(-1))
    if len(wrong):
        raise mistakes.data.not_finite(name, int(wrong[0]), span)
    return table
