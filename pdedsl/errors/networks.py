"""E6xx: equations on data spaces without a network, user-defined networks, constraints, evolution operators, memory.

Networks on pixels are in `feature_maps`, methods in `methods`.
"""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import Edit, Fix, remove, remove_term, replace_by, replace_word
from pdedsl.errors.base import KEEP_ONE, Code, did_you_mean, join_comma
from pdedsl.errors.options import INVALID_VALUE

UNSUPPORTED_TERM = Code("E601", "an equation on a data space has an unsupported term")
INCOMPATIBLE = Code("E604", "a network or method is not compatible with the equation, its space or another method")
NO_OPERATOR = Code("E606", "an equation has no evolution operator")
NOT_COMPUTABLE = Code("E609", "an expression cannot be evaluated in a network")
LOSS_REQUIREMENT = Code("E612", "a loss needs a property of the network or an entry that is missing")
CONSTRAINT = Code("E610", "a constraint conflicts with the network or another constraint")

MLP_HINT = "use mlp on R^d"
MAX_TENSOR_DIMENSION = 16  # dimensions in which tensors are expanded into components


# ---- Losses


def margin_without_bound(span: Span) -> PdeError:
    message = "a margin loss needs a network with a known Lipschitz constant"
    hint = "on pixels use network { frame lipschitz }, or use loss cross_entropy"
    return LOSS_REQUIREMENT(message, span, hint, fixes=replace_by(["cross_entropy"], span))


def loss_without_adversary(loss: str, span: Span) -> PdeError:
    message = f"loss {loss} compares samples with adversarial examples, but there is no adversary pgd(…)"
    return LOSS_REQUIREMENT(message, span, "add: adversary pgd(eps=…)")


def loss_of_another_method(loss: str, span: Span) -> PdeError:
    message = f"loss {loss} has no effect: the method of the diffusion determines the loss"
    return INCOMPATIBLE(message, span, "remove it", fixes=remove(span, item=True))


# ---- Terms


unsupported_term = UNSUPPORTED_TERM.of(
    "unsupported term '{text}' on a data space", "supported terms: convection, diffusion, reaction, source"
)
unsupported_equation = UNSUPPORTED_TERM.at(
    "unsupported equation on a data space", "write it as ∂u/∂t = v·∇u + A:∇∇u + c u + f, linear in u"
)


def unsupported_unknown(name: str, type_: str, span: Span) -> PdeError:
    message = f"the unknown '{name}' on a data space must be simplex(k) or scalar, found {type_}"
    return UNSUPPORTED_TERM(message, span, "use simplex(k) or scalar", fixes=replace_word(type_, "scalar", span))


def several_unknowns(names: Sequence[str], span: Span) -> PdeError:
    message = f"a data space allows a single unknown, found {join_comma(names)}"
    return UNSUPPORTED_TERM(message, span, "write one spec per unknown")


nonlocal_field = INCOMPATIBLE.of(
    "'{name}' is evaluated away from the path: nonlocal and delay terms are not supported",
    "write {name} without arguments, or with the arguments of its declaration",
)


def full_diffusion_matrix(span: Span) -> PdeError:
    message = f"a full diffusion matrix needs a space of at most {MAX_TENSOR_DIMENSION} dimensions"
    return INCOMPATIBLE(message, span, "write νΔu, Σᵢ aᵢ ∂²u/∂xᵢ², or c Σᵢⱼ vᵢ vⱼ ∂²u/∂xᵢ∂xⱼ along the velocity v")


# `what` describes the expression: "a derivative of a learned field".
not_computable = NOT_COMPUTABLE.of("{what} cannot be evaluated in a network")


def exact_derivatives(dimension: int, limit: int, span: Span) -> PdeError:
    message = f"exact derivatives of fields need at most {limit} dimensions, found {dimension}"
    return NOT_COMPUTABLE(message, span, "write the equation without derivatives of its coefficients")


def leaves_simplex(kind: str, text: str, span: Span) -> PdeError:
    """`kind`: "reaction" or "source"."""
    message = f"the {kind} '{text}' does not preserve the sum of the class probabilities"
    return UNSUPPORTED_TERM(message, span, "remove it, or declare the unknown as scalar", fixes=remove_term(span))


# ---- Fields


unknown_dimension = INCOMPATIBLE.at(
    "a network needs a space of known dimension", "specify it, as in R^2, or name the data: train { data … }"
)


def cannot_represent_field(network: str, span: Span, network_span: Span) -> PdeError:
    """`network_span` is the span of the network, here and below."""
    return INCOMPATIBLE(
        f"{network} cannot represent a field on R^d", span, "use mlp", fixes=replace_by(["mlp"], network_span)
    )


