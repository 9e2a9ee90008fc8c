"""Families of problems: the worst error over unseen members, and the number of solves after which a family is cheaper.

    python benchmarks/families.py [decay burgers conductivity] [--unseen 200] [--rounds 5]

Each unseen member is solved alone, to a tenth of the tolerance, and compared with the interpolant at random points. The
stated number of solves to break even is checked by CPU times: the medians of solving one member alone, to the tolerance
of the family, and of evaluating the family.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median

import torch
from torch import Tensor

import pdedsl
from pdedsl.ir.plan import SolvePlan
from pdedsl.solvers.budget import CpuBudget
from pdedsl.solvers.family.solution import FamilySolution, sample_members
from pdedsl.solvers.solver_method import SolveOptions
from pdedsl.solvers.strategy import Outcome, Strategy

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
PROBLEMS = {"decay": DECAY, "burgers": BURGERS, "conductivity": CONDUCTIVITY}
SEED, POINTS = 2611, 2048


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def measure(name: str, unseen: int, rounds: int) -> None:
    compilation = pdedsl.compile(pdedsl.parse(PROBLEMS[name]))
    solution = pdedsl.solve(compilation)
    assert isinstance(solution, FamilySolution)
    points = random_points(solution)
    samples = sample_members(solution.family, unseen, SEED)
    errors, alone = [], []
    for y in samples:
        parameters = parameters_of(solution, y)
        text, tolerance = member_text(name, solution, parameters), solution.error_estimate.requested
        alone.append(solved(text, tolerance)[1])
        with torch.no_grad():
            values = solved(text, tolerance / 10)[0].result.module(points)
        errors.append(float((solution(points, **parameters) - values).norm() / values.norm()))
    parameters = parameters_of(solution, samples[0])
    evaluation = median(cpu_seconds(lambda: solution.member(**parameters)(points)) for _ in range(rounds))
    spent = solution.attempts[-1].cpu_seconds
    observed = spent / (median(alone) - evaluation)
    stated = solution.result.metrics.get("solves to break even", float("nan"))
    print(f"{name}: {solution.attempts[-1].method}, {spent:.1f} s")
    print(f"  worst error over {unseen} members {max(errors):.1e}, stated {solution.error.value:.1e}")
    print(f"  solves to break even: stated {stated:.0f}, observed {observed:.0f}")


def solved(text: str, tolerance: float) -> tuple[Outcome, float]:
    """A member by the strategy of a single problem, and its CPU time without compilation."""
    compilation = pdedsl.compile(pdedsl.parse(text))
    plan = compilation.plan
    assert isinstance(plan, SolvePlan)
    options = SolveOptions(tolerance=tolerance, budget=CpuBudget(plan.budget))
    outcome = Strategy(plan, compilation.spec.source, options).run()
    return outcome, options.budget.spent


def random_points(solution: FamilySolution) -> Tensor:
    generator = torch.Generator().manual_seed(SEED)
    intervals = solution.problem.domain.intervals
    low, high = (torch.tensor([float(getattr(i, end)) for i in intervals]) for end in ("start", "end"))
    return low + (high - low) * torch.rand(POINTS, len(intervals), generator=generator, dtype=torch.float64)


def parameters_of(solution: FamilySolution, y: Tensor) -> dict[str, float | list[float]]:
    """The parameters at reference variables, by name."""
    from pdedsl.ir.family import value_at

    values: dict[str, list[float]] = {}
    for p, v in zip(solution.family.parameters, y.tolist(), strict=True):
        values.setdefault(p.function or p.name, []).append(value_at(p.distribution, v))
    functions = {p.function for p in solution.family.parameters}
    return {name: own if name in functions else own[0] for name, own in values.items()}


def member_text(name: str, solution: FamilySolution, parameters: dict[str, float | list[float]]) -> str:
    """The spec of a member: numbers instead of parameters."""
    lines = []
    for line in PROBLEMS[name].splitlines():
        if not line.startswith("parameter"):
            lines.append(line)
            continue
        (key, value) = next((k, v) for k, v in parameters.items() if line.split()[1].startswith(k))
        if isinstance(value, list):
            lines.append(f"let {key}(x) = {expansion(solution, value)}")
        else:
            lines.append(f"const {key} = {value!r}")
    return "\n".join(lines)


def expansion(solution: FamilySolution, coefficients: list[float]) -> str:
    """A random function written out: its values for the unit coefficients are those of the modes."""
    from math import exp, pi, sqrt

    length, half = 0.2, 0.5 + 2 * 0.2  # of `gaussian_process` on [0, 1]
    terms = []
    for k, c in enumerate(coefficients, 1):
        frequency = pi * k / (2 * half)
        amplitude = c * sqrt(sqrt(2 * pi) * length * exp(-(length**2) * frequency**2 / 2) / half)
        terms.append(f"({amplitude!r}) sin({frequency!r} (x - 0.5 + {half!r}))")
    return " + ".join(terms)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", choices=[*PROBLEMS, []], default=list(PROBLEMS))
    parser.add_argument("--unseen", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for name in arguments.problems:
        measure(name, arguments.unseen, arguments.rounds)


if __name__ == "__main__":
    main()
