"""States → a model on the image plane: the frame, the layers, the integrator and its steps."""

from __future__ import annotations

from typing import assert_never

from pdedsl import mistakes
from pdedsl.ir.motions import First, Motion, Pair, Second
from pdedsl.ir.plan import ImagePlan
from pdedsl.ir.representation import Push, States
from pdedsl.ir.spec import Spec
from pdedsl.plan.layers import layers_of
from pdedsl.plan.objective import loss_of
from pdedsl.plan.pixels import require_expressible
from pdedsl.words.blocks import NetworkBlock
from pdedsl.words.frames import Between, Lipschitz, Paper
from pdedsl.words.integrators import ONE_STEP, Adaptive, BackwardEuler, Fixed, Integrator, Leapfrog, Reversible, Verlet
from pdedsl.words.word import Chosen

MOST_STEPS = 10_000  # each step is a layer of the network


def plan_image(states: States, spec: Spec) -> ImagePlan:
    require_expressible(spec)
    motion, frame, method = layers_of(states, spec), spec.network, states.method
    if frame is None:
        raise mistakes.pixels.no_frame(spec.space.span)
    _require_fit(states.motion, method)
    _require_widths(frame, isinstance(motion, Pair))
    assert spec.time is not None
    return ImagePlan(
        frame.input.word.shape,
        frame.stages,
        frame.classes,
        frame.close,
        motion,
        method.word,
        spec.time.start,
        spec.time.end,
        _steps(method),
        frame.frame.word,
        loss_of(spec),
    )


def _require_fit(motion: Motion[Push], method: Chosen[Integrator]) -> None:
    own = _splitting(motion)
    if isinstance(method.word, Reversible) and not isinstance(method.word, own):
        use = (*(word.spelling for word in own), *ONE_STEP)
        raise mistakes.pixels.method_misfit(method.word.name, use, method.span)


def _splitting(motion: Motion[Push]) -> tuple[type[Reversible], ...]:
    """The methods that exist only for this kind of motion."""
    match motion:
        case First():
            return ()
        case Second():
            return (Leapfrog,)
        case Pair():
            return (Verlet,)
        case _:
            assert_never(motion)


def _steps(method: Chosen[Integrator]) -> int:
    """The number of steps; 1 for adaptive methods, which choose their own."""
    match method.word:
        case Fixed(steps=steps) | BackwardEuler(steps=steps) | Verlet(steps=steps) | Leapfrog(steps=steps):
            assert steps is not None
            if steps > MOST_STEPS:
                raise mistakes.pixels.too_many_steps(steps, MOST_STEPS, method.span)
            return steps
        case Adaptive():
            return 1
        case _:
            assert_never(method.word)


def _require_widths(frame: NetworkBlock, pair: bool) -> None:
    """Requires the opening to match the first stage, an image that can be halved between stages, and for a pair even
    widths."""
    stages, span = frame.stages, frame.place("stages")
    if frame.open != stages[0]:
        raise mistakes.pixels.opening_differs(frame.open, stages[0], frame.place("open"))
    match frame.frame.word:
        case Paper():
            _require_halvings(frame, min(frame.input.word.shape[1:]))
        case Lipschitz() as word:
            _require_bounded(frame, word)
        case _:
            assert_never(frame.frame.word)
    odd = next((width for width in stages if width % 2), None)
    if pair and odd:
        raise mistakes.pixels.odd_width(odd, span)


def _require_halvings(frame: NetworkBlock, size: int) -> None:
    halvings, image = len(frame.stages) - 1, frame.input.word
    if size >> halvings < 1:
        raise mistakes.pixels.too_many_stages(image.height, image.width, halvings, frame.place("stages"))


def _require_bounded(frame: NetworkBlock, word: Lipschitz) -> None:
    """Requires patches that fit into image and channels, even widths for maxmin, dense layers if `close` is given."""
    image, at = frame.input.word, frame.place("frame")
    if word.patch > min(image.height, image.width):
        raise mistakes.pixels.large_patches(word.patch, image.height, image.width, at)
    channels = image.channels * word.patch**2
    if channels > frame.open:
        raise mistakes.pixels.narrow_opening(channels, frame.open, frame.place("open"))
    _require_halvings(frame, min(image.height, image.width) // word.patch)
    odd = next((width for width in frame.stages[1:] if width % 2), None)
    if odd and word.activation is Between.MAXMIN:
        raise mistakes.pixels.odd_pairs(odd, frame.place("stages"))
    if frame.close is not None and not word.dense:
        raise mistakes.pixels.close_of_nothing(frame.place("close"))
