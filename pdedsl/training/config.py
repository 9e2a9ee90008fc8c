"""Training configuration of a spec, from its `train` block."""

from __future__ import annotations

from dataclasses import dataclass

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.blocks import TrainBlock
from pdedsl.config.data import Data
from pdedsl.config.training import Adversary, Augmentation, Gaussian, Optimizer, Precision, Regularizer, Schedule, Step
from pdedsl.ir.spec import SpaceKind, Spec


@dataclass(frozen=True)
class TrainConfig:
    """A complete experiment. `defaults` lists the settings that the spec omits, with their default values."""

    data: Located[Data]
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
