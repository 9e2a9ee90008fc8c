"""Growth in x and near t = 0.

- T(f(· + h)) - T(f)(· + h) is driven by (c(x) - c(x + h)) v, which is not bounded if v grows with the source.
- It is at most C|h|t: a coefficient t^(-½) sin(x) gives C|h|√t.
- x' = b reaches infinity in finite time for b = x², x|x|, exp(x), and mass or uniqueness is lost there; on the line a
  diffusion without drift never does (Feller), in space (1 + |x|²)²Δ does, as Brownian motion is transient.
- E exp(∫X) is infinite for a rate x and a diffusion 1 + x²: lognormal tails.
"""

from __future__ import annotations

from analysis.more_spec_templates import linear, nonlinear
from analysis.spec_templates import Row, data, declared, periodic, plane
from analysis.table.signed_unknowns import ANY, U

Q = declared("learn q(x) : scalar = mlp(activation=tanh)", "learn r(x) : scalar = mlp(activation=relu)")


def moved(name: str, right: str, cells: str, why: str = "", declare: str = "", space: str = "x in R") -> Row:
    """What is said of regularity in space and time."""
    return linear(f"fourth, moved, {name}", data(f"∂u/∂t = {right}", space, declare), ANY, f".....{cells}..", why)


def round_(name: str, right: str, cells: str, why: str = "") -> Row:
    return linear(f"fourth, ring, {name}", periodic(f"∂u/∂t = {right}"), ANY, f".....{cells}..", why)


def mass(name: str, right: str, cell: str, why: str = "", space: str = "x in R", bent: bool = False) -> Row:
    text = data(f"∂u/∂t = {right}", space)
    return (nonlinear if bent else linear)(f"fourth, mass, {name}", text, ANY, f"........{cell}", why)


def order(name: str, right: str, cell: str, why: str = "", space: str = "x in R") -> Row:
    """What is said of comparison."""
    return linear(f"fourth, order, {name}", data(f"∂u/∂t = {right}", space), ANY, f"..{cell}......", why)


