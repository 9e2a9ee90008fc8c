"""Systems whose coefficients, boundary conditions and derivatives reach one unknown through another.

- u' = w with w = x² u is u' = x² u: what depends on x in an equation at rest does so in the others.
- v' = |sin x| ∂v/∂x keeps v Lipschitz, and its slope jumps at 0: u' = ∂²v/∂x² is no function there.
- Walls that one unknown has are none of another: the maximum principle asks for each by itself.
- Masses and orders of a system are those of every unknown by itself.
"""

from __future__ import annotations

from analysis.more_spec_templates import classless, system
from analysis.spec_templates import Row, declared, lines, pair

ANYWAY = "by way of another unknown"
RING = "x in [0, 1] periodic"
PLANE = "(x, y) in R^2"


def resting(
    name: str, first: str, other: str, cells: str, why: str = ANYWAY, bent: bool = False, space: str = "x in R"
) -> Row:
    """u evolves, w is at rest."""
    text = system("u w", f"∂u/∂t = {first}\n{other}", space, stationary="w")
    return classless(f"third, chained, {name}", text, cells, why, bent, (1, 0), 2)


def moving(name: str, first: str, other: str, cells: str, why: str = ANYWAY, bent: bool = False) -> Row:
    text = pair(f"∂u/∂t = {first}", f"∂v/∂t = {other}")
    return classless(f"third, chained, {name}", text, cells, why, bent, 1, 2)


def rods(
    name: str, unknowns: str, equations: str, ends: str, cells: str, why: str = ANYWAY, stationary: str = "",
    order: int | tuple[int, ...] = 1, bent: bool = False,
) -> Row:  # fmt: skip
    """Several unknowns on the unit interval."""
    names = unknowns.split()
    text = lines(
        "pde Row", "space x in [0, 1]", "time t in [0, 1]", *(f"unknown {u}(x, t) : scalar" for u in names), equations,
        *(f"{u}(x, 0) = sin(π x)" for u in names if u not in stationary.split()), ends,
    )  # fmt: skip
    return classless(f"third, chained, rod, {name}", text, cells, why, bent, order, len(names))


