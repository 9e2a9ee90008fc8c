"""Noise on the input of a network: one sample per input in training, and never twice."""

from __future__ import annotations

import pytest
import torch

import pdedsl
from pdedsl.runtime.sde.feynman_kac import Expectation

SMOOTHED = """pde Smoothed
space x in R^2
time t in [0, 2]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = mlp(width=8)
learn W : operator = linear
∂u/∂t = v·∇u for t in [0, 1]
∂u/∂t = 0.1 Δu for t in [1, 2]
u(x, 0) = softmax(W x)
"""


@pytest.mark.parametrize(
    ("arguments", "training", "evaluation"),
    [("", 1, 100), ("(samples=7)", 1, 7), ("(samples=7, training_samples=3)", 3, 7)],
)
def test_samples_of_randomized_smoothing(arguments: str, training: int, evaluation: int) -> None:
    """The number of rows that reach the readout, per input."""
    model = pdedsl.compile(SMOOTHED + f"realize diffusion by randomized_smoothing{arguments}\n").module()
    assert isinstance(model, Expectation)
    rows: list[int] = []
    model.members[0][-1].register_forward_hook(lambda _, inputs, __: rows.append(len(inputs[0])))
    for mode, expected in ((True, training), (False, evaluation)):
        rows.clear()
        model.train(mode)(torch.zeros(5, 2, dtype=next(model.parameters()).dtype))
        assert sum(rows) == 5 * expected


def test_default_of_training_samples_is_not_in_the_hash() -> None:
    texts = [SMOOTHED + f"realize diffusion by {m}\n" for m in ("sampling", "randomized_smoothing(training_samples=1)")]
    assert len({pdedsl.parse(t).hash for t in texts}) == 1
    other = SMOOTHED + "realize diffusion by randomized_smoothing(training_samples=2)\n"
    assert pdedsl.parse(other).hash != pdedsl.parse(texts[0]).hash
