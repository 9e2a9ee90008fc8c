"""Elementary cases: signs on an interval, signs by form, and 2 × 2 matrices.

On an interval with values at its ends comparison needs a ≥ 0 alone (weak maximum principle for classical solutions; a
may vanish at the ends, like x(1 - x)); a double zero inside is harmless too, for the root of a is then Lipschitz. On
the line a ≥ 0 with √a Lipschitz. Where a < 0 somewhere: R. For learned q the claim is for every weight; where some
weights keep it and others do not, the answer is `unknown`.
"""

from __future__ import annotations

from analysis.more_spec_templates import linear
from analysis.spec_templates import Row, data, interval, plane

NUMBER = "learn q : scalar"
FIELD = "learn q(x) : scalar = mlp"
PLANE = "x in R^2"


def on(coefficient: str) -> str:
    return interval(f"∂u/∂t = ({coefficient})Δu")


def good(coefficient: str, why: str = "") -> Row:
    return linear(f"[0, 1], {coefficient}", on(coefficient), "diffusion", "PRPPP..PR", why)


def bad(coefficient: str, why: str = "") -> Row:
    return linear(f"[0, 1], {coefficient}", on(coefficient), "diffusion", "PRR......", why)


def learned(name: str, coefficient: str, cells: str, why: str = "") -> Row:
    return linear(f"learned, {name}", data(f"∂u/∂t = {coefficient} Δu", PLANE, NUMBER), "diffusion", cells, why)


def field(name: str, coefficient: str, cells: str, why: str = "") -> Row:
    return linear(f"learned field, {name}", data(f"∂u/∂t = {coefficient} Δu", declare=FIELD), "diffusion", cells, why)


def matrix(name: str, rows: str, cells: str, why: str = "") -> Row:
    return linear(f"matrix, {name}", plane("∂u/∂t = A:∇∇u", f"let A(x, y) = {rows}"), "diffusion", cells, why)


def line(name: str, coefficient: str, cells: str, why: str = "") -> Row:
    return linear(f"line, {name}", data(f"∂u/∂t = ({coefficient})Δu"), "diffusion", cells, why)


