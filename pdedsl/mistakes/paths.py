"""E604: equations that means over random paths do not solve, each with its reason."""

from __future__ import annotations

from dataclasses import replace

from pdedsl.diagnostics import PdeError, Span
from pdedsl.fixes import one_of_them
from pdedsl.mistakes.networks import MISFIT

OTHERS = "realize equation by features, residual or grid"


def _none(reason: str, span: Span, hint: str = OTHERS) -> PdeError:
    return MISFIT.error(f"random paths do not solve this: {reason}", span, hint)


def elsewise(refusal: PdeError, method: Span) -> PdeError:
    """The refusal, with a method that needs none of this as a fix; `method` is where `paths` stands."""
    fixes = one_of_them(["residual"], method)
    return PdeError((replace(d, fixes=fixes) for d in refusal.diagnostics), refusal.source)


def system(span: Span) -> PdeError:
    return _none("they give one number, and there are several unknowns or components", span)


def several_equations(span: Span) -> PdeError:
    return _none("there are several equations", span)


def learned(name: str, span: Span) -> PdeError:
    return _none(f"'{name}' is learned, and paths need every coefficient", span, "realize equation by residual")


def nonlinear(span: Span) -> PdeError:
    return _none("a mean over paths is linear in the data, and this equation is not", span)


def wave(span: Span) -> PdeError:
    return _none("an equation of second order in time, or with a mixed derivative in time, has no paths", span)


def of_higher_order(order: int, span: Span) -> PdeError:
    return _none(f"random motion gives derivatives of at most second order, found {order}", span)


def uneven_time(span: Span) -> PdeError:
    return _none("∂u/∂t has a factor that is not a number", span, "divide the equation by it")


def indefinite(span: Span) -> PdeError:
    return _none("the second derivatives are not those of a random motion: their matrix has both signs", span)


def growing(span: Span) -> PdeError:
    reason = "the factor of u is not known to be at most zero, so that the mean over paths of any length may not exist"
    return _none(reason, span)


def endless(span: Span) -> PdeError:
    return _none("without a side where u is given, paths never end", span)


def open_curve(span: Span) -> PdeError:
    return _none("a curve that bounds the shape has no condition u = …", span, "give u on all of its boundary")


def inner_curve(span: Span) -> PdeError:
    return _none("the condition is on a curve that does not bound the shape", span)


def mixed_side(span: Span) -> PdeError:
    return _none("a side both ends and reflects paths, in pieces", span)


def oblique(span: Span) -> PdeError:
    reason = "paths end where u is given, and are reflected where n·∇u + κu is, on a flat side: this is neither"
    return _none(reason, span)


def no_function(span: Span) -> PdeError:
    return _none("an expression cannot be computed at points", span)
