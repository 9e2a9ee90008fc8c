"""Edits of a spec by settings, `--set PATH=VALUE`: the text is changed, so that the spec that runs is always readable.

    σ²=0.4  sigma^2=0.4  T=3          a constant
    train.epochs=5                    an entry of a block; a missing entry or block is added
    train.adversary=                  without a value: the entry is removed
    evaluate.natural                  an entry without a value
    train.optimizer.lr=0.1            an argument of the call in an entry
    train.optimizer.adam.lr=0.1       of this call, if several calls in entries of this name have the argument
    realize.diffusion=noise(samples=8), realize.diffusion.samples=8      the same for a realization
    learn.v=resnet(depth=32), learn.v.depth=32     the network of a learned field, or of an unknown: unknown.u=mlp
    space=R^3, time=[0, 2]            the domain

A value is written in the language, on one line. Unknown or ambiguous paths and invalid values are reported as errors in
the text of the setting. Setting epochs removes steps, and vice versa.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pdedsl import errors
from pdedsl.config.base import Forms, Param
from pdedsl.config.blocks import ENTRIES, Calls, OptionNames, default_of
from pdedsl.config.keyword_aliases import canonical_path
from pdedsl.config.methods import PARTS
from pdedsl.config.networks import NETWORKS
from pdedsl.diagnostics import Patch, PdeError, Reporter, Source, Span, closest_match, sort_diagnostics
from pdedsl.language import ast as t
from pdedsl.language.hints import hints_for
from pdedsl.language.names import canonical_name
from pdedsl.language.parser import parse_syntax
from pdedsl.record import Record

# ---- Settings


PAIRS = {"(": ")", "[": "]", "{": "}"}


class PathComponent(Record):
    """A component of a path; `id` is its canonical name."""

    text: str
    id: str
    span: Span


class Setting(Record):
    """PATH=VALUE; the value is None if there is no '='."""

    text: str
    components: tuple[PathComponent, ...]
    value: str | None

    @property
    def path(self) -> Span:
        return self.components[0].span.to(self.components[-1].span)


def unknown_component(component: PathComponent, what: str, choices: Iterable[str]) -> PdeError:
    known = list(dict.fromkeys(choices))
    guess = closest_match(component.id, known)
    return errors.settings.unknown_component(what, component.text, known, guess, component.span)


def parse_setting(text: str) -> Setting:
    """The components of the path and the value; whether the path exists is not checked."""
    path, equals, value = text.partition("=")
    components: list[PathComponent] = []
    at = 0
    for part in path.split("."):
        name = part.strip()
        start = at + len(part) - len(part.lstrip())
        components.append(PathComponent(name, canonical_name(name), Span(start, start + len(name))))
        at += len(part) + 1
    canonical = canonical_path(tuple(component.id for component in components))
    components = [replace(component, id=key) for component, key in zip(components, canonical, strict=True)]
    setting = Setting(text, tuple(components), value.strip() if equals else None)
    empty = next((component for component in components if not component.text), None)
    if empty is not None:
        raise errors.settings.empty_component(empty.span)
    _check_value(setting, len(path) + 1)
    return setting


def _check_value(setting: Setting, start: int) -> None:
    """Checks that a value is on one line and has balanced brackets."""
    opened: list[int] = []
    quoted = False
    for at, char in enumerate(setting.text[start:], start):
        here = Span(at, at + 1)
        quoted ^= char == '"'
        if char in "\n\r" or (char == "#" and not quoted):
            raise errors.settings.multiline_value(here)
        if quoted:
            continue
        if char in PAIRS:
            opened.append(at)
        elif char in PAIRS.values() and (not opened or PAIRS[setting.text[opened.pop()]] != char):
            raise errors.settings.unmatched(char, here)
    if quoted:
        raise errors.settings.unterminated_string(Span(setting.text.rindex('"'), len(setting.text)))
    if opened:
        at = opened[-1]
        raise errors.settings.unclosed(setting.text[at], Span(at, at + 1))


# ---- Text edits that leave comments, line endings and the rest of the text unchanged


OPEN, CLOSE = "([", ")]"


def replace_span(text: str, span: Span, new: str) -> str:
    return text[: span.start] + new + text[span.end :]


def delete_span(text: str, span: Span) -> str:
    """The text without a span, and without its lines if nothing else is on them."""
    start, end = span
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    while end < len(text) and text[end] in " \t":
        end += 1
    if (start == 0 or text[start - 1] in "\r\n") and (end == len(text) or text[end] in "\r\n"):
        end += 2 if text.startswith("\r\n", end) else 1
        return text[:start] + text[end:]
    return replace_span(text, span, "")


def append_lines(text: str, lines: Sequence[str]) -> str:
    """The text with lines appended."""
    eol = newline_style(text)
    gap = eol if text and text[-1] not in "\r\n" else ""
    return text + gap + "".join(line + eol for line in lines)


def insert_entry(text: str, brace: int, indent: str, line: str) -> str:
    """The text with a line inserted before the closing brace of a block."""
    eol = newline_style(text)
    start = max(text.rfind("\n", 0, brace), text.rfind("\r", 0, brace)) + 1
    if text[start:brace].strip():
        return replace_span(text, Span(brace, brace), f"{eol}{indent}{line}{eol}")
    return replace_span(text, Span(start, start), f"{indent}{line}{eol}")


def newline_style(text: str) -> str:
    """The line ending of the text."""
    return next((eol for eol in ("\r\n", "\n", "\r") if eol in text), "\n")


def indentation(text: str, at: int) -> str | None:
    """The whitespace before a position, if nothing else precedes it on its line."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    return text[start:at] if not text[start:at].strip() else None


