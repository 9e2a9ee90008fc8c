"""E6xx: equations that are right and have no network, or not the one that is asked for: what all spaces share, and
data spaces. Feature maps are in `pixels`, methods in `realizations`.
"""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import Edit, Fix, instead, one_of_them, without, without_term
from pdedsl.errors.base import ONE, Code, all_of, perhaps
from pdedsl.errors.options import VALUE

# ---- networks


NO_TERM = Code("E601", "an equation on a data space has a term that no network realizes")
MISFIT = Code("E604", "a network or method does not fit the equation, its space or the other methods")
NO_OPERATOR = Code("E606", "an equation has no evolution operator")
NOT_COMPUTABLE = Code("E609", "an expression cannot be computed in a network")
NO_MARGIN = Code("E612", "a margin is asked for where the scores have no Lipschitz constant")
CONSTRAINT = Code("E610", "a constraint does not fit the network, or another constraint")

ON_POINTS = "use mlp on R^d"
MOST_WRITTEN = 16  # dimensions that are written out in components


# ---- losses


def margin_of_nothing(span: Span) -> PdeError:
    message = "a margin loss needs a network with a Lipschitz constant, and this one has none"
    hint = "on pixels write network { frame lipschitz }, or use loss cross_entropy"
    return NO_MARGIN.error(message, span, hint, fixes=one_of_them(["cross_entropy"], span))


# ---- terms


def no_term(text: str, span: Span) -> PdeError:
    hint = "convection, diffusion, reaction and source have one"
    return NO_TERM.error(f"'{text}' has no network on a data space", span, hint)


def no_equation(span: Span) -> PdeError:
    hint = "write it as ∂u/∂t = v·∇u + A:∇∇u + c u + f, linear in u"
    return NO_TERM.error("this equation has no network on a data space", span, hint)


def no_number(name: str, type_: str, span: Span) -> PdeError:
    message = f"'{name}' is a {type_}: on a data space the unknown must be class probabilities or a number"
    return NO_TERM.error(message, span, "use simplex(k), or scalar", fixes=instead(type_, "scalar", span))


def several_unknowns(names: Sequence[str], span: Span) -> PdeError:
    message = f"a network on a data space has one unknown, found {all_of(names)}"
    return NO_TERM.error(message, span, "write a spec for each unknown")


def read_elsewhere(name: str, span: Span) -> PdeError:
    message = f"'{name}' is taken at a point or time other than that of the path"
    return MISFIT.error(message, span, f"write {name} without arguments, or with those of its declaration")


def full_matrix(span: Span) -> PdeError:
    message = f"a full diffusion matrix needs a space of at most {MOST_WRITTEN} dimensions"
    return MISFIT.error(message, span, "write νΔu, Σᵢ aᵢ ∂²u/∂xᵢ², or c Σᵢⱼ vᵢ vⱼ ∂²u/∂xᵢ∂xⱼ along the velocity v")


def not_computable(what: str, span: Span) -> PdeError:
    """`what` in the words of the language: "a derivative of a learned field"."""
    return NOT_COMPUTABLE.error(f"{what} cannot be computed in a network", span)


def exact_derivatives(dimension: int, most: int, span: Span) -> PdeError:
    message = f"exact derivatives of fields are limited to {most} dimensions, found {dimension}"
    return NOT_COMPUTABLE.error(message, span, "write the equation without derivatives of its coefficients")


def leaves_simplex(kind: str, text: str, span: Span) -> PdeError:
    """`kind`: "reaction" or "source"."""
    message = f"the {kind} '{text}' changes the sum of class probabilities, which is 1"
    return NO_TERM.error(message, span, "leave it out, or make the unknown a scalar", fixes=without_term(span))


# ---- fields


def unknown_dimension(span: Span) -> PdeError:
    hint = "give it, as in R^2, or name the data that have it: train { data … }"
    return MISFIT.error("a network needs a space of known dimension", span, hint)


def not_a_field(network: str, span: Span, written: Span) -> PdeError:
    """`written` is where the network stands, here and below."""
    return MISFIT.error(f"{network} is not a field on R^d", span, "use mlp", fixes=one_of_them(["mlp"], written))


def acts_on_images(network: str, span: Span, written: Span) -> PdeError:
    message, fixes = f"{network} acts on images, not on points", one_of_them(["mlp"], written)
    return MISFIT.error(message, span, ON_POINTS, fixes=fixes)


def divergence_of_size(size: int, dimension: int, span: Span) -> PdeError:
    message = "a divergence-free field needs as many components as there are coordinates"
    fixes = instead(f"vector({size})", "vector", span)
    return MISFIT.error(message, span, f"leave its size out: it is {dimension}", fixes=fixes)


