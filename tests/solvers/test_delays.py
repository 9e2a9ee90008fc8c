"""Delay equations and Volterra equations over time against closed forms."""

from __future__ import annotations

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
