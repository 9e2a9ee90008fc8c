"""The terms of an equation add up to its normal form, in every spec; test_table.py has the rows."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

import pytest
from sympy import Add, Expr, Symbol, cancel, expand, together

from analysis.analysis_cache import analysed
from analysis.spec_templates import data
from pdedsl.analysis.normal_form import normal_form
from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.spec import Spec
from pdedsl.ir.terms import (
    Coefficient,
    Components,
    Convection,
    Coupling,
    Diffusion,
    HigherOrder,
    Indexed,
    LearnedField,
    MatrixStructure,
    Nonlinear,
    Nonlocal,
    Reaction,
    SourceTerm,
    SymmetricLayer,
    Term,
    TimeDerivative,
)
from pdedsl.symbolic.calculus import contract
from pdedsl.symbolic.rewrite import expand_products
from pdedsl.symbolic.symbols import INDEX, Component, Field, Partial

SPECS = sorted(Path(__file__).parents[2].glob("specs/*.pde"))


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_terms_of_shipped_specs_add_up(path: Path) -> None:
    assert_terms_add_up(analysed(path.read_text("utf-8")))


def assert_terms_add_up(analysis: Analysis) -> None:
    for facts in analysis.equations:
        form = normal_form(facts.equation, analysis.spec)
        for k, right in enumerate(facts.equation.rhs):
            if any(isinstance(t, SymmetricLayer | LearnedField) for t in facts.terms):
                continue  # a layer is its factor, operator and activation: tests of networks compare them
            whole = Add(*(value(t, form.component(k), k, analysis.spec) for t in facts.terms))
            assert is_zero(form.with_dimension(whole - right)), (whole, right)


def is_zero(expr: Expr) -> bool:
    short = expand_products(expr)
    return bool(short == 0 or expand(short) == 0 or cancel(together(short)) == 0)


def value(term: Term, own: Field, k: int, spec: Spec) -> Expr:
    """The contribution of a term to the right-hand side, by its coefficients."""
    match term:
        case TimeDerivative(exprs=exprs):
            return exprs[k] if exprs else 0
        case Convection(drift=b):
            return along(b, own, spec)
        case Diffusion(matrix=a):
            return spread(a, own, spec)
        case Reaction(rate=c):
            return c * own
        case SourceTerm(values=values):
            return values[k]
        case Coupling(exprs=exprs) | Nonlocal(exprs=exprs) | Nonlinear(exprs=exprs) | HigherOrder(exprs=exprs):
            return exprs[k]
        case SymmetricLayer() | LearnedField():
            raise AssertionError(term)
        case _:
            assert_never(term)


def along(b: Coefficient, u: Field, spec: Spec) -> Expr:
    match b:
        case Components(rows=(entries,)):
            return Add(*(e * Partial(u, x) for e, x in zip(entries, spec.space.coordinates, strict=True)))
        case Indexed(diagonal=entry):
            x = spec.space.coordinates[0]
            return contract(lambda i: entry.xreplace({INDEX: i}) * Partial(u, Component(x, i)), None)
        case _:
            raise AssertionError(b)


def spread(a: Coefficient, u: Field, spec: Spec) -> Expr:
    x = spec.space.coordinates
    match a:
        case Components(rows=rows):
            return Add(*(e * Partial(u, x[i], x[j]) for i, row in enumerate(rows) for j, e in enumerate(row)))
        case Indexed(diagonal=d, outer=outer, learned=learned, has_other_entries=False):

            def second(i: Expr, j: Expr) -> Expr:
                return Partial(u, Component(x[0], i), Component(x[0], j))

            parts = [contract(lambda i: d.xreplace({INDEX: i}) * second(i, i), None)]
            for c, w in outer:

                def row(i: Expr, c: Expr = c, w: Expr = w) -> Expr:
                    at = w.xreplace({INDEX: i})
                    return contract(lambda j: c * at * w.xreplace({INDEX: j}) * second(i, j), None)

                parts.append(contract(row, None))
            for c, h in learned:
                arguments = next(v.arguments for v in spec.learned if v.head == h)

                def entries(i: Expr, c: Expr = c, h: Symbol = h, arguments: tuple[Expr, ...] = arguments) -> Expr:
                    return contract(lambda j: c * Field(h, (i, j), arguments) * second(i, j), None)

                parts.append(contract(entries, None))
            return Add(*parts)
        case _:
            raise AssertionError(a)


# ---- Summands with several terms


def term_kinds(text: str) -> list[str]:
    (facts,) = analysed(text).equations
    return [t.kind for t in facts.terms]


@pytest.mark.parametrize(
    ("equation", "found"),
    [
        ("∂u/∂t = ∇·(x u)", ["convection", "reaction"]),
        ("∂u/∂t = Δ(x₁² u)", ["convection", "diffusion", "reaction"]),
        ("∂u/∂t = ∇·((1 + x₁²)∇u)", ["convection", "diffusion"]),
        ("∂u/∂t = ∇·(u ∇u + x)", ["nonlinear", "source"]),
        ("∂u/∂t = u(x, 0)", ["nonlocal"]),
    ],
)
@pytest.mark.parametrize("space", ["x in R^2", "x in R^20", "x in R^d"])
def test_a_summand_may_be_several_terms(equation: str, found: list[str], space: str) -> None:
    assert term_kinds(data(equation, space)) == ["time_derivative", *found]


def facts_of(equation: str, space: str, declare: str = "", at: str = "0") -> EquationFacts:
    (facts,) = analysed(data(equation, space, declare, at)).equations
    return facts


def test_the_generator_in_components() -> None:
    found = facts_of("∂u/∂t = ∇·(x u) + 2Δu + 3", "x in R^2").generator
    assert found is not None
    assert str(found.drift) == "Components(rows=((x_1, x_2),))"
    assert (found.rate, found.source, found.structure) == (2, 3, MatrixStructure.ISOTROPIC)


def test_the_generator_of_terminal_data_runs_backwards() -> None:
    found = facts_of("∂u/∂t + 2Δu = u + 1", "x in R^2", at="1").generator
    assert found is not None
    assert (found.rate, found.source, found.direction) == (-1, -1, "terminal")
    assert found.matrix == Components(((2, 0), (0, 2)))  # type: ignore[arg-type]


def test_the_generator_by_index() -> None:
    found = facts_of("∂u/∂t = ∇·(x u) + 2Δu - 3 Σᵢ Σⱼ ∂²u/∂xᵢ∂xⱼ", "x in R^20").generator
    assert found is not None
    assert isinstance(found.matrix, Indexed)
    assert (found.matrix.diagonal, found.matrix.outer) == (2, ((-3, 1),))
    assert found.rate == 20


def test_generator_with_named_constants_and_values() -> None:
    facts = facts_of("∂u/∂t = ½σ²Δu", "x in R^2", "const σ = 2")
    assert facts.generator is not None
    assert facts.process is not None
    assert facts.generator.matrix == Components(((2, 0), (0, 2)))  # type: ignore[arg-type]
    assert str(facts.process.matrix) == "Components(rows=((σ**2/2, 0), (0, σ**2/2)))"


@pytest.mark.parametrize("equation", ["∂u/∂t = u Δu", "∂u/∂t = u(x, 0)", "∂u/∂t = -Δ²u", "∂u/∂t = ∂²u/∂t∂x₁ + Δu"])
def test_equations_without_generator(equation: str) -> None:
    assert facts_of(equation, "x in R^2").generator is None
