"""An equation on the image plane in its frame, as functions that build it."""

from __future__ import annotations

from typing import assert_never

from pdedsl import mistakes
from pdedsl.emit.integrators import integrator_node
from pdedsl.emit.names import RUNTIME
from pdedsl.emit.program import Binding, Call, Function, Items, Lambda, Node, Op, Ref
from pdedsl.ir.boxes import box_of
from pdedsl.ir.plan import ImagePlan
from pdedsl.ir.representation import Learned, Push, Reaction, Single, Sum, Symmetric
from pdedsl.ir.spec import Learned as LearnedField
from pdedsl.ir.spec import Spec
from pdedsl.ir.types import Operator
from pdedsl.words.integrators import Adaptive, Leapfrog, Verlet
from pdedsl.words.networks import Conv, Convnet


def image_functions(plan: ImagePlan, spec: Spec) -> tuple[Function, ...]:
    """`block(width)`, the equation at one width, and `model()`, the frame around it."""
    terms = "; ".join(_quoted(p, spec) for p in plan.pushes)
    doc = f"{terms}, by {plan.method.name}."
    halves = (Binding("half", Op("//", (Ref("width"), 2)), "each half of the channels"),) if plan.kind == "pair" else ()
    block = Function("block", (("width", 0),), doc, halves, _block(plan, spec))
    named: list[tuple[str, Node]] = [
        ("image", Items(plan.image)),
        ("stages", Items(plan.stages)),
        ("classes", plan.classes),
    ]
    if plan.close is not None:
        named.append(("close", plan.close))
    frame = Call(f"{RUNTIME}.frame.Frame", (), tuple(named))
    inside = Lambda(("width",), Call("block", (), (("width", Ref("width")),)))
    result = Call(f"{RUNTIME}.frame.image_network", (frame, inside))
    model = Function("model", (("seed", 0),), "Images to class scores; nothing in it is random.", (), result)
    return block, model


def _quoted(push: Push, spec: Spec) -> str:
    """A right-hand side with its place, for a comment."""
    line, _ = spec.source.position(push.span.start)
    return f"{' '.join(spec.source.at(push.span).split())} (spec.pde:{line})"


def _block(plan: ImagePlan, spec: Spec) -> Node:
    steps = Call(f"{RUNTIME}.integrators.Steps", (float(plan.start), float(plan.end), plan.steps))
    blocks = f"{RUNTIME}.blocks"
    fields = [_field(p, "half" if plan.kind == "pair" else "width", plan, spec) for p in plan.pushes]
    match plan.kind, plan.method:
        case "pair", Verlet():
            return Call(f"{blocks}.Halves", (*fields, steps))
        case "pair", _:
            pair = Call(f"{RUNTIME}.fields.Coupled", tuple(fields))
            return Call(f"{blocks}.Propagation", (pair, integrator_node(plan.method), steps))
        case "second", Leapfrog():
            return Call(f"{blocks}.SecondOrder", (*fields, steps, integrator_node(plan.method)))
        case "second", _:
            return Call(f"{blocks}.FromRest", (*fields, integrator_node(plan.method), steps))
        case "first", _:
            return Call(f"{blocks}.Propagation", (*fields, integrator_node(plan.method), steps))
        case _:
            raise AssertionError(plan.kind)


def _field(push: Push, width: str, plan: ImagePlan, spec: Spec) -> Node:
    """A right-hand side: learned fields, and what is a multiple of the state."""
    match push:
        case Symmetric() | Learned():
            return _learned(push, width, plan, spec)
        case Reaction():
            return _sum((push,), width, plan, spec)
        case Sum(parts=parts):
            return _sum(parts, width, plan, spec)
        case _:
            assert_never(push)


def _sum(parts: tuple[Single, ...], width: str, plan: ImagePlan, spec: Spec) -> Node:
    fields = tuple(_learned(p, width, plan, spec) for p in parts if not isinstance(p, Reaction))
    reaction = sum(float(p.factor) for p in parts if isinstance(p, Reaction))
    named: tuple[tuple[str, Node], ...] = (("reaction", reaction),) if reaction else ()
    return Call(f"{RUNTIME}.fields.Sum", fields, named)


def _learned(push: Symmetric | Learned, width: str, plan: ImagePlan, spec: Spec) -> Node:
    """A learned field: new weights at each step where they depend on time, otherwise one layer for all."""
    channels = Ref(width)
    learned = next(w for w in spec.learned if w.head == (push.operator if isinstance(push, Symmetric) else push.field))
    layer = _layer(push, learned, channels, spec)
    fields = f"{RUNTIME}.fields"
    if not _in_time(learned, spec) or isinstance(plan.method, Adaptive):
        return Call(f"{fields}.Stationary", (layer,))
    return Call(f"{fields}.PerStep.of", (Lambda((), layer), plan.steps))


def _in_time(learned: LearnedField, spec: Spec) -> bool:
    return spec.time is not None and spec.time.symbol in learned.arguments


def _layer(push: Symmetric | Learned, learned: LearnedField, channels: Node, spec: Spec) -> Node:
    net = learned.net.word if learned.net else None
    match push:
        case Symmetric(activation=activation, layer=layer, eps=eps, factor=factor):
            norm: Node = None
            if layer == "tv_norm":
                norm = Call(f"{RUNTIME}.parabolic.TotalVariationNorm", (channels, float(eps or 0)))
            elif layer == "batch_norm":
                norm = Call(f"{RUNTIME}.parabolic.batch_norm", (channels, float(eps or 0)))
            return Call(
                f"{RUNTIME}.parabolic.SymmetricLayer",
                (_operator(learned, channels, spec), activation, norm, float(factor)),
            )
        case Learned(factor=factor):
            if not isinstance(net, Convnet):
                raise mistakes.pixels.no_field_on_pixels(net.name if net else "a parameter", learned.span)
            named: tuple[tuple[str, Node], ...] = (("activation_name", net.activation.name),)
            if not _in_time(learned, spec):
                named += (("timed", False),)
            network = Call(f"{RUNTIME}.convnet.ConvNet", (channels, net.layers), named)
            return network if factor == 1 else Call(f"{RUNTIME}.fields.Scaled", (network, float(factor)))


def _operator(learned: LearnedField, channels: Node, spec: Spec) -> Node:
    net = learned.net.word if learned.net else None
    if not isinstance(net, Conv):
        raise mistakes.pixels.no_operator_on_pixels(net.name if net else "a parameter", learned.span)
    named: list[tuple[str, Node]] = []
    size = net.size
    if size % 2 == 0:
        raise mistakes.pixels.even_kernel(size, learned.span)
    if size != 3:
        named.append(("size", size))
    box = box_of(learned.name, spec)
    if isinstance(learned.type, Operator) and learned.type.bound is not None:
        if box:
            raise mistakes.networks.norm_and_box(learned.name, learned.span)
        named.append(("constraint", Call(f"{RUNTIME}.constraints.NormBound", (float(learned.type.bound),))))
    elif box:
        named.append(("constraint", Call(f"{RUNTIME}.constraints.Box", (float(box[0]), float(box[1])))))
    return Call(f"{RUNTIME}.operators.Conv", (channels,), tuple(named))
