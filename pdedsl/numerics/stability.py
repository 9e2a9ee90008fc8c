"""Contractivity of Runge-Kutta steps, by exact arithmetic on the tableau.

Let ⟨f(y) - f(z), y - z⟩ ≤ -|f(y) - f(z)|²/β. With B = diag(b), M = BA + AᵀB - bbᵀ the difference Δ of two solutions has
    |Δ₁|² = |Δ₀|² + 2h Σ bᵢ⟨Δfᵢ, ΔYᵢ⟩ - h² Σ mᵢⱼ⟨Δfᵢ, Δfⱼ⟩          (Burrage, Butcher 1979)
          ≤ |Δ₀|² - h² Σ (mᵢⱼ + 2bᵢδᵢⱼ/(hβ))⟨Δfᵢ, Δfⱼ⟩             where bᵢ ≥ 0,
so that it does not grow if M + 2B/(hβ) is semidefinite: circle contractivity (Dahlquist, Jeltsch 1979). This means
hβ ≤ 2 for Euler, Heun and the classical method of order 4; for the explicit midpoint rule, with b₁ = 0, it never holds.
For implicit methods with semidefinite M, such as Gauss and Radau IIA, it holds for every step (algebraic stability).
"""

from __future__ import annotations

from fractions import Fraction

from pdedsl.numerics.butcher import ImplicitRungeKutta, RungeKutta

Matrix = list[list[Fraction]]
MAX_DENOMINATOR = 1000  # larger than the denominators in the tableaux


def to_fraction(a: float) -> Fraction:
    """The fraction that a coefficient was written as, if its denominator is short; otherwise the exact float."""
    short = Fraction(a).limit_denominator(MAX_DENOMINATOR)
    return short if float(short) == a else Fraction(a)


def is_contractive(method: RungeKutta | ImplicitRungeKutta, size: Fraction) -> bool:
    """Whether a step with hβ = `size` is non-expansive for every such f."""
    weights = [to_fraction(b) for b in method.weights]
    if any(b < 0 for b in weights):
        return False
    matrix = _algebraic_stability_matrix(method, weights)
    for i, b in enumerate(weights):
        matrix[i] = [size * m for m in matrix[i]]
        matrix[i][i] += 2 * b
    return is_semidefinite(matrix)


def _algebraic_stability_matrix(method: RungeKutta | ImplicitRungeKutta, b: list[Fraction]) -> Matrix:
    """BA + AᵀB - bbᵀ."""
    a = [[to_fraction(x) for x in row] for row in method.matrix]
    places = range(len(b))
    return [[b[i] * a[i][j] + b[j] * a[j][i] - b[i] * b[j] for j in places] for i in places]


def is_semidefinite(matrix: Matrix) -> bool:
    """Whether a symmetric matrix has no negative eigenvalue, by elimination."""
    if not matrix:
        return True
    pivot, *rest = matrix[0]
    if pivot < 0 or (pivot == 0 and any(rest)):
        return False
    below = [row[1:] for row in matrix[1:]]
    if pivot == 0:
        return is_semidefinite(below)
    places = range(len(rest))
    return is_semidefinite([[below[i][j] - rest[i] * rest[j] / pivot for j in places] for i in places])
