"""Axioms of physical equations: the maximum principle and the conservation of mass."""

from __future__ import annotations

from sympy import Add, Expr, Pow, S, Symbol, cos, exp, expand, sin

from pdedsl.analyse.conditions import further, holds_values
from pdedsl.analyse.jets import Jet
from pdedsl.analyse.problem import Problem, named, spans
from pdedsl.analyse.samples import nonzero_point, ranges_of
from pdedsl.analyse.signs import is_zero, nonnegative, vanishes
from pdedsl.analyse.states import letters_of
from pdedsl.ir.terms import Origin, Source
from pdedsl.ir.verdicts import Proved, Refuted, Unknown, Verdict
from pdedsl.symbolic.expansion import can_expand, terms_of
from pdedsl.symbolic.symbols import Field, Partial, TooLarge

MAX_EULER = 20_000  # terms of an Euler operator


def maximum_principle(problem: Problem, ordered: Verdict, constant: Verdict) -> Verdict:
    """The maximum and the minimum are taken on the boundary or at the start."""
    jet = problem.jet
    match ordered:
        case Refuted(witness=witness, guilty=guilty) if jet.is_affine:
            why = ordered.reason.removesuffix(".")
            return Refuted(f"no comparison principle holds: {why}.", witness, guilty)
        case Refuted(guilty=guilty):
            return Unknown("without a comparison principle a maximum may still not grow.", guilty=guilty)
        case Unknown(guilty=guilty):
            return Unknown("it follows from a comparison principle, which is not proved.", guilty=guilty)
    still = not jet.singular and all(vanishes(s.at_constants) for s in problem.states)
    if constant.truth == "proved" or (still and _only_values(problem)):
        return Proved("constants solve the equation, and a comparison principle holds.")
    damped = jet.is_affine and jet.source == 0 and nonnegative(-jet.rate)
    if problem.equation.order and damped and _only_values(problem):
        return Proved("a comparison principle holds, and the reaction only damps.")
    if isinstance(constant, Refuted) and not still:
        why = constant.reason.removesuffix(".")
        return Refuted(f"a constant does not stay: {why}.", constant.witness, constant.guilty)
    return Unknown("it takes the conditions on the boundary, through which u may be driven.")


def _only_values(problem: Problem) -> bool:
    return all(map(holds_values, further(problem.spec)))


# ---- mass


def conservation(problem: Problem) -> Verdict:
    """d/dt ∫u = 0: F is a divergence (its Euler operator vanishes) and nothing leaves through the boundary."""
    jet, equation, spec = problem.jet, problem.equation, problem.spec
    if equation.order == 0:
        return Unknown("nothing evolves in time.")
    if jet.nonlocal_ or jet.hidden or problem.is_vector:
        return Unknown("only local equations of one scalar with derivatives of u alone are decided.")
    in_time = frozenset(h for h in jet.higher if spec.time and spec.time.symbol in jet.back[h].slots)
    if any(jet.slope(h).free_symbols & {*jet.coordinates, *jet.variables} for h in in_time):
        return Unknown("a term with ∂u/∂t depends on x or u.")
    # what is left of these terms is c(t) d/dt of the mass, which stays zero from rest
    euler = euler_operator(jet, in_time)
    if euler is None:
        return Unknown("the right-hand side has too many terms to see whether it is a divergence.")
    if not vanishes(euler):
        return _no_divergence(problem, euler)
    if spec.space.boundary:
        return Unknown("the right-hand side is a divergence, but mass may pass through the boundary.")
    if equation.order > 1 and not _starts_at_rest(problem):
        return Unknown("it depends on the initial velocity.")
    if not _is_periodic(problem):
        return Unknown("the flux may jump where the domain closes: a coefficient is not periodic.")
    if jet.source != 0:
        return _mass_of_source(problem)
    return Proved("the right-hand side is a divergence, and nothing passes through the boundary.")


def euler_operator(jet: Jet, without: frozenset[Symbol] = frozenset()) -> Expr | None:
    """Σ (-D)^α ∂F/∂u_α, zero exactly for divergences (Olver, Applications of Lie Groups, theorem 4.7).

    None where it has too many terms.
    """
    try:
        total = _euler_sum(jet, without)
    except TooLarge:
        return None
    if not can_expand(total):
        return total
    return expand(total) if terms_of(total) <= MAX_EULER else None


