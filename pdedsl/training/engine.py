"""State of a training run and the optimizer step. Random numbers are derived from (seed, step, sample index), so that
results do not depend on the number of processes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn

from pdedsl.config.blocks import TrainBlock
from pdedsl.config.methods import InitialWeights
from pdedsl.config.training import Ema, Precision, Swa
from pdedsl.data.augment import augment
from pdedsl.data.batches import BatchOrder
from pdedsl.data.sampling import KeyedRng
from pdedsl.data.splits import Data
from pdedsl.ir.plan import AdversarialLoss, Retraining
from pdedsl.runs.checkpoint import CorruptCheckpoint, State, Tensors, flatten, unflatten
from pdedsl.runs.distributed import World
from pdedsl.runs.optimizers import learning_rate_factor, make_optimizer
from pdedsl.runtime.batch_norm import use_distributed_batch_norms
from pdedsl.runtime.linear_operators import LinearOperator, project_operators
from pdedsl.runtime.ode.solver_control import return_nan_on_failure
from pdedsl.runtime.rng import hash_words, streams
from pdedsl.runtime.sde.feynman_kac import Expectation
from pdedsl.runtime.standardization import standardize
from pdedsl.runtime.weight_constraints import BoxConstraint
from pdedsl.training.losses import Adversary, Regularization
from pdedsl.training.objectives import ObjectiveModule, Terms, loss_of, total_loss
from pdedsl.training.phases import Phase

NetworkFactory = Callable[[int], nn.Module]
TINY = 1e-30  # the gradient of a weight matrix can vanish


class TrainingEngine:
    """A model in training: `advance` takes one step, which depends only on the state before it."""

    def __init__(
        self,
        make: NetworkFactory,
        config: TrainBlock,
        phases: tuple[Phase, ...],
        data: Data,
        world: World,
        compiled: bool,
    ) -> None:
        self.make, self.config, self.phases, self.data = make, config, phases, data
        self.world, self.compiled = world, compiled
        self.dtype = torch.float64 if config.precision is Precision.FLOAT64 else torch.float32
        self.step = 0
        self.model = self._new(config.seed)
        self.previous: nn.Module | None = None  # teacher of the current retraining
        self.base: nn.Module | None = None  # teacher of the first retraining
        self.phase: Phase | None = None
        self.average: Tensors = {}  # average of weights and buffers in the current phase
        self.best: Tensors = {}  # weights with the highest accuracy on the validation samples
        self.best_accuracy, self.waited = -math.inf, 0  # this accuracy, and the number of validations since then

    # ---- Properties

    @property
    def end(self) -> int:
        return self.phases[-1].end

    def current(self) -> Phase:
        """The phase of the next step; after the last step, the last phase."""
        return next((p for p in self.phases if self.step < p.end), self.phases[-1])

    def learning_rate(self) -> float:
        """The learning rate of the next step."""
        phase, schedule = self.current(), self.config.schedule.config
        rate, done = float(phase.optimizer.lr), self.step - phase.start
        if phase.is_full_batch:
            return rate
        if self.config.steps is not None:
            return rate * learning_rate_factor(schedule, done, phase.steps)
        return rate * learning_rate_factor(schedule, done * self.config.batch / len(self.data.train), phase.epochs)

    def _new(self, seed: int) -> nn.Module:
        """A network with initial weights from the seed and the standardization of the data."""
        torch.default_generator.manual_seed(hash_words(seed))
        model = self.make(seed)
        standardize(model, self.data.mean, self.data.std)
        model.to(self.world.device, self.dtype)
        if self.world.size > 1:
            use_distributed_batch_norms(model)
            return_nan_on_failure(model)
        return model.train()

    def start_from(self, weights: Tensors) -> None:
        """Initialise from given weights; the standardization of the data remains that of this run."""
        self.model.load_state_dict(weights)
        standardize(self.model, self.data.mean, self.data.std)

    # ---- Phases

    def enter(self, phase: Phase) -> None:
        """Begin a phase: its objective and optimizer, and the teacher network of heat smoothing."""
        if phase.heat and (self.phase is None or phase.heat != self.phase.heat):
            self.previous = deepcopy(self.model).requires_grad_(False).eval()
            self.base = self.base or self.previous
            if isinstance(phase.objective, Retraining) and phase.objective.start is InitialWeights.FRESH:
                self.model = self._new(hash_words(self.config.seed, phase.heat))
        self._prepare(phase)

    def _prepare(self, phase: Phase) -> None:
        self.phase = phase
        adversary, penalties = self.config.adversary, tuple(located.config for located in self.config.regularize)
        attack = Adversary(adversary.config, self.data.bounds) if adversary and not phase.heat else None
        objective = ObjectiveModule(
            torch.compile(self.model) if self.compiled else self.model,  # type: ignore[arg-type]
            loss_of(phase.objective, self.previous, attack),
            None if isinstance(phase.objective, AdversarialLoss) else attack,
            Regularization(penalties) if penalties else None,
            self.config.precision is Precision.BFLOAT16,
        )
        self.objective = self.world.data_parallel(objective)
        self.optimizer = make_optimizer(phase.optimizer, self.model.parameters())
        operators = [part for part in self.model.modules() if isinstance(part, LinearOperator)]
        self.boxed = any(isinstance(operator.constraint, BoxConstraint) for operator in operators)
        samples = len(self.data.train)
        batch = samples if phase.is_full_batch else self.config.batch
        self.order = BatchOrder(hash_words(self.config.seed, phase.number), samples, batch)
        self.rows = self.world.local_slice(batch)
        self.loss_scale = (self.rows.stop - self.rows.start) * self.world.size / batch
        for stream in streams(self.model):
            stream.row = self.rows.start
        for part in self.model.modules():
            if isinstance(part, Expectation):
                part.batch = batch

    # ---- Steps

    def advance(self) -> Terms:
        """One step of the optimizer; returns the terms of the loss before it, on the device."""
        phase = self.current()
        if phase is not self.phase:
            self.enter(phase)
        torch.default_generator.manual_seed(hash_words(self.config.seed, self.step, self.world.rank))
        x, y, rng = self._batch(phase)
        for group in self.optimizer.param_groups:
            group["lr"] = self.learning_rate()
        terms = self._full_batch_step(x, y, rng) if phase.is_full_batch else self._mini_batch_step(x, y, rng)
        if self.boxed:
            project_operators(self.model)
        self._update_average(phase)
        self.step += 1
        return terms

    # ---- Average of the weights

    def _update_average(self, phase: Phase) -> None:
        """Update the average of the weights after a step of the phase."""
        if self.config.average is None:
            return
        steps = self.step - phase.start
        match self.config.average.config:
            case Ema(decay=decay):
                weight, first = 1.0 - min(float(decay), (1 + steps) / (10 + steps)), 0
            case Swa(start=start):
                first = min(math.ceil(start * phase.steps), phase.steps - 1)
                weight = 1.0 / (1 + max(steps - first, 0))
        if steps < first:
            self.average = {}
            return
        weights = {k: v for k, v in self.model.state_dict().items() if v.is_floating_point()}
        if steps == first or not self.average:
            self.average = {k: v.detach().clone() for k, v in weights.items()}
            return
        for name, value in weights.items():
            self.average[name].lerp_(value, weight)

    @contextmanager
    def averaged_weights(self) -> Iterator[None]:
        """Within, the weights are their average, if there is one."""
        before = {k: v.clone() for k, v in self.model.state_dict().items()} if self.average else {}
        self.model.load_state_dict({**self.model.state_dict(), **self.average})
        yield
        self.model.load_state_dict({**self.model.state_dict(), **before})

    # ---- Selection of the weights

    def select(self, accuracy: float) -> None:
        """Keep the weights, or their average, if their validation accuracy is the highest so far."""
        self.waited += 1
        if accuracy > self.best_accuracy:
            self.best_accuracy, self.waited = accuracy, 0
            with self.averaged_weights():
                self.best = {k: v.detach().clone() for k, v in self.model.state_dict().items()}

    @property
    def stops_early(self) -> bool:
        patience = None if self.config.select is None else self.config.select.config.patience
        return patience is not None and self.waited >= patience

    def use_final_weights(self) -> None:
        """Replace the weights by the selected ones, or else by their average, at the end of training."""
        self.model.load_state_dict({**self.model.state_dict(), **(self.best or self.average)})

    def _batch(self, phase: Phase) -> tuple[Tensor, Tensor, KeyedRng]:
        rows = self.order.at(0 if phase.is_full_batch else self.step - phase.start)[self.rows]
        x, y = self.data.train.batch(rows, self.world.device, self.dtype)
        rng = KeyedRng(self.config.seed, self.step, self.rows.start)
        return augment(x, [located.config for located in self.config.augment], rng), y, rng

    def _mini_batch_step(self, x: Tensor, y: Tensor, rng: KeyedRng) -> Terms:
        buffers = {} if self.config.perturb is None else {k: v.clone() for k, v in self.model.named_buffers()}
        self.optimizer.zero_grad()
        terms = self._accumulated_gradient(x, y, rng)
        if self.config.perturb is not None:
            self._replace_gradient(float(self.config.perturb.config.gamma), buffers, x, y, rng)
        if self.config.clip is not None:
            nn.utils.clip_grad_norm_(self.model.parameters(), float(self.config.clip))
        self.optimizer.step()
        return terms

    def _accumulated_gradient(self, x: Tensor, y: Tensor, rng: KeyedRng) -> Terms:
        """The gradient of the loss, in parts of the batch one after another; returns the terms."""
        parts = torch.arange(len(x)).chunk(self.config.accumulate or 1)
        if len(parts) == 1:
            terms: Terms = self.objective(x, y, rng, self.loss_scale)
            torch.autograd.backward(total_loss(terms))
            return {name: term.detach() for name, term in terms.items()}
        sums: Terms = {}
        noise = [(stream, stream.state.clone()) for stream in streams(self.model)]
        for rows in parts:
            first, last = int(rows[0]), int(rows[-1]) + 1
            for stream, state in noise:  # the noise of a sample does not depend on the parts
                stream.state.copy_(state)
                stream.row = self.rows.start + first
            part = KeyedRng(self.config.seed, self.step, self.rows.start + first)
            weight = self.loss_scale * (last - first) / len(x)
            terms = self.objective(x[first:last], y[first:last], part, weight, last == len(x))
            torch.autograd.backward(total_loss(terms))
            for name, term in terms.items():
                sums[name] = sums.get(name, torch.zeros_like(term)) + term.detach()
        for stream, _ in noise:
            stream.row = self.rows.start
        return sums

    def _replace_gradient(self, gamma: float, buffers: dict[str, Tensor], x: Tensor, y: Tensor, rng: KeyedRng) -> None:
        """The gradient at the perturbed weights w + γ ‖w‖ g/‖g‖, with the same noise; adversarial examples are computed
        for these weights. Statistics of batch normalization are updated once."""
        weights = [(w, w.detach().clone()) for w in self.model.parameters() if w.dim() > 1 and w.grad is not None]
        with torch.no_grad():
            for w, before in weights:
                assert w.grad is not None
                w.add_(w.grad, alpha=gamma * float(before.norm()) / max(float(w.grad.norm()), TINY))
            for name, buffer in self.model.named_buffers():
                buffer.copy_(buffers[name])
        self.optimizer.zero_grad()
        self._accumulated_gradient(x, y, rng)
        with torch.no_grad():
            for w, before in weights:
                w.copy_(before)

    def _full_batch_step(self, x: Tensor, y: Tensor, rng: KeyedRng) -> Terms:
        """All evaluations in a step of L-BFGS use the same noise, so that the line search minimises one function."""
        noise = [(stream, stream.state.clone()) for stream in streams(self.model)]
        evaluated: list[Terms] = []

        def closure() -> Tensor:
            for stream, state in noise:
                stream.state.copy_(state)
            self.optimizer.zero_grad()
            terms: Terms = self.objective(x, y, rng, self.loss_scale)
            loss = total_loss(terms)
            torch.autograd.backward(loss)
            evaluated.append({name: term.detach() for name, term in terms.items()})
            return self.world.all_reduce(loss.detach()) / self.world.size

        self.optimizer.step(closure)  # type: ignore[arg-type]
        return evaluated[0]

    # ---- Checkpoints

    def state(self) -> State:
        tensors: Tensors = {f"model.{k}": v for k, v in self.model.state_dict().items()}
        plain: dict[str, Any] = {"phase": None if self.phase is None else self.phase.number}
        if self.phase is not None:
            plain["optimizer"] = flatten("optimizer", self.optimizer.state_dict(), tensors)
        if self.previous is not None:
            tensors |= {f"previous.{k}": v for k, v in self.previous.state_dict().items()}
        if self.base is not None and self.base is not self.previous:
            tensors |= {f"base.{k}": v for k, v in self.base.state_dict().items()}
        tensors |= {f"average.{k}": v for k, v in self.average.items()}
        if self.best:
            tensors |= {f"best.{k}": v for k, v in self.best.items()}
            plain |= {"best_accuracy": self.best_accuracy, "waited": self.waited}
        return State(tensors, plain)

    def restore(self, step: int, tensors: Tensors, plain: dict[str, Any]) -> None:
        """Resume from the state before `step`."""
        self.step = step
        self.model.load_state_dict(_with_prefix("model.", tensors))
        if plain["phase"] is None:
            return
        self.previous = self._teacher(_with_prefix("previous.", tensors))
        self.base = self._teacher(_with_prefix("base.", tensors)) or self.previous
        self.average = {k: v.to(self.world.device) for k, v in _with_prefix("average.", tensors).items()}
        self.best = {k: v.to(self.world.device) for k, v in _with_prefix("best.", tensors).items()}
        if self.best:
            self.best_accuracy, self.waited = float(plain["best_accuracy"]), int(plain["waited"])
        phase = self.phases[plain["phase"]]
        if not phase.start <= step <= phase.end:
            raise CorruptCheckpoint(f"step {step} is not in phase '{phase.name}'")
        self._prepare(phase)
        self.optimizer.load_state_dict(unflatten(plain["optimizer"], tensors))

    def _teacher(self, weights: Tensors) -> nn.Module | None:
        """A frozen network in evaluation mode; None without weights."""
        if not weights:
            return None
        teacher = deepcopy(self.model).requires_grad_(False).eval()
        teacher.load_state_dict(weights)
        return teacher


def _with_prefix(prefix: str, tensors: Tensors) -> Tensors:
    return {name.removeprefix(prefix): t for name, t in tensors.items() if name.startswith(prefix)}
