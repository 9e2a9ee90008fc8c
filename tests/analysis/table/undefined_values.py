"""Undefined values, vanishing coefficients, and conditions that couple.

- Δβ(u) needs β on all values of u: √u, log u and -1/u are not defined, or not monotone, across u = 0.
- ∂u/∂t = u²∂²u/∂x² has several solutions that vanish somewhere (Ughi 1986; Dal Passo, Luckhaus 1987), however the
  coefficient is written.
- u = -v on the boundary couples u to v; u(0, t) = u(1, t) returns what leaves.
"""

from __future__ import annotations

from analysis.more_spec_templates import line, linear, nonlinear, periodic_2pi
from analysis.spec_templates import Row, interval, lines, stationary

H = "∂u/∂t = Δu", "∂v/∂t = Δv"


def two(first: str, second: str, ends: str, other: str) -> str:
    """Two unknowns on an interval."""
    return lines(
        "pde Row",
        "space x in [0, 1]",
        "time t in [0, 1]",
        "unknown u(x, t) : scalar",
        "unknown v(x, t) : scalar",
        first,
        second,
        "u(x, 0) = sin(π x)",
        "v(x, 0) = 1 + cos(π x)",
        ends,
        other,
    )


TABLE: tuple[Row, ...] = (
    # ---- where β(u) has a value
    nonlinear("against, Δ√u", line("∂u/∂t = Δ(sqrt(u))"), "nonlinear-diffusion", "..U...."),
    nonlinear("against, Δ√u ring", periodic_2pi("∂u/∂t = Δ(sqrt(u))"), "nonlinear-diffusion", "..U...."),
    nonlinear("against, Δ√u, u≥0", line("∂u/∂t = Δ(sqrt(u))", kind="scalar >= 0"), "nonlinear-diffusion", "..p...."),
    nonlinear("against, Δ(-1/u)", line("∂u/∂t = Δ(-1/u)"), "nonlinear-diffusion", "..U...."),
    nonlinear("against, Δ(-1/u) ring", periodic_2pi("∂u/∂t = Δ(-1/u)"), "nonlinear-diffusion", "..U...."),
    nonlinear("against, Δ(-1/u³)", periodic_2pi("∂u/∂t = Δ(-u^(-3))"), "nonlinear-diffusion", "..U...."),
    nonlinear("against, Δu^⅓", line("∂u/∂t = Δ(u^(1/3))"), "nonlinear-diffusion", "..U...."),
    nonlinear("against, Δu³", line("∂u/∂t = Δ(u³)"), "nonlinear-diffusion", "..P...."),
    nonlinear("against, Δ(u/(1+|u|))", line("∂u/∂t = Δ(u/(1 + |u|))"), "nonlinear-diffusion", "..p...."),
    nonlinear("against, Δtan u", line("∂u/∂t = Δ(tan(u))"), "nonlinear-diffusion", "..U...."),
    nonlinear("against, Δ(u - 1/u)", periodic_2pi("∂u/∂t = Δ(u - 1/u)"), "nonlinear-diffusion", "..U...."),
    nonlinear("against, Δ(u - 1/(1+u))", periodic_2pi("∂u/∂t = Δ(u - 1/(1 + u))"), "nonlinear-diffusion", "..U...."),
    nonlinear("against, Δ√(u²-1)", line("∂u/∂t = Δ(u sqrt(u² - 1))"), "nonlinear-diffusion", "..U...."),
    nonlinear("against, Δu^(3/2)", line("∂u/∂t = Δ(u^(3/2))"), "nonlinear-diffusion", "..U...."),
    nonlinear("against, Δsinh u", line("∂u/∂t = Δ(sinh(u))"), "nonlinear-diffusion", "..P...."),
    nonlinear("against, Δrelu u", line("∂u/∂t = Δ(relu(u))"), "nonlinear-diffusion", "..p...."),
    nonlinear(
        "against, Δ(u²) - 1", periodic_2pi("∂u/∂t = Δ(u²) - 1", kind="scalar >= 0"), "nonlinear-diffusion", "..U...."
    ),
    nonlinear(
        "against, Δ(u²) + ∂u/∂x - 1",
        line("∂u/∂t = Δ(u²) + ∂u/∂x - 1", kind="scalar > 0"),
        "nonlinear-diffusion",
        "..p....",
    ),
    nonlinear(
        "against, Δ(u²) + ∂u/∂x - 1, u≥0",
        line("∂u/∂t = Δ(u²) + ∂u/∂x - 1", kind="scalar >= 0"),
        "nonlinear-diffusion",
        "..U....",
    ),
    nonlinear(
        "against, Δ(u²) + 1", periodic_2pi("∂u/∂t = Δ(u²) + 1", kind="scalar >= 0"), "nonlinear-diffusion", "..P...."
    ),
    nonlinear(
        "against, Δ(u²) - u", periodic_2pi("∂u/∂t = Δ(u²) - u", kind="scalar >= 0"), "nonlinear-diffusion", "..P...."
    ),
    nonlinear(
        "against, Δ(u²) - √u",
        periodic_2pi("∂u/∂t = Δ(u²) - sqrt(u)", kind="scalar >= 0"),
        "nonlinear-diffusion",
        "..p....",
    ),
    linear("against, Δu - 1, u≥0", periodic_2pi("∂u/∂t = Δu - 1", kind="scalar >= 0"), "diffusion", "..p...."),
    # ---- coefficients that vanish at a point
    nonlinear("against, (u²+tanh u²)u_xx", line("∂u/∂t = (u² + tanh(u²)) ∂²u/∂x²"), "nonlinear-diffusion", "..r...."),
    nonlinear("against, (|u|+atan u²)u_xx", line("∂u/∂t = (|u| + atan(u²)) ∂²u/∂x²"), "nonlinear-diffusion", "..r...."),
    nonlinear(
        "against, (u⁴+erf u²)u_xx ring",
        periodic_2pi("∂u/∂t = (u⁴ + erf(u²)) ∂²u/∂x²"),
        "nonlinear-diffusion",
        "..r....",
    ),
    linear(
        "against, rest, x²+tanh x²",
        stationary("(x² + tanh(x²)) ∂²u/∂x² = 0", space="x in [-1, 1]"),
        "elliptic",
        "..r....",
        order=0,
    ),
    linear(
        "against, rest, x⁴+erf x²",
        stationary("(x⁴ + erf(x²)) ∂²u/∂x² + ∂u/∂x = 0", space="x in [-1, 1]"),
        "elliptic",
        "..r....",
        order=0,
    ),
    nonlinear("against, exp(-u²)u_xx", line("∂u/∂t = exp(-u²) ∂²u/∂x²"), "nonlinear-diffusion", "..p...."),
    nonlinear("against, (softplus+relu)", line("∂u/∂t = (softplus(u) + relu(u)) Δu"), "nonlinear-diffusion", "..p...."),
    nonlinear("against, u²u_xx", line("∂u/∂t = u² ∂²u/∂x²", kind="scalar >= 0"), "nonlinear-diffusion", "..r...."),
    # ---- unknowns that meet on the boundary
    linear(
        "against, u = -v on boundary",
        two(*H, "u = -v on boundary", "n·∇v = 0 on boundary"),
        "diffusion diffusion",
        "..r....",
    ),
    linear(
        "against, u = v on boundary",
        two(*H, "u = v on boundary", "n·∇v = 0 on boundary"),
        "diffusion diffusion",
        "..p....",
    ),
    linear(
        "against, flux -v", two(*H, "n·∇u = -v on boundary", "n·∇v = 0 on boundary"), "diffusion diffusion", "..r.....r"
    ),
    linear(
        "against, flux v", two(*H, "n·∇u = v on boundary", "n·∇v = 0 on boundary"), "diffusion diffusion", "..p.....r"
    ),
    linear(
        "against, u = v³ on boundary",
        two(*H, "u = v³ on boundary", "n·∇v = 0 on boundary"),
        "diffusion diffusion",
        "r.p....",
    ),
    # ---- conditions that join both ends
    linear("against, u(0)=u(1), transport", interval("∂u/∂t = -∂u/∂x", "u(0, t) = u(1, t)"), "transport", "..p.....p"),
    linear(
        "against, u(0)=u(1)/2, transport",
        interval("∂u/∂t = -∂u/∂x", "u(0, t) = ½ u(1, t)"),
        "transport",
        "..p.....r",
    ),
    linear(
        "against, u(0)=-u(1), transport",
        interval("∂u/∂t = -∂u/∂x", "u(0, t) = -u(1, t)"),
        "transport",
        "..r.....r",
    ),
    linear(
        "against, Ionkin",
        interval("∂u/∂t = ∂²u/∂x²", "u = 0 on left\n∂u/∂x(1, t) = ∂u/∂x(0, t)"),
        "diffusion",
        "........p",
    ),
    linear(
        "against, Ionkin, mirrored",
        interval("∂u/∂t = ∂²u/∂x²", "u = 0 on right\n∂u/∂x(0, t) = ∂u/∂x(1, t)"),
        "diffusion",
        "........p",
    ),
    linear(
        "against, ring by hand",
        interval("∂u/∂t = ∂²u/∂x²", "u(0, t) = u(1, t)\n∂u/∂x(1, t) = ∂u/∂x(0, t)"),
        "diffusion",
        "..p.....p",
    ),
    nonlinear(
        "against, ring by hand, Burgers",
        interval("∂u/∂t = ∂²u/∂x² - u ∂u/∂x", "u(0, t) = u(1, t)\n∂u/∂x(1, t) = ∂u/∂x(0, t)"),
        "convection-diffusion",
        "..p.....p",
    ),
    nonlinear(
        "against, Ionkin, nonlinear",
        interval("∂u/∂t = ∂²(u³)/∂x² + ∂²u/∂x²", "u = 0 on left\n∂u/∂x(1, t) = ∂u/∂x(0, t)"),
        "nonlinear-diffusion",
        "........r",
    ),
)