def _euler_sum(jet: Jet, without: frozenset[Symbol]) -> Expr:
    total = jet.rate.xreplace(jet.back)
    used = jet.expr.free_symbols - without
    for variable in (v for v in (*jet.p, *jet.second, *jet.higher) if v in used):
        slope = jet.slope(variable).xreplace(jet.back)
        partial = jet.back[variable]
        assert isinstance(partial, Partial)
        for slot in partial.slots:
            slope = -jet.total(slope, slot)
        total = total + slope
    return total


def _no_divergence(problem: Problem, euler: Expr) -> Verdict:
    guilty, spec = _makers(problem), problem.spec
    if any(f.head in {w.head for w in spec.learned} for f in euler.atoms(Field)):
        return Unknown(f"{named(guilty)} is no divergence for every weight.", guilty=spans(guilty))
    if nonzero_point(letters_of(euler, spec), ranges_of(spec, problem.equation)) is None:
        return Unknown(f"whether {named(guilty)} is a divergence is not known.", guilty=spans(guilty))
    witness = f"its Euler operator is {euler}, not 0"
    return Refuted(f"{named(guilty)} is no divergence: mass is made or lost inside.", witness, spans(guilty))


def _makers(problem: Problem) -> list[Origin]:
    """The terms that are no divergence by themselves."""
    operators = ((p.origin, euler_operator(p.jet)) for p in problem.pushing_parts)
    making = [origin for origin, euler in operators if euler is None or not vanishes(euler)]
    return making or problem.pushing


def _starts_at_rest(problem: Problem) -> bool:
    rest = [c for c in problem.spec.conditions if c.unknown == problem.equation.unknown and c.order]
    return bool(rest) and all(c.value == (S.Zero,) for c in rest)


def _is_periodic(problem: Problem) -> bool:
    """Whether F and its slopes in x, as far as its flux has derivatives, are the same at both ends of each side."""
    jet = problem.jet
    whole = jet.expr - jet.source
    if any(f.free_symbols & set(jet.coordinates) for f in whole.atoms(Field)):
        return False
    ranges = ranges_of(problem.spec)
    for c in (c for c in jet.coordinates if c in whole.free_symbols):
        low, high = ranges[c]
        slope = whole
        for _ in range(max(jet.order, 1)):
            if not vanishes(expand(slope.xreplace({c: high}) - slope.xreplace({c: low}))):
                return False
            slope = slope.diff(c)
    return True


def _mass_of_source(problem: Problem) -> Verdict:
    """∫ f over the domain, for what does not depend on u."""
    guilty = problem.where(Source)
    ranges = ranges_of(problem.spec, problem.equation)
    total: Expr | None = problem.jet.source
    for c in problem.jet.coordinates:
        total = None if total is None or total.has(Field) else integral(total, c, *ranges[c])
    if total is None:
        return Unknown(f"the integral of {named(guilty)} is not known.", guilty=spans(guilty))
    match is_zero(total, ranges):
        case True:
            return Proved(f"the rest is a divergence, and the integral of {named(guilty)} is 0.")
        case False:
            witness = f"it adds {total} in a unit of time"
            return Refuted(f"{named(guilty)} makes mass.", witness, spans(guilty))
        case None:
            return Unknown(f"the integral of {named(guilty)} is not known.", guilty=spans(guilty))


def integral(expr: Expr, x: Symbol, low: Expr, high: Expr) -> Expr | None:
    """∫ expr dx for sums of powers, and of sin, cos and exp of a multiple of x; None for all else."""
    parts = []
    for term in Add.make_args(expand(expr)):
        outside, inside = term.as_independent(x, as_Add=False)
        whole = _antiderivative(inside, x)
        if whole is None:
            return None
        parts.append(outside * (whole.xreplace({x: high}) - whole.xreplace({x: low})))
    return expand(Add(*parts))


def _antiderivative(expr: Expr, x: Symbol) -> Expr | None:
    match expr:
        case S.One:
            return x
        case Symbol():
            return x**2 / 2
        case Pow(base=base, exp=n) if base == x and n.is_Integer and n.is_nonnegative:
            return x ** (n + 1) / (n + 1)
        case sin() | cos() | exp():
            slope = expr.args[0].diff(x)
            if slope.has(x):
                return None
            primitive = {sin: lambda a: -cos(a), cos: sin, exp: exp}[type(expr)]
            return primitive(expr.args[0]) / slope
    return None
