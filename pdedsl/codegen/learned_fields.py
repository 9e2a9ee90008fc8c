"""Learned fields on R^d and formulas with them: modules that take points and the time."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import assert_never

from sympy import Expr, Symbol

from pdedsl.codegen.expressions import (
    component_node,
    coordinate_leaf,
    expression_node,
    split_constant_vector,
    stack_node,
)
from pdedsl.codegen.names import RUNTIME, factory_name, python_name, source_reference
from pdedsl.codegen.program import (
    Call,
    FunctionDefinition,
    ItemList,
    Lambda,
    Node,
    Operation,
    Ref,
    UserSymbol,
    iter_nodes,
)
from pdedsl.config.base import Value
from pdedsl.config.methods import Adaptive
from pdedsl.config.networks import Mlp, Torch
from pdedsl.ir.noise import (
    ConstantNoise,
    CorrelatedNoise,
    DropoutNoise,
    Noise,
    RelativeNoise,
    ShakeShakeNoise,
    StateDependentNoise,
)
from pdedsl.ir.plan import DataPlan, NoiseStep, OperatorPlan, ResidualBlocks, SdeSteps
from pdedsl.ir.spec import Learned, Spec
from pdedsl.ir.types import Matrix, Scalar, Type, Vector
from pdedsl.symbolic.symbols import INDEX, Field, atoms

TIME = Ref("t")


def model_expressions(model: DataPlan) -> list[Expr]:
    """The expressions that the model evaluates at points: velocities, and noise that depends on the state."""
    exprs: list[Expr] = []
    for part in model.parts:
        if isinstance(part, SdeSteps):
            exprs += part.drift
        if isinstance(part, SdeSteps | NoiseStep | ResidualBlocks) and part.noise is not None:
            exprs += _noise_exprs(part.noise)
    return exprs


def _noise_exprs(noise: Noise) -> list[Expr]:
    match noise:
        case CorrelatedNoise(covariance=covariance):
            return [e for row in covariance for e in row]
        case (
            ConstantNoise(std=value)
            | StateDependentNoise(std=value)
            | ShakeShakeNoise(std=value)
            | RelativeNoise(scale=value)
            | DropoutNoise(keep_probability=value)
        ):
            return [value]
        case _:
            assert_never(noise)


def has_per_sample_time(model: DataPlan) -> bool:
    """Whether every point has its own time, as along the steps of an adaptive method."""
    return any(isinstance(part, SdeSteps) and isinstance(part.scheme, Adaptive) for part in model.parts)


def operator_expressions(operator: OperatorPlan) -> list[Expr]:
    pieces = operator.segments
    return [e for p in pieces for e in (*p.drift, *(a for row in p.diffusivity for a in row), p.rate, p.source)]


def data_expressions(model: DataPlan, spec: Spec) -> list[Expr]:
    """The expressions that the model evaluates at the end of a path, unless u is class probabilities."""
    return [] if model.classes is not None else [e for c in spec.conditions for e in c.value]


def fields_in(exprs: list[Expr], spec: Spec) -> tuple[Learned, ...]:
    heads = {f.head for e in exprs for f in atoms(e, Field)}
    return tuple(w for w in spec.learned if w.head in heads)


def field_function(learned: Learned, spec: Spec, per_sample_time: bool = False) -> FunctionDefinition:
    return FunctionDefinition(
        factory_name(learned),
        (),
        f"{source_reference(learned.span, spec)}.",
        (),
        _field_node(learned, spec, per_sample_time),
    )


def _field_node(learned: Learned, spec: Spec, per_sample_time: bool) -> Node:
    dimension = spec.space.dimension
    assert isinstance(dimension, int)
    if isinstance(learned.type, Scalar) and _depends_on_time_only(learned, spec):
        dimension = 1  # a function of time alone, used in a network whose states vary in shape
    sign = learned.type.sign if isinstance(learned.type, Scalar) else ""
    properties = _matrix_properties(learned.type)
    size = learned.type.size or dimension if isinstance(learned.type, Vector) else dimension
    if learned.net is None:
        shape = {Scalar: (), Vector: (size,), Matrix: (dimension, dimension)}.get(type(learned.type), ())
        start: tuple[tuple[str, Node], ...] = (
            () if learned.initial_value is None else (("start", float(learned.initial_value)),)
        )
        return Call(
            f"{RUNTIME}.learned_fields.LearnedConstant", (ItemList(shape),), (("sign", sign), *properties, *start)
        )
    match learned.type:
        case Vector(divergence_free=True):
            potential = _network_node(learned, dimension, dimension * (dimension - 1) // 2, spec, per_sample_time)
            return Call(f"{RUNTIME}.divergence_free.DivergenceFree", (potential, dimension))
        case Vector():
            return _network_node(learned, dimension, size, spec, per_sample_time)
        case Matrix():
            network = _network_node(learned, dimension, dimension**2, spec, per_sample_time)
            return Call(f"{RUNTIME}.learned_fields.MatrixField", (network, dimension), properties)
        case _:
            network = _network_node(learned, dimension, 1, spec, per_sample_time)
            return Call(f"{RUNTIME}.learned_fields.ScalarField", (network,), (("sign", sign),))


def _matrix_properties(type_: Type) -> tuple[tuple[str, Node], ...]:
    """The properties that a matrix must have: psd, symmetric."""
    psd, symmetric = (type_.psd, type_.symmetric) if isinstance(type_, Matrix) else (False, False)
    return (("psd", psd), ("symmetric", True)) if symmetric and not psd else (("psd", psd),)


def _network_node(learned: Learned, dimension: int, outputs: int, spec: Spec, per_sample_time: bool) -> Node:
    net = learned.net.config if learned.net else None
    timed = spec.time is not None and spec.time.symbol in learned.arguments
    if isinstance(net, Torch):
        made = Call(f"{RUNTIME}.user_modules.UserField", (user_module_node(net), dimension, outputs, timed))
        return _restrict_arguments(made, learned, spec)
    assert isinstance(net, Mlp)
    # With a time for each sample it is a coordinate like the others.
    time_argument, inputs = (False, dimension + 1) if timed and per_sample_time else (timed, dimension)
    named: list[tuple[str, Node]] = [("activation", net.activation.name), ("time", time_argument)]
    if outputs != inputs:
        named.append(("outputs", outputs))
    made = Call(f"{RUNTIME}.backbones.vector_field", (inputs, net.width, net.depth), tuple(named))
    if timed and per_sample_time:
        made = Call(f"{RUNTIME}.learned_fields.SpaceTimeField", (made,))
    return _restrict_arguments(made, learned, spec)


def _restrict_arguments(made: Node, learned: Learned, spec: Spec) -> Node:
    """The field, restricted to the coordinates that it depends on."""
    if isinstance(learned.type, Scalar) and _depends_on_time_only(learned, spec):
        return Call(f"{RUNTIME}.learned_fields.TimeFunction", (made,))
    reads = [c in learned.arguments for c in spec.space.coordinates]
    if all(reads):
        return made
    return Call(f"{RUNTIME}.learned_fields.MaskedField", (made, ItemList(tuple(1.0 if r else 0.0 for r in reads))))


def _depends_on_time_only(learned: Learned, spec: Spec) -> bool:
    """Whether a field on images depends on time alone: the states of a network vary in shape."""
    return spec.space.image is not None and not set(spec.space.coordinates) & set(learned.arguments)


def user_module_node(net: Torch) -> Node:
    """The user's own module, constructed with its arguments."""
    return Call(UserSymbol(*net.path), (), tuple((key, _literal(value)) for key, value in net.options))


