"""Networks as users write them, imported by specs in tests: `torch("tests.codegen.own_nets:Net")`."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Block(nn.Module):
    """σ(x + F(x))."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.norm(self.conv(x)))


class Net(nn.Module):
    """A residual network for images (1, 8, 8), with its maps called in another order than that of registration."""

    def __init__(self, width: int = 4, blocks: int = 3, classes: int = 3) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, width, 3, padding=1)
        self.blocks = nn.ModuleList(Block(width) for _ in range(blocks))
        self.head = nn.Linear(width, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        for block in reversed(self.blocks):
            x = block(x)
        return self.head(x.mean((2, 3)))


class Open(Net):
    """x + F(x) inside of a forward pass."""

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        for block in self.blocks:
            x = x + block.conv(x)
        return self.head(x.mean((2, 3)))


class Tokens(nn.Module):
    """Rows of an image as tokens of torch's own transformer."""

    def __init__(self, norm_first: bool = True) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 8, 0.0, batch_first=True, norm_first=norm_first)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.encoder(x[:, 0]).mean(1))


class Plain(nn.Sequential):
    """Without residual blocks."""

    def __init__(self) -> None:
        super().__init__(nn.Flatten(), nn.Linear(64, 3))


class Unused(Net):
    """A residual map that is never called."""

    def __init__(self) -> None:
        super().__init__()
        self.spare = Block(4)


class Pair(nn.Module):
    """Two residual blocks in a row, as in a transformer, with a projection where the width changes."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.shortcut = nn.Linear(2, 3), nn.Linear(3, 3), nn.Linear(2, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = self.shortcut(x) + self.first(x)
        return x + self.second(torch.tanh(x))


class Field(nn.Module):
    """v(x, t) on the plane."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(3, width), nn.Linear(width, 2)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        return self.last(torch.tanh(self.first(torch.cat([x, t], 1))))


def broken() -> nn.Module:
    raise RuntimeError("no weights today")


def misused() -> nn.Module:
    raise ValueError("width must be even")


def number() -> int:
    return 1
