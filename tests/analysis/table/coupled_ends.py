"""Conditions that couple both ends or degenerate, stationary aliases of unknowns, and initial velocities.

- With u(0, t) = 0 and u'(0, t) = u'(1, t) (Ionkin 1977) the rates through both ends cancel: mass is kept.
- x(1 - x) is zero at both ends of [0, 1].
- Δw - w = Δu - u has the one bounded solution w = u: what reads w is local. Two names for one delay may cancel.
- Velocities that grow: T(f(· + h)) - T(f)(· + h) is ½∫ g(s) - g(s + h), not bounded in x for g = x².
- ∂²u/∂t² + a ∂u/∂t = Δu - bu: with u = exp(-at/2)v it is ∂²v/∂t² = Δv + (a²/4 - b)v, an average for b ≤ a²/4 on a line.
- u stays within its data for a reaction that damps towards 0 only if 0 is one of the data.
"""

from __future__ import annotations

from analysis.more_spec_templates import (
    DIRICHLET,
    INSULATED,
    ZERO_SPEED,
    linear,
    lines,
    nonlinear,
    square,
    system,
)
from analysis.spec_templates import Row, data, declared, interval, periodic, plane, stationary
from analysis.table.signed_unknowns import ANY

RING = "x in [0, 1] periodic"
U, UU, V = "∂u/∂x", "∂²u/∂x²", "∂u/∂t(x, 0)"
DISGUISE = "w is u in disguise"


def ends(name: str, right: str, given: str, cells: str, why: str = "", bent: bool = False) -> Row:
    return (nonlinear if bent else linear)(
        f"second, ends, {name}", interval(f"∂u/∂t = {right}", given), ANY, cells, why
    )


def behind(name: str, unknowns: str, equations: str, rest: str, cells: str, why: str = "", bent: bool = False) -> Row:
    """Unknowns at rest, on a ring."""
    row, n = nonlinear if bent else linear, len(unknowns.split())
    text = system(unknowns, equations, RING, stationary=rest)
    return row(f"second, behind, {name}", text, " ".join([f"{ANY}|system"] * n), cells, why, order=(1, 0))


def fast(name: str, equation: str, given: str, cells: str, why: str = "") -> Row:
    return linear(f"second, wave, {name}", data(equation) + given + "\n", ANY, cells, why, 2)


def held(name: str, right: str, given: str, cell: str, why: str = "", bent: bool = False) -> Row:
    """What is said of the maximum principle alone."""
    row = nonlinear if bent else linear
    return row(f"second, bounds, {name}", interval(f"∂u/∂t = {right}", given), ANY, f".......{cell}.", why)


def rest(name: str, equation: str, given: str, cells: str, why: str = "", space: str = "(x, y) in [0, 1]^2") -> Row:
    bent = any(s in equation for s in ("³", ")²", "exp", "sqrt"))
    text = stationary(equation, "", space, given)
    return (nonlinear if bent else linear)(f"second, at rest, {name}", text, ANY, cells, why, order=0)


def inside(equations: str, given: str) -> str:
    """u and w on an interval, w at rest."""
    return lines(
        "pde Row", "space x in [0, 1]", "time t in [0, 1]", "unknown u(x, t) : scalar", "unknown w(x, t) : scalar",
        equations, "u(x, 0) = cos(π x)", given,
    )  # fmt: skip


def both(name: str, equations: str, given: str, cells: str, why: str = "") -> Row:
    return linear(f"second, inside, {name}", inside(equations, given), f"{ANY}|system {ANY}|system", cells, why, (1, 0))