def _literal(value: Value) -> Node:
    match value:
        case tuple():
            return ItemList(tuple(map(_literal, value)), square=True)
        case bool() | int() | str():
            return value
        case Fraction() | float():
            return float(value)
        case _:
            raise AssertionError(value)


def vector_node(exprs: tuple[Expr, ...], fields: tuple[Learned, ...], spec: Spec) -> Node:
    """A velocity: a learned field itself, or a function of x and t."""
    names = {w.head: python_name(w) for w in fields}
    whole = _complete_field(exprs, spec)
    if whole is not None:
        return Ref(names[whole])
    return formula_node("drift", ("x", "t"), components_node(exprs, names, spec), exprs, names)


def _complete_field(exprs: tuple[Expr, ...], spec: Spec) -> Symbol | None:
    """The learned field if the expressions are all of its components, in order."""
    own = [e for e in exprs if isinstance(e, Field) and len(e.indices) == 1]
    places = [e.indices[0] for e in own]
    whole = places == list(range(1, len(exprs) + 1)) if spec.space.explicit else places == [INDEX]
    if not whole or len({e.head for e in own}) != 1:
        return None
    learned = next(w for w in spec.learned if w.head == own[0].head)
    more = isinstance(learned.type, Vector) and learned.type.size not in (None, len(exprs))  # than these components
    return None if more else learned.head


