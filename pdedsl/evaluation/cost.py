"""Cost of a prediction: evaluations of the right-hand side per sample, and throughput."""

from __future__ import annotations

import time

import torch
from torch import Tensor

from pdedsl.evaluation.report import InferenceCost
from pdedsl.frozen_model import Model, frozen_state, modules_of
from pdedsl.runtime.ode.solver_control import mean_evaluations

MAX_SAMPLES = 128  # of the timed batch, as in the batches of the attacks
REPETITIONS = 3  # the fastest counts: other processes can only slow it down


def measure_cost(model: Model, x: Tensor) -> InferenceCost:
    """One forward pass to allocate memory, and timed ones; state and random numbers are restored."""
    batch, modules, seconds = x[:MAX_SAMPLES], modules_of(model), []
    with frozen_state(modules, 0), torch.no_grad():
        for _ in range(1 + REPETITIONS):
            start = time.perf_counter()
            model(batch)
            if batch.device.type == "cuda":
                torch.cuda.synchronize(batch.device)
            seconds.append(time.perf_counter() - start)
        counts = [mean_evaluations(module) for module in modules]
    known = [count for count in counts if count is not None]
    return InferenceCost(sum(known) if known else None, len(batch) / min(seconds[1:]))
