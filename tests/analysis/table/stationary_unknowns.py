"""Stationary unknowns that are aliases of others or vanish, degenerate conditions, and cancelling singularities.

- What an unknown at rest adds to F is found by putting in what its equation says: Δw - w is u if Δw - w = u, and z is 0
  if z = u - w and w = u, so that z u(x + ½, t) reads nothing.
- w = x, Δw = 1 and w = 1 depend on no data: ∂w/∂x - 1, Δw - 1 and w u - u vanish.
- Where p = x is given on the boundary and Δp = 0, p is x, and Δp adds nothing.
- Stokes flow on a torus without force has no pressure: it is the heat equation.
- n·∇u (n·∇u - 1) = 0 and relu(n·∇u) = 0 admit more than one solution for each datum, tanh(n·∇u) = 0 is n·∇u = 0.
"""

from __future__ import annotations

from analysis.more_spec_templates import ZERO_SPEED, classless, line, system
from analysis.spec_templates import Row, data, declared, interval, lines, periodic

RING = "x in [0, 1] periodic"
X = "∂u/∂x"
HEAT = "it is the heat equation"
ADDED = "w adds what its equation says"


def rest(
    name: str, unknowns: str, equations: str, cells: str, why: str = ADDED, bent: bool = False, space: str = RING
) -> Row:
    """u evolves, and the others are at rest."""
    names = unknowns.split()
    text = system(unknowns, equations, space, stationary=" ".join(n for n in names if n != "u"))
    return classless(f"fifth, rest, {name}", text, cells, why, bent, (1, 0), len(names))


def inside(name: str, equations: str, ends: str, cells: str, why: str, other: str = "p", bent: bool = False) -> Row:
    """u evolves on an interval, and another unknown is at rest."""
    text = lines(
        "pde Row", "space x in [0, 1]", "time t in [0, 1]", "unknown u(x, t) : scalar",
        f"unknown {other}(x, t) : scalar", equations, "u(x, 0) = cos(π x)", ends,
    )  # fmt: skip
    return classless(f"fifth, inside, {name}", text, cells, why, bent, (1, 0), 2)


def several(
    name: str,
    unknowns: str,
    equations: str,
    stationary: str,
    cells: str,
    why: str,
    bent: bool = True,
    positive: str = "",
) -> Row:
    text = system(unknowns, equations, RING, stationary=stationary, positive=positive)
    return classless(f"fifth, several, {name}", text, cells, why, bent, (1, 0), len(unknowns.split()))


def flow(name: str, motion: str, more: str, cells: str, why: str, bent: bool) -> Row:
    """An incompressible flow on a torus, with a concentration."""
    text = lines(
        "pde Row", "space (x, y) in [0, 1]^2 periodic", "time t in [0, 1]", "unknown v(x, y, t) : vector(2)",
        "unknown p(x, y, t) : scalar", "unknown c(x, y, t) : scalar" if more else "", motion, "∇·v = 0", more,
        "v(x, y, 0) = [sin(2π y), 0]", "c(x, y, 0) = sin(2π x)" if more else "",
    )  # fmt: skip
    return classless(f"fifth, flow, {name}", text, cells, why, bent, (1, 0), 3 if more else 2)


def wall(name: str, ends: str, cells: str, why: str, right: str = "Δu") -> Row:
    return classless(f"fifth, wall, {name}", interval(f"∂u/∂t = {right}", ends), cells, why)


def on(name: str, text: str, cells: str, why: str = "", bent: bool = False) -> Row:
    return classless(f"fifth, {name}", text, cells, why, bent)


STILL_P = declared("n·∇u = 0 on boundary", "p(0, t) = 0", "∂p/∂x(1, t) = 1")

