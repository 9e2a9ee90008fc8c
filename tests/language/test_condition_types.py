"""Types of boundary conditions, made by elaboration on each face and surface; those of the problem in strong form."""

from __future__ import annotations

import pytest
from sympy import Rational, S, Symbol

import pdedsl
from pdedsl.compiler import to_spec
from pdedsl.diagnostics import Source
from pdedsl.ir.boundary import BoundaryCondition, Dirichlet, Face, General, LevelSet, Periodic, Robin
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.spec import Spec
from pdedsl.symbolic.symbols import Field

x, y = Symbol("x", real=True), Symbol("y", real=True)
SQUARE = "pde P\nspace (x, y) in [0, 1]^2\n"
SCALAR = f"{SQUARE}unknown u(x, y) : scalar\nΔu = 1\n"
DISC = "pde P\nspace (x, y) in [-1, 1]^2 where x² + y² < 1\nunknown u(x, y) : scalar\nΔu = u\n"
LINE = "pde P\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂u/∂t = ∂²u/∂x²\nu(x, 0) = sin(π x)\n"


def elaborate(text: str) -> Spec:
    return to_spec(Source(text))


def types(text: str) -> list[BoundaryCondition]:
    return [c.kind for c in elaborate(text).boundary_conditions]  # type: ignore[misc]


def types_on(name: str, text: str) -> list[BoundaryCondition]:
    return [c.kind for c in elaborate(text).boundary_conditions if c.place.name == name]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        ("u = x y on boundary", Dirichlet(0, x * y)),
        ("2u = x y on boundary", Dirichlet(0, x * y / 2)),
        ("∂u/∂n = x on boundary", Robin(0, S.Zero, S.One, x)),
        ("n·∇u = x on boundary", Robin(0, S.Zero, S.One, x)),
        ("u + 2∂u/∂n = x on boundary", Robin(0, S.One, S(2), x)),
    ],
)
def test_faces(condition: str, kind: BoundaryCondition) -> None:
    found = elaborate(SCALAR + condition + "\n").boundary_conditions
    assert [c.place for c in found] == [Face(k, upper) for k in (0, 1) for upper in (False, True)]
    assert [c.kind for c in found] == [kind] * 4


def test_normal_of_a_face() -> None:
    """∂u/∂x is -∂u/∂n on the left face, and along the boundary on the lower one."""
    text = f"{SCALAR}∂u/∂x = 3 on left, right\n∂u/∂x = 3 on bottom\nu = 0 on top\n"
    assert types_on("left", text) == [Robin(0, S.Zero, S.NegativeOne, S(3))]
    assert types_on("right", text) == [Robin(0, S.Zero, S.One, S(3))]
    (oblique,) = types_on("bottom", text)
    assert isinstance(oblique, General)


def test_coefficients_on_a_face() -> None:
    """(1 - x)u vanishes on the right face, where the condition is one on the normal derivative; x u does not."""
    text = f"{SCALAR}(1 - x)u + ∂u/∂n = 3 on right\nx u = y on left\nu = 0 on bottom, top\n"
    (right,) = types_on("right", text)
    assert isinstance(right, Robin)
    assert right.is_neumann
    (left,) = types_on("left", text)
    assert isinstance(left, General)
    assert types_on(
        "right", text.replace("on left", "on right").replace("∂u/∂n = 3 on right", "∂u/∂n = 3 on left")
    ) == [Dirichlet(0, y / x)]


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        ("u = x", Dirichlet),
        ("n·∇u = 1", Robin),
        ("x ∂u/∂x + y ∂u/∂y = 1", General),  # ‖x‖ ∂u/∂n, with a coefficient that may vanish
        ("∂u/∂x = 1", General),
        ("u² = 1", General),
        ("Δu = 0", General),
    ],
)
def test_curves(condition: str, kind: type[BoundaryCondition]) -> None:
    (found,) = (
        c for c in elaborate(f"{DISC}{condition} on boundary\n").boundary_conditions if isinstance(c.place, LevelSet)
    )
    assert isinstance(found.kind, kind)


