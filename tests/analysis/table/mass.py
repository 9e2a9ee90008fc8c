"""Mass: d/dt ∫u = 0.

On R and R² the integral is over all of space, for data that decay with their derivatives: a divergence keeps it if its
flux decays too; what is no divergence does not (Olver, theorem 4.7: data that show it can be chosen freely). On a ring
a flux must be the same on both sides of the seam, and so must coefficients for spatial regularity: at a jump of a(x),
(T(f(· + h)) - T(f)(· + h))/t tends to the jump times f'' near the seam, which is no C|h|. With ends, the flux through
them counts. A source keeps the mass exactly if its integral is zero at all times.
Fast diffusion Δ(u^m), m < (n - 2)/n, loses mass at infinity and dies out (Bénilan and Crandall 1981).
"""

from __future__ import annotations

from analysis.more_spec_templates import (
    INSULATED,
    ZERO_SPEED,
    line,
    linear,
    nonlinear,
    periodic_2pi,
    physical,
    segment,
    square,
)
from analysis.spec_templates import Row, data, declared, interval, periodic, periodic_box, plane

SEAM = "the coefficient jumps at the seam"
DIV = "diffusion|convection-diffusion"
TR = "transport|reaction-diffusion"
NL = "nonlinear-diffusion"

TABLE: tuple[Row, ...] = (
    # ---- the line
    linear("line, heat", data("∂u/∂t = 3Δu"), "diffusion", "PPPPPPP.P"),
    linear("line, transport", data("∂u/∂t = -3 ∂u/∂x"), "transport", "PPPPPPP.P"),
    linear("line, uneven velocity", data("∂u/∂t = cos(x) ∂u/∂x"), "transport", "PPPPPpp.R", "∫ sin(x) u"),
    linear("line, uneven flux", data("∂u/∂t = ∂(cos(x) u)/∂x"), TR, "PRPPPpp.P"),
    linear(
        "line, Fokker-Planck", data("∂u/∂t = ∂(x u)/∂x + 2Δu"), "convection-diffusion|reaction-diffusion", "PRPPPpr.P"
    ),
    linear("line, Ornstein-Uhlenbeck", data("∂u/∂t = 2Δu - x ∂u/∂x"), "convection-diffusion", "PPPPPpr.R", "∫u grows"),
    linear("line, uneven heat", data("∂u/∂t = (3 + cos(x))Δu"), "diffusion", "PPPPPpp.R", "-∫ cos(x) u"),
    linear("line, uneven heat, divergence form", data("∂u/∂t = ∂((3 + cos(x)) ∂u/∂x)/∂x"), DIV, "PPPPPpp.P"),
    linear(
        "line, uneven heat, twice inside",
        data("∂u/∂t = ∂²((3 + cos(x)) u)/∂x²"),
        "diffusion|reaction-diffusion|convection-diffusion",
        "PRPPPpp.P",
    ),
    linear("line, decay", data("∂u/∂t = Δu - 3u"), "reaction-diffusion", "PRPPPpp.R"),
    linear(
        "line, source",
        data("∂u/∂t = 2Δu + exp(-x²)"),
        "diffusion|reaction-diffusion",
        "RRPPPpp.R",
        "√π each unit of time",
    ),
    linear(
        "line, source without mean",
        data("∂u/∂t = 2Δu + x exp(-x²)"),
        "diffusion|reaction-diffusion",
        "RRPPPpp.p",
        "an odd source",
    ),
    nonlinear("line, Burgers", data("∂u/∂t + 3u ∂u/∂x = Δu"), "convection-diffusion", "RPPPPpp.P"),
    nonlinear("line, porous medium", data("∂u/∂t = Δ(2u³)"), NL, "RPPPPpp.P"),
    nonlinear(
        "line, u² Δu", data("∂u/∂t = u² Δu"), NL, "RPpPP...R", "-2∫ u (∂u/∂x)²; a coefficient without slope in u"
    ),
    nonlinear("line, Hamilton-Jacobi", data("∂u/∂t = Δu - 2‖∇u‖²"), "hamilton-jacobi", "RPPPPpp.R"),
    linear(
        "line, relu(-u), u ≥ 0",
        line("∂u/∂t = Δu + relu(-u)", kind="scalar ≥ 0"),
        "diffusion|reaction-diffusion",
        "ppPPPpppp",
        "relu(-u) is 0 for u ≥ 0",
    ),
    nonlinear("line, Fisher", data("∂u/∂t = Δu + 2u (1 - u)"), "reaction-diffusion", "RRPPPp..R"),
    nonlinear("line, Korteweg-de Vries", data("∂u/∂t + u ∂u/∂x + ∂³u/∂x³ = 0"), "higher-order", "RPRpppp.P"),
    nonlinear("line, tanh flux", data("∂u/∂t = ∂(tanh(∂u/∂x) + u)/∂x"), f"{NL}|convection-diffusion", "RPPPPpp.P"),
    linear("line, wave", data("∂²u/∂t² = 2Δu") + ZERO_SPEED + "\n", "wave", "PPPrpPp.p", "at rest at first", order=2),
    linear("line, jump", data("∂u/∂t = u(x - 2, t) - u"), "ode|transport", "PPpPRpp.p", "as much arrives as leaves"),
    linear(
        "line, jump that makes mass", data("∂u/∂t = 2u(x - 2, t) - u"), "ode|transport|reaction-diffusion", "PRpPRpp.r"
    ),
    linear(
        "line, fast divergence", data("∂u/∂t = ∂((2 + x⁴) ∂u/∂x)/∂x"), DIV, "P.r.....r", "paths and mass reach infinity"
    ),
    # ---- the plane and more
    linear("plane, rotation", plane("∂u/∂t = v·∇u", "let v(x, y) = [-2y, 2x]"), "transport", "PPPPPpr.P"),
    linear(
        "plane, strain", plane("∂u/∂t = v·∇u", "let v(x, y) = [x, -y]"), "transport", "PPPPPpr.P", "divergence zero"
    ),
    linear("plane, outward", plane("∂u/∂t = v·∇u", "let v(x, y) = [x, y]"), "transport", "PPPPPpr.R", "divergence two"),
    linear("plane, outward, divergence form", plane("∂u/∂t = ∇·(v u)", "let v(x, y) = [x, y]"), TR, "PRPPPpr.P"),
    linear(
        "plane, anisotropic", data("∂u/∂t = A:∇∇u", "x in R^2", "const A = [[3, 1], [1, 2]]"), "diffusion", "PPPPPPP.P"
    ),
    linear("plane, shear", plane("∂u/∂t = sin(y) ∂u/∂x + Δu"), "convection-diffusion", "PPPPPpp.P"),
    linear("plane, no shear", plane("∂u/∂t = sin(x) ∂u/∂x + Δu"), "convection-diffusion", "PPPPPpp.R"),
    nonlinear("plane, p-Laplacian", plane("∂u/∂t = ∇·(‖∇u‖²∇u) + Δu"), NL, "RPPPPpp.P"),
    nonlinear("plane, Cahn-Hilliard", plane("∂u/∂t = Δ(u³ - u - Δu)"), "higher-order", "RPRpppp.P"),
    linear("R^d, heat", data("∂u/∂t = 2Δu", "x in R^d"), "diffusion", "PPPPPPP.P"),
    linear(
        "plane, learned, divergence-free",
        data("∂u/∂t = v·∇u + 2Δu", "x in R^2", "learn v(x) : vector, divergence_free = mlp"),
        "convection-diffusion",
        "PPPPPpp.p",
        "a flux u v of a bounded field",
    ),
    linear(
        "plane, learned, divergence form",
        data("∂u/∂t = ∇·(v u) + 2Δu", "x in R^2", "learn v(x) : vector = mlp"),
        "convection-diffusion|reaction-diffusion",
        "PrPPPpp.p",
        "a field may be constant",
    ),
    nonlinear(
        "fast diffusion, R^20",
        physical("x in R^20", "∂u/∂t = Δ(sqrt(u))", "exp(-‖x‖²)", "scalar > 0", "", ""),
        NL,
        "RPp.....r",
        "½ < 18/20",
    ),
    nonlinear(
        "fast diffusion, line",
        physical("x in R", "∂u/∂t = Δ(sqrt(u))", "exp(-x²)", "scalar > 0", "", ""),
        NL,
        "RPPPP...p",
        "½ > -1",
    ),
    # ---- rings and seams
    linear("ring, 2 + sin x", periodic_2pi("∂u/∂t = (2 + sin(x))Δu"), "diffusion", "PPPPPppPR"),
    linear("ring, 2 + sin x, divergence form", periodic_2pi("∂u/∂t = ∂((2 + sin(x)) ∂u/∂x)/∂x"), DIV, "PPPPPppPP"),
    linear("ring, cos x drift", periodic_2pi("∂u/∂t = cos(x) ∂u/∂x"), "transport", "PPPPPppPR"),
    linear("ring, cos x flux", periodic_2pi("∂u/∂t = ∂(cos(x) u)/∂x"), TR, "PRPPPpprP"),
    linear("ring, seam in 2 + sin x", periodic("∂u/∂t = (2 + sin(x))Δu"), "diffusion", "PPpPPr.pr", SEAM),
    linear("ring, seam in 1 + x", periodic("∂u/∂t = (1 + x)Δu"), "diffusion", "PPpPPr.pr", SEAM),
    linear(
        "ring, seam in 1 + x², divergence form",
        periodic("∂u/∂t = ∂((1 + x²) ∂u/∂x)/∂x"),
        DIV,
        "PPp.Pr.p.",
        "what holds at the seam is not said",
    ),
    linear("ring, seam in x", periodic("∂u/∂t = x ∂u/∂x"), "transport", "PPp.Pr.pr", SEAM),
    linear("ring, seam in cos x", periodic("∂u/∂t = Δu + cos(x) ∂u/∂x"), "convection-diffusion", "PPpPPr.pr", SEAM),
    linear("ring, seam in a rate", periodic("∂u/∂t = Δu + x u"), "reaction-diffusion", "PRpPPr.RR", SEAM),
    linear(
        "ring, seam in sin(3πx)",
        periodic("∂u/∂t = Δu + sin(3π x) ∂u/∂x"),
        "convection-diffusion",
        "PPPPPppPR",
        "zero on both sides, with a kink",
    ),
    linear(
        "ring, no seam in x(1 - x)",
        periodic("∂u/∂t = x(1 - x) ∂u/∂x"),
        "transport",
        "PPPPPppPR",
        "zero on both sides, with a kink",
    ),
    linear("ring, no seam in x(1 - x), flux", periodic("∂u/∂t = ∂(x(1 - x) u)/∂x"), TR, "PRPPP..rP"),
    linear("ring, no seam in |sin πx|", periodic("∂u/∂t = abs(sin(π x)) ∂u/∂x"), "transport", "PPPPPppPR"),
    linear("ring, 2 + cos(4πx)", periodic("∂u/∂t = (2 + cos(4π x))Δu"), "diffusion", "PPPPPppPR"),
    linear("torus, shear", periodic_box("∂u/∂t = sin(2π y) ∂u/∂x + Δu"), "convection-diffusion", "PPPPPppPP"),
    linear(
        "torus, seam across the shear",
        periodic_box("∂u/∂t = y ∂u/∂x + Δu"),
        "convection-diffusion",
        "PPpPPr.pP",
        "∂(y u)/∂x has no seam in x, but T has one in y",
    ),
    linear("torus, compression", periodic_box("∂u/∂t = sin(2π x) ∂u/∂x + Δu"), "convection-diffusion", "PPPPPppPR"),
    # ---- sources on a ring
    linear("ring, source x - ½", periodic("∂u/∂t = Δu + x - ½"), "diffusion|reaction-diffusion", "RRPPP..rP"),
    linear("ring, source x² - ⅓", periodic("∂u/∂t = Δu + x² - ⅓"), "diffusion|reaction-diffusion", "RRPPP..rP"),
    linear("ring, source x²", periodic("∂u/∂t = Δu + x²"), "diffusion|reaction-diffusion", "RRPPP..RR"),
    linear(
        "ring, source of the time",
        periodic("∂u/∂t = Δu + cos(2π t)"),
        "diffusion|reaction-diffusion",
        "RRPPP..RR",
    ),
    linear(
        "ring, source that grows",
        periodic("∂u/∂t = Δu + exp(t) cos(2π x)"),
        "diffusion|reaction-diffusion",
        "RRPPP..rP",
    ),
    linear("ring, rate without mean", periodic("∂u/∂t = Δu + sin(2π x) u"), "reaction-diffusion", "PRPPP..RR"),
    nonlinear("ring, tanh of a flux", periodic("∂u/∂t = ∂/∂x tanh(∂u/∂x)"), NL, "RPPPP..PP"),
    nonlinear(
        "ring, tanh of a curvature",
        periodic("∂u/∂t = tanh(∂²u/∂x²)"),
        NL,
        "RPPPP..PR",
        "∫ of a nonlinear function of ∂²u/∂x²",
    ),
    nonlinear(
        "ring, flux of everything",
        periodic("∂u/∂t = ∂(u³ + exp(u) ∂u/∂x)/∂x"),
        f"{NL}|convection-diffusion",
        "RPPPP..PP",
    ),
    linear(
        "ring, wave pushed",
        periodic("∂²u/∂t² = Δu + u", rest=ZERO_SPEED),
        "wave",
        "PRprp..rr",
        "cosh t",
        order=2,
    ),
    # ---- ends
    linear("ends shut, uneven, divergence form", interval("∂u/∂t = ∂((1 + x) ∂u/∂x)/∂x", INSULATED), DIV, "PPPPP..PP"),
    linear("ends shut, uneven", interval("∂u/∂t = (1 + x)Δu", INSULATED), "diffusion", "PPPPP..PR", "u(0) - u(1)"),
    linear(
        "ends shut by a coefficient",
        interval("∂u/∂t = ∂(x(1 - x) ∂u/∂x)/∂x", INSULATED),
        DIV,
        "PPp.P..pp",
        "Legendre: no flux without a condition",
    ),
    nonlinear("ends shut, tanh", interval("∂u/∂t = ∂/∂x tanh(∂u/∂x)", INSULATED), NL, "RPPPP..PP"),
    nonlinear(
        "ends shut, softplus",
        interval("∂u/∂t = ∂/∂x softplus(∂u/∂x)", INSULATED),
        NL,
        "RPPPP..PP",
        "log 2 at both ends",
    ),
    nonlinear(
        "ends shut, conductivity of the value",
        interval("∂u/∂t = ∂((1 + u²) ∂u/∂x)/∂x", INSULATED),
        NL,
        "RPPPP..PP",
    ),
    nonlinear(
        "ends shut, Burgers without flux",
        interval("∂u/∂t = ∂(∂u/∂x - ½u²)/∂x", "∂u/∂x - ½u² = 0 on boundary"),
        "convection-diffusion",
        "RRpPP...P",
    ),
    linear(
        "ends shut, source ½ - x",
        interval("∂u/∂t = Δu + ½ - x", INSULATED),
        "diffusion|reaction-diffusion",
        "RRPPP..rP",
    ),
    linear(
        "ends shut, drift",
        interval("∂u/∂t = Δu + 2 ∂u/∂x", INSULATED),
        "convection-diffusion",
        "PPPPP..PR",
        "2(u(1) - u(0))",
    ),
    linear(
        "ends shut, square, shear",
        square("∂u/∂t = Δu + y(1 - y) ∂u/∂x", INSULATED),
        "convection-diffusion",
        "PPPPP..PR",
    ),
    linear(
        "ends shut, band, shear",
        square("∂u/∂t = Δu + y(1 - y) ∂u/∂x", "n·∇u = 0 on bottom, top", space="(x, y) in [0, 1] periodic * [0, 1]"),
        "convection-diffusion",
        "PPPPP..PP",
    ),
    linear("ends shut, anisotropic", square("∂u/∂t = ∂²u/∂x² + 3 ∂²u/∂y²", INSULATED), "diffusion", "PPPPP..PP"),
    linear(
        "ends shut, wave",
        segment("∂²u/∂t² = 2Δu", declared(INSULATED, ZERO_SPEED), "cos(π x)"),
        "wave",
        "PPPrp..PP",
        order=2,
    ),
    linear(
        "ends open, wave",
        segment("∂²u/∂t² = 2Δu", declared("u = 0 on boundary", ZERO_SPEED), "sin(π x)"),
        "wave",
        "PRrrp..rR",
        order=2,
    ),
)
