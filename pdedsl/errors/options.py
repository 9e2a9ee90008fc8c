"""E5xx: networks, realizations, axioms and blocks, and the arguments of their words."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import Edit, Fix, added, instead, one_of_them, without
from pdedsl.errors.base import ONE, Code, all_of, counted, one_of, perhaps

NO_CALL = Code("E501", "a word of the language is needed, and something else is given")
UNKNOWN = Code("E502", "a network, method, data set, axiom or other word does not exist")
MISSING = Code("E503", "an argument that must be given is missing")
TOO_MANY = Code("E504", "a word is given too many arguments")
NO_ARGUMENT = Code("E505", "a word has no argument of this name")
ARGUMENT_TWICE = Code("E506", "an argument is given twice")
VALUE = Code("E507", "the value of an argument or entry is of the wrong kind or size")
NO_ENTRY = Code("E508", "an entry that a block must have is missing")
EPOCHS_AND_STEPS = Code("E509", "both `epochs` and `steps` are given")
ENTRY = Code("E510", "a block has no entry of this name")
ENTRY_TWICE = Code("E511", "an entry is given twice")
NUMBER_OF_VALUES = Code("E512", "an entry is given too many or too few values")
FROM_OR_IN = Code("E513", "`from` or `in` is missing, or is used where it does not belong")
CONSTRAINED = Code("E514", "something other than a learned operator is constrained")
REALIZED_TWICE = Code("E515", "a part of the equation is realized twice")
SECOND_BLOCK = Code("E516", "a block is given twice")
FRAME = Code("E517", "a spec that is not on pixels has a `network` block")


ELSEWHERE = {
    "lr": "it is an argument of the optimizer, as in: optimizer sgd(lr=0.1)",
    "learning_rate": "it is an argument of the optimizer, as in: optimizer sgd(lr=0.1)",
    "momentum": "it is an argument of the optimizer, as in: optimizer sgd(lr=0.1, momentum=0.9)",
    "weight_decay": "it is an argument of the optimizer, as in: optimizer sgd(lr=0.1, weight_decay=5e-4)",
    "eps": "it is an argument of an attack, as in: attack pgd(eps=8/255)",
    "shuffle": "leave it out: samples are always shuffled",
    "early_stopping": "leave it out: the weights are those of the last step",
    "device": "it is an option of the command: --device cuda",
}
"""Where an entry stands that a block does not have."""

NOISE = "the noise is that of the equation, as in ½σ²Δu"
FOLDER = "leave it out: data are downloaded, or read from the folder that the option --data names"
OF_OTHERS = {"sigma": NOISE, "σ": NOISE, "root": FOLDER, "path": FOLDER, "download": FOLDER}
"""Arguments that other programs have."""
LISTED = {"width": "all hidden layers have the same width, and there are 'depth' of them, as in: width=64, depth=4"}
"""What is given as a list elsewhere, and here as a number."""


# ---- words and their arguments


def not_a_word(what: str, known: Sequence[str], file: bool, span: Span) -> PdeError:
    """`what` is wanted: "a network", "an optimizer"; `file` if the name of a file stands in its place."""
    own = 'a file of your own is npz("data.npz"); ' if file else ""
    hint = f"{own}known here: {all_of(known)}; put arguments in brackets, and commas between several values"
    return NO_CALL.error(f"expected {what}", span, hint)


def in_quotes(what: str, text: str, span: Span) -> PdeError:
    """`data "moons"`."""
    return NO_CALL.error(f"expected {what}", span, f"write it without quotes: {text}", fixes=one_of_them([text], span))


def value_in_quotes(key: str, wanted: str, text: str, span: Span) -> PdeError:
    """`eps="8/255"`."""
    hint, fixes = f"write it without quotes: {text}", one_of_them([text], span)
    return VALUE.error(f"{key} must be {wanted}", span, hint, fixes=fixes)


def unknown_word(word: str, what: str, known: Sequence[str], guess: str | None, span: Span) -> PdeError:
    hint, only = perhaps(guess, f"known here: {all_of(known)}"), known[0] if len(known) == 1 else None
    return UNKNOWN.error(f"'{word}' is not {what}", span, hint, fixes=instead(word, guess or only, span))


def not_a_value(key: str, known: Sequence[str], span: Span) -> PdeError:
    fixes = one_of_them(known, span)
    return UNKNOWN.error(f"this is not a value of {key}", span, f"known here: {all_of(known)}", fixes=fixes)


def other_part(
    method: str, part: str, realizes: Sequence[str], methods: Sequence[str], span: Span, where: Span
) -> PdeError:
    """`where` the part is named."""
    hint = f"{method} realizes {one_of(realizes)}; for {part}: {all_of(methods)}"
    fixes = one_of_them(realizes, where)
    return UNKNOWN.error(f"'{method}' does not realize {part}", span, hint, fixes=fixes)


def missing_argument(word: str, key: str, keys: Sequence[str], wanted: str, span: Span) -> PdeError:
    """`keys` are all of its arguments, in their order, where some are given by their places."""
    hint = f"its arguments are {all_of(keys)}" if keys else f"add {key}=…"
    return MISSING.error(f"'{word}' needs {key}: {wanted}", span, hint)


def too_many_arguments(word: str, most: int, found: int, span: Span) -> PdeError:
    takes = f"at most {counted(most, 'argument')}" if most else "no arguments"
    return TOO_MANY.error(f"'{word}' takes {takes}, found {found}", span)


def unknown_argument(word: str, key: str, keys: Sequence[str], guess: str | None, span: Span) -> PdeError:
    hint = f"its arguments: {all_of(keys)}" if keys else "it takes no arguments"
    hint, fixes = OF_OTHERS.get(key, hint), instead(key, guess, span)
    return NO_ARGUMENT.error(f"'{word}' has no argument '{key}'", span, perhaps(guess, hint), fixes=fixes)


def argument_twice(key: str, span: Span, whole: Span) -> PdeError:
    """`whole` is the name with its value."""
    return ARGUMENT_TWICE.error(f"'{key}' is given twice", span, ONE, fixes=without(whole, item=True))


def empty_list(key: str, wanted: str, span: Span) -> PdeError:
    return VALUE.error(f"{key} is an empty list", span, f"expected {wanted}")


def wrong_value(key: str, wanted: str, span: Span, guess: str | None = None) -> PdeError:
    return VALUE.error(f"{key} must be {wanted}", span, perhaps(guess), fixes=instead("", guess, span))


def list_of_values(key: str, wanted: str, span: Span) -> PdeError:
    """`mlp([2, 32, 32, 2])`."""
    return VALUE.error(f"{key} must be {wanted}", span, LISTED.get(key, "write one value instead of a list"))


def by_place(key: str, wanted: str, other: str, alone: bool, span: Span) -> PdeError:
    """`pgd(8/255)`: the first argument is another; `alone` if there are no more of them without a name."""
    hint, fixes = f"write {other}=…: without a name, this is {key}", added(span.start, f"{other}=") if alone else ()
    return VALUE.error(f"{key} must be {wanted}", span, hint, fixes=fixes)


def too_much(key: str, most: int, span: Span) -> PdeError:
    """What would take all memory, or never end."""
    return VALUE.error(f"{key} is at most {most:,}", span)


def long_list(key: str, most: int, span: Span) -> PdeError:
    return VALUE.error(f"{key} is a list of at most {most:,} values", span)


# ---- entries of blocks


def missing_entry(block: str, key: str, span: Span) -> PdeError:
    return NO_ENTRY.error(f"'{block}' has no {key}", span, f"add {key} …")


def epochs_and_steps(span: Span, entry: Span) -> PdeError:
    """`entry` is the line of the second."""
    return EPOCHS_AND_STEPS.error("both epochs and steps are given", span, ONE, fixes=without(entry))


def unknown_entry(block: str, key: str, entries: Sequence[str], guess: str | None, span: Span) -> PdeError:
    hint = perhaps(guess, ELSEWHERE.get(key, f"entries of {block}: {all_of(entries)}"))
    return ENTRY.error(f"'{block}' has no entry '{key}'", span, hint, fixes=instead(key, guess, span))


def entry_twice(key: str, span: Span, first: Span, entry: Span) -> PdeError:
    """`entry` is the line of the second."""
    notes = ((first, "first here"),)
    return ENTRY_TWICE.error(f"'{key}' is given twice", span, ONE, notes, fixes=without(entry))


def number_of_values(key: str, most: int, found: int, span: Span) -> PdeError:
    takes = ("no value", "one value")[most] if most < 2 else f"1 to {most} values"
    return NUMBER_OF_VALUES.error(
        f"'{key}' takes {takes}", span, "write each entry on a line of its own" if found > most > 0 else ""
    )


def joined_entries(second: str, span: Span) -> PdeError:
    """`batch 128 epochs 10`."""
    fixes = (Fix("start a new line", (Edit(Span(span.start, span.start), "\n  "),)),)
    return NUMBER_OF_VALUES.error(
        f"a second entry in one line: '{second}'", span, "write each entry on a line of its own", fixes=fixes
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


# ---- realizations and blocks


def realized_twice(part: str, span: Span) -> PdeError:
    return REALIZED_TWICE.error(f"{part} is realized twice", span, ONE, fixes=without(span))


def second_block(kind: str, span: Span) -> PdeError:
    return SECOND_BLOCK.error(f"a second '{kind}' block", span, "join the two")


def frame_without_pixels(span: Span) -> PdeError:
    hint = "remove it, or use space x in pixels"
    return FRAME.error("a 'network' block is for equations on pixels only", span, hint, fixes=without(span))
