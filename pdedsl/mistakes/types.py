"""E312 to E316: types, networks of fields, intervals and spaces."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.fixes import added, instead, one_of_them
from pdedsl.mistakes.code import Code
from pdedsl.mistakes.english import all_of, an, one_of, perhaps
from pdedsl.mistakes.names import COMPLEX

TYPE = Code("E312", "a type does not exist, has the wrong size, or cannot be that of an unknown")
TRAIT = Code("E313", "a type has no such property or bound")
NETWORK = Code("E314", "a learned field has no network, or one that does not fit its type")
INTERVAL = Code("E315", "an interval is expected, or is empty")
SPACE = Code("E316", "a space or its dimension is not one that the language knows")
CHANNELS = Code("W316", "the last size of an image looks like its channels, which come first")

OTHER_TYPES = {"complex": COMPLEX}
SPACES = ("R^2", "R^d", "image(c, h, w)", "pixels", "[a, b]", "[a, b]^2 periodic", "[-1, 1]^2 where x² + y² < 1")
FORMS = f"spaces: {', '.join(SPACES)}"


# ---- types


def not_a_type(name: str | None, types: Sequence[str], guess: str | None, span: Span) -> PdeError:
    """`name` is None where no name stands."""
    shown = f"'{name}'" if name is not None else "this"
    hint = OTHER_TYPES.get(name or "") or perhaps(guess, f"types: {all_of(types)}; sizes as in vector(2), simplex(10)")
    return TYPE.error(f"{shown} is not a type", span, hint, fixes=instead(name or "", guess, span))


def not_for_unknowns(kind: str, span: Span) -> PdeError:
    hint = "unknowns are scalar, vector(n), simplex(k) or channels"
    return TYPE.error(f"an unknown cannot be {an(kind)}", span, hint)


def wrong_size(kind: str, takes_size: bool, example: str, span: Span) -> PdeError:
    message = f"'{kind}' takes {'one size' if takes_size else 'no size'}"
    return TYPE.error(message, span, f"as in {example}", fixes=() if takes_size else one_of_them([example], span))


def size_out_of_range(least: int, most: int, span: Span) -> PdeError:
    return TYPE.error(f"a size must be a whole number from {least} to {most:,}", span)


def not_comparable(kind: str, span: Span) -> PdeError:
    return TRAIT.error(f"{an(kind)} cannot be compared with a number", span)


def bound_of_scalar(span: Span) -> PdeError:
    return TRAIT.error("the only bounds of a scalar are > 0 and ≥ 0", span)


def norm_of_another(name: str, owner: str, span: Span) -> PdeError:
    fixes = instead(name, owner, span)
    return TRAIT.error(f"the type of '{owner}' bounds the norm of '{name}'", span, f"write ‖{owner}‖ ≤ …", fixes=fixes)


def bound_not_positive(span: Span) -> PdeError:
    return TRAIT.error("a bound on a norm must be positive", span)


def unknown_trait(kind: str, traits: Sequence[str], span: Span) -> PdeError:
    """`traits` are the ones that there are; those that are words can be written as they are."""
    hint = f"{an(kind)} can be {one_of(traits)}" if traits else ""
    fixes = one_of_them([*filter(str.isidentifier, traits)], span)
    return TRAIT.error(f"{an(kind)} has no such property", span, hint, fixes=fixes)


def no_network(name: str, example: str, span: Span) -> PdeError:
    fixes = added(span.end, f" = {example}")
    return NETWORK.error(f"'{name}' has no network", span, f"add = {example}", fixes=fixes)


def network_of_other_type(network: str, kind: str, wanted: str, first: str, span: Span) -> PdeError:
    """`first` is one of those that are wanted, as it may be written."""
    fixes = one_of_them([first], span)
    return NETWORK.error(f"{network} is not a network for {an(kind)}", span, f"use {wanted}", fixes=fixes)


def start_of_scalar(kind: str, span: Span) -> PdeError:
    return NETWORK.error(f"a number cannot be the start of {an(kind)}", span, "only a scalar starts from a number")


def start_not_positive(sign: str, span: Span) -> PdeError:
    return NETWORK.error(f"the start of a scalar {sign} 0 must be positive", span, "as in: learn ν : scalar > 0 = 0.1")


# ---- intervals and spaces


def not_an_interval(span: Span) -> PdeError:
    return INTERVAL.error("expected an interval", span, "as in [0, 1]")


def empty_interval(start: str, end: str, span: Span) -> PdeError:
    fixes = one_of_them([f"[{end}, {start}]"], span) if start != end else ()
    hint = "its start must come before its end"
    return INTERVAL.error(f"the interval [{start}, {end}] is empty", span, hint, fixes=fixes)


def not_a_space(span: Span) -> PdeError:
    return SPACE.error("this is not a space", span, FORMS)


def channels_last(shape: tuple[int, int, int], span: Span) -> Diagnostic:
    """`image(32, 32, 3)`."""
    height, width, channels = shape
    right = f"image({channels}, {height}, {width})"
    message = f"this image has {height} channels, and {width} × {channels} pixels"
    return CHANNELS.warning(message, span, f"channels come first: write {right}", fixes=one_of_them([right], span))


def periodic_interval(span: Span) -> PdeError:
    return SPACE.error("only an interval can be periodic", span, "as in [0, 1] periodic")


def product_of_intervals(span: Span) -> PdeError:
    return SPACE.error("only intervals can be multiplied", span, FORMS)


def dimension_not_a_number(span: Span) -> PdeError:
    return SPACE.error("the dimension of a domain must be a number", span, "as in [0, 1]^2")


def many_dimensions(most: int, span: Span) -> PdeError:
    return SPACE.error(f"this domain has more than {most:,} dimensions", span, "use R^d")


def not_a_dimension(span: Span) -> PdeError:
    return SPACE.error("a dimension must be a whole number, at least 1", span)
