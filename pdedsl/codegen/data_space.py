"""Noise of the plan → noise blocks of the runtime."""

from __future__ import annotations

from typing import assert_never

from sympy import Expr, Symbol, sqrt

from pdedsl.codegen.expressions import field_at, fixed_part, rows, stacked
from pdedsl.codegen.fields import TIME, at_points, components, fields_in, formula, own_module, scalar, vector
from pdedsl.codegen.image_plane import integrator_node
from pdedsl.codegen.names import RUNTIME, maker_of, name_of, number, quoted
from pdedsl.codegen.program import Binding, Call, Function, Items, Lambda, Literal_, Method, Node, Op, Ref, Repeat
from pdedsl.config.methods import Across, Adaptive, Fixed, Law, Scores, Weighting, is_euler
from pdedsl.config.networks import (
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
from pdedsl.ir.noise import Added, Correlated, Dropped, Dropping, Inside, Noise, Plain, Relative, Scaled, Shared
from pdedsl.ir.plan import (
    Base,
    CrossEntropy,
    DataPlan,
    Family,
    NoiseStep,
    OperatorPiece,
    OperatorPlan,
    Part,
    ResidualBlocks,
    SdeSteps,
    TimeConditioned,
)
from pdedsl.ir.spec import ConditionKind, Learned, Spec
from pdedsl.ir.terms import Shape
from pdedsl.symbolic.symbols import INDEX

# ---- noise


Named = tuple[tuple[str, Node], ...]
SEED: Named = (("seed", 0),)
HOME = f"{RUNTIME}.sde.noise"


def noise_node(noise: Added, fields: tuple[Learned, ...], spec: Spec, t: Node = TIME) -> Node:
    """The noise block; `t` is the time at which a time-dependent size is evaluated."""
    names = {w.head: name_of(w) for w in fields}
    match noise:
        case Plain(std=std, law=law):
            return Call(f"{HOME}.{_class(law)}", (number(std),), SEED)
        case Relative(scale=scale, across=across, law=law):
            shared: Named = () if across is Across.SAMPLE else (("across", across.value),)
            return Call(f"{HOME}.RelativeNoise", (number(scale),), (*SEED, *shared, *_law(law)))
        case Scaled(std=std, law=law):
            size = formula(("x",), at_points(std, names, spec), (std,), names, t)
            return Call(f"{HOME}.ScaledNoise", (size,), (*SEED, *_law(law)))
        case Correlated(covariance=covariance, law=law):
            return Call(f"{HOME}.CorrelatedNoise", (_factor(covariance, names, spec),), (*SEED, *_law(law)))
        case _:
            assert_never(noise)


def _class(law: Law) -> str:
    match law:
        case Law.GAUSSIAN:
            return "GaussianNoise"
        case Law.LAPLACE:
            return "LaplaceNoise"
        case _:
            assert_never(law)


def _law(law: Law) -> Named:
    return () if law is Law.GAUSSIAN else (("law", law.value),)


def _factor(covariance: tuple[tuple[Expr, ...], ...], names: dict[Symbol, str], spec: Spec) -> Node:
    entries = [[scalar(e, names, spec) for e in row] for row in covariance]
    if all(e.is_number for row in covariance for e in row):
        table = Items(tuple(Items(tuple(number(e) for e in row)) for row in covariance))
        return Call(f"{RUNTIME}.sde.noise.cholesky", (Call("torch.tensor", (table,)),))
    exprs = [e for row in covariance for e in row]
    return formula(("x",), Call(f"{RUNTIME}.sde.noise.cholesky", (rows(entries),)), exprs, names)


# ---- parts
# Parts of a plan on a data space → modules: steps along a field, residual maps of a named network, noise.


WRITTEN_OUT = 256  # most steps whose times are listed one by one in the module


def part_comment(part: Part, spec: Spec) -> str:
    match part:
        case SdeSteps(scheme=Adaptive() as scheme, step=step, first=first, span=span):
            return f"{quoted(span, spec)}: {scheme.name} over a time of {step}, the first step at t = {first}"
        case SdeSteps(step=step, steps=steps, first=first, span=span):
            return f"{quoted(span, spec)}: {steps} steps of {step}, the first at t = {first}"
        case ResidualBlocks(step=step, span=span, noise=noise):
            shaken = f"; {quoted(noise.span, spec)}: {_how(noise)}" if noise else ""
            return f"{quoted(span, spec)}: residual maps, each a step of {step}{shaken}"
        case NoiseStep(noise=noise):
            return f"{quoted(noise.span, spec)}: noise on the whole state"
        case TimeConditioned(span=span) | Base(span=span):
            return quoted(span, spec)


def _how(noise: Noise) -> str:
    match noise:
        case Shared():
            return "two branches shared at random in each"
        case Dropped(of=of):
            return "each dropped as a whole" if of is Dropping.LAYER else "units dropped in each"
        case Plain() | Scaled() | Relative() | Correlated():
            return "noise behind each"
        case _:
            assert_never(noise)


def part_node(part: Part, plan: DataPlan, fields: tuple[Learned, ...], spec: Spec) -> Node:
    match part:
        case SdeSteps():
            return _walk(part, fields, spec)
        case ResidualBlocks():
            return _maps(part, plan, fields, spec)
        case NoiseStep(noise=noise):
            return noise_node(noise, fields, spec)
        case Base(net=net):
            return Method(_backbone(net, plan, time=False), "network")
        case TimeConditioned(net=net, time=time):
            network = Method(_backbone(net, plan, time=True), "network")
            timed = Call(f"{RUNTIME}.time_conditioning.TimeChannel", (network,))
            return Call(f"{RUNTIME}.sde.characteristic_steps.FixedTime", (timed, number(time)))


def _maps(maps: ResidualBlocks, plan: DataPlan, fields: tuple[Learned, ...], spec: Spec) -> Node:
    """The network with noise after its residual maps, or with random maps. Map l is at the time first ± l·Δt, at which
    a time-dependent size of the noise is evaluated."""
    backbone, noise = _backbone(maps.net, plan, time=False), maps.noise
    named: list[tuple[str, Node]] = []
    if isinstance(noise, Inside):
        backbone = _random(backbone, noise, _backbone(maps.branch, plan, time=False) if maps.branch else None)
    elif noise is not None:
        t = Op("+", (number(maps.first), Op("*", (number(maps.clock * maps.step), Ref("layer")))))
        named.append(("after", Lambda(("layer",), noise_node(noise, fields, spec, t))))
    if maps.before_readout is not None:
        named.append(("before_readout", noise_node(maps.before_readout, fields, spec)))
    return Method(backbone, "network", (), tuple(named))


def _random(backbone: Node, noise: Inside, branch: Node) -> Node:
    """A backbone whose maps are dropped at random, or mixed with those of another."""
    match noise:
        case Shared(std=std):
            return Call(f"{RUNTIME}.sde.random_residual.shaken", (backbone, branch), (("width", _width(std)),))
        case Dropped(keep=keep, of=of):
            return Call(f"{RUNTIME}.sde.random_residual.dropped", (backbone, number(keep)), _of(of))
        case _:
            assert_never(noise)


def _width(std: Expr) -> float:
    """w of α ~ U(½ - w, ½ + w), which has the variance w²/3."""
    return number(sqrt(3) * std)


def _of(dropping: Dropping) -> tuple[tuple[str, Node], ...]:
    return () if dropping is Dropping.UNITS else (("of", dropping.value),)


def _backbone(net: Network, plan: DataPlan, time: bool) -> Node:
    shape: Node = Items(plan.image if plan.image else (plan.dimension,))
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
        case Resnet(depth=(depth, *_)):
            return Call(f"{home}.resnet", (), (("depth", depth), *tail))
        case WideResnet(depth=depth, width=width):
            return Call(f"{home}.wide_resnet", (), (("depth", depth), ("width", width), *tail))
        case Resnet18() | PreactResnet18():
            return Call(f"{home}.{net.name}", (), tail)
        case Torchvision(model=model):
            return Call(f"{RUNTIME}.user_modules.torchvision_model", (model,), (("classes", plan.classes),))
        case Torch(maps=maps, counted=counted):
            given: tuple[tuple[str, Node], ...] = (("maps", Items(maps)),) if maps else ()
            given += (("count", counted),) if counted and not time else ()
            return Call(f"{RUNTIME}.user_modules.own_backbone", (own_module(net),), (*tail, *given))
        case Resnet() | Conv() | Linear():
            raise AssertionError(f"{net.name} has no residual maps")
        case _:
            assert_never(net)


def _walk(walk: SdeSteps, fields: tuple[Learned, ...], spec: Spec) -> Node:
    velocity = _pair(walk, fields) if isinstance(walk.noise, Shared) else vector(walk.field, fields, spec)
    named: list[tuple[str, Node]] = [("times", _times(walk)), ("dt", number(walk.step))]
    if not is_euler(walk.scheme):
        scheme = walk.scheme.name if isinstance(walk.scheme, Fixed) else integrator_node(walk.scheme)
        named.append(("scheme", scheme))
    named.append(("clock", float(walk.clock)))
    if isinstance(walk.noise, Inside):
        named.append(("inside", Lambda(("t",), _inside(walk.noise))))
    elif walk.noise is not None:
        named.append(("after", Lambda(("t",), noise_node(walk.noise, fields, spec))))
    return Call(f"{RUNTIME}.sde.characteristic_steps.CharacteristicSteps", (velocity,), tuple(named))


def _times(walk: SdeSteps) -> Node:
    """The time at which each step starts; many steps are computed in a call rather than listed."""
    if walk.steps > WRITTEN_OUT:
        return Call(
            f"{RUNTIME}.sde.characteristic_steps.instants",
            (number(walk.first), number(walk.clock * walk.step), walk.steps),
        )
    return Items(tuple(number(walk.first + walk.clock * k * walk.step) for k in range(walk.steps)))


def _pair(walk: SdeSteps, fields: tuple[Learned, ...]) -> Node:
    """Both branches at a point, (f(x, t), g(x, t))."""
    names = {w.head: name_of(w) for w in fields}
    both = Items(tuple(field_at(names[head]) for head in walk.branches))
    return formula(("x", "t"), both, walk.field, names)


def _inside(noise: Inside) -> Node:
    """The random operation on the velocity of a step."""
    match noise:
        case Shared(std=std):
            return Call(f"{RUNTIME}.sde.random_residual.Mix", (_width(std),), (("seed", 0),))
        case Dropped(keep=keep, of=of):
            return Call(f"{RUNTIME}.sde.random_residual.Dropout", (number(keep),), (("seed", 0), *_of(of)))
        case _:
            assert_never(noise)


# ---- classifier
# A plan on a data space → the functions that build its classifier: a member, and the mean over members.


PATH = "One network, in the order in which a path passes the equation."


def member_functions(plan: DataPlan, fields: tuple[Learned, ...], spec: Spec) -> list[Function]:
    """One network of each family."""
    named = zip(_member_names(plan), plan.families, strict=True)
    return [_member(name, family, plan, fields, spec) for name, family in named]


def _member_names(plan: DataPlan) -> list[str]:
    """`member`, or one for each depth: `member20`, `member32`."""
    if len(plan.families) == 1:
        return ["member"]
    nets = [p.net for f in plan.families for p in f.parts if isinstance(p, ResidualBlocks)]
    return [f"member{net.depth[0]}" for net in nets if isinstance(net, Resnet)]


def _member(name: str, family: Family, plan: DataPlan, fields: tuple[Learned, ...], spec: Spec) -> Function:
    """The parts in order, then the readout."""
    bindings = [Binding(name_of(w), Call(maker_of(w))) for w in fields]
    parts: list[Node] = []
    if plan.image and plan.readout:
        parts.append(Call("torch.nn.Flatten"))
    for k, part in enumerate(family.parts, 1):
        bindings.append(Binding(f"part{k}", part_node(part, plan, fields, spec), part_comment(part, spec)))
        parts.append(Ref(f"part{k}"))
    if plan.readout:
        bindings.append(Binding("readout", _readout(plan), quoted(plan.readout_span, spec)))
        parts.append(Ref("readout"))
    result = Call("torch.nn.Sequential", tuple(parts))
    if len(parts) == 1 and isinstance(parts[0], Ref):
        only = bindings.pop()
        return Function(name, (), PATH, tuple(bindings), only.value, only.comment)
    return Function(name, (), PATH, tuple(bindings), result)


def _readout(plan: DataPlan) -> Node:
    """The readout W, constrained to its norm bound or its box."""
    assert plan.classes is not None
    sizes = plan.dimension, plan.classes
    if plan.bound is not None:
        constraint = Call(f"{RUNTIME}.weight_constraints.NormBound", (number(plan.bound),))
    elif plan.box is not None:
        constraint = Call(f"{RUNTIME}.weight_constraints.Box", tuple(map(float, plan.box)))
    else:
        return Call("torch.nn.Linear", sizes, (("bias", False),))
    return Call(f"{RUNTIME}.linear_operators.Linear", sizes, (("constraint", constraint),))


def model_function(plan: DataPlan) -> Function:
    noisy = any(
        isinstance(p, NoiseStep)
        or (isinstance(p, SdeSteps | ResidualBlocks) and p.noise)
        or (isinstance(p, ResidualBlocks) and p.before_readout)
        for p in plan.parts
    )
    if not noisy and plan.members == 1:
        return Function(
            "model", (("seed", 0),), "Scores whose softmax is u; nothing in it is random.", (), Call("member")
        )
    named: list[tuple[str, Node]] = [("seed", Ref("seed")), ("samples", plan.samples)]
    if plan.average is not Scores.PROBABILITIES:
        named.append(("average", plan.average.value))
    if plan.weights is not Weighting.EQUAL:
        named.append(("weights", plan.weights.value))
    result = Call(f"{RUNTIME}.sde.feynman_kac.Expectation", (_members(plan),), tuple(named))
    return Function("model", (("seed", 0),), _model_doc(plan), (), result)


def _members(plan: DataPlan) -> Node:
    if len(plan.families) == 1:
        return Repeat(plan.members, Call("member"))
    named = zip(_member_names(plan), plan.families, strict=True)
    return Items(tuple(Call(name) for name, family in named for _ in range(family.members)), square=True)


def _model_doc(plan: DataPlan) -> str:
    weighted = ", with learned weights" if plan.weights is Weighting.LEARNED else ""
    apart = isinstance(plan.objective, CrossEntropy) and plan.objective.apart
    trained = " Members are trained apart, on `each`." if apart else ""
    return f"Scores whose softmax is u, the mean over draws and members{weighted}.{trained}"


# ---- operator
# An operator plan → the function that builds the evolution operator on R^d, and the solution for given data.


def operator_function(plan: OperatorPlan, fields: tuple[Learned, ...], spec: Spec) -> Function:
    pieces = tuple(_piece(piece, fields, spec) for piece in plan.pieces)
    params: list[tuple[str, Literal_]] = [(name_of(w), None) for w in fields]
    named: list[tuple[str, Node]] = [
        ("pieces", Items(pieces, square=True)),
        ("form", plan.direction),
        ("dt", number(plan.step)),
        ("scheme", plan.scheme.name),
        ("samples", Ref("samples")),
        ("seed", Ref("seed")),
    ]
    if plan.law is Law.LAPLACE:
        named.append(("law", plan.law.value))
    doc = "The evolution operator: operator(…)(f, x, t) is the solution at time t with data f."
    params += [("samples", plan.samples), ("seed", 0)]
    result = Call(f"{RUNTIME}.sde.feynman_kac.EvolutionOperator", (), tuple(named))
    return Function("operator", tuple(params), doc, (), result)


def _piece(piece: OperatorPiece, fields: tuple[Learned, ...], spec: Spec) -> Node:
    names = {w.head: name_of(w) for w in fields}
    still = all(b == 0 for b in piece.drift)
    drift: Node = None if still else _constant(piece.drift, spec) or vector(piece.drift, fields, spec)
    diffusion = _diffusion(piece.diffusivity, piece.shape, names, spec)
    rates = (("rate", piece.rate), ("source", piece.source))
    weights = tuple((key, _rate(e, names, spec)) for key, e in rates if e != 0)
    times = number(piece.start), number(piece.end)
    return Call(f"{RUNTIME}.sde.feynman_kac.GeneratorCoefficients", (*times, drift, diffusion), weights)


def _constant(exprs: tuple[Expr, ...], spec: Spec) -> Node:
    """A constant velocity, for which one step is exact."""
    values = [number(e) for e in exprs] if all(e.is_number for e in exprs) else []
    if not spec.space.explicit:
        values, rest = fixed_part(exprs[0], INDEX, spec.space.dimension)
        values = values if rest == 0 else []
    return Call(f"{RUNTIME}.tensor_helpers.constant", (Items(tuple(values), square=True),)) if values else None


def _diffusion(matrix: tuple[tuple[Expr, ...], ...], shape: Shape, names: dict[Symbol, str], spec: Spec) -> Node:
    if shape is Shape.NONE:
        return 0.0
    diagonal = tuple(matrix[i][i] for i in range(len(matrix)))
    if shape is Shape.ISOTROPIC:
        if diagonal[0].is_number:
            return number(diagonal[0])
        return formula(("x", "t"), at_points(diagonal[0], names, spec), diagonal[:1], names)
    if not spec.space.explicit:
        return formula(("x", "t"), components(diagonal, names, spec), diagonal, names)
    if all(e.is_number for row in matrix for e in row):
        table = Items(tuple(Items(tuple(number(e) for e in row), square=True) for row in matrix), square=True)
        return Call(f"{RUNTIME}.tensor_helpers.constant", (table,))
    if shape is Shape.FULL:
        entries = [[scalar(e, names, spec) for e in row] for row in matrix]
        return formula(("x", "t"), rows(entries), [e for row in matrix for e in row], names)
    return formula(("x", "t"), stacked([scalar(e, names, spec) for e in diagonal]), diagonal, names)


def _rate(expr: Expr, names: dict[Symbol, str], spec: Spec) -> Node:
    """A number, or a function of points and time."""
    return number(expr) if expr.is_number else formula(("x", "t"), at_points(expr, names, spec), (expr,), names)


def solution_function(fields: tuple[Learned, ...], spec: Spec) -> Function:
    """u at the end of the path for the data of the spec: x ↦ u(x)."""
    condition = next(c for c in spec.conditions if c.order == 0 and not c.on_boundary)
    assert spec.time is not None
    first, last = number(spec.time.start), number(spec.time.end)
    start, at = (first, spec.time.end) if condition.kind is ConditionKind.INITIAL else (last, spec.time.start)
    in_data = fields_in(list(condition.value), spec)
    names = {w.head: name_of(w) for w in in_data}
    data = formula(("x",), at_points(condition.value[0], names, spec), condition.value, names, start)
    bindings = tuple(Binding(name_of(w), Call(maker_of(w))) for w in spec.learned if w in (*fields, *in_data))
    called = Call("operator", (), (*((name_of(w), Ref(name_of(w))) for w in fields), ("seed", Ref("seed"))))
    result = Call(f"{RUNTIME}.sde.characteristic_steps.Solution", (called, data, number(at)))
    return Function(
        "model",
        (("seed", 0),),
        f"x to u(x, {at}), with the data of the spec.",
        bindings,
        result,
        quoted(condition.span, spec),
    )
