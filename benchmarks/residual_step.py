"""A step of Adam on specs/burgers.pde as it is written, beside one of a network that is differentiated by autograd.

    python benchmarks/residual_step.py [--rounds 5]

The spec has 8 layers of 20 units and 10,000 points. By hand: the same network in torch.nn, u_x, u_t and u_xx by nested
automatic differentiation, conditions in the loss. The milliseconds are the medians of rounds that alternate, so that
their ratio is that of one machine at one time.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor, nn

from pdedsl.compiler import to_compilation
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.solver_plans import PinnPlan
from pdedsl.solvers.collocation_points import PointSampler
from pdedsl.solvers.pinn.task import PinnTask
from pdedsl.solvers.pinn.trainer import Trainer, training_phases
from pdedsl.sources import source_of

NU = 0.01 / math.pi


def ours() -> Callable[[], object]:
    plan = to_compilation(source_of("burgers")).plan
    assert isinstance(plan, SolvePlan)
    assert isinstance(plan.solver, PinnPlan)
    trainer = Trainer(PinnTask(plan.solver, PointSampler(plan.problem.domain), 0))
    (phase, *_) = training_phases(plan.solver.optimizers, plan.solver.steps)
    trainer._start_phase(phase, 0, None)
    return lambda: trainer._step(phase)


def by_hand() -> Callable[[], object]:
    widths = [2, *[20] * 8]
    layers = [m for a, b in pairwise(widths) for m in (nn.Linear(a, b), nn.Tanh())]
    network = nn.Sequential(*layers, nn.Linear(20, 1)).double()
    optimizer = torch.optim.Adam(network.parameters(), 1e-3)
    x = (2 * torch.rand(10_000, 1, dtype=torch.float64) - 1).requires_grad_()
    t = torch.rand(10_000, 1, dtype=torch.float64).requires_grad_()
    box, start = (torch.rand(100, 2, dtype=torch.float64) for _ in range(2))

    def loss() -> Tensor:
        u = network(torch.cat([x, t], 1))
        u_x, u_t = torch.autograd.grad(u.sum(), (x, t), create_graph=True)
        (u_xx,) = torch.autograd.grad(u_x.sum(), x, create_graph=True)
        return (u_t + u * u_x - NU * u_xx).square().mean() + sum(network(p).square().mean() for p in (box, start))

    def step() -> None:
        optimizer.zero_grad()
        loss().backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    return step


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    steps = ours(), by_hand()
    seconds: tuple[list[float], list[float]] = ([], [])
    for k in range(rounds + 1):
        for step, taken in zip(steps, seconds, strict=True):
            begun = time.process_time()
            step()
            if k:
                taken.append(time.process_time() - begun)
    one, other = (statistics.median(s) for s in seconds)
    print(f"a step: {1000 * one:.0f} ms, by hand {1000 * other:.0f} ms, ratio {one / other:.2f}")


if __name__ == "__main__":
    main()