def include_parentheses(text: str, span: Span) -> Span:
    """A span including redundant parentheses around it, which the tree omits."""
    before, after = text[: span.start].rstrip(), text[span.end :].lstrip()
    while before.endswith("(") and after.startswith(")"):
        span = Span(len(before) - 1, len(text) - len(after) + 1)
        before, after = text[: span.start].rstrip(), text[span.end :].lstrip()
    return span


# ---- Arguments of a call


def argument_spans(text: str, at: int) -> tuple[list[Span], int]:
    """The arguments of the call whose bracket opens at `at`, without the space and comments around them, and the
    position of the closing bracket."""
    spans: list[Span] = []
    first, last, depth, i = -1, -1, 0, at
    while True:
        i += 1
        char = text[i]
        if char == "#":
            i = _comment_end(text, i)
            continue
        ends = depth == 0 and (char == "," or char in CLOSE)
        if ends and first >= 0:
            spans.append(Span(first, last))
            first = -1
        if ends and char != ",":
            return spans, i
        if ends or char.isspace():
            continue
        depth += (char in OPEN) - (char in CLOSE)
        first = i if first < 0 else first
        i = text.index('"', i + 1) if char == '"' else i
        last = i + 1


def append_argument(text: str, at: int, argument: str) -> str:
    """The text with one more argument, after the last, for the call whose bracket opens at `at`."""
    spans, close = argument_spans(text, at)
    place = spans[-1].end if spans else close
    return replace_span(text, Span(place, place), f", {argument}" if spans else argument)


def remove_argument(text: str, at: int, which: int) -> str:
    """The text without one argument and the comma before it; for the first one, the comma after it."""
    spans, _ = argument_spans(text, at)
    removed = spans[which]
    if which > 0:
        comma = _comma(text, spans[which - 1].end)
        return text[:comma] + text[comma + 1 : removed.start].rstrip(" \t") + text[removed.end :]
    if len(spans) > 1:
        comma = _comma(text, removed.end)
        return text[: removed.start] + text[removed.end : comma] + text[comma + 1 :].lstrip(" \t")
    return replace_span(text, removed, "")


def _comma(text: str, at: int) -> int:
    """The comma after an argument, skipping comments."""
    while text[at] != ",":
        at = _comment_end(text, at) if text[at] == "#" else at + 1
    return at


def _comment_end(text: str, at: int) -> int:
    return min(k for k in (text.find("\n", at), text.find("\r", at)) if k >= 0)


# ---- Setting an argument; the path names the call only as far as necessary


class CallSite(Record):
    """A call in the text and its parameters."""

    head: t.Name
    call: t.Call | None  # None if it is written without parentheses
    signature: Mapping[str, Param]


