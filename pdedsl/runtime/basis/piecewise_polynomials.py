"""Piecewise polynomials on a simplicial mesh: finite element functions of space, and of time by local interpolation.

An element is found from the nearest centroids. The reference coordinates ξ of a point x solve X(ξ) = x, where X is
affine or, for curved elements, of second degree (Newton's method). Points outside the mesh have the value NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np
import torch
from torch import Tensor, nn

TIME_NODES = 6  # of the interpolation between time steps, of one order more than the steps
CANDIDATES = (8, 48, 400)  # elements with the nearest centroids, in successive searches
NEWTON_STEPS = 8  # quadratic convergence from the affine part of a curved element
CURVED_CANDIDATES = 3  # elements for which Newton's method is used
INSIDE_TOL = 1e-9  # of barycentric coordinates: rounding
STRAIGHT_TOL = 1e-6  # of barycentric coordinates, for points on the boundary
CURVED_TOL = 0.1  # of barycentric coordinates: the exact boundary is at a distance of O(h³) from curved elements


def exponents(dimension: int, degree: int) -> tuple[tuple[int, ...], ...]:
    """Multi-indices of the monomials up to a degree."""
    return tuple(
        tuple(chosen.count(k) for k in range(dimension))
        for n in range(degree + 1)
        for chosen in combinations_with_replacement(range(dimension), n)
    )


def monomials(reference: Tensor, degree: int) -> Tensor:
    """(n, d) → (n, monomials)"""
    powers = [torch.ones_like(reference)]
    for _ in range(degree):
        powers.append(powers[-1] * reference)
    columns = []
    for alpha in exponents(reference.shape[1], degree):
        column = torch.ones_like(reference[:, 0])
        for k, n in enumerate(alpha):
            column = column * powers[n][:, k] if n else column
        columns.append(column)
    return torch.stack(columns, 1)


class PiecewisePolynomials(nn.Module):
    """Finite element functions, one for each component: maps points (n, d) or (n, d + 1) with time to values (n, c).

    Args:
        geometry: coefficients of the monomials in X(ξ), (cells, monomials, d), of degree one or two.
        degrees: degree of each component.
        shapes: for each degree the coefficients of monomials in every basis function, (functions, monomials).
        dofs: for each degree the numbers of the basis functions of every cell, (cells, functions).
        coefficients: of the basis functions of each component, (times, basis functions).
        times: of the coefficients, ascending; None for a stationary solution.
    """

    has_derivatives = False  # for the residuals of equations

    def __init__(
        self,
        geometry: Tensor,
        degrees: Sequence[int],
        shapes: dict[int, Tensor],
        dofs: dict[int, Tensor],
        coefficients: Sequence[Tensor],
        times: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.degrees, self.timed = tuple(degrees), times is not None
        self.register_buffer("geometry", geometry)
        for p in sorted(set(degrees)):
            self.register_buffer(f"shapes_{p}", shapes[p])
            self.register_buffer(f"dofs_{p}", dofs[p])
        for c, values in enumerate(coefficients):
            self.register_buffer(f"coefficients_{c}", values)
        if times is not None:
            self.register_buffer("times", times)

    def forward(self, points: Tensor) -> Tensor:
        geometry = self.get_buffer("geometry")
        d, x = geometry.shape[2], points.to(geometry)
        cells, reference, inside = self._locate(x[:, :d].detach().cpu().double().numpy())
        cell = torch.from_numpy(cells).to(geometry.device)
        xi = self._differentiable(x[:, :d], cell, torch.from_numpy(reference).to(geometry))
        window, weights = self._time_weights(x[:, d]) if self.timed else (None, None)
        values = []
        for c, p in enumerate(self.degrees):
            basis = monomials(xi, p) @ self.get_buffer(f"shapes_{p}").T  # (n, functions)
            dofs, coefficients = self.get_buffer(f"dofs_{p}")[cell], self.get_buffer(f"coefficients_{c}")
            if window is None or weights is None:
                local = coefficients[0][dofs]
            else:
                local = (coefficients[window[:, :, None], dofs[:, None, :]] * weights[:, :, None]).sum(1)
            values.append((basis * local).sum(1))
        result = torch.stack(values, 1)
        outside = ~torch.from_numpy(inside).to(geometry.device)
        return torch.where(outside[:, None], torch.nan, result).to(points.dtype)

    def locate(self, points: Tensor) -> np.ndarray:
        """The numbers of the cells that contain points (n, d), (n,)."""
        return self._locate(points.detach().cpu().double().numpy())[0]

    def contains(self, points: Tensor) -> Tensor:
        """Whether points (n, d) lie in the mesh, up to rounding, (n,)."""
        inside = self._locate(points.detach().cpu().double().numpy())[2]
        return torch.from_numpy(inside).to(points.device)

    # ---- Time

    def _time_weights(self, t: Tensor) -> tuple[Tensor, Tensor]:
        """Numbers of the nearest times, (n, k), and their Lagrange polynomials."""
        times = self.get_buffer("times")
        k = min(TIME_NODES, len(times))
        first = (torch.searchsorted(times, t.detach().contiguous()) - k // 2).clamp(0, len(times) - k)
        window = first[:, None] + torch.arange(k, device=times.device)
        nodes = times[window]
        difference = t[:, None, None] - nodes[:, None, :]  # to the other nodes, for each node
        spacing = nodes[:, :, None] - nodes[:, None, :]
        diagonal = torch.eye(k, dtype=torch.bool, device=times.device)
        ratio = torch.where(diagonal, 1.0, difference / torch.where(diagonal, 1.0, spacing))
        return window, ratio.prod(2)

    # ---- Space

    @cached_property
    def _search(self) -> tuple[object, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """k-d tree of centroids; origin and inverse Jacobian of every straight cell; all coefficients; curved cells."""
        from scipy.spatial import cKDTree

        geometry = self.get_buffer("geometry").detach().cpu().double().numpy()
        d = geometry.shape[2]
        corners = _straight_corners(geometry)
        jacobian = (corners[:, 1:] - corners[:, :1]).transpose(0, 2, 1)
        straight = np.concatenate([corners[:, :1], jacobian.transpose(0, 2, 1)], 1)
        deviation = np.abs(geometry[:, 1 + d :]).max(axis=(1, 2), initial=0.0)
        curved = deviation > 1e-12 * np.abs(jacobian).max(axis=(1, 2))
        return cKDTree(corners.mean(1)), straight[:, 0], np.linalg.inv(jacobian), geometry, curved

    def _locate(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Cells (n,), reference coordinates (n, d), and whether the points lie in the mesh."""
        tree, origins, inverses, geometry, curved = self._search
        n, d = x.shape
        cells, reference, margin = np.zeros(n, dtype=np.int64), np.zeros((n, d)), np.full(n, -np.inf)
        todo = np.arange(n)
        finite = np.isfinite(x).all(1)
        todo = todo[finite]
        for count in CANDIDATES:
            if not len(todo):
                break
            k = min(count, len(geometry))
            near = tree.query(x[todo], k)[1].reshape(len(todo), k)  # type: ignore[attr-defined]
            xi = np.einsum("nkij,nkj->nki", inverses[near], x[todo, None] - origins[near])
            margins = _margin(xi)
            best = margins.argmax(1)
            self._improve(todo, near, xi, margins, best[:, None], cells, reference, margin)
            is_near_curve = curved[near].any(1)
            if is_near_curve.any():
                rows = np.flatnonzero(is_near_curve)
                chosen = np.argsort(-margins[rows], axis=1)[:, :CURVED_CANDIDATES]
                margin[todo[rows]] = -np.inf
                own = np.take_along_axis(near[rows], chosen, 1)
                start = np.take_along_axis(xi[rows], chosen[..., None], 1)
                solved = _invert(geometry[own], start, x[todo[rows]])
                ranks = _margin(solved)
                self._improve(todo[rows], own, solved, ranks, ranks.argmax(1)[:, None], cells, reference, margin)
            todo = todo[margin[todo] < -INSIDE_TOL]
        return cells, reference, margin >= -(CURVED_TOL if curved.any() else STRAIGHT_TOL)

    @staticmethod
    def _improve(
        rows: np.ndarray,
        near: np.ndarray,
        xi: np.ndarray,
        margins: np.ndarray,
        best: np.ndarray,
        cells: np.ndarray,
        reference: np.ndarray,
        margin: np.ndarray,
    ) -> None:
        """Stores the best candidates of points, where they are better than before."""
        value = np.take_along_axis(margins, best, 1)[:, 0]
        better = value > margin[rows]
        at = rows[better]
        cells[at] = np.take_along_axis(near, best, 1)[better, 0]
        reference[at] = np.take_along_axis(xi, best[..., None], 1)[better, 0]
        margin[at] = value[better]

    def _differentiable(self, x: Tensor, cell: Tensor, reference: Tensor) -> Tensor:
        """ξ as a function of x, by one step of Newton's method from its value."""
        geometry = self.get_buffer("geometry")[cell]
        degree = 1 if geometry.shape[1] == geometry.shape[2] + 1 else 2
        position = (monomials(reference, degree)[:, :, None] * geometry).sum(1)
        jacobian = _position_jacobian(geometry, reference, degree)
        step: Tensor = torch.linalg.solve(jacobian, x - position)
        return reference + step


