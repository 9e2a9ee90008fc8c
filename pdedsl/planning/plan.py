"""Representation → Plan: network, training objective and solver, with all sizes."""

from __future__ import annotations

from typing import assert_never

from pdedsl.ir.plan import Model
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.representation import FeatureMapEvolution, PathExpectation, Representation
from pdedsl.ir.spec import Spec
from pdedsl.planning.data_space import plan_data
from pdedsl.planning.evaluation import require_evaluation
from pdedsl.planning.families import plan_family
from pdedsl.planning.image_plane import plan_image, require_overlapping_boxes
from pdedsl.planning.memory_limits import require_memory
from pdedsl.planning.solver_selection import plan_solve
from pdedsl.planning.unused_options import require_single_input_noise, require_used_in_training


def plan(representation: Representation, spec: Spec, reference: StrongForm | None = None) -> Model:
    """The plan of a spec; options that do not apply are errors. `reference` is the equation of R^d on a truncated
    domain, for the reference solution of an `evaluate` block."""
    require_overlapping_boxes(spec)
    model = _model(representation, spec)
    require_memory(model, spec)
    if spec.train is not None:
        require_used_in_training(spec.train, model)
        require_single_input_noise(spec.train, model)
    if spec.evaluate is not None:
        return require_evaluation(spec.evaluate, representation, model, spec, reference)
    return model


def _model(representation: Representation, spec: Spec) -> Model:
    match representation:
        case PathExpectation():
            return plan_data(representation, spec)
        case FeatureMapEvolution():
            return plan_image(representation, spec)
        case StrongForm():
            return plan_family(representation, spec) if spec.family else plan_solve(representation, spec)
        case _:
            assert_never(representation)
