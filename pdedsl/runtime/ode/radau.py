"""Radau IIA with three stages (Radau5), of order five and L-stable, for M ∂w/∂t = R(w, t) with singular diagonal M.

Hairer and Wanner 1996, IV.8: the stages W satisfy Σⱼ (A⁻¹)ᵢⱼ M (Wⱼ - w) / h = R(Wᵢ, tᵢ), which also imposes every
algebraic equation, M = 0, at the stages and at the end. The Newton matrix decouples into (λ/h) M - J,
once for the real eigenvalue λ of A⁻¹ and once for a complex one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from math import sqrt

import numpy as np
import torch
from torch import Tensor

from pdedsl.runtime.linalg import LUFactorization

ORDER = 5
SQRT6 = sqrt(6)
NODES = ((4 - SQRT6) / 10, (4 + SQRT6) / 10, 1.0)
TABLEAU = np.array(
    [
        [(88 - 7 * SQRT6) / 360, (296 - 169 * SQRT6) / 1800, (-2 + 3 * SQRT6) / 225],
        [(296 + 169 * SQRT6) / 1800, (88 + 7 * SQRT6) / 360, (-2 - 3 * SQRT6) / 225],
        [(16 - SQRT6) / 36, (16 + SQRT6) / 36, 1 / 9],
    ]
)
TABLEAU_INVERSE = np.linalg.inv(TABLEAU)
MAX_NEWTON_ITERATIONS = 12
NEWTON_RTOL = 1e-12  # relative size of the last Newton correction
SLOW_NEWTON_ITERATIONS = 4  # iterations after which the Jacobian is recomputed for the next step


@dataclass
class Radau:
    """Steps of length T / 2^level. `right` and `jacobian` are R and ∂R/∂w; `mass` is the diagonal of M."""

    right: Callable[[Tensor, float], Tensor]
    jacobian: Callable[[Tensor, float], Tensor]
    mass: Tensor
    length: float
    affine: bool  # whether one Jacobian serves for all states and times
    factorizations: dict[int, tuple[LUFactorization, LUFactorization]] = field(default_factory=dict)

    def __call__(self, w: Tensor, time: float, level: int) -> Tensor:
        """One step; NaN if Newton's method fails, so that step control rejects it."""
        if not bool(w.isfinite().all()):
            return w  # the result of a step that failed
        fresh = level not in self.factorizations
        if fresh:
            self._factor(w.detach(), time, level)
        solution = self._newton(w, time, level)
        if solution is None and not self.affine and not fresh:
            self._factor(w.detach(), time, level)
            solution = self._newton(w, time, level)
        return w * float("nan") if solution is None else solution

    def _factor(self, w: Tensor, time: float, level: int) -> None:
        jacobian = self.jacobian(w, time).detach()
        values = np.linalg.eigvals(TABLEAU_INVERSE)
        real, pair = _real_and_complex(values)
        h = self.length / 2**level
        self.factorizations[level] = (
            LUFactorization.of(torch.diag(self.mass * (real / h)) - jacobian),
            LUFactorization.of(torch.diag(self.mass * (pair / h)) - jacobian),
        )

    def _newton(self, w: Tensor, time: float, level: int) -> Tensor | None:
        with torch.no_grad():
            stages, iterations = self._converged(w.detach(), time, level)
        if stages is None:
            return None
        if w.requires_grad or self._requires_grad(w, time):
            for _ in range(1 if self.affine else iterations + 1):  # gradients converge at the rate of the iteration
                stages = stages - self._correction(stages, w, time, level)
        if iterations > SLOW_NEWTON_ITERATIONS:
            del self.factorizations[level]
        return stages[-1]

    def _requires_grad(self, w: Tensor, time: float) -> bool:
        return torch.is_grad_enabled() and self.right(w, time).requires_grad

    def _converged(self, w: Tensor, time: float, level: int) -> tuple[Tensor | None, int]:
        stages, before = w.expand(3, -1).clone(), float("inf")
        for k in range(1, MAX_NEWTON_ITERATIONS + 1):
            correction = self._correction(stages, w, time, level)
            stages = stages - correction
            size = float(correction.norm() / stages.norm().clamp_min(1e-300))
            if size <= NEWTON_RTOL or (self.affine and k == 2) or (size < 1e-10 and size > before / 2):
                return stages, k
            if not size < before * (2 if k < 3 else 0.5):
                break
            before = size
        return None, MAX_NEWTON_ITERATIONS

    def _correction(self, stages: Tensor, w: Tensor, time: float, level: int) -> Tensor:
        h = self.length / 2**level
        inverse = w.new_tensor(TABLEAU_INVERSE)
        right = torch.stack([self.right(s, time + c * h) for s, c in zip(stages, NODES, strict=True)])
        gap = inverse @ ((stages - w) * self.mass) / h - right
        back, there = (torch.as_tensor(m, device=w.device) for m in _eigenvectors())
        parts = there @ gap.to(back.dtype)
        one, two = self.factorizations[level]
        first, second = one.solve(parts[0].real), two.solve(parts[1])
        return (back[:, :1] * first + 2 * back[:, 1:2] * second).real


def _real_and_complex(values: np.ndarray) -> tuple[float, complex]:
    return float(values[abs(values.imag).argmin()].real), complex(values[values.imag.argmax()])


@cache
def _eigenvectors() -> tuple[np.ndarray, np.ndarray]:
    """Eigenvectors of A⁻¹, and the rows that give coordinates in them: the real one first, then the complex pair."""
    values, vectors = np.linalg.eig(TABLEAU_INVERSE)
    order = [int(abs(values.imag).argmin()), int(values.imag.argmax()), int(values.imag.argmin())]
    back = vectors[:, order]
    back[:, 0] = (back[:, 0] / back[np.abs(back[:, 0]).argmax(), 0]).real
    return back, np.linalg.inv(back)
