"""Training loop: steps, metrics, validation, checkpoints, until the end, an interruption or divergence."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pdedsl.config.training import RobustSelection, Selection, ValidationSelection
from pdedsl.data.splits import Split
from pdedsl.io import malformed_as_run_error
from pdedsl.numerics.step_size import SolverFailed
from pdedsl.runs import checkpoint
from pdedsl.runs.checkpoint import Checkpoint
from pdedsl.runs.events import Assessed, Ended, Event, HeldOutSplit, Listener, RunOutcome, Saved, Stepped
from pdedsl.runs.folder import Interrupted, catch_interrupts
from pdedsl.runs.metrics import compute_metrics
from pdedsl.runtime.ode.solver_control import adaptive_blocks
from pdedsl.runtime.ode.torchdiffeq_solver import translate_failures
from pdedsl.training.engine import TrainingEngine
from pdedsl.training.losses import Adversary
from pdedsl.training.losses.adversarial import robust_accuracy
from pdedsl.training.losses.classification import ACCURACY
from pdedsl.training.objectives import Terms
from pdedsl.training.phases import Phase

MAX_REPORTS_PER_EPOCH = 20  # lines of metrics.jsonl
MAX_VALIDATION_RATIO = 0.3  # validated samples per training sample, so that validation takes a small part of the time


class TrainingLoop:
    """Runs the steps of an engine and notifies listeners. Metrics stay on the device until they are reported."""

    def __init__(
        self, engine: TrainingEngine, folder: Path, spec: str, listeners: Sequence[Listener], save_seconds: float
    ) -> None:
        self.engine, self.folder, self.spec, self.listeners = engine, folder, spec, listeners
        self.save_seconds = save_seconds
        self.names: tuple[str, ...] = ()
        self.rows: list[Tensor] = []  # terms of the steps since the last report
        self.validation_loss = 0.0  # of the last validation
        self.task = ""  # the current task, for messages
        self.spent = 0.0  # seconds spent by earlier processes
        self.begun = self.saved = time.monotonic()

    def run(self) -> Ended:
        """Continue to the end, or until an interruption or a divergence."""
        with catch_interrupts() as interrupted:
            ended = self._run(interrupted)
        self.notify(ended)
        return ended

    def _run(self, interrupted: Interrupted) -> Ended:
        if self.engine.step == 0:
            self._save()
        ended = self.advance(self.engine.end, interrupted)
        if ended is not None:
            return ended
        if not (self._is_finite() and math.isfinite(self.validation_loss)):
            return self._divergence_event(self.engine.step)
        self._save()
        return Ended(self.engine.step, self._seconds(), RunOutcome.FINISHED, self._early_stop())

    def advance(self, end: int, interrupted: Interrupted = lambda: False) -> Ended | None:
        """Take steps until `end`; returns how training ended if it stopped earlier."""
        try:
            with translate_failures():
                return self._advance(end, interrupted)
        except SolverFailed as failure:
            return self._failure_event(failure)

    def _advance(self, end: int, interrupted: Interrupted) -> Ended | None:
        engine = self.engine
        while engine.step < end and not engine.stops_early:
            phase, rate = engine.current(), engine.learning_rate()
            self.task = f"step {engine.step + 1}"
            stop = self._record(engine.advance(), interrupted())
            report = _is_report_step(engine.step, phase)
            if (report or stop) and (failed := self._first_nonfinite_step()) is not None:
                return self._divergence_event(failed)
            if report:
                self._report(phase, rate)
            self._validate(phase)
            if stop and not self._is_finite():
                return self._divergence_event(engine.step)
            if stop:
                self._save()
                return Ended(engine.step, self._seconds(), RunOutcome.INTERRUPTED)
            if time.monotonic() - self.saved > self.save_seconds and self._is_finite():
                self._save()
        return None

    def notify(self, event: Event) -> None:
        for listener in self.listeners:
            listener(event)

    def _seconds(self) -> float:
        return self.spent + time.monotonic() - self.begun

    # ---- Metrics

    def _record(self, terms: Terms, interrupted: bool) -> bool:
        """Record the terms of a step as means over all processes; return whether any process was interrupted."""
        self.names, world = tuple(terms), self.engine.world
        values = torch.stack([*terms.values()])
        if world.size == 1:
            self.rows.append(values)
            return interrupted
        shared = world.all_reduce(torch.cat([values, values.new_tensor([float(interrupted)])])) / world.size
        self.rows.append(shared[:-1])
        return bool(shared[-1] > 0)

    def _first_nonfinite_step(self) -> int | None:
        """The first step since the last report whose loss is not finite."""
        finite = torch.stack(self.rows).isfinite().all(1).tolist()
        return self.engine.step - len(finite) + finite.index(False) + 1 if False in finite else None

    def _report(self, phase: Phase, rate: float) -> None:
        engine = self.engine
        means = torch.stack(self.rows).double().mean(0).tolist()
        self.rows.clear()
        terms = dict(zip(self.names, means, strict=True))
        accuracy = terms.pop(ACCURACY, None)
        epoch = (engine.step - phase.start) * phase.epochs / phase.steps
        loss = math.fsum(terms.values())
        self.notify(
            Stepped(
                engine.step, engine.end, phase.name, epoch, phase.epochs, terms, loss, accuracy, rate, self._seconds()
            )
        )

    def _validate(self, phase: Phase) -> None:
        """Validate the network after an epoch, or every few epochs if the validation split is large."""
        engine, data = self.engine, self.engine.data
        split = data.validation if data.validation is not None else data.test
        every = math.ceil(len(split) / (MAX_VALIDATION_RATIO * len(data.train)))
        done, per_step = engine.step - phase.start, phase.epochs / phase.steps
        epoch = math.floor(done * per_step + 1e-9)
        passed = epoch > math.floor((done - 1) * per_step + 1e-9)
        if not (engine.step == phase.end or (passed and epoch % every == 0)):
            return
        self.task = f"the validation after step {engine.step}"
        self.validation_loss, *metrics = compute_metrics(engine.model, split, engine.world, engine.dtype)
        name = HeldOutSplit.VALIDATION if data.validation is not None else HeldOutSplit.TEST
        self.notify(Assessed(engine.step, done * per_step, phase.name, name, self.validation_loss, *metrics))
        if engine.config.select is not None and data.validation is not None and phase is engine.phases[-1]:
            engine.select(self._selection_accuracy(engine.config.select.config, data.validation))

    def _selection_accuracy(self, selection: Selection, split: Split) -> float:
        """Accuracy of the averaged weights, if there is an average, on validation samples or their adversarial
        examples; the state of the noise is restored."""
        engine = self.engine
        streams_before = {name: buffer.clone() for name, buffer in engine.model.named_buffers()}
        with engine.averaged_weights():
            match selection:
                case ValidationSelection():
                    accuracy = compute_metrics(engine.model, split, engine.world, engine.dtype).accuracy
                case RobustSelection():
                    assert engine.config.adversary is not None
                    attack = Adversary(engine.config.adversary.config, engine.data.bounds)
                    accuracy = robust_accuracy(engine.model, attack, split, engine.world, engine.dtype)
        for name, buffer in engine.model.named_buffers():
            buffer.copy_(streams_before[name])
        return accuracy

    def _early_stop(self) -> str:
        engine = self.engine
        if engine.step == engine.end:
            return ""
        return f"stopped at step {engine.step} of {engine.end}: {engine.waited} validations without a higher accuracy"

    # ---- Checkpoints and termination

    def _is_finite(self) -> bool:
        """Whether all recorded terms and all weights are finite."""
        rows = not self.rows or bool(torch.stack(self.rows).isfinite().all())
        return rows and all(bool(p.isfinite().all()) for p in self.engine.model.parameters())

    def _save(self) -> None:
        self.saved = time.monotonic()
        if not self.engine.world.is_main:
            return
        tensors, plain = self.engine.state()
        plain |= {"names": list(self.names), "seconds": self._seconds()}
        if self.rows:
            tensors["metrics"] = torch.stack(self.rows)
        path = checkpoint.save(self.folder, Checkpoint(self.engine.step, tensors, plain, self.spec))
        self.notify(Saved(self.engine.step, path))

    def restore(self, checkpoint: Checkpoint) -> None:
        """Continue from a checkpoint."""
        plain: dict[str, Any] = checkpoint.plain
        with malformed_as_run_error(
            f"the checkpoint of step {checkpoint.step} in {self.folder} belongs to another run: delete it"
        ):
            self.engine.restore(checkpoint.step, checkpoint.tensors, plain)
            self.names, self.spent = tuple(plain["names"]), float(plain["seconds"])
            rows = checkpoint.tensors.get("metrics", torch.empty(0, 0))
            self.rows = [row.clone() for row in rows.to(self.engine.world.device)]

    def _divergence_event(self, step: int) -> Ended:
        message = loss_message(step, self._report_folder, bool(adaptive_blocks(self.engine.model)))
        return Ended(step, self._seconds(), RunOutcome.DIVERGED, message)

    def _failure_event(self, failure: SolverFailed) -> Ended:
        """A solver also fails after a non-finite loss at an earlier step: then that step is reported."""
        failed = self._first_nonfinite_step() if self.rows else None
        if failed is not None:
            return self._divergence_event(failed)
        message = solver_message(self.task, failure, self._report_folder)
        return Ended(self.engine.step, self._seconds(), RunOutcome.DIVERGED, message)

    @property
    def _report_folder(self) -> Path | None:
        """The folder in the first process, which reports errors; None in the others."""
        return self.folder if self.engine.world.is_main else None


def _is_report_step(step: int, phase: Phase) -> bool:
    """Whether metrics are reported after this step."""
    every = max(1, round(phase.steps / max(phase.epochs, 1) / MAX_REPORTS_PER_EPOCH))
    return step == phase.end or (step - phase.start) % every == 0


# ---- Messages for divergence: cause, saved state, suggested fix


LOSS_FIX = "Try a smaller learning rate, a smaller weight of the residual penalty, or precision float64"
SOLVER_FIX = (
    "Try a smaller learning rate, larger tolerances rtol and atol, precision float64, or a fixed-step method such as "
    "rk4(steps=10)"
)
RESTART = "a new run can start from the saved weights with --from RUN"


def loss_message(step: int, folder: Path | None, adaptive: bool) -> str:
    """For a loss that is not finite; an adaptive solver may be the cause."""
    fix = SOLVER_FIX if adaptive else LOSS_FIX
    return f"the loss is NaN or infinite at step {step}{_saved_state(folder)}. {fix}; {RESTART}."


def solver_message(where: str, failure: SolverFailed, folder: Path | None) -> str:
    """For an adaptive solver that failed."""
    return f"the solver failed in {where}: {failure}{_saved_state(folder)}. {SOLVER_FIX}; {RESTART}."


def _saved_state(folder: Path | None) -> str:
    """The newest valid checkpoint in a folder; empty without a folder, as in all processes but the first."""
    newest = checkpoint.load_newest(folder)[0] if folder else None
    if newest is None:
        return ""
    return f"; the state after step {newest.step} was saved" if newest.step else "; the initial weights were saved"
