"""E301 to E319: shapes, types, values and spaces. `found` describes a value: "vector of size 2"."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.diagnostics.fixes import Edit, Fix, as_product, insert, remove, remove_term, replace_by, replace_word
from pdedsl.errors.base import Code, count_noun, did_you_mean, join_comma, join_or, this_is, with_article

TERM_MISMATCH = Code("E301", "the terms of a sum, or the sides of an equation, have different shapes")
SHAPE_MISMATCH = Code("E302", "shape mismatch")
NONLINEAR_IN_PROBABILITIES = Code("E303", "product or power of class probabilities")
NOT_A_VALUE = Code("E304", "a function or operator is used as a value, or a value as a function")
STRING_IN_EXPRESSION = Code("E305", "a string in a mathematical expression")
NAMED_ARGUMENT = Code("E306", "named argument of a mathematical function")
ARGUMENT_COUNT = Code("E307", "wrong number of arguments")
UNDEFINED = Code("E308", "an expression is undefined or not real")
INVALID_INDEX = Code("E309", "empty list, or component index out of range")
NOT_A_VARIABLE = Code("E310", "derivative with respect to something other than a coordinate or the time")
NOT_CONSTANT = Code("E311", "expected a constant number")


# ---- Sums and products

ONE_DIMENSION_HINTS = {"vector of size 1": "in one dimension write ∂u/∂x for ∇u and ∇·u"}
BIAS_HINT = "a linear operator already includes a bias: remove this term"


def term_mismatch(found: str, other: str, is_sum: bool, is_logits: bool, span: Span, first: Span) -> PdeError:
    """Two terms of a sum (`is_sum`) or of an equation; `is_logits` if `other`, the first one, is logits."""
    verb = "cannot be added to" if is_sum else "cannot equal"
    hint = BIAS_HINT if is_sum and is_logits else ONE_DIMENSION_HINTS.get(found) or ONE_DIMENSION_HINTS.get(other, "")
    notes, fixes = ((first, this_is(other)),), remove_term(span) if is_sum and is_logits else ()
    return TERM_MISMATCH(f"{with_article(found)} {verb} {with_article(other)}", span, hint, notes=notes, fixes=fixes)


def missing_softmax(found: str, other: str, span: Span, first: Span) -> PdeError:
    """`u(x, 1) = W x` for class probabilities u."""
    softmax = Fix(
        "apply softmax", (Edit(Span(span.start, span.start), "softmax("), Edit(Span(span.end, span.end), ")"))
    )
    hint, notes = "apply softmax to obtain probabilities, as in softmax(W x)", ((first, this_is(other)),)
    return TERM_MISMATCH(
        f"{with_article(found)} cannot equal {with_article(other)}", span, hint, notes=notes, fixes=(softmax,)
    )


def explicit_bias(name: str, span: Span) -> PdeError:
    """`W x + b`, where nothing is called b."""
    message = f"'{name}' cannot be added to logits of a linear operator"
    return TERM_MISMATCH(message, span, BIAS_HINT, fixes=remove_term(span))


def invalid_product(left: str, right: str, vectors: bool, span: Span, between: Span | None = None) -> PdeError:
    """`between` is the space between two vectors, where it is known."""
    hint = (
        "use · for the dot product, as in v·w, and cross(v, w) for the cross product"
        if vectors
        else "use A:B to contract matrices"
    )
    fixes = (Fix("insert ·", (Edit(between, "·"),)),) if between else ()
    return SHAPE_MISMATCH(f"cannot multiply {with_article(left)} by {with_article(right)}", span, hint, fixes=fixes)


def product_of_operators(left: str, right: str, span: Span) -> PdeError:
    return NOT_A_VALUE(f"cannot multiply {with_article(left)} by {with_article(right)}", span, "add parentheses")


def size_mismatch(left: str, right: str, span: Span) -> PdeError:
    return SHAPE_MISMATCH(f"size mismatch: {with_article(left)} and {with_article(right)}", span)


def invalid_contraction(left: str, right: str, span: Span) -> PdeError:
    return SHAPE_MISMATCH(f"':' needs two matrices, found {with_article(left)} and {with_article(right)}", span)


def product_of_probabilities(left: str, right: str, span: Span) -> PdeError:
    hint = "equations must be linear in class probabilities; for a nonlinear one declare the unknown as scalar"
    return NONLINEAR_IN_PROBABILITIES(f"cannot multiply {left} by {right}", span, hint)


power_of_probabilities = NONLINEAR_IN_PROBABILITIES.of("cannot raise {found} to a power")


def invalid_power(found: str, is_vector: bool, span: Span) -> PdeError:
    bars = Edit(Span(span.start, span.start), "‖"), Edit(Span(span.end - 1, span.end), "‖²", "²")
    hint, fixes = ("write ‖v‖² for v·v", (Fix("write ‖…‖²", bars),)) if is_vector else ("", ())
    return SHAPE_MISMATCH(f"cannot raise {with_article(found)} to a power", span, hint, fixes=fixes)


def invalid_divisor(found: str, span: Span) -> PdeError:
    return SHAPE_MISMATCH(f"cannot divide by {with_article(found)}", span)


division_by_zero = UNDEFINED.at("division by zero")
no_real_value = UNDEFINED.at(
    "this expression has no real value", "check for a division by zero or a root of a negative number"
)


# `|x| < i`, `ψ(x + i, t)`.
complex_value = UNDEFINED.of("{place} must be real", "take a real part, as in Re(z), or a modulus |z|")
# `log(ψ)`, `ψ^½`.
complex_argument = UNDEFINED.of(
    "{function} of a complex number is not supported",
    "supported: integer powers, exp, sin, cos, sinh, cosh, conj(z), Re(z), Im(z) and |z|",
)
# `const c = 1 + 2i`.
complex_constant = UNDEFINED.at("a constant must be real", "define a complex number by let, as in: let c = 1 + 2i")


# `const σ² = -1`.
no_real_root = UNDEFINED.of("'{name}' is not a real number: its square is negative")


# ---- Lists and components


empty_list = INVALID_INDEX.at("empty list")


def not_square(sizes: Sequence[int | None], span: Span) -> PdeError:
    shown = " and ".join(sorted({str(s) for s in sizes}))
    return SHAPE_MISMATCH(f"a matrix must be square, found {len(sizes)} rows of size {shown}", span)


invalid_list = SHAPE_MISMATCH.at("a list must contain numbers or the rows of a matrix")


def component_of_operator(span: Span, bracket: int) -> PdeError:
    hint = "insert a space before the bracket to apply the operator"
    fixes = (Fix("insert a space before the bracket", (Edit(Span(bracket, bracket), " "),)),)
    return NOT_A_VALUE("cannot take a component of an operator", span, hint, fixes=fixes)


def no_component(found: str, span: Span) -> PdeError:
    hint = "write arguments in parentheses, as in sin(x)" if found == "function" else ""
    return SHAPE_MISMATCH(f"{with_article(found)} has no such component", span, hint)


def too_few_indices(found: str, rank: int, span: Span) -> PdeError:
    return SHAPE_MISMATCH(f"{with_article(found)} needs {rank} indices", span)


def index_out_of_range(index: str, size: int | None, span: Span) -> PdeError:
    of = f" for size {size}" if size is not None else ""
    return INVALID_INDEX(f"component index {index} out of range{of}", span, "indices start at 1")


invalid_index = INVALID_INDEX.at("an index must be an integer or the index of a sum")


# ---- Functions and operators


def argument_count(name: str, expected: str, found: int, span: Span) -> PdeError:
    """A built-in function with too many or too few arguments."""
    return ARGUMENT_COUNT(f"'{name}' takes {expected}, found {found}", span)


def declared_argument_count(name: str, params: Sequence[str], found: int, has_time: bool, span: Span) -> PdeError:
    """A declared function with too many or too few arguments; a single one may be a factor or, if `has_time`, belong to
    an initial condition, where the last argument is the time."""
    start = f"; the initial value is {name}({join_comma(params[:-1])}, 0)" if has_time else ""
    product = f"{start}; write {name}*(…) for a product" if found == 1 else ""
    hint = f"declared as {name}({join_comma(params)}){product}"
    message = f"'{name}' takes {count_noun(len(params), 'argument')}, found {found}"
    return ARGUMENT_COUNT(message, span, hint, fixes=as_product(name, span) if found == 1 else ())


def invalid_softmax(found: str | None, span: Span) -> PdeError:
    """`found` is None unless there is exactly one argument."""
    if found is None:
        return ARGUMENT_COUNT("'softmax' takes one vector of logits", span, "as in softmax(W x)")
    return SHAPE_MISMATCH(
        f"'softmax' takes a vector of logits, found {with_article(found)}", span, "as in softmax(W x)"
    )


def invalid_function_argument(name: str, found: str, span: Span) -> PdeError:
    """`sin(K)`: the argument is a function or operator."""
    return NOT_A_VALUE(f"cannot apply '{name}' to {with_article(found)}", span)


def needs_scalars(name: str, found: str, span: Span) -> PdeError:
    hint = "class probabilities are written softmax(W x)" if found.startswith("logits") else ""
    return SHAPE_MISMATCH(f"'{name}' takes scalars, found {with_article(found)}", span, hint)


needs_feature_map = SHAPE_MISMATCH.of("'{name}' takes one feature map")


def argument_not_a_value(param: str, found: str, span: Span) -> PdeError:
    return NOT_A_VALUE(f"'{param}' cannot be {with_article(found)}", span)


def argument_shape_mismatch(param: str, expected: str, found: str, span: Span) -> PdeError:
    return SHAPE_MISMATCH(f"'{param}' must be {with_article(expected)}, found {with_article(found)}", span)


def named_argument(name: str, span: Span, value: Span) -> PdeError:
    hint = "pass the values by position"
    fixes = remove(Span(span.start, value.start), "remove the name")
    return NAMED_ARGUMENT(f"'{name}' takes no named arguments", span, hint, fixes=fixes)


def invalid_operand(found: str, span: Span) -> PdeError:
    return SHAPE_MISMATCH(
        f"cannot apply an operator to {with_article(found)}; expected a vector or a feature map", span
    )


def not_a_function(name: str, found: str, span: Span) -> PdeError:
    hint = f"write {name}*(…) for a product"
    return NOT_A_VALUE(f"'{name}' is {with_article(found)}, not a function", span, hint, fixes=as_product(name, span))


def invalid_call(name: str, found: str, span: Span) -> PdeError:
    return NOT_A_VALUE(f"'{name}' is {with_article(found)} and cannot be called with these arguments", span)


cannot_be_called = NOT_A_VALUE.at("this is not a function", "write * for a product")


def not_a_value(found: str, is_operator: bool, span: Span) -> PdeError:
    hint = "write its operand after it" if is_operator else "write its arguments in parentheses"
    return NOT_A_VALUE(f"{with_article(found)} cannot be used as a value", span, hint)


def rank_mismatch(expected: str, found: str, span: Span) -> PdeError:
    return SHAPE_MISMATCH(f"expected {with_article(expected)}, found {with_article(found)}", span)


string_in_expression = STRING_IN_EXPRESSION.at("a string is not a mathematical expression")
not_constant = NOT_CONSTANT.at("expected a constant number", "use only numbers and constants")
power_of_tensor_constant = SHAPE_MISMATCH.at(
    "the square of a vector or matrix cannot define a constant", "declare the constant without an exponent"
)


# ---- Derivatives


def no_adjoint(found: str, span: Span) -> PdeError:
    return SHAPE_MISMATCH(
        f"cannot take the adjoint of {with_article(found)}", span, "only operators and matrices have an adjoint"
    )


def no_derivative(found: str, span: Span) -> PdeError:
    return NOT_A_VALUE(f"cannot differentiate {with_article(found)}", span)


def no_gradient(found: str, span: Span) -> PdeError:
    return SHAPE_MISMATCH(f"cannot take the gradient of {with_article(found)}", span)


def no_divergence(found: str, span: Span) -> PdeError:
    return SHAPE_MISMATCH(
        f"cannot take the divergence of {with_article(found)}", span, "∇· needs a vector, as in ∇·(κ∇u)"
    )


def divergence_of_other_size(found: str, dimension: int | None, span: Span) -> PdeError:
    return SHAPE_MISMATCH(f"cannot take the divergence of {with_article(found)} in dimension {dimension}", span)


def gradient_of_other_size(found: str, dimension: int | None, span: Span) -> PdeError:
    message = f"the gradient of {with_article(found)} in dimension {dimension} is not a square matrix"
    return SHAPE_MISMATCH(message, span, "differentiate its components, as in ∇w₁")


def no_curl(found: str, span: Span) -> PdeError:
    hint = "∇× needs a vector of size 3 in three dimensions, or a vector of size 2 or a scalar in the plane"
    return SHAPE_MISMATCH(f"cannot take the curl of {with_article(found)} in this space", span, hint)


def needs_matrix(function: str, found: str, span: Span) -> PdeError:
    return SHAPE_MISMATCH(f"'{function}' needs a matrix, found {with_article(found)}", span, "as in tr(∇u), sym(∇u)")


def invalid_cross_product(left: str, right: str, span: Span) -> PdeError:
    message = f"a cross product needs two vectors of size 2 or 3, found {with_article(left)} and {with_article(right)}"
    return SHAPE_MISMATCH(message, span, "as in cross(n, E)")


def componentwise_derivative(found: str, span: Span) -> PdeError:
    message = f"cannot differentiate {with_article(found)} componentwise in a space of this dimension"
    return SHAPE_MISMATCH(message, span, "use a low-dimensional space such as R^2")


def vector_variable(name: str, span: Span) -> PdeError:
    hint, fixes = f"write ∂/∂{name}₁ or ∇", replace_word(name, f"{name}₁", span)
    return SHAPE_MISMATCH(f"'{name}' is a vector: a derivative needs one component", span, hint, fixes=fixes)


not_a_variable = NOT_A_VARIABLE.of("'{name}' is neither a coordinate nor the time")


def coordinate_count(found: int, dimension: object, span: Span) -> PdeError:
    return SHAPE_MISMATCH(f"found {found} coordinates in a space of dimension {dimension}", span)


# ---- Types, intervals and spaces (E312 to E317)


INVALID_TYPE = Code("E312", "unknown type, invalid size, or a type that is not allowed for an unknown")
UNSUPPORTED_PROPERTY = Code("E313", "unsupported property or bound of a type")
INVALID_NETWORK = Code("E314", "a learned field has no network, or a network of another type")
INVALID_INTERVAL = Code("E315", "expected an interval, or the interval is empty")
INVALID_SPACE = Code("E316", "invalid space or dimension")
INVALID_COORDINATES = Code("E319", "polar, cylindrical or spherical coordinates with another number, range or use")
INVALID_MESH = Code("E317", "a file without a mesh of triangles or tetrahedra")
CHANNELS_LAST = Code("W316", "image size looks like channels last; channels come first")

SPACES = (
    "R^2",
    "R^d",
    "image(c, h, w)",
    "pixels",
    "[a, b]",
    "[a, b]^2 periodic",
    "[-1, 1]^2 where x² + y² < 1",
    "polygon([[0, 0], [1, 0], [0, 1]])",
    'mesh("domain.msh")',
)
SPACES_HINT = f"available: {', '.join(SPACES)}"


# ---- Types of fields


def unknown_type(name: str | None, types: Sequence[str], guess: str | None, span: Span) -> PdeError:
    """`name` is None if the expression is not a name."""
    message = f"unknown type '{name}'" if name is not None else "expected a type"
    hint = did_you_mean(guess, f"available: {join_comma(types)}, with sizes as in vector(2), simplex(10)")
    return INVALID_TYPE(message, span, hint, fixes=replace_word(name or "", guess, span))


def invalid_unknown_type(kind: str, span: Span) -> PdeError:
    hint = "available for unknowns: scalar, vector(n), complex, simplex(k), channels"
    return INVALID_TYPE(f"an unknown cannot be {with_article(kind)}", span, hint)


complex_learned_field = INVALID_TYPE.at(
    "a learned field cannot be complex", "learn its real and imaginary part: a + i b with two learned scalars"
)
complex_unknown_in_data_space = INVALID_TYPE.at("a complex unknown needs a physical domain", "as in: space x in [0, 1]")
# `vector(1), complex`.
size_of_complex_vector = INVALID_TYPE.of(
    "a complex vector needs 2 to {most} components", "one complex number is declared as: unknown ψ(x, t) : complex"
)


def invalid_type_size(kind: str, takes_size: bool, example: str, span: Span) -> PdeError:
    message = f"'{kind}' takes {'one size' if takes_size else 'no size'}"
    return INVALID_TYPE(message, span, f"as in {example}", fixes=() if takes_size else replace_by([example], span))


def size_out_of_range(minimum: int, limit: int, span: Span) -> PdeError:
    return INVALID_TYPE(f"the size must be an integer from {minimum} to {limit:,}", span)


def not_comparable(kind: str, span: Span) -> PdeError:
    return UNSUPPORTED_PROPERTY(f"{with_article(kind)} cannot be compared with a number", span)


bound_of_scalar = UNSUPPORTED_PROPERTY.at("the bound of a scalar must be > 0 or ≥ 0")


def norm_of_other_name(name: str, owner: str, span: Span) -> PdeError:
    fixes = replace_word(name, owner, span)
    return UNSUPPORTED_PROPERTY(
        f"the norm bound in the type of '{owner}' must be on '{owner}', found '{name}'",
        span,
        f"write ‖{owner}‖ ≤ …",
        fixes=fixes,
    )


bound_not_positive = UNSUPPORTED_PROPERTY.at("a bound on a norm must be positive")


def unsupported_property(kind: str, traits: Sequence[str], span: Span) -> PdeError:
    """`traits` are the available ones; identifiers can be inserted as they are."""
    hint = f"available for {with_article(kind)}: {join_comma(traits)}" if traits else ""
    fixes = replace_by([*filter(str.isidentifier, traits)], span)
    return UNSUPPORTED_PROPERTY(f"unsupported property of {with_article(kind)}", span, hint, fixes=fixes)


def missing_network(name: str, example: str, span: Span) -> PdeError:
    fixes = insert(span.end, f" = {example}")
    return INVALID_NETWORK(f"'{name}' has no network", span, f"add = {example}", fixes=fixes)


def incompatible_network(network: str, kind: str, expected: str, first: str, span: Span) -> PdeError:
    """`first` is a suitable network, ready to insert."""
    fixes = replace_by([first], span)
    return INVALID_NETWORK(f"{network} cannot represent {with_article(kind)}", span, f"use {expected}", fixes=fixes)


def invalid_initial_value(kind: str, span: Span) -> PdeError:
    return INVALID_NETWORK(
        f"a number cannot be the initial value of {with_article(kind)}",
        span,
        "only a learned scalar has an initial value",
    )


initial_value_not_positive = INVALID_NETWORK.of(
    "the initial value of a scalar {sign} 0 must be positive", "as in: learn ν : scalar > 0 = 0.1"
)


# ---- Intervals and spaces


not_an_interval = INVALID_INTERVAL.at("expected an interval", "as in [0, 1]")


def empty_interval(start: str, end: str, span: Span) -> PdeError:
    fixes = replace_by([f"[{end}, {start}]"], span) if start != end else ()
    hint = "the left endpoint must be below the right endpoint"
    return INVALID_INTERVAL(f"the interval [{start}, {end}] is empty", span, hint, fixes=fixes)


not_a_space = INVALID_SPACE.at("expected a space", SPACES_HINT)
POLYGON_HINT = "as in: space (x, y) in polygon([[0, 0], [1, 0], [0, 1]])"
invalid_polygon = INVALID_SPACE.at("a polygon is a list of vertices with two coordinates each", POLYGON_HINT)
degenerate_polygon = INVALID_SPACE.at(
    "a polygon needs at least three distinct vertices that are not on a line", POLYGON_HINT
)
self_intersecting_polygon = INVALID_SPACE.at(
    "the edges of this polygon intersect", "list the vertices in the order of the boundary"
)
too_many_vertices = INVALID_SPACE.of("this polygon has more than {limit} vertices", "use fewer vertices")
MESH_HINT = 'as in: space (x, y) in mesh("domain.msh")'
invalid_mesh_call = INVALID_SPACE.at("a mesh is given by the name of its file", MESH_HINT)
mesh_with_inequalities = INVALID_SPACE.at("the domain of a mesh cannot be restricted", "leave out the inequalities")
mesh_dimension = INVALID_SPACE.of(
    "a mesh has two or three coordinates, not {count}", "write space (x, y) in …, or space (x, y, z) in …"
)


mesh_not_found = INVALID_MESH.of("there is no mesh '{file}'", "paths are relative to the folder of the spec")


def invalid_mesh(file: str, reason: str, remedy: str, span: Span) -> PdeError:
    """`reason` is a predicate."""
    return INVALID_MESH(f"the mesh '{file}' {reason}", span, remedy)


def channels_last(shape: tuple[int, int, int], span: Span) -> Diagnostic:
    """`image(32, 32, 3)`."""
    height, width, channels = shape
    channels_first = f"image({channels}, {height}, {width})"
    message = f"this image has {height} channels and {width} × {channels} pixels"
    return CHANNELS_LAST.warning(
        message, span, f"channels come first: write {channels_first}", fixes=replace_by([channels_first], span)
    )


periodic_interval = INVALID_SPACE.at("only an interval can be periodic", "as in [0, 1] periodic")
product_of_intervals = INVALID_SPACE.at("a product of spaces must be a product of intervals", SPACES_HINT)
dimension_not_a_number = INVALID_SPACE.at("the dimension of a domain must be an integer", "as in [0, 1]^2")
too_many_dimensions = INVALID_SPACE.of("this domain has more than {limit:,} dimensions", "use R^d")
invalid_dimension = INVALID_SPACE.at("the dimension must be an integer, at least 1")


# ---- Integrals

INVALID_INTEGRAL = Code("E318", "the domain, a limit or the variable of an integral is invalid")

integral_off_domain = INVALID_INTEGRAL.at(
    "integrals need a physical domain of at most three dimensions", "as in: space x in [0, 1]"
)
integral_over_inequalities = INVALID_INTEGRAL.at(
    "integrals over a domain given by inequalities are not supported", "nearest: an interval or a box, without 'where'"
)
invalid_limit = INVALID_INTEGRAL.at(
    "a limit of an integral must be a real function of the coordinates, without unknowns", "as in ∫₀ˣ u(s) ds"
)


def not_a_coordinate_of_domain(name: str, coordinates: Sequence[str], span: Span) -> PdeError:
    """`∫_Ω u ds` on a domain in x."""
    fixes = replace_by(coordinates[:1], span)
    hint = f"write: ∫_Ω … d{coordinates[0]}" if coordinates else "there is no space: write ∫_a^b … dt"
    return INVALID_INTEGRAL(f"'{name}' is not a coordinate of the domain", span, hint, fixes=fixes)


def invalid_integration_variable(name: str, found: str, span: Span) -> PdeError:
    """`∫₀¹ u da` for a constant a."""
    message = f"cannot integrate over '{name}', which is declared as {with_article(found)}"
    return INVALID_INTEGRAL(message, span, "choose a coordinate, or a name that is not declared, as in ∫₀ˣ u(s) ds")


# ---- Values from files

data_arguments = ARGUMENT_COUNT.at(
    "data takes the name of a file, and of an array in it if there are several",
    'as in data("u0.npz"), data("a.npz", "k")',
)
data_off_domain = INVALID_SPACE.at("values from files need a physical domain", "as in: space x in [0, 1]")


# ---- Coordinates with a metric


def unknown_system(name: str, systems: Sequence[str], guess: str | None, span: Span) -> PdeError:
    hint = did_you_mean(guess, f"available: {join_comma(systems)}")
    fixes = replace_word(name, guess, span)
    return INVALID_COORDINATES(f"unknown coordinates '{name}'", span, hint, fixes=fixes)


def coordinates_of_system(system: str, forms: Sequence[str], span: Span) -> PdeError:
    return INVALID_COORDINATES(f"{system} coordinates are {join_or(forms)}", span, f"write: {forms[0]}")


def range_of_coordinate(name: str, low: str, high: str, span: Span) -> PdeError:
    bounds = f"[{low}, {high}]" if high else f"[{low}, …)"
    return INVALID_COORDINATES(f"the coordinate {name} must lie in {bounds}", span, "change the interval")


def axis_with_angle(name: str, at: str, span: Span) -> PdeError:
    hint = "leave a hole around it, leave out the angle of a symmetric solution, or use Cartesian coordinates"
    return INVALID_COORDINATES(f"the angle is not defined at {name} = {at}", span, hint)


def restricted_coordinates(system: str, span: Span) -> PdeError:
    hint = "restrict a domain in Cartesian coordinates: space (x, y) in [-1, 1]^2 where x² + y² < 1"
    return INVALID_COORDINATES(f"{system} coordinates cannot be restricted by inequalities", span, hint)


def vector_in_curvilinear_coordinates(operator: str, system: str, span: Span) -> PdeError:
    hint = "write the components by hand, or use Cartesian coordinates"
    return INVALID_COORDINATES(f"the {operator} is not supported in {system} coordinates", span, hint)
