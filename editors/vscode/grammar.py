"""Writes syntaxes/pde.tmLanguage.json, from the grammar and the words: `python editors/vscode/grammar.py`."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pdedsl.language.elaborate.expressions import RESERVED
from pdedsl.language.elaborate.types import TYPE_ATTRIBUTES, TYPES
from pdedsl.language.lexer import STATEMENT_KEYWORDS
from pdedsl.language.parser import load_grammar

PATH = Path(__file__).parent / "syntaxes" / "pde.tmLanguage.json"
BRACKETS = set("()[]{}‖|,")


def terminals() -> dict[str, list[str]]:
    """The terminals of the grammar that are written out, each with its spellings."""
    rows = re.findall(r"^([A-Z]+): *(\".*)$", load_grammar(), re.MULTILINE)
    return {name: re.findall(r'"([^"]+)"', body) for name, body in rows}


def integrals() -> list[str]:
    """The regular expressions of the integral sign with its lower limit, or with both."""
    return re.findall(r"^INTEGRAL\w*\.\d: /(.*)/$", load_grammar(), re.MULTILINE)


def grammar() -> dict[str, object]:
    """The first pattern that matches earliest is taken, as by TextMate."""
    known = terminals()
    words = {name: spelled for name, [spelled, *_] in known.items() if spelled.isalpha()}
    leading = sorted(words[name] for name in STATEMENT_KEYWORDS)
    inner = sorted(set(words.values()) - set(leading) - set("∈ᵀ∇"))
    signs = {s for spellings in known.values() for s in spellings if not s[0].isalnum()} - BRACKETS | {"ᵀ"}
    operators = [*map(re.escape, sorted(signs, key=lambda s: (-len(s), s))), *integrals(), "[∂ΔΣ∆∑√∫]"]
    traits = sorted(t for row in TYPE_ATTRIBUTES.values() for t in row if t.isidentifier())
    patterns = {
        "comment.line.number-sign.pde": r"#.*$",
        "string.quoted.double.pde": r"\"[^\"]*\"",
        "keyword.control.pde": rf"^\s*({'|'.join(leading)})\b",
        "keyword.other.pde": rf"\b({'|'.join(inner)})\b|∈",
        "storage.type.pde": rf"\b({'|'.join((*TYPES, *traits))})\b",
        "support.function.pde": rf"\b({'|'.join(sorted(RESERVED))})\b(?=\()",
        "constant.numeric.pde": r"(?<![^\W_])[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?|[½⅓⅔¼¾]",
        "constant.numeric.raised.pde": r"⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[₀₁₂₃₄₅₆₇₈₉]+|[ᵢⱼₖₗₘₙ]+",
        "keyword.operator.pde": "|".join(operators),
        "punctuation.pde": "[" + "".join(re.escape(b) for b in sorted(BRACKETS)) + "]",
        "variable.other.pde": r"(?![ΔΣ∆∑ᵀ])[^\W\d_]((?![ΔΣ∆∑ᵀᵢⱼₖₗₘₙ⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉½⅓⅔¼¾])\w)*",
    }
    return {
        "name": "pde",
        "scopeName": "source.pde",
        "patterns": [{"name": name, "match": match} for name, match in patterns.items()],
    }


def text() -> str:
    return json.dumps(grammar(), ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), "utf-8")