TABLE: tuple[Row, ...] = (
    # ---- ends that are tied together
    ends("Ionkin", "Δu", declared("u(0, t) = 0", f"{U}(0, t) = {U}(1, t)"), "PR.PP...p", "both rates are one"),
    ends(
        "Ionkin, mirrored", "Δu", declared("u(1, t) = 0", f"{U}(1, t) = {U}(0, t)"), "PR.PP...p", "both rates are one"
    ),
    ends("Ionkin, doubled", "Δu", declared("u(0, t) = 0", f"{U}(1, t) = 2 {U}(0, t)"), "PR.PP...r", "half returns"),
    ends("a loop, other way", f"{U}", "u(1, t) = u(0, t)", "PPpPP..pp", "what leaves returns"),
    ends("a loop that doubles", f"-{U}", "u(0, t) = 2u(1, t)", "PR.PP...r", "twice what leaves returns"),
    ends("a loop that loses", f"-{U} - u", "u(0, t) = u(1, t)", "PR.PP...r", "u decays"),
    ends(
        "a loop and heat", f"Δu - {U}", declared("u(0, t) = u(1, t)", f"{U}(0, t) = {U}(1, t)"), "PP.PP..pp", "a ring"
    ),
    ends("no flux with a wind", f"Δu - {U}", f"{U} - u = 0 on boundary", "PR.PP...P", "the flux is u' - u"),
    ends("no slope with a wind", f"Δu - {U}", INSULATED, "PPPPP..PR", "u leaves on the right"),
    # ---- data that vanish where they are given
    ends("x(1 - x)", "Δu", "u = x (1 - x) on boundary", "pRPPP..pR", "zero at both ends"),
    ends("sin πx", "Δu", "u = sin(π x) on boundary", "pRPPP..pR", "zero at both ends"),
    ends("|x| - x", "Δu", "u = abs(x) - x on boundary", "pRPPP..pR", "zero at both ends"),
    ends("a step far away", "Δu", "u = heaviside(-1 - x) on boundary", "pRPPP..pR", "zero at both ends"),
    ends("sin πx on both sides", "Δu", "2u = u + sin(π x) on boundary", "pRPPP..pR", "zero at both ends"),
    ends("slope x(1 - x)", "Δu", "n·∇u = x (1 - x) on boundary", "ppPPP..pp", "zero at both ends"),
    ends("slope sin πx", "Δu", "n·∇u = sin(π x) on boundary", "ppPPP..pp", "zero at both ends"),
    ends("slope x on the left", "Δu", declared("n·∇u = x on left", "n·∇u = 0 on right"), "ppPPP..pp", "zero there"),
    ends("slope x on the right", "Δu", declared("n·∇u = 0 on left", "n·∇u = x on right"), "RRPPP..rR", "one there"),
    linear(
        "second, ends, xy(1 - x)(1 - y)",
        square("∂u/∂t = Δu", "u = x y (1 - x)(1 - y) on boundary"),
        ANY,
        "pRPPP..pR",
        "zero on all sides",
    ),
    # ---- unknowns at rest
    behind("w = u, elliptic", "u w", "∂u/∂t = Δw\nΔw - w = Δu - u", "w", "pp.Pp...p", DISGUISE),
    behind("w = u, added", "u w", "∂u/∂t = Δu + w\nw - Δw = u - Δu", "w", "pr.Pp...r", DISGUISE),
    behind("w = 2u", "u w", "∂u/∂t = Δu - w\nΔw - w = 2Δu - 2u", "w", "pr.Pp...r", "w is 2u"),
    behind("w = u², elliptic", "u w", "∂u/∂t = Δu - w\nΔw - w = Δ(u²) - u²", "w", "rr.Pp....", "w is u²", True),
    behind("w' = u'", "u w", "∂u/∂t = Δu + ∂w/∂x\n∂w/∂x = ∂u/∂x", "w", "pp.Pp...p", "w' is u'"),
    behind("two means", "u v w", "∂u/∂t = Δu + w - v\nΔw = w - u\nΔv = v - u", "v w", "pp.Pp...p", "w = v"),
    behind("two delays", "u v w", "∂u/∂t = Δu + w - v\nw = u(x, t - 1)\nv = u(x, t - 1)", "v w", "pp.p....p", "w = v"),
    behind(
        "twice a delay", "u v w", "∂u/∂t = Δu + w - 2v\nw = 2u(x, t - 1)\nv = u(x, t - 1)", "v w", "pp.p....p", "w = 2v"
    ),
    behind("a delay's name", "u v w", "∂u/∂t = Δu + w - v\nw = u(x, t - 1)\nv = w", "v w", "pp.p....p", "v = w"),
    behind("one delay", "u w", "∂u/∂t = Δu + w\nw = u(x, t - ½)", "w", "pr.R.....", "a memory"),
    behind("one place", "u w", "∂u/∂t = Δu + w - u\nw = u(x + ½, t)", "w", "pp.PR...p", "across the ring"),
    behind(
        "two places",
        "u v w",
        "∂u/∂t = Δu + w - v\nw = u(x + ½, t)\nv = u(x - ½, t)",
        "v w",
        "pp.Pp...p",
        "the same place",
    ),
    behind("a mean", "u w", "∂u/∂t = w - u\nΔw = w - u", "w", "pp.PR...p", "(1 - Δ)⁻¹u"),
    behind("a mean of a curvature", "u w", "∂u/∂t = Δu + w\nΔw - w = Δu", "w", "pp.PR...p", "u less its mean"),
    behind("a mean of a slope", "u w", f"∂u/∂t = Δu + ∂w/∂x\nΔw - w = {U}", "w", "pp.PR...p", "not the slope itself"),
    behind("a name for u²", "u w", "∂u/∂t = Δw\nw = u²", "w", "rp.Pp...p", "a porous medium", True),
    both(
        "w = 1 at the ends",
        "∂u/∂t = Δu + w - u\nΔw = w - u",
        declared(INSULATED, "w = 1 on boundary"),
        "rr.P.....",
        "w ≠ C",
    ),
    both("w shut", "∂u/∂t = Δu + w - u\nΔw = w - u", declared(INSULATED, "n·∇w = 0 on boundary"), "pp.PR...p", "w = C"),
    # ---- velocities
    fast("x²", "∂²u/∂t² = Δu", f"{V} = x²", "RRpRPr...", "grows"),
    fast("exp x", "∂²u/∂t² = Δu", f"{V} = exp(x)", "RRpRPr...", "grows"),
    fast("x", "∂²u/∂t² = Δu", f"{V} = x", "RRpRPp...", "g(x) - g(x + h) = -h"),
    fast("sin x", "∂²u/∂t² = Δu", f"{V} = sin(x)", "RRpRPp...", "Lipschitz"),
    fast("x³ and a rate", "∂²u/∂t² = Δu - u", f"{V} = x³", "RRrRPr...", "grows"),
    fast("telegraph", "∂²u/∂t² = Δu - 3 ∂u/∂t - 2u", ZERO_SPEED, "PRpRP....", "9/4 > 2"),
    fast("telegraph, pulled", "∂²u/∂t² = Δu - ∂u/∂t - 2u", ZERO_SPEED, "PRrRP....", "¼ < 2"),
    fast("in a wind", f"∂²u/∂t² = Δu + 2 {U}", ZERO_SPEED, "PPrRP....", "∂²v/∂t² = Δv - v"),
    fast("in a wind, fed", f"∂²u/∂t² = Δu + 2 {U} + u", ZERO_SPEED, "PRpRP....", "∂²v/∂t² = Δv"),
    linear(
        "second, wave, plane, growing", plane("∂²u/∂t² = Δu") + "∂u/∂t(x, y, 0) = x y\n", ANY, "RRRRPr...", "grows", 2
    ),
    linear(
        "second, wave, ring, sin πx",
        periodic("∂²u/∂t² = Δu", "", f"{V} = sin(π x)"),
        ANY,
        "RRpRP...R",
        "2/π",
        2,
    ),
    linear(
        "second, wave, ring, friction",
        periodic("∂²u/∂t² = Δu - ∂u/∂t", "", ZERO_SPEED),
        ANY,
        "PPpRP...P",
        "no start",
        2,
    ),
    # ---- bounds
    held("-u³ between 0 and 1", "Δu - u³", declared("u = 0 on left", "u = 1 on right"), "P", "0 is a datum", True),
    held("-u, shut on one side", "Δu - u", declared("u = 0 on left", "n·∇u = 0 on right"), "P", "0 is a datum"),
    held("-xu", "Δu - x u", DIRICHLET, "P", "damps"),
    held("(½ - x)u", "Δu - (x - ½) u", DIRICHLET, "r", "grows on the left"),
    held("logistic", "Δu + u (1 - u)", DIRICHLET, "r", "½ grows", True),
    held("½ - u", "Δu - u + ½", DIRICHLET, "r", "0 grows"),
    held("Robin to 1", "Δu", "n·∇u = 1 - u on boundary", "r", "0 grows"),
    held("Robin and 0", "Δu", declared("n·∇u = -u on left", "u = 0 on right"), "p", "damps"),
    held("-u|u| with a wind", f"Δu + 4 {U} - u abs(u)", DIRICHLET, "p", "damps", True),
    # ---- at rest
    rest("cube", "-Δu + u³ = 0", DIRICHLET, "..P....p.", "monotone"),
    rest("gradient", f"Δu + ({U})² = 0", "u = x on boundary", "..P....p.", "Lipschitz for bounded slopes"),
    rest("between 1 and 2", "Δu = u", "u = 1 + x on boundary", "P.P....r.", "sinks below 1"),
    rest("from 0", "Δu = u", "u = x on boundary", "P.P....p.", "0 is a datum"),
    rest("Bessel at 0", f"{UU} + {U}/x = 0", DIRICHLET, "..U......", "log x", "x in [0, 1]"),
    rest("Bessel at 1", f"{UU} + {U}/x = 0", DIRICHLET, "..P....p.", "no pole", "x in [1, 2]"),
    rest("degenerate at 0", f"x {UU} + {U} = 0", DIRICHLET, "..U......", "log x", "x in [0, 1]"),
    rest(
        "strip",
        "Δu + sin(2π y) ∂u/∂x = 0",
        "u = 0 on left\nu = 1 on right",
        "..p....p.",
        "",
        "(x, y) in [0, 1] * [0, 1] periodic",
    ),
    rest("uneven", "(1 + x²) ∂²u/∂x² + ∂²u/∂y² - u = 0", DIRICHLET, "P.P....p.", "monotone"),
    rest("eigenvalue", "Δu + 30u = 0", DIRICHLET, "P.U....r.", "30 > 2π²"),
)
