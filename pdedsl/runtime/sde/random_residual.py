"""Random residual blocks: dropout x + F(x)⊙z/p, stochastic depth x + F(x)·z/p, and shake-shake
x + αF(x) + (1-α)G(x).

Wang, Tao, Bao, Shi, table 1 and remark 2.5: x + Δt·V with a random velocity V has the diffusion matrix ½Δt·Cov V.
"""

from __future__ import annotations

from typing import Literal, cast

from torch import Tensor, nn

from pdedsl.runtime.backbones import Backbone
from pdedsl.runtime.rng import RandomStream

# ---- Random operations on a residual


DropoutUnit = Literal["units", "layer"]
NOISE_FEATURES: dict[DropoutUnit, int | None] = {"units": None, "layer": 0}  # feature axes with independent samples


class Dropout(nn.Module):
    """F⊙z/p, z ~ Bernoulli(p): x + Δt·v⊙z/p has diffusivity Δt·(1−p)/(2p)·v_i² on ∂²/∂x_i².

    of = "units" samples a z for every hidden unit; of = "layer" one for the whole residual: stochastic depth,
    with diffusion matrix Δt·(1−p)/(2p)·vvᵀ (Wang, Tao, Bao, Shi, remark 2.5).

    Args:
        keep: probability p that a unit or residual is kept, in (0, 1].
        seed: seed of the random stream.
        of: "units" or "layer".

    Shape:
        x (n, …) to the same shape.

    Raises:
        ValueError: if the probability is not in (0, 1].

    Example:
        >>> import torch
        >>> from pdedsl.runtime import Dropout
        >>> sorted(set(Dropout(0.5, seed=0)(torch.ones(100)).tolist()))
        [0.0, 2.0]
    """

    def __init__(self, keep: float, *, seed: int, of: DropoutUnit = "units") -> None:
        super().__init__()
        if not 0.0 < keep <= 1.0:
            raise ValueError(f"the keep-probability must lie in (0, 1], got {keep:g}")
        self.keep, self.of = keep, of
        self.stream = RandomStream(seed)

    def forward(self, x: Tensor) -> Tensor:
        uniform = self.stream(x, "uniform", NOISE_FEATURES[self.of])
        return x * self.stream.spread((uniform < self.keep).to(x.dtype) / self.keep, x)

    def extra_repr(self) -> str:
        return f"keep={self.keep:g}, of={self.of!r}"


class RandomMix(nn.Module):
    """α·f + (1−α)·g, α ~ U(½−w, ½+w) per sample: mean (f+g)/2 and covariance w²/3·(f−g)(f−g)ᵀ.

    As the velocity of a step: diffusion matrix Δt·w²/6·(f−g)(f−g)ᵀ; w = ½ is shake-shake (Wang, Tao, Bao, Shi,
    remark 2.5).
    """

    def __init__(self, width: float = 0.5, *, seed: int) -> None:
        super().__init__()
        self.width = width
        self.stream = RandomStream(seed)

    def forward(self, branches: tuple[Tensor, Tensor]) -> Tensor:
        f, g = branches
        alpha = 0.5 + 2.0 * self.width * (self.stream(f, "uniform", 0) - 0.5)
        return g + self.stream.spread(alpha, f) * (f - g)

    def extra_repr(self) -> str:
        return f"width={self.width:g}"


class ShakeShake(nn.Module):
    """α·f(x) + (1−α)·g(x) of two maps: `RandomMix` of their values."""

    def __init__(self, f: nn.Module, g: nn.Module, *, seed: int, width: float = 0.5) -> None:
        super().__init__()
        self.f, self.g, self.mix = f, g, RandomMix(width, seed=seed)

    def forward(self, x: Tensor) -> Tensor:
        return cast(Tensor, self.mix((self.f(x), self.g(x))))


# ---- Backbones with random residuals


def add_dropout(backbone: Backbone, keep: float, of: DropoutUnit = "units") -> Backbone:
    """The backbone with dropout on the residual of each block, downsampling blocks included.

    Args:
        backbone: the backbone; its blocks are changed in place.
        keep: probability that a unit or residual is kept, in (0, 1].
        of: "units" (dropout) or "layer" (stochastic depth).

    Returns:
        The same backbone.

    Raises:
        ValueError: if the probability is not in (0, 1], or a block has no residual.

    Example:
        >>> from pdedsl.runtime import add_dropout, mlp
        >>> add_dropout(mlp(8, 2, (2,), 3), 0.9).blocks[0].field[-1].keep
        0.9
    """
    for block in backbone.blocks:
        block.field = nn.Sequential(_field(block), Dropout(keep, seed=0, of=of))
    return backbone


def shake_shake(backbone: Backbone, other: Backbone, width: float = 0.5) -> Backbone:
    """The backbone with the residuals of both networks in each block, mixed at random by α ~ U(½−w, ½+w).

    Stem, head, shortcuts and the activation before a transition are those of the first: they are not velocities.

    Args:
        backbone: the backbone; its blocks are changed in place.
        other: backbone with the second branches, of the same architecture.
        width: half width w of the interval of α.

    Returns:
        The first backbone.

    Raises:
        ValueError: if the backbones have different numbers of blocks, or a block has no residual.

    Example:
        >>> from pdedsl.runtime import mlp, shake_shake
        >>> type(shake_shake(mlp(8, 2, (2,), 3), mlp(8, 2, (2,), 3)).blocks[0].field).__name__
        'ShakeShake'
    """
    for block, beside in zip(backbone.blocks, other.blocks, strict=True):
        block.field = ShakeShake(_field(block), _field(beside), seed=0, width=width)
    return backbone


def _field(block: nn.Module) -> nn.Module:
    field = getattr(block, "field", None)
    if not isinstance(field, nn.Module):
        raise ValueError(f"{type(block).__name__} has no residual for dropout or shake-shake")
    return field
