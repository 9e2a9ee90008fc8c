"""Hard constraints: the ansatz satisfies conditions for every network."""

from __future__ import annotations

from sympy import Function, Rational, pi, simplify, sin

from pdedsl.api import parse
from pdedsl.compiler import to_analysis
from pdedsl.ir.ansatz import substitute_ansatz
from pdedsl.ir.boundary import Face
from pdedsl.ir.problem import StrongForm
from pdedsl.lowering.lower import lower
from pdedsl.problem.ansatz import ansatz_of, has_incompatible_data

LINE = "pde L\nspace x in [0, 2]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
SQUARE = "pde S\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\nΔu = 0\n"


def stated(text: str) -> StrongForm:
    found = lower(to_analysis(parse(text)))
    assert isinstance(found, StrongForm)
    return found


def assert_satisfied(statement: StrongForm, count: int) -> None:
    """Every condition that counts as built in has residual zero for an arbitrary function in the place of N."""
    (ansatz,) = ansatz_of(statement)
    coordinates = statement.domain.coordinates
    u = ansatz.base + ansatz.factor * Function("N")(*coordinates)
    assert len(ansatz.satisfied) == count
    for number, k in ansatz.satisfied:
        condition = statement.conditions[number]
        assert isinstance(condition.place, Face)
        residual, x = condition.residuals[k], coordinates[condition.place.coordinate]
        side = statement.domain.intervals[condition.place.coordinate]
        value = residual.expr
        for letter, derivative in residual.jet_variables:
            derived = u
            for coordinate, order in zip(coordinates, derivative.orders, strict=True):
                derived = derived.diff(coordinate, order)
            value = value.subs(letter, derived)
        assert simplify(value.doit().subs(x, side.end if condition.place.upper else side.start).doit()) == 0


def test_initial_and_time_dependent_dirichlet_values() -> None:
    heat = LINE + "∂u/∂t = ∂²u/∂x²\nu(x, 0) = x + sin(π x)\nu = t on left\nu = 2 + t² on right\n"
    assert_satisfied(stated(heat), 3)


def test_initial_value_and_velocity() -> None:
    wave = LINE + "∂²u/∂t² = ∂²u/∂x²\nu(x, 0) = sin(π x)\n∂u/∂t(x, 0) = x (2 - x)\nu = 0 on boundary\n"
    assert_satisfied(stated(wave), 4)


def test_dirichlet_values_on_a_square() -> None:
    assert_satisfied(stated(SQUARE + "u = exp(x) sin(y) on boundary\n"), 4)


def test_incompatible_corner_values_are_soft_constraints() -> None:
    lid = SQUARE + "u = 0 on left, right, bottom\nu = 1 on top\n"
    assert_satisfied(stated(lid), 2)
    jump = LINE + "∂u/∂t = ∂²u/∂x²\nu(x, 0) = 1\nu = 0 on boundary\n"
    assert_satisfied(stated(jump), 1)


def test_neumann_conditions_are_soft_constraints() -> None:
    assert_satisfied(stated(LINE + "∂u/∂t = ∂²u/∂x²\nu(x, 0) = 0\nu = 0 on left\n∂u/∂x = 1 on right\n"), 2)


def test_residual_in_the_derivatives_of_the_network() -> None:
    """For u = base + factor · N with N a known function, both residuals are the same."""
    statement = stated(LINE + "∂u/∂t + u ∂u/∂x = ∂²u/∂x²\nu(x, 0) = sin(π x)\nu = 0 on boundary\n")
    (ansatz,), (equation,) = ansatz_of(statement), statement.equations
    x, t = statement.domain.coordinates
    n = sin(pi * x * t) + x**3
    u = ansatz.base + ansatz.factor * n

    def value(residual: object, of: object) -> object:
        at = {s: of.diff(x, d.orders[0], t, d.orders[1]) for s, d in residual.jet_variables}  # type: ignore[attr-defined]
        return residual.expr.xreplace(at).evalf(20, subs={x: Rational(1, 3), t: Rational(2, 7)})  # type: ignore[attr-defined]

    assert abs(value(equation, u) - value(substitute_ansatz(equation, (ansatz,), (x, t)), n)) < 1e-15  # type: ignore[operator]


def test_constant_dirichlet_value_on_a_cube() -> None:
    """Compared in doubles: sympy's own numbers take seconds where sums within sums cancel."""
    cube = "pde C\nspace (x, y, z) in [0, 1]^3\ntime t in [0, 3]\nunknown u(x, y, z, t) : scalar\n∂u/∂t = Δu\n"
    for start, count in (("π", 1), ("1 + (1/3)^0.5", 7)):
        (ansatz,) = ansatz_of(stated(f"{cube}u(x, y, z, 0) = {start}\nu = 1 + (1/3)^0.5 on boundary\n"))
        assert len(ansatz.satisfied) == count


def test_compatibility_of_large_values_up_to_rounding() -> None:
    meeting = LINE + "∂u/∂t = ∂²u/∂x²\nu(x, 0) = 1e12 sin(x)\nu = 1e12 sin(x) on boundary\n"
    assert_satisfied(stated(meeting), 3)


def test_incompatible_initial_data() -> None:
    heat = LINE + "∂u/∂t = ∂²u/∂x²\n"
    assert has_incompatible_data(stated(heat + "u(x, 0) = 1\nu = 0 on boundary\n"))
    assert has_incompatible_data(stated(heat + "u(x, 0) = x\nu = t on left\nu = 2 cos(t) + 1 on right\n"))
    assert not has_incompatible_data(stated(heat + "u(x, 0) = x\nu = t on left\nu = 2 cos(t) on right\n"))
    assert not has_incompatible_data(stated(heat + "u(x, 0) = 1\n∂u/∂n = 0 on boundary\n"))
