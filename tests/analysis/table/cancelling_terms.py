"""Terms that cancel.

- What is read twice may cancel: on a ring of length 1, u(x + ½) = u(x - ½); {|x|, -|x|} = {x, -x}; max(t - 1, 0) = 0
  for t ≤ 1; heaviside(x)(u(|x|) - u) is zero on both sides of 0.
- P(∂)w = Q(∂)u: S(∂)w is local if P divides SQ, as Δw - w for Δw - w = u, or ∂w/∂x for Δw = ∂u/∂x.
- Of log u remains 1/u: no value of it counts for u ≤ 0. ∇·(∇u/u) was never a logarithm, and runs backwards there.
- A velocity that jumps at the seam of a ring, or grows faster than a line, is not Lipschitz.
- relu(g)Δu keeps what is on the edge g = 0 if there is no drift and g does not depend on t.
"""

from __future__ import annotations

from analysis.more_spec_templates import linear, nonlinear, periodic_2pi, segment, system
from analysis.spec_templates import Row, data, periodic, plane
from analysis.table.coupled_ends import RING, V, behind
from analysis.table.signed_unknowns import ANY, P0, U

SAME = "the same place"


def read(name: str, term: str, cells: str, why: str = "") -> Row:
    return linear(f"again, line, {name}", data(f"∂u/∂t = Δu + {term}"), ANY, cells, why)


def round_(name: str, term: str, cells: str, why: str = "") -> Row:
    return linear(f"again, ring, {name}", periodic(f"∂u/∂t = Δu + {term}"), ANY, cells, why)


def torn(name: str, right: str, cells: str, why: str = "", kind: str = "scalar", declare: str = "") -> Row:
    return nonlinear(
        f"again, {kind}, {name}", periodic_2pi(f"∂u/∂t = {right}", kind=kind, declare=declare), ANY, cells, why
    )


def fast(name: str, given: str, cell: str, why: str = "", declare: str = "") -> Row:
    """What is said of spatial regularity alone, on the line."""
    text = data("∂²u/∂t² = Δu", declare=declare) + f"{V} = {given}\n"
    return linear(f"again, velocity, {name}", text, ANY, f".....{cell}...", why, 2)


def seam(name: str, given: str, cell: str, why: str = "") -> Row:
    return linear(
        f"again, velocity on a ring, {name}",
        periodic("∂²u/∂t² = Δu", "", f"{V} = {given}"),
        ANY,
        f".....{cell}...",
        why,
        2,
    )


def edge(name: str, right: str, cell: str, why: str = "", declare: str = "") -> Row:
    return linear(f"again, edge, {name}", data(f"∂u/∂t = {right}", declare=declare), ANY, f"..{cell}......", why)


def flat(name: str, equations: str, cells: str, why: str = "") -> Row:
    """u and w in the plane, w at rest."""
    text = system("u w", equations, "(x, y) in R^2", stationary="w")
    return linear(f"again, plane, {name}", text, f"{ANY}|system {ANY}|system", cells, why, (1, 0))


