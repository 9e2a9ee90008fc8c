"""Packages of `pdedsl compile`: linted, complete, and written atomically."""

from __future__ import annotations

import importlib
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from click.testing import CliRunner, Result
from codegen.test_emitted import AWKWARD, MORE
from texts import MODELS, compiled, learned, shipped

import pdedsl.explainer.package
from pdedsl.cli import cli

FILES = {"__init__.py", "model.py", "harness.py", "test_axioms.py", "spec.pde", "README.md"}
SMALL = learned(
    "∂u/∂t = v·∇u + 0.1 Δu",
    "learn v(x, y) : vector = mlp(width=4, depth=1)",
    realized="realize time by euler(steps=2)\nrequire linearity, comparison, constants",
)
WRONG = SMALL.replace("v·∇u", "w·∇u")
NO_NETWORK = SMALL.replace("0.1 Δu", "0.1 Δu - u").replace("comparison, constants", "comparison")
RUFF = Path(sys.executable).with_name("ruff")


def run(*args: str | Path, text: str = "") -> Result:
    return CliRunner().invoke(cli, [str(a) for a in args], input=text)


def spec(folder: Path, text: str) -> Path:
    path = folder / "my.pde"
    path.write_text(text, "utf-8")
    return path


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


PACKAGES = {**{name: shipped(name) for name in MODELS}, **AWKWARD, **MORE}


