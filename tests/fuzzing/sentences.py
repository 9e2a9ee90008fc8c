"""Random sentences of the grammar: derivations that use the shortest expansions below a depth.

The draws come from a `Random`, or from hypothesis, which shrinks them. `hypothesis.extra.lark` draws sentences too, but
ours branches more than once a rule, so nearly all of its equations outgrow what hypothesis allows; it serves for
expressions.
"""

from __future__ import annotations

import re
from functools import cache
from random import Random

from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from lark import Lark

from pdedsl.language.parser import load_grammar

WORDS = "u u u u x x t T y v A W f sin exp relu K Y i n z pi σ R image pixels mlp boundary left time noise linearity"
LEXEMES = {
    "NAME": WORDS,
    "NUMBER": "0 1 2 3 0.5 1e-3 10 007 .5 1e9 1e300",
    "FRACTION": "½ ⅓ ⅔ ¼ ¾",
    "STRING": '"a" ""',
    "SUPERSCRIPT": "² ³ ⁻¹ ⁰ ¹²",
    "SUBSCRIPT": "₁ ₂ ᵢ ⱼ ᵢⱼ ₀",
    "DERIVATIVE": "∂u/∂t ∂u/∂x ∂²u/∂x² ∂²u/∂x∂y ∂v/∂y ∂²u/∂xᵢ² ∂u/∂u ∂³u/∂x² ∂²u/∂t²",
    "OPERATOR": "∂/∂x ∂/∂t ∂²/∂x² ∂/∂T",
    "DENOMINATOR": "/∂x /∂t /∂x² /∂xᵢ",
    "PARTIAL": "∂ ∂²",
    "MINUS": "-",
    "STAR": "*",
    "DOT": "·",
    "DIV": "∇·",
    "CURL": "∇×",
    "HESSIAN": "∇∇",
    "LAPLACIAN": "Δ",
    "NEGATIVE_LAPLACIAN": "(-Δ)",
    "SIGMA": "Σ",
    "RELATION": "<= >= ≤ ≥ < >",
    "CALL": "(",
    "INDEX": "[",
    "ENDNORM": "‖",
    "ENDBAR": "|",
    "UNAPPLIED_NABLA": "∇",
    "NEWLINE": "\n",
    "COMMENT": "",
    "WHITE": "",
}
FRAMES = (
    """pde P
space (x, y) in [0, 1]^2
time t in [0, T]
const T = 1
const A = [[1, 0], [0, 2]]
let f(z) = z² - 1
learn v(x, y, t) : vector = mlp
learn W : operator = linear
unknown u(x, y, t) : scalar
u(x, y, 0) = 0
u = 0 on boundary
""",
    """pde P
space x in R^2
time t in [0, T]
const T = 1
const A = [[1, 0], [0, 2]]
let f(z) = z² - 1
let y = x₁
learn v(x, t) : vector = mlp
learn W : operator = linear
unknown u(x, t) : simplex(2)
u(x, 0) = softmax(W x)
""",
    """pde P
space (x, y) in [-1, 1]^2 where x² + y² < 1, x > -1/2
unknown u(x, y) : scalar
unknown v(x, y) : vector(2)
learn f : scalar > 0 = 0.3
const A = 2
u = 0 on boundary
v₁ = x on x² + y² = 1
""",
    """pde P
space x in pixels
time t in [0, T]
const T = 1
unknown u(x, t) : channels
learn K(t) : operator = conv(3)
learn v(u, t) : channels = convnet
network {
input image(1, 8, 8)
open 4
stages [4]
classes 2
}
""",
)
STARTS = ("statement", "equation", "sum", "sum", "block")
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


def sentence(rng: Random, start: str) -> str:
    patterns, ways = expansions(start)
    soonest = shortest(start)
    words: list[str] = []

    def grow(symbol: str, depth: int) -> None:
        if symbol in ways:
            for part in rng.choice(ways[symbol] if depth > 0 else soonest[symbol]):
                grow(part, depth - 1)
            return
        known = LEXEMES.get(symbol)
        words.append("" if symbol in TOUCHING else " ")
        words.append(_keyword(patterns[symbol]) if known is None else rng.choice(known.split(" ")))

    grow(start, rng.randint(0, 14))
    return "".join(words)


def _keyword(pattern: str) -> str:
    """The only text of a terminal that is a word or a sign."""
    return re.sub(r"\\(.)", r"\1", pattern)


def sentences(rng: Random) -> str:
    """A whole spec, or a part of one in a frame that gives its names a meaning."""
    start = rng.choice(("spec", *STARTS))
    text = sentence(rng, start)
    if start == "spec":
        return text
    frame = rng.choice(FRAMES)
    if start == "sum":
        return f"{frame}{rng.choice(('∂u/∂t', '∂²u/∂t²', '0'))} = {text}\n"
    return f"{frame}{'∂u/∂t = Δu' if start == 'block' else ''}\n{text}\n"


# ---- strategies of hypothesis


def drawn_sentences(start: str) -> st.SearchStrategy[str]:
    return st.randoms(use_true_random=False).map(lambda rng: sentence(rng, start))


def drawn_by_lark(start: str) -> st.SearchStrategy[str]:
    patterns, _ = expansions(start)
    explicit = {name: st.sampled_from(words.split(" ")) for name, words in LEXEMES.items() if name in patterns}
    return from_lark(LARK, start=start, explicit=explicit, alphabet=st.characters(codec="utf-8"))


# ---- Expressions with matching ranks, which reach the elaboration of derivatives


def one_of(words: str) -> st.SearchStrategy[str]:
    return st.sampled_from(words.split())


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
