"""Strict positivity of expressions, shown by their form: at every point, or inside an interval."""

from __future__ import annotations

from math import isinf

from sympy import (
    Abs,
    Add,
    Expr,
    Heaviside,
    Max,
    Min,
    Mul,
    Number,
    NumberSymbol,
    Pow,
    Rational,
    Symbol,
    atan,
    cancel,
    cos,
    cosh,
    erf,
    exp,
    factor_terms,
    log,
    sign,
    sin,
    sinh,
    tanh,
    together,
)

from pdedsl.analyse.intervals import Box
from pdedsl.analyse.ranges import range_of
from pdedsl.analyse.roots import between_roots
from pdedsl.analyse.signs import nonnegative
from pdedsl.symbolic.activations import Activation, Slope
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.symbols import Field, Partial

MAX_SHORT = 4  # terms of a sum that is brought to a common denominator


def strictly_positive(e: Expr, box: Box) -> bool:
    """Whether the form of an expression shows that it is positive at every point."""
    if e.is_positive:
        return True
    found = range_of(e, box)
    if found is not None and found.low > 0:
        return True
    match e:
        case Mul():
            return all(strictly_positive(a, box) for a in e.args)
        case Add():
            if found is not None and found.low >= 0 and any(_stays_above(a, box) for a in e.args):
                return True
            shorter = cancel(together(e)) if len(e.args) <= MAX_SHORT else e
            if _is_slope_of_tanh(e) or (not shorter.is_Add and strictly_positive(shorter, box)):
                return True
            if factor_terms(e).is_Mul and strictly_positive(factor_terms(e), box):
                return True
            return any(strictly_positive(a, box) for a in e.args) and all(nonnegative(a, box) for a in e.args)
        case Pow(base=base):
            return strictly_positive(base, box)
        case exp():
            return True
        case Slope():
            return e.of.rising
        case Field():
            return bool(e.head.is_positive)
        case Activation():
            return e.record.positive
    return False


def locally_bounded(e: Expr, box: Box) -> bool:
    """Whether it is bounded on bounded parts of a box: made of continuous functions and bounded jumps, no poles."""
    match e:
        case Symbol() | Number() | NumberSymbol() | Field() | Partial():
            return True
        case Pow(base=base, exp=power) if power.is_number and not power.is_nonnegative:
            return locally_bounded(base, box) and _stays_away(base, box)
        case log(args=(inner,)):
            return locally_bounded(inner, box) and _stays_away(inner, box)
        case Add() | Mul() | Pow() | Max() | Min() | Activation() | Slope():
            return all(locally_bounded(a, box) for a in e.args)
        case exp() | sin() | cos() | sinh() | cosh() | tanh() | atan() | erf() | Abs() | sign() | Heaviside():
            return locally_bounded(e.args[0], box)
    return False


def _stays_away(e: Expr, box: Box) -> bool:
    """Whether it is bounded away from zero on bounded parts: by its range, or as it is continuous and of one sign."""
    found = range_of(e, box)
    if found is not None and 0 not in found:
        return True
    return not e.has(sign, Heaviside, Slope) and (strictly_positive(e, box) or strictly_positive(-e, box))


def _stays_above(e: Expr, box: Box) -> bool:
    """Whether it does not attain its lower bound: a multiple of a strictly increasing function, whose argument does not
    attain its own bound there. tanh(x) does not attain -1, but tanh(x²) attains 0."""
    factor, f = e.as_coeff_Mul()
    rises = isinstance(f, exp | tanh | atan | erf) or (isinstance(f, Activation) and f.record.rising)
    inner = range_of(f.args[0], box) if rises else None
    if inner is None:
        return False
    end = inner.low if factor > 0 else inner.high
    return isinf(end) or bool(end == 0 and f.args[0].is_nonzero)


def _is_slope_of_tanh(e: Expr) -> bool:
    return len(e.args) == 2 and any(e == 1 - tanh(a.args[0]) ** 2 for a in atoms(e, tanh))


def positive_inside(e: Expr, x: Symbol, box: Box) -> bool:
    """Whether it is positive inside an interval, by the roots of its polynomial factors."""
    match e:
        case _ if strictly_positive(e, box):
            return True
        case _ if e.is_polynomial(x) and x in e.free_symbols:
            ends = box[x]
            values = between_roots(e, x, ends)
            return values is not None and len(values) == 1 and bool(values[0] > 0)
        case Mul() | Min():
            return all(positive_inside(a, x, box) for a in e.args)
        case Max():
            return any(positive_inside(a, x, box) for a in e.args)
        case Pow(base=base, exp=Rational()):
            return positive_inside(base, x, box)
    return False
