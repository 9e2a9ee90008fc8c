"""Weak form of ∇×(a ∇×E) + S(E) = 0 in H(curl): ∫ a (∇×E)·(∇×v) + S·v dx + ∮ (n × a ∇×E)·v ds (Monk 2003).

The tangential trace n × E is essential, and n × (∇×E) natural; in the plane, ∇×E is a number. The components of E are
trial functions of one vector field with continuous tangential components.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import permutations

from sympy import Add, Expr, LeviCivita, S

from pdedsl.ir.boundary import Dirichlet, Face, General, Place, ScalarCondition
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Affine, Derivative, PointSourceTerm, Residual
from pdedsl.ir.weak_form import BoundaryIntegral, EssentialCondition, PointLoad, TrialFunction
from pdedsl.problem.weak_form import NoWeakForm, WeakFormBuilder
from pdedsl.symbolic.evaluate import is_numerically_equal
from pdedsl.symbolic.mesh_domain import MeshNormal
from pdedsl.symbolic.rewrite import expand

Coefficients = Mapping[Derivative, Expr]
TRACE = "elements with continuous tangential components need the tangential trace n × E, or n × (∇×E)"


def curl_coefficient(problem: StrongForm) -> Expr | None:
    """a, if the terms of second order in space are those of ∇×(a ∇×E) for the vector E of all components."""
    size = len(problem.domain.space)
    if size not in (2, 3) or not len(problem.components) == len(problem.equations) == size:
        return None
    if problem.domain.metric is not None:
        return None
    factor: Expr | None = None
    for k, equation in enumerate(problem.equations):
        own = {d: equation.expr.diff(s) for s, d in equation.jet_variables if sum(d.orders[:size]) > 1}
        expected = _curl_curl(k, size, len(problem.domain.coordinates))
        if set(own) != set(expected):
            return None
        for d, sign in expected.items():
            coefficient = expand(sign * own[d])
            if factor is not None and coefficient != factor:
                return None
            factor = coefficient
    return factor if factor is not None and factor.free_symbols <= set(problem.domain.space) else None


def _curl_curl(k: int, size: int, coordinates: int) -> dict[Derivative, int]:
    """The coefficients ±1 of (∇×∇×E)ₖ = Σⱼ ∂ₖ∂ⱼEⱼ - ∂ⱼ²Eₖ over j ≠ k."""

    def derivative(component: int, *axes: int) -> Derivative:
        return Derivative(component, tuple(axes.count(i) for i in range(coordinates)))

    others = [j for j in range(size) if j != k]
    return {derivative(k, j, j): -1 for j in others} | {derivative(j, k, j): 1 for j in others}


class CurlFormBuilder(WeakFormBuilder):
    """Builds the weak form of ∇×(a ∇×E); `problem` has no other unknowns."""

    def _trial(self, k: int) -> TrialFunction:
        return replace(super()._trial(k), edge_component=self.variables[k][0])

    @cached_property
    def variables(self) -> tuple[tuple[int, int], ...]:
        """Component and order of the time derivative, with the components of a field one after the other."""
        orders = range(max(max(self.time_orders), 1))
        return tuple((c, j) for j in orders for c in range(len(self.problem.components)))

    @cached_property
    def multipliers(self) -> tuple[int, ...]:
        return ()

    def _matched_residuals(self) -> tuple[tuple[Expr, tuple[Expr, ...], Residual], ...]:
        return self._residuals

    # ---- Equations

    def _coefficient(self) -> Expr:
        a = curl_coefficient(self.problem)
        assert a is not None
        return a

    def _curl(self) -> list[Expr]:
        """∇×E as a vector of three components; in the plane the first two vanish."""

        def derivative(axis: int, component: int) -> Expr:
            if max(axis, component) >= self.dimension:
                return S.Zero
            return self.jet(self.variables.index((component, 0)), self.units[axis])

        return [derivative((i + 1) % 3, (i + 2) % 3) - derivative((i + 2) % 3, (i + 1) % 3) for i in range(3)]

    def _divergence_form(self, expr: Expr, trial: int, is_evolution: bool) -> tuple[tuple[Expr, ...], Expr]:
        """G with (∇×w)ₖ = ∇·G for w = a ∇×E, and the remaining terms."""
        a, curl, component = self._coefficient(), self._curl(), self.variables[trial][0]
        flux = tuple(
            Add(*(LeviCivita(component, i, j) * a * c for j, c in enumerate(curl))) for i in range(self.dimension)
        )
        second = {s: S.Zero for d, s in self.jets.items() if d.order == 2}
        gradient = Add(*(g.diff(x) for g, x in zip(flux, self.problem.domain.space, strict=True)))
        source = expand(expr.xreplace(second) - gradient)
        first = {s for d, s in self.jets.items() if d.order == 1}
        if source.free_symbols & first:
            raise NoWeakForm("first derivatives besides ∇×(a ∇×E) are not supported with Nédélec elements")
        own = {self.jet(k, self.zero) for k in range(len(self.variables))}
        if not is_evolution and not source.free_symbols & own:
            raise NoWeakForm("∇×(a ∇×E) without E itself determines E up to gradients")
        return flux, source

    def _point_load(self, source: PointSourceTerm, trial: int) -> PointLoad:
        raise NoWeakForm("point sources of a field in H(curl) are not supported")

    # ---- Conditions

    def _conditions_by_place(self) -> dict[tuple[Place, tuple[Expr, ...]], list[ScalarCondition]]:
        """The conditions on every part of the boundary, without rows 0 = 0 of cross products."""
        grouped: dict[tuple[Place, tuple[Expr, ...]], list[ScalarCondition]] = {}
        for c in self.problem.scalar_conditions:
            is_trivial = isinstance(c.kind, General) and c.kind.residual.expr == 0
            if not self.problem.domain.is_in_time(c.place) and not is_trivial:
                grouped.setdefault((c.place, c.part), []).append(c)
        return grouped

    def _boundary_conditions(self) -> Iterator[ScalarCondition]:
        """One condition for every part of the boundary."""
        return iter(conditions[0] for conditions in self._conditions_by_place().values())

    def _essential(self, condition: ScalarCondition) -> Iterator[EssentialCondition]:
        place, part = condition.place, condition.part
        trace = self._tangential_part(place, self._conditions_by_place()[place, part])
        if trace is None:
            return
        axis = place.coordinate if isinstance(place, Face) else None
        for k, (component, order) in enumerate(self.variables):
            if component == axis:
                continue
            value = trace[component]
            for _ in range(order):
                value = value.diff(self.problem.domain.coordinates[-1])
            yield EssentialCondition(k, value, place, part, condition.span)

    def _boundary_integrals(
        self, fluxes: Mapping[int, tuple[Expr, ...]], essential: Sequence[EssentialCondition]
    ) -> Iterator[BoundaryIntegral]:
        """(n × a ∇×E)·v where n × (∇×E) is prescribed."""
        imposed = {(c.place, c.part) for c in essential}
        for (place, part), conditions in self._conditions_by_place().items():
            if (place, part) in imposed:
                continue
            trace = self._natural_trace(place, conditions)
            for k in fluxes:
                integrand = expand(self._coefficient() * trace[self.variables[k][0]])
                if integrand != 0:
                    yield BoundaryIntegral(k, integrand, place, part, conditions[0].span)

    def _tangential_part(self, place: Place, conditions: Sequence[ScalarCondition]) -> Sequence[Expr] | None:
        """A vector with the prescribed tangential part; None if the condition is natural."""
        values = {c.kind.component: c.kind.value for c in conditions if isinstance(c.kind, Dirichlet)}
        if values:
            axis = place.coordinate if isinstance(place, Face) else None
            if len(values) < len(conditions) or set(values) != set(range(self.dimension)) - {axis}:
                raise NoWeakForm(TRACE)
            return [values.get(k, S.Zero) for k in range(self.dimension)]
        field = [{Derivative(c, self._orders()): S.One} for c in range(self.dimension)]
        rows = self._cross_product_rows(place, [*field, {}][:3])
        if any(set(self._terms(c)) - {d for f in field for d in f} for c in conditions):
            return None
        g = self._right_hand_sides(conditions, rows)
        n = (*self.normal, S.Zero)
        return cross([-m for m in n], g)[: self.dimension]  # E = n (n·E) - n × (n × E)

    def _natural_trace(self, place: Place, conditions: Sequence[ScalarCondition]) -> Sequence[Expr]:
        """n × (∇×E)."""
        curl: list[Coefficients] = [{} for _ in range(3)]
        for i, j, c in permutations(range(3)):
            if j < self.dimension and c < self.dimension:
                curl[i] = {**curl[i], Derivative(c, self._orders(j)): LeviCivita(i, j, c)}
        if self.dimension == 3:
            return self._right_hand_sides(conditions, self._cross_product_rows(place, curl))
        return cross((*self.normal, S.Zero), self._right_hand_sides(conditions, curl))

    def _cross_product_rows(self, place: Place, vector: Sequence[Coefficients]) -> list[Coefficients]:
        """The rows of n × w for a vector w of linear forms."""
        n = (*place.normal(self.problem.domain.space), S.Zero)
        rows: list[Coefficients] = []
        for i in range(3):
            row: dict[Derivative, Expr] = {}
            for j, k in ((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)):
                for d, a in vector[k].items():
                    row[d] = row.get(d, S.Zero) + LeviCivita(i, j, k) * n[j] * a
            rows.append({d: a for d, a in row.items() if a != 0})
        return rows

    def _right_hand_sides(self, conditions: Sequence[ScalarCondition], rows: Sequence[Coefficients]) -> list[Expr]:
        """g of the conditions row(E) = g(E), up to a factor, where g contains values; in the plane the third."""
        result: list[Expr] = [S.Zero] * 3
        for c in conditions:
            i = c.number[1] if self.dimension == 3 else 2
            row, terms = rows[i], self._terms(c)
            if not row or not set(row) <= set(terms):
                raise NoWeakForm(TRACE)
            factor, *others = (terms[d] / a for d, a in row.items())
            rest = {d: a for d, a in terms.items() if d not in row}
            if any(d.order for d in rest) or not all(f == factor or is_numerically_equal(f, factor) for f in others):
                raise NoWeakForm(TRACE)
            total = Add(self._inhomogeneity(c), *(a * self.jet(d.component, self.zero) for d, a in rest.items()))
            value = expand(-total / factor)
            result[i] = value.xreplace({n: self.normal[n.axis] for n in value.atoms(MeshNormal)})
        return result

    def _orders(self, *axes: int) -> tuple[int, ...]:
        return tuple(axes.count(k) for k in range(len(self.problem.domain.coordinates)))

    def _terms(self, condition: ScalarCondition) -> dict[Derivative, Expr]:
        return {d: a for d, a in self._affine(condition).terms if a != 0}

    def _inhomogeneity(self, condition: ScalarCondition) -> Expr:
        return self._affine(condition).inhomogeneity

    def _affine(self, condition: ScalarCondition) -> Affine:
        match condition.kind:
            case General(residual=Residual(affine=Affine() as affine)):
                return affine
            case _:
                raise NoWeakForm(TRACE)


def cross(a: Sequence[Expr], b: Sequence[Expr]) -> list[Expr]:
    """a × b"""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
