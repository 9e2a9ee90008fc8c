"""Signs of expressions over boxes: proved by ranges, roots of polynomials and monotonicity; refuted by a point."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf, isinf, lcm

from sympy import (
    Abs,
    Add,
    Dummy,
    Expr,
    Function,
    Max,
    Min,
    Poly,
    Rational,
    S,
    Symbol,
    atan,
    cancel,
    cos,
    factor,
    fraction,
    pi,
    sin,
    sqrt,
    tanh,
    together,
)
from sympy import Matrix as Entries

from pdedsl.analyse.intervals import LINE, Box, Range, exact
from pdedsl.analyse.kinks import by_relu
from pdedsl.analyse.ranges import range_of
from pdedsl.analyse.roots import has_no_root, polynomial_above
from pdedsl.analyse.samples import Point, Ranges, nonzero_point
from pdedsl.analyse.separable import folded, separable_above
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.expansion import expand
from pdedsl.symbolic.faults import worked_out
from pdedsl.symbolic.measure import measure
from pdedsl.symbolic.notation import notation
from pdedsl.symbolic.symbols import Contraction, Field, Partial

MAX_TERMS = 30  # longer sums are not brought to a common denominator
MAX_LOOKED_AT = 200  # for longer sums only the range is tried
MAX_FUNCTIONS = 12  # with more functions only the range is tried: polynomials in so many symbols grow too fast
MAX_FACTORED = 8  # longer sums are not factored
MAX_BITS = 512  # of all numbers in a sum that is factored: factoring needs a prime beyond them
PIECES, WORK = 400, 100_000  # pieces of a box at most, and parts of the expression that are read for them
DEPTH, LONG = 2, 200  # how often expressions are differentiated to show that they are monotone, if not this long


def vanishes(expr: Expr) -> bool:
    """Whether a sum is zero after cancelling; False if that is not shown."""
    if not 1 < len(Add.make_args(expr)) <= MAX_TERMS:
        return bool(expr == 0)
    straight = by_relu(expr)
    return bool(cancel(together(expr)) == 0 or (straight != expr and expand(straight) == 0))


def is_zero(expr: Expr, ranges: Ranges) -> bool | None:
    """True if zero everywhere, False if nonzero at a point in range, None if unknown. Points are tried first."""
    if expr != 0 and nonzero_point(expr, ranges) is not None:
        return False
    return True if vanishes(expr) else None


def box_of(ranges: Ranges) -> Box:
    """The box of coordinates and time."""
    found = {}
    for symbol, (a, b) in ranges.items():
        low, high = exact(a), exact(b)
        if low is not None and high is not None:
            found[symbol] = Range(low.low, high.high)
    return found


def nonnegative(expr: Expr, box: Box, dimension: int | None = None) -> bool:
    """Whether an expression is nonnegative wherever it is defined in the box; False if that is not shown."""
    if len(Add.make_args(expr)) > MAX_LOOKED_AT or len(atoms(expr, Function)) > MAX_FUNCTIONS:
        found = range_of(expr, box, dimension, poles=True)
        return found is not None and found.low >= 0
    if expr.is_nonnegative:
        return True
    expr = _with_letters(expr)
    seen: set[Expr] = set()
    for form in _forms(expr):
        if form not in seen and _is_above(form, box, dimension, DEPTH):
            return True
        seen.add(form)
    return False


def _with_letters(expr: Expr) -> Expr:
    """The expression with symbols of the same sign for fields and derivatives."""
    if expr.has(Contraction):
        return expr
    letters: dict[Expr, Symbol] = {}
    for atom in sorted((*atoms(expr, Partial), *atoms(expr, Field)), key=str):
        known = {"positive": True} if atom.is_positive else {"nonnegative": True} if atom.is_nonnegative else {}
        letters[atom] = Dummy(f"z{len(letters)}", real=True, **known)
    return expr.xreplace(letters)


def positive(expr: Expr, box: Box, dimension: int | None = None) -> bool:
    """Whether it is bounded below by a positive number, on every bounded part of the box."""
    if expr.is_positive:
        return True
    found = range_of(expr, box, dimension)
    if found is not None and found.low > 0:
        return True
    return has_no_root(expr, box) and nonnegative(expr, box, dimension)


def _forms(expr: Expr) -> Iterator[Expr]:
    """The expression, and forms of it whose sign may be easier to see: cancelled, factored, without denominator."""
    yield expr
    if (shorter := folded(expr)) != expr:
        yield from _forms(shorter)
    terms = len(Add.make_args(expr))
    if terms == 1 or terms > MAX_TERMS or expr.has(Contraction):
        return
    if expr.has(Abs, Max, Min):
        yield expand(by_relu(expr))  # |x| + x is 2relu(x)
    if expr.has(atan):
        yield from _factored(expr.replace(atan, lambda _: pi / 2 * tanh(Dummy(real=True))))  # between -π/2 and π/2
    yield (simpler := cancel(together(expr)))
    yield from _factored(simpler)
    constant, rest = simpler.as_coeff_Add()
    if constant.is_nonnegative:
        yield from _factored(rest)  # x² - 2xy + y² + 1 is a square plus 1
    above, below = fraction(simpler)
    if below.is_nonnegative:
        yield above  # zeros of the denominator do not matter: there is no value
        yield from _factored(above)


def _factored(expr: Expr) -> Iterator[Expr]:
    bits = sum(int(number.p).bit_length() + int(number.q).bit_length() for number in atoms(expr, Rational))
    if expr.is_Add and len(expr.args) <= MAX_FACTORED and bits <= MAX_BITS:
        yield factor(expr)


def _is_above(expr: Expr, box: Box, dimension: int | None, depth: int) -> bool:
    if expr.is_nonnegative:
        return True
    found = range_of(expr, box, dimension, poles=True)
    if found is not None and found.low >= 0:
        return True
    symbols = sorted(expr.free_symbols, key=str)
    if _is_below_somewhere(expr, symbols, box):
        return False
    if dimension is not None and expr.has(Contraction) and separable_above(expr, dimension):
        return True
    if len(symbols) == 1 and not expr.has(Contraction):
        return _of_one(expr, symbols[0], box, depth)
    return _is_quadratic_above(expr, symbols) or _by_pieces(expr, symbols, box)


def _is_below_somewhere(expr: Expr, symbols: list[Symbol], box: Box) -> bool:
    """A quick test: whether it is negative at one of three points."""
    if expr.has(Contraction):
        return False
    for share in (Fraction(1, 2), Fraction(1), Fraction(0)):
        place = {s: _inside(box.get(s) or range_of(s, box) or LINE, share) for s in symbols}
        found = range_of(expr, place)
        if found is not None and found.high < 0:
            return True
    return False


def _inside(ends: Range, share: Fraction) -> Range:
    """A point between two ends; infinite ends are replaced by finite ones, the line by [-1, 1]."""
    low = Fraction(-1) if isinf(ends.low) else Fraction(ends.low)
    high = max(Fraction(1), low + 1) if isinf(ends.high) else Fraction(ends.high)
    at = low + share * (high - low)
    return Range(at, at)


# ---- one variable


def _of_one(expr: Expr, x: Symbol, box: Box, depth: int) -> bool:
    ends = box.get(x) or range_of(x, box) or LINE
    if expr.is_polynomial(x):
        return polynomial_above(expr, x, ends)
    if _wave_above(expr, x):
        return True
    bounded = not isinf(ends.low) and not isinf(ends.high)
    if bounded and depth and measure(expr)[0] <= LONG and _at_an_end(expr, x, ends, box, depth):
        return True
    if bounded:
        return _by_pieces(expr, [x], box)
    period = _period(expr, x)
    return period is not None and _by_pieces(expr, [x], {**box, x: Range(Fraction(0), _above(period))})


def _above(value: Expr) -> Fraction:
    found = exact(value)
    assert found is not None
    return Fraction(found.high)


def _wave_above(expr: Expr, x: Symbol) -> bool:
    """c + a sin θ + b cos θ is at least c - √(a² + b²)."""
    constant, rest = expr.as_coeff_Add()
    arguments = {w.args[0] for w in atoms(rest, sin, cos)}
    if len(arguments) != 1:
        return False
    (theta,) = arguments
    a, b = rest.coeff(sin(theta)), rest.coeff(cos(theta))
    fits = expand(rest - a * sin(theta) - b * cos(theta)) == 0 and a.is_number and b.is_number
    return bool(fits and (constant - sqrt(a**2 + b**2)).is_nonnegative)


def _period(expr: Expr, x: Symbol) -> Expr | None:
    """A period, if x occurs only in sines and cosines of rational multiples of x, or of πx."""
    waves = atoms(expr, sin, cos)
    if any(expr.xreplace(dict.fromkeys(waves, S.Zero)).has(x) for _ in (0,)) or not waves:
        return None
    slopes = [w.args[0].diff(x) for w in waves]
    unit = pi if all((s / pi).is_Rational for s in slopes) else S.One
    ratios = [s / unit for s in slopes]
    if not all(r.is_Rational and r != 0 for r in ratios):
        return None
    return 2 * pi / unit * lcm(*(int(r.q) for r in ratios))


def _at_an_end(expr: Expr, x: Symbol, ends: Range, box: Box, depth: int) -> bool:
    """Whether a monotone function is nonnegative at the end where it is least; 5 + 1/(¾ - x) is not monotone."""
    slope = worked_out(lambda: expr.diff(x)) if range_of(expr, box) is not None else None
    if slope is None:
        return False
    for sign, end in ((1, ends.low), (-1, ends.high)):
        if isinstance(end, Fraction) and _is_above(sign * slope, box, None, depth - 1):
            value = expr.xreplace({x: Rational(end.numerator, end.denominator)})
            found = range_of(value, box)
            if value.is_nonnegative or (found is not None and found.low >= 0):
                return True
    return False


# ---- several variables


def _by_pieces(expr: Expr, symbols: list[Symbol], box: Box) -> bool:
    """Whether the range is nonnegative on every piece of a bounded box, which is divided as often as needed."""
    ends = [box.get(s) for s in symbols]
    if not 1 <= len(symbols) <= 3 or any(e is None or isinf(e.low) or isinf(e.high) for e in ends):
        return False
    waiting = [dict(box)]
    for _ in range(min(PIECES, WORK // (1 + measure(expr)[0]))):
        if not waiting:
            return True
        piece = waiting.pop()
        found = range_of(expr, piece)
        if found is not None and found.low >= 0:
            continue
        widest = max(symbols, key=lambda s: piece[s].high - piece[s].low)
        low, high = piece[widest].low, piece[widest].high
        middle = (low + high) / 2
        if high - low < Fraction(1, 1 << 12) or (found is not None and found.high < 0):
            return False
        waiting += [piece | {widest: Range(low, middle)}, piece | {widest: Range(middle, high)}]
    return False


def _is_quadratic_above(expr: Expr, symbols: list[Symbol]) -> bool:
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


def bounded_above(expr: Expr, box: Box, dimension: int | None = None) -> bool:
    """Whether an upper bound is found."""
    found = range_of(expr, box, dimension)
    if found is not None and found.high < inf:
        return True
    symbols = sorted(expr.free_symbols, key=str)
    if len(symbols) == 1 and expr.is_polynomial(symbols[0]) and symbols[0] not in box:
        poly = Poly(expr, symbols[0])
        return bool(poly.degree() <= 0 or (poly.degree() % 2 == 0 and poly.LC().is_negative))
    return nonnegative(-expr, box, dimension)


def shown(point: Point, exactly: bool = False) -> str:
    return ", ".join(f"{notation(s)} = {notation(v) if exactly else format(float(v), '.3g')}" for s, v in point.items())
