"""E604, E605, E611, E613, E616, W617: inapplicable integrators, diffusion methods and solvers, and unused options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.diagnostics.fixes import remove, remove_argument, replace_by, replace_word
from pdedsl.errors.base import Code, SpanError, join_comma, join_or
from pdedsl.errors.networks import INCOMPATIBLE, MAX_TENSOR_DIMENSION

INTEGRATOR = Code("E605", "the time integrator is not applicable to the equation")
NO_EFFECT = Code("E611", "an option has no effect")
INPUT_NOISE_TWICE = Code("E616", "noise is added to the input twice")
ZERO_DIFFUSION = Code("W617", "an option of a diffusion with coefficient 0 is ignored")
NONLOCAL = Code("E613", "nonlocal and delay terms, and couplings of two boundaries, are not supported")

SEPARATE_INTERVAL_HINT = "put the diffusion into a separate time interval, or use noise"


# ---- Time integrators


def cannot_integrate_characteristics(method: str, available: Sequence[str], span: Span) -> PdeError:
    hint, fixes = f"use {join_comma(available)}", replace_by(available[:1], span)
    return INTEGRATOR(f"{method} cannot integrate characteristics", span, hint, fixes=fixes)


def integrator_with_noise(method: str, span: Span, method_span: Span) -> PdeError:
    """`method_span` is the span of the method."""
    hint = "use euler or heun, or put the diffusion into a separate time interval"
    fixes = (*replace_word(method, "euler", method_span), *replace_word(method, "heun", method_span))
    return INTEGRATOR(f"{method} is not available for stochastic paths", span, hint, fixes=fixes)


def heun_with_multiplicative_noise(noise: str, span: Span) -> PdeError:
    message = f"heun needs additive noise, but {noise} is not additive"
    return INTEGRATOR(message, span, "use euler", fixes=replace_word("heun", "euler", span))


def blocks_are_steps(blocks: int | None, network: str, span: Span) -> PdeError:
    """`blocks` is the number of residual blocks; None if it is not known yet."""
    hint = f"use euler(steps={blocks}), or remove the line" if blocks else "remove the line"
    counted = f"{blocks} residual blocks" if blocks else "residual blocks"
    fixes = replace_by([f"euler(steps={blocks})"], span) if blocks else ()
    return INTEGRATOR(f"the {counted} of {network} are the Euler steps", span, hint, fixes=fixes)


coupled_boundaries = NONLOCAL.at(
    "a condition that couples two boundaries is not supported",
    "for a periodic domain write 'periodic' after the interval, as in: space x in [0, 1] periodic; "
    "u(1) = u(0) + c and u(1) = -u(0) are supported for all unknowns at once, each with the same condition, without c, "
    "for all derivatives below the order of its equation",
)
unsupported_integrand = NONLOCAL.at(
    "an integrand with learned functions, or with derivatives of nonlinear functions, is not supported",
    "integrate products of known functions, unknowns and their derivatives",
)
nonlinear_in_integral = NONLOCAL.at(
    "a nonlinear function of an integral in another integral is not supported",
    "nearest: another unknown for the inner integral, as in v = ∫₀ˣ u(s) ds",
)


def nonlocal_not_applicable(method: str, reason: str, span: Span) -> PdeError:
    """`reason` is why a grid, the only method for nonlocal terms, does not apply either; empty if it does."""
    if reason:
        return NONLOCAL(f"this integral or nonlocal term is not supported: {reason}", span)
    message = f"{method} is not applicable: the problem has integrals or nonlocal terms"
    return NONLOCAL(message, span, "use: realize equation by grid", fixes=replace_by(["grid"], span))


nonlocal_term = NONLOCAL.at(
    "nonlocal and delay terms are not supported",
    "write every unknown without arguments, or with the arguments of its declaration",
)


# ---- Diffusion


def input_noise_twice(augmentation: str, span: Span) -> PdeError:
    message = f"'augment {augmentation}' adds noise to the input, as the diffusion of the equation does"
    hint = "remove the entry: the network is trained with the noise of the equation"
    return INPUT_NOISE_TWICE(message, span, hint, fixes=remove(span, item=True))


def noise_with_full_matrix(other: str | None, span: Span) -> PdeError:
    hint = f"realize diffusion by {other}" if other else "write νΔu"
    return INCOMPATIBLE(
        f"noise with a full diffusion matrix needs a space of at most {MAX_TENSOR_DIMENSION} dimensions", span, hint
    )


def incompatible_diffusion(method: str, term: str, span: Span) -> PdeError:
    return INCOMPATIBLE(f"{method} cannot realize this diffusion", span, f"write the diffusion as {term}, or use noise")


relative_noise = INCOMPATIBLE.at("scale=relative needs νΔu with constant ν", "write νΔu, or use scale=exact")
relative_noise_in_one_dimension = INCOMPATIBLE.at(
    "scale=relative uses the standard deviation over the coordinates and needs at least two", "use scale=exact"
)
needs_velocity = INCOMPATIBLE.of("{method} needs a velocity", "realize diffusion by noise")
smoothing_with_transport = INCOMPATIBLE.at(
    "randomized_smoothing adds noise to the input only: diffusion and transport must be in separate time intervals",
    SEPARATE_INTERVAL_HINT,
)


def needs_pure_diffusion(method: str, span: Span, method_span: Span) -> PdeError:
    message = f"{method} needs a time interval with pure diffusion νΔu, ν constant"
    hint = "put the diffusion into a time interval without transport, or use noise"
    return INCOMPATIBLE(message, span, hint, fixes=replace_by(("noise",), method_span))


def diffusion_before_transport(method: str, span: Span, method_span: Span) -> PdeError:
    message = f"{method} smooths the network output: the diffusion interval must come after the transport"
    fixes = replace_by(("noise",), method_span)
    return INCOMPATIBLE(message, span, "exchange the time intervals, or use noise", fixes=fixes)


residual_penalty_of_base = INCOMPATIBLE.at(
    "residual_penalty trains a learned velocity with the time as an input; here the initial data are the network",
    "realize diffusion by heat_smoothing",
    fixes=lambda span: replace_by(["heat_smoothing"], span),
)
needs_learned_velocity = INCOMPATIBLE.of("{method} needs a learned velocity", "learn v(x, t) : vector = mlp")


def learned_ensemble_weights(span: Span) -> PdeError:
    message = "independently trained ensemble members cannot have learned weights"
    fixes = *replace_word("learned", "equal", span), *replace_word("apart", "joint", span)
    return INCOMPATIBLE(message, span, "use weights=equal, or training=joint", fixes=fixes)


def exact_laplacian_dimension(dimension: int, limit: int, span: Span) -> PdeError:
    message = f"the exact Laplacian needs at most {limit} dimensions, found {dimension}"
    fixes = *replace_word("exact", "biased", span), *replace_word("exact", "unbiased", span)
    return INCOMPATIBLE(message, span, "use estimator=biased or unbiased", fixes=fixes)


# ---- Unused options


def unused_method(part: str, hint: str, span: Span) -> PdeError:
    return NO_EFFECT(f"'realize {part}' has no effect", span, hint, fixes=remove(span))


def zero_diffusion(option: str, span: Span) -> Diagnostic:
    message = f"the coefficient of the diffusion is 0: '{option}' is ignored"
    return ZERO_DIFFUSION.warning(message, span, "set a positive coefficient to use it")


def unused_argument(key: str, reason: str, span: Span) -> PdeError:
    fixes = remove_argument(key, span)
    return NO_EFFECT(f"'{key}' has no effect: {reason}", span, f"remove {key}", fixes=fixes)


def unused_entry(key: str, hint: str, span: Span) -> PdeError:
    """An entry of a `train` block on a physical domain."""
    return NO_EFFECT(f"'{key}' has no effect on a physical domain", span, hint, fixes=remove(span, item=True))


def unused_regularizer(regularizer: str, span: Span) -> PdeError:
    message = f"'{regularizer}' has no effect: all steps share their weights"
    return NO_EFFECT(message, span, "remove it", fixes=remove(span, item=True))


unused_network_of_unknown = NO_EFFECT.of(
    "this network has no effect: on a data space '{name}' is determined by the equation",
    "remove it: networks belong to learned fields, as in learn v(x, t) : vector = mlp",
)


def unused_second_network(first: str, span: Span) -> PdeError:
    message = f"this network has no effect: all unknowns are outputs of the first network, {first}"
    return NO_EFFECT(message, span, f"use {first}", fixes=replace_by([first], span))


# ---- Solvers on physical domains


def solver_not_applicable(
    name: str, reason: str, span: Span, others: Sequence[str] = ("random_features", "pinn")
) -> PdeError:
    """`others` are solvers that apply more widely."""
    hint, verb = f"realize equation by {join_or(others)}", "are" if name.endswith("s") else "is"
    return INCOMPATIBLE(f"{name} {verb} not applicable: {reason}", span, hint, fixes=replace_by(others, span))


def reference_not_applicable(reason: str, span: Span) -> PdeError:
    return INCOMPATIBLE(reason, span, "remove this reference", fixes=remove(span, item=True))


def mesh_without_elements(name: str, span: Span) -> PdeError:
    return solver_not_applicable(name, "the domain is given by a mesh", span, ("elements",))


def natural_outflow(place: str, span: Span) -> PdeError:
    message = f"{place} only the pressure is prescribed: collocation needs conditions for all unknowns"
    return INCOMPATIBLE(message, span, "state the velocity or its normal derivative there, too")


def discontinuous_coefficient(span: Span) -> PdeError:
    message = "discontinuous coefficient: its derivative is not defined at collocation points"
    return INCOMPATIBLE(message, span, "realize equation by grid", fixes=replace_by(["grid"], span))


def no_point_sources(name: str, refusal: str, span: Span) -> PdeError:
    """For collocation and Monte Carlo, which evaluate sources at points; `refusal` is why neither grids nor elements
    apply, empty if one of them does."""
    if refusal:
        return INCOMPATIBLE(f"this point source is not supported: {refusal}", span)
    return solver_not_applicable(name, "a point source has no value at points", span, ("elements", "grid"))


def invalid_learned_function(name: str, span: Span) -> PdeError:
    message = f"on a physical domain '{name}' must be a learned scalar or a scalar function of the coordinates"
    hint = f"write learn {name} : scalar = 1, or learn {name}(x) : scalar = mlp"
    return INCOMPATIBLE(message, span, hint, fixes=replace_by([f"learn {name} : scalar = 1"], span))


def learned_by_monte_carlo(span: Span) -> PdeError:
    message = "monte_carlo cannot learn coefficients"
    return INCOMPATIBLE(message, span, "realize equation by pinn", fixes=replace_by(["pinn"], span))


def function_by_random_features(span: Span) -> PdeError:
    message = "random_features can learn scalars, but not functions"
    return INCOMPATIBLE(message, span, "realize equation by pinn", fixes=replace_by(["pinn"], span))


def probes_not_applicable(span: Span) -> PdeError:
    message = "probes need first and second derivatives along coordinates, of one component and with known coefficients"
    fixes = remove_argument("probes", span)
    return INCOMPATIBLE(message, span, "remove probes: derivatives are then exact", fixes=fixes)


def probes_with_deterministic_optimizer(span: Span) -> PdeError:
    message = "probes make the loss stochastic, but Gauss-Newton and L-BFGS need a deterministic loss"
    hint = "use a first-order optimizer, train { optimizer adam }, or remove probes"
    return INCOMPATIBLE(message, span, hint, fixes=remove_argument("probes", span))


# ---- Monte Carlo (Feynman-Kac): E604 with the reason


OTHER_SOLVERS_HINT = "realize equation by random_features, pinn or grid"


def _monte_carlo(reason: str, hint: str = OTHER_SOLVERS_HINT) -> SpanError:
    return INCOMPATIBLE.at(f"monte_carlo is not applicable: {reason}", hint)


def with_other_solver(refusal: PdeError, method: Span) -> PdeError:
    """The error with another solver as a fix; `method` is the span of `monte_carlo`."""
    fixes = replace_by(["pinn"], method)
    return PdeError((replace(d, fixes=fixes) for d in refusal.diagnostics), refusal.source)


monte_carlo_system = _monte_carlo("it needs a single scalar unknown")
monte_carlo_several_equations = _monte_carlo("it needs a single equation")


def monte_carlo_learned(name: str, span: Span) -> PdeError:
    reason = f"'{name}' is learned, but all coefficients must be known"
    return _monte_carlo(reason, "realize equation by pinn")(span)


monte_carlo_nonlinear = _monte_carlo("the equation is nonlinear")
monte_carlo_second_order_in_time = _monte_carlo(
    "second order in time and mixed space-time derivatives are not supported"
)


def monte_carlo_higher_order(order: int, span: Span) -> PdeError:
    return _monte_carlo(f"derivatives must be at most of second order, found {order}")(span)


monte_carlo_time_coefficient = _monte_carlo("the coefficient of ∂u/∂t is not constant", "divide the equation by it")
monte_carlo_indefinite = _monte_carlo("the diffusion matrix is indefinite")
monte_carlo_growth = _monte_carlo(
    "the coefficient of u may be positive, so the expectation over exit times may not exist"
)
monte_carlo_no_dirichlet = _monte_carlo("without a Dirichlet condition the paths never end")
monte_carlo_open_curve = _monte_carlo(
    "a curve on the boundary has no Dirichlet condition", "prescribe u on the whole boundary"
)
monte_carlo_inner_curve = _monte_carlo("a condition is on a curve inside the domain")
monte_carlo_not_evaluable = _monte_carlo("an expression cannot be evaluated pointwise")


def monte_carlo_unsupported(reason: str, span: Span) -> PdeError:
    return _monte_carlo(reason)(span)
