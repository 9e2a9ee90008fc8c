"""Identities that overflow, distant changes of sign, coinciding arguments, and mass that is lost where a diffusion
degenerates.

- softplus(u) - softplus(-u) = u, and gelu, silu likewise; log(1 + exp u) = softplus(u); asin(sin u) = u for |u| ≤ π/2.
- atan(x) + 1.5707 is negative for x < -10400, and atan(x) + 1.5708 nowhere; tanh(x) + 1 - 10⁻⁶ is for x < -8.
- x⁴ - x² + c has the minimum c - ¼. sin(x) + sin(√2 x) comes as close to 2 as one likes.
- Δ(u³) with u = 0 at the ends: u is like the cube root of the distance to an end, and u²u' does not vanish there.
- u(x, min(t, 1)) is now, u(x, min(t, 0.99)) is not.
"""

from __future__ import annotations

from analysis.more_spec_templates import DIRICHLET, INSULATED, classless, line, periodic_2pi
from analysis.spec_templates import Row, interval, periodic

ZERO = "it takes an identity"
SIGN = "it takes a bound on the whole line"
HERE = "it takes the value of a place or of a time"


def nothing(name: str, term: str, bent: bool = True) -> Row:
    """Heat and a reaction that is zero."""
    return classless(f"analyst last, nothing, {name}", line(f"∂u/∂t = 7Δu + {term}"), "pppppp.", ZERO, bent)


def something(name: str, term: str, cells: str = "RRPPP..") -> Row:
    """Heat and a reaction that is nearly zero."""
    return classless(f"analyst last, something, {name}", line(f"∂u/∂t = 7Δu + {term}"), cells, ZERO, True)


def heat(name: str, factor: str, cells: str) -> Row:
    return classless(f"analyst last, factor, {name}", line(f"∂u/∂t = ({factor})Δu"), cells, SIGN)


def here(name: str, term: str, cells: str) -> Row:
    return classless(f"analyst last, here, {name}", line(f"∂u/∂t = 7Δu + {term} - u"), cells, HERE)


def bar(name: str, right: str, ends: str, cells: str, bent: bool = False) -> Row:
    return classless(f"analyst last, bar, {name}", interval(f"∂u/∂t = {right}", ends), cells, HERE, bent)


def loop(name: str, right: str, cells: str, bent: bool = False) -> Row:
    return classless(f"analyst last, ring, {name}", periodic(f"∂u/∂t = {right}"), cells, HERE, bent)


def positive(name: str, right: str, cells: str, bent: bool = True) -> Row:
    return classless(
        f"analyst last, positive, {name}", periodic_2pi(f"∂u/∂t = {right}", kind="scalar > 0"), cells, ZERO, bent
    )


