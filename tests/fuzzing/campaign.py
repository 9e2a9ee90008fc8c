"""Many cases in processes of their own: one that hangs or dies is noted, and the next begins behind its case."""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from fuzzing.cells import cells
from fuzzing.judge import Fault, judged
from fuzzing.mutants import mutants, noise
from fuzzing.sentences import sentences
from fuzzing.sound import sound
from fuzzing.specs import specs
from pdedsl.deep_recursion import run_with_big_stack

SECONDS = 5  # of the processor, for one case
MEMORY = 4 << 30
KINDS = {"sound": sound, "specs": specs, "mutants": mutants, "sentences": sentences, "bytes": noise}
BATCH = 2500  # cases of one process
SIZE = 256  # bytes of its state
Shares = dict[str, int]  # of the kinds, in percent
# A tenth is planned and emitted.
FULL: Shares = {"sound": 11, "specs": 4, "cells": 20, "mutants": 20, "sentences": 15, "bytes": 30}
BRIEF: Shares = {"sound": 3, "specs": 1, "cells": 4, "mutants": 12, "sentences": 9, "bytes": 71}  # quicker
BY_CELL: Shares = {"cells": 100}


def drawn(seed: int, case: int, shares: Shares) -> tuple[str, str | bytes]:
    """The kind and the text of a case: the same for the same seed."""
    rng = Random(f"{seed} {case}")
    kind = rng.choices(list(shares), list(shares.values()))[0]
    return kind, cells(rng, case) if kind == "cells" else KINDS[kind](rng)


# ---- a worker


@dataclass
class State:
    """How far a worker is. It stands in a file, so that a worker that dies has said where: a line a case through a pipe
    would cost more than most cases."""

    case: int  # the one that is judged
    kind: str = ""
    kinds: Counter[str] = field(default_factory=Counter)
    emitted: int = 0


def work(seed: int, first: int, last: int, shares: Shares, check_only: bool, state: str) -> None:
    """Judge cases, with a line for each fault. A timer that nobody catches ends a hang."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    run_with_big_stack(lambda: _work(seed, first, last, shares, check_only, os.open(state, os.O_WRONLY)))


def _work(seed: int, first: int, last: int, shares: Shares, check_only: bool, file: int) -> None:
    judged("pde P\n")  # which reads the grammar
    faulthandler.register(signal.SIGPROF, chain=True)  # a hang says where it is, and ends
    now = State(first)
    for now.case in range(first, last):
        now.kind, text = drawn(seed, now.case, shares)
        now.kinds[now.kind] += 1
        os.pwrite(file, json.dumps(vars(now)).ljust(SIZE).encode(), 0)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        found = judged(text, check_only)
        signal.setitimer(signal.ITIMER_PROF, 0)
        now.emitted += found.emitted
        if found.fault:
            print(json.dumps([now.case, asdict(found.fault)]), flush=True)
    now.case = last
    os.pwrite(file, json.dumps(vars(now)).ljust(SIZE).encode(), 0)


# ---- the campaign


@dataclass
class Findings:
    cases: int = 0
    emitted: int = 0  # were planned, and their files compile
    kinds: Counter[str] = field(default_factory=Counter)
    faults: dict[Fault, list[int]] = field(default_factory=dict)

    def note(self, fault: Fault, case: int) -> None:
        known = self.faults.setdefault(Fault(fault.kind, fault.place), [])
        if not known:
            print(f"case {case}: {fault}", flush=True)
        known.append(case)


def campaign(cases: int, seed: int, first: int = 0, shares: Shares = FULL, check_only: bool = False) -> Findings:
    """Judges these cases; `check_only` leaves out formatting and generating code, which is twice as quick."""
    found, began = Findings(), time.monotonic()
    at, last = first, first + cases
    with TemporaryDirectory() as folder:
        while at < last:
            at = _batch(found, seed, at, min(at + BATCH, last), shares, check_only, Path(folder, "state"))
            rate = found.cases / (time.monotonic() - began)
            print(f"{found.cases:,} of {cases:,} cases, {rate:.1f} a second, {len(found.faults)} faults", flush=True)
    return found


def _batch(found: Findings, seed: int, first: int, last: int, shares: Shares, check_only: bool, file: Path) -> int:
    """Runs a worker and notes its faults; the next case, after the one that ended the worker if it crashed."""
    file.write_text(json.dumps(vars(State(first))))
    command = [
        sys.executable,
        "-m",
        "fuzzing",
        "--work",
        json.dumps([seed, first, last, shares, check_only, str(file)]),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout
        for line in worker.stdout:
            case, fault = json.loads(line)
            found.note(Fault(**fault), case)
    state = State(**json.loads(file.read_text()))
    found.cases += sum(state.kinds.values())
    found.kinds.update(state.kinds)
    found.emitted += state.emitted
    if worker.returncode == 0:
        return state.case
    kind = "hang" if worker.returncode == -signal.SIGPROF else "crash"
    found.note(Fault(kind, f"{state.kind}, {worker.returncode}"), state.case)
    return state.case + 1


# ---- the shortest spec that shows a fault


def shortest(text: str, fault: Fault) -> str:
    """The text without all lines and words that the fault does not need."""
    for split in (lambda s: s.splitlines(keepends=True), _words):
        pieces, size = split(text), 8
        while size:
            k = 0
            while k < len(pieces):
                fewer = pieces[:k] + pieces[k + size :]
                same = judged("".join(fewer)).fault
                if same and (same.kind, same.place) == (fault.kind, fault.place):
                    pieces = fewer
                else:
                    k += size
            size //= 2
        text = "".join(pieces)
    return text


def _words(text: str) -> list[str]:
    from fuzzing.mutants import PIECE

    return list(PIECE.findall(text))


def summary(found: Findings, seed: int, shares: Shares = FULL) -> str:
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in sorted(found.kinds.items()))
    lines = [f"{found.cases:,} cases: {kinds}; {found.emitted:,} were planned and emitted"]
    for fault, cases in sorted(found.faults.items(), key=lambda pair: -len(pair[1])):
        kind, text = drawn(seed, cases[0], shares)
        lines.append(f"\n==== {fault.kind} in {fault.place}: {len(cases)} cases, the first {cases[0]} ({kind})")
        if isinstance(text, str) and fault.kind not in ("hang", "crash"):
            text = shortest(text, fault)
            lines.append(str(judged(text).fault))
        lines.append(text if isinstance(text, str) else repr(text))
    return "\n".join(lines)
