"""Delay equations and Volterra equations over time against closed forms."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import pdedsl
from pdedsl.compiler import check
from pdedsl.diagnostics import Source
from pdedsl.solvers.error_estimate import Verdict

PROBLEMS = {
    "method of steps": (
        "time t in [0, 3]\nunknown u(t) : scalar\n∂u/∂t = -u(t - 1)\nu(t) = 1 for t in [-1, 0]\n"
        "exact u = 1 - t + ½ max(t - 1, 0)² - 1/6 max(t - 2, 0)³\n"
    ),
    "characteristic root": (
        "time t in [0, 4]\nunknown u(t) : scalar\n∂u/∂t = -½ exp(-½) u(t - 1)\nu(t) = exp(-½ t) for t in [-1, 0]\n"
        "exact u = exp(-½ t)\n"
    ),
    "two delays": (
        "time t in [0, 2]\nunknown u(t) : scalar\n∂u/∂t = u(t - ½) - u(t - 1) + ½\nu(t) = t for t in [-1, 0]\n"
        "exact u = t\n"
    ),
    "incommensurate delays": (
        "time t in [0, 3]\nunknown u(t) : scalar\n∂u/∂t = u(t - 1) - u(t - √2) + 2 - √2\nu(t) = t for t in [-2, 0]\n"
        "exact u = t\n"
    ),
    "nonlinear": (
        "time t in [0, 6]\nunknown u(t) : scalar\n∂u/∂t = u (2 - u(t - π/2))/(2 + sin(t))\n"
        "u(t) = 2 + sin(t) for t in [-2, 0]\nexact u = 2 + sin(t)\n"
    ),
    "pantograph": (
        "time t in [0, 5]\nunknown u(t) : scalar\n∂u/∂t = -u + ½ u(t/2) - ½ exp(-t/2)\nu(0) = 1\nexact u = exp(-t)\n"
    ),
    "second order": (
        "time t in [0, 7]\nunknown u(t) : scalar\n∂²u/∂t² = u(t - π)\nu(t) = sin(t) for t in [-4, 0]\n∂u/∂t(0) = 1\n"
        "exact u = sin(t)\n"
    ),
    "system": (
        "time t in [0, 4]\nunknown u(t) : scalar\nunknown v(t) : scalar\n∂u/∂t = -v(t - π) - 2v\n∂v/∂t = u\n"
        "u(t) = cos(t) for t in [-4, 0]\nv(t) = sin(t) for t in [-4, 0]\nexact u = cos(t)\nexact v = sin(t)\n"
    ),
    "distributed delay": (
        "time t in [0, 3]\nunknown u(t) : scalar\n∂u/∂t = 3/2 - t + ∫_(t - 1)^t u(s) ds\nu(t) = t for t in [-1, 0]\n"
        "exact u = t\n"
    ),
    "memory": (
        "time t in [0, 5]\nunknown u(t) : scalar\n∂u/∂t + u = ∫₀ᵗ exp(s - t) u(s) ds\nu(0) = 1\n"
        "exact u = exp(-t) cosh(t)\n"
    ),
    "Volterra equation in time": (
        "time t in [0, 6]\nunknown u(t) : scalar\nu = t + ∫₀ᵗ (s - t) u(s) ds\nexact u = sin(t)\n"
    ),
    "nonlinear memory": (
        "time t in [0, 2]\nunknown u(t) : scalar\n∂u/∂t = 1 + u² - 2 ∫₀ᵗ u(s) ∂u/∂t(s) ds\nu(0) = 0\nexact u = t\n"
    ),
}


CIRCLE = "space x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
ROD = "space x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
IN_SPACE = {
    "mode on a circle": (
        f"{CIRCLE}∂u/∂t = (1/(4π²)) Δu - exp(-½) u(x, t - ½) + u\nu(x, t) = exp(-t) sin(2π x) for t in [-½, 0]\n"
        "exact u = exp(-t) sin(2π x)\n"
    ),
    "mode of a rod": (
        f"{ROD}∂u/∂t = (1/π²) Δu - exp(-½) u(x, t - ½) + u\nu(x, t) = exp(-t) sin(π x) for t in [-½, 0]\n"
        "u = 0 on boundary\nexact u = exp(-t) sin(π x)\n"
    ),
    "kinks at the delays": (
        f"{CIRCLE}∂u/∂t = (1/(4π²)) Δu + u - 2u(x, t - ½)\n"
        "u(x, t) = sin(2π x) for t in [-½, 0]\nexact u = (1 - 2t + 2max(t - ½, 0)²) sin(2π x)\n"
    ),
    "delayed diffusion": (
        f"{CIRCLE}∂u/∂t = (exp(-½)/(4π²)) ∂²u/∂x²(x, t - ½)\nu(x, t) = exp(-t) sin(2π x) for t in [-½, 0]\n"
        "exact u = exp(-t) sin(2π x)\n"
    ),
    "two delays and a source": (
        f"{CIRCLE}∂u/∂t = Δu + 4π² sin(2π x) + 1.2 + u(x, t - ½) - u(x, t - 0.3)\n"
        "u(x, t) = t + sin(2π x) for t in [-½, 0]\nexact u = t + sin(2π x)\n"
    ),
    "delayed logistic growth": (
        f"let w = exp(-t) cos(2π x)\n{CIRCLE}"
        "∂u/∂t = Δu + u (1 - u(x, t - ½)) + (4π² - 1) w + (2 + w) (1 + exp(½) w)\n"
        "u(x, t) = 2 + w for t in [-½, 0]\nexact u = 2 + w\n"
    ),
    "system": (
        f"{CIRCLE}unknown v(x, t) : scalar\n∂u/∂t = (1/(4π²)) Δu + exp(-½) v(x, t - ½) - v\n"
        "∂v/∂t = (1/(4π²)) Δv + 2exp(-½) u(x, t - ½) - v\nu(x, t) = exp(-t) sin(2π x) for t in [-½, 0]\n"
        "v(x, t) = 2exp(-t) sin(2π x) for t in [-½, 0]\nexact u = exp(-t) sin(2π x)\nexact v = 2exp(-t) sin(2π x)\n"
    ),
}


@pytest.mark.parametrize("name", IN_SPACE)
def test_closed_form_with_space(name: str) -> None:
    solution = pdedsl.solve(f"pde P\n{IN_SPACE[name]}solve {{\n  tolerance 1e-5\n}}\n")
    assert solution.verdict is Verdict.HOLDS
    assert solution.error.value < 1e-5


def test_saved_solution_with_a_delay(tmp_path: Path) -> None:
    solution = pdedsl.solve(f"pde P\n{IN_SPACE['mode on a circle']}", tmp_path / "run")
    again = pdedsl.Solution.open(tmp_path / "run")
    points = torch.tensor([[0.1, 0.2], [0.3, 0.5], [0.7, 0.9]], dtype=torch.float64)
    assert torch.equal(again(points), solution(points))


@pytest.mark.parametrize(
    ("equation", "history"),
    [
        ("∂²u/∂t² = Δu + u(x, t - ½)", "u(x, t) = 0 for t in [-½, 0]\n∂u/∂t(x, 0) = 0"),
        ("∂u/∂t = Δu + u(x, t/2)", "u(x, 0) = 0"),
        ("∂u/∂t = Δu + ∫₀ᵗ u(x, s) ds", "u(x, 0) = 0"),
        ("∂u/∂t = Δu + ∂u/∂t(x, t - ½)", "u(x, t) = 0 for t in [-½, 0]"),
        ("∂u/∂t = Δu + u(1 - x, t - ½)", "u(x, t) = 0 for t in [-½, 0]"),
    ],
)
def test_other_memory_in_space_is_refused(equation: str, history: str) -> None:
    assert [d.code for d in _diagnostics(f"pde P\n{CIRCLE}{equation}\n{history}\n")] == ["E613"]


@pytest.mark.parametrize("name", PROBLEMS)
def test_closed_form(name: str) -> None:
    solution = pdedsl.solve(pdedsl.load(f"pde P\n{PROBLEMS[name]}solve {{ tolerance 1e-10 }}\n"))
    assert solution.error.value < 1e-10, name
    assert solution.verdict is Verdict.HOLDS


def test_emitted_residual_uses_the_history() -> None:
    compilation = pdedsl.compile(pdedsl.load(f"pde P\n{PROBLEMS['method of steps']}"))
    scope: dict[str, object] = {}
    exec(compilation.python(), scope)  # our own generated code
    points = torch.linspace(0, 3, 13, dtype=torch.float64)[:, None]
    residual = scope["residual_1"](scope["exact"], points)  # type: ignore[operator]
    assert residual.abs().max() < 1e-12


INVALID = (
    ("u(t) = 1 for t in [-½, 0]", "E425"),
    ("u(0) = 1", "E425"),
    ("u(t) = 1 for t in [-1, 0]\nu(0) = 2", "E406"),
    ("u(t) = u(t - 1) for t in [-1, 0]", "E406"),
    ("u(t)² = 1 for t in [-1, 0]", "E406"),
)


@pytest.mark.parametrize(("history", "code"), INVALID)
def test_invalid_history(history: str, code: str) -> None:
    text = f"pde P\ntime t in [0, 3]\nunknown u(t) : scalar\n∂u/∂t = -u(t - 1)\n{history}\n"
    assert code in [d.code for d in _diagnostics(text)]


def test_future_values_are_an_error() -> None:
    text = "pde P\ntime t in [0, 3]\nunknown u(t) : scalar\n∂u/∂t = -u(t + 1)\nu(0) = 1\n"
    assert [d.code for d in _diagnostics(text)] == ["E425"]


def _diagnostics(text: str) -> tuple[pdedsl.Diagnostic, ...]:
    try:
        return check(Source(text)).errors
    except pdedsl.PdeError as error:
        return error.diagnostics
