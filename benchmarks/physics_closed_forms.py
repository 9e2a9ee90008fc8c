"""Closed forms and series of the problems in `physics/`: functions of points (n, k), columns in the order of the
arguments of the unknown, with values (n,) or (n, c).
"""

from __future__ import annotations

from math import log, pi, sqrt

import numpy as np
from numpy import cos, cosh, exp, sin
from numpy.typing import NDArray

Array = NDArray[np.float64]


def stack(*columns: Array) -> Array:
    return np.stack(np.broadcast_arrays(*columns), -1)


# ---- Elliptic, one dimension


def boundary_layer(p: Array, epsilon: float) -> Array:
    x = p[:, 0]
    return x - (exp((x - 1) / epsilon) - exp(-1 / epsilon)) / (1 - exp(-1 / epsilon))


def reaction_layer(p: Array) -> Array:
    """cos(πx)/(1 + ε²π²) and two exponentials e^(-x/ε), e^((x - 1)/ε), whose product is below rounding."""
    x, e = p[:, 0], 1e-3
    return (cos(pi * x) - exp(-x / e) + exp((x - 1) / e)) / (1 + (e * pi) ** 2)


def interior_layer(p: Array) -> Array:
    from scipy.special import erf

    return erf(p[:, 0] / sqrt(2e-4)) / erf(1 / sqrt(2e-4))  # type: ignore[no-any-return]


def bratu(p: Array) -> Array:
    """u = -2 log(cosh(θ(x - ½)/2) / cosh(θ/4)), θ = √(2λ) cosh(θ/4), λ = 2, the lower branch."""
    theta = 2.0
    for _ in range(200):  # a contraction with factor 0.42 near the smaller root
        theta = 2 * np.cosh(theta / 4)
    return -2 * np.log(cosh((p[:, 0] - 0.5) * theta / 2) / np.cosh(theta / 4))


# ---- Elliptic, several dimensions


def robin_disc(p: Array) -> Array:
    x, y = p.T
    return (1 - x**2 - y**2) / 4 + 0.5 + x * y / 3


def annulus(p: Array) -> Array:
    x, y = p.T
    r = np.hypot(x, y)
    return 1 - np.log(r / 0.3) / (1 - log(0.3)) + x / 2 - 0.045 * x / r**2


def interface(p: Array) -> Array:
    x, y = p.T
    r2 = x**2 + y**2
    return np.where(r2 < 0.25, 2 / 11 * x, x - 9 / 44 * x / np.maximum(r2, 0.25))


def slit(p: Array) -> Array:
    return np.sqrt(p[:, 0] + 1j * p[:, 1]).real


def plane_waves(p: Array, k: float) -> Array:
    x, y = p.T
    return cos(k * x) + sin(k * (0.6 * x + 0.8 * y)) + sin(k * y)


def plate_supported(p: Array) -> Array:
    """Navier's series by one sum: u = Σ 4/(π m)⁵ sin(mπx) (1 - (cosh + …)), m odd (Lévy)."""
    x, y = p.T
    total = np.zeros(len(p))
    for m in range(1, 80, 2):
        a, s = m * pi / 2, m * pi * (y - 0.5)
        ratio = exp(np.abs(s) - a)  # cosh(s)/cosh(a) without overflow
        c = ratio * (1 + exp(-2 * np.abs(s))) / (1 + exp(-2 * a))
        d = np.sign(s) * ratio * (1 - exp(-2 * np.abs(s))) / (1 + exp(-2 * a))
        total += 4 / (m * pi) ** 5 * sin(m * pi * x) * (1 - c * (1 + a * np.tanh(a) / 2) + s * d / 2)
    return total


def stokes(p: Array) -> Array:
    x, y = p.T
    return stack(sin(pi * x) ** 2 * sin(2 * pi * y), -sin(2 * pi * x) * sin(pi * y) ** 2, cos(pi * x) * cos(pi * y))


