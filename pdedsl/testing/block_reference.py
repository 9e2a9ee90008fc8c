"""Compares the block of an equation on feature maps with a reference integration of the equation."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from pdedsl.config.methods import (
    Adaptive,
    BackwardEuler,
    Fixed,
    Imex,
    Implicit,
    Integrator,
    Leapfrog,
    LeapfrogStart,
    Verlet,
)
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.plan import ImagePlan
from pdedsl.ir.spec import Spec
from pdedsl.ir.terms import Reaction
from pdedsl.ir.types import Operator
from pdedsl.testing.feature_map_reference import StepRightHandSide, WeightMismatch, right_hand_sides
from pdedsl.testing.model import ModelUnderTest, seeded
from pdedsl.testing.moment_tests import Finding, compare_tensors, violated, worst_of
from pdedsl.testing.reference_steps import integrate_rk4, step_of

BLOCK = "time steps of block()"
WIDTH, SIZE, BATCH = 4, 5, 2  # channels, height and width, batch size
BLOCK_TOL = 1e-10  # rounding, in double precision
REFERENCE_STEPS_PER_TIME = 20  # of RK4, the reference for an adaptive method
MAX_REFERENCE_STEPS = 300  # bounds the time of a test on a long interval
ADAPTIVE_TOL_FACTOR = 30.0  # allowed error in units of the tolerance: local errors accumulate
WEIGHT_SEEDS = 2  # blocks with different weights


@dataclass(frozen=True)
class StepSchedule:
    """The steps of a method over the time interval of the spec."""

    method: Integrator
    steps: int
    start: float
    end: float

    @property
    def h(self) -> float:
        return (self.end - self.start) / self.steps

    @property
    def times(self) -> list[tuple[int, float]]:
        return [(j, self.start + j * self.h) for j in range(self.steps)]


def block_finding(model: ModelUnderTest, seed: int) -> Finding:
    """Compares the block at a small width, for random feature maps and weights."""
    plan = model.expected.plan
    assert isinstance(plan, ImagePlan)
    count = 1 if isinstance(plan.method, Adaptive) else WEIGHT_SEEDS
    return worst_of(BLOCK, (_compare_block(model, plan, seed + k) for k in range(count)))


def _compare_block(model: ModelUnderTest, plan: ImagePlan, weights: int) -> Finding:
    analysis = model.expected.analysis
    block = randomize_weights(model.block(weights, WIDTH), weights, _max_operator_norm(analysis.spec))
    with seeded(weights + 500):
        y = torch.randn(BATCH, WIDTH, SIZE, SIZE, dtype=torch.float64)
    with torch.no_grad():
        computed = block(y)
        try:
            expected = integrate_reference(analysis, plan, right_hand_sides(analysis, plan, block), y)
        except WeightMismatch as error:
            return violated(BLOCK, str(error))
    return compare_tensors(
        BLOCK, f"output of the block, integrated by {plan.method.name}", expected, computed, _tolerance(plan)
    )


def _tolerance(plan: ImagePlan) -> float:
    match plan.method:
        case Adaptive(rtol=rtol, atol=atol):
            return ADAPTIVE_TOL_FACTOR * float(rtol + atol)
        case _:
            return BLOCK_TOL


def _max_operator_norm(spec: Spec) -> float:
    """An operator norm at which no bound ‖K‖ ≤ c is active: the bounds are tested by the axiom of stability."""
    bounds = [float(w.type.bound) for w in spec.learned if isinstance(w.type, Operator) and w.type.bound is not None]
    return 0.9 * min([2.0, *bounds])


def randomize_weights(block: nn.Module, seed: int, small: float) -> nn.Module:
    """The block with generic weights, since new normalization layers have scale one and bias zero.

    ‖K‖ is at most the sum of the Frobenius norms of its taps, which is set to `small`.
    """
    with seeded(seed + 900), torch.no_grad():
        for p in block.parameters():
            if p.dim() < 2:
                p.add_(0.3 * torch.randn_like(p))
            else:
                p.mul_(small / p.norm(dim=(0, 1)).sum())
        for name, b in block.named_buffers():
            if name.endswith(("running_mean", "running_var")):
                b.add_(0.3 * torch.rand_like(b))
    return block


def integrate_reference(analysis: Analysis, plan: ImagePlan, rights: list[StepRightHandSide], y: Tensor) -> Tensor:
    """Integrates the equation over its time interval by the method and the number of steps of the plan."""
    time = analysis.spec.time
    assert time is not None
    schedule = StepSchedule(plan.method, plan.steps, float(time.start), float(time.end))
    order = analysis.equations[0].equation.order
    match rights, order, plan.method:
        case [f, g], _, Verlet():
            return _verlet(schedule, f, g, y)
        case [f, g], _, _:
            return _integrate_one_step_method(schedule, _separable_rhs(f, g), y)
        case [f], 2, Leapfrog(start=start):
            return _leapfrog(schedule, f, y, 1.0 if start is LeapfrogStart.PAPER else 0.5)
        case [f], 2, _:
            initial = _join_halves(y, torch.zeros_like(y))
            return _half(_integrate_one_step_method(schedule, _separable_rhs(lambda j, t, v: v, f), initial), 0)
        case [f], _, _:
            return _integrate_one_step_method(schedule, f, y, _linear_coefficient(analysis))
        case _:
            raise AssertionError("one equation, or a separable system")


def _linear_coefficient(analysis: Analysis) -> float:
    """c of the terms cY of the first equation."""
    terms = (t for t in analysis.equations[0].terms if isinstance(t, Reaction))
    return float(sum(t.rate.xreplace(analysis.spec.values) for t in terms))


def _separable_rhs(f: StepRightHandSide, g: StepRightHandSide) -> StepRightHandSide:
    """[Y, Z]' = [f(Z), g(Y)]."""
    return lambda j, t, s: _join_halves(f(j, t, _half(s, 1)), g(j, t, _half(s, 0)))


