"""A method with its arguments → an integrator of the runtime."""

from __future__ import annotations

from typing import assert_never

from pdedsl.codegen.names import RUNTIME, quoted
from pdedsl.codegen.program import Binding, Call, Function, Items, Lambda, Node, Op, Ref
from pdedsl.config.methods import Adaptive, BackwardEuler, Fixed, Integrator, Leapfrog, Start, Verlet
from pdedsl.config.networks import BatchNorm, Frame, Lipschitz, Normalisation, Paper, TvNorm
from pdedsl.ir.plan import Free, ImagePlan, Layer, NetworkLayers, NormBound, RightHandSide, Symmetric, WeightBox
from pdedsl.ir.semidiscrete_systems import First, Pair, Second
from pdedsl.ir.spec import Spec

# ---- integrators


def integrator_node(method: Integrator) -> Node:
    match method:
        case Fixed(method=record):
            return Call(f"{RUNTIME}.ode.explicit.{record.label}")
        case BackwardEuler(terms=terms):
            return Call(f"{RUNTIME}.ode.explicit.BackwardEuler", (terms,))
        case Leapfrog(start=start):
            return Call(f"{RUNTIME}.ode.explicit.Leapfrog", ("papers" if start is Start.PAPER else "consistent",))
        case Verlet():
            return Call(f"{RUNTIME}.ode.explicit.Verlet")
        case Adaptive():
            return _adaptive(method)
        case _:
            assert_never(method)


def _adaptive(method: Adaptive) -> Node:
    name: tuple[str, Node] = ("method", method.name)
    tolerances: tuple[tuple[str, Node], ...] = (("rtol", float(method.rtol)), ("atol", float(method.atol)))
    control: tuple[str, Node] = ("control", method.norm.value)
    if method.method.rows and not method.adjoint:
        return Call(f"{RUNTIME}.ode.adaptive.Adaptive", (), (*tolerances, name, control))
    adjoint: tuple[str, Node] = ("adjoint", method.adjoint)
    return Call(f"{RUNTIME}.ode.torchdiffeq_solver.Torchdiffeq", (), (name, *tolerances, adjoint, control))


# ---- image
# An equation on the image plane within its frame, as functions that build it.


FIELDS = f"{RUNTIME}.image_fields"
BLOCKS = f"{RUNTIME}.pde_blocks"


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
            around = Call(f"{RUNTIME}.image_network.Frame", (), tuple(named))
            return Call(f"{RUNTIME}.image_network.image_network", (around, inside))
        case Lipschitz(patch=patch, dense=dense, activation=activation):
            own = ("patch", patch), ("dense", dense), ("activation", activation.value)
            around = Call(f"{RUNTIME}.image_network.BoundedFrame", (), (*named, *own))
            return Call(f"{RUNTIME}.image_network.bounded_network", (around, inside))
        case _:
            assert_never(frame)


def _block(plan: ImagePlan) -> Node:
    steps = Call(f"{RUNTIME}.ode.explicit.Steps", (float(plan.start), float(plan.end), plan.steps))
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
            return Call(f"{RUNTIME}.symmetric_layer.SymmetricLayer", parts)
        case NetworkLayers(net=net, timed=timed, factor=factor):
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
            return Call(f"{RUNTIME}.symmetric_layer.TotalVariationNorm", (channels, float(eps)))
        case BatchNorm(eps=eps):
            return Call(f"{RUNTIME}.symmetric_layer.batch_norm", (channels, float(eps)))
        case _:
            assert_never(norm)


def _operator(layer: Symmetric, channels: Node) -> Node:
    size: tuple[tuple[str, Node], ...] = () if layer.size == 3 else (("size", layer.size),)
    return Call(f"{RUNTIME}.linear_operators.Conv", (channels,), size + _constraint(layer))


def _constraint(layer: Symmetric) -> tuple[tuple[str, Node], ...]:
    match layer.constraint:
        case Free():
            return ()
        case NormBound(bound=bound):
            return (("constraint", Call(f"{RUNTIME}.weight_constraints.NormBound", (float(bound),))),)
        case WeightBox(low=low, high=high):
            return (("constraint", Call(f"{RUNTIME}.weight_constraints.Box", (float(low), float(high)))),)
        case _:
            assert_never(layer.constraint)
