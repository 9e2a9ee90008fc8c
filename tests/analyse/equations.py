"""Equations with their class and the truth about their axioms, by mathematics and never read off the program.

Capital letters are demands. Small letters say what is true, and where the program may answer that it does not know.

Reasons that recur:
- A velocity or a matrix that grows has no temporal regularity: sin(eᵗx) - sin(x) reaches 2 for every t > 0.
- ∂u/∂t = F(…, u, ∇u, ∇∇u) has comparison where ∂F/∂(∇∇u) is positive semidefinite, whatever F does with u.
- A solution of second order in time that starts at rest is an average of its data on the line (d'Alembert), not in the
  plane; its value alone is no state.
- Mass is kept by a divergence whose flux has the same value at both ends.
- Y - δt Kᵀσ(KY) moves no two maps apart if σ is monotone with slope at most L and δt L‖K‖² ≤ 2; its norm does not grow
  if, besides, σ(0) = 0.
"""

from __future__ import annotations

from analyse.frames import Row, data, declared, image, maps, pair, plane, ring, rod, still, torus

V = "learn v(x, t) : vector = mlp"
VI = "learn v(x, t) : vector = resnet(depth=20)"
VECTOR = "x in R^2"
GENERAL = "x in R^d"
LEARNED = "the network of a learned field may have any growth"
BOUND = "learn K(t) : operator, ‖K‖ ≤ 1 = conv(3)"
STATIC = "learn K : operator, ‖K‖ ≤ 1 = conv(3)"
FREE = "learn K(t) : operator = conv(3)"
TWO = declared("learn K1(t) : operator = conv(3)", "learn K2(t) : operator = conv(3)")
STATIC_TWO = declared("learn K1 : operator = conv(3)", "learn K2 : operator = conv(3)")
TV = "let N = tv_norm(eps=1e-3)"
REST = "∂u/∂t(x, 0) = 0"
REST_PLANE = "∂u/∂t(x, y, 0) = 0"
Y_REST = "∂Y/∂t(x, 0) = 0"
VECTOR_HEAT = """pde Row
space x in R^2
time t in [0, 1]
unknown u(x, t) : vector(2)
∂u/∂t = Δu
u(x, 0) = [exp(-‖x‖²), 1]
"""

TRANSPORT = (
    Row("transport, constant", data("∂u/∂t = 2 ∂u/∂x"), ("transport",), True, 1, "PPPPPPP"),
    Row("transport, other sign", data("∂u/∂t + 2 ∂u/∂x = 0"), ("transport",), True, 1, "PPPPPPP"),
    Row("transport, terminal", data("∂u/∂t + 2 ∂u/∂x = 0", at="1"), ("transport",), True, 1, "PPPPPPP"),
    Row("transport, ASCII", data("2 du/dt - dot([1, 3], grad(u)) = 0", VECTOR), ("transport",), True, 1, "PPPPPPP"),
    Row("transport, a heat term cancels", data("∂u/∂t - Δu = ∂u/∂x - Δu"), ("transport",), True, 1, "PPPPPPP"),
    Row("transport, in time", data("∂u/∂t = t ∂u/∂x"), ("transport",), True, 1, "PPPPPPp"),
    Row("transport, bounded velocity", data("∂u/∂t = sin(x) ∂u/∂x"), ("transport",), True, 1, "PPPPPpp"),
    Row(
        "transport, rotation", plane("∂u/∂t = v·∇u", "let v(x, y) = [-y, x]"), ("transport",), True, 1, "PPPPPpr",
        "a velocity that grows is fine on every bounded set",
    ),
    Row("transport, learned", data("∂u/∂t = v·∇u", VECTOR, V), ("transport",), True, 1, "PPPPPpp"),
    Row("transport, learned, other sign", data("∂u/∂t + v·∇u = 0", VECTOR, V), ("transport",), True, 1, "PPPPPpp"),
    Row("transport, learned, terminal", data("∂u/∂t = -v·∇u", VECTOR, V, "1"), ("transport",), True, 1, "PPPPPpp"),
    Row("transport, learned, any dimension", data("∂u/∂t = v·∇u", GENERAL, V), ("transport",), True, 1, "PPPPPpp"),
    Row(
        "transport, residual network", image("∂u/∂t = v·∇u", VI), ("transport",), True, 1, "PPPPPpU", LEARNED,
    ),
    Row(
        "transport, divergence-free",
        data("∂u/∂t = v·∇u", VECTOR, "learn v(x) : vector, divergence_free = mlp"),
        ("transport",), True, 1, "PPPPPpp",
    ),
    Row("transport, with a source", data("∂u/∂t = ∂u/∂x + exp(-x²)"), ("transport",), True, 1, "RRPPPpp"),
    Row(
        "transport, with decay", data("∂u/∂t = ∂u/∂x - u"), ("transport|reaction-diffusion",), True, 1, "PRPPPPP",
        "the reaction is bounded by the data",
    ),
    Row("Burgers, inviscid", data("∂u/∂t + u ∂u/∂x = 0"), ("transport|hamilton-jacobi",), False, 1, "RPPPPpp"),
    Row(
        "Burgers, inviscid, conservative",
        data("∂u/∂t + ½ ∂(u²)/∂x = 0"),
        ("transport|hamilton-jacobi",), False, 1, "RPPPPpp",
    ),
)

