"""Dense linear algebra: LU factorisation with a pseudo-inverse for singular matrices, linear least squares by QR, and
Levenberg-Marquardt steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

# ---- LU factorisation


SINGULAR_PIVOT_RATIO = 1e-14  # smallest to largest pivot below which a matrix counts as singular
PINV_RTOL = 1e-11  # singular values below this fraction of the largest are zero in the pseudo-inverse


@dataclass(frozen=True)
class LUFactorization:
    """P L U of the matrix with rows scaled to maximum 1; if it is singular the pseudo-inverse, for the
    minimum-norm solution."""

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
        is_singular = not bool(own.min() > SINGULAR_PIVOT_RATIO * own.max())
        return cls(scale, lower_upper, pivots, torch.linalg.pinv(scaled, rtol=PINV_RTOL) if is_singular else None)

    @property
    def singular(self) -> bool:
        return self.inverse is not None

    def solve(self, right: Tensor) -> Tensor:
        scaled = right * self.scale
        if self.inverse is not None:
            return self.inverse @ scaled
        solution: Tensor = torch.linalg.lu_solve(self.lower_upper, self.pivots, scaled[:, None])
        return solution[:, 0]


# ---- Linear least squares, possibly ill-conditioned


LSTSQ_RCOND = 1e-15  # diagonal entries of R below this fraction of the first count as zero
MIN_COLUMNS_UNPIVOTED = 1500  # columns from which QR is tried without pivoting, which takes several times as long
ROUNDING_RTOL = 1e-10  # rounding error, relative to the right-hand side, accepted even for smaller residuals


def solve_least_squares(matrix: Tensor, right: Tensor) -> Tensor:
    """The minimum-norm x that minimises ‖matrix x - right‖, by pivoted QR on the CPU: other devices lack this
    decomposition. For many columns a minimiser by unpivoted QR, if rounding errors do not matter."""
    a, b = matrix.cpu(), right.cpu()
    solution = _solve_unpivoted(a, b) if a.shape[1] >= MIN_COLUMNS_UNPIVOTED else None
    if solution is None:
        solution = torch.linalg.lstsq(a, b[:, None], rcond=LSTSQ_RCOND, driver="gelsy").solution[:, 0]
    return solution.to(matrix.device)


def _solve_unpivoted(a: Tensor, b: Tensor) -> Tensor | None:
    """By QR, which minimises ‖(a + e) x - b‖ for some ‖e‖ ≈ ε‖a‖, unless ε‖a‖‖x‖ would show in the residual."""
    if a.shape[0] < a.shape[1]:
        return None
    try:
        x: Tensor = torch.linalg.lstsq(a, b[:, None], driver="gels").solution[:, 0]
    except torch.linalg.LinAlgError:  # type: ignore[attr-defined]  # torch's stubs lack it
        return None  # columns depend on each other
    rounding = torch.finfo(a.dtype).eps * a.norm() * x.norm()
    return x if bool(rounding < torch.maximum((a @ x - b).norm(), ROUNDING_RTOL * b.norm())) else None


# ---- Levenberg-Marquardt steps for several λ at once: δ minimises ‖Jδ + r‖² + λ‖δ - δ₀‖²
#
# δ₀ is 0, or a fraction of the previous step, which acts as momentum in directions that J does not determine
# (Goldshlager, Abrahamsen, Lin 2024).


def levenberg_marquardt_steps(
    jacobian: Tensor, residual: Tensor, dampings: Sequence[float], momenta: Sequence[Tensor]
) -> Iterator[tuple[float, Tensor]]:
    """δ for each λ, relative to the mean of the diagonal of JᵀJ, and each δ₀. If there are more weights than rows, by
    the kernel JJᵀ: Jᵀ(JJᵀ + λI)⁻¹ = (JᵀJ + λI)⁻¹Jᵀ (Woodbury)."""
    rows, weights = jacobian.shape
    dual = rows < weights
    gram = jacobian @ jacobian.T if dual else jacobian.T @ jacobian
    size = gram.diagonal().mean()
    shifted = [residual + jacobian @ b for b in momenta]
    for damping in dampings:
        factor = _factor(gram, damping * size)
        if factor is not None:
            solve = _solve_dual if dual else _solve_primal
            for b, r in zip(momenta, shifted, strict=True):
                yield damping, b + solve(jacobian, r, factor, damping * size)


def _factor(gram: Tensor, shift: Tensor) -> Tensor | None:
    """The Cholesky factor, or None if rounding has made the matrix indefinite."""
    factor, failed = torch.linalg.cholesky_ex(gram + shift * torch.eye(len(gram), dtype=gram.dtype, device=gram.device))
    return None if int(failed) else factor


def _solve_primal(jacobian: Tensor, residual: Tensor, factor: Tensor, shift: Tensor) -> Tensor:
    """With one step of refinement, whose residual is formed with J itself: JᵀJ has lost half of the digits."""
    step = torch.zeros_like(jacobian[0])
    for _ in range(2):
        gradient = jacobian.T @ (residual + jacobian @ step) + shift * step
        step = step - torch.cholesky_solve(gradient[:, None], factor)[:, 0]
    return step


def _solve_dual(jacobian: Tensor, residual: Tensor, factor: Tensor, shift: Tensor) -> Tensor:
    return -jacobian.T @ torch.cholesky_solve(residual[:, None], factor)[:, 0]
