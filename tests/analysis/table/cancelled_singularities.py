"""Roots, quotients and logarithms that cancel.

- √u √u is u where u ≥ 0, and nothing elsewhere: T(-f) is not defined, so T is not linear and not every constant stays.
- What is refuted must be so where there is a value: √x √x Δu is elliptic wherever it is defined.
- log(exp(u)), tan(atan(u)) and √(u²) have values for all u; cos(acos(u)) for |u| ≤ 1, √Δu for convex u.
- u^(1/3) has no value for u < 0 here, whatever a reader may think of cube roots: no letter where that decides.
"""

from __future__ import annotations

from analysis.more_spec_templates import DIRICHLET, classless, line, segment
from analysis.spec_templates import Row, data, interval, pair, periodic

HEAT = "rrpPPpppp"
GROWTH = "rRpPPpprr"
CROSS = "a value for some u alone"


def lost(name: str, right: str, cells: str, why: str = CROSS, bent: bool = False, declare: str = "") -> Row:
    return classless(f"third, dropped, {name}", data(f"∂u/∂t = {right}", declare=declare), cells, why, bent)


TABLE: tuple[Row, ...] = (
    lost("Δ(√u √u)", "Δ(√u √u)", HEAT),
    lost("Δu + √u √u", "Δu + sqrt(u) sqrt(u)", GROWTH),
    lost("u^½ u^½ u'", "u^(1/2) u^(1/2) ∂u/∂x", "R..PP...p", bent=True),
    lost("(√u)² Δu", "sqrt(u)² Δu", "R.pPP...r", bent=True),
    lost("-(√u)² Δu", "-sqrt(u)² Δu", "R.rPP...r", bent=True),
    lost("exp log u", "Δu + exp(log(u))", GROWTH),
    lost("Δ exp log u", "Δ(exp(log(u)))", HEAT),
    lost("log exp u", "Δu + log(exp(u))", "PRPPPppRR", "u, for all u"),
    lost("√(u²) Δu", "sqrt(u²) Δu", "RP.PP...r", "|u|", True),
    lost("Δ(u²/u)", "Δ(u²/u)", "..pPP...p"),
    lost("1/(1/u)", "Δu - 1/(1/u)", ".RpPP..rr"),
    lost("√x √x Δu", "sqrt(x) sqrt(x) Δu", "..UPP....", "no value for x < 0"),
    lost("-√x √x Δu", "-sqrt(x) sqrt(x) Δu", "..rPP....", "backwards for x > 0"),
    lost("log x - log x", "Δu + log(x) u - log(x) u", "..UPP....", "no value for x < 0"),
    lost("0 √u", "Δu + 0 sqrt(u)", HEAT),
    lost("c √u, c = 0", "Δu + c sqrt(u)", HEAT, declare="const c = 0"),
    lost("√u(√u - 1) + √u", "Δu + sqrt(u) (sqrt(u) - 1) + sqrt(u)", GROWTH),
    lost("asin sin u", "Δu + asin(sin(u))", "rRpPP...r", "a zigzag", True),
    lost("tan atan u", "Δu + tan(atan(u))", "pRpPPpprr", "u, for all u"),
    lost("atan tan u", "Δu + atan(tan(u))", ".R.PP....", "poles", True),
    lost("cos acos u", "Δu + cos(acos(u))", "rRpPP..rr", "u between -1 and 1"),
    lost("|u| sign u", "Δ(|u| sign(u))", "pPpPPpppp", "u", True),
    lost("cube of a cube root", "Δ((u^(1/3))³)", "..pPPpppp"),
    lost("√(u + 1)² - 1", "Δu + sqrt(u + 1)² - 1", GROWTH, "u from -1 on"),
    lost("√(-u) √(-u)", "Δ(sqrt(-u) sqrt(-u))", "rrrPP...p", "-u for u ≤ 0"),
    lost("by a let", "Δw", HEAT, declare="let w = sqrt(u) sqrt(u)"),
    lost("by a function", "Δ(f(u))", HEAT, declare="let f(z) = sqrt(z) sqrt(z)"),
    lost("√(t - ½)² Δu", "sqrt(t - ½)² Δu", "..UPP....", "no value before ½"),
    lost("t/t Δu", "(t/t) Δu", "pppPP....", "1 after 0"),
    lost("x/x Δu", "(x/x) Δu", "..pPP....", "1 but at 0"),
    lost("u'/u' Δu", "((∂u/∂x)/(∂u/∂x)) Δu", "..pPP....", "1 but for u' = 0"),
    lost("√Δu √Δu", "sqrt(Δu) sqrt(Δu)", "rppPP....", "convex u alone"),
    lost("-√Δu √Δu", "-sqrt(Δu) sqrt(Δu)", "rprPP....", "convex u alone"),
    lost("exp log Δu", "exp(log(Δu))", "r.pPP....", "convex u alone"),
    lost("√(1 + u) √(1 - u)", "Δu + sqrt(1 + u) sqrt(1 - u) - sqrt(1 + u) sqrt(1 - u)", HEAT, "|u| ≤ 1"),
    classless("third, dropped, ∂(√u √u)/∂t", data("∂(sqrt(u) sqrt(u))/∂t = Δu"), HEAT, CROSS),
    classless("third, dropped, log u - log u, ring", periodic("∂u/∂t = Δu + log(u) - log(u)"), "rrpPP..pp", CROSS),
    classless("third, dropped, √v √v", pair("∂u/∂t = Δu + sqrt(v) sqrt(v)", "∂v/∂t = Δv"), "rR.PP...r", CROSS, count=2),
    classless(
        "third, dropped, u > 0, Δ(√u √u)", line("∂u/∂t = Δ(sqrt(u) sqrt(u))", kind="scalar > 0"), "pPpPPppPp", "u"
    ),
    classless(
        "third, dropped, u ≥ 0, √u √u", line("∂u/∂t = Δu + sqrt(u) sqrt(u)", kind="scalar >= 0"), "pRpPPpprr", "u"
    ),
    classless(
        "third, dropped, √x √x on [1, 2]",
        segment("∂u/∂t = sqrt(x) sqrt(x) Δu", DIRICHLET, "sin(π x)", "x in [1, 2]"),
        "PRPPP..PR",
    ),
    classless(
        "third, dropped, √(x - 1)² on [0, 1]", interval("∂u/∂t = sqrt(x - 1)² Δu"), "..UPP....", "no value inside"
    ),
    classless(
        "third, dropped, Robin",
        interval("∂u/∂t = Δu", "n·∇u = -sqrt(u) sqrt(u) on boundary"),
        "rRpPP...r",
        "u ≥ 0 there",
    ),
    classless("third, dropped, walls", interval("∂u/∂t = Δu", "sqrt(u) sqrt(u) = 1 on boundary"), "RRpPP..pr", "u = 1"),
)
