"""The problems in `physics/`, solved with defaults and compared with independent references.

    python benchmarks/physics_suite.py [NAME …] [--seconds 60] [--tolerance 1e-8] [--write]

Each problem is solved in a separate process with one thread and a limit of its CPU time. The goal is a relative L2
error of 1e-4, for shocks 1e-2 in L1, at corners 1e-3, for the driven cavity the largest difference to the published
tables, at Re = 3,200 to a solution by differences, as the published one differs from it by up to 0.05. A solution is
accepted wrongly if `solve` accepts it and its error is above the goal by more than that of the reference. The specs in
`physics/refused` have no solution, more than one, or an exact solution that is wrong: each must be refused by an error,
or by the verdict. `--write` replaces the results in `physics.md`; those of other problems than the named ones remain.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import statistics
import time
from dataclasses import dataclass
from math import inf
from pathlib import Path

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
PINNACLE = {"burgers": 1.3e-2}  # best of its twelve methods, Hao et al. 2024


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


def run(path: Path, name: str, tolerance: float | None, seconds: float) -> Outcome:
    """`solve` in another process, forked after the imports, which the kernel ends when its CPU time is used up."""
    receiver, sender = FORK.Pipe(duplex=False)
    limit = int(seconds + REFERENCE_SECONDS)

    def child() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        try:
            sender.send(solve(path, name, tolerance))
        except Exception as error:
            sender.send(Outcome("", inf, inf, inf, False, f"{type(error).__name__}: {error}"[:160]))

    process = FORK.Process(target=child)
    process.start()
    sender.close()
    try:
        outcome: Outcome = receiver.recv()
    except EOFError:
        outcome = Outcome("", inf, inf, inf, False, f"not finished after {limit} s")
    process.join()
    return outcome


# ---- All problems


def has_reached(name: str, outcome: Outcome, seconds: float) -> bool:
    return outcome.error <= PROBLEMS[name].goal and outcome.seconds <= seconds


def is_wrongly_accepted(name: str, outcome: Outcome) -> bool:
    return outcome.accepted and outcome.error > PROBLEMS[name].goal + PROBLEMS[name].accuracy


def number(value: float) -> str:
    return "" if value == inf else f"{value:.1e}"


def row(name: str, outcome: Outcome, seconds: float) -> str:
    problem = PROBLEMS[name]
    norm = "" if problem.norm is Norm.L2 else f" ({problem.norm})"
    verdict = "wrongly" if is_wrongly_accepted(name, outcome) else "yes" if outcome.accepted else "no"
    cells = [
        name,
        outcome.method or outcome.reason.replace("|", "/")[:60],
        number(outcome.error) + norm * (outcome.error < inf),
        number(problem.goal),
        "yes" if has_reached(name, outcome, seconds) else "no",
        number(outcome.estimate),
        "" if outcome.seconds == inf else f"{outcome.seconds:.1f}",
        verdict,
        problem.pinnacle,
        number(PINNACLE.get(name, inf)),
    ]
    return f"| {' | '.join(cells)} |"


HEADER = (
    "| problem | method | error | goal | reached | estimate | CPU time (s) | accepted | PINNacle | its best |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)


def summary(outcomes: dict[str, Outcome], seconds: float) -> str:
    reached = sum(has_reached(name, o, seconds) for name, o in outcomes.items())
    wrong = [name for name, o in outcomes.items() if is_wrongly_accepted(name, o)]
    median = statistics.median(min(o.seconds, seconds) for o in outcomes.values())
    estimated = [(o.estimate, o.error) for o in outcomes.values() if o.estimate < inf and ROUNDING < o.error < inf]
    large, small = (sum(e > 30 * error for e, error in estimated), sum(e < error / 3 for e, error in estimated))
    return (
        f"{reached} of {len(outcomes)} problems reach their goal within {seconds:g} s of CPU time, with a median of "
        f"{median:.1f} s. Accepted wrongly: {', '.join(wrong) or 'none'}. Of {len(estimated)} error estimates, {large} "
        f"are more than 30 times the error, {small} less than a third of it."
    )


def refusal(outcome: Outcome) -> str:
    return "accepted" if outcome.accepted else outcome.reason or "not accepted"


def section(outcomes: dict[str, Outcome], refusals: dict[str, Outcome], seconds: float) -> str:
    rows = [row(name, outcome, seconds) for name, outcome in outcomes.items()]
    introduction = (
        "Output of `python benchmarks/physics_suite.py --write`: each problem with defaults, in a separate process\n"
        "with one thread on one core of a machine that other processes share. The time is the CPU time of `solve`,\n"
        "without imports and compilation. The norm is L2 unless another is given; PINNacle's best is the published\n"
        "error of the best of its methods."
    )
    lines = [HEADING, "", introduction, "", summary(outcomes, seconds), "", HEADER, *rows]
    if refusals:
        lines += ["", "Specs without a unique solution, or with a wrong exact solution:", "", "| spec | refusal |"]
        lines += ["| --- | --- |", *(f"| {n} | {refusal(o)} |".replace("\n", " ") for n, o in refusals.items())]
    return "\n".join(lines) + "\n"


def stored_rows() -> dict[str, list[str]]:
    """The cells of the rows of the tables in the section, by their first cell."""
    section = REPORT.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    rows = [[c.strip() for c in line.strip("|").split(" | ")] for line in section.splitlines() if line.startswith("|")]
    return {cells[0]: cells for cells in rows}


def stored_outcomes() -> tuple[dict[str, Outcome], dict[str, Outcome]]:
    """The outcomes in physics.md, with the digits printed there."""
    rows = stored_rows()

    def value(cell: str) -> float:
        return float(cell.split()[0]) if cell else inf

    outcomes = {
        name: Outcome(c[1], value(c[2]), value(c[5]), value(c[6]), c[7] != "no")
        for name, c in rows.items()
        if name in PROBLEMS
    }
    refusals = {
        name: Outcome("", inf, inf, inf, c[1] == "accepted", c[1])
        for name, c in rows.items()
        if (REFUSED / f"{name}.pde").exists()
    }
    return outcomes, refusals


def write(text: str) -> None:
    """Replaces the section of physics.md, or appends it."""
    report = REPORT.read_text(encoding="utf-8")
    before, _, after = report.partition(HEADING)
    rest = after.partition("\n## ")[2]
    REPORT.write_text(before.rstrip() + "\n\n" + text + (f"\n## {rest}" if rest else ""), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="all by default")
    parser.add_argument("--seconds", type=float, default=60, help="limit of the CPU time of a problem")
    parser.add_argument("--tolerance", type=float, help="by default that of `solve`")
    parser.add_argument("--write", action="store_true", help="replace the results in physics.md")
    options = parser.parse_args()
    torch.set_num_threads(1)
    specs = {p.stem: p for p in sorted(REFUSED.glob("*.pde"))}
    print(HEADER)
    outcomes = {}
    for name in [n for n in PROBLEMS if n in options.names or not options.names]:
        outcomes[name] = run(SPECS / f"{name}.pde", name, options.tolerance, options.seconds)
        print(row(name, outcomes[name], options.seconds), flush=True)
        if not outcomes[name].accepted:
            print(f"    {outcomes[name].reason[:300]}", flush=True)
    refusals = {}
    for name in [n for n in specs if f"refused/{n}" in options.names or not options.names]:
        refusals[name] = run(specs[name], f"refused/{name}", None, options.seconds)
        print(f"{name}: {refusal(refusals[name])}", flush=True)
    if outcomes:
        print(summary(outcomes, options.seconds))
    if options.write:
        stored, stored_refusals = stored_outcomes()
        outcomes = {name: o for name in PROBLEMS if (o := outcomes.get(name, stored.get(name))) is not None}
        write(section(outcomes, {**stored_refusals, **refusals}, options.seconds))


if __name__ == "__main__":
    main()
