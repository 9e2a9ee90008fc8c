"""Cylinders, vanishing coefficients, undetermined regions, vectors and names.

- relu(x) ∂u/∂t = relu(x) Δu says nothing for x < 0, and v ∂u/∂t = v Δu nothing where v is zero.
- sin(1)² + cos(1)² - 1, log 6 - log 2 - log 3 and √(3 + 2√2) - 1 - √2 are 0.
- A wind along the closed side of a cylinder needs no walls; what leaves through the others is lost.
- Where values come in at both ends both are given; where the wind turns round in time, nothing is known.
"""

from __future__ import annotations

from analysis.more_spec_templates import (
    DIRICHLET,
    INSULATED,
    classless,
    line,
    periodic_2pi,
    segment,
    system,
)
from analysis.spec_templates import (
    Row,
    data,
    declared,
    interval,
    lines,
    maps,
    pair,
    periodic,
    plane,
    stationary,
)

X = "∂u/∂x"
FREE = "some places are free"
NIL = "a number that is 0"
ZERO = "(sin(1)² + cos(1)² - 1)"
LOGS = "(log(6) - log(2) - log(3))"
ROOTS = "(sqrt(3 + 2sqrt(2)) - 1 - sqrt(2))"
K = "learn K : operator, ‖K‖ ≤ 1 = conv(3)"


def over(name: str, equation: str, cells: str, why: str = FREE, bent: bool = False) -> Row:
    return classless(f"third, free, {name}", line(equation), cells, why, bent)


def nil(name: str, right: str, cells: str, why: str = NIL, bent: bool = False) -> Row:
    return classless(f"third, nil, {name}", data(f"∂u/∂t = {right}"), cells, why, bent)


def drum(name: str, right: str, ends: str, cells: str, why: str = "", bent: bool = False) -> Row:
    """A cylinder: closed along x, with walls below and above."""
    text = lines(
        "pde Row", "space (x, y) in [0, 1] periodic * [0, 1]", "time t in [0, 1]", "unknown u(x, y, t) : scalar",
        f"∂u/∂t = {right}", "u(x, y, 0) = sin(2π x) sin(π y)", ends,
    )  # fmt: skip
    return classless(f"third, drum, {name}", text, cells, why, bent)


def arrows(name: str, right: str, cells: str, bent: bool = False, why: str = "") -> Row:
    text = lines(
        "pde Row", "space (x, y) in R^2", "time t in [0, 1]", "unknown w(x, y, t) : vector(2)", f"∂w/∂t = {right}",
        "w(x, y, 0) = [exp(-x²), exp(-y²)]",
    )  # fmt: skip
    return classless(f"third, arrows, {name}", text, cells, why, bent)


def other(name: str, text: str, cells: str, why: str = "", bent: bool = False) -> Row:
    return classless(f"third, other, {name}", text, cells, why, bent)


def wall(name: str, right: str, ends: str, cells: str, why: str = "", bent: bool = False) -> Row:
    return classless(f"third, within, {name}", interval(f"∂u/∂t = {right}", ends), cells, why, bent)


def weight(name: str, right: str, ends: str, declare: str, cells: str) -> Row:
    return classless(f"third, within, {name}", interval(f"∂u/∂t = {right}", ends, declare), cells, "for every weight")


def layer(name: str, right: str, cells: str, declare: str = K, time: str = "euler(steps=3)", bent: bool = True) -> Row:
    return classless(f"third, block, {name}", maps(f"∂Y/∂t = {right}", declare, time), cells, "", bent)


def named(space: str, time: str, unknown: str, equation: str, start: str) -> str:
    return lines("pde Row", f"space {space}", f"time {time}", f"unknown {unknown} : scalar", equation, start)


