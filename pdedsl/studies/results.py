"""Results of a study: the metrics of each run, means over seeds, and paired comparisons with a baseline."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from pathlib import Path
from statistics import fmean

from pdedsl.document import Element, Heading, Items, Paragraph, Table, fragment, latex, markdown
from pdedsl.evaluation.run import FOLDER, OUTCOMES
from pdedsl.io import RunError, malformed_as_run_error, write_text_atomically
from pdedsl.studies.statistics import PairedDifference, mean_and_deviation, paired_difference
from pdedsl.studies.sweep_points import Settings, StudyPoint

TABLE = "table"  # the name of the files: table.md, table.tex, runs.csv
COST_HEADS = {"evaluations": "NFE", "samples_per_second": "samples per second"}
DISTANCE = "distance"  # part of the names of metrics that are not fractions


@dataclass(frozen=True)
class StudyRun:
    """An evaluated run. `outcomes` are the values of each metric for each sample, by the name of the metric; `cost` has
    parameters, evaluations of the right-hand side per sample, and samples per second."""

    point: StudyPoint
    folder: Path
    samples: str
    outcomes: dict[str, list[float]] = field(repr=False)
    cost: dict[str, float] = field(default_factory=dict, repr=False)

    def mean(self, metric: str) -> float:
        return fmean(self.outcomes[metric])


def read_run(point: StudyPoint, folder: Path) -> StudyRun:
    path = folder / FOLDER / OUTCOMES
    with malformed_as_run_error(f"{path} cannot be read: delete it and run the sweep again"):
        plain = json.loads(path.read_text("utf-8"))
        return StudyRun(point, folder, str(plain["samples"]), dict(plain["outcomes"]), dict(plain.get("cost", {})))


@dataclass(frozen=True)
class Arm:
    """The runs with the same settings, one for each seed."""

    settings: Settings
    runs: tuple[StudyRun, ...]

    @property
    def label(self) -> str:
        return ", ".join(f"{path} = {value}" for path, value in self.settings) or "the spec"

    def rows(self, metric: str) -> list[list[float]]:
        """The values of a metric, one row per seed."""
        return [run.outcomes[metric] for run in self.runs]


@dataclass(frozen=True)
class Study:
    """The runs of a sweep.

    Attributes:
        folder: folder of the study.
        runs: evaluated runs.
        failures: runs that diverged or are trained by another process, with the reason.

    Example:
        >>> import pdedsl
        >>> settings = {"train.epochs": 1, "train.data.train": 50, "train.data.test": 20, "evaluate.certify": ""}
        >>> study = pdedsl.sweep("convection_diffusion", "study", seeds=2, set=settings, report=lambda line: None)
        >>> [run.folder.name for run in study.runs]
        ['train.seed=0', 'train.seed=1']
        >>> study.arms[0].label, "clean" in study.metrics
        ('the spec', True)
    """

    folder: Path
    runs: tuple[StudyRun, ...]
    failures: tuple[tuple[StudyPoint, str], ...] = ()

    @cached_property
    def arms(self) -> tuple[Arm, ...]:
        """The runs by their settings, in the order of the sweep."""
        keys = dict.fromkeys(run.point.settings for run in self.runs)
        return tuple(Arm(key, tuple(r for r in self.runs if r.point.settings == key)) for key in keys)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that all runs have."""
        first, *others = (run.outcomes for run in self.runs)
        return tuple(name for name in first if all(name in outcomes for outcomes in others))

    @property
    def costs(self) -> tuple[str, ...]:
        """The measures of cost that all runs have."""
        first, *others = (run.cost for run in self.runs)
        return tuple(name for name in first if all(name in cost for cost in others))

    def difference(self, first: Arm, second: Arm, metric: str) -> PairedDifference | None:
        """second - first, over the common seeds and the samples; None if the samples differ or no seed is common."""
        return difference_of(first.runs, second.runs, metric, metric)

    # ---- Tables

    def summary(self) -> Table:
        """Mean ± standard deviation over seeds; one row per setting."""
        rows = [
            (
                arm.label,
                str(len(arm.runs)),
                *(mean_text(metric, arm) for metric in self.metrics),
                *(f"{fmean(run.cost[name] for run in arm.runs):,.4g}" for name in self.costs),
            )
            for arm in self.arms
        ]
        heads = (COST_HEADS.get(name, name) for name in self.costs)
        return Table(("settings", "runs", *self.metrics, *heads), tuple(rows))

    def comparisons(self) -> Table:
        """Paired differences to the first setting with 95 % intervals and p-values."""
        baseline, *others = self.arms
        rows = [(arm.label, *(self._difference_text(baseline, arm, m) for m in self.metrics)) for arm in others]
        return Table(("settings", *self.metrics), tuple(rows))

    def _difference_text(self, first: Arm, second: Arm, metric: str) -> str:
        difference = self.difference(first, second, metric)
        return difference_text(metric, difference) + f", p = {difference.p:.2g}" if difference else "not paired"

    def elements(self) -> list[Element]:
        """The tables as a document."""
        if not self.runs:
            return [Paragraph("No run is finished.")]
        page: list[Element] = [Heading("Mean ± standard deviation over seeds"), self.summary()]
        page.append(Paragraph("Accuracies in percent."))
        if len(self.arms) > 1:
            title = f"Difference to {self.arms[0].label}"
            page += [Heading(title), self.comparisons(), Paragraph(self._method())]
        failures = tuple(f"{point.label}: {reason}" for point, reason in self.failures)
        return [*page, Items(failures)] if failures else page

    def _method(self) -> str:
        seeds = min(len(arm.runs) for arm in self.arms)
        over = "samples and seeds" if seeds > 1 else "samples only: there is one seed"
        return (
            f"Paired differences with 95 % confidence intervals over {over}. The p-values are not corrected for the "
            f"number of comparisons, {(len(self.arms) - 1) * len(self.metrics)}."
        )

    def markdown(self) -> str:
        return markdown(self.elements())

    def _repr_html_(self) -> str:
        return fragment(self.elements(), Path())

    def latex(self) -> str:
        tables = [(self.summary(), "mean ± standard deviation over seeds; accuracies in percent")]
        if len(self.arms) > 1:
            tables.append((self.comparisons(), f"difference to {self.arms[0].label}; {self._method()}"))
        return "\n\n".join(latex(*table) for table in tables) + "\n"

    def csv(self) -> str:
        """One row per run: settings, seeds, metrics."""
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows(self._csv_rows())
        return text.getvalue()

    def _csv_rows(self) -> Iterator[Sequence[object]]:
        paths = list(dict.fromkeys(path for run in self.runs for path, _ in (*run.point.settings, *run.point.seeds)))
        yield (*paths, "samples", *self.metrics, *self.costs)
        for run in self.runs:
            values = dict((*run.point.settings, *run.point.seeds))
            count = len(next(iter(run.outcomes.values())))
            yield (
                *(values.get(path, "") for path in paths),
                count,
                *(run.mean(metric) for metric in self.metrics),
                *(run.cost[name] for name in self.costs),
            )

    def write(self) -> None:
        """Write table.md, table.tex and runs.csv."""
        write_text_atomically(self.folder / f"{TABLE}.md", self.markdown())
        if self.runs:
            write_text_atomically(self.folder / f"{TABLE}.tex", self.latex())
            write_text_atomically(self.folder / "runs.csv", self.csv())


