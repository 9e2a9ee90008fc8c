"""Eigenproblems A u = λ B u: equations and conditions that are linear in u and in λ, and homogeneous.

There are no data, hence no solution operator: the axioms of evolutions and of boundary value problems do not apply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sympy import Expr, S

from pdedsl import errors
from pdedsl.analysis.axioms.linearity import commutes_with_i
from pdedsl.analysis.jet import differential_expression
from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.ir.spec import Condition, EigenvalueUnknown, Equation, Spec

STRUCTURE = "eigenproblem"
Violation = Callable[[Expr], bool]


def eigenproblem_errors(spec: Spec) -> tuple[Diagnostic, ...]:
    """Equations and conditions that an eigenproblem cannot have; none without an eigenvalue."""
    if spec.eigenvalue is None:
        return ()
    found = [e for equation in spec.equations for e in _equation_errors(equation, spec, spec.eigenvalue)]
    found += [e for condition in spec.conditions for e in _condition_errors(condition, spec, spec.eigenvalue)]
    return tuple(d for error in found for d in error.diagnostics)


def _equation_errors(equation: Equation, spec: Spec, eigenvalue: EigenvalueUnknown) -> Iterator[PdeError]:
    def located(violates: Violation) -> tuple[str, Span] | None:
        """The first term that violates a property of the equation, or the equation if no term does alone."""
        if not any(map(violates, equation.rhs)):
            return None
        spans = (s.span for s in equation.summands if any(map(violates, s.exprs)))
        span = next(spans, equation.span)
        return spec.source.quote(span), span

    if place := located(lambda e: not _is_affine(e, spec)):
        yield errors.eigenproblems.nonlinear_in_unknown(*place)
    elif not commutes_with_i(equation.rhs):
        yield errors.eigenproblems.not_complex_linear(spec.source.quote(equation.span), equation.span)
    elif place := located(lambda e: _inhomogeneity(e, spec) != 0):
        yield errors.eigenproblems.inhomogeneous_equation(*place)
    elif place := located(lambda e: not _is_linear_in_eigenvalue(e, spec, eigenvalue)):
        yield errors.eigenproblems.nonlinear_in_eigenvalue(eigenvalue.name, *place)


def _condition_errors(condition: Condition, spec: Spec, eigenvalue: EigenvalueUnknown) -> Iterator[PdeError]:
    text, span, rows = spec.source.quote(condition.span), condition.span, condition.value
    if not all(_is_affine(e, spec) for e in rows):
        yield errors.eigenproblems.nonlinear_in_unknown(text, span)
    elif len(rows) % 2 == 0 and not commutes_with_i(rows):
        yield errors.eigenproblems.not_complex_linear(text, span)
    elif any(_inhomogeneity(e, spec) != 0 for e in rows):
        yield errors.eigenproblems.inhomogeneous_condition(text, span)
    elif not all(_is_linear_in_eigenvalue(e, spec, eigenvalue) for e in rows):
        yield errors.eigenproblems.nonlinear_in_eigenvalue(eigenvalue.name, text, span)


def _is_affine(expr: Expr, spec: Spec) -> bool:
    return differential_expression(expr.xreplace(spec.values), spec).is_affine


def _inhomogeneity(expr: Expr, spec: Spec) -> Expr:
    return differential_expression(expr.xreplace(spec.values), spec).source


def _is_linear_in_eigenvalue(expr: Expr, spec: Spec, eigenvalue: EigenvalueUnknown) -> bool:
    jets = differential_expression(expr.xreplace(spec.values), spec).in_jet_variables
    parts: Sequence[Expr] = eigenvalue.parts
    return all(jets.diff(a, b) == S.Zero for a in parts for b in parts)
