"""Training phases, each with one objective and one optimizer."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pdedsl.config.blocks import TrainBlock
from pdedsl.config.training import CrossEntropy, Lbfgs, Optimizer
from pdedsl.ir.plan import GaussianRegression, HeatSmoothing, Objective


@dataclass(frozen=True)
class Phase:
    """Steps `start`, …, `start + steps - 1`. `heat` is the index of the retraining, from 1; 0 before it."""

    name: str
    number: int
    objective: Objective
    optimizer: Optimizer
    start: int
    steps: int
    epochs: float
    heat: int = 0

    @property
    def end(self) -> int:
        return self.start + self.steps

    @property
    def is_full_batch(self) -> bool:
        """Whether a step uses all samples."""
        return isinstance(self.optimizer, Lbfgs)


def training_phases(config: TrainBlock, objective: Objective, samples: int) -> tuple[Phase, ...]:
    """One phase per optimizer; heat smoothing repeats them for every step of the heat equation."""
    rounds: list[tuple[str, Objective, int]] = [("train", objective, 0)]
    if isinstance(objective, HeatSmoothing):
        heats = [(f"heat {k}/{objective.steps}", objective, k) for k in range(1, objective.steps + 1)]
        rounds = [("cross-entropy", CrossEntropy(), 0), *heats]
    if isinstance(objective, GaussianRegression):
        rounds = [("cross-entropy", CrossEntropy(), 0), ("Gaussian average", objective, 1)]
    phases: list[Phase] = []
    start = 0
    for name, phase_objective, heat in rounds:
        for optimizer in (located.config for located in config.optimizer):
            steps, epochs = _length(config, optimizer, samples)
            full = name if len(config.optimizer) == 1 else f"{name}, {optimizer.name}"
            phases.append(Phase(full, len(phases), phase_objective, optimizer, start, steps, epochs, heat))
            start += steps
    return tuple(phases)


def _length(config: TrainBlock, optimizer: Optimizer, samples: int) -> tuple[int, float]:
    """Numbers of steps and of epochs."""
    if isinstance(optimizer, Lbfgs):
        return optimizer.steps, float(optimizer.steps)
    if config.steps is not None:
        return config.steps, config.steps * config.batch / samples
    assert config.epochs is not None
    return math.ceil(config.epochs * samples / config.batch), float(config.epochs)
