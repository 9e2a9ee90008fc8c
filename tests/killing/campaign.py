"""Kills of runs at random times; the resumed run is compared with an uninterrupted one."""

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
SURVIVOR_SECONDS = 5.0  # for a process to notice that the other one was killed, before it is terminated


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
    findings, rng, references = Findings(), Random(seed), {}
    for number, kind in enumerate(cycle(chosen)):
        if findings.kills.total() >= kills or findings.faults:
            return findings
        if kind not in references:
            references[kind] = _run_uninterrupted(kind, folder)
        _kill_and_resume(kind, references[kind], folder / f"run-{number}", rng, findings, in_a_row)
        print(f"{findings.kills.total()} kills, {kind.name}", flush=True)
    raise AssertionError("cycle has no end")


@dataclass(frozen=True)
class UninterruptedRun:
    """Results of an uninterrupted run, and its duration."""

    left: object
    seconds: float


def _run_uninterrupted(kind: Kind, folder: Path) -> UninterruptedRun:
    place = folder / f"uninterrupted {kind.name}"
    _wait(_start(1, kind.prepare, place))
    began = time.monotonic()
    if _wait(_start(kind.processes, kind.run, place)):
        raise AssertionError(f"{kind.name} does not run")
    return UninterruptedRun(kind.left(place), time.monotonic() - began)


def _kill_and_resume(
    kind: Kind, reference: UninterruptedRun, folder: Path, rng: Random, findings: Findings, in_a_row: int
) -> None:
    _wait(_start(1, kind.prepare, folder))
    moments = []
    for _ in range(in_a_row):
        moments.append(rng.uniform(0, 0.7 * reference.seconds))
        if not _kill(kind, folder, moments[-1], rng):
            break
        findings.kills[kind.name] += 1
    findings.runs += 1
    if _wait(_start(kind.processes, kind.run, folder)):
        findings.faults.append(f"{kind.name}, killed at {moments}: cannot be resumed")
    elif (left := kind.left(folder)) != reference.left:
        findings.faults.append(f"{kind.name}, killed at {moments}: {_describe_difference(left, reference.left)}")
    else:
        shutil.rmtree(folder)


def _describe_difference(left: object, reference: object) -> str:
    assert isinstance(left, tuple)
    assert isinstance(reference, tuple)
    if left[-1] != reference[-1]:
        return f"files {sorted(set(left[-1]) ^ set(reference[-1])) or left[-1]}"
    return "other weights, metrics or reports"


# ---- processes


def _start(count: int, work: Work, folder: Path) -> list[int]:
    """Forked, so that a run need not import torch again: this process has only imported it."""
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


def _wait(pids: list[int]) -> bool:
    """Whether any of the processes failed."""
    codes = [os.waitpid(pid, 0)[1] for pid in pids]
    return any(codes)


def _kill(kind: Kind, folder: Path, moment: float, rng: Random) -> bool:
    """Kill one process of a run at a time; whether the run was still active."""
    pids = _start(kind.processes, kind.run, folder)
    time.sleep(moment)
    victim = rng.choice(pids)
    if os.waitpid(victim, os.WNOHANG)[0]:
        _wait([pid for pid in pids if pid != victim])
        return False
    os.kill(victim, signal.SIGKILL)
    os.waitpid(victim, 0)
    for pid in pids:
        if pid != victim:
            _end_survivor(pid)
    return True


def _end_survivor(pid: int) -> None:
    """Wait for the other of two processes to fail, or kill it, as torchrun does."""
    until = time.monotonic() + SURVIVOR_SECONDS
    while time.monotonic() < until:
        if os.waitpid(pid, os.WNOHANG)[0]:
            return
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
