"""Property-based search for counterexamples to the axioms of a compiled spec.

    from pdedsl.testing import axioms
    axioms.assert_hold(pdedsl.compile("my.pde"))

For a proved axiom the search must find no counterexample, for a refuted one it must find one; for an undecided axiom
the result is reported. Whether the network discretizes its equation is tested by `equation`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pdedsl.compiler import Compilation
from pdedsl.config.keyword_aliases import AXIOMS
from pdedsl.config.methods import Adaptive, Reversible
from pdedsl.ir.analysis import EquationClass
from pdedsl.ir.plan import ImagePlan, SolvePlan
from pdedsl.ir.semidiscrete_systems import SecondOrderOde
from pdedsl.ir.verdicts import Axiom, Refuted, Truth
from pdedsl.runtime.pde_blocks import PdeBlock
from pdedsl.testing.axiom_predicates import EXACT_CHECKS, MAX_INTEGRATION_DIMENSION, STATISTICAL_CHECKS
from pdedsl.testing.counterexample_replay import reproduces
from pdedsl.testing.feature_checks import FEATURE_MAP_CHECKS, set_weights
from pdedsl.testing.grid_axioms import check_on_grid
from pdedsl.testing.model import ModelUnderTest, under_test
from pdedsl.testing.moment_tests import CheckOutcome
from pdedsl.testing.operators import EvolutionUnderTest, NetworkAsOperator, SolutionOperator, block_of, operator_of
from pdedsl.testing.search import MAX_SHRINKS, search
from pdedsl.testing.strategies import cases, feature_map_pairs

__all__ = ["AxiomResult", "assert_hold", "check", "falsify"]

WIDTH = 4  # channels of the block under test
MIN_EXAMPLES_REFUTED = 100  # examples for a refuted axiom, where a counterexample exists
IMAGE_EXAMPLES_DIVISOR = 10  # networks on images are slow, and their average does not depend on the weights
MAX_SHRINKS_ADAPTIVE = 15  # shrinking steps if each example needs an adaptive solve


@dataclass(frozen=True)
class AxiomResult:
    """The result of the search for one axiom.

    Attributes:
        axiom: the property.
        verdict: proved, refuted or undecided by the analysis.
        outcome: whether the property held, was violated, or was not tested.
        example: smallest counterexample found, as text.
        note: why it was not tested.
        required: whether the spec requires the property.

    Example:
        >>> import pdedsl
        >>> from pdedsl.testing import axioms
        >>> result = axioms.check(pdedsl.compile("rotation"), examples=3)[0]
        >>> result.axiom.value, result.verdict.value, result.ok
        ('linearity', 'proved', True)
    """

    axiom: Axiom
    verdict: Truth
    outcome: CheckOutcome
    example: str = ""
    note: str = ""
    required: bool = False

    @property
    def ok(self) -> bool:
        """Whether the result agrees with the verdict; an undecided axiom fails only if it is required and violated."""
        if self.outcome is CheckOutcome.UNTESTED:
            return True
        if self.verdict is Truth.UNDECIDED:
            return self.outcome is CheckOutcome.PASSED or not self.required
        return self.outcome is (CheckOutcome.VIOLATED if self.verdict is Truth.REFUTED else CheckOutcome.PASSED)


def check(model: Compilation | ModelUnderTest, examples: int = 50, seed: int = 0) -> tuple[AxiomResult, ...]:
    """Search for counterexamples to every property of a spec on the compiled network.

    Args:
        model: a `Compilation`, or `package(folder)` of `pdedsl.testing.model`.
        examples: number of examples per property.
        seed: seed of the search.

    Returns:
        One `AxiomResult` per property.

    Example:
        >>> import pdedsl
        >>> from pdedsl.testing import axioms
        >>> all(result.ok for result in axioms.check(pdedsl.compile("rotation"), examples=3))
        True
    """
    tested = under_test(model)
    return tuple(search_for(axiom, tested, examples, seed) for axiom in tested.expected.analysis.axioms)


def search_for(axiom: str, model: ModelUnderTest, examples: int = 50, seed: int = 0) -> AxiomResult:
    """Tests one axiom of the spec."""
    required = _axiom(axiom) in {r.axiom for r in model.expected.spec.requirements}
    return replace(_result(_axiom(axiom), model, examples, seed), required=required)


def assert_hold(model: Compilation | ModelUnderTest, examples: int = 50, seed: int = 0) -> None:
    """Like `check`, for use in test suites.

    Args:
        model: a `Compilation`, or `package(folder)` of `pdedsl.testing.model`.
        examples: number of examples per property.
        seed: seed of the search.

    Raises:
        AssertionError: with the smallest counterexample found, if a result disagrees with its verdict.

    Example:
        >>> import pdedsl
        >>> from pdedsl.testing import axioms
        >>> axioms.assert_hold(pdedsl.compile("rotation"), examples=3)
    """
    for result in check(model, examples, seed):
        assert result.ok, (
            f"verdict on {result.axiom}: {result.verdict}, but the search result is {result.outcome}:\n{result.example}"
        )


def falsify(
    axiom: str,
    operator: SolutionOperator | NetworkAsOperator,
    examples: int = 200,
    seed: int = 0,
    attempts: int = MAX_SHRINKS,
) -> str | None:
    """Search for a counterexample to a property of any operator f ↦ T f.

    Args:
        axiom: name of the property.
        operator: an object like `pdedsl.testing.operators.SolutionOperator`: `operator(f, x, t)` is T f at points
            x (n, d), for data f on R^d.
        examples: number of examples.
        seed: seed of the search.
        attempts: maximal number of steps in which the counterexample is shrunk.

    Returns:
        The counterexample as text, or None.

    Example:
        >>> from pdedsl.testing import axioms
        >>> class Square:
        ...     dimension, start, end = 1, 0.0, 1.0
        ...     def __call__(self, f, x, t):
        ...         return f(x) ** 2
        >>> axioms.falsify("linearity", Square(), examples=20) is not None
        True
    """
    counterexample = search(
        lambda case: _violates(_axiom(axiom), operator, case), cases(operator.dimension), examples, seed, attempts
    )
    return None if counterexample is None else str(counterexample)


def _axiom(name: str) -> Axiom:
    """The axiom of this name, or of an earlier name."""
    return Axiom(AXIOMS.get(name, name))


def _violates(axiom: Axiom, operator: SolutionOperator | NetworkAsOperator, case: Any) -> bool:
    if axiom in EXACT_CHECKS:
        return EXACT_CHECKS[axiom](operator, case)
    assert not isinstance(operator, NetworkAsOperator)
    return STATISTICAL_CHECKS[axiom](operator, case)


def _result(axiom: Axiom, model: ModelUnderTest, examples: int, seed: int) -> AxiomResult:
    verdict = model.expected.analysis.axioms[axiom].truth
    if verdict is Truth.REFUTED:
        examples = max(examples, MIN_EXAMPLES_REFUTED)
    if axiom in FEATURE_MAP_CHECKS and isinstance(model.expected.plan, ImagePlan):
        return _feature_result(axiom, verdict, model, examples, seed)
    if isinstance(model.expected.plan, SolvePlan):
        return _grid_result(axiom, verdict, model.expected.plan, seed)
    if axiom not in EXACT_CHECKS and axiom not in STATISTICAL_CHECKS:
        return AxiomResult(axiom, verdict, CheckOutcome.UNTESTED, note="no test for this axiom")
    first = operator_of(model, 0)
    note = _reason_untested(axiom, first)
    if note:
        return AxiomResult(axiom, verdict, CheckOutcome.UNTESTED, note=note)
    operators: dict[int, EvolutionUnderTest | NetworkAsOperator] = {0: first}

    def breaks(case: Any) -> bool:
        if case.weights not in operators:
            operators[case.weights] = operator_of(model, case.weights)
        return _violates(axiom, operators[case.weights], case)

    number = -(-examples // IMAGE_EXAMPLES_DIVISOR) if isinstance(first, NetworkAsOperator) else examples
    return _search_result(axiom, verdict, search(breaks, cases(first.dimension), number, seed))


def _grid_result(axiom: Axiom, verdict: Truth, plan: SolvePlan, seed: int) -> AxiomResult:
    """The result on a grid. If a refuted axiom holds for the tested data, it counts as untested."""
    result = check_on_grid(axiom, plan, seed)
    if verdict is Truth.REFUTED and result.outcome is CheckOutcome.PASSED:
        return AxiomResult(
            axiom, verdict, CheckOutcome.UNTESTED, note=f"the tested data are no counterexample, {result.text}"
        )
    if result.outcome is CheckOutcome.UNTESTED:
        return AxiomResult(axiom, verdict, CheckOutcome.UNTESTED, note=result.text)
    return AxiomResult(axiom, verdict, result.outcome, result.text if result.outcome is CheckOutcome.VIOLATED else "")


def _search_result(axiom: Axiom, verdict: Truth, counterexample: Any) -> AxiomResult:
    if counterexample is None:
        return AxiomResult(axiom, verdict, CheckOutcome.PASSED)
    return AxiomResult(axiom, verdict, CheckOutcome.VIOLATED, str(counterexample))


def _reason_untested(axiom: Axiom, operator: EvolutionUnderTest | NetworkAsOperator) -> str:
    """Why an axiom cannot be tested on this operator; empty if it can."""
    if axiom in STATISTICAL_CHECKS and not isinstance(operator, EvolutionUnderTest):
        return "the network has no evolution operator on R^d"
    if axiom is Axiom.CONSERVATION and operator.dimension > MAX_INTEGRATION_DIMENSION:
        return f"integrals are computed in at most {MAX_INTEGRATION_DIMENSION} dimensions"
    return ""


def _feature_result(axiom: Axiom, verdict: Truth, model: ModelUnderTest, examples: int, seed: int) -> AxiomResult:
    proof, plan = model.expected.analysis.axioms[axiom], model.expected.plan
    assert isinstance(plan, ImagePlan)
    block = block_of(model, 0, WIDTH)
    if isinstance(proof, Refuted) and proof.example is not None and isinstance(block, PdeBlock):
        again = reproduces(block, plan, proof.example, WIDTH)
        return _search_result(axiom, verdict, proof.counterexample if again else None)
    note = _reason_untested_on_features(axiom, model.expected)
    if note:
        return AxiomResult(axiom, verdict, CheckOutcome.UNTESTED, note=note)

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
        return f"the invertibility of {plan.method.name} as a map of position and velocity is not tested"
    kinds = {e.kind for e in expected.analysis.equations}
    if axiom is Axiom.ENERGY_CONSERVATION and kinds != {EquationClass.GRADIENT_FLOW}:
        return "only the energy ½‖Y‖² of a gradient flow is tested"
    return ""
