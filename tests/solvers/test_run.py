"""`pdedsl.solve`: the folder of a solution, bitwise exact resuming, and exit codes."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner

import pdedsl
from pdedsl.cli import cli
from pdedsl.io import RunInterrupted
from pdedsl.ir.plan import SolvePlan
from pdedsl.runs.events import Stepped
from pdedsl.solvers.dispatch import solve_with
from pdedsl.solvers.error_estimate import Verdict
from pdedsl.solvers.run import compile_problem
from pdedsl.solvers.solver_method import SolveOptions

HEAT = """pde Heat
space x in [0, 1]
time t in [0, 0.1]
unknown u(x, t) : scalar
∂u/∂t = Δu
u(x, 0) = sin(π x)
u = 0 on boundary
realize equation by features(n=80, bandwidth=2)
evaluate { reference grid(n=16) }
"""
BURGERS = """pde Burgers
space   x in [-1, 1]
time    t in [0, 0.2]
unknown u(x, t) : scalar = mlp(width=5, depth=1)
∂u/∂t + u ∂u/∂x = 0.5 ∂²u/∂x²
u(x, 0) = -sin(π x)
u = 0 on boundary
realize equation by residual(points=60, steps=8)
evaluate { reference grid(n=16) }
"""
PLOT_RUN = "pdedsl.solvers.run.plot_run"  # plots are slow, and disabled where they are not tested
FILES = {"spec.pde", "weights.safetensors", "metrics.jsonl", "report.md", "report.json"}
PICTURES = {"solution.png", "error.png", "residual.png", "animation.gif"}


def test_a_solution_and_its_folder(tmp_path: Path) -> None:
    solution = pdedsl.solve(HEAT, tmp_path / "run")
    assert {p.name for p in (tmp_path / "run").iterdir()} == FILES | PICTURES
    assert solution.verdict is Verdict.HOLDS
    points = torch.tensor([[0.5, 0.05], [0.25, 0.1]], dtype=torch.float64)
    exact = torch.sin(torch.pi * points[:, :1]) * torch.exp(-(torch.pi**2) * points[:, 1:])
    torch.testing.assert_close(solution(points), exact, rtol=1e-6, atol=1e-6)
    assert float(solution.error) < 1e-6
    again = pdedsl.Solution.open(tmp_path / "run")
    for name, value in solution.module.state_dict().items():
        assert torch.equal(again.module.state_dict()[name], value), name
    assert again.error_estimate == solution.error_estimate
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    assert report["verdict"] == "holds"
    assert len(report["residuals"]) == 4
    with pytest.raises(ValueError, match=r"\(n, 2\)"):
        solution([[0.5]])


@pytest.mark.parametrize("method", ["grid(n=12)", "paths(samples=400)"])
def test_solutions_of_all_methods_can_be_opened(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if method.startswith("grid"):  # Monte Carlo plots are coarser, and tested
        monkeypatch.setattr(PLOT_RUN, lambda *_: None)
    text = HEAT.replace("features(n=80, bandwidth=2)", method)
    solution = pdedsl.solve(text, tmp_path / "run")
    points = torch.tensor([[0.5, 0.05]], dtype=torch.float64)
    assert torch.equal(pdedsl.Solution.open(tmp_path / "run")(points), solution(points))


@pytest.mark.long
def test_resuming_after_a_crash_is_bitwise_exact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PLOT_RUN, lambda *_: None)
    whole = pdedsl.solve(BURGERS, tmp_path / "whole")

    class Killed(Exception):
        pass

    def kill(event: Stepped) -> None:
        time.sleep(0.05)
        if event.step == 5:
            raise Killed  # after step 4 was saved, as a crash would leave it

    with pytest.raises(Killed):
        pdedsl.solve(BURGERS, tmp_path / "run", save_seconds=0, listeners=(kill,))
    with pytest.raises(pdedsl.RunError, match="--resume"):
        pdedsl.Solution.open(tmp_path / "run")
    events: list[Stepped] = []
    resumed = pdedsl.solve(BURGERS, tmp_path / "run", resume=True, listeners=(events.append,))
    assert [e.step for e in events] == [5, 6, 7, 8]
    assert resumed.seconds >= events[-1].seconds > 0.2  # with those before the crash
    for name, value in whole.module.state_dict().items():
        assert torch.equal(resumed.module.state_dict()[name], value), name
    rows = [json.loads(line)["step"] for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert rows == list(range(1, 9))


@pytest.mark.long
@pytest.mark.parametrize("step", [3, 8], ids=["while it solves", "while it draws"])
def test_resuming_after_ctrl_c_is_bitwise_exact(step: int, tmp_path: Path) -> None:
    """Ctrl-C: the step is finished, no plots are made; the resumed run equals an uninterrupted one bit by bit."""

    def interrupt(event: Stepped) -> None:
        if event.step == step:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(RunInterrupted):
        pdedsl.solve(BURGERS, tmp_path / "run", listeners=(interrupt,))
    assert not (tmp_path / "run" / "report.md").exists()
    steps: list[int] = []
    resumed = pdedsl.solve(BURGERS, tmp_path / "run", resume=True, listeners=(lambda e: steps.append(e.step),))
    assert steps == list(range(step + 2, 9))  # interrupted during the event of a step: the next one is finished
    assert (tmp_path / "run" / "report.md").exists()
    whole = pdedsl.solve(BURGERS)
    for name, value in whole.module.state_dict().items():
        assert torch.equal(resumed.module.state_dict()[name], value), name


@pytest.mark.parametrize("block", ["steps 3", "steps 3\n  optimizer adam"])
def test_steps_of_the_train_block(block: str) -> None:
    text = BURGERS.replace(", steps=8", "") + f"train {{\n  {block}\n}}\n"
    plan = compile_problem(text, ()).plan
    assert isinstance(plan, SolvePlan)
    assert solve_with(plan.solver, SolveOptions()).metrics["steps"] == 3


def test_a_run_cannot_be_resumed_with_another_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PLOT_RUN, lambda *_: None)
    pdedsl.solve(HEAT, tmp_path / "run")
    with pytest.raises(pdedsl.RunError, match="not empty"):
        pdedsl.solve(HEAT, tmp_path / "run")
    with pytest.raises(pdedsl.RunError, match="another spec"):
        pdedsl.solve(HEAT.replace("sin(π x)", "sin(2π x)"), tmp_path / "run", resume=True)


def test_a_failed_solution_has_exit_code_three(tmp_path: Path) -> None:
    """One step of training, and a reference that shows it."""
    spec = tmp_path / "my.pde"
    spec.write_text(BURGERS.replace("steps=8", "steps=1"), "utf-8")
    done = CliRunner().invoke(cli, ["solve", str(spec), "-o", str(tmp_path / "run")])
    assert done.exit_code == 3, done.output
    assert "is violated" in done.stderr
    assert (tmp_path / "run" / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((tmp_path / "run" / "report.json").read_text())["verdict"] != "holds"


def test_out_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A real allocation that fails, of numpy and of torch."""
    for allocate in (lambda *_, **__: torch.empty(1 << 50), lambda *_, **__: np.empty(1 << 50)):
        monkeypatch.setattr("pdedsl.solvers.random_features.solve_by_random_features", allocate)
        with pytest.raises(pdedsl.RunError, match=r"not enough memory for random_features\(n=80"):
            pdedsl.solve(HEAT)
