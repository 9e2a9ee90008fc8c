"""Saved solutions: damaged, crafted, of another spec, with links, and of earlier versions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch

import pdedsl
from pdedsl.io import RunError
from pdedsl.runs.checkpoint import CorruptCheckpoint, Tensors, load_tensors, save_tensors
from pdedsl.solvers.serialize import METRIC_RENAMES

ROD = """pde Rod
space x in [0, 1]
unknown u(x) : scalar = mlp(width=3, depth=1)
-Δu = 2
u = 0 on boundary
realize equation by {}
"""
METHODS = ("features(n=10)", "grid(n=6)", "residual(points=20, steps=2)")
Plain = dict[str, Any]
FLIPS = 400  # bits of each kind of solution


@pytest.fixture(scope="module", params=METHODS)
def solved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("solved") / "run"
    pdedsl.solve(ROD.format(request.param), folder)
    return folder


@pytest.fixture
def run(solved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(solved, tmp_path / "run"))


def refused(run: Path) -> str:
    with pytest.raises(RunError) as caught:
        pdedsl.Solution.open(run)
    with pytest.raises(RunError):
        pdedsl.solve(run / "spec.pde", run, resume=True)
    return str(caught.value)


def test_bit_flips_are_detected(run: Path) -> None:
    path = run / "weights.safetensors"
    data, rng = path.read_bytes(), Random(0)
    for _ in range(FLIPS):
        spoiled, at = bytearray(data), rng.randrange(len(data))
        spoiled[at] ^= 1 << rng.randrange(8)
        path.write_bytes(spoiled)
        with pytest.raises(CorruptCheckpoint):
            load_tensors(path)
    assert "delete it" in refused(run)


def without(tensors: Tensors, plain: Plain) -> None:
    tensors.clear()


def longer(tensors: Tensors, plain: Plain) -> None:
    for name, tensor in tensors.items():
        tensors[name] = torch.cat((tensor.reshape(-1), torch.zeros(1)))


def formless(tensors: Tensors, plain: Plain) -> None:
    plain["form"] = ["sines"]


def unknown_form(tensors: Tensors, plain: Plain) -> None:
    plain["form"] = {"kind": "a pickle"}


def huge_form(tensors: Tensors, plain: Plain) -> None:
    plain["form"] = {"kind": "expansion", "axes": [{"kind": "ring", "n": 10**15}], "timed": True, "stencil": "x"}


def figures_of_text(tensors: Tensors, plain: Plain) -> None:
    plain["metrics"] = {"loss": "<script>"}


def no_plain(tensors: Tensors, plain: Plain) -> None:
    plain.clear()


@pytest.mark.parametrize(
    "craft", [without, longer, formless, unknown_form, huge_form, figures_of_text, no_plain], ids=lambda f: f.__name__
)
def test_crafted_weights_are_refused(craft: Callable[[Tensors, Plain], None], run: Path) -> None:
    """Their digest is right: whoever can write the file can write it, too."""
    tensors, plain = load_tensors(run / "weights.safetensors")
    craft(tensors, plain)
    save_tensors(run / "weights.safetensors", tensors, plain)
    assert "weights" in refused(run)


@pytest.mark.parametrize(
    "text",
    ["", pytest.param("[" * 100_000, id="deep"), "null", "{}", '{"residuals": 1}', '{"residuals": [{"text": 1}]}'],
)
def test_a_crafted_report_is_refused(text: str, run: Path) -> None:
    (run / "report.json").write_text(text)
    with pytest.raises(RunError, match=r"report\.json cannot be read"):
        pdedsl.Solution.open(run)


@pytest.mark.parametrize("name", ["weights.safetensors", "report.json", "report.md", "solution.png", "metrics.jsonl"])
def test_symbolic_links_are_refused(name: str, run: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(tmp_path / "mine")
    with pytest.raises(RunError, match="is a symbolic link"):
        pdedsl.solve(run / "spec.pde", run, resume=True)
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_run_contains_its_measurements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It can be moved, and goes on where there is nothing else; other measurements are no way to go on."""
    spec, x = tmp_path / "here" / "rod.pde", np.linspace(0.1, 0.9, 9)
    spec.parent.mkdir()
    learned = ROD.replace("-Δu = 2", 'learn a : scalar > 0 = 1\n-Δu = 2a\nobserve u from npz("points.npz")')
    spec.write_text(learned.format("residual(points=20, steps=3)"), "utf-8")
    np.savez(spec.with_name("points.npz"), x=x, u=x * (1 - x))
    found = pdedsl.solve(spec, tmp_path / "run").parameters["a"]
    moved = (tmp_path / "run").rename(tmp_path / "moved")
    spec.with_name("points.npz").rename(spec.with_name("others.npz"))
    monkeypatch.chdir(moved)
    assert pdedsl.solve(moved / "spec.pde", moved, resume=True).parameters["a"] == found
    np.savez(spec.with_name("points.npz"), x=x, u=x)
    with pytest.raises(RunError, match="differs from the copy"):
        pdedsl.solve(spec, moved, resume=True)


