"""Eigenvalues and modes against closed forms and tabulated values."""

from __future__ import annotations

from math import log, pi, sqrt
from pathlib import Path

import pytest
import torch

import pdedsl
from pdedsl.io import RunError
from pdedsl.solvers.eigen_solution import EigenSolution

INTERVAL = "pde P\nspace x in [0, 1]\nunknown u(x) : scalar\nunknown λ : eigenvalue\n"
SQUARE = "pde P\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\nunknown λ : eigenvalue\n"
FIXED = "u = 0 on boundary\n"


def solve(text: str, tolerance: float, modes: int, method: str = "") -> EigenSolution:
    realize = f"realize equation by {method}\n" if method else ""
    solution = pdedsl.solve(f"{text}{realize}solve {{\n  tolerance {tolerance}\n  modes {modes}\n}}\n")
    assert isinstance(solution, EigenSolution)
    return solution


def worst(solution: EigenSolution, expected: list[float]) -> float:
    """The largest relative error; absolute for 0."""
    exact = torch.tensor(expected, dtype=torch.float64)
    return float(((solution.eigenvalues - exact) / torch.where(exact == 0, 1.0, exact)).abs().max())


MATHIEU = [-5.8000460208515, -5.7900805986378, 1.8581875415478, 2.0994604454867]  # q = 5; DLMF 28.4 by mpmath


@pytest.mark.parametrize(
    ("text", "tolerance", "expected"),
    [
        (INTERVAL + "-Δu = λ u\n" + FIXED, 1e-10, [(k * pi) ** 2 for k in range(1, 7)]),
        (INTERVAL + "Δu = λ u\n" + FIXED, 1e-10, [-((k * pi) ** 2) for k in range(1, 4)]),
        (INTERVAL + "-Δu = λ u\nn·∇u = 0 on boundary\n", 1e-9, [(k * pi) ** 2 for k in range(4)]),
        (
            INTERVAL + "-Δu = λ u\nu = 0 on left\n∂u/∂x + u = 0 on right\n",  # tan s = -s
            1e-10,
            [2.028757838110434**2, 4.913180439434883**2],
        ),
        (
            INTERVAL + "-Δu = λ u\nu = 0 on left\n∂u/∂x = λ u on right\n",
            1e-10,
            [0.860333589019380**2, 3.42561845948173**2],
        ),
        (INTERVAL + "-Δu + 4 ∂u/∂x = λ u\n" + FIXED, 1e-9, [4 + (k * pi) ** 2 for k in (1, 2, 3)]),
        (
            INTERVAL.replace("[0, 1]", "[1, 2]") + "-∂(x ∂u/∂x)/∂x = λ u/x\n" + FIXED,
            1e-10,
            [(k * pi / log(2)) ** 2 for k in (1, 2, 3)],
        ),
        (INTERVAL + "∂⁴u/∂x⁴ = -λ ∂²u/∂x²\nu = 0 on boundary\n∂²u/∂x² = 0 on boundary\n", 1e-9, [pi**2, 4 * pi**2]),
        (
            INTERVAL + "∂⁴u/∂x⁴ = -λ ∂²u/∂x²\nu = 0 on boundary\n∂u/∂x = 0 on boundary\n",
            1e-8,
            [4 * pi**2, 80.76291422532],
        ),
        (INTERVAL.replace("[0, 1]", "[0, 2π] periodic") + "-Δu + 10 cos(2x) u = λ u\n", 1e-11, MATHIEU),
        (INTERVAL.replace("[0, 1]", "[0, π] antiperiodic") + "-Δu = λ u\n", 1e-10, [1, 1, 9, 9]),
        (
            INTERVAL.replace("[0, 1]", "[-10, 10]") + "-½ Δu + ½ x² u = λ u\n" + FIXED,
            1e-10,
            [0.5, 1.5, 2.5, 3.5],
        ),
        (
            INTERVAL.replace("[0, 1]", "[-3, 9]") + "-Δu + (exp(-2x) - 8 exp(-x)) u = λ u\n" + FIXED,
            1e-6,
            [-12.25, -6.25],
        ),
        (
            INTERVAL.replace("[0, 1]", "[0, 200]") + "-½ Δu - u/x = λ u\n" + FIXED,
            1e-9,
            [-1 / (2 * n**2) for n in range(1, 6)],
        ),
        (
            INTERVAL.replace("λ :", "v(x) : scalar\nunknown λ :") + "-Δu + v = λ u\n-Δv + u = λ v\nu = 0 on boundary\n"
            "v = 0 on boundary\n",
            1e-10,
            [pi**2 - 1, pi**2 + 1, 4 * pi**2 - 1],
        ),
        (
            INTERVAL.replace("λ :", "w(x) : scalar\nunknown λ :") + "-Δu = λ w\nw = λ u\nu = 0 on boundary\n",  # λ²
            1e-9,
            [pi, -pi, 2 * pi, -2 * pi],
        ),
    ],
    ids=[
        "string",
        "largest first",
        "Neumann",
        "Robin",
        "eigenvalue in a condition",
        "convection",
        "weight",
        "buckling, pinned",
        "buckling, clamped",
        "Mathieu",
        "antiperiodic",
        "harmonic oscillator",
        "Morse potential",
        "hydrogen",
        "system",
        "quadratic by a second unknown",
    ],
)
def test_eigenvalues_on_intervals(text: str, tolerance: float, expected: list[float]) -> None:
    solution = solve(text, tolerance, len(expected), "grid")
    found = sorted(solution.eigenvalues.tolist(), key=lambda v: (round(abs(v), 6), -v))
    ordered = sorted(expected, key=lambda v: (round(abs(v), 6), -v))
    errors = [abs(a - b) / (abs(b) or 1.0) for a, b in zip(found, ordered, strict=True)]
    assert max(errors) < 10 * tolerance, (found, ordered)
    assert solution.verdict == "holds"


