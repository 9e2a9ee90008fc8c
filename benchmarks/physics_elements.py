"""References by hand-written scikit-fem, independent of `pdedsl`: the heat equation around 17 holes, a backward step.

    python benchmarks/physics_elements.py heat_holes backward_step

computes each at two resolutions, prints their relative difference, and stores the finer values at the points of the
suite in `physics/`. The flow has Taylor-Hood elements and the natural outflow condition ν∂v/∂n = p n; its pressure is
NaN.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import pi
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from physics_closed_forms import Array, stack
from physics_numerics import LARGE, LEVELS, SMALL

FOLDER = Path(__file__).parent / "physics"


def stored(name: str) -> Callable[[Array], Array]:
    """The stored values; they belong to the points of the suite."""

    def values(p: Array) -> Array:
        with np.load(FOLDER / f"{name}_reference.npz") as data:
            assert np.array_equal(data["points"], p)
            return data["values"].astype(float)

    return values


# ---- Heat equation on a quarter of the rectangle, which is symmetric


def heat_holes(p: Array, size: float, per_level: int) -> Array:
    """Isoparametric quadratic elements; SDIRK2 with `per_level` steps in each of the graded intervals."""
    from scipy.sparse.linalg import splu
    from skfem import Basis, BilinearForm, ElementTriP2, FacetBasis, LinearForm
    from skfem.helpers import dot, grad

    mesh, straight = _quarter_mesh(size)
    basis = Basis(mesh, ElementTriP2(), intorder=5)
    stiffness = BilinearForm(lambda u, v, w: dot(grad(u), grad(v))).assemble(basis)
    mass = BilinearForm(lambda u, v, w: u * v).assemble(basis)
    load = np.zeros(mass.shape[0])
    for facets, value in _robin_facets(mesh):
        face = FacetBasis(mesh, ElementTriP2(), facets=facets, intorder=5)
        stiffness = stiffness + BilinearForm(lambda u, v, w: u * v).assemble(face)
        load += value * LinearForm(lambda v, w: v).assemble(face)
    places = np.abs(p[:, :2])
    level = np.rint(p[:, 2] / 3 * LEVELS).astype(int)
    result = np.empty(len(p))
    gamma = 1 - 1 / np.sqrt(2)
    u, step, start = np.zeros(len(load)), 0.0, 0.0
    # Near t = 0 the solution is √t at the boundary: steps of 2⁻¹² of a level, doubled until they are regular.
    ends = [0.3 * 2.0**-k for k in range(12, 0, -1)] + [0.3 * k for k in range(1, LEVELS + 1)]
    for end in ends:
        new = (end - start) / per_level
        if not np.isclose(new, step):
            step, solver = new, splu((mass + gamma * new * stiffness).tocsc())
        for _ in range(per_level):  # SDIRK2 (Alexander 1977), L-stable
            first = solver.solve(load - stiffness @ u)
            second = solver.solve(load - stiffness @ (u + (1 - gamma) * step * first))
            u = u + step * ((1 - gamma) * first + gamma * second)
        start = end
        at = np.flatnonzero(level == round(end / 0.3)) if end > 0.29 else []
        if len(at):
            result[at] = _evaluate(basis, straight, u, places[at])
    return result


def _evaluate(basis, straight, u: Array, p: Array) -> Array:  # type: ignore[no-untyped-def]
    """Σ uₖ φₖ on curved elements. Each point lies in the element that its straight triangle becomes: two of the edges
    stay straight, and the third moves out of the hole."""
    cells = straight.element_finder()(*p.T)
    local = basis.mapping.invF(p.T[:, :, None], tind=cells)[:, :, 0]
    shapes = np.array([basis.elem.lbasis(local, k)[0] for k in range(basis.Nbfun)])
    return (shapes * u[basis.element_dofs[:, cells]]).sum(0)  # type: ignore[no-any-return]


def _quarter_mesh(size: float):  # type: ignore[no-untyped-def]
    """Delaunay triangulation of a lattice and circles around the holes; midpoints of edges on holes are on circles."""
    from scipy.spatial import Delaunay
    from skfem import MeshTri, MeshTri2

    holes = [(x, y, r) for x, y, r in (*LARGE, *SMALL) if x >= 0 and y >= 0]
    corner = np.array([8.0, 12.0])
    points: list[Array] = []
    for x, y, r in holes:
        for ring in range(3):
            radius = r + ring * size * 0.8
            count = 4 * int(np.ceil(pi * radius / (2 * size)))
            angle = 2 * pi * (np.arange(count) + 0.0) / count
            points.append(stack(x + radius * np.cos(angle), y + radius * np.sin(angle)))
    rings = np.concatenate(points)
    rings[np.abs(rings) < 1e-12] = 0
    rings = rings[np.all((rings >= 0) & (rings <= corner), 1)]
    nx, ny = int(np.ceil(8 / size)), int(np.ceil(12 / size))
    grid = stack(*(m.ravel() for m in np.meshgrid(np.linspace(0, 8, nx + 1), np.linspace(0, 12, ny + 1))))
    grid[:, 0] += np.where(
        (grid[:, 0] > 0) & (grid[:, 0] < 8), 0.2 * size * (np.rint(grid[:, 1] / 12 * ny) % 2 - 0.5), 0
    )
    far = np.all([np.hypot(grid[:, 0] - x, grid[:, 1] - y) > r + 2.3 * size for x, y, r in holes], 0)
    every = np.concatenate([rings, grid[far]])
    triangles = Delaunay(every).simplices
    centre = every[triangles].mean(1)
    keep = np.all([np.hypot(centre[:, 0] - x, centre[:, 1] - y) > r for x, y, r in holes], 0)
    a, b, c = (every[triangles[:, k]] for k in range(3))
    area = np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
    mesh = MeshTri(every.T, triangles[keep & (area > 1e-10)].T).remove_unused_nodes()
    curved = MeshTri2.from_mesh(mesh)
    nodes = curved.doflocs.copy()
    for x, y, r in holes:
        distance = np.hypot(mesh.p[0] - x, mesh.p[1] - y)
        edges = mesh.boundary_facets()
        edges = edges[np.all(np.abs(distance[mesh.facets[:, edges]] - r) < 1e-9, 0)]
        middle = mesh.p[:, mesh.facets[:, edges]].mean(1)
        for m in middle.T:
            k = np.argmin(((nodes - m[:, None]) ** 2).sum(0))
            nodes[:, k] = np.array([x, y]) + r * (m - [x, y]) / np.hypot(*(m - [x, y]))
    return MeshTri2(nodes, curved.t), mesh


def _robin_facets(mesh):  # type: ignore[no-untyped-def]
    """Facets with ∂u/∂n + u = value: the outer sides 0.1, large holes 5, small holes 1, axes of symmetry none."""
    boundary = mesh.boundary_facets()
    ends = mesh.p[:, mesh.facets[:, boundary]]

    def on(circles: list[tuple[float, float, float]]) -> NDArray[np.bool_]:
        distance = [np.abs(np.hypot(ends[0] - x, ends[1] - y) - r).max(0) < 1e-9 for x, y, r in circles]
        return np.any(distance, 0)

    outer = np.all(np.abs(ends[0] - 8) < 1e-9, 0) | np.all(np.abs(ends[1] - 12) < 1e-9, 0)
    return [(boundary[outer], 0.1), (boundary[on(LARGE)], 5.0), (boundary[on(SMALL)], 1.0)]


# ---- Flow over a step


class TaylorHood:
    """Matrices on quadratic velocities and linear pressures."""

    def __init__(self, mesh, viscosity: float) -> None:  # type: ignore[no-untyped-def]
        from skfem import Basis, BilinearForm, ElementTriP1, ElementTriP2, ElementVector
        from skfem.helpers import ddot, div, grad

        self.velocity = Basis(mesh, ElementVector(ElementTriP2()), intorder=5)
        self.pressure = self.velocity.with_element(ElementTriP1())
        self.diffusion = viscosity * BilinearForm(lambda u, v, w: ddot(grad(u), grad(v))).assemble(self.velocity)
        self.divergence = BilinearForm(lambda u, q, w: -div(u) * q).assemble(self.velocity, self.pressure)

    def convection(self, u: Array):  # type: ignore[no-untyped-def]
        """The matrices of w ↦ u·∇w and w ↦ w·∇u."""
        from skfem import BilinearForm
        from skfem.helpers import dot, mul

        field = self.velocity.interpolate(u)
        transport = BilinearForm(lambda w, v, e: dot(mul(w.grad, e["u"]), v))
        reaction = BilinearForm(lambda w, v, e: dot(mul(e["u"].grad, w), v))
        return transport.assemble(self.velocity, u=field), reaction.assemble(self.velocity, u=field)

    def solve(self, matrix, right: Array, fixed: NDArray[np.int64], values: Array) -> Array:  # type: ignore[no-untyped-def]
        """[A Bᵀ; B 0] with given velocities."""
        from scipy.sparse import bmat
        from skfem import condense, solve

        whole = bmat([[matrix, self.divergence.T], [self.divergence, None]], "csr")
        start = np.concatenate([values, np.zeros(self.divergence.shape[0])])
        total = np.concatenate([right, np.zeros(self.divergence.shape[0])])
        solution: Array = solve(*condense(whole, total, x=start, D=fixed))
        return solution[: len(values)]

    def at(self, u: Array, p: Array) -> Array:
        parts = self.velocity.split_bases()
        values = [basis.probes(p.T) @ u[k::2] for k, basis in enumerate(parts)]
        return stack(*values, np.full(len(p), np.nan))

    def interpolate(self, f: Callable[[Array, Array], tuple[Array, Array]]) -> Array:
        x, y = self.velocity.doflocs
        first, second = f(x, y)
        return np.where(np.arange(len(x)) % 2 == 0, first, second)


def below_step(p: Array) -> NDArray[np.bool_]:
    return (p[:, 0] > 2) | (p[:, 1] < 1)


def backward_step(p: Array, level: int) -> Array:
    from skfem import MeshTri

    mesh = MeshTri.init_tensor(np.linspace(0, 4, 17), np.linspace(0, 2, 9))
    middle = mesh.p[:, mesh.t].mean(1)
    mesh = mesh.restrict(np.flatnonzero((middle[0] > 2) | (middle[1] < 1)))
    for k in range(level + 3):  # the last three at the corners of the step and of the inflow, where v is not smooth
        if k < level:
            mesh = mesh.refined()
        else:
            middle = mesh.p[:, mesh.t].mean(1)
            near = np.hypot(middle[0] - 2, middle[1] - 1) < 0.4 * 2.0 ** (level - k)
            mesh = mesh.refined(np.flatnonzero(near))
    flow = TaylorHood(mesh, 0.01)
    wall = flow.velocity.get_dofs(mesh.facets_satisfying(lambda z: z[0] < 4 - 1e-9, True)).flatten()
    start = flow.interpolate(lambda x, y: (np.where(x < 1e-9, 4 * y * (1 - y), 0), 0 * y))
    u = flow.solve(flow.diffusion, np.zeros(len(start)), wall, start)
    for factor in (8, 4, 2, 1):  # of the viscosity: continuation
        for _ in range(12):
            transport, reaction = flow.convection(u)
            new = flow.solve(factor * flow.diffusion + transport + reaction, transport @ u, wall, start)
            change, u = np.abs(new - u).max(), new
            if change < 1e-9:
                break
    assert change < 1e-9
    return flow.at(u, p)


RESOLUTIONS: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "heat_holes": (lambda p: heat_holes(p, 0.15, 24), lambda p: heat_holes(p, 0.1, 48)),
    "backward_step": (lambda p: backward_step(p, 1), lambda p: backward_step(p, 2)),
}


def main() -> None:
    from physics_problems import PROBLEMS

    for name in sys.argv[1:]:
        points = PROBLEMS[name].points()
        coarse, fine = (f(points) for f in RESOLUTIONS[name])
        known = np.isfinite(fine)
        difference = np.linalg.norm((fine - coarse)[known]) / np.linalg.norm(fine[known])
        print(f"{name}: relative difference of two resolutions {difference:.1e}")
        np.savez_compressed(FOLDER / f"{name}_reference.npz", points=points, values=fine)


if __name__ == "__main__":
    main()