def set_argument(
    text: str, setting: Setting, rest: Sequence[PathComponent], values: Sequence[t.Expr], calls: Forms[Any]
) -> str:
    *named, component = rest
    if len(named) > 1:
        raise errors.settings.path_too_long(component.span)
    where = ".".join(w.id for w in setting.components[:2])
    sites = [site for value in values if (site := _call_site(value, calls))]
    if not sites:
        raise errors.settings.no_arguments_to_set(where, next(iter(calls), None), setting.path)
    if named:
        heads = [c.head.id for c in sites]
        sites = [c for c in sites if c.head.id == named[0].id]
        if not sites:
            raise unknown_component(named[0], f"{where} has no call", heads)
    matching = [c for c in sites if component.id in c.signature]
    if not matching:
        heads = list(dict.fromkeys(c.head.id for c in sites))
        raise unknown_component(
            component, f"{' and '.join(heads)} {'have' if heads[1:] else 'has'} no argument", _argument_names(sites)
        )
    if len(matching) > 1:
        choices = list(dict.fromkeys(f"{where}.{c.head.id}.{component.id}" for c in matching))
        raise errors.settings.ambiguous_argument(where, component.id, len(matching), choices, setting.path)
    return _set_in_call(text, setting, component, matching[0])


def _argument_names(sites: Iterable[CallSite]) -> list[str]:
    return [key for site in sites for key in site.signature]


def _call_site(value: t.Expr, calls: Forms[Any]) -> CallSite | None:
    match value:
        case t.Name():
            return CallSite(value, None, _params(value, calls))
        case t.Call(head=t.Name() as head):
            return CallSite(head, value, _params(head, calls))
    return None


def _params(head: t.Name, calls: Forms[Any]) -> Mapping[str, Param]:
    return calls[head.id].params if head.id in calls else {}


def _set_in_call(text: str, setting: Setting, component: PathComponent, site: CallSite) -> str:
    if setting.value is None:
        raise errors.settings.missing_value(f"{setting.text.strip()}=…", setting.path)
    argument, call, end = f"{component.id}={setting.value}", site.call, site.head.span.end
    if call is None:
        return replace_span(text, Span(end, end), f"({argument})") if setting.value else text
    keys = [*list(site.signature)[: len(call.args)], *(key.id for key, _ in call.named)]
    if component.id not in keys:
        return append_argument(text, end, argument) if setting.value else text
    which = keys.index(component.id)
    if not setting.value:
        if which < len(call.args) - 1:
            raise errors.settings.positional_arguments_follow(component.id, component.span)
        return remove_argument(text, end, which)
    spans, _ = argument_spans(text, end)
    return replace_span(text, spans[which], setting.value if which < len(call.args) else argument)


# ---- Application of settings


REALIZE = "realize"
SPACE, TIME = ("space",), ("time",)
FIELDS: dict[str, type[t.LearnDecl] | type[t.UnknownDecl]] = {"learn": t.LearnDecl, "unknown": t.UnknownDecl}
ALTERNATIVE_ENTRY = {"epochs": "steps", "steps": "epochs"}  # a block has only one of the two


def apply_settings(source: Source, settings: Sequence[str]) -> Source:
    """The spec with the settings applied in order."""
    for text in settings:
        try:
            setting = parse_setting(text)
            source = _with_patches(source, _apply_setting(source, setting), setting)
        except PdeError as error:
            raise error if error.source else error.within(Source(text, "--set")) from None
    return source


def _with_patches(source: Source, text: str, setting: Setting) -> Source:
    """The changed text, with a patch that records the origin of the value."""
    old, value = source.text, setting.value or ""
    first = _common_prefix_length(old, text)
    by = len(text) - len(old)
    last = len(text) - _common_prefix_length(old[first:][::-1], text[first:][::-1])
    patches = tuple(p.shifted(first, by) for p in source.patches if p.span.end <= first or p.span.start >= last - by)
    low, high = sorted((first, max(0, last - len(value))))  # the change contains the value, or vice versa
    at = text.rfind(value, low, high + len(value)) if value else -1
    origin = Source(setting.text, "--set")
    if at >= 0:
        patches += (Patch(Span(at, at + len(value)), origin, setting.text.index(value, setting.text.index("="))),)
    while by == last - first and first and text[first - 1] == text[last - 1] != "\n":
        first, last = first - 1, last - 1  # a whole line was inserted
    if last > first:
        patches += (Patch(Span(first, last), origin),)
    return replace(source, text=text, patches=patches)


