"""Paths → a model on a data space: how many steps, which noise behind each, what is averaged."""

from __future__ import annotations

from pdedsl.diagnostics import fail
from pdedsl.ir.plan import DataPlan, Family
from pdedsl.ir.representation import Paths
from pdedsl.ir.spec import Spec
from pdedsl.ir.types import Simplex
from pdedsl.plan.methods import count_of, realized, word_of
from pdedsl.plan.objective import objective_of
from pdedsl.plan.operator import plan_operator
from pdedsl.plan.parts import families_of
from pdedsl.plan.readout import readout_of


def plan_data(paths: Paths, spec: Spec) -> DataPlan:
    unknown = spec.unknowns[0]
    classes = unknown.type.classes if isinstance(unknown.type, Simplex) else None
    method = realized(spec, "diffusion")
    families = families_of(paths, spec, method)
    members = count_of(method.get("members") if method else None, 1)
    readout = readout_of(paths, spec, families[0])
    if classes is None:
        plan_operator(paths, spec)  # which is the model, so that what it cannot do is a mistake here
    if readout and not isinstance(spec.space.dimension, int):
        raise fail("E604", "a network needs a space of known dimension", spec.space.span, "use R^2")
    return DataPlan(
        tuple(Family(parts, members) for parts in families),
        spec.space.dimension if isinstance(spec.space.dimension, int) else 0,
        spec.space.image,
        classes,
        readout is not None,
        count_of(method.get("samples") if method else None, 1),
        word_of(method, "average", "probabilities"),
        word_of(method, "weights", "equal"),
        paths.data_span,
        objective_of(paths, method, spec.space.dimension if isinstance(spec.space.dimension, int) else 0),
        readout.bound if readout else None,
        readout.box if readout else None,
    )