CONVECTION_DIFFUSION = (
    Row(
        "convection-diffusion, constant", data("∂u/∂t = 2 ∂u/∂x + ½ ∂²u/∂x²"),
        ("convection-diffusion",), True, 1, "PPPPPPP",
    ),
    Row(
        "convection-diffusion, rotation", plane("∂u/∂t = v·∇u + 0.04Δu", "let v(x, y) = [-y, x]"),
        ("convection-diffusion",), True, 1, "PPPPPpr", "a velocity that grows is fine on every bounded set",
    ),
    Row(
        "convection-diffusion, Feynman-Kac", image("∂u/∂t + v·∇u + ½σ²Δu = 0", declared(VI, "const σ = 0.1"), "1"),
        ("convection-diffusion",), True, 1, "PPPPPpU", LEARNED,
    ),
    Row(
        "convection-diffusion, full matrix",
        data("∂u/∂t = v·∇u + A:∇∇u", VECTOR, declared(V, "const A = [[0.10, 0.04], [0.04, 0.05]]")),
        ("convection-diffusion",), True, 1, "PPPPPpp",
    ),
    Row(
        "convection-diffusion, learned matrix",
        data("∂u/∂t = v·∇u + A:∇∇u", VECTOR, declared(V, "learn A(x) : matrix, psd = mlp")),
        ("convection-diffusion",), True, 1, "PPPPPpp",
    ),
    Row(
        "convection-diffusion, learned matrix, images",
        image("∂u/∂t = v·∇u + A:∇∇u", declared(VI, "learn A : matrix, psd")),
        ("convection-diffusion",), True, 1, "PPPPPpU", LEARNED,
    ),
    Row(
        "dropout", image("∂u/∂t = v·∇u + (1-p)/(2p) Σᵢ vᵢ² ∂²u/∂xᵢ²", declared(VI, "const p = 0.9")),
        ("convection-diffusion",), True, 1, "PPPPP..", LEARNED, ("dropout",),
    ),
    Row(
        "dropout, in the plane",
        data("∂u/∂t = v·∇u + (1-p)/(2p) Σᵢ vᵢ² ∂²u/∂xᵢ²", VECTOR, declared(V, "const p = 0.5")),
        ("convection-diffusion",), True, 1, "PPPPPpp", LEARNED, ("dropout",),
    ),
    Row(
        "dropout, any dimension", data("∂u/∂t = v·∇u + ¼ Σᵢ vᵢ² ∂²u/∂xᵢ²", GENERAL, V),
        ("convection-diffusion",), True, 1, "PPPPPpp",
    ),
    Row(
        "dropout, no probability", image("∂u/∂t = v·∇u + (1-p)/(2p) Σᵢ vᵢ² ∂²u/∂xᵢ²", declared(VI, "const p = 1.5")),
        ("convection-diffusion",), True, 1, "PPr....", "a velocity of zero would do",
    ),
    Row("Burgers", data("∂u/∂t + u ∂u/∂x = 0.1 ∂²u/∂x²"), ("convection-diffusion",), False, 1, "RPPPPpp"),
    Row(
        "Fokker-Planck", data("∂u/∂t = ∂(x u)/∂x + ∂²u/∂x²"),
        ("convection-diffusion|reaction-diffusion",), True, 1, "PRPPPpr",
    ),
    Row(
        "convection-diffusion, backward", data("∂u/∂t = ∂u/∂x - ∂²u/∂x²"),
        ("convection-diffusion",), True, 1, "PPR....",
    ),
    Row(
        "convection-diffusion, data at the wrong end", data("∂u/∂t = ∂u/∂x + ∂²u/∂x²", at="1"),
        ("convection-diffusion",), True, 1, "PPR....",
    ),
    Row(
        "split in time",
        data("∂u/∂t = v·∇u for t in [0, ½]\n∂u/∂t = ½Δu for t in [½, 1]", VECTOR, V),
        ("transport", "diffusion"), True, 1, "PPPPPpp",
    ),
)

