"""Singular and discontinuous coefficients in the equations of stationary unknowns.

- A coefficient that jumps at a seam, a pole or a logarithm counts in the equation of an unknown at rest as in F.
- Two equations at rest may give their unknowns together: w + z = u and w - z = u make z = 0.
- What P(∂)w = u says of the derivatives of w: ∂⁴w/∂x⁴ + ∂⁴w/∂x²∂y² is ∂²u/∂x² if Δw = u.
- sin(n·∇u) = 0 admits many slopes, exp(n·∇u) = 1 only zero.
"""

from __future__ import annotations

from analysis.more_spec_templates import INSULATED, classless, line, system
from analysis.spec_templates import Row, declared, interval, lines, periodic
from analysis.table.stationary_unknowns import HEAT, RING, X, inside, rest

LINE = "x in R"
NOWHERE = "no value for some u"


def wall(name: str, ends: str, cells: str, why: str) -> Row:
    return classless(f"fifth, again, wall, {name}", interval("∂u/∂t = Δu", ends), cells, why)


def again(
    name: str, unknowns: str, equations: str, cells: str, why: str = HEAT, bent: bool = False, space: str = RING
) -> Row:
    return rest(f"again, {name}", unknowns, equations, cells, why, bent, space)


def sheet(name: str, unknowns: str, equations: str, cells: str, why: str, bent: bool = False) -> Row:
    """The plane."""
    names = unknowns.split()
    text = system(unknowns, equations, "(x, y) in R^2", stationary=" ".join(n for n in names if n != "u"))
    return classless(f"fifth, again, sheet, {name}", text, cells, why, bent, (1, 0), len(names))


def places(name: str, right: str, cells: str, why: str, bent: bool = True, whole: bool = False) -> Row:
    text = line(f"∂u/∂t = Δu + {right}") if whole else periodic(f"∂u/∂t = Δu + {right}")
    return classless(f"fifth, again, places, {name}", text, cells, why, bent)


def carried(name: str, equations: str, cells: str, why: str, scalars: str = "") -> Row:
    """A concentration and a velocity at rest, on a torus."""
    others = [f"unknown {p}(x, y, t) : scalar" for p in scalars.split()]
    text = lines(
        "pde Row", "space (x, y) in [0, 1]^2 periodic", "time t in [0, 1]", "unknown c(x, y, t) : scalar",
        "unknown v(x, y, t) : vector(2)", *others, equations, "c(x, y, 0) = sin(2π x)",
    )  # fmt: skip
    return classless(f"fifth, again, carried, {name}", text, cells, why, True, (1, 0), 2 + len(others))


