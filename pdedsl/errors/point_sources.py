"""E428: point sources δ(x - a) that are not defined or not supported."""

from __future__ import annotations

from pdedsl.diagnostics import PdeError, Span
from pdedsl.errors.base import Code

POINT_SOURCE = Code("E428", "a point source δ that is not defined, or not a source with a known strength")

off_domain = POINT_SOURCE.at(
    "point sources δ need a physical domain with Cartesian coordinates", "as in: space x in [0, 1]"
)
impulse = POINT_SOURCE.at(
    "an impulse δ in time is not supported",
    "nearest: the initial value after the impulse, u(x, 0), which it increases by its strength",
)
invalid_argument = POINT_SOURCE.of(
    "the argument of δ must be a coordinate minus a number",
    "as in: δ({name} - 0.3); in the plane δ(x - 0.3) δ(y - 0.5)",
)
in_condition = POINT_SOURCE.at(
    "δ in a condition is not supported: point sources are terms of an equation",
    "nearest: a narrow Gaussian as initial value, exp(-x²/(2 s²))/(s √(2π)) with a small constant s",
)
not_a_source = POINT_SOURCE.at(
    "δ occurs in a derivative, an integral or a product with itself",
    "a point source is a term of an equation, with a function as factor: q δ(x - 0.3)",
)
strength_with_unknown = POINT_SOURCE.at(
    "the strength of a point source depends on an unknown", "its factors must be known functions: q δ(x - 0.3)"
)


def outside(name: str, place: str, low: str, high: str, span: Span) -> PdeError:
    message = f"the point source at {name} = {place} is not in the interior of [{low}, {high}]"
    return POINT_SOURCE(message, span, f"choose a number between {low} and {high}")
