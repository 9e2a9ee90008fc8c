"""The reference for an evolution on R^d: on a box, for localised solutions; their size at the rim is reported."""

from __future__ import annotations

from dataclasses import replace

import torch

from pdedsl.ir.analysis import Analysis
from pdedsl.ir.statement import Statement
from pdedsl.lower.truncated import EXTENT, truncated
from pdedsl.solving.grid import solve_by_grid
from pdedsl.solving.solved import Solved
from pdedsl.words.solvers import Grid

RIM = 200  # points


def solve_truncated(analysis: Analysis, method: Grid, *, seed: int = 0, device: torch.device | str = "cpu") -> Solved:
    """`reference grid(n, extent)` of an equation on R^d; the size of the solution at the rim is among the notes."""
    size = float(method.extent or EXTENT)
    statement = truncated(analysis, size)
    found = solve_by_grid(statement, method, seed=seed, device=device)
    rim = _rim(found, statement, size, seed)
    note = f"space is cut to [-{size:g}, {size:g}] on each axis: at the rim the solution reaches {rim:.1g}"
    return replace(found, figures={**found.figures, "rim": rim}, notes=(*found.notes, note))


def _rim(found: Solved, statement: Statement, extent: float, seed: int) -> float:
    generator = torch.Generator().manual_seed(seed)
    dimension, time = len(statement.domain.space), statement.domain.intervals[-1]
    start, end = float(time.start), float(time.end)
    points = torch.rand(RIM, dimension + 1, generator=generator, dtype=torch.float64)
    points[:, :-1] = extent * (2 * points[:, :-1] - 1)
    points[:, -1] = start + (end - start) * points[:, -1]
    axis = torch.randint(dimension, (RIM, 1), generator=generator)
    points.scatter_(1, axis, extent)
    with torch.no_grad():
        return float(found(points).abs().max())
