"""`pdedsl format`, and unreadable files."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

from cli.commands import RIGHT, SPECS, UNTIDY, rows, run, written

# ---- files that cannot be read


def test_unreadable_files(tmp_path: Path) -> None:
    below = written(tmp_path, RIGHT) + "/below.pde"
    cases = {str(tmp_path): "E002", str(tmp_path / "none.pde"): "E001", below: "E003"}
    for path, code in cases.items():
        done = run("check", path, code=1)
        assert done.stderr.startswith(f"error[{code}]: ")
        assert path in done.stderr


def test_no_permission(tmp_path: Path) -> None:
    """As somebody who may not read it: for root, nothing is forbidden."""
    path = tmp_path / "secret.pde"
    path.write_text(RIGHT, "utf-8")
    path.chmod(0)
    leave = "import os\nif os.getuid() == 0: os.setuid(65534)\n"
    names = "from pdedsl.diagnostics import PdeError\nfrom pdedsl.sources import read_source\n"
    show = f"{names}try: read_source({str(path)!r})\n"
    keep = "except PdeError as error: print(error)\n"
    warm = "import pdedsl.compiler\n"  # while its files may be read
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.getuid() and str(folder).startswith(str(tmp_path.parents[2])):
            folder.chmod(folder.stat().st_mode | stat.S_IXOTH)
    done = subprocess.run(
        [sys.executable, "-c", warm + leave + show + keep], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.startswith("error[E003]: permission denied: cannot read this file\n"), done


def test_too_large_a_file(tmp_path: Path) -> None:
    assert "error[E006]" in run("check", written(tmp_path, "#" * (1 << 20) + "\n"), code=1).stderr


# ---- format


def test_format_rewrites_in_place_and_keeps_the_mode(tmp_path: Path) -> None:
    path = Path(written(tmp_path, UNTIDY))
    path.chmod(0o640)
    done = run("format", str(path))
    assert done.stderr == f"{path} reformatted\n"
    assert path.read_text("utf-8") == run("format", "-", text=UNTIDY).stdout != UNTIDY
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]
    assert run("format", str(path)).stderr == ""


def test_format_follows_a_link(tmp_path: Path) -> None:
    path, link = Path(written(tmp_path, UNTIDY)), tmp_path / "link.pde"
    link.symlink_to(path)
    run("format", str(link))
    assert link.is_symlink()
    assert path.read_text("utf-8") != UNTIDY


def test_format_does_not_change_an_invalid_file(tmp_path: Path) -> None:
    path = written(tmp_path, UNTIDY + "let = =\n")
    assert "error[E102]" in run("format", path, code=1).stderr
    assert Path(path).read_text("utf-8") == UNTIDY + "let = =\n"


def test_format_check_changes_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, UNTIDY)
    assert run("format", "--check", path, code=1).stderr == f"{path} would be reformatted\n"
    assert Path(path).read_text("utf-8") == UNTIDY
    run("format", path)
    assert run("format", "--check", path).stderr == ""


def test_format_ascii() -> None:
    text = run("format", "--ascii", "-", text=RIGHT).stdout
    assert text.isascii()
    assert "du/dt = 2 lap(u)" in text
    assert rows("-", text=text)[0]["hash"] == rows("-", text=RIGHT)[0]["hash"]


def test_format_prints_a_shipped_spec() -> None:
    before = (SPECS / "wave.pde").read_text("utf-8")
    assert "∂²u/∂t²" in run("format", "wave").stdout
    assert (SPECS / "wave.pde").read_text("utf-8") == before
