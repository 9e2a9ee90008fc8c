"""Number of initial and boundary conditions: problems decided on paper, with the expected error codes."""

from __future__ import annotations

import pytest

from pdedsl.api import parse
from pdedsl.compiler import check_spec
from pdedsl.diagnostics import PdeError

LINE = "pde A\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
ROD = "pde A\nspace x in [0, 1]\nunknown u(x) : scalar\n"
SQUARE = "pde A\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n"
START = "u(x, 0) = sin(π x)\n"
AIRY, THERE, BACK = "∂u/∂t + ∂³u/∂x³ = 0\n", "∂u/∂t + (x - ½) ∂u/∂x = 0\n", "∂u/∂t - (x - ½) ∂u/∂x = 0\n"
DIAGONAL = "∂u/∂x + ∂u/∂y = u\n"


def harmonic(u: str) -> str:
    """Fractions whose second derivatives cancel, without being equal when multiplied out."""
    return f"Δu = 0\nu = {u} on boundary\nexact u = {u}\n"


STATEMENTS = [
    (LINE + "∂u/∂t = ∂²u/∂x²\n" + START + "u = 0 on left\n∂u/∂x = 0 on right\n", ""),
    (LINE + "∂u/∂t = ∂²u/∂x²\n" + START + "u = 0 on left\n", "E417"),
    (LINE + "∂u/∂t = ∂²u/∂x²\n" + START + "u = 0 on boundary\n∂u/∂x = 0 on left\n", "E413"),
    (LINE + "∂u/∂t = -∂²u/∂x²\n" + START + "u = 0 on boundary\n", "E418"),
    (LINE + "∂u/∂t = -∂²u/∂x²\nu(x, 1) = sin(π x)\nu = 0 on boundary\n", ""),
    (LINE + "∂²u/∂t² = ∂²u/∂x²\n" + START + "u = 0 on boundary\n", "E416"),
    (LINE + THERE + START, ""),
    (LINE + "∂u/∂t + cos(2t) ∂u/∂x = 0\n" + START + "u = 0 on left\n", "E417"),
    (LINE + "∂u/∂t + cos(2t) ∂u/∂x = 0\n" + START + "u = 0 on boundary\n", ""),
    (LINE + "∂u/∂t + cos(t) ∂u/∂x = 0\n" + START + "u = 0 on left\n", ""),
    (LINE + THERE + START + "u = 0 on left\n", "E422"),
    (LINE + BACK + START + "u = 0 on boundary\n", ""),
    (LINE + BACK + START + "u = 0 on left\n", "E417"),
    (LINE + AIRY + START + "u = 0 on boundary\n∂u/∂x = 0 on right\n", ""),
    (LINE + AIRY + START + "u = 0 on boundary\n∂u/∂x = 0 on left\n", "E413 E417"),
    (LINE + "∂u/∂t = -∂⁴u/∂x⁴\n" + START + "u = 0 on boundary\n", "E417"),
    (ROD + "∂u/∂x = u\nu = 1 on right\n", ""),
    (ROD + "∂u/∂x = u\nu = 1 on boundary\n", "E422"),
    (SQUARE + "∂u/∂x = u\nu = y on left\n", ""),
    (SQUARE + "∂u/∂x = u\nu = y on left, right\n", "E422"),
    (SQUARE + "∂u/∂x = x\n", "E417"),
    (SQUARE + "unknown v(x, y) : scalar\n∂u/∂x = x\nΔv = 0\nv = 0 on boundary\n", "E417"),
    (SQUARE + "unknown v(x, y) : scalar\n∂u/∂x = ∂v/∂y\n∂u/∂y = -∂v/∂x\nv = x on boundary\n", ""),
    (SQUARE + "u³ + u = x\n", ""),
    (SQUARE + "learn k : scalar >= 0 = 0\nΔu = k\nu = 0 on boundary\n", "E314"),
    (SQUARE + DIAGONAL + "u = 1 on right, top\n", ""),
    (SQUARE + DIAGONAL + "u = 1 on left, top\n", "E417"),
    (SQUARE + "∂²u/∂x² + ∂²u/∂x∂y + ∂²u/∂y² = 0\nu = 0 on boundary\n", ""),
    (SQUARE + "∂²u/∂x² + 3 ∂²u/∂x∂y + ∂²u/∂y² = 0\nu = 0 on boundary\n", "E418"),
    (SQUARE + "Δu + 100u = 1\nu = 0 on boundary\n", ""),
    (SQUARE + "Δu = 0\nu = x on boundary\nexact u = x + 1e-3 y\n", "E443"),
    (SQUARE + harmonic("log((x + 1)² + (y + 1)²)/log(25)"), ""),
    (SQUARE + harmonic("(x + 1)/((x + 1)² + (y + 1)²)"), ""),
    (SQUARE + harmonic("(x + 1)³/((x + 1)² + (y + 1)²)³ - 3 (x + 1) (y + 1)²/((x + 1)² + (y + 1)²)³"), ""),
    (SQUARE + harmonic("x/((x + 1)² + (y + 1)²)"), "E443"),
]


@pytest.mark.parametrize(("text", "code"), STATEMENTS)
def test_conditions_are_counted(text: str, code: str) -> None:
    try:
        found = [d.code for d in check_spec(parse(text)).diagnostics if d.is_error]
    except PdeError as error:
        found = [d.code for d in error.diagnostics]
    assert {str(c) for c in found} == set(code.split())
