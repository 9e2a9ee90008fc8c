"""First-order system in time: M ∂w/∂t = F(w), 0 = G(w), from a problem of any order in time, with its face conditions.

The variables w are the components and their time derivatives below the highest order. Differential variables have a
time derivative, algebraic variables have none (a pressure; all variables of a stationary problem): the system is a
differential-algebraic equation after discretization in space (Hairer, Wanner 1996, ch. VI). Jets are the spatial
derivatives of variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations

from sympy import Add, Expr, Matrix, S, Symbol

from pdedsl.ir.boundary import BoundaryCondition, ConditionResidual, Face, General, InitialCondition, Place
from pdedsl.ir.first_order_system import DerivativeJump, FaceCondition, FirstOrderSystem, LearnedParameter
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative, NonlocalTerm, PointSourceTerm, Residual
from pdedsl.problem.supported_conditions import (
    CURVES_ON_GRID,
    POINT_SOURCE_IN_PLANE,
    MethodFamily,
    region_of_condition,
    type_of,
    unsupported_reason,
)
from pdedsl.symbolic.symbols import Field, Partial, atoms

# ---- Matching of constraints and algebraic variables
#
# On a face, a condition replaces the equation of its variable. So -Δv + ∇p = f must be matched to v and ∇·v = 0 to the
# pressure, in whatever order they are written.


MAX_PERMUTED = 6  # variables up to which all pairings are tried


def match_constraints(
    constraints: tuple[Expr, ...], algebraic: tuple[int, ...], jets: Mapping[Symbol, Derivative]
) -> tuple[Expr, ...]:
    """The constraints in the order of their variables, by the pairing that maximises Σ `_order`²."""
    if len(constraints) != len(algebraic) or not 1 < len(algebraic) <= MAX_PERMUTED:
        return constraints
    orders = [[_order(e, k, jets) for k in algebraic] for e in constraints]
    best = max(permutations(range(len(algebraic))), key=lambda p: sum(orders[e][k] ** 2 for k, e in enumerate(p)))
    return tuple(constraints[e] for e in best)


def _order(expr: Expr, variable: int, jets: Mapping[Symbol, Derivative]) -> int:
    """One more than the order of the highest derivative of a variable; 0 if it does not occur."""
    orders = [d.order for s, d in jets.items() if s in expr.free_symbols and d.component == variable]
    return 1 + max(orders) if orders else 0


# ---- The system


class GridNotApplicable(Exception):
    """No grid scheme applies; the message is the reason, in a phrase."""


def require_on_grid(method: MethodFamily, condition: BoundaryCondition, place: Place, part: tuple[object, ...]) -> None:
    """Raises GridNotApplicable with the reason if a grid scheme does not support a condition."""
    reason = unsupported_reason(method, type_of(condition), region_of_condition(place, part))
    if reason:
        raise GridNotApplicable(reason)


def first_order_system(problem: StrongForm) -> FirstOrderSystem:
    """The first-order system; raises GridNotApplicable with the reason if there is none."""
    return SystemBuilder(problem).build()


@dataclass
class SystemBuilder:
    """Builds the system; the symbols of jets and parameters are shared by all of its expressions."""

    statement: StrongForm
    jets: dict[Derivative, Symbol] = field(default_factory=dict)
    nonlocal_terms: dict[NonlocalTerm, Symbol] = field(default_factory=dict)
    parameters: dict[Expr, LearnedParameter] = field(default_factory=dict)

    def build(self) -> FirstOrderSystem:
        problem = self.statement
        if any(e.interval is not None for e in problem.equations):
            raise GridNotApplicable("equations that change between time intervals are not supported")
        variables, differential = self.variables, self.differential
        rhs, constraints = self._solve_for_time_derivatives()
        normalizations = {c: self.in_jets(r) for c, r in problem.normalizations}
        initial = self._initial(variables, differential)
        face_conditions = tuple(
            s for c in problem.conditions if not problem.domain.is_in_time(c.place) for s in self._face_conditions(c)
        )
        jets = tuple((s, d) for d, s in self.jets.items())
        algebraic = tuple(k for k in range(len(variables)) if k not in differential)
        if len(constraints) != len(algebraic):
            raise GridNotApplicable("the number of equations differs from the number of unknowns")
        constraints = self._add_normalizations(match_constraints(constraints, algebraic, dict(jets)), normalizations)
        parameters = tuple(self.parameters.values())
        return FirstOrderSystem(
            problem,
            variables,
            jets,
            differential,
            rhs,
            constraints,
            initial,
            face_conditions,
            problem.is_backward,
            parameters,
            tuple((s, term) for term, s in self.nonlocal_terms.items()),
            tuple(self._derivative_jump(source, r) for r in problem.equations for source in r.point_sources),
        )

    def _derivative_jump(self, source: PointSourceTerm, residual: Residual) -> DerivativeJump:
        """A [∂ᵐ⁻¹u/∂xᵐ⁻¹] = -q for A ∂ᵐu/∂xᵐ + … + q δ(x - a) = 0, by integration over a neighbourhood of a; the lower
        derivatives are continuous (Stakgold, Holst 2011, section 1.4)."""
        domain = self.statement.domain
        if len(source.places) > 1:
            raise GridNotApplicable(POINT_SOURCE_IN_PLANE)
        if any(order > 1 for order in self.orders):
            raise GridNotApplicable("the kinks of waves from a point source move")
        ((axis, place),) = source.places
        if domain.intervals[axis].periodic:
            raise GridNotApplicable("point sources on periodic axes are not supported")
        expr = self.in_jets(residual)
        jets = [(s, d) for d, s in self.jets.items() if s in expr.free_symbols]
        order = max((d.orders[axis] for _, d in jets), default=0)
        highest = [(s, d) for s, d in jets if d.orders[axis] == order]
        if len(highest) != 1 or order % 2 or not order or highest[0][1].order != order:
            raise GridNotApplicable(
                "an equation with a point source needs a single derivative of highest order, which is even"
            )
        ((symbol, derivative),) = highest
        coefficient = expr.diff(symbol).xreplace({domain.coordinates[axis]: place})
        if coefficient == 0 or coefficient.free_symbols & {*self.jets.values()}:
            raise GridNotApplicable("at a point source the leading coefficient must be known and not zero")
        value = self._substitute_parameters(-source.strength / coefficient)
        return DerivativeJump(derivative.component, axis, float(place), order - 1, value)

    def _add_normalizations(
        self, constraints: tuple[Expr, ...], normalizations: Mapping[int, Expr]
    ) -> tuple[Expr, ...]:
        """Each normalization, a number that vanishes, is added to the stationary equation of its component, which
        determines the component up to a factor or a constant only: the sum has both as its only solution if the
        constants are not in the range of the operator."""
        algebraic = [k for k in range(len(self.variables)) if k not in self.differential]
        if any(self.variables.index((c, 0)) not in algebraic for c in normalizations):
            raise GridNotApplicable("a normalization of an evolving unknown follows from the initial condition")
        variables = [self.variables[k][0] for k in algebraic]
        return tuple(e + normalizations.get(c, S.Zero) for e, c in zip(constraints, variables, strict=True))

    @cached_property
    def orders(self) -> tuple[int, ...]:
        """The order of the highest time derivative of each component."""
        timed = self.statement.domain.has_time
        derivatives = [d for e in self.statement.equations for d in e.derivatives]
        count = len(self.statement.components)
        return tuple(
            max((d.orders[-1] for d in derivatives if timed and d.component == c), default=0) for c in range(count)
        )

    @cached_property
    def variables(self) -> tuple[tuple[int, int], ...]:
        return tuple((c, j) for c, m in enumerate(self.orders) for j in range(max(m, 1)))

    @cached_property
    def differential(self) -> tuple[int, ...]:
        return tuple(k for k, (c, _) in enumerate(self.variables) if self.orders[c] > 0)

    def jet(self, variable: int, space: tuple[int, ...], power: Expr = S.Zero) -> Symbol:
        derivative = Derivative(variable, space, power)
        if derivative not in self.jets:
            suffix = "_".join(map(str, (variable, *space, *([f"power{len(self.jets)}"] if power else []))))
            self.jets[derivative] = Symbol(f"jet_{suffix}", real=True)
        return self.jets[derivative]

    def _split(self, derivative: Derivative) -> tuple[tuple[int, ...], int]:
        return (
            (derivative.orders[:-1], derivative.orders[-1])
            if self.statement.domain.has_time
            else (derivative.orders, 0)
        )

    def in_jets(self, residual: Residual) -> Expr:
        """The residual in jets, except for its highest time derivatives; parameters become symbols."""
        substitution: dict[Expr, Expr] = {}
        for symbol, derivative in residual.jet_variables:
            space, j = self._split(derivative)
            if (derivative.component, j) in self.variables:
                substitution[symbol] = self.jet(self.variables.index((derivative.component, j)), space)
            elif any(space) or j > self.orders[derivative.component]:
                raise GridNotApplicable("mixed space-time derivatives of highest order in time are not supported")
        for symbol, term in residual.nonlocal_terms:
            substitution[symbol] = self._nonlocal_symbol(term)
        return self._substitute_parameters(residual.expr).xreplace(substitution)

    def _nonlocal_symbol(self, term: NonlocalTerm) -> Symbol:
        """The symbol of a nonlocal term, with the variables of the system in its integrand; a fractional Laplacian is a
        jet."""
        values = []
        for symbol, value in term.values:
            space, j = self._split(value.derivative)
            if (value.derivative.component, j) not in self.variables:
                raise GridNotApplicable("time derivatives of the highest order in an integral are not supported")
            variable = self.variables.index((value.derivative.component, j))
            if term.power:
                return self.jet(variable, space, term.power)
            values.append((symbol, replace(value, derivative=Derivative(variable, space))))
        own = replace(term, values=tuple(values))
        return self.nonlocal_terms.setdefault(own, Symbol(f"nonlocal_{len(self.nonlocal_terms)}", real=True))

    def _substitute_parameters(self, expr: Expr) -> Expr:
        """The expression with symbols for learned parameters."""
        names = {p.head: p.name for p in self.statement.parameters}
        places = {x: k for k, x in enumerate(self.statement.domain.coordinates)}
        own = atoms(expr, Partial)
        inner = {e.body for e in own}
        for e in sorted((*own, *(f for f in atoms(expr, Field) if f not in inner or expr.has(f))), key=str):
            body, slots = (e.body, e.slots) if isinstance(e, Partial) else (e, ())
            if e in self.parameters:
                continue
            if not isinstance(body, Field) or body.head not in names:
                raise GridNotApplicable("an expression cannot be evaluated on a grid")
            symbol = Symbol(f"known_{len(self.parameters)}", real=True)
            indices = tuple(int(i) - 1 for i in body.indices)
            self.parameters[e] = LearnedParameter(symbol, names[body.head], indices, tuple(places[s] for s in slots))
        partials = {e: p.symbol for e, p in self.parameters.items() if isinstance(e, Partial)}
        fields = {e: p.symbol for e, p in self.parameters.items() if isinstance(e, Field)}
        return expr.xreplace(partials).xreplace(fields)

    def _solve_for_time_derivatives(self) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
        """Right-hand sides of the differential variables, and the constraints."""
        highest = {}
        for e in self.statement.equations:
            for symbol, d in e.jet_variables:
                if self.statement.domain.has_time and 0 < d.orders[-1] == self.orders[d.component]:
                    highest[d.component] = symbol
        exprs = [self.in_jets(e) for e in self.statement.equations]
        symbols = [highest[c] for c in sorted(highest)]
        differential = [e for e in exprs if e.free_symbols & set(symbols)]
        if len(differential) != len(symbols):
            raise GridNotApplicable("the equations do not determine each derivative in time")
        right = dict(zip(sorted(highest), _solve_affine(differential, symbols), strict=True))
        rhs = tuple(self._rhs(k, right) for k in self.differential)
        return rhs, tuple(e for e in exprs if not e.free_symbols & set(symbols))

    def _rhs(self, k: int, right: Mapping[int, Expr]) -> Expr:
        component, j = self.variables[k]
        if j + 1 == self.orders[component]:
            return right[component]
        zero = (0,) * len(self.statement.domain.space)
        return self.jet(self.variables.index((component, j + 1)), zero)

    def _initial(self, variables: tuple[tuple[int, int], ...], differential: tuple[int, ...]) -> tuple[Expr, ...]:
        prescribed: dict[tuple[int, int], Expr] = {}
        for condition in self.statement.scalar_conditions:
            match condition.kind:
                case InitialCondition(component=component, order=order, value=value):
                    prescribed[component, order] = self._substitute_parameters(value)
                case General() if self.statement.domain.is_in_time(condition.place):
                    raise GridNotApplicable("an initial condition does not prescribe a value or a time derivative")
        if any(variables[k] not in prescribed for k in differential):
            raise GridNotApplicable("initial conditions are missing")
        return tuple(prescribed[variables[k]] for k in differential)

    def _face_conditions(self, condition: ConditionResidual) -> Iterator[FaceCondition]:
        if not isinstance(condition.place, Face):
            raise GridNotApplicable(CURVES_ON_GRID)
        for r, scalar in zip(condition.residuals, condition.kinds, strict=True):
            assert not isinstance(scalar, InitialCondition)
            expr, axis = self.in_jets(r), condition.place.coordinate
            occurring = [d for s, d in ((s, d) for d, s in self.jets.items()) if s in expr.free_symbols]
            if not occurring:
                raise GridNotApplicable("a condition does not contain an unknown")
            principal = self._latest(occurring)
            normal = max(d.orders[axis] for d in principal)
            variable = min(d.component for d in principal if d.orders[axis] == normal)
            component, j = self.variables[variable]
            differentiated = expr
            for _ in range(j + 1, self.orders[component]):
                differentiated = self._time_derivative(differentiated)
            kind = scalar.map(self._substitute_parameters)
            yield FaceCondition(expr, differentiated, condition.place, variable, normal, kind, condition.part)

    def _latest(self, occurring: Sequence[Derivative]) -> list[Derivative]:
        """For each unknown the highest of its time derivatives: that of a wave is determined on an absorbing boundary,
        ∂u/∂t + c ∂u/∂n = 0."""
        orders = [self.variables[d.component] for d in occurring]
        return [d for d, (c, j) in zip(occurring, orders, strict=True) if j == max(k for b, k in orders if b == c)]

    def _time_derivative(self, expr: Expr) -> Expr:
        """∂/∂t of an expression, for jets whose time derivatives are variables, too."""
        if expr.free_symbols & {*self.nonlocal_terms.values()}:
            raise GridNotApplicable("nonlocal boundary conditions need an equation of first order in time")
        terms = [expr.diff(self.statement.domain.coordinates[-1])]
        for derivative, symbol in tuple(self.jets.items()):
            if symbol in expr.free_symbols:
                component, j = self.variables[derivative.component]
                if (component, j + 1) not in self.variables:
                    raise GridNotApplicable("a boundary condition couples unknowns of different orders in time")
                raised = self.jet(self.variables.index((component, j + 1)), derivative.orders)
                terms.append(expr.diff(symbol) * raised)
        return Add(*terms)


def _solve_affine(equations: list[Expr], symbols: list[Symbol]) -> list[Expr]:
    """Solves equations that are affine in the symbols for them."""
    if not symbols:
        return []
    jacobian = Matrix([[e.diff(s) for s in symbols] for e in equations])
    if jacobian.free_symbols & set(symbols):
        raise GridNotApplicable("an equation is not linear in its highest time derivative")
    if jacobian.det() == 0:
        raise GridNotApplicable("the equations do not determine each derivative in time")
    remainders = Matrix([-e.xreplace(dict.fromkeys(symbols, 0)) for e in equations])
    return list(
        jacobian.LUsolve(remainders).applyfunc(lambda e: e.expand(power_exp=False))
    )  # exp(a + b) may overflow as a product