TABLE: tuple[Row, ...] = (
    # ---- unknowns at rest in disguise
    rest("w = Δu", "u w", "∂u/∂t = Δu + w\nw = Δu", "Pp.Pp...p"),
    rest("w = u²", "u w", "∂u/∂t = Δu - w\nw = u²", "rr.Pp...r", bent=True),
    rest("a chain of slopes", "u w z", f"∂u/∂t = ∂z/∂x\nz = w\nw = {X}", "Pp.Pp...p", HEAT),
    rest("z w - u²", "u w z", "∂u/∂t = Δu + z w - u²\nw = u\nz = u", "pp.Pp...p", HEAT, True),
    rest("Δ²w with Δw = u", "u w", "∂u/∂t = Δu + Δ²w\nΔw = u", "P..Pp...p"),
    rest("w - Δw with Δw - w = u", "u w", "∂u/∂t = Δu - Δw + w\nΔw - w = u", "Pr.Pp...r"),
    rest("Δ(Δw - w) with Δw - w = u", "u w", "∂u/∂t = Δu + Δ²w - Δw\nΔw - w = u", "Pp.Pp...p"),
    rest("(Δw - w)' with Δw - w = u", "u w", "∂u/∂t = Δu + ∂³w/∂x³ - ∂w/∂x\nΔw - w = u", "Pp.Pp...p"),
    rest("w'' - w' with w - w' = u", "u w", "∂u/∂t = Δu + ∂²w/∂x² - ∂w/∂x\nw - ∂w/∂x = u", "Pp.Pp...p"),
    rest("a mean", "u w", "∂u/∂t = Δu + w\nw - Δw = u", "PR.PR...r"),
    rest("the slope of a mean", "u w", "∂u/∂t = Δu - ∂w/∂x\nw - Δw = u", "PP.PR...p"),
    rest("u' of a mean", "u w", "∂u/∂t = Δu - ∂(u w)/∂x\nw - Δw = u", "rP.PR...p", bent=True),
    rest("w + w' = u + u'", "u w", f"∂u/∂t = Δu + w\nw + ∂w/∂x = u + {X}", "Pr.Pp...r", "w is u"),
    rest("z = u - w is zero", "u w z", "∂u/∂t = Δu + z u(x + ½, t)\nw = u\nz = u - w", "pp.Pp...p", HEAT, True),
    rest("z = u - w is zero, then", "u w z", "∂u/∂t = Δu + z u(x, t - 1)\nw = u\nz = u - w", "pp.p....p", HEAT, True),
    rest("w = t", "u w", "∂u/∂t = Δu + w\nw = t", "rr.Pp...r", "a source"),
    rest("w' - 1 with w = x", "u w", "∂u/∂t = Δu + ∂w/∂x - 1\nw = x", ".p.Pp...p", HEAT, space="x in R"),
    rest("Δw - 2 with w = x²", "u w", "∂u/∂t = Δu + Δw - 2\nw = x²", ".p.Pp...p", HEAT, space="x in R"),
    rest("Δw - 1 with Δw = 1", "u w", "∂u/∂t = Δu + Δw - 1\nΔw = 1", ".p.Pp...p", HEAT, space="x in R"),
    rest("w' - u with w' = u", "u w", "∂u/∂t = Δu + ∂w/∂x - u\n∂w/∂x = u", "pp.Pp...p", HEAT, space="x in R"),
    rest("w'w'' - u u'", "u w", f"∂u/∂t = Δu + ∂²w/∂x² ∂w/∂x - u {X}\n∂w/∂x = u", "pp.Pp...p", HEAT, True, "x in R"),
    rest("w'² - u²", "u w", "∂u/∂t = Δu + (∂w/∂x)² - u²\n∂w/∂x = u", "pp.Pp...p", HEAT, True, "x in R"),
    rest("w (w'' - u')", "u w", f"∂u/∂t = Δu + w (∂²w/∂x² - {X})\n∂w/∂x = u", "pp.Pp...p", HEAT, True, "x in R"),
    rest("w (Δ²w - Δu)", "u w", "∂u/∂t = Δu + w (Δ²w - Δu)\nΔw = u", "p..Pp...p", HEAT, True, "x in R"),
    rest("w u - u with w = 1", "u w", "∂u/∂t = Δu + w u - u\nw = 1", ".p.Pp...p", HEAT, True),
    rest("w u with w = 1", "u w", "∂u/∂t = Δu + w u\nw = 1", ".r.Pp...r", "Δu + u", True),
    rest("shift back", "u w", "∂u/∂t = Δu + w(x - ¼, t) - u\nw = u(x + ¼, t)", "pp.Pp...p", HEAT),
    rest("mirror twice", "u w z", "∂u/∂t = Δu + z - 2u\nz = w(1 - x, t)\nw = u(1 - x, t)", "pr.Pp...r", "z is u"),
    rest("mirror", "u w", "∂u/∂t = Δu + w - u\nw = u(1 - x, t)", "Pp.PR...p", "the other side"),
    rest("then and now", "u w", "∂u/∂t = Δu + w(x, t + ½) - u\nw = u(x, t - ½)", "pp.pp...p", HEAT),
    rest("a delay by two names", "u w z", "∂u/∂t = Δu + z\nz = w\nw = u(x, t - ½)", "pr.R.....", "a memory"),
    rest("the slope of a constant", "u w", "∂u/∂t = Δu + ∂w/∂x\nw = u(½, t)", "pp.Pp...p", HEAT),
    rest("the slope of what was", "u w", "∂u/∂t = Δu + ∂w/∂x\nw = u(½, t - 1)", "pp.pp...p", HEAT),
    rest("left and right", "u w", "∂u/∂t = Δu - ∂(u w)/∂x\nw = u(x + ½, t) - u(x - ½, t)", "pp.Pp...p", HEAT, True),
    rest("w³ = u³", "u w", "∂u/∂t = Δu - w + u\nw³ = u³", "pp.Pp...p", HEAT, True),
    rest("(w - u)² = 0", "u w", "∂u/∂t = Δu - w + u\n(w - u)² = 0", "pp.Pp...p", HEAT, True),
    rest("w³ + w - Δw = u", "u w", "∂u/∂t = Δu - w\nw³ + w - Δw = u", "rr.Pr...r", "w is not linear in u", True),
    rest("(1 + t) w = u", "u w", "∂u/∂t = Δu + (1 + t) w\n(1 + t) w = u", "Pr.Pp...r"),
    rest("a w = u'", "u w", f"∂u/∂t = ∂((2 + cos(2π x)) w)/∂x\n(2 + cos(2π x)) w = {X}", "Pp.Pp...p", HEAT),
    rest("sin(2πx) w = u", "u w", "∂u/∂t = Δu + w\nsin(2π x) w = u", ".r.Pp....", "a pole"),
    rest("w² = u for w = √u", "u w", "∂u/∂t = Δu + w² - u\nw = sqrt(u)", ".U.Pp....", "no value for u < 0", True),
    rest("Cahn and Hilliard, mixed", "u w", "∂u/∂t = Δw\nw = u³ - u - 0.01Δu", "rp.Pp...p", bent=True),
    rest("film, mixed", "u p", "∂u/∂t = ∂(u³ ∂p/∂x)/∂x\np = -Δu", "rp.Pp...p", bent=True),
    rest("porous, mixed", "u p v", "∂u/∂t = -∂(u v)/∂x\nv = -∂p/∂x\np = u", "rp.Pp...p", bent=True),
    rest("traffic with a flux", "u q", "∂u/∂t = Δu - ∂q/∂x\nq = u (1 - u)", "rp.Pp...p", bent=True),
    rest("carried by what is flat", "u p", "∂u/∂t = ∇·(u∇p) + Δu\nΔp = 0", "pp.Pp...p", "∇p = 0 on a ring", True),
    # ---- intervals
    inside("Δp with Δp = 0", "∂u/∂t = Δu + Δp\nΔp = 0", STILL_P, ".p.Pp...p", "p is x"),
    inside("u p' with Δp = 0", "∂u/∂t = Δu + u ∂p/∂x\nΔp = 0", STILL_P, ".r.P....r", "Δu + u", bent=True),
    inside("p' - 1 with Δp = 0", "∂u/∂t = Δu + ∂p/∂x - 1\nΔp = 0", STILL_P, ".p.P....p", "p is x"),
    inside("flux shut", f"∂u/∂t = -∂q/∂x\nq = -{X}", "q = 0 on boundary", "Pp.Pp...p", "n·∇u = 0", "q"),
    inside("flux through", f"∂u/∂t = -∂q/∂x\nq = -{X}", "q = 1 on boundary", ".r.Pp...p", "in and out", "q"),
    inside(
        "flux in", f"∂u/∂t = -∂q/∂x\nq = -{X}", declared("q = 1 on left", "q = 0 on right"), ".r.Pp...r", "fed", "q"
    ),
    inside(
        "mean with a wall", "∂u/∂t = Δu + w - u\nw - Δw = u", declared("n·∇u = 0 on boundary", "n·∇w = 0 on boundary"),
        "PP.PR...p", "w is a mean", "w",
    ),
    inside(
        "mean with cold walls", "∂u/∂t = Δu + w - u\nw - Δw = u", declared("n·∇u = 0 on boundary", "w = 0 on boundary"),
        "Pr.PR...r", "w is less than a mean", "w",
    ),
    # ---- several
    several(
        "Camassa and Holm", "m u", f"∂m/∂t = -u ∂m/∂x - 2m {X}\nm = u - ∂²u/∂x²", "u", "rP.PR...p",
        "m u' is a divergence",
    ),
    several(
        "Hartree", "a b w", "∂a/∂t = -Δb + w b\n∂b/∂t = Δa - w a\nΔw - w = a² + b²", "w", "rr.Pr...r", "w is a mean"
    ),
    several(
        "gas", "r q p", "∂r/∂t = -∂q/∂x\n∂q/∂t = -∂(q²/r + p)/∂x\np = r²", "p", "rp.Pp...p", "a flux", positive="r"
    ),
    several(
        "ions", "u v w", "∂u/∂t = Δu + ∇·(u∇w)\n∂v/∂t = Δv - ∇·(v∇w)\nΔw = v - u", "w", "r..Pr...p", "w reads all"
    ),
    classless(
        "fifth, several, string, mixed", system("u s", f"∂²u/∂t² = ∂s/∂x\ns = {X}", RING,
            stationary="s") + ZERO_SPEED + "\n",
        "Pp.RP...p", "a wave", False, (2, 0), 2,
    ),
    # ---- flows
    flow("Stokes", "∂v/∂t + ∇p = Δv", "", "PP.Pp....", "no pressure", False),
    flow("Euler", "∂v/∂t + v·∇v + ∇p = 0", "", "rP.Pr....", "the pressure reads all", True),
    flow("memory of weight zero", "∂v/∂t + ∇p = Δv", "∂c/∂t = Δc + (∇·v) c(x, y, t - 1)", "p..p.....", "∇·v = 0", True),
    flow(
        "distance of weight zero", "∂v/∂t + ∇p = Δv", "∂c/∂t = Δc + (∇·v) c(x + ½, y, t)", "p..Pp....", "∇·v = 0", True
    ),
    flow("source of weight zero", "∂v/∂t + ∇p = Δv", "∂c/∂t = Δc + ∇·v", "pp.P.....", "∇·v = 0", False),
    flow("carried", "∂v/∂t + v·∇v + ∇p = Δv", "∂c/∂t + v·∇c = Δc", "rP.Pr....", "the pressure reads all", True),
    rest("flow in one dimension", "u p", f"∂u/∂t + u {X} + ∂p/∂x = Δu\n{X} = 0", "pp.P....p", "u is flat", True),
    # ---- walls
    wall("relu(u) = 0", "relu(u) = 0 on boundary", ".R.PP....", "too little"),
    wall("(n·∇u)² = n·∇u", "(n·∇u)² = n·∇u on boundary", "UU.PP....", "two slopes"),
    wall("|u| - √(u²)", "n·∇u = |u| - sqrt(u²) on boundary", "pp.PP...p", "n·∇u = 0"),
    wall("max(u, -u) = |u|", "max(u, -u) = |u| on boundary", "UU.PP....", "nothing"),
    wall("tanh(n·∇u) = 0", "tanh(n·∇u) = 0 on boundary", "pp.PP...p", "n·∇u = 0"),
    wall("slope and its cube", "n·∇u + (n·∇u)³ = 0 on boundary", "pp.PP...p", "n·∇u = 0"),
    wall("(2 + sin t) n·∇u = 0", "(2 + sin(t)) n·∇u = 0 on boundary", "PPpPP..pp", "n·∇u = 0"),
    wall("(2 + u²) u = 0", "(2 + u²) u = 0 on boundary", "pR.PP...r", "u = 0"),
    wall("min(u, 0) + max(u, 0) = 0", "min(u, 0) + max(u, 0) = 0 on boundary", "pR.PP...r", "u = 0"),
    wall("right end before", declared("u(0, t) = u(1, t - ½)", "n·∇u = 0 on right"), "p..r.....", "a memory"),
    wall("sign(u) = 0", "sign(u) = 0 on boundary", ".R.PP....", "u = 0"),
    wall("heaviside(u) n·∇u = 0", "heaviside(u) n·∇u = 0 on boundary", "UU.PP....", "nothing for u < 0"),
    # ---- domains, jumps and weights
    on("relu of a slope", data(f"∂u/∂t = Δu + heaviside({X}) {X}"), "RPpPP....", "relu is Lipschitz", True),
    on("exp(log u), u > 0", line("∂u/∂t = Δ(exp(log(u)))", kind="scalar > 0"), "pp.PP....", HEAT),
    on("1 - u² on both sides", periodic("(1 - u²) ∂u/∂t = (1 - u²) Δu"), ".UU.P....", "nothing for u = 1", True),
    on("exp(x) on both sides", line("exp(x) ∂u/∂t = exp(x) Δu"), "pppPP....", HEAT),
    on("a capacity", line("(1 + sin(x)²) ∂u/∂t = Δu"), "PPpPP..pr", "the weighted mass is kept"),
    on("‖∇u‖²/(1 + u²)", periodic(f"∂u/∂t = Δu + ({X})²/(1 + u²)"), "RPpPP..pr", "", True),
    on("‖∇u‖²/(1 - u²)", periodic(f"∂u/∂t = Δu + ({X})²/(1 - u²)"), "RUUPP....", "no value for u = 1", True),
    on("log u in front", periodic(f"∂u/∂t = ∂(log(u) {X})/∂x"), "RUrPP....", "no value for u < 0", True),
    on("sign(u') u'", periodic(f"∂u/∂t = Δu - sign({X}) {X}"), "RPpPP..pr", "|u'|", True),
    on("sign(u'')", periodic("∂u/∂t = Δu + sign(Δu)"), "R..PP....", "a jump in ∇∇u", True),
    on("√(u'²)", periodic(f"∂u/∂t = Δu + sqrt(({X})²)"), "RPpPP..pr", "|u'|", True),
    on("u(heaviside)", line("∂u/∂t = Δu + u(heaviside(x), t)"), "Pr.PrU...", "a jump in x"),
)  # fmt: skip
