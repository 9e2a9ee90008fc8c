"""Methods of torchdiffeq by name, with and without its adjoint; torchdiffeq is imported on first use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import nan
from typing import Any, cast, final

import torch
from torch import Tensor, nn

from pdedsl.numerics.butcher import ADAPTIVE
from pdedsl.numerics.step_size import SolverFailed
from pdedsl.runtime.image_fields import VectorField
from pdedsl.runtime.ode.adaptive import AdaptiveSolver, ErrorControl, OdeSolution, OnFailure
from pdedsl.runtime.ode.explicit import TimeGrid


@final
@dataclass(frozen=True)
class TorchdiffeqSolver(AdaptiveSolver):
    """torchdiffeq.odeint(method=…), or odeint_adjoint, which is differentiable once: second derivatives raise an error.

    Adaptive methods use an error norm over the whole tensor. control "sample" integrates one sample at a time, which
    is slow but makes samples independent; a sample with a non-finite state becomes NaN. control "batch" integrates the
    whole batch: the output for a sample, and with the adjoint its gradient, then depend on the others.

    Args:
        method: name of a method of torchdiffeq.
        rtol: relative tolerance.
        atol: absolute tolerance.
        adjoint: differentiate by the adjoint equation, with constant memory.
        control: error norm over each sample ("sample") or over the whole batch ("batch").
        on_failure: raise `SolverFailed`, or return NaN.

    Raises:
        SolverFailed: by `integrate`, if the step size underflows.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import TimeGrid, TorchdiffeqSolver
        >>> solver = TorchdiffeqSolver(rtol=1e-6, atol=1e-6)
        >>> y = solver.integrate(lambda step, t, y: -y, torch.ones(1, 1), TimeGrid(0.0, 1.0, 1))
        >>> round(y.item(), 4)  # exp(-1)
        0.3679
    """

    method: str = "dopri5"
    rtol: float = 1e-3
    atol: float = 1e-3
    adjoint: bool = False
    control: ErrorControl = "sample"
    on_failure: OnFailure = OnFailure.RAISE

    def _solve(self, field: VectorField, y: Tensor, steps: TimeGrid) -> OdeSolution:
        parts = y.chunk(y.shape[0]) if self.per_sample else (y,)
        solutions = [self._integrate_tensor(field, part, steps) for part in parts]
        calls = [count for _, count in solutions]
        per_sample = calls if self.per_sample else calls * y.shape[0]
        state = torch.cat([state for state, _ in solutions])
        return OdeSolution(
            cast(Tensor, _OnceDifferentiable.apply(state)) if self.adjoint else state, sum(calls), tuple(per_sample)
        )

    def _integrate_tensor(self, field: VectorField, y: Tensor, steps: TimeGrid) -> tuple[Tensor, int]:
        calls = 0
        for j in range(steps.count):
            if self.per_sample and not y.isfinite().all():
                return y * nan, calls
            right_hand_side = _RightHandSide(field, j)
            ends = torch.tensor([steps.time(j), steps.time(j + 1)], dtype=y.dtype, device=y.device)
            with translate_failures():
                y = self._odeint(right_hand_side, y, ends)[-1]
            calls += right_hand_side.calls
        return y, calls

    def _odeint(self, right_hand_side: nn.Module, y: Tensor, ends: Tensor) -> Tensor:
        import torchdiffeq  # imported here because it imports scipy

        solver: Any = torchdiffeq.odeint_adjoint if self.adjoint else torchdiffeq.odeint
        # A step ends exactly at the end, and backwards at the start: interpolating back from beyond it loses digits.
        options = {"step_t": ends} if self.method in ADAPTIVE else None
        states: Tensor = solver(
            right_hand_side, y, ends, method=self.method, rtol=self.rtol, atol=self.atol, options=options
        )
        return states


@final
class _RightHandSide(nn.Module):
    """The field of one step as torchdiffeq's f(t, y); a module, so that the adjoint finds the parameters."""

    def __init__(self, field: VectorField, step: int):
        super().__init__()
        self.field, self.step, self.calls = field, step, 0

    def forward(self, t: Tensor, y: Tensor) -> Tensor:
        self.calls += 1
        return self.field(self.step, t, y)


class _OnceDifferentiable(torch.autograd.Function):
    """The identity after the adjoint; its gradients have no graph: a second derivative would see constants."""

    @staticmethod
    def forward(ctx: Any, y: Tensor) -> Tensor:
        return y.view_as(y)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        if torch.is_grad_enabled():  # by create_graph
            raise RuntimeError(
                "the adjoint of torchdiffeq is differentiable once: use adjoint=false for second derivatives"
            )
        return gradients[0]


@contextmanager
def translate_failures() -> Iterator[None]:
    """torchdiffeq fails by an AssertionError, with the adjoint also in backward: within, SolverFailed is raised."""
    try:
        yield
    except AssertionError as error:
        if not _raised_by_torchdiffeq(error):
            raise
        reason = str(error).partition(":")[0]  # a whole tensor may follow
        raise SolverFailed(f"{reason}: the field is not finite, or too stiff") from error


def _raised_by_torchdiffeq(error: AssertionError) -> bool:
    """Whether torchdiffeq raised the error, and not the field that it called."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and str(trace.tb_frame.f_globals.get("__name__", "")).startswith("torchdiffeq.")
