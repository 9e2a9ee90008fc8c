"""Domain truncation: an evolution equation on R^d as a problem on the periodic box [-extent, extent]^d.

For a reference solution on a grid; the solution must be negligible at the boundary of the box at all times.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Rational, oo

from pdedsl.ir.analysis import Analysis
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.spec import Interval, SpaceKind
from pdedsl.lowering import strong_form

DEFAULT_EXTENT = 4  # half-width in units of the data, which are of order 1


def truncate_domain(analysis: Analysis, extent: float) -> StrongForm:
    """The equation on the periodic box [-extent, extent]^d."""
    space, end = analysis.spec.space, Rational(str(float(extent)))
    intervals = (Interval(-end, end, periodic=True),) * int(space.dimension)
    box = replace(space, kind=SpaceKind.PHYSICAL, intervals=intervals)
    return strong_form.lower(replace(analysis, spec=replace(analysis.spec, space=box)))


def problem_on_space(analysis: Analysis) -> StrongForm:
    """The equation on R^d, with its initial or terminal condition."""
    space = analysis.spec.space
    box = replace(space, kind=SpaceKind.PHYSICAL, intervals=(Interval(-oo, oo),) * int(space.dimension))
    return strong_form.lower(replace(analysis, spec=replace(analysis.spec, space=box)))


def reference_problem(analysis: Analysis) -> StrongForm | None:
    """The problem for the reference in an `evaluate` block, if the equation is on R^d."""
    spec = analysis.spec
    reference = None if spec.evaluate is None else spec.evaluate.reference
    if reference is None or spec.learned or spec.space.kind is not SpaceKind.DATA or spec.space.image is not None:
        return None
    if not isinstance(spec.space.dimension, int):
        return None
    return truncate_domain(analysis, float(reference.config.extent or DEFAULT_EXTENT))
