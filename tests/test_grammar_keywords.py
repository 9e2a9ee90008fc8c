"""The tables of words of the reference, and its canonical form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from grammar_page import FENCES, LINES, PAGE, ROOT, Fence, codes, error_codes, files, framed, paragraph, tables, tagged

from pdedsl.api import format, parse
from pdedsl.config.base import Forms, IntegerBounds, Param
from pdedsl.config.blocks import ENTRIES, BoxRestriction, Calls, OptionNames, Plain
from pdedsl.config.methods import PARTS
from pdedsl.config.networks import NETWORKS, NORMALIZATIONS, OPERATORS
from pdedsl.ir.verdicts import Axiom
from pdedsl.language.elaborate.expressions import FUNCTIONS, RESERVED
from pdedsl.language.names import GREEK_NAMES
from pdedsl.numerics.activations import ACTIVATIONS

# ---- tables of words


def check_words(text: str, group: Forms[Any]) -> None:
    """A cell lists the words of a group, with arguments; a bare word has none, or those of the word before it."""
    listed: set[str] = set()
    spelled = ""
    for code in codes(text):
        match = re.fullmatch(r"(\w+)(?:\((.*)\))?", code)
        if not match or re.fullmatch(r"E\d{3}", code):
            continue
        name, arguments = match[1], match[2]
        assert name in group, f"{name} is no word here"
        expected = group[name].signature_text().removeprefix(name).strip("()")
        assert expected == arguments if arguments is not None else expected in ("", spelled), (code, expected)
        spelled = expected
        listed.add(name)
    assert listed == set(group)


def whole(rows: list[list[str]]) -> list[list[str]]:
    """Rows with those below them that have no first cell, and go on with the last."""
    found: list[list[str]] = []
    for row in rows:
        if row[0] or not found:
            found.append(row)
        else:
            found[-1] = [*found[-1][:-1], f"{found[-1][-1]} {row[-1]}"]
    return found


def groups_of(cells: list[str]) -> list[Forms[Any]]:
    """The words that belong into the last cell of a row of methods or of blocks."""
    if len(cells) == 2:
        return [PARTS[part] for part in codes(cells[0])[:1] if part in PARTS]
    rules = [ENTRIES[b][e] for b in codes(cells[0]) for e in codes(cells[1]) if e in ENTRIES.get(b, {})]
    return [rule.what.forms for rule in rules if isinstance(rule.what, Calls) and not rule.what.sourced]


def with_missing_words(lines: list[str]) -> list[str]:
    """The page with a line for the words that a row does not list yet."""
    found: list[str] = []
    words: dict[str, str] = {}

    def complete() -> None:
        row = " ".join(codes(" ".join(line for line in found[start:])))
        missing = [shown for name, shown in words.items() if not re.search(rf"\b{name}\b", row)]
        if missing:
            signatures = ", ".join(f"`{shown}`" for shown in missing).replace("|", "\\|")
            found.append(f"{'| ' * cells}{signatures} |")

    start, cells, inside = 0, 0, False
    for line in [*lines, ""]:
        columns = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        if words and not (columns and not columns[0]):
            complete()
            words = {}
        inside = line == "<!-- table: words -->" or (inside and line.startswith("|"))
        if inside and columns and columns[0]:
            start, cells = len(found), len(columns)
            words = {name: form.signature_text() for group in groups_of(columns) for name, form in group.items()}
        found.append(line)
    return found[:-1]


def test_every_word_has_a_row(golden: Callable[[Path, str], None]) -> None:
    """`pytest --update-golden` appends the missing ones."""
    golden(ROOT / "grammar" / "README.md", "\n".join(with_missing_words(LINES)))


@pytest.mark.parametrize("beginning", ["| | `radau5", "| | | | `autoattack", "| | `dropout"])
def test_missing_words_are_appended(beginning: str) -> None:
    removed = next(line for line in LINES if line.startswith(beginning))
    fewer = [line for line in LINES if line != removed]
    (added,) = Counter(with_missing_words(fewer)) - Counter(fewer)
    assert {code.partition("(")[0] for code in codes(added)} == {code.partition("(")[0] for code in codes(removed)}


WORDS = [whole(rows) for rows in tables("table: words")]
WIDEST = 210  # characters of a row: the longest signature fits


def test_rows_fit_a_screen() -> None:
    assert [line for line in LINES if line.startswith("|") and len(line) > WIDEST] == []
    prose = [f.line + k for f in FENCES for k in range(f.body.count("\n") + 2)]
    assert [n for n, line in enumerate(LINES, 1) if len(line) > 130 and line[0] != "|" and n not in prose] == []


def joined(rows: Iterable[list[str]]) -> str:
    return ", ".join(row[-1] for row in rows)


def test_networks() -> None:
    fields, operators, layers = WORDS[0]
    check_words(joined([fields, operators]), NETWORKS)
    check_words(operators[1], OPERATORS)
    check_words(layers[1], NORMALIZATIONS)
    said = paragraph("Networks. ")
    depth = NETWORKS["resnet"].params["depth"].kind
    assert isinstance(depth, IntegerBounds)
    assert ", ".join(map(str, depth.among[:-1])) in said
    assert codes(said.split("one of")[1]) == list(ACTIVATIONS)


def test_realizations() -> None:
    parts: dict[str, list[list[str]]] = {}
    for row in WORDS[1]:
        for part in codes(row[0]):
            parts.setdefault(part, []).append(row)
    assert list(parts) == ["time", "convection", "reaction", "diffusion", "equation"]
    assert list(parts) == list(PARTS)
    for part, rows in parts.items():
        check_words(joined(rows), PARTS[part])


def test_axioms() -> None:
    mark = LINES.index("<!-- words: AXIOMS -->")
    assert tuple(codes(paragraph(LINES[mark + 1]))) == tuple(Axiom)


def test_blocks() -> None:
    listed = [(block, entry, row) for row in WORDS[2] for block in codes(row[0]) for entry in codes(row[1])]
    assert sorted((b, e) for b, e, _ in listed) == sorted((b, e) for b, rules in ENTRIES.items() for e in rules)
    for block, entry, row in listed:
        rule, (_, _, values, which) = ENTRIES[block][entry], row
        number = f"{rule.min_values} to {rule.max_values}" if rule.max_values > 1 else f"{rule.max_values}"
        assert values == number + ", repeats" * rule.values.repeats, entry
        assert ("required" in which) == rule.required, entry
        assert ("`from`" in which) == (isinstance(rule.what, Calls) and rule.what.sourced)
        assert ("`in`" in which) == isinstance(rule.what, BoxRestriction)
        match rule.what:
            case OptionNames(options=words, forms=forms):
                assert tuple(code.partition("(")[0] for code in codes(which)) == words
                assert {form.signature_text() for form in forms.values()} <= set(codes(which))
            case Calls(sourced=True):
                assert which.startswith("an attack")
            case Calls(forms=forms):
                check_words(which, forms)


def params() -> Iterator[tuple[str, Param]]:
    whats = [rule.what for rules in ENTRIES.values() for rule in rules.values()]
    groups = [NETWORKS, NORMALIZATIONS, *PARTS.values(), *(what.forms for what in whats if isinstance(what, Calls))]
    for form in (form for group in groups for form in group.values()):
        yield from form.params.items()
    for rules in ENTRIES.values():
        yield from ((key, rule.what.param) for key, rule in rules.items() if isinstance(rule.what, Plain))


def test_lists() -> None:
    many = {key for key, param in params() if param.many}
    said = re.search(r"constant expressions;(.*?) can be lists", PAGE, re.DOTALL)
    assert said
    assert set(codes(said[1])) == many


def test_functions() -> None:
    mark = LINES.index("<!-- words: FUNCTIONS -->")
    one, rest = paragraph(LINES[mark + 1]).split("take one argument")
    assert set(codes(one)) == {name for name, (arity, _) in FUNCTIONS.items() if arity == 1}
    assert set(codes(rest)) == {*FUNCTIONS, "softmax"} - set(codes(one))


def test_names() -> None:
    letters = re.search(r"`(α[^`]*)`", PAGE)
    assert letters
    assert letters[1].split() == list(GREEK_NAMES)
    said = set(codes(paragraph("- Reserved:")))
    assert said == RESERVED - {*FUNCTIONS, "softmax"} | {"in", "on", "for", "by", "from", "periodic", "antiperiodic"}
    for name in said:
        assert error_codes(framed(f"const {name} = 1", "data")), name


# ---- canonical form


@pytest.mark.parametrize("row", tables("table: hash")[0], ids=lambda row: row[1])
def test_hash(row: list[str]) -> None:
    heat = files()["heat.pde"]
    (old,), (new,) = codes(row[0]), codes(row[1])
    assert f"{old}\n" in heat
    same = parse(heat.replace(f"{old}\n", f"{new}\n")).hash == parse(heat).hash
    assert same == {"same": True, "other": False}[row[2]]


def test_same_hash() -> None:
    found = [(f, name) for f in FENCES for name in re.findall(r"has the hash of `(\w+\.pde)`", f.above)]
    assert found
    for fence, name in found:
        assert parse(fence.body).hash == parse(files()[name]).hash


@pytest.mark.parametrize("fence", tagged("pde"))
def test_formatting_twice_changes_nothing(fence: Fence) -> None:
    for ascii in (False, True):
        once = format(fence.body, ascii)
        assert format(once, ascii) == once
        assert parse(once).hash == parse(fence.body).hash
