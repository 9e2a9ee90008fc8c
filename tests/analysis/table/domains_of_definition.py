"""Quotients, roots and logarithms, and unknowns with a sign by type.

A function of ∂²u/∂x² must increase on all of its domain, not only between its poles: for ∂u/∂t = -1/(∂²u/∂x²),
-½x² + t and ½x² + ½ - t are solutions, ordered at first, and they cross at x = 0 when t = ¼. Where an expression has no
value (constants in a logarithm of ∂²u/∂x²) there is no letter. For unknowns with `> 0` the sign of u is known: Δ(u²) is
Δβ(u) with β' = 2u > 0; solutions that start between two positive constants stay there (by comparison), so reactions
need a slope only on u > 0. Fast diffusion Δ log u is unique on a ring and not on the line (Rodríguez and Vázquez 1995).
"""

from __future__ import annotations

from analysis.more_spec_templates import INSULATED, line, linear, nonlinear, periodic_2pi, physical, segment
from analysis.spec_templates import Row

XX = "∂²u/∂x²"
POSITIVE = "scalar > 0"
HALF = "scalar >= 0"
KIND = "nonlinear-diffusion"
NO_VALUE = "it has a value only for some data"
ENDS = "u = x² on boundary"


def positive(equation: str) -> str:
    return periodic_2pi(equation, kind=POSITIVE)


