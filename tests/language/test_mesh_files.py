"""`space (x, y) in mesh("file")`: formats, names of groups, checks, and the hash."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from random import Random

import meshio
import numpy as np
import pytest

import pdedsl
from pdedsl.api import load
from pdedsl.compiler import check_spec
from pdedsl.numerics.simplicial_mesh import REST
from tests.solvers.meshes import channel, cube, l_shape

SPEC = 'pde P\nspace (x, y) in mesh("{file}")\nunknown u(x, y) : scalar\n-Δu = 1\nu = 0 on {place}\n'
GMSH_41 = """$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
2
1 7 "hot side"
2 9 "plate"
$EndPhysicalNames
$Entities
0 2 1 0
1 0 0 0 1 0 0 1 7 0
2 0 0 0 1 1 0 0 0
1 0 0 0 1 1 0 1 9 2 1 2
$EndEntities
$Nodes
2 4 1 4
0 1 0 1
1
0 0 0
2 1 0 3
2
3
4
1 0 0
1 1 0
0 1 0
$EndNodes
$Elements
2 3 1 3
1 1 1 1
1 1 2
2 1 2 2
2 1 2 3
3 1 3 4
$EndElements
"""


def spec_of(folder: Path, file: str, place: str = "boundary") -> pdedsl.Spec:
    path = folder / "problem.pde"
    path.write_text(SPEC.format(file=file, place=place), "utf-8")
    return load(path)


def parts_of(spec: pdedsl.Spec) -> dict[str, int]:
    groups = spec.space.groups
    return {name: len(g.expr.mesh.parts[name]) for name, g in groups.items()}


def test_groups_are_names_of_the_boundary(tmp_path: Path) -> None:
    l_shape(tmp_path / "l.msh", 1)
    spec = spec_of(tmp_path, "l.msh")
    assert parts_of(spec) == {"inlet": 4, "outlet": 2, "walls": 10}
    assert [(str(i.start), str(i.end)) for i in spec.space.intervals] == [("-1", "1"), ("-1", "1")]


def test_gmsh_41(tmp_path: Path) -> None:
    """Groups of entities; characters that are not allowed in names become underscores; other facets are unnamed."""
    (tmp_path / "square.msh").write_text(GMSH_41, "utf-8")
    assert parts_of(spec_of(tmp_path, "square.msh")) == {"hot_side": 1, REST: 3}
    mesh = spec_of(tmp_path, "square.msh").space.groups["hot_side"].expr.mesh
    same = meshio.read(tmp_path / "square.msh")
    assert np.array_equal(np.array(mesh.points), same.points[:, :2])
    assert np.array_equal(np.array(mesh.cells), same.cells_dict["triangle"])


@pytest.mark.parametrize("name", ["binary.msh", "mesh.vtu", "mesh.inp"])
def test_other_formats_by_meshio(tmp_path: Path, name: str) -> None:
    channel(tmp_path / "channel.msh", 2)
    content = meshio.read(tmp_path / "channel.msh")
    if name.endswith("inp"):
        content = meshio.Mesh(content.points, [("triangle", content.cells_dict["triangle"])])
    meshio.write(tmp_path / name, content, **({"file_format": "gmsh22"} if name.endswith("msh") else {}))
    plain = spec_of(tmp_path, "channel.msh").space.inequalities[0].expr.mesh
    other = spec_of(tmp_path, name).space.inequalities[0].expr.mesh
    assert (other.points, other.cells) == (plain.points, plain.cells)
    assert sum(map(len, other.parts.values())) == sum(map(len, plain.parts.values()))
    if name.endswith("msh"):
        assert other.parts == plain.parts


def test_hash_is_that_of_the_content(tmp_path: Path) -> None:
    l_shape(tmp_path / "a.msh", 1)
    l_shape(tmp_path / "b.msh", 1)
    l_shape(tmp_path / "finer.msh", 2)
    assert spec_of(tmp_path, "a.msh").hash == spec_of(tmp_path, "b.msh").hash
    assert spec_of(tmp_path, "a.msh").hash != spec_of(tmp_path, "finer.msh").hash
    assert spec_of(tmp_path, "a.msh", "inlet, outlet, walls").hash == spec_of(tmp_path, "a.msh").hash


def test_checking_imports_no_numerical_library(tmp_path: Path) -> None:
    l_shape(tmp_path / "l.msh", 1)
    spec_of(tmp_path, "l.msh")
    code = (
        "import sys; from pdedsl.compiler import check; from pdedsl.sources import source_of\n"
        "assert not check(source_of('problem.pde')).errors\n"
        "print([m for m in ('numpy', 'scipy', 'meshio', 'skfem', 'torch') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert result.stdout.strip() == "[]"


# ---- Errors


def error_of(folder: Path, file: str, place: str = "boundary") -> str:
    with pytest.raises(pdedsl.PdeError) as caught:
        spec_of(folder, file, place)
    return str(caught.value)


def test_a_wrong_group_has_the_nearest_name(tmp_path: Path) -> None:
    l_shape(tmp_path / "l.msh", 1)
    text = error_of(tmp_path, "l.msh", "wals, inlet, outlet")
    assert "unknown boundary face 'wals'" in text
    assert "did you mean 'walls'" in text
    assert "available: boundary, inlet, outlet, walls" in error_of(tmp_path, "l.msh", "left")
    assert "conditions on curves are not supported on a mesh" in error_of(tmp_path, "l.msh", "x = 0")


def test_a_missing_condition_names_the_group(tmp_path: Path) -> None:
    l_shape(tmp_path / "l.msh", 1)
    assert "outlet" in error_of(tmp_path, "l.msh", "inlet, walls")


def test_missing_file(tmp_path: Path) -> None:
    text = error_of(tmp_path, "none.msh")
    assert "error[E317]: there is no mesh 'none.msh'" in text
    assert "paths are relative to the folder of the spec" in text


def test_dimension(tmp_path: Path) -> None:
    cube(tmp_path / "cube.msh")
    text = error_of(tmp_path, "cube.msh")
    assert "the mesh 'cube.msh' has tetrahedra" in text
    assert "write space (x, y, z) in" in text


def changed(lines: str, new: str) -> str:
    assert lines in GMSH_41
    return GMSH_41.replace(lines, new)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "cannot be read by meshio"),
        (changed("1 1 0\n0 1 0\n$EndNodes", ""), "is damaged: a section is incomplete"),
        (changed("4.1 0 8", "3.0 0 8"), "has Gmsh's format 3.0"),
        (changed("2 1 2 2\n2 1 2 3\n3 1 3 4", "2 1 3 1\n2 1 2 3 4"), "has cells of type quad"),
        (changed("2 1 2 2\n2 1 2 3\n3 1 3 4", "2 1 2 1\n2 1 2 3"), "has 1 node outside of its cells"),
        (changed("1 1 0\n0 1 0\n$End", "0.5 0 0\n0 1 0\n$End"), "has a cell without volume, with the nodes 1, 2, 3"),
        (changed("1 1 0\n0 1 0\n$End", "1 1 0\n0 1 2\n$End"), "is a surface"),
        (changed("1 1 1 1\n1 1 2\n2 1 2 2", "1 1 1 1\n1 2 4\n2 1 2 2"), "a facet of 'hot_side' that belongs to no"),
        (changed("2 1 2 2\n2 1 2 3\n3 1 3 4", ""), "is damaged"),
    ],
)  # fmt: skip
def test_damaged_files(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "damaged.msh").write_text(content, "utf-8")
    assert message in error_of(tmp_path, "damaged.msh")


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ("(x, y) in mesh", "expected a space"),
        ("(x, y) in mesh(3)", "a mesh is given by the name of its file"),
        ('(x, y) in mesh("l.msh") where x < 0', "the domain of a mesh cannot be restricted"),
        ('x in mesh("l.msh")', "a mesh has two or three coordinates, not 1"),
        ('(x, y) in mesh("l.msh") periodic', "only an interval can be periodic"),
    ],
)
def test_invalid_spaces(tmp_path: Path, space: str, message: str) -> None:
    l_shape(tmp_path / "l.msh", 1)
    (tmp_path / "problem.pde").write_text(f"pde P\nspace {space}\nunknown u(x, y) : scalar\nΔu = 1\n", "utf-8")
    with pytest.raises(pdedsl.PdeError, match=message.replace("(", r"\(")):
        load(tmp_path / "problem.pde")


@pytest.mark.parametrize(
    ("condition", "violated"),
    [
        ("∂u/∂n = 2x + y on outlet", False),
        ("n·∇u + u = n·[2x + y, x] + x² + x y on outlet, walls", False),
        ("∂u/∂n = 2x on outlet", True),
        ("∂u/∂n = -2x - y on outlet", True),  # the inner normal
        ("∂u/∂n = 2x + y on walls", True),
    ],
)
def test_exact_solution_on_a_part_of_the_boundary(tmp_path: Path, condition: str, violated: bool) -> None:
    """u = x² + x y; the outer normal is that of the facets."""
    l_shape(tmp_path / "l.msh")
    rest = ", ".join(g for g in ("inlet", "outlet", "walls") if g not in condition)
    (tmp_path / "p.pde").write_text(
        'pde P\nspace (x, y) in mesh("l.msh")\nunknown u(x, y) : scalar\n-Δu = -2\n'
        f"{condition}\nu = x² + x y on {rest}\nexact u = x² + x y\n"
    )
    errors = check_spec(load(tmp_path / "p.pde")).errors
    assert [d.code for d in errors] == ["E443"] * violated


@pytest.mark.parametrize("mesh", [l_shape, cube])
def test_outer_normal(tmp_path: Path, mesh: Callable[[Path], Path]) -> None:
    """It is a unit vector, leaves the domain, and is not defined in the interior."""
    mesh(tmp_path / "m.msh")
    names = "x, y" if mesh is l_shape else "x, y, z"
    text = f'pde P\nspace ({names}) in mesh("m.msh")\nunknown u({names}) : scalar\n-Δu = 1\nu = 0 on boundary\n'
    (tmp_path / "p.pde").write_text(text)
    domain = next(iter(load(tmp_path / "p.pde").space.groups.values())).expr.mesh
    for part in load(tmp_path / "p.pde").space.groups:
        for point in islice(domain.boundary_points(part, Random(0)), 20):
            normal = domain.normal(point)
            assert math.hypot(*normal) == pytest.approx(1)
            outside, inside = ([x + s * n for x, n in zip(point, normal, strict=True)] for s in (1e-6, -1e-6))
            assert (domain.side(outside), domain.side(inside)) == (-1, 1)
    assert all(map(math.isnan, domain.normal(next(domain.interior_points(Random(0))))))
