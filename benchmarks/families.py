"""Families of problems: the worst error over unseen members, and the number of solves after which a family is cheaper.

    python benchmarks/families.py [decay burgers conductivity cavity] [--unseen 200] [--rounds 5]

Each unseen member is solved alone, to a tenth of the tolerance, and compared with the family at random points. The
stated number of members to break even is checked by CPU times: that of the whole family, and the medians of solving
members alone, to the tolerance of the family, and of evaluating the family.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median

import torch
from torch import Tensor

import pdedsl
from pdedsl.compiler import Compilation
from pdedsl.ir.family import is_normal, value_at
from pdedsl.solvers.budget import CpuBudget
from pdedsl.solvers.family.solution import FamilySolution, sample_members
from pdedsl.solvers.family.solver import BREAK_EVEN
from pdedsl.solvers.solver_method import SolveOptions
from pdedsl.solvers.strategy import Strategy

DECAY = """pde Decay
time t in [0, 1]
unknown u(t) : scalar
parameter a in [0.5, 2]
∂u/∂t = -a u
u(0) = 1
solve {
  tolerance 1e-5
}
"""
BURGERS = """pde Burgers
space x in [-1, 1]
time t in [0, 1]
unknown u(x, t) : scalar
parameter ν in [0.003, 0.1] log
∂u/∂t + u ∂u/∂x = νΔu
u(x, 0) = -sin(π x)
u = 0 on boundary
solve {
  tolerance 1e-3
  budget 5 min
}
"""
CONDUCTIVITY = """pde Conductivity
space x in [0, 1]
time t in [0, 0.1]
unknown u(x, t) : scalar
parameter f(x) from gaussian_process(length=0.2, modes=10)
∂u/∂t = ∇·(exp(0.2 f(x)) ∇u)
u(x, 0) = sin(π x)
u = 0 on boundary
solve {
  tolerance 1e-3
  budget 10 min
}
"""
CAVITY = """pde Cavity
space (x, y) in [0, 1]²
unknown v(x, y) : vector(2)
unknown p(x, y) : scalar
parameter Re in [1, 400]
v·∇v = -∇p + (1/Re)Δv
∇·v = 0
v = [0, 0] on left, right, bottom
v = [16x² (1 - x)², 0] on top
solve {
  tolerance 1e-3
  budget 10 min
}
"""
PROBLEMS = {"decay": DECAY, "burgers": BURGERS, "conductivity": CONDUCTIVITY, "cavity": CAVITY}
SEED, POINTS = 2611, 2048


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def measure(name: str, unseen: int, rounds: int) -> None:
    compilation = pdedsl.compile(pdedsl.parse(PROBLEMS[name]))
    start = time.process_time()
    solution = pdedsl.solve(compilation)
    spent = time.process_time() - start
    assert isinstance(solution, FamilySolution)
    points = random_points(solution)
    samples = members(solution, unseen)
    tolerance, errors = solution.error_estimate.requested, []
    for y in samples:
        parameters = parameters_of(solution, y)
        with torch.no_grad():
            values = solved(compilation, y, tolerance / 10, points)[0]
        errors.append(float((solution(points, **parameters) - values).norm() / values.norm()))
    parameters = parameters_of(solution, samples[0])
    evaluation = median(cpu_seconds(lambda: solution.member(**parameters)(points)) for _ in range(rounds))
    alone = median(solved(compilation, y, tolerance, points)[1] for y in samples[-rounds:])
    observed = spent / (alone - evaluation)
    stated = solution.result.metrics.get(BREAK_EVEN, float("nan"))
    print(f"{name}: {solution.attempts[-1].method}, {spent:.1f} s")
    print(f"  worst error over {len(samples)} members {max(errors):.1e}, stated {solution.error.value:.1e}")
    print(f"  member alone {alone:.3f} s, evaluation of the family {evaluation:.4f} s")
    print(f"  members to break even: stated {stated:.0f}, observed {observed:.0f}")


def members(solution: FamilySolution, count: int) -> Tensor:
    """Reference variables of random members; the first are the corners, for few parameters in intervals."""
    samples = sample_members(solution.family, count, SEED)
    dimension = samples.shape[1]
    if 2**dimension <= count // 2 and not any(is_normal(p.distribution) for p in solution.family.parameters):
        corners = torch.cartesian_prod(*[torch.tensor([-1.0, 1.0], dtype=samples.dtype)] * dimension)
        samples[: 2**dimension] = corners.reshape(-1, dimension)
    return samples


def solved(compilation: Compilation, y: Tensor, tolerance: float, points: Tensor) -> tuple[Tensor, float]:
    """A member alone by the strategy of a single problem: its values, and the CPU time with planning and evaluation."""
    start = time.process_time()
    plan = compilation.plan_member(tuple(y.tolist()), alone=True)
    options = SolveOptions(tolerance=tolerance, budget=CpuBudget(plan.budget))
    outcome = Strategy(plan, compilation.spec.source, options).run()
    with torch.no_grad():
        values = outcome.result.module(points)
    return values, time.process_time() - start


def random_points(solution: FamilySolution) -> Tensor:
    generator = torch.Generator().manual_seed(SEED)
    intervals = solution.problem.domain.intervals
    low, high = (torch.tensor([float(getattr(i, end)) for i in intervals]) for end in ("start", "end"))
    return low + (high - low) * torch.rand(POINTS, len(intervals), generator=generator, dtype=torch.float64)


def parameters_of(solution: FamilySolution, y: Tensor) -> dict[str, float | list[float]]:
    """The parameters at reference variables, by name."""
    values: dict[str, list[float]] = {}
    for p, v in zip(solution.family.parameters, y.tolist(), strict=True):
        values.setdefault(p.function or p.name, []).append(value_at(p.distribution, v))
    functions = {p.function for p in solution.family.parameters}
    return {name: own if name in functions else own[0] for name, own in values.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", default=list(PROBLEMS), metavar="|".join(PROBLEMS))
    parser.add_argument("--unseen", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for name in arguments.problems:
        measure(name, arguments.unseen, arguments.rounds)


if __name__ == "__main__":
    main()
