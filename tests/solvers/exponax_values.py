"""Writes exponax.json: four periodic equations by exponax 0.2.0 on jax 0.10.2, which are not needed to read it.

    pip install exponax==0.2.0 jax==0.10.2 && python tests/solvers/exponax_values.py

Fourth-order steps, taken with finer and finer steps; the last difference is stored. Products keep two thirds of the
modes, so that exponax needs more points than the modes that matter: Burgers' equation with ν = 0.05 is off by 7e-5 with
192 points, by 2e-6 with 256, by 4e-11 with 384.
Its weights keep the real part of a mean over a circle, which is right for a real symbol only: with the imaginary symbol
of Korteweg and de Vries steps converge with the first order. Their error is a series in the step, whose terms are taken
off one after the other (Richardson).
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import exponax
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
SLOW = {"convection_scale": 1.0, "diffusivity": 0.0, "dispersivity": 0.05, "hyper_diffusivity": 0.0}
CASES = {  # extent, time, points, numbers of steps, stepper, options
    "Kuramoto-Sivashinsky": (22.0, 5.0, 128, (2500, 5000), exponax.stepper.KuramotoSivashinskyConservative, {}),
    "Burgers": (6.0, 1.0, 384, (500, 1000), exponax.stepper.Burgers, {"diffusivity": 0.05, "conservative": True}),
    "Allen-Cahn": (6.0, 1.0, 128, (500, 1000), exponax.stepper.reaction.AllenCahn, {"diffusivity": 0.01}),
    "Korteweg-de Vries": (
        *(6.0, 0.5, 144, (2000, 4000, 8000, 16000, 32000)),
        *(exponax.stepper.KortewegDeVries, {"conservative": True, **SLOW}),
    ),
}


def end_of(extent: float, time: float, n: int, steps: int, stepper: type, options: dict[str, object]) -> np.ndarray:
    step = stepper(1, extent, n, time / steps, order=4, num_circle_points=64, **options)
    x = jnp.arange(n) * (extent / n)
    start = (jnp.cos(2 * jnp.pi * x / extent) * (1 + jnp.sin(2 * jnp.pi * x / extent)))[None]
    return np.asarray(jax.lax.fori_loop(0, steps, lambda _, u: step(u), start))[0]


def extrapolated(rows: list[np.ndarray]) -> tuple[np.ndarray, float]:
    """Without the errors of order 1, 2, … in the step, and the last change; two rows are of order four already."""
    if len(rows) == 2:
        return rows[1], float(abs(rows[1] - rows[0]).max())
    for k in range(1, len(rows) - 1):
        rows = [(2**k * b - a) / (2**k - 1) for a, b in pairwise(rows)]
    return rows[1], float(abs(rows[1] - rows[0]).max())


if __name__ == "__main__":
    found = {}
    for name, (extent, time, n, steps, stepper, options) in CASES.items():
        end, gap = extrapolated([end_of(extent, time, n, k, stepper, options) for k in steps])
        kept = end[:: n // 16].tolist()
        found[name] = {"extent": extent, "time": time, "values": kept, "own difference": gap}
    Path(__file__).with_name("exponax.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
