"""Solve the specs on physical domains by their default or stated methods, and plot the solutions in one figure.

python examples/gallery.py [SPEC …]    writes gallery.png, and a picture of each solution in gallery/
"""

import sys
from pathlib import Path

from matplotlib.axes import Axes

import pdedsl
from pdedsl.runs.figure_style import new_figure, save_figure

SPECS = """heat poisson poisson_disc poisson_holes wave hamilton_jacobi advection helmholtz allen_cahn burgers
heat_2d black_scholes fokker_planck schroedinger kdv burgers_shock cavity gray_scott inverse_decay inverse_heat
kuramoto_sivashinsky stirring""".split()
SHOWN = 15  # in the figure
# Networks and paths would take minutes.
QUICK = {
    "black_scholes": ["realize.equation=grid(n=256)"],
    "burgers": ["realize.equation=grid(n=256)"],
    "wave": ["realize.equation=random_features"],
}
WIDE, FOLDER = 5, Path("gallery")


def main(names: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    rows = -(-len(names[:SHOWN]) // WIDE)
    figure = new_figure(2.9 * WIDE, 2.7 * rows)
    axes = figure.subplots(rows, WIDE, squeeze=False)
    for ax in axes.flat[len(names) :]:
        ax.axis("off")
    for k, name in enumerate(names):
        solution = pdedsl.solve(name, set=QUICK.get(name, []))
        print(f"{name:22} {solution.plan.method.name:15} {solution.seconds:6.1f} s  error {solution.error}", flush=True)
        small = new_figure(3.2, 2.6)
        draw(small.subplots(), solution)
        save_figure(small, FOLDER / f"{name}.png")
        if k < SHOWN:
            draw(axes.flat[k], solution)
            axes.flat[k].set_title(f"{name}: {solution.plan.method.name}", fontsize=8, loc="left")
        if k + 1 == min(SHOWN, len(names)):
            save_figure(figure, Path("gallery.png"))


def draw(ax: Axes, solution: pdedsl.Solution) -> None:
    """The first component; in two space dimensions at the end of the time interval."""
    domain = solution.problem.domain
    field = solution[solution.problem.components[0].name]
    last = [float(domain.intervals[-1].end)] if domain.has_time and len(domain.space) > 1 else None
    at = {} if last is None else {domain.coordinates[-1].name: last}
    field.plot(ax=ax, n=15 if solution.plan.method.name == "monte_carlo" else 150, **at)
    ax.set_title("")


if __name__ == "__main__":
    main(sys.argv[1:] or SPECS)
