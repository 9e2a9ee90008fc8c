"""Signs that are decided by very little: letters that cancel, zeros in disguise, minima just above or below zero, and
values of the unknown and of its derivatives that are large.

What cancels is not there. A coefficient that is zero by an identity of numbers (√2 + √3 = √(5 + 2√6)) is zero: to find
it may be too much to ask, to deny it is false. A minimum of -10⁻⁹ is negative. A function of u that turns at u = 200
turns.
"""

from __future__ import annotations

from analysis.more_spec_templates import linear, nonlinear
from analysis.spec_templates import Row, data, declared, interval, plane

XX = "∂²u/∂x²"
X = "∂u/∂x"
NL = "nonlinear-diffusion"
RD = "reaction-diffusion"
CD = "convection-diffusion"
HEAT = "diffusion|reaction-diffusion"
IDENTITY = "an identity between functions"
ROOTS = "sqrt(2) + sqrt(3) - sqrt(5 + 2sqrt(6))"
SURD = "√2 + √3 = √(5 + 2√6)"
FAR = "far from zero"
TAYLOR = "it takes a Taylor series at a zero of high order"


def heat(name: str, coefficient: str, cells: str, why: str = "") -> Row:
    """On the line."""
    return linear(f"narrow, {name}", data(f"∂u/∂t = ({coefficient}) Δu"), "diffusion", cells, why)


def bar(name: str, coefficient: str, cells: str, why: str = "") -> Row:
    """On [0, 1], with values at the ends."""
    return linear(f"narrow bar, {name}", interval(f"∂u/∂t = ({coefficient}) {XX}"), "diffusion", cells, why)


def rate(name: str, reaction: str, cells: str, why: str = "") -> Row:
    return nonlinear(f"rate, {name}", data(f"∂u/∂t = 3Δu + {reaction}"), RD, cells, why)


def curve(name: str, right: str, cells: str, why: str = "") -> Row:
    return nonlinear(f"far, {name}", data(f"∂u/∂t = {right}"), NL, cells, why)


def nothing(name: str, number: str, declare: str = "", cells: str = "PPPPPpp", why: str = "") -> Row:
    """Heat, and a number that is zero before u²."""
    text = data(f"∂u/∂t = 2Δu + ({number}) u²", declare=declare)
    return linear(f"nothing, {name}", text, HEAT, cells, why)