def needs_images(network: str, span: Span, network_span: Span) -> PdeError:
    message, fixes = f"{network} needs images, found points", replace_by(["mlp"], network_span)
    return INCOMPATIBLE(message, span, MLP_HINT, fixes=fixes)


def divergence_free_size(size: int, dimension: int, span: Span) -> PdeError:
    message = "a divergence-free field needs as many components as there are coordinates"
    fixes = replace_word(f"vector({size})", "vector", span)
    return INCOMPATIBLE(message, span, f"remove the size: the dimension is {dimension}", fixes=fixes)


divergence_free_in_one_dimension = INCOMPATIBLE.of(
    "'{name}' cannot be a divergence-free network in one dimension",
    "remove its coordinates: in one dimension a divergence-free field is constant",
)


def not_divergence_free(what: str, span: Span) -> PdeError:
    fixes = (Fix("remove divergence_free", (Edit(span, old="divergence_free", item=True),)),)
    hint = "use mlp on R^d, or remove divergence_free"
    return INCOMPATIBLE(f"{what} cannot be divergence-free", span, hint, fixes=fixes)


# ---- Whole networks as velocities


network_in_two_intervals = INCOMPATIBLE.at("a network such as resnet cannot be used in two time intervals", "use mlp")
list_of_depths = INCOMPATIBLE.at("only the residual blocks of a velocity take a list of depths", "use a single depth")


def network_with_factor(network: str, name: str, span: Span) -> PdeError:
    message = f"the {network} '{name}' must be the whole velocity, without factors or sums"
    return INCOMPATIBLE(message, span, f"write {name}·∇u: factors and signs are learned")


noise_not_constant = INCOMPATIBLE.of(
    "the residual blocks of {network} change the shape of the state: the noise must have a constant variance",
    "write νΔu with constant ν, or use mlp",
)


def unknown_torchvision_model(name: str, guess: str | None, span: Span) -> PdeError:
    hint = did_you_mean(guess, "use an image classifier of torchvision, such as resnet18")
    message = f"unknown torchvision image classifier '{name}'"
    return INCOMPATIBLE(message, span, hint, fixes=replace_word(name, guess, span))


def torchvision_channels(name: str, channels: int, span: Span) -> PdeError:
    message = f"{name} of torchvision needs images with 3 channels, found {channels}"
    return INCOMPATIBLE(message, span, "use resnet, or images with 3 channels", fixes=replace_by(["resnet"], span))


def torchvision_image_size(name: str, size: int, only: bool, span: Span) -> PdeError:
    faces = f"of {size} x {size} pixels" if only else f"of at least {size} x {size} pixels"
    message, hint = f"{name} of torchvision needs images {faces}", "use resnet, or other images"
    return INCOMPATIBLE(message, span, hint, fixes=replace_by(["resnet"], span))


without_blocks = INCOMPATIBLE.of(
    "{name} has no residual blocks after which noise could be added",
    "use resnet, or put the diffusion into a separate time interval",
)
torchvision_random_blocks = INCOMPATIBLE.at(
    "stochastic depth and shake-shake are not available for torchvision networks", "use resnet"
)


def branches_differ(first: str, second: str, span: Span) -> PdeError:
    return INCOMPATIBLE(f"the shake-shake branches '{first}' and '{second}' must have the same architecture", span)


# ---- Readout


nonlinear_logits = INCOMPATIBLE.of(
    "the logits must be linear in the final state", "write softmax(W {point}): factors and signs are learned"
)


def no_logits(network: str, span: Span, network_span: Span) -> PdeError:
    fixes = replace_by(["linear"], network_span)
    return INCOMPATIBLE(f"{network} does not output class logits", span, "use linear", fixes=fixes)


def readout_in_time(name: str, span: Span) -> PdeError:
    written = f"learn {name} : operator = linear"
    message = f"the readout '{name}' is applied once, to the final state: it takes no arguments"
    fixes = replace_by([written], span)
    return INCOMPATIBLE(message, span, f"write: {written}", fixes=fixes)


no_probability_network = INCOMPATIBLE.of(
    "no network represents these class probabilities",
    "write softmax(W {point}) with a learned operator W, or a learned network",
)
data_not_at_path_end = INCOMPATIBLE.of(
    "'{name}' must be evaluated at the end of the path", "write {name} with the arguments of its declaration"
)


def logits_twice(network: str, point: str, span: Span) -> PdeError:
    message = f"{network} already outputs logits: no other network can follow"
    return INCOMPATIBLE(message, span, f"write softmax(W {point})")


# ---- Constraints


