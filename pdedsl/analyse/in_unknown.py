"""How F depends on u: one-sided Lipschitz, and if ∂F/∂X depends on u, it is positive or F is a density, Δβ(u).

Crandall, Ishii, Lions, "User's guide to viscosity solutions" (1992), section 3; Brezis and Crandall 1979 for densities.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite

from sympy import Abs, Dummy, Expr, Heaviside, Max, Min, Mul, S, Symbol, diff, sign
from sympy import Matrix as Entries

from pdedsl.analyse.growth import activation_of, is_foreign
from pdedsl.analyse.letters import Letters
from pdedsl.analyse.positivity import locally_bounded, strictly_positive
from pdedsl.analyse.ranges import range_of
from pdedsl.analyse.signs import bounded_above
from pdedsl.symbolic.activations import Activation
from pdedsl.symbolic.atoms import atoms, free_symbols
from pdedsl.symbolic.expansion import expand
from pdedsl.symbolic.symbols import Field

KINKS = (Activation, Max, Min, Abs, sign, Heaviside)


def _folded(e: Expr) -> Expr:
    """Replaces x sign(x) by |x|, which has a derivative."""
    return e.replace(
        lambda a: isinstance(a, Mul) and any(isinstance(s, sign) and s.args[0] in a.args for s in a.args),
        lambda a: Mul(*(Abs(s.args[0]) / s.args[0] if isinstance(s, sign) else s for s in a.args)),
    )


@dataclass(frozen=True)
class InUnknown:
    """F as a function of u."""

    of: Letters

    @cached_property
    def is_lipschitz(self) -> bool:
        """Whether ∂F/∂u is bounded above on every bounded set of jets; for a linear equation, on all of space."""
        jet = self.of.jet
        if jet.u not in free_symbols(jet.expr) and not self._learned_of_u:
            return True
        if jet.is_affine:
            return jet.order == 0 or (jet.order == 1 and self._is_finite(jet.rate)) or self._is_below(jet.rate)
        whole = _folded(self.lower.xreplace(self._learned_of_u))
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
        parted = any(self.of.jet.u in free_symbols(a) for a in atoms(self.of.jet.expr, *KINKS))
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


def is_tame(slope: Expr, u: Symbol) -> bool:
    """Whether β is bounded near zero: β' is bounded there, or is a power of u with an exponent above -1."""
    power = slope.as_independent(u)[1].as_base_exp()
    if power[0] == u:
        return bool(power[1] > -1)
    return not slope.xreplace({u: S.Zero}).has(S.ComplexInfinity, S.NaN, S.Infinity)
