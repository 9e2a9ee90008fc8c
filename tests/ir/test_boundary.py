"""Types of boundary and initial conditions."""

from __future__ import annotations

import pytest
from solvers.problems import stated
from sympy import Integer, Rational, Symbol, sin

import pdedsl
from pdedsl.api import parse
from pdedsl.diagnostics import PdeError
from pdedsl.ir.boundary import Dirichlet, Face, General, InitialCondition, LevelSet, Periodic, Robin
from pdedsl.ir.problem import StrongForm

X, Y, T = (Symbol(name, real=True) for name in "xyt")
SQUARE = "pde P\nspace (x, y) in [-1, 1]^2\nunknown u(x, y) : scalar\nΔu = 0\nu = 0 on left, bottom, top\n"
DISC = "pde P\nspace (x, y) in [-1, 1]^2 where x² + y² < 1\nunknown u(x, y) : scalar\nΔu = 0\n"
LINE = "pde P\nspace x in [0, 2]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂u/∂t = Δu\nu(x, 0) = sin(x)\n"


def last(statement: StrongForm) -> object:
    return statement.scalar_conditions[-1].kind


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        ("2u = y", Dirichlet(0, Y / 2)),
        ("(1 + y²) u = y", Dirichlet(0, Y / (1 + Y**2))),
        ("n·∇u = y", Robin(0, Integer(0), Integer(1), Y)),
        ("∂u/∂x = y", Robin(0, Integer(0), Integer(1), Y)),
        ("3∂u/∂n + y u = 1", Robin(0, Y, Integer(3), Integer(1))),
    ],
)
def test_conditions_on_a_face(condition: str, kind: object) -> None:
    assert last(stated(f"{SQUARE}{condition} on right\n")) == kind


@pytest.mark.parametrize(
    "condition", ["u² = 1", "∂u/∂x + ∂u/∂y = 0", "∂u/∂y = 0", "y u = 1", "∂²u/∂x² = 0", "u ∂u/∂x = 1"]
)
def test_other_conditions(condition: str) -> None:
    assert isinstance(last(stated(f"{SQUARE}{condition} on right\n")), General)


def test_the_normal_is_outward() -> None:
    text = SQUARE.replace("left", "right")
    assert last(stated(f"{text}∂u/∂x + 2u = 1 on left\n")) == Robin(0, Integer(2), Integer(-1), Integer(1))


def test_conditions_on_a_curve() -> None:
    robin = last(stated(f"{DISC}2n·∇u + x u = y on boundary\n"))
    assert robin == Robin(0, X, Integer(2), Y)
    assert isinstance(last(stated(f"{DISC}y ∂u/∂x - x ∂u/∂y + u = 1 on boundary\n")), General)


def test_normals() -> None:
    assert Face(1, False).normal((X, Y)) == (0, -1)
    normal = LevelSet(1 - X**2 - Y**2).normal((X, Y))
    assert [n.xreplace({X: Rational(3, 5), Y: Rational(4, 5)}) for n in normal] == [Rational(3, 5), Rational(4, 5)]


def test_components_of_a_system() -> None:
    text = "pde P\nspace x in [0, 1]\nunknown v(x) : vector(2)\nΔv = 0\n"
    text += "v = [1, 2] on left\nv₂ = 3 on right\nv₁ + v₂ = 0 on right\n"
    *first, coupled = (c.kind for c in stated(text).scalar_conditions)
    assert first == [Dirichlet(0, Integer(1)), Dirichlet(1, Integer(2)), Dirichlet(1, Integer(3))]
    assert isinstance(coupled, General)


def test_initial_and_terminal_conditions() -> None:
    statement = stated(f"{LINE}u = 0 on boundary\n")
    first = statement.scalar_conditions[0]
    assert (first.kind, first.place) == (InitialCondition(0, 0, sin(X)), Face(1, False))
    assert not statement.is_backward
    wave = LINE.replace("∂u/∂t =", "∂²u/∂t² =") + "∂u/∂t(x, 0) = 2x\nu = 0 on boundary\n"
    assert stated(wave).scalar_conditions[1].kind == InitialCondition(0, 1, 2 * X)
    late = LINE.replace("∂u/∂t =", "-∂u/∂t =").replace("u(x, 0)", "u(x, 1)") + "u = 0 on boundary\n"
    assert stated(late).is_backward


# ---- Conditions that couple opposite faces


@pytest.mark.parametrize(
    ("conditions", "periodic"),
    [
        ("u(0, t) = u(2, t)\n∂u/∂x(2, t) = ∂u/∂x(0, t)\n", ()),
        ("u(2, t) = u(0, t) + 3\n∂u/∂x(2, t) = ∂u/∂x(0, t)\n", (Periodic(0, 0, 1, Integer(3)),)),
        ("2u(2, t) + 2u(0, t) = 0\n∂u/∂x(2, t) = -∂u/∂x(0, t)\n", (Periodic(0, 0, -1, Integer(0)),)),
    ],
)
def test_two_point_conditions(conditions: str, periodic: tuple[Periodic, ...]) -> None:
    statement = stated(LINE + conditions)
    assert statement.domain.intervals[0].periodic
    assert statement.periodic == periodic


def test_the_keyword_periodic_is_equivalent_to_conditions() -> None:
    short = LINE.replace("[0, 2]", "[0, 2] antiperiodic")
    assert stated(short).periodic == (Periodic(0, 0, -1, Integer(0)),)
    written = LINE + "u(2, t) = -u(0, t)\n∂u/∂x(2, t) = -∂u/∂x(0, t)\n"
    assert parse(short).hash == parse(written).hash == parse(pdedsl.format(short)).hash
    assert "[0, 2] antiperiodic\n" in pdedsl.format(short)


@pytest.mark.parametrize(
    "conditions",
    [
        "u(2, t) = u(0, t)\n",  # a second condition is missing
        "u(2, t) = u(0, t)\n∂u/∂x(2, t) = -∂u/∂x(0, t)\n",  # two signs
        "u(2, t) = u(0, t)\n∂u/∂x(2, t) = ∂u/∂x(0, t) + 1\n",  # a jump of the derivative
        "u(2, t) = 1 - u(0, t)\n∂u/∂x(2, t) = -∂u/∂x(0, t)\n",  # antiperiodic with a jump
        "u(2, t) = 2u(0, t)\n∂u/∂x(2, t) = 2∂u/∂x(0, t)\n",
        "u(2, t) = u(0, t) + t\n∂u/∂x(2, t) = ∂u/∂x(0, t)\n",
    ],
)
def test_other_two_point_conditions_are_refused(conditions: str) -> None:
    with pytest.raises(PdeError, match="couples two boundaries"):
        stated(LINE + conditions)
