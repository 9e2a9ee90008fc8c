"""`pdedsl reproduce`: the experiment of a paper, with its results beside ours and a verdict on each claim."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any

from pdedsl.compiler import to_spec
from pdedsl.diagnostics import Source
from pdedsl.document import CodeBlock, Element, Heading, Items, Paragraph, Table, markdown
from pdedsl.evaluation.run import FOLDER, OUTCOMES
from pdedsl.io import RunError, write_text_atomically
from pdedsl.language.elaborate.sweep import without_sweep
from pdedsl.runs.folder import METRICS
from pdedsl.runs.metrics import read_json_lines
from pdedsl.sources import apply_settings, read_source, shipped_folder
from pdedsl.studies.papers import EXPERIMENTS, ArmMetric, Claim, Experiment
from pdedsl.studies.results import Arm, Study, StudyRun, difference_of, difference_text, mean_text, metric_of
from pdedsl.studies.run import sweep
from pdedsl.studies.statistics import PairedDifference
from pdedsl.studies.sweep_points import grid
from pdedsl.training.forecast import duration, forecast_training

PAGE = "page.md"


class ExperimentSize(StrEnum):
    """A small network on two cores, or the set-up of the paper, for a GPU."""

    LAPTOP = "laptop"
    PAPER = "paper"


class ClaimVerdict(StrEnum):
    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Reproduction:
    """The studies of an experiment, by spec.

    Attributes:
        folder: folder of the reproduction, with page.md.
        experiment: specs, published results and claims.
        studies: studies by the name of their spec.
        specs: sources by the name of the spec.
    """

    folder: Path
    experiment: Experiment
    studies: Mapping[str, Study]
    specs: Mapping[str, Source]

    @property
    def day(self) -> date:
        """The day of the last evaluation."""
        runs = [run for study in self.studies.values() for run in study.runs]
        return date.fromtimestamp(max((run.folder / FOLDER / OUTCOMES).stat().st_mtime for run in runs))

    def arm(self, measured: ArmMetric) -> Arm:
        arms = self.studies[measured.spec].arms
        arm = next((arm for arm in arms if not arm.settings or arm.label == measured.settings), None)
        if arm is None:
            raise RunError(f"no finished run of {measured.spec} with {measured.settings}")
        return arm

    def difference(self, claim: Claim) -> PairedDifference | None:
        """`greater` - `smaller` of a claim."""
        first, second = self.runs(claim.smaller), self.runs(claim.greater)
        return difference_of(first, second, self.metric(claim.smaller), self.metric(claim.greater))

    def runs(self, measured: ArmMetric) -> list[StudyRun]:
        """The runs of an arm, with the values of `minus` subtracted from those of the metric."""
        runs = list(self.arm(measured).runs)
        if not measured.minus:
            return runs
        name, minus = self.metric(measured), metric_of(runs[0], measured.minus)
        return [
            replace(run, outcomes={name: [a - b for a, b in zip(run.outcomes[name], run.outcomes[minus], strict=True)]})
            for run in runs
        ]

    def metric(self, measured: ArmMetric) -> str:
        return metric_of(self.arm(measured).runs[0], measured.metric)

    def verdict(self, claim: Claim) -> ClaimVerdict:
        return verdict_of(self.difference(claim), claim.margin)

    # ---- Page

    def markdown(self) -> str:
        return markdown(self.elements())

    def elements(self) -> list[Element]:
        experiment = self.experiment
        page: list[Element] = [
            Heading(f"Results: {experiment.title}", 2),
            Paragraph(self._setting()),
            Table(("", f"published ({experiment.source})", "ours"), tuple(self._rows())),
            Paragraph("Accuracies in percent; mean ± standard deviation over seeds."),
            Heading("Claims", 3),
            Table(("claim", "difference with 95 % interval", "verdict"), tuple(map(self._claim, experiment.claims))),
            Paragraph(
                "Intervals of paired differences over images and seeds. A claim is confirmed if the interval is above "
                "the margin, which is 0 unless stated, refuted if it is below, and undecided otherwise."
            ),
            *self._audits(),
            Heading("Differences from the paper", 3),
            Items(experiment.differences),
            Heading("Specs", 3),
            *(CodeBlock(source.text, "pde") for source in self.specs.values()),
        ]
        failures = [f"{point.label}: {why}" for study in self.studies.values() for point, why in study.failures]
        if failures:
            page += [Heading("Failed runs", 3), Items(tuple(failures))]
        return page

    def _setting(self) -> str:
        runs = [run for study in self.studies.values() for run in study.runs]
        samples = len(runs[0].outcomes["clean"])
        seeds = len({run.point.seeds for run in runs})
        seconds = sum(map(seconds_of, (run.folder for run in runs)))
        parameters = sorted({parameters_of(run.folder) for run in runs})
        sizes = ", ".join(f"{count:,}" for count in parameters)
        return (
            f"Run on {self.day.isoformat()} on {os.cpu_count()} cores: {len(runs)} runs with {sizes} parameters, "
            f"{seeds} seeds, {samples:,} test images; {seconds / 60:.0f} minutes of training and evaluation in total, "
            f"by the wall clock of the runs."
        )

    def _rows(self) -> list[tuple[str, ...]]:
        rows = self.experiment.rows
        return [(row.label, row.published, mean_text(self.metric(row.ours), self.arm(row.ours))) for row in rows]

    def _claim(self, claim: Claim) -> tuple[str, ...]:
        difference = self.difference(claim)
        text = "not paired" if difference is None else difference_text(self.metric(claim.greater), difference)
        return claim.text, text, verdict_of(difference, claim.margin).value

    def _audits(self) -> list[Element]:
        """The verdicts of the gradient-masking audits and of the stochastic protocol, counted."""
        page: list[Element] = []
        for title, key, text in (
            ("Gradient-masking audits", "audits", "possible gradient masking in {} of {} audits"),
            ("Stochastic protocol", "stochastic", "gradient attacks overestimate the robust accuracy in {} of {} runs"),
        ):
            lines = []
            for arm in (arm for study in self.studies.values() for arm in study.arms):
                masked = [verdict["masked"] for run in arm.runs for verdict in _report_of(run.folder)[key]]
                if masked:
                    lines.append(f"{arm.label}: {text.format(sum(masked), len(masked))}")
            page += [Heading(title, 3), Items(tuple(lines))] if lines else []
        return page


def verdict_of(difference: PairedDifference | None, margin: float) -> ClaimVerdict:
    if difference is not None and difference.low > margin:
        return ClaimVerdict.CONFIRMED
    if difference is not None and difference.high < margin:
        return ClaimVerdict.REFUTED
    return ClaimVerdict.UNDECIDED


def _report_of(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / FOLDER / "report.json").read_text("utf-8")))


def parameters_of(folder: Path) -> int:
    return int(_report_of(folder)["parameters"])


def seconds_of(folder: Path) -> float:
    """Wall-clock time of training and of all measurements of a run."""
    rows = [row["seconds"] for row in read_json_lines(folder / METRICS) if "seconds" in row]
    return max(rows, default=0.0) + sum(float(seconds) for _, seconds in _report_of(folder)["seconds"])


# ---- Command


def reproduce(
    name: str,
    out: str | Path,
    *,
    scale: str = "laptop",
    set: Sequence[str] = (),
    workers: int = 1,
    data: str | Path | None = None,
    device: str | None = None,
    report: Callable[[str], None] | None = None,
) -> Reproduction:
    """Run the experiment of a paper and write a page with its published results beside ours.

    Finished runs in the folder are reused.

    Args:
        name: "convection_diffusion", "enresnet", "parabolic", "neural_ode" or "heat_smoothing".
        out: folder of the reproduction.
        scale: "laptop" for small networks on two cores, "paper" for the set-up of the paper on a GPU.
        set: changes of all specs of the experiment, as ["train.data.test=500"].
        workers: number of processes.
        data: folder of data sets.
        device: "cpu", "cuda" or another torch device; None for the default.
        report: function that receives a line of text after each run.

    Returns:
        `Reproduction` with all studies and the verdict on each claim.

    Raises:
        RunError: if there is no such experiment, or the folder contains another study.

    Example:
        >>> import pdedsl
        >>> try:
        ...     pdedsl.reproduce("resnet", "out")
        ... except pdedsl.RunError as error:
        ...     print(error)
        no experiment 'resnet'; available: convection_diffusion, enresnet, parabolic, neural_ode, heat_smoothing
    """
    experiment = find_experiment(name)
    return run_experiment(experiment, Path(out), _settings(experiment, scale, set), workers, data, device, report)


def find_experiment(name: str) -> Experiment:
    if name not in EXPERIMENTS:
        raise RunError(f"no experiment '{name}'; available: {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]


def _settings(experiment: Experiment, scale: str, more: Sequence[str]) -> list[str]:
    return [*(experiment.paper if ExperimentSize(scale) is ExperimentSize.PAPER else ()), *more]


def _sources(experiment: Experiment, settings: Sequence[str]) -> dict[str, Source]:
    return {spec: apply_settings(read_source(paper_spec(spec)), settings) for spec in experiment.specs}


def forecast_reproduction(
    name: str,
    *,
    scale: str = "laptop",
    set: Sequence[str] = (),
    data: str | Path | None = None,
    device: str | None = None,
) -> str:
    """The predicted time of training for each setting and in total, from a few measured steps."""
    experiment = find_experiment(name)
    lines, total = [], 0.0
    for spec, source in _sources(experiment, _settings(experiment, scale, set)).items():
        declared = to_spec(source).sweep
        assert declared is not None
        points = grid(declared.axes)
        for settings in dict.fromkeys(point.settings for point in points):
            runs = [point for point in points if point.settings == settings]
            alone = apply_settings(without_sweep(source, declared), runs[0].all_settings)
            cost = forecast_training(alone.text, data=data, device=device)
            total += len(runs) * cost.seconds
            label = ", ".join(f"{path}={value}" for path, value in settings) or spec
            lines.append(f"{label}: {len(runs)} runs of {duration(cost.seconds)}")
    return "\n".join([*lines, f"training takes {duration(total)}, without evaluation"])


def run_experiment(
    experiment: Experiment,
    folder: Path,
    settings: Sequence[str] = (),
    workers: int = 1,
    data: str | Path | None = None,
    device: str | None = None,
    report: Callable[[str], None] | None = None,
) -> Reproduction:
    """Train and evaluate all specs of an experiment, and write the page."""
    specs = _sources(experiment, settings)
    studies = {}
    for spec, source in specs.items():
        studies[spec] = sweep(source.text, folder / spec, workers=workers, data=data, device=device, report=report)
        if not studies[spec].runs:
            raise RunError(f"no run of {spec} is finished: {'; '.join(reason for _, reason in studies[spec].failures)}")
    reproduction = Reproduction(folder, experiment, studies, specs)
    write_text_atomically(folder / PAGE, reproduction.markdown())
    return reproduction


def paper_spec(name: str) -> Path:
    """The file of a spec of an experiment."""
    return shipped_folder() / "papers" / f"{name}.pde"
