"""Code generation for equations on a data space: SDE steps, residual blocks and noise; the evolution operator.

The emitted module has `member`, one network of the ensemble; `model`, the expectation over noise samples and ensemble
members; and, in R^d, `operator`, the evolution operator by the Feynman-Kac formula.
"""

from __future__ import annotations

from typing import assert_never

from sympy import Expr, Symbol, sqrt

from pdedsl.codegen.expressions import field_call, matrix_node, split_constant_vector, stack_node
from pdedsl.codegen.image_plane import integrator_node
from pdedsl.codegen.learned_fields import (
    TIME,
    components_node,
    fields_in,
    formula_node,
    pointwise_node,
    scalar_node,
    user_module_node,
    vector_node,
)
from pdedsl.codegen.names import RUNTIME, factory_name, python_name, source_reference, to_float
from pdedsl.codegen.program import (
    Binding,
    Call,
    FunctionDefinition,
    ItemList,
    Lambda,
    LiteralValue,
    Method,
    Node,
    Operation,
    Ref,
    Repeat,
)
from pdedsl.config.methods import Adaptive, EnsembleWeighting, Fixed, NoiseDistribution, NormReduction, Scores, is_euler
from pdedsl.config.networks import (
    RESNET_WIDTH,
    Cnn,
    Conv,
    Convnet,
    Linear,
    Mlp,
    Network,
    PreactResnet18,
    Resnet,
    Resnet18,
    Torch,
    Torchvision,
    WideResnet,
)
from pdedsl.ir.noise import (
    AdditiveNoise,
    BranchNoise,
    ConstantNoise,
    CorrelatedNoise,
    DropoutGranularity,
    DropoutNoise,
    Noise,
    RelativeNoise,
    ShakeShakeNoise,
    StateDependentNoise,
)
from pdedsl.ir.plan import (
    BaseNetwork,
    DataPlan,
    MemberArchitecture,
    MemberCrossEntropy,
    NoiseStep,
    OperatorPlan,
    OperatorSegment,
    Part,
    ResidualBlocks,
    SdeSteps,
    TimeConditioned,
)
from pdedsl.ir.spec import ConditionKind, Learned, Spec
from pdedsl.ir.terms import MatrixStructure
from pdedsl.symbolic.symbols import INDEX

# ---- Noise


KeywordArguments = tuple[tuple[str, Node], ...]
SEED: KeywordArguments = (("seed", 0),)
NOISE = f"{RUNTIME}.sde.noise"


def noise_node(noise: AdditiveNoise, fields: tuple[Learned, ...], spec: Spec, t: Node = TIME) -> Node:
    """The noise block; `t` is the time at which a time-dependent noise level is evaluated."""
    names = {w.head: python_name(w) for w in fields}
    match noise:
        case ConstantNoise(std=std, law=law):
            return Call(f"{NOISE}.{_noise_class(law)}", (to_float(std),), SEED)
        case RelativeNoise(scale=scale, across=across, law=law):
            shared: KeywordArguments = () if across is NormReduction.SAMPLE else (("across", across.value),)
            return Call(f"{NOISE}.RelativeNoise", (to_float(scale),), (*SEED, *shared, *_law_option(law)))
        case StateDependentNoise(std=std, law=law):
            size = formula_node("noise_std", ("x",), pointwise_node(std, names, spec), (std,), names, t)
            return Call(f"{NOISE}.ScaledNoise", (size,), (*SEED, *_law_option(law)))
        case CorrelatedNoise(covariance=covariance, law=law):
            return Call(
                f"{NOISE}.CorrelatedNoise", (_covariance_factor(covariance, names, spec),), (*SEED, *_law_option(law))
            )
        case _:
            assert_never(noise)


def _noise_class(law: NoiseDistribution) -> str:
    match law:
        case NoiseDistribution.GAUSSIAN:
            return "GaussianNoise"
        case NoiseDistribution.LAPLACE:
            return "LaplaceNoise"
        case _:
            assert_never(law)


