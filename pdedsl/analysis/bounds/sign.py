"""Signs of expressions over boxes: by assumptions on symbols, ranges, isolated roots of polynomials, and subdivision.

A polynomial is nonnegative if its values between consecutive roots are (Basu, Pollack, Roy, Algorithms in Real
Algebraic Geometry, chapter 10); other functions are bounded on subboxes (Moore, Kearfott, Cloud, Introduction to
Interval Analysis, chapter 5). False means that no proof was found.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import isinf

from sympy import (
    Abs,
    Add,
    Dummy,
    Expr,
    Function,
    Heaviside,
    Max,
    Min,
    Mul,
    Number,
    NumberSymbol,
    Poly,
    Pow,
    Rational,
    S,
    Symbol,
    atan,
    cancel,
    ceiling,
    cos,
    cosh,
    erf,
    exp,
    factor,
    floor,
    fraction,
    log,
    pi,
    real_roots,
    sign,
    sin,
    sinh,
    tanh,
    together,
)
from sympy import Matrix as Entries

from pdedsl.analysis.bounds.interval import LINE, Box, RealInterval, enclosure_of_number, range_of
from pdedsl.analysis.bounds.relu_form import to_relu_form
from pdedsl.analysis.sample_points import Point, Ranges, find_nonzero_point
from pdedsl.symbolic.functions import ActivationDerivative, ActivationFunction
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.rewrite import expand, expression_size
from pdedsl.symbolic.symbols import Contraction, Field, Partial, atoms

# ---- Roots of univariate polynomials


MAX_DEGREE = 12  # of polynomials whose roots are isolated


def _rational_polynomial(expr: Expr, x: Symbol) -> Poly | None:
    poly = Poly(expr, x) if expr.is_polynomial(x) else None
    fits = poly is not None and poly.degree() <= MAX_DEGREE and all(c.is_Rational for c in poly.all_coeffs())
    return poly if fits else None


def points_between_roots(expr: Expr, x: Symbol, ends: RealInterval) -> list[Rational]:
    """Points at which a polynomial in x takes each of its signs; none for other functions."""
    poly = _rational_polynomial(expr, x)
    return [] if poly is None else list(_points_between_roots(poly, ends))


def _points_between_roots(poly: Poly, ends: RealInterval) -> Iterator[Rational]:
    """A rational number in each interval between consecutive roots and ends."""
    low, high = (None if isinf(e) else Rational(e.numerator, e.denominator) for e in (ends.low, ends.high))  # type: ignore[union-attr]
    roots = dict.fromkeys(real_roots(poly)) if poly.degree() > 0 else {}
    marks = [low, *(r for r in roots if (low is None or r > low) and (high is None or r < high)), high]
    for a, b in pairwise(marks):
        if a is None or b is None:
            beside = a if a is not None else b
            yield S.Zero if beside is None else floor(beside) - 1 if a is None else ceiling(beside) + 1
        else:
            yield _between(a, b)


def _between(a: Expr, b: Expr) -> Rational:
    """A rational number strictly between two numbers, with as many digits as it takes."""
    digits = 20
    while True:
        middle = Rational(((a + b) / 2).evalf(digits))
        if a < middle < b:
            return middle
        digits *= 2


# ---- Nonnegativity


MAX_TERMS = 30  # longer sums are not brought to a common denominator
MAX_SYMBOLIC_TERMS = 200  # longer sums: interval range only
MAX_FUNCTIONS = 12  # more functions: interval range only; polynomials in more symbols are too large
MAX_FACTORED = 8  # longer sums are not factored
MAX_BITS = 512  # of all numbers in a factored sum: factoring needs a larger prime
MAX_SUBBOXES = 400  # in the subdivision of a box
MAX_EVALUATED_NODES = 100_000  # of expressions, in all subboxes together


def vanishes(expr: Expr) -> bool:
    """Whether a sum is zero after cancellation; False if undecided."""
    if not 1 < len(Add.make_args(expr)) <= MAX_TERMS:
        return bool(expr == 0)
    straight = to_relu_form(expr)
    return bool(cancel(together(expr)) == 0 or (straight != expr and expand(straight) == 0))


def is_zero(expr: Expr, ranges: Ranges) -> bool | None:
    """True if zero everywhere, False if nonzero at a sample point, None if undecided."""
    if expr != 0 and find_nonzero_point(expr, ranges) is not None:
        return False
    return True if vanishes(expr) else None


def box_of(ranges: Ranges) -> Box:
    """The box of coordinates and time."""
    box = {}
    for symbol, (a, b) in ranges.items():
        low, high = enclosure_of_number(a), enclosure_of_number(b)
        if low is not None and high is not None:
            box[symbol] = RealInterval(low.low, high.high)
    return box


def nonnegative(expr: Expr, box: Box, dimension: int | None = None) -> bool:
    """Whether an expression is nonnegative wherever it is defined in the box; False if undecided."""
    if len(Add.make_args(expr)) > MAX_SYMBOLIC_TERMS or len(atoms(expr, Function)) > MAX_FUNCTIONS:
        range_ = range_of(expr, box, dimension, poles=True)
        return range_ is not None and range_.low >= 0
    if expr.is_nonnegative:
        return True
    expr = _with_symbols(expr)
    dependences: set[Expr] = set()
    for form in _forms(expr):
        if form not in dependences and _form_is_nonnegative(form, box, dimension):
            return True
        dependences.add(form)
    return False


def _with_symbols(expr: Expr) -> Expr:
    """The expression with symbols of the same sign for fields and derivatives."""
    if expr.has(Contraction):
        return expr
    variables: dict[Expr, Symbol] = {}
    for atom in sorted((*atoms(expr, Partial), *atoms(expr, Field)), key=str):
        known = {"positive": True} if atom.is_positive else {"nonnegative": True} if atom.is_nonnegative else {}
        variables[atom] = Dummy(f"z{len(variables)}", real=True, **known)
    return expr.xreplace(variables)


def positive(expr: Expr, box: Box) -> bool:
    """Whether an expression is positive everywhere in the box: by its assumptions, or its range."""
    if expr.is_positive:
        return True
    range_ = range_of(expr, box)
    return range_ is not None and range_.low > 0


def _forms(expr: Expr) -> Iterator[Expr]:
    """Equivalent forms of an expression for sign proofs: cancelled, factored, without denominator."""
    yield expr
    terms = len(Add.make_args(expr))
    if terms == 1 or terms > MAX_TERMS or expr.has(Contraction):
        return
    if expr.has(Abs, Max, Min):
        yield expand(to_relu_form(expr))  # |x| + x is 2relu(x)
    if expr.has(atan):
        yield from _factorizations(
            expr.replace(atan, lambda _: pi / 2 * tanh(Dummy(real=True)))
        )  # between -π/2 and π/2
    yield (simpler := cancel(together(expr)))
    yield from _factorizations(simpler)
    constant, rest = simpler.as_coeff_Add()
    if constant.is_nonnegative:
        yield from _factorizations(rest)  # x² - 2xy + y² + 1 is a square plus 1
    above, below = fraction(simpler)
    if below.is_nonnegative:
        yield above  # undefined at zeros of the denominator
        yield from _factorizations(above)


def _factorizations(expr: Expr) -> Iterator[Expr]:
    bits = sum(int(number.p).bit_length() + int(number.q).bit_length() for number in atoms(expr, Rational))
    if expr.is_Add and len(expr.args) <= MAX_FACTORED and bits <= MAX_BITS:
        yield factor(expr)


def _form_is_nonnegative(expr: Expr, box: Box, dimension: int | None) -> bool:
    if expr.is_nonnegative:
        return True
    range_ = range_of(expr, box, dimension, poles=True)
    if range_ is not None and range_.low >= 0:
        return True
    symbols = sorted(expr.free_symbols, key=str)
    if len(symbols) == 1 and expr.is_polynomial(*symbols):
        (x,) = symbols
        poly = _rational_polynomial(expr, x)
        ends = box.get(x) or range_of(x, box) or LINE
        return poly is not None and all(poly.eval(p) >= 0 for p in _points_between_roots(poly, ends))
    return _quadratic_is_nonnegative(expr, symbols) or _by_subdivision(expr, symbols, box)


def _by_subdivision(expr: Expr, symbols: list[Symbol], box: Box) -> bool:
    """Whether the range is nonnegative on every subbox, by adaptive bisection of a bounded box (Moore, Kearfott, Cloud,
    Introduction to Interval Analysis, section 5.7)."""
    ends = [box.get(s) for s in symbols]
    if not 1 <= len(symbols) <= 3 or any(e is None or isinf(e.low) or isinf(e.high) for e in ends):
        return False
    pending = [dict(box)]
    for _ in range(min(MAX_SUBBOXES, MAX_EVALUATED_NODES // (1 + expression_size(expr)[0]))):
        if not pending:
            return True
        subbox = pending.pop()
        range_ = range_of(expr, subbox)
        if range_ is not None and range_.low >= 0:
            continue
        widest = max(symbols, key=lambda s: subbox[s].high - subbox[s].low)
        low, high = subbox[widest].low, subbox[widest].high
        middle = (low + high) / 2
        if high - low < Fraction(1, 1 << 12) or (range_ is not None and range_.high < 0):
            return False
        pending += [subbox | {widest: RealInterval(low, middle)}, subbox | {widest: RealInterval(middle, high)}]
    return False


def _quadratic_is_nonnegative(expr: Expr, symbols: list[Symbol]) -> bool:
    """A quadratic polynomial is (1, x)ᵀ M (1, x): nonnegative if M ⪰ 0."""
    if not symbols or len(symbols) > 6 or not expr.is_polynomial(*symbols):
        return False
    poly = Poly(expr, *symbols)
    if poly.total_degree() > 2 or not all(c.is_Rational for c in poly.coeffs()):
        return False
    n = len(symbols)
    gram = [[S.Zero] * (n + 1) for _ in range(n + 1)]
    for powers, c in poly.terms():
        i, j = ([k + 1 for k, p in enumerate(powers) for _ in range(p)] + [0, 0])[:2]
        gram[i][j] += c / 2
        gram[j][i] += c / 2
    return bool(Entries(gram).is_positive_semidefinite)


def format_point(point: Point, exactly: bool = False) -> str:
    return ", ".join(f"{notation(s)} = {notation(v) if exactly else format(float(v), '.3g')}" for s, v in point.items())


# ---- Boundedness


def locally_bounded(e: Expr, box: Box) -> bool:
    """Whether it is bounded on bounded subsets of a box: continuous or bounded functions, no poles."""
    match e:
        case Symbol() | Number() | NumberSymbol() | Field() | Partial():
            return True
        case Pow(base=base, exp=power) if power.is_number and not power.is_nonnegative:
            return locally_bounded(base, box) and _excludes_zero(base, box)
        case log(args=(inner,)):
            return locally_bounded(inner, box) and _excludes_zero(inner, box)
        case Add() | Mul() | Pow() | Max() | Min() | ActivationFunction() | ActivationDerivative():
            return all(locally_bounded(a, box) for a in e.args)
        case exp() | sin() | cos() | sinh() | cosh() | tanh() | atan() | erf() | Abs() | sign() | Heaviside():
            return locally_bounded(e.args[0], box)
    return False


def _excludes_zero(e: Expr, box: Box) -> bool:
    range_ = range_of(e, box)
    return range_ is not None and 0 not in range_
