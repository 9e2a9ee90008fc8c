"""An evolution on R^d as a problem on a box: the reference of what is compiled from it, where the solution is local.

[-extent, extent]^d with its sides joined: what leaves on one side enters on the other, so that the solution must be
small there at all times. How small it is, is said.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from sympy import Expr, Rational

from pdedsl.ir.analysis import Analysis
from pdedsl.ir.spec import Interval, SpaceKind
from pdedsl.ir.statement import Statement
from pdedsl.lower import collocation
from pdedsl.solving.grid import solve_by_grid
from pdedsl.solving.solved import Solved
from pdedsl.words.solvers import Grid

EXTENT = 4
RIM = 200  # points


def truncated(analysis: Analysis, extent: Expr) -> Statement:
    """The equation of R^d on a box."""
    space = analysis.spec.space
    sides = (Interval(-extent, extent, periodic=True),) * int(space.dimension)
    box = replace(space, kind=SpaceKind.PHYSICAL, sides=sides)
    return collocation.lower(replace(analysis, spec=replace(analysis.spec, space=box)))


def solve_truncated(analysis: Analysis, method: Grid, *, seed: int = 0, device: torch.device | str = "cpu") -> Solved:
    """`reference grid(n, extent)` of an equation on R^d; what the solution is at the rim is among the notes."""
    extent = Rational(str(float(method.extent or EXTENT)))
    statement = truncated(analysis, extent)
    found = solve_by_grid(statement, method, seed=seed, device=device)
    rim = _rim(found, statement, float(extent), seed)
    size = float(extent)
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
