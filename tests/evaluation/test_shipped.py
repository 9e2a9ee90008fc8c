"""Specs of the papers, scaled down: trained for a step or two, attacked, and audited, to the end."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
import torch

import pdedsl
from pdedsl.attacks import audit, evidence, predictor
from pdedsl.evaluation import engine, measure
from pdedsl.evaluation.run import evaluate_run
from pdedsl.runtime.solver_costs import adaptive_blocks
from pdedsl.sources import folder


@pytest.fixture(autouse=True)
def small_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    """An audit of few steps on few samples: what is tested here is that it runs, and what it is given."""
    monkeypatch.setattr(measure, "audit", partial(audit, steps=2, queries=3))
    monkeypatch.setattr(engine, "AUDITED", 4)
    monkeypatch.setattr(evidence, "GROWTHS", 1)
    monkeypatch.setattr(evidence, "RESTARTS", 2)
    monkeypatch.setattr(predictor, "DRAWS", 3)


def test_neural_ode(tmp_path: Path) -> None:
    """An adaptive solver is also attacked through the same weights with fixed steps, and the audit says so."""
    small = ["network.input=image(1, 8, 8)", "network.open=4", "network.stages=[4]"]
    short = ["train.data=digits(train=20, test=4)", "train.epochs=1", "realize.time=dopri5(rtol=1e-2, atol=1e-2)"]
    attacks = ["evaluate.attack=", "evaluate.attack=fgsm(eps=[0.2, 0.4]), boundary(queries=5)"]
    text = (folder() / "neural_ode.pde").read_text("utf-8").replace("[0, 100]", "[0, 1]")
    run = pdedsl.train(text, tmp_path / "run", set=[*small, *short, *attacks])
    assert adaptive_blocks(run.module)
    report = evaluate_run(tmp_path / "run")
    assert [(r.norm, r.eps) for r in report.robust] == [("inf", 0.2), ("inf", 0.4), ("2", None)]
    assert [doubt.norm for doubt in report.doubts] == ["inf", "2"]
    assert all("transfer" in [name for name, _, _ in doubt.checks] for doubt in report.doubts)
    assert report.robust[-1].doubt == report.doubts[-1].verdict
    assert {"attacks.png", "landscape.png", "samples.png"} <= {name for name, _ in report.pictures}


def test_enresnet(tmp_path: Path) -> None:
    """Noise in the layers: predictions are means of draws, gradients of several; transfer from and to a run."""
    text = (folder() / "enresnet.pde").read_text("utf-8")
    text = text.replace("image(3, 32, 32)", "image(1, 8, 8)").replace("members=5", "members=2")
    text = text.replace("cifar10", "digits(train=20, test=4)").replace("epochs    200", "epochs    1")
    text = text.replace("schedule  step(at=[80, 120, 160], factor=0.1)", "").replace("augment   crop(4), flip", "")
    text = text.replace("steps=10)", "steps=1)").replace("steps=20", "steps=2").replace("iterations=50", "iterations=2")
    pdedsl.train(text, tmp_path / "run")
    report = evaluate_run(tmp_path / "run", sources={"resnet": tmp_path / "run"})
    assert [r.attack.partition("(")[0] for r in report.robust] == ["fgsm", "ifgsm", "cw"]
    assert {r.draws for r in report.robust} == {3}
    assert len(report.transfers) == 2
    assert report.weights is not None
    assert report.weights.below == 1e-3
    assert any("draw" in text for _, _, text in report.doubts[0].checks)
    assert torch.isfinite(torch.tensor(report.clean.loss))