TABLE: tuple[Row, ...] = (
    # ---- polynomials on [0, 1]
    good("x² - x + 1", "at least ¾"),
    good("x² - x + ¼", "(x - ½)²"),
    bad("x² - x + 1/5", "-1/20 at ½"),
    good("1 - x"),
    good("x(1 - x)"),
    good("1 - x²"),
    good("x - x³"),
    bad("x³ - x"),
    bad("2x - 1"),
    bad("x² + x - 1", "-1 at 0"),
    good("x⁴ - x² + ¼", "(x² - ½)²"),
    good("x² - 3x + 2", "(1 - x)(2 - x)"),
    bad("x² - 2x + ½", "-½ at 1"),
    good("1 + x - x²"),
    good("x³ + x + 1"),
    bad("x³ - 2x + ½", "-½ at 1"),
    good("x⁴ - 4x³ + 6x² - 4x + 1", "(1 - x)⁴"),
    bad("(x - 0.3) (x - 0.4)", "negative between"),
    # ---- sines, exponentials and quotients on [0, 1]
    good("2 + sin(9x)"),
    good("1 + sin(5x)", "a double zero at 3π/10"),
    bad("½ + sin(5x)", "-½ at 3π/10"),
    good("½ + sin(π x)"),
    good("sin(π x)"),
    good("sin(x)"),
    bad("sin(4x)", "sin 4 < 0"),
    bad("sin(2π x)"),
    good("cos(x)"),
    bad("cos(2x)", "cos 2 < 0"),
    good("1 - cos(2π x)"),
    good("sin(x) + cos(x)"),
    good("exp(x) - 1"),
    bad("exp(x) - 2", "-1 at 0"),
    good("exp(-x) - 1/3", "1/e > 1/3"),
    bad("exp(-x) - 2/5", "1/e < 2/5"),
    good("log(1 + x)"),
    good("tanh(x)"),
    good("atan(x)"),
    good("1/(1 + x)"),
    good("x/(1 + x²)"),
    bad("1/(1 + x) - 3/5", "-1/10 at 1"),
    good("x - sin(x)"),
    good("max(x, ½)"),
    good("min(x, 1 - x)"),
    bad("min(x, ½ - x)", "-½ at 1"),
    good("abs(x - 2)"),
    good("relu(x) + ½"),
    bad("relu(x - ½) - ¼", "-¼ at 0"),
    # ---- the line
    line("2 + cos x", "2 + cos(x)", "PPPPPpp"),
    line("1 + sin x", "1 + sin(x)", "PPPPPpp", "√(1 + sin x) is Lipschitz"),
    line("½ + sin x", "½ + sin(x)", "PPR....", "x = -π/2"),
    line("x² + x + 1", "x² + x + 1", "PPPPPrr", "discriminant -3"),
    line("x² + x - 1", "x² + x - 1", "PPR....", "x = 0"),
    line("x² + 3x + 2", "x² + 3x + 2", "PPR....", "-¼ at -3/2"),
    line("x²/(1 + x²)", "x²/(1 + x²)", "PPPPPpp"),
    line("1 + tanh x", "1 + tanh(x)", "PPPPPpp"),
    line("tanh x", "tanh(x)", "PPR....", "x = -1"),
    line("1 - tanh² x", "1 - (tanh(x))²", "PPPPPpp"),
    line("sin x cos x", "sin(x) cos(x)", "PPR....", "x = -π/4"),
    line("sin² x", "(sin(x))²", "PPPPPpp"),
    line("3 sin x + 4 cos x + 5", "3sin(x) + 4cos(x) + 5", "PPPPPpp", "5 - √(9 + 16) = 0"),
    line("3 sin x + 4 cos x + 4", "3sin(x) + 4cos(x) + 4", "PPR....", "4 - 5 < 0"),
    line("sin x + sin 2x + 2", "sin(x) + sin(2x) + 2", "PPPPPpp", "at least 2 - 1.77"),
    line("softplus", "softplus(x)", "PPPPPpr", "grows like x on one side"),
    line("sigmoid", "sigmoid(x)", "PPPPPpp"),
    # ---- learned numbers
    learned("relu", "relu(q)", "PPPPPPP"),
    learned("softplus", "softplus(q)", "PPPPPPP"),
    learned("square", "q²", "PPPPPPP"),
    learned("exponential", "exp(q)", "PPPPPPp"),
    learned("modulus", "abs(q)", "PPPPPPP"),
    learned("sigmoid", "sigmoid(q)", "PPPPPPP"),
    learned("2 + tanh", "(2 + tanh(q))", "PPPPPPP"),
    learned("1 + sine", "(1 + sin(q))", "PPPPPPP"),
    learned("1 + square", "(1 + q²)", "PPPPPPP"),
    learned("maximum", "max(q, 0)", "PPPPPPP"),
    learned("square - q + 1", "(q² - q + 1)", "PPPPPPP", "at least ¾"),
    learned("cube", "q³", "PPU....", "for some weights"),
    learned("tanh", "tanh(q)", "PPU....", "for some weights"),
    learned("softplus - 1", "(softplus(q) - 1)", "PPU....", "for some weights"),
    learned("minus softplus", "(-softplus(q))", "PPR....", "for every weight"),
    learned("sine - 2", "(sin(q) - 2)", "PPR....", "for every weight"),
    # ---- learned fields on the line
    field("relu", "relu(q)", "PPPPPpp", "where q < 0 nothing moves, and paths that arrive there stay"),
    field("softplus", "softplus(q)", "PPPPPpp"),
    field("square", "q²", "PPPPPpp"),
    field("exponential", "exp(q)", "PPPPPpp"),
    field("sigmoid", "sigmoid(q)", "PPPPPpp"),
    field("1 + tanh", "(1 + tanh(q))", "PPPPPpp"),
    field("1 + square", "(1 + q²)", "PPPPPpp"),
    field("any sign", "q", "PPU....", "for some weights"),
    field("sine", "sin(q)", "PPU....", "for some weights"),
    field("minus exponential", "(-exp(q))", "PPR....", "for every weight"),
    # ---- matrices
    matrix("sines off the diagonal", "[[1, sin(x)], [sin(x), 1]]", "PPPPPpp", "1 ± sin x"),
    matrix("two sines off the diagonal", "[[1, 2sin(x)], [2sin(x), 1]]", "PPR....", "1 - 2 at π/2"),
    matrix("sines on the diagonal", "[[2 + sin(x), 1], [1, 2 + sin(y)]]", "PPPPPpp", "determinant at least 0"),
    matrix("1 + x², x", "[[1 + x², x], [x, 1]]", "PPPPPrr", "determinant 1"),
    matrix("a square", "[[x², x y], [x y, y²]]", "PPPPPrr", "vvᵀ"),
    matrix("1, x, x²", "[[1, x], [x, x²]]", "PPPPPrr", "vvᵀ"),
    matrix("1, x, x² - 1", "[[1, x], [x, x² - 1]]", "PPR....", "determinant -1"),
    matrix("rotated", "[[(cos(x))², cos(x) sin(x)], [cos(x) sin(x), (sin(x))²]]", "PPPPPpp", "vvᵀ"),
)
