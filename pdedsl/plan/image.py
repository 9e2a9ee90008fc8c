"""States → a model on the image plane: the frame, the integrator and its steps."""

from __future__ import annotations

from typing import assert_never

from pdedsl import mistakes
from pdedsl.ir.plan import ImagePlan
from pdedsl.ir.representation import States, Sum, Symmetric
from pdedsl.ir.spec import Spec
from pdedsl.words.blocks import NetworkBlock
from pdedsl.words.integrators import ONE_STEP, Adaptive, BackwardEuler, Fixed, Integrator, Leapfrog, Reversible, Verlet

SPLITTING: dict[str, tuple[type[Reversible], ...]] = {
    "first": (),
    "second": (Leapfrog,),
    "pair": (Verlet,),
}  # methods of these equations alone


def plan_image(states: States, spec: Spec) -> ImagePlan:
    frame = spec.network
    if frame is None:
        raise mistakes.pixels.no_frame(spec.space.span)
    method = states.method.word
    _check_method(states)
    _check_weights(states, method, spec)
    assert spec.time is not None
    _check_stages(frame, states.kind)
    return ImagePlan(
        frame.input.word.shape,
        frame.stages,
        frame.classes,
        frame.close,
        states.kind,
        states.pushes,
        method,
        spec.time.start,
        spec.time.end,
        _steps(method),
    )


def _check_method(states: States) -> None:
    own = SPLITTING[states.kind]
    method = states.method
    if isinstance(method.word, Reversible) and not isinstance(method.word, own):
        use = (*(word.spelling for word in own), *ONE_STEP)
        raise mistakes.pixels.method_misfit(method.word.name, use, method.span)


def _steps(method: Integrator) -> int:
    """Adaptive methods choose their own between the ends."""
    match method:
        case Fixed(steps=steps) | BackwardEuler(steps=steps) | Verlet(steps=steps) | Leapfrog(steps=steps):
            assert steps is not None
            return steps
        case Adaptive():
            return 1
        case _:
            assert_never(method)


def _check_weights(states: States, method: Integrator, spec: Spec) -> None:
    """Verlet and leapfrog are run backwards to find their states again; adaptive methods have no steps to count."""
    singles = [part for push in states.pushes for part in (push.parts if isinstance(push, Sum) else (push,))]
    for layer in (single for single in singles if isinstance(single, Symmetric)):
        if layer.layer == "batch_norm" and isinstance(method, Reversible):
            raise mistakes.pixels.batch_norm_backwards(method.name, layer.span)
        operator = next(w for w in spec.learned if w.head == layer.operator)
        if operator.arguments and isinstance(method, Adaptive):
            raise mistakes.pixels.weights_of_steps(operator.name, method.name, operator.span)


def _check_stages(frame: NetworkBlock, kind: str) -> None:
    """The opening leads to the first stage, between stages the image is halved, and a pair shares the channels."""
    stages, image = frame.stages, frame.input.word.shape
    if frame.open != stages[0]:
        raise mistakes.pixels.opening_differs(frame.open, stages[0], frame.place("open"))
    span, halvings = frame.place("stages"), len(stages) - 1
    if min(image[1:]) >> halvings < 1:
        raise mistakes.pixels.too_many_stages(image[1], image[2], halvings, span)
    odd = next((width for width in stages if width % 2), None)
    if kind == "pair" and odd:
        raise mistakes.pixels.odd_width(odd, span)
