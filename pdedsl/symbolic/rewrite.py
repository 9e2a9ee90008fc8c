"""Substitution, expansion and size of expressions, without sympy's repeated simplification of exponentials."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cmp_to_key, lru_cache

from sympy import AccumBounds, Add, Basic, Expr, I, Integer, Mul, Pow, S, exp, log, nan, oo, sift, zoo

from pdedsl.symbolic.symbols import TooLarge, atoms

# ---- Substitution


INFINITIES = (oo, -oo, zoo, nan, AccumBounds)


def exponential(argument: Expr) -> Expr:
    """exp(argument). Sympy simplifies only arguments with multiples of iπ or of logarithms; without them its search is
    skipped."""
    plain = isinstance(argument, (Add, Mul)) and not argument.has(I, log, *INFINITIES)
    return exp(argument, evaluate=not plain)


def product(*factors: Expr) -> Expr:
    """Π factors. A single exponential is inserted without evaluation, since sympy would search for the sign of its
    argument to know that it is not zero."""
    every = [f for factor in factors for f in Mul.make_args(factor)]
    exponentials, others = sift(every, lambda f: isinstance(f, exp), binary=True)
    rest = Mul(*others)
    inner = Mul.make_args(rest)
    joins = any(f.as_base_exp()[0] is S.Exp1 for f in inner) or (isinstance(rest, Add) and len(others) > 1)
    if len(exponentials) != 1 or joins or rest.has(*INFINITIES) or not isinstance(exponentials[0].args[0], (Add, Mul)):
        return Mul(*factors)
    if rest.is_Rational:
        return Mul(rest, *exponentials)
    numbers, symbols = sift(inner, lambda f: f.is_Number, binary=True)
    return Mul(*numbers, *sorted((*symbols, *exponentials), key=cmp_to_key(Basic.compare)), evaluate=False)


def rebuild(expr: Basic, parts: Sequence[Basic]) -> Basic:
    """The expression with other arguments."""
    if all(new is old for new, old in zip(parts, expr.args, strict=True)):
        return expr
    if isinstance(expr, exp):
        return exponential(parts[0])
    return product(*parts) if isinstance(expr, Mul) else expr.func(*parts)


def substitute(expr: Expr, rule: Mapping[Expr, Expr]) -> Expr:
    """`expr.xreplace(rule)`; a repeated subexpression is replaced once."""
    results: dict[Basic, Basic] = dict(rule)

    def of(part: Basic) -> Basic:
        if part not in results:
            results[part] = rebuild(part, [of(a) for a in part.args]) if part.args else part
        return results[part]

    return of(expr) if rule else expr


# ---- Expansion


MAX_TERMS = 5_000  # of an expanded expression
HINTS = {"log": True, "mul": True, "multinomial": True, "power_base": True, "basic": True}
CACHE_SIZE = 2_000  # later stages and the next edit in an editor expand the same expressions


@lru_cache(maxsize=CACHE_SIZE)
def expand_products(expr: Expr) -> Expr:
    """The expanded expression, a sum of products; raises TooLarge if it has too many terms."""
    if max_terms(expr) > MAX_TERMS and max_terms(expr) > 2 * len(Add.make_args(expr)):
        raise TooLarge(f"an expression of more than {MAX_TERMS:,} terms when it is multiplied out")
    if isinstance(expr, Add):
        return Add(*(_expand_term(a) for a in expr.args))
    return _expand_term(expr)


@lru_cache(maxsize=CACHE_SIZE)
def _expand_term(expr: Expr) -> Expr:
    """Expands products of sums, also in arguments of functions; exp(a + b) is not split: sympy would rejoin it."""
    if not can_expand(expr):
        return expr
    result = expand(_with_arguments(expr, _expand_term), power_exp=False)
    while quotients := _primitive_quotients(result):
        result = substitute(result, quotients)
    return result


def _primitive_quotients(expr: Expr) -> dict[Expr, Expr]:
    """The innermost quotients with a content, mapped to their primitive form."""
    quotients = {p: new for p in atoms(expr, Pow) if _is_quotient(p) and (new := _primitive_quotient(p)) != p}
    return {p: new for p, new in quotients.items() if not any(q in quotients for q in atoms(p.base, Pow))}


@lru_cache(maxsize=CACHE_SIZE)
def expand(expr: Expr, power_exp: bool = True) -> Expr:
    """Sympy's `expand`, restricted to subexpressions that can be expanded. Arguments of functions are expanded first,
    so that each function is constructed (and simplified by sympy) once and not for every rule."""
    if not can_expand(expr):
        return expr
    hints = HINTS | {"power_exp": power_exp}
    expr = _with_arguments(expr, lambda a: expand(a, power_exp))
    for hint in ("log", "multinomial", "mul", "power_base", "power_exp"):
        if hints[hint]:
            expr = _apply_rule(hint, expr, hints)
    before = None
    while expr != before:
        before = expr
        for hint in ("multinomial", "mul", "log"):
            expr = _apply_rule(hint, expr, hints)
    return expr


def _with_arguments(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The expression with the arguments of its functions changed."""
    if not can_expand(expr):
        return expr
    inner = [_with_arguments(a, change) if _expands_inside(expr) else change(a) for a in expr.args]
    return rebuild(expr, inner)


