"""The `train` block of a spec → what a run needs, in plain numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from sympy import Expr

from pdedsl.data.augment import Crop, Flip, Gaussian, Kind
from pdedsl.data.wanted import Wanted
from pdedsl.diagnostics import PdeError, fail
from pdedsl.ir.spec import Block, Line, Setting, Spec, Value

Precision = Literal["float32", "float64", "bfloat16"]
Plain = int | float | str | bool | tuple["Plain", ...]


@dataclass(frozen=True)
class Optimizer:
    """An optimizer of torch by its name in the language. `steps` is of L-BFGS alone, which sees all data at once."""

    name: Literal["sgd", "adam", "adamw", "lbfgs"]
    lr: float
    momentum: float = 0.0
    weight_decay: float = 0.0
    nesterov: bool = False
    steps: int = 0
    history: int = 0


@dataclass(frozen=True)
class Schedule:
    """The learning rate as a multiple of the first: in steps at times or every so often, or along a cosine.

    Times are epochs where the length of training is in epochs, otherwise steps.
    """

    name: Literal["constant", "step", "cosine"] = "constant"
    at: tuple[int, ...] = ()
    every: int = 0
    factor: float = 0.1
    warmup: int = 0


@dataclass(frozen=True)
class Attack:
    """The adversary of training."""

    name: Literal["fgsm", "pgd", "ifgsm"]
    norm: Literal["inf", "2"]
    eps: float
    step: float | None = None
    steps: int = 1
    eot: int = 1


@dataclass(frozen=True)
class TrainConfig:
    """A complete experiment. `defaults` says what the spec left open."""

    data: Wanted
    epochs: int | None
    steps: int | None
    batch: int
    optimizers: tuple[Optimizer, ...]
    schedule: Schedule
    augment: tuple[Kind, ...]
    adversary: Attack | None
    regularize: tuple[tuple[str, float], ...]
    precision: Precision
    seed: int
    defaults: tuple[str, ...] = ()


DEFAULT_OPTIMIZER = Optimizer("sgd", lr=0.1, momentum=0.9)
DEFAULTS = {"epochs": "10", "batch": "128", "optimizer": "sgd(lr=0.1, momentum=0.9)", "seed": "0"}


def config_of(spec: Spec) -> TrainConfig:
    """The experiment of a spec; what it leaves open has a default, which is named."""
    block = spec.block("train")
    if block is None:
        raise _located(
            fail("E701", "this spec has no 'train' block", spec.space.span, "add: train { data moons }"), spec
        )
    data = block.all("data")
    if not data:
        raise _located(fail("E702", "'train' has no data", block.span, "add: data moons"), spec)
    _augmentations_fit(block, spec)
    steps = _whole(block, "steps")
    epochs = _whole(block, "epochs")
    optimizers = tuple(_optimizer(_setting(line)) for line in block.all("optimizer"))
    given = {line.key for line in block.lines} | ({"epochs"} if steps else set())
    return TrainConfig(
        data=_wanted(data[0]),
        epochs=None if steps else epochs or int(DEFAULTS["epochs"]),
        steps=steps,
        batch=_whole(block, "batch") or int(DEFAULTS["batch"]),
        optimizers=optimizers or (DEFAULT_OPTIMIZER,),
        schedule=_schedule(block, spec),
        augment=tuple(_augmentation(_setting(line)) for line in block.all("augment")),
        adversary=_adversary(block),
        regularize=tuple(_regularizer(_setting(line)) for line in block.all("regularize")),
        precision=cast(Precision, block.get("precision") or "float32"),
        seed=_whole(block, "seed") or 0,
        defaults=tuple(f"{key} {value}" for key, value in DEFAULTS.items() if key not in given),
    )


def _located(error: PdeError, spec: Spec) -> PdeError:
    return PdeError(error.diagnostics, spec.source)


def _setting(line: Line) -> Setting:
    assert isinstance(line.value, Setting)
    return line.value


def plain(value: Value) -> Plain:
    """A value of the language as a value of Python."""
    if isinstance(value, tuple):
        return tuple(plain(v) for v in value)
    if isinstance(value, Expr):
        return int(value) if value.is_Integer else float(value)
    return value


def _arguments(setting: Setting) -> dict[str, Plain]:
    return {key: plain(value) for key, value in setting.arguments}


def _whole(block: Block, key: str) -> int | None:
    value = block.get(key)
    return int(value) if isinstance(value, Expr) else None


def _real(arguments: dict[str, Plain], key: str, default: float = 0.0) -> float:
    value = arguments.get(key, default)
    assert isinstance(value, int | float)
    return float(value)


def _wanted(line: Line) -> Wanted:
    setting = _setting(line)
    return Wanted(setting.name, **_arguments(setting), span=setting.span)  # type: ignore[arg-type]


def _optimizer(setting: Setting) -> Optimizer:
    real = ("lr", "momentum", "weight_decay")
    arguments = {k: _real({k: v}, k) if k in real else v for k, v in _arguments(setting).items()}
    return Optimizer(setting.name, **arguments)  # type: ignore[arg-type]


def _schedule(block: Block, spec: Spec) -> Schedule:
    value = block.get("schedule")
    if not isinstance(value, Setting):
        return Schedule()
    arguments = _arguments(value)
    if value.name == "step" and not {"at", "every"} & set(arguments):
        raise _located(fail("E705", "this schedule has no steps", value.span, "add at=[…] or every=…"), spec)
    at = arguments.pop("at", ())
    times = at if isinstance(at, tuple) else (at,)
    return Schedule(value.name, at=times, **arguments)  # type: ignore[arg-type]


def _augmentation(setting: Setting) -> Kind:
    arguments = _arguments(setting)
    match setting.name:
        case "crop":
            return Crop(int(_real(arguments, "pad")))
        case "flip":
            return Flip()
        case _:
            return Gaussian(_real(arguments, "std"))


def _augmentations_fit(block: Block, spec: Spec) -> None:
    for line in block.all("augment"):
        setting = _setting(line)
        if setting.name != "gaussian" and spec.space.kind == "data" and spec.space.image is None:
            hint = "points take gaussian(std)"
            raise _located(fail("E703", f"{setting.name} is for images, not for points", setting.span, hint), spec)


def _adversary(block: Block) -> Attack | None:
    value = block.get("adversary")
    if not isinstance(value, Setting):
        return None
    return Attack(value.name, **_arguments(value))  # type: ignore[arg-type]


def _regularizer(setting: Setting) -> tuple[str, float]:
    return setting.name, _real(_arguments(setting), "weight")
