"""Minima by separate coordinates, functions of |x|, and tiny numbers.

- Σᵢ p(xᵢ) + q(x₁) + c is least where every summand is: (d - 1) min p + min (p + q) + c. Products of different
  coordinates have no such rule: ‖x‖² - (Σxᵢ)² is d - d² at (1, …, 1).
- In y = |x|, x² - |x| + c is (y - ½)² + c - ¼, and x/(1 + |x|) has the slope 1/(1 + y)²; x|x| is -y² on the left.
- e⁻¹⁰⁰⁰⁰⁰⁰ is a number like others: it has a sign.
- Euler with a step of 1 takes Y to Y - c|Y|, which for Y < 0 is (1 + c)Y, and to |Y| - Y, which is 0 from the second
  step on.
"""

from __future__ import annotations

from analysis.more_spec_templates import linear, nonlinear, segment
from analysis.spec_templates import Row, data, maps

NL = "nonlinear-diffusion"
FLOW = "gradient-flow|ode"


def heat(name: str, coefficient: str, cells: str, why: str = "", space: str = "x in R") -> Row:
    return linear(f"minimum, {name}", data(f"∂u/∂t = ({coefficient})Δu", space), "diffusion", cells, why)


def flux(name: str, inner: str, cells: str, why: str = "") -> Row:
    return nonlinear(f"minimum, flux {name}", data(f"∂u/∂t = ∂/∂x ({inner})"), NL, cells, why)


def bar(name: str, right: str, cells: str, why: str = "") -> Row:
    text = segment(f"∂u/∂t = ({right}) Δu", "u = 0 on boundary", "sin(π x)", "x in [1000, 1001]")
    return linear(f"minimum, {name}", text, "diffusion", cells, why)


def point(name: str, right: str, cells: str, why: str = "") -> Row:
    return nonlinear(f"minimum, {name}", maps(f"∂Y/∂t = {right}", ""), FLOW, cells, why)


TABLE: tuple[Row, ...] = (
    # ---- a coordinate at a time
    heat("‖x‖² - 3x₂²", "‖x‖² - 3x₂²", "PPR....", "-2 at (0, 1, 0, …)", "x in R^100"),
    heat("‖x‖² - x₁² - x₂²", "‖x‖² - x₁² - x₂²", "PPPPPpp", "the other squares", "x in R^100"),
    heat("squares about two, less", "‖x‖² - 4 Σᵢ xᵢ + 159", "PPR....", "-1 at (2, …, 2)", "x in R^40"),
    heat("squares about one, more", "‖x‖² - 2 Σᵢ xᵢ + 41", "PPPPPpp", "at least 1", "x in R^40"),
    heat("x₁ completed", "‖x‖² + x₁ + ¼", "PPPPPpp", "(x₁ + ½)² and squares", "x in R^30"),
    heat("x₁ not completed", "2‖x‖² - x₁² - x₂² + x₁", "PPR....", "-¼ at (-½, 0, …)", "x in R^50"),
    heat("a square of a sum", "‖x‖² - (Σᵢ xᵢ)²", "PPR....", "d - d² at (1, …, 1)", "x in R^20"),
    # ---- |x| as a letter
    heat("x² - |x| + ⅕", "x² - abs(x) + 0.2", "PPR....", "-0.05 at ½"),
    heat("x |x|", "x abs(x)", "PPR....", "-1 at -1"),
    heat("(1 + |x|)² - 4|x|", "1 + x² - 2abs(x)", "PPpPPpp", "(1 - |x|)², whose root |1 - |x|| is Lipschitz"),
    flux("softsign - ½", "softsign(∂u/∂x) - ½ ∂u/∂x", "RPR....", "¼ - ½ at 1"),
    flux("softsign + 1", "softsign(∂u/∂x) + ∂u/∂x", "RPPPPpp", "between 1 and 2"),
    # ---- small numbers
    heat("e⁻¹⁰⁶ - e⁻⁹⁹⁹⁹⁹⁹", "exp(-1000000) - exp(-999999)", "PPr....", "the second is larger"),
    bar("e^-x²", "exp(-x²)", "PRP......", "small, and above zero"),
    bar("-x² e^-x²", "-x² exp(-x²)", "PRR......", "small, and below zero"),
    # ---- absolute values of feature maps
    point("-|Y|/4", "-¼ abs(Y)", "RRr.", "(5/4)³ from below zero"),
    point("|Y| - 2Y", "abs(Y) - 2Y", "ppr.", "zero from the second step on"),
)
