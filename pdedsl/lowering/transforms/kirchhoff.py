"""Kirchhoff transform: nonlinear stationary conduction as Poisson's equation.

∇·(k(u)∇u) + f(x) = 0 becomes Δw + f = 0 by w = K(u) = ∫ k du, with K(g) for Dirichlet values g; u = K⁻¹(w) where k > 0.

Kirchhoff 1894; Carslaw, Jaeger 1959, section 1.6.
"""

from __future__ import annotations

from sympy import Dummy, Expr, Integral, S, Symbol, solve
from sympy.integrals.manualintegrate import manualintegrate

from pdedsl.ir.boundary import Dirichlet, Robin, ScalarCondition
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.theorem import Theorem
from pdedsl.ir.transforms import Transform
from pdedsl.lowering.transforms.scalar_evolution import (
    derivative,
    is_plain,
    jet_symbol,
    linear_residual,
    transform_boundary,
    transformed,
)
from pdedsl.symbolic.evaluate import Layout, compile_function, is_numerically_equal
from pdedsl.symbolic.printing import notation

THEOREM = Theorem(
    "the Kirchhoff transform",
    "Kirchhoff 1894; Carslaw, Jaeger 1959, section 1.6",
    "∇·(k(u)∇u) + f = 0 becomes Δw + f = 0 by w = ∫ k du",
)
SAMPLES = 5  # of each Dirichlet value, at which K⁻¹(K(u)) = u and k(u) > 0 are verified


def kirchhoff(problem: StrongForm) -> Transform | None:
    """The transform of a stationary scalar equation with the same conductivity k(u) in all directions."""
    if not is_plain(problem) or problem.domain.has_time or not problem.domain.space:
        return None
    if len(problem.components) != 1 or len(problem.equations) != 1 or problem.is_affine:
        return None
    split = _conductivity(problem)
    if split is None:
        return None
    value, conductivity, source = split
    flux = manualintegrate(conductivity, value)
    if flux.has(Integral):
        return None
    new = jet_symbol(derivative(problem), problem.domain)
    inverse = _inverse(flux, conductivity, value, new, problem)
    if inverse is None:
        return None

    def boundary(kind: Dirichlet | Robin, _: ScalarCondition) -> Dirichlet | Robin | None:
        if isinstance(kind, Dirichlet):
            return Dirichlet(0, flux.xreplace({value: kind.value}))
        return kind if kind.is_homogeneous_neumann else None

    conditions = transform_boundary(problem, boundary)
    if conditions is None:
        return None
    laplacian = {derivative(problem, k, k): S.One for k in range(len(problem.domain.space))}
    equation = linear_residual(laplacian, source, problem.domain, problem.equations[0])
    return Transform(
        THEOREM,
        transformed(problem, equation, conditions),
        problem.domain.coordinates,
        (inverse,),
        ((new, derivative(problem)),),
        f"u = {notation(inverse)}",
    )


def _conductivity(problem: StrongForm) -> tuple[Symbol, Expr, Expr] | None:
    """u, k(u) and f(x) of an equation k(u)Δu + k′(u)‖∇u‖² + f(x) = 0, up to its sign."""
    (residual,) = problem.equations
    jets = {d: s for s, d in residual.jet_variables}
    space = range(len(problem.domain.space))
    first, second = ([jets[d] for k in space if (d := derivative(problem, *(k,) * order)) in jets] for order in (1, 2))
    own = jets.get(derivative(problem))
    if own is None or len(first) < len(space) or len(second) < len(space) or len(jets) > 1 + 2 * len(space):
        return None
    conductivity = residual.expr.diff(second[0])
    if conductivity.free_symbols != {own}:
        return None
    source = residual.expr.xreplace(dict.fromkeys((*first, *second), S.Zero))
    terms = (conductivity * s + conductivity.diff(own) * p**2 for p, s in zip(first, second, strict=True))
    if own in source.free_symbols or not is_numerically_equal(residual.expr, sum(terms, source)):
        return None
    return own, conductivity, source


def _inverse(flux: Expr, conductivity: Expr, value: Symbol, new: Symbol, problem: StrongForm) -> Expr | None:
    """The branch of K⁻¹ that contains the Dirichlet values, where k is positive."""
    unknown = Dummy(positive=True) if _is_positive(problem) else Dummy(real=True)
    try:
        branches = solve(flux.xreplace({value: unknown}) - new, unknown)
    except NotImplementedError:
        return None
    samples = list(_boundary_values(problem))
    if not samples:
        return None
    k = compile_function(conductivity, Layout({value: 0}, 1))
    for branch in branches:
        if branch.free_symbols != {new}:
            continue
        composed = compile_function(branch.xreplace({new: flux}), Layout({value: 0}, 1))
        if all(abs(composed([u]) - u) <= 1e-9 * max(1.0, abs(u)) and k([u]) > 0 for u in samples):
            result: Expr = branch
            return result
    return None


def _is_positive(problem: StrongForm) -> bool:
    return all(u > 0 for u in _boundary_values(problem))


def _boundary_values(problem: StrongForm) -> list[float]:
    """Dirichlet values at points of the box."""
    domain = problem.domain
    layout = Layout({x: k for k, x in enumerate(domain.coordinates)}, len(domain.coordinates))
    values = []
    for c in problem.scalar_conditions:
        if isinstance(c.kind, Dirichlet):
            f = compile_function(c.kind.value, layout)
            for j in range(SAMPLES):
                fraction = j / (SAMPLES - 1)
                values.append(f([float(i.start) + fraction * float(i.end - i.start) for i in domain.intervals]))
    return values
