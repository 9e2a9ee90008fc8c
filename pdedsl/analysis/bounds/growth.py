"""How fast a coefficient and its first two derivatives in space may grow: |f| ≤ C(1 + |x|)^k, and so for f' and f''.

Sums, products and compositions follow the usual rules. On a bounded domain only smoothness matters. Learned fields are
taken to be as regular as their networks: Lipschitz in x if the activation is; t is a parameter.
"""

from __future__ import annotations

from dataclasses import dataclass
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
    S,
    Symbol,
    atan,
    cos,
    erf,
    exp,
    log,
    sin,
    tan,
    tanh,
)

from pdedsl.analysis.bounds.interval import Box, range_of
from pdedsl.analysis.bounds.sign import nonnegative, positive
from pdedsl.config.networks import Convnet, Mlp, Torch, Torchvision
from pdedsl.ir.spec import Learned, Spec
from pdedsl.ir.types import Vector
from pdedsl.numerics.activations import ACTIVATIONS as RECORDS
from pdedsl.numerics.activations import SQUARE
from pdedsl.numerics.activations import Activation as Record
from pdedsl.symbolic.functions import Activation
from pdedsl.symbolic.symbols import Component, Contraction, Field, Partial, atoms, free_symbols

NONE = -inf  # identically zero
SLOW = 0.1  # exponent for a logarithm


@dataclass(frozen=True)
class Growth:
    """The exponents k for f, f' and f''; infinite where no bound is known, or the derivative is not continuous."""

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


CONSTANT = Growth(0, NONE, NONE)
COORDINATE = Growth(1, 0, NONE)
WILD = Growth(inf, inf, inf)


@dataclass(frozen=True)
class Grower:
    """Finds the growth in some coordinates; where the domain is `bounded`, finite exponents count as 0."""

    coordinates: frozenset[Symbol]
    box: Box
    spec: Spec
    bounded: bool

    def of(self, e: Expr) -> Growth:
        found = self._of(e)
        if not self.bounded:
            return found
        return Growth(*(0 if isfinite(k) else k for k in (found.value, found.first, found.second)))

    def _varies(self, e: Expr) -> bool:
        if free_symbols(e) & self.coordinates:
            return True
        base = set(self.spec.space.coordinates)
        return any(free_symbols(f) & base for f in atoms(e, Field, Component))

    def _of(self, e: Expr) -> Growth:
        if not self._varies(e):
            return CONSTANT
        match e:
            case Symbol() | Component():
                return COORDINATE
            case Field():
                return self._learned(e)
            case Partial(body=Field() as field):
                return _derived(self._learned(field))
            case Contraction(body=body):
                return self._of(body)
            case Add():
                found = [self._of(a) for a in e.args]
                return Growth(*(max(getattr(g, name) for g in found) for name in ("value", "first", "second")))
            case Mul():
                whole = CONSTANT
                for a in e.args:
                    whole = _times(whole, self._of(a))
                return whole
            case Pow(base=base, exp=power):
                return self._power(base, power)
            case Max() | Min():
                found = [self._of(a) for a in e.args]
                return Growth(max(g.value for g in found), max(g.first for g in found), inf)
            case _ if len(e.args) == 1:
                return self._function(e, self._of(e.args[0]))
        return WILD

    def _learned(self, field: Field) -> Growth:
        learned = next((w for w in self.spec.learned if w.head == field.head), None)
        if learned is None or is_foreign(learned):
            return WILD
        facts = activation_of(learned)
        if not isfinite(facts.lipschitz):
            return WILD
        flat = learned.net is None or (isinstance(learned.net.word, Mlp) and facts.bounded)
        found = [COORDINATE if a.is_Symbol else self._of(a) for a in field.arguments]  # q(x²) grows as x² does
        first = max(g.first for g in found)
        second = max(2 * first, *(g.second for g in found)) if facts.smooth else inf
        whole = Growth(0 if flat else max(g.value for g in found), first, second)
        curls = isinstance(learned.type, Vector) and learned.type.divergence_free and learned.net is not None
        return _derived(whole) if curls else whole  # the curl of a network

    def _power(self, base: Expr, power: Expr) -> Growth:
        g = self._of(base)
        if base == S.Exp1:
            return self._exponential(power)
        if not isinstance(power, Rational):
            return WILD
        if power.is_Integer and power > 0:
            return _raised(g, int(power))
        if not positive(base, self.box):
            return Growth(max(0, float(power)) * g.value, inf, inf) if power > 0 else WILD
        return _composed(float(power), g, self._least(base))

    def _least(self, base: Expr) -> float:
        """k with base ≥ c(1 + |x|)^k, c > 0, for a base that is positive at every point; -∞ if none is found.

        It is the degree in one dimension, 2 for c + Σ cᵢxᵢ² over all xᵢ, and -k for 1/f with f ≤ C(1 + |x|)^k.
        """
        if len(self.coordinates) == 1 and base.is_polynomial(*self.coordinates):
            poly = Poly(base, *self.coordinates)
            if self._is_away(poly.LC()):  # x²t + 1 is of degree 0 at t = 0
                return float(poly.degree())
        constant, rest = base.as_coeff_Add()
        squared = {_squared(a) for a in Add.make_args(rest)}
        whole = squared == self.coordinates or any(isinstance(x, Component) for x in squared)
        if constant.is_positive and None not in squared and whole:
            return 2.0
        if self.bounded or self._is_above(base):
            return 0.0
        if isinstance(base, Pow) and base.base != S.Exp1 and base.exp.is_Rational and base.exp < 0:
            return float(base.exp) * self._of(base.base).value
        return NONE

    def _is_away(self, e: Expr) -> bool:
        """Whether |e| ≥ c > 0, at all times, for an expression without x."""
        found = range_of(e, self.box)
        if found is not None and 0 not in found:
            return True
        times = {self.spec.time.symbol} if self.spec.time else set()
        return bool(e.is_nonzero) and not free_symbols(e) & {*self.box, *times}

    def _is_above(self, e: Expr) -> bool:
        """Whether e ≥ c > 0 in all of space: 1 + exp(x) is, sigmoid(x) is not."""
        found = range_of(e, self.box)
        if found is not None and found.low > 0:
            return True
        if isinstance(e, Field):
            return self._learned(e).is_bounded  # softplus of a bounded network
        terms = Add.make_args(e)
        lifted = any(a.is_positive and not self._varies(a) and self._is_away(a) for a in terms)
        return lifted and all(nonnegative(a, self.box) for a in terms)

    def _exponential(self, power: Expr) -> Growth:
        g, most = self._of(power), range_of(power, self.box)
        if g.is_bounded:
            return Growth(0, *_chained(g))
        if most is None or most.high == inf:
            return Growth(0, *_chained(g)) if self.bounded and isfinite(g.value) else WILD
        falls = self._is_apart(power) and nonnegative(-power, self.box) and isfinite(g.second)
        return Growth(0, 0, 0) if falls else Growth(0, *_chained(g))

    def _is_apart(self, power: Expr) -> bool:
        """Whether it is Σ pᵢ(xᵢ) with polynomials pᵢ: then pᵢ' exp(pᵢ) is bounded if exp(pᵢ) is. Not so exp(-x²y²)."""
        if power.has(Field) or not power.is_polynomial(*self.coordinates):
            return False
        return all(len(free_symbols(a) & self.coordinates) <= 1 for a in Add.make_args(power))

    def _logarithm(self, inner: Expr, g: Growth) -> Growth:
        if not positive(inner, self.box):
            return WILD
        least = self._least(inner)
        first = _plus(-least, g.first)
        value = SLOW if isfinite(least) and isfinite(g.value) else inf
        return Growth(value, first, max(_plus(-least, g.second), 2 * first))

    def _function(self, e: Expr, g: Growth) -> Growth:
        match e:
            case sin() | cos() | erf():
                return Growth(0, *_chained(g))
            case exp():
                return self._exponential(e.args[0])
            case Abs():
                keeps = positive(e.args[0], self.box) or positive(-e.args[0], self.box)
                return g if keeps else Growth(g.value, g.first, inf)
            case log():
                return self._logarithm(e.args[0], g)
            case tan():
                inside = range_of(e.args[0], self.box)
                return Growth(0, *_chained(g)) if inside and inside.low > -1.5 and inside.high < 1.5 else WILD
            case tanh() | atan() | Activation():
                return _activated(RECORDS[type(e).__name__], g)
        return WILD


