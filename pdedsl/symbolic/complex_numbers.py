"""Complex expressions a + i b: real and imaginary parts, conjugates, powers and entire functions.

Fields, coordinates and constants are real, so that both parts are expressions without i.
"""

from __future__ import annotations

from functools import lru_cache

from sympy import Add, Expr, I, Integer, Mul, Pow, S, cos, cosh, exp, sin, sinh, sqrt

from pdedsl.symbolic.rewrite import exponential, product
from pdedsl.symbolic.symbols import Field, Partial

CACHE_SIZE = 2_000  # the terms of an equation are split again for its conditions and its exact solution
Parts = tuple[Expr, Expr]


class NoParts(Exception):
    """A function or power whose real and imaginary part are not expanded."""


def is_complex(expr: Expr) -> bool:
    """Whether i occurs in the expression."""
    return bool(expr.has(I))


def is_complex_field(expr: Expr) -> bool:
    """Whether a field is the real or imaginary part of a complex unknown."""
    return isinstance(expr, Field) and expr.head.is_real is None


def join(parts: Parts) -> Expr:
    """a + i b."""
    return parts[0] + I * parts[1]


@lru_cache(maxsize=CACHE_SIZE)
def real_and_imaginary(expr: Expr) -> Parts:
    """Real and imaginary part; raises NoParts for other functions of complex numbers than exp, sin, cos, sinh, cosh."""
    if not is_complex(expr):
        return expr, S.Zero
    match expr:
        case Add(args=terms):
            split = [real_and_imaginary(a) for a in terms]
            return Add(*(a for a, _ in split)), Add(*(b for _, b in split))
        case Mul(args=factors):
            real = [f for f in factors if not is_complex(f)]
            a, b = S.One, S.Zero
            for c, d in (real_and_imaginary(f) for f in factors if is_complex(f)):
                a, b = a * c - b * d, a * d + b * c
            return product(*real, a), product(*real, b)
        case Pow(base=base, exp=Integer() as n):
            return integer_power(real_and_imaginary(base), int(n))
        case Partial(body=body, slots=slots):
            a, b = real_and_imaginary(body)
            return Partial(a, *slots), Partial(b, *slots)
        case exp(args=(inner,)):
            a, b = real_and_imaginary(inner)
            return product(exponential(a), cos(b)), product(exponential(a), sin(b))
        case sin(args=(inner,)):
            a, b = real_and_imaginary(inner)
            return sin(a) * cosh(b), cos(a) * sinh(b)
        case cos(args=(inner,)):
            a, b = real_and_imaginary(inner)
            return cos(a) * cosh(b), -sin(a) * sinh(b)
        case sinh(args=(inner,)):
            a, b = real_and_imaginary(inner)
            return sinh(a) * cos(b), cosh(a) * sin(b)
        case cosh(args=(inner,)):
            a, b = real_and_imaginary(inner)
            return cosh(a) * cos(b), sinh(a) * sin(b)
        case _ if expr == I:
            return S.Zero, S.One
        case _:
            raise NoParts


def integer_power(base: Parts, n: int) -> Parts:
    """(a + i b)ⁿ by repeated squaring; for n < 0, the power of (a - i b)/(a² + b²)."""
    if n < 0:
        (a, b), below = base, squared_modulus(join(base))
        return integer_power((a / below, -b / below), -n)
    result: Parts = S.One, S.Zero
    while n:
        if n % 2:
            result = _multiply(result, base)
        base, n = _multiply(base, base), n // 2
    return result


def _multiply(z: Parts, w: Parts) -> Parts:
    return z[0] * w[0] - z[1] * w[1], z[0] * w[1] + z[1] * w[0]


def conjugate(expr: Expr) -> Expr:
    """a - i b."""
    a, b = real_and_imaginary(expr)
    return a - I * b


def squared_modulus(expr: Expr) -> Expr:
    """|z|² = a² + b²."""
    a, b = real_and_imaginary(expr)
    return a**2 + b**2


def modulus(expr: Expr) -> Expr:
    """|z| = √(a² + b²)."""
    return sqrt(squared_modulus(expr))
