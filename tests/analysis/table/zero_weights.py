"""Weights that may vanish, index notation, and discontinuous norms.

- q ∂u/∂t = q Δu and q n·∇u = 0 say nothing for the weight q = 0, and √q √q has no value for q < 0; with q > 0 they do.
- sign(‖∇u‖ - 1) and Σᵢ sign(∂u/∂xᵢ) jump in every dimension; max(‖∇u‖ - 1, 0) does not.
- f(√u) has no value for u < 0, whatever f is.
- a cos x + b ≥ 0 if |a| ≤ b; x⁴ + b x² + c ≥ 0 if b ≥ 0 and c ≥ 0, or b² ≤ 4c; a exp(x) + b ≥ 0 if a, b ≥ 0.
"""

from __future__ import annotations

from analysis.more_spec_templates import DIRICHLET, classless, line, square, system
from analysis.spec_templates import Row, data, declared, interval, maps, periodic, periodic_box, plane

X, XX = "∂u/∂x", "∂²u/∂x²"
MANY = "x in R^20"
ANY = "x in R^d"
Q, POSITIVE = "learn q : scalar", "learn q : scalar > 0"
F = "learn f(u) : scalar = mlp"
VAIN = "q may be 0"
JUMP = "not continuous in ∇u"
K = "learn K : operator, ‖K‖ ≤ 1 = conv(3)"


def of(a: bool, yes: str = "P", no: str = "R") -> str:
    return yes if a else no


def weight(name: str, equation: str, declare: str, cells: str, why: str = VAIN, bent: bool = False) -> Row:
    return classless(f"third, weighed, {name}", line(equation, declare=declare), cells, why, bent)


def wall(name: str, ends: str, declare: str, cells: str, why: str = VAIN) -> Row:
    return classless(f"third, weighed, wall, {name}", interval("∂u/∂t = Δu", ends, declare), cells, why)


def wide(name: str, equation: str, cells: str, why: str = "", bent: bool = True, space: str = MANY) -> Row:
    return classless(f"third, weighed, wide, {name}", data(equation, space), cells, why, bent)


def flat(name: str, right: str, cells: str, why: str = JUMP, bent: bool = True) -> Row:
    return classless(f"third, weighed, plane, {name}", plane(f"∂u/∂t = {right}"), cells, why, bent)


def kin(name: str, text: str, cells: str, bent: bool = False) -> Row:
    return classless(f"third, weighed, kin, {name}", text, cells, "", bent)


def quartic(b: int, c: int) -> Row:
    holds = (b >= 0 and c >= 0) or b * b <= 4 * c
    return kin(f"x⁴ {b:+}x² {c:+}", data(f"∂u/∂t = (x⁴ {b:+}x² {c:+}) Δu"), f"PP{of(holds, 'p')}PP....")


