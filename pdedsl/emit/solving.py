"""SolvePlan → the functions of the written module: the network of the unknowns, and what it must satisfy."""

from __future__ import annotations

from pdedsl.emit.names import RUNTIME
from pdedsl.emit.program import Call, Function, Node
from pdedsl.emit.residuals import residual_functions
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.spec import Spec
from pdedsl.words.networks import Mlp

DEFAULT = Mlp(width=20, depth=4)


def solve_functions(plan: SolvePlan, spec: Spec) -> tuple[Function, ...]:
    return (_model(plan), *residual_functions(plan.statement, spec))


def _model(plan: SolvePlan) -> Function:
    statement = plan.statement
    unknowns = ", ".join(c.name for c in statement.components)
    coordinates = ", ".join(x.name for x in statement.domain.coordinates)
    doc = f"{unknowns} at points (n, {len(statement.domain.coordinates)}) of {coordinates}, before any training."
    return Function("model", (("seed", 0),), doc, (), _network(plan))


def _network(plan: SolvePlan) -> Node:
    chosen = plan.network or DEFAULT
    sizes = (len(plan.statement.domain.coordinates), chosen.width, chosen.depth)
    named = (("activation", chosen.activation.name), ("outputs", len(plan.statement.components)))
    return Call(f"{RUNTIME}.backbones.vector_field", sizes, named)
