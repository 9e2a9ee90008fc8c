"""Compilation → the files of a package that a person would have written."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import assert_never

from pdedsl import quoting
from pdedsl.explain.certificate import certificate_lines
from pdedsl.explain.describe import network_lines, theorem_line
from pdedsl.explain.explain import explain_markdown
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.plan import ImagePlan, Model
from pdedsl.ir.representation import Representation
from pdedsl.ir.spec import Spec
from pdedsl.words.blocks import TrainBlock
from pdedsl.words.optimizers import Adam, Adamw, Lbfgs, Optimizer, Sgd

HARNESS = '''"""Train and evaluate {name} on data of your own: batches of (inputs, labels)."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from model import model

Batches = Iterable[tuple[Tensor, Tensor]]


def optimizer(network: nn.Module) -> torch.optim.Optimizer:
    """The optimizer of the spec{default}."""
    return {optimizer}


def train(batches: Batches, epochs: int = {epochs}, seed: int = 0) -> nn.Module:
    """A network trained by cross-entropy of the class probabilities u.

    Schedule, augmentation, adversary, regularizers and residuals of the spec are in
    `pdedsl train spec.pde -o run`.
    """
    torch.manual_seed(seed)
    network = model(seed)
    network.train()
    steps = optimizer(network)
    for _ in range(epochs):
        for inputs, labels in batches:
            loss = nn.functional.cross_entropy(network(inputs), labels)
            steps.zero_grad()
            loss.backward()
            steps.step()
    return network


@torch.no_grad()
def evaluate(network: nn.Module, batches: Batches) -> float:
    """The share of inputs whose most probable class is their label."""
    network.eval()
    right = total = 0
    for inputs, labels in batches:
        right += int((network(inputs).argmax(-1) == labels).sum())
        total += len(labels)
    return right / total
'''
SOLVE = '''"""Evaluate {name}: there is nothing to train."""

from __future__ import annotations

import torch
from torch import Tensor

from model import model


@torch.no_grad()
def evaluate(points: Tensor, seed: int = 0) -> Tensor:
    """u at points of shape (n, {dimension})."""
    return model(seed).to(points).eval()(points)
'''
TEST = '''"""Whether `model.py` beside this file is the network of {name}: run with pytest."""

from __future__ import annotations

from pathlib import Path

from pdedsl.testing import axioms, equation
from pdedsl.testing.model import package

HERE = Path(__file__).parent


def test_axioms() -> None:
    """The axioms of the spec, searched for counterexamples."""
    axioms.assert_hold(package(HERE), examples=50)


def test_equation() -> None:
    """Drift, noise and steps, compared with the equation of the spec."""
    equation.assert_holds(package(HERE))
'''
DEFAULT_EPOCHS = 10  # of a spec that counts steps: batches are the user's own
README = """# {name}

{title}

| file | holds |
| --- | --- |
| `model.py` | the network: `model(seed)` |
| `harness.py` | {harness} |
| `test_axioms.py` | whether `model.py`, edited or not, keeps the axioms and the equation: `pytest test_axioms.py` |
| `spec.pde` | the spec it was compiled from, hash `{hash}` |

{explanation}"""


def package_files(analysis: Analysis, representation: Representation, plan: Model, python: str) -> dict[str, str]:
    """The text of each file; `python` is that of the model."""
    spec = analysis.spec
    network = [theorem_line(representation.theorem), *network_lines(plan), *certificate_lines(plan, analysis)]
    classifies = isinstance(plan, ImagePlan) or plan.classes is not None
    harness = "`train(batches)` and `evaluate(network, batches)`" if classifies else "`evaluate(points)`"
    readme = README.format(
        name=spec.name,
        title=quoting.markdown(spec.title),
        hash=spec.hash,
        harness=harness,
        explanation=explain_markdown(analysis, network),
    )
    return {
        "model.py": python,
        "harness.py": _harness(spec) if classifies else SOLVE.format(name=spec.name, dimension=spec.space.dimension),
        "test_axioms.py": TEST.format(name=spec.name),
        "spec.pde": spec.source.text,
        "README.md": readme,
    }


def _harness(spec: Spec) -> str:
    given = spec.train is not None and "optimizer" in spec.train.places
    block = spec.train or TrainBlock()
    default = "" if given else "; it names none, so this is a default"
    made, epochs = _optimizer(block.optimizer[0].word), block.epochs or DEFAULT_EPOCHS
    return HARNESS.format(name=spec.name, optimizer=made, default=default, epochs=epochs)


def _optimizer(word: Optimizer) -> str:
    match word:
        case Sgd():
            name, keys = "SGD", [("momentum", word.momentum), ("weight_decay", word.weight_decay)]
        case Adam():
            name, keys = "Adam", [("weight_decay", word.weight_decay)]
        case Adamw():
            name, keys = "AdamW", [("weight_decay", word.weight_decay)]
        case Lbfgs():
            name, keys = "LBFGS", [("history_size", word.history)]
        case _:
            assert_never(word)
    shown = [f"{key}={float(value):g}" for key, value in (("lr", word.lr), *keys)]
    shown += ["nesterov=True"] if isinstance(word, Sgd) and word.nesterov else []
    inner = ", ".join(["network.parameters()", *shown])
    line = f"torch.optim.{name}({inner})"
    return line if len(line) + 11 <= 88 else f"torch.optim.{name}(\n        {inner}\n    )"


def write_package(folder: Path, files: dict[str, str], force: bool) -> None:
    """All files or none; what is there already stays, unless it is to be replaced."""
    there = [name for name in files if (folder / name).exists()]
    if there and not force:
        raise FileExistsError(f"{folder} already holds {', '.join(there)}")
    blocked = [name for name in files if (folder / name).is_dir()]
    if blocked or folder.is_file():
        raise FileExistsError(f"{folder / blocked[0] if blocked else folder} is in the way")
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for name, text in files.items():
            (made / name).write_text(text, "utf-8")
        if not folder.exists():
            os.chmod(made, 0o755)
            made.rename(folder)
            return
        for name in files:
            os.replace(made / name, folder / name)
    finally:
        shutil.rmtree(made, ignore_errors=True)
