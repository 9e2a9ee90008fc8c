"""Models with known optima, and small trained networks that are identical on every machine."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional

from pdedsl.attacks import Predictor, pgd


class Linear(NamedTuple):
    """Scores Wx + b with samples and, for each, the distance to the decision boundary in closed form."""

    model: Callable[[Tensor], Tensor]
    weight: Tensor
    x: Tensor
    y: Tensor

    def distance(self, norm: str) -> Tensor:
        """min over i of (z_y − zᵢ)/‖w_y − wᵢ‖, in the dual norm."""
        scores = self.model(self.x)
        gap = scores.gather(1, self.y[:, None]) - scores
        apart = (self.weight[self.y][:, None] - self.weight[None]).norm(p=2.0 if norm == "2" else 1.0, dim=2)
        return (gap / apart).scatter(1, self.y[:, None], torch.inf).amin(1)


def linear(classes: int, features: int, n: int = 60, seed: int = 0, dtype: torch.dtype = torch.float32) -> Linear:
    source = torch.Generator().manual_seed(seed)
    weight = torch.randn(classes, features, generator=source, dtype=torch.float64).to(dtype)
    x = torch.rand(n, features, generator=source, dtype=torch.float64).to(dtype)
    bias = -(weight @ x.mean(0))

    def model(x: Tensor) -> Tensor:
        return x.flatten(1) @ weight.T + bias

    return Linear(model, weight, x, model(x).argmax(1))


class Digits(NamedTuple):
    x: Tensor
    y: Tensor
    test_x: Tensor
    test_y: Tensor


@functools.cache
def digits() -> Digits:
    data = load_digits()
    x, y = torch.tensor(data.images, dtype=torch.float32)[:, None] / 16.0, torch.tensor(data.target)
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))
    train, test = order[:1200], order[1200:1600]
    return Digits(x[train], y[train], x[test], y[test])


def network() -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        return nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, 2, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(512, 64),
            nn.ReLU(),
            nn.Linear(64, 10),
        )


@functools.cache
@torch.enable_grad()
def trained(eps: float = 0.0, epochs: int = 12) -> nn.Module:
    """A small network for digits, trained on samples that were attacked within ε in ℓ∞."""
    data, model = digits(), network()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    source = torch.Generator().manual_seed(1)
    for epoch in range(epochs):
        for batch in torch.randperm(len(data.x), generator=source).split(100):
            x, y = data.x[batch], data.y[batch]
            if eps > 0.0:
                attacked = Predictor(model, draws=1)
                x = pgd(attacked, x, y, eps=eps * min(1.0, (epoch + 1) / 4), steps=5, bounds=(0.0, 1.0), seed=epoch).x
            optimizer.zero_grad()
            functional.cross_entropy(model(x), y).backward()
            optimizer.step()
    return model.eval()
