"""States → a model on the image plane: the frame, the integrator and its steps."""

from __future__ import annotations

from sympy import Expr

from pdedsl.diagnostics import fail
from pdedsl.ir.plan import ImagePlan
from pdedsl.ir.representation import States, Sum, Symmetric
from pdedsl.ir.spec import Block, Setting, Spec
from pdedsl.ir.vocabulary import ADAPTIVE, DEFAULT_METHODS, DEFAULT_STEPS, REVERSIBLE
from pdedsl.numerics.integrators import EXPLICIT

ANY = (*EXPLICIT, "backward_euler", *ADAPTIVE)
FITTING = {"first": ANY, "second": ("leapfrog", *ANY), "pair": ("verlet", *ANY)}


def plan_image(states: States, spec: Spec) -> ImagePlan:
    frame = spec.block("network")
    if frame is None:
        raise fail(
            "E607",
            "an equation on pixels needs a frame",
            spec.space.span,
            "add network { input … open … stages … classes … }",
        )
    method = states.method or Setting(DEFAULT_METHODS[states.kind])
    if method.name not in FITTING[states.kind]:
        raise fail(
            "E605", f"{method.name} does not fit this equation", method.span, f"use {', '.join(FITTING[states.kind])}"
        )
    _check_weights(states, method, spec)
    assert spec.time is not None
    stages = _whole(frame, "stages")
    opened = _whole(frame, "open")[0]
    if opened != stages[0]:
        line = frame.all("open")[0]
        raise fail(
            "E608", f"the opening has {opened} channels, the first stage {stages[0]}", line.span, "make them equal"
        )
    given = frame.get("input")
    assert isinstance(given, Setting)
    image = int(str(given["channels"])), int(str(given["height"])), int(str(given["width"]))
    _check_stages(stages, image, states.kind, frame)
    steps = method.get("steps")
    close = _whole(frame, "close")
    return ImagePlan(
        image,
        stages,
        _whole(frame, "classes")[0],
        close[0] if close else None,
        states.kind,
        states.pushes,
        method,
        spec.time.start,
        spec.time.end,
        int(steps) if isinstance(steps, Expr) else DEFAULT_STEPS if method.name not in ADAPTIVE else 1,
    )


def _check_weights(states: States, method: Setting, spec: Spec) -> None:
    """Verlet and leapfrog are run backwards to find their states again; adaptive methods have no steps to count."""
    singles = [part for push in states.pushes for part in (push.parts if isinstance(push, Sum) else (push,))]
    for layer in (single for single in singles if isinstance(single, Symmetric)):
        if layer.layer == "batch_norm" and method.name in REVERSIBLE:
            message = f"{method.name} finds its states again on the way back, and batch_norm does not repeat itself"
            raise fail("E605", message, layer.span, "use tv_norm, or realize time by euler")
        operator = next(w for w in spec.learned if w.head == layer.operator)
        if operator.arguments and method.name in ADAPTIVE:
            message = f"'{operator.name}' has new weights at each step, and {method.name} takes as many as it likes"
            raise fail("E605", message, operator.span, f"write {operator.name} without the time")


def _check_stages(stages: tuple[int, ...], image: tuple[int, int, int], kind: str, frame: Block) -> None:
    """Between stages the image is halved; the states of a pair share the channels."""
    span, halvings = frame.all("stages")[0].span, len(stages) - 1
    if min(image[1:]) >> halvings < 1:
        message = f"an image of {image[1]} x {image[2]} cannot be halved {halvings} times"
        raise fail("E608", message, span, "take fewer stages, or larger images")
    odd = next((width for width in stages if width % 2), None)
    if kind == "pair" and odd:
        raise fail("E608", f"a pair shares the channels: {odd} have no halves", span, "make every width even")


def _whole(frame: Block, key: str) -> tuple[int, ...]:
    value = frame.get(key)
    if value is None:
        return ()
    values = value if isinstance(value, tuple) else (value,)
    return tuple(int(str(v)) for v in values)