def test_square_membrane() -> None:
    solution = solve(SQUARE + "-Δu = λ u\n" + FIXED, 1e-10, 6)
    expected = sorted(pi**2 * (m * m + n * n) for m in range(1, 5) for n in range(1, 5))[:6]
    assert worst(solution, expected) < 1e-10
    assert all(b is not None and b <= 1e-9 for b in (e.bound for e in solution.estimates))


def test_cube_and_plates() -> None:
    cube = SQUARE.replace("(x, y) in [0, 1]^2", "(x, y, z) in [0, π]^3").replace("u(x, y)", "u(x, y, z)")
    assert worst(solve(cube + "-Δu = λ u\n" + FIXED, 1e-4, 4, "grid"), [3, 6, 6, 6]) < 1e-5
    supported = solve(SQUARE + "Δ²u = λ u\nu = 0 on boundary\nΔu = 0 on boundary\n", 1e-8, 3, "grid")
    assert worst(supported, [4 * pi**4, 25 * pi**4, 25 * pi**4]) < 1e-8
    clamped = solve(SQUARE + "Δ²u = λ u\nu = 0 on boundary\nn·∇u = 0 on boundary\n", 1e-5, 1, "grid")
    assert worst(clamped, [1294.9339795917]) < 1e-8  # Bjørstad, Tjøstheim 1999


def test_l_shaped_membrane() -> None:
    domain = "polygon([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]])"
    solution = solve(SQUARE.replace("[0, 1]^2", domain) + "-Δu = λ u\n" + FIXED, 1e-6, 3)
    assert worst(solution, [9.63972384402, 15.19725192645, 2 * pi**2]) < 1e-6  # Fox, Henrici, Moler 1967


def test_disc_by_bessel_zeros() -> None:
    disc = SQUARE.replace("[0, 1]^2", "[-1, 1]^2 where x² + y² < 1")
    solution = solve(disc + "-Δu = λ u\n" + FIXED, 1e-6, 4)
    zeros = [2.404825557695773, 3.831705970207512, 3.831705970207512, 5.135622301840683]
    assert worst(solution, [z**2 for z in zeros]) < 1e-6


def test_steklov_eigenvalues_of_a_disc() -> None:
    disc = SQUARE.replace("[0, 1]^2", "[-1, 1]^2 where x² + y² < 1")
    solution = solve(disc + "-Δu = 0\nn·∇u = λ u on x² + y² = 1\n", 1e-5, 5, "elements")
    assert (solution.eigenvalues - torch.tensor([0.0, 1, 1, 2, 2])).abs().max() < 1e-5


def test_orr_sommerfeld() -> None:
    text = (
        "pde P\nspace y in [-1, 1]\nunknown φ(y) : complex\nunknown c : eigenvalue\nconst Re = 10000\nconst α = 1\n"
        "let U = 1 - y²\nlet q = ∂²φ/∂y² - α² φ\n(U - c) q + 2 φ = (1/(i α Re)) (∂²q/∂y² - α² q)\n"
        "φ = 0 on boundary\nn·∇φ = 0 on boundary\n"
    )
    solution = solve(text, 1e-8, 1)
    assert abs(solution.eigenvalues[0].item() - (0.23752649 + 0.00373967j)) < 1e-8  # Orszag 1971


