"""Products of unknowns that stationary equations identify, stationary equations with linear zero sets, bounds in time,
and weights.

- With w = u, w² - u² is zero; with Δw = w - u, (Δw - w + u)² is.
- (Δu)³ = 0, exp(Δu) = 1 and (Δu)³ = u³ say Δu = 0, 0 and u. (Δu)² = u² has two solutions whose sum is none.
- For u > 0, ∇·(u∇ log u) = Δu.
- T(f) - f is of the order √s for Δu/√t, s log s for a rate log t, and not bounded in x for a drift x or a source x.
"""

from __future__ import annotations

from analysis.more_spec_templates import DIRICHLET, ZERO_SPEED, linear, nonlinear, segment
from analysis.spec_templates import Row, data, declared, interval, lines, periodic
from analysis.table.coupled_ends import V, behind, rest
from analysis.table.signed_unknowns import ANY, P0, U, typed


def name(title: str, term: str, given: str, cells: str, why: str = "", bent: bool = True) -> Row:
    return behind(f"name, {title}", "u w", f"∂u/∂t = Δu + {term}\n{given}", "w", cells, why, bent)


def stationary(title: str, equation: str, cell: str, why: str = "") -> Row:
    """What is said of linearity alone."""
    return rest(f"form, {title}", equation, "u = x on boundary", f"{cell}........", why)


def early(title: str, right: str, cells: str, why: str = "", bent: bool = False, declare: str = "") -> Row:
    """Regularity and what it follows from, on the line."""
    text = data(f"∂u/∂t = {right}", declare=declare)
    return (nonlinear if bent else linear)(f"third, early, {title}", text, ANY, cells, why)


def weight(title: str, right: str, declare: str, cells: str, why: str = "", bent: bool = False) -> Row:
    text = periodic(f"∂u/∂t = {right}", declare) if bent else data(f"∂u/∂t = {right}", declare=declare)
    return (nonlinear if bent else linear)(f"third, weight, {title}", text, ANY, cells, why)


def box(title: str, space: str, right: str, cells: str, why: str = "", declare: str = "") -> Row:
    text = segment(f"∂u/∂t = {right}", DIRICHLET, "0", space, declare=declare)
    return linear(f"third, box, {title}", text, ANY, cells, why)


def clock(title: str, time: str, start: str, right: str, cells: str, why: str = "") -> Row:
    text = lines(
        "pde Row", "space x in R", f"time t in {time}", "unknown u(x, t) : scalar", f"∂u/∂t = {right}",
        f"u(x, {start}) = exp(-x²)",
    )  # fmt: skip
    return linear(f"third, clock, {title}", text, ANY, cells, why)


def string(title: str, ends: str, cells: str, why: str = "") -> Row:
    text = interval("∂²u/∂t² = Δu", ends, "", ZERO_SPEED)
    return linear(f"third, string, {title}", text, ANY, cells, why, 2)


def dense(title: str, right: str, cells: str, why: str = "") -> Row:
    return nonlinear(f"third, ring, {title}", periodic(f"∂u/∂t = {right}"), ANY, cells, why)


