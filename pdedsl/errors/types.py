"""E301 to E311: expressions whose parts do not fit together. A `found` describes a value: "vector of size 2"."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.diagnostics.fixes import Edit, Fix, added, instead, one_of_them, times, without, without_term
from pdedsl.errors.base import Code, all_of, an, counted, one_of, perhaps, this_is
from pdedsl.errors.names import COMPLEX

# ---- shapes


SUMMANDS = Code("E301", "the terms of a sum, or the sides of an equation, have different shapes")
SHAPE = Code("E302", "a value has the wrong shape for what is done with it")
NONLINEAR = Code("E303", "class probabilities are multiplied, or raised to a power")
NOT_A_VALUE = Code("E304", "a function or operator is used as a value, or the other way round")
TEXT = Code("E305", "a text in quotes is used in a mathematical expression")
NAMED = Code("E306", "a function is given an argument by name")
ARITY = Code("E307", "a function is given too many or too few arguments")
NO_VALUE = Code("E308", "an expression has no real value")
INDEX = Code("E309", "a list is empty, or has no component of this index")
VARIABLE = Code("E310", "a derivative by something that is neither a coordinate nor the time")
CONSTANT = Code("E311", "a constant number is needed, and something else is given")


# ---- sums and products

LINE = {"vector of size 1": "on an interval the slope of u is a number: write ∂u/∂x for ∇u and ∇·u"}
BIAS = "a linear operator has a bias of its own: leave this out"


def terms_differ(found: str, other: str, added: bool, scores: bool, span: Span, first: Span) -> PdeError:
    """Two terms of a sum (`added`), or of the two sides of an equation; `other`, which may be `scores`, came first."""
    verb = "cannot be added to" if added else "do not fit" if an(found) == found else "does not fit"
    hint = BIAS if added and scores else LINE.get(found) or LINE.get(other, "")
    notes, fixes = ((first, this_is(other)),), without_term(span) if added and scores else ()
    return SUMMANDS.error(f"{an(found)} {verb} {an(other)}", span, hint, notes=notes, fixes=fixes)


def scores_alone(found: str, other: str, span: Span, first: Span) -> PdeError:
    """`u(x, 1) = W x` for class probabilities u."""
    softmax = Fix(
        "write softmax(…)", (Edit(Span(span.start, span.start), "softmax("), Edit(Span(span.end, span.end), ")"))
    )
    hint, notes = "softmax makes probabilities of scores, as in softmax(W x)", ((first, this_is(other)),)
    return SUMMANDS.error(f"{an(found)} do not fit {an(other)}", span, hint, notes=notes, fixes=(softmax,))


def bias(name: str, span: Span) -> PdeError:
    """`W x + b`, where nothing is called b."""
    message = f"'{name}' cannot be added to scores of a linear operator"
    return SUMMANDS.error(message, span, BIAS, fixes=without_term(span))


def no_product(left: str, right: str, vectors: bool, span: Span, between: Span | None = None) -> PdeError:
    """`between` is what stands between two vectors, where that is known."""
    hint = "use · for the dot product, as in v·w" if vectors else "use A:B to contract matrices"
    fixes = (Fix("write ·", (Edit(between, "·"),)),) if between else ()
    return SHAPE.error(f"{an(left)} times {an(right)} is not defined", span, hint, fixes=fixes)


def cannot_be_multiplied(left: str, right: str, span: Span) -> PdeError:
    return NOT_A_VALUE.error(f"{an(left)} and {an(right)} cannot be multiplied", span, "add brackets")


def sizes_differ(left: str, right: str, span: Span) -> PdeError:
    return SHAPE.error(f"{an(left)} and {an(right)} differ in size", span)


def contracts_matrices(left: str, right: str, span: Span) -> PdeError:
    return SHAPE.error(f"':' contracts two matrices, found {an(left)} and {an(right)}", span)


def product_of_kinds(left: str, right: str, span: Span) -> PdeError:
    hint = "equations are linear in class probabilities; for a nonlinear one declare the unknown as scalar"
    return NONLINEAR.error(f"a product of {left} and {right} is not defined", span, hint)


def power_of_kind(found: str, span: Span) -> PdeError:
    return NONLINEAR.error(f"a power of {found} is not defined", span)


def no_power(found: str, is_vector: bool, span: Span) -> PdeError:
    bars = Edit(Span(span.start, span.start), "‖"), Edit(Span(span.end - 1, span.end), "‖²", "²")
    hint, fixes = ("write ‖v‖² for v·v", (Fix("write ‖…‖²", bars),)) if is_vector else ("", ())
    return SHAPE.error(f"a power of {an(found)} is not defined", span, hint, fixes=fixes)


def division_by(found: str, span: Span) -> PdeError:
    return SHAPE.error(f"division by {an(found)} is not defined", span)


def division_by_zero(span: Span) -> PdeError:
    return NO_VALUE.error("division by zero", span)


def no_real_value(span: Span) -> PdeError:
    return NO_VALUE.error("this has no real value", span, "look for a division by zero or a root of a negative number")


def no_real_root(name: str, span: Span) -> PdeError:
    """`const σ² = -1`."""
    return NO_VALUE.error(f"'{name}' would not be a real number", span)


# ---- lists and components


def empty_list(span: Span) -> PdeError:
    return INDEX.error("this list is empty", span)


def no_square_matrix(sizes: Sequence[int | None], span: Span) -> PdeError:
    shown = " and ".join(sorted({str(s) for s in sizes}))
    return SHAPE.error(f"{len(sizes)} rows of size {shown} are not a square matrix", span)


def not_a_list(span: Span) -> PdeError:
    return SHAPE.error("a list holds numbers, or the rows of a matrix", span)


def operator_components(span: Span, bracket: int) -> PdeError:
    hint = "put a space before the bracket to apply it"
    fixes = (Fix("put a space before the bracket", (Edit(Span(bracket, bracket), " "),)),)
    return NOT_A_VALUE.error("an operator has no components", span, hint, fixes=fixes)


def no_component(found: str, span: Span) -> PdeError:
    ways = {"function": "put arguments in round brackets, as in sin(x)"}
    return SHAPE.error(f"{an(found)} has no such component", span, ways.get(found, ""))


def too_few_indices(found: str, rank: int, span: Span) -> PdeError:
    return SHAPE.error(f"{an(found)} needs {rank} indices", span)


def out_of_range(index: str, size: int | None, span: Span) -> PdeError:
    of = f": the size is {size}" if size is not None else ""
    return INDEX.error(f"there is no component {index}{of}", span, "components are counted from 1")


def not_an_index(span: Span) -> PdeError:
    return INDEX.error("an index must be a whole number or the index of a sum", span)


# ---- functions and operators


def wrong_number(word: str, wanted: str, found: int, span: Span) -> PdeError:
    """A known function with too many or too few arguments."""
    return ARITY.error(f"'{word}' takes {wanted}, found {found}", span)


def wrong_arguments(name: str, params: Sequence[str], found: int, timed: bool, span: Span) -> PdeError:
    """A declared function with too many or too few arguments; with one, it may be meant as a factor, or, if `timed`,
    as the start of an unknown, whose last argument is the time."""
    start = f"; the start is written {name}({all_of(params[:-1])}, 0)" if timed else ""
    product = f"{start}; write {name}*(…) for a product" if found == 1 else ""
    hint = f"declared as {name}({all_of(params)}){product}"
    message = f"'{name}' takes {counted(len(params), 'argument')}, found {found}"
    return ARITY.error(message, span, hint, fixes=times(name, span) if found == 1 else ())


def softmax_of_scores(found: str | None, span: Span) -> PdeError:
    """`found` is None where it is no single value."""
    if found is None:
        return ARITY.error("'softmax' takes one vector of scores", span, "as in softmax(W x)")
    return SHAPE.error(f"'softmax' takes a vector of scores, found {an(found)}", span, "as in softmax(W x)")


def function_of(word: str, found: str, span: Span) -> PdeError:
    """`sin(K)`: what is no value at all."""
    return NOT_A_VALUE.error(f"'{word}' of {an(found)} is not defined", span)


def takes_numbers(word: str, found: str, span: Span) -> PdeError:
    hint = "class probabilities are written softmax(W x)" if found.startswith("scores") else ""
    return SHAPE.error(f"'{word}' takes numbers, found {an(found)}", span, hint)


def takes_feature_map(word: str, span: Span) -> PdeError:
    return SHAPE.error(f"'{word}' takes one feature map", span)


def argument_not_a_value(param: str, found: str, span: Span) -> PdeError:
    return NOT_A_VALUE.error(f"'{param}' cannot be {an(found)}", span)


def argument_shape(param: str, wanted: str, found: str, span: Span) -> PdeError:
    return SHAPE.error(f"'{param}' must be {an(wanted)}, found {an(found)}", span)


def named_argument(word: str, span: Span, value: Span) -> PdeError:
    hint, fixes = (
        "give their values alone, in their order",
        without(Span(span.start, value.start), "give its value alone"),
    )
    return NAMED.error(f"'{word}' takes no arguments by name", span, hint, fixes=fixes)


def operator_acts_on(found: str, span: Span) -> PdeError:
    return SHAPE.error(f"an operator acts on a vector or a feature map, not on {an(found)}", span)


def not_a_function(name: str, found: str, span: Span) -> PdeError:
    hint = f"write {name}*(…) for a product"
    return NOT_A_VALUE.error(f"'{name}' is {an(found)}, not a function", span, hint, fixes=times(name, span))


def wrong_call(name: str, found: str, span: Span) -> PdeError:
    return NOT_A_VALUE.error(f"'{name}' is {an(found)} and cannot be called like this", span)


def cannot_be_called(span: Span) -> PdeError:
    return NOT_A_VALUE.error("this cannot be called", span, "write * for a product")


def not_a_value(found: str, is_operator: bool, span: Span) -> PdeError:
    hint = "give it something to act on" if is_operator else "give it its arguments in brackets"
    return NOT_A_VALUE.error(f"this is {an(found)}, not a value", span, hint)


def wrong_rank(wanted: str, found: str, span: Span) -> PdeError:
    return SHAPE.error(f"expected {an(wanted)}, found {an(found)}", span)


def text_in_expression(span: Span) -> PdeError:
    return TEXT.error("a text in quotes is not a mathematical expression", span)


def not_constant(span: Span) -> PdeError:
    return CONSTANT.error("this must be a constant number", span, "use only numbers and constants")


def power_of_tensor_constant(span: Span) -> PdeError:
    hint = "declare the constant itself"
    return SHAPE.error("a vector or matrix cannot be declared by one of its powers", span, hint)


# ---- derivatives


def no_adjoint(found: str, span: Span) -> PdeError:
    return SHAPE.error(f"{an(found)} has no adjoint", span, "only operators and matrices have one")


def no_derivative(found: str, span: Span) -> PdeError:
    return NOT_A_VALUE.error(f"{an(found)} has no derivative", span)


def no_gradient(found: str, span: Span) -> PdeError:
    return SHAPE.error(f"the gradient of {an(found)} is not defined", span)


def no_divergence(found: str, span: Span) -> PdeError:
    return SHAPE.error(f"the divergence of {an(found)} is not defined", span, "∇· needs a vector, as in ∇·(κ∇u)")


def divergence_of_other_size(found: str, dimension: int | None, span: Span) -> PdeError:
    return SHAPE.error(f"the divergence of {an(found)} is not defined in dimension {dimension}", span)


def coordinates_not_written_out(found: str, span: Span) -> PdeError:
    message = f"{an(found)} has no derivatives in a space whose coordinates are not written out"
    return SHAPE.error(message, span, "use a space of few dimensions, such as R^2")


def several_components(name: str, span: Span) -> PdeError:
    hint, fixes = f"write ∂/∂{name}₁ or ∇", instead(name, f"{name}₁", span)
    return SHAPE.error(f"'{name}' has several components", span, hint, fixes=fixes)


def not_a_variable(name: str, span: Span) -> PdeError:
    return VARIABLE.error(f"'{name}' is neither a coordinate nor the time", span)


def wrong_number_of_coordinates(found: int, dimension: object, span: Span) -> PdeError:
    return SHAPE.error(f"{found} coordinates are named in a space of dimension {dimension}", span)


# ---- types
# E312 to E316: types, networks of fields, intervals and spaces.


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
