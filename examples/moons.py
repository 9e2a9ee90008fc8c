"""The half-moon data set, classified by transport without and with diffusion: robust and certified accuracy, plots.

Run by `make demo`; the runs are in demo/plain and demo/diffusion, the comparison in demo/report.html.
"""

import shutil
import sys
from pathlib import Path

import torch

import pdedsl
from pdedsl.config.base import Located
from pdedsl.config.data import Moons
from pdedsl.data.load import load
from pdedsl.evaluation.compare import write_comparison
from pdedsl.runs.decision_boundary import Panel, boundary_measures, plot_boundaries
from pdedsl.runs.progress import ProgressDisplay

OUT, BOX = Path("demo"), (-2.0, 3.0, -1.5, 2.0)
RUNS = {"plain": ("without diffusion", 0.0), "diffusion": ("with diffusion", 0.1)}
REPORT = """# Half-moons, without and with diffusion

`convection_diffusion.pde`, trained without and with the residual of ∂u/∂t = σ²Δu in its loss; {subset} test points.

| | clean accuracy | robust accuracy, PGD-20, ε = 0.2 | length of the decision boundary | total curvature |
| --- | --- | --- | --- | --- |
{rows}

![Decision boundary without and with diffusion](boundaries.png)

Comparison: [report.html](report.html). Runs: [plain](plain/report.md), [diffusion](diffusion/report.md).
"""


def main(epochs: int = 200, subset: int = 200) -> None:
    torch.set_num_threads(1)  # small matrices
    x, y = load(Located(Moons(noise=0.3)), None).test.batch(slice(None))
    rows, panels = [], []
    for name, (title, weight) in RUNS.items():
        shutil.rmtree(OUT / name, ignore_errors=True)
        changes = (f"realize.diffusion.weight={weight}", f"train.epochs={epochs}")
        with ProgressDisplay(sys.stdout) as display:
            run = pdedsl.train("convection_diffusion", OUT / name, set=changes, listeners=(display,))
        found = pdedsl.evaluate_run(OUT / name, subset=subset)
        u = torch.nn.Sequential(run.module, torch.nn.Softmax(-1))
        shape, (pgd,) = boundary_measures(u, BOX), found.robust
        metrics = f"{found.clean.accuracy} | {pgd.accuracy} | {shape.length:.2f} | {shape.total_curvature:.2f}"
        rows.append(f"| {title} | {metrics} |")
        panels.append(Panel(title, u, x, y))
    plot_boundaries(panels, OUT / "boundaries.png", box=BOX)
    (OUT / "report.md").write_text(REPORT.format(rows="\n".join(rows), subset=subset), "utf-8")
    write_comparison([OUT / name for name in RUNS], OUT / "report.html", None)
    print("", "clean accuracy", "robust accuracy (PGD-20)", "boundary length", "total curvature", sep=" | ")
    print(*rows, f"The comparison is in {OUT}/report.html, the decision boundaries in {OUT}/boundaries.png.", sep="\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
