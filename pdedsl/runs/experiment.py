"""Experiment of a spec: training configuration from its `train` block, objective, and data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pdedsl import errors
from pdedsl.compiler import Compilation, to_compilation
from pdedsl.config.blocks import TrainBlock
from pdedsl.config.training import GaussianAugmentation, RobustSelection, Step
from pdedsl.data.load import load
from pdedsl.data.splits import Data
from pdedsl.diagnostics import PdeError
from pdedsl.ir.plan import DataPlan, Objective, SolvePlan
from pdedsl.ir.spec import SpaceKind, Spec
from pdedsl.sources import apply_settings, source_of


def compile_with_settings(
    spec: Compilation | Spec | str | Path,
    settings: Sequence[str] | Mapping[str, object],
    trust: bool = False,
    data: Path | None = None,
) -> Compilation:
    """Compile a Compilation, a Spec, a path, the name of a shipped spec, or text, with entries of the spec overridden
    by `settings`, as ["train.epochs=2"] or {"train.epochs": 2}."""
    pairs = [f"{key}={value}" for key, value in settings.items()] if isinstance(settings, Mapping) else settings
    match spec:
        case Compilation() if not pairs:
            return spec
        case Compilation(spec=Spec(source=source)) | Spec(source=source):
            return to_compilation(apply_settings(source, pairs), trust, data)
        case _:
            return to_compilation(source_of(spec, pairs), trust, data)


def config_of(spec: Spec) -> TrainBlock:
    """The `train` block of a spec; PdeError without data, with image augmentations of points, a selection without
    validation samples or an empty `step`."""
    block = spec.train
    if block is None:
        raise errors.runs.missing_train_block(spec.space.span).within(spec.source)
    if block.data is None:
        raise errors.runs.missing_data(block.span).within(spec.source)
    points = spec.space.kind is SpaceKind.DATA and spec.space.image is None
    for located in block.augment:
        if points and not isinstance(located.config, GaussianAugmentation):
            raise errors.runs.image_augmentation(located.config.name, located.span).within(spec.source)
    if block.select is not None and not block.data.config.validation:
        raise errors.runs.selection_without_validation(block.select.span).within(spec.source)
    if block.select is not None and isinstance(block.select.config, RobustSelection) and block.adversary is None:
        raise errors.runs.selection_without_adversary(block.select.span).within(spec.source)
    schedule = block.schedule.config
    if isinstance(schedule, Step) and not schedule.at and schedule.every is None:
        raise errors.runs.empty_schedule(block.schedule.span).within(spec.source)
    return block


def default_settings(spec: Spec, config: TrainBlock) -> tuple[str, ...]:
    """The settings that the spec omits, as `seed = 0`, and the batch size if it was reduced."""
    block = spec.train
    assert block is not None
    optimizers = ", ".join(located.config.brief for located in block.optimizer)
    values = {"epochs": block.epochs, "batch": block.batch, "optimizer": optimizers, "seed": block.seed}
    notes = {key: f"{key} = {value}" for key, value in values.items() if not block.sets(key) and value is not None}
    if config.batch != block.batch:
        reduced = f"batch = {config.batch} (there are fewer than {block.batch} samples)"
        notes = {"batch": reduced} | {key: note for key, note in notes.items() if key != "batch"}
    return tuple(notes.values())


def objective_of(compilation: Compilation) -> Objective:
    """The training objective; PdeError if the spec is not trained on data."""
    plan, spec = compilation.plan, compilation.spec
    if isinstance(plan, SolvePlan):
        raise errors.runs.solved_not_trained(spec.space.span).within(spec.source)
    if isinstance(plan, DataPlan) and plan.classes is None:
        unknown = spec.unknowns[0]
        raise errors.runs.nothing_to_train(unknown.name, unknown.span).within(spec.source)
    return plan.objective


def data_seed(spec: Spec) -> int:
    """The seed that selects the samples: that of the data, 0 by default."""
    data = config_of(spec).data
    return (data.config.seed if data else None) or 0


def data_of(compilation: Compilation, config: TrainBlock, root: Path | None) -> Data:
    """The data set of a spec, in the shape of the input of its network."""
    plan = compilation.plan
    assert not isinstance(plan, SolvePlan)  # `objective_of` has refused it
    assert config.data is not None
    shape = plan.image if plan.image else (plan.dimension,)
    try:
        return load(config.data, root, shape, plan.classes)
    except PdeError as error:
        raise error.within(error.source or compilation.spec.source) from None
