"""The formatter: idempotent and lossless in both spellings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from language.format_cases import DECLARED, check, expression, parsed
from pdedsl.api import format as formatted
from pdedsl.diagnostics import PdeError
from pdedsl.language import ast as t
from pdedsl.language.ast_builder import MAX_OPERATOR_CHAIN
from pdedsl.language.printing.unparse import unparse, unparse_type_attribute

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.pde"))


def line(text: str, ascii: bool = False) -> str:
    """An expression, formatted in a spec that declares its names."""
    last = formatted(f"{DECLARED}let probe = {text}\n", ascii).splitlines()[-1]
    return last.removeprefix("let     probe = ")


def codes(text: str) -> list[str]:
    """The codes of the errors in an expression."""
    with pytest.raises(PdeError) as caught:
        formatted(f"{DECLARED}let probe = {text}\n")
    return [d.code for d in caught.value.diagnostics]


# ---- Specs


@pytest.mark.parametrize("path", SPECS, ids=lambda p: p.stem)
def test_specs(path: Path) -> None:
    text = path.read_text("utf-8")
    check(text)
    assert re.sub(r"#.*", "", formatted(text, ascii=True)).isascii()  # comments are unchanged


@pytest.mark.parametrize("path", SPECS, ids=lambda p: p.stem)
def test_specs_with_crlf(path: Path) -> None:
    text = path.read_text("utf-8")
    assert formatted(text.replace("\n", "\r\n")) == formatted(text)


def test_specs_exist() -> None:
    assert len(SPECS) >= 17


# ---- Expressions

SPACING = [
    ("a·-(a·b)", "a·(-a·b)", "dot(a, -dot(a, b))"),
    ("a+b-c", "a + b - c", "a + b - c"),
    ("-  sin(pi x)", "-sin(π x)", "-sin(pi x)"),
    ("2 pi*x", "2π * x", "2pi * x"),
    ("2 e + 2 E1", "2 e + 2 E1", "2 e + 2 E1"),
    ("2 sin(x)", "2 sin(x)", "2 sin(x)"),
    ("2 (x + y)", "2(x + y)", "2(x + y)"),
    ("1/2 (x + y)", "½(x + y)", "1/2 (x + y)"),
    ("1/2 sigma^2 lap(u)", "½σ²Δu", "1/2 sigma^2 lap(u)"),
    ("1/2", "½", "1/2"),
    ("x ½ y", "x ½y", "x (1/2) y"),
    ("x^½ + ½²", "x^½ + ½²", "x^(1/2) + (1/2)^2"),
    ("2 ½²", "2 ½²", "2(1/2)^2"),
    ("x/½", "x/½", "x/(1/2)"),
    ("½/x", "½/x", "(1/2)/x"),
    ("½ * x", "½ * x", "1/2 * x"),
    ("3/7 x", "3/7 x", "3/7 x"),
    ("(1-p)/(2p)Σᵢ vᵢ²∂²u/∂xᵢ²", "(1 - p)/(2p) Σᵢ vᵢ² ∂²u/∂xᵢ²", "(1 - p)/(2p) sum(i, v[i]^2 d2u/dx[i]2)"),
    ("κ Δu + 2 Δu + (a+b) Δu + vᵢ Δu", "κΔu + 2Δu + (a + b)Δu + vᵢ Δu", None),
    ("a/2 Δu + x^n Δu", "a/2 Δu + x^n Δu", "a/2 lap(u) + x^n lap(u)"),
    ("K (x + y)", "K (x + y)", "K (x + y)"),
    ("K [x, y]", "K [x, y]", "K [x, y]"),
    ("v[a, 1]", "v[a, 1]", "v[a, 1]"),
    ("vᵢⱼ x₁₂", "vᵢⱼ x₁₂", "v[i, j] x[12]"),
    ("v₁ᵢ", "v[1, i]", "v[1, i]"),
    ("a*-b + x^-1 + x^-n", "a * -b + x⁻¹ + x^-n", "a * -b + x^-1 + x^-n"),
    ("x^(n+1) + x^100 + x^2.5 + x^y^2 + x^0", "x^(n + 1) + x^100 + x^2.5 + x^y² + x⁰", None),
    ("dot(F, grad(u))", "F·∇u", "dot(F, grad(u))"),
    ("F·∇u", "F·∇u", "dot(F, grad(u))"),
    ("½ F·∇u y", "½F·∇u y", "dot(1/2 F, grad(u) y)"),
    ("2(a·b) c", "2(a·b) c", "2 dot(a, b) c"),
    ("(a·b)² + (a·b)/2", "(a·b)² + (a·b)/2", "dot(a, b)^2 + dot(a, b)/2"),
    ("(a + b)·-c", "(a + b)·(-c)", "dot(a + b, -c)"),
    ("(a·b c)·d", "(a·b c)·d", "dot(dot(a, b c), d)"),
    ("v·1/2", "v·½", "dot(v, 1/2)"),
    ("A:∇∇u", "A:∇∇u", "ddot(A, hess(u))"),
    ("∇·(K ∇u) + ∇·F", "∇·(K∇u) + ∇·F", "div(K grad(u)) + div(F)"),
    ("∇u² + ∇(∇·F) + ∇Δu + ∇·∇u", "∇(u²) + ∇(∇·F) + ∇Δu + ∇·∇u", None),
    ("κ ΔΔu + Δ³u + Δ(u²)", "κΔ²u + Δ³u + Δ(u²)", "kappa lap(lap(u)) + lap(lap(lap(u))) + lap(u^2)"),
    ("∇∂u/∂x", "∇(∂u/∂x)", "grad(du/dx)"),
    ("‖∇u‖² + ‖a norm(b)‖", "‖∇u‖² + norm(a ‖b‖)", "norm(grad(u))^2 + norm(a norm(b))"),
    ("Kᵀ(K x) + (A K)ᵀ + Lᵀ", "Kᵀ(K x) + (A K)ᵀ + Lᵀ", "K^T(K x) + adj(A K) + adj(L)"),
    ("K^(T) + K^T + K^(T)^2 + K^(T(x))", "K^(T) + Kᵀ + K^(T)² + K^(T(x))", "K^(T) + K^T + K^(T)^2 + K^(T(x))"),
    ("Σᵢ (vᵢ + 1) + Σᵢⱼ aᵢⱼ", "Σᵢ (vᵢ + 1) + Σᵢ Σⱼ aᵢⱼ", "sum(i, v[i] + 1) + sum(i, sum(j, a[i, j]))"),
    ("sum(i, v[i]) x", "(Σᵢ vᵢ) x", "sum(i, v[i]) x"),
    ("sum(a, v[a])", "sum(a, v[a])", "sum(a, v[a])"),
    ("∂(u x)/∂x + ∂²(u x)/∂x²", "∂(u x)/∂x + ∂²(u x)/∂x²", "diff(u x, x) + diff(u x, x, x)"),
    ("d2u/dxdy + d2u/dx2", "∂²u/∂x∂y + ∂²u/∂x²", "d2u/dxdy + d2u/dx2"),
    ("∂w/∂x + ∂u/∂z", "∂w/∂x + ∂u/∂z", "diff(w, x) + diff(u, z)"),
    ("∂u/∂u_x + ∂(u_x)/∂u_y", "∂u/∂u_x + ∂(∂u/∂x)/∂u_y", "diff(u, u_x) + diff(du/dx, u_y)"),
    ("∂u/∂t(x, 0)", "∂u/∂t(x, 0)", "du/dt(x, 0)"),
    ("du/dx^2", "(∂u/∂x)²", "(du/dx)^2"),
    ("a/du/dx", "a/(∂u/∂x)", "a/(du/dx)"),
    ("du / dx", "du / dx", "du / dx"),
    ("|x| + f(  ) + g(a,k = 2)", "abs(x) + f() + g(a, k=2)", None),
    ("f(x)ᵢ", "f(x)ᵢ", "f(x)[i]"),
    ("(A x)[1] + Kᵀ[a, 2] + Lᵀ[a, 2]", "(A x)₁ + Kᵀ[a, 2] + Lᵀ[a, 2]", "(A x)[1] + K^T[a, 2] + adj(L)[a, 2]"),
    ("v[i][j] + v[1][i]", "vᵢⱼ + v[1, i]", "v[i, j] + v[1, i]"),
    ("norm(x)[a] + ‖x‖₁ + [a, b]ᵢ", "(‖x‖)[a] + ‖x‖₁ + [a, b]ᵢ", "norm(x)[a] + norm(x)[1] + ([a, b])[i]"),
    ("f(x) [i] + (x) [y] + [[1, 2], [3, 4]]", "f(x) [i] + x [y] + [[1, 2], [3, 4]]", None),
    ("[[1, 2][3, 4]] + v₁[i]", "[[1, 2] [3, 4]] + v₁ [i]", "[[1, 2] [3, 4]] + v[1] [i]"),
    ("grad(u)^2 + grad(u)[1]", "(∇u)² + (∇u)₁", "(grad(u))^2 + (grad(u))[1]"),
    ("x^grad(u) + x^-du/dx", "x^(∇u) + x^-(∂u/∂x)", "x^(grad(u)) + x^-(du/dx)"),
    ("a/du/dt(x, 0)^2 + a/du/dt(x, 0)[1]", "a/(∂u/∂t(x, 0))² + a/(∂u/∂t(x, 0))₁", None),
    ("du/dx[1](x, 0) + du/dx[1] [2]", "∂u/∂x₁(x, 0) + ∂u/∂x₁ [2]", "du/dx[1](x, 0) + du/dx[1] [2]"),
    ("K^\n  T", "Kᵀ", "K^T"),
    ('npz("a.npz", alpha=sigma)', 'npz("a.npz", alpha=σ)', 'npz("a.npz", alpha=sigma)'),
    ("K_σ + sigma_x + a_rho2_b", "K_σ + σ_x + a_ρ2_b", "K_sigma + sigma_x + a_rho2_b"),
    ("Ksigma + sigmas_x + a__", "Ksigma + sigmas_x + a__", None),
]


@pytest.mark.parametrize(("written", "unicode", "ascii"), SPACING, ids=[row[0] for row in SPACING])
def test_spacing(written: str, unicode: str, ascii: str | None) -> None:
    assert line(written) == unicode
    assert line(unicode) == unicode
    there = line(written, ascii=True)
    assert there == (ascii or there)
    assert (line(there, ascii=True), line(there)) == (there, unicode)
    assert expression(written) == expression(unicode) == expression(there)


def test_names_are_separated_from_the_next_factor() -> None:
    """Where a space tells a product from a call or an index, it stays."""
    for text in ("K (x + y)", "K [x, y]", "u v", "2 3", "x ½", "∂u/∂x (x + y)", "Kᵀ (x + y)"):
        assert expression(unparse(expression(text))) == expression(text)


def test_unparse_uses_one_line() -> None:
    value = expression("[a,\n  b +\n  c]")
    assert unparse(value) == unparse(value, ascii=True) == "[a, b + c]"


def test_unparse_type_attribute() -> None:
    syntax = parsed("learn K : operator, norm(K) <= 1\n")
    assert isinstance(syntax.statements[0], t.LearnDecl)
    bound = syntax.statements[0].type[1]
    assert (unparse_type_attribute(bound), unparse_type_attribute(bound, ascii=True)) == ("‖K‖ ≤ 1", "norm(K) <= 1")


@pytest.mark.parametrize("text", ["(1 + " * 190 + "x" + ")" * 190, "∇Δ" * (MAX_OPERATOR_CHAIN // 2) + "u"])
def test_deepest_tree_is_formatted(text: str) -> None:
    assert line(line(text)) == line(text)
    assert line(line(text, ascii=True)) == line(text)


def test_two_dots_need_parentheses() -> None:
    assert codes("a·b c·d") == codes("a:b·c") == ["E105"]


def test_derivative_of_order_zero_is_an_error() -> None:
    assert codes("∂²u/∂x²∂y⁰") == codes("∂⁰u/∂x⁰") == ["E112"]


def test_string_ends_with_its_line() -> None:
    for end in ("\n", "\r\n", "\r"):
        with pytest.raises(PdeError) as caught:
            formatted(f'pde X "title{end}space x in R^2{end}"')
        first = caught.value.diagnostics[0]
        assert (first.code, first.span) == ("E110", (6, 12))


@pytest.mark.parametrize("sign", ["∂²/∂x² κ", "Δκ", "∇·κ", "∇κ", "∂κ/∂x", "diff(κ, x, x)", "lap(κ)"])
def test_misspelled_keyword_is_reported_in_both_spellings(sign: str) -> None:
    """ASCII has words for signs, so what stands before a sign is judged as if it stood before a word."""
    with pytest.raises(PdeError) as caught:
        formatted(f"{DECLARED}cons {sign} = 0\n")
    assert [d.code for d in caught.value.diagnostics] == ["E106"]


def test_letters_excluded_from_composition_are_unchanged() -> None:
    text = formatted(f"{DECLARED}let \u0958u = 1\n")
    assert "\u0958u" in text
    assert formatted(text) == text