def _expands_inside(expr: Expr) -> bool:
    """Whether rules apply inside one after another; the logarithm of a product is split before its argument is
    expanded."""
    return isinstance(expr, (Add, Mul, Pow)) or expr.has(log)


def _apply_rule(hint: str, expr: Expr, hints: dict[str, bool]) -> Expr:
    """Applies one of sympy's rules to the arguments of an expression, then to the expression."""
    if not can_expand(expr):
        return expr
    if _expands_inside(expr):
        expr = rebuild(expr, [_apply_rule(hint, a, hints) for a in expr.args])
    rule = getattr(expr, f"_eval_expand_{hint}", None)
    new = expr if rule is None else rule(**hints)
    return expr if new == expr else new


@lru_cache(maxsize=1 << 16)
def can_expand(expr: Basic) -> bool:
    """Whether there is a sum, or a power or logarithm of a product, to expand."""
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


def _primitive_quotient(power: Expr) -> Expr:
    """1/(2x + 2) as ½/(x + 1), so that denominators do not depend on the scaling of an equation."""
    content, rest = power.base.primitive()
    if power.exp.is_Integer and _is_negative_by_convention(rest):
        content, rest = -content, -rest
    return content**power.exp * rest**power.exp


def _is_negative_by_convention(total: Expr) -> bool:
    """The sign convention of a sum, independent of names: of the sum of its coefficients, else of its constant."""
    balance = Add(*(a.as_coeff_Mul()[0] for a in total.args))
    return bool(balance.is_negative or (balance == 0 and total.as_coeff_Add()[0].is_negative))


def max_terms(expr: Expr) -> int:
    """An upper bound on the number of terms of the expanded expression."""
    if expr.is_Atom:
        return 1
    if isinstance(expr, Add):
        return sum(map(max_terms, expr.args))
    if isinstance(expr, Mul):
        total = 1
        for a in expr.args:
            total *= max_terms(a)
        return min(total, 10**9)
    if isinstance(expr, Pow) and isinstance(expr.exp, Integer):
        m, n = max_terms(expr.base), abs(int(expr.exp))
        return _binomial(m + n - 1, n) if m > 1 else 1
    return max(map(max_terms, expr.args), default=1)


def _binomial(n: int, k: int) -> int:
    result = 1
    for i in range(min(k, n - k)):
        result = result * (n - i) // (i + 1)
        if result > 10**9:
            return 10**9
    return result


# ---- Size


@lru_cache(maxsize=1 << 16)
def expression_size(expr: Basic) -> tuple[int, int]:
    """Nodes and depth of an expression; shared subexpressions are counted at each occurrence."""
    size, depth = 1, 0
    for arg in expr.args:
        nodes, below = expression_size(arg)
        size, depth = size + nodes, max(depth, below)
    return size, depth + 1
