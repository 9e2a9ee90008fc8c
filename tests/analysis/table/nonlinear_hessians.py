"""Functions of ∇u and ∇∇u, discontinuous and singular coefficients, weights, time intervals, and elementary cases.

- F(X) may not decrease: min(X, X²) is X, then X² on [0, 1], then X again, and increases.
- X' = √|X| has several solutions from 0; X' = -sign(X) has one. A rate with a jump upwards, sign(u), has several.
- relu(g)Δu: values on the edge g = 0 stay only if nothing else moves them, and if the edge stays.
- √f of a network f ≥ 0 is not Lipschitz where f is |q|.
"""

from __future__ import annotations

from analysis.more_spec_templates import INSULATED, ZERO_SPEED, line, linear, nonlinear, square
from analysis.spec_templates import Row, data, declared, interval, periodic, periodic_box, plane
from analysis.table.signed_unknowns import ANY

U, UU = "∂u/∂x", "∂²u/∂x²"


def curved(name: str, right: str, cells: str, why: str = "") -> Row:
    return nonlinear(f"second, curved, {name}", data(f"∂u/∂t = {right}"), ANY, cells, why)


def sheet(name: str, right: str, cells: str, why: str = "") -> Row:
    return nonlinear(f"second, sheet, {name}", plane(f"∂u/∂t = {right}"), ANY, cells, why)


def rough(name: str, right: str, cells: str, why: str = "", bent: bool = False) -> Row:
    return (nonlinear if bent else linear)(f"second, rough, {name}", data(f"∂u/∂t = {right}"), ANY, cells, why)


def edge(name: str, right: str, cells: str, why: str = "") -> Row:
    return linear(f"second, edge, {name}", plane(f"∂u/∂t = {right}"), ANY, cells, why)


def weight(
    name: str, right: str, declare: str, cells: str, why: str = "", space: str = "x in R", bent: bool = False
) -> Row:
    text = data(f"∂u/∂t = {right}", space, declare)
    return (nonlinear if bent else linear)(f"second, weight, {name}", text, ANY, cells, why)


def pieces(name: str, first: str, then: str, cells: str, why: str = "") -> Row:
    text = periodic(f"∂u/∂t = {first} for t in [0, ½]\n∂u/∂t = {then} for t in [½, 1]")
    return linear(f"second, pieces, {name}", text, f"{ANY} {ANY}", cells, why)


def easy(name: str, text: str, cells: str, why: str = "", bent: bool = False, order: int = 1) -> Row:
    return (nonlinear if bent else linear)(f"second, first course, {name}", text, ANY, cells, why, order)


def loop(right: str) -> str:
    return periodic(f"∂u/∂t = {right}")


def on_line(right: str) -> str:
    return data(f"∂u/∂t = {right}")