def _common_prefix_length(one: str, other: str) -> int:
    """The length of the common prefix of two texts."""
    return next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _apply_setting(source: Source, setting: Setting) -> str:
    syntax, first = _parse(source), setting.components[0]
    if first.id in FIELDS:
        return _set_network(syntax, source.text, setting)
    if len(setting.components) == 1:
        return _set_domain(syntax, source.text, setting) or _set_constant(syntax, source.text, setting)
    if first.id == REALIZE:
        return _set_realization(syntax, source.text, setting)
    if first.id in ENTRIES:
        return _set_entry(syntax, source.text, setting)
    parent = _parent_of(first, syntax)
    if parent is not None:
        path = ".".join([parent, *(component.text for component in setting.components)])
        raise errors.settings.incomplete_path(first.text, path, first.span)
    raise unknown_component(first, "a spec has no block", [*ENTRIES, REALIZE, *FIELDS])


def _parent_of(component: PathComponent, syntax: t.Syntax) -> str | None:
    """The parent of a component in a path: `learn` of `v`, `train` of `optimizer`."""
    kinds: dict[type[t.Statement], str] = {of: kind for kind, of in FIELDS.items()}
    fields = {s.name.id: kinds[type(s)] for s in syntax.statements if isinstance(s, t.LearnDecl | t.UnknownDecl)}
    entries = {key: kind for kind, rules in reversed([*ENTRIES.items()]) for key in rules}
    return (entries | dict.fromkeys(PARTS, REALIZE) | fields).get(component.id)


def _parse(source: Source) -> t.Syntax:
    reporter = Reporter()
    with reporter.guard():
        syntax = parse_syntax(source, reporter)
    if reporter.errors:
        raise PdeError(hints_for(source, sort_diagnostics(reporter.errors)), source)
    return syntax


# ---- Domain


def _set_domain(syntax: t.Syntax, text: str, setting: Setting) -> str | None:
    """The text with another domain or time interval, if the path names it."""
    (component,) = setting.components
    for statement in syntax.statements:
        match statement:
            case t.SpaceDecl(factors=factors) if component.id in SPACE:
                span = factors[0].span.to(factors[-1].span)
            case t.TimeDecl(interval=interval) if component.id in TIME:
                span = include_parentheses(text, interval.span)
            case _:
                continue
        if not setting.value:
            raise errors.settings.missing_value(f"{component.id}=…", component.span)
        return replace_span(text, span, setting.value)
    return None


# ---- Networks


def _set_network(syntax: t.Syntax, text: str, setting: Setting) -> str:
    kind, *named = setting.components
    fields = [s for s in syntax.statements if isinstance(s, FIELDS[kind.id])]
    if not named:
        raise errors.settings.block_without_entry(kind.text, f"{kind.id}.v=…", kind.span)
    name, *rest = named
    field = next((f for f in fields if f.name.id == name.id), None)
    if field is None:
        raise unknown_component(name, f"'{kind.id}' declares no", [f.name.text for f in fields])
    if rest:
        return set_argument(text, setting, rest, [field.net] if field.net else [], NETWORKS)
    if setting.value is None:
        raise errors.settings.missing_value(f"{kind.id}.{name.text}=…", setting.path)
    if field.net is None:
        end = field.type[-1].span.end if field.type else field.span.end
        return replace_span(text, Span(end, end), f" = {setting.value}" if setting.value else "")
    return replace_span(text, include_parentheses(text, field.net.span), setting.value)


# ---- Constants


def _set_constant(syntax: t.Syntax, text: str, setting: Setting) -> str:
    (component,) = setting.components
    constants = [s for s in syntax.statements if isinstance(s, t.ConstDecl)]
    if component.id in (*ENTRIES, REALIZE):
        inner = next(iter(ENTRIES.get(component.id, PARTS)))
        raise errors.settings.block_without_entry(component.text, f"{component.id}.{inner}=…", component.span)
    named = _parse_constant_name(component.text)
    constant = next((c for c in constants if named and c.name.id == named.name.id), None)
    if named is None or constant is None:
        raise _unknown_constant_error(component, constants, syntax, setting)
    if not setting.value:
        raise errors.settings.constant_needs_value(component.text, component.span)
    value = include_parentheses(text, constant.value.span)
    if constant.power == named.power:
        return replace_span(text, value, setting.value)
    return replace_span(text, constant.name.span.to(value), f"{component.text} = {setting.value}")


