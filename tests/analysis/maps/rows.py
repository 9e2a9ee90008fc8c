"""Right-hand sides, integrators and expected verdicts.

Cells: stability and energy decay. P proved, R refuted, U unknown; p and r where that is true and `unknown` is a fair
answer. A network under ‖K‖ ≤ c has multiples of the identity up to 0.85 c on one channel, so that what breaks only
between 0.85 c and c is r. `why` is the argument.
"""

from __future__ import annotations

from dataclasses import dataclass

from analysis.maps.reference import Array, Field, Operators, Push, first_order, pair, second_order
from analysis.maps.rights import RIGHTS
from analysis.spec_templates import NETWORK, lines

TRUTH = {"p": "proved", "r": "refuted", "u": "unknown"}


@dataclass(frozen=True)
class MapRow:
    """An equation, or the two of a pair, by a method as it is called in `reference`."""

    rights: tuple[str, ...]
    method: str
    end: float
    cells: str
    why: str
    steps: int = 1
    bound: float | None = 1  # of the operators
    order: int = 1
    static: bool = True

    @property
    def name(self) -> str:
        of = "" if self.bound == 1 else f" {self.bound}"
        return f"{'; '.join(self.rights)} ({self.order}) {self.method} {self.end:g}/{self.steps}{of}"

    @property
    def operators(self) -> list[str]:
        return sorted({k for right in self.rights for k in RIGHTS[right].operators})

    @property
    def compiles(self) -> bool:
        return all(RIGHTS[right].compiles for right in self.rights)

    @property
    def text(self) -> str:
        bounds = {k: f", ‖{k}‖ ≤ {self.bound:g}" if self.bound else "" for k in self.operators}
        time = "" if self.static else "(t)"
        left = "∂²Y/∂t²" if self.order == 2 else "∂Y/∂t"
        return lines(
            "pde Row",
            "space x in pixels",
            f"time t in [0, {self.end:g}]",
            "unknown Y(x, t) : channels",
            "unknown Z(x, t) : channels" if len(self.rights) == 2 else "",
            *(f"learn {k}{time} : operator{bound} = conv(3)" for k, bound in bounds.items()),
            *(RIGHTS[right].more for right in self.rights),
            *(f"{d} = {right}" for d, right in zip((left, "∂Z/∂t"), self.rights, strict=False)),
            "∂Y/∂t(x, 0) = 0" if self.order == 2 else "",
            f"realize time by {self._word}",
            NETWORK,
        )

    @property
    def _word(self) -> str:
        if self.method.startswith("series"):
            return f"backward_euler(steps={self.steps}, terms={self.method.removeprefix('series')})"
        if self.method == "paper":
            return f"leapfrog(steps={self.steps}, start=paper)"
        return f"{self.method}(steps={self.steps})"

    def allowed(self, place: int) -> tuple[str, ...]:
        cell = self.cells[place]
        return (TRUTH[cell.lower()],) if cell.isupper() else (TRUTH[cell], "unknown")

    def run(self, operators: Operators, start: Array) -> Array:
        """The state at the end, with the same operators at every step."""
        h, fields = self.end / self.steps, [_with(RIGHTS[right].push, operators) for right in self.rights]
        if len(fields) == 2:
            return pair(self.method, fields[0], fields[1], h, self.steps, start)
        return (first_order, second_order)[self.order - 1](self.method, fields[0], h, self.steps, start)


def _with(push: Push, operators: Operators) -> Field:
    return lambda y: push(y, operators)


def flow(right: str, method: str, end: float, cells: str, why: str, steps: int = 1, bound: float | None = 1) -> MapRow:
    return MapRow((right,), method, end, cells, why, steps, bound)


def wave(right: str, method: str, end: float, steps: int, cells: str, why: str, static: bool = True) -> MapRow:
    return MapRow((right,), method, end, cells, why, steps, order=2, static=static)


def turn(one: str, other: str, method: str, end: float, steps: int, cells: str, why: str) -> MapRow:
    return MapRow((one, other), method, end, cells, why, steps)