def disjoint_boxes(name: str, span: Span, first: Span) -> PdeError:
    message = f"the box constraints of '{name}' are disjoint"
    return CONSTRAINT(message, span, "use intervals that overlap", ((first, "first constraint"),))


def norm_and_box(name: str, span: Span, box_span: Span) -> PdeError:
    """`box_span` is the span of the box constraint."""
    fixes = remove(box_span, "remove the box constraint", item=True)
    return CONSTRAINT(f"'{name}' has both a norm bound and a box constraint", span, KEEP_ONE, fixes=fixes)


def not_in_network(name: object, operator: str | None, span: Span) -> PdeError:
    """`operator` is the learned operator of the network, if any."""
    hint = f"constrain {operator}" if operator else "remove it"
    fixes = *replace_word(str(name), operator, span), *remove(span, item=True)
    return CONSTRAINT(f"cannot constrain '{name}': it is not part of the network", span, hint, fixes=fixes)


def readout_constraint(network: str, name: str, span: Span, box_span: Span | None) -> PdeError:
    """`box_span` is the span of the constraint, unless it is part of the type."""
    message = f"{network} has its own readout, which cannot satisfy the constraint on '{name}'"
    fixes = remove(box_span, "remove the constraint", item=True) if box_span else ()
    return CONSTRAINT(message, span, "remove the constraint, or use mlp as the velocity", fixes=fixes)


# ---- Evolution operators


operator_on_pixels = NO_OPERATOR.at(
    "an equation on feature maps has no evolution operator on R^d", "use a space such as R^2"
)
operator_on_domain = NO_OPERATOR.at(
    "an equation on a physical domain has no evolution operator on R^d", "use pdedsl solve, or a space such as R^2"
)
operator_on_images = NO_OPERATOR.at("an evolution operator needs a space R^d", "use a space such as R^2")
operator_shape = NO_OPERATOR.of("no evolution operator: {network} changes the shape of the state", MLP_HINT)


def operator_method(method: str, available: Sequence[str], span: Span) -> PdeError:
    message = f"an evolution operator needs a method that can stop at any time, not {method}"
    return NO_OPERATOR(message, span, f"use {join_comma(available)}")


def operator_full_matrix(span: Span) -> PdeError:
    message = f"an evolution operator with a full diffusion matrix needs at most {MAX_TENSOR_DIMENSION} dimensions"
    return NO_OPERATOR(message, span, f"use R^{MAX_TENSOR_DIMENSION} or fewer dimensions")


# ---- User-defined networks (E614): `torch("package.module:Name")`


USER_NETWORK = Code(
    "E614", "a user-defined network is not trusted, cannot be imported, or is not compatible with the equation"
)
BLOCKS_HINT = 'name the class of its residual blocks, as in torch("package.module:Name", maps="Block")'


# ---- Syntax


invalid_network_path = INVALID_VALUE.at(
    "a user-defined network must be named as module:class", 'as in torch("package.module:Name")'
)
not_a_python_name = INVALID_VALUE.of("'{name}' is not a valid Python argument name")
module_name_conflict = INCOMPATIBLE.of(
    "the module name '{name}' conflicts with a file of the compiled package", "rename the module"
)
user_network_random_blocks = INCOMPATIBLE.at(
    "stochastic depth and shake-shake are not available for user-defined networks",
    "implement them in the module, or use resnet",
)


# ---- Import


not_trusted = USER_NETWORK.at(
    "user-defined code is imported only if it is trusted",
    "to trust this code, use the option --trust or the argument trust",
)


def import_failed(what: str, span: Span) -> PdeError:
    """`what` is the message of the failed import."""
    return USER_NETWORK(what, span)


module_not_found = USER_NETWORK.of(
    "Python module '{module}' not found",
    "run in the folder that contains it, install it, or add its folder to PYTHONPATH",
)


def no_residual_blocks(problem: str, span: Span) -> PdeError:
    """Noise is added after residual blocks, and none were found."""
    return USER_NETWORK(problem, span, BLOCKS_HINT)


# ---- Memory limits (E615)


MEMORY_LIMIT = Code("E615", "a network or a method would exceed the memory limit")


def too_many_weights(found: int, limit: int, span: Span) -> PdeError:
    message = f"this network would have about {found:,} weights; the limit is {limit:,}"
    return MEMORY_LIMIT(message, span, "use fewer or narrower layers, fewer steps, or fewer ensemble members")


def too_much_storage(method: str, found: int, limit: int, span: Span) -> PdeError:
    message = f"{method} would store about {found:,} numbers; the limit is {limit:,}"
    return MEMORY_LIMIT(message, span, "use fewer points or features, or a smaller network")
