"""Axioms of equations on feature maps, as discretised: Φ maps the state at the start to the state at the end.

stability            ‖Φ(Y) - Φ(Y')‖ ≤ ‖Y - Y'‖ for every weight and all Y and Y'
energy_decay         ‖Φ(Y)‖ ≤ ‖Y‖ for every weight and all Y
energy_conservation  ‖Φ(Y)‖ = ‖Y‖ for first order in time; otherwise the energy of the equation is conserved
reversibility        the last states determine the first ones

The norm of a pair is that of both halves together; for second order in time it is that of Y, which starts at rest. What
is proved holds for every width and every image; a refutation comes from a run with the method and steps of the spec
and with weights that its types and boxes allow. After Ruthotto and Haber, "Deep neural networks motivated by partial
differential equations", in the form that holds.
"""

from __future__ import annotations

from collections.abc import Callable

from pdedsl.analyse.maps.contraction import nonexpansive
from pdedsl.analyse.maps.dissipation import dissipative, gain
from pdedsl.analyse.maps.search import one_changed, one_grown, two_apart
from pdedsl.analyse.maps.system import System
from pdedsl.analyse.maps.words import growing, named, parting, spans
from pdedsl.ir.motions import First, Pair, Second
from pdedsl.ir.terms import LearnedField, MapTerm, Nonlinear, Reaction, SymmetricLayer
from pdedsl.ir.verdicts import Axiom, Proved, Refuted, Unknown, Verdict
from pdedsl.numerics.integrators import Leapfrog, Verlet
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.symbols import Field, Partial


def map_axioms(system: System) -> dict[Axiom, Verdict]:
    return {
        Axiom.STABILITY: _stability(system),
        Axiom.ENERGY_DECAY: _energy_decay(system),
        Axiom.ENERGY_CONSERVATION: _energy_conservation(system),
        Axiom.REVERSIBILITY: _reversibility(system),
    }


def without_network(terms: tuple[MapTerm, ...]) -> dict[Axiom, Verdict]:
    """Verdicts for equations that are neither a single equation nor a separable pair."""
    why = "these equations are neither one equation nor a separable pair: they have no network."
    names = (Axiom.STABILITY, Axiom.ENERGY_DECAY, Axiom.ENERGY_CONSERVATION, Axiom.REVERSIBILITY)
    return {name: Unknown(why, spans(terms)) for name in names}


def _stability(system: System) -> Verdict:
    found = nonexpansive(system)
    example = two_apart(system) if isinstance(found, Unknown) else None
    if example is None:
        return found
    at, term = spans(system.all_terms), named(system.all_terms)
    return Refuted(f"{_why(system, _cause)}, so {term} can push states apart.", parting(example, system), at, example)


def _energy_decay(system: System) -> Verdict:
    found = dissipative(system)
    example = one_grown(system) if isinstance(found, Unknown) else None
    if example is None:
        return found
    return Refuted(
        f"{_why(system, gain)}, so ‖Y‖ can grow.", growing(example, system), spans(system.all_terms), example
    )


def _energy_conservation(system: System) -> Verdict:
    terms, at = system.all_terms, spans(system.all_terms)
    if not terms:
        return Proved("nothing moves.", ("the right-hand side is zero",))
    if isinstance(system.motion, First):
        example = one_changed(system)
        if example is None:
            return Unknown(f"{named(terms)} has no known energy.", at)
        change = "gains" if example.growth > 1 else "loses"
        return Refuted(f"a state {change} energy by {named(terms)}.", growing(example, system), at, example)
    if not system.is_static:
        return Unknown("the weights depend on time, and so does the energy.", at)
    if any(isinstance(term, LearnedField | Nonlinear) for term in terms):
        return Unknown(f"{named(terms)} has no known energy.", at)
    kept = isinstance(system.stepping.method, Verlet | Leapfrog)
    keeps = "keeps it up to a bounded error" if kept else "need not"
    return Unknown(f"the flow keeps the energy; {system.stepping.name} {keeps}.", at)


def _reversibility(system: System) -> Verdict:
    match system.motion, system.stepping.method:
        case Pair(), Verlet():
            why = "each half-step of Verlet adds a function of the other half, which can be subtracted again"
            return Proved(f"{why}.", ("each half is pushed by the other alone",))
        case Second(), Leapfrog() if _reads_the_state_alone(system):
            why = "leapfrog is symmetric: the last two states give the one before them"
            return Proved(f"{why}.", ("the right-hand side reads Y and neither its speed nor another time",))
        case _:
            name = system.stepping.name
            return Unknown(f"a step of {name} has an inverse only where it is small.", spans(system.all_terms))


def _reads_the_state_alone(system: System) -> bool:
    right = system.equations[0].right[0]
    own = {Field(u.head, (), u.arguments) for u in system.spec.unknowns}
    heads = {u.head for u in system.spec.unknowns}
    return not right.has(Partial) and {f for f in atoms(right, Field) if f.head in heads} <= own


def _why(system: System, cause: Callable[[MapTerm], str]) -> str:
    """Why an example exists: the kind of motion, the first cause found among the terms, or the length of the step."""
    if isinstance(system.motion, Second):
        return "states swing in an equation of second order in time"
    if isinstance(system.motion, Pair):
        return "each half pushes the other"
    return next(filter(None, map(cause, system.all_terms)), f"a step of {system.stepping.name} may be too long")


def _cause(term: MapTerm) -> str:
    match term:
        case Reaction(rate=rate) if rate > 0:
            return "the reaction grows"
        case SymmetricLayer(norm=norm, activation=sigma) if norm is not None:
            return f"{sigma.name} after {norm.name} is not monotone for every weight"
        case SymmetricLayer(factor=factor) if factor > 0:
            return "a layer of this sign runs uphill"
        case SymmetricLayer(activation=sigma) if not sigma.monotone:
            return f"{sigma.name} is not monotone"
        case Nonlinear():
            return "nothing in its form holds it back"
        case _:
            return ""