DIFFUSION = (
    Row("heat", data("∂u/∂t = Δu"), ("diffusion",), True, 1, "PPPPPPP"),
    Row("heat, plane", data("∂u/∂t = σ²Δu", VECTOR, "const σ² = 0.2"), ("diffusion",), True, 1, "PPPPPPP"),
    Row("heat, any dimension", data("∂u/∂t = ½Δu", GENERAL), ("diffusion",), True, 1, "PPPPPPP"),
    Row("heat, images", image("∂u/∂t = ½Δu"), ("diffusion",), True, 1, "PPPPPPP"),
    Row("heat, terminal", data("∂u/∂t + Δu = 0", at="1"), ("diffusion",), True, 1, "PPPPPPP"),
    Row("heat, diagonal", plane("∂u/∂t = ∂²u/∂x² + 2 ∂²u/∂y²"), ("diffusion",), True, 1, "PPPPPPP"),
    Row("heat, one direction", plane("∂u/∂t = ∂²u/∂x²"), ("diffusion",), True, 1, "PPPPPPP"),
    Row(
        "heat, full matrix", data("∂u/∂t = A:∇∇u", VECTOR, "const A = [[2, 1], [1, 1]]"),
        ("diffusion",), True, 1, "PPPPPPP",
    ),
    Row(
        "heat, semidefinite matrix", data("∂u/∂t = ∇·(A·∇u)", VECTOR, "const A = [[1, 1], [1, 1]]"),
        ("diffusion",), True, 1, "PPPPPPP",
    ),
    Row(
        "heat, only the symmetric part counts", data("∂u/∂t = A:∇∇u", VECTOR, "const A = [[1, 5], [-5, 1]]"),
        ("diffusion",), True, 1, "PPPPPPP",
    ),
    Row("heat, in time", data("∂u/∂t = (1 + t)Δu"), ("diffusion",), True, 1, "PPPPPPp"),
    Row("heat, degenerate in time", data("∂u/∂t = t Δu"), ("diffusion",), True, 1, "PPPPPPp"),
    Row("heat, bounded coefficient", data("∂u/∂t = (2 + sin(x)) Δu"), ("diffusion",), True, 1, "PPPPPpp"),
    Row("heat, coefficient that grows", data("∂u/∂t = (1 + x²) Δu"), ("diffusion",), True, 1, "PPPPPrr"),
    Row("heat, heavy medium", data("(1 + x²) ∂u/∂t = Δu"), ("diffusion",), True, 1, "PPPPPpp"),
    Row(
        "heat, divergence form", data("∂u/∂t = ∇·((1 + x²)∇u)"),
        ("diffusion|convection-diffusion",), True, 1, "PPPPPrr",
    ),
    Row(
        "heat, divergence form worked out", data("∂u/∂t = (1 + x²) ∂²u/∂x² + 2x ∂u/∂x"),
        ("diffusion|convection-diffusion",), True, 1, "PPPPPrr",
    ),
    Row(
        "heat, matrix of the place", plane("∂u/∂t = A:∇∇u", "let A(x, y) = [[1 + x², x y], [x y, 1 + y²]]"),
        ("diffusion",), True, 1, "PPPPPrr",
    ),
    Row(
        "heat, learned positive", data("∂u/∂t = κΔu", VECTOR, "learn κ(x) : scalar > 0 = mlp"),
        ("diffusion",), True, 1, "PPPPPpp",
    ),
    Row(
        "heat, learned number", data("∂u/∂t = κΔu", VECTOR, "learn κ : scalar ≥ 0"),
        ("diffusion",), True, 1, "PPPPPPP",
    ),
    Row("heat, learned square", data("∂u/∂t = s²Δu", VECTOR, "learn s : scalar"), ("diffusion",), True, 1, "PPPPPPP"),
    Row(
        "heat, learned exponent", data("∂u/∂t = exp(s)Δu", VECTOR, "learn s : scalar"),
        ("diffusion",), True, 1, "PPPPPPp",
    ),
    Row(
        "heat, learned, any sign", data("∂u/∂t = s Δu", VECTOR, "learn s : scalar"),
        ("diffusion",), True, 1, "PPU....",
    ),
    Row(
        "heat, difference of learned", data("∂u/∂t = (a - b)Δu", VECTOR, "learn a : scalar > 0\nlearn b : scalar > 0"),
        ("diffusion",), True, 1, "PPU....",
    ),
    Row(
        "heat, learned psd matrix", data("∂u/∂t = A:∇∇u", GENERAL, "learn A : matrix, psd"),
        ("diffusion",), True, 1, "PPPPPPP",
    ),
    Row(
        "heat, learned psd matrix and more", data("∂u/∂t = A:∇∇u + Δu", VECTOR, "learn A : matrix, psd"),
        ("diffusion",), True, 1, "PPPPPPP",
    ),
    Row(
        "heat, learned psd matrix and less", data("∂u/∂t = A:∇∇u - Δu", VECTOR, "learn A : matrix, psd"),
        ("diffusion",), True, 1, "PPU....",
    ),
    Row(
        "heat, learned psd matrix, images", image("∂u/∂t = A:∇∇u", "learn A : matrix, psd"),
        ("diffusion",), True, 1, "PPPPPPP",
    ),
    Row(
        "heat, learned matrix", data("∂u/∂t = A:∇∇u", VECTOR, "learn A : matrix"), ("diffusion",), True, 1, "PPU....",
    ),
    Row(
        "heat, learned symmetric matrix", data("∂u/∂t = A:∇∇u", VECTOR, "learn A : matrix, symmetric"),
        ("diffusion",), True, 1, "PPU....",
    ),
    Row(
        "heat, along a learned direction", data("∂u/∂t = Σᵢⱼ vᵢ vⱼ ∂²u/∂xᵢ∂xⱼ", VECTOR, V),
        ("diffusion",), True, 1, "PPPPPpp",
    ),
    Row(
        "heat, learned divergence form", data("∂u/∂t = ∇·(κ∇u)", VECTOR, "learn κ(x) : scalar > 0 = mlp"),
        ("diffusion|convection-diffusion",), True, 1, "PPPPPpp",
    ),
    Row("heat, with a source", data("∂u/∂t = Δu + exp(-x²)"), ("diffusion|reaction-diffusion",), True, 1, "RRPPPpp"),
    Row(
        "heat, with a learned source", data("∂u/∂t = Δu + q", VECTOR, "learn q(x) : scalar = mlp"),
        ("diffusion|reaction-diffusion",), True, 1, "rrPPPpp", "a source of zero would do",
    ),
    Row("heat, of vectors", VECTOR_HEAT, ("diffusion",), True, 1, "pPpPPpp", "an order of vectors is a convention"),
    Row("heat, backward", data("∂u/∂t = -Δu"), ("diffusion",), True, 1, "PPR...."),
    Row("heat, backward in disguise", data("-3 ∂u/∂t = 3Δu", VECTOR), ("diffusion",), True, 1, "PPR...."),
    Row("heat, backward, any dimension", data("∂u/∂t + Δu = 0", GENERAL), ("diffusion",), True, 1, "PPR...."),
    Row("heat, data at the wrong end", data("∂u/∂t = Δu", at="1"), ("diffusion",), True, 1, "PPR...."),
    Row(
        "heat, learned, backward", data("∂u/∂t = -κΔu", VECTOR, "learn κ : scalar > 0"),
        ("diffusion",), True, 1, "PPR....",
    ),
    Row(
        "heat, indefinite matrix", data("∂u/∂t = A:∇∇u", VECTOR, "const A = [[1, 2], [2, 1]]"),
        ("diffusion",), True, 1, "PPR....",
    ),
    Row("heat, indefinite diagonal", plane("∂u/∂t = ∂²u/∂x² - ∂²u/∂y²"), ("diffusion",), True, 1, "PPR...."),
    Row("heat, only mixed", plane("∂u/∂t = ∂²u/∂x∂y"), ("diffusion",), True, 1, "PPR...."),
    Row("heat, sign of the place", data("∂u/∂t = x Δu"), ("diffusion",), True, 1, "PPR...."),
    Row("heat, sign of the time", data("∂u/∂t = (t - ½) Δu"), ("diffusion",), True, 1, "PPR...."),
    Row(
        "heat, indefinite far out", plane("∂u/∂t = A:∇∇u", "let A(x, y) = [[1, x], [x, 1]]"),
        ("diffusion",), True, 1, "PPR....",
    ),
)

REACTION_DIFFUSION = (
    Row("Fisher-KPP", data("∂u/∂t = Δu + u (1 - u)"), ("reaction-diffusion",), False, 1, "RRPPPp."),
    Row(
        "Fisher-KPP, any dimension", data("∂u/∂t = Δu + u - u²", GENERAL),
        ("reaction-diffusion",), False, 1, "RRPPPp.",
    ),
    Row("Allen-Cahn", plane("∂u/∂t = Δu + u - u³"), ("reaction-diffusion",), False, 1, "RRPPPpp"),
    Row("decay", data("∂u/∂t = Δu - u"), ("reaction-diffusion",), True, 1, "PRPPPPp"),
    Row("growth", data("∂u/∂t = Δu + 2u", VECTOR), ("reaction-diffusion",), True, 1, "PRPPPPp"),
    Row(
        "decay towards a value", data("∂u/∂t = Δu + λ(a - u)", VECTOR, "const λ = 2\nconst a = 3"),
        ("reaction-diffusion",), True, 1, "RRPPPPp",
    ),
    Row(
        "learned rate", data("∂u/∂t = Δu + r u", VECTOR, "learn r(x) : scalar = mlp"),
        ("reaction-diffusion",), True, 1, "PrPPPpp", "a rate of zero would do",
    ),
    Row(
        "learned reaction", data("∂u/∂t = Δu + f(u)", VECTOR, "learn f(u) : scalar = mlp"),
        ("reaction-diffusion",), False, 1, "rrpPPpp", "the network may be zero, and its slope has no bound in its type",
    ),
    Row("potential", data("∂u/∂t = Δu - x² u"), ("reaction-diffusion",), True, 1, "PRPPP.."),
    Row(
        "convection, reaction, diffusion", data("∂u/∂t = v·∇u + Δu - 2u", VECTOR, V),
        ("reaction-diffusion|convection-diffusion",), True, 1, "PRPPPpp",
    ),
    Row("backward, with decay", data("∂u/∂t = -Δu - u"), ("reaction-diffusion",), True, 1, "PRR...."),
    Row(
        "predators that spread",
        pair("∂u/∂t = Δu + u (1 - v)", "∂v/∂t = Δv + v (u - 1)"),
        ("reaction-diffusion", "reaction-diffusion"), False, 1, "RRrPP..", "an order of pairs is a convention",
    ),
)