def map_to_cells(geometry: Tensor, reference: Tensor) -> tuple[Tensor, Tensor]:
    """Images of reference points (q, d) in all cells, (cells, q, d), and Jacobian determinants, (cells, q)."""
    (cells, m, d), q = geometry.shape, len(reference)
    degree = 1 if m == d + 1 else 2
    images = torch.einsum("qm,cmd->cqd", monomials(reference, degree), geometry)
    repeated, points = geometry.repeat_interleave(q, 0), reference.repeat(cells, 1)
    determinants: Tensor = torch.linalg.det(_position_jacobian(repeated, points, degree))
    return images, determinants.reshape(cells, q)


def _straight_corners(geometry: np.ndarray) -> np.ndarray:
    """(cells, d + 1, d): images of the corners of the reference simplex."""
    d = geometry.shape[2]
    corners = torch.from_numpy(np.concatenate([np.zeros((1, d)), np.eye(d)]))
    degree = 1 if geometry.shape[1] == d + 1 else 2
    values: np.ndarray = np.einsum("vm,cmd->cvd", monomials(corners, degree).numpy(), geometry)
    return values


def _position_jacobian(geometry: Tensor, reference: Tensor, degree: int) -> Tensor:
    """∂X/∂ξ, (n, d, d)"""
    d = reference.shape[1]
    columns = []
    for k in range(d):
        derivative = [
            alpha[k]
            * reference.new_ones(len(reference))
            * torch.stack(
                [reference[:, i] ** (n - (i == k)) for i, n in enumerate(alpha) if n - (i == k) > 0]
                or [torch.ones_like(reference[:, 0])]
            ).prod(0)
            for alpha in exponents(d, degree)
        ]
        columns.append((torch.stack(derivative, 1)[:, :, None] * geometry).sum(1))
    return torch.stack(columns, 2)


def _invert(geometry: np.ndarray, start: np.ndarray, x: np.ndarray) -> np.ndarray:
    """ξ with X(ξ) = x for candidates: geometry (n, k, m, d), start (n, k, d), x (n, d)."""
    n, k, m, d = geometry.shape
    cells = torch.from_numpy(geometry.reshape(n * k, m, d))
    xi = torch.from_numpy(start.reshape(n * k, d).copy()).clamp(-1.0, 2.0)
    target = torch.from_numpy(np.repeat(x, k, axis=0))
    for _ in range(NEWTON_STEPS):
        position = (monomials(xi, 2)[:, :, None] * cells).sum(1)
        jacobian = _position_jacobian(cells, xi, 2)
        xi = xi + torch.linalg.lstsq(jacobian, (target - position)[:, :, None]).solution[..., 0]
        xi = xi.clamp(-3.0, 4.0)  # candidates that do not contain the point may diverge
    result: np.ndarray = xi.reshape(n, k, d).numpy()
    return result


def _margin(xi: np.ndarray) -> np.ndarray:
    """The smallest barycentric coordinate: nonnegative inside a simplex."""
    margin: np.ndarray = np.minimum(xi.min(-1), 1 - xi.sum(-1))
    return margin
