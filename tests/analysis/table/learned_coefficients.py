"""Learned coefficients of every type, irregular domains, and conditions of every kind.

- `> 0`, `≥ 0`, `psd` and `divergence_free` hold for every weight; q² and exp(q) have their signs, q - 1 has none.
- A weight may be zero: -A with A psd is refuted by some weights, and not by all of them.
- On a shape, values on the whole boundary keep the order; what is linear, local and of Markov's kind stays so.
- x Δu on [0, 1] with values at the ends: order is that of classical solutions. √|x - ½| Δu has several solutions.
"""

from __future__ import annotations

from analysis.more_spec_templates import DIRICHLET, INSULATED, classless, square
from analysis.spec_templates import Row, data, declared, interval, lines, plane, stationary

EACH = "for every weight"
DISC = "(x, y) in [-1, 1]^2 where x² + y² < 1"
HALF = "(x, y) in [0, 1]^2 where x + y < 1"
Q = "learn q : scalar"


def weight(
    name: str, right: str, declare: str, cells: str, why: str = EACH, bent: bool = False, space: str = "x in R"
) -> Row:
    return classless(f"third, weight, {name}", data(f"∂u/∂t = {right}", space, declare), cells, why, bent)


def field(name: str, right: str, declare: str, cells: str, why: str = EACH) -> Row:
    return classless(f"third, weight, plane, {name}", plane(f"∂u/∂t = {right}", declare), cells, why)


def shape(name: str, where: str, equation: str, ends: str, cells: str, why: str = "", bent: bool = False) -> Row:
    text = lines(
        "pde Row", f"space {where}", "time t in [0, 1]", "unknown u(x, y, t) : scalar", equation,
        "u(x, y, 0) = x y", ends,
    )  # fmt: skip
    return classless(f"third, shape, {name}", text, cells, why, bent)


def sides(name: str, right: str, ends: str, cells: str, why: str = "", bent: bool = False) -> Row:
    return classless(f"third, sides, {name}", interval(f"∂u/∂t = {right}", ends), cells, why, bent)


def box(name: str, right: str, ends: str, cells: str, why: str = "") -> Row:
    return classless(f"third, sides, square, {name}", square(f"∂u/∂t = {right}", ends), cells, why)


def rest(name: str, equation: str, ends: str, cells: str, why: str = "", bent: bool = False, space: str = "") -> Row:
    text = stationary(equation, "", space or "x in [0, 1]", ends)
    return classless(f"third, rest, {name}", text, cells, why, bent, 0)


