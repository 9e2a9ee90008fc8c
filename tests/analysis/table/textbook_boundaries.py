"""Textbook equations with boundaries, on irregular domains, stationary equations, systems, weights and feature maps.

- Δu + λu = 0 with values on the boundary keeps the order exactly below the first eigenvalue: π²/9 on [0, 3], π²/2 on
  [0, 2]², 3π² on the cube, 5.783 on the unit disc.
- (u' - u)' keeps mass where u' = u at both ends; a rotation of the disc is along its edge.
- Systems keep the order if no unknown is pushed down, and if none feels the slope of another.
- a² u_xx + 2ab u_xy + b² u_yy is a square for all weights.
- T = 3: -Y by Heun in two steps has the factor 0.625, and by two terms of a series in one step the factor 7.
"""

from __future__ import annotations

from analysis.more_spec_templates import (
    DIRICHLET,
    INSULATED,
    ZERO_SPEED,
    classless,
    line,
    periodic_2pi,
    segment,
    square,
    system,
)
from analysis.spec_templates import (
    Row,
    data,
    declared,
    image,
    interval,
    lines,
    maps,
    periodic,
    plane,
    stationary,
)

X, XX = "∂u/∂x", "∂²u/∂x²"
DISC = "(x, y) in [-1, 1]^2 where x² + y² < 1"
ELL = "(x, y) in [-1, 1]^2 where min(x, y) < 0"
BALL = "(x, y, z) in [-1, 1]^3 where x² + y² + z² < 1"
BOX = "(x, y) in [0, 1]^2"
BAND = "(x, y) in [0, 1] * [0, 2] periodic"
TRIANGLE = "(x, y) in [0, 1]^2 where x + y < 1"
CUBE = "(x, y, z) in [0, 1]^3"
PLANE, LOOP = "(x, y) in R^2", "x in [0, 1] periodic"
K, L = "learn K : operator, ‖K‖ ≤ 1 = conv(3)", "learn L : operator, ‖L‖ ≤ 1 = conv(3)"
F = "learn f(u) : scalar = mlp"


def on(name: str, text: str, cells: str, bent: bool = False, order: int = 1, why: str = "", count: int = 1) -> Row:
    return classless(f"blind, {name}", text, cells, why, bent, order, count)


def wall(name: str, right: str, ends: str, cells: str, bent: bool = False, declare: str = "") -> Row:
    return on(f"rod, {name}", interval(f"∂u/∂t = {right}", ends, declare), cells, bent)


def bar(name: str, right: str, ends: str, space: str, cells: str) -> Row:
    return on(f"bar, {name}", segment(f"∂u/∂t = {right}", ends, "x", f"x in {space}"), cells)


def shape(name: str, space: str, right: str, ends: str, cells: str, bent: bool = False) -> Row:
    xs = space.split(" in ")[0].strip("()")
    text = lines(
        "pde Row", f"space {space}", "time t in [0, 1]", f"unknown u({xs}, t) : scalar", f"∂u/∂t = {right}",
        f"u({xs}, 0) = x", ends,
    )  # fmt: skip
    return on(f"shape, {name}", text, cells, bent)


def rest(name: str, equation: str, cells: str, space: str = "(x, y) in [0, 1]^2", bent: bool = False) -> Row:
    return on(f"rest, {name}", stationary(equation, "", space), cells, bent, 0)


def many(name: str, unknowns: str, equations: str, cells: str, space: str = "x in R", bent: bool = False,
         positive: str = "") -> Row:  # fmt: skip
    text = system(unknowns, equations, space, positive=positive)
    return classless(f"blind, system, {name}", text, cells, "", bent, 1, len(unknowns.split()))


def weight(name: str, text: str, cells: str, bent: bool = False) -> Row:
    return on(f"weights, {name}", text, cells, bent)


def layer(name: str, right: str, cells: str, declare: str = K, time: str = "euler(steps=3)", bent: bool = True) -> Row:
    return on(f"layer, {name}", maps(f"∂Y/∂t = {right}", declare, time), cells, bent)


