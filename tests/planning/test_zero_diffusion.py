"""The baseline of an experiment, `--set σ=0`: the model without diffusion, at its cost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pdedsl

SPECS = Path(__file__).parents[2] / "specs"
METHODS = {
    "enresnet": "realize diffusion by noise(members=5, scale=relative)\n",
    "randomized_smoothing": "realize diffusion by randomized_smoothing(samples=100)\n",
    "heat_smoothing": "realize diffusion by heat_smoothing\n",
}


@pytest.mark.parametrize("name", METHODS)
def test_baseline_is_the_spec_without_options_of_the_diffusion(name: str) -> None:
    text, changes = re.subn(r"^(const +σ +=).*", r"\1 0", (SPECS / f"{name}.pde").read_text("utf-8"), flags=re.M)
    certificates = [row for row in text.splitlines(keepends=True) if row.strip().startswith("certify")]
    bare = text
    for line in (METHODS[name], *certificates):
        assert line in bare
        bare = bare.replace(line, " " * (len(line) - 1) + "\n")  # of equal length: equal spans
    baseline = pdedsl.compile(text)
    assert changes == 1
    assert {w.code for w in baseline.analysis.spec.warnings} == {"W617"}
    assert repr(baseline.plan) == repr(pdedsl.compile(bare).plan)


def test_constants_beside_the_diffusion_may_be_zero() -> None:
    """A zero constant elsewhere leaves the options of the diffusion, and a diffusion that is absent is an error."""
    spec = """
pde A
const c = 0
space x in R²
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu + c u
u(x, 0) = x₁
realize diffusion by noise
"""
    assert pdedsl.compile(spec).analysis.spec.realize.diffusion is not None
    with pytest.raises(pdedsl.PdeError, match="E611"):
        pdedsl.compile(spec.replace("Δu + c u", "∂u/∂x₁").replace("const c = 0\n", ""))
