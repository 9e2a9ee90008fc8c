"""Dimensions, composed derivatives, boundaries, poles, domains of definition, and uniqueness.

- Δu - cΣᵢⱼ∂²u/∂xᵢ∂xⱼ has the eigenvalues 1 and 1 - cn, n the dimension of the space.
- ∂/∂x σ(∂u/∂x) = σ'(∂u/∂x) ∂²u/∂x²; Δβ(u) has the coefficient β'(u); both are judged where the type of u allows.
- F(∂²u/∂x²) is judged on all of its domain: on both sides of a pole.
- ∂²u/∂x² = cu at an end is ∂u/∂t = cu there: a value exp(ct) times that of the start.
- ∂u/∂t = f(u): a slope that falls without bound does no harm, one that rises without bound at a zero of f does.
"""

from __future__ import annotations

from analysis.more_spec_templates import (
    DIRICHLET,
    INSULATED,
    linear,
    nonlinear,
    periodic_2pi,
    segment,
    square,
)
from analysis.spec_templates import Row, data, declared, interval, plane

ONES = "Σᵢ Σⱼ ∂²u/∂xᵢ∂xⱼ"
XX = "∂²u/∂x²"
HEAT = "∂u/∂t = Δu"
FREE_LEFT = "n·∇u = 0 on left"
NL = "nonlinear-diffusion"
CD = "convection-diffusion"
RATE = "reaction-diffusion"
POSITIVE = "scalar > 0"
FLUX = "the flux through the boundary is no affine function that falls"
STUCK = "a path at zero may stay or leave"


def wide(name: str, space: str, right: str, cells: str, why: str = "", kinds: str = "diffusion") -> Row:
    return linear(f"edge, {name}", data(f"∂u/∂t = {right}", f"x in {space}"), kinds, cells, why)


def composed(name: str, right: str, cells: str, why: str = "", kinds: str = NL) -> Row:
    return nonlinear(f"edge, {name}", data(f"∂u/∂t = {right}"), kinds, cells, why)


def positive(name: str, right: str, cells: str, why: str = "", kinds: str = NL) -> Row:
    return nonlinear(f"edge, u > 0, {name}", periodic_2pi(f"∂u/∂t = {right}", kind=POSITIVE), kinds, cells, why)


def ended(name: str, ends: str, cells: str, why: str = "") -> Row:
    return linear(f"edge, ends, {name}", interval(HEAT, ends), "diffusion", cells, why)


def moved(name: str, equation: str, ends: str, cells: str, why: str = "") -> Row:
    return linear(f"edge, moved, {name}", interval(equation, ends), "transport", cells, why)


def spread(name: str, right: str, cells: str, why: str = "", kinds: str = "diffusion") -> Row:
    return linear(f"edge, {name}", data(f"∂u/∂t = {right}"), kinds, cells, why)