def test_elements_agree_with_collocation() -> None:
    text = INTERVAL + "-∂((1 + x) ∂u/∂x)/∂x + exp(x) u = λ u\nu = 0 on left\n∂u/∂x = 0 on right\n"
    by_grid, by_elements = solve(text, 1e-10, 4, "grid"), solve(text, 1e-8, 4, "elements(order=4)")
    assert ((by_grid.eigenvalues - by_elements.eigenvalues) / by_grid.eigenvalues).abs().max() < 1e-8


def test_complex_eigenvalues_need_a_complex_unknown() -> None:
    text = INTERVAL.replace("[0, 1]", "[0, 2π] periodic") + "-Δu + ∂u/∂x = λ u\n"
    with pytest.raises(RunError, match="declare the unknowns as complex"):
        solve(text, 1e-8, 3)
    solution = solve(text.replace("scalar", "complex"), 1e-8, 3)
    expected = torch.tensor([0, 1 - 1j, 1 + 1j], dtype=torch.complex128)
    assert (solution.eigenvalues - expected).abs().max() < 1e-10


# ---- Modes


@pytest.mark.parametrize("method", ["grid", "elements(order=4)"])
def test_modes_are_normalized_and_positive_first(method: str) -> None:
    solution = solve(INTERVAL + "-Δu = λ u\n" + FIXED, 1e-8, 3, method)
    x = torch.linspace(0, 1, 11, dtype=torch.float64)
    for k in (1, 2, 3):
        expected = sqrt(2) * torch.sin(k * pi * x)
        assert (solution.mode(k)(x=x) - expected).abs().max() < 1e-4
    assert abs(solution.mode(1).integral().item() - 2 * sqrt(2) / pi) < 1e-5
    assert solution(x=0.25).shape == (3,)
    assert list(solution.fields) == ["u₁", "u₂", "u₃"]
    with pytest.raises(IndexError, match="1 to 3"):
        solution.mode(4)


def test_double_eigenvalues_have_orthonormal_modes() -> None:
    solution = solve(SQUARE + "-Δu = λ u\n" + FIXED, 1e-8, 3)
    nodes = (torch.arange(40, dtype=torch.float64) + 0.5) / 40
    x, y = torch.meshgrid(nodes, nodes, indexing="ij")
    values = solution(x=x, y=y).reshape(-1, 3)
    gram = values.T @ values / len(values)  # the midpoint rule is exact for these trigonometric polynomials
    assert (gram - torch.eye(3)).abs().max() < 1e-8


def test_saved_eigenpairs(tmp_path: Path) -> None:
    for method in ("grid", "elements"):
        text = INTERVAL + "-Δu = λ u\n" + FIXED + f"realize equation by {method}\n"
        solution = pdedsl.solve(text, tmp_path / method)
        again = pdedsl.Solution.open(tmp_path / method)
        assert isinstance(solution, EigenSolution)
        assert isinstance(again, EigenSolution)
        assert torch.equal(solution.eigenvalues, again.eigenvalues)
        difference = solution.mode(2)(x=[0.1, 0.7]) - again.mode(2)(x=[0.1, 0.7])
        assert difference.abs().max() < 1e-14  # rounding depends on the alignment of the coefficients in memory
        assert "| λ₁ | 9.8696" in (tmp_path / method / "report.md").read_text("utf-8")
        assert (tmp_path / method / "solution.png").stat().st_size > 1000


def test_repr_has_one_line_for_each_eigenvalue() -> None:
    text = repr(solve(INTERVAL + "-Δu = λ u\n" + FIXED, 1e-8, 2))
    assert "λ₁ = 9.86960440" in text
    assert "λ₂ = 39.478417" in text
    assert "holds" in text


def test_plots_of_complex_modes() -> None:
    text = INTERVAL.replace("[0, 1]", "[0, 2π] periodic").replace("scalar", "complex") + "-Δu = λ u\n"
    figure = solve(text, 1e-8, 3).plot(n=20)
    assert [ax.get_ylabel() for ax in figure.axes] == ["Re u₁", "Re u₂", "Re u₃"]
