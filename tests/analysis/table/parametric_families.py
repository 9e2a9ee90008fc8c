"""Families that are decided by one formula.

- a on the diagonal and b beside it, in three dimensions: a - b and a + 2b; on R^20, aΔ + bΣΣ: a and a + 20b.
- (a + bt)Δu on [0, 1] and aX + b tanh X: a ≥ 0 and a + b ≥ 0. aX + b sin X: a ≥ |b|. max(aX, bX): a, b ≥ 0.
- What enters at both ends and inside: a + b + c = 0. Euler: |1 - 3a/n| ≤ 1; with ‖K‖ ≤ c: 3c²/n ≤ 2.
- (a x + b)∂u/∂x is Lipschitz, and bounded if a = 0.
"""

from __future__ import annotations

from analysis.more_spec_templates import DIRICHLET, ZERO_SPEED, classless, line, square
from analysis.spec_templates import Row, data, declared, interval, lines, maps, pair, periodic, stationary

X, XX = "∂u/∂x", "∂²u/∂x²"
MIXED = "∂²u/∂x∂y + ∂²u/∂y∂z + ∂²u/∂x∂z"


def of(a: bool, yes: str = "P", no: str = "R") -> str:
    return yes if a else no


def kin(name: str, text: str, cells: str, why: str = "", bent: bool = False) -> Row:
    return classless(f"third, kin, {name}", text, cells, why, bent)


def room(a: int, b: int) -> Row:
    text = lines(
        "pde Row", "space (x, y, z) in R^3", "time t in [0, 1]", "unknown u(x, y, z, t) : scalar",
        f"∂u/∂t = {a}Δu {2 * b:+}({MIXED})", "u(x, y, z, 0) = exp(-x² - y² - z²)",
    )  # fmt: skip
    return kin(f"room, {a} and {b}", text, f"PP{of(a >= b and a + 2 * b >= 0)}PP....")


def many(a: int, b: int) -> Row:
    text = data(f"∂u/∂t = {a}Δu {b:+}Σᵢ Σⱼ ∂²u/∂xᵢ∂xⱼ", "x in R^20")
    return kin(f"R^20, {a} and {b}", text, f"PP{of(a >= 0 and a + 20 * b >= 0)}PP....")


def fed(a: int, b: int, c: int) -> Row:
    text = interval(f"∂u/∂t = Δu {c:+}", declared(f"n·∇u = {a} on left", f"n·∇u = {b} on right"))
    return kin(f"fed by {a}, {b} and {c}", text, f"RRPPP...{of(a + b + c == 0)}")


def block(name: str, right: str, declare: str, steps: int, holds: bool, bent: bool) -> Row:
    text = maps(f"∂Y/∂t = {right}", declare, f"euler(steps={steps})")
    return kin(f"block, {name}, {steps}", text, of(holds, "PP..", "rr.."), "a network reaches 0.85 of its bound", bent)


def special(name: str, text: str, cells: str, why: str = "", bent: bool = False, order: int = 1, count: int = 1) -> Row:
    return classless(f"third, near, {name}", text, cells, why, bent, order, count)


