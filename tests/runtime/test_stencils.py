"""θ ↔ β, other resolutions, and kernels as text."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
import torch
from texts import built, changed, light
from torch import Tensor, nn
from torch.nn import functional

from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.runtime.stencils import ORDERS, as_operator, coefficients, kernel, transfer_weights
from pdedsl.runtime.symmetric_layer import SymmetricLayer

FIVE_POINT = torch.tensor([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]], dtype=torch.float64)
PAPERS = torch.tensor([0.0, 0, 0, -1, -1, 0, 0, 0, 0], dtype=torch.float64)


def _prolong(theta: Tensor, h: float, new_h: float) -> Tensor:
    """The kernel of the same operator on a grid of another mesh size."""
    return kernel(coefficients(theta, h), new_h)


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


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_kernel_that_is_not_finite_says_so(value: float) -> None:
    theta = FIVE_POINT.clone()
    theta[0, 2] = value
    assert as_operator(theta, 1.0) == "not finite"


def test_text_of_a_trained_kernel_names_all_terms() -> None:
    text = as_operator(torch.randn(3, 3), 1 / 32)
    for name in ("∂x", "∂y", "∂x²∂y²", "∂x∂y"):
        assert name in text


def test_prolongation_keeps_the_operator() -> None:
    theta = torch.randn(2, 3, 3, 3, dtype=torch.float64)
    fine = _prolong(theta, 1 / 16, 1 / 32)
    assert torch.allclose(coefficients(fine, 1 / 32), coefficients(theta, 1 / 16), rtol=1e-10)
    assert torch.allclose(_prolong(fine, 1 / 32, 1 / 16), theta, rtol=1e-12)


def test_prolongation_of_a_smooth_image() -> None:
    """The same operator on the image at twice the resolution gives nearly the same values at the common points."""
    beta = torch.tensor([0.5, 0.3, -0.2, -0.1, -0.05, 0.02, 0, 0, 0], dtype=torch.float64)
    results = []
    for n in (33, 65):
        grid = torch.linspace(0, 1, n, dtype=torch.float64)
        image = torch.sin(2 * grid[:, None] + grid)[None, None]
        theta = _prolong(kernel(beta, 1 / 32), 1 / 32, 1 / (n - 1))
        results.append(functional.conv2d(image, theta[None, None], padding=1)[0, 0])
    coarse, fine = results[0][1:-1, 1:-1], results[1][::2, ::2][1:-1, 1:-1]
    assert (coarse - fine).abs().max() < 2e-3


def _network(text: str) -> nn.Module:
    """With weights and statistics that are not those of a new network."""
    module = built(text)
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.3)
    return module


@pytest.mark.parametrize("name", ["parabolic", "hamiltonian", "monotone", "revnet"])
@pytest.mark.parametrize("factor", [2.0, 0.5, 3.0])
def test_transfer_to_another_resolution_and_back(name: str, factor: float) -> None:
    coarse = light(name)
    fine = changed(coarse, ("8, 8)", "24, 24)"))
    weights = _network(coarse).state_dict()
    there = transfer_weights(weights, built(fine), factor)
    back = transfer_weights(there, built(coarse), 1 / factor)
    built(fine).load_state_dict(there)
    moved = [key for key, value in weights.items() if not torch.equal(value, there[key])]
    assert moved == [key for key, value in weights.items() if value.dim() == 4 and value.shape[-1] == 3]
    for key, value in weights.items():
        assert there[key].dtype == back[key].dtype == value.dtype
        assert torch.allclose(back[key], value, rtol=0, atol=1e-13), key


def test_precision_is_kept_at_home() -> None:
    theta = torch.randn(2, 2, 3, 3)
    module = nn.Conv2d(2, 2, 3, bias=False)
    there = transfer_weights({"weight": theta}, module, 2.0)
    assert there["weight"].dtype == torch.float32
    assert torch.allclose(transfer_weights(there, module, 0.5)["weight"], theta, rtol=0, atol=1e-6)


def _error(theta: Tensor, h: float) -> float:
    """Of -Δ sin(x + 2y) = 5 sin(x + 2y) on a mesh of width h."""
    grid = torch.arange(round(4 / h), dtype=torch.float64) * h
    image = torch.sin(grid + 2 * grid[:, None])[None, None]
    return float((functional.conv2d(image, theta) - 5 * image[..., 1:-1, 1:-1]).abs().max())


def test_the_papers_laplacian_is_the_laplacian_on_every_mesh() -> None:
    """-Δ of the coarse mesh, carried to meshes 4, 8 and 16 times as fine: the same operator, errors of order two."""
    module, coarse = nn.Conv2d(1, 1, 3, bias=False).double(), kernel(-PAPERS, 1.0)[None, None]
    there = {factor: transfer_weights({"weight": coarse}, module, factor)["weight"] for factor in (4.0, 8.0, 16.0)}
    assert {as_operator(theta[0, 0], 1 / factor) for factor, theta in there.items()} == {"−Δ"}
    errors = [_error(theta, 1 / factor) for factor, theta in there.items()]
    assert [math.log2(a / b) for a, b in pairwise(errors)] == pytest.approx([2, 2], abs=0.1)


@pytest.mark.parametrize("factor", [0.5, 2.0, 4.0])
def test_the_five_point_laplacian_agrees_to_second_order(factor: float) -> None:
    """It is -Δ up to terms of the order h² of the mesh from which it comes, on that mesh and on others."""
    module, errors = nn.Conv2d(1, 1, 3, bias=False).double(), []
    for h in (1 / 8, 1 / 16, 1 / 32):
        there = transfer_weights({"weight": -FIVE_POINT[None, None] / h**2}, module, factor)
        errors.append(_error(there["weight"], h / factor))
    assert [math.log2(a / b) for a, b in pairwise(errors)] == pytest.approx([2, 2], abs=0.1)


@pytest.mark.parametrize(("along_y", "along_x"), [(1.0, 2.0), (2.0, 1.0), (3.0, 0.5)])
def test_each_axis_has_its_own_factor(along_y: float, along_x: float) -> None:
    """A product of one-dimensional stencils changes along each axis by the mesh of that axis."""
    module = nn.Conv2d(1, 1, 3, bias=False).double()
    slope, curve = (torch.tensor(row, dtype=torch.float64) for row in ([-0.5, 0, 0.5], [-1.0, 2, -1]))
    there = transfer_weights({"weight": torch.outer(slope, curve)[None, None]}, module, (along_y, along_x))["weight"][
        0, 0
    ]
    assert torch.allclose(there, torch.outer(along_y * slope, along_x**2 * curve), rtol=1e-14)


def test_equal_factors_are_one_factor() -> None:
    module = nn.Conv2d(2, 3, 3, bias=False)
    one, two = (transfer_weights(module.state_dict(), module, factor) for factor in (2.0, (2.0, 2.0)))
    assert torch.equal(one["weight"], two["weight"])
    assert torch.equal(one["weight"], _prolong(module.weight.detach().double(), 1.0, 0.5).float())


def test_weights_that_cannot_be_transferred_are_errors() -> None:
    module = nn.Conv2d(1, 1, 3, bias=False)
    with pytest.raises(ValueError, match="'weight' is missing"):
        transfer_weights({}, module, 2.0)
    with pytest.raises(ValueError, match="'bias' is not part"):
        transfer_weights({"weight": torch.ones(1, 1, 3, 3), "bias": torch.ones(1)}, module, 2.0)
    with pytest.raises(ValueError, match=r"'weight' has the shape \(1, 1, 5, 5\), not \(1, 1, 3, 3\)"):
        transfer_weights({"weight": torch.ones(1, 1, 5, 5)}, module, 2.0)
    with pytest.raises(ValueError, match="positive, not 0"):
        transfer_weights(module.state_dict(), module, 0)
    with pytest.raises(ValueError, match="positive, not -1"):
        transfer_weights(module.state_dict(), module, (2.0, -1.0))
    large = SymmetricLayer(ConvOperator(2, size=5))
    with pytest.raises(ValueError, match="'operator' has kernels of 5 pixels"):
        transfer_weights(large.state_dict(), large, 2.0)


def test_stencil_calculus_is_differentiable() -> None:
    theta = torch.randn(2, 3, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda t: coefficients(t, 0.5), theta)
    assert torch.autograd.gradcheck(
        lambda b: kernel(b, 0.5), torch.randn(2, 9, dtype=torch.float64, requires_grad=True)
    )
