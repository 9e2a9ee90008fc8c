"""Shared by the theorems on feature maps: right-hand sides, and whether there is a single equation or a pair."""

from __future__ import annotations

from pdedsl.ir.analysis import Analysis, EquationClass, EquationFacts
from pdedsl.ir.canonical import names_of, unknowns_in_order
from pdedsl.ir.representation import FeatureMapEvolution, VectorField
from pdedsl.ir.semidiscrete_systems import FirstOrderOde, SecondOrderOde, SeparableOde
from pdedsl.ir.spec import SpaceKind, Spec
from pdedsl.ir.system_kinds import integrator_of, is_separable_pair
from pdedsl.ir.terms import LearnedField, MapTerm, Nonlinear, Reaction, SymmetricLayer
from pdedsl.ir.theorem import Theorem

# ---- pushes


def single_equation(analysis: Analysis) -> EquationFacts | None:
    """The equation on pixels, if there is only one, for one state."""
    spec = analysis.spec
    alone = spec.space.kind is SpaceKind.PIXELS and len(spec.unknowns) == len(analysis.equations) == 1
    return analysis.equations[0] if alone else None


def vector_field(facts: EquationFacts, spec: Spec) -> VectorField:
    """The terms of an equation, in an order that does not depend on the names of what is learned."""
    terms = [t for t in facts.terms if isinstance(t, SymmetricLayer | LearnedField | Reaction | Nonlinear)]
    names = names_of(spec)
    return VectorField(tuple(sorted(terms, key=lambda term: _sort_key(term, names))), facts.equation.span)


def _sort_key(term: MapTerm, names: dict[object, str]) -> str:
    match term:
        case SymmetricLayer(operator=head) | LearnedField(field=head):
            return names[head]
        case _:
            return ""


def partitioned_vector_fields(analysis: Analysis) -> tuple[VectorField, ...]:
    """The right-hand sides of a pair; which half moves first does not depend on their names."""
    spec = analysis.spec
    facts = {facts.equation.unknown: facts for facts in analysis.equations}
    return tuple(vector_field(facts[head], spec) for head in unknowns_in_order(spec))


# ---- hamiltonian
# Hamiltonian splitting: ∂Y/∂t = f(Z), ∂Z/∂t = g(Y), stepped one half at a time.
#
# Ruthotto and Haber, eq. 10: with f = K₁ᵀσ(K₁ Z) and g = -K₂ᵀσ(K₂ Y) it conserves ΣΦ(K₁ Z) + ΣΦ(K₂ Y), Φ' = σ, and
# half-steps are symplectic Euler (Hairer, Lubich, Wanner, section I.1.2). Any such pair can be run backwards (RevNet).


SEPARABLE_SPLITTING = Theorem(
    "Hamiltonian splitting: each half is pushed by the other",
    "Ruthotto, Haber, eq. 10",
    "a half-step of Verlet moves one half by a function of the other, and can be undone",
)


def separable_applies(analysis: Analysis) -> bool:
    spec = analysis.spec
    return spec.space.kind is SpaceKind.PIXELS and is_separable_pair(spec)


def lower_separable(analysis: Analysis) -> FeatureMapEvolution:
    first, second = partitioned_vector_fields(analysis)
    return FeatureMapEvolution(SEPARABLE_SPLITTING, SeparableOde(first, second), integrator_of(analysis.spec))


# ---- one_step
# One-step methods: ∂Y/∂t = F(Y, t) from step to step (Hairer, Nørsett, Wanner, chapter II).


ONE_STEP_METHODS = Theorem(
    "one-step methods",
    "Hairer, Nørsett, Wanner, chapter II",
    "a step of Euler is a residual map; an adaptive solver is a neural ODE",
)


def first_order_applies(analysis: Analysis) -> bool:
    facts = single_equation(analysis)
    return facts is not None and facts.equation.order == 1


def lower_first_order(analysis: Analysis) -> FeatureMapEvolution:
    facts = single_equation(analysis)
    assert facts is not None
    return FeatureMapEvolution(
        ONE_STEP_METHODS, FirstOrderOde(vector_field(facts, analysis.spec)), integrator_of(analysis.spec)
    )


# ---- central_differences
# Central differences: ∂²Y/∂t² = F(Y) by Y₊ = 2Y - Y₋ + δt² F(Y), or as a first-order system for Y and its speed.
#
# Ruthotto and Haber, eq. 11; Hairer, Lubich, Wanner, section I.1.4.


CENTRAL_DIFFERENCES = Theorem(
    "central differences in time",
    "Ruthotto, Haber, eq. 11",
    "leapfrog Y₊ = 2Y - Y₋ + δt² F(Y), which runs backwards as well",
)


def second_order_applies(analysis: Analysis) -> bool:
    facts = single_equation(analysis)
    return facts is not None and facts.equation.order == 2


def lower_second_order(analysis: Analysis) -> FeatureMapEvolution:
    facts = single_equation(analysis)
    assert facts is not None
    return FeatureMapEvolution(
        CENTRAL_DIFFERENCES, SecondOrderOde(vector_field(facts, analysis.spec)), integrator_of(analysis.spec)
    )


# ---- variational
# Variational: -Σ c Kᵀσ(K Y) - λY is minus the gradient of Σ c ΣΦ(K Y) + ½λ‖Y‖², Φ' = σ.
#
# Ruthotto and Haber, eq. 7 and 8. With a normalisation between K and σ the layer is the same, but not a gradient.


GRADIENT_FLOW = Theorem(
    "variational: minus the gradient of an energy",
    "Ruthotto, Haber, eq. 7 and 8",
    "-Kᵀσ(KY) is minus the gradient of ΣΦ(KY), Φ' = σ; a step of Euler is a symmetric layer",
)


def gradient_flow_applies(analysis: Analysis) -> bool:
    facts = single_equation(analysis)
    if facts is None or facts.kind is not EquationClass.GRADIENT_FLOW or facts.equation.order != 1:
        return False
    return all(term.norm is None for term in facts.terms if isinstance(term, SymmetricLayer))


def lower_gradient_flow(analysis: Analysis) -> FeatureMapEvolution:
    facts = single_equation(analysis)
    assert facts is not None
    return FeatureMapEvolution(
        GRADIENT_FLOW, FirstOrderOde(vector_field(facts, analysis.spec)), integrator_of(analysis.spec)
    )
