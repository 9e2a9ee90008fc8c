"""Many dimensions, matrices, learned coefficients, Hessians and fluxes.

- vvᵀ is semidefinite, its root is v: Lipschitz if v is. |x|²I - xxᵀ has the eigenvalues |x|² and 0. The matrix of
  cos(xᵢ - xⱼ) is ccᵀ + ssᵀ with cᵢ = cos xᵢ, sᵢ = sin xᵢ; that of sin(xᵢ + xⱼ) is scᵀ + csᵀ, which is indefinite. Only
  the symmetric part of A counts in A:∇∇u. In ∇·(A∇u) the antisymmetric part is a drift.
- ∇·(g(|∇u|)∇u) has the eigenvalues g and (s g(s))'. For g = c + 1/(1 + s²) the second is c + (1 - s²)/(1 + s²)², at
  least c - ⅛, at s² = 3.
- Σᵢⱼ uᵢ uⱼ uᵢⱼ has the matrix ppᵀ, |p|²Δu - Σᵢⱼ uᵢ uⱼ uᵢⱼ the matrix |p|²I - ppᵀ: both semidefinite. uₓₓ uᵧᵧ - uₓᵧ² has
  the adjugate of ∇∇u, which is semidefinite for convex u alone.
- Learned: for every weight, or for none; else the answer is `unknown`.
"""

from __future__ import annotations

from analysis.more_spec_templates import linear, nonlinear
from analysis.spec_templates import Row, data, declared, image, plane

R3 = "x in R^3"
R4 = "x in R^4"
R50 = "x in R^50"
R100 = "x in R^100"
RD = "x in R^d"
VECTOR = "x in R^2"
THUMB = "x in image(3, 16, 16)"
ONES = "Σᵢ Σⱼ ∂²u/∂xᵢ∂xⱼ"
RADIAL = "Σᵢ Σⱼ xᵢ xⱼ ∂²u/∂xᵢ∂xⱼ"
SLOPES = "Σᵢ Σⱼ ∂u/∂xᵢ ∂u/∂xⱼ ∂²u/∂xᵢ∂xⱼ"
NL = "nonlinear-diffusion"
CD = "convection-diffusion"
RATE = "reaction-diffusion"
NUMBER = "learn q : scalar"
FIELD = "learn q(x) : scalar = mlp"
TWO = declared("learn a : scalar > 0", "learn b : scalar > 0")
SOME = "for some weights"


def many(name: str, space: str, right: str, cells: str, why: str = "", kinds: str = "diffusion") -> Row:
    return linear(f"wide, {name}", data(f"∂u/∂t = {right}", space), kinds, cells, why)


def matrix(name: str, rows: str, cells: str, why: str = "") -> Row:
    return linear(f"wide matrix, {name}", plane("∂u/∂t = A:∇∇u", f"let A(x, y) = {rows}"), "diffusion", cells, why)


def flux(name: str, rows: str, cells: str, why: str = "") -> Row:
    text = plane("∂u/∂t = ∇·(A∇u)", f"let A(x, y) = {rows}")
    return linear(f"wide flux, {name}", text, f"diffusion|{CD}", cells, why)


def learned(name: str, declare: str, right: str, cells: str, why: str = "", kinds: str = "diffusion") -> Row:
    return linear(f"weights, {name}", data(f"∂u/∂t = {right}", VECTOR, declare), kinds, cells, why)


def hessian(name: str, right: str, cells: str, why: str = "", space: str = VECTOR) -> Row:
    return nonlinear(f"wide Hessian, {name}", data(f"∂u/∂t = {right}", space), NL, cells, why)