def metric_of(run: StudyRun, name: str) -> str:
    """The metric with this name, or the first whose name begins so; RunError if there is none."""
    metric = name if name in run.outcomes else next((m for m in run.outcomes if m.startswith(name)), None)
    if metric is None:
        raise RunError(f"no metric '{name}'; available: {', '.join(run.outcomes)}")
    return metric


def difference_of(
    first: Iterable[StudyRun], second: Iterable[StudyRun], metric: str, other: str
) -> PairedDifference | None:
    """`other` of the second runs - `metric` of the first, over the common seeds and the samples; None if the samples
    differ or no seed is common."""
    by_seed = {run.point.seeds: run for run in first}
    pairs = [(by_seed[run.point.seeds], run) for run in second if run.point.seeds in by_seed]
    if not pairs or any(a.samples != b.samples for a, b in pairs) or len({a.samples for a, _ in pairs}) > 1:
        return None
    if len(pairs[0][0].outcomes[metric]) < 2:
        return None
    return paired_difference([a.outcomes[metric] for a, _ in pairs], [b.outcomes[other] for _, b in pairs])


def scale_of(metric: str) -> float:
    """Accuracies are shown in percent."""
    return 1.0 if DISTANCE in metric else 100.0


def mean_text(metric: str, arm: Arm) -> str:
    mean, deviation = mean_and_deviation([scale_of(metric) * run.mean(metric) for run in arm.runs])
    digits = 3 if DISTANCE in metric else 1
    return f"{mean:.{digits}f}" + (f" ± {deviation:.{digits}f}" if deviation is not None else "")


def difference_text(metric: str, difference: PairedDifference) -> str:
    """`+12.3 [10.1, 14.5]`."""
    digits = 3 if DISTANCE in metric else 1
    mean, low, high = (scale_of(metric) * value for value in (difference.mean, difference.low, difference.high))
    return f"{mean:+.{digits}f} [{low:+.{digits}f}, {high:+.{digits}f}]"
