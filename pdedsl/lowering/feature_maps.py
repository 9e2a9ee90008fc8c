"""ODE systems for feature maps: separable, second-order, gradient-flow and first-order systems.

Ruthotto and Haber, Deep Neural Networks Motivated by Partial Differential Equations, eq. 7 to 11; Hairer, Lubich and
Wanner, Geometric Numerical Integration, sections I.1.2 and I.1.4; Hairer, Nørsett and Wanner, chapter II.
"""

from __future__ import annotations

from pdedsl.ir.analysis import Analysis, EquationClass, EquationFacts
from pdedsl.ir.canonical import names_of, unknowns_in_order
from pdedsl.ir.default_methods import integrator_of, is_separable_pair
from pdedsl.ir.representation import FeatureMapEvolution, VectorField
from pdedsl.ir.semidiscrete_systems import FirstOrderOde, SecondOrderOde, SeparableOde
from pdedsl.ir.spec import SpaceKind, Spec
from pdedsl.ir.terms import LearnedField, MapTerm, Nonlinear, Reaction, SymmetricLayer
from pdedsl.ir.theorem import Theorem

# ---- Vector fields


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


# ---- Theorems


# Ruthotto and Haber, eq. 10: with f = K₁ᵀσ(K₁ Z) and g = -K₂ᵀσ(K₂ Y) it conserves ΣΦ(K₁ Z) + ΣΦ(K₂ Y), Φ' = σ, and
# half-steps are symplectic Euler (Hairer, Lubich, Wanner, section I.1.2). Each half-step is invertible (RevNet).
SEPARABLE_SPLITTING = Theorem(
    "splitting of a separable system",
    "Ruthotto, Haber, eq. 10",
    "a Verlet half-step updates one half by a function of the other, and is invertible",
)
ONE_STEP_METHODS = Theorem(
    "one-step methods",
    "Hairer, Nørsett, Wanner, chapter II",
    "an Euler step is a residual block; an adaptive solver gives a neural ODE",
)
CENTRAL_DIFFERENCES = Theorem(
    "central differences in time",
    "Ruthotto, Haber, eq. 11",
    "the leapfrog scheme Y₊ = 2Y - Y₋ + δt² F(Y), which is time-reversible",
)
# -Σ c Kᵀσ(K Y) - λY is minus the gradient of the energy Σ c ΣΦ(K Y) + ½λ‖Y‖², Φ' = σ (Ruthotto and Haber, eq. 7 and 8).
GRADIENT_FLOW = Theorem(
    "gradient flow of an energy",
    "Ruthotto, Haber, eq. 7 and 8",
    "-Kᵀσ(KY) = -∇ΣΦ(KY) with Φ' = σ; an Euler step is a symmetric layer",
)


def lower(analysis: Analysis) -> FeatureMapEvolution | None:
    """A separable system ∂Y/∂t = f(Z), ∂Z/∂t = g(Y), a second-order system ∂²Y/∂t² = F(Y) (leapfrog, or a first-order
    system for Y and its velocity), a gradient flow or another first-order system ∂Y/∂t = F(Y, t)."""
    spec = analysis.spec
    if spec.space.kind is not SpaceKind.PIXELS:
        return None
    if is_separable_pair(spec):
        first, second = partitioned_vector_fields(analysis)
        return FeatureMapEvolution(SEPARABLE_SPLITTING, SeparableOde(first, second), integrator_of(spec))
    if not len(spec.unknowns) == len(analysis.equations) == 1:
        return None
    (facts,) = analysis.equations
    field = vector_field(facts, spec)
    match facts.equation.order:
        case 2:
            return FeatureMapEvolution(CENTRAL_DIFFERENCES, SecondOrderOde(field), integrator_of(spec))
        case 1:
            theorem = GRADIENT_FLOW if _is_gradient_flow(facts) else ONE_STEP_METHODS
            return FeatureMapEvolution(theorem, FirstOrderOde(field), integrator_of(spec))
        case _:
            return None


def _is_gradient_flow(facts: EquationFacts) -> bool:
    """With a normalization between K and σ a layer is not a gradient."""
    layers = (term for term in facts.terms if isinstance(term, SymmetricLayer))
    return facts.kind is EquationClass.GRADIENT_FLOW and all(layer.norm is None for layer in layers)
