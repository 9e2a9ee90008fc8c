"""Bounds, prescribed fluxes, stationary equations, waves, and layers at their stability bounds.

- A reaction damps towards 0 if u F(u) ≤ 0 for all u: -tanh(u) does, -sin(u) does not at u = 4.
- With n·∇u = -2u a constant sinks below the least of its data.
- Fluxes that are given at both ends keep mass if they cancel: (1 + x)u' with slopes 1 and -½.
"""

from __future__ import annotations

from analysis.more_spec_templates import DIRICHLET, INSULATED, ZERO_SPEED, linear, nonlinear
from analysis.spec_templates import Row, data, declared, interval, periodic
from analysis.table.coupled_ends import V, held, rest
from analysis.table.feature_map_systems import layer, swing, two
from analysis.table.signed_unknowns import ANY, U


def smooth(name: str, right: str, cells: str, why: str = "") -> Row:
    """What is said of regularity in space and time, of a nonlinear equation."""
    return nonlinear(f"fifth, smooth, {name}", data(f"∂u/∂t = {right}"), ANY, f".....{cells}..", why)


def kept(name: str, right: str, given: str, cell: str, why: str = "", bent: bool = False) -> Row:
    """What is said of mass, on an interval."""
    row = nonlinear if bent else linear
    return row(f"fifth, kept, {name}", interval(f"∂u/∂t = {right}", given), ANY, f"........{cell}", why)


def wave(name: str, right: str, given: str, velocity: str, cells: str, why: str = "") -> Row:
    text = interval(f"∂²u/∂t² = {right}", given, "", velocity)
    return linear(f"fifth, wave, {name}", text, ANY, cells, why, 2)


def turning(name: str, text: str, cells: str, why: str = "") -> Row:
    return linear(f"fifth, wave, {name}", text, ANY, cells, why, 2)


def stationary(name: str, equation: str, cells: str, why: str = "", bent: bool = False, given: str = DIRICHLET) -> Row:
    text = rest("", equation, given, ".........").text
    return (nonlinear if bent else linear)(f"fifth, at rest, {name}", text, ANY, cells, why, 0)


def ends(left: str, right: str) -> str:
    return declared(f"n·∇u = {left} on left", f"n·∇u = {right} on right")


