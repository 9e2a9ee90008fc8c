"""Random trees are formatted and parsed back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from language.format_cases import DECLARED, check, expression
from pdedsl.language import ast as t
from pdedsl.language.names import FRACTION_SIGNS, unicode_name
from pdedsl.language.precedence import DOT_FUNCTIONS
from pdedsl.language.printing.unparse import unparse

pytestmark = pytest.mark.slow

# ---- Random trees

NAMES = st.sampled_from(
    ["a", "b", "e", "u", "v", "x", "y", "sigma", "lambda", "K", "F", "dx", "du", "E1", "x_2", "i"]
).map(lambda n: t.Name(n, unicode_name(n)))


INDICES = st.sampled_from("ijk").map(lambda n: t.Name(n, n))


LEAVES = st.one_of(
    NAMES,
    st.sampled_from(["0", "2", "5", "12", "0.5", "1e-3", ".5"]).map(t.Number),
    st.sampled_from(sorted(FRACTION_SIGNS)).map(t.Fraction),
)


def tuples(items: st.SearchStrategy[t.Expr], least: int = 1, most: int = 3) -> st.SearchStrategy[tuple[t.Expr, ...]]:
    return st.lists(items, min_size=least, max_size=most).map(tuple)


def grouped(expr: t.Expr) -> t.Expr:
    """In brackets, as the parser keeps them."""
    return expr if isinstance(expr, (*t.ATOMS, t.Group)) else t.Group(expr)


@st.composite
def derivatives(draw: st.DrawFn, exprs: st.SearchStrategy[t.Expr]) -> t.Expr:
    """Of declared names, for `show` takes them to be declared."""
    names = st.sampled_from("xyt").map(lambda n: t.Name(n, n))
    fields = st.sampled_from("uFK").map(lambda n: t.Name(n, n))
    wrt = st.builds(t.DerivativeVariable, names, st.one_of(st.just(()), tuples(INDICES, most=2)), st.integers(1, 3))
    return t.Derivative(
        draw(st.one_of(fields, exprs.filter(lambda e: not unparse(e).isidentifier()).map(grouped))),
        draw(st.lists(wrt, min_size=1, max_size=2).map(tuple)),
    )


@st.composite
def products(draw: st.DrawFn, exprs: st.SearchStrategy[t.Expr]) -> t.Expr:
    """A product with at most one dot, in which no division can be read in two ways."""
    factors: list[tuple[t.ProductSign, t.Expr]] = [("", draw(exprs))]
    signs: st.SearchStrategy[t.ProductSign] = st.sampled_from(["", "", "*", "·", "/", ":"])
    for factor in draw(st.lists(exprs, min_size=1, max_size=4)):
        sign, (before, below) = draw(signs), factors[-1]
        if isinstance(below, t.Summation):
            factors[-1] = (before, t.Group(below))
        if sign in DOT_FUNCTIONS and any(s in DOT_FUNCTIONS for s, _ in factors):
            sign = "*"
        if before == "/" and (sign == "/" or (sign == "" and not isinstance(below, t.Number | t.Sum | t.Product))):
            sign = "*"
        factors.append((sign, t.Negation(factor) if sign not in ("", "/") and draw(st.booleans()) else factor))
    return t.Product(tuple(factors))


def larger(exprs: st.SearchStrategy[t.Expr]) -> st.SearchStrategy[t.Expr]:
    signs: st.SearchStrategy[t.Sign] = st.sampled_from(["+", "-"])
    named = st.lists(st.tuples(NAMES, exprs), max_size=2).map(tuple)
    operators: st.SearchStrategy[t.Operator] = st.sampled_from(["grad", "div", "lap", "hess"])
    return st.one_of(
        products(exprs),
        products(exprs),
        derivatives(exprs),
        st.lists(st.tuples(signs, exprs), min_size=2, max_size=3).map(lambda terms: t.Sum(tuple(terms))),
        exprs.map(grouped),
        exprs.map(t.Norm),
        exprs.map(t.Adjoint),
        tuples(exprs, least=0).map(t.ListExpr),
        st.builds(t.Call, NAMES, tuples(exprs, least=0), named),
        st.builds(t.Index, NAMES, tuples(exprs)),
        st.builds(t.Index, exprs, tuples(INDICES)),
        st.builds(t.Prefix, operators, exprs),
        st.builds(t.Power, exprs, st.one_of(exprs, exprs.map(t.Negation))),
        st.builds(t.Summation, INDICES, exprs),
    )


EXPRESSIONS = st.recursive(LEAVES, larger, max_leaves=12)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(EXPRESSIONS)
def test_random_trees(tree: t.Expr) -> None:
    """Printed expressions are parsed to the same expressions, in both spellings and from either."""
    for ascii in (False, True):
        read = expression(unparse(tree, ascii))
        assert read == expression(unparse(read)) == expression(unparse(read, ascii=True))


@settings(derandomize=True, max_examples=75, deadline=None)
@given(EXPRESSIONS)
def test_random_statements(tree: t.Expr) -> None:
    """The same in a spec, whose declarations decide what `du/dx` and `K^T` are."""
    check(f"{DECLARED}let probe = {unparse(tree)}\n")