TABLE: tuple[Row, ...] = (
    # ---- read twice
    round_("½ and -½", "u(x + ½, t) - u(x - ½, t)", "pp.Pp...p", SAME),
    round_("⅓ and -⅔", "2u(x + ⅓, t) - 2u(x - ⅔, t)", "pp.Pp...p", SAME),
    round_("½ twice", "u(x + ½, t) + u(x - ½, t) - 2u", "PP.Pr...p", "2u(x + ½) - 2u"),
    round_("⅓ and ⅔", "u(x + ⅓, t) - u(x + ⅔, t)", "PP.PR...p", "two places"),
    round_("½ and 1", "u(x + ½, t) - u(x + 1, t)", "PP.PR...p", "two places"),
    round_("1 and 2", "u(x + 1, t) - u(x + 2, t)", "pp.Pp...p", SAME),
    read("|x| and -|x|", "u(abs(x), t) + u(-abs(x), t) - u(-x, t) - u", "pp.Pp...p", SAME),
    read("|x| and -x", "u(abs(x), t) - u(-x, t)", "PP.PR....", "two places for x > 0"),
    read("max(t - 1, 0) and 0", "u(x, max(t - 1, 0)) - u(x, 0)", "pp.p....p", "t ≤ 1"),
    read("max(t - ½, 0) and 0", "u(x, max(t - ½, 0)) - u(x, 0)", "PP.R.....", "two times for t > ½"),
    read("½ and ¼", "u(x, t - ½) - u(x, t - ¼)", "PP.R.....", "two times"),
    read("heaviside(x)(|x|)", "heaviside(x) u(abs(x), t) - heaviside(x) u", "pp.Pp...p", "|x| = x there"),
    read("heaviside(-x)(|x|)", "heaviside(-x) u(abs(x), t) - heaviside(-x) u", "PP.PR....", "|x| = -x there"),
    read("heaviside(½ - t)", "heaviside(½ - t) u(x, min(t, ½)) - heaviside(½ - t) u", "pp.p....p", "the same time"),
    read("heaviside(t - ½)", "heaviside(t - ½) u(x, min(t, ½)) - heaviside(t - ½) u", "PP.R.....", "½"),
    linear("again, R^20, -x", data("∂u/∂t = Δu + u(-x, t) - u", "x in R^20"), ANY, "PP.PR....", "another point"),
    linear("again, R^20, 2x", data("∂u/∂t = Δu + u(2x, t) - u(3x, t)", "x in R^20"), ANY, "PP.PR....", "two points"),
    # ---- unknowns at rest
    behind("Δw - w itself", "u w", "∂u/∂t = Δu + Δw - w\nΔw - w = u", "w", "pr.Pp...r", "Δw - w = u"),
    behind("uΔw - uw", "u w", "∂u/∂t = Δu + u Δw - u w\nΔw - w = u", "w", "rr.Pp....", "u²", True),
    behind("uΔw - w", "u w", "∂u/∂t = Δu + u Δw - w\nΔw - w = u", "w", "rr.Pr....", "u² + (u - 1)w", True),
    behind(
        "w - z by name", "u v w z", "∂u/∂t = Δu + v\nv = w - z\nΔw = w - u\nΔz = z - u", "v w z", "pp.Pp...p", "w = z"
    ),
    behind("u by name", "u w z", "∂u/∂t = Δu + w\nΔw - w = Δu - z\nz = u", "w z", "pr.Pp...r", "w = u"),
    behind("three names", "u v w z", "∂u/∂t = Δu + w - u\nw = v\nv = z\nz = u", "v w z", "pp.Pp...p", "w = u"),
    behind("three names of 2u", "u v w z", "∂u/∂t = Δu + w - u\nw = v\nv = 2z\nz = u", "v w z", "pr.Pp...r", "w = 2u"),
    behind("w⁗ = u⁗ - …", "u w", "∂u/∂t = Δu - w\n∂⁴w/∂x⁴ - w = ∂⁴u/∂x⁴ - u", "w", "pr.Pp...r", "w = u"),
    behind("half of a fourth order", "u w", "∂u/∂t = Δu - w\n∂⁴w/∂x⁴ - w = Δu - u", "w", "pr.PR...r", "(Δ + 1)⁻¹u"),
    behind("half, undone", "u w", "∂u/∂t = Δu - Δw - w\n∂⁴w/∂x⁴ - w = Δu - u", "w", "pr.Pp...r", "Δw + w = u"),
    behind("cubic", "u w", "∂u/∂t = Δu + w\nΔw = w³ + w - u", "w", "rr.Pr....", "no operator of u", True),
    behind("cubic itself", "u w", "∂u/∂t = Δu + Δw - w³ - w\nΔw = w³ + w - u", "w", "r..Pp...r", "-u", True),
    behind("conductivity", "u w", "∂u/∂t = Δu + w\n∂((2 + sin(2π x)) ∂w/∂x)/∂x = w - u", "w", "pr.Pr...r", "a mean"),
    behind("squared delay", "u w", "∂u/∂t = Δu + w²\nw = u(x, t - ½)", "w", "rr.R.....", "a memory", True),
    behind("delayed mean", "u w", "∂u/∂t = Δu + w - u\nΔw = w - u(x, t - ½)", "w", "pp.R.....", "a memory"),
    behind("delay less delay", "u w", "∂u/∂t = Δu + w\nw = u(x, t - ½) - u(x + 1, t - ½)", "w", "pp.p....p", SAME),
    linear(
        "again, line, slope of a potential",
        system("u w", f"∂u/∂t = Δu + ∂w/∂x\nΔw = {U}", stationary="w"),
        f"{ANY}|system {ANY}|system",
        "p..Pp....",
        "w' = u",
        (1, 0),
    ),
    linear(
        "again, line, potential",
        system("u w", f"∂u/∂t = Δu + w\nΔw = {U}", stationary="w"),
        f"{ANY}|system {ANY}|system",
        "p..PR....",
        "w = ∫u",
        (1, 0),
    ),
    flat("Riesz", "∂u/∂t = Δu + ∂²w/∂x∂y\nΔw - w = u", "p..PR....", "not divided"),
    flat("one half of Δ", "∂u/∂t = Δu + ∂²w/∂x²\nΔw - w = u", "p..PR....", "not divided"),
    flat("all of Δ", "∂u/∂t = Δu + ∂²w/∂x² + ∂²w/∂y² - w\nΔw - w = u", "pr.Pp....", "u"),
    flat("its own Laplacian", "∂u/∂t = Δu + w\nΔw - w = Δu - u", "pr.Pp....", "w = u"),
    # ---- logarithms
    torn("by a let", "Δ(g(u))", "R.pPP....", "1/u", declare="let g(s) = log(s)"),
    torn("∇·(∇u/u)", "∇·(∇u/u)", "R.RPP....", "1/u, also at -1"),
    torn("∇·∇ log u", "∇·(∇(log(u)))", "R.pPP....", "1/u"),
    torn("Δ log u - Δu", "Δ(log(u)) - Δu", "R.rPP....", "1/u - 1"),
    torn("Δ log(-u)", "Δ(log(-u))", "R.rPP....", "1/u < 0 where it has a value"),
    torn("Δ log u²", "Δ(log(u²))", "R.rPP....", "2/u, also at -1"),
    torn("Δ log(1 + u²)", "Δ(log(1 + u²))", "RPRPP...P", "2u/(1 + u²)"),
    torn("Δu + Δ log(2 + sin u)", "3Δu + Δ(log(2 + sin(u)))", "RPpPP...P", "3 - 1"),
    torn("log u, Δ√u²", "sqrt(u) Δ(sqrt(u))", "R.pPP....", "½Δu where √u has a value"),
    torn("log and min", "Δ(log(u)) + min(u, 0)", "RppPP...p", "min(u, 0) = 0 where log u has a value"),
    torn("log and min, u > 0", "Δ(log(u)) + min(u, 0)", "RPpPP...p", "Δ log u", P0),
    linear(
        "again, scalar, u log u'",
        periodic("∂u/∂t = u ∂/∂x log(u) + Δu"),
        ANY,
        "U..PP....",
        "u', where it has a value",
    ),
    torn("Δ(u log u), u > 0", "Δ(u log(u))", "RPRPP...P", "1 + log u", P0),
    torn("∂² log u'", f"∂²/∂x² log({U})", "R.rPP....", "of third order"),
    nonlinear("again, R^20, Δ log", data("∂u/∂t = Δ(log(u))", "x in R^20"), ANY, "R.p......", "1/u"),
    linear(
        "again, box, (log x)'",
        segment("∂u/∂t = ∂(log(x))/∂x Δu", "u = 0 on boundary", "0", "x in [1, 2]"),
        ANY,
        "PRPPP....",
        "1/x",
    ),
    linear(
        "again, box, (log(x - 1))'",
        segment("∂u/∂t = ∂(log(x - 1))/∂x Δu", "u = 0 on boundary", "0", "x in [0, 3]"),
        ANY,
        "..UPP....",
        "no value for x < 1",
    ),
    # ---- velocities
    fast("|x|", "abs(x)", "p", "Lipschitz"),
    fast("heaviside", "heaviside(x)", "r", "jumps"),
    fast("x sin x", "x sin(x)", "r", "steeper without bound"),
    fast("√|x|", "sqrt(abs(x))", "U", "steep at 0"),
    fast("bell", "exp(-x²)", "p", "Lipschitz"),
    fast("sin x²", "sin(x²)", "r", "steeper without bound"),
    fast("a weight", "q", "p", "Lipschitz", "learn q(x) : scalar = mlp"),
    seam("x", "x", "r", "jumps at the seam"),
    seam("x(1 - x)", "x (1 - x)", "p", "whole"),
    linear(
        "again, velocity in the plane, y sin x",
        plane("∂²u/∂t² = Δu") + "∂u/∂t(x, y, 0) = y sin(x)\n",
        ANY,
        ".....r...",
        "grows",
        2,
    ),
    # ---- edges
    edge("relu(x)", "relu(x) Δu", "p", "x√ is absorbed"),
    edge("relu(sin x)", "relu(sin(x)) Δu - u", "p", "the edges stay"),
    edge("max(x, 0)", "max(x, 0) Δu", "p", "relu"),
    edge("relu(x)²", f"relu(x)² Δu + {U}", "p", "its root is Lipschitz"),
    # ---- types
    linear(
        "again, system, min(v, 0)",
        system("u v", "∂u/∂t = Δu - min(v, 0)\n∂v/∂t = Δv", RING, positive="v"),
        f"{ANY} {ANY}",
        "pp.PP...p",
        "nothing, for v > 0",
    ),
    nonlinear(
        "again, system, min(v, 1)",
        system("u v", "∂u/∂t = Δu - min(v, 1)\n∂v/∂t = Δv", RING, positive="v"),
        f"{ANY} {ANY}",
        "RR.PP...R",
        "moves",
    ),
    linear(
        "again, system, a constraint",
        system("u v p", f"∂u/∂t = Δu + p\n∂v/∂t = Δv\n{U} = ∂v/∂x", RING, stationary="p"),
        " ".join([f"{ANY}|system|constraint"] * 3),
        "...Pp....",
        "p = Δv - Δu",
        (1, 0),
    ),
)
