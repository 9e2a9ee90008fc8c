"""Piecewise functions, very small and large numbers, names and arrangements.

- max(x², 1 - x) is at least 0.38; min(x², 1 - x) is negative beyond 1; 1 - |sin x| is the square of a Lipschitz root.
- relu(u) - relu(-u) is u, u heaviside(u) is relu(u), relu(-u²) is 0.
- -1e-30 is negative; (1e-9)² - 1e-18 is 0.
- E, I, N, S, e and n are names like others.
- ∂(exp(t) u)/∂t = 0 is ∂u/∂t = -u; x ∂u/∂t = Δu runs backwards for x < 0; (1 + u²) ∂u/∂t = Δu does not.
"""

from __future__ import annotations

from analysis.more_spec_templates import classless, line
from analysis.spec_templates import Row, data, lines, periodic

HEAT = "PPPPPPPPP"
BACK = "PPRPP..R."


def piece(name: str, right: str, cells: str, why: str = "in pieces", bent: bool = False) -> Row:
    return classless(f"third, piece, {name}", data(f"∂u/∂t = {right}"), cells, why, bent)


def tiny(name: str, right: str, cells: str, why: str = "", bent: bool = False, declare: str = "") -> Row:
    return classless(f"third, tiny, {name}", data(f"∂u/∂t = {right}", declare=declare), cells, why, bent)


def named(name: str, declare: str, right: str, cells: str, why: str = "") -> Row:
    return classless(f"third, name, {name}", data(f"∂u/∂t = {right}", declare=declare), cells, why)


def placed(name: str, equation: str, cells: str, why: str = "", bent: bool = False, kind: str = "scalar") -> Row:
    return classless(f"third, arranged, {name}", line(equation, kind=kind), cells, why, bent)


def long(name: str, right: str, cells: str, why: str = "") -> Row:
    text = lines(
        "pde Row", "space x in R", "time t in [0, 2]", "unknown u(x, t) : scalar", f"∂u/∂t = {right}",
        "u(x, 0) = exp(-x²)",
    )  # fmt: skip
    return classless(f"third, piece, to 2, {name}", text, cells, why)


