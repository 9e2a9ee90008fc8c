"""Degenerate conditions, waves and translations of degenerate equations, and families with a common formula.

- x u = 0 where x = 0 says nothing, nor does relu(t - ½) u = 0 before ½: many solutions.
- ∂²u/∂t² = Δ(√u √u) is a wave for u ≥ 0 alone; Δu + log(x) u - log(x) u has no value for x < 0.
- a + b sin(x) ≥ 0 if |b| ≤ a; x² + b x + c ≥ 0 if b² ≤ 4c; [[a, b], [b, c]] is semidefinite if a c ≥ b² and a, c ≥ 0.
- a u^n is monotone if n is odd; n·∇u = -c u cools for c ≥ 0.
"""

from __future__ import annotations

from analysis.more_spec_templates import (
    DIRICHLET,
    INSULATED,
    ZERO_SPEED,
    classless,
    line,
    periodic_2pi,
    segment,
    square,
    system,
)
from analysis.spec_templates import Row, data, declared, interval, periodic, plane

X = "∂u/∂x"
VAIN = "it says nothing"
LITTLE = "not everywhere"
SINES = ((2, 1), (1, 1), (1, 2), (3, -3), (1, -2), (-2, 1))
SQUARES = ((0, 0), (2, 1), (2, 2), (3, 2), (-4, 4), (-4, 3), (1, 0))
MATRICES = ((1, 1, 1), (2, 1, 1), (1, 2, 1), (1, -1, 1), (0, 0, 1), (0, 1, 1), (4, -3, 2), (9, 3, 1), (-1, 0, 1))
POWERS = ((1, 3), (2, 5), (-1, 3), (1, 2), (-2, 4), (1, 7))


def wall(name: str, ends: str, cells: str, why: str = VAIN, right: str = "Δu") -> Row:
    return classless(f"third, hollow, {name}", interval(f"∂u/∂t = {right}", ends), cells, why)


def wave(name: str, equation: str, cells: str, why: str = LITTLE) -> Row:
    return classless(f"third, hollow, wave, {name}", data(equation) + ZERO_SPEED + "\n", cells, why, order=2)


def moved(name: str, equation: str, cells: str, why: str = LITTLE) -> Row:
    return classless(f"third, hollow, moved, {name}", line(equation), cells, why)


def family(name: str, text: str, cells: str, bent: bool = False) -> Row:
    return classless(f"third, family, {name}", text, cells, "", bent)


def elliptic(a: bool, yes: str = "P") -> str:
    return yes if a else "R"


def waved(name: str, right: str, a: int, b: int, mass: str) -> Row:
    sign = elliptic(a >= abs(b), "p")
    return family(name, periodic_2pi(f"∂u/∂t = {right}"), f"PP{sign}PP..{sign}{mass}")


def squared(b: int, c: int) -> Row:
    """On [0, 1]: least at an end, or at -b/2."""
    least = min(c, 1 + b + c, c - b * b / 4 if -2 <= b <= 0 else c)
    text = segment(f"∂u/∂t = (x² {b:+}x {c:+}) Δu", DIRICHLET, "x")
    return family(f"x² {b:+}x {c:+} on [0, 1]", text, f"PR{elliptic(least >= 0, 'p')}PP....")


FAMILIES: tuple[Row, ...] = (
    *(waved(f"{a} {b:+}sin x", f"({a} {b:+}sin(x)) Δu", a, b, "R") for a, b in SINES),
    *(waved(f"({a} {b:+}sin x)u' in flux", f"∂(({a} {b:+}sin(x)) {X})/∂x", a, b, "P") for a, b in SINES),
    *(
        family(f"x² + {b}x + {c}", data(f"∂u/∂t = (x² {b:+}x {c:+}) Δu"), f"PP{elliptic(b * b <= 4 * c)}PP....")
        for b, c in SQUARES
    ),
    *(squared(b, c) for b, c in SQUARES),
    *(
        family(
            f"[[{a}, {b}], [{b}, {c}]]", plane("∂u/∂t = A:∇∇u", f"const A = [[{a}, {b}], [{b}, {c}]]"),
            f"PP{elliptic(a >= 0 and c >= 0 and a * c >= b * b)}PP....",
        )
        for a, b, c in MATRICES
    ),
    *(
        family(
            f"Δ({a}u^{n})", periodic(f"∂u/∂t = Δ({a} u^{n})"), f"RP{elliptic(a > 0 and n % 2 == 1)}PP...P", True,
        )
        for a, n in POWERS
    ),
    *(
        family(f"({a}u'^{n})'", periodic(f"∂u/∂t = ∂({a} ({X})^{n})/∂x"),
            f"RP{elliptic(a > 0 and n % 2 == 1)}PP...P", True)
        for a, n in POWERS
    ),
    *(
        family(f"Δu + {a}u^{n}", periodic(f"∂u/∂t = Δu {a:+}u^{n}"), "RRPPP..rR", True)
        for a, n in POWERS
    ),
    *(
        family(f"n·∇u = {c}u", interval("∂u/∂t = 3Δu", f"n·∇u = {c} u on boundary"),
            f"PR{'P' if c <= 0 else 'p'}PP...R")
        for c in (-3, -1, 2, 5)
    ),
    *(
        family(f"{b}u' on a rod", interval(f"∂u/∂t = {b} {X}", f"u = 0 on {'right' if b > 0 else 'left'}"), "PRPPP..PR")
        for b in (-3, -1, 2, 5)
    ),
    *(
        family(f"u(x {s:+}, t), ring", periodic(f"∂u/∂t = Δu + 2u(x {s:+}, t)"),
            f"pr.P{elliptic(s == int(s), 'p')}...r")
        for s in (1, 2, 0.25, 1.5, -1, -0.1)
    ),
    *(
        family(f"u(x, t - {s})", data(f"∂u/∂t = Δu + 2u(x, t - {s})"), "pr.R.....")
        for s in (0.125, 0.25, 1, 3)
    ),
)  # fmt: skip

