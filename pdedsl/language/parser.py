"""Parser: source → syntax tree (LALR(1), by lark).

Each statement is parsed separately, so that an error in one hides none in another. The LALR tables are computed once
and cached as JSON: computing them takes ten times as long as loading them. Whoever can change the cache can change the
meaning of a spec, so it is stored where Python keeps the compiled code of this module, with a digest against
corruption; if it cannot be loaded, the tables are computed again.
"""

from __future__ import annotations

import json
from contextlib import suppress
from copy import copy
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.util import cache_from_source
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Any, cast

import lark
from lark import Lark, Token
from lark.exceptions import UnexpectedToken
from lark.lexer import BasicLexer

from pdedsl import errors
from pdedsl.diagnostics import Reporter, Source, Span, closest_match
from pdedsl.io import write_text_atomically
from pdedsl.language import ast as t
from pdedsl.language.ast_builder import AstBuilder, covering_span, name_node
from pdedsl.language.canonical_keywords import with_canonical_keywords
from pdedsl.language.lexer import StatementTokens, TokenizedSource, span_of, tokenize
from pdedsl.language.names import canonical_name
from pdedsl.language.syntax_errors import KEYWORDS, explain_unexpected_token
from pdedsl.language.token_stream import BLOCK_KEYWORDS

# ---- LALR tables


def load_grammar() -> str:
    """The grammar, from the installed package or from the checkout."""
    packaged = files("pdedsl").joinpath("grammar/pde.lark")
    if packaged.is_file():
        return packaged.read_text("utf-8")
    return (Path(__file__).parents[2] / "grammar" / "pde.lark").read_text("utf-8")


@cache
def parser() -> Lark:
    grammar = load_grammar()
    path = cache_path(grammar)
    cached = _load_tables(path)
    if cached is not None:
        return cached
    parser = Lark(grammar, parser="lalr", lexer="basic", start=["statement", "entry", "axis"], transformer=AstBuilder())
    _store_tables(path, parser)
    return parser


def cache_path(grammar: str) -> Path:
    key = sha256(f"{lark.__version__}\n{grammar}".encode()).hexdigest()[:16]
    return Path(cache_from_source(__file__)).with_name(f"grammar-{key}.json")


@cache
def scanner() -> BasicLexer:
    """The scanner from text to raw tokens, including comments for the formatter."""
    conf = copy(parser().lexer_conf)
    conf.ignore = ["WHITE"]
    conf.skip_validation = True
    return BasicLexer(conf)


def _load_tables(path: Path) -> Lark | None:
    try:
        expected, _, text = path.read_text("utf-8").partition("\n")
        if expected != digest(text):
            return None
        tables = json.loads(text, object_hook=_restore_integer_keys)
        return Lark.__new__(Lark)._load(tables, transformer=AstBuilder())
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        AssertionError,
    ):  # or tables of another lark version
        return None


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _restore_integer_keys(row: dict[str, Any]) -> dict[Any, Any]:
    """Integer keys: the tables number states and tokens, and JSON stores keys as strings."""
    return {int(k) if k.isdigit() else k: v for k, v in row.items()}


def _store_tables(path: Path, parser: Lark) -> None:
    """Writes the tables atomically, if the folder is writable."""
    data, memo = parser.memo_serialize([lark.lexer.TerminalDef, lark.grammar.Rule])
    data["options"] = {k: v for k, v in data["options"].items() if k != "transformer"}
    text = json.dumps({"data": data, "memo": memo})
    with suppress(OSError):
        write_text_atomically(path, f"{digest(text)}\n{text}")


# ---- Statements


