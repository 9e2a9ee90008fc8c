"""Specs that must be errors, each with its reason.

A problem of first order takes no data where its characteristics leave (they would contradict what arrives); problems of
Hadamard have no solution for almost all data; a learned diffusivity must be semidefinite by its type, for every weight.
"""

from __future__ import annotations

from analysis.more_spec_templates import ZERO_SPEED, ZERO_VELOCITY_PLANE, square
from analysis.spec_templates import data, declared, interval, pair, periodic, plane

MOVES = "∂u/∂t + ∂u/∂x = 0"
ONES = "Σᵢ Σⱼ ∂²u/∂xᵢ∂xⱼ"
OUT = "the value at the outflow is that which arrives"
GROWS = "waves grow without bound as they shorten"
SIGN = "the type allows every sign"
VECTOR = "x in R^2"
STILL = "\n".join((ZERO_SPEED, "∂²u/∂t²(x, 0) = 0", ""))

REJECTED: tuple[tuple[str, str, str], ...] = (
    # ---- data at the outflow
    ("outflow, right", interval(MOVES, "u = 0 on right"), OUT),
    ("outflow, left", interval("∂u/∂t = 2 ∂u/∂x", "u = 0 on left"), OUT),
    ("outflow, both ends", interval(MOVES, "u = 0 on boundary"), OUT),
    ("outflow, at a point", interval(MOVES, declared("u(0, t) = 0", "u(1, t) = 0")), OUT),
    ("outflow, uneven", interval("∂u/∂t + (1 + x²) ∂u/∂x = 0", "u = 0 on right"), OUT),
    ("outflow, with decay", interval("∂u/∂t + ∂u/∂x = -u", "u = 0 on boundary"), OUT),
    ("outflow, spreading", interval("∂u/∂t + (x - ½) ∂u/∂x = 0", "u = 0 on boundary"), OUT),
    ("outflow, square", square("∂u/∂t + ∂u/∂x + ∂u/∂y = 0", "u = 0 on right, top"), OUT),
    # ---- no solution
    ("ill-posed, elliptic in time", data("∂²u/∂t² = -Δu") + ZERO_SPEED + "\n", GROWS),
    ("ill-posed, elliptic in time, plane", plane("∂²u/∂t² + 4Δu = 0") + ZERO_VELOCITY_PLANE + "\n", GROWS),
    ("ill-posed, elliptic in time, ring", periodic("∂²u/∂t² = -Δu", rest=ZERO_SPEED), GROWS),
    ("ill-posed, elliptic in time, R^d", data("∂²u/∂t² = -Δu", "x in R^d") + ZERO_SPEED + "\n", GROWS),
    ("ill-posed, elliptic on one side", data("∂²u/∂t² = x Δu") + ZERO_SPEED + "\n", GROWS),
    ("ill-posed, ultrahyperbolic", plane("∂²u/∂t² = ∂²u/∂x² - ∂²u/∂y²") + ZERO_VELOCITY_PLANE + "\n", GROWS),
    ("ill-posed, third order in time", data("∂³u/∂t³ = Δu") + STILL, GROWS),
    ("ill-posed, fourth order", data("∂u/∂t = ∂⁴u/∂x⁴"), GROWS),
    ("ill-posed, fourth order, plane", plane("∂u/∂t = Δu + Δ²u"), GROWS),
    ("ill-posed, sixth order", data("∂u/∂t = -∂⁶u/∂x⁶"), GROWS),
    ("ill-posed, beam", data("∂²u/∂t² = ∂⁴u/∂x⁴") + ZERO_SPEED + "\n", GROWS),
    ("ill-posed, Boussinesq", data("∂²u/∂t² = Δu + ∂⁴u/∂x⁴") + ZERO_SPEED + "\n", GROWS),
    ("ill-posed, Cauchy-Riemann", pair("∂u/∂t = ∂v/∂x", "∂v/∂t = -∂u/∂x"), GROWS),
    ("ill-posed, crossed diffusion", pair("∂u/∂t = Δv", "∂v/∂t = Δu"), "u - v runs backwards"),
    ("ill-posed, damped by less than nothing", data("∂²u/∂t² = Δu - ∂³u/∂x²∂t") + ZERO_SPEED + "\n", "λ ~ ξ²"),
    ("ill-posed, carried waves", data("∂²u/∂t² = ∂²u/∂x∂t - ∂²u/∂x²") + ZERO_SPEED + "\n", "λ = ½ξ(i ± √3)"),
    ("ill-posed, third order", data("∂²u/∂t² = ∂³u/∂x³") + ZERO_SPEED + "\n", "λ² = -iξ³"),
    ("ill-posed, first order", data("∂²u/∂t² = ∂u/∂x") + ZERO_SPEED + "\n", "λ² = iξ"),
    ("ill-posed, first order, as a pair", pair("∂u/∂t = v", "∂v/∂t = ∂u/∂x"), "λ² = iξ"),
    ("ill-posed, flux", data("∂u/∂t = -∂/∂x tanh(∂u/∂x)"), "backward for every slope"),
    ("ill-posed, density", data("∂u/∂t = -Δ(exp(u))"), "backward for every value"),
    ("ill-posed, curvature", data("∂u/∂t = -tanh(∂²u/∂x²)"), "backward for every curvature"),
    # ---- indefinite in the dimension of the space
    ("indefinite, R^20, sines", data("∂u/∂t = (3 + Σᵢ sin(xᵢ))Δu", "x in R^20"), "3 - 20 < 0"),
    ("indefinite, R^20, ones", data(f"∂u/∂t = 3Δu - {ONES}", "x in R^20"), "3 - 20 < 0"),
    ("indefinite, digits, ones", data(f"∂u/∂t = 63Δu - {ONES}", "x in image(1, 8, 8)"), "63 - 64 < 0"),
    ("indefinite, two pixels, ones", data(f"∂u/∂t = Δu - {ONES}", "x in image(1, 1, 2)"), "1 - 2 < 0"),
    ("indefinite, R^20, mixed", data("∂u/∂t = Δu + 3 ∂²u/∂x₁∂x₂₀", "x in R^20"), "1 - 3/2 < 0"),
    # ---- learned diffusivities
    ("learned, symmetric", data("∂u/∂t = S:∇∇u", VECTOR, "learn S : matrix, symmetric"), SIGN),
    ("learned, any matrix", data("∂u/∂t = S:∇∇u", VECTOR, "learn S : matrix"), SIGN),
    ("learned, number", data("∂u/∂t = q Δu", VECTOR, "learn q : scalar"), SIGN),
    ("learned, field", data("∂u/∂t = q Δu", VECTOR, "learn q(x) : scalar = mlp"), SIGN),
    ("learned, cube", data("∂u/∂t = q³ Δu", VECTOR, "learn q : scalar"), SIGN),
    ("learned, tanh", data("∂u/∂t = tanh(q) Δu", VECTOR, "learn q : scalar"), SIGN),
    ("learned, difference", data("∂u/∂t = (a - b)Δu", VECTOR, "learn a : scalar > 0\nlearn b : scalar > 0"), SIGN),
    ("learned, divergence form", data("∂u/∂t = ∇·(q∇u)", VECTOR, "learn q(x) : scalar = mlp"), SIGN),
    ("learned, images", data("∂u/∂t = S:∇∇u", "x in image(1, 8, 8)", "learn S : matrix, symmetric"), SIGN),
    ("learned, symmetric and more", data("∂u/∂t = Δu + S:∇∇u", VECTOR, "learn S : matrix, symmetric"), SIGN),
)
