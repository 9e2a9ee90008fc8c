"""The blocks `network`, `train`, `evaluate` and `solve`: a field is an entry; its type determines the values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, field, fields
from enum import Enum
from fractions import Fraction
from types import MappingProxyType, NoneType
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

from pdedsl.config.base import (
    Config,
    Count,
    Forms,
    Located,
    Natural,
    Param,
    Positive,
    SampleCount,
    Seconds,
    SmallCount,
    Tolerance,
    Width,
    format_call,
    format_value,
    forms_of,
    param_of,
)
from pdedsl.config.data import Data
from pdedsl.config.evaluation import Attack, AuditChoice, Certificate, Corruption, Protocol
from pdedsl.config.methods import Grid
from pdedsl.config.networks import Frame, Paper
from pdedsl.config.training import (
    Adversary,
    Augmentation,
    ConstantRate,
    CrossEntropy,
    Loss,
    Optimizer,
    Precision,
    Regularizer,
    Schedule,
    Selection,
    Sgd,
    WeightAverage,
    WeightBox,
    WeightPerturbation,
)
from pdedsl.diagnostics import NOWHERE, Span
from pdedsl.record import Record

# ---- Blocks


class Values(Record):
    """The maximal number of values per line, and whether the entry can be repeated."""

    maximum: int = 1
    repeats: bool = False


SEVERAL = Values(maximum=8)
DEFAULT_OPTIMIZER = Located(Sgd(momentum=Fraction(9, 10)))
CONSTANT_RATE = Located(ConstantRate())
PAPER = Located(Paper())
ENTROPY = Located(CrossEntropy())


class Image(Config):
    """An image space, or the input of a network."""

    channels: Width
    height: Width
    width: Width

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.channels, self.height, self.width


class Block(Record, kw_only=True):
    """`places` has the spans of the given entries, one for each value."""

    kind: ClassVar[str]
    places: Mapping[str, tuple[Span, ...]] = field(default_factory=dict, compare=False)
    span: Span = field(default=NOWHERE, compare=False)

    def place(self, key: str) -> Span:
        """The span of an entry, or of the block if the entry is omitted."""
        return next(iter(self.places.get(key, ())), self.span)

    def sets(self, key: str) -> bool:
        """Whether the spec gives an entry explicitly."""
        return key in self.places


class NetworkBlock(Block, kw_only=True):
    """The architecture around an equation on feature maps: stem, stages, head."""

    kind = "network"
    input: Located[Image]
    stem: Width
    stages: tuple[Width, ...]
    head: Width | None = None
    classes: SampleCount
    frame: Located[Frame] = PAPER


class TrainBlock(Block, kw_only=True):
    """A training experiment; its length is in epochs or in steps."""

    kind = "train"
    data: Located[Data] | None = None
    epochs: Count | None = 10
    steps: Count | None = None
    batch: Count = 128
    optimizer: Annotated[tuple[Located[Optimizer], ...], SEVERAL] = (DEFAULT_OPTIMIZER,)
    schedule: Located[Schedule] = CONSTANT_RATE
    augment: Annotated[tuple[Located[Augmentation], ...], SEVERAL] = ()
    adversary: Located[Adversary] | None = None
    loss: Located[Loss] = ENTROPY
    regularize: Annotated[tuple[Located[Regularizer], ...], SEVERAL] = ()
    constrain: Annotated[tuple[WeightBox, ...], SEVERAL] = ()
    precision: Precision = Precision.FLOAT32
    clip: Positive | None = None
    accumulate: SmallCount | None = None
    perturb: Located[WeightPerturbation] | None = None
    average: Located[WeightAverage] | None = None
    select: Located[Selection] | None = None
    seed: Natural = 0


class Plot(Enum):
    DECISION_BOUNDARY = "decision_boundary"
    CONFUSION = "confusion"
    SOLUTION = "solution"
    CURVES = "curves"
    RADII = "radii"
    ATTACKS = "attacks"
    SAMPLES = "samples"


class WeightHistogram(Config, identifier="histogram"):
    """Histogram of weight magnitudes, with the fraction below `below`."""

    below: Positive = Fraction(1, 1000)


class Transfer(Record):
    """Transfer attack: `transfer pgd(eps=0.1) from resnet`."""

    attack: Located[Attack]
    source: str


class EvaluateBlock(Block, kw_only=True):
    """The evaluation of a trained network."""

    kind = "evaluate"
    natural: bool = False
    attack: Annotated[tuple[Located[Attack], ...], Values(maximum=8, repeats=True)] = ()
    transfer: Annotated[tuple[Transfer, ...], Values(repeats=True)] = ()
    corrupt: Annotated[tuple[Located[Corruption], ...], Values(maximum=16, repeats=True)] = ()
    certify: Annotated[tuple[Located[Certificate], ...], Values(repeats=True)] = ()
    audit: Located[AuditChoice] | None = None
    protocol: Located[Protocol] | None = None
    reference: Located[Grid] | None = None
    plot: Annotated[tuple[Plot | Located[WeightHistogram], ...], Values(maximum=8, repeats=True)] = ()

    @property
    def weight_histogram(self) -> WeightHistogram | None:
        return next((p.config for p in self.plot if isinstance(p, Located)), None)


class SolveBlock(Block, kw_only=True):
    """The requested relative error of a solution, the CPU time allowed in seconds, and the number of eigenpairs."""

    kind = "solve"
    tolerance: Tolerance | None = None  # by default that of the plan
    budget: Seconds = Fraction(60)
    modes: SmallCount | None = None  # of an eigenproblem; by default that of the plan


# ---- Entries, from the types of the fields


class Calls(Record):
    """A call of one of `forms`; if `sourced`, followed by `from SPEC`."""

    forms: Forms[Any]
    sourced: bool = False


class OptionNames(Record):
    """One of the options of an enum, or a call of one of `forms`."""

    options: tuple[str, ...]
    of: type[Enum]
    forms: Forms[Any]


class Plain(Record):
    """A number or a list."""

    param: Param


class BoxRestriction(Record):
    """`NAME in [a, b]`."""


class NoValue(Record):
    """No value."""


EntryValue = Calls | OptionNames | Plain | BoxRestriction | NoValue


class BlockEntry(Record):
    """An entry of a block; if `several`, its values are collected."""

    what: EntryValue
    values: Values
    several: bool
    required: bool

    @property
    def min_values(self) -> int:
        return 0 if isinstance(self.what, NoValue) else 1

    @property
    def max_values(self) -> int:
        return 0 if isinstance(self.what, NoValue) else self.values.maximum


def entries_of(block: type[Block]) -> Mapping[str, BlockEntry]:
    """The entries of a block by keyword."""
    hints = get_type_hints(block, include_extras=True)
    own = [f for f in fields(block) if f.name not in Block.__annotations__]
    return MappingProxyType({f.name: _entry(hints[f.name], f.default is MISSING) for f in own})


def _entry(hint: Any, required: bool) -> BlockEntry:
    values, several = Values(), False
    if get_origin(hint) is Annotated and isinstance(hint.__metadata__[0], Values):
        values, several = hint.__metadata__[0], True
        hint = get_args(get_args(hint)[0])[0]
    return BlockEntry(_what(hint), values, several, required)


def _what(hint: Any) -> EntryValue:
    args = get_args(hint)
    if NoneType in args:
        return _what(next(a for a in args if a is not NoneType))
    if get_origin(hint) is Located:
        return Calls(forms_of(args[0]))
    if hint is Transfer:
        return Calls(forms_of(get_args(get_type_hints(Transfer)["attack"])[0]), sourced=True)
    if hint is WeightBox:
        return BoxRestriction()
    if hint is bool:
        return NoValue()
    enum = next((h for h in (hint, *args) if isinstance(h, type) and issubclass(h, Enum)), None)
    if enum is not None:
        calls = [form for h in args if get_origin(h) is Located for form in forms_of(get_args(h)[0]).items()]
        return OptionNames((*(str(member.value) for member in enum), *dict(calls)), enum, MappingProxyType(dict(calls)))
    param = param_of(hint, MISSING)
    assert param is not None
    return Plain(param)


BLOCKS: Mapping[str, type[Block]] = MappingProxyType(
    {b.kind: b for b in (NetworkBlock, TrainBlock, EvaluateBlock, SolveBlock)}
)
ENTRIES: Mapping[str, Mapping[str, BlockEntry]] = MappingProxyType({kind: entries_of(b) for kind, b in BLOCKS.items()})


def default_of(kind: str, key: str) -> str:
    """The default of an entry as text, if it is a single configuration; empty otherwise."""
    default = next(f.default for f in fields(BLOCKS[kind]) if f.name == key)
    match default:
        case Located() as chosen:
            return str(chosen)
        case (Located() as chosen,):
            return str(chosen)
        case _:
            return ""


def default_text(kind: str, key: str) -> str:
    """Like `default_of`, including numbers and enums."""
    default = next(f.default for f in fields(BLOCKS[kind]) if f.name == key)
    plain = isinstance(default, int | Enum) and not isinstance(default, bool)
    return format_value(default) if plain else default_of(kind, key)


def items(block: Block, key: str) -> tuple[object, ...]:
    """The values of an entry, one per span; none if it is omitted."""
    value = getattr(block, key)
    if ENTRIES[block.kind][key].several:
        return tuple(value)
    return () if value is None or value is False else (value,)


def item_text(item: object) -> str:
    """A value of an entry with all arguments."""
    match item:
        case Located(config=Config() as config):
            return format_call(config.name, config.arguments)
        case Transfer(attack=attack, source=source):
            return f"{attack} from {source}"
        case WeightBox(operator=operator, low=low, high=high):
            return f"{operator} in [{format_value(low)}, {format_value(high)}]"
        case True:
            return ""
        case _:
            return format_value(item)
