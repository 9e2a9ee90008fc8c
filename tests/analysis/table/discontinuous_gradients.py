"""Functions that are discontinuous in ∇u, isolated poles, and delay in boundary conditions.

- A comparison principle asks for a continuous F: sign(∂u/∂x) has 0, t and -t from 0. On the line a jump before Δu is a
  continuous flux, heaviside(∂u/∂x) Δu = ∂relu(∂u/∂x)/∂x; in the plane it is none. z sign(z) is |z|.
- 5 + 1/(¾ - s) rises between its poles, is positive at 0, ½ and 1, and negative at 0.8.
- heaviside(√x) has no value for x < 0; a pole at x = 200 is a pole.
- What has no value for u = 0 keeps no constant 0: u'²/u; nor mass for data that cross 0.
- u = ½u(x, t - 1) on a wall is memory. A wave with one wall of two has many solutions.
"""

from __future__ import annotations

from analysis.more_spec_templates import (
    DIRICHLET,
    ZERO_SPEED,
    classless,
    line,
    periodic_2pi,
    segment,
    square,
)
from analysis.spec_templates import Row, data, declared, interval, periodic, plane

X = "∂u/∂x"
JUMP = "not continuous in ∇u"
POLE = "a pole"


def jump(name: str, right: str, cells: str, why: str = JUMP) -> Row:
    return classless(f"third, jump, {name}", data(f"∂u/∂t = {right}"), cells, why, True)


def flat(name: str, right: str, cells: str, why: str = JUMP) -> Row:
    return classless(f"third, jump, plane, {name}", plane(f"∂u/∂t = {right}"), cells, why, True)


def pole(name: str, right: str, cells: str, why: str = POLE, bent: bool = False, kind: str = "scalar") -> Row:
    return classless(f"third, pole, {name}", line(f"∂u/∂t = {right}", kind=kind), cells, why, bent)


def looped(name: str, right: str, cells: str, why: str = POLE, bent: bool = True, kind: str = "scalar") -> Row:
    return classless(f"third, pole, ring, {name}", periodic_2pi(f"∂u/∂t = {right}", kind=kind), cells, why, bent)


def inner(name: str, right: str, cells: str, ends: str = DIRICHLET, why: str = POLE) -> Row:
    return classless(f"third, pole, rod, {name}", interval(f"∂u/∂t = {right}", ends), cells, why)


def wall(name: str, ends: str, cells: str, why: str = "", right: str = "Δu", bent: bool = False) -> Row:
    return classless(f"third, wall, {name}", interval(f"∂u/∂t = {right}", ends), cells, why, bent)


def wave(name: str, ends: str, cells: str, why: str = "") -> Row:
    return classless(f"third, wave, {name}", interval("∂²u/∂t² = Δu", ends, rest=ZERO_SPEED), cells, why, order=2)


