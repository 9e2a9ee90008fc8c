"""E5xx: built-in networks, methods, data sets and axioms, their arguments, and the blocks."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import Edit, Fix, added, instead, one_of_them, without
from pdedsl.errors.base import ONE, Code, all_of, an, counted, one_of, perhaps

NO_CALL = Code("E501", "expected a built-in")
UNKNOWN = Code("E502", "unknown network, method, data set, axiom or other built-in")
MISSING = Code("E503", "missing argument")
TOO_MANY = Code("E504", "too many arguments")
NO_ARGUMENT = Code("E505", "unknown argument")
ARGUMENT_TWICE = Code("E506", "repeated argument")
VALUE = Code("E507", "invalid value of an argument or entry")
NO_ENTRY = Code("E508", "missing entry of a block")
EPOCHS_AND_STEPS = Code("E509", "both `epochs` and `steps` are given")
ENTRY = Code("E510", "unknown entry of a block")
ENTRY_TWICE = Code("E511", "repeated entry")
NUMBER_OF_VALUES = Code("E512", "wrong number of values of an entry")
FROM_OR_IN = Code("E513", "`from` or `in` is missing or not allowed")
CONSTRAINED = Code("E514", "only learned operators can be constrained")
REALIZED_TWICE = Code("E515", "a part of the equation is realized twice")
SECOND_BLOCK = Code("E516", "repeated block")
FRAME = Code("E517", "a `network` block needs `space x in pixels`")


ELSEWHERE = {
    "lr": "it is an argument of the optimizer, as in: optimizer sgd(lr=0.1)",
    "learning_rate": "it is an argument of the optimizer, as in: optimizer sgd(lr=0.1)",
    "momentum": "it is an argument of the optimizer, as in: optimizer sgd(lr=0.1, momentum=0.9)",
    "weight_decay": "it is an argument of the optimizer, as in: optimizer sgd(lr=0.1, weight_decay=5e-4)",
    "eps": "it is an argument of an attack, as in: attack pgd(eps=8/255)",
    "shuffle": "remove it: samples are always shuffled",
    "early_stopping": "remove it: the weights of the last step are used",
    "device": "it is a command-line option: --device cuda",
}
"""Hints for entries of other programs."""

NOISE = "the noise level is that of the diffusion term, as in ½σ²Δu"
FOLDER = "remove it: data are downloaded, or read from the folder of the option --data"
OF_OTHERS = {"sigma": NOISE, "σ": NOISE, "root": FOLDER, "path": FOLDER, "download": FOLDER}
"""Hints for arguments of other programs."""
LISTED = {"width": "all hidden layers have the same width; 'depth' is their number, as in: width=64, depth=4"}
"""Hints for arguments that are lists in other programs."""


ENTRY_KINDS = {
    "data": "data set",
    "adversary": "attack",
    "transfer": "attack",
    "augment": "augmentation",
    "regularize": "regularizer",
    "certify": "certificate",
    "reference": "reference solver",
    "frame": "network frame",
}
"""The kind of built-in that an entry of a block takes, if it has another name than the entry."""
METHOD_KINDS = {"time": "time integrator", "equation": "solver"}


def entry_kind(key: str) -> str:
    return ENTRY_KINDS.get(key, key)


def method_kind(part: str) -> str:
    return METHOD_KINDS.get(part, f"method for {part}")


# ---- Built-ins and their arguments


def not_a_word(kind: str, known: Sequence[str], file: bool, span: Span) -> PdeError:
    """`kind` is the expected built-in: "network", "optimizer"; `file` if a file name was found."""
    own = 'for a file write npz("data.npz"); ' if file else ""
    hint = f"{own}available: {all_of(known)}; write arguments in parentheses, and commas between several values"
    return NO_CALL.error(f"expected {an(kind)}", span, hint)


def in_quotes(kind: str, text: str, span: Span) -> PdeError:
    """`data "moons"`."""
    hint, fixes = f"write it without quotes: {text}", one_of_them([text], span)
    return NO_CALL.error(f"expected {an(kind)}, found a string", span, hint, fixes=fixes)


def value_in_quotes(key: str, wanted: str, text: str, span: Span) -> PdeError:
    """`eps="8/255"`."""
    hint, fixes = f"write it without quotes: {text}", one_of_them([text], span)
    return VALUE.error(f"{key} must be {wanted}", span, hint, fixes=fixes)


def unknown_word(word: str, kind: str, known: Sequence[str], guess: str | None, span: Span) -> PdeError:
    hint, only = perhaps(guess, f"available: {all_of(known)}"), known[0] if len(known) == 1 else None
    return UNKNOWN.error(f"unknown {kind} '{word}'", span, hint, fixes=instead(word, guess or only, span))


def not_a_value(key: str, known: Sequence[str], span: Span) -> PdeError:
    fixes = one_of_them(known, span)
    return UNKNOWN.error(f"expected {an(entry_kind(key))}", span, f"available: {all_of(known)}", fixes=fixes)


def other_part(
    method: str, part: str, realizes: Sequence[str], methods: Sequence[str], span: Span, where: Span
) -> PdeError:
    """`where` is the span of the part."""
    hint = f"{method} is available for {one_of(realizes)}; available for {part}: {all_of(methods)}"
    fixes = one_of_them(realizes, where)
    return UNKNOWN.error(f"'{method}' is not {an(method_kind(part))}", span, hint, fixes=fixes)


def missing_argument(word: str, key: str, keys: Sequence[str], wanted: str, span: Span) -> PdeError:
    """`keys` are all arguments in order, if some are positional."""
    hint = f"arguments: {all_of(keys)}" if keys else f"add {key}=…"
    return MISSING.error(f"'{word}' is missing the argument {key}: {wanted}", span, hint)


def too_many_arguments(word: str, most: int, found: int, span: Span) -> PdeError:
    takes = f"at most {counted(most, 'argument')}" if most else "no arguments"
    return TOO_MANY.error(f"'{word}' takes {takes}, found {found}", span)


def unknown_argument(word: str, key: str, keys: Sequence[str], guess: str | None, span: Span) -> PdeError:
    hint = f"arguments: {all_of(keys)}" if keys else "it takes no arguments"
    hint, fixes = OF_OTHERS.get(key, hint), instead(key, guess, span)
    return NO_ARGUMENT.error(f"'{word}' has no argument '{key}'", span, perhaps(guess, hint), fixes=fixes)


def argument_twice(key: str, span: Span, whole: Span) -> PdeError:
    """`whole` is the span of name and value."""
    return ARGUMENT_TWICE.error(f"repeated argument '{key}'", span, ONE, fixes=without(whole, item=True))


def empty_list(key: str, wanted: str, span: Span) -> PdeError:
    return VALUE.error(f"{key} must not be an empty list", span, f"expected {wanted}")


def wrong_value(key: str, wanted: str, span: Span, guess: str | None = None) -> PdeError:
    return VALUE.error(f"{key} must be {wanted}", span, perhaps(guess), fixes=instead("", guess, span))


def list_of_values(key: str, wanted: str, span: Span) -> PdeError:
    """`mlp([2, 32, 32, 2])`."""
    return VALUE.error(f"{key} must be {wanted}", span, LISTED.get(key, "write a single value instead of a list"))


def by_place(key: str, wanted: str, other: str, alone: bool, span: Span) -> PdeError:
    """`pgd(8/255)`: the first positional argument is `key`; `alone` if it is the only positional one."""
    hint, fixes = (
        f"write {other}=…: the first positional argument is {key}",
        added(span.start, f"{other}=") if alone else (),
    )
    return VALUE.error(f"{key} must be {wanted}", span, hint, fixes=fixes)


def too_much(key: str, most: int, span: Span) -> PdeError:
    """A value that would exhaust memory or time."""
    return VALUE.error(f"{key} must be at most {most:,}", span)


def long_list(key: str, most: int, span: Span) -> PdeError:
    return VALUE.error(f"{key} must have at most {most:,} values", span)


# ---- entries of blocks


def missing_entry(block: str, key: str, span: Span) -> PdeError:
    return NO_ENTRY.error(f"the '{block}' block has no entry '{key}'", span, f"add {key} …")


def epochs_and_steps(span: Span, entry: Span) -> PdeError:
    """`entry` is the span of the second entry."""
    return EPOCHS_AND_STEPS.error("epochs and steps are mutually exclusive", span, ONE, fixes=without(entry))


def unknown_entry(block: str, key: str, entries: Sequence[str], guess: str | None, span: Span) -> PdeError:
    hint = perhaps(guess, ELSEWHERE.get(key, f"available: {all_of(entries)}"))
    return ENTRY.error(f"unknown entry '{key}' in '{block}'", span, hint, fixes=instead(key, guess, span))


def entry_twice(key: str, span: Span, first: Span, entry: Span) -> PdeError:
    """`entry` is the span of the second entry."""
    notes = ((first, "first given here"),)
    return ENTRY_TWICE.error(f"repeated entry '{key}'", span, ONE, notes, fixes=without(entry))


def number_of_values(key: str, most: int, found: int, span: Span) -> PdeError:
    takes = ("no value", "one value")[most] if most < 2 else f"1 to {most} values"
    return NUMBER_OF_VALUES.error(
        f"'{key}' takes {takes}", span, "write each entry on a separate line" if found > most > 0 else ""
    )


def joined_entries(second: str, span: Span) -> PdeError:
    """`batch 128 epochs 10`."""
    fixes = (Fix("start a new line", (Edit(Span(span.start, span.start), "\n  "),)),)
    return NUMBER_OF_VALUES.error(
        f"a second entry on one line: '{second}'", span, "write each entry on a separate line", fixes=fixes
    )


def needs_from(key: str, span: Span) -> PdeError:
    return FROM_OR_IN.error(f"'{key}' needs 'from SPEC'", span, "as in: transfer pgd(eps=0.1) from resnet")


def takes_no_from(key: str, span: Span, source: Span) -> PdeError:
    hint = "remove 'from …'"
    return FROM_OR_IN.error(f"'{key}' takes no 'from SPEC'", span, hint, fixes=without(source, hint))


def needs_interval(key: str, span: Span) -> PdeError:
    return FROM_OR_IN.error(f"'{key}' needs 'in [a, b]'", span, "as in: constrain K in [-1, 1]")


def takes_no_interval(key: str, span: Span, interval: Span) -> PdeError:
    hint = "remove 'in …'"
    return FROM_OR_IN.error(f"'{key}' takes no 'in [a, b]'", span, hint, fixes=without(interval, hint))


def only_operators(span: Span) -> PdeError:
    hint = "as in: constrain K in [-1, 1]"
    return CONSTRAINED.error("only a learned operator can be constrained", span, hint)


def not_an_operator(name: str, span: Span) -> PdeError:
    return CONSTRAINED.error(f"'{name}' is not a learned operator", span)


# ---- Methods and blocks


def realized_twice(part: str, span: Span) -> PdeError:
    return REALIZED_TWICE.error(f"{part} is realized twice", span, ONE, fixes=without(span))


def second_block(kind: str, span: Span) -> PdeError:
    return SECOND_BLOCK.error(f"a second '{kind}' block", span, "merge the two blocks")


def frame_without_pixels(span: Span) -> PdeError:
    hint = "remove it, or use space x in pixels"
    return FRAME.error("a 'network' block needs an equation on pixels", span, hint, fixes=without(span))