def _law_option(law: NoiseDistribution) -> KeywordArguments:
    return () if law is NoiseDistribution.GAUSSIAN else (("law", law.value),)


def _covariance_factor(covariance: tuple[tuple[Expr, ...], ...], names: dict[Symbol, str], spec: Spec) -> Node:
    entries = [[scalar_node(e, names, spec) for e in row] for row in covariance]
    if all(e.is_number for row in covariance for e in row):
        table = ItemList(tuple(ItemList(tuple(to_float(e) for e in row)) for row in covariance))
        return Call(f"{RUNTIME}.sde.noise.cholesky", (Call("torch.tensor", (table,)),))
    exprs = [e for row in covariance for e in row]
    factor = Call(f"{NOISE}.cholesky", (matrix_node(entries),))
    return formula_node("noise_factor", ("x",), factor, exprs, names)


# ---- Blocks: SDE steps, residual blocks of a backbone, noise


MAX_LISTED_TIMES = 256  # more step times are emitted as uniform_times(…)


def part_comment(part: Part, spec: Spec) -> str:
    match part:
        case SdeSteps(scheme=Adaptive() as scheme, step=step, start=first, span=span):
            return f"{source_reference(span, spec)}: {scheme.name} over a time of {step}, starting at t = {first}"
        case SdeSteps(step=step, steps=steps, start=first, span=span):
            return f"{source_reference(span, spec)}: {steps} steps of length {step}, starting at t = {first}"
        case ResidualBlocks(step=step, span=span, noise=noise):
            noise_text = f"; {source_reference(noise.span, spec)}: {_noise_description(noise)}" if noise else ""
            return f"{source_reference(span, spec)}: residual blocks, each a step of length {step}{noise_text}"
        case NoiseStep(noise=noise):
            return f"{source_reference(noise.span, spec)}: noise added to the state"
        case TimeConditioned(span=span) | BaseNetwork(span=span):
            return source_reference(span, spec)


def _noise_description(noise: Noise) -> str:
    match noise:
        case ShakeShakeNoise():
            return "two branches mixed by random convex weights in each block (shake-shake)"
        case DropoutNoise(granularity=of):
            return (
                "each dropped at random (stochastic depth)"
                if of is DropoutGranularity.LAYER
                else "units dropped at random"
            )
        case ConstantNoise() | StateDependentNoise() | RelativeNoise() | CorrelatedNoise():
            return "noise after each block"
        case _:
            assert_never(noise)


def part_node(part: Part, plan: DataPlan, fields: tuple[Learned, ...], spec: Spec) -> Node:
    match part:
        case SdeSteps():
            return _sde_steps_node(part, fields, spec)
        case ResidualBlocks():
            return _residual_blocks_node(part, plan, fields, spec)
        case NoiseStep(noise=noise):
            return noise_node(noise, fields, spec)
        case BaseNetwork(net=net):
            return Method(_backbone_node(net, plan, time=False), "network")
        case TimeConditioned(net=net, time=time):
            network = Method(_backbone_node(net, plan, time=True), "network")
            timed = Call(f"{RUNTIME}.time_conditioning.TimeChannel", (network,))
            return Call(f"{RUNTIME}.learned_fields.FixedTime", (timed, to_float(time)))


def _residual_blocks_node(maps: ResidualBlocks, plan: DataPlan, fields: tuple[Learned, ...], spec: Spec) -> Node:
    """The network with noise after its residual blocks, or with random residuals. Block l is at time first ± l·Δt, at
    which a time-dependent noise level is evaluated."""
    backbone, noise = _backbone_node(maps.net, plan, time=False), maps.noise
    named: list[tuple[str, Node]] = []
    if isinstance(noise, BranchNoise):
        backbone = _random_residual_node(
            backbone, noise, _backbone_node(maps.branch, plan, time=False) if maps.branch else None
        )
    elif noise is not None:
        t = Operation("+", (to_float(maps.start), Operation("*", (to_float(maps.time_sign * maps.step), Ref("layer")))))
        named.append(("after", Lambda(("layer",), noise_node(noise, fields, spec, t))))
    if maps.before_readout is not None:
        named.append(("before_readout", noise_node(maps.before_readout, fields, spec)))
    return Method(backbone, "network", (), tuple(named))