LAYER = """pde Layer
space x in [0, 1]
unknown u(x) : scalar
-1e-6 ∂²u/∂x² + ∂u/∂x = 1
u = 0 on boundary
"""


def test_a_piecewise_solution_is_opened(tmp_path: Path) -> None:
    """A boundary layer is resolved by several Chebyshev pieces; u = x - (e^(-(1 - x)/ε) - e^(-1/ε))/(1 - e^(-1/ε))."""
    solution = pdedsl.solve(LAYER, tmp_path / "run")
    x = torch.cat([torch.linspace(0, 1, 11, dtype=torch.float64), 1 - 1e-6 * torch.arange(5, dtype=torch.float64)])
    torch.testing.assert_close(solution(x=x), x - torch.exp(-(1 - x) / 1e-6), rtol=0, atol=1e-4)
    torch.testing.assert_close(pdedsl.Solution.open(tmp_path / "run")(x=x), solution(x=x), rtol=0, atol=0)


def test_the_report_escapes_the_folder_name(tmp_path: Path) -> None:
    folder = tmp_path / 'a"); print(1); ("'
    pdedsl.solve(ROD.format("grid(n=6)"), folder)
    shown = (folder / "report.md").read_text("utf-8").split("```python\n")[1].split("```")[0]
    compile(shown, "shown", "exec")
    assert json.dumps(str(folder)) in shown
    assert "print(1)" not in shown.replace(json.dumps(str(folder)), "")


SAVED = Path(__file__).with_name("saved")  # one solution of each kind of module, written by version 0.2
POINTS = {
    "fourier": [[0.3, 0.05], [0.2, 0.1]],
    "volumes": [[0.3, 0.05], [-0.2, 0.1]],
    "disc": [[0.3, 0.05], [-0.2, 0.1]],
}


@pytest.mark.parametrize("name", sorted(p.name for p in SAVED.iterdir() if p.is_dir()))
def test_solutions_of_earlier_versions_can_be_opened(name: str) -> None:
    """Same values, verdict and error estimate as when they were saved."""
    solution = pdedsl.Solution.open(SAVED / name)
    report = json.loads((SAVED / name / "report.json").read_text("utf-8"))
    values = json.loads((SAVED / "values.json").read_text("utf-8"))[name]
    found = solution(POINTS.get(name, [[0.3], [0.6]]))
    torch.testing.assert_close(found, torch.tensor(values, dtype=torch.float64), rtol=1e-12, atol=1e-12)
    assert solution.verdict == report["verdict"]
    assert float(solution.error) == pytest.approx(report["error"]["value"])
    assert report["hash"] == solution.compilation.spec.hash
    assert set(solution.result.metrics) == {METRIC_RENAMES.get(metric, metric) for metric in report["figures"]}
    assert not set(solution.result.metrics) & set(METRIC_RENAMES)