MAX_TREE_DEPTH = 1000  # later passes recurse over the tree
MIN_TOKENS_FOR_DEPTH_CHECK = MAX_TREE_DEPTH // 10  # tokens: each adds fewer than ten levels to a tree
MAX_ERRORS = 100  # errors after which parsing stops
KEYWORD_SYNONYMS = {
    **dict.fromkeys(
        ("domain", "region", "raum", "gebiet", "espace", "domaine", "espacio", "spazio", "dominio"), "space"
    ),
    **dict.fromkeys(("zeit", "temps", "tiempo", "tempo"), "time"),
    **dict.fromkeys(("field", "variable", "var", "unbekannte", "gesucht", "inconnue", "incognita"), "unknown"),
    **dict.fromkeys(("constant", "parameter", "param", "konstante", "constante", "costante", "double"), "const"),
    **dict.fromkeys(("float", "real", "int", "scalar"), "const"),
    **dict.fromkeys(("def", "define", "function"), "let"),
    **dict.fromkeys(("solve", "method", "solver", "discretize"), "realize"),
    **dict.fromkeys(("assert", "assume", "property"), "require"),
    **dict.fromkeys(("training", "fit"), "train"),
    **dict.fromkeys(("test", "evaluation", "eval"), "evaluate"),
}
"""Keywords of other programs and languages."""
PROSE_WORDS = {"Solve", "Find", "find", "Given", "given", "Consider", "subject", "Equation", "equation"}
"""Words before equations in a textbook."""
CONDITION_LABELS = {"initial", "ic", "bc", "boundary", "dirichlet", "neumann", "robin"}
"""Words before boundary and initial conditions in other programs."""
OPERATOR_TOKENS = {
    "UNAPPLIED_NABLA",
    "CURL",
    "DERIVATIVE",
    "DIV",
    "HESSIAN",
    "LAPLACIAN",
    "NABLA",
    "OPERATOR",
    "PARTIAL",
    "SIGMA",
}
"""Operators that have names in ASCII."""


def parse_syntax(source: Source, reporter: Reporter) -> t.Syntax:
    """The statements that can be parsed; errors go to the reporter, names in unparsed declarations to `unparsed`."""
    return parse_with_tokens(source, reporter)[1]


def parse_with_tokens(source: Source, reporter: Reporter) -> tuple[TokenizedSource, t.Syntax]:
    """Like `parse_syntax`, with the tokens."""
    tokenized = tokenize(source, scanner(), reporter)
    return tokenized, _parse_statements(tokenized, source, reporter)


def _parse_statements(tokenized: TokenizedSource, source: Source, reporter: Reporter) -> t.Syntax:
    declared = tokenized.names.fields | tokenized.names.variables
    statements: list[t.Statement] = []
    unparsed: set[str] = set()
    missing_brace = False  # inside a block without its opening brace: indented lines are skipped
    for line in tokenized.lines:
        before = len(statements)
        missing_brace = missing_brace and source.position(span_of(line.tokens[0]).start)[1] > 1
        if missing_brace:
            continue
        missing_brace = line.tokens[0].type in BLOCK_KEYWORDS and line.entries is None
        with reporter.guard():
            statements += _parse_line(line, declared, reporter)
        if len(statements) == before:
            unparsed |= _unparsed_names(line.tokens)
        if len(reporter.errors) >= MAX_ERRORS:
            break
    return t.Syntax(tuple(statements), tokenized.comments, frozenset(unparsed), span=Span(0, len(source.text)))


def _parse_line(line: StatementTokens, declared: set[str], reporter: Reporter) -> list[t.Statement]:
    """The statement of a line; none if an error in it was already reported."""
    _check_keyword(line.tokens, declared)
    if line.entries is not None:
        return [] if line.has_error else [with_canonical_keywords(_parse_block(line, reporter))]
    return [] if line.has_error else [with_canonical_keywords(cast(t.Statement, _parse(line.tokens, "statement")))]


def _unparsed_names(tokens: list[Token]) -> set[str]:
    """The keyword of an unparsed declaration and the names that it declares."""
    first = 0 if len(tokens) > 1 and tokens[1].type == "IN" else 1  # `t in [0, 1]`
    within = (
        "NAME",
        "LPAR",
        "COMMA",
        *(("COLON", "NUMBER", "RELATION") if tokens[0].type in ("SPACE", "TIME") else ()),
    )
    names = takewhile(lambda token: token.type in within, tokens[first:])
    word = tokens[0]
    keyword = (_suggest_keyword(word.lower()) or _keyword_by_shape(tokens)) if word.type == "NAME" else word.type
    return {(keyword or "").upper(), *(canonical_name(token) for token in names if token.type == "NAME")}


