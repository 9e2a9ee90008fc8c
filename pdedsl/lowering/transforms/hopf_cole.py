"""Hopf-Cole transform: quadratic Hamilton-Jacobi-Bellman and Burgers equations as heat equations.

∂u/∂t = νΔu + κ‖∇u‖² + b·∇u + f becomes ∂v/∂t = νΔv + b·∇v + (κ/ν) f v by v = exp(κ u/ν). The gradient w = ∇φ of a
solution φ with f = 0 satisfies Burgers' equation ∂w/∂t = νΔw + 2κ (w·∇)w, so that w = (ν/κ) ∇log v.

Hopf 1950; Cole 1951; Evans 2010, section 4.4.1.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Integral, Piecewise, S, Symbol, exp
from sympy.integrals.manualintegrate import manualintegrate

from pdedsl.ir.boundary import Dirichlet, Robin, ScalarCondition
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative
from pdedsl.ir.theorem import Theorem
from pdedsl.ir.transforms import Transform
from pdedsl.lowering.transforms.scalar_evolution import (
    Monomial,
    data_time,
    derivative,
    initial_residual,
    initial_value,
    is_plain,
    jet_symbol,
    linear_residual,
    right_hand_side,
    transform_boundary,
    transformed,
)
from pdedsl.symbolic.evaluate import is_numerically_equal
from pdedsl.symbolic.printing import notation

THEOREM = Theorem(
    "the Hopf-Cole transform",
    "Hopf 1950; Cole 1951",
    "∂u/∂t = νΔu + κ‖∇u‖² becomes the heat equation by v = exp(κ u/ν), and Burgers' equation is that of the gradient",
)


def hopf_cole(problem: StrongForm) -> Transform | None:
    """The transform of a Hamilton-Jacobi-Bellman equation with ‖∇u‖², or of Burgers' equation."""
    if not is_plain(problem) or not problem.domain.space:
        return None
    if len(problem.components) != len(problem.equations):
        return None
    return _hamilton_jacobi(problem) if len(problem.components) == 1 else _burgers_system(problem)


# ---- Hamilton-Jacobi-Bellman equations


def _hamilton_jacobi(problem: StrongForm) -> Transform | None:
    terms = right_hand_side(problem)
    if terms is None:
        return None
    axes = range(len(problem.domain.space))
    first, second = ([derivative(problem, *(k,) * n) for k in axes] for n in (1, 2))
    diffusivity = _common([terms.get((d,), S.Zero) for d in second])
    rate = _common([terms.get((d, d), S.Zero) for d in first])
    if diffusivity is None or rate is None:
        return _burgers(problem, terms, diffusivity)
    known: set[Monomial] = {(), *((d,) for d in (*first, *second)), *((d, d) for d in first)}
    if not terms.keys() <= known:
        return None
    scale = rate / diffusivity

    def boundary(kind: Dirichlet | Robin, _: ScalarCondition) -> Dirichlet | Robin | None:
        if isinstance(kind, Dirichlet):
            return Dirichlet(0, exp(scale * kind.value))
        return Robin(0, -scale * kind.value / kind.beta, S.One, S.Zero) if kind.is_neumann else None

    value, conditions = initial_value(problem), transform_boundary(problem, boundary)
    if value is None or conditions is None:
        return None
    linear = {d: -c for (d,), c in ((m, c) for m, c in terms.items() if len(m) == 1)}
    linear[_time_derivative(problem)] = S.One
    linear[derivative(problem)] = -scale * terms.get((), S.Zero)
    log_value = Symbol(f"log_{jet_symbol(derivative(problem), problem.domain)}", real=True)
    return Transform(
        THEOREM,
        transformed(
            problem,
            linear_residual(linear, S.Zero, problem.domain, problem.equations[0]),
            (initial_residual(problem, exp(scale * value)), *conditions),
        ),
        problem.domain.coordinates,
        (log_value / scale,),
        ((log_value, derivative(problem)),),
        f"u = {_multiple(1 / scale)}log v",
        is_logarithmic=True,
    )


def _multiple(factor: Expr) -> str:
    """A factor before its quantity."""
    return {S.One: "", S.NegativeOne: "-"}.get(factor, f"{notation(factor)} ")


def _time_derivative(problem: StrongForm) -> Derivative:
    return derivative(problem, len(problem.domain.coordinates) - 1)


def _common(coefficients: list[Expr]) -> Expr | None:
    """The nonzero number to which all coefficients are equal."""
    (first, *others) = dict.fromkeys(coefficients)
    return None if others or not first.is_number or first == 0 else first


# ---- Burgers' equation


