"""Equations with point sources δ(x - a): the equation without them, and the verdicts on that with them.

A known source does not change the class or the well-posedness of an equation, nor differences of solutions of a linear
equation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pdedsl.analysis.axioms.linearity import NONZERO_AT_ZERO
from pdedsl.analysis.problem import quote_terms
from pdedsl.analysis.sample_points import find_nonzero_point, ranges_of
from pdedsl.ir.spec import Equation, Spec, Summand
from pdedsl.ir.terms import Origin
from pdedsl.ir.verdicts import Axiom, Proved, Refuted, Undecided, Verdict
from pdedsl.symbolic.point_sources import split_point_sources, without_point_sources
from pdedsl.symbolic.symbols import Field, PointSource

NOT_COVERED = Undecided("equations with point sources are not covered by the implemented theorems for this property.")
UNCHANGED = (Axiom.MARKOV, Axiom.LOCALITY)  # a known source contains no unknown


def without_sources(spec: Spec) -> Spec:
    """The spec with equations without point sources; the same spec if it has none."""
    if not any(e.has(PointSource) for equation in spec.equations for e in equation.rhs):
        return spec
    return replace(spec, equations=tuple(map(_without, spec.equations)))


def _without(equation: Equation) -> Equation:
    def regular(summand: Summand) -> Summand:
        return replace(summand, exprs=tuple(map(without_point_sources, summand.exprs)))

    right = tuple(map(without_point_sources, equation.rhs))
    return replace(equation, rhs=right, summands=tuple(map(regular, equation.summands)))


# ---- Verdicts


def with_sources(
    verdicts: Mapping[Axiom, Verdict], equation: Equation, spec: Spec, is_affine: bool
) -> dict[Axiom, Verdict]:
    """The verdicts on an equation with its point sources, from those without them."""
    concentrated = [c for e in equation.rhs for c in split_point_sources(e)[1]]
    if not concentrated:
        return dict(verdicts)
    ranges = ranges_of(spec, equation)
    strengths = [c.strength.xreplace(spec.values) for c in concentrated]
    known = [s for s in strengths if not s.has(Field)]
    is_certain = any(find_nonzero_point(s, ranges) is not None for s in known)
    summands = [s for s in equation.summands if any(e.has(PointSource) for e in s.exprs)]
    origins = [Origin("-" * s.negated + spec.source.quote(s.span), s.span) for s in summands]
    spans = tuple(o.span for o in origins)
    source = f"{quote_terms(origins)} is a point source"

    def of(axiom: Axiom, verdict: Verdict) -> Verdict:
        if axiom in UNCHANGED or (axiom is Axiom.COMPARISON and is_affine):
            return verdict
        if axiom in (Axiom.LINEARITY, Axiom.CONSTANTS) and not isinstance(verdict, Proved):
            return verdict  # no function cancels a point source
        if not (isinstance(verdict, Proved) and is_certain and is_affine):
            return NOT_COVERED
        match axiom:
            case Axiom.LINEARITY:
                return Refuted(f"{source}: the solution operator is affine, not linear.", NONZERO_AT_ZERO, spans)
            case Axiom.CONSTANTS:
                return Refuted(f"{source}: constants are not stationary.", "u = 1 is not stationary", spans)
            case Axiom.CONSERVATION if equation.order:
                return Refuted(f"{source}, whose strength is the rate of change of the mass.", "u = 0 at t = 0", spans)
            case Axiom.MAXIMUM_PRINCIPLE if isinstance(verdicts.get(Axiom.LINEARITY), Proved):
                return Refuted(f"{source}: the solution with zero data is not zero.", "zero data", spans)
            case _:
                return NOT_COVERED

    return {axiom: of(axiom, verdict) for axiom, verdict in verdicts.items()}
