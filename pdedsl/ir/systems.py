"""What kind of system the equations are, and the method in time that follows where the spec names none."""

from __future__ import annotations

from dataclasses import replace

from pdedsl.ir.spec import Spec
from pdedsl.numerics.integrators import EULER
from pdedsl.symbolic.symbols import Field
from pdedsl.words.integrators import Fixed, Integrator, Leapfrog, Verlet, in_steps
from pdedsl.words.word import Chosen

DEFAULT_STEPS = 3  # of an equation on pixels, when the spec names none


def is_separable_pair(spec: Spec) -> bool:
    """Y' = f(Z, t), Z' = g(Y, t): each half is pushed by the other alone."""
    equations = [e for e in spec.equations if e.interval is None]
    if len(spec.unknowns) != 2 or len(equations) != 2 or any(e.order != 1 or len(e.right) != 1 for e in equations):
        return False
    for e in equations:
        heads = {u.head for u in spec.unknowns}
        found = {f.head for f in e.right[0].atoms(Field)} & heads
        if e.unknown is None or found != heads - {e.unknown}:
            return False
    return len({e.unknown for e in equations}) == 2


def integrator_of(spec: Spec) -> Chosen[Integrator]:
    """How an equation on pixels is stepped in time, with all that the spec leaves open."""
    method = spec.realize.time or Chosen(_default(spec))
    return replace(method, word=in_steps(method.word, DEFAULT_STEPS))


def _default(spec: Spec) -> Integrator:
    if is_separable_pair(spec):
        return Verlet()
    return Leapfrog() if any(e.order == 2 for e in spec.equations) else Fixed(method=EULER)
