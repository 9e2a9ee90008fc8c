"""E602, E604, E605, E607, E608: equations on pixels: layers, time integrators and the `network` block."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import remove, replace_by, replace_word
from pdedsl.errors.base import Code, join_comma
from pdedsl.errors.methods import INTEGRATOR
from pdedsl.errors.networks import INCOMPATIBLE

UNSUPPORTED_LAYER = Code("E602", "an equation on pixels has an unsupported term")
MISSING_NETWORK_BLOCK = Code("E607", "an equation on pixels needs a `network` block")
INVALID_SIZES = Code("E608", "inconsistent sizes in a `network` block")


# ---- Equations


def not_a_feature_map(name: str, type_: str, span: Span) -> PdeError:
    hint, fixes = "write: unknown Y(x, t) : channels", replace_word(type_, "channels", span)
    return UNSUPPORTED_LAYER(
        f"the unknown '{name}' on pixels must be of type channels, found {type_}", span, hint, fixes=fixes
    )


unsupported_right_hand_side = UNSUPPORTED_LAYER.at(
    "unsupported right-hand side on pixels",
    "supported: sums of c Kᵀ σ(N(K Y)), c f(Y, t) and c Y; c constant, f and K with their declared arguments",
)


def order_in_time(order: int, span: Span) -> PdeError:
    what = f"of order {order} in time" if order else "without a time derivative"
    return UNSUPPORTED_LAYER(f"an equation {what} is not supported on pixels", span, "write ∂Y/∂t or ∂²Y/∂t²")


several_time_intervals = UNSUPPORTED_LAYER.at(
    "several time intervals are not supported on pixels", "write one equation for all t"
)
not_separable = UNSUPPORTED_LAYER.at(
    "these equations are not a separable Hamiltonian-type pair", "write ∂Y/∂t = f(Z, t) and ∂Z/∂t = g(Y, t)"
)
shared_weights = UNSUPPORTED_LAYER.of(
    "'{name}' is used in two layers, but layers do not share weights", "declare a second operator like '{name}'"
)


def unsupported_condition(second: bool, span: Span) -> PdeError:
    """`second` if the equation is of second order in time."""
    start = "the stem of the network provides the initial state"
    hint = f"{start}, with zero initial velocity: ∂Y/∂t(x, 0) = 0" if second else f"{start}: remove the condition"
    fixes = () if second else remove(span)
    return UNSUPPORTED_LAYER("this condition is not supported on pixels", span, hint, fixes=fixes)


operator_depends = UNSUPPORTED_LAYER.of("the operator '{name}' may depend on the time only", "write K or K(t)")
field_depends = UNSUPPORTED_LAYER.of(
    "'{name}' must depend on exactly one feature map", "write f(Y), or f(Y, t) for separate weights at each step"
)


# ---- Integrators


unsupported_part = INTEGRATOR.of("'realize {part}' is not available on pixels", "use: realize time by …")


def method_not_applicable(method: str, available: Sequence[str], span: Span) -> PdeError:
    hint, fixes = f"use {join_comma(available)}", replace_by(available[:1], span)
    return INTEGRATOR(f"{method} is not applicable to this equation", span, hint, fixes=fixes)


def no_implicit_part(method: str, available: Sequence[str], span: Span) -> PdeError:
    message = f"{method} needs an equation ∂Y/∂t = c Y + F(Y), whose term c Y is implicit"
    hint, fixes = f"add a term such as -Y, or use {join_comma(available)}", replace_by(available[:1], span)
    return INTEGRATOR(message, span, hint, fixes=fixes)


def too_many_steps(steps: int, limit: int, span: Span) -> PdeError:
    message = f"the number of steps must be at most {limit:,}, found {steps:,}"
    hint, fixes = "use fewer steps, or the adaptive method dopri5", replace_word(str(steps), str(limit), span)
    return INTEGRATOR(message, span, hint, fixes=fixes)


def batch_norm_with_recomputation(method: str, span: Span) -> PdeError:
    message = f"{method} recomputes its states in the backward pass, which is not possible with batch_norm"
    fixes = replace_word("batch_norm", "tv_norm", span)
    return INTEGRATOR(message, span, "use tv_norm, or realize time by euler", fixes=fixes)


def adaptive_weights(name: str, time: str, method: str, span: Span) -> PdeError:
    message = f"'{name}' has separate weights at each step, but {method} is adaptive"
    fixes = replace_word(f"{name}({time})", name, span)
    return INTEGRATOR(message, span, f"write {name} without the time", fixes=fixes)


# ---- Networks of fields


no_field_on_pixels = INCOMPATIBLE.of("{network} cannot represent a field on pixels", "use convnet(layers)")


def no_operator_on_pixels(network: str, span: Span, network_span: Span | None) -> PdeError:
    """`network_span` is the span of the network, if there is one."""
    fixes = replace_by(["conv(3)"], network_span)
    return INCOMPATIBLE(f"{network} is not an operator on feature maps", span, "use conv(3)", fixes=fixes)


def even_kernel(size: int, span: Span) -> PdeError:
    fixes = replace_word(f"conv({size})", "conv(3)", span)
    return INCOMPATIBLE(f"the kernel size of conv must be odd, found {size}", span, "use conv(3)", fixes=fixes)


# ---- Network block


missing_network_block = MISSING_NETWORK_BLOCK.at(
    "an equation on pixels needs a 'network' block", "add network { input … stem … stages … classes … }"
)


def stem_mismatch(stem: int, first: int, span: Span) -> PdeError:
    message = f"the stem has {stem} channels, but the first stage has {first}"
    return INVALID_SIZES(message, span, "make them equal", fixes=replace_word(str(stem), str(first), span))


def too_many_stages(height: int, width: int, halvings: int, span: Span) -> PdeError:
    message = f"an image of {height} x {width} cannot be downsampled {halvings} times"
    return INVALID_SIZES(message, span, "use fewer stages or larger images")


odd_width = INVALID_SIZES.of(
    "the two unknowns share the channels: the width must be even, found {width}", "make every width even"
)


# ---- Lipschitz frame


def patches_too_large(patch: int, height: int, width: int, span: Span) -> PdeError:
    message = f"patches of {patch} x {patch} exceed the image of {height} x {width}"
    return INVALID_SIZES(message, span, "use smaller patches")


def stem_too_narrow(channels: int, stem: int, span: Span) -> PdeError:
    message = f"the stem has {stem} channels, but zero-padding of the patches needs at least {channels}"
    return INVALID_SIZES(message, span, f"use a stem of at least {channels} channels, or smaller patches")


def odd_maxmin_width(width: int, span: Span) -> PdeError:
    message = f"maxmin needs an even number of channels after a downsampling layer, found {width}"
    hint = "make the widths after the first even, or use lipschitz(activation=relu)"
    return INVALID_SIZES(message, span, hint, fixes=replace_word(str(width), str(width + 1), span))


def head_without_dense(span: Span) -> PdeError:
    message = "`head` is the width of the dense layers, but this frame has none"
    hint = "remove it, or use frame lipschitz(dense=2)"
    return INVALID_SIZES(message, span, hint, fixes=remove(span, item=True))