def _half(state: Tensor, which: int) -> Tensor:
    width = state.shape[1] // 2
    return state[:, which * width : (which + 1) * width]


def _join_halves(a: Tensor, b: Tensor) -> Tensor:
    return torch.cat([a, b], 1)


def _integrate_one_step_method(
    schedule: StepSchedule, right: StepRightHandSide, y: Tensor, linear: float = 0.0
) -> Tensor:
    """One-step methods; all stages of a step use the weights of that step."""
    if isinstance(schedule.method, Adaptive):
        length = schedule.end - schedule.start
        steps = min(int(REFERENCE_STEPS_PER_TIME * length) + REFERENCE_STEPS_PER_TIME, MAX_REFERENCE_STEPS)
        end: Tensor = integrate_rk4(lambda t, s: right(0, t, s), schedule.start, length, y, steps)
        return end
    assert isinstance(schedule.method, Fixed | Implicit | Imex | BackwardEuler)
    step = step_of(schedule.method, linear)
    for j, t in schedule.times:
        y = step(lambda t, s, j=j: right(j, t, s), t, schedule.h, y)  # type: ignore[misc]
    return y


def _verlet(schedule: StepSchedule, f: StepRightHandSide, g: StepRightHandSide, state: Tensor) -> Tensor:
    """Y_{j+1} = Y_j + h f(t_j, Z_j), Z_{j+1} = Z_j + h g(t_j, Y_{j+1})."""
    y, z = _half(state, 0), _half(state, 1)
    for j, t in schedule.times:
        y = y + schedule.h * f(j, t, z)
        z = z + schedule.h * g(j, t, y)
    return _join_halves(y, z)


def _leapfrog(schedule: StepSchedule, f: StepRightHandSide, y: Tensor, factor: float) -> Tensor:
    """Y_{j+1} = 2Y_j - Y_{j-1} + h² f(t_j, Y_j), with zero initial velocity:
    Y_1 = Y_0 + ½h² f(t_0, Y_0), or with h² for ½h²."""
    before, now = y, y + factor * schedule.h**2 * f(0, schedule.start, y)
    for j, t in schedule.times[1:]:
        before, now = now, 2 * now - before + schedule.h**2 * f(j, t, now)
    return now
