"""Jet functions F(x, t, u, p, X) with p = ∇u, X = ∇∇u, in components, and differential expressions in all unknowns."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

from sympy import (
    Add,
    DiracDelta,
    Dummy,
    Expr,
    Integer,
    Max,
    Min,
    Mul,
    Pow,
    Rational,
    S,
    Symbol,
    Tuple,
    default_sort_key,
    nan,
    zoo,
)

from pdedsl.analysis.bounds.relu_form import to_relu_form
from pdedsl.analysis.drift_diffusion import contains_unknown, is_jet_variable
from pdedsl.analysis.index_expansion import CoordinateLayout, expand_in_components, in_coordinates, layout_of
from pdedsl.analysis.sample_points import (
    ROUNDING_RTOL,
    Point,
    Ranges,
    find_nonzero_point,
    is_discontinuity,
    points,
    precise_value_at,
    search_points,
    value_at,
    with_unit_fields,
)
from pdedsl.ir.spec import Spec, Unknown
from pdedsl.ir.types import Scalar, Sign, Vector
from pdedsl.record import Record
from pdedsl.symbolic.calculus import depends, differentiate
from pdedsl.symbolic.complex_numbers import is_complex_field
from pdedsl.symbolic.functions import ActivationFunction
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.rewrite import expand, expand_products
from pdedsl.symbolic.symbols import Field, FractionalLaplacian, Partial, atoms, free_symbols

# ---- Jet of one unknown


class Jet(Record):
    """F and its jet variables.

    `higher` are the time derivatives and the derivatives of order above two, `unexpanded` the derivatives of functions
    of u that are not expanded by the chain rule; `is_nonlocal` if u is evaluated at other points or times.
    """

    expr: Expr
    u: Symbol
    p: tuple[Symbol, ...]
    x: dict[tuple[int, int], Symbol]  # X_ij for i <= j
    higher: tuple[Symbol, ...]
    unexpanded: tuple[Expr, ...]
    is_nonlocal: bool
    layout: CoordinateLayout
    derivative_of: dict[Symbol, Expr]  # the derivative that each jet variable represents

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
        """The order in space: the highest order of a derivative that is not purely in time."""
        free, coordinates = free_symbols(self.expr), set(self.coordinates)
        slots = [self.derivative_of[v].slots for v in (*self.p, *self.second, *self.higher) if v in free]
        dependences = [len(s) for s in slots if coordinates & set(s)]
        return max((*dependences, *map(self.nested_order, self.unexpanded)), default=0)

    def nested_order(self, expr: Expr) -> int:
        """The order of a nested derivative: ∂/∂x f(∂u/∂x) is of second order."""
        if not isinstance(expr, Partial):
            return max(map(self.nested_order, expr.args), default=0)
        return len(expr.slots) + self.nested_order(expr.body)

    @cached_property
    def _affine(self) -> tuple[dict[Symbol, Expr], Expr] | None:
        """The coefficients of u and its derivatives, and the source, if F is affine in them; otherwise None."""
        variables = self.variable_set
        parts: dict[Symbol, list[Expr]] = {}
        rest: list[Expr] = []
        for term in Add.make_args(self.expr):
            with_unknowns = [f for f in Mul.make_args(term) if free_symbols(f) & variables]
            if not with_unknowns:
                rest.append(term)
            elif len(with_unknowns) == 1 and with_unknowns[0] in variables:
                parts.setdefault(with_unknowns[0], []).append(_divide_by_factor(term, with_unknowns[0]))
            else:
                return None
        return {v: Add(*coefficients) for v, coefficients in parts.items()}, Add(*rest)

    def derivative(self, variable: Symbol) -> Expr:
        """∂F/∂variable."""
        if self._affine is not None:
            return self._affine[0].get(variable, S.Zero)
        parts = []
        for term in self._terms_with.get(variable, ()):
            with_unknowns = [f for f in Mul.make_args(term) if variable in free_symbols(f)]
            parts.append(_divide_by_factor(term, variable) if with_unknowns == [variable] else term.diff(variable))
        return Add(*parts)

    @cached_property
    def _terms_with(self) -> dict[Symbol, list[Expr]]:
        """The terms of F in which a symbol occurs."""
        terms: dict[Symbol, list[Expr]] = {}
        for term in Add.make_args(self.expr):
            for s in free_symbols(term):
                terms.setdefault(s, []).append(term)
        return terms

    @cached_property
    def matrix(self) -> tuple[tuple[Expr, ...], ...]:
        """A = ∂F/∂X, symmetric."""
        d = len(self.coordinates)
        half = {(i, j): self.derivative(s) / (1 if i == j else 2) for (i, j), s in self.x.items()}
        return tuple(tuple(half.get((min(i, j), max(i, j)), S.Zero) for j in range(d)) for i in range(d))

    @cached_property
    def drift(self) -> tuple[Expr, ...]:
        """b = ∂F/∂p."""
        return tuple(map(self.derivative, self.p))

    @cached_property
    def rate(self) -> Expr:
        """c = ∂F/∂u."""
        return self.derivative(self.u)

    def depends_on(self, exprs: tuple[Expr, ...], variables: tuple[Symbol, ...]) -> bool:
        some = self.variable_set if variables is self.variables else set(variables)
        return any(free_symbols(e) & some for e in exprs)

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
        at_zero = dict.fromkeys((*self.p, *self.second, *self.higher), S.Zero)
        return any(a.xreplace(at_zero).has(nan, zoo) for a in (*atoms(self.expr, Pow), self.expr))

    def in_jet_variables(self, expr: Expr) -> Expr:
        """An expression in u and its derivatives, in the jet variables."""
        variables = {e: v for v, e in self.derivative_of.items() if v is not self.u}
        return expr.xreplace(variables).xreplace({self.derivative_of[self.u]: self.u})

    def total_derivative(self, expr: Expr, slot: Symbol) -> Expr:
        """The total derivative in space of a function of the jet."""
        return differentiate(expr.xreplace(self.derivative_of), slot)


def _divide_by_factor(product: Expr, factor: Symbol) -> Expr:
    """A product divided by one of its factors."""
    rest = [f for f in Mul.make_args(product) if f != factor]
    plain = isinstance(product, Mul) and not any(f.is_Add for f in rest)
    return product._new_rawargs(*rest) if plain else Mul(*rest)


def as_scalar(exprs: tuple[Expr, ...], unknown: Unknown) -> Expr:
    """A generic linear combination of the components of a vector: orders and kinds of terms are preserved."""
    if not isinstance(unknown.type, Vector):
        return exprs[0]
    fields = {f for e in exprs for f in atoms(e, Field) if f.head == unknown.head}
    scalar = {f: Field(f.head, (), tuple(f.arguments)) for f in fields}
    return Add(*(e.xreplace(scalar) * Symbol(f"_{k}", positive=True) for k, e in enumerate(exprs)))


def jet_of(expr: Expr, unknown: Unknown, spec: Spec, dimension: int | None = None) -> Jet:
    """The jet of an expression in one unknown."""
    layout = layout_of(expr, spec, dimension)
    coordinates = layout.coordinates
    is_nonlocal = _is_nonlocal(expr, spec)
    expr = expand_in_components(expand_chain_rule(expr), spec, layout)
    value = in_coordinates(Field(unknown.head, (), unknown.arguments), layout)
    u = Dummy("u", **sign_assumptions(unknown))
    p = tuple(Dummy(f"p{i}", real=True) for i in range(1, len(coordinates) + 1))
    x = {(i, j): Dummy(f"X{i + 1}{j + 1}", real=True) for i in range(len(p)) for j in range(i, len(p))}
    jet_variables: dict[Expr, Expr] = {}
    higher: list[Symbol] = []
    partials = sorted(atoms(expr, Partial), key=default_sort_key)
    for partial in (a for a in partials if a.body == value):
        indices = tuple(sorted(coordinates.index(s) for s in partial.slots if s in coordinates))
        if len(indices) == len(partial.slots) == 1:
            jet_variables[partial] = p[indices[0]]
        elif len(indices) == len(partial.slots) == 2:
            jet_variables[partial] = x[indices[0], indices[1]]
        else:
            higher.append(Dummy(f"H{len(higher)}", real=True))
            jet_variables[partial] = higher[-1]
    back = {v: k for k, v in jet_variables.items()} | {u: value}
    for i, s in enumerate(p):
        back.setdefault(s, Partial(value, coordinates[i]))
    for (i, j), s in x.items():
        back.setdefault(s, Partial(value, coordinates[i], coordinates[j]))
    jetted = expr.xreplace(jet_variables).xreplace({value: u})
    hidden = tuple(a for a in partials if _is_unexpanded(a, unknown))
    return Jet(jetted, u, p, x, tuple(higher), hidden, is_nonlocal, layout, back)


def sign_assumptions(unknown: Unknown) -> dict[str, bool]:
    """The assumptions on the values of an unknown that follow from its type."""
    signs = {Sign.POSITIVE: {"positive": True}, Sign.NONNEGATIVE: {"nonnegative": True}}
    return signs.get(unknown.type.sign, {"real": True}) if isinstance(unknown.type, Scalar) else {"real": True}


def expand_chain_rule(expr: Expr) -> Expr:
    """Applies the chain rule to derivatives of activations: ∂/∂x relu(∂u/∂x) = relu'(∂u/∂x) ∂²u/∂x²."""
    unexpanded = [p for p in atoms(expr, Partial) if p.body.has(ActivationFunction, Max, Min)]
    return expr.xreplace({p: _apply_chain_rule(p) for p in unexpanded}) if unexpanded else expr


