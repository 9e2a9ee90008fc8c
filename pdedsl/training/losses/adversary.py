"""Adversarial training: the batch is replaced by one that was attacked (Wang, Yuan, Shi, Osher 2020, Algorithm 3.1).

A step of the attack goes along the gradient of the cross-entropy: its sign for ℓ∞, its direction for ℓ2.

    fgsm    one step of length ε                                        (eq. 3.2)
    ifgsm   `steps` steps of length `step`, projected to the ball       (eq. 3.3)
    pgd     the same from a start that is uniform in the ball           (Algorithm 3.1; Madry et al. 2018)

The model that is attacked has its noise, fresh in every forward pass, while its batch norms use their running
statistics and leave them alone: the published code attacks in training mode, where ten attacked batches enter the
running statistics for each one that is trained on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import assert_never

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.modules.batchnorm import _BatchNorm

from pdedsl.data.draws import Draws
from pdedsl.untouched import frozen
from pdedsl.words import training as words
from pdedsl.words.attacks import Norm


@dataclass(frozen=True)
class Adversary:
    """An attack within the ball of radius `eps` around each sample, and within `bounds` where they are given.

    `step` is 2.5·eps/steps where it is left out; fgsm makes one step of length eps. `eot` gradients with independent
    noise are averaged (expectation over transformation; section 4 there).
    """

    word: words.Adversary
    bounds: tuple[float, float] | None = None

    @property
    def eps(self) -> float:
        return float(self.word.eps)

    def __call__(self, model: nn.Module, x: Tensor, y: Tensor, draws: Draws) -> Tensor:
        steps, length = self._schedule()
        x = x.detach()
        with attacking(model):
            attacked = self._within(x, self._start(x, draws)) if isinstance(self.word, words.Pgd) else x
            for _ in range(steps):
                attacked = self._within(x, attacked + length * self._direction(self._gradient(model, attacked, y)))
        return attacked

    def _schedule(self) -> tuple[int, float]:
        match self.word:
            case words.Fgsm():
                return 1, self.eps
            case words.Pgd(steps=steps, step=step) | words.Ifgsm(steps=steps, step=step):
                return steps, 2.5 * self.eps / steps if step is None else float(step)
            case _:
                assert_never(self.word)

    def _start(self, x: Tensor, draws: Draws) -> Tensor:
        """Uniform in the ball."""
        if self.word.norm is Norm.INF:
            return x + self.eps * (2.0 * draws.like(x, "start", "uniform") - 1.0)
        radius = draws.numbers(x, "radius").pow(1.0 / x[0].numel()).reshape(-1, *[1] * (x.dim() - 1))
        return x + self.eps * radius * _unit(draws.like(x, "start"))

    def _gradient(self, model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
        with torch.enable_grad():
            total = torch.zeros_like(x)
            for _ in range(self.word.eot):
                at = x.detach().requires_grad_()
                loss = functional.cross_entropy(model(at), y, reduction="sum")
                total += torch.autograd.grad(loss, at)[0]
        return total

    def _direction(self, gradient: Tensor) -> Tensor:
        return gradient.sign() if self.word.norm is Norm.INF else _unit(gradient)

    def _within(self, x: Tensor, attacked: Tensor) -> Tensor:
        """The nearest point of the ball, then of the bounds, which is in the ball too as long as x is within them."""
        away = attacked - x
        if self.word.norm is Norm.INF:
            away = away.clamp(-self.eps, self.eps)
        else:
            away = away * (self.eps / _length(away)).clamp(max=1.0)
        return x + away if self.bounds is None else (x + away).clamp(*self.bounds)


def _length(x: Tensor) -> Tensor:
    """ℓ2 norm of each row, never zero."""
    norm: Tensor = torch.linalg.vector_norm(x.flatten(1), dim=1).clamp(min=torch.finfo(x.dtype).tiny)
    return norm.reshape(-1, *[1] * (x.dim() - 1))


def _unit(x: Tensor) -> Tensor:
    return x / _length(x)


@contextmanager
def attacking(model: nn.Module) -> Iterator[None]:
    """Within: training mode, but for batch norms, and frozen weights. Afterwards every mode and flag is as it was."""
    modes = [(module, module.training) for module in model.modules()]
    try:
        model.train()
        for module, _ in modes:
            if isinstance(module, _BatchNorm):
                module.eval()
        with frozen(model.parameters()):
            yield
    finally:
        for module, mode in modes:
            module.training = mode
