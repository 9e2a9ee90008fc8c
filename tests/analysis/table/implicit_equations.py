"""Equations divided by a factor of the time derivative, and classes.

- Δu ∂u/∂t = (Δu)² says nothing where Δu = 0: every function of t alone solves it. u ∂u/∂t = u Δu is the heat equation
  for solutions with two derivatives, as u = 0 on an open set solves it too.
- √u n·∇u = 0 has no value for u < 0, so not every constant meets it; nor has w = √u ∂u/∂x.
- Data with a pole in time are no data: what goes in at one end and out at the other is ∞ - ∞.
- exp(sign z) jumps with z, and z exp(sign z) does not; max(z, 0) and |z| never do.
- A jump counts nowhere: sign(x)² - 1 is 0 but at 0.
"""

from __future__ import annotations

from analysis.more_spec_templates import (
    DIRICHLET,
    INSULATED,
    ZERO_SPEED,
    classless,
    line,
    linear,
    nonlinear,
    periodic_2pi,
    segment,
    square,
    system,
)
from analysis.spec_templates import Row, data, declared, interval, lines, periodic, plane, stationary

X = "∂u/∂x"
FREE = "some u are free to move"
JUMP = "not continuous in ∇u"
UNIT = "(x, y) in [0, 1]^2"
BROAD = "(x, y) in [-1, 1]^2"


def over(name: str, equation: str, cells: str, why: str = FREE, bent: bool = False, kind: str = "scalar") -> Row:
    return classless(f"third, divided, {name}", line(equation, kind=kind), cells, why, bent)


def jump(name: str, right: str, cells: str, why: str = JUMP, bent: bool = True) -> Row:
    return classless(f"third, leap, {name}", data(f"∂u/∂t = {right}"), cells, why, bent)


def flat(name: str, right: str, cells: str, why: str = JUMP) -> Row:
    return classless(f"third, leap, plane, {name}", plane(f"∂u/∂t = {right}"), cells, why, True)


def wall(name: str, ends: str, cells: str, why: str = "", right: str = "Δu", bent: bool = False) -> Row:
    return classless(f"third, side, {name}", interval(f"∂u/∂t = {right}", ends), cells, why, bent)


def resting(name: str, first: str, other: str, cells: str, why: str, bent: bool = False) -> Row:
    text = system("u w", f"∂u/∂t = {first}\n{other}", stationary="w")
    return classless(f"third, beside, {name}", text, cells, why, bent, (1, 0), 2)


def kind(name: str, equation: str, word: str, space: str = UNIT, bent: bool = False) -> Row:
    row = nonlinear if bent else linear
    return row(f"third, class, {name}", stationary(equation, "", space), word, "........."[:9], "", 0)


def sort(name: str, right: str, word: str, cells: str = ".........", bent: bool = False) -> Row:
    row = nonlinear if bent else linear
    return row(f"third, class, {name}", data(f"∂u/∂t = {right}"), word, cells)


def shape(name: str, where: str, ends: str, cells: str, why: str = "", equation: str = "∂u/∂t = Δu") -> Row:
    text = lines(
        "pde Row", f"space {where}", "time t in [0, 1]", "unknown u(x, y, t) : scalar", equation,
        "u(x, y, 0) = x y", ends,
    )  # fmt: skip
    return classless(f"third, cut, {name}", text, cells, why)


