"""Symbolic calculus: partial derivatives ∂, contractions Σᵢ, and linear operators K."""

from __future__ import annotations

from collections.abc import Callable

from sympy import (
    Add,
    DiracDelta,
    Dummy,
    Expr,
    Function,
    Integer,
    KroneckerDelta,
    Max,
    Min,
    Mul,
    Pow,
    S,
    Symbol,
    log,
    sign,
)

from pdedsl.symbolic.functions import ActivationFunction, as_activation
from pdedsl.symbolic.integrals import integral
from pdedsl.symbolic.rewrite import expand_products
from pdedsl.symbolic.symbols import (
    Applied,
    Component,
    Contraction,
    Field,
    FractionalLaplacian,
    Integral,
    Partial,
    TooLarge,
    bound_variable,
)

MAX_NODES = 20_000  # of an expression, for one derivative


def depends(expr: Expr, slot: Expr) -> bool:
    """Whether an expression contains a coordinate or time."""
    base = slot.args[0] if isinstance(slot, Component) else slot
    return base in expr.free_symbols


def differentiate(expr: Expr, slot: Expr, chain: bool = False) -> Expr:
    """∂expr/∂slot by the rules of calculus; derivatives of fields stay symbolic, and so do those of activations, maxima
    and minima unless `chain` is set."""
    budget = [MAX_NODES]

    def d(e: Expr) -> Expr:
        budget[0] -= 1
        if budget[0] < 0:
            raise TooLarge("a derivative with too many terms")
        if e == slot:
            return S.One
        if not depends(e, slot):
            return S.Zero
        match e:
            case Symbol():
                return S.Zero
            case Component():
                same = isinstance(slot, Component) and e.args[0] == slot.args[0]
                return KroneckerDelta(e.args[1], slot.args[1]) if same else S.Zero
            case Add():
                return Add(*map(d, e.args))
            case Mul():
                varying = [i for i, a in enumerate(e.args) if depends(a, slot)]
                return Add(*(d(e.args[i]) * Mul(*e.args[:i], *e.args[i + 1 :]) for i in varying))
            case Pow(base=base, exp=power):
                if not depends(power, slot):
                    return power * base ** (power - 1) * d(base)
                return e * (d(power) * log(base) + power * d(base) / base)
            case Contraction(index=index, body=body):
                return contract(lambda i: d(body.xreplace({index: i})), None)
            case Integral(body=body, variable=variable, lower=lower, upper=upper):  # Leibniz integral rule
                ends = body.xreplace({variable: upper}) * d(upper) - body.xreplace({variable: lower}) * d(lower)
                return ends + integrate(d(body), variable, lower, upper)
            case Field() if isinstance(slot, Symbol) and slot not in e.arguments and not e.arguments.has(Field):
                varying = [a for a in e.arguments if depends(a, slot)]  # u(1 - x): chain rule
                return (d(varying[0]) if len(varying) == 1 else S.One) * Partial(e, slot)
            case FractionalLaplacian(body=body, power=power):
                return FractionalLaplacian(d(body), power)
            case sign(args=(inner,)):
                return 2 * DiracDelta(inner) * d(inner)
            case Max() | Min() if chain:
                return Add(*(_partial_of_max(e, k) * d(a) for k, a in enumerate(e.args) if depends(a, slot)))
            case Function() if chain or not isinstance(e, ActivationFunction):
                return Add(*(e.fdiff(i + 1) * d(a) for i, a in enumerate(e.args) if depends(a, slot)))
            case _:
                return Partial(e, slot)

    return d(expr)


def _partial_of_max(e: Expr, k: int) -> Expr:
    """∂/∂aₖ of max(a₁, …, aₙ) or min, in step functions."""
    arguments = [Dummy(real=True) for _ in e.args]
    return e.func(*arguments).diff(arguments[k]).xreplace(dict(zip(arguments, e.args, strict=True)))