TABLE: tuple[Row, ...] = (
    # ---- weights
    weight("q on both sides", "q ∂u/∂t = q Δu", Q, "UUUPP...."),
    weight("q > 0 on both sides", "q ∂u/∂t = q Δu", POSITIVE, "PPPPPppPP"),
    weight("q(x) on both sides", "q ∂u/∂t = q Δu", "learn q(x) : scalar = mlp", "UUUPP...."),
    weight("q(x) > 0 on both sides", "q ∂u/∂t = q Δu", "learn q(x) : scalar > 0 = mlp", "PPPPPppPP"),
    weight("q ≥ 0 on both sides", f"q ∂u/∂t = q {X}", "learn q : scalar >= 0", "UUUPP...."),
    weight("q² on both sides", "q² ∂u/∂t = q² Δu", Q, "UUUPP...."),
    weight("exp(q) on both sides", "exp(q) ∂u/∂t = exp(q) Δu", Q, "pppPP...."),
    weight("relu(q) on both sides", "relu(q) ∂u/∂t = relu(q) Δu", Q, "UUUPP...."),
    weight("1 + q² on both sides", "(1 + q²) ∂u/∂t = (1 + q²) Δu", Q, "pppPP...."),
    weight("q/q", "∂u/∂t = (q/q) Δu", Q, "U.UPP...."),
    weight("√q √q", "∂u/∂t = sqrt(q) sqrt(q) Δu", Q, "U.UPP....", "no value for q < 0"),
    weight("√q √q, q ≥ 0", "∂u/∂t = sqrt(q) sqrt(q) Δu", "learn q : scalar >= 0", "PPpPP....", "q"),
    weight("exp log q", f"∂u/∂t = exp(log(q)) {X}", Q, "U.UPP....", "no value for q < 0"),
    weight("f(√u)u'", f"∂u/∂t = f(sqrt(u)) {X}", "learn f(u) : scalar = mlp", ".UUPP....", "no value for u < 0", True),
    weight("Δu + f(log u)u'", f"∂u/∂t = Δu + f(log(u)) {X}", F, ".UUPP....", "no value", True),
    weight("f(u²)u'", f"∂u/∂t = f(u²) {X}", "learn f(u) : scalar = mlp(activation=tanh)", ".PpPP....", "", True),
    weight("sign(f(u'))", f"∂u/∂t = Δu + sign(f({X}))", "learn f(u) : scalar = mlp", "..UPP....", JUMP, True),
    weight("f(sign u')", f"∂u/∂t = Δu + f(sign({X}))", "learn f(u) : scalar = mlp", "..UPP....", JUMP, True),
    weight("heaviside(q)Δu", "∂u/∂t = heaviside(q) Δu", Q, "PPpPP....", "0 or 1"),
    weight("sign(q)Δu", "∂u/∂t = sign(q) Δu", Q, "PP.PP....", "some weights"),
    weight("sign(q)Δu, q > 0", "∂u/∂t = sign(q) Δu", POSITIVE, "PPPPPppPP", ""),
    weight("1/q", "∂u/∂t = (1/q) Δu", POSITIVE, "PPPPPppPP", ""),
    weight("q of time, 1/q", "∂u/∂t = (1/q) Δu", "learn q(t) : scalar > 0 = mlp", "PPpPP....", ""),
    wall("q n·∇u = 0", "q n·∇u = 0 on boundary", Q, "UUUPP...."),
    wall("q > 0, q n·∇u = 0", "q n·∇u = 0 on boundary", POSITIVE, "PPpPP..pp", "n·∇u = 0"),
    wall("qu = 0", "q u = 0 on boundary", Q, "U.UPP...."),
    wall("q > 0, qu = 0", "q u = 0 on boundary", POSITIVE, "PrpPP..pr", "u = 0"),
    wall("q n·∇u = -u", "q n·∇u = -u on boundary", Q, "PR.PP....", "one of them is said"),
    wall("√q √q n·∇u = 0", "sqrt(q) sqrt(q) n·∇u = 0 on boundary", Q, "U.UPP....", "no value for q < 0"),
    wall("relu(q)u = 0", declared("relu(q) u = 0 on left", "n·∇u = 0 on right"), Q, "U.UPP...."),
    # ---- spaces that are not written out
    wide("sign(∂u/∂x₁)", "∂u/∂t = Δu + sign(∂u/∂x₁)", "RPUPP....", JUMP),
    wide("Σ sign", "∂u/∂t = Δu + Σᵢ sign(∂u/∂xᵢ)", "RPUPP....", JUMP),
    wide("Σ |∂u/∂xᵢ|", "∂u/∂t = Δu + Σᵢ |∂u/∂xᵢ|", "RPpPP....", "continuous"),
    wide("sign(‖∇u‖ - 1)", "∂u/∂t = Δu + sign(‖∇u‖ - 1)", "R.UPP....", JUMP),
    wide("√u √u", "∂u/∂t = Δ(sqrt(u) sqrt(u))", "rrpPP....", "u ≥ 0", False),
    wide("‖∇u‖²/u", "∂u/∂t = Δu + ‖∇u‖²/u", "RUUPP....", "no value for u = 0"),
    wide("relu(Σx) on both sides", "relu(Σᵢ xᵢ) ∂u/∂t = relu(Σᵢ xᵢ) Δu", "UUUPP....", "half of space is free", False),
    wide("log u twice, R^d", "∂u/∂t = Δu + log(u) - log(u)", "rrpPP....", "u > 0", False, ANY),
    wide("sign(∂u/∂x₁), R^d", "∂u/∂t = Δu + sign(∂u/∂x₁)", "RPUPP....", JUMP, True, ANY),
    wide("sign(Δu)", "∂u/∂t = Δu + sign(Δu)", "RPUPP....", "jumps in Δu"),
    wide("(2 + sign Δu)Δu", "∂u/∂t = (2 + sign(Δu)) Δu", "RPpPP....", "2Δu + |Δu|"),
    wide("tanh Δu", "∂u/∂t = tanh(Δu)", "RPPPP....", "continuous"),
    flat("heaviside(‖∇u‖² - 1)Δu", "heaviside(‖∇u‖² - 1) Δu", "RPUPP...."),
    flat("max(‖∇u‖ - 1, 0)", "Δu + max(‖∇u‖ - 1, 0)", "RPPPP....", "continuous"),
    flat("sign(‖∇u‖)", "Δu + sign(‖∇u‖)", "r.UPP...."),
    flat("sign(Δu)‖∇u‖", "sign(Δu) ‖∇u‖", "RPUPP...."),
    flat("‖∇u‖ sign(u)", "‖∇u‖ sign(u)", "RPUPP....", "jumps with u"),
    flat("sign(x)‖∇u‖", "sign(x) ‖∇u‖", "RPUPP....", "jumps in x"),
    flat("heaviside(x)Δu on both sides", "Δu + heaviside(x) u - heaviside(x) u", "PPPPP....", "nothing", False),
    flat("√x √x u_y", "Δu + sqrt(x) sqrt(x) ∂u/∂y", "..UPP....", "no value for x < 0", False),
    flat("u_x²/u_x", "Δu + (∂u/∂x)²/(∂u/∂x)", "..pPP....", "u_x but for 0", False),
    classless("third, weighed, torus, sign u_x", periodic_box("∂u/∂t = Δu + sign(∂u/∂x)"), "RPUPP....", JUMP, True),
    classless("third, weighed, square, relu(x - ½) on both sides",
              square("relu(x - ½) ∂u/∂t = relu(x - ½) Δu", DIRICHLET), "URUPP....", "half of it is free"),
    classless("third, weighed, rest, relu(x)w = relu(x)u",
              system("u w", "∂u/∂t = Δu\nrelu(x) w = relu(x) u", stationary="w"), "...PP....", "", order=(1, 0),
                  count=2),
    # ---- families
    *(kin(f"{a}cos x {b:+}", periodic(f"∂u/∂t = ({a}cos(2π x) {b:+}) Δu"), f"PP{of(abs(a) <= b, 'p')}PP...R")
      for a, b in ((1, 1), (2, 1), (3, 4), (-5, 5), (-2, 1), (1, -1))),
    *(quartic(b, c) for b, c in ((0, 1), (1, 1), (-2, 1), (-3, 2), (3, -1), (-4, 4), (-5, 6))),
    *(kin(f"{a}e^x {b:+}", data(f"∂u/∂t = ({a}exp(x) {b:+}) Δu"), f"PP{of(a >= 0 and b >= 0, 'p', 'r')}PP....")
      for a, b in ((1, 1), (1, -1), (2, 3), (3, -1))),
    *(kin(f"{a}u³ {b:+}u in Δ", periodic(f"∂u/∂t = Δ({a}u³ {b:+}u)"), f"RP{of(a >= 0 and b >= 0)}PP...P", True)
      for a, b in ((1, 1), (2, 3), (1, -1), (3, -2))),
    *(kin(f"{a}|X| {b:+}X", data(f"∂u/∂t = {a}|{XX}| {b:+}{XX}"), f"RP{of(b >= abs(a))}PP....", True)
      for a, b in ((1, 1), (1, 2), (2, 1), (3, 3), (-1, 1), (-2, 1))),
    *(kin(f"decay {a}, {n}, rk4", maps(f"∂Y/∂t = -{a}Y", "", f"rk4(steps={n})"), of(3 * a / n <= 2.78, "PP..", "rr.."))
      for a, n in ((1, 1), (2, 2), (5, 5), (6, 7), (7, 7))),
    *(kin(f"{a}tanh and {b}, steps {n}", maps(f"∂Y/∂t = -{a}Kᵀ tanh(K Y) - {b}Y", K, f"euler(steps={n})"),
          of(3 * (a + b) / n <= 2, "PP..", "rr.."), True)
      for a, b, n in ((1, 1, 3), (1, 1, 2), (2, 1, 5), (3, 1, 6), (2, 2, 7))),
    *(kin(f"{c}u, {s}", interval(f"∂u/∂t = 2Δu {c:+}u", s), f"{of('1' in s, 'R', 'P')}RPPP...R")
      for c in (-5, 4) for s in (DIRICHLET, "u = 1 on boundary", "n·∇u = -2u on boundary")),
    *(kin(f"two waves, {a} and {b}", plane(f"∂u/∂t = {a} ∂²u/∂x² {b:+}∂²u/∂y²"), f"PP{of(a >= 0 and b >= 0)}PP....")
      for a, b in ((1, 2), (3, -1), (-2, 1), (5, 7))),
)  # fmt: skip
