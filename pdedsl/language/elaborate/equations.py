"""Elaboration of equations: their terms, the normal form ∂ⁿu/∂tⁿ = F, and the unknown that each equation determines.

A system determines its unknowns if equations and unknowns can be matched. An evolution equation determines the unknown
of its time derivative; each of the others is matched, preferably with an unknown that occurs in it, and with the one of
highest order: in

    ∂u/∂t + (u·∇)u = -∇p + νΔu        ∇·u = 0

the second determines p (bipartite matching by augmenting paths: Kuhn, The Hungarian method, 1955).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from sympy import Abs, Add, Expr, Heaviside, Integer, Max, Min, Mul, Pow, S, Symbol, Tuple, cancel, sift, sign

from pdedsl import errors
from pdedsl.diagnostics import Span
from pdedsl.ir.spec import Equation, IntegralCondition, SpaceKind, Spec, Summand, Unknown
from pdedsl.ir.types import Vector
from pdedsl.language import ast as t
from pdedsl.language.elaborate.declarations import interval_of
from pdedsl.language.elaborate.environment import Environment
from pdedsl.language.elaborate.expressions import report_too_large, tensor
from pdedsl.language.elaborate.scope import Scope
from pdedsl.language.elaborate.values import Tensor, collect_domain, common_shape
from pdedsl.record import Record
from pdedsl.symbolic.complex_numbers import is_complex_field, real_and_imaginary
from pdedsl.symbolic.functions import ActivationFunction
from pdedsl.symbolic.rewrite import expand_products, product, substitute
from pdedsl.symbolic.symbols import Field, Integral, Partial, atoms, atoms_outside_integrals

# ---- Terms


T = TypeVar("T")
MAX_TERMS = 500  # of an equation
MAX_CANCELLED_TERMS = 60  # terms of an equation whose common factors are cancelled


def elaborate_summands(statement: t.EquationStmt, scope: Scope) -> tuple[Summand, ...]:
    """All terms moved to the left-hand side, with their spans; the shapes of both terms must agree."""
    left, right = _signed_terms(statement.left, 1), _signed_terms(statement.right, 1)
    terms = [*((s, s, e) for s, e in left), *((-s, s, e) for s, e in right)]
    if len(terms) > MAX_TERMS:
        raise errors.syntax.too_many_terms(len(terms), MAX_TERMS, statement.span)
    domains: list[list[Expr]] = [[] for _ in terms]
    values = [_with_domain(partial(tensor, e, scope), d) for (_, _, e), d in zip(terms, domains, strict=True)]
    like = common_shape([(sign, value, e.span) for (sign, _, e), value in zip(terms, values, strict=True)], added=False)
    components = [
        _with_domain(partial(component_list, v, like.rank, like.size), d) for v, d in zip(values, domains, strict=True)
    ]
    rows = real_rows([[sign * x for x in exprs] for (sign, _, _), exprs in zip(terms, components, strict=True)], scope)
    return tuple(
        Summand(tuple(exprs), e.span, written < 0, tuple(dict.fromkeys(domain)))
        for (_, written, e), exprs, domain in zip(terms, rows, domains, strict=True)
    )


# ---- Complex equations


def real_rows(terms: list[list[Expr]], scope: Scope) -> list[list[Expr]]:
    """The terms of an equation with two real rows for each complex one, Re and Im.

    The rows of a component are combined so that each contains only one part of the highest derivative: i ∂ψ/∂t = F
    becomes ∂ Re ψ/∂t = Im F, ∂ Im ψ/∂t = -Re F.
    """
    split = [[real_and_imaginary(e) for e in exprs] for exprs in terms]
    if not any(imaginary != 0 for exprs in split for _, imaginary in exprs):
        return terms
    rows: list[list[Expr]] = [[] for _ in terms]
    for k in range(len(terms[0])):
        column = [exprs[k] for exprs in split]
        (a, b), (c, d) = _row_operations(column, scope)
        for row, (real, imaginary) in zip(rows, column, strict=True):
            row += [a * real + b * imaginary, c * real + d * imaginary]
    return rows


RowOperations = tuple[tuple[Expr, Expr], tuple[Expr, Expr]]
NO_OPERATIONS: RowOperations = (S.One, S.Zero), (S.Zero, S.One)


def _row_operations(column: list[tuple[Expr, Expr]], scope: Scope) -> RowOperations:
    """The adjugate of the matrix of coefficients of Re and Im of the highest derivative; divided by its determinant if
    that is a number."""
    if scope.names.eigenvalue is not None:
        return NO_OPERATIONS  # coefficients may contain the eigenvalue, and a factor i changes adjoints
    rows = [normal_form([e[k] for e in column], scope.names.numbers) for k in (0, 1)]
    pivot = _highest_derivative(rows, scope.time)
    if pivot is None:
        return NO_OPERATIONS
    coefficients = [_linear_coefficient(row, p) for row in rows for p in pivot]
    if any(e is None for e in coefficients):
        return NO_OPERATIONS
    a, b, c, d = (e for e in coefficients if e is not None)
    if b == c == 0:
        return NO_OPERATIONS
    determinant = expand_products(a * d - b * c)
    if determinant == 0:
        return NO_OPERATIONS
    scale = 1 / determinant if determinant.is_number else S.One
    return (d * scale, -b * scale), (-c * scale, a * scale)


def _highest_derivative(rows: list[Expr], time: Symbol | None) -> tuple[Expr, Expr] | None:
    """Re and Im of the derivative of highest order in time, then in space, of a complex field; or of the field."""
    fields = [f for row in rows for f in atoms(row, Field) if is_complex_field(f)]
    if not fields:
        return None
    derivatives = [p for row in rows for p in atoms(row, Partial) if is_complex_field(p.body)]
    highest = max(derivatives, key=lambda p: _derivative_rank(p, time)) if derivatives else max(fields, key=str)
    body = highest.body if isinstance(highest, Partial) else highest
    first = (int(body.indices[0]) - 1) // 2 * 2 + 1
    both = [Field(body.head, (Integer(k),), tuple(body.arguments)) for k in (first, first + 1)]
    slots = highest.slots if isinstance(highest, Partial) else ()
    real, imaginary = (Partial(f, *slots) if slots else f for f in both)
    return real, imaginary


def _derivative_rank(derivative: Partial, time: Symbol | None) -> tuple[int, int, str]:
    return derivative.slots.count(time), len(derivative.slots), str(derivative)


def complex_unknown_of(rows: list[Expr], env: Environment) -> Unknown | None:
    """The complex unknown of the highest derivative."""
    pivot = _highest_derivative(rows, env.time.symbol if env.time else None)
    if pivot is None:
        return None
    return unknown_of(pivot[0].body if isinstance(pivot[0], Partial) else pivot[0], env)


def _linear_coefficient(row: Expr, variable: Expr) -> Expr | None:
    """The coefficient of a variable in which the row is linear, otherwise None."""
    terms = [a for a in Add.make_args(row) if a.has(variable)]
    coefficient = Add(*(a / variable for a in terms))
    return None if coefficient.has(variable) else coefficient


def _with_domain(compute: Callable[[], T], domain: list[Expr]) -> T:
    """A result; the expressions that must be defined for it are added to the domain."""
    with collect_domain() as required:
        result = compute()
    domain += required
    return result


def _signed_terms(expr: t.Expr, sign: int) -> list[tuple[int, t.Expr]]:
    match expr:
        case t.Sum(terms=terms):
            return [p for s, e in terms for p in _signed_terms(e, -sign if s == "-" else sign)]
        case t.Group(body=body):
            return _signed_terms(body, sign)
        case _:
            return [(sign, expr)]


def component_list(value: Tensor, rank: int, size: int | None) -> list[Expr]:
    """The components of a scalar or vector; a literal zero fits any shape."""
    if rank == 0:
        return [value.expr]
    if size is None:
        index = Symbol("i0", integer=True)
        return [value.at(index) if value.rank else value.expr]
    indices = [Integer(i) for i in range(1, size + 1)]
    if rank == 1:
        return [value.at(i) if value.rank else value.expr for i in indices]
    return [value.at(i, j) if value.rank else value.expr for i in indices for j in indices]


def unknown_fields(exprs: list[Expr], env: Environment, outside_integrals: bool = False) -> list[Field]:
    heads, parts = {u.head for u in env.unknowns.values()}, atoms_outside_integrals if outside_integrals else atoms
    return sorted({f for e in exprs for f in parts(e, Field) if f.head in heads}, key=str)


# ---- Normalizations


def is_normalization(exprs: list[Expr], env: Environment) -> bool:
    """Whether unknowns occur only in integrals that depend on no coordinate, as in ∫_Ω p dx = 1."""
    scope = env.scope()
    coordinates = {*scope.space.coordinates, scope.time}
    inside = any(e.has(Integral) for e in exprs) and not unknown_fields(exprs, env, outside_integrals=True)
    return inside and not any(e.free_symbols & coordinates for e in exprs)


def integral_condition(statement: t.EquationStmt, summands: tuple[Summand, ...], env: Environment) -> IntegralCondition:
    if len(summands[0].exprs) > 1:
        raise errors.equations.vector_normalization(statement.span)
    if statement.time_interval:
        raise errors.equations.condition_with_interval(
            statement.time_interval[0].span, Span(statement.right.span.end, statement.time_interval[1].span.end)
        )
    value = normal_form([s.exprs[0] for s in summands], env.numbers)
    fields = unknown_fields([value], env)
    if not fields:
        raise errors.equations.terms_cancel(statement.span)
    return IntegralCondition(fields[0].head, value, statement.span)


def learned_fields(exprs: list[Expr], env: Environment) -> list[Field]:
    """Learned functions of the coordinates, which may have their own conditions."""
    heads = {f.head for f in env.learned.values() if f.arguments}
    return sorted({f for e in exprs for f in atoms(e, Field) if f.head in heads}, key=str)


def unknown_of(field: Field, env: Environment) -> Unknown:
    return next(u for u in env.unknowns.values() if u.head == field.head)


def size_of(unknown: Unknown, env: Environment) -> int:
    """The number of components."""
    match unknown.type:
        case Vector(size=size):
            dimension = env.scope().space.dimension
            return size or (dimension if isinstance(dimension, int) else 0)
        case _:
            return 1


def own_arguments(field: Field, env: Environment) -> object:
    return Tuple(*unknown_of(field, env).arguments)


def has_fixed_argument(field: Field, env: Environment) -> bool:
    """Whether an argument is a fixed value, such as the end of an interval, rather than a shift."""
    own = unknown_of(field, env).arguments
    pairs = list(zip(field.arguments, own, strict=True))
    return any(a.xreplace(env.numbers).is_number for a, o in pairs if a != o)


def normal_form(exprs: list[Expr], numbers: dict[Symbol, Expr]) -> Expr:
    """A sum of products with constants replaced by numbers; variable denominators are cancelled where possible."""
    whole = Add(*(expand_products(substitute(e, numbers)) for e in exprs))
    terms = Add.make_args(whole)
    return Add(*map(_cancel_common_factors, terms)) if len(terms) <= MAX_CANCELLED_TERMS else whole


def _cancel_common_factors(term: Expr) -> Expr:
    """A product without common factors of numerator and denominator; roots, and functions in the numerator only, are
    left out."""
    factors = Mul.make_args(term)
    denominators = [f for f in factors if isinstance(f, Pow) and f.exp.is_Integer and f.exp < 0 and not f.is_number]
    if not denominators:
        return term
    if not all(f.is_rational_function() for f in denominators):
        return cancel(term)
    ratio, other = sift(factors, lambda f: bool(f.is_rational_function()), binary=True)
    return product(cancel(Mul(*ratio)), *other)


# ---- Normal form


def elaborate_equation(statement: t.EquationStmt, summands: tuple[Summand, ...], env: Environment) -> Equation:
    interval = _time_interval(statement, env)
    columns = [[s.exprs[k] for s in summands] for k in range(len(summands[0].exprs))]
    components = [report_too_large(partial(normal_form, column, env.numbers), statement.span) for column in columns]
    if all(w == S.Zero for w in components):
        raise errors.equations.terms_cancel(statement.span)
    target = _highest_time_derivative(components[0], env)
    if target is None:
        return Equation(summands, _only_unknown(components, env), 0, tuple(components), interval, statement.span)
    right, body = tuple(_solve_for(w, target, k, env) for k, w in enumerate(components)), target.body
    below = tuple(
        e for k, w in enumerate(components) for e in _solvability_domain(_coefficient(w, target, k), body, env)
    )
    summands = (replace(summands[0], domain=(*summands[0].domain, *below)), *summands[1:])
    alone = bool(body.indices) and len(components) < size_of(unknown_of(body, env), env)
    component = int(body.indices[0]) if alone and body.indices[0].is_Integer else None
    return Equation(summands, body.head, len(target.slots), right, interval, statement.span, component)


def _highest_time_derivative(whole: Expr, env: Environment) -> Partial | None:
    """The time derivative of highest order of any unknown in the equation."""
    if env.time is None:
        return None
    t_ = env.time.symbol
    heads = {u.head for u in env.unknowns.values()}
    derivatives = [
        p
        for p in atoms(whole, Partial)
        if isinstance(p.body, Field)
        and p.body.head in heads
        and set(p.slots) == {t_}
        and p.body.arguments == own_arguments(p.body, env)
    ]
    return max(derivatives, key=lambda p: (len(p.slots), str(p))) if derivatives else None


def _component_derivative(target: Partial, k: int) -> Partial:
    """The time derivative of the component that an equation determines."""
    body = target.body
    if body.indices and k:
        body = Field(body.head, (Integer(k + 1),), tuple(body.arguments))
    return Partial(body, *target.slots)


def _coefficient(whole: Expr, target: Partial, k: int) -> Expr:
    """The coefficient of the time derivative; 1 in an implicit equation."""
    derivative = _component_derivative(target, k)
    coefficient = Add(*(a / derivative for a in Add.make_args(whole) if a.has(derivative)))
    return S.One if coefficient == 0 or coefficient.has(derivative) else coefficient


def _solvability_domain(coefficient: Expr, body: Field, env: Environment) -> tuple[Expr, ...]:
    """Expressions that must be defined for the equation to determine u: relu(x) ∂u/∂t = relu(x) Δu does not for x < 0,
    nor q ∂u/∂t = q Δu for a weight of 0. Isolated zeros, as in x ∂u/∂t = x Δu, do not matter."""
    if unknown_fields([coefficient], env):
        return (1 / coefficient,)
    return (body / coefficient,) if coefficient.has(Field, ActivationFunction, Abs, Max, Min, Heaviside, sign) else ()


def _solve_for(whole: Expr, target: Partial, k: int, env: Environment) -> Expr:
    """The right-hand side when the equation is solved for its time derivative."""
    derivative = _component_derivative(target, k)
    terms = Add.make_args(whole)
    with_goal = [a for a in terms if a.has(derivative)]
    coefficient = Add(*(a / derivative for a in with_goal))
    if not with_goal or coefficient.has(derivative):
        return whole  # an implicit equation is not solved
    rest = [a for a in terms if not a.has(derivative)]
    return Add(*(expand_products(-a / coefficient) for a in rest))


def _only_unknown(components: list[Expr], env: Environment) -> Symbol | None:
    heads = {f.head for f in unknown_fields(components, env)}
    return heads.pop() if len(heads) == 1 else None


def _time_interval(statement: t.EquationStmt, env: Environment) -> tuple[Expr, Expr] | None:
    if statement.time_interval is None:
        return None
    name, expr = statement.time_interval
    if env.time is None or name.id != _time_id(env):
        raise errors.equations.not_the_time(name.text, env.time.name if env.time else None, name.span)
    interval = interval_of(expr, env)
    return interval.start, interval.end


def _time_id(env: Environment) -> str:
    return next(n for n, d in env.declared.items() if isinstance(d, t.TimeDecl))


# ---- Matching of equations and unknowns


class UnknownComponent(Record):
    """An unknown, or a component of one."""

    head: Symbol
    component: int | None
    rows: int


def match_equations(spec: Spec) -> tuple[Equation, ...]:
    """The equations, each with the unknown that it determines; an unmatched equation is unchanged."""
    if spec.space.kind is SpaceKind.PIXELS:
        return spec.equations
    free = [k for k, e in enumerate(spec.equations) if not e.order and e.interval is None]
    matching: dict[UnknownComponent, int] = {}
    for inside in (True, False):
        candidates = {k: _candidates(spec.equations[k], _undetermined_components(spec), inside) for k in free}
        for k in (k for k in free if k not in matching.values()):
            _find_augmenting_path(k, candidates, matching, set())
    matched = {k: partner for partner, k in matching.items()}
    return tuple(_assign(e, matched.get(k)) for k, e in enumerate(spec.equations))


def _assign(equation: Equation, partner: UnknownComponent | None) -> Equation:
    return replace(equation, unknown=partner.head, component=partner.component) if partner else equation


def _undetermined_components(spec: Spec) -> list[UnknownComponent]:
    """Unknowns that no evolution equation determines; their components where the equations are scalar."""
    determined = {(e.unknown, e.component) for e in spec.equations if e.order}
    undetermined: list[UnknownComponent] = []
    for u in spec.unknowns:
        size = component_count(u.type, spec)
        alone = size > 1 and not any(_fits(e, u.head, size) for e in spec.equations)
        parts = (
            [UnknownComponent(u.head, k, 1) for k in range(1, size + 1)]
            if alone
            else [UnknownComponent(u.head, None, size)]
        )
        undetermined += [p for p in parts if not {(p.head, None), (p.head, p.component)} & determined]
    return undetermined


def component_count(type_: object, spec: Spec) -> int:
    """The number of components of an unknown; 1 for a vector in a space of unknown dimension."""
    if not isinstance(type_, Vector):
        return 1
    return type_.size or (spec.space.dimension if isinstance(spec.space.dimension, int) else 1)


def _fits(equation: Equation, head: Symbol, size: int) -> bool:
    """Whether an equation could determine the unknown: it contains it, and has as many rows as it has components."""
    return len(equation.rhs) == size and any(f.head == head for e in equation.rhs for f in atoms(e, Field))


def _candidates(equation: Equation, partners: list[UnknownComponent], inside: bool) -> list[UnknownComponent]:
    """Candidates for an equation, by decreasing order of their derivatives in it; with `inside`, only those in it."""
    fits = [p for p in partners if p.rows == len(equation.rhs) and (not inside or _order(equation, p) >= 0)]
    return sorted(fits, key=lambda p: -_order(equation, p))


def _order(equation: Equation, partner: UnknownComponent) -> int:
    """The order of the highest derivative; -1 if the component does not occur in the equation."""

    def own(f: Field) -> bool:
        return f.head == partner.head and (partner.component is None or tuple(f.indices) == (partner.component,))

    partials = [p for e in equation.rhs for p in atoms(e, Partial) if any(own(f) for f in atoms(p, Field))]
    if partials:
        return max(len(p.slots) for p in partials)
    return 0 if any(own(f) for e in equation.rhs for f in atoms(e, Field)) else -1


def _find_augmenting_path(
    k: int,
    candidates: dict[int, list[UnknownComponent]],
    matching: dict[UnknownComponent, int],
    visited: set[UnknownComponent],
) -> bool:
    """Whether an augmenting path matches the equation; the matching is updated."""
    for partner in candidates[k]:
        if partner in visited:
            continue
        visited.add(partner)
        if partner not in matching or _find_augmenting_path(matching[partner], candidates, matching, visited):
            matching[partner] = k
            return True
    return False
