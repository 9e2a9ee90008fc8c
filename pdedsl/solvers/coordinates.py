"""Points of a solution by the names of coordinates, and the closed domain in which it is defined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from pdedsl.codegen.pointwise import PointwiseFunction, compile_pointwise
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.ir.spec import Spec
from pdedsl.language.names import canonical_name

if TYPE_CHECKING:
    import numpy as np

    Values = float | Tensor | np.ndarray | Sequence[float] | Sequence[Sequence[float]]

BOUNDARY_RTOL = 1e-6  # rounding errors of points in single precision, relative to the size of the domain
SCALE_POINTS = 256  # at which the magnitude of an inequality is measured


@dataclass(frozen=True)
class Coordinates:
    """Coordinates of a solution: space, then time.

    `order` has for each of them its position among the arguments of the unknown. `position` is the name of the position
    vector, if coordinates have no names. `wrapped` are the axes along which the solution is periodic.
    """

    domain: Domain
    order: tuple[int, ...]
    position: str = ""
    wrapped: tuple[int, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(x.name for x in self.domain.coordinates)

    @property
    def dimension(self) -> int:
        return len(self.domain.space)

    def from_columns(self, points: Values) -> Tensor:
        """Points (n, k) with columns in the order of the arguments, in the order of the domain."""
        tensor = torch.as_tensor(points, dtype=torch.float64)
        if tensor.ndim != 2 or tensor.shape[1] != len(self.order):
            raise ValueError(f"points must have the shape (n, {len(self.order)}), got {tuple(tensor.shape)}")
        return tensor[:, list(self.order)]

    def from_names(self, values: Mapping[str, Values]) -> Tensor:
        """Points (…, k) from values by name, which are broadcast against each other."""
        columns: dict[int, Tensor] = {}
        for name, value in values.items():
            tensor = torch.as_tensor(value, dtype=torch.float64)
            if self.position and name_key(name) == name_key(self.position):
                if tensor.ndim == 0 or tensor.shape[-1] != self.dimension:
                    raise ValueError(f"{name} must have the shape (…, {self.dimension}), got {tuple(tensor.shape)}")
                columns.update(enumerate(tensor.unbind(-1)))
            else:
                columns[self.axis(name)] = tensor
        missing = [x for k, x in enumerate(self.names) if k not in columns]
        if missing:
            raise ValueError(f"the solution is a function of {', '.join(self.names)}: {', '.join(missing)} missing")
        try:
            broadcast = torch.broadcast_tensors(*(columns[k] for k in range(len(self.names))))  # type: ignore[no-untyped-call]
        except RuntimeError:
            shapes = ", ".join(f"{x} {tuple(columns[k].shape)}" for k, x in enumerate(self.names))
            raise ValueError(f"the shapes of the coordinates cannot be broadcast: {shapes}") from None
        return torch.stack(broadcast, -1)

    def axis(self, name: str) -> int:
        """The number of a coordinate; Greek letters and their names are the same, as are x₁, x_1 and x1."""
        keys = [name_key(x) for x in self.names]
        if name_key(name) not in keys:
            raise ValueError(f"there is no coordinate '{name}': the coordinates are {', '.join(self.names)}")
        return keys.index(name_key(name))

    def at_time(self, points: Tensor, t: Tensor | float | None) -> Tensor:
        """Points (m, d) of space with the time as the last column."""
        if t is None:
            return points
        return torch.cat([points, torch.as_tensor(t).to(points).expand(len(points), 1)], 1)

    def times(self, t: Values | None) -> Tensor | None:
        """The requested times; None for a stationary problem."""
        if not self.domain.has_time:
            if t is not None:
                raise ValueError("the solution does not depend on time")
            return None
        name, interval = self.names[-1], self.domain.intervals[-1]
        if t is None:
            raise ValueError(f"the solution depends on time: state {name}, as in t={float(interval.end):g}")
        tensor = torch.as_tensor(t, dtype=torch.float64)
        if not bool(self._within(tensor, len(self.names) - 1).all()):
            raise ValueError(f"the time must lie in [{float(interval.start):g}, {float(interval.end):g}]")
        return tensor

    # ---- The closed domain

    def contains(self, points: Tensor) -> Tensor:
        """Whether points (n, k) lie in the closed domain; periodic axes have no ends."""
        inside = points.isfinite().all(-1)
        for k in range(len(self.names)):
            if k not in self.wrapped:
                inside = inside & self._within(points[:, k], k)
        if self.domain.inequalities:
            values = torch.stack(self._inequalities(*self.wrap(points).unbind(-1)))
            inside = inside & (values >= -BOUNDARY_RTOL * self._scales.to(values)[:, None]).all(0)
        return inside

    def wrap(self, points: Tensor) -> Tensor:
        """Points moved by periods into the domain."""
        columns = list(points.unbind(-1))
        for k in self.wrapped:
            interval = self.domain.intervals[k]
            start, end = float(interval.start), float(interval.end)
            inside = (columns[k] >= start) & (columns[k] <= end)
            columns[k] = torch.where(inside, columns[k], start + torch.remainder(columns[k] - start, end - start))
        return torch.stack(columns, -1)

    def _within(self, x: Tensor, k: int) -> Tensor:
        start, end = (float(v) for v in (self.domain.intervals[k].start, self.domain.intervals[k].end))
        slack = BOUNDARY_RTOL * (end - start)
        return (x >= start - slack) & (x <= end + slack)

    @cached_property
    def _inequalities(self) -> PointwiseFunction:
        return compile_pointwise(self.domain.inequalities, self.domain.coordinates)

    @cached_property
    def _scales(self) -> Tensor:
        """The largest magnitude of each inequality at points of the box."""
        low, high = (torch.tensor([float(getattr(i, e)) for i in self.domain.intervals]) for e in ("start", "end"))
        engine = torch.quasirandom.SobolEngine(len(low), scramble=False)  # type: ignore[no-untyped-call]
        points = (low + (high - low) * engine.draw(SCALE_POINTS)).double()
        return torch.stack(self._inequalities(*points.unbind(-1))).abs().amax(1)


def name_key(name: str) -> str:
    """Spellings of the same name have the same key."""
    return canonical_name(name).replace("_", "").translate(SUBSCRIPT_DIGITS)


SUBSCRIPT_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def coordinates_of_solution(statement: StrongForm, spec: Spec) -> Coordinates:
    domain, arguments = statement.domain, spec.unknowns[0].arguments
    if set(arguments) == set(domain.coordinates):
        order = tuple(arguments.index(x) for x in domain.coordinates)
    else:
        order = tuple(range(len(domain.coordinates)))
    changed = {p.axis for p in statement.periodic}  # with a sign or a jump
    wrapped = tuple(k for k, i in enumerate(domain.intervals) if i.periodic and k not in changed)
    names = spec.space.names
    return Coordinates(domain, order, names[0] if len(names) == 1 < len(domain.space) else "", wrapped)
