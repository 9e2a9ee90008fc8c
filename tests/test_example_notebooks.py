"""The example notebooks run, cell by cell, and are stored without output."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.long
NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples" / "notebooks").glob("*.ipynb"))


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["classifier", "equation", "inverse"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    notebook = nbformat.read(path, as_version=4)
    assert not [cell for cell in notebook.cells if cell.cell_type == "code" and cell.outputs]
    NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = {
        kind
        for cell in notebook.cells
        if cell.cell_type == "code"
        for out in cell.outputs
        for kind in out.get("data", {})
    }
    assert {"text/html", "image/png"} <= shown  # the explanation, and a figure
