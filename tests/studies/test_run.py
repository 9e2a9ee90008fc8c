"""Sweeps of a small spec: run folders, resumption, tables, workers and search."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import pdedsl
from pdedsl.cli import cli
from pdedsl.diagnostics import PdeError
from pdedsl.io import RunError
from pdedsl.runs.folder import lock_file
from pdedsl.studies.results import Study
from pdedsl.studies.statistics import paired_difference
from pdedsl.studies.sweep_points import StudyPoint, grid

SPEC = """pde Study
const   T = 1
space   x in R²
time    t in [0, T]
unknown u(x, t) : simplex(2)
learn   v(x, t) : vector   = mlp(width=4, depth=1)
learn   W       : operator = linear

∂u/∂t = v·∇u
u(x, 0) = softmax(W x)

realize time by euler(steps=2)

train {
  data      moons(train=60, test=40, noise=0.2)
  steps     20
  batch     20
  optimizer adam(lr=0.1)
}

evaluate {
  attack fgsm(eps=0.2)
  audit  none
}

sweep {
  T in [1, 2]
  train.seed in 0..1
}
"""


def run(folder: Path, spec: str = SPEC, **options: object) -> Study:
    return pdedsl.sweep(spec, folder, report=lambda line: None, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return run(tmp_path_factory.mktemp("study"))


def test_points_are_run_folders(study: Study) -> None:
    names = [f"T={t},train.seed={s}" for t in (1, 2) for s in (0, 1)]
    assert [r.folder.name for r in study.runs] == names
    assert pdedsl.Run.open(study.runs[2].folder).outcome.value == "finished"
    text = (study.runs[3].folder / "spec.pde").read_text("utf-8")
    assert "sweep" not in text
    assert "seed 1" in text
    assert "T = 2" in text


def test_outcomes_are_those_of_the_report(study: Study) -> None:
    report = json.loads((study.runs[0].folder / "evaluation" / "report.json").read_text("utf-8"))
    assert study.runs[0].mean("clean") == pytest.approx(report["clean"]["accuracy"]["value"])
    assert study.runs[0].mean("FGSM (ℓ∞, ε = 0.2)") == pytest.approx(report["robust"][0]["accuracy"]["value"])
    assert study.runs[0].mean("worst case (ℓ∞, ε = 0.2)") == pytest.approx(report["worst_case"][0]["accuracy"]["value"])


def test_tables(study: Study) -> None:
    rows = list(csv.reader(study.csv().splitlines()))
    metrics = ["clean", "FGSM (ℓ∞, ε = 0.2)", "worst case (ℓ∞, ε = 0.2)"]
    assert rows[0] == ["T", "train.seed", "samples", *metrics, "parameters", "evaluations", "samples_per_second"]
    assert [row[6:8] for row in rows[1:]] == [["30", "2.0"]] * 4  # two Euler steps
    assert study.summary().head[-3:] == ("parameters", "NFE", "samples per second")
    assert [row[:3] for row in rows[1:]] == [["1", "0", "40"], ["1", "1", "40"], ["2", "0", "40"], ["2", "1", "40"]]
    first, second = study.arms
    found = study.difference(first, second, "clean")
    assert found == paired_difference(first.rows("clean"), second.rows("clean"))
    mean = 50 * sum(run.mean("clean") for run in first.runs)
    assert study.summary().rows[0][2].startswith(f"{mean:.1f} ± ")
    assert study.latex().count(r"\begin{tabular}") == 2
    assert (study.folder / "table.md").read_text("utf-8") == study.markdown()


def test_finished_runs_are_reused(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pdedsl.studies.run.train", None)
    monkeypatch.setattr("pdedsl.studies.run.evaluate_run", None)
    assert run(study.folder) == study


def test_another_evaluation_reuses_the_weights(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    folder = Path(shutil.copytree(study.folder, tmp_path / "copy"))
    monkeypatch.setattr("pdedsl.studies.run.train", None)
    found = run(folder, SPEC.replace("eps=0.2", "eps=0.3"))
    assert "FGSM (ℓ∞, ε = 0.3)" in found.metrics


def test_another_spec_is_refused(study: Study) -> None:
    with pytest.raises(RunError, match="a run of another spec"):
        run(study.folder, SPEC.replace("lr=0.1", "lr=0.2"))


def test_an_interrupted_run_is_continued(study: Study, tmp_path: Path) -> None:
    """A killed run leaves checkpoints without weights; its study has the same results as without the interruption."""
    import shutil

    folder = Path(shutil.copytree(study.folder, tmp_path / "copy"))
    victim = folder / "runs" / "T=1,train.seed=1"
    (victim / "weights.safetensors").unlink()
    shutil.rmtree(victim / "evaluation")
    assert [r.outcomes for r in run(folder).runs] == [r.outcomes for r in study.runs]


def test_an_interrupted_evaluation_is_continued(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The batches that were done are read: none is measured again."""
    import shutil

    folder = Path(shutil.copytree(study.folder, tmp_path / "copy"))
    evaluation = folder / "runs" / "T=1,train.seed=1" / "evaluation"
    (evaluation / "report.json").unlink()
    (evaluation / "outcomes.json").unlink()
    monkeypatch.setattr("pdedsl.evaluation.engine.measure_batch", None)
    assert [r.outcomes for r in run(folder).runs] == [r.outcomes for r in study.runs]


