"""Process → functions of tensors for its paths: of a motion, of its sides and of its data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from sympy import Expr, Heaviside, Mul, S
from torch import Tensor

from pdedsl.emit.pointwise import pointwise
from pdedsl.ir.process import Process, Stop, Turn
from pdedsl.ir.statement import Face, Place
from pdedsl.runtime.noise import cholesky
from pdedsl.runtime.stopped import At, Motion, Root, Sides

Many = Callable[[Tensor, Tensor], tuple[Tensor, ...]]


@dataclass(frozen=True)
class Tensors:
    """The functions of a process, at points (..., d) and times (...)."""

    process: Process

    def functions(self, exprs: Sequence[Expr]) -> Many:
        found = pointwise(exprs, self.process.domain.coordinates)
        timed = self.process.domain.timed
        return lambda x, t: found(*x.unbind(-1), *((t,) if timed else ()))

    def function(self, expr: Expr) -> At | None:
        """None if the expression is zero."""
        if expr == 0:
            return None
        of = self.functions([expr])
        return lambda x, t: of(x, t)[0]

    @cached_property
    def motion(self) -> Motion:
        process = self.process
        drift = self.functions(process.drift)
        clock = 0.0 if process.data is None else float(process.data.clock.value)
        return Motion(
            (lambda x, t: torch.stack(drift(x, t), -1)) if any(process.drift) else None,
            self._root(),
            self.function(process.rate),
            self.function(process.source),
            clock,
        )

    def _root(self) -> Callable[[Tensor, Tensor], Root]:
        """√(2A), as a diagonal if A is diagonal."""
        process, d = self.process, self.process.dimension
        entries = {(i, j): 2 * a for i, j, a in process.matrix}
        if all(i == j for i, j in entries):
            diagonal = self.functions([entries.get((k, k), S.Zero) for k in range(d)])
            return lambda x, t: Root(torch.stack(diagonal(x, t), -1).sqrt(), full=False)
        every = self.functions([entries.get((min(i, j), max(i, j)), S.Zero) for i in range(d) for j in range(d)])
        return lambda x, t: Root(cholesky(torch.stack(every(x, t), -1).reshape(*x.shape, d)), full=True)

    # ---- sides

    @cached_property
    def bounds(self) -> list[tuple[float, float]]:
        intervals = self.process.domain.intervals[: self.process.dimension]
        return [(float(i.start), float(i.end)) for i in intervals]

    def sides(self, x: Tensor) -> Sides:
        """The sides, on the device and in the dtype of x."""
        lower, upper = (torch.tensor(ends, dtype=x.dtype, device=x.device) for ends in zip(*self.bounds, strict=True))
        wraps = [i.periodic for i in self.process.domain.intervals[: self.process.dimension]]
        pulled = any(isinstance(s.event, Turn) for s in self.process.sides)
        return Sides(
            lower,
            upper,
            self._faces(Stop, x),
            self._faces(Turn, x),
            torch.tensor(wraps, device=x.device),
            self.given,
            self.curves,
            self.pull if pulled else None,
        )

    def _faces(self, kind: type[Stop | Turn], x: Tensor) -> Tensor:
        places = [s.place for s in self.process.sides if isinstance(s.event, kind)]
        found = [[Face(k, upper) in places for k in range(self.process.dimension)] for upper in (False, True)]
        return torch.tensor(found, device=x.device)

    def number(self, place: Place) -> int:
        """2k and 2k + 1 for the faces of coordinate k; then the curves."""
        match place:
            case Face(coordinate=k, upper=upper):
                return 2 * k + int(upper)
            case _:
                return 2 * self.process.dimension + self.process.curves.index(place.expr)

    @cached_property
    def given(self) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        """u where paths end: the value given on a side, on the part where that condition holds; NaN elsewhere."""
        groups: dict[tuple[Expr, tuple[Expr, ...]], list[int]] = {}
        for side in self.process.sides:
            if isinstance(side.event, Stop):
                groups.setdefault((side.event.value, side.part), []).append(self.number(side.place))
        count = 2 * self.process.dimension + len(self.process.curves)
        rows = [(self.functions([value, *part]), numbers) for (value, part), numbers in groups.items()]

        def given(x: Tensor, t: Tensor, face: Tensor) -> Tensor:
            found = torch.full_like(t, torch.nan)
            for of, numbers in rows:
                value, *part = of(x, t)
                held = torch.zeros(count, dtype=torch.bool, device=x.device)
                held[numbers] = True
                here = held[face] & torch.stack([torch.ones_like(t, dtype=torch.bool), *(g >= 0 for g in part)]).all(0)
                found = torch.where(here, value, found)
            return found

        return given

    @cached_property
    def curves(self) -> Callable[[Tensor], tuple[Tensor, Tensor]] | None:
        """g (..., m) and ∇g (..., m, d)."""
        found, space = self.process.curves, self.process.domain.space
        if not found:
            return None
        every = self.functions([*found, *(g.diff(x) for g in found for x in space)])

        def curves(x: Tensor) -> tuple[Tensor, Tensor]:
            values = torch.stack(every(x, x[..., 0]), -1)
            return values[..., : len(found)], values[..., len(found) :].reshape(*x.shape[:-1], len(found), len(space))

        return curves

    @cached_property
    def pull(self) -> Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]:
        """κ and γ of the faces that reflect, (..., 2, d)."""
        d = self.process.dimension
        faces = [Face(k, upper) for upper in (False, True) for k in range(d)]
        every = self.functions([self._pulled(f, of) for of in ("rate", "value") for f in faces])

        def pull(x: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
            values = torch.stack(every(x, t), -1).reshape(*t.shape, 2, 2, d)
            return values[..., 0, :, :], values[..., 1, :, :]

        return pull

    def _pulled(self, face: Face, of: str) -> Expr:
        """Evaluated on the face itself, and zero outside the part of it where the condition holds."""
        interval, x = self.process.domain.intervals[face.coordinate], self.process.domain.space[face.coordinate]
        parts = (
            getattr(s.event, of) * Mul(*(Heaviside(g) for g in s.part))
            for s in self.process.sides
            if s.place == face and isinstance(s.event, Turn)
        )
        return sum(parts, S.Zero).xreplace({x: interval.end if face.upper else interval.start})
