"""Adaptive attacks on stochastic and solver-based networks: variants, sequential test, planted defences."""

from __future__ import annotations

import numpy
import pytest
import torch
from scipy.stats import norm
from torch import Tensor
from torch.nn import functional

from attacks.defences import DEFENCES, trained_ode
from attacks.models import digits
from pdedsl.attacks import Predictor, StochasticEvaluation, evaluate_stochastic
from pdedsl.attacks.criterion import Criterion
from pdedsl.attacks.stochastic.sequential_test import ALPHA, judge
from pdedsl.attacks.stochastic.variants import (
    count_identity_gradients,
    with_fixed_noise,
    with_identity_gradients,
    without_noise,
)

N = 60

# ---- Planted defences


def evaluated(name: str, seed: int = 0) -> StochasticEvaluation:
    data, defence = digits(), DEFENCES[name]
    defence.network(data.test_x[:2])  # trains the network, outside of the seeded evaluation
    return evaluate_stochastic(
        defence.network,
        data.test_x[:N],
        data.test_y[:N],
        eps=0.1,
        bounds=(0.0, 1.0),
        steps=10,
        queries=100,
        surrogates={f"surrogate {k}": model for k, model in enumerate(defence.surrogates)},
        seed=seed,
    )


REASONS = {
    "quantized": "identity gradients",
    "exploding": "deterministic twin",
    "saturated": "the gradient is zero",
    "stopped": "surrogate 0",
    "shattered": "averaged Square",
    "outside": "averaged Square",
}


@pytest.mark.long
@pytest.mark.parametrize("name", REASONS)
def test_masked_defences_are_flagged_for_their_reason(name: str) -> None:
    result = evaluated(name)
    assert result.masked
    assert any(reason.startswith(REASONS[name]) for reason in result.reasons), result.reasons
    assert result.verdict.startswith("suspicious: gradient attacks overestimate")


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name, defence in DEFENCES.items() if not defence.masked])
@pytest.mark.parametrize("seed", range(6))
def test_defences_with_useful_gradients_pass(name: str, seed: int) -> None:
    result = evaluated(name, seed)
    assert not result.masked, result.reasons
    assert result.converged
    assert result.verdict.startswith("pass")


# ---- The evaluation


def linear(x: Tensor) -> Tensor:
    return torch.cat([x, -x], 1)


def test_the_known_robust_accuracy_of_a_noisy_linear_model() -> None:
    """The mean prediction is wrong beyond distance 0.5; a single noise sample is wrong for more points."""

    def noisy(x: Tensor) -> Tensor:
        return linear(x + 0.2 * torch.randn_like(x))

    x, y = torch.linspace(0.05, 1.0, 20)[:, None], torch.zeros(20, dtype=torch.long)
    result = evaluate_stochastic(noisy, x, y, eps=0.52, steps=5, queries=20)
    assert result.fooled[:9] == (True,) * 9
    assert not any(result.fooled[10:])
    assert result.known_noise is not None
    assert not result.masked
    assert result.eot_curve[0][0] == 1
    assert result.accuracy == 1.0 - sum(result.fooled) / 20


def test_a_deterministic_model_has_no_curve_and_no_noise_attacks() -> None:
    x, y = torch.linspace(0.05, 1.0, 20)[:, None], torch.zeros(20, dtype=torch.long)
    result = evaluate_stochastic(linear, x, y, eps=0.52, steps=5, queries=20)
    assert result.eot_curve == ((1, 0.5),)
    assert result.known_noise is None
    assert sum(result.fooled) == 10
    assert [name for name, _ in result.found] == ["PGD", "APGD-CE", "scale-invariant loss", "averaged Square"]


def test_a_curve_that_does_not_converge_is_suspicious() -> None:
    """The gradient is 1 + 20ξ: its sign is right with probability Φ(√k/20) for k noise samples."""

    def noisy_gradient(x: Tensor) -> Tensor:
        return linear(x + 20.0 * torch.randn_like(x) * (x - x.detach()))

    x, y = torch.full((200, 1), 0.3), torch.zeros(200, dtype=torch.long)
    result = evaluate_stochastic(noisy_gradient, x, y, eps=0.5, steps=1, queries=1, eot=4)
    assert not result.converged
    assert any("not converged" in reason for reason in result.reasons)


def test_the_evaluation_needs_samples() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        evaluate_stochastic(linear, torch.empty(0, 1), torch.empty(0, dtype=torch.long), eps=0.1)


def test_the_state_of_a_predictor_is_restored() -> None:
    predictor = Predictor(linear, eot=3, draws=8)
    x, y = torch.ones(2, 1), torch.zeros(2, dtype=torch.long)
    evaluate_stochastic(predictor, x, y, eps=0.1, steps=2, queries=4, eot=4)
    assert predictor.eot == 3


