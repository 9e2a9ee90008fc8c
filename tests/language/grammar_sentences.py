"""Random sentences of the grammar (hypothesis): derivations that use the shortest expansions below a depth.

`hypothesis.extra.lark` draws sentences too, but ours branches more than once a rule, so nearly all of its equations
outgrow what hypothesis allows; it serves for expressions.
"""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from lark import Lark

from pdedsl.language.parser import load_grammar


def one_of(words: str) -> st.SearchStrategy[str]:
    return st.sampled_from(words.split())


WORDS = "u u u u x x t T y v A W f sin exp relu K Y i n z pi σ R image pixels mlp boundary left time noise linearity"
TERMINALS = {
    "NAME": one_of(WORDS),
    "NUMBER": one_of("0 1 2 3 0.5 1e-3 10 007 .5 1e9"),
    "FRACTION": st.sampled_from("½⅓⅔¼¾"),
    "STRING": st.sampled_from(['"a title"', '""']),
    "SUPERSCRIPT": one_of("² ³ ⁻¹ ⁰ ¹²"),
    "SUBSCRIPT": one_of("₁ ₂ ᵢ ⱼ ᵢⱼ ₀"),
    "DERIVATIVE": one_of("∂u/∂t ∂u/∂x ∂²u/∂x² ∂²u/∂x∂y ∂v/∂y ∂²u/∂xᵢ² ∂u/∂u ∂³u/∂x² ∂²u/∂t²"),
    "OPERATOR": one_of("∂/∂x ∂/∂t ∂²/∂x² ∂/∂T"),
    "DENOMINATOR": one_of("/∂x /∂t /∂x² /∂xᵢ"),
    "PARTIAL": one_of("∂ ∂²"),
    "MINUS": st.just("-"),
    "STAR": st.just("*"),
    "DOT": st.just("·"),
    "DIV": st.just("∇·"),
    "HESSIAN": st.just("∇∇"),
    "LAPLACIAN": st.just("Δ"),
    "SIGMA": st.just("Σ"),
    "RELATION": one_of("<= >= ≤ ≥ < >"),
    "NEWLINE": st.just("\n"),
    "COMMENT": st.just(""),
    "WHITE": st.just(" "),
    # made by the reader, never found by the scanner
    "CALL": st.just("("),
    "INDEX": st.just("["),
    "ENDNORM": st.just("‖"),
    "ENDBAR": st.just("|"),
}
TOUCHING = {"CALL", "INDEX", "SUPERSCRIPT", "SUBSCRIPT", "ADJOINT"}
LARK = Lark(load_grammar(), parser="lalr", lexer="basic", start=["spec", "statement", "equation", "sum", "block"])
Symbols = tuple[str, ...]


@cache
def expansions(start: str) -> tuple[dict[str, str], dict[str, list[Symbols]]]:
    """Terminals as patterns, and the ways to expand each rule."""
    terminals, rules, _ = LARK.grammar.compile([start], ())
    ways: dict[str, list[Symbols]] = {}
    for rule in rules:
        ways.setdefault(rule.origin.name, []).append(tuple(s.name for s in rule.expansion))
    return {t.name: t.pattern.to_regexp() for t in terminals}, ways


@cache
def shortest(start: str) -> dict[str, list[Symbols]]:
    """For each rule, the ways that end soonest."""
    _, ways = expansions(start)
    height: dict[str, int] = {}
    while len(height) < len(ways):
        found = {r: min(h) for r, ws in ways.items() if r not in height and (h := _heights(ws, ways, height))}
        height |= found
    return {r: [w for w in ws if _heights([w], ways, height) == [height[r]]] for r, ws in ways.items()}


def _heights(ways: list[Symbols], rules: dict[str, list[Symbols]], known: dict[str, int]) -> list[int]:
    ready = [w for w in ways if all(s in known or s not in rules for s in w)]
    return [1 + max((known[s] for s in w if s in rules), default=0) for w in ready]


@st.composite
def sentences(draw: st.DrawFn, start: str, deepest: int = 16) -> str:
    patterns, ways = expansions(start)
    soonest = shortest(start)
    words: list[str] = []

    def grow(symbol: str, depth: int) -> None:
        if symbol in ways:
            expansions = ways[symbol] if depth > 0 else soonest[symbol]
            for part in draw(st.sampled_from(expansions)):
                grow(part, depth - 1)
            return
        words.append("" if symbol in TOUCHING else " ")
        known = symbol in TERMINALS
        words.append(draw(TERMINALS[symbol] if known else st.from_regex(patterns[symbol], fullmatch=True)))

    grow(start, draw(st.integers(0, deepest)))
    return "".join(words)


def drawn_by_lark(start: str) -> st.SearchStrategy[str]:
    patterns, _ = expansions(start)
    explicit = {name: found for name, found in TERMINALS.items() if name in patterns}
    return from_lark(LARK, start=start, explicit=explicit, alphabet=st.characters(codec="utf-8"))


# ---- Expressions with matching ranks, which reach the elaboration of derivatives


def _form(template: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map(lambda texts: template.format(*texts))


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    vector = st.one_of(
        st.sampled_from(["v", "∇u", "[y, -x]"]),
        _form("∇({})", inner),
        _form("[{}, {}]", inner, inner),
        _form("({}) v", inner),
    )
    calls = one_of("sin exp log sqrt tanh relu abs sign heaviside erf f sigmoid atan")
    powers = one_of("2 3 -1 0 0.5 -2 1/2 u x T 12 (1/3) -0.5")
    return st.one_of(
        _form("({} + {})", inner, inner),
        _form("({} - {})", inner, inner),
        _form("({})*({})", inner, inner),
        _form("({})/({})", inner, inner),
        _form("-({})", inner),
        _form("{}({})", calls, inner),
        _form("({})^({})", inner, powers),
        _form("max({}, {})", inner, inner),
        _form("|{}|", inner),
        _form("Δ({})", inner),
        _form("∂/∂x ({})", inner),
        _form("∂({})/∂t", inner),
        _form("∇·({})", vector),
        _form("({})·({})", vector, vector),
        _form("‖{}‖", vector),
        _form("A:∇∇({})", inner),
        _form("(Σᵢ vᵢ ∂({})/∂xᵢ)", inner),
        _form("(Σᵢ vᵢ² ({}))", inner),
    )


LEAVES = "u u x y t T 0 1 2 ½ 0.3 v₁ A[1,2] ∂u/∂t ∂u/∂x ∂²u/∂y² Δu ∂²u/∂x∂y"
fitting = st.recursive(one_of(LEAVES), _grown, max_leaves=7)
