"""Times, systems, classes, mass, weights and feature maps.

- c(t)Δu is the heat equation at the time ∫c; at another time than now an unknown is memory.
- Second order in time as a system of first order is Markov in the pair, and not ordered.
- At rest: the eigenvalues of the matrix of ∇∇u on all of the domain say the class.
- Mass is kept on a ring and on the line by what is a derivative, and by nothing else.
- Learned: for every weight, or for none; else `unknown`.
- One step of euler with h = 1 takes k·identity for K: y - c k σ(k y) + …, and two maps of one channel tell.
"""

from __future__ import annotations

from analysis.more_spec_templates import ZERO_SPEED, linear, nonlinear, system
from analysis.spec_templates import Row, data, declared, maps, pair, periodic, periodic_box, stationary

CD = "convection-diffusion"
RATE = "reaction-diffusion"
NL = "nonlinear-diffusion"
HYP = "transport|hyperbolic|wave|hamiltonian"
ORDER = "an order of pairs is a convention"
RING = "x in [0, 1] periodic"
VECTOR = "x in R^2"
NUMBER = "learn q : scalar"
FIELD = "learn q(x) : scalar = mlp"
SOME = "for some weights"
FLOW = "gradient-flow|ode"
BOUND = "learn K : operator, ‖K‖ ≤ 1 = conv(3)"
FREE = "learn K : operator = conv(3)"
THIRD = declared(ZERO_SPEED, "∂²u/∂t²(x, 0) = 0", "∂³u/∂t³(x, 0) = 0", "")
SOLID = "(x, y) in [-1, 1]^2"


def timed(name: str, right: str, cells: str, why: str = "", kinds: str = "diffusion") -> Row:
    return linear(f"further, {name}", data(f"∂u/∂t = {right}"), kinds, cells, why)


def swung(name: str, right: str, cells: str, why: str = "") -> Row:
    return linear(f"further, {name}", data(f"∂²u/∂t² = {right}") + ZERO_SPEED + "\n", "wave|ode", cells, why, order=2)


def at_rest(name: str, equation: str, kinds: str, space: str = "(x, y) in [0, 1]^2") -> Row:
    return linear(f"further, at rest, {name}", stationary(equation, space=space), kinds, ".........", order=0)


def kept(name: str, right: str, cell: str, kinds: str = NL, start: str = "RP") -> Row:
    return nonlinear(f"further, ring, {name}", periodic(f"∂u/∂t = {right}"), kinds, f"{start}......{cell}")


def weighed(name: str, declare: str, right: str, cells: str, why: str = "", kinds: str = "diffusion") -> Row:
    return linear(f"further, weights, {name}", data(f"∂u/∂t = {right}", VECTOR, declare), kinds, cells, why)


def layer(name: str, right: str, cells: str, why: str = "", declare: str = BOUND, time: str = "euler(steps=3)") -> Row:
    return nonlinear(f"further, layer, {name}", maps(f"∂Y/∂t = {right}", declare, time), FLOW, cells, why)


