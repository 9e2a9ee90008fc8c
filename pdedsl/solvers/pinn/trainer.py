"""Training of a PINN: Gauss-Newton (Levenberg-Marquardt) or torch optimizers on the residuals, and parameter estimates.

Loss: sum over equations and conditions of the mean squares of the weighted residuals. Gauss-Newton resamples its points
with density ∝ |r| + mean |r| (residual-based adaptive sampling; Wu et al. 2023); `causal` weights residuals in time by
exp(-ε ∫₀ᵗ r²) (Wang, Sankaran, Perdikaris 2022). A run can be resumed exactly from its state.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from pdedsl.config.training import Lbfgs, Optimizer
from pdedsl.io import malformed_as_run_error
from pdedsl.ir.parameters import LearnedFunction, learned_functions, learned_scalars
from pdedsl.runs.checkpoint import State, Tensors, flatten, unflatten
from pdedsl.runs.optimizers import make_optimizer
from pdedsl.runtime.diff.mlp_jets import DerivativeRequest, JetNetwork, per_sample_gradients
from pdedsl.runtime.linalg import levenberg_marquardt_steps as damped_steps
from pdedsl.runtime.rng import generator, hash_words
from pdedsl.solvers.method_result import ParameterEstimate
from pdedsl.solvers.pinn.residuals import NetworkRows, TrainableFunctions, initial_scalars, stack_residuals

if TYPE_CHECKING:
    from pdedsl.solvers.pinn.task import PinnTask


# ---- Phases, progress and optimizer state


@dataclass(frozen=True)
class GaussNewton:
    """Levenberg-Marquardt."""


@dataclass(frozen=True)
class OptimizerPhase:
    """An optimizer for a number of steps; with `patience`, it stops early if the loss stagnates."""

    optimizer: GaussNewton | Optimizer
    steps: int
    patience: bool = False


MAX_GAUSS_NEWTON_STEPS = 1000  # with early stopping
DEFAULT_DESCENT_STEPS = 300  # of first-order optimizers


def gauss_newton_phase(steps: int | None) -> tuple[OptimizerPhase, ...]:
    return (OptimizerPhase(GaussNewton(), steps or MAX_GAUSS_NEWTON_STEPS, patience=steps is None),)


def training_phases(optimizers: tuple[Optimizer, ...], steps: int | None) -> tuple[OptimizerPhase, ...]:
    """Phases of a `train` block: L-BFGS has its own number of steps, the others that of the block. Gauss-Newton
    without optimizers."""
    phases = tuple(
        OptimizerPhase(o, o.steps if isinstance(o, Lbfgs) else steps or DEFAULT_DESCENT_STEPS) for o in optimizers
    )
    return phases or gauss_newton_phase(steps)


PROGRESS = "progress"  # key of scalars in a state; the last is the elapsed time in seconds


def elapsed_seconds(state: State | None) -> float:
    """Elapsed time of a run at this state."""
    return 0.0 if state is None else float(state.tensors[PROGRESS][-1])


@dataclass(frozen=True)
class Progress:
    """`loss` is the mean square of the weighted residuals; the run can be resumed exactly from `state()`."""

    step: int
    loss: float
    seconds: float
    state: Callable[[], State]


Listener = Callable[[Progress], bool]
"""Called after each step; returns False to stop."""


def ignore_progress(progress: Progress) -> bool:
    return True


@dataclass
class Stopwatch:
    """Elapsed seconds, including those before an interruption."""

    before: float = 0.0
    start: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return self.before + time.monotonic() - self.start


def load_optimizer(optimizer: torch.optim.Optimizer, state: State) -> None:
    """Restore the state of an optimizer."""
    if "optimizer" in state.plain:
        optimizer.load_state_dict(unflatten(state.plain["optimizer"], state.tensors))
        return
    memory: dict[int, dict[str, Any]] = {}  # version 0.1: tensors named optimizer/parameter/name/kind/index
    for path, value in state.tensors.items():
        if path.startswith("optimizer/"):
            _, key, name, kind, _ = path.split("/")
            own = memory.setdefault(int(key), {})
            own[name] = READERS[kind](own.get(name), value.clone())
    optimizer.load_state_dict({**optimizer.state_dict(), "state": memory})


READERS: dict[str, Callable[[Any, Tensor], Any]] = {
    "list": lambda before, value: [*(before or []), value],
    "tensor": lambda before, value: value,
    "number": lambda before, value: int(value) if float(value).is_integer() else float(value),
}


# ---- Parameter estimates and their standard deviations


MAX_EQUATION_WEIGHT = 1e3  # relative to measurements, for standard deviations
EIGENVALUE_RTOL = 1e-15  # smaller eigenvalues of the precision are zero up to rounding
DIAGONAL_POSITIONS = (
    0.1,
    0.3,
    0.5,
    0.7,
    0.9,
)  # at which a learned function is reported


@dataclass(frozen=True)
class ValueWithGradient:
    """A value, and its gradient w.r.t. the learned parameters."""

    name: str
    value: float
    gradient: Tensor


def estimate_parameters(
    task: PinnTask, trainable: TrainableFunctions, rows: Sequence[NetworkRows]
) -> dict[str, ParameterEstimate]:
    """Learned scalars, and learned functions at points on the diagonal of the box."""
    estimates = [*_function_values(task, trainable), *_scalar_values(task, trainable)]
    if not estimates or not task.measurement_rows:
        return {t.name: ParameterEstimate(t.value) for t in estimates}
    precision = _precision(task, trainable, rows)
    return {t.name: ParameterEstimate(t.value, _standard_deviation(t.gradient, precision)) for t in estimates}


def _standard_deviation(gradient: Tensor, precision: Tensor) -> float:
    """√(gᵀ P⁻¹ g) (delta method); infinite along directions that are not identifiable."""
    values, vectors = torch.linalg.eigh(precision)
    squares = (vectors.T @ gradient).square()
    values = torch.where(values > EIGENVALUE_RTOL * values.max(), values, 0.0)
    return float(torch.where(squares > EIGENVALUE_RTOL * squares.sum(), squares / values, 0.0).sum().sqrt())


def noise_variance(residual: Tensor, n_parameters: int) -> Tensor:
    """Unbiased noise variance after fitting m = `n_parameters`: Σ r² / (n - m); infinite for n ≤ m."""
    free = len(residual) - n_parameters
    return residual.square().sum() / free if free > 0 else residual.new_tensor(torch.inf)


def _parameter_count(trainable: TrainableFunctions) -> int:
    """Number of weights of learned functions and of learned scalars."""
    return sum(p.numel() for _, f in trainable.functions for p in f.parameters()) + len(trainable.scalars)


def _scalar_values(task: PinnTask, trainable: TrainableFunctions) -> Iterator[ValueWithGradient]:
    scalars = learned_scalars(task.statement)
    for k, (n, number) in enumerate(zip(scalars, trainable.scalars.tolist(), strict=True)):
        value, derivative = (float(e.xreplace({n.symbol: number})) for e in (n.value, n.value.diff(n.symbol)))
        gradient = torch.zeros(_parameter_count(trainable), dtype=torch.float64)
        gradient[k - len(scalars)] = derivative
        yield ValueWithGradient(n.name, value, gradient.to(trainable.scalars.device))


def _function_values(task: PinnTask, trainable: TrainableFunctions) -> Iterator[ValueWithGradient]:
    start = 0
    for function, (axes, network) in zip(learned_functions(task.statement), trainable.functions, strict=True):
        low, high = (bound[list(axes)].to(trainable.scalars.device) for bound in (task.points.low, task.points.high))
        points = torch.stack([low + fraction * (high - low) for fraction in DIAGONAL_POSITIONS])
        values, gradients = _values_with_gradients(function, network, points)
        for x, value, own in zip(points, values, gradients, strict=True):
            whole = own.new_zeros(_parameter_count(trainable))
            whole[start : start + len(own)] = own
            yield ValueWithGradient(f"{function.name}({', '.join(f'{c:g}' for c in x.tolist())})", float(value), whole)
        start += gradients.shape[1]


def _values_with_gradients(function: LearnedFunction, network: JetNetwork, points: Tensor) -> tuple[Tensor, Tensor]:
    jets, layers = network.jets(points, DerivativeRequest(((0,) * points.shape[1],)))
    value = jets[0, :, 0].exp() if function.signed else jets[0, :, 0]
    return value.detach(), per_sample_gradients(value, layers).detach()


def _precision(task: PinnTask, trainable: TrainableFunctions, rows: Sequence[NetworkRows]) -> Tensor:
    """Posterior precision JᵀJ/σ² + P of the learned parameters, with the weights of the unknowns' network eliminated.

    J is the Jacobian of the measurements and of the equations and conditions, whose weights are the ratios of the noise
    to their residuals: an equation that training does not satisfy is as uncertain as its residual. P = 1 for weights of
    functions (prior N(0, 1)): an unobserved function is as uncertain as its prior. P = 0 for scalars.
    """
    parts = [replace(r, weight=torch.ones_like(r.weight)).jacobian(trainable) for r in rows]
    count, own = len(task.measurement_rows), _parameter_count(trainable)
    noise = noise_variance(torch.cat([r for r, _ in parts[-count:]]), len(trainable.scalars))
    ratios = [float((noise / r.square().mean().clamp_min(1e-300)).sqrt()) for r, _ in parts[:-count]]
    weights = [*(min(ratio, MAX_EQUATION_WEIGHT) for ratio in ratios), *[1.0] * count]
    jacobian = torch.cat([f * s for f, (_, s) in zip(weights, parts, strict=True)])
    own_columns, rest = jacobian[:, -own:], jacobian[:, :-own]
    free = own_columns - rest @ torch.linalg.lstsq(rest.cpu(), own_columns.cpu(), driver="gelsy").solution.to(
        rest.device
    )
    prior = torch.ones_like(own_columns[0])
    prior[own - len(trainable.scalars) :] = 0
    precision: Tensor = free.T @ free / noise + prior.diag()
    return precision


# ---- Trainer


DESCENT_CHUNK = 2000  # points at a time: larger chunks do not fit into the cache
RESAMPLE_EVERY = 5  # Gauss-Newton steps
INITIAL_DENSITY = 0.6  # rows per weight
DENSITY_FACTOR = 1.4  # by which it grows
MAX_DENSITY = 3.0  # the cost of a step grows with the number of rows
MIN_ROWS = 600  # fewer rows save no time
LARGE_NETWORK = 2000  # weights from which rows are resampled in every step
LARGE_NETWORK_ROWS = 800  # a step costs rows²
OVERFITTING_RATIO = 3.0  # of the loss at new points to that at the last ones, above which rows are added
DAMPING_FACTORS = (1e-2, 0.1, 1.0, 10.0)  # relative to the last accepted damping
MIN_DAMPING, MAX_DAMPING = 1e-14, 1e6  # relative to JᵀJ: rounding of its factors; a step of gradient descent
PLATEAU_WINDOW = 50  # steps of each of the two windows that early stopping compares
PLATEAU_RATIO = 0.9  # of their median losses
ROUNDING_LOSS = 1e-24  # loss at rounding level
MOMENTUM = 0.9  # fraction of the last step that is tried as a starting point


class Trainer:
    """Weights, damping and collocation points of a run; resumed exactly by `snapshot` and `restore`."""

    def __init__(self, task: PinnTask) -> None:
        self.task = task
        self.network: JetNetwork = task.network()
        self.functions = task.functions()
        self.scalars = nn.Parameter(initial_scalars(task.statement, task.points))
        self.step, self.damping = 0, 1.0
        self.density, self.best_loss, self.max_integral = INITIAL_DENSITY, float("inf"), 0.0
        self.last_step = torch.zeros_like(self._vector())
        self.rows: list[NetworkRows] = []
        self.losses: list[float] = []  # of the last steps
        self.optimizer: torch.optim.Optimizer | None = None

    @property
    def parameters(self) -> list[nn.Parameter]:
        networks = (self.network, *self.functions)
        pairs = (pair for n in networks for pair in zip(n.weights, n.biases, strict=True))
        return [*(p for pair in pairs for p in pair), self.scalars]

    @property
    def _count(self) -> int:
        return sum(p.numel() for p in self.parameters)

    @property
    def _is_large(self) -> bool:
        return self._count > LARGE_NETWORK

    @property
    def trainable(self) -> TrainableFunctions:
        axes = (f.axes for f in learned_functions(self.task.statement))
        return TrainableFunctions(self.network, tuple(zip(axes, self.functions, strict=True)), self.scalars)

    def run(self, phases: Sequence[OptimizerPhase], state: State | None, listener: Listener) -> tuple[float, int]:
        """The final loss, and the number of steps."""
        phases = phases or gauss_newton_phase(self.task.method.steps)
        clock = Stopwatch() if state is None else self.restore(state, phases)
        loss, end = self.losses[-1] if self.losses else float("nan"), 0
        for phase in phases:
            start, end = end, end + phase.steps
            if self.step < end:
                self._start_phase(phase, start, state)
            while self.step < end and not (phase.patience and self.has_stagnated):
                loss = self._step(phase)
                self.step += 1
                self.losses = [*self.losses, loss][-2 * PLATEAU_WINDOW :]
                if not listener(Progress(self.step, loss, clock.seconds, lambda: self.snapshot(clock))):
                    return loss, self.step
        return loss, self.step

    @property
    def has_stagnated(self) -> bool:
        """Whether the median loss stagnates over two windows, or has reached rounding level."""
        before, after = self.losses[:PLATEAU_WINDOW], self.losses[PLATEAU_WINDOW:]
        if len(after) < PLATEAU_WINDOW:
            return False
        return not ROUNDING_LOSS < median(after) <= PLATEAU_RATIO * median(before)

    def _start_phase(self, phase: OptimizerPhase, start: int, state: State | None) -> None:
        """Starts a phase, or resumes it."""
        self.optimizer = None
        if not isinstance(phase.optimizer, GaussNewton):
            learned = [p for p in self.parameters if p.numel()]
            self.optimizer = make_optimizer(phase.optimizer, learned, until_rounding=True)
            if state is not None and self.step > start:
                load_optimizer(self.optimizer, state)

    def _step(self, phase: OptimizerPhase) -> float:
        if isinstance(phase.optimizer, GaussNewton):
            resample_every = 1 if self._is_large else RESAMPLE_EVERY
            if self.step % resample_every == 0 or not self.rows:
                self.rows = self._resample(self.step // resample_every)
            return self._gauss_newton_step()
        if not self.rows or (self.task.method.causal and self.step % RESAMPLE_EVERY == 0):
            self.rows = self._descent_rows()
        assert self.optimizer is not None
        return self._optimizer_step(self.optimizer)

    # ---- Collocation points

    def _descent_rows(self) -> list[NetworkRows]:
        """Collocation points of first-order optimizers; half as many if the network has a reflection symmetry."""
        count = self.task.method.points // len(self.task.equations)
        equation_rows = self.task.equation_rows(count if self.network.symmetry is None else max(1, count // 2), 0)
        if self.task.method.causal:
            with torch.no_grad():
                equation_rows = [self._causal(rows, rows.residual(self.trainable)) for rows in equation_rows]
        conditions = _mean_square_weights([*equation_rows, *self.task.conditions(0)])
        measured = _mean_square_weights(self.task.measurement_rows)
        return [*(part for rows in conditions for part in rows.split(DESCENT_CHUNK)), *measured]

    def _resample(self, draw: int) -> list[NetworkRows]:
        """Resamples with density ∝ |r| + mean |r| and importance weights, so that the loss is that of uniform points;
        adds points on overfitting."""
        candidates = self.task.equation_rows(self.task.method.points, draw)
        with torch.no_grad():
            residuals = [rows.residual(self.trainable) for rows in candidates]
        new_loss = sum(float((rows.weight * r).square().mean()) for rows, r in zip(candidates, residuals, strict=True))
        if new_loss > OVERFITTING_RATIO * self.best_loss:
            self.density = min(self.density * DENSITY_FACTOR, MAX_DENSITY)
        source = generator(torch.device("cpu"), hash_words(self.task.seed, 7, draw))
        candidates = [self._causal(rows, r) for rows, r in zip(candidates, residuals, strict=True)]
        subsampled = [self._subsample(rows, r, source) for rows, r in zip(candidates, residuals, strict=True)]
        return _mean_square_weights([*subsampled, *self.task.conditions(draw), *self.task.measurement_rows])

    def _subsample(self, rows: NetworkRows, residual: Tensor, source: torch.Generator) -> NetworkRows:
        count = max(MIN_ROWS, int(self.density * self._count / len(self.task.equations)))
        if self._is_large:
            count = min(count, LARGE_NETWORK_ROWS // len(self.task.equations))
        if 2 * count > len(rows.points):
            return rows
        weight = rows.weight.expand(len(residual))
        size = (weight * residual).abs()
        density = size / size.mean().clamp_min(1e-300) + 1
        index = torch.multinomial(density.cpu(), count, generator=source).to(density.device)
        return NetworkRows(
            rows.jet_residual, rows.points[index], weight[index] * (density.mean() / density[index]).sqrt()
        )

    def _causal(self, rows: NetworkRows, residual: Tensor) -> NetworkRows:
        """Causal weights exp(-ε ∫₀ᵗ r² dt) of the squares, with the integral relative to its largest value so far."""
        epsilon = float(self.task.method.causal)
        if not epsilon or not self.task.statement.domain.has_time:
            return rows
        order = self.task.elapsed_fraction(rows.points).argsort()
        before = torch.zeros_like(residual)
        before[order[1:]] = (rows.weight * residual).square()[order].cumsum(0)[:-1] / len(residual)
        self.max_integral = max(self.max_integral, float(before.max()))
        return replace(rows, weight=rows.weight * (-epsilon / 2 * before / max(self.max_integral, 1e-300)).exp())

    # ---- Steps

    def loss(self) -> float:
        with torch.no_grad():
            return float(stack_residuals(self.rows, self.trainable).square().sum())

    def _gauss_newton_step(self) -> float:
        """A Levenberg-Marquardt step: the best of several dampings; much larger ones next if none reduces the loss."""
        parts = [r.jacobian(self.trainable) for r in self.rows]
        residual, jacobian = torch.cat([r for r, _ in parts]), torch.cat([s for _, s in parts])
        start, best, damping = self._vector(), float(residual.square().sum()), self.damping
        accepted, first = start, best
        dampings = [max(self.damping * f, MIN_DAMPING) for f in DAMPING_FACTORS]
        for trial_damping, step in damped_steps(
            jacobian, residual, dampings, [torch.zeros_like(start), MOMENTUM * self.last_step]
        ):
            self._load(start + step)
            loss = self.loss()
            if loss < best:
                best, accepted, damping = loss, start + step, trial_damping
        self.damping = damping if best < first else min(self.damping * 100, MAX_DAMPING)
        self._load(accepted)
        self.best_loss, self.last_step = best, accepted - start
        return best

    def _optimizer_step(self, optimizer: torch.optim.Optimizer) -> float:
        def closure() -> Tensor:
            optimizer.zero_grad()
            source = generator(self.task.points.device, hash_words(self.task.seed, 11, self.step))
            return torch.stack([self._chunk_loss(rows, source) for rows in self.rows]).sum()

        return float(torch.as_tensor(optimizer.step(closure)))  # type: ignore[arg-type]

    def _chunk_loss(self, rows: NetworkRows, source: torch.Generator) -> Tensor:
        """Loss of a chunk of rows; accumulates its gradient."""
        probes = self.task.method.probes
        if probes is None:
            loss = (rows.weight * rows.residual(self.trainable)).square().sum()
        else:
            loss = rows.product(self.trainable, probes, source)
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    def _vector(self) -> Tensor:
        return torch.cat([p.detach().flatten() for p in self.parameters])

    @torch.no_grad()
    def _load(self, vector: Tensor) -> None:
        start = 0
        for p in self.parameters:
            p.copy_(vector[start : start + p.numel()].view_as(p))
            start += p.numel()

    # ---- State

    def snapshot(self, clock: Stopwatch) -> State:
        progress = [self.step, self.damping, self.density, self.best_loss, self.max_integral, clock.seconds]
        tensors = {
            "weights": self._vector(),
            "last": self.last_step,
            PROGRESS: torch.tensor(progress, dtype=torch.float64),
            "losses": torch.tensor(self.losses, dtype=torch.float64),
        }
        for k, rows in enumerate(self.rows):
            tensors |= {f"points{k}": rows.points, f"weight{k}": rows.weight}
        plain: dict[str, Any] = {}
        if self.optimizer is not None:
            plain["optimizer"] = flatten("optimizer", self.optimizer.state_dict(), tensors)
        return State({key: value.clone() for key, value in tensors.items()}, plain)

    def restore(self, state: State, phases: Sequence[OptimizerPhase]) -> Stopwatch:
        """Restores a snapshot, and continues its stopwatch."""
        tensors = state.tensors
        with malformed_as_run_error("the checkpoint belongs to another spec: delete it"):
            self._load(tensors["weights"].to(self.scalars))
            self.last_step = tensors["last"].to(self.scalars)
            step, damping, density, reached, largest, seconds = tensors[PROGRESS].tolist()
            newton = isinstance(_phase_at(phases, int(step)).optimizer, GaussNewton)
            rows = self._resample(0) if newton else self._descent_rows()
            self.rows = [_restore_rows(tensors, k, r) for k, r in enumerate(rows)]
            self.step, self.damping, self.density, self.best_loss = int(step), damping, density, reached
            self.max_integral, self.losses = largest, tensors["losses"].tolist()
            return Stopwatch(seconds)

    def estimates(self) -> dict[str, ParameterEstimate]:
        """Learned scalars, and learned functions at some points."""
        return estimate_parameters(self.task, self.trainable, self.rows)


def _mean_square_weights(rows: Sequence[NetworkRows]) -> list[NetworkRows]:
    """Rows weighted such that the sum of squares is the sum of mean squares."""
    return [replace(r, weight=r.weight / len(r.points) ** 0.5) for r in rows]


def _restore_rows(tensors: Tensors, k: int, rows: NetworkRows) -> NetworkRows:
    return replace(rows, points=tensors[f"points{k}"].to(rows.points), weight=tensors[f"weight{k}"].to(rows.points))


def _phase_at(phases: Sequence[OptimizerPhase], step: int) -> OptimizerPhase:
    """The phase of the last step."""
    for phase in phases:
        step -= phase.steps
        if step <= 0:
            return phase
    return phases[-1]
