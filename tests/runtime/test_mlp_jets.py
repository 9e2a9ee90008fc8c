"""Streams of derivatives against nested automatic ones and finite differences."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdedsl.runtime.basis.random_features import CoordinateBox
from pdedsl.runtime.diff.mlp_jets import (
    DerivativeRequest,
    JetNetwork,
    ReflectionSymmetry,
    faa_di_bruno_terms,
    per_sample_gradients,
)

SIDES = CoordinateBox(torch.tensor([0.5, 1.0]).double(), torch.tensor([0.5, 2.0]).double(), torch.tensor([False, True]))
POINTS = torch.rand(6, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
ORDERS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (3, 0), (2, 1), (1, 2), (4, 0), (2, 2), (0, 4))


MIRRORS = (None, ReflectionSymmetry(0, (1, -1)), ReflectionSymmetry(1, (-1, -1)))


def network(name: str = "tanh", mirror: ReflectionSymmetry | None = None) -> JetNetwork:
    return JetNetwork(SIDES, 5, 3, 2, name, 0, mirror)


def nested(net: JetNetwork, orders: tuple[int, ...], output: int) -> Tensor:
    x = POINTS.clone().requires_grad_()
    value = net(x)[:, output]
    for k, order in enumerate(orders):
        for _ in range(order):
            value = torch.autograd.grad(value.sum(), x, create_graph=True)[0][:, k]
    return value


@pytest.mark.parametrize("mirror", MIRRORS)
@pytest.mark.parametrize("name", ["tanh", "sin", "sigmoid", "softplus"])
def test_all_derivatives_are_those_of_nested_autograd(name: str, mirror: ReflectionSymmetry | None) -> None:
    net, wanted = network(name, mirror), DerivativeRequest(ORDERS)
    streams, _ = net.jets(POINTS, wanted)
    for orders in ORDERS:
        for output in (0, 1):
            expected = nested(net, orders, output)
            assert torch.allclose(streams[wanted.place[orders], :, output], expected, rtol=1e-10, atol=1e-10), orders


def test_derivatives_are_limits_of_differences() -> None:
    """Central differences of fourth order in h err by h⁴/30 of the fifth derivative: with h = 1e-3 below 1e-9."""
    net, h = network(), 1e-3
    step = torch.tensor([h, 0.0]).double()
    far, near = net(POINTS + 2 * step) - net(POINTS - 2 * step), net(POINTS + step) - net(POINTS - step)
    streams, _ = net.jets(POINTS, DerivativeRequest(((1, 0),)))
    assert torch.allclose(streams[1], (8 * near - far) / (12 * h), atol=1e-9)


@pytest.mark.parametrize("mirror", MIRRORS)
def test_an_operator_is_the_sum_of_its_parts_with_coefficients_that_vary(mirror: ReflectionSymmetry | None) -> None:
    net, parts = network(mirror=mirror), ((2, 0), (1, 1), (0, 2), (0, 1))
    coefficients = torch.randn(6, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    wanted = DerivativeRequest(((0, 0),), (parts,))
    streams, _ = net.jets(POINTS, wanted, (coefficients,))
    expected = sum(coefficients[:, k] * nested(net, o, 0) for k, o in enumerate(parts))
    assert torch.allclose(streams[-1, :, 0], expected, rtol=1e-10, atol=1e-10)  # type: ignore[arg-type]
    assert len(streams) == 4


@pytest.mark.parametrize("mirror", MIRRORS)
def test_gradients_of_rows_are_gradients_of_single_points(mirror: ReflectionSymmetry | None) -> None:
    net, wanted = network(mirror=mirror), DerivativeRequest(((0, 0), (1, 0)), (((0, 2),),))
    streams, layers = net.jets(POINTS, wanted, (torch.ones(6, 1).double(),))
    values = streams[0, :, 0] * streams[1, :, 1] + streams[-1, :, 0]
    slopes = per_sample_gradients(values, layers)
    pairs = [p for pair in zip(net.weights, net.biases, strict=True) for p in pair]
    for n in range(6):
        single = torch.autograd.grad(values[n], pairs, retain_graph=True)
        assert torch.allclose(slopes[n], torch.cat([g.flatten() for g in single]), atol=1e-12)


@pytest.mark.parametrize("name", ["tanh", "sin", "softplus"])
def test_gradients_by_the_weights_are_those_of_nested_autograd(name: str) -> None:
    net, parts = network(name, MIRRORS[-1]), ((2, 0), (1, 1), (0, 1))
    coefficients = torch.randn(6, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    streams, _ = net.jets(POINTS, DerivativeRequest(((0, 0), (1, 0)), (parts,)), (coefficients,))
    operator = sum(coefficients[:, k] * nested(net, o, 0) for k, o in enumerate(parts))
    losses = (
        (streams[0, :, 0] * streams[1, :, 0] + streams[-1, :, 0]).square().sum(),
        (nested(net, (0, 0), 0) * nested(net, (1, 0), 0) + operator).square().sum(),
    )
    found, expected = (torch.autograd.grad(loss, list(net.parameters())) for loss in losses)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-10)


def test_a_periodic_coordinate_has_the_same_value_a_period_on() -> None:
    assert torch.allclose(network()(POINTS + torch.tensor([0.0, 4.0])), network()(POINTS), atol=1e-12)


def test_the_formula_of_faa_di_bruno_counts_partitions() -> None:
    """Bell's numbers 1, 2, 5, 15: the partitions of a set of one to four elements."""
    assert [sum(c for c, _, _ in faa_di_bruno_terms((n,))) for n in (1, 2, 3, 4)] == [1, 2, 5, 15]
    assert sum(c for c, _, _ in faa_di_bruno_terms((2, 2))) == 15


def test_a_reflection_symmetry_makes_outputs_even_or_odd() -> None:
    image = POINTS * torch.tensor([-1.0, 1.0]).double() + torch.tensor([1.0, 0.0]).double()
    net = network(mirror=ReflectionSymmetry(0, (1, -1)))
    assert torch.allclose(net(image), net(POINTS) * torch.tensor([1.0, -1.0]).double(), rtol=1e-12, atol=1e-12)
