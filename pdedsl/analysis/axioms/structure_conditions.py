"""How F depends on x: A = ΣΣᵀ with Σ Lipschitz, a one-sided Lipschitz drift, and continuity where periodic ends meet.

Crandall, Ishii, Lions, "User's guide to viscosity solutions" (1992), section 3. A matrix a ⪰ 0 with bounded second
derivatives has a Lipschitz root (Stroock and Varadhan, Multidimensional Diffusion Processes, theorem 5.2.3).
"""

from __future__ import annotations

from dataclasses import dataclass
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
    Symbol,
    cancel,
    diff,
    factor_terms,
    log,
    sign,
    together,
)
from sympy import Matrix as Entries

from pdedsl.analysis.boundary import is_dirichlet_problem
from pdedsl.analysis.bounds.definiteness import Roots, Rows, semidefinite
from pdedsl.analysis.bounds.growth import activation_of, is_foreign
from pdedsl.analysis.bounds.interval import Box, RealInterval, range_of
from pdedsl.analysis.bounds.jet_bounds import LEAST, InTime, JetBounds
from pdedsl.analysis.bounds.relu_form import by_relu
from pdedsl.analysis.bounds.sign import (
    bounded_above,
    locally_bounded,
    nonnegative,
    positive,
    positive_inside,
    strictly_positive,
    vanishes,
)
from pdedsl.analysis.problem import Problem
from pdedsl.analysis.sample_points import ranges_of
from pdedsl.symbolic.functions import Activation
from pdedsl.symbolic.rewrite import expand
from pdedsl.symbolic.symbols import Field, atoms, free_symbols

# ---- in_space


JACOBIAN_BOUNDS = (0, 1, 100)  # upper bounds tried for the Jacobian of the drift


