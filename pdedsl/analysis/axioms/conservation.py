"""Conservation of mass, d/dt ∫u = 0.

F is a divergence if and only if its Euler operators vanish (Olver, Applications of Lie Groups to Differential
Equations, theorem 4.7); then d/dt ∫u is the flux through the boundary. On the whole space the data decay, and so must
the flux. A counterexample is a smooth bump for which d/dt ∫u = ∫F[u] dx, by quadrature, is not zero.
"""

from __future__ import annotations

from math import isfinite

from sympy import Expr, Float, Integer, Pow, S, Symbol, exp

from pdedsl.analysis.axioms.comparison import IMPLICIT, has_mixed_derivatives
from pdedsl.analysis.axioms.hypotheses import undecided_terms
from pdedsl.analysis.axioms.structure_conditions import SpaceRegularity
from pdedsl.analysis.boundary import has_zero_initial_velocity
from pdedsl.analysis.boundary_flux import (
    BoundaryFlux,
    boundary_flux,
    depends_on_position,
    is_flux_periodic,
    prescribed_flux,
)
from pdedsl.analysis.bounds.interval import range_of
from pdedsl.analysis.bounds.jet_bounds import JetBounds
from pdedsl.analysis.bounds.sign import box_of, is_zero, nonnegative, vanishes
from pdedsl.analysis.dependence import depends_on_stationary, has_constraint, stationary_unknowns_in
from pdedsl.analysis.drift_diffusion import NotLinear, adjoint_of_one
from pdedsl.analysis.index_expansion import expand_indices
from pdedsl.analysis.jet import Jet, jet_of, solenoidal, with_jet_symbols
from pdedsl.analysis.normal_form import normal_form
from pdedsl.analysis.problem import Problem, may_be_undefined, partial_functions, quote_terms, spans
from pdedsl.analysis.sample_points import Ranges, find_nonzero_point, ranges_of
from pdedsl.ir.terms import Origin, SourceTerm
from pdedsl.ir.verdicts import Proved, Refuted, Undecided, Verdict
from pdedsl.symbolic.evaluate import Layout, compile_function
from pdedsl.symbolic.integrals import integral
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.rewrite import can_expand, expand, expand_products, max_terms
from pdedsl.symbolic.symbols import Field, Partial, TooLarge, atoms, free_symbols

# ---- Search for a function whose mass changes


QUADRATURE_NODES = 400  # the trapezoidal rule is exponentially accurate for smooth data that vanish at the ends
MIN_RATE = 1e-3  # smaller rates are attributed to the quadrature error
HALF_WIDTH = 6  # of the interval that replaces the line, for Gaussian data


def find_mass_change(jet: Jet, ranges: Ranges, time: Symbol | None) -> str:
    """A function whose mass changes, as text; empty if none is found."""
    if len(jet.coordinates) != 1 or jet.expr.has(Field) or jet.unexpanded or jet.higher:
        return ""
    x = jet.coordinates[0]
    ends = ranges.get(x, (Integer(-HALF_WIDTH), Integer(HALF_WIDTH)))
    low, high = map(float, ends)
    sample = {time: _sample_time(ranges[time])} if time is not None and time in ranges else {}
    for u in _test_functions(x, *ends, x in ranges, bool(jet.u.is_nonnegative)):
        coarse, fine = _mass_rates(jet, u, x, low, high, sample) or (0.0, 0.0)
        if abs(fine) > MIN_RATE and abs(coarse - fine) < 0.05 * abs(fine):
            return f"the mass of u = {notation(u)} changes at the rate {fine:.3g}"
    return ""


def _sample_time(ends: tuple[Expr, Expr]) -> Float:
    return Float(0.3 * float(ends[0]) + 0.7 * float(ends[1]))


def _test_functions(x: Symbol, low: Expr, high: Expr, bounded: bool, positive: bool) -> list[Expr]:
    offset = 1 if positive else 0
    if not bounded:
        tilt = 1 + (1 + x) ** 2 if positive else 1 + x
        return [exp(-((x - 1) ** 2)), tilt * exp(-(x**2))]
    s = (x - low) / (high - low)
    return [offset + 64 * s**3 * (1 - s) ** 3, offset + 64 * s**4 * (1 - s) ** 3]


