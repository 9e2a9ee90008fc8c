"""Signs of the unknown by type, domains of definition hidden by differentiation, terminal conditions, and growth at
infinity.

- With u ≥ 0, |u| = relu(u) = u and min(u, 0) = 0: what bends only below zero does not bend, and moves nothing.
- log u has values for u > 0 alone: Δ log u = u''/u - u'²/u² has a value at u < 0, the equation has none there.
- From data at the end v(s) = u(1 - s) solves ∂v/∂s = -F(v): a one-sided bound on the slope of F is none on that of -F.
- ∂u/∂t = -∂(b u)/∂x carries mass along x' = b: for b = x³ it reaches infinity in finite time. (a u')' with a = 1 + x⁴
  is the diffusion with the drift 4x³ and explodes, (a u)'' has no drift and does not (Feller's test).
- Total variation flow and fast diffusion lose mass at infinity: p < 2n/(n + 1), m ≤ (n - 2)/n.
"""

from __future__ import annotations

from analysis.more_spec_templates import linear, nonlinear, periodic_2pi
from analysis.spec_templates import Row, data

ANY = (
    "nonlinear-diffusion|convection-diffusion|reaction-diffusion|hamilton-jacobi|diffusion|transport|ode|elliptic"
    "|higher-order|hyperbolic|wave|parabolic|mixed|hamiltonian|nonlocal"
)
HEAT = "the heat equation, for u ≥ 0"
U, UU = "∂u/∂x", "∂²u/∂x²"


def typed(name: str, right: str, cells: str, why: str = "", kind: str = "scalar ≥ 0") -> Row:
    row = linear if cells[0] == "p" else nonlinear
    return row(f"second, {kind}, {name}", periodic_2pi(f"∂u/∂t = {right}", kind=kind), ANY, cells, why)


def free(name: str, right: str, cells: str, why: str = "") -> Row:
    return nonlinear(f"second, any u, {name}", periodic_2pi(f"∂u/∂t = {right}"), ANY, cells, why)


def late(name: str, right: str, cells: str, why: str = "", kind: str = "scalar", bent: bool = False) -> Row:
    text = data(f"∂u/∂t = {right}", at="1").replace("t) : scalar", f"t) : {kind}")
    return (nonlinear if bent else linear)(f"second, from the end, {name}", text, ANY, cells, why)


def mass(name: str, right: str, cells: str, why: str = "", bent: bool = False) -> Row:
    return (nonlinear if bent else linear)(f"second, mass, {name}", data(f"∂u/∂t = {right}"), ANY, cells, why)


def wide(name: str, space: str, right: str, cells: str, why: str, kind: str = "scalar") -> Row:
    text = data(f"∂u/∂t = {right}", space).replace("t) : scalar", f"t) : {kind}")
    return nonlinear(f"second, {space}, {name}", text, ANY, cells, why)


