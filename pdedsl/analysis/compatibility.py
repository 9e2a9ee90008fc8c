"""Compatibility conditions for the data: warnings if a solution exists only in a weak sense, or not at all.

- Initial (or terminal) and Dirichlet data must agree at the corners of the space-time domain; otherwise u is
  discontinuous there (compatibility of order 0: Evans, section 7.1.3).
- The Neumann problem ∇·(a∇u) + f = 0, a ∂u/∂n = a g has a solution only if ∫f + ∮a g = 0 (Gauss; Evans, section 6.2.3).
  On irregular domains only g = 0 is checked, with ∫f by the midpoint rule.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from sympy import Expr, S, Symbol

from pdedsl import errors
from pdedsl.analysis.boundary import (
    LocatedCondition,
    boundary_types,
    face_conditions,
    has_one_condition_per_face,
    normal_derivative,
)
from pdedsl.analysis.problem import Problem
from pdedsl.diagnostics import Diagnostic
from pdedsl.ir.boundary import BoundaryCondition, Dirichlet, Robin
from pdedsl.ir.spec import Condition, ConditionKind, Spec
from pdedsl.symbolic.evaluate import Layout, compile_function, evaluate_at_points
from pdedsl.symbolic.rewrite import substitute
from pdedsl.symbolic.symbols import Field
from pdedsl.symbolic.sympy_errors import try_sympy

JUMP_RTOL = 1e-6  # relative to the largest of both values and 1
# Gauss-Legendre on [-1, 1], (node, weight): of the nodes ±x, the negative ones and 0
HALF_RULE = ((-0.906179845938664, 0.236926885056189), (-0.538469310105683, 0.478628670499366), (0.0, 0.568888888888889))
GAUSS_RULE = (*HALF_RULE, *((-x, w) for x, w in HALF_RULE[:2]))  # five nodes, exact for polynomials up to degree 9
PANELS = 4  # of the composite Gauss rule on each interval
MAX_DIMENSIONS = 3  # of the midpoint rule, whose cost grows with the power d
CELLS = {1: 400, 2: 60, 3: 20}  # of the midpoint rule on the bounding box, in each direction
IRREGULAR_IMBALANCE_RTOL = 0.1  # of ∫|f|: far above the error of cells cut by the boundary


def compatibility_warnings(problems: tuple[Problem, ...]) -> tuple[Diagnostic, ...]:
    spec = problems[0].spec
    if not spec.space.explicit or not spec.space.intervals:
        return ()
    known = [p for p in problems if not p.is_vector]
    if spec.space.inequalities:
        return tuple(d for p in known for d in _neumann_imbalance_on_irregular_domain(p))
    return tuple(d for p in known for d in (*list(_corners(p))[:1], *_neumann_imbalance(p)))


# ---- Corners of the space-time domain


def _corners(problem: Problem) -> Iterator[Diagnostic]:
    spec, time = problem.spec, problem.spec.time
    initial_data = [
        c for c in spec.conditions if not c.on_boundary and c.unknown == problem.unknown.head and c.order == 0
    ]
    if time is None or not initial_data or len(initial_data[0].value) != 1:
        return
    (data, *_), late = initial_data, initial_data[0].kind is ConditionKind.TERMINAL
    at = time.end if late else time.start
    for located in face_conditions(problem):
        if not isinstance(located.kind, Dirichlet) or located.condition.part:
            continue
        initial = _trace(data.value[0], located.coordinate, located.end, spec)
        boundary = _trace(located.kind.value, time.symbol, at, spec)
        jump = None if initial is None or boundary is None else _largest_jump(initial, boundary, located, spec)
        if jump is not None:
            yield _corner_warning(data, located, jump, spec)


def _trace(value: Expr, coordinate: Expr, end: Expr, spec: Spec) -> Expr | None:
    """The value at an end of a coordinate; None if it is undefined, as `min(1/x, 1)` at 0."""
    return try_sympy(lambda: substitute(value.xreplace(spec.values), {coordinate: end}))


def _largest_jump(initial: Expr, boundary: Expr, located: LocatedCondition, spec: Spec) -> tuple[float, float] | None:
    """The initial and boundary value at the point where they differ most; None if they agree."""
    others = [x for x in spec.space.coordinates if x != located.coordinate]
    if initial.has(Field) or boundary.has(Field) or not (initial.free_symbols | boundary.free_symbols) <= set(others):
        return None
    layout = Layout({x: k for k, x in enumerate(others)}, 0)
    pairs = zip(
        *evaluate_at_points((initial, boundary), layout, list(product(*(_interior_samples(spec, x) for x in others)))),
        strict=True,
    )
    known = [(a, b) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
    different = [(a, b) for a, b in known if abs(a - b) > JUMP_RTOL * max(1.0, abs(a), abs(b))]
    return max(different, key=lambda pair: abs(pair[0] - pair[1]), default=None)


def _interior_samples(spec: Spec, x: Symbol) -> tuple[float, ...]:
    interval = spec.space.intervals[spec.space.coordinates.index(x)]
    a, b = float(interval.start), float(interval.end)
    return tuple(a + fraction * (b - a) for fraction in (0.21, 0.52, 0.83))


def _corner_warning(data: Condition, located: LocatedCondition, jump: tuple[float, float], spec: Spec) -> Diagnostic:
    where = f"{located.coordinate.name} = {float(located.end):g}"
    written = spec.source.quote(data.span), spec.source.quote(located.condition.span)
    return errors.equations.incompatible_data(data.kind, *written, where, jump, located.condition.span)


# ---- Neumann problems


def _neumann_imbalance(problem: Problem) -> Iterator[Diagnostic]:
    """Checks ∇·(a(x)∇u) + f(x) = 0, with ∂u/∂n = g(x) on every face that is not periodic."""
    jet, spec, located = problem.jet, problem.spec, face_conditions(problem)
    derivatives = [p for p in located if isinstance(p.kind, Robin) and p.kind.is_neumann and not p.condition.part]
    face_count = 2 * sum(not interval.periodic for interval in spec.space.intervals)
    if (
        len(derivatives) != face_count
        or not (has_one_condition_per_face(problem) or not face_count)
        or (divergence_form := _divergence_form(problem)) is None
    ):
        return
    factor, source = divergence_form
    fluxes = [normal_derivative(p.kind)[1] for p in derivatives if isinstance(p.kind, Robin)]
    if any(e.has(Field) or not e.free_symbols <= set(jet.coordinates) for e in (factor, source, *fluxes)):
        return
    inside, size = _integral(source, jet.coordinates, spec)
    total = inside
    for p, flux in zip(derivatives, fluxes, strict=True):
        flow = (factor * flux).xreplace({p.coordinate: p.end})
        value, magnitude = _integral(flow, tuple(x for x in jet.coordinates if x != p.coordinate), spec)
        total, size = total + value, size + magnitude
    if math.isfinite(total) and abs(total) > 1e-4 * size:
        span = derivatives[0].condition.span if derivatives else problem.equation.span
        yield errors.equations.incompatible_neumann_data(problem.unknown.name, total, bool(derivatives), span)


def _divergence_form(problem: Problem) -> tuple[Expr, Expr] | None:
    """a and f of a stationary equation ∇·(a(x)∇u) + f(x) = 0; None for any other."""
    jet, spec, d = problem.jet, problem.spec, len(problem.jet.coordinates)
    if problem.equation.order or jet.order != 2 or jet.higher or jet.unexpanded or jet.is_nonlocal or not jet.is_affine:
        return None
    if spec.time is not None or d > MAX_DIMENSIONS:
        return None
    factor = jet.matrix[0][0].xreplace(spec.values)
    isotropic = all(
        jet.matrix[i][j].xreplace(spec.values) == (factor if i == j else 0) for i in range(d) for j in range(d)
    )
    drift = [b.xreplace(spec.values) - factor.diff(x) for b, x in zip(jet.drift, jet.coordinates, strict=True)]
    if not (isotropic and all(b.expand() == 0 for b in drift) and jet.rate == 0):
        return None
    return factor, jet.expr.xreplace(dict.fromkeys(jet.variables, S.Zero)).xreplace(spec.values)


def _neumann_imbalance_on_irregular_domain(problem: Problem) -> Iterator[Diagnostic]:
    """Checks ∇·(a(x)∇u) + f(x) = 0, with ∂u/∂n = 0 on the whole boundary."""
    jet, spec, divergence_form = problem.jet, problem.spec, _divergence_form(problem)
    types = list(boundary_types(problem))
    if divergence_form is None or not types or not all(_is_homogeneous_neumann(kind) for _, _, kind in types):
        return
    if any(e.has(Field) or not e.free_symbols <= set(jet.coordinates) for e in divergence_form):
        return
    layout = Layout({x: k for k, x in enumerate(jet.coordinates)}, 0)
    f = compile_function(divergence_form[1], layout)
    edges = [compile_function(g.expr.xreplace(spec.values), layout) for g in spec.space.inequalities]
    points = [p for p in product(*(_midpoints(spec, x) for x in jet.coordinates)) if all(g(p) > 0 for g in edges)]
    cell = math.prod(float(s.end - s.start) / CELLS[len(jet.coordinates)] for s in spec.space.intervals)
    values = [f(p) * cell for p in points]
    total, size = math.fsum(values), math.fsum(map(abs, values))
    if math.isfinite(total) and abs(total) > IRREGULAR_IMBALANCE_RTOL * size:
        yield errors.equations.incompatible_neumann_data(
            problem.unknown.name, total, True, types[0][0].span, approximate=True
        )


def _is_homogeneous_neumann(kind: BoundaryCondition) -> bool:
    """Whether a condition is n·∇u = 0, up to a numerical factor."""
    return isinstance(kind, Robin) and kind.is_homogeneous_neumann and bool(kind.beta.is_number)


def _midpoints(spec: Spec, x: Symbol) -> list[float]:
    interval, n = spec.space.intervals[spec.space.coordinates.index(x)], CELLS[len(spec.space.coordinates)]
    a, h = float(interval.start), float(interval.end - interval.start) / n
    return [a + h * (k + 0.5) for k in range(n)]


def _integral(expr: Expr, over: tuple[Symbol, ...], spec: Spec) -> tuple[float, float]:
    """∫ f and ∫|f| over a box, by the composite Gauss rule."""
    f = compile_function(expr, Layout({x: k for k, x in enumerate(over)}, 0))
    total, size = [], []
    for point in product(*(_nodes(spec, x) for x in over)):
        value = f(tuple(x for x, _ in point)) * math.prod(w for _, w in point)
        total.append(value)
        size.append(abs(value))
    return math.fsum(total), math.fsum(size)


def _nodes(spec: Spec, x: Symbol) -> list[tuple[float, float]]:
    interval = spec.space.intervals[spec.space.coordinates.index(x)]
    a, h = float(interval.start), float(interval.end - interval.start) / PANELS
    return [(a + h * (k + (1 + node) / 2), h * w / 2) for k in range(PANELS) for node, w in GAUSS_RULE]
