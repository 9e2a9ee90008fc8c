"""Absorbed and reflected diffusions: Euler-Maruyama paths of dX = b dt + Σ dB in a box with level-set boundaries.

Paths are absorbed at Dirichlet, reflected at Neumann and Robin, and wrapped at periodic boundaries. Hitting times and
local times within a step are those of a Brownian bridge, which makes absorption of weak order 1 instead of ½ (Gobet
2000; Lépingle 1995 for reflection): a path with constant coefficients on a half-line is exact in law. A level set g = 0
is taken as flat within a step, at the distance g/|∇g|, and reflects along its normal (Gobet 2001). On a face or level
set with Dirichlet and other parts a step is absorbed or reflected as at the foot of its first point, which displaces
the ends of the parts by O(√h). The weight e^{∫c} and the source integral are computed by the trapezoidal rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

# ---- Brownian bridge: `near` and `far` are the distances from a level at both ends of a step of this `variance`


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
    """The local time at the level: the depth of the minimum of the path below it, which reflection adds."""
    least = 0.5 * (near + far - torch.sqrt((far - near).square() - 2 * variance * torch.log(_positive(uniform))))
    return (-least).clamp_min(0)


def _positive(value: Tensor) -> Tensor:
    """Bounded away from zero, so that quotients and their squares stay finite."""
    return value.clamp_min(torch.finfo(value.dtype).tiny ** 0.25)


# ---- Paths


SpaceTimeFunction = Callable[[Tensor, Tensor], Tensor]
"""A function of points (..., d) and times (...)."""


class DiffusionRoot(NamedTuple):
    """Σ with Σ Σᵀ = 2A: its diagonal (..., d), or all of it (..., d, d)."""

    entries: Tensor
    full: bool

    def apply(self, normal: Tensor) -> Tensor:
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
    """b, Σ, c and f; `direction` is the sign of the time increments along the path."""

    drift: SpaceTimeFunction | None
    root: Callable[[Tensor, Tensor], DiffusionRoot]
    rate: SpaceTimeFunction | None
    source: SpaceTimeFunction | None
    direction: float


@dataclass(frozen=True)
class PathBoundary:
    """The boundary of a box and level sets g(x) = 0; `absorbing` and `reflecting` (2, d) are masks of its faces.

    `curves` gives g (..., m) and ∇g (..., m, d); `dirichlet(x, t, face)` is u at the faces 2k, 2k + 1 of coordinate k
    and at the level sets, numbered after them; `robin(x, t)` is κ and γ (..., 2, d) of ∂u/∂n + κu = γ, and
    `robin_curves(x, t)` (..., m) that of the level sets, of which those in `reflecting_curves` (m) reflect. With
    Dirichlet and other parts on one face or level set both masks are true, and `dirichlet_parts(x, t)` (..., 2d + m) is
    the mask of the faces and level sets that absorb at the foot of x.
    """

    lower: Tensor
    upper: Tensor
    absorbing: Tensor
    reflecting: Tensor
    periodic: Tensor
    dirichlet: Callable[[Tensor, Tensor, Tensor], Tensor]
    curves: Callable[[Tensor], tuple[Tensor, Tensor]] | None = None
    robin: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = None
    robin_curves: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = None
    reflecting_curves: Tensor | None = None
    dirichlet_parts: Callable[[Tensor, Tensor], Tensor] | None = None

    @cached_property
    def has_absorption(self) -> bool:
        """Whether paths can be absorbed."""
        at_curves = self.curves is not None and (self.reflecting_curves is None or not self.reflecting_curves.all())
        return at_curves or bool(self.absorbing.any()) or self.dirichlet_parts is not None

    def absorbs(self, x: Tensor, t: Tensor) -> Tensor:
        """Which faces and level sets absorb a step from x, (2d + m) or (..., 2d + m)."""
        if self.dirichlet_parts is not None:
            return self.dirichlet_parts(x, t)
        if self.curves is None:
            return self.absorbing.mT.flatten()
        reflecting = self.reflecting_curves
        curves = self.absorbing.new_ones(self.curves(x)[0].shape[-1]) if reflecting is None else ~reflecting
        return torch.cat([self.absorbing.mT.flatten(), curves])

    def reflects(self, x: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
        """Which faces (..., 2, d) and level sets (..., m) reflect a step from x."""
        faces = self.absorbing.numel()
        curves = self.absorbing.new_zeros(0) if self.reflecting_curves is None else self.reflecting_curves
        if self.dirichlet_parts is None:
            return self.reflecting, curves
        absorbs = self.dirichlet_parts(x, t)
        at_faces = absorbs[..., :faces].reshape(*absorbs.shape[:-1], -1, 2).mT
        return self.reflecting & ~at_faces, curves & ~absorbs[..., faces:] if curves.numel() else curves

    def inside(self, y: Tensor) -> Tensor:
        """Wrap periodic coordinates; without level sets, clamp at faces without a condition."""
        wrapped = self.lower + torch.remainder(y - self.lower, self.upper - self.lower)
        if self.curves is None:
            open_below, open_above = ~(self.absorbing | self.reflecting)
            y = torch.where(open_below, y.maximum(self.lower), y)
            y = torch.where(open_above, y.minimum(self.upper), y)
        return torch.where(self.periodic, wrapped, y)

    def distances(self, x: Tensor) -> tuple[Tensor, Tensor | None]:
        """Distances from the faces (..., 2, d) and, to first order, from the level sets (..., m)."""
        faces = torch.stack([x - self.lower, self.upper - x], -2)
        if self.curves is None:
            return faces, None
        g, gradient = self.curves(x)
        return faces, g / gradient.norm(dim=-1)


class StepNoise(NamedTuple):
    """Normal and uniform samples of a step, one for each coordinate; level sets use those of the first."""

    normal: Tensor
    uniform: Tensor


class BoundedPath(NamedTuple):
    """The points at time t or, if absorbed, at the beginning of the last step; `y` and `uniform` are the end of that
    step and its uniform samples."""

    x: Tensor
    t: Tensor
    log_weight: Tensor
    source_integral: Tensor
    alive: Tensor
    y: Tensor
    uniform: Tensor


def start_paths(x: Tensor, t: Tensor) -> BoundedPath:
    nothing = torch.zeros_like(t)
    return BoundedPath(x, t, nothing, nothing, torch.ones_like(t, dtype=torch.bool), x, torch.zeros_like(x))


def advance_paths(
    path: BoundedPath, sde: SdeCoefficients, boundary: PathBoundary, dt: Tensor, noise: StepNoise
) -> BoundedPath:
    """One step of the paths that are not absorbed; `dt` (...) has the shape of the times."""
    x, t, h = path.x, path.t, dt.unsqueeze(-1)
    root = sde.root(x, t)
    y = x + torch.sqrt(h) * root.apply(noise.normal)
    if sde.drift is not None:
        y = y + h * sde.drift(x, t)
    later = t + sde.direction * dt
    y, log_weight, source_integral = _reflect(path, boundary, y, later, root.variances() * h, noise.uniform)
    if boundary.robin_curves is not None:
        variance = _normal_variances(boundary, x, root, h)
        bent = path._replace(log_weight=log_weight, source_integral=source_integral)
        y, log_weight, source_integral = _reflect_at_curves(bent, boundary, y, later, variance, noise.uniform)
    crossed = torch.zeros_like(path.alive)
    if boundary.has_absorption:
        crossed = _hits(boundary, (x, t), y, root, h, noise.uniform).any(-1)
    continuing, absorbed = path.alive & ~crossed, path.alive & crossed
    inside = boundary.inside(y)
    log_weight, source_integral = _accumulate(sde, log_weight, source_integral, (x, t), (inside, later), dt)
    keep = absorbed.unsqueeze(-1)
    return BoundedPath(
        torch.where(continuing.unsqueeze(-1), inside, x),
        torch.where(continuing, later, t),
        torch.where(continuing, log_weight, path.log_weight),
        torch.where(continuing, source_integral, path.source_integral),
        continuing,
        torch.where(keep, y, path.y),
        torch.where(keep, noise.uniform, path.uniform),
    )


def absorbed_value(
    path: BoundedPath, sde: SdeCoefficients, boundary: PathBoundary, dt: Tensor, times: StepNoise, bridge: Tensor
) -> Tensor:
    """e^{∫c} u + ∫ e^{∫c} f of absorbed paths, at the point where they first hit the boundary."""
    x, t, h = path.x, path.t, dt.unsqueeze(-1)
    root = sde.root(x, t)
    near, far, variance = _boundary_distances(boundary, x, path.y, root, h)
    hit = _hits(boundary, (x, t), path.y, root, h, path.uniform)
    when = torch.where(hit, first_hitting_fraction(near, far, variance, *times), torch.inf)
    first, face = when.min(-1)
    s = first.clamp(0, 1).unsqueeze(-1)
    free = x + s * (path.y - x) + torch.sqrt(s * (1 - s) * h) * root.apply(bridge)
    z = boundary.inside(_project_to_boundary(boundary, free, face, root))
    spent = s.squeeze(-1) * dt
    there = t + sde.direction * spent
    log_weight, source_integral = _accumulate(sde, path.log_weight, path.source_integral, (x, t), (z, there), spent)
    value = boundary.dirichlet(z, there, face)
    if boundary.dirichlet_parts is not None:  # the path may have left the part on which its step began
        foot = boundary.inside(_project_to_boundary(boundary, x, face, root))
        value = torch.where(value.isnan(), boundary.dirichlet(foot, there, face), value)
    return torch.exp(log_weight) * value + source_integral


def _reflect(
    path: BoundedPath, boundary: PathBoundary, y: Tensor, t: Tensor, variance: Tensor, uniform: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The reflected step, with the weight e^{-∫κ dL} and the integral ∫ e^{∫c} γ dL."""
    if boundary.robin is None:
        return y, path.log_weight, path.source_integral
    near, far = boundary.distances(path.x)[0], boundary.distances(y)[0]
    local = local_time(near, far, variance.unsqueeze(-2), torch.stack([uniform, 1 - uniform], -2))
    local = torch.where(boundary.reflects(path.x, path.t)[0], local, 0)
    y = y + local[..., 0, :] - local[..., 1, :]
    rate, value = boundary.robin(boundary.inside(y), t)
    log_weight = path.log_weight - (rate * local).sum((-2, -1))
    weight = 0.5 * (torch.exp(path.log_weight) + torch.exp(log_weight))
    return y, log_weight, path.source_integral + weight * (value * local).sum((-2, -1))


