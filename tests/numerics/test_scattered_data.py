"""Delaunay triangulation and piecewise linear interpolation of scattered points, against scipy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy.interpolate import LinearNDInterpolator
from scipy.spatial import Delaunay

import pdedsl
from pdedsl.compiler import check
from pdedsl.diagnostics import Source
from pdedsl.numerics.grid_data import InvalidArray, register_file
from pdedsl.numerics.scattered_data import ScatteredInterpolant, ScatteredSource, make_scattered, triangulate
from pdedsl.runtime.scattered_interpolation import interpolate_scattered
from pdedsl.symbolic.data_functions import data_function
from pdedsl.symbolic.symbols import TooLarge

Array = NDArray[np.float64]


@pytest.mark.parametrize("count", [3, 4, 10, 1000])
def test_triangulation(count: int) -> None:
    points = np.random.default_rng(count).random((count, 2))
    expected = {tuple(sorted(map(int, s))) for s in Delaunay(points).simplices}
    assert {tuple(sorted(t)) for t in triangulate([tuple(p) for p in points.tolist()])} == expected


def test_cocircular_and_collinear_points() -> None:
    x, y = np.linspace(0, 1, 21), np.linspace(0, 1, 17)
    points = np.stack(np.meshgrid(x, y, indexing="ij"), -1).reshape(-1, 2)
    triangles = np.array(triangulate([tuple(p) for p in points.tolist()]))
    a, b, c = (points[triangles[:, k]] for k in range(3))
    areas = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
    assert len(triangles) == 2 * 20 * 16
    assert areas.min() > 0
    assert abs(areas.sum() - 1) < 1e-12


def test_interpolant_and_gradient(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    points, at = random.random((300, 2)), 0.2 + 0.6 * random.random((200, 2))
    f = np.sin(3 * points[:, 0]) * points[:, 1]
    interpolant = ScatteredInterpolant(tuple(map(tuple, points.tolist())), tuple(f.tolist()))
    expected = LinearNDInterpolator(points, f)(at)
    np.testing.assert_allclose([interpolant(p, (0, 0)) for p in at], expected, atol=1e-13)
    np.savez(tmp_path / "f.npz", x=points[:, 0], y=points[:, 1], f=f)
    x, y = torch.tensor(at.T.copy())
    digest = register_file(tmp_path / "f.npz")
    values = [interpolate_scattered("f.npz", digest, "f", ("x", "y"), o, x, y) for o in ((0, 0), (1, 0), (0, 1))]
    np.testing.assert_allclose(values[0].numpy(), expected, atol=1e-12)
    for order, value in zip(((1, 0), (0, 1)), values[1:], strict=True):
        np.testing.assert_allclose(value.numpy(), [interpolant(p, order) for p in at], atol=1e-9)


def test_second_derivatives_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "f.npz", x=[0.0, 1.0, 0.0], y=[0.0, 0.0, 1.0], f=[1.0, 2.0, 3.0])
    source = ScatteredSource("f.npz", register_file(tmp_path / "f.npz"), "f", ("x", "y"))
    with pytest.raises(TooLarge):
        data_function(source, (1, 0))(0.1, 0.2).fdiff(2)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], "on a line"),
        ([0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], "coincide"),
        ([0.0, 1.0], [0.0, 1.0], "fewer than three"),
        ([0.0, np.nan, 1.0], [0.0, 1.0, 1.0], "not finite"),
    ],
)
def test_invalid_points(x: list[float], y: list[float], reason: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "f.npz", x=x, y=y, f=np.ones(len(x)))
    with pytest.raises(InvalidArray, match=reason):
        make_scattered(tmp_path / "f.npz", "f", ("x", "y"))


# ---- Problems


def scattered(count: int, function: Callable[[Array, Array], Array]) -> tuple[Array, Array, Array]:
    """Random points, and those of the boundary of the unit square."""
    random, ends = np.random.default_rng(1).random((count**2, 2)), np.linspace(0, 1, count)
    sides = [np.stack([ends, k + 0 * ends], -1) for k in (0.0, 1.0)] + [
        np.stack([k + 0 * ends, ends], -1) for k in (0.0, 1.0)
    ]
    points = np.unique(np.concatenate([random, *sides]), axis=0)
    return points[:, 0], points[:, 1], function(points[:, 0], points[:, 1])


def bump(x: Array, y: Array) -> Array:
    return np.asarray(np.sin(np.pi * x) * np.sin(np.pi * y))


SQUARE = "pde P\nspace (x, y) in [0, 1]²\n"
PLANE = f"{SQUARE}unknown u(x, y) : scalar\n"
ROD = "pde P\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
Problem = tuple[str, Callable[[Array, Array], Array], str, Callable[[Array, Array], Array]]
PROBLEMS: dict[str, Problem] = {
    "source": (
        "xy",
        lambda x, y: 2 * np.pi**2 * bump(x, y),
        f'{PLANE}-Δu = data("a.npz", "f")\nu = 0 on boundary\nrealize equation by elements(h=1/12)\n',
        bump,
    ),
    "reaction coefficient": (
        "xy",
        lambda x, y: 1 + x + y,
        f'{PLANE}-Δu + data("a.npz", "f") u = (2π² + 1 + x + y) sin(π x) sin(π y)\nu = 0 on boundary\n'
        "realize equation by grid(n=14)\n",
        bump,
    ),
    "conductivity, by its gradient": (
        "xy",
        lambda x, y: 1 + x,
        f'{PLANE}let k = data("a.npz", "f")\n∇·(k ∇u) = 1 + 4x\nu = x² - x on boundary\n'
        "realize equation by grid(n=10)\n",
        lambda x, y: x**2 - x,
    ),
    "boundary values in the plane": (
        "xy",
        lambda x, y: x**2 - y**2,
        f'{PLANE}-Δu = 0\nu = data("a.npz", "f") on boundary\nrealize equation by elements(h=1/10)\n',
        lambda x, y: x**2 - y**2,
    ),
    "boundary values in time": (
        "xt",
        lambda x, t: x + 2 * t,
        f'{ROD}∂u/∂t = Δu + 2\nu(x, 0) = x\nu = data("a.npz", "f") on boundary\nrealize equation by elements(h=1/4)\n',
        lambda x, t: x + 2 * t,
    ),
    "source in space and time": (
        "xt",
        lambda x, t: x + t,
        f'{ROD}∂u/∂t = Δu + data("a.npz", "f")\nu(x, 0) = -x³/6\nu = ½t² - x³/6 on boundary\n'
        "realize equation by elements(h=1/8)\n",
        lambda x, t: t**2 / 2 - x**3 / 6,
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_problem(name: str, tmp_path: Path) -> None:
    coordinates, function, text, exact = PROBLEMS[name]
    x, y, values = scattered(16, function)
    np.savez(tmp_path / "a.npz", **{coordinates[0]: x, coordinates[1]: y, "f": values})
    solution = pdedsl.solve(pdedsl.parse(text, str(tmp_path / "p.pde")))
    points = np.array([[0.21, 0.33], [0.57, 0.71], [0.83, 0.6]])
    error = np.abs(solution(points)[:, 0].numpy() - exact(points[:, 0], points[:, 1])).max()
    assert error < 1e-2  # of order 2 in the distance of the points, about 1/16


def test_order_two(tmp_path: Path) -> None:
    errors = []
    for count in (12, 24, 48):
        x, y, values = scattered(count, bump)
        np.savez(tmp_path / "a.npz", x=x, y=y, f=values)
        interpolant = make_scattered(tmp_path / "a.npz", "f", ("x", "y"))
        at = np.random.default_rng(5).random((300, 2))
        errors.append(np.sqrt(np.mean([(interpolant(p, (0, 0)) - bump(*p)) ** 2 for p in at])))
    assert errors[0] / errors[1] > 2.8
    assert errors[1] / errors[2] > 2.8  # 4 for order 2


@pytest.mark.parametrize(
    ("space", "scale"),
    [("space (x, y) in [0, 1]²", 0.9), ("space (x, y) in [0, 1]² periodic", 1.0)],
)
def test_hull_and_periodic_axes(space: str, scale: float, tmp_path: Path) -> None:
    x, y, values = scattered(6, bump)
    np.savez(tmp_path / "a.npz", x=scale * x, y=y, f=values)
    boundary = "" if "periodic" in space else "u = 0 on boundary\n"
    text = f'pde P\n{space}\nunknown u(x, y) : scalar\n-Δu + u = data("a.npz", "f")\n{boundary}'
    with pytest.raises(pdedsl.PdeError) as raised:
        check(Source(text, str(tmp_path / "p.pde")))
    assert [d.code for d in raised.value.diagnostics] == ["E721"]
