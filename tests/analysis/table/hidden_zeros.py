"""Vanishing coefficients, aliases of unknowns and mixed derivatives.

- A coefficient that is zero on the domain is no reason: sin² + cos² - 1, relu(x - 2) on [0, 1], relu(-u) for u > 0.
- u(x + 1, t) is u(x, t) on a ring of length 1, u(|x|, t) is u(x, t) for x ≥ 0, u(x, |t|) for t ≥ 0.
- An unknown at rest is a name: w = u(x, t - 1) is memory, w = z with Δz = z - u is far away, w = ∂u/∂x is here.
- With waves e^{iξx + λt}: ∂u/∂t - ∂³u/∂x²∂t = -Δu has λ = ξ²/(1 + ξ²), which has a bound.
- exp(u) = 1, u³ = 0 and u + sinh(u) = 0 on the boundary are u = 0 in disguise.
- On a shape the equation says what is linear, local and of Markov's kind; values on all of its boundary keep the order.
"""

from __future__ import annotations

from analysis.more_spec_templates import INSULATED, ZERO_SPEED, linear, lines, nonlinear, periodic_2pi, system
from analysis.spec_templates import Row, data, declared, interval, periodic

ZERO = "(sin(x)² + cos(x)² - 1)"
RING = "x in [0, 1] periodic"
POSITIVE = "scalar > 0"
RATE = "reaction-diffusion|diffusion"
CH = "diffusion|transport|higher-order|ode"
ANY = f"{RATE}|elliptic|ode|hyperbolic|{CH}|parabolic|nonlinear-diffusion|convection-diffusion|hamilton-jacobi"
NOTHING = "its coefficient is zero"
THIRD = declared(ZERO_SPEED, "∂²u/∂t²(x, 0) = 0", "")
FOURTH = declared(ZERO_SPEED, "∂²u/∂t²(x, 0) = 0", "∂³u/∂t³(x, 0) = 0", "")
SOLENOIDAL = "learn v(x) : vector, divergence_free = mlp"
NEAR = "(1.1 - x² - y²)"
DISC = "space (x, y) in [-1, 1]^2 where x² + y² < 1"


def spread(name: str, right: str, cells: str, why: str = NOTHING) -> Row:
    return linear(f"behind, {name}", data(f"∂u/∂t = {right}"), ANY, cells, why)


def zero(name: str, text: str, cells: str, why: str = NOTHING) -> Row:
    return nonlinear(f"behind, {name}", text, ANY, cells, why)


def named(name: str, unknowns: str, equations: str, cells: str, why: str, space: str = "x in R") -> Row:
    rest = unknowns.removeprefix("u ")
    kinds = " ".join([ANY] * len(unknowns.split()))
    return linear(
        f"behind, {name}", system(unknowns, equations, space, stationary=rest), kinds, cells, why, order=(1, 0)
    )


def mixed(name: str, equation: str, order: int, why: str, rest: str = "") -> Row:
    kinds = "higher-order|wave|diffusion|hyperbolic|mixed|elliptic"
    return linear(f"behind, {name}", data(equation) + rest, kinds, "PP.....", why, order)


def ended(name: str, ends: str, cells: str, why: str) -> Row:
    return linear(f"behind, ends, {name}", interval("∂u/∂t = Δu", f"{ends} on boundary"), "diffusion", cells, why)


def disc(equation: str, ends: str) -> str:
    unknown = "unknown u(x, y, t) : scalar"
    start = "u(x, y, 0) = 1 - x² - y²"
    return lines("pde Row", DISC, "time t in [0, 1]", unknown, equation, start, f"{ends} on boundary")


