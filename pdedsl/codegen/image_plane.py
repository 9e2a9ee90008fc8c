"""Code generation for equations on the image plane: a PDE block at one width, and the architecture around it.

The emitted module has `block(width)` and `model`, a network with one block per stage.
"""

from __future__ import annotations

from typing import assert_never

from pdedsl.codegen.names import RUNTIME, source_reference
from pdedsl.codegen.program import Binding, Call, FunctionDefinition, ItemList, Lambda, Node, Operation, Ref
from pdedsl.config.methods import (
    Adaptive,
    BackwardEuler,
    Fixed,
    Imex,
    Implicit,
    Integrator,
    Leapfrog,
    LeapfrogStart,
    Verlet,
)
from pdedsl.config.networks import BatchNorm, Frame, LipschitzFrame, Normalization, Paper, TvNorm
from pdedsl.ir.plan import (
    BoxConstraint,
    ConvolutionalField,
    ImagePlan,
    Layer,
    NormBound,
    RightHandSide,
    SymmetricConvolution,
    Unconstrained,
)
from pdedsl.ir.semidiscrete_systems import FirstOrderOde, SecondOrderOde, SeparableOde
from pdedsl.ir.spec import Spec

# ---- Time integrators


def integrator_node(method: Integrator, reaction: float = 0.0) -> Node:
    """The integrator; `reaction` is the linear part of the equation, c in cY."""
    match method:
        case Fixed(method=record):
            return Call(f"{RUNTIME}.ode.explicit.{record.label}")
        case Implicit(method=record):
            return Call(f"{RUNTIME}.ode.implicit.{record.label}")
        case Imex(method=record):
            return Call(f"{RUNTIME}.ode.imex.{record.label}", (reaction,))
        case BackwardEuler(terms=terms):
            return Call(f"{RUNTIME}.ode.explicit.BackwardEuler", (terms,))
        case Leapfrog(start=start):
            return Call(
                f"{RUNTIME}.ode.symplectic.Leapfrog", ("paper" if start is LeapfrogStart.PAPER else "consistent",)
            )
        case Verlet():
            return Call(f"{RUNTIME}.ode.symplectic.Verlet")
        case Adaptive():
            return _adaptive(method)
        case _:
            assert_never(method)


def _adaptive(method: Adaptive) -> Node:
    name: tuple[str, Node] = ("method", method.name)
    tolerances: tuple[tuple[str, Node], ...] = (("rtol", float(method.rtol)), ("atol", float(method.atol)))
    control: tuple[str, Node] = ("control", method.norm.value)
    if method.method.rows and not method.adjoint:
        return Call(f"{RUNTIME}.ode.adaptive.AdaptiveRungeKutta", (), (*tolerances, name, control))
    adjoint: tuple[str, Node] = ("adjoint", method.adjoint)
    return Call(f"{RUNTIME}.ode.torchdiffeq_solver.TorchdiffeqSolver", (), (name, *tolerances, adjoint, control))


# ---- Network


IMAGE_FIELDS = f"{RUNTIME}.image_fields"
PDE_BLOCKS = f"{RUNTIME}.pde_blocks"


def image_functions(plan: ImagePlan, spec: Spec) -> tuple[FunctionDefinition, ...]:
    """`block(width)`, the equation at one width, and `model()`, the network with one block per stage."""
    terms = "; ".join(source_reference(right.span, spec) for right in plan.system.right_hand_sides)
    doc = f"{terms}, time integration by {plan.method.name}."
    shared = isinstance(plan.system, SeparableOde)
    halves = (
        (Binding("half", Operation("//", (Ref("width"), 2)), "channels of each component of the pair"),)
        if shared
        else ()
    )
    block = FunctionDefinition("block", (("width", 0),), doc, halves, _block_node(plan))
    named: list[tuple[str, Node]] = [
        ("image", ItemList(plan.image)),
        ("stages", ItemList(plan.stages)),
        ("classes", plan.classes),
    ]
    if plan.head is not None:
        named.append(("close", plan.head))
    inside = Lambda(("width",), Call("block", (), (("width", Ref("width")),)))
    result = _network_node(plan.frame, named, inside)
    model = FunctionDefinition("model", (("seed", 0),), "Images to class logits; deterministic.", (), result)
    return block, model


def _network_node(frame: Frame, named: list[tuple[str, Node]], inside: Lambda) -> Node:
    match frame:
        case Paper():
            around = Call(f"{RUNTIME}.image_network.ImageArchitecture", (), tuple(named))
            return Call(f"{RUNTIME}.image_network.image_network", (around, inside))
        case LipschitzFrame(patch=patch, dense=dense, activation=activation):
            own = ("patch", patch), ("dense", dense), ("activation", activation.value)
            around = Call(f"{RUNTIME}.image_network.LipschitzArchitecture", (), (*named, *own))
            return Call(f"{RUNTIME}.image_network.lipschitz_network", (around, inside))
        case _:
            assert_never(frame)