TABLE: tuple[Row, ...] = (
    over("relu(x)", "relu(x) ∂u/∂t = relu(x) Δu", "UUUPP...."),
    over("heaviside(x)", "heaviside(x) ∂u/∂t = heaviside(x) Δu", "UUUPP...."),
    over("max(x, 0)", "max(x, 0) ∂u/∂t = max(x, 0) Δu", "UUUPP...."),
    over("|x| + x", "(|x| + x) ∂u/∂t = (|x| + x) Δu", "UUUPP...."),
    over("heaviside(t - ½)", "heaviside(t - ½) ∂u/∂t = heaviside(t - ½) Δu", "UUUPP....", "the first half is free"),
    over("relu(t - ½)", f"relu(t - ½) ∂u/∂t = relu(t - ½) {X}", "UUUPP....", "the first half is free"),
    over("1 + heaviside(x)", "(1 + heaviside(x)) ∂u/∂t = (1 + heaviside(x)) Δu", "pppPP....", "heat"),
    over("x²", "x² ∂u/∂t = x² Δu", "pppPP....", "heat"),
    over("x² before u'", f"x² ∂u/∂t = x² {X}", "pppPP....", "wind"),
    over("sin u", "sin(u) ∂u/∂t = sin(u) Δu", "pppPP....", "heat, for solutions with two derivatives"),
    over("|u|", "|u| ∂u/∂t = |u| Δu", "pppPP....", "heat, for solutions with two derivatives"),
    over("u - |u|", "(u - |u|) ∂u/∂t = (u - |u|) Δu", "UUUPP....", "u > 0 is free", True),
    over("u'' + u'", f"(Δu + {X}) ∂u/∂t = (Δu + {X})²", "UUUPP....", "exp(-x) is free", True),
    over("∂u/∂t twice", "(∂u/∂t)² = 0", "pp.pp....", "nothing moves", True),
    classless("third, free, v", pair("v ∂u/∂t = v Δu", "∂v/∂t = Δv"), "U.UPP....", "where v is 0", count=2),
    # ---- zeros
    nil("sin² + cos² of 1, third order", f"Δu + {ZERO} ∂³u/∂x³", "pppPP...p"),
    nil("sin² + cos² of 1, rate", f"Δu + {ZERO} u", "pppPP...p"),
    nil("sin² + cos² of 1, source", f"Δu + {ZERO}", "pppPP...p"),
    nil("sin² + cos² of 1, square", f"Δu + {ZERO} u²", "pppPP...p", bent=True),
    nil("sin² + cos² of 1, diffusion", f"{ZERO} Δu", "pppPP...p"),
    nil("minus it", f"-{ZERO} Δu", "pppPP...p"),
    nil("less 1e-40", f"({ZERO} - 1e-40) Δu", "PPrPP...p", "negative"),
    nil("logs, third order", f"Δu + {LOGS} ∂³u/∂x³", "pppPP...p"),
    nil("logs, wave backwards", f"Δu - {LOGS} Δu", "PPpPP...p"),
    nil("roots, rate", f"Δu + {ROOTS} u", "pppPP...p"),
    nil("roots, memory", f"Δu + {ROOTS} u(x, t - 1)", "pp.p....."),
    nil("roots, far", f"Δu + {ROOTS} u(0, t)", "pp.Pp...."),
    nil("√2² - 2", "Δu + (sqrt(2)² - 2) ∂³u/∂x³", "PPPPP...P"),
    nil("π - 22/7", "Δu + (π - 22/7) u", "PRPPP..RR", "-0.0013"),
    nil("e^π - π^e", "(exp(π) - π^e) Δu", "PPpPP...p", "0.68"),
    nil("π^e - e^π", "(π^e - exp(π)) Δu", "PPrPP...p", "-0.68"),
    # ---- cylinders
    drum("cold", "Δu", "u = 0 on bottom, top", "PRPPP..PR"),
    drum("shut", "Δu", "n·∇u = 0 on bottom, top", "PPPPP..PP"),
    drum("warm above", "Δu", "u = 0 on bottom\nu = 1 on top", "RRPPP..PR"),
    drum("wind along", X, "", "PPPPP..PP"),
    drum("shear", f"y {X}", "", "PPPPP..PP"),
    drum("wind up", "-∂u/∂y", "u = 0 on bottom", "PRPPP..PR"),
    drum("sin(2πx)u_xx", "sin(2π x) ∂²u/∂x² + ∂²u/∂y²", "n·∇u = 0 on bottom, top", "PPRPP..RR"),
    drum("xu_x", f"Δu + x {X}", "n·∇u = 0 on bottom, top", "PPUPP....", "jumps at the seam"),
    drum("y(1 - y)u_yy", "y (1 - y) ∂²u/∂y²", "u = 0 on bottom, top", "PRpPP..p."),
    drum("far along", "Δu + u(x + ½, y, t)", "n·∇u = 0 on bottom, top", "PR.PR...r"),
    drum("once round", "Δu + u(x + 1, y, t)", "n·∇u = 0 on bottom, top", "pr.Pp...r"),
    drum("cubic", "Δu - u³", "u = 0 on bottom, top", "RRPPP..Pr", "", True),
    drum("Robin", "Δu", "n·∇u = -u on bottom\nn·∇u = 0 on top", "PRPPP...R"),
    # ---- vectors
    arrows("heat", "Δw", "PP.PP...."),
    arrows("decay", "Δw - w", "PR.PP...."),
    arrows("cubic", "Δw - ‖w‖² w", "RR.PP....", True),
    arrows("∇(∇·w)", "∇(∇·w)", "PP.PP...."),
    arrows("x w", "x w", "PR.PPr..."),
    # ---- names
    other(
        "t is a place", named("t in R", "x in [0, 1]", "u(t, x)", "∂u/∂x = ∂²u/∂t²", "u(t, 0) = exp(-t²)"), "PPPPPPPPP"
    ),
    other(
        "t is a place, backwards",
        named("t in R", "x in [0, 1]", "u(t, x)", "∂u/∂x = -∂²u/∂t²", "u(t, 0) = exp(-t²)"),
        "PPRPP..R.",
    ),
    other(
        "x is unknown", named("y in R", "t in [0, 1]", "x(y, t)", "∂x/∂t = Δx + x", "x(y, 0) = exp(-y²)"), "PRPPPppRR"
    ),
    other("s and S", named("s in R", "τ in [0, 1]", "S(s, τ)", "∂S/∂τ = s² ΔS", "S(s, 0) = exp(-s²)"), "PPPPPrr.."),
    other(
        "e is a place", named("e in R", "t in [0, 1]", "u(e, t)", "∂u/∂t = -∂²u/∂e²", "u(e, 0) = exp(-e²)"), "PPRPP..R."
    ),
    # ---- data at the end
    other(
        "reads later, from the end", data("∂u/∂t = -Δu + u(x, t + ½)", at="1"), "p..R.....", "what was, from the end"
    ),
    other("reads earlier, from the end", data("∂u/∂t = -Δu + u(x, 0)", at="1"), "p..r.....", "another time"),
    other("weights, from the end", data("∂u/∂t = -q Δu", declare="learn q : scalar > 0", at="1"), "PPPPPppPP"),
    other("weights, from the end, wrong", data("∂u/∂t = q Δu", declare="learn q : scalar > 0", at="1"), "PPrPP..r."),
    # ---- walls
    wall("in at both ends", f"(x - ½) {X}", DIRICHLET, "PRPPP..PR"),
    wall("turning wind", f"(t - ½) {X}", DIRICHLET, "..U......", "in and out"),
    wall("away from 0", "Δu - u + 1", "u = 1 on boundary", "RRPPP..p.", "towards 1"),
    wall("relu(u), cold", "Δu + relu(u)", DIRICHLET, "RRPPP....", "", True),
    wall("wind and decay", f"{X} - u", declared("u = 0 on right"), "PRPPP..pR"),
    wall("heat in a wind, outflow shut", f"Δu + {X}", declared("u = 0 on right", "n·∇u = 0 on left"), "PRPPP..PR"),
    wall("u n·∇u = 0", "Δu", "u n·∇u = 0 on boundary", ".p.PP....", "u or its slope"),
    wall("exp(u) n·∇u = 0", "Δu", "exp(u) n·∇u = 0 on boundary", "pPpPP..pp", "n·∇u = 0"),
    weight("q > 0 cools", "Δu", "n·∇u = -q u on boundary", "learn q : scalar > 0", "PrpPP...r"),
    weight("q > 0 heats", "Δu", "n·∇u = q u on boundary", "learn q : scalar > 0", "PrpPP...r"),
    weight("q on the wall", "Δu", "u = q on boundary", "learn q : scalar", "r..PP...."),
    weight("q through the wall", "Δu", "n·∇u = q on boundary", "learn q : scalar", "r..PP...."),
    weight("q - q through the wall", "Δu", "n·∇u = q - q on boundary", "learn q : scalar", "PPPPP..PP"),
    weight("q in and out", "Δu", declared("n·∇u = q on left", "n·∇u = -q on right"), "learn q : scalar", "r..PP...p"),
    # ---- systems
    classless(
        "third, chain, w is a speed",
        system("u w", "w = ∂u/∂t\nw = Δu", stationary="w"),
        "PPpPP..pp",
        "heat",
        order=(1, 0),
        count=2,
    ),
    classless(
        "third, chain, memory of a sum", pair("∂u/∂t = v(x, t - 1)", "∂v/∂t = u"), "PR.R.....", "memory", count=2
    ),
    classless("third, chain, far", pair("∂u/∂t = Δu + v(0, t)", "∂v/∂t = Δv"), "PR.PR....", "the middle", count=2),
    classless(
        "third, chain, √v",
        pair("∂u/∂t = Δu + sqrt(v) ∂u/∂x", "∂v/∂t = Δv"),
        "RU.PP...r",
        "no value for v < 0",
        True,
        1,
        2,
    ),
    classless(
        "third, chain, u/v", pair("∂u/∂t = Δu + ∂(u/v)/∂x", "∂v/∂t = Δv"), "RU.PP...U", "no value for v = 0", True, 1, 2
    ),
    classless("third, chain, max(v, 0)Δu", pair("∂u/∂t = max(v, 0) Δu", "∂v/∂t = Δv"), "RP.PP...r", "", True, 1, 2),
    classless("third, chain, sign(v)u'", pair("∂u/∂t = sign(v) ∂u/∂x", "∂v/∂t = Δv"), "RP.PP....", "", True, 1, 2),
    # ---- blocks
    layer("two terms of a series, -1.1", "-1.1Y", "RRr.", "", "backward_euler(steps=3, terms=2)", False),
    layer("three terms of a series", "-Kᵀ K Y", "ppr.", time="backward_euler(steps=3, terms=3)", bent=False),
    layer("gelu", "-Kᵀ gelu(K Y)", "rPr."),
    layer("hardtanh and decay", "-Kᵀ hardtanh(K Y) - Y", "ppr."),
    layer("decay of 3, six steps", "-3Y", "PPr.", "", "euler(steps=6)", False),
    layer("decay of 4, six steps", "-4Y", "PPp.", "", "euler(steps=6)", False),
    layer("tanh, 2 and ½", "-2Kᵀ tanh(K Y) - ½Y", "rrr."),
    layer("tanh(2KY)", "-Kᵀ tanh(2K Y)", "ppr."),
    layer("tanh(3KY)", "-Kᵀ tanh(3K Y)", "rrr."),
    # ---- others
    classless("third, other, ring, exp(cos)", periodic_2pi("∂u/∂t = ∂(exp(cos(x)) ∂u/∂x)/∂x"), "PPPPP..PP"),
    classless("third, other, ring, sin(x) source", periodic_2pi("∂u/∂t = Δu + sin(x) cos(2x)"), "RRPPP..RP"),
    classless("third, other, ring, sin(x/2)u'", periodic_2pi("∂u/∂t = sin(x/2) ∂u/∂x"), "PP.PPp..R"),
    classless(
        "third, other, ring, cos(x/2)u'", periodic_2pi("∂u/∂t = cos(x/2) ∂u/∂x"), "PPUPPr...", "jumps at the seam"
    ),
    classless("third, other, ring, |u|u'", periodic("∂u/∂t = |u| ∂u/∂x"), "RPPPP..PP", "", True),
    classless("third, other, plane, x u_xx + u_yy", plane("∂u/∂t = x² ∂²u/∂x² + exp(-y²) ∂²u/∂y²"), "PPpPPr..."),
    classless("third, other, plane, u_x u_y", plane("∂u/∂t = Δu + ∂u/∂x ∂u/∂y"), "RPPPP....", "", True),
    classless("third, other, plane, Δ|u|u", plane("∂u/∂t = Δ(|u| u)"), "RPPPP...P", "", True),
    classless("third, other, plane, curl", plane("∂u/∂t = ∂(y² u)/∂x - ∂(x² u)/∂y"), "PP.PPrr.."),
    classless(
        "third, other, [1, 3], log",
        segment("∂u/∂t = log(x) Δu + u/x", DIRICHLET, "x", "x in [1, 3]"),
        "PRpPP...r",
    ),
    classless(
        "third, other, rest, x²u'' + u", stationary("x² ∂²u/∂x² - u = 0", "", "x in [1, 2]"), "P.P....P.", "", order=0
    ),
    classless(
        "third, other, rest, u'' + 10u", stationary("Δu + 10u = 0", "", "x in [0, 1]"), "p.r......", "10 > π²", order=0
    ),
    classless("third, other, rest, exp(u)", stationary("Δu = exp(u)", "", "x in [0, 1]"), "r.P....r.", "", True, 0),
    classless(
        "third, other, rest, -exp(u)", stationary("Δu = -exp(u)", "", "x in [0, 1]"), "r.r......", "Bratu, two", True, 0
    ),
    classless(
        "third, other, rest, shut", stationary("Δu = u - 1", "", "x in [0, 1]", INSULATED), "R........", "", order=0
    ),
)
