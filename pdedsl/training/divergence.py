"""Why a run could not continue, what is kept of it, and what to try."""

from __future__ import annotations

from pathlib import Path

from pdedsl.numerics.step_size import SolverFailed
from pdedsl.training import checkpoint

LOSS = "Try a smaller learning rate, a smaller weight of the residual, or precision float64"
SOLVER = (
    "Try a smaller learning rate, larger tolerances rtol and atol, precision float64, or a method of fixed steps such "
    "as rk4(steps=10)"
)
START = "--from RUN starts another run with what is kept"


def loss_message(step: int, folder: Path | None, adaptive: bool) -> str:
    """For a loss that is not finite; an adaptive solver may be the cause."""
    return f"the loss of step {step} is not finite{_kept(folder)}. {SOLVER if adaptive else LOSS}; {START}."


def solver_message(where: str, failure: SolverFailed, folder: Path | None) -> str:
    """For an adaptive solver that failed."""
    return f"the solver failed in {where}: {failure}{_kept(folder)}. {SOLVER}; {START}."


def _kept(folder: Path | None) -> str:
    """Names the newest intact checkpoint in a folder; empty without a folder, as in all processes but the first."""
    good = checkpoint.newest(folder)[0] if folder else None
    if good is None:
        return ""
    return f"; the state after step {good.step} is kept" if good.step else "; the initial weights are kept"
