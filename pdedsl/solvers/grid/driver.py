"""`grid(n)`: the reference solver, differentiable with respect to what is learned.

Its error is estimated by comparison with half the grid and looser step tolerances.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor, nn

from pdedsl.codegen.expressions import compile_pointwise
from pdedsl.config.methods import Grid
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.planning.solver_selection import Scheme, scheme
from pdedsl.problem.first_order_system import FirstOrderSystem, evolution_of
from pdedsl.problem.periodicity import PeriodicAxis, loops_of
from pdedsl.runtime.ode.step_doubling import StepBudget, StepSizeUnderflow
from pdedsl.solvers.gauge import fix_gauge
from pdedsl.solvers.grid.chebyshev import fitting, on_box
from pdedsl.solvers.grid.finite_volume import by_volumes
from pdedsl.solvers.grid.fourier import on_torus
from pdedsl.solvers.grid.grid_result import (
    L1_ERROR,
    NET_FLUX,
    Apart,
    Failed,
    Gridded,
    Member,
    Together,
    batches_of,
    gathered,
)
from pdedsl.solvers.grid.nodal_functions import Given
from pdedsl.solvers.grid.shortley_weller import on_shape
from pdedsl.solvers.method_result import SolverResult

TOLERANCE = 5e-7  # for the error estimates of exponential steps, which are subtracted afterwards
IMPLICIT = 1e-9  # for the error estimates of implicit steps
COARSER = 10.0  # factor on these tolerances on half the grid
BALANCED = 1e-3  # net inflow: a larger one is due to the sides, if it does not decrease on the finer grid
COMPARED = 2048  # points
SLOW = 1 / (2**0.5 - 1)  # errors at jumps fall with the root of the width in L2: half the grid differs by less


def solve_by_grid(
    statement: StrongForm,
    method: Grid,
    *,
    seed: int = 0,
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float64,
    given: Mapping[str, Given] | None = None,
    most: int | None = None,
) -> SolverResult:
    """The solution with n points per side; `given` are the values of what is learned, by name.

    If scalars have batches of b values, (b,), there are b solutions, with values (b, n, c): Fourier series take their
    steps together, the other schemes one solution after another. Figures are those of the worst.

    Raises `Failed` if the scheme finds no solution: a Newton iteration or a step in time that does not end well, or
    more than `most` steps in time.
    """
    like, way = torch.zeros((), dtype=dtype, device=device), GridSetup(statement)
    fine, n = _tried(way, method.n, given or {}, like, most=most)
    with torch.no_grad():
        coarse, _ = _tried(way, max(4, n // 2), given or {}, like, COARSER, most=most)
        pairs = list(zip(_members(fine), _members(coarse), strict=True))
        error = max(fine.doubt, *(difference(one, other, statement, seed, like) for one, other in pairs))
        if way.scheme is Scheme.VOLUMES:
            fine.figures[L1_ERROR] = max(difference(one, other, statement, seed, like, 1) for one, other in pairs)
            error *= SLOW
    if fine.figures.get(NET_FLUX, 0.0) > max(BALANCED, coarse.figures.get(NET_FLUX, 0.0) / 2):
        raise Failed("incompatible boundary data: the net flux through the boundary is not zero")
    figures = {"n": float(n), **fine.figures, "error": error}
    looser = " with looser time-step tolerances" if statement.domain.timed else ""
    notes = (*fine.notes, f"self-convergence: relative difference {error:.1g} to the N/2 grid{looser}")
    if n < method.n:
        notes = (*notes, f"{n} points per dimension instead of {method.n}: the limit of the dense direct solver")
    return SolverResult(fine.module, method, figures, notes)


def on_one_grid(statement: StrongForm, n: int, effort: StepBudget) -> nn.Module:
    """The solution with n points per side; its error is not estimated."""
    return _tried(GridSetup(statement), n, {}, torch.zeros((), dtype=torch.float64), effort=effort)[0].module


@dataclass(frozen=True)
class GridSetup:
    """How a statement is solved, on whatever grid."""

    statement: StrongForm

    @cached_property
    def scheme(self) -> Scheme:
        return scheme(self.statement)

    @cached_property
    def evolution(self) -> FirstOrderSystem:
        return evolution_of(self.statement)

    @cached_property
    def loops(self) -> tuple[PeriodicAxis, ...]:
        found = loops_of(self.evolution)
        assert found is not None
        return found


def _tried(
    way: GridSetup,
    n: int,
    given: Mapping[str, Given],
    like: Tensor,
    allowed: float = 1.0,
    effort: StepBudget | None = None,
    most: int | None = None,
) -> tuple[Gridded, int]:
    """The solution with tolerances `allowed` times as large and at most so many steps, or with another effort."""
    try:
        return _on(way, n, given, like, lambda tolerance: effort or StepBudget(allowed * tolerance, most))
    except StepSizeUnderflow as reason:
        raise Failed(str(reason)) from reason
    except torch.linalg.LinAlgError as reason:  # type: ignore[attr-defined]  # torch's stubs lack it
        raise Failed("the discrete system is singular") from reason


def _on(
    way: GridSetup, n: int, given: Mapping[str, Given], like: Tensor, effort: Callable[[float], StepBudget]
) -> tuple[Gridded, int]:
    batches = batches_of(way.statement, given)
    if batches and way.scheme is not Scheme.FOURIER:
        rows = [dict(zip(batches, row, strict=True)) for row in zip(*batches.values(), strict=True)]
        found = [_on(way, n, {**given, **row}, like, effort) for row in rows]
        return gathered([g for g, _ in found]), found[0][1]
    match way.scheme:
        case Scheme.SHAPE:
            return on_shape(way.statement, n, like), n
        case Scheme.FOURIER:
            return on_torus(way.evolution, way.loops, n, given, like, effort(TOLERANCE)), n
        case Scheme.VOLUMES:
            return by_volumes(way.evolution, n, given, like), n
        case Scheme.COLLOCATION | Scheme.LAYERS:
            size = fitting(way.evolution, n)
            layered = way.scheme is Scheme.LAYERS
            return on_box(way.evolution, size, given, like, effort(IMPLICIT), layered=layered), size


def _members(found: Gridded) -> list[nn.Module]:
    match found.module:
        case Apart() | Together() as batch:
            return [Member(batch, k) for k in range(batch.size)]
        case module:
            return [module]


def difference(
    one: nn.Module, other: nn.Module, statement: StrongForm, seed: int, like: Tensor, power: int = 2
) -> float:
    """The distance at random points, relative to the first, in L2 or L1."""
    domain = statement.domain
    generator = torch.Generator().manual_seed(seed)
    shares = torch.rand(COMPARED, len(domain.intervals), generator=generator, dtype=torch.float64).to(like)
    low = like.new_tensor([float(i.start) for i in domain.intervals])
    high = like.new_tensor([float(i.end) for i in domain.intervals])
    points = _inside(domain, low + (high - low) * shares)
    first, second = (fix_gauge(module, statement, points) for module in (one, other))
    return float((first - second).norm(p=power) / first.norm(p=power).clamp_min(1e-300))


def _inside(domain: Domain, points: Tensor) -> Tensor:
    if not domain.inequalities:
        return points
    levels = compile_pointwise(list(domain.inequalities), domain.coordinates)(*points.unbind(1))
    return points[torch.stack(levels).amin(0) > 0]
