"""Cost of training before training: measured seconds per step of each phase, times the number of steps."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import torch

from pdedsl.compiler import Compilation
from pdedsl.ir.spec import Spec
from pdedsl.runs.distributed import World, process_group
from pdedsl.runs.experiment import compile_with_settings, config_of, data_of, objective_of
from pdedsl.training.engine import TrainingEngine
from pdedsl.training.phases import Phase, training_phases
from pdedsl.training.run import limit_batch

MIN_STEPS, MAX_STEPS = 3, 20  # timed steps of a phase, after one that allocates memory
MIN_SECONDS = 2.0  # of timed steps: single steps vary by tens of percent on a busy machine


@dataclass(frozen=True)
class PhaseForecast:
    """A phase of training with its measured seconds per step."""

    name: str
    steps: int
    seconds_per_step: float

    @property
    def seconds(self) -> float:
        return self.steps * self.seconds_per_step


@dataclass(frozen=True)
class TrainingForecast:
    """The predicted cost of a training run; validation and the final evaluation are not included."""

    phases: tuple[PhaseForecast, ...]
    parameters: int
    device: str

    @property
    def seconds(self) -> float:
        return sum(phase.seconds for phase in self.phases)

    def __str__(self) -> str:
        lines = [
            f"{phase.name}: {phase.steps:,} steps, {phase.seconds_per_step:.3g} s per step, {duration(phase.seconds)}"
            for phase in self.phases
        ]
        total = f"{self.parameters:,} parameters; training takes {duration(self.seconds)} on {self.device}"
        return "\n".join([*lines, total])


def duration(seconds: float) -> str:
    """`42 s`, `3.5 min`, `12 h`."""
    for unit, length in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.2g} {unit}" if seconds < 100 * length else f"{seconds / length:,.0f} {unit}"
    return f"{seconds:.2g} s" if seconds < 100 else f"{seconds:.0f} s"


def forecast_training(
    spec: Compilation | Spec | str | Path,
    *,
    set: Sequence[str] | Mapping[str, object] = (),
    data: str | Path | None = None,
    device: str | None = None,
    trust: bool = False,
) -> TrainingForecast:
    """Measure a few steps of each phase; nothing is written. The arguments are those of `train`."""
    root = None if data is None else Path(data)
    compilation = compile_with_settings(spec, set, trust, root)
    objective, config = objective_of(compilation), config_of(compilation.spec)
    with ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng(devices=[]))
        world = stack.enter_context(process_group(device))
        samples = data_of(compilation, config, root)
        config = limit_batch(config, len(samples.train), world)
        phases = training_phases(config, objective, len(samples.train))
        engine = TrainingEngine(compilation.module, config, phases, samples, world, compiled=False)
        measured = tuple(_measure(engine, phase, world) for phase in phases)
        return TrainingForecast(measured, sum(p.numel() for p in engine.model.parameters()), str(world.device))


def _measure(engine: TrainingEngine, phase: Phase, world: World) -> PhaseForecast:
    if phase.is_full_batch:  # its steps have different costs: one is measured
        return PhaseForecast(phase.name, phase.steps, _seconds(engine, phase, world))
    _seconds(engine, phase, world)
    times: list[float] = []
    while len(times) < min(MAX_STEPS, phase.steps) and (len(times) < MIN_STEPS or sum(times) < MIN_SECONDS):
        times.append(_seconds(engine, phase, world))
    return PhaseForecast(phase.name, phase.steps, sum(times) / len(times))


def _seconds(engine: TrainingEngine, phase: Phase, world: World) -> float:
    """The time of the first step of a phase."""
    engine.step = phase.start
    start = time.perf_counter()
    engine.advance()
    if world.device.type == "cuda":
        torch.cuda.synchronize(world.device)
    return time.perf_counter() - start
