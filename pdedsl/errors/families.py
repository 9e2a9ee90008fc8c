"""E640, E641: parameters of families of problems, and random coefficients."""

from __future__ import annotations

from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import remove
from pdedsl.errors.base import Code

PARAMETER = Code("E640", "an invalid parameter of a family, or random coefficient")
FAMILY = Code("E641", "a family of problems that is not supported")

logarithm_of_nonpositive = PARAMETER.at(
    "a logarithmic scale requires an interval of positive numbers", "remove 'log', or choose a positive lower end"
)
empty_support = PARAMETER.at("the lower end must be less than the upper end", "swap the ends")
not_a_coordinate = PARAMETER.at(
    "a random function must be a function of coordinates of a bounded interval or box",
    "as in: parameter f(x) from gaussian_process(length=0.2, modes=10)",
)
outside_range = PARAMETER.at("the value of the constant is outside of its range", "choose a range that contains it")
range_not_scalar = PARAMETER.at("only a scalar constant can have a range, one interval [a, b]", "remove the range")
data_space = FAMILY.at(
    "families and random coefficients require a physical domain",
    "use const with a number, or a domain such as: space x in [0, 1]",
)
inverse_problem = FAMILY.at(
    "learned parameters and measurements cannot be combined with parameters of a family",
    "declare the parameter of the family as const, or the learned parameter as a parameter of the family",
)


def unknown_scale(name: str, span: Span) -> PdeError:
    return PARAMETER(f"unknown scale '{name}' of a parameter", span, "write log, or remove it", fixes=remove(span))