def kovasznay(p: Array) -> Array:
    x, y = p.T
    decay = 10 - sqrt(100 + 4 * pi**2)
    e = exp(decay * x)
    return stack(1 - e * cos(2 * pi * y), decay / (2 * pi) * e * sin(2 * pi * y), (1 - e**2) / 2)


def elasticity(p: Array) -> Array:
    x, y = p.T
    return stack(cos(2 * pi * x) * sin(pi * y), sin(pi * x) * y**4)


def scatterer(p: Array) -> Array:
    """Σ (aₙ Jₙ(kr) + bₙ Yₙ(kr)) e^(inθ) from e^(ikx) = Σ iⁿ Jₙ(kr) e^(inθ): two conditions for each n."""
    from scipy.special import jv, jvp, yv, yvp

    k, inner, outer = 8.0, 0.25, 1.0
    z = p[:, 0] + 1j * p[:, 1]
    r, angle, total = np.abs(z), np.angle(z), np.zeros(len(p), complex)
    for n in range(30):
        rows = [
            [jvp(n, k * inner), yvp(n, k * inner)],
            [jvp(n, k * outer) - 1j * jv(n, k * outer), yvp(n, k * outer) - 1j * yv(n, k * outer)],
        ]
        a, b = np.linalg.solve(np.array(rows), np.array([-(1j**n) * jvp(n, k * inner), 0]))
        total += (1 if n == 0 else 2) * (a * jv(n, k * r) + b * yv(n, k * r)) * cos(n * angle)
    return stack(total.real, total.imag)


# ---- In time


def modes(p: Array, frequency_of: dict[int, float], amplitude_of: dict[int, float]) -> Array:
    """Σ a sin(kπx) cos(ωt)."""
    x, t = p.T
    return np.asarray(sum(a * sin(k * pi * x) * cos(frequency_of[k] * t) for k, a in amplitude_of.items()))


def telegraph(p: Array) -> Array:
    x, t = p.T
    return exp(-t) * np.asarray(sum(sin(k * pi * x) * (cos(k * pi * t) + sin(k * pi * t) / (k * pi)) for k in (1, 3)))


def wave_long_time(p: Array) -> Array:
    x, y, t = p.T
    return sin(5 * pi * x) * sin(3 * pi * y) * cos(sqrt(43) * pi * t) + sin(pi * x) * sin(pi * y) * cos(
        sqrt(3) * pi * t
    )


def diffusion_reaction(p: Array) -> Array:
    x, t = p.T
    return exp(-t) * np.asarray(sum(sin(k * x) / k for k in (1, 2, 3, 4, 8)))


def heat_incompatible(p: Array) -> Array:
    """Series of the separation of variables; for small times the first images of the complementary error function."""
    from scipy.special import erfc

    x, t = p.T
    odd = np.arange(1, 401, 2)[:, None] * pi / 2
    series = 1 - (2 / odd * sin(odd * x) * exp(-(odd**2) * t)).sum(0)
    s = 2 * np.sqrt(np.maximum(t, 1e-300))
    images = erfc(x / s) + erfc((2 - x) / s) - erfc((2 + x) / s) - erfc((4 - x) / s)
    return np.where(t < 0.05, images, series)


def composite_wall(p: Array) -> Array:
    """The Laplace transform in closed form on each layer, inverted by Talbot's method with 32 nodes."""
    x, t = p.T
    n, theta = 32, (2 * np.arange(32) + 1) * pi / 32 - pi
    cot = 1 / np.tan(0.6407 * theta)  # contour with the parameters of Weideman 2006
    z = n * (0.5017 * theta * cot - 0.6122 + 0.2645j * theta)
    dz = n * (0.5017 * cot - 0.5017 * 0.6407 * theta * (1 + cot**2) + 0.2645j)
    s = z[:, None] / t
    values = (exp(z)[:, None] * dz[:, None] * _composite_transform(s, x)).sum(0) / (1j * n) / t
    return values.real  # type: ignore[no-any-return]


