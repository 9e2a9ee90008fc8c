"""Replacing parts of expressions, without asking sympy again and again what an exponential may be simplified to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cmp_to_key, lru_cache

from sympy import AccumBounds, Add, Basic, Expr, I, Integer, Mul, Pow, S, exp, log, nan, oo, sift, zoo

from pdedsl.symbolic.symbols import TooLarge, atoms

# ---- replacing


INFINITE = (oo, -oo, zoo, nan, AccumBounds)


def exponential(argument: Expr) -> Expr:
    """exp(argument). A product is simplified only for a multiple of iπ or of a logarithm, and a sum only for such a
    term, so that where there is neither, sympy's long search for them is left out."""
    plain = isinstance(argument, (Add, Mul)) and not argument.has(I, log, *INFINITE)
    return exp(argument, evaluate=not plain)


def product(*factors: Expr) -> Expr:
    """Π factors. Beside factors that are no exponentials, one exponential stays as it is: it is only put in its place,
    and sympy does not search for a sign of its argument to know that it is not zero."""
    every = [f for factor in factors for f in Mul.make_args(factor)]
    grown, others = sift(every, lambda f: isinstance(f, exp), binary=True)
    rest = Mul(*others)
    inner = Mul.make_args(rest)
    joins = any(f.as_base_exp()[0] is S.Exp1 for f in inner) or (isinstance(rest, Add) and len(others) > 1)
    if len(grown) != 1 or joins or rest.has(*INFINITE) or not isinstance(grown[0].args[0], (Add, Mul)):
        return Mul(*factors)
    if rest.is_Rational:
        return Mul(rest, *grown)
    numbers, letters = sift(inner, lambda f: f.is_Number, binary=True)
    return Mul(*numbers, *sorted((*letters, *grown), key=cmp_to_key(Basic.compare)), evaluate=False)


def rebuilt(expr: Basic, parts: Sequence[Basic]) -> Basic:
    """The expression with other parts."""
    if all(new is old for new, old in zip(parts, expr.args, strict=True)):
        return expr
    if isinstance(expr, exp):
        return exponential(parts[0])
    return product(*parts) if isinstance(expr, Mul) else expr.func(*parts)


def replaced(expr: Expr, rule: Mapping[Expr, Expr]) -> Expr:
    """`expr.xreplace(rule)`; a part that occurs several times is replaced once."""
    found: dict[Basic, Basic] = dict(rule)

    def of(part: Basic) -> Basic:
        if part not in found:
            found[part] = rebuilt(part, [of(a) for a in part.args]) if part.args else part
        return found[part]

    return of(expr) if rule else expr


# ---- expansion
# Multiplying out, within limits: the expression as a sum of products, in a form independent of how it was written.


MAX_TERMS = 5_000  # of an expression after multiplying out, at most
HINTS = {"log": True, "mul": True, "multinomial": True, "power_base": True, "basic": True}
KEPT = 2_000  # results: the stages after reading ask for the same ones, and so does the next edit in an editor


@lru_cache(maxsize=KEPT)
def multiply_out(expr: Expr) -> Expr:
    """The expression as a sum of products; raises TooLarge if it would have too many terms."""
    if terms_of(expr) > MAX_TERMS and terms_of(expr) > 2 * len(Add.make_args(expr)):
        raise TooLarge(f"an expression of more than {MAX_TERMS:,} terms when it is multiplied out")
    if isinstance(expr, Add):
        return Add(*(_expanded(a) for a in expr.args))
    return _expanded(expr)


@lru_cache(maxsize=KEPT)
def _expanded(expr: Expr) -> Expr:
    """Multiplies out products of sums, also in arguments of functions; exp(a + b) is kept, as sympy would rejoin it."""
    if not can_expand(expr):
        return expr
    result = expand(_with_arguments(expr, _expanded), power_exp=False)
    while found := _contents(result):
        result = replaced(result, found)
    return result


def _contents(expr: Expr) -> dict[Expr, Expr]:
    """The innermost quotients with a content, and what they are without it."""
    found = {p: new for p in atoms(expr, Pow) if _is_quotient(p) and (new := _without_content(p)) != p}
    return {p: new for p, new in found.items() if not any(q in found for q in atoms(p.base, Pow))}