NONLINEAR_DIFFUSION = (
    Row("p-Laplacian", data("∂u/∂t = ∇·(‖∇u‖² ∇u)", VECTOR), ("nonlinear-diffusion",), False, 1, "RPPPPpp"),
    Row("p-Laplacian, line", data("∂u/∂t = ∂((∂u/∂x)³)/∂x"), ("nonlinear-diffusion",), False, 1, "RPPPPpp"),
    Row(
        "p-Laplacian, any dimension", data("∂u/∂t = ∇·(‖∇u‖² ∇u)", GENERAL),
        ("nonlinear-diffusion",), False, 1, "RPPPPpp",
    ),
    Row("p-Laplacian, p = 3", plane("∂u/∂t = ∇·(‖∇u‖ ∇u)"), ("nonlinear-diffusion",), False, 1, "RpPPPpp",
        "worked out, the equation is singular where the gradient vanishes, though its limit is not"),
    Row("p-Laplacian, backward", plane("∂u/∂t = -∇·(‖∇u‖² ∇u)"), ("nonlinear-diffusion",), False, 1, "RPR...."),
    Row("Perona-Malik", plane("∂u/∂t = ∇·(∇u/(1 + ‖∇u‖²))"), ("nonlinear-diffusion",), False, 1, "RPR...."),
    Row(
        "Perona-Malik, exponential", data("∂u/∂t = ∇·(exp(-‖∇u‖²) ∇u)", VECTOR),
        ("nonlinear-diffusion",), False, 1, "RPR....",
    ),
    Row("Perona-Malik, line", data("∂u/∂t = ∂(g ∂u/∂x)/∂x", declare="let g = 1/(1 + (∂u/∂x)²)"),
        ("nonlinear-diffusion",), False, 1, "RPR...."),
    Row(
        "Perona-Malik, any dimension", data("∂u/∂t = ∇·(∇u/(1 + ‖∇u‖²))", GENERAL),
        ("nonlinear-diffusion",), False, 1, "RPR....",
    ),
    Row("total variation, smoothed", plane("∂u/∂t = ∇·(∇u/sqrt(1 + ‖∇u‖²))"),
        ("nonlinear-diffusion",), False, 1, "RPPPPpp"),
    Row("total variation, smoothed, line", data("∂u/∂t = ∂(∂u/∂x / sqrt(1 + (∂u/∂x)²))/∂x"),
        ("nonlinear-diffusion",), False, 1, "RPPPPpp"),
    Row(
        "mean curvature", plane(
            "∂u/∂t = ((∂u/∂y)² ∂²u/∂x² - 2 ∂u/∂x ∂u/∂y ∂²u/∂x∂y + (∂u/∂x)² ∂²u/∂y²)/((∂u/∂x)² + (∂u/∂y)²)"
        ),
        ("nonlinear-diffusion",), False, 1, "RpPpppp", "the equation is singular where the gradient vanishes",
    ),
    Row(
        "mean curvature, level sets", plane("∂u/∂t = ‖∇u‖ ∇·(∇u/‖∇u‖)"),
        ("nonlinear-diffusion",), False, 1, "RpPpppp", "the equation is singular where the gradient vanishes",
    ),
    Row(
        "mean curvature, any dimension", data("∂u/∂t = Δu - ∇u·(∇∇u·∇u)/‖∇u‖²", GENERAL),
        ("nonlinear-diffusion",), False, 1, "RpPpppp", "the equation is singular where the gradient vanishes",
    ),
    Row(
        "mean curvature of a graph", plane("∂u/∂t = sqrt(1 + ‖∇u‖²) ∇·(∇u/sqrt(1 + ‖∇u‖²))"),
        ("nonlinear-diffusion",), False, 1, "RPPPPpp",
    ),
    Row("porous medium", data("∂u/∂t = Δ(u²)"), ("nonlinear-diffusion",), False, 1, "RPR....",
        "a solution that stays positive never sees the bad sign"),
    Row("porous medium, cubic", data("∂u/∂t = Δ(u³)", VECTOR), ("nonlinear-diffusion",), False, 1, "RPPPPpp"),
    Row(
        "porous medium, cubic, any dimension", data("∂u/∂t = Δ(u³)", GENERAL),
        ("nonlinear-diffusion",), False, 1, "RPPPPpp",
    ),
    Row("conductivity of the value", data("∂u/∂t = exp(u) Δu"), ("nonlinear-diffusion",), False, 1, "RPPPPpp"),
    Row("conductivity of the value, any sign", data("∂u/∂t = u Δu"), ("nonlinear-diffusion",), False, 1, "RPR...."),
    Row(
        "conductivity, learned", data("∂u/∂t = κ(u) Δu", VECTOR, "learn κ(u) : scalar > 0 = mlp"),
        ("nonlinear-diffusion",), False, 1, "rPPPPpp", "a network may be constant",
    ),
    Row("curvature cubed", data("∂u/∂t = (∂²u/∂x²)³"), ("nonlinear-diffusion",), False, 1, "RPPPPpp"),
    Row("modulus of the curvature", data("∂u/∂t = |∂²u/∂x²|"), ("nonlinear-diffusion",), False, 1, "RPR...."),
    Row("curvature squared", data("∂u/∂t = (∂²u/∂x²)²"), ("nonlinear-diffusion",), False, 1, "RPR...."),
    Row("Bellman", data("∂u/∂t = max(∂²u/∂x², 2 ∂²u/∂x²)"), ("nonlinear-diffusion",), False, 1, "RPpPPpp",
        "the kink of a maximum has two slopes"),
    Row("Monge-Ampère", plane("∂u/∂t = ∂²u/∂x² ∂²u/∂y² - (∂²u/∂x∂y)²"), ("nonlinear-diffusion",), False, 1, "RPR...."),
)