TABLE: tuple[Row, ...] = (
    piece("-heaviside(x - 5)Δu", "-heaviside(x - 5) Δu", "PPrPP..r."),
    piece("(|x| - 1)Δu", "(|x| - 1) Δu", BACK),
    piece("min(x, 1)Δu", "min(x, 1) Δu", BACK),
    piece("max(x, -x)Δu", "max(x, -x) Δu", "PPpPP...."),
    piece("max(x², 1 - x)Δu", "max(x², 1 - x) Δu", "PPpPP...."),
    piece("min(x², 1 - x)Δu", "min(x², 1 - x) Δu", BACK),
    piece("max(x - 7, -1)Δu", "max(x - 7, -1) Δu", BACK),
    piece("(heaviside(x) - ½)Δu", "(heaviside(x) - ½) Δu", BACK),
    piece("(|sin x| - 1)Δu", "(|sin(x)| - 1) Δu", BACK),
    piece("(1 - |sin x|)Δu", "(1 - |sin(x)|) Δu", "PPpPP...."),
    piece("(1 + heaviside(x))Δu", "(1 + heaviside(x)) Δu", "PPpPP...."),
    piece("√|x - 1|Δu", "sqrt(|x - 1|) Δu", "PPrPP....", "several solutions"),
    piece("relu(x)^½ u'", "sqrt(relu(x)) ∂u/∂x", "PPrPP....", "0 and (x + t/2)² leave 0"),
    piece("(heaviside(t - ½) - ½)Δu", "(heaviside(t - ½) - ½) Δu", BACK),
    piece("|t - ½|Δu", "|t - ½| Δu", "PPPPPPpPP"),
    piece("min(t, ½ - t)Δu", "min(t, ½ - t) Δu", BACK),
    piece("max(t, ½)Δu", "max(t, ½) Δu", "PPPPPppPP"),
    long("(1 - t)Δu", "(1 - t) Δu", BACK),
    long("max(1 - t, 0)Δu", "max(1 - t, 0) Δu", "PPPPPppPP"),
    long("relu(t - 2)u", "Δu + relu(t - 2) u", "pppPP...p", "nothing before 2"),
    piece("relu(u) - relu(-u)", "Δu + relu(u) - relu(-u)", "pRpPP..rr", "u"),
    piece("max(u, -u) - |u|", "Δu + max(u, -u) - |u|", "pppPP..pp", "nothing"),
    piece("min(u, 0) + max(u, 0)", "Δu + min(u, 0) + max(u, 0)", "pRpPP..rr", "u"),
    piece("u heaviside u", "Δu + u heaviside(u)", "RRpPP..rr", "relu", True),
    piece("max(u, 1)", "Δu + max(u, 1)", "RRpPP..rr", "", True),
    piece("min(max(u, 0), 0)", "Δu + min(max(u, 0), 0)", "pppPP..pp", "nothing"),
    piece("relu(u² + 1)", "Δu + relu(u² + 1)", "RRpPP..rr", "u² + 1", True),
    piece("relu(-u²)", "Δu + relu(-u²)", "pppPP..pp", "nothing"),
    piece("(|x|u)''", "∂²(|x| u)/∂x²", "pr.PP....", "a point source at 0"),
    piece("(heaviside(x)u)'", "∂(heaviside(x) u)/∂x", "pr.PP....", "a point source at 0"),
    piece("(sign(x)u)'", "∂(sign(x) u)/∂x", "pr.PP....", "a point source at 0"),
    piece("(|x|)'u'", "∂(|x|)/∂x ∂u/∂x", "pp.PP....", "sign x"),
    # ---- small and large
    tiny("1e-30Δu", "1e-30 Δu", HEAT),
    tiny("-1e-30Δu", "-1e-30 Δu", BACK),
    tiny("1e-12 - 1e-13 sin x", "(1e-12 - 1e-13 sin(x)) Δu", "PPPPPppP."),
    tiny("1e-13 - 1e-12 sin x", "(1e-13 - 1e-12 sin(x)) Δu", "PPrPP..r."),
    tiny("1e-40 u'''", "1e-40 ∂³u/∂x³", "PPRPP..RP"),
    tiny("1e-300 u", "Δu + 1e-300 u", "PRPPPPPRR"),
    tiny("1e-12 as a source", "Δu + 1e-12", "RRPPPPPRR"),
    tiny("(1e-9)² - 1e-18", "Δu + (c² - 1e-18) u", "PPPPPppPP", declare="const c = 1e-9"),
    tiny("1e200Δu", "1e200 Δu", "PPPPPppPP"),
    tiny("1e-200u²", "Δu + 1e-200 u²", "RRPPP..rr", bent=True),
    tiny("1e9 - x²", "(1e9 - x²) Δu", "PPrPP..r.", "beyond 31,623"),
    tiny("1 + 1e-20 - 1", "(1 + 1e-20 - 1) Δu", HEAT),
    tiny("tanh(x) + 1 - 1e-6", "(tanh(x) + 1 - 1e-6) Δu", "PPrPP..r.", "far to the left"),
    tiny("exp(-x²) - 1e-20", "(exp(-x²) - 1e-20) Δu", "PPrPP..r.", "far away"),
    # ---- names
    named("E = -1", "const E = -1", "E Δu", BACK),
    named("I = 2", "const I = 2", "I Δu", HEAT),
    named("N = -3", "const N = -3", "N Δu", BACK),
    named("S = 1", "const S = 1", "S Δu", HEAT),
    named("e = -1", "const e = -1", "e Δu", BACK),
    named("n = -2", "const n = -2", "n Δu", BACK),
    named("Q and O", "const Q = 1\nconst O = 2", "(Q - O) Δu", BACK),
    named("σ² = 0.2", "const σ² = 0.2", "σ² Δu", HEAT),
    named("b = a - 1", "const a = 1\nconst b = a - 1", "Δu + b ∂³u/∂x³", "PPPPPppPP"),
    named("let a = -1", "let a = -1", "a Δu", BACK),
    named("let f of x is 0", "let f(x) = x - x", "Δu + f(x) u", "PPPPPppPP"),
    named("let f of f", "let f(z) = z - 1", "f(f(x²)) Δu", BACK),
    named("let g shadows x", "let g(x) = -x²", "-g(2x) Δu", "PPPPPrr.."),
    # ---- arrangements
    placed("all on one side", "0 = Δu - ∂u/∂t", HEAT),
    placed("twice", "2∂u/∂t = Δu + ∂u/∂t", HEAT),
    placed("the other sign", "-∂u/∂t = Δu", BACK),
    placed("x on both sides", "x ∂u/∂t = x Δu", "pppPP...."),
    placed("x on the left", "x ∂u/∂t = Δu", "..rPP....", "backwards for x < 0"),
    placed("1 + x² on the left", "(1 + x²) ∂u/∂t = Δu", "PPPPPpp.R"),
    placed("u on the left", "u ∂u/∂t = Δu", "R.rPP....", "backwards for u < 0", True),
    placed("u on the left, u > 0", "u ∂u/∂t = Δu", "RPpPP...R", "", True, "scalar > 0"),
    placed("1 + u² on the left", "(1 + u²) ∂u/∂t = Δu", "RPpPP..pr", "", True),
    placed("0 u²", "∂u/∂t = Δu + 0 u²", HEAT),
    placed("u² on both sides", "∂u/∂t + u² = Δu + u²", HEAT),
    placed("t on both sides", "t ∂u/∂t = t Δu", "pppPP...."),
    placed("(e^t u)'", "∂(exp(t) u)/∂t = 0", "PRPPPPPRR"),
    placed("(u + u³)'", "∂(u + u³)/∂t = Δu", "RPpPP..pr", "", True),
    placed("(u²)' , u > 0", "∂(u²)/∂t = Δu", "RPpPP...R", "", True, "scalar > 0"),
    placed("divided by u", "(1/u) ∂u/∂t = Δu", "RPpPP...R", "", True, "scalar > 0"),
    placed("divided by -2", "∂u/∂t/(-2) = Δu", BACK),
    placed("a product", "(∂u/∂t - Δu) (1 + u²) = 0", "p.pPP....", "heat", True),
    placed("cancelled third order", "∂u/∂t + ∂³u/∂x³ = Δu + ∂(∂²u/∂x²)/∂x", HEAT),
    classless(
        "third, arranged, ring, never",
        periodic("∂u/∂t = Δu + heaviside(-1 - x²) ∂³u/∂x³"),
        "pppPP..pp",
        "nothing",
    ),
)
