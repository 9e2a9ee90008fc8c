"""Forms that show the sign of an expression: a symbol for |x|, and sums with separate terms for each coordinate."""

from __future__ import annotations

from sympy import Abs, Add, Dummy, Expr, Poly, Pow, S, Symbol, sign

from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.symbols import Component, Contraction


def folded(expr: Expr) -> Expr:
    """The expression with y ≥ 0 for |x|, if x occurs only as |x|, x sign(x) or in even powers: x² - |x| is y² - y."""
    for x in sorted({a.args[0] for a in atoms(expr, Abs, sign) if a.args[0].is_Symbol}, key=str):
        y = Dummy(x.name, nonnegative=True)
        found = expr.xreplace({Abs(x): y, sign(x): y / x})
        even = {p: y**p.exp for p in atoms(found, Pow) if p.base == x and p.exp.is_even and p.exp.is_positive}
        found = found.xreplace(even)
        expr = expr if x in found.free_symbols else found
    return expr


def separable_above(expr: Expr, dimension: int) -> bool:
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
        elif len(found := atoms(term, Component)) == 1:
            (x,) = found
            own[x] = own.get(x, S.Zero) + term.xreplace({x: s})
        else:
            rest += term
    least = [_least(shared + q, s) for q in own.values()] + [_least(shared, s)]
    if any(e is None for e in least) or not rest.is_Rational or len(own) > dimension:
        return False
    *named, other = (e for e in least if e is not None)
    return bool(Add(*named, (dimension - len(own)) * other, rest) >= 0)


def _least(expr: Expr, s: Symbol) -> Expr | None:
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
