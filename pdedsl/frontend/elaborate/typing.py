"""Type annotations → types: `scalar > 0`, `matrix, psd`, `operator, ‖K‖ ≤ 1`, and the network behind them."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr

from pdedsl.diagnostics import PdeError, fail, nearest
from pdedsl.frontend.elaborate.settings import setting
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Setting
from pdedsl.ir.types import Channels, Matrix, Operator, Scalar, Simplex, Type, Vector
from pdedsl.ir.vocabulary import NETS

Number = Callable[[t.Expr], Expr]
TYPES = ("scalar", "vector", "matrix", "simplex", "channels", "operator")
OPERATOR_NETS = ("conv", "linear")
MAX_CLASSES = 1_000_000
MAX_COMPONENTS = 64  # of a vector with a size of its own


def type_of(declaration: t.UnknownDecl | t.LearnDecl, number: Number) -> Type:
    head, *traits = declaration.type
    name, sizes = _head(head)
    if isinstance(declaration, t.UnknownDecl) and name.id in ("matrix", "operator"):
        raise fail(
            "E312",
            f"an unknown cannot be a {name.id}",
            head.span,
            "unknowns are scalar, vector(n), simplex(k) or channels",
        )
    base = _base(name, sizes, head, number)
    for trait in traits:
        base = _with_trait(base, trait, declaration.name, number)
    return base


def _head(trait: t.Trait) -> tuple[t.Name, tuple[t.Expr, ...]]:
    match trait.body:
        case t.Name() as name:
            sizes: tuple[t.Expr, ...] = ()
        case t.Call(head=t.Name() as name, args=sizes, named=()):
            pass
        case _:
            raise fail("E312", "this is not a type", trait.span, f"types: {', '.join(TYPES)}")
    if name.id not in TYPES:
        guess = nearest(name.id, TYPES)
        raise fail(
            "E312",
            f"'{name.text}' is not a type",
            name.span,
            f"did you mean '{guess}'?" if guess else f"types: {', '.join(TYPES)}",
        )
    return name, sizes


def _base(name: t.Name, sizes: tuple[t.Expr, ...], trait: t.Trait, number: Number) -> Type:
    wanted = {"vector": (0, 1), "simplex": (1, 1)}.get(name.id, (0, 0))
    if not wanted[0] <= len(sizes) <= wanted[1]:
        example = "simplex(10)" if name.id == "simplex" else name.id
        raise fail(
            "E312", f"'{name.id}' takes {'one size' if wanted[1] else 'no size'}", trait.span, f"as in {example}"
        )
    simplex = name.id == "simplex"
    size = _size(sizes[0], number, 2 if simplex else 1, MAX_CLASSES if simplex else MAX_COMPONENTS) if sizes else None
    if trait.relation and name.id != "scalar":
        raise fail("E313", f"a {name.id} cannot be compared with a number", trait.span)
    match name.id:
        case "scalar":
            return _scalar(trait, number)
        case "vector":
            return Vector(size)
        case "matrix":
            return Matrix()
        case "simplex":
            assert size is not None
            return Simplex(size)
        case "channels":
            return Channels()
        case _:
            return Operator()


def _scalar(trait: t.Trait, number: Number) -> Scalar:
    if not trait.relation:
        return Scalar()
    assert trait.bound is not None
    if trait.relation not in (">", ">=") or number(trait.bound) != 0:
        raise fail("E313", "a scalar can be bounded as > 0 or ≥ 0", trait.span)
    return Scalar(trait.relation)


def _size(expr: t.Expr, number: Number, least: int, most: int) -> int:
    size = number(expr)
    if not size.is_Integer or not least <= size <= most:
        raise fail("E312", f"a size must be a whole number from {least} to {most:,}", expr.span)
    return int(size)


def _with_trait(base: Type, trait: t.Trait, owner: t.Name, number: Number) -> Type:
    match base, trait:
        case Vector(size=size), t.Trait(body=t.Name(id="divergence_free"), relation=""):
            return Vector(size, divergence_free=True)
        case Matrix(symmetric=symmetric), t.Trait(body=t.Name(id="psd"), relation=""):
            return Matrix(psd=True, symmetric=symmetric)
        case Matrix(psd=psd), t.Trait(body=t.Name(id="symmetric"), relation=""):
            return Matrix(psd=psd, symmetric=True)
        case Operator(), t.Trait(body=t.Norm(body=t.Name() as name), relation="<=", bound=bound) if bound is not None:
            if name != owner:
                raise fail("E313", f"the norm of '{name.text}' in the type of '{owner.text}'", trait.span)
            value = number(bound)
            if not value.is_positive:
                raise fail("E313", "a bound on a norm must be positive", bound.span)
            return Operator(value)
        case _:
            raise _unknown_trait(base, trait)


def _unknown_trait(base: Type, trait: t.Trait) -> PdeError:
    known = {Vector: "divergence_free", Matrix: "psd or symmetric", Operator: "‖K‖ ≤ c", Scalar: "> 0 or ≥ 0"}
    kind = type(base).__name__.lower()
    way = known.get(type(base))
    return fail("E313", f"a {kind} has no such property", trait.span, f"a {kind} can be {way}" if way else "")


def net_of(declaration: t.UnknownDecl | t.LearnDecl, type_: Type, number: Number) -> Setting | None:
    """The network of a field. Without one, a learned field that depends on nothing is a plain parameter."""
    if declaration.net is None:
        if isinstance(declaration, t.LearnDecl) and (declaration.params or isinstance(type_, Operator)):
            example = "conv(3)" if isinstance(type_, Operator) else "mlp(width=64, depth=4)"
            raise fail("E314", f"'{declaration.name.text}' has no network", declaration.span, f"add = {example}")
        return None
    net = setting(declaration.net, NETS, "a network", number)
    if isinstance(type_, Operator) != (net.name in OPERATOR_NETS):
        wanted = " or ".join(OPERATOR_NETS) if isinstance(type_, Operator) else "mlp, resnet, convnet, …"
        raise fail("E314", f"{net.name} cannot be a {type(type_).__name__.lower()}", net.span, f"use {wanted}")
    return net
