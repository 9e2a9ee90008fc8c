"""Problems that no method can solve: diffusion that runs backwards, and waves that grow at every rate."""

from __future__ import annotations

from pdedsl import mistakes
from pdedsl.analyse.classify import direction_of
from pdedsl.analyse.comparison import ellipticity
from pdedsl.analyse.problem import Problem, named
from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.ir.terms import Diffusion


def ill_posed(problems: tuple[Problem, ...]) -> tuple[Diagnostic, ...]:
    return tuple(d for problem in problems for d in _of(problem))


def _of(problem: Problem) -> tuple[Diagnostic, ...]:
    """∂u/∂t = A:∇∇u and ∂²u/∂t² = A:∇∇u are ill-posed where A has a negative eigenvalue (Hadamard)."""
    linear = problem.generator is not None or (problem.equation.order == 2 and problem.is_affine)
    guilty = problem.where(Diffusion)
    if not linear or not guilty or problem.is_vector or ellipticity(problem).nonnegative is not False:
        return ()
    return _wrong(problem, named(guilty), guilty[0].span).diagnostics


def _wrong(problem: Problem, terms: str, span: Span) -> PdeError:
    equation = problem.equation
    if equation.order == 2:
        return mistakes.proofs.growing_waves(terms, span)
    if ellipticity(problem, -1).nonnegative:
        from_start = direction_of(problem.spec, equation.unknown) == "initial"
        return mistakes.proofs.backwards(terms, from_start, span)
    return mistakes.proofs.indefinite(terms, span)
