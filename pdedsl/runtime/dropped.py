"""Dropout inside residual maps: x + F(x)⊙z/p (Wang et al., Table 1)."""

from __future__ import annotations

from torch import nn

from pdedsl.runtime.backbones import Backbone
from pdedsl.runtime.noise import Dropout, Unit


def dropped(backbone: Backbone, keep: float, of: Unit = "units") -> Backbone:
    """The backbone with the velocity of each residual map dropped at random, down-sampling maps included."""
    for block in backbone.blocks:
        field = getattr(block, "field", None)
        if not isinstance(field, nn.Module):
            raise ValueError(f"{type(block).__name__} has no residual map to drop")
        block.field = nn.Sequential(field, Dropout(keep, seed=0, of=of))
    return backbone
