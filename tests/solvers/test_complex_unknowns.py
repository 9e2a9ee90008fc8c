"""Complex unknowns against exact solutions: Schrödinger, nonlinear Schrödinger, Ginzburg-Landau, Helmholtz."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

import pdedsl

PERIODIC = "pde P\nspace x in [-π, π] periodic\ntime t in [0, 1]\nunknown ψ(x, t) : complex\n"

PROBLEMS = {
    "free particle": f"{PERIODIC}i ∂ψ/∂t = -½Δψ\nψ(x, 0) = exp(2i x)\nexact ψ = exp(i (2x - 2t))\n",
    "harmonic oscillator": (
        "pde P\nspace x in [-8, 8] periodic\ntime t in [0, 1]\nunknown ψ(x, t) : complex\n"
        "i ∂ψ/∂t = -½Δψ + ½ x² ψ\nψ(x, 0) = exp(-x²/2)\n"
        "exact ψ = exp(-x²/2 - i t/2)\n"
    ),
    "square well": (
        "pde P\nspace x in [0, π]\ntime t in [0, 1]\nunknown ψ(x, t) : complex\ni ∂ψ/∂t = -½Δψ\n"
        "ψ(x, 0) = sin(x) + i sin(2x)\nψ = 0 on boundary\nexact ψ = sin(x) exp(-i t/2) + i sin(2x) exp(-2i t)\n"
    ),
    "plane wave of the nonlinear equation": (
        f"{PERIODIC}i ∂ψ/∂t = -½Δψ + |ψ|²ψ\nψ(x, 0) = 2 exp(i x)\nexact ψ = 2 exp(i (x - 9/2 t))\n"
    ),
    "Ginzburg-Landau": (
        f"{PERIODIC}const α = 2\nconst β = -1/2\n∂ψ/∂t = 2ψ + (1 + α i) Δψ - (1 + β i) |ψ|²ψ\n"
        "ψ(x, 0) = exp(i x)\nexact ψ = exp(i (x - (α + β) t))\n"
    ),
    "two components": (
        "pde P\nspace x in [-π, π] periodic\ntime t in [0, 1]\nunknown ψ(x, t) : vector(2), complex\n"
        "i ∂ψ₁/∂t = -Δψ₁ + ‖ψ‖²ψ₁\ni ∂ψ₂/∂t = -Δψ₂ + ‖ψ‖²ψ₂\nψ₁(x, 0) = exp(i x)\nψ₂(x, 0) = 2 exp(-i x)\n"
        "exact ψ₁ = exp(i (x - 6t))\nexact ψ₂ = 2 exp(-i (x + 6t))\n"
    ),
    "radiation condition": (
        "pde P\nspace x in [0, 1]\nunknown u(x) : complex\nconst k = 5\nΔu + k² u = 0\nu = 1 on left\n"
        "∂u/∂n = i k u on right\nexact u = exp(i k x)\nsolve { tolerance 1e-9 }\n"
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_exact_solution(name: str) -> None:
    solution = pdedsl.solve(pdedsl.load(PROBLEMS[name]))
    assert solution.error.value < 1e-4  # the default tolerance; w.r.t. the exact solution


def test_values_are_complex() -> None:
    solution = pdedsl.solve(pdedsl.load(PROBLEMS["free particle"]))
    points = torch.tensor([[0.3, 0.0], [1.0, 0.5], [-2.0, 1.0]], dtype=torch.float64)
    expected = torch.exp(1j * (2 * points[:, :1] - 2 * points[:, 1:]))
    values = solution(points)
    assert values.dtype is torch.complex128
    assert values.shape == (3, 1)
    assert (values - expected).abs().max() < 1e-12  # rounding errors of 16 coefficients


def soliton(points: Tensor, speed: float) -> Tensor:
    """sech(x - vt) exp(i (vx + (1 - v²) t/2)) solves i ∂ψ/∂t = -½Δψ - |ψ|²ψ (Zakharov and Shabat 1972)."""
    x, t = points.unbind(-1)
    return torch.exp(1j * (speed * x + (1 - speed**2) * t / 2)) / torch.cosh(x - speed * t)


def test_soliton() -> None:
    text = (
        "pde P\nspace x in [-20, 20] periodic\ntime t in [0, 1]\nunknown ψ(x, t) : complex\n"
        "i ∂ψ/∂t = -½Δψ - |ψ|²ψ\nψ(x, 0) = exp(i π/10 x)/cosh(x)\nsolve { tolerance 1e-6 }\n"
    )
    solution = pdedsl.solve(pdedsl.load(text))
    x, t = torch.meshgrid(torch.linspace(-8, 8, 41), torch.linspace(0, 1, 5), indexing="ij")
    points = torch.stack((x.flatten(), t.flatten()), -1).double()
    error = (solution(points)[:, 0] - soliton(points, np.pi / 10)).abs().max()
    assert error < 1e-5  # ten times the tolerance; the tails at ±20 are 4e-9


def test_mass_is_conserved() -> None:
    text = f"{PERIODIC}i ∂ψ/∂t = -½Δψ + cos(x) ψ + |ψ|²ψ\nψ(x, 0) = 1 + ½ exp(i x)\nsolve {{ tolerance 1e-6 }}\n"
    solution = pdedsl.solve(pdedsl.load(text))
    x = torch.arange(64, dtype=torch.float64) * 2 * torch.pi / 64 - torch.pi
    mass = [solution(torch.stack((x, torch.full_like(x, t)), -1)).abs().square().mean() for t in (0.0, 0.5, 1.0)]
    assert [float(m) for m in mass] == pytest.approx([1.25] * 3, rel=2e-6)  # 1 + ¼, to twice the tolerance


def test_grid_and_elements_agree() -> None:
    text = (
        "pde P\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : complex\n-Δu + i u = 1\nu = 0 on boundary\n"
        "realize equation by {}\n"
    )
    grid, elements = (pdedsl.solve(pdedsl.load(text.format(m))) for m in ("grid(n=32)", "elements(order=3)"))
    points = torch.rand((50, 2), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    values = grid(points)
    assert (values - elements(points)).norm() / values.norm() < 1e-4  # the tolerance of both
    assert values.imag.abs().max() > 1e-3


def test_measurements_of_real_and_imaginary_part(tmp_path: Path) -> None:
    t = np.linspace(0, 1, 20)
    x = np.linspace(-3, 3, 20)
    values = np.exp(1j * (x - 0.35 * t))
    np.savez(tmp_path / "points.npz", x=x, t=t, ψ_re=values.real, ψ_im=values.imag)
    spec = tmp_path / "inverse.pde"
    spec.write_text(
        f"{PERIODIC}learn a : scalar > 0 = 1\ni ∂ψ/∂t = -a Δψ\nψ(x, 0) = exp(i x)\n"
        'observe ψ from npz("points.npz")\nrealize equation by random_features(n=200)\n',
        "utf-8",
    )
    assert pdedsl.solve(spec).parameters["a"].value == pytest.approx(0.35, abs=1e-4)
