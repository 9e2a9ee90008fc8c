"""Values at scattered points as a function: near each point, the quadratic polynomial that fits its neighbours best."""

from __future__ import annotations

import torch
from torch import Tensor, nn

NEAREST = 14
CHUNK = 256


class Scattered(nn.Module):
    """Points (m, 2) and values (m,); the error is of third order in their spacing h."""

    places: Tensor
    values: Tensor

    def __init__(self, places: Tensor, values: Tensor, h: float) -> None:
        super().__init__()
        self.h = h
        self.register_buffer("places", places)
        self.register_buffer("values", values)

    def forward(self, points: Tensor) -> Tensor:
        x = points.to(self.places.dtype)
        return torch.cat([self._at(part) for part in torch.split(x, CHUNK)]).unsqueeze(-1)

    def _at(self, x: Tensor) -> Tensor:
        center = x.detach()
        distances, near = torch.cdist(center, self.places).topk(NEAREST, largest=False)
        weights = 1 / (distances / self.h + 0.1)
        there = _monomials((self.places[near] - center[:, None]) / self.h) * weights[..., None]
        inverse: Tensor = torch.linalg.pinv(there, rtol=1e-10)
        fitted = inverse @ (self.values[near] * weights)[..., None]
        return (_monomials((x - center) / self.h) * fitted[..., 0]).sum(-1)


def _monomials(x: Tensor) -> Tensor:
    a, b = x[..., 0], x[..., 1]
    return torch.stack([torch.ones_like(a), a, b, a * a, a * b, b * b], dim=-1)
