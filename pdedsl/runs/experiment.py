"""Experiment of a spec: training configuration from its `train` block, objective, and data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pdedsl import errors
from pdedsl.compiler import Compilation, to_compilation
from pdedsl.config import data as config_data
from pdedsl.config.base import Located
from pdedsl.config.blocks import TrainBlock
from pdedsl.config.training import Adversary, Augmentation, Gaussian, Optimizer, Precision, Regularizer, Schedule, Step
from pdedsl.data.load import load
from pdedsl.data.sets import Data
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


@dataclass(frozen=True)
class TrainConfig:
    """A complete experiment. `defaults` lists the settings that the spec omits, with their default values."""

    data: Located[config_data.Data]
    epochs: int | None
    steps: int | None
    batch: int
    optimizers: tuple[Optimizer, ...]
    schedule: Schedule
    augment: tuple[Augmentation, ...]
    adversary: Adversary | None
    regularize: tuple[Regularizer, ...]
    precision: Precision
    seed: int
    defaults: tuple[str, ...] = ()


def config_of(spec: Spec) -> TrainConfig:
    """The experiment of a spec. Omitted settings get default values, which are reported."""
    block = spec.train
    if block is None:
        raise errors.runs.missing_train_block(spec.space.span).within(spec.source)
    if block.data is None:
        raise errors.runs.missing_data(block.span).within(spec.source)
    _check(block, spec)
    return TrainConfig(
        data=block.data,
        epochs=block.epochs,
        steps=block.steps,
        batch=block.batch,
        optimizers=tuple(chosen.config for chosen in block.optimizer),
        schedule=block.schedule.config,
        augment=tuple(chosen.config for chosen in block.augment),
        adversary=block.adversary.config if block.adversary else None,
        regularize=tuple(chosen.config for chosen in block.regularize),
        precision=block.precision,
        seed=block.seed,
        defaults=_defaults(block),
    )


def _check(block: TrainBlock, spec: Spec) -> None:
    """Check that a `step` schedule has epochs, and that augmentations apply to the data."""
    for chosen in block.augment:
        points = spec.space.kind is SpaceKind.DATA and spec.space.image is None
        if points and not isinstance(chosen.config, Gaussian):
            raise errors.runs.image_augmentation(chosen.config.name, chosen.span).within(spec.source)
    schedule = block.schedule.config
    if isinstance(schedule, Step) and not schedule.at and schedule.every is None:
        raise errors.runs.empty_schedule(block.schedule.span).within(spec.source)


def _defaults(block: TrainBlock) -> tuple[str, ...]:
    """The settings that the spec omits, as `seed = 0`."""
    optimizers = ", ".join(chosen.config.brief for chosen in block.optimizer)
    values = {"epochs": block.epochs, "batch": block.batch, "optimizer": optimizers, "seed": block.seed}
    return tuple(f"{key} = {value}" for key, value in values.items() if not block.says(key) and value is not None)


def objective_of(compilation: Compilation) -> Objective:
    """The training objective; PdeError if the spec is not trained on data."""
    plan, spec = compilation.plan, compilation.spec
    if isinstance(plan, SolvePlan):
        raise errors.runs.solved_not_trained(spec.space.span).within(spec.source)
    if isinstance(plan, DataPlan) and plan.classes is None:
        unknown = spec.unknowns[0]
        raise errors.runs.nothing_to_train(unknown.name, unknown.span).within(spec.source)
    return plan.objective


def data_of(compilation: Compilation, config: TrainConfig, root: Path | None) -> Data:
    """The data set of a spec, in the shape of the input of its network."""
    plan = compilation.plan
    assert not isinstance(plan, SolvePlan)  # `objective_of` has refused it
    shape = plan.image if plan.image else (plan.dimension,)
    try:
        return load(config.data, root, config.seed, shape, plan.classes)
    except PdeError as error:
        raise error.within(error.source or compilation.spec.source) from None
