"""Component form: one symbol for each coordinate, Σᵢ as explicit sums, the outer normal in components.

The scalar unknowns are numbered in the order of the spec; conditions and residuals refer to these numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce

from sympy import Add, Expr, Integer, Symbol

from pdedsl.ir.boundary import LevelSet, Normal, Place
from pdedsl.ir.spec import Interval, Space, Spec, Unknown
from pdedsl.ir.types import Scalar, Sign, Vector
from pdedsl.record import Record
from pdedsl.symbolic import symbols
from pdedsl.symbolic.calculus import differentiate
from pdedsl.symbolic.printing import SUBSCRIPTS
from pdedsl.symbolic.symbols import Contraction, Field, FractionalLaplacian, Integral, Partial


class ScalarUnknown(Record):
    """A scalar unknown, or a component of a vector unknown."""

    name: str
    head: Symbol
    index: int | None  # in its unknown, counted from one; None for a scalar
    sign: Sign = Sign.ANY
    complex_number: str = ""  # the name of the complex number of which it is the real or imaginary part

    @property
    def is_imaginary(self) -> bool:
        return bool(self.complex_number) and self.index is not None and self.index % 2 == 0

    @property
    def text(self) -> str:
        """The name in reports: Re(ψ), Im(ψ)."""
        part = "Im" if self.is_imaginary else "Re"
        return f"{part}({self.complex_number})" if self.complex_number else self.name


def scalar_unknowns(spec: Spec) -> tuple[ScalarUnknown, ...]:
    """The scalar unknowns of a spec on a domain of known dimension."""
    dimension = int(spec.space.dimension)
    return tuple(c for u in spec.unknowns for c in _components_of(u, dimension))


def _components_of(unknown: Unknown, dimension: int) -> Iterator[ScalarUnknown]:
    match unknown.type:
        case Vector(size=size, is_complex=True):
            for k in range(1, (size or 0) + 1):
                number = (k + 1) // 2
                name = unknown.name + (f"_{number}" if size != 2 else "")
                shown = unknown.name + (str(number).translate(SUBSCRIPTS) if size != 2 else "")
                yield ScalarUnknown(f"{name}_{'re' if k % 2 else 'im'}", unknown.head, k, complex_number=shown)
        case Vector(size=size):
            for k in range(1, (size or dimension) + 1):
                yield ScalarUnknown(f"{unknown.name}_{k}", unknown.head, k)
        case Scalar(sign=sign):
            yield ScalarUnknown(unknown.name, unknown.head, None, sign)
        case _:
            yield ScalarUnknown(unknown.name, unknown.head, None, Sign.ANY)


def component_of(field: Field, components: Sequence[ScalarUnknown]) -> int:
    """The number of the scalar unknown that a field denotes."""
    index = int(field.indices[0]) if field.indices else None
    return next(k for k, c in enumerate(components) if c.head == field.head and c.index == index)


def coordinate_intervals(spec: Spec) -> tuple[tuple[Symbol, ...], tuple[Interval, ...]]:
    """The coordinates, with time last, and their intervals."""
    space, time = coordinates_of(spec.space), spec.time
    intervals = tuple(spec.space.intervals)
    if time is None:
        return space, intervals
    return (*space, time.symbol), (*intervals, Interval(time.start, time.end))


def coordinates_of(space: Space) -> tuple[Symbol, ...]:
    """One symbol for each dimension, even if the spec has a single symbol for the position."""
    if space.explicit:
        return space.coordinates
    return tuple(Symbol(f"{space.names[0]}_{k}", real=True) for k in range(1, int(space.dimension) + 1))


def derivative_orders(slots: Sequence[Expr], coordinates: Sequence[Symbol]) -> tuple[int, ...]:
    """The multi-index of a derivative, whose variables are coordinates or components of the position."""
    places: dict[Expr, int] = {x: k for k, x in enumerate(coordinates)}
    orders = [0] * len(coordinates)
    for slot in slots:
        orders[int(slot.args[1]) - 1 if isinstance(slot, symbols.Component) else places[slot]] += 1
    return tuple(orders)


def in_components(expr: Expr, spec: Spec, normal: Normal, replace_leaf: Callable[[Expr], Expr]) -> Expr:
    """The expression in components. `replace_leaf` replaces integrals, fields and their derivatives."""
    space, dimension = spec.space, int(spec.space.dimension)
    position = None if space.explicit else space.coordinates[0]
    coordinates = coordinates_of(space)

    def of(e: Expr) -> Expr:
        match e:
            case Integral() | FractionalLaplacian() | Field() | Partial(body=Field()):
                return replace_leaf(e)
            case Contraction(index=index, body=body):
                return Add(*(of(body.xreplace({index: Integer(k)})) for k in range(1, dimension + 1)))
            case symbols.Component(args=(base, index)):
                return coordinates[int(index) - 1] if base == position else normal[int(index) - 1]
            case Partial(body=body, slots=slots):
                return of(reduce(lambda inner, slot: differentiate(inner, slot, chain=True), slots, body))
            case _ if e.args:
                return e.func(*map(of, e.args))
            case _:
                return e

    return of(expr.xreplace(spec.values))


def place_in_components(place: Place, spec: Spec) -> Place:
    """A face, or a level set in components."""
    if not isinstance(place, LevelSet):
        return place
    return LevelSet(in_components(place.expr, spec, (), lambda leaf: leaf), place.span)
