"""Plots of solutions, and their export as arrays, data sets and files."""

from __future__ import annotations

import builtins
import math
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import meshio
import numpy as np
import pytest
import torch

import pdedsl
from pdedsl.solvers.error_estimate import Comparison, ErrorEstimate, Reference
from pdedsl.solvers.plots import accurate_reference, slices
from tests.solvers.test_solution import DISC, FLOW, HEAT, exact, solved

BOX = """pde Box
space   (x, y, z) in [0, 1]³
time    t in [0, 1]
unknown u(x, y, z, t) : scalar
∂u/∂t = 0.05Δu
u(x, y, z, 0) = cos(π x) cos(π y) cos(π z)
∂u/∂n = 0 on boundary
realize equation by grid(n=6)
"""


@pytest.mark.parametrize("method", ["grid(n=16)", "elements(order=2, h=0.05)", "paths(samples=200)"])
def test_arrays(method: str) -> None:
    arrays = solved(HEAT, method).to_numpy(n=5, θ=[0.0, 0.05])
    assert {name: a.shape for name, a in arrays.items()} == {
        "θ": (2,),
        "x": (5,),
        "u": (2, 5),
    }  # order of the arguments
    expected = exact(arrays["x"][None], arrays["θ"][:, None]).numpy()
    np.testing.assert_allclose(arrays["u"], expected, atol=0.2 if "paths" in method else 1e-3)
    assert solved(HEAT, method).to_numpy(n=3, θ=0.05)["u"].shape == (3,)


def test_arrays_of_a_shape_and_of_a_system() -> None:
    disc = solved(DISC, "grid(n=32)").to_numpy(n=21)
    radius = np.hypot(disc["x"][:, None], disc["y"][None])
    assert np.isnan(disc["u"][radius > 1.01]).all()
    assert (
        np.isnan(disc["u"]).sum()
        == ((radius > 1 + 1e-9) | (np.hypot(disc["x"][:, None] - 0.4, disc["y"]) < 0.09)).sum()
    )
    flow = solved(FLOW)
    assert set(flow.to_numpy(n=3)) == {"x", "y", "v_1", "v_2", "p"}
    assert set(flow.v.to_numpy(n=3)) == {"x", "y", "v_1", "v_2"}
    with pytest.raises(ValueError, match="one-dimensional"):
        flow.to_numpy(x=[[0.0]])


def test_data_sets() -> None:
    dataset = solved(HEAT).to_xarray(n=9, θ=[0.0, 0.1])
    assert dataset.u.dims == ("θ", "x")
    assert dataset.attrs == {"title": "Heat"}
    value = float(dataset.u.sel(x=0.5, θ=0.1))
    assert value == pytest.approx(math.exp(-0.1 * math.pi**2), rel=1e-6)
    assert "θ" in solved(HEAT).to_xarray(n=9, θ=0.1).coords


