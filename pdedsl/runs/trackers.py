"""Metrics of training in experiment trackers: MLflow and Weights & Biases.

A tracker receives the settings of a run once, the metrics of each reported step, and the end. MLflow writes to its
tracking URI, by default the folder ./mlruns; Weights & Biases to the project `pdedsl`. Both are imported where they are
used, and configured by their own environment variables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, final

from pdedsl.io import RunError
from pdedsl.runs.events import Assessed, Ended, Event, Started, Stepped
from pdedsl.runs.metrics import scalars_of


class TrackerName(StrEnum):
    MLFLOW = "mlflow"
    WANDB = "wandb"


class Tracker(Protocol):
    """Where the metrics of a run are logged."""

    def start(self, name: str, parameters: Mapping[str, str]) -> None: ...

    def log(self, metrics: Mapping[str, float], step: int) -> None: ...

    def finish(self, outcome: str) -> None: ...


@final
class TrackerLog:
    """A listener that sends settings and metrics to a tracker; `spec` is the text of the spec."""

    def __init__(self, tracker: Tracker, folder: Path, spec: str) -> None:
        self.tracker, self.folder, self.spec = tracker, folder, spec

    def __call__(self, event: Event) -> None:
        match event:
            case Started():
                parameters = {
                    "hash": event.hash,
                    "parameters": str(event.parameters),
                    "steps": str(event.steps),
                    "batch": str(event.batch),
                    "spec": self.spec,
                }
                self.tracker.start(f"{event.name} {self.folder.name}", parameters)
            case Stepped() | Assessed():
                self.tracker.log(scalars_of(event), event.step)
            case Ended():
                self.tracker.finish(event.outcome.value)
            case _:
                pass


@final
class MlflowTracker:
    """One MLflow run; the spec is an artifact, since parameters are limited in length."""

    def __init__(self) -> None:
        self.mlflow: Any = _import("mlflow", lambda: __import__("mlflow"))

    def start(self, name: str, parameters: Mapping[str, str]) -> None:
        self.mlflow.start_run(run_name=name)
        self.mlflow.log_params({key: value for key, value in parameters.items() if key != "spec"})
        self.mlflow.log_text(parameters["spec"], "spec.pde")

    def log(self, metrics: Mapping[str, float], step: int) -> None:
        self.mlflow.log_metrics({name.replace(" ", "_"): value for name, value in metrics.items()}, step=step)

    def finish(self, outcome: str) -> None:
        self.mlflow.set_tag("outcome", outcome)
        self.mlflow.end_run("FINISHED" if outcome == "finished" else "FAILED")


@final
class WandbTracker:
    """One run of Weights & Biases."""

    def __init__(self) -> None:
        self.wandb: Any = _import("wandb", lambda: __import__("wandb"))
        self.run: Any = None

    def start(self, name: str, parameters: Mapping[str, str]) -> None:
        self.run = self.wandb.init(project="pdedsl", name=name, config=dict(parameters))

    def log(self, metrics: Mapping[str, float], step: int) -> None:
        self.run.log(dict(metrics), step=step)

    def finish(self, outcome: str) -> None:
        self.run.summary["outcome"] = outcome
        self.run.finish(exit_code=0 if outcome == "finished" else 1)


def _import(package: str, load: Callable[[], Any]) -> Any:
    try:
        return load()
    except ImportError:
        raise RunError(f"--log {package} needs the package: pip install {package}") from None


def open_tracker(name: str) -> Tracker:
    """The tracker with this name, "mlflow" or "wandb"; RunError if its package is not installed."""
    match TrackerName(name):
        case TrackerName.MLFLOW:
            return MlflowTracker()
        case TrackerName.WANDB:
            return WandbTracker()
