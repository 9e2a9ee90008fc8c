"""Feature maps by every method, adaptive ones too; here T = 3, and h = 1 with three steps.

- One step takes Y' = λY to R(hλ)Y: 1 + z + ½z² for midpoint and heun, 1 + z + ½z² + z³/6 for ssprk3, and one more term
  for rk4; backward_euler with n terms has 1 + z + … + zⁿ. |R| ≤ 1 on the spectrum of a normal matrix is exact.
- A method with a step of its own follows the flow to its tolerance: where the flow moves two maps apart by a factor
  that is far from one, so does the network; where it shrinks them the network does too, but no theorem says so.
- Second order in time by a method of first order, from rest: Yₙ = Re R(iωh)ⁿ Y₀: 2 and 1.375 in modulus after three
  steps of euler and heun with ωh = 1, 0.9167 for ssprk3.
- σ ≥ 0 slopes: elu, leaky_relu, softsign, hardtanh at most 1, erf 2/√π, sigmoid ¼. What is not zero at zero (softplus,
  sigmoid) moves Y = 0, and its norm grows. gelu, silu, mish, sin, abs and square fall somewhere.
"""

from __future__ import annotations

from analysis.more_spec_templates import linear, nonlinear
from analysis.spec_templates import Row, declared, maps

ONE = "learn K : operator, ‖K‖ ≤ 1 = conv(3)"
TIMED = "learn K(t) : operator, ‖K‖ ≤ 1 = conv(3)"
DOUBLE = "learn K : operator, ‖K‖ ≤ 2 = conv(3)"
FREE = "learn K : operator = conv(3)"
OTHER = "learn L : operator, ‖L‖ ≤ 1 = conv(3)"
TV = declared("let N = tv_norm(eps=1e-3)", ONE)
BATCH = declared("let N = batch_norm()", ONE)
FIELD = "learn f(Y, t) : channels = convnet(layers=2)"
FLOW = "gradient-flow|ode"
PAIR = "hamiltonian|ode hamiltonian|ode"
SWING = "wave|gradient-flow|ode"
ADAPTIVE = "the flow shrinks, and the method follows it"


def own(name: str, right: str, cells: str, why: str = "", declare: str = "", time: str = "dopri5") -> Row:
    """A method with a step of its own."""
    make = linear if declare == "" or "identity" in right else nonlinear
    return make(f"own step, {name}", maps(f"∂Y/∂t = {right}", declare, time), FLOW, cells, why)


def decay(name: str, rate: str, time: str, cells: str, why: str = "") -> Row:
    return linear(f"block decay, {name}", maps(f"∂Y/∂t = {rate}", "", time), FLOW, cells, why)


def turn(name: str, rate: str, time: str, cells: str, why: str = "") -> Row:
    return linear(f"block turn, {name}", maps(f"∂Y/∂t = {rate}Z\n∂Z/∂t = -{rate}Y", "", time), PAIR, cells, why)


def both(name: str, first: str, other: str, time: str, cells: str, why: str = "") -> Row:
    return linear(f"block pair, {name}", maps(f"∂Y/∂t = {first}\n∂Z/∂t = {other}", "", time), PAIR, cells, why)


def swing(name: str, right: str, time: str, cells: str, why: str = "", declare: str = "") -> Row:
    text = maps(f"∂²Y/∂t² = {right}", declare, time, "∂Y/∂t(x, 0) = 0")
    return linear(f"block swing, {name}", text, SWING, cells, why, 2)


def layer(name: str, right: str, cells: str, why: str = "", declare: str = ONE, time: str = "euler(steps=3)") -> Row:
    return nonlinear(f"block, {name}", maps(f"∂Y/∂t = {right}", declare, time), FLOW, cells, why)


