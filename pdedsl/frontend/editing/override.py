"""`--set PATH=VALUE`: changes to a spec, made in its text, so that what runs is always a readable spec.

    σ²=0.4  sigma^2=0.4  T=3          a constant
    train.epochs=5                    an entry of a block; a missing entry or block is added
    train.adversary=                  no value: the entry is removed
    evaluate.natural                  an entry without a value
    train.optimizer.lr=0.1            an argument of the call in an entry
    train.optimizer.adam.lr=0.1       of this call, if several calls in entries of this key have it
    realize.diffusion=noise(samples=8), realize.diffusion.samples=8      the same for a realization
    learn.v=resnet(depth=32), learn.v.depth=32     the network of a learned field, or of an unknown: unknown.u=mlp
    space=R^3, time=[0, 2]            where the problem lives

A value is written in the language, on one line. A path that names nothing or more than one thing, and a wrong value,
are reported as errors in the text of the setting. Setting epochs removes steps, and vice versa.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pdedsl import mistakes
from pdedsl.diagnostics import Patch, PdeError, Reporter, Source, Span, in_order
from pdedsl.frontend.editing import splice
from pdedsl.frontend.editing.setargument import with_argument
from pdedsl.frontend.editing.setpath import Setting, Word, read
from pdedsl.frontend.syntax import strange
from pdedsl.frontend.syntax import tree as t
from pdedsl.frontend.syntax.parse import parse_syntax
from pdedsl.words.entries import ENTRIES, Calls, default_of
from pdedsl.words.networks import NETWORKS
from pdedsl.words.realizations import PARTS

REALIZE = "realize"
SPACE, TIME = ("space",), ("time",)
FIELDS: dict[str, type[t.LearnDecl] | type[t.UnknownDecl]] = {"learn": t.LearnDecl, "unknown": t.UnknownDecl}
INSTEAD = {"epochs": "steps", "steps": "epochs"}  # a block has only one of the two


def overridden(source: Source, settings: Sequence[str]) -> Source:
    """The spec with the settings applied in order."""
    for text in settings:
        setting = read(text)
        source = _patched(source, _applied(source, setting), setting)
    return source


def _patched(source: Source, text: str, setting: Setting) -> Source:
    """The changed text, which remembers where the value came from."""
    old, value = source.text, setting.value or ""
    first = _shared(old, text)
    by = len(text) - len(old)
    last = len(text) - _shared(old[first:][::-1], text[first:][::-1])
    patches = tuple(p.moved(first, by) for p in source.patches if p.span.end <= first or p.span.start >= last - by)
    low, high = sorted((first, max(0, last - len(value))))  # the change contains the value, or vice versa
    at = text.rfind(value, low, high + len(value)) if value else -1
    origin = Source(setting.text, "--set")
    if at >= 0:
        patches += (Patch(Span(at, at + len(value)), origin, setting.text.index(value, setting.text.index("="))),)
    while by == last - first and first and text[first - 1] == text[last - 1] != "\n":
        first, last = first - 1, last - 1  # a whole line was added
    if last > first:
        patches += (Patch(Span(first, last), origin),)
    return replace(source, text=text, patches=patches)


def _shared(one: str, other: str) -> int:
    """The length of the common prefix of two texts."""
    return next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _applied(source: Source, setting: Setting) -> str:
    syntax, first = _syntax(source), setting.words[0]
    if first.id in FIELDS:
        return _network(syntax, source.text, setting)
    if len(setting.words) == 1:
        return _place(syntax, source.text, setting) or _constant(syntax, source.text, setting)
    if first.id == REALIZE:
        return _realization(syntax, source.text, setting)
    if first.id in ENTRIES:
        return _entry(syntax, source.text, setting)
    above = _above(first, syntax)
    if above is not None:
        whole = ".".join([above, *(word.text for word in setting.words)])
        raise setting.wrong(mistakes.settings.part_of_path(first.text, whole, first.span))
    raise setting.unknown(first, "a spec has no block", [*ENTRIES, REALIZE, *FIELDS])


def _above(word: Word, syntax: t.Syntax) -> str | None:
    """What stands before a word in a path: `learn` before `v`, `train` before `optimizer`."""
    kinds: dict[type[t.Statement], str] = {of: kind for kind, of in FIELDS.items()}
    fields = {s.name.id: kinds[type(s)] for s in syntax.statements if isinstance(s, t.LearnDecl | t.UnknownDecl)}
    entries = {key: kind for kind, rules in reversed([*ENTRIES.items()]) for key in rules}
    return (entries | dict.fromkeys(PARTS, REALIZE) | fields).get(word.id)


def _syntax(source: Source) -> t.Syntax:
    reporter = Reporter()
    with reporter.guard():
        syntax = strange.read(source, reporter, lambda syntax, _: syntax)
    if reporter.errors:
        raise PdeError(in_order(reporter.errors), source)
    return syntax


# ---- where the problem lives


def _place(syntax: t.Syntax, text: str, setting: Setting) -> str | None:
    """The text with another domain or time interval, if the path names it and no constant has that name."""
    (word,) = setting.words
    for statement in syntax.statements:
        match statement:
            case t.SpaceDecl(sides=sides) if word.id in SPACE:
                span = sides[0].span.to(sides[-1].span)
            case t.TimeDecl(interval=interval) if word.id in TIME:
                span = splice.widened(text, interval.span)
            case _:
                continue
        if not setting.value:
            raise setting.wrong(mistakes.settings.needs_value(f"{word.id}=…", word.span))
        return splice.replaced(text, span, setting.value)
    return None


# ---- networks


def _network(syntax: t.Syntax, text: str, setting: Setting) -> str:
    kind, *named = setting.words
    fields = [s for s in syntax.statements if isinstance(s, FIELDS[kind.id])]
    if not named:
        raise setting.wrong(mistakes.settings.not_alone(kind.text, f"{kind.id}.v=…", kind.span))
    name, *rest = named
    found = next((f for f in fields if f.name.id == name.id), None)
    if found is None:
        raise setting.unknown(name, f"'{kind.id}' declares no", [f.name.text for f in fields])
    if rest:
        return with_argument(text, setting, rest, [found.net] if found.net else [], NETWORKS)
    if setting.value is None:
        raise setting.wrong(mistakes.settings.needs_value(f"{kind.id}.{name.text}=…", setting.path))
    if found.net is None:
        end = found.type[-1].span.end if found.type else found.span.end
        return splice.replaced(text, Span(end, end), f" = {setting.value}" if setting.value else "")
    return splice.replaced(text, splice.widened(text, found.net.span), setting.value)


# ---- constants


def _constant(syntax: t.Syntax, text: str, setting: Setting) -> str:
    (word,) = setting.words
    constants = [s for s in syntax.statements if isinstance(s, t.ConstDecl)]
    if word.id in (*ENTRIES, REALIZE):
        inner = next(iter(ENTRIES.get(word.id, PARTS)))
        raise setting.wrong(mistakes.settings.not_alone(word.text, f"{word.id}.{inner}=…", word.span))
    named = _name_and_power(word.text)
    found = next((c for c in constants if named and c.name.id == named.name.id), None)
    if named is None or found is None:
        raise _no_constant(word, constants, syntax, setting)
    if not setting.value:
        raise setting.wrong(mistakes.settings.constant_needs_value(word.text, word.span))
    value = splice.widened(text, found.value.span)
    if found.power == named.power:
        return splice.replaced(text, value, setting.value)
    return splice.replaced(text, found.name.span.to(value), f"{word.text} = {setting.value}")


def _no_constant(word: Word, constants: list[t.ConstDecl], syntax: t.Syntax, setting: Setting) -> PdeError:
    above = _above(word, syntax)
    if above is not None:
        return setting.wrong(mistakes.settings.no_constant_but_entry(word.text, f"{above}.{word.text}", word.span))
    names = (c.name.id if word.text.isascii() else c.name.text for c in constants)
    return setting.unknown(word, "this spec has no constant", (*names, "train.…", "evaluate.…", "realize.…"))


def _name_and_power(text: str) -> t.ConstDecl | None:
    """`σ²` or `sigma^2`, read as the language reads them."""
    reporter = Reporter()
    statements: tuple[t.Statement, ...] = ()
    with reporter.guard():
        statements = parse_syntax(Source(f"const {text} = 0"), reporter).statements
    match reporter.errors, statements:
        case [], (t.ConstDecl() as declared,):
            return declared
    return None


# ---- realizations


def _realization(syntax: t.Syntax, text: str, setting: Setting) -> str:
    _, part, *rest = setting.words
    if part.id not in PARTS:
        raise setting.unknown(part, "an equation has no part", PARTS)
    found = [s for s in syntax.statements if isinstance(s, t.RealizeStmt) and s.part.id == part.id]
    if rest:
        return with_argument(text, setting, rest, [s.method for s in found], PARTS[part.id])
    if setting.value is None:
        raise setting.wrong(mistakes.settings.needs_value(f"realize.{part.text}=…", setting.path))
    if not setting.value:
        return _removed(text, [s.span for s in found])
    if found:
        return splice.replaced(text, splice.widened(text, found[0].method.span), setting.value)
    return splice.with_lines(text, ["", f"realize {part.id} by {setting.value}"])


def _removed(text: str, spans: Iterable[Span]) -> str:
    for span in sorted(spans, reverse=True):
        text = splice.without(text, span)
    return text


# ---- entries


def _entry(syntax: t.Syntax, text: str, setting: Setting) -> str:
    kind, key, *rest = setting.words
    rules = ENTRIES[kind.id]
    if key.id not in rules:
        raise setting.unknown(key, f"'{kind.id}' has no entry", rules)
    block = next((s for s in syntax.statements if isinstance(s, t.BlockStmt) and s.kind.id == kind.id), None)
    found = [entry for entry in block.entries if entry.key.id == key.id] if block else []
    if rest:
        values = [item.value for entry in found for item in entry.items]
        what = rules[key.id].what
        forms = what.forms if isinstance(what, Calls) else {}
        default = default_of(kind.id, key.id)
        if not values and default and rest[-1].id in forms[default.partition("(")[0]].params:
            given = replace(setting, text=f"{kind.id}.{key.id}={default}", words=setting.words[:2], value=default)
            changed = Source(_entry(syntax, text, given))
            return _entry(_syntax(changed), changed.text, setting)
        return with_argument(text, setting, rest, values, forms)
    if setting.value is None and rules[key.id].least > 0:
        raise setting.wrong(mistakes.settings.entry_needs_value(f"{kind.id}.{key.id}", setting.path))
    if setting.value == "":
        return _removed(text, [_whole(text, entry) for entry in found])
    if len(found) > 1:
        raise setting.wrong(mistakes.settings.several_entries(kind.id, key.id, len(found), setting.path))
    if found:
        return _with_value(text, found[0], setting.value)
    other = [entry for entry in block.entries if entry.key.id == INSTEAD.get(key.id)] if block else []
    if other:
        return splice.replaced(text, _whole(text, other[0]), f"{key.id} {setting.value}")
    line = f"{key.id} {setting.value or ''}".rstrip()
    if block is None:
        return splice.with_lines(text, ["", f"{kind.id} {{", f"  {line}", "}"])
    indent = splice.indent_of(text, block.entries[-1].span.start) if block.entries else None
    return splice.with_entry(text, block.span.end - 1, indent or "  ", line)


def _whole(text: str, entry: t.Entry) -> Span:
    return entry.span.to(splice.widened(text, entry.items[-1].span)) if entry.items else entry.span


def _with_value(text: str, entry: t.Entry, value: str | None) -> str:
    if not entry.items:
        return splice.replaced(text, Span(entry.span.end, entry.span.end), f" {value}" if value else "")
    old = splice.widened(text, entry.items[0].span).to(splice.widened(text, entry.items[-1].span))
    return splice.replaced(text, old, value or "")
