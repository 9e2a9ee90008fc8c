"""Plan of a network of feature maps: layers, integrator, stages and head.

Terms and conditions that have no counterpart in the network are errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from sympy import Add, Symbol

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.blocks import NetworkBlock
from pdedsl.config.methods import ONE_STEP, Adaptive, Imex, Integrator, Leapfrog, Reversible, Verlet
from pdedsl.config.networks import BatchNorm, Conv, Convnet, FrameActivation, LipschitzFrame, Paper
from pdedsl.ir.plan import (
    BoxConstraint,
    Constraint,
    ConvolutionalField,
    ImagePlan,
    Layer,
    NormBound,
    RightHandSide,
    SymmetricConvolution,
    Unconstrained,
    weight_box,
    weight_box_span,
    weight_boxes,
)
from pdedsl.ir.representation import FeatureMapEvolution, VectorField
from pdedsl.ir.semidiscrete_systems import FirstOrderOde, OdeSystem, SecondOrderOde, SeparableOde
from pdedsl.ir.spec import Condition, ConditionKind, Learned, Spec
from pdedsl.ir.terms import LearnedField, MapTerm, Nonlinear, Reaction, SymmetricLayer
from pdedsl.ir.types import Channels, Operator
from pdedsl.planning.objective import loss_of
from pdedsl.symbolic.symbols import Field

# ---- Layers


def plan_layers(states: FeatureMapEvolution, spec: Spec) -> OdeSystem[RightHandSide]:
    method = states.integrator.config
    _require_single_use(states.system)
    match states.system:
        case FirstOrderOde(rhs=field):
            return FirstOrderOde(_right_hand_side(field, method, spec))
        case SecondOrderOde(rhs=field):
            return SecondOrderOde(_right_hand_side(field, method, spec))
        case SeparableOde(first=first, second=second):
            return SeparableOde(_right_hand_side(first, method, spec), _right_hand_side(second, method, spec))
        case _:
            assert_never(states.system)


def _require_single_use(system: OdeSystem[VectorField]) -> None:
    """Requires that every learned field occurs in one layer only, since each layer has separate weights."""
    seen: set[Symbol] = set()
    terms = (term for field in system.right_hand_sides for term in field.terms)
    for term in sorted(terms, key=lambda term: term.origin.span.start):
        for head in _learned_heads(term):
            if head in seen:
                raise errors.feature_maps.shared_weights(str(head), term.origin.span)
            seen.add(head)


def _learned_heads(term: MapTerm) -> Iterator[Symbol]:
    match term:
        case SymmetricLayer(operator=head) | LearnedField(field=head):
            yield head
        case Reaction() | Nonlinear():
            return
        case _:
            assert_never(term)


def _right_hand_side(field: VectorField, method: Integrator, spec: Spec) -> RightHandSide:
    layers = tuple(layer for term in field.terms for layer in _layers(term, field, method, spec))
    return RightHandSide(layers, Add(*(t.rate for t in field.terms if isinstance(t, Reaction))), field.span)


def _layers(term: MapTerm, field: VectorField, method: Integrator, spec: Spec) -> Iterator[Layer]:
    match term:
        case SymmetricLayer(adjoint=False):
            yield _symmetric_convolution(term, field, method, spec)
        case LearnedField():
            yield _convolutional_field(term, method, spec)
        case SymmetricLayer() | Nonlinear():
            raise errors.feature_maps.unsupported_right_hand_side(term.origin.span)
        case Reaction():
            return
        case _:
            assert_never(term)


def _symmetric_convolution(
    term: SymmetricLayer, field: VectorField, method: Integrator, spec: Spec
) -> SymmetricConvolution:
    """A symmetric layer. Verlet and leapfrog exclude batch norm, since states are recomputed backward; adaptive methods
    exclude time-dependent weights, since they have no fixed steps."""
    learned = next(w for w in spec.learned if w.head == term.operator)
    if isinstance(term.norm, BatchNorm) and isinstance(method, Reversible):
        raise errors.feature_maps.batch_norm_with_recomputation(method.name, field.span)
    if learned.arguments and isinstance(method, Adaptive):
        raise errors.feature_maps.adaptive_weights(learned.name, str(learned.arguments[-1]), method.name, learned.span)
    size, constraint = _kernel_size(learned), _constraint(learned, spec)
    return SymmetricConvolution(
        term.operator, term.factor, size, constraint, term.activation, term.norm, _depends_on_time(learned, spec)
    )


def _kernel_size(learned: Learned) -> int:
    net = learned.net.config if learned.net else None
    if not isinstance(net, Conv):
        written = learned.net.span if learned.net else None
        raise errors.feature_maps.no_operator_on_pixels(net.name if net else "a parameter", learned.span, written)
    if net.size % 2 == 0:
        raise errors.feature_maps.even_kernel(net.size, learned.span)
    return net.size


def _constraint(learned: Learned, spec: Spec) -> Constraint:
    box = weight_box(learned.name, spec)
    bound = learned.type.bound if isinstance(learned.type, Operator) else None
    if bound is not None and box is not None:
        raise errors.networks.norm_and_box(learned.name, learned.span, weight_box_span(learned.name, spec))
    if bound is not None:
        return NormBound(bound)
    return Unconstrained() if box is None else BoxConstraint(*box)


def _convolutional_field(term: LearnedField, method: Integrator, spec: Spec) -> ConvolutionalField:
    learned = next(w for w in spec.learned if w.head == term.field)
    net = learned.net.config if learned.net else None
    if not isinstance(net, Convnet):
        raise errors.feature_maps.no_field_on_pixels(net.name if net else "a parameter", learned.span)
    timed = _depends_on_time(learned, spec)
    return ConvolutionalField(term.field, term.factor, net, timed, timed and not isinstance(method, Adaptive))


def _depends_on_time(learned: Learned, spec: Spec) -> bool:
    return spec.time is not None and spec.time.symbol in learned.arguments


# ---- Supported specs


def require_expressible(spec: Spec) -> None:
    _require_feature_maps(spec)
    for condition in spec.conditions:
        _require_zero_initial_velocity(condition, spec)
    for learned in spec.learned:
        _require_arguments(learned, spec)
    for part, method in spec.realize.in_source_order():
        if method is not spec.realize.time:
            raise errors.feature_maps.unsupported_part(part, method.line)


def _require_feature_maps(spec: Spec) -> None:
    for unknown in spec.unknowns:
        if not isinstance(unknown.type, Channels) or unknown.net is not None:
            raise errors.feature_maps.not_a_feature_map(unknown.name, str(unknown.type), unknown.span)


def _require_zero_initial_velocity(condition: Condition, spec: Spec) -> None:
    """Allows only ∂Y/∂t = 0 at the initial time, for second order in time: Y itself is the output of the stem."""
    second = any(e.unknown == condition.unknown and e.order == 2 for e in spec.equations)
    at_start = condition.kind is ConditionKind.INITIAL and condition.order == 1
    if second and at_start and all(v == 0 for v in condition.value):
        return
    raise errors.feature_maps.unsupported_condition(second, condition.span)


def _require_arguments(learned: Learned, spec: Spec) -> None:
    """Requires K or K(t) for operators, f(Y) or f(Y, t) for fields."""
    assert spec.time is not None
    states = [a for a in learned.arguments if a != spec.time.symbol]
    if isinstance(learned.type, Operator):
        if states:
            raise errors.feature_maps.operator_depends(learned.name, learned.span)
    elif len(states) != 1 or not any(states[0] == Field(u.head, (), u.arguments) for u in spec.unknowns):
        raise errors.feature_maps.field_depends(learned.name, learned.span)


# ---- Plan


MAX_STEPS = 10_000  # each step is a layer of the network


def plan_image(states: FeatureMapEvolution, spec: Spec) -> ImagePlan:
    require_expressible(spec)
    system, frame, method = plan_layers(states, spec), spec.network, states.integrator
    if frame is None:
        raise errors.feature_maps.missing_network_block(spec.space.span)
    _require_matching_integrator(states.system, method)
    _require_linear_part(system, method)
    _require_widths(frame, isinstance(system, SeparableOde))
    assert spec.time is not None
    return ImagePlan(
        frame.input.config.shape,
        frame.stages,
        frame.classes,
        frame.head,
        system,
        method.config,
        spec.time.start,
        spec.time.end,
        _number_of_steps(method),
        frame.frame.config,
        loss_of(spec),
    )


def _require_matching_integrator(system: OdeSystem[VectorField], method: Located[Integrator]) -> None:
    own = _reversible_methods(system)
    if isinstance(method.config, Reversible) and not isinstance(method.config, own):
        use = (*(config.keyword for config in own), *ONE_STEP)
        raise errors.feature_maps.method_not_applicable(method.config.name, use, method.span)


def _require_linear_part(system: OdeSystem[RightHandSide], method: Located[Integrator]) -> None:
    """Implicit-explicit methods need a term cY."""
    is_split = isinstance(system, FirstOrderOde) and system.rhs.reaction != 0
    if isinstance(method.config, Imex) and not is_split:
        raise errors.feature_maps.no_implicit_part(method.config.name, ONE_STEP, method.span)


def _reversible_methods(system: OdeSystem[VectorField]) -> tuple[type[Reversible], ...]:
    """The reversible methods for this kind of system."""
    match system:
        case FirstOrderOde():
            return ()
        case SecondOrderOde():
            return (Leapfrog,)
        case SeparableOde():
            return (Verlet,)
        case _:
            assert_never(system)


def _number_of_steps(method: Located[Integrator]) -> int:
    """The number of steps; 1 for adaptive methods."""
    match method.config:
        case Adaptive():
            return 1
        case config:
            assert config.steps is not None
            if config.steps > MAX_STEPS:
                raise errors.feature_maps.too_many_steps(config.steps, MAX_STEPS, method.span)
            return config.steps


def _require_widths(frame: NetworkBlock, pair: bool) -> None:
    """Requires that the stem matches the first stage, the image can be downsampled between stages, and the widths of a
    separable system are even."""
    stages, span = frame.stages, frame.place("stages")
    if frame.stem != stages[0]:
        raise errors.feature_maps.stem_mismatch(frame.stem, stages[0], frame.place("stem"))
    match frame.frame.config:
        case Paper():
            _require_downsampling(frame, min(frame.input.config.shape[1:]))
        case LipschitzFrame() as config:
            _require_lipschitz_frame(frame, config)
        case _:
            assert_never(frame.frame.config)
    odd = next((width for width in stages if width % 2), None)
    if pair and odd:
        raise errors.feature_maps.odd_width(odd, span)


def _require_downsampling(frame: NetworkBlock, size: int) -> None:
    halvings, image = len(frame.stages) - 1, frame.input.config
    if size >> halvings < 1:
        raise errors.feature_maps.too_many_stages(image.height, image.width, halvings, frame.place("stages"))


def _require_lipschitz_frame(frame: NetworkBlock, config: LipschitzFrame) -> None:
    """Requires patches that fit into image and channels, even widths for maxmin, dense layers if `head` is given."""
    image, at = frame.input.config, frame.place("frame")
    if config.patch > min(image.height, image.width):
        raise errors.feature_maps.patches_too_large(config.patch, image.height, image.width, at)
    channels = image.channels * config.patch**2
    if channels > frame.stem:
        raise errors.feature_maps.stem_too_narrow(channels, frame.stem, frame.place("stem"))
    _require_downsampling(frame, min(image.height, image.width) // config.patch)
    odd = next((width for width in frame.stages[1:] if width % 2), None)
    if odd and config.activation is FrameActivation.MAXMIN:
        raise errors.feature_maps.odd_maxmin_width(odd, frame.place("stages"))
    if frame.head is not None and not config.dense:
        raise errors.feature_maps.head_without_dense(frame.place("head"))


# ---- Box constraints


def require_overlapping_boxes(spec: Spec) -> None:
    boxes = weight_boxes(spec)
    for place, (box, span) in enumerate(boxes):
        for other, first in boxes[:place]:
            if other.operator == box.operator and max(other.low, box.low) > min(other.high, box.high):
                raise errors.networks.disjoint_boxes(box.operator, span, first)
