"""Feature maps: contractivity of a block, by its stability function or by simulation.

One step of length h takes Y' = λY to R(hλ)Y, with R(z) = 1 + z for euler, 1 + z + z²/2 for heun, the exponential series
up to z⁴ for rk4, and 1 + z + … + zⁿ for backward_euler with n terms (its inverse, cut off). A reaction alone, or KᵀK
which is symmetric with eigenvalues in [0, ‖K‖²], or a rotation, is normal: stability and decay of the norm hold exactly
if |R| ≤ 1 on the spectrum. Leapfrog from rest gives Yₙ = Tₙ(1 - ½h²ω²)Y₀ (Chebyshev), verlet the matrix
[[1, h], [-h, 1 - h²]]. Here T = 3, so that h = 1 with three steps.

Y - h Kᵀσ(K Y) moves no two maps apart if σ does not decrease and h Lip(σ)‖K‖² ≤ 2, and with heun and rk4 under the
same bound (they are circle-contractive with r = 1: Dahlquist and Jeltsch 1979). Terms with one K add up to one
layer. K may be a multiple k of the identity: what fails for it fails.
"""

from __future__ import annotations

from analysis.more_spec_templates import linear, nonlinear
from analysis.spec_templates import Row, declared, maps

BOUND = "learn K(t) : operator, ‖K‖ ≤ 1 = conv(3)"
ONE = "learn K : operator, ‖K‖ ≤ 1 = conv(3)"
HALF = "learn K : operator, ‖K‖ ≤ 0.5 = conv(3)"
DOUBLE = "learn K : operator, ‖K‖ ≤ 2 = conv(3)"
MORE = "learn K : operator, ‖K‖ ≤ 2.1 = conv(3)"
SECOND = "learn L(t) : operator, ‖L‖ ≤ 1 = conv(3)"
THIRD = "learn M(t) : operator, ‖M‖ ≤ 1 = conv(3)"
FREE = "learn K : operator = conv(3)"
ZERO_Y_VELOCITY = "∂Y/∂t(x, 0) = 0"
FLOW = "gradient-flow|ode"
PAIR = "hamiltonian|ode hamiltonian|ode"
SWING = "wave|gradient-flow|ode"
CIRCLE = "circle contractivity"
SERIES = "it takes the slope of a function of one number"


def decay(name: str, rate: str, time: str, cells: str, why: str = "") -> Row:
    return linear(f"decay, {name}", maps(f"∂Y/∂t = {rate}", "", time), FLOW, cells, why)


def pull(name: str, declare: str, time: str, cells: str, why: str = "") -> Row:
    return linear(f"KᵀK, {name}", maps("∂Y/∂t = -Kᵀ identity(K Y)", declare, time), FLOW, cells, why)


def turn(name: str, rate: str, time: str, cells: str, why: str = "") -> Row:
    return linear(f"turn, {name}", maps(f"∂Y/∂t = {rate}Z\n∂Z/∂t = -{rate}Y", "", time), PAIR, cells, why)


def swing(name: str, right: str, declare: str, cells: str, why: str = "", steps: int = 3) -> Row:
    text = maps(f"∂²Y/∂t² = {right}", declare, f"leapfrog(steps={steps})", ZERO_Y_VELOCITY)
    return linear(f"swing, {name}", text, SWING, cells, why, order=2)


def point(name: str, right: str, cells: str, why: str = "") -> Row:
    return nonlinear(f"point by point, {name}", maps(f"∂Y/∂t = {right}", ""), FLOW, cells, why)


def layer(name: str, right: str, cells: str, why: str = "", declare: str = BOUND, time: str = "euler(steps=3)") -> Row:
    return nonlinear(f"layer, {name}", maps(f"∂Y/∂t = {right}", declare, time), FLOW, cells, why)


