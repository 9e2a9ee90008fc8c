"""Sharing of runs: folder, model card, evaluation of the copy, modules of the user's networks."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

import pdedsl
from pdedsl.cli import cli
from pdedsl.evaluation.hub import find_run, push
from pdedsl.evaluation.run import evaluate_run
from pdedsl.io import RunError

SETTINGS = ("evaluate.attack=fgsm(eps=0.2)", "evaluate.audit=none")


def test_a_shared_run_is_a_run(run: Path, tmp_path: Path) -> None:
    report = evaluate_run(run, set=SETTINGS)
    shared = Path(push(run, str(tmp_path / "shared")))
    card = (shared / "README.md").read_text("utf-8")
    assert card.startswith("---\nlibrary_name: pdedsl\ntags:\n- pdedsl\n")
    (worst,) = report.worst_case
    accuracy = str(worst.accuracy).replace("[", r"\[").replace("]", r"\]")  # escaped in Markdown
    assert f"ℓ∞, ε = 0.2, worst case over all attacks | {accuracy}" in card
    assert "linearity | proved" in card
    assert "certifies" in card
    assert f"Parameters | {report.parameters:,}" in card
    assert evaluate_run(find_run(str(shared)), set=SETTINGS).clean == report.clean
    assert json.loads((shared / "evaluation" / "report.json").read_text("utf-8"))["hash"] == report.hash
    with pytest.raises(RunError, match="not an empty folder"):
        push(run, str(shared))


def test_a_run_without_evaluation_says_so(run: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["push", str(run), str(tmp_path / "shared")])
    assert done.exit_code == 0, done.output
    assert "has not been evaluated" in (tmp_path / "shared" / "README.md").read_text("utf-8")


def test_an_unfinished_run_is_refused(run: Path, tmp_path: Path) -> None:
    (run / "weights.safetensors").unlink()
    with pytest.raises(RunError, match="no final weights"):
        push(run, str(tmp_path / "shared"))


def test_the_hub_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    done = CliRunner().invoke(cli, ["evaluate", "hf:someone/network"])
    assert done.exit_code == 2
    assert "pip install huggingface_hub" in done.output


SPEC = """pde Own
space x in R²
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = torch("carried_network:Field")
learn W : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
realize time by euler(steps=2)
train {
  data  moons(train=40, test=20)
  steps 2
}
"""
MODULE = """import torch
class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)
    def forward(self, x, t):
        return self.layer(torch.cat([x, t.expand(*x.shape[:-1], 1)], -1))
"""


def test_the_run_carries_the_code_of_the_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module is deleted after training; the copy is imported with consent only."""
    (tmp_path / "own").mkdir()
    module = tmp_path / "own" / "carried_network.py"
    module.write_text(MODULE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path / "own")
    monkeypatch.setattr(sys, "path", list(sys.path))
    run = pdedsl.train(SPEC, tmp_path / "run", trust=True, with_code=True, listeners=())
    x, _ = run.data(trust=True).test.batch(slice(None))
    expected = run.module(x)
    module.unlink()
    sys.modules.pop("carried_network")
    shared = push(tmp_path / "run", str(tmp_path / "shared"), trust=True)
    sys.modules.pop("carried_network", None)
    with pytest.raises(pdedsl.PdeError, match="--trust"):
        pdedsl.Run.open(shared)
    assert torch.equal(pdedsl.Run.open(shared, trust=True).module(x), expected)
    sys.modules.pop("carried_network", None)
