"""Plan of the evolution operator on R^d: segments in PDE time, step size, number of Monte Carlo paths."""

from __future__ import annotations

from sympy import Integer

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.methods import Fixed, Integrator
from pdedsl.config.networks import Mlp, Torch
from pdedsl.diagnostics import PdeError
from pdedsl.ir.default_methods import operator_samples
from pdedsl.ir.plan import OperatorPlan, OperatorSegment
from pdedsl.ir.representation import PathExpectation, SdeSegment
from pdedsl.ir.spec import Spec
from pdedsl.ir.terms import MatrixStructure
from pdedsl.numerics.butcher import EXPLICIT
from pdedsl.planning.computability import learned_fields_in, require_computable_coefficients
from pdedsl.planning.integrators import has_stochastic_version, scheme_of, steps_of
from pdedsl.planning.noise import is_exact_in_one_step, law_of


def operator_plan_or_error(paths: PathExpectation, spec: Spec) -> OperatorPlan | PdeError:
    """The plan of the evolution operator, or the error that explains why there is none."""
    try:
        return plan_operator(paths, spec)
    except PdeError as error:
        return error


def plan_operator(paths: PathExpectation, spec: Spec) -> OperatorPlan:
    """The evolution operator on R^d, for data given at run time."""
    scheme = scheme_of(spec, paths)
    method = spec.realize.diffusion.config if spec.realize.diffusion else None
    exact = [is_exact_in_one_step(segment, method) for segment in paths.segments]
    for segment, is_exact in zip(paths.segments, exact, strict=True):
        _check_segment(segment, is_exact, scheme, spec)
    if not isinstance(scheme.config, Fixed):
        raise errors.networks.operator_method(scheme.config.name, tuple(EXPLICIT), scheme.span)
    assert spec.time is not None
    segments = sorted((_operator_segment(s) for s in paths.segments), key=lambda p: float(p.start))
    lengths = [s.length for s in paths.segments]
    stepped = [length for length, is_exact in zip(lengths, exact, strict=True) if not is_exact] or lengths
    step = max(stepped) / Integer(steps_of(scheme.config))
    return OperatorPlan(tuple(segments), paths.direction, step, scheme.config, operator_samples(spec), law_of(method))


def _check_segment(segment: SdeSegment, is_exact: bool, scheme: Located[Integrator], spec: Spec) -> None:
    if spec.space.image is not None:
        raise errors.networks.operator_on_images(spec.space.span)
    for learned in learned_fields_in(segment.drift, spec):
        if learned.net and not isinstance(learned.net.config, Mlp | Torch):
            raise errors.networks.operator_shape(learned.net.config.name, learned.span)
    if segment.index is not None and segment.structure is MatrixStructure.FULL:
        raise errors.networks.operator_full_matrix(segment.diffusion_span or spec.space.span)
    if segment.has_diffusion and not is_exact and not has_stochastic_version(scheme.config):
        raise errors.methods.integrator_with_noise(
            scheme.config.name, segment.diffusion_span or scheme.span, scheme.span
        )
    require_computable_coefficients(segment, spec)


def _operator_segment(segment: SdeSegment) -> OperatorSegment:
    start, end = sorted((segment.start, segment.end), key=float)
    return OperatorSegment(
        start,
        end,
        segment.drift,
        segment.diffusivity,
        segment.structure,
        segment.index,
        segment.rate,
        segment.source,
    )
