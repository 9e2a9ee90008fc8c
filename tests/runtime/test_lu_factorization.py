"""Matrices that are factored once."""

from __future__ import annotations

import torch

from pdedsl.runtime.linalg import LUFactorization


def test_a_matrix_with_a_row_of_zeros_is_solved_by_the_least_norm() -> None:
    """As the derivative of (∂u/∂x)² = 1 at u = 0: elimination ends at a zero pivot, which is no error."""
    matrix = torch.tensor([[2.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]], dtype=torch.float64)
    found = LUFactorization.of(matrix)
    assert found.singular
    right = torch.tensor([4.0, 2.0, 0.0], dtype=torch.float64)
    torch.testing.assert_close(found.solve(right), torch.tensor([2.0, 1.0, 1.0], dtype=torch.float64))
