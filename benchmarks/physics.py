"""Physical equations: errors and seconds, and what a Laplacian costs. Run on an idle machine, ratios in one run.

    python benchmarks/physics.py [--seeds 1] [--seconds 20] [--rounds 5]

1. The relative error of `features` on linear problems, and of `residual` on Burgers' equation with ν = 0.01/π after
   some seconds of the processor, against the integral of Cole and Hopf.
2. A step of training on ‖Δu‖² by streams and by nested automatic differentiation, relative to one on ‖u‖², in
   dimensions 2 to 200. Goals: 8 in dimension 10, 21 to 29 in dimension 100.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from pdedsl.compiler import parse, to_analysis
from pdedsl.ir.statement import Statement
from pdedsl.lower.lower import lower
from pdedsl.runtime.jets import JetNetwork, Wanted
from pdedsl.runtime.sines import Sides
from pdedsl.solving.features import solve_by_features
from pdedsl.solving.points import Points
from pdedsl.solving.residual import solve_by_residual
from pdedsl.solving.training import GaussNewton, Phase, Progress
from pdedsl.words.networks import Mlp
from pdedsl.words.solvers import Collocation, Features

LINE = "pde A\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
SQUARE = "pde A\nspace (x, y) in [-1, 1]^2\nunknown u(x, y) : scalar\n"
SUM = " + ".join(f"sin(½π x[{k}])" for k in range(1, 6))
FIVE = f"pde A\nspace x in [0, 1]^5\nunknown u(x) : scalar\nΔu = -¼π² ({SUM})\nu = {SUM} on boundary\n"
BURGERS = """pde B
space x in [-1, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t + u ∂u/∂x = (0.01/π) ∂²u/∂x²
u(x, 0) = -sin(π x)
u = 0 on boundary
"""
pi = math.pi
LINEAR: dict[str, tuple[str, Callable[..., Tensor]]] = {
    "heat": (
        LINE + "∂u/∂t = 0.1 ∂²u/∂x²\nu(x, 0) = sin(π x)\nu = 0 on boundary\n",
        lambda x, t: torch.sin(pi * x) * torch.exp(-0.1 * pi**2 * t),
    ),
    "wave, two modes": (
        LINE + "∂²u/∂t² = 4 ∂²u/∂x²\nu(x, 0) = sin(π x) + ½ sin(4π x)\n∂u/∂t(x, 0) = 0\nu = 0 on boundary\n",
        lambda x, t: torch.sin(pi * x) * torch.cos(2 * pi * t) + torch.sin(4 * pi * x) * torch.cos(8 * pi * t) / 2,
    ),
    "Poisson, square": (
        SQUARE + "Δu = -2π² sin(π x) sin(π y)\nu = 0 on boundary\n",
        lambda x, y: torch.sin(pi * x) * torch.sin(pi * y),
    ),
    "Poisson, 5D": (FIVE, lambda *x: sum(torch.sin(pi / 2 * c) for c in x)),  # type: ignore[return-value, misc]
}


def stated(text: str) -> Statement:
    found = lower(to_analysis(parse(text)))
    assert isinstance(found, Statement)
    return found


def error(values: Tensor, exact: Tensor) -> float:
    return float((values.detach() - exact).norm() / exact.norm())


def cole_hopf(x: np.ndarray, t: np.ndarray, nu: float = 0.01 / math.pi) -> np.ndarray:
    """-∫ sin(πy) f(y) w dη / ∫ f(y) w dη with y = x - η, f = e^(-cos(πy)/2πν), w = e^(-η²/4νt), by Gauss-Hermite."""
    nodes, weights = np.polynomial.hermite.hermgauss(100)
    y = x[:, None] - np.sqrt(4 * nu * t)[:, None] * nodes
    density = np.exp(-np.cos(np.pi * y) / (2 * np.pi * nu)) * weights
    return -(np.sin(np.pi * y) * density).sum(1) / density.sum(1)


def linear(seeds: int) -> None:
    print("features: the median of the relative error, and seconds of the processor")
    for name, (text, exact) in LINEAR.items():
        statement, errors, seconds = stated(text), [], []
        points = Points(statement.domain).inside(3000, 1)
        for seed in range(seeds):
            start = time.process_time()
            solved = solve_by_features(statement, Features(), seed=seed)
            seconds.append(time.process_time() - start)
            errors.append(error(solved(points)[:, 0], exact(*points.unbind(-1))))
        print(f"  {name:18} {statistics.median(errors):.1e}  {statistics.median(seconds):.2f} s")


def burgers(seeds: int, seconds: float) -> None:
    grid = np.meshgrid(np.linspace(-1, 1, 201), np.linspace(0.01, 1, 50))
    at = np.stack([a.ravel() for a in grid], 1)
    points, exact = torch.tensor(at), torch.tensor(cole_hopf(at[:, 0], at[:, 1]))
    statement, errors = stated(BURGERS), []
    for seed in range(seeds):
        start = time.process_time()

        def hear(progress: Progress, start: float = start) -> bool:
            return time.process_time() - start < seconds

        phases, network = (Phase(GaussNewton(), 100_000),), Mlp(width=16, depth=3)
        solved = solve_by_residual(statement, Collocation(), network=network, phases=phases, seed=seed, listener=hear)
        errors.append(error(solved(points)[:, 0], exact))
    print(f"residual: Burgers, ν = 0.01/π, after {seconds:g} s of the processor: {statistics.median(errors):.1e}")


def cost(step: Callable[[], Tensor]) -> float:
    start = time.process_time()
    step().backward()  # type: ignore[no-untyped-call]
    return time.process_time() - start


def nested(network: JetNetwork, x: Tensor) -> Tensor:
    x = x.clone().requires_grad_()
    (slope,) = torch.autograd.grad(network(x).sum(), x, create_graph=True)
    bends = [torch.autograd.grad(slope[:, k].sum(), x, create_graph=True)[0][:, k] for k in range(x.shape[1])]
    return torch.stack(bends).sum(0)


def growth(rounds: int) -> None:
    print("a step on the Laplacian relative to one on the value: streams, nested automatic differentiation")
    for dimension in (2, 10, 100, 200):
        sides = Sides(torch.zeros(dimension).double(), torch.ones(dimension).double(), torch.zeros(dimension).bool())
        network, x = JetNetwork(sides, 64, 4, 1, "tanh", 0), torch.rand(100, dimension, dtype=torch.float64)
        units = tuple(tuple(2 * int(i == k) for i in range(dimension)) for k in range(dimension))
        wanted, ones = Wanted(((0,) * dimension,), (units,)), (torch.ones(100, dimension, dtype=torch.float64),)
        ways: tuple[Callable[[], Tensor], ...] = (
            lambda n=network, x=x: n(x).square().mean(),  # type: ignore[misc]
            lambda n=network, x=x, w=wanted, c=ones: n.jets(x, w, c)[0][-1].square().mean(),  # type: ignore[misc]
            lambda n=network, x=x: nested(n, x).square().mean(),  # type: ignore[misc]
        )
        times = [[cost(way) for way in ways] for _ in range(rounds)]
        plain, streams, autograd = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"  d = {dimension:3}  {streams / plain:6.1f}  {autograd / plain:6.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    torch.set_num_threads(1)
    growth(given.rounds)
    linear(given.seeds)
    burgers(given.seeds, given.seconds)


if __name__ == "__main__":
    main()
