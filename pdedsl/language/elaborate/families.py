"""Elaboration of the parameters of families and of random coefficients: `parameter κ in [0.2, 1.5] log`,
`parameter f(x) from gaussian_process(length=0.2, modes=10)`, `random κ ~ lognormal(0, 0.3)`."""

from __future__ import annotations

from itertools import product
from math import exp, fsum, prod, sqrt
from math import pi as pi_float

from sympy import Add, Expr, Mul, Rational, Symbol, pi, sin

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.distributions import (
    DISTRIBUTIONS,
    RANDOM_FUNCTIONS,
    Distribution,
    GaussianProcess,
    Lognormal,
    LogUniform,
    Normal,
    Uniform,
)
from pdedsl.ir.spec import FamilyParameter, Interval
from pdedsl.ir.types import Scalar, Sign
from pdedsl.language import ast as t
from pdedsl.language.elaborate.options import Evaluate, elaborate_option, exact_or_float
from pdedsl.symbolic.symbols import Field

MARGIN_LENGTHS = 2  # by which the interval of the eigenfunctions exceeds the domain, in correlation lengths


def interval_parameter(declaration: t.ParameterDecl, evaluate: Evaluate) -> FamilyParameter:
    """A parameter in an interval."""
    scale, items = declaration.scale, declaration.interval.items
    if scale is not None and scale.id != "log":
        raise errors.families.unknown_scale(scale.text, scale.span)
    if len(items) != 2:
        raise errors.types.not_an_interval(declaration.interval.span)
    low, high = (exact_or_float(evaluate(item)) for item in items)
    if scale is not None and low <= 0:
        raise errors.families.logarithm_of_nonpositive(declaration.interval.span)
    distribution = LogUniform(low=low, high=high) if scale is not None else Uniform(low=low, high=high)
    located = Located(distribution, span=declaration.interval.span)
    return _parameter(declaration.name, located, declaration, is_random=False)


def random_coefficient(declaration: t.RandomDecl, evaluate: Evaluate) -> FamilyParameter:
    """A random number with a distribution."""
    distribution = elaborate_option(declaration.distribution, DISTRIBUTIONS, "distribution", evaluate)
    return _parameter(declaration.name, distribution, declaration, is_random=True)


def _parameter(
    name: t.Name, distribution: Located[Distribution], declaration: t.Node, is_random: bool
) -> FamilyParameter:
    match distribution.config:
        case Uniform(low=low, high=high) | LogUniform(low=low, high=high) if not low < high:
            raise errors.families.empty_support(distribution.span)
    sign = sign_of(distribution.config)
    return FamilyParameter(
        name.text,
        name.id,
        head_symbol(name.text, sign),
        Scalar(sign),
        (),
        (),
        None,
        declaration.span,
        distribution=distribution.config,
        is_random=is_random,
    )


def sign_of(distribution: Distribution) -> Sign:
    """The sign of all values."""
    match distribution:
        case Uniform(low=low) if low >= 0:
            return Sign.POSITIVE if low > 0 else Sign.NONNEGATIVE
        case LogUniform() | Lognormal():
            return Sign.POSITIVE
        case _:
            return Sign.ANY


def head_symbol(name: str, sign: Sign) -> Symbol:
    """The symbol of a real number with its sign."""
    match sign:
        case Sign.POSITIVE:
            return Symbol(name, positive=True)
        case Sign.NONNEGATIVE:
            return Symbol(name, nonnegative=True)
        case Sign.ANY:
            return Symbol(name, real=True)


# ---- Random functions


def random_coefficients(
    declaration: t.ParameterFunctionDecl, evaluate: Evaluate
) -> tuple[GaussianProcess, tuple[FamilyParameter, ...]]:
    """The distribution of a random function, and its coefficients: independent, with mean 0 and variance 1."""
    process = elaborate_option(declaration.distribution, RANDOM_FUNCTIONS, "random function", evaluate).config
    name = declaration.name
    parameters = (
        FamilyParameter(
            f"{name.text}[{k}]",
            f"{name.id}_{k}",
            Symbol(f"{name.text}[{k}]", real=True),
            Scalar(),
            (),
            (),
            None,
            declaration.span,
            distribution=Normal(),
            function=name.text,
        )
        for k in range(1, process.modes + 1)
    )
    return process, tuple(parameters)


def random_function(
    process: GaussianProcess, coefficients: tuple[FamilyParameter, ...], x: tuple[Expr, ...], box: tuple[Interval, ...]
) -> Expr:
    """Σₖ √S(√λₖ) ξₖ φₖ(x), with the eigenfunctions φₖ of -Δ with zero boundary values on a larger box, in the order of
    their eigenvalues λₖ, and the spectral density S of the covariance (Solin, Särkkä 2020, section 3)."""
    length = float(process.length)
    half = [float(i.end - i.start) / 2 + MARGIN_LENGTHS * length for i in box]
    orders = sorted(
        product(range(1, len(coefficients) + 1), repeat=len(box)),
        key=lambda n: (round(fsum((k / h) ** 2 for k, h in zip(n, half, strict=True)), 9), n),
    )
    terms = []
    for xi, n in zip(coefficients, orders, strict=False):
        squared = fsum((pi_float * k / (2 * h)) ** 2 for k, h in zip(n, half, strict=True))
        density = (sqrt(2 * pi_float) * length) ** len(box) * exp(-(length**2) * squared / 2)
        modes = (
            sin(pi * k * (y - (i.start + i.end) / 2 + _rational(h)) / (2 * _rational(h)))
            for k, h, y, i in zip(n, half, x, box, strict=True)
        )
        terms.append(Mul(Field(xi.head, (), ()), _rational(sqrt(density / prod(half))), *modes))
    return Add(*terms)


def _rational(value: float) -> Rational:
    """Twelve digits: exact arithmetic with short numbers."""
    return Rational(f"{value:.12g}")
