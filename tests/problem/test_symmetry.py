"""Reflection and permutation symmetries of problems."""

from __future__ import annotations

import pytest

from pdedsl.ir.ansatz import ReflectionSymmetry
from pdedsl.ir.problem import StrongForm
from pdedsl.problem import symmetry
from pdedsl.problem.ansatz import ansatz_of
from pdedsl.problem.symmetry import is_exchangeable, parities_of
from tests.solvers.problems import on_square, stated

LINE = "pde L\nspace x in [-1, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
PAIR = LINE + "unknown v(x, t) : scalar\n"
ZERO = "u = 0 on boundary\n"


def reflection_symmetry(problem: StrongForm) -> ReflectionSymmetry | None:
    return symmetry.reflection_symmetry(problem, ansatz_of(problem))


EVEN, ODD = ReflectionSymmetry(0, (1,)), ReflectionSymmetry(0, (-1,))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (LINE + "∂u/∂t + u ∂u/∂x = Δu\nu(x, 0) = -sin(π x)\n" + ZERO, ODD),
        (LINE + "∂u/∂t + u ∂u/∂x = Δu\nu(x, 0) = cos(π x/2)\n" + ZERO, None),  # u ∂u/∂x is odd for an even u
        (LINE + "∂u/∂t = Δu - u³\nu(x, 0) = cos(π x/2)\n" + ZERO, EVEN),
        (LINE + "∂u/∂t = Δu - u³\nu(x, 0) = sin(π x)\n" + ZERO, ODD),
        (LINE + "∂u/∂t = Δu - u²\nu(x, 0) = sin(π x)\n" + ZERO, None),
        (LINE + "∂u/∂t = Δu + x\nu(x, 0) = sin(π x)\n" + ZERO, ODD),
        (LINE + "∂u/∂t = (2 + x)Δu\nu(x, 0) = sin(π x)\n" + ZERO, None),
        (LINE + "∂u/∂t = Δu\nu(x, 0) = cos(π x/2)\nu = 0 on left\n∂u/∂n = 0 on right\n", None),
        (LINE + "∂u/∂t = Δu\nu(x, 0) = x\nu = -1 on left\nu = 1 on right\n", ODD),
        (LINE + "∂u/∂t = Δu\nu(x, 0) = 1 + 0 x\nu = t + 1 on left\nu = 1 on right\n", None),
        (
            PAIR + "∂u/∂t = ∂v/∂x\n∂v/∂t = ∂u/∂x\nu(x, 0) = sin(π x)\nv(x, 0) = 0\n" + ZERO,
            ReflectionSymmetry(0, (-1, 1)),
        ),
    ],
)
def test_reflection_symmetry_of_evolution_problems(text: str, found: ReflectionSymmetry | None) -> None:
    assert reflection_symmetry(stated(text)) == found


def test_reflection_symmetry_of_stationary_problems() -> None:
    assert reflection_symmetry(on_square("Δu = cos(x) sin(y)\n" + ZERO)) == EVEN
    assert reflection_symmetry(on_square("Δu = (x + 1) sin(y)\n" + ZERO)) == ReflectionSymmetry(1, (-1,))
    assert reflection_symmetry(on_square("Δu + u³ = cos(x) sin(y)\n" + ZERO)) is None


CUBE = "pde A\nspace (x, y, z, w) in [0, 1]^4\nunknown u(x, y, z, w) : scalar\n"


@pytest.mark.parametrize(
    ("text", "parities", "exchangeable"),
    [
        ("-Δu = 1\n" + ZERO, (1, 1, 1, 1), True),
        ("-Δu = x y z w\n" + ZERO, (0, 0, 0, 0), True),
        ("-Δu = (x - ½) sin(π y)\n" + ZERO, (-1, 1, 1, 1), False),
        ("-Δu = x + ∂u/∂y\n" + ZERO, (0, 0, 1, 1), False),
        (
            "-Δu = 1\nu = 0 on x = 0, x = 1, y = 0, y = 1, z = 0, z = 1, w = 1\n∂u/∂n = 0 on w = 0\n",
            (1, 1, 1, 0),
            False,
        ),
        ("-Δu = 1\nu = x y z w on boundary\n", (0, 0, 0, 0), True),
        ("-Δu = 1\nu = x y on boundary\n", (0, 0, 1, 1), False),
        ("-Δu = u³ + x y z w\n" + ZERO, (0, 0, 0, 0), False),
    ],
)
def test_parities_and_permutations_of_linear_problems(text: str, parities: tuple[int, ...], exchangeable: bool) -> None:
    statement = stated(CUBE + text)
    assert parities_of(statement) == parities
    assert is_exchangeable(statement) is exchangeable
