"""References of the flows in `physics/`: published tables, and numerical solutions independent of `pdedsl`. The
pressure is NaN, as these references do not have it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from physics_closed_forms import Array, stack
from physics_numerics import chebyshev, tensor_interpolant

# ---- Lid-driven cavity: u on x = ½ and v on y = ½, at multiples of 1/128

GHIA_Y = np.array([7, 8, 9, 13, 22, 36, 58, 64, 79, 94, 109, 122, 123, 124, 125])
GHIA_X = np.array([8, 9, 10, 12, 20, 29, 30, 64, 103, 110, 116, 121, 122, 123, 124])
BOTELLA_X = np.array([8, 9, 10, 20, 29, 30, 64, 103, 110, 116, 121, 122, 123, 124])

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
# Botella and Peyret 1998, Computers and Fluids 27; their lid moves to the left
BOTELLA = (
    "-0.1812881 -0.2023300 -0.2228955 -0.3004561 -0.3885691 -0.2803696 -0.1081999 -0.0620561 "
    "0.0570178 0.1886747 0.3372212 0.4723329 0.5169277 0.5808359 0.6644227",
    "0.2807056 0.2962703 0.3099097 0.3769189 0.3339924 0.3253592 0.0257995 "
    "-0.3202137 -0.4264545 -0.5264392 -0.4103754 -0.3553213 -0.2936869 -0.2279225",
)


def cavity_table(reynolds: int) -> tuple[Array, Array]:
    """Places (n, 2) and values (u, v, p), NaN where the table has none."""
    columns, across = (BOTELLA, BOTELLA_X) if reynolds == 1000 else (GHIA[reynolds], GHIA_X)
    u, v = (np.array(c.split(), float) for c in columns)
    places = np.concatenate([stack(np.full(len(u), 0.5), GHIA_Y / 128), stack(across / 128, np.full(len(v), 0.5))])
    values = np.full((len(places), 3), np.nan)
    values[: len(u), 0], values[len(u) :, 1] = u, v
    return places, values


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
