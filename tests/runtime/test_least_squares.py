"""Least squares of many columns: without pivots where that is as good, with them where columns depend on each other."""

import torch

from pdedsl.runtime.linalg import MIN_COLUMNS_UNPIVOTED, solve_least_squares


def test_many_columns_leave_a_residual_at_right_angles() -> None:
    generator = torch.Generator().manual_seed(0)
    a = torch.randn(MIN_COLUMNS_UNPIVOTED + 200, MIN_COLUMNS_UNPIVOTED, dtype=torch.float64, generator=generator)
    b = torch.randn(len(a), dtype=torch.float64, generator=generator)
    left = a @ solve_least_squares(a, b) - b
    assert float((a.T @ left).norm()) < 1e-11 * float(a.norm() * left.norm())


def test_dependent_columns_reproduce_their_span() -> None:
    """Columns that stand twice: the triangle without pivots is singular."""
    generator = torch.Generator().manual_seed(1)
    half = torch.randn(
        MIN_COLUMNS_UNPIVOTED + 100, MIN_COLUMNS_UNPIVOTED // 2, dtype=torch.float64, generator=generator
    )
    a, b = torch.cat([half, half], 1), half.sum(1)
    found = solve_least_squares(a, b)
    assert float((a @ found - b).norm()) < 1e-10 * float(b.norm())
    assert float(found.norm()) < 1e6