@dataclass(frozen=True)
class SpaceRegularity:
    """F as a function of x."""

    of: JetBounds

    @cached_property
    def drift_is_fine(self) -> bool:
        """Whether the drift is one-sided Lipschitz in x."""
        jet = self.of.jet
        return self._is_one_sided(jet.drift) if jet.is_affine else all(map(self._drift_of_term, self.of.terms))

    @cached_property
    def flow_is_fine(self) -> bool:
        """Whether what ∂u/∂t = ∇·(b u) carries, along x' = -b, does not reach infinity in finite time."""
        jet = self.of.jet
        return self._is_one_sided(tuple(-b for b in jet.drift)) if jet.is_affine else self.drift_is_fine

    def _is_one_sided(self, drift: tuple[Expr, ...]) -> bool:
        """Whether ⟨b(x) - b(y), x - y⟩ ≤ C|x - y|²."""
        if all(self._is_lipschitz(b) for b in drift):
            return True
        if any(b.has(Field) or range_of(b, self.of.near) is None for b in drift):
            return False
        jacobian = [[b.diff(x) for x in self.of.jet.coordinates] for b in drift]
        n = len(jacobian)
        if n == 1:
            return bounded_above(expand(jacobian[0][0]), self.of.box)
        return any(semidefinite(_shifted_symmetric_part(jacobian, shift, n), self.of.box) for shift in JACOBIAN_BOUNDS)

    def _is_lipschitz(self, e: Expr) -> bool:
        return not self.of.varies(e) or self.of.grower.of(e).is_lipschitz

    def _drift_of_term(self, term: Expr) -> bool:
        """Whether a term is c(x) g(u, p) with c Lipschitz and g Lipschitz in p; terms with X are not checked here."""
        if not self.of.varies(term) or term.free_symbols & set(self.of.jet.second):
            return True
        known, rest = self._split(term)
        if rest is None:
            return False
        if not rest.free_symbols & self.of.jet.variable_set:
            return True
        if not rest.free_symbols & set(self.of.jet.p):
            return self.of.grower.of(known).is_bounded
        slopes = [range_of(diff(rest, p), self.of.near_u) for p in self.of.jet.p]
        return self._is_lipschitz(known) and all(s is not None and isfinite(s.low) and isfinite(s.high) for s in slopes)

    def _split(self, term: Expr) -> tuple[Expr, Expr | None]:
        """The factors c(x, t) and g of a product, where g depends on the jet alone; g is None if it depends on x."""
        known = [f for f in Mul.make_args(term) if not f.free_symbols & self.of.jet.variable_set]
        rest = [f for f in Mul.make_args(term) if f.free_symbols & self.of.jet.variable_set]
        return Mul(*known), None if any(map(self.of.varies, rest)) else Mul(*rest)

    @cached_property
    def diffusion_is_fine(self) -> bool:
        """Whether the diffusion is ΣΣᵀ with Σ Lipschitz in x."""
        jet = self.of.jet
        if jet.is_affine or not any(e.free_symbols & jet.variable_set for row in jet.matrix for e in row):
            return self._has_a_root(jet.matrix)
        varying = [e for e in self.of.terms if e.free_symbols & set(jet.second) and self.of.varies(e)]
        if not varying:
            return True
        if len(jet.coordinates) == 1 and strictly_positive(jet.matrix[0][0], self.of.whole):
            return all(self._is_lipschitz(self._split(e)[0]) and self._split(e)[1] is not None for e in varying)
        return all(self._scales(self._split(e)[1]) and self._has_a_root(((self._split(e)[0],),)) for e in varying)

    def _scales(self, rest: Expr | None) -> bool:
        """Whether g(u, p, X) is positively homogeneous of degree one in X, like max(X, 2X): then σ² g(X) = g(σXσ). At
        x = 0, x² X³ is as degenerate as |x|^⅔ X, which has several solutions."""
        second = self.of.jet.second
        return rest is not None and all(
            vanishes(expand(by_relu(rest.xreplace({x: k * x for x in second})) - k * by_relu(rest))) for k in (2, 3)
        )

    def _has_a_root(self, rows: Rows) -> bool:
        if Roots(self.of).are_in(rows) and all(self._is_smooth_at_seams(e) for row in rows for e in row):
            return True
        entries = [e for row in rows for e in row if self.of.varies(e)]
        diagonal = all(e == 0 for i, row in enumerate(rows) for j, e in enumerate(row) if i != j)
        if diagonal and all(self._is_steady(e) for e in entries):
            return True
        return self._is_positive_inside(rows)

    def _is_smooth_at_seams(self, e: Expr) -> bool:
        """Whether its slope, too, agrees where periodic ends meet, or it is positive: √|sin| has a corner at 0."""
        space = self.of.problem.spec.space
        rings = [x for x, side in zip(space.coordinates, space.sides, strict=False) if side.periodic]
        return not rings or strictly_positive(e, self.of.box) or all(self._is_whole(e.diff(x)) for x in rings)

    def _is_steady(self, e: Expr) -> bool:
        g = self.of.grower.of(e)
        return g.is_lipschitz and positive(e, self.of.box)

    def _is_positive_inside(self, rows: Rows) -> bool:
        """Whether it is positive inside an interval with values given at both ends; it may vanish at the ends."""
        jet, space = self.of.jet, self.of.problem.spec.space
        if len(jet.coordinates) != 1 or not space.boundary or not is_dirichlet_problem(self.of.problem):
            return False
        x = jet.coordinates[0]
        return positive_inside(rows[0][0], x, self.of.box)

    @cached_property
    def is_whole_on_rings(self) -> bool:
        """Whether drift and diffusion agree where periodic ends meet."""
        jet = self.of.jet
        entries = (*jet.drift, *(e for row in jet.matrix for e in row)) if jet.is_affine else (jet.expr,)
        return self.are_whole(entries)

    def are_whole(self, entries: tuple[Expr, ...]) -> bool:
        return all(map(self._is_whole, entries))

    @cached_property
    def is_smooth_on_rings(self) -> bool:
        """The same for all coefficients."""
        jet = self.of.jet
        return self.is_whole_on_rings and (not jet.is_affine or self.are_whole((jet.rate, jet.source)))

    def _is_whole(self, whole: Expr) -> bool:
        ranges, space = ranges_of(self.of.problem.spec), self.of.problem.spec.space
        if any(side.periodic for side in space.sides) and any(self.of.varies(f) for f in atoms(whole, Field)):
            return False
        for x, side in zip(space.coordinates, space.sides, strict=False):
            if side.periodic and x in whole.free_symbols:
                low, high = ranges[x]
                if not vanishes(expand(whole.xreplace({x: high}) - whole.xreplace({x: low}))):
                    return False
        return True


