"""Feature maps with several layers, methods and components; three steps have length 1.

- -Σ Kᵀσ(KY) - λY has slopes up to Σ‖K‖² + λ: a step of length 1 contracts if that is at most 2.
- -2Y by Euler or midpoint, and -4Y by leapfrog, keep ‖Y‖: their factors are -1, 1 and -1.
- rk4: R(-2.78) = 0.992, R(-2.79) = 1.007; ssprk3: R(-2.5) = -0.979, R(-2.52) = -1.012.
- A rotation by Verlet with h = 1 turns by 60°: three steps are -1, and two of length 3/2 are no rotation.
- Kᵀ relu(-KY) is -Kᵀ min(KY, 0): it descends; |z|, z² and sin z do not.
"""

from __future__ import annotations

from analysis.more_spec_templates import classless
from analysis.spec_templates import Row, maps

K = "learn K : operator, ‖K‖ ≤ 1 = conv(3)"
L = "learn L : operator, ‖L‖ ≤ 1 = conv(3)"
M = "learn M : operator, ‖M‖ ≤ 1 = conv(3)"
ZERO_SPEED = "∂Y/∂t(x, 0) = 0"


def layer(
    name: str, right: str, cells: str, declare: str = K, time: str = "euler(steps=3)", bent: bool = True, why: str = ""
) -> Row:
    return classless(f"third, layer, {name}", maps(f"∂Y/∂t = {right}", declare, time), cells, why, bent)


def decay(name: str, rate: str, cells: str, time: str) -> Row:
    return layer(f"{name}, {rate}Y", f"{rate} Y", cells, "", time, bent=False)


def swing(name: str, right: str, cells: str, time: str = "leapfrog(steps=3)", declare: str = "") -> Row:
    return classless(f"third, swing, {name}", maps(f"∂²Y/∂t² = {right}", declare, time, ZERO_SPEED), cells, order=2)


def turn(name: str, first: str, other: str, cells: str, time: str = "verlet(steps=3)", declare: str = "") -> Row:
    text = maps(f"∂Y/∂t = {first}\n∂Z/∂t = {other}", declare, time)
    return classless(f"third, turn, {name}", text, cells, count=2)


TWO, THREE = f"{K}\n{L}", f"{K}\n{L}\n{M}"
SUM = "-Kᵀ relu(K Y) - Lᵀ relu(L Y)"
HALVES = "\n".join(f"learn {k} : operator, ‖{k}‖ ≤ ½ = conv(3)" for k in "KLMN")

TABLE: tuple[Row, ...] = (
    layer("two", SUM, "PPr.", TWO),
    layer("three", f"{SUM} - Mᵀ relu(M Y)", "rrr.", THREE),
    layer("three, six steps", f"{SUM} - Mᵀ relu(M Y)", "PPr.", THREE, "euler(steps=6)"),
    layer("four halves", "-Kᵀ relu(K Y) - Lᵀ tanh(L Y) - Mᵀ relu(M Y) - Nᵀ tanh(N Y)", "PPr.", HALVES),
    layer("two and decay", f"{SUM} - Y", "rrr.", TWO),
    layer("tanh and growth", "-Kᵀ tanh(K Y) + ½Y", "RRr."),
    layer("relu and tanh inside", "-Kᵀ (relu(K Y) + tanh(K Y))", "ppr."),
    layer("twice", "-2Kᵀ relu(K Y)", "PPr."),
    layer("twice, as a sum", "-Kᵀ relu(K Y) - Kᵀ relu(K Y)", "PPr."),
    layer("2.1 times", "-2.1Kᵀ relu(K Y)", "rrr."),
    layer("3 times", "-3Kᵀ relu(K Y)", "rrr."),
    layer("new weights", "-Kᵀ relu(K Y)", "PPr.", "learn K(t) : operator, ‖K‖ ≤ 1 = conv(3)"),
    layer("bound √2", "-Kᵀ relu(K Y)", "PPr.", "learn K : operator, ‖K‖ ≤ 1.414 = conv(3)"),
    layer("sine", "-Kᵀ sin(K Y)", "RRr."),
    layer("uphill", "Kᵀ relu(K Y)", "RRr."),
    layer("turned twice", "Kᵀ relu(-K Y)", "ppr."),
    layer("KᵀK - 1", "Kᵀ K Y - Y", "ppr.", bent=False),
    layer("1 - KᵀK", "Y - Kᵀ K Y", "RRr.", bent=False),
    layer("KᵀKᵀKK", "-Kᵀ Kᵀ K K Y", "ppr.", bent=False),
    layer("one term of a series", "-Kᵀ relu(K Y)", "PPr.", time="backward_euler(steps=3, terms=1)"),
    layer("rk4, two", SUM, "ppr.", TWO, "rk4(steps=6)"),
    decay("euler", "-1", "PPr.", "euler(steps=3)"),
    decay("euler", "-2", "PPp.", "euler(steps=3)"),
    decay("euler", "-2.001", "RRr.", "euler(steps=3)"),
    decay("euler, one step", "-⅔", "PPp.", "euler(steps=1)"),
    decay("midpoint", "-2", "PPp.", "midpoint(steps=3)"),
    decay("midpoint", "-2.01", "RRr.", "midpoint(steps=3)"),
    decay("rk4", "-2.78", "PPr.", "rk4(steps=3)"),
    decay("rk4", "-2.79", "RRr.", "rk4(steps=3)"),
    decay("ssprk3", "-2.5", "PPr.", "ssprk3(steps=3)"),
    decay("ssprk3", "-2.52", "RRr.", "ssprk3(steps=3)"),
    swing("-4.1Y", "-4.1Y", "rr.P"),
    swing("KᵀK", "-Kᵀ K Y", "pp.P", declare=K),
    swing("KᵀK, bound 2.5", "-Kᵀ K Y", "rr.P", declare="learn K : operator, ‖K‖ ≤ 2.5 = conv(3)"),
    turn("60°", "Z", "-Y", "pp.P"),
    turn("two long steps", "Z", "-Y", "rr.P", "verlet(steps=2)"),
    turn("KZ and -KᵀY, euler", "K Z", "-Kᵀ Y", "rrr.", "euler(steps=3)", K),
    turn("KZ and -KᵀY, rk4", "K Z", "-Kᵀ Y", "pp..", "rk4(steps=3)", K),
)