def _composite_transform(s: NDArray[np.complex128], x: Array) -> NDArray[np.complex128]:
    """(s - κ∂²)û = 0 on both layers, û(0) = 1/s - 1/(s + 20), û(1) = 0; û and κû′ continuous at ½."""
    a, b = np.sqrt(s), np.sqrt(s / 0.1)
    left, th = 1 / s - 1 / (s + 20), np.tanh
    # û = left cosh(a x) - c sinh(a x) on the left layer, middle sinh(b(1 - x))/sinh(b/2) on the right one.
    admittance = 0.1 * b / th(b / 2)
    middle = left / (np.cosh(a / 2) * (1 + admittance * th(a / 2) / a))
    first = left * np.sinh(a * (0.5 - x)) / np.sinh(a / 2) + middle * np.sinh(a * x) / np.sinh(a / 2)
    second = middle * np.sinh(b * (1 - x)) / np.sinh(b / 2)
    return np.where(x < 0.5, first, second)  # type: ignore[no-any-return]


def black_scholes(p: Array) -> Array:
    from scipy.special import ndtr

    s, t = p.T
    r, sigma, left = 0.05, 0.2, np.maximum(1 - t, 1e-14)
    d = (np.log(np.maximum(s, 1e-300)) + (r + sigma**2 / 2) * left) / (sigma * np.sqrt(left))
    return s * ndtr(d) - exp(-r * left) * ndtr(d - sigma * np.sqrt(left))  # type: ignore[no-any-return]


def fisher_front(p: Array) -> Array:
    x, t = p.T
    return (1 + exp((x - 5 * t / sqrt(6)) / sqrt(6))) ** -2


def sine_gordon(p: Array) -> Array:
    x, t = p.T
    return 4 * np.arctan(0.8 / 0.6 * sin(0.6 * t) / cosh(0.8 * x))


def schroedinger(p: Array) -> Array:
    """Coherent state: |ψ|² is a Gaussian about cos t."""
    x, t = p.T
    phase = -(t / 2 + x * sin(t) - sin(2 * t) / 4)
    size = pi**-0.25 * exp(-((x - cos(t)) ** 2) / 2)
    return stack(size * cos(phase), size * sin(phase))


def rotating_gaussian(p: Array) -> Array:
    x, y, t = p.T
    spread = 0.1 + 4 * 0.005 * t
    return 0.1 / spread * exp(-((x - cos(t)) ** 2 + (y - sin(t)) ** 2) / spread)


def maxwell(p: Array) -> Array:
    x, y, t = p.T
    w = sqrt(5) * pi
    return stack(
        -pi / w * cos(2 * pi * x) * sin(pi * y) * sin(w * t),
        2 * pi / w * sin(2 * pi * x) * cos(pi * y) * sin(w * t),
        cos(2 * pi * x) * cos(pi * y) * cos(w * t),
    )


def beltrami(p: Array) -> Array:
    x, y, z, t = p.T
    e = exp(-t)

    def component(a: Array, b: Array, c: Array) -> Array:
        return -(exp(a) * sin(b + c) + exp(c) * cos(a + b)) * e

    pressure = (
        -(
            exp(2 * x) + exp(2 * y) + exp(2 * z)
            + 2 * sin(x + y) * cos(z + x) * exp(y + z)
            + 2 * sin(y + z) * cos(x + y) * exp(z + x)
            + 2 * sin(z + x) * cos(y + z) * exp(x + y)
        ) / 2 * e**2
    )  # fmt: skip
    return stack(component(x, y, z), component(y, z, x), component(z, x, y), pressure)


# ---- Conservation laws


def burgers_shock(p: Array) -> Array:
    x, t = p.T
    return (x < t / 2).astype(float)


