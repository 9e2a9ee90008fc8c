"""Paths → a model on a data space: how many steps, which noise after each, what is averaged."""

from __future__ import annotations

from pdedsl import mistakes
from pdedsl.ir.plan import DataPlan, Family
from pdedsl.ir.representation import Paths, Stretch
from pdedsl.ir.spec import Spec
from pdedsl.ir.types import Simplex
from pdedsl.plan.fields import require_formulas
from pdedsl.plan.methods import members_of
from pdedsl.plan.objective import loss_of, objective_of
from pdedsl.plan.operator import plan_operator
from pdedsl.plan.parts import families_of
from pdedsl.plan.readout import readout_of
from pdedsl.plan.used import require_used
from pdedsl.words.diffusions import Noise


def plan_data(paths: Paths, spec: Spec) -> DataPlan:
    classes = _classes(paths, spec)
    loss_of(spec)
    method = spec.realize.diffusion
    noise = method.word if method and isinstance(method.word, Noise) else Noise()
    families = families_of(paths, spec, method)
    members, samples = members_of(method.word if method else None)
    readout = readout_of(paths, spec, families[0])
    if classes is None:  # the operator is the model, so its refusals are errors here
        plan_operator(paths, spec)
        require_formulas((paths.data,), paths.data_span, spec)
    if readout and not isinstance(spec.space.dimension, int):
        raise mistakes.networks.unknown_dimension(spec.space.span)
    dimension = spec.space.dimension if isinstance(spec.space.dimension, int) else 0
    made = DataPlan(
        tuple(Family(parts, members) for parts in families),
        dimension,
        spec.space.image,
        classes,
        readout is not None,
        samples,
        noise.average,
        noise.weights,
        paths.data_span,
        objective_of(paths, method, dimension),
        readout.bound if readout else None,
        readout.box if readout else None,
    )
    require_used(made, paths, spec)
    return made


def _classes(paths: Paths, spec: Spec) -> int | None:
    """The number of classes, if the unknown is a class probability, whose sum must stay 1; otherwise None."""
    unknown = spec.unknowns[0]
    if not isinstance(unknown.type, Simplex):
        return None
    for stretch in paths.stretches:
        _require_sum(stretch, spec)
    return unknown.type.classes


def _require_sum(stretch: Stretch, spec: Spec) -> None:
    for kind, value, span in (("reaction", stretch.rate, stretch.reaction), ("source", stretch.source, stretch.gain)):
        if value != 0:
            place = span or stretch.convection or stretch.diffusion or spec.space.span
            raise mistakes.networks.leaves_simplex(kind, spec.source.quote(place), place)
