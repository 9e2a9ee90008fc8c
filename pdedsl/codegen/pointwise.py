"""sympy → functions of tensors, with common subexpressions evaluated once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import torch
from sympy import Expr, Symbol, cse, default_sort_key, numbered_symbols
from torch import Tensor

from pdedsl.codegen.expressions import expression_node
from pdedsl.codegen.program import (
    Evaluator,
    Node,
    Program,
    Ref,
    compile_node,
)
from pdedsl.numerics.simplicial_mesh import SimplicialMesh
from pdedsl.record import Record
from pdedsl.runtime.basis.mesh_boundary import MeshDomain
from pdedsl.symbolic.mesh_domain import MeshBoundary, MeshNormal

EMPTY_PROGRAM = Program("", ())


class PointwiseFunction(Record):
    """The values of expressions at tensors that stand for the symbols, all of one shape after broadcasting."""

    symbols: tuple[Symbol, ...]
    shared: tuple[tuple[str, Evaluator], ...]
    results: tuple[Evaluator, ...]

    def __call__(self, *values: Tensor) -> tuple[Tensor, ...]:
        scope = dict(zip(self._names, values, strict=True))
        scope["x"] = like = values[0]
        for name, value in self.shared:
            scope[name] = value(scope)
        shape = like.shape
        if len(values) > 1 and any(v.shape != shape for v in values):
            shape = torch.broadcast_tensors(*values)[0].shape  # type: ignore[no-untyped-call]
        return tuple([_broadcast(r(scope), like, shape) for r in self.results])

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(s.name for s in self.symbols)


def _broadcast(value: Tensor | float, like: Tensor, shape: torch.Size) -> Tensor:
    if not isinstance(value, Tensor):
        return torch.tensor(value, dtype=like.dtype, device=like.device).expand(shape)
    converted = value if value.dtype == like.dtype and value.device == like.device else value.to(like)
    return converted if converted.shape == shape else converted.expand(shape)


def compile_pointwise(exprs: Sequence[Expr], symbols: Sequence[Symbol]) -> PointwiseFunction:
    """Needs at least one symbol; planning has made sure that torch has every function in the expressions."""
    inputs = [Symbol(f"a{k}", real=True) for k in range(len(symbols))]
    renamed = [e.xreplace(dict(zip(symbols, inputs, strict=True))) for e in exprs]
    on_mesh = {e: Symbol(f"m{k}", real=True) for k, e in enumerate(_mesh_functions(renamed))}
    renamed = [e.xreplace(on_mesh) for e in renamed]
    shared, results = cse(renamed, symbols=numbered_symbols("s", real=True), order="none")

    def of(expr: Expr) -> Evaluator:
        return compile_node(expression_node(expr, _leaf), EMPTY_PROGRAM)

    common = [*((s.name, _mesh_evaluator(e)) for e, s in on_mesh.items()), *((s.name, of(e)) for s, e in shared)]
    return PointwiseFunction(tuple(inputs), tuple(common), tuple(map(of, results)))


def _mesh_functions(exprs: Sequence[Expr]) -> list[MeshBoundary | MeshNormal]:
    functions = {f for e in exprs for f in e.atoms(MeshBoundary, MeshNormal)}
    return sorted(functions, key=default_sort_key)


def _mesh_evaluator(function: MeshBoundary | MeshNormal) -> Evaluator:
    """Level functions and normals of a mesh; their coordinates are symbols."""
    domain = _mesh_domain(function.mesh, function.part)
    names = [x.name for x in function.coordinates]

    def evaluate(scope: Mapping[str, Any]) -> Tensor:
        columns = torch.broadcast_tensors(*(scope[n] for n in names))  # type: ignore[no-untyped-call]
        points = torch.stack(columns, -1).reshape(-1, len(names))
        is_normal = isinstance(function, MeshNormal)
        values = domain.normals(points)[:, function.axis] if is_normal else domain.side(points)
        return values.reshape(columns[0].shape)

    return evaluate


@lru_cache(maxsize=16)
def _mesh_domain(mesh: SimplicialMesh, part: str) -> MeshDomain:
    return MeshDomain(mesh.points, mesh.cells, mesh.facets_of(part))


def _leaf(expr: Expr) -> Node | None:
    return Ref(expr.name) if isinstance(expr, Symbol) else None
