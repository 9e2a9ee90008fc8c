"""Damped steps against the least-squares problem that they solve, with fewer and with more rows than weights."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdedsl.runtime.linalg import levenberg_marquardt_steps


def direct(slopes: Tensor, residual: Tensor, shift: Tensor, before: Tensor) -> Tensor:
    """min ‖Jδ + r‖² + λ‖δ - δ₀‖², as one problem with more rows."""
    root = shift.sqrt()
    matrix = torch.cat([slopes, root * torch.eye(slopes.shape[1], dtype=slopes.dtype)])
    return torch.linalg.lstsq(matrix, torch.cat([-residual, root * before])[:, None]).solution[:, 0]


@pytest.mark.parametrize("rows", [5, 30])
def test_steps_solve_the_damped_problem(rows: int) -> None:
    generator = torch.Generator().manual_seed(rows)
    slopes, residual, before = (
        torch.randn(*shape, dtype=torch.float64, generator=generator) for shape in ((rows, 12), (rows,), (12,))
    )
    gram = slopes @ slopes.T if rows < 12 else slopes.T @ slopes
    starts = [torch.zeros_like(before), before]
    found = list(levenberg_marquardt_steps(slopes, residual, [1e-6, 0.3], starts))
    assert [damping for damping, _ in found] == [1e-6, 1e-6, 0.3, 0.3]
    for k, (damping, step) in enumerate(found):
        expected = direct(slopes, residual, damping * gram.diagonal().mean(), starts[k % 2])
        assert torch.allclose(step, expected, rtol=1e-6, atol=1e-8)


def test_a_damping_that_rounding_makes_useless_is_left_out() -> None:
    slopes = torch.ones(3, 2, dtype=torch.float64)
    nothing = [torch.zeros(2, dtype=torch.float64)]
    assert not list(levenberg_marquardt_steps(slopes, slopes[:, 0], [-1e-3], nothing))
