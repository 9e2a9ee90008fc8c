"""Rounding, nearly coinciding roots, growth in one direction, and networks as coefficients.

- exp(-10⁶) is positive, log(1 + 10⁻¹⁸) too, and (x - 1)(x - 1 - 10⁻¹⁸) is negative between its roots.
- y² /(1 + x²) grows on the line x = 0: paths with y' = y² reach infinity.
- A network of relus may be x or x². A network q may be tanh x, so √|q| and sign(q) have no uniqueness at 0; where some
  weights keep the order and others do not the answer is `unknown`.
- Constants are kept if each of them is, 3 as well as 1 and 2. What bends at u = 200 is not linear.
- An equation that is not solved for ∂u/∂t has the comparison of ∂u/∂t = G⁻¹(F): exp(∂u/∂t) = exp(Δu) is heat.
- At rest ∂⁴u/∂x⁴ = 0 with u and ∂²u/∂x² given is two problems of second order: it keeps the order of u.
- ∇·(x u) = x·∇u + n u in n dimensions, n = 20 too.
"""

from __future__ import annotations

from analysis.more_spec_templates import linear, nonlinear, segment
from analysis.spec_templates import Row, data, declared, interval, plane, stationary

X = "∂u/∂x"
XX = "∂²u/∂x²"
HEAT = "∂u/∂t = Δu"
R3, R20, RD = "x in R^3", "x in R^20", "x in R^d"
RATE = "reaction-diffusion"
CD = "convection-diffusion"
NL = "nonlinear-diffusion"
TR = f"transport|{RATE}"
ANY = f"{NL}|diffusion|{RATE}|{CD}|hamilton-jacobi|ode"
ESCAPE = "paths reach infinity in finite time"
SOME = "for some weights"
BOUNDED = "learn q(x) : scalar = mlp"
STEEP = "learn q(x) : scalar = mlp(activation=relu)"
IMPLICIT = "it is solved for ∂u/∂t by an inverse function"
FLUX = "the flux is no affine function of u"
TWICE = "two problems of second order"


def tiny(name: str, right: str, why: str) -> Row:
    return linear(f"tiny, {name}", data(f"∂u/∂t = ({right}) Δu"), "diffusion", "PPR....", why)


def bar(name: str, right: str, space: str, why: str) -> Row:
    text = segment(f"∂u/∂t = ({right}) Δu", "u = 0 on boundary", "sin(π x)", space)
    return linear(f"tiny, {name}", text, "diffusion", "PRR......", why)


def growing(name: str, text: str, cells: str, why: str = ESCAPE, kinds: str = "transport") -> Row:
    return linear(f"growing, {name}", text, kinds, cells, why)


def net(name: str, right: str, cells: str, why: str, declare: str = BOUNDED, space: str = "x in R") -> Row:
    return linear(
        f"network, {name}", data(f"∂u/∂t = {right}", space, declare), f"transport|diffusion|{CD}|{RATE}", cells, why
    )


def side(name: str, condition: str, cells: str, why: str = FLUX) -> Row:
    return linear(f"side, {name}", interval(HEAT, f"{condition} on boundary"), "diffusion", cells, why)


def implicit(name: str, equation: str, cells: str, why: str = IMPLICIT) -> Row:
    return nonlinear(f"implicit, {name}", data(equation), ANY, cells, why)


def beam(name: str, equation: str, ends: str, space: str, why: str = TWICE) -> Row:
    return linear(f"still, {name}", stationary(equation, space=space, ends=ends), "higher-order", "..p......", why, 0)


def mass(name: str, space: str, right: str, cells: str, why: str = "", kinds: str = TR) -> Row:
    return linear(f"mass, {name}", data(f"∂u/∂t = {right}", space), kinds, cells, why)


