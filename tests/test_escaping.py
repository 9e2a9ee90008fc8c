"""Escaping: a parser of the output format recovers exactly the original text."""

from __future__ import annotations

import ast
import json
import re
import shlex
import unicodedata
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from matplotlib.cbook import is_math_text

from pdedsl.diagnostics import escaping
from pdedsl.explainer.tex import ascii_tex

WORST = (
    "",
    '"',
    '""',
    '"""',
    '""""',
    "'''",
    "\\",
    '\\"""',
    '\\\\"',
    '""" + str(open("f", "w").write("x")) #',
    '\n"""\nimport os\nos.abort()\n"""',
    "\r\nimport os",
    "\x0c\x0bimport os\x1c\x1d\x85\u2028\u2029x",
    "# -*- coding: utf-7 -*-",
    "+AGkAbQBwAG8AcgB0-",
    "\\N{BULLET} \\x22 \\u0022 \\42 \\",
    "{0.__class__} {name} %s %(x)s $x ${x}",
    "\x1b[2J\x1b]0;owned\x07\x9b31m\x90q\x7f\x08\x08",
    "access\u202e\u2066 level\u2069\u2066 user\u200b\u200d\ufeff\u00ad",
    "\ud800 \udfff \U000e0001 \ue000 \x00",
    "<script>alert(1)</script><img src=x onerror=alert(1)>&lt;&#60;<!--",
    "</svg><![CDATA[]]>]]>",
    "[a](javascript:alert(1)) ![a](http://e.org/x) <http://e.org> https://e.org www.e.org a@e.org",
    "`` ``` ~~~ `a`` | a | b | * _a_ **b** ~~c~~ $d$ $$e$$",
    "# heading",
    "- item",
    "1. item",
    "12) item",
    "> quote",
    "    code",
    "===",
    "---",
    "+ x",
    "***",
    "\\input{/etc/passwd}\\write18{id}%$&#_^~{}\\end{document}",
    "$\\frac{$ $$ \\$ $",
)
FAST = settings(
    derandomize=True, deadline=None, database=None, max_examples=150, suppress_health_check=list(HealthCheck)
)
texts = st.one_of(
    st.text(max_size=40),
    st.text(st.sampled_from("\"'\\\n\r\t#`*_[]()<>&|$~%^{}!-+=1.): aZ\x1b\u202e\u2028\ud800"), max_size=25),
    st.lists(st.sampled_from(WORST), max_size=3).map("".join),
)


def quoted(function):  # type: ignore[no-untyped-def]
    """A property of every text, with adversarial examples."""
    for text in WORST:
        function = example(text)(function)
    return settings(FAST)(given(texts)(function))


def plain(text: str) -> bool:
    """Whether all characters are printable."""
    return all(c == "\n" or c.isprintable() or unicodedata.category(c) == "Zs" for c in text)


@quoted
def test_lines_are_printable(text: str) -> None:
    assert plain(escaping.lines(text))
    assert "\n" not in escaping.line(text)
    assert len(escaping.lines(text)) == len(escaping.line(text)) == len(text)
    assert escaping.lines(escaping.lines(text)) == escaping.lines(text)


@quoted
def test_json_preserves_the_value(text: str) -> None:
    shown = escaping.as_json({"a": [text]}, indent=2)
    assert plain(shown)
    assert json.loads(shown) == {"a": [text]}


@quoted
def test_docstring_cannot_be_closed(text: str) -> None:
    source = f'def f():\n    """{escaping.docstring(text)}"""\n    return 1\n'
    compile(source.encode(), "f.py", "exec")
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    assert ast.get_docstring(function, clean=False) == escaping.lines(text)
    assert ast.dump(ast.Module(function.body[1:], [])) == ast.dump(ast.parse("return 1"))


@quoted
def test_comment_cannot_be_left(text: str) -> None:
    source = f"a = 1\nb = 2\n# {escaping.comment(text)}\nc = 3\n"
    compile(source.encode(), "f.py", "exec")
    assert ast.dump(ast.parse(source)) == ast.dump(ast.parse("a = 1\nb = 2\nc = 3\n"))


@quoted
def test_literal_evaluates_to_the_text(text: str) -> None:
    literal = escaping.literal(text)
    assert ast.literal_eval(literal) == text
    assert plain(literal)
    literal.encode()


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.found.add(tag)

    def handle_comment(self, data: str) -> None:
        self.found.add("!--")


@quoted
def test_markdown_is_plain_text(text: str) -> None:
    """In a paragraph, in a list and in a cell of a table, by a parser of CommonMark with HTML allowed."""
    shown = escaping.markdown(text)
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for page, tags in (
        (shown, {"p"}),
        (f"- {shown}", {"ul", "li"}),
        (_table(escaping.cell(text)), set("table thead tbody tr th td".split())),
    ):
        inline = [t for t in reader.parse(page) if t.type == "inline" and t.content != "h"]
        found = "".join(c.content for t in inline for c in t.children or [])
        assert found.split() == escaping.line(text).split()
        html = Tags()
        html.feed(reader.render(page))
        assert html.found <= tags


def _table(cell: str) -> str:
    return f"| h |\n| --- |\n| {cell} |\n"


@quoted
def test_fence_cannot_be_closed(text: str) -> None:
    reader = MarkdownIt("commonmark", {"html": True})
    tokens = reader.parse(f"a\n\n{escaping.fence_code(text, 'pde')}\n\nb\n")
    assert [t.type for t in tokens if t.type in ("fence", "inline")] == ["inline", "fence", "inline"]


@quoted
def test_latex_is_reversible(text: str) -> None:
    """Every command encodes one character, and no other special character of TeX is left."""
    shown = escaping.latex(text)
    signs = {tex: char for char, tex in escaping.TEX.items()}
    known = "|".join(sorted(map(re.escape, signs), key=len, reverse=True))
    read = re.sub(known, "", shown)
    assert not set(read) & set("\\{}$&#%_^~\n\r\x00")
    assert re.sub(known, lambda m: signs[m[0]], shown) == escaping.line(text)
    assert not set(re.sub(r"\\[A-Za-z]+|\\.|[{}^_|]", "", ascii_tex(shown))) & set("$&#%~\\")


@quoted
def test_caption_has_no_math(text: str) -> None:
    assert not is_math_text(escaping.caption(text))
    assert plain(escaping.caption(text))


@pytest.mark.parametrize(("written", "shown"), [("a_b", r"a\_b"), ("50 %", "50 %"), ("v·∇u = 0", "v·∇u = 0")])
def test_plain_text_stays_readable(written: str, shown: str) -> None:
    assert escaping.markdown(written) == shown


@quoted
def test_command_preserves_its_arguments(text: str) -> None:
    shown = escaping.command("pdedsl", "evaluate", text)
    assert shlex.split(shown) == ["pdedsl", "evaluate", *shlex.split(escaping.line(shlex.quote(text)))]
    assert len(shlex.split(shown)) == 3
    assert escaping.line(shown) == shown
