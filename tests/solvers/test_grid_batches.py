"""Batches of parameter values in one grid solve: the single solutions, and their gradients."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdedsl.config.methods import Grid
from pdedsl.solvers.method_result import SolverResult
from tests.solvers.problems import solve_by_grid
from tests.solvers.test_grid import stated

LEARNED = "learn ν : scalar > 0\nlearn a : scalar\n"
RING = "pde A\nspace x in [0, 1] periodic\ntime t in [0, 0.02]\nunknown u(x, t) : scalar\n" + LEARNED
START = "u(x, 0) = a sin(2π x) + cos(4π x)\n"
SQUARE = "pde A\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n" + LEARNED
TEXTS = {
    "Burgers": (RING + "∂u/∂t + u ∂u/∂x = ν Δu\n" + START, 12),
    "a wave": (RING + "∂²u/∂t² = ν Δu\n∂u/∂t(x, 0) = 0\n" + START, 8),
    "forced": (RING + "∂u/∂t = ν Δu + sin(t) cos(2π x) + a\n" + START, 8),
    "cubic, stationary": (SQUARE + "ν Δu = u³ + a\nu = 0 on boundary\n", 8),
}
POINTS = torch.tensor([[0.3, 0.02], [0.7, 0.01]], dtype=torch.float64)
ONES = torch.tensor([0.1, 0.02], dtype=torch.float64), torch.tensor([0.5, 2.0], dtype=torch.float64)


def solved(name: str, ν: Tensor, a: Tensor) -> SolverResult:
    text, n = TEXTS[name]
    return solve_by_grid(stated(text), Grid(n=n), parameter_values={"ν": ν, "a": a})


def value_and_gradients(name: str, ν: Tensor, a: Tensor) -> tuple[Tensor, Tensor]:
    """u of every solution at the points, and the gradients of its sums by both numbers, (2, …)."""
    ν, a = ν.clone().requires_grad_(), a.clone().requires_grad_()
    values = solved(name, ν, a)(POINTS)
    return values.detach(), torch.stack(torch.autograd.grad(values.sum(), (ν, a)))


@pytest.mark.parametrize("name", TEXTS)
def test_a_batch_has_the_single_solutions_and_their_gradients(name: str) -> None:
    values, slopes = value_and_gradients(name, *ONES)
    assert values.shape == (2, 2, 1)
    for k in range(2):
        value, slope = value_and_gradients(name, *(v[k] for v in ONES))
        torch.testing.assert_close(values[k], value, rtol=0, atol=1e-8)
        torch.testing.assert_close(slopes[:, k], slope, rtol=1e-7, atol=1e-7)


def test_metrics_are_maxima_over_the_batch() -> None:
    """The batch shares its steps, and its error is at least that of the solution with the thinnest layer."""
    both, worse = solved("Burgers", *ONES), solved("Burgers", *(v[1] for v in ONES))
    assert both.metrics["error"] >= 0.9 * worse.metrics["error"]


def test_batch_sizes_must_agree() -> None:
    with pytest.raises(ValueError, match="2 for ν, 3 for a"):
        solved("Burgers", ONES[0], torch.ones(3, dtype=torch.float64))
