"""Killed runs resume exactly: one short campaign over training, solving and evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest

from killing.processes import ONE_THREAD, finish, start

KINDS = ("lbfgs by 1", "noise by 2", "evaluation by 1", "solve by residual")


@pytest.mark.long
def test_killed_runs_resume_exactly() -> None:
    environment = ONE_THREAD | {"PYTHONPATH": f"{Path(__file__).parents[1]}:{Path(__file__).parents[2]}"}
    options = ["--kills", str(2 * len(KINDS)), "--in-a-row", "2", "--seed", "1", "--only", *KINDS]
    code, out, err = finish(start(["-m", "killing", *options], environment))
    assert code == 0, out + err
    assert " 0 faults" in out
