"""An equation on the image plane within its frame, as functions that build it."""

from __future__ import annotations

from typing import assert_never

from pdedsl.emit.integrators import integrator_node
from pdedsl.emit.names import RUNTIME, quoted
from pdedsl.emit.program import Binding, Call, Function, Items, Lambda, Node, Op, Ref
from pdedsl.ir.layers import Free, Layer, Network, NormBound, RightHandSide, Symmetric, WeightBox
from pdedsl.ir.motions import First, Pair, Second
from pdedsl.ir.plan import ImagePlan
from pdedsl.ir.spec import Spec
from pdedsl.words.frames import Frame, Lipschitz, Paper
from pdedsl.words.integrators import Leapfrog, Verlet
from pdedsl.words.normalisations import BatchNorm, Normalisation, TvNorm

FIELDS = f"{RUNTIME}.fields"
BLOCKS = f"{RUNTIME}.blocks"


def image_functions(plan: ImagePlan, spec: Spec) -> tuple[Function, ...]:
    """`block(width)`, the equation at one width, and `model()`, the frame around it."""
    terms = "; ".join(quoted(right.span, spec) for right in plan.motion.parts)
    doc = f"{terms}, by {plan.method.name}."
    shared = isinstance(plan.motion, Pair)
    halves = (Binding("half", Op("//", (Ref("width"), 2)), "each half of the channels"),) if shared else ()
    block = Function("block", (("width", 0),), doc, halves, _block(plan))
    named: list[tuple[str, Node]] = [
        ("image", Items(plan.image)),
        ("stages", Items(plan.stages)),
        ("classes", plan.classes),
    ]
    if plan.close is not None:
        named.append(("close", plan.close))
    inside = Lambda(("width",), Call("block", (), (("width", Ref("width")),)))
    result = _framed(plan.frame, named, inside)
    model = Function("model", (("seed", 0),), "Images to class scores; nothing in it is random.", (), result)
    return block, model


def _framed(frame: Frame, named: list[tuple[str, Node]], inside: Lambda) -> Node:
    match frame:
        case Paper():
            around = Call(f"{RUNTIME}.frame.Frame", (), tuple(named))
            return Call(f"{RUNTIME}.frame.image_network", (around, inside))
        case Lipschitz(patch=patch, dense=dense, activation=activation):
            own = ("patch", patch), ("dense", dense), ("activation", activation.value)
            around = Call(f"{RUNTIME}.bounded_frame.BoundedFrame", (), (*named, *own))
            return Call(f"{RUNTIME}.bounded_frame.bounded_network", (around, inside))
        case _:
            assert_never(frame)


def _block(plan: ImagePlan) -> Node:
    steps = Call(f"{RUNTIME}.integrators.Steps", (float(plan.start), float(plan.end), plan.steps))
    method = integrator_node(plan.method)
    match plan.motion:
        case First(push=right):
            return Call(f"{BLOCKS}.Propagation", (_field(right, "width", plan), method, steps))
        case Second(push=right):
            field = _field(right, "width", plan)
            if isinstance(plan.method, Leapfrog):
                return Call(f"{BLOCKS}.SecondOrder", (field, steps, method))
            return Call(f"{BLOCKS}.FromRest", (field, method, steps))
        case Pair(first=first, second=second):
            fields = _field(first, "half", plan), _field(second, "half", plan)
            if isinstance(plan.method, Verlet):
                return Call(f"{BLOCKS}.Halves", (*fields, steps))
            return Call(f"{BLOCKS}.Propagation", (Call(f"{FIELDS}.Coupled", fields), method, steps))
        case _:
            assert_never(plan.motion)


def _field(right: RightHandSide, width: str, plan: ImagePlan) -> Node:
    """A right-hand side: a single layer, or a sum of layers and a multiple of the state."""
    fields = tuple(_in_time(layer, Ref(width), plan) for layer in right.layers)
    reaction = float(right.reaction)
    if len(fields) == 1 and not reaction:
        return fields[0]
    return Call(f"{FIELDS}.Sum", fields, (("reaction", reaction),) if reaction else ())


def _in_time(layer: Layer, channels: Node, plan: ImagePlan) -> Node:
    """A layer in time: new weights at each step, or the same for all steps."""
    node = _layer(layer, channels)
    if not layer.new_weights:
        return Call(f"{FIELDS}.Stationary", (node,))
    return Call(f"{FIELDS}.PerStep.of", (Lambda((), node), plan.steps))


def _layer(layer: Layer, channels: Node) -> Node:
    match layer:
        case Symmetric(activation=activation, norm=norm, factor=factor):
            parts = _operator(layer, channels), activation.name, _norm(norm, channels), float(factor)
            return Call(f"{RUNTIME}.parabolic.SymmetricLayer", parts)
        case Network(net=net, timed=timed, factor=factor):
            named: tuple[tuple[str, Node], ...] = (("activation_name", net.activation.name),)
            untimed: tuple[tuple[str, Node], ...] = () if timed else (("timed", False),)
            network = Call(f"{RUNTIME}.convnet.ConvNet", (channels, net.layers), named + untimed)
            return network if factor == 1 else Call(f"{FIELDS}.Scaled", (network, float(factor)))
        case _:
            assert_never(layer)


def _norm(norm: Normalisation | None, channels: Node) -> Node:
    match norm:
        case None:
            return None
        case TvNorm(eps=eps):
            return Call(f"{RUNTIME}.parabolic.TotalVariationNorm", (channels, float(eps)))
        case BatchNorm(eps=eps):
            return Call(f"{RUNTIME}.parabolic.batch_norm", (channels, float(eps)))
        case _:
            assert_never(norm)


def _operator(layer: Symmetric, channels: Node) -> Node:
    size: tuple[tuple[str, Node], ...] = () if layer.size == 3 else (("size", layer.size),)
    return Call(f"{RUNTIME}.operators.Conv", (channels,), size + _constraint(layer))


def _constraint(layer: Symmetric) -> tuple[tuple[str, Node], ...]:
    match layer.constraint:
        case Free():
            return ()
        case NormBound(bound=bound):
            return (("constraint", Call(f"{RUNTIME}.constraints.NormBound", (float(bound),))),)
        case WeightBox(low=low, high=high):
            return (("constraint", Call(f"{RUNTIME}.constraints.Box", (float(low), float(high)))),)
        case _:
            assert_never(layer.constraint)
