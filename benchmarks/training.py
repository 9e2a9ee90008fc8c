"""The training loop against a bare loop over the same model, data, batches and optimizer. Ratios, in one run.

    python benchmarks/training.py [--rounds 8] [--threads 1] [--steps STEPS]

The loop of pdedsl also reports, can be interrupted and resumes exactly. Goal: at most 3 % more time. Interleaved
runs of a number of steps each; the ratio is the median over rounds.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

import pdedsl
from pdedsl.config.training import CrossEntropy
from pdedsl.data.splits import Data, Split
from pdedsl.runs.distributed import World
from pdedsl.runs.experiment import config_of
from pdedsl.sources import source_of
from pdedsl.training.engine import TrainingEngine
from pdedsl.training.loop import TrainingLoop
from pdedsl.training.phases import training_phases

CASES = {
    "resnet20, 28x28, batch 64": ("resnet", (1, 28, 28), 10, 10, ("train.batch=64", "train.augment=")),
    "mlp on the plane, batch 128": ("convection_diffusion", (2,), 2, 200, ("train.batch=128", "realize.diffusion=")),
}


def data_of(shape: tuple[int, ...], classes: int) -> Data:
    """Random samples: their values do not matter for the time."""
    torch.manual_seed(0)
    inputs = torch.rand(4096, *shape) if len(shape) == 1 else torch.randint(0, 256, (4096, *shape), dtype=torch.uint8)
    split = Split(inputs, torch.randint(0, classes, (4096,)))
    test = Split(inputs[:1], split.labels[:1])
    return Data("random", split, None, test, classes, shape, (0.0,) * shape[0], (1.0,) * shape[0], None, ())


def sides(name: str, steps: int, folder: Path) -> tuple[Callable[[], None], Callable[[], None]]:
    """`steps` training steps by the loop of pdedsl, and by a hand-written loop."""
    spec, shape, classes, _, settings = CASES[name]
    source = source_of(spec, (*settings, "train.epochs=", "train.steps=1000000"))
    compilation = pdedsl.compile(source.text)
    config, data = config_of(compilation.spec), data_of(shape, classes)
    engine = TrainingEngine(
        compilation.module,
        config,
        training_phases(config, CrossEntropy(), len(data.train)),
        data,
        World(torch.device("cpu")),
        compiled=False,
    )
    loop = TrainingLoop(engine, folder, source.text, (), save_seconds=1e9)

    def ours() -> None:
        loop.advance(engine.step + steps)

    model = compilation.module().train()
    choice = config.optimizer[0].config
    optimizer = torch.optim.SGD(
        model.parameters(), float(choice.lr), float(choice.momentum), weight_decay=float(choice.weight_decay)
    )
    order = torch.randperm(4096)

    def bare() -> None:
        for k in range(steps):
            start = k * config.batch % (4096 - config.batch)
            x, y = data.train.batch(order[start : start + config.batch])
            optimizer.zero_grad()
            cross_entropy(model(x), y).backward()
            optimizer.step()

    return ours, bare


def timed(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, help="steps per round, instead of the default of each case")
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    for name, (_, _, _, default, _) in CASES.items():
        steps = chosen.steps or default
        with tempfile.TemporaryDirectory() as folder:
            ours, bare = sides(name, steps, Path(folder))
            ours(), bare()
            pairs = [(timed(ours), timed(bare)) for _ in range(chosen.rounds)]
        ratio = statistics.median(a / b for a, b in pairs)
        step = statistics.median(b for _, b in pairs) / steps
        print(f"{name:30} loop / bare {ratio:.3f} (goal: at most 1.03); bare step {1e3 * step:.2f} ms")


if __name__ == "__main__":
    main()
