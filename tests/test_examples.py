"""Every example runs, is short, and writes its files."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from texts import changed

from pdedsl.cli import cli

pytestmark = pytest.mark.long
EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
SHORT = {  # epochs; seeds and epochs; specs
    "moons": ["2", "20"],
    "robust_moons": ["1", "1"],
    "gallery": ["heat", "poisson_disc"],
}
# Three networks instead of ten, in one process besides the script.
FEWER = {"robust_moons": [("(0.01, 0.05, 0.2), (0.05, 0.1, 0.2)", "(0.05, 0.2), (0.2,)"), ("Pool(2,", "Pool(1,")]}
PROCESSES = {"robust_moons", "gallery"}  # one starts others, one draws tensors, of which numpy warns
LEFT = {
    "plate": {"plate.png"},
    "tour": {f"demo/enresnet/{name}" for name in ("model.py", "harness.py", "test_axioms.py", "spec.pde", "README.md")},
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = path.read_text("utf-8")
    script = tmp_path / path.name
    script.write_text(changed(text, *FEWER.get(path.stem, [])), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(script), *SHORT.get(path.stem, [])])
    if path.stem in PROCESSES:
        result = subprocess.run([sys.executable, *sys.argv], capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr
    else:
        runpy.run_path(str(script), run_name="__main__")
    assert {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()} >= LEFT.get(path.stem, set())


def test_the_shipped_measurements_are_those_of_the_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[1]
    script = root / "examples" / "measurements.py"
    monkeypatch.setattr(sys, "argv", [str(script), str(tmp_path)])
    runpy.run_path(str(script), run_name="__main__")
    for name in ("inverse_heat.npz", "inverse_decay.npz"):
        with np.load(tmp_path / name) as made, np.load(root / "specs" / name) as kept:
            assert all(np.allclose(made[key], kept[key], rtol=0, atol=1e-12) for key in ("x", "t", "u"))


def test_shipped_specs_are_formatted() -> None:
    specs = sorted((Path(__file__).parents[1] / "specs").glob("*.pde"))
    result = CliRunner().invoke(cli, ["format", "--check", *map(str, specs)])
    assert result.exit_code == 0, result.output
