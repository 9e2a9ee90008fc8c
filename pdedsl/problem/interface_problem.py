"""Interface problem ∂u/∂t = Σ ∂ᵢ(aᵢ ∂ᵢu) + Σ bᵢ ∂ᵢu + s(u, x, t), or 0 = …, with discontinuous conductivities aᵢ.

As ∂ᵢ(aᵢ ∂ᵢu) = aᵢ ∂ᵢ²u + (∂ᵢaᵢ) ∂ᵢu, the coefficient of ∂ᵢu minus ∂ᵢaᵢ must not contain a Dirac delta.
"""

from __future__ import annotations

from sympy import Abs, DiracDelta, Expr, Heaviside, Max, Min, S, sign, simplify

from pdedsl.ir.boundary import Dirichlet, General, Robin
from pdedsl.ir.first_order_system import FaceCondition, FirstOrderSystem
from pdedsl.ir.residual import Derivative
from pdedsl.ir.solver_plans import InterfaceProblem, RobinFace
from pdedsl.problem.first_order_system import GridNotApplicable, require_on_grid
from pdedsl.problem.supported_conditions import MethodFamily

NONSMOOTH = (Abs, DiracDelta, Heaviside, Max, Min, sign)


def has_discontinuous_diffusion(system: FirstOrderSystem) -> bool:
    """Whether a coefficient of a second derivative is discontinuous or not differentiable."""
    second = [s for s, d in system.jets if d.order == 2]
    return any(r.diff(s).has(*NONSMOOTH) for r in _expressions(system) for s in second)


def _expressions(system: FirstOrderSystem) -> tuple[Expr, ...]:
    return (*system.rhs, *system.constraints)


def interface_problem(system: FirstOrderSystem) -> InterfaceProblem:
    """The coefficients; raises GridNotApplicable with the reason if the equation has another form."""
    if len(system.variables) != 1:
        raise GridNotApplicable("discontinuous coefficients need a single equation of first order in time")
    (right,), space = _expressions(system), system.statement.domain.space
    units = [tuple(int(i == k) for i in range(len(space))) for k in range(len(space))]
    first = [_jet_symbol(system, unit) for unit in units]
    second = [_jet_symbol(system, tuple(2 * i for i in unit)) for unit in units]
    derivatives = {s for s in (*first, *second) if s is not None}
    if any(s not in derivatives and d.order for s, d in system.jets_in(right)):
        raise GridNotApplicable("mixed derivatives with discontinuous coefficients are not supported")
    conductivities = [S.Zero if s is None else right.diff(s) for s in second]
    if any(a.free_symbols & {*system.jet_derivatives, *_times(system)} for a in conductivities):
        raise GridNotApplicable("discontinuous coefficients that depend on time or on the unknown are not supported")
    drifts = [
        simplify((S.Zero if s is None else right.diff(s)) - a.diff(x))
        for s, a, x in zip(first, conductivities, space, strict=True)
    ]
    source = right.xreplace(dict.fromkeys(derivatives, S.Zero))
    if any(e.has(DiracDelta) for e in (*drifts, source)):
        raise GridNotApplicable(
            "the derivative of a discontinuity is not defined on a grid: write the term as a divergence"
        )
    if any(e.free_symbols & {*system.jet_derivatives, *_times(system)} for e in drifts):
        raise GridNotApplicable("with discontinuous coefficients a drift must not depend on time or on the unknown")
    if any(a == 0 and b != 0 for a, b in zip(conductivities, drifts, strict=True)):
        raise GridNotApplicable("with discontinuous coefficients an axis with drift needs diffusion")
    return InterfaceProblem(
        tuple(conductivities),
        tuple(drifts),
        source,
        tuple(_robin_coefficients(system, s) for s in system.face_conditions),
    )


def _jet_symbol(system: FirstOrderSystem, orders: tuple[int, ...]) -> Expr | None:
    return next((s for s, d in system.jets if d == Derivative(0, orders)), None)


def _times(system: FirstOrderSystem) -> tuple[Expr, ...]:
    domain = system.statement.domain
    return domain.coordinates[-1:] if domain.has_time else ()


def _robin_coefficients(system: FirstOrderSystem, condition: FaceCondition) -> RobinFace:
    require_on_grid(MethodFamily.INTERFACE, condition.kind, condition.place, condition.part)
    face = robin_face(condition)
    assert face is not None, "general conditions are refused above"
    if any(e.free_symbols & {*_times(system)} for e in (face.alpha, face.beta)):
        raise GridNotApplicable("with discontinuous coefficients boundary coefficients must not depend on time")
    return face


def robin_face(condition: FaceCondition) -> RobinFace | None:
    """The coefficients of a Dirichlet or Robin condition; None for other conditions."""
    match condition.kind:
        case Robin(alpha=alpha, beta=beta, value=value):
            return RobinFace(condition, alpha, beta if condition.place.upper else -beta, -value)
        case Dirichlet(value=value):
            return RobinFace(condition, S.One, S.Zero, -value)
        case General():
            return None
