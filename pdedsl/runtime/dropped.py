"""Random residual maps: dropout x + F(x)⊙z/p, stochastic depth x + F(x)·z/p, and shake-shake
x + αF(x) + (1-α)G(x) (Wang, Tao, Bao, Shi, Table 1 and Remark 2.5)."""

from __future__ import annotations

from torch import nn

from pdedsl.runtime.backbones import Backbone
from pdedsl.runtime.random_maps import Dropout, ShakeShake, Unit


def dropped(backbone: Backbone, keep: float, of: Unit = "units") -> Backbone:
    """The backbone with the velocity of each residual map dropped at random, down-sampling maps included."""
    for block in backbone.blocks:
        block.field = nn.Sequential(_field(block), Dropout(keep, seed=0, of=of))
    return backbone


def shaken(backbone: Backbone, other: Backbone, width: float = 0.5) -> Backbone:
    """The backbone with the velocities of both networks at each residual map, mixed at random by α ~ U(½−w, ½+w).

    Stem, head, shortcuts and the activation before a transition are those of the first: they are not velocities.
    """
    for block, beside in zip(backbone.blocks, other.blocks, strict=True):
        block.field = ShakeShake(_field(block), _field(beside), seed=0, width=width)
    return backbone


def _field(block: nn.Module) -> nn.Module:
    field = getattr(block, "field", None)
    if not isinstance(field, nn.Module):
        raise ValueError(f"{type(block).__name__} has no residual map to drop or share")
    return field