TABLE: tuple[Row, ...] = (
    # ---- zeros
    spread("zero times memory", f"Δu + {ZERO} u(x, t - 1)", "pp.p..."),
    spread("zero times a mirror", f"Δu + {ZERO} u(-x, t)", "pp..p.."),
    zero("cosh² - sinh²", data("∂u/∂t = Δu + cosh(u)² - sinh(u)² - 1"), "ppp....", "1"),
    zero("square beyond the end", interval("∂u/∂t = Δu + relu(x - 2) u²"), "pRp......"),
    linear("behind, source beyond the end", interval("∂u/∂t = Δu + relu(x - 2)"), ANY, "pRp......", NOTHING),
    zero("square before the time", data("∂u/∂t = Δu + relu(-t) u²"), "ppp...."),
    spread("source before the time", "Δu + relu(-t)", "ppp...."),
    linear("behind, u > 0, relu(-u)", periodic_2pi("∂u/∂t = Δu + relu(-u)", kind=POSITIVE), ANY, "ppp.....p", NOTHING),
    # ---- places
    linear("behind, once round", periodic("∂u/∂t = Δu + u(x + 1, t) - u"), ANY, "pp..p....", "the same point"),
    linear("behind, half round", periodic("∂u/∂t = Δu + u(x + ½, t) - u"), ANY, "PP..R....", "another point"),
    linear("behind, |x| on [0, 1]", interval("∂u/∂t = Δu + u(abs(x), t) - u"), ANY, "p...p....", "x ≥ 0"),
    spread("|x| on the line", "Δu + u(abs(x), t) - u", "PP..R..", "x < 0"),
    spread("|t|", "Δu + u(x, abs(t)) - u", "pp.p...", "t ≥ 0"),
    linear("behind, mirror, R^20", data("∂u/∂t = Δu + u(-x, t)", "x in R^20"), ANY, "P...R..", "-x"),
    linear("behind, past, R^d", data("∂u/∂t = Δu + u(x, t/2)", "x in R^d"), ANY, "P..R...", "t/2"),
    # ---- names
    named("memory", "u w", "∂u/∂t = Δu + w\nw = u(x, t - 1)", "p..R...", "w is the past"),
    named("a mirror", "u w", "∂u/∂t = Δu + w\nw = u(-x, t)", "p...R..", "w is at -x"),
    named("two names", "u w z", "∂u/∂t = Δu + w\nw = z\nΔz = z - u", "p...R..", "w = (1 - Δ)⁻¹u"),
    named("three names", "u w y z", "∂u/∂t = Δu + w\nw = 2y\ny = z + u\nΔz = z - u", "p...R..", "a chain"),
    named("mixed heat", "u w", "∂u/∂t = ∂w/∂x\nw = ∂u/∂x", "P..Pp..", "w is a slope"),
    named("the Laplacian", "u w", "∂u/∂t = w\nw = Δu", "P..Pp...p", "∫Δu = 0", RING),
    named("made up for", "u w", "∂u/∂t = u + w\nw = Δu - u", "p...p...p", "Δu", RING),
    named("a slope of a potential", "u w", "∂u/∂t = ∂w/∂x\nΔw = u - w", "p...R...P", "a flux", RING),
    named("Δw = -u", "u w", "∂u/∂t = Δw\nΔw = -u", "p...p..", "∂u/∂t = -u"),
    named("what nothing moves", "u w", "∂u/∂t = Δu + w\nΔw = w", "p...p..", "w does not depend on u"),
    named("a circle", "u w z", "∂u/∂t = Δu + w\nw = ∂z/∂x\nz = ∂w/∂x + u", "p...r..", "w = ∂²w/∂x² + ∂u/∂x"),
    named("a circle of numbers", "u w z", "∂u/∂t = Δu + w\nw = 2z + u\nz = w - 3u", "p...p..", "w = 5u"),
    named("taken away again", "u w", "∂u/∂t = Δu + w - u(-x, t)\nw = u(-x, t)", "p...p..", "Δu"),
    # ---- derivatives in time and space together
    mixed("pseudo-parabolic", "∂u/∂t - ∂³u/∂x²∂t = -Δu", 1, "ξ²/(1 + ξ²)"),
    mixed("damped, backwards", "∂²u/∂t² = -Δu + ∂³u/∂x²∂t", 2, "λ tends to 1", ZERO_SPEED + "\n"),
    mixed("∂/∂t of a wave", "∂³u/∂t³ = ∂³u/∂x²∂t", 3, "0, ±iξ", THIRD),
    mixed("two speeds", "∂⁴u/∂t⁴ = 5 ∂⁴u/∂x²∂t² - 4 ∂⁴u/∂x⁴", 4, "±iξ, ±2iξ", FOURTH),
    mixed("∂²u/∂x∂t", "∂²u/∂t² = ∂²u/∂x∂t", 2, "0, iξ", ZERO_SPEED + "\n"),
    mixed("carried waves", "∂²u/∂t² = 4 ∂²u/∂x∂t - ∂²u/∂x²", 2, "iξ(2 ± √3)", ZERO_SPEED + "\n"),
    # ---- conditions
    ended("exp(u) = 1", "exp(u) = 1", "pRp......", "u = 0"),
    ended("u³ = 0", "u³ = 0", "pRp......", "u = 0"),
    ended("u + sinh(u) = 0", "u + sinh(u) = 0", "pRp......", "u = 0"),
    # ---- shapes
    linear("behind, disc, cold", disc("∂u/∂t = Δu", "u = 0"), "diffusion", "PRPPP..pr"),
    linear("behind, disc, insulated", disc("∂u/∂t = Δu", "n·∇u = 0"), "diffusion", "PPpPP..pp"),
    linear("behind, disc, zero in disguise", disc("∂u/∂t = Δu", "u = x² + y² - 1"), "diffusion", "prPPP....", "u = 0"),
    linear(
        "behind, disc, degenerate",
        disc("∂u/∂t = (1 - x² - y²)Δu", "u = 0"),
        "diffusion",
        "PrpPP....",
        "inside it is ≥ 0",
    ),
    nonlinear("behind, disc, u²", disc("∂u/∂t = Δu + u²", "u = 0"), "reaction-diffusion", "RRPPP...."),
    linear(
        "behind, disc, elliptic inside",
        lines("pde Row", DISC, "unknown u(x, y) : scalar", f"∂²u/∂x² + {NEAR} ∂²u/∂y² = 0", "u = 0 on boundary"),
        "elliptic",
        "..p......",
        order=0,
    ),
    # ---- mass
    linear(
        "behind, velocity of no mass",
        periodic("∂²u/∂t² = Δu", rest="∂u/∂t(x, 0) = sin(2π x)"),
        "wave",
        "RR......P",
        order=2,
    ),
    linear("behind, velocity 1", periodic("∂²u/∂t² = Δu", rest="∂u/∂t(x, 0) = 1"), "wave", "RR......R", order=2),
    linear("behind, carried", data("∂u/∂t = v·∇u + Δu", "x in R^2", SOLENOIDAL), ANY, "PPPPP...P"),
    linear("behind, carried, flux", data("∂u/∂t = ∇·(v u)", "x in R^2", SOLENOIDAL), ANY, "PPPPP...P", "∇·v = 0"),
    linear("behind, insulated, beyond", interval("∂u/∂t = Δu + relu(x - 2) u", INSULATED), ANY, "PpP.....p", NOTHING),
)
