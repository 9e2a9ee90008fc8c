"""Several solutions of one statement, for a batch of values of its numbers: modules with values (b, n, c)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from pdedsl.ir.statement import Statement
from pdedsl.ir.types import Scalar
from pdedsl.solving.gridded import Gridded
from pdedsl.solving.on_nodes import Given


class Apart(nn.Module):
    """A module whose outputs are the components of b solutions, one solution after another."""

    def __init__(self, module: nn.Module, size: int) -> None:
        super().__init__()
        self.module, self.size = module, size

    def forward(self, points: Tensor) -> Tensor:
        values: Tensor = self.module(points)
        return values.reshape(len(points), self.size, -1).movedim(1, 0)


class Together(nn.Module):
    """Several solutions, each with a module of its own."""

    def __init__(self, modules: Sequence[nn.Module]) -> None:
        super().__init__()
        self.members, self.size = nn.ModuleList(modules), len(modules)

    def forward(self, points: Tensor) -> Tensor:
        return torch.stack([module(points) for module in self.members])


class Member(nn.Module):
    """One of several solutions."""

    def __init__(self, module: nn.Module, number: int) -> None:
        super().__init__()
        self.module, self.number = module, number

    def forward(self, points: Tensor) -> Tensor:
        values: Tensor = self.module(points)
        return values[self.number]


def batches_of(statement: Statement, given: Mapping[str, Given]) -> dict[str, Tensor]:
    """The scalars that are given as a batch of values, (b,); batches of different sizes are refused."""
    scalars = {p.name for p in statement.parameters if isinstance(p.type, Scalar) and not p.params}
    found = {n: v for n, v in given.items() if n in scalars and isinstance(v, Tensor) and v.ndim == 1}
    if len({len(v) for v in found.values()}) > 1:
        raise ValueError(f"batches of different sizes: {', '.join(f'{len(v)} of {n}' for n, v in found.items())}")
    return found


def gathered(found: Sequence[Gridded]) -> Gridded:
    """Several solutions as one, with the largest of their figures and all that is said of any of them."""
    figures = {name: max(g.figures[name] for g in found) for name in found[0].figures}
    notes = tuple(dict.fromkeys(note for g in found for note in g.notes))
    return Gridded(Together([g.module for g in found]), figures, notes, max(g.doubt for g in found))
