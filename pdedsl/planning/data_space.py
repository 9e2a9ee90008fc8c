"""Plan of a model on a data space: the steps along each SDE segment with their noise, the readout, the ensemble."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from sympy import Expr, S, Symbol, Tuple

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.methods import (
    Diffusion,
    Direction,
    Fixed,
    HeatSmoothing,
    Integrator,
    RandomizedSmoothing,
    ResidualPenalty,
    is_euler,
)
from pdedsl.config.methods import Noise as NoiseMethod
from pdedsl.config.networks import Linear, Mlp, Network, Torch, Torchvision, count_residual_blocks
from pdedsl.diagnostics import PdeError, Span, closest_match
from pdedsl.ir.noise import (
    BranchNoise,
    ConstantNoise,
    CorrelatedNoise,
    DropoutNoise,
    Noise,
    RelativeNoise,
    ShakeShakeNoise,
    ShakeShakeResidual,
    StateDependentNoise,
)
from pdedsl.ir.plan import (
    BaseNetwork,
    Bounds,
    DataPlan,
    MemberArchitecture,
    NoiseStep,
    Part,
    ResidualBlocks,
    SdeSteps,
    TimeConditioned,
    weight_box,
    weight_box_span,
    weight_boxes,
)
from pdedsl.ir.representation import PathExpectation, SdeSegment
from pdedsl.ir.spec import Learned, Space, Spec
from pdedsl.ir.types import Operator, Simplex, Vector
from pdedsl.numerics.butcher import EULER
from pdedsl.numerics.torchvision_models import MODELS
from pdedsl.planning.computability import learned_fields_in, require_computable_coefficients, require_computable_exprs
from pdedsl.planning.integrators import ensemble_size, has_stochastic_version, networks_by_depth, scheme_of, steps_of
from pdedsl.planning.noise import noise_of
from pdedsl.planning.objective import objective_of
from pdedsl.planning.operator import operator_plan_or_error
from pdedsl.planning.unused_options import require_used
from pdedsl.record import Record
from pdedsl.symbolic.symbols import Applied, Component, Field, Partial, Softmax

# ---- Parts of the network


Method = Located[Diffusion] | None
RESIDUAL_BLOCK_COUNT = Symbol("maps", integer=True, positive=True)  # of a user network that is not imported yet

Parts = tuple[Part, ...]


def plan_parts(paths: PathExpectation, spec: Spec, method: Method) -> tuple[Parts, ...]:
    """The parts of an ensemble member, for each depth if the network has a list of depths."""
    trained = method is not None and isinstance(method.config, ResidualPenalty | HeatSmoothing)
    if method is not None and trained and any(s.has_drift for s in paths.segments):
        return ((_time_conditioned_network(paths, spec, method),),)
    if method is not None and isinstance(method.config, ResidualPenalty) and isinstance(paths.data, Field):
        raise errors.methods.residual_penalty_of_base(method.span)
    used = [s for s in paths.segments if not trained or s.has_drift]
    count = max((1, *(len(_networks_by_depth(s, spec)) for s in used)))
    base = _base_network(paths, spec)
    return tuple(_parts_of_architecture(used, paths, spec, method, k) + ((base,) if base else ()) for k in range(count))


def _parts_of_architecture(
    segments: list[SdeSegment], paths: PathExpectation, spec: Spec, method: Method, architecture: int
) -> Parts:
    parts: list[Part] = []
    for segment in segments:
        parts += _segment_parts(segment, paths, spec, method, architecture)
    return tuple(_move_noise_before_readout(parts))


def _networks_by_depth(segment: SdeSegment, spec: Spec) -> tuple[Network, ...]:
    """The networks of a learned drift, one for each depth."""
    learned = _learned_drift(segment, spec)
    return networks_by_depth(learned.net.config) if learned and learned.net else ()


def _move_noise_before_readout(parts: list[Part]) -> list[Part]:
    """Standard architectures contain their readout: noise after the last block goes before it, nothing may follow."""
    for k, part in enumerate(parts):
        if isinstance(part, ResidualBlocks) and k + 1 < len(parts):
            last = parts[k + 1]
            if k + 2 < len(parts) or not isinstance(last, NoiseStep):
                raise errors.networks.network_in_two_intervals(part.span)
            return [*parts[:k], replace(part, before_readout=last.noise)]
    return parts


def _time_conditioned_network(paths: PathExpectation, spec: Spec, method: Located[Diffusion]) -> TimeConditioned:
    """A network with a time input, trained with a residual penalty and evaluated at the end of the diffusion."""
    segment = next(s for s in paths.segments if s.has_drift)
    learned = _learned_drift(segment, spec)
    if learned is None or learned.net is None:
        raise errors.methods.needs_learned_velocity(method.config.name, segment.convection_span or method.span)
    _require_not_divergence_free(learned, "a network trained with a residual penalty")
    _require_torchvision_model(learned.net.config, spec, learned.net.span)
    return TimeConditioned(_require_single_depth(learned.net), S.One, learned.span)


def _base_network(paths: PathExpectation, spec: Spec) -> BaseNetwork | None:
    """The network of learned data `u(x, 0) = base(x)`; None if the data are not learned."""
    if not isinstance(paths.data, Field):
        return None
    learned = next((w for w in spec.learned if w.head == paths.data.head), None)
    if learned is None or learned.net is None:
        return None
    _require_torchvision_model(learned.net.config, spec, learned.net.span)
    return BaseNetwork(_require_single_depth(learned.net), learned.span)


def _require_single_depth(net: Located[Network]) -> Network:
    if len(networks_by_depth(net.config)) > 1:
        raise errors.networks.list_of_depths(net.span)
    return net.config


def _segment_parts(
    segment: SdeSegment, paths: PathExpectation, spec: Spec, method: Method, architecture: int
) -> list[Part]:
    config = method.config if method else None
    if not segment.has_drift and all(e.is_number for row in segment.diffusivity for e in row):
        return [_pure_diffusion_step(segment, config)] if segment.has_diffusion else []
    if method is not None and isinstance(method.config, RandomizedSmoothing) and segment.has_diffusion:
        raise errors.methods.smoothing_with_transport(method.span)
    drift = learned_fields_in(segment.drift, spec)
    named = [w for w in drift if w.net is not None and not _is_vector_field(w.net.config, spec)]
    if not named:
        return [_sde_steps(segment, paths, spec, method)]
    learned = _learned_drift(segment, spec)
    if learned is None:
        assert named[0].net is not None
        place = segment.convection_span or named[0].span
        raise errors.networks.network_with_factor(named[0].net.config.name, named[0].name, place)
    return [_residual_blocks(segment, learned, paths, method, spec, architecture)]


def _is_vector_field(net: Network, spec: Spec) -> bool:
    """Whether a network is a vector field on R^d, unlike one on images, whose residual blocks are the steps."""
    return isinstance(net, Mlp) or (isinstance(net, Torch) and spec.space.image is None)


def _pure_diffusion_step(segment: SdeSegment, config: Diffusion | None) -> NoiseStep:
    """A segment without drift, in a single step."""
    noise = noise_of(segment, segment.length, config)
    assert not isinstance(noise, BranchNoise), "a random residual has a drift"
    return NoiseStep(noise)


def _sde_steps(segment: SdeSegment, paths: PathExpectation, spec: Spec, method: Method) -> SdeSteps:
    """Steps of a scheme along a drift on R^d."""
    scheme = scheme_of(spec, paths)
    steps = steps_of(scheme.config)
    dt = segment.length / steps
    time_sign = -1 if paths.direction is Direction.INITIAL else 1
    require_computable_coefficients(segment, spec)
    noise = noise_of(segment, dt, method.config if method else None) if segment.has_diffusion else None
    if noise is not None:
        _check_scheme_takes_noise(noise, scheme, segment)
    span = segment.convection_span or segment.diffusion_span or spec.space.span
    branches = _branches(segment) if isinstance(noise, ShakeShakeNoise) else ()
    return SdeSteps(segment.drift, segment.start, steps, dt, scheme.config, time_sign, noise, span, branches)


def _branches(segment: SdeSegment) -> tuple[Symbol, ...]:
    assert isinstance(segment.random_residual, ShakeShakeResidual)
    return segment.random_residual.branches


def _check_scheme_takes_noise(noise: Noise, scheme: Located[Integrator], segment: SdeSegment) -> None:
    """Requires a scheme with a stochastic version: Euler for all noise, Heun for additive, non-relative noise."""
    if not has_stochastic_version(scheme.config):
        raise errors.methods.integrator_with_noise(
            scheme.config.name, segment.diffusion_span or scheme.span, scheme.span
        )
    if is_euler(scheme.config):
        return
    match noise:
        case RelativeNoise():
            raise errors.methods.heun_with_multiplicative_noise("relative", scheme.span)
        case DropoutNoise():
            raise errors.methods.heun_with_multiplicative_noise("dropout", scheme.span)
        case ShakeShakeNoise():
            raise errors.methods.heun_with_multiplicative_noise("shake", scheme.span)
        case ConstantNoise() | StateDependentNoise() | CorrelatedNoise():
            return
        case _:
            assert_never(noise)


def _residual_blocks(
    segment: SdeSegment, learned: Learned, paths: PathExpectation, method: Method, spec: Spec, architecture: int
) -> ResidualBlocks:
    """The residual blocks of a standard architecture, which are Euler steps."""
    assert learned.net is not None
    if spec.space.image is None:
        raise errors.networks.needs_images(learned.net.config.name, learned.span, learned.net.span)
    _require_not_divergence_free(learned, learned.net.config.name)
    net = networks_by_depth(learned.net.config)[architecture]
    _require_torchvision_model(net, spec, learned.net.span)
    blocks = count_residual_blocks(net)
    _check_steps(net, blocks, spec)
    dt = segment.length / (RESIDUAL_BLOCK_COUNT if blocks is None else max(blocks, 1))
    noise = noise_of(segment, dt, method.config if method else None) if segment.has_diffusion else None
    if noise is not None:
        _check_block_noise(noise, net, blocks, spec)
    branch = _second_branch(segment, spec, architecture) if isinstance(noise, ShakeShakeNoise) else None
    time_sign = -1 if paths.direction is Direction.INITIAL else 1
    return ResidualBlocks(
        net, dt, noise, segment.convection_span or learned.span, segment.start, time_sign, branch=branch
    )


def _check_block_noise(noise: Noise, net: Network, blocks: int | None, spec: Spec) -> None:
    if isinstance(noise, CorrelatedNoise) or (
        isinstance(noise, StateDependentNoise) and not _depends_on_time_only(noise.std, spec)
    ):
        raise errors.networks.noise_not_constant(net.name, noise.span)
    if blocks == 0 and not isinstance(net, Torch):
        who = f"{net.model} of torchvision" if isinstance(net, Torchvision) else net.name
        raise errors.networks.without_blocks(who, noise.span)
    if isinstance(net, Torchvision) and isinstance(noise, BranchNoise):
        raise errors.networks.torchvision_random_blocks(noise.span)
    if isinstance(net, Torch) and isinstance(noise, BranchNoise):
        raise errors.networks.user_network_random_blocks(noise.span)


def _depends_on_time_only(std: Expr, spec: Spec) -> bool:
    """Whether a standard deviation depends only on time and learned scalars, so that it applies to any state."""
    known = {RESIDUAL_BLOCK_COUNT, *([spec.time.symbol] if spec.time else [])}
    heads = {w.head for w in learned_fields_in((std,), spec)}
    own = {w.head for w in learned_fields_in((std,), spec) if set(w.arguments) <= known}
    return own == heads and std.free_symbols - heads <= known and not std.has(Partial)


def _require_torchvision_model(net: Network, spec: Spec, span: Span) -> None:
    """Requires that a torchvision model exists and accepts images of this size."""
    if not isinstance(net, Torchvision) or spec.space.image is None:
        return
    record = MODELS.get(net.model)
    if record is None:
        raise errors.networks.unknown_torchvision_model(net.model, closest_match(net.model, MODELS), span)
    channels, height, width = spec.space.image
    if channels != 3:
        raise errors.networks.torchvision_channels(net.model, channels, span)
    if min(height, width) < record.min_size or (record.only and max(height, width) > record.min_size):
        raise errors.networks.torchvision_image_size(net.model, record.min_size, record.only, span)


def _require_not_divergence_free(learned: Learned, who: str) -> None:
    """Divergence-free types are only guaranteed for vector fields on R^d."""
    if isinstance(learned.type, Vector) and learned.type.divergence_free:
        raise errors.networks.not_divergence_free(who, learned.span)


def _check_steps(net: Network, blocks: int | None, spec: Spec) -> None:
    time = spec.realize.time or spec.realize.convection
    if time is not None and time.config not in (Fixed(method=EULER), Fixed(method=EULER, steps=blocks)):
        raise errors.methods.blocks_are_steps(blocks, net.name, time.span)


def _second_branch(segment: SdeSegment, spec: Spec, architecture: int) -> Network:
    """The second branch, which must have the architecture of the first."""
    first, second = learned_fields_in(segment.drift, spec)
    assert first.net is not None
    _require_not_divergence_free(second, first.net.config.name)
    if second.net != first.net or second.net is None:
        raise errors.networks.branches_differ(first.name, second.name, second.span)
    return networks_by_depth(second.net.config)[architecture]


def _learned_drift(segment: SdeSegment, spec: Spec) -> Learned | None:
    """The learned field that is the drift (of two branches, the first); None for any other drift."""
    if isinstance(segment.random_residual, ShakeShakeResidual):
        return learned_fields_in(segment.drift, spec)[0]
    heads: set[Symbol] = {b.head for b in segment.drift if isinstance(b, Field)}
    if len(heads) != 1 or not all(isinstance(b, Field) for b in segment.drift):
        return None
    return next((w for w in spec.learned if w.head in heads), None)


# ---- Readout: W of softmax(W x), or a learned network


class Readout(Record):
    """A linear map W to logits, with a norm bound ‖W‖ ≤ bound or a box constraint on its entries."""

    bound: Expr | None
    box: Bounds | None


def readout_of(paths: PathExpectation, spec: Spec, parts: tuple[Part, ...]) -> Readout | None:
    """W after the parts; None if a network returns logits, or the unknown is not a class probability."""
    operator: Learned | None = None
    named = next((p for p in parts if isinstance(p, ResidualBlocks | TimeConditioned)), None)
    if isinstance(spec.unknowns[0].type, Simplex):
        operator = _readout_operator(paths, spec) if isinstance(paths.data, Softmax) else None
        if operator is None:
            _check_terminal_network(paths, spec, named)
    _check_boxes(operator, spec)
    if operator is None:
        return None
    made = _constrained_readout(operator, spec)
    if named is None:
        return made
    if made != Readout(None, None):
        box = weight_boxes(spec)[0][1] if made.box else None
        raise errors.networks.readout_constraint(named.net.name, operator.name, box or operator.span, box)
    return None


def _readout_operator(paths: PathExpectation, spec: Spec) -> Learned:
    """The learned operator W of softmax(W x), which must be applied to the point itself."""
    scores = paths.data.args[0]
    head = scores.operator.head if isinstance(scores, Applied) and isinstance(scores.operator, Field) else None
    learned = next((w for w in spec.learned if w.head == head), None)
    if learned is None or not _is_point(scores.body, spec.space):
        raise errors.networks.nonlinear_logits(_point_text(spec.space), paths.data_span)
    assert learned.net is not None
    if not isinstance(learned.net.config, Linear):
        raise errors.networks.no_logits(learned.net.config.name, learned.span, learned.net.span)
    if learned.arguments:
        raise errors.networks.readout_in_time(learned.name, learned.span)
    return learned


def _is_point(expr: Expr, space: Space) -> bool:
    """Whether it is the point: (x, y), or xᵢ in a symbolic dimension."""
    if not space.explicit:
        return isinstance(expr, Component) and expr.args[0] == space.coordinates[0] and not expr.args[1].is_Integer
    return (tuple(expr) if isinstance(expr, Tuple) else (expr,)) == space.coordinates


def _point_text(space: Space) -> str:
    return space.names[0] if len(space.names) == 1 else f"[{', '.join(space.names)}]"


def _check_terminal_network(paths: PathExpectation, spec: Spec, named: ResidualBlocks | TimeConditioned | None) -> None:
    """Requires the data to be a learned network, evaluated at the point."""
    data = paths.data
    learned = next((w for w in spec.learned if isinstance(data, Field) and w.head == data.head), None)
    if learned is None or learned.net is None:
        raise errors.networks.no_probability_network(_point_text(spec.space), paths.data_span)
    if tuple(data.arguments) != tuple(learned.arguments):
        raise errors.networks.data_not_at_path_end(learned.name, paths.data_span)
    if named is not None:
        raise errors.networks.logits_twice(named.net.name, _point_text(spec.space), paths.data_span)
    if spec.space.image is None and not isinstance(learned.net.config, Mlp | Torch):
        raise errors.networks.needs_images(learned.net.config.name, learned.span, learned.net.span)


def _check_boxes(operator: Learned | None, spec: Spec) -> None:
    for box, span in weight_boxes(spec):
        if operator is None or box.operator != operator.name:
            raise errors.networks.not_in_network(box.operator, operator.name if operator else None, span)


def _constrained_readout(operator: Learned, spec: Spec) -> Readout:
    assert isinstance(operator.type, Operator)
    made = Readout(operator.type.bound, weight_box(operator.name, spec))
    if made.bound is not None and made.box is not None:
        raise errors.networks.norm_and_box(operator.name, operator.span, weight_box_span(operator.name, spec))
    return made


# ---- Plan


def plan_data(paths: PathExpectation, spec: Spec) -> DataPlan:
    classes = _classes(paths, spec)
    method = spec.realize.diffusion
    noise = method.config if method and isinstance(method.config, NoiseMethod) else NoiseMethod()
    architectures = plan_parts(paths, spec, method)
    members, samples, training_samples = ensemble_size(method.config if method else None)
    readout = readout_of(paths, spec, architectures[0])
    operator = operator_plan_or_error(paths, spec)
    if classes is None:  # the model is the evolution operator, which must exist
        if isinstance(operator, PdeError):
            raise operator
        require_computable_exprs((paths.data,), paths.data_span, spec)
    if readout and not isinstance(spec.space.dimension, int):
        raise errors.networks.unknown_dimension(spec.space.span)
    dimension = spec.space.dimension if isinstance(spec.space.dimension, int) else 0
    plan = DataPlan(
        tuple(MemberArchitecture(parts, members) for parts in architectures),
        dimension,
        spec.space.image,
        classes,
        readout is not None,
        samples,
        training_samples,
        noise.average,
        noise.weights,
        paths.data_span,
        operator,
        objective_of(paths, spec, method, dimension),
        readout.bound if readout else None,
        readout.box if readout else None,
    )
    require_used(plan, paths, spec)
    return plan


def _classes(paths: PathExpectation, spec: Spec) -> int | None:
    """The number of classes if the unknown is a class probability (whose sum must stay 1), otherwise None."""
    unknown = spec.unknowns[0]
    if not isinstance(unknown.type, Simplex):
        return None
    for segment in paths.segments:
        _require_sum(segment, spec)
    return unknown.type.classes


def _require_sum(segment: SdeSegment, spec: Spec) -> None:
    for kind, value, span in (
        ("reaction", segment.rate, segment.reaction_span),
        ("source", segment.source, segment.source_span),
    ):
        if value != 0:
            place = span or segment.convection_span or segment.diffusion_span or spec.space.span
            raise errors.networks.leaves_simplex(kind, spec.source.quote(place), place)
