"""Systems, delay, weights, dimensions, irregular domains, periodic intervals and feature maps.

- u(x, t - t²) is memory, u(x, 2t - t) is none; u(y, x, t) is another point.
- For learned q: q² + qr + r² ≥ 0, q² + 3qr + r² has both signs; |q| + q = 2relu(q); atan(q) + π/2 > 0.
- Σᵢ sin(xᵢ) is -d somewhere in R^d; Δu - c∂²u/∂x₁∂x₂ has the eigenvalue 1 - c/2.
- One step of Euler of length 1 takes y to y + f(y): its slope must lie in [-1, 1] for stability, and |y + f(y)| ≤ |y|
  for the decay of energy. The explicit methods of order 2, 3 and 4 are stable to -2, -2.5127 and -2.7853.
- A feature map that is squashed by sine may grow: 3π/2 - sin(3π/2) = 3π/2 + 1.
"""

from __future__ import annotations

from analysis.more_spec_templates import (
    DIRICHLET,
    ZERO_VELOCITY_PLANE,
    linear,
    lines,
    nonlinear,
    physical,
    segment,
    system,
)
from analysis.spec_templates import Row, data, declared, interval, maps, periodic, plane, stationary

ANY = (
    "nonlinear-diffusion|convection-diffusion|reaction-diffusion|hamilton-jacobi|diffusion|transport|ode|elliptic"
    "|higher-order|hyperbolic|wave|parabolic|mixed|hamiltonian"
)
FLOW = "gradient-flow|ode"
RING = "x in [0, 1] periodic"
ONES = "Σᵢ Σⱼ ∂²u/∂xᵢ∂xⱼ"
BALL = "[-1, 1]^2 where x² + y² < 1"
ANNULUS = "[-1, 1]^2 where x² + y² < 1, x² + y² > ¼"


def pair(
    name: str, unknowns: str, equations: str, cells: str, why: str = "", stationary: str = "", bent: bool = False
) -> Row:
    row, n = nonlinear if bent else linear, len(unknowns.split())
    text = system(unknowns, equations, RING, stationary=stationary)
    order = (1, 0) if stationary else 1
    return row(f"contested, {name}", text, " ".join([ANY] * n), cells, why, order=order)


def read(name: str, term: str, cells: str, why: str = "") -> Row:
    return linear(f"contested, read, {name}", data(f"∂u/∂t = Δu + {term}"), ANY, cells, why)


def round_(name: str, right: str, cells: str, why: str = "") -> Row:
    return linear(f"contested, ring, {name}", periodic(f"∂u/∂t = {right}"), ANY, cells, why)


def weight(name: str, right: str, cells: str, why: str = "", declare: str = "learn q : scalar") -> Row:
    return linear(f"contested, weight, {name}", data(f"∂u/∂t = {right}", "x in R^2", declare), ANY, cells, why)


def two(name: str, coefficient: str, cells: str, why: str = "") -> Row:
    return weight(name, f"({coefficient}) Δu", cells, why, declared("learn q : scalar", "learn r : scalar"))


def wide(name: str, space: str, right: str, cells: str, why: str = "") -> Row:
    return linear(f"contested, {space}, {name}", data(f"∂u/∂t = {right}", f"x in {space}"), ANY, cells, why)


def shape(name: str, where: str, equation: str, ends: str, cells: str, why: str = "") -> Row:
    text = lines(
        "pde Row", f"space (x, y) in {where}", "time t in [0, 1]", "unknown u(x, y, t) : scalar",
        equation, "u(x, y, 0) = 1 - x² - y²", f"{ends} on boundary",
    )  # fmt: skip
    return linear(f"contested, shape, {name}", text, ANY, cells, why)


def solid(name: str, where: str, equation: str, ends: str, cells: str, why: str = "") -> Row:
    text = lines("pde Row", f"space (x, y) in {where}", "unknown u(x, y) : scalar", equation, f"{ends} on boundary")
    return linear(f"contested, shape at rest, {name}", text, ANY, cells, why, order=0)


def point(name: str, right: str, cells: str, why: str = "", time: str = "euler(steps=3)") -> Row:
    bent = any(c.isalpha() and c.islower() for c in right) or "³" in right
    row = nonlinear if bent else linear
    return row(f"contested, map, {name}", maps(f"∂Y/∂t = {right}", "", time), FLOW, cells, why)