def _apply_chain_rule(partial: Partial) -> Expr:
    total = expand_chain_rule(partial.body)
    for slot in partial.slots:
        total = differentiate(total, slot, chain=True)
    return total


def _is_unexpanded(partial: Partial, unknown: Unknown) -> bool:
    """Whether this is the derivative of a function of the unknown, not of the unknown itself."""
    own = isinstance(partial.body, Field) and partial.body.head == unknown.head
    return not own and any(f.head == unknown.head for f in atoms(partial.body, Field))


def _is_nonlocal(expr: Expr, spec: Spec) -> bool:
    """Whether an unknown is evaluated at another point or time, or in a fractional Laplacian."""
    if expr.has(FractionalLaplacian):
        return True
    here = {u.head: Tuple(*u.arguments) for u in spec.unknowns}
    return any(f.arguments != here.get(f.head, f.arguments) for f in atoms(expr, Field))


# ---- Differential expressions in all unknowns


SECOND_DIFFERENCE_SAMPLES = 12  # a nonlinear expression has a nonzero second difference at almost every point


class DifferentialExpression(Record):
    """A sum of products of jet variables: values of unknowns, possibly at other points, and their derivatives."""

    expr: Expr
    heads: frozenset[Symbol]

    @cached_property
    def _parts(self) -> tuple[Expr, Expr]:
        """The source, and the terms that are not a multiple of one jet variable."""
        source: list[Expr] = []
        rest: list[Expr] = []
        for term in Add.make_args(self.expr):
            with_unknowns = [f for f in Mul.make_args(term) if self._contains_unknown(f)]
            if not with_unknowns:
                source.append(term)
            elif len(with_unknowns) > 1 or not self._is_jet_variable(with_unknowns[0]):
                rest.append(term)
        return Add(*source), Add(*rest)

    def _contains_unknown(self, expr: Expr) -> bool:
        return contains_unknown(expr, self.heads)

    def _is_jet_variable(self, expr: Expr) -> bool:
        return is_jet_variable(expr, self.heads)

    @cached_property
    def is_affine(self) -> bool:
        """Whether it is affine, symbolically, after cancellation of kinks."""
        rest = self._parts[1]
        return bool(rest == 0 or DifferentialExpression(expand_products(to_relu_form(rest)), self.heads)._parts[1] == 0)

    def is_certainly_nonlinear(self, ranges: Ranges) -> bool:
        """Whether it is proved not to be affine somewhere in range; False if undecided."""
        rest = self._parts[1]
        return rest != 0 and (
            self._has_nonlinear_monomial(rest, ranges)
            or _has_nonzero_second_difference(self._with_symbols(expand_chain_rule(rest)), ranges)
        )

    def _has_nonlinear_monomial(self, rest: Expr, ranges: Ranges) -> bool:
        """Whether it is a polynomial in the jet variables with a monomial of degree ≥ 2 whose coefficient is not
        identically zero."""
        monomials: dict[frozenset[Expr], list[Expr]] = {}
        for term in Add.make_args(rest):
            with_unknowns = [f for f in Mul.make_args(term) if self._contains_unknown(f)]
            if not all(
                self._is_jet_variable(b) and n.is_Integer and n > 0 for b, n in (f.as_base_exp() for f in with_unknowns)
            ):
                return False
            monomials.setdefault(frozenset(with_unknowns), []).append(term / Mul(*with_unknowns))
        return any(_is_nonzero_somewhere(Add(*parts), ranges) for parts in monomials.values())

    @property
    def is_linear(self) -> bool:
        return self.is_affine and self.source == 0

    @cached_property
    def source(self) -> Expr:
        """Its value if every unknown is zero."""
        source, rest = self._parts
        return source if rest == 0 else expand(source + _at_zero(self._with_symbols(rest)))

    @property
    def nonlinear_part(self) -> Expr:
        """The terms that are not affine."""
        return self._parts[1]

    @cached_property
    def at_constants(self) -> Expr:
        """Its value if every unknown is constant in space and time."""
        at_zero = self.expr.xreplace(dict.fromkeys(self._jet_variables(self.expr, Partial), S.Zero))
        fields = self._jet_variables(at_zero, Field)
        constants: dict[str, Symbol] = {}
        for f in fields:
            constants.setdefault(_field_name(f), Dummy(_field_name(f), **_symbol_assumptions(f)))
        return expand_products(_drop_zero_derivatives(at_zero.xreplace({f: constants[_field_name(f)] for f in fields})))

    def _jet_variables(self, expr: Expr, kind: Any) -> list[Expr]:
        return sorted((a for a in atoms(expr, kind) if self._is_jet_variable(a)), key=default_sort_key)

    @property
    def in_jet_variables(self) -> Expr:
        """The expression with a symbol for each jet variable, and 1 for learned fields."""
        return with_unit_fields(self._with_symbols(self.expr))

    def _with_symbols(self, expr: Expr) -> Expr:
        for kind in (Partial, Field):
            variables = self._jet_variables(expr, kind)
            expr = expr.xreplace(
                {a: Dummy(f"{kind.__name__}{k}", **_symbol_assumptions(a)) for k, a in enumerate(variables)}
            )
        return expr

    @cached_property
    def jet_variables(self) -> tuple[Expr, ...]:
        """The values and derivatives of unknowns that occur in it."""
        partials = self._jet_variables(self.expr, Partial)
        return (*partials, *self._jet_variables(self.expr.xreplace(dict.fromkeys(partials, S.One)), Field))

    def derivative(self, variable: Expr) -> Expr:
        """The derivative with respect to a jet variable, with symbols for all jet variables."""
        changed = Dummy("changed", real=True)
        others = {p: Dummy(real=True) for p in self._jet_variables(self.expr, Partial)}
        return self._with_symbols(self.expr.xreplace({**others, variable: changed})).diff(changed)


