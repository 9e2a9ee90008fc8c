"""Structure conditions of the comparison theorem for F(x, t, u, ∇u, ∇∇u), besides ellipticity.

In x: A = ΣΣᵀ with Σ Lipschitz, and a one-sided Lipschitz drift. In u: F is one-sided Lipschitz; if ∂F/∂X depends on u,
it is positive, or the diffusion has the form Δβ(u). In t: the coefficients are locally integrable.

Crandall, Ishii, Lions, "User's guide to viscosity solutions" (1992), section 3; Brezis and Crandall 1979 for Δβ(u). A
matrix a ⪰ 0 with bounded second derivatives has a Lipschitz root (Stroock and Varadhan, Multidimensional Diffusion
Processes, theorem 5.2.3).
"""

from __future__ import annotations

from functools import cached_property
from math import inf, isfinite

from sympy import (
    Abs,
    Add,
    Dummy,
    Expr,
    Heaviside,
    Max,
    Min,
    Mul,
    Pow,
    S,
    cancel,
    diff,
    factor_terms,
    log,
    sign,
    together,
)

from pdedsl.analysis.bounds.definiteness import LipschitzSquareRoots, Rows
from pdedsl.analysis.bounds.growth import activation_of, has_unknown_regularity
from pdedsl.analysis.bounds.interval import Box, RealInterval, range_of
from pdedsl.analysis.bounds.jet_bounds import POSITIVE_MIN, JetBounds
from pdedsl.analysis.bounds.sign import (
    locally_bounded,
    nonnegative,
    positive,
    vanishes,
)
from pdedsl.analysis.problem import Problem
from pdedsl.analysis.sample_points import ranges_of
from pdedsl.record import Record
from pdedsl.symbolic.functions import ActivationFunction
from pdedsl.symbolic.rewrite import expand
from pdedsl.symbolic.symbols import Field, atoms, free_symbols

# ---- Dependence on x


class SpaceRegularity(Record):
    """F as a function of x."""

    bounds: JetBounds

    @cached_property
    def drift_is_one_sided_lipschitz(self) -> bool:
        """Whether the drift is one-sided Lipschitz in x."""
        jet = self.bounds.jet
        return (
            self._is_one_sided_lipschitz(jet.drift)
            if jet.is_affine
            else all(map(self._drift_term_is_lipschitz, self.bounds.terms))
        )

    @cached_property
    def flow_is_complete(self) -> bool:
        """Whether the characteristics x' = -b of ∂u/∂t = ∇·(b u) do not explode in finite time."""
        jet = self.bounds.jet
        return (
            self._is_one_sided_lipschitz(tuple(-b for b in jet.drift))
            if jet.is_affine
            else self.drift_is_one_sided_lipschitz
        )

    def _is_one_sided_lipschitz(self, drift: tuple[Expr, ...]) -> bool:
        """Whether ⟨b(x) - b(y), x - y⟩ ≤ C|x - y|²."""
        if all(self._is_lipschitz(b) for b in drift):
            return True
        if any(b.has(Field) or range_of(b, self.bounds.bounded_box) is None for b in drift):
            return False
        derivatives = [expand(b.diff(x)) for b, x in zip(drift, self.bounds.jet.coordinates, strict=True)]
        range_ = range_of(derivatives[0], self.bounds.box) if len(drift) == 1 else None
        return range_ is not None and range_.high < inf

    def _is_lipschitz(self, e: Expr) -> bool:
        return not self.bounds.depends_on_x(e) or self.bounds.growth.of(e).is_lipschitz

    def _drift_term_is_lipschitz(self, term: Expr) -> bool:
        """Whether a term is c(x) g(u, p) with c Lipschitz and g Lipschitz in p; terms with X are not checked here."""
        if not self.bounds.depends_on_x(term) or term.free_symbols & set(self.bounds.jet.second):
            return True
        known, rest = self._split(term)
        if rest is None:
            return False
        if not rest.free_symbols & self.bounds.jet.variable_set:
            return True
        if not rest.free_symbols & set(self.bounds.jet.p):
            return self.bounds.growth.of(known).is_bounded
        derivatives = [range_of(diff(rest, p), self.bounds.bounded_u_box) for p in self.bounds.jet.p]
        return self._is_lipschitz(known) and all(
            s is not None and isfinite(s.low) and isfinite(s.high) for s in derivatives
        )

    def _split(self, term: Expr) -> tuple[Expr, Expr | None]:
        """The factors c(x, t) and g of a product, where g depends on the jet alone; g is None if it depends on x."""
        known = [f for f in Mul.make_args(term) if not f.free_symbols & self.bounds.jet.variable_set]
        rest = [f for f in Mul.make_args(term) if f.free_symbols & self.bounds.jet.variable_set]
        return Mul(*known), None if any(map(self.bounds.depends_on_x, rest)) else Mul(*rest)

    @cached_property
    def diffusion_has_lipschitz_root(self) -> bool:
        """Whether the diffusion is ΣΣᵀ with Σ Lipschitz in x."""
        jet = self.bounds.jet
        if jet.is_affine or not any(e.free_symbols & jet.variable_set for row in jet.matrix for e in row):
            return self._has_lipschitz_root(jet.matrix)
        second = set(jet.second)
        return not any(e.free_symbols & second and self.bounds.depends_on_x(e) for e in self.bounds.terms)

    def _has_lipschitz_root(self, rows: Rows) -> bool:
        return LipschitzSquareRoots(self.bounds).exist_for(rows) and all(
            self._is_smooth_across_periodic_boundary(e) for row in rows for e in row
        )

    def _is_smooth_across_periodic_boundary(self, e: Expr) -> bool:
        """Whether its derivative is periodic, too, or it is positive: √|sin| has a corner at 0."""
        space = self.bounds.problem.spec.space
        periodic = [x for x, interval in zip(space.coordinates, space.intervals, strict=False) if interval.periodic]
        return not periodic or positive(e, self.bounds.box) or all(self._is_periodic(e.diff(x)) for x in periodic)

    @cached_property
    def leading_coefficients_are_periodic(self) -> bool:
        """Whether drift and diffusion are continuous across periodic boundaries."""
        jet = self.bounds.jet
        entries = (*jet.drift, *(e for row in jet.matrix for e in row)) if jet.is_affine else (jet.expr,)
        return self.are_periodic(entries)

    def are_periodic(self, entries: tuple[Expr, ...]) -> bool:
        return all(map(self._is_periodic, entries))

    @cached_property
    def coefficients_are_periodic(self) -> bool:
        """The same for all coefficients."""
        jet = self.bounds.jet
        return self.leading_coefficients_are_periodic and (
            not jet.is_affine or self.are_periodic((jet.rate, jet.source))
        )

    def _is_periodic(self, expression: Expr) -> bool:
        ranges, space = ranges_of(self.bounds.problem.spec), self.bounds.problem.spec.space
        if any(interval.periodic for interval in space.intervals) and any(
            self.bounds.depends_on_x(f) for f in atoms(expression, Field)
        ):
            return False
        for x, interval in zip(space.coordinates, space.intervals, strict=False):
            if interval.periodic and x in expression.free_symbols:
                low, high = ranges[x]
                if not vanishes(expand(expression.xreplace({x: high}) - expression.xreplace({x: low}))):
                    return False
        return True


