"""Textbook equations and systems with their usual conditions.

- Values held at an end let mass through by the slope there; a slope of zero lets none.
- A wave between walls held at zero returns with its sign changed; between free walls, from rest, it is an average.
- u stays within its data if constants solve the equation, or a reaction damps towards a value that is held.
- A system keeps constants if every equation vanishes for any constants, one for each unknown.
"""

from __future__ import annotations

from analysis.more_spec_templates import (
    DIRICHLET,
    INSULATED,
    ZERO_SPEED,
    ZERO_VELOCITY_PLANE,
    classless,
    physical,
    segment,
    square,
    system,
)
from analysis.spec_templates import (
    Row,
    data,
    declared,
    interval,
    lines,
    periodic,
    periodic_box,
    plane,
    stationary,
)

RING = "x in [0, 1] periodic"
X, XX = "∂u/∂x", "∂²u/∂x²"


def book(name: str, text: str, cells: str, bent: bool = False, order: int = 1, why: str = "") -> Row:
    return classless(f"fifth, book, {name}", text, cells, why, bent, order)


def bar(name: str, right: str, ends: str, cells: str, bent: bool = False, why: str = "") -> Row:
    return book(name, interval(f"∂u/∂t = {right}", ends), cells, bent, why=why)


def loop(name: str, right: str, cells: str, bent: bool = False, why: str = "") -> Row:
    return book(name, periodic(f"∂u/∂t = {right}"), cells, bent, why=why)


def string(name: str, equation: str, ends: str, cells: str, bent: bool = False) -> Row:
    return book(name, interval(equation, ends, rest=ZERO_SPEED), cells, bent, 2)


def plate(name: str, equation: str, cells: str, bent: bool = False, ends: str = DIRICHLET) -> Row:
    """At rest, on a square."""
    return book(f"at rest, {name}", stationary(equation, ends=ends), cells, bent, 0)


def many(name: str, unknowns: str, equations: str, cells: str, bent: bool = True, positive: str = "") -> Row:
    text = system(unknowns, equations, RING, positive=positive)
    return classless(f"fifth, book, {name}", text, cells, "", bent, 1, len(unknowns.split()))


def arrows(name: str, equation: str, cells: str, bent: bool, rest: str = "", order: int = 1) -> Row:
    """A vector on a torus."""
    text = lines(
        "pde Row", "space (x, y) in [0, 1]^2 periodic", "time t in [0, 1]", "unknown v(x, y, t) : vector(2)", equation,
        "v(x, y, 0) = [sin(2π x), cos(2π y)]", rest,
    )  # fmt: skip
    return classless(f"fifth, book, {name}", text, cells, "", bent, order)


