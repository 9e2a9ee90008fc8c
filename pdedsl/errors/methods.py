"""E604, E605, E611, E613: inapplicable time integrators, diffusion methods and solvers, and unused options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import instead, one_of_them, without, without_argument
from pdedsl.errors.base import Code, all_of
from pdedsl.errors.networks import MISFIT, MOST_WRITTEN

INTEGRATOR = Code("E605", "the time integrator is not applicable to the equation")
UNUSED = Code("E611", "an option has no effect")
ELSEWHERE = Code("E613", "nonlocal and delay terms, and couplings of two boundaries, are not supported")

OWN_PIECE = "put the diffusion into a separate time interval, or use noise"


# ---- Time integrators


def no_characteristics(method: str, known: Sequence[str], span: Span) -> PdeError:
    hint, fixes = f"use {all_of(known)}", one_of_them(known[:1], span)
    return INTEGRATOR.error(f"{method} cannot integrate characteristics", span, hint, fixes=fixes)


def scheme_with_noise(method: str, span: Span, chosen: Span) -> PdeError:
    """`chosen` is the span of the method."""
    hint = "use euler or heun, or put the diffusion into a separate time interval"
    fixes = (*instead(method, "euler", chosen), *instead(method, "heun", chosen))
    return INTEGRATOR.error(f"{method} is not available for stochastic paths", span, hint, fixes=fixes)


def heun_with(noise: str, span: Span) -> PdeError:
    message = f"heun needs additive noise, but {noise} is not additive"
    return INTEGRATOR.error(message, span, "use euler", fixes=instead("heun", "euler", span))


def maps_are_steps(maps: int | None, network: str, span: Span) -> PdeError:
    """`maps` is the number of residual blocks; None if it is not known yet."""
    hint = f"use euler(steps={maps}), or remove the line" if maps else "remove the line"
    counted = f"{maps} residual blocks" if maps else "residual blocks"
    fixes = one_of_them([f"euler(steps={maps})"], span) if maps else ()
    return INTEGRATOR.error(f"the {counted} of {network} are the Euler steps", span, hint, fixes=fixes)


def joined_sides(span: Span) -> PdeError:
    hint = "for a periodic domain write 'periodic' after the interval, as in: space x in [0, 1] periodic"
    return ELSEWHERE.error("a condition that couples two boundaries is not supported", span, hint)


def elsewhere(span: Span) -> PdeError:
    message = "nonlocal and delay terms are not supported"
    return ELSEWHERE.error(
        message, span, "write every unknown without arguments, or with the arguments of its declaration"
    )


# ---- Diffusion


def noise_of_full_matrix(other: str | None, span: Span) -> PdeError:
    hint = f"realize diffusion by {other}" if other else "write νΔu"
    return MISFIT.error(
        f"noise with a full diffusion matrix needs a space of at most {MOST_WRITTEN} dimensions", span, hint
    )


def another_diffusion(method: str, term: str, span: Span) -> PdeError:
    return MISFIT.error(f"{method} cannot realize this diffusion", span, f"write the diffusion as {term}, or use noise")


def relative_noise(span: Span) -> PdeError:
    message = "scale=relative needs νΔu with constant ν"
    return MISFIT.error(message, span, "write νΔu, or use scale=exact")


def relative_on_a_line(span: Span) -> PdeError:
    message = "scale=relative uses the standard deviation over the coordinates and needs at least two"
    return MISFIT.error(message, span, "use scale=exact")


def needs_velocity(method: str, span: Span) -> PdeError:
    return MISFIT.error(f"{method} needs a velocity", span, "realize diffusion by noise")


def sampling_along(span: Span) -> PdeError:
    message = (
        "randomized_smoothing adds noise to the input only: diffusion and transport must be in separate time intervals"
    )
    return MISFIT.error(message, span, OWN_PIECE)


def diffusion_alone(method: str, span: Span, chosen: Span) -> PdeError:
    message = f"{method} needs a time interval with pure diffusion νΔu, ν constant"
    hint = "put the diffusion into a time interval without transport, or use noise"
    return MISFIT.error(message, span, hint, fixes=one_of_them(("noise",), chosen))


def diffusion_last(method: str, span: Span, chosen: Span) -> PdeError:
    message = f"{method} smooths the network output: the diffusion interval must come after the transport"
    fixes = one_of_them(("noise",), chosen)
    return MISFIT.error(message, span, "exchange the time intervals, or use noise", fixes=fixes)


def learned_velocity(method: str, span: Span) -> PdeError:
    message = f"{method} needs a learned velocity"
    return MISFIT.error(message, span, "learn v(x, t) : vector = mlp")


def weights_apart(span: Span) -> PdeError:
    message = "independently trained ensemble members cannot have learned weights"
    fixes = *instead("learned", "equal", span), *instead("apart", "joint", span)
    return MISFIT.error(message, span, "use weights=equal, or training=joint", fixes=fixes)


def exact_laplacian(dimension: int, most: int, span: Span) -> PdeError:
    message = f"the exact Laplacian needs at most {most} dimensions, found {dimension}"
    fixes = *instead("exact", "biased", span), *instead("exact", "unbiased", span)
    return MISFIT.error(message, span, "use estimator=biased or unbiased", fixes=fixes)


# ---- Unused options


def unused_part(part: str, hint: str, span: Span) -> PdeError:
    return UNUSED.error(f"'realize {part}' has no effect", span, hint, fixes=without(span))


def unused_argument(key: str, why: str, span: Span) -> PdeError:
    fixes = without_argument(key, span)
    return UNUSED.error(f"'{key}' has no effect: {why}", span, f"remove {key}", fixes=fixes)


def unused_entry(key: str, hint: str, span: Span) -> PdeError:
    """An entry of a `train` block on a physical domain."""
    return UNUSED.error(f"'{key}' has no effect on a physical domain", span, hint, fixes=without(span, item=True))


def same_in_time(regularizer: str, span: Span) -> PdeError:
    message = f"'{regularizer}' has no effect: all steps share their weights"
    return UNUSED.error(message, span, "remove it", fixes=without(span, item=True))


def network_of_unknown(name: str, span: Span) -> PdeError:
    message = f"this network has no effect: on a data space '{name}' is determined by the equation"
    hint = "remove it: networks belong to learned fields, as in learn v(x, t) : vector = mlp"
    return UNUSED.error(message, span, hint)


def one_network(first: str, span: Span) -> PdeError:
    message = f"this network has no effect: all unknowns are outputs of the first network, {first}"
    return UNUSED.error(message, span, f"use {first}", fixes=one_of_them([first], span))


# ---- Solvers on physical domains


def no_grid(reason: str, span: Span) -> PdeError:
    hint = "realize equation by random_features or pinn"
    fixes = one_of_them(("random_features", "pinn"), span)
    return MISFIT.error(f"grid is not applicable: {reason}", span, hint, fixes=fixes)


def no_reference(reason: str, span: Span) -> PdeError:
    return MISFIT.error(reason, span, "remove this reference", fixes=without(span, item=True))


def jump_by_points(span: Span) -> PdeError:
    message = "discontinuous coefficient: its derivative is not defined at collocation points"
    return MISFIT.error(message, span, "realize equation by grid", fixes=one_of_them(["grid"], span))


def learned_function(name: str, span: Span) -> PdeError:
    message = f"on a physical domain '{name}' must be a learned scalar or a scalar function of the coordinates"
    hint = f"write learn {name} : scalar = 1, or learn {name}(x) : scalar = mlp"
    return MISFIT.error(message, span, hint, fixes=one_of_them([f"learn {name} : scalar = 1"], span))


def learned_by_paths(span: Span) -> PdeError:
    message = "monte_carlo cannot learn coefficients"
    return MISFIT.error(message, span, "realize equation by pinn", fixes=one_of_them(["pinn"], span))


def learned_by_features(span: Span) -> PdeError:
    message = "random_features can learn scalars, but not functions"
    return MISFIT.error(message, span, "realize equation by pinn", fixes=one_of_them(["pinn"], span))


def probes_of(span: Span) -> PdeError:
    message = "probes need first and second derivatives along coordinates, of one component and with known coefficients"
    fixes = without_argument("probes", span)
    return MISFIT.error(message, span, "remove probes: derivatives are then exact", fixes=fixes)


def probes_by_descent(span: Span) -> PdeError:
    message = "probes make the loss stochastic, but Gauss-Newton and L-BFGS need a deterministic loss"
    hint = "use a first-order optimizer, train { optimizer adam }, or remove probes"
    return MISFIT.error(message, span, hint, fixes=without_argument("probes", span))


# ---- Monte Carlo (Feynman-Kac): E604 with the reason


OTHERS = "realize equation by random_features, pinn or grid"


def _none(reason: str, span: Span, hint: str = OTHERS) -> PdeError:
    return MISFIT.error(f"monte_carlo is not applicable: {reason}", span, hint)


def elsewise(refusal: PdeError, method: Span) -> PdeError:
    """The error with another solver as a fix; `method` is the span of `monte_carlo`."""
    fixes = one_of_them(["pinn"], method)
    return PdeError((replace(d, fixes=fixes) for d in refusal.diagnostics), refusal.source)


def system(span: Span) -> PdeError:
    return _none("it needs a single scalar unknown", span)


def several_equations(span: Span) -> PdeError:
    return _none("it needs a single equation", span)


def learned(name: str, span: Span) -> PdeError:
    return _none(f"'{name}' is learned, but all coefficients must be known", span, "realize equation by pinn")


def nonlinear(span: Span) -> PdeError:
    return _none("the equation is nonlinear", span)


def wave(span: Span) -> PdeError:
    return _none("second order in time and mixed space-time derivatives are not supported", span)


def of_higher_order(order: int, span: Span) -> PdeError:
    return _none(f"derivatives must be at most of second order, found {order}", span)


def uneven_time(span: Span) -> PdeError:
    return _none("the coefficient of ∂u/∂t is not constant", span, "divide the equation by it")


def indefinite(span: Span) -> PdeError:
    return _none("the diffusion matrix is indefinite", span)


def growing(span: Span) -> PdeError:
    reason = "the coefficient of u may be positive, so the expectation over exit times may not exist"
    return _none(reason, span)


def endless(span: Span) -> PdeError:
    return _none("without a Dirichlet condition the paths never end", span)


def open_curve(span: Span) -> PdeError:
    return _none("a curve on the boundary has no Dirichlet condition", span, "prescribe u on the whole boundary")


def inner_curve(span: Span) -> PdeError:
    return _none("a condition is on a curve inside the domain", span)


def mixed_side(span: Span) -> PdeError:
    return _none("a boundary face has both Dirichlet and Neumann parts", span)


def oblique(span: Span) -> PdeError:
    reason = "each flat boundary face needs a Dirichlet condition, or a Neumann or Robin condition n·∇u + κu = g"
    return _none(reason, span)


def no_function(span: Span) -> PdeError:
    return _none("an expression cannot be evaluated pointwise", span)
