"""Verdicts on the table of right-hand sides and integrators, compared with an independent implementation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from texts import compiled
from torch import Tensor, nn

from analysis.analysis_cache import analysed
from analysis.maps.reference import Array, convolution
from analysis.maps.rows import STEPS, MapRow
from pdedsl.codegen.program import run_function
from pdedsl.ir.plan import ImagePlan, SymmetricConvolution
from pdedsl.ir.verdicts import Axiom, FeatureMapCounterexample, Proved, Refuted
from pdedsl.runtime.convnet import ConvNet
from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.runtime.symmetric_layer import TotalVariationNorm

AXIOMS = (Axiom.STABILITY, Axiom.ENERGY_DECAY)
SHORT = [row for row in STEPS if row.steps <= 1000]
DRAWS = 60
ROUNDING = 1e-9


def of_rows(rows: Sequence[MapRow]) -> pytest.MarkDecorator:
    """In module scope the tests of a row follow one another, in the same process: it is analysed once."""
    return pytest.mark.parametrize("row", rows, ids=lambda row: row.name, scope="module")


@of_rows(STEPS)
def test_verdicts_and_hypotheses(row: MapRow) -> None:
    axioms = analysed(row.text).axioms
    for axiom, truths in row.verdicts.items():
        assert axioms[Axiom(axiom)].truth in truths, (axiom, axioms[Axiom(axiom)])
    for verdict in axioms.values():
        assert not isinstance(verdict, Proved) or verdict.hypotheses
        assert not isinstance(verdict, Refuted) or verdict.example is not None


# ---- proved: no operator at its bound breaks it


def operators(row: MapRow, draw: int) -> dict[str, Array]:
    """Convolutions on two channels and 3 × 3 pixels, of exactly the norm that their type allows, or zero."""
    generator = np.random.default_rng(draw)
    made = {}
    for name in row.operators:
        matrix = convolution(generator.normal(size=(2, 2, 3, 3)), 3)
        if draw % 3 == 0:
            matrix = np.eye(len(matrix))
        size = (row.bound or 10.0) * (draw % 5 != 4)
        made[name] = matrix * size / np.linalg.norm(matrix, 2)
    return made


@pytest.mark.slow
@of_rows(SHORT)
def test_proofs_survive_a_search(row: MapRow) -> None:
    axioms = analysed(row.text).axioms
    stable, decaying = (isinstance(axioms[axiom], Proved) for axiom in AXIOMS)
    halves = len(row.rights)
    for draw in range(DRAWS if stable or decaying else 0):
        generator, made = np.random.default_rng(1000 + draw), operators(row, draw)
        scale = (0.1, 1.0, 5.0)[draw % 3]
        a = scale * generator.normal(size=18 * halves)
        b = a + (0.01, 0.5)[draw % 2] * generator.normal(size=18 * halves)
        one, other = row.run(made, a), row.run(made, b)
        assert not stable or np.linalg.norm(one - other) <= np.linalg.norm(a - b) * (1 + ROUNDING)
        assert not decaying or np.linalg.norm(one) <= np.linalg.norm(a) * (1 + ROUNDING)


# ---- refuted: the example breaks it, in numpy and in the network


def growth_in_numpy(row: MapRow, example: FeatureMapCounterexample) -> float:
    channels = len(example.states[0][0])
    made = {str(head): k * np.eye(channels) for head, k in example.operators}
    made |= {"scale": np.array(example.scale), "bias": np.array(example.bias)}
    states = [np.concatenate([np.array(half) for half in state]) for state in example.states]
    ends = [row.run(made, state) for state in states]
    start, end = (states[0] - states[1], ends[0] - ends[1]) if len(states) == 2 else (states[0], ends[0])
    return float(np.linalg.norm(end) / np.linalg.norm(start)) if start.any() else np.inf * float(np.linalg.norm(end))


def refuting(row: MapRow) -> list[FeatureMapCounterexample]:
    verdicts = (analysed(row.text).axioms[axiom] for axiom in (*AXIOMS, Axiom.ENERGY_CONSERVATION))
    return [v.example for v in verdicts if isinstance(v, Refuted) and v.example is not None]


@of_rows(SHORT)
def test_counterexamples_hold_in_numpy(row: MapRow) -> None:
    for example in refuting(row):
        assert growth_in_numpy(row, example) == pytest.approx(example.growth, rel=1e-6, abs=1e-9)
        assert abs(example.growth - 1) > ROUNDING


@torch.no_grad()
@of_rows([row for row in SHORT if row.compiles])
def test_counterexamples_hold_in_the_network(row: MapRow) -> None:
    for example in refuting(row):
        block = prepared(row.text, example)
        states = [filled(state) for state in example.states]
        ends = [block(state) for state in states]
        start, end = (states[0] - states[1], ends[0] - ends[1]) if len(states) == 2 else (states[0], ends[0])
        seen = float(end.norm() / start.norm())
        assert seen == pytest.approx(example.growth, rel=1e-6, abs=1e-9)


WIDTH = 4


def filled(state: tuple[tuple[float, ...], ...]) -> Tensor:
    """The same at every pixel, zero in the channels of which nothing is said."""
    width = WIDTH // len(state)
    y = torch.zeros(1, WIDTH, 3, 3, dtype=torch.float64)
    for place, half in enumerate(state):
        values = torch.tensor(half, dtype=torch.float64)
        y[0, place * width : place * width + len(half)] = values[:, None, None]
    return y


def prepared(text: str, example: FeatureMapCounterexample) -> nn.Module:
    """The compiled block with the weights of an example, which the bounds of its types leave as they are."""
    compilation = compiled(text)
    block: nn.Module = run_function(compilation.program, "block", width=WIDTH).double().eval()
    assert isinstance(compilation.plan, ImagePlan)
    channels, given = len(example.states[0][0]), {str(head): k for head, k in example.operators}
    layers = [layer for right in compilation.plan.system.right_hand_sides for layer in right.layers]
    sizes = [given[str(layer.head)] for layer in layers if isinstance(layer, SymmetricConvolution)]
    convolutions = [module for module in block.modules() if isinstance(module, ConvOperator)]
    for place, module in enumerate(convolutions):
        module.weight.zero_()
        module.weight[range(channels), range(channels), 1, 1] = sizes[place * len(sizes) // len(convolutions)]
        assert torch.equal(module.constrained_weight(), module.weight)
    for module in block.modules():
        if isinstance(module, TotalVariationNorm):
            nn.init.constant_(module.scale, example.scale)
            nn.init.constant_(module.bias, example.bias)
        if isinstance(module, ConvNet):
            nn.init.zeros_(module.norms[-1].weight)
            nn.init.zeros_(module.norms[-1].bias)
    return block


# ---- the table itself


def test_the_table_is_large() -> None:
    assert len(STEPS) >= 100
    assert len({row.name for row in STEPS}) == len(STEPS)
    assert {row.method.rstrip("0123456789") for row in STEPS} >= {"euler", "heun", "midpoint", "ssprk", "rk", "series"}
    assert {row.method for row in STEPS} >= {"verlet", "leapfrog", "paper"}
