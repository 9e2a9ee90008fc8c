"""Spec → System: what moves, and in which order."""

from __future__ import annotations

from pdedsl.analyse.maps.stepping import stepping_of
from pdedsl.analyse.maps.system import Motion, System
from pdedsl.analyse.maps.terms import map_terms
from pdedsl.ir.spec import Spec
from pdedsl.ir.systems import is_separable_pair


def system_of(spec: Spec) -> System | None:
    """The equations as one system; None for those that are neither one equation nor a separable pair."""
    motion = _motion(spec)
    if motion is None:
        return None
    equations = tuple(sorted(spec.equations, key=lambda e: str(e.unknown)))
    halves = tuple(e.unknown for e in equations if e.unknown is not None)
    terms = tuple(map_terms(e, spec) for e in equations)
    return System(spec, motion, halves, equations, terms, stepping_of(spec))


def _motion(spec: Spec) -> Motion | None:
    if is_separable_pair(spec):
        return Motion.PAIR
    if len(spec.equations) != 1 or len(spec.equations[0].right) != 1 or len(spec.unknowns) != 1:
        return None
    return {1: Motion.FIRST, 2: Motion.SECOND}.get(spec.equations[0].order)
