"""Layout of a batch whose rows carry derivatives, and a function call on such batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

Function = Callable[..., Any]
Pair = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class DerivativeLayout:
    """The derivatives of the rows start, …, stop - 1: along `lines` directions and, if `operator`, under ∂_t - νΔ with
    the Laplacian over these directions."""

    start: int
    stop: int
    lines: int = 0
    operator: bool = True
    diffusivity: float = 0.0

    @property
    def rows(self) -> int:
        return self.stop - self.start

    @property
    def blocks(self) -> int:
        """The number of derivatives of each row."""
        return self.lines + self.operator

    @property
    def curved(self) -> bool:
        """Whether second derivatives matter."""
        return self.operator and self.lines > 0

    def centre(self, value: Tensor, copies: int = 1) -> Tensor:
        """The rows that have derivatives, repeated `copies` times."""
        rows = value.narrow(0, self.start, self.rows)
        return rows if copies == 1 else rows.repeat(copies, *[1] * (value.dim() - 1))

    def split(self, tangent: Tensor) -> Pair:
        """(∂_i c of all lines, Lc)."""
        first = self.lines * self.rows
        return tangent[:first], tangent[first:]

    def by_block(self, tangent: Tensor) -> Tensor:
        """(blocks, rows, …)."""
        return tangent.reshape(-1, self.rows, *tangent.shape[1:])

    def curve(self, moved: Tensor, bends: Tensor) -> Tensor:
        """(f′·∂_i c, f′·Lc - ν Σ f″), given (f′·∂_i c, f′·Lc) and f″ for every line."""
        first, last = self.split(moved)
        return torch.cat([first, last - self.diffusivity * self.by_block(bends).sum(0)])


@dataclass(frozen=True)
class FunctionCall:
    """A call of a function on jets, as their values and tangents; `with_jets` puts others in their place."""

    func: Function
    frame: DerivativeLayout
    jets: list[Tensor]
    tangents: list[Tensor]
    with_jets: Callable[[Iterable[Tensor]], tuple[tuple[Any, ...], dict[str, Any]]]

    @property
    def first_alone(self) -> bool:
        """Whether the first argument is a jet and no other is."""
        return len(self.jets) == 1 and bool(args := self.with_jets(self.tangents)[0]) and args[0] is self.tangents[0]

    def of(self, *rows: Tensor) -> Any:
        args, kwargs = self.with_jets(rows)
        return self.func(*args, **kwargs)

    def value(self) -> Any:
        return self.of(*self.jets)
