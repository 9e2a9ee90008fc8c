"""Exponential scaling: the removal of constant drift and reaction from a diffusion equation.

∂u/∂t = Σ aₖ ∂ₖ²u + b·∇u + c u + f becomes ∂v/∂t = Σ aₖ ∂ₖ²v + e^{-E} f by u = e^E v with E = λ (t - t₀) + κ·(x - x₀),
κₖ = -bₖ/(2aₖ) and λ = c - Σ bₖ²/(4aₖ). Then images exist for Dirichlet conditions, which a drift excludes.

Carslaw, Jaeger 1959, sections 1.14 and 15.2; Polyanin 2002, section 1.1.
"""

from __future__ import annotations

from sympy import Expr, S, exp

from pdedsl.ir.boundary import Dirichlet, Face, Robin, ScalarCondition
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative
from pdedsl.ir.theorem import Theorem
from pdedsl.ir.transforms import Transform
from pdedsl.lowering.transforms.scalar_evolution import (
    Monomial,
    data_time,
    derivative,
    initial_residual,
    initial_value,
    is_plain,
    jet_symbol,
    linear_residual,
    right_hand_side,
    transform_boundary,
    transformed,
)
from pdedsl.symbolic.printing import notation

THEOREM = Theorem(
    "exponential scaling",
    "Carslaw, Jaeger 1959, section 15.2; Polyanin 2002, section 1.1",
    "∂u/∂t = aΔu + b·∇u + c u becomes the heat equation by u = exp(λt + κ·x) v with κ = -b/(2a), λ = c - ‖b‖²/(4a)",
)
MAX_EXPONENT = 10  # of the ratio of e^{κ·x} on the domain, by which rounding errors of v are multiplied


def exponential_scaling(problem: StrongForm) -> Transform | None:
    """The transform of a linear equation with constant coefficients and drift, on a box without periodic axes."""
    domain = problem.domain
    axes = range(len(domain.space))
    if not is_plain(problem) or not axes or domain.inequalities:
        return None
    if len(problem.equations) != 1 or len(problem.components) != 1:
        return None
    terms = right_hand_side(problem)
    if terms is None or any(i.periodic or not i.start.is_finite for i in domain.intervals[: len(axes)]):
        return None
    first, second, own = (
        [derivative(problem, k) for k in axes],
        [derivative(problem, k, k) for k in axes],
        derivative(problem),
    )
    known: set[Monomial] = {(), (own,), *((d,) for d in (*first, *second))}
    coefficients = [c for m, c in terms.items() if m]
    if not terms.keys() <= known or not all(c.is_number for c in coefficients):
        return None
    diffusivity = [terms.get((d,), S.Zero) for d in second]
    drift = [terms.get((d,), S.Zero) for d in first]
    if not any(b != 0 for b in drift) or any(a == 0 for a in diffusivity):
        return None
    slopes = [-b / (2 * a) for a, b in zip(diffusivity, drift, strict=True)]
    rate = terms.get((own,), S.Zero) - sum((b**2 / (4 * a) for a, b in zip(diffusivity, drift, strict=True)), S.Zero)
    lengths = [i.end - i.start for i in domain.intervals[: len(axes)]]
    if sum(abs(k * length) for k, length in zip(slopes, lengths, strict=True)) > MAX_EXPONENT:
        return None
    start = data_time(problem)
    space: Expr = sum(
        (k * (x - i.start) for k, x, i in zip(slopes, domain.space, domain.intervals, strict=False)), S.Zero
    )
    exponent = space + rate * (domain.coordinates[-1] - start)

    def boundary(kind: Dirichlet | Robin, condition: ScalarCondition) -> Dirichlet | Robin | None:
        if isinstance(kind, Dirichlet):
            return Dirichlet(0, kind.value * exp(-exponent))
        assert isinstance(condition.place, Face)
        normal = condition.place.sign * slopes[condition.place.coordinate]
        return Robin(0, kind.alpha + kind.beta * normal, kind.beta, kind.value * exp(-exponent))

    value, conditions = initial_value(problem), transform_boundary(problem, boundary)
    if value is None or conditions is None:
        return None
    linear: dict[Derivative, Expr] = {derivative(problem, len(axes)): S.One}
    linear |= {d: -a for d, a in zip(second, diffusivity, strict=True)}
    source = -terms.get((), S.Zero) * exp(-exponent)
    new = jet_symbol(own, domain)
    return Transform(
        THEOREM,
        transformed(
            problem,
            linear_residual(linear, source, domain, problem.equations[0]),
            (initial_residual(problem, value * exp(-space)), *conditions),
        ),
        domain.coordinates,
        (new * exp(exponent),),
        ((new, own),),
        f"u = e^E v with E = {notation(exponent)}",
    )
