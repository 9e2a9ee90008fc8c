"""The block of an equation on pixels against the equation stepped by hand."""

from __future__ import annotations

from typing import assert_never

import torch
from torch import Tensor, nn

from pdedsl.ir.motions import First, Pair, Second
from pdedsl.ir.plan import ImagePlan
from pdedsl.ir.representation import States
from pdedsl.ir.spec import Spec
from pdedsl.ir.types import Operator
from pdedsl.testing.by_hand import fine, step_of
from pdedsl.testing.model import ModelUnderTest, weights_from
from pdedsl.testing.moments import Finding, same, worst_of
from pdedsl.testing.pixels import Right, right_hand_sides
from pdedsl.words.integrators import Adaptive, BackwardEuler, Fixed, Leapfrog, Start, Verlet

OF = "steps of block()"
WIDTH, SIZE, MAPS = 4, 5, 2  # channels, pixels on a side, maps at once
EXACT = 1e-10
FINE, MOST = 20, 300  # steps of RK4 for each unit of time and at most, that stand for an adaptive method
SLACK = 30.0  # times its tolerance, that an adaptive method may be away: errors of steps add up, and grow
WEIGHTS = 2  # blocks with other weights


def block_finding(model: ModelUnderTest, seed: int) -> Finding:
    """The block at a small width, on random maps and with random weights."""
    plan = model.expected.plan
    assert isinstance(plan, ImagePlan)
    count = 1 if isinstance(plan.method, Adaptive) else WEIGHTS
    return worst_of(OF, (_one(model, plan, seed + k) for k in range(count)))


def _one(model: ModelUnderTest, plan: ImagePlan, weights: int) -> Finding:
    spec, states = model.expected.spec, model.expected.representation
    assert isinstance(states, States)
    block = shuffled(model.block(weights, WIDTH), weights, _within_bounds(spec))
    with weights_from(weights + 500):
        y = torch.randn(MAPS, WIDTH, SIZE, SIZE, dtype=torch.float64)
    with torch.no_grad():
        found = block(y)
        expected = stepped(plan, right_hand_sides(states, plan, spec, block), y)
    return same(OF, f"the value of the block by {plan.method.name}", expected, found, _tolerance(plan))


def _tolerance(plan: ImagePlan) -> float:
    match plan.method:
        case Adaptive(rtol=rtol, atol=atol):
            return SLACK * float(rtol + atol)
        case _:
            return EXACT


def _within_bounds(spec: Spec) -> float:
    """A size of operators that no bound ‖K‖ ≤ c changes: whether bounds are kept is asked by stability."""
    bounds = [float(w.type.bound) for w in spec.learned if isinstance(w.type, Operator) and w.type.bound is not None]
    return 0.9 * min([2.0, *bounds])


def shuffled(block: nn.Module, seed: int, small: float) -> nn.Module:
    """Weights of which none is special, where new norms scale by one and shift by zero.

    ‖K‖ is at most the sum of the Frobenius norms of its taps, which is made `small`.
    """
    with weights_from(seed + 900), torch.no_grad():
        for p in block.parameters():
            if p.dim() < 2:
                p.add_(0.3 * torch.randn_like(p))
            else:
                p.mul_(small / p.norm(dim=(0, 1)).sum())
        for name, b in block.named_buffers():
            if name.endswith(("running_mean", "running_var")):
                b.add_(0.3 * torch.rand_like(b))
    return block


def stepped(plan: ImagePlan, rights: list[Right], y: Tensor) -> Tensor:
    """The equation from its start to its end."""
    h = (float(plan.end) - float(plan.start)) / plan.steps
    match plan.motion, plan.method:
        case Pair(), Verlet():
            return _verlet(plan, rights[0], rights[1], y, h)
        case Second(), Leapfrog(start=start):
            return _leapfrog(plan, rights[0], y, h, 1.0 if start is Start.PAPER else 0.5)
        case Pair(), _:
            return _one_step(plan, _crossed(rights[0], rights[1]), y, h)
        case Second(), _:
            at_rest = _coupled(y, torch.zeros_like(y))
            return _half(_one_step(plan, _crossed(lambda j, t, v: v, rights[0]), at_rest, h), 0)
        case First(), _:
            return _one_step(plan, rights[0], y, h)
        case _:
            assert_never(plan.motion)


def _crossed(f: Right, g: Right) -> Right:
    """[Y, Z]' = [f(Z), g(Y)]."""
    return lambda j, t, s: _coupled(f(j, t, _half(s, 1)), g(j, t, _half(s, 0)))


def _half(state: Tensor, which: int) -> Tensor:
    width = state.shape[1] // 2
    return state[:, which * width : (which + 1) * width]


def _coupled(a: Tensor, b: Tensor) -> Tensor:
    return torch.cat([a, b], 1)


def _one_step(plan: ImagePlan, right: Right, y: Tensor, h: float) -> Tensor:
    """Methods that lead from state to state; weights are those of the step in all its stages."""
    start, length = float(plan.start), float(plan.end) - float(plan.start)
    if isinstance(plan.method, Adaptive):
        arrived: Tensor = fine(lambda t, s: right(0, t, s), start, length, y, min(int(FINE * length) + FINE, MOST))
        return arrived
    assert isinstance(plan.method, Fixed | BackwardEuler)
    step = step_of(plan.method)
    for j in range(plan.steps):
        y = step(lambda t, s, j=j: right(j, t, s), start + j * h, h, y)  # type: ignore[misc]
    return y


def _verlet(plan: ImagePlan, f: Right, g: Right, state: Tensor, h: float) -> Tensor:
    """Y_{j+1} = Y_j + h f(t_j, Z_j), Z_{j+1} = Z_j + h g(t_j, Y_{j+1})."""
    y, z = _half(state, 0), _half(state, 1)
    for j in range(plan.steps):
        t = float(plan.start) + j * h
        y = y + h * f(j, t, z)
        z = z + h * g(j, t, y)
    return _coupled(y, z)


def _leapfrog(plan: ImagePlan, f: Right, y: Tensor, h: float, share: float) -> Tensor:
    """Y_{j+1} = 2Y_j - Y_{j-1} + h² f(t_j, Y_j), from rest: Y_1 = Y_0 + ½h² f(t_0, Y_0), or with h² for ½h²."""
    start = float(plan.start)
    before, now = y, y + share * h**2 * f(0, start, y)
    for j in range(1, plan.steps):
        before, now = now, 2 * now - before + h**2 * f(j, start + j * h, now)
    return now
