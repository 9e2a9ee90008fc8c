"""Spec → System: what moves, and in which order."""

from __future__ import annotations

from pdedsl.analyse.maps.stepping import stepping_of
from pdedsl.analyse.maps.system import Half, System
from pdedsl.analyse.maps.terms import map_terms
from pdedsl.ir.canonical import unknowns_in_order
from pdedsl.ir.motions import First, Motion, Pair, Second
from pdedsl.ir.spec import Spec
from pdedsl.ir.systems import is_separable_pair


def system_of(spec: Spec) -> System | None:
    """The equations as one system; None if they are neither a single equation nor a separable pair."""
    motion = _motion(spec)
    return None if motion is None else System(spec, motion, stepping_of(spec))


def _motion(spec: Spec) -> Motion[Half] | None:
    halves = [Half(e.unknown, e, map_terms(e, spec)) for e in spec.equations if e.unknown and len(e.right) == 1]
    if is_separable_pair(spec):
        order = unknowns_in_order(spec)
        return Pair(*sorted(halves, key=lambda half: order.index(half.head)))
    if len(spec.equations) != 1 or len(halves) != 1 or len(spec.unknowns) != 1:
        return None
    match halves[0].equation.order:
        case 1:
            return First(halves[0])
        case 2:
            return Second(halves[0])
        case _:
            return None