AT_ZERO = "near 0 the step is R(-δt k²), with k = 0.85"
LINEAR = (
    flow("-Y", "euler", 2, "PP", "R(-2) = -1"),
    flow("-Y", "euler", 2.1, "RR", "R(-2.1) = -1.1"),
    flow("-Y", "heun", 2, "PP", "R(-2) = 1"),
    flow("-Y", "heun", 2.1, "RR", "R(-2.1) = 1.105"),
    flow("-Y", "midpoint", 2, "PP", "the polynomial of Heun"),
    flow("-Y", "midpoint", 2.1, "RR", "the polynomial of Heun"),
    flow("-Y", "ssprk3", 2.5, "PP", "|R| ≤ 1 up to 2.5127"),
    flow("-Y", "ssprk3", 2.6, "RR", "|R| ≤ 1 up to 2.5127"),
    flow("-Y", "rk4", 2.78, "PP", "|R| ≤ 1 up to 2.7853"),
    flow("-Y", "rk4", 2.8, "RR", "|R| ≤ 1 up to 2.7853"),
    flow("-Y", "series1", 2, "PP", "one term is Euler"),
    flow("-Y", "series1", 2.1, "RR", "one term is Euler"),
    flow("-Y", "series2", 1, "PP", "1 - x + x² ≤ 1 for x ≤ 1"),
    flow("-Y", "series2", 1.1, "RR", "1 - 1.1 + 1.21 > 1"),
    flow("-Y", "series3", 1.35, "PP", "1.35⁴ = 3.32 ≤ 3.35"),
    flow("-Y", "series3", 1.36, "RR", "1.36⁴ = 3.42 > 3.36"),
    flow("-Y", "series401", 1.002, "PP", "402 log 1.002 = 0.80 < log 3.002"),
    flow("-Y", "series401", 1.01, "RR", "402 log 1.01 = 4 > log 3.01"),
    flow("-Y", "rk4", 2780, "PP", "a thousand steps at 2.78", 1000),
    flow("-Y", "rk4", 2.8e5, "rr", "too many steps to run", 10**5),
    flow("Y", "euler", 1e-6, "RR", "growth, however slow"),
    flow("-Kᵀ K Y", "euler", 2, "PP", "x in [0, 2]"),
    flow("-Kᵀ K Y", "euler", 2.5, "rr", "2.5 > 2, and 2.5 · 0.73 < 2"),
    flow("-Kᵀ K Y", "euler", 3, "RR", "3 · 0.72 > 2"),
    flow("-Kᵀ K Y", "heun", 2, "PP", "x in [0, 2]"),
    flow("-Kᵀ K Y", "heun", 3, "RR", "3 · 0.72 > 2"),
    flow("-Kᵀ K Y", "midpoint", 2, "PP", "x in [0, 2]"),
    flow("-Kᵀ K Y", "midpoint", 3, "RR", "3 · 0.72 > 2"),
    flow("-Kᵀ K Y", "ssprk3", 2.5, "PP", "x in [0, 2.5]"),
    flow("-Kᵀ K Y", "ssprk3", 4, "RR", "4 · 0.72 > 2.52"),
    flow("-Kᵀ K Y", "rk4", 2.75, "PP", "x in [0, 2.75]"),
    flow("-Kᵀ K Y", "rk4", 4, "RR", "4 · 0.72 > 2.79"),
    flow("-Kᵀ K Y", "series2", 1, "PP", "x in [0, 1]"),
    flow("-Kᵀ K Y", "series2", 1.5, "RR", "1.5 · 0.72 > 1"),
    flow("-Kᵀ K Y", "euler", 1, "RR", "K may be 2", bound=None),
    flow("Kᵀ K Y - 2Y", "euler", 1, "PP", "x in [1, 2]"),
    flow("Kᵀ K Y - 2Y", "ssprk3", 1.25, "PP", "x in [1.25, 2.5]"),
    flow("Kᵀ K Y - 0.5Y", "heun", 1, "RR", "0.72 > 0.5"),
    flow("Kᵀ K Y - 0.9Y", "euler", 1, "rr", "1 > 0.9 > 0.72"),
    flow("-Kᵀ K Y - Lᵀ L Y", "rk4", 1.39, "PP", "x in [0, 2.78]"),
    flow("-Kᵀ K Y - Lᵀ L Y", "heun", 1.5, "RR", "1.5 · 1.44 > 2"),
    flow("Kᵀ K Y", "rk4", 0.01, "RR", "R > 1 for x < 0"),
)
MONOTONE = (
    flow("-Kᵀ tanh(K Y)", "euler", 2, "PP", "δt β = 2"),
    flow("-Kᵀ tanh(K Y)", "euler", 3, "RR", AT_ZERO),
    flow("-Kᵀ tanh(K Y)", "euler", 2.5, "rr", "2.5 > 2, and 2.5 · 0.73 < 2"),
    flow("-Kᵀ tanh(K Y)", "heun", 2, "PP", "circle contractivity with radius 1"),
    flow("-Kᵀ tanh(K Y)", "heun", 3, "RR", AT_ZERO),
    flow("-Kᵀ tanh(K Y)", "ssprk3", 2, "PP", "circle contractivity with radius 1"),
    flow("-Kᵀ tanh(K Y)", "ssprk3", 4, "RR", AT_ZERO),
    flow("-Kᵀ tanh(K Y)", "rk4", 2, "PP", "circle contractivity with radius 1"),
    flow("-Kᵀ tanh(K Y)", "rk4", 4, "RR", AT_ZERO),
    flow("-Kᵀ tanh(K Y)", "midpoint", 3, "RR", AT_ZERO),
    flow("-Kᵀ tanh(K Y)", "midpoint", 1, "UU", "a weight is zero: no theorem here"),
    flow("-Kᵀ tanh(K Y)", "series1", 2, "PP", "one term is Euler"),
    flow("-Kᵀ tanh(K Y)", "series2", 1.5, "RR", AT_ZERO),
    flow("-Kᵀ relu(K Y)", "euler", 2, "PP", "δt β = 2"),
    flow("-Kᵀ relu(K Y)", "rk4", 6, "PP", "δt β = 2", 3),
    flow("-Kᵀ relu(K Y)", "euler", 3, "RR", "on positive maps the step is 1 - δt k²"),
    flow("-Kᵀ relu(K Y)", "heun", 8, "PP", "δt β = 2", bound=0.5),
    flow("-Kᵀ atan(K Y)", "ssprk3", 20, "PP", "δt β = 2", 10),
    flow("-Kᵀ softplus(K Y)", "euler", 2, "PR", "softplus(0) = log 2 moves 0"),
    flow("-Kᵀ softplus(K Y)", "rk4", 2, "PR", "softplus(0) = log 2 moves 0"),
    flow("-Kᵀ sigmoid(K Y)", "euler", 8, "PR", "its slope is at most ¼, and it moves 0"),
    flow("-Kᵀ sigmoid(K Y)", "heun", 8, "PR", "its slope is at most ¼, and it moves 0"),
    flow("-Kᵀ erf(K Y)", "euler", 1.7, "PP", "1.7 · 1.1284 < 2"),
    flow("-Kᵀ tanh(K Y)", "euler", 1, "RR", "K may be 2", bound=None),
    flow("-Kᵀ tanh(K Y)", "rk4", 1, "RR", "K may be 2", bound=None),
    flow("-Kᵀ tanh(K Y)", "euler", 3e-9, "PP", "a very short step"),
    flow("-K tanh(Kᵀ Y)", "rk4", 2, "PP", "‖Kᵀ‖ = ‖K‖"),
    flow("-Kᵀ tanh(K Y) - Lᵀ relu(L Y)", "rk4", 1, "PP", "δt β = 2"),
    flow("-Kᵀ tanh(K Y) - Lᵀ relu(L Y)", "heun", 1, "PP", "δt β = 2"),
    flow("-Kᵀ tanh(K Y) - Lᵀ relu(L Y)", "euler", 1.5, "RR", "1.5 · 1.44 > 2"),
    flow("-Kᵀ tanh(K Y) - Y", "ssprk3", 1, "PP", "δt β = 2"),
    flow("-Kᵀ tanh(K Y) - 3Y", "heun", 1, "RR", "K = 0: R(-3) = 2.5"),
    flow("-Kᵀ tanh(K Y) + 0.1Y", "rk4", 1, "RR", "K = 0 is growth"),
    flow("Kᵀ tanh(K Y) - 2Y", "rk4", 1, "PP", "slopes in [1, 2]"),
    flow("-Kᵀ sin(K Y) - 4Y", "euler", 0.4, "PP", "slopes in [3, 5]"),
)
OTHERS = (
    flow("-Kᵀ sin(K Y)", "euler", 3, "RR", "it falls about π, and is negative beyond", 3),
    flow("-Kᵀ sin(K Y)", "rk4", 3, "RR", "it falls about π, and is negative beyond", 3),
    flow("-Kᵀ gelu(K Y)", "euler", 1, "RP", "it falls left of -0.75, and has the sign of its argument"),
    flow("-Kᵀ gelu(K Y)", "heun", 1, "RP", "the inequality of contraction between Y and 0"),
    flow("-Kᵀ silu(K Y)", "rk4", 1, "RP", "the inequality of contraction between Y and 0"),
    flow("-Kᵀ abs(K Y)", "midpoint", 1, "RR", "left of zero it is growth"),
    flow("Kᵀ tanh(K Y)", "euler", 3, "RR", "growth near 0", 3),
    flow("Kᵀ tanh(K Y)", "heun", 3, "RR", "growth near 0", 3),
    flow("Kᵀ relu(K Y)", "series3", 1, "RR", "growth of positive maps"),
    flow("-Kᵀ tanh(L Y)", "euler", 3, "RR", "L = -K is growth", 3),
    flow("-Kᵀ tanh(L Y)", "midpoint", 3, "RR", "L = -K is growth", 3),
    flow("-Kᵀ cos(K Y)", "rk4", 1, "RR", "cos moves 0, and falls"),
    flow("-Kᵀ tanh(K Y) - Kᵀ relu(K Y)", "euler", 1, "PP", "δt β = 2"),
    flow("-Kᵀ tanh(K Y) - Kᵀ relu(K Y)", "euler", 1.5, "RR", "1.5 · 2 · 0.72 > 2"),
    flow("Kᵀ tanh(K Y) - Kᵀ K Y", "heun", 2, "Pp", "z - tanh z rises, with slopes up to 1; with two operators: growth"),
    flow("Kᵀ relu(K Y) - Kᵀ K Y", "euler", 2, "Pp", "min(z, 0) rises, with slopes up to 1"),
    flow("-Kᵀ relu(N(K Y))", "euler", 3, "RR", "relu after tv_norm falls with another channel", 3),
    flow("-Kᵀ relu(N(K Y))", "rk4", 1, "RR", "the same, slowly", bound=0.1),
    flow("-Kᵀ relu(N(K Y))", "series2", 1, "RR", "the same", 2),
    flow("-Kᵀ tanh(N(K Y)) - Y", "heun", 1, "RR", "a negative scale is growth near 0"),
    flow("f(Y, t)", "euler", 1, "UU", "a learned field may be anything"),
    flow("f(Y, t) + Y", "euler", 1, "RR", "the field may be zero"),
    flow("f(Y, t) - 3Y", "rk4", 1, "RR", "the field may be zero"),
)
WAVES = (
    wave("-Y", "leapfrog", 6, 3, "PP", "δt² = 4: cos Nπ"),
    wave("-Y", "leapfrog", 6.3, 3, "RR", "δt² > 4"),
    wave("-Y", "leapfrog", 2e5, 10**5, "PP", "δt² = 4, however many steps"),
    wave("-Y", "paper", 1.4, 1, "PP", "1 - x for x = 1.96"),
    wave("-Y", "paper", 1.5, 1, "RR", "1 - x for x = 2.25"),
    wave("-3Y", "paper", 3, 3, "PP", "x = 3: 1, -2, 1, 1"),
    wave("-3Y", "paper", 4, 4, "RR", "x = 3: 1, -2, 1, 1, -2"),
    wave("Y", "leapfrog", 1, 2, "RR", "cosh"),
    wave("-Kᵀ K Y", "leapfrog", 6, 3, "PP", "x in [0, 4]"),
    wave("-Kᵀ K Y", "leapfrog", 7, 3, "rr", "with new weights at each step", False),
    wave("-Y", "rk4", 2.8, 1, "PP", "2.8² < 8"),
    wave("-Y", "rk4", 30, 10, "RR", "|R(3i)| = 1.505"),
    wave("-Y", "rk4", 3, 1, "pp", "Re R(3i) = -0.125"),
    wave("-Y", "ssprk3", 1.7, 1, "PP", "1.7² < 3"),
    wave("-Y", "euler", 8, 8, "RR", "(1 + i)⁸ = 16"),
    wave("-Y", "euler", 10, 10, "pp", "(1 + i)¹⁰ = 32i"),
    wave("-Y", "euler", 1, 1, "pp", "the first step of Euler from rest goes nowhere"),
    wave("-Kᵀ relu(K Y)", "leapfrog", 3, 3, "Rr", "free fall below zero"),
    wave("-Kᵀ relu(K Y)", "leapfrog", 10, 10, "RR", "free fall below zero"),
    wave("Kᵀ tanh(K Y)", "leapfrog", 1, 1, "RR", "growth near 0"),
    wave("Kᵀ tanh(K Y)", "heun", 1, 1, "RR", "growth near 0"),
)
PAIRS = (
    turn("Z", "-Y", "verlet", 6, 6, "PP", "the sixth power of [[1, 1], [-1, 0]] is the identity"),
    turn("Z", "-Y", "verlet", 3, 3, "PP", "its third power is minus the identity"),
    turn("Z", "-Y", "verlet", 2, 2, "RR", "its square is [[0, 1], [-1, -1]]"),
    turn("Z", "-Y", "euler", 1, 1, "RR", "|1 + i| > 1"),
    turn("Z", "-Y", "heun", 1, 1, "RR", "|R(i)|² = 1 + ¼"),
    turn("Z", "-Y", "midpoint", 1, 1, "RR", "the polynomial of Heun"),
    turn("Z", "-Y", "ssprk3", 1.7, 1, "PP", "1.7 < √3"),
    turn("Z", "-Y", "ssprk3", 1.8, 1, "RR", "1.8 > √3"),
    turn("Z", "-Y", "rk4", 2.8, 1, "PP", "2.8² < 8"),
    turn("Z", "-Y", "rk4", 29, 10, "RR", "2.9² > 8"),
    turn("Z", "Y", "rk4", 1, 1, "RR", "a saddle"),
    turn("2Z", "-Y", "rk4", 1, 2, "RR", "an ellipse: its axes have different lengths"),
    turn("Kᵀ tanh(K Z)", "-Lᵀ relu(L Y)", "verlet", 3, 3, "RR", "L = 0: Y moves by a function of Z"),
    turn("Kᵀ tanh(K Z)", "-Lᵀ relu(L Y)", "rk4", 3, 3, "RR", "L = 0: Y moves by a function of Z"),
    turn("Kᵀ tanh(K Z)", "-Lᵀ relu(L Y)", "euler", 3, 3, "RR", "L = 0: Y moves by a function of Z"),
)
ROWS = (*LINEAR, *MONOTONE, *OTHERS, *WAVES, *PAIRS)
