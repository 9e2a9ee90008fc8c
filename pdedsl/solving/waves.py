"""Solves evolutions and stationary equations on a torus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor, nn

from pdedsl.plan.evolution import Evolution
from pdedsl.plan.rings import Loop
from pdedsl.runtime.expansions import Expansion
from pdedsl.runtime.exponential_steps import ORDER, Exponential, mixed
from pdedsl.runtime.fourier import Torus
from pdedsl.runtime.time_steps import Control, Effort, March, retraced, solved_in_time
from pdedsl.solving.batches import Apart
from pdedsl.solving.gridded import Gridded, ends, figures_of, in_order, moments, steps_in_words
from pdedsl.solving.on_nodes import Given, formulas
from pdedsl.solving.periodic import Spectral, torus_of


def on_torus(
    evolution: Evolution, loops: tuple[Loop, ...], n: int, given: Mapping[str, Given], like: Tensor, effort: Effort
) -> Gridded:
    torus = torus_of(evolution, loops, n, like)
    problem = Spectral(evolution, torus, given)
    if not evolution.moving:
        return _at_rest(problem)
    march = _marched(problem, effort)
    times = moments(evolution, march)
    states = torch.stack([problem.whole(w, t) for w, t in zip(march.states, times, strict=True)])
    module = in_order(evolution, torus.rings, _values(problem, states), times)
    return Gridded(_apart(module, problem), figures_of(march), _notes(evolution, loops, torus, march))


def _apart(module: nn.Module, problem: Spectral) -> nn.Module:
    return Apart(module, *problem.batch) if problem.batch else module


def _marched(problem: Spectral, effort: Effort) -> March:
    """March without gradients, on a copy of the problem; if gradients are needed, retrace the same steps with them."""
    start = _initial(problem)
    first, last = ends(problem.evolution)
    length = last - first
    batched = bool(problem.batch)
    control = Control(ORDER, effort.tolerance, extrapolated=True, most=effort.most, batched=batched)
    with torch.no_grad():
        march = solved_in_time(_stepper(replace(problem), length), start.detach(), length, control)
    if not start.requires_grad and not problem.learns:
        return march
    return retraced(_stepper(problem, length), start, length, march, control)


def _stepper(problem: Spectral, length: float) -> Exponential:
    evolution = problem.evolution
    first, last = ends(evolution)
    sign, begin = (-1.0, last) if evolution.backward else (1.0, first)
    operator = sign * problem.operator
    diagonal = torch.diagonal(operator, dim1=-2, dim2=-1)
    matrices = bool((operator - torch.diag_embed(diagonal)).any())
    symbol = operator if matrices else torch.movedim(diagonal, -1, problem.place)
    forward, backward = problem.nonlinear, lambda w, t: -problem.nonlinear(w, t)
    rest = backward if evolution.backward else forward
    stepped = None if problem.quiet else lambda w, s: rest(w, begin + sign * s)
    return Exponential(symbol, stepped, length, matrices, problem.torus.dimension, problem.autonomous)


def _initial(problem: Spectral) -> Tensor:
    evolution, torus = problem.evolution, problem.torus
    data = Torus(torus.rings, max(torus.fine, 4), torus.like)
    found = formulas(evolution, evolution.initial)((), Spectral(evolution, data, problem.given).at_start)
    return data.coefficients(_filled(problem, data, found))


def _filled(problem: Spectral, torus: Torus, values: tuple[Tensor, ...]) -> Tensor:
    """The values of all variables at all points of a grid, (..., variables, points…)."""
    return torch.stack([v.expand(*problem.batch, *torus.sizes) for v in values], problem.place)


def _values(problem: Spectral, coefficients: Tensor) -> Tensor:
    """The components at more points than there are modes, (T, components, …), those of a batch one after another; from
    coefficients of states (T, ..., variables, modes…)."""
    torus = Torus(problem.torus.rings, 2, problem.torus.like)
    own = [k for k, (_, j) in enumerate(problem.evolution.variables) if j == 0]
    wanted = coefficients.index_select(problem.place, torch.tensor(own, device=coefficients.device))
    return torus.values(wanted).flatten(1, problem.place)


def _at_rest(problem: Spectral) -> Gridded:
    """Σ L(k) û = -f̂, mode by mode; where L vanishes on a mode, û is zero, which is exact if f̂ vanishes there."""
    evolution, torus = problem.evolution, problem.torus
    found = formulas(evolution, problem.linear.rests)((), problem.known(0.0))
    source = torus.coefficients(_filled(problem, torus, found))
    solved = -mixed(torch.linalg.pinv(problem.symbol), source, torus.dimension)
    left = mixed(problem.symbol, solved, torus.dimension) + source
    module = Expansion(torus.rings, _values(problem, solved.unsqueeze(0)), None)
    modes = " × ".join(str(r.modes) for r in torus.rings)
    notes = (f"Fourier series with {modes} modes, divided by the symbol",)
    return Gridded(_apart(module, problem), {"left over": float(left.detach().abs().max())}, notes)


def _notes(evolution: Evolution, loops: tuple[Loop, ...], torus: Torus, march: March) -> tuple[str, ...]:
    modes = " × ".join(str(r.modes) for r in torus.rings)
    notes = [f"Fourier series with {modes} modes, exponential steps of order 4: {steps_in_words(march)}"]
    mirrors = [str(x) for x, loop in zip(evolution.coordinates, loops, strict=False) if loop.mirror]
    if mirrors:
        notes.append(f"the sides in {', '.join(mirrors)} mirror the solution: it is continued to a ring")
    return tuple(notes)
