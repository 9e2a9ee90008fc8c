"""Latency of `pdedsl check` at start-up, and its growth with the number of terms of an equation.

    python benchmarks/start_up.py [--rounds 9] [--sizes 10 100 499]

Interleaved runs, ratio of medians. Goals: `check` takes at most 1.6 times `import sympy, lark`; parsing grows no faster
than n^1.2. An equation has at most 500 terms, with its time derivative.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from time import perf_counter

import pdedsl

# Compiled bytecode is written, as in an ordinary installation.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def seconds(*command: str) -> float:
    start = perf_counter()
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    return perf_counter() - start


def start_up(rounds: int) -> None:
    pairs = {
        "pdedsl check resnet": ("-m", "pdedsl", "check", "resnet"),
        "pdedsl --help": ("-m", "pdedsl", "--help"),
        "import sympy, lark": ("-c", "import sympy, lark"),
        "import click": ("-c", "import click"),
    }
    times: dict[str, list[float]] = {name: [] for name in pairs}
    for command in pairs.values():
        seconds(*command)
    for _ in range(rounds):
        for name, command in pairs.items():
            times[name].append(seconds(*command))
    medians = {name: median(values) for name, values in times.items()}
    for name, value in medians.items():
        print(f"{name:22} {1000 * value:6.0f} ms")
    print(f"check / imports        {medians['pdedsl check resnet'] / medians['import sympy, lark']:6.2f}  (goal 1.6)")


def spec_of(terms: int) -> str:
    """An equation with many terms of different kinds."""
    kinds = ("{} ∂u/∂x", "{} ∂²u/∂x²", "{} u", "{} x u", "{} sin(x) ∂u/∂x")
    body = " +\n    ".join(kinds[k % 5].format(k + 1) for k in range(terms))
    head = "pde Large\nspace x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
    return f"{head}∂u/∂t = {body}\nu(x, 0) = sin(2π x)\n"


def growth(sizes: Sequence[int]) -> None:
    pdedsl.parse(spec_of(3))
    times: list[float] = []
    for n in sizes:
        text = spec_of(n)
        start = perf_counter()
        spec = pdedsl.parse(text)
        assert spec.hash
        times.append(perf_counter() - start)
        print(f"{n:5} terms             {times[-1]:8.3f} s")
    for (n, a), (m, b) in pairwise(zip(sizes, times, strict=True)):
        print(f"from {n} to {m}: n^{math.log(b / a) / math.log(m / n):.2f}  (goal 1.2)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 100, 499])
    options = parser.parse_args()
    start_up(options.rounds)
    growth(options.sizes)


if __name__ == "__main__":
    main()
