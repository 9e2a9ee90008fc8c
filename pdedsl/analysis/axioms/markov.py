"""Markov and locality: what the future of a solution depends on, in time and in space.

Reading an unknown at another time is memory. Dependence through unknowns of stationary equations is followed, too: see
`sight`.
"""

from __future__ import annotations

from pdedsl.analysis.axioms.comparison import IMPLICIT, SOLVED, is_mixed
from pdedsl.analysis.boundary import quoted, remembering
from pdedsl.analysis.constraint_elimination import is_constrained
from pdedsl.analysis.dependence import NonlocalDependence, distance, memory
from pdedsl.analysis.problem import Problem, named, spans
from pdedsl.ir.terms import Nonlocal, Origin, TimeDerivative
from pdedsl.ir.verdicts import Proved, Refuted, Unknown, Verdict
from pdedsl.symbolic.symbols import Field, atoms


def markov(problem: Problem) -> Verdict:
    """T_{t+s} = T_{t+s,t} ∘ T_t."""
    seen = memory(problem.equation, problem.spec)
    if _is_sure(seen):
        guilty, names = _readers(problem, seen)
        witness = "two solutions that are equal now and differed before part afterwards"
        what = f"{names}, a name for what was" if names else "the unknown at another time"
        return Refuted(f"{named(guilty)} reads {what}.", witness, spans(guilty))
    if seen:
        return Unknown("it could not be decided whether the equation reads the unknown at another time.")
    order = problem.equation.order
    if problem.is_implicit:
        return Unknown(IMPLICIT)
    kept = remembering(problem.spec)
    if kept and order == 1:
        return Unknown(f"{quoted(kept, problem.spec)} reads an unknown at another time.", tuple(c.span for c in kept))
    if order == 1:
        held = ("first order in time", "no unknown is read at another time")
        return Proved("first order in time: the solution now is all that the future needs.", held)
    return Refuted(
        f"order {order} in time: the future needs ∂u/∂t too, so u alone has no flow.",
        "two solutions with equal u and different ∂u/∂t at a time part afterwards",
        spans(problem.where(TimeDerivative)),
    )


def locality(problem: Problem) -> Verdict:
    """Data that agree near a point have the same ∂u/∂t there."""
    seen = distance(problem.equation, problem.spec)
    if _is_sure(seen):
        guilty, names = _readers(problem, seen)
        if not names:
            witness = "two functions that agree near x and differ at the other point"
            return Refuted(f"{named(guilty)} looks at other points.", witness, spans(guilty))
        witness = f"two functions that agree near x and differ elsewhere have different {names} at x"
        what = f"{names}, which the others give over all of space"
        return Refuted(f"{named(guilty)} reads {what}.", witness, spans(guilty))
    if seen:
        return Unknown("it could not be decided whether the equation reads the unknowns at other points.")
    if memory(problem.equation, problem.spec):
        return Unknown("what a term at another time sees is not said.")
    if is_mixed(problem):
        return Unknown(SOLVED)
    if is_constrained(problem.spec):
        return Unknown("a constraint on unknowns that evolve, as ∇·u = 0, is enforced over all of space.")
    held = ("every unknown is read at its own point", "no unknown is given over all of space")
    return Proved("every term is a differential operator: it sees u and its derivatives at one point.", held)


def _is_sure(seen: list[NonlocalDependence]) -> bool:
    """Whether the dependence is certain; what is read both directly and through another unknown, or through several,
    may cancel."""
    return len({s.by for s in seen}) == len({s.via for s in seen}) == 1 and any(s.sure for s in seen)


def _readers(problem: Problem, seen: list[NonlocalDependence]) -> tuple[list[Origin], str]:
    """The summands that read other points or times, and the names of the unknowns through which they do so."""
    sure = [s for s in seen if s.sure]
    if any(s.by is None for s in sure):
        return [p.origin for p in problem.parts if any(isinstance(t, Nonlocal) for t in p.terms)], ""
    heads = {s.by for s in sure}
    guilty = [p.origin for p in problem.parts if any(f.head in heads for s in p.states for f in atoms(s.expr, Field))]
    return guilty, ", ".join(sorted({h.name for h in heads if h is not None}))
