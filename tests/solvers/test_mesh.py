"""Meshes: areas and lengths in closed form, quality, attribution of boundary facets, refinement, determinism."""

from __future__ import annotations

import numpy as np
import pytest
from skfem import Basis, ElementLineP1, ElementTetP1, ElementTriP1, FacetBasis, Functional, Mesh, MeshTri2
from sympy import Abs, Expr, Integer, Max, Rational, symbols

import pdedsl
from pdedsl.ir.boundary import Face, LevelSet
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.ir.spec import Interval
from pdedsl.solvers.elements.mesh import facets_of, jacobian_signs, make_mesh, mesh_of, refine_mesh
from pdedsl.solvers.elements.tetrahedralize import mean_ratio
from pdedsl.solvers.elements.triangulate import MeshingFailed

X, Y, Z = symbols("x y z", real=True)
DISC = 1 - X**2 - Y**2
SMALL_DISC = X**2 + Y**2 - Rational(1, 4)
ELEMENTS = (ElementLineP1, ElementTriP1, ElementTetP1)


def _hole(center: int) -> Expr:
    """Outside the circle around (center/100, 0) of radius 1/5."""
    return (X - Rational(center, 100)) ** 2 + Y**2 - Rational(1, 25)


SHAPES = {  # inequalities in [-1, 1]², area
    "disc": ((DISC,), np.pi),
    "half disc": ((DISC, Y), np.pi / 2),
    "ellipse": ((1 - X**2 - 25 * Y**2,), np.pi / 5),
    "lens": ((1 - (X - Rational(1, 2)) ** 2 - Y**2, 1 - (X + Rational(1, 2)) ** 2 - Y**2), 2 * np.pi / 3 - 3**0.5 / 2),
    "hole": ((SMALL_DISC,), 4 - np.pi / 4),
    "small hole": (((X - Rational(2, 5)) ** 2 + Y**2 - Rational(1, 10**4),), 4 - np.pi * 1e-4),
    "narrow gap": ((_hole(21), _hole(-21)), 4 - 2 * np.pi / 25),
    "hole at a face": (((X - 1) ** 2 + Y**2 - Rational(1, 4),), 4 - np.pi / 8),
    "L-shape": ((Max(-X, Y),), 3.0),
    "square by a maximum": ((1 - 2 * Max(Abs(X), Abs(Y)),), 1.0),
}


def box(dimension: int, *inequalities: Expr, periodic: tuple[int, ...] = ()) -> Domain:
    intervals = tuple(Interval(Integer(-1), Integer(1), k in periodic) for k in range(dimension))
    return Domain((X, Y, Z)[:dimension], intervals, False, inequalities)


def volume(mesh: Mesh) -> float:
    basis = Basis(mesh, ELEMENTS[mesh.dim() - 1](), intorder=6)
    return float(Functional(lambda w: 1.0 + 0 * w.x[0]).assemble(basis))


def length(mesh: Mesh, facets: np.ndarray) -> float:
    basis = FacetBasis(mesh, ELEMENTS[mesh.dim() - 1](), facets=facets, intorder=8)
    return float(Functional(lambda w: 1.0 + 0 * w.x[0]).assemble(basis))


def smallest_angle(mesh: Mesh) -> float:
    corners = mesh.p[:, mesh.t]
    angles = []
    for k in range(3):
        u, v = corners[:, (k + 1) % 3] - corners[:, k], corners[:, (k + 2) % 3] - corners[:, k]
        angles.append(np.arccos((u * v).sum(0) / np.linalg.norm(u, axis=0) / np.linalg.norm(v, axis=0)).min())
    return float(np.degrees(min(angles)))


def assert_attributed(mesh: Mesh) -> None:
    """Every boundary facet has exactly one name."""
    boundary = set(mesh.boundary_facets().tolist())
    named = [f for facets in mesh.boundaries.values() for f in facets.tolist() if f in boundary]
    assert sorted(named) == sorted(boundary)


