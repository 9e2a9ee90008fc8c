"""Limits on time and memory for adversarial texts, see limits_cases.py."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sampling import share

from language.limits_cases import cases

pytestmark = pytest.mark.long
RUNNER = Path(__file__).with_name("limits_runner.py")
CASES = cases()
MEGABYTES = 1000
# What must be refused; the others may be understood.
REFUSED = {
    "1 MiB and one byte": "E006",
    "a tower of powers": "E113",
    "too large": "E108",
    "a million digits": "E108",
    "a name of 100,000 letters": "E109",
    "10,000 round brackets": "E107",
    "10,000 square brackets": "E107",
    "10,000 curly brackets": "E107",
    "lets in a circle": "E204",
    "functions that call themselves": "E204",
    "surrogates": "E004",
    "a shape of 300 inequalities": "E113",
    "every second derivative in 200 dimensions": "E113",
    "numbers that cancel": "E113",
    "sums that cancel": "E113",
    "empty": "E120",
}


@pytest.fixture(scope="module")
def runner() -> Iterator[subprocess.Popen[str]]:
    """A process that imports the compiler once and gives each text a child with limits on time and memory."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, str(RUNNER)], **pipes) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


@pytest.mark.parametrize("name", share(list(CASES), 3))
def test_terminates_within_time_and_memory_limits(name: str, runner: subprocess.Popen[str], tmp_path: Path) -> None:
    assert runner.stdin is not None
    assert runner.stdout is not None
    path = tmp_path / "case"
    path.write_bytes(CASES[name])
    print(path, file=runner.stdin, flush=True)
    found = json.loads(runner.stdout.readline())
    assert "answers" in found, found  # neither killed nor raised anything but PdeError
    assert found["inside"], found
    assert found["megabytes"] < MEGABYTES, found
    assert REFUSED.get(name, found["answers"][0]) in found["answers"], found


def test_limits_are_enforced(runner: subprocess.Popen[str], tmp_path: Path) -> None:
    """A text that is not there makes the child raise, which the parent must report."""
    assert runner.stdin is not None
    assert runner.stdout is not None
    print(tmp_path / "none", file=runner.stdin, flush=True)
    assert "FileNotFoundError" in json.loads(runner.stdout.readline())["raised"]
