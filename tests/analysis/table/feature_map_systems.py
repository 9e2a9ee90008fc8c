"""Feature maps and systems. T = 3, so that h = 1 with three steps; K is a convolution, not symmetric, and k times the
identity with k at most 0.85 of its bound is admissible.

- One layer with φ = Σ c σ: relu(z) + relu(-z) = |z| is not monotone, relu(z) - relu(-z) = z is, and so is z - tanh z.
- -KᵀK + KKᵀ has no trace: one of its eigenvalues is positive, unless K is normal.
- Steps of euler read the time at their start: with -tY the factors are 1, 0 and -1.
- The slopes of erf and gelu are at most 1.12838 and 1.12890; |1 - 1.8·1.128| > 1.
- Masses of a system: of every unknown by itself.
"""

from __future__ import annotations

from analysis.more_spec_templates import linear, nonlinear, system
from analysis.spec_templates import NETWORK, Row, declared, lines, maps
from analysis.table.signed_unknowns import ANY

FLOW = "gradient-flow|ode|hamiltonian|wave"
ONE = "learn K : operator, ‖K‖ ≤ 1 = conv(3)"
OTHER = "learn L : operator, ‖L‖ ≤ 1 = conv(3)"
ZERO_SPEED = "∂Y/∂t(x, 0) = 0"
RING = "x in [0, 1] periodic"
REACH = "a network reaches 0.85 of its bound"


def bound(size: str) -> str:
    return f"learn K : operator, ‖K‖ ≤ {size} = conv(3)"


def layer(
    name: str,
    right: str,
    cells: str,
    why: str = "",
    declare: str = ONE,
    time: str = "euler(steps=3)",
    bent: bool = True,
) -> Row:
    return (nonlinear if bent else linear)(
        f"second, layer, {name}", maps(f"∂Y/∂t = {right}", declare, time), FLOW, cells, why
    )


def two(
    name: str, first: str, other: str, time: str, cells: str, why: str, declare: str = "", bent: bool = False
) -> Row:
    text = maps(f"∂Y/∂t = {first}\n∂Z/∂t = {other}", declare, time)
    return (nonlinear if bent else linear)(f"second, halves, {name}", text, f"{FLOW} {FLOW}", cells, why)


def swing(name: str, right: str, time: str, cells: str, why: str = "", declare: str = ONE, bent: bool = False) -> Row:
    text = maps(f"∂²Y/∂t² = {right}", declare, time, ZERO_SPEED)
    return (nonlinear if bent else linear)(f"second, swing, {name}", text, FLOW, cells, why, 2)


def longer(name: str, time: str, right: str, method: str, cells: str, why: str) -> Row:
    """Another interval of time."""
    text = lines(
        "pde Row", "space x in pixels", f"time t in {time}", "unknown Y(x, t) : channels", ONE, f"∂Y/∂t = {right}",
        f"realize time by {method}", NETWORK,
    )  # fmt: skip
    return nonlinear(f"second, interval, {name}", text, FLOW, cells, why)


def many(
    name: str, unknowns: str, equations: str, cells: str, why: str = "", bent: bool = False, positive: str = "",
    order: int | tuple[int, ...] = 1,
) -> Row:  # fmt: skip
    kinds = " ".join([f"{ANY}|system"] * len(unknowns.split()))
    text = system(unknowns, equations, RING, positive=positive)
    return (nonlinear if bent else linear)(f"second, system, {name}", text, kinds, cells, why, order)