# ---- Dependence on u


NONSMOOTH = (ActivationFunction, Max, Min, Abs, sign, Heaviside)


def _fold_signs(e: Expr) -> Expr:
    """Replaces x sign(x) by |x|, which has a derivative."""
    return e.replace(
        lambda a: isinstance(a, Mul) and any(isinstance(s, sign) and s.args[0] in a.args for s in a.args),
        lambda a: Mul(*(Abs(s.args[0]) / s.args[0] if isinstance(s, sign) else s for s in a.args)),
    )


class UnknownRegularity(Record):
    """F as a function of u."""

    bounds: JetBounds

    @cached_property
    def is_one_sided_lipschitz(self) -> bool:
        """Whether ∂F/∂u is bounded above for bounded u, ∇u, ∇∇u; for a linear equation, on the whole space."""
        jet = self.bounds.jet
        if jet.u not in free_symbols(jet.expr) and not self._learned_of_u:
            return True
        if jet.is_affine:
            return (
                jet.order == 0 or (jet.order == 1 and self._is_finite(jet.rate)) or self._rate_is_admissible(jet.rate)
            )
        expression = _fold_signs(self.lower_order_terms.xreplace(self._learned_of_u))
        derivatives = [diff(expression, v) for v in (jet.u, *self._learned_of_u.values())]
        return all(map(self._is_bounded_above, derivatives)) and self._networks_are_lipschitz

    def _is_bounded_above(self, derivative: Expr) -> bool:
        """Whether it is bounded above for all ∇u and ∇∇u; for bounded ones if F is a balance law."""
        range_ = range_of(derivative, self.bounds.full_box, poles=True)  # the derivative of -√u is -∞ at 0
        if range_ is not None and isfinite(range_.high):
            return True
        free = not free_symbols(derivative) & {*self.bounds.jet.p, *self.bounds.jet.second}
        return locally_bounded(derivative, self.bounds.full_box) and (free or self._is_balance_law)

    @cached_property
    def _is_balance_law(self) -> bool:
        """Whether F is linear in ∇u, apart from Δβ(u) or a linear diffusion (Kruzhkov 1970; Carrillo 1999). Otherwise
        higher level sets may overtake lower ones: a shock of ∂u/∂t = u|∂u/∂x| has any speed up to its height."""
        jet, p = self.bounds.jet, {*self.bounds.jet.p, *self.bounds.jet.second}
        plain = not any(free_symbols(e) & p for row in jet.matrix for e in row)
        derivatives = [diff(self.lower_order_terms, q) for q in jet.p]
        return plain and not any(free_symbols(s) & p for s in derivatives)

    def _is_finite(self, rate: Expr) -> bool:
        """Whether the reaction rate is integrable along every characteristic."""
        own = {w.head for w in self.bounds.problem.spec.learned if has_unknown_regularity(w)}
        return locally_bounded(rate, self.bounds.full_box) and not any(f.head in own for f in atoms(rate, Field))

    def _rate_is_admissible(self, rate: Expr) -> bool:
        """Whether the reaction rate is bounded above, or has at most linear growth with bounded diffusion: then
        exp(λ(t)√(1 + |x|²)) is a supersolution."""
        grower, jet = self.bounds.growth, self.bounds.jet
        range_ = range_of(rate, self.bounds.box)
        if (range_ is not None and range_.high < inf) or grower.of(rate).is_bounded:
            return True
        return grower.of(rate).value <= 1 and all(grower.of(e).is_bounded for row in jet.matrix for e in row)

    @cached_property
    def _learned_of_u(self) -> dict[Expr, Expr]:
        """A symbol for each learned function of the unknown."""
        jet = self.bounds.jet
        fields = [f for f in atoms(jet.expr, Field) if free_symbols(f) & jet.variable_set]
        return {f: Dummy(f"f{k}", real=True) for k, f in enumerate(sorted(fields, key=str))}

    @property
    def _networks_are_lipschitz(self) -> bool:
        heads = {f.head for f in self._learned_of_u}
        learned = [w for w in self.bounds.problem.spec.learned if w.head in heads]
        inner = [diff(a, self.bounds.jet.u) for f in self._learned_of_u for a in f.arguments if a.args]
        smooth = all(locally_bounded(e, self.bounds.full_box) for e in inner)
        return smooth and all(isfinite(activation_of(w).lipschitz) and not has_unknown_regularity(w) for w in learned)

    @cached_property
    def has_admissible_diffusion(self) -> bool:
        """Whether ∂F/∂X is independent of u or positive, or the diffusion is Δβ(u)."""
        jet = self.bounds.jet
        entries = [e for row in jet.matrix for e in row]
        if not any(self._depends_on_u(e) for e in entries):
            return True
        diagonal = all(e == 0 for i, row in enumerate(jet.matrix) for j, e in enumerate(row) if i != j)
        own = [row[i] for i, row in enumerate(jet.matrix) if row[i] != 0]
        if diagonal and all(positive(e, self.bounds.full_box) for e in own):
            return True
        return diagonal and self._is_density

    def _depends_on_u(self, e: Expr) -> bool:
        return self.bounds.jet.u in free_symbols(e) or any(
            self.bounds.jet.u in free_symbols(f) for f in atoms(e, Field)
        )

    @property
    def density_derivatives(self) -> tuple[Expr, ...]:
        """β' for each direction, if the diffusion is Δβ(u)."""
        rows = self.bounds.jet.matrix
        return () if self._without_density is None else tuple(row[i] for i, row in enumerate(rows))

    @cached_property
    def lower_order_terms(self) -> Expr:
        """F without the diffusion Σ cᵢ ∂²β(u)/∂xᵢ², if it has this form."""
        return self.bounds.jet.expr if self._without_density is None else self._without_density

    @cached_property
    def _without_density(self) -> Expr | None:
        """F minus Σ cᵢ ∂²β(u)/∂xᵢ²; None if the diffusion does not have this form."""
        jet = self.bounds.jet
        rest = jet.expr
        if not any(self._depends_on_u(e) for row in jet.matrix for e in row):
            return None
        for i, p in enumerate(jet.p):
            a = jet.matrix[i][i]
            if free_symbols(a) & {*jet.p, *jet.second, *jet.coordinates}:
                return None
            rest = rest - a * jet.x[i, i] - a.diff(jet.u) * p**2
        rest = expand(rest)
        return None if free_symbols(rest) & set(jet.second) else rest

    @property
    def _is_density(self) -> bool:
        """Whether F is Δβ(u) plus terms that are linear in ∇u."""
        rest, p = self._without_density, self.bounds.jet.p
        return rest is not None and not any(free_symbols(rest.diff(q)) & set(p) for q in p)


