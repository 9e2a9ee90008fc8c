"""The measurements of the inverse problems in specs/: exact solutions at random points, with 1 % noise.

python examples/measurements.py FOLDER
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

CONDUCTIVITY, DECAY = 0.1, 0.8  # true parameters of inverse_heat.pde and inverse_decay.pde
COUNT, NOISE = 200, 0.01

Function = Callable[[np.ndarray, np.ndarray], np.ndarray]


def heat(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.exp(-CONDUCTIVITY * np.pi**2 * t) * np.sin(np.pi * x)


def decay(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.exp(-DECAY * t) * (2 + np.sin(2 * np.pi * (x - t)))


def measured(u: Function, seed: int) -> dict[str, np.ndarray]:
    """Noise is 1 % of the size of u."""
    draw = np.random.default_rng(seed)
    x, t = draw.random(COUNT), draw.random(COUNT)
    exact = u(x, t)
    noise = NOISE * np.sqrt(np.mean(exact**2)) * draw.standard_normal(COUNT)
    return {"x": x, "t": t, "u": exact + noise}


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    np.savez(folder / "inverse_heat.npz", **measured(heat, 0))
    np.savez(folder / "inverse_decay.npz", **measured(decay, 1))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "measurements"))