TABLE: tuple[Row, ...] = (
    # ---- times
    timed("a third of the time", "Δu + u - u(x, t/3)", "p..R...", "", f"{RATE}|diffusion"),
    timed("the curvature before", "Δu + ∂²u/∂x²(x, t - ½)", "...R...", "", "diffusion|higher-order"),
    timed("the curvature before, alone", "∂²u/∂x²(x, t - ½)", "pp.R...", "", "diffusion|higher-order"),
    timed("the slope before, alone", "∂u/∂x(x, t/2)", "pp.R...", "", "transport"),
    timed("t - t³", "(t - t³)Δu", "PPPPPPp"),
    timed("t - 2t²", "(t - 2t²)Δu", "PPR....", "½ - ⅔ at the end"),
    timed("√√t below", "Δu/sqrt(sqrt(t))", "PPPPPpr", "4/3 t^(3/4) is the time that passes"),
    timed("1 - t², along", "(1 - t²) ∂u/∂x", "PPPPPPp", "", "transport"),
    timed("1/(1 + t)² less ¼", "(1/(1 + t)² - ¼)Δu", "PPPPPPp", "falls to 0 at 1"),
    timed("1/(1 + t)² less ½ and t", "(1/(1 + t)² - ½ - t)Δu", "PPR....", "½ - ½ - ½ < 0"),
    timed("exp(-t) less ⅓", "(exp(-t) - 1/3)Δu", "PPPPPPp", "e⁻¹ > ⅓"),
    timed("exp(-t) less 0.4 and t", "(exp(-t) - 2/5 - t)Δu", "PPR....", "1 - e⁻¹ - 0.4 - ½ < 0"),
    linear("further, fourth order in time", data("∂⁴u/∂t⁴ = u") + THIRD, "ode", "PRprp..", "½(cosh + cos)", order=4),
    swung("damped oscillator", "-u - ∂u/∂t", "PRprp..", "positive up to 1"),
    swung("fast oscillator", "-9u", "PRrrp..", "cos 3 < 0"),
    swung("wave with drift back and forth", "Δu - ∂u/∂t", "PPprp..", "telegraph"),
    # ---- systems
    linear(
        "further, exchange",
        pair("∂u/∂t = Δu + v - u", "∂v/∂t = 2Δv + u - v"),
        f"{RATE} {RATE}",
        "PrpPP..",
        "cooperative; (1, 0) moves",
    ),
    linear(
        "further, two speeds",
        system("p q", "∂p/∂t = ∂p/∂x + 2 ∂q/∂x\n∂q/∂t = 2 ∂p/∂x + ∂q/∂x", RING),
        f"{HYP} {HYP}",
        "PPrPP...P",
        ORDER,
    ),
    nonlinear(
        "further, a power at once",
        system("u w", "∂u/∂t = Δu + w\nw = -u³", stationary="w"),
        f"{RATE}|diffusion {RATE}|ode|elliptic|hyperbolic",
        "R...p..",
        "w is a function of u, here",
        order=(1, 0),
    ),
    linear(
        "further, a potential at once",
        system("u w", "∂u/∂t = Δu + ∂w/∂x\nΔw = u + w", stationary="w"),
        f"{CD}|diffusion|{RATE} elliptic",
        "p..pR..",
        "(Δ - 1)⁻¹",
        order=(1, 0),
    ),
    nonlinear(
        "further, gas",
        system("h q", "∂h/∂t + ∂(h q)/∂x = 0\n∂q/∂t + q ∂q/∂x + ∂h/∂x = 0", RING),
        f"{HYP} {HYP}",
        "RP.PP...P",
        "½q² + h is the flux",
    ),
    # ---- classes
    at_rest("a wave", "∂²u/∂x² - ∂²u/∂y² = 0", "hyperbolic"),
    at_rest("a wave in disguise", "∂²u/∂x² + 4 ∂²u/∂x∂y + ∂²u/∂y² = 0", "hyperbolic"),
    at_rest("nearly a wave", "∂²u/∂x² + 1.9 ∂²u/∂x∂y + ∂²u/∂y² = 0", "elliptic"),
    at_rest("a square", "∂²u/∂x² + 2 ∂²u/∂x∂y + ∂²u/∂y² = 0", "parabolic"),
    at_rest("Tricomi", "∂²u/∂x² + x ∂²u/∂y² = 0", "mixed", SOLID),
    at_rest("Keldysh", "x ∂²u/∂x² + ∂²u/∂y² = 0", "mixed", SOLID),
    at_rest("two thirds of Tricomi", "∂²u/∂x² + (2 + x) ∂²u/∂y² = 0", "elliptic", SOLID),
    at_rest("heat upwards", "∂u/∂y - ∂²u/∂x² = 0", "parabolic"),
    at_rest("both negative", "-∂²u/∂x² - 3 ∂²u/∂y² = 0", "elliptic"),
    # ---- mass
    kept("cubic and dispersion", "∂(u³)/∂x + ∂³u/∂x³", "P", "higher-order"),
    kept("uu''", "u ∂²u/∂x²", "R"),
    kept("uu'' + 2u'²", "u ∂²u/∂x² + 2 (∂u/∂x)²", "R"),
    kept("u²u'", "u² ∂u/∂x", "P", "transport|hamilton-jacobi"),
    kept("u'²u''", "(∂u/∂x)² ∂²u/∂x²", "P"),
    kept("u u'u''", "u ∂u/∂x ∂²u/∂x²", "R"),
    kept("u² u'' + 2u u'²", "u² ∂²u/∂x² + 2u (∂u/∂x)²", "P"),
    kept("sin(u) u'", "sin(u) ∂u/∂x", "P", "transport|hamilton-jacobi"),
    kept("u³ - u", "Δ(u³) + u³ - u", "R", f"{NL}|{RATE}", "RR"),
    kept("u u'''", "u ∂³u/∂x³", "P", "higher-order"),
    kept("u² u'''", "u² ∂³u/∂x³", "R", "higher-order"),
    nonlinear("further, torus, u Δu + |∇u|²", periodic_box("∂u/∂t = u Δu + ‖∇u‖²"), NL, "RP......P"),
    nonlinear("further, torus, |∇u|²", periodic_box("∂u/∂t = Δu + ‖∇u‖²"), "hamilton-jacobi", "RPP....PR"),
    nonlinear("further, torus, stretched", periodic_box("∂u/∂t = ∂u/∂x ∂²u/∂x∂y"), NL, "RPR.....P", "½ ∂/∂y (∂u/∂x)²"),
    linear("further, torus, stream", periodic_box("∂u/∂t = cos(2π y) ∂u/∂x + Δu"), CD, "PPPPP..PP"),
    linear("further, torus, strain", periodic_box("∂u/∂t = cos(2π x) ∂u/∂x + Δu"), CD, "PPPPP..PR"),
    # ---- weights
    weighed("softplus of a field", FIELD, "softplus(q)Δu", "PPPPP.."),
    weighed("minus softplus", FIELD, "-softplus(q)Δu", "PPR...."),
    weighed("softplus less one", FIELD, "(softplus(q) - 1)Δu", "PPU....", SOME),
    weighed("exponential of a field", FIELD, "exp(q)Δu", "PPp....", "the plane is recurrent"),
    weighed("sigmoid of a field", FIELD, "sigmoid(q)Δu", "PPPPP.."),
    weighed("1 + tanh", FIELD, "(1 + tanh(q))Δu", "PPPPP.."),
    weighed("tanh - 1", FIELD, "(tanh(q) - 1)Δu", "PPR....", "for every weight"),
    weighed("square of a field", FIELD, "q²Δu", "PPPPP.."),
    weighed("relu of a field", FIELD, "relu(q)Δu", "PPp....", "√relu is not Lipschitz"),
    weighed("relu and one", FIELD, "(1 + relu(q))Δu", "PPPPP.."),
    weighed("number less its modulus", NUMBER, "(q - abs(q))Δu", "PPU....", "zero or negative"),
    weighed("minus a square", NUMBER, "-q²Δu", "PPr....", "zero or negative"),
    weighed("q² + 2q + 2", NUMBER, "(q² + 2q + 2)Δu", "PPPPPPP", "(q + 1)² + 1"),
    weighed("sine of a number", NUMBER, "sin(q)Δu", "PPU....", SOME),
    weighed("2 + sine of a number", NUMBER, "(2 + sin(q))Δu", "PPPPPPP"),
    weighed("rate of a field", FIELD, "Δu - q² u", "PrPPP..", "zero would keep constants", RATE),
    weighed("softplus rate", FIELD, "Δu - softplus(q) u", "PRPPP..", "for every weight", RATE),
    # ---- feature maps, one step of length 1
    layer("sigmoid", "-Kᵀ sigmoid(K Y)", "PR..", "σ(0) = ½"),
    layer("twice tanh", "-2Kᵀ tanh(K Y)", "PP.."),
    layer("thrice tanh", "-3Kᵀ tanh(K Y)", "RR..", "1 - 3"),
    layer("thrice sigmoid", "-3Kᵀ sigmoid(K Y)", "PR..", "¾ ≤ 2"),
    layer("8 sigmoids", "-8Kᵀ sigmoid(K Y)", "PR..", "8/4 = 2"),
    layer("9 sigmoids", "-9Kᵀ sigmoid(K Y)", "rR..", "1 - 9/4 at the end of the bound"),
    layer("tanh and decay", "-Kᵀ tanh(K Y) - ½Y", "PP.."),
    layer("tanh and fast decay", "-Kᵀ tanh(K Y) - 3Y", "RR.."),
    layer("tanh forward", "Kᵀ tanh(K Y)", "RR.."),
    layer("relu, unbounded K", "-Kᵀ relu(K Y)", "RR..", "", FREE),
    layer("relu", "-Kᵀ relu(K Y)", "PP.."),
    layer("six steps of four", "-4Kᵀ tanh(K Y)", "PP..", "h = ½", BOUND, "euler(steps=6)"),
    layer("five steps of four", "-4Kᵀ tanh(K Y)", "rr..", "1 - 2.4 at the end of the bound", BOUND, "euler(steps=5)"),
)
