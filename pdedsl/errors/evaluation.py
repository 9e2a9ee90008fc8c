"""E62x: what an `evaluate` block asks for that its equation does not have."""

from __future__ import annotations

from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import without
from pdedsl.errors.base import Code

NO_NOISE = Code("E621", "a Gaussian certificate is asked for and the equation has no diffusion νΔ with a number ν")
NOTHING_ATTACKED = Code("E622", "an audit is asked for and there is no attack")
NOT_A_CLASSIFIER = Code("E623", "attacks, certificates and the like are asked for and nothing is classified")
NO_SUCH_PICTURE = Code("E624", "a picture is asked for that this evaluation does not have")
LEARNED = Code("E625", "a reference is asked for and the equation has a learned part, or a space of any dimension")
NO_CONSTANT = Code("E626", "a Lipschitz certificate is asked for where nothing is known of the slopes of a network")


def no_noise(span: Span) -> PdeError:
    return NO_NOISE.error(
        "a Gaussian certificate needs the noise of the equation, and it has no diffusion νΔ with a number ν",
        span,
        "add a term such as ½σ²Δu, or remove this line",
        fixes=without(span, item=True),
    )


def no_constant(span: Span) -> PdeError:
    return NO_CONSTANT.error(
        "the network of this equation has no Lipschitz constant, and no diffusion to estimate one from",
        span,
        "remove it; frame lipschitz in a spec on pixels has one, and certify gaussian asks for none",
        fixes=without(span, item=True),
    )


def nothing_attacked(span: Span) -> PdeError:
    message = "an audit examines accuracies under attack, and there is no attack"
    return NOTHING_ATTACKED.error(message, span, "add: attack pgd(eps=…)")


def not_a_classifier(entry: str, span: Span) -> PdeError:
    message = f"'{entry}' judges a classifier, and the unknown of this spec is not a class probability"
    hint = "remove it, or make the unknown a simplex(k)"
    return NOT_A_CLASSIFIER.error(message, span, hint, fixes=without(span, item=True))


def no_reference(span: Span) -> PdeError:
    message = "a reference solves an equation whose parts are all known, and this one is learned"
    return LEARNED.error(message, span, "remove it", fixes=without(span, item=True))


def reference_in_any_dimension(letter: str, span: Span) -> PdeError:
    message = f"a reference is solved on a grid, and the dimension '{letter}' of this space is not a number"
    return LEARNED.error(message, span, "write it as a number, as in: space x in R^2")


def picture_of_plane(picture: str, dimension: int, span: Span) -> PdeError:
    message = f"{picture} is drawn in the plane, and the points of this spec have {dimension} coordinates"
    return NO_SUCH_PICTURE.error(message, span, "remove it", fixes=without(span, item=True))


def picture_without(picture: str, entry: str, span: Span) -> PdeError:
    return NO_SUCH_PICTURE.error(f"{picture} needs '{entry}' in this block", span, f"add: {entry} …")


def picture_of_classifier(picture: str, span: Span) -> PdeError:
    message = f"{picture} is of a classifier, and this equation is solved on a physical domain"
    return NO_SUCH_PICTURE.error(message, span, "remove it, or: plot solution", fixes=without(span, item=True))


def picture_of_solution(picture: str, span: Span) -> PdeError:
    message = f"{picture} is of the solution of an equation on a physical domain, and this one classifies"
    return NO_SUCH_PICTURE.error(message, span, "remove it, or: plot confusion", fixes=without(span, item=True))


def picture_of_training(picture: str, method: str, span: Span) -> PdeError:
    message = f"{picture} are of training, and '{method}' trains nothing"
    return NO_SUCH_PICTURE.error(message, span, "remove it, or: plot solution", fixes=without(span, item=True))


def picture_on_space(picture: str, span: Span) -> PdeError:
    message = f"{picture} is not drawn on R^d, where a reference is compared with the operator in numbers alone"
    return NO_SUCH_PICTURE.error(message, span, "remove it", fixes=without(span, item=True))