def test_another_subset_is_evaluated(study: Study, tmp_path: Path) -> None:
    import shutil

    folder = Path(shutil.copytree(study.folder, tmp_path / "copy"))
    assert {len(r.outcomes["clean"]) for r in run(folder, subset=10).runs} == {10}
    assert [r.outcomes for r in run(folder).runs] == [r.outcomes for r in study.runs]


def test_runs_of_another_process_are_skipped(study: Study, tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "T=1,train.seed=0"
    folder.mkdir(parents=True)
    with lock_file(folder / ".lock", "locked"):
        found = run(tmp_path)
    assert [point.label for point, _ in found.failures] == ["T=1, train.seed=0"]
    assert [r.outcomes for r in found.runs] == [r.outcomes for r in study.runs[1:]]
    assert "another process" in found.markdown()


@pytest.mark.long
def test_workers(study: Study, tmp_path: Path) -> None:
    assert [r.outcomes for r in run(tmp_path, workers=2).runs] == [r.outcomes for r in study.runs]


def test_seeds_option(tmp_path: Path) -> None:
    alone = SPEC[: SPEC.index("sweep")]
    assert [r.folder.name for r in run(tmp_path, alone, seeds=2).runs] == ["train.seed=0", "train.seed=1"]


def test_the_command(study: Study) -> None:
    spec = study.folder.parent / "study.pde"
    spec.write_text(SPEC, "utf-8")
    done = CliRunner().invoke(cli, ["sweep", str(spec), "-o", str(study.folder)])
    assert done.exit_code == 0
    assert "## Mean ± standard deviation over seeds" in done.stdout


def test_nothing_to_sweep(tmp_path: Path) -> None:
    with pytest.raises(PdeError) as caught:
        run(tmp_path, SPEC[: SPEC.index("sweep")])
    assert caught.value.diagnostics[0].code == "E707"


def test_a_grid_needs_values(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="--search random or tpe"):
        run(tmp_path, SPEC.replace("[1, 2]\n", "1.0..2.5\n"))


def test_errors_of_a_point_come_before_the_first_run(tmp_path: Path) -> None:
    wrong = SPEC.replace("T in [1, 2]", "realize.time in [euler(steps=2), imex_euler(steps=2)]")
    with pytest.raises(PdeError):
        run(tmp_path, wrong)
    assert not (tmp_path / "runs").exists()


def test_names_of_folders() -> None:
    assert StudyPoint((("σ²", "0.1"),)).folder == "sigma^2=0.1"
    first, second = (StudyPoint((("learn.v", f"mlp(width={w})"),)).folder for w in ("8", "[8]"))
    assert first != second
    assert len(StudyPoint(tuple((f"train.{k}", "x" * 30) for k in range(9))).folder) < 255  # the limit of file systems


@pytest.mark.parametrize("search", ["random", "tpe"])
def test_search(search: str, tmp_path: Path) -> None:
    spec = SPEC.replace("T in [1, 2]", "T in 0.5..2.0\n  train.optimizer.lr in 1e-3..1e-1, log").replace(
        "0..1\n", "[0]\n"
    )
    first = run(tmp_path, spec, search=search, trials=2)
    again = run(tmp_path, spec, search=search, trials=3)
    points = {r.point.settings for r in again.runs}
    assert len(points) == 3
    assert {r.point.settings for r in first.runs} < points
    values = [dict(settings) for settings in points]
    assert all(0.5 <= float(v["T"]) <= 2 and 1e-3 <= float(v["train.optimizer.lr"]) <= 0.1 for v in values)
    best = [r.mean("worst case (ℓ∞, ε = 0.2)") for r in again.runs]
    assert best == sorted(best, reverse=True)  # the best first


def test_search_needs_trials(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="--trials"):
        run(tmp_path, search="random")


def test_grid() -> None:
    sweep = pdedsl.parse(SPEC).sweep
    assert sweep is not None
    assert grid(sweep.axes)[1] == StudyPoint((("T", "1"),), (("train.seed", "1"),))
