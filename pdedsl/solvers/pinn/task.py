"""`pinn(points)`: physics-informed neural network (Raissi, Perdikaris, Karniadakis 2019).

Conditions on the faces of a box are satisfied by the ansatz where possible (hard constraints); the others are terms of
the loss. By default the network has a few hundred weights and is trained by Gauss-Newton (Levenberg, Marquardt) on all
residuals, with residual-based adaptive resampling of the collocation points (Wu, Zhu, Tan, Kartha, Lu 2023).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from pdedsl.config.methods import Pinn
from pdedsl.config.networks import Mlp
from pdedsl.io import RunInterrupted
from pdedsl.ir.ansatz import Ansatz, substitute_ansatz
from pdedsl.ir.boundary import ConditionResidual
from pdedsl.ir.parameters import learned_functions
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Residual
from pdedsl.ir.solver_plans import PinnPlan
from pdedsl.runs.checkpoint import State
from pdedsl.runtime.basis.random_features import CoordinateBox
from pdedsl.runtime.diff.mlp_jets import JetNetwork
from pdedsl.runtime.rng import hash_words
from pdedsl.runtime.sampling import PointDistribution
from pdedsl.solvers.ansatz import AnsatzModule
from pdedsl.solvers.collocation_points import CPU, PointSampler, sample_conditions
from pdedsl.solvers.method_result import Levels, SolverResult
from pdedsl.solvers.pinn.residuals import (
    JetResidual,
    LinearizedResidual,
    Measurement,
    NetworkRows,
    TrainableFunctions,
    collect_operators,
    initial_scalars,
    residual_scale,
)
from pdedsl.solvers.pinn.trainer import Listener, OptimizerPhase, Trainer, ignore_progress, training_phases
from pdedsl.solvers.solver_method import ModuleFormat, SolveOptions, SolverMethod, StoredModule

FUNCTION_NETWORK = Mlp(width=10, depth=2)  # default network of a learned function
BALANCING_POINTS = 500  # points at which gradient norms are compared
MEASUREMENT_WEIGHT = 0.03  # relative to equations, which hold exactly, if only scalars are learned
CONDITION_WEIGHT = 3.0  # gradient norm of conditions relative to equations, when balanced


def solve_by_pinn(
    plan: PinnPlan,
    *,
    phases: tuple[OptimizerPhase, ...] = (),
    seed: int = 0,
    device: torch.device | None = None,
    dtype: torch.dtype = torch.float64,
    listener: Listener = ignore_progress,
    state: State | None = None,
    measurements: Sequence[Measurement] = (),
) -> SolverResult:
    """Trains by Gauss-Newton for `method.steps` steps, or until the loss stagnates, unless other phases are given.

    Resumes from `state`, if given."""
    task = PinnTask(plan, PointSampler(plan.problem.domain, device or CPU), seed, tuple(measurements))
    trainer = Trainer(task)
    loss, steps = trainer.run(phases, state, listener)
    module = task.module(trainer.network, trainer.functions).to(dtype=dtype)
    metrics = {
        "loss": loss,
        "steps": float(steps),
        "network parameters": float(sum(p.numel() for p in trainer.network.parameters())),
    }
    return SolverResult(module, plan.method, metrics, task.notes, trainer.estimates())


@dataclass(frozen=True)
class PinnTask:
    """Training problem: ansatz, residuals in the derivatives of the network, and sampling of collocation points."""

    plan: PinnPlan
    points: PointSampler
    seed: int
    measurements: tuple[Measurement, ...] = ()

    @property
    def statement(self) -> StrongForm:
        return self.plan.problem

    @property
    def method(self) -> Pinn:
        return self.plan.method

    @property
    def ansatz(self) -> tuple[Ansatz, ...]:
        return self.plan.hard_constraints.parts

    def module(self, network: JetNetwork, functions: Sequence[JetNetwork]) -> AnsatzModule:
        return AnsatzModule(self.ansatz, self.statement.domain.coordinates, network, functions)

    @property
    def notes(self) -> tuple[str, ...]:
        return (
            *self.plan.hard_constraints.lines(self.statement),
            *(f"weights of the conditions in the loss: {self._weights_text}" for _ in self.soft[:1]),
        )

    @property
    def _weights_text(self) -> str:
        weights = ", ".join(f"{w:.3g}" for w in self.weights)
        return weights if self.method.weight is not None else f"{weights} (balanced with the equations)"

    @cached_property
    def weights(self) -> tuple[float, ...]:
        """The weights of the residuals of soft conditions, in units of the unknown: as given, or such that gradients
        with respect to the network's weights are `HEAVIER` times those of the equations (Wang, Yu, Perdikaris 2022)."""
        if self.method.weight is not None:
            return (float(self.method.weight),) * sum(len(c.residuals) for c in self.soft)
        axes = (f.axes for f in learned_functions(self.statement))
        initial = TrainableFunctions(
            self.network(),
            tuple(zip(axes, self.functions(), strict=True)),
            initial_scalars(self.statement, self.points),
        )
        equations = sum(_gradient_norm(r, initial) ** 2 for r in self.equation_rows(BALANCING_POINTS, 0)) ** 0.5
        norms = [rows and _gradient_norm(rows, initial) for rows in self._soft_condition_rows(0, None)]
        return tuple(CONDITION_WEIGHT * equations / s if s else CONDITION_WEIGHT for s in norms)

    @cached_property
    def soft(self) -> tuple[ConditionResidual, ...]:
        """The conditions that the ansatz does not satisfy by construction (soft constraints)."""
        satisfied = frozenset().union(*(a.satisfied for a in self.ansatz))
        left = []
        for k, condition in enumerate(self.plan.parametrized.conditions):
            rest = tuple(r for i, r in enumerate(condition.residuals) if (k, i) not in satisfied)
            if rest:
                left.append(replace(condition, residuals=rest))
        return tuple(left)

    def network(self) -> JetNetwork:
        net, symmetry = self.plan.network, self.plan.hard_constraints.symmetry
        ends = zip(self.points.low.tolist(), self.points.high.tolist(), self.points.periodic, strict=True)
        made = JetNetwork.on_box(
            list(ends),
            width=net.width,
            depth=net.depth,
            outputs=len(self.statement.components),
            activation=net.activation.name,
            seed=self.seed,
            symmetry=None if symmetry is None else symmetry.arguments,
        )
        return made.to(self.points.device)

    def functions(self) -> tuple[JetNetwork, ...]:
        """A network for each learned function of its coordinates."""
        networks = []
        for k, f in enumerate(learned_functions(self.statement)):
            net = f.learned.net.config if f.learned.net is not None else FUNCTION_NETWORK
            assert isinstance(net, Mlp)  # ensured by planning
            axes, box = list(f.axes), self.points.box
            own = CoordinateBox(box.center[axes], box.half_widths[axes], box.periodic[axes])
            network = JetNetwork(own, net.width, net.depth, 1, net.activation.name, hash_words(self.seed, 10 + k))
            networks.append(network.to(self.points.device))
        return tuple(networks)

    def jet_residual(self, residual: Residual) -> JetResidual:
        coordinates = self.statement.domain.coordinates
        return collect_operators(
            substitute_ansatz(residual, self.ansatz, coordinates), coordinates, len(self.statement.components)
        )

    @cached_property
    def equations(self) -> tuple[JetResidual, ...]:
        return tuple(map(self.jet_residual, self.plan.parametrized.equations))

    def residual_scale_at(self, residual: Residual, points: Tensor) -> float:
        half = (self.points.high - self.points.low) / 2
        return residual_scale(LinearizedResidual(residual, self.statement.domain.coordinates), points, half.to(points))

    @cached_property
    def measurement_rows(self) -> tuple[NetworkRows, ...]:
        """Rows of measurements; their residuals estimate the noise, for the standard deviations of the parameters."""
        # with the lower weight a learned function takes many more steps
        weight = 1.0 if learned_functions(self.statement) else MEASUREMENT_WEIGHT
        return tuple(
            NetworkRows(self.jet_residual(m.residual), m.points, m.points.new_tensor(weight), m.values)
            for m in (m.to(self.points) for m in self.measurements)
        )

    def equation_rows(self, n: int, draw: int) -> list[NetworkRows]:
        """Rows of all equations at n collocation points each, scaled to the units of the unknown."""
        rows = []
        for residual, jet_residual in zip(self.plan.parametrized.equations, self.equations, strict=True):
            at = self.points.inside(n, hash_words(self.seed, 5, draw) >> 8, PointDistribution.SOBOL, residual.interval)
            rows.append(NetworkRows(jet_residual, at, at.new_tensor(1 / self.residual_scale_at(residual, at))))
        return rows

    def conditions(self, draw: int) -> list[NetworkRows]:
        return [rows for rows in self._soft_condition_rows(draw, self.weights) if rows is not None]

    def _soft_condition_rows(self, draw: int, weights: Sequence[float] | None) -> list[NetworkRows | None]:
        """Rows of the residuals of soft conditions; None where a face has no points in the domain."""
        counts = max(self.method.boundary, self.method.initial)
        samples = sample_conditions(self.points, self.soft, counts, hash_words(self.seed, 6, draw) >> 8)
        result: list[NetworkRows | None] = []
        for condition, points in zip(self.soft, samples, strict=True):
            in_time = self.statement.domain.is_in_time(condition.place)
            at = points[: self.method.initial if in_time else self.method.boundary]
            for residual in condition.residuals:
                weight = at.new_tensor(1.0 if weights is None else weights[len(result)])
                rows = (
                    (self.jet_residual(residual), at, weight / self.residual_scale_at(residual, at))
                    if len(at)
                    else None
                )
                result.append(rows and NetworkRows(*rows))
        return result

    def elapsed_fraction(self, points: Tensor) -> Tensor:
        """Elapsed fraction of the time interval, from the initial or terminal condition."""
        fraction = (points[:, -1] - self.points.low[-1]) / (self.points.high[-1] - self.points.low[-1])
        return 1 - fraction if self.statement.is_backward else fraction


