"""Stationary systems, products, forces balanced by pressures, boundary conditions of systems, and undefined values.

- On a torus a force that is a gradient is balanced by the pressure; a mean and a shear are not.
- u ∂u/∂x = 0 makes u constant, (1 + u²) Δu = 0 makes it harmonic.
- tan(u) has poles at odd multiples of π/2, u^(3/2) has no value for u < 0.
"""

from __future__ import annotations

from analysis.more_spec_templates import ZERO_SPEED, classless, line, periodic_2pi, system
from analysis.spec_templates import Row, declared, lines, periodic, periodic_box, stationary
from analysis.table.stationary_unknowns import HEAT, RING, inside, rest

I = "x in [0, 1]"  # noqa: E741
SQUARE = "(x, y) in [0, 1]^2"
NOWHERE = "no value for some u"
COLD_BOTH = declared("u = 0 on boundary", "v = 0 on boundary")
SHUT_BOTH = declared("n·∇u = 0 on boundary", "n·∇v = 0 on boundary")


def two(name: str, equations: str, ends: str, cell: str, why: str = "", bent: bool = True) -> Row:
    """Two unknowns at rest on an interval, and whether they are linear in their data."""
    text = lines("pde Row", f"space {I}", "unknown u(x) : scalar", "unknown w(x) : scalar", equations, ends)
    return classless(f"fifth, last, two, {name}", text, f"{cell}........", why, bent, 0, 2)


def one(
    name: str, equation: str, cell: str, why: str = "", space: str = "(x, y) in [0, 1]^2", on: str = "boundary"
) -> Row:
    ends = f"u = 1 on {on}"
    return classless(
        f"fifth, last, one, {name}", stationary(equation, "", space, ends), f"{cell}........", why, True, 0
    )


def flow(name: str, motion: str, more: str, cells: str, why: str, bent: bool, space: str = "[0, 1]^2 periodic") -> Row:
    walls = "" if "periodic" in space else "v = [0, 0] on boundary"
    text = lines(
        "pde Row", f"space (x, y) in {space}", "time t in [0, 1]", "unknown v(x, y, t) : vector(2)",
        "unknown p(x, y, t) : scalar", "unknown c(x, y, t) : scalar" if more else "", motion, "∇·v = 0", more,
        "v(x, y, 0) = [0, 0]", "c(x, y, 0) = sin(2π x)" if more else "", walls,
    )  # fmt: skip
    return classless(f"fifth, last, flow, {name}", text, cells, why, bent, (1, 0), 3 if more else 2)


def walled(name: str, equations: str, ends: str, cells: str, bent: bool = False) -> Row:
    text = lines(
        "pde Row", f"space {I}", "time t in [0, 1]", "unknown u(x, t) : scalar", "unknown v(x, t) : scalar", equations,
        "u(x, 0) = sin(π x)", "v(x, 0) = sin(π x)", ends,
    )  # fmt: skip
    return classless(f"fifth, last, walls, {name}", text, cells, "", bent, 1, 2)


def last(name: str, unknowns: str, equations: str, cells: str, why: str = HEAT, bent: bool = False) -> Row:
    return rest(f"last, {name}", unknowns, equations, cells, why, bent)


def places(name: str, text: str, cells: str, why: str = HEAT) -> Row:
    return classless(f"fifth, last, places, {name}", text, cells, why, True)


