"""Markov and locality: what the future of a solution needs to know, and from where.

An unknown that is read at another time is a memory; one that is given by an equation at rest with derivatives in
space, as Δw = w - u, is a mean of the others over all of space, w = (1 - Δ)⁻¹u.
"""

from __future__ import annotations

from pdedsl.analyse.frames import frame_of, unknown_of
from pdedsl.analyse.problem import Problem, named, spans
from pdedsl.analyse.provers.comparison import IMPLICIT, SOLVED, is_mixed
from pdedsl.analyse.terms import order_of
from pdedsl.ir.spec import Unknown as Field_
from pdedsl.ir.terms import Nonlocal, Origin, TimeDerivative
from pdedsl.ir.verdicts import Proved, Refuted, Unknown, Verdict
from pdedsl.symbolic.symbols import Field


def markov(problem: Problem) -> Verdict:
    """T_{t+s} = T_{t+s,t} ∘ T_t."""
    memory = [p.origin for p in problem.parts if any(isinstance(t, Nonlocal) and t.in_time for t in p.terms)]
    if memory:
        witness = "two solutions that are equal now and differed before part afterwards"
        return Refuted(f"{named(memory)} reads the unknown at another time.", witness, spans(memory))
    order = problem.equation.order
    if problem.is_implicit:
        return Unknown(IMPLICIT)
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
    far = [p.origin for p in problem.parts if any(isinstance(t, Nonlocal) and not t.in_time for t in p.terms)]
    if far:
        witness = "two functions that agree near x and differ at the other point"
        return Refuted(f"{named(far)} looks at other points.", witness, spans(far))
    given = _given_at_rest(problem)
    if given:
        names, guilty = given
        witness = f"two functions that agree near x and differ elsewhere have different {names} at x"
        return Refuted(
            f"{named(guilty)} reads {names}, which the others give over all of space.", witness, spans(guilty)
        )
    if problem.jet.nonlocal_:
        return Unknown("what a term at another time sees is not said.")
    if is_mixed(problem):
        return Unknown(SOLVED)
    held = ("every unknown is read at its own point", "no unknown is given by an equation at rest")
    return Proved("every term is a differential operator: it sees u and its derivatives at one point.", held)


def _given_at_rest(problem: Problem) -> tuple[str, list[Origin]] | None:
    """Unknowns that stand in this equation and are given by an equation without time, with derivatives in space."""
    spec = problem.spec
    rest: list[Field_] = []
    for equation in (e for e in spec.equations if e.order == 0):
        frame = frame_of(equation, spec)
        if max(order_of(e, frame) for e in equation.right) > 0:
            rest.append(unknown_of(equation, spec))
    heads = {u.head for u in rest}
    read = [f.head for e in problem.equation.right for f in e.atoms(Field) if f.head in heads]
    if not read:
        return None
    guilty = [p.origin for p in problem.parts if any(f.head in heads for s in p.states for f in s.expr.atoms(Field))]
    return ", ".join(sorted({h.name for h in read})), guilty
