"""Scale of the solution, estimated from the data."""

from __future__ import annotations

import pytest
from sympy import Expr, Integer, Rational

from pdedsl.problem.solution_scale import solution_scales
from tests.solvers.problems import on_line, on_square, stated

START = "u(x, 0) = {} sin(π x)\nu = 0 on boundary\n"
PAIR = "unknown v(x, t) : scalar\n∂u/∂t = Δu - v\n∂v/∂t = Δv\nv(x, 0) = 2000 x\nv = 2000 x on boundary\n"


@pytest.mark.parametrize(
    ("size", "unit"), [("", 1), ("5", 1), ("200", 100), ("1e6", 10**6), ("1e-6", Rational(1, 10**6))]
)
def test_scale_from_initial_data(size: str, unit: Expr) -> None:
    assert solution_scales(on_line("∂u/∂t = 0.1 ∂²u/∂x²\n" + START.format(size))) == (unit,)


def test_scale_from_a_source() -> None:
    zero = "u = 0 on boundary\n"
    assert solution_scales(on_square("Δu = 1e5\n" + zero)) == (Integer(10) ** 5,)
    assert solution_scales(on_square("Δu + u = 100 sin(10 x) sin(10 y)\n" + zero)) == (1,)  # u is about -½ sin sin
    assert solution_scales(on_square("Δu = 0\nu = 1e5 x on boundary\n")) == (Integer(10) ** 5,)


def test_derivatives_are_scaled_by_the_box() -> None:
    rod = "pde A\nspace x in [0, 2000]\nunknown u(x) : scalar\n∂²u/∂x² = 0\nu = 0 on left\n∂u/∂x = 3 on right\n"
    assert solution_scales(stated(rod)) == (Integer(10) ** 3,)  # 3 times half of the length


def test_scale_of_each_component() -> None:
    assert solution_scales(on_line(PAIR + START.format(""))) == (1, Integer(10) ** 3)
