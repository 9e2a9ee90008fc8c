"""θ ↔ β, other resolutions, and kernels as text."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from pdedsl.runtime.blocks import parabolic_block
from pdedsl.runtime.integrators import Euler, Steps
from pdedsl.runtime.stencils import ORDERS, as_operator, coefficients, kernel, prolong, prolong_weights

FIVE_POINT = torch.tensor([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]], dtype=torch.float64)
PAPERS = torch.tensor([0.0, 0, 0, -1, -1, 0, 0, 0, 0], dtype=torch.float64)


@pytest.mark.parametrize("h", [1.0, 0.5, 1 / 28, 1 / 32])
def test_round_trip(h: float) -> None:
    theta = torch.randn(4, 5, 3, 3, dtype=torch.float64)
    assert torch.allclose(kernel(coefficients(theta, h), h), theta, rtol=0, atol=1e-14 * float(theta.abs().max()))
    # A natural β has effects of the same size on the grid; then it returns to round-off too.
    beta = torch.randn(4, 5, 9, dtype=torch.float64) * torch.tensor([h ** (x + y) for x, y in ORDERS])
    assert torch.allclose(coefficients(kernel(beta, h), h), beta, rtol=1e-11, atol=0)


def test_round_trip_is_exact_where_numbers_are() -> None:
    theta = torch.randint(-64, 64, (50, 3, 3)).double() / 16
    for h in (1.0, 0.25, 2.0):
        assert torch.equal(kernel(coefficients(theta, h), h), theta)


def test_the_papers_matrix_along_x() -> None:
    """Rows of [β₁/4, β₂/2h, β₃/h²] times [1 2 1], [−1 0 1], [−1 2 −1], averaged along y."""
    h = 0.5
    for place, row in ((0, [0.25, 0.5, 0.25]), (1, [-1.0, 0.0, 1.0]), (3, [-4.0, 8.0, -4.0])):
        beta = torch.zeros(9)
        beta[place] = 1
        expected = torch.outer(torch.tensor([0.25, 0.5, 0.25]), torch.tensor(row))
        assert torch.equal(kernel(beta, h), expected)


def _symbolically(x: Tensor, y: Tensor) -> dict[tuple[int, int], Tensor]:
    """The derivatives of sin(x + 2y) that β₁ … β₉ stand for."""
    waves = (torch.sin, torch.cos, lambda a: -torch.sin(a), lambda a: -torch.cos(a))
    return {(a, b): 2**b * waves[(a + b) % 4](x + 2 * y) for a, b in ORDERS}


@pytest.mark.parametrize("place", range(9))
def test_coefficients_are_derivatives(place: int) -> None:
    """K applied to a smooth function is the operator to O(h²), for K a cross-correlation: [−1 2 −1]/h² is −∂²."""
    order, errors = ORDERS[place], []
    sign = (-1.0) ** ((order[0] == 2) + (order[1] == 2))
    for n in (32, 64):
        h = 1 / n
        beta = torch.zeros(9, dtype=torch.float64)
        beta[place] = 1
        grid = torch.arange(n, dtype=torch.float64) * h
        x, y = grid.expand(n, n), grid[:, None].expand(n, n)
        image = torch.sin(x + 2 * y)[None, None]
        result = functional.conv2d(image, kernel(beta, h)[None, None])[0, 0]
        errors.append((result - sign * _symbolically(x, y)[order][1:-1, 1:-1]).abs().max().item())
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.2)


def test_laplacians_print_as_laplacian() -> None:
    for h in (1.0, 0.5, 1 / 32, 0.1):
        assert as_operator(FIVE_POINT / h**2, h) == "Δ"
        assert as_operator(-FIVE_POINT / h**2, h) == "−Δ"
        assert as_operator(kernel(PAPERS, h), h) == "Δ"
    assert as_operator(FIVE_POINT.float() / 0.01, 0.1) == "Δ"


def test_kernels_as_text() -> None:
    delta = torch.zeros(3, 3, dtype=torch.float64)
    delta[1, 1] = 1
    right = torch.tensor([[0.0, 0, 0], [-0.5, 0, 0.5], [0, 0, 0]], dtype=torch.float64)
    assert as_operator(delta, 1.0) == "1"
    assert as_operator(torch.full((3, 3), 0.0), 1.0) == "0"
    assert as_operator(right, 1.0) == "∂x"
    assert as_operator(-right.T, 1.0) == "−∂y"
    assert as_operator(2 * delta - right + 0.5 * FIVE_POINT, 1.0) == "2 − ∂x + 0.5Δ"
    assert as_operator(torch.outer(torch.tensor([-0.5, 0, 0.5]), torch.tensor([-0.5, 0, 0.5])), 1.0) == "∂x∂y"
    second = torch.tensor([[0.0, 0, 0], [1, -2, 1], [0, 0, 0]])
    assert as_operator(second, 1.0) == "∂x²"
    assert as_operator(3 * second - second.T, 1.0) == "3∂x² − ∂y²"


def test_text_of_a_trained_kernel_names_all_terms() -> None:
    text = as_operator(torch.randn(3, 3), 1 / 32)
    for name in ("∂x", "∂y", "∂x²∂y²", "∂x∂y"):
        assert name in text


def test_prolongation_keeps_the_operator() -> None:
    theta = torch.randn(2, 3, 3, 3, dtype=torch.float64)
    fine = prolong(theta, 1 / 16, 1 / 32)
    assert torch.allclose(coefficients(fine, 1 / 32), coefficients(theta, 1 / 16), rtol=1e-10)
    assert torch.allclose(prolong(fine, 1 / 32, 1 / 16), theta, rtol=1e-12)


def test_prolongation_of_a_smooth_image() -> None:
    """The same operator on the image at twice the resolution gives nearly the same values at the common points."""
    beta = torch.tensor([0.5, 0.3, -0.2, -0.1, -0.05, 0.02, 0, 0, 0], dtype=torch.float64)
    results = []
    for n in (33, 65):
        grid = torch.linspace(0, 1, n, dtype=torch.float64)
        image = torch.sin(2 * grid[:, None] + grid)[None, None]
        theta = prolong(kernel(beta, 1 / 32), 1 / 32, 1 / (n - 1))
        results.append(functional.conv2d(image, theta[None, None], padding=1)[0, 0])
    coarse, fine = results[0][1:-1, 1:-1], results[1][::2, ::2][1:-1, 1:-1]
    assert (coarse - fine).abs().max() < 2e-3


def test_prolongation_of_a_network() -> None:
    block = parabolic_block(2, Euler(), Steps(0, 2, 2))
    before = [p.clone() for p in block.parameters()]
    prolong_weights(block, 1 / 16, 1 / 32)
    changed = [not torch.equal(a, b) for a, b in zip(before, block.parameters(), strict=True)]
    assert changed == [True, False, False] * 2


def test_stencil_calculus_is_differentiable() -> None:
    theta = torch.randn(2, 3, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda t: coefficients(t, 0.5), theta)
    assert torch.autograd.gradcheck(
        lambda b: kernel(b, 0.5), torch.randn(2, 9, dtype=torch.float64, requires_grad=True)
    )
