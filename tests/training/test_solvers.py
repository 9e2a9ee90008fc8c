"""Adaptive solvers in training: function evaluations as metrics, divergence if a solver fails."""

from __future__ import annotations

import math
from pathlib import Path
from types import ModuleType

import pytest
import torch
from click.testing import CliRunner

import pdedsl
from pdedsl.cli import cli
from pdedsl.data.splits import Split
from pdedsl.numerics.step_size import SolverFailed
from pdedsl.runs.checkpoint import load_newest
from pdedsl.runs.distributed import World
from pdedsl.runs.events import Assessed, Ended, Started
from pdedsl.runs.metrics import BATCH_SIZE, compute_metrics
from pdedsl.training import loop, report
from pdedsl.training.engine import TrainingEngine
from training import specs
from training.test_resume import Heard, figures

BURSTING = "train.optimizer=sgd(lr=1e30)"  # the first step is good, and leaves weights that no solver can follow


# ---- costs


def test_function_evaluations_are_metrics(tmp_path: Path) -> None:
    heard = Heard()
    run = pdedsl.train(specs.ODE, tmp_path / "a", listeners=(heard,))
    [started], [assessed] = heard.of(Started), heard.of(Assessed)
    assert started.adaptive
    assert 2 * 8 <= assessed.evaluations < 1000  # two blocks: at least the start and a step of each
    steps, [row] = ([r for r in figures(tmp_path / "a") if r["kind"] == kind] for kind in ("step", "assessed"))
    assert row["evaluations"] == assessed.evaluations == run.metrics["test_evaluations"]
    assert not any("evaluations" in step for step in steps)
    report = (tmp_path / "a" / "report.md").read_text("utf-8")
    assert "| Split | Accuracy | Cross-entropy | Function evaluations per sample |" in report
    assert pdedsl.Run.open(tmp_path / "a").metrics == run.metrics


@pytest.mark.parametrize(
    "method", ["dopri5(rtol=1e-2, atol=1e-2, adjoint=true)", "dopri8(rtol=1e-2, atol=1e-2)", "bosh3(norm=batch)"]
)
def test_those_of_every_adaptive_method(method: str, tmp_path: Path) -> None:
    few = ("train.data.train=6", "train.data.test=4", "train.epochs=1")
    run = pdedsl.train(specs.ODE, tmp_path / "a", set=(f"realize.time={method}", *few))
    assert run.metrics["test_evaluations"] >= 2 * 6


def test_without_adaptive_solvers_there_are_none(tmp_path: Path) -> None:
    heard = Heard()
    run = pdedsl.train(specs.ODE, tmp_path / "a", set=("realize.time=rk4(steps=2)",), listeners=(heard,))
    assert not heard.of(Started)[0].adaptive
    assert not any("evaluations" in row for row in figures(tmp_path / "a"))
    assert not any("evaluations" in name for name in run.metrics)
    assert "evaluations" not in (tmp_path / "a" / "report.md").read_text("utf-8")


def test_their_mean_does_not_depend_on_batches_and_processes() -> None:
    model = pdedsl.compile(specs.ODE).module(0).double()
    x = torch.randn(BATCH_SIZE + 9, 1, 8, 8, dtype=torch.float64) * torch.logspace(-2, 2, BATCH_SIZE + 9).view(
        -1, 1, 1, 1
    )
    split, counts = Split(x, torch.zeros(len(x), dtype=torch.long)), []
    with torch.no_grad():
        for sample in x:
            model.eval()(sample[None])
            counts.append(sum(stage.evaluations for stage in model.stages))
    found = compute_metrics(model, split, World(torch.device("cpu")), torch.float64)
    assert len(set(counts)) > 1
    assert found.evaluations == pytest.approx(sum(counts) / len(counts))


# ---- failures


@pytest.mark.parametrize(
    ("text", "settings", "where", "done"),
    [
        (specs.STIFF, (), "step 1", 0),
        (specs.STIFF, ("realize.time.adjoint=true",), "step 1", 0),
        (specs.STIFF, ("train.optimizer=lbfgs(steps=2)",), "step 1", 0),
        (specs.ODE, (BURSTING,), "step 2", 1),
    ],
)
def test_a_run_whose_solver_fails_diverges(
    text: str, settings: tuple[str, ...], where: str, done: int, tmp_path: Path
) -> None:
    heard = Heard()
    run = pdedsl.train(text, tmp_path / "a", set=settings, listeners=(heard,))
    [ended] = heard.of(Ended)
    assert (run.outcome, ended.outcome, ended.step) == ("diverged", "diverged", done)
    assert f"the solver failed in {where}: " in run.message
    assert "too stiff; the initial weights were saved. Try a smaller learning rate, larger tolerances" in run.message
    assert not (tmp_path / "a" / "weights.safetensors").exists()
    assert load_newest(tmp_path / "a" / "checkpoints")[0] is not None
    assert pdedsl.Run.open(tmp_path / "a").outcome == "unfinished"


def test_earlier_checkpoints_are_valid_starts(tmp_path: Path) -> None:
    settings = ("train.schedule=step(at=[2], factor=1e35)", "train.epochs=4")
    saved = pdedsl.train(specs.ODE, tmp_path / "a", set=settings, save_seconds=0)
    assert saved.outcome == "diverged"
    assert "the state after step 5 was saved" in saved.message
    first = pdedsl.train(specs.ODE, tmp_path / "b", set=settings)
    assert "the initial weights were saved" in first.message
    assert pdedsl.train(specs.ODE, tmp_path / "c", start=tmp_path / "b").outcome == "finished"


def test_a_loss_that_was_not_finite_before_is_named_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loss of step 2 is not yet reported, and has spoilt the weights with which the solver fails."""

    def advance(engine: TrainingEngine) -> dict[str, torch.Tensor]:
        if engine.step == 2:
            raise SolverFailed("it is too stiff")
        engine.step += 1
        return {"cross_entropy": torch.tensor(1.0 if engine.step == 1 else math.nan)}

    monkeypatch.setattr(TrainingEngine, "advance", advance)
    run = pdedsl.train(specs.ODE, tmp_path / "a", set=("train.data.train=600", "train.batch=10"))
    assert run.outcome == "diverged"
    assert run.message.startswith("the loss is NaN or infinite at step 2")


@pytest.mark.parametrize(
    ("module", "where", "saved"),
    [
        (loop, "the validation after step 4", "the initial weights were saved"),
        (report, "the final evaluation", "the state after step 4 was saved"),
    ],
)
def test_solver_failure_in_validation_and_final_evaluation(
    module: ModuleType, where: str, saved: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise SolverFailed("it is too stiff")

    monkeypatch.setattr(module, "compute_metrics", failing)
    run = pdedsl.train(specs.ODE, tmp_path / "a")
    assert run.outcome == "diverged"
    assert f"the solver failed in {where}: it is too stiff; {saved}" in run.message


def test_it_is_no_fault_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("stiff.pde").write_text(specs.STIFF, "utf-8")
    done = CliRunner().invoke(cli, ["train", "stiff.pde", "-o", "run"])
    assert done.exit_code == 1
    assert "the solver failed in step 1" in done.output


def test_equations_without_a_solver_have_the_old_advice(tmp_path: Path) -> None:
    run = pdedsl.train(specs.DIGITS, tmp_path / "a", set=("train.optimizer=sgd(lr=1e30)",))
    assert "weight of the residual" in run.message
    assert "tolerances" not in run.message
