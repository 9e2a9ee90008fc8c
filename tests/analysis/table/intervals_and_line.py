"""Intervals with boundary conditions of every kind, periodic intervals, and the line.

- u' + 2u = 0 at both ends is the flux of (u' + 2u)' written as a condition: mass is kept, constants are not.
- (2 - x)u'' - u' is ((2 - x)u')', (2 - x)u'' + u' is not.
- ∂u/∂n = g(u): order is kept for Lipschitz g of either sign, and where g decreases; √|u| lets two solutions start at 0.
- Orders above two lose the order of data, and no condition gives it back.
- X + ½|X| increases, X - 2|X| does not; X/(1 + |X|) does, X/(1 + X²) does not.
- x' = x log(1 + x²)² reaches infinity in finite time, x' = x log(1 + x²) does not (Osgood).
- ∂u/∂t - ∂³u/∂x²∂t = Δu is ∂u/∂t = G∗u - u with G > 0.
"""

from __future__ import annotations

from analysis.more_spec_templates import DIRICHLET, INSULATED, ZERO_SPEED, classless, line, periodic_2pi
from analysis.spec_templates import Row, data, interval, periodic

SLOPES = "∂u/∂n = 0 on boundary\n∂³u/∂x³ = 0 on boundary"
X = "∂u/∂x"


def bar(name: str, right: str, ends: str, cells: str, bent: bool = False, why: str = "") -> Row:
    return classless(f"analyst, bar, {name}", interval(f"∂u/∂t = {right}", ends), cells, why, bent)


def string(name: str, equation: str, ends: str, cells: str, bent: bool = False) -> Row:
    return classless(f"analyst, string, {name}", interval(equation, ends, rest=ZERO_SPEED), cells, "", bent, 2)


def loop(name: str, right: str, cells: str, bent: bool = False, why: str = "") -> Row:
    pieces = 1 + right.count("∂u/∂t")
    return classless(f"analyst, ring, {name}", periodic(f"∂u/∂t = {right}"), cells, why, bent, count=pieces)


def positive(name: str, right: str, cells: str, bent: bool = True) -> Row:
    return classless(f"analyst, positive, {name}", periodic_2pi(f"∂u/∂t = {right}", kind="scalar > 0"), cells, "", bent)


def real(name: str, right: str, cells: str, bent: bool = False) -> Row:
    return classless(f"analyst, line, {name}", line(f"∂u/∂t = {right}"), cells, "", bent)


def last(name: str, equation: str, cells: str, bent: bool = False) -> Row:
    return classless(f"analyst, last, {name}", data(equation, at="1"), cells, "", bent)