def _random_residual_node(backbone: Node, noise: BranchNoise, branch: Node) -> Node:
    """A backbone whose residuals are dropped at random, or mixed with those of another."""
    match noise:
        case ShakeShakeNoise(std=std):
            return Call(
                f"{RUNTIME}.sde.random_residual.shake_shake", (backbone, branch), (("width", _uniform_half_width(std)),)
            )
        case DropoutNoise(keep_probability=keep, granularity=of):
            return Call(f"{RUNTIME}.sde.random_residual.add_dropout", (backbone, to_float(keep)), _dropout_unit(of))
        case _:
            assert_never(noise)


def _uniform_half_width(std: Expr) -> float:
    """w of α ~ U(½ - w, ½ + w), which has the variance w²/3."""
    return to_float(sqrt(3) * std)


def _dropout_unit(dropping: DropoutGranularity) -> tuple[tuple[str, Node], ...]:
    return () if dropping is DropoutGranularity.UNITS else (("of", dropping.value),)


def _backbone_node(net: Network, plan: DataPlan, time: bool) -> Node:
    shape: Node = ItemList(plan.image if plan.image else (plan.dimension,))
    assert plan.classes is not None
    tail: tuple[tuple[str, Node], ...] = (("shape", shape), ("classes", plan.classes))
    tail += (("time", True),) if time else ()
    home = f"{RUNTIME}.backbones"
    match net:
        case Mlp(width=width, depth=depth, activation=activation):
            named = (("width", width), ("depth", depth), *tail, ("activation", activation.name))
            return Call(f"{home}.mlp", (), named)
        case Convnet(layers=layers, activation=activation):
            named = (("width", 32), ("depth", layers), *tail, ("activation", activation.name))
            return Call(f"{home}.convnet", (), named)
        case Cnn(widths=widths, activation=activation):
            return Call(f"{home}.cnn", (ItemList(widths),), (*tail, ("activation", activation.name)))
        case Resnet(depth=(depth, *_), width=width):
            named = (("depth", depth), *((("width", width),) if width != RESNET_WIDTH else ()), *tail)
            return Call(f"{home}.resnet", (), named)
        case WideResnet(depth=depth, width=width):
            return Call(f"{home}.wide_resnet", (), (("depth", depth), ("width", width), *tail))
        case Resnet18() | PreactResnet18():
            return Call(f"{home}.{net.name}", (), tail)
        case Torchvision(model=model):
            return Call(f"{RUNTIME}.user_modules.torchvision_model", (model,), (("classes", plan.classes),))
        case Torch(maps=maps, residual_blocks=counted):
            options: tuple[tuple[str, Node], ...] = (("residual_blocks", ItemList(maps)),) if maps else ()
            options += (("count", counted),) if counted and not time else ()
            return Call(f"{RUNTIME}.user_modules.user_backbone", (user_module_node(net),), (*tail, *options))
        case Resnet() | Conv() | Linear():
            raise AssertionError(f"{net.name} has no residual blocks")
        case _:
            assert_never(net)


