"""Analysis → Representation, by the first representation theorem that applies.

| space | theorem | module |
| --- | --- | --- |
| data | method of characteristics, Feynman-Kac formula | `feynman_kac.py` |
| data, nonlinear | strong form; Hopf-Cole and other transforms | `whole_space.py`, `transforms/` |
| pixels | first and second order, separable systems, gradient flows | `feature_maps.py` |
| physical | collocation of the strong form | `strong_form.py` |
"""

from __future__ import annotations

from collections import Counter
from typing import assert_never

from pdedsl import errors
from pdedsl.diagnostics import PdeError
from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.representation import Representation
from pdedsl.ir.spec import SpaceKind, Spec
from pdedsl.ir.terms import (
    Convection,
    Coupling,
    Diffusion,
    HigherOrder,
    LearnedField,
    Nonlinear,
    Nonlocal,
    Reaction,
    SourceTerm,
    SymmetricLayer,
    TimeDerivative,
)
from pdedsl.lowering import feature_maps, feynman_kac, strong_form, whole_space
from pdedsl.lowering.feynman_kac import AVERAGED_TYPES


def lower(analysis: Analysis) -> Representation:
    """The representation by the first theorem that applies."""
    if analysis.spec.space.kind is SpaceKind.PHYSICAL:
        return strong_form.lower(analysis)
    representation: Representation | None = feynman_kac.lower(analysis) or feature_maps.lower(analysis)
    if representation is None and analysis.spec.space.kind is SpaceKind.DATA:
        representation = whole_space.lower(analysis)
    if representation is None:
        raise _explain_no_theorem(analysis)
    return representation


def _explain_no_theorem(analysis: Analysis) -> PdeError:
    spec = analysis.spec
    if spec.space.kind is SpaceKind.PIXELS:
        return _explain_no_ode_system(spec)
    if len(spec.unknowns) > 1:
        return errors.networks.several_unknowns([u.name for u in spec.unknowns], spec.unknowns[1].span)
    unknown = spec.unknowns[0]
    if not isinstance(unknown.type, AVERAGED_TYPES):
        return errors.networks.unsupported_unknown(unknown.name, str(unknown.type), unknown.span)
    for facts in analysis.equations:
        if facts.generator is None:
            return _explain_no_generator(facts)
    raise AssertionError("Feynman-Kac applies to a linear equation for one unknown on a data space")


def _explain_no_generator(facts: EquationFacts) -> PdeError:
    """The error for the first term that does not belong to ∂u/∂t = b·∇u + A:∇∇u + c u + f."""
    for term in facts.terms:
        match term:
            case TimeDerivative() | Convection() | Diffusion() | Reaction() | SourceTerm():
                continue
            case Nonlinear() | Nonlocal() | HigherOrder() | Coupling() | SymmetricLayer() | LearnedField():
                return errors.networks.unsupported_term(term.origin.text, term.origin.span)
            case _:
                assert_never(term)
    return errors.networks.unsupported_equation(facts.equation.span)


def _explain_no_ode_system(spec: Spec) -> PdeError:
    """Why equations on feature maps are neither one equation of first or second order nor a separable system."""
    count = Counter(equation.unknown for equation in spec.equations)
    for equation in spec.equations:
        if equation.order not in (1, 2):
            return errors.feature_maps.order_in_time(equation.order, equation.span)
        if count[equation.unknown] > 1:
            return errors.feature_maps.several_time_intervals(equation.span)
    return errors.feature_maps.not_separable(spec.equations[-1].span)
