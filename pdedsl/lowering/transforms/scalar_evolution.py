"""Reading the terms of a scalar evolution equation, and stating the problem of the transformed unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from sympy import Add, Expr, Mul, Pow, S, Symbol, cancel

from pdedsl.ir.boundary import (
    ConditionResidual,
    Dirichlet,
    Face,
    General,
    InitialCondition,
    Robin,
    ScalarCondition,
)
from pdedsl.ir.component_form import ScalarUnknown
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.ir.residual import Derivative, Residual
from pdedsl.symbolic.rewrite import expand

Monomial = tuple[Derivative, ...]
"""A product of derivatives of the unknowns, in the order of their multi-indices."""

UNKNOWN = "v"  # of a transformed problem


def monomials(residual: Residual) -> Mapping[Monomial, Expr] | None:
    """A residual as Σ coefficient · monomial, with coefficients in the coordinates; None if it is no polynomial."""
    jets = dict(residual.jet_variables)
    terms: dict[Monomial, list[Expr]] = {}
    expr = residual.expr if residual.expr.is_Add else expand(residual.expr)
    for term in Add.make_args(expr):
        factors, coefficient = list[Derivative](), list[Expr]()
        for factor in Mul.make_args(term):
            base, power = factor.as_base_exp() if isinstance(factor, Pow) else (factor, S.One)
            if base in jets and power.is_Integer and power > 0:
                factors += [jets[base]] * int(power)
            elif factor.free_symbols & jets.keys():
                return None
            else:
                coefficient.append(factor)
        key = tuple(sorted(factors, key=lambda d: (d.component, d.orders)))
        terms.setdefault(key, []).append(Mul(*coefficient))
    return {key: Add(*parts) for key, parts in terms.items()}


def is_plain(problem: StrongForm) -> bool:
    """Whether it is a forward problem for local equations at all times, in Cartesian coordinates."""
    special = (
        problem.parameters,
        problem.measurements,
        problem.normalizations,
        problem.periodic,
        problem.eigenvalue,
        problem.domain.metric,
        problem.is_nonlocal,
    )
    return not any(special) and all(r.interval is None and r.is_regular for r in problem.equations)


def right_hand_side(problem: StrongForm, k: int = 0) -> Mapping[Monomial, Expr] | None:
    """∂u/∂t = Σ coefficient · monomial, from equation k of first order in time; None if it has no such form."""
    terms = monomials(problem.equations[k]) if problem.domain.has_time else None
    if terms is None:
        return None
    in_time = {m: c for m, c in terms.items() if any(d.orders[-1] for d in m)}
    if len(in_time) != 1:
        return None
    ((monomial, factor),) = in_time.items()
    if len(monomial) != 1 or monomial[0].order != 1 or not factor.is_number or factor == 0:
        return None
    return {m: cancel(-c / factor) if c.is_number else -c / factor for m, c in terms.items() if m != monomial}


def derivative(problem: StrongForm, *axes: int, component: int = 0) -> Derivative:
    """∂u/∂xᵢ∂xⱼ… for the axes i, j, …"""
    return Derivative(component, tuple(axes.count(k) for k in range(len(problem.domain.coordinates))))


def initial_value(problem: StrongForm, component: int = 0) -> Expr | None:
    """The initial or terminal value of a component."""
    for c in problem.scalar_conditions:
        if isinstance(c.kind, InitialCondition) and c.kind.component == component and not c.kind.order:
            return c.kind.value
    return None


def data_time(problem: StrongForm) -> Expr:
    """The time of the initial or terminal condition."""
    interval = problem.domain.intervals[-1]
    return interval.end if problem.is_backward else interval.start


# ---- Transformed problems


def jet_symbol(d: Derivative, domain: Domain) -> Symbol:
    letters = "".join(x.name * n for x, n in zip(domain.coordinates, d.orders, strict=True))
    return Symbol(f"{UNKNOWN}_{letters}" if letters else UNKNOWN, real=True)


def linear_residual(terms: Mapping[Derivative, Expr], rest: Expr, domain: Domain, like: Residual) -> Residual:
    """Σ coefficient · derivative + rest of the new unknown."""
    jets = tuple((jet_symbol(d, domain), d) for d, c in terms.items() if c != 0)
    expr = Add(*(terms[d] * s for s, d in jets), rest)
    return Residual(expr, jets, like.span)


def transformed(problem: StrongForm, equation: Residual, conditions: tuple[ConditionResidual, ...]) -> StrongForm:
    """The problem for the scalar unknown v on the same domain."""
    unknown = ScalarUnknown(UNKNOWN, Symbol(UNKNOWN, real=True), None)
    return replace(
        problem, components=(unknown,), equations=(equation,), conditions=conditions, exact=(None,), periodic=()
    )


def initial_residual(problem: StrongForm, value: Expr) -> ConditionResidual:
    """v = value at the time of the data."""
    (condition,) = (c for c in problem.conditions if problem.domain.is_in_time(c.place))
    own = derivative(problem)
    residual = linear_residual({own: S.One}, -value, problem.domain, condition.residuals[0])
    return condition.with_residuals((residual,), problem.domain.space)


def boundary_residual(problem: StrongForm, kind: Dirichlet | Robin, condition: ScalarCondition) -> ConditionResidual:
    """A condition for v at the place of a condition for u."""
    whole = problem.conditions[condition.number[0]]
    own = whole.residuals[condition.number[1]]
    terms = {derivative(problem): S.One if isinstance(kind, Dirichlet) else kind.alpha}
    if isinstance(kind, Robin):
        assert isinstance(condition.place, Face)
        terms[derivative(problem, condition.place.coordinate)] = condition.place.sign * kind.beta
    residual = linear_residual(terms, -kind.value, problem.domain, own)
    return whole.with_residuals((residual,), problem.domain.space)


K = TypeVar("K", bound="Dirichlet | Robin")
BoundaryMap = Callable[[Dirichlet | Robin, ScalarCondition], "Dirichlet | Robin | None"]


def transform_boundary(problem: StrongForm, change: BoundaryMap) -> tuple[ConditionResidual, ...] | None:
    """The boundary conditions of v; None if one of them has no counterpart."""
    result = list(_boundary(problem, change))
    return None if None in result else tuple(c for c in result if c is not None)


def _boundary(problem: StrongForm, change: BoundaryMap) -> Iterator[ConditionResidual | None]:
    for c in problem.scalar_conditions:
        match c.kind:
            case InitialCondition():
                continue
            case Robin() if not isinstance(c.place, Face):
                yield None
            case Dirichlet() | Robin():
                kind = change(c.kind, c)
                yield None if kind is None else boundary_residual(problem, kind, c)
            case General():
                yield None