def _burgers(problem: StrongForm, terms: Mapping[Monomial, Expr], diffusivity: Expr | None) -> Transform | None:
    """∂u/∂t = ν ∂²u/∂x² + a u ∂u/∂x + b ∂u/∂x in one dimension, with κ = a/2: on the line, with periodic data, or with
    u = 0 at both ends, where ∂v/∂x = 0."""
    if diffusivity is None or len(problem.domain.space) > 1:
        return None
    own, slope, curvature = (derivative(problem, *(0,) * n) for n in range(3))
    rate = terms.get(_product(own, slope), S.Zero)
    drift = terms.get((slope,), S.Zero)
    known: set[Monomial] = {(curvature,), (slope,), _product(own, slope)}
    if not rate.is_number or rate == 0 or not drift.is_number or not terms.keys() <= known:
        return None
    conditions = transform_boundary(problem, lambda kind, _: _neumann_for_zero(kind))
    value = initial_value(problem)
    potential = None if value is None or conditions is None else antiderivative(value, problem)
    if value is None or potential is None or conditions is None:
        return None
    scale = rate / (2 * diffusivity)
    mean = _mean(potential, problem)
    if mean is None or (mean != 0 and conditions):
        return None
    x, t = problem.domain.coordinates
    start = problem.domain.intervals[0].start
    exponent = scale * (potential - mean * (x - (start if mean != 0 else S.Zero)))
    linear = {_time_derivative(problem): S.One, curvature: -diffusivity, slope: -drift}
    log_slope = Symbol(f"log_{jet_symbol(slope, problem.domain)}", real=True)
    moved = x + rate * mean * (t - data_time(problem))
    shift = f"{notation(mean)} + " if mean != 0 else ""
    at = f" at {notation(moved)}" if mean != 0 else ""
    return Transform(
        THEOREM,
        transformed(
            problem,
            linear_residual(linear, S.Zero, problem.domain, problem.equations[0]),
            (initial_residual(problem, exp(exponent)), *conditions),
        ),
        (moved, t),
        (mean + log_slope / scale,),
        ((log_slope, slope),),
        f"u = {shift}{_multiple(1 / scale)}∂log v/∂{x}{at}",
        is_logarithmic=True,
    )


def _burgers_system(problem: StrongForm) -> Transform | None:
    """∂uₖ/∂t = νΔuₖ + a Σⱼ uⱼ ∂ⱼuₖ for a gradient u = ∇φ, on R^d or with periodic φ: κ = a/2."""
    axes = range(len(problem.domain.space))
    if len(problem.components) != len(axes) or problem.conditions[1:]:
        return None
    coefficients: list[Expr] = []
    diffusivities: list[Expr] = []
    for k in axes:
        terms = right_hand_side(problem, k)
        products = [_product(derivative(problem, component=j), derivative(problem, j, component=k)) for j in axes]
        second: list[Monomial] = [(derivative(problem, j, j, component=k),) for j in axes]
        if terms is None or not terms.keys() <= {*products, *second}:
            return None
        coefficients += [terms.get(p, S.Zero) for p in products]
        diffusivities += [terms.get(m, S.Zero) for m in second]
    rate, diffusivity = _common(coefficients), _common(diffusivities)
    potential = _potential(problem) if rate is not None and diffusivity is not None else None
    if rate is None or diffusivity is None or potential is None:
        return None
    scale = rate / (2 * diffusivity)
    linear = {derivative(problem, k, k): -diffusivity for k in axes} | {_time_derivative(problem): S.One}
    slopes = [derivative(problem, k) for k in axes]
    logs = [Symbol(f"log_{jet_symbol(d, problem.domain)}", real=True) for d in slopes]
    return Transform(
        THEOREM,
        transformed(
            problem,
            linear_residual(linear, S.Zero, problem.domain, problem.equations[0]),
            (initial_residual(problem, exp(scale * potential)),),
        ),
        problem.domain.coordinates,
        tuple(s / scale for s in logs),
        tuple(zip(logs, slopes, strict=True)),
        f"u = {_multiple(1 / scale)}∇log v",
        is_logarithmic=True,
    )


def _product(*factors: Derivative) -> Monomial:
    return tuple(sorted(factors, key=lambda d: (d.component, d.orders)))


def _potential(problem: StrongForm) -> Expr | None:
    """φ with ∇φ = u at the time of the data, periodic on periodic axes; None if the curl does not vanish."""
    values = [initial_value(problem, k) for k in range(len(problem.components))]
    potential: Expr = S.Zero
    for k, (x, value) in enumerate(zip(problem.domain.space, values, strict=True)):
        if value is None:
            return None
        rest = antiderivative((value - potential.diff(x)).simplify(), problem, k)
        if rest is None:
            return None
        potential += rest.simplify()
    for k, (x, value) in enumerate(zip(problem.domain.space, values, strict=True)):
        interval = problem.domain.intervals[k]
        ends = [potential.xreplace({x: e}) for e in (interval.start, interval.end)] if interval.periodic else []
        if value is None or not is_numerically_equal(potential.diff(x), value):
            return None
        if ends and not is_numerically_equal(*ends):
            return None
    return potential


def _neumann_for_zero(kind: Dirichlet | Robin) -> Dirichlet | Robin | None:
    return Robin(0, S.Zero, S.One, S.Zero) if isinstance(kind, Dirichlet) and kind.value == 0 else None


def _mean(potential: Expr, problem: StrongForm) -> Expr | None:
    """The mean of periodic data, which moves them; zero on other domains."""
    interval = problem.domain.intervals[0]
    if not interval.periodic:
        return S.Zero
    x = problem.domain.space[0]
    mean: Expr = (potential.xreplace({x: interval.end}) - potential.xreplace({x: interval.start})) / (
        interval.end - interval.start
    )
    mean = mean.simplify()
    return mean if mean.is_number else None


def antiderivative(value: Expr, problem: StrongForm, axis: int = 0) -> Expr | None:
    """∫ value dx by the rules of a table, checked by differentiation at points of the domain; None if they do not
    suffice."""
    x = problem.domain.space[axis]
    result = manualintegrate(value, x).replace(Piecewise, lambda *pieces: pieces[-1][0])  # the generic case
    if result.has(Integral) or result.has(S.ComplexInfinity, S.NaN):
        return None
    return result if is_numerically_equal(result.diff(x), value) else None
