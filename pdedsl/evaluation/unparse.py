"""Measurements in the language, without a spec around them."""

from __future__ import annotations

from pdedsl.api import parse
from pdedsl.config.blocks import EvaluateBlock

_SPEC = """pde Model
space x in R
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = ∂u/∂x
u(x, 0) = x
evaluate {{
{text}
}}
"""


def block_of(text: str) -> EvaluateBlock:
    """`natural`, `attack pgd(eps=8/255)`, … one per line, as in an `evaluate` block."""
    block = parse(_SPEC.format(text=text), "<evaluate>").evaluate
    assert block is not None
    return block