# ---- All conditions


class StructureConditions(Record):
    """The structure conditions for F of an equation of first order in time."""

    bounds: JetBounds

    @cached_property
    def unknown_regularity(self) -> UnknownRegularity:
        return UnknownRegularity(self.bounds)

    @cached_property
    def space_regularity(self) -> SpaceRegularity:
        return SpaceRegularity(self.bounds)

    @cached_property
    def is_defined_everywhere(self) -> bool:
        """Whether F is defined for all u, ∇u, ∇∇u; level-set equations may be singular at ∇u = 0."""
        lower = self.unknown_regularity.lower_order_terms
        hidden = [a for e in self.bounds.problem.cancelled_in(self.bounds.jet) for a in Add.make_args(e)]
        densities = self.unknown_regularity.density_derivatives
        if any(range_of(e, self.bounds.full_box) is None for e in densities) or not all(
            map(self._is_finite_term, hidden)
        ):
            return False
        return all(map(self._is_finite_term, Add.make_args(lower))) or self._is_level_set

    def _is_finite_term(self, e: Expr) -> bool:
        """Whether it is defined and finite; z log z is finite at 0."""
        box, factors = self.bounds.full_box, {f.as_base_exp()[0] for f in Mul.make_args(e)}
        inner = [a.args[0] for a in atoms(e, log) if free_symbols(a) != {self.bounds.time}]
        finite = ((range_ := range_of(z, box)) is not None and (range_.low > 0 or z in factors) for z in inner)
        return range_of(e, box) is not None and all(finite)

    @cached_property
    def preserves_sign(self) -> bool:
        """Whether F ≥ 0 at u = 0, ∇u = 0, or F is linear and also defined for u < 0."""
        jet = self.bounds.jet
        if jet.is_affine:
            return True
        lower = (
            e for e in Add.make_args(self.unknown_regularity.lower_order_terms) if not free_symbols(e) & set(jet.second)
        )
        at_zero = Add(*lower).xreplace(dict.fromkeys((jet.u, *jet.p), S.Zero))
        return nonnegative(at_zero, self.bounds.box)

    @cached_property
    def _is_level_set(self) -> bool:
        """Whether ∂F/∂X is homogeneous of degree ≥ 0 in ∇u, and F singular only at ∇u = 0 (Evans and Spruck; Chen,
        Giga, Goto 1991)."""
        jet, scale = self.bounds.jet, Dummy("scale", positive=True)
        if any(range_of(e, away) is None for away in self._nonzero_gradient_boxes for e in self.bounds.terms):
            return False
        second = set(jet.second)
        if not all(self._is_finite_term(e) for e in self.bounds.terms if not free_symbols(e) & second):
            return False
        values = [e for row in jet.matrix for e in row]
        for e in values:
            scaled = _factor_roots(e.xreplace({p: scale * p for p in jet.p}))
            ratio = cancel(together(scaled / e)) if e != 0 else S.One
            power = ratio.as_base_exp()
            if ratio != 1 and not (power[0] == scale and power[1].is_nonnegative):
                return False
        return True

    @property
    def _nonzero_gradient_boxes(self) -> list[Box]:
        """Boxes that cover all nonzero gradients: in each, one component is nonzero."""
        ends = (RealInterval(POSITIVE_MIN, inf), RealInterval(-inf, -POSITIVE_MIN))
        return [{**self.bounds.full_box, p: interval} for p in self.bounds.jet.p for interval in ends]

    @cached_property
    def is_continuous(self) -> bool:
        """Whether the right-hand side is continuous in ∇u and ∇∇u, as z sign(z) is."""
        return all(map(self._is_continuous_term, self.bounds.terms))

    def _is_continuous_term(self, term: Expr) -> bool:
        jet, powers = self.bounds.jet, [f.as_base_exp() for f in Mul.make_args(term)]
        discontinuities = [a.args[0] for a in term.atoms(sign, Heaviside) if free_symbols(a) & {*jet.p, *jet.second}]
        small = {base for base, power in powers if power.is_positive}
        return all(z in small or Abs(z) in small for z in discontinuities)

    @cached_property
    def is_bounded_in_time(self) -> bool:
        return all(map(self.bounds.is_bounded_in_time, self.bounds.terms))


def structure_conditions(problem: Problem) -> StructureConditions:
    return StructureConditions(JetBounds(problem))


def _factor_roots(e: Expr) -> Expr:
    """The expression with common factors moved out of roots."""
    return e.replace(lambda a: isinstance(a, Pow), lambda a: factor_terms(a.base) ** a.exp)