TABLE: tuple[Row, ...] = (
    # ---- rounding
    tiny("exp(-10⁶)", "-exp(-1000000)", "exp(-10⁶) > 0"),
    tiny("log(1 + 10⁻¹⁸)", "-log(1 + 1e-18)", "log(1 + 10⁻¹⁸) > 0"),
    tiny("roots 10⁻¹⁸ apart", "x² - 2.000000000000000001x + 1.000000000000000001", "negative between them"),
    tiny(
        "roots far out",
        "x² - 200000000000000000001x + 100000000000000000000 * 100000000000000000001",
        "-¼ between 10²⁰ and 10²⁰ + 1",
    ),
    bar("exp(-x²)", "-exp(-x²)", "x in [1000, 1001]", "exp(-10⁶) > 0"),
    bar("sigmoid", "-sigmoid(x - 60)", "x in [0, 1]", "sigmoid(-60) > 0"),
    bar("softplus", "-softplus(x - 900)", "x in [0, 1]", "softplus(-900) > 0"),
    bar("elu", "elu(-1e-17 (1 + x²))", "x in [0, 1]", "elu(z) < 0 for z < 0"),
    bar("tanh", "tanh(40 + x) - 1", "x in [0, 1]", "tanh < 1"),
    bar("log", "-log(1 + 1e-18 + 1e-18 x)", "x in [0, 1]", "log(1 + 10⁻¹⁸) > 0"),
    # ---- growth in one direction
    growing("y² on a line", plane("∂u/∂t = y²/(1 + x²) ∂u/∂y"), "P.r...."),
    growing("y³ on a line, heat", plane("∂u/∂t = Δu + y³/(1 + x²) ∂u/∂y"), "P.r....", kinds=CD),
    growing("z² on a line", data("∂u/∂t = x₃²/(1 + x₁² + x₂²) ∂u/∂x₃", R3), "P.r...."),
    growing("z² on a line, R^20", data("∂u/∂t = x₃²/(1 + x₁² + x₂²) ∂u/∂x₃", R20), "P.r...."),
    growing("y/(1 + x²)", plane("∂u/∂t = y/(1 + x²) ∂u/∂x"), "PPpPPrr", "steep, but of linear growth"),
    growing("exp(-x²y²)", plane("∂u/∂t = exp(-x² y²) ∂u/∂x"), "PPpPPrp", "slopes grow along x = 1/y"),
    growing("sin xy", plane("∂u/∂t = sin(x y) ∂u/∂x"), "PPpPPrp", "slopes grow like |x|"),
    growing("sin exp x", data(f"∂u/∂t = sin(exp(x)) {X}"), "PPpPPrp", "slopes grow like exp x"),
    growing("cubes, R^20", data("∂u/∂t = Σᵢ xᵢ³ ∂u/∂xᵢ", R20), "P.r...."),
    growing("cubes inwards, R^20", data("∂u/∂t = -Σᵢ xᵢ³ ∂u/∂xᵢ", R20), "PPpPPrr", "inwards"),
    growing("sum times x, R^20", data("∂u/∂t = (Σᵢ xᵢ) Σⱼ xⱼ ∂u/∂xⱼ", R20), "P.r...."),
    growing("sine of a sum, R^20", data("∂u/∂t = sin(Σᵢ xᵢ) Σⱼ ∂u/∂xⱼ", R20), "PPPPPpp", ""),
    growing("tanh each, R^20", data("∂u/∂t = Σᵢ (1 + tanh(xᵢ)) ∂²u/∂xᵢ²", R20), "PPPPPpp", "", "diffusion"),
    growing("tanh each, of any sign", data("∂u/∂t = Σᵢ tanh(xᵢ) ∂²u/∂xᵢ²", R20), "PPR....", "x = -1", "diffusion"),
    growing("mixed, named", data("∂u/∂t = Δu + 2 ∂²u/∂x₁₇∂x₁₉", R20), "PPPPPPP", "1 ± 1", "diffusion"),
    growing("mixed, named, more", data("∂u/∂t = Δu + 2.1 ∂²u/∂x₁₇∂x₁₉", R20), "PPR....", "1 - 1.05", "diffusion"),
    nonlinear(
        "growing, √|u| far out",
        data("∂u/∂t = heaviside(x - 200) sqrt(abs(u))"),
        "ode",
        "RRr.P..",
        "0 and ¼t² beyond 200",
    ),
    # ---- networks as coefficients
    net("q, steep", f"q {X}", "PPPPP..", "Lipschitz", STEEP),
    net("q², steep", f"q² {X}", "P.U....", "q may be x", STEEP),
    net("exp q, steep", f"exp(q) {X}", "P.U....", "q may be x", STEEP),
    net("√|q|", f"sqrt(abs(q)) {X}", "PPU....", "q may be tanh x"),
    net("sign q", f"sign(q) {X}", "PPU....", "q may be tanh x"),
    net("heaviside q", f"heaviside(q) {X}", "PPU....", "q may be tanh x"),
    net("x² q", f"x² q {X}", "P.U....", "q may be 1"),
    net("√|q| Δ", "sqrt(abs(q)) Δu", "P.U....", "q may be tanh x"),
    net("q² Δ, steep", "q² Δu", "PPPPP..", "Σ = q is Lipschitz", STEEP, R3),
    net("q⁴ Δ, steep", "q⁴ Δu", "P.U....", "q may be large like |x|", STEEP, R3),
    net("flux of √|q|", f"Δu + ∂(sqrt(abs(q)) u)/∂x - sqrt(abs(q)) {X}", "P.U....", "a rate without a bound"),
    # ---- conditions
    side("u(u - 1)(u - 2)", "∂u/∂n = u³ - 3u² + 2u", "RRpPP...r"),
    side("bends at 200", "∂u/∂n = -relu(u - 200)", "RRpPP...r"),
    side("sin πu", "∂u/∂n = sin(π u)", "RRpPP...r"),
    side("jump at 300", "∂u/∂n = -heaviside(u - 300)", "RRpPP...r"),
    nonlinear("side, reaction with four zeros", data("∂u/∂t = Δu + u (u - 1) (u - 2) (u + 1)"), RATE, "RRPPP..", "½"),
    nonlinear("side, reaction sin πu", data("∂u/∂t = Δu + sin(π u)"), RATE, "RRPPPpp", "½ rises"),
    # ---- not solved for ∂u/∂t
    implicit("and tanh", "∂u/∂t + tanh(∂u/∂t) = Δu", "rpp...."),
    implicit("cube", "(∂u/∂t)³ = Δu", "rpp...."),
    implicit("and cube", "2 ∂u/∂t + (∂u/∂t)³ = 3Δu", "rpp...."),
    implicit("exponential", "exp(∂u/∂t) = 1 + u²", "rrp....", "∂u/∂t = log(1 + u²)"),
    implicit("root", "sqrt(1 + (∂u/∂t)²) = 1 + ‖∇u‖²", "rp.....", "two branches"),
    # ---- at rest
    beam("beam", "∂⁴u/∂x⁴ = 0", declared("u = x on boundary", "∂²u/∂x² = 0 on boundary"), "x in [0, 1]"),
    beam("plate", "Δ²u = 0", declared("u = x on boundary", "Δu = 0 on boundary"), "(x, y) in [0, 1]^2"),
    # ---- memory and mass
    linear("memory, a slope at the start", data(f"∂u/∂t = Δu + {X}(x, 0)"), ANY, "PP.R...", "what was at the start"),
    mass("∇·(x u), R^20", R20, "∇·(x u)", "PRPPPpr.P"),
    mass("∇·(x u), R^d", RD, "∇·(x u)", "PRPPPpr.P"),
    mass("x·∇u + 20u", R20, "x·∇u + 20u", "PRPPPpr.P", "∇·(x u)"),
    mass("x·∇u + 3u", R20, "x·∇u + 3u", "PRPPPpr.R", "17 are left"),
    mass("x·∇u", R20, "x·∇u", "PPPPPpr.R", "∫ -20u"),
    mass("sines", R20, "Σᵢ sin(xᵢ) ∂u/∂xᵢ + (Σᵢ cos(xᵢ)) u", "PRPPPpp.p", "∇·(sin(x) u)"),
    mass("sines, twice", R20, "Σᵢ ∂²((2 + sin(xᵢ)) u)/∂xᵢ²", "PRPPPpp.p", "a divergence", f"{RATE}|{CD}|diffusion"),
)