def _mass_rates(
    jet: Jet, u: Expr, x: Symbol, low: float, high: float, sample: dict[Symbol, Float]
) -> tuple[float, float] | None:
    """∫ F[u] dx by the trapezoidal rule with n = QUADRATURE_NODES and 2n nodes, for data that vanish at the ends."""
    values_of = {jet.u: u} | {
        v: u.diff(x, len(d.slots)) for v, d in jet.derivative_of.items() if isinstance(d, Partial)
    }
    expression = jet.expr.xreplace(sample)
    used = [v for v in values_of if v in expression.free_symbols]
    if expression.free_symbols - {x, *used}:
        return None
    f = compile_function(expression, Layout({s: k for k, s in enumerate((x, *used))}, 0))
    parts = [compile_function(values_of[v], Layout({x: 0}, 0)) for v in used]
    step = (high - low) / (2 * QUADRATURE_NODES)
    nodes = [low + k * step for k in range(1, 2 * QUADRATURE_NODES)]
    values = [f((y, *(part((y,)) for part in parts))) for y in nodes]
    rates = 2 * step * sum(values[1::2]), step * sum(values)
    return rates if all(map(isfinite, rates)) else None


# ---- Verdict


_INFINITE = (S.ComplexInfinity, S.NaN, S.Infinity, S.NegativeInfinity)
MAX_EULER_TERMS = 20_000  # longer Euler operators are not expanded
MAX_EULER_TERMS_WITH_ROOTS = 5_000  # with roots of sums, which sympy expands far more slowly
DIVERGENCE = "the right-hand side is a divergence: its Euler operators vanish"


def conservation(problem: Problem) -> Verdict:
    why = _not_covered(problem)
    if why:
        return Undecided(why)
    flux = boundary_flux(problem)
    if flux is BoundaryFlux.SOLUTION_DEPENDENT:
        sample = problem.right_hand_terms
        return Refuted(
            "the flux through the boundary is not zero.",
            "data with nonzero value or normal derivative at the boundary",
            spans(sample),
        )
    operators = _euler_operators(problem)
    if operators is None:
        return Undecided("it could not be decided whether the right-hand side is a divergence.")
    for euler in (e for e in operators if not vanishes(e)):
        if depends_on_stationary(problem.equation, problem.spec) or has_constraint(problem.spec):
            return Undecided("the contribution of the stationary unknowns to the mass is not known.")
        return _non_divergence_verdict(problem, euler)
    if problem.equation.order > 1 and not has_zero_initial_velocity(problem):
        return _verdict_from_initial_velocity(problem, flux)
    return _divergence_verdict(problem, flux)


def _not_covered(problem: Problem) -> str:
    jet, spec = problem.jet, problem.spec
    if problem.equation.order == 0:
        return "the equation is stationary."
    if problem.is_implicit:
        return IMPLICIT
    if jet.is_nonlocal or jet.unexpanded or problem.is_vector or has_mixed_derivatives(problem):
        return "conservation is decided only for local scalar equations with expanded derivatives in space."
    if any(free_symbols(f) & jet.variable_set for f in atoms(jet.expr, Field)):
        return "whether a learned function of u is a divergence depends on the weights."
    in_time = _time_derivatives(jet, spec.time.symbol if spec.time else None)
    if any(jet.derivative(h).free_symbols & {*jet.coordinates, *jet.variables} for h in in_time):
        return "the coefficient of a time derivative depends on x or u."
    return ""


def _verdict_from_initial_velocity(problem: Problem, flux: BoundaryFlux) -> Verdict:
    """Second order in time: initially d/dt ∫u = ∫ ∂u/∂t(x, 0) dx."""
    spec, unknown = problem.spec, problem.equation.unknown
    prescribed = [c for c in spec.conditions if c.unknown == unknown and c.order == 1]
    if problem.equation.order > 2 or len(prescribed) != 1 or not spec.space.intervals:
        return Undecided("d/dt ∫u depends on the initial velocity.")
    velocity = prescribed[0]
    total = _integrate_over_domain(velocity.value[0].xreplace(spec.values), problem)
    match None if total is None else is_zero(total, {}):
        case True:
            return _divergence_verdict(problem, flux)
        case False:
            why = f"'{spec.source.quote(velocity.span)}' is a source of mass"
            return Refuted(f"{why}.", f"initially d/dt ∫u = {notation(total)}", (velocity.span,))
        case None:
            return Undecided("the integral of the initial velocity could not be computed.")


def _integrate_over_domain(total: Expr | None, problem: Problem) -> Expr | None:
    """The integral over all coordinates; None if it could not be computed."""
    ranges = ranges_of(problem.spec, problem.equation)
    for c in problem.jet.coordinates:
        total = None if total is None or total.has(Field) else integral(total, c, *ranges[c]) if total != 0 else total
    return total


