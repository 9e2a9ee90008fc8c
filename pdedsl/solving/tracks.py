"""Pairs of antithetic paths from points to where they end, and the value of u that each pair gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from pdedsl.ir.process import Clock, Evolving, Process
from pdedsl.runtime.spheres import Leap, Leaper, free_radius, leap
from pdedsl.runtime.stopped import Draw, Path, Sides, start, step, stopped_value
from pdedsl.runtime.streams import generator
from pdedsl.solving.points import Points
from pdedsl.solving.processes import Tensors

Tracks = Callable[[Tensor, int, int], Tensor]
"""Points (n, k), the number r of pairs and a seed → u by each pair, and its change from twice the step: (2, r, n)."""

LOOK = 32  # steps between checks for paths that have not ended
PATIENCE = 1000  # mean exit times of the box after which a path that has not ended counts as lost: NaN
NEAR = 1e-6  # as a fraction of the box: a walk on spheres that is nearer to a side has reached it
SPREAD = 1024  # points at which the variance is looked at
WAYS, TIMES, BRIDGE = 0, 1, 2  # purposes of random numbers


def tracks_of(process: Process, steps: int) -> Tracks:
    tensors = Tensors(process)
    if process.is_brownian:
        return OnSpheres(tensors)
    if process.data is None:
        return AtRest(tensors, steps)
    return InTime(tensors, process.data, steps)


def opposite(values: Tensor) -> Tensor:
    """The mean over each path and its antithetic partner."""
    return torch.stack(values.chunk(2)).mean(0)


@dataclass(frozen=True)
class Chance:
    """The random numbers of a step, the same for all points: r rows and their antithetic partners, (2r, 1, …)."""

    like: Tensor
    rows: int
    seed: int

    def normal(self, size: int, *words: int) -> Tensor:
        found = self._empty(size).normal_(generator=generator(self.like.device, self.seed, 0, *words))
        return torch.cat([found, -found])

    def uniform(self, size: int, *words: int) -> Tensor:
        found = self._empty(size).uniform_(generator=generator(self.like.device, self.seed, 1, *words))
        return torch.cat([found, 1 - found])

    def draw(self, size: int, *words: int) -> Draw:
        return Draw(self.normal(size, *words), self.uniform(size, *words))

    def _empty(self, size: int) -> Tensor:
        return torch.empty(self.rows, 1, size, dtype=self.like.dtype, device=self.like.device)


Drawn = Callable[[int], Draw]


def single(chance: Chance, size: int) -> Drawn:
    return lambda k: chance.draw(size, WAYS, k)


def doubled(chance: Chance, size: int) -> Drawn:
    """Two steps in one, with the same noise."""

    def drawn(k: int) -> Draw:
        first, second = chance.draw(size, WAYS, 2 * k), chance.draw(size, WAYS, 2 * k + 1)
        return Draw((first.normal + second.normal) / 2**0.5, second.uniform)

    return drawn


@dataclass(frozen=True)
class InTime:
    """From a point (x, t) to the data, in equal steps; one step suffices if it is exact."""

    tensors: Tensors
    data: Evolving
    steps: int

    def __call__(self, points: Tensor, rows: int, seed: int) -> Tensor:
        d = points.shape[-1] - 1
        chance = Chance(points, rows, seed)
        if self.tensors.process.is_exact:
            value = self._value(points, chance, 1, single(chance, d))
            return torch.stack([value, torch.zeros_like(value)])
        half = self.steps // 2
        fine = self._value(points, chance, 2 * half, single(chance, d))
        coarse = self._value(points, chance, half, doubled(chance, d))
        return torch.stack([fine, fine - coarse])

    def _value(self, points: Tensor, chance: Chance, steps: int, drawn: Drawn) -> Tensor:
        x, t = points[:, :-1], points[:, -1]
        sides, motion = self.tensors.sides(x), self.tensors.motion
        dt = ((self._end - t) * motion.clock).clamp_min(0) / steps
        path = start(x.expand(2 * chance.rows, *x.shape), t.expand(2 * chance.rows, -1))
        for k in range(steps):
            path = step(path, motion, sides, dt, drawn(k))
        data = self.tensors.functions([self.data.value])(path.x, path.t)[0]
        arrived = torch.exp(path.growth) * data + path.gained
        return opposite(torch.where(path.alive, arrived, _ended(path, self.tensors, sides, dt, chance)))

    @property
    def _end(self) -> float:
        interval = self.tensors.process.domain.intervals[-1]
        return float(interval.start if self.data.clock is Clock.BACK else interval.end)


@dataclass(frozen=True)
class AtRest:
    """Until a side is reached; a step is a fraction of the time in which noise leaves the box from its middle."""

    tensors: Tensors
    steps: int

    def __call__(self, points: Tensor, rows: int, seed: int) -> Tensor:
        d = points.shape[-1]
        chance, dt = Chance(points, rows, seed), self._time(points) / self.steps
        fine = self._value(points, chance, dt, single(chance, d))
        coarse = self._value(points, chance, 2 * dt, doubled(chance, d))
        return torch.stack([fine, fine - coarse])

    def _value(self, x: Tensor, chance: Chance, dt: Tensor, drawn: Drawn) -> Tensor:
        sides, motion = self.tensors.sides(x), self.tensors.motion
        path = start(x.expand(2 * chance.rows, *x.shape), x.new_zeros(2 * chance.rows, x.shape[0]))
        for k in range(PATIENCE * self.steps):
            path = step(path, motion, sides, dt, drawn(k))
            if k % LOOK == LOOK - 1 and not path.alive.any():
                break
        found = _ended(path, self.tensors, sides, dt, chance)
        return opposite(torch.where(path.alive, torch.nan, found))

    def _time(self, points: Tensor) -> Tensor:
        """The least (width/2)²/variance of a coordinate, with the largest variance at points spread over the domain."""
        sides = self.tensors.sides(points)
        spread = Points(self.tensors.process.domain, points.device, points.dtype).inside(SPREAD, 0)
        variance = self.tensors.motion.root(spread, spread[:, 0]).variances().amax(0)
        return ((sides.upper - sides.lower).square() / 4 / variance).min().expand(1)


def _ended(path: Path, tensors: Tensors, sides: Sides, dt: Tensor, chance: Chance) -> Tensor:
    """The values given by paths that reached a side."""
    if not tensors.process.sides:
        return torch.zeros_like(path.growth)
    count = 2 * tensors.process.dimension + len(tensors.process.curves)
    bridge = chance.normal(tensors.process.dimension, BRIDGE)
    return stopped_value(path, tensors.motion, sides, dt, chance.draw(count, TIMES), bridge)


@dataclass(frozen=True)
class OnSpheres:
    """aΔu + f = 0, by a walk on spheres."""

    tensors: Tensors

    def __call__(self, points: Tensor, rows: int, seed: int) -> Tensor:
        chance, process = Chance(points, rows, seed), self.tensors.process
        source, a = self.tensors.function(process.source), float(process.matrix[0][2])
        width = min(high - low for low, high in self.tensors.bounds)
        path = Leaper(points.expand(2 * rows, *points.shape), *_fresh(points, rows))
        for k in range(PATIENCE * LOOK):
            draw = self._draw(chance, points.shape[-1], k)
            path = leap(path, self._radius, source and (lambda y: source(y, y[..., 0])), a, NEAR * width, draw)
            if k % LOOK == LOOK - 1 and not path.alive.any():
                break
        face = self._radii(path.x).argmin(-1)
        value = self.tensors.given(path.x, path.x[..., 0], face) + path.gained
        found = opposite(torch.where(path.alive, torch.nan, value))
        return torch.stack([found, torch.zeros_like(found)])

    def _draw(self, chance: Chance, d: int, k: int) -> Leap:
        if self.tensors.process.source == 0:
            still = chance.like.new_zeros(1)
            return Leap(chance.normal(d, WAYS, k), still, still)
        return Leap(chance.normal(d, WAYS, k), chance.normal(d, BRIDGE, k), chance.uniform(2, TIMES, k))

    def _radius(self, x: Tensor) -> Tensor:
        return self._radii(x).amin(-1)

    def _radii(self, x: Tensor) -> Tensor:
        """The distance to each face where paths end, and for each curve a distance that is not too large."""
        sides = self.tensors.sides(x)
        faces = torch.stack([x - sides.lower, sides.upper - x], -2)
        radii = torch.where(sides.stops, faces, torch.inf).mT.flatten(-2)
        if self.tensors.curves is None:
            return radii
        return torch.cat([radii, free_radius(*self.tensors.curves(x), self._bends(x))], -1)

    def _bends(self, x: Tensor) -> Tensor:
        process = self.tensors.process
        return torch.tensor([float(process.bend(g) or 0) for g in process.curves], dtype=x.dtype, device=x.device)


def _fresh(points: Tensor, rows: int) -> tuple[Tensor, Tensor]:
    nothing = points.new_zeros(2 * rows, points.shape[0])
    return nothing, torch.ones_like(nothing, dtype=torch.bool)