def divergence_free_on_the_line(name: str, span: Span) -> PdeError:
    hint = "drop its coordinates: on the line such a field is the same everywhere"
    return MISFIT.error(f"'{name}' has no divergence-free network on the line", span, hint)


def not_divergence_free(what: str, span: Span) -> PdeError:
    fixes = (Fix("leave divergence_free out", (Edit(span, old="divergence_free", item=True),)),)
    hint = "use mlp on R^d, or leave divergence_free out"
    return MISFIT.error(f"{what} cannot be divergence-free", span, hint, fixes=fixes)


# ---- velocities that are named networks


def two_pieces(span: Span) -> PdeError:
    return MISFIT.error("one named network cannot act on two pieces of time", span, "use mlp")


def one_depth(span: Span) -> PdeError:
    return MISFIT.error("only the maps of a velocity take a list of depths", span, "give one depth")


def factor_of_network(network: str, name: str, span: Span) -> PdeError:
    message = f"the {network} of '{name}' is the whole velocity: it takes no factors or sums"
    return MISFIT.error(message, span, f"write {name}·∇u: a factor or a sign is learned with it")


def noise_of_constant_size(network: str, span: Span) -> PdeError:
    message = f"the maps of {network} change the shape of the state: noise after them must have a constant size"
    return MISFIT.error(message, span, "write νΔu with a constant ν, or use mlp")


def no_such_model(name: str, guess: str | None, span: Span) -> PdeError:
    hint = perhaps(guess, "a classifier of torchvision, as in resnet18")
    message = f"torchvision has no classifier of images with a single output called '{name}'"
    return MISFIT.error(message, span, hint, fixes=instead(name, guess, span))


def model_of_colours(name: str, channels: int, span: Span) -> PdeError:
    message = f"the {name} of torchvision takes images of 3 channels, found {channels}"
    return MISFIT.error(message, span, "use resnet, or images of 3 channels", fixes=one_of_them(["resnet"], span))


def model_of_size(name: str, size: int, only: bool, span: Span) -> PdeError:
    sides = f"of {size} x {size} pixels" if only else f"with sides of at least {size} pixels"
    message, hint = f"the {name} of torchvision takes images {sides}", "use resnet, or other images"
    return MISFIT.error(message, span, hint, fixes=one_of_them(["resnet"], span))


def no_maps(name: str, span: Span) -> PdeError:
    message = f"the {name} of torchvision has no residual maps, after which noise could be added"
    return MISFIT.error(message, span, "use resnet, or give the diffusion a piece of time of its own")


def torchvision_maps(span: Span) -> PdeError:
    return MISFIT.error("the maps of a torchvision network cannot be dropped or shared", span, "use resnet")


def branches_differ(first: str, second: str, span: Span) -> PdeError:
    return MISFIT.error(f"'{first}' and '{second}' share steps: their networks must be alike", span)


# ---- readout


def linear_scores(point: str, span: Span) -> PdeError:
    hint = f"write softmax(W {point}): factors and signs are learned with W"
    return MISFIT.error("the scores of a network must be linear in the point", span, hint)


def no_scores(network: str, span: Span, written: Span) -> PdeError:
    fixes = one_of_them(["linear"], written)
    return MISFIT.error(f"{network} does not give scores of classes", span, "use linear", fixes=fixes)


def readout_in_time(name: str, span: Span) -> PdeError:
    written = f"learn {name} : operator = linear"
    message, fixes = f"'{name}' is one map after the whole path: it takes no arguments", one_of_them([written], span)
    return MISFIT.error(message, span, f"write: {written}", fixes=fixes)


def no_probabilities(point: str, span: Span) -> PdeError:
    hint = f"write softmax(W {point}) with a learned operator W, or a learned network"
    return MISFIT.error("these class probabilities have no network", span, hint)


def data_elsewhere(name: str, span: Span) -> PdeError:
    message = f"'{name}' is taken at a point other than the end of the path"
    return MISFIT.error(message, span, f"write {name} with the arguments of its declaration")


def scores_twice(network: str, point: str, span: Span) -> PdeError:
    message = f"{network} ends in scores: no other network can follow it"
    return MISFIT.error(message, span, f"write softmax(W {point})")


# ---- constraints


def boxes_apart(name: str, span: Span, first: Span) -> PdeError:
    message = f"no weight of '{name}' is in all of its boxes"
    return CONSTRAINT.error(message, span, "give boxes that overlap", ((first, "another of them"),))


