"""Paths → a model on a data space: how many steps, which noise behind each, what is averaged."""

from __future__ import annotations

from pdedsl import mistakes
from pdedsl.ir.plan import DataPlan, Family
from pdedsl.ir.representation import Paths
from pdedsl.ir.spec import Spec
from pdedsl.ir.types import Simplex
from pdedsl.plan.methods import members_of
from pdedsl.plan.objective import objective_of
from pdedsl.plan.operator import plan_operator
from pdedsl.plan.parts import families_of
from pdedsl.plan.readout import readout_of
from pdedsl.words.diffusions import Noise


def plan_data(paths: Paths, spec: Spec) -> DataPlan:
    unknown = spec.unknowns[0]
    classes = unknown.type.classes if isinstance(unknown.type, Simplex) else None
    method = spec.realize.diffusion
    noise = method.word if method and isinstance(method.word, Noise) else Noise()
    families = families_of(paths, spec, method)
    members, samples = members_of(method.word if method else None)
    readout = readout_of(paths, spec, families[0])
    if classes is None:
        plan_operator(paths, spec)  # which is the model, so that what it cannot do is a mistake here
    if readout and not isinstance(spec.space.dimension, int):
        raise mistakes.networks.unknown_dimension(spec.space.span)
    return DataPlan(
        tuple(Family(parts, members) for parts in families),
        spec.space.dimension if isinstance(spec.space.dimension, int) else 0,
        spec.space.image,
        classes,
        readout is not None,
        samples,
        noise.average,
        noise.weights,
        paths.data_span,
        objective_of(paths, method, spec.space.dimension if isinstance(spec.space.dimension, int) else 0),
        readout.bound if readout else None,
        readout.box if readout else None,
    )
