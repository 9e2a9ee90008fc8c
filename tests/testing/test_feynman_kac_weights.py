"""Feynman-Kac weights of the reference and of the operator, compared with exact solutions."""

from __future__ import annotations

from math import cos, exp, expm1, sin

import numpy as np
import pytest
import torch

import pdedsl
from pdedsl.compiler import Compilation
from pdedsl.testing.model import under_test
from pdedsl.testing.operators import evolution_of
from pdedsl.testing.path_segments import operator_segments
from pdedsl.testing.paths import PathEndpoints, process_of
from testing.small_specs import known

POINT = (0.6, -0.4)


def arrived(compilation: Compilation, paths: int = 1) -> PathEndpoints:
    model = under_test(compilation)
    start = np.repeat(np.array([POINT]), paths, 0)
    return process_of(model, {}).simulate(start, operator_segments(model), np.random.default_rng(3))


def found(compilation: Compilation) -> float:
    """u of the operator for the data 1."""
    model = under_test(compilation)
    flow = evolution_of(model, model.operator(0, {}, 64, 0))
    return float(flow(lambda y: torch.ones_like(y[..., 0]), torch.tensor([POINT], dtype=torch.float64), 1.0))


@pytest.mark.parametrize("motion", ["0.04 Δu", "v·∇u", "v·∇u + 0.04 Δu"])
@pytest.mark.parametrize(("c", "f"), [(0.5, 0.3), (-2.0, 1.0), (0.0, 0.7), (0.8, 0.0)])
def test_constant_reaction_and_source(motion: str, c: float, f: float) -> None:
    """u' = cu + f from u = 1: e^{ct} + f(e^{ct} - 1)/c, on every path, for the data 1."""
    way = "realize diffusion by noise(samples=8)" if "Δ" in motion else ""
    steps = "realize time by euler(steps=4)" if "v" in motion else ""
    declared = "let v(x, y, t) = [cos(y + 4 t), sin(2 x)]" if "v" in motion else ""
    compilation = pdedsl.compile(known(f"∂u/∂t = {motion} + ({c}) u + {f}", f"{way}\n{steps}", declared))
    exact = exp(c) + f * (expm1(c) / c if c else 1.0)
    assert arrived(compilation, 5).value(np.ones(5)) == pytest.approx(exact, rel=1e-12)
    assert found(compilation) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(("steps", "error"), [(4, 3e-5), (8, 2e-6)])
def test_weight_along_a_circle(steps: int, error: float) -> None:
    """X' = (-X₂, X₁), so that ∫c = ∫X₁ = x sin 1 + y(cos 1 - 1); RK4 gains a factor 16 from half the step."""
    text = known("∂u/∂t = v·∇u + x u", f"realize time by rk4(steps={steps})", "let v(x, y) = [-y, x]")
    compilation = pdedsl.compile(text)
    exact = POINT[0] * sin(1.0) + POINT[1] * (cos(1.0) - 1.0)
    assert float(arrived(compilation).log_weight[0]) == pytest.approx(exact, abs=error)
    assert found(compilation) == pytest.approx(exp(exact), abs=2 * error)
    assert found(compilation) == pytest.approx(exp(float(arrived(compilation).log_weight[0])), rel=1e-12)


def test_weight_along_a_random_path() -> None:
    """c = x along x + √(2ν)B: ∫c is normal, and its trapezoidal sum has the variance 2ν Σ (Σ_{j≥k} w_j)² h with its
    weights w. The mean e^{x + ½Var} over 40000 paths to 5 standard errors, one false alarm in 1.7·10⁶."""
    n, nu, paths = 4, 0.3, 40_000
    text = known(
        f"∂u/∂t = x² ∂u/∂y + {nu} ∂²u/∂x² + x u", f"realize time by euler(steps={n})\nrealize diffusion by noise"
    )
    values = arrived(pdedsl.compile(text), paths).value(np.ones(paths))
    weights = np.array([*[1.0] * (n - 1), 0.5]) / n
    variance = 2.0 * nu / n * float((weights[::-1].cumsum() ** 2).sum())
    assert variance == pytest.approx(2.0 * nu / 3.0, rel=0.05)  # of the integral itself
    mean = exp(POINT[0] + variance / 2)
    assert abs(values.mean() - mean) < 5 * values.std() / paths**0.5
