"""Validation of the `evaluate` block against the model, before any training."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import assert_never

from pdedsl import errors
from pdedsl.config.blocks import EvaluateBlock, Plot, item_text
from pdedsl.config.evaluation import (
    ImageCorruption,
    LipschitzCertificate,
    SmoothingCertificate,
    StochasticProtocol,
    sizes_of,
)
from pdedsl.config.methods import Pinn, PlannedSolver
from pdedsl.diagnostics import PdeError, Span
from pdedsl.ir.plan import DataPlan, ImagePlan, Model, SolvePlan
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.representation import PathExpectation, Representation
from pdedsl.ir.solver_plans import GridPlan
from pdedsl.ir.spec import Spec
from pdedsl.planning.method_planners import SolverPlanner
from pdedsl.planning.solver_selection import plan_reference


def require_evaluation(
    block: EvaluateBlock, representation: Representation, model: Model, spec: Spec, problem: StrongForm | None
) -> Model:
    """The model, with the reference grid of the block if it is an evolution operator; `problem` is the equation of R^d
    on a truncated domain. Raises an error for an entry of the block that does not apply."""
    if isinstance(model, SolvePlan):
        _refuse_classifier_entries(block)
        _require_solution_plots(block, model.method)
        return model
    if isinstance(model, DataPlan) and model.classes is None:
        _refuse_classifier_entries(block)
        return replace(model, reference=_plan_reference(block, model, spec, problem))
    noise = representation.input_variance if isinstance(representation, PathExpectation) else None
    for chosen in block.certify:
        if isinstance(chosen.config, SmoothingCertificate) and noise is None:
            raise errors.evaluation.missing_diffusion(chosen.span)
        if isinstance(chosen.config, LipschitzCertificate) and noise is None and isinstance(model, DataPlan):
            raise errors.evaluation.no_lipschitz_bound(chosen.span)
    for corruption in block.corrupt:
        if isinstance(corruption.config, ImageCorruption) and isinstance(model, DataPlan) and model.image is None:
            raise errors.evaluation.image_corruption(corruption.config.name, corruption.span)
    if block.reference is not None:
        raise errors.evaluation.reference_with_learned_coefficients(block.place("reference"))
    if block.audit and not block.attack:
        raise errors.evaluation.missing_attack(block.place("audit"))
    adaptive = block.protocol is not None and isinstance(block.protocol.config, StochasticProtocol)
    if adaptive and not any(sizes_of(chosen.config) for chosen in block.attack):
        raise errors.evaluation.missing_eps(block.place("protocol"))
    for plot, span in zip(block.plot, block.places.get("plot", ()), strict=False):
        if isinstance(plot, Plot):
            _require_plot(plot, span, block, model)
    return model


def _refuse_classifier_entries(block: EvaluateBlock) -> None:
    for key in ("natural", "attack", "transfer", "corrupt", "certify", "audit", "protocol"):
        if block.sets(key):
            raise errors.evaluation.not_a_classifier(key, block.place(key))


def _plan_reference(block: EvaluateBlock, model: DataPlan, spec: Spec, problem: StrongForm | None) -> GridPlan | None:
    """On R^d, a reference needs an evolution operator, and a grid that solves the equation on a box."""
    if block.plot:
        raise errors.evaluation.plot_on_whole_space(item_text(block.plot[0]), block.place("plot"))
    if block.reference is None:
        return None
    if isinstance(model.operator, PdeError):
        raise model.operator
    if not isinstance(spec.space.dimension, int):
        raise errors.evaluation.reference_in_any_dimension(str(spec.space.dimension), block.place("reference"))
    if problem is None:
        raise errors.evaluation.reference_with_learned_coefficients(block.place("reference"))
    reference = replace(block.reference, config=replace(block.reference.config, extent=None))
    return plan_reference(reference, SolverPlanner(problem))


def _require_solution_plots(block: EvaluateBlock, method: PlannedSolver) -> None:
    for plot, span in zip(block.plot, block.places.get("plot", ()), strict=False):
        if plot not in (Plot.SOLUTION, Plot.CURVES):
            raise errors.evaluation.plot_needs_classifier(item_text(plot), span)
        if plot is Plot.CURVES and not isinstance(method, Pinn):
            raise errors.evaluation.plot_needs_training(plot.value, method.name, span)


def _require_plot(plot: Plot, span: Span, block: EvaluateBlock, model: DataPlan | ImagePlan) -> None:
    match plot:
        case Plot.DECISION_BOUNDARY:
            if _input_dimension(model) != 2:
                raise errors.evaluation.plot_needs_plane(plot.value, _input_dimension(model), span)
        case Plot.RADII if not block.certify:
            raise errors.evaluation.plot_needs_entry(plot.value, "certify", span)
        case Plot.ATTACKS | Plot.SAMPLES if not block.attack:
            raise errors.evaluation.plot_needs_entry(plot.value, "attack", span)
        case Plot.SOLUTION:
            raise errors.evaluation.plot_needs_solution(plot.value, span)
        case Plot.CONFUSION | Plot.CURVES | Plot.RADII | Plot.ATTACKS | Plot.SAMPLES:
            pass
        case _:
            assert_never(plot)


def _input_dimension(model: DataPlan | ImagePlan) -> int:
    return model.dimension if isinstance(model, DataPlan) else prod(model.image)