BARS: tuple[Row, ...] = (
    bar("cooled on one side, held on the other", "3Δu", "∂u/∂n + 2u = 0 on left\nu = 0 on right", "PRPPP..pR"),
    bar("heated by itself", "3Δu", "∂u/∂n = 2u on left\nu = 0 on right", "PRpPP..rR"),
    bar("heated by itself a little", "3Δu", "∂u/∂n = ½u on left\nu = 0 on right", "PRpPP..rR"),
    bar("radiation", "Δu", "∂u/∂n + |u|³ u = 0 on boundary", "RRpPP...r"),
    bar("a flux that feeds on the cube", "Δu", "∂u/∂n = 2u³ on boundary", "RRpPP..rr"),
    bar("a flux that starts by itself", "2Δu", "∂u/∂n = 2sqrt(|u|) on left\nu = 0 on right", ".RrPP..rR"),
    bar("a flux that falls by itself", "2Δu", "∂u/∂n = -2sqrt(|u|) on left\nu = 0 on right", ".RrPP..rR"),
    bar("a flux that falls with u", "2Δu", "∂u/∂n = -sign(u) sqrt(|u|) on left\nu = 0 on right", "rRpPP..pR"),
    bar("a dynamic wall", "2Δu", "∂u/∂t + 3∂u/∂n = 0 on right\n∂u/∂n = 0 on left", "pppp...pr"),
    bar("a dynamic wall that cools", "2Δu", "∂u/∂t + 3∂u/∂n + u = 0 on right\n∂u/∂n = 0 on left", "prpp....r"),
    bar("flux, variable", "∂/∂x((3 + x)∂u/∂x)", INSULATED, "PPPPP..PP"),
    bar("no flux, variable", "(3 + x)Δu", INSULATED, "PPPPP..PR"),
    bar("flux in disguise", "(2 - x)Δu - ∂u/∂x", INSULATED, "PPPPP..PP"),
    bar("flux in disguise, wrong sign", "(2 - x)Δu + ∂u/∂x", INSULATED, "PPPPP..PR"),
    bar("wind through shut walls", "Δu + 2∂u/∂x", INSULATED, "PPPPP..PR"),
    bar("wind, no flux", "Δu + 2∂u/∂x", "∂u/∂n + 2u = 0 on right\n∂u/∂n - 2u = 0 on left", "PRpPP..rP"),
    bar("wind, wrong flux", "Δu + 2∂u/∂x", "∂u/∂n - 2u = 0 on right\n∂u/∂n + 2u = 0 on left", "PRpPP...R"),
    bar("wind, flux on one side", "Δu + 2∂u/∂x", "∂u/∂n + 2u = 0 on right\n∂u/∂n = 0 on left", "PRPPP...R"),
    bar("held at 1, shut", "2Δu", "u = 1 on left\nn·∇u = 0 on right", "RRPPP..PR"),
    bar("held at 1, drawn to 1", "Δu + 3(1 - u)", "u = 1 on left\nn·∇u = 0 on right", "RRPPP..pR"),
    bar("held at 1, drawn to 0", "Δu - 4u", "u = 1 on boundary", "RRPPP..rR"),
    bar("held at 0, drawn to 1", "Δu + 3(1 - u)", DIRICHLET, "RRPPP..rR"),
    bar("held at t", "2Δu", "u = t on left\nn·∇u = 0 on right", "RRPPP..PR"),
    bar("two fluxes that cancel", "5Δu", "∂u/∂n = 3 on left\n∂u/∂n = -3 on right", "RRPPP..rP"),
    bar("two fluxes that add", "5Δu", "∂u/∂n = 3 on boundary", "RRPPP..rR"),
    bar("Allen-Cahn, shut", "2Δu + 3u - 3u³", INSULATED, "RRPPP..RR", True),
    bar("sine, shut", "Δu + 7sin(u)", INSULATED, "RRPPP..RR", True),
    bar("sine of a circle, shut", "Δu + sin(u)² + cos(u)² - 1", INSULATED, "ppPPP..pp", True),
    bar("a root that lifts", "Δu + sqrt(relu(u))", INSULATED, "rRrPP..RR", True),
    bar("a root that sinks", "Δu - sqrt(relu(u))", INSULATED, "RRpPP..rR", True),
    bar("porous, square, of both signs", "∂/∂x(5u ∂u/∂x)", INSULATED, "RPrPP...P", True),
    bar("porous, as a flux", "∂/∂x(4u² ∂u/∂x)", INSULATED, "RPPPP..PP", True),
    bar("Neumann behind a factor", "∂/∂x((3 + u²)∂u/∂x)", "(3 + u²) n·∇u = 0 on boundary", "RPpPP..pp", True),
    bar("Neumann behind a factor with zeros", "3Δu", "u n·∇u = 0 on boundary", "...PP...."),
    bar("a diffusivity with a sign", "∂/∂x((2 + u)∂u/∂x)", INSULATED, "RPrPP...P", True),
    bar("p = 3", "∂/∂x(2|∂u/∂x| ∂u/∂x)", INSULATED, "RPPPP..PP", True),
    bar("p = 6", "∂/∂x(|∂u/∂x|⁴ ∂u/∂x)", INSULATED, "RPPPP..PP", True),
    bar("p = 6, worked out", "5(∂u/∂x)⁴ Δu", INSULATED, "RPPPP..PP", True),
    bar("p = 6, wrong factor", "5(∂u/∂x)⁴ Δu + (∂u/∂x)⁴", INSULATED, "RPPPP..PR", True),
    bar("Perona-Malik", "∂/∂x(5∂u/∂x/(5 + (∂u/∂x)²))", INSULATED, "RPRPP...P", True),
    bar("thin film", "-∂/∂x(u ∂³u/∂x³)", SLOPES, "RPrPP..rp", True),
    bar("beam that creeps, clamped", "-3∂⁴u/∂x⁴", f"{DIRICHLET}\n∂u/∂n = 0 on boundary", "PRRPP..RR"),
    bar("beam that creeps, propped", "-3∂⁴u/∂x⁴", f"{DIRICHLET}\n∂²u/∂x² = 0 on boundary", "PRRPP..RR"),
    bar("beam that creeps, shut", "-3∂⁴u/∂x⁴", SLOPES, "PPRPP..RP"),
    bar("Cahn-Hilliard", "∂²/∂x²(u³ - 2u - ∂²u/∂x²)", SLOPES, "RPRPP..rp", True),
    bar("Hamilton-Jacobi, shut", "Δu - 2|∂u/∂x|", INSULATED, "RPPPP..PR", True),
    bar("viscous Burgers, held", "2Δu - u∂u/∂x", DIRICHLET, "RRPPP..PR", True),
    bar("viscous Burgers, shut", "2Δu - u∂u/∂x", INSULATED, "RPPPP..PR", True),
    bar("degenerate at a wall, held", "x² Δu", DIRICHLET, "PRpPP..pR", why="nothing moves at the wall"),
    bar("a pole in the midst", "Δu + 1/(x - ½) ∂u/∂x", INSULATED, "p..PP...."),
    bar("transport to the left", "(2 + x)∂u/∂x", "u = 0 on right", "PRPPP..PR"),
    bar("transport, 1 at the gate", "(2 + x)∂u/∂x", "u = 1 on right", "RRPPP..PR"),
    bar("a law of decay", "-3u", "", "PRPPPp.RR"),
    bar("what grows with x", "x u", "", "PRPPP..RR"),
    bar("a flux in time", "2Δu", "∂u/∂n = t on boundary", "RRPPP..rR"),
    bar("exchange with the outside", "2Δu", "∂u/∂n + u = 3 on boundary", "RRPPP...R"),
    bar("a cube that is held", "2Δu", "u³ = 8 on boundary", "rRpPP..pr", why="it says u = 2"),
    bar("a cubic that is zero", "2Δu", "u + 4u³ = 0 on boundary", "pRpPP..pr", why="it says u = 0"),
    bar("a slope cubed", "2Δu", "(n·∇u)³ = 0 on boundary", "pppPP..pp", why="it says n·∇u = 0"),
    bar("a flux that swings", "2Δu", "n·∇u = sin(2u) on boundary", "RRpPP..rr"),
    bar("a flux that saturates", "2Δu", "n·∇u = -tanh(2u) on boundary", "RRpPP...r"),
    bar("a flux of nothing", "2Δu", "n·∇u = relu(u) - relu(-u) - u on boundary", "pppPP..pp", why="it says n·∇u = 0"),
    bar("a rate that is zero at the ends", "2Δu", "n·∇u = sin(π x) u on boundary", "PPPPP..PP"),
    bar("a rate that changes its sign", "2Δu", "n·∇u = (2x - 1) u on boundary", "PRpPP..rR"),
    bar("reaction held by both", "Δu - u³", "u = 0 on left\nn·∇u = 0 on right", "RRPPP..pR", True),
    bar("flux of a product", "∂/∂x(exp(x) ∂u/∂x - exp(x) u)", "∂u/∂n = u on right\n∂u/∂n = -u on left", "PRpPP..rP"),
    bar("flux of a product, shut", "∂/∂x(exp(x) ∂u/∂x - exp(x) u)", INSULATED, "PRPPP..rR"),
    classless(
        "analyst, bar, a weight that cools",
        interval("∂u/∂t = Δu", "∂u/∂n + k u = 0 on boundary", "learn k : scalar ≥ 0"),
        "PUPPP...U",
    ),
    classless(
        "analyst, bar, a positive weight that cools",
        interval("∂u/∂t = Δu", "∂u/∂n + k u = 0 on boundary", "learn k : scalar > 0"),
        "PrPPP...r",
    ),
    classless(
        "analyst, bar, held at a positive weight",
        interval("∂u/∂t = Δu", "u = k on boundary", "learn k : scalar > 0"),
        "rrPPP..PR",
    ),
    string("held and free", "∂²u/∂t² = 4Δu", "u = 0 on left\nn·∇u = 0 on right", "PRr.P..rR"),
    string("free and damped", "∂²u/∂t² + 3∂u/∂t = Δu", INSULATED, "PPp.P..pP"),
    string("free, bound to 0", "∂²u/∂t² = Δu - 9u", INSULATED, "PRr.P..rR"),
    string("free, bound to 0 a little", "∂²u/∂t² = Δu - ½u", INSULATED, "PRr.P..rR"),
    string("free, driven off", "∂²u/∂t² = Δu + 3u", INSULATED, "PRp.P..rR"),
    string("sine-Gordon, free", "∂²u/∂t² = 2Δu - sin(u)", INSULATED, "RR..P..rR", True),
    string("a wave that stretches", "∂²u/∂t² = ∂/∂x(∂u/∂x + (∂u/∂x)³)", INSULATED, "RP..P...P", True),
    string("a beam, propped", "∂²u/∂t² = -2∂⁴u/∂x⁴", f"{DIRICHLET}\n∂²u/∂x² = 0 on boundary", "PRR.P..RR"),
    string("a variable wave as a flux", "∂²u/∂t² = ∂/∂x((2 + x)∂u/∂x)", INSULATED, "PP..P...P"),
    string("a variable wave, no flux", "∂²u/∂t² = (2 + x)Δu", INSULATED, "PP..P...R"),
)
RINGS: tuple[Row, ...] = (
    loop("wind and heat", "4Δu + 5∂u/∂x", "PPPPPPPPP"),
    loop("variable", "(3 + 2sin(2π x))Δu", "PPPPPppPR"),
    loop("degenerate, a double zero", "(2 + 2sin(2π x))Δu", "PPPPPppPR"),
    loop("degenerate, as a flux", "∂/∂x((2 + 2sin(2π x))∂u/∂x)", "PPPPPppPP"),
    loop("degenerate, a root", "sqrt(abs(sin(2π x)))Δu", "PPrPP...R"),
    loop("both signs", "(½ + sin(2π x))Δu", "PPRPP...."),
    loop("wind that varies", "exp(sin(2π x)) ∂u/∂x", "PPPPPppPR"),
    loop("wind with a root", "sqrt(abs(sin(2π x))) ∂u/∂x", "PPrPP...R"),
    loop("a law of conservation", "∂(u + 2u³)/∂x", "RPpPP..pP", True),
    loop("a law with decay", "Δu + ∂(u²)/∂x - 2u", "RRpPP..RR", True),
    loop("a quartic law", "3Δu + ∂(u⁴)/∂x", "RPpPP..PP", True),
    loop("a law whose flux varies", "Δu + ∂(cos(2π x) u²)/∂x", "RRpPP..rP", True),
    loop("Korteweg and de Vries", "-5u ∂u/∂x - 2∂³u/∂x³", "RPRPP..rP", True),
    loop("Airy", "7∂³u/∂x³", "PPRPPP.RP"),
    loop("Airy and heat", "Δu + 7∂³u/∂x³", "PPRPPP.RP"),
    loop("fifth order", "-∂⁵u/∂x⁵", "PPRPPP.RP"),
    loop("Kuramoto, of heights", "-Δ²u - 2Δu - (∂u/∂x)²", "RPRPP..rR", True),
    loop("Kuramoto, of slopes", "-Δ²u - 2Δu - ∂(u²)/∂x", "RPRPP..rP", True),
    loop("growing heights", "2Δu - 5(∂u/∂x)²", "RPPPP..PR", True),
    loop("fronts", "-3|∂u/∂x|", "RPPPPp.PR", True),
    loop("fronts in a field", "-sin(2π x)|∂u/∂x|", "RPpPP..pr", True),
    loop("a root of the slope", "-sqrt(abs(∂u/∂x))", "RPpPP..pr", True),
    loop("an exchange", "3u(x + ½, t) - 3u(x, t)", "PPpPRpppp"),
    loop("an exchange, wrong sign", "3u(x, t) - 3u(x + ½, t)", "PPrPRpprp"),
    loop("heat and an exchange, wrong sign", "Δu - 2u(x + 1/3, t) + 2u", "PPrPR..rp"),
    loop("an exchange that leaks", "Δu + u(x + ¼, t) - 2u", "PRpPR..Rr"),
    loop("a memory", "Δu + u(x, t/2) - u", "P..Rp...."),
    loop("a memory of the start", "Δu + 3u(x, 0) - 3u", "PPpR...pp"),
    loop("a memory, wrong sign", "Δu - u(x, 0)", "PRrR....r"),
    loop("heat with a source of mean zero", "Δu + 2sin(2π x)", "RRPPP..rP"),
    loop("heat with a source", "Δu + 2sin(2π x)²", "RRPPP..rR"),
    loop("a rate of mean zero", "Δu + 2sin(2π x) u", "PRPPPppRR"),
    loop("in two pieces", "Δu for t in [0, ½]\n∂u/∂t = 3∂u/∂x for t in [½, 1]", "PPPPPppPP"),
    loop("in two pieces, one with decay", "Δu for t in [0, ½]\n∂u/∂t = -2u for t in [½, 1]", "PRPPP..RR"),
    loop("a product with elsewhere", "Δu + u(x, t) u(x + ½, t)", "RRrPR..rr", True),
    loop("a reflection", "3u(1 - x, t) - 3u", "PPpPR..pp"),
    loop("a reflection, wrong sign", "3u - 3u(1 - x, t)", "PPrPR..rp"),
    loop("an average of slopes elsewhere", "∂u/∂x(x + ½, t) + Δu", "PPrPR..rp"),
    loop("heat that slows", "(1 - t) Δu", "PPPPPppPP"),
    loop("a rate in time", "Δu + (t - ½) u", "PRPPPppRR"),
    classless("analyst, ring, pseudoparabolic", periodic("∂u/∂t - ∂³u/∂x²∂t = 3Δu"), "PPpP...pp", "it is an average"),
    classless("analyst, ring, long waves", periodic("∂u/∂t - ∂³u/∂x²∂t = -3∂u/∂x - u ∂u/∂x"), "RP.P....p", "", True),
    classless("analyst, ring, a beam", periodic("∂²u/∂t² = -3∂⁴u/∂x⁴", rest=ZERO_SPEED), "PPR.P..RP", "", False, 2),
    classless(
        "analyst, ring, Boussinesq",
        periodic("∂²u/∂t² = Δu - ∂⁴u/∂x⁴ + 2Δ(u²)", rest=ZERO_SPEED),
        "RP..P...P",
        "",
        True,
        2,
    ),
    classless("analyst, ring, twice as much", periodic("(2 + sin(2π x)) ∂u/∂t = Δu"), "PPPPP..PR", ""),
    classless("analyst, ring, a capacity", periodic("(2 + u²) ∂u/∂t = 3Δu"), "RPpPP..pr", "", True),
    classless("analyst, ring, enthalpy", periodic("∂(u + u³)/∂t = Δu"), "RPpPP..pr", "mass is that of u + u³", True),
    positive("fast diffusion", "-Δ(2/u)", "RPpPP..pP"),
    positive("slow diffusion", "Δ(u^(5/2))", "RPpPP..pP"),
    positive("logistic", "Δu + 3u (2 - u)", "RRPPP..RR"),
    positive("logarithm", "Δu - 2log(u)", "RR.PP...R"),
    positive("logarithmic flux", "∇·(u ∇log(u²))", "PPPPP..PP", False),
)
LINES: tuple[Row, ...] = (
    real("drift inwards", "(1 + x²)Δu - 3x³ ∂u/∂x", "PPpPP.."),
    real("drift that explodes", "Δu + 5x³ ∂u/∂x", "PPrPP.."),
    real("a bell", "exp(-2x²)Δu", "PPPPPpp"),
    real("half a line", "relu(x)²Δu", "PPPPP.."),
    real("degenerate", "3x²Δu", "PPPPP.r"),
    real("Ornstein and Uhlenbeck", "Δu - 3x ∂u/∂x", "PPPPPpr"),
    real("Fokker and Planck", "Δu + 3∂(x u)/∂x", "PRPPP.r"),
    real("harmonic", "Δu - 2x² u", "PRpPP.r"),
    real("a neighbour", "Δu + 2u(x - 1, t)", "PRpPRpp"),
    real("a neighbour, wrong sign", "Δu - 2u(x - 1, t)", "PRrPRpp"),
    real("a mirror", "Δu + 2u(-x, t)", "PRpPR.p"),
    real("a magnifying glass", "Δu + 2u(2x, t) - 2u", "PPpPR.."),
    real("the start", "Δu + 2u(x, 0)", "PRpR..."),
    real("sine", "2Δu + sin(3u)", "RRPPPp.", True),
    real("exponential", "2Δu + exp(2u)", "RRpPP..", True),
    real("a jump upwards", "2Δu + heaviside(u)", "rRrPP..", True),
    real("a jump downwards", "2Δu - 3heaviside(u)", "RR.PP..", True),
    real("modulus", "3|Δu|", "RPRPP..", True),
    real("more than half a modulus", "Δu + ½|Δu|", "RPPPPp.", True),
    real("less two moduli", "Δu - 2|Δu|", "RPRPP..", True),
    real("max", "max(Δu, 3Δu, 0)", "RPPPP..", True),
    real("max of minus", "max(Δu, -3Δu)", "RPRPP..", True),
    real("hyperbolic sine", "sinh(2Δu)", "RPPPP..", True),
    real("exponential of curvature", "exp(Δu)", "RRPPP..", True),
    real("exponential less one", "exp(2Δu) - 1", "RPPPP..", True),
    real("sine of curvature", "sin(2Δu)", "RPRPP..", True),
    real("bounded curvature", "Δu/(2 + |Δu|)", "RPPPP..", True),
    real("curvature that bends", "Δu/(2 + (Δu)²)", "RPRPP..", True),
    real("slope squared times curvature", "3(∂u/∂x)² Δu", "RPPPP..", True),
    real("u times curvature", "7u Δu", "RPRPP..", True),
    real("backwards at large slopes", "(4 - (∂u/∂x)²)Δu", "RPRPP..", True),
    real("curvature of a graph", "Δu/(1 + (∂u/∂x)²)", "RPPPP..", True),
    real("obstacle by a penalty", "Δu + 9relu(1 - u)", "RRPPP..", True),
    real("squares that cancel", "(∂u/∂x + u)² - (∂u/∂x - u)² - 4u ∂u/∂x + 6Δu", "PPPPPPP"),
    real("drift to the power 3/2", "Δu + |x|^(3/2) ∂u/∂x", "PPrPP.."),
    real("drift that jumps outwards", "3sign(x) ∂u/∂x", "PPrPP.."),
    real("drift that jumps, with heat", "Δu + 3sign(x) ∂u/∂x", "PPpPP.."),
    real("a root of a drift, with heat", "Δu + 3sqrt(|x|) ∂u/∂x", "PPpPP.r"),
    real("exponential heat", "exp(3x) Δu", "PPpPP.r"),
    real("exponential drift", "exp(3x) ∂u/∂x", "PPrPP.r"),
    real("a drift like 1/√t", "Δu + (3/sqrt(t)) ∂u/∂x", "PPpPPpr"),
    real("heat in half a period", "sin(3t) Δu", "PPPPPpp"),
    real("heat in more than half a period", "sin(4t) Δu", "PPRPP.."),
    real("heat that rests at the end", "(1 - 2t + t²) Δu", "PPPPPPP"),
    real("heat that turns back", "(1 - 3t + 2t²) Δu", "PPRPP.."),
    real("fourth order and much heat", "90Δu - Δ²u", "PPRPPp."),
    real("a rate of the slope", "Δu + u²∂u/∂x - u³", "RRpPP..", True),
    real("a minimum of two", "min(Δu, 4Δu + 1)", "RPPPP..", True),
    real("a minimum of two, with a source", "min(Δu + 2, 4Δu + 1)", "RRPPP..", True),
    real("logistic of both signs", "Δu + 3u (1 - u)", "RRpPP..", True),
    last("heat", "∂u/∂t = -6Δu", "PPPPPPP"),
    last("heat with a rate", "∂u/∂t + 6Δu - 2u = 0", "PRPPPPP"),
    last("Hamilton and Jacobi", "∂u/∂t + 2Δu = 2|∂u/∂x|", "RPPPPp.", True),
)
TABLE: tuple[Row, ...] = (*BARS, *RINGS, *LINES)