TABLE: tuple[Row, ...] = (
    wall("xu = 0 at 0", declared("x u = 0 on left", "n·∇u = 0 on right"), "UUUPP...."),
    wall("x n·∇u = 0 at 0", declared("x n·∇u = 0 on left", "n·∇u = 0 on right"), "UUUPP...."),
    wall("sin(πx)u = 0", "sin(π x) u = 0 on boundary", "UUUPP...."),
    wall("relu(t - ½)u = 0", declared("relu(t - ½) u = 0 on left", "n·∇u = 0 on right"), "U.UPP...."),
    wall("heaviside(t - ½)n·∇u = 0", "heaviside(t - ½) n·∇u = 0 on boundary", "UUUPP...."),
    wall("relu(½ - t)n·∇u = 0", "relu(½ - t) n·∇u = 0 on boundary", "UUUPP...."),
    wall("(1 + x)u = 0", "(1 + x) u = 0 on boundary", "PRpPP..pr", "u = 0"),
    wall("(1 + t)n·∇u = 0", "(1 + t) n·∇u = 0 on boundary", "PPpPP..pp", "n·∇u = 0"),
    wall("exp(x)n·∇u + u = 0", "exp(x) n·∇u + u = 0 on boundary", "PRpPP...r", "cools"),
    wall("xu = 0 at 1", declared("x u = 0 on right", "n·∇u = 0 on left"), "PRpPP..pr", "u = 0"),
    wall("(x - 1)u + n·∇u = 0", "(x - 1) u + n·∇u = 0 on boundary", "PRpPP...r", "heats on the left"),
    classless(
        "third, hollow, square, xy u = 0",
        square("∂u/∂t = Δu", declared("x y u = 0 on left", "n·∇u = 0 on right, top, bottom")),
        "UUUPP....",
        VAIN,
    ),
    classless(
        "third, hollow, square, relu(y - ½)u = 0",
        square("∂u/∂t = Δu", declared("relu(y - ½) u = 0 on left", "n·∇u = 0 on right, top, bottom")),
        "U.UPP....",
        VAIN,
    ),
    wave("√u √u", "∂²u/∂t² = Δ(sqrt(u) sqrt(u))", "rrUR....."),
    wave("log x - log x", "∂²u/∂t² = Δu + log(x) u - log(x) u", "..UR....."),
    wave("relu(x) on both sides", "relu(x) ∂²u/∂t² = relu(x) Δu", "UUUR....."),
    wave("Δu on both sides", "Δu ∂²u/∂t² = (Δu)²", "UUUR....."),
    wave("exp log u", "∂²u/∂t² = Δ(exp(log(u)))", "rrUR....."),
    wave("u²/u", "∂²u/∂t² = Δ(u²/u)", "..UR....."),
    moved("relu(x) on both sides", "relu(x) ∂u/∂t = 3relu(x) Δu", "UUUPPU..."),
    moved("log x - log x", "∂u/∂t = 2Δu + log(x) u - log(x) u", "..UPPU..."),
    moved("√x² in disguise", "∂u/∂t = Δu + sqrt(x)² u - x u", "..UPPU..."),
    moved("Δu on both sides", "Δu ∂u/∂t = 2(Δu)²", "UUUPPU..."),
    moved("1/x - 1/x", "∂u/∂t = Δu + u/x - u/x", "..pPPp..."),
    moved("log(1 + x²) twice", "∂u/∂t = Δu + log(1 + x²) u - log(1 + x²) u", "PPPPPP...", "nothing"),
    moved("√(1 + x²)²", "∂u/∂t = Δu + sqrt(1 + x²)² u - u - x² u", "PPPPPP...", "nothing"),
    classless(
        "third, hollow, system, relu(x)w = relu(x)u",
        system("u w", "∂u/∂t = w\nrelu(x) w = relu(x) u", stationary="w"),
        ".U.PP....",
        "w is free for x < 0",
        order=(1, 0),
        count=2,
    ),
    classless(
        "third, hollow, system, 0 = w - u",
        system("u w", "∂u/∂t = Δw\n0 = w - u", stationary="w"),
        "PPpPPpppp",
        "heat",
        order=(1, 0),
        count=2,
    ),
    classless("third, hollow, shut, relu(-u²)", interval("∂u/∂t = Δu + relu(-u²)", INSULATED), "pppPP..pp", "nothing"),
    *FAMILIES,
)