TABLE: tuple[Row, ...] = (
    # ---- sums over many coordinates
    many("100 + sines", R100, "(100 + Σᵢ sin(xᵢ))Δu", "PPPPPpp"),
    many("99.5 + sines", R100, "(99.5 + Σᵢ sin(xᵢ))Δu", "PPR....", "99.5 - 100"),
    many("thumbnails, 768 + cosines", THUMB, "(768 + Σᵢ cos(xᵢ))Δu", "PPPPPpp"),
    many("thumbnails, 767 + cosines", THUMB, "(767 + Σᵢ cos(xᵢ))Δu", "PPR....", "767 - 768"),
    many("|x|² - x₁²", R100, "(‖x‖² - x₁²)Δu", "PPPPPrr", "a sum of squares; √ is a norm"),
    many("|x|² - 2x₁²", R100, "(‖x‖² - 2x₁²)Δu", "PPR....", "x = (1, 0, …)"),
    many("(Σ xᵢ)² - 1", R50, "((Σᵢ xᵢ)² - 1)Δu", "PPR....", "x = 0"),
    many("product of two sums", RD, "(Σᵢ xᵢ²) (1 + Σᵢ (cos(xᵢ))²)Δu", "PPpPPrr", "not negative"),
    many("(xᵢ - 1)² each", R100, "Σᵢ (xᵢ² - 2xᵢ + 1) ∂²u/∂xᵢ²", "PPPPPrr", "Σ = diag(xᵢ - 1)"),
    many("xᵢ² - 1 each", R100, "Σᵢ (xᵢ² - 1) ∂²u/∂xᵢ²", "PPR....", "x = 0"),
    many("exp xᵢ each", RD, "Σᵢ exp(-xᵢ²) ∂²u/∂xᵢ²", "PPPPPpp"),
    # ---- matrices by formulas
    many("radial", R100, RADIAL, "PPPPPrr", "xxᵀ"),
    many("radial, turned", R100, f"-{RADIAL}", "PPR....", "x = (1, 0, …)"),
    many("tangential", R100, f"‖x‖²Δu - {RADIAL}", "PPpPPrr", "|x|²I - xxᵀ"),
    many("half tangential", R3, f"½‖x‖²Δu - {RADIAL}", "PPR....", "½ - 1 at (1, 0, 0)"),
    many("1/50 of ones", R50, f"Δu - 0.02 {ONES}", "PPPPPPP", "1 - 50/50"),
    many("1/49 of ones", R50, f"49Δu - {ONES}", "PPR....", "49 - 50"),
    many("sin xᵢ sin xⱼ", R50, "Σᵢ Σⱼ sin(xᵢ) sin(xⱼ) ∂²u/∂xᵢ∂xⱼ", "PPPPPpp", "vvᵀ"),
    many("cos(xᵢ - xⱼ)", VECTOR, "Σᵢ Σⱼ cos(xᵢ - xⱼ) ∂²u/∂xᵢ∂xⱼ", "PPPPPpp", "1 ± cos"),
    many("cos(xᵢ - xⱼ), R^3", R3, "Σᵢ Σⱼ cos(xᵢ - xⱼ) ∂²u/∂xᵢ∂xⱼ", "PPpPPpp", "ccᵀ + ssᵀ"),
    many("sin(xᵢ + xⱼ)", R4, "Σᵢ Σⱼ sin(xᵢ + xⱼ) ∂²u/∂xᵢ∂xⱼ", "PPR....", "scᵀ + csᵀ"),
    many("xᵢ + xⱼ", R4, "Σᵢ Σⱼ (xᵢ + xⱼ) ∂²u/∂xᵢ∂xⱼ", "PPR....", "-2 at (-1, …)"),
    many("neighbours", R4, "Δu + ∂²u/∂x₁∂x₂ + ∂²u/∂x₂∂x₃ + ∂²u/∂x₃∂x₄", "PPPPPPP", "1 + cos(kπ/5) > 0"),
    many("neighbours, strong", R4, "Δu + 1.3 ∂²u/∂x₁∂x₂ + 1.3 ∂²u/∂x₂∂x₃ + 1.3 ∂²u/∂x₃∂x₄", "PPR....", "1 - 1.052"),
    matrix("antisymmetric part", "[[1, 3], [-3, 1]]", "PPPPPPP", "Δu"),
    matrix("above the diagonal, 3", "[[1, 3], [0, 1]]", "PPR....", "1 - 3/2"),
    matrix("above the diagonal, 1.9", "[[1, 1.9], [0, 1]]", "PPPPPPP", "1 - 0.95"),
    matrix("uneven antisymmetric part", "[[2, x + y], [-x - y, 2]]", "PPPPPPP", "2Δu"),
    matrix("products", "[[1 + x²y², x y], [x y, 1]]", "PPpPP..", "determinant 1; grows like |x|⁴"),
    matrix("determinant zero", "[[1, cos(x y)], [cos(x y), (cos(x y))²]]", "PPpPP..", "vvᵀ, v = (1, cos(xy))"),
    matrix("exponentials", "[[exp(x), 1], [1, exp(-x)]]", "PPpPP..", "vvᵀ, v = (exp(x/2), exp(-x/2))"),
    flux("antisymmetric part", "[[1, y], [-y, 1]]", "PPPPPpp.P", "Δu less ∂u/∂x"),
    flux("uneven", "[[2 + sin(y), 0], [0, 2 + sin(x)]]", "PPPPPpp.P"),
    flux("sin x off the diagonal", "[[1, sin(x)], [sin(x), 1]]", "PPPPPpp.P", "1 ± sin x"),
    flux("2sin x off the diagonal", "[[1, 2sin(x)], [2sin(x), 1]]", "PPR.....P", "1 - 2"),
    # ---- drifts and rates
    many("sines along each", R100, "Δu + Σᵢ sin(xᵢ) ∂u/∂xᵢ", "PPPPPpp.R", "", CD),
    many("towards 0, flux", R100, "∇·(x u) + 2Δu", "PRPPPpr.P", "", f"{CD}|{RATE}"),
    many("rate -|x|²", RD, "Δu - ‖x‖² u", "PRPPPrr", "a rate that is bounded above", RATE),
    many("rate Σx", RD, "Δu + (Σᵢ xᵢ) u", "PRpPP..", "a rate without a bound", RATE),
    many("rate cos", R100, "Δu + cos(x₂) u", "PRPPPpp", "", RATE),
    # ---- learned numbers
    learned("(1 + q)²", NUMBER, "(1 + 2q + q²)Δu", "PPPPPPP"),
    learned("q² + q", NUMBER, "(q² + q)Δu", "PPU....", "q = -½ and q = 1"),
    learned("q² + q + ¼", NUMBER, "(q² + q + ¼)Δu", "PPPPPPP", "(q + ½)²"),
    learned("q drift", NUMBER, "q ∂u/∂x₁ + Δu", "PPPPPPP", "", CD),
    learned("relu q - 1", NUMBER, "(relu(q) - 1)Δu", "PPU....", SOME),
    learned("min(q, -1)", NUMBER, "min(q, -1)Δu", "PPR....", "for every weight"),
    learned("a - b", TWO, "(a - b)Δu", "PPU....", SOME),
    learned("(a - b)²", TWO, "(a² - 2a b + b²)Δu", "PPPPPPP"),
    learned("a² - a b + b²", TWO, "(a² - a b + b²)Δu", "PPPPPPP", "discriminant -3"),
    learned("a² - 3a b + b²", TWO, "(a² - 3a b + b²)Δu", "PPU....", "a = b, a = 9b"),
    learned("a b", TWO, "a b Δu", "PPPPPPP"),
    learned("min(a, b)", TWO, "min(a, b)Δu", "PPPPPPP"),
    learned("a/b", TWO, "(a/b) Δu", "PPPPPPp"),
    learned("a/(a + b)", TWO, "(a/(a + b)) Δu", "PPPPPPp"),
    learned("log a", TWO, "b log(a)Δu", "PPU....", SOME),
    learned("log(1 + a)", TWO, "b log(1 + a)Δu", "PPPPPPp"),
    learned("exp(-a) - 1", TWO, "b (exp(-a) - 1)Δu", "PPR....", "for every weight"),
    learned("a Δ - b ∂²", TWO, "(a + b)Δu - b ∂²u/∂x₁²", "PPPPPPP", "a and a + b"),
    learned("a Δ - b ∂², wrong", TWO, "a Δu - b ∂²u/∂x₁²", "PPU....", SOME),
    learned("rate", TWO, "a Δu - b u", "PRPPPPP", "", RATE),
    learned("a matrix", "learn A : matrix, psd", "A:∇∇u", "PPPPPPP"),
    learned("a matrix and less", "learn A : matrix, psd", "A:∇∇u - ½Δu", "PPU....", SOME),
    learned("a matrix, twice", "learn A : matrix, psd", "2A:∇∇u - A:∇∇u + Δu", "PPPPPPP"),
    # ---- learned fields
    learned("max(q, 1)", FIELD, "max(q, 1)Δu", "PPPPPpp"),
    learned("1 + relu(q - 1)", FIELD, "(1 + relu(q - 1))Δu", "PPPPPpp"),
    learned("q² - 1", FIELD, "(q² - 1)Δu", "PPU....", SOME),
    learned("tanh q", FIELD, "(tanh(q) + 1.5)Δu", "PPPPPpp"),
    learned("tanh q - 1.5", FIELD, "(tanh(q) - 1.5)Δu", "PPR....", "for every weight"),
    learned("q, flux", "learn q(x) : scalar ≥ 0 = mlp", "∇·(q∇u)", "PPPPPpp.p", "", f"diffusion|{CD}"),
    learned("a matrix field, flux", "learn A(x) : matrix, psd = mlp", "∇·(A∇u)", "PPPPPpp", "", f"diffusion|{CD}"),
    learned("rate field", FIELD, "Δu + q u", "PUPPPpp", "for q = 0 constants stay", RATE),
    learned("rate field, of its square", FIELD, "Δu - (1 + q²) u", "PRPPPpp", "", RATE),
    learned("source field", FIELD, "Δu + q", "UUPPPpp", "for q = 0 nothing is added", f"diffusion|{RATE}"),
    linear(
        "weights, images, directions",
        image(
            "∂u/∂t = v·∇u + ½ Σᵢ vᵢ² ∂²u/∂xᵢ² + κΔu",
            declared("learn v(x, t) : vector = resnet(depth=20)", "learn κ : scalar > 0"),
        ),
        CD,
        "PPPPPpp",
        "a network of any growth",
    ),
    nonlinear(
        "weights, conductivity of the value",
        data("∂u/∂t = ∇·(κ(u)∇u)", VECTOR, "learn κ(u) : scalar > 0 = mlp"),
        NL,
        ".PPPPpp",
    ),
    nonlinear("weights, reaction", data("∂u/∂t = Δu + f(u)", VECTOR, "learn f(u) : scalar = mlp"), RATE, "..PPPpp"),
    # ---- Hessians
    hessian("infinity Laplacian", SLOPES, "RPPPPpp", "ppᵀ"),
    hessian("infinity Laplacian, turned", f"-{SLOPES}", "RPR....", "-ppᵀ"),
    hessian("curvature times |∇u|²", f"‖∇u‖²Δu - {SLOPES}", "RPPPPpp", "|p|²I - ppᵀ"),
    hessian("half the curvature", f"½‖∇u‖²Δu - {SLOPES}", "RPR....", "½ - 1 along p"),
    hessian("Monge-Ampère", "∂²u/∂x₁² ∂²u/∂x₂² - (∂²u/∂x₁∂x₂)²", "RPR....", "for concave u it falls"),
    hessian("square of Δ", "(Δu)²", "RPR....", "falls at -1"),
    hessian("silu of Δ", "Δu/(1 + exp(-Δu))", "RPR....", "falls at -2", RD),
    hessian("exp(slope) Δ", "exp(∂u/∂x₁) Δu", "RPPPPpp"),
    hessian("slope Δ", "∂u/∂x₁ Δu", "RPR....", "slope -1", R100),
    hessian("hardtanh of Δ", "hardtanh(Δu) + Δu", "RPPPPpp", "", R100),
    hessian("sinh of Δ", "sinh(Δu)", "RPPPPpp", "", R50),
    hessian("max of three", "max(Δu, 2Δu - 1, ∂u/∂x₁)", "RPPPPpp"),
    hessian("Δ less a half of its modulus", "Δu - 0.9abs(Δu)", "RPPPPpp", "slopes 0.1 and 1.9", R100),
    hessian("Δ less its modulus", "Δu - 1.1abs(Δu)", "RPR....", "slope -0.1", R100),
    hessian("|Δ| of each", "Δu + Σᵢ abs(∂²u/∂xᵢ²)", "RPPPPpp", "slopes 0 and 2"),
    hessian("relu each", "Σᵢ relu(∂²u/∂xᵢ²)", "RPPPPpp", "", RD),
    hessian("relu each, turned", "Δu - 2 Σᵢ relu(∂²u/∂xᵢ²)", "RPR....", "slope -1", R4),
    # ---- fluxes
    hessian("flux, 1 + 1/(1 + s²)", "∇·((1 + 1/(1 + ‖∇u‖²))∇u)", "RPPPPpp", "1 - ⅛"),
    hessian("flux, 0.1 + 1/(1 + s²)", "∇·((0.1 + 1/(1 + ‖∇u‖²))∇u)", "RPR....", "0.1 - ⅛ at s² = 3"),
    hessian("flux, 0.13 + 1/(1 + s²)", "∇·((0.13 + 1/(1 + ‖∇u‖²))∇u)", "RPpPPpp", "0.13 - ⅛"),
    hessian("flux, exp(-s²)", "∇·(exp(-‖∇u‖²)∇u)", "RPR....", "(1 - 2s²)exp(-s²) at 1"),
    hessian("flux, exp s²", "∇·(exp(‖∇u‖²)∇u)", "RPPPPpp"),
    hessian("flux, log(1 + s²)", "∇·(log(1 + ‖∇u‖²)∇u)", "RPPPPpp", "", RD),
    hessian("flux, of u and s", "∇·((1 + u²) (1 + ‖∇u‖²)∇u)", "RPpPPpp", "positive"),
    hessian("flux, u² - 1", "∇·((u² - 1)∇u)", "RPR....", "u = 0"),
)
