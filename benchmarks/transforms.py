"""Problems that theorems make easy: errors against independent references, and CPU times.

    python benchmarks/transforms.py [burgers hjb allen_cahn] [--rounds 5]

- `burgers`: Burgers' equation with ν = 0.01/π by the Hopf-Cole transform; Cole's formula by QUADPACK.
- `hjb`: quadratic Hamilton-Jacobi-Bellman equation in 100 dimensions at x = 0, t = 0; -log E 2/(1 + 2χ²), with the
  chi-squared density of 100 degrees of freedom, by QUADPACK.
- `allen_cahn`: Allen-Cahn equation in 100 dimensions at x = 0, t = 0.3, by multilevel Picard iteration; 0.0528 is the
  value of the branching diffusion method (E, Han, Jentzen 2017), to three digits.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import torch
from scipy.integrate import quad
from scipy.stats import chi2

import pdedsl

BURGERS_POINTS = ((0.3, 0.7), (-0.01, 0.5), (0.001, 1.0))


@dataclass(frozen=True)
class Problem:
    spec: str
    error: Callable[[pdedsl.Solution], float]  # relative
    goal: float
    seconds: float


def burgers_error(solution: pdedsl.Solution) -> float:
    """The largest error at three points, relative to max |u| = 1."""
    return max(abs(float(solution(x=x, t=t)) - cole(x, t)) for x, t in BURGERS_POINTS)


def cole(x: float, t: float) -> float:
    nu = 0.01 / math.pi

    def weight(eta: float) -> float:
        return math.exp((-math.cos(math.pi * (x - eta)) - 1) / (2 * math.pi * nu) - eta**2 / (4 * nu * t))

    peaks = [k / 50 for k in range(-60, 61)]

    def integral(f: Callable[[float], float]) -> float:
        return float(quad(f, -1.2, 1.2, points=peaks, limit=500, epsabs=0)[0])

    return -integral(lambda e: math.sin(math.pi * (x - e)) * weight(e)) / integral(weight)


def at_origin(solution: pdedsl.Solution, t: float) -> float:
    return float(solution(torch.tensor([[0.0] * 100 + [t]], dtype=torch.float64)))


def hjb_error(solution: pdedsl.Solution) -> float:
    mean = quad(lambda s: chi2.pdf(s, 100) * 2 / (1 + 2 * s), 0, 400, limit=500, epsabs=0, points=[100.0])[0]
    return abs(at_origin(solution, 0.0) / -math.log(mean) - 1)


def allen_cahn_error(solution: pdedsl.Solution) -> float:
    return abs(at_origin(solution, 0.3) / 0.0528 - 1)


PROBLEMS = {
    "burgers": Problem("burgers_hopf_cole", burgers_error, 1e-10, 1.0),
    "hjb": Problem("hjb_100d", hjb_error, 1e-4, 5.0),
    "allen_cahn": Problem("allen_cahn_100d", allen_cahn_error, 5e-3, 60.0),
}


def measure(name: str, rounds: int) -> None:
    problem, times = PROBLEMS[name], []
    for _ in range(rounds):
        compilation = pdedsl.compile(problem.spec)
        start = time.process_time()
        solution = pdedsl.solve(compilation)
        times.append(time.process_time() - start)
    error = problem.error(solution)
    print(f"{name}: {solution.result.method}, median of {rounds}: {median(times):.2f} s (goal {problem.seconds:g} s)")
    print(f"  relative error {error:.1e} (goal {problem.goal:.0e}), stated {solution.error.value:.1e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", default=list(PROBLEMS), metavar="|".join(PROBLEMS))
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for name in arguments.problems:
        measure(name, arguments.rounds)


if __name__ == "__main__":
    main()
