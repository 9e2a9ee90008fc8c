"""What an argument may be: the kinds of values, and the types of fields that stand for them."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from enum import Enum
from fractions import Fraction
from types import NoneType, UnionType
from typing import Annotated, Any, Union, assert_never, get_args, get_origin

from pdedsl.numerics.activations import ACTIVATIONS, OTHER_NAMES, Activation

Real = Fraction | float
"""Exact where it was written; both are read with `float`."""


@dataclass(frozen=True)
class Whole:
    """A whole number, at least `least` and at most `most`; one of `among` where some are named.

    `most` is far beyond what is of use, and below what would fill a machine before it could be refused.
    """

    least: int
    among: tuple[int, ...] = ()
    most: int = 1_000_000_000


@dataclass(frozen=True)
class Number:
    """A real number within limits; `above` is not reached."""

    least: float | None = None
    above: float | None = None
    most: float | None = None

    def admits(self, value: Real) -> bool:
        return (
            (self.least is None or value >= self.least)
            and (self.above is None or value > self.above)
            and (self.most is None or value <= self.most)
        )


@dataclass(frozen=True)
class Choice:
    """One of some words, with what each stands for."""

    values: tuple[tuple[str, Enum | Activation], ...]

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for word, _ in self.values)

    def named(self, word: str) -> Enum | Activation | None:
        return dict(self.values).get(OTHER_NAMES.get(word, word))


@dataclass(frozen=True)
class Text:
    """A text in quotation marks."""


@dataclass(frozen=True)
class Flag:
    """true or false."""


@dataclass(frozen=True)
class Record:
    """No argument: a record that the word itself names."""


Kind = Whole | Number | Choice | Text | Flag

Count = Annotated[int, Whole(1)]
Natural = Annotated[int, Whole(0)]
Few = Annotated[int, Whole(1, most=1000)]
"""Networks, layers, terms: things that are made one by one."""
Steps = Annotated[int, Whole(1, most=100_000)]
Width = Annotated[int, Whole(1, most=65_536)]
Many = Annotated[int, Whole(1, most=10_000_000)]
"""Points or samples that are in memory together."""
Sampled = Annotated[int, Whole(100, most=10_000_000)]
"""Samples of a mean whose error is that of a normal distribution."""
Paired = Annotated[int, Whole(2, most=100_000)]
"""Steps that are also taken two at a time."""
Positive = Annotated[Real, Number(above=0)]
Nonnegative = Annotated[Real, Number(least=0)]
Rate = Annotated[Real, Number(above=0, most=1e30)]
Share = Annotated[Real, Number(least=0, most=1)]
Chance = Annotated[Real, Number(above=0, most=1)]

Value = int | Real | str | bool | Enum | Activation | tuple[Any, ...]


@dataclass(frozen=True)
class Param:
    """An argument: its kind, its default, and whether it is a list."""

    kind: Kind
    default: object  # MISSING: it must be given; None: it may be left out
    many: bool = False

    @property
    def required(self) -> bool:
        return self.default is MISSING

    @property
    def wanted(self) -> str:
        """What may stand there, for a message."""
        return f"{wanted_of(self.kind)}, or a list of them" if self.many else wanted_of(self.kind)

    def shown(self, key: str) -> str:
        """`width=64`, `depth` if it must be given, `[steps]` if it may be left out, `norm=inf|2` with its words."""
        if self.required:
            return key
        if self.default is None or self.default == ():
            return f"[{key}]"
        first = f"{float(self.default):g}" if isinstance(self.default, Fraction) else shown(self.default)
        few = self.kind.words if isinstance(self.kind, Choice) and isinstance(self.default, Enum) else ()
        return "|".join([f"{key}={first}", *(word for word in few if word != first)])


def wanted_of(kind: Kind) -> str:
    """What a value of a kind is, for a message."""
    match kind:
        case Whole(least=least):
            return f"a whole number, at least {least}"
        case Number(least=least, above=above, most=most):
            limits = (("at least", least), ("above", above), ("at most", most))
            return ", ".join(["a number", *(f"{how} {bound:g}" for how, bound in limits if bound is not None)])
        case Choice(words=words):
            return f"one of {', '.join(words)}"
        case Text():
            return 'a text in "…"'
        case Flag():
            return "true or false"
        case _:
            assert_never(kind)


def param_of(hint: Any, default: object) -> Param | None:
    """The argument that a field is, by its type; None for a record."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        kind = next(m for m in hint.__metadata__ if isinstance(m, Kind | Record))
        return None if isinstance(kind, Record) else Param(kind, default)
    if origin in (Union, UnionType) and NoneType in args:
        (inner,) = (a for a in args if a is not NoneType)
        return param_of(inner, default)
    if origin is tuple:
        one = param_of(args[0], default)
        return one and Param(one.kind, default, many=True)
    return Param(_plain(hint), default)


def _plain(hint: type) -> Kind:
    if hint is str:
        return Text()
    if hint is bool:
        return Flag()
    if hint is Activation:
        return Choice(tuple(ACTIVATIONS.items()))
    if issubclass(hint, Enum):
        return Choice(tuple((str(member.value), member) for member in hint))
    raise TypeError(f"{hint} is no type of an argument")


def shown(value: object) -> str:
    """A value as it is written; a list of one is the one."""
    match value:
        case tuple():
            inner = ", ".join(map(shown, value))
            return inner if len(value) == 1 else f"[{inner}]"
        case bool():
            return str(value).lower()
        case Enum():
            return str(value.value)
        case Activation():
            return value.name
        case float():
            return f"{value:.17g}" if value != round(value, 12) else f"{value:g}"
        case _:
            return str(value)
