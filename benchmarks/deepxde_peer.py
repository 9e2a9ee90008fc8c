"""The same problems by DeepXDE on PyTorch, for a number of seconds of the processor: half Adam, then L-BFGS.

Networks, points and weights are those of its own examples: three layers of 20 units, tanh, 2,540 points inside, 80 on
the boundary and 160 at the initial time, all conditions in the loss; float64, as ours.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

os.environ.setdefault("DDE_BACKEND", "pytorch")

Solver = Callable[[int, float], Callable[[np.ndarray], np.ndarray]]
"""Of a seed and seconds: the values (n,) at points (n, k)."""


def peer() -> Any:
    """DeepXDE in float64, or None where it is not installed: pip install deepxde."""
    try:
        import deepxde
    except ImportError:
        return None
    deepxde.config.set_default_float("float64")
    return deepxde


def train(
    dde: Any, data: Any, sizes: list[int], seed: int, seconds: float, features: Callable[[Any], Any] | None = None
) -> Callable[[np.ndarray], np.ndarray]:
    """The network after training; `features` are its inputs as functions of the coordinates."""
    start = time.process_time()

    class Until(dde.callbacks.Callback):  # type: ignore[misc]
        def __init__(self, share: float) -> None:
            super().__init__()
            self.share = share

        def on_epoch_end(self) -> None:
            if time.process_time() - start > self.share * seconds:
                self.model.stop_training = True

    dde.config.set_random_seed(seed)
    network = dde.nn.FNN(sizes, "tanh", "Glorot normal")
    if features is not None:
        network.apply_feature_transform(features)
    model = dde.Model(data, network)
    model.compile("adam", lr=1e-3, verbose=0)
    model.train(iterations=10**7, display_every=10**7, callbacks=[Until(0.5)], verbose=0)
    dde.optimizers.set_LBFGS_options(maxiter=10**6, ftol=0, gtol=0)
    dde.optimizers.config.LBFGS_options.update(iter_per_step=10, fun_per_step=12)  # the clock is read between these
    model.compile("L-BFGS", verbose=0)
    model.train(display_every=10**7, callbacks=[Until(1.0)], verbose=0)
    return lambda points: model.predict(points)


def _in_time(dde: Any, left: float, right: float, pde: Any, first: Any, sides: str) -> Any:
    domain = dde.geometry.GeometryXTime(dde.geometry.Interval(left, right), dde.geometry.TimeDomain(0, 1))
    if sides == "periodic":
        on_sides = dde.icbc.PeriodicBC(domain, 0, lambda _, on: on)
    else:
        on_sides = dde.icbc.DirichletBC(domain, lambda x: 0, lambda _, on: on)
    start = dde.icbc.IC(domain, first, lambda _, on: on)
    return dde.data.TimePDE(domain, pde, [on_sides, start], num_domain=2540, num_boundary=80, num_initial=160)


def _slope(dde: Any, y: Any, x: Any, k: int) -> Any:
    return dde.grad.jacobian(y, x, i=0, j=k)


def _bend(dde: Any, y: Any, x: Any, k: int) -> Any:
    return dde.grad.hessian(y, x, i=k, j=k)


def solvers(dde: Any) -> dict[str, Solver]:
    """By the names of the problems in physics.py."""

    def burgers(x: Any, y: Any) -> Any:
        return _slope(dde, y, x, 1) + y * _slope(dde, y, x, 0) - 0.01 / np.pi * _bend(dde, y, x, 0)

    def allen_cahn(x: Any, y: Any) -> Any:
        return _slope(dde, y, x, 1) - 1e-4 * _bend(dde, y, x, 0) - 5 * y + 5 * y**3

    def heat(x: Any, y: Any) -> Any:
        return _slope(dde, y, x, 1) - 0.1 * _bend(dde, y, x, 0)

    def poisson(x: Any, y: Any) -> Any:
        import torch

        source = 2 * np.pi**2 * torch.sin(np.pi * x[:, :1]) * torch.sin(np.pi * x[:, 1:])
        return _bend(dde, y, x, 0) + _bend(dde, y, x, 1) + source

    def square() -> Any:
        box = dde.geometry.Rectangle([-1, -1], [1, 1])
        zero = dde.icbc.DirichletBC(box, lambda x: 0, lambda _, on: on)
        return dde.data.PDE(box, poisson, [zero], num_domain=2540, num_boundary=240)

    data: dict[str, Callable[[], Any]] = {
        "Burgers": lambda: _in_time(dde, -1, 1, burgers, lambda x: -np.sin(np.pi * x[:, :1]), "zero"),
        "Allen-Cahn": lambda: _in_time(
            dde, -1, 1, allen_cahn, lambda x: x[:, :1] ** 2 * np.cos(np.pi * x[:, :1]), "periodic"
        ),
        "heat": lambda: _in_time(dde, 0, 1, heat, lambda x: np.sin(np.pi * x[:, :1]), "zero"),
        "Poisson, square": square,
    }

    def solver(make: Callable[[], Any]) -> Solver:
        def solve(seed: int, seconds: float) -> Callable[[np.ndarray], np.ndarray]:
            network = train(dde, make(), [2, 20, 20, 20, 1], seed, seconds)
            return lambda points: network(points)[:, 0]

        return solve

    return {name: solver(make) for name, make in data.items()}
