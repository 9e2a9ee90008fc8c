"""What kind of system the equations are, and the method in time that follows where the spec leaves it open."""

from __future__ import annotations

from dataclasses import replace

from pdedsl.ir.spec import SpaceKind, Spec
from pdedsl.ir.types import Vector
from pdedsl.numerics.integrators import EULER
from pdedsl.symbolic.symbols import Field
from pdedsl.words.integrators import Fixed, Integrator, Leapfrog, Verlet, in_steps
from pdedsl.words.networks import Mlp, residual_maps
from pdedsl.words.word import Chosen

DEFAULT_STEPS = 3  # of an equation on pixels, when the spec names none
STEPS_ALONG_A_FIELD = 10  # the same on R^d


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
    """How the equation is stepped in time, with all that the spec leaves open."""
    method = spec.realize.time or spec.realize.convection or Chosen(_default(spec))
    steps = DEFAULT_STEPS if spec.space.kind is SpaceKind.PIXELS else STEPS_ALONG_A_FIELD
    return replace(method, word=in_steps(method.word, steps))


def _default(spec: Spec) -> Integrator:
    if spec.space.kind is SpaceKind.PIXELS and is_separable_pair(spec):
        return Verlet()
    if spec.space.kind is SpaceKind.PIXELS and any(e.order == 2 for e in spec.equations):
        return Leapfrog()
    return Fixed(method=EULER)


def effective_integrator(spec: Spec) -> Integrator:
    """The same for every way of saying it: the residual maps of a network are its steps, whether they are counted or
    not."""
    method = integrator_of(spec).word
    nets = [w.net.word for w in spec.learned if w.net and isinstance(w.type, Vector)]
    counted = any(method == Fixed(method=EULER, steps=residual_maps(net)) for net in nets if not isinstance(net, Mlp))
    return Fixed(method=EULER, steps=STEPS_ALONG_A_FIELD) if counted else method
