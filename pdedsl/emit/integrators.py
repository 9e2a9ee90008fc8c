"""A method with its arguments → an integrator of the runtime."""

from __future__ import annotations

from sympy import Expr

from pdedsl.emit.names import RUNTIME, number, whole
from pdedsl.emit.program import Call, Node
from pdedsl.ir.spec import Setting
from pdedsl.numerics.integrators import ADAPTIVE, EXPLICIT


def integrator_node(method: Setting) -> Node:
    if method.name in EXPLICIT:
        return Call(f"{RUNTIME}.integrators.{EXPLICIT[method.name].label}")
    if method.name == "backward_euler":
        return Call(f"{RUNTIME}.integrators.BackwardEuler", (whole(method, "terms"),))
    name: tuple[str, Node] = ("method", method.name)
    tolerances: list[tuple[str, Node]] = [(key, _real(method, key)) for key in ("rtol", "atol")]
    control: tuple[str, Node] = ("control", str(method["norm"]))
    if ADAPTIVE[method.name].rows and not method["adjoint"]:
        return Call(f"{RUNTIME}.adaptive.Adaptive", (), (*tolerances, name, control))
    adjoint: tuple[str, Node] = ("adjoint", bool(method["adjoint"]))
    return Call(f"{RUNTIME}.torchdiffeq_solver.Torchdiffeq", (), (name, *tolerances, adjoint, control))


def _real(method: Setting, key: str) -> float:
    value = method[key]
    assert isinstance(value, Expr)
    return number(value)
