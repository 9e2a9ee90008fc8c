"""Other programs beside the physics suite: a small run of scikit-fem."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.long
def test_scikit_fem_reaches_a_goal() -> None:
    command = [sys.executable, ROOT / "benchmarks" / "physics_suite.py", "anisotropic", "--peers", "scikit-fem"]
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert "scikit-fem reaches the goal of 1 of 1 problems" in run.stdout, run.stderr
