"""Analysis of a spec: class and terms of each equation, verdicts on the axioms, and diagnostics."""

from __future__ import annotations

import re
from dataclasses import replace

from pdedsl import errors
from pdedsl.analysis.axioms.fractional_terms import fractional_errors
from pdedsl.analysis.axioms.point_sources import with_sources, without_sources
from pdedsl.analysis.axioms.prove import prove_axioms
from pdedsl.analysis.classification import analyze_summands, classify, forward_jet
from pdedsl.analysis.compatibility import compatibility_warnings
from pdedsl.analysis.eigenproblem import STRUCTURE as EIGENPROBLEM
from pdedsl.analysis.eigenproblem import eigenproblem_errors
from pdedsl.analysis.exact_solution import exact_solution_errors
from pdedsl.analysis.feature_maps.axioms import Findings, analyze_feature_maps
from pdedsl.analysis.integral_equations import integral_equation_errors
from pdedsl.analysis.normal_form import NormalForm, normal_form, with_named_constants
from pdedsl.analysis.problem import Problem, time_direction
from pdedsl.analysis.random_residual import match_random_residual, noise_name
from pdedsl.analysis.terms import generator_of, terms_of
from pdedsl.analysis.well_posedness import well_posedness_errors
from pdedsl.config.base import Located
from pdedsl.config.evaluation import LipschitzCertificate, SmoothingCertificate
from pdedsl.config.methods import Direction, Noise, Scores
from pdedsl.diagnostics import Diagnostic
from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.default_methods import is_separable_pair
from pdedsl.ir.spec import Equation, SpaceKind, Spec
from pdedsl.ir.terms import Diffusion
from pdedsl.ir.verdicts import Axiom, Proved, Refuted, Undecided, Verdict
from pdedsl.symbolic.symbols import TooLarge


def analyze(spec: Spec) -> Analysis:
    """Classifies the equations, decides the axioms and collects the diagnostics."""
    result = analyze_feature_maps(spec) if spec.space.kind is SpaceKind.PIXELS else _analyze_functions(spec)
    diagnostics = (*result.diagnostics, *_requirement_errors(result.axioms, spec))
    spec, ignored = _without_zero_diffusion(spec, result.equations)
    return Analysis(spec, result.equations, result.axioms, (*diagnostics, *ignored))


def _without_zero_diffusion(spec: Spec, equations: tuple[EquationFacts, ...]) -> tuple[Spec, list[Diagnostic]]:
    """The spec without the options of a diffusion whose coefficient is zero by the value of a constant, and a warning
    for each: `--set σ=0` is the baseline of an experiment. In other specs without diffusion they are errors."""
    if not any(c.value == 0 for c in spec.constants) or any(
        isinstance(t, Diffusion) for e in equations for t in e.terms
    ):
        return spec, []
    ignored = []
    if spec.realize.diffusion is not None:
        ignored.append(errors.methods.zero_diffusion("realize diffusion", spec.realize.diffusion.line))
        spec = replace(spec, realize=replace(spec.realize, diffusion=None))
    if spec.evaluate is not None:
        certify = [
            c for c in spec.evaluate.certify if not isinstance(c.config, SmoothingCertificate | LipschitzCertificate)
        ]
        ignored += [
            errors.methods.zero_diffusion(f"certify {c.config.name}", c.span)
            for c in spec.evaluate.certify
            if c not in certify
        ]
        spec = replace(spec, evaluate=replace(spec.evaluate, certify=tuple(certify)))
    return spec, ignored


def _analyze_functions(spec: Spec) -> Findings:
    if diagnostics := eigenproblem_errors(spec):
        return Findings((), {}, diagnostics)
    regular, whole = without_sources(spec), tuple(_build_problem(e, spec) for e in spec.equations)
    problems = whole if regular is spec else tuple(_build_problem(e, regular) for e in regular.equations)
    diagnostics = (
        *well_posedness_errors(problems),
        *fractional_errors(problems),
        *integral_equation_errors(spec),
        *exact_solution_errors(spec),
    )
    diagnostics = (*diagnostics, *(compatibility_warnings(problems) if regular is spec else ()))
    axioms = _axioms(problems, spec) if spec.eigenvalue is None else {}
    return Findings(tuple(map(_facts, whole)), axioms, diagnostics)


def _build_problem(equation: Equation, spec: Spec) -> Problem:
    form = normal_form(equation, spec)
    try:
        generator = generator_of(equation.rhs[0], _direction(form), form)
        return Problem(equation, analyze_summands(form, terms_of(form)), forward_jet(form), generator, spec)
    except TooLarge as error:
        raise errors.syntax.expansion_limit(str(error), equation.span) from None


def _direction(form: NormalForm) -> Direction:
    return time_direction(form.spec, form.equation.unknown)


