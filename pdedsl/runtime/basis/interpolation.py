"""Interpolation: tensor-product expansions Σ c φ₁(x₁) … φ_d(x_d) with Fourier, Chebyshev or hat functions on each axis,
Lagrange interpolation in time, piecewise polynomials, and moving least squares for scattered points.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from math import pi
from typing import assert_never

import torch
from torch import Tensor, nn

from pdedsl.runtime.basis.chebyshev import chebyshev_coefficients, chebyshev_polynomials
from pdedsl.runtime.basis.fourier import FourierAxis
from pdedsl.runtime.ode.step_doubling import lagrange_weights

# ---- Tensor-product expansions


MAX_BUFFER_SIZE = 2**22  # elements in memory at once


@dataclass(frozen=True)
class ChebyshevAxis:
    """[start, end] with n Chebyshev points."""

    start: float
    end: float
    n: int


@dataclass(frozen=True)
class CellAxis:
    """[start, end] in n cells: linear between and beyond their centres; wrapped at the ends if periodic."""

    start: float
    end: float
    n: int
    periodic: bool = False


@dataclass(frozen=True)
class PiecewiseChebyshevAxis:
    """Pieces between the breaks, the first and the last of which are the ends, with n Chebyshev points each; a break
    between two pieces is a point of both."""

    breaks: tuple[float, ...]
    n: int

    @property
    def start(self) -> float:
        return self.breaks[0]

    @property
    def end(self) -> float:
        return self.breaks[-1]

    @property
    def pieces(self) -> tuple[ChebyshevAxis, ...]:
        return tuple(ChebyshevAxis(a, b, self.n) for a, b in zip(self.breaks[:-1], self.breaks[1:], strict=True))


Axis = FourierAxis | ChebyshevAxis | PiecewiseChebyshevAxis | CellAxis


def basis_functions(axis: Axis, x: Tensor) -> Tensor:
    """φ(x), of shape (p, K)."""
    match axis:
        case FourierAxis(start=start, period=period, half=half):
            angle = (x - start).unsqueeze(-1) * (torch.arange(half, dtype=x.dtype, device=x.device) * (2 * pi / period))
            return torch.cat([angle.cos(), angle[:, 1:].sin()], dim=-1)
        case ChebyshevAxis(start=start, end=end, n=n):
            return chebyshev_polynomials((2 * x - start - end) / (end - start), n)
        case PiecewiseChebyshevAxis(pieces=pieces):
            piece = torch.searchsorted(x.new_tensor(axis.breaks[1:-1]), x.detach().contiguous(), right=True)
            own = [(piece == k).to(x.dtype).unsqueeze(-1) for k in range(len(pieces))]
            ends = [x.detach().clamp(p.start, p.end) for p in pieces]  # no large values outside of a piece
            places = [torch.where(piece == k, x, e) for k, e in enumerate(ends)]
            return torch.cat([m * basis_functions(p, y) for m, p, y in zip(own, pieces, places, strict=True)], -1)
        case CellAxis():
            return _hat_functions(axis, x)
        case _:
            assert_never(axis)


def _hat_functions(axis: CellAxis, x: Tensor) -> Tensor:
    place = (x - axis.start) * (axis.n / (axis.end - axis.start)) - 0.5
    first = place.detach().floor().long()
    if not axis.periodic:
        first = first.clamp(0, axis.n - 2)
    fraction = (place - first).unsqueeze(-1)
    left, right = (torch.nn.functional.one_hot(k % axis.n, axis.n).to(x) for k in (first, first + 1))
    return (1 - fraction) * left + fraction * right


def expansion_coefficients(axis: Axis, values: Tensor, dim: int) -> Tensor:
    """The coefficients for values at the points of an axis; a Fourier axis has 2 half - 1 of them."""
    match axis:
        case FourierAxis():
            spectrum = torch.fft.rfft(values.contiguous(), dim=dim, norm="forward")
            rest = spectrum.narrow(dim, 1, axis.half - 1)
            return torch.cat([spectrum.real.narrow(dim, 0, 1), 2 * rest.real, -2 * rest.imag], dim=dim)
        case ChebyshevAxis():
            return chebyshev_coefficients(values, dim)
        case PiecewiseChebyshevAxis(n=n):
            return torch.cat([chebyshev_coefficients(part, dim) for part in torch.split(values, n, dim)], dim)
        case CellAxis():
            return values
        case _:
            assert_never(axis)


def differentiate_coefficients(axis: Axis, coefficients: Tensor, dim: int) -> Tensor:
    """The coefficients of the derivative along an axis; not for hat functions, which have none."""
    match axis:
        case FourierAxis(period=period, half=half):
            k = torch.arange(1, half, dtype=coefficients.dtype, device=coefficients.device) * (2 * pi / period)
            k = k.reshape(-1, *[1] * (coefficients.ndim - dim - 1))
            constant, cosines, sines = torch.split(coefficients, [1, half - 1, half - 1], dim)
            return torch.cat([torch.zeros_like(constant), k * sines, -k * cosines], dim)
        case ChebyshevAxis(start=start, end=end, n=n):
            k = torch.arange(n, dtype=coefficients.dtype, device=coefficients.device)
            odd = ((k - k[:, None]) % 2 == 1) & (k > k[:, None])
            matrix = torch.where(odd, 2 * k, 0.0)  # T′ₖ = 2k (Tₖ₋₁ + Tₖ₋₃ + …), with half of T₀
            matrix[0] /= 2
            product = torch.tensordot(matrix * (2 / (end - start)), coefficients, dims=([1], [dim]))
            return torch.movedim(product, 0, dim)
        case PiecewiseChebyshevAxis(n=n, pieces=pieces):
            parts = zip(pieces, torch.split(coefficients, n, dim), strict=True)
            return torch.cat([differentiate_coefficients(piece, part, dim) for piece, part in parts], dim)
        case CellAxis():
            raise NotImplementedError("hat functions have no derivatives")
        case _:
            assert_never(axis)


class TensorProductExpansion(nn.Module):
    """Values (T, c, K, …, K) at the points of axes and at times, as a function of points (p, d + 1), or (p, d)."""

    coefficients: Tensor
    times: Tensor

    def __init__(self, axes: tuple[Axis, ...], values: Tensor, times: Tensor | None, stencil: int = 8) -> None:
        super().__init__()
        coefficients = values
        for k, axis in enumerate(axes):
            coefficients = expansion_coefficients(axis, coefficients, k + 2)
        self.axes, self.timed, self.stencil = axes, times is not None, stencil
        self.register_buffer("coefficients", coefficients)
        self.register_buffer("times", values.new_zeros(1) if times is None else times)

    @property
    def has_derivatives(self) -> bool:
        return not any(isinstance(axis, CellAxis) for axis in self.axes)

    def forward(self, points: Tensor) -> Tensor:
        x = points.to(self.coefficients.dtype)
        functions = max(self.coefficients.shape[2:], default=1)
        parts = torch.split(x, max(1, MAX_BUFFER_SIZE // functions))
        return torch.cat([self._evaluate(part) for part in parts])

    def _evaluate(self, x: Tensor) -> Tensor:
        if not self.timed:
            return self._evaluate_in_space(self.coefficients, self._bases(x)).squeeze(1)
        return self.evaluate_at_times(x[:, :-1], x[:, -1])

    def evaluate_at_times(self, x: Tensor, t: Tensor) -> Tensor:
        """At points (p, d) and times (p,); gradients by the times do not involve the basis functions."""
        width = min(self.stencil, len(self.times))
        after = torch.searchsorted(self.times, t.detach().contiguous(), right=True)
        first = (after - width // 2).clamp(0, len(self.times) - width)
        near, order = first.sort()
        starts, counts = (k.tolist() for k in torch.unique_consecutive(near, return_counts=True))
        bases = [torch.split(basis, counts) for basis in self._bases(x[order])]  # points with common nodes in time
        blocks = [x.new_zeros(0, self.coefficients.shape[1])]
        for k, own, *parts in zip(starts, torch.split(t[order], counts), *bases, strict=True):
            weights = lagrange_weights(own, self.times[k : k + width].expand(len(own), width))
            values = self._evaluate_in_space(self.coefficients[k : k + width], parts)
            blocks.append((weights.unsqueeze(-1) * values).sum(1))
        return torch.cat(blocks)[order.argsort()]

    def _bases(self, x: Tensor) -> list[Tensor]:
        return [basis_functions(axis, x[:, k]) for k, axis in enumerate(self.axes)]

    def differentiate(self, orders: tuple[int, ...]) -> TensorProductExpansion:
        """∂^α in space."""
        coefficients = self.coefficients
        for k, (axis, order) in enumerate(zip(self.axes, orders, strict=True)):
            for _ in range(order):
                coefficients = differentiate_coefficients(axis, coefficients, k + 2)
        derivative = copy(self)
        derivative._buffers = {**self._buffers, "coefficients": coefficients}
        return derivative

    def fractional_laplacian(self, power: float) -> TensorProductExpansion:
        """(-Δ)ˢ of Fourier series: each mode times |κ|²ˢ."""
        squares = self.coefficients.new_zeros(())
        for k, axis in enumerate(self.axes):
            if not isinstance(axis, FourierAxis):
                raise NotImplementedError("a fractional Laplacian needs Fourier series along all axes")
            counts = torch.arange(axis.half, dtype=self.coefficients.dtype, device=self.coefficients.device)
            frequencies = torch.cat([counts, counts[1:]]) * (2 * pi / axis.period)
            squares = squares + frequencies.square().reshape([-1 if j == k else 1 for j in range(len(self.axes))])
        result = copy(self)
        result._buffers = {**self._buffers, "coefficients": self.coefficients * squares**power}
        return result

    def _evaluate_in_space(self, coefficients: Tensor, bases: list[Tensor]) -> Tensor:
        """(S, c, K, …) with the basis functions (p, K) of each axis: (p, S, c)."""
        most = max(1, MAX_BUFFER_SIZE // max(1, coefficients[..., 0].numel() if len(bases) > 1 else 1))
        parts = zip(*(torch.split(basis, most) for basis in bases), strict=True)
        return torch.cat([_contract(coefficients, list(part)) for part in parts])


def _contract(coefficients: Tensor, bases: list[Tensor]) -> Tensor:
    contracted: Tensor = torch.tensordot(bases[0], coefficients, dims=([1], [2]))  # (p, S, c, K₂, …)
    for basis in bases[1:]:
        contracted = torch.einsum("pk,psck...->psc...", basis, contracted)
    return contracted


# ---- Piecewise polynomials


class PiecewiseChebyshev(nn.Module):
    """Values (m, n, c) at the Chebyshev points of m intervals with ends (m + 1,), as a function of points (p, 1)."""

    coefficients: Tensor
    breaks: Tensor

    def __init__(self, breaks: Tensor, values: Tensor) -> None:
        super().__init__()
        self.register_buffer("breaks", breaks)
        self.register_buffer("coefficients", chebyshev_coefficients(values, 1))

    def forward(self, points: Tensor) -> Tensor:
        x = points[:, 0].to(self.coefficients.dtype)
        piece = torch.searchsorted(self.breaks, x.detach().contiguous(), right=True) - 1
        piece = piece.clamp(0, len(self.breaks) - 2)
        start, end = self.breaks[piece], self.breaks[piece + 1]
        basis = chebyshev_polynomials((2 * x - start - end) / (end - start), self.coefficients.shape[1])
        return (basis.unsqueeze(-1) * self.coefficients[piece]).sum(1)


# ---- Moving least squares: a weighted quadratic fit to the nearest scattered points


NEIGHBOURS = 14  # more than twice the 6 coefficients of a quadratic, so that the fit is well conditioned
POINTS_PER_CHUNK = 256  # bounds the memory of all pairwise distances


class MovingLeastSquares(nn.Module):
    """Points (m, 2) and values (m,); the error is of third order in their spacing h."""

    has_derivatives = False  # for the residuals of equations
    places: Tensor
    values: Tensor

    def __init__(self, places: Tensor, values: Tensor, h: float) -> None:
        super().__init__()
        self.h = h
        self.register_buffer("places", places)
        self.register_buffer("values", values)

    def forward(self, points: Tensor) -> Tensor:
        x = points.to(self.places.dtype)
        return torch.cat([self._at(part) for part in torch.split(x, POINTS_PER_CHUNK)]).unsqueeze(-1)

    def _at(self, x: Tensor) -> Tensor:
        center = x.detach()
        distances, near = torch.cdist(center, self.places).topk(NEIGHBOURS, largest=False)
        weights = 1 / (distances / self.h + 0.1)
        there = _monomials((self.places[near] - center[:, None]) / self.h) * weights[..., None]
        inverse: Tensor = torch.linalg.pinv(there, rtol=1e-10)
        fitted = inverse @ (self.values[near] * weights)[..., None]
        return (_monomials((x - center) / self.h) * fitted[..., 0]).sum(-1)


def _monomials(x: Tensor) -> Tensor:
    a, b = x[..., 0], x[..., 1]
    return torch.stack([torch.ones_like(a), a, b, a * a, a * b, b * b], dim=-1)
