"""What Brownian paths do within a step, against the laws of Brownian motion itself.

Seeds are fixed; a test fails by chance once in 10,000 (four standard deviations) or less.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest
import torch
from torch import Tensor

from pdedsl.runtime.sde.absorbed_reflected_paths import first_hitting_fraction, hits_level, local_time

ROWS = 40_000
NEAR, VARIANCE = torch.tensor(0.7, dtype=torch.float64), torch.tensor(1.3, dtype=torch.float64)


def ends(generator: torch.Generator) -> Tensor:
    return NEAR + VARIANCE.sqrt() * torch.randn(ROWS, dtype=torch.float64, generator=generator)


def uniform(generator: torch.Generator) -> Tensor:
    return torch.rand(ROWS, dtype=torch.float64, generator=generator)


@pytest.mark.parametrize("s", [0.1, 0.3, 0.6, 1.0])
def test_first_times_have_the_law_of_the_reflection_principle(s: float) -> None:
    """P(τ ≤ s) = 2Φ(-near/√(s·variance)), though only the end of the step was drawn."""
    generator = torch.Generator().manual_seed(3)
    far = ends(generator)
    hit = hits_level(NEAR, far, VARIANCE, uniform(generator))
    normal = torch.randn(ROWS, dtype=torch.float64, generator=generator)
    when = torch.where(hit, first_hitting_fraction(NEAR, far, VARIANCE, normal, uniform(generator)), math.inf)
    expected = 2 * NormalDist().cdf(-0.7 / math.sqrt(1.3 * s))
    assert abs((when <= s).double().mean() - expected) < 4 * math.sqrt(expected * (1 - expected) / ROWS)


def test_a_path_without_noise_meets_the_level_where_the_line_does() -> None:
    near, far, nothing = (torch.tensor(v, dtype=torch.float64) for v in (0.2, -0.6, 0.0))
    half = torch.tensor(0.5, dtype=torch.float64)
    assert hits_level(near, far, nothing, half)
    assert not hits_level(near, -far, nothing, half)
    assert abs(first_hitting_fraction(near, far, nothing, half, half) - 0.25) < 1e-12


def test_reflection_has_the_law_of_the_absolute_value() -> None:
    """X + L is |B| in law: mean and second moment."""
    generator = torch.Generator().manual_seed(5)
    far = ends(generator)
    there = far + local_time(NEAR, far, VARIANCE, uniform(generator))
    assert there.min() >= 0
    sigma = math.sqrt(1.3)
    mean = sigma * math.sqrt(2 / math.pi) * math.exp(-0.49 / 2.6) + 0.7 * math.erf(0.7 / math.sqrt(2.6))
    assert abs(there.mean() - mean) < 4 * there.std() / math.sqrt(ROWS)
    square = there.square()
    assert abs(square.mean() - (1.3 + 0.49)) < 4 * square.std() / math.sqrt(ROWS)
