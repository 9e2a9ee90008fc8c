"""Measurements: what a file must hold, and a coefficient that is found from one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pdedsl
from pdedsl.diagnostics import PdeError

SPEC = """
pde Decay
space x in [0, 1] periodic
time t in [0, 1]
unknown u(x, t) : scalar = mlp(width=8, depth=1)
learn a : scalar > 0 = 1
∂u/∂t = -a u
u(x, 0) = 1
observe u from npz("points.npz")
realize equation by residual(points=100, steps=15)
"""
RATE = 0.7


def written(folder: Path, **arrays: np.ndarray) -> Path:
    np.savez(folder / "points.npz", **arrays)
    spec = folder / "decay.pde"
    spec.write_text(SPEC, "utf-8")
    return spec


def samples() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    x, t = draw.random(50), draw.random(50)
    return x, t, np.exp(-RATE * t)


@pytest.mark.parametrize("table", [False, True])
def test_a_rate_is_found_from_measurements(tmp_path: Path, table: bool) -> None:
    x, t, u = samples()
    arrays = {"points": np.stack([x, t], -1), "values": u[:, None]} if table else {"x": x, "t": t, "u": u}
    solution = pdedsl.solve(written(tmp_path, **arrays))
    assert abs(solution.parameters["a"].value - RATE) < 1e-2 * RATE


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"x": np.ones(3), "u": np.ones(3)}, "holds"),
        ({"x": np.ones(3), "t": np.ones(3), "u": np.ones((3, 2))}, "shape"),
        ({"x": np.ones(3), "t": np.ones(3), "u": np.array([1.0, np.nan, 1.0])}, "finite"),
        ({"points": np.ones((3, 2)), "values": np.ones((4, 1))}, "3"),
        ({"points": np.ones((3, 1)), "values": np.ones((3, 1))}, "shape"),
        ({"x": np.ones(3), "t": np.ones(3), "u": np.array(["a", "b", "c"])}, "numbers"),
    ],
)
def test_a_file_that_does_not_fit_is_named(tmp_path: Path, arrays: dict[str, np.ndarray], said: str) -> None:
    with pytest.raises(PdeError) as caught:
        pdedsl.solve(written(tmp_path, **arrays))
    assert said in caught.value.diagnostics[0].message + caught.value.diagnostics[0].hint


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    spec = written(tmp_path, x=np.ones(1))
    (tmp_path / "points.npz").unlink()
    with pytest.raises(PdeError, match=r"points\.npz"):
        pdedsl.solve(spec)
