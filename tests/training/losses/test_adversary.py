"""Attacks on linear models in closed form, within their ball always, and without a trace on the model."""

from __future__ import annotations

import copy
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from pdedsl.config.evaluation import NormOrder
from pdedsl.config.training import ADVERSARIES
from pdedsl.data.sampling import KeyedRng
from pdedsl.runtime.backbones import convnet
from pdedsl.runtime.sde.feynman_kac import Expectation
from pdedsl.runtime.sde.noise import GaussianNoise
from pdedsl.training.losses import Adversary
from training.losses.exact import points, seeded


def attack_of(norm: str, eps: float, kind: str = "pgd", bounded: bool = False, **more: object) -> Adversary:
    """An attack for adversarial training by its keyword; fgsm has neither step nor steps."""
    form = ADVERSARIES[kind]
    known = {key: value for key, value in more.items() if key in form.params}
    return Adversary(form.create({"norm": NormOrder(norm), "eps": eps, **known}), (0.0, 1.0) if bounded else None)


def length(x: Tensor, norm: str) -> Tensor:
    return torch.linalg.vector_norm(x.flatten(1), ord=math.inf if norm == "inf" else 2, dim=1)


def noisy(classes: int = 2) -> nn.Module:
    """A network with batch norms and noise."""
    backbone = convnet(4, 2, (1, 4, 4), classes)
    return Expectation([backbone.network(lambda layer: GaussianNoise(0.3, seed=layer))], seed=1).double()


@given(
    norm=st.sampled_from(["inf", "2"]),
    kind=st.sampled_from(["fgsm", "ifgsm", "pgd"]),
    eps=st.floats(1e-3, 2.0),
    step=st.none() | st.floats(1e-3, 3.0),
    steps=st.integers(1, 4),
    eot=st.integers(1, 2),
    bounded=st.booleans(),
    seed=st.integers(0, 99),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_always_within_the_ball_and_the_bounds(
    norm: str, kind: str, eps: float, step: float | None, steps: int, eot: int, bounded: bool, seed: int
) -> None:
    x, y = points(5, 1, 4, 4, seed=seed)
    attack = attack_of(norm, eps, kind, bounded, step=step, steps=steps, eot=eot)
    attacked = attack(MODEL, x, y, KeyedRng(seed, 0))
    assert length(attacked - x, norm).max() <= eps * (1.0 + 1e-12) + 1e-15
    assert not attacked.requires_grad
    if bounded:
        assert attacked.min() >= 0.0
        assert attacked.max() <= 1.0


MODEL = seeded(noisy)


@pytest.mark.parametrize(("norm", "dual"), [("inf", 1), ("2", 2)])
@pytest.mark.parametrize("kind", ["fgsm", "ifgsm", "pgd"])
def test_a_linear_margin_falls_by_the_dual_norm(norm: str, dual: int, kind: str) -> None:
    model = seeded(lambda: nn.Linear(6, 2))
    w = (model.weight[1] - model.weight[0]).detach()  # type: ignore[index]
    x, y = points(20, 6)
    eps = 0.1
    attack = attack_of(norm, eps, kind, steps=40, step=0.05)
    attacked = attack(model, x, y, KeyedRng(0, 0))
    towards = torch.where(y == 1, 1.0, -1.0)
    fall = towards * ((x - attacked) @ w)
    expected = eps * torch.linalg.vector_norm(w, ord=dual)
    torch.testing.assert_close(fall, expected.expand(20), rtol=1e-6 if (kind, norm) == ("pgd", "2") else 1e-12, atol=0)


def test_the_step_that_is_left_out() -> None:
    x, y = points(5, 6)
    model = seeded(lambda: nn.Linear(6, 2))
    moved = attack_of("inf", 1.0, "ifgsm", steps=10)(model, x, y, KeyedRng(0, 0)) - x
    assert torch.equal(moved.abs().amax(1) == 1.0, torch.ones(5, dtype=torch.bool))
    once = attack_of("inf", 10.0, "ifgsm", steps=10)
    assert once._schedule() == (10, 2.5)


@pytest.mark.parametrize("norm", ["inf", "2"])
def test_the_start_is_uniform_in_the_ball(norm: str) -> None:
    """Kolmogorov-Smirnov of the radius, whose law is r^d, at a false-alarm rate below 1e-6 (2·exp(-2·2.7²))."""
    x, y = torch.zeros(4000, 3, dtype=torch.float64), torch.zeros(4000, dtype=torch.long)
    model = seeded(lambda: nn.Linear(3, 2))
    start = attack_of(norm, 2.0, steps=0, step=1.0)(model, x, y, KeyedRng(0, 0))
    law = (length(start, norm) / 2.0).pow(3).sort().values
    uniform = torch.arange(1, 4001, dtype=torch.float64) / 4000
    assert (law - uniform).abs().max() < 2.7 / math.sqrt(4000)
    assert attack_of(norm, 2.0, "ifgsm", steps=0, step=1.0)(model, x, y, KeyedRng(0, 0)).equal(x)


def test_an_attack_leaves_no_trace() -> None:
    model = seeded(noisy)
    model.members[0][0].eval()  # type: ignore[index, operator]
    next(iter(model.parameters())).requires_grad_(False)
    x, y = points(6, 1, 4, 4)
    modes = [module.training for module in model.modules()]
    flags = [weight.requires_grad for weight in model.parameters()]
    before = copy.deepcopy(model.state_dict())
    generator = torch.get_rng_state()
    attack_of("inf", 0.1, steps=3)(model, x, y, KeyedRng(0, 0))
    after = model.state_dict()
    assert all(torch.equal(after[name], value) for name, value in before.items() if "stream" not in name)
    assert any(not torch.equal(after[name], value) for name, value in before.items() if "stream" in name)
    assert [module.training for module in model.modules()] == modes
    assert [weight.requires_grad for weight in model.parameters()] == flags
    assert all(weight.grad is None for weight in model.parameters())
    assert torch.equal(torch.get_rng_state(), generator)


def test_modes_are_restored_after_an_error() -> None:
    model = seeded(noisy).eval()
    with pytest.raises(RuntimeError):
        attack_of("inf", 0.1)(model, torch.zeros(2, 3, 4, 4), torch.zeros(2, dtype=torch.long), KeyedRng(0, 0))
    assert not any(module.training for module in model.modules())
    assert all(weight.requires_grad for weight in model.parameters())


@pytest.mark.parametrize("norm", ["inf", "2"])
def test_loss_of_a_batch_is_the_mean_over_its_halves(norm: str) -> None:
    x, y = points(40, 1, 4, 4)
    attack = attack_of(norm, 0.2, steps=3, eot=2)

    def attacked(rows: slice) -> Tensor:
        model = seeded(noisy)
        for module in model.modules():
            if hasattr(module, "row"):
                module.row = rows.start
        return attack(model, x[rows], y[rows], KeyedRng(1, 2, rows.start))

    whole = attacked(slice(0, 40))
    torch.testing.assert_close(torch.cat([attacked(slice(0, 10)), attacked(slice(10, 40))]), whole)
