"""Nonlocal terms, terminal conditions, time intervals and waves.

- u(x, t²) and u(x, 1 - t) are other times but for t = 0, ½ and 1; u(x, max(t, 0)) and u(x, √t²) are now.
- On a ring of length 1, x + 3 is x; x - 1 + 1e-6 is not. u(y, x, t) is another point of a torus.
- Data at the end run backwards: -Δu is heat, (t - 1)Δu too, and (½ - t)Δu is not.
- A singularity at the far end of time: 2(1 - √(1 - s)) ≤ 2s, so small times see nothing of it.
"""

from __future__ import annotations

from analysis.more_spec_templates import classless, periodic_2pi
from analysis.spec_templates import Row, data, declared, lines, periodic, periodic_box

HERE = "now and here, for all its form"


def read(name: str, right: str, cells: str, why: str = HERE, bent: bool = False, declare: str = "") -> Row:
    return classless(f"third, read, {name}", data(f"∂u/∂t = {right}", declare=declare), cells, why, bent)


def looped(name: str, right: str, cells: str, why: str = HERE) -> Row:
    return classless(f"third, read, ring, {name}", periodic(f"∂u/∂t = {right}"), cells, why)


def late(name: str, right: str, cells: str, why: str = "", bent: bool = False) -> Row:
    return classless(f"third, late, {name}", data(f"∂u/∂t = {right}", at="1"), cells, why, bent)


def pieces(name: str, equations: str, cells: str, why: str = "", count: int = 2, bent: bool = False) -> Row:
    return classless(f"third, pieces, {name}", periodic(equations), cells, why, bent, 1, count)


def wave(name: str, equation: str, cells: str, rest: str = "∂u/∂t(x, 0) = 0", why: str = "") -> Row:
    return classless(f"third, wave, {name}", data(equation) + rest + "\n", cells, why, order=2)


def ended(name: str, equation: str, ends: str, cells: str, why: str = "") -> Row:
    text = lines(
        "pde Row", "space x in [0, 1]", "time t in [0, 1]", "unknown u(x, t) : scalar", equation, "u(x, 1) = sin(π x)",
        ends,
    )  # fmt: skip
    return classless(f"third, late, rod, {name}", text, cells, why)


