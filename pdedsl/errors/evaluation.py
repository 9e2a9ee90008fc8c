"""E62x: entries of an `evaluate` block that do not apply to the equation."""

from __future__ import annotations

from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import without
from pdedsl.errors.base import Code

NO_NOISE = Code("E621", "a randomized smoothing certificate needs a diffusion term νΔu with constant ν")
NOTHING_ATTACKED = Code("E622", "an audit needs an attack")
NOT_A_CLASSIFIER = Code("E623", "the entry applies only to classifiers")
NO_SUCH_PICTURE = Code("E624", "the plot is not available for this evaluation")
LEARNED = Code("E625", "a reference solution needs known coefficients and a fixed dimension")
NO_CONSTANT = Code("E626", "a Lipschitz certificate needs a bound on the Lipschitz constant of the network")


def no_noise(span: Span) -> PdeError:
    return NO_NOISE.error(
        "a randomized smoothing certificate needs a diffusion term νΔu with constant ν",
        span,
        "add a term such as ½σ²Δu, or remove this line",
        fixes=without(span, item=True),
    )


def no_constant(span: Span) -> PdeError:
    return NO_CONSTANT.error(
        "no bound on the Lipschitz constant of this network is known, and there is no diffusion to derive one from",
        span,
        "remove it, use frame lipschitz (on pixels), or certify randomized_smoothing, which needs no bound",
        fixes=without(span, item=True),
    )


def nothing_attacked(span: Span) -> PdeError:
    message = "an audit of robust accuracy needs an attack"
    return NOTHING_ATTACKED.error(message, span, "add: attack pgd(eps=…)")


def not_a_classifier(entry: str, span: Span) -> PdeError:
    message = f"'{entry}' applies only to classifiers; the unknown of this spec is not a simplex(k)"
    hint = "remove it, or declare the unknown as simplex(k)"
    return NOT_A_CLASSIFIER.error(message, span, hint, fixes=without(span, item=True))


def no_reference(span: Span) -> PdeError:
    message = "a reference solution needs known coefficients, but this equation has learned ones"
    return LEARNED.error(message, span, "remove it", fixes=without(span, item=True))


def reference_in_any_dimension(letter: str, span: Span) -> PdeError:
    message = f"a reference solution on a grid needs a fixed dimension, but '{letter}' is not a number"
    return LEARNED.error(message, span, "write it as a number, as in: space x in R^2")


def picture_of_plane(picture: str, dimension: int, span: Span) -> PdeError:
    message = f"the plot '{picture}' needs two-dimensional data, found dimension {dimension}"
    return NO_SUCH_PICTURE.error(message, span, "remove it", fixes=without(span, item=True))


def picture_without(picture: str, entry: str, span: Span) -> PdeError:
    return NO_SUCH_PICTURE.error(f"the plot '{picture}' needs '{entry}' in this block", span, f"add: {entry} …")


def picture_of_classifier(picture: str, span: Span) -> PdeError:
    message = f"the plot '{picture}' applies only to classifiers"
    return NO_SUCH_PICTURE.error(message, span, "remove it, or use plot solution", fixes=without(span, item=True))


def picture_of_solution(picture: str, span: Span) -> PdeError:
    message = f"the plot '{picture}' needs an equation on a physical domain"
    return NO_SUCH_PICTURE.error(message, span, "remove it, or use plot confusion", fixes=without(span, item=True))


def picture_of_training(picture: str, method: str, span: Span) -> PdeError:
    message = f"the plot '{picture}' needs training, but the method '{method}' does not train"
    return NO_SUCH_PICTURE.error(message, span, "remove it, or use plot solution", fixes=without(span, item=True))


def picture_on_space(picture: str, span: Span) -> PdeError:
    message = f"the plot '{picture}' is not available on R^d"
    return NO_SUCH_PICTURE.error(message, span, "remove it", fixes=without(span, item=True))
