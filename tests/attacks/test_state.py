"""Attacks restore the state of the model and of the random generators, and are functions of their seeds."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass
from functools import partial

import numpy
import pytest
import torch
from torch import Tensor, nn

from attacks.all_attacks import BOTH, CASES, EUCLIDEAN, FEW, ONCE, attack, short
from attacks.models import linear
from pdedsl.attacks import Predictor, apgd, audit, pgd, square
from pdedsl.frozen_model import modules_of


class Awkward(nn.Module):
    """Modes, buffers, flags, gradients and generators that a careless attack would change."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.drop = nn.BatchNorm1d(4), nn.Dropout(0.3)
        self.head = nn.Linear(4, 3)
        self.register_buffer("calls", torch.zeros((), dtype=torch.long))
        self.generator = torch.Generator().manual_seed(5)
        self.drop.train()
        self.norm.eval()
        self.head.bias.requires_grad_(False)
        self.head.weight.grad = torch.ones_like(self.head.weight)

    def forward(self, x: Tensor) -> Tensor:
        self.calls = self.calls + 1  # a new tensor in the place of the buffer
        noise = torch.randn(x.shape, generator=self.generator) + torch.randn_like(x)
        noise = noise + random.random() + numpy.random.rand()
        return self.head(self.drop(self.norm(x + 0.01 * noise)))


def snapshot(model: Awkward) -> list[object]:
    modes = [part.training for part in model.modules()]
    flags = [parameter.requires_grad for parameter in model.parameters()]
    grads = [None if p.grad is None else p.grad.clone() for p in model.parameters()]
    values = [value.clone() for value in model.state_dict().values()]
    numbers = [torch.get_rng_state(), model.generator.get_state(), *map(torch.tensor, numpy.random.get_state()[1:3])]
    return [modes, flags, random.getstate(), *grads, *values, *numbers]


def same(a: object, b: object) -> bool:
    return torch.equal(a, b) if isinstance(a, Tensor) and isinstance(b, Tensor) else a == b


def wrappings(model: Awkward) -> list[object]:
    def inner(x: Tensor) -> Tensor:
        return model(x)

    def chosen(x: Tensor, among: dict[str, list[Awkward]]) -> Tensor:
        return among["first"][0](x)

    held = Held([model, model.head])
    plain = [model, lambda x: model(x), model.forward, partial(model.forward), Predictor(model, eot=2, draws=4)]
    return [*plain, lambda x: inner(x), partial(chosen, among={"first": [model]}), held]


@dataclass
class Held:
    """A callable that is no module."""

    modules: list[nn.Module]

    def __call__(self, x: Tensor) -> Tensor:
        return self.modules[0](x)  # type: ignore[no-any-return]


def test_modules_that_a_callable_runs() -> None:
    """Each once, and none that is part of another."""
    model = Awkward()
    for wrapping in wrappings(model):
        called = wrapping.model if isinstance(wrapping, Predictor) else wrapping
        assert modules_of(called) == [model]


@pytest.mark.parametrize("kind", range(8))
def test_nothing_changes(kind: int) -> None:
    model = Awkward()
    buffer, x = model.calls, torch.rand(12, 4, requires_grad=True)
    y = torch.zeros(12, dtype=torch.long)
    before = snapshot(model)
    for run in (pgd, partial(square, queries=20), partial(apgd, steps=5)):
        result = run(wrappings(model)[kind], x, y, eps=0.1)
        assert not result.x.requires_grad
    assert all(same(a, b) for a, b in zip(before, snapshot(model), strict=True))
    assert model.calls is buffer
    assert x.requires_grad
    assert x.grad is None


def test_nothing_changes_when_the_model_fails() -> None:
    model, x = Awkward(), torch.rand(3, 5)
    before = snapshot(model)
    with pytest.raises(RuntimeError):
        pgd(model, x, torch.zeros(3, dtype=torch.long), eps=0.1)
    assert all(same(a, b) for a, b in zip(before, snapshot(model), strict=True))


@pytest.mark.parametrize("name", sorted(BOTH))
def test_a_function_of_the_seed(name: str) -> None:
    """Whatever the state of the process, also of a model that draws from the global generator."""
    model, x = Awkward(), torch.rand(8, 4)
    y = copy.deepcopy(model).eval()(x).argmax(1)
    runs = []
    for _ in range(2):
        torch.rand(3), random.random(), numpy.random.rand()
        runs.append(short(name, "inf")(Predictor(model, draws=4), x, y, eps=0.05, seed=7))
    assert torch.equal(runs[0].x, runs[1].x)
    assert torch.equal(runs[0].fooled, runs[1].fooled)


def test_seeds_differ() -> None:
    case = linear(3, 6)
    points = [pgd(case.model, case.x, case.y, eps=0.01, seed=seed).x for seed in (0, 1)]
    assert not torch.equal(*points)


@pytest.mark.parametrize(("name", "norm"), ONCE)
def test_where_gradients_are_off(name: str, norm: str) -> None:
    case, run = linear(2, 3, n=8), short(name, norm)
    expected = run(case.model, case.x, case.y, eps=0.1)
    for guard in (torch.no_grad, torch.inference_mode):
        with guard():
            result = run(case.model, case.x.clone(), case.y.clone(), eps=0.1)
        assert torch.equal(result.x, expected.x)


def test_all_are_called_alike() -> None:
    """With a norm, an ε, bounds and a seed; those that are defined for ℓ2 alone refuse another norm."""
    case = linear(2, 3, n=4)
    for name, run in (BOTH | EUCLIDEAN).items():
        result = run(case.model, case.x, case.y, norm="2", eps=0.1, bounds=(0.0, 1.0), seed=1, **FEW.get(name, {}))
        assert result.x.shape == case.x.shape
        if name in EUCLIDEAN:
            with pytest.raises(ValueError, match="norm='2' only, not 'inf'"):
                run(case.model, case.x, case.y, norm="inf")


def test_weights_get_no_gradient() -> None:
    """Only the gradient by the inputs is worked out, also if the model is in training."""
    model, seen = nn.Linear(4, 2).train(), []
    model.register_forward_hook(lambda module, x, out: seen.append(module.weight.requires_grad))
    pgd(model, torch.rand(5, 4), torch.zeros(5, dtype=torch.long), eps=0.1)
    assert seen
    assert not any(seen)


def test_training_mode_spares_batch_norm() -> None:
    model, seen = nn.Sequential(nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 2)), []
    model.register_forward_hook(lambda module, x, out: seen.append([part.training for part in module]))
    pgd(Predictor(model, training=True, draws=1), torch.rand(5, 4), torch.zeros(5, dtype=torch.long), eps=0.1)
    assert seen
    assert all(modes == [False, True, True] for modes in seen)


def test_an_empty_batch_and_one_that_is_all_wrong() -> None:
    case = linear(3, 4)
    for name, norm in CASES:
        result = attack(name, norm)(case.model, case.x, (case.y + 1) % 3, eps=0.1)
        assert torch.equal(result.x, case.x)
        assert result.fooled.all()
        none = attack(name, norm)(case.model, case.x[:0], case.y[:0], eps=0.1)
        assert (none.x.shape, none.fooled.shape) == ((0, *case.x.shape[1:]), (0,))


def test_an_audit_leaves_no_trace() -> None:
    model, x = Awkward(), torch.rand(10, 4)
    before = snapshot(model)
    audit(Predictor(model, draws=4), x, torch.zeros(10, dtype=torch.long), eps=0.1, steps=3, queries=5)
    assert all(same(a, b) for a, b in zip(before, snapshot(model), strict=True))
