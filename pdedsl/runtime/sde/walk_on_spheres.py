"""Walk on spheres: a Brownian path leaps to the largest sphere around it that fits, until a side is very near.

The mean of u over the sphere of radius r around x is u(x) for harmonic u; for aΔu + f = 0 the source adds
r²/(2da)·E f(y), with |y - x|/r = U^{1/d} V^{1/2} of uniform U and V, which is the Green's function of the ball
(Muller 1956; Sawhney and Crane 2020, section 2.3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor


class SphereNoise(NamedTuple):
    """The direction of the leap, and another direction with two uniform numbers for the point in the ball."""

    outwards: Tensor
    inwards: Tensor
    uniform: Tensor


class SphereWalk(NamedTuple):
    x: Tensor
    gained: Tensor
    alive: Tensor


def sphere_step(
    path: SphereWalk,
    radius: Callable[[Tensor], Tensor],
    source: Callable[[Tensor], Tensor] | None,
    diffusivity: float,
    near: float,
    draw: SphereNoise,
) -> SphereWalk:
    """One leap for the paths that are farther than `near` from every side."""
    r = radius(path.x).clamp_min(0)
    alive = path.alive & (r > near)
    gained, d = path.gained, path.x.shape[-1]
    if source is not None:
        depth = draw.uniform[..., 0] ** (1 / d) * draw.uniform[..., 1].sqrt()
        inner = path.x + (r * depth).unsqueeze(-1) * torch.nn.functional.normalize(draw.inwards, dim=-1)
        gained = torch.where(alive, gained + r.square() / (2 * d * diffusivity) * source(inner), gained)
    onto = path.x + r.unsqueeze(-1) * torch.nn.functional.normalize(draw.outwards, dim=-1)
    return SphereWalk(torch.where(alive.unsqueeze(-1), onto, path.x), gained, alive)


def free_radius(g: Tensor, slope: Tensor, bend: Tensor) -> Tensor:
    """The r with g - |∇g| r - ½M r² = 0: no point of g = 0 is nearer if the second derivatives of g are above -M."""
    steep = slope.norm(dim=-1)
    below = steep + torch.sqrt(steep.square() + 2 * bend * g.clamp_min(0))
    return torch.where(below > 0, 2 * g / below, torch.inf)
