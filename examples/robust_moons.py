"""A residual penalty makes a classifier robust and its decision boundary smooth (Wang, Tao, Bao, Shi, figs. 2, 3).

`robust_moons.py [SEEDS [EPOCHS]]`. λ is the weight of the penalty, σ² the diffusivity; the attack is PGD-20, ε = 0.2.
"""

import sys
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from matplotlib.figure import Figure

import pdedsl
from pdedsl.config.base import Located
from pdedsl.config.data import Moons
from pdedsl.config.training import PgdAdversary
from pdedsl.data.load import load
from pdedsl.data.sampling import KeyedRng
from pdedsl.runs.decision_boundary import Panel, boundary_measures, plot_boundaries
from pdedsl.training.losses import Adversary

WEIGHTS, DIFFUSIVITIES, BOX = (0.01, 0.05, 0.2), (0.05, 0.1, 0.2), (-2.0, 3.0, -1.5, 2.0)


def measure(weight: float, nu: float, seed: int, epochs: int) -> tuple[float, float, float, Panel]:
    """Clean accuracy, robust accuracy, total curvature of the decision boundary, and plot of one run."""
    changes = (
        f"σ²={nu}",
        f"realize.diffusion.weight={weight}",
        f"train.seed={seed}",
        f"train.data.seed={seed}",
        f"train.epochs={epochs}",
    )
    with TemporaryDirectory() as folder:
        run = pdedsl.train("convection_diffusion", Path(folder) / "run", set=changes)
    x, y = load(Located(Moons(noise=0.3, seed=seed)), None).test.batch(slice(None))
    u = torch.nn.Sequential(run.module, torch.nn.Softmax(-1))
    attacked = Adversary(PgdAdversary(eps=0.2, step=0.01, steps=20))(run.module, x, y, KeyedRng(seed, 0))
    robust = (u(attacked).argmax(-1) == y).double().mean().item()
    panel = Panel(f"λ = {weight}, σ² = {nu}" if weight else "without diffusion", u, x, y)
    return run.metrics["test_accuracy"], robust, boundary_measures(u, BOX).total_curvature, panel


def main(seeds: int = 5, epochs: int = 200) -> None:
    settings = [(0.0, 0.2), *product(WEIGHTS, DIFFUSIVITIES)]
    with get_context("spawn").Pool(2, torch.set_num_threads, (1,)) as pool:
        runs = pool.starmap(measure, [(*s, k, epochs) for s in settings for k in range(seeds)], chunksize=1)
    by_setting = {s: runs[i * seeds : (i + 1) * seeds] for i, s in enumerate(settings)}
    means = {s: [sum(run[k] for run in by_setting[s]) / seeds for k in range(3)] for s in settings}
    for (weight, nu), (clean, robust, curvature) in means.items():
        print(f"λ={weight:<5} σ²={nu:<5} clean {clean:.3f}  PGD-20 {robust:.3f}  curvature {curvature:.1f}")
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for ax, k, title in zip(
        figure.subplots(1, 2), (1, 2), ("Robust accuracy (PGD-20)", "Total curvature"), strict=True
    ):
        for nu in DIFFUSIVITIES:
            row = [means[0.0, 0.2][k], *(means[w, nu][k] for w in WEIGHTS)]
            ax.plot(["no penalty", *map(str, WEIGHTS)], row, "o-", label=f"σ² = {nu}")
        ax.set(title=f"{title}, mean over {seeds} seeds", xlabel="weight λ of the residual penalty")
    ax.legend()
    figure.savefig("robust_moons.png", dpi=120)
    plot_boundaries([by_setting[w, 0.2][0][3] for w in (0.0, 0.05, 0.2)], Path("boundaries.png"), box=BOX)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