HAMILTON_JACOBI = (
    Row("level sets", plane("∂u/∂t = ‖∇u‖"), ("hamilton-jacobi",), False, 1, "RPPPPpp"),
    Row("Hamilton-Jacobi", data("∂u/∂t + ½‖∇u‖² = 0", VECTOR), ("hamilton-jacobi",), False, 1, "RPPPPpp"),
    Row("Hamilton-Jacobi, line", data("∂u/∂t = -(∂u/∂x)²"), ("hamilton-jacobi",), False, 1, "RPPPPpp"),
    Row(
        "Hamilton-Jacobi, any dimension", data("∂u/∂t + ‖∇u‖² = 0", GENERAL),
        ("hamilton-jacobi",), False, 1, "RPPPPpp",
    ),
    Row("Hamilton-Jacobi, viscous", plane("∂u/∂t + ‖∇u‖² = Δu"), ("hamilton-jacobi",), False, 1, "RPPPPpp"),
    Row(
        "Hamilton-Jacobi, viscous the wrong way", plane("∂u/∂t + ‖∇u‖² = -Δu"),
        ("hamilton-jacobi",), False, 1, "RPR....",
    ),
    Row(
        "Hamilton-Jacobi, drift and cost", data("∂u/∂t = v·∇u + ‖∇u‖² - exp(-‖x‖²)", VECTOR, V),
        ("hamilton-jacobi",), False, 1, "RRPPPpp",
    ),
    Row("eikonal", still("‖∇u‖ = 1"), ("hamilton-jacobi|elliptic",), False, 0, "........."),
)

WAVE = (
    Row("wave, line", data("∂²u/∂t² = Δu") + REST + "\n", ("wave",), True, 2, "PPprpPp"),
    Row("wave, plane", plane("∂²u/∂t² = 4Δu") + REST_PLANE + "\n", ("wave",), True, 2, "PPrrp.."),
    Row("wave, with a push", data("∂²u/∂t² = Δu") + "∂u/∂t(x, 0) = exp(-x²)\n", ("wave",), True, 2, "rrprp..",
        "it takes the data of the velocity"),
    Row("Klein-Gordon", data("∂²u/∂t² = Δu - 4u") + REST + "\n", ("wave",), True, 2, "PRrrp.."),
    Row("telegraph", plane("∂²u/∂t² + ∂u/∂t = Δu") + REST_PLANE + "\n", ("wave",), True, 2, "PPrrp.."),
    Row("sine-Gordon", data("∂²u/∂t² = Δu - sin(u)") + REST + "\n", ("wave",), False, 2, "RRrrp.."),
    Row("wave, ring", ring("∂²u/∂t² = Δu", rest=REST), ("wave",), True, 2, "PPprp..pP"),
    Row("wave, torus", torus("∂²u/∂t² = Δu", rest=REST_PLANE), ("wave",), True, 2, "PPrrp..rP"),
    Row("wave, ring, pushed", ring("∂²u/∂t² = Δu", rest="∂u/∂t(x, 0) = 1"), ("wave",), True, 2, "rr.rp..rr"),
    Row(
        "wave, ring, pushed both ways", ring("∂²u/∂t² = Δu", rest="∂u/∂t(x, 0) = cos(2π x)"),
        ("wave",), True, 2, "rr.rp..rp",
    ),
    Row("Klein-Gordon, ring", ring("∂²u/∂t² = Δu - u", rest=REST), ("wave",), True, 2, "PRrrp..rr"),
    Row("wave, ring, damped more and more", ring("∂²u/∂t² + t ∂u/∂t = Δu", rest=REST), ("wave",), True, 2, "PP.rp...p"),
    Row("telegraph, ring", ring("∂²u/∂t² + ∂u/∂t = Δu", rest=REST), ("wave",), True, 2, "PPprp..pP"),
)

HIGHER_ORDER = (
    Row("biharmonic", plane("∂u/∂t = -Δ²u"), ("higher-order",), True, 1, "PPRPPPp"),
    Row("biharmonic, backward", plane("∂u/∂t = Δ²u"), ("higher-order",), True, 1, "PPR...."),
    Row("biharmonic and heat", data("∂u/∂t = Δu - Δ²u"), ("higher-order",), True, 1, "PPRPPPp"),
    Row("Airy", data("∂u/∂t = ∂³u/∂x³"), ("higher-order",), True, 1, "PPRpppp"),
    Row("Korteweg-de Vries", data("∂u/∂t + 6u ∂u/∂x + ∂³u/∂x³ = 0"), ("higher-order",), False, 1, "RPRpppp"),
    Row(
        "Kuramoto-Sivashinsky", data("∂u/∂t + ½(∂u/∂x)² + ∂²u/∂x² + ∂⁴u/∂x⁴ = 0"),
        ("higher-order",), False, 1, "RPRpppp",
    ),
    Row("Cahn-Hilliard", plane("∂u/∂t = Δ(u³ - u - 0.01Δu)"), ("higher-order",), False, 1, "RPRpppp"),
    Row(
        "pseudo-parabolic", data("∂u/∂t - ∂³u/∂x²∂t = Δu"), ("higher-order|diffusion",), True, 1, "PPpPrpp",
        "solved for ∂u/∂t it is an average of u, less u: neither local nor of third order",
    ),
    Row("beam", data("∂²u/∂t² = -∂⁴u/∂x⁴") + REST + "\n", ("higher-order|wave",), True, 2, "PPRrp.."),
    Row("Korteweg-de Vries, ring", ring("∂u/∂t + u ∂u/∂x + ∂³u/∂x³ = 0"), ("higher-order",), False, 1, "RPRpp..rP"),
    Row(
        "Kuramoto-Sivashinsky, ring", ring("∂u/∂t + u ∂u/∂x + Δu + Δ²u = 0"), ("higher-order",), False, 1, "RPRpp..rP",
    ),
    Row(
        "Kuramoto-Sivashinsky, integrated, ring", ring("∂u/∂t + (∂u/∂x)² + Δu + Δ²u = 0"),
        ("higher-order",), False, 1, "RPRpp..rr",
    ),
    Row("Cahn-Hilliard, torus", torus("∂u/∂t = Δ(u³ - u - 0.01Δu)"), ("higher-order",), False, 1, "RPRpp..rP"),
)

ELLIPTIC = (
    Row("Laplace", still("Δu = 0", ends="u = x on boundary"), ("elliptic",), True, 0, ".......p."),
    Row("Poisson", still("-Δu = 1"), ("elliptic",), True, 0, ".......r."),
    Row("Poisson, a source of the place", still("Δu = sin(π x)"), ("elliptic",), True, 0, ".......r."),
    Row("Helmholtz", still("Δu + 4u = 1"), ("elliptic",), True, 0, ".......r."),
    Row("screened Poisson", still("-Δu + u = sin(π x)"), ("elliptic",), True, 0, ".......r."),
    Row(
        "elliptic, learned", still("∇·(κ∇u) = 1", "learn κ(x, y) : scalar > 0 = mlp"),
        ("elliptic",), True, 0, ".......r.",
    ),
    Row("elliptic, nonlinear", still("-Δu + u³ = 1"), ("elliptic",), False, 0, ".......r."),
)

