"""Drawings of solution operators and of layers: number of steps, noise, and a block for every term."""

from __future__ import annotations

import re

import pytest
from texts import compiled, known

from pdedsl.explainer.drawing.blocks import BlockGroup, Node, blocks_in
from pdedsl.explainer.drawing.draw import nodes_of

INTERVALS = (
    "∂u/∂t = y ∂u/∂x + Δu for t in [0, 1]\n∂u/∂t = x ∂u/∂y for t in [1, 1 + ½]\n∂u/∂t = ∂u/∂x + Δu for t in [1 + ½, 3]"
)
LAYERS = """pde Layers
space x in pixels
time t in [0, 1]
unknown Y(x, t) : channels
learn K(t) : operator = conv(3)
learn f(Y, t) : channels = convnet
∂Y/∂t = -Kᵀ relu(K Y) + 2f(Y, t) - 3Y
network {
  input image(1, 8, 8)
  open 4
  stages [4]
  classes 3
}
"""


def nodes(text: str) -> tuple[Node, ...]:
    explanation = compiled(text).explanation
    assert explanation.plan is not None
    return nodes_of(explanation.plan, explanation.analysis)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (known("∂u/∂t = ∂u/∂x + Δu"), 1.0),
        (known("∂u/∂t = -x ∂u/∂x + Δu", realized="realize time by euler(steps=7)"), 1.0),
        (known("∂u/∂t = y ∂u/∂x - x ∂u/∂y"), 1.0),
        (known(INTERVALS, end="3"), 3.0),
    ],
)
def test_number_of_steps(text: str, end: float) -> None:
    expected = [segment.steps for segment in compiled(text).operator().segments(end)]
    titles = [node.title for node in nodes(text) if isinstance(node, BlockGroup)]
    drawn = [1 if title == "one step" else int(re.match(r"\d+", title)[0]) for title in titles]  # type: ignore[index]
    assert drawn == expected


def test_noise_of_one_exact_step() -> None:
    (noise,) = [b for b in blocks_in(nodes(known("∂u/∂t = ∂u/∂x + 2Δu"))) if b.title == "noise"]
    assert noise.lines == ("Gaussian noise, standard deviation 2",)  # √(2 · 2 · 1)


def test_weight_and_sources_along_a_path() -> None:
    text = known("∂u/∂t = -x ∂u/∂x + Δu - 2u + sin(x)")
    of = {b.title: [text[s.start : s.end] for s in b.of] for b in blocks_in(nodes(text))}
    assert of["weight"] == ["2u"]
    assert of["sources"] == ["sin(x)"]


def test_sum_of_layers() -> None:
    (stage,) = [node for node in nodes(LAYERS) if isinstance(node, BlockGroup)]
    (terms,) = stage.nodes
    assert isinstance(terms, BlockGroup)
    assert terms.parallel
    assert [b.title for b in blocks_in((terms,))] == [
        "symmetric layer",
        "2 × f = convnet(layers=2, activation=relu)",
        "reaction",
    ]
