"""Every benchmark script runs at a small size. `make bench` measures the ratios, on an idle machine."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# The arguments of a small run, and a text that its last result contains.
SMALL = {
    "agreement": ("--samples 2 --epochs 1", "time, ours over the reference"),
    "attacks": ("--rounds 1 --samples 4 --epochs 1 --only ddn certify", "certif"),
    "certified": ("--samples 8 --groups 1 --epochs 1", "0 violations"),
    "data_space": ("--batch 2 --rounds 1", "hand ensemble:"),
    "deployment": ("advection", ""),
    "editor": ("heat", "times faster than"),
    "families": ("decay --unseen 3 --rounds 1", "members to break even"),
    "image_plane": ("--rounds 1 --depth 12 --width 8 --chains revnet", "torchdiffeq / ours"),
    "losses": ("--batch 2 --rounds 1 --net mlp", "as published"),
    "physics": (
        "--only growth linear burgers inverse grid --dimensions 2 --problems heat --seconds 1 --seeds 1 --rounds 1 "
        "--grid 64",
        "grid: ",
    ),
    "physics_suite": ("poisson_dirichlet poisson_neumann wave refused/gray_scott", "3 of 3 problems reach their goal"),
    "residual_step": ("--rounds 1", "ratio"),
    "start_up": ("--rounds 1 --sizes 5 10", "from 5 to 10"),
    "testing": ("advection", "exit code 0"),
    "transforms": ("hjb --rounds 1", "relative error"),
    "training": ("--rounds 1 --steps 2", "mlp on the plane"),
}
# Not here: modules of `physics` and `physics_suite`, whose references tests/test_physics_references.py checks;
# `claims`, which tests/evaluation runs; `playground`, which playground/tests runs.
ELSEWHERE = {
    *("claims", "deepxde_peer", "playground", "physics_closed_forms", "physics_elements", "physics_flows"),
    *("physics_numerics", "physics_peers", "physics_problems"),
}


def test_every_script_is_listed() -> None:
    assert {path.stem for path in (ROOT / "benchmarks").glob("*.py")} == set(SMALL) | ELSEWHERE


FORKS = {"physics_suite"}  # a process with limits for each problem


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SMALL)
def test_script_runs(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, expected = SMALL[name]
    command = [str(ROOT / "benchmarks" / f"{name}.py"), *arguments.split()]
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    if name in FORKS:
        run = subprocess.run([sys.executable, *command], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        printed = run.stdout
    else:
        monkeypatch.syspath_prepend(ROOT / "benchmarks")
        monkeypatch.setattr(sys, "argv", command)
        code: object = 0
        try:
            runpy.run_path(command[0], run_name="__main__")
        except SystemExit as end:
            code = end.code
        assert not code
        printed = capsys.readouterr().out
    assert expected in printed