TABLE: tuple[Row, ...] = (
    # ---- names in products
    name("w² - u²", "w² - u²", "w = u", "pp.Pp...p", "zero"),
    name("wu - u²", "w u - u²", "w = u", "pp.Pp...p", "zero"),
    name("ww' - uu'", f"w ∂w/∂x - u {U}", "w = u", "pp.Pp...p", "zero"),
    name("w²", "w²", "w = u", "Rr.Pp...r", "u²"),
    name("w² - u², w = 2u", "w² - u²", "w = 2u", "Rr.Pp...r", "3u²"),
    name("w² - 4u², w = 2u", "w² - 4u²", "w = 2u", "pp.Pp...p", "zero"),
    name("(Δw - w + u)²", "(Δw - w + u)²", "Δw = w - u", "pp.Pp...p", "zero"),
    name("w² of a mean", "w²", "Δw = w - u", "Rr.Pr...r", "a square"),
    name("u w'", "u ∂w/∂x", "Δw = w - u", "Rp.Pr...r", "a product"),
    name("w² - u², elliptic", "w² - u²", "Δw - w = Δu - u", "pp.Pp...p", "zero"),
    name("w³ = u³", "w", "w³ = u³", "pr.Pp...r", "w = u"),
    name("w of a square", "∂²w/∂x²", "w = u²", "rp.Pp...p", "a porous medium"),
    name("w - u², w = u²", "w - u²", "w = u²", ".p.Pp...p", "zero"),
    # ---- at rest
    stationary("cube", "(Δu)³ = 0", "p", "Δu = 0"),
    stationary("square", "(Δu)² = 0", "p", "Δu = 0"),
    stationary("exp", "exp(Δu) = 1", "p", "Δu = 0"),
    stationary("cube and itself", "(Δu)³ + Δu = 0", "p", "Δu = 0"),
    stationary("two cubes", "(Δu)³ = u³", "p", "Δu = u"),
    stationary("two squares", "(Δu)² = u²", "r", "Δu = ±u"),
    stationary("eikonal", f"({U})² + (∂u/∂y)² = 1", "r", "not for 2u"),
    stationary("u²", "Δu + (u)² = 1", "R", "not for 2u"),
    stationary("sine", "Δu = exp(u) - 1", "r", "not for 2u"),
    stationary("Monge-Ampère", "∂²u/∂x² ∂²u/∂y² - (∂²u/∂x∂y)² = 1", "r", "not for 2u"),
    nonlinear(
        "third, form, modulus",
        rest("", "Δu = abs(u)", DIRICHLET, ".........").text,
        ANY,
        "R........",
        "not for -u",
        0,
    ),
    # ---- logarithms of a positive unknown
    typed("∇·(u∇ log u)", "∇·(u ∇(log(u)))", "pPpPP...p", "Δu", P0),
    typed("uΔ log u", "u Δ(log(u))", "RPpPP...R", "Δu - |∇u|²/u", P0),
    typed("Δ(u²)/u", "Δ(u²)/u", "RPpPP...R", "2Δu + 2|∇u|²/u", P0),
    linear(
        "third, any u, ∇·(u∇ log u)",
        periodic("∂u/∂t = ∇·(u ∇(log(u)))"),
        ANY,
        "U.UPP....",
        "no value for u < 0",
    ),
    # ---- regularity
    early("x drift", f"x {U}", "PPPPPpr..", "f(eᵗx + h)"),
    early("√(1 + x²) drift", f"sqrt(1 + x²) {U}", "PPPPPpr..", "grows"),
    early("source x", "Δu + x", "RRPPPpr..", "grows"),
    early("source exp x", "Δu + exp(x)", "RR.PPrr..", "grows"),
    early("bounded source", "Δu + sin(x)", "RRPPPPP..", "Lipschitz"),
    early("source sin x²", "Δu + sin(x²)", "RRPPP.p..", "not Lipschitz"),
    early("√t", "sqrt(t) Δu", "PPPPPPP..", "bounded"),
    early("log t", "Δu + log(t) u", "PRpPP.r..", "s log s"),
    early("after ½", "heaviside(t - ½) Δu", "PPpPPpp..", "bounded"),
    early("eikonal", f"({U})²", "RPPPPPp..", "bounded for bounded slopes", True),
    early("jump", "Δu + heaviside(x)", "RRpPPr...", "jumps"),
    # ---- weights
    weight("a(t) > 0", "a Δu", "learn a(t) : scalar > 0 = mlp", "PPPPPPp..", "bounded"),
    weight("-q u", "Δu - q u", "learn q(x) : scalar ≥ 0 = mlp", "PrpPP...r", "a killing"),
    weight("q - q", "Δu + (q - q) u", "learn q : scalar", "PPPPPPPPP", "nothing"),
    weight("(q u')'", f"∂(q {U})/∂x", "learn q(x, t) : scalar > 0 = mlp", "PPpPP...p", "a flux"),
    weight("(q(u)u')'", f"∂(q {U})/∂x", "learn q(u) : scalar > 0 = mlp", "UPpPP...p", "a flux", True),
    weight("q(u)Δu", "q Δu", "learn q(u) : scalar > 0 = mlp", "UPpPP....", "positive", True),
    weight("-q(u)Δu", "-q Δu", "learn q(u) : scalar > 0 = mlp", "UPrPP....", "negative", True),
    weight("q(u) - q(u)", "Δu + q - q", "learn q(u) : scalar = mlp", "pppPP...p", "nothing", False),
    # ---- boxes and clocks
    box("between its zeros", "x in [2, 5]", "(x - 2)(5 - x) Δu", "PRPPP..P.", "positive inside"),
    box("through a zero", "x in [2, 5]", "(x - 3) Δu", "PRRPP..R.", "-1 at 2"),
    box("left of zero", "x in [-1, 0]", "-x Δu", "PRpPP....", "positive inside"),
    box("a constant", "x in [0, 1]", "(a - x) Δu", "PRPPP..PR", "at least 1", "const a = 2"),
    clock("before 0", "[-2, -1]", "-2", "-t Δu", "PPPPPPPPP", "at least 1"),
    clock("through 3.5", "[3, 4]", "3", "(t - 3.5) Δu", "PPRPP..R.", "-½ first"),
    clock("from the end", "[3, 4]", "4", "(3 - t) Δu", "PPPPP....", "backwards from 4"),
    # ---- strings
    string("fixed and free", declared("u = 0 on left", "n·∇u = 0 on right"), "PRrRP..rR", "odd reflections"),
    linear(
        "third, string, pushed",
        periodic("∂²u/∂t² = 4Δu", "", f"{V} = 1"),
        ANY,
        "RRpRP...R",
        "1 in a unit of time",
        2,
    ),
    # ---- functions of u
    dense("Δ(u + sin u)", "Δ(u + sin(u))", "RPpPP...P", "1 + cos u"),
    dense("Δ(u - 2atan u)", "Δ(u - 2atan(u))", "RPRPP...P", "-1 at 0"),
    dense("Δ atan u", "Δ(atan(u))", "RPpPP...P", "1/(1 + u²)"),
    dense("Δ(u exp(-u²))", "Δ(u exp(-u²))", "RPRPP...P", "1 - 2u²"),
    dense("exp(-u²)Δu", "exp(-u²) Δu", "RPpPP...R", "positive"),
    dense("(1 + tanh u)Δu", "(1 + tanh(u)) Δu", "RPpPP...R", "positive"),
    dense("a flux of u", f"Δu + u² (1 - u²) {U}", "RPPPP..PP", "(u³/3 - u⁵/5)'"),
)
