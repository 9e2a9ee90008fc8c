"""Spaces in index notation: R^20, R^d, and images of every size.

The matrix of ΣᵢΣⱼ ∂²u/∂xᵢ∂xⱼ in n dimensions is eeᵀ, e = (1, …, 1): its eigenvalues are n, once, and zero. So
a Δu + b ΣᵢΣⱼ ∂²u/∂xᵢ∂xⱼ has the eigenvalues a + bn and, from n = 2 on, a. For scalars, comparison on Rⁿ holds if
A = ΣΣᵀ ⪰ 0 with Σ Lipschitz and drifts Lipschitz (Crandall, Ishii, Lions 1992, theorem 8.2); the root of a C² function
a ≥ 0 with bounded second derivatives is Lipschitz (Stroock and Varadhan, theorem 5.2.3). Where A has a negative
eigenvalue at one point, data that oscillate there grow (Hadamard), and no comparison can hold: R.

Bounded smooth coefficients: spatial and temporal regularity are true; coefficients of A that grow like |x|² break both.
On R^d the claim is for every d.
"""

from __future__ import annotations

from analysis.more_spec_templates import linear
from analysis.spec_templates import Row, data, declared, image

R20 = "x in R^20"
RD = "x in R^d"
DIGITS = "x in image(1, 8, 8)"
PIXEL = "x in image(1, 1, 1)"
TWO = "x in image(1, 1, 2)"
FOUR = "x in image(1, 2, 2)"
COLOUR = "x in image(3, 1, 1)"
ONES = "Σᵢ Σⱼ ∂²u/∂xᵢ∂xⱼ"
DIMENSION = "it holds in some dimensions and fails in others"

