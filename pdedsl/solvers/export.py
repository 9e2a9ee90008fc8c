"""Solutions as arrays on a grid, as a data set of xarray, and as files for ParaView."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from pdedsl.runtime.basis.piecewise_polynomials import PiecewisePolynomials, map_to_cells
from pdedsl.solvers.quadrature import shape_mesh

if TYPE_CHECKING:
    from xarray import Dataset

    from pdedsl.solvers.coordinates import Values
    from pdedsl.solvers.field import Selection

GRID_SIZES = {1: 201, 2: 101, 3: 33}  # default numbers of points per axis, by the number of axes
MONTE_CARLO_SIZES = {1: 33, 2: 9, 3: 5}
HIGH_DIMENSION_POINTS = 5  # points per axis, of more axes
VTK_DIMENSION = 3  # coordinates of a point in VTK files


# ---- Arrays


def grid_values(
    own: Selection, n: int | None, fixed: Mapping[str, Values]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Coordinates, in the order of the unknown's arguments, and values of each scalar on their product."""
    system = own.evaluation.coordinates
    fixed_values = {system.axis(name): torch.as_tensor(value, dtype=torch.float64) for name, value in fixed.items()}
    for k, values in fixed_values.items():
        if values.ndim > 1:
            raise ValueError(f"{system.names[k]} must be a number or one-dimensional, got {tuple(values.shape)}")
    free = len(system.names) - sum(values.ndim == 0 for values in fixed_values.values())
    size = n or (MONTE_CARLO_SIZES if own.evaluation.is_monte_carlo else GRID_SIZES).get(free, HIGH_DIMENSION_POINTS)
    axes: dict[int, Tensor] = {}
    for k in sorted(range(len(system.names)), key=lambda k: system.order[k]):
        interval = system.domain.intervals[k]
        if k not in fixed_values and not np.isfinite([float(interval.start), float(interval.end)]).all():
            raise ValueError(f"the domain is unbounded: state the points, as in {system.names[k]}=[0, 1]")
        ends = (float(interval.start), float(interval.end))
        axes[k] = fixed_values[k] if k in fixed_values else torch.linspace(*ends, size, dtype=torch.float64)
    mesh = torch.meshgrid(*(axes[k] for k in axes), indexing="ij")
    columns = dict(zip(axes, mesh, strict=True))
    points = torch.stack([columns[k] for k in range(len(axes))], -1)
    shape = tuple(len(a) for a in axes.values() if a.ndim)
    return {system.names[k]: a for k, a in axes.items()}, _scalars(own, points.reshape(-1, len(axes)), shape)


def _scalars(own: Selection, points: Tensor, shape: tuple[int, ...]) -> dict[str, Tensor]:
    """Values of every scalar by name, in the given shape."""
    with torch.no_grad():
        values = torch.cat([own.evaluation.values(part) for part in torch.split(points, 1 << 14)]).cpu()
    joined = own.joined(values[:, list(own.components)])
    return {name: joined[:, k].reshape(shape) for k, name in enumerate(own.scalar_names)}


def to_numpy(own: Selection, n: int | None, fixed: Mapping[str, Values]) -> dict[str, np.ndarray]:
    axes, values = grid_values(own, n, fixed)
    return {name: tensor.numpy() for name, tensor in (axes | values).items()}


def to_xarray(own: Selection, n: int | None, fixed: Mapping[str, Values]) -> Dataset:
    try:
        from xarray import Dataset
    except ImportError:
        raise ImportError("to_xarray needs the package xarray: run 'pip install xarray'") from None
    axes, values = grid_values(own, n, fixed)
    dimensions = tuple(name for name, axis in axes.items() if axis.ndim)
    return Dataset(
        {name: (dimensions, tensor.numpy()) for name, tensor in values.items()},
        {name: (name, axis.numpy()) if axis.ndim else axis.item() for name, axis in axes.items()},
        {"title": own.evaluation.title},
    )


# ---- Files of ParaView


