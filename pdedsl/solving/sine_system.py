"""Residuals of sums of sines, as a least-squares problem for their weights and for further learned numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from pdedsl.ir.statement import Derivative
from pdedsl.runtime.folded import Folded, FoldedAt
from pdedsl.runtime.least_squares import solution_of
from pdedsl.runtime.shuffled import Shuffled, ShuffledAt
from pdedsl.runtime.sines import Waves, WavesAt
from pdedsl.solving.estimates import noise_of
from pdedsl.solving.rows import Rows

STEPS = 30  # of Gauss-Newton
HALVINGS = 8
AnyWaves = Waves | Folded | Shuffled
CHANGE = 1e-3  # relative change of the residual below which Gauss-Newton ends


@dataclass(frozen=True)
class Found:
    """Weights (c, n) of the sines, and learned numbers."""

    weights: Tensor
    numbers: Tensor

    def moved(self, direction: Tensor, share: float) -> Found:
        count = self.weights.numel()
        weights, numbers = direction[:count], direction[count:]
        return Found(self.weights + share * weights.view_as(self.weights), self.numbers + share * numbers)


@dataclass(frozen=True)
class System:
    """Rows in terms of the sines of `waves` for each component and of learned numbers, which begin at `start`."""

    waves: AnyWaves
    rows: Sequence[Rows]
    components: int
    start: Tensor

    @cached_property
    def at(self) -> tuple[WavesAt | FoldedAt | ShuffledAt, ...]:
        return tuple(self.waves.at(r.points) for r in self.rows)

    def residual(self, found: Found) -> Tensor:
        """All weighted residuals."""
        return torch.cat([r.weight * self._of(k, found)[0] for k, r in enumerate(self.rows)])

    def mean_residual(self, found: Found) -> float:
        """√ of the sum of the mean squares of all rows."""
        squares = [(r.weight * self._of(k, found)[0]).square().mean() for k, r in enumerate(self.rows)]
        return float(torch.stack(squares).sum().sqrt())

    def solved(self, affine: bool) -> tuple[Found, float, int]:
        """Gauss-Newton with step halving, from u = 0; an affine problem takes one step."""
        found = Found(self.waves.phases.new_zeros(self.components, len(self.waves.phases)), self.start)
        residual = self.residual(found)
        loss = float(residual.norm())
        for steps in range(1, STEPS + 1):
            direction = solution_of(self._slopes(found), -residual)
            found, residual = self._shortened(found, direction, loss)
            before, loss = loss, float(residual.norm())
            if affine or loss > (1 - CHANGE) * before:
                return found, loss / len(residual) ** 0.5, steps
        return found, loss / len(residual) ** 0.5, STEPS

    def _shortened(self, found: Found, direction: Tensor, loss: float) -> tuple[Found, Tensor]:
        share = 1.0
        for _ in range(HALVINGS):
            moved = self._settled(found.moved(direction, share))
            residual = self.residual(moved)
            if float(residual.norm()) < loss:
                return moved, residual
            share /= 2
        return found, self.residual(found)

    def _settled(self, found: Found) -> Found:
        """With the weights refitted to the new numbers: changing both at once violates the equations, which weigh much
        more than measurements, by the product of the two changes (variable projection; Golub, Pereyra 1973)."""
        if not len(self.start):
            return found
        own = self._slopes(found)[:, : found.weights.numel()]
        direction = solution_of(own, -self.residual(found))
        return found.moved(torch.cat([direction, torch.zeros_like(found.numbers)]), 1.0)

    def deviations(self, found: Found, measured: int) -> list[float]:
        """√ of the diagonal of σ²(JᵀJ)⁻¹ for the numbers, with the weights eliminated; σ² is that of the measurements,
        which are the last `measured` rows, and J is in their units."""
        unit, count = self.rows[-1].weight, sum(len(r.points) for r in self.rows[-measured:])
        noise = noise_of(self.residual(found)[-count:] / unit, len(self.start))
        slopes = self._slopes(found) / unit
        own, rest = slopes[:, -len(self.start) :], slopes[:, : -len(self.start)]
        free = torch.stack([c - rest @ solution_of(rest, c) for c in own.unbind(-1)], -1)
        return [float(d) for d in (noise * torch.linalg.inv(free.T @ free)).diagonal().sqrt()]

    def _of(self, k: int, found: Found) -> tuple[Tensor, tuple[Tensor, ...]]:
        wanted = self.rows[k].derivatives
        values: dict[Derivative, Tensor] = {}
        for component in range(self.components):
            own = [d for d in wanted if d.component == component]
            if own:
                columns = self.at[k].values([d.orders for d in own], found.weights[component])
                values |= dict(zip(own, columns, strict=True))
        for d in wanted:
            if d.component >= self.components:
                values[d] = found.numbers[d.component - self.components].expand(len(self.rows[k].points))
        return self.rows[k].at([values[d] for d in wanted])

    def _slopes(self, found: Found) -> Tensor:
        """∂(weighted residuals)/∂(weights, numbers), the components one after another."""
        return torch.cat([self._block(k, self._of(k, found)[1]) for k in range(len(self.rows))])

    def _block(self, k: int, slopes: tuple[Tensor, ...]) -> Tensor:
        rows, blocks = self.rows[k], []
        pairs = [(rows.weight * s, d) for s, d in zip(slopes, rows.derivatives, strict=True)]
        for component in range(self.components):
            own = [(s, d.orders) for s, d in pairs if d.component == component]
            blocks.append(self.at[k].combined([s for s, _ in own], [o for _, o in own]))
        numbers = rows.points.new_zeros(len(rows.points), len(self.start))
        for s, d in pairs:
            if d.component >= self.components:
                numbers[:, d.component - self.components] = s
        return torch.cat([*blocks, numbers], 1)
