"""Elasticity and flow in stress form against exact solutions, on grids and elements."""

from __future__ import annotations

import pytest
import torch

import pdedsl

LAME = "const λ = 1\nconst μ = 1/2\nlet ε = sym(∇u)\nlet σ = λ tr(ε) I + 2μ ε\n"
PLATE = (
    f"pde Plate\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : vector\n{LAME}"
    "-∇·σ = [π² (λ + 3μ) sin(π x) sin(π y), -π² (λ + μ) cos(π x) cos(π y)]\nu = 0 on boundary\n"
    "exact u = [sin(π x) sin(π y), 0]\n"
)
# σ = [[1, 0], [0, 0]] for the strain (1/E, -ν/E) with E = μ(3λ + 2μ)/(λ + μ) of plane strain, by Hooke's law:
# ε₁ = (λ + 2μ)/(4μ(λ + μ)) = 2/3, ε₂ = -λ/(4μ(λ + μ)) = -1/3.
TENSION = (
    f"pde Tension\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : vector\n{LAME}∇·σ = 0\n"
    "u = [0, -1/3 y] on left\nσ·n = 0 on bottom, top\nσ·n = [1, 0] on right\nexact u = [2/3 x, -1/3 y]\n"
)


@pytest.mark.parametrize("method", ["grid(n=20)", "elements(order=3)"])
def test_manufactured_displacement(method: str) -> None:
    solution = pdedsl.solve(pdedsl.load(f"{PLATE}realize equation by {method}\n"))
    assert solution.error.value < 1e-4  # the default tolerance


def test_uniaxial_tension() -> None:
    solution = pdedsl.solve(pdedsl.load(f"{TENSION}realize equation by grid(n=12)\n"))
    points = torch.rand((40, 2), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    expected = points * torch.tensor([2 / 3, -1 / 3], dtype=torch.float64)
    assert (solution(points) - expected).abs().max() < 1e-9  # a polynomial of degree one, up to rounding


def test_taylor_green_vortex_in_stress_form() -> None:
    text = (
        "pde Flow\nspace (x, y) in [0, 2π]^2 periodic\ntime t in [0, 1]\nunknown u(x, y, t) : vector\n"
        "unknown p(x, y, t) : scalar\nconst ν = 1/10\n∂u/∂t + u·∇u = ∇·(-p I + ν (∇u + ∇uᵀ))\n∇·u = 0\n"
        "u(x, y, 0) = [sin(x) cos(y), -cos(x) sin(y)]\n"
        "exact u = [sin(x) cos(y) exp(-2ν t), -cos(x) sin(y) exp(-2ν t)]\n"
        "exact p = ¼ (cos(2x) + cos(2y)) exp(-4ν t)\nrealize equation by grid(n=16)\n"
    )
    assert pdedsl.solve(pdedsl.load(text)).error.value < 1e-4  # the default tolerance


def test_vector_potential() -> None:
    """∇×∇×A = J with ∇·A = 0 on a periodic box: -ΔA = J."""
    text = (
        "pde Potential\nspace (x, y, z) in [0, 2π]^3 periodic\nunknown A(x, y, z) : vector\n"
        "∇×∇×A - ∇(∇·A) + A = [2 sin(y), 2 sin(z), 2 sin(x)]\nexact A = [sin(y), sin(z), sin(x)]\n"
        "realize equation by grid(n=8)\n"
    )
    assert pdedsl.solve(pdedsl.load(text)).error.value < 1e-10  # a single Fourier mode
