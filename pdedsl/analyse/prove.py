"""Axioms of evolution equations on functions: what holds for every weight, what fails, and why.

The axioms are those of Wang et al., "An axiomatized PDE model of deep neural networks", section 2. They are asked of
the whole problem: T maps the first datum to the solution, and boundary conditions and further data stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr

from pdedsl.analyse.comparison import SOLVED, comparison, is_mixed
from pdedsl.analyse.conditions import admits, further
from pdedsl.analyse.physical import conservation, maximum_principle
from pdedsl.analyse.problem import Problem, named, spans
from pdedsl.analyse.regularity import spatial_regularity, temporal_regularity
from pdedsl.analyse.samples import exact_at, nonzero_point, ranges_of
from pdedsl.analyse.signs import vanishes
from pdedsl.analyse.states import multiples
from pdedsl.ir.spec import Condition, Spec
from pdedsl.ir.terms import Nonlocal, Origin, TimeDerivative
from pdedsl.ir.verdicts import Axiom, Proved, Refuted, Unknown, Verdict
from pdedsl.symbolic.measure import measure
from pdedsl.symbolic.symbols import Field, TooLarge

NOT_ZERO = "T(0) is not 0, so T(2f) is not 2T(f)"


MOST = 400  # parts of a nonlinear equation that is decided


def function_axioms(problem: Problem) -> dict[Axiom, Verdict]:
    """All verdicts for one equation; what sympy cannot work out, or would take long over, is unknown."""
    if not problem.jet.is_affine and measure(problem.jet.expr)[0] > MOST:
        return dict.fromkeys(_names(problem), Unknown("the equation is too large to be decided."))
    return _verdicts(problem)


def settled(prove: Callable[..., Verdict], problem: Problem, *known: Verdict) -> Verdict:
    """A verdict, or unknown where sympy gives up on an expression; the other axioms are decided all the same."""
    try:
        return prove(problem, *known)
    except (ValueError, TypeError, NotImplementedError, ArithmeticError, TooLarge):
        return Unknown("it could not be worked out.")


def _names(problem: Problem) -> tuple[Axiom, ...]:
    """The axioms that have a meaning for an equation."""
    evolution = (Axiom.CONSTANTS, Axiom.MARKOV, Axiom.LOCALITY, Axiom.SPATIAL_REGULARITY, Axiom.TEMPORAL_REGULARITY)
    physical = (Axiom.MAXIMUM_PRINCIPLE, Axiom.CONSERVATION) if problem.spec.space.kind == "physical" else ()
    return (Axiom.LINEARITY, Axiom.COMPARISON, *(evolution if problem.equation.order else ()), *physical)


def _verdicts(problem: Problem) -> dict[Axiom, Verdict]:
    ordered, constant = settled(comparison, problem), settled(constants, problem)
    found = {Axiom.LINEARITY: settled(linearity, problem), Axiom.COMPARISON: ordered}
    if problem.equation.order:
        found |= {
            Axiom.CONSTANTS: constant,
            Axiom.MARKOV: settled(markov, problem),
            Axiom.LOCALITY: settled(locality, problem),
            Axiom.SPATIAL_REGULARITY: settled(spatial_regularity, problem, ordered),
            Axiom.TEMPORAL_REGULARITY: settled(temporal_regularity, problem, ordered, constant),
        }
    if problem.spec.space.kind == "physical":
        found[Axiom.MAXIMUM_PRINCIPLE] = settled(maximum_principle, problem, ordered, constant)
        found[Axiom.CONSERVATION] = settled(conservation, problem)
    return found


# ---- linearity


def linearity(problem: Problem) -> Verdict:
    """T(af + bg) = a T(f) + b T(g): F is linear, and so are the conditions."""
    if not all(s.is_affine for s in problem.states):
        return _nonlinear(problem)
    if any(s.bending != 0 for s in problem.states):
        guilty = [p.origin for p in problem.pushing_parts if any(s.bending != 0 for s in p.states)]
        return Unknown(f"{named(guilty)} seems to be linear in u, by numbers alone.", guilty=spans(guilty))
    if any(s.source != 0 for s in problem.states):
        return _with_source(problem)
    if problem.equation.order:
        return _linear_up_to_conditions(problem.spec)
    return Proved("every term is linear in u and its derivatives, and there is no source.")


def _nonlinear(problem: Problem) -> Verdict:
    guilty = _bent(problem)
    if any(_has_learned(s.bending, problem.spec, of_unknowns=True) for s in problem.states):
        return Unknown(f"{named(guilty)} depends on u through a learned function.", guilty=spans(guilty))
    witness = "with data 2f instead of f the two sides scale differently"
    return Refuted(f"{named(guilty)} is not linear in u.", witness, spans(guilty))


def _bent(problem: Problem) -> list[Origin]:
    """The summands that are not linear and homogeneous in the unknowns."""
    return [p.origin for p in problem.pushing_parts if not all(s.is_linear for s in p.states)]


def _with_source(problem: Problem) -> Verdict:
    guilty = _bent(problem)
    if any(_has_learned(s.source, problem.spec) for s in problem.states):
        why = f"{named(guilty)} does not depend on u, and its weights decide whether it is zero"
        return Unknown(f"{why}.", guilty=spans(guilty))
    why = f"{named(guilty)} does not depend on u: the solution is affine, not linear"
    return Refuted(f"{why}.", NOT_ZERO, spans(guilty))


def _linear_up_to_conditions(spec: Spec) -> Verdict:
    broken, open_ = _not_admitting(spec, (0,))
    if broken:
        why = f"{_quoted(broken, spec)} is not zero: the solution is affine, not linear"
        return Refuted(f"{why}.", NOT_ZERO, tuple(c.span for c in broken))
    if open_:
        why = f"whether {_quoted(open_, spec)} holds for u = 0 is not known"
        return Unknown(f"{why}.", guilty=tuple(c.span for c in open_))
    return Proved("every term is linear in u and its derivatives, and there is no source.")


def _not_admitting(spec: Spec, values: tuple[int, ...]) -> tuple[list[Condition], list[Condition]]:
    """The conditions that these constants surely break, and those of which it is not known."""
    truths = [(c, admits(c, spec, values)) for c in further(spec)]
    return [c for c, truth in truths if truth is False], [c for c, truth in truths if truth is None]


def _quoted(conditions: list[Condition], spec: Spec) -> str:
    return ", ".join(f"'{spec.source.at(c.span)}'" for c in conditions)


def _has_learned(expr: Expr, spec: Spec, of_unknowns: bool = False) -> bool:
    """Whether a learned field stands in an expression, or one of the unknowns."""
    heads = {w.head for w in spec.learned}
    unknowns = {u.head for u in spec.unknowns}
    fields = [f for f in expr.atoms(Field) if f.head in heads]
    if not of_unknowns:
        return bool(fields)
    return any(g.head in unknowns for f in fields for a in f.arguments for g in a.atoms(Field))


# ---- constants


def constants(problem: Problem) -> Verdict:
    """T(C) = C: F vanishes where u is a constant, and the conditions hold for every constant."""
    if problem.jet.singular:
        return Unknown("the equation has no value where the gradient vanishes.")
    moving = [e for e in (s.at_constants for s in problem.states) if not vanishes(e)]
    if moving:
        return _moving(problem, moving)
    broken, open_ = _not_admitting(problem.spec, (1, 2))
    if broken:
        why = f"{_quoted(broken, problem.spec)} does not hold for every constant"
        witness = "u = 1 and u = 2 cannot both stay as they are"
        return Refuted(f"{why}.", witness, tuple(c.span for c in broken))
    if open_:
        why = f"whether {_quoted(open_, problem.spec)} holds for every constant is not known"
        return Unknown(f"{why}.", guilty=tuple(c.span for c in open_))
    return Proved("every term contains a derivative of u, so a constant stays as it is.")


def _moving(problem: Problem, rates: list[Expr]) -> Verdict:
    spec, guilty = problem.spec, _movers(problem)
    why = f"{named(guilty)} does not vanish for a constant u"
    if any(_has_learned(r, spec) for r in rates):
        return Unknown(f"{why} for every weight.", guilty=spans(guilty))
    for rate in rates:
        witness = _moved_constant(rate, problem)
        if witness:
            return Refuted(f"{why}.", witness, spans(guilty))
    return Unknown(f"whether {named(guilty)} vanishes for a constant u is not known.", guilty=spans(guilty))


def _movers(problem: Problem) -> list[Origin]:
    """The terms that do not vanish for constants by themselves."""
    moving = [p.origin for p in problem.pushing_parts if any(s.at_constants != 0 for s in p.states)]
    return moving or problem.pushing


def _moved_constant(rate: Expr, problem: Problem) -> str:
    """Constants and a point at which they do not stay."""
    ranges = ranges_of(problem.spec, problem.equation)
    for constant in (1, 2, -1):
        chosen = multiples(rate, constant)
        there = rate.xreplace(chosen)
        point = nonzero_point(there, ranges)
        if point is not None:
            shown = [f"{s.name} = {v}" for s, v in chosen.items()]
            where = [f"{s.name} = {float(v):.3g}" for s, v in point.items()]
            at = f" at {', '.join(where)}" if where else ""
            return f"{', '.join(shown) or 'u = 0'} changes at rate {exact_at(there, point):.3g}{at}"
    return ""


# ---- markov and locality


def markov(problem: Problem) -> Verdict:
    order = problem.equation.order
    if order == 1:
        return Proved("first order in time: the solution now is all that the future needs.")
    return Refuted(
        f"order {order} in time: the future needs ∂u/∂t too, so u alone has no flow.",
        "two solutions with equal u and different ∂u/∂t at a time part afterwards",
        spans(problem.where(TimeDerivative)),
    )


def locality(problem: Problem) -> Verdict:
    """Data that agree near a point have the same ∂u/∂t there."""
    if problem.jet.nonlocal_:
        guilty = problem.where(Nonlocal)
        witness = "two functions that agree near x and differ at the other point"
        return Refuted(f"{named(guilty)} looks at other points.", witness, spans(guilty))
    if is_mixed(problem):
        return Unknown(SOLVED)
    return Proved("every term is a differential operator: it sees u and its derivatives at one point.")
