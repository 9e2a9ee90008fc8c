"""E73x: `--set PATH=VALUE`. The source text of each error is the setting."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import PdeError, Span
from pdedsl.errors.base import Code, did_you_mean, join_comma

INVALID_VALUE = Code("E730", "missing or invalid value of a setting")
UNKNOWN_SETTING = Code("E731", "unknown setting")
AMBIGUOUS_SETTING = Code("E732", "ambiguous setting")
NO_SETTABLE_ARGUMENT = Code("E733", "an argument that cannot be set")


# ---- Values


empty_component = INVALID_VALUE.at("empty component in the path", "as in: train.optimizer.lr=0.1")
missing_value = INVALID_VALUE.of("missing value", "as in: {example}")
entry_needs_value = INVALID_VALUE.of("missing value", "as in: {path}=…; {path}= removes the entry")
constant_needs_value = INVALID_VALUE.of("missing value of a constant", "as in: {name}=1")


def block_without_entry(name: str, example: str, span: Span) -> PdeError:
    return INVALID_VALUE(f"'{name}' is a block and cannot be set as a whole", span, f"as in: {example}")


multiline_value = INVALID_VALUE.at("the value must be a single line without comments")
unmatched = INVALID_VALUE.of("unmatched '{closer}' in this value")
unclosed = INVALID_VALUE.of("unclosed '{opener}'")
unterminated_string = INVALID_VALUE.at("unterminated string literal")


# ---- Paths


def unknown_component(what: str, name: str, available: Sequence[str], guess: str | None, span: Span) -> PdeError:
    """`what` is the kind of the missing component: "'train' has no entry"."""
    return UNKNOWN_SETTING(
        f"{what} '{name}'", span, did_you_mean(guess, f"available: {join_comma(available)}" if available else "")
    )


def incomplete_path(name: str, path: str, span: Span) -> PdeError:
    """`v.width` for `learn.v.width`."""
    return UNKNOWN_SETTING(f"a spec has no block '{name}'", span, did_you_mean(path))


def entry_not_constant(name: str, path: str, span: Span) -> PdeError:
    return UNKNOWN_SETTING(f"this spec has no constant '{name}'", span, did_you_mean(path))


path_too_long = UNKNOWN_SETTING.at("the path has too many components", "as in: train.optimizer.adam.lr=0.1")


def ambiguous_entry(block: str, key: str, found: int, span: Span) -> PdeError:
    hint = f"remove them first, with {block}.{key}="
    return AMBIGUOUS_SETTING(f"'{block}' has {found} entries '{key}'", span, hint)


def ambiguous_argument(where: str, key: str, found: int, choices: Sequence[str], span: Span) -> PdeError:
    hint = f"specify one: {join_comma(choices)}" if len(choices) > 1 else f"remove them first, with {where}="
    return AMBIGUOUS_SETTING(f"'{key}' is ambiguous: {found} calls in {where} have this argument", span, hint)


def no_arguments_to_set(where: str, example: str | None, span: Span) -> PdeError:
    """`example` is None if no built-in there takes arguments."""
    hint = f"first set {where}, as in {where}={example}(…)" if example else "it takes no arguments"
    return NO_SETTABLE_ARGUMENT(f"{where} has no call whose arguments could be set", span, hint)


# An argument before other positional ones cannot be removed.
positional_arguments_follow = NO_SETTABLE_ARGUMENT.of(
    "cannot remove '{key}': positional arguments follow it", "name these arguments in the spec"
)