def test_without_xarray(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without(name: str, *arguments: object) -> object:
        if name == "xarray":
            raise ImportError(name)
        return original(name, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="pip install xarray"):
        solved(HEAT).to_xarray()


@pytest.mark.parametrize("method", ["grid(n=32)", "elements(order=2, h=0.1)"])
def test_meshes_of_a_shape(method: str, tmp_path: Path) -> None:
    """Curved triangles; the area that they cover, by their corners, and the values at all nodes."""
    mesh = meshio.read(solved(DISC, method).to_vtk(tmp_path / "disc.vtu"))
    (cells,) = mesh.cells
    assert cells.type == "triangle6"
    a, b, c = (mesh.points[cells.data[:, k], :2] for k in range(3))
    area = 0.5 * np.abs(np.linalg.det(np.stack([b - a, c - a], 1))).sum()
    assert area == pytest.approx(math.pi * 0.99, rel=0.01)
    middle = 0.5 * (a + b)
    assert np.abs(mesh.points[cells.data[:, 3], :2] - middle).max() < 0.01
    assert len(np.unique(np.round(mesh.points, 9), axis=0)) == len(mesh.points)
    np.testing.assert_allclose(mesh.point_data["u"], 1 - (mesh.points**2).sum(1), atol=1e-3)


def test_times_in_one_file(tmp_path: Path) -> None:
    solution = solved(HEAT)
    with meshio.xdmf.TimeSeriesReader(solution.to_vtk(tmp_path / "heat.xdmf", t=[0.0, 0.1], n=11)) as reader:
        points, cells = reader.read_points_cells()
        times, values = zip(*((t, data["u"]) for t, data, _ in map(reader.read_data, range(2))), strict=True)
    assert times == (0.0, 0.1)
    assert cells[0].data.shape == (10, 2)
    np.testing.assert_allclose(values[1], exact(points[:, 0], 0.1).numpy(), atol=1e-7)
    with pytest.raises(ValueError, match=r"ending \.xdmf"):
        solution.to_vtk(tmp_path / "heat.vtu", t=[0.0, 0.1])
    with pytest.raises(ValueError, match="state θ"):
        solution.to_vtk(tmp_path / "heat.vtu")


def test_hexahedra(tmp_path: Path) -> None:
    mesh = meshio.read(pdedsl.solve(BOX).to_vtk(tmp_path / "box.vtk", t=0.0, n=4))
    (cells,) = mesh.cells
    assert (cells.type, cells.data.shape) == ("hexahedron", (27, 8))
    first = mesh.points[cells.data[0]]
    assert np.linalg.det(first[[1, 3, 4]] - first[0]) == pytest.approx(1 / 27)  # corners in the order of VTK
    np.testing.assert_allclose(mesh.point_data["u"], np.cos(math.pi * mesh.points).prod(1), atol=0.02)


# ---- Plots


def test_panels_of_a_plot() -> None:
    """A sequential colour map for values of one sign, a diverging one centred at zero for both; equal scales."""
    heat = solved(HEAT)
    assert heat.plot().axes[0].images[0].get_cmap().name == "viridis"
    assert heat.plot(cmap="magma").axes[0].images[0].get_cmap().name == "magma"
    panels = heat.plot(θ=[0.0, 0.1]).axes
    assert [(ax.get_title(), ax.get_ylabel()) for ax in panels] == [("θ = 0", "u"), ("θ = 0.1", "u")]
    curve = heat.plot(θ=0.05, n=7).axes[0].lines[0]
    np.testing.assert_allclose(curve.get_ydata(), exact(curve.get_xdata(), 0.05).numpy(), atol=1e-7)
    disc = solved(DISC, "grid(n=32)").plot(n=20).axes[0]
    assert disc.get_aspect() == 1
    assert disc.images[0].get_cmap().name == "viridis"
    pressure = solved(FLOW).p.plot().axes[0].images[0]
    assert pressure.get_cmap().name == "RdBu_r"
    assert pressure.norm.vmin == -pressure.norm.vmax
    labels = [ax.get_ylabel() for ax in solved(FLOW).plot().axes]  # of the panels, then of the colour bars
    assert labels == ["y", "y", "y", "v_1", "v_2", "p"]


def test_a_plot_in_given_axes() -> None:
    figure, ax = plt.subplots()
    assert solved(HEAT).plot(ax=ax) is figure
    assert len(ax.images) == 1
    plt.close(figure)
    with pytest.raises(ValueError, match="single panel, there are 2"):
        solved(HEAT).plot(ax=ax, θ=[0.0, 0.1])
    with pytest.raises(ValueError, match="one or two that vary"):
        solved(HEAT).plot(x=0.5, θ=0.1)
    with pytest.raises(ValueError, match=r"θ must lie in \[0, 0.1\]"):
        solved(HEAT).plot(θ=1.0)


def test_slices_of_four_coordinates() -> None:
    domain = pdedsl.compile(BOX).plan.problem.domain  # type: ignore[union-attr]
    assert [s.at for s in slices(domain)] == [f"z = 0.5, t = {t}" for t in ("0", "0.5", "1")]
    assert [s.axes for s in slices(domain, at={0: [0.2], 3: [1.0]})] == [(1, 2)]
    assert [s.at for s in slices(domain, at={2: [0.0, 1.0], 3: [1.0]})] == ["z = 0, t = 1", "z = 1, t = 1"]


@pytest.mark.parametrize(("error", "shown"), [(0.0, True), (1e-6, True), (6e-4, False), (1e-2, False)])
def test_the_picture_of_the_error_needs_a_better_reference(error: float, shown: bool) -> None:
    """The difference to a reference that is no more accurate than the solution is not the error of the solution."""
    reference = Reference("grid(n=16)", lambda x: x, error)
    comparison = Comparison("grid(n=16)", 1e-3, 1e-3, error, exact=error == 0)
    estimate = replace(ErrorEstimate(()), comparisons=(comparison,))
    assert (accurate_reference((reference,), estimate) is not None) == shown
    assert torch.equal(reference.values(torch.ones(1)), torch.ones(1))