def _facts(problem: Problem) -> EquationFacts:
    equation, spec, form = problem.equation, problem.spec, normal_form(problem.equation, problem.spec)
    generator, linear = problem.generator, problem.is_affine
    process = generator_of(with_named_constants(form), _direction(form), form) if generator else None
    random = match_random_residual(generator, spec) if generator else None
    shapes = (*_recognised_structures(equation, spec), *((noise_name(random),) if random else ()))
    text, kind = spec.source.quote(equation.span), classify(form, problem.jet, problem.terms)
    return EquationFacts(equation, text, kind, linear, problem.terms, generator, process or generator, shapes, random)


def _recognised_structures(equation: Equation, spec: Spec) -> tuple[str, ...]:
    """Recognised structures that a realization can use."""
    result = []
    if is_separable_pair(spec):
        result.append("separable system")
    if equation.interval is not None:
        result.append("time splitting")
    if spec.eigenvalue is not None:
        result.append(EIGENPROBLEM)
    return tuple(result)


# ---- Axioms


def _axioms(problems: tuple[Problem, ...], spec: Spec) -> dict[Axiom, Verdict]:
    """The weakest verdict over the equations: an axiom holds if it holds for all of them."""
    result: dict[Axiom, Verdict] = {}
    for problem, equation in zip(problems, spec.equations, strict=True):
        verdicts = with_sources(prove_axioms(problem), equation, spec, problem.is_affine)
        for name, verdict in verdicts.items():
            verdict = _with_unknown_names(verdict, spec)
            result[name] = _combine(result[name], verdict) if name in result else verdict
    return result | _logit_average_verdict(spec) if Axiom.LINEARITY in result else result


_QUOTED_OR_U = re.compile(r"('[^']*')|\bu\b")


def _with_unknown_names(verdict: Verdict, spec: Spec) -> Verdict:
    """The verdict with the names of the unknowns in place of u, except in quotations."""
    names = [unknown.name for unknown in spec.unknowns]
    if names.count("u"):
        return verdict
    name = names[0] if len(names) == 1 else f"({', '.join(names)})"

    def substitute(text: str) -> str:
        return _QUOTED_OR_U.sub(lambda m: m[1] or name, text)

    verdict = replace(verdict, reason=substitute(verdict.reason))
    return (
        replace(verdict, hypotheses=tuple(map(substitute, verdict.hypotheses)))
        if isinstance(verdict, Proved)
        else verdict
    )


def _logit_average_verdict(spec: Spec) -> dict[Axiom, Verdict]:
    """Averaging logits instead of probabilities refutes linearity."""
    method = spec.realize.diffusion
    match method:
        case Located(config=Noise(average=Scores.LOGITS)):
            pass
        case _:
            return {}
    reason = "the spec averages logits, and the softmax of the mean logits is not the mean of the softmaxes."
    counterexample = (
        "probabilities (0.9, 0.1) and (0.5, 0.5) have the mean (0.7, 0.3), their mean logits give (0.75, 0.25)"
    )
    return {Axiom.LINEARITY: Refuted(reason, counterexample, (method.span,))}


def _combine(a: Verdict, b: Verdict) -> Verdict:
    """The weaker verdict: refuted, undecided, proved, in this order; equal verdicts are merged with both reasons."""
    match a, b:
        case Refuted(offending=ours), Refuted(offending=theirs) if a.reason != b.reason:
            return Refuted(_join_reasons(a, b), a.counterexample, (*ours, *theirs))
        case Undecided(offending=ours), Undecided(offending=theirs) if a.reason != b.reason:
            return Undecided(_join_reasons(a, b), (*ours, *theirs))
        case Proved(), Proved() if a.reason != b.reason:
            return Proved(_join_reasons(a, b), tuple(dict.fromkeys((*a.hypotheses, *b.hypotheses))))
        case (Refuted(), _) | (Undecided(), Proved()):
            return a
        case _:
            return b


def _join_reasons(a: Verdict, b: Verdict) -> str:
    return f"{a.reason.removesuffix('.')}; {b.reason}"


# ---- Requirements


def _requirement_errors(axioms: dict[Axiom, Verdict], spec: Spec) -> tuple[Diagnostic, ...]:
    """Errors for `require` lines whose axiom is refuted or not applicable."""
    result: list[Diagnostic] = []
    for requirement in spec.requirements:
        verdict = axioms.get(requirement.axiom)
        if verdict is None:
            result += errors.equations.axiom_not_applicable(
                requirement.axiom, list(axioms), requirement.span
            ).diagnostics
        elif isinstance(verdict, Refuted):
            reported = verdict.reason, verdict.counterexample, verdict.offending
            result += errors.equations.axiom_refuted(requirement.axiom, *reported, requirement.span).diagnostics
    return tuple(result)
