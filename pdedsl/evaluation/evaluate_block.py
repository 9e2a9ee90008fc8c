"""Parser for the lines of an `evaluate` block outside of a spec."""

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


def parse_evaluate_block(text: str) -> EvaluateBlock:
    """`natural`, `attack pgd(eps=8/255)`, … one per line, as in an `evaluate` block."""
    block = parse(_SPEC.format(text=text), "<evaluate>").evaluate
    assert block is not None
    return block