def _shifted_symmetric_part(jacobian: list[list[Expr]], shift: int, n: int) -> Rows:
    """shift·I minus the symmetric part of a Jacobian."""
    return tuple(
        tuple(expand((shift if i == j else 0) - (jacobian[i][j] + jacobian[j][i]) / 2) for j in range(n))
        for i in range(n)
    )


# ---- in_unknown
# How F depends on u: one-sided Lipschitz, and if ∂F/∂X depends on u, it is positive or F is a density, Δβ(u).
#
# Crandall, Ishii, Lions, "User's guide to viscosity solutions" (1992), section 3; Brezis and Crandall 1979 for
# densities.


NONSMOOTH = (Activation, Max, Min, Abs, sign, Heaviside)


def _fold_signs(e: Expr) -> Expr:
    """Replaces x sign(x) by |x|, which has a derivative."""
    return e.replace(
        lambda a: isinstance(a, Mul) and any(isinstance(s, sign) and s.args[0] in a.args for s in a.args),
        lambda a: Mul(*(Abs(s.args[0]) / s.args[0] if isinstance(s, sign) else s for s in a.args)),
    )


@dataclass(frozen=True)
class UnknownRegularity:
    """F as a function of u."""

    of: JetBounds

    @cached_property
    def is_lipschitz(self) -> bool:
        """Whether ∂F/∂u is bounded above on every bounded set of jets; for a linear equation, on all of space."""
        jet = self.of.jet
        if jet.u not in free_symbols(jet.expr) and not self._learned_of_u:
            return True
        if jet.is_affine:
            return jet.order == 0 or (jet.order == 1 and self._is_finite(jet.rate)) or self._is_below(jet.rate)
        whole = _fold_signs(self.lower.xreplace(self._learned_of_u))
        slopes = [diff(whole, v) for v in (jet.u, *self._learned_of_u.values())]
        settled = [s.xreplace(self.of.singular_in_time) for s in slopes]
        return all(self._has_a_bound(s) for s in settled) and self._networks_are_lipschitz

    def _has_a_bound(self, slope: Expr) -> bool:
        """Whether it is bounded above for all ∇u and ∇∇u; if F is a balance law or diffuses, for bounded ones."""
        found = range_of(slope, self.of.whole, poles=True)  # -√u falls steeply at 0
        if found is not None and isfinite(found.high):
            return True
        free = not free_symbols(slope) & {*self.of.jet.p, *self.of.jet.second}
        return locally_bounded(slope, self.of.whole) and (free or self._is_balance or self._is_parabolic)

    @cached_property
    def _is_balance(self) -> bool:
        """Whether F is linear in ∇u, besides a density or a linear diffusion (Kruzhkov 1970; Carrillo 1999). Otherwise
        higher level sets may overtake lower ones: a jump of ∂u/∂t = u|∂u/∂x| travels at any speed up to its height."""
        jet, p = self.of.jet, {*self.of.jet.p, *self.of.jet.second}
        plain = not any(free_symbols(e) & p for row in jet.matrix for e in row)
        slopes = [diff(self.lower, q) for q in jet.p]
        return plain and not any(free_symbols(s) & p for s in slopes)

    @cached_property
    def _is_parabolic(self) -> bool:
        """Whether F diffuses in every direction."""
        rows = self.of.jet.matrix
        return (
            all(strictly_positive(row[i], self.of.whole) for i, row in enumerate(rows)) and Entries(rows).is_diagonal()
        )

    def _is_finite(self, rate: Expr) -> bool:
        """Whether the rate has an integral along every characteristic."""
        own = {w.head for w in self.of.problem.spec.learned if is_foreign(w)}
        return locally_bounded(rate, self.of.whole) and not any(f.head in own for f in atoms(rate, Field))

    def _is_below(self, rate: Expr) -> bool:
        """Whether the rate is bounded above, or grows at most linearly while the diffusion is bounded: then
        exp(λ(t)√(1 + |x|²)) grows faster."""
        grower, jet = self.of.grower, self.of.jet
        if bounded_above(rate.xreplace(self.of.singular_in_time), self.of.box) or grower.of(rate).is_bounded:
            return True
        return grower.of(rate).value <= 1 and all(grower.of(e).is_bounded for row in jet.matrix for e in row)

    @cached_property
    def _learned_of_u(self) -> dict[Expr, Expr]:
        """A symbol for each learned function of the unknown."""
        jet = self.of.jet
        found = [f for f in atoms(jet.expr, Field) if free_symbols(f) & jet.variable_set]
        return {f: Dummy(f"f{k}", real=True) for k, f in enumerate(sorted(found, key=str))}

    @property
    def _networks_are_lipschitz(self) -> bool:
        heads = {f.head for f in self._learned_of_u}
        learned = [w for w in self.of.problem.spec.learned if w.head in heads]
        inner = [diff(a, self.of.jet.u) for f in self._learned_of_u for a in f.arguments if a.args]
        smooth = all(locally_bounded(e, self.of.whole) for e in inner)
        return smooth and all(isfinite(activation_of(w).lipschitz) and not is_foreign(w) for w in learned)

    @cached_property
    def diffuses_well(self) -> bool:
        """Whether ∂F/∂X does not depend on u, or is positive, or F is a density, or ∂F/∂u is bounded."""
        jet = self.of.jet
        entries = [e for row in jet.matrix for e in row]
        if not any(self._has_u(e) for e in entries):
            return True
        diagonal = all(e == 0 for i, row in enumerate(jet.matrix) for j, e in enumerate(row) if i != j)
        own = [row[i] for i, row in enumerate(jet.matrix) if row[i] != 0]
        if diagonal and all(strictly_positive(e, self.of.whole) for e in own):
            return True
        return (diagonal and self._is_density) or self._is_proper

    @property
    def _is_proper(self) -> bool:
        """Whether ∂F/∂u is bounded uniformly in ∇u and ∇∇u: for all u, or for bounded u if F has no kink in u."""
        slope = diff(self.of.jet.expr, self.of.jet.u)
        parted = any(self.of.jet.u in free_symbols(a) for a in atoms(self.of.jet.expr, *NONSMOOTH))
        found = [range_of(slope, box) for box in ((self.of.whole,) if parted else (self.of.whole, self.of.near_u))]
        return any(r is not None and isfinite(r.low) and isfinite(r.high) for r in found)

    def _has_u(self, e: Expr) -> bool:
        return self.of.jet.u in free_symbols(e) or any(self.of.jet.u in free_symbols(f) for f in atoms(e, Field))

    @property
    def densities(self) -> tuple[Expr, ...]:
        """The slopes β' of its densities."""
        rows = self.of.jet.matrix
        return () if self._beside_density is None else tuple(row[i] for i, row in enumerate(rows))

    @cached_property
    def lower(self) -> Expr:
        """F minus its density Σ cᵢ ∂²β(u)/∂xᵢ², if it has one."""
        return self.of.jet.expr if self._beside_density is None else self._beside_density

    @cached_property
    def _beside_density(self) -> Expr | None:
        """F minus a density Σ cᵢ ∂²β(u)/∂xᵢ²; None if there is no density, or the rest is of second order."""
        jet = self.of.jet
        rest = jet.expr
        if not any(self._has_u(e) for row in jet.matrix for e in row):
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
        """Whether F is a density plus terms that are linear in ∇u."""
        rest, p = self._beside_density, self.of.jet.p
        return rest is not None and not any(free_symbols(rest.diff(q)) & set(p) for q in p)


