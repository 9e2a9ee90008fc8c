"""Writes exponax.json: three periodic equations by exponax 0.2.0 on jax 0.10.2, which are not needed to read it.

    pip install exponax==0.2.0 jax==0.10.2 && python tests/solving/exponax_values.py

Fourth-order steps, taken twice: with a thousand steps a unit of time and with half as many; the difference is stored.
Its weights keep the real part of a mean over a circle, which is right for a real symbol only: steps for the imaginary
symbol of Korteweg and de Vries converge with the first order, too slowly to be compared to eight digits.
"""

from __future__ import annotations

import json
from pathlib import Path

import exponax
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
FINE = 1000
CASES = {
    "Kuramoto-Sivashinsky": (22.0, 5.0, 128, exponax.stepper.KuramotoSivashinskyConservative, {}),
    "Burgers": (6.0, 1.0, 128, exponax.stepper.Burgers, {"diffusivity": 0.2, "conservative": True}),
    "Allen-Cahn": (6.0, 1.0, 128, exponax.stepper.reaction.AllenCahn, {"diffusivity": 0.01}),
}


def end_of(extent: float, time: float, n: int, stepper: type, options: dict[str, object], fine: int) -> np.ndarray:
    steps = int(time * fine)
    step = stepper(1, extent, n, time / steps, order=4, num_circle_points=64, **options)
    x = jnp.arange(n) * (extent / n)
    start = (jnp.cos(2 * jnp.pi * x / extent) * (1 + jnp.sin(2 * jnp.pi * x / extent)))[None]
    return np.asarray(jax.lax.fori_loop(0, steps, lambda _, u: step(u), start))[0]


if __name__ == "__main__":
    found = {}
    for name, (extent, time, n, stepper, options) in CASES.items():
        fine, coarse = (end_of(extent, time, n, stepper, options, k) for k in (FINE, FINE // 2))
        kept = slice(None, None, n // 16)
        gap = float(abs(fine - coarse).max())
        found[name] = {"extent": extent, "time": time, "values": fine[kept].tolist(), "own difference": gap}
    Path(__file__).with_name("exponax.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
