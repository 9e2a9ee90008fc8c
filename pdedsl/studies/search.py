"""Random and TPE search of a sweep by Optuna, with a journal in the folder of the study.

A trial is trained with all seeds of the sweep, and its value is the mean of the objective over samples and seeds. An
interrupted trial is continued by the next process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from pdedsl.config.sweep import SweepAxis
from pdedsl.io import RunError, RunInterrupted
from pdedsl.studies.results import Study, StudyRun, metric_of
from pdedsl.studies.run import RUNS, Search, StudyRunner
from pdedsl.studies.sweep_points import StudyPoint, replicates, settings_of

JOURNAL = "study.journal"
SETTINGS = "settings"  # attribute of a trial: its settings


@dataclass(frozen=True)
class SearchSettings:
    """The sampler, the number of trials of the study, and the metric to be maximized or minimized."""

    search: Search
    trials: int | None = None
    maximize: str | None = None
    minimize: str | None = None


def run_search(runner: StudyRunner, axes: Sequence[SweepAxis], settings: SearchSettings) -> Study:
    """Trials until the study has as many as requested, by this and other processes."""
    if settings.trials is None:
        raise RunError(f"--search {settings.search} needs --trials, the number of trials")
    if settings.maximize is not None and settings.minimize is not None:
        raise RunError("a search has one objective: choose --maximize or --minimize")
    optuna = import_optuna()
    study = open_study(optuna, runner.folder, settings)
    seeds = replicates(axes)
    complete, failed = optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.FAIL
    while len(study.get_trials(deepcopy=False, states=(complete,))) < settings.trials:
        trial = study.ask()
        values = settings_of({axis.path: _suggest(trial, axis) for axis in axes if not axis.is_seed})
        trial.set_user_attr(SETTINGS, values)
        try:
            results = runner.run([StudyPoint(values, seed) for seed in seeds])
        except (RunInterrupted, KeyboardInterrupt):
            study.tell(trial, state=failed)
            study.enqueue_trial(trial.params)
            raise
        if results.failures:
            study.tell(trial, state=failed)
            continue
        study.tell(trial, _objective(results.runs, settings))
    trials = study.get_trials(deepcopy=False, states=(complete,))
    chosen = dict.fromkeys(tuple(map(tuple, trial.user_attrs[SETTINGS])) for trial in _sorted(trials, settings))
    return runner.run([StudyPoint(values, seed) for values in chosen for seed in seeds])


def import_optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise RunError("random and TPE search need Optuna: pip install 'pdedsl[sweep]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def open_study(optuna: Any, folder: Path, settings: SearchSettings) -> Any:
    """The study in the journal of a folder; several processes can write to it."""
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    (folder / RUNS).mkdir(parents=True, exist_ok=True)
    sampler = optuna.samplers.RandomSampler if settings.search is Search.RANDOM else optuna.samplers.TPESampler
    return optuna.create_study(
        study_name="sweep",
        storage=JournalStorage(JournalFileBackend(str(folder / JOURNAL))),
        sampler=sampler(seed=_trials_in(folder)),  # resumed studies and other processes draw other points
        direction="minimize" if settings.minimize else "maximize",
        load_if_exists=True,
    )


def _trials_in(folder: Path) -> int:
    path = folder / JOURNAL
    return len(path.read_bytes().splitlines()) if path.exists() else 0


def _suggest(trial: Any, axis: SweepAxis) -> object:
    if axis.bounds is None:
        return trial.suggest_categorical(axis.path, axis.values)
    low, high = map(float, axis.bounds)
    return trial.suggest_float(axis.path, low, high, log=axis.log)


def _objective(runs: Sequence[StudyRun], settings: SearchSettings) -> float:
    metric = metric_of(runs[0], settings.maximize or settings.minimize or default_metric(runs[0]))
    return fmean(run.mean(metric) for run in runs)


def default_metric(run: StudyRun) -> str:
    """The first worst case over attacks; without attacks, clean accuracy."""
    return next((name for name in run.outcomes if name.startswith("worst case")), "clean")


def _sorted(trials: Sequence[Any], settings: SearchSettings) -> list[Any]:
    """The best first."""
    return sorted(trials, key=lambda trial: trial.value, reverse=settings.minimize is None)
