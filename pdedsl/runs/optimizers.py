"""Optimizers and learning-rate schedules."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, assert_never

import torch
from torch import nn

from pdedsl.config.training import Adam, Adamw, ConstantRate, Cosine, Lbfgs, Optimizer, Schedule, Sgd, Step


def make_optimizer(
    word: Optimizer, parameters: Iterable[nn.Parameter], *, until_rounding: bool = False
) -> torch.optim.Optimizer:
    """The optimizer of a keyword. `until_rounding`: L-BFGS does not stop at small gradients or steps, and its line
    search takes up to 25 evaluations."""
    weights, lr = list(parameters), float(word.lr)
    match word:
        case Sgd():
            momentum, decay = float(word.momentum), float(word.weight_decay)
            return torch.optim.SGD(weights, lr=lr, momentum=momentum, weight_decay=decay, nesterov=word.nesterov)
        case Adam(weight_decay=decay):
            return torch.optim.Adam(weights, lr=lr, weight_decay=float(decay))
        case Adamw(weight_decay=decay):
            return torch.optim.AdamW(weights, lr=lr, weight_decay=float(decay))
        case Lbfgs(history=history):
            # One iteration per step: the state survives between calls, and every iteration can be saved.
            options: dict[str, Any] = {"max_iter": 1, "history_size": history, "line_search_fn": "strong_wolfe"}
            if until_rounding:
                options |= {"max_eval": 25, "tolerance_grad": 0.0, "tolerance_change": 0.0}
            return torch.optim.LBFGS(weights, lr=lr, **options)
        case _:
            assert_never(word)


def learning_rate_factor(schedule: Schedule, time: float, length: float) -> float:
    """Learning-rate factor at `time`, relative to the base learning rate; `length` is the duration of training.

    Times are in epochs if the length of training is given in epochs, otherwise in steps. The warm-up is linear until
    t = w; cosine decay is ½(1 + cos π(t - w)/(length - w)) after it (Loshchilov, Hutter 2017).
    """
    if time < schedule.warmup:
        return (time + 1) / (schedule.warmup + 1)
    match schedule:
        case ConstantRate():
            return 1.0
        case Step(at=at, every=every):
            passed = sum(time >= moment for moment in at) + (int(time // every) if every else 0)
            return float(float(schedule.factor) ** passed)
        case Cosine(warmup=warmup):
            fraction = (time - warmup) / max(length - warmup, 1e-12)
            return 0.5 * (1 + math.cos(math.pi * min(fraction, 1.0)))
        case _:
            assert_never(schedule)
