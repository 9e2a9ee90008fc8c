"""Signs of expressions over boxes: proved by ranges, isolated roots of polynomials, monotonicity and subdivision."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import inf, isinf, lcm

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
    PolynomialError,
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
    factor_terms,
    floor,
    fraction,
    log,
    pi,
    real_roots,
    sign,
    sin,
    sinh,
    sqrt,
    tanh,
    together,
)
from sympy import Matrix as Entries

from pdedsl.analysis.bounds.interval import LINE, Box, RealInterval, enclosure_of_number, range_of
from pdedsl.analysis.bounds.relu_form import to_relu_form
from pdedsl.analysis.sample_points import Point, Ranges, find_nonzero_point
from pdedsl.symbolic.functions import Activation, ActivationDerivative
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.rewrite import expand, expression_size
from pdedsl.symbolic.symbols import Component, Contraction, Field, Partial, atoms
from pdedsl.symbolic.sympy_errors import try_sympy

# ---- Roots of univariate polynomials


MAX_DEGREE = 12


def polynomial_is_nonnegative(expr: Expr, x: Symbol, ends: RealInterval) -> bool:
    """Whether a polynomial is nonnegative on an interval, by its values between consecutive roots."""
    values = values_between_roots(expr, x, ends)
    return values is not None and all(v >= 0 for v in values)


def values_between_roots(expr: Expr, x: Symbol, ends: RealInterval) -> list[Expr] | None:
    try:
        poly = Poly(expr, x)
    except PolynomialError:
        return None
    if poly.degree() > MAX_DEGREE or not all(c.is_Rational for c in poly.all_coeffs()):
        return None
    if poly.degree() <= 0:
        return [poly.as_expr()]
    return [poly.eval(p) for p in _points_between_roots(poly, ends)]


def points_between_roots(expr: Expr, x: Symbol, ends: RealInterval) -> list[Rational]:
    """Points at which a polynomial takes each of its signs."""
    poly = Poly(expr, x) if expr.is_polynomial(x) else None
    if poly is None or not 0 < poly.degree() <= MAX_DEGREE or not all(c.is_Rational for c in poly.all_coeffs()):
        return []
    return list(_points_between_roots(poly, ends))


def _points_between_roots(poly: Poly, ends: RealInterval) -> Iterator[Rational]:
    """A rational number in each interval between consecutive roots and ends."""
    low, high = (None if isinf(e) else Rational(e.numerator, e.denominator) for e in (ends.low, ends.high))  # type: ignore[union-attr]
    roots = dict.fromkeys(real_roots(poly))
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


def has_no_root(expr: Expr, box: Box) -> bool:
    symbols = sorted(expr.free_symbols, key=str)
    if len(symbols) != 1 or not expr.is_polynomial(symbols[0]):
        return False
    ends = box.get(symbols[0]) or LINE
    poly = Poly(expr, symbols[0])
    if poly.degree() > MAX_DEGREE or not all(c.is_Rational for c in poly.all_coeffs()):
        return False
    return not any(ends.low < float(r) + 1e-9 and float(r) - 1e-9 < ends.high for r in real_roots(poly))


# ---- Separable sums


def in_absolute_values(expr: Expr) -> Expr:
    """The expression with y ≥ 0 for |x|, if x occurs only as |x|, x sign(x) or in even powers: x² - |x| is y² - y."""
    for x in sorted({a.args[0] for a in atoms(expr, Abs, sign) if a.args[0].is_Symbol}, key=str):
        y = Dummy(x.name, nonnegative=True)
        replaced = expr.xreplace({Abs(x): y, sign(x): y / x})
        even = {p: y**p.exp for p in atoms(replaced, Pow) if p.base == x and p.exp.is_even and p.exp.is_positive}
        replaced = replaced.xreplace(even)
        expr = expr if x in replaced.free_symbols else replaced
    return expr


def separable_is_nonnegative(expr: Expr, dimension: int) -> bool:
    """Σᵢ p(xᵢ) + Σₖ qₖ(xₖ) + c ≥ 0 on R^d, with p and qₖ of degree ≤ 2: minimised coordinate by coordinate."""
    if len({c.args[0] for c in atoms(expr, Component)}) != 1:
        return False
    s = Dummy("s", real=True)
    shared, own, rest = S.Zero, dict[Expr, Expr](), S.Zero
    for term in Add.make_args(expr):
        factor, inner = term.as_coeff_Mul()
        if isinstance(inner, Contraction):
            index, summand = inner.index, inner.body
            shared += factor * summand.xreplace({c: s for c in atoms(summand, Component) if c.args[1] == index})
        elif len(components := atoms(term, Component)) == 1:
            (x,) = components
            own[x] = own.get(x, S.Zero) + term.xreplace({x: s})
        else:
            rest += term
    least = [_minimum_of_quadratic(shared + q, s) for q in own.values()] + [_minimum_of_quadratic(shared, s)]
    if any(e is None for e in least) or not rest.is_Rational or len(own) > dimension:
        return False
    *named, other = (e for e in least if e is not None)
    return bool(Add(*named, (dimension - len(own)) * other, rest) >= 0)


def _minimum_of_quadratic(expr: Expr, s: Symbol) -> Expr | None:
    """The minimum of a s² + b s + c over all s, with rational a, b, c; None if there is none."""
    if not expr.free_symbols <= {s} or expr.has(Component, Contraction) or not expr.is_polynomial(s):
        return None
    poly = Poly(expr, s)
    a, b, c = (poly.coeff_monomial(s**k) for k in (2, 1, 0))
    if poly.degree() > 2 or not all(e.is_Rational for e in (a, b, c)):
        return None
    if a > 0:
        return c - b**2 / (4 * a)
    return c if a == b == 0 else None


# ---- Nonnegativity


MAX_TERMS = 30  # longer sums are not brought to a common denominator
MAX_SYMBOLIC_TERMS = 200  # longer sums: interval range only
MAX_FUNCTIONS = 12  # more functions: interval range only; polynomials in more symbols are too large
MAX_FACTORED = 8  # longer sums are not factored
MAX_BITS = 512  # of all numbers in a factored sum: factoring needs a larger prime
MAX_SUBBOXES, MAX_EVALUATED_NODES = (
    400,
    100_000,
)  # in the subdivision of a box
MAX_DERIVATIVES, MAX_DIFFERENTIATED_NODES = (
    2,
    200,
)  # in proofs of monotonicity


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
        if form not in dependences and _form_is_nonnegative(form, box, dimension, MAX_DERIVATIVES):
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


def positive(expr: Expr, box: Box, dimension: int | None = None) -> bool:
    """Whether it is bounded below by a positive number, on every bounded part of the box."""
    if expr.is_positive:
        return True
    range_ = range_of(expr, box, dimension)
    if range_ is not None and range_.low > 0:
        return True
    return has_no_root(expr, box) and nonnegative(expr, box, dimension)


def _forms(expr: Expr) -> Iterator[Expr]:
    """Equivalent forms of an expression for sign proofs: cancelled, factored, without denominator."""
    yield expr
    if (shorter := in_absolute_values(expr)) != expr:
        yield from _forms(shorter)
    terms = len(Add.make_args(expr))
    if terms == 1 or terms > MAX_TERMS or expr.has(Contraction):
        return
    if expr.has(Abs, Max, Min):
        yield expand(to_relu_form(expr))  # |x| + x is 2relu(x)
    if expr.has(atan):
        yield from _factored(expr.replace(atan, lambda _: pi / 2 * tanh(Dummy(real=True))))  # between -π/2 and π/2
    yield (simpler := cancel(together(expr)))
    yield from _factored(simpler)
    constant, rest = simpler.as_coeff_Add()
    if constant.is_nonnegative:
        yield from _factored(rest)  # x² - 2xy + y² + 1 is a square plus 1
    above, below = fraction(simpler)
    if below.is_nonnegative:
        yield above  # undefined at zeros of the denominator
        yield from _factored(above)


def _factored(expr: Expr) -> Iterator[Expr]:
    bits = sum(int(number.p).bit_length() + int(number.q).bit_length() for number in atoms(expr, Rational))
    if expr.is_Add and len(expr.args) <= MAX_FACTORED and bits <= MAX_BITS:
        yield factor(expr)


def _form_is_nonnegative(expr: Expr, box: Box, dimension: int | None, depth: int) -> bool:
    if expr.is_nonnegative:
        return True
    range_ = range_of(expr, box, dimension, poles=True)
    if range_ is not None and range_.low >= 0:
        return True
    symbols = sorted(expr.free_symbols, key=str)
    if _is_negative_at_sample(expr, symbols, box):
        return False
    if dimension is not None and expr.has(Contraction) and separable_is_nonnegative(expr, dimension):
        return True
    if len(symbols) == 1 and not expr.has(Contraction):
        return _univariate_is_nonnegative(expr, symbols[0], box, depth)
    return _quadratic_is_nonnegative(expr, symbols) or _by_subdivision(expr, symbols, box)


def _is_negative_at_sample(expr: Expr, symbols: list[Symbol], box: Box) -> bool:
    """A quick test at three sample points."""
    if expr.has(Contraction):
        return False
    for share in (Fraction(1, 2), Fraction(1), Fraction(0)):
        place = {s: _point_in(box.get(s) or range_of(s, box) or LINE, share) for s in symbols}
        range_ = range_of(expr, place)
        if range_ is not None and range_.high < 0:
            return True
    return False


def _point_in(ends: RealInterval, share: Fraction) -> RealInterval:
    """A point between two ends; infinite ends are replaced by finite ones, the line by [-1, 1]."""
    low = Fraction(-1) if isinf(ends.low) else Fraction(ends.low)
    high = max(Fraction(1), low + 1) if isinf(ends.high) else Fraction(ends.high)
    at = low + share * (high - low)
    return RealInterval(at, at)


# ---- One variable


def _univariate_is_nonnegative(expr: Expr, x: Symbol, box: Box, depth: int) -> bool:
    ends = box.get(x) or range_of(x, box) or LINE
    if expr.is_polynomial(x):
        return polynomial_is_nonnegative(expr, x, ends)
    if _trigonometric_is_nonnegative(expr, x):
        return True
    bounded = not isinf(ends.low) and not isinf(ends.high)
    if (
        bounded
        and depth
        and expression_size(expr)[0] <= MAX_DIFFERENTIATED_NODES
        and _monotone_is_nonnegative(expr, x, ends, box, depth)
    ):
        return True
    if bounded:
        return _by_subdivision(expr, [x], box)
    period = _period(expr, x)
    return period is not None and _by_subdivision(
        expr, [x], {**box, x: RealInterval(Fraction(0), _upper_bound(period))}
    )


def _upper_bound(value: Expr) -> Fraction:
    interval = enclosure_of_number(value)
    assert interval is not None
    return Fraction(interval.high)


def _trigonometric_is_nonnegative(expr: Expr, x: Symbol) -> bool:
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
    derivatives = [w.args[0].diff(x) for w in waves]
    unit = pi if all((s / pi).is_Rational for s in derivatives) else S.One
    ratios = [s / unit for s in derivatives]
    if not all(r.is_Rational and r != 0 for r in ratios):
        return None
    return 2 * pi / unit * lcm(*(int(r.q) for r in ratios))


def _monotone_is_nonnegative(expr: Expr, x: Symbol, ends: RealInterval, box: Box, depth: int) -> bool:
    """Whether a function is monotone and nonnegative at its minimum; 5 + 1/(¾ - x) is not monotone."""
    derivative = try_sympy(lambda: expr.diff(x)) if range_of(expr, box) is not None else None
    if derivative is None:
        return False
    for direction, end in ((1, ends.low), (-1, ends.high)):
        if isinstance(end, Fraction) and _form_is_nonnegative(direction * derivative, box, None, depth - 1):
            value = expr.xreplace({x: Rational(end.numerator, end.denominator)})
            range_ = range_of(value, box)
            if value.is_nonnegative or (range_ is not None and range_.low >= 0):
                return True
    return False


# ---- Several variables


def _by_subdivision(expr: Expr, symbols: list[Symbol], box: Box) -> bool:
    """Whether the range is nonnegative on every subbox, by adaptive bisection of a bounded box."""
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


def bounded_above(expr: Expr, box: Box, dimension: int | None = None) -> bool:
    """Whether an upper bound is proved."""
    range_ = range_of(expr, box, dimension)
    if range_ is not None and range_.high < inf:
        return True
    symbols = sorted(expr.free_symbols, key=str)
    if len(symbols) == 1 and expr.is_polynomial(symbols[0]) and symbols[0] not in box:
        poly = Poly(expr, symbols[0])
        return bool(poly.degree() <= 0 or (poly.degree() % 2 == 0 and poly.LC().is_negative))
    return nonnegative(-expr, box, dimension)


def format_point(point: Point, exactly: bool = False) -> str:
    return ", ".join(f"{notation(s)} = {notation(v) if exactly else format(float(v), '.3g')}" for s, v in point.items())


# ---- Strict positivity


MAX_COMMON_DENOMINATOR_TERMS = 4  # longer sums are not brought to a common denominator


def strictly_positive(e: Expr, box: Box) -> bool:
    """Whether an expression is positive everywhere, by its form."""
    if e.is_positive:
        return True
    range_ = range_of(e, box)
    if range_ is not None and range_.low > 0:
        return True
    match e:
        case Mul():
            return all(strictly_positive(a, box) for a in e.args)
        case Add():
            if range_ is not None and range_.low >= 0 and any(_does_not_attain_infimum(a, box) for a in e.args):
                return True
            shorter = cancel(together(e)) if len(e.args) <= MAX_COMMON_DENOMINATOR_TERMS else e
            if _is_derivative_of_tanh(e) or (not shorter.is_Add and strictly_positive(shorter, box)):
                return True
            if factor_terms(e).is_Mul and strictly_positive(factor_terms(e), box):
                return True
            return any(strictly_positive(a, box) for a in e.args) and all(nonnegative(a, box) for a in e.args)
        case Pow(base=base):
            return strictly_positive(base, box)
        case exp():
            return True
        case ActivationDerivative():
            return e.record.rising
        case Field():
            return bool(e.head.is_positive)
        case Activation():
            return e.record.positive
    return False


def locally_bounded(e: Expr, box: Box) -> bool:
    """Whether it is bounded on bounded subsets of a box: continuous or bounded functions, no poles."""
    match e:
        case Symbol() | Number() | NumberSymbol() | Field() | Partial():
            return True
        case Pow(base=base, exp=power) if power.is_number and not power.is_nonnegative:
            return locally_bounded(base, box) and _is_bounded_away_from_zero(base, box)
        case log(args=(inner,)):
            return locally_bounded(inner, box) and _is_bounded_away_from_zero(inner, box)
        case Add() | Mul() | Pow() | Max() | Min() | Activation() | ActivationDerivative():
            return all(locally_bounded(a, box) for a in e.args)
        case exp() | sin() | cos() | sinh() | cosh() | tanh() | atan() | erf() | Abs() | sign() | Heaviside():
            return locally_bounded(e.args[0], box)
    return False


def _is_bounded_away_from_zero(e: Expr, box: Box) -> bool:
    """Whether it is bounded away from zero on bounded subsets: by its range, or as a continuous function of one
    sign."""
    range_ = range_of(e, box)
    if range_ is not None and 0 not in range_:
        return True
    return not e.has(sign, Heaviside, ActivationDerivative) and (
        strictly_positive(e, box) or strictly_positive(-e, box)
    )


def _does_not_attain_infimum(e: Expr, box: Box) -> bool:
    """Whether it does not attain its infimum: a multiple of a strictly increasing function whose argument does not
    attain its bound. tanh(x) does not attain -1, but tanh(x²) attains 0."""
    factor, f = e.as_coeff_Mul()
    rises = isinstance(f, exp | tanh | atan | erf) or (isinstance(f, Activation) and f.record.rising)
    inner = range_of(f.args[0], box) if rises else None
    if inner is None:
        return False
    end = inner.low if factor > 0 else inner.high
    return isinf(end) or bool(end == 0 and f.args[0].is_nonzero)


def _is_derivative_of_tanh(e: Expr) -> bool:
    return len(e.args) == 2 and any(e == 1 - tanh(a.args[0]) ** 2 for a in atoms(e, tanh))


def positive_in_interior(e: Expr, x: Symbol, box: Box) -> bool:
    """Whether it is positive in the interior of an interval, by the roots of its polynomial factors."""
    match e:
        case _ if strictly_positive(e, box):
            return True
        case _ if e.is_polynomial(x) and x in e.free_symbols:
            ends = box[x]
            values = values_between_roots(e, x, ends)
            return values is not None and len(values) == 1 and bool(values[0] > 0)
        case Mul() | Min():
            return all(positive_in_interior(a, x, box) for a in e.args)
        case Max():
            return any(positive_in_interior(a, x, box) for a in e.args)
        case Pow(base=base, exp=Rational()):
            return positive_in_interior(base, x, box)
    return False
