"""Every kind of run: how it is started, alone or as one of two, and what it must leave behind."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.specs import DIGITS, HEAT, MOONS, NOISY, RESIDUAL, SMOOTH_DIGITS, SMOOTHED

import pdedsl
from pdedsl.evaluation.run import evaluate_run
from pdedsl.runs.checkpoint import load_tensors

EVALUATED = ("evaluate.attack=pgd(eps=0.2, steps=3)", "evaluate.certify=gaussian(n0=20, n=50)")
SHORT = ("train.epochs=1", "train.data.train=100", "train.data.test=60")
TRAINED = {
    "transport": (MOONS, ("train.epochs=3",)),
    "noise": (NOISY, ("train.epochs=1",)),
    "residual": (RESIDUAL, ()),
    "retraining": (HEAT, ()),
    "fresh retraining": (HEAT, ("realize.diffusion.start=fresh",)),
    "images": (DIGITS, ("train.augment=crop(1), gaussian(0.05)", "train.schedule=cosine(warmup=1)")),
    "adversary": (DIGITS, ("train.adversary=pgd(eps=0.1, steps=2)", "train.epochs=1")),
    "lbfgs": (NOISY, ("train.optimizer=adam(lr=1e-2), lbfgs(steps=3)", "train.epochs=1")),
    "many draws": (SMOOTHED, ()),
    "residual of images": (SMOOTH_DIGITS, ()),
}
_ROD = """pde Rod
space x in [0, 1]
time t in [0, 0.1]
unknown u(x, t) : scalar = mlp(width=5, depth=1)
∂u/∂t = Δu
u(x, 0) = sin(π x)
u = 0 on boundary
"""
SOLVED = {
    "features": _ROD + "realize equation by features(n=60)\n",
    "grid": _ROD + "realize equation by grid(n=16)\n",
    "residual": _ROD + "realize equation by residual(points=60, steps=20)\n",
}


@dataclass(frozen=True)
class Kind:
    """A run in a folder with a number of processes; `prepare` creates its input."""

    name: str
    processes: int
    prepare: Callable[[Path], object]
    run: Callable[[Path], object]
    left: Callable[[Path], object]


def kinds() -> tuple[Kind, ...]:
    alone = tuple(_training(name, 1) for name in TRAINED)
    pairs = tuple(_training(name, 2) for name in ("noise", "images", "residual"))
    return (*alone, *pairs, _evaluation(1), _evaluation(2), *map(_solving, SOLVED))


def _training(name: str, processes: int) -> Kind:
    text, settings = TRAINED[name]

    def run(folder: Path) -> object:
        return pdedsl.train(text, folder, set=settings, resume=True, save_seconds=0)

    return Kind(f"{name} by {processes}", processes, lambda folder: None, run, _trained)


def _evaluation(processes: int) -> Kind:
    def prepare(folder: Path) -> object:
        if not (kept := folder.parent / "trained").exists():
            pdedsl.train("convection_diffusion", kept, set=SHORT)
        return shutil.copytree(kept, folder)

    def run(folder: Path) -> object:
        return evaluate_run(folder, set=EVALUATED, subset=40, resume=True)

    return Kind(f"evaluation by {processes}", processes, prepare, run, _evaluated)


def _solving(name: str) -> Kind:
    def run(folder: Path) -> object:
        return pdedsl.solve(SOLVED[name], folder, resume=True, save_seconds=0)

    return Kind(f"solve by {name}", 1, lambda folder: None, run, _solution)


# ---- results of a run


def _trained(folder: Path) -> object:
    tensors, plain = load_tensors(folder / "weights.safetensors")
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text("utf-8").splitlines()]
    values = {name: tensor.numpy().tobytes() for name, tensor in tensors.items()}
    return values, [_timeless(row) for row in rows], _timeless(plain.get("metrics", {})), _names(folder)


def _timeless(value: Any) -> Any:
    """A report without its run times."""
    if isinstance(value, dict):
        return {name: _timeless(part) for name, part in value.items() if "second" not in name}
    return [_timeless(part) for part in value] if isinstance(value, list) else value


def _solution(folder: Path) -> object:
    report = _timeless(json.loads((folder / "report.json").read_text("utf-8")))
    return _trained(folder), report, _names(folder)


def _evaluated(folder: Path) -> object:
    report = json.loads((folder / "evaluation" / "report.json").read_text("utf-8"))
    report.pop("commands", None)
    return _timeless(report), _names(folder)


def _names(folder: Path) -> list[str]:
    """The files of a folder; those of TensorBoard have names with times in them."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    names = (str(path.relative_to(folder)) for path in paths)
    return sorted("tensorboard/events" if "tfevents" in name else name for name in names)
