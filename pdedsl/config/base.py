"""What an argument may be: the kinds of values, and the types of fields that stand for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum
from fractions import Fraction
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, ClassVar, Generic, TypeVar, Union, assert_never, get_args, get_origin, get_type_hints

from pdedsl.diagnostics import NOWHERE, Span
from pdedsl.numerics.activations import ACTIVATIONS, OTHER_NAMES, Activation

# ---- params


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


# ---- word
# A word with its arguments, the forms in which it may be written, and what a spec chose.


T = TypeVar("T", bound="Config")
T_co = TypeVar("T_co", covariant=True)


class Config:
    """What a call of the language makes: `class Mlp(Word)` is `mlp`, and its fields are the arguments."""

    keyword: ClassVar[str]
    identifier: ClassVar[str]  # in the canonical text, and so in the hash: fixed, whatever the keyword
    open: ClassVar[bool] = False  # whether it takes arguments of any name, as its field `options`

    def __init_subclass__(cls, keyword: str = "", identifier: str = "") -> None:
        super().__init_subclass__()
        cls.keyword = keyword or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()
        cls.identifier = identifier

    @classmethod
    def forms(cls) -> Iterable[Form[Any]]:
        """The ways to write it: one, unless it stands for several records."""
        return (Form(cls.keyword, cls),)

    @classmethod
    def signature(cls) -> Mapping[str, Param]:
        """The arguments, from the fields."""
        return _signature(cls)  # type: ignore[arg-type]  # a class can be hashed, whatever its members

    @property
    def name(self) -> str:
        return self.keyword

    @property
    def idle(self) -> frozenset[str]:
        """The arguments that have no part in it, beside the others."""
        return frozenset()

    @property
    def arguments(self) -> dict[str, Value]:
        """All arguments that have a value, in their order."""
        values = {key: getattr(self, key) for key in self.signature()}
        return {key: value for key, value in values.items() if value is not None and value != ()}

    @property
    def effective(self) -> dict[str, Value]:
        """The arguments that have a part in it."""
        return {key: value for key, value in self.arguments.items() if key not in self.idle}

    @property
    def brief(self) -> str:
        """As short as it may be written, with numbers as decimals where these end: 0.1, but 8/255."""
        params = self.signature()
        kept = {k: v for k, v in self.arguments.items() if k not in params or v != params[k].default}
        return called(self.name, {key: _decimal(value) for key, value in kept.items()})

    def __str__(self) -> str:
        return called(self.name, self.arguments)


def _decimal(value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(map(_decimal, value))
    return float(value) if isinstance(value, Fraction) and 10**12 % value.denominator == 0 else value


def called(name: str, arguments: Mapping[str, Value]) -> str:
    """`euler(steps=3)`, or the bare word."""
    inner = ", ".join(f"{key}={shown(value)}" for key, value in arguments.items())
    return f"{name}({inner})" if inner else name


@cache
def _signature(word: Any) -> Mapping[str, Param]:
    hints = get_type_hints(word, include_extras=True)
    found = {f.name: param_of(hints[f.name], f.default) for f in fields(word)}
    return MappingProxyType({key: param for key, param in found.items() if param is not None})


@dataclass(frozen=True)
class Form(Generic[T]):
    """A word as it may be written, with the record that it names."""

    name: str
    of: type[T]
    preset: tuple[tuple[str, object], ...] = ()

    @property
    def params(self) -> Mapping[str, Param]:
        return self.of.signature()

    def made(self, arguments: Mapping[str, object]) -> T:
        return self.of(**dict(self.preset), **arguments)

    def shown(self) -> str:
        """The signature, as the documentation writes it."""
        inner = ", ".join([*(param.shown(key) for key, param in self.params.items()), *["…"] * self.of.open])
        return f"{self.name}({inner})" if inner else self.name


Forms = Mapping[str, Form[T]]


def forms_of(words: Any) -> Forms[Any]:
    """Every form of every word of a union, by its name."""
    members = get_args(words) or (words,)
    return MappingProxyType({form.name: form for word in members for form in word.forms()})


@dataclass(frozen=True)
class Located(Generic[T_co]):
    """A word that a spec chose, which of its arguments it gave, where it stands, and in which line."""

    config: T_co
    given: frozenset[str] = field(default=frozenset(), compare=False)
    span: Span = field(default=NOWHERE, compare=False)
    line: Span = field(default=NOWHERE, compare=False)

    def says(self, key: str) -> bool:
        """Whether the spec gives an argument, be it its default."""
        return key in self.given

    def __str__(self) -> str:
        return str(self.config)
