"""Networks built from the blocks of the data space against the same networks written by hand. Ratios, in one run.

    python benchmarks/data_space.py [--batch 32 64 128] [--rounds 12] [--threads 1]

1. One ResNet20 training step (forward, backward, SGD): blocks / hand-written, at most 1.02. The hand-written network is
   given the same channels_last input, so that the ratio is the cost of the composition alone; the ratio to the plain
   layout is printed too.
2. Five noisy members: an Expectation against a loop over five separate contiguous networks with `randn_like` noise and
   `torch.std`, like the published code of Wang, Yuan, Shi, Osher 2020 but with a std per sample, as ours; at least 1.3
   times faster, at each size of the batch. Most of a step is convolution, so that the ratio grows with the batch.
Memory is the growth of the peak of a fresh process over one step, per side.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from pdedsl.runtime.backbones import resnet
from pdedsl.runtime.sde.feynman_kac import Expectation
from pdedsl.runtime.sde.noise import RelativeNoise

MEMBERS = 5
NOISE = 0.1


class HandBlock(nn.Module):
    """The pre-activation block as one would write it."""

    def __init__(self, inputs: int, outputs: int, stride: int, noise: float, batch_wide: bool) -> None:
        super().__init__()
        self.bn1 = nn.BatchNorm2d(inputs)
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride, bias=False) if stride > 1 else None
        self.noise, self.batch_wide = noise, batch_wide

    def forward(self, x: Tensor) -> Tensor:
        a = functional.relu(self.bn1(x))
        out = self.conv2(functional.relu(self.bn2(self.conv1(a))))
        out = out + (x if self.shortcut is None else self.shortcut(a))
        if self.noise:
            std = out.std() if self.batch_wide else out.std((1, 2, 3), keepdim=True)
            out = out + self.noise * std * torch.randn_like(out)
        return out


class HandResNet20(nn.Module):
    def __init__(self, noise: float = 0.0, batch_wide: bool = False) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        widths = [16] * 3 + [32] * 3 + [64] * 3
        pairs = zip([16, *widths[:-1]], widths, strict=True)
        self.blocks = nn.ModuleList(HandBlock(a, b, 2 if b > a else 1, noise, batch_wide) for a, b in pairs)
        self.bn = nn.BatchNorm2d(64)
        self.fc = nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.fc(functional.relu(self.bn(x)).mean((2, 3)))


class HandEnsemble(nn.Module):
    def __init__(self, batch_wide: bool = False) -> None:
        super().__init__()
        self.members = nn.ModuleList(HandResNet20(NOISE, batch_wide) for _ in range(MEMBERS))

    def forward(self, x: Tensor) -> Tensor:
        return torch.stack([member(x).softmax(-1) for member in self.members]).mean(0).log()


def blocks() -> nn.Module:
    return Expectation([resnet(20).network()], seed=0)


def ensemble() -> nn.Module:
    return Expectation(
        [resnet(20).network(lambda layer: RelativeNoise(NOISE, seed=layer)) for _ in range(MEMBERS)], seed=0
    )


SIDES: dict[str, Callable[[], nn.Module]] = {
    "blocks": blocks,
    "hand": HandResNet20,
    "ensemble": ensemble,
    "hand ensemble": HandEnsemble,
}


def stepper(model: nn.Module, batch: int, channels_last: bool = False) -> Callable[[], None]:
    """One training step: forward, backward, optimizer."""
    source = torch.Generator().manual_seed(0)
    x = torch.randn(batch, 3, 32, 32, generator=source)
    x = x.contiguous(memory_format=torch.channels_last) if channels_last else x
    y = torch.randint(10, (batch,), generator=source)
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)

    def step() -> None:
        optimizer.zero_grad()
        functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    return step


def interleaved(steps: list[Callable[[], None]], rounds: int) -> list[list[float]]:
    """Seconds per step and side; the sides take turns, and change places every round."""
    seconds: list[list[float]] = [[] for _ in steps]
    for step in steps * 2:
        step()
    for turn in range(rounds):
        order = list(enumerate(steps))
        for index, step in order if turn % 2 else reversed(order):
            start = time.perf_counter()
            step()
            seconds[index].append(time.perf_counter() - start)
    return seconds


def ratio(numerator: list[float], denominator: list[float]) -> float:
    """The median over rounds of the ratio within a round."""
    return statistics.median(a / b for a, b in zip(numerator, denominator, strict=True))


def peak_growth(side: str, batch: int) -> float:
    """Peak memory of a step above that before it, in MiB (Linux)."""
    step = stepper(SIDES[side](), batch)
    stepper(nn.Sequential(nn.Flatten(), nn.Linear(3072, 10)), batch)()  # what torch itself allocates once
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again at the present size
    before = peak()
    step()
    step()
    return (peak() - before) / 1024


def peak() -> int:
    """The largest resident size so far, in KiB. (`getrusage` inherits the peak of the parent process.)"""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def memory(side: str, batch: int, threads: int) -> float:
    command = [sys.executable, __file__, "--memory", side, "--batch", str(batch), "--threads", str(threads)]
    environment = os.environ | {
        "MALLOC_MMAP_THRESHOLD_": "100000"
    }  # freed tensors go back, or fragmentation is measured
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, nargs="+", default=[32, 64, 128])
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--memory", choices=sorted(SIDES), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    if arguments.memory:
        print(peak_growth(arguments.memory, arguments.batch[0]))
        return
    print(f"torch {torch.__version__}, {arguments.threads} thread(s), {arguments.rounds} rounds, 3x32x32")
    for batch in arguments.batch:
        report(batch, arguments.rounds)
    batch = statistics.median_low(arguments.batch)
    for side in SIDES:
        print(f"peak memory of a step of {batch}, {side}: {memory(side, batch, arguments.threads):.0f} MiB")


def report(batch: int, rounds: int) -> None:
    print(f"batch {batch}")
    ours, hand, plain = interleaved(
        [stepper(blocks(), batch), stepper(HandResNet20(), batch, channels_last=True), stepper(HandResNet20(), batch)],
        rounds,
    )
    print(f"  ResNet20 step, blocks / by hand, both channels_last: {ratio(ours, hand):.3f} (goal: at most 1.02)")
    print(f"  ResNet20 step, blocks / by hand in the plain layout: {ratio(ours, plain):.3f}")
    ours, loop, published = interleaved(
        [stepper(ensemble(), batch), stepper(HandEnsemble(), batch), stepper(HandEnsemble(batch_wide=True), batch)],
        max(3, rounds // 2),
    )
    print(f"  five noisy members, plain loop / Expectation: {ratio(loop, ours):.2f} times faster (goal: at least 1.3)")
    print(f"  the same against the cheaper batch-wide std of the published code: {ratio(published, ours):.2f}")


if __name__ == "__main__":
    main()
