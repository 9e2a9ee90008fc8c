"""Every spec, snippet and command on the page of commands."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import pdedsl
from pdedsl.cli import cli

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[1]
PATH = ROOT / "docs" / "guide" / "commands.md"
PAGE = PATH.read_text("utf-8")
BACKWARD = """pde Backward
space x in R^2
time t in [0, 1]
unknown u(x, t) : scalar
const σ = 0.1

∂u/∂t = -σ²Δu
u(x, 0) = exp(-x₁²)
"""


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def run(*command: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """As a process, where that is the point."""
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, cwd=cwd, check=False)


def test_the_spec_is_solved_to_rounding() -> None:
    (physical,) = blocks("pde")
    assert pdedsl.parse(physical).warnings == ()
    assert pdedsl.solve(physical, tol=1e-8).error.value < 1e-8


def test_the_python_snippet_prints_its_comments() -> None:
    (snippet,) = (block for block in blocks("python") if "operator" in block)
    result = run("-c", snippet)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["proved", "torch.Size([2])", "1361410"]


def test_the_editor_snippet_prints_its_comments(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (snippet,) = (block for block in blocks("python") if "pdedsl.editor" in block)
    monkeypatch.chdir(ROOT)
    exec(snippet, {})
    none, first, *_ = capsys.readouterr().out.splitlines()
    assert (none, f"# {first} …") == ("()", snippet.rstrip().rpartition("  ")[2])


def test_the_message_is_the_one_shown(tmp_path: Path) -> None:
    (tmp_path / "my.pde").write_text(BACKWARD, "utf-8")
    result = run("-m", "pdedsl", "check", "my.pde", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr.strip() == blocks("text")[0].strip()


@pytest.mark.parametrize("command", sorted(set(re.findall(r"`(pdedsl [a-z]+(?: --?[a-z]+)*(?: [a-z.]+)?)`", PAGE))))
def test_commands_run(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.pde").write_text(BACKWARD.replace("-σ²", "σ²"), "utf-8")
    words = command.split()[1:]
    if words == ["check", "--json"]:
        words.append("my.pde")
    if words[0] == "test":
        words += ["--examples", "3"]
    if words == ["test", "--examples", "3"]:
        words.append("rotation")
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0, result.output


def test_the_training_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (text,) = [block for block in blocks("sh") if "pdedsl train" in block]
    for line in text.strip().splitlines():
        several, _, command = line.rpartition("pdedsl train ")
        words = command.split()
        if "--set" not in words and "--resume" not in words:
            words += ["--set", "train.epochs=2"]  # as shown it takes longer
        if "torchrun" in several:
            start = ["-m", "torch.distributed.run", "--nproc-per-node=2"]
            result = run(*start, "-m", "pdedsl", "train", *words, cwd=tmp_path)
            assert result.returncode == 0, result.stderr
        else:
            done = CliRunner().invoke(cli, ["train", *words])
            assert done.exit_code == 0, done.output
    assert "`pdedsl explain run --weights run`" in PAGE
    assert "Kernels" in CliRunner().invoke(cli, ["explain", "run", "--weights", "run"]).stdout
    (call,) = re.findall(r"`(pdedsl\.train\(.*?\))`", PAGE)
    (tmp_path / "my.pde").write_text((tmp_path / "run" / "spec.pde").read_text("utf-8"), "utf-8")
    exec(call.replace("run", "mine"), {"pdedsl": pdedsl})
    assert {"weights.safetensors", "report.md", "curves.png", "metrics.jsonl"} <= {
        path.name for path in (tmp_path / "run").iterdir()
    }


def test_the_sweep_command_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (text,) = [block for block in blocks("sh") if "pdedsl sweep" in block]
    monkeypatch.chdir(tmp_path)
    few = ["train.epochs=1", "train.data.train=40", "train.data.test=20", "evaluate.certify.n=100"]  # takes longer
    words = [*shlex.split(text)[1:], "--seeds", "2", "--workers", "1", *(w for s in few for w in ("--set", s))]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    assert {"table.md", "table.tex", "runs.csv", "runs"} <= {path.name for path in (tmp_path / "study").iterdir()}


def test_the_evaluation_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (text,) = [block for block in blocks("sh") if "pdedsl evaluate" in block]
    monkeypatch.chdir(tmp_path)
    for name in ("run", "short"):
        pdedsl.train("convection_diffusion", name, set=["train.epochs=1", "evaluate.certify.n=100"])
    for line in text.strip().splitlines():
        words = shlex.split(line)[1:]
        few = ["--subset", "20"] if words[0] == "evaluate" else []  # as shown it takes longer
        done = CliRunner().invoke(cli, [*words, *few])
        assert done.exit_code == 0, done.output
    shown = set(re.findall(r"`(report\.\w+)`", PAGE))
    assert shown == {"report.html", "report.md", "report.json"}
    assert all((tmp_path / "run" / "evaluation" / name).is_file() for name in shown)
    assert {"page.html", "tables.tex"} <= {path.name for path in tmp_path.iterdir()}


def test_the_evaluation_snippet_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (snippet,) = (block for block in blocks("python") if "pdedsl.evaluate" in block)
    names: dict[str, object] = {}
    exec(snippet, names)
    assert "no sign of gradient masking" in capsys.readouterr().out
    for call in re.findall(r"`(pdedsl\.(?:attacks|certificates)\..*?\))`", PAGE):
        from pdedsl import attacks, certificates  # noqa: F401

        result = eval(call.replace("sigma=0.25", "sigma=0.25, n=100"), names)
        assert all(hasattr(result, name) for name in (("x", "fooled") if "attacks" in call else ("radii",)))


def test_the_solving_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (text,) = [block for block in blocks("sh") if "pdedsl solve" in block]
    monkeypatch.chdir(tmp_path)
    for line in text.strip().splitlines():
        done = CliRunner().invoke(cli, shlex.split(line)[1:])
        assert done.exit_code == 0, done.output
    assert (tmp_path / "disc" / "report.md").is_file()


def test_the_solving_snippet_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (snippet,) = (block for block in blocks("python") if "pdedsl.solve" in block)
    monkeypatch.chdir(ROOT)
    exec(snippet, {})
    assert "0.37" in capsys.readouterr().out  # exp(-0.1π²)


def test_stages_of_emit() -> None:
    (stages,) = re.findall(r"`--emit ([a-z|]+)`", PAGE)
    for stage in stages.split("|"):
        assert CliRunner().invoke(cli, ["compile", "--emit", stage, "poisson"]).stdout


def test_the_drawing_is_the_one_shown() -> None:
    shown = (ROOT / "examples" / "enresnet.svg").read_text("utf-8")
    assert CliRunner().invoke(cli, ["draw", "enresnet"]).stdout == shown
