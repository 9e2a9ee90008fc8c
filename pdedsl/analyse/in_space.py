"""How F depends on x: A = ΣΣᵀ with Σ Lipschitz, a one-sided Lipschitz drift, and continuity where periodic ends meet.

Crandall, Ishii, Lions, "User's guide to viscosity solutions" (1992), section 3. A matrix a ⪰ 0 with bounded second
derivatives has a Lipschitz root (Stroock and Varadhan, Multidimensional Diffusion Processes, theorem 5.2.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite

from sympy import Expr, Mul, diff

from pdedsl.analyse.kinks import by_relu
from pdedsl.analyse.letters import Letters
from pdedsl.analyse.matrices import Rows, semidefinite
from pdedsl.analyse.positivity import positive_inside, strictly_positive
from pdedsl.analyse.ranges import range_of
from pdedsl.analyse.samples import ranges_of
from pdedsl.analyse.sides import all_values
from pdedsl.analyse.signs import bounded_above, positive, vanishes
from pdedsl.analyse.square_roots import Roots
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.expansion import expand
from pdedsl.symbolic.symbols import Field

SHIFTS = (0, 1, 100)  # upper bounds tried for the Jacobian of the drift


@dataclass(frozen=True)
class InSpace:
    """F as a function of x."""

    of: Letters

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
        return any(semidefinite(_lifted(jacobian, shift, n), self.of.box) for shift in SHIFTS)

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
        if len(jet.coordinates) != 1 or not space.boundary or not all_values(self.of.problem):
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


def _lifted(jacobian: list[list[Expr]], shift: int, n: int) -> Rows:
    """shift·I minus the symmetric part of a Jacobian."""
    return tuple(
        tuple(expand((shift if i == j else 0) - (jacobian[i][j] + jacobian[j][i]) / 2) for j in range(n))
        for i in range(n)
    )
