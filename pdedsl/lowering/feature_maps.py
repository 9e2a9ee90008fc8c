"""ODE systems for feature maps: separable, second-order, gradient-flow and first-order systems.

Ruthotto and Haber, Deep Neural Networks Motivated by Partial Differential Equations, eq. 7 to 11; Hairer, Lubich and
Wanner, Geometric Numerical Integration, sections I.1.2 and I.1.4; Hairer, Nørsett and Wanner, chapter II.
"""

from __future__ import annotations

from pdedsl.ir.analysis import Analysis, EquationClass, EquationFacts
from pdedsl.ir.canonical import names_of, unknowns_in_order
from pdedsl.ir.representation import FeatureMapEvolution, VectorField
from pdedsl.ir.semidiscrete_systems import FirstOrderOde, SecondOrderOde, SeparableOde
from pdedsl.ir.spec import SpaceKind, Spec
from pdedsl.ir.system_kinds import integrator_of, is_separable_pair
from pdedsl.ir.terms import LearnedField, MapTerm, Nonlinear, Reaction, SymmetricLayer
from pdedsl.ir.theorem import Theorem

# ---- Vector fields


def single_equation(analysis: Analysis) -> EquationFacts | None:
    """The equation on feature maps, if there is exactly one equation for one state."""
    spec = analysis.spec
    is_single = spec.space.kind is SpaceKind.PIXELS and len(spec.unknowns) == len(analysis.equations) == 1
    return analysis.equations[0] if is_single else None


def vector_field(facts: EquationFacts, spec: Spec) -> VectorField:
    """The right-hand side of an equation, its terms in an order independent of the names of learned fields."""
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
    """The right-hand sides of a separable system, in an order independent of the names of the unknowns."""
    spec = analysis.spec
    facts = {facts.equation.unknown: facts for facts in analysis.equations}
    return tuple(vector_field(facts[head], spec) for head in unknowns_in_order(spec))


# ---- Separable systems ∂Y/∂t = f(Z), ∂Z/∂t = g(Y)
#
# Ruthotto and Haber, eq. 10: with f = K₁ᵀσ(K₁ Z) and g = -K₂ᵀσ(K₂ Y) it conserves ΣΦ(K₁ Z) + ΣΦ(K₂ Y), Φ' = σ, and
# half-steps are symplectic Euler (Hairer, Lubich, Wanner, section I.1.2). Each half-step is invertible (RevNet).


SEPARABLE_SPLITTING = Theorem(
    "splitting of a separable system",
    "Ruthotto, Haber, eq. 10",
    "a Verlet half-step updates one half by a function of the other, and is invertible",
)


def separable_applies(analysis: Analysis) -> bool:
    spec = analysis.spec
    return spec.space.kind is SpaceKind.PIXELS and is_separable_pair(spec)


def lower_separable(analysis: Analysis) -> FeatureMapEvolution:
    first, second = partitioned_vector_fields(analysis)
    return FeatureMapEvolution(SEPARABLE_SPLITTING, SeparableOde(first, second), integrator_of(analysis.spec))


# ---- First-order systems ∂Y/∂t = F(Y, t)


ONE_STEP_METHODS = Theorem(
    "one-step methods",
    "Hairer, Nørsett, Wanner, chapter II",
    "an Euler step is a residual block; an adaptive solver gives a neural ODE",
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


# ---- Second-order systems ∂²Y/∂t² = F(Y): leapfrog, or a first-order system for Y and its velocity


CENTRAL_DIFFERENCES = Theorem(
    "central differences in time",
    "Ruthotto, Haber, eq. 11",
    "the leapfrog scheme Y₊ = 2Y - Y₋ + δt² F(Y), which is time-reversible",
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


# ---- Gradient flows
#
# -Σ c Kᵀσ(K Y) - λY is minus the gradient of the energy Σ c ΣΦ(K Y) + ½λ‖Y‖², Φ' = σ (Ruthotto and Haber, eq. 7 and 8).
# With a normalisation between K and σ it is not a gradient.


GRADIENT_FLOW = Theorem(
    "gradient flow of an energy",
    "Ruthotto, Haber, eq. 7 and 8",
    "-Kᵀσ(KY) = -∇ΣΦ(KY) with Φ' = σ; an Euler step is a symmetric layer",
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
