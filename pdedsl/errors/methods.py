"""E6xx: methods, in time and of the diffusion, that do not fit the equation, its network or each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import instead, one_of_them, without, without_argument
from pdedsl.errors.base import Code, all_of
from pdedsl.errors.networks import MISFIT, MOST_WRITTEN

# ---- realizations


INTEGRATOR = Code("E605", "a time integrator does not fit the equation")
UNUSED = Code("E611", "a 'realize' line, an argument, an entry of 'train' or a second network changes nothing")
ELSEWHERE = Code("E613", "an unknown on a physical domain is taken at a point or time other than that of the equation")

OWN_PIECE = "give the diffusion a piece of time of its own, or use noise"


# ---- steps


def no_characteristics(method: str, known: Sequence[str], span: Span) -> PdeError:
    hint, fixes = f"use {all_of(known)}", one_of_them(known[:1], span)
    return INTEGRATOR.error(f"{method} does not follow characteristics", span, hint, fixes=fixes)


def scheme_with_noise(method: str, span: Span, chosen: Span) -> PdeError:
    """`chosen` is where the method stands."""
    hint = "use euler or heun, or give the diffusion a piece of time of its own"
    fixes = (*instead(method, "euler", chosen), *instead(method, "heun", chosen))
    return INTEGRATOR.error(f"{method} with noise is not defined", span, hint, fixes=fixes)


def heun_with(noise: str, span: Span) -> PdeError:
    message = f"heun needs additive noise, and {noise} is not additive"
    return INTEGRATOR.error(message, span, "use euler", fixes=instead("heun", "euler", span))


def maps_are_steps(maps: int | None, network: str, span: Span) -> PdeError:
    """`maps` is None where they are not counted yet."""
    hint = f"use euler(steps={maps}), or leave it out" if maps else "leave it out"
    counted = f"{maps} residual maps" if maps else "residual maps"
    fixes = one_of_them([f"euler(steps={maps})"], span) if maps else ()
    return INTEGRATOR.error(f"the {counted} of {network} are already its Euler steps", span, hint, fixes=fixes)


def joined_sides(span: Span) -> PdeError:
    hint = "for a periodic domain write 'periodic' after its interval, as in: space x in [0, 1] periodic"
    return ELSEWHERE.error("no method supports a condition that joins two sides", span, hint)


def elsewhere(span: Span) -> PdeError:
    message = "no method supports an unknown at a point or time other than that of the equation"
    return ELSEWHERE.error(message, span, "write every unknown without arguments, or with those of its declaration")


# ---- diffusion


def noise_of_full_matrix(other: str | None, span: Span) -> PdeError:
    hint = f"realize diffusion by {other}" if other else "write νΔu"
    return MISFIT.error(f"noise along a full matrix needs a space of at most {MOST_WRITTEN} dimensions", span, hint)


def another_diffusion(method: str, term: str, span: Span) -> PdeError:
    return MISFIT.error(f"{method} does not realize this diffusion", span, f"write {term}, or use noise")


def relative_noise(span: Span) -> PdeError:
    message = "relative noise needs νΔu with a constant ν"
    return MISFIT.error(message, span, "write νΔu, or scale=exact")


def relative_on_a_line(span: Span) -> PdeError:
    message = "relative noise has the standard deviation of the coordinates of a point, and here there is only one"
    return MISFIT.error(message, span, "use scale=exact")


def needs_velocity(method: str, span: Span) -> PdeError:
    return MISFIT.error(f"{method} needs a velocity to act on", span, "realize diffusion by noise")


def sampling_along(span: Span) -> PdeError:
    message = "sampling puts noise on the input only: the diffusion must come after the transport, not together with it"
    return MISFIT.error(message, span, OWN_PIECE)


def diffusion_alone(method: str, span: Span, chosen: Span) -> PdeError:
    message = f"{method} is for diffusion alone, νΔu with a constant ν, in a piece of time of its own"
    hint = "write the diffusion as a piece of time without transport, or use noise"
    return MISFIT.error(message, span, hint, fixes=one_of_them(("noise",), chosen))


def diffusion_last(method: str, span: Span, chosen: Span) -> PdeError:
    message = f"{method} smooths u itself: its diffusion must come after the transport in time"
    fixes = one_of_them(("noise",), chosen)
    return MISFIT.error(message, span, "exchange the pieces of time, or use noise", fixes=fixes)


def learned_velocity(method: str, span: Span) -> PdeError:
    message = f"only a learned velocity can be trained with {method}"
    return MISFIT.error(message, span, "learn v(x, t) : vector = mlp")


def weights_apart(span: Span) -> PdeError:
    message = "members that are trained apart cannot have learned weights"
    fixes = *instead("learned", "equal", span), *instead("apart", "joint", span)
    return MISFIT.error(message, span, "use weights=equal, or training=joint", fixes=fixes)


def exact_laplacian(dimension: int, most: int, span: Span) -> PdeError:
    message = f"the exact Laplacian is limited to {most} dimensions, found {dimension}"
    fixes = *instead("exact", "biased", span), *instead("exact", "unbiased", span)
    return MISFIT.error(message, span, "use estimator=biased or unbiased", fixes=fixes)


# ---- what changes nothing


def unused_part(part: str, hint: str, span: Span) -> PdeError:
    return UNUSED.error(f"'realize {part}' changes nothing", span, hint, fixes=without(span))


def unused_argument(key: str, why: str, span: Span) -> PdeError:
    fixes = without_argument(key, span)
    return UNUSED.error(f"'{key}' changes nothing: {why}", span, f"leave {key} out", fixes=fixes)


def unused_entry(key: str, hint: str, span: Span) -> PdeError:
    """Of a `train` block on a physical domain."""
    return UNUSED.error(f"'{key}' changes nothing on a physical domain", span, hint, fixes=without(span, item=True))


def same_in_time(regularizer: str, span: Span) -> PdeError:
    message = f"'{regularizer}' changes nothing: no weights differ from step to step"
    return UNUSED.error(message, span, "leave it out", fixes=without(span, item=True))


def network_of_unknown(name: str, span: Span) -> PdeError:
    message = f"this network changes nothing: on a data space '{name}' follows from the equation"
    hint = "leave it out: networks are of what is learned, as in learn v(x, t) : vector = mlp"
    return UNUSED.error(message, span, hint)


def one_network(first: str, span: Span) -> PdeError:
    message = f"this network changes nothing: all unknowns are outputs of the first one, {first}"
    return UNUSED.error(message, span, f"use {first}", fixes=one_of_them([first], span))


def no_grid(reason: str, span: Span) -> PdeError:
    hint, fixes = "realize equation by features or residual", one_of_them(("features", "residual"), span)
    return MISFIT.error(f"a grid does not solve this: {reason}", span, hint, fixes=fixes)


def no_reference(reason: str, span: Span) -> PdeError:
    return MISFIT.error(reason, span, "remove this reference", fixes=without(span, item=True))


def jump_by_points(span: Span) -> PdeError:
    message = "a coefficient jumps, and the derivative of a jump has no value at points"
    return MISFIT.error(message, span, "realize equation by grid", fixes=one_of_them(["grid"], span))


def learned_function(name: str, span: Span) -> PdeError:
    message = f"on a physical domain only numbers and scalar functions of coordinates are learned; '{name}' is neither"
    hint = f"write learn {name} : scalar = 1, or learn {name}(x) : scalar = mlp"
    return MISFIT.error(message, span, hint, fixes=one_of_them([f"learn {name} : scalar = 1"], span))


def learned_by_paths(span: Span) -> PdeError:
    message = "random paths cannot learn coefficients"
    return MISFIT.error(message, span, "realize equation by residual", fixes=one_of_them(["residual"], span))


def learned_by_features(span: Span) -> PdeError:
    message = "features can learn numbers, but not functions"
    return MISFIT.error(message, span, "realize equation by residual", fixes=one_of_them(["residual"], span))


def probes_of(span: Span) -> PdeError:
    message = "probes estimate first and second derivatives along coordinates, of one component and with known factors"
    fixes = without_argument("probes", span)
    return MISFIT.error(message, span, "leave probes out: derivatives are exact then", fixes=fixes)


def probes_by_descent(span: Span) -> PdeError:
    message = "a loss with probes is random, and Gauss-Newton and L-BFGS need one that is not"
    hint = "choose a method of first order, train { optimizer adam }, or leave probes out"
    return MISFIT.error(message, span, hint, fixes=without_argument("probes", span))


# ---- paths
# E604: equations that means over random paths do not solve, each with its reason.


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
