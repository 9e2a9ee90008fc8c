"""Every example runs, is short, and leaves what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
SHORT = {"moons": ["2"], "robust_moons": ["1", "1"]}  # epochs; seeds and epochs


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example_runs(path: Path, tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, path, *SHORT.get(path.stem, [])], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert result.returncode == 0, result.stderr
    assert len(path.read_text("utf-8").splitlines()) <= 60


def test_the_tour_leaves_packages(tmp_path: Path) -> None:
    tour = next(p for p in EXAMPLES if p.stem == "tour")
    subprocess.run([sys.executable, tour], capture_output=True, cwd=tmp_path, check=True)
    files = {p.name for p in (tmp_path / "demo" / "enresnet").iterdir()}
    assert {"model.py", "harness.py", "test_axioms.py", "spec.pde", "README.md"} <= files


def test_shipped_specs_are_formatted() -> None:
    specs = sorted((Path(__file__).parents[1] / "specs").glob("*.pde"))
    command = [sys.executable, "-m", "pdedsl", "format", "--check", *map(str, specs)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
