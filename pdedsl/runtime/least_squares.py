"""Linear least squares that may be ill-conditioned."""

from __future__ import annotations

import torch
from torch import Tensor

SMALL = 1e-15  # diagonal entries of the triangle, relative to the first, that count as zero


def solution_of(matrix: Tensor, right: Tensor) -> Tensor:
    """The x of least norm that minimises ‖matrix x - right‖, by QR with pivoting, on the CPU: other devices do not have
    this decomposition."""
    found = torch.linalg.lstsq(matrix.cpu(), right.cpu()[:, None], rcond=SMALL, driver="gelsy")
    solution: Tensor = found.solution[:, 0]
    return solution.to(matrix.device)
