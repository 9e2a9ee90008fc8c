"""Fractional Laplacians on periodic boxes against closed forms, which the compiler checks too."""

from __future__ import annotations

from math import pi

import pytest
import torch
from scipy.special import iv

import pdedsl
from pdedsl.runtime.fractional import fractional_laplacian
from pdedsl.solvers.error_estimate import Verdict

CIRCLE = "space x in [0, 2π] periodic\n"
TIME = "time t in [0, 1]\n"
U = "unknown u(x, t) : scalar\n"
PROBLEMS = {
    "decay of a mode": (
        f"{CIRCLE}{TIME}{U}∂u/∂t = -(-Δ)^(3/4) u\nu(x, 0) = sin(2x)\nexact u = exp(-2^(3/2) t) sin(2x)\n"
    ),
    "two powers and transport": (
        f"{CIRCLE}{TIME}{U}∂u/∂t + 2 ∂u/∂x = -(-Δ)^½ u - ½ (-Δ)^(1/4) u\nu(x, 0) = cos(4x)\n"
        "exact u = exp(-5t) cos(4(x - 2t))\n"
    ),
    "power above one, with growth": (
        f"{CIRCLE}{TIME}{U}∂u/∂t = -Δu - (-Δ)^(3/2) u\nu(x, 0) = 1 + sin(3x)\nexact u = 1 + exp(-18t) sin(3x)\n"
    ),
    "nonlinear": (
        f"{CIRCLE}{TIME}{U}∂u/∂t = -(-Δ)^½ u + u ∂u/∂x + exp(-t) (2 sin(3x) - exp(-t) 3/2 sin(6x))\nu(x, 0) = sin(3x)\n"
        "exact u = exp(-t) sin(3x)\n"
    ),
    "stationary": f"{CIRCLE}unknown u(x) : scalar\n(-Δ)^½ u = cos(3x)\nexact u = cos(3x)/3\n",
    "with reaction in the plane": (
        "space (x, y) in [0, 2π]² periodic\nunknown u(x, y) : scalar\n(-Δ)^(1/3) u + u = sin(x) cos(2y)\n"
        "exact u = sin(x) cos(2y)/(1 + 5^(1/3))\n"
    ),
    "of a derivative": (
        f"{CIRCLE}{TIME}{U}∂u/∂t = -(-Δ)^½ (u + ∂u/∂x)\nu(x, 0) = sin(x)\nexact u = exp(-t) sin(x - t)\n"
    ),
    "wave": (f"{CIRCLE}{TIME}{U}∂²u/∂t² = -(-Δ)^½ u\nu(x, 0) = sin(4x)\n∂u/∂t(x, 0) = 0\nexact u = cos(2t) sin(4x)\n"),
    "Schrödinger equation": (
        f"{CIRCLE}{TIME}unknown ψ(x, t) : complex\ni ∂ψ/∂t = (-Δ)^(3/4) ψ\nψ(x, 0) = exp(2 i x)\n"
        "exact ψ = exp(2 i x - i 2^(3/2) t)\n"
    ),
    "another period": (
        f"space x in [0, 1] periodic\n{TIME}{U}∂u/∂t = -(1/√(2π)) fraclap(1/4, u)\nu(x, 0) = cos(2π x)\n"
        "exact u = exp(-t) cos(2π x)\n"
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_closed_form(name: str) -> None:
    solution = pdedsl.solve(f"pde P\n{PROBLEMS[name]}solve {{\n  tolerance 1e-8\n}}\n")
    assert solution.verdict is Verdict.HOLDS
    assert solution.error.value < 1e-8


def test_spellings_are_one_language() -> None:
    texts = (
        f"pde P\n{CIRCLE}{TIME}{U}∂u/∂t = -{operator}\nu(x, 0) = sin(x)\n"
        for operator in ("(-Δ)^(3/4) u", "( - Δ )^¾ u", "(-lap)^0.75 u", "fraclap(3/4, u)")
    )
    assert len({pdedsl.compile(text).spec.hash for text in texts}) == 1


@pytest.mark.parametrize("operator", ["(-Δ)^½ u", "(-Δ)^(5/3) (u + 2)", "2(-Δ)^s u", "(-Δ)^¾ (∂u/∂x)"])
def test_format_is_a_fixed_point(operator: str) -> None:
    text = f"pde P\n{CIRCLE}{TIME}{U}const s = 1/3\n∂u/∂t = -{operator}\nu(x, 0) = sin(x)\n"
    unicode, ascii = pdedsl.format(text), pdedsl.format(text, ascii=True)
    assert f"∂u/∂t = -{operator}\n" in unicode
    assert "fraclap(" in ascii
    assert ascii.isascii()
    assert pdedsl.format(ascii) == pdedsl.format(unicode) == unicode
    assert pdedsl.format(unicode, ascii=True) == ascii


def test_latex() -> None:
    text = f"pde P\n{CIRCLE}{TIME}{U}∂u/∂t = -(-Δ)^(3/4) u\nu(x, 0) = sin(x)\n"
    assert r"(-\Delta)^{\tfrac{3}{4}} u" in pdedsl.compile(text).spec.latex


def test_generic_function_by_its_symbol() -> None:
    """exp(cos x) = Σ Iₖ(1) cos(kx), by the modified Bessel functions."""
    x = torch.linspace(0, 6, 7, dtype=torch.float64)[:, None]
    values = fractional_laplacian(lambda p: torch.exp(p[:, 0].cos()), x, 0.5, [2 * pi])
    series = sum(2 * k * float(iv(k, 1.0)) * torch.cos(k * x[:, 0]) for k in range(1, 20))
    assert float((values - series).abs().max()) < 1e-12


def test_emitted_residual_vanishes_for_the_exact_solution() -> None:
    scope: dict[str, object] = {}
    exec(pdedsl.compile(f"pde P\n{PROBLEMS['decay of a mode']}").python(), scope)  # our own generated code
    points = torch.rand(9, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    residual = scope["residual_1"](scope["exact"], points)  # type: ignore[operator]
    assert float(residual.detach().abs().max()) < 1e-9