TABLE: tuple[Row, ...] = (
    read("t²", "u(x, t²)", "p..R.....", "the past"),
    read("1 - t", "u(x, 1 - t)", "p..R.....", "the past, after ½"),
    read("max(t, 0)", "Δu + u(x, max(t, 0))", "p..p....."),
    read("min(t, 2)", "Δu + u(x, min(t, 2))", "p..p....."),
    read("√t²", "Δu + u(x, sqrt(t²))", "p..p....."),
    read("after 2", "Δu + u(x, t - heaviside(t - 2))", "p..p....."),
    read("after ½", "Δu + u(x, t - ½ heaviside(t - ½))", "p..R.....", "the start, after ½"),
    read("a moment ago", "Δu + u(x, t - 1e-12)", "p..R.....", "the past"),
    read("1 in disguise", "Δu + u(x + sin(t)² + cos(t)² - 1, t)", "p..Pp...."),
    read("carried along", "Δu + u(x - t, t)", "p..PR....", "another point after 0"),
    read("2x - x", "Δu + u(2x - x, t)", "PR.PP...R"),
    read("x³", "u(x³, t)", "p..PR....", "another point"),
    read("a little to the right", "u(x + 1e-9, t)", "p..PR....", "another point"),
    read("|x|, mirror", "u(|x|, t) - u(x, t)", "p..PR....", "another point for x < 0"),
    read("a square of the middle", "Δu + u(0, t)²", "R..PR....", "another point", True),
    read("0 u(0, t)", "Δu + 0 u(0, t)", "pppPp...."),
    read("c u(0, t), c = 0", "Δu + c u(0, t)", "pppPp....", declare="const c = 0"),
    read("sin² and cos²", "Δu + sin(x)² u(0, t) + cos(x)² u(0, t) - u(0, t)", "pp.Pp...."),
    read("never", "Δu + heaviside(-x² - 1) u(0, t)", "pp.Pp...."),
    read("always", "Δu + heaviside(x² + 1) u(0, t)", "pR.Pr....", "the middle"),
    read("a late weight", "q(t - 1) Δu", "PP.PP....", "a function of time", declare="learn q(t) : scalar > 0 = mlp"),
    read("a far weight", "q(x - 1) ∂u/∂x", "PPPPP....", "a function of x", declare="learn q(x) : scalar = mlp"),
    read("a weight of the past", "q(u(x, t - 1))", "...r.....", "the past", True, "learn q(u) : scalar = mlp"),
    read("a mean of two", "½u(x - 1, t) + ½u(x + 1, t) - u", "PPpPR...p", "a random walk"),
    read("a slope by hand", "u(x + 1, t) - u(x, t)", "PPpPR...p", "jumps to the right"),
    read("far and near", "Δu + u(x - 1, t) - u(x - 1, t)", "PPPPPppPP"),
    looped("x + 3", "Δu + u(x + 3, t)", "p..Pp...."),
    looped("x - 1 + 1e-6", "Δu + u(x - 1 + 1e-6, t)", "p..PR....", "another point"),
    looped("1 - x", "Δu + u(1 - x, t)", "p..PR....", "the mirror"),
    looped("x + ½ twice", "u(x + ½, t) - u(x - ½, t)", "p..Pp....", "nothing"),
    classless("third, read, circle, x + 2π", periodic_2pi("∂u/∂t = Δu + u(x + 2π, t)"), "p..Pp....", HERE),
    classless("third, read, circle, x + π", periodic_2pi("∂u/∂t = Δu + u(x + π, t)"), "p..PR....", "another point"),
    classless("third, read, torus, swapped", periodic_box("∂u/∂t = Δu + u(y, x, t)"), "p..PR....", "another point"),
    classless("third, read, torus, x + 1", periodic_box("∂u/∂t = Δu + u(x + 1, y, t)"), "p..Pp....", HERE),
    classless(
        "third, read, torus, both", periodic_box("∂u/∂t = Δu + u(x + 1, y + ½, t)"), "p..PR....", "another point"
    ),
    # ---- data at the end
    late("heat", "-Δu", "PPPPPPPPP"),
    late("heat, forwards", "Δu", "PPRPP..R.", "backwards from the end"),
    late("HJB", "-Δu + (∂u/∂x)²", "RPPPP....", "", True),
    late("-tΔu", "-t Δu", "PPPPPPP.P"),
    late("(t - 1)Δu", "(t - 1) Δu", "PPPPPPP.P"),
    late("(½ - t)Δu", "(½ - t) Δu", "PPRPP..R.", "½ before ½"),
    late("-Δu/√t", "-(1/sqrt(t)) Δu", "PPPPPpp..", "far from the end"),
    late("-Δu/√(1 - t)", "-(1/sqrt(1 - t)) Δu", "PPpPPpr..", "at the end"),
    late("outwards", "-Δu - x ∂u/∂x", "PPPPPpr.R"),
    late("decay", "-Δu + u", "PRPPPPPRR"),
    late("growth and x²", "-Δu - x² u", "PR.PP....", "an oscillator that grows", False),
    late("falling square", "-u²", "RRpPP....", "", True),
    ended("heat", "∂u/∂t = -Δu", "u = 0 on boundary", "PRPPP..PR"),
    ended("shut", "∂u/∂t = -Δu", "n·∇u = 0 on boundary", "PPPPP..PP"),
    ended("wind, wall behind", "∂u/∂t + ∂u/∂x = 0", "u = 0 on right", "PRPPP..PR", "values come from the right"),
    ended("wind, other way", "∂u/∂t - ∂u/∂x = 0", "u = 0 on left", "PRPPP..PR", "values come from the left"),
    ended("cooled", "∂u/∂t = -Δu", "n·∇u = -u on boundary", "PRPPP...R"),
    # ---- pieces
    pieces("heat, then memory", "∂u/∂t = Δu for t in [0, ½]\n∂u/∂t = u(x, t - ¼) for t in [½, 1]", "p..R....."),
    pieces("heat, then (t - ½)Δu", "∂u/∂t = Δu for t in [0, ½]\n∂u/∂t = (t - ½)Δu for t in [½, 1]", "PPPPP..PP"),
    pieces("heat, then (¾ - t)Δu", "∂u/∂t = Δu for t in [0, ½]\n∂u/∂t = (¾ - t)Δu for t in [½, 1]", "PPRPP..RP"),
    pieces("tΔu, then (1 - t)Δu", "∂u/∂t = t Δu for t in [0, ½]\n∂u/∂t = (1 - t)Δu for t in [½, 1]", "PPPPPppPP"),
    pieces(
        "a source between",
        "∂u/∂t = Δu for t in [0, ¼]\n∂u/∂t = Δu + 1 for t in [¼, ½]\n∂u/∂t = Δu for t in [½, 1]",
        "RRPPP..RR",
        "",
        3,
    ),
    pieces(
        "heat, then Burgers",
        "∂u/∂t = Δu for t in [0, ½]\n∂u/∂t = Δu + u ∂u/∂x for t in [½, 1]",
        "RPPPP..PP",
        "",
        bent=True,
    ),
    pieces("xu, then nothing", "∂u/∂t = Δu + x u for t in [0, ½]\n∂u/∂t = Δu for t in [½, 1]", "PR.PPr.RR"),
    # ---- waves
    wave("pulled by x²", "∂²u/∂t² = Δu - x² u", "PR.RP...."),
    wave("speed 1 + t", "∂²u/∂t² = (1 + t) Δu", "PP.RP...."),
    wave("two winds", "∂²u/∂t² + ∂²u/∂x∂t = Δu", "P..Rp...."),
    wave("cubic", "∂²u/∂t² = Δu - u + u", "PPPRP...."),
    classless(
        "third, wave, from the end",
        lines(
            "pde Row",
            "space x in R",
            "time t in [0, 1]",
            "unknown u(x, t) : scalar",
            "∂²u/∂t² = Δu",
            declared("u(x, 1) = exp(-x²)", "∂u/∂t(x, 1) = 0"),
        ),
        "PPpRP....",
        "d'Alembert",
        order=2,
    ),
)
