"""Elaboration of types: `scalar > 0`, `matrix, psd`, `operator, ‖K‖ ≤ 1`, and of the network of a field."""

from __future__ import annotations

from sympy import Expr

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.networks import NETWORKS, OPERATORS, Network, OperatorNetwork
from pdedsl.diagnostics import PdeError
from pdedsl.ir.types import Channels, Eigenvalue, Matrix, Operator, Scalar, Sign, Simplex, Type, Vector
from pdedsl.language import ast as t
from pdedsl.language.elaborate.expressions import FUNCTIONS
from pdedsl.language.elaborate.options import Evaluate, elaborate_option, suggest

TYPES = ("scalar", "vector", "complex", "matrix", "simplex", "channels", "operator", "eigenvalue")
TYPE_ATTRIBUTES = {
    "vector": ("divergence_free", "complex"),
    "matrix": ("psd", "symmetric"),
    "operator": ("‖K‖ ≤ c",),
    "scalar": ("> 0", "≥ 0", "complex"),
}
MAX_CLASSES = 1_000_000  # above all published data sets
MAX_COMPONENTS = 64  # of a vector with an explicit size


def is_complex_type(declaration: t.UnknownDecl) -> bool:
    """Whether the type of an unknown is `complex` or has the attribute."""
    return any(isinstance(a.body, t.Name) and a.body.id == "complex" for a in declaration.type)


def elaborate_type(declaration: t.UnknownDecl | t.LearnDecl, number: Evaluate, dimension: int | None) -> Type:
    """The type of a field; `dimension` is the number of components of a vector without a size."""
    head, *attributes = declaration.type
    name, sizes = _head(head)
    if isinstance(declaration, t.UnknownDecl) and name.id in ("matrix", "operator"):
        raise errors.types.invalid_unknown_type(name.id, head.span)
    if isinstance(declaration, t.LearnDecl) and name.id == "complex":
        raise errors.types.complex_learned_field(head.span)
    if isinstance(declaration, t.LearnDecl) and name.id == "eigenvalue":
        raise errors.eigenproblems.learned_eigenvalue(declaration.name.text, declaration.span)
    base = _base(name, sizes, head, number)
    for attribute in attributes:
        match base, attribute.body:
            case Scalar(sign=Sign.ANY) | Vector(divergence_free=False), t.Name(id="complex") if not attribute.relation:
                if isinstance(declaration, t.LearnDecl):
                    raise errors.types.complex_learned_field(attribute.span)
                base = _complex_vector(base, dimension, attribute)
            case _:
                base = _with_attribute(base, attribute, declaration.name, number)
    return base