def norm_and_box(name: str, span: Span, box: Span) -> PdeError:
    """`box` is where the second stands."""
    fixes = without(box, "remove the box", item=True)
    return CONSTRAINT.error(f"'{name}' has both a norm bound and a box", span, ONE, fixes=fixes)


def not_in_network(name: object, operator: str | None, span: Span) -> PdeError:
    """`operator` is the one that can be constrained, if any."""
    hint = f"constrain {operator}" if operator else "leave it out"
    fixes = *instead(str(name), operator, span), *without(span, "leave it out", item=True)
    return CONSTRAINT.error(f"'{name}' is not in the network: there is nothing to constrain", span, hint, fixes=fixes)


def readout_of_its_own(network: str, name: str, span: Span, box: Span | None) -> PdeError:
    """`box` is where the constraint stands, if it is not in the type."""
    message = f"{network} ends in a readout of its own, which keeps no constraint of '{name}'"
    fixes = without(box, "leave the constraint out", item=True) if box else ()
    return CONSTRAINT.error(message, span, "leave the constraint out, or use mlp along the path", fixes=fixes)


# ---- evolution operators


def operator_of_features(span: Span) -> PdeError:
    return NO_OPERATOR.error("an equation on feature maps has no evolution operator on R^d", span, "use a space R^2")


def operator_on_domain(span: Span) -> PdeError:
    message = "an equation on a physical domain is solved with its data; it has no evolution operator on R^d"
    return NO_OPERATOR.error(message, span, "pdedsl solve; or use a space R^2")


def operator_on_images(span: Span) -> PdeError:
    return NO_OPERATOR.error("an evolution operator needs a space R^d", span, "as in R^2")


def operator_of_network(network: str, span: Span) -> PdeError:
    return NO_OPERATOR.error(f"{network} changes the shape of its state", span, ON_POINTS)


def operator_by(method: str, known: Sequence[str], span: Span) -> PdeError:
    message = f"an evolution operator stops at any time, which {method} cannot do"
    return NO_OPERATOR.error(message, span, f"use {all_of(known)}")


def operator_of_full_matrix(span: Span) -> PdeError:
    message = f"the operator along a full matrix needs a space of at most {MOST_WRITTEN} dimensions"
    return NO_OPERATOR.error(message, span, f"use R^{MOST_WRITTEN} or fewer dimensions")


# ---- own_networks
# E614: networks of the user's own, `torch("package.module:Name")`.


IMPORTED = Code("E614", "a network of your own is not trusted, cannot be imported, or does not fit the equation")
GIVE_MAPS = 'name the class of its residual maps, as in torch("package.module:Name", maps="Block")'


# ---- how it is written


def not_a_path(span: Span) -> PdeError:
    message = "a network of your own is named by its module and its class, with a colon between them"
    return VALUE.error(message, span, 'as in torch("package.module:Name")')


def not_a_python_name(name: str, span: Span) -> PdeError:
    return VALUE.error(f"'{name}' cannot be the name of an argument in Python", span)


def hidden_module(name: str, span: Span) -> PdeError:
    message = f"a module called '{name}' would be hidden by a file of the compiled package"
    return MISFIT.error(message, span, "give your module another name")


def random_maps(span: Span) -> PdeError:
    message = "the residual maps of a network of your own cannot be dropped or shared"
    return MISFIT.error(message, span, "write them so in your module, or use resnet")


# ---- importing it


def not_trusted(span: Span) -> PdeError:
    message = "this names code of your own, which may do anything: it is imported only if you trust it"
    return IMPORTED.error(message, span, "if you do, give --trust; in a script, the argument trust")


def not_imported(what: str, span: Span) -> PdeError:
    """`what` happened, in Python's words or ours."""
    return IMPORTED.error(what, span)


def not_found(module: str, span: Span) -> PdeError:
    hint = "work in the folder that holds it, install it, or add its folder to PYTHONPATH"
    return IMPORTED.error(f"Python finds no module '{module}'", span, hint)


def no_residual_blocks(problem: str, span: Span) -> PdeError:
    """Noise stands behind residual maps, and these were not found."""
    return IMPORTED.error(problem, span, GIVE_MAPS)


# ---- sizes
# E615: what would take more memory than there is.


MEMORY = Code("E615", "a network or a method would take more memory than machines have")


def too_many_weights(found: int, most: int, span: Span) -> PdeError:
    message = f"this network would have about {found:,} weights; the limit is {most:,}"
    return MEMORY.error(message, span, "use fewer layers, steps or members, or narrower ones")


def too_many_numbers(method: str, found: int, most: int, span: Span) -> PdeError:
    message = f"{method} would hold about {found:,} numbers at once; the limit is {most:,}"
    return MEMORY.error(message, span, "use fewer points or features, or a smaller network")
