"""`pdedsl solve`: solves a spec, estimates the error, and writes weights, plots and report to a folder."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from pdedsl import errors
from pdedsl.compiler import Compilation
from pdedsl.io import write_text_atomically
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.spec import Spec
from pdedsl.runs.checkpoint import State
from pdedsl.runs.distributed import resolve_device
from pdedsl.runs.events import Listener
from pdedsl.runs.experiment import compile_with_settings
from pdedsl.runs.figure_style import save_figure
from pdedsl.runs.folder import (
    CHECKPOINTS,
    INITIAL_FILES,
    METRICS,
    SAVE_SECONDS,
    SPEC,
    WEIGHTS,
    catch_interrupts,
    find_checkpoint,
    lock_run_folder,
    require_same_spec,
)
from pdedsl.runs.metrics import MetricsLog
from pdedsl.solvers.budget import CpuBudget
from pdedsl.solvers.eigen_solution import EigenSolution
from pdedsl.solvers.error_estimate import ErrorEstimate, Reference, assess
from pdedsl.solvers.family.solution import FamilySolution
from pdedsl.solvers.family.solver import FAMILY, MEMBERS, solve_family
from pdedsl.solvers.input_files import copy_input_files, input_files
from pdedsl.solvers.pinn.residuals import read_measurements
from pdedsl.solvers.pinn.trainer import elapsed_seconds
from pdedsl.solvers.plots import accurate_reference, plot_run
from pdedsl.solvers.progress import Watch
from pdedsl.solvers.report import PLOTS, write_report
from pdedsl.solvers.serialize import load_result, save
from pdedsl.solvers.solution import Solution
from pdedsl.solvers.solver_method import SolveOptions
from pdedsl.solvers.strategy import Strategy
from pdedsl.solvers.whole_space import is_solvable_on_space, solve_on_space

FILES = frozenset((*INITIAL_FILES, WEIGHTS, "report.md", "report.json", *PLOTS))


def solve(
    spec: Compilation | Spec | str | Path,
    out: str | Path | None = None,
    *,
    tol: float | None = None,
    budget: float | None = None,
    set: Sequence[str] | Mapping[str, object] = (),
    device: str | None = None,
    resume: bool = False,
    save_seconds: float = SAVE_SECONDS,
    listeners: Sequence[Listener] = (),
) -> Solution:
    """Solve an equation on a physical domain.

    Args:
        spec: a Compilation, a Spec, a path, the name of a shipped spec, or text.
        out: folder in which the solution, its report and its plots are saved; None to save nothing.
        tol: relative L2 error of the solution; None for that of the spec, by default 1e-4.
        budget: CPU seconds; None for that of the spec, by default 60.
        set: changes of the spec, as ["realize.equation=grid(n=64)"] or an equivalent mapping.
        device: "cpu", "cuda" or another torch device; None for the default.
        resume: continue the run in `out`.
        save_seconds: time between checkpoints.
        listeners: functions that receive progress events.

    Returns:
        `Solution`, a function of points with an error estimate; for an eigenproblem, `EigenSolution`. If the tolerance
        is not met within the budget, it is the best of all results, and `solution.verdict` is not `Verdict.HOLDS`.

    Raises:
        PdeError: if the spec has errors, or is not a problem on a physical domain.
        RunError: if the folder `out` cannot be used.

    Example:
        >>> import math
        >>> import pdedsl
        >>> solution = pdedsl.solve("heat", set={"realize.equation": "grid(n=32)"})
        >>> abs(solution([[0.5, 1.0]]).item() - math.exp(-0.1 * math.pi**2)) < 1e-8
        True
    """
    limits = {"solve.tolerance": tol, "solve.budget": budget}
    changes = set.items() if isinstance(set, Mapping) else (text.split("=", 1) for text in set)
    compilation = compile_problem(spec, {**dict(changes), **{n: v for n, v in limits.items() if v is not None}})
    if not isinstance(compilation.plan, SolvePlan):
        return _solve_on_space(compilation, None if out is None else Path(out), resume)
    options = solve_options(compilation, device)
    if compilation.plan.family is not None:
        return _solve_family(compilation, replace(options, watch=Watch(tuple(listeners))), out, resume)
    if out is None:
        return _solve_and_assess(compilation, replace(options, watch=Watch(tuple(listeners))), None, resume)[0]
    folder, statement = Path(out), compilation.plan.problem
    with (
        lock_run_folder(folder, resume, FILES | {str(f) for f in input_files(statement)}),
        catch_interrupts() as interrupted,
    ):
        newest = find_checkpoint(folder, compilation.spec)[0] if resume else None
        text, state = compilation.spec.source.text, State(newest.tensors, newest.plain) if newest else None
        with MetricsLog(folder / METRICS, newest.step if newest else 0) as log:
            active = (log, *listeners)
            watch = Watch(active, folder / CHECKPOINTS, text, interrupted, state, save_seconds)
            options = replace(options, watch=watch)
            copy_input_files(statement, compilation.spec.source, folder)
            write_text_atomically(folder / SPEC, text)
            solution, references = _solve_and_assess(compilation, options, folder, resume)
        if isinstance(solution, EigenSolution):
            save_figure(solution.plot(), folder / "solution.png")
        else:
            plot_run(folder, solution, options, accurate_reference(references, solution.error_estimate))
        write_report(folder, solution)
        return solution


def _solve_family(
    compilation: Compilation, options: SolveOptions, out: str | Path | None, resume: bool
) -> FamilySolution:
    """The solution of a family; its members are saved one by one, and are not solved again on resumption."""
    assert isinstance(compilation.plan, SolvePlan)
    if out is None:
        return solve_family(compilation, options, None)
    folder, problem = Path(out), compilation.plan.problem
    initial = FILES | {MEMBERS, FAMILY} | {str(f) for f in input_files(problem)}
    with lock_run_folder(folder, resume, initial), catch_interrupts() as interrupted:
        if (folder / SPEC).exists():
            require_same_spec((folder / SPEC).read_text("utf-8"), compilation.spec, folder)
        copy_input_files(problem, compilation.spec.source, folder)
        write_text_atomically(folder / SPEC, compilation.spec.source.text)
        watch = replace(options.watch, interrupted=interrupted)
        solution = solve_family(compilation, replace(options, watch=watch), folder)
        save_figure(solution.member(**solution.center).plot(), folder / "solution.png")
        write_report(folder, solution)
        return solution


def _solve_on_space(compilation: Compilation, folder: Path | None, resume: bool) -> Solution:
    """The solution by the evolution operator; its paths are simulated again when it is opened."""
    if folder is None:
        return solve_on_space(compilation, seed_of(compilation.spec))
    with lock_run_folder(folder, resume, FILES):
        write_text_atomically(folder / SPEC, compilation.spec.source.text)
        solution = replace(solve_on_space(compilation, seed_of(compilation.spec)), folder=folder)
        save_figure(solution.plot(), folder / "solution.png")
        write_report(folder, solution)
        return solution


def compile_problem(
    spec: Compilation | Spec | str | Path, settings: Sequence[str] | Mapping[str, object]
) -> Compilation:
    """A spec on a physical domain, or on R^d with known coefficients, with its settings; any other spec is refused."""
    compilation = compile_with_settings(spec, settings)
    if not isinstance(compilation.plan, SolvePlan) and not is_solvable_on_space(compilation):
        raise errors.runs.trained_not_solved(compilation.spec.space.span).within(compilation.spec.source)
    return compilation


def solve_options(compilation: Compilation, device: str | None = None) -> SolveOptions:
    """Options of the solver; reads the measurements. The budget begins here."""
    plan = compilation.plan
    assert isinstance(plan, SolvePlan)
    known = read_measurements(plan.problem, compilation.spec.source)
    return SolveOptions(
        seed_of(compilation.spec),
        resolve_device(device),
        measurements=known,
        tolerance=plan.tolerance,
        budget=CpuBudget(plan.budget),
    )


def seed_of(spec: Spec) -> int:
    return spec.train.seed if spec.train else 0


def _solve_and_assess(
    compilation: Compilation, options: SolveOptions, folder: Path | None, resume: bool
) -> tuple[Solution, tuple[Reference, ...]]:
    plan = compilation.plan
    assert isinstance(plan, SolvePlan)
    start_time = time.perf_counter()
    with torch.random.fork_rng(devices=[]):
        loaded = load_result(folder, plan, options) if folder is not None and resume else None
        if loaded is None:
            outcome = Strategy(plan, compilation.spec.source, options).run()
            seconds = elapsed_seconds(options.watch.state) + time.perf_counter() - start_time
            if folder is not None:
                save(folder, outcome, compilation.spec, seconds)
        else:
            outcome, seconds = loaded
        own, unmet = outcome.error_bar, outcome.unmet
        if plan.problem.eigenvalue is not None:
            estimate = ErrorEstimate((), internal=own, requested=plan.tolerance, unmet=unmet)
            return EigenSolution(compilation, outcome.result, estimate, seconds, folder, outcome.attempts), ()
        assessment = assess(outcome.result, plan, compilation.spec.source, options, own, unmet)
    solution = Solution(compilation, outcome.result, assessment.error_estimate, seconds, folder, outcome.attempts)
    return solution, assessment.references
