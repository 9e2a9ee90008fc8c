"""The sympy vocabulary of a spec: fields, partial derivatives, contractions, operators and layers.

Low dimensions are written out in components, `Δu = ∂²u/∂x² + ∂²u/∂y²`. If the dimension is large or symbolic,
components carry an index and sums over them are contractions, `Δu = Σᵢ ∂²u/∂xᵢ²`; both use the same kinds of nodes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sympy import Basic, Dummy, Expr, Mul, Symbol, Tuple, default_sort_key
from sympy.core.symbol import Str

# ---- symbols


INDEX = Symbol("i", integer=True)  # of the generic component, in a space that is not written out
MAX_ORDER = 8  # of a derivative, at most


class TooLarge(Exception):
    """An expression beyond the limits on the order of derivatives, on nodes or on terms."""


class RealExpr(Expr):  # type: ignore[misc]
    """Base class of our own expressions, which are real and commutative."""

    is_commutative = True

    def _eval_is_real(self) -> bool:
        return True


class Field(RealExpr):
    """A component of an unknown, learned or known function at its arguments: `v₁(x, t)`."""

    def __new__(cls, head: Symbol, indices: tuple[Expr, ...], arguments: tuple[Expr, ...]) -> Field:
        return super().__new__(cls, head, Tuple(*indices), Tuple(*arguments))  # type: ignore[no-any-return]

    head = property(lambda self: self.args[0])
    indices = property(lambda self: self.args[1])
    arguments = property(lambda self: self.args[2])

    def _eval_is_positive(self) -> bool | None:
        return self.head.is_positive  # type: ignore[no-any-return]

    def _eval_is_nonnegative(self) -> bool | None:
        return self.head.is_nonnegative  # type: ignore[no-any-return]

    def _sympystr(self, printer: Any) -> str:
        subscript = f"[{', '.join(map(printer._print, self.indices))}]" if self.indices else ""
        # sympy itself prints expressions in which it has replaced every symbol by a number, heads too
        return f"{printer._print(self.head)}{subscript}({', '.join(map(printer._print, self.arguments))})"


class Component(RealExpr):
    """A coordinate with a symbolic index, `xᵢ`, or a component of the outer normal, `nᵢ`."""

    def __new__(cls, base: Symbol, index: Expr) -> Component:
        return super().__new__(cls, base, index)  # type: ignore[no-any-return]

    def _sympystr(self, printer: Any) -> str:
        return f"{printer._print(self.args[0])}[{printer._print(self.args[1])}]"


class Partial(RealExpr):
    """A partial derivative, its variables in canonical order: `Partial(u, t)`, `Partial(u, x, x)`."""

    def __new__(cls, body: Expr, *slots: Expr) -> Partial:
        if isinstance(body, Partial):
            body, slots = body.args[0], (*body.args[1:], *slots)
        if len(slots) > MAX_ORDER:
            raise TooLarge(f"a derivative of order above {MAX_ORDER}")
        return super().__new__(cls, body, *sorted(slots, key=default_sort_key))  # type: ignore[no-any-return]

    body = property(lambda self: self.args[0])
    slots = property(lambda self: self.args[1:])

    def _sympystr(self, printer: Any) -> str:
        return f"D({', '.join(map(printer._print, self.args))})"


class Contraction(RealExpr):
    """`Σᵢ body`, over the components of the space."""

    def __new__(cls, index: Symbol, body: Expr) -> Contraction:
        return super().__new__(cls, index, body)  # type: ignore[no-any-return]

    index = property(lambda self: self.args[0])
    body = property(lambda self: self.args[1])

    def _sympystr(self, printer: Any) -> str:
        return f"Sum({printer._print(self.index)}, {printer._print(self.body)})"


class Integral(RealExpr):
    """∫ body dσ over [lower, upper]; made by `calculus.integrate`, with a canonical bound variable σ."""

    def __new__(cls, body: Expr, variable: Symbol, lower: Expr, upper: Expr) -> Integral:
        return super().__new__(cls, body, variable, lower, upper)  # type: ignore[no-any-return]

    body = property(lambda self: self.args[0])
    variable = property(lambda self: self.args[1])
    lower = property(lambda self: self.args[2])
    upper = property(lambda self: self.args[3])

    @property
    def free_symbols(self) -> set[Basic]:
        return (self.body.free_symbols - {self.variable}) | self.lower.free_symbols | self.upper.free_symbols  # type: ignore[no-any-return]

    def _sympystr(self, printer: Any) -> str:
        body, variable, lower, upper = map(printer._print, self.args)
        return f"int({lower}, {upper}, {body}, {variable})"


class PointSource(RealExpr):
    """The Dirac delta δ(x - a) of one coordinate x, concentrated at a number a."""

    def __new__(cls, coordinate: Symbol, place: Expr) -> PointSource:
        return super().__new__(cls, coordinate, place)  # type: ignore[no-any-return]

    coordinate = property(lambda self: self.args[0])
    place = property(lambda self: self.args[1])

    def _sympystr(self, printer: Any) -> str:
        return f"delta({printer._print(self.coordinate)} - {printer._print(self.place)})"


class FractionalLaplacian(RealExpr):
    """(-Δ)ˢ of a field or of a derivative of one; made by `calculus.fractional_laplacian`."""

    def __new__(cls, body: Expr, power: Expr) -> FractionalLaplacian:
        return super().__new__(cls, body, power)  # type: ignore[no-any-return]

    body = property(lambda self: self.args[0])
    power = property(lambda self: self.args[1])

    def _sympystr(self, printer: Any) -> str:
        return f"fraclap({printer._print(self.power)}, {printer._print(self.body)})"


def bound_variable(depth: int) -> Symbol:
    """The canonical variable of an integral around `depth` others: it is equal to no symbol of a spec."""
    return Dummy(f"s{depth + 1}", dummy_index=depth, real=True)


class Transposed(RealExpr):
    """The adjoint of a linear operator."""

    def __new__(cls, operator: Expr) -> Expr:
        if isinstance(operator, Transposed):
            return operator.args[0]
        return super().__new__(cls, operator)

    def _sympystr(self, printer: Any) -> str:
        return f"{printer._print(self.args[0])}ᵀ"


class Applied(RealExpr):
    """A linear operator applied to an expression: `K Y`, `W x`."""

    def __new__(cls, operator: Expr, body: Expr) -> Applied:
        return super().__new__(cls, operator, body)  # type: ignore[no-any-return]

    operator = property(lambda self: self.args[0])
    body = property(lambda self: self.args[1])

    def _sympystr(self, printer: Any) -> str:
        return f"{printer._print(self.operator)}·({printer._print(self.body)})"


def with_number(expr: Expr) -> tuple[Expr, Expr]:
    """The numerical factor of a product, and the product of the other factors."""
    factors = Mul.make_args(expr)
    return Mul(*(f for f in factors if f.is_number)), Mul(*(f for f in factors if not f.is_number))


class Layer(RealExpr):
    """A normalization with its settings, `tv_norm(eps=1/1000)`, applied to a feature map."""

    def __new__(cls, name: Str, settings: Tuple, body: Expr) -> Layer:
        return super().__new__(cls, name, settings, body)  # type: ignore[no-any-return]

    name = property(lambda self: self.args[0].name)
    settings = property(lambda self: self.args[1])
    body = property(lambda self: self.args[2])

    def _sympystr(self, printer: Any) -> str:
        settings = ", ".join(f"{k.name}={v}" for k, v in self.settings)
        return f"{self.name}({settings})({printer._print(self.body)})"


class Softmax(RealExpr):
    """Class probabilities from scores."""

    def __new__(cls, body: Expr) -> Softmax:
        return super().__new__(cls, body)  # type: ignore[no-any-return]

    def _sympystr(self, printer: Any) -> str:
        return f"softmax({printer._print(self.args[0])})"


# ---- atoms
# The parts of expressions by their kind.


CACHE_SIZE = 20_000  # results: provers and repeated checks in an editor need the same parts many times


@lru_cache(maxsize=CACHE_SIZE)
def atoms(expr: Basic, *kinds: type) -> frozenset[Any]:
    """The parts of these kinds, as sympy's `expr.atoms(*kinds)` finds them by generators nested as deep as the
    expression."""
    matches, pending = set(), [expr]
    while pending:
        part = pending.pop()
        if isinstance(part, kinds):
            matches.add(part)
        if isinstance(part, Basic):
            pending.extend(part.args)
    return frozenset(matches)


@lru_cache(maxsize=CACHE_SIZE)
def atoms_outside_integrals(expr: Basic, *kinds: type) -> frozenset[Any]:
    """The parts of these kinds that are not in the integrand of an integral."""
    matches, pending = set(), [expr]
    while pending:
        part = pending.pop()
        if isinstance(part, kinds):
            matches.add(part)
        pending.extend(part.args[2:] if isinstance(part, Integral) else part.args)
    return frozenset(matches)


@lru_cache(maxsize=CACHE_SIZE)
def free_symbols(expr: Basic) -> frozenset[Any]:
    return frozenset(expr.free_symbols)
