"""What a Brownian path does between two of its points: whether and when it reaches a level, and how far below it goes.

`near` and `far` are the distances from a level at the two ends of a step, `variance` is that of the step. A path with
constant coefficients on a half-line is then exact in law (Gobet 2000 for stopping, Lépingle 1995 for reflection).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

# ---- bridges


def hits_level(near: Tensor, far: Tensor, variance: Tensor, uniform: Tensor) -> Tensor:
    """True with probability exp(-2·near·far/variance), and with certainty if the end is beyond the level."""
    return (far <= 0) | (uniform < torch.exp(-2 * near * far / _positive(variance)))


def first_hitting_fraction(near: Tensor, far: Tensor, variance: Tensor, normal: Tensor, uniform: Tensor) -> Tensor:
    """The fraction s of the step at which a path that reaches the level first does so.

    s = r/(1 + r), and r has the inverse Gaussian law of mean near/|far| and shape near²/variance: a bridge is
    (1 - s)·(Brownian motion with drift at r). Drawn by the method of Michael, Schucany and Haas 1976.
    """
    mean = near / _positive(far.abs())
    w = mean * normal.square() * variance / _positive(near.square())
    small = mean / (1 + w / 2 + torch.sqrt(w + w.square() / 4))
    r = torch.where(uniform * (mean + small) <= mean, small, mean.square() / _positive(small))
    return torch.nan_to_num(r / (1 + r), nan=1.0)


def local_time(near: Tensor, far: Tensor, variance: Tensor, uniform: Tensor) -> Tensor:
    """How far the minimum of the path is below the level: what reflection adds."""
    least = 0.5 * (near + far - torch.sqrt((far - near).square() - 2 * variance * torch.log(_positive(uniform))))
    return (-least).clamp_min(0)


def _positive(value: Tensor) -> Tensor:
    """Bounded away from zero, so that quotients and their squares stay finite."""
    return value.clamp_min(torch.finfo(value.dtype).tiny ** 0.25)


# ---- stopped
# Paths of dX = b dt + Σ dB between sides: stopped, reflected or wrapped around, and what they accumulate.
#
# Euler-Maruyama steps with e^{∫c} and the sum of sources by the trapezoidal rule. Exits and local times between the
# ends of a step are those of a Brownian bridge, which makes stopping of weak order 1 instead of ½ (Gobet 2000). A
# curve g = 0 is taken as flat within a step, at the distance g/|∇g|.


SpaceTimeFunction = Callable[[Tensor, Tensor], Tensor]
"""A function of points (..., d) and times (...)."""


class DiffusionRoot(NamedTuple):
    """Σ with Σ Σᵀ = 2A: its diagonal (..., d), or all of it (..., d, d)."""

    entries: Tensor
    full: bool

    def shake(self, normal: Tensor) -> Tensor:
        return (self.entries @ normal.unsqueeze(-1)).squeeze(-1) if self.full else self.entries * normal

    def variances(self) -> Tensor:
        """Of each coordinate, per unit of time."""
        return self.entries.square().sum(-1) if self.full else self.entries.square()

    def covariance(self, direction: Tensor) -> Tensor:
        """Σ Σᵀ n."""
        if self.full:
            return (self.entries @ (self.entries.mT @ direction.unsqueeze(-1))).squeeze(-1)
        return self.entries.square() * direction


@dataclass(frozen=True)
class SdeCoefficients:
    """b, Σ, c and f; along the path the time of the equation changes at the rate `clock`."""

    drift: SpaceTimeFunction | None
    root: Callable[[Tensor, Tensor], DiffusionRoot]
    rate: SpaceTimeFunction | None
    source: SpaceTimeFunction | None
    clock: float


@dataclass(frozen=True)
class PathBoundary:
    """The sides of a box, where `stops` and `turns` (2, d) say what its lower and upper faces do, and curves g(x) = 0.

    `curves` gives g (..., m) and ∇g (..., m, d); `given(x, t, face)` is u at the faces 2k, 2k + 1 of coordinate k and
    at the curves, numbered after them; `pull(x, t)` is κ and γ (..., 2, d) of ∂u/∂n + κu = γ.
    """

    lower: Tensor
    upper: Tensor
    stops: Tensor
    turns: Tensor
    wraps: Tensor
    given: Callable[[Tensor, Tensor, Tensor], Tensor]
    curves: Callable[[Tensor], tuple[Tensor, Tensor]] | None = None
    pull: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = None

    @cached_property
    def ends(self) -> bool:
        """Whether a path can end at any of them."""
        return self.curves is not None or bool(self.stops.any())

    def inside(self, y: Tensor) -> Tensor:
        """Joined sides wrap; without curves, sides without a condition clamp: only step errors cross them."""
        wrapped = self.lower + torch.remainder(y - self.lower, self.upper - self.lower)
        if self.curves is None:
            open_below, open_above = ~(self.stops | self.turns)
            y = torch.where(open_below, y.maximum(self.lower), y)
            y = torch.where(open_above, y.minimum(self.upper), y)
        return torch.where(self.wraps, wrapped, y)

    def distances(self, x: Tensor) -> tuple[Tensor, Tensor | None]:
        """From the faces (..., 2, d), and from the curves (..., m), to first order."""
        faces = torch.stack([x - self.lower, self.upper - x], -2)
        if self.curves is None:
            return faces, None
        g, slope = self.curves(x)
        return faces, g / slope.norm(dim=-1)


class StepNoise(NamedTuple):
    """Normal and uniform numbers of a step, one for each coordinate; curves use those of the first."""

    normal: Tensor
    uniform: Tensor


class BoundedPath(NamedTuple):
    """Where paths are at time t or, if they have ended, were at the beginning of their last step; `y` and `uniform` are
    the other end of that step and its uniform numbers."""

    x: Tensor
    t: Tensor
    growth: Tensor
    gained: Tensor
    alive: Tensor
    y: Tensor
    uniform: Tensor


def start_paths(x: Tensor, t: Tensor) -> BoundedPath:
    nothing = torch.zeros_like(t)
    return BoundedPath(x, t, nothing, nothing, torch.ones_like(t, dtype=torch.bool), x, torch.zeros_like(x))


def advance_paths(
    path: BoundedPath, motion: SdeCoefficients, sides: PathBoundary, dt: Tensor, draw: StepNoise
) -> BoundedPath:
    """One step of the paths still under way; `dt` (...) has the shape of the times."""
    x, t, h = path.x, path.t, dt.unsqueeze(-1)
    root = motion.root(x, t)
    y = x + torch.sqrt(h) * root.shake(draw.normal)
    if motion.drift is not None:
        y = y + h * motion.drift(x, t)
    later = t + motion.clock * dt
    y, growth, gained = _reflect(path, sides, y, later, root.variances() * h, draw.uniform)
    crossed = torch.zeros_like(path.alive)
    if sides.ends:
        crossed = _hits(sides, x, y, root, h, draw.uniform).any(-1)
    going, leaving = path.alive & ~crossed, path.alive & crossed
    inside = sides.inside(y)
    growth, gained = _accumulate(motion, growth, gained, (x, t), (inside, later), dt)
    keep = leaving.unsqueeze(-1)
    return BoundedPath(
        torch.where(going.unsqueeze(-1), inside, x),
        torch.where(going, later, t),
        torch.where(going, growth, path.growth),
        torch.where(going, gained, path.gained),
        going,
        torch.where(keep, y, path.y),
        torch.where(keep, draw.uniform, path.uniform),
    )


def absorbed_value(
    path: BoundedPath, motion: SdeCoefficients, sides: PathBoundary, dt: Tensor, times: StepNoise, bridge: Tensor
) -> Tensor:
    """e^{∫c} u + ∫ e^{∫c} f of paths that ended, at the point where they first met a side."""
    x, t, h = path.x, path.t, dt.unsqueeze(-1)
    root = motion.root(x, t)
    near, far, variance = _boundary_distances(sides, x, path.y, root, h)
    hit = _hits(sides, x, path.y, root, h, path.uniform)
    when = torch.where(hit, first_hitting_fraction(near, far, variance, *times), torch.inf)
    first, face = when.min(-1)
    s = first.clamp(0, 1).unsqueeze(-1)
    free = x + s * (path.y - x) + torch.sqrt(s * (1 - s) * h) * root.shake(bridge)
    z = sides.inside(_project_to_boundary(sides, free, face, root))
    spent = s.squeeze(-1) * dt
    there = t + motion.clock * spent
    growth, gained = _accumulate(motion, path.growth, path.gained, (x, t), (z, there), spent)
    return torch.exp(growth) * sides.given(z, there, face) + gained


def _reflect(
    path: BoundedPath, sides: PathBoundary, y: Tensor, t: Tensor, variance: Tensor, uniform: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The reflected step, with the weight e^{-∫κ dL} and the sum ∫ e^{∫c} γ dL."""
    if sides.pull is None:
        return y, path.growth, path.gained
    near, far = sides.distances(path.x)[0], sides.distances(y)[0]
    local = local_time(near, far, variance.unsqueeze(-2), torch.stack([uniform, 1 - uniform], -2))
    local = torch.where(sides.turns, local, 0)
    y = y + local[..., 0, :] - local[..., 1, :]
    rate, value = sides.pull(sides.inside(y), t)
    growth = path.growth - (rate * local).sum((-2, -1))
    weight = 0.5 * (torch.exp(path.growth) + torch.exp(growth))
    return y, growth, path.gained + weight * (value * local).sum((-2, -1))