TABLE: tuple[Row, ...] = (
    weight("q > 0", "q Δu", f"{Q} > 0", "PPPPPPPPP"),
    weight("-q, q > 0", "-q Δu", f"{Q} > 0", "PPrPP..r."),
    weight("q > 0 as a rate", "Δu + q u", f"{Q} > 0", "PRPPPppRr"),
    weight("q as a rate", "Δu + q u", Q, "PrPPPpp.r", "unless it is 0"),
    weight("q as a wind", "Δu + q ∂u/∂x", Q, "PPPPPPPPP"),
    weight("q² Δu", "q² Δu", Q, "PPpPPppp."),
    weight("exp(q)Δu", "exp(q) Δu", Q, "PPPPPppP."),
    weight("(q - 1)Δu", "(q - 1) Δu", f"{Q} > 0", "PP.PP....", "some weights"),
    weight("(q + 1)Δu, q ≥ 0", "(q + 1) Δu", f"{Q} >= 0", "PPPPPppP."),
    weight("q/q", "(q/q) Δu", f"{Q} > 0", "PPpPPppp.", "1"),
    weight("q and -q", "Δu + q ∂³u/∂x³ - q ∂³u/∂x³", Q, "PPPPPppPP"),
    weight("q ∂³u/∂x³", "Δu + q ∂³u/∂x³", f"{Q} > 0", "PPrPP...P"),
    weight("|q|Δu", "|q| Δu", Q, "PPpPP...."),
    weight("tanh(q) + 2", "(tanh(q) + 2) Δu", Q, "PPpPP...."),
    weight("sin(q) + ½", "(sin(q) + ½) Δu", Q, "PP.PP....", "some weights"),
    weight("a(x) ≥ 0", "a Δu", "learn a(x) : scalar >= 0 = mlp", "PPpPP...."),
    weight("-a(x), a > 0", "-a Δu", "learn a(x) : scalar > 0 = mlp", "PPrPP...."),
    weight("a(x)²Δu", "a² Δu", "learn a(x) : scalar = mlp", "PPpPP...."),
    weight("√a Δu", "sqrt(a) Δu", "learn a(x) : scalar >= 0 = mlp", "PP.PP....", "its root is not smooth"),
    weight("a(x)u, relu", "Δu + a u", "learn a(x) : scalar = mlp(activation=relu)", "Pr.PP....", "unbounded"),
    weight("a(t)u", "Δu + a u", "learn a(t) : scalar = mlp", "PrPPP...r"),
    weight("a(x) as a source", "Δu + a", "learn a(x) : scalar = mlp", "r.PPP....", "unless it is 0"),
    weight("a(x) > 0 as a source", "Δu + a", "learn a(x) : scalar > 0 = mlp", "rrPPP...r"),
    weight("f(u)", "Δu + f(u)", "learn f(u) : scalar = mlp(activation=tanh)", "..pPP....", EACH, True),
    weight("f(u) - f(u)", "Δu + f(u) - f(u)", "learn f(u) : scalar = mlp", "PPPPPppPP"),
    weight("f(u)²Δu", "(1 + f(u)²) Δu", "learn f(u) : scalar = mlp(activation=tanh)", ".PpPP....", EACH, True),
    weight("Δf(u)", "Δ(f(u))", "learn f(u) : scalar = mlp", ".P.PP....", "f may fall", True),
    weight("f of a slope", "f(∂u/∂x)", "learn f(u) : scalar = mlp(activation=tanh)", "..pPP....", EACH, True),
    field("psd", "A:∇∇u", "learn A : matrix, psd", "PPPPPPPPP"),
    field("-psd", "-A:∇∇u", "learn A : matrix, psd", "PP.PP....", "unless it is 0"),
    field("psd and less", "A:∇∇u - Δu", "learn A : matrix, psd", "PP.PP....", "some weights"),
    field("psd(x)", "A:∇∇u", "learn A(x, y) : matrix, psd = mlp", "PPpPP...."),
    field("∇·(psd(x)∇u)", "∇·(A ∇u)", "learn A(x, y) : matrix, psd = mlp", "PPpPP...p"),
    field("v·∇u", "v·∇u + Δu", "learn v(x, y) : vector = mlp", "PPPPP...."),
    field("∇·(vu)", "∇·(v u) + Δu", "learn v(x, y) : vector = mlp", "Pr.PP...p"),
    field("v without divergence", "v·∇u + Δu", "learn v(x, y) : vector, divergence_free = mlp", "PPPPP...p"),
    field("∇·(vu), none", "∇·(v u)", "learn v(x, y) : vector, divergence_free = mlp", "PPpPP...p"),
    field("‖v‖Δu", "‖v‖ Δu", "learn v(x, y) : vector = mlp", "PP.PP....", "a root of ‖v‖"),
    field("v as a constant", "v·∇u", "learn v : vector", "PPPPPppPP"),
    # ---- shapes
    shape("disc, cold", DISC, "∂u/∂t = Δu", "u = 0 on boundary", "PRPPP..p."),
    shape("disc, warm", DISC, "∂u/∂t = Δu", "u = 1 on boundary", "RRPPP..p."),
    shape("disc, shut", DISC, "∂u/∂t = Δu", "n·∇u = 0 on boundary", "PPpPP..pp"),
    shape("disc, fed", DISC, "∂u/∂t = Δu", "n·∇u = 1 on boundary", "RRpPP..rr"),
    shape("disc, cooled", DISC, "∂u/∂t = Δu", "n·∇u = -u on boundary", "PRpPP...r"),
    shape("disc, backwards", DISC, "∂u/∂t = -Δu", "u = 0 on boundary", "PRrPP..r."),
    shape("disc, positive inside alone", DISC, "∂u/∂t = (1 - x² - y²)Δu", "u = 0 on boundary", "PRpPP...."),
    shape("disc, negative near the edge", DISC, "∂u/∂t = (½ - x² - y²)Δu", "u = 0 on boundary", "PRrPP...."),
    shape("disc, negative in the corner alone", DISC, "∂u/∂t = (1.5 - x - y)Δu", "u = 0 on boundary", "PRpPP...."),
    shape("disc, 2 - x - y", DISC, "∂u/∂t = (2 - x - y)Δu", "u = 0 on boundary", "PRPPP...."),
    shape("triangle, source", HALF, "∂u/∂t = Δu + 1", "u = 0 on boundary", "RRPPP...."),
    shape("triangle, cubic", HALF, "∂u/∂t = Δu - u³", "u = 0 on boundary", "RRpPP..p.", "", True),
    shape("triangle, far", HALF, "∂u/∂t = Δu + u(y, x, t)", "u = 0 on boundary", "P..Pr...."),
    shape("disc, wind", DISC, "∂u/∂t = Δu + y ∂u/∂x - x ∂u/∂y", "n·∇u = 0 on boundary", "PPpPP..pp"),
    shape("triangle, x = y where positive", HALF, "∂u/∂t = (1 - x - y) Δu", INSULATED, "PP.PP...."),
    # ---- sides
    sides("xΔu", "x Δu", DIRICHLET, "PRpPP..p."),
    sides("x(1 - x)Δu", "x (1 - x) Δu", DIRICHLET, "PRpPP..p."),
    sides("(x - ½)²Δu", "(x - ½)² Δu", DIRICHLET, "PRpPP..pr"),
    sides("√|x - ½|Δu", "sqrt(|x - ½|) Δu", DIRICHLET, "PRrPP....", "several solutions"),
    sides("(x - ½)Δu", "(x - ½) Δu", DIRICHLET, "PRRPP..r."),
    sides("xΔu, shut", "x Δu", INSULATED, "PPpPP..p.", "of solutions with a slope at 0"),
    sides("(xu')', shut", "∂(x ∂u/∂x)/∂x", INSULATED, "PP.PP...p"),
    sides("wind out on both", "(½ - x) ∂u/∂x", "", "PPpPP..pR", "b·n < 0"),
    sides("viscous, one cold", "Δu + ∂u/∂x", declared("u = 0 on left", "n·∇u = 0 on right"), "PRPPP..PR"),
    sides("viscous, no flux", "Δu + ∂u/∂x", declared("∂u/∂x + u = 0 on left", "∂u/∂x + u = 0 on right"), "PRpPP..rP"),
    sides("Robin, other sign", "Δu", "n·∇u = 2u on boundary", "PRpPP..rR"),
    sides("Robin by t - ½", "Δu", "n·∇u = (t - ½) u on boundary", "PRpPP..rR"),
    sides("0 n·∇u + u = 0", "Δu", "0 n·∇u + u = 0 on boundary", "PRPPP..PR"),
    sides("u heaviside", "Δu", "n·∇u = -u heaviside(t - 2) on boundary", "pppPP..pp", "nothing before 2"),
    box("shut and cold", "Δu", declared("n·∇u = 0 on left, right", "u = 0 on top, bottom"), "PRPPP..PR"),
    box("uneven", "(1 + x y) Δu", DIRICHLET, "PRPPP..PR"),
    box("fed by x - ½ below", "Δu", declared("n·∇u = x - ½ on bottom", "n·∇u = 0 on left, right, top"), "RRPPP..rp"),
    # ---- at rest
    rest("u'' = u", "Δu = u", "u = 1 on boundary", "p.P....r."),
    rest("u'' = -u", "Δu = -u", DIRICHLET, "p.p......", "short of π² it holds"),
    rest("u'' = -20u", "Δu = -20u", DIRICHLET, "p.r......", "beyond π²"),
    rest("u'' = u³", "Δu = u³", "u = 1 on boundary", "R.P....r.", "", True),
    rest("u'' = 1", "Δu = 1", DIRICHLET, "R.P....r."),
    rest("xu'' = 0", "x Δu = 0", DIRICHLET, "p.p....p."),
    rest("(x - ½)u'' = 0", "(x - ½) Δu = 0", DIRICHLET, "p........"),
    rest("u'' + √|u'| = 0", "Δu + sqrt(|∂u/∂x|) = 0", DIRICHLET, "..r......", "two solutions", True),
    rest("shut", "Δu = u", INSULATED, "p........"),
    rest("heat as a plane", "∂²u/∂x² - ∂u/∂y = 0", DIRICHLET, "p........", "", space="(x, y) in [0, 1]^2"),
)
