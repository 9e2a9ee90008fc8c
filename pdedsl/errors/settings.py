"""E73x: `--set PATH=VALUE`. Each points into the setting, which is its text."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import PdeError, Span
from pdedsl.errors.base import Code, all_of, perhaps

VALUE = Code("E730", "a setting has no value, or one that cannot be read")
NOTHING = Code("E731", "a setting names nothing that there is")
SEVERAL = Code("E732", "a setting names more than one thing")
NO_ARGUMENTS = Code("E733", "a setting names an argument that cannot be set")


# ---- values


def empty_path(span: Span) -> PdeError:
    return VALUE.error("a part of this path is empty", span, "as in: train.optimizer.lr=0.1")


def needs_value(example: str, span: Span) -> PdeError:
    return VALUE.error("this needs a value", span, f"as in: {example}")


def entry_needs_value(path: str, span: Span) -> PdeError:
    return VALUE.error("this needs a value", span, f"as in: {path}=…; {path}= removes the entry")


def constant_needs_value(name: str, span: Span) -> PdeError:
    return VALUE.error("a constant needs a value", span, f"as in: {name}=1")


def not_alone(word: str, example: str, span: Span) -> PdeError:
    return VALUE.error(f"'{word}' alone cannot be set", span, f"as in: {example}")


def one_line(span: Span) -> PdeError:
    return VALUE.error("a value is a single line without comments", span)


def closes_nothing(closer: str, span: Span) -> PdeError:
    return VALUE.error(f"'{closer}' closes nothing in this value", span)


def never_closed(opened: str, span: Span) -> PdeError:
    return VALUE.error(f"'{opened}' is never closed", span)


def open_text(span: Span) -> PdeError:
    return VALUE.error("this text is never closed", span)


# ---- paths


def unknown_part(what: str, word: str, known: Sequence[str], guess: str | None, span: Span) -> PdeError:
    """`what` is what does not exist: "'train' has no entry"."""
    return NOTHING.error(f"{what} '{word}'", span, perhaps(guess, f"known here: {all_of(known)}" if known else ""))


def part_of_path(word: str, path: str, span: Span) -> PdeError:
    """`v.width` for `learn.v.width`."""
    return NOTHING.error(f"a spec has no block '{word}'", span, perhaps(path))


def no_constant_but_entry(word: str, path: str, span: Span) -> PdeError:
    return NOTHING.error(f"this spec has no constant '{word}'", span, perhaps(path))


def long_path(span: Span) -> PdeError:
    return NOTHING.error("this path is too long", span, "as in: train.optimizer.adam.lr=0.1")


def several_entries(block: str, key: str, found: int, span: Span) -> PdeError:
    hint = f"remove them first, with {block}.{key}="
    return SEVERAL.error(f"'{block}' has {found} entries '{key}'", span, hint)


def several_calls(where: str, key: str, found: int, choices: Sequence[str], span: Span) -> PdeError:
    hint = f"say which: {all_of(choices)}" if len(choices) > 1 else f"remove them first, with {where}="
    return SEVERAL.error(f"{found} calls in {where} have '{key}'", span, hint)


def no_call(where: str, example: str | None, span: Span) -> PdeError:
    """`example` is None where nothing takes arguments."""
    hint = f"set {where} itself first, as in {where}={example}(…)" if example else "it takes no arguments"
    return NO_ARGUMENTS.error(f"there is no call in {where} with arguments to set", span, hint)


def unnamed_behind(key: str, span: Span) -> PdeError:
    """An argument cannot be removed from before others that count by their place."""
    hint = "name them in the spec"
    return NO_ARGUMENTS.error(f"'{key}' is followed by arguments without a name", span, hint)