TABLE: tuple[Row, ...] = (
    # ---- what cancels
    linear("cancels, u² - u u", data("∂u/∂t = 2Δu + u² - u u"), HEAT, "PPPPPPP"),
    linear("cancels, a drift by the product rule", data(f"∂u/∂t = ∂(x u)/∂x - x {X} - u + Δu"), HEAT, "PPPPPPP"),
    linear("cancels, the flux of x²", data(f"∂u/∂t = ∂(x² {X})/∂x - 2x {X} - x² {XX} + {X}"), "transport", "PPPPPPP"),
    nonlinear("cancels, all but u", data("∂u/∂t = Δ(u²) - 2u Δu - 2‖∇u‖² + 3Δu - u³"), RD, "RRPPPpp"),
    linear("cancels, sin² + cos²", data("∂u/∂t = ((sin(x))² + (cos(x))²) Δu"), "diffusion", "PPPPPpp"),
    linear("cancels, exp x exp(-x)", data("∂u/∂t = (1 + exp(x) exp(-x)) Δu"), "diffusion", "PPPPPpp"),
    linear("cancels, cosh² - sinh²", data("∂u/∂t = ((cosh(x))² - (sinh(x))²) Δu"), "diffusion", "PPpPPpp", IDENTITY),
    Row(
        "cancels, halves of u",
        data("∂u/∂t = Δu + relu(u) - relu(-u) - u"),
        (HEAT,),
        True,
        1,
        "ppPPPpp",
        "relu(u) - relu(-u) = u",
    ),
    Row("cancels, |u|", data("∂u/∂t = Δu + max(u, -u) - abs(u)"), (HEAT,), True, 1, "ppPPPpp", "|u| = max(u, -u)"),
    Row("cancels, log exp u", data("∂u/∂t = Δu - log(exp(u))"), (HEAT,), True, 1, "pRPPPpp", "log exp u = u"),
    Row("cancels, a period", data("∂u/∂t = Δu + sin(u) - sin(u + 2π)"), (HEAT,), True, 1, "ppPPPpp", "nothing is left"),
    nonlinear("no cancelling, √u²", data("∂u/∂t = Δu + u - sqrt(u²)"), RD, "RRPPPpp", "2u for u < 0"),
    nonlinear("no cancelling, √ of a square", data(f"∂u/∂t = sqrt(({XX})²)"), NL, "RPR....", "falls at -1"),
    # ---- numbers that are zero
    nothing("a constant", "a", "const a = 0"),
    nothing("tenths", "a + b - c", declared("const a = 0.1", "const b = 0.2", "const c = 0.3")),
    nothing("a third", "3a - 1", "const a = 1/3"),
    nothing("√2 squared", "(sqrt(2))² - 2"),
    nothing("sin π", "sin(π)"),
    nothing("cos(π/3)", "cos(π/3) - ½"),
    nothing("exp log 2", "exp(log(2)) - 2"),
    Row("nothing, surds", data(f"∂u/∂t = 2Δu + ({ROOTS}) u²"), (HEAT,), False, 1, "ppPPPpp", SURD),
    nothing("atan 1", "4atan(1) - π"),
    linear("nothing, surds before Δu", data(f"∂u/∂t = ({ROOTS})Δu + {X}"), f"transport|{CD}", "PPpPPpp", SURD),
    nonlinear("nothing, nearly", data("∂u/∂t = 2Δu + 1e-200 u²"), RD, "RRPPP..", "small is not zero"),
    nonlinear(
        "nothing, nearly, of decimals",
        data("∂u/∂t = 2Δu + (π - 3.14159265358979323846) u³"),
        RD,
        "RRPPP..",
        "π is no decimal",
    ),
    # ---- signs on the line
    heat("1 + 10⁻⁹ + sin x", "1 + 1e-9 + sin(x)", "PPPPPpp"),
    heat("1 - 10⁻⁹ + sin x", "1 - 1e-9 + sin(x)", "PPR....", "-10⁻⁹ at -π/2"),
    heat("x² - 2x + 1 - 10⁻⁹", "x² - 2x + 0.999999999", "PPR....", "-10⁻⁹ at 1"),
    heat("x² - 2x + 1 + 10⁻⁹", "x² - 2x + 1.000000001", "PPPPPrr"),
    heat("(x - 300)(x - 301)", "x² - 601x + 90300", "PPR....", "-¼ at 300.5"),
    heat("(x - 1000)²", "x² - 2000x + 1000000", "PPPPPrr"),
    heat("½x² - 1 + cos x", "½x² - 1 + cos(x)", "PPpPP..", TAYLOR),
    heat("exp x - 1 - x", "exp(x) - 1 - x", "PPpPP..", "convex, with its tangent taken away"),
    heat("exp(-x²) - 10⁻³⁰", "exp(-x²) - 1e-30", "PPR....", "x = 10"),
    heat("1/(1 + x²) - 10⁻⁶", "1/(1 + x²) - 1e-6", "PPR....", "x = 2000"),
    heat("cosh x - 1", "cosh(x) - 1", "PPpPP..", "at least 0; grows, but the line is recurrent"),
    heat("x² - |x| + ¼", "x² - abs(x) + ¼", "PPPPPrr", "(|x| - ½)²"),
    heat("x² - |x| + 1/5", "x² - abs(x) + 1/5", "PPR....", "-1/20 at ½"),
    heat("max of |x| and 1", "max(x, -x, 1)", "PPPPPpr"),
    heat("relu(x)²", "(relu(x))²", "PPPPPrr", "Σ = relu(x) is Lipschitz"),
    heat("relu x", "relu(x)", "PPpPP.r", "nothing moves on the left; the value at 0 stays"),
    heat("min(1, |x|)²", "(min(1, abs(x)))²", "PPPPPpp", "Σ = min(1, |x|) is Lipschitz"),
    heat("max(0, 1 - x²)", "max(0, 1 - x²)", "PPpPP..", "nothing moves outside; values at ±1 stay"),
    heat("heaviside", "heaviside(x)", "PPpPP..", "nothing moves on the left; the value at 0 stays"),
    heat("2 + sin(x²)", "2 + sin(x²)", "PPpPP..", "positive and bounded; its root has steep slopes far out"),
    heat("x¹⁰⁰", "x^100", "PPpPP..", "the line is recurrent"),
    heat("exp exp x", "exp(exp(x))", "PPpPP..", "the line is recurrent"),
    # ---- signs on [0, 1]
    bar("(x - ⅓)²", "x² - (2/3) x + 1/9", "PRPPP..PR"),
    bar("x³ - x² + 4/27", "x³ - x² + 4/27", "PRPPP..PR", "a double zero at ⅔"),
    bar("x³ - x² + 0.148", "x³ - x² + 0.148", "PRR......", "-4/27000 at ⅔"),
    bar("sin x - x + x³/6", "sin(x) - x + x³/6", "PRpPP..pR", TAYLOR),
    bar("x - x³/6 - sin x", "x - x³/6 - sin(x)", "PRR......", "-0.008 at 1"),
    bar("1 - 1.0001x", "1 - 1.0001x", "PRR......", "-0.0001 at 1"),
    bar("½ - x(1 - x)·1.99", "½ - 1.99x(1 - x)", "PRPPP..PR", "0.0025 at ½"),
    bar("½ - x(1 - x)·2.01", "½ - 2.01x(1 - x)", "PRR......", "-0.0025 at ½"),
    bar("tan x - x", "tan(x) - x", "PRPPP..PR"),
    bar("sin²(7x) cos²(9x)", "(sin(7x))² (cos(9x))²", "PRPPP..PR"),
    bar("sin(20x) + 1.01", "sin(20x) + 1.01", "PRPPP..PR"),
    bar("(1 + x)^x - 1", "exp(x log(1 + x)) - 1", "PRPPP..PR", "not negative"),
    # ---- far from zero: rates
    rate("√ from 200 on", "sqrt(relu(u - 200))", "RRr.P..", "from 200: 200 and 200 + ¼t²"),
    rate("√ about -1000", "sqrt(abs(u + 1000))", "RRr.P..", "from -1000: it stays, and rises by ¼t²"),
    rate("a jump at 500", "heaviside(u - 500)", "RRr.P..", "from 500 on and from below"),
    rate("√ that falls, from 200 on", "(-1) sqrt(relu(u - 200))", "RRpPP..", "falling needs no slope"),
    rate("|u|^⅔", "abs(u)^(2/3)", "RRr.P..", "from 0: 0 and (t/3)³"),
    rate("|u|^(4/3)", "abs(u)^(4/3)", "RRpPP..", "its slope is continuous"),
    rate("square from 300 on", "(relu(u - 300))²", "RRPPP..", "a slope everywhere, as long as solutions exist"),
    # ---- far from zero: curvatures, slopes and values
    curve("relu, moved", f"relu({XX} + 500) - 500", "RPPPPpp"),
    curve("minus relu, from 500 on", f"{XX} - 2relu({XX} - 500)", "RPR....", "slope -1 beyond 500"),
    curve("tanh about 300", f"{XX} - 2tanh({XX} - 300)", "RRR....", "slope -1 at 300; 2 at constants"),
    curve("less 10⁻⁴ cubed", f"{XX} - 1e-8 ({XX})³", "RPR....", "slope 1 - 3·10⁻⁸ z² < 0 at 10⁴"),
    curve("u + 150", "(u + 150) Δu", "RPR....", "u = -151"),
    curve("exp u - 10⁻⁶⁰", "(exp(u) - 1e-60) Δu", "RPR....", "u = -200"),
    curve("u² - 10⁻¹⁰", "(u² - 1e-10) Δu", "RPR....", "u = 0"),
    curve("1 + tanh u", "(1 + tanh(u)) Δu", "RPpPP..", "positive; its root has a bounded slope"),
    curve("slope + 300", f"({X} + 300) Δu", "RPR....", "slope -301"),
    curve("10⁶ - slope²", f"(1000000 - ({X})²) Δu", "RPR....", "slope 1001"),
    curve("Δ(u⁹⁹)", "Δ(u^99)", "RPPPPpp", "99u⁹⁸ ≥ 0"),
    curve("Δ(u¹⁰⁰)", "Δ(u^100)", "RPR....", "u = -1"),
    curve("exp exp", f"exp(exp({XX})) - exp(1)", "RPPPPpp"),
    curve("z exp z", f"{XX} exp({XX})", "RPR....", "falls at -2"),
    curve("tanh thrice", f"tanh(tanh(tanh({XX})))", "RPPPPpp"),
    curve("atan sinh", f"atan(sinh({XX}))", "RPPPPpp"),
    curve("asin", f"asin({XX})", "Rppp...", "it increases where it has a value"),
    curve("acos", f"acos({XX})", "RRR....", "falls at 0"),
    curve("relu of relu - 1", f"relu(relu({XX}) - 1)", "RPPPPpp"),
    curve("min with -1", f"min({XX}, -1)", "RRPPPpp"),
    nonlinear("far, plane, curvatures about 400", plane(f"∂u/∂t = Δu - 2relu({XX} - 400)"), NL, "RPR....", FAR),
)
