"""Reversible blocks and adaptive solvers on feature maps: memory and time relative to autograd and torchdiffeq.

    python benchmarks/image_plane.py [memory] [backward] [dopri5] [--rounds 7] [--depth 200] [--width 32] [--chains …]

Ratios of CPU time on one thread, interleaved runs in one process. Memory is measured in separate processes with mmap-ed
allocations, because fragmentation would hide it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from pdedsl.runtime.convnet import ConvNet
from pdedsl.runtime.image_fields import LayerPerStep, SharedLayer
from pdedsl.runtime.linear_operators import ConvOperator
from pdedsl.runtime.ode.adaptive import AdaptiveRungeKutta
from pdedsl.runtime.ode.explicit import TimeGrid
from pdedsl.runtime.ode.torchdiffeq_solver import TorchdiffeqSolver
from pdedsl.runtime.pde_blocks import LeapfrogBlock, VerletBlock
from pdedsl.runtime.symmetric_layer import SymmetricLayer, TotalVariationNorm

MEMORY_TARGET = 1.15
BACKWARD_TARGET = 1.6
MEBIBYTE = 2.0**20


def symmetric_layer(width: int, sign: float = -1.0) -> SymmetricLayer:
    return SymmetricLayer(ConvOperator(width), norm=TotalVariationNorm(width), sign=sign)


def hamiltonian(width: int, depth: int, store: bool) -> VerletBlock:
    f, g = (LayerPerStep.create(lambda s=sign: symmetric_layer(width // 2, s), depth) for sign in (-1.0, 1.0))
    return VerletBlock(f, g, TimeGrid(0.0, 0.1 * depth, depth), store=store)


def second_order(width: int, depth: int, store: bool) -> LeapfrogBlock:
    return LeapfrogBlock(
        LayerPerStep.create(lambda: symmetric_layer(width), depth), TimeGrid(0.0, 0.1 * depth, depth), store=store
    )


def revnet(width: int, depth: int, store: bool) -> VerletBlock:
    f, g = (LayerPerStep.create(lambda: ConvNet(width // 2, 2), depth) for _ in range(2))
    return VerletBlock(f, g, TimeGrid(0.0, 0.1 * depth, depth), store=store)


CHAINS = {"hamiltonian": hamiltonian, "second_order": second_order, "revnet": revnet}


# ---- memory


def _status(name: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) / 1024
    raise LookupError(name)


@dataclass(frozen=True)
class Size:
    rounds: int
    depth: int
    width: int
    chains: list[str]


def measure_memory(kind: str, depth: int, store: bool, width: int) -> float:
    """Peak memory (MiB) of forward and backward pass beyond model, input and weight gradients."""
    x = torch.randn(32, width, 32, 32)
    warm = CHAINS[kind](width, 2, store)
    warm(x).sum().backward()
    del warm
    block = CHAINS[kind](width, depth, store)
    block(x[:1])  # allocate persistent buffers
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before = _status("VmRSS")
    block(x).square().sum().backward()
    gradients = sum(p.grad.numel() * p.grad.element_size() for p in block.parameters() if p.grad is not None)
    return _status("VmHWM") - before - gradients / MEBIBYTE


def _in_own_process(kind: str, depth: int, store: bool, width: int) -> float:
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "100000", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--measure", kind, str(depth), str(int(store)), str(width)]
    return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def memory(size: Size) -> None:
    state = 32 * size.width * 32 * 32 * 4 / MEBIBYTE
    print(f"Peak memory of forward and backward pass beyond model, input and gradients (MiB; state {state:.1f} MiB)")
    for kind in size.chains:
        shallow, deep = (_in_own_process(kind, depth, False, size.width) for depth in (10, size.depth))
        plain = _in_own_process(kind, 10, True, size.width)
        text = f"{kind:13} depth 10: {shallow:6.1f}  depth {size.depth}: {deep:6.1f}  autograd: {plain:6.1f}  ratio"
        _print_ratio(text, deep / shallow, MEMORY_TARGET)


# ---- time of the backward pass


def _split_times(model: nn.Module, x: Tensor) -> tuple[float, float]:
    start = time.process_time()
    loss = model(x).square().sum()
    middle = time.process_time()
    loss.backward()
    end = time.process_time()
    model.zero_grad()
    x.grad = None
    return middle - start, end - middle


def _backward_ratios(
    kind: str, shape: tuple[int, ...], depth: int, layout: torch.memory_format, rounds: int
) -> tuple[float, float]:
    """Medians of (backward, forward and backward) of reversible over plain execution, with the same weights."""
    ours, plain = (CHAINS[kind](shape[1], depth, store).to(memory_format=layout) for store in (False, True))
    plain.load_state_dict(ours.state_dict())
    x = torch.randn(shape).contiguous(memory_format=layout).requires_grad_()
    times = [(_split_times(ours, x), _split_times(plain, x)) for _ in range(rounds + 1)][1:]
    backward = statistics.median(a[1] / b[1] for a, b in times)
    return backward, statistics.median(sum(a) / sum(b) for a, b in times)


def backward(size: Size) -> None:
    """A field without an explicit vector-Jacobian product costs 1 + F/B, its forward and backward times."""
    depth, width = min(20, size.depth), size.width
    print(f"Reversible relative to autograd, depth {depth}")
    for kind in size.chains:
        for shape in ((16, width, 32, 32), (16, 2 * width, 16, 16)):
            for name, layout in (("contiguous", torch.contiguous_format), ("channels_last", torch.channels_last)):
                ratio, total = _backward_ratios(kind, shape, depth, layout, size.rounds)
                text = f"{kind:13} {shape!s:17} {name:13} total {total:4.2f}  backward"
                _print_ratio(text, ratio, BACKWARD_TARGET)


# ---- dopri5


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _interleaved(works: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    rows = [[_seconds(work) for work in works] for _ in range(rounds + 1)][1:]
    return [statistics.median(column) for column in zip(*rows, strict=True)]


class Small(nn.Module):
    """A field of one matrix, for the overhead of a solver."""

    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width) / width**0.5)

    def forward(self, t: float | Tensor, y: Tensor) -> Tensor:
        return torch.tanh(y @ self.weight)


def _dopri5_row(name: str, layer: nn.Module, x: Tensor, train: bool, rounds: int) -> None:
    field, steps = SharedLayer(layer), TimeGrid(0.0, 5.0, 1)
    solvers = (AdaptiveRungeKutta(), AdaptiveRungeKutta(control="batch"), TorchdiffeqSolver(control="batch"))

    def finish(y: Tensor) -> None:
        if train:
            y.sum().backward()

    with torch.set_grad_enabled(train):
        calls = [solver.solve(field, x, steps).evaluations for solver in solvers]
        works = [lambda s=s: finish(s.integrate(field, x, steps)) for s in solvers]
        bare = [lambda: [finish(field(0, 0.0, x)) for _ in range(20)]]
        *seconds, one = _interleaved([*works, *bare], rounds)
    per_call = [s / c / (one / 20) for s, c in zip(seconds, calls, strict=True)]
    numbers = "  ".join(f"{ratio:5.2f} ({count:3})" for ratio, count in zip(per_call, calls, strict=True))
    ratios = f"batch {seconds[2] / seconds[1]:4.2f}, sample {seconds[2] / seconds[0]:4.2f}"
    print(f"  {name:28} {numbers}   torchdiffeq / ours, {ratios}", flush=True)


def dopri5(size: Size) -> None:
    print("Time per evaluation over the bare field (evaluations): ours by sample, ours by batch, torchdiffeq by batch")
    for train in (False, True):
        print(" forward and backward" if train else " forward")
        _dopri5_row("matrix, 1 x 32", Small(32), torch.randn(1, 32), train, 2 * size.rounds)
        _dopri5_row("matrix, 32 x 32", Small(32), torch.randn(32, 32), train, 2 * size.rounds)
        _dopri5_row("convnet, 16 x 16 x 14 x 14", ConvNet(16, 2), torch.randn(16, 16, 14, 14), train, 2 * size.rounds)
        _dopri5_row("convnet, 16 x 64 x 7 x 7", ConvNet(64, 2), torch.randn(16, 64, 7, 7), train, 2 * size.rounds)


def _print_ratio(text: str, ratio: float, target: float) -> None:
    print(f"  {text} {ratio:4.2f}  (target {target}: {'met' if ratio <= target else 'MISSED'})", flush=True)


PARTS = {"memory": memory, "backward": backward, "dopri5": dopri5}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--depth", type=int, default=200)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--chains", nargs="+", choices=list(CHAINS), default=list(CHAINS))
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if options.measure:
        kind, *numbers = options.measure
        depth, store, width = map(int, numbers)
        print(measure_memory(kind, depth, bool(store), width))
        return
    for name in options.parts or PARTS:
        PARTS[name](Size(options.rounds, options.depth, options.width, options.chains))


if __name__ == "__main__":
    main()