TABLE: tuple[Row, ...] = (
    # ---- isotropic coefficients with sums over coordinates
    linear("R^20, 3 + sines", data("∂u/∂t = (3 + Σᵢ sin(xᵢ))Δu", R20), "diffusion", "PPR....", "3 - 20 at -π/2"),
    linear("R^20, 19 + sines", data("∂u/∂t = (19 + Σᵢ sin(xᵢ))Δu", R20), "diffusion", "PPR....", "19 - 20 at -π/2"),
    linear("R^20, 20 + sines", data("∂u/∂t = (20 + Σᵢ sin(xᵢ))Δu", R20), "diffusion", "PPPPPpp"),
    linear("R^20, 21 + sines", data("∂u/∂t = (21 + Σᵢ sin(xᵢ))Δu", R20), "diffusion", "PPPPPpp"),
    linear("R^3, 3 + sines", data("∂u/∂t = (3 + Σᵢ sin(xᵢ))Δu", "x in R^3"), "diffusion", "PPPPPpp"),
    linear("R^d, 3 + sines", data("∂u/∂t = (3 + Σᵢ sin(xᵢ))Δu", RD), "diffusion", "PPr....", DIMENSION),
    linear("pixel, 1 + sines", data("∂u/∂t = (1 + Σᵢ sin(xᵢ))Δu", PIXEL), "diffusion", "PPPPPpp"),
    linear("two pixels, 1 + sines", data("∂u/∂t = (1 + Σᵢ sin(xᵢ))Δu", TWO), "diffusion", "PPR....", "1 - 2 at -π/2"),
    linear("digits, 63 + sines", data("∂u/∂t = (63 + Σᵢ sin(xᵢ))Δu", DIGITS), "diffusion", "PPR....", "63 - 64 < 0"),
    linear("digits, 65 + sines", data("∂u/∂t = (65 + Σᵢ sin(xᵢ))Δu", DIGITS), "diffusion", "PPPPPpp"),
    linear("R^20, 1 + |x|²", data("∂u/∂t = (1 + ‖x‖²)Δu", R20), "diffusion", "PPPPPrr"),
    linear("R^d, |x|²", data("∂u/∂t = (Σᵢ xᵢ²)Δu", RD), "diffusion", "PPPPPrr", "Σ = |x| is Lipschitz"),
    linear("R^20, 4 - |x|²", data("∂u/∂t = (4 - ‖x‖²)Δu", R20), "diffusion", "PPR....", "x = (3, 0, …)"),
    linear("R^d, 1 + sum of x", data("∂u/∂t = (1 + Σᵢ xᵢ)Δu", RD), "diffusion", "PPR....", "x = (-2, 0, …)"),
    linear(
        "colour, 1 + sines squared",
        data("∂u/∂t = (1 + Σᵢ (sin(xᵢ))²)Δu", "x in image(3, 4, 4)"),
        "diffusion",
        "PPPPPpp",
    ),
    linear(
        "R^20, divergence form",
        data("∂u/∂t = ∇·((21 + Σᵢ cos(xᵢ))∇u)", R20),
        "diffusion|convection-diffusion",
        "PPPPPpp",
    ),
    linear(
        "R^20, divergence form, indefinite",
        data("∂u/∂t = ∇·((12 + Σᵢ cos(xᵢ))∇u)", R20),
        "diffusion|convection-diffusion",
        "PPR....",
        "12 - 20 < 0 at (π, …, π)",
    ),
    linear("R^20, 1/(1 + |x|²)", data("∂u/∂t = Δu/(1 + ‖x‖²)", R20), "diffusion", "PPPPPpp"),
    linear("R^20, exp(-|x|²)", data("∂u/∂t = exp(-‖x‖²) Δu", R20), "diffusion", "PPPPPpp"),
    # ---- diagonal coefficients
    linear("R^d, 2 + sin xᵢ each", data("∂u/∂t = Σᵢ (2 + sin(xᵢ)) ∂²u/∂xᵢ²", RD), "diffusion", "PPPPPpp"),
    linear("R^d, xᵢ each", data("∂u/∂t = Σᵢ xᵢ ∂²u/∂xᵢ²", RD), "diffusion", "PPR....", "x₁ = -1"),
    linear("digits, xᵢ² each", data("∂u/∂t = Σᵢ xᵢ² ∂²u/∂xᵢ²", DIGITS), "diffusion", "PPPPPrr", "Σ = diag x"),
    linear("R^17, each", data("∂u/∂t = Σᵢ ∂²u/∂xᵢ²", "x in R^17"), "diffusion", "PPPPPPP"),
    linear("R^20, sum of x before each", data("∂u/∂t = Σᵢ (Σⱼ xⱼ)² ∂²u/∂xᵢ²", R20), "diffusion", "PPPPPrr"),
    # ---- one named coordinate
    linear("R^20, 1 + x₁", data("∂u/∂t = (1 + x₁)Δu", R20), "diffusion", "PPR....", "x₁ = -2"),
    linear("digits, 1 + x₁", data("∂u/∂t = (1 + x₁)Δu", DIGITS), "diffusion", "PPR....", "x₁ = -2"),
    linear("R^20, 2 + sin x₂₀", data("∂u/∂t = (2 + sin(x₂₀))Δu", R20), "diffusion", "PPPPPpp"),
    linear("R^20, sin x₂₀", data("∂u/∂t = sin(x₂₀)Δu", R20), "diffusion", "PPR....", "x₂₀ = -π/2"),
    linear("R^20, a square in disguise", data("∂u/∂t = (x₁² - 2x₁ x₂ + x₂² + 1)Δu", R20), "diffusion", "PPPPPrr"),
    linear("R^20, 1 + x₁x₂₀", data("∂u/∂t = (1 + x₁ x₂₀)Δu", R20), "diffusion", "PPR....", "x₁ = 2, x₂₀ = -1"),
    linear("R^20, one direction", data("∂u/∂t = ∂²u/∂x₁²", R20), "diffusion", "PPPPPPP"),
    linear("digits, one against another", data("∂u/∂t = ∂²u/∂x₁² - ∂²u/∂x₂²", DIGITS), "diffusion", "PPR...."),
    linear("R^20, all but the last", data("∂u/∂t = Δu - ∂²u/∂x₂₀²", R20), "diffusion", "PPPPPPP"),
    linear("R^20, the last turned", data("∂u/∂t = Δu - 2 ∂²u/∂x₂₀²", R20), "diffusion", "PPR...."),
    linear("R^20, mixed 3/2", data("∂u/∂t = Δu + 1.5 ∂²u/∂x₁∂x₂", R20), "diffusion", "PPPPPPP", "1 ± ¾"),
    linear("R^20, mixed 2", data("∂u/∂t = Δu + 2 ∂²u/∂x₁∂x₂₀", R20), "diffusion", "PPPPPPP", "1 ± 1"),
    linear("R^20, mixed 3", data("∂u/∂t = Δu + 3 ∂²u/∂x₁∂x₂₀", R20), "diffusion", "PPR....", "1 - 3/2 < 0"),
    linear("digits, transport along x₁", data("∂u/∂t = x₂ ∂u/∂x₁", DIGITS), "transport", "PPPPPpr"),
    # ---- all mixed derivatives
    linear("R^20, ones", data(f"∂u/∂t = {ONES}", R20), "diffusion", "PPPPPPP", "eigenvalues 20 and 0"),
    linear("R^20, 20 less ones", data(f"∂u/∂t = 20Δu - {ONES}", R20), "diffusion", "PPPPPPP", "eigenvalues 0 and 20"),
    linear("R^20, 19 less ones", data(f"∂u/∂t = 19Δu - {ONES}", R20), "diffusion", "PPR....", "19 - 20 < 0"),
    linear("R^20, 3 less ones", data(f"∂u/∂t = 3Δu - {ONES}", R20), "diffusion", "PPR....", "3 - 20 < 0"),
    linear("R^3, 3 less ones", data(f"∂u/∂t = 3Δu - {ONES}", "x in R^3"), "diffusion", "PPPPPPP"),
    linear("R^20, ones less 1", data(f"∂u/∂t = {ONES} - Δu", R20), "diffusion", "PPR....", "eigenvalue -1"),
    linear("two pixels, 2 less ones", data(f"∂u/∂t = 2Δu - {ONES}", TWO), "diffusion", "PPPPPPP"),
    linear("two pixels, 1 less ones", data(f"∂u/∂t = Δu - {ONES}", TWO), "diffusion", "PPR....", "1 - 2 < 0"),
    linear("four pixels, 4 less ones", data(f"∂u/∂t = 4Δu - {ONES}", FOUR), "diffusion", "PPPPPPP"),
    linear("four pixels, 3 less ones", data(f"∂u/∂t = 3Δu - {ONES}", FOUR), "diffusion", "PPR....", "3 - 4 < 0"),
    linear("three colours, 3 less ones", data(f"∂u/∂t = 3Δu - {ONES}", COLOUR), "diffusion", "PPPPPPP"),
    linear("digits, 64 less ones", data(f"∂u/∂t = 64Δu - {ONES}", DIGITS), "diffusion", "PPPPPPP"),
    linear("digits, 63 less ones", data(f"∂u/∂t = 63Δu - {ONES}", DIGITS), "diffusion", "PPR....", "63 - 64 < 0"),
    linear("classes, 64 less ones", image(f"∂u/∂t = 64Δu - {ONES}"), "diffusion", "PPPPPPP"),
    linear("classes, 9 less ones", image(f"∂u/∂t = 9Δu - {ONES}"), "diffusion", "PPR....", "9 - 64 < 0"),
    linear("R^d, half and ones", data(f"∂u/∂t = ½Δu + {ONES}", RD), "diffusion", "PPPPPPP", "½ and ½ + d"),
    linear("R^d, 1 less ones", data(f"∂u/∂t = Δu - {ONES}", RD), "diffusion", "PPr....", DIMENSION),
    linear("R^d, minus ones", data(f"∂u/∂t = -{ONES}", RD), "diffusion", "PPR....", "eigenvalue -d"),
    linear(
        "R^d, d = 5, 5 less ones",
        data(f"∂u/∂t = d Δu - {ONES}", RD, "const d = 5"),
        "diffusion",
        "PPPPPPP",
        "d is a number",
    ),
    linear(
        "R^d, d = 5, 4 less ones", data(f"∂u/∂t = 4Δu - {ONES}", RD, "const d = 5"), "diffusion", "PPR....", "4 - 5 < 0"
    ),
    linear(
        "pixel, nothing is left",
        data(f"∂u/∂t = Δu - {ONES}", PIXEL),
        "ode|diffusion|transport",
        "PPPPPpp",
        "in one dimension the two are the same: ∂u/∂t = 0",
    ),
    # ---- drifts, rates and learned coefficients
    linear("R^d, along the diagonal", data("∂u/∂t = Δu + Σᵢ ∂u/∂xᵢ", RD), "convection-diffusion", "PPPPPPP"),
    linear("R^20, outward", data("∂u/∂t = Σᵢ xᵢ ∂u/∂xᵢ", R20), "transport", "PPPPPpr"),
    linear("R^20, rates of all signs", data("∂u/∂t = Δu + (Σᵢ sin(xᵢ)) u", R20), "reaction-diffusion", "PRPPPpp"),
    linear(
        "R^20, learned positive less ones",
        data(f"∂u/∂t = (20 + κ)Δu - {ONES}", R20, "learn κ : scalar > 0"),
        "diffusion",
        "PPPPPPP",
    ),
    linear(
        "R^20, learned positive and sines",
        data("∂u/∂t = (20 + κ + Σᵢ sin(xᵢ))Δu", R20, "learn κ : scalar > 0"),
        "diffusion",
        "PPPPPpp",
    ),
    linear(
        "R^20, a learned number before ones",
        data(f"∂u/∂t = 2Δu + (a - 0.1) {ONES}", R20, declared("learn a : scalar ≥ 0")),
        "diffusion",
        "PPPPPPP",
        "2 and 2 + 20(a - 0.1) ≥ 0",
    ),
)