TABLE: tuple[Row, ...] = (
    # ---- dimensions
    wide("30 cosines", "R^30", "(30 + Σᵢ cos(xᵢ))Δu", "PPPPPpp"),
    wide("29 of 30 cosines", "R^30", "(29 + Σᵢ cos(xᵢ))Δu", "PPR....", "29 - 30"),
    wide("four pixels, less", "image(1, 2, 2)", f"3.9Δu - {ONES}", "PPR....", "3.9 - 4"),
    wide("two pixels, less", "image(1, 1, 2)", f"1.9Δu - {ONES}", "PPR....", "1.9 - 2"),
    wide("17 of 17", "R^17", f"17Δu - {ONES}", "PPPPPPP", "17 - 17"),
    wide("16 of 17", "R^17", f"16Δu - {ONES}", "PPR....", "16 - 17"),
    wide("half of ones, R^d", "R^d", f"Δu - ½{ONES}", "PPr....", "1 - d/2"),
    wide("squares about one", "R^40", "(‖x‖² - 2 Σᵢ xᵢ + 40)Δu", "PPPPPrr", "Σ(xᵢ - 1)²"),
    wide("squares about one, less", "R^40", "(‖x‖² - 2 Σᵢ xᵢ + 39)Δu", "PPR....", "-1 at (1, …)"),
    wide("outwards", "R^25", "x·∇u + Δu", "PPPPPpr.R", "the divergence is 25", CD),
    wide("outwards, flux", "R^25", "∇·(x u)", "PRPPPpr.P", "a rate of 25", f"transport|{RATE}"),
    wide("rate of the last", "R^25", "Δu - x₂₅² u", "PRPPP...R", "", RATE),
    # ---- derivatives of functions of derivatives
    composed("flux -softplus", "-∂/∂x softplus(∂u/∂x)", "RPR.....P"),
    composed("flux relu and more", "∂/∂x (relu(∂u/∂x) + ∂u/∂x)", "RPpPP...P", "slopes 1 and 2"),
    composed("flux with sine", "∂/∂x (∂u/∂x + sin(∂u/∂x))", "RPPPP...P", "1 + cos"),
    composed("density tanh", "∂²/∂x² tanh(u)", "RPPPP...P"),
    composed("density sine", "∂²/∂x² sin(u)", "RPR.....P"),
    composed("density u + 2sin u", "Δ(u + 2sin(u))", "RPR.....P"),
    composed("flux relu of the curvature", "∂/∂x relu(∂²u/∂x²)", "RPr.P...p", "a third order", "higher-order"),
    composed("square of the slope, twice", "∂²/∂x² (∂u/∂x)²", "RPr.P...p", "a third order", "higher-order"),
    composed("twice the root", f"{XX} + 2sqrt(1 + ({XX})²)", "RRR......", "1 + 2X/√(1 + X²)"),
    composed("tanh of the curvature and slope", f"tanh({XX} + ∂u/∂x)", "RPPPP...."),
    composed("minus tanh and curvature", f"{XX} - tanh({XX})", "RPPPP....", "tanh²"),
    composed("minus 2tanh and curvature", f"{XX} - 2tanh({XX})", "RPR......", "1 - 2 at zero"),
    # ---- poles and domains
    composed("a pole at one", f"1/(1 - {XX})", "RRr......", "1 at 0, -1 at 2"),
    composed("a pole at -2", "Δu/(2 + u)", "R.R......", "u = -3"),
    composed("an even pole", f"-1/({XX})²", "R.r......", "2/X³, negative for X < 0"),
    positive("1/(2 + u)", "Δu/(2 + u)", "RPPPP...R"),
    positive("Δ(u³ - u)", "Δ(u³ - u)", "RPR.....P", "3u² - 1 for small u"),
    positive("-log u", "Δu - log(u)", "RRPPP..rR", "a slope that falls", RATE),
    composed("Δ(u² + u), any sign", "Δ(u² + u)", "RPR.....P", "u = -1"),
    # ---- ends
    ended("flux -u²", "n·∇u = -u² on boundary", "RRpPP..rr", FLUX),
    ended("flux relu u on the right", declared(FREE_LEFT, "n·∇u = relu(u) on right"), "RRpPP..rr", FLUX),
    ended("radiating into the time", "n·∇u = t - u on boundary", "RRPPP...R"),
    ended("radiating unevenly", "n·∇u = -(1 + x) u on boundary", "PRPPP...R"),
    ended("ends that grow", "∂²u/∂x² = u on boundary", "pRp.P..rr", "eᵗ times the value of the start"),
    ended("ends that fade", "∂u/∂t = -u on boundary", "pRp.P..pr", "e⁻ᵗ times the value of the start"),
    ended("one condition for two ends", "u(0, t) = u(1, t)", "..r......", "not unique"),
    ended("|u| = 1", "abs(u) = 1 on boundary", "rrr......", "1 and -1 both do"),
    ended("u³ + u = 2", "u³ + u = 2 on boundary", "rrp.P...r", "u = 1 in disguise"),
    ended("flux of the slope", "∂u/∂x + (∂u/∂x)³ = 0 on boundary", "ppp.P....", "∂u/∂x = 0 in disguise"),
    ended("swapped ends", declared("u(0, t) = u(1, t)", "∂u/∂x(0, t) = -∂u/∂x(1, t)"), "..r......", "degenerate"),
    moved("in at both ends", "∂u/∂t + cos(π x) ∂u/∂x = 0", DIRICHLET, "PRPPP..PR"),
    moved("out at both ends", "∂u/∂t - cos(π x) ∂u/∂x = 0", "", "PPPPP..PR", "no inflow"),
    moved("in on the left, still on the right", "∂u/∂t + (1 - x) ∂u/∂x = 0", "u = 0 on left", "PRPPP..PR"),
    moved("in on the left, in the time", "∂u/∂t + (1 + t) ∂u/∂x = 0", "u = t on left", "RRPPP..PR"),
    moved("nothing at the inflow", "∂u/∂t + (1 + t) ∂u/∂x = 0", "", "..r......", "what enters may be anything"),
    linear(
        "edge, moved across a square",
        square("∂u/∂t + ∂u/∂x = 0", "u = 0 on left"),
        "transport",
        "PRPPP..PR",
        "top and bottom are along the motion",
    ),
    linear(
        "edge, uneven, insulated",
        segment("∂u/∂t = ∂((1 + x) ∂u/∂x)/∂x", INSULATED, "cos(π x)"),
        f"diffusion|{CD}",
        "PPPPP..PP",
    ),
    linear("edge, uneven, cold", interval("∂u/∂t = ∂((1 + x) ∂u/∂x)/∂x"), f"diffusion|{CD}", "PRPPP..PR"),
    linear("edge, drift, insulated", interval("∂u/∂t = Δu + ∂u/∂x", INSULATED), CD, "PPPPP..PR", "u(1) - u(0) enters"),
    linear(
        "edge, no flux by its name",
        interval("∂u/∂t = ∂(∂u/∂x + u)/∂x", "∂u/∂x + u = 0 on boundary"),
        CD,
        "PRpPP..rP",
    ),
    linear(
        "edge, degenerate, insulated",
        interval("∂u/∂t = x(1 - x) Δu", INSULATED),
        "diffusion",
        "Pp......r",
        "the ends are degenerate",
    ),
    # ---- uniqueness
    spread("|x|^(3/2)", f"abs(x) sqrt(abs(x)) {XX}", "PPp....", "a path at zero stays"),
    spread("1 - cos x", f"(1 - cos(x)) {XX}", "PPPPP..", "2 sin²(x/2)"),
    spread("√(1 - cos x)", f"sqrt(1 - cos(x)) {XX}", "PPp....", "√2 |sin(x/2)|: a path at zero stays"),
    spread("1 + x⁴", f"(1 + x⁴) {XX}", "PPp....", "the line is recurrent"),
    spread("√|x| along the line", "sqrt(abs(x)) ∂u/∂x", "P.r....", "x' = √|x| from 0", "transport"),
    spread("√|x| outwards", "sign(x) sqrt(abs(x)) ∂u/∂x", "P.r....", "x' = ±√|x| from 0", "transport"),
    spread("√|x| inwards", "-sign(x) sqrt(abs(x)) ∂u/∂x", "PPp....", "one-sided", "transport"),
    linear("edge, shear y²", plane("∂u/∂t = Δu + y² ∂u/∂x"), CD, "PPp....", "x' = y², and y does not escape"),
    linear("edge, y² and x²", plane("∂u/∂t = Δu + y² ∂u/∂x + x² ∂u/∂y"), CD, "P.r....", "x = y: x' = x²"),
    composed("√relu u", "sqrt(relu(u))", "RRr....", "0 and ¼t²", f"ode|{RATE}"),
    composed("-√relu u", "-sqrt(relu(u))", "RRp....", "falls", f"ode|{RATE}"),
    composed("sign u", "sign(u)", "RRr....", "0 and t", f"ode|{RATE}"),
    composed("Δu + u|u|", "Δu + u abs(u)", "RRPPP..", "", RATE),
    composed("√ of the slope", "Δu + sqrt(abs(∂u/∂x))", "RPp....", "continuous", "hamilton-jacobi|" + CD),
)
