"""Time, delay, nonlocal terms, order in time, and several unknowns.

- u at another time is memory, later times too. u at another place is not local; with a weight that is not negative it
  keeps the order, with a negative one it does not.
- ∂u/∂t = c(t)Δu is heat at the time C = ∫₀ᵗ c: comparison fails where C < 0 (∫ s sin 50s is negative near 2π/50).
- At rest at first: Re R(iω)ⁿ is not asked here, but cos, cosh, d'Alembert on the line; Kirchhoff's means in R³ and
  Poisson's in R² take a derivative and are no averages. Beams (∂⁴) and Airy's kernels change their signs.
- Systems: cooperative ones keep the order of pairs, a convention. ∂v/∂t = uΔv is backward where u < 0. Order of pairs
  is lost if the coefficient of Δu is another unknown: (v₂ - v₁)Δu has any sign.
"""

from __future__ import annotations

from analysis.more_spec_templates import ZERO_SPEED, ZERO_VELOCITY_PLANE, linear, nonlinear, system
from analysis.spec_templates import Row, data, lines, pair, periodic, plane

RD = "reaction-diffusion"
HEAT = f"diffusion|{RD}"
NL = "nonlinear-diffusion"
ANY = f"ode|transport|{HEAT}"
SYS = f"{NL}|{HEAT}|convection-diffusion|transport|hyperbolic|hamiltonian|ode"
ORDER = "an order of pairs is a convention"
FAR = "what stands elsewhere"
STILL = "\n".join((ZERO_SPEED, "∂²u/∂t²(x, 0) = 0", ""))
VECTOR = """pde Row
space x in R^2
time t in [0, 1]
unknown u(x, t) : vector(2)
{0}
u(x, 0) = [exp(-‖x‖²), 1]
"""


def clock(name: str, coefficient: str, cells: str, why: str = "") -> Row:
    return linear(f"clock, {name}", data(f"∂u/∂t = ({coefficient}) Δu"), "diffusion", cells, why)


def away(name: str, right: str, cells: str, why: str = FAR) -> Row:
    return linear(f"away, {name}", data(f"∂u/∂t = {right}"), ANY, cells, why)


def second(name: str, right: str, cells: str, why: str, space: str = "x in R", kinds: str = "wave|ode") -> Row:
    return linear(f"twice, {name}", data(f"∂²u/∂t² = {right}", space) + ZERO_SPEED + "\n", kinds, cells, why, 2)


def two(name: str, first: str, other: str, cells: str, why: str = ORDER, declare: str = "") -> Row:
    text = pair(f"∂u/∂t = {first}", f"∂v/∂t = {other}", declare=declare)
    return linear(f"two, {name}", text, f"{SYS} {SYS}", cells, why)


def pairs(name: str, first: str, other: str, cells: str, why: str = ORDER, positive: str = "") -> Row:
    text = system("u v", f"∂u/∂t = {first}\n∂v/∂t = {other}", positive=positive)
    return nonlinear(f"two, {name}", text, f"{SYS} {SYS}", cells, why)


