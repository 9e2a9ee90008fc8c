"""Messages for divergence: cause, saved state, suggested fix."""

from __future__ import annotations

from pathlib import Path

from pdedsl.numerics.step_size import SolverFailed
from pdedsl.runs import checkpoint

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