TABLE: tuple[Row, ...] = (
    # ---- divided by what may vanish
    over("Δu on both sides", "Δu ∂u/∂t = (Δu)²", "UUUPP...."),
    over("u' on both sides", f"{X} ∂u/∂t = {X} Δu", "UUUPP...."),
    over("u on both sides", "u ∂u/∂t = u Δu", "pppPP....", "heat"),
    over("relu(u) on both sides", "relu(u) ∂u/∂t = relu(u) Δu", "UUUPP...."),
    over("√u on both sides", "sqrt(u) ∂u/∂t = sqrt(u) Δu", "UUUPP....", "no value for u < 0"),
    over("√u on both sides, u > 0", "sqrt(u) ∂u/∂t = sqrt(u) Δu", "pPpPP....", "heat", kind="scalar > 0"),
    over("log u on both sides", "log(u) ∂u/∂t = log(u) Δu", "UUUPP....", "no value for u < 0"),
    over("1 + u² on both sides", "(1 + u²) ∂u/∂t = (1 + u²) Δu", "pppPP....", "heat", True),
    over("exp(u) on both sides", "exp(u) ∂u/∂t = exp(u) Δu", "pppPP....", "heat"),
    over("u'² on the left", f"({X})² ∂u/∂t = Δu", "R.UPP....", "no value for u' = 0", True),
    over("1/u on both sides", "(1/u) ∂u/∂t = (1/u) Δu", "..pPP....", "heat but for u = 0"),
    over("√u on the left", "sqrt(u) ∂u/∂t = Δu", "RUUPP....", "no value for u < 0", True),
    over("-u on the left, u > 0", "-u ∂u/∂t = Δu", "RPRPP....", "backwards", True, "scalar > 0"),
    over("2 + sin u on the left", "(2 + sin(u)) ∂u/∂t = Δu", "RPpPP...r", "", True),
    over("2 + sin x on the left", "(2 + sin(x)) ∂u/∂t = Δu", "PPPPP...R"),
    over("t on the left", "(1 + t) ∂u/∂t = Δu", "PPPPPPPPP"),
    over("½ - t on the left", "(½ - t) ∂u/∂t = Δu", "..rPP....", "backwards after ½"),
    over("a product of two", "(∂u/∂t - Δu) exp(u) = 0", "p.pPP....", "heat", False),
    # ---- jumps
    jump("exp sign u'", f"exp(sign({X}))", "RRUPP...."),
    jump("u' exp sign u'", f"{X} exp(sign({X}))", "RPpPP....", "continuous"),
    jump("tanh(sign u')", f"Δu + tanh(sign({X}))", "RPUPP...."),
    jump("sign(tanh u')", f"Δu + sign(tanh({X}))", "RPUPP...."),
    jump("heaviside(u' - u)", f"Δu + heaviside({X} - u)", "RRUPP...."),
    jump("|u'| heaviside u'", f"|{X}| heaviside({X})", "RPpPP....", "relu"),
    jump("u'² sign u'", f"({X})² sign({X})", "RPpPP....", "continuous"),
    jump("max(u', 0)", f"max({X}, 0)", "RPPPP....", "continuous"),
    jump("max(u', 0)Δu", f"max({X}, 0) Δu", "RPpPP....", "continuous"),
    jump("min(|u'|, 1)Δu", f"min(|{X}|, 1) Δu", "RPpPP....", "continuous"),
    jump("sign(u'')u''²", "sign(Δu) (Δu)²", "RPpPP....", "rises"),
    jump("heaviside(u'')u''", "heaviside(Δu) Δu", "RPpPP....", "relu"),
    jump("sign(x)² - 1 as a source", "Δu + sign(x)² - 1", "pppPP....", "nothing but at 0", False),
    jump("(sign(x)² - ½)Δu", "(sign(x)² - ½) Δu", "PPpPP....", "½ but at 0", False),
    jump("(1 - sign(x)²)u", "Δu + (1 - sign(x)²) u", "PppPP....", "nothing but at 0", False),
    jump("sign(u)² u'", f"sign(u)² {X}", "pppPP....", "u' but for u = 0"),
    jump("u sign(u)²", "Δu + u sign(u)²", "pRpPP..rr", "u"),
    jump("(heaviside(x) + heaviside(-x))Δu", "(heaviside(x) + heaviside(-x)) Δu", "PPpPP....", "1", False),
    jump("(heaviside(u) + heaviside(-u))Δu", "(heaviside(u) + heaviside(-u)) Δu", "pppPP....", "1"),
    flat("exp(sign u_x)Δu", "exp(sign(∂u/∂x)) Δu", "RPUPP...."),
    flat("heaviside(u_x u_y)Δu", "heaviside(∂u/∂x ∂u/∂y) Δu", "RPUPP...."),
    flat("relu(u_x)Δu", "relu(∂u/∂x) Δu", "RPpPP....", "continuous"),
    flat("|u_x|Δu", "|∂u/∂x| Δu", "RPpPP....", "continuous"),
    flat("heaviside(u_x)u_xx + u_yy", "heaviside(∂u/∂x) ∂²u/∂x² + ∂²u/∂y²", "RPpPP....", "a flux along x"),
    flat("heaviside(u_y)u_xx + u_yy", "heaviside(∂u/∂y) ∂²u/∂x² + ∂²u/∂y²", "RPUPP...."),
    flat("sign(u_x - u_y)", "Δu + sign(∂u/∂x - ∂u/∂y)", "RPUPP...."),
    flat("|u_x - u_y|", "Δu + |∂u/∂x - ∂u/∂y|", "RPPPP....", "continuous"),
    # ---- walls
    wall("√u n·∇u = 0", "sqrt(u) n·∇u = 0 on boundary", ".U.PP....", "no value for u < 0"),
    wall("n·∇u/u = 0", "(1/u) n·∇u = 0 on boundary", ".U.PP....", "no value for u = 0"),
    wall("log(u) n·∇u = 0", "log(u) n·∇u = 0 on boundary", ".U.PP....", "no value for u < 0"),
    wall("(1 + u²) n·∇u = 0", "(1 + u²) n·∇u = 0 on boundary", "pPpPP..pp", "n·∇u = 0"),
    wall("∞ in and out", declared("n·∇u = 1/(t - ½) on left", "n·∇u = -1/(t - ½) on right"), "RR.PP...U", "a pole"),
    wall(
        "√(t - ½) in and out", declared("n·∇u = sqrt(t - ½) on left", "n·∇u = -sqrt(t - ½) on right"), "...PP...U", ""
    ),
    wall(
        "1/√t in and out", declared("n·∇u = 1/sqrt(t) on left", "n·∇u = -1/sqrt(t) on right"), "RR.PP...p", "integrable"
    ),
    wall("learned, cooling", "n·∇u = -u on boundary", "PRPPP...R", right="2Δu + ∂u/∂x"),
    wall("u = u(x, 0) on the left", declared("u = u(x, 0) on left", "u = 0 on right"), "p..r.....", "memory"),
    wall("mean with the past", "n·∇u = u(x, t - ½) - u on boundary", "p..r.....", "memory"),
    wall("the past less the past", "n·∇u = u(x, t - ½) - u(x, t - ½) on boundary", "PPPPP..PP"),
    wall("0 times the past", "n·∇u = 0 u(x, t - ½) on boundary", "ppppp..pp", "nothing"),
    wall("exp(t)n·∇u = -u", "exp(t) n·∇u = -u on boundary", "PRPPP...R"),
    wall("(t - 2)n·∇u = u", "(t - 2) n·∇u = u on boundary", "PRpPP...r", "cools"),
    wall("(2 - t)n·∇u = u", "(2 - t) n·∇u = u on boundary", "PRpPP..rr", "feeds"),
    wall("x n·∇u = 0", "x n·∇u = 0 on right\nu = 0 on left", "PRpPP..pr", "x = 1 there"),
    wall("sign(u)n·∇u = -1", "n·∇u = -sign(u) on boundary", "RR.PP...r", "a jump", bent=False),
    # ---- beside
    resting("√u u' by name", "w", f"w = sqrt(u) {X}", "RU.PP....", "no value for u < 0", True),
    resting("u'/u by name", "Δu + w", f"w = {X}/u", "RU.PP....", "no value for u = 0", True),
    resting("log u' by name", "∂w/∂x", "w = log(u)", "RU.PP....", "no value for u < 0", True),
    resting("√u √u by name", "Δw", "w = sqrt(u) sqrt(u)", "rU.PP....", "no value for u < 0"),
    resting("u by name, divided", "Δw", "u w = u²", "...PP....", "where u is not 0", True),
    # ---- classes
    kind("Laplace and u", "Δu = u", "elliptic"),
    kind("wave", "∂²u/∂x² = ∂²u/∂y²", "hyperbolic"),
    kind("2u_xy", "∂²u/∂x² + 2∂²u/∂x∂y + ∂²u/∂y² + ∂u/∂x = 0", "parabolic"),
    kind("3u_xy", "∂²u/∂x² + 3∂²u/∂x∂y + ∂²u/∂y² = 0", "hyperbolic"),
    kind("u_xy and Δ", "∂²u/∂x² + ∂²u/∂x∂y + ∂²u/∂y² = 0", "elliptic"),
    kind("Tricomi above 1", "y ∂²u/∂x² + ∂²u/∂y² = 0", "elliptic", "(x, y) in [1, 2]^2"),
    kind("minus Laplace", "-Δu = 4", "elliptic"),
    kind("1 - x² before u_xx", "(1 - x²) ∂²u/∂x² + ∂²u/∂y² = 0", "mixed", "(x, y) in [0, 2]^2"),
    sort("0 u'", f"Δu + 0 {X}", "diffusion", "PPPPPPPPP"),
    sort("rate alone", "-2u", "ode", "PRPPPPPRR"),
    sort("wind", f"-3{X}", "transport", "PPPPPPPPP"),
    sort("wind and heat", f"Δu - 3{X}", "convection-diffusion", "PPPPPPPPP"),
    sort("eikonal", f"|{X}|", "hamilton-jacobi", "RPPPP....", True),
    sort("Fisher", "Δu + u - u²", "reaction-diffusion", "RRPPP....", True),
    # ---- shapes
    shape(
        "ring, both rims",
        "(x, y) in [-1, 1]^2 where x² + y² < 1, x² + y² > ¼",
        declared("u = 0 on x² + y² = 1", "u = 0 on x² + y² = ¼"),
        "PRpPP....",
    ),
    shape(
        "a side in two parts",
        UNIT,
        declared("u = 0 on left, top, bottom", "u = 0 on right where y < ½", "u = 1 on right where y > ½"),
        "RRpPP....",
    ),
    shape(
        "a side, half shut",
        UNIT,
        declared("u = 0 on left, top, bottom", "u = 0 on right where y < ½", "n·∇u = 0 on right where y > ½"),
        "PRpPP....",
    ),
    shape("inner circle", BROAD, declared("u = 0 on boundary", "u = 1 on x² + y² = ¼"), "RRpPP....", "", "∂u/∂t = Δu"),
    # ---- others
    classless(
        "third, square, 1/(¾ - y) outwards", square("∂u/∂t = ∂u/∂x/(¾ - y)", "u = 0 on right"), "..UPP....", "a pole"
    ),
    classless(
        "third, square, turning", square("∂u/∂t = Δu + (y - ½) ∂u/∂x - (x - ½) ∂u/∂y", INSULATED), "PPPPP..P.", ""
    ),
    classless(
        "third, string, x as a speed",
        interval("∂²u/∂t² = ∂(x ∂u/∂x)/∂x", INSULATED, rest=ZERO_SPEED),
        "PP.RP....",
        "",
        order=2,
    ),
    classless("third, ring, tan(x)", periodic_2pi("∂u/∂t = Δu + tan(x) u"), "..UPP....", "poles"),
    classless("third, ring, 1/cos(x)²", periodic_2pi("∂u/∂t = (1/cos(x)²) Δu"), "..UPP....", "poles"),
    classless("third, ring, |sin x|Δu", periodic_2pi("∂u/∂t = |sin(x)| Δu"), "PPpPP...r", "as for |x|"),
    classless(
        "third, ring, √|sin x|u'", periodic_2pi("∂u/∂t = sqrt(|sin(x)|) ∂u/∂x"), "PPrPP....", "several lines leave 0"
    ),
    classless("third, ring, sin(x)u'", periodic_2pi("∂u/∂t = sin(x) ∂u/∂x"), "PPPPP...R", ""),
    classless("third, ring, KdV", periodic("∂u/∂t = -u ∂u/∂x - ∂³u/∂x³"), "RPRPP...P", "", True),
    classless(
        "third, [0, 2], x - 1",
        segment("∂u/∂t = (x - 1)² Δu", DIRICHLET, "x", "x in [0, 2]"),
        "PRpPP..pr",
        "degenerate",
    ),
    classless(
        "third, [0, 2], x - 1 as a wind",
        segment("∂u/∂t = (x - 1) ∂u/∂x", DIRICHLET, "x", "x in [0, 2]"),
        "PRpPP..p.",
        "",
    ),
)