def _gradient_norm(rows: NetworkRows, trainable: TrainableFunctions) -> float:
    """Root mean square over the rows of the norm of their gradients."""
    return float(rows.jacobian(trainable)[1].square().sum(1).mean().sqrt())


# ---- The method


WIDTH_GROWTH, MAX_WIDTH = 1.5, 64  # of the network, from level to level


def _solve(plan: PinnPlan, options: SolveOptions) -> SolverResult:
    phases = training_phases(plan.optimizers, plan.steps or plan.method.steps)
    result = solve_by_pinn(
        plan,
        phases=phases,
        seed=options.seed,
        device=options.device,
        listener=_within_budget(options.watch.of(sum(p.steps for p in phases)), options, plan),
        state=options.watch.state,
        measurements=options.measurements,
    )
    if options.watch.stopped:
        raise RunInterrupted
    return result


def _within_budget(listener: Listener, options: SolveOptions, plan: PinnPlan) -> Listener:
    """Ends a training at the end of the budget, unless the spec states the number of steps."""
    if plan.steps is not None or plan.method.steps is not None:
        return listener
    return lambda progress: listener(progress) and not options.budget.is_exhausted


def _levels(plan: PinnPlan, options: SolveOptions) -> Levels:
    width: float = plan.network.width
    while width <= MAX_WIDTH:
        result = _solve(plan.resize(round(width)), options)
        yield replace(result, metrics={**result.metrics, plan.size_argument: float(round(width))})
        width *= WIDTH_GROWTH
        watch = replace(options.watch, folder=None, state=None)  # checkpoints are those of the first level
        options = replace(options, watch=watch)


def _rebuild(stored: StoredModule[PinnPlan]) -> AnsatzModule:
    task = PinnTask(stored.plan, PointSampler(stored.plan.problem.domain), stored.options.seed)
    module = task.module(task.network(), task.functions())
    module.load_state_dict(stored.tensors)
    return module


METHOD = SolverMethod[PinnPlan](_solve, _levels, (ModuleFormat("network", AnsatzModule, _rebuild),))
