"""Levenberg-Marquardt steps, for several λ at once: δ minimises ‖Jδ + r‖² + λ‖δ - δ₀‖².

δ₀ is 0, or a fraction of the previous step: directions that the rows do not determine, or that only damping restrains,
continue as before (Goldshlager, Abrahamsen, Lin 2024).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor


def steps(
    slopes: Tensor, residual: Tensor, dampings: Sequence[float], before: Sequence[Tensor]
) -> Iterator[tuple[float, Tensor]]:
    """δ for each λ, relative to the mean of the diagonal of JᵀJ, and each δ₀. If there are more weights than rows, by
    the kernel JJᵀ: Jᵀ(JJᵀ + λI)⁻¹ = (JᵀJ + λI)⁻¹Jᵀ (Woodbury)."""
    rows, weights = slopes.shape
    by_rows = rows < weights
    gram = slopes @ slopes.T if by_rows else slopes.T @ slopes
    size = gram.diagonal().mean()
    left = [residual + slopes @ b for b in before]
    for damping in dampings:
        factor = _factor(gram, damping * size)
        if factor is not None:
            solve = _by_rows if by_rows else _by_weights
            for b, r in zip(before, left, strict=True):
                yield damping, b + solve(slopes, r, factor, damping * size)


def _factor(gram: Tensor, shift: Tensor) -> Tensor | None:
    """The Cholesky factor, or None if rounding has made the matrix indefinite."""
    factor, failed = torch.linalg.cholesky_ex(gram + shift * torch.eye(len(gram), dtype=gram.dtype, device=gram.device))
    return None if int(failed) else factor


def _by_weights(slopes: Tensor, residual: Tensor, factor: Tensor, shift: Tensor) -> Tensor:
    """With one step of refinement, whose residual is formed with J itself: JᵀJ has lost half of the digits."""
    step = torch.zeros_like(slopes[0])
    for _ in range(2):
        missing = slopes.T @ (residual + slopes @ step) + shift * step
        step = step - torch.cholesky_solve(missing[:, None], factor)[:, 0]
    return step


def _by_rows(slopes: Tensor, residual: Tensor, factor: Tensor, shift: Tensor) -> Tensor:
    return -slopes.T @ torch.cholesky_solve(residual[:, None], factor)[:, 0]
