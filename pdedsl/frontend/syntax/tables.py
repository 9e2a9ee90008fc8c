"""The parser of the grammar. Its tables are computed once and cached as JSON: computing them takes ten times as long as
reading them. Whoever can change them can change what a spec means, so they are stored where Python keeps this
module's compiled code, with a digest against accidents. If they cannot be read there, they are computed anew."""

from __future__ import annotations

import json
from contextlib import suppress
from copy import copy
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import lark
from lark import Lark
from lark.lexer import BasicLexer

from pdedsl.files import replace_text
from pdedsl.frontend.syntax.build import Builder


def grammar_text() -> str:
    """The grammar, from the installed package or from the checkout."""
    packaged = files("pdedsl").joinpath("grammar/pde.lark")
    if packaged.is_file():
        return packaged.read_text("utf-8")
    return (Path(__file__).parents[3] / "grammar" / "pde.lark").read_text("utf-8")


@cache
def parser() -> Lark:
    grammar = grammar_text()
    path = kept_at(grammar)
    kept = _read(path)
    if kept is not None:
        return kept
    made = Lark(grammar, parser="lalr", lexer="basic", start=["statement", "entry"], transformer=Builder())
    _write(path, made)
    return made


def kept_at(grammar: str) -> Path:
    key = sha256(f"{lark.__version__}\n{grammar}".encode()).hexdigest()[:16]
    return Path(cache_from_source(__file__)).with_name(f"grammar-{key}.json")


@cache
def scanner() -> BasicLexer:
    """The scanner from text to raw tokens; comments are kept for the formatter."""
    conf = copy(parser().lexer_conf)
    conf.ignore = ["WHITE"]
    conf.skip_validation = True
    return BasicLexer(conf)


def _read(path: Path) -> Lark | None:
    try:
        written, _, text = path.read_text("utf-8").partition("\n")
        if written != digest(text):
            return None
        kept = json.loads(text, object_hook=_with_numbers)
        return Lark.__new__(Lark)._load(kept, transformer=Builder())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, AssertionError):  # or of another lark version
        return None


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _with_numbers(row: dict[str, Any]) -> dict[Any, Any]:
    """Keys as integers again: in JSON they are strings, in the tables they number states and tokens."""
    return {int(k) if k.isdigit() else k: v for k, v in row.items()}


def _write(path: Path, made: Lark) -> None:
    """Writes the tables if possible, completely or not at all."""
    data, memo = made.memo_serialize([lark.lexer.TerminalDef, lark.grammar.Rule])
    data["options"] = {k: v for k, v in data["options"].items() if k != "transformer"}
    text = json.dumps({"data": data, "memo": memo})
    with suppress(OSError):
        replace_text(path, f"{digest(text)}\n{text}")