TABLE: tuple[Row, ...] = (
    # ---- seams, poles and logarithms behind a name
    again("w = x at a seam", "u w", "∂u/∂t = Δu + ∂w/∂x\nw = x", "........U", "a jump at the seam"),
    again("w = xu at a seam", "u w", "∂u/∂t = Δu + ∂w/∂x\nw = x u", "P..Pp...U", "a jump at the seam"),
    again("w = sin(2πx)u", "u w", "∂u/∂t = Δu + ∂w/∂x\nw = sin(2π x) u", "Pr.Pp...p", "a divergence"),
    again("w = u/(x - ½)", "u w", "∂u/∂t = Δu + ∂w/∂x\nw = u/(x - ½)", "...Pp...U", "a pole"),
    again("w = log u", "u w", "∂u/∂t = Δw\nw = log(u)", ".U.Pp...U", NOWHERE, True),
    again("w = √u u'", "u w", f"∂u/∂t = ∂w/∂x\nw = sqrt(u) {X}", ".U.Pp...U", NOWHERE, True),
    again("w = 1/u", "u w", "∂u/∂t = Δu + ∂w/∂x\nw = 1/u", ".U.Pp...U", NOWHERE, True),
    # ---- given together
    again("a loop", "u w z", "∂u/∂t = Δu + z\nw = 2z - u\nz = w + u", "pp.Pp...p", "z is 0"),
    again("sum and difference", "u w z", "∂u/∂t = Δu + z\nw + z = u\nw - z = u", "pp.Pp...p", "z is 0"),
    again("weight 0", "u w z", "∂u/∂t = Δu + z u(x + ½, t)\nw + z = u\nw - z = u", "pp.Pp...p", "z is 0", True),
    again("halves", "u w z", "∂u/∂t = Δu + ∂w/∂x\n∂w/∂x + ∂z/∂x = u\nw = z", "Pr.Pp...r", "∂w/∂x is u/2", space=LINE),
    sheet(
        "Cauchy and Riemann", "u a b", "∂u/∂t = Δu + a\n∂a/∂x = ∂b/∂y\n∂a/∂y = -∂b/∂x + u", "P..Pr....", "Δa = ∂u/∂y"
    ),
    sheet(
        "Cauchy and Riemann, curl", "u a b", "∂u/∂t = Δu + ∂a/∂y + ∂b/∂x\n∂a/∂x = ∂b/∂y\n∂a/∂y = -∂b/∂x + u",
        "P..Pp...r", "Δu + u",
    ),
    # ---- derivatives of what is given
    sheet("Δw = u twice", "u w", "∂u/∂t = Δu + ∂⁴w/∂x⁴ + ∂⁴w/∂x²∂y²\nΔw = u", "P..Pp....", "∂²u/∂x²"),
    sheet(
        "w times nothing", "u w", "∂u/∂t = Δu + w (∂⁴w/∂x⁴ + ∂⁴w/∂x²∂y² - ∂²u/∂x²)\nΔw = u", "p..Pp...p", HEAT, True
    ),
    sheet("mixed", "u w", "∂u/∂t = Δu + ∂³w/∂x²∂y\n∂²w/∂x∂y = u", "P..Pp....", "∂u/∂x"),
    sheet("part of Δw", "u w", "∂u/∂t = Δu + ∂²w/∂x²\nΔw = u", "P..Pr....", "a transform of Riesz"),
    again("w' = w + u", "u w", f"∂u/∂t = Δu + ∂²w/∂x² - ∂w/∂x - {X}\n∂w/∂x = w + u", "pp.Pp...p"),
    again("w' = w u", "u w", f"∂u/∂t = Δu + ∂²w/∂x² - u ∂w/∂x - w {X}\n∂w/∂x = w u", "pp.Pp...p", HEAT, True),
    again("Δw - w = u²", "u w", "∂u/∂t = Δu + w\nΔw - w = u²", "rr.Pr...r", "a mean of u²", True),
    again("w''' with w'' = u", "u w", "∂u/∂t = Δu + ∂³w/∂x³\n∂²w/∂x² = u", "P..Pp...p", "u'"),
    again("w'' w with w' = u", "u w", "∂u/∂t = Δu + w ∂²w/∂x²\n∂w/∂x = u", "r..Pr....", "w u'", True, LINE),
    # ---- weights
    again("weight 1", "u w", "∂u/∂t = Δu + w u(x + ½, t) - u\nw = 1", ".p.Pr...p", "the other side", True),
    again("(u - w) v", "u w v", "∂u/∂t = Δu + (u - w) v\nw = u\nΔv - v = u", "pp.Pp...p", HEAT, True),
    again("tanh(z u)", "u w z", "∂u/∂t = Δu + tanh(z u(x + ½, t))\nw = u\nz = u - w", "pp.Pp...p", HEAT, True),
    again("sin(z + u)", "u w z", "∂u/∂t = Δu + sin(z + u(x + ½, t))\nw = u\nz = u - w", "rr.Pr...r", "z is 0", True),
    again("then, weight 0", "u v w z", "∂u/∂t = Δu + w\nw = z u(x, t - 1)\nz = u - v\nv = u", "pp.p....p", bent=True),
    again("weight 0, then", "u v w z", "∂u/∂t = Δu + z w\nw = u(x, t - 1)\nz = u - v\nv = u", "pp.p....p", bent=True),
    again("u times memory", "u w", "∂u/∂t = Δu + u w\nw = u(x, t - 1)", "rr.r.....", "a memory", True),
    # ---- places
    places("left and right", "u (u(x + ½, t) - u(x - ½, t))", "pp.Pp...p", HEAT),
    places("once around", "u u(x + 1, t) - u²", "pp.Pp...p", HEAT),
    places("squares", "u(x + ½, t)² - u(x - ½, t)²", "pp.Pp...p", HEAT),
    places("a quarter", "u u(x + ¼, t)", "RR.PR...r", "the product of two places"),
    places("the mirror", "u u(1 - x, t)", "RR.PR...r", "the product of two places"),
    places("the mirror once around", "u(1 - x, t)² - u(-x, t)²", "pp.Pp...p", HEAT),
    places("|x| twice", "u(|x|, t)² - u(sqrt(x²), t)²", "pp.Pp...p", HEAT, False, True),
    places("before", "u(x, t - ½) u", "RR.R.....", "a memory"),
    places("-x", "u(-x, t)", "Pr.PRp...", "Lipschitz data move by 2h", False, True),
    places("x + 1", "u(x + 1, t) - u", "Pp.PRp..p", "it commutes with translations", False, True),
    places("sign(x)", "u(sign(x), t) - u", "Pp.PRU...", "a jump in x", False, True),
    # ---- constants
    again("w - xu", "u w", "∂u/∂t = Δu + w - x u\nw = x u", "pp.Pp...p", HEAT, space=LINE),
    again("(xu)' - u - xu'", "u w", f"∂u/∂t = Δu + ∂w/∂x - u - x {X}\nw = x u", "pp.Pp...p", HEAT, space=LINE),
    again("(xu)'", "u w", "∂u/∂t = Δu + ∂w/∂x\nw = x u", "Pr.Pp...p", "u + xu'", space=LINE),
    again("tu", "u w", "∂u/∂t = Δu + w\nw = t u", "Pr.Pp...r", "it grows"),
    again("a mean of xu", "u w", "∂u/∂t = Δu + w\nΔw = w - x u", "Pr.Pr....", "w is no constant", space=LINE),
    again("a mean of a sine", "u w z", "∂u/∂t = Δu + z\nw = sin(2π x)\nΔz = z - w", "rr.P....p", "a source"),
    again("w - t with w = t", "u w", "∂u/∂t = Δu + w - t\nw = t", ".p.Pp...p"),
    inside("again, p = 0", "∂u/∂t = Δu + p\nΔp = 0", declared(INSULATED, "p = 0 on boundary"), "pp.P....p", "p is 0"),
    inside("again, Δp = p", "∂u/∂t = Δu + p\nΔp = p", declared(INSULATED, "n·∇p = 0 on boundary"), "pp.P....p",
        "p is 0"),
    inside("again, p = 1", "∂u/∂t = Δu + p\nΔp = 0", declared(INSULATED, "p = 1 on boundary"), "rr.P....r", "a source"),
    inside("again, p = t", "∂u/∂t = Δu + ∂p/∂x\nΔp = 0", declared(INSULATED, "p = t on boundary"), ".p.P....p",
        "p is t"),
    # ---- walls
    wall("√(u²) = 0", "sqrt(u²) = 0 on boundary", "pR.PP...r", "u = 0"),
    wall("exp(n·∇u) = 1", "exp(n·∇u) = 1 on boundary", "pp.PP...p", "n·∇u = 0"),
    wall("n·∇u/(1 + u²)", "n·∇u/(1 + u²) = 0 on boundary", "pp.PP...p", "n·∇u = 0"),
    wall("squares of both", "(n·∇u)² u² = 0 on boundary", ".p.PP....", "either"),
    wall("cos(n·∇u) = 1", "cos(n·∇u) = 1 on boundary", "UU.PP....", "many slopes"),
    wall("sin(n·∇u) = 0", "sin(n·∇u) = 0 on boundary", "UU.PP....", "many slopes"),
    wall("n·∇u = u n·∇u", "n·∇u = u n·∇u on boundary", ".U.PP....", "nothing for u = 1"),
    wall("|n·∇u| = 0", "|n·∇u| = 0 on boundary", "pp.PP...p", "n·∇u = 0"),
    wall("nothing at the left", declared("u² = u² on left", "n·∇u = 0 on right"), "UU.PP....", "nothing"),
    wall("heaviside(n·∇u) = 0", "heaviside(n·∇u) = 0 on boundary", "...PP....", "heaviside(0) is a convention"),
    # ---- velocities at rest
    carried("by its own slope", "∂c/∂t = Δc - v·∇c\nv = ∇c", "rp.Pp....", "‖∇c‖²"),
    carried("by Darcy", "∂c/∂t = Δc - v·∇c\nv = -∇p\nΔp = c", "r..Pr....", "p reads all", "p"),
    carried("by nothing", "∂c/∂t = Δc - v·∇c\nv = [0, 0]", "pp.Pp...p", HEAT),
)  # fmt: skip
