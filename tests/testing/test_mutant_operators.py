"""Mutant operators are detected within 200 examples; the original passes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from sampling import share
from torch import Tensor, nn

import pdedsl
from pdedsl.compiler import Compilation
from pdedsl.runtime import linear_operators as runtime_operators
from pdedsl.runtime.sde.feynman_kac import EvolutionOperator, Expectation, StepSegment
from pdedsl.testing import axioms
from pdedsl.testing.axiom_predicates import EXACT_CHECKS, STATISTICAL_CHECKS
from pdedsl.testing.model import under_test
from pdedsl.testing.operators import NetworkAsOperator, operator_of, seeded
from testing import mutant_operators as mutants
from testing.mutant_operators import Mutant
from testing.small_specs import small

EXAMPLES = 200
LARGE_SEARCH, SMALL_SEARCH = 80, 25  # for correct operators, where no case ends the search
BROKEN = [
    (mutants.fresh_noise, "linearity"),
    (mutants.clipped, "linearity"),
    (mutants.sharpened, "comparison"),
    (mutants.logits_averaged, "linearity"),
    (mutants.not_reversed, "markov"),
    (mutants.constant_added, "constants"),
    (mutants.constant_added, "linearity"),
    (mutants.jumping, "locality"),
    (mutants.never_at_rest, "temporal_regularity"),
    (mutants.kinked, "spatial_regularity"),
    (mutants.sharpened, "maximum_principle"),
    (mutants.leaking, "conservation"),
    (mutants.drawn_together, "conservation"),
]
SURVIVORS = [
    ("linearity", 0.1),
    ("constants", 0.1),
    ("comparison", 0.1),
    ("markov", 0.1),
    ("markov", 1e-3),
    ("locality", 0.1),
    ("spatial_regularity", 0.1),
    ("temporal_regularity", 0.1),
    ("maximum_principle", 0.1),
    ("conservation", 0.1),
]


@pytest.mark.parametrize(("make", "axiom"), BROKEN, ids=lambda value: getattr(value, "__name__", value))
@pytest.mark.parametrize("seed", share((0, 1, 2), 3))
def test_mutant_is_detected(make: Callable[[], Mutant], axiom: str, seed: int) -> None:
    assert axioms.falsify(axiom, make(), EXAMPLES, seed, attempts=1) is not None


@pytest.mark.parametrize(
    ("make", "axiom"), [(mutants.sharpened_from_afar, "maximum_principle"), (mutants.drawn_together, "conservation")]
)
def test_mutant_detected_by_one_axiom_only(make: Callable[[], Mutant], axiom: str) -> None:
    others = [name for name in (*EXACT_CHECKS, *STATISTICAL_CHECKS) if name != axiom]
    assert axioms.falsify(axiom, make(), EXAMPLES, attempts=1) is not None
    assert [name for name in others if axioms.falsify(name, make(), SMALL_SEARCH, attempts=1) is not None] == []


@pytest.mark.parametrize(("axiom", "diffusion"), SURVIVORS)
def test_original_operator_passes(axiom: str, diffusion: float) -> None:
    assert axioms.falsify(axiom, Mutant(mutants.as_it_is, mutants.flow(diffusion)), LARGE_SEARCH, seed=0) is None


# ---- networks on features


class OtherNoise(nn.Module):
    """Noise of the layer that ignores its stream."""

    def forward(self, x: Tensor) -> Tensor:
        return x + 0.1 * torch.randn_like(x)


def _features(noise: Callable[[], nn.Module]) -> NetworkAsOperator:
    with seeded(0):
        members = [nn.Sequential(nn.Linear(2, 4), nn.Tanh(), noise(), nn.Linear(4, 3)) for _ in range(3)]
        return NetworkAsOperator(Expectation(members, seed=0).double().eval(), (2,), 4)


@pytest.mark.parametrize("axiom", ["linearity", "constants", "comparison"])
def test_network_passes(axiom: str) -> None:
    assert axioms.falsify(axiom, _features(nn.Identity), LARGE_SEARCH, seed=0) is None


@pytest.mark.parametrize("seed", share((0, 1, 2), 3))
def test_unseeded_noise_is_detected(seed: int) -> None:
    with seeded(seed):
        assert axioms.falsify("linearity", _features(OtherNoise), EXAMPLES, seed, attempts=1) is not None


# ---- mutants of the runtime, in compiled operators


SWING = """pde Swing "A velocity that turns with time"
space (x, y) in R^2
time t in [0, 1]
unknown u(x, y, t) : scalar
let v(x, y, t) = [cos(y + 4 t), sin(2 x) (1 - 2 t)]
∂u/∂t = v·∇u + 0.001 Δu
u(x, y, 0) = exp(-x² - y²)
realize diffusion by noise(samples=64)
realize time by euler(steps=8)
require linearity, comparison, constants, markov
"""


def _failures(compilation: Compilation, examples: int) -> set[str]:
    return {result.axiom for result in axioms.check(compilation, examples) if not result.ok}


@pytest.fixture(scope="module")
def swing() -> Compilation:
    return pdedsl.compile(SWING)


def test_original_runtime_passes(swing: Compilation) -> None:
    assert _failures(swing, SMALL_SEARCH) == set()


def test_fresh_noise_in_the_runtime(swing: Compilation, monkeypatch: pytest.MonkeyPatch) -> None:
    source = torch.Generator().manual_seed(0)

    def noise(self: EvolutionOperator, x: Tensor, segment: int, step: int, samples: range) -> Tensor:
        return torch.randn(len(samples), 1, x.shape[-1], generator=source, dtype=x.dtype)

    monkeypatch.setattr(EvolutionOperator, "_noise", noise)
    assert axioms.falsify("linearity", operator_of(swing, 0), EXAMPLES, attempts=1) is not None


def test_clipping_in_the_runtime(swing: Compilation, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = EvolutionOperator.forward
    monkeypatch.setattr(EvolutionOperator, "forward", lambda self, f, x, t: whole(self, f, x, t).clamp(-1.0, 1.0))
    assert not axioms.search_for("linearity", under_test(swing), SMALL_SEARCH).ok


def test_layers_not_reversed_in_the_runtime(swing: Compilation, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = EvolutionOperator.segments

    def segments(self: EvolutionOperator, t: float) -> list[StepSegment]:
        return [leg._replace(start=leg.start - leg.dt * leg.steps, direction=1.0) for leg in reversed(whole(self, t))]

    monkeypatch.setattr(EvolutionOperator, "segments", segments)
    assert not axioms.search_for("markov", under_test(swing), SMALL_SEARCH).ok
    assert axioms.search_for("comparison", under_test(swing), SMALL_SEARCH).ok


def test_violated_norm_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """An Euler step with an operator of any norm."""
    decaying = under_test(small("decaying"))
    assert axioms.search_for("stability", decaying, SMALL_SEARCH).ok
    monkeypatch.setattr(runtime_operators.LinearOperator, "constrained_weight", lambda operator: operator.weight)
    assert not axioms.search_for("stability", decaying, EXAMPLES).ok