TABLE: tuple[Row, ...] = (
    # ---- methods with a step of their own
    own("decay", "-1.5Y", "pprr", ADAPTIVE),
    own("growth", "Y", "RRrr", "exp 3"),
    own("slow growth", "0.5Y", "RRrr", "exp 1.5", time="bosh3"),
    own("growth, heun", "2Y", "RRrr", "exp 6", time="adaptive_heun"),
    own("growth, dopri8", "Y - 0.25Y", "rrrr", "exp 2.25; its steps are those of another library", time="dopri8"),
    own("growth, fehlberg", "Y", "rrrr", "exp 3; its steps are those of another library", time="fehlberg2"),
    own("KᵀK, growing", "Kᵀ identity(K Y)", "RRrr", "K = 0.85: exp 2.2", ONE),
    own("KᵀK, no bound", "Kᵀ identity(K Y) - 2Y", "RRrr", "K = 2", FREE),
    own("KᵀK", "-Kᵀ identity(K Y)", "pprr", ADAPTIVE, ONE),
    own("tanh", "-Kᵀ tanh(K Y)", "pprr", ADAPTIVE, ONE),
    own("tanh, growing", "Kᵀ tanh(K Y)", "RRrr", "K = 0.85 near 0", ONE),
    own("sine", "-Kᵀ sin(K Y)", "R.rr", "near π", FREE),
    own("gelu", "-Kᵀ gelu(K Y)", "r.rr", "gelu falls at -1.5", ONE),
    own("softplus", "-Kᵀ softplus(K Y)", "pRrr", "0 moves", ONE),
    own("tanh, less than it grows", "Kᵀ tanh(K Y) - 2Y", "pprr", "slopes 1 - 2", ONE),
    own("tv and relu", "-Kᵀ relu(N(K Y))", "rrrr", "no monotone layer", TV),
    own("field", "f(Y, t)", "rrrr", "the field may be 10Y", FIELD),
    # ---- a rate alone
    decay("midpoint, 2", "-2Y", "midpoint(steps=3)", "PPr.", "R = 1"),
    decay("midpoint, 2.01", "-2.01Y", "midpoint(steps=3)", "RRr.", "R = 1.01"),
    decay("ssprk3, 2.5", "-2.5Y", "ssprk3(steps=3)", "PPr.", "R = -0.979"),
    decay("ssprk3, 2.6", "-2.6Y", "ssprk3(steps=3)", "RRr.", "R = -1.149"),
    decay("rk4, 2.78", "-2.78Y", "rk4(steps=3)", "PPr.", "R = 0.991"),
    decay("rk4, 2.79", "-2.79Y", "rk4(steps=3)", "RRr.", "R = 1.007"),
    decay("rk4, one step", "-0.9Y", "rk4(steps=1)", "PPr.", "R(-2.7) < 1"),
    decay("backward 2, 1", "-Y", "backward_euler(steps=3)", "PPr.", "R = 1"),
    decay("backward 2, 1.2", "-1.2Y", "backward_euler(steps=3)", "RRr.", "R = 1.24"),
    decay("backward 2, 1.2, short", "-1.2Y", "backward_euler(steps=6)", "PPr.", "R = 0.76"),
    decay("backward 3, 1.3", "-1.3Y", "backward_euler(steps=3, terms=3)", "PPr.", "R = -0.807"),
    decay("backward 3, 1.4", "-1.4Y", "backward_euler(steps=3, terms=3)", "RRr.", "R = -1.184"),
    decay("backward 1, 1.9", "-1.9Y", "backward_euler(steps=3, terms=1)", "PPr.", "R = -0.9"),
    decay("backward 5, 1", "-Y", "backward_euler(steps=3, terms=5)", "PPr.", "R = 0"),
    decay("backward 2, growth", "0.01Y", "backward_euler(steps=3)", "RRr.", "R > 1"),
    decay("nothing", "Y - Y", "heun(steps=3)", "pp.."),
    decay("nearly nothing", "1e-9 Y", "euler(steps=3)", "rrr.", "R = 1 + 10⁻⁹"),
    # ---- two halves
    turn("ssprk3, 1.7", "1.7", "ssprk3(steps=3)", "PP..", "1.7 < √3"),
    turn("ssprk3, 1.8", "1.8", "ssprk3(steps=3)", "RR..", "|R|² = 1.07"),
    turn("rk4, 2.8", "2.8", "rk4(steps=3)", "PP..", "2.8 < √8"),
    turn("rk4, 2.9", "2.9", "rk4(steps=3)", "RR..", "|R| > 1"),
    turn("midpoint", "0.5", "midpoint(steps=3)", "RR..", "1 + z⁴/4 > 1"),
    turn("backward 1", "1", "backward_euler(steps=3, terms=1)", "RR..", "|1 + i|"),
    turn("backward 2", "1", "backward_euler(steps=3, terms=2)", "PP..", "|i| = 1"),
    turn("backward 3", "1", "backward_euler(steps=3, terms=3)", "PP..", "0"),
    both("saddle, euler", "Z", "Y", "euler(steps=3)", "RR..", "1 + 1"),
    both("contraction, euler", "-½Z", "-½Y", "euler(steps=3)", "RR..", "1 + ½ for Z = -Y"),
    # ---- second order in time
    swing("2", "-2Y", "leapfrog(steps=3)", "Pp.P", "T₃(0) = 0"),
    swing("3", "-3Y", "leapfrog(steps=3)", "Pp.P", "T₃(-½) = 1"),
    swing("5", "-5Y", "leapfrog(steps=3)", "Rr.P", "T₃(-1.5) = -9"),
    swing("euler", "-Y", "euler(steps=3)", "Rr..", "-2"),
    swing("heun", "-Y", "heun(steps=3)", "Rr..", "-1.375"),
    swing("ssprk3", "-Y", "ssprk3(steps=3)", "pp..", "-0.9167"),
    swing("rk4", "-Y", "rk4(steps=3)", "pp..", "|R| ≤ 1"),
    swing("growth, rk4", "Y", "rk4(steps=3)", "Rr..", "cosh 3"),
    # ---- layers
    layer("elu", "-Kᵀ elu(K Y)", "PPr."),
    layer("leaky relu", "-Kᵀ leaky_relu(K Y)", "PPr."),
    layer("softsign", "-Kᵀ softsign(K Y)", "PPr."),
    layer("hardtanh, each step its own", "-Kᵀ hardtanh(K Y)", "PPr.", "", TIMED),
    layer("erf", "-Kᵀ erf(K Y)", "PPr.", "slope 1.13"),
    layer("softplus", "-Kᵀ softplus(K Y)", "PRr.", "0 goes to -log 2 Kᵀ1"),
    layer("sigmoid, 2", "-Kᵀ sigmoid(K Y)", "PRr.", "4·¼ = 1", DOUBLE),
    layer("relu, 2", "-Kᵀ relu(K Y)", "RRr.", "1.7²: slope -1.89", DOUBLE),
    layer("relu, 2, short steps", "-Kᵀ relu(K Y)", "PPr.", "h‖K‖² = 2", DOUBLE, "euler(steps=6)"),
    layer("silu", "-Kᵀ silu(K Y)", "R.r.", "falls at -2", FREE),
    layer("mish", "-Kᵀ mish(K Y)", "R.r.", "falls at -2", FREE),
    layer("modulus", "-Kᵀ abs(K Y)", "RRr.", "-1 goes to -2"),
    layer("square", "-Kᵀ square(K Y)", "RRr.", "-1 goes to -2"),
    layer("half of relu", "-½Kᵀ relu(K Y) - ½Lᵀ tanh(L Y)", "PPr.", "½ + ½", declared(ONE, OTHER)),
    layer("relu and growth", "-Kᵀ relu(K Y) + Y", "RRr.", "K = 0"),
    layer("relu, ssprk3", "-Kᵀ relu(K Y)", "ppr.", "circle contractive", ONE, "ssprk3(steps=3)"),
    layer("tanh, midpoint", "-Kᵀ tanh(K Y)", ".pr.", "a weight of zero", ONE, "midpoint(steps=3)"),
    layer("tanh, backward 2, 2", "-Kᵀ tanh(K Y)", "RRr.", "R(-2.89) = 6.5", DOUBLE, "backward_euler(steps=3)"),
    layer("tv and tanh", "-Kᵀ tanh(N(K Y))", "rrr.", "tv_norm may be steep", TV),
    layer("batch norm", "-Kᵀ relu(N(K Y))", "..r.", "samples meet in a batch", BATCH),
    layer("field", "f(Y, t) - 3Y", "RRr.", "the field may be 10Y", FIELD),
)
