"""Trains moons.pde and stores its network for the page on robustness: `python playground/robust/train.py`.

`network.json` has the weights with 7 digits, and the test points with their labels.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import torch
from torch import Tensor, nn

import pdedsl
from pdedsl.config.base import Located
from pdedsl.config.data import Moons
from pdedsl.data.load import load
from pdedsl.runtime.sde.characteristic_steps import CharacteristicSteps

HERE = Path(__file__).parent
DIGITS = 7  # of a weight: the logits change by less than 1e-5
TEST_POINTS = 200


def main(*settings: str) -> None:
    torch.set_num_threads(1)  # small matrices
    with tempfile.TemporaryDirectory() as folder:
        module = pdedsl.train(HERE / "moons.pde", Path(folder) / "run", set=settings).module
    x, y = load(Located(Moons(noise=0.2)), None).test.batch(slice(TEST_POINTS))
    points = [[*map(_short, row), int(label)] for row, label in zip(x.tolist(), y.tolist(), strict=True)]
    stored = {"network": exported(module), "points": points, "spec": (HERE / "moons.pde").read_text("utf-8")}
    (HERE / "network.json").write_text(json.dumps(stored, ensure_ascii=False) + "\n", "utf-8")


def exported(module: nn.Module) -> dict[str, object]:
    """The steps and weights of the network without its noise."""
    (steps,) = (m for m in module.modules() if isinstance(m, CharacteristicSteps))
    (readout,) = (m for m in module.modules() if isinstance(m, nn.Linear) and m.bias is None)
    layers = [m for m in steps.modules() if isinstance(m, nn.Linear)]
    return {
        "times": list(steps.times),
        "step": steps.dt,
        "layers": [{"weight": _rows(m.weight), "bias": _rows(m.bias)} for m in layers],
        "readout": _rows(readout.weight),
    }


def _rows(tensor: Tensor) -> list[object]:
    rows: list[object] = tensor.tolist()
    return [[*map(_short, row)] if isinstance(row, list) else _short(row) for row in rows]


def _short(value: object) -> float:
    return float(f"{value:.{DIGITS}g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
