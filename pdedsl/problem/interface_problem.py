"""∂u/∂t = Σ ∂ᵢ(aᵢ ∂ᵢu) + Σ bᵢ ∂ᵢu + s(u, x, t), or 0 = …, for one unknown: conductivities may jump.

As ∂ᵢ(aᵢ ∂ᵢu) = aᵢ ∂ᵢ²u + (∂ᵢaᵢ) ∂ᵢu, the coefficient of ∂ᵢu minus ∂ᵢaᵢ must not contain the derivative of a jump.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Abs, DiracDelta, Expr, Heaviside, Max, Min, S, sign, simplify

from pdedsl.ir.problem import Derivative
from pdedsl.problem.first_order_system import FaceCondition, FirstOrderSystem, GridNotApplicable

NONSMOOTH = (Abs, DiracDelta, Heaviside, Max, Min, sign)


@dataclass(frozen=True)
class RobinFace:
    """value · u + slope · ∂u/∂xᵢ + rest = 0 on a side normal to axis i."""

    side: FaceCondition
    value: Expr
    slope: Expr
    rest: Expr


@dataclass(frozen=True)
class InterfaceProblem:
    """Conductivities and drifts, one for each axis, the source, and the sides."""

    conductivities: tuple[Expr, ...]
    drifts: tuple[Expr, ...]
    source: Expr
    walls: tuple[RobinFace, ...]


def has_discontinuous_diffusion(system: FirstOrderSystem) -> bool:
    """Whether a coefficient of a second derivative has jumps or kinks."""
    second = [s for s, d in system.jets if d.order == 2]
    return any(r.diff(s).has(*NONSMOOTH) for r in _expressions(system) for s in second)


def _expressions(system: FirstOrderSystem) -> tuple[Expr, ...]:
    return (*system.rhs, *system.constraints)


def interface_problem(system: FirstOrderSystem) -> InterfaceProblem:
    """The parts; raises NoGrid with the reason if it has another form."""
    if len(system.variables) != 1:
        raise GridNotApplicable(
            "its coefficients jump, and it is no equation of the first order in time for one unknown"
        )
    (right,), space = _expressions(system), system.statement.domain.space
    units = [tuple(int(i == k) for i in range(len(space))) for k in range(len(space))]
    first = [_jet_symbol(system, unit) for unit in units]
    second = [_jet_symbol(system, tuple(2 * i for i in unit)) for unit in units]
    known = {s for s in (*first, *second) if s is not None}
    if any(s not in known and d.order for s, d in system.jets_in(right)):
        raise GridNotApplicable("its coefficients jump, and it has mixed derivatives")
    slopes = [S.Zero if s is None else right.diff(s) for s in second]
    if any(a.free_symbols & {*system.jet_derivatives, *_times(system)} for a in slopes):
        raise GridNotApplicable("its coefficients jump, and change with time or with the unknown")
    drifts = [
        simplify((S.Zero if s is None else right.diff(s)) - a.diff(x))
        for s, a, x in zip(first, slopes, space, strict=True)
    ]
    source = right.xreplace(dict.fromkeys(known, S.Zero))
    if any(e.has(DiracDelta) for e in (*drifts, source)):
        raise GridNotApplicable("the derivative of a jump has no value on a grid: write the term as a divergence")
    if any(e.free_symbols & {*system.jet_derivatives, *_times(system)} for e in drifts):
        raise GridNotApplicable("its coefficients jump, and its drift changes with time or with the unknown")
    if any(a == 0 and b != 0 for a, b in zip(slopes, drifts, strict=True)):
        raise GridNotApplicable("its coefficients jump, and along an axis it drifts without diffusion")
    return InterfaceProblem(
        tuple(slopes), tuple(drifts), source, tuple(_robin_coefficients(system, s) for s in system.face_conditions)
    )


def _jet_symbol(system: FirstOrderSystem, orders: tuple[int, ...]) -> Expr | None:
    return next((s for s, d in system.jets if d == Derivative(0, orders)), None)


def _times(system: FirstOrderSystem) -> tuple[Expr, ...]:
    domain = system.statement.domain
    return domain.coordinates[-1:] if domain.has_time else ()


def _robin_coefficients(system: FirstOrderSystem, side: FaceCondition) -> RobinFace:
    axis, jets = side.place.coordinate, system.jets_in(side.expr)
    of = {d.orders: s for s, d in jets}
    unit = tuple(int(i == axis) for i in range(len(system.statement.domain.space)))
    value, slope = (side.expr.diff(of[o]) if o in of else S.Zero for o in ((0,) * len(unit), unit))
    rest = side.expr.xreplace(dict.fromkeys(of.values(), S.Zero))
    if side.part or len(jets) != (value != 0) + (slope != 0):
        raise GridNotApplicable("its coefficients jump, and a side has more than a value and a slope across it")
    if any(e.free_symbols & {*system.jet_derivatives, *_times(system)} for e in (value, slope)):
        raise GridNotApplicable("its coefficients jump, and a side changes with time or with the unknown")
    return RobinFace(side, value, slope, rest)
