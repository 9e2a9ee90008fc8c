"""Classification of equations, for second order by the signature of the coefficient matrix A of A:∇∇u.

Eigenvalues of one sign: elliptic; of both signs: hyperbolic; with a zero: parabolic; different at different points:
mixed type (Evans, Partial Differential Equations, sections 6.1 and 7.2; Tricomi's y ∂²u/∂x² + ∂²u/∂y² = 0 is mixed).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sympy import Dummy, Expr, Symbol, default_sort_key

from pdedsl.analysis.feature_maps.terms import is_gradient_descent, map_terms
from pdedsl.analysis.jet import Jet, as_scalar, differential_expression, jet_of
from pdedsl.analysis.normal_form import NormalForm
from pdedsl.analysis.problem import AnalyzedSummand, time_direction
from pdedsl.analysis.sample_points import ROUNDING_RTOL, Point, is_inside, level_functions, points, ranges_of, value_at
from pdedsl.config.methods import Direction
from pdedsl.diagnostics import Span
from pdedsl.ir.analysis import EquationClass
from pdedsl.ir.default_methods import is_separable_pair
from pdedsl.ir.spec import Equation, SpaceKind, Spec, Summand
from pdedsl.ir.terms import (
    Convection,
    Coupling,
    LearnedField,
    Nonlinear,
    Nonlocal,
    Origin,
    Reaction,
    SymmetricLayer,
    Term,
)
from pdedsl.numerics.eigenvalues import tridiagonal_form
from pdedsl.symbolic.symbols import (
    Applied,
    Field,
    FractionalLaplacian,
    Integral,
    Partial,
    atoms,
    atoms_outside_integrals,
)

# ---- Signature of the second-order coefficients


Rows = tuple[tuple[Expr, ...], ...]


def classify_stationary(jet: Jet, spec: Spec) -> EquationClass:
    """The class at sample points of the domain; a matrix with learned entries of unknown sign is assumed elliptic."""
    rows = _with_positive_symbols(jet.matrix)
    classes = {_class_at(rows, point) for point in _points(rows, spec)} - {None}
    if len(classes) > 1:
        return EquationClass.MIXED
    return next((kind for kind in classes if kind is not None), EquationClass.ELLIPTIC)


def classify_second_order_in_time(jet: Jet, spec: Spec) -> EquationClass:
    """∂²u/∂t² = A:∇∇u is a wave equation for A ⪰ 0, elliptic in space-time for A ≺ 0, and otherwise mixed."""
    rows = _with_positive_symbols(jet.matrix)
    signatures = [signs for signs in (_signs(rows, point) for point in _points(rows, spec)) if signs]
    if not any(-1 in signs for signs in signatures):
        return EquationClass.WAVE
    return EquationClass.ELLIPTIC if all(signs == {-1} for signs in signatures) else EquationClass.MIXED


def _points(rows: Rows, spec: Spec) -> Iterator[Point]:
    """Sample points of the domain, for the symbols in the entries."""
    levels = level_functions(spec)
    symbols = {s for e in (*levels, *(e for row in rows for e in row)) for s in e.free_symbols}
    return (p for p in points(symbols, ranges_of(spec)) if is_inside(p, levels))


def _with_positive_symbols(rows: Rows) -> Rows:
    """The rows with positive symbols for positive learned fields."""
    fields = {f for row in rows for e in row for f in atoms(e, Field) if f.is_positive}
    variables = {f: f.head for f in fields}
    return tuple(tuple(e.xreplace(variables) for e in row) for row in rows)


def _class_at(rows: Rows, point: Point) -> EquationClass | None:
    signs = _signs(rows, point)
    if not signs:
        return None
    if signs in ({1}, {-1}):
        return EquationClass.ELLIPTIC
    return EquationClass.HYPERBOLIC if signs >= {1, -1} else EquationClass.PARABOLIC


def _signs(rows: Rows, point: Point) -> set[int]:
    """The signs of the eigenvalues; empty if an entry is undefined."""
    positive = {s: abs(v) if s.is_positive else v for s, v in point.items()}
    values: list[list[float]] = []
    for row in rows:
        values.append([])
        for e in row:
            value = value_at(e, positive)
            if value is None:
                return set()
            values[-1].append(value)
    size = max((abs(v) for row in values for v in row), default=0.0)
    form, margin = tridiagonal_form(values), ROUNDING_RTOL * size
    negative, nonpositive = form.count_below(-margin), form.count_below(margin)
    counts = {-1: negative, 0: nonpositive - negative, 1: len(values) - nonpositive}
    return {sign for sign, count in counts.items() if count}


# ---- Normal form


def forward_jet(form: NormalForm) -> Jet:
    """F in u_t = F, with the sign reversed for terminal conditions."""
    late = time_direction(form.spec, form.equation.unknown) is Direction.TERMINAL and form.equation.order == 1
    return jet_of((-1 if late else 1) * as_scalar(form.equation.rhs, form.unknown), form.unknown, form.spec)


# ---- Summands


def analyze_summands(form: NormalForm, terms: tuple[Term, ...]) -> tuple[AnalyzedSummand, ...]:
    """The summands of an equation, each with its terms."""
    made: dict[Span, list[Term]] = {}
    for term in terms:
        made.setdefault(term.origin.span, []).append(term)
    summands = (s for s in form.equation.summands if any(e != 0 for e in s.exprs))
    return tuple(_analyze_summand(s, tuple(made.get(s.span, ())), form) for s in summands)


def _analyze_summand(summand: Summand, terms: tuple[Term, ...], form: NormalForm) -> AnalyzedSummand:
    exprs = tuple(e.xreplace(form.spec.values) for e in summand.exprs)
    jet = jet_of(as_scalar(exprs, form.unknown), form.unknown, form.spec)
    origin = Origin("-" * summand.negated + form.spec.source.quote(summand.span), summand.span)
    return AnalyzedSummand(origin, terms, jet, tuple(differential_expression(e, form.spec) for e in exprs))


# ---- Class of an equation


def classify(form: NormalForm, jet: Jet, terms: Sequence[Term]) -> EquationClass:
    """The class, from the terms and the derivatives of all unknowns: ∂h/∂t + ∂q/∂x = 0 is a transport equation for
    h."""
    equation, spec = form.equation, form.spec
    feature = _feature_class(equation, spec)
    if feature:
        return feature
    if not equation.order and not _contains_own_unknown(form):
        return EquationClass.CONSTRAINT
    if any(e.has(FractionalLaplacian) for e in equation.rhs):
        return EquationClass.FRACTIONAL
    jet = _with_other_unknowns(form, jet)
    if jet.order > 2:
        return EquationClass.HIGHER_ORDER
    if equation.order > 2:
        return EquationClass.HIGHER_ORDER if jet.order else EquationClass.ODE
    if jet.order == 0 and any(e.has(Integral) for e in equation.rhs):
        return EquationClass.INTEGRAL
    if equation.order == 2:
        return classify_second_order_in_time(jet, spec) if jet.order == 2 else EquationClass.WAVE
    match jet.order:
        case 2:
            return _classify_second_order(jet, terms) if equation.order else classify_stationary(jet, spec)
        case 1:
            return _classify_first_order(jet)
        case _:
            return EquationClass.ODE


def _contains_own_unknown(form: NormalForm) -> bool:
    """Whether an equation contains the unknown that is assigned to it: ∇·v = 0 does not contain p."""
    return any(f.head == form.unknown.head for e in form.equation.rhs for f in atoms(e, Field))


def _with_other_unknowns(form: NormalForm, jet: Jet) -> Jet:
    """The jet with derivatives of other unknowns, and of this one at another point or time, included: as derivatives
    of this one with generic coefficients, or as coefficients if this one is differentiated itself."""
    own, here = form.component(0), {form.component(k) for k in range(len(form.equation.rhs))}
    every = (p for e in form.equation.rhs for p in atoms_outside_integrals(e, Partial))
    partials = [p for p in every if _is_of(p, form.heads) and p.body not in here]
    if not partials:
        return jet
    alone = [e.xreplace(dict.fromkeys(partials, Dummy(positive=True))) for e in form.equation.rhs]
    if any(p.body == own for e in alone for p in atoms(e, Partial)):
        substitution = {p: Dummy(positive=True) for p in partials}
    else:
        substitution = {
            p: Dummy(positive=True) * Partial(own, *p.slots) for p in sorted(partials, key=default_sort_key)
        }
    exprs = tuple(e.xreplace(substitution) for e in form.equation.rhs)
    return jet_of(as_scalar(exprs, form.unknown), form.unknown, form.spec)


def _is_of(partial: Partial, heads: frozenset[Symbol]) -> bool:
    return isinstance(partial.body, Field) and partial.body.head in heads


def _classify_second_order(jet: Jet, terms: Sequence[Term]) -> EquationClass:
    entries = tuple(e for row in jet.matrix for e in row)
    if jet.depends_on(entries, jet.variables) or any(len(d.slots) > 1 for d in jet.unexpanded):
        return EquationClass.NONLINEAR_DIFFUSION
    if jet.depends_on(jet.drift, jet.p):
        return EquationClass.HAMILTON_JACOBI
    conservative = {t.origin.span for t in terms if isinstance(t, Convection)}
    reacts = any(_is_reaction(t) for t in terms if t.origin.span not in conservative)
    if jet.expr.free_symbols & set(jet.p):
        return EquationClass.CONVECTION_DIFFUSION_REACTION if reacts else EquationClass.CONVECTION_DIFFUSION
    return EquationClass.REACTION_DIFFUSION if reacts else EquationClass.DIFFUSION


def _is_reaction(term: Term) -> bool:
    """Whether a term contains unknowns, but no derivatives of them; ∇·(b u) as a whole is convection."""
    match term:
        case Reaction() | LearnedField():
            return True
        case Nonlinear(order=order) | Coupling(order=order):
            return order == 0
        case Nonlocal(exprs=exprs):
            return not any(atoms(e, Partial) for e in exprs)
    return False


def _classify_first_order(jet: Jet) -> EquationClass:
    return EquationClass.HAMILTON_JACOBI if jet.depends_on(jet.drift, jet.p) else EquationClass.TRANSPORT


def _feature_class(equation: Equation, spec: Spec) -> EquationClass | None:
    """Classes of systems on feature maps."""
    if is_separable_pair(spec):
        layers = spec.space.kind is SpaceKind.PIXELS and all(
            isinstance(t, SymmetricLayer) for e in spec.equations for t in map_terms(e, spec)
        )
        return EquationClass.HAMILTONIAN if layers else EquationClass.PARTITIONED
    right = equation.rhs[0]
    learned = any(_is_learned_of_unknown(f, spec) for f in atoms(right, Field))
    if right.has(Applied) or (learned and not _differentiates(right, spec)):
        if equation.order == 2:
            return EquationClass.WAVE
        return EquationClass.GRADIENT_FLOW if is_gradient_descent(map_terms(equation, spec)) else EquationClass.ODE
    return None


def _differentiates(right: Expr, spec: Spec) -> bool:
    heads = {u.head for u in spec.unknowns}
    return any(f.head in heads for p in atoms(right, Partial) for f in atoms(p.body, Field))


def _is_learned_of_unknown(field: Field, spec: Spec) -> bool:
    heads = {u.head for u in spec.unknowns}
    own = {w.head for w in spec.learned}
    return field.head in own and any(f.head in heads for a in field.arguments for f in atoms(a, Field))