P0 = "scalar > 0"
TABLE: tuple[Row, ...] = (
    # ---- u ≥ 0
    typed("-relu(u)", "Δu - relu(u)", "pRpPP..rr", "-u"),
    typed("|u|", "Δu + abs(u)", "pRpPP..rr", "u"),
    typed("min(u, 0)", "Δu + min(u, 0)", "pppPP..pp", HEAT),
    typed("relu(-u)", "Δu + relu(-u)", "pppPP..pp", HEAT),
    typed("min(u, 0)²", "Δu + min(u, 0)²", "pppPP..pp", HEAT),
    typed("heaviside(-u - 1)", "Δu - heaviside(-u - 1)", "pppPP..pp", HEAT),
    typed("Δ min(u, 0)", "Δu - Δ(min(u, 0))", "pppPP..pp", HEAT),
    typed("Δ relu(-u)", "Δu + 3Δ(relu(-u))", "pppPP..pp", HEAT),
    typed("-u|u|", "Δu - u abs(u)", "RRpPP..rR", "-u²"),
    typed("(u + |u|) Δu", "(u + abs(u)) Δu", "RP.PP...R", "2uΔu loses ∫|∇u|²"),
    typed("|u| u'", f"abs(u) {U}", "RP.PP..pp", "½(u²)'"),
    typed("sign(u) Δu", "sign(u) Δu", "pppPP..pp", HEAT, P0),
    typed("heaviside(u) Δu", "heaviside(u) Δu", "pppPP..pp", HEAT, P0),
    typed("Δ|u|", "Δ(abs(u))", "pppPP..pp", HEAT, P0),
    typed("max(u, -u) - u", "Δu + max(u, -u) - u", "pppPP..pp", HEAT, P0),
    typed("log exp u", "Δu + log(exp(u)) - u", "pppPP..pp", HEAT, P0),
    typed("√u² u'", f"sqrt(u²) {U}", "RP.PP..pp", "½(u²)'", P0),
    typed("softplus less", "Δu - Δ(min(u, 0)) + relu(-u - 1)", "pppPP..pp", HEAT, P0),
    free("min(u, 0)", "Δu + min(u, 0)", "RRPPP..RR", "moves -1"),
    free("relu(-u)", "Δu + relu(-u)", "RRPPP..RR", "moves -1"),
    free("Δ min(u, 0)", "Δu - Δ(min(u, 0))", "RPpPP..pp", "Δ relu(u)"),
    free("sign(u) Δu", "sign(u) Δu", "R.RPP....", "backwards below zero"),
    # ---- domains that differentiating hides
    free("Δ log u", "Δ(log(u))", "R.pPP....", "1/u > 0 where log u has a value"),
    free("-Δ log u", "-Δ(log(u))", "R.rPP....", "-1/u < 0"),
    free("Δ log u³", "Δ(log(u³))", "R.pPP....", "3/u > 0 where log u³ has a value"),
    free("Δu + Δ log u", "Δu + Δ(log(u))", "R.pPP....", "1 + 1/u"),
    free("Δ(log u + u²)", "Δ(log(u) + u²)", "R.pPP....", "1/u + 2u"),
    free("∂ log u' /∂x", f"∂/∂x log({U})", "R.pPP....", "u''/u' with u' > 0"),
    free("-∂ log u' /∂x", f"-∂/∂x log({U})", "R.rPP....", "-u''/u'"),
    free("Δu + ∂ log u' /∂x", f"Δu + ∂/∂x log({U})", "R.pPP....", "1 + 1/u' with u' > 0"),
    free("Δ log(1 - u²)", "Δ(log(1 - u²))", "R.rPP....", "-2u/(1 - u²) for u = ½"),
    free("Δ asin u", "Δ(asin(u))", "R.pPP....", "1/√(1 - u²)"),
    free("Δ acos u", "Δ(acos(u))", "R.rPP....", "-1/√(1 - u²)"),
    free("log(u) Δu", "log(u) Δu", "R.RPP....", "log ½ < 0"),
    free("Δ(u log u)", "Δ(u log(u))", "R.rPP....", "1 + log u < 0 for u < 1/e"),
    free("√(Δu - 1)", "Δu + sqrt(Δu - 1)", "RUpPP....", "no value for constants"),
    free("log u'", f"Δu + log({U})", "RUpPP....", "no value for constants"),
    free("log log u", "Δ(log(log(u)))", "R.pPP....", "1/(u log u) > 0 for u > 1"),
    linear("second, any u, log x", data(f"∂u/∂t = ∂(log(x) {U})/∂x"), ANY, "p.rPP....", "log ½ < 0"),
    linear("second, any u, (log x)'", data("∂u/∂t = ∂(log(x))/∂x Δu"), ANY, "..UPP....", "no value for x < 0"),
    linear(
        "second, any u, -(log x)''", data("∂u/∂t = -∂²(log(x))/∂x² Δu"), ANY, "..UPP....", "1/x², no value for x < 0"
    ),
    # ---- data at the end
    late("-√u", "-Δu - sqrt(u)", "RRrPP....", "∂v/∂s = Δv + √v", "scalar ≥ 0", True),
    late("√u", "-Δu + sqrt(u)", "RRpPP....", "∂v/∂s = Δv - √v", "scalar ≥ 0", True),
    late("-u³", "-Δu - u³", "RRPPP....", "∂v/∂s = Δv + v³", bent=True),
    late("u²", "-Δu + u²", "RRPPP....", "∂v/∂s = Δv - v²", bent=True),
    late("sign u", "-Δu - sign(u)", "RRrPP....", "∂v/∂s = Δv + sign v", bent=True),
    late("x³ inwards", f"-Δu + x³ {U}", "PPPPP....", "X' = -X³"),
    late("x³ outwards", f"-Δu - x³ {U}", "PPUPP....", "X' = X³"),
    late("√|x|", f"sqrt(abs(x)) {U}", "PPrPP....", "several ways out of 0"),
    late("(x³u)'", "∂(x³ u)/∂x", "PR.PP...r", "to infinity in finite time"),
    late("-(x³u)'", "-∂(x³ u)/∂x", "PR.PP...p", "from infinity"),
    # ---- mass on the line
    mass("(x³u)'", "∂(x³ u)/∂x", "PR.PP...p", "from infinity"),
    mass("-(x²u)'", "-∂(x² u)/∂x", "PR.PP...r", "to infinity in finite time"),
    mass("-(x log(2 + x²) u)'", "-∂(x log(2 + x²) u)/∂x", "PR.PP...p", "in no finite time"),
    mass("((1 + x²)u')'", f"∂((1 + x²) {U})/∂x", "PP.PP...p", "a linear drift"),
    mass("((1 + x⁴)u)''", "∂²((1 + x⁴) u)/∂x²", "PR.PP...p", "without drift there is no explosion"),
    mass("exp(x²) u'", f"∂(exp(x²) {U})/∂x", "PP.PP...r", "explodes"),
    mass("u' over its root", f"∂({U}/sqrt(1 + ({U})²))/∂x", "RP.PP...p", "a bounded flux", True),
    wide("total variation", "(x, y) in R^2", "∇·(∇u/‖∇u‖)", "R..PP...r", "a disc sinks at the rate 2/r"),
    wide("fast p-Laplacian", "x in R^4", "∇·(∇u/sqrt(‖∇u‖))", "R..PP...r", "1.5 < 8/5"),
    wide("slow p-Laplacian", "(x, y) in R^2", "∇·(‖∇u‖ ∇u)", "Rp.PP...p", "p = 3"),
    wide("√u in space", "x in R^3", "Δ(sqrt(u))", "R..PP...p", "½ > ⅓", "scalar ≥ 0"),
    wide("√u in six dimensions", "x in R^6", "Δ(sqrt(u))", "R..PP...r", "½ < ⅔", "scalar ≥ 0"),
    wide("log u in the plane", "(x, y) in R^2", "Δ(log(u))", "RPrPP...r", "several solutions, and all lose mass", P0),
)
