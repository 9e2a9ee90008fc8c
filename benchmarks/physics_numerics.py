"""Numerical references of the problems in `physics/`, independent of `pdedsl`: Fourier and Chebyshev methods, Trefftz
bases, scikit-fem. Functions of points as in `physics_closed_forms.py`; in time the points lie on the levels T j / 10.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray
from physics_closed_forms import Array, stack

Complex = NDArray[np.complex128]
LEVELS = 10


def by_level(p: Array, end: float, snapshots: Sequence[Callable[[Array], Array]]) -> Array:
    """Values of u(·, T j / 10) at the points of each level j = 1, …, 10."""
    level = np.rint(p[:, -1] / end * LEVELS).astype(int)
    assert np.allclose(level * end / LEVELS, p[:, -1])
    assert level.min() > 0
    values = [(at, snapshots[j - 1](p[at, :-1])) for j in range(1, LEVELS + 1) for at in [np.flatnonzero(level == j)]]
    total = np.empty((len(p), *values[0][1].shape[1:]))
    for at, value in values:
        total[at] = value
    return total


# ---- Fourier series, ETDRK4 (Cox and Matthews 2002, Kassam and Trefethen 2005)


def etdrk4(
    symbol: Complex, nonlinear: Callable[[Complex], Complex], start: Complex, step: float, per_level: int
) -> list[Complex]:
    """û at the levels of û′ = Lû + N(û), `per_level` steps between two of them."""
    circle = np.exp(2j * pi * (np.arange(1, 65) - 0.5) / 64)  # all of it: the symbol may be complex
    z = step * symbol[..., None] + circle
    half, whole = np.exp(step * symbol / 2), np.exp(step * symbol)
    q = step * ((np.exp(z / 2) - 1) / z).mean(-1)
    f1 = step * ((-4 - z + np.exp(z) * (4 - 3 * z + z**2)) / z**3).mean(-1)
    f2 = step * ((2 + z + np.exp(z) * (z - 2)) / z**3).mean(-1)
    f3 = step * ((-4 - 3 * z - z**2 + np.exp(z) * (4 - z)) / z**3).mean(-1)
    if np.isrealobj(symbol):
        q, f1, f2, f3 = q.real, f1.real, f2.real, f3.real
    u, levels = start, []
    for k in range(LEVELS * per_level):
        nu = nonlinear(u)
        a = half * u + q * nu
        na = nonlinear(a)
        b = half * u + q * na
        nb = nonlinear(b)
        nc = nonlinear(half * a + q * (2 * nb - nu))
        u = whole * u + f1 * nu + 2 * f2 * (na + nb) + f3 * nc
        if (k + 1) % per_level == 0:
            levels.append(u)
    return levels


def fourier_interpolant(coefficients: Complex, start: float, length: float) -> Callable[[Array], Array]:
    """Σ ûₖ e^(2πik(x - start)/length), coefficients of `fft` along the last axes, one for each coordinate."""

    def at(p: Array) -> Array:
        bases = []
        for column, n in zip(p.T, coefficients.shape[-p.shape[1] :], strict=True):
            k = np.fft.fftfreq(n, 1 / n)
            bases.append(np.exp(2j * pi * (column[:, None] - start) / length * k) / n)
        letters = "xy"[: p.shape[1]]
        product = f"...{letters}," + ",".join(f"p{c}" for c in letters) + "->p..."
        return np.einsum(product, coefficients, *bases, optimize=True)  # type: ignore[no-any-return]

    return at


def wave_numbers(n: int, length: float) -> Array:
    return 2 * pi * np.fft.fftfreq(n, 1 / n) / length


def _real_snapshots(levels: list[Complex], start: float, length: float) -> list[Callable[[Array], Array]]:
    parts = [fourier_interpolant(level, start, length) for level in levels]
    return [lambda p, f=f: f(p).real for f in parts]  # type: ignore[misc]


@cache
def _kdv() -> list[Callable[[Array], Array]]:
    n, k = 512, wave_numbers(512, 2)
    k[n // 2] = 0
    x = -1 + 2 * np.arange(n) / n
    levels = etdrk4(
        1j * 0.022**2 * k**3,
        lambda v: -0.5j * k * np.fft.fft(np.fft.ifft(v).real ** 2),
        np.fft.fft(np.cos(pi * x)),
        2e-4,
        500,
    )
    return _real_snapshots(levels, -1, 2)


def kdv(p: Array) -> Array:
    return by_level(p, 1, _kdv())


@cache
def _kuramoto_sivashinsky() -> list[Callable[[Array], Array]]:
    n, length = 512, 32 * pi
    k = wave_numbers(n, length)
    k[n // 2] = 0
    x = length * np.arange(n) / n
    start = np.fft.fft(np.cos(x / 16) * (1 + np.sin(x / 16)))
    levels = etdrk4(k**2 - k**4, lambda v: -0.5j * k * np.fft.fft(np.fft.ifft(v).real ** 2), start, 0.01, 500)
    return _real_snapshots(levels, 0, length)


def kuramoto_sivashinsky(p: Array) -> Array:
    return by_level(p, 50, _kuramoto_sivashinsky())


@cache
def _cahn_hilliard() -> list[Callable[[Array], Array]]:
    n = 256
    k = wave_numbers(n, 2)
    x = -1 + 2 * np.arange(n) / n
    start = np.fft.fft(np.cos(pi * x) - np.cos(2 * pi * x) / 2)

    def nonlinear(v: Complex) -> Complex:  # Δ(u³ - u) = Δ(u³ - 3u) + 2Δu, whose first part is not stiff near u = ±1
        u = np.fft.ifft(v).real
        return -(k**2) * np.fft.fft(u**3 - 3 * u)

    return _real_snapshots(etdrk4(-2 * k**2 - 1e-3 * k**4, nonlinear, start, 2e-5, 5000), -1, 2)


def cahn_hilliard(p: Array) -> Array:
    return by_level(p, 1, _cahn_hilliard())


@cache
def _allen_cahn_periodic() -> list[Callable[[Array], Array]]:
    n = 1024
    k = wave_numbers(n, 2)
    x = -1 + 2 * np.arange(n) / n
    start = np.fft.fft(x**2 * np.cos(pi * x))
    levels = etdrk4(5 - 1e-4 * k**2, lambda v: -5 * np.fft.fft(np.fft.ifft(v).real ** 3), start, 1e-3, 100)
    return _real_snapshots(levels, -1, 2)


def allen_cahn_periodic(p: Array) -> Array:
    return by_level(p, 1, _allen_cahn_periodic())


@cache
def _nonlinear_schroedinger() -> list[Callable[[Array], Array]]:
    n = 512
    k = wave_numbers(n, 10)
    x = -5 + 10 * np.arange(n) / n

    def nonlinear(v: Complex) -> Complex:
        h = np.fft.ifft(v)
        return 1j * np.fft.fft(np.abs(h) ** 2 * h)

    levels = etdrk4(-0.5j * k**2, nonlinear, np.fft.fft(2 / np.cosh(x)), 1.5e-4, 1000)
    parts = [fourier_interpolant(level, -5, 10) for level in levels]
    return [lambda p, f=f: stack(f(p).real, f(p).imag) for f in parts]  # type: ignore[misc]


def nonlinear_schroedinger(p: Array) -> Array:
    return by_level(p, 1.5, _nonlinear_schroedinger())


@cache
def _gray_scott() -> list[Callable[[Array], Array]]:
    """The difference to 256 points per axis is 2e-5; the last coefficients are 2e-6 of the largest."""
    n = 384
    k = wave_numbers(n, 2)
    square = k[:, None] ** 2 + k**2
    x = (-1 + 2 * np.arange(n) / n)[:, None]
    y = x.T
    u = 1 - np.exp(-80 * ((x + 0.05) ** 2 + (y + 0.02) ** 2))
    v = np.exp(-80 * ((x - 0.05) ** 2 + (y - 0.02) ** 2))
    symbol = np.stack([-1e-5 * square - 0.04, -5e-6 * square - 0.1])

    def nonlinear(w: Complex) -> Complex:
        a, b = np.fft.ifft2(w).real
        both = np.fft.fft2(a * b**2)
        total = np.stack([-both, both])
        total[0, 0, 0] += 0.04 * n * n
        return total

    return _real_snapshots(etdrk4(symbol, nonlinear, np.fft.fft2(np.stack([u, v])), 0.5, 10), -1, 2)


def gray_scott(p: Array) -> Array:
    return by_level(p, 50, _gray_scott())


# ---- Sine and cosine series


@cache
def _heat_long_time() -> list[Callable[[Array], Array]]:
    """Sine series; u is odd about the multiples of ¼ in x, so that only sin(4πjx) occur."""
    from scipy.fft import dstn, idstn

    nx, ny = 32, 128
    x, y = (np.arange(1, nx) / nx / 4)[:, None], np.arange(1, ny) / ny
    modes = 4 * np.arange(1, nx)[:, None], np.arange(1, ny)
    symbol = -0.001 * pi**2 * (modes[0] ** 2 + modes[1] ** 2)
    profile, time, per_level = 5 * np.sin(4 * pi * x) * np.sin(2 * pi * y), [0.0], 1000
    step = 100 / LEVELS / per_level
    calls = [0]

    def nonlinear(v: Array) -> Array:
        stage = calls[0] % 4
        t = time[0] + step * (0.0, 0.5, 0.5, 1.0)[stage]
        calls[0] += 1
        if stage == 3:
            time[0] += step
        u = idstn(v, type=1)
        return dstn(np.sin(u**2) * (1 + 2 * np.sin(pi * t / 4)) * profile, type=1)  # type: ignore[no-any-return]

    start = dstn(np.sin(4 * pi * x) * np.sin(3 * pi * y), type=1)
    levels = etdrk4(symbol, nonlinear, start, step, per_level)  # type: ignore[arg-type]

    def at(c: Array) -> Callable[[Array], Array]:
        def values(p: Array) -> Array:
            a = np.sin(pi * p[:, :1] * modes[0].T)
            b = np.sin(pi * p[:, 1:] * modes[1])
            return np.einsum("px,xy,py->p", a, c, b, optimize=True) / (nx * ny)  # type: ignore[no-any-return]

        return values

    return [at(c.real) for c in levels]


def heat_long_time(p: Array) -> Array:
    return by_level(p, 100, _heat_long_time())


@cache
def _wave_heterogeneous() -> list[Callable[[Array], Array]]:
    """Cosine series at midpoints; u is even in y. Leapfrog of order 4: u⁺ - 2u + u⁻ = τ²Au + τ⁴/12 A²u."""
    from scipy.fft import dctn, idctn

    nx, ny, per_level = 256, 128, 160
    x, y = (-1 + (2 * np.arange(nx) + 1) / nx)[:, None], (np.arange(ny) + 0.5) / ny
    kx, ky = pi / 2 * np.arange(nx)[:, None], pi * np.arange(ny)
    speed, square = 1 + 0.5 * np.cos(pi * x) * np.cos(pi * y), -(kx**2 + ky**2)

    def apply(u: Array) -> Array:
        return speed * idctn(square * dctn(u))  # type: ignore[no-any-return]

    step = 5 / LEVELS / per_level
    u = np.exp(-((x + 0.5) ** 2 + y**2) / 0.18)
    au = apply(u)
    before, levels = u, []
    u = u + step**2 / 2 * au + step**4 / 24 * apply(au)
    for k in range(1, LEVELS * per_level + 1):
        if k % per_level == 0:
            levels.append(dctn(u) / (4 * nx * ny))
        au = apply(u)
        before, u = u, 2 * u - before + step**2 * au + step**4 / 12 * apply(au)

    def at(c: Array) -> Callable[[Array], Array]:
        c = c * np.where(kx > 0, 2, 1) * np.where(ky > 0, 2, 1)

        def values(p: Array) -> Array:
            a, b = np.cos((p[:, :1] + 1) * kx.T), np.cos(p[:, 1:] * ky)
            return np.einsum("px,xy,py->p", a, c, b, optimize=True)  # type: ignore[no-any-return]

        return values

    return [at(c) for c in levels]


def wave_heterogeneous(p: Array) -> Array:
    return by_level(p, 5, _wave_heterogeneous())


# ---- Chebyshev collocation


def chebyshev(n: int, start: float, end: float) -> tuple[Array, Array]:
    """Points in ascending order and the differentiation matrix (Trefethen 2000)."""
    x = -np.cos(pi * np.arange(n + 1) / n)
    c = np.where((np.arange(n + 1) % n) == 0, 2.0, 1.0) * (-1.0) ** np.arange(n + 1)
    d = np.outer(c, 1 / c) / (x[:, None] - x + np.eye(n + 1))
    d -= np.diag(d.sum(1))
    scale = (end - start) / 2
    return start + scale * (x + 1), d / scale


def barycentric(nodes: Array, at: Array) -> Array:
    """Matrix of interpolation from Chebyshev points to `at`."""
    n = len(nodes) - 1
    w = (-1.0) ** np.arange(n + 1) * np.where((np.arange(n + 1) % n) == 0, 0.5, 1.0)
    gap = at[:, None] - nodes
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = w / gap
        matrix = terms / terms.sum(1, keepdims=True)
    hits = np.isclose(gap, 0, atol=1e-15)
    matrix[hits.any(1)] = hits[hits.any(1)]
    return matrix  # type: ignore[no-any-return]


def tensor_interpolant(x: Array, y: Array, values: Array) -> Callable[[Array], Array]:
    return lambda p: np.einsum("px,xy,py->p", barycentric(x, p[:, 0]), values, barycentric(y, p[:, 1]), optimize=True)


@cache
def _allen_cahn() -> list[Callable[[Array], Array]]:
    from scipy.integrate import solve_ivp

    x, d = chebyshev(320, -1, 1)
    second = 0.001 * (d @ d)[1:-1]

    def full(v: Array) -> Array:
        return np.concatenate([[-1.0], v, [-1.0]])

    def rate(_: float, v: Array) -> Array:
        return second @ full(v) + 5 * (v - v**3)  # type: ignore[no-any-return]

    start = (x**2 * np.cos(pi * x))[1:-1]
    times = np.arange(1, LEVELS + 1) / LEVELS
    jacobian = lambda _, v: second[:, 1:-1] + np.diag(5 - 15 * v**2)  # noqa: E731
    run = solve_ivp(rate, (0, 1), start, "Radau", times, rtol=1e-9, atol=1e-11, jac=jacobian)
    return [lambda p, v=v: barycentric(x, p[:, 0]) @ full(v) for v in run.y.T]  # type: ignore[misc]


def allen_cahn(p: Array) -> Array:
    return by_level(p, 1, _allen_cahn())


@cache
def _bratu_2d() -> Callable[[Array], Array]:
    x, d = chebyshev(32, 0, 1)
    second, eye = (d @ d)[1:-1, 1:-1], np.eye(31)
    laplacian, u = np.kron(second, eye) + np.kron(eye, second), np.zeros(31 * 31)
    for _ in range(12):
        u -= np.linalg.solve(laplacian + np.diag(5 * np.exp(u)), laplacian @ u + 5 * np.exp(u))
    return tensor_interpolant(x, x, np.pad(u.reshape(31, 31), 1))


def bratu_2d(p: Array) -> Array:
    return _bratu_2d()(p)


def _divergence_form(d: Array, coefficient: Array) -> Array:
    """∇·(a∇) on the tensor grid."""
    eye, a = np.eye(len(d)), coefficient.ravel()[:, None]
    dx, dy = np.kron(d, eye), np.kron(eye, d)
    return dx @ (a * dx) + dy @ (a * dy)  # type: ignore[no-any-return]


@cache
def _poisson_many_area() -> Callable[[Array], Array]:
    n = 56
    x, d = chebyshev(n, -10, 10)
    s, c = np.sin(pi * x / 4), np.cos(pi * x / 4)
    double = np.sin(pi * x / 2)
    matrix = -_divergence_form(d, np.exp(np.outer(s, s)))
    right = 1 + s[:, None] + c + np.outer(double, double)
    eye, index = np.eye(n + 1), np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    dx, dy = np.kron(d, eye), np.kron(eye, d)
    outer = ((index[0], -dx), (index[-1], dx), (index[1:-1, 0], -dy), (index[1:-1, -1], dy))
    for rows, normal in outer:
        matrix[rows] = normal[rows]
        matrix[rows, rows] += 1
        right.ravel()[rows] = 0
    return tensor_interpolant(x, x, np.linalg.solve(matrix, right.ravel()).reshape(n + 1, n + 1))


def poisson_many_area(p: Array) -> Array:
    return _poisson_many_area()(p)


@cache
def _darcy() -> Callable[[Array], Array]:
    n = 40
    x, d = chebyshev(n, 0, 1)
    k = np.exp(np.outer(np.sin(2 * pi * x), np.cos(pi * x)))
    inside = np.zeros((n + 1, n + 1), bool)
    inside[1:-1, 1:-1] = True
    rows, pressure = np.flatnonzero(inside), np.zeros((n + 1, n + 1))
    pressure.ravel()[rows] = np.linalg.solve(-_divergence_form(d, k)[np.ix_(rows, rows)], np.ones(len(rows)))
    parts = [tensor_interpolant(x, x, v) for v in (-k * (d @ pressure), -k * (pressure @ d.T), pressure)]
    return lambda p: stack(*(f(p) for f in parts))


def darcy(p: Array) -> Array:
    return _darcy()(p)


@cache
def _heat_varying() -> list[Callable[[Array], Array]]:
    """u′ = Au + g sin πt: diagonalised, each mode integrated in closed form."""
    n = 30
    x, d = chebyshev(n, 0, 1)
    inside = np.zeros((n + 1, n + 1), bool)
    inside[1:-1, 1:-1] = True
    rows = np.flatnonzero(inside)
    a = 1 + 0.5 * np.outer(np.sin(2 * pi * x), np.sin(2 * pi * x))
    values, vectors = np.linalg.eig(_divergence_form(d, a)[np.ix_(rows, rows)])
    source = 200 * np.outer(np.sin(pi * x), np.sin(5 * pi * x)).ravel()[rows]
    weights = np.linalg.solve(vectors, source.astype(complex))

    def at(t: float) -> Callable[[Array], Array]:
        # ∫ e^(λ(t - s)) sin πs ds = (π e^(λt) - π cos πt - λ sin πt)/(λ² + π²)
        factor = (pi * np.exp(values * t) - pi * np.cos(pi * t) - values * np.sin(pi * t)) / (values**2 + pi**2)
        u = np.zeros((n + 1, n + 1))
        u.ravel()[rows] = (vectors @ (weights * factor)).real
        return tensor_interpolant(x, x, u)

    return [at(5 * j / LEVELS) for j in range(1, LEVELS + 1)]


def heat_varying(p: Array) -> Array:
    return by_level(p, 5, _heat_varying())


@cache
def _plate_clamped() -> Callable[[Array], Array]:
    """Trefethen 2000, program 39: u = (1 - x²)(1 - y²) q, on [-1, 1]² with load 1/16."""
    n = 36
    x, d = chebyshev(n, -1, 1)
    s = np.diag(np.concatenate([[0], 1 / (1 - x[1:-1] ** 2), [0]]))
    d2 = d @ d
    d4 = ((np.diag(1 - x**2) @ d2 @ d2 - 8 * np.diag(x) @ d2 @ d - 12 * d2) @ s)[1:-1, 1:-1]
    inner, eye = d2[1:-1, 1:-1], np.eye(n - 1)
    matrix = np.kron(eye, d4) + np.kron(d4, eye) + 2 * np.kron(inner, eye) @ np.kron(eye, inner)
    u = np.linalg.solve(matrix, np.full((n - 1) ** 2, 1 / 16)).reshape(n - 1, n - 1)
    return tensor_interpolant((x + 1) / 2, (x + 1) / 2, np.pad(u, 1))


def plate_clamped(p: Array) -> Array:
    return _plate_clamped()(p)


# ---- Ordinary differential equations


def _initial_value(
    p: Array, rate: Callable[[float, Array], Sequence[float]], start: Sequence[float], method: str = "DOP853"
) -> Array:
    from scipy.integrate import solve_ivp

    run = solve_ivp(
        rate,
        (0, p[:, 0].max() + 1e-12),
        start,
        method,
        rtol=1e-12 if method == "DOP853" else 1e-10,
        atol=1e-14,
        dense_output=True,
    )
    return run.sol(p[:, 0]).T  # type: ignore[no-any-return]


def lotka_volterra(p: Array) -> Array:
    return _initial_value(
        p, lambda _, u: [20 * (2 * u[0] - 0.04 * u[0] * u[1]), 20 * (0.02 * u[0] * u[1] - 1.06 * u[1])], [100, 15]
    )


def lorenz(p: Array) -> Array:
    def rate(_: float, u: Array) -> Sequence[float]:
        return [10 * (u[1] - u[0]), u[0] * (15 - u[2]) - u[1], u[0] * u[1] - 8 / 3 * u[2]]

    return _initial_value(p, rate, [-8, 7, 27])


def robertson(p: Array) -> Array:
    def rate(_: float, u: Array) -> Sequence[float]:
        first, second = -0.04 * u[0] + 1e4 * u[1] * u[2], 3e7 * u[1] ** 2
        return [first, -first - second, second]

    return _initial_value(p, rate, [1, 0, 0], "Radau")


def van_der_pol(p: Array) -> Array:
    return _initial_value(p, lambda _, u: [u[1], 5 * (1 - u[0] ** 2) * u[1] - u[0]], [2, 0])[:, 0]


@cache
def _blasius() -> Callable[[Array], Array]:
    """Shooting for f″(0)."""
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq

    def run(curvature: float) -> Callable[[Array], Array]:
        rate = lambda _, f: [f[1], f[2], -f[0] * f[2] / 2]  # noqa: E731
        return solve_ivp(rate, (0, 10), [0, 0, curvature], "DOP853", rtol=1e-13, atol=1e-14, dense_output=True).sol  # type: ignore[no-any-return]

    right = np.array([10.0])
    return run(brentq(lambda c: run(c)(right)[1, 0] - 1, 0.3, 0.4, xtol=1e-14))


def blasius(p: Array) -> Array:
    return _blasius()(p[:, 0])[0]


# ---- Trefftz bases: solutions of the equation, conditions by least squares


Circle = tuple[float, float, float]


def circle_points(circle: Circle, count: int) -> tuple[Array, Array]:
    """Points and unit vectors to the centre, the outward normals of the domain."""
    angle = 2 * pi * (np.arange(count) + 0.5) / count
    ray = stack(np.cos(angle), np.sin(angle))
    return np.array(circle[:2]) + circle[2] * ray, -ray


def rectangle_points(a: float, b: float, c: float, d: float, count: int) -> tuple[Array, Array]:
    s = (1 - np.cos(pi * (np.arange(count) + 0.5) / count)) / 2  # clustered at the corners
    x, y, o, i = a + (b - a) * s, c + (d - c) * s, np.zeros(count), np.ones(count)
    points = [stack(x, o + c), stack(x, o + d), stack(o + a, y), stack(o + b, y)]
    normals = [stack(o, -i), stack(o, i), stack(-i, o), stack(i, o)]
    return np.concatenate(points), np.concatenate(normals)


def images(circles: Sequence[Circle], half: float) -> list[Circle]:
    """The circles and their reflections at the sides and corners of [-half, half]² that are near it: u is continued by
    odd reflection, so that its singularities outside are there."""
    total = []
    for x, y, r in circles:
        across = [(x, y), (2 * half - x, y), (-2 * half - x, y)]
        places = {(a, b) for a, _ in across for b in (y, 2 * half - y, -2 * half - y)}
        total += [(a, b, r) for a, b in sorted(places) if max(abs(a), abs(b)) - r < 1.7 * half]
    return total


def harmonic_basis(p: Array, circles: Sequence[Circle], degree: int, orders: int, scale: float) -> Array:
    """Re and Im of (z/scale)ⁿ; log|z - c| and (r/(z - c))ⁿ for each hole."""
    z = p[:, 0] + 1j * p[:, 1]
    columns: list[Array] = []
    for n in range(degree + 1):
        power = (z / scale) ** n
        columns += [power.real] if n == 0 else [power.real, power.imag]
    for x, y, r in circles:
        w = z - (x + 1j * y)
        columns.append(np.log(np.abs(w)))
        for n in range(1, orders + 1):
            power = (r / w) ** n
            columns += [power.real, power.imag]
    return stack(*columns)


def screened_basis(p: Array, circles: Sequence[Circle], k: complex, degree: int, orders: int, size: float) -> Complex:
    """Iₙ(kr) e^(inθ) about the origin and Kₙ(kr) e^(inθ) about each hole, scaled to 1 at `size` and on the holes."""
    from scipy.special import ive, kve

    z = p[:, 0] + 1j * p[:, 1]
    r, angle = np.abs(z), np.exp(1j * np.angle(z))
    columns = []
    for n in range(degree + 1):
        value = ive(n, k * r) / ive(n, k * size) * np.exp(k.real * (r - size))
        columns += [value] if n == 0 else [value * (angle**n).real, value * (angle**n).imag]
    for x, y, hole in circles:
        w = z - (x + 1j * y)
        r, angle = np.abs(w), np.exp(1j * np.angle(w))
        for n in range(orders + 1):
            value = kve(n, k * r) / kve(n, k * hole) * np.exp(-k * (r - hole))
            columns += [value] if n == 0 else [value * (angle**n).real, value * (angle**n).imag]
    return np.stack(columns, -1)


FOUR_HOLES: list[Circle] = [(0.3, 0.3, 0.1), (-0.3, 0.3, 0.1), (0.3, -0.3, 0.1), (-0.3, -0.3, 0.1)]


@cache
def _poisson_holes() -> Array:
    holes = np.concatenate([circle_points(c, 80)[0] for c in FOUR_HOLES])
    square = rectangle_points(-0.5, 0.5, -0.5, 0.5, 100)[0]
    points = np.concatenate([holes, square])
    values = np.concatenate([np.zeros(len(holes)), np.ones(len(square))])
    basis = harmonic_basis(points, images(FOUR_HOLES, 0.5), 40, 12, 0.7)
    solution, *_ = np.linalg.lstsq(basis, values, rcond=1e-14)
    assert np.abs(basis @ solution - values).max() < 1e-7  # bounds the error inside, by the maximum principle
    return solution


def poisson_holes(p: Array) -> Array:
    return harmonic_basis(p, images(FOUR_HOLES, 0.5), 40, 12, 0.7) @ _poisson_holes()


UNEQUAL_HOLES: list[Circle] = [(0.5, 0.5, 0.2), (0.4, -0.4, 0.4), (-0.2, -0.7, 0.1), (-0.6, 0.5, 0.3)]


def _boltzmann_particular(p: Array) -> Array:
    """0.2 + v, -Δv + 64v = f - 12.8, v = 0 on the square: a sine series in y, Chebyshev collocation in x."""
    n = 40
    x, d = chebyshev(n, -1, 1)
    second, total = (d @ d)[1:-1, 1:-1], np.zeros(len(p))
    at = barycentric(x, p[:, 0])[:, 1:-1]
    nodes, weights = np.polynomial.legendre.leggauss(400)
    f = 10 * (17 + x[1:-1, None] ** 2 + nodes**2) * np.sin(pi * x[1:-1, None]) * np.sin(4 * pi * nodes) - 12.8
    for m in range(1, 240):
        mode = np.sin(m * pi * (nodes + 1) / 2)
        right = f @ (weights * mode)
        square = (m * pi / 2) ** 2 + 64
        total += at @ np.linalg.solve(-second + square * np.eye(n - 1), right) * np.sin(m * pi * (p[:, 1] + 1) / 2)
    return 0.2 + total


@cache
def _poisson_boltzmann() -> Array:
    holes = np.concatenate([circle_points(c, 120)[0] for c in UNEQUAL_HOLES])
    square = rectangle_points(-1, 1, -1, 1, 120)[0]
    points = np.concatenate([holes, square])
    values = np.concatenate([1 - _boltzmann_particular(holes), np.zeros(len(square))])
    basis = screened_basis(points, images(UNEQUAL_HOLES, 1), 8 + 0j, 40, 24, 1.4).real
    solution, *_ = np.linalg.lstsq(basis, values, rcond=1e-13)
    assert np.abs(basis @ solution - values).max() < 3e-6  # bounds the error inside, by the maximum principle
    return solution


def poisson_boltzmann(p: Array) -> Array:
    basis = screened_basis(p, images(UNEQUAL_HOLES, 1), 8 + 0j, 40, 24, 1.4).real
    return _boltzmann_particular(p) + basis @ _poisson_boltzmann()


@cache
def _poisson_lshape() -> Array:
    """u = -|z|²/4 + harmonic part by polynomials and poles clustered exponentially outside the corners (Gopal and
    Trefethen 2019)."""
    points = _lshape_boundary()
    basis = _lshape_basis(points)
    values = (points**2).sum(1) / 4
    solution, *_ = np.linalg.lstsq(basis, values, rcond=1e-13)
    assert np.abs(basis @ solution - values).max() < 1e-6  # bounds the error inside, by the maximum principle
    return solution


CORNERS = np.array([-1 - 1j, 1 - 1j, 1, 0, 1j, -1 + 1j])
OUTWARD = np.array([-1 - 1j, 1 - 1j, 1 + 1j, 1 + 1j, 1 + 1j, -1 + 1j]) / sqrt(2)


def _lshape_boundary() -> Array:
    s = np.tanh(np.linspace(-14, 14, 400)) / 2 + 0.5
    z = np.concatenate([a + s * (b - a) for a, b in zip(CORNERS, np.roll(CORNERS, -1), strict=True)])
    return stack(z.real, z.imag)


def _lshape_basis(p: Array) -> Array:
    z = p[:, 0] + 1j * p[:, 1]
    columns: list[Array] = []
    for n in range(25):
        columns += [(z**n).real, (z**n).imag] if n else [np.ones(len(p))]
    for corner, ray in zip(CORNERS, OUTWARD, strict=True):
        count = 40 if corner == 0 else 16
        for distance in np.exp(-4 * (sqrt(count) - np.sqrt(np.arange(1, count + 1)))):
            term = distance / (z - corner - distance * ray)
            columns += [term.real, term.imag]
    return stack(*columns)


def poisson_lshape(p: Array) -> Array:
    return _lshape_basis(p) @ _poisson_lshape() - (p**2).sum(1) / 4


LARGE = [
    (x, y, 1.0)
    for x, y in ((-4, -3), (4, -3), (-4, 3), (4, 3), (-4, -9), (4, -9), (-4, 9), (4, 9), (0, 0), (0, 6), (0, -6))
]
SMALL = [(x, y, 0.4) for x in (-3.2, 3.2) for y in (-6, 6, 0)]
