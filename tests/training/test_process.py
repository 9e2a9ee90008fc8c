"""Training in separate processes: distributed, killed and resumed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

import pdedsl
from pdedsl.runs.checkpoint import load_tensors
from training import specs
from training.test_resume import assert_same, figures

pytestmark = pytest.mark.long

ONE = {**os.environ, "OMP_NUM_THREADS": "1", "NO_COLOR": "1"}
ONE.pop("PYTEST_CURRENT_TEST", None)
EPOCHS = "train.epochs=20"
LONG = ("--set", EPOCHS, "--save-every", "0.05")
# One of two processes that train spec after spec.
SHARE = """
import json, os, sys
import torch.distributed as dist
import pdedsl
from pdedsl.training import report
report.plot_curves = report.plot_boundaries = lambda *_: None
dist.init_process_group("gloo")
for out, text, settings in json.loads(open(sys.argv[1], encoding="utf-8").read()):
    run = pdedsl.train(text, out, set=settings)
    print(json.dumps([run.outcome, run.message]), flush=True)
dist.barrier()
os._exit(0)  # threads of torch.distributed may abort an interpreter that winds down
"""
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "noise": (specs.NOISY, ()),
    "residual": (specs.RESIDUAL, ()),
    "residual of images": (specs.SMOOTH_DIGITS, ()),
    "retraining": (specs.HEAT, ("train.epochs=1",)),
    "images": (specs.DIGITS, ("train.augment=crop(1)", "train.adversary=pgd(eps=0.1, steps=2)", "train.epochs=1")),
    "lbfgs": (specs.NOISY, ("train.optimizer=lbfgs(steps=3)",)),
    "many draws": (specs.SMOOTHED, ()),
}
FAILING = ("stiff", specs.STIFF, ())


def train(text: str, out: Path, *options: str, env: dict[str, str] = ONE) -> subprocess.Popen[str]:
    """Start `pdedsl train` on a spec."""
    file = out.with_suffix(".pde")
    file.write_text(text, "utf-8")
    return started(["-m", "pdedsl", "train", str(file), "-o", str(out), *options], env)


def train_by_two(text: str, out: Path, *options: str) -> tuple[set[int], str, str]:
    """The same by two processes, in the environment that torchrun makes for them; what both say."""
    done = [finished(process) for process in [train(text, out, *options, env=env) for env in two()]]
    return {code for code, _, _ in done}, "".join(out for _, out, _ in done), "".join(err for _, _, err in done)


def two() -> list[dict[str, str]]:
    place = {**ONE, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    return [{**place, "RANK": rank, "LOCAL_RANK": rank} for rank in "01"]


def started(arguments: list[str], env: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def finished(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=900)
    return process.returncode, out, err


def wait_for_lines(path: Path, count: int, process: subprocess.Popen[str]) -> None:
    while process.poll() is None:
        if path.exists() and len(path.read_bytes().splitlines()) >= count:
            return
        time.sleep(0.01)


def test_interrupted_killed_and_resumed(tmp_path: Path) -> None:
    """Ctrl-C says how to go on, and after it and `kill -9` a run ends as if nothing had happened."""
    run = tmp_path / "run"
    process = train(specs.DIGITS, run, *LONG)
    wait_for_lines(run / "metrics.jsonl", 20, process)
    process.send_signal(signal.SIGINT)
    code, _, err = finished(process)
    assert code == 130
    assert f"pdedsl train {run}/spec.pde -o {run} --resume" in err
    assert not (run / "report.md").exists()
    process = started(["-m", "pdedsl", "train", str(run / "spec.pde"), "-o", str(run), *LONG[2:], "--resume"], ONE)
    wait_for_lines(run / "metrics.jsonl", 90, process)
    process.kill()
    assert finished(process)[0] == -signal.SIGKILL
    pdedsl.train(run / "spec.pde", run, resume=True)
    pdedsl.train(specs.DIGITS, tmp_path / "whole", set=[EPOCHS])
    assert (run / "report.md").exists()
    assert_same(run, tmp_path / "whole")


@pytest.fixture(scope="module")
def by_two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of every kind, each by the same two processes."""
    folder = tmp_path_factory.mktemp("two")
    work = folder / "work.json"
    every = [FAILING, *((kind, *KINDS[kind]) for kind in KINDS)]
    work.write_text(json.dumps([(str(folder / kind), *rest) for kind, *rest in every]), "utf-8")
    pair = [started(["-c", SHARE, str(work)], env) for env in two()]
    done = [finished(process) for process in pair]
    for code, _, err in done:
        assert code == 0, err
    (folder / "said.json").write_text(
        json.dumps([[json.loads(line) for line in out.splitlines()] for _, out, _ in done])
    )
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_do_what_one_does(kind: str, by_two: Path, tmp_path: Path) -> None:
    text, settings = KINDS[kind]
    pdedsl.train(text, tmp_path, set=settings)
    one, two = figures(tmp_path), figures(by_two / kind)
    assert [row["step"] for row in one] == [row["step"] for row in two]
    # Sums in another order: rounding in single precision, which training carries on.
    for a, b in zip(one, two, strict=True):
        assert a["loss"] == pytest.approx(b["loss"], rel=2e-4)


def test_processes_stop_together(by_two: Path) -> None:
    """One that raised alone would leave the other waiting; the loss of both is NaN instead."""
    for (outcome, message), *others in json.loads((by_two / "said.json").read_text("utf-8")):
        assert outcome == "diverged"
        assert "the loss is NaN or infinite at step 1" in message
        assert "larger tolerances" in message
        assert [said[0] for said in others] == ["finished"] * len(KINDS)


def test_one_log_one_voice_and_a_checkpoint_that_goes_on_in_one(tmp_path: Path) -> None:
    codes, out, err = train_by_two(specs.DIGITS, tmp_path / "a", "--set", "train.epochs=1")
    assert codes == {0}, err
    assert out.count("2 processes") == 1
    steps = [json.loads(line)["step"] for line in (tmp_path / "a" / "metrics.jsonl").read_text().splitlines()]
    assert steps == sorted(steps)
    pdedsl.train(specs.DIGITS, tmp_path / "a", set=["train.epochs=2"], resume=True)
    pdedsl.train(specs.DIGITS, tmp_path / "b", set=["train.epochs=2"])
    first, second = (load_tensors(tmp_path / run / "weights.safetensors")[0] for run in "ab")
    for name, tensor in first.items():
        torch.testing.assert_close(tensor, second[name], rtol=1e-3, atol=1e-4)
