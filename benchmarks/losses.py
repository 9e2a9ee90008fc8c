"""Training steps with a PDE in the loss, compared with the cost of their parts. Ratios, in one run.

    python benchmarks/losses.py [--batch 64] [--rounds 8] [--threads 1] [--net resnet20|mlp]

1. A residual step (two times, one probe; forward, backward) against the 12 separate evaluations of the network, each
   forward and backward, that Wang, Tao, Bao, Shi count: 2 for the labels, 5 for the residual at each time. Goal: at
   most 0.6. A sample has 8 points and 2 derivatives in the batch, which is 10 evaluations, so that a network whose
   time is all arithmetic can reach 0.83; with one time for each sample 5 points and 1 derivative, which is 0.5.
2. A retraining step with 10 probes against a plain step of cross-entropy. Goal: at most 12. The published code of
   Campbell, Finlay, Oberman 2020 recomputes the clean points for every probe; a loop like it is printed too.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import time
from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn import functional

from pdedsl.config.methods import (
    GradientNormEstimator,
    InitialWeights,
    LaplacianEstimator,
    ResidualTimes,
    Scores,
    SpatialDifferentiation,
    TimeDifferentiation,
)
from pdedsl.data.sampling import KeyedRng
from pdedsl.ir.plan import HeatSmoothing, ResidualPenalty
from pdedsl.runtime.backbones import Backbone, mlp, resnet
from pdedsl.runtime.learned_fields import FixedTime
from pdedsl.runtime.time_conditioning import TimeChannel
from pdedsl.training.losses import HeatLoss, ResidualLoss

RESIDUAL = ResidualPenalty(
    diffusivity=0.2,
    end=1.0,
    weight=0.05,
    h=0.1,
    tau=1e-4,
    probes=1,
    times=(0.0, 1.0),
    jitter=0.2,
    estimator=LaplacianEstimator.BIASED,
    derivative=TimeDifferentiation.FORWARD,
    of=Scores.PROBABILITIES,
)
RETRAINING = HeatSmoothing(
    variance=0.01,
    steps=5,
    weight=0.5,
    probes=10,
    delta=0.1,
    start=InitialWeights.WARM,
    estimator=GradientNormEstimator.UNBIASED,
)
Step = Callable[[], None]
Loss = Callable[[nn.Module, Tensor, Tensor, KeyedRng], dict[str, Tensor]]


SHAPES = {"resnet20": (1, 28, 28), "mlp": (2,)}


def backbone(net: str, timed: bool) -> Backbone:
    if net == "resnet20":
        return resnet(20, SHAPES[net], 10, time=timed)
    return mlp(64, 4, SHAPES[net], 10, activation="tanh", time=timed)


def plain(model: nn.Module, x: Tensor, y: Tensor, times: int = 1) -> Step:
    def step() -> None:
        model.zero_grad()
        for _ in range(times):
            functional.cross_entropy(model(x), y).backward()

    return step


def stepper(loss: Loss, model: nn.Module, x: Tensor, y: Tensor) -> Step:
    def step() -> None:
        model.zero_grad()
        torch.stack(list(loss(model, x, y, KeyedRng(0, 0)).values())).sum().backward()

    return step


def published(model: nn.Module, previous: nn.Module, x: Tensor) -> Step:
    """Algorithm 1 with a forward pass of the clean points for every probe."""
    probes, delta = RETRAINING.probes, RETRAINING.delta

    def step() -> None:
        model.zero_grad()
        loss = 0.5 * (model(x).softmax(-1) - previous(x).softmax(-1).detach()).square().sum(-1).mean()
        for _ in range(probes):
            at = x.clone().requires_grad_()
            v = model(at).softmax(-1)
            w = torch.randn_like(v) / v.shape[-1] ** 0.5
            slope = torch.autograd.grad(v, at, w, retain_graph=True)[0]
            length = torch.linalg.vector_norm(slope.flatten(1), dim=1).clamp(min=1e-12)
            unit = slope / length.reshape(-1, *[1] * (x.dim() - 1))
            change = (w * (model(x + delta * unit).softmax(-1) - v)).sum(-1) / delta
            loss = loss + 1e-3 * change.square().mean()
        loss.backward()

    return step


def interleaved(steps: dict[str, Step], rounds: int) -> dict[str, list[float]]:
    """Seconds per step and side; the sides take turns, and change places every round."""
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    for step in steps.values():
        step()
    for turn in range(rounds):
        order = list(steps.items())
        for name, step in order if turn % 2 else reversed(order):
            start = time.perf_counter()
            step()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def ratios(steps: dict[str, Step], rounds: int) -> dict[str, float]:
    """The median over rounds of the ratio to the first side within a round."""
    seconds = interleaved(steps, rounds)
    first, *others = seconds
    return {
        name: statistics.median(a / b for a, b in zip(seconds[name], seconds[first], strict=True)) for name in others
    }


def report(net: str, batch: int, rounds: int) -> None:
    source = torch.Generator().manual_seed(0)
    x, y = torch.rand(batch, *SHAPES[net], generator=source), torch.randint(10, (batch,), generator=source)
    timed = FixedTime(TimeChannel(backbone(net, timed=True).network()), 1.0)
    sides = {
        "12 evaluations": plain(timed, x, y, 12),
        "every time": stepper(ResidualLoss(RESIDUAL), timed, x, y),
        "one time each": stepper(ResidualLoss(replace(RESIDUAL, instants=ResidualTimes.ONE)), timed, x, y),
    }
    for name, value in ratios(sides, rounds).items():
        print(f"{net:8} residual step, {name:13} / 12 evaluations: {value:5.2f} (goal: at most 0.6)")
    model = backbone(net, timed=False).network()
    previous = copy.deepcopy(model).eval()
    sides = {
        "plain": plain(model, x, y),
        "forward": stepper(HeatLoss(RETRAINING, previous), model, x, y),
        "differences": stepper(
            HeatLoss(replace(RETRAINING, derivative=SpatialDifferentiation.DIFFERENCES), previous), model, x, y
        ),
        "as published": published(model, previous, x),
    }
    for name, value in ratios(sides, rounds).items():
        goal = " (goal: at most 12)" if name == "forward" else ""
        print(f"{net:8} retraining step, {name:12} / plain step: {value:5.1f}{goal}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--net", choices=("resnet20", "mlp"), action="append")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    print(f"torch {torch.__version__}, {arguments.threads} thread(s), batch {arguments.batch}")
    for net in arguments.net or ("mlp", "resnet20"):
        report(net, arguments.batch, arguments.rounds)


if __name__ == "__main__":
    main()
