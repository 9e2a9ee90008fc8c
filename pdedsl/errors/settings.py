"""E73x: `--set PATH=VALUE`. The source text of each error is the setting."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import PdeError, Span
from pdedsl.errors.base import Code, all_of, perhaps

VALUE = Code("E730", "missing or invalid value of a setting")
NOTHING = Code("E731", "unknown setting")
SEVERAL = Code("E732", "ambiguous setting")
NO_ARGUMENTS = Code("E733", "an argument that cannot be set")


# ---- values


def empty_path(span: Span) -> PdeError:
    return VALUE.error("empty component in the path", span, "as in: train.optimizer.lr=0.1")


def needs_value(example: str, span: Span) -> PdeError:
    return VALUE.error("missing value", span, f"as in: {example}")


def entry_needs_value(path: str, span: Span) -> PdeError:
    return VALUE.error("missing value", span, f"as in: {path}=…; {path}= removes the entry")


def constant_needs_value(name: str, span: Span) -> PdeError:
    return VALUE.error("missing value of a constant", span, f"as in: {name}=1")


def not_alone(word: str, example: str, span: Span) -> PdeError:
    return VALUE.error(f"'{word}' is a block and cannot be set as a whole", span, f"as in: {example}")


def one_line(span: Span) -> PdeError:
    return VALUE.error("the value must be a single line without comments", span)


def closes_nothing(closer: str, span: Span) -> PdeError:
    return VALUE.error(f"unmatched '{closer}' in this value", span)


def never_closed(opened: str, span: Span) -> PdeError:
    return VALUE.error(f"unclosed '{opened}'", span)


def open_text(span: Span) -> PdeError:
    return VALUE.error("unterminated string literal", span)


# ---- paths


def unknown_part(what: str, word: str, known: Sequence[str], guess: str | None, span: Span) -> PdeError:
    """`what` is the kind of the missing component: "'train' has no entry"."""
    return NOTHING.error(f"{what} '{word}'", span, perhaps(guess, f"available: {all_of(known)}" if known else ""))


def part_of_path(word: str, path: str, span: Span) -> PdeError:
    """`v.width` for `learn.v.width`."""
    return NOTHING.error(f"a spec has no block '{word}'", span, perhaps(path))


def no_constant_but_entry(word: str, path: str, span: Span) -> PdeError:
    return NOTHING.error(f"this spec has no constant '{word}'", span, perhaps(path))


def long_path(span: Span) -> PdeError:
    return NOTHING.error("the path has too many components", span, "as in: train.optimizer.adam.lr=0.1")


def several_entries(block: str, key: str, found: int, span: Span) -> PdeError:
    hint = f"remove them first, with {block}.{key}="
    return SEVERAL.error(f"'{block}' has {found} entries '{key}'", span, hint)


def several_calls(where: str, key: str, found: int, choices: Sequence[str], span: Span) -> PdeError:
    hint = f"specify one: {all_of(choices)}" if len(choices) > 1 else f"remove them first, with {where}="
    return SEVERAL.error(f"'{key}' is ambiguous: {found} calls in {where} have this argument", span, hint)


def no_call(where: str, example: str | None, span: Span) -> PdeError:
    """`example` is None if no built-in there takes arguments."""
    hint = f"first set {where}, as in {where}={example}(…)" if example else "it takes no arguments"
    return NO_ARGUMENTS.error(f"{where} has no call whose arguments could be set", span, hint)


def unnamed_behind(key: str, span: Span) -> PdeError:
    """An argument before other positional ones cannot be removed."""
    hint = "name these arguments in the spec"
    return NO_ARGUMENTS.error(f"cannot remove '{key}': positional arguments follow it", span, hint)