def layer(name: str, right: str, cells: str, why: str = "", time: str = "euler(steps=3)", bound: str = "1") -> Row:
    declare = f"learn K(t) : operator, ‖K‖ ≤ {bound} = conv(3)"
    row = linear if right.endswith("K Y") else nonlinear
    return row(f"contested, layer, {name}", maps(f"∂Y/∂t = {right}", declare, time), FLOW, cells, why)


def form(name: str, equation: str, kind: str, space: str = "(x, y) in [-1, 1]^2") -> Row:
    return linear(
        f"contested, form, {name}", stationary(equation, "", space, DIRICHLET), kind, "..U......", "", order=0
    )


TABLE: tuple[Row, ...] = (
    # ---- systems on a ring
    pair("Maxwell", "u v", "∂u/∂t = ∂v/∂x\n∂v/∂t = ∂u/∂x", "PP.PP...P"),
    pair("Schroedinger", "u v", "∂u/∂t = -Δv\n∂v/∂t = Δu", "PP.PP...P"),
    pair("attraction", "u w", "∂u/∂t = Δu - ∂(u ∂w/∂x)/∂x\nΔw = w - u", "R..PR...p", "", "w", True),
    pair("infection", "u v", "∂u/∂t = Δu - u v\n∂v/∂t = Δv + u v - v", "RR.PP...R", "", "", True),
    pair("wave in two", "u v", "∂u/∂t = v\n∂v/∂t = Δu", "PR.PP...R", "v is a rate of u"),
    pair("exchange", "u v", "∂u/∂t = Δu + v - u\n∂v/∂t = Δv + u - v", "PR.PP...R", "each of the two alone"),
    pair("one carries the other", "u v", "∂u/∂t = ∂(v u)/∂x\n∂v/∂t = Δv", "RP.PP...P", "fluxes", "", True),
    pair("one feels the other", "u v", "∂u/∂t = v ∂u/∂x\n∂v/∂t = Δv", "RP.PP...R", "-u ∂v/∂x is made", "", True),
    pair("triangle", "u v", "∂u/∂t = Δu + 5Δv\n∂v/∂t = Δv", "PP.PP...P", "both eigenvalues are 1"),
    pair("name of a slope", "u w", "∂u/∂t = ∂w/∂x\nw = u ∂u/∂x", "R..Pp...p", "a porous medium", "w", True),
    # ---- where and when
    read("t - ½", "u(x, t - ½)", "P..R....."),
    read("t - t²", "u(x, t - t²)", "P..R....."),
    read("t³", "u(x, t³)", "P..R....."),
    read("2t - t", "u(x, 2t - t) - u", "pp.pp....", "the same time"),
    read("min(t, 1)", "u(x, min(t, 1)) - u", "P..p.....", "t ≤ 1"),
    read("max(t - 1, 0)", "u(x, max(t - 1, 0))", "P..r.....", "the start"),
    read("2x", "u(2x, t) - u", "PP..R...."),
    read("x + t", "u(x + t, t) - u", "PP..R....", "elsewhere once t > 0"),
    read("x²", "u(x², t) - u", "PP..R...."),
    read("the origin", "u(0, t)", "PR..R...."),
    read("less the origin", "u - u(0, t)", "P...R....", ""),
    read("√x²", "u(sqrt(x²), t) - u", "PP..R....", "|x|"),
    linear("contested, read, swapped", plane("∂u/∂t = Δu + u(y, x, t) - u"), ANY, "PP..R....", "across the diagonal"),
    linear("contested, read, mirror of an interval", interval("∂u/∂t = Δu + u(1 - x, t)"), ANY, "PR..R...."),
    # ---- rings
    round_("twice round", "Δu + u(x + 2, t) - u", "pp..p....", "the same point"),
    round_("a third round", "Δu + u(x + ⅓, t) - u", "PP..R...."),
    round_("x Δu", "x Δu", "PPU......", "a jump at the seam"),
    round_("sin(π x) Δu", "sin(π x) Δu", "PPU......", "a corner at zero: the root is not Lipschitz"),
    round_("sin(π x)² Δu", "sin(π x)² Δu", "PPPPP..PR", "a double zero at the seam"),
    round_("(2 + sin(π x)) Δu", "(2 + sin(π x)) Δu", "PPPPP..PR", "a corner away from zero"),
    round_("(1 + sin(2π x)) Δu", "(1 + sin(2π x)) Δu", "PPPPP..PR"),
    round_("(2 + cos(π x)) Δu", "(2 + cos(π x)) Δu", "PPp......", "3 and 1 at the seam"),
    round_("sin(2π x) Δu", "sin(2π x) Δu", "PPR......"),
    round_("∂((1 + sin(2π x)) ∂u/∂x)/∂x", "∂((1 + sin(2π x)) ∂u/∂x)/∂x", "PPPPP..PP"),
    # ---- weights
    weight("q ≥ 0", "q Δu", "PPPPPPP..", "", "learn q : scalar ≥ 0"),
    weight("psd and more", "A:∇∇u + Δu", "PPPPPPP..", "", "learn A : matrix, psd"),
    weight("velocity", "v·∇u + Δu", "PPPPP....", "", "learn v(x) : vector = mlp"),
    weight("length of a velocity", "‖v‖² Δu", "PPp......", "‖v‖ is Lipschitz", "learn v(x) : vector = mlp"),
    weight("rate", "Δu + q u", "PrPPP....", "zero keeps constants"),
    weight("squashed rate", "Δu + tanh(q) u", "PrPPP....", "", "learn q(x) : scalar = mlp"),
    weight("source", "Δu + q", "Ur.......", "zero is linear"),
    weight("sigmoid and decay", "sigmoid(q) Δu - u", "PRPPP...."),
    weight("min(q², 1)", "min(q², 1) Δu", "PPPPPPP.."),
    weight("max(q, 1)", "max(q, 1) Δu", "PPPPPPP.."),
    weight("max(q, -1)", "max(q, -1) Δu", "PPU......"),
    weight("|q| + q", "(abs(q) + q) Δu", "PPPPP....", "2relu(q)"),
    weight("q|q|", "q abs(q) Δu", "PPU......"),
    weight("q² - 2q + 1", "(q² - 2q + 1) Δu", "PPPPPPP.."),
    weight("q² - 2q", "(q² - 2q) Δu", "PPU......"),
    weight("exp(q) - 1", "(exp(q) - 1) Δu", "PPU......"),
    weight("cosh(q) - 1", "(cosh(q) - 1) Δu", "PPPPP...."),
    weight("cosh(q) - 2", "(cosh(q) - 2) Δu", "PPU......"),
    weight("log(1 + q²)", "log(1 + q²) Δu", "PPPPP...."),
    weight("atan(q) + 2", "(atan(q) + 2) Δu", "PPPPP...."),
    weight("atan(q) + π/2", "(atan(q) + π/2) Δu", "PPPPP...."),
    weight("atan(q) + 1", "(atan(q) + 1) Δu", "PPU......"),
    weight("atan(q) - 2", "(atan(q) - 2) Δu", "PPR......"),
    two("q² + r²", "q² + r²", "PPPPPPP.."),
    two("q² - r²", "q² - r²", "PPU......"),
    two("(q + r)²", "q² + 2 q r + r²", "PPPPPPP.."),
    two("q² + qr + r²", "q² + q r + r²", "PPPPPPP.."),
    two("q² + 3qr + r²", "q² + 3 q r + r²", "PPU......"),
    two("exp(q) + relu(r)", "exp(q) + relu(r)", "PPPPP...."),
    two("-q² - exp(r)", "-q² - exp(r)", "PPR......"),
    # ---- dimensions
    wide("squares", "R^30", "‖x‖² Δu", "PPPPP...."),
    wide("fourth powers", "R^30", "(Σᵢ xᵢ⁴) Δu", "PPp......", "too fast for a Lipschitz root"),
    wide("sines squared", "R^30", "(Σᵢ sin(xᵢ)²) Δu", "PPp......", "a norm"),
    wide("30 less sines", "R^30", "(30 - Σᵢ sin(xᵢ)) Δu", "PPPPP...."),
    wide("29 less sines", "R^30", "(29 - Σᵢ sin(xᵢ)) Δu", "PPR......"),
    wide("sum of sines", "R^d", "(Σᵢ sin(xᵢ)) Δu", "PPR......", "-d"),
    wide("1 + x₁", "R^d", "(1 + x₁) Δu", "PPR......", "x₁ = -2"),
    wide("1 + squares", "R^d", "(1 + ‖x‖²) Δu", "PPPPP...."),
    wide("each its own sine", "R^40", "Σᵢ (1 + sin(xᵢ)) ∂²u/∂xᵢ²", "PPPPP...."),
    wide("each its own sine, less", "R^40", "Σᵢ (½ + sin(xᵢ)) ∂²u/∂xᵢ²", "PPR......"),
    wide("cubes inwards", "R^20", "Δu - Σᵢ xᵢ³ ∂u/∂xᵢ", "PPp......", "turns back"),
    wide("cubes outwards", "R^20", "Δu + Σᵢ xᵢ³ ∂u/∂xᵢ", "PPU......", "leaves in finite time"),
    wide("without the last", "R^18", "Δu - ∂²u/∂x₁₈²", "PPPPPPP.."),
    wide("less than the last", "R^18", "Δu - 2 ∂²u/∂x₁₈²", "PPR......"),
    wide("mixed, ¾", "R^18", "Δu - 1.5 ∂²u/∂x₁∂x₂", "PPPPPPP..", "1 - 0.75"),
    wide("mixed, 5/4", "R^18", "Δu - 2.5 ∂²u/∂x₁∂x₂", "PPR......", "1 - 1.25"),
    wide("six pixels", "image(1, 2, 3)", f"6Δu - {ONES}", "PPPPPPP.."),
    wide("six pixels, less", "image(1, 2, 3)", f"5.9Δu - {ONES}", "PPR......"),
    # ---- shapes
    shape("values x", BALL, "∂u/∂t = Δu", "u = x", "RRPPP...."),
    shape("in a wind", BALL, "∂u/∂t = Δu + y ∂u/∂x - x ∂u/∂y", "u = 0", "PRPPP...."),
    shape("annulus", ANNULUS, "∂u/∂t = Δu - u", "u = 0", "PRPPP...."),
    shape("annulus, insulated", ANNULUS, "∂u/∂t = Δu", "n·∇u = 0", "PPpPP...."),
    shape("insulated and lost", BALL, "∂u/∂t = Δu - u", "n·∇u = 0", "PRpPP...."),
    shape("one in disguise", BALL, "∂u/∂t = Δu", "u = x² + y²", "RrPPP...."),
    shape("inner and outer", ANNULUS, "∂u/∂t = Δu", "u = x² + y² - 1", "RRPPP...."),
    shape("conductivity", BALL, "∂u/∂t = ∇·((2 + x) ∇u)", "u = 0", "PrPPP...."),
    solid("harmonic", BALL, "Δu = 0", "u = x", "..P....p."),
    solid("torsion", ANNULUS, "Δu = -1", "u = 0", "..P......"),
    solid("resonance", BALL, "Δu = -9u", "u = 0", "P.U......", "the first value is 5.78"),
    # ---- feature maps, one step of length 1
    point("-2.9Y, rk4", "-2.9Y", "RR..", "1.187", "rk4(steps=3)"),
    # ---- pointwise right-hand sides, for which there is no layer
    point("sin - Y", "sin(Y) - Y", "pp..", "y becomes sin(y)"),
    point("-2tanh", "-2tanh(Y)", "pp..", "1 - 2sech²"),
    point("relu(-Y)", "relu(-Y)", "pp..", "relu(y)"),
    point("-3relu", "-3relu(Y)", "RR..", "-2y"),
    point("-silu", "-silu(Y)", "Rp..", "its slopes are -0.1 and 1.1"),
    point("tanh(2Y) - Y", "tanh(2Y) - Y", "RR..", "2y near 0"),
    # ---- layers, ‖K‖ ≤ 1
    layer("silu", "-Kᵀ silu(K Y)", "RP..", "its slopes are -0.1 and 1.1"),
    layer("gelu", "-Kᵀ gelu(K Y)", "RP..", "its slopes are -0.13 and 1.13"),
    layer("elu", "-2Kᵀ elu(K Y)", "PP..", "slopes in (0, 2]"),
    layer("elu, more", "-2.1Kᵀ elu(K Y)", "rr..", "1 - 2.1; the bound itself is out of the reach of a network"),
    layer("softsign", "-2Kᵀ softsign(K Y)", "PP..", "slopes in (0, 2]"),
    layer("arctan", "-2Kᵀ arctan(K Y)", "PP..", "slopes in (0, 2]"),
    layer("sine", "-Kᵀ sin(K Y)", "RR..", "3π/2 + 1"),
    layer("softplus", "-Kᵀ softplus(K Y)", "PR..", "0 becomes -log 2"),
    layer("fed", "-Kᵀ tanh(K Y) + ½Y", "RR..", "K = 0"),
    layer("with decay", "-Kᵀ tanh(K Y) - Y", "PP..", "between -1 and 0"),
    layer(
        "with more decay",
        "-Kᵀ tanh(K Y) - 1.1Y",
        "rr..",
        "1 - 1.1 - 1; the bound itself is out of the reach of a network",
    ),
    layer("linear", "-2Kᵀ K Y", "PP..", "1 - 2"),
    layer("linear, more", "-2.1Kᵀ K Y", "rr..", "1 - 2.1; the bound itself is out of the reach of a network"),
    layer("linear, heun", "-2Kᵀ K Y", "PP..", "1 - 2 + 2", "heun(steps=3)"),
    layer(
        "linear, heun, more",
        "-2.2Kᵀ K Y",
        "rr..",
        "1 - 2.2 + 2.42; the bound itself is out of the reach of a network",
        "heun(steps=3)",
    ),
    layer(
        "linear, midpoint, more",
        "-2.2Kᵀ K Y",
        "rr..",
        "1 - 2.2 + 2.42; the bound itself is out of the reach of a network",
        "midpoint(steps=3)",
    ),
    layer("linear, ssprk3", "-2.5Kᵀ K Y", "PP..", "-0.979", "ssprk3(steps=3)"),
    layer("linear, half a bound", "-8Kᵀ K Y", "PP..", "8/4", bound="½"),
    layer(
        "tanh, half a bound",
        "-9Kᵀ tanh(K Y)",
        "rr..",
        "1 - 9/4; the bound itself is out of the reach of a network",
        bound="½",
    ),
    layer("adjoint", "-2K relu(Kᵀ Y)", "PP..", "1 - 2"),
    layer("there and back", "Kᵀ tanh(K Y) - 2Kᵀ tanh(K Y)", "PP..", "-Kᵀ tanh(K Y)"),
    layer("an even one", "-Kᵀ abs(K Y)", "RR..", "|y| grows below 0"),
    layer("shifted time", "-Kᵀ tanh(K Y)", "PP..", "δt = ½", "euler(steps=6)"),
    # ---- classes
    form("x² + 2xy + y²", "∂²u/∂x² + 2 ∂²u/∂x∂y + ∂²u/∂y² = 0", "parabolic"),
    form("1, 4, 3", "∂²u/∂x² + 4 ∂²u/∂x∂y + 3 ∂²u/∂y² = 0", "hyperbolic"),
    form("y and 1", "y ∂²u/∂x² + ∂²u/∂y² = 0", "mixed"),
    form("three, one minus", "∂²u/∂x² + ∂²u/∂y² - ∂²u/∂z² = 0", "hyperbolic", "(x, y, z) in [0, 1]^3"),
    form("three, heat in z", "∂²u/∂x² + ∂²u/∂y² = ∂u/∂z", "parabolic", "(x, y, z) in [0, 1]^3"),
    form("one product of three", "∂²u/∂x∂y + ∂²u/∂z² = 0", "hyperbolic", "(x, y, z) in [0, 1]^3"),
    # ---- boxes
    linear(
        "contested, box, x - 2",
        segment("∂u/∂t = (x - 2)(x - 3) Δu", DIRICHLET, "sin(π x)", "x in [4, 5]"),
        "diffusion",
        "PRPPP..PR",
    ),
    linear(
        "contested, box, between the roots",
        segment("∂u/∂t = (x - 2)(x - 3) Δu", DIRICHLET, "0", "x in [1, 5]"),
        "diffusion",
        "PRR......",
    ),
    linear(
        "contested, box, wave in the plane",
        plane("∂²u/∂t² + ∂u/∂t = Δu") + ZERO_VELOCITY_PLANE + "\n",
        "wave",
        ".PR......",
        "the front",
        2,
    ),
    nonlinear(
        "contested, box, two walls",
        physical("x in [0, 1]", "∂u/∂t = ∂(u ∂u/∂x)/∂x", "1 + x", "scalar > 0", "", "u = 1 on left\nu = 2 on right"),
        ANY,
        "RRPpp...r",
    ),
    nonlinear(
        "contested, minimal surfaces in space",
        data("∂u/∂t = ∇·(∇u/sqrt(1 + ‖∇u‖²))", "x in R^3"),
        ANY,
        "Rp.PP....",
        "too large to be worked out",
    ),
)
