"""What the hypotheses of comparison ask of F besides ellipticity: where it has a value, and how it depends on x, t, u.

Crandall, Ishii, Lions, "User's guide to viscosity solutions" (1992), section 3: A = ΣΣᵀ with Σ Lipschitz in x, a drift
that is one-sided Lipschitz, F one-sided Lipschitz in u. A matrix a ⪰ 0 with bounded second derivatives has a Lipschitz
root (Stroock and Varadhan, Multidimensional Diffusion Processes, theorem 5.2.3). Where ∂F/∂X depends on u it must be
positive, or F a density Δβ(u) (Brezis and Crandall 1979).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite

from sympy import (
    Add,
    Dummy,
    Expr,
    Max,
    Min,
    Mul,
    Pow,
    Rational,
    S,
    Symbol,
    cancel,
    diff,
    exp,
    expand,
    factor_terms,
    tanh,
    together,
)

from pdedsl.analyse.growth import Grower, InTime, activation_of, in_time
from pdedsl.analyse.intervals import Box, Range, range_of
from pdedsl.analyse.jets import Jet
from pdedsl.analyse.matrices import Rows, semidefinite
from pdedsl.analyse.problem import Problem
from pdedsl.analyse.samples import ranges_of
from pdedsl.analyse.sides import all_values
from pdedsl.analyse.signs import between_roots, bounded_above, box_of, nonnegative, positive, vanishes
from pdedsl.symbolic.activations import Activation, Slope
from pdedsl.symbolic.symbols import Field, Partial

SIZE = Fraction(100)  # of bounded values of u, ∇u and ∇∇u
SHIFTS = (0, 1, 100)  # of a Jacobian that is bounded above
MAX_SHORT = 4  # terms of a sum that is brought to one denominator


@dataclass(frozen=True)
class Structure:
    """F of an equation of first order in time, read for the hypotheses."""

    problem: Problem

    @property
    def jet(self) -> Jet:
        return self.problem.jet

    @cached_property
    def box(self) -> Box:
        return box_of(ranges_of(self.problem.spec, self.problem.equation))

    @property
    def time(self) -> Symbol | None:
        return self.problem.spec.time.symbol if self.problem.spec.time else None

    @cached_property
    def grower(self) -> Grower:
        bounded = bool(self.problem.spec.space.sides)
        return Grower(frozenset(self.jet.coordinates), self.box, self.problem.spec, bounded)

    @cached_property
    def terms(self) -> tuple[Expr, ...]:
        return tuple(Add.make_args(self.jet.expr))

    # ---- values

    @cached_property
    def has_values(self) -> bool:
        """F has a value for every jet; a pole where the gradient vanishes alone is none where F stays bounded."""
        settled = self._lower.xreplace(self._singular_in_time)
        box = {**self.box, self.jet.u: self.near[self.jet.u]} if self.jet.u.is_positive else self.box
        if all(range_of(e, box) is not None for e in Add.make_args(settled)):
            return True
        return self._is_level_set

    @cached_property
    def _singular_in_time(self) -> dict[Expr, Expr]:
        """Factors that have no bound at an end of the time, as letters."""
        if self.time is None or self.time not in self.jet.expr.free_symbols:
            return {}
        rough = [a for a in self.jet.expr.atoms(Pow) if a.free_symbols == {self.time} and range_of(a, self.box) is None]
        return {a: Dummy(positive=True) for a in rough}

    @cached_property
    def _is_level_set(self) -> bool:
        """Homogeneous of degree 0 or more in ∇u, and singular there alone (Evans and Spruck; Chen, Giga, Goto 1991)."""
        jet, scale = self.jet, Dummy("scale", positive=True)
        if any(range_of(e, away) is None for away in self._away for e in self.terms):
            return False
        values = [e for row in jet.matrix for e in row]
        for e in values:
            scaled = _taken_out(e.xreplace({p: scale * p for p in jet.p}))
            ratio = cancel(together(scaled / e)) if e != 0 else S.One
            power = ratio.as_base_exp()
            if ratio != 1 and not (power[0] == scale and power[1].is_nonnegative):
                return False
        return True

    @property
    def _away(self) -> list[Box]:
        """Boxes in which the gradient does not vanish, since one of its components does not."""
        ends = (Range(1 / SIZE, SIZE), Range(-SIZE, -1 / SIZE))
        return [{**self.near, p: side} for p in self.jet.p for side in ends]

    # ---- dependence on u

    @cached_property
    def near(self) -> Box:
        """Bounded values of the jet; those of an unknown that is positive stay away from zero."""
        u, wide = self.jet.u, Range(-SIZE, SIZE)
        low = 1 / SIZE if u.is_positive else Fraction(0) if u.is_nonnegative else -SIZE
        letters = dict.fromkeys(self.jet.variables, wide) | {u: Range(low, SIZE)}
        return {**dict.fromkeys(self.jet.coordinates, wide), **letters, **self.box}

    @cached_property
    def is_lipschitz_in_u(self) -> bool:
        """∂F/∂u has an upper bound for bounded jets; for a linear equation in all of space."""
        jet = self.jet
        if jet.u not in jet.expr.free_symbols and not self._learned_of_u:
            return True
        if jet.is_affine:
            return jet.order == 0 or self._is_below(jet.rate)
        whole = self._lower.xreplace(self._learned_of_u)
        slopes = [diff(whole, v) for v in (jet.u, *self._learned_of_u.values())]
        bounds = [range_of(s.xreplace(self._singular_in_time), self.near) for s in slopes]
        return all(b is not None and isfinite(b.high) for b in bounds) and self._networks_are_lipschitz

    def _is_below(self, rate: Expr) -> bool:
        if rate.has(Field):
            return True  # of a network, bounded on bounded sets
        return bounded_above(rate.xreplace(self._singular_in_time), self.box) or self.grower.of(rate).is_bounded

    @cached_property
    def _learned_of_u(self) -> dict[Expr, Expr]:
        """Learned functions of the unknown, as letters."""
        jet = self.jet
        found = [f for f in jet.expr.atoms(Field) if f.free_symbols & jet.variable_set]
        return {f: Dummy(f"f{k}", real=True) for k, f in enumerate(sorted(found, key=str))}

    @property
    def _networks_are_lipschitz(self) -> bool:
        heads = {f.head for f in self._learned_of_u}
        learned = [w for w in self.problem.spec.learned if w.head in heads]
        return all(isfinite(activation_of(w).lipschitz) for w in learned)

    @cached_property
    def diffuses_well_in_u(self) -> bool:
        """∂F/∂X does not depend on u, or is positive, or F is a density."""
        jet = self.jet
        entries = [e for row in jet.matrix for e in row]
        if not any(self._has_u(e) for e in entries):
            return True
        diagonal = all(e == 0 for i, row in enumerate(jet.matrix) for j, e in enumerate(row) if i != j)
        if diagonal and all(strictly_positive(row[i], self.near) for i, row in enumerate(jet.matrix) if row[i] != 0):
            return True
        return (diagonal and self._is_density) or self._is_proper

    @property
    def _is_proper(self) -> bool:
        """∂F/∂u is bounded for all ∇u and ∇∇u at once."""
        slope = range_of(diff(self.jet.expr, self.jet.u), self.near_u)
        return slope is not None and isfinite(slope.low) and isfinite(slope.high)

    def _has_u(self, e: Expr) -> bool:
        return self.jet.u in e.free_symbols or any(self.jet.u in f.free_symbols for f in e.atoms(Field))

    @cached_property
    def _lower(self) -> Expr:
        """F without a density Σ cᵢ ∂²β(u)/∂xᵢ², if there is one."""
        return self.jet.expr if self._beside_density is None else self._beside_density

    @cached_property
    def _beside_density(self) -> Expr | None:
        """What stands beside a density Σ cᵢ ∂²β(u)/∂xᵢ²; None where there is no density, or more of second order."""
        jet = self.jet
        rest = jet.expr
        if not any(self._has_u(e) for row in jet.matrix for e in row):
            return None
        for i, p in enumerate(jet.p):
            a = jet.matrix[i][i]
            if a.free_symbols & {*jet.p, *jet.second, *jet.coordinates}:
                return None
            rest = rest - a * jet.x[i, i] - a.diff(jet.u) * p**2
        rest = expand(rest)
        return None if rest.free_symbols & set(jet.second) else rest

    @property
    def _is_density(self) -> bool:
        """A density, and terms of first order that are linear in ∇u."""
        rest, p = self._beside_density, self.jet.p
        return rest is not None and not any(rest.diff(q).free_symbols & set(p) for q in p)

    # ---- dependence on x

    def _of_networks(self, e: Expr) -> bool:
        """Whether x stands only in learned fields and their derivatives."""
        learned = {w.head for w in self.problem.spec.learned}
        inside = [f for f in e.atoms(Field, Partial) if _head(f) in learned]
        return bool(inside) and not e.xreplace(dict.fromkeys(inside, S.One)).free_symbols & set(self.jet.coordinates)

    def _varies(self, e: Expr) -> bool:
        base = set(self.problem.spec.space.coordinates)
        return bool(e.free_symbols & set(self.jet.coordinates)) or any(f.free_symbols & base for f in e.atoms(Field))

    @cached_property
    def drift_is_fine(self) -> bool:
        """One-sided Lipschitz in x."""
        jet = self.jet
        if not jet.is_affine:
            return all(map(self._drift_of_term, self.terms))
        if all(self._is_lipschitz(b) for b in jet.drift):
            return True
        if any(b.has(Field) for b in jet.drift):
            return False
        jacobian = [[b.diff(x) for x in jet.coordinates] for b in jet.drift]
        n = len(jacobian)
        if n == 1:
            return range_is_known(jet.drift[0], self.near) and bounded_above(_even(jacobian[0][0]), self.box)
        return any(semidefinite(_lifted(jacobian, shift, n), self.box) for shift in SHIFTS)

    def _is_lipschitz(self, e: Expr) -> bool:
        return not self._varies(e) or self._of_networks(e) or self.grower.of(e).is_lipschitz

    def _drift_of_term(self, term: Expr) -> bool:
        """c(x) g(u, p) with c Lipschitz and g Lipschitz in p; terms with X are asked about elsewhere."""
        if not self._varies(term) or term.free_symbols & set(self.jet.second):
            return True
        known, rest = self._split(term)
        if rest is None:
            return False
        if not rest.free_symbols & self.jet.variable_set:
            return True
        if not rest.free_symbols & set(self.jet.p):
            return self.grower.of(known).is_bounded or self._of_networks(known)
        slopes = [range_of(diff(rest, p), self.near_u) for p in self.jet.p]
        return self._is_lipschitz(known) and all(s is not None and isfinite(s.low) and isfinite(s.high) for s in slopes)

    @cached_property
    def near_u(self) -> Box:
        return {self.jet.u: self.near[self.jet.u], **self.box}

    def _split(self, term: Expr) -> tuple[Expr, Expr | None]:
        """c(x, t) and g of a product c g, where g depends on the jet alone."""
        known = [f for f in Mul.make_args(term) if not f.free_symbols & self.jet.variable_set]
        rest = [f for f in Mul.make_args(term) if f.free_symbols & self.jet.variable_set]
        return Mul(*known), None if any(map(self._varies, rest)) else Mul(*rest)

    @cached_property
    def diffusion_is_fine(self) -> bool:
        """ΣΣᵀ with Σ Lipschitz in x."""
        jet = self.jet
        if jet.is_affine or not any(e.free_symbols & jet.variable_set for row in jet.matrix for e in row):
            return self._has_a_root(jet.matrix)
        varying = [e for e in self.terms if e.free_symbols & set(jet.second) and self._varies(e)]
        if not varying:
            return True
        if len(jet.coordinates) == 1 and strictly_positive(jet.matrix[0][0], self.near):
            return all(self._is_lipschitz(self._split(e)[0]) and self._split(e)[1] is not None for e in varying)
        return all(self._split(e)[1] is not None and self._has_a_root(((self._split(e)[0],),)) for e in varying)

    def _has_a_root(self, rows: Rows) -> bool:
        entries = [e for row in rows for e in row if self._varies(e)]
        if all(self._of_networks(e) or self.grower.of(e).is_twice_bounded for e in entries):
            return True
        diagonal = all(e == 0 for i, row in enumerate(rows) for j, e in enumerate(row) if i != j)
        if diagonal and all(self._is_steady(e) for e in entries):
            return True
        return self._is_positive_inside(rows)

    def _is_steady(self, e: Expr) -> bool:
        g = self.grower.of(e)
        return g.is_lipschitz and positive(e, self.box)

    def _is_positive_inside(self, rows: Rows) -> bool:
        """On an interval whose ends have given values: continuous, and zero at the ends at most."""
        jet, space = self.jet, self.problem.spec.space
        if len(jet.coordinates) != 1 or not space.boundary or not all_values(self.problem):
            return False
        x = jet.coordinates[0]
        return positive_inside(rows[0][0], x, self.box)

    @cached_property
    def is_whole_on_rings(self) -> bool:
        """Drift and diffusion are the same on both sides of a seam."""
        jet = self.jet
        entries = (*jet.drift, *(e for row in jet.matrix for e in row)) if jet.is_affine else (jet.expr,)
        return self._are_whole(entries)

    def _are_whole(self, entries: tuple[Expr, ...]) -> bool:
        return all(map(self._is_whole, entries))

    @cached_property
    def is_smooth_on_rings(self) -> bool:
        """The same of all coefficients."""
        jet = self.jet
        return self.is_whole_on_rings and (not jet.is_affine or self._are_whole((jet.rate, jet.source)))

    def _is_whole(self, whole: Expr) -> bool:
        ranges, space = ranges_of(self.problem.spec), self.problem.spec.space
        if any(side.periodic for side in space.sides) and any(self._varies(f) for f in whole.atoms(Field)):
            return False
        for x, side in zip(space.coordinates, space.sides, strict=False):
            if side.periodic and x in whole.free_symbols:
                low, high = ranges[x]
                if not vanishes(expand(whole.xreplace({x: high}) - whole.xreplace({x: low}))):
                    return False
        return True

    @cached_property
    def is_integrable_in_time(self) -> bool:
        return all(in_time(e, self.time, self.box) is not InTime.UNKNOWN for e in self.terms)


def _taken_out(e: Expr) -> Expr:
    """Common factors taken out of roots."""
    return e.replace(lambda a: isinstance(a, Pow), lambda a: factor_terms(a.base) ** a.exp)


def _head(f: Expr) -> Symbol | None:
    body = f.body if isinstance(f, Partial) else f
    return body.head if isinstance(body, Field) else None


def range_is_known(e: Expr, box: Box) -> bool:
    return range_of(e, box) is not None


def _lifted(jacobian: list[list[Expr]], shift: int, n: int) -> Rows:
    """shift·I less the symmetric part of a Jacobian."""
    return tuple(
        tuple(expand((shift if i == j else 0) - (jacobian[i][j] + jacobian[j][i]) / 2) for j in range(n))
        for i in range(n)
    )


def _even(e: Expr) -> Expr:
    return expand(e)


def strictly_positive(e: Expr, box: Box) -> bool:
    """Positive at every point, by its form."""
    if e.is_positive:
        return True
    found = range_of(e, box)
    if found is not None and found.low > 0:
        return True
    match e:
        case Mul():
            return all(strictly_positive(a, box) for a in e.args)
        case Add():
            shorter = cancel(together(e)) if len(e.args) <= MAX_SHORT else e
            if _is_slope_of_tanh(e) or (not shorter.is_Add and strictly_positive(shorter, box)):
                return True
            if factor_terms(e).is_Mul and strictly_positive(factor_terms(e), box):
                return True
            return any(strictly_positive(a, box) for a in e.args) and all(nonnegative(a, box) for a in e.args)
        case Pow(base=base):
            return strictly_positive(base, box)
        case exp():
            return True
        case Slope():
            return e.of.rising
        case Field():
            return bool(e.head.is_positive)
        case Activation():
            return e.record.positive
    return False


def _is_slope_of_tanh(e: Expr) -> bool:
    return len(e.args) == 2 and any(e == 1 - tanh(a.args[0]) ** 2 for a in e.atoms(tanh))


def positive_inside(e: Expr, x: Symbol, box: Box) -> bool:
    """Positive between the ends of an interval, by the roots of the polynomials in it."""
    match e:
        case _ if strictly_positive(e, box):
            return True
        case _ if e.is_polynomial(x) and x in e.free_symbols:
            ends = box[x]
            values = between_roots(e, x, ends)
            return values is not None and len(values) == 1 and bool(values[0] > 0)
        case Mul() | Min():
            return all(positive_inside(a, x, box) for a in e.args)
        case Max():
            return any(positive_inside(a, x, box) for a in e.args)
        case Pow(base=base, exp=Rational()):
            return positive_inside(base, x, box)
    return False
