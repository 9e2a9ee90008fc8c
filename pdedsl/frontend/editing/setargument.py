"""Sets an argument of a call; the path names the call only as far as necessary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.frontend.editing import splice
from pdedsl.frontend.editing.setpath import Setting, Word
from pdedsl.frontend.syntax import tree as t
from pdedsl.words.params import Param
from pdedsl.words.word import Forms


@dataclass(frozen=True)
class Called:
    """A call in the text and the arguments that it can take."""

    head: t.Name
    call: t.Call | None  # None if it is written without brackets
    signature: Mapping[str, Param]


def with_argument(
    text: str, setting: Setting, rest: Sequence[Word], values: Sequence[t.Expr], calls: Forms[Any]
) -> str:
    *named, word = rest
    if len(named) > 1:
        raise setting.wrong(mistakes.settings.long_path(word.span))
    where = ".".join(w.id for w in setting.words[:2])
    found = [called for value in values if (called := _called(value, calls))]
    if not found:
        raise setting.wrong(mistakes.settings.no_call(where, next(iter(calls), None), setting.path))
    if named:
        heads = [c.head.id for c in found]
        found = [c for c in found if c.head.id == named[0].id]
        if not found:
            raise setting.unknown(named[0], f"{where} has no call", heads)
    takers = [c for c in found if word.id in c.signature]
    if not takers:
        heads = list(dict.fromkeys(c.head.id for c in found))
        raise setting.unknown(word, f"{' and '.join(heads)} {'have' if heads[1:] else 'has'} no argument", _keys(found))
    if len(takers) > 1:
        choices = list(dict.fromkeys(f"{where}.{c.head.id}.{word.id}" for c in takers))
        raise setting.wrong(mistakes.settings.several_calls(where, word.id, len(takers), choices, setting.path))
    return _given(text, setting, word, takers[0])


def _keys(found: Iterable[Called]) -> list[str]:
    return [key for called in found for key in called.signature]


def _called(value: t.Expr, calls: Forms[Any]) -> Called | None:
    match value:
        case t.Name():
            return Called(value, None, _params(value, calls))
        case t.Call(head=t.Name() as head):
            return Called(head, value, _params(head, calls))
    return None


def _params(head: t.Name, calls: Forms[Any]) -> Mapping[str, Param]:
    return calls[head.id].params if head.id in calls else {}


def _given(text: str, setting: Setting, word: Word, called: Called) -> str:
    if setting.value is None:
        raise setting.wrong(mistakes.settings.needs_value(f"{setting.text.strip()}=…", setting.path))
    given, call, end = f"{word.id}={setting.value}", called.call, called.head.span.end
    if call is None:
        return splice.replaced(text, Span(end, end), f"({given})") if setting.value else text
    keys = [*list(called.signature)[: len(call.args)], *(key.id for key, _ in call.named)]
    if word.id not in keys:
        return splice.with_argument(text, end, given) if setting.value else text
    which = keys.index(word.id)
    if not setting.value:
        if which < len(call.args) - 1:
            raise setting.wrong(mistakes.settings.unnamed_behind(word.id, word.span))
        return splice.without_argument(text, end, which)
    spans, _ = splice.arguments(text, end)
    return splice.replaced(text, spans[which], setting.value if which < len(call.args) else given)