def _boundary_distances(
    sides: PathBoundary, x: Tensor, y: Tensor, root: DiffusionRoot, h: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Distances at both ends, and variances, for all faces and curves (..., 2d + m)."""
    (near, from_curves), (far, to_curves) = sides.distances(x), sides.distances(y)
    variance = (root.variances() * h).unsqueeze(-1).expand(*x.shape, 2)
    levels = [near.mT, far.mT, variance]
    parts = [part.flatten(-2) for part in levels]
    if sides.curves is None or from_curves is None or to_curves is None:
        return parts[0], parts[1], parts[2]
    normal = torch.nn.functional.normalize(sides.curves(x)[1], dim=-1)
    along = DiffusionRoot(root.entries.unsqueeze(-3 if root.full else -2), root.full)
    spread = (along.covariance(normal) * normal).sum(-1) * h
    near, far, variance = (torch.cat(pair, -1) for pair in zip(parts, (from_curves, to_curves, spread), strict=True))
    return near, far, variance


def _hits(sides: PathBoundary, x: Tensor, y: Tensor, root: DiffusionRoot, h: Tensor, uniform: Tensor) -> Tensor:
    """Which faces and curves a step reaches; opposite faces use u and 1 - u, so that few paths reach both."""
    near, far, variance = _boundary_distances(sides, x, y, root, h)
    chance = torch.stack([uniform, 1 - uniform], -1).flatten(-2)
    curves = near.shape[-1] - chance.shape[-1]
    ends = torch.cat([sides.stops.mT.flatten(), sides.stops.new_ones(curves)])
    chance = torch.cat([chance, uniform[..., :1].expand(*uniform.shape[:-1], curves)], -1)
    return ends & hits_level(near, far, variance, chance)


def _project_to_boundary(sides: PathBoundary, z: Tensor, face: Tensor, root: DiffusionRoot) -> Tensor:
    """The point of a bridge, conditioned on being on a side: z - Σ Σᵀ n·distance/(n·Σ Σᵀ n)."""
    faces, curves = sides.distances(z)
    distance = faces.mT.flatten(-2) if curves is None else torch.cat([faces.mT.flatten(-2), curves], -1)
    n, pick = _inward_normal(sides, z, face), face.unsqueeze(-1)
    pushed = root.covariance(n)
    spread = (pushed * n).sum(-1, keepdim=True)
    along = torch.where(spread > 0, pushed / torch.where(spread > 0, spread, 1), n)
    return z - distance.gather(-1, pick) * along


def _inward_normal(sides: PathBoundary, z: Tensor, face: Tensor) -> Tensor:
    """The inward normal of one face or curve for each path."""
    d = z.shape[-1]
    coordinate = (face // 2).clamp_max(d - 1)
    flat = torch.nn.functional.one_hot(coordinate, d).to(z) * (1 - 2 * (face % 2)).unsqueeze(-1)
    if sides.curves is None:
        return flat
    slopes = torch.nn.functional.normalize(sides.curves(z)[1], dim=-1)
    curve = (face - 2 * d).clamp_min(0)[..., None, None].expand(*face.shape, 1, d)
    return torch.where((face < 2 * d).unsqueeze(-1), flat, slopes.gather(-2, curve).squeeze(-2))


def _accumulate(
    motion: SdeCoefficients,
    growth: Tensor,
    gained: Tensor,
    here: tuple[Tensor, Tensor],
    there: tuple[Tensor, Tensor],
    dt: Tensor,
) -> tuple[Tensor, Tensor]:
    """∫c and ∫ e^{∫c} f after another step, by the trapezoidal rule."""
    before = growth
    if motion.rate is not None:
        growth = growth + 0.5 * dt * (motion.rate(*here) + motion.rate(*there))
    if motion.source is not None:
        first, last = torch.exp(before) * motion.source(*here), torch.exp(growth) * motion.source(*there)
        gained = gained + 0.5 * dt * (first + last)
    return growth, gained
