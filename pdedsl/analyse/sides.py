"""The conditions on the sides of a domain: values, fluxes along the normal, or something else.

Dirichlet: the value of u is given. Neumann and Robin: α ∂u/∂n + β u = g at the point itself, with α ≠ 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sympy import Add, Dummy, Expr, S, Symbol

from pdedsl.analyse.conditions import further
from pdedsl.analyse.intervals import Box
from pdedsl.analyse.problem import Problem, is_undefined
from pdedsl.analyse.ranges import range_of
from pdedsl.analyse.samples import ranges_of
from pdedsl.analyse.signs import box_of, nonnegative
from pdedsl.ir.spec import Condition, Spec, side_names
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.expansion import expand
from pdedsl.symbolic.replacing import replaced
from pdedsl.symbolic.symbols import Component, Field, Partial


@dataclass(frozen=True)
class Value:
    """u = g."""

    given: Expr


@dataclass(frozen=True)
class Flux:
    """∂u/∂n = slope · u + given, with `letter` for u; if not affine in u, `slope` is None and `given` is all of it."""

    slope: Expr | None
    given: Expr
    letter: Symbol


@dataclass(frozen=True)
class Other:
    """Any other condition: on other derivatives, at other points, or on functions of u that do not determine it."""


Side = Value | Flux | Other


@dataclass(frozen=True)
class Placed:
    """A condition on one side: its name, the coordinate that is constant there, its value, and the outer normal, ±1."""

    condition: Condition
    name: str
    coordinate: Symbol
    end: Expr
    normal: int
    side: Side


@lru_cache(maxsize=4)  # called by several provers
def sides_of(problem: Problem) -> tuple[Placed, ...]:
    """Every boundary condition on the unknown, once for each side."""
    own = [c for c in problem.spec.conditions if c.on_boundary and c.unknown == problem.unknown.head]
    return tuple(placed for c in own for placed in _placed(c, problem))


def _placed(condition: Condition, problem: Problem) -> Iterator[Placed]:
    ranges, space = ranges_of(problem.spec), problem.spec.space
    for k, coordinate in enumerate(space.coordinates):
        for name, end, normal in zip(side_names(k), ranges.get(coordinate, ()), (-1, 1), strict=False):
            if name in condition.sides:
                yield Placed(
                    condition, name, coordinate, end, normal, _read(condition, coordinate, end, normal, problem)
                )


def _read(condition: Condition, x: Symbol, end: Expr, normal: int, problem: Problem) -> Side:
    if len(condition.value) != 1 or is_undefined(condition.domain, problem.spec):
        return Other()
    unknown = problem.unknown
    value = Field(unknown.head, (), unknown.arguments)
    whole = replaced(condition.value[0], problem.spec.values)
    whole = replaced(whole, _normals(whole, x, normal, problem))
    u, flux = Dummy("u", real=True), Dummy("flux", real=True)
    whole = replaced(whole, {Partial(value, x): normal * flux})
    whole = replaced(replaced(whole, {value: u}), {x: end})
    whole = Add(*(expand(term) if term.has(u, flux) else term for term in Add.make_args(whole)))
    if any(f.head == unknown.head for f in atoms(whole, Field)):
        return Other()
    return _solved(whole, u, flux)


def _normals(whole: Expr, x: Symbol, normal: int, problem: Problem) -> dict[Expr, Expr]:
    """The components of the outer normal on a side of a box."""
    found = {}
    for c in atoms(whole, Component):
        index = c.args[1]
        if index.is_Integer and c.args[0] not in problem.spec.space.coordinates:
            found[c] = S(normal) if problem.spec.space.coordinates[int(index) - 1] == x else S.Zero
    return found


def _solved(whole: Expr, u: Symbol, flux: Symbol) -> Side:
    """The condition solved for ∂u/∂n, or for u."""
    alpha = whole.coeff(flux)
    if flux in whole.free_symbols:
        rest = expand(whole - alpha * flux)
        if alpha == 0 or flux in rest.free_symbols or alpha.free_symbols & {u} or not alpha.is_nonzero:
            return Other()
        right = expand(-rest / alpha)
        slope = right.coeff(u)
        affine = u not in expand(right - slope * u).free_symbols and u not in slope.free_symbols
        return Flux(slope if affine else None, expand(right - slope * u) if affine else right, u)
    beta = whole.coeff(u)
    given = whole - beta * u if beta.is_number else expand(whole - beta * u)
    if beta == 0 or u in given.free_symbols or u in beta.free_symbols or not beta.is_nonzero:
        return Other()
    return Value(-given / beta)


def is_covered(problem: Problem) -> bool:
    """Whether every side has one condition."""
    names = [name for c in further(problem.spec) if c.unknown == problem.unknown.head for name in c.sides]
    return sorted(names) == sorted(problem.spec.space.boundary)


def keeps_order(placed: Placed, box: Box) -> bool:
    """Dirichlet, or a flux that is affine and nonincreasing in u (Protter and Weinberger, chapter 3, section 6)."""
    match placed.side:
        case Value():
            return True
        case Flux(slope=slope):
            return slope is not None and range_of(slope, box) is not None and nonnegative(-slope, box)
        case Other():
            return False


def order_is_kept(problem: Problem) -> bool:
    """Whether the conditions on all sides preserve the order of solutions; on shapes and curves, only values do."""
    if not problem.spec.space.boundary:
        return True
    if has_curves(problem.spec):
        return all(_gives_a_value(c, problem) for c in further(problem.spec) if c.on_boundary)
    box = box_of(ranges_of(problem.spec))
    return is_covered(problem) and all(keeps_order(p, box) for p in sides_of(problem))


def has_curves(spec: Spec) -> bool:
    """Whether the domain is not a box, or a condition holds on a curve or on part of a side."""
    return bool(spec.space.inside) or any(c.surfaces or c.part for c in spec.conditions)


def _gives_a_value(condition: Condition, problem: Problem) -> bool:
    """Whether a condition has the form u = g, wherever it holds."""
    unknown, u = problem.unknown, Dummy("u", real=True)
    whole = [v.xreplace(problem.spec.values) for v in condition.value]
    if len(whole) != 1 or whole[0].has(Partial) or condition.unknown != unknown.head:
        return False
    found = expand(whole[0].xreplace({Field(unknown.head, (), unknown.arguments): u}))
    return not found.has(Field) and isinstance(_solved(found, u, Dummy("flux", real=True)), Value)


def all_values(problem: Problem) -> bool:
    return all(isinstance(p.side, Value) for p in sides_of(problem))
