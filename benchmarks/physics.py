"""Physical equations: errors and seconds, and the cost of a Laplacian. Run on an idle machine, ratios in one run.

    python benchmarks/physics.py [--seeds 5] [--seconds 60 180] [--rounds 5] [--only growth linear burgers …]

1. A step of training on ‖Δu‖² by streams and by nested automatic differentiation, relative to one on ‖u‖², in
   dimensions 2 to 200. Goals: 8 in dimension 10, 21 to 29 in dimension 100.
2. Relative errors in L2 of `features` on linear problems, medians over seeds, and seconds of the processor. Goals: 1e-8
   in 2 s; in five dimensions 1e-6 in 10 s, for a sum of sines, for a product, which is much harder, and for one whose
   factors differ, so that there is no symmetry.
3. `residual` as a spec without options is solved, on Burgers' equation with ν = 0.01/π against the integral of Cole and
   Hopf, and on Allen-Cahn's against a Fourier series, after each of `--seconds`, by default those of the goals:
   Burgers 1e-3 in 60 s, 1e-4 in 180 s; Allen-Cahn 1e-3 in 300 s.
4. A conductivity from 200 measurements with 1 % noise: its error and its deviation. Goal: 1 %.
5. `grid` on the same Burgers' equation, 1,152 points: its relative error, and seconds of the processor, in which the
   grid of half as many points for the error estimate is included. Goal: 1e-8 in about a second.

In 2 and 3, DeepXDE has as many seconds of the processor as we took, in the same run, if it is installed: half of them
for Adam, the rest for L-BFGS.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Collection
from functools import cache

import numpy as np
import torch
from deepxde_peer import peer, solvers
from torch import Tensor, cos, exp, sin

from pdedsl.api import parse
from pdedsl.compiler import to_analysis
from pdedsl.config.methods import Grid, Pinn, RandomFeatures, Solver
from pdedsl.diagnostics import NOWHERE, PdeError
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.solver_plans import PinnPlan, SolverPlan
from pdedsl.lowering.lower import lower
from pdedsl.planning.method_planners import SolverPlanner
from pdedsl.runtime.basis.random_features import CoordinateBox
from pdedsl.runtime.diff.mlp_jets import DerivativeRequest, JetNetwork, forward_laplacian
from pdedsl.solvers.collocation_points import PointSampler
from pdedsl.solvers.dispatch import solve_with
from pdedsl.solvers.pinn.residuals import Measurement
from pdedsl.solvers.pinn.task import PinnTask
from pdedsl.solvers.pinn.trainer import GaussNewton, OptimizerPhase, Progress, Trainer
from pdedsl.solvers.solver_method import SolveOptions

LINE = "pde A\nspace x in [{}]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
SQUARE = "pde A\nspace (x, y) in [-1, 1]^2{}\nunknown u(x, y) : scalar\n"
ROD, RING = LINE.format("0, 1"), LINE.format("0, 1").replace("1]\ntime", "1] periodic\ntime")
BOX, DISC = SQUARE.format(""), SQUARE.format(" where x² + y² < 1")
FIVE = "pde A\nspace x in [0, 1]^5\nunknown u(x) : scalar\n"
SINES = [f"sin(½π x[{k}])" for k in range(1, 6)]
SUM, PRODUCT = " + ".join(SINES), " ".join(SINES)
UNLIKE = " ".join(f"sin(½π x[{k}] + {k}/10)" for k in range(1, 6))
ZERO = "u = 0 on boundary\n"
HEAT = ROD + "∂u/∂t = 0.1 ∂²u/∂x²\nu(x, 0) = sin(π x)\n" + ZERO
BURGERS = LINE.format("-1, 1") + "∂u/∂t + u ∂u/∂x = (0.01/π) ∂²u/∂x²\nu(x, 0) = -sin(π x)\n" + ZERO
ALLEN_CAHN = LINE.format("-1, 1").replace("1]\ntime", "1] periodic\ntime")
ALLEN_CAHN += "∂u/∂t = 1e-4 ∂²u/∂x² + 5u - 5u³\nu(x, 0) = x² cos(π x)\n"
pi = math.pi
Exact = Callable[..., Tensor]
LINEAR: dict[str, tuple[str, Exact]] = {
    "heat": (HEAT, lambda x, t: sin(pi * x) * exp(-0.1 * pi**2 * t)),
    "heat, source": (
        ROD + "∂u/∂t = ∂²u/∂x² - (x² + 2) exp(-t)\nu(x, 0) = x²\nu = 0 on left\nu = exp(-t) on right\n",
        lambda x, t: x**2 * exp(-t),
    ),
    "wave, two modes": (
        ROD + "∂²u/∂t² = 4 ∂²u/∂x²\nu(x, 0) = sin(π x) + ½ sin(4π x)\n∂u/∂t(x, 0) = 0\n" + ZERO,
        lambda x, t: sin(pi * x) * cos(2 * pi * t) + sin(4 * pi * x) * cos(8 * pi * t) / 2,
    ),
    "advection": (
        RING + "∂u/∂t + ∂u/∂x = 0\nu(x, 0) = exp(sin(2π x))\n",
        lambda x, t: exp(sin(2 * pi * (x - t))),
    ),
    "convection": (
        RING + "∂u/∂t + ∂u/∂x = 0.1 ∂²u/∂x²\nu(x, 0) = sin(2π x)\n",
        lambda x, t: exp(-0.4 * pi**2 * t) * sin(2 * pi * (x - t)),
    ),
    "Poisson, square": (BOX + "Δu = -2π² sin(π x) sin(π y)\n" + ZERO, lambda x, y: sin(pi * x) * sin(pi * y)),
    "Helmholtz": (BOX + "Δu + 100u = 0\nu = sin(6x + 8y) on boundary\n", lambda x, y: sin(6 * x + 8 * y)),
    "Laplace, disc": (DISC + "Δu = 0\nu = exp(x) cos(y) on boundary\n", lambda x, y: exp(x) * cos(y)),
    "varying": (
        BOX + "∇·((1 + x²)∇u) = (2x - 3 (1 + x²)) exp(x) cos(2 y)\nu = exp(x) cos(2 y) on boundary\n",
        lambda x, y: exp(x) * cos(2 * y),
    ),
    "5D, sum": (
        FIVE + f"Δu = -¼π² ({SUM})\nu = {SUM} on boundary\n",
        lambda *x: torch.stack([sin(pi / 2 * c) for c in x]).sum(0),
    ),
    "5D, product": (
        FIVE + f"Δu = -1.25π² {PRODUCT}\nu = {PRODUCT} on boundary\n",
        lambda *x: torch.stack([sin(pi / 2 * c) for c in x]).prod(0),
    ),
    "5D, unlike factors": (
        FIVE + f"Δu = -1.25π² {UNLIKE}\nu = {UNLIKE} on boundary\n",
        lambda *x: torch.stack([sin(pi / 2 * c + k / 10) for k, c in enumerate(x, 1)]).prod(0),
    ),
}
MARKS = {"Burgers": [60.0, 180.0], "Allen-Cahn": [60.0, 300.0]}


def stated(text: str) -> StrongForm:
    found = lower(to_analysis(parse(text)))
    assert isinstance(found, StrongForm)
    return found


def error(values: Tensor, exact: Tensor) -> float:
    return float((values.detach() - exact).norm() / exact.norm())


def cole_hopf(x: np.ndarray, t: np.ndarray, nu: float = 0.01 / math.pi, nodes: int = 100) -> np.ndarray:
    """-∫ sin(πy) f(y) w dη / ∫ f(y) w dη with y = x - η, f = e^(-cos(πy)/2πν), w = e^(-η²/4νt), by Gauss-Hermite."""
    roots, weights = np.polynomial.hermite.hermgauss(nodes)
    y = x[:, None] - np.sqrt(4 * nu * t)[:, None] * roots
    density = np.exp(-np.cos(np.pi * y) / (2 * np.pi * nu)) * weights
    return -(np.sin(np.pi * y) * density).sum(1) / density.sum(1)


def planned(statement: StrongForm, method: Solver) -> SolverPlan:
    plan = SolverPlanner(statement).plan(method, NOWHERE)
    assert not isinstance(plan, PdeError)
    return plan


def linear(problems: Collection[str], seeds: int, beside: Callable[[str, float, Tensor, Tensor], str]) -> None:
    print("features: the median of the relative error, seconds of the processor, and DeepXDE in these seconds")
    for name in problems:
        text, exact = LINEAR[name]
        statement, errors, seconds = stated(text), [], []
        points = PointSampler(statement.domain).inside(3000, 1)
        expected = exact(*points.unbind(-1))
        for seed in range(seeds):
            start = time.process_time()
            solved = solve_with(planned(statement, RandomFeatures()), SolveOptions(seed))
            seconds.append(time.process_time() - start)
            errors.append(error(solved(points)[:, 0], expected))
        took = statistics.median(seconds)
        print(
            f"  {name:18} {statistics.median(errors):.1e}  {took:6.2f} s  {beside(name, took, points, expected)}",
            flush=True,
        )


@cache
def reference(name: str) -> tuple[str, Tensor, Tensor]:
    """Text, points and values of a nonlinear problem."""
    grid = np.meshgrid(np.linspace(-1, 1, 201), np.linspace(0.01, 1, 50))
    at = np.stack([a.ravel() for a in grid], 1)
    points = torch.tensor(at)
    if name == "Burgers":
        return BURGERS, points, torch.tensor(cole_hopf(at[:, 0], at[:, 1]))
    series = solve_with(planned(stated(ALLEN_CAHN), Grid(n=512)), SolveOptions())(points)[:, 0].detach()
    return ALLEN_CAHN, points, series


def trained(name: str, seeds: int, marks: list[float], beside: Callable[[str, float, Tensor, Tensor], str]) -> None:
    print("residual: the relative error after seconds of the processor, of each seed and their median, and DeepXDE")
    text, points, expected = reference(name)
    rows = [_trained(text, points, expected, seed, marks) for seed in range(seeds)]
    for mark, column in zip(marks, zip(*rows, strict=True), strict=True):
        every = " ".join(f"{e:.1e}" for e in column)
        last = beside(name, mark, points, expected)
        print(f"  {name:18} {mark:6.0f} s  {every}  median {statistics.median(column):.1e}  {last}", flush=True)


def _trained(text: str, points: Tensor, expected: Tensor, seed: int, marks: list[float]) -> list[float]:
    """One training, whose errors are taken when the clock passes each mark; what taking them costs does not count."""
    statement = stated(text)
    plan = planned(statement, Pinn())
    assert isinstance(plan, PinnPlan)
    trainer = Trainer(PinnTask(plan, PointSampler(statement.domain), seed))
    module = trainer.task.module(trainer.network, ())
    errors: list[float] = []
    start = time.process_time()

    def hear(_: Progress) -> bool:
        nonlocal start
        now = time.process_time()
        while len(errors) < len(marks) and now - start >= marks[len(errors)]:
            errors.append(error(module(points)[:, 0], expected))
            print(f"    seed {seed}: {errors[-1]:.1e} at {marks[len(errors) - 1]:.0f} s", flush=True)
        start += time.process_time() - now
        return len(errors) < len(marks)

    trainer.run((OptimizerPhase(GaussNewton(), 100_000),), None, hear)
    return errors


def inverse(seeds: int) -> None:
    print("a conductivity of 0.1 from 200 values with 1 % noise: largest error over seeds, mean deviation, seconds")
    statement = stated(HEAT.replace("∂u/∂t = 0.1", "learn ν : scalar > 0\n∂u/∂t = ν"))
    methods: dict[str, Solver] = {"features": RandomFeatures(n=150), "residual": Pinn(points=400, steps=25)}
    for name, method in methods.items():
        errors, deviations, start = [], [], time.process_time()
        for seed in range(seeds):
            generator = torch.Generator().manual_seed(seed)
            points = torch.rand(200, 2, dtype=torch.float64, generator=generator)
            values = LINEAR["heat"][1](*points.unbind(-1))
            values += 0.01 * torch.randn(200, dtype=torch.float64, generator=generator)
            options = SolveOptions(seed, measurements=(Measurement(0, points, values),))
            found = solve_with(planned(statement, method), options).parameters["ν"]
            errors.append(abs(found.value / 0.1 - 1))
            deviations.append(10 * (found.deviation or 0.0))
        took = (time.process_time() - start) / seeds
        print(f"  {name:18} {max(errors):.2%}  ± {statistics.mean(deviations):.2%}  {took:.1f} s")


def with_peer() -> Callable[[str, float, Tensor, Tensor], str]:
    """The error of DeepXDE after as many seconds, one seed."""
    dde = peer()
    known = solvers(dde) if dde is not None else {}

    def beside(name: str, seconds: float, points: Tensor, expected: Tensor) -> str:
        if name not in known:
            return "" if dde is not None else "(DeepXDE is not installed)"
        found = known[name](0, seconds)(points.numpy())
        return f"DeepXDE {error(torch.from_numpy(found), expected):.1e}"

    return beside


def cost(step: Callable[[], Tensor]) -> float:
    start = time.process_time()
    step().backward()  # type: ignore[no-untyped-call]
    return time.process_time() - start


def nested(network: JetNetwork, x: Tensor) -> Tensor:
    x = x.clone().requires_grad_()
    (slope,) = torch.autograd.grad(network(x).sum(), x, create_graph=True)
    bends = [torch.autograd.grad(slope[:, k].sum(), x, create_graph=True)[0][:, k] for k in range(x.shape[1])]
    return torch.stack(bends).sum(0)


def growth(dimensions: Collection[int], rounds: int) -> None:
    print("a step on the Laplacian relative to one on the value: streams, nested automatic differentiation")
    for dimension in dimensions:
        sides = CoordinateBox(
            torch.zeros(dimension).double(), torch.ones(dimension).double(), torch.zeros(dimension).bool()
        )
        network, x = JetNetwork(sides, 64, 4, 1, "tanh", 0), torch.rand(100, dimension, dtype=torch.float64)
        units = tuple(tuple(2 * int(i == k) for i in range(dimension)) for k in range(dimension))
        wanted, ones = DerivativeRequest(((0,) * dimension,), (units,)), torch.ones(100, dimension, dtype=torch.float64)
        ways: tuple[Callable[[], Tensor], ...] = (
            lambda n=network, x=x: n(x).square().mean(),  # type: ignore[misc]
            lambda n=network, x=x, w=wanted, c=ones: forward_laplacian(n, x, w, c)[-1].square().mean(),  # type: ignore[misc]
            lambda n=network, x=x: nested(n, x).square().mean(),  # type: ignore[misc]
        )
        times = [[cost(way) for way in ways] for _ in range(rounds)]
        plain, streams, autograd = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"  d = {dimension:3}  {streams / plain:6.1f}  {autograd / plain:6.1f}")


def gridded(rounds: int, n: int) -> None:
    points = PointSampler(stated(BURGERS).domain).inside(2000, 1)
    points = points[points[:, 1] > 0.01]
    expected, seconds = torch.tensor(cole_hopf(*points.numpy().T, nodes=320)), []
    for _ in range(rounds):
        start = time.process_time()
        solved = solve_with(planned(stated(BURGERS), Grid(n=n)), SolveOptions())
        seconds.append(time.process_time() - start)
    found = error(solved(points)[:, 0], expected)
    print(f"grid: {found:.1e} in {statistics.median(seconds):.2f} s, at least {min(seconds):.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dimensions", type=int, nargs="+", default=[2, 10, 100, 200])
    parser.add_argument("--grid", type=int, default=1152, help="points of the grid for Burgers' equation")
    parser.add_argument("--problems", nargs="+", choices=list(LINEAR), default=list(LINEAR))
    parts = ("growth", "linear", "burgers", "allen-cahn", "inverse", "grid")
    parser.add_argument("--only", nargs="+", choices=parts, default=parts)
    options = parser.parse_args()
    torch.set_num_threads(1)
    beside = with_peer()
    run: dict[str, Callable[[], None]] = {
        "growth": lambda: growth(options.dimensions, options.rounds),
        "linear": lambda: linear(options.problems, options.seeds, beside),
        "burgers": lambda: trained("Burgers", options.seeds, options.seconds or MARKS["Burgers"], beside),
        "allen-cahn": lambda: trained("Allen-Cahn", options.seeds, options.seconds or MARKS["Allen-Cahn"], beside),
        "inverse": lambda: inverse(options.seeds),
        "grid": lambda: gridded(options.rounds, options.grid),
    }
    for name in options.only:
        run[name]()


if __name__ == "__main__":
    main()
