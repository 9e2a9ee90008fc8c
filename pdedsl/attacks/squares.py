"""Square: random search over square patches, from scores alone (Andriushchenko et al., ECCV 2020)."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from pdedsl.attacks.goal import margin
from pdedsl.attacks.layout import select, take
from pdedsl.attacks.norms import NormName, read_norm
from pdedsl.attacks.patches import Patches, patches
from pdedsl.attacks.predictor import Predictor
from pdedsl.attacks.region import Region
from pdedsl.attacks.task import Bounds, Result, Task, attacking
from pdedsl.untouched import Model

HALVINGS = (10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000)
"""Of 10,000 queries, those after which the share of the pixels that a patch covers is halved."""


Hope = Callable[[int], dict[int, float]]


def some_hope(queries: int) -> dict[int, float]:
    """After a fifth of the queries a row goes on if it has come two thirds of its way; after two fifths, four fifths.

    Progress is about logarithmic in the number of queries: of the rows that are fooled in the end, none that was
    measured had come less than nine tenths of the way then.
    """
    return {queries // 5: 0.5, 2 * queries // 5: 0.25}


def square(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    norm: NormName = "inf",
    queries: int = 1000,
    share: float = 0.8,
    eot: int = 1,
    bounds: Bounds = None,
    target: Tensor | None = None,
    seed: int = 0,
) -> Result:
    """At most `queries` points for each row, each kept if it increases the margin; each query averages `eot` draws.

    `share` is the share of pixels in the first patches.
    """
    measure = read_norm(norm)
    with attacking(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as task:
        rows = task.open()
        attacked = task.x.clone()
        if len(rows):
            left = task.take(rows)
            draw = patches(measure, left.x, eps, left.generator)
            attacked[rows] = search(left, left.region(measure, eps), draw, queries, share)
        return task.result(measure, attacked)


def search(
    task: Task, region: Region, draw: Patches, queries: int, share: float = 0.8, hope: Hope | None = None
) -> Tensor:
    """The best point of each row. With `hope`, rows that have made too little progress also end."""
    result, rows = task.x.clone(), torch.arange(len(task.x), device=task.x.device)
    x, checks = region.project(draw.start(task.x)), {} if hope is None else hope(queries)
    first, best = _margin(task, task.x), _margin(task, x)
    for query in range(1, queries):
        left = ~_reached(task, x, best, query)
        if query in checks:
            left &= -best <= checks[query] * (best - first)
        if not left.all():
            result[rows] = x
            rows, x, task, region = rows[left], take(x, left), task.take(left), region.take(left)
            first, best = first[left], best[left]
        if not len(rows):
            return result
        proposal = region.project(draw.proposal(task.x, x, share * shrunk(query, queries)))
        better, value = _compared(task, x, best, proposal)
        x, best = select(better, proposal, x), torch.where(better, value, best)
    result[rows] = x
    return result


def _compared(task: Task, x: Tensor, best: Tensor, proposal: Tensor) -> tuple[Tensor, Tensor]:
    """Is the proposal better, and by what margin? For a stochastic model it must win again on new draws."""
    value = _margin(task, proposal)
    better = value > best
    if task.predictor.stochastic and better.any():
        rival, again = task.take(better), take(proposal, better)
        value[better] = _margin(rival, again)
        better[better.clone()] = value[better] > _margin(rival, take(x, better))
    return better, value


def _margin(task: Task, x: Tensor) -> Tensor:
    """Positive if and only if a query reaches the goal."""
    scores = task.predictor.query(x)
    value = margin(scores, task.goal).nan_to_num()
    tiny = torch.finfo(value.dtype).tiny
    return torch.where(task.goal.reached(scores), value.clamp_min(tiny), value.clamp(max=0.0))


def _reached(task: Task, x: Tensor, best: Tensor, query: int) -> Tensor:
    """Which rows are done? For a stochastic model that takes many draws to see, and is only checked now and then."""
    done = best > 0.0
    if not task.predictor.stochastic:
        return done
    if query % 20 or not done.any():
        return torch.zeros_like(done)
    done[done.clone()] = task.predictor.surely(take(x, done), task.goal.take(done))
    return done


def shrunk(query: int, queries: int) -> float:
    """2^−k after k halvings."""
    return 0.5 ** sum(query * 10000 // queries > at for at in HALVINGS)
