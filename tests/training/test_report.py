"""report.md of a training run, as exact text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pdedsl.training.report import SplitMetrics, TrainingSummary, report_text, write_report

SUMMARY = TrainingSummary(
    name="Heat",
    title="Diffusion of scores",
    hash="0123abcd",
    equation="pde Heat\n\n∂u/∂t = Δu\n",
    data="moons (6,000 training | 1,000 test)",
    epochs=10,
    batch=64,
    optimizer="adam(lr=0.001)",
    parameters=12345,
    steps=940,
    seconds=75.2,
    outcome="finished",
    results=(SplitMetrics("training", 0.05, 0.9876), SplitMetrics("test", 0.07, None)),
    usage='import pdedsl\n\nmodel = pdedsl.Run.open("runs/heat").module',
    resume="pdedsl train heat -o runs/heat --resume",
)
TEXT = """\
# Heat

Diffusion of scores

```pde
pde Heat

∂u/∂t = Δu
```

## Experiment

|  |  |
| --- | --- |
| Data set | moons (6,000 training \\| 1,000 test) |
| Epochs | 10 |
| Batch size | 64 |
| Optimizer | adam(lr=0.001) |
| Parameters | 12,345 |
| Steps | 940 |
| Training time (h:mm:ss) | 0:01:15 |
| Outcome | finished |
| Spec hash | 0123abcd |

## Results

| Split | Accuracy | Cross-entropy |
| --- | --- | --- |
| training | 98.76% | 0.0500 |
| test | - | 0.0700 |

## Usage

```python
import pdedsl

model = pdedsl.Run.open("runs/heat").module
```

## Continue training

```sh
pdedsl train heat -o runs/heat --resume
```
"""


def test_the_whole_text() -> None:
    assert report_text(SUMMARY) == TEXT


def test_robust_accuracies_and_notes_are_there_when_known() -> None:
    text = report_text(replace(SUMMARY, robust=(("PGD-20, ε = 0.1", 0.5),), notes=("the loss rose at the end",)))
    assert "| Attack | Robust accuracy |\n| --- | --- |\n| PGD-20, ε = 0.1 | 50.00% |\n\n## Usage" in text
    assert "\n\n- the loss rose at the end\n\n## Results" in text


def test_evaluations_are_a_column_when_known() -> None:
    results = (SplitMetrics("training", 0.05, 0.9876, 38.04), SplitMetrics("test", 0.07, None))
    text = report_text(replace(SUMMARY, results=results))
    table = (
        "| Split | Accuracy | Cross-entropy | Function evaluations per sample |\n| --- | --- | --- | --- |\n"
        "| training | 98.76% | 0.0500 | 38.0 |\n| test | - | 0.0700 | - |\n"
    )
    assert table in text


def test_existing_plots_are_included(tmp_path: Path) -> None:
    (tmp_path / "boundary.png").write_bytes(b"")
    (tmp_path / "other.png").write_bytes(b"")
    text = write_report(tmp_path, SUMMARY).read_text("utf-8")
    assert "![Class probabilities, decision boundary and test samples](boundary.png)\n\n## Usage" in text
    assert "curves.png" not in text
    assert "other.png" not in text
    assert sorted(p.name for p in tmp_path.iterdir()) == ["boundary.png", "other.png", "report.md"]


def test_a_fence_in_the_equation_does_not_end_it() -> None:
    text = report_text(replace(SUMMARY, equation="# ```\npde Heat"))
    assert "````pde\n# ```\npde Heat\n````\n" in text
