"""Diffusion in the loss makes a classifier of two half-moons robust and its boundary smooth: means over five seeds.

Figure 2 of Wang, Tao, Bao, Shi: accuracy under PGD-20 rises with the weight λ of the residual and its diffusivity σ².
The runs are deterministic, so these tests have no false alarms.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from statistics import mean
from types import ModuleType
from typing import Any

import pytest

SEEDS, EPOCHS = 5, 200
PLAIN, WEAK, WIDE, STRONG = (0.0, 0.2), (0.05, 0.05), (0.05, 0.2), (0.2, 0.2)


def example() -> ModuleType:
    path = Path(__file__).parents[2] / "examples" / "robust_moons.py"
    found = importlib.util.spec_from_file_location("robust_moons", path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def means() -> dict[tuple[float, float], tuple[float, float, float]]:
    """Accuracy, accuracy under attack and total curvature, by (λ, σ²)."""
    import torch

    measured, threads = example().measured, torch.get_num_threads()
    torch.set_num_threads(1)
    runs: dict[Any, Any] = {s: [measured(*s, k, EPOCHS) for k in range(SEEDS)] for s in (PLAIN, WEAK, WIDE, STRONG)}
    torch.set_num_threads(threads)
    return {s: tuple(mean(run[k] for run in found) for k in range(3)) for s, found in runs.items()}  # type: ignore[misc]


def test_robust_accuracy_rises_with_weight_and_diffusivity(means: dict[Any, Any]) -> None:
    plain, weak, wide, strong = (means[s][1] for s in (PLAIN, WEAK, WIDE, STRONG))
    assert plain < weak < wide < strong
    assert strong > plain + 0.02


def test_the_boundary_gets_smoother(means: dict[Any, Any]) -> None:
    plain, weak, wide, strong = (means[s][2] for s in (PLAIN, WEAK, WIDE, STRONG))
    assert plain > weak > wide > strong
    assert strong < 0.2 * plain


def test_little_accuracy_is_lost(means: dict[Any, Any]) -> None:
    assert means[STRONG][0] > means[PLAIN][0] - 0.05
