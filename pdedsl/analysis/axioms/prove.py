"""Verdicts on the axioms of a partial differential equation, for all weights.

The axioms are those of Wang et al., "An axiomatized PDE model of deep neural networks", section 2. T maps
the initial datum to the solution; boundary conditions and initial velocities are fixed.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import S

from pdedsl.analysis.axioms.comparison import comparison
from pdedsl.analysis.axioms.conservation import conservation
from pdedsl.analysis.axioms.fractional_terms import has_fractional_terms, prove_with_fractional_terms
from pdedsl.analysis.axioms.integral_terms import has_integrals, prove_with_integrals
from pdedsl.analysis.axioms.linearity import linearity
from pdedsl.analysis.axioms.markov import locality, markov
from pdedsl.analysis.axioms.maximum_principle import maximum_principle
from pdedsl.analysis.axioms.preserves_constants import preserves_constants
from pdedsl.analysis.axioms.regularity import spatial_regularity, temporal_regularity
from pdedsl.analysis.boundary import is_irregular
from pdedsl.analysis.bounds.jet_bounds import JetBounds
from pdedsl.analysis.problem import Problem
from pdedsl.ir.spec import Condition, SpaceKind, Spec
from pdedsl.ir.types import Scalar
from pdedsl.ir.verdicts import Axiom, Refuted, Undecided, Verdict
from pdedsl.symbolic.rewrite import expression_size
from pdedsl.symbolic.symbols import Field
from pdedsl.symbolic.sympy_errors import try_sympy

MAX_NODES = 400  # nodes of a nonlinear expression; larger ones take sympy too long
EVOLUTION_AXIOMS = (
    Axiom.CONSTANTS,
    Axiom.MARKOV,
    Axiom.LOCALITY,
    Axiom.SPATIAL_REGULARITY,
    Axiom.TEMPORAL_REGULARITY,
)


def prove_axioms(problem: Problem) -> dict[Axiom, Verdict]:
    """All verdicts for one equation; undecided where sympy fails or would take too long."""
    if _has_single_components(problem.spec):
        return dict.fromkeys(
            _applicable_axioms(problem),
            Undecided("equations for single components are not covered by the implemented theorems."),
        )
    if has_fractional_terms(problem.spec):
        return try_sympy(lambda: prove_with_fractional_terms(problem, _applicable_axioms(problem))) or dict.fromkeys(
            _applicable_axioms(problem), Undecided("the symbolic computation failed.")
        )
    if has_integrals(problem.spec):
        return try_sympy(lambda: prove_with_integrals(problem, _applicable_axioms(problem))) or dict.fromkeys(
            _applicable_axioms(problem), Undecided("the symbolic computation failed.")
        )
    if not problem.jet.is_affine and expression_size(problem.jet.expr)[0] > MAX_NODES:
        return _verdicts_for_large_equation(problem)
    return (
        _verdicts_on_irregular_domain(problem)
        if is_irregular(problem.spec) or problem.spec.space.metric
        else _verdicts(problem)
    )


def _verdicts_for_large_equation(problem: Problem) -> dict[Axiom, Verdict]:
    """The verdicts that do not need the expanded right-hand side."""
    verdicts = dict.fromkeys(_applicable_axioms(problem), Undecided("the equation is too large for symbolic analysis."))
    dependences = {Axiom.LINEARITY: linearity, Axiom.MARKOV: markov, Axiom.LOCALITY: locality}
    return {**verdicts, **{name: _prove(prove, problem) for name, prove in dependences.items() if name in verdicts}}


def _has_single_components(spec: Spec) -> bool:
    return any(e.component for e in spec.equations) or any(c.component for c in spec.conditions)


def _applicable_axioms(problem: Problem) -> tuple[Axiom, ...]:
    """The axioms that are defined for an equation."""
    evolution = EVOLUTION_AXIOMS if problem.equation.order else ()
    physical = (Axiom.MAXIMUM_PRINCIPLE, Axiom.CONSERVATION) if _has_mass(problem) else ()
    return (Axiom.LINEARITY, Axiom.COMPARISON, *evolution, *physical)


def _has_mass(problem: Problem) -> bool:
    """Whether maximum principle and mass are defined: for physical problems and scalars, not for probabilities."""
    return problem.spec.space.kind is SpaceKind.PHYSICAL or isinstance(problem.unknown.type, Scalar)


def _prove(prove: Callable[..., Verdict], problem: Problem, *known: Verdict) -> Verdict:
    """A verdict; undecided where sympy fails, so that the other axioms are still decided."""
    return try_sympy(lambda: prove(problem, *known)) or Undecided("the symbolic computation failed.")


def _verdicts_on_irregular_domain(problem: Problem) -> dict[Axiom, Verdict]:
    """The verdicts that do not depend on the shape of the boundary. A proof on a box holds on its subsets; a
    counterexample may lie outside the domain, and is valid only if the coefficients are constant."""
    verdicts = dict.fromkeys(
        _applicable_axioms(problem),
        Undecided(
            "irregular domains, curvilinear coordinates and conditions on part of a face are not covered by the "
            "implemented theorems."
        ),
    )
    provers = {
        Axiom.LINEARITY: linearity,
        Axiom.CONSTANTS: preserves_constants,
        Axiom.MARKOV: markov,
        Axiom.LOCALITY: locality,
    }
    if problem.jet.order == 2:
        provers[Axiom.COMPARISON] = comparison
    proved = {name: _prove(prove, problem) for name, prove in provers.items() if name in verdicts}
    even = not JetBounds(problem).depends_on_x(problem.jet.expr)
    by_conditions = {c.span for c in problem.spec.conditions if not _depends_on_x(c, problem)}
    return {
        **verdicts,
        **{k: v for k, v in proved.items() if not isinstance(v, Refuted) or even or set(v.offending) <= by_conditions},
    }


def _depends_on_x(condition: Condition, problem: Problem) -> bool:
    """Whether a condition depends on x explicitly."""
    own = Field(problem.unknown.head, (), problem.unknown.arguments)
    rest = [e.xreplace(problem.spec.values).xreplace({own: S.One}) for e in condition.value]
    return any(e.free_symbols & set(problem.spec.space.coordinates) for e in rest)


def _verdicts(problem: Problem) -> dict[Axiom, Verdict]:
    comparison_verdict, constants_verdict = _prove(comparison, problem), _prove(preserves_constants, problem)
    verdicts = {Axiom.LINEARITY: _prove(linearity, problem), Axiom.COMPARISON: comparison_verdict}
    if problem.equation.order:
        verdicts |= {
            Axiom.CONSTANTS: constants_verdict,
            Axiom.MARKOV: _prove(markov, problem),
            Axiom.LOCALITY: _prove(locality, problem),
            Axiom.SPATIAL_REGULARITY: _prove(spatial_regularity, problem, comparison_verdict),
            Axiom.TEMPORAL_REGULARITY: _prove(temporal_regularity, problem, comparison_verdict, constants_verdict),
        }
    if _has_mass(problem):
        verdicts[Axiom.MAXIMUM_PRINCIPLE] = _prove(maximum_principle, problem, comparison_verdict, constants_verdict)
        if problem.equation.order or not any(e.order for e in problem.spec.equations):
            verdicts[Axiom.CONSERVATION] = _prove(conservation, problem)
    return verdicts
