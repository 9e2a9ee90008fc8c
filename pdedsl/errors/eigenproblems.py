"""E45x: eigenproblems A u = λ B u with homogeneous conditions."""

from __future__ import annotations

from pdedsl.diagnostics import PdeError, Span
from pdedsl.diagnostics.fixes import Edit, Fix, remove, remove_term
from pdedsl.errors.base import Code

INVALID_EIGENVALUE = Code("E450", "an eigenvalue is declared with arguments, learned, or declared twice")
NOT_STATIONARY = Code("E451", "an eigenproblem has a time, or no bounded domain")
INHOMOGENEOUS = Code("E452", "an equation or condition of an eigenproblem is not homogeneous")
NONLINEAR_EIGENVALUE = Code("E453", "an equation or condition is not linear in the eigenvalue")
NONLINEAR_EIGENPROBLEM = Code("E454", "an equation or condition of an eigenproblem is not linear in the unknown")
NO_EIGENVALUE = Code("E455", "the eigenvalue occurs in no equation or condition")
NOT_IN_EIGENPROBLEM = Code("E456", "a statement that an eigenproblem cannot have")
NO_EIGENPROBLEM = Code("E457", "`modes` without an eigenproblem")


# ---- Declaration


def eigenvalue_with_arguments(name: str, span: Span) -> PdeError:
    hint = f"write: unknown {name} : eigenvalue"
    fixes = (Fix(hint, (Edit(span, f"unknown {name} : eigenvalue"),)),)
    return INVALID_EIGENVALUE(
        "an eigenvalue is a number: it has neither arguments nor a network", span, hint, fixes=fixes
    )


def learned_eigenvalue(name: str, span: Span) -> PdeError:
    hint = f"write: unknown {name} : eigenvalue"
    fixes = (Fix(hint, (Edit(span, f"unknown {name} : eigenvalue"),)),)
    return INVALID_EIGENVALUE("an eigenvalue is computed, not learned", span, hint, fixes=fixes)


def several_eigenvalues(first: str, name: str, span: Span) -> PdeError:
    hint = f"make '{name}' a constant, as in const {name} = 1"
    fixes = (Fix(hint, (Edit(span, f"const {name} = 1"),)),)
    return INVALID_EIGENVALUE(
        f"an eigenproblem has one eigenvalue, and '{first}' is declared as such", span, hint, fixes=fixes
    )


no_physical_domain = NOT_STATIONARY.at(
    "eigenproblems are solved on bounded domains", "declare a domain, as in: space x in [0, 1]"
)


def time_in_eigenproblem(time: str, span: Span) -> PdeError:
    hint = f"remove '{time}', and write λ u for the time derivative: u = e^(λ{time}) times a mode"
    return NOT_STATIONARY("an eigenproblem has no time", span, hint, fixes=remove(span, f"remove the time {time}"))


# ---- Equations and conditions


def inhomogeneous_equation(term: str, span: Span) -> PdeError:
    hint = f"remove '{term}': every term of A u = λ B u contains the unknown"
    return INHOMOGENEOUS(f"'{term}' does not contain the unknown", span, hint, fixes=remove_term(span))


def inhomogeneous_condition(condition: str, span: Span) -> PdeError:
    hint = "prescribe zero: multiples of an eigenfunction are eigenfunctions, and satisfy the same conditions"
    return INHOMOGENEOUS(f"the condition '{condition}' is not homogeneous", span, hint)


def nonlinear_in_eigenvalue(name: str, text: str, span: Span) -> PdeError:
    hint = (
        f"reduce the degree by another unknown, as in: {name} u = w and an equation that is linear in {name}; "
        "or solve for a power of it, as in μ = λ²"
    )
    return NONLINEAR_EIGENVALUE(f"'{text}' is not linear in the eigenvalue {name}", span, hint)


def nonlinear_in_unknown(text: str, span: Span) -> PdeError:
    hint = "linearize the equation at a known solution"
    return NONLINEAR_EIGENPROBLEM(f"an eigenproblem must be linear in the unknown, and '{text}' is not", span, hint)


def not_complex_linear(text: str, span: Span) -> PdeError:
    hint = "write conj(ψ) as another unknown, or use real unknowns"
    return NONLINEAR_EIGENPROBLEM(f"'{text}' is not linear over the complex numbers", span, hint)


def unused_eigenvalue(name: str, span: Span) -> PdeError:
    hint = f"write an equation with it, as in: -Δu = {name} u"
    return NO_EIGENVALUE(f"the eigenvalue '{name}' occurs in no equation or condition", span, hint)


def not_in_eigenproblem(statement: str, reason: str, span: Span) -> PdeError:
    hint = f"remove it: {reason}"
    return NOT_IN_EIGENPROBLEM(f"an eigenproblem cannot have {statement}", span, hint, fixes=remove(span, hint))


def modes_without_eigenproblem(span: Span) -> PdeError:
    hint = "remove 'modes'"
    return NO_EIGENPROBLEM(
        "`modes` is the number of eigenpairs, and there is no eigenvalue", span, hint, fixes=remove(span, hint)
    )


def real_and_complex_unknowns(name: str, span: Span) -> PdeError:
    hint = f"declare '{name}' as complex"
    return NONLINEAR_EIGENPROBLEM("the unknowns of an eigenproblem are all real or all complex", span, hint)
