"""Quadrature over the spatial domain of a solution and over its boundary.

Boxes have tensor products of Gauss-Legendre rules between the points where the solution is not smooth, refined until
two rules agree; shapes have Gaussian rules on the elements of a curved mesh; boxes with many dimensions, and shapes
without a mesh, have Sobol points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import inf, isfinite, prod
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from pdedsl.ir.boundary import Face, LevelSet, Place
from pdedsl.ir.problem import Domain
from pdedsl.runtime.basis.interpolation import CellAxis, PiecewiseChebyshev, TensorProductExpansion
from pdedsl.runtime.basis.piecewise_polynomials import PiecewisePolynomials, map_to_cells
from pdedsl.solvers.ansatz import AnsatzModule

if TYPE_CHECKING:
    from skfem import Mesh

QUADRATURE_RTOL = 1e-11  # agreement of two rules, relative to ∫|f|: rounding errors are smaller
FIRST_NODES = 8  # per axis and piece
MAX_NODES = 256  # per axis and piece
MAX_POINTS = 1 << 16  # values in memory at a time
SOBOL_POINTS = 1 << 14  # in dimensions where tensor rules exceed MAX_POINTS
MESH_CELLS, COARSE_CELLS = 40, 4  # per dimension of a shape; coarse if points are costly
MESH_DEGREE, COARSE_DEGREE = 6, 2  # of polynomials that are integrated exactly on the elements of a mesh


@dataclass(frozen=True)
class QuadratureRule:
    """Points (m, d), weights (m,), and, on the boundary, outer unit normals (m, d)."""

    points: Tensor
    weights: Tensor
    normals: Tensor | None = None


Integrand = Callable[[QuadratureRule], Tensor]
"""Values (m, c) at the points of a rule."""


def integrate(f: Integrand, rules: Iterator[QuadratureRule]) -> Tensor:
    """∫f, (c,): by the first rule that agrees with the one before, or the last one."""
    previous = None
    for rule in rules:
        values, weights = f(rule), rule.weights[:, None]
        integral, scale = (values * weights).sum(0), (values.abs() * weights).sum(0)
        if previous is not None and bool(((integral - previous).abs() <= QUADRATURE_RTOL * scale).all()):
            return integral
        previous = integral
    assert previous is not None
    return previous


# ---- Domains


def domain_rules(domain: Domain, module: nn.Module, max_points: int = MAX_POINTS) -> Iterator[QuadratureRule]:
    """Successively finer rules for the spatial domain."""
    if _is_unbounded(domain):
        raise ValueError("the domain is unbounded: the integral is not defined by values in a bounded part of it")
    if isinstance(module, PiecewisePolynomials):
        yield mesh_rule(module.get_buffer("geometry"), max(module.degrees) + 2)
    elif not domain.inequalities and max_points ** (1 / len(domain.space)) >= FIRST_NODES // 2:
        yield from _box_rules(_pieces(domain, module), max_points)
    elif domain.inequalities and (geometry := _shape_geometry(domain, _cells(max_points))) is not None:
        yield mesh_rule(geometry, MESH_DEGREE if max_points == MAX_POINTS else COARSE_DEGREE)
    else:
        yield _sobol_rule(domain, min(SOBOL_POINTS, max_points))


def _is_unbounded(domain: Domain) -> bool:
    return not all(isfinite(float(e)) for i in domain.intervals[: len(domain.space)] for e in (i.start, i.end))


def _pieces(domain: Domain, module: nn.Module) -> list[list[float]]:
    """For each axis its ends, and the points between which the solution is smooth."""
    ends = [[float(i.start), float(i.end)] for i in domain.intervals[: len(domain.space)]]
    match module:
        case AnsatzModule(network=inner):
            return _pieces(domain, inner)
        case PiecewiseChebyshev() if len(ends) == 1:
            return [sorted({*ends[0], *module.breaks.tolist()})]
        case TensorProductExpansion(axes=axes):
            return [_cell_centers(a, e) if isinstance(a, CellAxis) else e for a, e in zip(axes, ends, strict=False)]
        case _:
            return ends


def _cell_centers(axis: CellAxis, ends: list[float]) -> list[float]:
    width = (axis.end - axis.start) / axis.n
    return [ends[0], *(axis.start + (k + 0.5) * width for k in range(axis.n)), ends[1]]


def _box_rules(pieces: Sequence[list[float]], max_points: int) -> Iterator[QuadratureRule]:
    """Tensor products of Gauss-Legendre rules, with twice as many nodes on each axis from one to the next."""
    if not pieces:
        yield QuadratureRule(torch.zeros(1, 0, dtype=torch.float64), torch.ones(1, dtype=torch.float64))
        return
    count = prod(len(p) - 1 for p in pieces)
    n = 2 if count > 1 else FIRST_NODES
    while n > 2 and count * n ** len(pieces) > max_points:
        n //= 2
    first = n
    while n == first or (n <= MAX_NODES and count * n ** len(pieces) <= max_points):
        axes = [_gauss(p, n) for p in pieces]
        points = torch.stack(torch.meshgrid(*(x for x, _ in axes), indexing="ij"), -1).reshape(-1, len(axes))
        weights = torch.stack(torch.meshgrid(*(w for _, w in axes), indexing="ij"), -1).prod(-1).reshape(-1)
        yield QuadratureRule(points, weights)
        n *= 2


def _gauss(ends: list[float], n: int) -> tuple[Tensor, Tensor]:
    """Nodes and weights of the Gauss-Legendre rule on successive intervals."""
    x, w = (torch.from_numpy(v) for v in np.polynomial.legendre.leggauss(n))
    nodes = [(a + b) / 2 + (b - a) / 2 * x for a, b in pairwise(ends)]
    return torch.cat(nodes), torch.cat([(b - a) / 2 * w for a, b in pairwise(ends)])


def _sobol_rule(domain: Domain, n: int) -> QuadratureRule:
    """Sobol points of the box that lie in the domain, with equal weights."""
    from pdedsl.solvers.coordinates import Coordinates

    intervals = domain.intervals[: len(domain.space)]
    low, high = (torch.tensor([float(getattr(i, e)) for i in intervals]).double() for e in ("start", "end"))
    engine = torch.quasirandom.SobolEngine(len(low), scramble=True, seed=0)  # type: ignore[no-untyped-call]
    points = low + (high - low) * engine.draw(n, dtype=torch.float64)
    in_space = Coordinates(Domain(domain.space, intervals, False, domain.inequalities), ())
    inside = in_space.contains(points)
    weight = float((high - low).prod()) / n
    return QuadratureRule(points[inside], torch.full((int(inside.sum()),), weight, dtype=torch.float64))


# ---- Meshes


def mesh_rule(geometry: Tensor, degree: int) -> QuadratureRule:
    """Gaussian quadrature on simplices X(ξ) with coefficients (cells, monomials, d), exact for polynomials in ξ."""
    from skfem.element import ElementLineP1, ElementTetP1, ElementTriP1
    from skfem.quadrature import get_quadrature

    d = geometry.shape[2]
    element = (ElementLineP1, ElementTriP1, ElementTetP1)[d - 1]
    nodes, weights = get_quadrature(element, degree)
    reference = torch.from_numpy(nodes.T.copy()).to(geometry)
    points, determinants = map_to_cells(geometry, reference)
    return QuadratureRule(
        points.reshape(-1, d), (determinants.abs() * torch.from_numpy(weights).to(geometry)).reshape(-1)
    )


def _cells(max_points: int) -> int:
    return MESH_CELLS if max_points == MAX_POINTS else COARSE_CELLS


def _shape_geometry(domain: Domain, cells: int) -> Tensor | None:
    """The elements of a curved mesh of a shape; None if it has none."""
    from pdedsl.solvers.elements.driver import geometry_of
    from pdedsl.solvers.elements.triangulate import MeshingFailed

    try:
        return geometry_of(shape_mesh(domain, cells))
    except MeshingFailed:
        return None


@lru_cache(maxsize=4)
def shape_mesh(domain: Domain, cells: int = MESH_CELLS) -> Mesh:
    """A curved mesh of the spatial domain with a number of cells per dimension.

    Raises `MeshingFailed` if there is none."""
    from pdedsl.solvers.elements.mesh import make_mesh

    intervals = domain.intervals[: len(domain.space)]
    length = max(float(i.end - i.start) for i in intervals) / cells
    return make_mesh(domain, length if domain.mesh_boundary is None else inf, 2)


# ---- Boundaries


def boundary_places(domain: Domain) -> tuple[Place, ...]:
    """Faces that are not periodic, and level sets of inequalities."""
    intervals = domain.intervals[: len(domain.space)]
    faces = [Face(k, upper) for k, i in enumerate(intervals) if not i.periodic for upper in (False, True)]
    return (*faces, *(LevelSet(g) for g in domain.inequalities))


def boundary_rules(
    domain: Domain, module: nn.Module, place: Place, max_points: int = MAX_POINTS
) -> Iterator[QuadratureRule]:
    """Successively finer rules for a face or level set of the boundary.

    Raises ValueError for a shape without a mesh."""
    if domain.inequalities:
        yield _facet_rule(domain, place, _cells(max_points))
        return
    assert isinstance(place, Face)
    k, interval = place.coordinate, domain.intervals[place.coordinate]
    end = float(interval.end if place.upper else interval.start)
    if abs(end) == inf:
        raise ValueError("the domain is unbounded: it has no boundary there")
    pieces = _pieces(domain, module)
    for rule in _box_rules([*pieces[:k], *pieces[k + 1 :]], max_points):
        column = rule.points.new_full((len(rule.points), 1), end)
        points = torch.cat([rule.points[:, :k], column, rule.points[:, k:]], 1)
        normals = torch.zeros_like(points)
        normals[:, k] = 1.0 if place.upper else -1.0
        yield QuadratureRule(points, rule.weights, normals)


def _facet_rule(domain: Domain, place: Place, cells: int) -> QuadratureRule:
    """Gaussian quadrature on the facets of a curved mesh; an empty rule for a face outside of the shape."""
    from skfem import ElementLineP1, ElementTriP1, FacetBasis, MeshLine1

    from pdedsl.solvers.elements.mesh import facets_of
    from pdedsl.solvers.elements.triangulate import MeshingFailed

    try:
        mesh = shape_mesh(domain, cells)
    except MeshingFailed as failure:
        raise ValueError(f"the boundary of the domain has no quadrature rule: {failure}") from None
    facets = facets_of(mesh, place)
    d = len(domain.space)
    if not len(facets):
        empty = torch.zeros(0, d, dtype=torch.float64)
        return QuadratureRule(empty, empty[:, 0], empty)
    element = ElementLineP1() if isinstance(mesh, MeshLine1) else ElementTriP1()
    basis = FacetBasis(mesh, element, facets=facets, intorder=MESH_DEGREE)
    points, normals = (np.asarray(v).reshape(d, -1).T.copy() for v in (basis.global_coordinates(), basis.normals))
    weights = np.asarray(basis.dx).reshape(-1).copy()
    return QuadratureRule(*(torch.from_numpy(v) for v in (points, weights, normals)))