def _sde_steps_node(steps: SdeSteps, fields: tuple[Learned, ...], spec: Spec) -> Node:
    velocity = (
        _branch_pair(steps, fields)
        if isinstance(steps.noise, ShakeShakeNoise)
        else vector_node(steps.drift, fields, spec)
    )
    named: list[tuple[str, Node]] = [("times", _step_times(steps)), ("dt", to_float(steps.step))]
    if not is_euler(steps.scheme):
        scheme = steps.scheme.name if isinstance(steps.scheme, Fixed) else integrator_node(steps.scheme)
        named.append(("scheme", scheme))
    named.append(("direction", float(steps.time_sign)))
    if isinstance(steps.noise, BranchNoise):
        named.append(("velocity_noise", Lambda(("t",), _velocity_noise(steps.noise))))
    elif steps.noise is not None:
        named.append(("noise", Lambda(("t",), noise_node(steps.noise, fields, spec))))
    return Call(f"{RUNTIME}.sde.characteristic_steps.CharacteristicSteps", (velocity,), tuple(named))


def _step_times(steps: SdeSteps) -> Node:
    """The time at which each step starts; many steps are computed in a call rather than listed."""
    if steps.steps > MAX_LISTED_TIMES:
        return Call(
            f"{RUNTIME}.sde.characteristic_steps.uniform_times",
            (to_float(steps.start), to_float(steps.time_sign * steps.step), steps.steps),
        )
    return ItemList(tuple(to_float(steps.start + steps.time_sign * k * steps.step) for k in range(steps.steps)))


def _branch_pair(steps: SdeSteps, fields: tuple[Learned, ...]) -> Node:
    """Both branches at a point, (f(x, t), g(x, t)), for shake-shake."""
    names = {w.head: python_name(w) for w in fields}
    both = ItemList(tuple(field_call(names[head]) for head in steps.branches))
    return formula_node("branches", ("x", "t"), both, steps.drift, names)


def _velocity_noise(noise: BranchNoise) -> Node:
    """The random operation on the velocity of a step."""
    match noise:
        case ShakeShakeNoise(std=std):
            return Call(f"{RUNTIME}.sde.random_residual.RandomMix", (_uniform_half_width(std),), (("seed", 0),))
        case DropoutNoise(keep_probability=keep, granularity=of):
            return Call(f"{RUNTIME}.sde.random_residual.Dropout", (to_float(keep),), (("seed", 0), *_dropout_unit(of)))
        case _:
            assert_never(noise)


# ---- Ensemble members and their expectation


MEMBER_DOC = "One ensemble member: its blocks in the order in which a path passes through the equation."


def member_functions(plan: DataPlan, fields: tuple[Learned, ...], spec: Spec) -> list[FunctionDefinition]:
    """One network of each architecture."""
    named = zip(_member_names(plan), plan.architectures, strict=True)
    return [_member(name, own, plan, fields, spec) for name, own in named]


def _member_names(plan: DataPlan) -> list[str]:
    """`member`, or one for each depth: `member_20`, `member_32`."""
    if len(plan.architectures) == 1:
        return ["member"]
    nets = [p.net for f in plan.architectures for p in f.parts if isinstance(p, ResidualBlocks)]
    return [f"member_{net.depth[0]}" for net in nets if isinstance(net, Resnet)]


def _member(
    name: str, own: MemberArchitecture, plan: DataPlan, fields: tuple[Learned, ...], spec: Spec
) -> FunctionDefinition:
    """The blocks in order, then the readout."""
    bindings = [Binding(python_name(w), Call(factory_name(w))) for w in fields]
    parts: list[Node] = []
    if plan.image and plan.readout:
        parts.append(Call("torch.nn.Flatten"))
    for k, part in enumerate(own.parts, 1):
        bindings.append(Binding(f"block_{k}", part_node(part, plan, fields, spec), part_comment(part, spec)))
        parts.append(Ref(f"block_{k}"))
    if plan.readout:
        bindings.append(Binding("readout", _readout(plan), source_reference(plan.readout_span, spec)))
        parts.append(Ref("readout"))
    result = Call("torch.nn.Sequential", tuple(parts))
    if len(parts) == 1 and isinstance(parts[0], Ref):
        only = bindings.pop()
        return FunctionDefinition(name, (), MEMBER_DOC, tuple(bindings), only.value, only.comment)
    return FunctionDefinition(name, (), MEMBER_DOC, tuple(bindings), result)