def burgers_breaking(p: Array) -> Array:
    """Characteristics of v = u - ½ about the shock at y = ½, y = x - t/2: v = sin(2π(y - vt)), bisection for y < ½."""
    x, t = p.T
    y = np.mod(x - t / 2, 1)
    mirrored = y > 0.5  # v is odd about ½, where the shock is
    y = np.where(mirrored, 1 - y, y)
    low, high = np.zeros_like(y), np.ones_like(y)
    for _ in range(
        60
    ):  # sin(2π(y - vt)) - v changes its sign from + to - on [0, 1]: the largest root is the entropy one
        v = (low + high) / 2
        above = sin(2 * pi * (y - v * t)) > v
        low, high = np.where(above, v, low), np.where(above, high, v)
    return 0.5 + np.where(mirrored, -low, low)


def buckley_leverett(p: Array) -> Array:
    """Welge's tangent: a rarefaction from 1 to s*, f′(s*) = f(s*)/s*, then a shock; s* = 1/√3 for M = ½."""
    x, t = p.T
    s = np.linspace(1 / sqrt(3), 1, 200_001)
    below = s**2 + 0.5 * (1 - s) ** 2
    speed = s * (1 - s) / below**2
    ratio = x / np.maximum(t, 1e-300)
    return np.where(ratio > speed[0], 0.0, np.interp(ratio, speed[::-1], s[::-1]))


def traffic(p: Array) -> Array:
    x, t = p.T
    return np.clip((1 - x / np.maximum(t, 1e-300)) / 2, 0, 1)


def burgers(p: Array) -> Array:
    """Hopf-Cole integral by Gauss-Hermite quadrature."""
    x, t = p.T
    nu = 0.01 / pi
    roots, weights = np.polynomial.hermite.hermgauss(320)
    y = x[:, None] - np.sqrt(4 * nu * t)[:, None] * roots
    density = exp(-(cos(pi * y) + 1) / (2 * pi * nu)) * weights
    total = density.sum(1)
    return np.where(t > 1e-12, -(sin(pi * y) * density).sum(1) / np.maximum(total, 1e-300), -sin(pi * x))


def burgers_2d(p: Array) -> Array:
    """Hopf-Cole in two dimensions, in the frame of the mean velocity; quadrature about the foot of the characteristic,
    which is unique, as the divergence of the initial velocity is above -1.
    """
    x, y, t = p.T
    nu, a, b, c, w = 1e-3, 0.2, 0.15, 0.1, pi / 2

    def velocity(q: Array, r: Array) -> tuple[Array, Array]:
        both = c * sin(w * (q + r))
        return a * sin(w * q) + both, b * cos(w * r) + both

    def potential(q: Array, r: Array) -> Array:
        return (-a * cos(w * q) + b * sin(w * r) - c * cos(w * (q + r))) / w

    x, y = x - 0.3 * t, y - 0.1 * t
    q, r = x.copy(), y.copy()
    for _ in range(200):  # fixed-point iteration with damping for q = x - t v(q)
        v = velocity(q, r)
        q, r = (q + x - t * v[0]) / 2, (r + y - t * v[1]) / 2
    roots, weights = np.polynomial.hermite.hermgauss(48)
    scale = np.sqrt(4 * nu * np.maximum(t, 1e-12))[:, None, None]
    s, u = q[:, None, None] + scale * roots[:, None], r[:, None, None] + scale * roots
    v0 = velocity(q, r)
    taylor = potential(q, r)[:, None, None] + v0[0][:, None, None] * scale * roots[:, None]
    action = potential(s, u) - taylor - v0[1][:, None, None] * scale * roots
    density = exp(-action / (2 * nu)) * weights[:, None] * weights
    total, at = density.sum((1, 2)), velocity(s, u)
    return stack(*(m + (d * density).sum((1, 2)) / total for m, d in zip((0.3, 0.1), at, strict=True)))


def heat_100d(p: Array) -> Array:
    return exp(-0.04 * pi**2 * p[:, -1]) * sin(2 * pi * p[:, :-1]).sum(1)
