"""Terms of equations on feature maps → layers: a learned field is one layer; terms without a layer are errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from sympy import Add, Symbol

from pdedsl import mistakes
from pdedsl.ir.boxes import box_of, place_of_box
from pdedsl.ir.layers import Constraint, Free, Layer, Network, NormBound, RightHandSide, Symmetric, WeightBox
from pdedsl.ir.motions import First, Motion, Pair, Second
from pdedsl.ir.representation import Push, States
from pdedsl.ir.spec import Learned, Spec
from pdedsl.ir.terms import LearnedField, MapTerm, Nonlinear, Reaction, SymmetricLayer
from pdedsl.ir.types import Operator
from pdedsl.words.integrators import Adaptive, Integrator, Reversible
from pdedsl.words.networks import Conv, Convnet
from pdedsl.words.normalisations import BatchNorm


def layers_of(states: States, spec: Spec) -> Motion[RightHandSide]:
    method = states.method.word
    _require_once(states.motion)
    match states.motion:
        case First(push=push):
            return First(_right(push, method, spec))
        case Second(push=push):
            return Second(_right(push, method, spec))
        case Pair(first=first, second=second):
            return Pair(_right(first, method, spec), _right(second, method, spec))
        case _:
            assert_never(states.motion)


def _require_once(motion: Motion[Push]) -> None:
    """Requires that every learned field occurs in one layer only, as each layer has its own weights."""
    seen: set[Symbol] = set()
    terms = (term for push in motion.parts for term in push.terms)
    for term in sorted(terms, key=lambda term: term.origin.span.start):
        for head in _learned_in(term):
            if head in seen:
                raise mistakes.pixels.two_layers(str(head), term.origin.span)
            seen.add(head)


def _learned_in(term: MapTerm) -> Iterator[Symbol]:
    match term:
        case SymmetricLayer(operator=head) | LearnedField(field=head):
            yield head
        case Reaction() | Nonlinear():
            return
        case _:
            assert_never(term)


def _right(push: Push, method: Integrator, spec: Spec) -> RightHandSide:
    layers = tuple(layer for term in push.terms for layer in _layers(term, push, method, spec))
    return RightHandSide(layers, Add(*(t.rate for t in push.terms if isinstance(t, Reaction))), push.span)


def _layers(term: MapTerm, push: Push, method: Integrator, spec: Spec) -> Iterator[Layer]:
    match term:
        case SymmetricLayer(adjoint=False):
            yield _symmetric(term, push, method, spec)
        case LearnedField():
            yield _network(term, method, spec)
        case SymmetricLayer() | Nonlinear():
            raise mistakes.pixels.no_layer(term.origin.span)
        case Reaction():
            return
        case _:
            assert_never(term)


def _symmetric(term: SymmetricLayer, push: Push, method: Integrator, spec: Spec) -> Symmetric:
    """A symmetric layer. Verlet and leapfrog exclude batch norm, as they are run backwards to recover states; adaptive
    methods exclude weights that depend on time, as they have no fixed steps."""
    learned = next(w for w in spec.learned if w.head == term.operator)
    if isinstance(term.norm, BatchNorm) and isinstance(method, Reversible):
        raise mistakes.pixels.batch_norm_backwards(method.name, push.span)
    if learned.arguments and isinstance(method, Adaptive):
        raise mistakes.pixels.weights_of_steps(learned.name, str(learned.arguments[-1]), method.name, learned.span)
    size, constraint = _size(learned), _constraint(learned, spec)
    return Symmetric(term.operator, term.factor, size, constraint, term.activation, term.norm, _in_time(learned, spec))


def _size(learned: Learned) -> int:
    net = learned.net.word if learned.net else None
    if not isinstance(net, Conv):
        written = learned.net.span if learned.net else None
        raise mistakes.pixels.no_operator_on_pixels(net.name if net else "a parameter", learned.span, written)
    if net.size % 2 == 0:
        raise mistakes.pixels.even_kernel(net.size, learned.span)
    return net.size


def _constraint(learned: Learned, spec: Spec) -> Constraint:
    box = box_of(learned.name, spec)
    bound = learned.type.bound if isinstance(learned.type, Operator) else None
    if bound is not None and box is not None:
        raise mistakes.networks.norm_and_box(learned.name, learned.span, place_of_box(learned.name, spec))
    if bound is not None:
        return NormBound(bound)
    return Free() if box is None else WeightBox(*box)


def _network(term: LearnedField, method: Integrator, spec: Spec) -> Network:
    learned = next(w for w in spec.learned if w.head == term.field)
    net = learned.net.word if learned.net else None
    if not isinstance(net, Convnet):
        raise mistakes.pixels.no_field_on_pixels(net.name if net else "a parameter", learned.span)
    timed = _in_time(learned, spec)
    return Network(term.field, term.factor, net, timed, timed and not isinstance(method, Adaptive))


def _in_time(learned: Learned, spec: Spec) -> bool:
    return spec.time is not None and spec.time.symbol in learned.arguments
