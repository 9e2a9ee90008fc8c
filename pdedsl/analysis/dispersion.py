"""Dispersion relation: growth rates λ of plane waves e^{iξx + λt}, for constant coefficients.

λ is an eigenvalue of M(iξ) for ∂u/∂t = M(∂)u, and a root of λⁿ = P(iξ, λ) for ∂ⁿu/∂tⁿ = P(∂, ∂/∂t)u.
"""

from __future__ import annotations

from mpmath import eig, eighe
from mpmath import matrix as mp_matrix
from sympy import Add, Expr, Symbol

from pdedsl.analysis.drift_diffusion import LinearTerm, NotLinear, linear_terms
from pdedsl.analysis.problem import Problem
from pdedsl.ir.spec import Spec
from pdedsl.symbolic.symbols import MAX_ORDER, Field, Partial, atoms

IndexedUnknown = tuple[Symbol, int | None]
"""The head of an unknown and the number of a component, counted from one; None for a scalar."""


def system_growth_rates(problems: tuple[Problem, ...], spec: Spec, xi: list[int]) -> list[complex] | None:
    """All λ for a wave vector; None if a coefficient is not a number, an unknown has several equations, or the
    eigenvalues are not found. Nonlinear terms without derivatives are omitted: they change λ by a bounded amount."""
    components = [(p.unknown.head, k) for p in problems for k in _components(p)]
    rows = [_symbol_row(e, components, xi, spec) for p in problems for e in p.rows]
    if any(row is None for row in rows) or len(set(components)) < len(components) or len(rows) != len(components):
        return None
    if len(rows) == 1:  # mpmath returns another form for 1 × 1 matrices
        return [row[0] for row in rows if row is not None]
    matrix = mp_matrix(rows)
    if matrix == matrix.H:
        return [complex(v) for v in eighe(matrix, eigvals_only=True)]
    try:
        return [complex(v) for v in eig(matrix, left=False, right=False)]
    except RuntimeError:  # the QR algorithm of mpmath may fail for multiple eigenvalues
        return None


def _components(problem: Problem) -> list[int | None]:
    """The components that an equation determines."""
    if not problem.is_vector:
        return [None]
    component = problem.equation.component
    return [component] if component is not None else list(range(1, len(problem.equation.rhs) + 1))


def _symbol_row(rhs: Expr, components: list[IndexedUnknown], xi: list[int], spec: Spec) -> list[complex] | None:
    row, heads = [0j] * len(components), frozenset(head for head, _ in components)
    try:
        parts = [part for term in Add.make_args(rhs) for part in _principal_terms(term, heads)]
    except NotLinear:
        return None
    for coefficient, variable in parts:
        field, slots = (variable.body, variable.slots) if isinstance(variable, Partial) else (variable, ())
        if not isinstance(field, Field):
            continue
        places = [spec.space.coordinates.index(s) for s in slots if s in spec.space.coordinates]
        indices = [int(i) for i in field.indices if i.is_Integer]
        component = (field.head, indices[0] if indices else None)
        if not coefficient.is_number or component not in components or len(places) != len(slots):
            return None
        factor = complex(coefficient)
        for k in places:
            factor *= 1j * xi[k]
        row[components.index(component)] += factor
    return row


def _principal_terms(term: Expr, heads: frozenset[Symbol]) -> list[LinearTerm]:
    """The linear terms of a summand; none if it is nonlinear without derivatives."""
    try:
        return list(linear_terms(term, heads))
    except NotLinear:
        if atoms(term, Partial):
            raise
        return []


def growth_rates(problem: Problem, xi: list[int]) -> list[complex] | None:
    """All λ of one equation, which may have mixed space-time derivatives."""
    powers = _characteristic_polynomial(problem, xi)
    if powers is None or not powers[-1]:
        return None
    monic = [p / powers[-1] for p in powers[:-1]]
    if len(monic) < 2:  # mpmath returns another form for 1 × 1 matrices
        return [-p for p in monic]
    companion = [[complex(j == i + 1) for j in range(len(monic))] for i in range(len(monic))]
    companion[-1] = [-p for p in monic]
    return [complex(v) for v in eig(mp_matrix(companion), left=False, right=False)]


def _characteristic_polynomial(problem: Problem, xi: list[int]) -> list[complex] | None:
    """The coefficients of 1, λ, λ², … in λⁿ - P(iξ, λ)."""
    jet, time = problem.jet, problem.spec.time
    if not jet.is_affine or time is None:
        return None
    places = (*jet.coordinates, time.symbol)
    coefficients = [0j] * MAX_ORDER + [0j]
    coefficients[problem.equation.order] = 1 + 0j
    for variable in jet.variables:
        coefficient, partial = jet.derivative(variable), jet.derivative_of.get(variable)
        slots = partial.slots if isinstance(partial, Partial) else ()
        if not coefficient.is_number or not set(slots) <= set(places):
            return None
        factor = complex(coefficient)
        for k in (places.index(s) for s in slots if s != time.symbol):
            factor *= 1j * xi[k]
        coefficients[slots.count(time.symbol)] -= factor
    while coefficients and not coefficients[-1]:
        coefficients.pop()
    return coefficients or None
