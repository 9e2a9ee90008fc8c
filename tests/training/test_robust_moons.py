"""Diffusion in the loss makes a classifier of two half-moons robust and its boundary smooth, of one seed.

Figure 2 of Wang, Tao, Bao, Shi, at half its length of training. The runs are deterministic, so these tests have no
false alarms.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from statistics import mean
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.long

SEEDS, EPOCHS = 1, 100
PLAIN, STRONG = (0.0, 0.2), (0.2, 0.2)


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

    measure, threads = example().measure, torch.get_num_threads()
    torch.set_num_threads(1)
    runs: dict[Any, Any] = {s: [measure(*s, k, EPOCHS) for k in range(SEEDS)] for s in (PLAIN, STRONG)}
    torch.set_num_threads(threads)
    return {s: tuple(mean(run[k] for run in found) for k in range(3)) for s, found in runs.items()}  # type: ignore[misc]


def test_diffusion_makes_it_robust(means: dict[Any, Any]) -> None:
    assert means[STRONG][1] > means[PLAIN][1] + 0.02


def test_the_boundary_gets_smoother(means: dict[Any, Any]) -> None:
    assert means[STRONG][2] < 0.3 * means[PLAIN][2]


def test_little_accuracy_is_lost(means: dict[Any, Any]) -> None:
    assert means[STRONG][0] > means[PLAIN][0] - 0.05
