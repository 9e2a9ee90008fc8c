"""Files of `compile --to ufl`: the script, and its mesh in Gmsh's format with markers of boundary regions."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from skfem import Mesh, MeshTet2, MeshTri2

from pdedsl.codegen.ufl import MeshFile, ufl_script
from pdedsl.io import RunError
from pdedsl.ir.solver_plans import EigenElementsPlan, ElementsPlan
from pdedsl.ir.weak_form import WeakForm
from pdedsl.solvers.elements.assembly import boundary_facets
from pdedsl.solvers.elements.driver import default_mesh, degrees_of
from pdedsl.solvers.elements.spaces import Indices

CELL_TYPES = {1: "line", 2: "triangle", 3: "tetra"}
FACET_TYPES = {1: "vertex", 2: "line", 3: "triangle"}
INTERIOR = 1  # marker of the cells; those of the boundary follow


def boundary_markers(form: WeakForm, mesh: Mesh) -> tuple[Indices, tuple[tuple[int, ...], ...]]:
    """A marker for each facet, 0 if it is in no region, and the markers of every region: facets in the same regions
    have the same marker."""
    regions = [boundary_facets(form.domain, mesh, place, part) for place, part in form.boundary_regions]
    member = np.zeros((mesh.facets.shape[1], len(regions)), dtype=bool)
    for k, facets in enumerate(regions):
        member[facets, k] = True
    kinds, inverse = np.unique(member, axis=0, return_inverse=True)
    order = np.cumsum(kinds.any(1)) * kinds.any(1)  # 0 for the facets in no region
    markers = np.where(order > 0, order + INTERIOR, 0)
    marked = tuple(
        tuple(int(m) for m, kind in zip(markers, kinds, strict=True) if kind[k]) for k in range(len(regions))
    )
    return markers[inverse.ravel()], marked


def ufl_files(plan: ElementsPlan, name: str, description: str) -> dict[str, str]:
    """Names and texts of the script and the mesh; raises RunError for an eigenproblem or an inequality."""
    if isinstance(plan, EigenElementsPlan):
        raise RunError("eigenproblems are not exported to UFL; `pdedsl compile --emit weak` prints the weak form")
    if plan.weak_form.constraint is not None:
        raise RunError("inequalities are not exported to UFL; `pdedsl compile --emit weak` prints the weak form")
    if plan.weak_form.point_loads:
        raise RunError("point sources are not exported to UFL; `pdedsl compile --emit weak` prints the weak form")
    if plan.weak_form.has_edge_elements:
        raise RunError("Nédélec elements are not exported to UFL; `pdedsl compile --emit weak` prints the weak form")
    mesh = default_mesh(plan)
    file = MeshFile(f"{name}.msh", mesh_degree(mesh), *_boundary(plan.weak_form, mesh))
    script = ufl_script(plan.weak_form, degrees_of(plan), file, name, description)
    return {f"{name}.py": script, file.name: mesh_text(plan.weak_form, mesh)}


def mesh_degree(mesh: Mesh) -> int:
    return 2 if isinstance(mesh, MeshTri2 | MeshTet2) else 1


def _boundary(form: WeakForm, mesh: Mesh) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[float, ...], ...]]:
    """Markers of the regions, and the nodes of trial functions that are defined up to a constant."""
    node = tuple(float(c) for c in mesh.p[:, 0])
    return boundary_markers(form, mesh)[1], (node,) * len(form.defined_up_to_constant)


def mesh_text(form: WeakForm, mesh: Mesh) -> str:
    """The mesh in Gmsh's format 2.2; curved elements have second degree."""
    import meshio

    markers = boundary_markers(form, mesh)[0]
    dimension, marked = mesh.dim(), np.flatnonzero(markers)
    if mesh_degree(mesh) == 1:
        cells, facets = mesh.t.T, mesh.facets[:, marked].T
        names = CELL_TYPES[dimension], FACET_TYPES[dimension]
    else:
        cells, facets = mesh.dofs.element_dofs.T, _facet_nodes(mesh, marked)
        names = ("triangle6", "line3") if dimension == 2 else ("tetra10", "triangle6")
    points = np.zeros((mesh.doflocs.shape[1], 3))
    points[:, :dimension] = mesh.doflocs.T
    blocks = [(names[0], cells, np.full(len(cells), INTERIOR)), (names[1], facets, markers[marked])]
    blocks = [block for block in blocks if len(block[1])]
    tags = [t for *_, t in blocks]
    written = meshio.Mesh(
        points,
        [(name, nodes) for name, nodes, _ in blocks],
        cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "mesh.msh"
        meshio.write(path, written, file_format="gmsh22", binary=False)
        return path.read_text("ascii")


def _facet_nodes(mesh: Mesh, facets: Indices) -> Indices:
    """Vertices and edge nodes of facets; in two dimensions the middle of the edge."""
    if mesh.dim() == 2:
        return np.concatenate([mesh.facets[:, facets], mesh.dofs.facet_dofs[:, facets]]).T
    edges = {tuple(e): k for k, e in enumerate(np.sort(mesh.edges, axis=0).T.tolist())}
    corners = np.sort(mesh.facets[:, facets], axis=0)
    middle = [
        [mesh.dofs.edge_dofs[0, edges[min(c[i], c[j]), max(c[i], c[j])]] for i, j in ((0, 1), (1, 2), (0, 2))]
        for c in corners.T.tolist()
    ]
    return np.concatenate([corners.T, np.array(middle, dtype=np.int64).reshape(-1, 3)], 1)
