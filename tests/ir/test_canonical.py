"""Canonical form: equal hashes for equivalent specs, different hashes for different ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdedsl
from ir.canonical_cases import DIFFERENT, LINE, PIXELS, PLANE, SAME_EQUATIONS, SAME_NETWORKS, SAME_SPECS
from pdedsl.diagnostics import Reporter, Source
from pdedsl.language import ast as t
from pdedsl.language.parser import parse_syntax

FOLDER = Path(__file__).parents[2] / "specs"
SPECS = {path.stem: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.pde"))}
SCRIPT_LETTERS = dict(zip("ˣʸᶻʳˢᵗ", "xyzrst", strict=True))
LETTER = "[A-Za-z_α-ω]"
ONE_PROCESS = settings(derandomize=True, deadline=None, database=None, max_examples=30)


@cache
def parsed(text: str) -> pdedsl.Spec:
    return pdedsl.parse(text)


def canonical(text: str) -> str:
    return parsed(text).canonical


def hash_of(text: str) -> str:
    return parsed(text).hash


def statements(text: str) -> tuple[t.Statement, ...]:
    reporter = Reporter()
    syntax = parse_syntax(Source(text), reporter)
    assert not reporter.errors
    return syntax.statements


def pieces(text: str) -> list[str]:
    """The texts of the statements."""
    return [text[s.span.start : s.span.end] for s in statements(text)]


# ---- by hand


@pytest.mark.parametrize("row", SAME_EQUATIONS, ids=lambda row: row[0])
def test_equal_equations(row: list[str]) -> None:
    texts = {canonical(PLANE + equation + "\n") for equation in row}
    assert len(texts) == 1, "\n".join(sorted(texts))


@pytest.mark.parametrize("row", SAME_SPECS, ids=[f"row {i}" for i in range(len(SAME_SPECS))])
def test_equal_specs(row: list[str]) -> None:
    texts = {canonical(spec) for spec in row}
    assert len(texts) == 1, "\n".join(sorted(texts))


@pytest.mark.parametrize("row", SAME_NETWORKS, ids=lambda row: row[-1].splitlines()[-1])
def test_equal_specs_have_equal_networks(row: list[str]) -> None:
    """Those without an argument that the network does not use, which is an error."""
    found = [pdedsl.compile(text) for text in row if "across" not in text]
    assert len({c.python().replace(repr(c.spec.source.name), "") for c in found}) == 1


def test_different_equations() -> None:
    """No two rows say the same, except the two of the Laplacian."""
    hashes = [hash_of(PLANE + row[0] + "\n") for row in SAME_EQUATIONS]
    assert len(set(hashes)) == len(SAME_EQUATIONS) - 1


@pytest.mark.parametrize(("base", "old", "new"), DIFFERENT, ids=lambda text: text if len(text) < 40 else "")
def test_different_specs(base: str, old: str, new: str) -> None:
    assert old in base
    assert hash_of(base.replace(old, new)) != hash_of(base)


def test_changes_differ_among_each_other() -> None:
    for start in (LINE, PIXELS):
        changed = [base.replace(old, new) for base, old, new in DIFFERENT if base == start]
        assert len({hash_of(text) for text in changed}) == len(changed)


def test_shipped_specs_differ() -> None:
    assert len({hash_of(text) for text in SPECS.values()}) == len(SPECS)


# ---- shipped specs, rewritten


@pytest.mark.parametrize("name", SPECS)
def test_alternative_spellings(name: str) -> None:
    text = SPECS[name]
    assert canonical(pdedsl.format(text, ascii=True)) == canonical(text)
    assert canonical(pdedsl.format(text)) == canonical(text)


@pytest.mark.parametrize("name", SPECS)
def test_order_of_statements(name: str) -> None:
    head, *rest = pieces(SPECS[name])
    for order in (rest[::-1], rest[1::2] + rest[::2]):
        assert canonical("\n".join([head, *order]) + "\n") == canonical(SPECS[name])


@pytest.mark.parametrize("name", SPECS)
def test_exchanged_sides_of_an_equation(name: str) -> None:
    assert canonical(rewritten(name, lambda left, right: f"{right} = {left}")) == canonical(SPECS[name])


@pytest.mark.parametrize("name", SPECS)
def test_scaled_equations(name: str) -> None:
    assert canonical(rewritten(name, lambda left, right: f"-3*({left}) = -3*({right})")) == canonical(SPECS[name])


@pytest.mark.parametrize("name", SPECS)
def test_zero_right_hand_side(name: str) -> None:
    assert canonical(rewritten(name, lambda left, right: f"0 = 2*({left}) - 2*({right})")) == canonical(SPECS[name])


def rewritten(name: str, way: Callable[[str, str], str]) -> str:
    """A shipped spec with each equation of an unknown's evolution written another way."""
    text, out, end = SPECS[name], [], 0
    for statement in statements(text):
        if isinstance(statement, t.EquationStmt):
            left, right = (text[e.span.start : e.span.end] for e in (statement.left, statement.right))
            out += [text[end : statement.span.start], way(left, right)]
            end = max(statement.left.span.end, statement.right.span.end)
    return "".join([*out, text[end:]])


