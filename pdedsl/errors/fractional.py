"""E429: fractional Laplacians (-Δ)^s u that are not defined or not supported."""

from __future__ import annotations

from pdedsl.errors.base import Code

FRACTIONAL_LAPLACIAN = Code("E429", "a fractional Laplacian that is not defined, or not supported")

on_bounded_domain = FRACTIONAL_LAPLACIAN.at(
    "a fractional Laplacian on a domain with a boundary is ambiguous: the spectral and the integral definition differ",
    "make every coordinate periodic, as in: space x in [0, 1] periodic",
)
off_domain = FRACTIONAL_LAPLACIAN.at(
    "fractional Laplacians are supported on periodic boxes only", "as in: space x in [0, 1] periodic"
)
invalid_exponent = FRACTIONAL_LAPLACIAN.of(
    "the exponent of -Δ must be a number in (0, {largest}]", "as in: (-Δ)^(3/4) u"
)
invalid_operand = FRACTIONAL_LAPLACIAN.at(
    "a fractional Laplacian applies to unknowns, and to their sums with constant coefficients",
    "as in: (-Δ)^(3/4) u, or (-Δ)^½ (u - 2v)",
)