@lru_cache(maxsize=64)  # shared by several provers
def differential_expression(expr: Expr, spec: Spec) -> DifferentialExpression:
    if spec.space.explicit:
        expression = expand_products(solenoidal(expr, spec))
    else:
        expression = expand_in_components(expr, spec, layout_of(expr, spec))
    return DifferentialExpression(expression, frozenset(u.head for u in spec.unknowns))


def solenoidal(expr: Expr, spec: Spec) -> Expr:
    """Substitutes -∂v₁/∂x₁ - … for ∂vₙ/∂xₙ of fields that are divergence-free by type, so that ∇·v cancels."""
    free = {w.head for w in spec.learned if isinstance(w.type, Vector) and w.type.divergence_free}
    if not free or not spec.space.explicit:
        return expr
    *others, last = spec.space.coordinates
    partials = [
        p for p in atoms(expr, Partial) if isinstance(p.body, Field) and p.body.head in free and last in p.slots
    ]
    return expr.xreplace(
        {p: _by_others(p, others, last) for p in partials if tuple(p.body.indices) == (len(others) + 1,)}
    )


def _by_others(partial: Partial, others: list[Symbol], last: Symbol) -> Expr:
    slots, v = list(partial.slots), partial.body
    slots.remove(last)
    components = (Field(v.head, (Integer(k),), tuple(v.arguments)) for k in range(1, len(others) + 1))
    return -Add(*(Partial(w, *slots, x) for w, x in zip(components, others, strict=True)))


