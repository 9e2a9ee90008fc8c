"""Two half-moons, classified by transport alone and with diffusion behind it; then attacked, and drawn.

Run by `make demo`; the runs are in demo/plain and demo/diffusion, the comparison in demo/report.md.
"""

import shutil
import sys
from pathlib import Path

import torch

import pdedsl
from pdedsl.data.draws import Draws
from pdedsl.data.load import load
from pdedsl.measures.boundary import Panel, boundary_measures, plot_boundaries
from pdedsl.training.losses import Adversary
from pdedsl.training.view import view_for
from pdedsl.words.data import Moons
from pdedsl.words.training import Pgd
from pdedsl.words.word import Chosen

OUT, BOX = Path("demo"), (-2.0, 3.0, -1.5, 2.0)
RUNS = {"plain": ("before diffusion", 0.0), "diffusion": ("after diffusion", 0.1)}
REPORT = """# Two half-moons, before and after diffusion

`convection_diffusion.pde`, trained without and with the residual of ∂u/∂t = σ²Δu in its loss.

| | accuracy | under PGD-20, ε = 0.2 | length of the boundary | total curvature |
| --- | --- | --- | --- | --- |
{rows}

![The decision boundary before and after diffusion](boundaries.png)

The runs: [plain](plain/report.md), [diffusion](diffusion/report.md).
"""


def main(epochs: int = 200) -> None:
    torch.set_num_threads(1)  # small matrices
    x, y = load(Chosen(Moons(noise=0.3)), None, seed=0).test.batch(slice(None))
    pgd, rows, panels = Adversary(Pgd(eps=0.2, step=0.01, steps=20)), [], []
    for name, (title, weight) in RUNS.items():
        shutil.rmtree(OUT / name, ignore_errors=True)
        changes = (f"realize.diffusion.weight={weight}", f"train.epochs={epochs}")
        with view_for(sys.stdout) as view:
            run = pdedsl.train("convection_diffusion", OUT / name, set=changes, listeners=(view,))
        u = torch.nn.Sequential(run.module, torch.nn.Softmax(-1))
        robust = (u(pgd(run.module, x, y, Draws(0, 0))).argmax(-1) == y).double().mean()
        shape = boundary_measures(u, BOX)
        natural = run.figures["test_accuracy"]
        rows.append(f"| {title} | {natural:.1%} | {robust:.1%} | {shape.length:.2f} | {shape.total_curvature:.2f} |")
        panels.append(Panel(title, u, x, y))
    plot_boundaries(panels, OUT / "boundaries.png", box=BOX)
    (OUT / "report.md").write_text(REPORT.format(rows="\n".join(rows)), "utf-8")
    print("", "accuracy", "under PGD-20", "length", "curvature", sep=" | ")
    print(*rows, f"The comparison is in {OUT}/report.md, its picture in {OUT}/boundaries.png.", sep="\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
