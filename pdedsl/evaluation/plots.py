"""Pictures of an evaluation: robustness over ε, certified accuracy over radii, confusion, reliability, attacks."""

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
from pdedsl.config.evaluation import Norm
from pdedsl.diagnostics import escaping
from pdedsl.evaluation.attacks import attacked, eot_of
from pdedsl.evaluation.engine import Engine
from pdedsl.evaluation.protocol import eps_of, sweep
from pdedsl.evaluation.report import Report
from pdedsl.io import replace_with
from pdedsl.runs.decision_boundary import INK, Panel, plot_boundaries
from pdedsl.training.metrics import read_metrics
from pdedsl.training.plots import plot_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = 8
"""Samples in the picture of adversaries."""


@dataclass(frozen=True)
class Scene:
    """What the pictures are drawn from."""

    report: Report
    engine: Engine
    block: EvaluateBlock
    classes: Sequence[str]
    run: Path


Drawing = Callable[["Scene", Path], None]


def draw(scene: Scene, folder: Path) -> tuple[tuple[str, str], ...]:
    """Draw every picture that applies; returns the names of the files and what they show."""
    drawn = []
    for name, caption, applies, drawing in PICTURES:
        if applies(scene):
            drawing(scene, folder / name)
            drawn.append((name, caption))
        else:
            (folder / name).unlink(missing_ok=True)
    return tuple(drawn)


def _figure(width: float, height: float) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _written(figure: Figure, path: Path) -> None:
    replace_with(path, lambda part: figure.savefig(part, format="png", dpi=120))