# ---- Sequential test


def biased(p: float) -> object:
    """Class 1 with probability p."""

    def model(x: Tensor) -> Tensor:
        wrong = torch.rand(len(x), 1) < p
        return torch.where(wrong, torch.tensor([[-9.0, 9.0]]), torch.tensor([[9.0, -9.0]]))

    return model


@pytest.mark.parametrize(("p", "fooled"), [(0.7, True), (0.3, False)])
def test_the_sequential_test_decides_correctly(p: float, fooled: bool) -> None:
    """Each of 200 decisions is false with probability at most ALPHA/2: a false alarm in 10 % of the runs at most."""
    x, y = torch.zeros(200, 1), torch.zeros(200, dtype=torch.long)
    predictor = Predictor(biased(p), draws=32)  # type: ignore[arg-type]
    with predictor.frozen(x, 0):
        judgement = judge(predictor, x, Criterion(y))
    assert judgement.fooled.eq(fooled).all()
    assert not judgement.undecided.any()
    assert judgement.samples < 512


def test_a_tie_is_undecided() -> None:
    """With mean lead 0, each row is decided, falsely, with probability at most ALPHA = 1e-3: 3 of 300 or fewer."""
    x, y = torch.zeros(300, 1), torch.zeros(300, dtype=torch.long)
    predictor = Predictor(biased(0.5), draws=32)  # type: ignore[arg-type]
    with predictor.frozen(x, 0):
        judgement = judge(predictor, x, Criterion(y))
    assert int((~judgement.undecided).sum()) <= norm.isf(1e-4) * (300 * ALPHA) ** 0.5 + 300 * ALPHA


# ---- Variants


def every_noise(x: Tensor) -> Tensor:
    """Random numbers of every kind, with mean 0."""
    out = functional.dropout(x, 0.3, training=True) + torch.randn_like(x) + torch.randn(x.shape)
    out = out + torch.rand(x.shape) - 0.5 + torch.rand_like(x) - 0.5
    out = out + torch.empty_like(x).normal_(2.0, 1.0) - 2.0 + torch.empty_like(x).uniform_(1.0, 3.0) - 2.0
    out = out + torch.bernoulli(torch.full_like(x, 0.2)) - 0.2 + torch.empty_like(x).bernoulli_(0.3) - 0.3
    return out + torch.empty_like(x).exponential_(0.5) - 2.0


def test_the_deterministic_twin_replaces_noise_by_its_mean() -> None:
    x = torch.randn(5, 3)
    torch.testing.assert_close(without_noise(every_noise)(x), x)
    assert not torch.allclose(every_noise(x), x)


def test_fixed_noise_is_the_same_in_every_call() -> None:
    def noisy(x: Tensor) -> Tensor:
        shift = torch.from_numpy(numpy.random.standard_normal(1)).float()
        return linear(x + torch.randn_like(x) + shift)

    x, fixed = torch.zeros(5, 1), with_fixed_noise(noisy, 3)
    assert torch.equal(fixed(x), fixed(x))
    assert not torch.equal(fixed(x), with_fixed_noise(noisy, 4)(x))
    before = torch.get_rng_state()
    fixed(x)
    assert torch.equal(torch.get_rng_state(), before)


def undifferentiable(x: Tensor) -> Tensor:
    """Six terms, each with the derivative 1 under BPDA."""
    with torch.no_grad():
        copied = 1.0 * x
    return copied + x.round() + torch.sign(x) + x.detach() + (x > 0.1).float() - (x <= 0.1).double().float()


def test_identity_gradients_keep_the_values() -> None:
    x = torch.randn(5, 3).requires_grad_()
    values = with_identity_gradients(undifferentiable)(x)
    assert torch.equal(values, undifferentiable(x))
    (gradient,) = torch.autograd.grad(values.sum(), x)
    torch.testing.assert_close(gradient, torch.full_like(x, 6.0))
    assert count_identity_gradients(undifferentiable, x) == 6
    assert count_identity_gradients(linear, x) == 0


@pytest.mark.slow
def test_the_stopped_trajectory_has_a_gradient() -> None:
    """Up to the derivative of the step sizes, which the solver detaches, it is that of the solver."""
    data, model = digits(), trained_ode()
    x = data.test_x[:20].clone().requires_grad_()
    (exact,) = torch.autograd.grad(model(x).logsumexp(1).sum(), x)
    (restored,) = torch.autograd.grad(with_identity_gradients(model.stopped)(x).logsumexp(1).sum(), x)
    assert functional.cosine_similarity(exact.flatten(1), restored.flatten(1)).min() > 0.9
