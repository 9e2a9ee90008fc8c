"""Values at the nodes of a box: Chebyshev points on an axis with sides, equal steps on a periodic one.

Equations hold at the nodes; next to a side its conditions replace them, the first one at the side, the second one node
further in (Trefethen 2000, ch. 13 and 14). Rows: M ∂w/∂t = R(w, t), with M = 0 in the row of a condition. A pressure
has degree lower by two than the flow that it keeps divergence-free, or it would have undetected oscillations (Bernardi
and Maday 1992): its values on the sides follow from those inside. Its mean, which nothing determines, is added to the
divergence: both vanish if inflow equals outflow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import torch
from sympy import Expr, Symbol
from torch import Tensor

from pdedsl.ir.statement import Derivative
from pdedsl.plan.evolution import Evolution, Side
from pdedsl.runtime import chebyshev
from pdedsl.runtime.expansions import Axis, Segment
from pdedsl.runtime.fourier import Ring
from pdedsl.solving.on_nodes import Formulas, Given, formulas, known_at


def axes_of(evolution: Evolution, n: int) -> tuple[Axis, ...]:
    domain = evolution.statement.domain
    found: list[Axis] = []
    for interval in domain.intervals[: len(domain.space)]:
        start, end = float(interval.start), float(interval.end)
        found.append(Ring(start, end - start, max(2, (n + 1) // 2)) if interval.periodic else Segment(start, end, n))
    return tuple(found)


def nodes_of(axis: Axis, like: Tensor) -> Tensor:
    if isinstance(axis, Ring):
        return axis.start + axis.period * torch.arange(axis.modes, dtype=like.dtype, device=like.device) / axis.modes
    return axis.start + (axis.end - axis.start) * (chebyshev.points(axis.n, like) + 1) / 2


def derivative_of(axis: Axis, like: Tensor) -> Tensor:
    """The matrix of d/dx at the nodes of an axis."""
    if isinstance(axis, Ring):
        own = torch.eye(axis.modes, dtype=like.dtype, device=like.device)
        wave = 2j * torch.pi / axis.period * torch.arange(axis.half, dtype=like.dtype, device=like.device)
        found: Tensor = torch.fft.irfft(wave[:, None] * torch.fft.rfft(own, dim=0), n=axis.modes, dim=0)
        return found
    return chebyshev.differentiation(axis.n, like) * (2 / (axis.end - axis.start))


@dataclass(frozen=True)
class Block:
    """Rows of R: an expression at the nodes `at`, written to `rows`, and its derivatives by each of its jets."""

    value: Formulas
    slopes: Formulas
    jets: tuple[Derivative, ...]
    at: Tensor
    rows: Tensor
    sign: float


@dataclass(frozen=True)
class Collocated:
    """An evolution at the nodes of the axes; w holds all variables one after the other."""

    evolution: Evolution
    axes: tuple[Axis, ...]
    given: Mapping[str, Given]
    like: Tensor

    @cached_property
    def lines(self) -> list[Tensor]:
        return [nodes_of(a, self.like) for a in self.axes]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(line) for line in self.lines)

    @cached_property
    def places(self) -> list[Tensor]:
        """The coordinates of all nodes, each flattened."""
        return [c.reshape(-1) for c in torch.meshgrid(*self.lines, indexing="ij")]

    @property
    def count(self) -> int:
        return self.places[0].numel()

    @cached_property
    def _matrices(self) -> dict[tuple[int, ...], Tensor]:
        return {}

    def matrix(self, orders: tuple[int, ...]) -> Tensor:
        """The matrix of ∂^α: from values at all nodes to derivatives at all nodes."""
        if orders not in self._matrices:
            found = torch.ones((1, 1), dtype=self.like.dtype, device=self.like.device)
            for axis, order in zip(self.axes, orders, strict=True):
                found = torch.kron(found, torch.linalg.matrix_power(derivative_of(axis, self.like), order))
            self._matrices[orders] = found
        return self._matrices[orders]

    def known(self, time: float) -> Mapping[Symbol, Tensor]:
        moment = self.like.new_full((1,), time)
        timed = self.evolution.statement.domain.timed
        return known_at(self.evolution, self.given, self.places, moment if timed else None)

    @cached_property
    def _lasting(self) -> list[Mapping[Symbol, Tensor]] | None:
        """The known values at the nodes of each block, if no learned function depends on time."""
        if self.evolution.timed_functions:
            return None
        return [self._picked(b, self.known(self.start)) for b in self.blocks]

    def _known_in(self, time: float) -> list[Mapping[Symbol, Tensor]]:
        """The known values for each block."""
        if self._lasting is None:
            known = self.known(time)
            return [self._picked(b, known) for b in self.blocks]
        if not self.evolution.statement.domain.timed:
            return self._lasting
        moment = {self.evolution.coordinates[-1]: self.like.new_full((1,), time)}
        return [{**known, **moment} for known in self._lasting]

    def _picked(self, block: Block, known: Mapping[Symbol, Tensor]) -> Mapping[Symbol, Tensor]:
        return {s: v[block.at] if v.numel() == self.count > 1 else v for s, v in known.items()}

    def right(self, w: Tensor, time: float) -> Tensor:
        """R, with a sign that makes time run forward."""
        result = w.new_zeros(w.shape)
        for b, known in zip(self.blocks, self._known_in(time), strict=True):
            (value,) = b.value(self._jets(b, b.value, w), known)
            result = result.index_copy(0, b.rows, b.sign * value)
        for k in self.evolution.floating:
            result[self._own(k)] += self._held @ w[self._own(k)]
        return result

    def slope(self, w: Tensor, time: float) -> Tensor:
        """∂R/∂w."""
        result = w.new_zeros(len(w), len(w))
        for b, known in zip(self.blocks, self._known_in(time), strict=True):
            numbers = b.slopes(self._jets(b, b.slopes, w), known)
            for jet, number in zip(b.jets, numbers, strict=True):
                part = b.sign * number[:, None] * self.matrix(jet.orders)[b.at]
                result[b.rows, self._own(jet.component)] += part
        for k in self.evolution.floating:
            result[self._own(k), self._own(k)] += self._held
        return result

    def _own(self, variable: int) -> slice:
        return slice(variable * self.count, (variable + 1) * self.count)

    @cached_property
    def inner(self) -> Tensor:
        """A mask of the nodes that are not on any side."""
        found = torch.ones(self.shape, dtype=torch.bool, device=self.like.device)
        for k, axis in enumerate(self.axes):
            if isinstance(axis, Segment):
                found.select(k, 0)[...] = False
                found.select(k, self.shape[k] - 1)[...] = False
        return found.reshape(-1)

    @cached_property
    def _held(self) -> Tensor:
        """The rows of a pressure: on the sides, its distance to what the inner values imply; inside, their mean."""
        whole = torch.ones((1, 1), dtype=self.like.dtype, device=self.like.device)
        for axis, size in zip(self.axes, self.shape, strict=True):
            own = torch.eye(size, dtype=self.like.dtype, device=self.like.device)
            whole = torch.kron(whole, chebyshev.from_inner(size, self.like) if isinstance(axis, Segment) else own)
        inner = self.inner.to(self.like.dtype)
        rim = torch.eye(self.count, dtype=self.like.dtype, device=self.like.device) - whole
        return torch.where(self.inner[:, None], inner / inner.sum(), rim)

    def _jets(self, block: Block, formula: Formulas, w: Tensor) -> list[Tensor]:
        values = w.reshape(-1, self.count)
        return [self._jet(values, self.evolution.of_jets[s], block.at) for s in formula.jets]

    def _jet(self, values: Tensor, jet: Derivative, at: Tensor) -> Tensor:
        own = values[jet.component]
        return own[at] if jet.order == 0 else self.matrix(jet.orders)[at] @ own

    @cached_property
    def mass(self) -> Tensor:
        """1 in rows with a time derivative, else 0."""
        result = self.like.new_zeros(len(self.evolution.variables) * self.count)
        for k in self.evolution.moving:
            result[self._own(k)] = 1
        result[self.owners >= 0] = 0
        return result

    @cached_property
    def owners(self) -> Tensor:
        """For each row the condition that replaces its equation, or -1; those nearest to their side take precedence."""
        result = torch.full((len(self.evolution.variables) * self.count,), -1, device=self.like.device)
        for k, layer in sorted(self._layers(), key=lambda pair: (pair[1], self.evolution.sides[pair[0]].normal)):
            side = self.evolution.sides[k]
            rows = self._row_of(side) * self.count + self._nodes(side, layer)
            result[rows[result[rows] < 0]] = k
        return result

    def _layers(self) -> Iterator[tuple[int, int]]:
        """Each condition with its rank among the conditions on the same variable and side."""
        seen: dict[object, int] = {}
        order = sorted(range(len(self.evolution.sides)), key=lambda k: self.evolution.sides[k].normal)
        for k in order:
            side = self.evolution.sides[k]
            key = (side.place, side.variable) if not side.part else (side.place, side.variable, side.part)
            seen[key] = seen.get(key, -1) + 1
            yield k, seen[key]

    def _row_of(self, side: Side) -> int:
        """The variable whose equation is replaced: the highest time derivative of the component."""
        component, _ = self.evolution.variables[side.variable]
        return max(k for k, (c, _) in enumerate(self.evolution.variables) if c == component)

    def _nodes(self, side: Side, layer: int) -> Tensor:
        """Nodes in a layer next to a side, on the part of the side where the condition holds."""
        index = torch.arange(self.count, device=self.like.device).reshape(self.shape)
        axis, size = side.place.coordinate, self.shape[side.place.coordinate]
        found = index.select(axis, size - 1 - layer if side.place.upper else layer).reshape(-1)
        for expr in side.part:
            value = formulas(self.evolution, [expr])((), self.known(self.start))[0].expand(self.count)
            found = found[value[self._onto(side, found)] > 0]
        return found

    @cached_property
    def start(self) -> float:
        return float(self.evolution.statement.domain.intervals[-1].start)

    def _onto(self, side: Side, nodes: Tensor) -> Tensor:
        """The nodes on the side itself that lie opposite the given ones."""
        axis, size = side.place.coordinate, self.shape[side.place.coordinate]
        stride = 1
        for s in self.shape[axis + 1 :]:
            stride *= s
        place = (nodes // stride) % size
        return nodes + ((size - 1 if side.place.upper else 0) - place) * stride

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        evolution, every = self.evolution, torch.arange(self.count, device=self.like.device)
        equations = dict(
            zip((*evolution.moving, *evolution.still), (*evolution.rights, *evolution.constraints), strict=True)
        )
        found = []
        for k, expr in equations.items():
            free = every[(self.owners[self._own(k)] < 0) & (self.inner if k in evolution.floating else True)]
            sign = -1.0 if evolution.backward and k in evolution.moving else 1.0
            found.append(self._block(expr, free, k * self.count + free, sign))
        for k, side in enumerate(evolution.sides):
            rows = (self.owners == k).nonzero().squeeze(-1)
            if len(rows):
                found.append(self._block(side.kept, self._onto(side, rows % self.count), rows, 1.0))
        return tuple(found)

    def _block(self, expr: Expr, at: Tensor, rows: Tensor, sign: float) -> Block:
        jets = self.evolution.jets_in(expr)
        slopes = formulas(self.evolution, [expr.diff(s) for s, _ in jets])
        return Block(formulas(self.evolution, [expr]), slopes, tuple(d for _, d in jets), at, rows, sign)
