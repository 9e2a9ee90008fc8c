"""Independent reference: feature maps with dense matrices, and each integrator by its textbook formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Operators = Mapping[str, Array]
Push = Callable[[Array, Operators], Array]
Field = Callable[[Array], Array]


def erf(z: Array) -> Array:
    return np.vectorize(math.erf, otypes=[float])(z)


ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "identity": lambda z: z,
    "relu": lambda z: np.where(z > 0, z, 0.0),
    "tanh": np.tanh,
    "atan": np.arctan,
    "sin": np.sin,
    "cos": np.cos,
    "abs": np.abs,
    "erf": erf,
    "softplus": lambda z: np.logaddexp(0, z),
    "sigmoid": lambda z: 1 / (1 + np.exp(-z)),
    "gelu": lambda z: z * (1 + erf(z / math.sqrt(2))) / 2,
    "silu": lambda z: z / (1 + np.exp(-z)),
}


def layer(name: str, sigma: str, eps: float | None = None) -> Push:
    """Kᵀ σ(N(K y)), with N(z) = s z/√(|z|² + ε) + b on as many channels as there are at one pixel, if there is an ε."""
    act = ACTIVATIONS[sigma]

    def push(y: Array, operators: Operators) -> Array:
        k = operators[name]
        z = k @ y
        if eps is not None:
            z = operators["scale"] * z / np.sqrt(z @ z + eps) + operators["bias"]
        return k.T @ act(z)

    return push


def multiple(c: float) -> Push:
    return lambda y, _: c * y


def combined(*parts: tuple[float, Push]) -> Push:
    return lambda y, operators: sum((c * push(y, operators) for c, push in parts), np.zeros_like(y))


def convolution(weight: Array, size: int) -> Array:
    """The matrix of a zero-padded cross-correlation on size × size pixels, channels first."""
    out, into, width, _ = weight.shape
    r = width // 2
    matrix = np.zeros((out, size, size, into, size, size))
    for i in range(size):
        for j in range(size):
            for a in range(-r, r + 1):
                for b in range(-r, r + 1):
                    if 0 <= i + a < size and 0 <= j + b < size:
                        matrix[:, i, j, :, i + a, j + b] = weight[:, :, a + r, b + r]
    return matrix.reshape(out * size**2, into * size**2)


# ---- methods


def euler(f: Field, h: float, y: Array) -> Array:
    return y + h * f(y)


def heun(f: Field, h: float, y: Array) -> Array:
    """Half of the way to two steps of Euler."""
    return (y + euler(f, h, euler(f, h, y))) / 2


def midpoint(f: Field, h: float, y: Array) -> Array:
    return y + h * f(y + h / 2 * f(y))


def ssprk3(f: Field, h: float, y: Array) -> Array:
    """Shu, Osher 1988, as means of steps of Euler."""
    second = 3 / 4 * y + 1 / 4 * euler(f, h, euler(f, h, y))
    return y / 3 + 2 / 3 * euler(f, h, second)


def rk4(f: Field, h: float, y: Array) -> Array:
    a = f(y)
    b = f(y + h / 2 * a)
    c = f(y + h / 2 * b)
    return y + h / 6 * (a + 2 * b + 2 * c + f(y + h * c))


def series(terms: int) -> Callable[[Field, float, Array], Array]:
    def step(f: Field, h: float, y: Array) -> Array:
        powers = [y]
        for _ in range(terms):
            powers.append(h * f(powers[-1]))
        return np.sum(powers, axis=0)

    return step


STEPS = {"euler": euler, "heun": heun, "midpoint": midpoint, "ssprk3": ssprk3, "rk4": rk4}


def one_step(name: str) -> Callable[[Field, float, Array], Array]:
    return STEPS[name] if name in STEPS else series(int(name.removeprefix("series")))


def first_order(name: str, f: Field, h: float, n: int, y: Array) -> Array:
    for _ in range(n):
        y = one_step(name)(f, h, y)
    return y


def second_order(name: str, f: Field, h: float, n: int, y: Array) -> Array:
    """From rest; leapfrog as the recursion of three terms."""
    if name in ("leapfrog", "paper"):
        before, now = y, y + (1.0 if name == "paper" else 0.5) * h**2 * f(y)
        for _ in range(n - 1):
            before, now = now, 2 * now - before + h**2 * f(now)
        return now
    half = len(y)
    whole = np.concatenate([y, np.zeros_like(y)])
    return first_order(name, lambda s: np.concatenate([s[half:], f(s[:half])]), h, n, whole)[:half]


def pair(name: str, f: Field, g: Field, h: float, n: int, s: Array) -> Array:
    """Y' = f(Z), Z' = g(Y) on both halves."""
    half = len(s) // 2
    if name != "verlet":
        return first_order(name, lambda s: np.concatenate([f(s[half:]), g(s[:half])]), h, n, s)
    y, z = s[:half], s[half:]
    for _ in range(n):
        y = y + h * f(z)
        z = z + h * g(y)
    return np.concatenate([y, z])