F = "learn f(u) : scalar = mlp"
TABLE: tuple[Row, ...] = (
    # ---- functions of derivatives
    curved("min(X, X²)", f"min({UU}, ({UU})²)", "RPpPP....", "increases"),
    curved("max(X, X²)", f"max({UU}, ({UU})²)", "RPRPP....", "falls below 0"),
    curved("X + 1.1 sin X", f"{UU} + 1.1 sin({UU})", "RPRPP....", "1 - 1.1"),
    curved("X/(1 + |X|)", f"{UU}/(1 + abs({UU}))", "RPpPP....", "1/(1 + |X|)²"),
    curved("tan X", f"tan({UU})", "RPUPP....", "poles"),
    curved("-1/(1 + X²)", f"-1/(1 + ({UU})²)", "RRRPP....", "falls below 0"),
    curved("√relu X", f"sqrt(relu({UU}))", "RPpPP....", "increases"),
    curved("-√relu(-X)", f"-sqrt(relu(-{UU}))", "RPpPP....", "increases"),
    curved("max(X, p, -u)", f"max({UU}, {U}, -u)", "RRpPP....", "falls with u; moves -1"),
    curved("X/(1 + p²)", f"{UU}/(1 + ({U})²)", "RPPPP...p", "(atan u')'"),
    curved("p³", f"({U})³", "RPPPP....", "of first order, the same at all x"),
    curved("x p²", f"x ({U})²", "RPUPP....", "steeper without bound"),
    curved("u p²", f"u ({U})²", "RPUPP....", "increases with u at any rate"),
    curved("u²p", f"u² {U}", "RP.PP...p", "(u³/3)'"),
    sheet("max(Δu, u_xx)", "max(Δu, ∂²u/∂x²)", "RPpPP....", "Bellman"),
    sheet("u_xx - relu(u_yy)", "∂²u/∂x² - relu(∂²u/∂y²)", "RPRPP....", "falls with u_yy"),
    sheet("Δu + |u_xy|", "Δu + abs(∂²u/∂x∂y)", "RPpPP....", "1 - ½"),
    sheet("Δu + 3|u_xy|", "Δu + 3abs(∂²u/∂x∂y)", "RPRPP....", "1 - 3/2"),
    sheet("Δu + tanh(u) u_xy", "Δu + tanh(u) ∂²u/∂x∂y", "RPpPP....", "1 - ½"),
    sheet("Δu - 2u_xy exp(-u²)", "Δu - 2 exp(-u²) ∂²u/∂x∂y", "RPpPP....", "1 - exp ≥ 0, zero at u = 0"),
    # ---- jumps and poles
    rough("-√|x| p", f"-sqrt(abs(x)) {U}", "PPrPP....", "several ways out of 0"),
    rough("x|x|p", f"x abs(x) {U}", "PPrPP....", "leaves in finite time"),
    rough("tan(x)² Δu", "tan(x)² Δu", "PPUPP....", "poles"),
    rough("tan(x) u", "Δu + tan(x) u", "PRUPP....", "poles"),
    rough("heaviside(x) u", "Δu + heaviside(x) u", "PRpPP...R", "a bounded rate"),
    rough("heaviside u", "Δu + heaviside(u)", "RRrPP....", "0 and t", True),
    rough("√relu u", "Δu + sqrt(relu(u))", "RRrPP....", "0 and t²/4", True),
    rough("|u|^⅔", "Δu + abs(u)^(2/3)", "RRrPP....", "0 and t³/27", True),
    rough("u log|u|", "Δu + u log(abs(u))", "RRpPP....", "its slope has a bound above", True),
    rough("u²√|u|", "Δu + u² sqrt(abs(u))", "RRpPP....", "locally Lipschitz", True),
    edge("relu(1 - r²)", "relu(1 - x² - y²) Δu", "PPpPP....", "the edge stays"),
    edge("relu(1 - r²) in a wind", "relu(1 - x² - y²) Δu + ∂u/∂x", "PPUPP....", "the edge is crossed"),
    edge("relu(1 - r²) inwards", "relu(1 - x² - y²) Δu - x ∂u/∂x - y ∂u/∂y", "PPUPP....", "the edge is crossed"),
    edge("relu(1 - r² - t)", "relu(1 - x² - y² - t) Δu", "PPUPP....", "the edge moves"),
    edge("relu(1 - r²)²", "relu(1 - x² - y²)² Δu", "PP.PP....", "a double zero"),
    # ---- weights
    weight("|q|", "abs(q) Δu", "learn q(x) : scalar = mlp", "PPUPP....", "the root of |q| is not Lipschitz"),
    weight("f(u)", "Δu + f(u)", F, "UrpPP....", "Lipschitz", bent=True),
    weight("f(√|u|)", "Δu + f(sqrt(abs(u)))", F, "UrrPP....", "several solutions", bent=True),
    weight("f(u)u'", f"Δu + f(u) {U}", F, "UPpPP...p", "a flux", bent=True),
    weight("√f", "Δu + sqrt(abs(f(u)))", F, "UrrPP....", "not Lipschitz at a zero of f", bent=True),
    weight("q heaviside", "Δu + heaviside(q) u", "learn q(x) : scalar = mlp", "PrpPP....", "a bounded rate"),
    weight("sign(q) Δu", "sign(q) Δu", "learn q(x) : scalar = mlp", "PP.PP....", "either sign"),
    weight("p - p", "Δu + relu(q) - q", "learn q : scalar > 0", "pppPP....", "nothing"),
    # ---- pieces of time
    pieces("heat, then wind", "Δu", U, "PPPPP..PP"),
    pieces("heat, then decay", "Δu", "Δu - u", "PRPPP..RR"),
    pieces("½ - t, then t - ½", "(½ - t) Δu", "(t - ½) Δu", "PPPPP..PP", "neither is negative"),
    pieces("t - ½, then heat", "(t - ½) Δu", "Δu", "PPRPP..RP", "backwards first"),
    pieces("up, then down", "1", "-1", "RRPPP..RR", "returns to where it was"),
    pieces("heat, then memory", "Δu", "u(x, t - ½) - u", "PP.R.....", "a delay"),
    pieces("heat, then mirror", "Δu", "u(x + ½, t) - u", "PP..R....", "across the ring"),
    # ---- a first course
    easy("heat in a wind", loop("Δu + 3 ∂u/∂x"), "PPPPPPPPP"),
    easy("heat with decay", loop("Δu - 2u"), "PRPPPPPRR"),
    easy("heat with a source", loop("0.1Δu + 5"), "RRPPPPPRR"),
    easy("Burgers", loop("u ∂u/∂x + Δu"), "RPPPP..PP", bent=True),
    easy("cold rod", interval("∂u/∂t = 2Δu"), "PRPPP..PR"),
    easy("insulated rod", interval("∂u/∂t = 2Δu", INSULATED), "PPPPP..PP"),
    easy("sine", on_line("Δu + sin(3u)"), "RRPPP....", bent=True),
    easy("wind", on_line("-2 ∂u/∂x"), "PPPPPPPPP"),
    easy("plate", on_line("-2 ∂⁴u/∂x⁴"), "PPRPP..RP"),
    easy("Airy", on_line("3 ∂³u/∂x³"), "PPRPP..RP"),
    easy("torus", periodic_box("∂u/∂t = Δu + ∂u/∂x - ∂u/∂y"), "PPPPPPPPP"),
    easy("half backwards", plane("∂u/∂t = ∂²u/∂x² - 2 ∂²u/∂y²"), "PPRPP..R."),
    easy("string", line("∂²u/∂t² = 4Δu", rest=ZERO_SPEED), "PPPRP....", order=2),
    easy("cubic flux", loop("∂(u³)/∂x"), "RPPPP..PP", bent=True),
    easy("uneven rate", on_line("Δu + cos(x) u"), "PRPPPPPRR"),
    easy("conductivity of two signs", loop("∂(cos(2π x) ∂u/∂x)/∂x"), "PPRPP..RP"),
    easy("fading", on_line("exp(-2t) Δu"), "PPPPPPPPP"),
    easy("backwards first", on_line("(t - ¼) Δu"), "PPRPP..R."),
    easy("two walls", interval("∂u/∂t = Δu", declared("u = 1 on left", "u = 3 on right")), "RRPPP..PR"),
    easy("insulated square", square("∂u/∂t = 3Δu", INSULATED), "PPPPP..PP"),
    easy("decay alone", on_line("-3u"), "PRPPPPPRR"),
    easy("square alone", on_line("2u²"), "RRPPP...R", bent=True),
    easy("time alone", on_line("t²"), "RRPPPPPRR"),
    easy("eikonal", loop("2 (∂u/∂x)²"), "RPPPP..PR", bent=True),
    easy("a neighbour", on_line("Δu + u(x - 2, t)"), "PR.PR...r", "twice the mass"),
    easy("two neighbours", on_line("u(x + 1, t) + u(x - 1, t) - 2u"), "PPpPR...p"),
    easy("porous and heat", loop("Δ(2u³ + u)"), "RPPPP..PP", bent=True),
    easy("phases", loop("Δ(u - u³)"), "RPRPP...P", bent=True),
    easy("Allen-Cahn", loop("Δu + 2u - 2u³"), "RRPPP..RR", bent=True),
    easy("Kuramoto-Sivashinsky", loop("-∂²u/∂x² - ∂⁴u/∂x⁴ - u ∂u/∂x"), "RPRPP...P", bent=True),
    easy("Korteweg-de Vries", loop("-6u ∂u/∂x - ∂³u/∂x³"), "RPRPP...P", bent=True),
    easy("Fokker-Planck", on_line("Δu + ∂(x u)/∂x"), "PRPPP...P"),
    easy("Black-Scholes", on_line("x² Δu + x ∂u/∂x - u"), "PRPPP...P", "(x²u' - xu)'"),
    easy("disordered", periodic_box("∂u/∂t = ∂(sin(2π y) u)/∂x"), "PPPPP..PP", "the speed does not depend on x"),
)
