"""E62x, W62x: entries of an `evaluate` block that do not apply to the equation, attacks that are weak by their
parameters, and data with fewer classes than the model."""

from __future__ import annotations

from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.diagnostics.fixes import Edit, Fix, remove, replace_by
from pdedsl.errors.base import Code, join_comma

MISSING_DIFFUSION = Code("E621", "a randomized smoothing certificate needs a diffusion term νΔu with constant ν")
MISSING_ATTACK = Code("E622", "an audit needs an attack")
NOT_A_CLASSIFIER = Code("E623", "the entry applies only to classifiers")
PLOT_NOT_AVAILABLE = Code("E624", "the plot is not available for this evaluation")
NO_REFERENCE = Code("E625", "a reference solution needs known coefficients and a fixed dimension")
NO_LIPSCHITZ_BOUND = Code("E626", "a Lipschitz certificate needs a bound on the Lipschitz constant of the network")

IMAGE_CORRUPTION = Code("E627", "a corruption of images cannot be applied to points")

SHORT_STEPS = Code("W621", "the steps of an attack cannot cross its ε-ball")
LARGE_EPS = Code("W622", "ε exceeds the range of image values")
VARIATIONAL_SMOOTHING = Code("W624", "the variational form of heat smoothing hardly changes the network")
OTHER_IMAGES = Code("W625", "the images of the data set have another shape than the space")
UNUSED_CLASSES = Code("W623", "the data set has fewer classes than the model")


def variational_smoothing(span: Span) -> Diagnostic:
    message = "the variational form at the training samples does not determine the Gaussian average between them"
    hint = "write heat_smoothing without arguments: regression on the base network at noisy inputs"
    return VARIATIONAL_SMOOTHING.warning(message, span, hint, replace_by(["heat_smoothing"], span))


def short_steps(attack: str, eps: float, reach: float, least: int, span: Span) -> Diagnostic:
    message = f"{attack} moves at most steps × step = {reach:g}, less than ε = {eps:g}"
    return SHORT_STEPS.warning(message, span, f"use steps={least} or more, or omit step (2.5 ε/steps)")


def large_eps(eps: float, span: Span) -> Diagnostic:
    message = f"ε = {eps:g} exceeds the range [0, 1] of image values: every image is in the ℓ∞ ball"
    return LARGE_EPS.warning(message, span, f"for {eps:g} of 255 grey levels write eps={eps:g}/255")


def other_images(data: str, shape: tuple[int, ...], model: tuple[int, ...], span: Span, space: Span) -> Diagnostic:
    """`shape` is that of the images, `model` that of the model, declared at `space`."""
    image, old = (f"image({join_comma(map(str, s))})" for s in (shape, model))
    message = f"the images of {data} are {'x'.join(map(str, shape))}; the model takes {'x'.join(map(str, model))}"
    fixes = (Fix(f"replace with {image}", (Edit(space, image, old),)),)
    return OTHER_IMAGES.warning(message, span, f"use {image}, or other data", fixes)


def unused_classes(data: str, classes: int, model: int, span: Span) -> Diagnostic:
    message = f"{data} has {classes} classes; the model has {model}"
    return UNUSED_CLASSES.warning(message, span, f"use a model with {classes} classes")


def missing_diffusion(span: Span) -> PdeError:
    return MISSING_DIFFUSION(
        "a randomized smoothing certificate needs a diffusion term νΔu with constant ν",
        span,
        "add a term such as ½σ²Δu, or remove this line",
        fixes=remove(span, item=True),
    )


def no_lipschitz_bound(span: Span) -> PdeError:
    return NO_LIPSCHITZ_BOUND(
        "no bound on the Lipschitz constant of this network is known, and there is no diffusion to derive one from",
        span,
        "remove it, use frame lipschitz (on pixels), or certify randomized_smoothing, which needs no bound",
        fixes=remove(span, item=True),
    )


def image_corruption(corruption: str, span: Span) -> PdeError:
    hint = "available for points: gaussian_noise(std), uniform_noise(eps)"
    return IMAGE_CORRUPTION(f"{corruption} needs images, found points", span, hint, fixes=remove(span, item=True))


missing_attack = MISSING_ATTACK.at("an audit of robust accuracy needs an attack", "add: attack pgd(eps=…)")


missing_eps = MISSING_ATTACK.at("the protocol for stochastic networks needs an attack with ε", "add: attack pgd(eps=…)")


def not_a_classifier(entry: str, span: Span) -> PdeError:
    message = f"'{entry}' applies only to classifiers; the unknown of this spec is not a simplex(k)"
    hint = "remove it, or declare the unknown as simplex(k)"
    return NOT_A_CLASSIFIER(message, span, hint, fixes=remove(span, item=True))


def reference_with_learned_coefficients(span: Span) -> PdeError:
    message = "a reference solution needs known coefficients, but this equation has learned ones"
    return NO_REFERENCE(message, span, "remove it", fixes=remove(span, item=True))


reference_in_any_dimension = NO_REFERENCE.of(
    "a reference solution on a grid needs a fixed dimension, but '{symbol}' is not a number",
    "write it as a number, as in: space x in R^2",
)


def plot_needs_plane(plot: str, dimension: int, span: Span) -> PdeError:
    message = f"the plot '{plot}' needs two-dimensional data, found dimension {dimension}"
    return PLOT_NOT_AVAILABLE(message, span, "remove it", fixes=remove(span, item=True))


def plot_needs_entry(plot: str, entry: str, span: Span) -> PdeError:
    return PLOT_NOT_AVAILABLE(f"the plot '{plot}' needs '{entry}' in this block", span, f"add: {entry} …")


def plot_needs_classifier(plot: str, span: Span) -> PdeError:
    message = f"the plot '{plot}' applies only to classifiers"
    return PLOT_NOT_AVAILABLE(message, span, "remove it, or use plot solution", fixes=remove(span, item=True))


def plot_needs_solution(plot: str, span: Span) -> PdeError:
    message = f"the plot '{plot}' needs an equation on a physical domain"
    return PLOT_NOT_AVAILABLE(message, span, "remove it, or use plot confusion", fixes=remove(span, item=True))


def plot_needs_training(plot: str, method: str, span: Span) -> PdeError:
    message = f"the plot '{plot}' needs training, but the method '{method}' does not train"
    return PLOT_NOT_AVAILABLE(message, span, "remove it, or use plot solution", fixes=remove(span, item=True))


def plot_on_whole_space(plot: str, span: Span) -> PdeError:
    message = f"the plot '{plot}' is not available on R^d"
    return PLOT_NOT_AVAILABLE(message, span, "remove it", fixes=remove(span, item=True))