@lru_cache(maxsize=KEPT)
def expand(expr: Expr, power_exp: bool = True) -> Expr:
    """Sympy's `expand`, which looks only where there is something to expand. Arguments of functions come first, so that
    each function is built once and not for every rule: sympy looks long at what it may simplify to."""
    if not can_expand(expr):
        return expr
    hints = HINTS | {"power_exp": power_exp}
    expr = _with_arguments(expr, lambda a: expand(a, power_exp))
    for hint in ("log", "multinomial", "mul", "power_base", "power_exp"):
        if hints[hint]:
            expr = _by(hint, expr, hints)
    before = None
    while expr != before:
        before = expr
        for hint in ("multinomial", "mul", "log"):
            expr = _by(hint, expr, hints)
    return expr


def _with_arguments(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The expression with the arguments of its functions changed."""
    if not can_expand(expr):
        return expr
    inner = [_with_arguments(a, change) if _is_open(expr) else change(a) for a in expr.args]
    return rebuilt(expr, inner)


def _is_open(expr: Expr) -> bool:
    """Whether rules are applied inside one after another; the logarithm of a product is taken apart before it is
    multiplied out."""
    return isinstance(expr, (Add, Mul, Pow)) or expr.has(log)


def _by(hint: str, expr: Expr, hints: dict[str, bool]) -> Expr:
    """Applies one of sympy's rules to the terms and factors of an expression, then to the whole."""
    if not can_expand(expr):
        return expr
    if _is_open(expr):
        expr = rebuilt(expr, [_by(hint, a, hints) for a in expr.args])
    rule = getattr(expr, f"_eval_expand_{hint}", None)
    new = expr if rule is None else rule(**hints)
    return expr if new == expr else new


@lru_cache(maxsize=1 << 16)
def can_expand(expr: Basic) -> bool:
    """Whether there is a sum to multiply out, or a power or logarithm of a product to expand."""
    if expr.is_Atom:
        return False
    if isinstance(expr, (Add, log)) or (isinstance(expr, Pow) and not expr.exp.is_Integer and not _is_root(expr)):
        return True
    return any(map(can_expand, expr.args))


def _is_root(power: Expr) -> bool:
    """Whether a power is one of a rational number, such as √2."""
    return bool(power.base.is_Rational and power.exp.is_Rational)


def _is_quotient(expr: Expr) -> bool:
    return isinstance(expr, Pow) and isinstance(expr.base, Add) and bool(expr.exp.is_negative)


def _without_content(power: Expr) -> Expr:
    """1/(2x + 2) as ½/(x + 1): so scaling an equation does not change its denominators."""
    content, rest = power.base.primitive()
    if power.exp.is_Integer and _starts_negative(rest):
        content, rest = -content, -rest
    return content**power.exp * rest**power.exp


def _starts_negative(total: Expr) -> bool:
    """Whether a sum counts as negative, independently of names: by the sum of its coefficients, else its constant."""
    balance = Add(*(a.as_coeff_Mul()[0] for a in total.args))
    return bool(balance.is_negative or (balance == 0 and total.as_coeff_Add()[0].is_negative))


def terms_of(expr: Expr) -> int:
    """An upper bound on the number of terms after multiplying out."""
    if expr.is_Atom:
        return 1
    if isinstance(expr, Add):
        return sum(map(terms_of, expr.args))
    if isinstance(expr, Mul):
        total = 1
        for a in expr.args:
            total *= terms_of(a)
        return min(total, 10**9)
    if isinstance(expr, Pow) and isinstance(expr.exp, Integer):
        m, n = terms_of(expr.base), abs(int(expr.exp))
        return _binomial(m + n - 1, n) if m > 1 else 1
    return max(map(terms_of, expr.args), default=1)


def _binomial(n: int, k: int) -> int:
    result = 1
    for i in range(min(k, n - k)):
        result = result * (n - i) // (i + 1)
        if result > 10**9:
            return 10**9
    return result


# ---- measure
# The size of an expression.


@lru_cache(maxsize=1 << 16)
def measure(expr: Basic) -> tuple[int, int]:
    """Nodes and depth of an expression; shared parts are measured once but counted at each occurrence."""
    size, depth = 1, 0
    for arg in expr.args:
        nodes, below = measure(arg)
        size, depth = size + nodes, max(depth, below)
    return size, depth + 1
