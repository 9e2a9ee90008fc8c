"""Mutants that are hard to detect: NaN, narrow kernels, non-deterministic operators, averages of logits."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

import pdedsl
from pdedsl.config.methods import Scores
from pdedsl.runtime.sde.feynman_kac import Expectation
from pdedsl.sources import shipped_specs
from pdedsl.testing import axioms
from pdedsl.testing.axiom_predicates import EXACT_CHECKS, STATISTICAL_CHECKS, violates_linearity
from pdedsl.testing.model import under_test
from pdedsl.testing.operators import Data, EvolutionUnderTest, NetworkAsOperator, operator_of, seeded
from pdedsl.testing.strategies import AxiomCase, Bump, CosineSum
from testing import mutant_operators as mutants
from testing.mutant_operators import Mutant

SEEDS = [0, 1, 2]


@pytest.mark.parametrize("axiom", [*EXACT_CHECKS, *STATISTICAL_CHECKS])
def test_nan_violates_every_axiom(axiom: str) -> None:
    broken = Mutant(lambda base, f, x, a, b: base.between(f, x, a, b) * math.nan)
    assert axioms.falsify(axiom, broken, 10) is not None


@pytest.mark.parametrize("seed", SEEDS)
def test_a_narrow_kernel_with_a_negative_weight(seed: int) -> None:
    kernel = ((-1.0, -0.25), (-0.5, 0.5), (0.0, 0.5), (0.5, 0.5), (1.0, -0.25))

    def change(base: EvolutionUnderTest, f: Data, x: Tensor, a: float, b: float) -> Tensor:
        values = [w * base.between(f, x + torch.tensor([s, 0.0]).to(x), a, b) for s, w in kernel]
        return torch.stack(values).sum(0)

    assert axioms.falsify("comparison", Mutant(change), 200, seed, attempts=1) is not None


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("axiom", ["comparison", "spatial_regularity"])
def test_nondeterministic_operator_is_a_counterexample(axiom: str, seed: int) -> None:
    assert axioms.falsify(axiom, mutants.fresh_noise(), 200, seed, attempts=5) is not None


def _features(average: str) -> NetworkAsOperator:
    with seeded(0):
        members = [nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 3)) for _ in range(3)]
    return NetworkAsOperator(Expectation(members, seed=0, average=average).double().eval(), (2,), 4)


@pytest.mark.parametrize("seed", SEEDS)
def test_average_of_the_network(seed: int) -> None:
    assert axioms.falsify("linearity", _features("logits"), 200, seed, attempts=1) is not None
    assert axioms.falsify("linearity", _features("probabilities"), 40, seed) is None


def test_averaged_logits_of_a_compiled_network(monkeypatch: pytest.MonkeyPatch) -> None:
    operator = operator_of(pdedsl.compile(shipped_specs()["enresnet"]), 0)
    wave = CosineSum(0.5, ((2.0, 0.5, (2, 1, -1)),))
    case = AxiomCase(wave, CosineSum(1.0, ()), Bump(1.0, (0.0, 0.0, 0.0)), 2.0, 1.0, (0.0, 0.0, 0.0), 1.0, 0)
    with torch.no_grad():
        assert not violates_linearity(operator, case)
        monkeypatch.setattr(operator.model, "average", Scores.LOGITS)
        assert violates_linearity(operator, case)


def test_minimum_number_of_examples_for_refuted_axioms() -> None:
    compilation = pdedsl.compile(shipped_specs()["parabolic"])
    assert axioms._result("stability", under_test(compilation), 5, 0).outcome == "violated"
