"""`pdedsl train`: trains the network of a spec and writes a run folder with weights, metrics, plots and a report."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from pdedsl.compiler import Compilation
from pdedsl.config.blocks import TrainBlock
from pdedsl.config.training import Loss
from pdedsl.diagnostics.escaping import command
from pdedsl.io import RunError, write_text_atomically
from pdedsl.ir.plan import MemberCrossEntropy, Retraining
from pdedsl.ir.spec import Spec
from pdedsl.numerics.step_size import SolverFailed
from pdedsl.runs.checkpoint import save_tensors
from pdedsl.runs.distributed import World, process_group
from pdedsl.runs.events import Ended, Listener, RunOutcome, Started
from pdedsl.runs.experiment import compile_with_settings, config_of, data_of, default_settings, objective_of
from pdedsl.runs.folder import (
    BASE_WEIGHTS,
    CHECKPOINTS,
    METRICS,
    SAVE_SECONDS,
    SPEC,
    WEIGHTS,
    find_checkpoint,
    lock_run_folder,
)
from pdedsl.runs.load_run import Run, initial_weights
from pdedsl.runs.metrics import MetricsLog, TensorBoardLog, read_metrics
from pdedsl.runs.progress import ProgressDisplay
from pdedsl.runs.trackers import TrackerLog, open_tracker
from pdedsl.runs.user_code import copy_code
from pdedsl.runtime.ode.solver_control import adaptive_blocks
from pdedsl.training.engine import NetworkFactory, TrainingEngine
from pdedsl.training.loop import TrainingLoop, solver_message
from pdedsl.training.phases import training_phases
from pdedsl.training.report import write_results


@dataclass(frozen=True)
class TrainingOptions:
    """Options of a run that are not part of the spec."""

    data: Path | None = None
    device: str | None = None
    resume: bool = False
    compile: bool = False
    start: Path | None = None  # a run whose weights are the initial weights
    network: NetworkFactory | None = None  # used instead of the network of the spec
    save_seconds: float = SAVE_SECONDS
    log: str | None = None
    with_code: bool = False


def train(
    spec: Compilation | Spec | str | Path,
    out: str | Path,
    *,
    set: Sequence[str] | Mapping[str, object] = (),
    data: str | Path | None = None,
    device: str | None = None,
    resume: bool = False,
    compile: bool = False,
    start: str | Path | None = None,
    save_seconds: float = SAVE_SECONDS,
    network: NetworkFactory | None = None,
    trust: bool = False,
    log: str | None = None,
    with_code: bool = False,
    listeners: Sequence[Listener] | None = None,
) -> Run:
    """Train the network of a spec; the run is written to a folder.

    The state of the random number generator is restored afterwards.

    Args:
        spec: a Compilation, a Spec, a path, the name of a shipped spec, or text.
        out: folder of the run.
        set: changes of the spec, as ["train.epochs=2"] or {"train.epochs": 2}.
        data: folder of data sets.
        device: "cpu", "cuda" or another torch device; None for the default.
        resume: continue the run in `out`.
        compile: compile the network by `torch.compile`.
        start: folder of a run whose weights are the initial weights.
        save_seconds: time between checkpoints.
        network: factory seed → network that replaces the network of the spec, like `model` of a compiled package.
        trust: allow importing the Python modules that the spec names.
        log: "mlflow" or "wandb" to log settings and metrics there, besides the run folder.
        with_code: copy the Python modules of the user's networks into the run folder, for sharing.
        listeners: functions that receive progress events; by default progress is shown on standard error, () shows
            nothing.

    Returns:
        `Run` with the trained network and its final metrics.

    Raises:
        PdeError: if the spec has errors, or has no network on data.
        RunError: if the folder `out` cannot be used, or weights do not fit.

    Example:
        >>> import pdedsl
        >>> run = pdedsl.train("convection_diffusion", "run", set={"train.epochs": 2}, listeners=())
        >>> sorted(run.metrics)[:2]
        ['test_accuracy', 'test_loss']
    """
    options = TrainingOptions(_path(data), device, resume, compile, _path(start), network, save_seconds, log, with_code)
    compilation = compile_with_settings(spec, set, trust, options.data)
    with ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng(devices=[]))  # training seeds torch's generator at each step
        world = stack.enter_context(process_group(options.device))
        if listeners is None:
            listeners = (stack.enter_context(ProgressDisplay(sys.stderr)),) if world.is_main else ()
        return _train(compilation, Path(out), options, world, listeners)


def _path(value: str | Path | None) -> Path | None:
    return None if value is None else Path(value)


def _train(
    compilation: Compilation, folder: Path, options: TrainingOptions, world: World, listeners: Sequence[Listener]
) -> Run:
    objective = objective_of(compilation)
    config = config_of(compilation.spec)
    data = data_of(compilation, config, options.data)
    config = limit_batch(config, len(data.train), world)
    with ExitStack() as stack:
        if world.is_main:
            stack.enter_context(lock_run_folder(folder, options.resume))
        world.barrier()
        checkpoint, notes = find_checkpoint(folder, compilation.spec) if options.resume else (None, ())
        phases = training_phases(config, objective, len(data.train))
        if checkpoint is not None and checkpoint.step > phases[-1].end:
            again = command("pdedsl", "train", folder / SPEC, "-o", folder, "--resume")
            raise RunError(
                f"the run in {folder} is at step {checkpoint.step}, beyond the last step {phases[-1].end} of this "
                f"spec. To continue the original run: {again}"
            )
        compiles = options.compile and isinstance(objective, Loss | MemberCrossEntropy)
        engine = TrainingEngine(options.network or compilation.module, config, phases, data, world, compiles)
        if config.adversary and isinstance(objective, Retraining):
            notes = (*notes, "the adversary is applied in cross-entropy training only, not in heat smoothing")
        if options.compile and not compiles:
            notes = (*notes, "torch.compile does not support the derivatives in this loss; the network is not compiled")
        if checkpoint is not None and options.start is not None:
            notes = (*notes, f"resuming with the weights of the run; the weights of {options.start} are not used")
        elif options.start is not None:
            engine.start_from(initial_weights(engine.model, compilation, options.start))
            notes = (*notes, f"initialized from the weights of {options.start}")
        if world.is_main:
            write_text_atomically(folder / SPEC, compilation.spec.source.text)
            if options.with_code:
                copy_code(compilation.spec, folder)
        resumed = checkpoint.step if checkpoint else 0
        active: tuple[Listener, ...] = ()
        if world.is_main:
            metrics = stack.enter_context(MetricsLog(folder / METRICS, resumed))
            board = stack.enter_context(TensorBoardLog(folder / "tensorboard", read_metrics(folder / METRICS)))
            active = (metrics, board, *listeners)
            if options.log:
                active = (*active, TrackerLog(open_tracker(options.log), folder, compilation.spec.source.text))
            notes = (*notes, board.note) if board.note else notes
        loop = TrainingLoop(engine, folder / CHECKPOINTS, compilation.spec.source.text, active, options.save_seconds)
        if checkpoint is not None:
            loop.restore(checkpoint)
        loop.notify(_start_event(compilation, config, engine, folder, resumed, notes))
        ended = loop.run()
        return _result(compilation, config, engine, folder, ended, loop.notify)


FULL_BATCH = "lbfgs is full-batch and counts its own steps: epochs, batch and schedule of the spec do not apply"


def limit_batch(config: TrainBlock, samples: int, world: World) -> TrainBlock:
    """The batch size is at most the number of samples, and at least the number of processes."""
    config = replace(config, batch=min(config.batch, samples))
    if config.batch < world.size:
        raise RunError(f"batch size {config.batch} is smaller than the number of processes {world.size}; increase it")
    return config


def _start_event(
    compilation: Compilation,
    config: TrainBlock,
    engine: TrainingEngine,
    folder: Path,
    resumed: int,
    notes: tuple[str, ...],
) -> Started:
    spec, data = compilation.spec, engine.data
    settings = default_settings(spec, config)
    defaults = (f"defaults used: {', '.join(settings)}",) if settings else ()
    whole = all(phase.is_full_batch for phase in engine.phases)
    return Started(
        name=spec.name,
        title=spec.title,
        hash=spec.hash,
        folder=folder,
        phases=tuple((p.name, p.steps) for p in engine.phases),
        steps=engine.end,
        parameters=sum(p.numel() for p in engine.model.parameters()),
        train=len(data.train),
        validation=len(data.validation) if data.validation is not None else 0,
        test=len(data.test),
        batch=len(data.train) if whole else config.batch,
        device=str(engine.world.device),
        processes=engine.world.size,
        resumed=resumed,
        notes=(*notes, *defaults, *((FULL_BATCH,) if whole else ())),
        adaptive=bool(adaptive_blocks(engine.model)),
        attacked=config.adversary is not None,
    )


def _result(
    compilation: Compilation, config: TrainBlock, engine: TrainingEngine, folder: Path, ended: Ended, notify: Listener
) -> Run:
    if ended.outcome is not RunOutcome.FINISHED:
        return Run(folder, engine.model.eval(), ended.outcome, ended.message)
    engine.use_final_weights()
    try:
        metrics = write_results(compilation, config, engine, folder, ended, notify)
    except SolverFailed as failure:
        message = solver_message("the final evaluation", failure, folder / CHECKPOINTS)
        return Run(folder, engine.model.eval(), RunOutcome.DIVERGED, message)
    if engine.world.is_main:
        save_tensors(folder / WEIGHTS, engine.model.state_dict(), {"metrics": metrics, "hash": compilation.spec.hash})
        if engine.base is not None:
            save_tensors(folder / BASE_WEIGHTS, engine.base.state_dict(), {"hash": compilation.spec.hash})
    engine.world.barrier()
    return Run(folder, engine.model.eval(), RunOutcome.FINISHED, metrics=metrics)
