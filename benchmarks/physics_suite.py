"""The problems in `physics/`, solved with defaults and compared with independent references.

    python benchmarks/physics_suite.py [NAME …] [--seconds 60] [--tight] [--peers PROGRAM …] [--write]

Each problem is solved in a separate process with one thread and a limit of its CPU time. The goal is a relative L2
error of 1e-4, for shocks 1e-2 in L1, at corners 1e-3, for the driven cavity the largest difference to the published
tables, at Re = 3,200 to a solution by differences, as the published one differs from it by up to 0.05. A solution is
accepted wrongly if `solve` accepts it and its error is above the goal by more than that of the reference. The specs in
`physics/refused` have no solution, more than one, or an exact solution that is wrong: each must be refused by an error,
or by the verdict. `--tight` solves the smooth problems with `tol=1e-8` instead, `--peers` solves with other programs
(physics_peers.py) instead, exponax down to the stored error of ours. `--write` replaces the results in `physics.md`;
those of other problems and columns remain.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

import physics_peers
import torch
from physics_problems import PROBLEMS, ROUNDING, Norm

import pdedsl
import pdedsl.solvers.run
from pdedsl.diagnostics import PdeError
from pdedsl.solvers.error_estimate import Verdict

FOLDER = Path(__file__).parent
SPECS, REFUSED, REPORT = FOLDER / "physics", FOLDER / "physics" / "refused", FOLDER / "physics.md"
HEADING = "## Problems with independent references"
REFERENCE_SECONDS = 20  # for compilation and the evaluation of the reference
FORK = multiprocessing.get_context("fork")
TIGHT = 1e-8  # tolerance
PEER_SECONDS = 10.0  # CPU time of the last grid of another program, and of the training of DeepXDE
# Relative L2 error of the best of its twelve methods, table 3 of Hao et al., arXiv 2306.08827v2.
PINNACLE = {
    "Burgers 1d-C": 1.33e-2,
    "Burgers 2d-C": 2.60e-1,
    "Poisson 2d-C": 1.23e-2,
    "Poisson 2d-CG": 1.43e-2,
    "Poisson 3d-CG": 1.02e-1,
    "Poisson 2d-MS": 5.90e-1,
    "Heat 2d-VC": 2.12e-1,
    "Heat 2d-MS": 1.73e-2,
    "Heat 2d-CG": 2.39e-2,
    "Heat 2d-LT": 9.99e-1,
    "NS 2d-C": 3.60e-2,
    "NS 2d-CG": 8.24e-2,
    "Wave 1d-C": 9.79e-2,
    "Wave 2d-CG": 7.94e-1,
    "PNd": 4.58e-4,
    "HNd": 1.19e-4,
    "HInv": 1.19e-2,
}


@dataclass(frozen=True)
class Outcome:
    """`seconds`: CPU time of `solve`, without imports and compilation."""

    method: str
    error: float
    estimate: float
    seconds: float
    accepted: bool
    reason: str = ""


# ---- One problem, in its own process


def solve(path: Path, name: str, tolerance: float | None) -> Outcome:
    options = {} if tolerance is None else {"tol": tolerance}
    start = time.process_time()
    try:
        compilation = pdedsl.compile(path)
        start = time.process_time()
        solution = pdedsl.solve(compilation, **options)
    except PdeError as error:
        return Outcome("", inf, inf, time.process_time() - start, False, str(error).splitlines()[0])
    taken = time.process_time() - start
    method, accepted = type(solution.result.method).__name__, solution.verdict is Verdict.HOLDS
    reason = "; ".join(solution.error_estimate.failures)
    error = inf
    if name in PROBLEMS:
        problem = PROBLEMS[name]
        points = problem.points()
        values = solution.learned(problem.learned, points) if problem.learned else solution(points)
        error = problem.error(values.detach().numpy(), points)
    return Outcome(method, error, solution.error.value, taken, accepted, reason)


Result = TypeVar("Result")


def last_result(compute: Callable[[], Iterator[Result]], limit: int) -> Result | None:
    """The last of the results of a computation in another process, forked after the imports, which the kernel ends when
    its CPU time is used up."""
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_send_results, args=(compute, limit, sender))
    process.start()
    sender.close()
    result = None
    try:
        while True:
            result = receiver.recv()
    except EOFError:
        process.join()
        return result


def _send_results(compute: Callable[[], Iterator[Result]], limit: int, sender: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    for result in compute():
        sender.send(result)


def run(path: Path, name: str, tolerance: float | None, seconds: float) -> Outcome:
    """`solve` in another process."""
    limit = int(seconds + REFERENCE_SECONDS)

    def compute() -> Iterator[Outcome]:
        try:
            yield solve(path, name, tolerance)
        except Exception as error:
            yield Outcome("", inf, inf, inf, False, f"{type(error).__name__}: {error}"[:160])

    return last_result(compute, limit) or Outcome("", inf, inf, inf, False, f"not finished after {limit} s")


Measured = tuple[float, float]
"""An error, and the CPU seconds in which it was reached."""


def last_level_seconds(name: str, seconds: float) -> float:
    """CPU time of the last level of `solve`, without its search of the resolution and its error estimate."""

    def compute() -> Iterator[float]:
        yield pdedsl.solve(SPECS / f"{name}.pde").attempts[-1].cpu_seconds

    return last_result(compute, int(seconds + REFERENCE_SECONDS)) or inf


def run_peer(program: str, name: str, target: float) -> Measured | None:
    """The first level of another program with an error below the target, or its last one within the CPU time."""
    problem, seconds = PROBLEMS[name], PEER_SECONDS

    def compute() -> Iterator[Measured]:
        points = problem.points()
        for function, taken in physics_peers.levels(program, SPECS / f"{name}.pde", seconds) or ():
            error = problem.error(function(points), points)
            yield error, taken
            if error <= target or taken > seconds / 4:  # the next level takes more than four times as long
                return

    return last_result(compute, int(2 * seconds + REFERENCE_SECONDS))


# ---- All problems


def has_reached(name: str, outcome: Outcome, seconds: float) -> bool:
    return outcome.error <= PROBLEMS[name].goal and outcome.seconds <= seconds


def is_wrongly_accepted(name: str, outcome: Outcome) -> bool:
    return outcome.accepted and outcome.error > PROBLEMS[name].goal + PROBLEMS[name].accuracy


def number(value: float) -> str:
    return "" if value == inf else f"{value:.1e}"


def measured(error: float, seconds: float) -> str:
    return f"{number(error) or 'failed'} ({seconds:.2g} s)"


def value(cell: str) -> float:
    """The number at the beginning of a cell."""
    return float(cell.split()[0]) if cell and cell[0].isdigit() else inf


PROGRAMS = tuple(physics_peers.MODULES)
TIGHT_COLUMN = "tol=1e-8"
COLUMNS = (
    *("problem", "method", "error", "goal", "reached", "estimate", "CPU time (s)", "accepted", TIGHT_COLUMN),
    *("PINNacle", "its best", *PROGRAMS),
)
Cells = dict[str, str]
"""The cells of a row, by column."""


def row(name: str, outcome: Outcome, seconds: float) -> Cells:
    problem = PROBLEMS[name]
    norm = "" if problem.norm is Norm.L2 else f" ({problem.norm})"
    verdict = "wrongly" if is_wrongly_accepted(name, outcome) else "yes" if outcome.accepted else "no"
    return {
        "problem": name,
        "method": outcome.method or outcome.reason.replace("|", "/")[:60],
        "error": number(outcome.error) + norm * (outcome.error < inf),
        "goal": number(problem.goal),
        "reached": "yes" if has_reached(name, outcome, seconds) else "no",
        "estimate": number(outcome.estimate),
        "CPU time (s)": "" if outcome.seconds == inf else f"{outcome.seconds:.1f}",
        "accepted": verdict,
        "PINNacle": problem.pinnacle,
        "its best": number(PINNACLE.get(problem.pinnacle, inf)),
    }


def line(cells: Cells) -> str:
    return f"| {' | '.join(cells.get(c, '') for c in COLUMNS)} |"


HEADER = f"| {' | '.join(COLUMNS)} |\n| {' | '.join('---' for _ in COLUMNS)} |"


def summary(outcomes: dict[str, Outcome], seconds: float) -> str:
    reached = sum(has_reached(name, o, seconds) for name, o in outcomes.items())
    wrong = [name for name, o in outcomes.items() if is_wrongly_accepted(name, o)]
    median = statistics.median(min(o.seconds, seconds) for o in outcomes.values())
    estimated = [(n, o) for n, o in outcomes.items() if o.estimate < inf and ROUNDING < o.error < inf]
    large = [n for n, o in estimated if o.estimate > 30 * (o.error + PROBLEMS[n].accuracy)]
    small = [n for n, o in estimated if o.estimate < (o.error - PROBLEMS[n].accuracy) / 3]
    return (
        f"{reached} of {len(outcomes)} problems reach their goal within {seconds:g} s of CPU time, with a median of "
        f"{median:.1f} s. Accepted wrongly: {', '.join(wrong) or 'none'}. Of {len(estimated)} error estimates, "
        f"{len(large)} are more than 30 times the error ({', '.join(large) or 'none'}), {len(small)} less than a third "
        f"of it ({', '.join(small) or 'none'}), up to the error of the reference."
    )


def tight_summary(rows: dict[str, Cells]) -> str:
    """The errors of the smooth problems with a tight tolerance."""
    errors = {name: value(cells.get(TIGHT_COLUMN, "")) for name, cells in rows.items() if cells.get(TIGHT_COLUMN)}
    met = [name for name, error in errors.items() if error <= TIGHT + PROBLEMS[name].accuracy]
    total = f"{len(met)} of {len(errors)}" if errors else ""
    return f"With tol=1e-8, {total} smooth problems have an error below 1e-8 plus that of the reference." * bool(total)


def peer_summary(rows: dict[str, Cells]) -> str:
    """How many goals other programs reach; for exponax the ratio of the CPU times."""
    sentences = []
    for program in PROGRAMS:
        errors = {name: value(cells[program]) for name, cells in rows.items() if cells.get(program)}
        reached = sum(error <= PROBLEMS[name].goal for name, error in errors.items())
        if errors:
            sentences.append(f"{program} reaches the goal of {reached} of {len(errors)} problems.")
    return " ".join(sentences)


def refusal(outcome: Outcome) -> str:
    return "accepted" if outcome.accepted else outcome.reason or "not accepted"


INTRODUCTION = f"""\
Output of `python benchmarks/physics_suite.py --write`: each problem with defaults, in a separate process
with one thread on one core of a machine that other processes share. The time is the CPU time of `solve`,
without imports and compilation. The norm is L2 unless another is given. Column "tol=1e-8" has the error and
the CPU time of the smooth problems with that tolerance (`--tight`), "its best" the published error of the best
of PINNacle's twelve methods, whose coefficients from files are formulas here. The last columns (`--peers`) have
the error and the CPU time of other programs: DeepXDE with a network of four layers of 40 units after
{PEER_SECONDS:g} s of training; py-pde and scikit-fem (written by hand, second degree) on the first of a sequence
of refined grids that reaches the goal, or on the last one within {PEER_SECONDS:g} s; exponax on the first one with
the error of ours, beside the time of our last level, since exponax does not search for a resolution."""


def section(rows: dict[str, Cells], outcomes: dict[str, Outcome], refusals: dict[str, str], seconds: float) -> str:
    totals = " ".join(filter(None, (summary(outcomes, seconds), tight_summary(rows), peer_summary(rows))))
    lines = [HEADING, "", INTRODUCTION, "", totals, "", HEADER, *map(line, rows.values())]
    if refusals:
        lines += ["", "Specs without a unique solution, or with a wrong exact solution:", "", "| spec | refusal |"]
        lines += ["| --- | --- |", *(f"| {n} | {text} |".replace("\n", " ") for n, text in refusals.items())]
    return "\n".join(lines) + "\n"


def stored_rows() -> tuple[dict[str, Cells], dict[str, str]]:
    """The rows of the problems in physics.md, and the reasons of the refusals."""
    section = REPORT.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    rows = [[c.strip() for c in line[1:-1].split("|")] for line in section.splitlines() if line.startswith("|")]
    titles = next(iter(rows), [])
    problems = {r[0]: dict(zip(titles, r, strict=True)) for r in rows if r[0] in PROBLEMS and len(r) == len(titles)}
    others = [cells for cells in rows if len(cells) < len(titles) and (REFUSED / f"{cells[0]}.pde").exists()]
    refusals = {cells[0]: "|".join(cells[1:]) for cells in others}
    return problems, refusals


def stored_outcome(cells: Cells) -> Outcome:
    """An outcome with the digits printed in physics.md."""
    error, estimate, seconds = (value(cells[c]) for c in ("error", "estimate", "CPU time (s)"))
    return Outcome(cells["method"], error, estimate, seconds, cells["accepted"] != "no")


def write(rows: dict[str, Cells], refusals: dict[str, str], seconds: float) -> None:
    """Replaces the section of physics.md, or appends it; cells and rows that are not in `rows` remain."""
    stored, stored_refusals = stored_rows()
    merged = {n: {**stored.get(n, {}), **rows.get(n, {})} for n in PROBLEMS if n in stored or n in rows}
    merged = {n: cells for n, cells in merged.items() if cells.get("method")}
    outcomes = {n: stored_outcome(cells) for n, cells in merged.items()}
    text = section(merged, outcomes, {**stored_refusals, **refusals}, seconds)
    report = REPORT.read_text(encoding="utf-8")
    before, _, after = report.partition(HEADING)
    rest = after.partition("\n## ")[2]
    REPORT.write_text(before.rstrip() + "\n\n" + text + (f"\n## {rest}" if rest else ""), encoding="utf-8")


# ---- Runs


def solve_all(names: list[str], seconds: float) -> dict[str, Cells]:
    rows, outcomes = {}, {}
    print(HEADER)
    for name in names:
        outcome = outcomes[name] = run(SPECS / f"{name}.pde", name, None, seconds)
        rows[name] = row(name, outcome, seconds)
        print(line(rows[name]), flush=True)
        if not outcome.accepted:
            print(f"    {outcome.reason[:300]}", flush=True)
    if outcomes:
        print(summary(outcomes, seconds))
    return rows


def solve_tightly(names: list[str], seconds: float) -> dict[str, Cells]:
    rows = {}
    for name in (n for n in names if PROBLEMS[n].smooth and PROBLEMS[n].norm is Norm.L2):
        outcome = run(SPECS / f"{name}.pde", name, TIGHT, seconds)
        text = measured(outcome.error, min(outcome.seconds, seconds)) + ("" if outcome.accepted else ", not accepted")
        rows[name] = {TIGHT_COLUMN: text}
        print(
            f"{name}: {text}; estimate {number(outcome.estimate)} {outcome.method} {outcome.reason[:200]}", flush=True
        )
    print(tight_summary(rows))
    return rows


def solve_by_peers(names: list[str], programs: list[str], seconds: float) -> dict[str, Cells]:
    rows: dict[str, Cells] = {}
    stored = stored_rows()[0]
    for program in programs:
        for name in names:
            own = value(stored.get(name, {}).get("error", ""))
            target = min(PROBLEMS[name].goal, own) if program == "exponax" else PROBLEMS[name].goal
            result = run_peer(program, name, target)
            if result is not None:
                text = measured(*result)
                if program == "exponax":
                    text += f", our last level {last_level_seconds(name, seconds):.2g} s"
                rows.setdefault(name, {})[program] = text
                print(f"{program}, {name}: {text}", flush=True)
    print(peer_summary(rows))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="all by default")
    parser.add_argument("--seconds", type=float, default=60, help="limit of the CPU time of a problem")
    parser.add_argument("--tight", action="store_true", help="solve the smooth problems with tol=1e-8")
    parser.add_argument("--peers", nargs="+", choices=PROGRAMS, default=[], help="solve by other programs")
    parser.add_argument("--write", action="store_true", help="replace the results in physics.md")
    options = parser.parse_args()
    torch.set_num_threads(1)
    specs = {p.stem: p for p in sorted(REFUSED.glob("*.pde"))}
    names = [n for n in PROBLEMS if n in options.names or not options.names]
    refusals: dict[str, str] = {}
    if options.tight:
        rows = solve_tightly(names, options.seconds)
    elif options.peers:
        rows = solve_by_peers(names, options.peers, options.seconds)
    else:
        rows = solve_all(names, options.seconds)
        for name in [n for n in specs if f"refused/{n}" in options.names or not options.names]:
            refusals[name] = refusal(run(specs[name], f"refused/{name}", None, options.seconds))
            print(f"{name}: {refusals[name]}", flush=True)
    if options.write:
        write(rows, refusals, options.seconds)


if __name__ == "__main__":
    main()
