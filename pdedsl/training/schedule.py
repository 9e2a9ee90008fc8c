"""Optimizers of torch by their names in the language, and the learning rate as a function of the time."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import assert_never

import torch
from torch import nn

from pdedsl.training.config import Optimizer, Schedule


def optimizer_of(config: Optimizer, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
    weights = list(parameters)
    match config.name:
        case "sgd":
            return torch.optim.SGD(
                weights,
                lr=config.lr,
                momentum=config.momentum,
                weight_decay=config.weight_decay,
                nesterov=config.nesterov,
            )
        case "adam":
            return torch.optim.Adam(weights, lr=config.lr, weight_decay=config.weight_decay)
        case "adamw":
            return torch.optim.AdamW(weights, lr=config.lr, weight_decay=config.weight_decay)
        case "lbfgs":
            # One iteration a step: its state lives on between calls, and every iteration can be saved.
            return torch.optim.LBFGS(
                weights, lr=config.lr, max_iter=1, history_size=config.history, line_search_fn="strong_wolfe"
            )
        case _:
            assert_never(config.name)


def factor(schedule: Schedule, time: float, length: float) -> float:
    """The learning rate at a time, as a multiple of the first one; `length` is when training ends.

    cosine: ½(1 + cos π(t - w)/(length - w)) after a linear warm-up to time w (Loshchilov, Hutter 2017).
    """
    match schedule.name:
        case "constant":
            return 1.0
        case "step":
            passed = sum(time >= at for at in schedule.at) + (int(time // schedule.every) if schedule.every else 0)
            return float(schedule.factor**passed)
        case "cosine":
            if time < schedule.warmup:
                return (time + 1) / (schedule.warmup + 1)
            rest = (time - schedule.warmup) / max(length - schedule.warmup, 1e-12)
            return 0.5 * (1 + math.cos(math.pi * min(rest, 1.0)))
        case _:
            assert_never(schedule.name)
