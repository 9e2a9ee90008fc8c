"""The block `sweep`: values, ranges, spelling, hash and errors."""

from __future__ import annotations

from fractions import Fraction

import pytest

import pdedsl
from language.format_cases import check as check_format
from pdedsl.api import format as formatted
from pdedsl.config.sweep import SweepAxis
from pdedsl.diagnostics import PdeError
from pdedsl.editor import analysed, complete, symbols

SPEC = """pde Study
const   σ² = 0.2
space   x in R²
time    t in [0, 1]
unknown u(x, t) : simplex(2)
learn   v(x, t) : vector   = mlp
learn   W       : operator = linear

∂u/∂t = v·∇u + σ²Δu
u(x, 0) = softmax(W x)

train {
  data moons
}
"""


def axes(lines: str) -> tuple[SweepAxis, ...]:
    sweep = pdedsl.parse(f"{SPEC}sweep {{\n{lines}\n}}\n").sweep
    assert sweep is not None
    return sweep.axes


def error_of(lines: str) -> tuple[str, str]:
    """The code of the only error, and the text that it underlines."""
    text = f"{SPEC}sweep {{\n{lines}\n}}\n"
    with pytest.raises(PdeError) as caught:
        pdedsl.parse(text)
    (found,) = caught.value.diagnostics
    return found.code, text[found.span.start : found.span.end]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("σ² in [0.1, 1/7]", SweepAxis("σ²", ("0.1", "1/7"))),
        ("sigma^2 in [0.1]", SweepAxis("sigma²", ("0.1",))),
        ("train.seed in 0..4", SweepAxis("train.seed", ("0", "1", "2", "3", "4"))),
        ("train.seed ∈ 3 .. 4", SweepAxis("train.seed", ("3", "4"))),
        ("train.optimizer.sgd.lr in 0.01..1", SweepAxis("train.optimizer.sgd.lr", (), (Fraction(1, 100), Fraction(1)))),
        ("σ² in 1e-3..1, log", SweepAxis("σ²", (), (Fraction(1, 1000), Fraction(1)), log=True)),
        ("learn.v in [mlp(width=8), mlp]", SweepAxis("learn.v", ("mlp(width=8)", "mlp"))),
        ("time in [[0, 1], [0, 2]]", SweepAxis("time", ("[0, 1]", "[0, 2]"))),
    ],
)
def test_axis(line: str, expected: SweepAxis) -> None:
    assert axes(line) == (expected,)


def test_a_sweep_does_not_enter_the_hash() -> None:
    assert pdedsl.parse(f"{SPEC}sweep {{\n  train.seed in 0..4\n}}\n").hash == pdedsl.parse(SPEC).hash


def test_format() -> None:
    text = (
        f"{SPEC}sweep {{   # a study\n  σ^2 in [0,0.1 , .2]\n  train . seed in 0 .. 4\n  train.batch in 8..9 # c\n}}\n"
    )
    check_format(text)
    assert formatted(text).endswith(
        "sweep {  # a study\n  σ² in [0, 0.1, .2]\n  train.seed in 0..4\n  train.batch in 8..9  # c\n}\n"
    )


@pytest.mark.parametrize(
    ("lines", "code", "underlined"),
    [
        ("σ² in 0.1", "E518", "0.1"),
        ("σ² in []", "E518", "[]"),
        ("train.seed in 4..0", "E518", "4..0"),
        ("σ² in 0..0.5, log", "E518", "0"),
        ("σ² in 0.1..0.5, lg", "E502", "lg"),
        ("train.sed in 0..4", "E518", "train.sed in 0..4"),  # no such entry
        ("train.batch in [8, 0]", "E518", "train.batch in [8, 0]"),  # not a batch size
        ("σ² in [0.1, -0.1]", "E518", "σ² in [0.1, -0.1]"),  # no real root
        ("train.seed in 0..5\ntrain.seed in [7]", "E511", "train.seed in [7]"),
        ("train.seed in 0..1000", "E507", "train.seed in 0..1000"),
        ("train..seed in [7]", "E102", ".."),
        ("train.seed = 3", "E102", "="),
    ],
)
def test_error(lines: str, code: str, underlined: str) -> None:
    assert error_of(lines) == (code, underlined)


def test_sweep_is_a_name_elsewhere() -> None:
    assert pdedsl.parse(SPEC.replace("σ²", "sweep²")).constants[0].name == "sweep"


def test_editor() -> None:
    text = f"{SPEC}sweep {{\n  train.seed in 0..4\n  |\n}}\n"
    offset = text.index("|")
    proposed = {item.label for item in complete(analysed(text.replace("|", "")), offset)}
    assert {"σ", "train", "evaluate", "realize"} <= proposed
    listed = symbols(analysed(text.replace("|", "")))
    assert [s.name for s in listed[-1].children] == ["train.seed"]
    after_dot = text.replace("|", "train.")
    assert "optimizer" in {item.label for item in complete(analysed(after_dot), after_dot.rindex("train.") + 6)}
