"""Every axiom of a compiled spec, searched for a counterexample.

    from pdedsl.testing import axioms
    axioms.assert_hold(pdedsl.compile("my.pde"))

What is proved must survive the search; what is refuted must be refuted by a found example; what is unknown is decided
by the search, and said to be so.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, NoSuchExample

from pdedsl.compilation import Compilation
from pdedsl.ir.analysis import EquationClass
from pdedsl.ir.motions import Second
from pdedsl.ir.plan import ImagePlan
from pdedsl.ir.verdicts import Axiom, Refuted, Truth
from pdedsl.testing.cases import cases, pairs
from pdedsl.testing.checks import EXACT, FEATURE, STATISTICAL, prepared
from pdedsl.testing.operators import Features, Flow, Operator, block_of, operator_of
from pdedsl.testing.replay import breaks_again
from pdedsl.words.integrators import Reversible

WIDTH = 4  # channels of a block under test
REFUTING = 100  # examples at least, where one is known to break
Outcome = Literal["held", "broken", "untested"]


@dataclass(frozen=True)
class Result:
    """What the search found for one axiom."""

    axiom: str
    verdict: Truth
    outcome: Outcome
    example: str = ""
    note: str = ""
    required: bool = False

    @property
    def ok(self) -> bool:
        """Proved and held, or refuted and broken. What is unknown is decided by the search, and fails if required."""
        if self.outcome == "untested":
            return True
        if self.verdict == "unknown":
            return self.outcome == "held" or not self.required
        return self.outcome == ("broken" if self.verdict == "refuted" else "held")


def check(compilation: Compilation, examples: int = 100, seed: int = 0) -> tuple[Result, ...]:
    """All axioms of the spec on what was compiled."""
    required = {r.axiom for r in compilation.spec.requirements}
    found = (_result(name, compilation, examples, seed) for name in compilation.analysis.axioms)
    return tuple(replace(r, required=r.axiom in required) for r in found)


def assert_hold(compilation: Compilation, examples: int = 100, seed: int = 0) -> None:
    """For a test of one's own: raises AssertionError with the smallest counterexample."""
    for result in check(compilation, examples, seed):
        assert result.ok, (
            f"{result.axiom} was {result.verdict}, but the search says {result.outcome}:\n{result.example}"
        )


def search(breaks: Callable[[Any], bool], strategy: st.SearchStrategy[Any], examples: int, seed: int) -> Any | None:
    """The smallest case for which `breaks` holds, or None if none was found.

    An operator that answers differently when asked twice is shrunk as far as its answers allow.
    """
    broken: list[Any] = []

    def remembered(case: Any) -> bool:
        found = breaks(case)
        if found:
            broken.append(case)
        return found

    options = settings(
        max_examples=examples,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        phases=(Phase.generate, Phase.shrink),
    )
    try:
        with torch.no_grad():
            return find(strategy, remembered, settings=options, random=random.Random(seed))
    except (NoSuchExample, Flaky):
        return broken[-1] if broken else None


def falsify(axiom: str, operator: Operator | Features, examples: int = 200, seed: int = 0) -> str | None:
    """The smallest counterexample to an axiom on an operator of one's own, as text."""
    found = search(lambda case: _breaks(axiom, operator, case), cases(operator.dimension), examples, seed)
    return None if found is None else str(found)


def _breaks(axiom: str, operator: Operator | Features, case: Any) -> bool:
    if axiom in EXACT:
        return EXACT[axiom](operator, case)
    assert not isinstance(operator, Features)
    return STATISTICAL[axiom](operator, case)


def _result(axiom: str, compilation: Compilation, examples: int, seed: int) -> Result:
    verdict = compilation.analysis.axioms[Axiom(axiom)].truth
    if verdict == "refuted":
        examples = max(examples, REFUTING)
    if axiom in FEATURE and isinstance(compilation.plan, ImagePlan):
        return _feature_result(axiom, verdict, compilation, examples, seed)
    if axiom not in EXACT and axiom not in STATISTICAL:
        return Result(axiom, verdict, "untested", note="no test for this axiom yet")
    first = operator_of(compilation, 0)
    if axiom in STATISTICAL and not isinstance(first, Flow):
        return Result(axiom, verdict, "untested", note="this network has no operator on R^d to test it on")
    operators: dict[int, Flow | Features] = {0: first}

    def breaks(case: Any) -> bool:
        if case.weights not in operators:
            operators[case.weights] = operator_of(compilation, case.weights)
        return _breaks(axiom, operators[case.weights], case)

    found = search(breaks, cases(first.dimension), examples, seed)
    return Result(axiom, verdict, "held" if found is None else "broken", "" if found is None else str(found))


def _feature_result(axiom: str, verdict: Truth, compilation: Compilation, examples: int, seed: int) -> Result:
    proof, plan = compilation.analysis.axioms[Axiom(axiom)], compilation.plan
    assert isinstance(plan, ImagePlan)
    if isinstance(proof, Refuted) and proof.example is not None:
        again = breaks_again(block_of(compilation, 0, WIDTH), plan, proof.example, WIDTH)
        return Result(axiom, verdict, "broken" if again else "held", proof.witness if again else "")
    note = _untested(axiom, compilation)
    if note:
        return Result(axiom, verdict, "untested", note=note)

    def breaks(pair: Any) -> bool:
        return FEATURE[axiom](prepared(block_of(compilation, pair.seed, WIDTH), pair), pair, WIDTH)

    found = search(breaks, pairs(), examples, seed)
    return Result(axiom, verdict, "held" if found is None else "broken", "" if found is None else str(found))


def _untested(axiom: str, compilation: Compilation) -> str:
    """Why there is nothing to run for an axiom, if there is not."""
    plan = compilation.plan
    assert isinstance(plan, ImagePlan)
    if axiom == "reversibility" and isinstance(plan.motion, Second) and not isinstance(plan.method, Reversible):
        return f"whether steps of {plan.method.name} can be undone from position and speed is not searched"
    kinds = {e.kind for e in compilation.analysis.equations}
    if axiom == "energy_conservation" and kinds != {EquationClass.GRADIENT_FLOW}:
        return "only the energy ½‖Y‖² of a gradient flow is measured"
    return ""
