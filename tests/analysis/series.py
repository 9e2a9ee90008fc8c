"""Right-hand sides on the line, evaluated from the text by power series in x: an independent check of counterexamples.

Nothing but the syntax tree is used, neither the elaboration nor the analysis. A function is its Taylor coefficients at
a point; what has no real value there raises NoValue, before and after differentiating.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import mpmath as mp

from pdedsl.compiler import to_syntax
from pdedsl.diagnostics import Source
from pdedsl.language import ast as t

N = 7  # coefficients
Series = list[mp.mpf]
FUNCTIONS: dict[str, Callable[[mp.mpf], mp.mpf]] = {
    **{name: getattr(mp, name) for name in "exp log sqrt sin cos tan asin acos atan sinh cosh tanh erf".split()},
    "arctan": mp.atan,
    "relu": lambda z: max(z, mp.mpf(0)),
    "abs": abs,
    "sign": mp.sign,
    "heaviside": lambda z: mp.mpf(z > 0),
    "softplus": lambda z: mp.log(1 + mp.exp(z)),
    "sigmoid": lambda z: 1 / (1 + mp.exp(-z)),
    "gelu": lambda z: z * (1 + mp.erf(z / mp.sqrt(2))) / 2,
    "silu": lambda z: z / (1 + mp.exp(-z)),
    "square": lambda z: z * z,
}


class NoValue(Exception):
    """There is no real value."""


class NoRule(Exception):
    """The notation is not read here."""


@dataclass(frozen=True)
class Place:
    """A point, the time there, and the Taylor coefficients of u."""

    x: mp.mpf
    t: mp.mpf
    u: tuple[mp.mpf, ...]


def right_of(text: str) -> t.Expr:
    """The right-hand side of the only equation ∂ⁿu/∂tⁿ = …; raises NoRule if there is more to the spec than that."""
    found = [s for s in to_syntax(Source(text)).statements if isinstance(s, t.EquationStmt) and _leads(s.left)]
    if (
        len(found) != 1
        or found[0].time_interval
        or any(word in text for word in ("let ", "const ", "learn ", "unknown v"))
    ):
        raise NoRule
    return found[0].right


def _leads(left: t.Expr) -> bool:
    return isinstance(left, t.Derivative) and isinstance(left.body, t.Name) and {w.name.id for w in left.wrt} == {"t"}


def value_of(expr: t.Expr, at: Place) -> mp.mpf:
    return evaluated(expr, at)[0]


def evaluated(expr: t.Expr, at: Place) -> Series:
    match expr:
        case t.Number(text=text):
            return _constant(mp.mpf(text))
        case t.Fraction(value=(a, b)):
            return _constant(mp.mpf(a) / b)
        case t.Name(id=name):
            return _named(name, at)
        case t.Group(body=body):
            return evaluated(body, at)
        case t.Norm(body=body):
            return _of(abs, evaluated(body, at))
        case t.Negation(body=body):
            return [-a for a in evaluated(body, at)]
        case t.Derivative(body=body, wrt=wrt) if {w.name.id for w in wrt} == {"x"}:
            return _derived(evaluated(body, at), sum(w.order for w in wrt))
        case t.Prefix(operator=operator, body=body):
            return _derived(evaluated(body, at), 2 if operator in ("lap", "hess") else 1)
        case t.Call(head=t.Name(id=name), args=args, named=()) if name in ("min", "max"):
            values = [evaluated(a, at) for a in args]
            return (min if name == "min" else max)(values, key=lambda s: s[0])
        case t.Call(head=t.Name(id=name), args=(inner,), named=()) if name in FUNCTIONS:
            return _of(FUNCTIONS[name], evaluated(inner, at))
        case t.Power(base=base, exponent=exponent):
            return _power(evaluated(base, at), evaluated(exponent, at))
        case t.Sum(terms=terms):
            parts = [[-a if s == "-" else a for a in evaluated(e, at)] for s, e in terms]
            return [mp.fsum(column) for column in zip(*parts, strict=True)]
        case t.Product(factors=factors):
            total = _constant(mp.mpf(1))
            for sign, e in factors:
                other = evaluated(e, at)
                total = _times(total, _power(other, _constant(mp.mpf(-1))) if sign == "/" else other)
            return total
    raise NoRule


def _named(name: str, at: Place) -> Series:
    match name:
        case "x":
            return [at.x, mp.mpf(1), *[mp.mpf(0)] * (N - 2)]
        case "t":
            return _constant(at.t)
        case "u":
            return [*at.u, *[mp.mpf(0)] * (N - len(at.u))]
        case "pi":
            return _constant(mp.pi)
    raise NoRule


def _constant(a: mp.mpf) -> Series:
    return [a, *[mp.mpf(0)] * (N - 1)]


def _derived(a: Series, order: int) -> Series:
    for _ in range(order):
        a = [*((k + 1) * a[k + 1] for k in range(N - 1)), mp.mpf(0)]
    return a


def _times(a: Series, b: Series) -> Series:
    return [mp.fsum(a[j] * b[k - j] for j in range(k + 1)) for k in range(N)]


def _of(f: Callable[[mp.mpf], mp.mpf], inner: Series) -> Series:
    """f of a series, by Taylor's formula at its first coefficient."""
    try:
        slopes = mp.taylor(f, inner[0], N - 1, chop=False)
    except (ValueError, ZeroDivisionError) as fault:
        raise NoValue from fault
    if any(mp.im(a) or not mp.isfinite(a) for a in slopes):
        raise NoValue
    step, total = [mp.mpf(0), *inner[1:]], _constant(slopes[-1])
    for a in reversed(slopes[:-1]):
        total = _times(total, step)
        total[0] += a
    return total


def _power(base: Series, exponent: Series) -> Series:
    p = exponent[0]
    if any(exponent[1:]):
        return _of(mp.exp, _times(exponent, _of(mp.log, base)))
    if p == int(p) and p >= 0:
        total = _constant(mp.mpf(1))
        for _ in range(int(p)):
            total = _times(total, base)
        return total
    if base[0] == 0 or (base[0] < 0 and p != int(p)):
        raise NoValue
    return _of(lambda z: z**p, base)


def places(given: dict[str, mp.mpf]) -> Iterator[Place]:
    """Points with the printed values; values that are not printed are chosen in several ways."""
    for free in map(mp.mpf, ("0.37", "0.71", "1.3", "-0.41", "2.2", "-1.7")):
        letters = [given.get(name, free * scale) for name, scale in (("u", 1), ("p1", mp.mpf("0.9")), ("x11", 1))]
        yield Place(given.get("x", abs(free) / 3), given.get("t", abs(free) / 3), (*letters[:2], letters[2] / 2))
