"""Plan of the grid solve that is exported to JavaScript: constants with a range remain symbols, for sliders.

A slider changes a number in a formula. A constant that determines other constants or the domain is no parameter: it
keeps the value of the spec.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sympy import Symbol

from pdedsl import errors
from pdedsl.config.methods import Grid
from pdedsl.diagnostics import PdeError
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.solver_plans import ChebyshevScheme, FourierScheme, GridPlan, GridScheme, JavascriptPlan
from pdedsl.ir.spec import Constant, SpaceKind, Spec
from pdedsl.lowering.strong_form import lower
from pdedsl.numerics.butcher import ExponentialRungeKutta
from pdedsl.planning.grid_schemes import plan_grid
from pdedsl.planning.solver_selection import require_computable
from pdedsl.problem.first_order_system import GridNotApplicable
from pdedsl.symbolic.data_functions import DataFunction
from pdedsl.symbolic.symbols import atoms

MAX_DIMENSION = 2  # of space: the pictures are lines and maps
WORD = re.compile(r"[^\W\d]\w*[²³]?")


def plan_javascript(analysis: Analysis) -> JavascriptPlan:
    """The plan; raises PdeError with the reason if there is none."""
    spec = analysis.spec
    if spec.space.kind is not SpaceKind.PHYSICAL:
        raise errors.runs.trained_not_solved(spec.space.span)
    parameters = slider_constants(spec)
    fixed = tuple(c for c in spec.constants if c not in parameters)
    problem = lower(replace(analysis, spec=replace(spec, constants=fixed)))
    chosen = spec.realize.equation
    method = chosen.config if chosen is not None and isinstance(chosen.config, Grid) else Grid()
    try:
        plan = plan_grid(problem, method)
        _require_exportable(spec, plan)
    except GridNotApplicable as reason:
        raise _refuse(spec, str(reason)) from None
    require_computable(problem, plan.scheme)
    return JavascriptPlan(plan, parameters)


def slider_constants(spec: Spec) -> tuple[Constant, ...]:
    """The numbers with a range that neither other constants nor the domain depend on, and that are not given by their
    square."""
    text = spec.source.text
    spans = {c.symbol: c.span for c in spec.constants}
    domain = [spec.space.span, *([spec.time.span] if spec.time else [])]

    def is_free(constant: Constant) -> bool:
        own = text[constant.span.start : constant.span.end].partition("=")[0]
        if own.split() != ["const", constant.name]:
            return False
        others = [span for symbol, span in spans.items() if symbol != constant.symbol]
        return not any(constant.name in WORD.findall(text[s.start : s.end]) for s in (*others, *domain))

    return tuple(
        c
        for c in spec.constants
        if c.range is not None and isinstance(c.symbol, Symbol) and c.value.is_number
        if is_free(c)
    )


def _refuse(spec: Spec, reason: str) -> PdeError:
    return errors.methods.solver_not_applicable("JavaScript", reason, spec.space.span, ()).without_fixes()


def _require_exportable(spec: Spec, plan: GridPlan) -> None:
    """Raises GridNotApplicable with the reason if the library in JavaScript lacks a part of the scheme."""
    reason = _obstacle(spec, plan, plan.scheme)
    if reason:
        raise GridNotApplicable(reason)


def _obstacle(spec: Spec, plan: GridPlan, scheme: GridScheme) -> str:
    problem = plan.problem
    if problem.eigenvalue is not None:
        return "it solves boundary value problems, not eigenproblems"
    if problem.parameters:
        return "nothing is learned in it: give the parameters values"
    if len(problem.domain.space) > MAX_DIMENSION:
        return f"it is limited to {MAX_DIMENSION} space dimensions"
    if any(atoms(r.expr, DataFunction) for r in problem.residuals):
        return "functions from data files are not supported"
    if plan.lifts:
        return "jumps between periodic faces and point sources are not supported"
    match scheme:
        case FourierScheme():
            return _fourier_obstacle(scheme)
        case ChebyshevScheme():
            return _chebyshev_obstacle(scheme)
        case _:
            return "it has Fourier and Chebyshev grids on boxes only, and no finite volumes or curved domains"


def _fourier_obstacle(scheme: FourierScheme) -> str:
    system = scheme.system
    if any(d.power for _, d in system.jets):
        return "fractional Laplacians are not supported"
    if system.differential and not isinstance(scheme.integrator, ExponentialRungeKutta):
        return f"the Fourier grid takes etdrk4, not {scheme.integrator.name}"
    if (system.differential and len(system.algebraic) > 1) or len(system.constraints) > 1:
        return "Fourier grids with several stationary unknowns are not supported"
    return ""


def _chebyshev_obstacle(scheme: ChebyshevScheme) -> str:
    system = scheme.system
    if system.nonlocal_terms:
        return "integrals and values at other points are not supported"
    if any(scheme.breaks):
        return "layers and discontinuities that need grids in several pieces are not supported"
    if system.defined_up_to_constant:
        return "unknowns that are defined up to a constant, such as pressures, are not supported"
    if any(c.part for c in system.face_conditions):
        return "conditions on parts of faces are not supported"
    return ""