TABLE: tuple[Row, ...] = (
    # ---- at rest
    two("w² and u", "Δu = w²\nΔw = u", "u = x on boundary\nw = 0 on boundary", "R"),
    two("w² - u² with w = u", "Δu = w² - u²\nw = u", "u = x on boundary", "p", "Δu = 0"),
    two("w with w = u", "Δu = w\nw = u", "u = x on boundary", "P", bent=False),
    two("w with Δw = 1", "Δu = w\nΔw = 1", "u = x on boundary\nw = 0 on boundary", "R", bent=False),
    two("a circle", "∂u/∂x = w\n∂w/∂x = -u", "u = 1 on left\nw = 0 on left", "P", bent=False),
    two("(Δw)² - w²", "Δu = (Δw)² - w²\nΔw = w", "u = x on boundary\nw = x on boundary", "p", "Δu = 0"),
    two("w (Δw - w)", "Δu = w (Δw - w)\nΔw = w", "u = x on boundary\nw = x on boundary", "p", "Δu = 0"),
    one("u u' = 0", "u ∂u/∂x = 0", "p", "u is constant", I, "left"),
    one("u'² = 1", "(∂u/∂x)² = 1", "r", "two slopes", I, "left"),
    one("‖∇u‖² = 1", "‖∇u‖² = 1", "R"),
    one("Monge and Ampère", "∂²u/∂x² ∂²u/∂y² - (∂²u/∂x∂y)² = 1", "R"),
    one("log u is harmonic", "u Δu = ‖∇u‖²", "R"),
    one("(1 + u²) Δu", "(1 + u²) Δu = 0", "p", "Δu = 0"),
    classless(
        "fifth, last, one, relu(u) - relu(-u) - u", stationary("Δu = relu(u) - relu(-u) - u"), "p........",
            "Δu = 0", order=0
    ),
    one("u³ in front", "(1 + u²) Δu = u³", "R"),
    # ---- flows
    flow("Stokes, walls", "∂v/∂t + ∇p = Δv", "", "PR.Pr....", "the pressure reads all", False, "[0, 1]^2"),
    flow("weight, walls", "∂v/∂t + ∇p = Δv + [0, -1]", "", ".R.P.....", "v = 0 at the walls", False, "[0, 1]^2"),
    flow("a wind", "∂v/∂t + v·∇v + ∇p = Δv + [1, 0]", "", ".r.P.....", "a mean", True),
    flow("a shear", "∂v/∂t + v·∇v + ∇p = Δv + [sin(2π y), 0]", "", ".r.P.....", "no gradient", True),
    flow("a gradient", "∂v/∂t + v·∇v + ∇p = Δv + [sin(2π x), 0]", "", ".p.P.....", "a gradient", True),
    flow("a wind, Stokes", "∂v/∂t + ∇p = Δv + [1, 0]", "", ".R.P.....", "a mean", False),
    flow("Boussinesq", "∂v/∂t + ∇p = Δv + [0, c]", "∂c/∂t + v·∇c = Δc", "rr.P.....", "c lifts", True),
    # ---- walls around systems
    walled("rotation, cold", "∂u/∂t = Δu + v\n∂v/∂t = Δv - u", COLD_BOTH, "PR.PP...R"),
    walled("slopes, shut", "∂u/∂t = Δu + ∂v/∂x\n∂v/∂t = Δv + ∂u/∂x", SHUT_BOTH, "PP.PP...r"),
    walled(
        "Gray and Scott, shut", "∂u/∂t = Δu - u v² + 0.04 (1 - u)\n∂v/∂t = ½Δv + u v² - 0.1v", SHUT_BOTH,
        "RR.PP...R", True,
    ),
    walled("cross-diffusion, shut", "∂u/∂t = Δu + ½Δv\n∂v/∂t = ½Δu + Δv", SHUT_BOTH, "PP.PP...p"),
    walled("cross-diffusion, cold", "∂u/∂t = Δu + ½Δv\n∂v/∂t = ½Δu + Δv", COLD_BOTH, "PR.PP...r"),
    walled("one warm", "∂u/∂t = Δu\n∂v/∂t = Δv", declared("u = 1 on boundary", "v = 0 on boundary"), "RR.PP...R"),
    inside(
        "last, chemotaxis, shut", "∂u/∂t = Δu - ∇·(u∇w)\nΔw = w - u",
        declared("n·∇u = 0 on boundary", "n·∇w = 0 on boundary"),
        "rp.Pr...p", "w is a mean", "w", True,
    ),
    # ---- time
    last("a square, then", "u w z", "∂u/∂t = Δu + z\nz = w(x, t - 1)\nw = u²", "rr.r.....", "a memory", True),
    last("nothing, then", "u w", "∂u/∂t = Δu + (w - u) u(x, t - 1)\nw = u", "pp.p....p", HEAT, True),
    classless(
        "fifth, last, a wave by name", system("u w", "∂²u/∂t² = Δw\nw = u", RING,
            stationary="w") + ZERO_SPEED + "\n", "Pp.RP...p",
        "a wave", False, (2, 0), 2,
    ),
    # ---- values behind a name
    last("w = (2 + sin) u", "u w", "∂u/∂t = Δw\nw = (2 + sin(2π x)) u", "Pr.Pp...p", "a divergence"),
    last("w = relu(u)", "u w", "∂u/∂t = Δu + ∂w/∂x\nw = relu(u)", "rp.Pp...p", "a divergence", True),
    last("w = tan u", "u w", "∂u/∂t = Δu + ∂w/∂x\nw = tan(u)", ".U.Pp...U", NOWHERE, True),
    last("w = u^(-2)", "u w", "∂u/∂t = Δu + ∂w/∂x\nw = u^(-2)", ".U.Pp...U", NOWHERE, True),
    last("w = u^1.5", "u w", "∂u/∂t = Δu + ∂w/∂x\nw = u^(3/2)", ".U.Pp...U", NOWHERE, True),
    last("w = 1/(1 + u²)", "u w", "∂u/∂t = Δu + ∂w/∂x\nw = 1/(1 + u²)", "rp.Pp...p", "a divergence", True),
    last("w = 1/cos(u)", "u w", "∂u/∂t = Δu + ∂w/∂x\nw = 1/cos(u)", ".U.Pp...U", NOWHERE, True),
    classless("fifth, last, (tan u)'", periodic("∂u/∂t = Δu + ∂(tan(u))/∂x"), "RU.PP...U", NOWHERE, True),
    classless(
        "fifth, last, a learned seam",
        system("u w", "∂u/∂t = Δu + ∂w/∂x\nw = k u", RING, "learn k(x) : scalar = mlp", stationary="w"), "P..Pp...U",
        "k is not periodic", False, (1, 0), 2,
    ),
    # ---- places
    places("a half by two names", periodic("∂u/∂t = Δu + u u(x + 0.5, t) - u u(x - 1/2, t)"), "pp.Pp...p"),
    places("half a circle", periodic_2pi("∂u/∂t = Δu + u (u(x + π, t) - u(x - π, t))"), "pp.Pp...p"),
    places("torus", periodic_box("∂u/∂t = Δu + u u(x + ½, y, t) - u u(x - ½, y, t)"), "pp.Pp...p"),
    places("-x and |x|", line("∂u/∂t = Δu + u(-x, t)² - u(|x|, t)²"), "rp.Pr....", "zero for x < 0 alone"),
)  # fmt: skip