TABLE: tuple[Row, ...] = (
    moved("sin(x)u + x", "Δu + sin(x) u + x", "rr", "v grows"),
    moved("-u + x", "Δu - u + x", "pr", "the rate does not vary"),
    moved("u/(1 + x²) + x", "Δu + u/(1 + x²) + x", "pr", "the rate falls faster"),
    moved("sin(x)u' + x", f"sin(x) {U} + x", "pr", "∇v is bounded"),
    moved("xu' + sin(x)u", f"x {U} + sin(x) u", "pr", "v is bounded"),
    moved("xu' + sin(x)u + x", f"x {U} + sin(x) u + x", "rr", "v grows"),
    moved("sin(x)u + x alone", "sin(x) u + x", "rr", "v grows"),
    moved("sin(x)u alone", "sin(x) u", "pp", "bounded"),
    moved("tanh(x)u + √(1 + x²)", "Δu + sin(x) u + sqrt(1 + x²)", "rr", "v grows"),
    moved("sin(x)u + sin(x)", "Δu + sin(x) u + sin(x)", "pp", "bounded"),
    moved("sin(x)u + 1", "Δu + sin(x) u + 1", "pp", "bounded"),
    moved("sin(x)u + t", "Δu + sin(x) u + t", "pp", "bounded"),
    moved("weights that grow", "Δu + q u + r", "rr", "v grows", Q),
    moved("weights that do not", "Δu + q u + tanh(r)", "pp", "bounded", Q),
    moved("in R^20", "Δu + sin(x₁) u + x₂", "rr", "v grows", "", "x in R^20"),
    moved("in R^3", "Δu + sin(x₁) u + x₂", "rr", "v grows", "", "x in R^3"),
    moved("sin(tx)u'", f"sin(t x) {U}", "pp", "slopes at most t"),
    moved("sin(x/√t)u'", f"sin(x/sqrt(t)) {U}", "rp", "√t"),
    moved("sin(x)u'/√t", f"sin(x) {U}/sqrt(t)", "rr", "√t"),
    moved("sin(x)/√t", "Δu + sin(x)/sqrt(t)", "rr", "√t"),
    moved("log(t) sin(x)", "Δu + log(t) sin(x)", "rr", "t log t"),
    moved("cos(x√t)u", "Δu + cos(x sqrt(t)) u", "pp", "bounded"),
    moved("√t sin(x)u", "Δu + sqrt(t) sin(x) u", "pp", "bounded"),
    moved("exp(-x²)u", "Δu + exp(-x²) u", "pp", "bounded"),
    moved("|sin x|u", "Δu + abs(sin(x)) u", "pp", "Lipschitz"),
    moved("√|sin x|u", "Δu + sqrt(abs(sin(x))) u", "Up", "not Lipschitz"),
    round_("sin and cos", "Δu + sin(2π x) u + cos(2π x)", "pp", "bounded"),
    round_("source x", "Δu + x", "r.", "jumps at the seam"),
    round_("|sin πx|", "Δu + sin(π x) u", "pp", "a corner"),
    round_("x(1 - x)/√t", "Δu + x (1 - x)/sqrt(t)", "rr", "√t"),
    linear("fourth, moved, plane", plane("∂u/∂t = Δu + sin(x) u + y"), ANY, ".....rr..", "v grows"),
    # ---- mass
    mass("(sin(x)u)'", "Δu + ∂(sin(x) u)/∂x", "P", "a bounded drift"),
    mass("(xu)'", "∂(x u)/∂x", "P", "in no finite time"),
    mass("(x²u)'", "∂(x² u)/∂x", "r", "to the left in finite time"),
    mass("Δu + (x²u)'", "Δu + ∂(x² u)/∂x", "r", "to the left in finite time"),
    mass("Δu - (x³u)'", "Δu - ∂(x³ u)/∂x", "r", "both ways in finite time"),
    mass("Δu + (x³u)'", "Δu + ∂(x³ u)/∂x", "p", "inwards"),
    mass("Δu² + (x³u)'", "Δ(u²) + ∂(x³ u)/∂x", "p", "inwards", bent=True),
    mass("Δu² - (x³u)'", "Δ(u²) - ∂(x³ u)/∂x", "r", "both ways in finite time", bent=True),
    mass("(exp(x)u)'", "∂(exp(x) u)/∂x", "p", "ever slower"),
    mass("-(exp(x)u)'", "-∂(exp(x) u)/∂x", "r", "to the right in finite time"),
    mass("(exp(x)u)''", "∂²(exp(x) u)/∂x²", "p", "no drift on the line"),
    mass("(exp(x)u')'", f"∂(exp(x) {U})/∂x", "r", "explodes"),
    mass("plane, ∇·(a∇u)", "∇·((1 + x² + y²)² ∇u)", "r", "explodes", "(x, y) in R^2"),
    mass("plane, Δ(au)", "Δ((1 + x² + y²)² u)", "p", "recurrent", "(x, y) in R^2"),
    mass("space, Δ(a²u)", "Δ((1 + ‖x‖²)² u)", "r", "transient", "x in R^3"),
    mass("space, Δ(au)", "Δ((1 + ‖x‖²) u)", "p", "a Lipschitz root", "x in R^3"),
    # ---- comparison
    order("(1 + x⁴)Δu", "(1 + x⁴) Δu", "p", "no explosion on the line"),
    order("space, (1 + |x|²)²Δu", "(1 + ‖x‖²)² Δu", "r", "transient", "x in R^3"),
    order("space, (1 + |x|²)Δu", "(1 + ‖x‖²) Δu", "p", "a Lipschitz root", "x in R^3"),
    order("exp(-x)u'", f"Δu + exp(-x) {U}", "p", "to the right, ever slower"),
    order("-exp(-x)u'", f"Δu - exp(-x) {U}", "r", "to the left in finite time"),
    order("x²Δu + x²u", "x² Δu + x² u", "r", "explodes"),
    order("xu' + xu", f"Δu + x {U} + x u", "p", "Gaussian tails"),
    order("(1 + x²)Δu + xu", "(1 + x²) Δu + x u", "r", "lognormal tails"),
    order("exp(-x²)Δu + xu", "exp(-x²) Δu + x u", "p", "bounded diffusion"),
    order("log² u", "Δu + log(2 + x²)² u", "p", "slower than a line"),
    order("-x²u", "Δu - x² u", "p", "a killing"),
    order("x²u'u", "x² Δu - x² u", "p", "a killing"),
)
