"""Polynomial growth of coefficients and their first two derivatives in x: |f|, |f'|, |f''| ≤ C(1 + |x|)^k.

Sums, products and compositions follow the rules of differentiation. On a bounded domain only smoothness matters.
Learned fields are as regular as their networks: Lipschitz in x if the activation is; t is a parameter.
"""

from __future__ import annotations

from math import inf, isfinite

from sympy import (
    Abs,
    Add,
    Expr,
    Max,
    Min,
    Mul,
    Poly,
    Pow,
    Rational,
    Symbol,
    atan,
    cos,
    erf,
    exp,
    sin,
    tanh,
)

from pdedsl.analysis.bounds.interval import Box, range_of
from pdedsl.analysis.bounds.sign import nonnegative, positive
from pdedsl.config.networks import Cnn, Convnet, Mlp, Torch, Torchvision
from pdedsl.ir.spec import Learned, Spec
from pdedsl.ir.types import Vector
from pdedsl.numerics.activations import ACTIVATIONS, SQUARE, Activation
from pdedsl.record import Record
from pdedsl.symbolic.functions import ActivationFunction
from pdedsl.symbolic.symbols import Component, Field, Partial, atoms, free_symbols

EXPONENT_OF_ZERO = -inf  # the exponent of f = 0


class Growth(Record):
    """The exponents k for f, f' and f''; infinite if no bound is known or the derivative is discontinuous."""

    value: float
    first: float
    second: float

    @property
    def is_bounded(self) -> bool:
        return self.value <= 0

    @property
    def is_lipschitz(self) -> bool:
        return self.first <= 0

    @property
    def is_twice_bounded(self) -> bool:
        """Twice differentiable, with bounded second derivatives."""
        return self.second <= 0


CONSTANT = Growth(0, EXPONENT_OF_ZERO, EXPONENT_OF_ZERO)
COORDINATE = Growth(1, 0, EXPONENT_OF_ZERO)
NO_BOUND = Growth(inf, inf, inf)


class GrowthRules(Record):
    """Growth in some coordinates; on a `bounded` domain finite exponents are replaced by 0."""

    coordinates: frozenset[Symbol]
    box: Box
    spec: Spec
    bounded: bool

    def of(self, e: Expr) -> Growth:
        growth = self._of(e)
        if not self.bounded:
            return growth
        return Growth(*(0 if isfinite(k) else k for k in (growth.value, growth.first, growth.second)))

    def _depends_on_x(self, e: Expr) -> bool:
        if free_symbols(e) & self.coordinates:
            return True
        base = set(self.spec.space.coordinates)
        return any(free_symbols(f) & base for f in atoms(e, Field, Component))

    def _of(self, e: Expr) -> Growth:
        if not self._depends_on_x(e):
            return CONSTANT
        match e:
            case Symbol() | Component():
                return COORDINATE
            case Field():
                return self._network(e)
            case Partial(body=Field() as field):
                return _derivative_of_network(self._network(field))
            case Add():
                growths = [self._of(a) for a in e.args]
                return Growth(*(max(getattr(g, name) for g in growths) for name in ("value", "first", "second")))
            case Mul():
                growth = CONSTANT
                for a in e.args:
                    growth = _product(growth, self._of(a))
                return growth
            case Pow(base=base, exp=power):
                return self._power(base, power)
            case Max() | Min():
                growths = [self._of(a) for a in e.args]
                return Growth(max(g.value for g in growths), max(g.first for g in growths), inf)
            case _ if len(e.args) == 1:
                return self._function(e, self._of(e.args[0]))
        return NO_BOUND

    def _network(self, field: Field) -> Growth:
        learned = next((w for w in self.spec.learned if w.head == field.head), None)
        if learned is None or has_unknown_regularity(learned):
            return NO_BOUND
        activation = activation_of(learned)
        if not isfinite(activation.lipschitz):
            return NO_BOUND
        is_bounded = learned.net is None or (isinstance(learned.net.config, Mlp) and activation.bounded)
        growths = [COORDINATE if a.is_Symbol else self._of(a) for a in field.arguments]  # q(x²) has the growth of x²
        first = max(g.first for g in growths)
        second = max(2 * first, *(g.second for g in growths)) if activation.smooth else inf
        growth = Growth(0 if is_bounded else max(g.value for g in growths), first, second)
        is_curl = isinstance(learned.type, Vector) and learned.type.divergence_free and learned.net is not None
        return _derivative_of_network(growth) if is_curl else growth  # the curl of a network

    def _power(self, base: Expr, power: Expr) -> Growth:
        g = self._of(base)
        if not isinstance(power, Rational):
            return NO_BOUND
        if power.is_Integer and power > 0:
            return _integer_power(g, int(power))
        if not positive(base, self.box):
            return Growth(max(0, float(power)) * g.value, inf, inf) if power > 0 else NO_BOUND
        return _real_power(float(power), g, self._lower_exponent(base))

    def _lower_exponent(self, base: Expr) -> float:
        """k with base ≥ c(1 + |x|)^k, c > 0, for a base that is positive everywhere; -∞ if none is found: the degree of
        a polynomial in one dimension, and 0 on a bounded domain."""
        if len(self.coordinates) == 1 and base.is_polynomial(*self.coordinates):
            poly = Poly(base, *self.coordinates)
            range_ = range_of(poly.LC(), self.box)
            if range_ is not None and 0 not in range_:  # x²t + 1 is of degree 0 at t = 0
                return float(poly.degree())
        return 0.0 if self.bounded else EXPONENT_OF_ZERO

    def _exponential(self, power: Expr) -> Growth:
        g, bound = self._of(power), range_of(power, self.box)
        if g.is_bounded:
            return Growth(0, *_chain_exponents(g))
        if bound is None or bound.high == inf:
            return NO_BOUND
        decays = self._is_separable(power) and nonnegative(-power, self.box) and isfinite(g.second)
        return Growth(0, 0, 0) if decays else Growth(0, *_chain_exponents(g))

    def _is_separable(self, power: Expr) -> bool:
        """Whether it is Σ pᵢ(xᵢ) with polynomials pᵢ: then pᵢ' exp(pᵢ) is bounded if exp(pᵢ) is, unlike exp(-x²y²)."""
        if power.has(Field) or not power.is_polynomial(*self.coordinates):
            return False
        return all(len(free_symbols(a) & self.coordinates) <= 1 for a in Add.make_args(power))

    def _function(self, e: Expr, g: Growth) -> Growth:
        match e:
            case sin() | cos() | erf():
                return Growth(0, *_chain_exponents(g))
            case exp():
                return self._exponential(e.args[0])
            case Abs():
                has_one_sign = positive(e.args[0], self.box) or positive(-e.args[0], self.box)
                return g if has_one_sign else Growth(g.value, g.first, inf)
            case tanh() | atan() | ActivationFunction():
                return _activation(ACTIVATIONS[type(e).__name__], g)
        return NO_BOUND


