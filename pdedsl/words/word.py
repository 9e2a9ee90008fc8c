"""A word with its arguments, the forms in which it may be written, and what a spec chose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar, get_args, get_type_hints

from pdedsl.diagnostics import NOWHERE, Span
from pdedsl.words.params import Param, Value, param_of, shown

T = TypeVar("T", bound="Word")
T_co = TypeVar("T_co", covariant=True)


class Word:
    """What a call of the language makes: `class Mlp(Word)` is `mlp`, and its fields are the arguments."""

    spelling: ClassVar[str]
    open: ClassVar[bool] = False  # whether it takes arguments of any name, as its field `options`

    def __init_subclass__(cls, spelled: str = "") -> None:
        super().__init_subclass__()
        cls.spelling = spelled or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()

    @classmethod
    def forms(cls) -> Iterable[Form[Any]]:
        """The ways to write it: one, unless it stands for several records."""
        return (Form(cls.spelling, cls),)

    @classmethod
    def signature(cls) -> Mapping[str, Param]:
        """The arguments, from the fields."""
        return _signature(cls)  # type: ignore[arg-type]  # a class can be hashed, whatever its members

    @property
    def name(self) -> str:
        return self.spelling

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
class Chosen(Generic[T_co]):
    """A word that a spec chose, which of its arguments it gave, where it stands, and in which line."""

    word: T_co
    given: frozenset[str] = field(default=frozenset(), compare=False)
    span: Span = field(default=NOWHERE, compare=False)
    line: Span = field(default=NOWHERE, compare=False)

    def says(self, key: str) -> bool:
        """Whether the spec gives an argument, be it its default."""
        return key in self.given

    def __str__(self) -> str:
        return str(self.word)
