"""A short run on moons, and a linear classifier whose metrics have closed forms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import pdedsl
from pdedsl import attacks
from pdedsl.attacks import audit, autoattack, evaluate_stochastic, predictor
from pdedsl.attacks.gradient_masking import attack_runs, checks, loss_landscape
from pdedsl.evaluation import measure, plots, protocol

TRAIN = ["train.epochs=3", "train.data.train=100", "train.data.test=60", "evaluate.certify=gaussian(n=200)"]


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    pdedsl.train("convection_diffusion", folder, set=TRAIN)
    return folder


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    """A copy of the run."""
    import shutil

    return Path(shutil.copytree(trained, tmp_path / "run"))


@pytest.fixture(scope="session")
def linear() -> tuple[nn.Linear, Tensor, Tensor]:
    """Logits 0 and w·x + b, with samples of both classes and 20 incorrect labels."""
    model = nn.Linear(3, 2, dtype=torch.float64)
    source = torch.Generator().manual_seed(7)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[0.0, 0.0, 0.0], [1.0, -2.0, 0.5]]))
        model.bias.copy_(torch.tensor([0.0, 0.3]))
    x = torch.randn(450, 3, generator=source, dtype=torch.float64)
    y = (model(x)[:, 1] > 0).long()
    y[:20] = 1 - y[:20]
    return model, x, y


Margin = Callable[[Tensor], Tensor]


@pytest.fixture(autouse=True)
def _empty_plots(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plots take most of the time of a small report: their files are empty unless a test requests `drawn`."""
    if "drawn" not in request.fixturenames:
        monkeypatch.setattr(plots, "save_figure", lambda figure, path: path.write_bytes(b""))
        monkeypatch.setattr(plots, "plot_curves", lambda metrics, path, title: path.write_bytes(b""))
        monkeypatch.setattr(plots, "plot_boundaries", lambda panels, path: path.write_bytes(b""))


@pytest.fixture
def drawn() -> None:
    """Requested by tests that need the plots."""


@pytest.fixture
def small_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    """An audit with few steps on few samples."""
    monkeypatch.setattr(measure, "audit", partial(audit, steps=2, queries=3))
    monkeypatch.setattr(measure, "evaluate_stochastic", partial(evaluate_stochastic, steps=2, queries=3, eot=4))
    monkeypatch.setattr(protocol, "AUDIT_SAMPLES", 2)
    monkeypatch.setattr(attack_runs, "MAX_LARGER_EPS", 1)
    monkeypatch.setattr(attack_runs, "RESTARTS", 2)
    monkeypatch.setattr(loss_landscape, "STEPS_IN_QUARTERS", range(0, 5, 4))
    monkeypatch.setattr(checks, "RANDOM_POINTS", 2)
    monkeypatch.setattr(attacks, "autoattack", partial(autoattack, steps=2, queries=4))
    monkeypatch.setattr(predictor, "DRAWS", 3)
