"""`pdedsl explain --weights`: the kernels of a trained network as differential operators."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner, Result
from safetensors.torch import save_file
from texts import changed, compiled, light, shipped
from torch import Tensor

from pdedsl.cli import cli
from pdedsl.runtime.stencils import stencils_of

TEXT = light("parabolic")
FIRST = "stages.0.field.layers.0.operator"
LAPLACIAN = torch.tensor([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]])


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "my.pde"
    path.write_text(TEXT, "utf-8")
    return path


def weights() -> dict[str, Tensor]:
    """One operator that is 2 - Δ from channel 3 to channel 5 and small elsewhere."""
    found = compiled(TEXT).module().state_dict()
    theta = torch.zeros_like(found[f"{FIRST}.weight"])
    theta[:, :, 1, 1] = 0.125
    theta[4, 2] = -LAPLACIAN
    theta[4, 2, 1, 1] += 2
    return {**found, f"{FIRST}.weight": theta}


def explain(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["explain", *map(str, arguments)])


def section(output: str, name: str) -> list[str]:
    """The lines of one operator."""
    lines = output.splitlines()
    start = next(k for k, line in enumerate(lines) if line.strip().removeprefix("- ").startswith(f"{name}:"))
    inner = len(lines[start]) - len(lines[start].lstrip())
    end = next(k for k in range(start + 1, len(lines)) if len(lines[k]) - len(lines[k].lstrip()) <= inner)
    return [line.strip() for line in lines[start:end]]


@pytest.mark.parametrize("folder", [False, True])
def test_laplacian_kernel(spec: Path, tmp_path: Path, folder: bool) -> None:
    file = tmp_path / "weights.safetensors"
    save_file(weights(), file)
    done = explain(spec, "--weights", tmp_path if folder else file)
    assert done.exit_code == 0
    head, mean, first, second, third = section(done.stdout, FIRST)
    assert head == f"{FIRST}: 8 to 8 channels"
    assert mean == "mean of the kernels: 0.154 + …"
    assert first == "3→5  norm 6.32     2 − Δ"
    assert second == "1→1  norm 0.125    0.125"
    assert third == "2→1  norm 0.125    0.125"


def test_all_kernels(spec: Path, tmp_path: Path) -> None:
    save_file(weights(), tmp_path / "weights.safetensors")
    short, full = (explain(spec, "--weights", tmp_path, *more).stdout for more in ((), ("--all",)))
    assert len(section(short, FIRST)) == 2 + 3
    assert len(section(full, FIRST)) == 2 + 64
    assert "+ …" in short
    assert "…" not in full


def test_markdown_and_json(spec: Path, tmp_path: Path) -> None:
    save_file(weights(), tmp_path / "weights.safetensors")
    found = json.loads(explain(spec, "--json", "--weights", tmp_path).stdout)["kernels"]
    (operator,) = [row for row in found if row["name"] == FIRST]
    assert (operator["sources"], operator["targets"]) == (8, 8)
    assert operator["kernels"][0] == {"source": 3, "target": 5, "norm": pytest.approx(40**0.5), "text": "2 − Δ"}
    assert "## Kernels" in explain(spec, "--markdown", "--weights", tmp_path).stdout
    assert "kernels" not in json.loads(explain(spec, "--json").stdout)
    assert "Kernels" not in explain(spec).stdout


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w: w.pop(f"{FIRST}.weight"), f"'{FIRST}.weight' is missing"),
        (
            lambda w: w.update({f"{FIRST}.weight": torch.ones(8, 8, 5, 5)}),
            "(8, 8, 5, 5), not (8, 8, 3, 3)",
        ),
        (lambda w: w.update(more=torch.ones(1)), "'more' is not part of this one"),
    ],
)
def test_weights_of_another_network(spec: Path, tmp_path: Path, change: object, message: str) -> None:
    wrong = weights()
    change(wrong)  # type: ignore[operator]
    save_file(wrong, tmp_path / "weights.safetensors")
    done = explain(spec, "--weights", tmp_path)
    assert done.exit_code == 2
    assert message in done.stderr
    assert str(tmp_path) in done.stderr
    assert done.stdout == ""


def test_missing_weights(spec: Path, tmp_path: Path) -> None:
    for path, message in (
        (tmp_path / "none", "there is no file"),
        (tmp_path, "there is no file"),
        (spec, "not a file of weights"),
    ):
        done = explain(spec, "--weights", path)
        assert done.exit_code == 2
        assert message in done.stderr
    assert explain(spec, "--all").exit_code == 2
    assert explain(spec, "--latex", "--weights", tmp_path).exit_code == 2


def test_spec_without_a_network(tmp_path: Path) -> None:
    spec = tmp_path / "kdv.pde"
    spec.write_text(changed(shipped("rotation"), ("σ²Δu", "∂³u/∂x³"), ("require linearity", "# require linearity")))
    done = explain(spec, "--weights", tmp_path)
    assert done.exit_code == 1
    assert "E601" in done.stderr


def test_kernel_of_a_norm_bounded_operator() -> None:
    module = compiled(light("monotone")).module()
    operator = module.stages[0].field.layers[0].operator
    with torch.no_grad():
        operator.weight.copy_(100 * torch.eye(8)[:, :, None, None] * LAPLACIAN)
    (stencil,) = [s for s in stencils_of(module) if s.name == "stages.0.field.layers.0.operator"]
    factor = operator.constrained_weight()[0, 0, 0, 1].item()
    assert 0 < factor < 0.2
    assert [k.text for k in stencil.kernels] == [f"{factor:.3g}Δ"] * 3


def test_kernels_of_fields_with_a_time_channel() -> None:
    module = compiled(light("revnet")).module()
    (stencil, *_) = [s for s in stencils_of(module) if s.name.endswith("convolutions.0")]
    assert (stencil.sources, stencil.targets) == (5, 4)  # the first source is the time


def test_torch_is_imported_for_weights_only() -> None:
    run = "from pdedsl.cli import cli; cli(['explain', 'parabolic'], standalone_mode=False)"
    code = f"import sys; {run}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_kernels_of_a_shipped_spec() -> None:
    names = [s.name for s in stencils_of(compiled(changed(shipped("parabolic"), ("32, 64, 112", "32, 8, 8"))).module())]
    assert sum(name.endswith("operator") for name in names) == 9