def to_vtk(own: Selection, path: Path, times: Tensor | None, n: int | None) -> None:
    """The mesh and the values at its nodes; several times need XDMF."""
    import meshio

    dimension = own.evaluation.coordinates.dimension
    if not 1 <= dimension <= VTK_DIMENSION:
        raise ValueError(f"VTK files have one to three coordinates of space, the solution has {dimension}")
    nodes, cells = _nodes_and_cells(own, n)
    flat = np.pad(nodes, ((0, 0), (0, VTK_DIMENSION - dimension)))
    moments = [None] if times is None else list(times.reshape(-1))
    points = torch.from_numpy(nodes)
    values = [_scalars(own, own.evaluation.coordinates.at_time(points, t), (len(points),)) for t in moments]
    data = [_real_arrays(v) for v in values]
    if times is None or times.ndim == 0:
        mesh = meshio.Mesh(flat, cells, point_data=data[0])
        meshio.write(path, mesh, **({"data_format": "XML"} if path.suffix == ".xdmf" else {}))
        return
    if path.suffix != ".xdmf":
        raise ValueError(f"{path.suffix} files have one time: state one time, or write a file with the ending .xdmf")
    with meshio.xdmf.TimeSeriesWriter(path, data_format="XML") as writer:
        writer.write_points_cells(flat, cells)
        for t, arrays in zip(times.tolist(), data, strict=True):
            writer.write_data(t, point_data=arrays)


def _real_arrays(values: Mapping[str, Tensor]) -> dict[str, np.ndarray]:
    """Complex numbers as real and imaginary parts."""
    arrays: dict[str, np.ndarray] = {}
    for name, tensor in values.items():
        if tensor.is_complex():
            arrays |= {f"{name}_re": tensor.real.numpy(), f"{name}_im": tensor.imag.numpy()}
        else:
            arrays[name] = tensor.numpy()
    return arrays


def _nodes_and_cells(own: Selection, n: int | None) -> tuple[np.ndarray, list[tuple[str, np.ndarray]]]:
    """The elements of a solution by elements, of a shape those of a mesh, of a box those of a regular grid."""
    from pdedsl.solvers.elements.driver import geometry_of

    module, domain = own.evaluation.module, own.evaluation.coordinates.domain
    if isinstance(module, PiecewisePolynomials):
        return _simplices(module.get_buffer("geometry").detach().cpu().double())
    if domain.inequalities:
        return _simplices(geometry_of(shape_mesh(domain)))
    d = len(domain.space)
    size = n or (MONTE_CARLO_SIZES if own.evaluation.is_monte_carlo else GRID_SIZES)[d]
    intervals = domain.intervals[:d]
    axes = [np.linspace(float(i.start), float(i.end), size) for i in intervals]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, d)
    numbers = np.arange(size**d).reshape((size,) * d)
    corners = {1: ((0,), (1,)), 2: ((0, 0), (1, 0), (1, 1), (0, 1))}.get(d) or (
        *((i, j, 0) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))),
        *((i, j, 1) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))),
    )
    columns = [numbers[tuple(slice(k, size - 1 + k) for k in corner)].reshape(-1) for corner in corners]
    return nodes, [(("line", "quad", "hexahedron")[d - 1], np.stack(columns, 1))]


MIDPOINTS = {1: ((0, 1),), 2: ((0, 1), (1, 2), (0, 2)), 3: ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))}
CELL_TYPES = {1: ("line", "line3"), 2: ("triangle", "triangle6"), 3: ("tetra", "tetra10")}


def _simplices(geometry: Tensor) -> tuple[np.ndarray, list[tuple[str, np.ndarray]]]:
    """Nodes and cells of simplices of first or second degree; nodes of neighbours are identified."""
    d = geometry.shape[2]
    is_curved = geometry.shape[1] > d + 1
    corners = torch.cat([torch.zeros(1, d), torch.eye(d)]).double()
    middles = torch.stack([(corners[a] + corners[b]) / 2 for a, b in MIDPOINTS[d]])
    reference = torch.cat([corners, middles]) if is_curved else corners
    images = map_to_cells(geometry, reference)[0].reshape(-1, d).numpy()
    size = float(np.ptp(images, axis=0).max())
    _, first, numbers = np.unique(np.round(images / size, 10), axis=0, return_index=True, return_inverse=True)
    return images[first], [(CELL_TYPES[d][is_curved], numbers.reshape(-1, len(reference)))]
