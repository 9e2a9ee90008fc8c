"""Comparison principle: f ≤ g implies T(f) ≤ T(g).

First order in time: F is degenerate elliptic and the structure conditions hold (Crandall, Ishii, Lions 1992, theorem
8.2; Evans, section 7.1.4). Second order in time: d'Alembert's formula is an average; in higher dimensions the formulas
of Poisson and Kirchhoff contain derivatives of the data (Evans, section 2.4). Stationary: the maximum principle
(Gilbarg and Trudinger, theorem 3.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from sympy import Matrix as Entries
from sympy import S

from pdedsl.analysis.axioms.ellipticity import DiffusionMatrix, ellipticity
from pdedsl.analysis.axioms.hypotheses import Hypothesis, conclude, undecided_terms
from pdedsl.analysis.axioms.structure_conditions import structure_conditions
from pdedsl.analysis.boundary import (
    conditions_preserve_order,
    has_zero_initial_velocity,
    is_dirichlet_problem,
    is_homogeneous_neumann_problem,
)
from pdedsl.analysis.bounds.interval import range_of
from pdedsl.analysis.bounds.jet_bounds import JetBounds
from pdedsl.analysis.bounds.sign import box_of, locally_bounded, nonnegative, positive
from pdedsl.analysis.inflow import inflow_of
from pdedsl.analysis.problem import Problem, quote_terms, spans
from pdedsl.analysis.sample_points import find_nonzero_point, ranges_of
from pdedsl.ir.terms import Diffusion, HigherOrder, Nonlinear, Nonlocal, Reaction, Term, TimeDerivative
from pdedsl.ir.verdicts import Proved, Refuted, Undecided, Verdict
from pdedsl.symbolic.symbols import Field, atoms

MIXED_DERIVATIVES = "the equation has mixed space-time derivatives: solved for ∂u/∂t, it is nonlocal."
IMPLICIT = "the equation is implicit in the time derivative."
HIGH_ORDER_COUNTEREXAMPLE = (
    "nonnegative data that vanish at a point, with a large third or fourth derivative there, become negative"
)
SECOND_DERIVATIVE = "the derivative of the right-hand side with respect to ∇∇u"
WAVE_COUNTEREXAMPLE = "f = 0 and a narrow bump g ≥ 0 with the same initial velocity: behind the wave front T(g) < T(f)"


def comparison(problem: Problem) -> Verdict:
    jet, order = problem.jet, problem.equation.order
    if problem.is_vector:
        return Undecided("a comparison principle is defined for scalar unknowns only.")
    if has_mixed_derivatives(problem):
        return Undecided(MIXED_DERIVATIVES)
    if problem.is_implicit:
        return Undecided(IMPLICIT)
    if order > 2:
        offending = problem.find_terms(TimeDerivative)
        return Undecided(
            f"{quote_terms(offending)} is of order {order} in time, and comparison is decided up to order 2 only.",
            spans(offending),
        )
    if jet.is_nonlocal:
        at = spans(problem.find_terms(Nonlocal))
        return Undecided("a nonlocal term preserves order only if its kernel is nonnegative.", at)
    if is_coupled(problem):
        return Undecided("the unknowns are coupled, and a comparison principle holds for cooperative systems only.")
    if jet.order > 2:
        return _high_order(problem)
    match order:
        case 0:
            return _elliptic(problem)
        case 1:
            return _parabolic(problem)
        case _:
            return _wave(problem)


def has_mixed_derivatives(problem: Problem) -> bool:
    """Whether there are mixed space-time derivatives, such as ∂³u/∂x²∂t."""
    return any(t.mixed for t in problem.terms if isinstance(t, TimeDerivative))


def is_coupled(problem: Problem) -> bool:
    """Whether other unknowns occur in the equation, or in the conditions on its unknown."""
    others = {u.head for u in problem.spec.unknowns} - {problem.unknown.head}
    condition_values = [v for c in problem.spec.conditions if c.unknown == problem.unknown.head for v in c.value]
    return any(f.head in others for e in (problem.jet.expr, *condition_values) for f in atoms(e, Field))


def _is_high_order(term: Term) -> bool:
    return isinstance(term, HigherOrder | Nonlinear) and term.order > 2


def _high_order(problem: Problem) -> Verdict:
    """Refuted for evolution equations if a leading coefficient is nonzero at a point: a differential operator with the
    positive maximum principle is at most of second order (Courrège 1966). Stationary equations are undecided: with u
    and Δu prescribed on the boundary they may be a second-order system that preserves order."""
    high = [p.origin for p in problem.summands if any(map(_is_high_order, p.terms))]
    offending = high or problem.right_hand_terms
    if problem.equation.order == 0:
        return undecided_terms(
            "{} is of order three or higher; no comparison theorem is implemented for it.", offending
        )
    jet, ranges = problem.jet, ranges_of(problem.spec, problem.equation)
    derivatives = [jet.derivative(h) for h in jet.higher if len(jet.derivative_of[h].slots) == jet.order]
    defined = (jet.expr, *problem.cancelled_in(jet))
    for derivative in (s for s in derivatives if not s.has(Field) and s != 0):
        if find_nonzero_point(derivative, ranges, defined=defined) is not None:
            why = f"{quote_terms(offending)} is of order three or higher, for which no comparison principle holds"
            return Refuted(f"{why}.", HIGH_ORDER_COUNTEREXAMPLE, spans(offending))
    return undecided_terms("{} is of order three or higher, unless its coefficient vanishes.", offending)


# ---- First order in time


def _parabolic(problem: Problem) -> Verdict:
    offending = problem.find_terms(Diffusion, Nonlinear)
    if problem.jet.order == 2:
        sign = ellipticity(problem)
        if sign.nonnegative is False:
            counterexample = (
                f"{SECOND_DERIVATIVE} has a negative {sign.counterexample}: ordered data that are equal there cross"
            )
            return Refuted(f"{quote_terms(offending)} is not degenerate elliptic.", counterexample, spans(offending))
        if sign.nonnegative is None:
            return undecided_terms("it could not be decided whether {} is elliptic.", offending)
    reason = (
        f"{quote_terms(offending)} is degenerate elliptic: {SECOND_DERIVATIVE} is positive semidefinite"
        if problem.jet.order == 2
        else "the equation has no second derivatives: u is transported along characteristics"
    )
    return conclude(reason, _hypotheses(problem), spans(problem.right_hand_terms))


def _hypotheses(problem: Problem) -> Iterator[Hypothesis]:
    conditions = structure_conditions(problem)
    if problem.jet.order == 2:
        yield Hypothesis(f"{SECOND_DERIVATIVE} is positive semidefinite (degenerate ellipticity)", True)
    yield Hypothesis("the equation is defined for all u, ∇u and ∇∇u", conditions.is_defined_everywhere)
    if not problem.jet.is_affine:
        yield Hypothesis("the right-hand side is continuous in ∇u and ∇∇u", conditions.is_continuous)
    if problem.jet.u.is_nonnegative and not problem.jet.u.is_positive:
        yield Hypothesis("the sign constraint on u is preserved", conditions.preserves_sign)
    yield Hypothesis(
        "the right-hand side is one-sided Lipschitz in u", conditions.unknown_regularity.is_one_sided_lipschitz
    )
    if problem.jet.order == 2:
        yield Hypothesis(
            "the diffusion does not degenerate as u → 0, unless it has the form Δβ(u)",
            conditions.unknown_regularity.has_admissible_diffusion,
        )
        interior = ", away from the boundary" * bool(problem.spec.space.boundary)
        yield Hypothesis(
            f"the diffusion matrix is ΣΣᵀ with Σ Lipschitz in x{interior}",
            conditions.space_regularity.diffusion_has_lipschitz_root,
        )
    yield Hypothesis(
        "the drift is one-sided Lipschitz in x, with at most linear outward growth",
        conditions.space_regularity.drift_is_one_sided_lipschitz,
    )
    yield Hypothesis("the coefficients are locally integrable in t", conditions.is_bounded_in_time)
    yield Hypothesis(
        "the coefficients are continuous across periodic boundaries",
        conditions.space_regularity.leading_coefficients_are_periodic,
    )
    if problem.jet.order == 2:
        text = "every boundary condition is Dirichlet, or Neumann or Robin with ∂u/∂n affine and nonincreasing in u"
        yield Hypothesis(text, conditions_preserve_order(problem))
    elif problem.jet.order == 1:
        yield Hypothesis(
            "Dirichlet data are prescribed on the inflow boundary, and only there", inflow_of(problem).is_prescribed
        )
    if problem.jet.order == 2 and not problem.spec.space.intervals:
        yield Hypothesis("no mass escapes to infinity", _no_mass_escapes(problem))


def _no_mass_escapes(problem: Problem) -> bool:
    """Whether mass is known not to escape: it does in fast diffusion, Δβ(u) with β' unbounded near zero (Vázquez, The
    Porous Medium Equation, section 1.2)."""
    jet = problem.jet
    return not jet.u.is_positive or not any(jet.u in e.free_symbols for row in jet.matrix for e in row)


# ---- Stationary equations


def _elliptic(problem: Problem) -> Verdict:
    """0 = F preserves the order of Dirichlet data if ∂F/∂(∇∇u) and -∂F/∂u have the same sign."""
    jet, offending = problem.jet, problem.find_terms(Diffusion, Nonlinear)
    sign = 1 if ellipticity(problem).nonnegative else -1 if ellipticity(problem, -1).nonnegative else 0
    if jet.order < 2 or not sign:
        return undecided_terms("it could not be decided whether {} is elliptic.", offending)
    box = box_of(ranges_of(problem.spec))
    return conclude(
        f"{quote_terms(offending)} is elliptic, and the zeroth-order terms have the required sign",
        (
            Hypothesis(
                "the matrix of the second-order coefficients is definite (ellipticity)", is_definite(problem, sign)
            ),
            Hypothesis(
                "the zeroth-order coefficient vanishes or has the opposite sign (properness)",
                nonnegative(-sign * jet.rate, box),
            ),
            Hypothesis("the equation is Lipschitz in ∇u for bounded u, ∇u and ∇∇u", _is_lipschitz_in_gradient(problem)),
            Hypothesis(
                "the equation is defined for all u, ∇u and ∇∇u", structure_conditions(problem).is_defined_everywhere
            ),
            Hypothesis(
                "Dirichlet data are prescribed on the whole boundary",
                conditions_preserve_order(problem) and is_dirichlet_problem(problem),
            ),
            Hypothesis("the domain has a boundary", bool(problem.spec.space.boundary)),
        ),
        spans(problem.right_hand_terms),
    )


def _is_lipschitz_in_gradient(problem: Problem) -> bool:
    """Gilbarg and Trudinger, theorem 10.1; ∂²u/∂x² + √|∂u/∂x| = 0 with u = 0 at both ends has two solutions."""
    jet, bounds = problem.jet, JetBounds(problem)
    ranges = ((derivative, range_of(derivative, bounds.full_box)) for derivative in map(jet.derivative, jet.p))
    return all(
        locally_bounded(derivative, bounds.full_box) or (r is not None and isfinite(r.low) and isfinite(r.high))
        for derivative, r in ranges
    )


def is_definite(problem: Problem, sign: int) -> bool:
    """Whether ±∂F/∂(∇∇u) is proved to be positive definite everywhere: for a constant or a diagonal matrix."""
    diffusion = DiffusionMatrix(problem, sign)
    rows = Entries(diffusion.rows)
    if all(e.is_number for e in rows):
        return bool(rows.is_positive_definite)
    if not all(rows[i, j].is_zero for i in range(rows.rows) for j in range(rows.cols) if i != j):
        return False
    return all(positive(rows[i, i], diffusion.box) for i in range(rows.rows))


# ---- Second order in time


def _wave(problem: Problem) -> Verdict:
    """In one dimension with zero initial velocity, order is preserved (d'Alembert) unless there is a restoring
    force."""
    offending = problem.find_terms(TimeDerivative)
    sign = ellipticity(problem)
    if sign.nonnegative is False:
        at = problem.find_terms(Diffusion) or problem.right_hand_terms
        counterexample = (
            f"{SECOND_DERIVATIVE} has a negative {sign.counterexample}: high frequencies grow without bound"
        )
        return Refuted(
            f"{quote_terms(at)} is not elliptic: the problem is ill-posed (Hadamard).", counterexample, spans(at)
        )
    rank = _wave_operator_rank(problem)
    if rank >= 2 and not problem.spec.space.boundary and isinstance(problem.spec.space.dimension, int):
        why = f"the wave equation with {quote_terms(offending)} does not preserve order in two or more dimensions"
        return Refuted(f"{why}.", WAVE_COUNTEREXAMPLE, spans(offending))
    damped = set(problem.jet.higher) & problem.jet.expr.free_symbols
    if rank == 1 and problem.jet.rate.is_negative and not damped and not problem.spec.space.boundary:
        restoring = problem.find_terms(Reaction)
        return Refuted(
            f"with the restoring force {quote_terms(restoring)} a nonnegative wave becomes negative.",
            WAVE_COUNTEREXAMPLE,
            spans(offending),
        )
    if _is_dalembert_problem(problem):
        why = "with zero initial velocity u(x, t) = ½(f(x - ct) + f(x + ct)) by d'Alembert's formula"
        return Proved(
            f"{why}.", ("one space dimension", "constant wave speed", "zero initial velocity", "no lower-order terms")
        )
    why = f"a wave equation, here with {quote_terms(offending)}, preserves order in special cases only"
    return Undecided(f"{why}.", spans(offending))


def _is_dalembert_problem(problem: Problem) -> bool:
    """∂²u/∂t² = c²∂²u/∂x² with zero initial velocity, on the line, periodic, or with ∂u/∂n = 0 at both ends."""
    jet = problem.jet
    homogeneous = jet.is_affine and len(jet.coordinates) == 1 and jet.source == 0 and jet.rate == 0
    if (
        not homogeneous
        or not JetBounds(problem).is_defined_before_cancellation
        or jet.layout.m
        or not isinstance(problem.spec.space.dimension, int)
    ):
        return False
    no_lower_order_terms = jet.drift == (S.Zero,) and not set(jet.higher) & jet.expr.free_symbols
    neumann = is_homogeneous_neumann_problem(problem)
    constant_speed = bool(jet.matrix[0][0].is_number and jet.matrix[0][0].is_positive)
    return no_lower_order_terms and constant_speed and neumann and has_zero_initial_velocity(problem)


def _wave_operator_rank(problem: Problem) -> int:
    """The rank of a constant positive semidefinite ∂F/∂(∇∇u); 0 for other equations."""
    rows = problem.jet.matrix
    if not problem.jet.is_affine or not all(e.is_number for row in rows for e in row):
        return 0
    matrix = Entries(rows)
    return int(matrix.rank()) if matrix.is_positive_semidefinite else 0
