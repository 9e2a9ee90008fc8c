"""Values during elaboration: tensors by components, linear operators and functions; and domains of definition.

sympy simplifies expressions to others with a larger domain: √u √u becomes u, and ∂ log u/∂x becomes u_x/u. Roots, poles
and functions that are not defined everywhere are therefore collected when they are built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import cache

from sympy import Add, Expr, Pow, S, acos, asin, log, sqrt, tan

from pdedsl import errors
from pdedsl.diagnostics import Span
from pdedsl.record import Record
from pdedsl.symbolic.calculus import contract
from pdedsl.symbolic.rewrite import product

# ---- Domain of definition


_DOMAIN: ContextVar[list[Expr] | None] = ContextVar("domain", default=None)


@contextmanager
def collect_domain() -> Iterator[list[Expr]]:
    """Collects the expressions that must be defined."""
    required: list[Expr] = []
    token = _DOMAIN.set(required)
    try:
        yield required
    finally:
        _DOMAIN.reset(token)


def require_defined(exprs: Iterable[Expr]) -> None:
    required = _DOMAIN.get()
    if required is not None:
        required += exprs


def cache_with_domain(compute: Callable[..., Expr]) -> Callable[..., Expr]:
    """The function with cached values; the expressions that must be defined are added at every call."""
    cached: dict[tuple[Expr, ...], tuple[Expr, list[Expr]]] = {}

    def at(*index: Expr) -> Expr:
        if index not in cached:
            with collect_domain() as required:
                cached[index] = compute(*index), required
        require_defined(cached[index][1])
        return cached[index][0]

    return at


def with_domain(expr: Expr) -> Expr:
    """The expression; powers, roots and functions that may be undefined are added to the domain."""
    if _DOMAIN.get() is not None and not expr.is_number:
        require_defined(
            part for a in expr.atoms(Pow, log, tan, asin, acos) if not a.is_number for part in _domain_expressions(a)
        )
    return expr


def _domain_expressions(a: Expr) -> Iterator[Expr]:
    """√b for roots of b, 1/b for negative powers, and functions unchanged."""
    if isinstance(a, log):  # log(1/b) is defined where log b is
        inner = a.args[0]
        yield log(1 / inner) if isinstance(inner, Pow) and inner.exp.is_negative else a
    elif not isinstance(a, Pow):
        yield a
    elif a.base == S.Exp1:
        return
    elif not a.exp.is_Rational:
        yield a
    else:
        if not a.exp.is_Integer:
            yield sqrt(a.base)
        if a.exp.is_negative:
            yield 1 / a.base


# ---- Values


# The components of a tensor: numbers, class probabilities, feature maps, or the output of a linear operator.
Kind = str  # "number" | "simplex" | "channels" | "features"
KIND_NAMES = {
    "number": "scalar",
    "simplex": "class probabilities",
    "channels": "feature map",
    "features": "logits of a linear operator",
}


class Tensor(Record):
    """A tensor of rank 0, 1 or 2 by components; `size` is None for the dimension of a space without coordinates."""

    rank: int
    at: Callable[..., Expr]
    size: int | None = None
    kind: Kind = "number"
    literal: bool = False  # a number literal: a literal 0 fits any shape

    def __post_init__(self) -> None:
        """Caches components; computes a scalar immediately, so that its errors are reported at its span."""
        object.__setattr__(self, "at", cache_with_domain(self.at) if self.rank else cache(self.at))
        if self.rank == 0:
            self.at()

    @property
    def expr(self) -> Expr:
        return self.at()

    def describe(self) -> str:
        noun = (KIND_NAMES[self.kind], "vector", "matrix")[self.rank]
        if self.size is None or (not self.rank and self.kind != "simplex"):
            return noun
        return f"{noun} of size {self.size}" if self.rank else f"{noun} ({self.size} classes)"


class LinearMap(Record):
    """A linear operator, by its action on a tensor; the span is for error messages."""

    apply: Callable[[Tensor, Span], Tensor]
    adjoint: Callable[[], LinearMap]


class Function(Record):
    """A function, unapplied."""

    name: str
    call: Callable[[tuple[Value, ...], Span], Value]
    arity: str  # for error messages


Value = Tensor | LinearMap | Function


def scalar(expr: Expr, kind: Kind = "number", literal: bool = False) -> Tensor:
    return Tensor(0, lambda: expr, kind=kind, literal=literal)


def vector(items: tuple[Expr, ...]) -> Tensor:
    return Tensor(1, lambda i: items[int(i) - 1], len(items))


def matrix(rows: tuple[tuple[Expr, ...], ...]) -> Tensor:
    return Tensor(2, lambda i, j: rows[int(i) - 1][int(j) - 1], len(rows))


def describe(value: Value) -> str:
    match value:
        case Tensor():
            return value.describe()
        case LinearMap():
            return "operator"
        case Function():
            return "function"


def is_zero(value: Tensor) -> bool:
    return value.rank == 0 and value.literal and value.expr == S.Zero


SignedTerm = tuple[int, Tensor, Span]  # a sign, a value and its span


def add(parts: list[SignedTerm]) -> Tensor:
    """A signed sum; all terms must have the same rank, size and kind."""
    like = common_shape(parts, added=True)
    terms = _nonzero_terms(parts)

    def at(*index: Expr) -> Expr:
        return Add(*(sign * part.at(*index) for sign, part, _ in terms))

    return replace(like, at=at, literal=all(p[1].literal for p in terms))


def _nonzero_terms(parts: list[SignedTerm]) -> list[SignedTerm]:
    """The terms that determine the shape of a sum."""
    return [p for p in parts if not is_zero(p[1])] or parts[:1]


def common_shape(parts: list[SignedTerm], added: bool) -> Tensor:
    """A value with the common shape of all terms; a literal zero fits every shape."""
    terms = _nonzero_terms(parts)
    _, first, place = terms[0]
    for _, other, span in terms:
        if not _has_same_shape(first, other):
            if not added and (first.kind, other.kind) == ("simplex", "features"):
                raise errors.types.missing_softmax(other.describe(), first.describe(), span, place)
            scores = first.kind == "features"
            raise errors.types.term_mismatch(other.describe(), first.describe(), added, scores, span, place)
    kind = next((v.kind for _, v, _ in terms if v.kind != "number"), "number")
    size = next((v.size for _, v, _ in terms if v.size is not None), None)
    return replace(first, kind=kind, size=size)


def _has_same_shape(a: Tensor, b: Tensor) -> bool:
    sizes = a.size == b.size or None in (a.size, b.size)
    kinds = a.kind == b.kind or {a.kind, b.kind} == {"number", "channels"}
    return a.rank == b.rank and sizes and kinds


def multiply_tensors(a: Tensor, b: Tensor, span: Span) -> Tensor:
    """A product in which at most one factor has components, or a matrix times a vector."""
    if a.rank == 2 and b.rank == 1:
        return dot(a, b, span)
    if a.rank and b.rank:
        raise errors.types.invalid_product(a.describe(), b.describe(), a.rank == b.rank == 1, span)
    kind = product_kind(a, b, span)
    tensor, other = (a, b) if a.rank else (b, a)
    return Tensor(
        tensor.rank, lambda *i: product(other.expr, tensor.at(*i)), tensor.size, kind, a.literal and b.literal
    )


def multiply(left: Value, right: Value, span: Span) -> Value:
    """A product, or an operator applied to its operand."""
    match left, right:
        case Tensor(), Tensor():
            return multiply_tensors(left, right, span)
        case LinearMap(), Tensor():
            return left.apply(right, span)
        case LinearMap(), LinearMap():
            return compose(left, right)
        case Tensor(rank=0), LinearMap():
            return LinearMap(
                lambda x, at: multiply_tensors(left, right.apply(x, at), span),
                lambda: _as_map(multiply(left, right.adjoint(), span)),
            )
        case _:
            raise errors.types.product_of_operators(describe(left), describe(right), span)


def _as_map(value: Value) -> LinearMap:
    assert isinstance(value, LinearMap)
    return value


def compose(left: LinearMap, right: LinearMap) -> LinearMap:
    return LinearMap(lambda x, at: left.apply(right.apply(x, at), at), lambda: compose(right.adjoint(), left.adjoint()))


def dot(a: Tensor, b: Tensor, span: Span) -> Tensor:
    """Contraction over adjacent indices."""
    if not a.rank or not b.rank:
        return multiply_tensors(a, b, span)
    if a.size != b.size and None not in (a.size, b.size):
        raise errors.types.size_mismatch(a.describe(), b.describe(), span)
    size = a.size if a.size is not None else b.size
    kind = product_kind(a, b, span)

    def at(*index: Expr) -> Expr:
        left, right = index[: a.rank - 1], index[a.rank - 1 :]
        return contract(lambda k: a.at(*left, k) * b.at(k, *right), size)

    return Tensor(a.rank + b.rank - 2, at, size if a.rank + b.rank > 2 else None, kind)


def product_kind(a: Tensor, b: Tensor, span: Span) -> Kind:
    kinds = [k for k in (a.kind, b.kind) if k != "number"]
    if len(kinds) == 2 and kinds != ["channels", "channels"]:
        raise errors.types.product_of_probabilities(KIND_NAMES[kinds[0]], KIND_NAMES[kinds[1]], span)
    return kinds[0] if kinds else "number"
