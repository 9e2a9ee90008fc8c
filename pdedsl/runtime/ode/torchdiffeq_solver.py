"""The methods of torchdiffeq by name, with and without the adjoint; imported when used."""

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

    Its adaptive methods measure the error over the whole tensor that they are given. control "sample" gives them one
    sample at a time: independent of the neighbours, but slow; a sample whose state is not finite becomes NaN. control
    "batch" gives the whole batch at once: outputs then depend on the neighbours, and with the adjoint so do gradients.
    """

    method: str = "dopri5"
    rtol: float = 1e-3
    atol: float = 1e-3
    adjoint: bool = False
    control: ErrorControl = "sample"
    failing: OnFailure = OnFailure.RAISE

    def _solve(self, field: VectorField, y: Tensor, steps: TimeGrid) -> OdeSolution:
        parts = y.chunk(y.shape[0]) if self.apart else (y,)
        solved = [self._one(field, part, steps) for part in parts]
        calls = [count for _, count in solved]
        shares = calls if self.apart else calls * y.shape[0]
        state = torch.cat([state for state, _ in solved])
        return OdeSolution(
            cast(Tensor, _OnceDifferentiable.apply(state)) if self.adjoint else state, sum(calls), tuple(shares)
        )

    def _one(self, field: VectorField, y: Tensor, steps: TimeGrid) -> tuple[Tensor, int]:
        calls = 0
        for j in range(steps.count):
            if self.apart and not y.isfinite().all():
                return y * nan, calls
            slope = _RightHandSide(field, j)
            ends = torch.tensor([steps.time(j), steps.time(j + 1)], dtype=y.dtype, device=y.device)
            with translate_failures():
                y = self._odeint(slope, y, ends)[-1]
            calls += slope.calls
        return y, calls

    def _odeint(self, slope: nn.Module, y: Tensor, ends: Tensor) -> Tensor:
        import torchdiffeq  # imported here because it imports scipy

        solver: Any = torchdiffeq.odeint_adjoint if self.adjoint else torchdiffeq.odeint
        # Overshooting the end and interpolating back costs digits: a step ends there and, backwards, at the start.
        options = {"step_t": ends} if self.method in ADAPTIVE else None
        states: Tensor = solver(slope, y, ends, method=self.method, rtol=self.rtol, atol=self.atol, options=options)
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
                "the adjoint of torchdiffeq is differentiable once; adjoint=false has second derivatives, those of the "
                "steps taken"
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
        why = str(error).partition(":")[0]  # a whole tensor may follow
        raise SolverFailed(f"{why}: the field is not finite, or too stiff") from error


def _raised_by_torchdiffeq(error: AssertionError) -> bool:
    """Whether its own code failed, and not the field that it called."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and str(trace.tb_frame.f_globals.get("__name__", "")).startswith("torchdiffeq.")
