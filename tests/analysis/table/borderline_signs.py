"""Stationary data, times, drifts, conditions and signs that nearly hold.

- At rest F must be Lipschitz in ∇u: ∂²u/∂x² + √|∂u/∂x| = 0 with u = 0 at the ends has 0 and a hill with a flat top,
  whose slopes are ±(x - c)²/4.
- dX = b dt: -x³ turns back, x³ leaves in finite time; -√x is one-sided Lipschitz, √x is not.
- n·∇u = cu keeps the order for every bounded c of any sign; a value that follows the inside may not.
- With ∂²u/∂t² + 2∂u/∂t + u = ∂²u/∂x², eᵗu is a wave: order is kept, though u pulls back.
- ∫x exp(-x²) dx = 0; n·∇u = 1 and -1 at two ends cancel.
"""

from __future__ import annotations

from analysis.more_spec_templates import (
    DIRICHLET,
    INSULATED,
    ZERO_SPEED,
    linear,
    nonlinear,
    periodic_2pi,
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

XX = "∂²u/∂x²"
X = "∂u/∂x"
NL = "nonlinear-diffusion"
CD = "convection-diffusion"
RATE = "reaction-diffusion"
HJ = "hamilton-jacobi"
ANY = f"{NL}|{CD}|{RATE}|{HJ}|diffusion|transport|ode|elliptic|higher-order|hyperbolic|wave|parabolic|mixed"
SEGMENT = "x in [0, 1]"
POSITIVE = "scalar > 0"


def rest(name: str, equation: str, cells: str, why: str = "", ends: str = DIRICHLET, bent: bool = True) -> Row:
    row = nonlinear if bent else linear
    return row(f"contrary, rest, {name}", stationary(equation, "", SEGMENT, ends), ANY, cells, why, order=0)


def line(name: str, right: str, cells: str, why: str = "", start: str = "0") -> Row:
    return linear(f"contrary, line, {name}", data(f"∂u/∂t = {right}", at=start), ANY, cells, why)


def bent(name: str, right: str, cells: str, why: str = "") -> Row:
    return nonlinear(f"contrary, bent, {name}", data(f"∂u/∂t = {right}"), ANY, cells, why)


def bent_plane(name: str, right: str, cells: str, why: str = "") -> Row:
    return nonlinear(f"contrary, plane, {name}", plane(f"∂u/∂t = {right}"), ANY, cells, why)


def matrix(name: str, rows: str, cells: str, why: str = "") -> Row:
    text = plane("∂u/∂t = A:∇∇u", f"let A(x, y, t) = {rows}")
    return linear(f"contrary, matrix, {name}", text, "diffusion", cells, why)


def ended(name: str, ends: str, cells: str, why: str = "", right: str = "Δu") -> Row:
    return linear(f"contrary, ends, {name}", interval(f"∂u/∂t = {right}", ends), ANY, cells, why)


def wave(name: str, equation: str, cells: str, why: str = "") -> Row:
    return linear(f"contrary, wave, {name}", data(equation) + ZERO_SPEED + "\n", ANY, cells, why, order=2)


def kept(name: str, right: str, cell: str, why: str = "", ends: str = "", first: str = ".") -> Row:
    text = interval(f"∂u/∂t = {right}", ends) if ends else periodic(f"∂u/∂t = {right}")
    row = nonlinear if "u³" in right or "u²" in right or "u u" in right or "u ∂" in right else linear
    return row(f"contrary, mass, {name}", text, ANY, f"{first}.......{cell}", why)


def clock(name: str, right: str, interval: str, start: str, cells: str, why: str = "") -> Row:
    text = data(f"∂u/∂t = {right}", at=start).replace("time t in [0, 1]", f"time t in {interval}")
    return linear(f"contrary, clock, {name}", text, ANY, cells, why)


def signed(name: str, right: str, cells: str, why: str = "") -> Row:
    return nonlinear(f"contrary, u > 0, {name}", periodic_2pi(f"∂u/∂t = {right}", kind=POSITIVE), ANY, cells, why)


def solved(name: str, equation: str, cells: str, why: str = "", ends: str = DIRICHLET) -> Row:
    row = nonlinear if any(w in equation for w in ("‖", "max", "tanh", "abs")) else linear
    return row(f"contrary, solved, {name}", stationary(equation, ends=ends), ANY, cells, why, order=0)


# At rest: linearity, constants, comparison, ... have a meaning for linearity, comparison, maximum and conservation.
TABLE: tuple[Row, ...] = (
    # ---- at rest, in one dimension
    rest("√|u'|", f"{XX} + sqrt(abs({X})) = 0", "R.U......", "0 and a hill with a flat top"),
    rest("√|u'| and a force", f"{XX} + sqrt(abs({X})) + 1 = 0", "..p......", "the slope never rests"),
    rest("|u'|^¾", f"{XX} + abs({X})^0.75 = 0", "R.U......", "slopes ±|x - c|⁴"),
    rest("-√|u'|", f"{XX} - sqrt(abs({X})) = 0", "R.U......", "the hill upside down"),
    rest("|u'|", f"{XX} + abs({X}) = 1", "..P......", "Lipschitz in the slope"),
    rest("u'²", f"{XX} + ({X})² = 1", "..P......", "exp(u) is linear"),
    rest("-u³", f"{XX} - u³ = 1", "..P......", "falls with u"),
    rest("+u³", f"{XX} + u³ = 1", "..U......", "two solutions for small forces"),
    rest("sin u", f"{XX} + sin(u) = 1", "..U......", "rises and falls with u"),
    rest("-tanh u", f"{XX} - tanh(u) = 1", "..P......", "falls with u"),
    rest("9u", f"{XX} + 9u = 1", "R.U......", "9 < π², yet it rises with u", bent=False),
    rest("10u", f"{XX} + 10u = 1", "R.r......", "10 > π²: a force of 1 gives both signs", bent=False),
    rest("-u/x", f"{XX} - u/(1 + x) = 1", "..P......", "falls with u", bent=False),
    rest("minus the curvature", f"-{XX} + u = 1", "..P......", "the signs of both are turned", bent=False),
    rest("degenerate", f"x² {XX} - u = 1", "..p......", "not definite at 0", bent=False),
    rest("cubic curvature", f"({XX})³ - u = 0", "R.U......", "its slope vanishes with the curvature"),
    rest("curvature and its cube", f"{XX} + ({XX})³ - u = 1", "..P......", "at least 1"),
    rest("mean curvature", f"{XX} / (1 + ({X})²) = 1", "..P......", "smooth in the slope"),
    # ---- at rest, in the plane
    solved("u = x", "Δu = 0", "..P....P.", "a harmonic function", "u = x on boundary"),
    solved("Δu = u, u = 1", "Δu = u", "..P....r.", "1 is above all inside", "u = 1 on boundary"),
    solved("Δu = -u", "Δu = -u", "P.U......", "1 < 2π², yet it rises with u"),
    solved("mixed, 1 and 1.9", "Δu + 1.9 ∂²u/∂x∂y = u", "P.P......", "1 - 0.95"),
    solved("mixed, 1 and 2", "Δu + 2 ∂²u/∂x∂y = 0", "P.U......", "1 - 1: along x - y nothing happens"),
    solved("‖∇u‖", "Δu + ‖∇u‖ = 1", "..P......", "Lipschitz in the slope"),
    solved("√‖∇u‖", "Δu + sqrt(‖∇u‖) = 0", "R.U......", "as on the line"),
    solved("‖∇u‖^1.5", "Δu + ‖∇u‖^1.5 = u", "..p......", "smooth but at 0"),
    solved("max of slopes", "Δu + max(∂u/∂x, ∂u/∂y) = u", "..P......", "Lipschitz in the slope"),
    solved("tanh of a slope", "Δu + tanh(∂u/∂x) + (∂u/∂y)³ = u", "..P......", "smooth"),
    solved("cube root of a slope", "Δu + abs(∂u/∂x)^(1/3) = u", "R.U......", "not Lipschitz at 0"),
    solved(
        "a wall without a value",
        "Δu = u - 1",
        "..p......",
        "it holds too",
        declared("u = 0 on left, right, top", "n·∇u = 0 on bottom"),
    ),
    # ---- drifts
    line("-x³", f"{XX} - x³ {X}", "PPPPP...R", "turns back"),
    line("x³", f"{XX} + x³ {X}", "PPU......", "leaves in finite time"),
    line("sin(x²)", f"Δu + sin(x²) {X}", "PPpPP....", "bounded and smooth"),
    line("x log(2 + x²)", f"x log(2 + x²) {X}", "PPpPP....", "leaves in no finite time"),
    line("tanh", f"Δu - tanh(x) {X}", "PPPPP....", ""),
    line("x/(1 + x²)", f"Δu + x/(1 + x²) {X}", "PPPPP....", "bounded slope"),
    line("1/x", f"Δu + (1/x) {X}", "PPU......", "no value at 0"),
    line("rate x²", "Δu + x² u", "PRU......", "explodes at time π/4: no bounded solution"),
    line("rate -x⁴", "Δu - x⁴ u", "PRPPP...R", "a killing"),
    line("rate x", "Δu + x u", "PRPPP...R", "grows like exp(xt)"),
    line("rate log", "Δu + log(1 + x²) u", "PRPPP...R", "below a line"),
    line("√(1 + x²)", f"sqrt(1 + x²) {XX}", "PPPPP...R", "its fourth root is Lipschitz"),
    line("|x|", f"abs(x) {XX}", "PPU......", "√|x| is not Lipschitz"),
    line("|x|³", f"abs(x)³ {XX}", "PPpPP....", "|x|^1.5 is Lipschitz near 0, and recurrent"),
    line("cos² + ½sin²", f"(cos(x)² + ½ sin(x)²) {XX}", "PPPPP...R", "at least ½"),
    line("cos² - ½sin²", f"(cos(x)² - ½ sin(x)²) {XX}", "PPR......", "-½ at π/2"),
    line("1 + x³/(1 + x²)^1.5", f"(1 + x³/(1 + x²)^1.5) {XX}", "PPpPP....", "between 0 and 2"),
    line("1.1 + x³/(1 + x²)^1.5 - 0.2", f"(0.9 + x³/(1 + x²)^1.5) {XX}", "PPr......", "-0.1 far to the left"),
    line("backwards from the end", f"-(1 + x²) {XX}", "PPPPP...R", "data at the end", "1"),
    line("drift from the end", f"-{XX} - x {X}", "PPPPP...R", "data at the end", "1"),
    # ---- nonlinear on the line
    bent("larger of two", f"max({XX}, 2 {XX})", "RPPPP...R", "Bellman"),
    bent("smaller of two", f"min({XX}, {X})", "RPPPP....", "monotone in both"),
    bent("modulus", f"abs({XX})", "RPR......", "falls for negative curvature"),
    bent("atan", f"atan({XX})", "RPPPP...."),
    bent("sinh", f"sinh({XX})", "RPPPP...."),
    bent("cube", f"({XX})³", "RPPPP...."),
    bent("square", f"({XX})²", "RPR......", "falls for negative curvature"),
    bent("|u'|u''", f"abs({X}) {XX}", "RPPPP...P", "∂/∂x ½u'|u'|"),
    bent("-u'²u''", f"-({X})² {XX}", "RPR......", "backwards"),
    bent("exp(u)u''", f"exp(u) {XX}", "RPpPP...R", "positive for every u"),
    bent("(1 + u²)u''", f"(1 + u²) {XX}", "RPPPP...R", "at least 1"),
    bent("(1 - u²)u''", f"(1 - u²) {XX}", "RPR......", "u = 2"),
    bent("√|u|", f"{XX} + sqrt(abs(u))", "RRU......", "0 and t²/4"),
    bent("-√|u| sign u", f"{XX} - sign(u) sqrt(abs(u))", "RRp......", "falls with u"),
    bent("u²", f"{XX} + u²", "RRPPP...R", "as long as there is a solution"),
    bent("|u|", f"{XX} + abs(u)", "RRPPP...."),
    bent("1/(1 + u²)", f"{XX} + 1/(1 + u²)", "RRPPP....", "a bounded slope"),
    bent("u u'", f"{XX} + u {X}", "RPPPP...P", "Burgers"),
    bent("√|u'|", f"{XX} + sqrt(abs({X}))", "RPPPP....", "continuous in the slope, and the same at every x"),
    # ---- nonlinear in the plane
    bent_plane("Monge-Ampère", "∂²u/∂x² ∂²u/∂y² - (∂²u/∂x∂y)²", "RPR......", "a saddle"),
    bent_plane("two positive parts", "relu(∂²u/∂x²) + relu(∂²u/∂y²)", "RPPPP....", "monotone in each"),
    bent_plane("difference of positive parts", "relu(∂²u/∂x²) - relu(∂²u/∂y²)", "RPR......", "falls in the second"),
    bent_plane("of the Laplacian", "tanh(Δu) + ‖∇u‖", "RPPPP....", "monotone in the Laplacian"),
    bent_plane("mixed within bounds", "Δu + tanh(∂²u/∂x∂y)", "RPPPP....", "1 - ½ at least"),
    bent_plane("mixed beyond bounds", "Δu + 3tanh(∂²u/∂x∂y)", "RPR......", "1 - 3/2 at zero"),
    # ---- matrices
    matrix("I + vvᵀ", "[[1 + x², x y], [x y, 1 + y²]]", "PPPPP....", "at least 1"),
    matrix("turned", "[[y², -x y], [-x y, x²]]", "PPPPP....", "vvᵀ"),
    matrix("cosine of a difference", "[[1, cos(x - y)], [cos(x - y), 1]]", "PPPPP....", "1 - cos²"),
    matrix("t off the diagonal", "[[1, t], [t, 1]]", "PPPPP....", "1 - t² for t ≤ 1"),
    matrix("2t off the diagonal", "[[1, 2t], [2t, 1]]", "PPR......", "1 - 4 at 1"),
    matrix("x off the diagonal", "[[1, x], [x, 1]]", "PPR......", "1 - 4 at 2"),
    matrix("exponentials", "[[exp(x), 1], [1, exp(-x)]]", "PPp......", "a determinant of 0"),
    matrix("tanh", "[[1, tanh(x y)], [tanh(x y), 1]]", "PPp......", "1 - tanh²; the root is not Lipschitz far away"),
    # ---- times
    clock("from -1", "t Δu", "[-1, 1]", "-1", "PPR......", "backwards before 0"),
    clock("|t| from -1", "abs(t) Δu", "[-1, 1]", "-1", "PPPPP...."),
    clock("1/t from 1", "(1/t) Δu", "[1, 2]", "1", "PPPPPPP..", "½ to 1"),
    clock("log t from 1", "log(t) Δu", "[1, 2]", "1", "PPPPPPP..", "0 to log 2"),
    clock("log t from ½", "log(t) Δu", "[½, 2]", "½", "PPR......", "log ½ < 0"),
    clock("t² - 3t + 2", "(t² - 3t + 2) Δu", "[0, 2]", "0", "PPR......", "-¼ at 3/2"),
    clock("t² - 3t + 9/4", "(t² - 3t + 9/4) Δu", "[0, 2]", "0", "PPPPPPP..", "(t - 3/2)²"),
    clock("1 + sin(1/t)", "(1 + sin(1/t)) Δu", "[0, 1]", "0", "PPp......", "between 0 and 2"),
    clock("sin(1/t)", "sin(1/t) Δu", "[0, 1]", "0", "PPr......", "-1 at 2/(3π)"),
    clock("rate sin t", "Δu + sin(t) u", "[0, 9]", "0", "PRPPP....", "a bounded rate"),
    clock("rate 1/t", "Δu + u/t", "[0, 1]", "0", ".RU......", "no integral"),
    # ---- conditions
    ended("Robin that feeds", "n·∇u = u on boundary", "PRp.P..rR", "order is kept for every bounded slope"),
    ended("Robin of two signs", "n·∇u = (½ - x) u on boundary", "PRp.P...R", "½ u on the left, -½ u on the right"),
    ended("a ring by hand", declared("u(0, t) = u(1, t)", f"{X}(0, t) = {X}(1, t)"), "PPp.P..pp", "a ring"),
    ended(
        "a value that follows the other end",
        declared("u(0, t) = 2u(1, t)", f"{X}(0, t) = 0"),
        "P.U......",
        "at another point",
    ),
    ended("fed in time", declared("n·∇u = sin(t) on left", "n·∇u = -sin(t) on right"), "R.PPP...P", "in and out"),
    ended("fed and burnt", "n·∇u = ½ on boundary", "RRPPP...P", "½ + ½ - 1", "Δu - 1"),
    ended("fed and burnt by less", "n·∇u = ½ on boundary", "RRPPP...R", "½ + ½ - ½", "Δu - ½"),
    ended(
        "degenerate ends with values",
        DIRICHLET,
        ".R......p",
        "the flux x(1 - x)∂u/∂x vanishes there",
        f"∂(x(1 - x) {X})/∂x",
    ),
    ended("Wentzell, outwards", "∂u/∂t = n·∇u on boundary", "..U......", "runs backwards on the boundary"),
    # ---- waves
    wave("Klein-Gordon", "∂²u/∂t² = Δu - u", ".RR......", "J₁ behind the front"),
    wave("uneven", "∂²u/∂t² = (1 + x²) Δu", ".Pp......", "no rule"),
    wave("driven", "∂²u/∂t² = Δu + 1", "RR.......", "a force"),
    # ---- mass
    kept("sin² on a ring", "Δu + sin(2π x)²", "R", "a mean of ½"),
    kept("t sin on a ring", "Δu + t sin(2π x)", "P", "no mean"),
    kept("sin u' on a ring", f"sin(2π x) {X}", "R", "-2π cos(2πx) u"),
    kept("(sin u)' on a ring", "∂(sin(2π x) u)/∂x", "P", "a flux"),
    kept("Burgers with ends at 0", f"u {X}", "p", "the flux ½u² is 0 at the ends", DIRICHLET),
    kept("viscous Burgers with ends at 0", f"Δu + u {X}", "R", "the flux of Δu", DIRICHLET),
    kept("fast at the ends, shut", f"∂((1 + x²) {X})/∂x", "P", "", INSULATED),
    kept("not a flux, shut", "(1 + x²) Δu", "R", "2u", INSULATED),
    kept("fourth order, shut", "-∂⁴u/∂x⁴", "P", "", declared(INSULATED, "∂³u/∂x³ = 0 on boundary")),
    kept("Cahn-Hilliard, shut", "Δ(u³ - u - Δu)", "p", "", declared(INSULATED, "∂³u/∂x³ = 0 on boundary"), "R"),
    kept("fourth order and decay, shut", "-∂⁴u/∂x⁴ - u", "R", "", declared(INSULATED, "∂³u/∂x³ = 0 on boundary")),
    kept("fourth order, clamped", "-∂⁴u/∂x⁴", "R", "", declared(DIRICHLET, INSULATED)),
    kept("fourth order and Δ, shut", "Δu - ∂⁴u/∂x⁴", "P", "", declared(INSULATED, "∂³u/∂x³ = 0 on boundary")),
    kept(
        "fourth order, shut on one side",
        "-∂⁴u/∂x⁴",
        "R",
        "",
        declared(INSULATED, "∂³u/∂x³ = 0 on left", "∂²u/∂x² = 0 on right"),
    ),
    kept("x sin on a ring", "Δu + x sin(2π x)", "R", "-1/(2π)"),
    kept("sin cos on a ring", "Δu + sin(2π x) cos(2π x)", "P", "half a sine"),
    kept("sin⁴ less ⅜", "Δu + sin(2π x)⁴ - 3/8", "P", "a mean of ⅜"),
    kept("e^x sin, shut", "Δu + exp(x) sin(2π x)", "R", "-2π(e - 1)/(1 + 4π²)", INSULATED),
    linear("contrary, mass, odd source on the line", data("∂u/∂t = Δu + x exp(-x²)"), ANY, "RR......p", "odd"),
    linear(
        "contrary, mass, stream on a torus",
        periodic_box("∂u/∂t = sin(2π y) ∂u/∂x - sin(2π x) ∂u/∂y"),
        "transport",
        "PPPPP..PP",
    ),
    linear(
        "contrary, mass, square, fed on top",
        square("∂u/∂t = Δu", declared("n·∇u = x - ½ on top", "n·∇u = 0 on left, right, bottom")),
        "diffusion",
        "R.PPP...p",
        "∫(x - ½) = 0",
    ),
    # ---- types
    signed("-√u", "Δu - sqrt(u)", "RRp......", "falls"),
    signed("Δ(u - 1/u)", "Δ(u - 1/u)", "RPPPP...P", "1 + 1/u²"),
    signed("Δ(u²) - Δu", "Δ(u²) - Δu", "RPR.....P", "2u - 1"),
)