TABLE: tuple[Row, ...] = (
    # ---- coefficients at rest
    resting("w = x²u", "w", "w = x² u", "PR.PPrr.r"),
    resting("w = heaviside(x)u", "w", "w = heaviside(x) u", "PR.PPr..r"),
    resting("w = sin(x)u", "w", "w = sin(x) u", "PR.PPp..r"),
    resting("w = xu'", "w", "w = x ∂u/∂x", "PP.PPpr.r"),
    resting("w = sin(x²)u'", "w", "w = sin(x²) ∂u/∂x", "PP.PPr..r"),
    resting("w = xu on a ring", "w", "w = x u", "PR.PPr..r", "x jumps at the seam", space=RING),
    resting("w = √|x| u", "w", "w = sqrt(|x|) u", "PR.PPrr.r"),
    resting("w = x, uw", "u w", "w = x", ".R.PPrr.r", bent=True),
    resting("w = x, wu'", "w ∂u/∂x", "w = x", "...PPpr.r", bent=True),
    resting("w = 1/x, wu'", "w ∂u/∂x", "w = 1/x", "...PPr...", "a pole", True),
    resting("w = t, wΔu", "(w - ½)Δu", "w = t", "...PP...p", bent=True),
    resting("Δw = w - xu", "w", "Δw = w - x u", "pr.PRrr.r"),
    # ---- names
    resting("∂w, w = u", "∂w/∂x", "w = u", "PPpPPpppp"),
    resting("Burgers by name", "Δu - ∂w/∂x", "w = ½u²", "RP.PP..pp", bent=True),
    resting("Δw, w = u³", "Δw", "w = u³", "RP.PP..pp", bent=True),
    resting("-Δw, w = Δu", "-Δw", "w = Δu", "PPrPP..rp"),
    resting("Cahn-Hilliard by name", "Δw", "w = u³ - u - Δu", "RPrPP..rp", bent=True),
    resting("w = -Δu", "w", "w = -Δu", "PPrPP..rp", "backwards"),
    resting("w = Δu", "w", "w = Δu", "PPpPP..pp"),
    resting("u - u³ by name", "Δu + w", "w = u - u³", "RR.PP...r", bent=True),
    resting("xw, w = u/x", "x w", "w = u/x", "p..PP...."),
    resting("w³ = u", "w", "w³ = u", "r..Pp....", "a cube root, here", True),
    resting("two lines", "w", "w² = u²", "...p.....", "u or -u", True),
    # ---- far away
    resting("Poisson", "w", "Δw = u", "p..PR...."),
    resting("ΔΔ⁻¹", "Δw", "Δw = u", "p..Pp....", "u itself"),
    resting("∂²w/∂x∂y = u", "w", "∂²w/∂x∂y = u", "p..Pr....", space=PLANE),
    resting("w_xx = u in the plane", "w", "∂²w/∂x² = u", "p..Pr....", space=PLANE),
    resting("w_y = u_x in the plane", "w", "∂w/∂y = ∂u/∂x", "p..Pr....", space=PLANE),
    resting("w' = u'", "w", "∂w/∂x = ∂u/∂x", "p..P.....", "u and a number"),
    resting("past less present", "w", "w = u(x, t - 1) - u", "p..R....."),
    resting("the start by name", "w - u", "w = u(x, 0)", "p..R....."),
    resting("the middle by name", "w", "w = u(0, t)", "pr.PR...r"),
    resting("the mirror twice", "w(-x, t)", "w = u(-x, t)", "p..Pp....", "u itself"),
    # ---- both evolve
    moving("v'' of a kinked wind", "∂²v/∂x²", "|sin(x)| ∂v/∂x", "PP.PPr..r", "v' jumps at 0"),
    moving("v' of a kinked wind", "∂v/∂x", "|sin(x)| ∂v/∂x", "PP.PPr..r", "v' jumps at 0"),
    moving("v of a kinked wind", "v", "|sin(x)| ∂v/∂x", "PR.PPp..r", "v is Lipschitz"),
    moving("accumulated", "v", "u", "PR.PP...r"),
    moving("v - v", "Δu + v - v", "Δv", "PPPPPppPP"),
    moving("|v| - |v|, in pieces", "Δu + relu(v) + relu(-v) - |v|", "Δv", "pp.PP...p", "nothing"),
    moving("one nonlinear", "Δu", "Δv - v³", "RRPPP..rr", "each by itself", True),
    moving("oscillator in a trap", "Δv - x² v", "x² u - Δu", "PR.PPr..."),
    moving("one heats the other's place", "Δu + x ∂v/∂x", "Δv", "PP.PP...r"),
    moving("exchange of mass", "v - u", "u - v", "Pr.PP...r", "of both together it is kept"),
    moving("shear", "∂v/∂x", "0", "PP.PP...P"),
    classless(
        "third, chained, four names",
        system("u w y z", "∂u/∂t = Δz\nz = y\ny = w\nw = u", stationary="w y z"),
        "pp.Pp..pp",
        ANYWAY,
        order=(1, 0),
        count=4,
    ),
    classless(
        "third, chained, two orders",
        pair("∂²u/∂t² = Δu + v", "∂v/∂t = Δv + u") + "∂u/∂t(x, 0) = 0\n",
        "PR.RP...r",
        ANYWAY,
        order=(1, 2),
        count=2,
    ),
    classless(
        "third, chained, driven inertia",
        pair("∂u/∂t = Δu", "∂²v/∂t² = u") + "∂v/∂t(x, 0) = 0\n",
        "PR.RP....",
        ANYWAY,
        order=(1, 2),
        count=2,
    ),
    # ---- walls
    rods(
        "a wall of its own",
        "u w v",
        "∂u/∂t = w\nw = Δu\n∂v/∂t = Δv",
        declared("n·∇u = 0 on boundary", "v = 1 on boundary"),
        "RR.PP..pr",
        stationary="w",
        order=(1, 0),
    ),
    rods(
        "exchange through walls",
        "u v",
        "∂u/∂t = Δu\n∂v/∂t = Δv",
        declared("n·∇u = v - u on boundary", "n·∇v = u - v on boundary"),
        "PrpPP...r",
    ),
    rods(
        "one is the other's wall",
        "u v",
        "∂u/∂t = Δu\n∂v/∂t = Δv",
        declared("u = v on boundary", "n·∇v = 0 on boundary"),
        "PrpPP...r",
    ),
    rods(
        "the square of the other",
        "u v",
        "∂u/∂t = Δu\n∂v/∂t = Δv",
        declared("u = v² on boundary", "n·∇v = 0 on boundary"),
        "r..PP...r",
    ),
    rods(
        "fed by a square",
        "u v",
        "∂u/∂t = Δu\n∂v/∂t = Δv",
        declared("n·∇u = v² on boundary", "n·∇v = 0 on boundary"),
        "rr.PP...r",
    ),
    rods(
        "Green's function",
        "u w",
        "∂u/∂t = w\nΔw = u",
        "w = 0 on boundary",
        "P..PR....",
        stationary="w",
        order=(1, 0),
    ),
    rods(
        "an integral",
        "u w",
        "∂u/∂t = w\n∂w/∂x = u",
        "w = 0 on left",
        "p..Pr....",
        stationary="w",
        order=(1, 0),
    ),
    rods(
        "a warm potential",
        "u w",
        "∂u/∂t = Δu + w\nΔw = 0",
        declared("u = 0 on boundary", "w = 1 on boundary"),
        "...PP....",
        "w = 1",
        stationary="w",
        order=(1, 0),
    ),
)
