"""Where a solution is shown: lines and sheets of points through a domain, as many as a picture can hold."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from pdedsl.emit.pointwise import pointwise
from pdedsl.ir.statement import Domain

MOMENTS = 3  # times shown of a time-dependent problem in more than one space dimension


@dataclass(frozen=True)
class Detail:
    """The number of points on a line, and on each side of a sheet."""

    line: int
    sheet: int


FULL = Detail(400, 120)
COARSE, COARSEST = Detail(25, 15), Detail(25, 9)  # if every point costs thousands of paths, on a line and beyond


@dataclass(frozen=True)
class View:
    """Points (n, k) on a line or a sheet; `axes` are the coordinates that vary, the others are fixed as in `at`."""

    points: Tensor
    axes: tuple[int, ...]
    shape: tuple[int, ...]
    at: str
    inside: Tensor  # (n,), which points belong to the domain

    def values(self, found: Tensor) -> Tensor:
        """One number at each point, in the shape of the view; NaN outside the domain."""
        return torch.where(self.inside, found, torch.nan).reshape(self.shape)


def views_of(domain: Domain, detail: Detail = FULL) -> tuple[View, ...]:
    """The whole domain in one or two dimensions; in more, sheets through its middle, at some times."""
    low, high = bounds(domain)
    if len(low) <= 2:
        return (_view(domain, tuple(range(len(low))), {}, detail),)
    if domain.timed:
        return frames_of(domain, MOMENTS, detail)
    return (_view(domain, (0, 1), {k: float((low[k] + high[k]) / 2) for k in range(2, len(low))}, detail),)


def frames_of(domain: Domain, count: int, detail: Detail = FULL) -> tuple[View, ...]:
    """Space at a sequence of times, for a time-dependent problem."""
    low, high = bounds(domain)
    axes, last = ((0, 1) if len(domain.space) > 1 else (0,)), len(low) - 1
    middle = {k: float((low[k] + high[k]) / 2) for k in range(len(axes), last)}
    times = torch.linspace(float(low[last]), float(high[last]), count, dtype=torch.float64).tolist()
    return tuple(_view(domain, axes, {**middle, last: t}, detail) for t in times)


def bounds(domain: Domain) -> tuple[Tensor, Tensor]:
    low = torch.tensor([float(side.start) for side in domain.intervals], dtype=torch.float64)
    return low, torch.tensor([float(side.end) for side in domain.intervals], dtype=torch.float64)


def _view(domain: Domain, axes: tuple[int, ...], at: dict[int, float], detail: Detail) -> View:
    low, high = bounds(domain)
    sizes = (detail.line,) if len(axes) == 1 else (detail.sheet,) * len(axes)
    ends = [(float(low[k]), float(high[k])) for k in axes]
    lines = [torch.linspace(*e, n, dtype=torch.float64) for e, n in zip(ends, sizes, strict=True)]
    mesh = torch.meshgrid(*lines, indexing="ij")
    points = torch.zeros(mesh[0].numel(), len(low), dtype=torch.float64)
    for k, values in zip(axes, mesh, strict=True):
        points[:, k] = values.reshape(-1)
    for k, value in at.items():
        points[:, k] = value
    return View(points, axes, sizes, _at_text(domain, at), _inside(domain, points))


def _at_text(domain: Domain, at: dict[int, float]) -> str:
    if len(at) <= MOMENTS:
        return ", ".join(f"{domain.coordinates[k]} = {value:.3g}" for k, value in sorted(at.items()))
    moment = f" at {domain.coordinates[-1]} = {at[len(domain.coordinates) - 1]:.3g}" if domain.timed else ""
    return f"through the middle{moment}"


def _inside(domain: Domain, points: Tensor) -> Tensor:
    if not domain.inside:
        return torch.ones(len(points), dtype=torch.bool)
    levels = pointwise(domain.inside, domain.coordinates)(*points.unbind(-1))
    return (torch.stack(levels) >= 0).all(0)
