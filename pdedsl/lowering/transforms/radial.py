"""Reduction by rotational symmetry: radial problems on discs, balls and shells as problems in r = ‖x - c‖.

If equation, conditions and data are invariant under rotations about c, so is the solution, if it is unique:
u(x, t) = v(r, t) with ∂ᵢu = v′ xᵢ/r and ∂ᵢ∂ⱼu = v″ xᵢxⱼ/r² + v′ (δᵢⱼ/r - xᵢxⱼ/r³).

Evans 2010, section 2.2.1; Olver 1993, chapter 3.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Max, Min, Poly, PolynomialError, S, Symbol, pi, sqrt

from pdedsl.ir.boundary import ConditionResidual, Dirichlet, Face, LevelSet, Place, Robin, ScalarCondition
from pdedsl.ir.component_form import ScalarUnknown
from pdedsl.ir.problem import Domain, StrongForm
from pdedsl.ir.residual import Derivative, Residual
from pdedsl.ir.spec import Interval, Metric
from pdedsl.ir.theorem import Theorem
from pdedsl.ir.transforms import Transform
from pdedsl.lowering.transforms.scalar_evolution import UNKNOWN, derivative, is_plain, jet_symbol, linear_residual
from pdedsl.symbolic.evaluate import is_numerically_equal
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.rewrite import expand

THEOREM = Theorem(
    "reduction by rotational symmetry",
    "Evans 2010, section 2.2.1; Olver 1993, chapter 3",
    "a problem that is invariant under rotations has a radial solution, which depends on r = ‖x - c‖ alone",
)
SYSTEMS = {2: "polar", 3: "spherical"}  # coordinates by the dimension


def radial(problem: StrongForm) -> Transform | None:
    """The problem in r of an invariant scalar problem on a disc, ball or shell, linear or in time: others may have
    solutions without the symmetry."""
    space = problem.domain.space
    if not is_plain(problem) or len(space) not in SYSTEMS:
        return None
    if len(problem.equations) != 1 or len(problem.components) != 1:
        return None
    (residual,) = problem.equations
    if residual.expr.has(Min, Max) or not (problem.domain.has_time or problem.is_affine):
        return None
    shape = _Shape.of(problem.domain)
    return None if shape is None else shape.transform(problem)


class _Shape:
    """A ball or shell with its center, and the substitution of x by c + r e for a direction e."""

    def __init__(self, domain: Domain, center: tuple[Expr, ...], radii: tuple[Expr, Expr]) -> None:
        self.center, self.inner, self.outer = center, *radii
        self.space = domain.space
        self.r = Symbol("r", positive=True)
        self.distance: Expr = sqrt(sum(((x - c) ** 2 for x, c in zip(self.space, center, strict=True)), S.Zero))
        first, *others = zip(self.space, center, strict=True)
        self.ray: Mapping[Expr, Expr] = {first[0]: first[1] + self.r, **dict(others)}
        time = domain.coordinates[len(self.space) :]
        metric = Metric(
            SYSTEMS[len(self.space)],
            (S.One,),
            2 * pi * self.r if len(self.space) == 2 else 4 * pi * self.r**2,
            (Face(0, upper=False),) if self.inner == 0 else (),
        )
        intervals = (Interval(self.inner, self.outer), *domain.intervals[len(self.space) :])
        self.domain = Domain((self.r, *time), intervals, domain.has_time, (), metric)

    @staticmethod
    def of(domain: Domain) -> _Shape | None:
        """The shape of the inequalities of a domain, if its box contains it."""
        quadrics = [_quadric(g, domain.space) for g in domain.inequalities]
        if not quadrics or any(q is None for q in quadrics) or len({q[0] for q in quadrics if q is not None}) > 1:
            return None
        spheres = [q for q in quadrics if q is not None]
        outer = [radius for _, radius, is_inside in spheres if is_inside]
        inner = [radius for _, radius, is_inside in spheres if not is_inside]
        center = spheres[0][0]
        if len(outer) != 1 or len(inner) > 1 or (inner and not inner[0] < outer[0]):
            return None
        inside = (
            i.start <= c - outer[0] and c + outer[0] <= i.end
            for c, i in zip(center, domain.intervals[: len(domain.space)], strict=True)
        )
        return _Shape(domain, center, (inner[0] if inner else S.Zero, outer[0])) if all(inside) else None

    def transform(self, problem: StrongForm) -> Transform | None:
        domain = self.domain
        new = StrongForm(
            problem.theorem, (ScalarUnknown(UNKNOWN, Symbol(UNKNOWN, real=True), None),), domain, (), (), (None,)
        )
        residual = self._residual(problem, new)
        conditions = [self._condition(problem, new, c) for c in problem.scalar_conditions]
        if residual is None or any(c is None for c in conditions):
            return None
        if self.inner == 0:
            slope = linear_residual({derivative(new, 0): S.One}, S.Zero, domain, problem.equations[0])
            span = problem.equations[0].span
            axis = ConditionResidual((slope,), (), Face(0, upper=False), span)
            conditions.append(axis.with_residuals((slope,), domain.space))
        own = derivative(new)
        value = jet_symbol(own, domain)
        reduced = StrongForm(
            problem.theorem,
            new.components,
            domain,
            (residual,),
            tuple(c for c in conditions if c is not None),
            (None,),
        )
        moved = (self.distance, *problem.domain.coordinates[len(self.space) :])
        return Transform(
            THEOREM, reduced, moved, (value,), ((value, own),), f"u = v(r) with r = {notation(self.distance)}"
        )

    def _residual(self, problem: StrongForm, new: StrongForm) -> Residual | None:
        """The equation for v, if it is invariant."""
        (residual,) = problem.equations
        jets: dict[Expr, Expr] = {}
        for symbol, d in residual.jet_variables:
            value = self._derivative(d, new)
            if value is None:
                return None
            jets[symbol] = value
        full = residual.expr.xreplace(jets)
        profile = self._profile(full)
        if profile is None:
            return None
        wanted = [derivative(new, *(0,) * n) for n in range(3)]
        if problem.domain.has_time:
            wanted += [Derivative(0, (0, n)) for n in (1, 2)]
        symbols = tuple((jet_symbol(d, self.domain), d) for d in wanted)
        profile = expand(profile)
        used = tuple((s, d) for s, d in symbols if s in profile.free_symbols)
        return Residual(profile, used, residual.span)

    def _derivative(self, d: Derivative, new: StrongForm) -> Expr | None:
        """A derivative of u by those of v."""
        dimension = len(self.space)
        axes = [k for k, n in enumerate(d.orders[:dimension]) for _ in range(n)]
        in_time = d.orders[dimension:]
        if len(axes) > 2 or (axes and any(in_time)):
            return None
        own, slope, curvature = (jet_symbol(derivative(new, *(0,) * n), self.domain) for n in range(3))
        direction = [(x - c) / self.distance for x, c in zip(self.space, self.center, strict=True)]
        match axes:
            case []:
                return jet_symbol(Derivative(0, (0, *in_time)), self.domain) if any(in_time) else own
            case [k]:
                return slope * direction[k]
            case [i, j]:
                across = (S.One if i == j else S.Zero) - direction[i] * direction[j]
                return curvature * direction[i] * direction[j] + slope * across / self.distance
        return None

    def _profile(self, expr: Expr) -> Expr | None:
        """An invariant function of x as one of r."""
        profile = expr.xreplace(dict(self.ray))
        return profile if is_numerically_equal(expr, profile, there={self.r: self.distance}) else None

    def _condition(self, problem: StrongForm, new: StrongForm, condition: ScalarCondition) -> ConditionResidual | None:
        """A condition for v; the place of one at a time is the same."""
        if condition.part:
            return None
        span, time = condition.span, len(self.domain.coordinates) - 1
        if problem.domain.is_in_time(condition.place):
            residual = problem.conditions[condition.number[0]].residuals[condition.number[1]]
            jets = {s: self._derivative(d, new) for s, d in residual.jet_variables}
            if any(value is None for value in jets.values()):
                return None
            profile = self._profile(residual.expr.xreplace({s: v for s, v in jets.items() if v is not None}))
            if profile is None:
                return None
            assert isinstance(condition.place, Face)
            place: Place = Face(time, condition.place.upper)
            orders = [d.orders[-1] for d in residual.derivatives]
            used = tuple((jet_symbol(d, self.domain), d) for d in (Derivative(0, (0, n)) for n in orders))
            return ConditionResidual((), (), place, span).with_residuals(
                (Residual(profile, used, span),), self.domain.space
            )
        face = self._face(condition.place)
        if face is None or not isinstance(condition.kind, Dirichlet | Robin):
            return None
        there = {self.r: self.outer if face.upper else self.inner}
        data = (
            (condition.kind.value,)
            if isinstance(condition.kind, Dirichlet)
            else (condition.kind.alpha, condition.kind.beta, condition.kind.value)
        )
        values = [self._on_sphere(e, there[self.r]) for e in data]
        if any(v is None for v in values):
            return None
        found = [v for v in values if v is not None]
        if isinstance(condition.kind, Dirichlet):
            terms, value = {derivative(new): S.One}, found[0]
        else:
            alpha, beta, value = found
            terms = {derivative(new): alpha, derivative(new, 0): face.sign * beta}
        like = problem.conditions[condition.number[0]].residuals[condition.number[1]]
        residual = linear_residual(terms, -value, self.domain, like)
        return ConditionResidual((), (), face, span).with_residuals((residual,), self.domain.space)

    def _on_sphere(self, expr: Expr, radius: Expr) -> Expr | None:
        """The value of a function on a sphere, if it is constant there."""
        projected = {x: c + (x - c) * radius / self.distance for x, c in zip(self.space, self.center, strict=True)}
        there = expr.xreplace(projected)
        value: Expr = expr.xreplace(dict(self.ray)).xreplace({self.r: radius})
        return value if is_numerically_equal(there, value) else None

    def _face(self, place: Place) -> Face | None:
        """The end of [r₀, R] for a sphere."""
        sphere = _quadric(place.expr, self.space) if isinstance(place, LevelSet) else None
        if sphere is None or sphere[0] != self.center:
            return None
        if sphere[1] == self.outer:
            return Face(0, upper=True)
        return Face(0, upper=False) if sphere[1] == self.inner else None


def _quadric(g: Expr, space: tuple[Symbol, ...]) -> tuple[tuple[Expr, ...], Expr, bool] | None:
    """Center and radius of g = a ‖x - c‖² + b, and whether g > 0 inside; None for another function."""
    try:
        polynomial = Poly(g, *space)
    except PolynomialError:
        return None
    first, *others = (polynomial.coeff_monomial(x**2) for x in space)
    if (
        polynomial.total_degree() != 2
        or first == 0
        or any(a != first for a in others)
        or not g.free_symbols <= {*space}
    ):
        return None
    center = tuple(-polynomial.coeff_monomial(x) / (2 * first) for x in space)
    squared = -g.xreplace(dict(zip(space, center, strict=True))) / first
    is_ball = is_numerically_equal(
        g, first * (sum(((x - c) ** 2 for x, c in zip(space, center, strict=True)), -squared))
    )
    return (center, sqrt(squared), bool(first < 0)) if is_ball and squared.is_number and squared > 0 else None
