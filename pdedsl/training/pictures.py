"""What a finished run leaves for people: final figures, curves, the decision boundary in the plane, a report."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import torch
from torch import Tensor

from pdedsl.compilation import Compilation
from pdedsl.data.sets import Data, Split
from pdedsl.diagnostics import Source
from pdedsl.measures.assess import assess
from pdedsl.measures.boundary import Panel, plot_boundaries
from pdedsl.quoting import command
from pdedsl.runtime.streams import frozen
from pdedsl.training.config import TrainConfig
from pdedsl.training.curves import plot_curves
from pdedsl.training.engine import Engine
from pdedsl.training.events import Ended, Finishing, Listener
from pdedsl.training.log import read_metrics
from pdedsl.training.report import Result, Summary, write_report
from pdedsl.words.blocks import Block

ENTRIES = ("schedule", "augment", "adversary", "regularize", "constrain", "precision")
GRIDS = (128, 96, 64, 48, 32)  # points per side of the grid for the boundary
TRIED, SECONDS = 512, 1.5  # points that are timed, and seconds that evaluating a grid may take
MOST = 10_000  # training samples in the final figures, at most
USAGE = """import pdedsl

run = pdedsl.Run.open({folder!r})
probabilities = run.module(x).softmax(-1)  # x: {shape}
"""


def finish(
    compilation: Compilation, config: TrainConfig, engine: Engine, folder: Path, ended: Ended, tell: Listener
) -> dict[str, float]:
    """The final figures; the first process also writes pictures and a report. Each task is announced first."""
    tell(Finishing("last figures"))
    results = [_result(name, split, engine) for name, split in _splits(engine.data)]
    known = [(f"{r.split}_{key}", getattr(r, key)) for r in results for key in ("loss", "accuracy", "evaluations")]
    figures = {name: float(value) for name, value in known if value is not None}
    if engine.world.first:
        spec = compilation.spec
        attacked = config.adversary is not None
        tell(Finishing("curves"))
        plot_curves(read_metrics(folder / "metrics.jsonl"), folder / "curves.png", spec.name, attacked)
        if engine.data.shape == (2,):
            x, y = engine.data.test.batch(slice(None), engine.world.device, engine.dtype)
            panel = Panel(spec.name, lambda p: _probabilities(engine, p), x, y)
            tell(Finishing("decision boundary"))
            plot_boundaries([panel], folder / "boundary.png", _points_a_side(engine, x))
        write_report(folder, _summary(compilation, config, engine, folder, ended, tuple(results)))
    engine.world.wait()
    return figures


def _points_a_side(engine: Engine, x: Tensor) -> int:
    """The finest grid that takes little time to evaluate; tracing the boundary lines takes about as long again."""
    began = perf_counter()
    with torch.no_grad(), frozen(engine.model):
        _probabilities(engine, x[:1].expand(TRIED, -1))
    return finest_grid((perf_counter() - began) / TRIED)


def finest_grid(each: float) -> int:
    """Points per side of the finest grid whose points, at `each` seconds, take at most `SECONDS`; else the coarsest."""
    return next((n for n in GRIDS if each * n**2 <= SECONDS), GRIDS[-1])


def _splits(data: Data) -> list[tuple[str, Split]]:
    train = data.train if len(data.train) <= MOST else Split(data.train.inputs[:MOST], data.train.labels[:MOST])
    aside = [("validation", data.validation)] if data.validation is not None else []
    return [("train", train), *aside, ("test", data.test)]


def _result(name: str, split: Split, engine: Engine) -> Result:
    return Result(name, *assess(engine.model, split, engine.world, engine.dtype))


def _probabilities(engine: Engine, points: Tensor) -> Tensor:
    scores: Tensor = engine.model.eval()(points.to(engine.world.device, engine.dtype))
    return scores.softmax(-1)


def _summary(
    compilation: Compilation,
    config: TrainConfig,
    engine: Engine,
    folder: Path,
    ended: Ended,
    results: tuple[Result, ...],
) -> Summary:
    spec = compilation.spec
    block = spec.train
    assert block is not None
    shape = ", ".join(("n", *map(str, engine.data.shape)))
    return Summary(
        name=spec.name,
        title=spec.title,
        hash=spec.hash,
        equation=spec.source.text,
        data=_written(block, "data", spec.source),
        epochs=sum(p.epochs for p in engine.phases),
        batch=config.batch,
        optimizer=_written(block, "optimizer", spec.source) or f"{block.optimizer[0].word.brief}, by default",
        parameters=sum(p.numel() for p in engine.model.parameters()),
        steps=engine.end,
        seconds=ended.seconds,
        outcome=ended.outcome,
        results=results,
        usage=USAGE.format(folder=str(folder), shape=f"({shape})"),
        resume=_longer(config, folder),
        entries=tuple((key, text) for key in ENTRIES if (text := _written(block, key, spec.source))),
        notes=tuple(f"by default: {default}" for default in config.defaults),
    )


def _longer(config: TrainConfig, folder: Path) -> str:
    """The command that continues the training."""
    length = f"train.steps={2 * config.steps}" if config.steps else f"train.epochs={2 * (config.epochs or 1)}"
    spec = str(folder / "spec.pde")
    return command("pdedsl", "train", spec, "-o", folder, "--resume", "--set", length)


def _written(block: Block, key: str, source: Source) -> str:
    """The values of an entry, in the words of the spec."""
    return ", ".join(source.quote(place) for place in block.places.get(key, ()))
