"""The parser of the grammar. Its tables are computed once and kept as JSON in the user's cache: computing them takes
longer than checking a spec. Without a cache that can be read or written, they are computed anew."""

from __future__ import annotations

import json
import os
import tempfile
from copy import copy
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import lark
from lark import Lark
from lark.lexer import BasicLexer

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
    key = sha256(f"{lark.__version__}\n{grammar}".encode()).hexdigest()[:16]
    path = _cache_folder() / f"grammar-{key}.json"
    kept = _read(path)
    if kept is not None:
        return kept
    made = Lark(grammar, parser="lalr", lexer="basic", start=["statement", "entry"], transformer=Builder())
    _write(path, made)
    return made


@cache
def scanner() -> BasicLexer:
    """Text to raw tokens; comments are kept, for the formatter."""
    conf = copy(parser().lexer_conf)
    conf.ignore = ["WHITE"]
    conf.skip_validation = True
    return BasicLexer(conf)


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pdedsl"


def _read(path: Path) -> Lark | None:
    try:
        kept = json.loads(path.read_text("utf-8"), object_hook=_with_numbers)
        return Lark.__new__(Lark)._load(kept, transformer=Builder())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, AssertionError):
        return None


def _with_numbers(row: dict[str, Any]) -> dict[Any, Any]:
    """JSON's keys are texts; the tables count states and tokens."""
    return {int(k) if k.isdigit() else k: v for k, v in row.items()}


def _write(path: Path, made: Lark) -> None:
    """Best effort, and whole or not at all."""
    data, memo = made.memo_serialize([lark.lexer.TerminalDef, lark.grammar.Rule])
    data["options"] = {k: v for k, v in data["options"].items() if k != "transformer"}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            json.dump({"data": data, "memo": memo}, file)
        os.replace(file.name, path)
    except (OSError, TypeError):
        return
