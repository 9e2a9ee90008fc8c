"""Sparse LU in the order of nested dissection: solutions, fill-in, zeros on the diagonal, singular matrices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu
from skfem import Basis, ElementTriP1, ElementTriP2, ElementVector, MeshTri

from pdedsl.solvers.elements.direct_solver import ElementsSolveFailed, Factorization, dissect


def stokes(n: int) -> tuple[csc_matrix, list[np.ndarray], np.ndarray]:
    """Taylor-Hood matrix [A Bᵀ; B 0] without boundary velocities and one pressure, numbers of the basis functions of
    every element in the whole system, and the chosen ones."""
    from scipy.sparse import bmat
    from skfem.models.general import divergence
    from skfem.models.poisson import vector_laplace

    mesh = MeshTri.init_tensor(np.linspace(0, 1, n + 1), np.linspace(0, 1, n + 1))
    velocity = Basis(mesh, ElementVector(ElementTriP2()), intorder=4)
    pressure = velocity.with_element(ElementTriP1())
    b = -divergence.assemble(velocity, pressure)
    matrix = bmat([[vector_laplace.assemble(velocity), b.T], [b, None]], "csc")
    fixed = np.append(velocity.get_dofs().flatten(), velocity.N)
    free = np.setdiff1d(np.arange(matrix.shape[0]), fixed)
    return matrix, [velocity.element_dofs, pressure.element_dofs + velocity.N], free


def test_solutions_of_a_saddle_point_problem() -> None:
    matrix, dofs, free = stokes(12)
    own = matrix[free][:, free].tocsc()
    centroids = MeshTri.init_tensor(np.linspace(0, 1, 13), np.linspace(0, 1, 13))
    order = dissect(centroids.p[:, centroids.t].mean(1), dofs, matrix.shape[0]).select(free)
    own = own + csc_matrix((np.arange(1.0, 4.0), (np.arange(3), np.arange(1, 4))), own.shape)  # not symmetric
    exact = np.random.default_rng(0).standard_normal(len(free))
    factorization = Factorization(own, order)
    assert factorization.solve(own @ exact) == pytest.approx(exact, abs=1e-9)
    assert factorization.solve_transposed(own.T @ exact) == pytest.approx(exact, abs=1e-9)


def test_fill_in_of_a_saddle_point_problem() -> None:
    """Less than half of that of an approximate minimum degree order of the columns."""
    matrix, dofs, free = stokes(32)
    own = matrix[free][:, free].tocsc()
    mesh = MeshTri.init_tensor(np.linspace(0, 1, 33), np.linspace(0, 1, 33))
    order = dissect(mesh.p[:, mesh.t].mean(1), dofs, matrix.shape[0]).select(free)
    ordered, by_columns = Factorization(own, order), splu(own)
    assert ordered.nonzeros < 0.5 * (by_columns.L.nnz + by_columns.U.nnz)


def test_separators_follow_both_sides() -> None:
    """Linear elements on an interval: the middle node is the last one, the middles of the halves are last in these."""
    centroids = (np.arange(16) + 0.5)[None]
    dofs = np.stack([np.arange(16), np.arange(1, 17)])
    order = dissect(centroids, [dofs], 17)
    permutation = order.permutation(csc_matrix(np.eye(17)))
    assert permutation[-1] == 8
    assert {permutation[7], permutation[15]} == {4, 12}
    assert set(permutation[:8]) == {0, 1, 2, 3, 4, 5, 6, 7}


def test_singular_matrix() -> None:
    matrix, dofs, free = stokes(2)
    singular = matrix.tolil()
    singular[free[0]] = 0
    mesh = MeshTri.init_tensor(np.linspace(0, 1, 3), np.linspace(0, 1, 3))
    order = dissect(mesh.p[:, mesh.t].mean(1), dofs, matrix.shape[0]).select(free)
    with pytest.raises(ElementsSolveFailed, match="singular"):
        Factorization(csc_matrix(singular)[free][:, free], order)