TABLE: tuple[Row, ...] = (
    # ---- functions of the curvature with poles
    nonlinear("pole, -1/curvature", line(f"∂u/∂t = -1/({XX})", "x²"), KIND, "R.r.P..", "see above"),
    nonlinear(
        "pole, 1/curvature", line(f"∂u/∂t = 1/({XX})", "x²"), KIND, "R.R.P..", "½x² + t passes x² + 0.1 + ½t at 0"
    ),
    nonlinear("pole, -1/curvature³", line(f"∂u/∂t = -1/({XX})³", "x²"), KIND, "R.r.P..", "∓½x² ± t, as above"),
    nonlinear(
        "pole, -1/curvature², convex", line(f"∂u/∂t = -1/({XX})²", "x²"), KIND, "R.r.P..", "falls for concave data"
    ),
    nonlinear(
        "pole, curvature/(1 - curvature)",
        line(f"∂u/∂t = {XX}/(1 - {XX})", "0.1 sin(x)"),
        KIND,
        "RprpP..",
        "½ax² + at/(1 - a): a = 0 and a = 2",
    ),
    nonlinear(
        "pole, far from the data",
        line(f"∂u/∂t = {XX}/(2 + ({XX})²)", "0.1 sin(x)"),
        KIND,
        "RPR....",
        "no pole at all; falls at 2",
    ),
    nonlinear("root, of the curvature", segment(f"∂u/∂t = sqrt({XX})", ENDS, "x²"), KIND, "Rrp.P...r", NO_VALUE),
    nonlinear(
        "root, minus that of the curvature",
        line(f"∂u/∂t = -sqrt({XX})", "x²"),
        KIND,
        "R.R.P..",
        "½x² - t and 2x² + 0.1 - 2t cross at 0",
    ),
    nonlinear("logarithm of the curvature", segment(f"∂u/∂t = log({XX})", ENDS, "x²"), KIND, "R.p.P...r", NO_VALUE),
    nonlinear("logarithm, line", line(f"∂u/∂t = log({XX})", "x²"), KIND, "R.p.P..", NO_VALUE),
    nonlinear(
        "logarithm, turned",
        line(f"∂u/∂t = -log({XX})", "x²"),
        KIND,
        "R.R.P..",
        "½x² and 2x² + 0.1 - t log 4 cross at 0",
    ),
    nonlinear("logarithm of 1 + square", line(f"∂u/∂t = log(1 + ({XX})²)"), KIND, "RPR....", "falls for concave data"),
    nonlinear("logarithm of 1 + exp", line(f"∂u/∂t = log(1 + exp({XX}))"), KIND, "RRPPPpp", "softplus in disguise"),
    nonlinear("root, of the slope", line("∂u/∂t = sqrt(∂u/∂x)", "x"), "hamilton-jacobi", "Rpp.P..", NO_VALUE),
    nonlinear(
        "root, of the slope's modulus",
        line("∂u/∂t = sqrt(abs(∂u/∂x))"),
        "hamilton-jacobi",
        "RPPPPp.",
        "H is continuous",
    ),
    nonlinear(
        "pole, of the slope", line("∂u/∂t = 1/(1 + (∂u/∂x)²)"), "hamilton-jacobi", "RRPPPpp", "no pole: 1 at constants"
    ),
    nonlinear("pole, of the slope, true", line("∂u/∂t = 1/(∂u/∂x)", "x"), "hamilton-jacobi", "R...P..", NO_VALUE),
    nonlinear(
        "tangent of the curvature",
        line(f"∂u/∂t = tan({XX})", "0.1 sin(x)"),
        KIND,
        "RprpP..",
        "½ax² + t tan a: a = 0 and a = 2, for tan 2 < 0",
    ),
    # ---- unknowns that are positive
    nonlinear("positive, porous medium", positive("∂u/∂t = Δ(u²)"), KIND, "RPPPPppPP"),
    nonlinear("positive, porous medium, line", line("∂u/∂t = Δ(u²)", kind=POSITIVE), KIND, "RPPPPpp"),
    nonlinear(
        "positive, porous medium, R^d",
        physical("x in R^d", "∂u/∂t = Δ(u²)", "exp(-‖x‖²)", POSITIVE, "", ""),
        KIND,
        "RPPPPpp",
    ),
    nonlinear("not negative, porous medium", periodic_2pi("∂u/∂t = Δ(u²)", "1 + sin(x)", HALF), KIND, "RPPPPppPP"),
    nonlinear("positive, backward", positive("∂u/∂t = -Δ(u²)"), KIND, "RPR...." + ".P"),
    nonlinear("positive, u² - u", positive("∂u/∂t = Δ(u² - u)"), KIND, "RPR...." + ".P", "u = ¼"),
    nonlinear("positive, u² + u", positive("∂u/∂t = Δ(u² + u)"), KIND, "RPPPPppPP"),
    nonlinear("positive, u Δu", positive("∂u/∂t = u Δu"), KIND, "RPPPPppPR", "d/dt ∫u = -∫(∂u/∂x)²"),
    nonlinear("positive, -u Δu", positive("∂u/∂t = -u Δu"), KIND, "RPR...." + ".r"),
    nonlinear("positive, Δu/u", positive("∂u/∂t = Δu/u"), KIND, "RPPPPppPR", "d/dt ∫u = ∫(∂u/∂x)²/u²"),
    nonlinear("positive, √u", positive("∂u/∂t = Δ(sqrt(u))"), KIND, "RPPPPppPP"),
    nonlinear("positive, log u", positive("∂u/∂t = Δ(log(u))"), KIND, "RPPPPppPP"),
    nonlinear(
        "positive, log u, line",
        line("∂u/∂t = Δ(log(u))", kind=POSITIVE),
        KIND,
        "Rpr....",
        "solutions differ in the flux at infinity",
    ),
    nonlinear("positive, -1/u", positive("∂u/∂t = -Δ(1/u)"), KIND, "RPPPPppPP"),
    nonlinear("positive, 1/u", positive("∂u/∂t = Δ(1/u)"), KIND, "RPR...." + ".P"),
    nonlinear("positive, log(u) Δu", positive("∂u/∂t = log(u) Δu"), KIND, "RPR......", "u = ½"),
    nonlinear("positive, log(1 + u) Δu", positive("∂u/∂t = log(1 + u) Δu"), KIND, "RPPPPppPR"),
    nonlinear(
        "any sign, log(1 + u²) Δu",
        periodic_2pi("∂u/∂t = log(1 + u²) Δu", "sin(x)"),
        KIND,
        "RPpPP..pr",
        "a coefficient that vanishes with u has no slope in u",
    ),
    nonlinear("positive, ∂(u ∂u/∂x)/∂x", positive("∂u/∂t = ∂(u ∂u/∂x)/∂x"), KIND, "RPPPPppPP"),
    nonlinear(
        "positive, insulated",
        segment("∂u/∂t = Δ(u²)", INSULATED, "2 + cos(π x)", kind=POSITIVE),
        KIND,
        "RPPPP..PP",
    ),
    nonlinear("positive, source log u", positive("∂u/∂t = Δu + log(u)"), "reaction-diffusion", "RRPPP..RR"),
    nonlinear("positive, u log u", positive("∂u/∂t = Δu + u log(u)"), "reaction-diffusion", "RRPPP..RR"),
    nonlinear("positive, sink 1/u", positive("∂u/∂t = Δu - 1/u"), "reaction-diffusion", "RRPPP..RR"),
    nonlinear("positive, source √u", positive("∂u/∂t = Δu + sqrt(u)"), "reaction-diffusion", "RRPPP..RR"),
    nonlinear(
        "not negative, source √u",
        periodic_2pi("∂u/∂t = Δu + sqrt(u)", "1 + sin(x)", HALF),
        "reaction-diffusion",
        "RRr....RR",
        "0 and ¼t²",
    ),
    nonlinear("positive, |∇u|²/u", positive("∂u/∂t = (∂u/∂x)²/u"), "hamilton-jacobi", "RPPPPppPR"),
    nonlinear("positive, thin film", positive("∂u/∂t = -∂(u³ ∂³u/∂x³)/∂x"), "higher-order", "RPRpp..rP"),
    # ---- poles and roots of the place
    linear(
        "place, 1/x on [1, 2]",
        segment("∂u/∂t = Δu/x", "u = 0 on boundary", "sin(π x)", "x in [1, 2]"),
        "diffusion",
        "PRPPP..PR",
    ),
    linear(
        "place, Bessel on [1, 2]",
        segment("∂u/∂t = Δu + (1/x) ∂u/∂x", INSULATED, "cos(π x)", "x in [1, 2]"),
        "convection-diffusion",
        "PPPPP..PR",
    ),
    linear("place, tan x on the line", line("∂u/∂t = tan(x) Δu"), "diffusion", "PPR....", "x = -1"),
    linear(
        "place, tan x on [0, 1]",
        segment("∂u/∂t = tan(x) Δu", "u = 0 on boundary", "sin(π x)"),
        "diffusion",
        "PRPPP..PR",
    ),
    linear("place, log(1 + x²)", line("∂u/∂t = log(1 + x²) Δu"), "diffusion", "PPPPPpr"),
    linear(
        "place, log x on [1, 2]",
        segment("∂u/∂t = log(x) Δu", "u = 0 on boundary", "sin(π x)", "x in [1, 2]"),
        "diffusion",
        "PRPPP..PR",
    ),
    linear(
        "place, log x on [½, 2]",
        segment("∂u/∂t = log(x) Δu", "u = 0 on boundary", "sin(π x)", "x in [½, 2]"),
        "diffusion",
        "PRR......",
        "x = ¾",
    ),
    linear(
        "place, √(1 - x²) on [0, 1]",
        segment("∂u/∂t = sqrt(1 - x²) Δu", "u = 0 on boundary", "sin(π x)"),
        "diffusion",
        "PRPPP..PR",
    ),
)
