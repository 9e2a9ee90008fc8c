"""A method with its arguments → an integrator of the runtime."""

from __future__ import annotations

from typing import assert_never

from pdedsl.emit.names import RUNTIME
from pdedsl.emit.program import Call, Node
from pdedsl.words.integrators import Adaptive, BackwardEuler, Fixed, Integrator, Leapfrog, Start, Verlet


def integrator_node(method: Integrator) -> Node:
    match method:
        case Fixed(method=record):
            return Call(f"{RUNTIME}.integrators.{record.label}")
        case BackwardEuler(terms=terms):
            return Call(f"{RUNTIME}.integrators.BackwardEuler", (terms,))
        case Leapfrog(start=start):
            return Call(f"{RUNTIME}.integrators.Leapfrog", ("papers" if start is Start.PAPER else "consistent",))
        case Verlet():
            return Call(f"{RUNTIME}.integrators.Verlet")
        case Adaptive():
            return _adaptive(method)
        case _:
            assert_never(method)


def _adaptive(method: Adaptive) -> Node:
    name: tuple[str, Node] = ("method", method.name)
    tolerances: tuple[tuple[str, Node], ...] = (("rtol", float(method.rtol)), ("atol", float(method.atol)))
    control: tuple[str, Node] = ("control", method.norm.value)
    if method.method.rows and not method.adjoint:
        return Call(f"{RUNTIME}.adaptive.Adaptive", (), (*tolerances, name, control))
    adjoint: tuple[str, Node] = ("adjoint", method.adjoint)
    return Call(f"{RUNTIME}.torchdiffeq_solver.Torchdiffeq", (), (name, *tolerances, adjoint, control))
