"""Collocation points: in the interior of a domain, on its faces, and on surfaces F = 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import assert_never

import torch
from sympy import Expr, Integer
from torch import Tensor

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.ir.boundary import ConditionResidual, Face, LevelSet, Place
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.ir.spec import Interval
from pdedsl.lowering.truncated_domain import DEFAULT_EXTENT
from pdedsl.runtime.basis.random_features import CoordinateBox
from pdedsl.runtime.sampling import (
    NoPointsFound,
    PointDistribution,
    PointFilter,
    SamplingBox,
    project_to_level_set,
    rejection_sample,
)

CPU = torch.device("cpu")
BOUNDARY_RTOL = 1e-9  # how far below zero, relative to its values, a function may be at points of a closed domain


def visible_domain(domain: Domain) -> Domain:
    """The domain, with unbounded axes truncated to a box in which data of unit scale are visible."""
    box = Interval(Integer(-DEFAULT_EXTENT), Integer(DEFAULT_EXTENT))
    return replace(domain, intervals=tuple(i if i.end.is_finite else box for i in domain.intervals))


@dataclass(frozen=True)
class PointSampler:
    """Samples points of a domain, on a device; the samples depend only on the seed of the call."""

    domain: Domain
    device: torch.device = CPU
    dtype: torch.dtype = torch.float64

    @cached_property
    def low(self) -> Tensor:
        return torch.tensor([float(interval.start) for interval in self._intervals], dtype=torch.float64)

    @cached_property
    def high(self) -> Tensor:
        return torch.tensor([float(interval.end) for interval in self._intervals], dtype=torch.float64)

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        """Those of the domain, truncated."""
        return visible_domain(self.domain).intervals

    @cached_property
    def periodic(self) -> tuple[bool, ...]:
        return tuple(interval.periodic for interval in self.domain.intervals)

    @property
    def box(self) -> CoordinateBox:
        return CoordinateBox((self.low + self.high) / 2, (self.high - self.low) / 2, torch.tensor(self.periodic))

    def inside(
        self,
        n: int,
        seed: int,
        law: PointDistribution = PointDistribution.SOBOL,
        during: tuple[Expr, Expr] | None = None,
    ) -> Tensor:
        """(n, k) in the domain; `during` restricts the time to an interval."""
        low, high = self.low.clone(), self.high.clone()
        if during is not None:
            low[-1], high[-1] = float(during[0]), float(during[1])
        draw = SamplingBox(low, high, self.periodic).source(law, seed)
        return self._to_device(rejection_sample(draw, self._mask(self.domain.inequalities, 0.0), n))

    def on(
        self, imposed: ConditionResidual, n: int, seed: int, law: PointDistribution = PointDistribution.SOBOL
    ) -> Tensor:
        """At most n points where a condition applies; the face of an interval is a single point."""
        within = self._mask(self.domain.inequalities, BOUNDARY_RTOL)
        part = self._mask(imposed.part, 0.0)
        draw = self._source(imposed.place, seed, law)
        count = 1 if self._is_point(imposed.place) else n
        return self._to_device(rejection_sample(draw, lambda x: within(x) & part(x), count))

    def _is_point(self, place: Place) -> bool:
        return isinstance(place, Face) and len(self.domain.coordinates) == 1

    def _to_device(self, points: Tensor) -> Tensor:
        return points.to(self.device, self.dtype)

    def _source(self, place: Place, seed: int, law: PointDistribution) -> Callable[[int], Tensor]:
        match place:
            case Face(coordinate=k, upper=upper):
                return self._face(
                    k, upper, SamplingBox(self.low, self.high, self.periodic).without(k).source(law, seed)
                )
            case LevelSet(expr=expr):
                return self._surface(expr, SamplingBox(self.low, self.high, self.periodic).source(law, seed))
            case _:
                assert_never(place)

    def _face(self, k: int, upper: bool, draw: Callable[[int], Tensor]) -> Callable[[int], Tensor]:
        end = self.high[k] if upper else self.low[k]

        def sample(n: int) -> Tensor:
            others = draw(n)
            return torch.cat([others[:, :k], end.expand(n, 1), others[:, k:]], 1)

        return sample

    def _surface(self, expr: Expr, draw: Callable[[int], Tensor]) -> Callable[[int], Tensor]:
        level = self._value(expr)
        moved = torch.ones_like(self.low)
        if self.domain.has_time:
            moved[-1] = 0.0

        def sample(n: int) -> Tensor:
            points, arrived = project_to_level_set(level, draw(n), moved)
            inside = ((points >= self.low) & (points <= self.high)).all(-1)
            return points[arrived & inside]

        return sample

    def _value(self, expr: Expr) -> Callable[[Tensor], Tensor]:
        at = compile_pointwise((expr,), self.domain.coordinates)
        return lambda x: at(*x.unbind(-1))[0]

    def _mask(self, exprs: Sequence[Expr], slack: float) -> PointFilter:
        """A mask of points with every g > 0, or, with slack, every g ≥ 0 up to rounding."""
        if not exprs:
            return lambda x: torch.ones(len(x), dtype=torch.bool)
        at = compile_pointwise(exprs, self.domain.coordinates)

        def mask(x: Tensor) -> Tensor:
            values = torch.stack(at(*x.unbind(-1)), -1)
            if not slack:
                return (values > 0).all(-1)
            return (values >= -slack * values.abs().amax(0)).all(-1)

        return mask


def sample_conditions(
    points: PointSampler,
    conditions: Sequence[ConditionResidual],
    n: int,
    seed: int,
    law: PointDistribution = PointDistribution.SOBOL,
) -> list[Tensor]:
    """Points for each condition; a condition as written may have no points on some faces of a shape, but not on all."""
    samples = [_sample_or_empty(points, c, n, seed + k, law) for k, c in enumerate(conditions)]
    for condition in conditions:
        own = [x for c, x in zip(conditions, samples, strict=True) if c.span == condition.span]
        if not any(map(len, own)):
            raise NoPointsFound(
                f"the condition at {condition.span} applies to an empty set: no points on it lie in the domain"
            )
    return samples


def _sample_or_empty(
    points: PointSampler, condition: ConditionResidual, n: int, seed: int, law: PointDistribution
) -> Tensor:
    try:
        return points.on(condition, n, seed, law)
    except NoPointsFound:
        return torch.empty(0, len(points.domain.coordinates), device=points.device, dtype=points.dtype)


# ---- Gauge: components that are defined up to a constant, such as a pressure, have zero mean at fixed points


GAUGE_POINTS, GAUGE_SEED = 16, 104729  # fixed points at which the mean is taken


def fix_gauge(solution: Callable[[Tensor], Tensor], statement: StrongForm, points: Tensor) -> Tensor:
    """Values at points (n, k); from a component that is known only up to a constant, its mean over the anchors at the
    same time is subtracted."""
    values = solution(points)
    if not statement.defined_up_to_constant:
        return values
    space = len(statement.domain.space)
    gauge_points = PointSampler(statement.domain, points.device, points.dtype).inside(GAUGE_POINTS, GAUGE_SEED)[
        :, :space
    ]
    at_gauge_points = torch.cat(
        [gauge_points.repeat(len(points), 1), points[:, space:].repeat_interleave(GAUGE_POINTS, 0)], 1
    )  # each anchor at the time of each point
    means = solution(at_gauge_points).reshape(len(points), GAUGE_POINTS, -1).mean(1)
    is_free = [c in statement.defined_up_to_constant for c in range(len(statement.components))]
    return values - means * torch.tensor(is_free, device=values.device)
