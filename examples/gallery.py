"""Solve the specs on physical domains by their default or stated methods, and plot the solutions in one figure.

python examples/gallery.py [SPEC …]    writes gallery.png
"""

import sys
from collections.abc import Iterator

import matplotlib
import torch

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

import pdedsl
from pdedsl.solvers.plots import Resolution, Slice, slices

SPECS = """heat poisson poisson_disc poisson_holes wave hamilton_jacobi advection helmholtz allen_cahn burgers
heat_2d black_scholes fokker_planck schroedinger kdv""".split()
# Networks would take minutes.
QUICK = {"burgers": ["realize.equation=grid(n=256)"], "wave": ["realize.equation=random_features"]}
WIDE = 5


def main(names: list[str]) -> None:
    rows = -(-len(names) // WIDE)
    figure, axes = plt.subplots(rows, WIDE, figsize=(2.6 * WIDE, 2.4 * rows), layout="constrained", squeeze=False)
    for ax in axes.flat[len(names) :]:
        ax.axis("off")
    for ax, name in zip(axes.flat, names, strict=False):
        solution = pdedsl.solve(name, set=QUICK.get(name, []))
        print(f"{name:22} {solution.plan.method.name:10} {solution.seconds:6.1f} s  error {solution.error}", flush=True)
        draw(ax, name, solution)
    figure.savefig("gallery.png", dpi=75)


def draw(ax: Axes, name: str, solution: pdedsl.Solution) -> None:
    """The last view of the first component; Monte Carlo solutions are drawn on a coarse grid."""
    domain = solution.plan.problem.domain
    view = slices(domain, Resolution(41, 15 if solution.plan.method.name == "monte_carlo" else 100))[-1]
    with torch.no_grad():
        values = view.values(solution.module(view.points)[:, 0])
    ax.set_title(f"{name}: {solution.plan.method.name}", fontsize=8)
    ax.tick_params(labelsize=6)
    if len(view.shape) == 1:
        ax.plot(view.points[:, view.axes[0]], values)
        return
    low, high = (list(ends(view, pick)) for pick in (torch.amin, torch.amax))
    extent = (low[0], high[0], low[1], high[1])
    in_space = max(view.axes) < len(domain.space)
    aspect = "equal" if in_space else "auto"
    picture = ax.imshow(values.T, origin="lower", aspect=aspect, extent=extent, cmap="RdBu_r")
    ax.figure.colorbar(picture, ax=ax).ax.tick_params(labelsize=6)


def ends(view: Slice, pick: object) -> Iterator[float]:
    for axis in view.axes:
        yield float(pick(view.points[:, axis]))  # type: ignore[operator]


if __name__ == "__main__":
    main(sys.argv[1:] or SPECS)
