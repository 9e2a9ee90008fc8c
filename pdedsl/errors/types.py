"""E301 to E316: shapes, types, values and spaces. `found` describes a value: "vector of size 2"."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.diagnostics.fixes import Edit, Fix, added, instead, one_of_them, times, without, without_term
from pdedsl.errors.base import Code, all_of, an, counted, perhaps, this_is
from pdedsl.errors.names import COMPLEX

# ---- Shapes


SUMMANDS = Code("E301", "the terms of a sum, or the sides of an equation, have different shapes")
SHAPE = Code("E302", "shape mismatch")
NONLINEAR = Code("E303", "product or power of class probabilities")
NOT_A_VALUE = Code("E304", "a function or operator is used as a value, or a value as a function")
TEXT = Code("E305", "a string in a mathematical expression")
NAMED = Code("E306", "named argument of a mathematical function")
ARITY = Code("E307", "wrong number of arguments")
NO_VALUE = Code("E308", "an expression is undefined or not real")
INDEX = Code("E309", "empty list, or component index out of range")
VARIABLE = Code("E310", "derivative with respect to something other than a coordinate or the time")
CONSTANT = Code("E311", "expected a constant number")


# ---- sums and products

LINE = {"vector of size 1": "in one dimension write ∂u/∂x for ∇u and ∇·u"}
BIAS = "a linear operator already includes a bias: remove this term"


def terms_differ(found: str, other: str, added: bool, scores: bool, span: Span, first: Span) -> PdeError:
    """Two terms of a sum (`added`), or of the two sides of an equation; `other`, which may be `scores`, came first."""
    verb = "cannot be added to" if added else "cannot equal"
    hint = BIAS if added and scores else LINE.get(found) or LINE.get(other, "")
    notes, fixes = ((first, this_is(other)),), without_term(span) if added and scores else ()
    return SUMMANDS.error(f"{an(found)} {verb} {an(other)}", span, hint, notes=notes, fixes=fixes)


def scores_alone(found: str, other: str, span: Span, first: Span) -> PdeError:
    """`u(x, 1) = W x` for class probabilities u."""
    softmax = Fix(
        "apply softmax", (Edit(Span(span.start, span.start), "softmax("), Edit(Span(span.end, span.end), ")"))
    )
    hint, notes = "apply softmax to obtain probabilities, as in softmax(W x)", ((first, this_is(other)),)
    return SUMMANDS.error(f"{an(found)} cannot equal {an(other)}", span, hint, notes=notes, fixes=(softmax,))


def bias(name: str, span: Span) -> PdeError:
    """`W x + b`, where nothing is called b."""
    message = f"'{name}' cannot be added to logits of a linear operator"
    return SUMMANDS.error(message, span, BIAS, fixes=without_term(span))


def no_product(left: str, right: str, vectors: bool, span: Span, between: Span | None = None) -> PdeError:
    """`between` is the space between two vectors, where it is known."""
    hint = "use · for the dot product, as in v·w" if vectors else "use A:B to contract matrices"
    fixes = (Fix("insert ·", (Edit(between, "·"),)),) if between else ()
    return SHAPE.error(f"cannot multiply {an(left)} by {an(right)}", span, hint, fixes=fixes)


def cannot_be_multiplied(left: str, right: str, span: Span) -> PdeError:
    return NOT_A_VALUE.error(f"cannot multiply {an(left)} by {an(right)}", span, "add parentheses")


def sizes_differ(left: str, right: str, span: Span) -> PdeError:
    return SHAPE.error(f"size mismatch: {an(left)} and {an(right)}", span)


def contracts_matrices(left: str, right: str, span: Span) -> PdeError:
    return SHAPE.error(f"':' needs two matrices, found {an(left)} and {an(right)}", span)


def product_of_kinds(left: str, right: str, span: Span) -> PdeError:
    hint = "equations must be linear in class probabilities; for a nonlinear one declare the unknown as scalar"
    return NONLINEAR.error(f"cannot multiply {left} by {right}", span, hint)


def power_of_kind(found: str, span: Span) -> PdeError:
    return NONLINEAR.error(f"cannot raise {found} to a power", span)


def no_power(found: str, is_vector: bool, span: Span) -> PdeError:
    bars = Edit(Span(span.start, span.start), "‖"), Edit(Span(span.end - 1, span.end), "‖²", "²")
    hint, fixes = ("write ‖v‖² for v·v", (Fix("write ‖…‖²", bars),)) if is_vector else ("", ())
    return SHAPE.error(f"cannot raise {an(found)} to a power", span, hint, fixes=fixes)


def division_by(found: str, span: Span) -> PdeError:
    return SHAPE.error(f"cannot divide by {an(found)}", span)


def division_by_zero(span: Span) -> PdeError:
    return NO_VALUE.error("division by zero", span)


def no_real_value(span: Span) -> PdeError:
    return NO_VALUE.error(
        "this expression has no real value", span, "check for a division by zero or a root of a negative number"
    )


def no_real_root(name: str, span: Span) -> PdeError:
    """`const σ² = -1`."""
    return NO_VALUE.error(f"'{name}' is not a real number: its square is negative", span)


# ---- lists and components


def empty_list(span: Span) -> PdeError:
    return INDEX.error("empty list", span)


def no_square_matrix(sizes: Sequence[int | None], span: Span) -> PdeError:
    shown = " and ".join(sorted({str(s) for s in sizes}))
    return SHAPE.error(f"a matrix must be square, found {len(sizes)} rows of size {shown}", span)


def not_a_list(span: Span) -> PdeError:
    return SHAPE.error("a list must contain numbers or the rows of a matrix", span)


def operator_components(span: Span, bracket: int) -> PdeError:
    hint = "insert a space before the bracket to apply the operator"
    fixes = (Fix("insert a space before the bracket", (Edit(Span(bracket, bracket), " "),)),)
    return NOT_A_VALUE.error("cannot take a component of an operator", span, hint, fixes=fixes)


def no_component(found: str, span: Span) -> PdeError:
    hint = "write arguments in parentheses, as in sin(x)" if found == "function" else ""
    return SHAPE.error(f"{an(found)} has no such component", span, hint)


def too_few_indices(found: str, rank: int, span: Span) -> PdeError:
    return SHAPE.error(f"{an(found)} needs {rank} indices", span)


def out_of_range(index: str, size: int | None, span: Span) -> PdeError:
    of = f" for size {size}" if size is not None else ""
    return INDEX.error(f"component index {index} out of range{of}", span, "indices start at 1")


def not_an_index(span: Span) -> PdeError:
    return INDEX.error("an index must be an integer or the index of a sum", span)


# ---- functions and operators


def wrong_number(word: str, wanted: str, found: int, span: Span) -> PdeError:
    """A built-in function with too many or too few arguments."""
    return ARITY.error(f"'{word}' takes {wanted}, found {found}", span)


def wrong_arguments(name: str, params: Sequence[str], found: int, timed: bool, span: Span) -> PdeError:
    """A declared function with too many or too few arguments; a single one may be a factor or, if `timed`, an initial
    condition, where the last argument is the time."""
    start = f"; the initial value is {name}({all_of(params[:-1])}, 0)" if timed else ""
    product = f"{start}; write {name}*(…) for a product" if found == 1 else ""
    hint = f"declared as {name}({all_of(params)}){product}"
    message = f"'{name}' takes {counted(len(params), 'argument')}, found {found}"
    return ARITY.error(message, span, hint, fixes=times(name, span) if found == 1 else ())


def softmax_of_scores(found: str | None, span: Span) -> PdeError:
    """`found` is None unless there is exactly one argument."""
    if found is None:
        return ARITY.error("'softmax' takes one vector of logits", span, "as in softmax(W x)")
    return SHAPE.error(f"'softmax' takes a vector of logits, found {an(found)}", span, "as in softmax(W x)")


def function_of(word: str, found: str, span: Span) -> PdeError:
    """`sin(K)`: the argument is a function or operator."""
    return NOT_A_VALUE.error(f"cannot apply '{word}' to {an(found)}", span)


def takes_numbers(word: str, found: str, span: Span) -> PdeError:
    hint = "class probabilities are written softmax(W x)" if found.startswith("logits") else ""
    return SHAPE.error(f"'{word}' takes scalars, found {an(found)}", span, hint)


def takes_feature_map(word: str, span: Span) -> PdeError:
    return SHAPE.error(f"'{word}' takes one feature map", span)


def argument_not_a_value(param: str, found: str, span: Span) -> PdeError:
    return NOT_A_VALUE.error(f"'{param}' cannot be {an(found)}", span)


def argument_shape(param: str, wanted: str, found: str, span: Span) -> PdeError:
    return SHAPE.error(f"'{param}' must be {an(wanted)}, found {an(found)}", span)


def named_argument(word: str, span: Span, value: Span) -> PdeError:
    hint, fixes = (
        "pass the values by position",
        without(Span(span.start, value.start), "remove the name"),
    )
    return NAMED.error(f"'{word}' takes no named arguments", span, hint, fixes=fixes)


def operator_acts_on(found: str, span: Span) -> PdeError:
    return SHAPE.error(f"cannot apply an operator to {an(found)}; expected a vector or a feature map", span)


def not_a_function(name: str, found: str, span: Span) -> PdeError:
    hint = f"write {name}*(…) for a product"
    return NOT_A_VALUE.error(f"'{name}' is {an(found)}, not a function", span, hint, fixes=times(name, span))


def wrong_call(name: str, found: str, span: Span) -> PdeError:
    return NOT_A_VALUE.error(f"'{name}' is {an(found)} and cannot be called with these arguments", span)


def cannot_be_called(span: Span) -> PdeError:
    return NOT_A_VALUE.error("this is not a function", span, "write * for a product")


def not_a_value(found: str, is_operator: bool, span: Span) -> PdeError:
    hint = "write its operand after it" if is_operator else "write its arguments in parentheses"
    return NOT_A_VALUE.error(f"{an(found)} cannot be used as a value", span, hint)


def wrong_rank(wanted: str, found: str, span: Span) -> PdeError:
    return SHAPE.error(f"expected {an(wanted)}, found {an(found)}", span)


def text_in_expression(span: Span) -> PdeError:
    return TEXT.error("a string is not a mathematical expression", span)


def not_constant(span: Span) -> PdeError:
    return CONSTANT.error("expected a constant number", span, "use only numbers and constants")


def power_of_tensor_constant(span: Span) -> PdeError:
    hint = "declare the constant without an exponent"
    return SHAPE.error("the square of a vector or matrix cannot define a constant", span, hint)


# ---- derivatives


def no_adjoint(found: str, span: Span) -> PdeError:
    return SHAPE.error(f"cannot take the adjoint of {an(found)}", span, "only operators and matrices have an adjoint")


def no_derivative(found: str, span: Span) -> PdeError:
    return NOT_A_VALUE.error(f"cannot differentiate {an(found)}", span)


def no_gradient(found: str, span: Span) -> PdeError:
    return SHAPE.error(f"cannot take the gradient of {an(found)}", span)


def no_divergence(found: str, span: Span) -> PdeError:
    return SHAPE.error(f"cannot take the divergence of {an(found)}", span, "∇· needs a vector, as in ∇·(κ∇u)")


def divergence_of_other_size(found: str, dimension: int | None, span: Span) -> PdeError:
    return SHAPE.error(f"cannot take the divergence of {an(found)} in dimension {dimension}", span)


def coordinates_not_written_out(found: str, span: Span) -> PdeError:
    message = f"cannot differentiate {an(found)} componentwise in a space of this dimension"
    return SHAPE.error(message, span, "use a low-dimensional space such as R^2")


def several_components(name: str, span: Span) -> PdeError:
    hint, fixes = f"write ∂/∂{name}₁ or ∇", instead(name, f"{name}₁", span)
    return SHAPE.error(f"'{name}' is a vector: a derivative needs one component", span, hint, fixes=fixes)


def not_a_variable(name: str, span: Span) -> PdeError:
    return VARIABLE.error(f"'{name}' is neither a coordinate nor the time", span)


def wrong_number_of_coordinates(found: int, dimension: object, span: Span) -> PdeError:
    return SHAPE.error(f"found {found} coordinates in a space of dimension {dimension}", span)


# ---- Types, intervals and spaces (E312 to E316)


TYPE = Code("E312", "unknown type, invalid size, or a type that is not allowed for an unknown")
TRAIT = Code("E313", "unsupported property or bound of a type")
NETWORK = Code("E314", "a learned field has no network, or a network of another type")
INTERVAL = Code("E315", "expected an interval, or the interval is empty")
SPACE = Code("E316", "invalid space or dimension")
CHANNELS = Code("W316", "image size looks like channels last; channels come first")

OTHER_TYPES = {"complex": COMPLEX}
SPACES = ("R^2", "R^d", "image(c, h, w)", "pixels", "[a, b]", "[a, b]^2 periodic", "[-1, 1]^2 where x² + y² < 1")
FORMS = f"available: {', '.join(SPACES)}"


# ---- types


def not_a_type(name: str | None, types: Sequence[str], guess: str | None, span: Span) -> PdeError:
    """`name` is None if the expression is not a name."""
    message = f"unknown type '{name}'" if name is not None else "expected a type"
    hint = OTHER_TYPES.get(name or "") or perhaps(
        guess, f"available: {all_of(types)}, with sizes as in vector(2), simplex(10)"
    )
    return TYPE.error(message, span, hint, fixes=instead(name or "", guess, span))


def not_for_unknowns(kind: str, span: Span) -> PdeError:
    hint = "available for unknowns: scalar, vector(n), simplex(k), channels"
    return TYPE.error(f"an unknown cannot be {an(kind)}", span, hint)


def wrong_size(kind: str, takes_size: bool, example: str, span: Span) -> PdeError:
    message = f"'{kind}' takes {'one size' if takes_size else 'no size'}"
    return TYPE.error(message, span, f"as in {example}", fixes=() if takes_size else one_of_them([example], span))


def size_out_of_range(least: int, most: int, span: Span) -> PdeError:
    return TYPE.error(f"the size must be an integer from {least} to {most:,}", span)


def not_comparable(kind: str, span: Span) -> PdeError:
    return TRAIT.error(f"{an(kind)} cannot be compared with a number", span)


def bound_of_scalar(span: Span) -> PdeError:
    return TRAIT.error("the bound of a scalar must be > 0 or ≥ 0", span)


def norm_of_another(name: str, owner: str, span: Span) -> PdeError:
    fixes = instead(name, owner, span)
    return TRAIT.error(
        f"the norm bound in the type of '{owner}' must be on '{owner}', found '{name}'",
        span,
        f"write ‖{owner}‖ ≤ …",
        fixes=fixes,
    )


def bound_not_positive(span: Span) -> PdeError:
    return TRAIT.error("a bound on a norm must be positive", span)


def unknown_trait(kind: str, traits: Sequence[str], span: Span) -> PdeError:
    """`traits` are the available ones; identifiers can be inserted as they are."""
    hint = f"available for {an(kind)}: {all_of(traits)}" if traits else ""
    fixes = one_of_them([*filter(str.isidentifier, traits)], span)
    return TRAIT.error(f"unsupported property of {an(kind)}", span, hint, fixes=fixes)


def no_network(name: str, example: str, span: Span) -> PdeError:
    fixes = added(span.end, f" = {example}")
    return NETWORK.error(f"'{name}' has no network", span, f"add = {example}", fixes=fixes)


def network_of_other_type(network: str, kind: str, wanted: str, first: str, span: Span) -> PdeError:
    """`first` is a suitable network, ready to insert."""
    fixes = one_of_them([first], span)
    return NETWORK.error(f"{network} cannot represent {an(kind)}", span, f"use {wanted}", fixes=fixes)


def start_of_scalar(kind: str, span: Span) -> PdeError:
    return NETWORK.error(
        f"a number cannot be the initial value of {an(kind)}", span, "only a learned scalar has an initial value"
    )


def start_not_positive(sign: str, span: Span) -> PdeError:
    return NETWORK.error(
        f"the initial value of a scalar {sign} 0 must be positive", span, "as in: learn ν : scalar > 0 = 0.1"
    )


# ---- intervals and spaces


def not_an_interval(span: Span) -> PdeError:
    return INTERVAL.error("expected an interval", span, "as in [0, 1]")


def empty_interval(start: str, end: str, span: Span) -> PdeError:
    fixes = one_of_them([f"[{end}, {start}]"], span) if start != end else ()
    hint = "the left endpoint must be below the right endpoint"
    return INTERVAL.error(f"the interval [{start}, {end}] is empty", span, hint, fixes=fixes)


def not_a_space(span: Span) -> PdeError:
    return SPACE.error("expected a space", span, FORMS)


def channels_last(shape: tuple[int, int, int], span: Span) -> Diagnostic:
    """`image(32, 32, 3)`."""
    height, width, channels = shape
    channels_first = f"image({channels}, {height}, {width})"
    message = f"this image has {height} channels and {width} × {channels} pixels"
    return CHANNELS.warning(
        message, span, f"channels come first: write {channels_first}", fixes=one_of_them([channels_first], span)
    )


def periodic_interval(span: Span) -> PdeError:
    return SPACE.error("only an interval can be periodic", span, "as in [0, 1] periodic")


def product_of_intervals(span: Span) -> PdeError:
    return SPACE.error("a product of spaces must be a product of intervals", span, FORMS)


def dimension_not_a_number(span: Span) -> PdeError:
    return SPACE.error("the dimension of a domain must be an integer", span, "as in [0, 1]^2")


def many_dimensions(most: int, span: Span) -> PdeError:
    return SPACE.error(f"this domain has more than {most:,} dimensions", span, "use R^d")


def not_a_dimension(span: Span) -> PdeError:
    return SPACE.error("the dimension must be an integer, at least 1", span)
