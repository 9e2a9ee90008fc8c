"""Spec → Analysis."""

from __future__ import annotations

from dataclasses import replace

from pdedsl.analyse.classify import class_of, direction_of, flow_of, forward, is_separable_pair, parts_of
from pdedsl.analyse.comparison import ellipticity
from pdedsl.analyse.descent import descent_of
from pdedsl.analyse.features import feature_axioms, has_features, is_linear_map
from pdedsl.analyse.problem import Problem, named
from pdedsl.analyse.prove import function_axioms
from pdedsl.analyse.shapes import SHOWN, random_map
from pdedsl.analyse.steps import stability_warning
from pdedsl.diagnostics import Diagnostic, fail
from pdedsl.ir.analysis import Analysis, EquationFacts, Term, Verdict
from pdedsl.ir.spec import Equation, Spec
from pdedsl.symbolic.symbols import TooLarge


def analyse(spec: Spec) -> Analysis:
    """What each equation is, what can be proved about the spec, and what is wrong with it."""
    problems = tuple(_problem(e, spec) for e in spec.equations)
    facts = tuple(map(_facts, problems))
    axioms = _axioms(problems, facts, spec)
    wrong = (*ill_posed(problems, facts), *_warnings(facts, spec), *_contract(axioms, spec))
    return Analysis(spec, facts, axioms, wrong)


def _problem(equation: Equation, spec: Spec) -> Problem:
    try:
        return Problem(equation, parts_of(equation, spec), forward(equation, spec), spec)
    except TooLarge as error:
        raise fail("E113", f"{error}", equation.span, "write it in fewer or smaller steps") from None


def _facts(problem: Problem) -> EquationFacts:
    equation, spec = problem.equation, problem.spec
    if has_features(spec):
        linear, flow = all(is_linear_map(e, spec) for e in equation.right), None
    else:
        linear, flow = all(s.is_affine for s in problem.states), flow_of(equation, spec)
    kind = class_of(equation, problem.jet, spec)
    random = random_map(flow, spec) if flow else None
    shapes = (*_shapes(equation, spec), *((SHOWN[random.kind],) if random else ()))
    return EquationFacts(equation, spec.source.at(equation.span), kind, linear, problem.terms, flow, shapes, random)


def _shapes(equation: Equation, spec: Spec) -> tuple[str, ...]:
    """Known shapes that a realization can use."""
    found = []
    descent = descent_of(equation, spec)
    if descent and descent.layers:
        found.append("symmetric layer")
    if is_separable_pair(spec):
        found.append("separable pair")
    if equation.interval is not None:
        found.append("split in time")
    return tuple(found)


# ---- axioms


def _axioms(problems: tuple[Problem, ...], facts: tuple[EquationFacts, ...], spec: Spec) -> dict[str, Verdict]:
    """The weakest verdict over the equations: all must hold for the whole to hold."""
    found: dict[str, Verdict] = {}
    for problem, fact in zip(problems, facts, strict=True):
        verdicts = feature_axioms(problem, fact.kind) if has_features(spec) else function_axioms(problem)
        for name, verdict in verdicts.items():
            found[name] = _weaker(found[name], verdict) if name in found else verdict
    return found | _of_the_average(spec) if "linearity" in found else found


def _of_the_average(spec: Spec) -> dict[str, Verdict]:
    """A mean of logits, where the spec asks for it, is not the expectation that the theorem speaks of."""
    method = next((r.method for r in spec.realizations if r.part == "diffusion"), None)
    if method is None or method.get("average") != "logits":
        return {}
    reason = "the spec averages logits, and the softmax of a mean is not the mean of softmaxes."
    witness = (
        "two draws with probabilities (0.9, 0.1) and (0.5, 0.5) average to (0.7, 0.3), their logits to (0.75, 0.25)"
    )
    return {"linearity": Verdict("refuted", reason, witness, (method.span,))}


def _weaker(a: Verdict, b: Verdict) -> Verdict:
    rank = {"refuted": 0, "unknown": 1, "proved": 2}
    if a.truth == b.truth and a.reason != b.reason:
        return replace(a, reason=f"{a.reason.removesuffix('.')}; {b.reason}", guilty=(*a.guilty, *b.guilty))
    return a if rank[a.truth] <= rank[b.truth] else b


# ---- mistakes and warnings


def ill_posed(problems: tuple[Problem, ...], facts: tuple[EquationFacts, ...]) -> tuple[Diagnostic, ...]:
    """Diffusion that runs backwards, or a matrix with directions in which it does."""
    found = []
    for problem, fact in zip(problems, facts, strict=True):
        if fact.flow is None or fact.flow.shape == "none" or problem.is_vector:
            continue
        if ellipticity(problem).nonnegative is not False:
            continue
        guilty = problem.terms_where("diffusion") or list(problem.terms)
        if ellipticity(problem, -1).nonnegative:
            found.append(_backward(guilty, problem.spec, problem.equation))
        else:
            message = f"the diffusion {named(guilty)} has directions in which it runs backwards"
            hint = "its matrix must be positive semidefinite: all eigenvalues at least 0"
            found.append(Diagnostic("E419", message, guilty[0].span, hint))
    return tuple(found)


def _backward(guilty: list[Term], spec: Spec, equation: Equation) -> Diagnostic:
    start = direction_of(spec, equation.unknown) == "initial"
    other = "a terminal condition" if start else "an initial condition"
    hint = f"change the sign of {named(guilty)}, or give {other} instead"
    data = "from its start" if start else "from its end"
    message = f"the diffusion {named(guilty)} runs backwards {data}: the problem is ill-posed"
    return Diagnostic("E418", message, guilty[0].span, hint)


def _warnings(facts: tuple[EquationFacts, ...], spec: Spec) -> tuple[Diagnostic, ...]:
    found = []
    method = next((r for r in spec.realizations if r.part == "time"), None)
    for fact in facts if has_features(spec) else ():
        warning = stability_warning(fact.equation, spec)
        if warning:
            text, hint = warning
            span = method.span if method else fact.equation.span
            found.append(Diagnostic("W401", text, span, hint, "warning"))
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
