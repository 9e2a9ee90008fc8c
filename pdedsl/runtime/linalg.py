"""A matrix that is factored once and solved with often; by its pseudo-inverse if it is singular."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

# ---- factored


SINGULAR_PIVOT_RATIO = 1e-14
PINV_RTOL = 1e-11


@dataclass(frozen=True)
class LUFactorization:
    """Rows scaled to norm one, then P L U; or the pseudo-inverse, whose solutions have the least norm."""

    scale: Tensor
    lower_upper: Tensor
    pivots: Tensor
    inverse: Tensor | None

    @classmethod
    def of(cls, matrix: Tensor) -> LUFactorization:
        scale = 1 / matrix.abs().amax(1).clamp_min(1e-300)
        scaled = matrix * scale[:, None]
        lower_upper, pivots, _ = torch.linalg.lu_factor_ex(scaled)
        own = lower_upper.diagonal().abs()
        bad = not bool(own.min() > SINGULAR_PIVOT_RATIO * own.max())
        return cls(scale, lower_upper, pivots, torch.linalg.pinv(scaled, rtol=PINV_RTOL) if bad else None)

    @property
    def singular(self) -> bool:
        return self.inverse is not None

    def solve(self, right: Tensor) -> Tensor:
        scaled = right * self.scale
        if self.inverse is not None:
            return self.inverse @ scaled
        found: Tensor = torch.linalg.lu_solve(self.lower_upper, self.pivots, scaled[:, None])
        return found[:, 0]


# ---- least_squares
# Linear least squares that may be ill-conditioned.


LSTSQ_RCOND = 1e-15  # diagonal entries of the triangle, relative to the first, that count as zero
MIN_COLUMNS_UNPIVOTED = 1500  # columns from which QR is tried without pivots, which make it several times as long
ROUNDING_RTOL = 1e-10  # rounding, relative to the right side, that is let pass however small the residual is


def solve_least_squares(matrix: Tensor, right: Tensor) -> Tensor:
    """The x of least norm that minimises ‖matrix x - right‖, by QR with pivoting, on the CPU: other devices do not have
    this decomposition. Of many columns any x that does so, without pivots, if rounding does not matter."""
    a, b = matrix.cpu(), right.cpu()
    solution = _unpivoted(a, b) if a.shape[1] >= MIN_COLUMNS_UNPIVOTED else None
    if solution is None:
        solution = torch.linalg.lstsq(a, b[:, None], rcond=LSTSQ_RCOND, driver="gelsy").solution[:, 0]
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
    return x if bool(rounding < torch.maximum((a @ x - b).norm(), ROUNDING_RTOL * b.norm())) else None


# ---- levenberg
# Levenberg-Marquardt steps, for several λ at once: δ minimises ‖Jδ + r‖² + λ‖δ - δ₀‖².
#
# δ₀ is 0, or a fraction of the previous step: directions that the rows do not determine, or that only damping
# restrains, continue as before (Goldshlager, Abrahamsen, Lin 2024).


def levenberg_marquardt_steps(
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
