"""Every stage of every shipped spec as golden text, the same in every process.

`pytest --update-golden` writes the files; read the difference.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from texts import NAMES, SPECS, changed, shipped

from pdedsl.cli import cli
from pdedsl.compiler import Stage, Stages
from pdedsl.diagnostics import PdeError, Source

GOLDEN = Path(__file__).parent / "golden"
STAGES = ("syntax", "spec", "analysis", "representation", "plan", "python")
EVERY = """
import hashlib, json, sys
from pathlib import Path
from pdedsl.compiler import Stage, Stages
from pdedsl.diagnostics import PdeError, Source
found = {}
for path in sys.argv[2:]:
    stages = Stages(Source(Path(path).read_text("utf-8"), Path(path).name))
    for stage in sys.argv[1].split(","):
        try:
            text = stages.text(Stage(stage))
        except PdeError as error:
            text = f"{error}\\n"
        found[f"{Path(path).stem}.{stage}"] = hashlib.sha256(text.encode()).hexdigest()
print(json.dumps(found))
"""


@cache
def stages(name: str) -> Stages:
    return Stages(Source(shipped(name), f"{name}.pde"))


@cache
def stage_text(name: str, stage: str) -> str:
    """The stage, or the error before it."""
    try:
        return stages(name).text(Stage(stage))
    except PdeError as error:
        return f"{error}\n"


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str, stage: str, golden: Callable[[Path, str], None]) -> None:
    text = stage_text(name, stage)
    golden(GOLDEN / f"{name}.{stage}.txt", text)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert " at 0x" not in text
    assert not text.startswith("error[")


def test_every_golden_has_a_spec() -> None:
    assert {p.name for p in GOLDEN.iterdir()} == {f"{n}.{s}.txt" for n in NAMES for s in STAGES}


@pytest.mark.long
def test_same_text_whatever_the_hash_seed() -> None:
    """Sets and dictionaries of another process are in another order; the stages are the golden ones."""
    paths = [str(SPECS / f"{name}.pde") for name in NAMES]
    command = [sys.executable, "-c", EVERY, ",".join(STAGES), *paths]
    seed = "1" if os.environ.get("PYTHONHASHSEED") == "4242" else "4242"
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed}, check=True)
    kept = {p.name.removesuffix(".txt"): hashlib.sha256(p.read_bytes()).hexdigest() for p in GOLDEN.iterdir()}
    assert json.loads(done.stdout) == kept


@pytest.mark.parametrize("stage", STAGES)
def test_command_line_prints_the_stage(stage: str) -> None:
    done = CliRunner().invoke(cli, ["compile", "--emit", stage, "enresnet"])
    assert done.exit_code == 0
    assert done.stdout == stage_text("enresnet", stage)
    text = changed(shipped("rotation"), ("σ²Δu", "∂³u/∂x³"), ("require linearity", "# require linearity"))
    failed = CliRunner().invoke(cli, ["compile", "--emit", stage, "-"], input=text)
    reached = stage in ("syntax", "spec", "analysis")
    assert failed.exit_code == (0 if reached else 1)
    assert bool(failed.stdout) == reached
    assert reached or "E601" in failed.stderr


@pytest.mark.parametrize("name", NAMES)
def test_stages_show_every_equation(name: str) -> None:
    """As many equations in the analysis as in the spec."""
    assert stage_text(name, "analysis").count("EquationFacts") == stage_text(name, "spec").count("\nequation ")
