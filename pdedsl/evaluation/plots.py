"""Plots of an evaluation: robust accuracy vs. ε, certified accuracy vs. ℓ2 radius, loss landscape, confusion matrix,
reliability diagram, adversarial examples, weight magnitudes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from pdedsl.attacks import Predictor
from pdedsl.config.blocks import EvaluateBlock, Plot
from pdedsl.config.evaluation import NormOrder
from pdedsl.diagnostics import escaping
from pdedsl.evaluation.engine import EvaluationEngine
from pdedsl.evaluation.measure import run_attack
from pdedsl.evaluation.protocol import eps_of, sweep
from pdedsl.evaluation.report import Proportion, Report
from pdedsl.runs.decision_boundary import Panel, plot_boundaries
from pdedsl.runs.figure_style import GREY, INK, PALETTE, new_figure, save_figure
from pdedsl.runs.metrics import read_metrics
from pdedsl.runs.plots import plot_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_IMAGES = 8
"""Columns in the plot of adversarial examples."""


@dataclass(frozen=True)
class PlotInputs:
    """Data of the plots."""

    report: Report
    engine: EvaluationEngine
    block: EvaluateBlock
    classes: Sequence[str]
    run: Path


PlotFunction = Callable[["PlotInputs", Path], None]


def write_plots(scene: PlotInputs, folder: Path) -> tuple[tuple[str, str], ...]:
    """Write every plot that applies; returns file names and captions."""
    written = []
    for name, caption, applies, plot in PLOTS:
        if applies(scene):
            plot(scene, folder / name)
            written.append((name, caption))
        else:
            (folder / name).unlink(missing_ok=True)
    return tuple(written)


def _axes(figure: Figure, x: str, y: str) -> Axes:
    ax = figure.subplots()
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True)
    return ax


def _error_bars(accuracies: Sequence[Proportion]) -> list[list[float]]:
    """Distances of the values from the ends of their confidence intervals, as `errorbar` takes them."""
    return [[a.value - a.low for a in accuracies], [a.high - a.value for a in accuracies]]


def _robust_accuracy(scene: PlotInputs, path: Path) -> None:
    """With 95 % confidence intervals; every curve begins at the clean accuracy, ε = 0."""
    figure = new_figure(6, 4)
    ax = _axes(figure, "ε", "Robust accuracy")
    clean = scene.report.clean.accuracy
    for name, norm in dict.fromkeys((r.attack.partition("(")[0], r.norm) for r in scene.report.robust if r.eps):
        points = [(0.0, clean)]
        points += [
            (r.eps, r.accuracy)
            for r in scene.report.robust
            if r.eps and (r.attack.partition("(")[0], r.norm) == (name, norm)
        ]
        eps, accuracies = zip(*sorted(points, key=lambda point: point[0]), strict=True)
        ax.errorbar(
            eps,
            [a.value for a in accuracies],
            _error_bars(accuracies),
            marker="o",
            capsize=3,
            label=f"{name}, {NormOrder(norm).sign}",
        )
    ax.set_ylim(0, 1)
    ax.legend(frameon=False)
    save_figure(figure, path)


def _certified_accuracy(scene: PlotInputs, path: Path) -> None:
    figure = new_figure(6, 4)
    ax = _axes(figure, "ℓ2 radius", "Certified accuracy")
    for certified in scene.report.certified:
        radii, accuracies = zip(*certified.accuracies, strict=True)
        label = certified.certificate.partition("(")[0].replace("_", " ") + (
            "" if certified.sound else " (estimate, not a guarantee)"
        )
        style = "-" if certified.sound else "--"
        ax.step(radii, [a.value for a in accuracies], where="pre", label=label, linestyle=style)
        ax.fill_between(radii, [a.low for a in accuracies], [a.high for a in accuracies], step="pre", alpha=0.2)
    ax.set_ylim(0, 1)
    ax.legend(frameon=False)
    save_figure(figure, path)


def _landscape(scene: PlotInputs, path: Path) -> None:
    """One line per sample and their median, on the same scale along the gradient and along a random direction."""
    audits = scene.report.audits
    figure = new_figure(8, 3.2 * len(audits))
    for pair, audit in zip(figure.subplots(len(audits), 2, sharey="row", squeeze=False), audits, strict=True):
        landscape = audit.landscape
        steps = [size / audit.eps for size in landscape.sizes]
        directions = ((landscape.along, "Gradient direction"), (landscape.across, "Random direction"))
        for ax, (lines, name) in zip(pair, directions, strict=True):
            ax.plot(steps, list(zip(*lines, strict=True)), color=PALETTE[0], alpha=0.25, linewidth=0.8)
            ax.plot(steps, [median(losses) for losses in zip(*lines, strict=True)], color=PALETTE[0], linewidth=2)
            ax.axhline(0.0, color=GREY, linewidth=1)
            ax.set_title(name)
            ax.set_xlabel(f"Step size / ε (ε = {audit.eps:.3g}, {NormOrder(audit.norm).sign})")
            ax.grid(True)
        pair[0].set_ylabel(r"Loss $\log\,((1-p_y)\,/\,p_y)$")
    save_figure(figure, path)


def _confusion(scene: PlotInputs, path: Path) -> None:
    table = torch.tensor(scene.report.clean.confusion, dtype=torch.float64)
    size = max(4.0, 0.6 * len(table))
    figure = new_figure(size, size)
    ax = figure.subplots()
    fractions = table / table.sum(1, keepdim=True).clamp_min(1.0)  # of each true class
    ax.imshow(fractions.numpy(), cmap="Blues", vmin=0, vmax=1)
    for i, row in enumerate(table.tolist()):
        for j, count in enumerate(row):
            if count and len(table) <= 20:
                ax.text(j, i, f"{count:.0f}", ha="center", va="center", color="white" if fractions[i, j] > 0.5 else INK)
    names = [escaping.caption(name) for name in scene.classes]
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
    ax.set_yticks(range(len(names)), names)
    ax.set_xlabel("Predicted label")
    ax.set_ylabel("True label")
    save_figure(figure, path)


def _reliability(scene: PlotInputs, path: Path) -> None:
    """Accuracy against confidence, above the number of samples in each bin."""
    figure = new_figure(4.5, 5.5)
    ax, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    bins = scene.report.clean.bins
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1)
    accuracies = [b.accuracy for b in bins]
    confidences, values = [b.confidence for b in bins], [a.value for a in accuracies]
    ax.errorbar(confidences, values, _error_bars(accuracies), marker="o", capsize=3)
    ax.set(xlim=(0, 1.02), ylim=(0, 1.02), ylabel="Accuracy")
    bars = below.bar(confidences, [a.n for a in accuracies], width=0.05, color=PALETTE[0], alpha=0.7)
    below.bar_label(bars, fontsize=7)
    below.set(xlabel="Confidence", ylabel="Samples")
    below.margins(y=0.3)
    for each in (ax, below):
        each.grid(True)
    save_figure(figure, path)


def _weights(scene: PlotInputs, path: Path) -> None:
    weights = scene.report.weights
    assert weights is not None
    figure = new_figure(6, 3.5)
    ax = _axes(figure, "log₁₀ |w|", "Number of weights")
    ax.stairs(weights.counts, weights.edges, fill=True, alpha=0.7)
    save_figure(figure, path)


def _adversarial_examples(scene: PlotInputs, path: Path) -> None:
    """Clean images, adversarial examples of one attack, and magnified perturbations. The attack is the last one with an
    ε, since minimum-norm attacks take long; if none has an ε, the last one."""
    engine, attacks = scene.engine, [attack for chosen in scene.block.attack for attack in sweep(chosen.config)]
    attack = next((attack for attack in reversed(attacks) if eps_of(attack) is not None), attacks[-1])
    x = engine.x[:MAX_IMAGES].to(engine.world.device)
    y = engine.y[:MAX_IMAGES].to(engine.world.device)
    result = run_attack(attack, Predictor(engine.subject.model, eot=attack.eot), x, y, engine.subject.box, engine.seed)
    perturbation = result.x - x
    largest = perturbation.abs().amax().clamp_min(1e-12)
    rows = [
        ("clean", x),
        (attack.name if (eps := eps_of(attack)) is None else f"{attack.name}, ε = {eps:.3g}", result.x),
        (f"perturbation × {0.5 / largest.item():.3g}", 0.5 + 0.5 * perturbation / largest),
    ]
    figure = new_figure(1.5 * len(x) + 0.8, 4.8)
    grid = figure.subplots(3, len(x), squeeze=False)
    for axes, (label, images) in zip(grid, rows, strict=True):
        axes[0].set_ylabel(label, fontsize=8)
        for ax, image in zip(axes, images, strict=True):
            _image(ax, image)
    titles = adversarial_titles(engine, x, result.x, y, scene.classes)
    for ax, title in zip(grid[1], titles, strict=True):
        ax.set_title(title, fontsize=7)
    save_figure(figure, path)


def adversarial_titles(
    engine: EvaluationEngine, x: Tensor, attacked: Tensor, y: Tensor, classes: Sequence[str]
) -> list[str]:
    """The label and the class predicted for the adversarial example with its probability, `4 → 9 (0.87)`."""
    predictor = Predictor(engine.subject.model)
    with torch.no_grad(), predictor.frozen(x, engine.seed):
        before, after = (predictor.predict(images).softmax(-1) for images in (x, attacked))
    names = [escaping.caption(name) for name in classes]
    titles = []
    for label, clean, probabilities in zip(y.tolist(), before.argmax(-1).tolist(), after, strict=True):
        predicted = int(probabilities.argmax())
        confidence = f"({float(probabilities[predicted]):.2f})"
        if predicted == label:
            titles.append(f"{names[label]}, robust {confidence}")
        elif clean != label:
            titles.append(f"{names[label]} → {names[predicted]} {confidence}, without attack")
        else:
            titles.append(f"{names[label]} → {names[predicted]} {confidence}")
    return titles


def _image(ax: Axes, image: Tensor) -> None:
    pixels = image.detach().cpu().clamp(0, 1).permute(1, 2, 0).numpy()
    grey = pixels.shape[2] == 1
    ax.imshow(pixels[:, :, 0] if grey else pixels, cmap="gray" if grey else None, vmin=0, vmax=1)
    ax.set_xticks([])
    ax.set_yticks([])


def _boundary(scene: PlotInputs, path: Path) -> None:
    engine = scene.engine

    def probabilities(points: Tensor) -> Tensor:
        return engine.subject.model(points.to(engine.x)).softmax(-1)

    plot_boundaries([Panel(scene.report.name, probabilities, engine.x, engine.y)], path)


def _curves(scene: PlotInputs, path: Path) -> None:
    plot_curves(read_metrics(scene.run / "metrics.jsonl"), path, scene.report.name)


def _has_eps(scene: PlotInputs) -> bool:
    return any(r.eps for r in scene.report.robust)


def _has_images(scene: PlotInputs) -> bool:
    return scene.engine.x.dim() == 4 and scene.engine.x.shape[1] in (1, 3) and bool(scene.block.attack)


PLOTS: tuple[tuple[str, str, Callable[[PlotInputs], bool], PlotFunction], ...] = (
    ("attacks.png", "Robust accuracy vs. ε, with 95 % Clopper-Pearson intervals", _has_eps, _robust_accuracy),
    (
        "landscape.png",
        "Loss landscape along the gradient and along a random direction: samples (thin) and median (thick)",
        lambda s: bool(s.report.audits),
        _landscape,
    ),
    (
        "radii.png",
        "Certified accuracy vs. ℓ2 radius, with 95 % Clopper-Pearson intervals",
        lambda s: bool(s.report.certified),
        _certified_accuracy,
    ),
    ("samples.png", "Clean images, adversarial examples, perturbations", _has_images, _adversarial_examples),
    ("confusion.png", "Confusion matrix", lambda s: len(s.classes) <= 100, _confusion),
    ("reliability.png", "Reliability diagram, with 95 % Clopper-Pearson intervals", lambda s: True, _reliability),
    ("weights.png", "Histogram of weight magnitudes", lambda s: s.report.weights is not None, _weights),
    (
        "boundary.png",
        "Class probabilities, decision boundary and test samples",
        lambda s: s.engine.x.shape[1:] == (2,),
        _boundary,
    ),
    ("curves.png", "Training curves: loss and accuracy", lambda s: Plot.CURVES in s.block.plot, _curves),
)
