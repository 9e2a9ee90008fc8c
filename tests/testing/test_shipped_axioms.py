"""Shipped specs: no counterexamples to proved axioms, counterexamples to refuted ones."""

from __future__ import annotations

from functools import cache

import pytest

import pdedsl
from pdedsl.compiler import Compilation
from pdedsl.ir.plan import ImagePlan
from pdedsl.sources import shipped_specs
from pdedsl.testing import axioms
from pdedsl.testing.axioms import AxiomResult
from pdedsl.testing.model import under_test

EXAMPLES = {
    "rotation": 10,
    "anisotropic": 10,
    "convection_diffusion": 10,
    "monotone": 20,
    "convex_potential": 20,
    "parabolic": 20,
    "second_order": 20,
    "hamiltonian": 20,
    "resnet": 6,
}


@cache
def compiled(name: str) -> Compilation:
    return pdedsl.compile(shipped_specs()[name])


@cache
def results(name: str, seed: int = 0) -> tuple[AxiomResult, ...]:
    return axioms.check(compiled(name), EXAMPLES[name], seed)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_search_agrees_with_the_analysis(name: str) -> None:
    found = results(name)
    assert [r for r in found if not r.ok] == []
    outcomes = {
        "proved": {"passed", "untested"},
        "refuted": {"violated"},
        "unknown": {"passed", "violated", "untested"},
    }
    for result in found:
        assert result.outcome in outcomes[result.verdict], result
        assert bool(result.example) is (result.outcome == "violated")


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_axiom_is_reported_and_requirements_are_marked(name: str) -> None:
    compilation = compiled(name)
    assert [r.axiom for r in results(name)] == list(compilation.analysis.axioms)
    assert {r.axiom for r in results(name) if r.required} == {r.axiom for r in compilation.spec.requirements}


@pytest.mark.parametrize("name", EXAMPLES)
def test_untested_axioms_have_a_reason(name: str) -> None:
    untested = [r for r in results(name) if r.outcome == "untested"]
    assert all(r.note for r in untested)
    if isinstance(compiled(name).plan, ImagePlan) or name in ("rotation", "anisotropic", "convection_diffusion"):
        assert [r.axiom for r in untested if r.axiom != "energy_conservation"] == []


@pytest.mark.parametrize(("name", "axiom"), [("parabolic", "stability"), ("second_order", "stability")])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_refuted_axiom_is_broken_for_every_seed(name: str, axiom: str, seed: int) -> None:
    result = axioms.search_for(axiom, under_test(compiled(name)), EXAMPLES[name], seed)
    assert (result.verdict, result.outcome) == ("refuted", "violated")


def test_the_same_seed_finds_the_same() -> None:
    first = results("parabolic")
    assert first == axioms.check(compiled("parabolic"), EXAMPLES["parabolic"], 0)
