"""Searches for counterexamples to every axiom of a compiled spec.

    from pdedsl.testing import axioms
    axioms.assert_hold(pdedsl.compile("my.pde"))

A proved axiom must survive the search; for a refuted one the search must find a counterexample; an unknown one is
decided by the search, and reported as such. Whether the network is that of its equation is checked by `equation`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pdedsl.compiler import Compilation
from pdedsl.config.methods import Adaptive, Reversible
from pdedsl.ir.analysis import EquationClass
from pdedsl.ir.plan import ImagePlan, SolvePlan
from pdedsl.ir.semidiscrete_systems import SecondOrderOde
from pdedsl.ir.verdicts import Axiom, Refuted, Truth
from pdedsl.runtime.pde_blocks import PdeBlock
from pdedsl.testing.cases import cases, feature_map_pairs
from pdedsl.testing.checks import EXACT_CHECKS, MAX_INTEGRATION_DIMENSION, STATISTICAL_CHECKS
from pdedsl.testing.feature_checks import FEATURE_MAP_CHECKS, set_weights
from pdedsl.testing.finite_differences_check import check_on_grid
from pdedsl.testing.model import ModelUnderTest, under_test
from pdedsl.testing.moments import Outcome
from pdedsl.testing.operators import EvolutionUnderTest, NetworkAsOperator, Operator, block_of, operator_of
from pdedsl.testing.replay import reproduces
from pdedsl.testing.search import MAX_SHRINKS, search

WIDTH = 4  # channels of a block under test
MIN_EXAMPLES_REFUTED = 100  # at least so many examples, if one is known to break the axiom
IMAGE_EXAMPLES_DIVISOR = (
    10  # divides the number of examples for a network on images, whose average is taken alike for all weights
)
MAX_SHRINKS_ADAPTIVE = 15  # attempts to shrink a counterexample, if each solves an equation


@dataclass(frozen=True)
class Result:
    """What the search found for one axiom."""

    axiom: Axiom
    verdict: Truth
    outcome: Outcome
    example: str = ""
    note: str = ""
    required: bool = False

    @property
    def ok(self) -> bool:
        """Proved and held, or refuted and broken. An unknown axiom fails only if it is required and broken."""
        if self.outcome is Outcome.UNTESTED:
            return True
        if self.verdict is Truth.UNDECIDED:
            return self.outcome is Outcome.HELD or not self.required
        return self.outcome is (Outcome.BROKEN if self.verdict is Truth.REFUTED else Outcome.HELD)


def check(model: Compilation | ModelUnderTest, examples: int = 50, seed: int = 0) -> tuple[Result, ...]:
    """Searches all axioms of the spec, on the compiled network."""
    tested = under_test(model)
    return tuple(search_for(axiom, tested, examples, seed) for axiom in tested.expected.analysis.axioms)


def search_for(axiom: str, model: ModelUnderTest, examples: int = 50, seed: int = 0) -> Result:
    """Searches one axiom of the spec."""
    required = axiom in {r.axiom for r in model.expected.spec.requirements}
    return replace(_result(Axiom(axiom), model, examples, seed), required=required)


def assert_hold(model: Compilation | ModelUnderTest, examples: int = 50, seed: int = 0) -> None:
    """For your own tests: raises AssertionError with the smallest counterexample found."""
    for result in check(model, examples, seed):
        assert result.ok, (
            f"{result.axiom} was {result.verdict}, but the search says {result.outcome}:\n{result.example}"
        )


def falsify(
    axiom: str, operator: Operator | NetworkAsOperator, examples: int = 200, seed: int = 0, attempts: int = MAX_SHRINKS
) -> str | None:
    """A counterexample to an axiom on your own operator, as text, shrunk in at most `attempts` attempts."""
    found = search(
        lambda case: _violates(Axiom(axiom), operator, case), cases(operator.dimension), examples, seed, attempts
    )
    return None if found is None else str(found)


def _violates(axiom: Axiom, operator: Operator | NetworkAsOperator, case: Any) -> bool:
    if axiom in EXACT_CHECKS:
        return EXACT_CHECKS[axiom](operator, case)
    assert not isinstance(operator, NetworkAsOperator)
    return STATISTICAL_CHECKS[axiom](operator, case)


def _result(axiom: Axiom, model: ModelUnderTest, examples: int, seed: int) -> Result:
    verdict = model.expected.analysis.axioms[axiom].truth
    if verdict is Truth.REFUTED:
        examples = max(examples, MIN_EXAMPLES_REFUTED)
    if axiom in FEATURE_MAP_CHECKS and isinstance(model.expected.plan, ImagePlan):
        return _feature_result(axiom, verdict, model, examples, seed)
    if isinstance(model.expected.plan, SolvePlan):
        return _grid_result(axiom, verdict, model.expected.plan, seed)
    if axiom not in EXACT_CHECKS and axiom not in STATISTICAL_CHECKS:
        return Result(axiom, verdict, Outcome.UNTESTED, note="no test for this axiom yet")
    first = operator_of(model, 0)
    note = _reason_untested(axiom, first)
    if note:
        return Result(axiom, verdict, Outcome.UNTESTED, note=note)
    operators: dict[int, EvolutionUnderTest | NetworkAsOperator] = {0: first}

    def breaks(case: Any) -> bool:
        if case.weights not in operators:
            operators[case.weights] = operator_of(model, case.weights)
        return _violates(axiom, operators[case.weights], case)

    number = -(-examples // IMAGE_EXAMPLES_DIVISOR) if isinstance(first, NetworkAsOperator) else examples
    return _search_result(axiom, verdict, search(breaks, cases(first.dimension), number, seed))


def _grid_result(axiom: Axiom, verdict: Truth, plan: SolvePlan, seed: int) -> Result:
    """The result on a grid. A refuted axiom may hold for the data that were tried: then it counts as untested."""
    tried = check_on_grid(axiom, plan, seed)
    if verdict is Truth.REFUTED and tried.outcome is Outcome.HELD:
        return Result(axiom, verdict, Outcome.UNTESTED, note=f"the data that were tried do not show it, {tried.text}")
    if tried.outcome is Outcome.UNTESTED:
        return Result(axiom, verdict, Outcome.UNTESTED, note=tried.text)
    return Result(axiom, verdict, tried.outcome, tried.text if tried.outcome is Outcome.BROKEN else "")


def _search_result(axiom: Axiom, verdict: Truth, found: Any) -> Result:
    if found is None:
        return Result(axiom, verdict, Outcome.HELD)
    return Result(axiom, verdict, Outcome.BROKEN, str(found))


def _reason_untested(axiom: Axiom, operator: EvolutionUnderTest | NetworkAsOperator) -> str:
    """Why an axiom cannot be tested on this operator; empty if it can."""
    if axiom in STATISTICAL_CHECKS and not isinstance(operator, EvolutionUnderTest):
        return "this network has no operator on R^d to test it on"
    if axiom is Axiom.CONSERVATION and operator.dimension > MAX_INTEGRATION_DIMENSION:
        return f"integrals are taken in at most {MAX_INTEGRATION_DIMENSION} dimensions"
    return ""


def _feature_result(axiom: Axiom, verdict: Truth, model: ModelUnderTest, examples: int, seed: int) -> Result:
    proof, plan = model.expected.analysis.axioms[axiom], model.expected.plan
    assert isinstance(plan, ImagePlan)
    block = block_of(model, 0, WIDTH)
    if isinstance(proof, Refuted) and proof.example is not None and isinstance(block, PdeBlock):
        again = reproduces(block, plan, proof.example, WIDTH)
        return _search_result(axiom, verdict, proof.counterexample if again else None)
    note = _reason_untested_on_features(axiom, model.expected)
    if note:
        return Result(axiom, verdict, Outcome.UNTESTED, note=note)

    def breaks(pair: Any) -> bool:
        return FEATURE_MAP_CHECKS[axiom](set_weights(block_of(model, pair.seed, WIDTH), pair), pair, WIDTH)

    attempts = MAX_SHRINKS_ADAPTIVE if isinstance(plan.method, Adaptive) else MAX_SHRINKS
    return _search_result(axiom, verdict, search(breaks, feature_map_pairs(), examples, seed, attempts))


def _reason_untested_on_features(axiom: Axiom, expected: Compilation) -> str:
    plan = expected.plan
    assert isinstance(plan, ImagePlan)
    if (
        axiom is Axiom.REVERSIBILITY
        and isinstance(plan.system, SecondOrderOde)
        and not isinstance(plan.method, Reversible)
    ):
        return f"whether steps of {plan.method.name} can be undone from position and speed is not searched"
    kinds = {e.kind for e in expected.analysis.equations}
    if axiom is Axiom.ENERGY_CONSERVATION and kinds != {EquationClass.GRADIENT_FLOW}:
        return "only the energy ½‖Y‖² of a gradient flow is measured"
    return ""
