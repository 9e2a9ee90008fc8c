"""What the analysis finds out about equations on feature maps."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr

from pdedsl.analyse.classify import class_of, forward
from pdedsl.analyse.frames import frame_of, goal_of
from pdedsl.analyse.maps.axioms import map_axioms, without_network
from pdedsl.analyse.maps.building import system_of
from pdedsl.analyse.maps.system import System
from pdedsl.analyse.maps.terms import is_linear, map_terms, runs_down
from pdedsl.analyse.maps.warnings import stability_warning
from pdedsl.diagnostics import Diagnostic
from pdedsl.ir.analysis import EquationClass, EquationFacts
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.systems import is_separable_pair
from pdedsl.ir.terms import MapTerm, Origin, TimeDerivative
from pdedsl.ir.verdicts import Axiom, Verdict
from pdedsl.mistakes import proofs, syntax
from pdedsl.symbolic.symbols import TooLarge


@dataclass(frozen=True)
class Findings:
    """What equations are, what can be proved about them, and what is wrong with them."""

    equations: tuple[EquationFacts, ...]
    axioms: dict[Axiom, Verdict]
    wrong: tuple[Diagnostic, ...]


def map_findings(spec: Spec) -> Findings:
    terms = {equation: map_terms(equation, spec) for equation in spec.equations}
    facts = tuple(_facts(equation, found, spec) for equation, found in terms.items())
    system = system_of(spec)
    if system is None:
        return Findings(facts, without_network(tuple(t for found in terms.values() for t in found)), ())
    return Findings(facts, map_axioms(system), _warnings(system))


def _facts(equation: Equation, terms: tuple[MapTerm, ...], spec: Spec) -> EquationFacts:
    kind, text = _class(equation, spec), spec.source.quote(equation.span)
    linear = all(is_linear(term, spec) for term in terms)
    every = (*_derivative(equation, spec), *terms)
    return EquationFacts(equation, text, kind, linear, every, None, None, _shapes(equation, terms, spec))


def _class(equation: Equation, spec: Spec) -> EquationClass:
    frame = frame_of(equation, spec)
    try:
        return class_of(frame, forward(frame))
    except TooLarge:
        raise syntax.too_large(equation.span) from None


def _derivative(equation: Equation, spec: Spec) -> tuple[TimeDerivative, ...]:
    """The summands in which ∂ⁿY/∂tⁿ is written."""
    goal = goal_of(frame_of(equation, spec), 0)
    found = [s for s in equation.summands if goal is not None and any(_has(e, goal) for e in s.exprs)]
    origins = [Origin("-" * s.minus + spec.source.quote(s.span), s.span) for s in found]
    return tuple(TimeDerivative(equation.order, origin) for origin in origins)


def _has(expr: Expr, goal: Expr) -> bool:
    return bool(expr.has(goal))


def _shapes(equation: Equation, terms: tuple[MapTerm, ...], spec: Spec) -> tuple[str, ...]:
    """Known shapes that a realization can use."""
    shapes = {
        "symmetric layer": runs_down(terms),
        "separable pair": is_separable_pair(spec),
        "split in time": equation.interval is not None,
    }
    return tuple(name for name, found in shapes.items() if found)


def _warnings(system: System) -> tuple[Diagnostic, ...]:
    warning = stability_warning(system)
    if warning is None:
        return ()
    method = system.spec.realize.time
    return (proofs.unstable_step(*warning, method.line if method else system.equations[0].span),)