TABLE: tuple[Row, ...] = (
    # ---- jumps
    jump("sign u'", f"sign({X})", "RPUPP...."),
    jump("heaviside u'", f"heaviside({X})", "R.UPP...."),
    jump("Δu + sign u'", f"Δu + sign({X})", "RPUPP...."),
    jump("Δu + heaviside u'", f"Δu + heaviside({X})", "R.UPP...."),
    jump("u' sign u'", f"{X} sign({X})", "RPpPP....", "|u'|"),
    jump("Δu + u' sign u'", f"Δu + {X} sign({X})", "RPpPP....", "|u'|"),
    jump("u' heaviside u'", f"{X} heaviside({X})", "RPpPP....", "relu"),
    jump("heaviside(u')Δu", f"heaviside({X}) Δu", "RPpPP...p", "a flux on the line"),
    jump("(2 + sign u')Δu", f"(2 + sign({X})) Δu", "RPpPP...p", "a flux on the line"),
    jump("(sign u' - 2)Δu", f"(sign({X}) - 2) Δu", "RPRPP...p", "backwards"),
    jump("sign Δu", "sign(Δu)", "RPUPP....", "not continuous in Δu"),
    jump("heaviside Δu", "heaviside(Δu)", "R.UPP....", "not continuous in Δu"),
    jump("-sign Δu", "-sign(Δu)", "RPrPP....", "falls"),
    jump("Δu sign Δu", "Δu sign(Δu)", "RPrPP....", "|Δu|"),
    jump("(2 + sign Δu)Δu", "(2 + sign(Δu)) Δu", "RPpPP....", "2Δu + |Δu|"),
    jump("(3 + heaviside Δu)Δu", "(3 + heaviside(Δu)) Δu", "RPpPP....", "3Δu + relu"),
    jump("sign(u)u'", f"sign(u) {X}", "RPpPP...p", "|u|'"),
    jump("sign(u)Δu", "sign(u) Δu", "RPRPP....", "backwards for u < 0"),
    jump("(2 + sign u)Δu", "(2 + sign(u)) Δu", "RPUPP...r", "jumps with u"),
    jump("(|u'|u')'", f"∂(|{X}| {X})/∂x", "RPpPP...p", "|u'|Δu, twice"),
    jump("sign(u' - 1)", f"sign({X} - 1)", "RRUPP...."),
    jump("tanh(9u')", f"tanh(9{X})", "RPPPP....", "continuous"),
    jump("sign(x)|u'|", f"sign(x) |{X}|", "RPUPP....", "jumps in x"),
    flat("heaviside(u_x)Δu", "heaviside(∂u/∂x) Δu", "RPUPP...."),
    flat("(2 + sign u_x)Δu", "(2 + sign(∂u/∂x)) Δu", "RPUPP...."),
    flat("sign(u_x)u_y", "sign(∂u/∂x) ∂u/∂y", "RPUPP...."),
    flat("sign(u_x) + Δu", "Δu + sign(∂u/∂x)", "RPUPP...."),
    flat("|u_x|sign(u_y)", "|∂u/∂x| sign(∂u/∂y)", "RPUPP...."),
    flat("∇·relu", "∂(relu(∂u/∂x))/∂x + ∂(relu(∂u/∂y))/∂y", "RPPPP....", "a monotone flux"),
    flat("heaviside(u)u_x", "heaviside(u) ∂u/∂x", "RPpPP...p", "relu(u)_x"),
    # ---- poles
    pole("heaviside(√x)u", "heaviside(sqrt(x)) u", "..UPP....", "no value for x < 0"),
    pole("heaviside(log x)u", "(1 + heaviside(log(x))) u", "..UPP....", "no value for x < 0"),
    pole("Δu + heaviside(√x)u'", f"Δu + heaviside(sqrt(x)) {X}", "..UPP....", "no value for x < 0"),
    pole("heaviside(√u)", "Δu + heaviside(sqrt(u)) u", "..UPP....", "no value for u < 0", True),
    pole("heaviside(1/x)u", "heaviside(1/x) u", "..pPP....", "but at 0"),
    pole("max(√x, 1)u", "max(sqrt(x), 1) u", "..UPP....", "no value for x < 0"),
    pole("sign(log x)u", "sign(log(x)) u", "..UPP....", "no value for x < 0"),
    pole("(u/(x - 200))'", "∂(u/(x - 200))/∂x", "..UPP...U"),
    pole("-(u/(x - 200))'", "-∂(u/(x - 200))/∂x", "..UPP...U"),
    pole("Δu - 0.1(u/(x - 200))'", "Δu - 0.1∂(u/(x - 200))/∂x", "..UPP...U"),
    pole("u/(x - 200)", "Δu + u/(x - 200)", "..UPP...."),
    pole("u'/(x - 200)", f"Δu + {X}/(x - 200)", "..UPP...."),
    pole("1/(x - 200)²Δu", "(1/(x - 200)²) Δu", "..UPP...."),
    pole("√(x + 150)Δu", "sqrt(x + 150) Δu", "..UPP....", "no value far to the left"),
    pole("-√(x + 150)Δu", "-sqrt(x + 150) Δu", "..rPP....", "backwards where there is a value"),
    pole("log(300 - u)Δu", "log(300 - u) Δu", "R.rPP....", "negative beyond 299", True),
    pole("√(300 - u)Δu", "sqrt(300 - u) Δu", "R.UPP....", "no value beyond 300", True),
    pole("Δ(√(300 - u)²)", "Δ(sqrt(300 - u)²)", "r.rPP...U", "-u up to 300"),
    pole("u'²/u", f"({X})²/u", "RUUPP....", bent=True),
    pole("Δu + u'²/u", f"Δu + ({X})²/u", "RUUPP....", bent=True),
    pole("u'²/u, u > 0", f"Δu + ({X})²/u", "RPpPP....", "", True, "scalar > 0"),
    pole("√u u'", f"sqrt(u) {X}", "RUUPP...U", "no value for u < 0", True),
    pole("√u Δu", "sqrt(u) Δu", "RUUPP....", "no value for u < 0", True),
    pole("u'/u", f"{X}/u", "RUUPP...U", bent=True),
    pole("log(u)u'", f"log(u) {X}", "RUUPP...U", "no value for u < 0", True),
    pole("tan(u)u'", f"tan(u) {X}", "RUUPP...U", "poles", True),
    pole("u'/(1 + u²)", f"{X}/(1 + u²)", "RPPPP...P", "", True),
    pole("asin(u)u'", f"asin(u) {X}", "RUUPP...U", "no value for u > 1", True),
    pole("u'''/u", "-∂((∂³u/∂x³)/u)/∂x", "RURPP...U", bent=True),
    pole("u'''√u", "-∂(sqrt(u) ∂³u/∂x³)/∂x", "RUrPP...U", "no value for u < 0", True),
    looped("(1/u)'", "∂(1/u)/∂x", "RUUPP...U"),
    looped("(√u)'", "∂(sqrt(u))/∂x", "RUUPP...U"),
    looped("Δ(1/u)", "-Δ(1/u)", "RUUPP...U"),
    looped("(1/u)', u > 0", "∂(1/u)/∂x", "RPpPP...P", "", kind="scalar > 0"),
    looped("(sin(x)√u)'", "∂(sin(x) sqrt(u))/∂x", "RrUPP...U"),
    looped("(sin(x)log(u + 300))'", "∂(sin(x) log(u + 300))/∂x", "RrUPP...U"),
    looped("(tan u)'", "∂(tan(u))/∂x", "RUUPP...U"),
    looped("(u/x)'", "∂(u/x)/∂x", "PrUPP...U", bent=False),
    looped("u'/(2 + sin x)", "∂u/∂x/(2 + sin(x))", "PPPPP...R", bent=False),
    inner("5 + 1/(¾ - x)", "(5 + 1/(¾ - x)) Δu", "..rPP....", why="negative at 0.8"),
    inner("5 + 1/(¾ - t)", "(5 + 1/(¾ - t)) Δu", "..rPP....", why="negative at 0.8"),
    inner("5 + 1/(¾ - x) as a rate", "Δu + u/(x - ¾)", "..UPP...."),
    inner("cos(1/(¾ - x)) + 1", "(1 + cos(1/(¾ - x))) Δu", "..UPP....", why="no value at ¾"),
    wall("Robin, 5 + 1/(¾ - t)", "n·∇u = -(5 + 1/(¾ - t)) u on boundary", ".rUPP....", POLE),
    wall("Robin, 1/(t - ¾)²", "n·∇u = -u/(t - ¾)² on boundary", ".rUPP....", POLE),
    wall("Robin, √(t - ½)", "n·∇u = -sqrt(t - ½) u on boundary", ".rUPP....", "no value before ½"),
    wall("a value 1/(t - ½)", "u = 1/(t - ½) on boundary", ".r.PP....", POLE),
    wall("a value √(t - ½)", "u = sqrt(t - ½) on boundary", ".r.PP....", "no value before ½"),
    classless(
        "third, wall, square, 5 + 1/(¾ - y)",
        square("∂u/∂t = Δu", declared("n·∇u = -(5 + 1/(¾ - y)) u on right", "u = 0 on left, top, bottom")),
        "PRUPP....",
        POLE,
    ),
    # ---- memory and places on walls
    wall("half of what was", declared("u = ½u(x, t - 1) on left", "u = 0 on right"), "p..r.....", "memory"),
    wall("fed by the start", "n·∇u = u(x, 0) - u on boundary", "p..r.....", "memory"),
    wall("fed by the other end", declared("n·∇u = u(0, t) - u on right", "n·∇u = 0 on left"), "pPpPP..p."),
    wall("tied ends, twice", declared("u(0, t) = 2u(1, t)", "∂u/∂x(0, t) = ∂u/∂x(1, t)"), "PR.PP...."),
    wall("a wall that moves", "∂u/∂t = -n·∇u on boundary", "P..PP....", "dynamic"),
    wall("square root of the flux", "(n·∇u)² = 0 on boundary", "pPpPP..pp", "n·∇u = 0", bent=False),
    wall("u² + 1 = 1", "u² + 1 = 1 on boundary", "pRpPP..pr", "u = 0"),
    classless(
        "third, wall, wind on both",
        segment("∂u/∂t = ∂u/∂x", DIRICHLET, "sin(π x)"),
        "...PP....",
        "too many",
    ),
    classless("third, ring, one jump", periodic("∂u/∂t = ∂(heaviside(x - ½) u)/∂x"), "p..PP....", "a point source"),
    classless("third, ring, sign of sine", periodic("∂u/∂t = Δu + sign(sin(2π x)) ∂u/∂x"), "PP.PPr..R", "jumps"),
)
