"""Meshes from files: `space (x, y) in mesh("bracket.msh")`.

Text files in Gmsh's formats 2.2 and 4.1 are read here, in plain Python, so that checking a spec imports no numerical
library; other formats by meshio. Physical groups are the names of parts of the boundary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from sympy import Rational, Symbol
from sympy.core.symbol import Str

from pdedsl import errors
from pdedsl.diagnostics import PdeError
from pdedsl.ir.spec import Interval, LevelFunction
from pdedsl.language import ast as t
from pdedsl.numerics.simplicial_mesh import Coordinates, InvalidMesh, Simplex, SimplicialMesh
from pdedsl.record import Record
from pdedsl.symbolic.mesh_domain import MeshBoundary, MeshConstant

MAX_CELLS = 200_000  # of a file: sparse factorizations of finer meshes need more than 2 GB
MAX_BYTES = 100 << 20  # of a file: far above the size of meshes with that number of cells
CELLS = {2: "triangles", 3: "tetrahedra"}  # by the dimension of space
DIMENSIONS = {"vertex": 0, "line": 1, "triangle": 2, "tetra": 3}
GMSH_TYPES = {1: "line", 2: "triangle", 4: "tetra", 15: "vertex"}
OTHER_GMSH_TYPES = {3: "quad", 5: "hexahedron", 6: "wedge", 7: "pyramid", 8: "line3", 9: "triangle6", 11: "tetra10"}
STRAIGHT = "mesh the domain with straight triangles or tetrahedra: gmsh -2 -order 1, or gmsh -3 -order 1"


class MeshBlock(Record):
    """Cells or facets of one type and one physical group."""

    kind: str
    group: str | None
    simplices: tuple[Simplex, ...]


class MeshContent(Record):
    """The content of a file: nodes with three coordinates, and blocks of cells and facets by node numbers from 0."""

    points: tuple[Coordinates, ...]
    blocks: tuple[MeshBlock, ...]


# ---- Space


def mesh_levels(call: t.Call, folder: Path, coordinates: Sequence[Symbol]) -> tuple[LevelFunction, ...]:
    """The level functions of the domain, one for each part of its boundary."""
    mesh = _mesh_of(call, folder, len(coordinates))
    constant = MeshConstant(mesh, _file_of(call))
    return tuple(LevelFunction(MeshBoundary(Str(part), constant, *coordinates), call.span) for part in mesh.parts)


def mesh_parts(declaration: t.SpaceDecl, folder: Path) -> tuple[str, ...]:
    """The names of the parts of the boundary; empty if the domain has no mesh, or its file is not valid."""
    match declaration.factors:
        case (t.DomainFactor(body=t.Call(head=t.Name(id="mesh")) as call),):
            with suppress(PdeError):
                return tuple(_mesh_of(call, folder, len(declaration.names)).parts)
    return ()


def mesh_box(call: t.Call, folder: Path, dimension: int) -> tuple[Interval, ...]:
    """The smallest box that contains the mesh."""
    return tuple(
        Interval(Rational(repr(low)), Rational(repr(high))) for low, high in _mesh_of(call, folder, dimension).bounds
    )


def _file_of(call: t.Call) -> str:
    match call.args:
        case (t.String(value=file),) if file and not call.named:
            return file
        case _:
            raise errors.types.invalid_mesh_call(call.span)


def _mesh_of(call: t.Call, folder: Path, dimension: int) -> SimplicialMesh:
    file = _file_of(call)
    path = folder / file
    if dimension not in CELLS:
        raise errors.types.mesh_dimension(dimension, call.span)
    try:
        status = path.stat()
        if not path.is_file():
            raise errors.types.mesh_not_found(file, call.span)
    except OSError:
        raise errors.types.mesh_not_found(file, call.span) from None
    if status.st_size > MAX_BYTES:
        raise errors.types.invalid_mesh(file, f"has more than {MAX_BYTES >> 20} MiB", "use a coarser mesh", call.span)
    try:
        return _read_mesh(path.absolute(), status.st_mtime_ns, dimension)
    except InvalidMesh as invalid:
        raise errors.types.invalid_mesh(file, str(invalid), invalid.remedy, call.span) from None
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise errors.types.invalid_mesh(file, reason, "check the permissions of the file", call.span) from None


@lru_cache(maxsize=4)  # while a spec is edited, its mesh stays the same
def _read_mesh(path: Path, modified: int, dimension: int) -> SimplicialMesh:
    data = path.read_bytes()
    is_text = data.startswith(b"$MeshFormat") and b"\0" not in data[:200]
    content = _gmsh_content(data) if is_text else _meshio_content(path)
    return _simplicial(content, dimension, sha256(data).hexdigest())


def _simplicial(content: MeshContent, dimension: int, digest: str) -> SimplicialMesh:
    """The mesh of a content, with its checks: type and dimension of the cells, and their number."""
    highest = max((DIMENSIONS[b.kind] for b in content.blocks if b.simplices), default=0)
    if highest not in CELLS:
        raise InvalidMesh("has neither triangles nor tetrahedra", STRAIGHT)
    if highest != dimension:
        names = ("x, y", "x, y, z")[highest - 2]
        raise InvalidMesh(f"has {CELLS[highest]}", f"write space ({names}) in …")
    if dimension == 2 and any(p[2] != content.points[0][2] for p in content.points):
        raise InvalidMesh("is a surface: its nodes have different third coordinates", "surfaces are not supported")
    cells = [c for b in content.blocks if DIMENSIONS[b.kind] == dimension for c in b.simplices]
    if len(cells) > MAX_CELLS:
        raise InvalidMesh(f"has {len(cells):,} cells, more than {MAX_CELLS:,}", "use a coarser mesh: it is refined")
    groups: dict[str, list[Simplex]] = {}
    for block in content.blocks:
        if DIMENSIONS[block.kind] == dimension - 1 and block.group is not None:
            groups.setdefault(block.group, []).extend(block.simplices)
    return SimplicialMesh(digest, [p[:dimension] for p in content.points], cells, groups)


def _group_name(name: str | None, number: int) -> str | None:
    """The name of a group as a word of the language; groups without a name are called by their number."""
    if name is None:
        return f"group{number}" if number else None
    return re.sub(r"\W", "_", name)


# ---- Gmsh


def _gmsh_content(data: bytes) -> MeshContent:
    sections = _sections(data)
    version = sections["MeshFormat"][0].split()
    if version[1] != "0":
        raise InvalidMesh("is a binary file that does not say so", "save it again")
    try:
        if version[0].startswith("2"):
            return _gmsh_2(sections)
        if version[0] == "4.1":
            return _gmsh_4(sections)
    except (ValueError, IndexError, KeyError, StopIteration) as error:
        if isinstance(error, InvalidMesh):
            raise
        raise InvalidMesh("is damaged: a section is incomplete", "save it again in Gmsh's format 4.1 or 2.2") from None
    raise InvalidMesh(f"has Gmsh's format {version[0]}", "save it in format 4.1 or 2.2: gmsh -format msh41")


def _sections(data: bytes) -> dict[str, list[str]]:
    """The lines between `$Name` and `$EndName`, by name."""
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in data.decode("utf-8", "replace").splitlines():
        if line.startswith("$End"):
            current = []
        elif line.startswith("$"):
            current = sections.setdefault(line[1:].strip(), [])
        else:
            current.append(line)
    return sections


def _physical_names(sections: Mapping[str, list[str]]) -> dict[tuple[int, int], str]:
    names = {}
    for line in sections.get("PhysicalNames", [])[1:]:
        dimension, number, name = line.split(maxsplit=2)
        names[int(dimension), int(number)] = name.strip().strip('"')
    return names


def _blocks(
    elements: Iterator[tuple[int, int, list[int]]], names: Mapping[tuple[int, int], str], numbers: Mapping[int, int]
) -> tuple[MeshBlock, ...]:
    """The blocks of elements (type, physical group, nodes)."""
    by_group: dict[tuple[str, str | None], list[Simplex]] = {}
    for kind, group, nodes in elements:
        if kind not in GMSH_TYPES:
            other = OTHER_GMSH_TYPES.get(kind, f"type {kind}")
            raise InvalidMesh(f"has cells of type {other}", STRAIGHT)
        word = GMSH_TYPES[kind]
        name = _group_name(names.get((DIMENSIONS[word], group)), group)
        by_group.setdefault((word, name), []).append(tuple(numbers[n] for n in nodes))
    return tuple(MeshBlock(kind, group, tuple(simplices)) for (kind, group), simplices in by_group.items())


def _gmsh_2(sections: Mapping[str, list[str]]) -> MeshContent:
    rows = [line.split() for line in sections["Nodes"][1:]]
    numbers = {int(row[0]): k for k, row in enumerate(rows)}
    points = tuple((float(x), float(y), float(z)) for _, x, y, z in rows)

    def elements() -> Iterator[tuple[int, int, list[int]]]:
        for line in sections["Elements"][1:]:
            _, kind, tags, *rest = map(int, line.split())
            yield kind, rest[0] if tags else 0, rest[tags:]

    return MeshContent(points, _blocks(elements(), _physical_names(sections), numbers))


def _gmsh_4(sections: Mapping[str, list[str]]) -> MeshContent:
    group_of = dict(_entity_groups(sections.get("Entities", [])))
    numbers: dict[int, int] = {}
    points: list[Coordinates] = []
    lines = iter(sections["Nodes"][1:])
    for header in lines:
        count = int(header.split()[3])
        for tag in [next(lines) for _ in range(count)]:
            numbers[int(tag)] = len(numbers)
        for _ in range(count):
            x, y, z = map(float, next(lines).split()[:3])
            points.append((x, y, z))

    def elements() -> Iterator[tuple[int, int, list[int]]]:
        rows = iter(sections["Elements"][1:])
        for header in rows:
            dimension, entity, kind, count = map(int, header.split())
            for _ in range(count):
                yield kind, group_of.get((dimension, entity), 0), [int(n) for n in next(rows).split()[1:]]

    return MeshContent(tuple(points), _blocks(elements(), _physical_names(sections), numbers))


def _entity_groups(lines: Sequence[str]) -> Iterator[tuple[tuple[int, int], int]]:
    """The first physical group of every geometric entity, (dimension, tag)."""
    if not lines:
        return
    counts = list(map(int, lines[0].split()))
    dimensions = [k for k, count in enumerate(counts) for _ in range(count)]
    for dimension, line in zip(dimensions, lines[1:], strict=False):
        row = line.split()
        at = 7 if dimension else 4  # after the tag and the bounding box, or the coordinates of a point
        if int(row[at]):
            yield (dimension, int(row[0])), abs(int(row[at + 1]))


# ---- Other formats


def _meshio_content(path: Path) -> MeshContent:
    import meshio

    mesh: Any = None
    with suppress(Exception, SystemExit):  # readers of damaged files fail in many ways
        mesh = meshio.read(path)
    if mesh is None:
        raise InvalidMesh("cannot be read by meshio", "save it in Gmsh's format: gmsh -format msh41, or meshio convert")
    points = tuple(tuple(map(float, (*p, 0.0, 0.0)))[:3] for p in mesh.points.tolist())
    names = {(int(d), int(n)): name for name, (n, d) in mesh.field_data.items()}
    tags = mesh.cell_data.get("gmsh:physical") or [None] * len(mesh.cells)
    blocks = []
    for k, (block, own) in enumerate(zip(mesh.cells, tags, strict=True)):
        if block.type not in DIMENSIONS:
            raise InvalidMesh(f"has cells of type {block.type}", STRAIGHT)
        simplices, dimension = [tuple(s) for s in block.data.tolist()], DIMENSIONS[block.type]
        groups: list[str | None] = [None] * len(simplices)
        if own is not None:
            groups = [_group_name(names.get((dimension, int(n))), int(n)) for n in own]
        for name, members in mesh.cell_sets.items():
            if not name.startswith("gmsh:"):
                for j in members[k] if members[k] is not None else ():
                    groups[int(j)] = _group_name(name, 0)
        by_group: dict[str | None, list[Simplex]] = {}
        for group, simplex in zip(groups, simplices, strict=True):
            by_group.setdefault(group, []).append(simplex)
        blocks += [MeshBlock(block.type, group, tuple(own)) for group, own in by_group.items()]
    return MeshContent(points, tuple(blocks))
