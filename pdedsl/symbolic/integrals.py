"""Definite integrals of polynomials in x and in sin, cos, sinh, cosh and exp of linear functions of x; kinks of other
integrands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from sympy import (
    Abs,
    Add,
    Expr,
    Heaviside,
    I,
    Max,
    Min,
    Mul,
    Pow,
    S,
    Symbol,
    cos,
    cosh,
    exp,
    sign,
    sin,
    sinh,
)

from pdedsl.symbolic.rewrite import expand
from pdedsl.symbolic.symbols import atoms


def integral(expr: Expr, x: Symbol, low: Expr, high: Expr) -> Expr | None:
    """∫ expr dx from `low` to `high`; None for other integrands."""
    parts = []
    for term in Add.make_args(expand(expr)):
        outside, inside = term.as_independent(x, as_Add=False)
        primitive = _antiderivative(inside, x)
        if primitive is None:
            return None
        parts.append(outside * (primitive.xreplace({x: high}) - primitive.xreplace({x: low})))
    return expand(Add(*parts))


def kinks(integrand: Expr, variable: Symbol) -> Iterator[Expr]:
    """The values of a variable at which |·|, steps, maxima and minima switch, if these are affine in it."""
    for part in atoms(integrand, Abs, sign, Heaviside, Max, Min):
        levels = part.args[:1] if not isinstance(part, Max | Min) else [a - b for a, b in combinations(part.args, 2)]
        for level in levels:
            rate = level.diff(variable)
            if rate != 0 and variable not in rate.free_symbols:
                yield expand(variable - level / rate)


def fractional_laplacian_of_waves(expr: Expr, power: Expr, coordinates: Sequence[Symbol]) -> Expr | None:
    """(-Δ)ˢ of a sum of products of sines and cosines of linear functions: exp(iκ·x) times |κ|²ˢ; None of others."""
    waves = expand(expr.rewrite([sin, cos], exp), power_exp=False)
    terms = []
    for term in Add.make_args(expand(waves, power_exp=False)):
        exponent = Add(*(f.args[0] for f in Mul.make_args(term) if isinstance(f, exp)))
        frequencies = [exponent.diff(x) / I for x in coordinates]
        amplitude = Mul(*(f for f in Mul.make_args(term) if not isinstance(f, exp)))
        constant = not any(k.free_symbols & {*coordinates} or k.is_real is False for k in frequencies)
        if not constant or amplitude.free_symbols & {*coordinates}:
            return None
        square = expand(Add(*(k**2 for k in frequencies)))
        terms.append(S.Zero if square == 0 else amplitude * exp(exponent) * square**power)
    return _real_part(Add(*terms))


def _antiderivative(expr: Expr, x: Symbol) -> Expr | None:
    match expr:
        case S.One:
            return x
        case Symbol():
            return x**2 / 2
        case Pow(base=base, exp=n) if base == x and n.is_Integer and n.is_nonnegative:
            return x ** (n + 1) / (n + 1)
        case sin() | cos() | exp():
            rate = expr.args[0].diff(x)
            if rate.has(x):
                return None
            primitive = {sin: lambda a: -cos(a), cos: sin, exp: exp}[type(expr)]
            return primitive(expr.args[0]) / rate
        case Mul() | Pow() | sinh() | cosh():
            exponentials = expand(expr.rewrite([sin, cos, sinh, cosh], exp), power_exp=False)
            parts = [_integrate_exponential(term, x) for term in Add.make_args(exponentials)]
            return None if None in parts else _real_part(Add(*(p for p in parts if p is not None)))
    return None


def _integrate_exponential(term: Expr, x: Symbol) -> Expr | None:
    """∫ c xⁿ exp(ax + b) dx by parts; a may be imaginary."""
    outside, inside = term.as_independent(x, as_Add=False)
    a = Add(*(f.args[0] for f in Mul.make_args(inside) if isinstance(f, exp)))
    rate, power = a.diff(x), Mul(*(f for f in Mul.make_args(inside) if not isinstance(f, exp)))
    n = power.as_base_exp()[1] if power != 1 else S.Zero
    if rate.has(x) or power != x**n or not (n.is_Integer and n.is_nonnegative):
        return None
    if rate == 0:
        return outside * exp(a) * x ** (n + 1) / (n + 1)
    re, im = rate.as_real_imag()
    inverse, total = (re - I * im) / (re**2 + im**2), S.Zero
    for k in range(int(n) + 1):
        total = (x**k - k * total) * inverse
    return outside * exp(a) * total


def _real_part(total: Expr) -> Expr:
    """The real part; the imaginary part is zero. exp(a + ib) is replaced by exp(a) (cos(b) + i sin(b))."""
    parts = {e: e.args[0].as_real_imag() for e in atoms(total, exp) if e.has(I)}
    expanded = expand(
        total.xreplace({e: exp(a) * (cos(b) + I * sin(b)) for e, (a, b) in parts.items()}), power_exp=False
    )
    return Add(*(term for term in Add.make_args(expanded) if not term.has(I)))
