"""Kills at random moments, and what was left when the run had been taken up again."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from random import Random

import matplotlib.backends.backend_agg
import sklearn.datasets
import torch
import torch._dynamo
import torch.utils.tensorboard

from killing.kinds import Kind
from killing.processes import distributed

IMPORTED = (matplotlib.backends.backend_agg, sklearn.datasets, torch._dynamo, torch.utils.tensorboard)  # once for all
Work = Callable[[Path], object]
IN_A_ROW = 8
PATIENCE = 5.0  # seconds for one of two to notice that the other is gone, before it is ended as torchrun ends it


@dataclass
class Findings:
    kills: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        rows = [f"  {count:4d}  {name}" for name, count in sorted(self.kills.items())]
        total = f"{self.kills.total()} kills in {self.runs} runs, {len(self.faults)} faults"
        return "\n".join((total, *rows, *self.faults))


def campaign(kills: int, seed: int, folder: Path, chosen: tuple[Kind, ...], in_a_row: int = IN_A_ROW) -> Findings:
    """At least this many kills, spread over all kinds of run."""
    torch.set_num_threads(1)
    found, rng, wholes = Findings(), Random(seed), {}
    for number, kind in enumerate(cycle(chosen)):
        if found.kills.total() >= kills or found.faults:
            return found
        if kind not in wholes:
            wholes[kind] = _whole(kind, folder)
        _killed(kind, wholes[kind], folder / f"run-{number}", rng, found, in_a_row)
        print(f"{found.kills.total()} kills, {kind.name}", flush=True)
    raise AssertionError("cycle has no end")


@dataclass(frozen=True)
class Whole:
    """What an uninterrupted run leaves, and how long it takes."""

    left: object
    seconds: float


def _whole(kind: Kind, folder: Path) -> Whole:
    place = folder / f"whole {kind.name}"
    _ended(_started(1, kind.prepare, place))
    began = time.monotonic()
    if _ended(_started(kind.processes, kind.run, place)):
        raise AssertionError(f"{kind.name} does not run")
    return Whole(kind.left(place), time.monotonic() - began)


def _killed(kind: Kind, whole: Whole, folder: Path, rng: Random, found: Findings, in_a_row: int) -> None:
    _ended(_started(1, kind.prepare, folder))
    moments = []
    for _ in range(in_a_row):
        moments.append(rng.uniform(0, 0.7 * whole.seconds))
        if not _interrupted(kind, folder, moments[-1], rng):
            break
        found.kills[kind.name] += 1
    found.runs += 1
    if _ended(_started(kind.processes, kind.run, folder)):
        found.faults.append(f"{kind.name}, killed at {moments}: cannot go on")
    elif (left := kind.left(folder)) != whole.left:
        found.faults.append(f"{kind.name}, killed at {moments}: {_difference(left, whole.left)}")
    else:
        shutil.rmtree(folder)


def _difference(left: object, whole: object) -> str:
    assert isinstance(left, tuple)
    assert isinstance(whole, tuple)
    if left[-1] != whole[-1]:
        return f"files {sorted(set(left[-1]) ^ set(whole[-1])) or left[-1]}"
    return "other weights, figures or reports"


# ---- processes


def _started(count: int, work: Work, folder: Path) -> list[int]:
    """Forked, so that a run costs no import: this process has done nothing with torch but import it."""
    return [_fork(variables, work, folder) for variables in distributed(count)]


def _fork(variables: dict[str, str], work: Work, folder: Path) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        os.environ |= variables
        work(folder)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def _ended(pids: list[int]) -> bool:
    """Whether any of the processes failed."""
    codes = [os.waitpid(pid, 0)[1] for pid in pids]
    return any(codes)


def _interrupted(kind: Kind, folder: Path, moment: float, rng: Random) -> bool:
    """Whether the run was still going on when one of its processes was killed."""
    pids = _started(kind.processes, kind.run, folder)
    time.sleep(moment)
    victim = rng.choice(pids)
    if os.waitpid(victim, os.WNOHANG)[0]:
        _ended([pid for pid in pids if pid != victim])
        return False
    os.kill(victim, signal.SIGKILL)
    os.waitpid(victim, 0)
    for pid in pids:
        if pid != victim:
            _alone(pid)
    return True


def _alone(pid: int) -> None:
    """The other of two: it fails by itself, or is ended as torchrun ends it."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if os.waitpid(pid, os.WNOHANG)[0]:
            return
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
