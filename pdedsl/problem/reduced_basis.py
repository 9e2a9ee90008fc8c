"""Hypotheses of the reduced basis method: linear problems on boxes, with parameters in equations and initial values.

Hesthaven, Rozza, Stamm 2016; in time: Haasdonk, Ohlberger 2008.
"""

from __future__ import annotations

from math import comb

from sympy import Expr, S, Symbol

from pdedsl.ir.boundary import InitialCondition
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.reduced_problem import ReducedProblem
from pdedsl.ir.residual import Affine
from pdedsl.ir.spec import FamilyParameter
from pdedsl.symbolic.symbols import Field, atoms

MAX_SPACE = 2  # dimensions of space: operators are assembled by tensor-product quadrature
POLYNOMIAL_DEGREE = 3  # total degree of an interpolant to three digits; more smooth dependence needs more members
FIRST_SNAPSHOTS, SNAPSHOTS_PER_PARAMETER = 8, 2  # members that span a basis to three digits


class NoReducedBasis(Exception):
    """The reason why a family has no reduced basis."""


def interpolation_members(dimension: int) -> int:
    """Predicted number of members of a sparse interpolant."""
    return comb(dimension + POLYNOMIAL_DEGREE, POLYNOMIAL_DEGREE)


def basis_members(dimension: int) -> int:
    """Predicted number of members that span a reduced basis."""
    return FIRST_SNAPSHOTS + SNAPSHOTS_PER_PARAMETER * dimension


def reduced_problem(problem: StrongForm, parameters: tuple[FamilyParameter, ...]) -> ReducedProblem:
    """The problem with symbols for the parameters; raises NoReducedBasis with the reason if there is none."""
    domain = problem.domain
    special = (problem.measurements, problem.normalizations, problem.periodic, problem.eigenvalue, problem.is_nonlocal)
    if any(special) or problem.defined_up_to_constant:
        raise NoReducedBasis("it is for local equations with one solution")
    is_box = not domain.inequalities and domain.metric is None and all(i.start.is_finite for i in domain.intervals)
    if not is_box or not 1 <= len(domain.space) <= MAX_SPACE:
        raise NoReducedBasis(f"it is for boxes in Cartesian coordinates, of at most {MAX_SPACE} dimensions")
    symbols = {Field(p.head, (), ()): Symbol(p.head.name, real=True) for p in parameters}
    equations = tuple(_affine(r.expr, problem, k, symbols) for k, r in enumerate(problem.equations))
    evolving = tuple(_evolving(a, domain.has_time) for a in equations) if domain.has_time else ()
    if len(set(evolving)) < len(problem.components) * domain.has_time or len(equations) != len(problem.components):
        raise NoReducedBasis("it is for one equation per unknown")
    places = [c for c in problem.conditions if not domain.is_in_time(c.place)]
    boundary = [r.affine for c in places for r in c.residuals]
    time = {domain.coordinates[-1]} if domain.has_time else set()
    for a in boundary:
        if a is None:
            raise NoReducedBasis("it is for linear boundary conditions")
        exprs = (a.inhomogeneity, *(c for _, c in a.terms))
        if any(e.free_symbols & time or atoms(e, Field) for e in exprs):
            raise NoReducedBasis("it is for boundary conditions without parameters and time")
    initial: dict[int, Expr] = {
        c.kind.component: c.kind.value.xreplace(symbols)
        for c in problem.scalar_conditions
        if isinstance(c.kind, InitialCondition) and not c.kind.order
    }
    if domain.has_time and len(initial) < len(problem.components):
        raise NoReducedBasis("it is for initial values of all unknowns")
    return ReducedProblem(
        domain,
        equations,
        evolving,
        tuple(initial[k] for k in sorted(initial)),
        all(a is not None and a.inhomogeneity == 0 for a in boundary),
        problem.is_backward,
        tuple(symbols.values()),
    )


def _affine(expr: Expr, problem: StrongForm, k: int, symbols: dict[Expr, Symbol]) -> Affine:
    """Equation k as a sum of derivatives with coefficients; at all times."""
    residual = problem.equations[k]
    affine = residual.affine
    if affine is None or residual.interval is not None or residual.has_dirac:
        raise NoReducedBasis("it is for linear equations with smooth coefficients")
    terms = tuple((d, c.xreplace(symbols)) for d, c in affine.terms if c != 0)
    return Affine(terms, affine.inhomogeneity.xreplace(symbols))


def _evolving(affine: Affine, has_time: bool) -> int:
    in_time = [d for d, c in affine.terms if d.orders[-1] and c != S.Zero]
    if len(in_time) != 1 or in_time[0].order != 1:
        raise NoReducedBasis("it is for equations of first order in time")
    return in_time[0].component