def is_integrable_at_zero(slope: Expr, u: Symbol) -> bool:
    """Whether β is bounded near zero: β' is bounded there, or is a power of u with an exponent above -1."""
    power = slope.as_independent(u)[1].as_base_exp()
    if power[0] == u:
        return bool(power[1] > -1)
    return not slope.xreplace({u: S.Zero}).has(S.ComplexInfinity, S.NaN, S.Infinity)


# ---- structure
# What the hypotheses of comparison require of F besides ellipticity: where it is defined, how it depends on x, t, u.
#
# Crandall, Ishii, Lions, "User's guide to viscosity solutions" (1992), section 3.


@dataclass(frozen=True)
class StructureConditions:
    """F of an equation of first order in time, checked against the hypotheses."""

    of: JetBounds

    @cached_property
    def in_unknown(self) -> UnknownRegularity:
        return UnknownRegularity(self.of)

    @cached_property
    def in_space(self) -> SpaceRegularity:
        return SpaceRegularity(self.of)

    @cached_property
    def has_values(self) -> bool:
        """Whether F is defined for every jet; a singularity only at ∇u = 0 is admitted for level-set equations."""
        settled = self.in_unknown.lower.xreplace(self.of.singular_in_time)
        hidden = [a for e in self.of.problem.domain(self.of.jet) for a in Add.make_args(e)]
        if not all(map(self._is_defined, self.in_unknown.densities)) or not all(map(self._has_value, hidden)):
            return False
        return all(map(self._has_value, Add.make_args(settled))) or self._is_level_set

    def _has_value(self, e: Expr) -> bool:
        """Whether it is defined, and no logarithm is infinite, but for z log z."""
        box, factors = self.of.whole, {f.as_base_exp()[0] for f in Mul.make_args(e)}
        inner = [a.args[0] for a in atoms(e, log) if free_symbols(a) != {self.of.time}]
        finite = ((found := range_of(z, box)) is not None and (found.low > 0 or z in factors) for z in inner)
        return range_of(e, box) is not None and all(finite)

    @cached_property
    def keeps_sign(self) -> bool:
        """Whether u = 0 does not decrease, or F is linear and has the same form for u < 0."""
        jet = self.of.jet
        if jet.is_affine:
            return True
        lower = (e for e in Add.make_args(self.in_unknown.lower) if not free_symbols(e) & set(jet.second))
        at_zero = Add(*lower).xreplace(dict.fromkeys((jet.u, *jet.p), S.Zero))
        return nonnegative(at_zero, self.of.box)

    def _is_defined(self, slope: Expr) -> bool:
        """Whether β has a value for all u, by its slope: that of √u is unbounded at 0, where √u has one if u ≥ 0."""
        u, box = self.of.jet.u, self.of.whole
        settled = slope.xreplace(self.of.singular_in_time)
        if range_of(settled, box) is not None:
            return True
        return (
            u.is_nonnegative
            and is_integrable_at_zero(slope, u)
            and range_of(settled, {**box, u: RealInterval(LEAST, inf)}) is not None
        )

    @cached_property
    def _is_level_set(self) -> bool:
        """Whether ∂F/∂X is homogeneous of degree ≥ 0 in ∇u, and F singular only at ∇u = 0 (Evans and Spruck; Chen,
        Giga, Goto 1991)."""
        jet, scale = self.of.jet, Dummy("scale", positive=True)
        if any(range_of(e, away) is None for away in self._away for e in self.of.terms):
            return False
        second = set(jet.second)
        if not all(self._has_value(e) for e in self.of.terms if not free_symbols(e) & second):
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
    def _away(self) -> list[Box]:
        """Boxes that cover all nonzero gradients: in each, one component is nonzero."""
        ends = (RealInterval(LEAST, inf), RealInterval(-inf, -LEAST))
        return [{**self.of.whole, p: side} for p in self.of.jet.p for side in ends]

    @cached_property
    def is_continuous(self) -> bool:
        """Whether F has no jump in ∇u and ∇∇u; z sign(z) has none, and one in front of ∂²u/∂xᵢ² that depends on ∂u/∂xᵢ
        alone belongs to a flux."""
        return all(map(self._joins, self.of.terms))

    def _joins(self, term: Expr) -> bool:
        jet, powers = self.of.jet, [f.as_base_exp() for f in Mul.make_args(term)]
        jumps = [a.args[0] for a in term.atoms(sign, Heaviside) if free_symbols(a) & {*jet.p, *jet.second}]
        small = {base for base, power in powers if power.is_positive}
        if all(z in small or Abs(z) in small for z in jumps):
            return True
        others = [(jet.variable_set - {p}, term / jet.x[i, i]) for i, p in enumerate(jet.p)]
        return any(not (free_symbols(rest) & apart or self.of.varies(rest)) for apart, rest in others)

    @cached_property
    def is_integrable_in_time(self) -> bool:
        return all(self.of.in_time(e) is not InTime.UNKNOWN for e in self.of.terms)


def structure_conditions(problem: Problem) -> StructureConditions:
    return StructureConditions(JetBounds(problem))


def _factor_roots(e: Expr) -> Expr:
    """The expression with common factors taken out of roots."""
    return e.replace(lambda a: isinstance(a, Pow), lambda a: factor_terms(a.base) ** a.exp)