TABLE: tuple[Row, ...] = (
    # ---- heat
    bar("cold and shut", "Δu", declared("u = 0 on left", "n·∇u = 0 on right"), "PRPPP..PR"),
    bar("warm and shut", "Δu", declared("u = 1 on left", "n·∇u = 0 on right"), "RRPPP..PR"),
    bar("cold, heated inside", "Δu + sin(π x)", DIRICHLET, "RRPPP..rR"),
    bar("Newton's cooling", "Δu", "n·∇u = -2 (u - 1) on boundary", "RRPPP...R"),
    book("disc by its radius", segment(f"∂u/∂t = {XX} + {X}/x", DIRICHLET, "1", "x in [1, 2]"), "PRPPP..PR"),
    book(
        "disc by its radius, shut", segment(f"∂u/∂t = {XX} + {X}/x", INSULATED, "1", "x in [1, 2]"), "PPPPP..PR",
        why="the mass on the disc is ∫u x dx",
    ),
    bar("no flux with a drift x", "Δu + ∂(x u)/∂x", declared("n·∇u = 0 on left", "n·∇u = -u on right"), "PR.PP...P"),
    bar("drift, cold", f"Δu - 3 {X}", DIRICHLET, "PRPPP..PR"),
    bar("advection, value that swings", f"-{X}", "u = sin(t) on left", "RRPPP..PR"),
    bar("advection and decay", f"-{X} - u", "u = 0 on left", "PRPPP..pR"),
    loop("heat", "0.3Δu", "PPPPPPPPP"),
    loop("advection and heat", f"Δu - 2 {X}", "PPPPPPPPP"),
    loop("growth", "Δu + 2u", "PRPPP..rR"),
    loop("u' = -u", "-u", "PRPPP..rR"),
    loop("logistic", "u (1 - u)", "RRpPP..rR", True, "constants above 1 and below 0 move"),
    # ---- reaction
    loop("Fisher", "0.1Δu + u (1 - u)", "RRPPP..rR", True),
    bar("Fisher, shut", "0.1Δu + u (1 - u)", INSULATED, "RRPPP..RR", True),
    bar("Allen and Cahn, shut", "0.01Δu + u - u³", INSULATED, "RRPPP..RR", True),
    bar("Allen and Cahn, cold", "0.01Δu + u - u³", DIRICHLET, "RRPPP..rR", True, "u = 0.1 grows towards 1"),
    loop("Nagumo", "Δu + u (1 - u) (u - ¼)", "RRPPP..rR", True),
    loop("Frank-Kamenetskii", "Δu + exp(u)", "RRPPP..rR", True),
    loop("Hutchinson", "Δu + u (1 - u(x, t - 1))", "RR.R....r", True),
    # ---- nonlinear transport and diffusion
    bar("Burgers, cold", f"0.1Δu - u {X}", DIRICHLET, "RRPPP..PR", True),
    bar("Burgers, shut", f"0.1Δu - u {X}", INSULATED, "RPPPP..PR", True),
    loop("Burgers", f"0.1Δu - u {X}", "RPPPP..PP", True),
    bar("p-Laplacian, shut", f"∂(({X})³)/∂x", INSULATED, "RPpPP..pp", True),
    loop("two phases", "Δ(max(u - 1, 0) + min(u, 0))", "RPpPP..pp", True),
    loop("diffusion 1 + u²", f"∂((1 + u²) {X})/∂x", "RPPPP..PP", True),
    loop("diffusion u, of any sign", f"∂(u {X})/∂x", "RPRPP..rP", True),
    book("eikonal in time", plane("∂u/∂t = -‖∇u‖"), "RPpPP..pr", True),
    book("Hamilton and Jacobi", data(f"∂u/∂t = -½({X})²"), "RPpPP..pr", True),
    book("Hamilton and Jacobi, viscous", data(f"∂u/∂t = Δu - ½({X})²"), "RPpPP..pr", True),
    # ---- higher order
    loop("Airy", "-∂³u/∂x³", "PPRPP..rP"),
    loop("film, linear", "-∂⁴u/∂x⁴", "PPRPP..rP"),
    loop("Kuramoto and Sivashinsky", f"-Δu - ∂⁴u/∂x⁴ - u {X}", "RPRPP..rP", True),
    book("Benjamin and Bona", periodic(f"∂u/∂t - ∂³u/∂x²∂t = -{X} - u {X}"), "Rp.Pr...p", True, why="nonlocal"),
    # ---- waves
    string("string, free", "∂²u/∂t² = 4Δu", INSULATED, "PPpRP..pp"),
    string("Klein and Gordon, free", "∂²u/∂t² = Δu - 4u", INSULATED, "PRrRP..rr"),
    string("sine-Gordon, free", "∂²u/∂t² = Δu - sin(u)", INSULATED, "RRrRP..rr", True),
    string(
        "beam, hinged", "∂²u/∂t² = -∂⁴u/∂x⁴", declared("u = 0 on boundary", f"{XX} = 0 on boundary"), "PRrRP..rr"
    ),
    book("telegraph", periodic("∂²u/∂t² + ∂u/∂t = Δu", rest=ZERO_SPEED), "PPpRP..pp", order=2),
    book("membrane", periodic_box("∂²u/∂t² = Δu", rest=ZERO_VELOCITY_PLANE), "PPRRP..rP", order=2),
    book("plate", periodic_box("∂²u/∂t² = -Δ²u", rest=ZERO_VELOCITY_PLANE), "PPrRP..rp", order=2),
    # ---- the plane
    book("two cold", square("∂u/∂t = Δu", declared("u = 0 on left, right", "n·∇u = 0 on top, bottom")), "PRPPP..PR"),
    book("wind over a plate", square("∂u/∂t = Δu - 5∂u/∂x"), "PRPPP..PR"),
    book("shut", square("∂u/∂t = Δu + ∂²u/∂x²", INSULATED), "PPPPP..PP"),
    book("sheared", periodic_box("∂u/∂t = 0.1Δu + sin(2π y) ∂u/∂x"), "PPPPP..PP"),
    book("two diffusivities", periodic_box("∂u/∂t = 2∂²u/∂x² + 3∂²u/∂y² + ∂²u/∂x∂y"), "PPPPP..PP"),
    book("Fisher in the plane", periodic_box("∂u/∂t = Δu + u - u²"), "RRPPP..rR", True),
    # ---- at rest
    plate("Laplace", "Δu = 0", "P.P....P.", ends="u = x y on boundary"),
    plate("Poisson", "-Δu = 1", "R.P....r."),
    plate("Poisson, waves", "-Δu = sin(π x) sin(π y)", "R.P....r."),
    plate("screened", "Δu - 4u = 0", "P.P....p.", ends="u = x - ½ on boundary"),
    plate("screened, forced", "Δu - 4u = x", "R.P....r."),
    plate("Helmholtz", "Δu + 100u = 0", "P.r....r.", ends="u = x on boundary"),
    plate("with a wind", "Δu + 3∂u/∂x - ∂u/∂y = 0", "P.P....P.", ends="u = x on boundary"),
    plate("soap film", "∇·(∇u/sqrt(1 + ‖∇u‖²)) = 0", "R.p....p.", True, "u = x y on boundary"),
    plate("Lane and Emden", "-Δu = u³", "R.r......", True),
    plate("layered", "∂((1 + x) ∂u/∂x)/∂x + ∂²u/∂y² = 0", "P.P....P.", ends="u = y on boundary"),
    # ---- data at the end, all of space
    book("heat, backward", data("∂u/∂t + Δu = 0", at="1"), "PPPPPPPPp"),
    book(
        "Black and Scholes",
        lines(
            "pde Row", "space x in [0, 2]", "time t in [0, 1]", "unknown u(x, t) : scalar",
            f"∂u/∂t + 0.02x² {XX} + 0.05x {X} - 0.05u = 0", "u(x, 1) = relu(x - 1)", "u = 0 on left", "u = 1 on right",
        ),
        "RRpPP..p.",
    ),
    book("discounted", physical("x in R", "∂u/∂t = ½Δu - 0.1u", "exp(-x²)", "scalar", "", ""), "PRPPPPPrr"),
    # ---- systems
    many("Schrödinger", "a b", "∂a/∂t = -Δb\n∂b/∂t = Δa", "PP.PP...P", False),
    many("Maxwell", "e b", "∂e/∂t = ∂b/∂x\n∂b/∂t = ∂e/∂x", "PP.PP...P", False),
    many("Cattaneo", "u q", f"∂u/∂t = -∂q/∂x\n∂q/∂t = -q - {X}", "PR.PP...R", False),
    many("Goldstein and Kac", "u v", f"∂u/∂t = -{X} + v - u\n∂v/∂t = ∂v/∂x + u - v", "PR.PP...R", False),
    many("NLS", "a b", "∂a/∂t = -Δb - (a² + b²) b\n∂b/∂t = Δa + (a² + b²) a", "RR.PP...R"),
    many("shallow water", "h v", "∂h/∂t = -∂(h v)/∂x\n∂v/∂t = -v ∂v/∂x - ∂h/∂x", "RP.PP...P", positive="h"),
    many("gas, isentropic", "r q", "∂r/∂t = -∂q/∂x\n∂q/∂t = -∂(q²/r + r²)/∂x", "RP.PP...P", positive="r"),
    many("Lotka and Volterra", "u v", "∂u/∂t = Δu + u (1 - v)\n∂v/∂t = 2Δv + v (u - 1)", "RR.PP...R"),
    many("Gray and Scott", "u v", "∂u/∂t = Δu - u v² + 0.04 (1 - u)\n∂v/∂t = ½Δv + u v² - 0.1v", "RR.PP...R"),
    many("Brusselator", "u v", "∂u/∂t = Δu + 1 - 4u + u² v\n∂v/∂t = Δv + 3u - u² v", "RR.PP...R"),
    many("FitzHugh and Nagumo", "u v", "∂u/∂t = Δu + u - u³ - v\n∂v/∂t = 0.1 (u - v)", "RR.PP...R"),
    many("infection", "s i", "∂s/∂t = Δs - s i\n∂i/∂t = Δi + s i - i", "RR.PP...R"),
    many("Keller and Segel", "u v", "∂u/∂t = Δu - ∇·(u∇v)\n∂v/∂t = Δv - v + u", "RR.PP...R"),
    many("Shigesada, Kawasaki and Teramoto", "u v", "∂u/∂t = Δ(u (1 + v))\n∂v/∂t = Δ(v (1 + u))", "RP.PP...P"),
    many("Gierer and Meinhardt", "u v", "∂u/∂t = Δu - u + u²/v\n∂v/∂t = Δv - v + u²", "RR.PP...R", positive="v"),
    many("Ginzburg and Landau", "a b", "∂a/∂t = Δa + a - (a² + b²) a\n∂b/∂t = Δb + b - (a² + b²) b", "RR.PP...R"),
    many("reaction that balances", "u v", "∂u/∂t = Δu - u + v\n∂v/∂t = 2Δv + u - v", "PR.PP...R", False),
    many("Burgers, coupled", "u v", "∂u/∂t = Δu - ∂(u v)/∂x\n∂v/∂t = Δv - ∂(u v)/∂x", "RP.PP...P"),
    arrows("Burgers, two components", "∂v/∂t + v·∇v = Δv", "RP.PP....", True),
    arrows("elastic waves", "∂²v/∂t² = Δv + ∇(∇·v)", "PP.RP....", False, "∂v/∂t(x, y, 0) = [0, 0]", 2),
    arrows("viscous, compressible", "∂v/∂t = Δv + ∇(∇·v)", "PP.PP....", False),
)  # fmt: skip
