"""Weak forms as text."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import pdedsl
from pdedsl.cli import cli

POISSON = "pde P\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            POISSON + "-∇·((1 + x) ∇u) + u = x y\nu = y on left, right\n∂u/∂n + 2 u = 3 on bottom\n∂u/∂n = 0 on top\n",
            "find u with\n  u = y at x = 0, at x = 1\nsuch that\n"
            "  ∫ (x + 1) ∇u·∇v + (-x y + u) v dx + ∫ (2 x u - 3 x + 2 u - 3) v ds (at y = 0) = 0 "
            "for all v with v = 0 at x = 0, at x = 1\n",
        ),
        (
            POISSON + "-Δu = 2\n∂u/∂n = -½ on boundary\n",
            "find u with\n  ∫ u dx = 0\nsuch that\n"
            "  ∫ ∇u·∇v - 2 v dx + ∫ ½ v ds (at x = 0, at x = 1, at y = 0, at y = 1) = 0 for all v\n",
        ),
        (
            "pde W\nspace x in [0, 1]\ntime t in [0, 2]\nunknown u(x, t) : scalar\n∂²u/∂t² = 4 ∂²u/∂x²\n"
            "u(x, 0) = sin(π x)\n∂u/∂t(x, 0) = 0\nu = 0 on boundary\n",
            "find u, u_t with\n  u = 0 at x = 0, at x = 1\n  u_t = 0 at x = 0, at x = 1\n"
            "  u = sin(π x) at t = 0\n  u_t = 0 at t = 0\nsuch that\n"
            "  ∫ ∂u/∂t δu - u_t δu dx = 0 for all δu with δu = 0 at x = 0, at x = 1\n"
            "  ∫ ∂u_t/∂t δu_t + 4 ∂u/∂x ∂δu_t/∂x dx = 0 for all δu_t with δu_t = 0 at x = 0, at x = 1\n",
        ),
        (
            "pde S\nspace (x, y) in [0, 1]^2\nunknown v(x, y) : vector(2)\nunknown p(x, y) : scalar\n"
            "-∇p + Δv = [y, 0]\n∇·v = 0\nv = [0, 0] on left, top, bottom\np = 2 on right\n",
            "find v₁, v₂, p with\n  v₁ = 0 at x = 0, at y = 0, at y = 1\n  v₂ = 0 at x = 0, at y = 0, at y = 1\n"
            "such that\n  ∫ -∇v₁·∇δv₁ + p ∂δv₁/∂x - y δv₁ dx + ∫ -2 δv₁ ds (at x = 1) = 0 "
            "for all δv₁ with δv₁ = 0 at x = 0, at y = 0, at y = 1\n"
            "  ∫ -∇v₂·∇δv₂ + p ∂δv₂/∂y dx = 0 for all δv₂ with δv₂ = 0 at x = 0, at y = 0, at y = 1\n"
            "  ∫ (∂v₁/∂x + ∂v₂/∂y) δp dx = 0 for all δp\n",
        ),
    ],
    ids=["conditions of every kind", "Neumann", "wave", "Stokes with an outlet"],
)
def test_emitted_weak_form(text: str, expected: str) -> None:
    done = CliRunner().invoke(cli, ["compile", "--emit", "weak", "-"], input=text)
    assert done.exit_code == 0, done.output
    assert done.stdout == expected


def test_explanation_has_the_weak_form() -> None:
    explanation = pdedsl.explain(POISSON + "-Δu = 1\nu = 0 on boundary\n")
    assert "∫ ∇u·∇v - v dx = 0 for all v" in str(explanation)
    assert "∫ ∇u·∇v - v dx = 0 for all v" in str(explanation.as_dict()["weak_form"])
    assert "Weak form" not in str(pdedsl.explain("kdv"))


def test_no_weak_form_is_an_error() -> None:
    done = CliRunner().invoke(cli, ["compile", "--emit", "weak", "kdv"])
    assert done.exit_code == 1
    assert "elements are not applicable" in done.output
