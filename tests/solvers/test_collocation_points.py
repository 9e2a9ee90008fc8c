"""Collocation points in domains, on faces and on surfaces."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from sympy import Expr

from pdedsl.ir.boundary import ConditionResidual, Face, LevelSet
from pdedsl.ir.problem import Domain
from pdedsl.runtime.sampling import NoPointsFound, PointDistribution
from pdedsl.solvers.collocation_points import PointSampler, sample_conditions

from .problems import on_line, on_square, stated

POISSON = on_square("Δu = 1\nu = 0 on boundary\n")
X, Y = POISSON.domain.coordinates
DISC = 1 - X**2 - Y**2
HOLE = (X - 0.3) ** 2 + Y**2 - 0.01


def shaped(*inside: Expr) -> Domain:
    return replace(POISSON.domain, inequalities=inside)


def on(place: Face | LevelSet, *part: Expr) -> ConditionResidual:
    return replace(POISSON.conditions[0], place=place, part=part)


def test_interior_points_of_a_curved_domain() -> None:
    points = PointSampler(shaped(DISC, HOLE)).inside(2000, 0)
    assert points.shape == (2000, 2)
    assert float(points.norm(dim=-1).max()) < 1
    assert float((points - torch.tensor([0.3, 0.0], dtype=torch.float64)).norm(dim=-1).min()) > 0.1
    assert abs(float((points[:, 0] > 0).double().mean()) - (0.5 - 0.01) / 0.99) < 0.01


def test_points_on_part_of_a_face() -> None:
    points = PointSampler(POISSON.domain).on(on(Face(0, True), Y - 0.5), 100, 0)
    assert torch.equal(points[:, 0], torch.ones(100).double())
    assert float(points[:, 1].min()) > 0.5


def test_points_on_a_surface_are_in_the_closed_domain() -> None:
    points = PointSampler(shaped(DISC, HOLE, X)).on(on(LevelSet(HOLE)), 100, 0)
    assert float((points - torch.tensor([0.3, 0.0], dtype=torch.float64)).norm(dim=-1).sub(0.1).abs().max()) < 1e-9
    half = PointSampler(shaped(DISC, X)).on(on(LevelSet(DISC)), 100, 0)
    assert float(half[:, 0].min()) >= -1e-9
    assert float(half.norm(dim=-1).sub(1).abs().max()) < 1e-9


def test_projection_onto_a_moving_surface_keeps_the_time() -> None:
    statement = on_line("∂u/∂t = ∂²u/∂x²\nu(x, 0) = 0\nu = 0 on boundary\n")
    x, t = statement.domain.coordinates
    moving = replace(statement.conditions[0], place=LevelSet(x - t / 2))
    points = PointSampler(statement.domain).on(moving, 64, 0)
    assert float((points[:, 0] - points[:, 1] / 2).abs().max()) < 1e-12
    assert float(points[:, 1].max()) > 0.9


def test_the_face_of_an_interval_is_a_single_point() -> None:
    statement = replace(POISSON, domain=Domain((X,), POISSON.domain.intervals[:1], has_time=False))
    assert PointSampler(statement.domain).on(on(Face(0, False)), 50, 0).tolist() == [[-1.0]]


def test_points_of_an_equation_on_a_time_interval() -> None:
    statement = on_line("∂u/∂t = ∂²u/∂x²\nu(x, 0) = 0\nu = 0 on boundary\n")
    half = statement.domain.intervals[0].end / 2
    points = PointSampler(statement.domain).inside(64, 0, during=(half, half + half))
    assert float(points[:, 1].min()) >= 0.5


def test_points_depend_only_on_the_seed() -> None:
    points = PointSampler(shaped(DISC))
    assert torch.equal(points.inside(50, 1), points.inside(50, 1))
    assert not torch.equal(points.inside(50, 1), points.inside(50, 2))


def test_empty_domains_and_conditions_are_errors() -> None:
    with pytest.raises(NoPointsFound):
        PointSampler(shaped(-1 - X**2)).inside(10, 0)
    away = replace(POISSON.conditions[0], place=LevelSet(X - 3))
    with pytest.raises(NoPointsFound, match="empty set"):
        sample_conditions(PointSampler(POISSON.domain), [away], 10, 0)


def test_a_condition_may_have_no_points_on_some_faces() -> None:
    """The half plane x > 0 contains no point of the left face."""
    found = sample_conditions(PointSampler(shaped(X - 0.1)), POISSON.conditions, 10, 0)
    assert [len(x) for x in found] == [0, 10, 10, 10]


def test_conditions_at_both_ends_of_an_interval() -> None:
    """A face of one dimension has no other coordinates to draw, whatever their law."""
    statement = stated("pde A\nspace x in [2, 5]\nunknown u(x) : scalar\n∂²u/∂x² = 1\nu = 0 on boundary\n")
    found = [
        PointSampler(statement.domain).on(c, 4, 0, law).tolist()
        for c in statement.conditions
        for law in PointDistribution
    ]
    assert found == [[[2.0]]] * len(PointDistribution) + [[[5.0]]] * len(PointDistribution)