def contract(body: Callable[[Expr], Expr], dimension: int | Expr | None) -> Expr:
    """Σᵢ body(i): an explicit sum if the dimension is a number, otherwise a canonical contraction."""
    if isinstance(dimension, int):
        return Add(*(body(Integer(i)) for i in range(1, dimension + 1)))
    index = Dummy("i", integer=True)
    return Add(*(_contract(term, index) for term in Add.make_args(expand_products(body(index)))))


def _contract(term: Expr, index: Symbol) -> Expr:
    """Σ over one index of a single product: constant factors are pulled out, Kronecker deltas resolved."""
    outside, inside = term.as_independent(index, as_Add=False)
    for factor in Mul.make_args(inside):
        if isinstance(factor, KroneckerDelta) and index in factor.args:
            other = factor.args[1] if factor.args[0] == index else factor.args[0]
            return outside * (inside / factor).xreplace({index: other})
    name = Symbol(f"i{_depth(inside) + 1}", integer=True)
    return outside * Contraction(name, inside.xreplace({index: name}))


def _depth(expr: Expr) -> int:
    """The nesting depth of contractions."""
    if not expr.has(Contraction):
        return 0
    below = max((_depth(a) for a in expr.args), default=0)
    return below + 1 if isinstance(expr, Contraction) else below


# ---- Integrals


def integrate(body: Expr, variable: Symbol, lower: Expr, upper: Expr) -> Expr:
    """∫ body d variable: a sum over the terms of the body, without constant factors; closed forms where they are known.

    A derivative of a field at the bound variable keeps its variable: ∂u/∂x(s).
    """
    if lower == upper:
        return S.Zero
    bound = bound_variable(_integral_depth(body))
    total = []
    for term in Add.make_args(expand_products(_with_argument(body, variable, bound))):
        outside, inside = term.as_independent(bound, as_Add=False)
        value = None if inside.has(Field, Contraction, Integral) else integral(inside, bound, lower, upper)
        total.append(outside * (Integral(inside, bound, lower, upper) if value is None else value))
    return Add(*total)


def _integral_depth(expr: Expr) -> int:
    """The nesting depth of integrals."""
    if not expr.has(Integral):
        return 0
    below = max((_integral_depth(a) for a in expr.args), default=0)
    return below + 1 if isinstance(expr, Integral) else below


def _with_argument(expr: Expr, variable: Symbol, value: Expr) -> Expr:
    """The expression at another value of a variable; derivatives are with respect to the variable as before."""
    if isinstance(expr, Partial) and isinstance(expr.body, Field):
        return Partial(expr.body.xreplace({variable: value}), *expr.slots)
    if variable not in expr.free_symbols or not expr.args:
        return expr.xreplace({variable: value})
    return expr.func(*(_with_argument(a, variable, value) for a in expr.args))


# ---- Fractional Laplacian


def fractional_laplacian(body: Expr, power: Expr) -> Expr | None:
    """(-Δ)ˢ of a linear combination of fields and their derivatives with constant coefficients; None of others."""
    terms = []
    for term in Add.make_args(expand_products(body)):
        inside = [f for f in Mul.make_args(term) if not f.is_number]
        outside = Mul(*(f for f in Mul.make_args(term) if f.is_number))
        if len(inside) != 1:
            return None
        (factor,) = inside
        s = power
        if isinstance(factor, FractionalLaplacian):
            factor, s = factor.body, s + factor.power
        if not isinstance(factor.body if isinstance(factor, Partial) else factor, Field):
            return None
        terms.append(outside * FractionalLaplacian(factor, s))
    return Add(*terms)


# ---- Linear operators


def apply_linear(operator: Expr, body: Expr, is_constant: Callable[[Expr], bool]) -> Expr:
    """K(aY + bZ) = a K Y + b K Z, for factors a, b that do not vary in space."""
    parts = []
    for term in Add.make_args(expand_products(body)):
        factors = Mul.make_args(term)
        outside = [f for f in factors if is_constant(f)]
        inside = [f for f in factors if not is_constant(f)]
        parts.append(Mul(*outside) * Applied(operator, as_activation(Mul(*inside))))
    return Add(*parts)