def _derivative_of_network(g: Growth) -> Growth:
    """A derivative of a network: bounded, with bounded derivatives if the activation is smooth."""
    return NO_BOUND if not g.is_lipschitz else Growth(0, 0, 0) if g.is_twice_bounded else Growth(0, inf, inf)


def _activation(activation: Activation, g: Growth) -> Growth:
    if activation is SQUARE:
        return _product(g, g)
    value = g.value if activation.keeps_sign else max(0, g.value)  # softplus(0) is not 0
    return Growth(0 if activation.bounded else value, g.first, _chain_exponents(g)[1] if activation.smooth else inf)


def _chain_exponents(g: Growth) -> tuple[float, float]:
    """The exponents of (f∘g)' and (f∘g)'', for f with bounded derivatives."""
    return g.first, max(g.second, 2 * g.first)


def _product(a: Growth, b: Growth) -> Growth:
    first = max(_add_exponents(a.first, b.value), _add_exponents(a.value, b.first))
    second = max(_add_exponents(a.second, b.value), _add_exponents(a.first, b.first), _add_exponents(a.value, b.second))
    return Growth(_add_exponents(a.value, b.value), first, second)


def _integer_power(g: Growth, n: int) -> Growth:
    """f^n."""
    first = _add_exponents((n - 1) * g.value, g.first)
    return Growth(
        n * g.value,
        first,
        max(_add_exponents((n - 1) * g.value, g.second), _add_exponents((n - 2) * g.value, 2 * g.first)),
    )


def _add_exponents(j: float, k: float) -> float:
    return EXPONENT_OF_ZERO if EXPONENT_OF_ZERO in (j, k) else j + k


def _real_power(p: float, g: Growth, least: float) -> Growth:
    """f^p for f ≥ c(1 + |x|)^least."""

    def exponent_of_power(q: float) -> float:
        return q * (g.value if q > 0 else least)

    first = _add_exponents(exponent_of_power(p - 1), g.first)
    return Growth(
        exponent_of_power(p),
        first,
        max(_add_exponents(exponent_of_power(p - 1), g.second), _add_exponents(exponent_of_power(p - 2), 2 * g.first)),
    )


def has_unknown_regularity(learned: Learned) -> bool:
    """Whether the network is user code, or one of torchvision: with squeeze-and-excitation, which multiplies channels
    by a function of all of them, it is not Lipschitz."""
    return learned.net is not None and isinstance(learned.net.config, Torch | Torchvision)


def activation_of(learned: Learned) -> Activation:
    """The activation of the network; relu if it is fixed."""
    net = learned.net.config if learned.net else None
    return net.activation if isinstance(net, Mlp | Convnet | Cnn) else ACTIVATIONS["relu"]
