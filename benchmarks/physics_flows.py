"""References of the flows in `physics/`: published tables, and numerical solutions independent of `pdedsl`. The
pressure is NaN, as these references do not have it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from physics_closed_forms import Array, stack
from physics_numerics import chebyshev, tensor_interpolant
from scipy.interpolate import RectBivariateSpline
from scipy.sparse import bmat, csr_matrix, diags, identity, kron, lil_matrix
from scipy.sparse.linalg import splu

# ---- Lid-driven cavity: u on x = ½ and v on y = ½

# Ghia's values belong to nodes, multiples of 1/128; Botella's and Peyret's to these numbers with four digits: u changes
# by up to 4e-4 between them.
GHIA_Y = np.array([7, 8, 9, 13, 22, 36, 58, 64, 79, 94, 109, 122, 123, 124, 125]) / 128
GHIA_X = np.array([8, 9, 10, 12, 20, 29, 30, 64, 103, 110, 116, 121, 122, 123, 124]) / 128
BOTELLA_Y = np.floor(GHIA_Y * 1e4 + 0.5) / 1e4
BOTELLA_X = np.floor(GHIA_X * 1e4 + 0.5) / 1e4

# Ghia, Ghia and Shin 1982, tables I and II
GHIA = {
    100: (
        "-0.03717 -0.04192 -0.04775 -0.06434 -0.10150 -0.15662 -0.21090 -0.20581 "
        "-0.13641 0.00332 0.23151 0.68717 0.73722 0.78871 0.84123",
        "0.09233 0.10091 0.10890 0.12317 0.16077 0.17507 0.17527 0.05454 "
        "-0.24533 -0.22445 -0.16914 -0.10313 -0.08864 -0.07391 -0.05906",
    ),
    3200: (
        "-0.32407 -0.35344 -0.37827 -0.41933 -0.34323 -0.24427 -0.086636 -0.04272 "
        "0.07156 0.19791 0.34682 0.46101 0.46547 0.48296 0.53236",
        "0.39560 0.40917 0.41906 0.42768 0.37119 0.29030 0.28188 0.00999 "
        "-0.31184 -0.37401 -0.44307 -0.54053 -0.52357 -0.47425 -0.39017",
    ),
}
# By `vorticity_table(3200, 128)`: eight values of Ghia's table, next to three walls, differ from them by 0.013 to 0.05.
DIFFERENCES_3200 = (
    "-0.35656 -0.38550 -0.40842 -0.43295 -0.34547 -0.24255 -0.08119 -0.03688 "
    "0.07720 0.20178 0.34813 0.46170 0.46532 0.48090 0.52764",
    "0.39608 0.41123 0.42240 0.43270 0.37717 0.29649 0.28811 0.01426 "
    "-0.31362 -0.37868 -0.44343 -0.56721 -0.56100 -0.51977 -0.43972",
)
# Botella and Peyret 1998, Computers and Fluids 27; their lid moves to the left
BOTELLA = (
    "-0.1812881 -0.2023300 -0.2228955 -0.3004561 -0.3885691 -0.2803696 -0.1081999 -0.0620561 "
    "0.0570178 0.1886747 0.3372212 0.4723329 0.5169277 0.5808359 0.6644227",
    "0.2807056 0.2962703 0.3099097 0.3330442 0.3769189 0.3339924 0.3253592 0.0257995 "
    "-0.3202137 -0.4264545 -0.5264392 -0.4103754 -0.3553213 -0.2936869 -0.2279225",
)


def cavity_table(reynolds: int) -> tuple[Array, Array]:
    """Places (n, 2) and values (u, v, p), NaN where the table has none."""
    y, x = (BOTELLA_Y, BOTELLA_X) if reynolds == 1000 else (GHIA_Y, GHIA_X)
    u, v = (np.array(c.split(), float) for c in {100: GHIA[100], 1000: BOTELLA, 3200: DIFFERENCES_3200}[reynolds])
    places = np.concatenate([stack(np.full(len(u), 0.5), y), stack(x, np.full(len(v), 0.5))])
    values = np.full((len(places), 3), np.nan)
    values[: len(u), 0], values[len(u) :, 1] = u, v
    return places, values


# ---- Lid-driven cavity by differences


@dataclass(frozen=True)
class VorticityFlow:
    """Stream function and vorticity at the nodes of a tensor grid, and the first differences along each axis."""

    axis: Array
    psi: Array
    omega: Array
    derivatives: tuple[csr_matrix, csr_matrix]

    def at(self, axis: Array) -> tuple[Array, Array]:
        psi, omega = (_spline(self.axis, f, 3)(axis, axis).ravel() for f in (self.psi, self.omega))
        return psi, omega

    def table(self, y: Array, x: Array) -> Array:
        """u on x = ½, then v on y = ½."""
        dx, dy = self.derivatives
        u, v = _spline(self.axis, dy @ self.psi, 5), _spline(self.axis, -dx @ self.psi, 5)
        half = np.full(len(x), 0.5)
        return np.concatenate([u(half, y, grid=False), v(x, half, grid=False)])


def _spline(axis: Array, values: Array, degree: int) -> RectBivariateSpline:
    return RectBivariateSpline(axis, axis, values.reshape(len(axis), -1), kx=degree, ky=degree)


def vorticity_flow(reynolds: float, n: int, start: VorticityFlow | None = None) -> VorticityFlow:
    """νΔω = ψ_y ω_x - ψ_x ω_y, Δψ = ω by central differences on a grid that is graded at the walls; ω on a wall is ψₙₙ
    of a polynomial of degree four with the given ψ and ψₙ there. Newton's method.
    """
    x = (1 + np.tanh(2 * np.linspace(-1, 1, n + 1)) / np.tanh(2)) / 2
    first, second = _central_differences(x)
    eye, size = identity(n + 1), (n + 1) ** 2
    dx, dy = kron(first, eye).tocsr(), kron(eye, first).tocsr()
    laplacian = (kron(second, eye) + kron(eye, second)).tocsr()
    index = np.arange(size).reshape(n + 1, n + 1)
    boundary = np.ones(size)
    boundary[index[1:-1, 1:-1]] = 0
    inner = diags(1 - boundary)
    distance = x[1:4]
    curvature = 2 * np.linalg.inv(stack(distance**2, distance**3, distance**4))[0]
    wall, lid = lil_matrix((size, size)), np.zeros(size)
    for side in (index, index[::-1], index.T, index.T[::-1]):
        for k in range(1, n):
            wall[side[0, k], side[1:4, k]] = curvature
    lid[index[1:-1, -1]] = curvature @ distance
    psi, omega = (np.zeros(size), np.zeros(size)) if start is None else start.at(x)
    for _ in range(20):
        px, py, wx, wy = dx @ psi, dy @ psi, dx @ omega, dy @ omega
        transport = (1 - boundary) * (laplacian @ omega / reynolds - py * wx + px * wy)
        residual = np.concatenate(
            [
                transport + boundary * (omega - lid) - wall @ psi,
                (1 - boundary) * (laplacian @ psi - omega) + boundary * psi,
            ]
        )
        by_psi = inner @ (diags(wy) @ dx - diags(wx) @ dy) - wall
        by_omega = inner @ (laplacian / reynolds - diags(py) @ dx + diags(px) @ dy) + diags(boundary)
        step = splu(bmat([[by_psi, by_omega], [inner @ laplacian + diags(boundary), -inner]], "csc")).solve(residual)
        psi, omega = psi - step[:size], omega - step[size:]
        if np.abs(step[:size]).max() < 1e-9:  # ψ is about 0.1; far below the errors of the differences
            return VorticityFlow(x, psi, omega, (dx, dy))
    raise ArithmeticError("Newton's method does not converge")


def _central_differences(x: Array) -> tuple[csr_matrix, csr_matrix]:
    """First and second derivatives at inner nodes, on three neighbouring ones; at the ends the first, on five."""
    first, second = lil_matrix((len(x),) * 2), lil_matrix((len(x),) * 2)
    for k in range(len(x)):
        own = slice(k - 1, k + 2) if 0 < k < len(x) - 1 else slice(0, 5) if k == 0 else slice(len(x) - 5, len(x))
        powers = np.vander(x[own] - x[k], increasing=True).T
        first[k, own] = np.linalg.solve(powers, np.eye(len(powers))[1])
        if 0 < k < len(x) - 1:
            second[k, own] = np.linalg.solve(powers, 2 * np.eye(len(powers))[2])
    return first.tocsr(), second.tocsr()


def vorticity_table(reynolds: float, n: int, y: Array = GHIA_Y, x: Array = GHIA_X) -> Array:
    """`VorticityFlow.table`, extrapolated from n and 2n intervals (Richardson), with continuation in Re."""
    flow = None
    for below in (100, 400, 1000, 2000):
        flow = vorticity_flow(below, 64, flow) if below < reynolds else flow
    coarse = vorticity_flow(reynolds, n, flow)
    low, high = coarse.table(y, x), vorticity_flow(reynolds, 2 * n, coarse).table(y, x)
    return high + (high - low) / 3


# ---- Smooth lid


@cache
def cavity_stream_function(n: int = 56) -> Callable[[Array], Array]:
    """Velocity of νΔ²ψ = ψ_y Δψ_x - ψ_x Δψ_y with ψ_y = 4x (1 - x) on the lid: Chebyshev collocation, Newton.
    ψ is given on the boundary, its normal derivative in the rows of the next points.
    """
    x, d = chebyshev(n, 0, 1)
    eye, index = np.eye(n + 1), np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    dx, dy = np.kron(d, eye), np.kron(eye, d)
    laplacian = np.kron(d @ d, eye) + np.kron(eye, d @ d)
    bilaplacian, lx, ly = laplacian @ laplacian, dx @ laplacian, dy @ laplacian
    boundary = np.concatenate([index[0], index[-1], index[1:-1, 0], index[1:-1, -1]])
    inner = index[1:-1, 1:-1]
    normal = [  # rows of the equations that are replaced, and the points whose normal derivative is given there
        (inner[:, 0], dy[index[1:-1, 0]], 0 * x[1:-1]),
        (inner[:, -1], dy[index[1:-1, -1]], 4 * x[1:-1] * (1 - x[1:-1])),
        (inner[0, 1:-1], dx[index[0, 2:-2]], 0 * x[2:-2]),
        (inner[-1, 1:-1], dx[index[-1, 2:-2]], 0 * x[2:-2]),
    ]
    psi = np.zeros((n + 1) ** 2)
    for _ in range(8):
        px, py, wx, wy = dx @ psi, dy @ psi, lx @ psi, ly @ psi
        residual = 0.01 * (bilaplacian @ psi) - py * wx + px * wy
        jacobian = 0.01 * bilaplacian - py[:, None] * lx - wx[:, None] * dy + px[:, None] * ly + wy[:, None] * dx
        jacobian[boundary], residual[boundary] = np.eye(len(psi))[boundary], psi[boundary]
        for rows, derivative, value in normal:
            jacobian[rows], residual[rows] = derivative, derivative @ psi - value
        step = np.linalg.solve(jacobian, residual)
        psi -= step
        if np.abs(step).max() < 1e-11:  # ψ is about 0.1: quadratic convergence has reached rounding
            break
    u, v = (tensor_interpolant(x, x, w.reshape(n + 1, n + 1)) for w in (dy @ psi, -dx @ psi))
    return lambda p: stack(u(p), v(p), np.full(len(p), np.nan))


def cavity_smooth(p: Array) -> Array:
    return cavity_stream_function()(p)
