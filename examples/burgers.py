"""Burgers' equation on a grid, with plots and error estimate; then two methods compared at a larger viscosity.

Run by `make demo`; plots and report are in demo/burgers.
"""

import shutil
from pathlib import Path

import torch

import pdedsl

OUT = Path("demo/burgers")
GRID = "realize.equation=grid(n=256)"  # the network that the spec names takes minutes
RANDOM_FEATURES = "realize.equation=random_features(n=300)"
VISCOUS = "ν=0.2"  # no shock, so that random features solve it in seconds, too


def main() -> None:
    torch.set_num_threads(1)  # fastest for small matrices
    shutil.rmtree(OUT, ignore_errors=True)
    solution = pdedsl.solve("burgers", OUT, set=[GRID])
    print(f"burgers: {solution.plan.method} in {solution.seconds:.1f} s, error {solution.error}; see {OUT}/report.md")
    grid, features = (pdedsl.solve("burgers", set=[method, VISCOUS]) for method in (GRID, RANDOM_FEATURES))
    points = torch.rand(500, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    a, b = grid(points).detach(), features(points).detach()
    difference = float((a - b).norm() / b.norm())
    print(f"burgers, {VISCOUS}: grid and random features: relative L2 difference {difference:.1e}")


if __name__ == "__main__":
    main()