def _divergence_verdict(problem: Problem, flux: BoundaryFlux) -> Verdict:
    spec = problem.spec
    source = _source_term(problem)
    if not _is_defined_in_interior(problem):
        return Undecided("mass may be lost at a singularity of a coefficient.")
    if not is_flux_periodic(problem):
        return Undecided("the flux may be discontinuous at the periodic boundary: a coefficient is not periodic.")
    stationary = stationary_unknowns_in(problem.equation, spec).values()
    if any(may_be_undefined(partial_functions(e, spec), spec) or depends_on_position(e, problem) for e in stationary):
        return Undecided("a stationary unknown may be undefined, or discontinuous at a periodic boundary.")
    if not spec.space.intervals and (stationary or not _flux_decays(problem)):
        return Undecided("it could not be shown that the flux decays at infinity.")
    if flux is BoundaryFlux.UNKNOWN:
        return Undecided("the right-hand side is a divergence, but the flux through the boundary may not be zero.")
    if source != 0 or flux is BoundaryFlux.PRESCRIBED:
        return _source_verdict(problem, source)
    hypotheses = (
        DIVERGENCE,
        "the flux vanishes at the boundary and at infinity, and is continuous across periodic boundaries",
        "there is no source term",
    )
    return Proved("the right-hand side is a divergence, and the flux through the boundary vanishes.", hypotheses)


def _is_defined_in_interior(problem: Problem) -> bool:
    bounds = JetBounds(problem)
    return bounds.is_defined and all(
        range_of(e, bounds.bounded_box) is not None for e in bounds.terms if bounds.depends_on_x(e)
    )


# ---- Euler operators


def _euler_operators(problem: Problem) -> list[Expr] | None:
    """The Euler operator for each unknown."""
    spec, jet = problem.spec, problem.jet
    if not jet.layout.is_complete(spec) and JetBounds(problem).depends_on_x(jet.expr):
        return _adjoint_by_index(problem)
    time = spec.time.symbol if spec.time else None
    operators = [euler_operator(jet, _time_derivatives(jet, time))]
    for unknown in spec.unknowns:
        expression = problem.equation.rhs[0]
        if unknown.head != problem.unknown.head and any(f.head == unknown.head for f in atoms(expression, Field)):
            operators.append(euler_operator(jet_of(expression, unknown, spec)))
    return None if None in operators else [expand(solenoidal(e, spec)) for e in operators if e is not None]


def _adjoint_by_index(problem: Problem) -> list[Expr] | None:
    """The adjoint applied to 1, for a linear equation in index notation."""
    form = normal_form(problem.equation, problem.spec)
    try:
        adjoint = form.with_dimension(adjoint_of_one(expand_products(problem.rhs), form.heads))
    except (NotLinear, TooLarge):
        return None
    return [expand(expand_indices(adjoint, problem.spec, problem.jet.layout))] if not vanishes(adjoint) else []


def _time_derivatives(jet: Jet, time: Symbol | None) -> frozenset[Symbol]:
    """Time derivatives in F: they contribute c(t) d/dt ∫u, which is zero for zero initial velocity."""
    return frozenset(h for h in jet.higher if time in jet.derivative_of[h].slots)


def euler_operator(jet: Jet, without: frozenset[Symbol] = frozenset()) -> Expr | None:
    """The Euler operator Σ (-D)^α ∂F/∂u_α; None if it has too many terms."""
    try:
        total = _euler_sum(jet, without)
    except TooLarge:
        return None
    if not can_expand(total):
        return total
    rooted = any(p.base.is_Add and not p.exp.is_Integer for p in atoms(total, Pow))
    return expand(total) if max_terms(total) <= (MAX_EULER_TERMS_WITH_ROOTS if rooted else MAX_EULER_TERMS) else None


def _euler_sum(jet: Jet, without: frozenset[Symbol]) -> Expr:
    total = jet.rate.xreplace(jet.derivative_of)
    used = jet.expr.free_symbols - without
    for variable in (v for v in (*jet.p, *jet.second, *jet.higher) if v in used):
        derivative = jet.derivative(variable).xreplace(jet.derivative_of)
        partial = jet.derivative_of[variable]
        assert isinstance(partial, Partial)
        for slot in partial.slots:
            derivative = -jet.total_derivative(derivative, slot)
        total = total + derivative
    return total


