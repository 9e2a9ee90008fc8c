"""Results of a training run: final metrics, plots, and report.md with experiment, results, plots and usage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import torch
from torch import Tensor

from pdedsl.compiler import Compilation
from pdedsl.config.blocks import TrainBlock
from pdedsl.data.splits import Data, Split
from pdedsl.diagnostics.escaping import command
from pdedsl.document import CodeBlock, Element, Heading, Items, Paragraph, Picture, Table, markdown
from pdedsl.io import write_text_atomically
from pdedsl.runs.decision_boundary import Panel, plot_boundaries
from pdedsl.runs.events import Ended, Finishing, Listener
from pdedsl.runs.experiment import default_settings
from pdedsl.runs.metrics import compute_metrics, read_metrics
from pdedsl.runs.plots import plot_curves
from pdedsl.runs.progress import count, duration, number, percent
from pdedsl.runtime.rng import frozen_noise
from pdedsl.training.engine import TrainingEngine

PLOTS = {
    "curves.png": "Training curves: loss, accuracy and learning rate vs. step",
    "boundary.png": "Class probabilities, decision boundary and test samples",
}


@dataclass(frozen=True)
class SplitMetrics:
    """Final metrics on one split of the data; None if unknown."""

    split: str
    loss: float | None
    accuracy: float | None
    evaluations: float | None = None


# ---- Final metrics, plots and report

ENTRIES = (
    *("schedule", "augment", "adversary", "regularize", "constrain", "precision"),
    *("clip", "accumulate", "perturb", "average", "select"),
)
GRIDS = (128, 96, 64, 48, 32)  # points per dimension of the grid for the decision boundary
TIMED_POINTS, MAX_SECONDS = 512, 1.5  # for the choice of the grid: points timed, time allowed for the grid
MAX_TRAIN_SAMPLES = 10_000  # in the final training metrics
USAGE = """import pdedsl

run = pdedsl.Run.open({folder!r})
probabilities = run.module(x).softmax(-1)  # x: {shape}
"""


def write_results(
    compilation: Compilation, config: TrainBlock, engine: TrainingEngine, folder: Path, ended: Ended, notify: Listener
) -> dict[str, float]:
    """The final metrics; the first process also writes the plots and the report, and notifies the listener."""
    notify(Finishing("computing final metrics"))
    results = [_split_metrics(name, split, engine) for name, split in _final_splits(engine.data)]
    values = [(f"{r.split}_{key}", getattr(r, key)) for r in results for key in ("loss", "accuracy", "evaluations")]
    metrics = {name: float(value) for name, value in values if value is not None}
    if engine.world.is_main:
        spec = compilation.spec
        adversarial = config.adversary is not None
        notify(Finishing("plotting training curves"))
        plot_curves(read_metrics(folder / "metrics.jsonl"), folder / "curves.png", spec.name, adversarial)
        if engine.data.shape == (2,):
            x, y = engine.data.test.batch(slice(None), engine.world.device, engine.dtype)
            panel = Panel(spec.name, lambda p: _probabilities(engine, p), x, y)
            notify(Finishing("plotting decision boundary"))
            with frozen_noise(engine.model):  # else the saved state of the noise depends on the size of the grid
                plot_boundaries([panel], folder / "boundary.png", _grid_size(engine, x))
        elements = report_elements(compilation, config, engine, folder, ended, results)
        write_text_atomically(folder / "report.md", markdown(elements))
    engine.world.barrier()
    return metrics


def _grid_size(engine: TrainingEngine, x: Tensor) -> int:
    """The finest grid within the time limit; tracing the boundary lines takes about as long again."""
    began = perf_counter()
    with torch.no_grad(), frozen_noise(engine.model):
        _probabilities(engine, x[:1].expand(TIMED_POINTS, -1))
    return finest_grid((perf_counter() - began) / TIMED_POINTS)


def finest_grid(each: float) -> int:
    """Points per dimension of the finest grid that takes at most MAX_SECONDS at `each` seconds per point."""
    return next((n for n in GRIDS if each * n**2 <= MAX_SECONDS), GRIDS[-1])


def _final_splits(data: Data) -> list[tuple[str, Split]]:
    train = (
        data.train
        if len(data.train) <= MAX_TRAIN_SAMPLES
        else Split(data.train.inputs[:MAX_TRAIN_SAMPLES], data.train.labels[:MAX_TRAIN_SAMPLES])
    )
    validation = [("validation", data.validation)] if data.validation is not None else []
    return [("train", train), *validation, ("test", data.test)]


def _split_metrics(name: str, split: Split, engine: TrainingEngine) -> SplitMetrics:
    return SplitMetrics(name, *compute_metrics(engine.model, split, engine.world, engine.dtype))


def _probabilities(engine: TrainingEngine, points: Tensor) -> Tensor:
    scores: Tensor = engine.model.eval()(points.to(engine.world.device, engine.dtype))
    return scores.softmax(-1)


def report_elements(
    compilation: Compilation,
    config: TrainBlock,
    engine: TrainingEngine,
    folder: Path,
    ended: Ended,
    results: Sequence[SplitMetrics],
) -> list[Element]:
    """The report of a run, with the plots in its folder."""
    spec, block = compilation.spec, compilation.spec.train
    assert block is not None
    written = {key: ", ".join(map(spec.source.quote, places)) for key, places in block.places.items()}
    facts = (
        ("Data set", written.get("data", "")),
        ("Epochs", f"{sum(p.epochs for p in engine.phases):g}"),
        ("Batch size", f"{config.batch:,}"),
        ("Optimizer", written.get("optimizer") or f"{block.optimizer[0].config.brief} (default)"),
        *((key.capitalize(), written[key]) for key in ENTRIES if written.get(key)),
        ("Parameters", f"{sum(p.numel() for p in engine.model.parameters()):,}"),
        ("Steps", f"{engine.end:,}"),
        ("Training time (h:mm:ss)", duration(ended.seconds)),
        ("Outcome", ended.outcome),
        ("Spec hash", spec.hash),
    )
    shape = ", ".join(("n", *map(str, engine.data.shape)))
    return [
        Heading(spec.name, 1),
        Paragraph(spec.title),
        CodeBlock(spec.source.text, "pde"),
        Heading("Experiment"),
        Table(("", ""), facts),
        Items(tuple(f"default used: {default}" for default in default_settings(spec, config))),
        Heading("Results"),
        results_table(results),
        *(Picture(name, caption) for name, caption in PLOTS.items() if (folder / name).is_file()),
        Heading("Usage"),
        CodeBlock(USAGE.format(folder=str(folder), shape=f"({shape})"), "python"),
        Heading("Continue training"),
        CodeBlock(_continue_command(config, folder), "sh"),
    ]


def _continue_command(config: TrainBlock, folder: Path) -> str:
    """The command that continues training to twice its length."""
    length = f"train.steps={2 * config.steps}" if config.steps else f"train.epochs={2 * (config.epochs or 1)}"
    spec = str(folder / "spec.pde")
    return command("pdedsl", "train", spec, "-o", folder, "--resume", "--set", length)


def results_table(results: Sequence[SplitMetrics]) -> Table:
    """Accuracy and loss per split; with adaptive solvers, also the number of function evaluations."""
    head: tuple[str, ...] = ("Split", "Accuracy", "Cross-entropy")
    rows: list[tuple[str, ...]] = [(r.split, percent(r.accuracy), number(r.loss)) for r in results]
    if any(r.evaluations is not None for r in results):
        head = (*head, "Function evaluations per sample")
        rows = [(*row, count(r.evaluations)) for row, r in zip(rows, results, strict=True)]
    return Table(head, tuple(rows))
