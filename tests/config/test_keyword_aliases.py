"""Aliases of keywords: the same spec, the same hash, and the keyword in messages and in formatted text."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts import picture

import pdedsl
from pdedsl.config import keyword_aliases
from pdedsl.config.blocks import ENTRIES
from pdedsl.config.methods import PARTS
from pdedsl.ir.spec import Spec
from pdedsl.ir.verdicts import Axiom
from pdedsl.language.settings import apply_settings

POISSON = """pde P
space x in [0, 1]
unknown u(x) : scalar
-Δu = 1
u = 0 on boundary
"""
IMAGES = picture("∂u/∂t = v·∇u + σ²Δu")
PIXELS = """pde P
space   x in pixels
time    t in [0, 3]
unknown Y(x, t) : channels
learn   K(t)    : operator = conv(3)
∂Y/∂t = -Kᵀ relu(K Y)
"""


def spec_with(alias: str, keyword: str, line: str, text: str) -> tuple[str, str]:
    return text + line.format(alias) + "\n", text + line.format(keyword) + "\n"


CASES = [
    *(spec_with(a, k, "realize equation by {}", POISSON) for a, k in keyword_aliases.METHODS["equation"].items()),
    spec_with("sampling", "randomized_smoothing", "realize diffusion by {}(samples=3)", IMAGES),
    spec_with("residual", "residual_penalty", "realize diffusion by {}(probes=2)", IMAGES),
    spec_with("retraining", "heat_smoothing", "realize diffusion by {}(steps=2)", IMAGES),
    *(spec_with(a, k, "require {}", IMAGES) for a, k in keyword_aliases.AXIOMS.items()),
    spec_with("open", "stem", "network {{\n input image(3, 8, 8)\n {} 8\n stages [8]\n classes 3\n}}", PIXELS),
    spec_with(
        "close", "head", "network {{\n input image(3, 8, 8)\n stem 8\n stages [8]\n {} 9\n classes 3\n}}", PIXELS
    ),
    spec_with("gaussian", "randomized_smoothing", "evaluate {{\n certify {}(n=50)\n}}", IMAGES),
    spec_with("plot weights", "plot weight_histogram", "evaluate {{\n {}\n}}", IMAGES),
    spec_with("weights histogram(below=1e-2)", "plot weight_histogram(below=1e-2)", "evaluate {{\n {}\n}}", IMAGES),
]


@pytest.mark.parametrize(("old", "new"), CASES)
def test_an_alias_is_the_keyword(old: str, new: str) -> None:
    assert pdedsl.parse(old).canonical == pdedsl.parse(new).canonical
    assert pdedsl.parse(old).hash == pdedsl.parse(new).hash
    assert pdedsl.format(old) == pdedsl.format(new)
    assert pdedsl.format(pdedsl.format(old)) == pdedsl.format(old)


def test_every_alias_is_of_a_keyword_and_not_a_keyword_itself() -> None:
    for part, table in keyword_aliases.METHODS.items():
        assert set(table.values()) <= set(PARTS[part])
        assert not set(table) & set(PARTS[part])
    for block, table in keyword_aliases.ENTRIES.items():
        assert set(table.values()) <= set(ENTRIES[block])
        assert not set(table) & set(ENTRIES[block])
    assert set(keyword_aliases.AXIOMS.values()) <= set(Axiom)
    assert not set(keyword_aliases.AXIOMS) & set(Axiom)


def test_an_error_names_the_keyword() -> None:
    with pytest.raises(pdedsl.PdeError, match="pinn") as caught:
        pdedsl.parse(POISSON + "realize equation by residual(pionts=3)\n")
    assert caught.value.diagnostics[0].span.start == len(POISSON + "realize equation by residual(")


@pytest.mark.parametrize("path", ["realize.equation.residual.points", "realize.equation.pinn.points"])
def test_a_setting_takes_both(path: str) -> None:
    text = POISSON + "realize equation by residual(points=100)\n"
    changed = apply_settings(pdedsl.parse(text).source, [f"{path}=200"])
    assert pdedsl.parse(changed.text).hash == pdedsl.parse(text.replace("points=100", "points=200")).hash


def test_hashes_are_those_of_the_first_version() -> None:
    """The canonical text holds the identifiers of 0.1, whatever the keywords are now."""
    shipped = Path(__file__).parents[2] / "specs"
    assert pdedsl.load(shipped / "black_scholes.pde").hash == "38b02eb5861d8f8b"
    assert pdedsl.load(shipped / "convection_diffusion.pde").hash == "ed3454923b83c1e4"
    assert pdedsl.load(shipped / "enresnet.pde").hash == "edf2393ad671cde5"
    assert pdedsl.load(shipped / "parabolic.pde").hash == "6edae8e1ec8215e6"
    smoothing = (shipped / "randomized_smoothing.pde").read_text("utf-8")
    augmented = smoothing.replace("  batch     128\n", "  batch     128\n  augment   gaussian(σ)\n")
    assert pdedsl.parse(augmented).hash == "2929eab466898b50"
    heat = (shipped / "heat_smoothing.pde").read_text("utf-8")
    assert _with_arguments(heat, "steps=5, weight=5, probes=10, delta=0.1").hash == "1fba44de83dc8444"


def test_form_of_heat_smoothing_is_part_of_the_hash() -> None:
    heat = (Path(__file__).parents[2] / "specs" / "heat_smoothing.pde").read_text("utf-8")
    default = pdedsl.parse(heat).hash
    assert _with_arguments(heat, "form=regression").hash == default
    assert _with_arguments(heat, "steps=5").hash == default  # a default of the other form, without effect
    variational = _with_arguments(heat, "form=variational").hash
    assert variational != default
    assert _with_arguments(heat, "form=variational, steps=4").hash == _with_arguments(heat, "steps=4").hash


def _with_arguments(text: str, arguments: str) -> Spec:
    return pdedsl.parse(text.replace("by heat_smoothing\n", f"by heat_smoothing({arguments})\n"))