TABLE: tuple[Row, ...] = (
    # ---- coefficients of time
    clock("|t - ½|", "abs(t - ½)", "PPPPPPp"),
    clock("(t - ½)²", "t² - t + ¼", "PPPPPPp"),
    clock("heaviside", "heaviside(t - ½)", "PPPPPpp"),
    clock("relu", "relu(t - ½)", "PPPPPpp"),
    clock("minus relu", "-relu(t - ½)", "PPR....", "backward from ½ on"),
    clock("t sin 50t", "t sin(50t)", "PPr....", "∫ is negative near 2π/50"),
    clock("exp(-1/t)", "exp(-1/t)", "PPPPPpp", "it tends to 0 at the start"),
    clock("1/(t - 2)", "1/(t - 2)", "PPR....", "negative"),
    clock("1/(1 - t)", "1/(1 - t)", "PPp...p", "a pole at the end alone"),
    clock("t^½ - t", "sqrt(t) - t", "PPPPPPp", "√t ≥ t on [0, 1]"),
    clock("t - t^½", "t - sqrt(t)", "PPR....", "-¼ at ¼"),
    clock("t² + x² - …", "1 + t x²/(1 + x²)", "PPPPPpp"),
    clock("t - x²/(1 + x²)", "t - x²/(1 + x²)", "PPR....", "negative at the start for x = 1"),
    clock("1 + sin(t x)", "1 + sin(t x)", "PPPPPpp", "√ is Lipschitz"),
    clock("t²x²", "t² x²", "PPPPPrr", "Σ = t x"),
    linear(
        "clock, three pieces",
        data("∂u/∂t = Δu for t in [0, ¼]\n∂u/∂t = -u for t in [¼, ½]\n∂u/∂t = x ∂u/∂x for t in [½, 1]"),
        f"diffusion {ANY} transport",
        "PRPPP..",
    ),
    linear(
        "clock, a piece that adds",
        data("∂u/∂t = Δu for t in [0, ½]\n∂u/∂t = Δu + 1 for t in [½, 1]"),
        f"diffusion {HEAT}",
        "RRPPPpp",
    ),
    linear("clock, terminal, decaying", data("∂u/∂t + Δu - x² u = 0", at="1"), RD, "PRPPPrr", "a rate that is bounded"),
    linear("clock, both sides", data("2 ∂u/∂t - Δu = ∂u/∂t + x ∂u/∂x"), "convection-diffusion", "PPPPPpr"),
    nonlinear("clock, logarithm of ∂u/∂t", data("exp(∂u/∂t) = exp(Δu)"), f"{NL}|diffusion", "p.p....", "it is heat"),
    # ---- memory and places elsewhere
    away("later", "Δu + u(x, 1 - t)", "pRpR..."),
    away("t²", "Δu + u(x, t²)", "pRpR..."),
    away("2x", "u(2x, t) - u(x, t)", "PPpPR.."),
    away("mirror", "Δu + u(-x, t) - u", "PPpPR.."),
    away("mirror, turned", "Δu - u(-x, t) + u", "PPrPR.."),
    away("both neighbours", "u(x + 1, t) - 2u + u(x - 1, t)", "PPpPRpp.p"),
    away("second differences, turned", "2u - u(x + 1, t) - u(x - 1, t)", "PPrPRpp.p"),
    away("the middle", "Δu + u(0, t) - u", "PPpPR..", "u(0, t) for all x"),
    away("the middle, turned", "Δu - u(0, t)", "PRrPR..", "what is large at 0 falls elsewhere"),
    away("slope elsewhere", "Δu + ∂u/∂x(x + 1, t)", "PPr.R..", "a slope of any sign"),
    nonlinear("away, product", data("∂u/∂t = Δu + u u(x - 1, t)"), RD, "RR.PR..", FAR),
    linear("away, ring", periodic("∂u/∂t = u(x + ½, t) - u"), ANY, "PPpPRpppp", FAR),
    # ---- two orders of time
    second("wave, space", "5Δu", "PPrrp..", "Kirchhoff", "x in R^3", "wave"),
    second("wave, plane, 9", "9Δu", "PPrrp..", "Poisson", "x in R^2", "wave"),
    second("beam", "-∂⁴u/∂x⁴", "PPrrp..", "the kernel changes its sign", kinds="wave|higher-order"),
    second("friction alone", "-∂u/∂t", "PPprp..", "nothing moves", kinds="ode|wave"),
    second("strong friction", "Δu - 100 ∂u/∂t", "PPprp..", "I₀ kernels", kinds="wave"),
    second("slow spring", "-2u", "PRprp..", "cos √2 > 0", kinds="ode|wave"),
    second("spring of 3", "-3u", "PRrrp..", "cos √3 < 0", kinds="ode|wave"),
    second("friction and spring", "-2 ∂u/∂t - u", "PRprp..", "(1 + t) exp(-t)", kinds="ode|wave"),
    second("source", "Δu + exp(-x²)", "RRprp..", "a source is the same for both", kinds="wave"),
    nonlinear("twice, sine-Gordon", data("∂²u/∂t² = Δu - sin(u)") + ZERO_SPEED + "\n", "wave", "RR.rp..", order=2),
    nonlinear("twice, cubic", data("∂²u/∂t² = Δu + u³") + ZERO_SPEED + "\n", "wave", "RR.rp..", order=2),
    linear(
        "twice, plane, uneven",
        plane("∂²u/∂t² = ∂²u/∂x² + 4 ∂²u/∂y²") + ZERO_VELOCITY_PLANE + "\n",
        "wave",
        "PPrrp..",
        "Poisson, stretched",
        2,
    ),
    linear("thrice, nothing", data("∂³u/∂t³ = 0") + STILL, "ode", "PPprp..", "nothing moves", 3),
    linear("third order in space", data("∂u/∂t = ∂³u/∂x³"), "higher-order", "PPRPPpp.P", "Airy"),
    linear("third order and more heat", data("∂u/∂t = 9Δu + ∂³u/∂x³"), "higher-order", "PPRPPpp.P", "Airy, smoothed"),
    linear("fourth order and heat", data("∂u/∂t = Δu - Δ²u", "x in R^2"), "higher-order", "PPRPPpp.P"),
    linear("Kuramoto-Sivashinsky, linear", data("∂u/∂t = -Δu - ∂⁴u/∂x⁴"), "higher-order", "PPRPPpp.P"),
    linear("sixth order and heat", data("∂u/∂t = ∂⁶u/∂x⁶ + Δu"), "higher-order", "PPRPPpp.P"),
    # ---- two unknowns
    two("cooperative", "Δu + 4v", "5Δv + u", "PRpPPpp"),
    two("competitive", "Δu - v", "Δv - u", "PRrPPpp"),
    two("one way", "3Δu + v", "Δv", "PRpPPpp"),
    two("exchange", "Δu + v - u", "Δv + u - v", "PRpPPpp"),
    two("string", "∂v/∂x", "∂u/∂x", "PPrPPpp"),
    two("a slope of the other", "3Δu - ∂v/∂x", "Δv", "PPrPPpp"),
    two("a curvature of the other", "Δu + ½Δv", "Δv", "PPrPPpp"),
    two("apart", "Δu", "∂v/∂x", "PPpPPpp"),
    two("turning", "Δu + v", "Δv - u", "PRrPPpp"),
    two("three against one", "Δu + t v", "Δv + (1 + sin(x)) u", "PRpPPpp"),
    pairs("conductivity of any sign", "Δu", "u Δv", "RPrPP..", "backward where u < 0"),
    pairs("conductivity, positive", "v Δu", "0", "RPrPP..", "(v₂ - v₁)Δu has any sign", positive="u v"),
    pairs("square of the other", "Δu + v²", "Δv", "RRrPP..", "it falls for v < 0"),
    pairs("square of the other, positive", "Δu + v²", "Δv", "RRpPP..", ORDER, positive="u v"),
    pairs("predator", "Δu + u (1 - v)", "Δv + v (u - 1)", "RRrPP..", "v lowers u", positive="u v"),
    pairs("mutualism", "Δu + u v", "Δv + u v - v", "RRpPP..", ORDER, positive="u v"),
    pairs("carried", "-∂(u v)/∂x", "Δv", "RPrPP..", "u ∂v/∂x has any sign"),
    pairs("relu of the other", "Δu + relu(v)", "Δv + tanh(u)", "RRpPP.."),
    pairs("minus relu of the other", "Δu - relu(v)", "Δv", "RRrPP.."),
    linear("two, vector heat and turn", VECTOR.format("∂u/∂t = Δu - 2u"), RD, "PR.PPpp"),
    linear(
        "two, at once",
        lines(
            "pde Row",
            "space x in R",
            "time t in [0, 1]",
            "unknown u(x, t) : scalar",
            "unknown w(x, t) : scalar",
            "∂u/∂t = Δu - w",
            "w = 3u",
            "u(x, 0) = exp(-x²)",
        ),
        f"{SYS} ode|elliptic|{SYS}",
        "PRpPp..",
        "w is 3u at the same point",
        (1, 0),
    ),
    linear(
        "two, elliptic in between",
        system("u w", "∂u/∂t = Δu + w\nΔw = w - u", stationary="w"),
        f"{SYS} elliptic",
        "PRppR..",
        "w = (1 - Δ)⁻¹u",
        (1, 0),
    ),
)
