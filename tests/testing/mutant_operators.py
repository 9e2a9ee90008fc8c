"""Mutant operators, each of which violates an axiom, and the original operator."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from pdedsl.runtime.sde.feynman_kac import Estimate, EvolutionOperator
from pdedsl.testing.operators import Data, EvolutionUnderTest

Between = Callable[[EvolutionUnderTest, Data, Tensor, float, float], Tensor]


def swing(x: Tensor, t: float) -> Tensor:
    """A velocity that changes with time, so that the order of the layers matters."""
    return torch.stack([torch.cos(x[..., 1] + 4.0 * t), torch.sin(2.0 * x[..., 0]) * (1.0 - 2.0 * t)], -1)


def flow(diffusion: float = 0.1, seed: int = 0) -> EvolutionUnderTest:
    """u_t = v(x, t)·∇u + νΔu on R² × [0, 1], as the compiler makes it."""
    return EvolutionUnderTest(
        EvolutionOperator(swing, diffusion, horizon=1.0, dt=0.125, samples=64, seed=seed), 2, 0.0, 1.0
    )


@dataclass(frozen=True)
class Mutant:
    """An operator whose step from time a to time b is another one."""

    change: Between
    base: EvolutionUnderTest = field(default_factory=flow)
    dimension: int = 2
    start: float = 0.0
    end: float = 1.0

    def __call__(self, f: Data, x: Tensor, t: float) -> Tensor:
        return self.between(f, x, self.start, t)

    def between(self, f: Data, x: Tensor, a: float, b: float) -> Tensor:
        return self.change(self.base, f, x, a, b)

    def estimate(self, f: Data, x: Tensor, a: float, b: float) -> Estimate:
        return Estimate(self.between(f, x, a, b), self.base.estimate(f, x, a, b).standard_error)


def fresh_noise() -> Mutant:
    """The noise ignores its seed: another draw at every call."""
    calls = itertools.count(1)
    return Mutant(lambda base, f, x, a, b: flow(seed=next(calls)).between(f, x, a, b))


def clipped(most: float = 2.0) -> Mutant:
    return Mutant(lambda base, f, x, a, b: base.between(f, x, a, b).clamp(-most, most))


def sharpened() -> Mutant:
    """A smoothing kernel with negative weights, of sum 1."""
    kernel = ((-1.5, -0.25), (0.0, 1.5), (1.5, -0.25))

    def change(base: EvolutionUnderTest, f: Data, x: Tensor, a: float, b: float) -> Tensor:
        values = [w * base.between(f, x + torch.tensor([s, 0.0]).to(x), a, b) for s, w in kernel]
        return torch.stack(values).sum(0)

    return Mutant(change)


def sharpened_from_afar() -> Mutant:
    """The same with weights so far away that no bump reaches them, but every wave does, and so small that an
    integral and a composition hardly change."""

    def change(base: EvolutionUnderTest, f: Data, x: Tensor, a: float, b: float) -> Tensor:
        away = 20.0 * (b - a) * torch.tensor([1.0, 0.0]).to(x)
        near, sides = base.between(f, x, a, b), (base.between(f, x + away, a, b), base.between(f, x - away, a, b))
        return near + 0.004 * (b - a) * (2.0 * near - sides[0] - sides[1])

    return Mutant(change, EvolutionUnderTest(EvolutionOperator(None, 1e-5, horizon=1.0, samples=64), 2, 0.0, 1.0))


def logits_averaged(size: float = 64.0) -> Mutant:
    """Data as probabilities ½ + f/2s; their logits are averaged instead of themselves."""

    def change(base: EvolutionUnderTest, f: Data, x: Tensor, a: float, b: float) -> Tensor:
        scores = base.between(lambda y: torch.logit(0.5 + f(y) / (2.0 * size)), x, a, b)
        return 2.0 * size * (torch.sigmoid(scores) - 0.5)

    return Mutant(change)


def not_reversed(diffusion: float = 1e-3) -> Mutant:
    """The first layer sees the velocity of time a, the last that of time b."""

    def change(base: EvolutionUnderTest, f: Data, x: Tensor, a: float, b: float) -> Tensor:
        if b <= a:
            return f(x)
        other = EvolutionOperator(
            lambda x, t: swing(x, a + b - t), diffusion, horizon=1.0, dt=0.125, samples=64, seed=base.evolution.seed
        )
        return EvolutionUnderTest(other, 2, 0.0, 1.0).between(f, x, a, b)

    return Mutant(change, flow(diffusion))


def constant_added(amount: float = 1e-3) -> Mutant:
    return Mutant(lambda base, f, x, a, b: base.between(f, x, a, b) + amount * (b - a))


def jumping(rate: float = 0.1) -> Mutant:
    """With a small rate it looks one unit away: linear, ordered, keeps constants, and is no differential equation."""

    def change(base: EvolutionUnderTest, f: Data, x: Tensor, a: float, b: float) -> Tensor:
        stay = math.exp(-rate * (b - a))
        return stay * base.between(f, x, a, b) + (1.0 - stay) * base.between(f, x + 1.0, a, b)

    return Mutant(change)


def never_at_rest() -> Mutant:
    """The points move by a tenth at once, however short the time."""
    return Mutant(lambda base, f, x, a, b: base.between(f, x + 0.1, a, b))


def kinked() -> Mutant:
    """Points are rounded to a mesh: neighbours are told apart only by jumps."""
    return Mutant(lambda base, f, x, a, b: base.between(f, torch.ceil(x * 4.0) / 4.0, a, b))


def leaking(rate: float = 0.3) -> Mutant:
    """Mass is lost at a rate, as by -c u."""
    return Mutant(lambda base, f, x, a, b: math.exp(-rate * (b - a)) * base.between(f, x, a, b))


def drawn_together(rate: float = 0.1) -> Mutant:
    """Points move towards the origin as well: constants stay, and mass does not."""
    return Mutant(lambda base, f, x, a, b: base.between(f, math.exp(-rate * (b - a)) * x, a, b))


def as_it_is(base: EvolutionUnderTest, f: Data, x: Tensor, a: float, b: float) -> Tensor:
    return base.between(f, x, a, b)