def with_jet_symbols(expr: Expr, spec: Spec) -> Expr:
    """An expression with a symbol for each jet variable."""
    return DifferentialExpression(expr, frozenset(u.head for u in spec.unknowns))._with_symbols(expr)


def multiples_of_constant(at_zero: Expr, constant: int | Rational) -> dict[Symbol, Rational]:
    """Constants for the unknowns in an expression: c, 2c, …"""
    variables = sorted(atoms(at_zero, Dummy), key=lambda s: s.name)
    return {s: Rational(k * constant) for k, s in enumerate(variables, 1)}


def _field_name(field: Field) -> str:
    return notation(field) if is_complex_field(field) else f"{field.head.name}{''.join(map(str, field.indices))}"


def _at_zero(expr: Expr) -> Expr:
    return _drop_zero_derivatives(expr.xreplace(dict.fromkeys(atoms(expr, Dummy), S.Zero)))


def _drop_zero_derivatives(expr: Expr) -> Expr:
    """Sets derivatives of expressions that do not depend on the variable to zero."""
    zero = [p for p in atoms(expr, Partial) if not all(depends(p.body, s) for s in p.slots)]
    return expr.xreplace(dict.fromkeys(zero, S.Zero))


def _symbol_assumptions(variable: Expr) -> dict[str, bool]:
    """The sign assumptions that follow from the type of an unknown."""
    known = {"positive": True} if variable.is_positive else {"nonnegative": True} if variable.is_nonnegative else {}
    return {"real": True, **known}


