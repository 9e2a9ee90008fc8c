"""Base of all configuration classes: kinds of argument values, signatures, and the mapping from keywords to classes.

A configuration is a frozen dataclass; its fields are the arguments. The tables of the reference, completion, `--set`
and the check of a spec follow from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, field, fields
from enum import Enum
from fractions import Fraction
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    TypeVar,
    Union,
    assert_never,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from pdedsl.diagnostics import NOWHERE, Span
from pdedsl.numerics.activations import ACTIVATIONS, OTHER_NAMES, Activation
from pdedsl.numerics.butcher import ExponentialRungeKutta, GridMethod, ImexRungeKutta, ImplicitRungeKutta
from pdedsl.record import Record

# ---- Argument values


Real = Fraction | float
"""Exact if it was written as a decimal or fraction; both convert with `float`."""


class IntegerBounds(Record):
    """An integer with `minimum` ≤ n ≤ `maximum`; one of `among` if given.

    `maximum` is far beyond practical values, and small enough to be refused before memory is exhausted.
    """

    minimum: int
    among: tuple[int, ...] = ()
    maximum: int = 1_000_000_000


class RealBounds(Record):
    """A real number with `minimum` ≤ x ≤ `maximum`, x > `above`."""

    minimum: float | None = None
    above: float | None = None
    maximum: float | None = None

    def admits(self, value: Real) -> bool:
        return (
            (self.minimum is None or value >= self.minimum)
            and (self.above is None or value > self.above)
            and (self.maximum is None or value <= self.maximum)
        )


class Choice(Record):
    """One of several options, each with its value."""

    values: tuple[tuple[str, Enum | Activation | GridMethod], ...]

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(keyword for keyword, _ in self.values)

    def option(self, keyword: str) -> Enum | Activation | GridMethod | None:
        return dict(self.values).get(OTHER_NAMES.get(keyword, keyword))


class Text(Record):
    """A string."""


class Flag(Record):
    """true or false."""


class Preset(Record):
    """Not an argument: a value determined by the keyword."""


class Duration(Record):
    """A positive time in seconds, or with a unit: `60`, `60 s`, `5 min`."""


Kind = IntegerBounds | RealBounds | Choice | Text | Flag | Duration

Count = Annotated[int, IntegerBounds(1)]
Natural = Annotated[int, IntegerBounds(0)]
SmallCount = Annotated[int, IntegerBounds(1, maximum=1000)]
"""Networks, layers, terms: created one by one."""
Steps = Annotated[int, IntegerBounds(1, maximum=100_000)]
Width = Annotated[int, IntegerBounds(1, maximum=65_536)]
SampleCount = Annotated[int, IntegerBounds(1, maximum=10_000_000)]
"""Points or samples held in memory together."""
MonteCarloSamples = Annotated[int, IntegerBounds(100, maximum=10_000_000)]
"""Samples of a Monte Carlo mean, enough for a normal approximation."""
DoublingSteps = Annotated[int, IntegerBounds(2, maximum=100_000)]
"""Steps of a path that is also simulated with twice the step (step doubling)."""
Positive = Annotated[Real, RealBounds(above=0)]
Nonnegative = Annotated[Real, RealBounds(minimum=0)]
Rate = Annotated[Real, RealBounds(above=0, maximum=1e30)]
UnitInterval = Annotated[Real, RealBounds(minimum=0, maximum=1)]
Probability = Annotated[Real, RealBounds(above=0, maximum=1)]
Tolerance = Annotated[Real, RealBounds(above=0, maximum=1)]
Seconds = Annotated[Real, Duration()]
TIME_UNITS = MappingProxyType({"s": 1, "min": 60, "h": 3600})

Value = int | Real | str | bool | Enum | Activation | GridMethod | tuple[Any, ...]


class Param(Record):
    """A parameter: kind, default, and whether it can be a list."""

    kind: Kind
    default: object  # MISSING: required; None: optional
    many: bool = False

    @property
    def required(self) -> bool:
        return self.default is MISSING

    @property
    def wanted(self) -> str:
        """The expected value, for a message."""
        return f"{describe_kind(self.kind)}, or a list of them" if self.many else describe_kind(self.kind)

    def argument_text(self, key: str) -> str:
        """`width=64`, `depth` if required, `[steps]` if optional, `norm=inf|2` with its options."""
        if self.required:
            return key
        if self.default is None or self.default == ():
            return f"[{key}]"
        first = f"{float(self.default):g}" if isinstance(self.default, Fraction) else format_value(self.default)
        few = self.kind.options if isinstance(self.kind, Choice) and isinstance(self.default, Enum) else ()
        return "|".join([f"{key}={first}", *(keyword for keyword in few if keyword != first)])


def describe_kind(kind: Kind) -> str:
    """The description of a kind, for a message."""
    match kind:
        case IntegerBounds(minimum=least):
            return f"an integer, at least {least}"
        case RealBounds(minimum=least, above=above, maximum=most):
            limits = (("at least", least), ("above", above), ("at most", most))
            return ", ".join(["a number", *(f"{how} {bound:g}" for how, bound in limits if bound is not None)])
        case Choice(options=options):
            return f"one of {', '.join(options)}"
        case Text():
            return 'a string "…"'
        case Flag():
            return "true or false"
        case Duration():
            return f"a time above 0 in seconds, or with a unit ({', '.join(TIME_UNITS)})"
        case _:
            assert_never(kind)


def param_of(hint: Any, default: object) -> Param | None:
    """The argument that a field is, by its type; None for a preset."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        kind = next(m for m in hint.__metadata__ if isinstance(m, Kind | Preset))
        return None if isinstance(kind, Preset) else Param(kind, default)
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