@pytest.mark.parametrize("name", SPECS)
def test_renaming(name: str) -> None:
    """Unknowns, coordinates, constants and learned fields under other names, in another alphabetical order. The names
    of arrays in a data file stay: they are those of the coordinates and unknowns, and the file is the same."""
    assert canonical(renamed(SPECS[name], "zyxwvutsrqponmlkjihgfedcba")) == canonical(SPECS[name])
    assert canonical(renamed(SPECS[name], "abcdefghijklmnopqrstuvwxyz")) == canonical(SPECS[name])


def renamed(text: str, letters: str) -> str:
    text = re.sub("(∫₋?[₀-₉]+)([ˣʸᶻʳˢᵗ])", lambda m: f"{m[1]}^{SCRIPT_LETTERS[m[2]]} ", text)  # limits of any name
    fixed = {array for file in re.findall(r'data\("([^"]+)"', text) for array in np.load(FOLDER / file).files}
    names = sorted({n for s in statements(text) for n in declared_names(s)} - fixed, key=len, reverse=True)
    new = {name: f"q{letter}q" for name, letter in zip(names, letters, strict=False)}
    word = re.compile(rf"(?<!{LETTER})({'|'.join(names)})(?!{LETTER}|\d)")
    return "\n".join(line if skipped(line) else word.sub(lambda m: new[m[1]], line) for line in text.split("\n"))


def declared_names(statement: t.Statement) -> list[str]:
    match statement:
        case t.SpaceDecl(names=names):
            return [n.text for n in names]
        case t.TimeDecl(name=name) | t.UnknownDecl(name=name) | t.ConstDecl(name=name):
            return [name.text]
        case t.LetDecl(name=name) | t.LearnDecl(name=name):
            return [name.text]
        case _:
            return []


def skipped(line: str) -> bool:
    """Lines whose words are of the language: the header and comments."""
    return line.lstrip().startswith(("#", "pde "))


# ---- at random

TERMS = ["v·∇u", "σ²Δu", "u²", "λ(a - u)", "sin(x) ∂u/∂y", "∂(κ u)/∂x", "3", "exp(-y) u", "‖∇u‖²"]


@st.composite
def rewritings(draw: st.DrawFn) -> tuple[str, str]:
    """An equation, and the same with its terms shuffled, split, moved across `=` and scaled."""
    terms = draw(st.lists(st.sampled_from(TERMS), min_size=1, max_size=6, unique=True))
    scale = draw(st.sampled_from(["1", "-1", "2", "½", "0.3", "a - λ", "σ"]))
    left, right = [], []
    for sign, term in draw(st.permutations([("-", "∂u/∂t"), *(("+", term) for term in terms)])):
        other = {"+": "-", "-": "+"}[sign]
        if draw(st.booleans()):
            right.append(f"{sign} ({scale})*({term})")
        else:
            left.append(f"{other} ({scale})*({term})")
        if draw(st.integers(0, 5)) == 0:
            right += [f"+ 7*({term})", f"- 7*({term})"]
    return f"∂u/∂t = {' + '.join(terms)}", f"0 {' '.join(left)} = 0 {' '.join(right)}"


@ONE_PROCESS
@given(rewritings())
def test_random_rewritings(pair: tuple[str, str]) -> None:
    first, second = pair
    assert canonical(PLANE + first + "\n") == canonical(PLANE + second + "\n")


@ONE_PROCESS
@given(st.lists(st.sampled_from(TERMS), min_size=1, max_size=5, unique=True), st.data())
def test_random_changes(terms: list[str], data: st.DataObject) -> None:
    """A changed sign or coefficient of one term, or a term less, is another equation."""
    at = data.draw(st.integers(0, len(terms) - 1))
    factors = ["2", "1.0001", "0"] if terms[at] == "σ²Δu" else ["-1", "2", "1.0001", "0"]
    changed = f"({data.draw(st.sampled_from(factors))})*({terms[at]})"
    other = [*terms[:at], changed, *terms[at + 1 :]]
    before = PLANE + f"∂u/∂t = {' + '.join(terms)}\n"
    assert hash_of(before) != hash_of(PLANE + f"∂u/∂t = {' + '.join(other)}\n")
