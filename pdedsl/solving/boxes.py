"""Problems on a box with sides: Newton's method for stationary ones, Radau IIA in time, on values at nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

import torch
from sympy import Expr
from torch import Tensor

from pdedsl.plan.evolution import Evolution
from pdedsl.runtime.expansions import Expansion
from pdedsl.runtime.factored import Factored
from pdedsl.runtime.radau import ORDER, Radau
from pdedsl.runtime.time_steps import Control, Effort, March, retraced, solved_in_time
from pdedsl.solving.cells import Celled, cells_of
from pdedsl.solving.collocated import Collocated, axes_of
from pdedsl.solving.consistent import consistent
from pdedsl.solving.gridded import SURPLUS, Failed, Gridded, ends, figures_of, in_order, moments, steps_in_words
from pdedsl.solving.on_nodes import Given, formulas

Problem = Collocated | Celled
MOST = 4000  # unknowns in a direct solve, at most
ROUNDS = 50
NEAR = 1e-12
JUMP = 1e-6  # of a gap between initial data and sides: the share that a step may miss, since later steps forget it


def fitting(evolution: Evolution, n: int) -> int:
    """n, or the largest number of points per side that a direct solve can take."""
    variables, dimension = len(evolution.variables), len(evolution.statement.domain.space)
    return min(n, int((MOST / variables) ** (1 / dimension) + 1e-9))


def on_box(
    evolution: Evolution, n: int, given: Mapping[str, Given], like: Tensor, effort: Effort, layered: bool = False
) -> Gridded:
    if layered:
        problem: Problem = Celled(evolution, cells_of(evolution, n), given, like)
    else:
        problem = Collocated(evolution, axes_of(evolution, n), given, like)
    return _in_time(problem, effort) if evolution.moving else _at_rest(problem)


def _at_rest(problem: Problem) -> Gridded:
    with torch.no_grad():
        w, rounds, singular = _newton(problem)
    matrix = Factored.of(problem.slope(w, 0.0).detach())
    w = w - matrix.solve(problem.right(w, 0.0))  # carries the gradients (implicit function theorem)
    left = float(problem.right(w, 0.0).detach().abs().max())
    notes = [f"{_nodes(problem)}, a direct solve: {rounds} rounds of Newton's method"]
    if singular:
        notes.append("the equations leave something free: the shortest solution is taken")
    module = Expansion(problem.axes, _values(problem, w).unsqueeze(0), None)
    figures = {"rounds": float(rounds), "left over": left, **_surplus(problem, w.detach())}
    return Gridded(module, figures, tuple(notes))


def _surplus(problem: Problem, w: Tensor) -> dict[str, float]:
    """The mean of a pressure is the part of the divergence that cannot be removed: zero if inflow equals outflow."""
    own, floating = w.reshape(-1, problem.count), problem.evolution.floating
    flows = [own[k].abs().max() for k in range(len(own)) if k not in floating]
    means = [own[k][problem.inner].mean().abs() for k in floating]
    domain = problem.evolution.statement.domain
    across = min(float(i.end - i.start) for i in domain.intervals[: len(domain.space)])
    return {SURPLUS: float(max(means) * across / max(flows))} if means and flows else {}


def _newton(problem: Problem) -> tuple[Tensor, int, bool]:
    """From zero; steps are shortened until the residual falls."""
    w = torch.zeros_like(problem.mass)
    for k in range(1, ROUNDS + 1):
        value, matrix = problem.right(w, 0.0), Factored.of(problem.slope(w, 0.0))
        move = matrix.solve(value)
        w = _shortened(problem, w, move, value, matrix)
        if float(move.norm()) <= NEAR * max(float(w.norm()), 1e-300) or problem.evolution.statement.is_affine:
            return w, k, matrix.singular
    raise Failed("Newton's method on the grid did not converge")


def _shortened(problem: Problem, w: Tensor, move: Tensor, value: Tensor, matrix: Factored) -> Tensor:
    share, size = 1.0, float((value * matrix.scale).norm())
    while share > 1e-3:
        there = w - share * move
        if float((problem.right(there, 0.0) * matrix.scale).norm()) < size:
            return there
        share /= 2
    return w - move


def _in_time(problem: Problem, effort: Effort) -> Gridded:
    evolution = problem.evolution
    march = _marched(problem, effort)
    values = torch.stack([_values(problem, w) for w in march.states])
    if set(evolution.still) - set(evolution.floating):  # they have no values before the first step
        values = _filled(evolution, values)
    module = in_order(evolution, problem.axes, values, moments(evolution, march))
    steps = f"{_nodes(problem)}, Radau IIA steps of order 5: {steps_in_words(march)}"
    corners = _corners(problem, march.states[0])
    return Gridded(module, figures_of(march), (steps, *corners), march.error if corners else 0.0)


def _filled(evolution: Evolution, values: Tensor) -> Tensor:
    """Components without a time derivative get at the start the values that they have after the first step."""
    own = {evolution.variables[k][0] for k in evolution.still}
    first = [values[1, c] if c in own else values[0, c] for c in range(values.shape[1])]
    return torch.cat([torch.stack(first).unsqueeze(0), values[1:]])


def _marched(problem: Problem, effort: Effort) -> March:
    """March without gradients, on a copy of the problem; if gradients are needed, retrace the same steps with them."""
    evolution = problem.evolution
    first, last = ends(evolution)
    begin, length = (last if evolution.backward else first), last - first
    start = _initial(problem, begin)
    least = JUMP * min(1.0, _gap(problem, start))
    counted, tolerance = _counted(problem), effort.tolerance
    control = Control(ORDER, tolerance, extrapolated=False, counted=counted, least=least, most=effort.most)
    if evolution.floating and isinstance(problem, Collocated):
        start = consistent(problem, start, begin, -length if evolution.backward else length)
    with torch.no_grad():
        march = solved_in_time(_quick(replace(problem), length), start.detach(), length, control)
    if not start.requires_grad and not problem.right(start, begin).requires_grad:
        return march
    return retraced(_stepper(problem, length), start, length, march, control)


def _counted(problem: Problem) -> Tensor | None:
    """Which unknowns error control counts: not a pressure, which is less accurate and does not propagate its errors."""
    if not problem.evolution.floating:
        return None
    found = torch.ones_like(problem.mass).reshape(-1, problem.count)
    found[list(problem.evolution.floating)] = 0
    return found.reshape(-1)


def _clock(evolution: Evolution) -> Callable[[float], float]:
    first, last = ends(evolution)
    return (lambda s: last - s) if evolution.backward else (lambda s: first + s)


def _stepper(problem: Problem, length: float) -> Radau:
    at = _clock(problem.evolution)
    steady = _steady(problem)
    right, slope = (lambda w, s: problem.right(w, at(s))), (lambda w, s: problem.slope(w, at(s)))
    return Radau(right, slope, problem.mass, length, steady)


def _quick(problem: Problem, length: float) -> Radau:
    """An affine right-hand side, by its matrix and its value at zero."""
    if not _steady(problem):
        return _stepper(problem, length)
    at, zero = _clock(problem.evolution), torch.zeros_like(problem.mass)
    matrix, lasting = problem.slope(zero, problem.start), problem.right(zero, problem.start)
    moved = _moves(problem)

    @lru_cache(maxsize=16)  # the rounds of a step, and steps of two lengths, ask at the same times
    def source(s: float) -> Tensor:
        return problem.right(zero, at(s)) if moved else lasting

    def right(w: Tensor, s: float) -> Tensor:
        return matrix @ w + source(s)

    return Radau(right, lambda w, s: matrix, problem.mass, length, affine=True)


def _exprs(evolution: Evolution) -> tuple[Expr, ...]:
    return (*evolution.rights, *evolution.constraints, *(s.kept for s in evolution.sides))


def _moves(problem: Problem) -> bool:
    """Whether anything besides the unknowns changes in time."""
    evolution = problem.evolution
    changing = {
        evolution.coordinates[-1],
        *(p.symbol for p in evolution.parameters if p.name in evolution.timed_functions),
    }
    return any(e.free_symbols & changing for e in _exprs(evolution))


def _steady(problem: Problem) -> bool:
    """Whether the Jacobian is the same at all times and states."""
    evolution = problem.evolution
    varying = {s for s, _ in evolution.jets} | {evolution.coordinates[-1]}
    varying |= {p.symbol for p in evolution.parameters if p.name in evolution.timed_functions}
    return not any(e.diff(s).free_symbols & varying for e in _exprs(evolution) for s, _ in evolution.jets_in(e))


def _initial(problem: Problem, begin: float) -> Tensor:
    evolution = problem.evolution
    found = formulas(evolution, evolution.initial)((), problem.known(begin))
    w = problem.like.new_zeros(len(evolution.variables), problem.count)
    rows = dict(zip(evolution.moving, (f.expand(problem.count) for f in found), strict=True))
    return torch.stack([rows.get(k, w[k]) for k in range(len(w))]).reshape(-1)


def _gap(problem: Problem, start: Tensor) -> float:
    """How far the initial data are from satisfying the conditions on the sides; 0 if only by rounding."""
    sides = (problem.mass == 0) & (problem.owners >= 0)
    first, last = ends(problem.evolution)
    with torch.no_grad():
        value = problem.right(start.detach(), last if problem.evolution.backward else first)
    gap = float(value[sides].abs().max()) if bool(sides.any()) else 0.0
    return gap if gap > 1e-8 else 0.0


def _corners(problem: Problem, start: Tensor) -> tuple[str, ...]:
    gap = _gap(problem, start)
    return (f"data and sides do not meet: a gap of {gap:.2g} at the start limits the accuracy near it",) * bool(gap)


def _values(problem: Problem, w: Tensor) -> Tensor:
    """The values of the components at the nodes."""
    own = [k for k, (_, j) in enumerate(problem.evolution.variables) if j == 0]
    return w.reshape(-1, *problem.shape)[own]


def _nodes(problem: Problem) -> str:
    sizes = " × ".join(map(str, problem.shape))
    return f"finite volumes, {sizes} cells" if isinstance(problem, Celled) else f"collocation at {sizes} nodes"