def _non_divergence_verdict(problem: Problem, euler: Expr) -> Verdict:
    offending, spec = _non_divergence_terms(problem), problem.spec
    if any(f.head in {w.head for w in spec.learned} for f in atoms(euler, Field)):
        return undecided_terms("whether {} is a divergence depends on the weights.", offending)
    if not JetBounds(problem).is_defined:
        return undecided_terms("{} is not a divergence, but the equation may be undefined.", offending)
    reason = f"{quote_terms(offending)} is not a divergence: it is a source or sink of mass"
    ranges = ranges_of(spec, problem.equation)
    if find_nonzero_point(with_jet_symbols(euler, spec), ranges) is not None:
        return Refuted(
            f"{reason}.", f"its Euler operator (variational derivative) is {notation(euler)} ≠ 0", spans(offending)
        )
    counterexample = find_mass_change(problem.jet, ranges, spec.time.symbol if spec.time else None)
    if counterexample:
        return Refuted(f"{reason}.", counterexample, spans(offending))
    return undecided_terms("it could not be decided whether {} is a divergence.", offending)


def _non_divergence_terms(problem: Problem) -> list[Origin]:
    """The terms that are not divergences."""
    if len(problem.right_hand_summands) == 1:  # F is not a divergence
        return problem.right_hand_terms
    operators = ((p.origin, euler_operator(p.jet)) for p in problem.right_hand_summands)
    sources = [origin for origin, euler in operators if euler is None or not vanishes(euler)]
    return sources or problem.right_hand_terms


def _flux_decays(problem: Problem) -> bool:
    """Whether the flux of decaying data decays: no coefficient is singular, and drift and diffusion satisfy
    `SpaceRegularity`; for higher order, or second order in time, the coefficients must be constant in space."""
    bounds, jet = JetBounds(problem), problem.jet
    if jet.order > 2 or problem.equation.order > 1:
        return not bounds.depends_on_x(jet.expr)
    regularity = SpaceRegularity(bounds)
    is_regular = regularity.diffusion_has_lipschitz_root and regularity.flow_is_complete
    at_zero = jet.expr.xreplace(dict.fromkeys(jet.variables, jet.u * 0))
    is_finite = not any(e.xreplace({jet.u: jet.u * 0}).has(*_INFINITE) for row in jet.matrix for e in row)
    return (
        is_regular
        and is_finite
        and not at_zero.has(*_INFINITE)
        and (jet.is_affine or not bounds.depends_on_x(jet.expr - jet.source))
    )


# ---- Sources


def _source_term(problem: Problem) -> Expr:
    """F for constant u, if it is a divergence: zero, or a function of x and t alone."""
    if all(vanishes(s.at_constants) for s in problem.components) or problem.jet.singular:
        return problem.jet.u * 0
    return problem.jet.source


def _source_verdict(problem: Problem, source: Expr) -> Verdict:
    """Decides by ∫ f dx plus the prescribed boundary flux, neither of which depends on u."""
    offending = problem.find_terms(SourceTerm) or problem.right_hand_terms
    ranges = ranges_of(problem.spec, problem.equation)
    if not problem.spec.space.intervals:
        return _source_verdict_on_whole_space(problem, source)
    total = _integrate_over_domain(source if source != 0 else S.Zero, problem)
    prescribed = prescribed_flux(problem)
    if total is None or prescribed is None:
        return undecided_terms("the integral of {} could not be computed.", offending)
    match is_zero(expand(total + prescribed), ranges):
        case True:
            return Proved(
                f"the other terms form a divergence, and the integral of {quote_terms(offending)} is 0.", (DIVERGENCE,)
            )
        case False:
            counterexample = f"d/dt ∫u = {notation(expand(total + prescribed))}"
            return Refuted(f"{quote_terms(offending)} is a source of mass.", counterexample, spans(offending))
        case None:
            return undecided_terms("the integral of {} could not be computed.", offending)


def _source_verdict_on_whole_space(problem: Problem, source: Expr) -> Verdict:
    """On the whole space: a source of one sign changes the mass."""
    offending = problem.find_terms(SourceTerm) or problem.right_hand_terms
    ranges = ranges_of(problem.spec, problem.equation)
    box = box_of(ranges)
    one_sign = nonnegative(source, box) or nonnegative(-source, box)
    if one_sign and find_nonzero_point(source, ranges) is not None:
        return Refuted(
            f"{quote_terms(offending)} is a source of mass.",
            f"{notation(source)} does not change sign",
            spans(offending),
        )
    return undecided_terms("the integral of {} could not be computed.", offending)
