"""Strong form of physical problems in components."""

from __future__ import annotations

from sympy import Symbol

from pdedsl.api import parse
from pdedsl.compiler import to_analysis
from pdedsl.ir.boundary import Face
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative
from pdedsl.lowering.lower import lower

BALL = """
pde Many
space x in [0, 1]^20
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu + norm(x)^2
u(x, 0) = norm(x)^2
n·∇u = 2 on boundary
"""


def strong_form(text: str) -> StrongForm:
    found = lower(to_analysis(parse(text)))
    assert isinstance(found, StrongForm)
    return found


def test_index_expansion() -> None:
    statement = strong_form(BALL)
    (equation,) = statement.equations
    assert equation.affine is not None
    second = {d: c for d, c in equation.affine.terms if d.order == 2}
    assert len(second) == 20
    assert set(second.values()) == {-1}
    assert -equation.affine.inhomogeneity == sum(Symbol(f"x_{k}", real=True) ** 2 for k in range(1, 21))


def test_condition_on_every_face_with_its_normal() -> None:
    faces = [c for c in strong_form(BALL).conditions if c.place != Face(20, False)]
    assert len(faces) == 40
    for condition in faces:
        assert isinstance(condition.place, Face)
        ((slope, coefficient),) = condition.residuals[0].affine.terms  # type: ignore[union-attr]
        assert slope == Derivative(0, tuple(int(k == condition.place.coordinate) for k in range(21)))
        assert coefficient == (1 if condition.place.upper else -1)


def test_signs_and_jet_variables() -> None:
    text = "pde B\nspace x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
    statement = strong_form(text + "∂u/∂t + u ∂u/∂x = ∂²u/∂x²\nu(x, 0) = 0\n")
    (equation,) = statement.equations
    letters = {d: s for s, d in equation.jet_variables}
    u, slope, bend, rate = (letters[Derivative(0, orders)] for orders in ((0, 0), (1, 0), (2, 0), (0, 1)))
    assert equation.expr == rate + u * slope - bend
    assert equation.affine is None