def _complex_vector(base: Scalar | Vector, dimension: int | None, attribute: t.TypeAttribute) -> Vector:
    """The real vector of a complex number or vector."""
    if isinstance(base, Scalar) or base.is_complex:
        return Vector(2, is_complex=True)
    size = base.size or dimension
    if size is None or not 2 <= size <= MAX_COMPONENTS // 2:
        raise errors.types.size_of_complex_vector(MAX_COMPONENTS // 2, attribute.span)
    return Vector(2 * size, is_complex=True)


def _head(attribute: t.TypeAttribute) -> tuple[t.Name, tuple[t.Expr, ...]]:
    match attribute.body:
        case t.Name() as name:
            sizes: tuple[t.Expr, ...] = ()
        case t.Call(head=t.Name() as name, args=sizes, named=()):
            pass
        case _:
            raise errors.types.unknown_type(None, TYPES, None, attribute.span)
    if name.id not in TYPES:
        raise errors.types.unknown_type(name.text, TYPES, suggest(name.id, TYPES), name.span)
    return name, sizes


def _base(name: t.Name, sizes: tuple[t.Expr, ...], attribute: t.TypeAttribute, number: Evaluate) -> Type:
    allowed = {"vector": (0, 1), "simplex": (1, 1)}.get(name.id, (0, 0))
    if not allowed[0] <= len(sizes) <= allowed[1]:
        example = "simplex(10)" if name.id == "simplex" else name.id
        raise errors.types.invalid_type_size(name.id, allowed[1] > 0, example, attribute.span)
    simplex = name.id == "simplex"
    size = _size(sizes[0], number, 2 if simplex else 1, MAX_CLASSES if simplex else MAX_COMPONENTS) if sizes else None
    if attribute.relation and name.id != "scalar":
        raise errors.types.not_comparable(name.id, attribute.span)
    match name.id:
        case "scalar":
            return _scalar(attribute, number)
        case "vector":
            return Vector(size)
        case "complex":
            return Vector(2, is_complex=True)
        case "matrix":
            return Matrix()
        case "simplex":
            assert size is not None
            return Simplex(size)
        case "channels":
            return Channels()
        case "eigenvalue":
            return Eigenvalue()
        case _:
            return Operator()


def _scalar(attribute: t.TypeAttribute, number: Evaluate) -> Scalar:
    if not attribute.relation:
        return Scalar()
    assert attribute.bound is not None
    if attribute.relation not in (">", ">=") or number(attribute.bound) != 0:
        raise errors.types.bound_of_scalar(attribute.span)
    return Scalar(Sign(attribute.relation))


def _size(expr: t.Expr, number: Evaluate, least: int, most: int) -> int:
    size = number(expr)
    if not size.is_Integer or not least <= size <= most:
        raise errors.types.size_out_of_range(least, most, expr.span)
    return int(size)


def _with_attribute(base: Type, attribute: t.TypeAttribute, owner: t.Name, number: Evaluate) -> Type:
    match base, attribute:
        case Vector(size=size), t.TypeAttribute(body=t.Name(id="divergence_free"), relation=""):
            return Vector(size, divergence_free=True)
        case Matrix(symmetric=symmetric), t.TypeAttribute(body=t.Name(id="psd"), relation=""):
            return Matrix(psd=True, symmetric=symmetric)
        case Matrix(psd=psd), t.TypeAttribute(body=t.Name(id="symmetric"), relation=""):
            return Matrix(psd=psd, symmetric=True)
        case Operator(), t.TypeAttribute(body=t.Norm(body=t.Name() as name), relation="<=", bound=bound) if (
            bound is not None
        ):
            if name != owner:
                raise errors.types.norm_of_other_name(name.text, owner.text, attribute.span)
            value = number(bound)
            if not value.is_positive:
                raise errors.types.bound_not_positive(bound.span)
            return Operator(value)
        case _:
            raise _unknown_attribute_error(base, attribute)


def _unknown_attribute_error(base: Type, attribute: t.TypeAttribute) -> PdeError:
    kind = type(base).__name__.lower()
    return errors.types.unsupported_property(kind, TYPE_ATTRIBUTES.get(kind, ()), attribute.span)


def initial_value(declaration: t.UnknownDecl | t.LearnDecl, type_: Type, number: Evaluate) -> Expr | None:
    """The initial value of a scalar parameter: `learn ν : scalar > 0 = 0.1`."""
    if not isinstance(declaration, t.LearnDecl) or declaration.params or not _is_number(declaration.net):
        return None
    assert declaration.net is not None
    if not isinstance(type_, Scalar):
        raise errors.types.invalid_initial_value(type(type_).__name__.lower(), declaration.net.span)
    start = number(declaration.net)
    if type_.sign is not Sign.ANY and not start.is_positive:
        raise errors.types.initial_value_not_positive(type_.sign, declaration.net.span)
    return start


def _is_number(net: t.Expr | None) -> bool:
    """Whether the right-hand side is a number rather than a network."""
    match net:
        case None:
            return False
        case t.Name(id=name):
            return name not in NETWORKS
        case t.Call(head=t.Name(id=name)):
            return name in FUNCTIONS
        case _:
            return True


def network_of(declaration: t.UnknownDecl | t.LearnDecl, type_: Type, number: Evaluate) -> Located[Network] | None:
    """The network of a field. A learned field without network and arguments is a scalar parameter."""
    if declaration.net is None:
        if isinstance(declaration, t.LearnDecl) and (declaration.params or isinstance(type_, Operator)):
            example = "conv(3)" if isinstance(type_, Operator) else "mlp(width=64, depth=4)"
            raise errors.types.missing_network(declaration.name.text, example, declaration.span)
        return None
    if isinstance(declaration, t.LearnDecl) and not declaration.params and _is_number(declaration.net):
        return None
    net = elaborate_option(declaration.net, NETWORKS, "network", number)
    if isinstance(type_, Operator) != isinstance(net.config, OperatorNetwork):
        operator, kind = isinstance(type_, Operator), type(type_).__name__.lower()
        allowed = (" or ".join(OPERATORS), "conv(3)") if operator else ("mlp, resnet, convnet, …", "mlp")
        raise errors.types.incompatible_network(net.config.name, kind, *allowed, net.span)
    return net