TABLE: tuple[Row, ...] = (
    # ---- walls
    wall("Robin of two kinds", "Δu", declared("n·∇u = -2u on left", "n·∇u = -u on right"), "PRPPP...r"),
    wall("air of ⅔", "Δu", "n·∇u = 2 - 3u on boundary", "RRpPP...r"),
    wall("Stefan and Boltzmann", "Δu", "n·∇u = -|u|³ u on boundary", "RRpPP...r"),
    wall("wind and no flux", f"Δu - {X}", declared("n·∇u = u on right", "n·∇u = -u on left"), "PRpPP...p"),
    wall("wind and no slope", f"Δu - (1 + x) {X}", INSULATED, "PPpPP..pr"),
    wall("Sturm and Liouville", f"∂((1 + x²) {X})/∂x - x u", DIRICHLET, "PRpPP..pr"),
    wall("Wright and Fisher", f"½x (1 - x) Δu + 0.1 (½ - x) {X}", DIRICHLET, "PRpPP..pr"),
    wall("wind that swings", f"Δu + sin(t) {X}", INSULATED, "PPPPP..pr"),
    wall("as much in as out", "Δu", declared("n·∇u = sin(t) on right", "n·∇u = -sin(t) on left"), "RRpPP...p"),
    wall("more in than out", "Δu", declared("n·∇u = 2sin(t) on right", "n·∇u = -sin(t) on left"), "RRpPP...r"),
    wall("two layers", f"∂((1 + heaviside(x - ½)) {X})/∂x", INSULATED, "PPpPP..pp"),
    wall("the middle heats", "Δu + u(½, t)", DIRICHLET, "pr.PR...r"),
    wall("a moving value", "Δu", declared("u = sin(t) on left", "n·∇u = 0 on right"), "RRpPP..pr"),
    wall("logistic, shut", "Δu + u (1 - u)", INSULATED, "RRpPP..rr", True),
    wall("logistic, cold", "0.1Δu + u (1 - u/2)", DIRICHLET, "RRpPP...r", True),
    wall("cubic, cold", "0.1Δu + 2u - u³", DIRICHLET, "RRpPP..rr", True),
    wall("Stokes's first", "0.1Δu", declared("u = 1 on left", "u = 0 on right"), "RRpPP..pr"),
    wall("conductivity 1 + u⁴ - u²", f"∂((1 + u⁴ - u²) {X})/∂x", INSULATED, "RPpPP..pp", True),
    wall("saturating uptake", "Δu", declared("n·∇u = -u/(1 + |u|) on left", "n·∇u = 0 on right"), "RRpPP...r"),
    wall("backwards, cold", "-(1 + x) Δu", DIRICHLET, "PRrPP..rr"),
    bar("CIR", f"x {XX} + (1 - x) {X}", declared("n·∇u = 0 on left", "u = 0 on right"), "[0, 2]", "PR.PP...r"),
    bar("Legendre", f"∂((1 - x²) {X})/∂x", INSULATED, "[-1, 1]", "PPpPP..pp"),
    bar("shell", f"{XX} + (2/x) {X}", DIRICHLET, "[1, 2]", "PRpPP..pr"),
    bar("ball", f"{XX} + (2/x) {X}", declared("n·∇u = 0 on left", "u = 0 on right"), "[0, 1]", "PR.PP...r"),
    bar("Euler", f"x² {XX} + x {X}", DIRICHLET, "[1, 2]", "PRpPP..pr"),
    bar("shell, mass", f"{XX} - ∂((2/x) u)/∂x", declared("n·∇u = 2u on right", "n·∇u = -2u on left"), "[1, 2]",
        "PR.PP...."),
    on("bar, last, cold", lines("pde Row", "space x in [0, 1]", "time t in [0, 1]", "unknown u(x, t) : scalar",
       "∂u/∂t = -(2 - x) Δu", "u(x, 1) = sin(π x)", DIRICHLET), "PRpPP..pr"),
    on("bar, string, 1 + x", interval(f"∂²u/∂t² = ∂((1 + x) {X})/∂x", DIRICHLET, rest=ZERO_SPEED), "PRrrP..rr",
        order=2),
    on("bar, string that absorbs", interval("∂²u/∂t² = Δu", "n·∇u = -∂u/∂t on boundary", rest=ZERO_SPEED),
        "Pp.......", order=2),
    on("bar, beam, 1 + x", interval(f"∂²u/∂t² = -∂²((1 + x) {XX})/∂x²", declared(DIRICHLET,
        f"{XX} = 0 on boundary"), rest=ZERO_SPEED),
       "PRrrP..rr", order=2),
    on("bar, heat, then wind", periodic(f"∂u/∂t = Δu for t in [0, ½]\n∂u/∂t = sin(2π x) {X} for t in [½, 1]"),
       "PPpPP..pr", count=2),
    on("bar, heat, then sink", periodic("∂u/∂t = Δu for t in [0, ½]\n∂u/∂t = -u³ for t in [½, 1]"),
       "RRpPP..rr", True, count=2),
    on("square, cooled on top", square("∂u/∂t = Δu", declared("n·∇u = -y u on right, top", "n·∇u = 0 on left, bottom")),
       "PRpPP...r"),
    on("square, oblique", square("∂u/∂t = Δu", declared("n·∇u + ∂u/∂y = 0 on right", "u = 0 on left, bottom, top")),
       "PR.PP...r"),
    on("square, composite", square("∂u/∂t = ∇·((1 + x y) ∇u)", INSULATED), "PPpPP..pp"),
    on("square, composite, not in a flux", square("∂u/∂t = (1 + x y) Δu", INSULATED), "PPpPP..pr"),
    on("square, 1 - 2xy", square("∂u/∂t = (1 - 2x y) Δu", DIRICHLET), "PRrPP....",),
    on("square, vortex in a box", square("∂u/∂t = Δu + sin(π x) cos(π y) ∂u/∂x - cos(π x) sin(π y) ∂u/∂y", INSULATED),
       "PPpPP..pp"),
    # ---- shapes
    shape("disc, shut", DISC, "Δu", INSULATED, "PPpPP..pp"),
    shape("disc, turning, shut", DISC, "Δu + x ∂u/∂y - y ∂u/∂x", INSULATED, "PPpPP..pp"),
    shape("disc, wind, shut", DISC, "Δu + ∂u/∂x", INSULATED, "PPpPP..pr"),
    shape("disc, outward, cold", DISC, "Δu + x ∂u/∂x + y ∂u/∂y", DIRICHLET, "PRpPP..pr"),
    shape("disc, cooling", DISC, "Δu", "n·∇u = -u on boundary", "PRpPP...r"),
    shape("disc, conductivity 2 - r²", DISC, "∇·((2 - x² - y²) ∇u)", DIRICHLET, "PRpPP..pr"),
    shape("disc, ½ - r²", DISC, "(½ - x² - y²) Δu", DIRICHLET, "PRrPP...."),
    shape("disc, Allen and Cahn", DISC, "Δu + u - u³", INSULATED, "RRpPP..rr", True),
    shape("ell, cold", ELL, "Δu", DIRICHLET, "PRpPP..pr"),
    shape("ell, warm", ELL, "Δu", "u = 1 on boundary", "RRpPP..p."),
    shape("ball, cold", BALL, "Δu - u", DIRICHLET, "PRpPP..pr"),
    # ---- at rest
    rest("Poisson and Boltzmann", "Δu = sinh(u)", "R.p......", bent=True),
    rest("axis at 0", "∂²u/∂x² + (1/x) ∂u/∂x + ∂²u/∂y² = 0", "P.p....p.", "(x, y) in [1, 2] * [0, 1]"),
    rest("Tricomi above 1", "y ∂²u/∂x² + ∂²u/∂y² = 0", "P.p....p.", "(x, y) in [0, 1] * [1, 2]"),
    rest("strain", "0.01Δu + x ∂u/∂x - y ∂u/∂y = 0", "P.p....p."),
    rest("cubic, cube", "Δu = u³", "R.p......", CUBE, True),
    rest("composite", "∇·((1 + x y) ∇u) = 0", "P.p....p."),
    rest("p = 3 and a sink", "∇·(‖∇u‖ ∇u) = u", "R.p......", bent=True),
    rest("Allen and Cahn, small", "Δu = u³ - u", "R.p......", bent=True),
    *(rest(f"Helmholtz {n} on [0, {m}]", f"{XX} + {n}u = 0", f"P.{c}......", f"x in [0, {m}]")
      for n, m, c in ((1, 3, "p"), (1, 4, "r"), (2, 2, "p"), (3, 2, "r"))),
    *(rest(f"Helmholtz {n}, square of 2", f"Δu + {n}u = 0", f"P.{c}......", "(x, y) in [0, 2]^2")
      for n, c in ((4, "p"), (5, "r"))),
    *(rest(f"Helmholtz {n}, cube", f"Δu + {n}u = 0", f"P.{c}......", CUBE) for n, c in ((29, "p"), (30, "r"))),
    *(rest(f"Helmholtz {n}, disc", f"Δu + {n}u = 0", f"P.{c}......", DISC) for n, c in ((5, "p"), (6, "r"))),
    rest("screened, disc", "Δu = (1 + x²) u", "P.p......", DISC),
    rest("mixed, 1.9", "Δu + 1.9∂²u/∂x∂y = 0", "P.p....p."),
    # ---- systems
    many("Brusselator", "u v", "∂u/∂t = Δu + 1 - 4u + u² v\n∂v/∂t = 8Δv + 3u - u² v", "RRrPP...r", LOOP, True),
    many("Gierer and Meinhardt", "u v", "∂u/∂t = 0.1Δu - u + u²/v\n∂v/∂t = Δv - v + u²", "RRrPP...r", LOOP, True,
         "u v"),
    many("light in the plane", "u v w", "∂u/∂t = ∂v/∂x - ∂w/∂y\n∂v/∂t = ∂u/∂x\n∂w/∂t = -∂u/∂y", "PPrPP...p", PLANE),
    many("Dirac", "u v", "∂u/∂t = ∂u/∂x + v\n∂v/∂t = -∂v/∂x - u", "PRrPP...r"),
    many("Goldstein and Kac", "u v", "∂u/∂t = ∂u/∂x + v - u\n∂v/∂t = -∂v/∂x + u - v", "PrpPP...r"),
    many("Bloch and Torrey", "u v", "∂u/∂t = Δu + x v - ½u\n∂v/∂t = Δv - x u - ½v", "PRrPP...r"),
    many("Gross and Pitaevskii", "u v", "∂u/∂t = -Δv + (u² + v²) v\n∂v/∂t = Δu - (u² + v²) u", "RRrPP...r", bent=True),
    many("Ginzburg and Landau", "u v",
         "∂u/∂t = Δu - Δv + u - (u² + v²) (u - v)\n∂v/∂t = Δv + Δu + v - (u² + v²) (u + v)", "RRrPP...r", PLANE, True),
    many("A and B", "u v", "∂u/∂t = Δu - u + 2v\n∂v/∂t = 3Δv + u - 2v", "PRpPP...r"),
    many("volume filling", "u v", "∂u/∂t = Δu - ∇·(u (1 - u) ∇v)\n∂v/∂t = Δv - v + u", "RrrPP....", PLANE, True),
    many("crowding", "u v", "∂u/∂t = Δ(u² + u v)\n∂v/∂t = Δ(v² + u v)", "RPrPP...p", LOOP, True, "u v"),
    many("rock, paper, scissors", "u v w", "∂u/∂t = Δu + u (v - w)\n∂v/∂t = Δv + v (w - u)\n∂w/∂t = Δw + w (u - v)",
         "RrrPP...r", LOOP, True, "u v w"),
    many("cascade", "u v w", "∂u/∂t = Δu - u\n∂v/∂t = Δv + u - v\n∂w/∂t = Δw + v - w", "PRpPP...r", PLANE),
    many("turning water", "u v w", "∂u/∂t = -∂v/∂x - ∂w/∂y\n∂v/∂t = w - ∂u/∂x\n∂w/∂t = -v - ∂u/∂y", "PRrPP...r", PLANE),
    many("thermoelastic", "u v w", "∂u/∂t = ∂v/∂x\n∂v/∂t = ∂u/∂x - ∂w/∂x\n∂w/∂t = Δw - ∂v/∂x", "PPrPP...p", LOOP),
    many("carried by another", "u v", "∂u/∂t = Δu + v ∂u/∂x\n∂v/∂t = Δv", "RPrPP...r", bent=True),
    many("two delays", "u v", "∂u/∂t = Δu + v(x, t - ½)\n∂v/∂t = Δv + u(x, t - ½)", "..." + "R....."),
    many("exchange along a wall", "u v", "∂u/∂t = Δu + v - u\n∂v/∂t = u - v", "PrpPP...r"),
    many("cooperative, tanh", "u v", "∂u/∂t = Δu - u + tanh(v)\n∂v/∂t = Δv - v + tanh(u)", "RRpPP...r", PLANE, True),
    many("activator and inhibitor", "u v", "∂u/∂t = Δu + u - u³ - v\n∂v/∂t = 0.1 (u - v)", "RRrPP...r", PLANE, True),
    # ---- weights
    weight("a velocity", data("∂u/∂t = v·∇u", "x in R^2", "learn v(x, t) : vector = mlp"), "PPpPP..p."),
    weight("a velocity, forward", data("∂u/∂t = ∇·(u v) + Δu", "x in R^2", "learn v(x) : vector = mlp"), "P.pPP...p"),
    weight("conductivity, shut", interval(f"∂u/∂t = ∂(κ {X})/∂x", INSULATED, "learn κ(x) : scalar > 0 = mlp"),
        "PPpPP..pp"),
    weight("reaction", line("∂u/∂t = Δu + f(u) - u³", declare="learn f(u) : scalar = mlp"), "..pPP....", True),
    weight("flux", periodic_2pi("∂u/∂t = ∂(f(u))/∂x", declare="learn f(u) : scalar = mlp"), ".PpPP..pp", True),
    weight("uptake", interval("∂u/∂t = Δu - c u", DIRICHLET, "learn c : scalar ≥ 0"), "PrpPP..pr"),
    weight("rate", periodic("∂u/∂t = Δu - c u", "learn c : scalar"), "P.pPP...."),
    weight("a matrix", plane("∂u/∂t = A:∇∇u + 2∂u/∂y", "learn A : matrix, psd"), "PPpPPpppp"),
    weight("a source", interval("∂u/∂t = Δu + q", DIRICHLET, "learn q(x) : scalar = mlp"), ".rpPP...."),
    weight("Robin", interval("∂u/∂t = Δu", "n·∇u = -γ u on boundary", "learn γ : scalar > 0"), "PrpPP...r"),
    weight("clock", periodic("∂u/∂t = q Δu", "learn q(t) : scalar > 0 = mlp"), "PPpPP..pp"),
    weight("a square", plane("∂u/∂t = a² ∂²u/∂x² + 2a b ∂²u/∂x∂y + b² ∂²u/∂y²",
           declared("learn a : scalar", "learn b : scalar")), "PPpPP..pp"),
    weight("(a - 1)²", line("∂u/∂t = (a² - 2a + 1) Δu", declare="learn a : scalar"), "PPpPP..pp"),
    weight("1 + f(u)²", periodic_2pi(f"∂u/∂t = ∂((1 + f(u)²) {X})/∂x", declare=F), ".PpPP..pp", True),
    weight("exp q", line("∂u/∂t = exp(-q) Δu + q ∂u/∂x", declare="learn q(x) : scalar = mlp"), "PPpPP..p."),
    weight("images", image("∂u/∂t = v·∇u + 0.1Δu", "learn v(x) : vector = mlp"), "PPpPP.."),
    on("weights, rest, κ", stationary("∇·(κ ∇u) = u", "learn κ(x, y) : scalar > 0 = mlp"), "P.p......", order=0),
    # ---- feature maps
    layer("hardtanh and softsign", "-Kᵀ hardtanh(K Y) - Lᵀ softsign(L Y)", "pp..", f"{K}\n{L}"),
    layer("elu, bound 1.4", "-Kᵀ elu(K Y)", "pp..", "learn K : operator, ‖K‖ ≤ 1.4 = conv(3)"),
    layer("softplus and tanh", "-Kᵀ softplus(K Y) - Lᵀ tanh(L Y)", "pr..", f"{K}\n{L}"),
    layer("-Y, heun, 2", "-Y", "PP..", "", "heun(steps=2)", False),
    layer("-Y, two terms, one step", "-Y", "RR..", "", "backward_euler(steps=1, terms=2)", False),
    layer("a network", "F(Y, t)", "rr..", "learn F(Y, t) : channels = convnet(layers=2)"),
    layer("tanh uphill, heun", "Kᵀ tanh(K Y) + 0.1Y", "rr..", K, "heun(steps=3)"),
    layer("relu less Y, rk4", "-Kᵀ relu(K Y) - Y", "pp..", K, "rk4(steps=6)"),
    classless("blind, layer, leap", maps("∂²Y/∂t² = -Kᵀ relu(K Y)", K, "leapfrog(steps=6)", "∂Y/∂t(x, 0) = 0"),
              "...P", "", True, 2),
    classless("blind, layer, two halves",
              maps("∂Y/∂t = Kᵀ tanh(K Z)\n∂Z/∂t = -Lᵀ tanh(L Y)", f"{K}\n{L}", "verlet(steps=3)"),
              "...P", "", True, 1, 2),
    # ---- values on the walls that are not 0, and fluxes that balance
    *(on(f"rest, {name}, {ends}", stationary(equation, "", space, f"{ends} on boundary"), f"..p....{c}.", bent, 0)
      for name, equation, space, ends, c, bent in (
          ("cubic", "Δu = u³", BOX, "u = 1", "r", True),
          ("screened", "Δu = u", BOX, "u = 2", "r", False),
          ("sinh", "Δu = sinh(u)", BOX, "u = -1", "r", True),
          ("fifth power", "Δu = u⁵", BOX, "u = x y", "p", True),
          ("screened by 4", "Δu = 4u", BOX, "u = 1 + 0.1x", "r", False),
          ("wind", "Δu + ∂u/∂x = 0", BOX, "u = x y", "p", False),
          ("screened rod", f"{XX} = u", "x in [0, 1]", "u = 1", "r", False),
          ("source", "Δu = -1", DISC, "u = 0", "r", False),
          ("uneven", "(1 + x²) ∂²u/∂x² + ∂²u/∂y² = 0", BOX, "u = y", "p", False))),
    on("rest, one warm side", stationary("Δu = 0", ends="u = 1 on left\nn·∇u = 0 on right, top, bottom"), "..p....p.",
       order=0),
    on("rest, fed", stationary("Δu = 0", ends="u = 0 on left\nn·∇u = 1 on right\nn·∇u = 0 on top, bottom"), "..p....r.",
       order=0),
    wall("sink, warm", "Δu - 3u", "u = 2 on boundary", "RRpPP..rr"),
    wall("cubic sink, u = x", "Δu - u³", "u = x on boundary", "RRpPP..pr", True),
    wall("towards 1, walls of 1", "Δu + 1 - u", "u = 1 on boundary", "RRpPP..pr"),
    wall("towards 1, cold walls", "Δu + 1 - u", DIRICHLET, "RRpPP..rr"),
    wall("pendulum, cold", "Δu - 2sin(u)", DIRICHLET, "RRpPP..rr", True),
    wall("sink and x, cold", "Δu - u + x", DIRICHLET, "RRpPP..rr"),
    wall("towards 2, one wall of 2", "Δu - (u - 2)", declared("u = 2 on left", "n·∇u = 0 on right"), "RRpPP..pr"),
    wall("rate x - ½, cold", "Δu + (x - ½) u", DIRICHLET, "PRpPP..rr"),
    wall("rate x² - x, cold", "Δu + (x² - x) u", DIRICHLET, "PRpPP..pr"),
    wall("trap and no flux", f"{XX} + ∂((2x - 1) u)/∂x", "n·∇u = -u on boundary", "PRpPP...p"),
    wall("trap and flux", f"{XX} + ∂((2x + 1) u)/∂x", "n·∇u = -u on boundary", "PRpPP...r"),
    *(wall(f"1 + x², fed by {a} and {c}", f"∂((1 + x²) {X})/∂x",
           declared(f"n·∇u = {a} on left", f"n·∇u = {c} on right"), f"RRpPP...{'p' if a + 2 * c == 0 else 'r'}")
      for a, c in ((2, -1), (1, -1), (-4, 2))),
    *(wall(f"source {f} and {c}", f"Δu + {f}", declared("n·∇u = 0 on left", f"n·∇u = {c} on right"), f"RRpPP...{v}")
      for f, c, v in (("x", "-½", "p"), ("x²", "-1/3", "p"), ("x²", "-½", "r"))),
    *(on(f"square, source {f}, {a} and {c}", square(f"∂u/∂t = Δu + {f}", declared(
         f"n·∇u = {a} on right", f"n·∇u = {c} on top", "n·∇u = 0 on left, bottom")), f"RRpPP...{v}")
      for f, a, c, v in (("x y", "-¼", "0", "p"), ("x y", "-½y", "0", "p"), ("0", "y", "-x", "p"),
                         ("0", "y²", "-x", "r"))),
    on("square, channel", square("∂u/∂t = Δu - u³", declared("u = 0 on left, right", "n·∇u = 0 on bottom, top")),
       "RRpPP..pr", True),
    shape("disc, sink, warm", DISC, "Δu - u", "u = 1 on boundary", "RRpPP..rr"),
    on("bar, string, free, pushed", interval("∂²u/∂t² = Δu + cos(π x)", INSULATED, rest=ZERO_SPEED), "RRprP..rp",
        order=2),
    on("bar, string, one end free", interval("∂²u/∂t² = 4Δu", declared("n·∇u = 0 on left", "u = 0 on right"),
        rest=ZERO_SPEED),
       "PRrrP..rr", order=2),
    *(on(f"line, telegraph, {a} and {m}", line(f"∂²u/∂t² + {a}∂u/∂t = Δu - {m}u", rest=ZERO_SPEED), f"PR{c}rP..rr",
        order=2,
         why="J₀(cs) against J₁(cs)") for a, m, c in ((1, "¼", "p"), (1, 1, "p"), (2, 2, "p"), (2, 4, "r"))),
    many("two fluxes", "u v", "∂u/∂t = Δu + ∇·(u ∇v)\n∂v/∂t = 3Δv + Δu", "RPrPP...p", LOOP, True),
    weight("Robin, ≥ 0", interval("∂u/∂t = Δu", "n·∇u = -γ u on boundary", "learn γ : scalar ≥ 0"), "P.pPP...."),
    weight("a value on the wall", interval("∂u/∂t = Δu", "u = g on boundary", "learn g : scalar"), ".rpPP..pr"),
    # ---- edges of shapes, cubes and bands; orders above two
    shape("disc, 1 + x² in a flux", DISC, "∇·((1 + x²) ∇u)", INSULATED, "PPpPP..pp"),
    shape("disc, 1 + x²", DISC, "(1 + x²) Δu", INSULATED, "PPpPP..pr"),
    shape("disc, trap and no flux", DISC, "Δu + ∂(x u)/∂x + ∂(y u)/∂y", "n·∇u = -u on boundary", "PrpPP...p"),
    shape("disc, trap and flux", DISC, "Δu + ∂(x u)/∂x + ∂(y u)/∂y", "n·∇u = -2u on boundary", "PrpPP...r"),
    shape("ell, wind, shut", ELL, "Δu + ∂u/∂x", INSULATED, "PPpPP..pr"),
    shape("triangle, shut", TRIANGLE, "2Δu", INSULATED, "PPpPP..pp"),
    shape("triangle, wind along an edge", TRIANGLE, "Δu + ∂u/∂x - ∂u/∂y", INSULATED, "PPpPP..pr"),
    shape("cube, cooling", CUBE, "Δu", "n·∇u = -u on boundary", "PRpPP...r"),
    shape("cube, 1 + xyz", CUBE, "∇·((1 + x y z) ∇u)", INSULATED, "PPpPP..pp"),
    shape("cube, wind", CUBE, "Δu + y (1 - y) ∂u/∂x", INSULATED, "PPpPP..pr"),
    shape("band, along", BAND, "Δu + x ∂u/∂y", "n·∇u = 0 on left, right", "PPpPP..pp"),
    shape("band, across", BAND, "Δu + sin(π y) ∂u/∂x", "n·∇u = 0 on left, right", "PPpPP..pr"),
    wall("plate, clamped", "-Δ²u", declared(DIRICHLET, f"{X} = 0 on boundary"), "PRrPP..rr"),
    wall("plate, no flux", "-2Δ²u", declared(f"{X} = 0 on boundary", "∂³u/∂x³ = 0 on boundary"), "PPrPP..rp"),
    wall("Cahn and Hilliard, no flux", "Δ(u³ - u - 0.01Δu)",
         declared(f"{X} = 0 on boundary", "∂³u/∂x³ = 0 on boundary"), "RPrPP..rp", True),
    weight("a wind", plane("∂u/∂t = b·∇u + Δu", "learn b : vector"), "PPpPPpppp"),
    weight("κ², relu", line("∂u/∂t = κ² Δu", declare="learn κ(x) : scalar = mlp(activation=relu)"), "PPpPP..p."),
    weight("|κ|", line("∂u/∂t = (|κ| + |x|) Δu", declare="learn κ(x) : scalar = mlp"), "PP.PP...."),
    layer("down and up", "-Kᵀ relu(K Y) + Lᵀ relu(L Y)", "rr..", f"{K}\n{L}"),
    layer("elu(2KY)", "-Kᵀ elu(2K Y)", "pp.."),
    layer("leaky relu(3KY)", "-Kᵀ leaky_relu(3K Y)", "rr.."),
    layer("half of mish", "-½Kᵀ mish(K Y)", "rp.."),
    layer("silu, four steps", "-Kᵀ silu(K Y)", "rp..", K, "euler(steps=4)"),
    layer("-Y - KᵀKY, rk4", "-Y - Kᵀ K Y", "pp..", K, "rk4(steps=3)", False),
    layer("-½Y - KᵀKY, heun", "-½Y - Kᵀ K Y", "pp..", K, "heun(steps=3)", False),
    layer("new weights, 1.2", "-Kᵀ tanh(K Y)", "pp..", "learn K(t) : operator, ‖K‖ ≤ 1.2 = conv(3)"),
    classless("blind, layer, saddle", maps("∂Y/∂t = K Z\n∂Z/∂t = Kᵀ Y", K, "verlet(steps=3)"), "rr.P", "", False, 1, 2),
    classless("blind, layer, run away", maps("∂²Y/∂t² = Kᵀ K Y + Y", K, "leapfrog(steps=3)", "∂Y/∂t(x, 0) = 0"),
              "rr.P", "", False, 2),
)  # fmt: skip