TABLE: tuple[Row, ...] = (
    # ---- a reaction alone
    decay("euler, 1", "-Y", "euler(steps=4)", "PPr."),
    decay("euler, 2", "-2Y", "euler(steps=3)", "PP..", "R = -1"),
    decay("euler, 2.1", "-2.1Y", "euler(steps=3)", "RRr.", "R = -1.1"),
    decay("euler, growth", "0.1Y", "euler(steps=3)", "RRr."),
    decay("euler, a sum", "Y - 2Y", "euler(steps=3)", "PPr."),
    decay("heun, 1", "-Y", "heun(steps=3)", "PPr.", "R = ½"),
    decay("heun, 2", "-2Y", "heun(steps=3)", "PP..", "R = 1"),
    decay("heun, 2.1", "-2.1Y", "heun(steps=3)", "RRr.", "R = 1.105"),
    decay("heun, one step", "-Y", "heun(steps=1)", "RRr.", "R = 2.5"),
    decay("heun, growth", "Y", "heun(steps=3)", "RRr."),
    decay("rk4, 2.7", "-2.7Y", "rk4(steps=3)", "PPr.", "R = 0.88"),
    decay("rk4, 2.8", "-2.8Y", "rk4(steps=3)", "RRr.", "R = 1.02"),
    decay("rk4, one step", "-Y", "rk4(steps=1)", "RRr.", "R = 1.375"),
    decay("rk4, two steps", "-Y", "rk4(steps=2)", "PPr.", "R = 0.27"),
    decay("rk4, growth", "½Y", "rk4(steps=3)", "RRr."),
    decay("backward, 1, two terms", "-Y", "backward_euler(steps=3, terms=2)", "PP..", "R = 1"),
    decay("backward, ½, two terms", "-½Y", "backward_euler(steps=3, terms=2)", "PPr.", "R = ¾"),
    decay("backward, 1.2, two terms", "-1.2Y", "backward_euler(steps=3, terms=2)", "RRr.", "R = 1.24"),
    decay("backward, 1, three terms", "-Y", "backward_euler(steps=3, terms=3)", "PPrr", "R = 0"),
    decay("backward, 2, three terms", "-2Y", "backward_euler(steps=3, terms=3)", "RRr.", "R = -5"),
    decay("backward, 2, one term", "-2Y", "backward_euler(steps=3, terms=1)", "PP..", "R = -1"),
    decay("adaptive", "-Y", "dopri5", "ppr.", "up to its tolerance"),
    # ---- the identity as activation
    pull("euler", ONE, "euler(steps=3)", "PPrr"),
    pull("euler, one step", ONE, "euler(steps=1)", "RRr.", "K = 1: R = -2"),
    pull("euler, one step, half", HALF, "euler(steps=1)", "PPr.", "3/4 ≤ 2"),
    pull("heun, two steps", ONE, "heun(steps=2)", "PPr."),
    pull("heun, one step", ONE, "heun(steps=1)", "RRr.", "K = 1: R = 2.5"),
    pull("rk4, two steps", ONE, "rk4(steps=2)", "PPr."),
    pull("rk4, one step", ONE, "rk4(steps=1)", "RRr.", "K = 1: R = 1.375"),
    pull("backward, three steps", ONE, "backward_euler(steps=3)", "PPr.", "1 - z + z² ≤ 1 up to z = 1"),
    pull("backward, two steps", ONE, "backward_euler(steps=2)", "RRr.", "K = 1: R = 1.75"),
    pull("no bound", FREE, "rk4(steps=3)", "RRr.", "K = 3"),
    linear("KᵀK, growth", maps("∂Y/∂t = Kᵀ identity(K Y)", ONE, "rk4(steps=3)"), FLOW, "RRr.", "K = 1"),
    linear(
        "KᵀK and a reaction", maps("∂Y/∂t = -Kᵀ identity(K Y) - Y", ONE, "heun(steps=3)"), FLOW, "PPr.", "z in [-2, -1]"
    ),
    linear("KᵀK less a reaction", maps("∂Y/∂t = ½Y - Kᵀ identity(K Y)", ONE, "heun(steps=3)"), FLOW, "RRr.", "K = 0"),
    # ---- rotations
    turn("euler", "", "euler(steps=3)", "RRr.", "√2"),
    turn("heun", "", "heun(steps=3)", "RRr.", "|½ + i| = 1.12"),
    turn("rk4", "", "rk4(steps=3)", "PPr.", "0.994"),
    turn("rk4, 2", "2", "rk4(steps=3)", "PPr.", "0.75"),
    turn("rk4, 3", "3", "rk4(steps=3)", "RRr.", "1.51"),
    turn("backward, two terms", "", "backward_euler(steps=3, terms=2)", "PP..", "R = i"),
    turn("backward, three terms", "", "backward_euler(steps=3, terms=3)", "PPrr", "R = 0"),
    turn("verlet", "", "verlet(steps=4)", "RR.P", "h = ¾: Z grows by 2.5 %"),
    turn("verlet, 2", "2", "verlet(steps=3)", "RRrP", "a double eigenvalue -1 that is no multiple of 1"),
    turn("verlet, 3", "3", "verlet(steps=3)", "RRrP", "trace -7"),
    linear("run away, verlet", maps("∂Y/∂t = Z\n∂Z/∂t = Y", "", "verlet(steps=3)"), PAIR, "RR.P", "trace 3"),
    linear("shear, verlet", maps("∂Y/∂t = Z\n∂Z/∂t = 0", "", "verlet(steps=3)"), PAIR, "RR.P", "Y + 3Z"),
    # ---- second order in time
    swing("1", "-Y", "", "Pp.P", "T₃(½) = -1"),
    swing("4", "-4Y", "", "Pp.P", "T₃(-1) = -1"),
    swing("9", "-9Y", "", "Rr.P", "T₃(-3.5) = -161"),
    swing("9, six steps", "-9Y", "", "Pp.P", "9/4 ≤ 4", steps=6),
    swing("running away", "Y", "", "Rr.P", "T₃(1.5) = 9"),
    swing("KᵀK", "-Kᵀ identity(K Y)", ONE, "Pp.P"),
    swing("KᵀK, bound 2", "-Kᵀ identity(K Y)", DOUBLE, "Pp.P", "h²‖K‖² = 4"),
    swing("KᵀK, bound 2.1", "-Kᵀ identity(K Y)", MORE, "Rr.P", "T₃(-1.205) = -3.4"),
    swing("KᵀK, no bound", "-Kᵀ identity(K Y)", FREE, "Rr.P", "K = 3"),
    # ---- functions of Y itself
    point("-tanh", "-tanh(Y)", "pprr", SERIES),
    point("-3 tanh", "-3tanh(Y)", "RRr.", "slope -2 at 0"),
    point("tanh", "tanh(Y)", "RRr.", "slope 2 at 0"),
    point("-relu", "-relu(Y)", "pprr", SERIES),
    point("-softplus", "-softplus(Y)", "pRr.", "0 goes to -log 2"),
    point("-sin", "-sin(Y)", "RRr.", "slope 2 at π; 3π/2 grows by 1"),
    point("-Y³", "-Y³", "RRr.", "2 goes to -6"),
    point("-|Y|", "-abs(Y)", "RRr.", "-1 goes to -2"),
    point("-gelu", "-gelu(Y)", "Rpr.", "gelu falls at -1.5"),
    point("tanh - 1", "tanh(Y) - Y", "ppr.", "tanh Y is left"),
    point("tanh - 2", "tanh(Y) - 2Y", "pprr", "tanh Y - Y is left"),
    point("cosine - 1", "cos(Y) - Y", "pRrr", "cos Y is left: 0 goes to 1"),
    # ---- layers
    layer("tanh, heun", "-Kᵀ tanh(K Y)", "ppr.", CIRCLE, ONE, "heun(steps=3)"),
    layer("tanh, heun, long", "-Kᵀ tanh(K Y)", "RRr.", "near 0, R(-3) = 2.5", ONE, "heun(steps=1)"),
    layer("relu, rk4", "-Kᵀ relu(K Y)", "ppr.", CIRCLE, ONE, "rk4(steps=3)"),
    layer("relu, rk4, long", "-Kᵀ relu(K Y)", "RRr.", "on positive states R(-3) = 1.375", ONE, "rk4(steps=1)"),
    layer("gelu, heun", "-Kᵀ gelu(K Y)", "R.r.", "gelu falls at -1.5", ONE, "heun(steps=3)"),
    layer("sine, rk4", "-Kᵀ sin(K Y)", "R.r.", "the sine falls at π", ONE, "rk4(steps=3)"),
    layer("tanh, backward, long", "-Kᵀ tanh(K Y)", "RRr.", "near 0, R(-1.5) = 1.75", ONE, "backward_euler(steps=2)"),
    layer("growth, heun", "Kᵀ tanh(K Y)", "RRr.", "K = 1", ONE, "heun(steps=3)"),
    layer("two operators, at the bound", "-Kᵀ tanh(K Y) - Lᵀ relu(L Y)", "PPr.", "1 + 1 ≤ 2", declared(BOUND, SECOND)),
    layer(
        "three operators",
        "-Kᵀ tanh(K Y) - Lᵀ relu(L Y) - Mᵀ relu(M Y)",
        "RRr.",
        "all 1: slope -2",
        declared(BOUND, SECOND, THIRD),
    ),
    layer("one good, one bad", "-Kᵀ tanh(K Y) + Lᵀ tanh(L Y)", "RRr.", "K = 0, L = 1", declared(BOUND, SECOND)),
    layer("a rate at the bound", "-Kᵀ relu(K Y) - Y", "PPr.", "1 + 1 ≤ 2"),
    layer("a rate above the bound", "-Kᵀ relu(K Y) - 1.1Y", "RRr.", "K = 1 on positive states: -1.1"),
    layer("a rate that grows", "-Kᵀ relu(K Y) + 0.1Y", "RRr.", "K = 0"),
    # ---- one K in several layers
    layer("one K twice", "-Kᵀ tanh(K Y) - Kᵀ relu(K Y)", "ppr.", "σ = tanh + relu has slopes up to 2"),
    layer("one K thrice", "-Kᵀ tanh(K Y) - Kᵀ relu(K Y) - Kᵀ hardtanh(K Y)", "RRr.", "K = 1: slope -2"),
    layer("one K against itself", "-Kᵀ relu(K Y) + Kᵀ tanh(K Y)", "rrr.", "negative states run away"),
    layer("one K, its halves", "-Kᵀ relu(K Y) + Kᵀ relu(-K Y)", "ppr.", "relu(z) - relu(-z) = z"),
    layer("one K, its halves, wrong", "-Kᵀ relu(K Y) - Kᵀ relu(-K Y)", "rrr.", "|z|"),
    layer("one K, less than itself", "-Kᵀ identity(K Y) + Kᵀ tanh(K Y)", "ppr.", "z - tanh z has slopes in [0, 1]"),
    layer("one K, more than itself", "-Kᵀ tanh(K Y) + ½Kᵀ identity(K Y)", "rrr.", "½z - tanh z runs away for large z"),
    layer("one K, twice less once", "-2Kᵀ relu(K Y) + Kᵀ relu(K Y)", "PPr.", "the terms are alike"),
    linear("layer, one K cancels", maps("∂Y/∂t = Kᵀ tanh(K Y) - Kᵀ tanh(K Y)", BOUND), FLOW, "pppp", "nothing is left"),
    layer("one K and another inside", "-Kᵀ tanh(L Y)", "rrr.", "L = -K", declared(BOUND, SECOND)),
)
