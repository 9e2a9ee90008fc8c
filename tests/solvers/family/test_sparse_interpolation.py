"""Adaptive sparse interpolation at Leja points: polynomials, closed forms, moments."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import exp, pi, sqrt

import pytest
import torch
from torch import Tensor

from pdedsl.solvers.family.approximation import gauss_quadrature
from pdedsl.solvers.family.sparse_interpolation import SparseInterpolant, hierarchical_basis, leja_points

Function = Callable[[Tensor], Tensor]  # (n, d) to (n, m)


def refined(f: Function, normal: tuple[bool, ...], tolerance: float) -> SparseInterpolant:
    """The interpolant whose margin has surpluses below a tolerance."""
    own = SparseInterpolant(normal)
    while True:
        for index in list(own.missing()):
            own.add(index, f(torch.tensor([own.node(index)], dtype=torch.float64))[0])
        if own.largest_surplus() <= tolerance:
            return own
        own.activate()


@pytest.mark.parametrize("normal", [False, True])
def test_leja_points_are_distinct_and_start_at_zero(normal: bool) -> None:
    points = leja_points(40, normal)
    assert points[0] == 0
    assert min(abs(a - b) for k, a in enumerate(points) for b in points[:k]) > 1e-3
    assert leja_points(20, normal) == points[:20]
    assert normal or max(map(abs, points)) == 1


@pytest.mark.parametrize("normal", [False, True])
def test_hierarchical_basis_is_triangular_at_its_points(normal: bool) -> None:
    points = torch.tensor(leja_points(12, normal), dtype=torch.float64)
    table = hierarchical_basis(points, 12, normal)
    assert torch.equal(table.diagonal(), torch.ones(12, dtype=torch.float64))
    assert not table.triu(1).any()


def test_polynomials_are_reproduced_by_as_many_points_as_monomials() -> None:
    def f(y: Tensor) -> Tensor:
        return torch.stack([1 + y[:, 0] ** 2 * y[:, 1], y[:, 1] ** 3 - 2 * y[:, 0]], 1)

    own = SparseInterpolant((False, True))
    indices = [(i, j) for i, j in product(range(4), repeat=2) if i + j <= 3]
    for index in sorted(indices, key=sum):
        own.add(index, f(torch.tensor([own.node(index)], dtype=torch.float64))[0])
    y = torch.rand(50, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64) * 2 - 1
    assert (own(y) - f(y)).abs().max() < 1e-12  # rounding
    values = f(torch.tensor([own.node(i) for i in own.indices], dtype=torch.float64))
    assert (own.weights(y) @ values - f(y)).abs().max() < 1e-12


def test_refinement_is_anisotropic_and_accurate() -> None:
    def f(y: Tensor) -> Tensor:
        return torch.exp(y[:, :1]) / (4 + 0.1 * y[:, 1:])

    own = refined(f, (False, False), 1e-9)
    y = torch.rand(200, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64) * 2 - 1
    assert ((own(y) - f(y)) / f(y)).abs().max() < 1e-8
    assert max(i[0] for i in own.indices) > 2 * max(i[1] for i in own.indices)


def test_moments_of_an_exponential_have_closed_forms() -> None:
    """u = exp(0.3 ξ + y), ξ normal and y uniform on [-1, 1]."""
    own = refined(lambda y: torch.exp(0.3 * y[:, :1] + y[:, 1:]), (True, False), 1e-11)
    center = torch.zeros(2, dtype=torch.float64)
    rules = (gauss_quadrature(True), gauss_quadrature(False))
    surpluses = torch.stack(own.surpluses)[:, 0]
    mean = float(own.mean_basis(center, rules) @ surpluses)
    second = float(surpluses @ own.product_basis(center, rules) @ surpluses)
    assert mean == pytest.approx(exp(0.045) * (exp(1) - exp(-1)) / 2, rel=1e-9)
    assert second == pytest.approx(exp(0.18) * (exp(2) - exp(-2)) / 4, rel=1e-8)
    fixed = float(own.mean_basis(torch.tensor([0.0, 0.5], dtype=torch.float64), (rules[0], None)) @ surpluses)
    assert fixed == pytest.approx(exp(0.045 + 0.5), rel=1e-9)


def test_quadrature_of_a_normal_variable() -> None:
    nodes, weights = gauss_quadrature(True)
    assert float(weights @ nodes**4) == pytest.approx(3, rel=1e-12)
    assert float(weights @ torch.cos(nodes)) == pytest.approx(exp(-0.5), rel=1e-12)
    assert sqrt(2 * pi) * float(weights @ nodes) == pytest.approx(0, abs=1e-12)
