"""Meshes of simple domains in Gmsh's format 2.2, written by meshio."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import meshio
import numpy as np
from skfem import Mesh, MeshTet, MeshTri

Group = Callable[[np.ndarray], np.ndarray]  # of midpoints (d, n) of facets


def write_gmsh(path: Path, mesh: Mesh, groups: Mapping[str, Group]) -> Path:
    """The mesh with the facets of its boundary in the first group whose condition holds."""
    facets = mesh.boundary_facets()
    midpoints = mesh.p[:, mesh.facets[:, facets]].mean(1)
    tags = np.zeros(len(facets), dtype=int)
    for number, condition in reversed(list(enumerate(groups.values(), 1))):
        tags[condition(midpoints)] = number
    d, inside = mesh.dim(), len(groups) + 1
    points = np.zeros((mesh.nvertices, 3))
    points[:, :d] = mesh.p.T
    kinds = ("line", "triangle") if d == 2 else ("triangle", "tetra")
    own = [tags, np.full(mesh.nelements, inside)]
    names = {name: np.array([k, d - 1]) for k, name in enumerate(groups, 1)} | {"inside": np.array([inside, d])}
    content = meshio.Mesh(
        points,
        [(kinds[0], mesh.facets[:, facets].T), (kinds[1], mesh.t.T)],
        cell_data={"gmsh:physical": own, "gmsh:geometrical": own},
        field_data=names,
    )
    meshio.write(path, content, file_format="gmsh22", binary=False)
    return path


def everywhere(x: np.ndarray) -> np.ndarray:
    return np.isfinite(x[0])


def l_shape(path: Path, refinements: int = 1) -> Path:
    """(-1, 1)² without (0, 1)²."""
    groups: dict[str, Group] = {"inlet": lambda x: np.isclose(x[0], -1), "outlet": lambda x: np.isclose(x[0], 1)}
    return write_gmsh(path, MeshTri.init_lshaped().refined(refinements), groups | {"walls": everywhere})


def channel(path: Path, n: int = 4) -> Path:
    """[0, 2] × [0, 1]."""
    mesh = MeshTri.init_tensor(np.linspace(0, 2, 2 * n + 1), np.linspace(0, 1, n + 1))
    groups: dict[str, Group] = {"inlet": lambda x: np.isclose(x[0], 0), "outlet": lambda x: np.isclose(x[0], 2)}
    return write_gmsh(path, mesh, groups | {"walls": everywhere})


def cube(path: Path, n: int = 2) -> Path:
    """[0, 1]³ with the parts floor and sides."""
    nodes = np.linspace(0, 1, n + 1)
    groups = {"floor": lambda x: np.isclose(x[2], 0), "sides": lambda x: x[2] > 0}
    return write_gmsh(path, MeshTet.init_tensor(nodes, nodes, nodes), groups)
