"""report.md of a training run."""

from __future__ import annotations

from pathlib import Path

import pdedsl
from pdedsl.document import markdown
from pdedsl.training.report import SplitMetrics, results_table
from training import specs


def test_the_report_of_a_run(tmp_path: Path) -> None:
    text = specs.MOONS.replace("pde", "# ```\npde", 1)  # a fence does not end the block of the equation
    run = pdedsl.train(text, tmp_path, set=("train.epochs=1",), listeners=())
    (tmp_path / "boundary.png").write_bytes(b"")
    pdedsl.train(text, tmp_path, set=("train.epochs=1",), resume=True, listeners=())
    report = (tmp_path / "report.md").read_text("utf-8")
    experiment, results, usage, resume = (
        report.partition(f"## {title}\n\n")[2].partition("\n\n## ")[0]
        for title in ("Experiment", "Results", "Usage", "Continue training")
    )
    assert "````pde\n" in report
    table = [line.strip("| ").split(" | ", 1) for line in experiment.splitlines() if line.startswith("| ")]
    rows = dict(pair for pair in table if len(pair) == 2)
    spec = pdedsl.parse((tmp_path / "spec.pde").read_text("utf-8"))
    assert rows["Epochs"] == "1"
    assert rows["Batch size"] == "50"
    assert rows["Outcome"] == "finished"
    assert rows["Spec hash"] == spec.hash
    assert rows["Parameters"] == f"{sum(p.numel() for p in run.module.parameters()):,}"
    assert f"| test | {100 * run.metrics['test_accuracy']:.2f}% | {run.metrics['test_loss']:.4f} |" in results
    assert "![Class probabilities, decision boundary and test samples](boundary.png)" in results
    assert "curves.png" not in results  # there is no such file
    assert f"run = pdedsl.Run.open({str(tmp_path)!r})" in usage
    assert f"pdedsl train {tmp_path}/spec.pde -o {tmp_path} --resume --set train.epochs=2" in resume


def test_evaluations_are_a_column_when_known() -> None:
    results = (SplitMetrics("training", 0.05, 0.9876, 38.04), SplitMetrics("test", 0.07, None))
    assert markdown([results_table(results)]) == (
        "| Split | Accuracy | Cross-entropy | Function evaluations per sample |\n| --- | --- | --- | --- |\n"
        "| training | 98.76% | 0.0500 | 38.0 |\n| test | - | 0.0700 | - |\n"
    )
