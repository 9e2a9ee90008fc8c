"""Points of boxes: even, repeatable, and where they are asked for."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdedsl.runtime.sampling import (
    NoPointsFound,
    PointDistribution,
    SamplingBox,
    project_to_level_set,
    rejection_sample,
)

BOX = SamplingBox(torch.tensor([-1.0, 0.0]).double(), torch.tensor([1.0, 3.0]).double(), (False, False))


@pytest.mark.parametrize("law", PointDistribution)
def test_points_are_in_the_box_and_depend_on_the_seed(law: PointDistribution) -> None:
    points = BOX.source(law, 3)(500)
    assert points.dtype == torch.float64
    assert bool(((points >= BOX.low) & (points <= BOX.high)).all())
    assert torch.equal(points, BOX.source(law, 3)(500))
    assert not torch.equal(points, BOX.source(law, 4)(500))


def test_sobol_points_integrate_better_than_random_ones() -> None:
    """∫∫ x² y over [-1, 1] × [0, 3] is 3: uniform points err by about 0.1 at 2,048."""
    points = BOX.source(PointDistribution.SOBOL, 0)(2048)
    assert abs(6 * float((points[:, 0] ** 2 * points[:, 1]).mean()) - 3) < 2e-3


def test_chebyshev_points_have_the_density_of_the_arcsine_and_joined_sides_none_of_it() -> None:
    box = SamplingBox(BOX.low, BOX.high, (False, True))
    points = box.source(PointDistribution.CHEBYSHEV, 0)(4096)
    assert abs(float((points[:, 0].abs() > 0.5**0.5).double().mean()) - 0.5) < 5e-3
    assert abs(float((points[:, 1] > 2).double().mean()) - 1 / 3) < 5e-3


def test_rejection_sampling_continues_until_there_are_enough_points() -> None:
    found = rejection_sample(BOX.source(PointDistribution.UNIFORM, 0), lambda x: x.square().sum(-1) < 0.01, 50)
    assert found.shape == (50, 2)
    assert float(found.norm(dim=-1).max()) < 0.1


def test_nothing_is_an_error() -> None:
    with pytest.raises(NoPointsFound):
        rejection_sample(BOX.source(PointDistribution.SOBOL, 0), lambda x: x[:, 0] > 2, 5)


def test_newton_arrives_on_a_surface_and_says_where_it_does_not() -> None:
    def ring(x: Tensor) -> Tensor:
        return (x[:, 0] - 0.3) ** 2 + x[:, 1] ** 2 - 0.01

    points, arrived = project_to_level_set(ring, BOX.source(PointDistribution.SOBOL, 0)(200), torch.ones(2).double())
    assert bool(arrived.all())
    assert float((points - torch.tensor([0.3, 0.0], dtype=torch.float64)).norm(dim=-1).sub(0.1).abs().max()) < 1e-9
    _, none = project_to_level_set(
        lambda x: x[:, 0] ** 2 + 1, BOX.source(PointDistribution.SOBOL, 0)(20), torch.ones(2).double()
    )
    assert not bool(none.any())
