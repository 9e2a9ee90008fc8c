"""Well-posedness in the sense of Hadamard: backward diffusion, unbounded growth of high frequencies, outflow data.

∂ⁿu/∂tⁿ = P(∂)u with constant coefficients has the dispersion relation λⁿ = P(iξ); it is ill-posed if Re λ is unbounded
above. For n ≥ 3 it always is, and for n = 2 if the order of P is odd. With mixed space-time derivatives, the roots λ of
λⁿ = P(iξ, λ) are compared at two wave numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sympy import Add, Expr, I, Mul, Symbol

from pdedsl import errors
from pdedsl.analysis.axioms.comparison import has_mixed_derivatives
from pdedsl.analysis.axioms.ellipticity import ellipticity
from pdedsl.analysis.dependence import EquationDependencies, depends_on_stationary
from pdedsl.analysis.dispersion import growth_rates, system_growth_rates
from pdedsl.analysis.inflow import inflow_errors, inflow_of, system_inflow_error
from pdedsl.analysis.jet import Jet
from pdedsl.analysis.problem import Problem, flip_sign, quote_terms, time_direction
from pdedsl.analysis.sample_points import find_nonzero_point, ranges_of
from pdedsl.config.methods import Direction
from pdedsl.diagnostics import Diagnostic, PdeError
from pdedsl.diagnostics.fixes import Edit
from pdedsl.ir.boundary import Face
from pdedsl.ir.spec import ConditionKind, Spec
from pdedsl.ir.terms import Diffusion, HigherOrder, Nonlinear
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.symbols import Field, Partial, atoms

WAVE_DIRECTIONS = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (1, -1, 2), (2, 1, -1))  # directions of wave vectors
WAVE_NUMBERS = (100, 10_000)  # wave numbers at which growth rates are compared
GROWTH_FACTOR = 5  # a rate proportional to √ξ grows tenfold between them


def well_posedness_errors(problems: tuple[Problem, ...]) -> tuple[Diagnostic, ...]:
    diagnostics = [d for problem in problems for error in _equation_errors(problem) for d in error.diagnostics]
    is_system = len(problems) > 1 or any(p.is_vector for p in problems)
    system = None if diagnostics or not is_system else _system_error(problems)
    if not diagnostics and system is None and len(problems) > 1:
        system = system_inflow_error(problems)
    return (*diagnostics, *(system.diagnostics if system else ()))


def _equation_errors(problem: Problem) -> Iterator[PdeError]:
    if problem.is_vector or problem.jet.is_nonlocal or problem.is_implicit:
        return
    if problem.equation.order == 1 and (at_outflow := inflow_of(problem).at_outflow):
        condition = at_outflow[0].condition
        misplaced = [p.face for p in at_outflow if p.condition is condition]
        names = (
            [f.name for f in condition.faces if f in misplaced],
            [f.name for f in condition.faces if f not in misplaced],
        )
        covered = {face for c in problem.spec.conditions if c.unknown == condition.unknown for face in c.faces}
        opposite = [Face(f.coordinate, not f.upper) for f in misplaced]
        inflow = [f.name for f in opposite if f not in covered and f in problem.spec.space.boundary]
        text = problem.spec.source.quote(condition.span)
        yield errors.equations.outflow_condition(text, *names, inflow, condition.span)
    if len(problem.spec.unknowns) == 1:
        yield from inflow_errors(problem)
    if _is_coupled_at_leading_order(problem):
        return
    if has_mixed_derivatives(problem):
        yield from _mixed_derivative_errors(problem)
    elif problem.jet.order > 2 or problem.equation.order > 2 or _is_odd_order_wave(problem):
        yield from _high_order_errors(problem)
    elif problem.jet.order == 2 and problem.equation.order:
        yield from _second_order_errors(problem)
    elif problem.jet.order == 2:
        yield from _stationary_second_order_errors(problem)


def _is_coupled_at_leading_order(problem: Problem) -> bool:
    """Whether other unknowns occur with derivatives of the leading order, or through stationary equations: then the
    sign of one equation is not decisive, as in ∂u/∂t = -Δu + 3Δv, ∂v/∂t = -3Δu + 5Δv."""
    dependencies = EquationDependencies(problem.equation, problem.spec)
    has_stationary = depends_on_stationary(problem.equation, problem.spec)
    return has_stationary or any(
        dependencies.order_in(head) >= problem.jet.order for head in dependencies.other_unknowns
    )


def _second_order_errors(problem: Problem) -> Iterator[PdeError]:
    """∂u/∂t = A:∇∇u and ∂²u/∂t² = A:∇∇u are ill-posed where A has a negative eigenvalue."""
    offending = problem.find_terms(Diffusion, Nonlinear) or problem.right_hand_terms
    terms, span = quote_terms(offending), offending[0].span
    linear = problem.jet.is_affine
    sign = ellipticity(problem).nonnegative
    if sign is None and linear and problem.generator is not None and _has_learned(problem):
        if not ellipticity(problem, -1).nonnegative:
            yield errors.equations.learned_sign(terms, span)
            return
        sign = False
    if sign is not False:
        return
    if problem.equation.order == 2:
        if linear:
            yield errors.equations.hadamard_instability(terms, span, flip_sign(offending, problem))
    elif ellipticity(problem, -1).nonnegative:
        first = time_direction(problem.spec, problem.equation.unknown) is Direction.INITIAL
        moved = _condition_at_other_end(problem)
        yield errors.equations.backward_diffusion(terms, first, span, flip_sign(offending, problem), moved)
    elif linear:
        yield errors.equations.indefinite_diffusion(terms, span)


def _condition_at_other_end(problem: Problem) -> tuple[str, Edit] | None:
    """The left-hand side of the only condition in time at the other end of the time interval, with its edit."""
    spec, time = problem.spec, problem.spec.time
    own = [c for c in spec.conditions if c.unknown == problem.equation.unknown and not c.on_boundary]
    if time is None or len(own) != 1:
        return None
    before, after = (time.start, time.end) if own[0].kind is ConditionKind.INITIAL else (time.end, time.start)
    left = re.match(r"(\w+\((?:[^()]*,)?\s*)([^(),]*)\)", spec.source.quote(own[0].span))
    if left is None or left[2].strip() != notation(before):
        return None
    changed = f"{left[1]}{notation(after)})"
    return changed, Edit(own[0].span, changed, left[0])


def _stationary_second_order_errors(problem: Problem) -> Iterator[PdeError]:
    """A:∇∇u + … = 0 with constant A has one type everywhere: hyperbolic if the eigenvalues have both signs."""
    constant = all(e.is_number for row in problem.jet.matrix for e in row)
    if not problem.jet.is_affine or not problem.spec.space.boundary or not constant:
        return
    if all(ellipticity(problem, sign).nonnegative is False for sign in (1, -1)):
        offending = problem.find_terms(Diffusion, Nonlinear) or problem.right_hand_terms
        yield errors.equations.hyperbolic_dirichlet(quote_terms(offending), offending[0].span)


def _mixed_derivative_errors(problem: Problem) -> Iterator[PdeError]:
    """Decides by the roots λ, for constant coefficients; ∂u/∂t - ∂³u/∂x²∂t = -Δu has λ = ξ²/(1 + ξ²)."""
    for xi in _wave_vectors(len(problem.jet.coordinates)):
        growth = [_max_growth_rate(problem, [size * d for d in xi]) for size in WAVE_NUMBERS]
        if _is_unbounded(growth):
            offending = problem.find_terms(HigherOrder, Diffusion) or [p.origin for p in problem.summands]
            yield errors.equations.hadamard_instability(quote_terms(offending), offending[0].span, None)
            return


def _wave_vectors(dimension: int) -> list[tuple[int, ...]]:
    return [(*direction, *[0] * dimension)[:dimension] for direction in WAVE_DIRECTIONS]


def _max_growth_rate(problem: Problem, xi: list[int]) -> float | None:
    roots = growth_rates(problem, xi)
    return None if roots is None else max((v.real for v in roots), default=0.0)


def _is_unbounded(growth: list[float | None]) -> bool:
    """Whether the growth rate increases so much at a hundredfold wave number that it is considered unbounded."""
    low, high = growth
    return low is not None and high is not None and high > GROWTH_FACTOR * max(1.0, low)


def _is_odd_order_wave(problem: Problem) -> bool:
    return problem.equation.order == 2 and problem.jet.order % 2 == 1


def _has_learned(problem: Problem) -> bool:
    heads = {w.head for w in problem.spec.learned}
    return any(f.head in heads for row in problem.jet.matrix for e in row for f in atoms(e, Field))


def _high_order_errors(problem: Problem) -> Iterator[PdeError]:
    """Decides by the principal symbol, for constant coefficients."""
    jet, order = problem.jet, problem.equation.order
    offending = problem.find_terms(HigherOrder) or problem.right_hand_terms
    if not jet.is_affine or not order or jet.order == 0:
        return
    if order > 2 or _is_odd_order_wave(problem):
        ranges = ranges_of(problem.spec, problem.equation)
        if all(
            find_nonzero_point(jet.derivative(v), ranges) is None
            for v in jet.variables
            if _order_in_space(jet, v) == jet.order
        ):
            return
        yield errors.equations.hadamard_instability(quote_terms(offending), offending[0].span, None)
        return
    principal = _principal_part(jet) if jet.order % 2 == 0 else None
    if principal is not None and any(
        _principal_symbol(principal, xi).is_positive for xi in _wave_vectors(len(jet.coordinates))
    ):
        yield errors.equations.hadamard_instability(
            quote_terms(offending), offending[0].span, flip_sign(offending, problem)
        )


def _order_in_space(jet: Jet, variable: Symbol) -> int:
    """The order in space of the derivative that a jet variable represents."""
    slots = jet.derivative_of[variable].slots if isinstance(jet.derivative_of.get(variable), Partial) else ()
    return len([s for s in slots if s in jet.coordinates])


PrincipalPart = list[tuple[Expr, list[int]]]
"""The derivatives of highest order: coefficients, and the indices of the coordinates."""


def _principal_part(jet: Jet) -> PrincipalPart | None:
    """None unless its coefficients are numbers and its derivatives in space."""
    part, present = [], jet.expr.free_symbols
    for v in (*jet.second, *jet.higher):
        partial = jet.derivative_of[v]
        if v not in present or len(partial.slots) != jet.order:
            continue
        coefficient = jet.derivative(v)
        if not coefficient.is_number or not set(partial.slots) <= set(jet.coordinates):
            return None
        part.append((coefficient, [jet.coordinates.index(s) for s in partial.slots]))
    return part


def _principal_symbol(part: PrincipalPart, xi: tuple[int, ...]) -> Expr:
    """The principal symbol P(iξ)."""
    return Add(*(coefficient * Mul(*(I * xi[k] for k in indices)) for coefficient, indices in part))


# ---- Systems


def _system_error(problems: tuple[Problem, ...]) -> PdeError | None:
    """∂u/∂t = M(∂)u with constant coefficients: the real parts of the eigenvalues of M(iξ) must be bounded above."""
    spec = problems[0].spec
    if not spec.space.explicit or any(p.equation.order != 1 or p.equation.interval for p in problems):
        return None
    for direction in WAVE_DIRECTIONS:
        growth = [_max_system_growth_rate(problems, spec, [size * d for d in direction]) for size in WAVE_NUMBERS]
        if None in growth:
            return None
        if _is_unbounded(growth):
            offending = [o for p in problems for o in p.right_hand_terms]
            return errors.equations.hadamard_instability(quote_terms(offending), problems[0].equation.span, None)
    return None


def _max_system_growth_rate(problems: tuple[Problem, ...], spec: Spec, xi: list[int]) -> float | None:
    rates = system_growth_rates(problems, spec, xi)
    return None if rates is None else max(v.real for v in rates)
