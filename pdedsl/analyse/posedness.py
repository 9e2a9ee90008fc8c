"""Problems that no method can solve: diffusion that runs backwards, and waves that grow at every rate."""

from __future__ import annotations

from pdedsl.analyse.ellipticity import ellipticity
from pdedsl.analyse.problem import Problem, direction_of, named
from pdedsl.diagnostics import Diagnostic
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.terms import Diffusion, Origin


def ill_posed(problems: tuple[Problem, ...]) -> tuple[Diagnostic, ...]:
    return tuple(d for problem in problems for d in _of(problem))


def _of(problem: Problem) -> list[Diagnostic]:
    """∂u/∂t = A:∇∇u and ∂²u/∂t² = A:∇∇u are ill-posed where A has a negative eigenvalue (Hadamard)."""
    linear = problem.generator is not None or (problem.equation.order == 2 and problem.is_affine)
    guilty = problem.where(Diffusion)
    if not linear or not guilty or problem.is_vector or ellipticity(problem).nonnegative is not False:
        return []
    if problem.equation.order == 2:
        message = f"{named(guilty)} makes the shortest waves grow fastest: the problem is ill-posed"
        return [Diagnostic("E418", message, guilty[0].span, f"change the sign of {named(guilty)}")]
    if ellipticity(problem, -1).nonnegative:
        return [_backward(guilty, problem.spec, problem.equation)]
    message = f"the diffusion {named(guilty)} has directions in which it runs backwards"
    hint = "its matrix must be positive semidefinite: all eigenvalues at least 0"
    return [Diagnostic("E419", message, guilty[0].span, hint)]


def _backward(guilty: list[Origin], spec: Spec, equation: Equation) -> Diagnostic:
    start = direction_of(spec, equation.unknown) == "initial"
    other = "a terminal condition" if start else "an initial condition"
    hint = f"change the sign of {named(guilty)}, or give {other} instead"
    data = "from its start" if start else "from its end"
    message = f"the diffusion {named(guilty)} runs backwards {data}: the problem is ill-posed"
    return Diagnostic("E418", message, guilty[0].span, hint)
