"""Problems that no method can solve: diffusion that runs backwards, waves that grow at every rate, data at an outflow.

Hadamard: ∂ⁿu/∂tⁿ = P(∂)u with constant coefficients has λⁿ = P(iξ) for waves of wave number ξ: ill-posed where the
real part of a root has no upper bound. For n ≥ 3 one of the roots of a P that grows always has.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Add, Expr, I, Mul

from pdedsl import mistakes
from pdedsl.analyse.ellipticity import ellipticity
from pdedsl.analyse.entering import missing, missing_in_system
from pdedsl.analyse.inflow import inflow_of
from pdedsl.analyse.jets import Jet
from pdedsl.analyse.problem import Problem, direction_of, named
from pdedsl.analyse.rates import rates_of
from pdedsl.diagnostics import Diagnostic, PdeError
from pdedsl.ir.spec import Spec
from pdedsl.ir.terms import Diffusion, HigherOrder, Nonlinear
from pdedsl.symbolic.symbols import Field
from pdedsl.words.directions import Direction

WAVES = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (1, -1, 2), (2, 1, -1))  # directions of wave vectors
SHORT = (100, 10_000)  # wave numbers between which growth is compared


def ill_posed(problems: tuple[Problem, ...]) -> tuple[Diagnostic, ...]:
    found = [d for problem in problems for error in _of(problem) for d in error.diagnostics]
    system = None if found or len(problems) < 2 else _of_the_system(problems) or missing_in_system(problems)
    return (*found, *(system.diagnostics if system else ()))


def _of(problem: Problem) -> Iterator[PdeError]:
    if problem.is_vector or problem.jet.nonlocal_ or problem.is_implicit:
        return
    for placed in inflow_of(problem).at_outflow[:1] if problem.equation.order == 1 else ():
        yield mistakes.proofs.at_outflow(problem.spec.source.quote(placed.condition.span), placed.condition.span)
    if len(problem.spec.unknowns) == 1:
        yield from missing(problem)
    if problem.jet.order > 2 or problem.equation.order > 2:
        yield from _of_high_order(problem)
    elif problem.jet.order == 2 and problem.equation.order:
        yield from _of_second_order(problem)


def _of_second_order(problem: Problem) -> Iterator[PdeError]:
    """∂u/∂t = A:∇∇u and ∂²u/∂t² = A:∇∇u are ill-posed where A has a negative eigenvalue."""
    guilty = problem.where(Diffusion, Nonlinear) or problem.pushing
    terms, span = named(guilty), guilty[0].span
    linear = problem.jet.is_affine
    sign = ellipticity(problem).nonnegative
    if sign is None and linear and problem.generator is not None and _has_learned(problem):
        if not ellipticity(problem, -1).nonnegative:
            yield mistakes.proofs.learned_sign(terms, span)
            return
        sign = False
    if sign is not False:
        return
    if problem.equation.order == 2:
        if linear:
            yield mistakes.proofs.growing_waves(terms, span)
    elif ellipticity(problem, -1).nonnegative:
        first = direction_of(problem.spec, problem.equation.unknown) is Direction.INITIAL
        yield mistakes.proofs.backwards(terms, first, span)
    elif linear:
        yield mistakes.proofs.indefinite(terms, span)


def _has_learned(problem: Problem) -> bool:
    heads = {w.head for w in problem.spec.learned}
    return any(f.head in heads for row in problem.jet.matrix for e in row for f in e.atoms(Field))


def _of_high_order(problem: Problem) -> Iterator[PdeError]:
    """By the sign of the highest derivatives in space, where they have constant coefficients."""
    jet, order = problem.jet, problem.equation.order
    guilty = problem.where(HigherOrder) or problem.pushing
    if not jet.is_affine or not order or jet.order == 0:
        return
    if order > 2:
        yield mistakes.proofs.growing_waves(named(guilty), guilty[0].span)
        return
    symbols = [_symbol(jet, direction[: len(jet.coordinates)]) for direction in WAVES]
    if jet.order % 2 == 0 and any(s is not None and s.is_positive for s in symbols):
        yield mistakes.proofs.growing_waves(named(guilty), guilty[0].span)


def _symbol(jet: Jet, xi: tuple[int, ...]) -> Expr | None:
    """P(iξ) of the derivatives of highest order."""
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
    """∂u/∂t = M(∂)u with constant coefficients: the eigenvalues of M(iξ) must have bounded real parts."""
    spec = problems[0].spec
    if not spec.space.explicit or any(p.equation.order != 1 or p.equation.interval for p in problems):
        return None
    for direction in WAVES:
        growth = [_growth(problems, spec, [size * d for d in direction]) for size in SHORT]
        if None in growth:
            return None
        slow, fast = (g or 0.0 for g in growth)
        if fast > 10 * max(1.0, slow):
            guilty = [o for p in problems for o in p.pushing]
            return mistakes.proofs.growing_waves(named(guilty), problems[0].equation.span)
    return None


def _growth(problems: tuple[Problem, ...], spec: Spec, xi: list[int]) -> float | None:
    rates = rates_of(problems, spec, xi)
    return None if rates is None else max(v.real for v in rates)
