"""Spec → Analysis."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr

from pdedsl.analyse.classify import class_of, direction_of, flow_of, forward, is_separable_pair, terms_of
from pdedsl.analyse.features import feature_axioms, has_features, layer_of, stability_warning
from pdedsl.analyse.jets import unknown_of
from pdedsl.analyse.prove import ellipticity, function_axioms, named, of_kind
from pdedsl.diagnostics import Diagnostic, Span
from pdedsl.ir.analysis import Analysis, EquationFacts, Term, Verdict
from pdedsl.ir.spec import Equation, Spec
from pdedsl.ir.types import Vector


def analyse(spec: Spec) -> Analysis:
    """What each equation is, what can be proved about the spec, and what is wrong with it."""
    facts = tuple(_facts(e, spec) for e in spec.equations)
    axioms = _axioms(facts, spec)
    return Analysis(spec, facts, axioms, (*ill_posed(facts, spec), *_warnings(facts, spec), *_contract(axioms, spec)))


def _facts(equation: Equation, spec: Spec) -> EquationFacts:
    terms = terms_of(equation, spec)
    jet = forward(equation, spec)
    linear = jet.is_linear or (jet.is_affine and not any(not t.linear for t in terms if t.kind != "source"))
    kind = class_of(equation, spec)
    if has_features(spec):
        linear = all(t.linear for t in terms)
    return EquationFacts(
        equation,
        spec.source.at(equation.span),
        kind,
        linear,
        terms,
        None if has_features(spec) else flow_of(equation, spec),
        _shapes(equation, terms, spec),
    )


def _shapes(equation: Equation, terms: tuple[Term, ...], spec: Spec) -> tuple[str, ...]:
    """Known shapes that a realization can use."""
    found = []
    if layer_of(equation, spec):
        found.append("symmetric layer")
    if is_separable_pair(spec):
        found.append("separable pair")
    if equation.interval is not None:
        found.append("split in time")
    flow = None if has_features(spec) else flow_of(equation, spec)
    if flow and flow.shape == "diagonal" and _is_dropout(flow.drift, flow.diffusivity, spec):
        found.append("dropout")
    return tuple(found)


def _is_dropout(drift: tuple[Expr, ...], rows: tuple[tuple[Expr, ...], ...], spec: Spec) -> bool:
    """Diffusivity c vᵢ² along a drift v, with one c: the variance of units dropped at random."""
    if any(b == 0 for b in drift):
        return False
    ratios = {(rows[i][i] / b**2).xreplace(spec.values) for i, b in enumerate(drift)}
    return len(ratios) == 1 and all(r.is_number and r.is_positive for r in ratios)


# ---- axioms


def _axioms(facts: tuple[EquationFacts, ...], spec: Spec) -> dict[str, Verdict]:
    """The weakest verdict over the equations: all must hold for the whole to hold."""
    found: dict[str, Verdict] = {}
    for fact in facts:
        if has_features(spec):
            verdicts = feature_axioms(fact.equation, fact.kind, spec)
        else:
            verdicts = function_axioms(fact.equation, fact.terms, spec)
        for name, verdict in verdicts.items():
            found[name] = _weaker(found[name], verdict) if name in found else verdict
    return found


def _weaker(a: Verdict, b: Verdict) -> Verdict:
    rank = {"refuted": 0, "unknown": 1, "proved": 2}
    if a.truth == b.truth and a.reason != b.reason:
        return replace(a, reason=f"{a.reason} {b.reason}", guilty=(*a.guilty, *b.guilty))
    return a if rank[a.truth] <= rank[b.truth] else b


# ---- mistakes and warnings


def ill_posed(facts: tuple[EquationFacts, ...], spec: Spec) -> tuple[Diagnostic, ...]:
    """Diffusion that runs backwards, or a matrix with directions in which it does."""
    found = []
    for fact in facts:
        equation = fact.equation
        if fact.flow is None or fact.flow.shape == "none" or isinstance(unknown_of(equation, spec).type, Vector):
            continue
        jet = forward(equation, spec)
        if ellipticity(jet, spec).nonnegative is not False:
            continue
        guilty = of_kind(fact.terms, "diffusion") or list(fact.terms)
        span = guilty[0].span
        if ellipticity(jet, spec, -1).nonnegative:
            found.append(_backward(span, guilty, spec, equation))
        else:
            message = f"the diffusion {named(guilty)} has directions in which it runs backwards"
            hint = "its matrix must be positive semidefinite: all eigenvalues at least 0"
            found.append(Diagnostic("E419", message, span, hint))
    return tuple(found)


def _backward(span: Span, guilty: list[Term], spec: Spec, equation: Equation) -> Diagnostic:
    start = direction_of(spec, equation.unknown) == "initial"
    other = "a terminal condition" if start else "an initial condition"
    hint = f"change the sign of {named(guilty)}, or give {other} instead"
    data = "from its start" if start else "from its end"
    return Diagnostic("E418", f"the diffusion {named(guilty)} runs backwards {data}: the problem is ill-posed", span, hint)


def _warnings(facts: tuple[EquationFacts, ...], spec: Spec) -> tuple[Diagnostic, ...]:
    found = []
    for fact in facts:
        text = stability_warning(fact.equation, spec) if has_features(spec) else None
        method = next((r for r in spec.realizations if r.part == "time"), None)
        if text and method:
            found.append(Diagnostic("W401", text, method.span, "take more steps, or a smaller bound on ‖K‖", "warning"))
    return tuple(found)


def _contract(axioms: dict[str, Verdict], spec: Spec) -> tuple[Diagnostic, ...]:
    """`require`: what is refuted is an error at its line."""
    found = []
    for requirement in spec.requirements:
        verdict = axioms.get(requirement.axiom)
        if verdict is None:
            message = f"{requirement.axiom} has no meaning for this equation"
            found.append(Diagnostic("E421", message, requirement.span, f"axioms here: {', '.join(axioms)}"))
        elif verdict.truth == "refuted":
            notes = tuple((s, "this term") for s in verdict.guilty)
            hint = f"counterexample: {verdict.witness}" if verdict.witness else ""
            message = f"{requirement.axiom} does not hold: {verdict.reason.rstrip('.')}"
            found.append(Diagnostic("E420", message, requirement.span, hint, notes=notes))
    return tuple(found)
