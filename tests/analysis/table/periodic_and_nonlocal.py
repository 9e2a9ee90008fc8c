"""Periodic boundaries, discontinuous coefficients, nonlocal terms and feedback.

- u' = ∂u/∂x on [0, 1] without a value on the right has many solutions; -3|∂u/∂x| without conditions, too.
- c(x)u with c = heaviside(x), √|sin x|, sin(x²): exp(ct)f is not Lipschitz in x. On a ring of length 1 sin(x) jumps.
- ±(1 + x⁴)|∂u/∂x| brings what happens at infinity in finite time.
- D²/(1 - D) = -D - 1 + 1/(1 - D), and 1/(1 - D) is an average: Δu + ∂²u/∂x∂t keeps the order.
- 2z + |z| and z³ have one inverse, which increases.
- A step of midpoint is I - A + ½AB for slopes A, B that need not commute: its norm may exceed 1 for every step.
- A network of squares grows faster than a line.
"""

from __future__ import annotations

from analysis.more_spec_templates import (
    DIRICHLET,
    INSULATED,
    ZERO_SPEED,
    classless,
    line,
    periodic_2pi,
    square,
    system,
)
from analysis.spec_templates import Row, data, declared, interval, lines, maps, periodic

RING = "x in [0, 1] periodic"
DISC = "(x, y) in [-1, 1]^2 where x² + y² < 1"


def bar(name: str, right: str, ends: str, cells: str, bent: bool = False, declare: str = "") -> Row:
    return classless(f"analyst again, bar, {name}", interval(f"∂u/∂t = {right}", ends, declare), cells, "", bent)


def ended(name: str, right: str, ends: str, cells: str, bent: bool = False) -> Row:
    """An interval, with data at the end of the time."""
    text = lines(
        "pde Row", "space x in [0, 1]", "time t in [0, 1]", "unknown u(x, t) : scalar",
        f"∂u/∂t = {right}", "u(x, 1) = cos(π x)", ends,
    )  # fmt: skip
    return classless(f"analyst again, ended, {name}", text, cells, "", bent)


def loop(name: str, equation: str, cells: str, bent: bool = False) -> Row:
    return classless(f"analyst again, ring, {name}", periodic(equation), cells, "", bent)


def signed(name: str, right: str, cells: str, kind: str, bent: bool = True) -> Row:
    return classless(f"analyst again, signed, {name}", periodic_2pi(f"∂u/∂t = {right}", kind=kind), cells, "", bent)


def wave(name: str, equation: str, velocity: str, cells: str) -> Row:
    rest = ZERO_SPEED.replace("= 0", f"= {velocity}")
    return classless(f"analyst again, wave, {name}", periodic(equation, rest=rest), cells, "", False, 2)


def real(name: str, right: str, cells: str, bent: bool = False) -> Row:
    return classless(f"analyst again, line, {name}", line(f"∂u/∂t = {right}"), cells, "", bent)


def last(name: str, right: str, cells: str) -> Row:
    return classless(f"analyst again, last, {name}", data(f"∂u/∂t = {right}", at="1"), cells)


def many(name: str, unknowns: str, equations: str, cells: str, bent: bool = True) -> Row:
    text = system(unknowns, equations, RING)
    return classless(f"analyst again, system, {name}", text, cells, "", bent, 1, len(unknowns.split()))


def arrows(name: str, right: str, cells: str, bent: bool = False) -> Row:
    """A vector on a torus."""
    text = lines(
        "pde Row", "space (x, y) in [0, 1]^2 periodic", "time t in [0, 1]", "unknown u(x, y, t) : vector",
        f"∂u/∂t = {right}", "u(x, y, 0) = [sin(2π x), cos(2π y)]",
    )  # fmt: skip
    return classless(f"analyst again, arrows, {name}", text, cells, "", bent)


def learned(name: str, right: str, declare: str, cells: str, space: str = "x in R^20") -> Row:
    return classless(f"analyst again, learned, {name}", data(f"∂u/∂t = {right}", space, declare), cells)


