"""`pdedsl sweep`: trains and evaluates a spec for all points of its `sweep` block, or for random or TPE samples of it.

DIR/runs/SETTINGS is an ordinary run folder. Finished runs are reused, so that an interrupted sweep continues where it
stopped, and several processes or machines can share a folder: a run that another process has locked is skipped.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from enum import StrEnum
from multiprocessing import get_context
from pathlib import Path

import torch

from pdedsl import errors
from pdedsl.compiler import check, to_spec
from pdedsl.config.sweep import Sweep
from pdedsl.diagnostics import Source
from pdedsl.evaluation.run import FOLDER, OUTCOMES, evaluate_run
from pdedsl.io import RunError, RunInterrupted, write_text_atomically
from pdedsl.ir.spec import Spec
from pdedsl.language.elaborate.sweep import without_sweep
from pdedsl.runs.checkpoint import CorruptCheckpoint, load_tensors
from pdedsl.runs.events import RunOutcome
from pdedsl.runs.folder import SPEC, WEIGHTS, FolderLocked
from pdedsl.sources import apply_settings, source_of
from pdedsl.studies.results import Study, StudyRun, read_run
from pdedsl.studies.sweep_points import StudyPoint, grid, with_seeds
from pdedsl.training.run import train

RUNS = "runs"
REPORT = "report.json"
Report = Callable[[str], None]


class Search(StrEnum):
    """The points of a sweep: all of them, random ones, or those proposed by a tree-structured Parzen estimator
    (Bergstra et al. 2011)."""

    GRID = "grid"
    RANDOM = "random"
    TPE = "tpe"


@dataclass(frozen=True)
class StudyOptions:
    """Options of the runs that are not part of the spec."""

    subset: int | None = None
    data: Path | None = None
    device: str | None = None
    trust: bool = False


@dataclass(frozen=True)
class StudyTask:
    """One run: the spec with its settings, and the folder."""

    point: StudyPoint
    spec: str  # its text
    folder: Path
    options: StudyOptions


def sweep(
    spec: Spec | str | Path,
    out: str | Path,
    *,
    set: Sequence[str] | Mapping[str, object] = (),
    seeds: int | None = None,
    search: str = "grid",
    trials: int | None = None,
    maximize: str | None = None,
    minimize: str | None = None,
    workers: int = 1,
    subset: int | None = None,
    data: str | Path | None = None,
    device: str | None = None,
    trust: bool = False,
    report: Report | None = None,
) -> Study:
    """Train and evaluate a spec for every point of its `sweep` block; tables of means, standard deviations and paired
    differences are written to the folder of the study.

    Finished runs in the folder are reused. Random and TPE search need Optuna, from `pip install 'pdedsl[sweep]'`; their
    trials are stored in a journal, which several processes and machines can share.

    Args:
        spec: a Spec, a path, the name of a shipped spec, or text.
        out: folder of the study.
        set: changes of the spec, as ["train.epochs=2"] or {"train.epochs": 2}.
        seeds: number of training seeds, 0, 1, …; by default those of the block.
        search: "grid", "random" or "tpe".
        trials: number of trials of a random or TPE search.
        maximize: metric that a search maximizes, as "clean"; by default the worst case over attacks, else "clean".
        minimize: metric that a search minimizes.
        workers: number of processes.
        subset: size of a stratified subset of the test samples; None for all.
        data: folder of data sets.
        device: "cpu", "cuda" or another torch device; None for the default.
        trust: allow importing the Python modules that the spec names.
        report: function that receives a line of text after each run; by default it is written to standard error.

    Returns:
        `Study` with all runs and tables.

    Raises:
        PdeError: if the spec, or the spec at a point of the sweep, has errors.
        RunError: if there is nothing to sweep, or the folder contains another study.

    Example:
        >>> import pdedsl
        >>> settings = {"train.epochs": 1, "train.data.train": 50, "train.data.test": 20, "evaluate.certify": ""}
        >>> study = pdedsl.sweep("convection_diffusion", "study", seeds=2, set=settings, report=lambda line: None)
        >>> len(study.runs), study.summary().head[:3]
        (2, ('settings', 'runs', 'clean'))
    """
    pairs = [f"{key}={value}" for key, value in set.items()] if isinstance(set, Mapping) else list(set)
    source = apply_settings(spec.source if isinstance(spec, Spec) else source_of(spec), pairs)
    elaborated = to_spec(source)
    axes = with_seeds((elaborated.sweep or Sweep(())).axes, seeds)
    if not axes:
        raise errors.runs.missing_sweep(elaborated.space.span).within(source)
    alone = source if elaborated.sweep is None else without_sweep(source, elaborated.sweep)
    folder, root = Path(out), None if data is None else Path(data)
    options = StudyOptions(subset, root, device, trust)
    runner = StudyRunner(folder, alone, options, workers, report or _to_standard_error)
    if Search(search) is not Search.GRID:
        from pdedsl.studies.search import SearchSettings, run_search

        settings = SearchSettings(Search(search), trials, maximize, minimize)
        study = run_search(runner, axes, settings)
    else:
        if trials is not None or maximize is not None or minimize is not None:
            raise RunError("a grid has no trials and no objective: choose --search random or tpe")
        study = runner.run(grid(axes))
    study.write()
    return study


def _to_standard_error(line: str) -> None:
    sys.stderr.write(line + "\n")


@dataclass(frozen=True)
class StudyRunner:
    """Trains and evaluates points of a study of `source`."""

    folder: Path
    source: Source
    options: StudyOptions
    workers: int
    report: Report

    def task(self, point: StudyPoint) -> StudyTask:
        """The task of a point. Raises `PdeError` if its spec has errors."""
        source = apply_settings(self.source, point.all_settings)
        check(source, self.options.data).require_plan()
        return StudyTask(point, source.text, self.folder / RUNS / point.folder, self.options)

    def run(self, points: Sequence[StudyPoint]) -> Study:
        """The study of these points; all specs are checked before the first run."""
        tasks = [self.task(point) for point in points]
        runs: dict[StudyPoint, StudyRun] = {}
        failures: dict[StudyPoint, str] = {}
        for done, (task, failure) in enumerate(self._perform(tasks), 1):
            where = f"{done} of {len(tasks)}: {task.point.label}"
            if failure:
                failures[task.point] = failure
                self.report(f"{where}: {failure}")
                continue
            run = runs[task.point] = read_run(task.point, task.folder)
            self.report(f"{where}: {describe_run(run)}")
        return Study(
            self.folder,
            tuple(runs[point] for point in points if point in runs),
            tuple((point, failures[point]) for point in points if point in failures),
        )

    def _perform(self, tasks: Sequence[StudyTask]) -> Iterator[tuple[StudyTask, str]]:
        """The tasks as they are finished, with the reason if one failed."""
        if self.workers == 1:
            for task in tasks:
                yield task, perform(task)
            return
        threads = max(1, (os.cpu_count() or 1) // self.workers)
        pool = ProcessPoolExecutor(self.workers, get_context("spawn"), torch.set_num_threads, (threads,))
        try:
            futures = {pool.submit(perform, task): task for task in tasks}
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def describe_run(run: StudyRun) -> str:
    worst = [name for name in run.outcomes if name.startswith("worst case")]
    return ", ".join(f"{name} {100 * run.mean(name):.1f} %" for name in ("clean", *worst))


def perform(task: StudyTask) -> str:
    """Train and evaluate, as far as this is not yet done; the reason if it is not possible."""
    try:
        return _perform(task)
    except FolderLocked as locked:
        return str(locked)


def _perform(task: StudyTask) -> str:
    spec, options = to_spec(Source(task.spec)), task.options
    if not is_trained(task.folder, spec):
        run = train(
            spec,
            task.folder,
            data=options.data,
            device=options.device,
            resume=task.folder.exists(),
            trust=options.trust,
            listeners=(),
        )
        if run.outcome is RunOutcome.INTERRUPTED:
            raise RunInterrupted
        if run.outcome is not RunOutcome.FINISHED:
            return run.message
    if not is_evaluated(task.folder, spec, options):
        write_text_atomically(task.folder / SPEC, task.spec)
        evaluate_run(
            task.folder,
            subset=options.subset,
            data=options.data,
            device=options.device,
            resume=is_partly_evaluated(task.folder),
            trust=options.trust,
        )
    return ""


def is_trained(folder: Path, spec: Spec) -> bool:
    """Whether the folder has the final weights of this spec; it may have been evaluated differently."""
    if not (folder / WEIGHTS).is_file() or not (folder / SPEC).is_file():
        return False
    try:
        load_tensors(folder / WEIGHTS)
    except CorruptCheckpoint as damage:
        raise RunError(str(damage)) from None
    saved = to_spec(source_of(folder / SPEC))
    if _trained_part(saved) != _trained_part(spec):
        raise RunError(f"{folder} contains a run of another spec; choose another folder for the study")
    return True


def _trained_part(spec: Spec) -> str:
    return replace(spec, evaluate=None, solve=None).canonical


def is_partly_evaluated(folder: Path) -> bool:
    """Whether an evaluation was interrupted."""
    return any((folder / FOLDER).glob("parts-*.jsonl")) and not (folder / FOLDER / REPORT).exists()


def is_evaluated(folder: Path, spec: Spec, options: StudyOptions) -> bool:
    """Whether the folder has the outcomes of this spec on the requested samples."""
    try:
        report = json.loads((folder / FOLDER / REPORT).read_text("utf-8"))
        outcomes = json.loads((folder / FOLDER / OUTCOMES).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return (report.get("hash"), outcomes.get("subset")) == (spec.hash, options.subset)
