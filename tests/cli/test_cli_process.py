"""Command line as a process: colours, internal errors, broken pipes and lazy imports."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
WRONG = "pde Heat\n"
MIXED = """pde Mixed
space x in R^2
time t in [0, 1]
unknown u(x, t) : scalar
learn v(x, t) : vector = mlp(8, 2)
∂u/∂t = ∇·(v u)
u(x, 0) = exp(-‖x‖²)
"""
BREAK = """
import sys
import pdedsl.compiler
import pdedsl.api
def broken(*args, **options):
    raise RuntimeError("something we did not think of")
for home, verb in ((pdedsl.compiler, "to_spec"), (pdedsl.compiler, "to_analysis"), (pdedsl.api, "format_source")):
    setattr(home, verb, broken)
sys.argv = ["pdedsl", *sys.argv[1:]]
from pdedsl.cli import main
main()
"""


# ---- colour


def on_a_terminal(path: Path, **env: str) -> str:
    """What `pdedsl check` writes to a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pdedsl", "check", str(path)]
    clean = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env={**clean, **env})
    os.close(theirs)
    found = b""
    try:
        while part := os.read(ours, 65536):
            found += part
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    assert process.wait() == 1
    return found.decode()


def test_colour_on_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "wrong.pde"
    path.write_text(WRONG)
    assert "\x1b[31m\x1b[1merror[E123]" in on_a_terminal(path)
    assert "\x1b" not in on_a_terminal(path, NO_COLOR="1")


def test_no_colour_in_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "wrong.pde"
    path.write_text(WRONG)
    done = subprocess.run([sys.executable, "-m", "pdedsl", "check", str(path)], capture_output=True, check=False)
    assert done.returncode == 1
    assert b"\x1b" not in done.stderr


# ---- our own faults


@pytest.mark.parametrize("command", [["check"], ["check", "--json"], ["format"], ["compile"], ["explain"]])
def test_internal_error(command: list[str], tmp_path: Path) -> None:
    spec = tmp_path / "mine.pde"
    spec.write_text("pde Mine\n")
    done = subprocess.run(
        [sys.executable, "-c", BREAK, *command, str(spec)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "TMPDIR": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 70, done
    assert "Traceback" not in done.stderr
    assert "report it" in done.stderr
    [report] = tmp_path.glob("pdedsl-report-*.txt")
    assert str(report) in done.stderr
    assert "something we did not think of" in report.read_text("utf-8")
    assert "pde Mine" in report.read_text("utf-8")
    assert spec.read_text() == "pde Mine\n"


def test_broken_pipe() -> None:
    """`pdedsl specs resnet | head -0`: no noise, no fault."""
    command = f"{sys.executable} -m pdedsl compile --emit syntax resnet | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, encoding="utf-8", check=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_full_disk() -> None:
    command = f"{sys.executable} -m pdedsl specs > /dev/full"
    done = subprocess.run(["bash", "-c", command], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


# ---- modules that are not imported


def imported(*args: str) -> set[str]:
    """The packages that a command imports."""
    command = [sys.executable, "-X", "importtime", "-m", "pdedsl", *args]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}


@pytest.mark.parametrize("line", ["check resnet", "check --json resnet", "format resnet", "explain resnet", "specs"])
def test_no_torch_and_no_numpy(line: str) -> None:
    found = imported(*line.split())
    assert "click" in found
    assert not found & {"torch", "torchvision", "numpy", "scipy"}


def test_imports_of_help() -> None:
    found = imported("--help")
    assert "click" in found
    assert not found & {"torch", "torchvision", "numpy", "scipy", "sympy", "lark"}


def test_no_torch_warnings(tmp_path: Path) -> None:
    """On first use of forward-mode derivatives, which ∇·(v u) needs for a learned v, torch warns about itself."""
    (tmp_path / "mixed.pde").write_text(MIXED, "utf-8")
    command = [sys.executable, "-W", "error", "-m", "pdedsl", "test", "--examples", "1", "mixed.pde"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr


def test_standard_error_after_training(tmp_path: Path) -> None:
    """An optimizer imports the compiler of torch, whose extension modules report objects that are never collected."""
    command = [sys.executable, "-m", "pdedsl", "train", "convection_diffusion", "-o", str(tmp_path / "run")]
    settings = ("train.epochs=1", "train.data.train=40", "train.data.test=20")
    process = subprocess.run(
        [*command, *(word for setting in settings for word in ("--set", setting))], capture_output=True, text=True
    )
    assert process.returncode == 0
    assert "leaked" not in process.stderr
