"""Which pictures a solution has, and where they are written."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from pdedsl.solving.anchored import anchored
from pdedsl.solving.assess import audit_of
from pdedsl.solving.events import METRICS, Stopped
from pdedsl.solving.fresh import residual_at
from pdedsl.solving.methods import How, has_derivatives
from pdedsl.solving.pictures import FRAMES, Function, Scene, film, plot_losses, plot_sizes, plot_solution
from pdedsl.solving.solution import Solution
from pdedsl.solving.views import COARSE, COARSEST, FULL
from pdedsl.training.log import read_metrics
from pdedsl.words.solvers import Paths

BATCH = 4096  # points at a time
FEW_FRAMES = 5  # if every point costs thousands of paths: three of them are the views of the picture


def draw(folder: Path, solution: Solution, how: How, reference: Function | None) -> None:
    """Solution, error, residual, an animation if it depends on time, the loss if it was trained: whichever apply."""
    statement, title = solution.plan.statement, solution.compilation.spec.name
    slow = isinstance(solution.solved.method, Paths)
    few = COARSE if len(statement.domain.space) == 1 else COARSEST
    scene = Scene(statement.domain, tuple(c.name for c in statement.components), title, few if slow else FULL)
    values = _batched(lambda x: anchored(solution.solved, statement, x), how)
    plot_solution(folder / "solution.png", values, scene)
    if reference is not None:
        expected = _batched(lambda x: anchored(reference, statement, x), how)
        names = tuple(f"|error of {name}|" for name in scene.names)
        plot_sizes(
            folder / "error.png",
            lambda x: (values(x) - expected(x)).abs(),
            Scene(statement.domain, names, title, scene.detail),
        )
    if has_derivatives(solution.solved):
        audit = audit_of(solution.solved, statement, how)
        residual = _batched(lambda x: residual_at(audit, x).unsqueeze(-1), how)
        plot_sizes(folder / "residual.png", residual, Scene(statement.domain, ("|residual|",), title, scene.detail))
    if statement.domain.timed:
        film(folder / "animation.gif", values, scene, FEW_FRAMES if slow else FRAMES)
    losses = [(row["step"], row["loss"]) for row in read_metrics(folder / METRICS) if row.get("loss")]
    if losses:
        plot_losses(folder / "curves.png", losses, title)


def _batched(f: Function, how: How) -> Function:
    """In batches, between which Ctrl-C takes effect: the solution is on disk, and `resume` draws the pictures."""

    def of(part: Tensor) -> Tensor:
        if how.watch.interrupted():
            raise Stopped
        return f(part.to(how.device)).detach()

    return lambda points: torch.cat([of(part) for part in torch.split(points, BATCH)]).cpu()
