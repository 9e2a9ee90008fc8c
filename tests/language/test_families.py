"""Statements of families: formatter, hash, LaTeX, exact solutions, and verdicts for all members."""

from __future__ import annotations

import pytest

import pdedsl
from pdedsl.diagnostics import PdeError

HEAT = """pde Heat
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
{}
∂u/∂t = ν Δu
u(x, 0) = sin(π x)
u = 0 on boundary
"""
STATEMENTS = [
    "parameter ν in [0.01, 0.1]",
    "parameter ν in [0.01, 0.1] log",
    "random ν ~ lognormal(-3, 0.2)",
    "random ν ~ uniform(0.1, 0.2)",
    "const ν = 0.1 in [0.01, 1]",
    "parameter f(x) from gaussian_process(length=0.2, modes=3)\nlet ν = 1/10",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_formatting_is_a_fixed_point_with_the_same_hash(statement: str) -> None:
    text = HEAT.format(statement)
    for ascii in (False, True):
        formatted = pdedsl.format(text, ascii)
        assert pdedsl.format(formatted, ascii) == formatted
        assert pdedsl.parse(formatted).hash == pdedsl.parse(text).hash


def test_hash_depends_on_the_distribution_but_not_on_names_and_ranges() -> None:
    texts = [HEAT.format(s) for s in STATEMENTS[:4]]
    assert len({pdedsl.parse(t).hash for t in texts}) == 4
    assert pdedsl.parse(texts[0]).hash == pdedsl.parse(texts[0].replace("ν", "k")).hash
    assert pdedsl.parse(HEAT.format(STATEMENTS[4])).hash == pdedsl.parse(HEAT.format("const ν = 0.1")).hash


def test_latex_shows_the_parameters() -> None:
    assert r"\text{for } \nu \in \left[0.01, 0.1\right]" in pdedsl.parse(HEAT.format(STATEMENTS[0])).latex
    assert r"\nu \sim" in pdedsl.parse(HEAT.format(STATEMENTS[2])).latex


def test_keywords_are_ordinary_names_elsewhere() -> None:
    text = HEAT.format("const random = 2\nlet parameter = random\nconst ν = 0.1").replace("ν Δu", "ν Δu + parameter u")
    assert pdedsl.parse(text).family == ()


def test_exact_solution_is_checked_at_a_generic_member() -> None:
    right = HEAT.format(STATEMENTS[1]) + "exact u = exp(-ν π² t) sin(π x)\n"
    assert not pdedsl.compile(pdedsl.parse(right)).analysis.diagnostics
    with pytest.raises(PdeError, match="does not satisfy"):
        pdedsl.compile(pdedsl.parse(right.replace("-ν π²", "-2ν π²")))


def test_verdicts_hold_for_all_members() -> None:
    """Comparison is proved for positive conductivities; conservation of mass fails unless the rate vanishes."""
    analysis = pdedsl.compile(pdedsl.parse(HEAT.format(STATEMENTS[0]))).analysis
    assert analysis.axioms["comparison"].truth == "proved"
    periodic = (
        HEAT.format("parameter c in [-1, 1]\nconst ν = 0.1")
        .replace("[0, 1]\ntime", "[0, 1] periodic\ntime")
        .replace("ν Δu", "ν Δu + c u")
        .replace("u = 0 on boundary\n", "")
        .replace("sin(π x)", "sin(2π x)")
    )
    assert pdedsl.compile(pdedsl.parse(periodic)).analysis.axioms["conservation"].truth != "proved"
