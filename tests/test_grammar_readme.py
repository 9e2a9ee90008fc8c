"""grammar/README.md: every example in it is run, and its tables are held against the code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from grammar_page import (
    DEFAULT,
    FENCES,
    FRAMES,
    LINES,
    PAGE,
    ROOT,
    Fence,
    cells,
    codes,
    error_codes,
    files,
    framed,
    paragraph,
    tables,
    tagged,
)

from pdedsl import errors, sources
from pdedsl.api import format, parse
from pdedsl.cli import cli
from pdedsl.diagnostics import PdeError
from pdedsl.language import lexer
from pdedsl.language.elaborate import expression_limits, expressions, types
from pdedsl.language.names import MAX_NAME_LENGTH
from pdedsl.sources import decode_source
from pdedsl.symbolic import rewrite, symbols

EXPRESSION = [("data", "∂u/∂t = {}"), ("pixels", "∂Y/∂t = {}")]


ANYWHERE = [
    *EXPRESSION,
    ("data", "∂u/∂t = u + ‖{}‖"),
    ("data", "2 {} = Δu"),
    ("pixels", "∂Y/∂t = {} Y"),
    ("data", "learn q : {}\n∂u/∂t = qΔu"),
    ("", "pde P\nspace x in pixels\ntime t in [0, 1]\nunknown Y(x, t) : channels\n"
         "learn K : operator, {} = conv\n∂Y/∂t = K Y\n"),
    ("", "pde P\nspace {}\nunknown u(x) : scalar\nΔu = u\n"),
    ("", "pde P\nspace x in [0, 1]\nunknown u(x) : scalar\nu = 1 + {}\n"),
    ("", "pde P\nspace x in [0, 1]\nunknown u(x) : scalar\nΔu = 1\nu = 0 on right\n{}\n"),
]  # fmt: skip


def context_of(text: str, contexts: list[tuple[str, str]]) -> tuple[str, str]:
    """The first context in which a text is right."""
    tried = {}
    for frame, template in contexts:
        tried[template] = error_codes(framed(template.replace("{}", text), frame))
        if not tried[template]:
            return frame, template
    raise AssertionError(f"{text}: {tried}")


def filled(text: str, context: tuple[str, str]) -> str:
    frame, template = context
    return framed(template.replace("{}", text), frame)


# ---- fenced examples


def test_tags() -> None:
    assert {f.tag for f in FENCES} == {"pde", "pde-part", "pde-wrong", "pde-preamble", "sh", "text"}
    assert {f.frame for f in FENCES} == {"", *FRAMES}
    assert len(tagged("pde")) >= 5
    assert len(tagged("pde-part")) >= 4
    assert len(tagged("pde-wrong")) >= 2
    assert len(tagged("sh")) >= 2


@pytest.mark.parametrize("fence", tagged("pde"))
def test_specs(fence: Fence) -> None:
    assert not error_codes(fence.body)
    assert not parse(fence.body).warnings


def test_first_spec() -> None:
    first = next(f for f in FENCES if f.tag == "pde")
    assert len(first.body.splitlines()) == 7


@pytest.mark.parametrize("fence", tagged("pde-part"))
def test_parts(fence: Fence) -> None:
    """A warning may concern a name of the frame, never one of the fragment."""
    text = framed(fence.body, fence.frame)
    assert not error_codes(text)
    border = len(text) - len(fence.body)
    assert [w for w in parse(text).warnings if w.span.start >= border or w.code != "W201"] == []


@pytest.mark.parametrize("fence", tagged("pde-wrong"))
def test_wrong(fence: Fence) -> None:
    said = re.search(r"fails with ((?:`E\d{3}`(?:, | and )?)+)", fence.above)
    assert said, "the line above names no code"
    assert error_codes(framed(fence.body, fence.frame)) == set(codes(said[1]))


@pytest.mark.parametrize("fence", tagged("pde-preamble"))
def test_frames(fence: Fence) -> None:
    assert not error_codes(fence.body)


@pytest.mark.slow
@pytest.mark.parametrize("fence", tagged("sh"))
def test_commands(fence: Fence, tmp_path: Path) -> None:
    shown = FENCES[FENCES.index(fence) + 1]
    assert shown.tag == "text"
    for name, body in files().items():
        (tmp_path / name).write_text(body, "utf-8")
    environment = {**os.environ, "PYTHON": sys.executable, "PYTHONUTF8": "1"}
    script = 'pdedsl() { "$PYTHON" -m pdedsl "$@"; }\n' + fence.body
    run = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
    )
    assert run.stdout.decode("utf-8") == shown.body
    assert run.returncode == (1 if "error[" in shown.body else 0)


# ---- tables of notation


@pytest.mark.parametrize("row", tables("table: notation")[0], ids=lambda row: row[0])
def test_notation(row: list[str]) -> None:
    pairs = list(zip(codes(row[1]), codes(row[2]), strict=True))
    assert pairs
    for unicode, ascii in pairs:
        assert ascii.isascii(), ascii
        context = context_of(unicode, ANYWHERE)
        one, other = filled(unicode, context), filled(ascii, context)
        assert parse(one).hash == parse(other).hash
        assert format(one) == format(other)
        assert format(one, ascii=True) == format(other, ascii=True)
        assert re.sub(DEFAULT, "", format(one, ascii=True)).isascii()


@pytest.mark.parametrize("row", tables("table: same")[0], ids=lambda row: row[0])
def test_juxtaposition(row: list[str]) -> None:
    (one,), (other,) = codes(row[0]), codes(row[1])
    context = context_of(one, EXPRESSION)
    assert parse(filled(one, context)).hash == parse(filled(other, context)).hash


@pytest.mark.parametrize("row", tables("table: wrong")[0], ids=lambda row: row[0])
def test_rejected(row: list[str]) -> None:
    (wrong,) = codes(row[0])
    assert error_codes(filled(wrong, EXPRESSION[0])) == set(codes(row[1]))
    for right in codes(row[2]):
        assert not error_codes(filled(right, EXPRESSION[0])), right


def test_signs_of_prose() -> None:
    """The statements of the page about `sum` and dots, outside of its tables."""
    context = EXPRESSION[0]
    assert not error_codes(filled("∇·(A·∇u)", context))
    assert parse(filled("∇·(A∇u)", context)).hash == parse(filled("∇·(A·∇u)", context)).hash
    assert error_codes(filled("∂³u/∂x₁²", context)) == {"E112"}
    assert parse(filled("sum(row, v[row])", context)).hash == parse(filled("Σₖ vₖ", context)).hash
    assert error_codes(filled("a\n  + b", context)) >= {"E102"}
    assert not error_codes(filled("a +\n  b", context))
    assert parse(filled("0.1 + 0.2", context)).hash == parse(filled(".3", context)).hash
    assert error_codes(filled("3.", context)) == {"E101"}
    assert error_codes(filled("du / dt", context)) == {"E201"}


# ---- tables of statements


@pytest.mark.parametrize("row", tables("table: spaces")[0], ids=lambda row: row[0])
def test_spaces(row: list[str]) -> None:
    (form,) = codes(row[0])
    arguments = "x, y" if "(x, y)" in form else "x"
    kind = "channels" if "pixels" in form else "scalar"
    text = f"pde P\n{form}\ntime t in [0, 1]\nunknown u({arguments}, t) : {kind}\n∂u/∂t = Δu\nu({arguments}, 0) = 0\n"
    assert error_codes(text) in (set(), {"E417"})


@pytest.mark.parametrize("row", tables("table: conditions")[0], ids=lambda row: row[0])
def test_conditions(row: list[str]) -> None:
    line = "pde P\nspace x in [-1, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\nlet f(x) = x\n"
    square = line.replace("space x in [-1, 1]", "space (x, y) in [-1, 1]^2").replace("u(x, t)", "u(x, y, t)")
    for condition in (c for c in codes(row[1]) if "=" in c):
        found = [error_codes(f"{frame}∂²u/∂t² = Δu\n{condition}\n") for frame in (line, square)]
        assert any(e <= {"E416", "E417"} for e in found), (condition, found)


# ---- diagnostics and limits


def test_codes(golden: Callable[[Path, str], None]) -> None:
    """Every code of the catalogue has its row, and the page names no other."""
    rows = [f"| `{code.name}` | {code.description} |" for code in errors.codes()]
    start = LINES.index("<!-- table: codes -->") + 3
    golden(ROOT / "grammar" / "README.md", "\n".join([*LINES[:start], *rows, *LINES[LINES.index("", start) :]]))
    assert set(re.findall(r"\b[EW]\d{3}\b", PAGE)) == {code.name for code in errors.codes()}


def test_families() -> None:
    start = LINES.index("| codes | about |") + 2
    rows = [cells(line) for line in LINES[start : LINES.index("", start)]]
    assert [row[0] for row in rows] == list(dict.fromkeys(family(code.name) for code in errors.codes()))


def family(code: str) -> str:
    return f"`{code[:2]}xx`" if code[0] == "E" else "`Wxxx`"


def test_json() -> None:
    """The keys that the page names, in its order."""
    said = paragraph("With `--json`").split("Exit codes")[0]
    keys = [c for c in codes(said) if c.isidentifier()]
    runner = CliRunner()
    heat = json.loads(runner.invoke(cli, ["check", "--json", "-"], input=files()["heat.pde"]).output)
    wrong = json.loads(runner.invoke(cli, ["check", "--json", "-"], input=files()["wrong.pde"]).output)
    assert list(wrong) == keys[1:6]
    assert list(heat) == [*wrong, "equations", "axioms"]
    assert [*wrong["diagnostics"][0]] == [k for k in keys[6:] if k in wrong["diagnostics"][0]]
    assert wrong["name"] is wrong["hash"] is None
    assert (heat["ok"], heat["name"], heat["diagnostics"]) == (True, "Heat", [])


LIMITS = {
    "tokens": lexer.MAX_TOKENS,
    "nesting depth of brackets": lexer.MAX_BRACKET_DEPTH,
    "characters of a name": MAX_NAME_LENGTH,
    "characters of a number": lexer.MAX_NUMBER_LENGTH,
    "decimal exponent of a number": expressions.MAX_DECIMAL_EXPONENT,
    "exponent of a power": expressions.MAX_EXPONENT,
    "bits of a power of numbers": expression_limits.MAX_BITS,
    "order of a derivative": symbols.MAX_ORDER,
    "terms of an expanded expression": rewrite.MAX_TERMS,
    "dimensions of a physical domain": 1000,
    "classes of a `simplex`": types.MAX_CLASSES,
}


BEYOND = {
    "tokens": "a" + " + a" * (lexer.MAX_TOKENS // 2 + 1),
    "nesting depth of brackets": "(" * 201 + "a" + ")" * 201,
    "characters of a name": "a" * 101,
    "characters of a number": "1" * 61,
    "decimal exponent of a number": "1e309",
    "exponent of a power": "u^1001",
    "bits of a power of numbers": "(2^1000)^5",
    "order of a derivative": "∂⁹u/∂x₁⁹",
    "terms of an expanded expression": "(a + u + v₁ + v₂ + t)^60",
}


def test_limits() -> None:
    rows = {row[0]: row for row in tables("table: limits")[0]}
    assert rows.keys() == {"size of a file", *LIMITS}
    assert rows["size of a file"][1] == f"{sources.MAX_BYTES >> 20} MiB"
    assert {label: f"{most:,}" for label, most in LIMITS.items()} == {k: r[1] for k, r in rows.items() if k in LIMITS}
    with pytest.raises(PdeError) as caught:
        decode_source(b"#" * (sources.MAX_BYTES + 1), "large.pde")
    assert [d.code for d in caught.value.diagnostics] == codes(rows["size of a file"][2])
    for label, text in BEYOND.items():
        assert error_codes(filled(text, EXPRESSION[0])) - {"E201"} == set(codes(rows[label][2])), label
    space = "pde P\nspace x in [0, 1]^{}\nunknown u(x) : {}\nΔu = u\n"
    assert error_codes(space.format(1001, "scalar")) == {"E316"}
    assert "E312" in error_codes(space.format(2, "simplex(1000001)"))
    assert not error_codes(filled("(" * 200 + "a" + ")" * 200, EXPRESSION[0]))


def test_towers_of_powers_are_refused() -> None:
    assert error_codes(filled("9^9^9^9", EXPRESSION[0])) == {"E113"}


def test_the_table_of_contents_names_every_section() -> None:
    heads = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    links = re.findall(r"^- \[(.+)\]\(#(.+)\)$", PAGE, re.MULTILINE)
    assert [text for text, _ in links] == heads
    assert [link for _, link in links] == [re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads]
