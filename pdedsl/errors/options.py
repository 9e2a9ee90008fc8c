"""E5xx: built-in networks, methods, data sets and axioms, their arguments, and the blocks."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import Edit, Fix, insert, remove, replace_by, replace_word
from pdedsl.errors.base import KEEP_ONE, Code, count_noun, did_you_mean, join_comma, join_or, with_article

EXPECTED_BUILTIN = Code("E501", "expected a built-in")
UNKNOWN_BUILTIN = Code("E502", "unknown network, method, data set, axiom or other built-in")
MISSING_ARGUMENT = Code("E503", "missing argument")
TOO_MANY_ARGUMENTS = Code("E504", "too many arguments")
UNKNOWN_ARGUMENT = Code("E505", "unknown argument")
DUPLICATE_ARGUMENT = Code("E506", "repeated argument")
INVALID_VALUE = Code("E507", "invalid value of an argument or entry")
MISSING_ENTRY = Code("E508", "missing entry of a block")
EPOCHS_AND_STEPS = Code("E509", "`epochs` and `steps` are mutually exclusive")
UNKNOWN_ENTRY = Code("E510", "unknown entry of a block")
DUPLICATE_ENTRY = Code("E511", "repeated entry")
VALUE_COUNT = Code("E512", "wrong number of values of an entry")
FROM_OR_IN = Code("E513", "`from` or `in` is missing or not allowed")
NOT_CONSTRAINABLE = Code("E514", "only learned operators can be constrained")
DUPLICATE_METHOD = Code("E515", "a part of the equation is realized twice")
DUPLICATE_BLOCK = Code("E516", "repeated block")
NETWORK_BLOCK = Code("E517", "a `network` block needs `space x in pixels`")
SWEEP = Code("E518", "invalid values of a `sweep` block")


ENTRY_HINTS = {
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

NOISE_HINT = "the noise level is that of the diffusion term, as in ½σ²Δu"
FOLDER_HINT = "remove it: data are downloaded, or read from the folder of the option --data"
ARGUMENT_HINTS = {
    "sigma": NOISE_HINT,
    "σ": NOISE_HINT,
    "root": FOLDER_HINT,
    "path": FOLDER_HINT,
    "download": FOLDER_HINT,
}
"""Hints for arguments of other programs."""
LIST_HINTS = {"width": "all hidden layers have the same width; 'depth' is their number, as in: width=64, depth=4"}
"""Hints for arguments that are lists in other programs."""


ENTRY_KINDS = {
    "data": "data set",
    "adversary": "attack",
    "transfer": "attack",
    "augment": "augmentation",
    "regularize": "regularizer",
    "average": "average of the weights",
    "perturb": "perturbation of the weights",
    "select": "selection",
    "certify": "certificate",
    "corrupt": "corruption",
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


def expected_builtin(kind: str, available: Sequence[str], file: bool, span: Span) -> PdeError:
    """`kind` is the expected built-in: "network", "optimizer"; `file` if a file name was found."""
    own = 'for a file write npz("data.npz"); ' if file else ""
    hint = f"{own}available: {join_comma(available)}; write arguments in parentheses, and commas between several values"
    return EXPECTED_BUILTIN(f"expected {with_article(kind)}", span, hint)


def quoted_builtin(kind: str, text: str, span: Span) -> PdeError:
    """`data "moons"`."""
    hint, fixes = f"write it without quotes: {text}", replace_by([text], span)
    return EXPECTED_BUILTIN(f"expected {with_article(kind)}, found a string", span, hint, fixes=fixes)


def quoted_value(key: str, expected: str, text: str, span: Span) -> PdeError:
    """`eps="8/255"`."""
    hint, fixes = f"write it without quotes: {text}", replace_by([text], span)
    return INVALID_VALUE(f"{key} must be {expected}", span, hint, fixes=fixes)


def unknown_builtin(
    name: str,
    kind: str,
    available: Sequence[str],
    guess: str | None,
    span: Span,
    call: str | None = None,
    call_span: Span | None = None,
) -> PdeError:
    """`call` is the call with its arguments in our notation, in place of the text at `call_span`."""
    hint = did_you_mean(guess, f"available: {join_comma(available)}")
    only = available[0] if len(available) == 1 else None
    fixes = replace_by([call], call_span) if call else replace_word(name, guess or only, span)
    return UNKNOWN_BUILTIN(f"unknown {kind} '{name}'", span, hint, fixes=fixes)


def expected_entry_value(key: str, available: Sequence[str], span: Span) -> PdeError:
    fixes = replace_by(available, span)
    return UNKNOWN_BUILTIN(
        f"expected {with_article(entry_kind(key))}", span, f"available: {join_comma(available)}", fixes=fixes
    )


def method_of_other_part(
    method: str, part: str, realizes: Sequence[str], methods: Sequence[str], span: Span, where: Span
) -> PdeError:
    """`where` is the span of the part."""
    hint = f"{method} is available for {join_or(realizes)}; available for {part}: {join_comma(methods)}"
    fixes = replace_by(realizes, where)
    return UNKNOWN_BUILTIN(f"'{method}' is not {with_article(method_kind(part))}", span, hint, fixes=fixes)


def missing_argument(name: str, key: str, keys: Sequence[str], expected: str, span: Span) -> PdeError:
    """`keys` are all arguments in order, if some are positional."""
    hint = f"arguments: {join_comma(keys)}" if keys else f"add {key}=…"
    return MISSING_ARGUMENT(f"'{name}' is missing the argument {key}: {expected}", span, hint)


def too_many_arguments(name: str, limit: int, found: int, span: Span) -> PdeError:
    takes = f"at most {count_noun(limit, 'argument')}" if limit else "no arguments"
    return TOO_MANY_ARGUMENTS(f"'{name}' takes {takes}, found {found}", span)


def unknown_argument(
    name: str, key: str, keys: Sequence[str], guess: str | None, span: Span, call: str | None, call_span: Span
) -> PdeError:
    """`call` is the call with its arguments in our notation, in place of the text at `call_span`."""
    hint = f"arguments: {join_comma(keys)}" if keys else "it takes no arguments"
    hint, fixes = ARGUMENT_HINTS.get(key, hint), replace_word(key, guess, span)
    fixes = replace_by([call], call_span) if call else fixes
    return UNKNOWN_ARGUMENT(f"'{name}' has no argument '{key}'", span, did_you_mean(guess, hint), fixes=fixes)


def duplicate_argument(key: str, span: Span, full_span: Span) -> PdeError:
    """`full_span` is the span of name and value."""
    return DUPLICATE_ARGUMENT(f"repeated argument '{key}'", span, KEEP_ONE, fixes=remove(full_span, item=True))


def empty_list(key: str, expected: str, span: Span) -> PdeError:
    return INVALID_VALUE(f"{key} must not be an empty list", span, f"expected {expected}")


def invalid_value(key: str, expected: str, span: Span, guess: str | None = None) -> PdeError:
    return INVALID_VALUE(f"{key} must be {expected}", span, did_you_mean(guess), fixes=replace_word("", guess, span))


def unexpected_list(key: str, expected: str, span: Span) -> PdeError:
    """`mlp([2, 32, 32, 2])`."""
    return INVALID_VALUE(
        f"{key} must be {expected}", span, LIST_HINTS.get(key, "write a single value instead of a list")
    )


def positional_argument(key: str, expected: str, other: str, only_there: bool, span: Span) -> PdeError:
    """`pgd(8/255)`: the first positional argument is `key`; `only_there` if it is the only positional one."""
    hint = f"write {other}=…: the first positional argument is {key}"
    fixes = insert(span.start, f"{other}=") if only_there else ()
    return INVALID_VALUE(f"{key} must be {expected}", span, hint, fixes=fixes)


def value_too_large(key: str, limit: int, span: Span) -> PdeError:
    """A value that would exhaust memory or time."""
    return INVALID_VALUE(f"{key} must be at most {limit:,}", span)


def list_too_long(key: str, limit: int, span: Span) -> PdeError:
    return INVALID_VALUE(f"{key} must have at most {limit:,} values", span)


# ---- Entries of blocks


def missing_entry(block: str, key: str, span: Span) -> PdeError:
    return MISSING_ENTRY(f"the '{block}' block has no entry '{key}'", span, f"add {key} …")


def epochs_and_steps(span: Span, entry: Span) -> PdeError:
    """`entry` is the span of the second entry."""
    return EPOCHS_AND_STEPS("epochs and steps are mutually exclusive", span, KEEP_ONE, fixes=remove(entry))


def unknown_entry(block: str, key: str, entries: Sequence[str], guess: str | None, span: Span) -> PdeError:
    hint = did_you_mean(guess, ENTRY_HINTS.get(key, f"available: {join_comma(entries)}"))
    return UNKNOWN_ENTRY(f"unknown entry '{key}' in '{block}'", span, hint, fixes=replace_word(key, guess, span))


def duplicate_entry(key: str, span: Span, first: Span, entry: Span) -> PdeError:
    """`entry` is the span of the second entry."""
    notes = ((first, "first given here"),)
    return DUPLICATE_ENTRY(f"repeated entry '{key}'", span, KEEP_ONE, notes, fixes=remove(entry))


def value_count(key: str, limit: int, found: int, span: Span) -> PdeError:
    takes = ("no value", "one value")[limit] if limit < 2 else f"1 to {limit} values"
    return VALUE_COUNT(
        f"'{key}' takes {takes}", span, "write each entry on a separate line" if found > limit > 0 else ""
    )


def joined_entries(second: str, span: Span) -> PdeError:
    """`batch 128 epochs 10`."""
    fixes = (Fix("start a new line", (Edit(Span(span.start, span.start), "\n  "),)),)
    return VALUE_COUNT(
        f"a second entry on one line: '{second}'", span, "write each entry on a separate line", fixes=fixes
    )


needs_from = FROM_OR_IN.of("'{key}' needs 'from SPEC'", "as in: transfer pgd(eps=0.1) from resnet")


def takes_no_from(key: str, span: Span, source: Span) -> PdeError:
    hint = "remove 'from …'"
    return FROM_OR_IN(f"'{key}' takes no 'from SPEC'", span, hint, fixes=remove(source, hint))


needs_interval = FROM_OR_IN.of("'{key}' needs 'in [a, b]'", "as in: constrain K in [-1, 1]")


def takes_no_interval(key: str, span: Span, interval: Span) -> PdeError:
    hint = "remove 'in …'"
    return FROM_OR_IN(f"'{key}' takes no 'in [a, b]'", span, hint, fixes=remove(interval, hint))


only_operators = NOT_CONSTRAINABLE.at("only a learned operator can be constrained", "as in: constrain K in [-1, 1]")
not_an_operator = NOT_CONSTRAINABLE.of("'{name}' is not a learned operator")


# ---- Sweeps


def sweep_without_values(path: str, span: Span) -> PdeError:
    hint = f"write a list or a range: {path} in [0.1, 0.2], {path} in 0..4"
    return SWEEP(f"'{path}' has no values", span, hint)


logarithm_of_range = SWEEP.at("a logarithmic range must begin above 0", "remove ', log', or begin above 0")


def sweep_value(path: str, value: str, message: str, hint: str, span: Span) -> PdeError:
    """A value that is not a valid setting; `message` and `hint` are those of the changed spec."""
    return SWEEP(f"with {path}={value}: {message}", span, hint)


# ---- Methods and blocks


duplicate_method = DUPLICATE_METHOD.of("{part} is realized twice", KEEP_ONE, fixes=remove)
duplicate_block = DUPLICATE_BLOCK.of("a second '{kind}' block", "merge the two blocks")
network_block_without_pixels = NETWORK_BLOCK.at(
    "a 'network' block needs an equation on pixels", "remove it, or use space x in pixels", fixes=remove
)
