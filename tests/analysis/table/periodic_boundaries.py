"""Boundaries, periodic boundaries, mass and drifts.

- A condition that says u = 0 or ∂u/∂n = 0 in other words is that condition. The derivative along the boundary is no
  condition of Neumann's. A Robin condition ∂u/∂n + βu = 0 has the sign of β at each point of its side.
- Mass: ∫ of a divergence is the flux through the ends, and only the normal component of the flux counts: with
  n·∇u = 0, ∂²u/∂x∂y makes u(1, 1) - u(1, 0) - u(0, 1) + u(0, 0). uₓ uₓₓ = ½(uₓ²)ₓ and uuₓₓ + uₓ² = ½(u²)ₓₓ are fluxes.
- Transport: X' = b(X) without uniqueness (√|x|, sign x) makes two solutions; with b' ≤ C it does not.
- At rest: Δu + λu = 0 with values on the boundary of (0, 1)ⁿ has comparison exactly if λ < nπ², the first eigenvalue
  (Berestycki, Nirenberg and Varadhan 1994), and for 0 < λ no maximum principle: from u = 1 on the boundary u rises.
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
from analysis.spec_templates import (
    Row,
    data,
    declared,
    interval,
    periodic,
    periodic_box,
    plane,
    stationary,
)

HEAT = "∂u/∂t = Δu"
X = "∂u/∂x"
XX = "∂²u/∂x²"
CD = "convection-diffusion"
DIV = f"diffusion|{CD}"
RD = "reaction-diffusion"
NL = "nonlinear-diffusion"
TR = f"transport|{RD}"
HJ = "hamilton-jacobi"
WIDE = "(x, y) in [-1, 1]^2"
BAR = "x in [0, 1]"
ESCAPE = "paths reach infinity in finite time"
SEAM = "the coefficient jumps at the seam"
EIGEN = "below the first eigenvalue"


def ends(name: str, conditions: str, cells: str, why: str = "", equation: str = HEAT) -> Row:
    return linear(f"places, {name}", interval(equation, conditions), f"{DIV}|{RD}", cells, why)


def shut(name: str, right: str, cells: str, why: str = "") -> Row:
    return linear(f"shut, {name}", interval(f"∂u/∂t = {right}", INSULATED), f"{DIV}|{RD}", cells, why)


def loop(name: str, right: str, cells: str, why: str = "") -> Row:
    return linear(f"loop, {name}", periodic(f"∂u/∂t = {right}"), f"{DIV}|{TR}", cells, why)


def loops(name: str, right: str, cells: str, why: str = "", kinds: str = f"{NL}|{HJ}|{CD}|{RD}") -> Row:
    return nonlinear(f"loop, {name}", periodic(f"∂u/∂t = {right}"), kinds, cells, why)


def drift(name: str, velocity: str, cells: str, why: str = "") -> Row:
    return linear(f"drift, {name}", data(f"∂u/∂t = ({velocity}) {X}"), "transport", cells, why)


def rest(name: str, equation: str, cells: str, why: str = "", space: str = "(x, y) in [0, 1]^2") -> Row:
    return linear(
        f"rest, {name}", stationary(equation, space=space, ends="u = 1 on boundary"), "elliptic", cells, why, 0
    )


TABLE: tuple[Row, ...] = (
    # ---- conditions in other words
    ends("2u = u", "2u = u on boundary", "PRPPP..PR", "u = 0"),
    ends("flux u - u", "∂u/∂n = u - u on boundary", "PPPPP..PP", "∂u/∂n = 0"),
    ends("a factor", "(1 + x²) ∂u/∂n = 0 on boundary", "PPPPP..PP", "∂u/∂n = 0"),
    ends("a factor that vanishes", declared("x ∂u/∂n = 0 on left", "∂u/∂n = 0 on right"), "..r......", "0 = 0 on left"),
    ends("by ∂/∂x, Robin", declared("∂u/∂x = 2u on left", "∂u/∂x = -3u on right"), "PRPPP...R", "both let heat out"),
    ends("by ∂/∂x, one wrong", declared("∂u/∂x = 2u on left", "∂u/∂x = 3u on right"), "PRpPP..rR", "the right feeds"),
    ends("Robin with x", "∂u/∂n + (x - 2) u = 0 on boundary", "PRpPP..rR", "both feed: -2 and -1"),
    ends("Robin with x, right", "∂u/∂n + (2 - x) u = 0 on boundary", "PRPPP...R", "2 and 1"),
    ends("Robin with time", "∂u/∂n + (1 + sin(9t)) u = 0 on boundary", "PRPPP...R", "not negative"),
    ends("warm, of the time and place", "u = t x on boundary", "RRPPP..PR"),
    ends("Robin, source in disguise", "∂u/∂n + u = u² / (1 + u²) on boundary", "RRpPP...r", "no affine condition"),
    linear(
        "places, left to right",
        segment(HEAT, "n·∇u + x u = 0 on boundary", "cos(½π x)", "x in [-1, 1]"),
        "diffusion",
        "PRpPP..rR",
        "-1 on the left feeds",
    ),
    linear("places, square, Robin x", square(HEAT, "n·∇u + x u = 0 on boundary"), "diffusion", "PRPPP...R", "x ≥ 0"),
    linear(
        "places, wide square, Robin x",
        square(HEAT, "n·∇u + x u = 0 on boundary", space=WIDE),
        "diffusion",
        "PRpPP..rR",
        "negative for x < 0",
    ),
    linear(
        "places, square, along the side",
        square(HEAT, declared("∂u/∂y = 0 on right", "u = 0 on left, bottom, top")),
        "diffusion",
        "PRp.....R",
        "it says that u is 0 on the right, by the corners",
    ),
    linear("places, square, Robin of both", square(HEAT, "n·∇u + x y u = 0 on boundary"), "diffusion", "PRPPP...R"),
    linear("places, shear in", square("∂u/∂t + y ∂u/∂x = 0", "u = 0 on left"), "transport", "PRPPP..PR", "y ≥ 0"),
    linear(
        "places, corner flow",
        square("∂u/∂t + x ∂u/∂x - y ∂u/∂y = 0", "u = 0 on top"),
        "transport",
        "PRPPP..PR",
        "in at the top, out on the right",
    ),
    # ---- mass with ends
    shut("flux that vanishes at the ends", "Δu + ∂(x(1 - x) u)/∂x", "PRPPP..rP", "no flux at 0 and 1"),
    shut("drift that vanishes at the ends", f"Δu + x(1 - x) {X}", "PPPPP..PR", "∫(2x - 1)u"),
    shut("decay", "Δu - 3u", "PRPPP..rR", "1 falls"),
    shut("uneven flux", f"∂((2 + sin(9x)) {X})/∂x", "PPPPP..PP"),
    shut("twice inside", "∂²((2 + x) u)/∂x²", "PPPPP..PR", "the flux has u(1) - u(0)"),
    nonlinear("shut, Δ(u + u³)", interval("∂u/∂t = ∂²(u + u³)/∂x²", INSULATED), NL, "RPPPP..PP"),
    nonlinear(
        "shut, u uₓₓ + uₓ²",
        interval(f"∂u/∂t = u {XX} + ({X})² + Δu", INSULATED),
        NL,
        "RPR.....P",
        "½(u²)ₓₓ; u = -2",
    ),
    nonlinear("shut, Burgers", interval(f"∂u/∂t = Δu - u {X}", INSULATED), CD, "RPPPP..PR", "½u² at the ends"),
    nonlinear("cold, Burgers", interval(f"∂u/∂t = 2Δu - u {X}", DIRICHLET), CD, "RRPPP..PR"),
    nonlinear("shut, uₓ²", interval(f"∂u/∂t = Δu + ({X})²", INSULATED), HJ, "RPPPP..PR", "∫uₓ²"),
    linear("shut, square, uneven flux", square("∂u/∂t = ∇·((1 + x y)∇u)", INSULATED), DIV, "PPPPP..PP"),
    linear("shut, square, uneven", square("∂u/∂t = (1 + x y)Δu", INSULATED), "diffusion", "PPPPP..PR", "no divergence"),
    linear(
        "shut, square, mixed",
        square("∂u/∂t = Δu + ∂²u/∂x∂y", INSULATED),
        "diffusion",
        "PPPPP..Pr",
        "values at the corners",
    ),
    linear(
        "shut, square, whirl",
        square("∂u/∂t = Δu + v·∇u", INSULATED, "let v(x, y) = [sin(π x) cos(π y), -cos(π x) sin(π y)]"),
        CD,
        "PPPPP..PP",
        "divergence zero, and no flow through the sides",
    ),
    # ---- mass on a ring
    loops("uₓ uₓₓ", f"{X} {XX}", "RPR.....P", "½(uₓ²)ₓ; backward where uₓ < 0"),
    loops("u uₓₓ + uₓ²", f"u {XX} + ({X})²", "RPR.....P", "½(u²)ₓₓ; u = -1"),
    loops("u uₓₓ + 2uₓ²", f"u {XX} + 2({X})²", "RPR.....R", "∫uₓ² is left"),
    loops("u³ uₓ", f"u³ {X}", "RPPPPppPP", "¼(u⁴)ₓ", f"transport|{HJ}"),
    loops("|u| u", "∂(abs(u) u)/∂x + Δu", "RPPPPppPP", "", CD),
    loops("exp u uₓ", f"exp(u) {X} + Δu", "RPPPPppPP", "(exp u)ₓ", CD),
    loops("cos(u) uₓ²", f"Δu + cos(u) ({X})²", "RPpPP..pR", "at extrema uₓ = 0", f"{HJ}|{NL}|{RD}"),
    loops("cos(u)uₓ² - sin(u)uₓₓ", f"2Δu - cos(u) ({X})² - sin(u) {XX}", "RPpPP..pP", "(2u + cos u)ₓₓ", f"{NL}|{HJ}"),
    loops("KdV", f"∂³u/∂x³ + 6u {X}", "RPR....rP", "a flux", "higher-order"),
    loops("uₓₓ²", f"Δu + ({XX})² - {X} ∂³u/∂x³ - ({XX})²", "RPr....rr", "third order; ∫uₓₓ² is left", "higher-order"),
    loops("sin u", "Δu - sin(u)", "RRPPPppRR", "1 falls", RD),
    loop("source sin 2πx", "Δu + sin(2π x)", "RRPPP..rP"),
    loop("source |sin|", "Δu + abs(sin(2π x)) - 2/π", "RRPPP..rp", "its mean is zero"),
    loop("source of a half", "Δu + heaviside(x - ½) - ½", "RRpPP..rp", "its mean is zero"),
    loop("|x - ½|", "(1 + abs(x - ½))Δu", "PPPPPppPR", "½ on both sides"),
    loop("(x - ½)²", "(1 + (x - ½)²)Δu", "PPPPPppPR", "¼ on both sides"),
    loop("(x - ½)³", f"(x - ½)³ {X} + Δu", "PPpPPr.pr", SEAM),
    loop("cos²(πx)", "(1 + (cos(π x))²)Δu", "PPPPPppPR"),
    loop("cos(πx)", "(2 + cos(π x))Δu", "PPpPPr.pr", SEAM),
    loop("sin(πx)", "sin(π x)Δu", "PPpPP..pr", "it vanishes at the seam, without a Lipschitz root"),
    loop("backward half", "sin(2π x)Δu", "PPR......", "x = ¾"),
    loop("moving wave", "(2 + sin(2π(x - t)))Δu", "PPPPPppPR"),
    loop("moving wave, flux", f"∂((2 + sin(2π(x - t))) {X})/∂x", "PPPPPppPP"),
    loop("moving drift, flux", "∂(sin(2π(x - t)) u)/∂x + Δu", "PRPPPpprP"),
    linear(
        "loop, torus, whirl",
        periodic_box("∂u/∂t = v·∇u", "let v(x, y) = [cos(2π y), cos(2π x)]"),
        "transport",
        "PPPPPppPP",
        "divergence zero",
    ),
    linear(
        "loop, torus, strain",
        periodic_box("∂u/∂t = v·∇u + Δu", "let v(x, y) = [sin(2π x), -sin(2π y)]"),
        CD,
        "PPPPPppPR",
        "divergence 2π(cos - cos)",
    ),
    linear("loop, seam in the plane", periodic_box("∂u/∂t = (1 + x y)Δu"), "diffusion", "PPpPPr.pr", SEAM),
    nonlinear(
        "loop, circle, u log", periodic_2pi("∂u/∂t = Δu - u log(u)", kind="scalar > 0"), RD, "RRPPP..RR", "2 falls"
    ),
    # ---- drifts
    drift("sign", "sign(x)", "PPr.P..", "from 0 to either side"),
    drift("minus sign", "-sign(x)", "PPpPP..", "paths meet at 0 and stay"),
    drift("√|x|", "sqrt(abs(x))", "PPr.P..", "from 0 or stay"),
    drift("|x|", "abs(x)", "PPPPPpr"),
    drift("-relu²", "-(relu(x))²", "PPpPP..", "inwards, without a bound"),
    drift("relu²", "(relu(x))²", "P.r....", ESCAPE),
    drift("min(x², 1)", "min(x², 1)", "PPPPPpp"),
    drift("x²/(1 + |x|)", "x²/(1 + abs(x))", "PPPPPpr"),
    drift("x² exp(-x²)", "x² exp(-x²)", "PPPPPpp"),
    drift("x sin x²", "x sin(x²)", "PPpPP..", "linear growth, steep slopes"),
    drift("|x|^(4/3)", "abs(x)^(4/3)", "P.r....", ESCAPE),
    drift("x - x⁵", "x - x⁵", "PPPPPrr", "inwards far out"),
    drift("x⁵ - x", "x⁵ - x", "P.r....", ESCAPE),
    drift("of time and place", "sin(t x)", "PPPPPpp"),
    drift("x t", "t x", "PPPPPpr"),
    linear("drift, one-sided", plane("∂u/∂t = v·∇u", "let v(x, y) = [x y, -y²]"), "transport", "P.r....", ESCAPE),
    nonlinear("drift, sin x uₓ²", data(f"∂u/∂t = sin(x) ({X})²"), HJ, "RPpPPpp", "a Hamiltonian with slopes in x"),
    nonlinear("drift, x uₓ and √uₓ", data(f"∂u/∂t = x {X} + sqrt(1 + ({X})²)"), HJ, "RRPPPpr"),
    # ---- at rest
    rest("Helmholtz 1", "Δu + u = 0", "..p....r.", EIGEN),
    rest("Helmholtz 19", "Δu + 19u = 0", "..p....r.", EIGEN),
    rest("Helmholtz 20", "Δu + 20u = 0", "..r....r.", "2π² < 20"),
    rest("oscillator 9", f"{XX} + 9u = 0", "..p....r.", "9 < π²", BAR),
    rest("oscillator 10", f"{XX} + 10u = 0", "..r....r.", "10 > π²", BAR),
    rest("screened, uneven", "Δu = (1 + x²) u", "..p......"),
    rest("screened by a sign", "Δu = (x - ½) u", "..p......", "|x - ½| < 2π²"),
    rest("uneven, degenerate at the edge", "x ∂²u/∂x² + ∂²u/∂y² = 0", "..p....p."),
    linear(
        "rest, insulated",
        stationary("Δu = 0", ends=INSULATED),
        "elliptic",
        "..r......",
        "0 and 1 have the same data",
        order=0,
    ),
    nonlinear("rest, exp u", stationary("Δu = exp(u)", ends="u = 0 on boundary"), "elliptic", "R.p......", order=0),
    nonlinear(
        "rest, -exp u", stationary("Δu + exp(u) = 0"), "elliptic", "R.r....r.", "Gelfand: two solutions", order=0
    ),
    nonlinear("rest, sin u", stationary("Δu + sin(u) = 0"), "elliptic", "R.p......", "slopes up to 1 < 2π²", order=0),
)