TABLE: tuple[Row, ...] = (
    # ---- layers
    layer("|z| in two", "-Kᵀ relu(K Y) - Kᵀ relu(-K Y)", "rrr.", "-Kᵀ|KY|"),
    layer("z in two", "-Kᵀ relu(K Y) + Kᵀ relu(-K Y)", "ppr.", "-KᵀKY"),
    layer("z - tanh z", "Kᵀ tanh(K Y) - Kᵀ K Y", "ppr.", "slopes in [0, 1]"),
    layer("2tanh z - z", "Kᵀ K Y - 2Kᵀ tanh(K Y)", "RRr.", "grows far away"),
    layer("K and Kᵀ", "-Kᵀ relu(K Y) - K relu(Kᵀ Y)", "PPr.", "1 + 1"),
    layer("K and Kᵀ and more", "-Kᵀ relu(K Y) - K relu(Kᵀ Y) - 0.1Y", "rrr.", "2.1"),
    layer("K against Kᵀ", "-Kᵀ tanh(K Y) + K tanh(Kᵀ Y)", "rrr.", "no trace"),
    layer("KᵀK against KKᵀ", "K Kᵀ Y - Kᵀ K Y", "rrr.", "no trace", bent=False),
    layer("skew", "K Y - Kᵀ Y", "rrr.", "√(1 + s²)", bent=False),
    layer("KᵀK twice", "-Kᵀ K Y - Kᵀ K Y", "PPr.", "1 - 2", bent=False),
    layer("(KᵀK)²", "-Kᵀ K Kᵀ K Y", "ppr.", "in [0, 1]", bent=False),
    layer("through L", "-Kᵀ Lᵀ tanh(L K Y)", "ppr.", "‖LK‖ ≤ 1", declared(ONE, OTHER)),
    layer("K and L", "-Kᵀ relu(L Y)", "rrr.", "L = -K", declared(ONE, OTHER)),
    layer("relu(2KY)", "-Kᵀ relu(2K Y)", "ppr.", "slope 2"),
    layer("relu(3KY)", "-Kᵀ relu(3K Y)", "rrr.", "slope 3·0.72 = 2.17"),
    layer("shifted", "-Kᵀ relu(K Y + Y)", "rrr.", "K = -½"),
    layer("tanh tanh", "-Kᵀ tanh(tanh(K Y))", "ppr.", "slopes in [0, 1]"),
    layer("tanh³", "-Kᵀ tanh(K Y)³", "ppr.", "slopes in [0, ¾]"),
    layer("1.7 erf", "-1.7Kᵀ erf(K Y)", "PPr.", "1.918"),
    layer("1.8 erf", "-1.8Kᵀ erf(K Y)", "rrr.", "2.031"),
    layer("1.7 gelu", "-1.7Kᵀ gelu(K Y)", "RPr.", "falls at -1.4; 1.919"),
    layer("1.8 gelu", "-1.8Kᵀ gelu(K Y)", "R.r.", "falls at -1.4"),
    layer("sigmoid, 2.8", "-Kᵀ sigmoid(K Y)", "PRr.", "1.96", bound("2.8")),
    layer("sigmoid, 2.9", "-Kᵀ sigmoid(K Y)", "rRr.", f"2.1; {REACH}", bound("2.9")),
    layer("1.4142", "-Kᵀ hardtanh(K Y)", "PPr.", "1.99996", bound("1.4142")),
    layer("1.4143", "-Kᵀ hardtanh(K Y)", "rrr.", f"2.0002; {REACH}", bound("1.4143")),
    layer("-tY", "-t Y", "ppr.", "1, 0, -1", ""),
    layer("-(1 + t)Y", "-(1 + t) Y", "ppr.", "0, -1, -2", ""),
    layer("learned size", "-c Kᵀ tanh(K Y)", "rrr.", "c = 9", declared(ONE, "learn c : scalar ≥ 0")),
    layer("nothing in disguise", "relu(Y) - relu(-Y) - Y", "pp..", "zero", ""),
    layer("leaky and decay, ssprk3", "-Kᵀ leaky_relu(K Y) - ½Y", "p.r.", "1.5", time="ssprk3(steps=3)"),
    layer("KᵀK, ssprk3, 2.6", "-2.6Kᵀ K Y - 0.9Y", "rrr.", "3.5 > 2.51", time="ssprk3(steps=3)", bent=False),
    layer(
        "backward 4",
        "-0.9Kᵀ K Y",
        "PPr.",
        "1 - x + x² - x³ + x⁴ ≤ 1 up to 1",
        time="backward_euler(steps=3, terms=4)",
        bent=False,
    ),
    layer("backward 4, more", "-1.5Kᵀ K Y", "RRr.", "x = 1.08", time="backward_euler(steps=3, terms=4)", bent=False),
    longer("[1, 4]", "[1, 4]", "-2Kᵀ relu(K Y)", "euler(steps=3)", "PPr.", "h = 1"),
    longer("[1, 4], two steps", "[1, 4]", "-2Kᵀ relu(K Y)", "euler(steps=2)", "RRr.", "h = 3/2: 3·0.72"),
    longer("[0, ½], one step", "[0, ½]", "-4Kᵀ relu(K Y)", "euler(steps=1)", "PPr.", "h = ½"),
    # ---- halves and swings
    two("shear", "Z", "Z - Z", "verlet(steps=3)", "rr.p", "Y + 3Z"),
    two("tanh, verlet", "Kᵀ tanh(K Z)", "-Kᵀ tanh(K Y)", "verlet(steps=3)", "r..P", "a swing", ONE, True),
    two("tanh, euler", "Kᵀ tanh(K Z)", "-Kᵀ tanh(K Y)", "euler(steps=3)", "RRr.", "|1 + i·0.72|", ONE, True),
    two("rotation, rk4, √8", "2.8284Z", "-2.8284Y", "rk4(steps=3)", "PP..", "2.8284 < √8"),
    two("rotation, rk4, more", "2.83Z", "-2.83Y", "rk4(steps=3)", "RRr.", "2.83 > √8"),
    two("unequal", "2Z", "-½Y", "rk4(steps=3)", "rr..", "an ellipse"),
    swing("tanh", "-Kᵀ tanh(K Y)", "leapfrog(steps=3)", "...P", "symmetric", bent=True),
    swing("friction", "-Kᵀ K Y - ∂Y/∂t", "leapfrog(steps=3)", "....", "reads its speed", bent=True),
    swing("KᵀK, rk4", "-Kᵀ K Y", "rk4(steps=3)", "pp..", "|R(iy)| ≤ 1 up to √8"),
    swing("KᵀK, leapfrog", "-4Kᵀ K Y", "leapfrog(steps=3)", "Pp.P", "h²ω² ≤ 4"),
    # ---- systems on a ring
    many("carried", "u v", "∂u/∂t = Δu + v\n∂v/∂t = Δv", "PR.PP...R", "∫v"),
    many("product", "u v", "∂u/∂t = Δ(u v)\n∂v/∂t = Δv", "RP.PP...P", "a flux", True),
    many("p-system", "u v", "∂u/∂t = ∂v/∂x\n∂v/∂t = ∂(u³)/∂x", "RP.PP...P", "fluxes", True),
    many("Leibniz", "u v", "∂u/∂t = v ∂u/∂x + u ∂v/∂x\n∂v/∂t = Δv", "RP.PP...P", "(uv)'", True),
    many("three in a circle", "u v w", "∂u/∂t = ∂v/∂x\n∂v/∂t = ∂w/∂x\n∂w/∂t = ∂u/∂x", "PP.PP...P", "fluxes"),
    many("delayed by the other", "u w", "∂u/∂t = Δu + w(x, t - ½)\n∂w/∂t = Δw", "PR.R.....", "a memory"),
    many("across the ring", "u w", "∂u/∂t = Δu + w(x + ½, t) - w\n∂w/∂t = Δw", "PP.PR....", "another place"),
    many("two orders", "u v", "∂²u/∂t² = v\n∂v/∂t = Δu\n∂u/∂t(x, 0) = 0", "PR.RP....", "", order=(2, 1)),
    many("fed by a square", "u v", "∂u/∂t = Δv\n∂v/∂t = -Δu + v²", "RR.PP...R", "∫v²", True),
    many("v > 0 as a conductivity", "u v", "∂u/∂t = v Δu\n∂v/∂t = Δv", "RP.PP...R", "∫uΔv", True, "v"),
    many("|v| - v", "u v", "∂u/∂t = Δu + abs(v) - v\n∂v/∂t = Δv", "pp.PP...p", "nothing, for v > 0", False, "v"),
    many("relu(-v)", "u v", "∂u/∂t = Δu + relu(-v)\n∂v/∂t = Δv", "pp.PP...p", "nothing, for v > 0", False, "v"),
    many("sign(v) Δu", "u v", "∂u/∂t = sign(v) Δu\n∂v/∂t = Δv", "pp.PP...p", "Δu, for v > 0", False, "v"),
    many("one alone is fed", "u v", "∂u/∂t = Δu\n∂v/∂t = Δv + 5", "RR.PP...R", "5"),
    many("difference", "u v", "∂u/∂t = Δu + u - v\n∂v/∂t = Δv + v - u", "PR.PP...R", "u ≠ v"),
    many("sum of squares", "u v", "∂u/∂t = -u (u² + v²)\n∂v/∂t = -v (u² + v²)", "RR.PP...R", "", True),
    many("Cauchy-Riemann", "u v", "∂u/∂t = ∂v/∂x\n∂v/∂t = -∂u/∂x", "PP.PP...P", "ill-posed, and of this form"),
    many("u itself", "u v", "∂u/∂t = v Δu - v Δu + Δu\n∂v/∂t = Δv", "PP.PP...P", "cancels"),
    many("log v", "u v", "∂u/∂t = Δu + ∂(log(v))/∂x\n∂v/∂t = Δv", "RP.PP...P", "a flux", True, "v"),
)
