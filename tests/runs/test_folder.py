"""Run folders: partial files of a killed run are removed, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdedsl.io import RunError
from pdedsl.runs.folder import lock_run_folder

LEFT = (".weights.safetensors.4711.part", ".spec.pde.1.part", "checkpoints/.step-000000003.safetensors.12.part")
KEPT = ("spec.pde", "checkpoints/step-000000001.safetensors", "notes.part", ".mine.part", "report.md")


def begun(folder: Path, names: tuple[str, ...]) -> None:
    (folder / "checkpoints").mkdir(parents=True)
    for name in names:
        (folder / name).write_text(name)


def test_temporary_files_are_removed_at_the_next_start(tmp_path: Path) -> None:
    begun(tmp_path / "run", LEFT + KEPT)
    with lock_run_folder(tmp_path / "run", resume=True):
        assert not any((tmp_path / "run" / name).exists() for name in LEFT)
    assert all((tmp_path / "run" / name).read_text() == name for name in KEPT)


def test_temporary_files_of_other_processes_stay(tmp_path: Path) -> None:
    begun(tmp_path / "run", KEPT)
    with lock_run_folder(tmp_path / "run", resume=True):
        (tmp_path / "run" / LEFT[0]).write_text("")
        with pytest.raises(RunError, match="another process"), lock_run_folder(tmp_path / "run", resume=True):
            pass
        assert (tmp_path / "run" / LEFT[0]).exists()


@pytest.mark.parametrize("name", [".lock", "weights.safetensors", "metrics.jsonl", "tensorboard", "checkpoints/x"])
def test_nothing_is_written_through_a_link(name: str, tmp_path: Path) -> None:
    """A folder of somebody else may contain links to files of the reader."""
    begun(tmp_path / "run", KEPT)
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "run" / name).symlink_to(tmp_path / "mine")
    with pytest.raises(RunError, match="is a symbolic link"), lock_run_folder(tmp_path / "run", resume=True):
        pass
    assert (tmp_path / "mine").read_text() == "mine"