TABLE: tuple[Row, ...] = (
    *(room(a, b) for a, b in ((2, 1), (1, 2), (3, 3), (2, -1), (1, -1), (4, -2), (5, -3), (-1, 0))),
    *(many(a, b) for a, b in ((1, 1), (20, -1), (19, -1), (3, 2), (40, -2), (39, -2))),
    *(
        kin(f"({a} {b:+}t)Δu", data(f"∂u/∂t = ({a} {b:+}t) Δu"), f"PP{of(a >= 0 and a + b >= 0)}PP....")
        for a, b in ((1, 1), (1, -1), (1, -2), (0, 3), (0, -1), (-1, 2), (3, -3))
    ),
    *(
        kin(
            f"{a}X {b:+}tanh X",
            data(f"∂u/∂t = {a} {XX} {b:+}tanh({XX})"),
            f"RP{of(a >= 0 and a + b >= 0)}PP....",
            "",
            True,
        )
        for a, b in ((1, 1), (1, -1), (1, -2), (2, -1), (-1, 2), (3, 4))
    ),
    *(
        kin(f"{a}X {b:+}sin X", data(f"∂u/∂t = {a} {XX} {b:+}sin({XX})"), f"RP{of(a >= abs(b))}PP....", "", True)
        for a, b in ((2, 1), (3, -3), (1, 2), (1, -3), (5, 4))
    ),
    *(
        kin(f"max({a}X, {b}X)", data(f"∂u/∂t = max({a} {XX}, {b} {XX})"), f"RP{of(a >= 0 and b >= 0)}PP....", "", True)
        for a, b in ((1, 3), (2, 5), (-1, 1), (-2, -1), (-3, 2))
    ),
    *(
        kin(f"{a}|u'|^{n}", data(f"∂u/∂t = {a} |{X}|^{n}"), "RPpPP....", "", True)
        for a, n in ((1, 2), (-1, 2), (2, 3), (-3, 4), (5, 1))
    ),
    *(
        kin(f"({a}x {b:+})u'", data(f"∂u/∂t = ({a}x {b:+}) {X}"), f"PPPPPp{of(a == 0, 'p', 'r')}..")
        for a, b in ((2, 1), (-1, 3), (0, 4), (3, -2), (0, -5))
    ),
    *(kin(f"Δu {a:+}u on R", data(f"∂u/∂t = 2Δu {a:+}u"), "PRPPPppRR") for a in (-4, -2, 3, 6)),
    *(
        kin(f"ring, {a}sin {b:+}", periodic(f"∂u/∂t = Δu {a:+}sin(2π x) {b:+}"), f"RRPPP..R{of(b == 0)}")
        for a, b in ((1, 0), (2, 1), (-3, 0), (1, -2), (4, 0))
    ),
    *(
        kin(
            f"u > 0, {a}u^{n}",
            line(f"∂u/∂t = Δ({a} u^({n}))", kind="scalar > 0"),
            f"{of(n == '1', 'p', 'R')}P{of(k > 0, 'p')}PP....",
            "",
            n != "1",
        )
        for a, n, k in ((1, "2", 1), (-1, "2", -1), (3, "½", 1), (1, "-1", -1), (-2, "-1", 1), (1, "-2", -1))
    ),
    *(fed(a, b, c) for a, b, c in ((1, 2, -3), (1, -1, 2), (2, 2, -4), (0, 3, -3), (1, 1, 1), (-1, -2, 3))),
    *(
        block(f"-{a}Y", f"-{a}Y", "", n, abs(1 - 3 * a / n) <= 1, False)
        for a, n in ((1, 2), (1, 1), (2, 4), (5, 6), (3, 5), (4, 7))
    ),
    *(
        block(f"bound {c}", "-Kᵀ relu(K Y)", f"learn K : operator, ‖K‖ ≤ {c} = conv(3)", n, 3 * c * c / n <= 2, True)
        for c, n in ((1, 2), (1, 1), (2, 5), (3, 14), (0.5, 1))
    ),
    *(kin(f"u(x {s:+}, t)", data(f"∂u/∂t = 3Δu + u(x {s:+}, t)"), "pr.PR...r") for s in (-2, -0.5, 0.001, 7)),
    # ---- neighbours
    special(
        "relu(x - 2)u = 0 on [0, 1]",
        interval("∂u/∂t = Δu", declared("relu(x - 2) u = 0 on left", "n·∇u = 0 on right")),
        "UUUPP....",
        "0 = 0",
    ),
    special("max(t, ½)n·∇u = 0", interval("∂u/∂t = Δu", "max(t, ½) n·∇u = 0 on boundary"), "PPpPP..pp", "n·∇u = 0"),
    special("|x - ½|n·∇u = 0", interval("∂u/∂t = Δu", "|x - ½| n·∇u = 0 on boundary"), "PPpPP..pp", "n·∇u = 0"),
    special(
        "relu(t - ½)n·∇u = -u",
        interval("∂u/∂t = Δu", "relu(t - ½) n·∇u = -u on boundary"),
        "PR.PP....",
        "u = 0 at first",
    ),
    special(
        "(y - ½)u = 0",
        square("∂u/∂t = Δu", declared("(y - ½) u = 0 on left", "u = 0 on right, top, bottom")),
        "PR.PP....",
        "u = 0",
    ),
    special("0 relu(x)u", line("∂u/∂t = Δu + 0 relu(x) u"), "PPPPPPPPP"),
    special("2 + relu(x) on both sides", line("(2 + relu(x)) ∂u/∂t = (2 + relu(x)) Δu"), "pppPPpp.p", "heat"),
    special("relu(x) on the left", line("relu(x) ∂u/∂t = Δu"), "..UPP....", "a pole for x < 0"),
    special("1 - tanh(u)² on both sides", line("(1 - tanh(u)²) ∂u/∂t = (1 - tanh(u)²) Δu"), "pppPP....", "heat", True),
    special(
        "wave, u > 0",
        line("∂²u/∂t² = Δ(sqrt(u) sqrt(u))", kind="scalar > 0", rest=ZERO_SPEED),
        "pppRP....",
        "u",
        order=2,
    ),
    special("wave, 1/x - 1/x", line("∂²u/∂t² = Δu + u/x - u/x", rest=ZERO_SPEED), "..pR.....", "but at 0", order=2),
    special(
        "wave, log(1 + x²) twice",
        line("∂²u/∂t² = Δu + log(1 + x²) u - log(1 + x²) u", rest=ZERO_SPEED),
        "PPPRP....",
        "nothing",
        order=2,
    ),
    special(
        "memory at one wall of two",
        interval("∂u/∂t = Δu", declared("u = 0 on left", "u = u(x, t/2) on right")),
        "p..r.....",
        "memory",
    ),
    special(
        "memory of the other",
        lines(
            "pde Row",
            "space x in [0, 1]",
            "time t in [0, 1]",
            "unknown u(x, t) : scalar",
            "unknown v(x, t) : scalar",
            "∂u/∂t = Δu",
            "∂v/∂t = Δv",
            "u(x, 0) = x",
            "v(x, 0) = x",
            "u = v(x, t - 1) on boundary",
            "v = 0 on boundary",
        ),
        "p..r.....",
        "memory",
        count=2,
    ),
    special(
        "√v at a wall",
        lines(
            "pde Row",
            "space x in [0, 1]",
            "time t in [0, 1]",
            "unknown u(x, t) : scalar",
            "unknown v(x, t) : scalar",
            "∂u/∂t = Δu",
            "∂v/∂t = Δv",
            "u(x, 0) = x",
            "v(x, 0) = x",
            "sqrt(v) n·∇u = 0 on boundary",
            "n·∇v = 0 on boundary",
        ),
        ".U.PP....",
        "no value for v < 0",
        count=2,
    ),
    special("sign(u')² u'", data(f"∂u/∂t = Δu + sign({X})² {X}"), ".PpPP....", "u' but for u' = 0", True),
    special("u' sign(u)", data(f"∂u/∂t = Δu + {X} sign(u)"), "RPpPP...p", "|u|'", True),
    special("v' sign(v)", pair("∂u/∂t = Δu + ∂(|v|)/∂x", "∂v/∂t = Δv"), "RP.PP...P", "", True, 1, 2),
    special(
        "rest, (2 + sign u')u'' = u",
        stationary(f"(2 + sign({X})) {XX} = u", "", "x in [0, 1]"),
        "..p......",
        "",
        True,
        0,
    ),
    special(
        "rest, u'' + sign u' = 0", stationary(f"{XX} + sign({X}) = 0", "", "x in [0, 1]"), "..U......", "jumps", True, 0
    ),
    special("rest, u'' = |u'| + u", stationary(f"{XX} = |{X}| + u", "", "x in [0, 1]"), "R.P....p.", "", True, 0),
    special(
        "rest, relu(x - ½)u'' = 0",
        stationary(f"relu(x - ½) {XX} = 0", "", "x in [0, 1]"),
        "..U......",
        "free on one half",
        order=0,
    ),
    special("rest, √u √u", stationary("Δu = sqrt(u) sqrt(u)", "", "x in [0, 1]"), "r.p......", "u ≥ 0", order=0),
    special(
        "cold, -u log(1 + u²)",
        interval("∂u/∂t = Δu - u log(1 + u²)", DIRICHLET),
        "RRpPP..p.",
        "towards 0",
        True,
    ),
)
