"""Family of problems: a strong form with parameters, and its members.

A parameter is a function of a reference variable y: uniform on [-1, 1], or standard normal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from math import exp, log

from sympy import Expr, Float

from pdedsl.config.distributions import Distribution, Lognormal, LogUniform, Normal, Uniform
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.reduced_problem import ReducedProblem
from pdedsl.ir.residual import Residual
from pdedsl.ir.spec import FamilyParameter, Spec
from pdedsl.record import Record
from pdedsl.symbolic.symbols import Field

GENERIC_REFERENCE_VALUE = 0.37  # reference variables of a member without special symmetries
MAX_DEVIATIONS = 5.0  # of a normal variable, which exceeds them with probability 6e-7


def is_normal(distribution: Distribution) -> bool:
    """Whether the reference variable is standard normal, rather than uniform on [-1, 1]."""
    return isinstance(distribution, Normal | Lognormal)


def value_at(distribution: Distribution, y: float) -> float:
    """The parameter at a reference variable."""
    match distribution:
        case Uniform(low=low, high=high):
            return float(low) + (float(high) - float(low)) * (y + 1) / 2
        case LogUniform(low=low, high=high):
            return float(low) * exp((y + 1) / 2 * log(float(high) / float(low)))
        case Normal(mean=mean, deviation=deviation):
            return float(mean) + float(deviation) * y
        case Lognormal(mean=mean, deviation=deviation):
            return exp(float(mean) + float(deviation) * y)


def reference_at(distribution: Distribution, value: float) -> float:
    """The reference variable of a value; inverse of `value_at`."""
    match distribution:
        case Uniform(low=low, high=high):
            return 2 * (value - float(low)) / (float(high) - float(low)) - 1
        case LogUniform(low=low, high=high):
            return 2 * log(value / float(low)) / log(float(high) / float(low)) - 1
        case Normal(mean=mean, deviation=deviation):
            return (value - float(mean)) / float(deviation)
        case Lognormal(mean=mean, deviation=deviation):
            return (log(value) - float(mean)) / float(deviation)


def parameter_values(parameters: tuple[FamilyParameter, ...], reference: tuple[float, ...]) -> dict[Expr, Expr]:
    """The values of the parameters at reference variables. Floats, since polynomials in exp(x/q) for a rational number
    p/q in an exponent have the degree p."""
    pairs = zip(parameters, reference, strict=True)
    return {Field(p.head, (), ()): Float(value_at(p.distribution, y)) for p, y in pairs}


def generic_values(spec: Spec) -> dict[Expr, Expr]:
    """The parameters of a generic member."""
    return parameter_values(spec.family, tuple(GENERIC_REFERENCE_VALUE / (k + 1) for k in range(len(spec.family))))


class Family(Record):
    """A problem with parameters."""

    problem: StrongForm
    parameters: tuple[FamilyParameter, ...]
    reduction: ReducedProblem | None = field(default=None, repr=False)  # for a reduced basis; else sparse interpolation
    reason: str = ""  # for that choice

    @property
    def is_random(self) -> bool:
        """Whether statistics of the solution are requested."""
        return any(p.is_random for p in self.parameters)

    def member(self, reference: tuple[float, ...]) -> StrongForm:
        """The problem at reference variables."""
        values = parameter_values(self.parameters, reference)
        conditions = tuple(c.map(lambda e: e.xreplace(values)) for c in self.problem.conditions)
        return replace(
            self.problem,
            equations=tuple(_member_residual(r, values) for r in self.problem.equations),
            conditions=conditions,
            exact=tuple(e if e is None else e.xreplace(values) for e in self.problem.exact),
            parameters=(),
        )


def _member_residual(residual: Residual, values: Mapping[Expr, Expr]) -> Residual:
    known = dict(values)
    sources = tuple(replace(s, strength=s.strength.xreplace(known)) for s in residual.point_sources)
    return replace(residual, expr=residual.expr.xreplace(known), point_sources=sources)
