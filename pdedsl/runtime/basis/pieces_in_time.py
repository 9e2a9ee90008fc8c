"""Solutions on consecutive pieces of time, as one function of points."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class PiecesInTime(nn.Module):
    """Modules (p, d + 1) → (p, c) for the pieces between m + 1 times; a break belongs to the later piece."""

    breaks: Tensor

    def __init__(self, breaks: Tensor, pieces: Sequence[nn.Module]) -> None:
        super().__init__()
        self.register_buffer("breaks", breaks)
        self.pieces = nn.ModuleList(pieces)

    def forward(self, points: Tensor) -> Tensor:
        places = torch.searchsorted(self.breaks[1:-1].contiguous(), points[:, -1].detach().contiguous(), right=True)
        order = places.argsort(stable=True)
        parts = torch.split(points[order], torch.bincount(places, minlength=len(self.pieces)).tolist())
        values = [piece(part) for piece, part in zip(self.pieces, parts, strict=True) if len(part)]
        joined: Tensor = torch.cat(values) if values else self.pieces[0](points)
        return joined[order.argsort()]
