"""Weak form from the strong form, by integration by parts of second-order terms and pressure gradients.

A residual R = Σ Aᵢⱼ ∂ᵢ∂ⱼu + … is written as ∇·G + S with a flux G(x, u, ∇u) and a remainder S of first order, so that
∫ R v = ∫ -G·∇v + S v dx + ∮ (G·n) v ds. Neumann and Robin conditions replace the normal derivative in G·n; Dirichlet
conditions are essential. A pressure is the multiplier of a constraint of first order, ∇·u = 0: its gradient belongs to
the flux, and its boundary value is a natural condition (Gresho, Sani 1998, ch. 3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations
from typing import assert_never

from sympy import Add, DiracDelta, Expr, Heaviside, Rational, S, Symbol, integrate, simplify
from sympy.integrals.integrals import Integral

from pdedsl.ir.boundary import (
    Dirichlet,
    Face,
    General,
    InitialCondition,
    Periodic,
    Place,
    Robin,
    ScalarCondition,
    normal_coefficient,
)
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative, PointSourceTerm, Residual
from pdedsl.ir.weak_form import (
    BoundaryIntegral,
    EssentialCondition,
    NodalConstraint,
    PointLoad,
    TrialFunction,
    WeakEquation,
    WeakForm,
)
from pdedsl.problem.complementarity import NotComplementarity, complementarity, has_extremum
from pdedsl.problem.mixed_form import AUXILIARY, split_biharmonic
from pdedsl.problem.point_sources import has_point_sources
from pdedsl.problem.supported_conditions import MethodFamily, region_of_condition, type_of, unsupported_reason
from pdedsl.symbolic.evaluate import is_numerically_equal
from pdedsl.symbolic.mesh_domain import MeshNormal
from pdedsl.symbolic.rewrite import expand
from pdedsl.symbolic.symbols import Field, Partial

NOT_A_DIVERGENCE = "the coefficients of the second derivatives are not the derivative of a flux"
MAX_DIMENSION = 3  # of meshes
MAX_PERMUTED = 6  # trial functions up to which all pairings with equations are tried


class NoWeakForm(Exception):
    """There is no weak form with elements that are continuous; the message is the reason, in a phrase."""


def weak_form(problem: StrongForm) -> WeakForm:
    """The weak form; raises NoWeakForm with the reason if there is none."""
    if any(map(has_extremum, problem.equations)):
        return _constrained_form(problem)
    from pdedsl.problem.curl_form import CurlFormBuilder, curl_coefficient

    if curl_coefficient(problem) is not None:
        return CurlFormBuilder(problem).build()
    mixed = split_biharmonic(problem)
    return WeakFormBuilder(mixed, is_mixed=True).build() if mixed is not None else WeakFormBuilder(problem).build()


def _constrained_form(problem: StrongForm) -> WeakForm:
    """The weak form of the differential operator of an obstacle problem, with a residual that increases with u."""
    try:
        found = complementarity(problem)
    except NotComplementarity as reason:
        raise NoWeakForm(str(reason)) from None
    differential = [k for k, o in enumerate(found.operators) if o.is_differential]
    if found.is_evolution or len(differential) != 1:
        raise NoWeakForm("inequalities in time, or with several differential operators, are solved on grids")
    (k,) = differential
    form = WeakFormBuilder(replace(problem, equations=(found.operators[k].residual,))).build()
    return replace(form, constraint=NodalConstraint(found, k))


@dataclass
class WeakFormBuilder:
    """Builds the weak form; all of its expressions share the symbols of jets."""

    problem: StrongForm
    is_mixed: bool = False  # the last component is auxiliary, and the equations are those of the components
    jets: dict[Derivative, Symbol] = field(default_factory=dict)

    def build(self) -> WeakForm:
        self._require_supported()
        residuals = self._matched_residuals()
        trials = tuple(self._trial(k) for k in range(len(self.variables)))
        for k in range(len(trials)):
            for unit in (self.zero, *self.units):
                self.jet(k, unit)
        equations, fluxes, loads = self._equations(residuals)
        essential = tuple(c for s in self._boundary_conditions() for c in self._essential(s))
        integrals = tuple(self._boundary_integrals(fluxes, essential))
        return WeakForm(
            trials,
            tuple((s, d) for d, s in self.jets.items() if d.order <= 1),
            self.normal,
            equations,
            integrals,
            essential,
            self._initial(),
            self.problem.domain,
            self.problem.is_backward,
            point_loads=tuple(loads),
        )

    # ---- Trial functions and jets

    @cached_property
    def dimension(self) -> int:
        return len(self.problem.domain.space)

    @cached_property
    def zero(self) -> tuple[int, ...]:
        return (0,) * self.dimension

    @cached_property
    def units(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(int(i == k) for i in range(self.dimension)) for k in range(self.dimension))

    @cached_property
    def normal(self) -> tuple[Symbol, ...]:
        return tuple(Symbol(f"n_{x.name}", real=True) for x in self.problem.domain.space)

    @cached_property
    def time_orders(self) -> tuple[int, ...]:
        """The order of the highest time derivative of each component."""
        if not self.problem.domain.has_time:
            return (0,) * len(self.problem.components)
        derivatives = [d for e in self.problem.equations for d in e.derivatives]
        return tuple(
            max((d.orders[-1] for d in derivatives if d.component == c), default=0)
            for c in range(len(self.problem.components))
        )

    @cached_property
    def variables(self) -> tuple[tuple[int, int], ...]:
        """Component and order of the time derivative of each trial function."""
        return tuple((c, j) for c, m in enumerate(self.time_orders) for j in range(max(m, 1)))

    def _trial(self, k: int) -> TrialFunction:
        component, j = self.variables[k]
        time = self.problem.domain.coordinates[-1].name
        name = self.problem.components[component].name + (f"_{time * j}" if j else "")
        prescribed = any(
            self._is_pressure(c) and isinstance(c.kind, Dirichlet) and c.kind.component == component
            for c in self._boundary_conditions()
        )
        is_auxiliary = self.is_mixed and component == AUXILIARY
        return TrialFunction(name, None if is_auxiliary else component, j, k in self.multipliers, prescribed)

    def jet(self, trial: int, orders: tuple[int, ...]) -> Symbol:
        derivative = Derivative(trial, orders)
        if derivative not in self.jets:
            component, j = self.variables[trial]
            below = "".join(x.name * n for x, n in zip(self.problem.domain.coordinates, (*orders, j), strict=False))
            name = self.problem.components[component].name
            self.jets[derivative] = Symbol(f"{name}_{below}" if below else name, real=True)
        return self.jets[derivative]

    # ---- Equations

    def _require_supported(self) -> None:
        problem = self.problem
        if not 1 <= self.dimension <= MAX_DIMENSION:
            raise NoWeakForm(f"meshes have one to {MAX_DIMENSION} dimensions")
        if problem.parameters or problem.measurements:
            raise NoWeakForm("elements solve forward problems only")
        if any(e.interval is not None for e in problem.equations):
            raise NoWeakForm("equations that change between time intervals are not supported")
        if len(problem.equations) != len(problem.components):
            raise NoWeakForm("the numbers of equations and unknowns differ")
        if problem.domain.has_time and any(
            problem.domain.coordinates[-1] in g.free_symbols for g in problem.domain.inequalities
        ):
            raise NoWeakForm("domains that change in time are not supported")
        if any(i.periodic for i in problem.domain.intervals):
            raise NoWeakForm("periodic faces are not supported")

    def _in_jets(self, residual: Residual) -> tuple[Expr, tuple[Expr, ...]]:
        """The residual without its highest time derivatives, and their coefficients, one for each trial function."""
        substitution: dict[Symbol, Expr] = {}
        masses: dict[int, Expr] = {}
        if residual.expr.has(Field, Partial):
            raise NoWeakForm("an expression cannot be evaluated pointwise")
        for symbol, d in residual.jet_variables:
            space, j = (d.orders[:-1], d.orders[-1]) if self.problem.domain.has_time else (d.orders, 0)
            if (d.component, j) in self.variables:
                substitution[symbol] = self.jet(self.variables.index((d.component, j)), space)
            elif any(space):
                raise NoWeakForm("mixed space-time derivatives of highest order in time are not supported")
            else:
                masses[self.variables.index((d.component, j - 1))] = residual.expr.diff(symbol)
                substitution[symbol] = S.Zero
        jets = {s for s, _ in residual.jet_variables}
        if any(m.free_symbols & jets for m in masses.values()):
            raise NoWeakForm("the coefficient of a time derivative depends on the unknown")
        metric = self.problem.domain.metric
        volume = S.One if metric is None else metric.volume
        expr = expand(volume * residual.expr.xreplace(substitution)) if metric else residual.expr.xreplace(substitution)
        return expr, tuple(volume * masses.get(k, S.Zero) for k in range(len(self.variables)))

    @cached_property
    def _residuals(self) -> tuple[tuple[Expr, tuple[Expr, ...], Residual], ...]:
        """Every equation in jets, with the coefficients of time derivatives."""
        return tuple((*self._in_jets(e), e) for e in self.problem.equations)

    def _matched_residuals(self) -> tuple[tuple[Expr, tuple[Expr, ...], Residual], ...]:
        """The equations in the order of the components whose test functions they get: the pairing that maximises the
        sum of squares of the orders, where a time derivative counts most."""
        count = len(self.problem.components)
        if self.is_mixed or not 1 < count <= MAX_PERMUTED:
            return self._residuals
        orders = [[self._order(expr, masses, c) for c in range(count)] for expr, masses, _ in self._residuals]
        best = max(permutations(range(count)), key=lambda p: sum(orders[e][c] ** 2 for c, e in enumerate(p)))
        return tuple(self._residuals[e] for e in best)

    def _order(self, expr: Expr, masses: tuple[Expr, ...], component: int) -> int:
        """One more than the order of the highest derivative of a component; 0 if it does not occur."""
        own = [k for k, (c, _) in enumerate(self.variables) if c == component]
        if any(masses[k] != 0 for k in own):
            return 1 + MAX_PERMUTED  # larger than every order in space
        orders = [d.order for d, s in self.jets.items() if s in expr.free_symbols and d.component in own]
        return 1 + max(orders) if orders else 0

    @cached_property
    def multipliers(self) -> tuple[int, ...]:
        """Trial functions of order one in all equations, absent from the constraint that is matched to them."""
        matched = self._matched_residuals()
        indices = []
        for k, (c, _) in enumerate(self.variables):
            own = [
                d for d, s in self.jets.items() if d.component == k and any(s in e.free_symbols for e, _, _ in matched)
            ]
            constraint, masses, _ = matched[c]
            occurs = any(self.jets[d] in constraint.free_symbols for d in own) or any(m != 0 for m in masses)
            if own and max(d.order for d in own) == 1 and not occurs and self.time_orders[c] == 0:
                indices.append(k)
        return tuple(indices)

    def _equations(
        self, residuals: Sequence[tuple[Expr, tuple[Expr, ...], Residual]]
    ) -> tuple[tuple[WeakEquation, ...], dict[int, tuple[Expr, ...]], list[PointLoad]]:
        """Weak equations, one for each trial function, the fluxes G of those that have one, and the point sources."""
        equations, fluxes, loads = [], {}, list[PointLoad]()
        for k, (component, j) in enumerate(self.variables):
            if j + 1 < self.time_orders[component]:  # ∂u/∂t = w
                masses = tuple(S.One if i == k else S.Zero for i in range(len(self.variables)))
                rate = -self.jet(self.variables.index((component, j + 1)), self.zero)
                span = residuals[component][2].span
                equations.append(WeakEquation(k, (S.Zero,) * self.dimension, rate, masses, span))
                continue
            expr, masses, residual = residuals[component]
            flux, source = self._divergence_form(expr, k, any(masses))
            equations.append(WeakEquation(k, tuple(-g for g in flux), source, masses, residual.span))
            fluxes[k] = flux
            loads += (self._point_load(source, k) for source in residual.point_sources)
        return tuple(equations), fluxes, loads

    def _point_load(self, source: PointSourceTerm, trial: int) -> PointLoad:
        if trial in self.multipliers or self.is_mixed or len(source.places) < self.dimension:
            raise NoWeakForm("point sources on lines, of constraints and of fourth order are not supported")
        if source.strength.has(Field):
            raise NoWeakForm("elements solve forward problems only")
        return PointLoad(trial, tuple(float(a) for _, a in sorted(source.places)), source.strength)

    def _divergence_form(self, expr: Expr, trial: int, is_evolution: bool) -> tuple[tuple[Expr, ...], Expr]:
        """G and S of expr = ∇·G + S."""
        second = {s: d for d, s in self.jets.items() if d.order == 2 and s in expr.free_symbols}
        if any(d.order > 2 and s in expr.free_symbols for d, s in self.jets.items()):
            raise NoWeakForm("derivatives of order three and higher are not supported")
        coefficients = {s: expand(expr.diff(s)) for s in second}
        if any(a.free_symbols & set(second) for a in coefficients.values()):
            raise NoWeakForm("the equation is not linear in its second derivatives")
        lower = expr.xreplace(dict.fromkeys(second, S.Zero))
        first = {s for d, s in self.jets.items() if d.order == 1}
        if any(a.free_symbols & first for a in coefficients.values()):
            flux, factor = self._quasilinear_flux({second[s]: a for s, a in coefficients.items()})
            if factor != 1 and (is_evolution or has_point_sources(self.problem)):
                raise NoWeakForm(NOT_A_DIVERGENCE)
            lower *= factor
        else:
            flux = self._linear_flux({second[s]: a for s, a in coefficients.items()})
        flux = tuple(g + h for g, h in zip(flux, self._pressure_flux(lower, trial), strict=True))
        remainder = lower - self._divergence(flux)
        source = simplify(remainder) if remainder.has(DiracDelta, Heaviside) else expand(remainder)
        if source.has(DiracDelta):
            raise NoWeakForm("the derivative of a discontinuity is not integrable: write the term as a divergence")
        self._require_diffusion(flux, source, trial)
        return flux, source

    def _pressure_flux(self, lower: Expr, trial: int) -> tuple[Expr, ...]:
        """c p for the terms c · ∂p/∂xᵢ with multipliers p."""
        others = [p for p in self.multipliers if p != trial]
        return tuple(
            Add(*(self._pressure_coefficient(lower, p, i) * self.jet(p, self.zero) for p in others))
            for i in range(self.dimension)
        )

    def _pressure_coefficient(self, lower: Expr, multiplier: int, axis: int) -> Expr:
        coefficient = lower.diff(self.jet(multiplier, self.units[axis]))
        if coefficient.free_symbols & set(self.jets.values()):
            raise NoWeakForm("the coefficient of a pressure gradient depends on the unknowns")
        return coefficient

    def _require_diffusion(self, flux: tuple[Expr, ...], source: Expr, trial: int) -> None:
        """Refuses first derivatives of a trial function without any second derivative of it: advection without
        diffusion is not stable with continuous elements."""
        if trial in self.multipliers:
            return
        with_second = {d.component for d in self.jets if d.order == 2}
        for d, s in self.jets.items():
            if d.order == 1 and s in source.free_symbols and d.component not in with_second:
                name = self.problem.components[self.variables[d.component][0]].name
                raise NoWeakForm(
                    f"first derivatives of {name} without diffusion are not stable with continuous elements"
                )

    def _linear_flux(self, coefficients: Mapping[Derivative, Expr]) -> tuple[Expr, ...]:
        """Gᵢ = Σ Aᵢⱼ ∂ⱼu with symmetric A that is independent of ∇u."""
        flux: list[Expr] = [S.Zero] * self.dimension
        for d, a in coefficients.items():
            i, j = (k for k, n in enumerate(d.orders) for _ in range(n))
            entry = a if i == j else a / 2
            flux[i] += entry * self.jet(d.component, self.units[j])
            if i != j:
                flux[j] += entry * self.jet(d.component, self.units[i])
        return tuple(flux)

    def _divergence(self, flux: Sequence[Expr]) -> Expr:
        """∇·G without the terms with second derivatives."""
        total = []
        for g, x, unit in zip(flux, self.problem.domain.space, self.units, strict=True):
            total.append(g.diff(x))
            for d, s in tuple(self.jets.items()):
                if s in g.free_symbols and d.order == 0:
                    total.append(g.diff(s) * self.jet(d.component, unit))
        return Add(*total)

    def _quasilinear_flux(self, coefficients: Mapping[Derivative, Expr]) -> tuple[tuple[Expr, ...], Expr]:
        """G with ∂Gᵢ/∂pⱼ = c Aᵢⱼ for p = ∇u, and the factor c: ∫ A dp in one dimension, otherwise G = φ p with
        φ = A₁₁ - A₁₂ p₁/p₂, as A = φ I + 2 φ' p pᵀ for φ(|p|²)."""
        trial, *others = {d.component for d in coefficients}
        if others:
            raise NoWeakForm(NOT_A_DIVERGENCE)
        p = [self.jet(trial, unit) for unit in self.units]
        matrix = [
            [self._matrix_entry(coefficients, trial, i, j) for j in range(self.dimension)]
            for i in range(self.dimension)
        ]
        if self.dimension == 1:
            potential = integrate(matrix[0][0], p[0])
            if potential.has(Integral):
                raise NoWeakForm(NOT_A_DIVERGENCE)
            return (potential,), S.One
        square = Add(*(q**2 for q in p))
        for factor in (S.One, (1 + square) ** Rational(-3, 2)):  # the second for minimal surfaces, not as a divergence
            phi = simplify(factor * (matrix[0][0] - matrix[0][1] * p[0] / p[1]))
            flux = tuple(phi * q for q in p)
            if all(
                is_numerically_equal((flux[i].diff(p[j]) + flux[j].diff(p[i])) / 2, factor * matrix[i][j])
                for i in range(self.dimension)
                for j in range(i + 1)
            ):
                return flux, factor
        raise NoWeakForm(NOT_A_DIVERGENCE)

    def _matrix_entry(self, coefficients: Mapping[Derivative, Expr], trial: int, i: int, j: int) -> Expr:
        orders = tuple(a + b for a, b in zip(self.units[i], self.units[j], strict=True))
        a = coefficients.get(Derivative(trial, orders), S.Zero)
        return a if i == j else a / 2

    # ---- Conditions

    def _boundary_conditions(self) -> Iterator[ScalarCondition]:
        for c in self.problem.scalar_conditions:
            if self.problem.domain.is_in_time(c.place):
                continue
            assert not isinstance(c.kind, InitialCondition)
            reason = unsupported_reason(MethodFamily.ELEMENTS, type_of(c.kind), region_of_condition(c.place, c.part))
            if reason and self._coupled_normal_derivative(c) is None:
                raise NoWeakForm(reason)
            yield c

    def _essential(self, condition: ScalarCondition) -> Iterator[EssentialCondition]:
        match condition.kind:
            case Dirichlet(component=component, value=value):
                own = [k for k, (c, _) in enumerate(self.variables) if c == component and k not in self.multipliers]
                for k in own:
                    yield EssentialCondition(k, value, condition.place, condition.part, condition.span)
                    value = value.diff(self.problem.domain.coordinates[-1])  # that of the next time derivative
            case _:
                return

    def _boundary_integrals(
        self, fluxes: Mapping[int, tuple[Expr, ...]], essential: Sequence[EssentialCondition]
    ) -> Iterator[BoundaryIntegral]:
        """(G·n) v on every part of the boundary with a natural condition for some trial function."""
        natural: dict[tuple[Place, tuple[Expr, ...]], list[ScalarCondition]] = {}
        for c in self._boundary_conditions():
            if isinstance(c.kind, Robin | General) or self._is_pressure(c):
                natural.setdefault((c.place, c.part), []).append(c)
        for (place, part), conditions in natural.items():
            imposed = {c.trial for c in essential if (c.place, c.part) == (place, part)}
            for k, flux in fluxes.items():
                if k not in imposed and k not in self.multipliers:
                    integrand = self._normal_flux(flux, place, conditions)
                    if integrand != 0:
                        yield BoundaryIntegral(k, integrand, place, part, conditions[0].span)

    def _is_pressure(self, condition: ScalarCondition) -> bool:
        match condition.kind:
            case Dirichlet(component=c):
                return self.variables.index((c, 0)) in self.multipliers
            case _:
                return False

    def _normal_flux(self, flux: tuple[Expr, ...], place: Place, conditions: Sequence[ScalarCondition]) -> Expr:
        """G·n with normal derivatives and pressures from the conditions. With a prescribed pressure, the normal
        derivatives of the other trial functions are zero: the natural outflow condition."""
        values: dict[Symbol, Expr] = {}
        normal_derivatives: dict[int, Expr] = {}
        has_pressure = any(map(self._is_pressure, conditions))
        for c in conditions:
            match c.kind:
                case Dirichlet(component=component, value=value):
                    values[self.jet(self.variables.index((component, 0)), self.zero)] = value
                case Robin(component=component, alpha=alpha, beta=beta, value=value):
                    k = self.variables.index((component, 0))
                    normal_derivatives[k] = (value - alpha * self.jet(k, self.zero)) / beta
                case General():
                    derivative = self._coupled_normal_derivative(c)
                    assert derivative is not None
                    normal_derivatives[derivative[0]] = derivative[1]
                case InitialCondition() | Periodic():
                    raise AssertionError(c)
                case _:
                    assert_never(c.kind)
        occurring = {
            d.component for d, s in self.jets.items() if d.order == 1 and any(s in g.free_symbols for g in flux)
        }
        for k in occurring if has_pressure else ():
            normal_derivatives.setdefault(k, S.Zero)
        total = self._in_normal_direction(flux, place, normal_derivatives).xreplace(values)
        return total.xreplace({n: self.normal[n.axis] for n in total.atoms(MeshNormal)})

    def _coupled_normal_derivative(self, condition: ScalarCondition) -> tuple[int, Expr] | None:
        """k and q of ∂u_k/∂n = q(u, ∇u), for a condition that determines the normal derivative of one component by
        values, and on a face by tangential derivatives of other components, such as a traction; None for others."""
        if not isinstance(condition.kind, General):
            return None
        residual, space = condition.kind.residual, len(self.problem.domain.space)
        if any(any(d.orders[space:]) or d.order > 1 for d in residual.derivatives) or residual.expr.has(Field, Partial):
            return None
        values = {
            s: self.jet(self.variables.index((d.component, 0)), d.orders[:space]) for s, d in residual.jet_variables
        }
        gradients: dict[int, dict[int, Expr]] = {}
        for symbol, d in residual.jet_variables:
            if d.order:
                coefficient = residual.expr.diff(symbol)
                gradients.setdefault(d.component, {})[d.orders.index(1)] = coefficient
                if coefficient.free_symbols & {s for s, e in residual.jet_variables if e.order}:
                    return None
        normal = condition.place.normal(self.problem.domain.space)
        coefficients = {c: normal_coefficient(b, normal) for c, b in gradients.items()}
        own = [c for c, beta in coefficients.items() if beta is not None and beta.is_nonzero]
        axis = condition.place.coordinate if isinstance(condition.place, Face) else None
        if len(own) != 1 or any(axis is None or axis in b for c, b in gradients.items() if c != own[0]):
            return None
        (component,) = own
        normal_terms = {s: S.Zero for s, d in residual.jet_variables if d.order and d.component == component}
        rest = residual.expr.xreplace(normal_terms).xreplace(values)
        return self.variables.index((component, 0)), expand(-rest / coefficients[component])

    def _in_normal_direction(
        self, flux: tuple[Expr, ...], place: Place, normal_derivatives: Mapping[int, Expr]
    ) -> Expr:
        """G·n with ∇u = q n + tangential part for prescribed normal derivatives q; a multiple of ∇u has none."""
        if isinstance(place, Face):
            sign = S.One if place.upper else S.NegativeOne
            along = {self.jet(k, self.units[place.coordinate]): sign * q for k, q in normal_derivatives.items()}
            return expand(sign * flux[place.coordinate].xreplace(along))
        total: Expr = S.Zero
        normal = self.normal
        rest = list(flux)
        for k, q in normal_derivatives.items():
            p = [self.jet(k, unit) for unit in self.units]
            factor = rest[0].diff(p[0])
            if not factor.free_symbols & set(p) and all(
                expand(g.diff(s) - (factor if i == j else 0)) == 0 for i, g in enumerate(rest) for j, s in enumerate(p)
            ):
                total += factor * q
                rest = [expand(g - factor * s) for g, s in zip(rest, p, strict=True)]
                continue
            along = Add(*(s * n for s, n in zip(p, normal, strict=True)))
            substitution = {s: s + (q - along) * n for s, n in zip(p, normal, strict=True)}
            rest = [g.xreplace(substitution) for g in rest]
        return total + Add(*(g * n for g, n in zip(rest, normal, strict=True)))

    def _initial(self) -> tuple[Expr | None, ...]:
        if not self.problem.domain.has_time:
            return (None,) * len(self.variables)
        prescribed: dict[tuple[int, int], Expr] = {}
        for c in self.problem.scalar_conditions:
            match c.kind:
                case InitialCondition(component=component, order=order, value=value):
                    prescribed[component, order] = value
                case _ if self.problem.domain.is_in_time(c.place):
                    raise NoWeakForm("an initial condition does not prescribe a value or a time derivative")
        missing = [v for v in self.variables if self.time_orders[v[0]] and v not in prescribed]
        if missing:
            raise NoWeakForm("initial conditions are missing")
        return tuple(prescribed.get(v) if self.time_orders[v[0]] else None for v in self.variables)
