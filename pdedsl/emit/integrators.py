"""A method with its arguments → an integrator of the runtime."""

from __future__ import annotations

from sympy import Expr

from pdedsl.emit.names import RUNTIME, number, whole
from pdedsl.emit.program import Call, Node
from pdedsl.ir.spec import Setting

FIXED = {"euler": "Euler", "heun": "Heun", "rk4": "RK4"}
LEAN = ("dopri5", "bosh3", "adaptive_heun")  # with a tableau of our own; the others are those of torchdiffeq


def integrator_node(method: Setting) -> Node:
    if method.name in FIXED:
        return Call(f"{RUNTIME}.integrators.{FIXED[method.name]}")
    if method.name == "backward_euler":
        return Call(f"{RUNTIME}.integrators.BackwardEuler", (whole(method, "terms"),))
    name: tuple[str, Node] = ("method", method.name)
    tolerances: list[tuple[str, Node]] = [(key, _real(method, key)) for key in ("rtol", "atol")]
    control: tuple[str, Node] = ("control", str(method["norm"]))
    if method.name in LEAN and not method["adjoint"]:
        return Call(f"{RUNTIME}.adaptive.Adaptive", (), (*tolerances, name, control))
    adjoint: tuple[str, Node] = ("adjoint", bool(method["adjoint"]))
    return Call(f"{RUNTIME}.torchdiffeq_solver.Torchdiffeq", (), (name, *tolerances, adjoint, control))


def _real(method: Setting, key: str) -> float:
    value = method[key]
    assert isinstance(value, Expr)
    return number(value)
