"""Point sources of Poisson's equation, by splitting off the fundamental solution.

For Σ Aₖ ∂²u/∂xₖ² + q Π δ(xₖ - aₖ) + f = 0 with constants Aₖ > 0, u = S + w with S = -q log(r)/(2π √(A₁A₂)) in the plane
and S = q/(4π r √(A₁A₂A₃)) in space, r² = Σ (xₖ - aₖ)²/Aₖ; w solves the equation without the source (Evans 2010,
section 2.2.1).
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Add, Expr, Mul, S, log, pi, sqrt

from pdedsl.ir.ansatz import Ansatz, substitute_ansatz
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import PointSourceTerm, Residual


def has_point_sources(problem: StrongForm) -> bool:
    return any(r.point_sources for r in problem.equations)


def split_fundamental_solutions(problem: StrongForm) -> tuple[StrongForm, tuple[Expr, ...]] | None:
    """The problem for w without point sources, and S of each component; None if the equations have another form."""
    dimension, lifts = len(problem.domain.space), [S.Zero] * len(problem.components)
    if problem.domain.has_time or not 2 <= dimension <= 3 or problem.periodic or problem.is_nonlocal:
        return None
    equations = []
    for residual in problem.equations:
        equations.append(replace(residual, point_sources=()))
        if residual.point_sources:
            diffusion = _principal_part(residual, dimension)
            if diffusion is None or any(len(s.places) < dimension for s in residual.point_sources):
                return None
            component, coefficients = diffusion
            lifts[component] += Add(*(_fundamental_solution(s, coefficients, problem) for s in residual.point_sources))
    ansatz, coordinates = [Ansatz(base=lift) for lift in lifts], problem.domain.coordinates
    conditions = tuple(
        c.with_residuals(tuple(substitute_ansatz(r, ansatz, coordinates) for r in c.residuals), problem.domain.space)
        for c in problem.conditions
    )
    exact = tuple(e if e is None else e - lift for e, lift in zip(problem.exact, lifts, strict=True))
    regular = replace(problem, equations=tuple(equations), conditions=conditions, exact=exact)
    return regular, tuple(lifts)


def _principal_part(residual: Residual, dimension: int) -> tuple[int, tuple[Expr, ...]] | None:
    """The component and the Aₖ of Σ Aₖ ∂²u/∂xₖ² + f, with constants of one sign."""
    affine = residual.affine
    components = {d.component for d in residual.derivatives}
    operator = affine.second_order(dimension) if affine is not None and len(components) == 1 else None
    if operator is None or not operator.is_diagonal or operator.rate != 0 or any(operator.drift):
        return None
    diagonal = operator.diagonal
    same = all(a.is_positive for a in diagonal) or all(a.is_negative for a in diagonal)
    return (components.pop(), diagonal) if same else None


def _fundamental_solution(source: PointSourceTerm, diffusion: tuple[Expr, ...], problem: StrongForm) -> Expr:
    sign = S.One if diffusion[0].is_positive else S.NegativeOne
    places, space = dict(source.places), problem.domain.space
    square = Add(*((x - places[k]) ** 2 / (sign * a) for k, (x, a) in enumerate(zip(space, diffusion, strict=True))))
    volume = sqrt(Mul(*(sign * a for a in diffusion)))
    if len(space) == 2:
        return -sign * source.strength * log(square) / (4 * pi * volume)
    return sign * source.strength / (4 * pi * volume * sqrt(square))
