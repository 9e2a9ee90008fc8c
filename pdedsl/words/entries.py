"""The entries of blocks, from the types of their fields: what may follow each word, and how often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from enum import Enum
from types import MappingProxyType, NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from pdedsl.words.blocks import Block, EvaluateBlock, NetworkBlock, TrainBlock, Transfer, Values
from pdedsl.words.params import Param, param_of, shown
from pdedsl.words.training import Box
from pdedsl.words.word import Chosen, Forms, Word, called, forms_of


@dataclass(frozen=True)
class Calls:
    """One of some words; `sourced`: then `from SPEC`."""

    forms: Forms[Any]
    sourced: bool = False


@dataclass(frozen=True)
class Names:
    """One of the words of an enum."""

    words: tuple[str, ...]
    of: type[Enum]


@dataclass(frozen=True)
class Plain:
    """A number or a list."""

    param: Param


@dataclass(frozen=True)
class Boxes:
    """`NAME in [a, b]`."""


@dataclass(frozen=True)
class Nothing:
    """The word alone."""


What = Calls | Names | Plain | Boxes | Nothing


@dataclass(frozen=True)
class Entry:
    """A line of a block; `several`: its values are collected."""

    what: What
    values: Values
    several: bool
    required: bool

    @property
    def least(self) -> int:
        return 0 if isinstance(self.what, Nothing) else 1

    @property
    def most(self) -> int:
        return 0 if isinstance(self.what, Nothing) else self.values.most


def entries_of(block: type[Block]) -> Mapping[str, Entry]:
    """The entries of a block by their words."""
    hints = get_type_hints(block, include_extras=True)
    own = [f for f in fields(block) if f.name not in Block.__annotations__]
    return MappingProxyType({f.name: _entry(hints[f.name], f.default is MISSING) for f in own})


def _entry(hint: Any, required: bool) -> Entry:
    values, several = Values(), False
    if get_origin(hint) is Annotated and isinstance(hint.__metadata__[0], Values):
        values, several = hint.__metadata__[0], True
        hint = get_args(get_args(hint)[0])[0]
    return Entry(_what(hint), values, several, required)


def _what(hint: Any) -> What:
    args = get_args(hint)
    if NoneType in args:
        return _what(next(a for a in args if a is not NoneType))
    if get_origin(hint) is Chosen:
        return Calls(forms_of(args[0]))
    if hint is Transfer:
        return Calls(forms_of(get_args(get_type_hints(Transfer)["attack"])[0]), sourced=True)
    if hint is Box:
        return Boxes()
    if hint is bool:
        return Nothing()
    if isinstance(hint, type) and issubclass(hint, Enum):
        return Names(tuple(str(member.value) for member in hint), hint)
    param = param_of(hint, MISSING)
    assert param is not None
    return Plain(param)


BLOCKS: Mapping[str, type[Block]] = MappingProxyType({b.kind: b for b in (NetworkBlock, TrainBlock, EvaluateBlock)})
ENTRIES: Mapping[str, Mapping[str, Entry]] = MappingProxyType({kind: entries_of(b) for kind, b in BLOCKS.items()})


def default_of(kind: str, key: str) -> str:
    """What an entry is where it is left out, if that is one word; nothing otherwise."""
    default = next(f.default for f in fields(BLOCKS[kind]) if f.name == key)
    match default:
        case Chosen() as chosen:
            return str(chosen)
        case (Chosen() as chosen,):
            return str(chosen)
        case _:
            return ""


def default_text(kind: str, key: str) -> str:
    """The same, with numbers and words of enums too."""
    default = next(f.default for f in fields(BLOCKS[kind]) if f.name == key)
    plain = isinstance(default, int | Enum) and not isinstance(default, bool)
    return shown(default) if plain else default_of(kind, key)


def items(block: Block, key: str) -> tuple[object, ...]:
    """The values of an entry, one a place; none where it is left out."""
    value = getattr(block, key)
    if ENTRIES[block.kind][key].several:
        return tuple(value)
    return () if value is None or value is False else (value,)


def item_text(item: object) -> str:
    """A value of an entry, every argument written out."""
    match item:
        case Chosen(word=Word() as word):
            return called(word.name, word.arguments)
        case Transfer(attack=attack, source=source):
            return f"{attack} from {source}"
        case Box(operator=operator, low=low, high=high):
            return f"{operator} in [{shown(low)}, {shown(high)}]"
        case True:
            return ""
        case _:
            return shown(item)
