"""Integrator and number of steps of an evolution operator whose coefficients are all known.

Without noise the classical Runge-Kutta method, with noise the stochastic Heun method, of weak order 2 if the diffusion
matrix does not depend on x (Kloeden, Platen 1992, section 15.1), otherwise of order 1. The number of steps is doubled
until the estimated error of X, ∫c, ∫e^{∫c}f and ∫A along characteristics from sample points is below the tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from math import ceil, inf, isfinite, isnan

from sympy import Expr, S, Symbol

from pdedsl.config.base import Located
from pdedsl.config.methods import Fixed, Integrator, Noise, NoiseScale
from pdedsl.ir.plan import OperatorPlan, OperatorSegment
from pdedsl.ir.representation import PathExpectation, SdeSegment
from pdedsl.ir.spec import SpaceKind, Spec
from pdedsl.numerics.butcher import EULER, HEUN, RK4, RungeKutta
from pdedsl.planning.noise import is_exact_in_one_step
from pdedsl.record import Record
from pdedsl.symbolic.evaluate import EVALUATION_ERRORS, Layout, compile_partial_function
from pdedsl.symbolic.symbols import Component, atoms
from pdedsl.symbolic.symbols import Field as FieldSymbol

OPERATOR_RTOL = 1e-4  # error of the steps, unless the spec has a block `solve`
MULTIPLICATIVE_RTOL = 1e-3  # of a method of order 1, at least: its cost is proportional to 1/tolerance
FIRST_STEPS, MAX_STEPS = 4, 1024  # doubled in between; more steps mean a stiff field, and are left to the user
FALLBACK_STEPS = 128  # if coefficients cannot be evaluated, as those that couple all components in any dimension
SAMPLE_RADIUS = 2.0  # of the sample points in each coordinate: the scale of the data is one

Values = list[float]
Field = Callable[[Values, float], Values]


def chosen_integrator(paths: PathExpectation, spec: Spec) -> Located[Integrator] | None:
    """The integrator of an equation with known coefficients, unless the spec states one."""
    stated = spec.realize.time or spec.realize.convection
    if stated or spec.learned or spec.space.kind is not SpaceKind.DATA or spec.space.image is not None:
        return None
    method = spec.realize.diffusion.config if spec.realize.diffusion else None
    if method is not None and not (isinstance(method, Noise) and method.scale is not NoiseScale.RELATIVE):
        return None
    if any(s.random_residual for s in paths.segments):
        return None
    stepped = tuple(s for s in paths.segments if not is_exact_in_one_step(s, method))
    if not stepped:
        return None
    is_random = any(s.has_diffusion for s in stepped)
    assert spec.time is not None
    tolerance = float(spec.solve.tolerance or OPERATOR_RTOL) if spec.solve else OPERATOR_RTOL
    steps = _steps(stepped, spec.space.coordinates, spec.time.symbol, is_random, tolerance)
    return None if steps is None else Located(Fixed(method=HEUN if is_random else RK4, steps=steps))


LONG_STEP_RTOL = 1e-2  # error of the known part above which steps count as long


class LongSteps(Record):
    """Steps that are too long for the known part of the coefficients: their error, relative to max(1, |X|), and the
    number of steps of the same length that suffices on the longest segment; None if more than `MAX_STEPS` do not."""

    steps: int
    error: float
    needed: int | None


def long_steps(plan: OperatorPlan, spec: Spec) -> LongSteps | None:
    """Whether the steps of an equation with learned fields are long for the rest of its coefficients, with all learned
    fields equal to zero; None if they are not, or if the rest vanishes or cannot be evaluated."""
    if not spec.learned or spec.time is None or not isinstance(plan.scheme.method, RungeKutta):
        return None
    method, largest = plan.scheme.method, None
    for segment in plan.segments:
        field = _augmented_field(_known_part(segment, spec), spec.space.coordinates, spec.time.symbol)
        if field is None:
            continue
        f, dimension, extra = field
        start, end = float(segment.start), float(segment.end)
        count = max(1, ceil((end - start) / float(plan.step) * (1 - 1e-12)))
        errors: dict[int, float] = {}
        for n in (count * 2**k for k in range(MAX_STEPS.bit_length())):
            try:
                errors[n] = _doubling_error(method, f, start, end, n, dimension, extra)
            except EVALUATION_ERRORS:
                break
            if errors[n] <= LONG_STEP_RTOL:
                break
        if errors.get(count, 0.0) > LONG_STEP_RTOL:
            needed = next((n for n, e in errors.items() if e <= LONG_STEP_RTOL), None)
            steps = LongSteps(count, errors[count], needed)
            largest = steps if largest is None or steps.error > largest.error else largest
    return largest


def _known_part(segment: OperatorSegment, spec: Spec) -> OperatorSegment:
    """The coefficients with learned fields equal to zero."""
    heads = {w.head for w in spec.learned}

    def of(expr: Expr) -> Expr:
        return expr.xreplace({f: S.Zero for f in atoms(expr, FieldSymbol) if f.head in heads})

    matrix = tuple(tuple(map(of, row)) for row in segment.diffusivity)
    drift = tuple(map(of, segment.drift))
    return replace(segment, drift=drift, diffusivity=matrix, rate=of(segment.rate), source=of(segment.source))


@lru_cache(maxsize=16)
def _steps(
    segments: tuple[SdeSegment, ...], coordinates: tuple[Symbol, ...], time: Symbol, is_random: bool, tolerance: float
) -> int | None:
    """Steps on the longest segment; the others have steps of the same length. None if characteristics end before the
    final time."""
    longest = max(float(s.length) for s in segments)
    counts = [_segment_steps(s, coordinates, time, is_random, tolerance) for s in segments]
    if any(n is None for n in counts):
        return None
    sizes = [float(s.length) / n for s, n in zip(segments, counts, strict=True) if n is not None]
    return ceil(longest / min(sizes) * (1 - 1e-12))


def _segment_steps(
    segment: SdeSegment, coordinates: tuple[Symbol, ...], time: Symbol, is_random: bool, tolerance: float
) -> int | None:
    entries = [e for row in segment.diffusivity for e in row]
    is_multiplicative = is_random and any(e.has(*coordinates) for e in entries)
    method = EULER if is_multiplicative else HEUN if is_random else RK4
    limit = max(tolerance, MULTIPLICATIVE_RTOL) if is_multiplicative else tolerance
    field = _augmented_field(segment, coordinates, time)
    if field is None:
        return FALLBACK_STEPS
    f, dimension, extra = field
    start, end = float(segment.start), float(segment.end)
    steps, error = FIRST_STEPS, inf
    while steps < MAX_STEPS:
        try:
            error = _doubling_error(method, f, start, end, steps, dimension, extra)
        except OverflowError:
            error = inf
        except EVALUATION_ERRORS:
            return FALLBACK_STEPS  # a coefficient is singular at a sample point, or has no real value
        if error <= limit:
            return steps
        steps *= 2
    return MAX_STEPS if isfinite(error) else None


def _augmented_field(
    segment: SdeSegment | OperatorSegment, coordinates: tuple[Symbol, ...], time: Symbol
) -> tuple[Field, int, int] | None:
    """(v, c, f, A) as the right-hand side of X and of integrals along it, with the numbers of both; None if components
    in any dimension are coupled."""
    symbols = coordinates
    exprs: tuple[Expr, ...] = (
        *segment.drift,
        segment.rate,
        segment.source,
        *(e for r in segment.diffusivity for e in r),
    )
    if segment.index is not None:
        own = Symbol("x_own", real=True)
        exprs = tuple(e.xreplace({Component(coordinates[0], segment.index): own}) for e in exprs)
        symbols = (own,)
    if not all(e.free_symbols <= {*symbols, time} and not e.has(Component) for e in exprs):
        return None
    d = len(symbols)
    layout = Layout({x: k for k, x in enumerate((*symbols, time))}, d)
    functions = [compile_partial_function(e, layout) for e in exprs]

    def f(y: Values, t: float) -> Values:
        point = (*y[:d], t)
        values = [function(point) for function in functions]
        if any(map(isnan, values)):  # not real
            raise ValueError
        return values

    return f, d, len(exprs) - d


def _doubling_error(
    method: RungeKutta, f: Field, start: float, end: float, steps: int, dimension: int, extra: int
) -> float:
    """The largest estimate |y_N - y_2N| 2^p/(2^p - 1) of the error with N steps, relative to max(1, |y|)."""
    factor = 2**method.order / (2**method.order - 1)
    largest = 0.0
    for point in sample_points(dimension):
        y = [*point, *[0.0] * extra]
        coarse, fine = (_integrate(method, f, y, start, end, n) for n in (steps, 2 * steps))
        error = max(abs(a - b) / max(1.0, abs(b)) for a, b in zip(coarse, fine, strict=True))
        if not isfinite(error):
            return inf
        largest = max(largest, factor * error)
    return largest


def sample_points(dimension: int) -> Sequence[tuple[float, ...]]:
    """Corners of nested cubes; in many dimensions points on their diagonals."""
    radii = (SAMPLE_RADIUS, SAMPLE_RADIUS / 3)
    if dimension <= 3:
        return [tuple(r * s for s in signs) for r in radii for signs in product((1.0, -1.0), repeat=dimension)]
    return [
        tuple(r * s * (-1) ** (k * j) for k in range(dimension)) for r in radii for s in (1.0, -1.0) for j in (0, 1)
    ]


def _integrate(method: RungeKutta, f: Field, y: Values, start: float, end: float, steps: int) -> Values:
    """Steps of a Runge-Kutta method along X'(s) = v(X, t), where t runs from start to end, up or down."""
    h, sign = abs(end - start) / steps, 1.0 if end > start else -1.0
    for k in range(steps):
        t = start + sign * k * h
        stages: list[Values] = []
        for c, row in zip(method.nodes, ((), *method.rows), strict=True):
            moved = [v + h * sum(a * s[i] for a, s in zip(row, stages, strict=True)) for i, v in enumerate(y)]
            stages.append(f(moved, t + sign * c * h))
        y = [v + h * sum(b * s[i] for b, s in zip(method.weights, stages, strict=True)) for i, v in enumerate(y)]
    return y