@pytest.mark.parametrize("name", PACKAGES)
def test_packages_pass_lint_and_types(tmp_path: Path, name: str) -> None:
    """Nothing to lint and nothing to reformat, by the defaults of the linter, whatever the reader's own settings."""
    for file, text in compiled(PACKAGES[name]).files().items():
        (tmp_path / file).write_text(text, "utf-8")
    for command in (["check"], ["format", "--diff"]):
        done = subprocess.run(
            [RUFF, *command, "--isolated", "--no-cache", "."], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", MODELS)
def test_files_of_a_package(name: str) -> None:
    files = compiled(shipped(name)).files()
    assert set(files) == FILES
    assert files["spec.pde"] == shipped(name)
    assert files["model.py"] == compiled(shipped(name)).python()
    assert compiled(shipped(name)).spec.hash in files["README.md"]
    compile(files["harness.py"], "harness.py", "exec")
    compile(files["test_axioms.py"], "test_axioms.py", "exec")


@pytest.mark.long
def test_package_tests_pass(tmp_path: Path) -> None:
    """`test_axioms.py` passes, run as its reader would."""
    folder = tmp_path / "made"
    assert run("compile", spec(tmp_path, SMALL), "-o", folder).exit_code == 0
    done = started(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_axioms.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout


def started(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run([sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True, check=False)


WHOLE = (
    SMALL.replace(" + 0.1 Δu", "")
    + """
train {
  data      moons(train=60, test=30, noise=0.2)
  epochs    2
  batch     20
  optimizer sgd(lr=0.1, momentum=0.9, nesterov=true)
  schedule  cosine
  augment   gaussian(0.05)
  adversary pgd(eps=0.1, steps=2)
  constrain W in [-0.5, 0.5]
}
evaluate {
  attack fgsm(eps=0.1)
}
"""
)


# `python harness.py …` for each argument; torch is imported once.
SCRIPTS = """
import runpy, sys
for line in sys.argv[1:]:
    sys.argv = ["harness.py", *line.split()]
    runpy.run_path("harness.py", run_name="__main__")
"""


@pytest.mark.long
def test_harness_equals_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same weights and the same report, with everything of the experiment in them; an edited model is its own."""
    made = tmp_path / "made"
    assert run("compile", spec(tmp_path, WHOLE), "-o", made).exit_code == 0
    done = started(made, "-c", SCRIPTS, "train run", "evaluate run")
    assert done.returncode == 0, done.stderr
    assert "fgsm(eps=0.1)" in done.stdout
    ours = tmp_path / "ours"
    assert run("train", made / "spec.pde", "-o", ours).exit_code == 0
    assert run("evaluate", ours).exit_code == 0
    assert (ours / "weights.safetensors").read_bytes() == (made / "run" / "weights.safetensors").read_bytes()
    reports = [json.loads((r / "evaluation" / "report.json").read_text("utf-8")) for r in (ours, made / "run")]
    for report in reports:
        del report["commands"], report["seconds"], report["cost"]
    assert reports[0] == reports[1]
    monkeypatch.setattr(sys, "argv", ["harness.py"])
    monkeypatch.syspath_prepend(made)
    with pytest.raises(SystemExit, match="train"):
        runpy.run_path(str(made / "harness.py"), run_name="__main__")


@pytest.mark.long
def test_harness_as_a_module_with_user_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The network of `model.py` is trained and evaluated as it is, edited or not."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert run("compile", spec(tmp_path, WHOLE), "-o", tmp_path / "edited").exit_code == 0
    model = tmp_path / "edited" / "model.py"
    more = "\n\nbuilt, seeds = model, []\n\n\ndef model(seed):\n    seeds.append(seed)\n    return built(seed)\n"
    model.write_text(model.read_text("utf-8") + more, "utf-8")
    x = numpy.random.default_rng(0).normal(size=(40, 2)).astype("float32")
    y = (x[:, 0] > 0).astype("int64")
    numpy.savez(tmp_path / "mine.npz", x_train=x[:30], y_train=y[:30], x_test=x[30:], y_test=y[30:])
    harness = importlib.import_module("edited.harness")
    lbfgs = ["train.optimizer=lbfgs(steps=2)", "train.epochs=1", "train.schedule="]
    harness.train("own", set=['train.data=npz("mine.npz")', *lbfgs])
    report = harness.evaluate("own")
    assert sum(map(sum, report.clean.confusion)) == 10
    assert len(importlib.import_module("edited.model").seeds) == 2


# ---- all or nothing


def test_compile_writes_all_files(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "made"
    done = run("compile", spec(tmp_path, SMALL), "-o", folder)
    assert done.exit_code == 0, done.output
    assert set(os.listdir(folder)) == FILES
    assert os.listdir(folder.parent) == ["made"]
    assert all(name in done.output for name in FILES)


def test_refuses_to_overwrite(tmp_path: Path) -> None:
    path, folder = spec(tmp_path, SMALL), tmp_path / "made"
    folder.mkdir()
    (folder / "harness.py").write_text("mine")
    (folder / "notes.txt").write_text("mine too")
    before = tree(tmp_path)
    done = run("compile", path, "-o", folder)
    assert done.exit_code == 2
    assert "harness.py" in done.output
    assert "--force" in done.output
    assert tree(tmp_path) == before
    assert run("compile", path, "-o", folder, "--force").exit_code == 0
    assert set(os.listdir(folder)) == FILES | {"notes.txt"}
    assert (folder / "notes.txt").read_text() == "mine too"
    assert (folder / "harness.py").read_text() != "mine"


@pytest.mark.parametrize("text", [WRONG, NO_NETWORK, "pde Nothing\n"], ids=["wrong", "no network", "empty"])
@pytest.mark.parametrize("force", [[], ["--force"]], ids=["plain", "force"])
def test_invalid_spec_writes_nothing(tmp_path: Path, text: str, force: list[str]) -> None:
    path = spec(tmp_path, text)
    done = run("compile", path, "-o", tmp_path / "deep" / "made", *force)
    assert done.exit_code == 1
    assert os.listdir(tmp_path) == ["my.pde"]


def test_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk at the third file: no folder, no half of one, no temporary files."""
    written: list[Path] = []
    plain = Path.write_text

    def full(self: Path, *args: object, **options: object) -> int:
        written.append(self)
        if len(written) == 3:
            raise OSError(28, "No space left on device", str(self))
        return plain(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space"):
        pdedsl.explainer.package.write_package(tmp_path / "made", compiled(SMALL).files(), force=False)
    assert not os.listdir(tmp_path)


def test_force_replaces_all_or_nothing(tmp_path: Path) -> None:
    """README.md is a folder, which no file can replace: then the other files stay as they were."""
    path, folder = spec(tmp_path, SMALL), tmp_path / "made"
    (folder / "README.md").mkdir(parents=True)
    (folder / "README.md" / "keep").write_text("mine")
    (folder / "model.py").write_text("mine")
    before = tree(tmp_path)
    assert run("compile", path, "-o", folder, "--force").exit_code != 0
    assert tree(tmp_path) == before


def test_output_that_is_a_file(tmp_path: Path) -> None:
    path, target = spec(tmp_path, SMALL), tmp_path / "made"
    target.write_text("mine")
    assert run("compile", path, "-o", target).exit_code != 0
    assert tree(tmp_path) == {"my.pde": SMALL.encode(), "made": b"mine"}


def test_standard_input_and_default_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("compile", "-", text=SMALL).exit_code == 0
    assert run("compile", "resnet").exit_code == 0
    assert sorted(os.listdir(tmp_path)) == ["Plane", "resnet"]