def _axes(figure: Figure, x: str, y: str) -> Axes:
    ax = figure.subplots()
    ax.set_xlabel(x, color=INK)
    ax.set_ylabel(y, color=INK)
    ax.grid(alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _over_eps(scene: Scene, path: Path) -> None:
    """Accuracy with its interval; every curve begins at the accuracy without an attack."""
    figure = _figure(6, 4)
    ax = _axes(figure, "ε", "accuracy")
    clean = scene.report.clean.accuracy
    for name, norm in dict.fromkeys((r.attack.partition("(")[0], r.norm) for r in scene.report.robust if r.eps):
        points = [(0.0, clean)]
        points += [
            (r.eps, r.accuracy)
            for r in scene.report.robust
            if r.eps and (r.attack.partition("(")[0], r.norm) == (name, norm)
        ]
        eps, shares = zip(*sorted(points, key=lambda point: point[0]), strict=True)
        low, high = ([abs(getattr(s, side) - s.value) for s in shares] for side in ("low", "high"))
        ax.errorbar(
            eps,
            [s.value for s in shares],
            [low, high],
            marker="o",
            capsize=3,
            label=f"{name}, {Norm(norm).sign}",
        )
    ax.set_ylim(0, 1)
    ax.legend(frameon=False)
    _written(figure, path)


def _over_radii(scene: Scene, path: Path) -> None:
    figure = _figure(6, 4)
    ax = _axes(figure, "radius in ℓ2", "right and certified")
    for certified in scene.report.certified:
        radii, shares = zip(*certified.accuracies, strict=True)
        label = certified.certificate.partition("(")[0] + ("" if certified.sound else " (estimate)")
        ax.step(radii, [s.value for s in shares], where="pre", label=label, linestyle="-" if certified.sound else "--")
        ax.fill_between(radii, [s.low for s in shares], [s.high for s in shares], step="pre", alpha=0.2)
    ax.set_ylim(0, 1)
    ax.legend(frameon=False)
    _written(figure, path)


def _landscape(scene: Scene, path: Path) -> None:
    """One line per sample and their median, on the same scale along the gradient and along a random direction."""
    doubts = scene.report.doubts
    figure = _figure(8, 3.2 * len(doubts))
    for pair, doubt in zip(figure.subplots(len(doubts), 2, sharey="row", squeeze=False), doubts, strict=True):
        seen = doubt.landscape
        steps = [size / doubt.eps for size in seen.sizes]
        sides = ((seen.along, "the gradient"), (seen.across, "a random direction"))
        for ax, (lines, name) in zip(pair, sides, strict=True):
            ax.plot(steps, list(zip(*lines, strict=True)), color="tab:blue", alpha=0.25, linewidth=0.8)
            ax.plot(steps, [median(losses) for losses in zip(*lines, strict=True)], color="tab:blue", linewidth=2)
            ax.axhline(0.0, color="#aaaaaa", linewidth=1)
            ax.set_title(f"along {name}", fontsize=9, color=INK)
            ax.set_xlabel(f"step in units of ε = {doubt.eps:.3g}, {Norm(doubt.norm).sign}", color=INK)
            ax.grid(alpha=0.25)
        pair[0].set_ylabel("log odds against the class", color=INK)
    _written(figure, path)


def _confusion(scene: Scene, path: Path) -> None:
    table = torch.tensor(scene.report.clean.confusion, dtype=torch.float64)
    size = max(4.0, 0.6 * len(table))
    figure = _figure(size, size)
    ax = figure.subplots()
    shares = table / table.sum(1, keepdim=True).clamp_min(1.0)
    ax.imshow(shares.numpy(), cmap="Blues", vmin=0, vmax=1)
    for i, row in enumerate(table.tolist()):
        for j, count in enumerate(row):
            if count and len(table) <= 20:
                ax.text(j, i, f"{count:.0f}", ha="center", va="center", color="white" if shares[i, j] > 0.5 else INK)
    names = [escaping.caption(name) for name in scene.classes]
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
    ax.set_yticks(range(len(names)), names)
    ax.set_xlabel("called", color=INK)
    ax.set_ylabel("is", color=INK)
    _written(figure, path)


def _reliability(scene: Scene, path: Path) -> None:
    figure = _figure(4.5, 4.5)
    ax = _axes(figure, "probability that is given", "share that is right")
    bins = scene.report.clean.bins
    ax.plot([0, 1], [0, 1], color="#aaaaaa", linewidth=1)
    shares = [b.accuracy for b in bins]
    low, high = ([abs(getattr(s, side) - s.value) for s in shares] for side in ("low", "high"))
    ax.errorbar([b.confidence for b in bins], [s.value for s in shares], [low, high], marker="o", capsize=3)
    ax.set(xlim=(0, 1.02), ylim=(0, 1.02))
    _written(figure, path)


def _weights(scene: Scene, path: Path) -> None:
    weights = scene.report.weights
    assert weights is not None
    figure = _figure(6, 3.5)
    ax = _axes(figure, "log₁₀ |w|", "weights")
    ax.stairs(weights.counts, weights.edges, fill=True, alpha=0.7)
    _written(figure, path)


def _samples(scene: Scene, path: Path) -> None:
    """Samples, their adversarial versions under one attack, and the magnified difference. The attack is the last in the
    block with an ε, since searches for the nearest adversarial example take long; if none has an ε, the last one."""
    engine, words = scene.engine, [word for chosen in scene.block.attack for word in sweep(chosen.word)]
    word = next((word for word in reversed(words) if eps_of(word) is not None), words[-1])
    x = engine.x[:SHOWN].to(engine.world.device)
    y = engine.y[:SHOWN].to(engine.world.device)
    result = attacked(word, Predictor(engine.subject.model, eot=eot_of(word)), x, y, engine.subject.box, engine.seed)
    away = result.x - x
    largest = away.abs().amax().clamp_min(1e-12)
    rows = [
        ("sample", x),
        (word.name if (eps := eps_of(word)) is None else f"{word.name}, ε = {eps:.3g}", result.x),
        (f"difference × {0.5 / largest.item():.3g}", 0.5 + 0.5 * away / largest),
    ]
    figure = _figure(1.2 * len(x) + 0.8, 4.2)
    grid = figure.subplots(3, len(x), squeeze=False)
    for axes, (label, images) in zip(grid, rows, strict=True):
        axes[0].set_ylabel(label, fontsize=8, color=INK)
        for ax, image in zip(axes, images, strict=True):
            _image(ax, image)
    moved = away.flatten(1).any(1).tolist()
    for ax, fooled, changed in zip(grid[1], result.fooled.tolist(), moved, strict=True):
        ax.set_title("holds" if not fooled else "fooled" if changed else "wrong before", fontsize=7, color=INK)
    _written(figure, path)


def _image(ax: Axes, image: Tensor) -> None:
    pixels = image.detach().cpu().clamp(0, 1).permute(1, 2, 0).numpy()
    grey = pixels.shape[2] == 1
    ax.imshow(pixels[:, :, 0] if grey else pixels, cmap="gray" if grey else None, vmin=0, vmax=1)
    ax.set_xticks([])
    ax.set_yticks([])


def _boundary(scene: Scene, path: Path) -> None:
    engine = scene.engine

    def probabilities(points: Tensor) -> Tensor:
        return engine.subject.model(points.to(engine.x)).softmax(-1)

    plot_boundaries([Panel(scene.report.name, probabilities, engine.x, engine.y)], path)


def _curves(scene: Scene, path: Path) -> None:
    plot_curves(read_metrics(scene.run / "metrics.jsonl"), path, scene.report.name)


def _is_images(scene: Scene) -> bool:
    return scene.engine.x.dim() == 4 and scene.engine.x.shape[1] in (1, 3) and bool(scene.block.attack)


PICTURES: tuple[tuple[str, str, Callable[[Scene], bool], Drawing], ...] = (
    ("attacks.png", "Accuracy under attack over ε", lambda s: any(r.eps for r in s.report.robust), _over_eps),
    (
        "landscape.png",
        "The loss around samples; where gradients are sound, it is smooth and rises along them",
        lambda s: bool(s.report.doubts),
        _landscape,
    ),
    ("radii.png", "Certified accuracy over the radius", lambda s: bool(s.report.certified), _over_radii),
    ("samples.png", "Samples, adversaries, and their difference", _is_images, _samples),
    ("confusion.png", "What is called what", lambda s: len(s.classes) <= 100, _confusion),
    ("reliability.png", "How often a given probability is right", lambda s: True, _reliability),
    ("weights.png", "Sizes of the weights", lambda s: s.report.weights is not None, _weights),
    ("boundary.png", "Probabilities, decision boundary and data", lambda s: s.engine.x.shape[1:] == (2,), _boundary),
    ("curves.png", "Loss and accuracy in training", lambda s: Plot.CURVES in s.block.plot, _curves),
)