@pytest.mark.parametrize("name", SHAPES)
def test_shape(name: str) -> None:
    inequalities, area = SHAPES[name]
    mesh = make_mesh(box(2, *inequalities), 0.2, 2)
    assert isinstance(mesh, MeshTri2)
    assert volume(mesh) == pytest.approx(area, rel=3e-5)  # at least 16 curved edges on a circle: (2π/16)⁴/720
    assert_attributed(mesh)
    assert smallest_angle(mesh) > 25
    assert jacobian_signs(mesh).min() > 0.5


@pytest.mark.parametrize(
    ("vertices", "area"),
    [
        ("[[0, 0], [1, 0], [0, 1]]", 0.5),
        ("[[-1, -1], [0, -1], [0, 0], [1, 0], [1, 1], [-1, 1]]", 3.0),
        ("[[0, 0], [5, 0], [5, 3], [4, 3], [4, 1], [3, 1], [3, 2], [2, 2], [2, 1], [1, 1], [1, 3], [0, 3]]", 10.0),
    ],
)
def test_polygon(vertices: str, area: float) -> None:
    text = f"pde P\nspace (x, y) in polygon({vertices})\nunknown u(x, y) : scalar\n-Δu = 1\nu = 0 on boundary\n"
    statement = pdedsl.compile(text).representation
    assert isinstance(statement, StrongForm)
    mesh = mesh_of(statement, 0.3)
    assert volume(mesh) == pytest.approx(area, rel=1e-12)  # corners are intersections of lines
    assert_attributed(mesh)
    assert smallest_angle(mesh) > 25
    places = [c.place for c in statement.conditions]
    assert sum(len(facets_of(mesh, p)) for p in places) == len(mesh.boundary_facets())


def test_orders_of_the_area() -> None:
    errors = {order: [abs(volume(make_mesh(box(2, DISC), h, order)) - np.pi) for h in (0.2, 0.1)] for order in (1, 2)}
    for order, (coarse, fine) in errors.items():
        assert np.log2(coarse / fine) == pytest.approx(2 * order, abs=0.2)


@pytest.mark.parametrize("uniform", [True, False])
def test_refinement_keeps_curves(uniform: bool) -> None:
    domain = box(2, DISC, Y + Rational(1, 2))
    mesh = make_mesh(domain, 0.4, 2)
    for _ in range(2):
        marked = None if uniform else np.arange(0, mesh.t.shape[1], 3)
        mesh = refine_mesh(mesh, domain, marked)
    assert_attributed(mesh)
    arc = facets_of(mesh, LevelSet(DISC))
    nodes = mesh.doflocs[:, np.unique(mesh.dofs.get_facet_dofs(arc).flatten())]
    assert np.abs(np.linalg.norm(nodes, axis=0) - 1).max() < 1e-13
    assert length(mesh, arc) == pytest.approx(4 * np.pi / 3, rel=1e-5)
    assert length(mesh, facets_of(mesh, LevelSet(Y + Rational(1, 2)))) == pytest.approx(3**0.5)


def test_interior_curve_consists_of_edges() -> None:
    mesh = make_mesh(box(2), 0.2, 2, interfaces=(SMALL_DISC,))
    facets = facets_of(mesh, LevelSet(SMALL_DISC))
    assert not set(facets.tolist()) & set(mesh.boundary_facets().tolist())
    assert length(mesh, facets) == pytest.approx(np.pi, rel=5e-5)  # 16 edges: (2π/16)⁴/960
    refined = refine_mesh(mesh, box(2), None, (SMALL_DISC,))
    assert length(refined, facets_of(refined, LevelSet(SMALL_DISC))) == pytest.approx(np.pi, rel=5e-6)


def test_part_of_a_face_ends_at_a_node() -> None:
    for domain in (box(2), box(2, SMALL_DISC)):
        mesh = make_mesh(domain, 0.3, breakpoints=(Y - Rational(1, 7),))
        left = facets_of(mesh, Face(0, upper=False))
        assert np.abs(mesh.p[1, mesh.facets[:, left]] - 1 / 7).min() < 1e-12


