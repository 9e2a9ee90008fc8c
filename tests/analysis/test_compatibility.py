"""Compatibility warnings, for data decided by hand."""

from __future__ import annotations

import pytest

from pdedsl.compiler import to_analysis, to_spec
from pdedsl.diagnostics import Source

IN_TIME = "space x in [0, 2]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
PLANE = "space (x, y) in [0, 1] × [0, 2]\nunknown u(x, y) : scalar\n"
MOVING = "space (x, y) in [0, 1]^2\ntime t in [0, 1]\nunknown u(x, y, t) : scalar\n"


def warned(text: str) -> list[tuple[str, str]]:
    analysis = to_analysis(to_spec(Source(f"pde P\n{text}\n")))
    return [(d.code, d.message) for d in analysis.diagnostics if not d.is_error]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "∂u/∂t = Δu\nu(x, 0) = 1\nu = 0 on boundary",
            "at x = 0 (jump 1): 'u(x, 0) = 1' gives 1, 'u = 0 on boundary' gives 0",
        ),
        ("∂u/∂t = Δu\nu(x, 0) = x\nu = 0 on left\nu = 1 on right", "at x = 2 (jump 1): 'u(x, 0) = x' gives 2"),
        ("∂u/∂t = Δu\nu(x, 0) = x\nu = t on left\nu = 2 + t on right", ""),
        ("∂u/∂t = Δu\nu(x, 0) = sin(π x)\nu = 0 on boundary", ""),
        ("∂u/∂t = Δu\nu(x, 0) = min(1/x, 2 - x)\nu = 0 on boundary", ""),  # undefined at x = 0
        ("∂u/∂t = Δu\nu(x, 0) = 1\n∂u/∂n = 1 on boundary", ""),  # Neumann data are not compared
        ("∂u/∂t + ∂u/∂x = 0\nu(x, 0) = cos(x)\nu = 0 on left", "at x = 0 (jump 1): 'u(x, 0) = cos(x)' gives 1"),
        ("∂u/∂t = -Δu\nu(x, 1) = 1\nu = t on boundary", ""),  # at the end, where t is 1
        (
            "∂u/∂t = -Δu\nu(x, 1) = 1\nu = 1 - t on boundary",
            "at x = 0 (jump 1): 'u(x, 1) = 1' gives 1, 'u = 1 - t on boundary' gives 0",
        ),
        ("∂²u/∂t² = Δu\nu(x, 0) = 1\n∂u/∂t(x, 0) = 5\nu = 1 on boundary", ""),
    ],
)
def test_initial_and_boundary_data(text: str, said: str) -> None:
    found = warned(IN_TIME + text)
    assert [code for code, _ in found] == (["W402"] if said else [])
    assert not said or said in found[0][1]


def test_incompatibility_along_a_face() -> None:
    """y(1 - y) on the left, against 0: they differ in the middle, not at the corners."""
    text = "∂u/∂t = Δu\nu(x, y, 0) = y(1 - y)(1 - x)\nu = 0 on boundary"
    assert [code for code, _ in warned(MOVING + text)] == ["W402"]
    assert warned(MOVING + text.replace("(1 - x)", "x(1 - x)")) == []


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("-Δu = 1\n∂u/∂n = 0 on boundary", "2"),  # the area
        (
            "-Δu = 1\n∂u/∂n = -1 on right\n∂u/∂n = 0 on left, top, bottom",
            "",
        ),  # 2 - 2
        ("-3Δu = 1\n∂u/∂n = -1 on right\n∂u/∂n = 0 on left, top, bottom", "4"),  # 2 - 3·2
        ("Δu = cos(π x)\n∂u/∂n = 0 on boundary", ""),
        ("Δu = x y\n∂u/∂n = 0 on boundary", "1"),  # ½ · 2
        ("∇·((1 + x)∇u) = 1\n∂u/∂n = 0 on boundary", "2"),
        ("∇·((1 + x)∇u) = 1\n∂u/∂n = 1/2 on right\n∂u/∂n = 0 on left, top, bottom", ""),  # 2 · ½ · 2 - 2
        ("(1 + x)Δu = 1\n∂u/∂n = 0 on boundary", ""),  # not a divergence
        ("-Δu + u = 1\n∂u/∂n = 0 on boundary", ""),  # u = 1
        ("-Δu = 1\n∂u/∂n = 0 on left, right, top\nu = 0 on bottom", ""),
        ("-Δu = 1\n∂u/∂n + u = 0 on boundary", ""),
    ],
)
def test_neumann_compatibility(text: str, total: str) -> None:
    found = warned(PLANE + text)
    assert [code for code, _ in found] == (["W403"] if total else [])
    assert not total or found[0][1].endswith(f"the sum is {total}")


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("-Δu = 4\n∂u/∂n = 0 on boundary", "13"),  # 4π
        ("Δu = 1 + x\n2 ∂u/∂n = 0 on boundary", "3.1"),  # π
        ("-Δu = x\n∂u/∂n = 0 on boundary", ""),
        ("-Δu = 4\n∂u/∂n = -2 on boundary", ""),  # 4π - 2·2π
        ("-Δu = 4\n∂u/∂n = 1 on boundary", ""),  # inhomogeneous Neumann data are not checked on irregular domains
        ("-Δu = 4\nu = 0 on boundary", ""),
        ("-Δu + u = 4\n∂u/∂n = 0 on boundary", ""),
    ],
)
def test_neumann_compatibility_on_a_disc(text: str, total: str) -> None:
    found = warned(f"space (x, y) in [-1, 1]^2 where x² + y² < 1\nunknown u(x, y) : scalar\n{text}")
    assert [code for code, _ in found] == (["W403"] if total else [])
    assert not total or found[0][1].endswith(f"the sum is about {total}")


@pytest.mark.parametrize(("source", "said"), [("1", ["W403"]), ("cos(2π x)", [])])
def test_a_periodic_source(source: str, said: list[str]) -> None:
    text = f"space x in [0, 1] periodic\nunknown u(x) : scalar\n-Δu = {source}"
    assert [code for code, _ in warned(text)] == said


def test_a_network_that_depends_on_nothing() -> None:
    text = 'observe u from npz("u.npz")\n∂u/∂t = k Δu\nu(x, 0) = 0\nu = 0 on boundary\nlearn k : scalar > 0{}'
    assert [code for code, _ in _read(IN_TIME + text.format(" = mlp"))] == ["W202"]
    assert _read(IN_TIME + text.format("")) == _read(IN_TIME + text.format(" = 0.1")) == []
    unmeasured = text.format("").partition("\n")[2]
    assert [code for code, _ in _read(IN_TIME + unmeasured)] == ["W440"]


def _read(text: str) -> list[tuple[str, str]]:
    return [(d.code, d.message) for d in to_spec(Source(f"pde P\n{text}\n")).warnings]
