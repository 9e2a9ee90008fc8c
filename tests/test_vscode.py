"""The highlighting of the extension is that of the grammar, over the specs and the wrong specs."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from lark.exceptions import UnexpectedCharacters
from lark.lexer import LexerState, Token
from lark.utils import TextSlice

from pdedsl.editor import analysed
from pdedsl.language.lexer import STATEMENT_KEYWORDS
from pdedsl.language.parser import scanner
from pdedsl.sources import shipped_specs

ROOT = Path(__file__).parents[1]
EXTENSION = ROOT / "editors" / "vscode"
TEXTS = [*shipped_specs().values(), *sorted((ROOT / "tests" / "bad").glob("*.pde"))]
INNER = {"IN", "ELEMENT", "FOR", "ON", "WHERE", "BY", "FROM", "PERIODIC"}
PUNCTUATION = {"LPAR", "RPAR", "LSQB", "RSQB", "LBRACE", "RBRACE", "COMMA", "NORM", "BAR"}
NUMBERS = {"NUMBER", "FRACTION", "SUPERSCRIPT", "SUBSCRIPT"}


@pytest.fixture(scope="module")
def made() -> ModuleType:
    place = importlib.util.spec_from_file_location("grammar", EXTENSION / "grammar.py")
    assert place
    assert place.loader
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def patterns() -> list[tuple[str, re.Pattern[str]]]:
    rows = json.loads((EXTENSION / "syntaxes" / "pde.tmLanguage.json").read_text("utf-8"))["patterns"]
    return [(row["name"], re.compile(row["match"])) for row in rows]


def coloured(line: str, patterns: list[tuple[str, re.Pattern[str]]]) -> list[str]:
    """The scope of each character of a line: of the patterns that match earliest, the first."""
    scopes, at = [""] * len(line), 0
    while at < len(line):
        found = [(m.start(), i, m.end()) for i, (_, p) in enumerate(patterns) if (m := p.search(line, at))]
        if not found:
            break
        start, i, end = min(found)
        scopes[start:end] = [patterns[i][0]] * (end - start)
        at = max(end, at + 1)
    return scopes


def tokens(text: str) -> Iterator[Token]:
    state = LexerState(TextSlice.cast_from(text))
    while True:
        try:
            yield scanner().next_token(state)
        except EOFError:
            return
        except UnexpectedCharacters as error:
            state.line_ctr.feed(text[error.pos_in_stream], text[error.pos_in_stream] == "\n")


def expected(token: Token, line: str, column: int) -> tuple[str, ...]:
    """The scopes that a token may have. A keyword is one at the start of its line alone."""
    match token.type:
        case "COMMENT":
            return ("comment",)
        case "STRING":
            return ("string",)
        case "NEGATIVE_LAPLACIAN":
            return ("punctuation",)  # its parenthesis
        case kind if kind in NUMBERS:
            return ("constant.numeric",)
        case kind if kind in INNER:
            return ("keyword.other",)
        case kind if kind in STATEMENT_KEYWORDS:
            return ("keyword.control",) if not line[:column].strip() else ("variable", "keyword.control")
        case "NAME":
            return ("variable", "storage.type", "support.function")
        case kind if kind in PUNCTUATION:
            return ("punctuation",)
        case _:
            return ("keyword.operator",)


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.stem)
def test_colours_are_those_of_the_tokens(path: Path, patterns: list[tuple[str, re.Pattern[str]]]) -> None:
    text = path.read_text("utf-8")
    lines = text.split("\n")
    scopes = [coloured(line, patterns) for line in lines[:200]]
    for token in tokens(text[:20_000]):
        assert token.start_pos is not None
        row, start = text.count("\n", 0, token.start_pos), text.rfind("\n", 0, token.start_pos) + 1
        column = token.start_pos - start
        if token.type == "NEWLINE" or row >= len(scopes):
            continue
        width = len(token) if token.type.startswith("INTEGRAL") else 1  # its limits have the colour of the sign
        for scope in scopes[row][column : column + width]:
            assert scope.startswith(expected(token, lines[row], column)), (str(token), token.type, lines[row])


def test_the_file_is_made_from_the_grammar(made: ModuleType, golden: Callable[[Path, str], None]) -> None:
    golden(EXTENSION / "syntaxes" / "pde.tmLanguage.json", made.text())


def test_every_terminal_that_is_written_out_is_coloured(
    made: ModuleType, patterns: list[tuple[str, re.Pattern[str]]]
) -> None:
    found = made.terminals()
    assert {"PDE", "EVALUATE", "PERIODIC", "SLASH", "RELATION", "NORM", "ADJOINT"} <= set(found)
    for spelling in (s for spellings in found.values() for s in spellings):
        assert all(coloured(f"{spelling} x", patterns)[: len(spelling)]), spelling


def test_the_client_starts_the_command_that_there_is() -> None:
    from pdedsl.cli import cli

    package = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    program, command = package["contributes"]["configuration"]["properties"]["pdedsl.server"]["default"]
    assert program == "pdedsl"
    assert command in cli.commands


def test_snippets_are_valid_specs() -> None:
    """With the defaults of their placeholders; the blocks of an experiment after the classifier, others in a spec that
    has their names."""
    snippets = json.loads((EXTENSION / "snippets.json").read_text("utf-8"))
    texts = {n: re.sub(r"\$\{\d+:([^}]*)\}", r"\1", "\n".join(s["body"])) + "\n" for n, s in snippets.items()}
    for name, text in texts.items():
        if name == "train":
            text = texts["classifier"] + text
        if name == "evaluate":
            text = texts["classifier"] + texts["train"] + text
        if name == "inverse":
            text = shipped_specs()["heat"].read_text("utf-8").replace("const   κ = 0.1\n", text).partition("exact")[0]
        assert not [d for d in analysed(text).diagnostics if d.is_error], name


def test_commands_are_registered() -> None:
    package = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    code = (EXTENSION / "extension.js").read_text("utf-8")
    declared = {command["command"] for command in package["contributes"]["commands"]}
    assert declared == set(re.findall(r'registerCommand\("([\w.]+)"', code))


def test_commands_of_code_lenses_are_registered_and_on_the_command_line() -> None:
    from pdedsl.cli import cli

    package = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    declared = {command["command"] for command in package["contributes"]["commands"]}
    listed = re.search(r"const COMMANDS = (\[.*?\])", (EXTENSION / "extension.js").read_text("utf-8"))
    assert listed
    assert set(json.loads(listed[1])) <= {name.removeprefix("pdedsl.") for name in declared} & set(cli.commands)