ODE = (
    Row("relaxation", data("∂u/∂t = -u"), ("ode",), True, 1, "PRPPPPP", "the reaction is bounded by the data"),
    Row("relaxation, any dimension", data("∂u/∂t + 2u = 0", GENERAL), ("ode",), True, 1, "PRPPPPp"),
    Row("pendulum, overdamped", data("∂u/∂t = sin(u)"), ("ode",), False, 1, "RRPPPpp"),
    Row("forcing", data("∂u/∂t = cos(t)"), ("ode",), True, 1, "RRPPPPp"),
    Row(
        "learned dynamics of a value", data("∂u/∂t = f(u)", VECTOR, "learn f(u) : scalar = mlp"),
        ("ode",), False, 1, "rrpPPpp", "the network may be zero, and its slope has no bound in its type",
    ),
    Row(
        "Lotka-Volterra", pair("∂u/∂t = u (1 - v)", "∂v/∂t = v (u - 1)"),
        ("ode", "ode"), False, 1, "RRrPP..", "an order of pairs is a convention",
    ),
    Row(
        "neural ODE", maps("∂Y/∂t = f(Y, t)", "learn f(Y, t) : channels = convnet(layers=2)", "dopri5"),
        ("ode",), False, 1, "UU..", "a learned field may be anything",
    ),
    Row(
        "residual network", maps("∂Y/∂t = f(Y, t)", "learn f(Y, t) : channels = convnet(layers=2)"),
        ("ode",), False, 1, "UU..", "a learned field may be anything",
    ),
    Row("feature maps, decay", maps("∂Y/∂t = -Y", ""), ("ode|gradient-flow",), True, 1, "pprr"),
    Row(
        "feature maps, decay in one step", maps("∂Y/∂t = -Y", "", "euler(steps=1)"),
        ("ode|gradient-flow",), True, 1, "rrrr",
    ),
    Row("feature maps, growth", maps("∂Y/∂t = Y", ""), ("ode|gradient-flow",), True, 1, "rrrr"),
    Row("two operators", maps("∂Y/∂t = -K1ᵀ tanh(K2 Y)", TWO), ("ode",), False, 1, "rrrr"),
)

HAMILTONIAN = (
    Row(
        "oscillator", pair("∂u/∂t = v", "∂v/∂t = -u"), ("hamiltonian", "hamiltonian"), True, 1, "PRrPPpp",
        "an order of pairs is a convention",
    ),
    Row(
        "pendulum", pair("∂u/∂t = v", "∂v/∂t = -sin(u)"), ("hamiltonian", "hamiltonian"), False, 1, "RRrPPpp",
        "an order of pairs is a convention",
    ),
    Row(
        "two that ignore each other", pair("∂u/∂t = Δu", "∂v/∂t = ∂v/∂x"),
        ("diffusion", "transport"), True, 1, "PPPPPPP",
    ),
    Row(
        "two that help each other", pair("∂u/∂t = Δu + v - u", "∂v/∂t = Δv + u - v"),
        ("reaction-diffusion", "reaction-diffusion"), True, 1, "PRpPPpp", "an order of pairs is a convention",
    ),
    Row(
        "wave as a pair", pair("∂u/∂t = ∂v/∂x", "∂v/∂t = ∂u/∂x"),
        ("hamiltonian|transport|wave", "hamiltonian|transport|wave"), True, 1, "PPrPPpp",
        "an order of pairs is a convention",
    ),
    Row(
        "Hamiltonian network",
        maps("∂Y/∂t = K1ᵀ tanh(K1 Z)\n∂Z/∂t = -K2ᵀ tanh(K2 Y)", STATIC_TWO, "verlet(steps=3)"),
        ("hamiltonian", "hamiltonian"), False, 1, "rrpP",
    ),
    Row(
        "Hamiltonian network, new weights",
        maps("∂Y/∂t = K1ᵀ tanh(K1 Z)\n∂Z/∂t = -K2ᵀ tanh(K2 Y)", TWO, "verlet(steps=3)"),
        ("hamiltonian", "hamiltonian"), False, 1, "rrrP",
    ),
    Row(
        "Hamiltonian network, tv_norm",
        maps(
            "∂Y/∂t = K1ᵀ relu(N(K1 Z))\n∂Z/∂t = -K2ᵀ relu(N(K2 Y))",
            declared(STATIC_TWO, TV), "verlet(steps=3)",
        ),
        ("hamiltonian", "hamiltonian"), False, 1, "rrrP",
    ),
    Row(
        "RevNet",
        maps(
            "∂Y/∂t = f(Z, t)\n∂Z/∂t = g(Y, t)",
            "learn f(Z, t) : channels = convnet(layers=2)\nlearn g(Y, t) : channels = convnet(layers=2)",
            "verlet(steps=3)",
        ),
        ("hamiltonian", "hamiltonian"), False, 1, "UUUP",
    ),
    Row(
        "not separable",
        maps(
            "∂Y/∂t = f(Y, t) + K Z\n∂Z/∂t = -Kᵀ Y",
            declared("learn f(Y, t) : channels = convnet(layers=2)", FREE), "euler(steps=3)",
        ),
        ("ode", "ode|hamiltonian"), False, 1, "uu..", "a learned field may be anything",
    ),
)

