"""Linear least squares that may be ill-conditioned."""

from __future__ import annotations

import torch
from torch import Tensor

SMALL = 1e-15  # diagonal entries of the triangle, relative to the first, that count as zero
MANY = 1500  # columns from which QR is tried without pivots, which make it several times as long
ROUNDED = 1e-10  # rounding, relative to the right side, that is let pass however small the residual is


def solution_of(matrix: Tensor, right: Tensor) -> Tensor:
    """The x of least norm that minimises ‖matrix x - right‖, by QR with pivoting, on the CPU: other devices do not have
    this decomposition. Of many columns any x that does so, without pivots, if rounding does not matter."""
    a, b = matrix.cpu(), right.cpu()
    solution = _unpivoted(a, b) if a.shape[1] >= MANY else None
    if solution is None:
        solution = torch.linalg.lstsq(a, b[:, None], rcond=SMALL, driver="gelsy").solution[:, 0]
    return solution.to(matrix.device)


def _unpivoted(a: Tensor, b: Tensor) -> Tensor | None:
    """By QR, which minimises ‖(a + e) x - b‖ for some ‖e‖ ≈ ε‖a‖, unless ε‖a‖‖x‖ would show in the residual."""
    if a.shape[0] < a.shape[1]:
        return None
    try:
        x: Tensor = torch.linalg.lstsq(a, b[:, None], driver="gels").solution[:, 0]
    except torch.linalg.LinAlgError:  # type: ignore[attr-defined]  # torch's stubs lack it
        return None  # columns depend on each other
    rounding = torch.finfo(a.dtype).eps * a.norm() * x.norm()
    return x if bool(rounding < torch.maximum((a @ x - b).norm(), ROUNDED * b.norm())) else None