NOTHING: tuple[Row, ...] = (
    nothing("softplus", "softplus(u) - softplus(-u) - u"),
    nothing("gelu", "gelu(u) - gelu(-u) - u"),
    nothing("silu", "silu(u) - silu(-u) - u"),
    nothing("sigmoid", "sigmoid(u) + sigmoid(-u) - 1"),
    nothing("softplus by its name", "softplus(u) - log(1 + exp(u))"),
    nothing("tanh by its name", "tanh(u) - (exp(u) - exp(-u))/(exp(u) + exp(-u))"),
    nothing("a large exponent", "log(exp(900u)) - 900u", False),
    nothing("hyperbolic", "cosh(u)² - sinh(u)² - 1"),
    nothing("leaky", "leaky_relu(u) + leaky_relu(-u) - 0.99|u|", False),
    nothing("hardtanh", "hardtanh(u) - max(-1, min(1, u))"),
    nothing("softsign", "softsign(u) (1 + |u|) - u", False),
    nothing("a root of a power", "sqrt(u⁴) - u²", False),
    nothing("erf", "erf(u) + erf(-u)", False),
    nothing("double angle", "sin(2u) - 2sin(u) cos(u)"),
    something("asin of sin", "asin(sin(u)) - u", "RR.PP.."),
    something("a late relu", "relu(u - 3000)", "RrPPP.."),
    something("a small sine", "1e-12 sin(u)", "rRPPP.."),
    something("a late exponential", "exp(u - 700)", "RRpPP.."),
    something("integers", "sin(π u)"),
    something("a cubic with three zeros", "u (u - 1) (u - 2)", "RRpPP.."),
    something("erf is not tanh", "erf(u) - tanh(2u/sqrt(π))"),
    something("modulus cubed", "|u|³ - u³", "RRpPP.."),
    something("a bump far off", "max(0, 1 - |u - 5000|)", "rrPPP.."),
    positive("modulus cubed", "Δu + |u|³ - u³", "pppPP..pp", False),
    positive("sign", "Δu + sign(u) - 1", "pppPP..pp", False),
    positive("a rate that never starts", "Δu + relu(t - 2) u", "pppPP..pp", False),
    positive("a negative part", "Δu + relu(-u) u²", "pppPP..pp", False),
    positive("elu and a source", "Δu + elu(u)", "pRPPP..RR"),
    positive("elu beside one", "Δ(elu(u - 1))", "RPpPP..p."),
    positive("elu squared", "Δ(elu(u)²/u)", "pppPP..pp"),
    positive("relu", "Δ(3relu(u))", "PPPPP..PP", False),
    positive("leaky relu", "Δ(3leaky_relu(u))", "PPPPP..PP", False),
    classless(
        "analyst last, nonnegative, sign",
        periodic_2pi("∂u/∂t = Δ(u sign(u))", kind="scalar ≥ 0"),
        "pppPP..pp",
        ZERO,
        True,
    ),
    positive("elu", "Δ(elu(u))", "pppPP..pp"),
)
FACTORS: tuple[Row, ...] = (
    heat("tanh", "1 - tanh(x)", "PPpPPpp"),
    heat("tanh, a little less", "1 - 1e-6 - tanh(x)", "PPrPP.."),
    heat("atan, too little", "atan(x) + 1.5707", "PPrPP.."),
    heat("atan, enough", "atan(x) + 1.5708", "PPpPPpp"),
    heat("a small hole", "x² - 1e-8", "PPRPP.."),
    heat("a square", "x⁴ - x² + ¼", "PPpPP.."),
    heat("less than a square", "x⁴ - x² + 0.2499", "PPRPP.."),
    heat("more than a square", "x⁴ - x² + 0.2501", "PPpPP.."),
    heat("two waves", "2 - sin(x) - sin(sqrt(2) x)", "PPpPPpp"),
    heat("two waves, a little less", "1.99 - sin(x) - sin(sqrt(2) x)", "PPrPP.."),
    heat("Taylor", "1 - cos(x) - x²/2 + x⁴/24", "PPpPP.."),
    heat("Taylor, cut too soon", "1 - cos(x) - x²/2 + x⁴/25", "PPrPP.."),
    heat("sine below its line", "x² - sin(x)²", "PPpPP.."),
    heat("sine below its line, no square", "x - sin(x)", "PPRPP.."),
    heat("exponentials", "exp(x) + exp(-x) - 2", "PPpPP.."),
    heat("exponentials, less", "exp(x) + exp(-x) - 2.0001", "PPrPP.."),
    heat("a logarithm", "log(1 + x²) - 1e-4", "PPrPP.."),
    heat("far off", "1000000 - x", "PPRPP.."),
    heat("Motzkin on a line", "1 + x⁶ - 3x²/4^(1/3) + x⁴", "PPpPP.."),
)
PLACES: tuple[Row, ...] = (
    here("min with the end", "u(x, min(t, 1))", "ppppp.."),
    here("min before the end", "u(x, min(t, 0.99))", "PPpr..."),
    here("max after the start", "u(x, max(t, 1e-9))", "PP.r..."),
    here("sine of the time", "u(x, sin(t))", "PPpR..."),
    here("a circle", "u(x + sin(x)² + cos(x)² - 1, t)", "ppppp.."),
    here("half a circle", "u(x + sin(x)² - 1, t)", "PPpPR.."),
    here("a root of a square", "u(sqrt(x²), t)", "PPpPR.."),
    here("a factor of nothing", "(sin(x)² + cos(x)² - 1) u(x + 1, t) + u", "ppppp.."),
    here("odd", "½u(-x, t) + ½u(x, t)", "PPpPR.."),
    bar("beyond the end", "Δu + u(x + relu(x - 1), t) - u", INSULATED, "ppppp..pp"),
    bar("twice mirrored", "Δu + u(1 - (1 - x), t) - u", INSULATED, "PPPPP..PP"),
    bar("porous, held", "Δ(3u³)", DIRICHLET, "RRpPP..pr", True),
    bar("porous as a flux, held", "∂/∂x(9u² ∂u/∂x)", DIRICHLET, "RRpPP..pr", True),
    bar("porous, one end held", "Δ(u⁵)", "u = 0 on left\nn·∇u = 0 on right", "RRpPP..pr", True),
    bar("Burgers, held", "-4u ∂u/∂x", DIRICHLET, "Rr.PP...r", True),
    bar("p-Laplace, held", "∂/∂x(3|∂u/∂x| ∂u/∂x)", DIRICHLET, "RRPPP..PR", True),
    bar("slope given to a flux", "∂/∂x(|∂u/∂x| ∂u/∂x)", "n·∇u = 1 on left\nn·∇u = -1 on right", "RRpPP..rP", True),
    bar("a flux that is even in the slope", "Δu + ∂/∂x((∂u/∂x)²)", INSULATED, "RP.PP...P", True),
    bar("a flux that is even, slopes given", "∂/∂x(exp(∂u/∂x))", "∂u/∂x = 1 on boundary", "RRpPP..rP", True),
    bar("a flux of x", "-∂/∂x(Δu + 3u)", "u = 0 on boundary\n∂u/∂x = 0 on right", "PRRPP..rR"),
    loop("mass by parts", "∂u/∂x Δu + 2Δu", "RPrPP...P", True),
    loop("mass by parts, less", "u Δu + (∂u/∂x)²", "RPrPP...P", True),
    loop("mass by parts, wrong factor", "u Δu + 2(∂u/∂x)² + 9Δu", "RPrPP...R", True),
    loop("mass of a third order", "u ∂³u/∂x³ + ½∂((∂u/∂x)²)/∂x", "RPRPP..rP", True),
    loop("mass of a third order, wrong factor", "u ∂³u/∂x³ + u² Δu", "RPRPP..rR", True),
    loop("mass of a third order, a product", "∂u/∂x ∂²u/∂x² - u ∂³u/∂x³", "RPRPP..rP", True),
    loop("mass of u²", "∂³u/∂x³ + u² ∂³u/∂x³", "RPRPP..rR", True),
)
TABLE: tuple[Row, ...] = (*NOTHING, *FACTORS, *PLACES)
