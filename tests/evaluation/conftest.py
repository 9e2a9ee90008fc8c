"""One short run on moons, and a linear classifier of which every figure has a closed form."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import pdedsl
from pdedsl import attacks
from pdedsl.attacks import audit, autoattack, predictor
from pdedsl.attacks.gradient_masking import attack_runs, checks, loss_landscape
from pdedsl.evaluation import engine, measure, plots

TRAIN = ["train.epochs=3", "train.data.train=100", "train.data.test=60", "evaluate.certify=gaussian(n=200)"]


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    pdedsl.train("convection_diffusion", folder, set=TRAIN)
    return folder


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    """A copy of the run, to be evaluated at will."""
    import shutil

    return Path(shutil.copytree(trained, tmp_path / "run"))


@pytest.fixture(scope="session")
def linear() -> tuple[nn.Linear, Tensor, Tensor]:
    """w·x + b against 0, with samples of both classes and a few wrong labels."""
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
def _empty_pictures(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures take most of the time of a small report: their files are empty but where a test asks for `drawn`."""
    if "drawn" not in request.fixturenames:
        monkeypatch.setattr(plots, "_written", lambda figure, path: path.write_bytes(b""))
        monkeypatch.setattr(plots, "plot_curves", lambda metrics, path, title: path.write_bytes(b""))
        monkeypatch.setattr(plots, "plot_boundaries", lambda panels, path: path.write_bytes(b""))


@pytest.fixture
def drawn() -> None:
    """Asked for where a report must have its pictures."""


@pytest.fixture
def small_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    """An audit of few steps on few samples: for tests of what it is given and where it goes."""
    monkeypatch.setattr(measure, "audit", partial(audit, steps=2, queries=3))
    monkeypatch.setattr(engine, "AUDITED", 2)
    monkeypatch.setattr(attack_runs, "GROWTHS", 1)
    monkeypatch.setattr(attack_runs, "RESTARTS", 2)
    monkeypatch.setattr(loss_landscape, "QUARTERS", range(0, 5, 4))
    monkeypatch.setattr(checks, "DRAWS", 2)
    monkeypatch.setattr(attacks, "autoattack", partial(autoattack, steps=2, queries=4))
    monkeypatch.setattr(predictor, "DRAWS", 3)
