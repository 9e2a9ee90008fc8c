"""Standalone packages: without pdedsl, their outputs are those of the compiled network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from texts import compiled, inputs, shipped

from pdedsl.cli import cli

# One of each kind: noise, dropout, blocks on pixels, adaptive steps, bounded pieces, an operator.
NAMES = ("enresnet", "dropout", "hamiltonian", "neural_ode", "convex_potential", "anisotropic")
RUN = """
import importlib, sys
for name in ("pdedsl", "lark", "hypothesis"):
    sys.modules[name] = None  # importing it fails
import torch
for name in sys.argv[1:]:
    given = torch.load(f"{name}.pt")
    network = importlib.import_module(name).model(3).eval()
    network.load_state_dict(given["weights"])
    with torch.no_grad():
        torch.testing.assert_close(network(given["x"]), given["y"])
"""


@torch.no_grad()
@pytest.mark.long
def test_outputs_without_pdedsl(tmp_path: Path) -> None:
    for name in NAMES:
        result = CliRunner().invoke(cli, ["compile", name, "--standalone", "-o", str(tmp_path / name)])
        assert result.exit_code == 0, result.output
        assert "Dependencies: torch. pdedsl is not required" in (tmp_path / name / "README.md").read_text("utf-8")
        network, x = compiled(shipped(name)).module(3).eval(), inputs(shipped(name), 2).float()
        weights = {key: value.clone() for key, value in network.state_dict().items()}  # noise counts its calls in them
        torch.save({"weights": weights, "x": x, "y": network(x)}, tmp_path / f"{name}.pt")
    command = [sys.executable, "-c", RUN, *NAMES]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_import_from_another_folder(tmp_path: Path) -> None:
    assert CliRunner().invoke(cli, ["compile", "resnet", "-o", str(tmp_path / "mine")]).exit_code == 0
    path = f"import sys; sys.path.append({str(tmp_path)!r})"
    code = f"{path}; import mine, mine.harness; print(type(mine.model(0)).__name__)"
    done = subprocess.run([sys.executable, "-c", code], cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == type(compiled(shipped("resnet")).module(0)).__name__


def test_folder_name_must_be_importable(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["compile", "resnet", "--standalone", "-o", str(tmp_path / "my-net")])
    assert result.exit_code == 2
    assert "my-net" in result.output
    assert not (tmp_path / "my-net").exists()