def _block_node(plan: ImagePlan) -> Node:
    steps = Call(f"{RUNTIME}.ode.explicit.TimeGrid", (float(plan.start), float(plan.end), plan.steps))
    method = integrator_node(plan.method)
    match plan.system:
        case FirstOrderOde(rhs=right):
            method = integrator_node(plan.method, float(right.reaction))
            return Call(f"{PDE_BLOCKS}.FirstOrderBlock", (_field_node(right, "width", plan), method, steps))
        case SecondOrderOde(rhs=right):
            field = _field_node(right, "width", plan)
            if isinstance(plan.method, Leapfrog):
                return Call(f"{PDE_BLOCKS}.LeapfrogBlock", (field, steps, method))
            return Call(f"{PDE_BLOCKS}.SecondOrderBlock", (field, method, steps))
        case SeparableOde(first=first, second=second):
            fields = _field_node(first, "half", plan), _field_node(second, "half", plan)
            if isinstance(plan.method, Verlet):
                return Call(f"{PDE_BLOCKS}.VerletBlock", (*fields, steps))
            return Call(f"{PDE_BLOCKS}.FirstOrderBlock", (Call(f"{IMAGE_FIELDS}.CoupledField", fields), method, steps))
        case _:
            assert_never(plan.system)


def _field_node(right: RightHandSide, width: str, plan: ImagePlan) -> Node:
    """A right-hand side: a single layer, or a sum of layers and a multiple of the state."""
    fields = tuple(_layer_in_time(layer, Ref(width), plan) for layer in right.layers)
    reaction = float(right.reaction)
    if len(fields) == 1 and not reaction:
        return fields[0]
    return Call(f"{IMAGE_FIELDS}.SumField", fields, (("reaction", reaction),) if reaction else ())


def _layer_in_time(layer: Layer, channels: Node, plan: ImagePlan) -> Node:
    """A layer as a field: new weights at each step, or one layer shared by all steps."""
    node = _layer_node(layer, channels)
    if not layer.weights_per_step:
        return Call(f"{IMAGE_FIELDS}.SharedLayer", (node,))
    return Call(f"{IMAGE_FIELDS}.LayerPerStep.create", (Lambda((), node), plan.steps))


def _layer_node(layer: Layer, channels: Node) -> Node:
    match layer:
        case SymmetricConvolution(activation=activation, norm=norm, factor=factor):
            parts = _operator_node(layer, channels), activation.name, _norm_node(norm, channels), float(factor)
            return Call(f"{RUNTIME}.symmetric_layer.SymmetricLayer", parts)
        case ConvolutionalField(net=net, time_dependent=timed, factor=factor):
            named: tuple[tuple[str, Node], ...] = (("activation_name", net.activation.name),)
            untimed: tuple[tuple[str, Node], ...] = () if timed else (("timed", False),)
            network = Call(f"{RUNTIME}.convnet.ConvNet", (channels, net.layers), named + untimed)
            return network if factor == 1 else Call(f"{IMAGE_FIELDS}.ScaledLayer", (network, float(factor)))
        case _:
            assert_never(layer)


def _norm_node(norm: Normalization | None, channels: Node) -> Node:
    match norm:
        case None:
            return None
        case TvNorm(eps=eps):
            return Call(f"{RUNTIME}.symmetric_layer.TotalVariationNorm", (channels, float(eps)))
        case BatchNorm(eps=eps):
            return Call(f"{RUNTIME}.symmetric_layer.batch_norm", (channels, float(eps)))
        case _:
            assert_never(norm)


def _operator_node(layer: SymmetricConvolution, channels: Node) -> Node:
    size: tuple[tuple[str, Node], ...] = () if layer.size == 3 else (("size", layer.size),)
    return Call(f"{RUNTIME}.linear_operators.ConvOperator", (channels,), size + _constraint_option(layer))


def _constraint_option(layer: SymmetricConvolution) -> tuple[tuple[str, Node], ...]:
    match layer.constraint:
        case Unconstrained():
            return ()
        case NormBound(bound=bound):
            return (("constraint", Call(f"{RUNTIME}.weight_constraints.SpectralNormBound", (float(bound),))),)
        case BoxConstraint(low=low, high=high):
            return (("constraint", Call(f"{RUNTIME}.weight_constraints.BoxConstraint", (float(low), float(high)))),)
        case _:
            assert_never(layer.constraint)