GRADIENT_FLOW = (
    Row("symmetric, tanh", maps("∂Y/∂t = -Kᵀ tanh(K Y)", BOUND), ("gradient-flow",), False, 1, "PPrr"),
    Row("symmetric, relu", maps("∂Y/∂t = -Kᵀ relu(K Y)", BOUND), ("gradient-flow",), False, 1, "PPrr"),
    Row("symmetric, leaky relu", maps("∂Y/∂t + Kᵀ leaky_relu(K Y) = 0", BOUND), ("gradient-flow",), False, 1, "PPrr"),
    Row("symmetric, elu", maps("∂Y/∂t = -Kᵀ elu(K Y)", BOUND), ("gradient-flow",), False, 1, "PPrr"),
    Row("symmetric, softplus", maps("∂Y/∂t = -Kᵀ softplus(K Y)", BOUND), ("gradient-flow",), False, 1, "Prrr"),
    Row("symmetric, sigmoid", maps("∂Y/∂t = -Kᵀ sigmoid(K Y)", BOUND), ("gradient-flow",), False, 1, "Prrr"),
    Row("symmetric, gelu", maps("∂Y/∂t = -Kᵀ gelu(K Y)", BOUND), ("gradient-flow",), False, 1, "rrrr"),
    Row("symmetric, silu", maps("∂Y/∂t = -Kᵀ silu(K Y)", BOUND), ("gradient-flow",), False, 1, "rrrr"),
    Row("symmetric, sine", maps("∂Y/∂t = -Kᵀ sin(K Y)", BOUND), ("gradient-flow",), False, 1, "r.rr"),
    Row("symmetric, arc tangent", maps("∂Y/∂t = -Kᵀ atan(K Y)", BOUND), ("gradient-flow",), False, 1, "pprr",
        "what is known of functions that are no activations is a table"),
    Row("symmetric, error function", maps("∂Y/∂t = -Kᵀ erf(K Y)", BOUND), ("gradient-flow",), False, 1, "pprr",
        "what is known of functions that are no activations is a table"),
    Row(
        "symmetric, gelu of tanh", maps("∂Y/∂t = -Kᵀ gelu(tanh(K Y))", BOUND),
        ("gradient-flow|ode",), False, 1, "r.rr",
    ),
    Row("symmetric, tanh of relu", maps("∂Y/∂t = -Kᵀ tanh(relu(K Y))", BOUND), ("gradient-flow|ode",), False, 1, "pprr",
        "a chain of activations need not be followed"),
    Row("symmetric, linear", maps("∂Y/∂t = -Kᵀ K Y", BOUND), ("gradient-flow|ode",), True, 1, "pprr"),
    Row("symmetric, no bound", maps("∂Y/∂t = -Kᵀ tanh(K Y)", FREE), ("gradient-flow",), False, 1, "rrrr"),
    Row("symmetric, static", maps("∂Y/∂t = -Kᵀ tanh(K Y)", STATIC), ("gradient-flow",), False, 1, "PPrr"),
    Row("symmetric, adjoint inside", maps("∂Y/∂t = -K tanh(Kᵀ Y)", BOUND), ("gradient-flow|ode",), False, 1, "pprr"),
    Row(
        "symmetric, long step", maps("∂Y/∂t = -Kᵀ tanh(K Y)", BOUND, "euler(steps=1)"),
        ("gradient-flow",), False, 1, "rrrr",
    ),
    Row(
        "symmetric, step 3/2", maps("∂Y/∂t = -Kᵀ tanh(K Y)", BOUND, "euler(steps=2)"),
        ("gradient-flow",), False, 1, "PPrr",
    ),
    Row(
        "symmetric, at the bound",
        maps("∂Y/∂t = -Kᵀ relu(K Y)", "learn K(t) : operator, ‖K‖ ≤ 2 = conv(3)", "euler(steps=6)"),
        ("gradient-flow",), False, 1, "PPrr",
    ),
    Row(
        "symmetric, above the bound",
        maps("∂Y/∂t = -Kᵀ relu(K Y)", "learn K(t) : operator, ‖K‖ ≤ 2 = conv(3)", "euler(steps=5)"),
        ("gradient-flow",), False, 1, "rrrr",
    ),
    Row("symmetric, twice", maps("∂Y/∂t = -2Kᵀ tanh(K Y)", BOUND), ("gradient-flow",), False, 1, "PPrr"),
    Row("symmetric, three times", maps("∂Y/∂t = -3Kᵀ tanh(K Y)", BOUND), ("gradient-flow",), False, 1, "rrrr"),
    Row("symmetric, half", maps("2 ∂Y/∂t = -Kᵀ tanh(K Y)", BOUND), ("gradient-flow",), False, 1, "PPrr"),
    Row("symmetric, steep", maps("∂Y/∂t = -Kᵀ tanh(3 K Y)", BOUND), ("gradient-flow|ode",), False, 1, "rrrr"),
    Row("symmetric, turned inside", maps("∂Y/∂t = -Kᵀ relu(-K Y)", BOUND), ("gradient-flow|ode",), False, 1, "rrrr"),
    Row("symmetric, turned outside", maps("∂Y/∂t = Kᵀ tanh(K Y)", BOUND), ("gradient-flow|ode",), False, 1, "rrrr"),
    Row("symmetric, turned twice", maps("∂Y/∂t = Kᵀ tanh(-K Y)", BOUND), ("gradient-flow|ode",), False, 1, "pprr"),
    Row(
        "symmetric, tv_norm, relu", maps("∂Y/∂t = -Kᵀ relu(N(K Y))", declared(BOUND, TV)),
        ("gradient-flow",), False, 1, "rrrr",
    ),
    Row(
        "symmetric, tv_norm, tanh", maps("∂Y/∂t = -Kᵀ tanh(N(K Y))", declared(BOUND, TV)),
        ("gradient-flow",), False, 1, "rrrr",
    ),
    Row(
        "symmetric, batch_norm", maps("∂Y/∂t = -Kᵀ relu(N(K Y))", declared(BOUND, "let N = batch_norm()")),
        ("gradient-flow",), False, 1, "rrrr",
    ),
    Row("symmetric, half of a bound by constraint",
        maps("∂Y/∂t = -Kᵀ relu(K Y)", FREE) + "train {\n  constrain K in [-1, 1]\n}\n",
        ("gradient-flow",), False, 1, "rrrr"),
    Row(
        "second order, relu", maps("∂²Y/∂t² = -Kᵀ relu(K Y)", STATIC, "leapfrog(steps=3)", Y_REST),
        ("wave|gradient-flow",), False, 2, "RrpP",
    ),
    Row(
        "second order, tanh", maps("∂²Y/∂t² = -Kᵀ tanh(K Y)", STATIC, "leapfrog(steps=3)", Y_REST),
        ("wave|gradient-flow",), False, 2, "rrpP",
    ),
    Row(
        "second order, relu, slow",
        maps("∂²Y/∂t² = -Kᵀ relu(K Y)", "learn K : operator, ‖K‖ ≤ 0.1 = conv(3)", "leapfrog(steps=3)", Y_REST),
        ("wave|gradient-flow",), False, 2, "p.pP", "states that start at rest part only after a quarter of a period",
    ),
    Row(
        "second order, tv_norm", maps("∂²Y/∂t² = -Kᵀ relu(N(K Y))", declared(FREE, TV), "leapfrog(steps=3)", Y_REST),
        ("wave|gradient-flow",), False, 2, "rrrP",
    ),
)