def _derived(g: Growth) -> Growth:
    """A derivative of a network: bounded, and so are its own derivatives if the activation is smooth."""
    return WILD if not g.is_lipschitz else Growth(0, 0, 0) if g.is_twice_bounded else Growth(0, inf, inf)


def _activated(facts: Record, g: Growth) -> Growth:
    if facts is SQUARE:
        return _times(g, g)
    value = g.value if facts.keeps_sign else max(0, g.value)  # softplus(0) is not 0
    return Growth(0 if facts.bounded else value, g.first, _chained(g)[1] if facts.smooth else inf)


def _squared(e: Expr) -> Expr | None:
    """x, for c x² with c > 0; xᵢ, for c Σᵢ xᵢ²."""
    factor, body = e.as_coeff_Mul()
    summed = isinstance(body, Contraction)
    base, power = (body.body if summed else body).as_base_exp()
    fits = factor.is_positive and power == 2 and (isinstance(base, Component) if summed else base.is_Symbol)
    return base if fits else None


def _chained(g: Growth) -> tuple[float, float]:
    """The exponents of (f∘g)' and (f∘g)'', for f with bounded derivatives."""
    return g.first, max(g.second, 2 * g.first)


def _times(a: Growth, b: Growth) -> Growth:
    first = max(_plus(a.first, b.value), _plus(a.value, b.first))
    second = max(_plus(a.second, b.value), _plus(a.first, b.first), _plus(a.value, b.second))
    return Growth(_plus(a.value, b.value), first, second)


def _raised(g: Growth, n: int) -> Growth:
    """f^n."""
    if n == 1:
        return g
    first = _plus((n - 1) * g.value, g.first)
    return Growth(n * g.value, first, max(_plus((n - 1) * g.value, g.second), _plus((n - 2) * g.value, 2 * g.first)))


def _plus(j: float, k: float) -> float:
    return NONE if NONE in (j, k) else j + k


def _composed(p: float, g: Growth, least: float) -> Growth:
    """f^p for f ≥ c(1 + |x|)^least."""

    def powered(q: float) -> float:
        return q * (g.value if q > 0 else least)

    first = _plus(powered(p - 1), g.first)
    return Growth(powered(p), first, max(_plus(powered(p - 1), g.second), _plus(powered(p - 2), 2 * g.first)))


def is_foreign(learned: Learned) -> bool:
    """Whether its network is the user's own code, of which nothing is known, or one of torchvision: where it multiplies
    channels by a function of all of them (squeeze and excitation), its slopes are not bounded."""
    return learned.net is not None and isinstance(learned.net.word, Torch | Torchvision)


def activation_of(learned: Learned) -> Record:
    """The activation of its network; relu if the network offers no choice."""
    net = learned.net.word if learned.net else None
    return net.activation if isinstance(net, Mlp | Convnet) else RECORDS["relu"]