def _readout(plan: DataPlan) -> Node:
    """The linear readout W, with its norm bound or box constraint."""
    assert plan.classes is not None
    sizes = plan.dimension, plan.classes
    if plan.bound is not None:
        constraint = Call(f"{RUNTIME}.weight_constraints.SpectralNormBound", (to_float(plan.bound),))
    elif plan.box is not None:
        constraint = Call(f"{RUNTIME}.weight_constraints.BoxConstraint", tuple(map(float, plan.box)))
    else:
        return Call("torch.nn.Linear", sizes, (("bias", False),))
    return Call(f"{RUNTIME}.linear_operators.DenseOperator", sizes, (("constraint", constraint),))


def model_function(plan: DataPlan) -> FunctionDefinition:
    if not plan.is_random and plan.members == 1:
        return FunctionDefinition(
            "model", (("seed", 0),), "Logits whose softmax is u; deterministic.", (), Call("member")
        )
    named: list[tuple[str, Node]] = [("seed", Ref("seed")), ("samples", plan.training_samples)]
    if plan.samples != plan.training_samples:
        named.append(("eval_samples", plan.samples))
    if plan.average is not Scores.PROBABILITIES:
        named.append(("average", plan.average.value))
    if plan.weights is not EnsembleWeighting.EQUAL:
        named.append(("weights", plan.weights.value))
    result = Call(f"{RUNTIME}.sde.feynman_kac.Expectation", (_members_node(plan),), tuple(named))
    return FunctionDefinition("model", (("seed", 0),), _model_doc(plan), (), result)


def _members_node(plan: DataPlan) -> Node:
    if len(plan.architectures) == 1:
        return Repeat(plan.members, Call("member"))
    named = zip(_member_names(plan), plan.architectures, strict=True)
    return ItemList(tuple(Call(name) for name, own in named for _ in range(own.members)), square=True)


def _model_doc(plan: DataPlan) -> str:
    weighted = ", with learned weights" if plan.weights is EnsembleWeighting.LEARNED else ""
    apart = isinstance(plan.objective, MemberCrossEntropy)
    trained = " Members are trained independently, on `each`." if apart else ""
    return f"Logits whose softmax is u, the mean over noise samples and ensemble members{weighted}.{trained}"


# ---- Evolution operator on R^d, and the solution for the data of the spec


def operator_function(plan: OperatorPlan, fields: tuple[Learned, ...], spec: Spec) -> FunctionDefinition:
    pieces = tuple(_coefficients_node(piece, fields, spec) for piece in plan.segments)
    params: list[tuple[str, LiteralValue]] = [(python_name(w), None) for w in fields]
    named: list[tuple[str, Node]] = [
        ("pieces", ItemList(pieces, square=True)),
        ("form", plan.direction),
        ("dt", to_float(plan.step)),
        ("scheme", plan.scheme.name),
        ("samples", Ref("samples")),
        ("seed", Ref("seed")),
    ]
    if plan.law is NoiseDistribution.LAPLACE:
        named.append(("law", plan.law.value))
    doc = f"Evolution operator: operator(…)(f, x, t) is the solution u(x, t) for {plan.direction} data f."
    params += [("samples", plan.samples), ("seed", 0)]
    result = Call(f"{RUNTIME}.sde.feynman_kac.EvolutionOperator", (), tuple(named))
    return FunctionDefinition("operator", tuple(params), doc, (), result)


def _coefficients_node(piece: OperatorSegment, fields: tuple[Learned, ...], spec: Spec) -> Node:
    names = {w.head: python_name(w) for w in fields}
    still = all(b == 0 for b in piece.drift)
    drift: Node = None if still else _constant_vector(piece.drift, spec) or vector_node(piece.drift, fields, spec)
    diffusion = _diffusion_node(piece.diffusivity, piece.structure, names, spec)
    rates = (("rate", piece.rate), ("source", piece.source))
    weights = tuple((key, _rate_node(key, e, names, spec)) for key, e in rates if e != 0)
    times = to_float(piece.start), to_float(piece.end)
    return Call(f"{RUNTIME}.sde.feynman_kac.GeneratorCoefficients", (*times, drift, diffusion), weights)


