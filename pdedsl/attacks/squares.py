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
    """After a fifth of the queries a row goes on if it has come two thirds of its way, after two fifths four fifths.

    Progress is about logarithmic in the queries: of the rows that are fooled in the end, none that was measured had
    less than nine tenths behind it then.
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
    """At most `queries` points for each row, each kept if it raises the margin; each averages `eot` draws.

    `share` of the pixels are in the first patches. Of a stochastic model the present point is measured anew with every
    proposal: the luck of an old draw does not keep a point.
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
    """The best point of each row. With `hope` a row also ends that has come too short a way."""
    result, rows = task.x.clone(), torch.arange(len(task.x), device=task.x.device)
    x = region.project(draw.start(task.x))
    first, best = _measured(task, task.x), _measured(task, x)
    for query in range(1, queries):
        open_ = best <= 0.0
        if hope is not None and query in (checks := hope(queries)):
            open_ &= -best <= checks[query] * (best - first)
        left = open_.nonzero()[:, 0]
        if len(left) < len(rows):
            result[rows] = x
            rows, x, task, region = rows[left], take(x, left), task.take(left), region.take(left)
            first, best = first[left], best[left]
        if not len(rows):
            return result
        proposal = region.project(draw.proposal(task.x, x, share * shrunk(query, queries)))
        value = _measured(task, proposal)
        if task.predictor.stochastic:
            best = _measured(task, x)
        better = value > best
        x, best = select(better, proposal, x), torch.where(better, value, best)
    result[rows] = x
    return result


def _measured(task: Task, x: Tensor) -> Tensor:
    """The margin of a query; of a stochastic model it is never above 0 unless fresh draws say so too."""
    scores = task.predictor.query(x)
    value = margin(scores, task.goal).nan_to_num()
    reached = task.goal.reached(scores)
    if task.predictor.stochastic and reached.any():
        reached[reached.clone()] = task.predictor.surely(take(x, reached), task.goal.take(reached))
    return torch.where(reached, value.clamp_min(torch.finfo(value.dtype).tiny), value.clamp(max=0.0))


def shrunk(query: int, queries: int) -> float:
    """2^−k after k halvings."""
    return 0.5 ** sum(query * 10000 // queries > at for at in HALVINGS)
