"""What a Brownian path does between two of its points: whether and when it reaches a level, and how far below it goes.

`near` and `far` are the distances from a level at the two ends of a step, `variance` is that of the step. A path with
constant coefficients on a half-line is then exact in law (Gobet 2000 for stopping, Lépingle 1995 for reflection).
"""

from __future__ import annotations

import torch
from torch import Tensor


def reaches(near: Tensor, far: Tensor, variance: Tensor, uniform: Tensor) -> Tensor:
    """True with probability exp(-2·near·far/variance), and with certainty if the end is beyond the level."""
    return (far <= 0) | (uniform < torch.exp(-2 * near * far / _positive(variance)))


def first_time(near: Tensor, far: Tensor, variance: Tensor, normal: Tensor, uniform: Tensor) -> Tensor:
    """The fraction s of the step at which a path that reaches the level first does so.

    s = r/(1 + r), and r has the inverse Gaussian law of mean near/|far| and shape near²/variance: a bridge is (1 -
    s)·(Brownian motion with drift at r). Drawn by the method of Michael, Schucany and Haas 1976.
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
