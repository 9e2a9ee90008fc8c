"""Random sentences of the grammar: a derivation that turns to its shortest ways when it is deep enough."""

from __future__ import annotations

import re
from random import Random

from language.grammar_sentences import TOUCHING, WORDS, expansions, shortest

LEXEMES = {
    "NAME": WORDS,
    "NUMBER": "0 1 2 3 0.5 1e-3 10 007 .5 1e9 1e300",
    "FRACTION": "½ ⅓ ⅔ ¼ ¾",
    "STRING": '"a" ""',
    "SUPERSCRIPT": "² ³ ⁻¹ ⁰ ¹²",
    "SUBSCRIPT": "₁ ₂ ᵢ ⱼ ᵢⱼ ₀",
    "DERIVATIVE": "∂u/∂t ∂u/∂x ∂²u/∂x² ∂²u/∂x∂y ∂v/∂y ∂²u/∂xᵢ² ∂u/∂u ∂³u/∂x² ∂²u/∂t²",
    "OPERATOR": "∂/∂x ∂/∂t ∂²/∂x² ∂/∂T",
    "OVER": "/∂x /∂t /∂x² /∂xᵢ",
    "PARTIAL": "∂ ∂²",
    "MINUS": "-",
    "STAR": "*",
    "DOT": "·",
    "DIV": "∇·",
    "HESSIAN": "∇∇",
    "LAPLACIAN": "Δ",
    "SIGMA": "Σ",
    "RELATION": "<= >= ≤ ≥ < >",
    "CALL": "(",
    "INDEX": "[",
    "ENDNORM": "‖",
    "ENDBAR": "|",
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
        words.append(
            "\n" if symbol == "NEWLINE" else rng.choice(known.split()) if known else _keyword(patterns[symbol])
        )

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
