"""E6xx on feature maps: layers, integrators and the frame of the network."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import instead, one_of_them, without
from pdedsl.errors.base import Code, all_of
from pdedsl.errors.methods import INTEGRATOR
from pdedsl.errors.networks import MISFIT

NO_LAYER = Code("E602", "an equation on pixels has a part that no layer realizes")
NO_FRAME = Code("E607", "an equation on pixels has no `network` block")
WIDTHS = Code("E608", "the widths of a `network` block do not fit together")


# ---- equations


def not_a_feature_map(name: str, type_: str, span: Span) -> PdeError:
    hint, fixes = "write: unknown Y(x, t) : channels", instead(type_, "channels", span)
    return NO_LAYER.error(f"'{name}' is not a feature map", span, hint, fixes=fixes)


def no_layer(span: Span) -> PdeError:
    hint = "layers: sums of c Kᵀ σ(N(K Y)), c f(Y, t) and c Y with numbers c, f and K read as they are declared"
    return NO_LAYER.error("no layer computes this right-hand side", span, hint)


def order_in_time(order: int, span: Span) -> PdeError:
    what = f"of order {order} in time" if order else "without a time derivative"
    return NO_LAYER.error(f"an equation {what} has no network on pixels", span, "write ∂Y/∂t or ∂²Y/∂t²")


def pieces_in_time(span: Span) -> PdeError:
    return NO_LAYER.error("pieces in time have no network on pixels", span, "write one equation for all t")


def no_separable_pair(span: Span) -> PdeError:
    hint = "write ∂Y/∂t = f(Z, t) and ∂Z/∂t = g(Y, t)"
    return NO_LAYER.error("these equations are not a separable pair", span, hint)


def two_layers(name: str, span: Span) -> PdeError:
    message = f"'{name}' is used in two layers, but every layer has weights of its own"
    return NO_LAYER.error(message, span, f"declare another operator like '{name}' for one of them")


def no_place_for_condition(second: bool, span: Span) -> PdeError:
    """`second` if the equation is of second order in time."""
    start = "the opening layer of the network gives the start"
    hint = f"{start}, at rest: ∂Y/∂t(x, 0) = 0" if second else f"{start}: leave it out"
    fixes = () if second else without(span, "leave it out")
    return NO_LAYER.error("this condition has no place in the network", span, hint, fixes=fixes)


def operator_depends(name: str, span: Span) -> PdeError:
    return NO_LAYER.error(f"'{name}' depends on more than the time", span, "write K or K(t)")


def field_depends(name: str, span: Span) -> PdeError:
    hint = "write f(Y), or f(Y, t) if it is another at each time"
    return NO_LAYER.error(f"'{name}' does not depend on exactly one feature map", span, hint)


# ---- integrators


def part_of_its_own(part: str, span: Span) -> PdeError:
    hint = "use: realize time by …"
    return INTEGRATOR.error(f"an equation on pixels has no {part} to realize", span, hint)


def method_misfit(method: str, known: Sequence[str], span: Span) -> PdeError:
    hint, fixes = f"use {all_of(known)}", one_of_them(known[:1], span)
    return INTEGRATOR.error(f"{method} does not fit this equation", span, hint, fixes=fixes)


def too_many_steps(steps: int, most: int, span: Span) -> PdeError:
    message = f"a network of {steps:,} steps is too deep: the limit is {most:,}"
    hint, fixes = "take fewer steps, or a method that chooses them: dopri5", instead(str(steps), str(most), span)
    return INTEGRATOR.error(message, span, hint, fixes=fixes)


def batch_norm_backwards(method: str, span: Span) -> PdeError:
    message = f"{method} recomputes its states on the way back, which batch_norm does not allow"
    fixes = instead("batch_norm", "tv_norm", span)
    return INTEGRATOR.error(message, span, "use tv_norm, or realize time by euler", fixes=fixes)


def weights_of_steps(name: str, time: str, method: str, span: Span) -> PdeError:
    message = f"'{name}' has new weights at each step, and {method} chooses its own number of steps"
    fixes = instead(f"{name}({time})", name, span)
    return INTEGRATOR.error(message, span, f"write {name} without the time", fixes=fixes)


# ---- networks of fields


def no_field_on_pixels(network: str, span: Span) -> PdeError:
    return MISFIT.error(f"{network} is not a field on the image plane", span, "use convnet(layers)")


def no_operator_on_pixels(network: str, span: Span, written: Span | None) -> PdeError:
    """`written` is where the network stands, if there is one."""
    fixes = one_of_them(["conv(3)"], written)
    return MISFIT.error(f"{network} does not act on feature maps", span, "use conv(3)", fixes=fixes)


def even_kernel(size: int, span: Span) -> PdeError:
    fixes = instead(f"conv({size})", "conv(3)", span)
    return MISFIT.error(f"conv({size}) has no pixel in its middle", span, "use an odd size: conv(3)", fixes=fixes)


# ---- the frame


def no_frame(span: Span) -> PdeError:
    hint = "add network { input … open … stages … classes … }"
    return NO_FRAME.error("an equation on pixels needs a 'network' block", span, hint)


def opening_differs(opened: int, first: int, span: Span) -> PdeError:
    message = f"the opening layer has {opened} channels and the first stage {first}"
    return WIDTHS.error(message, span, "make them equal", fixes=instead(str(opened), str(first), span))


def too_many_stages(height: int, width: int, halvings: int, span: Span) -> PdeError:
    message = f"an image of {height} x {width} cannot be halved {halvings} times"
    return WIDTHS.error(message, span, "take fewer stages, or larger images")


def odd_width(width: int, span: Span) -> PdeError:
    message = f"the two states of a pair share the channels: {width} is odd"
    return WIDTHS.error(message, span, "make every width even")


# ---- the frame of which every piece is bounded


def large_patches(patch: int, height: int, width: int, span: Span) -> PdeError:
    message = f"an image of {height} x {width} has no patches of {patch} x {patch}"
    return WIDTHS.error(message, span, "take smaller patches")


def narrow_opening(channels: int, opened: int, span: Span) -> PdeError:
    message = f"the patches have {channels} channels, and zeros cannot pad them to {opened}"
    return WIDTHS.error(message, span, f"open at least {channels} channels, or take smaller patches")


def odd_pairs(width: int, span: Span) -> PdeError:
    message = f"maxmin takes the channels after a connector in pairs: {width} is odd"
    hint = "make the widths after the first even, or write lipschitz(activation=relu)"
    return WIDTHS.error(message, span, hint, fixes=instead(str(width), str(width + 1), span))


def close_of_nothing(span: Span) -> PdeError:
    message = "`close` is the width of dense layers, and this frame has none"
    hint = "leave it out, or write frame lipschitz(dense=2)"
    return WIDTHS.error(message, span, hint, fixes=without(span, "leave it out", item=True))
