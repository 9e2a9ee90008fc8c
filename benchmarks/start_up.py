"""How fast a person gets an answer: the start of `pdedsl check`, and how checking grows with the size of a spec.

    python benchmarks/start_up.py

Both sides of a ratio are run in turns, and the medians are compared. Goals: `check` starts in at most 1.6 times the
time of `import sympy, lark`; checking grows no faster than n^1.2; 1,000 terms take under 3 s.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from itertools import pairwise
from statistics import median
from time import perf_counter

import pdedsl

ROUNDS = 9
SIZES = (10, 100, 1000, 5000)


# Bytecode is kept, as it is wherever nobody forbids it.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def seconds(*command: str) -> float:
    start = perf_counter()
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    return perf_counter() - start


def start_up() -> None:
    pairs = {
        "pdedsl check resnet": ("-m", "pdedsl", "check", "resnet"),
        "pdedsl --help": ("-m", "pdedsl", "--help"),
        "import sympy, lark": ("-c", "import sympy, lark"),
        "import click": ("-c", "import click"),
    }
    times: dict[str, list[float]] = {name: [] for name in pairs}
    for command in pairs.values():
        seconds(*command)
    for _ in range(ROUNDS):
        for name, command in pairs.items():
            times[name].append(seconds(*command))
    medians = {name: median(found) for name, found in times.items()}
    for name, value in medians.items():
        print(f"{name:22} {1000 * value:6.0f} ms")
    print(f"check / imports        {medians['pdedsl check resnet'] / medians['import sympy, lark']:6.2f}  (goal 1.6)")


def spec_of(terms: int) -> str:
    """An equation with many terms of different kinds."""
    kinds = ("{} ∂u/∂x", "{} ∂²u/∂x²", "{} u", "{} x u", "{} sin(x) ∂u/∂x")
    body = " +\n    ".join(kinds[k % 5].format(k + 1) for k in range(terms))
    head = "pde Large\nspace x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
    return f"{head}∂u/∂t = {body}\nu(x, 0) = sin(2π x)\n"


def growth() -> None:
    pdedsl.parse(spec_of(3))
    found = []
    for n in SIZES:
        text = spec_of(n)
        start = perf_counter()
        spec = pdedsl.parse(text)
        assert spec.hash
        found.append(perf_counter() - start)
        print(f"{n:5} terms             {found[-1]:8.3f} s")
    for (n, a), (m, b) in pairwise(zip(SIZES, found, strict=True)):
        print(f"from {n} to {m}: n^{math.log(b / a) / math.log(m / n):.2f}  (goal 1.2)")


if __name__ == "__main__":
    start_up()
    growth()