TABLE: tuple[Row, ...] = (
    smooth("viscous eikonal", f"Δu + ({U})²", "Pp", "the same at all x"),
    smooth("surface", f"sqrt(1 + ({U})²)", "Pp", "bounded for bounded slopes"),
    smooth("Burgers", f"Δu + u {U}", "Pp", "the same at all x"),
    smooth("1/√t", f"({U})²/sqrt(t)", "Pr", "√s"),
    smooth("after ½", f"heaviside(t - ½) ({U})²", "pp", "bounded"),
    smooth("x|u'|", f"x abs({U})", "pr", "grows"),
    smooth("exp Δu", "exp(Δu) - 1", "Pp", "bounded for bounded curvatures"),
    smooth("cubic", "Δu - u³ + sin(x)", "p.", "Lipschitz"),
    # ---- bounds
    held("u sin u, shut", "Δu + u sin(u)", INSULATED, "R", "1 moves", True),
    held("-u, shut", "Δu - u", INSULATED, "R", "1 sinks"),
    held("source x", "Δu + x", DIRICHLET, "r", "0 grows"),
    held("Allen-Cahn", "Δu + u - u³", DIRICHLET, "r", "½ grows", True),
    held("-sin u", "Δu - sin(u)", DIRICHLET, "r", "4 grows", True),
    held("-tanh u", "Δu - tanh(u)", DIRICHLET, "p", "damps", True),
    held("-u|u|, warm", "Δu - u abs(u)", "u = 1 on boundary", "r", "sinks below 1", True),
    held("driven on the left", "Δu", declared("n·∇u = 1 on left", "u = 0 on right"), "r", "0 grows"),
    held("Robin", "Δu", "n·∇u = -2u on boundary", "r", "1 sinks"),
    held("warm walls", f"∂((1 + x²) {U})/∂x", "u = 1 on boundary", "P", "no reaction"),
    held("-xu between 0 and 2", "Δu - x u", declared("u = 0 on left", "u = 2 on right"), "p", "damps"),
    held("relu(-u)", "Δu + relu(-u)", DIRICHLET, "p", "damps", True),
    held("-relu(-u)", "Δu - relu(-u)", DIRICHLET, "r", "-1 sinks", True),
    # ---- mass
    kept("in", "Δu", ends("1", "0"), "R", "1"),
    kept("2x - 1", "Δu + 2x - 1", INSULATED, "P", "no mean"),
    kept("cos 2πt", "Δu + cos(2π t)", INSULATED, "R", "cos 2πt"),
    kept("uneven, in and out", f"∂((1 + x) {U})/∂x", ends("1", "-½"), "P", "1 - 2·½"),
    kept("uneven, in", f"∂((1 + x) {U})/∂x", ends("1", "-1"), "R", "1 - 2"),
    kept("fed and burnt", "Δu - 1", ends("1", "0"), "P", "1 - 1"),
    kept("u²u', shut", f"∂(u² {U})/∂x", INSULATED, "P", "no flux", True),
    kept("u² and Δu, shut", "∂(u²)/∂x + Δu", INSULATED, "R", "u² at the ends", True),
    kept("u² and Δu, no flux", "∂(u²)/∂x + Δu", f"{U} = -u² on boundary", "p", "no flux", True),
    kept("wind, no flux", f"Δu + 2 {U}", f"{U} = -2u on boundary", "P", "no flux"),
    kept("wind, wrong sign", f"Δu + 2 {U}", f"{U} = 2u on boundary", "R", "4u at the ends"),
    # ---- waves
    wave("shut, at rest", "9Δu", INSULATED, ZERO_SPEED, "PPPRP...P", "an average"),
    wave("shut, sin 2πx", "9Δu", INSULATED, f"{V} = sin(2π x)", "RRpRP...P", "no mean"),
    wave("shut, x", "9Δu", INSULATED, f"{V} = x", "RRpRP...R", "½"),
    wave("Robin", "9Δu", "n·∇u = -u on boundary", ZERO_SPEED, "PR.RP....", "a spring"),
    turning(
        "in a wind on a ring",
        periodic("∂²u/∂t² = Δu + ∂u/∂x", "", ZERO_SPEED),
        "PPrRP...P",
        "∂²v/∂t² = Δv - v/4",
    ),
    turning("x²Δu", data("∂²u/∂t² = x² Δu") + f"{ZERO_SPEED}\n", "PP.RP....", "no rule"),
    # ---- at rest
    stationary("degenerate", "∂²u/∂x² + y² ∂²u/∂y² = 0", "P.p....p.", "y = 0"),
    stationary("drift and decay", "Δu + x ∂u/∂x - y² u = 0", "P.P....p.", "monotone"),
    stationary("√x", "Δu + sqrt(x) ∂u/∂y = u", "P.P....p.", "bounded"),
    stationary("pole", "Δu = u/x", "P.p......", "a pole at 0"),
    stationary("relu u", "Δu - relu(u) = 0", "R.P....p.", "monotone", True, "u = 2x - 1 on boundary"),
    stationary("relu -u", "Δu + relu(-u) = 0", "R.P....p.", "monotone", True, "u = 2x - 1 on boundary"),
    stationary("relu u, other sign", "Δu + relu(u) = 0", "R.U......", "increases", True),
    stationary("tanh", "Δu - tanh(u) = 0", "r.P....p.", "monotone", True, "u = x on boundary"),
    stationary("sine", "Δu = sin(u)", "r.U......", "increases near π", True),
    # ---- layers at their limits
    layer("tanh, rk4, 1.4", "-Kᵀ tanh(K Y)", "PPr.", "1.96", "learn K : operator, ‖K‖ ≤ 1.4 = conv(3)", "rk4(steps=3)"),
    layer("relu and a little", "-Kᵀ relu(K Y) + 1e-9 Y", "rrr.", "K = 0"),
    layer("relu and decay", "-Kᵀ relu(K Y) - Y", "PPr.", "slopes in [1, 2]"),
    layer("relu and more decay", "-Kᵀ relu(K Y) - 1.01Y", "rrr.", "2.01"),
    layer("decay alone is too much", "-Kᵀ relu(K Y) - 2.01Y", "RRr.", "K = 0"),
    two("heun, a little", "0.1Z", "-0.1Y", "heun(steps=3)", "RRr.", "1 + z⁴/4"),
    swing(
        "one step of its own", "-Kᵀ K Y", "leapfrog(steps=1)", "....", "", "learn K(t) : operator, ‖K‖ ≤ 1 = conv(3)"
    ),
    swing("growing", "Kᵀ K Y", "leapfrog(steps=3)", "Rr.P", "cosh"),
)
