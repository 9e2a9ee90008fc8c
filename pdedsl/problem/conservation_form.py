"""Conservation form ∂w/∂t + Σ ∂Fᵢ(w, x)/∂xᵢ = S(w, x, t) of a first-order quasilinear system.

The matrix A of -∂w/∂xᵢ is the Jacobian of a flux iff ∂Aₖⱼ/∂wₗ = ∂Aₖₗ/∂wⱼ; F then follows by integration.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Abs, DiracDelta, Expr, Heaviside, Integral, Max, Min, S, Symbol, integrate, sign, simplify

from pdedsl.ir.boundary import Dirichlet, Robin
from pdedsl.ir.first_order_system import FaceCondition, FirstOrderSystem
from pdedsl.ir.residual import Derivative
from pdedsl.ir.solver_plans import ConservationForm
from pdedsl.problem.first_order_system import GridNotApplicable, require_on_grid
from pdedsl.problem.supported_conditions import CONSERVATION_LAW, MethodFamily
from pdedsl.symbolic.rewrite import expand

NONSMOOTH = (Abs, Heaviside, Max, Min, sign)


def is_hyperbolic(system: FirstOrderSystem) -> bool:
    """Whether discontinuities may form: first order, with speeds that depend on w, or nonsmooth speeds or data."""
    of_first = all(d.order <= 1 for _, d in system.jets) and any(d.order for _, d in system.jets)
    if system.algebraic or not system.differential or not of_first or any(j for _, j in system.variables):
        return False
    jets = set(system.jet_derivatives)
    jacobians = [r.diff(s) for r in system.rhs for s, d in system.jets if d.order == 1]
    return any(s.free_symbols & jets for s in jacobians) or any(
        e.has(*NONSMOOTH) for e in (*jacobians, *system.initial)
    )


def with_value_jets(system: FirstOrderSystem) -> FirstOrderSystem:
    """Adds a jet symbol for the value of each variable, as fluxes are functions of w."""
    flat = (0,) * len(system.statement.domain.space)
    wanted = [Derivative(k, flat) for k in range(len(system.variables))]
    known = set(system.jet_derivatives.values())
    return replace(system, jets=(*system.jets, *((_jet_symbol(system, d), d) for d in wanted if d not in known)))


def conservation_form(system: FirstOrderSystem) -> ConservationForm:
    space, count = system.statement.domain.space, len(system.variables)
    flat = tuple(0 for _ in space)
    values = [_jet_symbol(system, Derivative(k, flat)) for k in range(count)]
    fluxes, jacobians = [], []
    for axis in range(len(space)):
        unit = tuple(int(k == axis) for k in range(len(space)))
        jets = [_jet_symbol(system, Derivative(k, unit)) for k in range(count)]
        matrix = [[-r.diff(s) for s in jets] for r in system.rhs]
        if any(a.free_symbols & {s for s, d in system.jets if d.order} for row in matrix for a in row):
            raise GridNotApplicable("the equation is not quasilinear (linear in the first derivatives)")
        fluxes.append(tuple(_flux_potential(row, values) for row in matrix))
        jacobians.append(tuple(map(tuple, matrix)))
    sources = tuple(_source(system, k, fluxes) for k in range(count))
    return ConservationForm(tuple(fluxes), tuple(jacobians), sources)


def split_fluxes(system: FirstOrderSystem, rest: Expr) -> tuple[tuple[tuple[Expr, tuple[int, ...]], ...], Expr]:
    """Polynomials F(u) and orders α of Σ ∂^α F(u) + …, for a scalar equation: ∂²F/∂xₖ² = F′ ∂²u/∂xₖ² + F″ (∂u/∂xₖ)²
    and ∂F/∂xₖ = F′ ∂u/∂xₖ; and the remainder."""
    count = len(system.statement.domain.space)
    value, fluxes = _jet_symbol(system, Derivative(0, (0,) * count)), []
    for order in (2, 1):
        for axis in range(count):
            orders = [tuple(n * int(k == axis) for k in range(count)) for n in range(1, order + 1)]
            jets = [_jet_symbol(system, Derivative(0, o)) for o in orders]
            coefficient = rest.diff(jets[-1])
            if coefficient == 0 or not coefficient.free_symbols <= {value} or not coefficient.is_polynomial(value):
                continue
            derivative = coefficient * jets[-1]
            if order == 2:
                derivative += coefficient.diff(value) * jets[0] ** 2
                if expand(rest - derivative).diff(jets[0], 2) != 0:
                    continue
            fluxes.append((integrate(coefficient, value), orders[-1]))
            rest = expand(rest - derivative)
    return tuple(fluxes), rest


def _jet_symbol(system: FirstOrderSystem, derivative: Derivative) -> Symbol:
    symbol = next((s for s, d in system.jets if d == derivative), None)
    return symbol if symbol is not None else Symbol(f"absent_{derivative.component}_{derivative.order}", real=True)


def _flux_potential(row: list[Expr], values: list[Symbol]) -> Expr:
    """F with ∂F/∂wⱼ = Aⱼ; raises GridNotApplicable if there is none."""
    for j, a in enumerate(row):
        for i in range(j):
            if simplify(a.diff(values[i]) - row[i].diff(values[j])) != 0:
                raise GridNotApplicable(
                    "the equation is not in conservation form: its coefficients are not the Jacobian of a flux"
                )
    flux: Expr = S.Zero
    for a, w in zip(row, values, strict=True):
        flux += integrate(expand(a - flux.diff(w)), w)
    if flux.has(Integral):
        raise GridNotApplicable("no closed form of the flux was found")
    return flux


def _source(system: FirstOrderSystem, k: int, fluxes: list[tuple[Expr, ...]]) -> Expr:
    space = system.statement.domain.space
    first = {s: S.Zero for s, d in system.jets if d.order}
    rest = system.rhs[k].xreplace(first)
    source = expand(rest + sum((flux[k].diff(x) for flux, x in zip(fluxes, space, strict=True)), S.Zero))
    if source.has(DiracDelta):
        raise GridNotApplicable("the derivative of a discontinuity is not defined on a grid")
    return source


def dirichlet_value(condition: FaceCondition) -> Expr | None:
    """The Dirichlet value on a face; None for a homogeneous Neumann condition."""
    require_on_grid(MethodFamily.CONSERVATION_LAW, condition.kind, condition.place, condition.part)
    match condition.kind:
        case Dirichlet(value=value):
            return value
        case Robin(is_homogeneous_neumann=True):
            return None
        case _:
            raise GridNotApplicable(CONSERVATION_LAW)
