"""A reference that shares nothing with the Monte-Carlo operator: a pseudospectral solver on the periodic square.

u_t = v(x, t)·∇u + A:∇∇u with constant A. The diffusion is exact in Fourier space (integrating factor), the transport is
advanced by the classical Runge-Kutta method (Canuto et al., Spectral Methods, 2006, section D.3): order 4 in the step.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from pdedsl.config.methods import Direction

Velocity = Callable[[Tensor, float], Tensor]


class PeriodicGrid:
    """n×n points of the square [0, length)², n even."""

    def __init__(self, n: int, length: float = 1.0, dtype: torch.dtype = torch.float64) -> None:
        axis = torch.arange(n, dtype=dtype) * (length / n)
        self.points = torch.stack(torch.meshgrid(axis, axis, indexing="ij"), -1)
        """(n, n, 2), the last axis being (x, y)."""
        full, half = torch.fft.fftfreq(n, 1.0 / n, dtype=dtype), torch.fft.rfftfreq(n, 1.0 / n, dtype=dtype)
        k, m = torch.meshgrid(full, half, indexing="ij")
        self.wavenumbers = (2.0 * math.pi / length) * torch.stack([k, m])
        # The derivative of the Nyquist mode is not representable; products of two modes beyond n/3 alias (Orszag 1971).
        self.derivatives = 1j * self.wavenumbers * ((k.abs() < n // 2) & (m < n // 2))
        self.resolved = (k.abs() <= n / 3) & (m <= n / 3)

    def gradient(self, u: Tensor) -> Tensor:
        """∇u, of shape (n, n, 2)."""
        return self._back(self.derivatives * torch.fft.rfft2(u)).movedim(0, -1)

    def roughness(self, u: Tensor) -> float:
        """√(mean |∇u|²), the H¹ seminorm: smaller is smoother."""
        return float(self.gradient(u).square().sum(-1).mean().sqrt())

    def solve(
        self,
        data: Tensor,
        velocity: Velocity,
        diffusion: float | Tensor,
        t: float,
        dt: float,
        form: str = "initial",
        horizon: float = 1.0,
    ) -> Tensor:
        """u(·, t) on the grid, for data at time 0, or at `horizon` for u_t + v·∇u + A:∇∇u = 0."""
        start, clock, length = (0.0, 1.0, t) if Direction(form) is Direction.INITIAL else (horizon, -1.0, horizon - t)
        steps = max(1, math.ceil(length / dt * (1.0 - 1e-12)))
        h = length / steps
        half = torch.exp(-0.5 * h * self._symbol(diffusion))
        u: Tensor = torch.fft.rfft2(data)
        for k in range(steps):
            u = self._step(u, velocity, start + clock * k * h, h, clock, half)
        return self._back(u)

    def _step(self, u: Tensor, velocity: Velocity, t: float, h: float, clock: float, half: Tensor) -> Tensor:
        """Runge-Kutta for w = exp(−tL)·u, written in u: `half` = exp(hL/2)."""
        middle, end = t + clock * 0.5 * h, t + clock * h
        k1 = self._transport(u, velocity, t)
        k2 = self._transport(half * (u + 0.5 * h * k1), velocity, middle)
        k3 = self._transport(half * u + 0.5 * h * k2, velocity, middle)
        k4 = self._transport(half * (half * u + h * k3), velocity, end)
        return half * (half * (u + h / 6.0 * k1) + h / 3.0 * (k2 + k3)) + h / 6.0 * k4

    def _transport(self, u: Tensor, velocity: Velocity, t: float) -> Tensor:
        """The transform of v·∇u, without the modes that aliasing spoils."""
        slope = self._back(self.derivatives * u * self.resolved).movedim(0, -1)
        product: Tensor = torch.fft.rfft2((velocity(self.points, t) * slope).sum(-1))
        return product * self.resolved

    def _symbol(self, diffusion: float | Tensor) -> Tensor:
        """kᵀAk."""
        matrix = torch.as_tensor(diffusion, dtype=self.points.dtype)
        matrix = matrix * torch.eye(2, dtype=matrix.dtype) if matrix.dim() == 0 else matrix
        symbol: Tensor = torch.einsum("i...,ij,j...->...", self.wavenumbers, matrix, self.wavenumbers)
        return symbol

    def _back(self, u: Tensor) -> Tensor:
        n = self.points.shape[0]
        values: Tensor = torch.fft.irfft2(u, s=(n, n))
        return values


def random_field(seed: int, mesh: int, channels: int, length: float = 1.0) -> Callable[[Tensor], Tensor]:
    """Numbers uniform on [−1, 1] at the points of a mesh (Wang, Yuan, Shi, Osher 2020, section 2.2), made a smooth
    function of points (..., 2) by trigonometric interpolation; `mesh` is odd, so that the interpolant is unique."""
    source = torch.Generator().manual_seed(seed)
    values = torch.rand(channels, mesh, mesh, generator=source, dtype=torch.float64) * 2.0 - 1.0
    modes = torch.fft.fft2(values) / mesh**2
    k = torch.fft.fftfreq(mesh, 1.0 / mesh, dtype=torch.float64) * (2.0 * math.pi / length)

    def field(x: Tensor) -> Tensor:
        phase = 1j * k * x.double().unsqueeze(-1)
        wave = phase.exp()
        return torch.einsum("ckl,...k,...l->...c", modes, wave[..., 0, :], wave[..., 1, :]).real.to(x.dtype)

    return field