PHYSICAL = (
    Row("heat, ring", ring("∂u/∂t = Δu"), ("diffusion",), True, 1, "PPPPPppPP"),
    Row("heat, torus", torus("∂u/∂t = 0.1Δu"), ("diffusion",), True, 1, "PPPPPppPP"),
    Row("heat, cold ends", rod("∂u/∂t = Δu"), ("diffusion",), True, 1, "PrPPP..Pr"),
    Row("heat, warm ends", rod("∂u/∂t = Δu", "u = 1 on boundary"), ("diffusion",), True, 1, "rrPPP..Pr"),
    Row("heat, insulated", rod("∂u/∂t = Δu", "n·∇u = 0 on boundary"), ("diffusion",), True, 1, "PPPPP..Pp"),
    Row("heat, fed", rod("∂u/∂t = Δu", "n·∇u = 1 on boundary"), ("diffusion",), True, 1, "rrPPP..rr"),
    Row("heat, radiating", rod("∂u/∂t = Δu", "∂u/∂n + u = 0 on boundary"), ("diffusion",), True, 1, "Prp.P..pr"),
    Row("heat, ring, uneven", ring("∂u/∂t = (2 + sin(2π x)) Δu"), ("diffusion",), True, 1, "PPPPP..Pr"),
    Row(
        "heat, ring, uneven, divergence form", ring("∂u/∂t = ∂((2 + sin(2π x)) ∂u/∂x)/∂x"),
        ("diffusion|convection-diffusion",), True, 1, "PPPPP..PP",
    ),
    Row("heat, degenerate at an end", rod("∂u/∂t = x Δu"), ("diffusion",), True, 1, "PrpPP..pr",
        "the sign of the coefficient is the domain's"),
    Row("heat, ring, backward", ring("∂u/∂t = -Δu"), ("diffusion",), True, 1, "PPR....rp"),
    Row("heat, ring, heated", ring("∂u/∂t = Δu + 1"), ("diffusion|reaction-diffusion",), True, 1, "RRPPP..RR"),
    Row("heat, ring, heated and cooled", ring("∂u/∂t = Δu + sin(2π x)"),
        ("diffusion|reaction-diffusion",), True, 1, "RRPPP..rp"),
    Row("decay, ring", ring("∂u/∂t = Δu - u"), ("reaction-diffusion",), True, 1, "PRPPP...R"),
    Row("growth, ring", ring("∂u/∂t = Δu + u"), ("reaction-diffusion",), True, 1, "PRPPP..RR"),
    Row("Fisher-KPP, ring", ring("∂u/∂t = Δu + u (1 - u)"), ("reaction-diffusion",), False, 1, "RRPPP..RR"),
    Row("Burgers, ring", ring("∂u/∂t + u ∂u/∂x = 0.01Δu"), ("convection-diffusion",), False, 1, "RPPPP..PP"),
    Row("Burgers, ring, inviscid", ring("∂u/∂t + u ∂u/∂x = 0"), ("transport|hamilton-jacobi",), False, 1, "RPPPP..PP"),
    Row("Burgers, cold ends", rod("∂u/∂t + u ∂u/∂x = 0.01Δu"), ("convection-diffusion",), False, 1, "RrPPP..Pr"),
    Row("Burgers, insulated ends", rod("∂u/∂t + u ∂u/∂x = 0.01Δu", "n·∇u = 0 on boundary"),
        ("convection-diffusion",), False, 1, "RPPPP..Pr"),
    Row("transport, ring", ring("∂u/∂t + 2 ∂u/∂x = 0"), ("transport",), True, 1, "PPPPPppPP"),
    Row("transport, ring, uneven", ring("∂u/∂t = sin(2π x) ∂u/∂x"), ("transport",), True, 1, "PPPPP..PR"),
    Row("transport, ring, uneven, divergence form", ring("∂u/∂t = ∂((2 + sin(2π x)) u)/∂x"),
        ("transport|reaction-diffusion",), True, 1, "PRPPP..rP"),
    Row(
        "transport, ring, a jump in the flux", ring("∂u/∂t = ∂(x u)/∂x"),
        ("transport|reaction-diffusion",), True, 1, "PR.....rr",
    ),
    Row("transport, torus, divergence-free", torus("∂u/∂t = v·∇u", "let v(x, y) = [sin(2π y), sin(2π x)]"),
        ("transport",), True, 1, "PPPPP..PP"),
    Row("convection, insulated ends", rod("∂u/∂t = ∂u/∂x + Δu", "n·∇u = 0 on boundary"),
        ("convection-diffusion",), True, 1, "PPPPP..Pr"),
    Row("Hamilton-Jacobi, ring", ring("∂u/∂t + (∂u/∂x)² = 0"), ("hamilton-jacobi",), False, 1, "RPPPP..PR"),
    Row("p-Laplacian, torus", torus("∂u/∂t = ∇·(‖∇u‖² ∇u)"), ("nonlinear-diffusion",), False, 1, "RPPPP..PP"),
    Row("Perona-Malik, torus", torus("∂u/∂t = ∇·(∇u/(1 + ‖∇u‖²))"), ("nonlinear-diffusion",), False, 1, "RPR....pP"),
    Row("porous medium, cubic, ring", ring("∂u/∂t = Δ(u³)"), ("nonlinear-diffusion",), False, 1, "RPPPP..PP"),
)

NONLOCAL = (
    Row("a jump", data("∂u/∂t = u(x - 1, t) - u"), ("ode|transport",), True, 1, "PPpPRpp"),
    Row("a jump and heat", data("∂u/∂t = Δu + u(x - 1, t) - u"), ("diffusion|reaction-diffusion",), True, 1, "PPpPRpp"),
    Row(
        "a jump the wrong way", data("∂u/∂t = Δu + u - u(x - 1, t)"),
        ("diffusion|reaction-diffusion",), True, 1, "PPrPRpp",
    ),
)

TABLE: tuple[Row, ...] = (
    *TRANSPORT,
    *CONVECTION_DIFFUSION,
    *DIFFUSION,
    *REACTION_DIFFUSION,
    *NONLINEAR_DIFFUSION,
    *HAMILTON_JACOBI,
    *WAVE,
    *HIGHER_ORDER,
    *ELLIPTIC,
    *ODE,
    *HAMILTONIAN,
    *GRADIENT_FLOW,
    *PHYSICAL,
    *NONLOCAL,
)
