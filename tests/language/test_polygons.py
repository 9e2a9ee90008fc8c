"""Polygons: inequalities against the crossing number of a ray, equal domains, notation."""

from __future__ import annotations

import math
import random

import pytest
from sympy import Rational, lambdify

import pdedsl

L_SHAPE = ((-1, -1), (0, -1), (0, 0), (1, 0), (1, 1), (-1, 1))
COMB = ((0, 0), (5, 0), (5, 3), (4, 3), (4, 1), (3, 1), (3, 2), (2, 2), (2, 1), (1, 1), (1, 3), (0, 3))
SPIRAL = ((0, 0), (4, 0), (4, 4), (1, 4), (1, 2), (2, 2), (2, 3), (3, 3), (3, 1), (0, 1))
NOTCH_ON_THE_HULL = ((0, 0), (4, 0), (3, 1), (2, 0.5), (1.5, 1.5), (4, 3), (0, 3), (0.5, 1.5))
Points = tuple[tuple[float, float], ...]


def star(count: int, seed: int) -> Points:
    rng = random.Random(seed)
    radii = [rng.randint(2, 10) / 10 for _ in range(count)]
    angles = [2 * math.pi * k / count for k in range(count)]
    return tuple((round(r * math.cos(a), 3), round(r * math.sin(a), 3)) for r, a in zip(radii, angles, strict=True))


def spec_on(domain: str) -> pdedsl.Spec:
    return pdedsl.load(f"pde P\nspace (x, y) in {domain}\nunknown u(x, y) : scalar\n-Δu = 1\nu = 0 on boundary\n")


def polygon(vertices: Points) -> str:
    return f"polygon([{', '.join(f'[{x}, {y}]' for x, y in vertices)}])"


def is_inside(point: tuple[float, float], vertices: Points) -> bool:
    """Crossing number of a horizontal ray."""
    crossings = 0
    for (x0, y0), (x1, y1) in zip(vertices, (*vertices[1:], vertices[0]), strict=True):
        if (y0 > point[1]) != (y1 > point[1]) and point[0] < x0 + (point[1] - y0) / (y1 - y0) * (x1 - x0):
            crossings += 1
    return crossings % 2 == 1


@pytest.mark.parametrize("vertices", [L_SHAPE, COMB, SPIRAL, NOTCH_ON_THE_HULL, star(9, 1)], ids=lambda v: str(len(v)))
def test_inequalities_describe_the_polygon(vertices: Points) -> None:
    space = spec_on(polygon(vertices)).space
    levels = lambdify(space.coordinates, [g.expr for g in space.inequalities], "math")
    (a, b), (c, d) = ((float(i.start), float(i.end)) for i in space.intervals)
    rng = random.Random(0)
    for _ in range(400):
        point = rng.uniform(a, b), rng.uniform(c, d)
        assert all(g > 0 for g in levels(*point)) == is_inside(point, vertices)


def test_order_of_vertices_does_not_matter() -> None:
    turned = L_SHAPE[2:] + L_SHAPE[:2]
    doubled = (*L_SHAPE[:1], (Rational(-1, 2), -1), *L_SHAPE[1:], L_SHAPE[0])  # a vertex on an edge, closed
    hashes = {spec_on(polygon(v)).hash for v in (L_SHAPE, turned, L_SHAPE[::-1], doubled)}  # type: ignore[arg-type]
    assert len(hashes) == 1


def test_equal_domains_have_equal_hashes() -> None:
    assert spec_on("polygon([[0, 0], [2, 0], [2, 1], [0, 1]])").hash == spec_on("[0, 2] * [0, 1]").hash
    triangle = spec_on("polygon([[0, 0], [1, 0], [0, 1]])")
    assert triangle.hash == spec_on("[0, 1]^2 where x + y < 1").hash
    assert [face.name for face in triangle.conditions[0].faces] == ["left", "bottom"]


def test_edges_of_a_convex_polygon_are_curves() -> None:
    spec = pdedsl.load(
        "pde P\nspace (x, y) in polygon([[0, 0], [1, 0], [0, 1]])\nunknown u(x, y) : scalar\n-Δu = 1\n"
        "u = 1 on x + y = 1\nu = 0 on left, bottom\n"
    )
    assert not spec.warnings
    assert len(spec.conditions) == 2


def test_polygon_with_a_hole() -> None:
    spec = spec_on(f"{polygon(L_SHAPE)} where (x + 0.5)² + (y - 0.5)² > 0.04")
    assert len(spec.space.inequalities) == 2


def test_formatting_is_a_fixed_point() -> None:
    text = (
        "pde P\nspace (x, y) in polygon([[0, 0], [π, 0], [0, ½]])\nunknown u(x, y) : scalar\n"
        "-Δu = 1\nu = 0 on boundary\n"
    )
    once = pdedsl.format(text)
    assert pdedsl.format(once) == once
    assert "polygon([[0, 0], [π, 0], [0, ½]])" in once
    assert "polygon([[0, 0], [pi, 0], [0, 1/2]])" in pdedsl.format(text, ascii=True)
    assert pdedsl.load(pdedsl.format(text, ascii=True)).hash == pdedsl.load(text).hash


def test_latex() -> None:
    assert (
        r"\text{on the polygon with vertices } (0, 0), (1, 0), (0, 1)"
        in spec_on("polygon([[0, 0], [1, 0], [0, 1]])").latex
    )
