"""Plan → program: each block with its constructor and arguments, said once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from keyword import iskeyword

from sympy import Expr, Symbol

from pdedsl.diagnostics import Span, fail
from pdedsl.emit.expressions import node_of, rows, stacked
from pdedsl.emit.image import image_functions
from pdedsl.emit.program import (
    Binding,
    Call,
    Function,
    Items,
    Lambda,
    Literal_,
    Method,
    Node,
    Program,
    Ref,
    Repeat,
    nodes_in,
)
from pdedsl.ir.plan import Base, DataPlan, ImagePlan, Maps, Model, Noise, OperatorPlan, Part, Shake, Timed, Walk
from pdedsl.ir.spec import Learned, Setting, Spec
from pdedsl.ir.symbols import Field
from pdedsl.ir.types import Matrix, Scalar, Vector

RUNTIME = "pdedsl.runtime"
TAKEN = frozenset(  # names of the written module itself
    "x t seed samples member model operator readout layer range torch nn stack stack_rows number cholesky "
    "vector_field mlp resnet resnet18 preact_resnet18 wide_resnet convnet dropped torchvision_model".split()
)
PATH = "One network, in the order in which a path passes the equation."
NOISES = {"gaussian": "GaussianNoise", "laplace": "LaplaceNoise", "relative": "RelativeNoise"}


def program_of(model: Model, operator: OperatorPlan | None, spec: Spec) -> Program:
    """The whole model as functions that build it."""
    title = f" {spec.title}." if spec.title else ""
    doc = f"{spec.name}.{title}\n\nCompiled by pdedsl from spec.pde.".replace("\\", "\\\\")
    if isinstance(model, ImagePlan):
        return Program(doc, image_functions(model, spec))
    in_model = _fields_in(_model_exprs(model), spec)
    in_operator = _fields_in(_operator_exprs(operator), spec) if operator else ()
    functions = [_field_function(w, spec) for w in spec.learned if w in (*in_model, *in_operator)]
    if model.classes is not None:
        functions += [_member(model, in_model, spec), _model(model)]
    if operator is not None:
        functions.append(_operator(operator, in_operator, spec))
        if model.classes is None:
            functions.append(_solution(in_operator, spec))
    return Program(doc, tuple(functions))


# ---- names and places


def name_of(learned: Learned) -> str:
    """A Python name for a field of the spec."""
    name = learned.id
    taken = iskeyword(name) or name in TAKEN or name[:1].isupper() or re.fullmatch(r"part\d+|make_.*", name)
    return f"{name}_" if taken else name


def maker_of(learned: Learned) -> str:
    return f"make_{learned.id}"


def quoted(span: Span, spec: Spec) -> str:
    """A term with its place, for a comment."""
    line, _ = spec.source.position(span.start)
    text = " ".join(spec.source.at(span).split())
    return f"{text} (spec.pde:{line})"


def number(value: Expr) -> float:
    return float(value)


# ---- fields on R^d


def _model_exprs(model: DataPlan) -> list[Expr]:
    """What the model computes from points: velocities and noise that depends on the state."""
    exprs: list[Expr] = []
    for part in model.parts:
        if isinstance(part, Walk):
            exprs += part.field
        noise = part.noise if isinstance(part, Walk | Shake) else None
        if noise is not None:
            exprs += [e for row in noise.matrix for e in row] + ([noise.value] if noise.value is not None else [])
    return exprs


def _operator_exprs(operator: OperatorPlan) -> list[Expr]:
    return [e for p in operator.pieces for e in (*p.drift, *(a for row in p.diffusivity for a in row))]


def _fields_in(exprs: list[Expr], spec: Spec) -> tuple[Learned, ...]:
    heads = {f.head for e in exprs for f in e.atoms(Field)}
    return tuple(w for w in spec.learned if w.head in heads)


def _field_function(learned: Learned, spec: Spec) -> Function:
    return Function(maker_of(learned), (), f"{quoted(learned.span, spec)}.", (), _field(learned, spec))


def _field(learned: Learned, spec: Spec) -> Node:
    dimension = spec.space.dimension
    if not isinstance(dimension, int):
        raise fail("E604", "a network needs a space of known dimension", spec.space.span, "use R^2")
    sign = learned.type.sign if isinstance(learned.type, Scalar) else ""
    psd = isinstance(learned.type, Matrix) and learned.type.psd
    if learned.net is None:
        shape = {Scalar: 0, Vector: 1, Matrix: 2}.get(type(learned.type), 0)
        return Call(f"{RUNTIME}.marching.Number", (Items((dimension,) * shape),), (("sign", sign), ("psd", psd)))
    if learned.net.name != "mlp":
        raise fail("E604", f"{learned.net.name} is no field on R^d", learned.span, "use mlp")
    match learned.type:
        case Vector():
            return _network(learned, dimension, dimension, spec)
        case Matrix():
            network = _network(learned, dimension, dimension**2, spec)
            return Call(f"{RUNTIME}.marching.MatrixField", (network, dimension), (("psd", psd),))
        case _:
            return Call(f"{RUNTIME}.marching.ScalarField", (_network(learned, dimension, 1, spec),), (("sign", sign),))


def _network(learned: Learned, dimension: int, outputs: int, spec: Spec) -> Node:
    net = learned.net
    assert net is not None
    timed = spec.time is not None and spec.time.symbol in learned.arguments
    named: list[tuple[str, Node]] = [("activation", str(net["activation"])), ("time", timed)]
    if outputs != dimension:
        named.append(("outputs", outputs))
    made = Call(
        f"{RUNTIME}.backbones.vector_field", (dimension, whole(net, "width"), whole(net, "depth")), tuple(named)
    )
    reads = [c in learned.arguments for c in spec.space.coordinates]
    if all(reads):
        return made
    return Call(f"{RUNTIME}.marching.Reading", (made, Items(tuple(1.0 if r else 0.0 for r in reads))))


def whole(net: Setting, key: str) -> int:
    return int(str(net[key]))


def _vector(exprs: tuple[Expr, ...], fields: tuple[Learned, ...], spec: Spec, span: Span) -> Node:
    """A velocity: a learned field as it is, or a function of x and t."""
    names = {w.head: name_of(w) for w in fields}
    own = [e.head for e in exprs if isinstance(e, Field)]
    if (
        len(own) == len(exprs)
        and len(set(own)) == 1
        and [int(e.indices[0]) for e in exprs] == list(range(1, len(exprs) + 1))
    ):
        return Ref(names[own[0]])
    parts = [_scalar(e, names, spec, span) for e in exprs]
    return _formula(("x", "t"), stacked(parts), exprs, names)


def _formula(params: tuple[str, ...], body: Node, exprs: Iterable[Expr], names: dict[Symbol, str]) -> Node:
    """A function of points; learned fields in it are given to it, so that they are parts of the model."""
    heads = {f.head for e in exprs for f in e.atoms(Field)}
    used = [name for head, name in names.items() if head in heads]
    function: Node = Lambda((*params, *used), body)
    if "t" not in params and _mentions(body, "t"):  # the time of the layer, which is fixed
        function = Call("functools.partial", (Lambda((*params, *used, "t"), body),), (("t", Ref("t")),))
    if not used:
        return function
    return Call(f"{RUNTIME}.marching.Composed", (function,), tuple((name, Ref(name)) for name in used))


def _mentions(node: Node, name: str) -> bool:
    return any(n == Ref(name) for n in nodes_in(node))


def _scalar(expr: Expr, names: dict[Symbol, str], spec: Spec, span: Span) -> Node:
    time = spec.time.symbol if spec.time else None
    return node_of(expr, spec.space.coordinates, time, names, span)


# ---- the classifier


def _member(plan: DataPlan, fields: tuple[Learned, ...], spec: Spec) -> Function:
    """One network: the parts in order, then the readout."""
    bindings = [Binding(name_of(w), Call(maker_of(w))) for w in fields]
    parts: list[Node] = []
    if plan.image and plan.readout:
        parts.append(Call("torch.nn.Flatten"))
    for k, part in enumerate(plan.parts, 1):
        name = f"part{k}"
        bindings.append(Binding(name, _part(part, plan, fields, spec), _part_comment(part, spec)))
        parts.append(Ref(name))
    if plan.readout:
        assert plan.classes is not None
        head = Call("torch.nn.Linear", (plan.dimension, plan.classes), (("bias", False),))
        bindings.append(Binding("readout", head, quoted(plan.readout_span, spec)))
        parts.append(Ref("readout"))
    result = Call("torch.nn.Sequential", tuple(parts))
    if len(parts) == 1 and isinstance(parts[0], Ref):
        only = bindings.pop()
        return Function("member", (), PATH, tuple(bindings), only.value, only.comment)
    return Function("member", (), PATH, tuple(bindings), result)


def _part_comment(part: Part, spec: Spec) -> str:
    match part:
        case Walk(step=step, times=times, span=span):
            return f"{quoted(span, spec)}: {len(times)} steps of {step}, the first at t = {times[0]}"
        case Maps(step=step, span=span, noise=noise):
            how = "units dropped in each" if noise and noise.kind == "dropout" else "noise behind each"
            shaken = f"; {quoted(noise.span, spec)}: {how}" if noise else ""
            return f"{quoted(span, spec)}: residual maps, each a step of {step}{shaken}"
        case Shake(noise=noise):
            return f"{quoted(noise.span, spec)}: noise on the whole state"
        case Timed(span=span) | Base(span=span):
            return quoted(span, spec)


def _part(part: Part, plan: DataPlan, fields: tuple[Learned, ...], spec: Spec) -> Node:
    match part:
        case Walk():
            return _walk(part, fields, spec)
        case Maps(net=net, noise=noise):
            backbone = _backbone(net, plan, time=False)
            if noise is not None and noise.kind == "dropout":
                assert noise.value is not None
                dropped = Call(f"{RUNTIME}.dropped.dropped", (backbone, number(noise.value)))
                return Method(dropped, "network")
            after: tuple[tuple[str, Node], ...] = ()
            if part.before_readout is not None:
                after = (("before_readout", _noise(part.before_readout, fields, spec)),)
            if noise is not None:
                after = (("after", Lambda(("layer",), _noise(noise, fields, spec))), *after)
            return Method(backbone, "network", (), after)
        case Shake(noise=noise):
            return _noise(noise, fields, spec)
        case Base(net=net):
            return Method(_backbone(net, plan, time=False), "network")
        case Timed(net=net, time=time):
            network = Method(_backbone(net, plan, time=True), "network")
            timed = Call(f"{RUNTIME}.timed.TimeChannel", (network,))
            return Call(f"{RUNTIME}.marching.AtTime", (timed, number(time)))


def _backbone(net: Setting, plan: DataPlan, time: bool) -> Node:
    shape: Node = Items(plan.image if plan.image else (plan.dimension,))
    assert plan.classes is not None
    tail: list[tuple[str, Node]] = [("shape", shape), ("classes", plan.classes)]
    if time:
        tail.append(("time", True))
    if net.name == "torchvision":
        return Call(f"{RUNTIME}.backbones.torchvision_model", (str(net["model"]),), (("classes", plan.classes),))
    if net.name == "convnet":
        tail = [("width", 32), ("depth", whole(net, "layers")), *tail, ("activation", str(net["activation"]))]
        return Call(f"{RUNTIME}.backbones.convnet", (), tuple(tail))
    sizes: list[tuple[str, Node]] = [(k, int(str(v))) for k, v in net.arguments if k in ("width", "depth")]
    if "activation" in dict(net.arguments):
        tail.append(("activation", str(net["activation"])))
    return Call(f"{RUNTIME}.backbones.{net.name}", (), (*sizes, *tail))


def _walk(walk: Walk, fields: tuple[Learned, ...], spec: Spec) -> Node:
    velocity = _vector(walk.field, fields, spec, walk.span)
    times = Items(tuple(number(t) for t in walk.times))
    named: list[tuple[str, Node]] = [("times", times), ("dt", number(walk.step))]
    if walk.scheme != "euler":
        named.append(("scheme", walk.scheme))
    named.append(("clock", float(walk.clock)))
    if walk.noise is not None and walk.noise.kind == "dropout":
        assert walk.noise.value is not None
        inside = Call(f"{RUNTIME}.noise.Dropout", (number(walk.noise.value),), (("seed", 0),))
        named.append(("inside", Lambda(("t",), inside)))
    elif walk.noise is not None:
        named.append(("after", Lambda(("t",), _noise(walk.noise, fields, spec))))
    return Call(f"{RUNTIME}.marching.March", (velocity,), tuple(named))


def _noise(noise: Noise, fields: tuple[Learned, ...], spec: Spec) -> Node:
    seed: tuple[tuple[str, Node], ...] = (("seed", 0),)
    names = {w.head: name_of(w) for w in fields}
    home = f"{RUNTIME}.noise"
    match noise.kind:
        case "gaussian" | "laplace":
            assert noise.value is not None
            return Call(f"{home}.{NOISES[noise.kind]}", (number(noise.value),), seed)
        case "relative":
            assert noise.value is not None
            across: tuple[tuple[str, Node], ...] = (("across", noise.across),) if noise.across != "sample" else ()
            return Call(f"{home}.RelativeNoise", (number(noise.value),), (*seed, *across))
        case "scaled":
            assert noise.value is not None
            at = Call(f"{RUNTIME}.points.number", (Ref("x"), _scalar(noise.value, names, spec, noise.span)))
            scale = _formula(("x",), at, (noise.value,), names)
            return Call(f"{home}.ScaledNoise", (scale,), seed)
        case "dropout":
            raise fail("E604", "dropout needs a velocity to act on", noise.span, "realize diffusion by noise")
        case "correlated":
            return Call(f"{home}.CorrelatedNoise", (_factor(noise, names, spec),), seed)


def _factor(noise: Noise, names: dict[Symbol, str], spec: Spec) -> Node:
    entries = [[_scalar(e, names, spec, noise.span) for e in row] for row in noise.matrix]
    if all(e.is_number for row in noise.matrix for e in row):
        table = Items(tuple(Items(tuple(number(e) for e in row)) for row in noise.matrix))
        return Call(f"{RUNTIME}.noise.cholesky", (Call("torch.tensor", (table,)),))
    exprs = [e for row in noise.matrix for e in row]
    return _formula(("x",), Call(f"{RUNTIME}.noise.cholesky", (rows(entries),)), exprs, names)


def _model(plan: DataPlan) -> Function:
    noisy = any(
        isinstance(p, Shake) or (isinstance(p, Walk | Maps) and p.noise) or (isinstance(p, Maps) and p.before_readout)
        for p in plan.parts
    )
    if not noisy and plan.members == 1:
        return Function(
            "model", (("seed", 0),), "Scores whose softmax is u; nothing in it is random.", (), Call("member")
        )
    named: list[tuple[str, Node]] = [("seed", Ref("seed")), ("samples", plan.samples)]
    if plan.average != "probabilities":
        named.append(("average", plan.average))
    doc = "Scores whose softmax is u, the mean over draws and members."
    result = Call(f"{RUNTIME}.expectation.Expectation", (Repeat(plan.members, Call("member")),), tuple(named))
    return Function("model", (("seed", 0),), doc, (), result)


# ---- the operator


def _operator(plan: OperatorPlan, fields: tuple[Learned, ...], spec: Spec) -> Function:
    names = {w.head: name_of(w) for w in fields}
    pieces: list[Node] = []
    for piece in plan.pieces:
        still = all(b == 0 for b in piece.drift)
        drift: Node = None if still else _constant(piece.drift) or _vector(piece.drift, fields, spec, piece.span)
        diffusion = _diffusion(piece.diffusivity, piece.shape, names, spec, piece.span)
        pieces.append(Call(f"{RUNTIME}.evolution.Piece", (number(piece.start), number(piece.end), drift, diffusion)))
    params: list[tuple[str, Literal_]] = [(name_of(w), None) for w in fields]
    named: list[tuple[str, Node]] = [
        ("pieces", Items(tuple(pieces), square=True)),
        ("form", plan.direction),
        ("dt", number(plan.step)),
        ("scheme", plan.scheme),
        ("samples", Ref("samples")),
        ("seed", Ref("seed")),
    ]
    doc = "The evolution operator: operator(…)(f, x, t) is the solution at time t with data f."
    params += [("samples", plan.samples), ("seed", 0)]
    result = Call(f"{RUNTIME}.evolution.Evolution", (), tuple(named))
    return Function("operator", tuple(params), doc, (), result)


def _constant(exprs: tuple[Expr, ...]) -> Node:
    if not all(e.is_number for e in exprs):
        return None
    return Call(f"{RUNTIME}.points.constant", (Items(tuple(number(e) for e in exprs), square=True),))


def _diffusion(
    matrix: tuple[tuple[Expr, ...], ...], shape: str, names: dict[Symbol, str], spec: Spec, span: Span
) -> Node:
    if shape == "none":
        return 0.0
    diagonal = tuple(matrix[i][i] for i in range(len(matrix)))
    if shape == "isotropic":
        if diagonal[0].is_number:
            return number(diagonal[0])
        at = Call(f"{RUNTIME}.points.number", (Ref("x"), _scalar(diagonal[0], names, spec, span)))
        return _formula(("x", "t"), at, diagonal[:1], names)
    if all(e.is_number for row in matrix for e in row):
        table = Items(tuple(Items(tuple(number(e) for e in row), square=True) for row in matrix), square=True)
        return Call(f"{RUNTIME}.points.constant", (table,))
    if shape == "full":
        entries = [[_scalar(e, names, spec, span) for e in row] for row in matrix]
        return _formula(("x", "t"), rows(entries), [e for row in matrix for e in row], names)
    return _formula(("x", "t"), stacked([_scalar(e, names, spec, span) for e in diagonal]), diagonal, names)


def _solution(fields: tuple[Learned, ...], spec: Spec) -> Function:
    """u at the end of the path for the data of the spec: x ↦ u(x)."""
    condition = next(c for c in spec.conditions if c.order == 0 and c.kind != "boundary")
    assert spec.time is not None
    at = spec.time.end if condition.kind == "initial" else spec.time.start
    names = {w.head: name_of(w) for w in fields}
    data = Lambda(
        ("x",), Call(f"{RUNTIME}.points.number", (Ref("x"), _scalar(condition.value[0], names, spec, condition.span)))
    )
    bindings = tuple(Binding(name_of(w), Call(maker_of(w))) for w in fields)
    called = Call("operator", (), (*((name_of(w), Ref(name_of(w))) for w in fields), ("seed", Ref("seed"))))
    result = Call(f"{RUNTIME}.marching.Solution", (called, data, number(at)))
    return Function(
        "model",
        (("seed", 0),),
        f"x to u(x, {at}), with the data of the spec.",
        bindings,
        result,
        quoted(condition.span, spec),
    )