def test_systems() -> None:
    """A condition is one for the unknown with the highest derivative: other unknowns are data in the spec, and make the
    condition general in the strong form."""
    text = (
        f"{SQUARE}unknown u(x, y) : scalar\nunknown w(x, y) : vector(2)\nΔu = w₁\nΔw = ∇u\n"
        "u = w₁ on boundary\nw = [0, 1] on left, right, bottom\n∂w₁/∂n + w₂ = u on top\nw₂ = 3 on top\n"
    )
    spec = elaborate(text)
    u, w = (s.head for s in spec.unknowns)
    first = Field(w, (S.One,), (x, y))
    assert types_on("left", text) == [Dirichlet(0, first), Dirichlet(1, S.Zero), Dirichlet(2, S.One)]
    on_top = types_on("top", text)
    assert on_top[0] == Dirichlet(0, first)
    assert isinstance(on_top[1], General)  # of two components of w
    assert on_top[2] == Dirichlet(2, S(3))
    robin = elaborate(text.replace("+ w₂ = u", "+ 2w₁ = u"))
    (kind,) = [c.kind for c in robin.boundary_conditions if isinstance(c.kind, Robin)]
    assert kind == Robin(1, S(2), S.One, Field(u, (), (x, y)))
    problem = strong_form(text)
    kinds = [c.kind for c in problem.scalar_conditions]
    assert [isinstance(k, General) for k in kinds[:4]] == [True] * 4
    assert kinds[4:6] == [Dirichlet(1, S.Zero), Dirichlet(2, S.One)]


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ("u(0, t) = u(1, t)\n∂u/∂x(0, t) = ∂u/∂x(1, t)", [(1, 0, 0), (1, 0, 1)]),
        ("u(0, t) = -u(1, t)\n∂u/∂x(0, t) = -∂u/∂x(1, t)", [(-1, 0, 0), (-1, 0, 1)]),
        ("2u(1, t) = 2u(0, t) + 1\n∂u/∂x(0, t) = ∂u/∂x(1, t)", [(1, Rational(1, 2), 0), (1, 0, 1)]),
    ],
)
def test_periodic_conditions(conditions: str, expected: list[tuple[int, object, int]]) -> None:
    """One condition on two faces, with its sign, its jump and the order of its derivative."""
    found = elaborate(f"{LINE}{conditions}\n").boundary_conditions
    kinds = [Periodic(0, 0, sign, S(jump), order) for sign, jump, order in expected]
    assert [c.kind for c in found] == [kind for kind in kinds for _ in range(2)]
    assert [c.place for c in found] == [Face(0, False), Face(0, True)] * 2


def test_antiperiodic_axis() -> None:
    text = LINE.replace("[0, 1]\ntime", "[0, 1] antiperiodic\ntime").replace("sin(π x)", "cos(π x)")
    assert {(k.sign, k.order) for k in types(text) if isinstance(k, Periodic)} == {(-1, 0), (-1, 1)}


def test_other_conditions_on_two_faces() -> None:
    assert all(isinstance(k, General) for k in types(f"{LINE}u(0, t) = 2u(1, t)\n∂u/∂x(0, t) = ∂u/∂x(1, t)\n")[:2])


def test_problem_has_the_types_of_the_spec() -> None:
    for name in ("heat", "poisson", "poisson_disc", "wave"):
        compilation = pdedsl.compile(name)
        problem = compilation.representation
        assert isinstance(problem, StrongForm)
        typed = [c.kind for c in problem.scalar_conditions if not problem.domain.is_in_time(c.place)]
        assert typed == [c.kind for c in compilation.spec.boundary_conditions]


def strong_form(text: str) -> StrongForm:
    from tests.solvers.test_grid import stated

    return stated(text)