def _suggest_keyword(word: str) -> str | None:
    return KEYWORD_SYNONYMS.get(word) or closest_match(word, KEYWORDS)


def _check_keyword(tokens: list[Token], declared: set[str]) -> None:
    """Reports a misspelled keyword: a line that starts with two names must start with a keyword, also after a plus,
    which the formatter removes."""
    tokens = list(dropwhile(lambda token: token.type == "PLUS", tokens)) or tokens
    first = tokens[0]
    follows = tokens[1].type if len(tokens) > 1 else ""
    if first.type != "NAME" or canonical_name(first) in declared:
        return
    if first.lower() in CONDITION_LABELS and follows != "EQUAL":
        raise errors.syntax.labelled_condition(first, span_of(first))
    before = first in PROSE_WORDS or (follows in OPERATOR_TOKENS and first.capitalize() in PROSE_WORDS)
    if before or (follows == "COLON" and _is_label(tokens)):
        whole = span_of(first).to(span_of(tokens[1])) if follows == "COLON" else span_of(first)
        raise errors.syntax.labelled_equation(first, span_of(first), whole)
    if follows not in ("NAME", "LPAR", "LBRACE", "BY", *OPERATOR_TOKENS):
        return
    typo = _suggest_keyword(first.lower()) or _keyword_by_shape(tokens)
    if typo == "unknown" and len(tokens) > 2 and tokens[2].type in ("IN", "ELEMENT"):
        typo = "space"  # `var x in [0, 1]`
    if typo or follows == "LBRACE":
        blocks = [kind.lower() for kind in sorted(BLOCK_KEYWORDS)]
        raise errors.syntax.unknown_statement(first, typo, blocks, span_of(first))


def _keyword_by_shape(tokens: list[Token]) -> str | None:
    """The keyword of `word x in [0, 1]` and of `word u(x, t) : scalar`, by the form of the statement."""
    kinds = [token.type for token in tokens[:3]]
    if kinds in (["NAME", "NAME", "IN"], ["NAME", "NAME", "ELEMENT"]):
        return "time" if tokens[1] == "t" else "space"
    types = kinds == ["NAME", "NAME", "CALL"] and not any(token.type == "EQUAL" for token in tokens)
    return "unknown" if types and any(token.type == "COLON" for token in tokens) else None


def _is_label(tokens: list[Token]) -> bool:
    """`heat: ∂u/∂t = …`, and not `A:∇∇u`."""
    return tokens[0].end_pos == tokens[1].start_pos and (len(tokens) < 3 or tokens[1].end_pos != tokens[2].start_pos)


def _parse_block(line: StatementTokens, reporter: Reporter) -> t.BlockStmt | t.SweepStmt:
    keyword = line.tokens[0]
    if keyword.type not in BLOCK_KEYWORDS or len(line.tokens) > 3:
        _parse([*line.tokens[:2], line.tokens[-1]], "statement")
    sweeps = keyword.type == "SWEEP"
    entries: list[t.Node] = []
    for entry in line.entries or []:
        with reporter.guard():
            if not entry.has_error:
                entries.append(_parse(entry.tokens, "axis" if sweeps else "entry"))
    span = covering_span(line.tokens)
    if sweeps:
        return t.SweepStmt(name_node(keyword), tuple(cast(list[t.SweepEntry], entries)), span=span)
    return t.BlockStmt(name_node(keyword), tuple(cast(list[t.Entry], entries)), span=span)


def _parse(tokens: list[Token], start: str) -> t.Node:
    steps = parser().parse_interactive(start=start)
    try:
        for token in tokens:
            steps.feed_token(token)
        node = cast(t.Node, steps.feed_token(Token.new_borrow_pos("$END", "", tokens[-1])))
    except UnexpectedToken as error:
        raise explain_unexpected_token(error, tokens) from None
    if len(tokens) > MIN_TOKENS_FOR_DEPTH_CHECK and (deep := t.find_deeper_than(node, MAX_TREE_DEPTH)):
        raise errors.syntax.nested_too_deeply(deep.span)
    return node