def _is_nonzero_somewhere(coefficient: Expr, ranges: Ranges) -> bool:
    """Whether a coefficient is nonzero at a point; with learned fields it is, for some weights."""
    known = not coefficient.has(Field, Partial)
    return find_nonzero_point(coefficient, ranges) is not None if known else coefficient.is_zero is not True


def _has_nonzero_second_difference(expr: Expr, ranges: Ranges) -> bool:
    """Whether the second difference G(c + a + b) - G(c + a) - G(c + b) + G(c) is nonzero somewhere, also for b = -a."""
    variables = atoms(expr, Dummy)
    expr = expr.xreplace(dict.fromkeys(expr.atoms(DiracDelta), S.Zero))  # discontinuities are excluded
    shifts = points(expr.free_symbols, ranges, 6 * SECOND_DIFFERENCE_SAMPLES)
    base_points = () if expr.has(Partial) else search_points(expr, expr.free_symbols, ranges, SECOND_DIFFERENCE_SAMPLES)
    for c, a, b in zip(base_points, shifts, shifts, strict=False):
        for other in (b, {s: -v for s, v in a.items()}):
            corners_at = [_shift(c, variables, *by) for by in ((a, other), (), (a,), (other,))]
            corners = [
                value_at(expr, p) if _has_admissible_signs(p) and not is_discontinuity(expr, p) else None
                for p in corners_at
            ]
            values = [v for v in corners if v is not None]
            if (
                len(values) == len(corners)
                and _is_nonzero(values)
                and _is_nonzero_in_high_precision(expr, c, variables, a, other)
            ):
                return True
    return False


def _has_admissible_signs(place: Point) -> bool:
    """Whether the jet variables have the signs of their types: elu is linear for u > 0."""
    return all(v >= 0 for s, v in place.items() if s.is_nonnegative)


def _is_nonzero(corners: list[float]) -> bool:
    both, none, one, other = corners
    return abs(both + none - one - other) > ROUNDING_RTOL * max(1, *map(abs, corners))


def _is_nonzero_in_high_precision(expr: Expr, start: Point, variables: frozenset[Symbol], a: Point, b: Point) -> bool:
    """The same in high precision: cosh² - sinh² of large numbers cancels completely in double precision."""
    corners = [precise_value_at(expr, _shift(start, variables, *by)) for by in ((a, b), (), (a,), (b,))]
    values = [v for v in corners if v is not None]
    return len(values) == len(corners) and _is_nonzero(values)


def _shift(start: Point, variables: frozenset[Symbol], *by: Point) -> Point:
    return {s: v + (sum(p[s] for p in by) if s in variables else 0) for s, v in start.items()}
