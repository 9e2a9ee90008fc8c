"""Regularity in space and in time: T f(· + h) and T(f(· + h)) for smooth bounded f.

- (b(x + h) - b(x)) ∂u/∂x is a multiple of |h| for every x if b is Lipschitz: |x|, max(x, 0), not sin(x²), heaviside(x).
- A jump in front of Δu + …: a source in a strip of width h, smoothed by heat, is h√t, which is no multiple of h t.
- ‖T f - f‖ ≤ C s fails for coefficients that are unbounded in x, or at the start; at the end of time they do no harm.
- The Laplacian of bounded smooth f is bounded, and so are slopes as long as there is a solution.
"""

from __future__ import annotations

from analysis.more_spec_templates import classless
from analysis.spec_templates import Row, data, periodic, periodic_box, plane

SMALL = "bounds on derivatives of the solution"


def line(name: str, right: str, two: str, first: str = ".....", bent: bool = False, declare: str = "") -> Row:
    """What is decided of translations and of small times, in two letters."""
    return classless(f"third, moved, {name}", data(f"∂u/∂t = {right}", declare=declare), f"{first}{two}..", SMALL, bent)


def flat(name: str, right: str, two: str, first: str = ".....") -> Row:
    return classless(f"third, moved, plane, {name}", plane(f"∂u/∂t = {right}"), f"{first}{two}..", SMALL)


def looped(name: str, right: str, two: str, first: str = ".....") -> Row:
    return classless(f"third, moved, ring, {name}", periodic(f"∂u/∂t = {right}"), f"{first}{two}..", SMALL)


def tiled(name: str, right: str, two: str, first: str = ".....", last: str = "..") -> Row:
    return classless(f"third, moved, torus, {name}", periodic_box(f"∂u/∂t = {right}"), f"{first}{two}{last}", SMALL)


TABLE: tuple[Row, ...] = (
    line("tanh(x)u", "Δu + tanh(x) u", "pp", "PRPPP"),
    line("|x|u'", "Δu + |x| ∂u/∂x", "pr", "PP.PP"),
    line("heaviside(x)u'", "Δu + heaviside(x) ∂u/∂x", "rp", "PP.PP"),
    line("x sin(t)u'", "x sin(t) ∂u/∂x", "pr", "PP.PP"),
    line("t²xu'", "t² x ∂u/∂x", "pr", "PP.PP"),
    line("Δu/(1 + x²)", "(1/(1 + x²)) Δu", "pp", "PPPPP"),
    line("√(1 + x⁴)Δu", "sqrt(1 + x⁴) Δu", "rr", "PP.PP"),
    line("sin(x²)u alone", "sin(x²) u", "rp", "PRPPP"),
    line("sin(x²) as a source alone", "sin(x²)", "rp", "RRPPP"),
    line("a bell as a source", "Δu + exp(-x²)", "pp", "RRPPP"),
    line("√|x| as a source", "Δu + sqrt(|x|)", ".r", "RRPPP"),
    line("sin u", "Δu + sin(u)", "pp", "RRPPP", True),
    line("xuu'", "x u ∂u/∂x", "..", "RP.PP", True),
    line("a bell before u'", "exp(-x²) ∂u/∂x", "pp", "PPPPP"),
    line("cos(xt)u", "cos(x t) u", "pp", "PRPPP"),
    line("cos(x/t)u", "cos(x/t) u", "rp", "PR.PP"),
    line("t log t sin(x)u", "t log(t) sin(x) u", "pp", "PR.PP"),
    line("log t sin(x)u", "log(t) sin(x) u", "rr", "PR.PP"),
    line("t^-⅓ sin(x)u'", "t^(-1/3) sin(x) ∂u/∂x", "rr", "PP.PP"),
    line("x/√(1 + x²)u'", "(x/sqrt(1 + x²)) ∂u/∂x", "pp", "PPPPP"),
    line("x²/(1 + x²)u", "(x²/(1 + x²)) u", "pp", "PRPPP"),
    line("x³/(1 + x²)u'", "(x³/(1 + x²)) ∂u/∂x", "pr", "PP.PP"),
    line("min(|x|, 1)u'", "min(|x|, 1) ∂u/∂x", "pp", "PP.PP"),
    line("max(x, 0)u'", "max(x, 0) ∂u/∂x", "pr", "PP.PP"),
    line("heaviside(x)u", "heaviside(x) u", "rp", "PR.PP"),
    line("x times the middle", "Δu + x u(0, t)", "rr", "PR.PR"),
    line("heaviside times the middle", "Δu + heaviside(x) u(0, t)", "r.", "PR.PR"),
    line("sin(x²) times the middle", "Δu + sin(x²) u(0, t)", "r.", "PR.PR"),
    line("the slope of the middle", "Δu + ∂u/∂x(0, t)", "pp", "PP.PR"),
    line("a bounded network", "q ∂u/∂x", "pp", "PPPPP", declare="learn q(x) : scalar = mlp(activation=tanh)"),
    line("a network times x", "x q ∂u/∂x", ".r", "PP.PP", declare="learn q(x) : scalar = mlp(activation=tanh)"),
    line("t^-⅔ Δu", "t^(-2/3) Δu", "pr", "PPPPP"),
    line("sin(1/t)²Δu", "sin(1/t)² Δu", "pp", "PP.PP"),
    line("|t - ½|^-½ Δu", "|t - ½|^(-½) Δu", "pp", "PP.PP"),
    line("third order, x", "x ∂³u/∂x³", "..", "PPRPP"),
    line("eikonal in a place", "(2 + sin(x)) |∂u/∂x|", "pp", "RPPPP", True),
    flat("turn", "y ∂u/∂x - x ∂u/∂y", "pr", "PPPPP"),
    flat("Kolmogorov", "∂²u/∂y² + y ∂u/∂x", "pr", "PP.PP"),
    flat("y²u_x", "y² ∂u/∂x", "rr", "PP.PP"),
    flat("sin(y)u_x", "sin(y) ∂u/∂x", "pp", "PPPPP"),
    flat("xy as a source", "Δu + x y", "rr", "RR.PP"),
    flat("exp(-x²)y as a source", "Δu + exp(-x²) y", "rr", "RR.PP"),
    flat("strips", "Δu + heaviside(x) ∂u/∂y", "rp", "PP.PP"),
    looped("x(1 - x)u'", "x (1 - x) ∂u/∂x", "pp", "PP.PP"),
    looped("xu", "x u", "rp", "PR.PP"),
    looped("x²(1 - x)²u'", "x² (1 - x)² ∂u/∂x", "pp", "PP.PP"),
    looped("sin(πx)u'", "sin(π x) ∂u/∂x", "pp", "PP.PP"),
    looped("cos(πx)u", "cos(π x) u", "rp", "PR.PP"),
    looped("exp(sin(2πx))u", "exp(sin(2π x)) u", "pp", "PRPPP"),
    tiled("sin sin u_x", "sin(2π x) sin(2π y) ∂u/∂x", "pp", "PP.PP", ".R"),
    tiled("x sin(2πy)u_y", "x sin(2π y) ∂u/∂y", "r.", "PP.PP", ".R"),
    tiled("xu_y", "x ∂u/∂y", "r.", "PP.PP", ".p"),
    tiled("Δu + xy u", "Δu + x y u", "r.", "PR.PP", ".R"),
)