def components_node(exprs: tuple[Expr, ...], names: dict[Symbol, str], spec: Spec) -> Node:
    """A vector (..., d) at points: from its components, or from the generic component with a free index."""
    if spec.space.explicit:
        return stack_node([scalar_node(e, names, spec) for e in exprs])
    fixed, rest = split_constant_vector(exprs[0], INDEX, spec.space.dimension)
    node = component_node(rest, INDEX, spec.time.symbol if spec.time else None, names)
    if fixed:
        vector = Call(f"{RUNTIME}.tensor_helpers.constant_vector", (Ref("x"), ItemList(tuple(fixed), square=True)))
        node = vector if rest == 0 else Operation("+", (vector, node))
    return Call(f"{RUNTIME}.tensor_helpers.broadcast_vector", (Ref("x"), node))


def formula_node(
    label: str,
    params: tuple[str, ...],
    body: Node,
    exprs: Iterable[Expr],
    names: dict[Symbol, str],
    t: Node = TIME,
) -> Node:
    """A function of points, emitted under the name `label`; learned fields in it are passed as arguments, so that they
    are part of the model. `t` is the time if it is not a parameter, for example that of a layer."""
    heads = {f.head for e in exprs for f in atoms(e, Field)}
    used = [name for head, name in names.items() if head in heads]
    function: Node = Lambda((*params, *used), body, label)
    if TIME.name not in params and _uses(body, TIME):
        timed = Lambda((*params, *used, TIME.name), body, label)
        function = Call("functools.partial", (timed,), ((TIME.name, t),))
    if not used:
        return function
    return Call(f"{RUNTIME}.learned_fields.CompositeField", (function,), tuple((name, Ref(name)) for name in used))


def _uses(node: Node, name: Ref) -> bool:
    return any(n == name for n in iter_nodes(node))


def scalar_node(expr: Expr, names: dict[Symbol, str], spec: Spec) -> Node:
    """A number at points, of shape (...) if the space is written out, otherwise (..., 1)."""
    time = spec.time.symbol if spec.time else None
    if not spec.space.explicit:
        return component_node(expr, None, time, names)
    return expression_node(expr, coordinate_leaf(spec.space.coordinates, time, names))


def pointwise_node(expr: Expr, names: dict[Symbol, str], spec: Spec) -> Node:
    """One number at each point, (...), or one for each component if the expression has a free index, (..., d)."""
    if INDEX in expr.free_symbols:
        return components_node((expr,), names, spec)
    helper = "broadcast_scalar" if spec.space.explicit else "squeeze_scalar"
    return Call(f"{RUNTIME}.tensor_helpers.{helper}", (Ref("x"), scalar_node(expr, names, spec)))
