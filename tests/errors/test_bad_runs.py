"""Reports of `pdedsl train` and `pdedsl solve` for invalid runs, compared with golden files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from pdedsl import errors
from pdedsl.cli import cli

HERE = Path(__file__).parents[1] / "bad" / "runs"
MOONS = """pde Moons
space   x in R²
time    t in [0, 1]
unknown u(x, t) : simplex(2)
learn   v(x, t) : vector   = mlp(width=4, depth=1)
learn   W       : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
realize time by euler(steps=2)
train {
  data      moons
  epochs    1
  optimizer adam(lr=1e-2), lbfgs(steps=2)
}
"""
SCALAR = """pde Rotation
space   x in R²
time    t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = -x₂ ∂u/∂x₁ + x₁ ∂u/∂x₂
u(x, 0) = exp(-‖x‖²)
train {
  data moons
}
"""
Arrays = Mapping[str, NDArray[np.generic]]
POINTS, LABELS = np.zeros((6, 2), np.float32), np.arange(6) % 2
ATTACKED = "evaluate {\n  attack cw\n  attack ddn\n}\n"
OWN = 'train.data=npz("own.npz")'


def arrays(x: NDArray[np.generic] = POINTS, y: NDArray[np.generic] = LABELS) -> Arrays:
    return {"x_train": x, "y_train": y, "x_test": POINTS, "y_test": LABELS}


@dataclass(frozen=True)
class Case:
    settings: tuple[str, ...] = ()
    spec: str = MOONS
    own: Arrays | bytes | None = None  # contents of data/own.npz
    files: Mapping[str, bytes | Arrays] = field(default_factory=dict)  # below data/
    root: str = "."  # data folder, below data/
    command: str = "train"


CASES = {
    "e701_no_train_block": Case(spec=MOONS.partition("train {")[0]),
    "e702_no_data": Case(("train.data=",)),
    "e708_selection_without_validation": Case(("train.select=validation",)),
    "e708_selection_without_adversary": Case(("train.select=robust", "train.data.validation=0.2")),
    "e703_flip_of_points": Case(("train.augment=flip",)),
    "e704_nothing_to_train": Case(spec=SCALAR),
    "e704_solved_not_trained": Case(("train.data=",), SCALAR.replace("R²", "[0, 1]^2 periodic")),
    "e707_no_sweep": Case(command="sweep"),
    "e706_trained_not_solved": Case(command="solve"),
    "e705_empty_schedule": Case(("train.schedule=step",)),
    "e720_no_file": Case((OWN,)),
    "e721_not_npz": Case((OWN,), own=b"x, y"),
    "e721_unexpected_arrays": Case((OWN,), own={"x_train": POINTS, "y_train": LABELS}),
    "e721_object_array": Case((OWN,), own=arrays(np.array([{}, {}]))),
    "e721_single_sample": Case((OWN,), own={"x": POINTS[:1], "y": LABELS[:1]}),
    "e721_sample_count": Case((OWN,), own=arrays(y=LABELS[:4])),
    "e721_sample_shape": Case((OWN,), own=arrays(POINTS[:, 0])),
    "e721_dtype": Case((OWN,), own=arrays(POINTS.astype(np.complex64))),
    "e721_not_finite": Case((OWN,), own=arrays(POINTS + np.array([[0], [0], [np.nan], [0], [0], [0]]))),
    "e721_values_too_large": Case((OWN,), own=arrays(POINTS + np.float32(1e35))),
    "e721_real_labels": Case((OWN,), own=arrays(y=LABELS + 0.5)),
    "e721_one_hot": Case((OWN,), own=arrays(y=np.eye(2)[LABELS])),
    "e721_label_below_zero": Case((OWN,), own=arrays(y=LABELS - 1)),
    "e721_train_test_mismatch": Case((OWN,), own=arrays(np.zeros((6, 3), np.float32))),
    "e722_no_folder": Case(("train.data=mnist",), files={"file": b""}, root="file/data"),
    "e723_corrupt": Case(
        ("train.data=svhn",), files={"train_32x32.mat": b"no matrices", "test_32x32.mat": b"no matrices"}
    ),
    "e723_other_data_set": Case(("train.data=mnist",), files={"mnist.npz": arrays()}),
    "e724_images_for_points": Case(("train.data=digits",)),
    "e725_three_classes": Case((OWN,), own=arrays(y=np.arange(6) % 3)),
    "e726_too_few_samples": Case((OWN, "train.data.train=7"), own=arrays()),
    "e727_no_validation_samples": Case((OWN, "train.data.validation=0.01"), own=arrays()),
    "e730_no_value": Case(("train.epochs",)),
    "e730_constant_without_value": Case(("c=",), spec=MOONS.replace("space", "const c = 2\nspace")),
    "e730_block_without_entry": Case(("train=3",)),
    "e730_empty_component": Case(("train..lr=3",)),
    "e730_comment": Case(("train.epochs=3 # more",)),
    "e730_unmatched_bracket": Case(("train.epochs=3)",)),
    "e730_unclosed_bracket": Case(("train.optimizer=sgd(lr=0.1",)),
    "e730_unterminated_string": Case(('train.data=npz("own.npz)',)),
    "e731_unknown_entry": Case(("train.epoch=3",)),
    "e731_unknown_block": Case(("learning.rate=3",)),
    "e731_no_constant": Case(("epochs=3",)),
    "e731_long_path": Case(("train.optimizer.adam.lr.x=3",)),
    "e732_several_calls": Case(("train.optimizer.lr=0.1",)),
    "e732_several_entries": Case(("evaluate.attack=fgsm(eps=0.1)",), spec=MOONS + ATTACKED),
    "e733_no_arguments": Case(("train.epochs.x=3",)),
    "e733_positional_arguments": Case(("train.data.train=",), spec=MOONS.replace("moons\n", "moons(50, 20)\n")),
}  # fmt: skip


def written(path: Path, content: bytes | Arrays) -> None:
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        np.savez(path, allow_pickle=True, **content)


@pytest.mark.parametrize("name", CASES)
def test_report(
    name: str, golden: Callable[[Path, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, data = CASES[name], tmp_path / "data"
    monkeypatch.chdir(tmp_path)
    data.mkdir()
    (tmp_path / "my.pde").write_text(case.spec, "utf-8")
    for file, content in {**case.files, **({"own.npz": case.own} if case.own is not None else {})}.items():
        written(data / file, content)
    settings = [argument for setting in case.settings for argument in ("--set", setting)]
    where = ["--data", str(data / case.root)] if case.command == "train" else []
    done = CliRunner().invoke(cli, [case.command, "my.pde", "-o", "run", *where, *settings])
    assert done.exit_code == 1, done.output
    assert not (tmp_path / "run").exists()
    golden(HERE / f"{name}.expected", done.stderr.replace(str(tmp_path), "…"))
    assert set(re.findall(r"^error\[(E\d{3})\]", done.stderr, re.MULTILINE)) == {name[:4].upper()}


def test_every_code_has_a_case() -> None:
    assert {name[:4].upper() for name in CASES} == {c.name for c in errors.codes() if c.name.startswith("E7")}


def test_every_golden_has_a_case() -> None:
    assert {p.stem for p in HERE.iterdir()} == set(CASES)