def layer(name: str, right: str, bound: str, cells: str, time: str) -> Row:
    text = maps(f"∂Y/∂t = {right}", f"learn K : operator, ‖K‖ ≤ {bound} = conv(3)", time)
    return classless(f"analyst again, layer, {name}", text, cells, "", True)


def shape(name: str, right: str, ends: str, cells: str) -> Row:
    return classless(f"analyst again, shape, {name}", square(f"∂u/∂t = {right}", ends, space=DISC), cells)


GATES: tuple[Row, ...] = (
    bar("an open gate", "3∂u/∂x", "", "..rPP..r."),
    bar("an open gate, given at the other", "-3∂u/∂x + x ∂u/∂x", "", "..rPP..r."),
    bar("open on both sides", "(3x - 1) ∂u/∂x", "", "..rPP..r."),
    bar("a wind that turns in time", "(2t - 1) ∂u/∂x", "", "..rPP..r."),
    bar("fronts without walls", "-3|∂u/∂x|", "", "..rPP..r.", True),
    bar("Burgers without walls", "-3u ∂u/∂x", "", "..rPP..r.", True),
    bar("a wind that rests at the walls", "5x (1 - x) ∂u/∂x", "", "PPPPP..PR"),
    bar("a wind that rests at the walls, mass", "∂(5x (1 - x) u)/∂x", "", "PRPPP..RP"),
    bar("a wall that reads the midst", "2Δu", "u = ½u(½, t) on left\nu = 0 on right", "pRpP...pr"),
    bar("a wall that reads more than the midst", "2Δu", "u = 3u(½, t) on left\nu = 0 on right", "pR.P...rr"),
    bar("a wall that takes from the midst", "2Δu", "u = -u(½, t) on left\nu = 0 on right", "pRrP...rr"),
    bar("a thermostat", "2Δu + 5u(½, t) - 5u", INSULATED, "PPpPR..pr"),
    bar("a thermostat, wrong way", "2Δu - 5u(½, t) + 5u", INSULATED, "PPrPR..rr"),
    bar("degenerate at both ends", "x (1 - x) Δu", INSULATED, "PPpPP..pR"),
    bar("reaction of a weight", "Δu - k u", DIRICHLET, "PRPPP..PR", declare="learn k : scalar ≥ 0"),
    bar("reaction of a weight, warm", "Δu - k u", "u = 1 on boundary", "RRPPP..UR", declare="learn k : scalar ≥ 0"),
    ended("wind to the right", "3∂u/∂x", "u = 0 on left", "PRPPP..PR"),
    ended("heat, shut", "-3Δu", INSULATED, "PPPPP..PP"),
    ended("heat, cooled", "-3Δu", "∂u/∂n + 2u = 0 on boundary", "PRPPP...R"),
    ended("heat, a rate", "-3Δu + 2u", INSULATED, "PRPPP..RR"),
    ended("heat, a root", "-3Δu - sqrt(|u|)", INSULATED, ".RrPP..rR", True),
    ended("heat, drawn to 0", "-3Δu + u³", DIRICHLET, "RRPPP..pR", True),
    ended("heat, driven off 0", "-3Δu - u³", DIRICHLET, "RRpPP..rR", True),
)
RINGS: tuple[Row, ...] = (
    loop("a rate with a seam", "∂u/∂t = sin(x) u", "PRPPPrpRR"),
    loop("a rate without a seam", "∂u/∂t = 3|x - ½| u", "PRPPPppRR"),
    loop("a rate that jumps in the midst", "∂u/∂t = heaviside(x - ½) u", "PRPPPrpRR"),
    loop("a flux that jumps", "∂u/∂t = ∂((1 + heaviside(x - ½)) u)/∂x", "P.pPP...."),
    loop("a source that jumps", "∂u/∂t = sign(x - ½)", "RRPPPrpr."),
    loop("mixed", "∂u/∂t = Δu + ∂²u/∂x∂t", "PPpP....p"),
    loop("resonant", "∂u/∂t + (1/(4π²)) ∂³u/∂x²∂t = Δu", "..r......"),
    loop("a cube of the rate", "(∂u/∂t)³ = Δu", "rPppP..pr", True),
    loop("a rate that bends", "2∂u/∂t + |∂u/∂t| = 6Δu", "rPppP..pr", True),
    loop("a product with the time", "∂(exp(t) u)/∂t = exp(t) Δu", "PRPPP..RR"),
    loop("a product with the place", "∂(exp(sin(2π x)) u)/∂t = Δu", "PPPPP..PR"),
    loop("backwards at first", "(t - ½) ∂u/∂t = Δu", "..r......"),
    loop("reading at 0", "∂u/∂t = Δu + 3u(0, t) - 3u", "PPpPR..pr"),
    loop("nearly here", "∂u/∂t = Δu + u(x + 1e-9, t) - u", "PPpPRp.pp"),
    loop("two that cancel", "∂u/∂t = Δu + u(x + ¼, t) - u(x - ¾, t)", "PPpPppppp"),
    wave("a shape of velocity", "∂²u/∂t² = 3Δu", "sin(2π x)", "RRp.P..rP"),
    wave("a push", "∂²u/∂t² = 3Δu", "1", "RRp.P..rR"),
    wave("a push that damps", "∂²u/∂t² + ∂u/∂t = 3Δu", "cos(2π x)", "RRp.P..rP"),
    signed("a root, may be zero", "Δu + 3sqrt(u)", "RRrPP..RR", "scalar ≥ 0"),
    signed("a root, positive", "Δu + 3sqrt(u)", "RRpPP..RR", "scalar > 0"),
    signed("inverse", "Δu - 3/u", "RR.PP..rR", "scalar > 0"),
    signed("u times curvature", "5u Δu", "RPpPP..pR", "scalar > 0"),
    signed("u times curvature, may be zero", "5u Δu", "RP.PP...R", "scalar ≥ 0"),
    signed("modulus of u", "Δ(|u| + u)", "PPPPP..PP", "scalar > 0", False),
    many("a coefficient of another", "u v", "∂u/∂t = (1 + v²)Δu\n∂v/∂t = Δv", "RPrPP..pR"),
    many("a flux of another", "u v", "∂u/∂t = ∂((1 + v²)∂u/∂x)/∂x\n∂v/∂t = Δv", "RPrPP..pP"),
    many("a wind of another", "u v", "∂u/∂t = v ∂u/∂x\n∂v/∂t = 3Δv", "RPrPP..pR"),
    many("a slope of another", "u v", "∂u/∂t = Δu + |∂v/∂x|\n∂v/∂t = 3Δv", "RPrPP..rr"),
    many("a maximum", "u v", "∂u/∂t = Δu + max(u, v) - u\n∂v/∂t = Δv + max(u, v) - v", "RRpPP...R"),
    many("a minimum", "u v", "∂u/∂t = Δu + min(u, v) - u\n∂v/∂t = Δv + max(u, v) - v", "RRpPP...R"),
    arrows("heat", "3Δu", "PPpPP..pp"),
    arrows("Lamé", "Δu + 3∇(∇·u)", "PPrPP..rp"),
    arrows("grad div alone", "3∇(∇·u)", "PPrPP..rp"),
    arrows("Burgers", "3Δu - u·∇u", "RPrPP..pr", True),
)
LINES: tuple[Row, ...] = (
    real("a rate with a root", "sqrt(|sin(x)|) u", "PRPPPrp"),
    real("a source that jumps", "Δu + sign(x)", "RRPPP.p"),
    real("a source with a root", "sqrt(|sin(x)|)", "RRPPPrp"),
    real("control that explodes", "(1 + x⁴)|∂u/∂x|", "RPrPP..", True),
    real("control that explodes, a minimum", "-(1 + x⁴)|∂u/∂x|", "RPrPP..", True),
    real("control that explodes, with heat", "Δu + (1 + x⁴)|∂u/∂x|", "RPrPP..", True),
    real("control that grows", "Δu + (1 + |x|)|∂u/∂x|", "RPpPP..", True),
    real("a maximum with a coefficient", "max(x Δu, Δu)", "RPRPP..", True),
    real("a maximum with a square", "max(x² Δu, Δu)", "RPpPP..", True),
    real("half a line of heat, jumping", "(2 + sign(x)) Δu", "PPpPP.."),
    real("a rate like a cube root", "Δu + t^(-1/3) u", "PRpPP.r"),
    real("singular at the end", "(1 - t)^(-1/2) Δu", "PPpPPpp"),
    real("too singular at the end", "(1 - t)^(-2) Δu", "PPpPP.."),
    last("singular at the start", "-(1 - t)^(-1/2) Δu", "PPpPP.r"),
    last("singular far off", "-t^(-1/2) Δu", "PPpPP.p"),
    last("a drift inwards is outwards", "-Δu + 3x³ ∂u/∂x", "PPpPP.."),
    last("a drift outwards", "-Δu - 3x³ ∂u/∂x", "PPrPP.."),
    last("a neighbour", "-Δu - 3u(x - 1, t)", "PRpPR.."),
)
SQUARES = "mlp(activation=square)"
WEIGHTS: tuple[Row, ...] = (
    learned("a wind of squares", "v·∇u", f"learn v(x) : vector = {SQUARES}", "PPUPPUU"),
    learned("heat of squares", "a Δu", f"learn a(x) : scalar > 0 = {SQUARES}", "PPUPPUU"),
    learned("a matrix of squares", "A:∇∇u", f"learn A(x) : matrix, psd = {SQUARES}", "PPUPPUU"),
    learned("a wind of relus", "v·∇u", "learn v(x) : vector = mlp(activation=relu)", "PPPPP.U"),
    learned("a rate of relus", "Δu + q u", "learn q(x) : scalar = mlp(activation=relu)", "PU.PP.U"),
    learned("a wind of squares, bounded", "Σᵢ tanh(vᵢ) ∂u/∂xᵢ", f"learn v(x) : vector = {SQUARES}", "PPpPPUp"),
    learned("a matrix times itself", "(q² A):∇∇u", declared("learn q : scalar", "learn A : matrix, psd"), "PPPPPPP"),
    learned("a symmetric matrix", "S:∇∇u", "learn S : matrix, symmetric", "PPUPP.."),
    learned("dominated by its trace", "Δu + (1/(1 + q²)) Σᵢ Σⱼ ∂²u/∂xᵢ∂xⱼ", "learn q : scalar", "PPPPPPP"),
)
LAYERS: tuple[Row, ...] = (
    layer("midpoint", "-Kᵀ relu(K Y)", "1", "U...", "midpoint(steps=3)"),
    layer("heun", "-Kᵀ relu(K Y)", "1", "pp..", "heun(steps=3)"),
    layer("heun at the bound", "-Kᵀ relu(K Y)", "1.41", "pp..", "heun(steps=3)"),
    layer("ssprk3", "-Kᵀ tanh(K Y)", "1.41", "pp..", "ssprk3(steps=3)"),
    layer("two terms of a series", "-Kᵀ relu(K Y)", "1", "....", "backward_euler(steps=3, terms=2)"),
)
SHAPES: tuple[Row, ...] = (
    shape("a rotation without walls", "y ∂u/∂x - x ∂u/∂y", "", "PPpPP..pp"),
    shape("a wind without walls", "3∂u/∂x", "", "..rPP..r."),
    shape("a wind outwards", "-x ∂u/∂x - y ∂u/∂y", "", "PPpPP..pr"),
    shape("a wind inwards", "x ∂u/∂x + y ∂u/∂y", "", "..rPP..r."),
)
TABLE: tuple[Row, ...] = (*GATES, *RINGS, *LINES, *WEIGHTS, *LAYERS, *SHAPES)