def _reflect_at_curves(
    path: BoundedPath, boundary: PathBoundary, y: Tensor, t: Tensor, variance: Tensor, uniform: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The step reflected along the normals of the level sets, with the weight and the integral as in `_reflect`."""
    assert boundary.curves is not None
    assert boundary.robin_curves is not None
    near, far = boundary.distances(path.x)[1], boundary.distances(y)[1]
    assert near is not None
    assert far is not None
    local = local_time(near, far, variance, uniform[..., :1])
    if boundary.reflecting_curves is not None:
        local = torch.where(boundary.reflects(path.x, path.t)[1], local, 0)
    normals = torch.nn.functional.normalize(boundary.curves(y)[1], dim=-1)
    offset = (torch.where(local > 0, far, 0).unsqueeze(-1) * normals).sum(-2)
    rate, value = boundary.robin_curves(y - offset, t)  # on the level set
    y = y + (local.unsqueeze(-1) * normals).sum(-2)
    log_weight = path.log_weight - (rate * local).sum(-1)
    weight = 0.5 * (torch.exp(path.log_weight) + torch.exp(log_weight))
    return y, log_weight, path.source_integral + weight * (value * local).sum(-1)


def _normal_variances(boundary: PathBoundary, x: Tensor, root: DiffusionRoot, h: Tensor) -> Tensor:
    """n·Σ Σᵀ n h for the normals of the level sets, (..., m)."""
    assert boundary.curves is not None
    normal = torch.nn.functional.normalize(boundary.curves(x)[1], dim=-1)
    along = DiffusionRoot(root.entries.unsqueeze(-3 if root.full else -2), root.full)
    return (along.covariance(normal) * normal).sum(-1) * h


def _boundary_distances(
    boundary: PathBoundary, x: Tensor, y: Tensor, root: DiffusionRoot, h: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Distances at both ends, and variances, for all faces and level sets (..., 2d + m)."""
    (near, from_curves), (far, to_curves) = boundary.distances(x), boundary.distances(y)
    variance = (root.variances() * h).unsqueeze(-1).expand(*x.shape, 2)
    levels = [near.mT, far.mT, variance]
    parts = [part.flatten(-2) for part in levels]
    if boundary.curves is None or from_curves is None or to_curves is None:
        return parts[0], parts[1], parts[2]
    spread = _normal_variances(boundary, x, root, h)
    near, far, variance = (torch.cat(pair, -1) for pair in zip(parts, (from_curves, to_curves, spread), strict=True))
    return near, far, variance


def _hits(
    boundary: PathBoundary, start: tuple[Tensor, Tensor], y: Tensor, root: DiffusionRoot, h: Tensor, uniform: Tensor
) -> Tensor:
    """Which absorbing faces and level sets a step from `start` = (x, t) to y hits; opposite faces use u and 1 - u, so
    that few paths hit both."""
    near, far, variance = _boundary_distances(boundary, start[0], y, root, h)
    chance = torch.stack([uniform, 1 - uniform], -1).flatten(-2)
    curves = near.shape[-1] - chance.shape[-1]
    chance = torch.cat([chance, uniform[..., :1].expand(*uniform.shape[:-1], curves)], -1)
    return boundary.absorbs(*start) & hits_level(near, far, variance, chance)


def _project_to_boundary(boundary: PathBoundary, z: Tensor, face: Tensor, root: DiffusionRoot) -> Tensor:
    """The point of a bridge, conditioned on being on the boundary: z - Σ Σᵀ n·distance/(n·Σ Σᵀ n)."""
    faces, curves = boundary.distances(z)
    distance = faces.mT.flatten(-2) if curves is None else torch.cat([faces.mT.flatten(-2), curves], -1)
    n, pick = _inward_normal(boundary, z, face), face.unsqueeze(-1)
    pushed = root.covariance(n)
    spread = (pushed * n).sum(-1, keepdim=True)
    along = torch.where(spread > 0, pushed / torch.where(spread > 0, spread, 1), n)
    return z - distance.gather(-1, pick) * along


def _inward_normal(boundary: PathBoundary, z: Tensor, face: Tensor) -> Tensor:
    """The inward normal of one face or level set for each path."""
    d = z.shape[-1]
    coordinate = (face // 2).clamp_max(d - 1)
    flat = torch.nn.functional.one_hot(coordinate, d).to(z) * (1 - 2 * (face % 2)).unsqueeze(-1)
    if boundary.curves is None:
        return flat
    normals = torch.nn.functional.normalize(boundary.curves(z)[1], dim=-1)
    curve = (face - 2 * d).clamp_min(0)[..., None, None].expand(*face.shape, 1, d)
    return torch.where((face < 2 * d).unsqueeze(-1), flat, normals.gather(-2, curve).squeeze(-2))


def _accumulate(
    sde: SdeCoefficients,
    log_weight: Tensor,
    source_integral: Tensor,
    here: tuple[Tensor, Tensor],
    there: tuple[Tensor, Tensor],
    dt: Tensor,
) -> tuple[Tensor, Tensor]:
    """∫c and ∫ e^{∫c} f after another step, by the trapezoidal rule."""
    before = log_weight
    if sde.rate is not None:
        log_weight = log_weight + 0.5 * dt * (sde.rate(*here) + sde.rate(*there))
    if sde.source is not None:
        first, last = torch.exp(before) * sde.source(*here), torch.exp(log_weight) * sde.source(*there)
        source_integral = source_integral + 0.5 * dt * (first + last)
    return log_weight, source_integral