def _unknown_constant_error(
    component: PathComponent, constants: list[t.ConstDecl], syntax: t.Syntax, setting: Setting
) -> PdeError:
    parent = _parent_of(component, syntax)
    if parent is not None:
        return errors.settings.entry_not_constant(component.text, f"{parent}.{component.text}", component.span)
    names = (c.name.id if component.text.isascii() else c.name.text for c in constants)
    return unknown_component(component, "this spec has no constant", (*names, "train.…", "evaluate.…", "realize.…"))


def _parse_constant_name(text: str) -> t.ConstDecl | None:
    """`σ²` or `sigma^2`, parsed as in a `const` statement."""
    reporter = Reporter()
    statements: tuple[t.Statement, ...] = ()
    with reporter.guard():
        statements = parse_syntax(Source(f"const {text} = 0"), reporter).statements
    match reporter.errors, statements:
        case [], (t.ConstDecl() as declared,):
            return declared
    return None


# ---- Realizations


def _set_realization(syntax: t.Syntax, text: str, setting: Setting) -> str:
    _, part, *rest = setting.components
    if part.id not in PARTS:
        raise unknown_component(part, "an equation has no part", PARTS)
    realizations = [s for s in syntax.statements if isinstance(s, t.RealizeStmt) and s.part.id == part.id]
    if rest:
        return set_argument(text, setting, rest, [s.method for s in realizations], PARTS[part.id])
    if setting.value is None:
        raise errors.settings.missing_value(f"realize.{part.text}=…", setting.path)
    if not setting.value:
        return _delete_spans(text, [s.span for s in realizations])
    if realizations:
        return replace_span(text, include_parentheses(text, realizations[0].method.span), setting.value)
    return append_lines(text, ["", f"realize {part.id} by {setting.value}"])


def _delete_spans(text: str, spans: Iterable[Span]) -> str:
    for span in sorted(spans, reverse=True):
        text = delete_span(text, span)
    return text


# ---- Entries


def _set_entry(syntax: t.Syntax, text: str, setting: Setting) -> str:
    kind, key, *rest = setting.components
    rules = ENTRIES[kind.id]
    if key.id not in rules:
        raise unknown_component(key, f"'{kind.id}' has no entry", rules)
    block = next((s for s in syntax.statements if isinstance(s, t.BlockStmt) and s.kind.id == kind.id), None)
    entries = [entry for entry in block.entries if entry.key.id == key.id] if block else []
    if rest:
        values = [item.value for entry in entries for item in entry.items]
        what = rules[key.id].what
        forms = what.forms if isinstance(what, Calls | OptionNames) else {}
        default = default_of(kind.id, key.id)
        if not values and default and rest[-1].id in forms[default.partition("(")[0]].params:
            default_entry = replace(
                setting, text=f"{kind.id}.{key.id}={default}", components=setting.components[:2], value=default
            )
            changed = Source(_set_entry(syntax, text, default_entry))
            return _set_entry(_parse(changed), changed.text, setting)
        return set_argument(text, setting, rest, values, forms)
    if setting.value is None and rules[key.id].min_values > 0:
        raise errors.settings.entry_needs_value(f"{kind.id}.{key.id}", setting.path)
    if setting.value == "":
        return _delete_spans(text, [_entry_span(text, entry) for entry in entries])
    if len(entries) > 1:
        raise errors.settings.ambiguous_entry(kind.id, key.id, len(entries), setting.path)
    if entries:
        return _replace_entry_value(text, entries[0], setting.value)
    other = [entry for entry in block.entries if entry.key.id == ALTERNATIVE_ENTRY.get(key.id)] if block else []
    if other:
        return replace_span(text, _entry_span(text, other[0]), f"{key.id} {setting.value}")
    line = f"{key.id} {setting.value or ''}".rstrip()
    if block is None:
        return append_lines(text, ["", f"{kind.id} {{", f"  {line}", "}"])
    indent = indentation(text, block.entries[-1].span.start) if block.entries else None
    return insert_entry(text, block.span.end - 1, indent or "  ", line)


def _entry_span(text: str, entry: t.Entry) -> Span:
    return entry.span.to(include_parentheses(text, entry.items[-1].span)) if entry.items else entry.span


def _replace_entry_value(text: str, entry: t.Entry, value: str | None) -> str:
    if not entry.items:
        return replace_span(text, Span(entry.span.end, entry.span.end), f" {value}" if value else "")
    old = include_parentheses(text, entry.items[0].span).to(include_parentheses(text, entry.items[-1].span))
    return replace_span(text, old, value or "")