def format_value(value: object) -> str:
    """A value as it is written; a list of one is the one."""
    match value:
        case tuple():
            inner = ", ".join(map(format_value, value))
            return inner if len(value) == 1 else f"[{inner}]"
        case bool():
            return str(value).lower()
        case Enum():
            return str(value.value)
        case Activation() | ImplicitRungeKutta() | ImexRungeKutta() | ExponentialRungeKutta():
            return value.name
        case float():
            return f"{value:.17g}" if value != round(value, 12) else f"{value:g}"
        case _:
            return str(value)


# ---- Configurations


T = TypeVar("T", bound="Config")
T_co = TypeVar("T_co", covariant=True)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class Config(Record):
    """A call in the language: `class Mlp(Config)` is `mlp(…)`, and its fields are the arguments."""

    keyword: ClassVar[str]
    identifier: ClassVar[str]  # in the canonical text, and so in the hash: fixed, whatever the keyword
    has_free_arguments: ClassVar[bool] = (
        False  # whether it accepts arguments of any name, collected in its field `options`
    )

    def __init_subclass__(cls, keyword: str = "", identifier: str = "") -> None:
        super().__init_subclass__(kw_only=True)
        cls.keyword = keyword or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()
        cls.identifier = identifier

    @classmethod
    def forms(cls) -> Iterable[Form[Any]]:
        """Its keywords: one, unless the class represents several records."""
        return (Form(cls.keyword, cls),)

    @classmethod
    def signature(cls) -> Mapping[str, Param]:
        """The parameters, from the fields."""
        return _signature(cls)  # type: ignore[arg-type]  # a class can be hashed, whatever its members

    @property
    def name(self) -> str:
        return self.keyword

    @property
    def idle(self) -> frozenset[str]:
        """The arguments without effect, given the others."""
        return frozenset()

    @property
    def arguments(self) -> dict[str, Value]:
        """All arguments with a value, in order."""
        values = {key: getattr(self, key) for key in self.signature()}
        return {key: value for key, value in values.items() if value is not None and value != ()}

    @property
    def effective(self) -> dict[str, Value]:
        """The arguments that have an effect."""
        return {key: value for key, value in self.arguments.items() if key not in self.idle}

    @property
    def brief(self) -> str:
        """The shortest spelling, with finite decimals: 0.1, but 8/255."""
        params = self.signature()
        shown_arguments = {k: v for k, v in self.arguments.items() if k not in params or v != params[k].default}
        return format_call(self.name, {key: _decimal(value) for key, value in shown_arguments.items()})

    def __str__(self) -> str:
        return format_call(self.name, self.arguments)


def _decimal(value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(map(_decimal, value))
    return float(value) if isinstance(value, Fraction) and 10**12 % value.denominator == 0 else value


def format_call(name: str, arguments: Mapping[str, Value]) -> str:
    """`euler(steps=3)`, or the keyword alone."""
    inner = ", ".join(f"{key}={format_value(value)}" for key, value in arguments.items())
    return f"{name}({inner})" if inner else name


@cache
def _signature(cls: Any) -> Mapping[str, Param]:
    hints = get_type_hints(cls, include_extras=True)
    parameters = {f.name: param_of(hints[f.name], f.default) for f in fields(cls)}
    return MappingProxyType({key: param for key, param in parameters.items() if param is not None})


class Form(Record, Generic[T]):
    """A keyword with the configuration class that it creates."""

    name: str
    of: type[T]
    preset: tuple[tuple[str, object], ...] = ()

    @property
    def params(self) -> Mapping[str, Param]:
        return self.of.signature()

    def create(self, arguments: Mapping[str, object]) -> T:
        return self.of(**dict(self.preset), **arguments)

    def signature_text(self) -> str:
        """The signature in the documentation."""
        inner = ", ".join(
            [*(param.argument_text(key) for key, param in self.params.items()), *["…"] * self.of.has_free_arguments]
        )
        return f"{self.name}({inner})" if inner else self.name


Forms = Mapping[str, Form[T]]


def forms_of(configs: Any) -> Forms[Any]:
    """The forms of all classes of a union, by keyword."""
    members = get_args(configs) or (configs,)
    return MappingProxyType({form.name: form for config in members for form in config.forms()})


class Located(Record, Generic[T_co]):
    """A configuration in a spec, with the explicitly given arguments, its span and the span of its line."""

    config: T_co
    given: frozenset[str] = field(default=frozenset(), compare=False)
    span: Span = field(default=NOWHERE, compare=False)
    line: Span = field(default=NOWHERE, compare=False)

    def sets(self, key: str) -> bool:
        """Whether the spec gives an argument explicitly."""
        return key in self.given

    def __str__(self) -> str:
        return str(self.config)