def _constant_vector(exprs: tuple[Expr, ...], spec: Spec) -> Node:
    """A constant drift, for which one step is exact."""
    values = [to_float(e) for e in exprs] if all(e.is_number for e in exprs) else []
    if not spec.space.explicit:
        values, rest = split_constant_vector(exprs[0], INDEX, spec.space.dimension)
        values = values if rest == 0 else []
    return Call(f"{RUNTIME}.tensor_helpers.constant", (ItemList(tuple(values), square=True),)) if values else None


def _diffusion_node(
    matrix: tuple[tuple[Expr, ...], ...], shape: MatrixStructure, names: dict[Symbol, str], spec: Spec
) -> Node:
    if shape is MatrixStructure.NONE:
        return 0.0
    diagonal = tuple(matrix[i][i] for i in range(len(matrix)))
    if shape is MatrixStructure.ISOTROPIC:
        if diagonal[0].is_number:
            return to_float(diagonal[0])
        return formula_node("diffusion", ("x", "t"), pointwise_node(diagonal[0], names, spec), diagonal[:1], names)
    if not spec.space.explicit:
        return formula_node("diffusion", ("x", "t"), components_node(diagonal, names, spec), diagonal, names)
    if all(e.is_number for row in matrix for e in row):
        table = ItemList(tuple(ItemList(tuple(to_float(e) for e in row), square=True) for row in matrix), square=True)
        return Call(f"{RUNTIME}.tensor_helpers.constant", (table,))
    if shape is MatrixStructure.FULL:
        entries = [[scalar_node(e, names, spec) for e in row] for row in matrix]
        return formula_node("diffusion", ("x", "t"), matrix_node(entries), [e for row in matrix for e in row], names)
    stacked = stack_node([scalar_node(e, names, spec) for e in diagonal])
    return formula_node("diffusion", ("x", "t"), stacked, diagonal, names)


def _rate_node(label: str, expr: Expr, names: dict[Symbol, str], spec: Spec) -> Node:
    """A constant, or a function of points and time."""
    return (
        to_float(expr)
        if expr.is_number
        else formula_node(label, ("x", "t"), pointwise_node(expr, names, spec), (expr,), names)
    )


def solution_function(fields: tuple[Learned, ...], spec: Spec) -> FunctionDefinition:
    """x ↦ u(x, t) for the data of the spec, at the time farthest from the data."""
    condition = next(c for c in spec.conditions if c.order == 0 and not c.on_boundary)
    assert spec.time is not None
    first, last = to_float(spec.time.start), to_float(spec.time.end)
    start, at = (first, spec.time.end) if condition.kind is ConditionKind.INITIAL else (last, spec.time.start)
    in_data = fields_in(list(condition.value), spec)
    names = {w.head: python_name(w) for w in in_data}
    data = formula_node(
        f"{condition.kind.value}_data",
        ("x",),
        pointwise_node(condition.value[0], names, spec),
        condition.value,
        names,
        start,
    )
    bindings = tuple(Binding(python_name(w), Call(factory_name(w))) for w in spec.learned if w in (*fields, *in_data))
    called = Call("operator", (), (*((python_name(w), Ref(python_name(w))) for w in fields), ("seed", Ref("seed"))))
    result = Call(f"{RUNTIME}.sde.feynman_kac.FeynmanKacSolution", (called, data, to_float(at)))
    return FunctionDefinition(
        "model",
        (("seed", 0),),
        f"x ↦ u(x, {at}) for the data of the spec.",
        bindings,
        result,
        source_reference(condition.span, spec),
    )