def test_opposite_periodic_faces_have_the_same_nodes() -> None:
    mesh = make_mesh(box(2, (X - Rational(1, 2)) ** 2 + Y**2 - Rational(1, 25), periodic=(0,)), 0.2)
    ends = [np.sort(mesh.p[1, np.unique(mesh.facets[:, facets_of(mesh, Face(0, upper))])]) for upper in (False, True)]
    assert np.array_equal(*ends)


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("order", [1, 2])
def test_box(dimension: int, order: int) -> None:
    mesh = make_mesh(box(dimension), 0.5, order)
    assert volume(mesh) == pytest.approx(2.0**dimension)
    assert_attributed(mesh)
    assert set(mesh.boundaries) == {Face(k, u).name for k in range(dimension) for u in (False, True)}
    refined = refine_mesh(mesh, box(dimension), np.array([0]))
    assert refined.t.shape[1] > mesh.t.shape[1]
    assert_attributed(refined)
    assert volume(refined) == pytest.approx(2.0**dimension)


def test_triangles_at_corners_of_a_box_have_inner_nodes() -> None:
    mesh = make_mesh(box(2), 0.4)
    on_boundary = np.isin(mesh.t, mesh.boundary_nodes())
    assert not on_boundary.all(0).any()


def test_intervals_by_inequalities() -> None:
    g = (X + Rational(1, 2)) * (X - Rational(1, 4))  # two intervals
    mesh = make_mesh(box(1, g), 0.3)
    assert volume(mesh) == pytest.approx(0.5 + 0.75)
    assert_attributed(mesh)
    assert len(facets_of(mesh, LevelSet(g))) == 2


def test_meshes_are_deterministic() -> None:
    first, second = (make_mesh(box(2, SMALL_DISC, DISC), 0.3, 2) for _ in range(2))
    assert np.array_equal(first.doflocs, second.doflocs)
    assert np.array_equal(first.t, second.t)


def test_empty_domain() -> None:
    with pytest.raises(MeshingFailed, match="empty"):
        make_mesh(box(2, X**2 + Y**2 - 3), 0.2)
    with pytest.raises(MeshingFailed, match="empty"):
        make_mesh(box(1, X - 2), 0.2)


# ---- Solids

HOLES = ((Rational(2, 5), Rational(1, 4)),)  # x of the center, radius
SOLIDS = {  # bounds of the cube, inequalities, volume
    "spherical hole": (
        (0, 1),
        tuple((X - a) ** 2 + (Y - Rational(1, 2)) ** 2 + (Z - Rational(1, 2)) ** 2 - r**2 for a, r in HOLES),
        1 - np.pi / 48,
    ),
    "ball": ((-1, 1), (DISC - Z**2,), 4 / 3 * np.pi),
    "octant of a ball": ((0, 1), (DISC - Z**2,), np.pi / 6),
    "cylindrical hole": ((-1, 1), (SMALL_DISC,), 8 - np.pi / 2),
    "lens": ((-1, 1), tuple(1 - (X - c) ** 2 - Y**2 - Z**2 for c in (Rational(1, 2), -Rational(1, 2))), 5 * np.pi / 12),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_solid(name: str) -> None:
    """Curved tetrahedra: the errors of straight ones are a hundred times larger."""
    (low, high), inequalities, exact = SOLIDS[name]
    intervals = (Interval(Integer(low), Integer(high), False),) * 3
    domain = Domain((X, Y, Z), intervals, False, inequalities)
    mesh = make_mesh(domain, (high - low) / 4, 2)
    assert_attributed(mesh)
    assert np.abs(mean_ratio(mesh.p[:, mesh.t[:4]].transpose(2, 1, 0))).min() > 0.25
    assert jacobian_signs(mesh).min() > 0.1
    assert volume(mesh) == pytest.approx(exact, rel=3e-4)
    refined = refine_mesh(mesh, domain)
    assert_attributed(refined)
    assert volume(refined) == pytest.approx(exact, rel=2e-5)
    for surface in inequalities:
        nodes = refined.doflocs[:, np.unique(refined.facets[:, facets_of(refined, LevelSet(surface))])]
        values = [float(surface.subs(dict(zip((X, Y, Z), p, strict=True)))) for p in nodes.T[::50]]
        assert np.abs(values).max() < 1e-12


def test_a_surface_with_edges_has_no_tetrahedra() -> None:
    with pytest.raises(MeshingFailed, match="not smooth"):
        make_mesh(box(3, Max(Abs(X), Abs(Y), Abs(Z)) - Rational(1, 2)), 0.5)
