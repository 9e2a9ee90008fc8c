"""An equation as a function of the jet: F(x, t, u, p, X) with p = ∇u, X = ∇∇u, written out in components."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sympy import Add, Dummy, Expr, Max, Min, Mul, Pow, S, Symbol, Tuple, default_sort_key, nan, zoo

from pdedsl.analyse.writing import Layout, in_coordinates, layout_of, multiplied_out
from pdedsl.ir.spec import Spec, Unknown
from pdedsl.ir.types import Scalar, Sign, Vector
from pdedsl.symbolic.activations import Activation
from pdedsl.symbolic.atoms import atoms, free_symbols
from pdedsl.symbolic.calculus import differentiate
from pdedsl.symbolic.expansion import expand
from pdedsl.symbolic.symbols import Field, Partial


@dataclass(frozen=True)
class Jet:
    """F and its variables.

    `higher` holds derivatives in time and those of order above two, `hidden` the derivatives of functions of u that
    are not differentiated further, and `nonlocal_` says whether F reads values at other points.
    """

    expr: Expr
    u: Symbol
    p: tuple[Symbol, ...]
    x: dict[tuple[int, int], Symbol]  # X_ij for i <= j
    higher: tuple[Symbol, ...]
    hidden: tuple[Expr, ...]
    nonlocal_: bool
    layout: Layout
    back: dict[Symbol, Expr]  # maps jet variables to the derivatives they stand for

    @property
    def coordinates(self) -> tuple[Symbol, ...]:
        return self.layout.coordinates

    @property
    def second(self) -> tuple[Symbol, ...]:
        return tuple(self.x.values())

    @cached_property
    def variables(self) -> tuple[Symbol, ...]:
        return (self.u, *self.p, *self.second, *self.higher)

    @cached_property
    def variable_set(self) -> frozenset[Symbol]:
        return frozenset(self.variables)

    @cached_property
    def order(self) -> int:
        """The highest order of a derivative with a coordinate of space; derivatives in time alone do not count."""
        free, places = free_symbols(self.expr), set(self.coordinates)
        slots = [self.back[v].slots for v in (*self.p, *self.second, *self.higher) if v in free]
        seen = [len(s) for s in slots if places & set(s)]
        return max((*seen, *map(self.hidden_order, self.hidden)), default=0)

    def hidden_order(self, expr: Expr) -> int:
        """The order of a nested derivative: ∂/∂x f(∂u/∂x) is of second order."""
        if not isinstance(expr, Partial):
            return max(map(self.hidden_order, expr.args), default=0)
        return len(expr.slots) + self.hidden_order(expr.body)

    @cached_property
    def _affine(self) -> tuple[dict[Symbol, Expr], Expr] | None:
        """The coefficients of u and its derivatives, and the source, if F is affine in them; otherwise None."""
        variables = self.variable_set
        parts: dict[Symbol, list[Expr]] = {}
        rest: list[Expr] = []
        for term in Add.make_args(self.expr):
            touched = [f for f in Mul.make_args(term) if free_symbols(f) & variables]
            if not touched:
                rest.append(term)
            elif len(touched) == 1 and touched[0] in variables:
                parts.setdefault(touched[0], []).append(_without(term, touched[0]))
            else:
                return None
        return {v: Add(*found) for v, found in parts.items()}, Add(*rest)

    def slope(self, variable: Symbol) -> Expr:
        """∂F/∂variable."""
        if self._affine is not None:
            return self._affine[0].get(variable, S.Zero)
        parts = []
        for term in (a for a in Add.make_args(self.expr) if variable in free_symbols(a)):
            touched = [f for f in Mul.make_args(term) if variable in free_symbols(f)]
            parts.append(_without(term, variable) if touched == [variable] else term.diff(variable))
        return Add(*parts)

    @cached_property
    def matrix(self) -> tuple[tuple[Expr, ...], ...]:
        """A = ∂F/∂X, symmetric."""
        d = len(self.coordinates)
        half = {(i, j): self.slope(s) / (1 if i == j else 2) for (i, j), s in self.x.items()}
        return tuple(tuple(half.get((min(i, j), max(i, j)), S.Zero) for j in range(d)) for i in range(d))

    @cached_property
    def drift(self) -> tuple[Expr, ...]:
        """b = ∂F/∂p."""
        return tuple(map(self.slope, self.p))

    @cached_property
    def rate(self) -> Expr:
        """c = ∂F/∂u."""
        return self.slope(self.u)

    def depends_on(self, exprs: tuple[Expr, ...], variables: tuple[Symbol, ...]) -> bool:
        some = self.variable_set if variables is self.variables else set(variables)
        return any(free_symbols(e) & some for e in exprs)

    @property
    def is_linear(self) -> bool:
        """Whether F is linear and homogeneous in u and its derivatives."""
        return self.is_affine and self.source == 0

    @property
    def is_affine(self) -> bool:
        return self._affine is not None

    @cached_property
    def source(self) -> Expr:
        """The value of F where u and its derivatives vanish; zero if F is singular there."""
        if self._affine is not None:
            return self._affine[1]
        if self.singular:
            return S.Zero
        return expand(self.expr.xreplace(dict.fromkeys(self.variables, S.Zero)))

    @cached_property
    def singular(self) -> bool:
        """Whether F is undefined at p = 0, as for mean curvature flow."""
        if self._affine is not None:
            return False
        flat = dict.fromkeys((*self.p, *self.second, *self.higher), S.Zero)
        return any(a.xreplace(flat).has(nan, zoo) for a in (*atoms(self.expr, Pow), self.expr))

    def in_letters(self, expr: Expr) -> Expr:
        """An expression in u and its derivatives, in the letters of this jet."""
        letters = {e: v for v, e in self.back.items() if v is not self.u}
        return expr.xreplace(letters).xreplace({self.back[self.u]: self.u})

    def total(self, expr: Expr, slot: Symbol) -> Expr:
        """The total derivative in space of a function of the jet."""
        return differentiate(expr.xreplace(self.back), slot)


def _without(product: Expr, factor: Symbol) -> Expr:
    """A product divided by one of its factors."""
    rest = [f for f in Mul.make_args(product) if f != factor]
    plain = isinstance(product, Mul) and not any(f.is_Add for f in rest)
    return product._new_rawargs(*rest) if plain else Mul(*rest)


def as_scalar(exprs: tuple[Expr, ...], unknown: Unknown) -> Expr:
    """The components of a vector combined into one scalar, each with its own weight, which keeps orders and kinds."""
    if not isinstance(unknown.type, Vector):
        return exprs[0]
    fields = {f for e in exprs for f in atoms(e, Field) if f.head == unknown.head}
    scalar = {f: Field(f.head, (), tuple(f.arguments)) for f in fields}
    return Add(*(e.xreplace(scalar) * Symbol(f"_{k}", positive=True) for k, e in enumerate(exprs)))


def jet_of(expr: Expr, unknown: Unknown, spec: Spec, dimension: int | None = None) -> Jet:
    """The jet of an expression in one unknown."""
    layout = layout_of(expr, spec, dimension)
    coordinates = layout.coordinates
    elsewhere = _looks_elsewhere(expr, spec)
    expr = multiplied_out(opened(expr), spec, layout)
    value = in_coordinates(Field(unknown.head, (), unknown.arguments), layout)
    u = Dummy("u", **assumed(unknown))
    p = tuple(Dummy(f"p{i}", real=True) for i in range(1, len(coordinates) + 1))
    x = {(i, j): Dummy(f"X{i + 1}{j + 1}", real=True) for i in range(len(p)) for j in range(i, len(p))}
    replaced: dict[Expr, Expr] = {}
    higher: list[Symbol] = []
    partials = sorted(atoms(expr, Partial), key=default_sort_key)
    for partial in (a for a in partials if a.body == value):
        indices = tuple(sorted(coordinates.index(s) for s in partial.slots if s in coordinates))
        if len(indices) == len(partial.slots) == 1:
            replaced[partial] = p[indices[0]]
        elif len(indices) == len(partial.slots) == 2:
            replaced[partial] = x[indices[0], indices[1]]
        else:
            higher.append(Dummy(f"H{len(higher)}", real=True))
            replaced[partial] = higher[-1]
    back = {v: k for k, v in replaced.items()} | {u: value}
    for i, s in enumerate(p):
        back.setdefault(s, Partial(value, coordinates[i]))
    for (i, j), s in x.items():
        back.setdefault(s, Partial(value, coordinates[i], coordinates[j]))
    jetted = expr.xreplace(replaced).xreplace({value: u})
    hidden = tuple(a for a in partials if _hides(a, unknown))
    return Jet(jetted, u, p, x, tuple(higher), hidden, elsewhere, layout, back)


def assumed(unknown: Unknown) -> dict[str, bool]:
    """The assumptions on the values of an unknown that follow from its type."""
    signs = {Sign.POSITIVE: {"positive": True}, Sign.NONNEGATIVE: {"nonnegative": True}}
    return signs.get(unknown.type.sign, {"real": True}) if isinstance(unknown.type, Scalar) else {"real": True}


def opened(expr: Expr) -> Expr:
    """Applies the chain rule to derivatives of activations: ∂/∂x relu(∂u/∂x) = relu'(∂u/∂x) ∂²u/∂x²."""
    closed = [p for p in atoms(expr, Partial) if p.body.has(Activation, Max, Min)]
    return expr.xreplace({p: _by_chain(p) for p in closed}) if closed else expr


def _by_chain(partial: Partial) -> Expr:
    total = opened(partial.body)
    for slot in partial.slots:
        total = differentiate(total, slot, chain=True)
    return total


def _hides(partial: Partial, unknown: Unknown) -> bool:
    """Whether this is the derivative of a function of the unknown rather than of the unknown itself."""
    own = isinstance(partial.body, Field) and partial.body.head == unknown.head
    return not own and any(f.head == unknown.head for f in atoms(partial.body, Field))


def _looks_elsewhere(expr: Expr, spec: Spec) -> bool:
    """Whether an unknown is read at arguments other than its own."""
    here = {u.head: Tuple(*u.arguments) for u in spec.unknowns}
    return any(f.arguments != here.get(f.head, f.arguments) for f in atoms(expr, Field))
