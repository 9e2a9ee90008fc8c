"""Ill-posed problems: backward diffusion, short waves that grow at unbounded rates, data imposed at an outflow.

Hadamard: ∂ⁿu/∂tⁿ = P(∂)u with constant coefficients has λⁿ = P(iξ) for waves of wave number ξ; it is ill-posed if the
real part of a root is unbounded above. For unbounded P this is always so if n ≥ 3, and if n = 2 and the order of P is
odd. With mixed derivatives in time and space, the roots λ of λⁿ = P(iξ, λ) are compared.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Add, Expr, I, Mul, Symbol

from pdedsl import errors
from pdedsl.analysis.axioms.comparison import has_mixed_derivatives
from pdedsl.analysis.axioms.ellipticity import ellipticity
from pdedsl.analysis.dependence import EquationDependencies, depends_on_stationary
from pdedsl.analysis.dispersion import growth_rates, system_growth_rates
from pdedsl.analysis.inflow import inflow_errors, inflow_of, system_inflow_error
from pdedsl.analysis.jet import Jet
from pdedsl.analysis.problem import Problem, direction_of, named, sign_changed
from pdedsl.analysis.sample_points import nonzero_point, ranges_of
from pdedsl.config.methods import Direction
from pdedsl.diagnostics import Diagnostic, PdeError
from pdedsl.ir.spec import Spec
from pdedsl.ir.terms import Diffusion, HigherOrder, Nonlinear
from pdedsl.symbolic.symbols import Field, Partial, atoms

WAVES = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (1, -1, 2), (2, 1, -1))  # directions of wave vectors
SHORT = (100, 10_000)  # wave numbers at which growth rates are compared
FASTER = 5  # a rate proportional to √ξ grows tenfold between them


def ill_posed(problems: tuple[Problem, ...]) -> tuple[Diagnostic, ...]:
    found = [d for problem in problems for error in _of(problem) for d in error.diagnostics]
    system = None if found or len(problems) < 2 else _of_the_system(problems) or system_inflow_error(problems)
    return (*found, *(system.diagnostics if system else ()))


def _of(problem: Problem) -> Iterator[PdeError]:
    if problem.is_vector or problem.jet.nonlocal_ or problem.is_implicit:
        return
    if problem.equation.order == 1 and (leaving := inflow_of(problem).at_outflow):
        condition = leaving[0].condition
        out = [name for name in condition.sides if name in {p.name for p in leaving if p.condition is condition}]
        others = [name for name in condition.sides if name not in out]
        yield errors.equations.at_outflow(problem.spec.source.quote(condition.span), out, others, condition.span)
    if len(problem.spec.unknowns) == 1:
        yield from inflow_errors(problem)
    if _leans_on_others(problem):
        return
    if has_mixed_derivatives(problem):
        yield from _of_mixed(problem)
    elif problem.jet.order > 2 or problem.equation.order > 2 or _is_odd_wave(problem):
        yield from _of_high_order(problem)
    elif problem.jet.order == 2 and problem.equation.order:
        yield from _of_second_order(problem)
    elif problem.jet.order == 2:
        yield from _of_second_order_at_rest(problem)


def _leans_on_others(problem: Problem) -> bool:
    """Whether other unknowns occur in the equation with derivatives of as high an order, or are given by stationary
    equations: then its own sign decides nothing, as in ∂u/∂t = -Δu + 3Δv, ∂v/∂t = -3Δu + 5Δv."""
    reader = EquationDependencies(problem.equation, problem.spec)
    known = depends_on_stationary(problem.equation, problem.spec)
    return known or any(reader.order_in(head) >= problem.jet.order for head in reader.read)


def _of_second_order(problem: Problem) -> Iterator[PdeError]:
    """∂u/∂t = A:∇∇u and ∂²u/∂t² = A:∇∇u are ill-posed where A has a negative eigenvalue."""
    guilty = problem.where(Diffusion, Nonlinear) or problem.pushing
    terms, span = named(guilty), guilty[0].span
    linear = problem.jet.is_affine
    sign = ellipticity(problem).nonnegative
    if sign is None and linear and problem.generator is not None and _has_learned(problem):
        if not ellipticity(problem, -1).nonnegative:
            yield errors.equations.learned_sign(terms, span)
            return
        sign = False
    if sign is not False:
        return
    if problem.equation.order == 2:
        if linear:
            yield errors.equations.growing_waves(terms, span, sign_changed(guilty, problem))
    elif ellipticity(problem, -1).nonnegative:
        first = direction_of(problem.spec, problem.equation.unknown) is Direction.INITIAL
        yield errors.equations.backwards(terms, first, span, sign_changed(guilty, problem))
    elif linear:
        yield errors.equations.indefinite(terms, span)


def _of_second_order_at_rest(problem: Problem) -> Iterator[PdeError]:
    """A:∇∇u + … = 0 with constant A has one type everywhere: hyperbolic if the eigenvalues have both signs."""
    constant = all(e.is_number for row in problem.jet.matrix for e in row)
    if not problem.jet.is_affine or not problem.spec.space.boundary or not constant:
        return
    if all(ellipticity(problem, sign).nonnegative is False for sign in (1, -1)):
        guilty = problem.where(Diffusion, Nonlinear) or problem.pushing
        yield errors.equations.waves_at_rest(named(guilty), guilty[0].span)


def _of_mixed(problem: Problem) -> Iterator[PdeError]:
    """Decides by the roots λ, for constant coefficients; ∂u/∂t - ∂³u/∂x²∂t = -Δu has λ = ξ²/(1 + ξ²)."""
    for direction in WAVES:
        xi = direction[: len(problem.jet.coordinates)]
        growth = [_fastest(problem, [size * d for d in xi]) for size in SHORT]
        if _grows(growth):
            guilty = problem.where(HigherOrder, Diffusion) or [p.origin for p in problem.parts]
            yield errors.equations.growing_waves(named(guilty), guilty[0].span, None)
            return


def _fastest(problem: Problem, xi: list[int]) -> float | None:
    roots = growth_rates(problem, xi)
    return None if roots is None else max((v.real for v in roots), default=0.0)


def _grows(growth: list[float | None]) -> bool:
    """Whether waves a hundred times shorter grow so much faster that the rate is taken to be unbounded."""
    slow, fast = growth
    return slow is not None and fast is not None and fast > FASTER * max(1.0, slow)


def _is_odd_wave(problem: Problem) -> bool:
    return problem.equation.order == 2 and problem.jet.order % 2 == 1


def _has_learned(problem: Problem) -> bool:
    heads = {w.head for w in problem.spec.learned}
    return any(f.head in heads for row in problem.jet.matrix for e in row for f in atoms(e, Field))


def _of_high_order(problem: Problem) -> Iterator[PdeError]:
    """Decides by the sign of the highest derivatives in space, for constant coefficients."""
    jet, order = problem.jet, problem.equation.order
    guilty = problem.where(HigherOrder) or problem.pushing
    if not jet.is_affine or not order or jet.order == 0:
        return
    if order > 2 or _is_odd_wave(problem):
        ranges = ranges_of(problem.spec, problem.equation)
        if all(nonzero_point(jet.slope(v), ranges) is None for v in jet.variables if _order(jet, v) == jet.order):
            return
        yield errors.equations.growing_waves(named(guilty), guilty[0].span, None)
        return
    symbols = [_symbol(jet, direction[: len(jet.coordinates)]) for direction in WAVES]
    if jet.order % 2 == 0 and any(s is not None and s.is_positive for s in symbols):
        yield errors.equations.growing_waves(named(guilty), guilty[0].span, sign_changed(guilty, problem))


def _order(jet: Jet, variable: Symbol) -> int:
    """The order in space of the derivative that a jet variable stands for."""
    slots = jet.back[variable].slots if isinstance(jet.back.get(variable), Partial) else ()
    return len([s for s in slots if s in jet.coordinates])


def _symbol(jet: Jet, xi: tuple[int, ...]) -> Expr | None:
    """P(iξ), restricted to the derivatives of highest order."""
    total = []
    for v in (*jet.second, *jet.higher):
        partial = jet.back[v]
        if v not in jet.expr.free_symbols or len(partial.slots) != jet.order:
            continue
        coefficient = jet.slope(v)
        if not coefficient.is_number or not set(partial.slots) <= set(jet.coordinates):
            return None
        total.append(coefficient * Mul(*(I * xi[jet.coordinates.index(s)] for s in partial.slots)))
    return Add(*total)


# ---- systems


def _of_the_system(problems: tuple[Problem, ...]) -> PdeError | None:
    """∂u/∂t = M(∂)u with constant coefficients: the real parts of the eigenvalues of M(iξ) must be bounded above."""
    spec = problems[0].spec
    if not spec.space.explicit or any(p.equation.order != 1 or p.equation.interval for p in problems):
        return None
    for direction in WAVES:
        growth = [_growth(problems, spec, [size * d for d in direction]) for size in SHORT]
        if None in growth:
            return None
        if _grows(growth):
            guilty = [o for p in problems for o in p.pushing]
            return errors.equations.growing_waves(named(guilty), problems[0].equation.span, None)
    return None


def _growth(problems: tuple[Problem, ...], spec: Spec, xi: list[int]) -> float | None:
    rates = system_growth_rates(problems, spec, xi)
    return None if rates is None else max(v.real for v in rates)
