"""SolvePlan → the functions of the written module: the network of the unknowns, and what it must satisfy."""

from __future__ import annotations

from itertools import groupby

from pdedsl.emit.names import RUNTIME
from pdedsl.emit.program import Call, Function, Items, Lambda, Node, Op, Ref
from pdedsl.emit.residuals import of_points, residual_functions
from pdedsl.ir.plan import Built, SolvePlan
from pdedsl.ir.spec import Interval, Spec

SHOWN = 3  # sides that are written one by one
POINTS = Ref("points")


def solve_functions(plan: SolvePlan, spec: Spec) -> tuple[Function, ...]:
    return (_model(plan), *_parts(plan), *residual_functions(plan.statement, spec))


def _model(plan: SolvePlan) -> Function:
    statement = plan.statement
    unknowns = ", ".join(c.name for c in statement.components)
    coordinates = ", ".join(x.name for x in statement.domain.coordinates)
    doc = f"{unknowns} at points (n, {len(statement.domain.coordinates)}) of {coordinates}, before any training."
    network = _network(plan)
    if _is_built(plan.built):
        own = (_function("base"), _function("factor"))
        network = Call(f"{RUNTIME}.built_in.BuiltIn", (network, *own))
    return Function("model", (("seed", 0),), doc, (), network)


def _is_built(built: Built) -> bool:
    return any(base != 0 or factor != 1 for base, factor in built.parts)


def _function(name: str) -> Node:
    return Lambda(("points",), Call(name, named=(("points", POINTS),)))


def _network(plan: SolvePlan) -> Node:
    chosen, domain = plan.network, plan.statement.domain
    named: list[tuple[str, Node]] = [
        ("width", chosen.width),
        ("depth", chosen.depth),
        ("outputs", len(plan.statement.components)),
        ("activation", chosen.activation.name),
        ("seed", Ref("seed")),
    ]
    if plan.built.mirror is not None:
        axis, signs = plan.built.mirror
        named.append(("mirror", Items((axis, Items(signs)))))
    return Call(f"{RUNTIME}.jets.JetNetwork.on_box", (_sides(domain.intervals),), tuple(named))


def _sides(intervals: tuple[Interval, ...]) -> Node:
    """The sides, listed one by one, or runs of equal sides as [side] * n."""
    every = [Items((float(i.start), float(i.end), i.periodic)) for i in intervals]
    if len(every) <= SHOWN:
        return Items(tuple(every), square=True)
    runs = [(side, len(list(same))) for side, same in groupby(every)]
    parts = tuple(Op("*", (Items((side,), square=True), count)) for side, count in runs)
    return Op("+", parts) if len(parts) > 1 else parts[0]


def _parts(plan: SolvePlan) -> tuple[Function, ...]:
    """The functions `base` and `factor`, if the conditions are built into the model."""
    if not _is_built(plan.built):
        return ()
    (bases, factors), statement = zip(*plan.built.parts, strict=True), plan.statement
    return (
        of_points("base", "Satisfies the conditions that are built in.", bases, statement),
        of_points(
            "factor", "Vanishes where they hold: base + factor N satisfies them for every N.", factors, plan.statement
        ),
    )
