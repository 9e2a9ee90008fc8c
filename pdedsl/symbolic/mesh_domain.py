"""The level functions of a domain with a mesh: opaque functions of the coordinates, one for each part of the boundary.

Each is 1 in the interior, 0 on the boundary and -1 outside; the outer normal is a function on its part of the boundary.
"""

from __future__ import annotations

from typing import Any

from sympy import Atom, Expr, Integer
from sympy.core.symbol import Str

from pdedsl.numerics.simplicial_mesh import SimplicialMesh
from pdedsl.symbolic.symbols import RealExpr


class MeshConstant(Atom):  # type: ignore[misc]
    """A mesh as a constant in expressions; `file` is its name in messages."""

    __slots__ = ("file", "mesh")

    def __new__(cls, mesh: SimplicialMesh, file: str) -> MeshConstant:
        obj = super().__new__(cls)
        obj.mesh, obj.file = mesh, file
        return obj  # type: ignore[no-any-return]

    def _hashable_content(self) -> tuple[str]:
        return (self.mesh.digest,)

    def __getnewargs__(self) -> tuple[SimplicialMesh, str]:
        return self.mesh, self.file

    def sort_key(self, order: Any = None) -> Any:
        return self.class_key(), (1, (self.mesh.digest,)), Integer(1).sort_key(), Integer(1)

    def _sympystr(self, printer: Any) -> str:
        return str(self.mesh.digest[:16])


class MeshBoundary(RealExpr):
    """The level function of a part of the boundary: MeshBoundary(part, mesh, x, y)."""

    def __new__(cls, part: Str, mesh: MeshConstant, *coordinates: Expr) -> MeshBoundary:
        return super().__new__(cls, part, mesh, *coordinates)  # type: ignore[no-any-return]

    part = property(lambda self: str(self.args[0].name))
    mesh = property(lambda self: self.args[1].mesh)
    file = property(lambda self: self.args[1].file)
    coordinates = property(lambda self: self.args[2:])

    @property
    def normal(self) -> tuple[MeshNormal, ...]:
        """The outer normal."""
        return tuple(MeshNormal(Integer(k), *self.args) for k in range(len(self.coordinates)))

    def _sympystr(self, printer: Any) -> str:
        return str(self.part)


class MeshNormal(RealExpr):
    """A component of the outer normal on a part of the boundary: MeshNormal(k, part, mesh, x, y)."""

    def __new__(cls, axis: Integer, part: Str, mesh: MeshConstant, *coordinates: Expr) -> MeshNormal:
        return super().__new__(cls, axis, part, mesh, *coordinates)  # type: ignore[no-any-return]

    axis = property(lambda self: int(self.args[0]))
    part = property(lambda self: str(self.args[1].name))
    mesh = property(lambda self: self.args[2].mesh)
    coordinates = property(lambda self: self.args[3:])

    def _sympystr(self, printer: Any) -> str:
        return f"n_{self.coordinates[self.axis]}"
