"""Strong forms of systems and irregular domains, compared with derivations by hand."""

from __future__ import annotations

from sympy import Symbol, simplify, sqrt

from pdedsl.compiler import to_analysis, to_spec
from pdedsl.diagnostics import Source
from pdedsl.ir.boundary import LevelSet
from pdedsl.ir.problem import StrongForm
from pdedsl.lowering.strong_form import lower

X, Y = (Symbol(name, real=True) for name in "xy")


def strong_form(text: str) -> StrongForm:
    return lower(to_analysis(to_spec(Source(text))))


def shown(statement: StrongForm) -> list[str]:
    return [str(r.expr.expand()) for r in statement.equations]


def test_navier_stokes() -> None:
    found = strong_form(
        "pde NS\nspace (x, y) in [0, 1]^2\ntime t in [0, 1]\nunknown u(x, y, t) : vector\nunknown p(x, y, t) : scalar\n"
        "∂u/∂t + (u·∇)u = -∇p + 2Δu\n∇·u = 0\nu = 0 on left, right, bottom\nu = [1, 0] on top\nu(x, y, 0) = 0\n"
    )
    assert shown(found) == [
        "p_x + u_1*u_1_x + u_1_t - 2*u_1_xx + u_1_y*u_2 - 2*u_1_yy",
        "p_y + u_1*u_2_x + u_2*u_2_y + u_2_t - 2*u_2_xx - 2*u_2_yy",
        "u_1_x + u_2_y",
    ]


def test_equations_for_single_components() -> None:
    found = strong_form(
        "pde S\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : vector(2)\n∂u₁/∂t = ∂²u₂/∂x²\n"
        "∂u₂/∂t = -∂²u₁/∂x²\nu = 0 on boundary\nu₁(x, 0) = sin(π x)\nu₂(x, 0) = 0\n"
    )
    assert shown(found) == ["u_1_t - u_2_xx", "u_1_xx + u_2_t"]
    assert [r.expr.subs(X, 0.5) for c in found.conditions[2:] for r in c.residuals] == [
        Symbol("u_1", real=True) - 1,
        Symbol("u_2", real=True),
    ]


def test_outer_normal_of_a_hole() -> None:
    found = strong_form(
        "pde H\nspace (x, y) in [-1, 1]^2 where x² + y² > 1/4\nunknown u(x, y) : scalar\nΔu = 4\n"
        "u = x² + y² on left, right, bottom, top\n∂u/∂n = -1 on 1 = 4x² + 4y²\nexact u = x² + y²\n"
    )
    hole = found.conditions[-1]
    assert isinstance(hole.place, LevelSet)
    assert hole.place.expr.subs({X: 0, Y: 0}) < 0
    slopes = {Symbol("u_x", real=True): 2 * X, Symbol("u_y", real=True): 2 * Y}
    residual = hole.residuals[0].expr.subs(slopes)
    assert abs(simplify(residual.subs(Y, sqrt(1 / 4 - X**2))).subs(X, 0.3).evalf()) < 1e-12
    assert found.exact == (X**2 + Y**2,)
