"""Walk on spheres: Brownian motion moves to a uniform point of the largest inscribed sphere, up to a distance ε of the
boundary.

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
    """The direction of the step, and another direction with two uniform samples for the source point in the ball."""

    outwards: Tensor
    inwards: Tensor
    uniform: Tensor


class SphereWalk(NamedTuple):
    x: Tensor
    source_integral: Tensor
    alive: Tensor


def sphere_step(
    path: SphereWalk,
    radius: Callable[[Tensor], Tensor],
    source: Callable[[Tensor], Tensor] | None,
    diffusivity: float,
    epsilon: float,
    noise: SphereNoise,
) -> SphereWalk:
    """One step of the walks that are farther than `epsilon` from the boundary."""
    r = radius(path.x).clamp_min(0)
    alive = path.alive & (r > epsilon)
    source_integral, d = path.source_integral, path.x.shape[-1]
    if source is not None:
        depth = noise.uniform[..., 0] ** (1 / d) * noise.uniform[..., 1].sqrt()
        inner = path.x + (r * depth).unsqueeze(-1) * torch.nn.functional.normalize(noise.inwards, dim=-1)
        source_integral = torch.where(
            alive, source_integral + r.square() / (2 * d * diffusivity) * source(inner), source_integral
        )
    onto = path.x + r.unsqueeze(-1) * torch.nn.functional.normalize(noise.outwards, dim=-1)
    return SphereWalk(torch.where(alive.unsqueeze(-1), onto, path.x), source_integral, alive)


def free_radius(g: Tensor, gradient: Tensor, curvature: Tensor) -> Tensor:
    """The r with g - |∇g| r - ½M r² = 0: no point of g = 0 is nearer if the second derivatives of g are above -M."""
    size = gradient.norm(dim=-1)
    denominator = size + torch.sqrt(size.square() + 2 * curvature * g.clamp_min(0))
    return torch.where(denominator > 0, 2 * g / denominator, torch.inf)
