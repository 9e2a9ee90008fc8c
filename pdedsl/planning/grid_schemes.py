"""Choice of the discretization on a grid: a complete scheme, or the reason why none applies."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import UnionType

from sympy import Expr, Poly, S
from sympy.polys.polyerrors import PolynomialError

from pdedsl.config.methods import Grid
from pdedsl.ir.first_order_system import FirstOrderSystem
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.solver_plans import (
    ChebyshevScheme,
    DelayScheme,
    FiniteVolumeScheme,
    FourierScheme,
    GridPlan,
    GridScheme,
    InterfaceFVScheme,
    LinearSplitting,
    OdeScheme,
    PeriodicAxis,
    ShortleyWellerScheme,
)
from pdedsl.numerics.butcher import (
    GRID_METHODS,
    ExponentialRungeKutta,
    GridMethod,
    ImexRungeKutta,
    ImplicitRungeKutta,
)
from pdedsl.problem.boundary_layers import layer_breaks
from pdedsl.problem.complementarity import has_extremum, obstacle_scheme
from pdedsl.problem.conservation_form import (
    conservation_form,
    dirichlet_value,
    is_hyperbolic,
    split_fluxes,
    with_value_jets,
)
from pdedsl.problem.delay_breaks import delay_breaks, delayed_system
from pdedsl.problem.first_order_system import GridNotApplicable, first_order_system
from pdedsl.problem.interface_problem import has_discontinuous_diffusion, interface_problem
from pdedsl.problem.irregular_domain import irregular_dirichlet_problem
from pdedsl.problem.periodicity import has_periodic_residuals, periodic_axes, split_linear, subtract_lifts
from pdedsl.problem.point_sources import has_point_sources, split_fundamental_solutions
from pdedsl.problem.separable_operator import separable_operator
from pdedsl.problem.supported_conditions import (
    ANTIPERIODIC_GRID,
    JUMP_GRID,
    JUMP_INVARIANCE,
    POINT_SOURCE_IN_PLANE,
)

MAX_GRID_DIMENSIONS = 3  # direct solvers of larger systems exceed the memory


def plan_grid(problem: StrongForm, method: Grid) -> GridPlan:
    """A scheme for the problem, or for its periodic part if periodic conditions have jumps; raises GridNotApplicable
    with the reason if there is none."""
    if len(problem.domain.space) > MAX_GRID_DIMENSIONS:
        raise GridNotApplicable(f"grids are limited to {MAX_GRID_DIMENSIONS} space dimensions")
    split = split_fundamental_solutions(problem) if has_point_sources(problem) else None
    if split is not None:
        regular, lifts = split
        return replace(plan_grid(regular, method), lifts=lifts)
    if not any(problem.lifts) or problem.domain.inequalities:
        return GridPlan(problem, method, with_integrator(plan_scheme(problem), method.integrator))
    if not all(r.is_regular for r in problem.equations):
        raise GridNotApplicable(JUMP_GRID)
    periodic = subtract_lifts(problem)
    if not has_periodic_residuals(periodic):
        raise GridNotApplicable(JUMP_INVARIANCE)
    scheme = with_integrator(plan_scheme(periodic), method.integrator)
    if not isinstance(scheme, FourierScheme | ChebyshevScheme):
        raise GridNotApplicable(JUMP_GRID)
    return GridPlan(periodic, method, scheme, problem.lifts)


def plan_scheme(problem: StrongForm) -> GridScheme:
    """A scheme for a problem without jumps between periodic faces; raises GridNotApplicable if there is none."""
    domain, concentrated = problem.domain, has_point_sources(problem)
    if concentrated and (domain.inequalities or any(map(has_extremum, problem.equations))):
        raise GridNotApplicable(POINT_SOURCE_IN_PLANE)
    if any(map(has_extremum, problem.equations)):
        return obstacle_scheme(problem)
    if domain.inequalities:
        if problem.is_nonlocal:
            raise GridNotApplicable("integrals and nonlocal terms need a box")
        return ShortleyWellerScheme(irregular_dirichlet_problem(problem))
    system = first_order_system(problem)
    if concentrated:
        return _pieces_between_sources(system)
    if domain.space and domain.has_time and _has_memory(system):
        return _method_of_steps(system)
    if any(d.power for _, d in system.jets):
        return _fractional(system)
    if system.nonlocal_terms:
        return _collocation(system)
    if not domain.space:
        return _ode(system)
    if problem.antiperiodic_axes and (has_discontinuous_diffusion(system) or is_hyperbolic(system)):
        raise GridNotApplicable(ANTIPERIODIC_GRID)
    if has_discontinuous_diffusion(system):
        return InterfaceFVScheme(system, interface_problem(system))
    if is_hyperbolic(system):
        return _finite_volumes(system)
    axes = periodic_axes(system)
    is_singular = domain.metric is not None and bool(domain.metric.axes)
    if axes is not None and not is_singular:
        linear = split_linear(system, (*system.rhs, *system.constraints))
        if _is_dominant(linear, system):
            return _fourier(system, axes, linear)
    if problem.antiperiodic_axes:
        raise GridNotApplicable(ANTIPERIODIC_GRID)
    if len(system.constraints) != len(system.algebraic):
        raise GridNotApplicable("the numbers of equations and unknowns differ")
    breaks = ((),) * len(domain.space) if is_singular else layer_breaks(system)
    return ChebyshevScheme(system, breaks, separable=None if any(breaks) else separable_operator(system))


def with_integrator(scheme: GridScheme, integrator: GridMethod | None) -> GridScheme:
    """The scheme with another method in time, if one is given; raises GridNotApplicable if it is not for the scheme."""
    match scheme, integrator:
        case _, None:
            return scheme
        case ((FourierScheme() | ChebyshevScheme() | InterfaceFVScheme()), _) if not scheme.system.differential:
            reason = "a stationary problem has no steps in time"
        case DelayScheme(scheme=inner), _:
            chosen = with_integrator(inner, integrator)
            assert isinstance(chosen, FourierScheme | ChebyshevScheme)
            return replace(scheme, scheme=chosen)
        case FourierScheme(), ImexRungeKutta() | ExponentialRungeKutta():
            return replace(scheme, integrator=integrator)
        case ChebyshevScheme() | InterfaceFVScheme(), ImplicitRungeKutta():
            return replace(scheme, integrator=integrator)
        case FourierScheme(), _:
            reason = f"the Fourier grid of this problem takes {_names(ImexRungeKutta | ExponentialRungeKutta)}"
        case ChebyshevScheme() | InterfaceFVScheme(), _:
            reason = f"the grid of this problem takes {_names(ImplicitRungeKutta)}"
        case _:
            reason = "the scheme for this problem prescribes the method in time"
    raise GridNotApplicable(reason)


def _names(kind: type[GridMethod] | UnionType) -> str:
    return ", ".join(name for name, method in GRID_METHODS.items() if isinstance(method, kind))


def _collocation(system: FirstOrderSystem) -> ChebyshevScheme:
    """Collocation with dense matrices, for integrals and values at other points."""
    if system.statement.antiperiodic_axes:
        raise GridNotApplicable(ANTIPERIODIC_GRID)
    if len(system.constraints) != len(system.algebraic):
        raise GridNotApplicable("the numbers of equations and unknowns differ")
    return ChebyshevScheme(system, delay_breaks(system.statement))


def _has_memory(system: FirstOrderSystem) -> bool:
    time = system.statement.domain.coordinates[-1]
    return any(term.has_memory(time) for _, term in system.nonlocal_terms)


def _method_of_steps(system: FirstOrderSystem) -> DelayScheme:
    """Fourier series on periodic boxes, otherwise collocation, on the pieces of time between the sums of delays."""
    (breaks,) = delay_breaks(system.statement)
    local, delayed = delayed_system(system)
    if local.statement.antiperiodic_axes:
        raise GridNotApplicable(ANTIPERIODIC_GRID)
    if len(local.constraints) != len(local.algebraic) or has_discontinuous_diffusion(local):
        raise GridNotApplicable("delays with discontinuous coefficients are not supported")
    periodic = all(i.periodic for i in local.statement.domain.intervals[:-1])
    axes = periodic_axes(local) if periodic and not local.face_conditions else None
    linear = split_linear(local, (*local.rhs, *local.constraints)) if axes is not None else None
    inner: FourierScheme | ChebyshevScheme
    if axes is not None and linear is not None and _is_dominant(linear, local):
        inner = replace(_fourier(local, axes, linear), flux_terms=())
    elif is_hyperbolic(local):
        raise GridNotApplicable("delays in conservation laws are not supported")
    else:
        inner = ChebyshevScheme(local, ((),) * len(local.statement.domain.space))
    return DelayScheme(inner, delayed, system.initial, breaks)


def _fractional(system: FirstOrderSystem) -> FourierScheme:
    """Fourier series, in which (-Δ)ˢ multiplies by |κ|²ˢ."""
    axes = None if system.nonlocal_terms or system.face_conditions else periodic_axes(system)
    if axes is None:
        raise GridNotApplicable("a fractional Laplacian needs a periodic box and no integrals or delays")
    linear = split_linear(system, (*system.rhs, *system.constraints))
    if not _is_dominant(linear, system):
        raise GridNotApplicable("a fractional Laplacian needs linear terms of highest order with constant coefficients")
    return replace(_fourier(system, axes, linear), flux_terms=())


def _pieces_between_sources(system: FirstOrderSystem) -> ChebyshevScheme:
    """Collocation on the pieces between point sources, where the solution is smooth."""
    if system.nonlocal_terms or has_discontinuous_diffusion(system):
        raise GridNotApplicable("point sources with integrals or discontinuous coefficients are not supported")
    if system.statement.antiperiodic_axes:
        raise GridNotApplicable(ANTIPERIODIC_GRID)
    if len(system.constraints) != len(system.algebraic):
        raise GridNotApplicable("the numbers of equations and unknowns differ")
    jumps = system.derivative_jumps
    for axis, variable in product({j.axis for j in jumps}, range(len(system.variables))):
        if max((d.orders[axis] for _, d in system.jets if d.component == variable), default=0) % 2:
            raise GridNotApplicable("with a point source derivatives of the highest order must be even")
    layers = layer_breaks(system)
    places = (tuple(j.place for j in jumps if j.axis == k) for k in range(len(layers)))
    return ChebyshevScheme(system, tuple(tuple(sorted({*a, *b})) for a, b in zip(layers, places, strict=True)))


def _ode(system: FirstOrderSystem) -> OdeScheme:
    if system.algebraic:
        raise GridNotApplicable("an unknown of time alone needs an equation with its time derivative")
    return OdeScheme(system)


def _finite_volumes(system: FirstOrderSystem) -> FiniteVolumeScheme:
    if system.backward:
        raise GridNotApplicable("a conservation law with shocks cannot be solved backward in time")
    form = conservation_form(system)
    values = [(c.place, c.variable, dirichlet_value(c)) for c in system.face_conditions]
    dirichlet = tuple((face, variable, value) for face, variable, value in values if value is not None)
    return FiniteVolumeScheme(with_value_jets(system), form, dirichlet)


def _is_dominant(linear: LinearSplitting, system: FirstOrderSystem) -> bool:
    """Whether all but the linear terms with constant coefficients are of lower order than these, or of first order."""
    if not system.differential:
        return not system.jets_in(*linear.remainders)
    if any(r != 0 for r in linear.remainders[len(system.rhs) :]):
        return False
    if system.algebraic and not _determines_algebraic_variables(system, linear.remainders):
        return False
    highest = max((system.jet_derivatives[s].order for _, s, _ in linear.parts), default=0)
    return all(d.order <= max(1, highest - 1) for _, d in system.jets_in(*linear.remainders))


def _determines_algebraic_variables(system: FirstOrderSystem, remainders: tuple[Expr, ...]) -> bool:
    """Whether the constraints contain algebraic variables, or only the linear part does."""
    algebraic = set(system.algebraic)
    constrained = any(d.component in algebraic for _, d in system.jets_in(*system.constraints))
    return constrained or not any(d.component in algebraic for _, d in system.jets_in(*remainders))


def _fourier(system: FirstOrderSystem, axes: tuple[PeriodicAxis, ...], linear: LinearSplitting) -> FourierScheme:
    """(q + 1) h grid points make products of q factors with |k| < h exact on |k| < h."""
    oversampling = max([2, *(min(_polynomial_degree(system, e) + 1, 4) for e in linear.remainders)])
    return FourierScheme(system, axes, linear, _flux_terms(system, linear), oversampling)


def _polynomial_degree(system: FirstOrderSystem, expr: Expr) -> int:
    jets = [s for s, _ in system.jets_in(expr)]
    try:
        degree = Poly(expr, *jets).total_degree() if jets else 1
    except PolynomialError:
        return 3
    return int(degree) + (1 if expr.free_symbols & set(system.coordinates) else 0)


def _flux_terms(system: FirstOrderSystem, linear: LinearSplitting) -> tuple[tuple[float, Expr, tuple[int, ...]], ...]:
    """N as a sum of derivatives of fluxes and a remainder; empty unless it is that of a scalar equation with fluxes."""
    remainders = linear.remainders[: len(system.differential)]
    if len(system.variables) != 1 or len(remainders) != 1:
        return ()
    fluxes, remainder = split_fluxes(system, remainders[0])
    if not fluxes:
        return ()
    terms = [(*flux.as_coeff_Mul(), orders) for flux, orders in fluxes]
    terms += [(S.One, remainder, (0,) * len(fluxes[0][1]))] if remainder != 0 else []
    return tuple((float(c), e, orders) for c, e, orders in terms)
