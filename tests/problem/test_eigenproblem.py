"""Self-adjointness, decided before the prover ran (`unknown` has a reason), and directions of large eigenvalues."""

from __future__ import annotations

import pytest

from pdedsl.compiler import check
from pdedsl.diagnostics import Source
from pdedsl.ir.eigenproblem import Eigenproblem
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.solver_plans import EigenCollocationPlan, EigenElementsPlan
from pdedsl.problem.eigenproblem import formal_adjoint

INTERVAL = "pde P\nspace x in [0, 1]\nunknown u(x) : scalar\nunknown λ : eigenvalue\n"
SQUARE = "pde P\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\nunknown λ : eigenvalue\n"
CIRCLE = INTERVAL.replace("[0, 1]", "[0, 2π] periodic")
FIXED = "u = 0 on boundary\n"


def eigenproblem(text: str) -> Eigenproblem:
    plan = check(Source(text)).require_plan().model
    assert isinstance(plan, SolvePlan)
    assert isinstance(plan.solver, EigenCollocationPlan | EigenElementsPlan)
    return plan.solver.eigenproblem


SYSTEM = INTERVAL.replace("λ :", "v(x) : scalar\nunknown λ :")
COMPLEX = CIRCLE.replace("scalar", "complex")
CLAMPED, FREE = "u = 0 on left\n∂u/∂x = 0 on left\n", "∂²u/∂x² = 0 on right\n∂³u/∂x³ = 0 on right\n"
WRONG_BEAM = "u = 0 on left\n∂²u/∂x² = 0 on left\n∂u/∂x = 0 on right\n∂²u/∂x² = 0 on right\n"
BOTH = "u = 0 on boundary\nv = 0 on boundary\n"
STURM_LIOUVILLE = "-∂((1 + x²) ∂u/∂x)/∂x + x u = λ (2 + x) u\nu = 0 on left\n∂u/∂x + 3u = 0 on right\n"
ROWS = {
    "string": (INTERVAL + "-Δu = λ u\n" + FIXED, "proved"),
    "Sturm-Liouville": (INTERVAL + STURM_LIOUVILLE, "proved"),
    "convection": (INTERVAL + "-Δu + ∂u/∂x = λ u\n" + FIXED, "refuted"),
    "no divergence": (INTERVAL + "-(1 + x) Δu = λ u\n" + FIXED, "refuted"),
    "beam": (INTERVAL + "∂⁴u/∂x⁴ = λ u\n" + CLAMPED + FREE, "proved"),
    "beam, other conditions": (INTERVAL + "∂⁴u/∂x⁴ = λ u\n" + WRONG_BEAM, "unknown"),  # it is not: ∂³u/∂x³ u remains
    "buckling": (INTERVAL + "∂⁴u/∂x⁴ = -λ ∂²u/∂x²\nu = 0 on boundary\n∂u/∂x = 0 on boundary\n", "proved"),
    "third order on a circle": (CIRCLE + "∂³u/∂x³ = λ u\n", "refuted"),  # skew-adjoint
    "Mathieu": (CIRCLE + "-Δu + cos(2x) u = λ u\n", "proved"),
    "coefficient with a jump": (CIRCLE + "-∂((1 + x²) ∂u/∂x)/∂x = λ u\n", "unknown"),  # between the ends
    "singular potential": (INTERVAL + "-Δu - u/x = λ u\n" + FIXED, "unknown"),  # it is (Kato 1951)
    "Robin": (SQUARE + "-Δu = λ u\nn·∇u + 2u = 0 on boundary\n", "proved"),
    "anisotropic": (SQUARE + "-∂²u/∂x² - 3∂²u/∂y² = λ u\n" + FIXED, "proved"),
    "anisotropic, Neumann": (SQUARE + "-∂²u/∂x² - 3∂²u/∂y² = λ u\nn·∇u = 0 on boundary\n", "unknown"),  # it is
    "rotation": (SQUARE + "-Δu + y ∂u/∂x - x ∂u/∂y = λ u\n" + FIXED, "refuted"),
    "momentum": (COMPLEX + "-i ∂u/∂x = λ u\n", "proved"),
    "translation": (COMPLEX + "∂u/∂x = λ u\n", "refuted"),
    "symmetric system": (SYSTEM + "-Δu + x v = λ u\n-Δv + x u = λ v\n" + BOTH, "proved"),
    "system": (SYSTEM + "-Δu + v = λ u\n-Δv - u = λ v\n" + BOTH, "refuted"),
    "condition": (INTERVAL + "-Δu = λ u\nu = 0 on left\n∂u/∂x = λ u on right\n", "unknown"),  # in L2 × R it is
}


@pytest.mark.parametrize(("text", "truth"), ROWS.values(), ids=ROWS.keys())
def test_self_adjointness(text: str, truth: str) -> None:
    assert eigenproblem(text).self_adjointness.truth == truth


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        (INTERVAL + "-Δu = λ u\n" + FIXED, 1),
        (INTERVAL + "Δu = λ u\n" + FIXED, -1),
        (INTERVAL + "-Δu + 5 ∂u/∂x = λ u\n" + FIXED, 1),
        (CIRCLE.replace("scalar", "complex") + "i Δu = λ u\n", -1j),
        (CIRCLE.replace("scalar", "complex") + "-i ∂u/∂x = λ u\n", 0),  # both signs
        (INTERVAL + "∂⁴u/∂x⁴ = -λ ∂²u/∂x²\nu = 0 on boundary\n∂u/∂x = 0 on boundary\n", 1),
        (INTERVAL + "-Δu = 0\nu = 0 on left\n∂u/∂x = λ u on right\n", 0),  # only one eigenvalue
    ],
)
def test_direction_of_large_eigenvalues(text: str, direction: complex) -> None:
    assert eigenproblem(text).direction == direction


def test_formal_adjoint_of_the_adjoint() -> None:
    from sympy import I, Symbol, expand, sin

    x, y = (Symbol(name, real=True) for name in "xy")
    operator = {(2, 1): x * y, (1, 0): sin(x) + I * y, (0, 0): x**3}
    twice = formal_adjoint(formal_adjoint(operator, (x, y)), (x, y))
    assert {alpha: expand(a) for alpha, a in twice.items()} == {alpha: expand(a) for alpha, a in operator.items()}


def test_no_axiom_of_evolutions_applies() -> None:
    checked = check(Source(INTERVAL + "-Δu = λ u\n" + FIXED))
    assert checked.analysis.axioms == {}
    assert checked.analysis.equations[0].structures == ("eigenproblem",)
    refused = check(Source(INTERVAL + "-Δu = λ u\n" + FIXED + "require comparison\n"))
    assert [d.code for d in refused.errors] == ["E421"]


def test_hash_depends_neither_on_names_nor_on_sides() -> None:
    first = check(Source(INTERVAL + "-Δu = λ u\n" + FIXED)).analysis.spec
    second = check(Source(INTERVAL.replace("λ", "μ") + "0 = μ u + Δu\n" + FIXED)).analysis.spec
    other = check(Source(INTERVAL + "-Δu = 2λ u\n" + FIXED)).analysis.spec
    assert first.hash == second.hash != other.hash
