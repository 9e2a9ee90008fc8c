"""Training in separate processes: distributed, interrupted and resumed."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
import torch
from killing.processes import finish, start, start_two

import pdedsl
from pdedsl.runs.checkpoint import load_tensors
from pdedsl.runtime.sde.noise import GaussianNoise
from training import specs
from training.test_resume import assert_same, figures

pytestmark = pytest.mark.long

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


def command(text: str, out: Path, *options: str) -> list[str]:
    """`pdedsl train` for a spec."""
    file = out.with_suffix(".pde")
    file.write_text(text, "utf-8")
    return ["-m", "pdedsl", "train", str(file), "-o", str(out), *options]


def wait_for_lines(path: Path, count: int, process: subprocess.Popen[str]) -> None:
    while process.poll() is None:
        if path.exists() and len(path.read_bytes().splitlines()) >= count:
            return
        time.sleep(0.01)


def test_interrupted_and_resumed(tmp_path: Path) -> None:
    """Ctrl-C prints the command that resumes the run, and the resumed run equals an uninterrupted one."""
    run = tmp_path / "run"
    process = start(command(specs.DIGITS, run, *LONG))
    wait_for_lines(run / "metrics.jsonl", 20, process)
    process.send_signal(signal.SIGINT)
    code, _, err = finish(process)
    assert code == 130
    assert f"pdedsl train {run}/spec.pde -o {run} --resume" in err
    assert not (run / "report.md").exists()
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
    done = [finish(process) for process in start_two(["-c", SHARE, str(work)])]
    for code, _, err in done:
        assert code == 0, err
    (folder / "said.json").write_text(
        json.dumps([[json.loads(line) for line in out.splitlines()] for _, out, _ in done])
    )
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_give_the_result_of_one(kind: str, by_two: Path, tmp_path: Path) -> None:
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


def test_only_the_main_process_writes_and_checkpoints_resume_in_one_process(tmp_path: Path) -> None:
    pair = start_two(command(specs.DIGITS, tmp_path / "a", "--set", "train.epochs=1"))
    codes, outputs, errors = zip(*map(finish, pair), strict=True)
    assert set(codes) == {0}, errors
    assert "".join(outputs).count("2 processes") == 1
    steps = [json.loads(line)["step"] for line in (tmp_path / "a" / "metrics.jsonl").read_text().splitlines()]
    assert steps == sorted(steps)
    pdedsl.train(specs.DIGITS, tmp_path / "a", set=["train.epochs=2"], resume=True)
    pdedsl.train(specs.DIGITS, tmp_path / "b", set=["train.epochs=2"])
    first, second = (load_tensors(tmp_path / run / "weights.safetensors")[0] for run in "ab")
    for name, tensor in first.items():
        torch.testing.assert_close(tensor, second[name], rtol=1e-3, atol=1e-4)


NOISE_OF_A_PROCESS = """
import json, os, sys
import torch
import torch.distributed as dist
from pdedsl.runtime.sde.noise import GaussianNoise
dist.init_process_group("gloo")
noise = GaussianNoise(1.0, seed=0)(torch.zeros(4, 3))
print(json.dumps(noise.tolist()), flush=True)
dist.barrier()
os._exit(0)
"""


def test_processes_of_a_custom_loop_have_different_noise() -> None:
    """Without a stated row, as in a training loop with DistributedDataParallel; the first process is as if alone."""
    first, second = (json.loads(finish(p)[1]) for p in start_two(["-c", NOISE_OF_A_PROCESS]))
    assert first != second
    torch.testing.assert_close(torch.tensor(first), GaussianNoise(1.0, seed=0)(torch.zeros(4, 3)))
